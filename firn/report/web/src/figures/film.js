// Freezing as a film: every neuron is a dot that lights up when it is frozen; a slider is the time.
import { h, shortened } from "../dom.js";
import { formatCount, formatShort } from "../look.js";
import { kNames } from "../play/gates.js";
import { paintPixels, pixelCanvas, styleColour } from "../play/pixels.js";
import { runChoice } from "./confusion.js";

const kDot = 9; // pixels of the screen
const kHint = "Point at a dot to see when it was frozen, to which gate, and what that was predicted to do.";

// One layer: a canvas with a dot per neuron, in their order.
class LayerFilm {
  constructor(events, about) {
    this.events = events;
    this.about = about;
    this.count = Math.ceil(events.neurons / events.stride);
    this.at = new Map(events.neuron.map((neuron, i) => [neuron / events.stride, i]));
    this.canvas = pixelCanvas(1, 1, { class: "film" });
    this.canvas.addEventListener("pointermove", (event) => this.point(event));
    this.canvas.addEventListener("pointerleave", () => (this.about.textContent = kHint));
    this.text = h("span", { class: "note" });
    this.element = h("div", {}, h("h4", {}, shortened(events.layer, 40), " ", this.text), this.canvas);
  }

  fit(width) {
    this.columns = Math.max(1, Math.min(this.count, Math.floor(width / kDot)));
    this.canvas.width = this.columns;
    this.canvas.height = Math.ceil(this.count / this.columns);
    this.canvas.style.width = `${kDot * this.columns}px`;
  }

  point(event) {
    const box = this.canvas.getBoundingClientRect();
    const x = Math.floor(((event.clientX - box.left) / box.width) * this.canvas.width);
    const y = Math.floor(((event.clientY - box.top) / box.height) * this.canvas.height);
    const neuron = y * this.columns + x;
    if (neuron >= this.count) return;
    const i = this.at.get(neuron);
    const name = `${this.events.layer} · ${formatCount(neuron * this.events.stride)}`;
    const { step, gate, score, entropy } = this.events;
    this.about.textContent =
      i === undefined
        ? `${shortened(name, 60)}: never frozen`
        : `${shortened(name, 60)}: frozen at step ${formatCount(step[i])} to ${kNames[gate[i]]}; ` +
          `predicted change of the loss ${formatShort(score[i])}, entropy ${formatShort(entropy[i])}`;
  }

  draw(now, colours) {
    let frozen = 0;
    paintPixels(this.canvas, (data) => {
      for (let neuron = 0; neuron < this.count; ++neuron) {
        const i = this.at.get(neuron);
        const is = i !== undefined && this.events.step[i] <= now;
        frozen += is ? 1 : 0;
        data[neuron] = !is ? colours.off : this.events.score[i] > 0 ? colours.worse : colours.better;
      }
    });
    this.text.textContent = `${formatCount(frozen)} of ${formatCount(this.count)} frozen`;
  }
}

export function film(study) {
  const runs = study.runs.filter((run) => run.freezes.length > 0);
  if (runs.length === 0) return null;
  const isThinned = runs.some((run) => run.freezes.some(({ stride }) => stride > 1));
  return {
    id: `${study.id}-film`,
    title: "Freezing as a film",
    caption:
      "A dot per neuron, in the order of the layer: grey while it is a mixture, blue once it is frozen and the loss was " +
      "predicted to fall, red where it was predicted to rise. The slider is the time." +
      (isThinned ? " Of large layers only some neurons are drawn." : ""),
    choices: [runChoice(runs)],
    table: (state, width) => {
      const run = runs[state.run];
      const last = Math.max(...run.freezes.flatMap(({ step }) => step.at(-1)), run.learning.step.at(-1) ?? 0);
      const about = h("p", { class: "note", role: "status" }, kHint);
      const films = run.freezes.map((events) => new LayerFilm(events, about));
      for (const layer of films) layer.fit(width - 40);
      const colours = { off: styleColour("--line"), better: styleColour("--accent"), worse: styleColour("--wrong") };
      const time = h("output", {});
      const oninput = () => show();
      const slider = h("input", { type: "range", min: 0, max: last, value: last, "aria-label": "step", oninput });
      const show = () => {
        time.textContent = `step ${formatCount(Number(slider.value))}`;
        for (const layer of films) layer.draw(Number(slider.value), colours);
      };
      show();
      const elements = films.map(({ element }) => element);
      return h("div", { class: "films" }, h("div", { class: "time" }, slider, time), about, elements);
    },
    csv: () => ({
      columns: ["run", "layer", "neuron", "step", "gate", "score", "entropy"],
      rows: runs.flatMap((run) =>
        run.freezes.flatMap((f) =>
          f.neuron.map((n, i) => [run.name, f.layer, n, f.step[i], kNames[f.gate[i]], f.score[i], f.entropy[i]]),
        ),
      ),
    }),
  };
}
