// Predicting freeze effects: realized change of the loss against entropy, score of the selected slot, score of the argmax slot.
import * as Plot from "@observablehq/plot";
import { extent, interpolateViridis, interpolateYlGnBu, quantile, range } from "d3";
import { shortened } from "../dom.js";
import { formatCount, formatPower, formatScientific, formatShort, formatSigned } from "../look.js";
import { heading, kTop } from "../panel.js";

const kAll = "all layers";
const kSmallestEntropy = 1e-8;
const kPanels = [
  { key: "entropy", x: "entropy", y: "argmax_effect", title: "entropy → argmax", label: "gate entropy" },
  {
    key: "selected",
    x: "selected_score",
    y: "selected_effect",
    title: "score → selected slot",
    label: "score of the selected slot",
  },
  {
    key: "argmax",
    x: "argmax_score",
    y: "argmax_effect",
    title: "score → argmax slot",
    label: "score of the argmax slot",
  },
];

export const columnOf = (diagnosis, name) => diagnosis.neurons.find((column) => column.name === name).values;

// An axis through zero that is logarithmic on both sides: numbers below `constant` are as good as zero.
function signedAxis(values) {
  const sizes = values
    .map(Math.abs)
    .filter((v) => v > 0)
    .sort((a, b) => a - b);
  const constant = sizes.length > 0 ? 10 ** Math.floor(Math.log10(quantile(sizes, 0.2))) : 1;
  const [low, high] = extent(values);
  const decades = (limit) =>
    Math.abs(limit) <= constant ? [] : range(Math.log10(constant), Math.log10(Math.abs(limit)) + 0.01);
  const powers = [...decades(low).map((e) => [-1, e]), ...decades(high).map((e) => [1, e])];
  const stride = Math.ceil(powers.length / 6);
  const ticks = [
    0,
    ...powers
      .filter(([, e]) => Math.round(e - Math.log10(constant)) % stride === stride - 1)
      .map(([sign, e]) => sign * 10 ** Math.round(e)),
  ];
  return { type: "symlog", constant, ticks, tickFormat: formatScientific };
}

function entropyAxis() {
  return {
    type: "log",
    domain: [kSmallestEntropy, 1],
    ticks: [1e-8, 1e-6, 1e-4, 1e-2, 1],
    tickFormat: (v) => formatPower(Math.round(Math.log10(v))),
  };
}

function points(diagnosis, { x, y }, layer) {
  const xs = columnOf(diagnosis, x);
  const ys = columnOf(diagnosis, y);
  const wanted = diagnosis.layers.indexOf(layer);
  const rows = [];
  diagnosis.neuron_layer.forEach((own, i) => {
    if (wanted < 0 || own === wanted)
      rows.push({ x: x === "entropy" ? Math.max(xs[i], kSmallestEntropy) : xs[i], y: ys[i] });
  });
  return rows;
}

function rhoText(diagnosis, key, layer) {
  const row = diagnosis.effects.find((effect) => effect.layer === (layer === kAll ? "all" : layer));
  const rho = row?.[key].value;
  return rho === null || rho === undefined ? "ρ unknown" : `ρ = ${formatSigned(rho).replace("-", "−")}`;
}

function panel(diagnosis, spec, layer, width, dark) {
  const rows = points(diagnosis, spec, layer);
  const x = spec.x === "entropy" ? entropyAxis() : signedAxis(rows.map((row) => row.x));
  const y = signedAxis(rows.map((row) => row.y));
  // Where prediction and effect are equal; drawn with the axes' own bends.
  const [low, high] = extent(rows, (row) => row.x);
  const equal =
    spec.x === "entropy" ? [] : [...x.ticks, low, high].filter((v) => v >= low && v <= high).sort((a, b) => a - b);
  return Plot.plot({
    width,
    height: Math.max(250, 0.85 * width),
    marginTop: kTop,
    marginLeft: 52,
    marginBottom: 40,
    x: { label: spec.label, labelAnchor: "center", ...x },
    y: { label: "realized change of the loss", grid: true, ...y },
    color: {
      type: "log",
      interpolate: dark ? (t) => interpolateViridis(0.2 + 0.8 * t) : (t) => interpolateYlGnBu(0.25 + 0.75 * t),
    },
    marks: [
      Plot.ruleY([0], { strokeOpacity: 0.4 }),
      spec.x === "entropy" ? null : Plot.ruleX([0], { strokeOpacity: 0.4 }),
      Plot.hexagon(rows, Plot.hexbin({ fill: "count" }, { x: "x", y: "y", binWidth: 11, r: 6.2 })),
      Plot.line(equal, {
        x: (v) => v,
        y: (v) => v,
        stroke: "currentColor",
        strokeOpacity: 0.6,
        strokeDasharray: "3,3",
        clip: true,
      }),
      heading(`${spec.title}   ${rhoText(diagnosis, spec.key, layer)}`, width),
      Plot.tip(
        rows,
        Plot.pointer(
          Plot.hexbin(
            {
              title: (bin) =>
                `${formatCount(bin.length)} neuron${bin.length === 1 ? "" : "s"}\n${spec.label} about ${formatShort(bin[0].x)}\neffect about ${formatShort(bin[0].y)}`,
            },
            { x: "x", y: "y", binWidth: 11 },
          ),
        ),
      ),
    ],
  });
}

export function effects(parts, id) {
  const diagnosis = parts.find((part) => part.neurons.length > 0 && part.neuron_layer.length > 0);
  if (!diagnosis) return null;
  const samples = formatCount(diagnosis.samples.value);
  return {
    id: `${id}-effects`,
    title: "Predicting freeze effects",
    caption:
      `Each neuron replaced by one slot, everything else relaxed, on ${samples} samples: realized change of the loss against what is known beforehand. Left, the argmax slot against the ` +
      "entropy of its gate; in the middle, the slot with the lowest score against that score; right, the argmax slot against its score. ρ is Spearman's correlation over all neurons; the " +
      "dashed line is a perfect prediction. Cells that stand out more hold more neurons; the axes are logarithmic on both sides of zero." +
      (diagnosis.stride > 1 ? ` Every ${diagnosis.stride}th neuron is drawn.` : ""),
    choices: [
      {
        name: "layer",
        label: "layer",
        options: [kAll, ...diagnosis.layers].map((layer) => ({ value: layer, label: shortened(layer, 40) })),
      },
    ],
    columns: 3,
    panels: (state, width, dark) => kPanels.map((spec) => panel(diagnosis, spec, state.layer, width, dark)),
    csv: () => ({
      columns: ["layer", ...diagnosis.neurons.map(({ name }) => name)],
      rows: diagnosis.neuron_layer.map((layer, i) => [
        diagnosis.layers[layer],
        ...diagnosis.neurons.map(({ values }) => values[i]),
      ]),
    }),
  };
}
