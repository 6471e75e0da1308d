// Gaps: what it costs to make one layer discrete while the others stay relaxed, and what its gates are.
import { formatCount, formatShort } from "../look.js";
import { table } from "../table.js";
import { estimateText } from "./spearman.js";

export function gaps(parts, id) {
  const diagnosis = parts.find((part) => part.gaps.length > 0);
  if (!diagnosis) return null;
  const loss = (row) => row.loss.value - diagnosis.relaxed_loss.value;
  const points = (row) => 100 * (diagnosis.relaxed_accuracy.value - row.accuracy.value);
  const whole = 100 * (diagnosis.relaxed_accuracy.value - diagnosis.discrete_accuracy.value);
  return {
    id: `${id}-gaps`,
    title: "What one discrete layer costs",
    caption:
      `Each layer alone made discrete, on ${formatCount(diagnosis.samples.value)} samples: rise of the loss and accuracy points lost. The whole network loses ${whole.toFixed(2)} points ` +
      `(loss ${formatShort(diagnosis.relaxed_loss.value)} to ${formatShort(diagnosis.discrete_loss.value)}). Constant gates, gates that only pass or invert one operand, and gates that no output depends on are counted.`,
    table: () =>
      table(
        [
          { label: "layer" },
          { label: "neurons", number: true },
          { label: "loss", number: true },
          { label: "points", number: true },
          { label: "constant", number: true },
          { label: "wire or inverter", number: true },
          { label: "dead", number: true },
        ],
        diagnosis.gaps.map((row) => [
          row.layer,
          estimateText(row.neurons, formatCount),
          formatShort(loss(row)),
          points(row).toFixed(2),
          ...["constants", "wires", "dead"].map((key) => estimateText(row[key], formatShort)),
        ]),
      ),
    csv: () => ({
      columns: [
        "layer",
        "neurons",
        "frozen",
        "loss",
        "accuracy",
        "loss_gap",
        "accuracy_gap",
        "constants",
        "wires",
        "dead",
      ],
      rows: diagnosis.gaps.map((row) => [
        row.layer,
        row.neurons.value,
        row.frozen.value,
        row.loss.value,
        row.accuracy.value,
        loss(row),
        points(row) / 100,
        row.constants.value,
        row.wires.value,
        row.dead.value,
      ]),
    }),
  };
}
