// Two runs side by side: what they were told, what they reached, and by how much they differ.
import * as Plot from "@observablehq/plot";
import { h, shortened } from "../dom.js";
import { formatCount, formatPercent, formatPoints, formatShort } from "../look.js";
import { heading, overSteps } from "../panel.js";
import { table } from "../table.js";

const kColours = ["#3d7fc4", "#d1495b"];

const points = (difference) => `${formatPoints(difference)} points`;

const accuracy = { text: formatPercent, gap: points, better: 1 };
const kResults = [
  { label: "discrete test accuracy", of: (run) => run.last?.discrete_accuracy, ...accuracy },
  { label: "relaxed test accuracy", of: (run) => run.last?.relaxed_accuracy, ...accuracy },
  { label: "discrete test loss", of: (run) => run.last?.discrete_loss, text: formatShort, gap: formatShort, better: -1 },
  { label: "discrete accuracy, best step", of: (run) => run.best?.discrete_accuracy, ...accuracy },
  { label: "validation accuracy, discrete", of: (run) => run.learning.discrete_accuracy.at(-1), ...accuracy },
  { label: "steps", of: (run) => run.learning.step.at(-1), text: formatCount, gap: formatCount, better: 0 },
  { label: "frozen at the end", of: (run) => run.last?.frozen, ...accuracy, better: 0 },
];

const known = (value) => value !== null && value !== undefined;

function resultRows(pair) {
  return kResults
    .map(({ of, ...result }) => ({ ...result, values: pair.map(of) }))
    .filter(({ values }) => values.some(known))
    .map(({ label, values: [a, b], text, gap, better }) => {
      const difference = known(a) && known(b) ? b - a : null;
      const cell = (value, gain) => ({ text: known(value) ? text(value) : "–", best: gain > 0 });
      const gain = difference === null ? 0 : better * difference;
      const sign = difference > 0 ? "+" : "−";
      const words = difference === null ? "–" : difference === 0 ? "same" : sign + gap(Math.abs(difference));
      return [label, cell(a, -gain), cell(b, gain), words];
    });
}

function settingRows(pair) {
  const configs = pair.map((run) => new Map(run.config));
  const keys = [...new Set(configs.flatMap((config) => [...config.keys()]))];
  const text = (value) => (value === undefined ? "not recorded" : value === "" ? "(empty)" : value);
  return keys
    .filter((key) => configs[0].get(key) !== configs[1].get(key))
    .map((key) => [key, ...configs.map((config) => text(config.get(key))), "differs"]);
}

function curves(pair, width) {
  const rows = pair.flatMap((run, r) =>
    run.learning.step.map((step, i) => ({ step, value: run.learning.discrete_accuracy[i], r })),
  );
  const percent = (d) => (d.value === null ? NaN : 100 * d.value);
  return Plot.plot({
    ...overSteps(width, 280),
    y: { label: "discrete accuracy (%)", grid: true, nice: true },
    marks: [
      Plot.line(rows, { x: "step", y: percent, z: "r", stroke: (d) => kColours[d.r], strokeWidth: 2 }),
      Plot.dot(rows, { x: "step", y: percent, fill: (d) => kColours[d.r], r: 2.5 }),
      heading("on the validation set", width),
      Plot.tip(
        rows,
        Plot.pointerX({
          maxRadius: Infinity, // evaluations may lie far apart
          x: "step",
          y: percent,
          title: (d) =>
            `${shortened(pair[d.r].name, 40)}\nstep ${formatCount(d.step)}\n${formatPercent(d.value ?? NaN)}`,
        }),
      ),
    ],
  });
}

export function sideBySide(report) {
  const { runs } = report;
  if (runs.length < 2) return null;
  const options = runs.map((run, value) => ({ value, label: shortened(run.name, 60) }));
  const second = [...options.slice(1), options[0]];
  const pairOf = (state) => [runs[state.first], runs[state.second]];
  return {
    id: "side-by-side",
    title: "Two runs side by side",
    caption:
      "What two runs reached, the better value marked, and every setting in which they differ; " +
      "settings that are not listed are the same.",
    choices: [
      { name: "first", label: "compare", options },
      { name: "second", label: "with", options: second },
    ],
    legend: (state) => pairOf(state).map((run, r) => ({ label: shortened(run.name, 60), colour: kColours[r] })),
    panels: (state, width) => [curves(pairOf(state), width)],
    table: (state) => {
      const pair = pairOf(state);
      const settings = settingRows(pair);
      const columns = (first, number) => [{ label: first }, ...pair.map((run) => ({ label: run.name, number }))];
      const results = table([...columns("", true), { label: "difference", number: true }], resultRows(pair));
      if (settings.length === 0) return h("div", {}, results, h("h4", {}, "all settings are the same"));
      const differing = table(
        columns("key", false),
        settings.map((row) => row.slice(0, 3)),
      );
      return h("div", {}, results, h("h4", {}, "settings that differ"), differing);
    },
    csv: (state) => {
      const pair = pairOf(state);
      return {
        columns: ["what", pair[0].name, pair[1].name, "difference"],
        rows: [...resultRows(pair), ...settingRows(pair)].map((row) => row.map((cell) => cell.text ?? cell)),
      };
    },
  };
}
