// The sixteen gates, numbered by their truth table f(0,0) f(0,1) f(1,0) f(1,1), most significant bit first.

export const gateValue = (gate, a, b) => (gate >> (3 - 2 * a - b)) & 1;

// Algebraic normal form, four masks for each gate: m0 ^ (m1 & a) ^ (m2 & b) ^ (m3 & a & b). Any gate is then the same
// line of operations on words of 32 examples, without a branch.
export const kMasks = new Int32Array(64);
for (let gate = 0; gate < 16; ++gate) {
  const [f00, f01, f10, f11] = [0, 1, 2, 3].map((row) => gateValue(gate, row >> 1, row & 1));
  kMasks.set([-f00, -(f00 ^ f10), -(f00 ^ f01), -(f00 ^ f01 ^ f10 ^ f11)], 4 * gate);
}

export const readsA = (gate) => (gate >> 2) !== (gate & 3);
export const readsB = (gate) => ((gate >> 1) & 5) !== (gate & 5);

export const kNames = [
  "FALSE", "AND", "A AND NOT B", "A", "B AND NOT A", "B", "XOR", "OR",
  "NOR", "XNOR", "NOT B", "A OR NOT B", "NOT A", "B OR NOT A", "NAND", "TRUE",
];

// What fits into the circle of a drawing.
export const kSigns = [
  "0", "and", "a·b̄", "a", "ā·b", "b", "xor", "or", "nor", "xnor", "b̄", "a+b̄", "ā", "ā+b", "nand", "1",
];

export const kSentences = [
  "never on",
  "on when A and B are both on",
  "on when A is on and B is off",
  "the same as A; B is ignored",
  "on when B is on and A is off",
  "the same as B; A is ignored",
  "on when exactly one of A and B is on",
  "on when A or B or both are on",
  "on when A and B are both off",
  "on when A and B are equal",
  "the opposite of B; A is ignored",
  "off only when A is off and B is on",
  "the opposite of A; B is ignored",
  "off only when A is on and B is off",
  "off only when A and B are both on",
  "always on",
];
