// A model as it was compiled: what turns values into bits, the circuit, its layers, and the count that decides.
import { Circuit } from "./circuit.js";
import { Layers } from "./layers.js";

export const kLanes = 32;

class Encoder {
  constructor({ encoding, values, shape, thresholds }) {
    Object.assign(this, { encoding, values, shape, thresholds });
    this.features = shape[0] * shape[1] * shape[2];
    this.group = this.features / thresholds[0].length; // features that share thresholds
  }

  get bitsPerValue() {
    return this.thresholds.length;
  }
  get bits() {
    return this.bitsPerValue * this.features;
  }
  threshold(bit, feature) {
    return this.thresholds[bit][Math.floor(feature / this.group)];
  }

  // values: [feature]; bits: [bit][feature] words, in which the lanes of `mask` are set where a value is above.
  encode(values, bits, mask = -1) {
    for (let t = 0; t < this.bitsPerValue; ++t)
      for (let f = 0; f < this.features; ++f)
        if (values[f] > this.threshold(t, f)) bits[t * this.features + f] |= mask;
  }
}

// Counts become an answer as in Firn: the largest group wins, the lowest class on ties; a single group is compared with
// a threshold, or is a value. Arithmetic is that of floats.
class Head {
  constructor(stored, outputs) {
    Object.assign(this, stored);
    this.votes = outputs / this.groups; // the most that a group can have
  }

  sum(count) {
    return Math.fround(this.offset + Math.fround(this.factor * count));
  }
  // The class, or where a value is predicted the value.
  decide(counts) {
    if (this.is_value) return this.sum(counts[0]);
    if (this.groups === 1) return this.sum(counts[0]) > this.threshold ? 1 : 0;
    let best = 0;
    for (let g = 1; g < this.groups; ++g) if (counts[g] > counts[best]) best = g;
    return best;
  }
  // Where one group decides between two classes: the least count for the second.
  get leastForSecond() {
    let count = 0;
    while (count <= this.votes && !(this.sum(count) > this.threshold)) ++count;
    return count;
  }
}

export class Model {
  static async unpack(stored) {
    const model = new Model();
    model.encoder = new Encoder(stored.encoder);
    const [channels, height, width] = stored.encoder.shape;
    model.layers = await Layers.unpack(stored.layers, [channels * model.encoder.bitsPerValue, height, width]);
    model.circuit = stored.netlist === null ? null : await Circuit.unpack(stored.netlist);
    const last = stored.layers.at(-1).out;
    model.head = new Head(stored.head, last[0] * last[1] * last[2]);
    model.classes = stored.classes;
    return model;
  }

  get shape() {
    return this.encoder.shape;
  }
  get gates() {
    if (this.circuit !== null) return this.circuit.gates;
    return this.layers.layers.reduce((sum, l) => sum + l.units * l.out[1] * l.out[2] * l.placements * l.gates, 0);
  }

  // The outputs of the circuit, or of the last layer where the model was too large to unroll.
  run(bits) {
    if (this.circuit !== null) return this.circuit.run(bits);
    this.layers.run(bits);
    return this.layers.outputs();
  }

  // Counts of every group for one lane of the outputs.
  count(outputs, lane = 0) {
    const counts = new Array(this.head.groups).fill(0);
    for (let g = 0, o = 0; g < counts.length; ++g)
      for (let i = 0; i < this.head.votes; ++i, ++o) counts[g] += (outputs[o] >>> lane) & 1;
    return counts;
  }
}
