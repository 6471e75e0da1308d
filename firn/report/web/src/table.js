// Tables of text: a heading row, cells that may be marked, numbers to the right.
import { h, shortened } from "./dom.js";

const kOneLine = 24; // characters of a row's name that are kept together

// columns: [{label, number?}]; rows: arrays of text or {text, best?, note?}
export function table(columns, rows) {
  const head = columns.map(({ label, number }) =>
    h("th", { scope: "col", class: number ? "number" : null }, shortened(label, 60)),
  );
  const body = rows.map((row) =>
    h(
      "tr",
      {},
      row.map((cell, c) => {
        const { text, best, note } = typeof cell === "object" && cell !== null ? cell : { text: cell };
        const short = shortened(text ?? "–", 120);
        const classes = [
          columns[c].number ? "number" : "",
          best ? "best" : "",
          c === 0 && short.length <= kOneLine ? "line" : "",
        ]
          .join(" ")
          .trim();
        const title = note ?? (short === String(text ?? "–") ? undefined : shortened(text, 1000));
        return h(c === 0 ? "th" : "td", { class: classes || null, scope: c === 0 ? "row" : null, title }, short);
      }),
    ),
  );
  return h("table", {}, h("thead", {}, h("tr", {}, head)), h("tbody", {}, body));
}
