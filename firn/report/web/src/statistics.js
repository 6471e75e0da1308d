// Means with their spread, and step functions put on a common grid.
import { deviation, mean } from "d3";

// {count, mean, sd}; sd of the sample, undefined for one value.
export function summarize(values) {
  const numbers = values.filter((value) => value !== null && value !== undefined && Number.isFinite(value));
  return { count: numbers.length, mean: mean(numbers), sd: deviation(numbers) };
}

export function summaryText({ count, mean: middle, sd }, scale = 1) {
  if (count === 0) return "–";
  const number = (scale * middle).toFixed(2);
  return sd === undefined ? number : `${number} ± ${(scale * sd).toFixed(2)}`;
}

// The values of several curves at every step where all of them that have begun are known:
// [{step, values: [one for each curve]}]. Only steps that a curve has count for it.
export function alignedByStep(curves) {
  const rows = new Map();
  for (const { step, value } of curves)
    step.forEach((s, i) => {
      if (value[i] === null) return;
      if (!rows.has(s)) rows.set(s, []);
      rows.get(s).push(value[i]);
    });
  return [...rows].sort((a, b) => a[0] - b[0]).map(([step, values]) => ({ step, values }));
}

// Step functions on the union of their steps: [{step, mean, low, high}]. A curve counts from its first to its last step.
export function bandOfSteps(curves) {
  const steps = [...new Set(curves.flatMap(({ step }) => step))].sort((a, b) => a - b);
  const at = curves.map(() => -1);
  const rows = [];
  for (const step of steps) {
    const values = [];
    curves.forEach((curve, c) => {
      while (at[c] + 1 < curve.step.length && curve.step[at[c] + 1] <= step) ++at[c];
      if (at[c] >= 0 && step <= curve.step[curve.step.length - 1]) values.push(curve.value[at[c]]);
    });
    if (values.length > 0) rows.push({ step, mean: mean(values), low: Math.min(...values), high: Math.max(...values) });
  }
  return rows;
}
