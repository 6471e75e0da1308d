// Flips of the discrete network: what changing one row of one gate would do to the loss, layer by layer.
import * as Plot from "@observablehq/plot";
import { formatCount, formatScientific, formatShort, formatSigned } from "../look.js";
import { heading, kTop } from "../panel.js";
import { table } from "../table.js";
import { estimateText } from "./spearman.js";

const kFitting = "#d68c1c";
const kHeldOut = "#3d7fc4";
const kSets = [
  { name: "fitting", label: "fitting examples", colour: kFitting, counts: (row) => row.fitting_counts },
  { name: "held out", label: "held-out examples", colour: kHeldOut, counts: (row) => row.held_out_counts },
];

const signed = (value) => formatSigned(value).replace("-", "−");
const percent = (part, whole) => (whole > 0 ? `${((100 * part) / whole).toFixed(1)} %` : "–");
const edgesOf = (diagnosis) => diagnosis.flip_edges.map(({ value }) => value);

// One row per bin and set of examples.
const binRows = (diagnosis, row) =>
  kSets.flatMap(({ name, colour, counts }) =>
    counts(row).map(({ value }, bin) => ({
      layer: row.layer,
      set: name,
      colour,
      bin,
      from: edgesOf(diagnosis)[bin],
      to: edgesOf(diagnosis)[bin + 1],
      flips: value,
      share: row.flips.value > 0 ? (100 * value) / row.flips.value : 0,
    })),
  );

// Bins are as wide as each other: the axis is logarithmic on both sides of the bin around zero.
function panel(diagnosis, row, width) {
  const edges = edgesOf(diagnosis);
  const rows = binRows(diagnosis, row);
  const middle = (edges.length - 1) / 2;
  // Where zero is left out, so that the many flips without effect do not flatten the others.
  const drawn = rows.filter(({ bin }) => bin !== Math.floor(middle));
  const still = rows.find(({ bin, set }) => bin === Math.floor(middle) && set === "fitting");
  // Every second decade, and zero; the innermost edges would run into it.
  const isLabelled = (v) => [0, -2, -4].some((decade) => Math.abs(Math.log10(Math.abs(v)) - decade) < 1e-6);
  const ticks = [...edges.keys()].filter((i) => isLabelled(edges[i])).concat(middle);
  return Plot.plot({
    width,
    height: Math.max(210, 0.66 * width),
    marginTop: kTop,
    marginLeft: 44,
    marginBottom: 38,
    x: {
      label: "change of the loss",
      labelAnchor: "center",
      domain: [0, edges.length - 1],
      ticks,
      tickFormat: (i) => (i === middle ? "0" : formatScientific(edges[i])),
    },
    y: { label: "share of the flips (%)", grid: true },
    marks: [
      Plot.rectY(drawn, {
        x1: (r) => r.bin + (r.set === "fitting" ? 0.06 : 0.5),
        x2: (r) => r.bin + (r.set === "fitting" ? 0.5 : 0.94),
        y: "share",
        fill: "colour",
      }),
      Plot.ruleX([middle], { strokeOpacity: 0.4, strokeDasharray: "3,3" }),
      Plot.tip(
        drawn,
        Plot.pointerX({
          x: (r) => r.bin + (r.set === "fitting" ? 0.28 : 0.72),
          y: "share",
          title: (r) =>
            `${r.set}: ${formatShort(r.from)} to ${formatShort(r.to)}\n${formatShort(r.flips)} flips, ${r.share.toFixed(2)} %`,
        }),
      ),
      heading(`${row.layer}: ${still.share.toFixed(0)} % change nothing`, width),
    ],
  });
}

export function discrete(parts, id) {
  const diagnosis = parts.find((part) => part.flips.length > 0);
  if (!diagnosis) return null;
  return {
    id: `${id}-discrete`,
    title: "Flips of the discrete network",
    caption:
      `What flipping one row of one gate's truth table does to the loss, measured exactly on ${formatCount(diagnosis.fitting_examples.value)} training examples and on ` +
      `${formatCount(diagnosis.held_out_examples.value)} held-out ones. The axis is logarithmic on both sides of zero; flips that change the loss by less than its innermost edges are not drawn. ` +
      "Left of zero lies what could still be gained: a flip is significant when it lowers the loss of the training examples by more than two standard errors. Correlations are Spearman's, with the " +
      "effect on training examples: of the effect on held-out ones, of the score difference, of the effect in the relaxed network, and of the entropy. Scores and relaxed effects come from at most " +
      "1,000 of the training examples, which alone lowers their correlations.",
    columns: 3,
    legend: () => kSets.map(({ label, colour }) => ({ label, colour })),
    panels: (_, width) => diagnosis.flips.map((row) => panel(diagnosis, row, width)),
    table: () =>
      table(
        [
          { label: "layer" },
          { label: "gates", number: true },
          { label: "flips", number: true },
          { label: "lower the loss", number: true },
          { label: "held out too", number: true },
          { label: "significant", number: true },
          { label: "held out too", number: true },
          { label: "gates with one", number: true },
          { label: "held out", number: true },
          { label: "score", number: true },
          { label: "relaxed effect", number: true },
          { label: "entropy", number: true },
        ],
        diagnosis.flips.map((row) => [
          row.layer,
          estimateText(row.gates, formatCount),
          estimateText(row.flips, formatCount),
          percent(row.lower.value, row.flips.value),
          percent(row.lower_held_out.value, row.lower.value),
          percent(row.significant.value, row.flips.value),
          percent(row.significant_held_out.value, row.significant.value),
          percent(row.significant_gates.value, row.gates.value),
          ...["held_out", "score", "relaxed_effect", "entropy"].map((key) => estimateText(row[key], signed)),
        ]),
      ),
    csv: () => ({
      columns: ["layer", "examples", "from", "to", "flips"],
      rows: diagnosis.flips.flatMap((row) =>
        binRows(diagnosis, row).map((r) => [r.layer, r.set, r.from, r.to, r.flips]),
      ),
    }),
  };
}
