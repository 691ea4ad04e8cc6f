// Builds elements. Text becomes text nodes and attributes are set by name, so nothing that comes from a database is
// ever read as markup.

const kSvg = "http://www.w3.org/2000/svg";

function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (value !== undefined && value !== false) element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.flat().filter((child) => child !== undefined && child !== null));
  return element;
}

/// <tag attributes>children</tag>; an attribute `onclick` is a listener.
export function make(tag, attributes = {}, ...children) {
  return fill(document.createElement(tag), attributes, children);
}

/// The same for SVG.
export function makeSvg(tag, attributes = {}, ...children) {
  return fill(document.createElementNS(kSvg, tag), attributes, children);
}

/// A labelled <select> of `options` ([value, text]); `use(value)` is called when another one is chosen.
export function choice(label, options, selected, use) {
  const select = make("select", { onchange: () => use(select.value) },
    options.map(([value, text]) => make("option", { value, selected: value === selected }, text)));
  return make("label", {}, label + " ", select);
}

/// The name of an execution as code that may break after its commas.
export function nameCode(name) {
  return make("code", {}, name.split(/(?<=,)/).flatMap((part, i) => (i > 0 ? [make("wbr"), part] : [part])));
}

const kGrouping = new Intl.NumberFormat("en-US");

export function grouped(number) {
  return kGrouping.format(number);
}

export function plural(number, noun) {
  return `${grouped(number)} ${noun}${number === 1 ? "" : "s"}`;
}

/// Three significant digits; "–" for null.
export function figure(number) {
  if (number === null || Number.isNaN(number)) return "–";
  if (number === 0) return "0";
  return Math.abs(number) >= 1e-3 && Math.abs(number) < 1e4 ? String(+number.toPrecision(3)) : number.toExponential(2);
}
