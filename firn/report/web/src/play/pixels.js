// Small pictures on canvases: one pixel per value, enlarged by the browser without smoothing.
import { h } from "../dom.js";

export function pixelCanvas(width, height, attributes = {}) {
  return h("canvas", { width, height, ...attributes });
}

// paint(data): data is the canvas as Uint32Array, one number 0xAABBGGRR per pixel.
export function paintPixels(canvas, paint) {
  const context = canvas.getContext("2d");
  const image = context.createImageData(canvas.width, canvas.height);
  paint(new Uint32Array(image.data.buffer));
  context.putImageData(image, 0, 0);
}

export const rgba = (r, g, b, a = 255) => ((a << 24) | (b << 16) | (g << 8) | r) >>> 0;

// A colour of the style sheet, such as --on, as such a number.
export function styleColour(name) {
  const context = pixelCanvas(1, 1).getContext("2d");
  context.fillStyle = getComputedStyle(document.documentElement).getPropertyValue(name).trim();
  context.fillRect(0, 0, 1, 1);
  return rgba(...context.getImageData(0, 0, 1, 1).data);
}

const kMark = [255, 150, 20]; // a colour that pictures rarely have

// Values [channel][line][column] between low and high as a picture: three channels are red, green and blue. Pixels for
// which `marked` has a one are tinted.
export function paintPicture(canvas, values, [channels, height, width], low, high, marked = null) {
  const plane = height * width;
  const level = (channel, i) => {
    const value = (255 * (values[(channels === 3 ? channel * plane : 0) + i] - low)) / (high - low);
    return marked !== null && marked[i] ? 0.4 * value + 0.6 * kMark[channel] : value;
  };
  paintPixels(canvas, (data) => {
    for (let i = 0; i < plane; ++i) data[i] = rgba(level(0, i), level(1, i), level(2, i));
  });
}
