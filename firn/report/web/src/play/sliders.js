// A row of a table that is shown to the circuit: one slider, switch or list per column, with the bits it becomes.
import { h, shortened } from "../dom.js";
import { numberText } from "./words.js";

const kMostColumns = 200;

export class Sliders {
  // columns: [{name, first, categories}]; ranges: [low, high] of every feature.
  constructor(encoder, columns, ranges, onChange) {
    this.encoder = encoder;
    this.ranges = ranges;
    this.values = Float32Array.from(ranges, ([low, high]) => (encoder.values === "bytes" ? low : (low + high) / 2));
    for (const { first, categories } of columns)
      categories.forEach((_, i) => (this.values[first + i] = ranges[first + i][i === 0 ? 1 : 0]));
    this.onChange = onChange;
    this.rows = columns.slice(0, kMostColumns).map((column) => this.row(column));
    const left = columns.length - this.rows.length;
    this.element = h(
      "div",
      { class: "sliders" },
      this.rows.map(({ element }) => element),
      left > 0 ? h("p", { class: "note" }, `${left} more columns keep the values of the example.`) : null,
    );
    this.show();
  }

  row(column) {
    const bits = h("span", { class: "bits", "aria-hidden": "true" });
    const made = this.control(column);
    const name = h("span", { class: "name", title: column.name }, shortened(column.name, 40));
    const element = h("label", { class: "column" }, name, made.control, made.text, bits);
    const features = Array.from({ length: Math.max(1, column.categories.length) }, (_, i) => column.first + i);
    return { element, bits, features, name: column.name, show: made.show };
  }

  control(column) {
    if (column.categories.length > 0) return this.list(column);
    return this.encoder.encoding === "passthrough" ? this.toggle(column) : this.slider(column);
  }

  slider({ first }) {
    const [low, high] = this.ranges[first];
    const text = h("output", {});
    const rounded = this.encoder.values === "bytes" ? Math.round : Number;
    const control = h("input", {
      type: "range",
      min: low,
      max: high,
      step: "any",
      oninput: () => this.change(() => (this.values[first] = rounded(control.value))),
    });
    const show = () => {
      control.value = this.values[first];
      text.textContent = numberText(this.values[first]);
    };
    return { control, text, show };
  }

  toggle({ first }) {
    const [low, high] = this.ranges[first];
    const onchange = () => this.change(() => (this.values[first] = control.checked ? high : low));
    const control = h("input", { type: "checkbox", onchange });
    return { control, text: h("output", {}), show: () => (control.checked = this.values[first] !== low) };
  }

  // An unknown category sets no feature.
  list({ first, categories }) {
    const one = (i) => this.ranges[first + i][1];
    const choose = (chosen) =>
      categories.forEach((_, i) => (this.values[first + i] = this.ranges[first + i][i === chosen ? 1 : 0]));
    const control = h(
      "select",
      { onchange: () => this.change(() => choose(control.selectedIndex)) },
      categories.map((category) => h("option", {}, shortened(category, 60))),
    );
    const show = () => (control.selectedIndex = categories.findIndex((_, i) => this.values[first + i] === one(i)));
    return { control, text: h("output", {}), show };
  }

  change(how) {
    how();
    this.show();
    this.onChange();
  }

  set(values) {
    this.values.set(values);
    this.show();
  }

  show() {
    for (const { bits, features, show } of this.rows) {
      show();
      const cells = features.flatMap((feature) =>
        Array.from({ length: this.encoder.bitsPerValue }, (_, t) => {
          const threshold = this.encoder.threshold(t, feature);
          const on = this.values[feature] > threshold;
          return h("i", { class: on ? "on" : "", title: `above ${numberText(threshold)}: ${on ? "yes" : "no"}` });
        }),
      );
      bits.replaceChildren(...cells);
    }
  }

  // Marks columns that an output can depend on. seen: [feature] of ones and zeros.
  showView(seen) {
    for (const { element, features } of this.rows)
      element.classList.toggle("seen", features.some((feature) => seen[feature]));
  }

  viewElement() {
    const seen = this.rows.filter(({ element }) => element.classList.contains("seen"));
    return h("p", {}, seen.map(({ name }) => shortened(name, 40)).join(", ") || "nothing");
  }
}
