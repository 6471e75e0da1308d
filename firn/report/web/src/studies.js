// Runs sorted into studies: one for each model and variant, in which strategies, starts and seeds are compared.
import { group } from "d3";
import { strategyRank } from "./look.js";

// What makes runs comparable rather than different, and what has no influence on a result.
const kCompared = ["name", "seed", "freeze.strategy", "freeze.start"];
const kHarmless = ["train.keep_at", "train.checkpoint_every", "train.eval_every"];
const kUnknown = "not recorded";

// A point is a run seen as one cell of a comparison; one run can stand for several, where a key has no effect on it.
function pointsOf(report) {
  const points = [];
  const seen = new Set();
  const add = (run, changes) => {
    const config = new Map([...report.runs[run].config, ...changes]);
    seen.add(run);
    points.push({
      run: report.runs[run],
      config,
      model: config.get("name") || report.runs[run].name,
      strategy: config.get("freeze.strategy") ?? kUnknown,
      start: config.has("freeze.start") ? Number(config.get("freeze.start")) : null,
      seed: config.get("seed") ?? "",
    });
  };
  for (const sweep of report.sweeps)
    for (const point of sweep.points)
      add(
        point.run,
        sweep.axes.map((key, a) => [key, point.values[a]]),
      );
  report.runs.forEach((_, run) => {
    if (!seen.has(run)) add(run, []);
  });
  return points;
}

// Keys with at least two different values; a key that a configuration does not have says nothing.
export function varyingKeys(configs, without = []) {
  const values = new Map();
  for (const config of configs)
    for (const [key, value] of config) {
      if (!values.has(key)) values.set(key, new Set());
      values.get(key).add(value);
    }
  return [...values].filter(([key, set]) => set.size > 1 && !without.includes(key)).map(([key]) => key);
}

const lastWord = (key) => key.slice(key.lastIndexOf(".") + 1);

class Study {
  constructor(id, model, variant, points) {
    this.id = id;
    this.model = model;
    this.variant = variant;
    this.points = points;
    this.strategies = [...new Set(points.map((p) => p.strategy))].sort((a, b) => strategyRank(a) - strategyRank(b));
    // Strategies that never freeze have the start of every other one.
    const freezing = points.filter((p) => p.strategy !== "final-argmax");
    const starts = new Set((freezing.length > 0 ? freezing : points).map((p) => p.start));
    this.starts = [...starts].sort((a, b) => a - b);
  }

  get label() {
    return this.variant ? `${this.model}, ${this.variant}` : this.model;
  }

  get runs() {
    return [...new Set(this.points.map((p) => p.run))];
  }

  runsOf(strategy, start) {
    const own = this.points.filter((p) => p.strategy === strategy);
    const at = own.filter((p) => p.start === start);
    return [...new Set((at.length === 0 && strategy === "final-argmax" ? own : at).map((p) => p.run))];
  }

  // The latest start at which the strategy was tried.
  latestStart(strategy) {
    return [...this.starts].reverse().find((start) => this.runsOf(strategy, start).length > 0);
  }
}

export function studiesOf(report) {
  const studies = [];
  for (const [model, points] of group(pointsOf(report), (p) => p.model)) {
    const keys = varyingKeys(
      points.map((p) => p.config),
      [...kCompared, ...kHarmless],
    );
    const variantOf = (p) =>
      keys
        .filter((key) => p.config.has(key))
        .map((key) => `${lastWord(key)} ${p.config.get(key)}`)
        .join(", ");
    for (const [variant, own] of group(points, variantOf))
      studies.push(new Study(`study-${studies.length + 1}`, model, variant, own));
  }
  return studies;
}
