// Strategy × model: the test accuracy of every strategy on every model, mean ± sample standard deviation over seeds.
import { table } from "../table.js";
import { strategyRank } from "../look.js";
import { summarize, summaryText } from "../statistics.js";

const kMeasures = [
  { value: "last", label: "discrete, last step", of: (run) => run.last?.discrete_accuracy },
  { value: "best", label: "discrete, best step on validation", of: (run) => (run.best ?? run.last)?.discrete_accuracy },
  { value: "relaxed", label: "relaxed, last step", of: (run) => run.last?.relaxed_accuracy },
];

// The cells of one column with the highest mean marked, where there is something to compare.
export function markBest(summaries) {
  const known = summaries.filter(({ count }) => count > 0);
  const highest = Math.max(...known.map(({ mean }) => mean));
  return summaries.map((summary) => ({
    text: summaryText(summary, 100),
    best: known.length > 1 && summary.count > 0 && summary.mean === highest,
    note: summary.count > 0 ? `${summary.count} run${summary.count === 1 ? "" : "s"}` : "no finished run",
  }));
}

const runsOf = (study, strategy) => study.runsOf(strategy, study.latestStart(strategy));

export function summary(studies) {
  if (!studies.some((study) => study.runs.some((run) => run.last))) return null;
  const strategies = [...new Set(studies.flatMap((study) => study.strategies))].sort(
    (a, b) => strategyRank(a) - strategyRank(b),
  );
  const several = studies.some((study) => study.starts.length > 1);
  return {
    id: "summary",
    title: "Test accuracy of every strategy",
    caption:
      "Accuracy on the test set in %, mean ± sample standard deviation over seeds; the highest mean of a column is marked." +
      (several
        ? " Where several starts of freezing were tried, this is the latest; the tables of sensitivity have all of them."
        : ""),
    choices: [{ name: "measure", label: "measure", options: kMeasures }],
    table: (state) => {
      const { of } = kMeasures.find(({ value }) => value === state.measure);
      const columns = studies.map((study) =>
        markBest(strategies.map((strategy) => summarize(runsOf(study, strategy).map(of)))),
      );
      return table(
        [{ label: "strategy" }, ...studies.map((study) => ({ label: study.label, number: true }))],
        strategies.map((strategy, s) => [strategy, ...columns.map((cells) => cells[s])]),
      );
    },
    csv: () => ({
      columns: ["model", "variant", "strategy", "start", "measure", "count", "mean", "deviation"],
      rows: studies.flatMap((study) =>
        strategies.flatMap((strategy) =>
          kMeasures.flatMap(({ value, of }) => {
            const { count, mean, sd } = summarize(runsOf(study, strategy).map(of));
            return count === 0
              ? []
              : [[study.model, study.variant, strategy, study.latestStart(strategy), value, count, mean, sd]];
          }),
        ),
      ),
    }),
  };
}
