// Locality of first-order interventions: how far slots move a neuron, how that spoils predictions, and what is left on held-out data.
import * as Plot from "@observablehq/plot";
import { median, range } from "d3";
import { formatCount, formatPower, formatShort, kArgmax, kSelected } from "../look.js";
import { heading, kTop } from "../panel.js";
import { columnOf } from "./effects.js";

const kFirst = "#d1495b";
const kSecond = "#2a9d74";
const kSame = "#d68c1c";
const kOther = "#3d7fc4";
const kSmallest = -16; // decades; what moves less does not move

const note = (text, colour, line, anchor) =>
  Plot.text([text], {
    frameAnchor: anchor,
    dx: anchor.endsWith("left") ? 8 : -8,
    dy: 8 + 14 * line,
    fill: colour,
    fontSize: 11,
    textAnchor: anchor.endsWith("left") ? "start" : "end",
  });
const shape = (width) => ({
  width,
  height: Math.max(230, 0.78 * width),
  marginTop: kTop,
  marginLeft: 52,
  marginBottom: 38,
});

function displacementPanel(diagnosis, width) {
  const rows = [
    ["argmax_displacement", "argmax slot", kArgmax],
    ["selected_displacement", "selected slot", kSelected],
  ].map(([key, label, colour]) => {
    const values = columnOf(diagnosis, key);
    return {
      label,
      colour,
      middle: median(values),
      decades: values.map((d) => (d > 0 ? Math.max(kSmallest, Math.log10(d)) : kSmallest)),
    };
  });
  const bins = { thresholds: range(kSmallest, 0.6, 0.5) };
  return Plot.plot({
    ...shape(width),
    x: {
      label: "squared displacement D",
      labelAnchor: "center",
      ticks: range(kSmallest, 1, width > 300 ? 3 : 4),
      tickFormat: formatPower,
    },
    y: { label: "share of the neurons (%)", grid: true },
    marks: [
      ...rows.map(({ decades, colour, label }) =>
        Plot.rectY(
          decades,
          Plot.binX(
            {
              y: (bin, all) => (100 * bin.length) / decades.length,
              title: (bin) => `${label}\n${formatCount(bin.length)} neurons`,
            },
            { x: { value: (d) => d, ...bins }, fill: colour, fillOpacity: 0.55, tip: true },
          ),
        ),
      ),
      ...rows.map(({ middle, colour }) =>
        Plot.ruleX([Math.log10(Math.max(middle, 10 ** kSmallest))], {
          stroke: colour,
          strokeWidth: 2,
          strokeDasharray: "4,3",
        }),
      ),
      ...rows.map(({ label, middle, colour }, i) =>
        note(`${label}: median ${formatShort(middle)}`, colour, i, "top-left"),
      ),
      heading("a  How far slots move a neuron", width),
    ],
  });
}

// Bins with the geometric middle of their displacement; the first one has no lower end.
const binRows = (diagnosis) =>
  diagnosis.bins
    .filter((bin) => bin.slots.value > 0)
    .flatMap((bin) =>
      [
        ["first order", bin.first_error, kFirst],
        ["second order", bin.second_error, kSecond],
      ].map(([order, [p10, p50, p90], colour]) => ({
        order,
        colour,
        slots: bin.slots.value,
        from: bin.from.value,
        to: bin.to.value,
        d: bin.from.value > 0 ? Math.sqrt(bin.from.value * bin.to.value) : bin.to.value / 3,
        low: p10.value,
        middle: p50.value,
        high: p90.value,
      })),
    )
    .filter((row) => row.low > 0 && row.middle > 0 && row.high > 0);

function errorPanel(diagnosis, width) {
  const rows = binRows(diagnosis);
  const all = diagnosis.locality.find(({ layer }) => layer === "all");
  const rank = (estimate) =>
    estimate?.value === null || estimate?.value === undefined ? "unknown" : estimate.value.toFixed(2);
  const log = (label, ticks) => ({
    type: "log",
    label,
    ticks,
    tickFormat: (v) => (Math.abs(Math.log10(v) % 1) < 1e-9 ? formatPower(Math.round(Math.log10(v))) : ""),
  });
  return Plot.plot({
    ...shape(width),
    x: { ...log("squared displacement D", Math.floor(width / 60)), labelAnchor: "center" },
    y: { ...log("error of the prediction", 6), grid: true },
    marks: [
      Plot.areaY(rows, { x: "d", y1: "low", y2: "high", z: "order", fill: "colour", fillOpacity: 0.15 }),
      Plot.line(rows, { x: "d", y: "middle", z: "order", stroke: "colour", strokeWidth: 2 }),
      Plot.dot(rows, { x: "d", y: "middle", fill: "colour", r: 2.5 }),
      note(`first order: ρ = ${rank(all?.first_rank)}`, kFirst, 0, "top-left"),
      note(`second order: ρ = ${rank(all?.second_rank)}`, kSecond, 1, "top-left"),
      Plot.tip(
        rows,
        Plot.pointer({
          x: "d",
          y: "middle",
          title: (r) =>
            `${r.order}, ${formatCount(r.slots)} slots\nD ${formatShort(r.from)} to ${formatShort(r.to)}\nmedian error ${formatShort(r.middle)}\n10 to 90 %: ${formatShort(r.low)} to ${formatShort(r.high)}`,
        }),
      ),
      heading("b  Error by displacement", width),
    ],
  });
}

const winRows = (diagnosis) =>
  diagnosis.wins.flatMap((row) =>
    [
      ["same half", row.same_half, kSame],
      ["other half", row.other_half, kOther],
    ].map(([half, wins, colour]) => ({
      half,
      colour,
      fraction: row.fraction.value,
      wins: wins.value,
      choices: row.choices.value,
    })),
  );

function heldOutPanel(diagnosis, width) {
  const rows = winRows(diagnosis).filter(({ wins }) => wins !== null);
  return Plot.plot({
    ...shape(width),
    x: { label: "most local choices kept (%)", labelAnchor: "center", percent: true },
    y: { label: "wins over the argmax slot (%)", percent: true, grid: true, domain: [0, 100] },
    marks: [
      Plot.ruleY([0.5], { strokeDasharray: "3,3", strokeOpacity: 0.6 }),
      Plot.line(rows, { x: "fraction", y: "wins", z: "half", stroke: "colour", strokeWidth: 2 }),
      Plot.dot(rows, { x: "fraction", y: "wins", fill: "colour", r: 3 }),
      note("judged on the half that selected", kSame, 0, "top-right"),
      note("judged on the other half", kOther, 1, "top-right"),
      Plot.tip(
        rows,
        Plot.pointer({
          x: "fraction",
          y: "wins",
          title: (r) =>
            `${(100 * r.fraction).toFixed(0)} % most local: ${formatShort(r.choices)} choices\n${r.half}: ${(100 * r.wins).toFixed(1)} % wins`,
        }),
      ),
      heading("c  Selection on held-out data", width),
    ],
  });
}

export function locality(parts, id) {
  const moved = parts.find((part) => part.neuron_layer.length > 0);
  const errors = parts.find((part) => part.bins.length > 0);
  const judged = parts.find((part) => part.wins.length > 0);
  const missing = [
    [moved, "a needs the part effects"],
    [errors, "b needs the part locality"],
    [judged, "c needs the part heldout"],
  ]
    .filter(([part]) => !part)
    .map(([, text]) => text);
  if (missing.length === 3) return null;
  return {
    id: `${id}-locality`,
    title: "Locality of interventions",
    caption:
      "a: squared displacement of a neuron's output by its argmax slot and by the slot with the lowest score. b: error of the first- and second-order prediction over all sixteen slots of sampled " +
      "neurons, median with 10 and 90 % quantiles; ρ is the median over neurons of the rank correlation of error and displacement. c: where the selected slot is not the argmax slot, how often it " +
      "lowers the loss more, among the choices with the smallest displacement." +
      (missing.length > 0 ? ` Missing: ${missing.join(", ")} of firn diagnose.` : ""),
    columns: 3,
    panels: (_, width) => [
      ...(moved ? [displacementPanel(moved, width)] : []),
      ...(errors ? [errorPanel(errors, width)] : []),
      ...(judged ? [heldOutPanel(judged, width)] : []),
    ],
    csv: () => ({
      columns: ["panel", "series", "x", "low", "y", "high", "count"],
      rows: [
        ...(moved
          ? [
              ["a", "argmax slot", columnOf(moved, "argmax_displacement")],
              ["a", "selected slot", columnOf(moved, "selected_displacement")],
            ]
          : []
        ).flatMap(([panel, series, values]) => values.map((value) => [panel, series, value, null, null, null, 1])),
        ...(errors ? binRows(errors) : []).map((r) => ["b", r.order, r.d, r.low, r.middle, r.high, r.slots]),
        ...(judged ? winRows(judged) : []).map((r) => ["c", r.half, r.fraction, null, r.wins, null, r.choices]),
      ],
    }),
  };
}
