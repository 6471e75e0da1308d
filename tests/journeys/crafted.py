"""Files made to mislead: their checksums are absent, so that nothing but the readers' own care refuses them."""

import json
import resource
import struct

from journey import Journey, main, npy

LIMIT = 3_000_000_000  # bytes of address space; what is refused in time needs far less
CODES = {"F32": "f", "U32": "I", "U8": "B", "I8": "b"}


def safetensors(metadata, tensors):
    """The bytes of a file; tensors are named triples of type, shape and values."""
    header, data = {"__metadata__": metadata}, b""
    for name, (kind, shape, values) in tensors.items():
        array = struct.pack(f"<{len(values)}{CODES[kind]}", *values)
        header[name] = {"dtype": kind, "shape": shape, "data_offsets": [len(data), len(data) + len(array)]}
        data += array
    text = json.dumps(header).encode()
    return struct.pack("<Q", len(text)) + text + data


def model(shape, layers, tensors, groups=1, values="bytes", schema=None):
    """A compiled model without a circuit."""
    metadata = {"format": "firn model 1", "config": "", "classes": json.dumps({"groups": groups, "names": []}),
                "encoder": json.dumps({"encoding": "passthrough", "values": values, "shape": shape}),
                "layers": json.dumps(layers)}
    if schema:
        metadata["schema"] = json.dumps(schema)
    usual = {"encoder.thresholds": ("F32", [1, 1], [0]), "head": ("F32", [3], [1, 0, 0.5])}
    return safetensors(metadata, usual | tensors)


def checkpoint(shape="3 1 1", width=4):
    """A checkpoint of four gates on three bits, whatever it claims."""
    metadata = {"format": "firn checkpoint 1", "step": "4", "outputs": "2", "hooks": "", "encoder.encoding": "passthrough",
                "encoder.values": "bytes", "encoder.shape": shape,
                "config": f'[model]\nfamily = "dense"\nwidth = {width}\nlayers = 9\n'}
    return safetensors(metadata, {"encoder.thresholds": ("F32", [1, 1], [0]), "fc1.logits": ("F32", [4, 16], [0] * 64),
                                  "fc1.frozen": ("I8", [4], [-1] * 4), "fc1.wires": ("U32", [8], [0, 1, 2, 0, 1, 2, 0, 1])})


class Crafted(Journey):
    def write(self, name, content):
        (self.folder / name).write_bytes(content if isinstance(content, bytes) else content.encode())

    def assert_refused(self, part, *arguments):
        """After a note that there is no checksum comes a sentence; neither memory nor Firn itself is at fault."""
        done = self.limited(resource.RLIMIT_AS, LIMIT, *arguments)
        self.assertEqual(done.returncode, 3, done.stderr)
        self.assertIn(part, done.stderr.splitlines()[-1])
        self.assertNotIn("internal error", done.stderr)

    def test_a_window_reads_the_image_that_there_is(self):
        layer = {"kind": "conv", "name": "c", "in": [16, 1, 1], "out": [1, 1, 1], "depth": 1, "side": 3, "padding": 1,
                 "stride": 1, "pool": 1}
        self.write("m.firn", model([1, 4, 4], [layer], {"layer.0.leaf_channel": ("U32", [1, 2], [15, 15]),
                                                        "layer.0.leaf_place": ("U8", [1, 2], [4, 4]),
                                                        "layer.0.gates": ("U8", [1, 1], [1])}))
        self.write("x.npy", npy("|b1", (64, 1, 4, 4), [1] * 1024))
        self.assert_refused("pads an image of another shape", "predict", "m.firn", "x.npy")

    def test_memory_follows_the_file_and_not_what_layers_claim(self):
        pool = {"kind": "pool", "name": "", "in": [67108864, 1, 1], "out": [1, 1, 1]}
        self.write("m.firn", model([1, 1, 2], [pool] * 200, {}))
        self.assert_refused("the network is damaged", "info", "m.firn")
        self.write("c.safetensors", checkpoint(width=60000000))
        for command in (["info"], ["compile", "-o", "x.firn"]):
            self.assert_refused("the logits of the network", command[0], "c.safetensors", *command[1:])

    def test_what_is_too_large_to_unroll_is_refused(self):
        side = 8192
        unit = {"kind": "units", "name": "u", "in": [1, side, side], "out": [1, side, side], "taps": 2, "gates": 31,
                "window": [1, 1], "padding": [0, 0], "stride": 1, "pool": [1, 1]}
        self.write("m.firn", model([1, side, side], [unit], {"layer.0.tap_channel": ("U32", [1, 2], [0, 0]),
                                                             "layer.0.tap_place": ("U8", [1, 2], [0, 0]),
                                                             "layer.0.gates": ("U8", [1, 31], [1] * 31),
                                                             "layer.0.operands": ("U8", [31, 2], [0] * 62)}))
        self.assert_refused("2080374784 gates", "export", "m.firn", "--format", "aiger", "-o", "x.aig")

    def test_a_schema_that_contradicts_its_model(self):
        layers = [{"kind": "dense", "name": "d", "inputs": 2, "outputs": 4}]
        tensors = {"layer.0.wires": ("U32", [4, 2], [0, 1] * 4), "layer.0.gates": ("U8", [4], [1, 7, 6, 3])}
        schema = {"columns": [{"name": "a", "kind": "numeric"}, {"name": "b", "kind": "numeric"}], "values": "reals",
                  "header": True, "label": "y", "label_position": 2, "separator": "", "ignores_unknown": False}
        self.write("x.csv", "a,b,y\n" + "1,0,3.5\n" * 100)
        filled = [{"name": "a", "kind": "numeric", "fill": 1e9}, schema["columns"][1]]
        for change, values, part in (({"label_is_value": True}, "reals", "its head predicts classes"),
                                     ({"values": "bytes"}, "reals", "its encoder takes reals"),
                                     ({"values": "bits", "columns": filled}, "bytes", 'damaged "fill"')):
            self.write("m.firn", model([2, 1, 1], layers, tensors, groups=2, values=values, schema=schema | change))
            self.assert_refused(part, "predict", "--json", "m.firn", "x.csv")

    def test_one_file_does_not_hide_the_others(self):
        (self.folder / "f").mkdir()
        self.write("f/a.safetensors", checkpoint(shape="1 20000000000 1"))
        self.write("f/b.safetensors", checkpoint())
        with open(self.folder / "f/c.safetensors", "wb") as file:
            file.truncate(2 * LIMIT)
        done = self.limited(resource.RLIMIT_AS, LIMIT, "check", "f")
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn("damaged: f/a.safetensors: the encoder makes bits", done.stdout + done.stderr)
        self.assertIn("damaged: f/c.safetensors takes more memory than there is", done.stdout + done.stderr)
        self.assertIn("checkpoint after step 4", done.stdout)

    def test_layers_are_counted_before_they_are_written_out(self):
        self.write("run.toml", 'data.source = "parity"\nmodel.family = "dense"\n')
        for layers in (10**18, 300_000_000):
            done = self.firn("train", "run.toml", "--out", "x", "--set", f"model.layers={layers}", code=2)
            self.assert_sentence(done, "model.layers must be an integer from 1 to 65535")
        self.assert_refused("training this network would need", "train", "run.toml", "--out", "x", "--set",
                            "model.width=60000000", "--set", "model.layers=65535")


main()
