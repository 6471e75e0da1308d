// What the panels of all figures have in common.
import * as Plot from "@observablehq/plot";
import { shortened } from "./dom.js";
import { formatStep } from "./look.js";

// Room above a panel: Plot writes the label of the y axis at the very top, the heading stands below it.
export const kTop = 40;

const kFontSize = 12;

// Size, margins and x axis of a panel that shows something over the steps of training.
export const overSteps = (width, highest) => ({
  width,
  height: Math.max(190, Math.min(highest, 0.66 * width)),
  marginTop: kTop,
  marginLeft: 44,
  marginRight: 14,
  x: { label: "step", tickFormat: formatStep, ticks: Math.max(3, Math.floor(width / 80)) },
});

// Cut off where the panel ends.
export const heading = (text, width) =>
  Plot.text([shortened(text, 200)], {
    frameAnchor: "top",
    dy: -20,
    fontWeight: 600,
    fontSize: kFontSize,
    lineWidth: (width - 70) / kFontSize,
    textOverflow: "ellipsis",
  });

// Where freezing starts; nothing for runs that have no start.
export const startRule = (start) =>
  start > 0 ? Plot.ruleX([start], { stroke: "currentColor", strokeOpacity: 0.35, strokeDasharray: "2,3" }) : null;
