// Calibration: how often a network is right when it says so with some probability.
import * as Plot from "@observablehq/plot";
import { formatCount, formatPercent, kDiscrete, kRelaxed } from "../look.js";
import { heading, kTop } from "../panel.js";
import { answeredRuns, examplesText, runChoice } from "./confusion.js";

const colour = (kind) => (kind === "relaxed" ? kRelaxed : kDiscrete);

const rowsOf = (answers) =>
  ["relaxed", "discrete"].flatMap((kind) =>
    answers[kind].bins
      .map((bin, b) => ({ ...bin, kind, from: 10 * b, to: 10 * (b + 1) }))
      .filter(({ count }) => count > 0),
  );

const tip = (d) =>
  `${d.kind}\nsays ${formatPercent(d.probability)}\nis right ${formatPercent(d.accuracy)}\n` +
  `${formatCount(d.count)} examples`;

function reliability(rows, width) {
  const marks = { x: (d) => 100 * d.probability, y: (d) => 100 * d.accuracy };
  return Plot.plot({
    width,
    height: Math.min(360, 0.8 * width),
    marginTop: kTop,
    marginLeft: 44,
    x: { label: "probability of the answer (%)", domain: [0, 100], grid: true },
    y: { label: "right (%)", domain: [0, 100], grid: true },
    marks: [
      Plot.line([[0, 0], [100, 100]], { stroke: "currentColor", strokeOpacity: 0.35, strokeDasharray: "3,4" }),
      Plot.line(rows, { ...marks, z: "kind", stroke: (d) => colour(d.kind), strokeWidth: 2 }),
      Plot.dot(rows, { ...marks, fill: (d) => colour(d.kind), r: 4 }),
      heading("says and is", width),
      Plot.tip(rows, Plot.pointer({ ...marks, title: tip })),
    ],
  });
}

function histogram(rows, width) {
  const shift = (d) => (d.kind === "relaxed" ? 0.6 : 5);
  const bar = { x1: (d) => d.from + shift(d), x2: (d) => d.from + shift(d) + 4.2, y: "count" };
  return Plot.plot({
    width,
    height: Math.min(360, 0.8 * width),
    marginTop: kTop,
    marginLeft: 50,
    x: { label: "probability of the answer (%)", domain: [0, 100] },
    y: { label: "examples", grid: true },
    marks: [
      Plot.rectY(rows, { ...bar, fill: (d) => colour(d.kind) }),
      heading("how sure it is", width),
      Plot.tip(rows, Plot.pointerX({ x: (d) => d.from + 5, y: "count", title: tip })),
    ],
  });
}

export function calibration(study) {
  const runs = answeredRuns(study);
  if (runs.length === 0) return null;
  return {
    id: `${study.id}-calibration`,
    title: "Calibration of class sums",
    caption:
      `Probabilities are the softmax of class sums, on ${examplesText(runs)}; bins are a tenth wide. ` +
      "On the dashed line a network is right as often as it says; below it is too sure of itself.",
    choices: [runChoice(runs)],
    columns: 2,
    legend: () => [
      { label: "relaxed", colour: kRelaxed },
      { label: "discrete", colour: kDiscrete },
    ],
    panels: (state, width) => {
      const rows = rowsOf(runs[state.run].answers);
      return [reliability(rows, width), histogram(rows, width)];
    },
    csv: () => ({
      columns: ["run", "network", "from", "to", "examples", "probability", "accuracy"],
      rows: runs.flatMap(({ name, answers }) =>
        rowsOf(answers).map((d) => [name, d.kind, d.from / 100, d.to / 100, d.count, d.probability, d.accuracy]),
      ),
    }),
  };
}
