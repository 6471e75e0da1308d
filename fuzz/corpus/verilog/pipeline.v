// a note
// LANES circuits stand side by side: bit i of sample s is x[i * LANES + s], and likewise in y.
// Registered: a result appears LATENCY clock edges after its input.
module net #(parameter LANES = 1) (
  input  wire clock,
  input  wire [5*LANES-1:0] x,
  output wire [3*LANES-1:0] y
);
  localparam LATENCY = 2;
  wire [LANES-1:0] x0 = x[0*LANES +: LANES];
  wire [LANES-1:0] x1 = x[1*LANES +: LANES];
  wire [LANES-1:0] x3 = x[3*LANES +: LANES];
  wire [LANES-1:0] x4 = x[4*LANES +: LANES];
  reg [LANES-1:0] x1_1;
  reg [LANES-1:0] x3_1;
  reg [LANES-1:0] n8_1;
  reg [LANES-1:0] n8_2;
  reg [LANES-1:0] n9_1;
  reg [LANES-1:0] n10_1;
  reg [LANES-1:0] n11_1;
  wire [LANES-1:0] n6 = x0 ^ x4;
  wire [LANES-1:0] n7 = x3 & ~x4;
  wire [LANES-1:0] n8 = x3 & n7;
  wire [LANES-1:0] n9 = x1 & ~n6;
  wire [LANES-1:0] n10 = ~x1_1 & n9_1;
  wire [LANES-1:0] n11 = x3_1 & n10;
  always @(posedge clock) begin
    x1_1 <= x1;
    x3_1 <= x3;
    n8_1 <= n8;
    n8_2 <= n8_1;
    n9_1 <= n9;
    n10_1 <= n10;
    n11_1 <= n11;
  end
  assign y[0*LANES +: LANES] = n11_1;
  assign y[1*LANES +: LANES] = ~n8_2;
  assign y[2*LANES +: LANES] = ~n10_1;
endmodule
