// Sensitivity to the start of freezing: test accuracy of every strategy at every start that was tried.
import * as Plot from "@observablehq/plot";
import { shortened } from "../dom.js";
import { formatCount, formatStep, strategyColour } from "../look.js";
import { summarize, summaryText } from "../statistics.js";
import { table } from "../table.js";
import { markBest } from "./summary.js";

// There are few points on a wide panel, so the pointer finds them from afar.
const kReach = 150;

export function sensitivity(study) {
  if (study.starts.length < 2) return null;
  const rows = study.strategies.flatMap((strategy) =>
    study.starts.map((start) => ({
      strategy,
      start,
      ...summarize(study.runsOf(strategy, start).map((run) => run.last?.discrete_accuracy)),
    })),
  );
  const known = rows.filter(({ count }) => count > 0);
  if (known.length === 0) return null;
  const colour = (row) => strategyColour(row.strategy);
  return {
    id: `${study.id}-sensitivity`,
    title: "Sensitivity to the start of freezing",
    caption:
      "Discrete accuracy on the test set in % at the last step, by the step at which freezing starts; mean ± sample standard deviation over seeds, " +
      "the highest mean of a start marked. A strategy that does not freeze has the same value at every start.",
    columns: 1,
    legend: () => study.strategies.map((s) => ({ label: shortened(s, 40), colour: strategyColour(s) })),
    panels: (_, width) => [
      Plot.plot({
        width,
        height: Math.max(210, Math.min(320, 0.45 * width)),
        marginLeft: 44,
        x: { label: "start of freezing", type: "point", domain: study.starts, tickFormat: formatStep },
        y: { label: "discrete test accuracy (%)", grid: true, nice: true },
        marks: [
          Plot.ruleX(
            known.filter(({ sd }) => sd !== undefined),
            {
              x: "start",
              y1: (d) => 100 * (d.mean - d.sd),
              y2: (d) => 100 * (d.mean + d.sd),
              stroke: colour,
              strokeOpacity: 0.5,
              strokeWidth: 2,
            },
          ),
          Plot.line(known, { x: "start", y: (d) => 100 * d.mean, z: "strategy", stroke: colour, strokeWidth: 2 }),
          Plot.dot(known, { x: "start", y: (d) => 100 * d.mean, fill: colour, r: 3.5 }),
          Plot.tip(
            known,
            Plot.pointer({
              maxRadius: kReach,
              x: "start",
              y: (d) => 100 * d.mean,
              title: (d) =>
                `${shortened(d.strategy, 30)}, start ${formatCount(d.start)}\n${summaryText(d, 100)} %\n${d.count} runs`,
            }),
          ),
        ],
      }),
    ],
    table: () => {
      const columns = study.starts.map((start) => markBest(rows.filter((row) => row.start === start)));
      return table(
        [
          { label: "strategy" },
          ...study.starts.map((start) => ({ label: `start ${formatCount(start)}`, number: true })),
        ],
        study.strategies.map((strategy, s) => [strategy, ...columns.map((cells) => cells[s])]),
      );
    },
    csv: () => ({
      columns: ["strategy", "start", "count", "mean", "deviation"],
      rows: known.map(({ strategy, start, count, mean, sd }) => [strategy, start, count, mean, sd]),
    }),
  };
}
