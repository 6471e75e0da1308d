// A sweep at a glance: a tile per run with its curve so far, for pages that are watched.
import { h, shortened, svg } from "../dom.js";
import { formatCount, formatPercent, kDiscrete, kRelaxed } from "../look.js";

const [kWidth, kHeight] = [180, 64];

// A line through the values that are there, on axes that all tiles share.
function line(steps, values, steps_in_all, [low, high], colour, dash) {
  const x = (step) => (kWidth * step) / steps_in_all;
  const y = (value) => kHeight - 3 - ((kHeight - 6) * (value - low)) / (high - low || 1);
  const points = steps.map((step, i) => [step, values[i]]).filter(([, value]) => value !== null);
  return svg("polyline", {
    points: points.map(([step, value]) => `${x(step).toFixed(1)},${y(value).toFixed(1)}`).join(" "),
    fill: "none",
    stroke: colour,
    "stroke-width": 2,
    "stroke-dasharray": dash,
  });
}

const stepsOf = (run) => Number(new Map(run.config).get("train.steps")) || run.learning.step.at(-1) || 1;

function stateOf(run) {
  if (run.last !== null) return "done";
  return run.learning.step.length === 0 ? "waiting" : "running";
}

const workerOf = (report, run) =>
  report.sweeps.flatMap((sweep) => sweep.workers).find((worker) => worker.run === run.name && !worker.is_gone);

function tile(run, worker, range) {
  const { step, relaxed_accuracy, discrete_accuracy } = run.learning;
  const state = stateOf(run);
  const total = stepsOf(run);
  const accuracy = run.last?.discrete_accuracy ?? discrete_accuracy.at(-1);
  const words = state === "running" ? `step ${formatCount(step.at(-1))} of ${formatCount(total)}` : state;
  const drawing = svg(
    "svg",
    { viewBox: `0 0 ${kWidth} ${kHeight}`, role: "img", "aria-label": "accuracy so far" },
    line(step, relaxed_accuracy, total, range, kRelaxed, "4,3"),
    line(step, discrete_accuracy, total, range, kDiscrete, ""),
  );
  return h(
    "div",
    { class: `tile ${state}`, title: shortened(run.name, 1000) },
    h("div", { class: "name" }, shortened(run.name, 60)),
    drawing,
    h("div", { class: "numbers" }, h("b", {}, accuracy == null ? "–" : formatPercent(accuracy)), h("span", {}, words)),
    worker && state !== "done" ? h("div", { class: "name" }, `by ${shortened(worker.name, 60)}`) : null,
  );
}

export function tiles(report) {
  if (!report.live || report.runs.length < 2) return null;
  const values = report.runs.flatMap(({ learning }) => [...learning.relaxed_accuracy, ...learning.discrete_accuracy]);
  const numbers = values.filter((value) => value !== null);
  const range = numbers.length > 0 ? [Math.min(...numbers), Math.max(...numbers)] : [0, 1];
  const count = (state) => report.runs.filter((run) => stateOf(run) === state).length;
  return {
    id: "tiles",
    title: `${count("done")} of ${report.runs.length} runs done, ${count("running")} running`,
    caption:
      "Accuracy on the validation set so far, discrete as a line and relaxed dashed, on the same axes in every tile; " +
      "the number is the discrete accuracy, on the test set once a run is done.",
    table: () => h("div", { class: "tiles" }, report.runs.map((run) => tile(run, workerOf(report, run), range))),
    csv: () => ({
      columns: ["run", "state", "step", "steps", "discrete_accuracy"],
      rows: report.runs.map((run) => [
        run.name,
        stateOf(run),
        run.learning.step.at(-1),
        stepsOf(run),
        run.last?.discrete_accuracy ?? run.learning.discrete_accuracy.at(-1),
      ]),
    }),
  };
}
