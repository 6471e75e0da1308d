// Freezing dynamics: which fraction of the neurons is frozen when, overall and layer by layer, for every strategy.
import * as Plot from "@observablehq/plot";
import { shortened } from "../dom.js";
import { formatCount, strategyColour } from "../look.js";
import { heading, overSteps, startRule } from "../panel.js";
import { bandOfSteps } from "../statistics.js";
import { startChoice } from "./learning.js";

// One band a strategy; `values` picks the curve of a run, or nothing.
function bandsOf(study, start, values) {
  return study.strategies.flatMap((strategy) => {
    const curves = study
      .runsOf(strategy, start)
      .map((run) => ({ step: run.freezing.step, value: values(run.freezing) }))
      .filter(({ step, value }) => value && step.length > 0);
    return bandOfSteps(curves).map((row) => ({ ...row, strategy, runs: curves.length }));
  });
}

function panel(title, rows, start, width) {
  const colour = (row) => strategyColour(row.strategy);
  const tip = (row) =>
    `${shortened(row.strategy, 30)}\nstep ${formatCount(row.step)}\n${(100 * row.mean).toFixed(1)} % frozen` +
    (row.runs > 1 ? `\n${(100 * row.low).toFixed(1)} to ${(100 * row.high).toFixed(1)} % over ${row.runs} runs` : "");
  return Plot.plot({
    ...overSteps(width, 300),
    y: { label: "frozen (%)", domain: [0, 100], grid: true },
    marks: [
      startRule(start),
      Plot.areaY(rows, {
        x: "step",
        y1: (d) => 100 * d.low,
        y2: (d) => 100 * d.high,
        z: "strategy",
        fill: colour,
        fillOpacity: 0.2,
        curve: "step-after",
      }),
      Plot.line(rows, {
        x: "step",
        y: (d) => 100 * d.mean,
        z: "strategy",
        stroke: colour,
        strokeWidth: 2,
        curve: "step-after",
      }),
      heading(title, width),
      Plot.tip(rows, Plot.pointer({ x: "step", y: (d) => 100 * d.mean, title: tip })),
    ],
  });
}

// Layers that some run has frozen; where none did, the first few.
function layersOf(study) {
  const names = [...new Set(study.runs.flatMap((run) => run.freezing.layers.map(({ name }) => name)))];
  const touched = names.filter((name) =>
    study.runs.some((run) => run.freezing.layers.some((l) => l.name === name && l.values.some((v) => v > 0))),
  );
  return touched.length > 0 ? touched : names.slice(0, 5);
}

export function freezing(study) {
  const layers = layersOf(study);
  if (!study.runs.some((run) => run.freezing.step.length > 0)) return null;
  return {
    id: `${study.id}-freezing`,
    title: "Freezing dynamics",
    caption:
      "Fraction of the neurons that are frozen, of all in scope and of each layer; one line a strategy, with the range over seeds as a band. " +
      "Strategies that do not freeze while they train stay at zero.",
    choices: [startChoice(study)],
    columns: 3,
    legend: (state) =>
      study.strategies
        .filter((s) => study.runsOf(s, state.start).length > 0)
        .map((s) => ({ label: shortened(s, 40), colour: strategyColour(s) })),
    panels: (state, width) => [
      panel(
        "all layers in scope",
        bandsOf(study, state.start, (f) => f.all),
        state.start,
        width,
      ),
      ...layers.map((layer) =>
        panel(
          layer,
          bandsOf(study, state.start, (f) => f.layers.find(({ name }) => name === layer)?.values),
          state.start,
          width,
        ),
      ),
    ],
    csv: () => ({
      columns: ["run", "strategy", "seed", "step", "layer", "frozen"],
      rows: study.runs.flatMap((run) => {
        const { strategy, seed } = study.points.find((p) => p.run === run);
        const { step, all, layers: own } = run.freezing;
        return [{ name: "all", values: all }, ...own].flatMap(({ name, values }) =>
          step.map((s, i) => [run.name, strategy, seed, s, name, values[i]]),
        );
      }),
    }),
  };
}
