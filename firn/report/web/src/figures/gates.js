// Gate mix: which gates a circuit consists of, layer by layer, before and after simplification.
import * as Plot from "@observablehq/plot";
import { sum } from "d3";
import { shortened } from "../dom.js";
import { formatCount, formatStep } from "../look.js";

const kNames = [
  "false", "a and b", "a and not b", "a", "not a and b", "b", "xor", "or",
  "nor", "xnor", "not b", "b implies a", "not a", "a implies b", "nand", "true",
];
const kKinds = [
  { name: "and-like", gates: [1, 2, 4, 8], colour: "#3d7fc4" },
  { name: "or-like", gates: [7, 11, 13, 14], colour: "#2a9d74" },
  { name: "xor-like", gates: [6, 9], colour: "#d1495b" },
  { name: "inverter", gates: [10, 12], colour: "#d68c1c" },
  { name: "wire", gates: [3, 5], colour: "#e3bf72" },
  { name: "constant", gates: [0, 15], colour: "#7d8590" },
];
const kMeasures = [
  { value: "share", label: "share of the layer's gates" },
  { value: "count", label: "number of gates" },
];

function rowsOf(run, measure) {
  return run.gates.flatMap((layer) =>
    ["before", "after"].flatMap((stage) => {
      const total = sum(layer[stage]);
      return kKinds.map(({ name, gates, colour }) => {
        const count = sum(gates, (g) => layer[stage][g]);
        const parts = gates.filter((g) => layer[stage][g] > 0).map((g) => `${kNames[g]}: ${formatCount(layer[stage][g])}`);
        return { layer: shortened(layer.name, 12), stage, kind: name, colour, count, total, parts, value: measure === "count" ? count : total > 0 ? (100 * count) / total : 0 };
      });
    }),
  );
}

function panel(run, measure, width) {
  const rows = rowsOf(run, measure).filter(({ count }) => count > 0);
  const layers = run.gates.map(({ name }) => shortened(name, 12));
  const totals = run.gates.flatMap((layer) => ["before", "after"].map((stage) => ({ layer: shortened(layer.name, 12), stage, total: sum(layer[stage]), reach: measure === "count" ? sum(layer[stage]) : 100 })));
  const tip = (d) => `${d.layer}, ${d.stage} simplification\n${d.kind}: ${formatCount(d.count)} of ${formatCount(d.total)}\n${d.parts.join("\n")}`;
  return Plot.plot({
    width,
    height: 46 + 44 * layers.length,
    marginLeft: 104,
    marginRight: 60,
    marginTop: 8,
    x: { label: measure === "count" ? "gates" : "share (%)", tickFormat: measure === "count" ? formatStep : undefined, ticks: Math.max(3, Math.floor(width / 90)), grid: true },
    y: { domain: ["before", "after"], label: null, tickSize: 0, padding: 0.08 },
    fy: { domain: layers, label: null, padding: 0.18, axis: null },
    marks: [
      Plot.barX(rows, Plot.stackX({ x: "value", y: "stage", fy: "layer", fill: "colour", order: kKinds.map(({ colour }) => colour), z: "colour" })),
      Plot.text(layers, { fy: (name) => name, text: (name) => name, frameAnchor: "left", dx: -100, textAnchor: "start", fontWeight: 600, fontSize: 11 }),
      Plot.text(totals, { x: "reach", y: "stage", fy: "layer", text: (d) => formatCount(d.total), textAnchor: "start", dx: 4, fontSize: 10 }),
      Plot.tip(rows, Plot.pointer(Plot.stackX({ x: "value", y: "stage", fy: "layer", order: kKinds.map(({ colour }) => colour), z: "colour", title: tip }))),
    ],
  });
}

export function gates(study) {
  const known = study.points.filter((point, i) => point.run.gates.length > 0 && study.points.findIndex((p) => p.run === point.run) === i);
  const reasons = [...new Set(study.runs.map((run) => run.no_gates).filter((reason) => reason))];
  if (known.length === 0) return null;
  const runOf = (state) => known[state.run].run;
  return {
    id: `${study.id}-gates`,
    title: "Gates before and after simplification",
    caption:
      "The circuit of the last checkpoint, unrolled over all positions: the gates that training chose, and those that are left when constants, wires and inverters are " +
      "folded away, equal gates shared and dead ones removed. What is left is AND and XOR with inverters on their operands, so an OR is counted as and-like. " +
      "At the end of each bar stands its number of gates." +
      (reasons.length > 0 ? ` Not shown: ${shortened(reasons.join("; "), 300)}` : ""),
    choices: [
      { name: "run", label: "run", options: known.map(({ run }, i) => ({ value: i, label: shortened(run.name, 60) })) },
      { name: "measure", label: "bars show", options: kMeasures },
    ],
    columns: 1,
    legend: () => kKinds.map(({ name, colour }) => ({ label: name, colour })),
    panels: (state, width) => [panel(runOf(state), state.measure, width)],
    csv: () => ({
      columns: ["run", "layer", "gate", "name", "before", "after"],
      rows: known.flatMap(({ run }) => run.gates.flatMap((layer) => kNames.map((name, g) => [run.name, layer.name, g, name, layer.before[g], layer.after[g]]))),
    }),
  };
}
