// What the runs took: steps per second over time, and totals.
import * as Plot from "@observablehq/plot";
import { h, shortened } from "../dom.js";
import { formatCount, formatShort, strategyColour } from "../look.js";
import { heading, overSteps } from "../panel.js";
import { table } from "../table.js";

const kMostLines = 12; // in the chart; all runs are in the table

const rateRows = (run) =>
  run.learning.step
    .map((step, i) => ({ step, rate: 1000 / run.learning.ms_per_step[i], run: run.name }))
    .filter(({ rate }) => Number.isFinite(rate));

// Seconds of training, evaluations not counted.
function secondsOf({ learning: { step, ms_per_step } }) {
  let seconds = 0;
  step.forEach((s, i) => (seconds += ((s - (step[i - 1] ?? 0)) * (ms_per_step[i] ?? 0)) / 1000));
  return seconds;
}

const duration = (seconds) => {
  const whole = Math.round(seconds);
  if (whole < 60) return `${formatShort(seconds)} s`;
  if (whole < 3600) return `${Math.floor(whole / 60)} min ${whole % 60} s`;
  return `${Math.floor(whole / 3600)} h ${Math.floor((whole % 3600) / 60)} min`;
};

const factsOf = (run) => {
  const steps = run.learning.step.at(-1) ?? 0;
  const seconds = secondsOf(run);
  const batch = Number(new Map(run.config).get("train.batch"));
  return { steps, seconds, rate: steps / seconds, examples: (batch * steps) / seconds, bytes: run.checkpoint_bytes };
};

export function resources(study) {
  const runs = study.runs.filter((run) => rateRows(run).length > 0);
  if (runs.length === 0) return null;
  return {
    id: `${study.id}-resources`,
    title: "Time and size",
    caption:
      "How fast the runs trained, between one evaluation and the next, and what they took in all, without evaluations." +
      (runs.length > kMostLines ? ` The chart has the first ${kMostLines} runs, the table all of them.` : ""),
    panels: (_, width) => {
      const rows = runs.slice(0, kMostLines).flatMap(rateRows);
      const colour = (d) => strategyColour(d.run);
      return [
        Plot.plot({
          ...overSteps(width, 220),
          y: { label: "steps per second", grid: true, zero: true },
          marks: [
            Plot.line(rows, { x: "step", y: "rate", z: "run", stroke: colour, strokeWidth: 2 }),
            Plot.dot(rows, { x: "step", y: "rate", fill: colour, r: 2 }),
            heading("rate", width),
            Plot.tip(
              rows,
              Plot.pointerX({
                maxRadius: Infinity, // evaluations may lie far apart
                x: "step",
                y: "rate",
                title: (d) => `${shortened(d.run, 40)}\nstep ${formatCount(d.step)}\n${formatShort(d.rate)} steps/s`,
              }),
            ),
          ],
        }),
      ];
    },
    table: () =>
      h(
        "div",
        { class: "tall" },
        table(
          [
            { label: "run" },
            { label: "steps", number: true },
            { label: "training time", number: true },
            { label: "steps per second", number: true },
            { label: "examples per second", number: true },
            { label: "checkpoint", number: true },
          ],
          runs.map((run) => {
            const { steps, seconds, rate, examples, bytes } = factsOf(run);
            return [
              run.name,
              formatCount(steps),
              duration(seconds),
              formatShort(rate),
              formatCount(Math.round(examples)),
              bytes > 0 ? `${(bytes / 1e6).toFixed(1)} MB` : "–",
            ];
          }),
        ),
      ),
    csv: () => ({
      columns: ["run", "steps", "seconds", "steps_per_second", "examples_per_second", "checkpoint_bytes"],
      rows: runs.map((run) => {
        const { steps, seconds, rate, examples, bytes } = factsOf(run);
        return [run.name, steps, seconds, rate, examples, bytes];
      }),
    }),
  };
}
