// Which class is taken for which, by the relaxed and by the discrete network, and how often each class is right.
import * as Plot from "@observablehq/plot";
import { sum } from "d3";
import { shortened } from "../dom.js";
import { formatCount, formatPercent, kDiscrete, kRelaxed } from "../look.js";
import { heading, kTop } from "../panel.js";

export const answeredRuns = (study) => study.runs.filter((run) => run.answers !== null);

export const runChoice = (runs) => ({
  name: "run",
  label: "run",
  options: runs.map((run, value) => ({ value, label: shortened(run.name, 60) })),
});

// What the answers are about, for captions.
export const examplesText = (runs) => {
  const { examples, available, split } = runs[0].answers;
  if (examples === available) return `all ${formatCount(available)} examples of the ${split} set`;
  return `${formatCount(examples)} of the ${formatCount(available)} examples of the ${split} set, evenly spread`;
};

const kMostClasses = 30; // more names than that cannot be read beside a matrix

function matrix(title, confusion, classes, width) {
  const cells = confusion.flatMap((row, truth) =>
    row.map((count, predicted) => ({ truth, predicted, count, share: count / sum(row) })),
  );
  const name = (i) => shortened(classes[i], 14);
  const side = Math.min(width, 460);
  return Plot.plot({
    width: side,
    height: side + 40,
    marginTop: kTop,
    marginLeft: 88,
    marginBottom: 78,
    marginRight: 6,
    x: { label: "predicted", type: "band", tickFormat: name, tickRotate: -45, padding: 0.04 },
    y: { label: "true class", type: "band", tickFormat: name, padding: 0.04 },
    marks: [
      Plot.cell(cells, {
        x: "predicted",
        y: "truth",
        fill: (d) => (d.truth === d.predicted ? "#2a9d74" : "#d1495b"),
        fillOpacity: (d) => 0.06 + 0.94 * Math.sqrt(d.share || 0),
      }),
      classes.length <= 12
        ? Plot.text(cells, { x: "predicted", y: "truth", text: (d) => (d.count ? String(d.count) : ""), fontSize: 10 })
        : null,
      heading(title, side),
      Plot.tip(
        cells,
        Plot.pointer({
          x: "predicted",
          y: "truth",
          title: (d) =>
            `true ${shortened(classes[d.truth], 30)}\npredicted ${shortened(classes[d.predicted], 30)}\n` +
            `${formatCount(d.count)} examples, ${formatPercent(d.share || 0)} of the class`,
        }),
      ),
    ],
  });
}

function perClass(answers, width) {
  const rows = answers.classes.flatMap((name, c) =>
    ["relaxed", "discrete"].map((kind) => {
      const row = answers[kind].confusion[c];
      return { c, kind, share: row[c] / sum(row), count: sum(row) };
    }),
  );
  const name = (c) => shortened(answers.classes[c], 14);
  return Plot.plot({
    width,
    height: Math.max(190, 26 * answers.classes.length + 70),
    marginTop: kTop,
    marginLeft: 92,
    marginRight: 14,
    x: { label: "right (%)", domain: [0, 100], grid: true },
    y: { label: null, type: "band", tickFormat: name, domain: answers.classes.map((_, c) => c) },
    marks: [
      Plot.ruleY(answers.classes.map((_, c) => c), { y: (c) => c, strokeOpacity: 0.1 }),
      Plot.dot(rows, {
        x: (d) => 100 * d.share,
        y: "c",
        r: 5,
        stroke: (d) => (d.kind === "relaxed" ? kRelaxed : kDiscrete),
        fill: (d) => (d.kind === "relaxed" ? "none" : kDiscrete),
        strokeWidth: 2,
      }),
      heading("accuracy of each class", width),
      Plot.tip(
        rows,
        Plot.pointer({
          x: (d) => 100 * d.share,
          y: "c",
          title: (d) =>
            `${shortened(answers.classes[d.c], 30)}, ${d.kind}\n${formatPercent(d.share)} of ${formatCount(d.count)}`,
        }),
      ),
    ],
  });
}

export function confusion(study) {
  const runs = answeredRuns(study).filter((run) => run.answers.classes.length <= kMostClasses);
  if (runs.length === 0) return null;
  return {
    id: `${study.id}-confusion`,
    title: "Confusion",
    caption:
      `Which class was taken for which, on ${examplesText(runs)}. Each row is a true class, green where it is right. ` +
      "The third panel shows how often each class is right, relaxed as a ring and discrete as a dot.",
    choices: [runChoice(runs)],
    columns: 3,
    legend: () => [
      { label: "relaxed", colour: kRelaxed },
      { label: "discrete", colour: kDiscrete },
    ],
    panels: (state, width) => {
      const { answers } = runs[state.run];
      return [
        matrix("relaxed", answers.relaxed.confusion, answers.classes, width),
        matrix("discrete", answers.discrete.confusion, answers.classes, width),
        perClass(answers, width),
      ];
    },
    csv: () => ({
      columns: ["run", "network", "true", "predicted", "count"],
      rows: runs.flatMap(({ name, answers }) =>
        ["relaxed", "discrete"].flatMap((kind) =>
          answers[kind].confusion.flatMap((row, truth) =>
            row.map((count, predicted) => [name, kind, answers.classes[truth], answers.classes[predicted], count]),
          ),
        ),
      ),
    }),
  };
}
