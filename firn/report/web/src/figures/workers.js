// Who works on a sweep that many machines share, for pages that are watched.
import { formatCount } from "../look.js";
import { table } from "../table.js";

const workersOf = (report) => report.sweeps.flatMap((sweep) => sweep.workers);
const doing = (worker) => worker.run || "waits";

function lifeOf(worker) {
  if (worker.is_gone) return "gone";
  return worker.quiet < 5 ? "alive" : `quiet for ${formatCount(Math.round(worker.quiet))} s`;
}

function tableOf(workers) {
  return table(
    [
      { label: "worker" },
      { label: "does" },
      { label: "step", number: true },
      { label: "of", number: true },
      { label: "steps/s", number: true },
      { label: "sign of life" },
    ],
    workers.map((worker) => [
      worker.name,
      doing(worker),
      ...(worker.run ? [formatCount(worker.step), formatCount(worker.steps), worker.rate?.toFixed(1)] : ["", "", ""]),
      lifeOf(worker),
    ]),
  );
}

export function workers(report) {
  const all = workersOf(report);
  if (!report.live || all.length === 0) return null;
  const alive = all.filter((worker) => !worker.is_gone);
  return {
    id: "workers",
    title: `${alive.filter((worker) => worker.run).length} of ${alive.length} workers train`,
    caption:
      "What every worker of the sweep is doing. One that is quiet for as long as it may is gone, and others go on with its run.",
    table: () => tableOf(all),
    csv: () => ({
      columns: ["worker", "run", "step", "steps", "steps_per_second", "quiet_seconds", "gone"],
      rows: all.map((w) => [w.name, w.run, w.step, w.steps, w.rate, w.quiet, w.is_gone]),
    }),
  };
}
