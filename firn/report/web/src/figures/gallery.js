// Examples worth a look: where relaxed and discrete network disagree, and mistakes of which the discrete one is sure.
import { h, shortened } from "../dom.js";
import { formatCount } from "../look.js";
import { paintPicture, pixelCanvas } from "../play/pixels.js";
import { unpackBytes } from "../play/unpack.js";
import { answeredRuns, examplesText, runChoice } from "./confusion.js";

const kKinds = [
  { value: "mistakes", label: "most confident mistakes" },
  { value: "disagreements", label: "relaxed and discrete disagree" },
];
const percent = (probability) => `${Math.round(100 * probability)} %`;

// Pictures are unpacked after the page has been drawn, and painted when they are there.
function picture(answers, index) {
  const [channels, height, width] = answers.shape;
  const size = channels * height * width;
  const canvas = pixelCanvas(width, height, { class: "example", role: "img", "aria-label": "the example" });
  answers.unpacked ??= unpackBytes(answers.pixels);
  answers.unpacked.then((bytes) =>
    paintPicture(canvas, bytes.subarray(index * size, (index + 1) * size), answers.shape, 0, 255),
  );
  return canvas;
}

function card(answers, shown, index) {
  const name = (c) => shortened(answers.classes[c], 24);
  const line = (kind, predicted, probability) => {
    const words = `${kind}: ${name(predicted)}, ${percent(probability)}`;
    return h("div", { class: predicted === shown.label ? "good" : "bad" }, words);
  };
  return h(
    "div",
    { class: "shown", title: `example ${shown.number}` },
    answers.pixels === "" ? h("b", {}, `row ${formatCount(shown.number)}`) : picture(answers, index),
    h("div", {}, `is: ${name(shown.label)}`),
    line("discrete", shown.discrete, shown.discrete_probability),
    line("relaxed", shown.relaxed, shown.relaxed_probability),
  );
}

export function gallery(study) {
  const runs = answeredRuns(study);
  if (runs.length === 0) return null;
  return {
    id: `${study.id}-gallery`,
    title: "Examples worth a look",
    caption:
      `From ${examplesText(runs)}; the surest come first. Every card says what the example is, and what each network ` +
      "takes it for, with its probability.",
    choices: [runChoice(runs), { name: "kind", label: "show", options: kKinds }],
    table: (state) => {
      const { answers } = runs[state.run];
      const offset = state.kind === "mistakes" ? answers.disagreements.length : 0;
      const list = answers[state.kind];
      const all = answers[`all_${state.kind}`];
      return h(
        "div",
        {},
        h("p", { class: "note" }, `${formatCount(list.length)} of ${formatCount(all)} ${state.kind}`),
        h("div", { class: "gallery" }, list.map((shown, i) => card(answers, shown, offset + i))),
      );
    },
    csv: () => ({
      columns: ["run", "kind", "example", "label", "relaxed", "relaxed_probability", "discrete", "discrete_probability"],
      rows: runs.flatMap(({ name, answers }) =>
        kKinds.flatMap(({ value }) =>
          answers[value].map((s) => [
            name,
            value,
            s.number,
            answers.classes[s.label],
            answers.classes[s.relaxed],
            s.relaxed_probability,
            answers.classes[s.discrete],
            s.discrete_probability,
          ]),
        ),
      ),
    }),
  };
}
