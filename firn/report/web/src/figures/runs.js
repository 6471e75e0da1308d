// The runs of a study, one a line, with what distinguishes them and what they scored.
import { h } from "../dom.js";
import { formatCount, formatPoints } from "../look.js";
import { table } from "../table.js";

const kScores = ["step", "relaxed_accuracy", "relaxed_loss", "discrete_accuracy", "discrete_loss", "frozen"];
const text = (value, format) => (value === null || value === undefined ? "–" : format(value));

// In a window of its own, so that a hundred runs do not push everything else away.
function tableOf(points) {
  return table(
    [
      { label: "run" },
      { label: "strategy" },
      { label: "start", number: true },
      { label: "seed", number: true },
      { label: "step", number: true },
      { label: "relaxed", number: true },
      { label: "discrete", number: true },
      { label: "best step", number: true },
      { label: "discrete there", number: true },
      { label: "frozen (%)", number: true },
    ],
    points.map(({ run, strategy, start, seed }) => [
      run.name,
      strategy,
      strategy === "final-argmax" ? "–" : text(start, formatCount),
      seed,
      text(run.last?.step ?? run.learning.step.at(-1), formatCount),
      text(run.last?.relaxed_accuracy, formatPoints),
      text(run.last?.discrete_accuracy, formatPoints),
      text(run.best?.step, formatCount),
      text(run.best?.discrete_accuracy, formatPoints),
      text(run.last?.frozen, formatPoints),
    ]),
  );
}

export function runs(study) {
  const points = study.points.filter((point, i) => study.points.findIndex((p) => p.run === point.run) === i);
  return {
    id: `${study.id}-runs`,
    title: "Runs",
    caption:
      "Every run with its accuracy on the test set in % and the fraction of neurons in scope that were frozen at its end; a run that is not finished has none yet.",
    table: () => h("div", { class: "tall" }, tableOf(points)),
    csv: () => ({
      columns: ["run", "folder", "strategy", "start", "seed", ...kScores, "best_step", "best_discrete_accuracy"],
      rows: points.map(({ run, strategy, start, seed }) => [
        run.name,
        run.folder,
        strategy,
        start,
        seed,
        ...kScores.map((key) => run.last?.[key]),
        run.best?.step,
        run.best?.discrete_accuracy,
      ]),
    }),
  };
}
