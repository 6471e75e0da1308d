// The frame around every figure: heading, caption, choices, the drawing, and its two files.
import { csvText } from "./csv.js";
import { download, h } from "./dom.js";
import { svgFile } from "./svg_file.js";
import { isDark } from "./theme.js";

const kPrintWidth = 1000;
const kPanelGap = 16;
const kMinPanel = 250;

// A figure is {id, title, caption, choices?, columns?, panels?, legend?, table?, csv}:
//   choices   [{name, label, options: [{value, label}]}]; the first option is chosen at first
//   panels    (state, width, dark) => SVG elements of that width, drawn `columns` to a row where there is room
//   legend    (state) => [{label, colour, dash?}]
//   table     (state, width) => an element
//   csv       (state) => {columns, rows}
// `states` remembers choices by figure while the page is made anew.
export function frame(figure, states) {
  const state = (states[figure.id] ??= {});
  for (const { name, options } of figure.choices ?? [])
    if (!options.some(({ value }) => value === state[name])) state[name] = options[0].value;
  const drawing = h("div", { class: "drawing" });
  const element = h(
    "figure",
    { id: figure.id, class: "figure", "data-panels": "0" },
    h("div", { class: "head" }, h("h3", {}, figure.title), buttons(figure, state)),
    choices(figure, state, () => draw()),
    drawing,
    h("figcaption", {}, figure.caption),
  );
  function draw() {
    const content = contentOf(figure, state, drawing.clientWidth);
    drawing.replaceChildren(...content);
    element.dataset.panels = String(drawing.querySelectorAll(".panel").length);
  }
  element.draw = draw;
  return element;
}

function contentOf(figure, state, available) {
  const content = [];
  const legend = figure.legend?.(state) ?? [];
  if (legend.length > 0) content.push(h("div", { class: "legend" }, legend.map(swatch)));
  if (figure.panels) {
    const columns = Math.max(
      1,
      Math.min(figure.columns ?? 1, Math.floor((available + kPanelGap) / (kMinPanel + kPanelGap))),
    );
    const width = Math.floor((available - (columns - 1) * kPanelGap) / columns);
    const panels = figure
      .panels(state, Math.max(width, 200), isDark())
      .map((panel) => h("div", { class: "panel" }, panel));
    content.push(
      h("div", { class: "panels", style: `grid-template-columns: repeat(${columns}, minmax(0, 1fr))` }, panels),
    );
  }
  if (figure.table)
    content.push(
      h(
        "div",
        { class: "panel scroll", tabindex: "0", role: "region", "aria-label": figure.title },
        figure.table(state, available),
      ),
    );
  return content;
}

function swatch({ label, colour, dash }) {
  const mark = h("span", { class: dash ? "swatch dashed" : "swatch", style: `border-color: ${colour}` });
  return h("span", { class: "entry" }, mark, label);
}

function choices(figure, state, redraw) {
  const groups = (figure.choices ?? []).filter(({ options }) => options.length > 1);
  if (groups.length === 0) return null;
  return h(
    "div",
    { class: "choices" },
    groups.map(({ name, label, options }) => {
      const select = h(
        "select",
        { onchange: () => ((state[name] = options[select.selectedIndex].value), redraw()) },
        options.map((option) => h("option", { selected: option.value === state[name] }, option.label)),
      );
      return h("label", {}, label, " ", select);
    }),
  );
}

function buttons(figure, state) {
  const made = [];
  if (figure.panels) {
    const save = () => {
      const columns = figure.columns ?? 1;
      const width = Math.floor((kPrintWidth - (columns - 1) * kPanelGap) / columns);
      download(
        `${figure.id}.svg`,
        "image/svg+xml",
        svgFile(figure.panels(state, width, false), columns, figure.legend?.(state) ?? []),
      );
    };
    made.push(h("button", { type: "button", class: "save-svg", onclick: save }, "save SVG"));
  }
  const save = () => download(`${figure.id}.csv`, "text/csv", csvText(figure.csv(state)));
  made.push(h("button", { type: "button", class: "save-csv", onclick: save }, "CSV"));
  return h("div", { class: "buttons" }, made);
}
