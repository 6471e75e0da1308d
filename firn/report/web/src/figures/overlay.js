// All runs in one panel, however they differ: one line per run, over steps or over the share of its own length.
import * as Plot from "@observablehq/plot";
import { schemeTableau10 } from "d3";
import { shortened } from "../dom.js";
import { formatCount, formatPercent, formatShort } from "../look.js";
import { heading, overSteps } from "../panel.js";

const kMeasures = [
  { value: "discrete_accuracy", label: "discrete accuracy", unit: "accuracy (%)", scale: 100, text: formatPercent },
  { value: "relaxed_accuracy", label: "relaxed accuracy", unit: "accuracy (%)", scale: 100, text: formatPercent },
  { value: "discrete_loss", label: "discrete loss", unit: "loss", scale: 1, text: formatShort },
  { value: "relaxed_loss", label: "relaxed loss", unit: "loss", scale: 1, text: formatShort },
];
const kAxes = [
  { value: "step", label: "step" },
  { value: "share", label: "share of the run (%)" },
];

const colourOf = (index) => schemeTableau10[index % schemeTableau10.length];
const dashOf = (index) => [null, "5,3", "2,3"][Math.floor(index / schemeTableau10.length) % 3];

// A run that is not finished has the length that its configuration promises.
function lengthOf(run) {
  const promised = Number(new Map(run.config).get("train.steps"));
  return Math.max(run.learning.step.at(-1), Number.isFinite(promised) ? promised : 0);
}

function rowsOf(runs, measure) {
  return runs.flatMap((run, index) => {
    const length = lengthOf(run);
    return run.learning.step
      .map((step, i) => ({ run, index, step, share: (100 * step) / length, value: run.learning[measure][i] }))
      .filter(({ value }) => value !== null);
  });
}

function panel(runs, { value: measure, unit, scale, text, label }, axis, width) {
  const rows = rowsOf(runs, measure);
  const y = (d) => scale * d.value;
  const tip = (d) => `${shortened(d.run.name, 60)}\nstep ${formatCount(d.step)}\n${label} ${text(d.value)}`;
  const base = overSteps(width, 420);
  return Plot.plot({
    ...base,
    x: axis === "step" ? base.x : { label: "share of the run (%)", domain: [0, 100] },
    y: { label: unit, grid: true, nice: true },
    marks: [
      runs.map((_, index) =>
        Plot.line(
          rows.filter((d) => d.index === index),
          { x: axis, y, stroke: colourOf(index), strokeWidth: 1.8, strokeDasharray: dashOf(index) },
        ),
      ),
      Plot.dot(rows, { x: axis, y, fill: (d) => colourOf(d.index), r: 1.8 }),
      heading(`${label} of ${formatCount(runs.length)} runs`, width),
      Plot.tip(rows, Plot.pointer({ x: axis, y, title: tip })),
    ],
  });
}

export function overlay(report) {
  const runs = report.runs.filter((run) => run.learning.step.length > 0);
  if (!report.overlay || runs.length === 0) return null;
  return {
    id: "overlay",
    title: "All runs in one figure",
    caption:
      "Every run on its own validation set, whatever it was trained on and for however long. Lines of different data are not comparable in height; the table of configurations lists what differs.",
    choices: [
      { name: "measure", label: "measure", options: kMeasures },
      { name: "axis", label: "over", options: kAxes },
    ],
    legend: () => runs.map((run, i) => ({ label: shortened(run.name, 60), colour: colourOf(i), dash: dashOf(i) })),
    panels: (state, width) => [
      panel(
        runs,
        kMeasures.find(({ value }) => value === state.measure),
        state.axis,
        width,
      ),
    ],
    csv: (state) => ({
      columns: ["run", "step", "share", state.measure],
      rows: rowsOf(runs, state.measure).map(({ run, step, share, value }) => [run.name, step, share, value]),
    }),
  };
}
