// Maps of bits: the encoded input and the output of every layer, a bright dot for each that is on. A click chooses one.
import { h } from "../dom.js";
import { pixelCanvas, styleColour } from "./pixels.js";

const kGap = 1; // pixels between maps of neighbouring channels
const kScrollbar = 16;
const kMany = 6000; // single dots, above which they are drawn smaller

// A canvas of `count` tiles of height x width dots, as many to a line as there is room for.
class Tiles {
  // onPoint(tile, y, x, isClick), or onPoint(null) when the pointer leaves.
  constructor(count, height, width, onPoint) {
    Object.assign(this, { count, height, width, onPoint });
    this.gap = height * width > 1 ? kGap : 0;
    this.canvas = pixelCanvas(1, 1, { class: "map" });
    this.canvas.addEventListener("click", (event) => this.point(event, true));
    this.canvas.addEventListener("pointermove", (event) => this.point(event, false));
    this.canvas.addEventListener("pointerleave", () => this.onPoint(null));
  }

  fit(room) {
    const pitch = this.width + this.gap;
    this.dot = this.width > 1 ? this.tileDot(room, pitch) : this.count > kMany ? 4 : 7;
    const most = Math.max(1, Math.floor((room / this.dot + this.gap) / pitch));
    // Rows that are equally full look better than a full one and a rest.
    this.columns = Math.ceil(this.count / Math.ceil(this.count / most));
    this.canvas.width = this.columns * pitch - this.gap;
    this.canvas.height = Math.ceil(this.count / this.columns) * (this.height + this.gap) - this.gap;
    this.canvas.style.width = `${this.dot * this.canvas.width}px`;
    this.image = new ImageData(this.canvas.width, this.canvas.height);
  }

  // As large as one line of tiles allows, but neither coarse nor tiny.
  tileDot(room, pitch) {
    return Math.max(this.width < 16 ? 4 : 2, Math.min(6, Math.floor(room / (this.count * pitch))));
  }

  at(tile, y, x) {
    const line = Math.floor(tile / this.columns) * (this.height + this.gap) + y;
    return line * this.canvas.width + (tile % this.columns) * (this.width + this.gap) + x;
  }

  point(event, isClick) {
    const box = this.canvas.getBoundingClientRect();
    const px = Math.floor(((event.clientX - box.left) / box.width) * this.canvas.width);
    const py = Math.floor(((event.clientY - box.top) / box.height) * this.canvas.height);
    const [column, x] = [Math.floor(px / (this.width + this.gap)), px % (this.width + this.gap)];
    const [row, y] = [Math.floor(py / (this.height + this.gap)), py % (this.height + this.gap)];
    const tile = row * this.columns + column;
    const isDot = x < this.width && y < this.height && column < this.columns && tile < this.count;
    if (isDot && row >= 0 && x >= 0) this.onPoint(tile, y, x, isClick);
    else this.onPoint(null);
  }

  // Draws channels of a plane from `first` on and counts those that are on. chosen: {tile, y, x} or null.
  draw(plane, first, chosen, colours) {
    const data = new Uint32Array(this.image.data.buffer);
    const { on, off } = colours;
    let count = 0;
    for (let tile = 0; tile < this.count; ++tile)
      for (let y = 0; y < this.height; ++y) {
        const to = this.at(tile, y, 0);
        const from = plane.at(first + tile, y, 0);
        for (let x = 0; x < this.width; ++x) {
          const isOn = plane.words[from + x] & 1;
          data[to + x] = isOn ? on : off;
          count += isOn;
        }
      }
    if (chosen !== null) data[this.at(chosen.tile, chosen.y, chosen.x)] = colours.chosen;
    this.canvas.getContext("2d").putImageData(this.image, 0, 0);
    return count;
  }
}

export const mapColours = () => ({
  on: styleColour("--on"),
  off: styleColour("--off"),
  chosen: styleColour("--chosen"),
});

// Tiles of some channels of a plane, with a line of text about the dot under the pointer.
export class PlaneMap {
  // channels: [first, end); describe(channel, y, x) is the text; onClick(channel, y, x) may be null.
  constructor(plane, [first, end], describe, onClick) {
    Object.assign(this, { plane, first, describe });
    this.text = h("p", { class: "under" }, "\u00a0");
    this.tiles = new Tiles(end - first, plane.height, plane.width, (tile, y, x, isClick) => {
      if (isClick && onClick !== null && tile !== null) onClick(first + tile, y, x);
      this.text.textContent = tile === null ? "\u00a0" : this.describe(first + tile, y, x);
    });
    this.element = h("div", { class: "plane" }, h("div", { class: "window" }, this.tiles.canvas), this.text);
    if (onClick !== null) this.tiles.canvas.classList.add("clickable");
  }

  fit() {
    this.tiles.fit(this.element.clientWidth - kScrollbar);
  }

  // How many are on. chosen: {unit, y, x} or null
  draw(chosen, colours) {
    const own = chosen !== null && chosen.unit >= this.first && chosen.unit < this.first + this.tiles.count;
    return this.tiles.draw(
      this.plane,
      this.first,
      own ? { tile: chosen.unit - this.first, y: chosen.y, x: chosen.x } : null,
      colours,
    );
  }
}
