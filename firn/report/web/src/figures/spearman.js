// Spearman's correlations of what is known before a freeze with what it does, layer by layer.
import { formatCount, formatShort, formatSigned } from "../look.js";
import { table } from "../table.js";

const kColumns = ["entropy", "selected", "argmax"];

export function estimateText({ value, low, high, sd }, format) {
  if (value === null || value === undefined) return "–";
  const text = format(value);
  if (sd !== undefined) return `${text} ± ${format(sd).replace("+", "")}`;
  return low === undefined || high === undefined ? text : `${text} [${format(low)}, ${format(high)}]`;
}

const signed = (value) => formatSigned(value).replace("-", "−");

export function spearman(parts, id) {
  const diagnosis = parts.find((part) => part.effects.length > 0);
  if (!diagnosis) return null;
  return {
    id: `${id}-spearman`,
    title: "Rank correlations with the realized effect",
    caption:
      "Spearman's correlation of the realized change of the loss with the gate entropy (argmax slot), with the score of the selected slot, and with the score of the argmax slot" +
      (diagnosis.is_average
        ? "; mean ± sample standard deviation over runs."
        : "; in brackets 95 % intervals from resampled neurons.") +
      " D is the median squared displacement.",
    table: () =>
      table(
        [
          { label: "layer" },
          { label: "neurons", number: true },
          { label: "entropy", number: true },
          { label: "selected slot", number: true },
          { label: "argmax slot", number: true },
          { label: "D argmax", number: true },
          { label: "D selected", number: true },
        ],
        diagnosis.effects.map((row) => [
          row.layer,
          estimateText(row.neurons, formatCount),
          ...kColumns.map((key) => estimateText(row[key], signed)),
          estimateText(row.argmax_displacement, formatShort),
          estimateText(row.selected_displacement, formatShort),
        ]),
      ),
    csv: () => ({
      columns: [
        "layer",
        "neurons",
        ...kColumns.flatMap((key) => [key, `${key}_low`, `${key}_high`, `${key}_deviation`]),
        "argmax_displacement",
        "selected_displacement",
      ],
      rows: diagnosis.effects.map((row) => [
        row.layer,
        row.neurons.value,
        ...kColumns.flatMap((key) => [row[key].value, row[key].low, row[key].high, row[key].sd]),
        row.argmax_displacement.value,
        row.selected_displacement.value,
      ]),
    }),
  };
}
