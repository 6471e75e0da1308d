// Light or dark: as the system has it, until somebody says otherwise.
import { h } from "./dom.js";

const system = matchMedia("(prefers-color-scheme: dark)");

export const isDark = () => (document.documentElement.dataset.theme ?? (system.matches ? "dark" : "light")) === "dark";

export function themeButton(redraw) {
  const change = () => {
    document.documentElement.dataset.theme = isDark() ? "light" : "dark";
    redraw();
  };
  return h(
    "button",
    { type: "button", id: "theme", "aria-label": "switch between light and dark", onclick: change },
    "◐",
  );
}

export const onSystemTheme = (redraw) => system.addEventListener("change", redraw);
