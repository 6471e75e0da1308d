"""Your own tables: whatever happens to a CSV file, a model gives the right answer or says in one sentence why not."""

import csv
import io
import json
import os
import random
import subprocess
import threading

from journey import FIRN, Journey, main

CONFIG = """
[data]
source = "csv"
file = "train.csv"
label_column = "kind"
columns = ["id:ignore"]
[encode]
encoding = "distributive"
thresholds = 4
scope = "feature"
[model]
family = "dense"
width = 120
layers = 2
residual = 2
[train]
steps = 300
eval_every = 300
batch = 16
"""

HEADER = ["age", "colour", "height", "id", "kind", "note", "smoker"]
FEATURES = [name for name in HEADER if name not in ("kind", "id")]


def make_rows(count, seed):
    """Rows whose class can be learnt from colour and age."""
    draw = random.Random(seed)
    rows = []
    for i in range(count):
        age, colour = draw.randrange(18, 90), draw.choice(["red", "green", "blue"])
        kind = "cat" if colour == "red" else "dog" if age > 50 else "cow"
        note = "?" if i % 5 == 0 else draw.choice(["yes", "no, thanks", 'say "hi"'])
        rows.append({"age": str(age), "colour": colour, "height": f"{draw.uniform(1, 2):.3f}", "id": f"p{seed}-{i}",
                     "kind": kind, "note": note, "smoker": str(draw.randrange(2))})
    return rows


def to_csv(rows, names=None, *, header=True, separator=",", end="\n", quote_all=False):
    names = HEADER if names is None else names
    out = io.StringIO()
    writer = csv.writer(out, delimiter=separator, lineterminator=end,
                        quoting=csv.QUOTE_ALL if quote_all else csv.QUOTE_MINIMAL)
    if header:
        writer.writerow(names)
    for row in rows:
        writer.writerow([row.get(name, "") for name in names])
    return out.getvalue()


class Tables(Journey):
    def setUp(self):
        super().setUp()
        self.train_rows, self.rows = make_rows(150, 1), make_rows(30, 2)
        self.write("train.csv", to_csv(self.train_rows))
        self.write("new.csv", to_csv(self.rows))
        self.write("run.toml", CONFIG)

    def write(self, name, text):
        (self.folder / name).write_bytes(text if isinstance(text, bytes) else text.encode())

    def compile(self, *sets):
        self.firn("train", "run.toml", "--out", "run", *(word for s in sets for word in ("--set", s)))
        self.firn("compile", "run/last.safetensors", "-o", "a.firn")

    def predict(self, *arguments):
        done = self.firn("predict", "a.firn", *arguments)
        return list(csv.DictReader(io.StringIO(done.stdout))), done

    def predictions(self, *arguments):
        return [row["prediction"] for row in self.predict(*arguments)[0]]

    def test_predict_takes_what_is_named_without_the_training_files(self):
        self.compile()
        (self.folder / "train.csv").unlink()
        rows, done = self.predict("new.csv")
        self.assertEqual(len(rows), 30)
        self.assertEqual([row["label"] for row in rows], [row["kind"] for row in self.rows])
        right = sum(row["label"] == row["prediction"] for row in rows)
        self.assertEqual(done.stderr, f"{right} of 30 rows right: {100 * right / 30:.2f} %\n")
        self.assertGreater(right, 20)
        self.assertEqual({row["prediction"] for row in rows}, {"cat", "dog", "cow"})

        self.write("unlabelled.csv", to_csv(self.rows, FEATURES))
        unlabelled, done = self.predict("unlabelled.csv")
        self.assertNotIn("label", unlabelled[0])
        self.assertEqual([r["prediction"] for r in unlabelled], [r["prediction"] for r in rows])
        self.assertEqual(done.stderr, "30 rows predicted\n")
        done = self.firn("predict", "a.firn", "unlabelled.csv", "-o", "p.csv")
        self.assertEqual(done.stdout, "30 rows predicted\npredictions are in p.csv\n")
        self.assertEqual(self.predictions("new.csv"), [r["prediction"] for r in rows])
        # A checkpoint predicts the same as the circuit that was compiled from it.
        same = self.firn("predict", "run/last.safetensors", "new.csv").stdout
        self.assertEqual(same, self.firn("predict", "a.firn", "new.csv").stdout)

    def test_the_old_form_never_takes_other_data_than_named(self):
        self.write("run.toml", CONFIG.replace('file = "train.csv"', 'file = "train.csv"\ntest_file = "new.csv"'))
        self.write("other.csv", to_csv(make_rows(7, 3)))
        self.compile()
        done = self.firn("predict", "a.firn", "--data", "csv", "--set", "data.file=other.csv", code=2)
        self.assert_sentence(done, "firn predict a.firn other.csv")
        self.assert_sentence(self.firn("predict", "a.firn", "--data", "csv", code=2), "firn predict a.firn FILE")
        self.assert_sentence(self.firn("predict", "a.firn", "other.csv", "--split", "val", code=2), "--split")
        self.assertEqual(len(self.predict("other.csv")[0]), 7)
        self.assertIn("of 30 rows right", self.firn("predict", "a.firn").stdout)
        self.assertIn("of 15 rows right", self.firn("predict", "a.firn", "--split", "val").stdout)
        self.assertIn("rows", json.loads(self.firn("predict", "a.firn", "--json").stdout))
        # What was trained on has changed since: neither columns nor classes may shift.
        renamed = [row | {"kind": {"cat": "zebra"}.get(row["kind"], row["kind"])} for row in self.train_rows]
        self.write("train.csv", to_csv(renamed))
        self.write("new.csv", to_csv([row | {"kind": "dog"} for row in self.rows]))
        for command in ["predict", "a.firn"], ["eval", "run/last.safetensors"]:
            self.assert_sentence(self.firn(*command, code=3), "zebra", "cat")
        self.write("train.csv", to_csv(self.train_rows, ["smoker", *HEADER[:-1]]))
        self.assert_sentence(self.firn("predict", "a.firn", "--split", "train", code=3), "feature 0", "smoker", "age")

    def test_output_has_names_probabilities_and_counts(self):
        self.compile()
        rows, _ = self.predict("new.csv", "--probabilities", "--counts")
        for row in rows:
            shares = {c: float(row[f"probability_{c}"]) for c in ("cat", "cow", "dog")}
            counts = {c: int(row[f"count_{c}"]) for c in ("cat", "cow", "dog")}
            self.assertAlmostEqual(sum(shares.values()), 1, places=4)
            self.assertEqual(shares[row["prediction"]], max(shares.values()))
            self.assertEqual(counts[row["prediction"]], max(counts.values()))
        lines = self.firn("predict", "a.firn", "new.csv", "--format", "jsonl", "--probabilities", "--counts").stdout
        for line, row in zip(lines.splitlines(), rows, strict=True):
            found = json.loads(line)
            self.assertEqual((str(found["row"]), found["prediction"], found["label"]),
                             (row["row"], row["prediction"], row["label"]))
            self.assertAlmostEqual(found["probabilities"]["cat"], float(row["probability_cat"]), places=5)
            self.assertEqual(found["counts"]["dog"], int(row["count_dog"]))
        numbers = self.predict("new.csv", "--numbers")[0]
        self.assertEqual([["cat", "cow", "dog"][int(r["prediction"])] for r in numbers], [r["prediction"] for r in rows])
        summary = json.loads(self.firn("predict", "a.firn", "new.csv", "--json").stdout)
        self.assertEqual((summary["rows"], summary["labelled"]), (30, 30))
        self.assertEqual(sum(map(sum, summary["confusion"])), 30)

    def test_pipes_and_standard_input_are_read_once(self):
        self.compile()
        expected = self.firn("predict", "a.firn", "new.csv").stdout
        with open(self.folder / "new.csv", "rb") as file:
            done = subprocess.run([FIRN, "predict", "a.firn", "-"], cwd=self.folder, stdin=file, capture_output=True,
                                  text=True, check=True, timeout=60)
        self.assertEqual(done.stdout, expected)
        done = subprocess.run([FIRN, "predict", "a.firn", "-"], cwd=self.folder, input="age\n1\n", capture_output=True,
                              text=True, check=False, timeout=60)
        self.assertEqual(done.returncode, 3)
        self.assert_sentence(done, "standard input", "colour")
        for name, command in (("new.csv", ["predict", "a.firn", "pipe"]),
                              ("train.csv", ["data", "show", "csv", "--set", "data.file=pipe", "--set", 'data.columns=["id:ignore"]'])):
            plain = self.firn(*(word.replace("pipe", name) for word in command)).stdout
            os.mkfifo(self.folder / "pipe")
            text = (self.folder / name).read_bytes()
            writer = threading.Thread(target=lambda t=text: (self.folder / "pipe").write_bytes(t))
            writer.start()
            piped = self.firn(*command).stdout
            writer.join()
            (self.folder / "pipe").unlink()
            self.assertEqual(piped.splitlines()[2:-1], plain.splitlines()[2:-1])

    def test_data_show_says_what_columns_are(self):
        text = self.firn("data", "show", "run.toml").stdout
        self.assertRegex(text, r"(?m)^age +numeric +1 feature +refused$")
        self.assertRegex(text, r"(?m)^colour +categorical +3 features: blue, green, red +refused$")
        self.assertRegex(text, r"(?m)^note +categorical +4 features: \(missing\), .* +a category$")
        self.assertRegex(text, r"(?m)^id +ignored +nothing")
        self.assertRegex(text, r"(?m)^kind +label +the class")
        direct = self.firn("data", "show", "train.csv", "--set", 'data.columns=["id:ignore"]',
                           "--set", 'data.label_column="kind"', "--set", 'data.missing="median"').stdout
        self.assertRegex(direct, r"(?m)^age +numeric +1 feature +\d+$")
        self.assertRegex(direct, r"(?m)^ *1 +age +\d+ +0\.\d+$")

    # Mutations of the file to predict. Each gives the rows it should have answers for, or words of the sentence.

    def harmless_mutations(self):
        rows, text = self.rows, to_csv(self.rows)
        draw = random.Random(5)
        for i in range(20):
            names = HEADER[:]
            draw.shuffle(names)
            yield f"columns in order {names}", to_csv(rows, names)
            without = [name for name in names if name not in draw.sample(["kind", "id"], i % 3)]
            yield f"only {without}", to_csv(rows, without, separator=",;\t"[i % 3], end=["\n", "\r\n", "\r"][i // 3 % 3])
        for separator in ",", ";", "\t":
            for end in "\n", "\r\n", "\r":
                for quoted in False, True:
                    yield (f"separator {separator!r}, end {end!r}, quoted {quoted}",
                           to_csv(rows, separator=separator, end=end, quote_all=quoted))
        yield "byte order mark", b"\xef\xbb\xbf" + text.encode()
        yield "no line end at the end", text.rstrip("\n")
        yield "blank lines", text.replace("\n", "\n\n") + "\n\n"
        yield "blanks around fields", to_csv([{k: v if k == "note" else f"  {v} " for k, v in r.items()} for r in rows])
        for word in "", "NA", "N/A", "NaN", "NULL", "None":
            yield f"missing notes as {word!r}", to_csv([r | {"note": r["note"].replace("?", word)} for r in rows])
        yield "numbers in other words", to_csv([r | {"age": f"+{r['age']}.0e0", "smoker": f"{r['smoker']}.00"} for r in rows])
        yield "other ids", to_csv([r | {"id": "\u00fc" * i} for i, r in enumerate(rows)])
        yield "labels missing", to_csv([r | {"kind": "?" if i % 2 else ""} for i, r in enumerate(rows)])

    def harmful_mutations(self):
        rows, text = self.rows, to_csv(self.rows)

        def with_cell(column, cell, row=4):
            return to_csv([r | {column: cell} if i == row else r for i, r in enumerate(rows)])

        for cell in "12abc", "1e999", "0x1F", "3,14", "inf", "--1", "1 2", "ten", "1.2.3", "1e39":
            for column in "age", "height", "smoker":
                yield f"{column} is {cell}", with_cell(column, cell), ["line 6", f"column '{column}'", f"'{cell}'"]
        for column in "age", "height", "smoker", "colour":
            for word in "", "?", "NA":
                yield f"{column} is {word!r}", with_cell(column, word), ["line 6", f"column '{column}'", "no value"]
        for cell in "Red", "redd", "yellow", "1", "\u017eltá":
            yield f"colour is {cell}", with_cell("colour", cell), ["line 6", "column 'colour'", f"'{cell}'", "blue"]
        for cell in "Cat", "bird", "0":
            yield f"kind is {cell}", with_cell("kind", cell), ["line 6", f"'{cell}'", "cat, cow, dog"]
        for name in FEATURES:
            yield f"without {name}", to_csv(rows, [n for n in HEADER if n != name]), ["lacks", name]
            renamed = [r | {name.upper(): r[name]} for r in rows]
            yield (f"{name} renamed", to_csv(renamed, [n.upper() if n == name else n for n in HEADER]),
                   ["lacks", name, name.upper()])
            yield f"{name} twice", to_csv(rows, [*HEADER, name]), ["two columns", name]
        yield "an extra column", to_csv(rows, [*HEADER, "extra"]), ["extra"]
        yield "the label renamed", to_csv([r | {"sort": r["kind"]} for r in rows],
                                          ["sort" if n == "kind" else n for n in HEADER]), ["sort"]
        names = [n.upper() for n in HEADER]
        yield "all names renamed", to_csv([{k.upper(): v for k, v in r.items()} for r in rows], names), ["line 1", "'AGE'"]
        yield "without a header", to_csv(rows, header=False), ["line 1", "--no-header"]
        yield "without header and label", to_csv(rows, [n for n in HEADER if n != "kind"], header=False), ["--no-header"]
        yield "numbers as names", "0,1,2,3,4,5,6\n" + to_csv(rows, header=False), ["line 1", "'0'", "--no-header"]
        yield "years as names", "2019,2020,2021,2022,2023,2024,2025\n" + to_csv(rows, header=False), ["'2019'", "--no-header"]
        yield "a short row", text.replace("\n", "\n1,2\n", 2), ["line 2", "2 fields"]
        yield "a long row", text[:-1] + ",x\n", ["line 31", "8 fields"]
        yield "an open quote", text + '"', ["never closed"]
        yield "text after a quote", text + '"a"b,1\n', ["closing quote"]
        yield "decimal commas", to_csv([r | {"height": r["height"].replace(".", ",")} for r in rows], separator=";"), [
            "line 2", "height", "3.14"]
        yield "UTF-16", text.encode("utf-16"), ["UTF-16", "UTF-8"]
        yield "UTF-16 without a mark", text.encode("utf-16-le"), ["NUL"]
        yield "UTF-16, big end first", b"\xfe\xff" + text.encode("utf-16-be"), ["UTF-16"]
        yield "Latin 1", with_cell("colour", "bl\u00fc").encode("latin-1"), ["line 6", "0xfc", "UTF-8"]
        yield "a NUL in a cell", with_cell("age", "4\0"), ["line 6", "NUL"]
        yield "nothing at all", "", ["new.csv is empty"]
        yield "a header alone", to_csv([]), ["new.csv has a header but no rows"]
        yield "a picture", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", ["new.csv"]
        yield "cut gzip", b"\x1f\x8b\x08\0\0\0", ["gzip"]

    def test_every_mutation_gives_the_right_answer_or_one_sentence(self):
        self.compile()
        expected = self.predictions("new.csv")
        self.assertEqual(len(expected), 30)
        harmless, harmful = list(self.harmless_mutations()), list(self.harmful_mutations())
        self.assertGreaterEqual(len(harmless) + len(harmful), 100)
        for name, text in harmless:
            with self.subTest(name):
                self.write("new.csv", text)
                self.assertEqual(self.predictions("new.csv"), expected)
        for name, text, words in harmful:
            with self.subTest(name):
                self.write("new.csv", text)
                self.assert_sentence(self.firn("predict", "a.firn", "new.csv", code=3), *words)

    def test_without_a_header_position_counts_if_the_user_says_so(self):
        self.compile()
        expected = self.predictions("new.csv")
        for names in HEADER, FEATURES:
            self.write("bare.csv", to_csv(self.rows, names, header=False))
            self.assertEqual(self.predictions("bare.csv", "--no-header"), expected)
        for name, names, words in (("without the label", [n for n in HEADER if n != "kind"], ["6 columns", "5 features"]),
                                   ("without the id", [n for n in HEADER if n != "id"], ["6 columns", "5 features"]),
                                   ("too few", HEADER[:4], ["4 columns"]),
                                   ("other order", HEADER[::-1], ["line 1", "'colour'"])):
            with self.subTest(name):
                self.write("bare.csv", to_csv(self.rows, names, header=False))
                self.assert_sentence(self.firn("predict", "a.firn", "bare.csv", "--no-header", code=3), *words)

    def test_an_empty_word_never_chooses_other_data(self):
        self.write("run.toml", CONFIG.replace('file = "train.csv"', 'file = "train.csv"\ntest_file = "new.csv"'))
        self.compile()
        self.assert_sentence(self.firn("predict", "a.firn", "", code=2), "FILE is empty")
        self.assert_sentence(self.firn("predict", "a.firn", "new.csv", "-o", "", code=2), "-o is empty")
        self.assert_sentence(self.firn("predict", "a.firn", "--no-header", code=2), "--no-header is for a FILE")

    def test_headers_are_decided_by_unmixed_evidence_only(self):
        rows = "".join(f"{i % 7}.5,{i % 5},{i % 3},{i % 4}.25,{'xy'[i % 2]}\n" for i in range(30))
        ones = "".join(f"{i % 7}.5,{i % 5},{i // 2 % 2}\n" for i in range(30))
        for name, text in (("numbers", "0,1,2,3,kind\n" + rows), ("years", "2019,2020,2021,2022,kind\n" + rows),
                           ("years over bits", "2019,2020,2021\n" + ones), ("a damaged cell", "12abc,3,1\n" + ones),
                           ("an infinity", "inf,3,1\n" + ones), ("a word", "x,3,1\n" + ones)):
            with self.subTest(name):
                self.write("mixed.csv", text)
                self.assert_sentence(self.firn("data", "show", "mixed.csv", code=3), "mixed.csv, line 1", "data.header")
        self.write("mixed.csv", "0,1,2,3,kind\n" + rows)
        shown = self.firn("data", "show", "mixed.csv", "--set", 'data.header="present"').stdout
        self.assertRegex(shown, r"(?m)^kind +label")
        self.assertIn("2 classes", shown)
        self.write("mixed.csv", rows)
        self.assertIn("4 features, 2 classes", self.firn("data", "show", "mixed.csv").stdout)

    def test_a_column_that_is_mostly_one_is_not_lost(self):
        # The label is the flag, which is 1 in nine of ten rows.
        draw = random.Random(4)
        flags = [0 if i % 10 == 3 else 1 for i in range(200)]
        self.write("train.csv", "age,flag,kind\n" + "".join(f"{draw.randrange(90)},{f},{'off on'.split()[f]}\n" for f in flags))
        self.compile("encode.thresholds=3", "data.columns=[]")
        self.assertIn("200 of 200 rows right", self.predict("train.csv")[1].stderr)

    def test_no_mutation_of_the_training_file_changes_columns_in_silence(self):
        for cell in "12abc", "1e999", "0x1F", "3,14", "inf", "ten":
            for column in "age", "height", "smoker":
                for row in 0, 4, len(self.train_rows) - 1:
                    with self.subTest(f"{column} is {cell} in row {row}"):
                        rows = [r | {column: cell} if i == row else r for i, r in enumerate(self.train_rows)]
                        self.write("train.csv", to_csv(rows))
                        done = self.firn("data", "show", "run.toml", code=3)
                        self.assert_sentence(done, f"train.csv, line {row + 2}:", f"column '{column}'", f"'{cell}'",
                                             "data.columns")
        for name, text, words in (("decimal commas", to_csv([r | {"height": r["height"].replace(".", ",")}
                                                             for r in self.train_rows], separator=";"), ["height"]),
                                  ("UTF-16", to_csv(self.train_rows).encode("utf-16"), ["UTF-16"]),
                                  ("two names alike", to_csv(self.train_rows, [*HEADER, "age"]), ["two columns", "age"]),
                                  ("a label missing", to_csv([r | {"kind": "" if i == 3 else r["kind"]}
                                                              for i, r in enumerate(self.train_rows)]), ["line 5"])):
            with self.subTest(name):
                self.write("train.csv", text)
                self.assert_sentence(self.firn("data", "show", "run.toml", code=3), "train.csv", *words)

    def test_missing_numbers_take_the_stored_median(self):
        rows = [r | {"age": "" if i % 11 == 0 else r["age"]} for i, r in enumerate(self.train_rows)]
        self.write("train.csv", to_csv(rows))
        self.compile('data.missing="median"')
        ages = sorted(int(r["age"]) for r in rows if r["age"])
        self.assertEqual(len(ages) % 2, 0)
        lower, upper = ages[len(ages) // 2 - 1:len(ages) // 2 + 1]
        self.assertLess(lower, upper)
        median = str(lower)
        self.assertRegex(self.firn("data", "show", "run.toml", "--set", 'data.missing="median"').stdout,
                         rf"(?m)^age +numeric +1 feature +{lower}$")
        self.write("filled.csv", to_csv([r | {"age": median, "height": "1.5"} for r in self.rows]))
        self.write("empty.csv", to_csv([r | {"age": "NA", "height": "1.5"} for r in self.rows]))
        self.assertEqual(self.predictions("empty.csv"), self.predictions("filled.csv"))
        # Other medians than those the model has stored are noticed.
        self.firn("eval", "run/last.safetensors", "--split", "val")
        self.write("train.csv", to_csv([r | {"age": r["age"] and str(int(r["age"]) + 1)} for r in rows]))
        for command in ["predict", "a.firn", "--split", "val"], ["eval", "run/last.safetensors", "--split", "val"]:
            self.assert_sentence(self.firn(*command, code=3), "missing values of 'age'", f"become {lower + 1}")


main()
