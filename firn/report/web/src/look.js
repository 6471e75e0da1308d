// Colours and number formats that all figures share.
import { format } from "d3";

// The paper's order, so that tables and legends read alike everywhere.
const kOrder = [
  "task",
  "entropy",
  "global",
  "layer-entropy",
  "final-argmax",
  "cage",
  "hard-st",
  "gumbel-st",
  "soft-gumbel",
  "annealed",
];
const kColours = [
  "#d1495b",
  "#3d7fc4",
  "#2a9d74",
  "#9a6fc4",
  "#7d8590",
  "#d68c1c",
  "#17a2b8",
  "#c45ea0",
  "#8a9a3b",
  "#a0694b",
];

export function strategyRank(name) {
  const at = kOrder.indexOf(name);
  return at < 0 ? kOrder.length : at;
}

export function strategyColour(name) {
  const at = kOrder.indexOf(name);
  if (at >= 0) return kColours[at];
  let sum = 0;
  for (const character of name) sum = (sum * 31 + character.codePointAt(0)) % 997;
  return kColours[sum % kColours.length];
}

export const kRelaxed = "#d68c1c";
export const kDiscrete = "#3d7fc4";
export const kArgmax = "#3d7fc4";
export const kSelected = "#d1495b";

export const formatCount = format(",");
export const formatStep = (step) =>
  step >= 1e6 ? format("~s")(step) : step >= 1e3 ? `${format("~r")(step / 1e3)}k` : String(step);
export const formatPercent = (fraction) => `${format(".2f")(100 * fraction)} %`;
export const formatPoints = (fraction) => format(".2f")(100 * fraction);
export const formatSigned = format("+.2f");

const kSuperscripts = "⁰¹²³⁴⁵⁶⁷⁸⁹";
const superscript = (n) => (n < 0 ? "⁻" : "") + [...String(Math.abs(n))].map((d) => kSuperscripts[d]).join("");

export const formatPower = (exponent) => `10${superscript(exponent)}`;

// 0, ±10^k where that is exact, else a short number.
export function formatScientific(value) {
  if (value === 0) return "0";
  const exponent = Math.round(Math.log10(Math.abs(value)));
  const sign = value < 0 ? "−" : "";
  return Math.abs(Math.abs(value) / 10 ** exponent - 1) < 1e-9 ? sign + formatPower(exponent) : formatShort(value);
}

export function formatShort(value) {
  if (value === null || value === undefined || Number.isNaN(value)) return "–";
  if (value === 0) return "0";
  const size = Math.abs(value);
  if (size >= 1e-3 && size < 1e5) return format(".4~g")(value).replace("-", "−");
  const exponent = Math.floor(Math.log10(size));
  return `${format(".1f")(value / 10 ** exponent).replace("-", "−")}·${formatPower(exponent)}`;
}
