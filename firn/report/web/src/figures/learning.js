// Learning curves: relaxed and discrete on the validation set, with the gap between them shaded.
import * as Plot from "@observablehq/plot";
import { extent, mean } from "d3";
import { formatCount, formatPercent, formatPoints, formatShort, kDiscrete, kRelaxed } from "../look.js";
import { heading, overSteps, startRule } from "../panel.js";
import { alignedByStep } from "../statistics.js";

const kMeasures = [
  {
    value: "accuracy",
    label: "accuracy",
    unit: "accuracy (%)",
    scale: 100,
    text: formatPercent,
    gap: (difference) => `${formatPoints(difference)} points`,
  },
  { value: "loss", label: "loss", unit: "cross-entropy", scale: 1, text: formatShort, gap: formatShort },
];

export const startChoice = (study) => ({
  name: "start",
  label: "freezing starts at",
  options: [...study.starts]
    .reverse()
    .map((start) => ({ value: start, label: start === null ? "not recorded" : formatCount(start) })),
});

// One row a step: means over the runs that were evaluated there.
function meansOf(runs, measure) {
  const curve = (kind) =>
    alignedByStep(runs.map(({ learning }) => ({ step: learning.step, value: learning[`${kind}_${measure}`] })));
  const discrete = new Map(curve("discrete").map(({ step, values }) => [step, mean(values)]));
  return curve("relaxed")
    .filter(({ step }) => discrete.has(step))
    .map(({ step, values }) => ({ step, relaxed: mean(values), discrete: discrete.get(step), runs: values.length }));
}

function seedLines(runs, measure) {
  return runs.flatMap((run, r) =>
    ["relaxed", "discrete"].flatMap((kind) =>
      run.learning.step.map((step, i) => ({
        step,
        value: run.learning[`${kind}_${measure}`][i],
        line: `${r} ${kind}`,
        kind,
      })),
    ),
  );
}

function panel(title, runs, start, { value: measure, unit, scale, text, gap }, domain, width) {
  const rows = meansOf(runs, measure);
  const scaled = (key) => (row) => (row[key] === null ? NaN : scale * row[key]);
  const tip = (row) =>
    `step ${formatCount(row.step)}\nrelaxed ${text(row.relaxed)}\ndiscrete ${text(row.discrete)}\ngap ${gap(Math.abs(row.relaxed - row.discrete))}` +
    (row.runs > 1 ? `\nmeans of ${row.runs} runs` : "");
  return Plot.plot({
    ...overSteps(width, 320),
    y: { label: unit, domain, grid: true, nice: true },
    marks: [
      startRule(start),
      Plot.areaY(rows, {
        x: "step",
        y1: scaled("discrete"),
        y2: scaled("relaxed"),
        fill: kDiscrete,
        fillOpacity: 0.18,
      }),
      runs.length > 1
        ? Plot.line(seedLines(runs, measure), {
            x: "step",
            y: (d) => (d.value === null ? NaN : scale * d.value),
            z: "line",
            stroke: (d) => (d.kind === "relaxed" ? kRelaxed : kDiscrete),
            strokeWidth: 0.7,
            strokeOpacity: 0.45,
          })
        : null,
      Plot.line(rows, { x: "step", y: scaled("relaxed"), stroke: kRelaxed, strokeWidth: 2, strokeDasharray: "5,3" }),
      Plot.line(rows, { x: "step", y: scaled("discrete"), stroke: kDiscrete, strokeWidth: 2 }),
      rows.length === 1 ? Plot.dot(rows, { x: "step", y: scaled("discrete"), fill: kDiscrete }) : null,
      heading(title, width),
      Plot.tip(rows, Plot.pointerX({ x: "step", y: scaled("discrete"), title: tip })),
    ],
  });
}

export function learning(study) {
  if (!study.runs.some((run) => run.learning.step.length > 0)) return null;
  const seeds = Math.max(
    ...study.strategies.flatMap((s) => study.starts.map((start) => study.runsOf(s, start).length)),
  );
  return {
    id: `${study.id}-learning`,
    title: "Learning curves",
    caption:
      "Relaxed and discrete network on the validation set; the shaded area between them is what discretization costs at that step." +
      (seeds > 1 ? " Thick lines are means over seeds, thin ones single runs." : "") +
      (study.starts.some((start) => start > 0) ? " The dotted line is where freezing starts." : ""),
    choices: [{ name: "measure", label: "measure", options: kMeasures }, startChoice(study)],
    columns: Math.min(3, study.strategies.length),
    legend: () => [
      { label: "relaxed", colour: kRelaxed, dash: "5,3" },
      { label: "discrete", colour: kDiscrete },
    ],
    panels: (state, width) => {
      const measure = kMeasures.find(({ value }) => value === state.measure);
      const shown = study.strategies
        .map((strategy) => [strategy, study.runsOf(strategy, state.start)])
        .filter(([, runs]) => runs.length > 0);
      const values = shown
        .flatMap(([, runs]) => seedLines(runs, measure.value).map(({ value }) => value))
        .filter((v) => v !== null);
      const domain = extent(values, (v) => measure.scale * v);
      return shown.map(([strategy, runs]) =>
        panel(strategy, runs, strategy === "final-argmax" ? 0 : state.start, measure, domain, width),
      );
    },
    csv: () => ({
      columns: [
        "run",
        "strategy",
        "seed",
        "step",
        "train_loss",
        "relaxed_loss",
        "relaxed_accuracy",
        "discrete_loss",
        "discrete_accuracy",
      ],
      rows: study.runs.flatMap((run) => {
        const { strategy, seed } = study.points.find((p) => p.run === run);
        const { step, train_loss, relaxed_loss, relaxed_accuracy, discrete_loss, discrete_accuracy } = run.learning;
        return step.map((s, i) => [
          run.name,
          strategy,
          seed,
          s,
          train_loss[i],
          relaxed_loss[i],
          relaxed_accuracy[i],
          discrete_loss[i],
          discrete_accuracy[i],
        ]);
      }),
    }),
  };
}
