// One neuron: the gates of its unit as a drawing, what they read, their truth table, and what it feeds.
import { h, shortened, svg } from "../dom.js";
import { gateValue, kNames, kSentences, kSigns } from "./gates.js";
import { countText, plural } from "./words.js";

const kMostReaders = 12;

// Heights of nodes above the taps, and their positions: taps side by side, a gate over the middle of what it reads.
function layoutOf({ taps, gates, operands }) {
  const level = Array(taps).fill(0);
  const x = Array.from({ length: taps }, (_, t) => t + 0.5);
  for (let g = 0; g < gates; ++g) {
    const [a, b] = [operands[2 * g], operands[2 * g + 1]];
    level.push(1 + Math.max(level[a], level[b]));
    x.push((x[a] + x[b]) / 2);
  }
  return { level, x, levels: Math.max(...level) };
}

export class Neuron {
  // choose({layer, unit, y, x}) shows another neuron; exampleRows(place) counts rows over the examples, or is null.
  // view() is a picture of what the chosen one can see of the input.
  constructor(model, inputNames, choose, exampleRows, view) {
    Object.assign(this, { model, inputNames, choose, exampleRows, view });
    this.element = h("div", { class: "neuron" });
    this.place = null;
    this.gate = 0;
  }

  // What an output is called; layer -1 is the input.
  name({ layer, unit, y, x }) {
    if (layer < 0) return this.inputNames.bit(unit, y, x);
    const { name, out } = this.model.layers.layers[layer];
    return `${name} · ${countText(unit)}${out[1] * out[2] > 1 ? ` at ${x}, ${y}` : ""}`;
  }

  show(place) {
    this.place = { position: 0, ...place };
    const layer = this.model.layers.layers[place.layer];
    this.gate = layer.gates - 1; // the one that the unit's output comes from
    this.rows = this.exampleRows(this.place);
    this.readers = this.model.layers.readers(this.place);
    this.draw();
  }

  // Values have changed, perhaps those that are shown here.
  update() {
    if (this.place !== null && this.signature() !== this.drawn) this.draw();
  }

  // All that can change while the same neuron is looked at.
  signature() {
    const { layers, planes } = this.model.layers;
    const shown = [this.place, ...this.readers.slice(0, kMostReaders)].map(
      ({ layer, unit, y, x }) => planes[layer + 1].words[planes[layer + 1].at(unit, y, x)] & 1,
    );
    for (let position = 0; position < layers[this.place.layer].placements; ++position)
      shown.push(...this.model.layers.nodes({ ...this.place, position }));
    return shown.join();
  }

  draw() {
    this.drawn = this.signature();
    const { place, model } = this;
    const layer = model.layers.layers[place.layer];
    const values = model.layers.nodes(place);
    const plane = model.layers.planes[place.layer + 1];
    const isOn = plane.words[plane.at(place.unit, place.y, place.x)] & 1;
    const shown = [
      h("h3", {}, this.name(place), h("span", { class: isOn ? "state on" : "state" }, isOn ? "on" : "off")),
      this.poolChoice(layer),
      h(
        "div",
        { class: "parts" },
        ...(layer.gates > 0
          ? [this.tree(layer, values), this.truthTable(layer, values)]
          : [h("p", {}, "It has no gate of its own: it passes on what it reads.")]),
        h("div", {}, this.inputs(layer, values), this.feeds()),
        h("div", {}, h("h4", {}, "It can see"), this.view()),
      ),
    ];
    this.element.replaceChildren(...shown.filter((child) => child !== null));
  }

  // An OR over neighbouring placements: each can be looked at.
  poolChoice(layer) {
    if (layer.placements === 1) return null;
    const button = (position) =>
      h(
        "button",
        {
          type: "button",
          "aria-pressed": String(position === this.place.position),
          class: this.model.layers.nodes({ ...this.place, position }).at(-1) & 1 ? "on" : "",
          onclick: () => this.show({ ...this.place, position }),
        },
        String(position + 1),
      );
    return h(
      "p",
      { class: "pool" },
      `On when at least one of ${layer.placements} neighbouring copies of this tree is on; you see copy `,
      Array.from({ length: layer.placements }, (_, position) => button(position)),
    );
  }

  tree(layer, values) {
    const { level, x, levels } = layoutOf(layer);
    const [dx, dy, radius] = [Math.max(46, 150 / layer.taps), 62, 21];
    const width = layer.taps * dx;
    const height = (levels + 1) * dy;
    const at = (node) => [x[node] * dx, height - dy / 2 - level[node] * dy];
    const lines = [];
    for (let g = 0; g < layer.gates; ++g)
      for (const side of [0, 1]) {
        const from = layer.operands[2 * g + side];
        const [[x1, y1], [x2, y2]] = [at(from), at(layer.taps + g)];
        lines.push(svg("line", { x1, y1, x2, y2, class: values[from] & 1 ? "wire on" : "wire" }));
      }
    const nodes = Array.from(values, (value, node) => {
      const [cx, cy] = at(node);
      const isTap = node < layer.taps;
      const gate = layer.opcodes[this.place.unit * layer.gates + node - layer.taps];
      const label = isTap ? String(node + 1) : kSigns[gate];
      const shape = isTap
        ? svg("rect", { x: cx - 13, y: cy - 13, width: 26, height: 26, rx: 5 })
        : svg("circle", { cx, cy, r: radius });
      const group = svg(
        "g",
        { class: `node ${value & 1 ? "on" : ""} ${node === layer.taps + this.gate ? "chosen" : ""}` },
        shape,
        svg("text", { x: cx, y: cy, "text-anchor": "middle", dy: "0.35em" }, label),
      );
      if (!isTap) {
        group.setAttribute("tabindex", "0");
        group.setAttribute("role", "button");
        group.setAttribute("aria-label", `gate ${node - layer.taps + 1}: ${kNames[gate]}`);
        const pick = () => ((this.gate = node - layer.taps), this.draw());
        group.addEventListener("click", pick);
        group.addEventListener("keydown", (event) => event.key === "Enter" && pick());
      }
      return group;
    });
    const size = { viewBox: `0 0 ${width} ${height}`, style: `max-width: ${1.15 * width}px` };
    return svg("svg", { class: "tree", ...size }, ...lines, ...nodes);
  }

  truthTable(layer, values) {
    const gate = layer.opcodes[this.place.unit * layer.gates + this.gate];
    const [a, b] = [0, 1].map((side) => layer.operands[2 * this.gate + side]);
    const current = 2 * (values[a] & 1) + (values[b] & 1);
    const counts = this.rows?.subarray(4 * this.gate, 4 * this.gate + 4) ?? null;
    const total = counts?.reduce((sum, count) => sum + count, 0) ?? 0;
    const operand = (node) => (node < layer.taps ? `input ${node + 1}` : `gate ${node - layer.taps + 1}`);
    const share = (part) =>
      h("td", { class: "share" }, h("i", { style: `width: ${60 * part}px` }), `${Math.round(100 * part)} %`);
    const row = (r) =>
      h(
        "tr",
        { class: r === current ? "now" : "" },
        h("td", {}, String(r >> 1)),
        h("td", {}, String(r & 1)),
        h("td", {}, h("b", {}, String(gateValue(gate, r >> 1, r & 1)))),
        counts === null ? null : share(counts[r] / total),
      );
    const columns = ["A", "B", "out", ...(counts === null ? [] : ["in the examples"])];
    return h(
      "div",
      {},
      h("h4", {}, `gate ${this.gate + 1}: ${kNames[gate]}`),
      h("p", { class: "note" }, `${kSentences[gate]}. A is ${operand(a)}, B is ${operand(b)}.`),
      h(
        "table",
        { class: "truth" },
        h("thead", {}, h("tr", {}, columns.map((text) => h("th", { scope: "col" }, text)))),
        h("tbody", {}, [0, 1, 2, 3].map(row)),
      ),
    );
  }

  link(place, isOn) {
    return h(
      "button",
      { type: "button", class: isOn ? "link on" : "link", onclick: () => this.choose(place) },
      this.name(place),
    );
  }

  inputs(layer, values) {
    const item = (t) => {
      const from = layer.place(this.place.unit, t, this.place.y, this.place.x, this.place.position);
      const place = { layer: this.place.layer - 1, unit: from.channel, y: from.y, x: from.x };
      const isOn = values[t] & 1;
      if (!layer.isInside(from)) return h("li", {}, "outside the picture: always off");
      if (place.layer < 0) return h("li", { class: isOn ? "on" : "" }, shortened(this.name(place), 60));
      return h("li", {}, this.link(place, isOn));
    };
    return h("div", {}, h("h4", {}, "It reads"), h("ol", {}, Array.from({ length: layer.taps }, (_, t) => item(t))));
  }

  feeds() {
    const { head, classes, layers } = this.model;
    if (this.place.layer === layers.layers.length - 1) {
      const [, height, width] = layers.layers.at(-1).out;
      const output = (this.place.unit * height + this.place.y) * width + this.place.x;
      const group = Math.floor(output / head.votes);
      const name = head.is_value ? "the value" : head.groups === 1 ? classes[1] : classes[group];
      return h("div", {}, h("h4", {}, "It feeds"), h("p", {}, `one vote for ${shortened(name, 60)}`));
    }
    const { readers } = this;
    if (readers.length === 0)
      return h("div", {}, h("h4", {}, "It feeds"), h("p", {}, "nothing: no later neuron reads it."));
    const plane = layers.planes[this.place.layer + 2];
    const more = readers.length - kMostReaders;
    return h(
      "div",
      {},
      h("h4", {}, `It feeds ${plural(readers.length, "neuron")}`),
      h(
        "p",
        { class: "links" },
        readers.slice(0, kMostReaders).map((r) => this.link(r, plane.words[plane.at(r.unit, r.y, r.x)] & 1)),
        more > 0 ? ` and ${countText(more)} more` : null,
      ),
    );
  }
}
