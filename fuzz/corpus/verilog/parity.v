// Logic gate network exported by Firn from m.firn: the circuit alone.
// 3 inputs, 4 outputs, 0 gates; Verilog-2001, combinational or pipelined.
// A sample has 3 features.
// Input x[t * 3 + f] is 1 where feature f is above threshold t, t from 0 to 0.
// Outputs come in 2 equal groups, one for each class in order; the class with most outputs set wins, the lowest on ties.
// Classes: 0 "0", 1 "1".
// A bit is 1 where its feature is above (>) its threshold. Thresholds, t from 0:
//   every feature: 0
// LANES circuits stand side by side: bit i of sample s is x[i * LANES + s], and likewise in y.
module m #(parameter LANES = 1) (
  input  wire [3*LANES-1:0] x,
  output wire [4*LANES-1:0] y
);
  wire [LANES-1:0] x0 = x[0*LANES +: LANES];
  wire [LANES-1:0] x1 = x[1*LANES +: LANES];
  wire [LANES-1:0] x2 = x[2*LANES +: LANES];
  assign y[0*LANES +: LANES] = x2;
  assign y[1*LANES +: LANES] = x1;
  assign y[2*LANES +: LANES] = x0;
  assign y[3*LANES +: LANES] = x0;
endmodule
