// Examples of the data: all of them predicted at once, 32 in a word, shown as a strip to flip through, saved as CSV.
import { csvText } from "../csv.js";
import { download, h, shortened } from "../dom.js";
import { countRows } from "./layers.js";
import { kLanes } from "./model.js";
import { paintPicture, pixelCanvas } from "./pixels.js";
import { unpackBytes, unpackFloats } from "./unpack.js";
import { countText, plural } from "./words.js";

export class Examples {
  static async unpack(stored, model) {
    const examples = new Examples();
    examples.model = model;
    Object.assign(examples, { numbers: stored.numbers, names: stored.names, source: stored.source });
    examples.values = await (model.encoder.values === "bytes" ? unpackBytes : unpackFloats)(stored.values);
    examples.truths = stored.numbers.map((_, i) => (model.head.is_value ? stored.targets : stored.labels)[i] ?? null);
    examples.predictAll();
    return examples;
  }

  get count() {
    return this.numbers.length;
  }
  sample(i) {
    const { features } = this.model.encoder;
    return this.values.subarray(i * features, (i + 1) * features);
  }

  // Words of encoded bits, one for each 32 examples, kept for questions about neurons.
  predictAll() {
    const { model } = this;
    this.blocks = [];
    this.counts = [];
    for (let first = 0; first < this.count; first += kLanes) {
      const lanes = Math.min(kLanes, this.count - first);
      const bits = new Int32Array(model.encoder.bits);
      for (let lane = 0; lane < lanes; ++lane) model.encoder.encode(this.sample(first + lane), bits, 1 << lane);
      this.blocks.push({ bits, lanes });
      const outputs = model.run(bits);
      for (let lane = 0; lane < lanes; ++lane) this.counts.push(model.count(outputs, lane));
    }
    this.answers = this.counts.map((counts) => model.head.decide(counts));
  }

  get labelled() {
    return this.truths.filter((truth) => truth !== null).length;
  }
  isRight(i) {
    return this.answers[i] === this.truths[i];
  }

  // How often each row of each gate of a neuron's unit occurs at its place.
  rowsOf(place) {
    if (this.count === 0) return null;
    const layer = this.model.layers.layers[place.layer];
    const counts = new Uint32Array(4 * layer.gates);
    for (const { bits, lanes } of this.blocks) {
      this.model.layers.run(bits, place.layer);
      countRows(layer, this.model.layers.nodes(place), lanes, counts);
    }
    return counts;
  }

  // As `firn predict --counts` writes it.
  csv() {
    const { head, classes } = this.model;
    const hasNames = this.names.length > 0;
    const labels = this.labelled > 0;
    const groups = head.groups === 1 ? [classes[1]] : classes;
    const columns = [hasNames ? "file" : "row", head.is_value ? "value" : "prediction"];
    if (labels) columns.push("label");
    columns.push(...(head.is_value ? ["count"] : groups.map((name) => `count_${name}`)));
    const name = (answer) => (answer === null ? "" : head.is_value ? answer : classes[answer]);
    const rows = this.numbers.map((number, i) => [
      hasNames ? this.names[i] : number,
      name(this.answers[i]),
      ...(labels ? [name(this.truths[i])] : []),
      ...this.counts[i],
    ]);
    return csvText({ columns, rows });
  }
}

// The strip: pictures as thumbnails, rows of tables as numbers.
export class Strip {
  // range of pixels; onChoose(i)
  constructor(examples, range, onChoose) {
    this.examples = examples;
    this.onChoose = onChoose;
    this.chosen = null;
    this.buttons = examples.numbers.map((_, i) => this.button(i, range));
    this.list = h("div", { class: "strip", role: "group", "aria-label": "examples" }, this.buttons);
    this.about = h("span", { class: "about" });
    const step = (by) => () => this.step(by);
    this.element = h(
      "div",
      { class: "examples" },
      h(
        "div",
        { class: "tools" },
        h("button", { type: "button", class: "previous", onclick: step(-1), "aria-label": "previous example" }, "◀"),
        h("button", { type: "button", class: "next", onclick: step(1), "aria-label": "next example" }, "▶"),
        this.about,
      ),
      this.list,
      this.summary(),
    );
  }

  button(i, range) {
    const { examples } = this;
    const [channels, height, width] = examples.model.shape;
    let face = String(examples.numbers[i]);
    if (width > 1) {
      face = pixelCanvas(width, height);
      paintPicture(face, examples.sample(i), [channels, height, width], ...range);
    }
    const isJudged = examples.truths[i] !== null && !examples.model.head.is_value;
    const verdict = !isJudged ? "" : examples.isRight(i) ? "right" : "wrong";
    return h(
      "button",
      {
        type: "button",
        class: `example ${verdict}`,
        "aria-label": `example ${examples.numbers[i]}`,
        onclick: () => this.choose(i),
      },
      face,
    );
  }

  summary() {
    const { examples } = this;
    const save = () => download("predictions.csv", "text/csv", examples.csv());
    const button = h("button", { type: "button", class: "save-csv", onclick: save }, "save all answers (CSV)");
    const parts = [plural(examples.count, "example")];
    if (examples.source) parts[0] += ` of ${shortened(examples.source, 60)}`;
    if (examples.labelled > 0 && !examples.model.head.is_value) {
      const right = examples.numbers.filter((_, i) => examples.truths[i] !== null && examples.isRight(i)).length;
      parts.push(`the circuit is right on ${countText(right)} of ${countText(examples.labelled)}`);
      const onchange = () => this.list.classList.toggle("mistakes", only.checked);
      const only = h("input", { type: "checkbox", onchange });
      return h("p", { class: "note" }, parts.join("; "), ". ", h("label", {}, only, " mistakes only "), button);
    }
    return h("p", { class: "note" }, parts.join("; "), ". ", button);
  }

  step(by) {
    const isFiltered = this.list.classList.contains("mistakes");
    const shown = [...this.buttons.keys()].filter((i) => !isFiltered || !this.examples.isRight(i));
    if (shown.length === 0) return;
    const at = shown.indexOf(this.chosen);
    this.choose(shown[(at + by + shown.length) % shown.length]);
  }

  // null: what is shown is not an example any more.
  mark(i) {
    if (this.chosen !== null) this.buttons[this.chosen].classList.remove("chosen");
    this.chosen = i;
    if (i === null) return (this.about.textContent = "your own");
    const button = this.buttons[i];
    button.classList.add("chosen");
    this.list.scrollTo({ left: button.offsetLeft - this.list.offsetLeft - this.list.clientWidth / 2 });
    const name = this.examples.names[i];
    this.about.textContent = name ? shortened(name, 40) : `example ${this.examples.numbers[i]}`;
  }

  choose(i) {
    this.mark(i);
    this.onChoose(i);
  }
}
