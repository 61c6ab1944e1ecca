// The graph of a module, drawn: what is waited for stands to the left of what waits for it.

import { draw, make, show } from "./elements.js";
import { List } from "./list.js";
import { Refused } from "./live.js";
import { count } from "./text.js";

/** A drawing of more parts is one that nobody reads. */
const MOST = 150;
/** How large a box is, and how far it is from the next one. */
const [WIDTH, HEIGHT, ACROSS, DOWN] = [230, 44, 60, 16];
/** How many characters of a name there is room for. */
const ROOM = 26;
/** What all parts are in. */
const ROOT = "root";

/** The parts of a module: a drawing, and a table that says the same. `path` is where the server tells of them. */
export function parts({ once, changed }, path) {
  let [asked, graph, problem] = [undefined, undefined, undefined];
  const waits = new Map();
  const list = new List({
    what: "part",
    caption: "Parts",
    changed,
    key: ({ id }) => id,
    words: ({ id, type }) => [plain(id), type],
    columns: [
      { title: "Part", cell: ({ id }) => plain(id) },
      { title: "Kind", cell: ({ type, role }) => (role === "resource" ? type : role) },
      { title: "Waits for", cell: ({ id }) => [...(waits.get(id) ?? [])].map((other) => ({ code: plain(other) })) },
    ],
  });
  const problems = make("div");
  const place = make("div", { class: "wide", tabindex: "0", role: "region", "aria-label": "Drawing of the parts" });
  const found = (given) => {
    const whole = { nodes: given.nodes.filter(({ id }) => id !== ROOT), edges: given.edges };
    waits.clear();
    for (const { from, to } of given.edges) waits.set(from, (waits.get(from) ?? new Set()).add(to));
    [graph, problem] = [whole, given.problems.map(({ message }) => message).join("\n")];
    place.hidden = whole.nodes.length === 0 || whole.nodes.length > MOST;
    place.replaceChildren(...(place.hidden ? [] : [drawing(whole)]));
    changed();
  };
  const failed = (error) => {
    // Where it is only away, it is asked again with the next drawing.
    if (!(error instanceof Refused)) return (asked = undefined);
    problem = error.message;
    changed();
  };
  const element = make("section", {}, make("h2", {}, "Parts"), problems, place, list.element);
  place.hidden = true;
  return {
    element,
    draw(generation) {
      element.hidden = !generation;
      if (generation && asked !== generation) {
        asked = generation;
        once(path).then((given) => asked === generation && found(given), failed);
      }
      list.element.hidden = !graph;
      if (graph) list.show(graph.nodes, { whole: true });
      show(problems, problem && { lines: problem });
    },
  };
}

/** A drawing of nodes with `id`, `type` and `role`, and edges `from` what waits `to` what it waits for. */
function drawing({ nodes, edges }) {
  const known = new Map(nodes.map((node) => [node.id, { ...node, waits: [] }]));
  for (const { from, to } of edges) {
    const [one, other] = [known.get(from), known.get(to)];
    // A broken module may wait for itself, in the end.
    if (one && other && one !== other && !one.waits.includes(other)) one.waits.push(other);
  }
  const columns = layers([...known.values()]);
  place(columns);
  const width = columns.length * (WIDTH + ACROSS) - ACROSS + 2;
  const height = Math.max(...columns.map((column) => column.length)) * (HEIGHT + DOWN) - DOWN + 2;
  const lines = [...known.values()].flatMap((node) => node.waits.map((other) => line(other, node)));
  const label = `${count(nodes.length, "part")}, each of which waits for the parts to its left that a line connects it to; the table shows the same`;
  const shape = { class: "graph", width, height, viewBox: `-1 -1 ${width} ${height}`, role: "img", "aria-label": label };
  return draw("svg", shape, lines, [...known.values()].map(box));
}

/** Nodes by how long the longest way to them is. */
function layers(nodes) {
  const columns = [];
  const depth = (node) => {
    if (node.depth === undefined) {
      // Until it is known; a ring ends here.
      node.depth = 0;
      node.depth = node.waits.reduce((most, other) => Math.max(most, depth(other) + 1), 0);
    }
    return node.depth;
  };
  for (const node of nodes) (columns[depth(node)] ??= []).push(node);
  return Array.from(columns, (column) => column ?? []);
}

/** Gives each node its place: near to what it waits for, so that few lines cross. */
function place(columns) {
  columns.forEach((column, index) => {
    for (const node of column) {
      const rows = node.waits.map((other) => other.row ?? 0);
      node.near = rows.length > 0 ? rows.reduce((sum, row) => sum + row, 0) / rows.length : 0;
    }
    column.sort((one, other) => one.near - other.near || (one.id < other.id ? -1 : 1));
    column.forEach((node, row) => Object.assign(node, { row, x: index * (WIDTH + ACROSS), y: row * (HEIGHT + DOWN) }));
  });
}

function line(from, to) {
  const [x1, y1, x2, y2] = [from.x + WIDTH, from.y + HEIGHT / 2, to.x, to.y + HEIGHT / 2];
  const bend = Math.max(20, (x2 - x1) / 2);
  return draw("path", { class: "edge", d: `M ${x1} ${y1} C ${x1 + bend} ${y1}, ${x2 - bend} ${y2}, ${x2} ${y2}` });
}

function box(node) {
  const shape = { class: `box ${node.role === "resource" ? "resource" : "other"}`, x: node.x, y: node.y, width: WIDTH, height: HEIGHT, rx: 4 };
  const text = (y, said, kind) => draw("text", { class: kind, x: node.x + 8, y: node.y + y }, shortened(said));
  return draw("g", {}, draw("rect", shape), draw("title", {}, node.id), text(18, plain(node.id), "name"), text(35, node.role === "resource" ? node.type : node.role, "type"));
}

/** `root/site/task.a` as `site/task.a`. */
function plain(id) {
  return id.replace(`${ROOT}/`, "");
}

function shortened(text) {
  return text.length > ROOM ? `…${text.slice(1 - ROOM)}` : text;
}
