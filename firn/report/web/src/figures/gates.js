// Gate mix: which gates a circuit consists of, layer by layer, before and after simplification.
import * as Plot from "@observablehq/plot";
import { sum } from "d3";
import { shortened } from "../dom.js";
import { formatCount, formatStep } from "../look.js";

const kNames = [
  "false",
  "a and b",
  "a and not b",
  "a",
  "not a and b",
  "b",
  "xor",
  "or",
  "nor",
  "xnor",
  "not b",
  "b implies a",
  "not a",
  "a implies b",
  "nand",
  "true",
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

const kColours = kKinds.map(({ colour }) => colour);

// One bar for each layer and stage, with its parts by kind.
function barsOf(run, measure) {
  return run.gates.flatMap((layer) =>
    ["before", "after"].map((stage) => {
      const total = sum(layer[stage]);
      const parts = kKinds
        .map(({ name, gates, colour }) => ({ name, colour, count: sum(gates, (g) => layer[stage][g]) }))
        .filter(({ count }) => count > 0);
      return { layer: shortened(layer.name, 12), stage, total, parts, scale: measure === "count" ? 1 : 100 / total };
    }),
  );
}

const tipOf = ({ layer, stage, total, parts }) =>
  [
    `${layer}, ${stage} simplification: ${formatCount(total)} gates`,
    ...parts.map(({ name, count }) => `${name}: ${formatCount(count)}, ${((100 * count) / total).toFixed(1)} %`),
  ].join("\n");

function panel(run, measure, width) {
  const bars = barsOf(run, measure);
  const segments = bars.flatMap(({ layer, stage, parts, scale }) =>
    parts.map(({ colour, count }) => ({ layer, stage, colour, value: scale * count })),
  );
  const layers = [...new Set(bars.map(({ layer }) => layer))];
  const place = { y: "stage", fy: "layer" };
  return Plot.plot({
    width,
    height: 46 + 44 * layers.length,
    marginLeft: 104,
    marginRight: 60,
    marginTop: 8,
    x: {
      label: measure === "count" ? "gates" : "share (%)",
      tickFormat: measure === "count" ? formatStep : undefined,
      ticks: Math.max(3, Math.floor(width / 90)),
      grid: true,
    },
    y: { domain: ["before", "after"], label: null, tickSize: 0, padding: 0.08 },
    fy: { domain: layers, label: null, padding: 0.18, axis: null },
    marks: [
      Plot.barX(segments, Plot.stackX({ x: "value", ...place, fill: "colour", order: kColours, z: "colour" })),
      Plot.text(layers, {
        fy: (name) => name,
        text: (name) => name,
        frameAnchor: "left",
        dx: -100,
        textAnchor: "start",
        fontWeight: 600,
        fontSize: 11,
      }),
      Plot.text(bars, {
        x: (bar) => bar.scale * bar.total || 0,
        ...place,
        text: ({ total }) => formatCount(total),
        textAnchor: "start",
        dx: 4,
        fontSize: 10,
      }),
      Plot.tip(bars, Plot.pointerY({ x: (bar) => (bar.scale * bar.total || 0) / 2, ...place, title: tipOf })),
    ],
  });
}

export function gates(study) {
  const known = study.points.filter(
    (point, i) => point.run.gates.length > 0 && study.points.findIndex((p) => p.run === point.run) === i,
  );
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
      rows: known.flatMap(({ run }) =>
        run.gates.flatMap((layer) =>
          kNames.map((name, g) => [run.name, layer.name, g, name, layer.before[g], layer.after[g]]),
        ),
      ),
    }),
  };
}
