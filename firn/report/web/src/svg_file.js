// A figure as a file of its own: panels side by side on white, with their legend, fit for a paper.
import { svg } from "./dom.js";

const kFont = "Helvetica, Arial, sans-serif";
const kGap = 16;
const kLegendHeight = 26;

const sizeOf = (panel) => [Number(panel.getAttribute("width")), Number(panel.getAttribute("height"))];

// Swatches in one line, each a short stroke and its name.
function legendOf(entries, width) {
  const line = svg("g", { "font-size": 12, "font-family": kFont });
  let x = 8;
  let y = 16;
  for (const { label, colour, dash } of entries) {
    const needed = 34 + 7 * label.length;
    if (x + needed > width && x > 8) {
      x = 8;
      y += 18;
    }
    line.append(
      svg("line", {
        x1: x,
        x2: x + 20,
        y1: y - 4,
        y2: y - 4,
        stroke: colour,
        "stroke-width": 3,
        "stroke-dasharray": dash ?? "none",
      }),
      svg("text", { x: x + 26, y, fill: "black" }, label),
    );
    x += needed + 12;
  }
  return { line, height: entries.length > 0 ? y - 16 + kLegendHeight : 0 };
}

// Plot draws with the colour and the font of its surroundings; a file brings its own.
function standalone(panel, x, y) {
  const copy = panel.cloneNode(true);
  copy.setAttribute("x", x);
  copy.setAttribute("y", y);
  copy.setAttribute("style", `color: black; --plot-background: white; overflow: visible; font-family: ${kFont}`);
  copy.querySelectorAll('[aria-label="tip"]').forEach((tip) => tip.remove());
  return copy;
}

export function svgFile(panels, columns, legend) {
  const rows = [];
  for (let i = 0; i < panels.length; i += columns) rows.push(panels.slice(i, i + columns));
  const width = Math.max(...rows.map((row) => row.reduce((sum, panel) => sum + sizeOf(panel)[0] + kGap, -kGap)));
  const { line, height } = legendOf(legend, width);
  let y = height;
  const placed = [];
  for (const row of rows) {
    let x = 0;
    for (const panel of row) {
      placed.push(standalone(panel, x, y));
      x += sizeOf(panel)[0] + kGap;
    }
    y += Math.max(...row.map((panel) => sizeOf(panel)[1])) + kGap;
  }
  const whole = svg("svg", { width, height: y - kGap, viewBox: `0 0 ${width} ${y - kGap}`, "font-family": kFont });
  whole.append(svg("rect", { width: "100%", height: "100%", fill: "white" }), line, ...placed);
  const text = new XMLSerializer().serializeToString(whole);
  return `<?xml version="1.0" encoding="UTF-8"?>\n${text}\n`;
}
