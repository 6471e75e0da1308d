// The page: unpacks a model, shows what it is given, and runs it whenever that changes.
import { h, named, shortened } from "../dom.js";
import { onSystemTheme, themeButton } from "../theme.js";
import { Examples, Strip } from "./examples.js";
import { readsA, readsB } from "./gates.js";
import { mapColours, PlaneMap } from "./maps.js";
import { Model } from "./model.js";
import { Neuron } from "./neuron.js";
import { Picture } from "./picture.js";
import { Sliders } from "./sliders.js";
import { Votes } from "./votes.js";
import { countText, InputNames, numberText, plural } from "./words.js";

const root = document.getElementById("page");

// Smallest and largest value that examples and thresholds know: of each feature, or of all.
function rangesOf(encoder, examples) {
  const ranges = Array.from({ length: encoder.features }, (_, f) => {
    const known = encoder.thresholds.map((_, t) => encoder.threshold(t, f));
    for (let i = 0; i < examples.count; ++i) known.push(examples.sample(i)[f]);
    const [low, high] = [Math.min(...known), Math.max(...known)];
    return low < high ? [low, high] : [low, low + 1];
  });
  if (encoder.values === "bytes") {
    const high = encoder.encoding === "passthrough" ? Math.max(...ranges.map(([, most]) => most)) : 255;
    return ranges.map(() => [0, high]);
  }
  return ranges;
}

class Play {
  constructor(stored, model, examples) {
    Object.assign(this, { stored, model, examples });
    this.bits = new Int32Array(model.encoder.bits);
    this.names = new InputNames(model.encoder, stored.columns);
    this.truth = null;
    this.chosen = null; // neuron
    const ranges = rangesOf(model.encoder, examples);
    const whole = [Math.min(...ranges.map(([low]) => low)), Math.max(...ranges.map(([, high]) => high))];
    this.isPicture = model.shape[2] > 1;
    const changed = () => (this.leaveExample(), this.requestUpdate());
    this.input = this.isPicture
      ? new Picture(model.encoder, whole, changed)
      : new Sliders(model.encoder, this.columns(), ranges, changed);
    this.strip = examples.count > 0 ? new Strip(examples, whole, (i) => this.showExample(i)) : null;
    this.votes = new Votes(model);
    this.neuron = new Neuron(
      model,
      this.names,
      (place) => this.chooseNeuron(place),
      (place) => this.rowsOf(place),
      () => this.input.viewElement(),
    );
    this.maps = []; // of the input and all layers, some of several parts
    this.abouts = []; // how many of a layer are on
    this.speed = h("span", { id: "speed" });
  }

  columns() {
    if (this.stored.columns.length > 0) return this.stored.columns;
    return Array.from({ length: this.model.encoder.features }, (_, f) => ({
      name: this.names.feature(f),
      first: f,
      categories: [],
    }));
  }

  render() {
    root.replaceChildren(
      this.header(),
      h("div", { class: "two" }, this.card("input"), this.card("vote")),
      ...(this.isPicture ? [this.card("bits")] : []), // those of tables stand beside their sliders
      this.card("layers"),
      this.card("neuron"),
      h("footer", {}, "Made by Firn. Nothing on this page was fetched, and nothing leaves it."),
    );
    this.fit();
    this.strip === null ? this.update() : this.strip.choose(0);
    this.chooseNeuron(this.firstNeuron());
    new ResizeObserver(() => this.refit()).observe(root);
    onSystemTheme(() => this.repaint());
  }

  get what() {
    return this.isPicture ? "picture" : "row";
  }

  header() {
    return h(
      "header",
      {},
      h("div", { class: "title" }, named("h1", this.stored.title), themeButton(() => this.repaint())),
      h(
        "p",
        { class: "intro" },
        h("b", {}, `${plural(this.model.gates, "logic gate")}, not one multiplication. `),
        "This is a circuit that learned from examples: on and off signals, joined by AND, OR, XOR and NOT. " +
          `It runs here, in your browser. Change the ${this.what} and watch it make up its mind.`,
      ),
    );
  }

  // A part of the page, numbered in the order in which parts are made.
  card(id) {
    const { title, lead, body } = this.parts()[id];
    this.cards = (this.cards ?? 0) + 1;
    const heading = h("h2", {}, `${this.cards} · ${title}`);
    return h("section", { id, class: "card" }, heading, h("p", { class: "lead" }, lead), body());
  }

  parts() {
    return {
      input: {
        title: "Show it something",
        lead: this.inputLead(),
        body: () => [this.input.element, this.strip?.element ?? null],
      },
      vote: {
        title: "The gates vote",
        lead: this.voteLead(),
        body: () => [this.votes.element, h("p", { class: "note" }, this.speed)],
      },
      bits: { title: "What it sees: only on and off", lead: this.bitsLead(), body: () => this.bitMaps() },
      layers: {
        title: "Layer by layer, until the vote",
        lead:
          "Every dot is one signal, and a blue one is on. Each gate reads two dots of the layer before. " +
          "Click a dot to see why it is on or off.",
        body: () => this.layerMaps(),
      },
      neuron: {
        title: "One neuron",
        lead:
          "A neuron is a gate, or a small tree of gates. " +
          `Orange marks what it can see of the ${this.what}, through all layers before it.`,
        body: () => this.neuron.element,
      },
    };
  }

  inputLead() {
    if (!this.isPicture)
      return "Change a value, or pick an example. The small squares beside it are the bits that the circuit gets.";
    const [, height, width] = this.model.shape;
    return (
      "Draw with mouse or finger, drop a picture, or pick an example. " +
      `The ${countText(width * height)} pixels (${width} × ${height}) are all it gets.`
    );
  }

  voteLead() {
    const { head, classes } = this.model;
    const votes = countText(head.votes);
    if (head.is_value) return `${votes} gates at the end are counted; the more are on, the larger the answer.`;
    if (head.groups === 1)
      return `${votes} gates at the end vote for ${shortened(classes[1], 40)}. Enough votes, and that is the answer.`;
    return `Each class has ${votes} gates at the end. A gate that is on is a vote; most votes win.`;
  }

  bitsLead() {
    const { encoder } = this.model;
    const each = this.isPicture ? (encoder.shape[0] === 3 ? "colour of a pixel" : "pixel") : "value";
    const bits = encoder.bitsPerValue === 1 ? "one bit" : `${encoder.bitsPerValue} bits`;
    return (
      `Gates know nothing else. Every ${each} becomes ${bits}: is it above ` +
      (encoder.bitsPerValue === 1 ? "a threshold?" : "the first threshold, above the second, and so on?")
    );
  }

  // One map per bit of a value, channels side by side.
  bitMaps() {
    const { encoder, layers } = this.model;
    const channels = encoder.shape[0];
    const describe = (channel, y, x) =>
      `${this.names.bit(channel, y, x)}: ${this.inputBit(channel, y, x) ? "yes" : "no"}`;
    const grid = h("div", { class: "maps" });
    for (let t = 0; t < encoder.bitsPerValue; ++t) {
      const map = new PlaneMap(layers.planes[0], [t * channels, (t + 1) * channels], describe, null);
      this.maps.push({ map, layer: -1 });
      grid.append(h("div", {}, h("h3", {}, this.bitTitle(t)), map.element));
    }
    return grid;
  }

  bitTitle(t) {
    const { encoding, thresholds } = this.model.encoder;
    if (encoding === "passthrough") return "as they are";
    if (thresholds[t].length > 1) return `above threshold ${t + 1}`;
    return `above ${numberText(thresholds[t][0])}`;
  }

  inputBit(channel, y, x) {
    const plane = this.model.layers.planes[0];
    return plane.words[plane.at(channel, y, x)] & 1;
  }

  layerMaps() {
    const { layers } = this.model.layers;
    return h(
      "div",
      { class: "layers" },
      layers.map((layer, l) => {
        const isLast = l === layers.length - 1;
        const about = h("span", { class: "note" });
        const isBallot = isLast && this.model.head.groups > 1 && layer.out[1] * layer.out[2] === 1;
        const body = isBallot ? this.ballots(l) : [this.layerMap(l, [0, layer.units])];
        this.abouts.push({ element: about, layer: l, total: layer.units * layer.out[1] * layer.out[2] });
        return h("div", { class: "layer" }, h("h3", {}, layer.name, " ", about), body);
      }),
    );
  }

  layerMap(l, channels) {
    const plane = this.model.layers.planes[l + 1];
    const describe = (unit, y, x) => {
      const isOn = plane.words[plane.at(unit, y, x)] & 1;
      return `${this.neuron.name({ layer: l, unit, y, x })}: ${isOn ? "on" : "off"}`;
    };
    const map = new PlaneMap(plane, channels, describe, (unit, y, x) => this.goToNeuron({ layer: l, unit, y, x }));
    this.maps.push({ map, layer: l });
    return map.element;
  }

  // The last layer, one class below the other: what is on is a vote.
  ballots(l) {
    const { head, classes } = this.model;
    return classes.map((name, g) =>
      h(
        "div",
        { class: "ballot" },
        h("span", { class: "name", title: name }, shortened(name, 24)),
        this.layerMap(l, [g * head.votes, (g + 1) * head.votes]),
      ),
    );
  }

  // Something to look at before anybody has clicked: in the middle, the unit of the first layer in which most gates
  // combine two signals.
  firstNeuron() {
    const { units, gates, opcodes, out } = this.model.layers.layers[0];
    const working = Array.from({ length: units }, (_, unit) => {
      const own = opcodes.subarray(unit * gates, (unit + 1) * gates);
      return own.filter((gate) => readsA(gate) && readsB(gate)).length;
    });
    return { layer: 0, unit: working.indexOf(Math.max(...working)), y: out[1] >> 1, x: out[2] >> 1 };
  }

  showExample(i) {
    this.truth = this.examples.truths[i];
    this.input.set(this.examples.sample(i));
    this.update();
  }

  leaveExample() {
    this.truth = null;
    this.strip?.mark(null);
  }

  chooseNeuron(place) {
    this.chosen = place;
    this.showView(place);
    this.neuron.show(place);
    this.draw();
  }

  // By a click on a map, which may stand far above.
  goToNeuron(place) {
    this.chooseNeuron(place);
    document.getElementById("neuron").scrollIntoView({ block: "nearest" });
  }

  // Asks the layers about all examples, and leaves them as they were.
  rowsOf(place) {
    const rows = this.examples.rowsOf(place);
    this.model.layers.run(this.bits);
    return rows;
  }

  // Which values a neuron can see, whatever bit of them it is.
  showView(place) {
    const bits = this.model.layers.fieldOfView(place);
    const { encoder } = this.model;
    const seen = new Uint8Array(this.isPicture ? encoder.shape[1] * encoder.shape[2] : encoder.features);
    bits.forEach((is, bit) => (seen[bit % seen.length] |= is));
    this.input.showView(seen);
  }

  // Pointers move more often than screens are drawn.
  requestUpdate() {
    if (this.isWaiting) return;
    this.isWaiting = true;
    requestAnimationFrame(() => {
      this.isWaiting = false;
      this.update();
    });
  }

  update() {
    const start = performance.now();
    this.bits.fill(0);
    this.model.encoder.encode(this.input.values, this.bits);
    const counts = this.model.count(this.model.run(this.bits));
    const decided = performance.now();
    this.model.layers.run(this.bits);
    this.votes.show(counts, this.truth);
    this.neuron.update();
    this.draw();
    const done = performance.now();
    const text = (milliseconds) => `${milliseconds.toFixed(1)} ms`;
    this.speed.textContent =
      `Answered in ${text(decided - start)}; everything on this page redrawn in ${text(done - start)}.`;
  }

  // Another theme has other colours.
  repaint() {
    this.colours = null;
    this.draw();
  }

  draw() {
    const colours = (this.colours ??= mapColours());
    const counts = this.model.layers.layers.map(() => 0);
    for (const { map, layer } of this.maps)
      counts[layer] += map.draw(this.chosen !== null && this.chosen.layer === layer ? this.chosen : null, colours);
    for (const { element, layer, total } of this.abouts)
      element.textContent = `${countText(counts[layer])} of ${countText(total)} on`;
  }

  fit() {
    for (const { map } of this.maps) map.fit();
    this.width = root.clientWidth;
  }
  refit() {
    if (root.clientWidth === this.width) return;
    this.fit();
    this.draw();
  }
}

async function start() {
  const stored = JSON.parse(document.getElementById("data").textContent);
  const model = await Model.unpack(stored);
  const examples = await Examples.unpack(stored.examples, model);
  new Play(stored, model, examples).render();
}

start();
