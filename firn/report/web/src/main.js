// The page: data from the element "data", sections of figures, a theme, and newer data for a live page.
import { buildSections } from "./sections.js";
import { h, named, shortened } from "./dom.js";
import { formatCount, formatPercent } from "./look.js";
import { studiesOf } from "./studies.js";
import { onSystemTheme, themeButton } from "./theme.js";

const kSecondsBetweenLooks = 2;

const root = document.getElementById("page");
const states = {};
let figures = [];

function redraw() {
  for (const figure of figures) figure.draw();
}

// The numbers one looks for first.
function facts(report, studies) {
  const tiles = [];
  const add = (value, label) => tiles.push(h("div", { class: "fact" }, h("b", {}, value), h("span", {}, label)));
  const plural = (count, word, more = `${word}s`) => add(formatCount(count), count === 1 ? word : more);
  if (report.runs.length > 0) plural(report.runs.length, "run");
  const strategies = new Set(studies.flatMap((study) => study.strategies));
  if (strategies.size > 1) plural(strategies.size, "strategy", "strategies");
  if (studies.length > 1) plural(studies.length, "model or variant", "models and variants");
  if (report.diagnoses.length > 0) plural(report.diagnoses.length, "diagnosis", "diagnoses");
  const tested = report.runs.filter((run) => run.last?.discrete_accuracy != null);
  if (tested.length > 0)
    add(
      formatPercent(Math.max(...tested.map((run) => run.last.discrete_accuracy))),
      "best discrete test accuracy of a run",
    );
  return h("div", { class: "facts" }, tiles);
}

function render(report) {
  const studies = studiesOf(report);
  const sections = buildSections(report, studies, states);
  figures = sections.flatMap((section) => section.figures);
  const top = h(
    "header",
    {},
    h("div", { class: "title" }, named("h1", report.title), themeButton(redraw)),
    report.live ? h("p", { id: "status", role: "status" }, "live") : null,
    facts(report, studies),
    h(
      "nav",
      {},
      sections.map(({ id, title }) => h("a", { href: `#${id}` }, shortened(title, 40))),
    ),
  );
  const bodies = sections.map(({ id, title, note, figures: own }) =>
    h("section", { id }, named("h2", title), note ? h("p", { class: "note" }, note) : null, own),
  );
  if (bodies.length === 0) bodies.push(h("p", { class: "note" }, "There is nothing to draw in these folders yet."));
  root.replaceChildren(
    top,
    ...bodies,
    h("footer", {}, "Drawn by Firn from the folders named above; nothing on this page was fetched."),
  );
  redraw();
}

function statusOf(report) {
  const parts = report.runs.map((run) => {
    const done = run.learning.step.at(-1);
    const total = new Map(run.config).get("train.steps");
    return done === undefined
      ? "waiting for the first evaluation"
      : `step ${formatCount(done)}${total ? ` of ${formatCount(Number(total))}` : ""}`;
  });
  return `live · ${shortened(parts.slice(0, 3).join(" · "), 120)} · ${new Date().toLocaleTimeString()}`;
}

// Asks for newer data for ever. A failure is shown and does not end it: the run may be writing, or the server gone.
async function watch(last) {
  for (;;) {
    await new Promise((resolve) => setTimeout(resolve, 1000 * kSecondsBetweenLooks));
    let status;
    try {
      const answer = await fetch("data.json", { cache: "no-store" });
      const text = await answer.text();
      if (!answer.ok) throw new Error(text.trim());
      const report = JSON.parse(text);
      if (text !== last) {
        const place = scrollY;
        render(report);
        scrollTo(0, place);
        last = text;
      }
      status = statusOf(report);
    } catch (error) {
      status = `no answer: ${shortened(error.message, 200)}`;
    }
    document.getElementById("status").textContent = status;
  }
}

const text = document.getElementById("data").textContent;
const report = JSON.parse(text);
render(report);
onSystemTheme(redraw);
let width = root.clientWidth;
new ResizeObserver(() => {
  if (root.clientWidth === width) return;
  width = root.clientWidth;
  redraw();
}).observe(root);
if (report.live) {
  document.getElementById("status").textContent = statusOf(report);
  watch(text);
}
