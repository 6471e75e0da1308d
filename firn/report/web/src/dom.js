// Elements without HTML text: whatever comes from a folder reaches the page as textContent only.

// h("p", {class: "note", onclick: f}, "text", element, ...)
export function h(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.flat().filter((child) => child !== null && child !== undefined));
  return element;
}

const kSvg = "http://www.w3.org/2000/svg";

export function svg(tag, attributes = {}, ...children) {
  const element = document.createElementNS(kSvg, tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children);
  return element;
}

// Hands the user a file.
export function download(name, type, text) {
  const address = URL.createObjectURL(new Blob([text], { type }));
  const link = h("a", { href: address, download: name });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(address), 10000);
}

// A long name in the space of a short one; the whole of it is in the tooltip.
export function shortened(text, limit = 80) {
  const characters = [...String(text)];
  return characters.length <= limit ? String(text) : characters.slice(0, limit - 1).join("") + "…";
}

export function named(tag, text, attributes = {}) {
  const short = shortened(text);
  return h(tag, short === text ? attributes : { ...attributes, title: shortened(text, 1000) }, short);
}
