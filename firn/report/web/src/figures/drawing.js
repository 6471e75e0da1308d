// Filters of the first layer as small trees, drawn by the library.
import { h, shortened } from "../dom.js";
import { runChoice } from "./confusion.js";

// As an image, so that no name in it can ever be more than text.
const image = (run) =>
  h("img", {
    class: "circuit",
    alt: `filters of ${shortened(run.name, 60)}`,
    src: `data:image/svg+xml,${encodeURIComponent(run.drawing)}`,
  });

export function drawing(study) {
  const runs = study.runs.filter((run) => run.drawing !== "");
  if (runs.length === 0) return null;
  return {
    id: `${study.id}-drawing`,
    title: "Filters of the first layer",
    caption:
      "Each filter is a tree of gates over a few inputs of a small window, and is placed all over the image. " +
      "The command firn draw draws other layers, cones of outputs, and what an output can see.",
    choices: [runChoice(runs)],
    table: (state) => image(runs[state.run]),
    csv: () => ({ columns: ["run", "svg"], rows: runs.map((run) => [run.name, run.drawing]) }),
  };
}
