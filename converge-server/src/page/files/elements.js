// Making what is shown. What comes from the server becomes text here and nowhere else: no markup is ever read.

const SVG = "http://www.w3.org/2000/svg";

/** An element with attributes and children; children are elements or text. */
export function make(tag, attributes = {}, ...children) {
  return filled(document.createElement(tag), attributes, children);
}

/** The same of a drawing. */
export function draw(tag, attributes = {}, ...children) {
  return filled(document.createElementNS(SVG, tag), attributes, children);
}

function filled(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== undefined && value !== false) element.setAttribute(name, value === true ? "" : String(value));
  }
  element.append(...children.flat().filter((child) => child !== undefined && child !== null && child !== ""));
  return element;
}

/** A state: a mark, a word and a colour, so that each of them is enough. */
export function badge(kind, text) {
  return { kind, text };
}

/** A link to another view. */
export function link(href, text) {
  return { href, text };
}

/** How long ago something was. */
export function time(at, text) {
  return { at, text };
}

const MARKS = { good: "✓", bad: "✗", busy: "…", changed: "±", unknown: "?" };

/** A cell is text, one of the above, `{ note }`, `{ label }`, `{ code }` or `{ lines }`, or a list of these. */
function cell(said) {
  if (Array.isArray(said)) return said.flatMap((part, index) => (index > 0 ? [" ", ...cell(part)] : cell(part)));
  if (said === undefined || said === null || said === "") return [];
  if (typeof said !== "object") return [String(said)];
  if ("href" in said) return [make("a", { href: said.href }, said.text)];
  if ("kind" in said) {
    return [make("span", { class: `badge ${said.kind}` }, make("span", { "aria-hidden": "true" }, MARKS[said.kind]), ` ${said.text}`)];
  }
  if ("at" in said) return [make("time", { datetime: said.at, title: said.at }, said.text)];
  if ("note" in said) return [make("span", { class: "note" }, said.note)];
  if ("label" in said) return [make("span", { class: "label" }, said.label)];
  if ("code" in said) return [make("code", {}, said.code)];
  return [make("pre", { class: said.class }, said.lines)];
}

/** Shows something in an element, which is left alone where it shows the same already. */
export function show(element, said) {
  const mark = JSON.stringify(said ?? null);
  if (shown.get(element) === mark) return;
  shown.set(element, mark);
  element.replaceChildren(...cell(said));
}

const shown = new WeakMap();

/** Names with what is said of them. */
export class Facts {
  constructor() {
    this.element = make("dl");
    this.known = new Map();
  }

  /** Shows pairs of a name and what is said of it; what is empty is left out. */
  show(pairs) {
    const there = pairs.filter(([, said]) => said !== undefined && said !== null && said !== "" && said.length !== 0);
    const names = there.map(([name]) => name);
    if (names.join("\n") !== [...this.known.keys()].join("\n")) {
      this.known = new Map(names.map((name) => [name, make("dd")]));
      this.element.replaceChildren(...[...this.known].flatMap(([name, value]) => [make("dt", {}, name), value]));
    }
    for (const [name, said] of there) show(this.known.get(name), said);
  }
}
