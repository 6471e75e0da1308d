// The picture that is shown to the circuit: drawn with a pointer, dropped, chosen from a file, or an example.
import { h } from "../dom.js";
import { paintPicture, pixelCanvas } from "./pixels.js";

const kRadius = 0.055; // of the brush, as a share of the shorter side

export class Picture {
  // range: [low, high] of values. onChange is called whenever the picture has changed.
  constructor({ shape, values }, range, onChange) {
    this.shape = shape;
    this.rounded = values === "bytes" ? Math.round : (value) => value;
    [this.low, this.high] = range;
    this.onChange = onChange;
    const [channels, height, width] = shape;
    this.values = new Float32Array(channels * height * width).fill(this.low);
    this.canvas = pixelCanvas(width, height, {
      class: "pad",
      role: "img",
      "aria-label": "the picture that is shown to the circuit",
    });
    this.marked = null; // pixels that the chosen neuron can see
    this.lens = pixelCanvas(width, height, { class: "lens", role: "img", "aria-label": "what the neuron can see" });
    this.colour =
      channels === 3 ? h("input", { type: "color", value: "#ff4030", "aria-label": "colour of the brush" }) : null;
    this.isErasing = false;
    this.element = h(
      "div",
      {},
      h("div", { class: "stack", style: `aspect-ratio: ${width} / ${height}` }, this.canvas),
      this.tools(),
    );
    this.listen();
    this.draw();
  }

  tools() {
    const button = (label, action, title) => h("button", { type: "button", onclick: action, title }, label);
    const eraser = button("erase", () => this.setErasing(!this.isErasing), "draw with the background instead");
    eraser.setAttribute("aria-pressed", "false");
    this.eraser = eraser;
    const onchange = () => this.load(file.files[0]);
    const file = h("input", { type: "file", accept: "image/*", hidden: true, onchange });
    return h(
      "div",
      { class: "tools" },
      this.colour,
      eraser,
      button("clear", () => this.change(() => this.values.fill(this.low)), "an empty picture"),
      button("centre", () => this.change(() => this.centre()), "move what is drawn to the middle"),
      button("invert", () => this.change(() => this.invert()), "swap dark and light"),
      button("open a picture…", () => file.click(), "from a file; it does not leave this page"),
      file,
    );
  }

  setErasing(isErasing) {
    this.isErasing = isErasing;
    this.eraser.setAttribute("aria-pressed", String(isErasing));
  }

  set(values) {
    this.values.set(values);
    this.draw();
  }

  change(how) {
    how();
    this.draw();
    this.onChange();
  }

  draw() {
    paintPicture(this.canvas, this.values, this.shape, this.low, this.high);
    paintPicture(this.lens, this.values, this.shape, this.low, this.high, this.marked);
  }

  // Marks pixels, [line][column] of ones and zeros, on a small copy that stands elsewhere on the page.
  showView(marked) {
    this.marked = marked;
    this.draw();
  }

  viewElement() {
    return this.lens;
  }

  listen() {
    let last = null;
    const position = (event) => {
      const box = this.canvas.getBoundingClientRect();
      return [
        ((event.clientX - box.left) / box.width) * this.shape[2],
        ((event.clientY - box.top) / box.height) * this.shape[1],
      ];
    };
    this.canvas.addEventListener("pointerdown", (event) => {
      this.canvas.setPointerCapture(event.pointerId);
      last = position(event);
      this.change(() => this.stroke(last, last));
    });
    this.canvas.addEventListener("pointermove", (event) => {
      if (last === null) return;
      const next = position(event);
      this.change(() => this.stroke(last, next));
      last = next;
    });
    for (const end of ["pointerup", "pointercancel"]) this.canvas.addEventListener(end, () => (last = null));
    const stack = this.element.firstChild;
    for (const name of ["dragenter", "dragover"])
      stack.addEventListener(name, (event) => (event.preventDefault(), stack.classList.add("target")));
    stack.addEventListener("dragleave", () => stack.classList.remove("target"));
    stack.addEventListener("drop", (event) => {
      event.preventDefault();
      stack.classList.remove("target");
      this.load(event.dataTransfer.files[0]);
    });
  }

  ink() {
    if (this.isErasing) return Array(this.shape[0]).fill(this.low);
    if (this.colour === null) return Array(this.shape[0]).fill(this.high);
    const code = parseInt(this.colour.value.slice(1), 16);
    return [16, 8, 0].map((shift) => this.low + ((this.high - this.low) * ((code >> shift) & 255)) / 255);
  }

  // A line as a pen with a soft edge leaves it.
  stroke([x0, y0], [x1, y1]) {
    const [channels, height, width] = this.shape;
    const radius = Math.max(0.8, kRadius * Math.min(height, width));
    const ink = this.ink();
    const length2 = (x1 - x0) ** 2 + (y1 - y0) ** 2;
    for (let y = 0; y < height; ++y)
      for (let x = 0; x < width; ++x) {
        const [px, py] = [x + 0.5, y + 0.5];
        const along = length2 === 0 ? 0 : ((px - x0) * (x1 - x0) + (py - y0) * (y1 - y0)) / length2;
        const t = Math.min(1, Math.max(0, along));
        const distance = Math.hypot(px - x0 - t * (x1 - x0), py - y0 - t * (y1 - y0));
        const cover = Math.min(1, Math.max(0, radius + 0.5 - distance));
        if (cover > 0) this.mix(channels, y * width + x, ink, cover);
      }
  }

  mix(channels, pixel, ink, cover) {
    const plane = this.shape[1] * this.shape[2];
    for (let c = 0; c < channels; ++c) {
      const at = c * plane + pixel;
      const mixed = this.rounded(this.values[at] + cover * (ink[c] - this.values[at]));
      // White ink never darkens what is drawn already, so that strokes may cross.
      this.values[at] = this.isErasing || channels > 1 ? mixed : Math.max(this.values[at], mixed);
    }
  }

  invert() {
    for (let i = 0; i < this.values.length; ++i) this.values[i] = this.low + this.high - this.values[i];
  }

  centre() {
    const [channels, height, width] = this.shape;
    let [mass, mx, my] = [0, 0, 0];
    for (let c = 0, i = 0; c < channels; ++c)
      for (let y = 0; y < height; ++y)
        for (let x = 0; x < width; ++x, ++i) {
          const weight = this.values[i] - this.low;
          mass += weight;
          mx += weight * x;
          my += weight * y;
        }
    if (mass === 0) return;
    const dx = Math.round((width - 1) / 2 - mx / mass);
    const dy = Math.round((height - 1) / 2 - my / mass);
    const old = this.values.slice();
    for (let c = 0, i = 0; c < channels; ++c)
      for (let y = 0; y < height; ++y)
        for (let x = 0; x < width; ++x, ++i) {
          const isInside = y - dy >= 0 && y - dy < height && x - dx >= 0 && x - dx < width;
          this.values[i] = isInside ? old[(c * height + y - dy) * width + x - dx] : this.low;
        }
  }

  // A file as the circuit would see it: its middle, scaled down.
  async load(file) {
    if (file === undefined) return;
    const [channels, height, width] = this.shape;
    let bitmap;
    try {
      bitmap = await createImageBitmap(file);
    } catch {
      return this.refuse();
    }
    const scale = Math.max(width / bitmap.width, height / bitmap.height);
    const context = pixelCanvas(width, height).getContext("2d");
    context.imageSmoothingQuality = "high";
    context.drawImage(
      bitmap,
      (width - scale * bitmap.width) / 2,
      (height - scale * bitmap.height) / 2,
      scale * bitmap.width,
      scale * bitmap.height,
    );
    const { data } = context.getImageData(0, 0, width, height);
    const plane = height * width;
    this.change(() => {
      for (let i = 0; i < plane; ++i) {
        const [r, g, b] = data.subarray(4 * i, 4 * i + 3);
        const grey = 0.299 * r + 0.587 * g + 0.114 * b;
        for (let c = 0; c < channels; ++c) {
          const level = channels === 3 ? [r, g, b][c] : grey;
          this.values[c * plane + i] = this.rounded(this.low + ((this.high - this.low) * level) / 255);
        }
      }
    });
  }

  refuse() {
    const note = h("p", { class: "note", role: "alert" }, "That file is not a picture that this browser can read.");
    this.element.append(note);
    setTimeout(() => note.remove(), 6000);
  }
}
