// The network layer by layer, as it was before it was simplified: what maps, neurons and fields of view are made of.
//
// A layer has one unit for each output channel. A unit reads taps, places in a window of its input, and combines them
// by gates; its last node is its output. It is placed all over the image, and neighbouring placements may be joined by
// an OR. Planes have a border of zeros, so that a window may look over the edge.
import { kMasks, readsA, readsB } from "./gates.js";
import { unpackBytes, unpackNumbers } from "./unpack.js";

class Plane {
  constructor([channels, height, width], border) {
    Object.assign(this, { channels, height, width, border });
    this.line = width + 2 * border;
    this.size = (height + 2 * border) * this.line;
    this.words = new Int32Array(channels * this.size);
  }

  at(channel, y, x) {
    return channel * this.size + (y + this.border) * this.line + x + this.border;
  }

  // words: without a border
  set(words) {
    for (let c = 0, from = 0; c < this.channels; ++c)
      for (let y = 0; y < this.height; ++y, from += this.width)
        this.words.set(words.subarray(from, from + this.width), this.at(c, y, 0));
  }
}

function applyGate(gate, a, b, to) {
  const [m0, ma, mb, mab] = kMasks.subarray(4 * gate, 4 * gate + 4);
  for (let i = 0; i < to.length; ++i) to[i] = m0 ^ (ma & a[i]) ^ (mb & b[i]) ^ (mab & a[i] & b[i]);
}

class Layer {
  static async unpack(stored) {
    const layer = Object.assign(new Layer(), stored);
    layer.tap_channel = await unpackNumbers(stored.tap_channel);
    layer.tap_place = await unpackBytes(stored.tap_place);
    layer.opcodes = await unpackBytes(stored.opcodes);
    return layer;
  }

  get units() {
    return this.out[0];
  }
  get placements() {
    return this.pool[0] * this.pool[1];
  }
  get border() {
    return Math.max(...this.padding);
  }

  // Line and column in the input under a tap, for a placement of the unit: output (y, x) at a position of its pool.
  place(unit, tap, y, x, position) {
    const at = unit * this.taps + tap;
    const place = this.tap_place.length > 0 ? this.tap_place[at] : 0;
    const line = y * this.pool[0] + Math.floor(position / this.pool[1]);
    const column = x * this.pool[1] + (position % this.pool[1]);
    return {
      channel: this.tap_channel[at],
      y: line * this.stride + Math.floor(place / this.window[1]) - this.padding[0],
      x: column * this.stride + (place % this.window[1]) - this.padding[1],
    };
  }

  isInside({ y, x }) {
    return y >= 0 && x >= 0 && y < this.in[1] && x < this.in[2];
  }

  // A gate on two features, placed once: what dense layers are made of, and most neurons belong to.
  get isDense() {
    return this.taps === 2 && this.gates === 1 && this.in[1] * this.in[2] === 1 && this.out[1] * this.out[2] === 1;
  }

  runDense(from, to) {
    const { tap_channel, opcodes } = this;
    for (let unit = 0; unit < to.length; ++unit) {
      const m = opcodes[unit] << 2;
      const a = from[tap_channel[2 * unit]];
      const b = from[tap_channel[2 * unit + 1]];
      to[unit] = kMasks[m] ^ (kMasks[m + 1] & a) ^ (kMasks[m + 2] & b) ^ (kMasks[m + 3] & a & b);
    }
  }

  // Node by node over all placements of a unit, so that the innermost loops are long and simple.
  run(input, output) {
    if (this.isDense && input.border + output.border === 0) return this.runDense(input.words, output.words);
    const { taps, gates, operands, opcodes, pool, out } = this;
    const count = out[1] * out[2] * pool[0] * pool[1];
    const nodes = Array.from({ length: taps + gates }, () => new Int32Array(count));
    for (let unit = 0; unit < out[0]; ++unit) {
      for (let t = 0; t < taps; ++t) this.readTap(unit, t, input, nodes[t]);
      for (let g = 0; g < gates; ++g)
        applyGate(opcodes[unit * gates + g], nodes[operands[2 * g]], nodes[operands[2 * g + 1]], nodes[taps + g]);
      this.join(unit, nodes[taps + gates - 1], output);
    }
  }

  // What lies under a tap at every placement, line by line.
  readTap(unit, tap, input, to) {
    const { channel, y, x } = this.place(unit, tap, 0, 0, 0);
    const { words, line } = input;
    const [height, width, stride] = [this.out[1] * this.pool[0], this.out[2] * this.pool[1], this.stride];
    for (let py = 0, at = 0, row = input.at(channel, y, x); py < height; ++py, row += stride * line)
      for (let px = 0, from = row; px < width; ++px, ++at, from += stride) to[at] = words[from];
  }

  // The OR of neighbouring placements.
  join(unit, values, output) {
    const [pool_y, pool_x] = this.pool;
    const [, height, width] = this.out;
    const line = width * pool_x;
    for (let y = 0; y < height; ++y)
      for (let x = 0, to = output.at(unit, y, 0); x < width; ++x, ++to) {
        let joined = 0;
        for (let py = 0; py < pool_y; ++py)
          for (let px = 0; px < pool_x; ++px) joined |= values[(y * pool_y + py) * line + x * pool_x + px];
        output.words[to] = joined;
      }
  }

  // Taps of a unit on which its output can depend at all: gates may ignore an operand.
  seenTaps(unit) {
    const seen = new Uint8Array(this.taps + this.gates);
    seen[this.taps + this.gates - 1] = 1;
    for (let g = this.gates - 1; g >= 0; --g) {
      if (!seen[this.taps + g]) continue;
      const gate = this.opcodes[unit * this.gates + g];
      if (readsA(gate)) seen[this.operands[2 * g]] = 1;
      if (readsB(gate)) seen[this.operands[2 * g + 1]] = 1;
    }
    return seen.subarray(0, this.taps);
  }
}

export class Layers {
  static async unpack(stored, inputShape) {
    const network = new Layers();
    network.layers = await Promise.all(stored.map((layer) => Layer.unpack(layer)));
    // planes[0] is the input, planes[l + 1] the output of layer l, with the border that the next layer needs.
    network.planes = [inputShape, ...network.layers.map((layer) => layer.out)].map(
      (shape, l) => new Plane(shape, network.layers[l]?.border ?? 0),
    );
    return network;
  }

  // Runs the first `count` layers. bits: [input features] words.
  run(bits, count = this.layers.length) {
    this.planes[0].set(bits);
    for (let l = 0; l < count; ++l) this.layers[l].run(this.planes[l], this.planes[l + 1]);
  }

  // The last layer without its border, after run().
  outputs() {
    return this.planes.at(-1).words;
  }

  // Values of a unit's nodes at one placement, taps first; the layers below have run.
  nodes({ layer: l, unit, y, x, position }) {
    const layer = this.layers[l];
    const values = new Int32Array(layer.taps + layer.gates);
    for (let t = 0; t < layer.taps; ++t) {
      const place = layer.place(unit, t, y, x, position);
      if (layer.isInside(place)) values[t] = this.planes[l].words[this.planes[l].at(place.channel, place.y, place.x)];
    }
    for (let g = 0; g < layer.gates; ++g) {
      const m = layer.opcodes[unit * layer.gates + g] << 2;
      const a = values[layer.operands[2 * g]];
      const b = values[layer.operands[2 * g + 1]];
      values[layer.taps + g] = kMasks[m] ^ (kMasks[m + 1] & a) ^ (kMasks[m + 2] & b) ^ (kMasks[m + 3] & a & b);
    }
    return values;
  }

  // Features of the network's input that an output of a layer can depend on, as a Uint8Array of ones and zeros.
  fieldOfView({ layer: l, unit, y, x }) {
    const shape = this.layers[l].out;
    let marked = new Uint8Array(shape[0] * shape[1] * shape[2]);
    marked[(unit * shape[1] + y) * shape[2] + x] = 1;
    for (let below = l; below >= 0; --below) marked = this.seenBelow(this.layers[below], marked);
    return marked;
  }

  seenBelow(layer, marked) {
    const [channels, height, width] = layer.in;
    const below = new Uint8Array(channels * height * width);
    for (let unit = 0, at = 0; unit < layer.units; ++unit) {
      let seen = null; // found only for units that matter
      for (let y = 0; y < layer.out[1]; ++y)
        for (let x = 0; x < layer.out[2]; ++x, ++at) {
          if (!marked[at]) continue;
          seen ??= layer.seenTaps(unit);
          for (let position = 0; position < layer.placements; ++position)
            for (let t = 0; t < layer.taps; ++t) {
              if (!seen[t]) continue;
              const place = layer.place(unit, t, y, x, position);
              if (layer.isInside(place)) below[(place.channel * height + place.y) * width + place.x] = 1;
            }
        }
    }
    return below;
  }

  // Outputs of the next layer that read this one: [{layer, unit, y, x}], each once.
  readers({ layer: l, unit, y, x }) {
    const next = this.layers[l + 1];
    if (next === undefined) return [];
    const found = new Map();
    for (let u = 0; u < next.units; ++u)
      for (let t = 0; t < next.taps; ++t) {
        if (next.tap_channel[u * next.taps + t] !== unit) continue;
        const first = next.place(u, t, 0, 0, 0);
        const line = (y - first.y) / next.stride;
        const column = (x - first.x) / next.stride;
        if (!Number.isInteger(line) || !Number.isInteger(column) || line < 0 || column < 0) continue;
        const [ry, rx] = [Math.floor(line / next.pool[0]), Math.floor(column / next.pool[1])];
        if (ry < next.out[1] && rx < next.out[2])
          found.set((u * next.out[1] + ry) * next.out[2] + rx, { layer: l + 1, unit: u, y: ry, x: rx });
      }
    return [...found.values()];
  }
}

// Adds how often each row of each gate of a unit occurs to counts, [gates][4]. `values` are its nodes as Layers.nodes()
// gives them, `lanes` how many examples their words hold.
export function countRows(layer, values, lanes, counts) {
  for (let g = 0; g < layer.gates; ++g) {
    const a = values[layer.operands[2 * g]];
    const b = values[layer.operands[2 * g + 1]];
    for (let lane = 0; lane < lanes; ++lane) ++counts[4 * g + 2 * ((a >>> lane) & 1) + ((b >>> lane) & 1)];
  }
}
