// The circuit that ships: a list of gates, each of which reads earlier nodes. A word holds one wire of 32 examples; one
// example alone fills every bit of a word with its value.
import { kMasks } from "./gates.js";
import { unpackBytes, unpackNumbers } from "./unpack.js";

export class Circuit {
  static async unpack({ inputs, back_to_a, back_to_b, operations, outputs }) {
    const circuit = new Circuit();
    circuit.inputs = inputs;
    circuit.a = await unpackNumbers(back_to_a);
    circuit.b = await unpackNumbers(back_to_b);
    circuit.operations = await unpackBytes(operations);
    circuit.outputs = await unpackNumbers(outputs);
    for (let g = 0; g < circuit.a.length; ++g) {
      circuit.a[g] = 1 + inputs + g - circuit.a[g];
      circuit.b[g] = 1 + inputs + g - circuit.b[g];
    }
    circuit.values = new Int32Array(1 + inputs + circuit.a.length); // node 0 is constant false
    circuit.results = new Int32Array(circuit.outputs.length);
    return circuit;
  }

  get gates() {
    return this.operations.length;
  }

  // bits: [inputs] words. The answer is valid until the next call.
  run(bits) {
    const { a, b, operations, outputs, values, results } = this;
    values.set(bits, 1);
    for (let g = 0, node = 1 + this.inputs; g < operations.length; ++g, ++node) {
      const m = operations[g] << 2;
      const x = values[a[g]];
      const y = values[b[g]];
      values[node] = kMasks[m] ^ (kMasks[m + 1] & x) ^ (kMasks[m + 2] & y) ^ (kMasks[m + 3] & x & y);
    }
    for (let o = 0; o < outputs.length; ++o) results[o] = values[outputs[o] >>> 1] ^ -(outputs[o] & 1);
    return results;
  }
}
