// Configuration diff: the keys in which runs differ, and what they have in common.
import { h, shortened } from "../dom.js";
import { table } from "../table.js";
import { varyingKeys } from "../studies.js";

const kMostValues = 8;

function valuesText(study, key) {
  const found = [...new Set(study.runs.map((run) => new Map(run.config).get(key)))];
  if (found.every((value) => value !== "" && Number.isFinite(Number(value)))) found.sort((a, b) => a - b);
  const values = found.map((value) => (value === undefined ? "not recorded" : value === "" ? "(empty)" : value));
  const shown = values
    .slice(0, kMostValues)
    .map((value) => shortened(value, 60))
    .join(", ");
  return values.length > kMostValues ? `${shown} and ${values.length - kMostValues} more` : shown;
}

export function configuration(report, studies) {
  const configs = report.runs.map((run) => new Map(run.config));
  if (configs.every((config) => config.size === 0)) return null;
  const different = varyingKeys(configs);
  const keys = [...new Set(configs.flatMap((config) => [...config.keys()]))];
  const common = keys
    .filter((key) => !different.includes(key))
    .map((key) => [key, configs.find((config) => config.has(key)).get(key)]);
  return {
    id: "configuration",
    title: different.length > 0 ? "What the configurations differ in" : "Configuration",
    caption:
      different.length > 0
        ? "Keys that have more than one value among the runs, with the values they take in each column; the list below holds the keys that are the same everywhere."
        : "There is nothing to compare: the runs have one configuration.",
    table: () => {
      const equal = table(
        [{ label: "key" }, { label: "value" }],
        common.map(([key, value]) => [key, value === "" ? "(empty)" : value]),
      );
      if (different.length === 0) return equal;
      const diff = table(
        [{ label: "key" }, ...studies.map((study) => ({ label: study.label }))],
        different.map((key) => [key, ...studies.map((study) => valuesText(study, key))]),
      );
      return h(
        "div",
        {},
        diff,
        h("details", {}, h("summary", {}, `${common.length} keys are the same in all ${configs.length} runs`), equal),
      );
    },
    csv: () => ({
      columns: ["key", ...report.runs.map((run) => run.name)],
      rows: [...different, ...common.map(([key]) => key)].map((key) => [
        key,
        ...configs.map((config) => config.get(key)),
      ]),
    }),
  };
}
