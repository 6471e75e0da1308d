// a note
// LANES circuits stand side by side: bit i of sample s is x[i * LANES + s], and likewise in y.
module net #(parameter LANES = 1) (
  input  wire [5*LANES-1:0] x,
  output wire [3*LANES-1:0] y
);
  wire [LANES-1:0] x0 = x[0*LANES +: LANES];
  wire [LANES-1:0] x1 = x[1*LANES +: LANES];
  wire [LANES-1:0] x3 = x[3*LANES +: LANES];
  wire [LANES-1:0] x4 = x[4*LANES +: LANES];
  wire [LANES-1:0] n6 = x0 ^ x4;
  wire [LANES-1:0] n7 = x3 & ~x4;
  wire [LANES-1:0] n8 = x3 & n7;
  wire [LANES-1:0] n9 = x1 & ~n6;
  wire [LANES-1:0] n10 = ~x1 & n9;
  wire [LANES-1:0] n11 = x3 & n10;
  assign y[0*LANES +: LANES] = n11;
  assign y[1*LANES +: LANES] = ~n8;
  assign y[2*LANES +: LANES] = ~n10;
endmodule
