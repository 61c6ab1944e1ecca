// The page: which view is open, what it watches, and how the connection is.

import { make, show } from "./elements.js";
import { events } from "./events.js";
import { ask as request, Live, now } from "./live.js";
import { module, modules } from "./modules.js";
import { node, nodes } from "./nodes.js";
import { rollout, rollouts } from "./rollouts.js";

/** Views by the first word of the address after `#/`: of all, and of one, which has a name of so many parts. */
const VIEWS = {
  nodes: { all: nodes, one: node, parts: 2 },
  modules: { all: modules, one: module, parts: 3 },
  rollouts: { all: rollouts, one: rollout, parts: 3 },
  events: { all: events },
};
/** Where the token is kept: as long as the tab is open. */
const TOKEN = "converge.token";
/** How often what is said about times is brought up to date, in milliseconds. */
const TICK = 5000;
/** How long there is between two drawings at least, in milliseconds: a thousand agents say something 30 times a second. */
const GAP = 100;

const [connection, content, ask, why, input, forget] =
  ["connection", "content", "ask", "why", "token", "forget"].map((id) => document.getElementById(id));

/** Each watch by its path. A view that is opened takes over those that it needs too. */
let lives = new Map();
let view;
let drawing = false;
let drawn = 0;
/** What the connection was last, and when all that is shown was so. */
let last = { state: "connecting", at: undefined };

/** Opens the view of the address. */
function open() {
  const { kind, name, begin } = meant();
  const before = lives;
  lives = new Map();
  view = begin({ live: (path) => live(path, before), once: (path) => request(path, token()), changed }, name);
  for (const [path, old] of before) if (!lives.has(path)) old.close();
  for (const link of document.querySelectorAll("nav a")) {
    if (link.hash === `#/${kind}`) link.setAttribute("aria-current", name.length > 0 ? "true" : "page");
    else link.removeAttribute("aria-current");
  }
  document.title = `${view.title} – Converge`;
  const head = make("h1", { tabindex: "-1" }, view.title);
  content.replaceChildren(head, ...view.elements);
  redraw();
  return head;
}

/** Which view the address means, and of what. */
function meant() {
  const [kind = "", ...parts] = location.hash.replace(/^#\/?/, "").split("/");
  const { all, one, parts: expected } = (Object.hasOwn(VIEWS, kind) ? VIEWS[kind] : kind === "" && VIEWS.nodes) || {};
  try {
    const name = parts.map(decodeURIComponent);
    const begin = name.length === 0 ? all : name.length === expected && name.every(Boolean) ? one : undefined;
    return { kind: kind || "nodes", name, begin: begin ?? nothing };
  } catch {
    return { kind, name: [], begin: nothing };
  }
}

function nothing() {
  return { title: "Page not found", elements: [make("p", {}, "There is no page at this address.")], draw() {} };
}

function token() {
  return sessionStorage.getItem(TOKEN);
}

/** What is known by a watch, which begins unless there is one. */
function live(path, before) {
  const known = before.get(path) ?? lives.get(path) ?? new Live(path, token(), changed);
  lives.set(path, known);
  return known;
}

/** Something is known otherwise: it is shown soon, with all that comes until then. */
function changed() {
  if (drawing) return;
  drawing = true;
  setTimeout(redraw, Math.max(0, drawn + GAP - performance.now()));
}

function redraw() {
  [drawing, drawn] = [false, performance.now()];
  const all = [...lives.values()];
  const asked = all.find(({ state }) => state === "unauthenticated");
  if (asked) return ask_for_token(asked.problem);
  view.draw(now());
  tell(all);
}

/** Says how the connection is, when that is news. */
function tell(all) {
  const time = (at) => new Date(at).toLocaleTimeString();
  const of = (wanted) => all.find(({ state }) => state === wanted);
  const [refused, away] = [of("refused"), of("away")];
  const state = refused ? "refused" : away ? "away" : of("connecting") ? "connecting" : "live";
  if (state === "refused") {
    say("away", `The server refuses the request: ${refused.problem}.`);
  } else if (state === "away") {
    const since = last.at && all.every(({ whole }) => whole) ? ` The data are from ${time(last.at)}.` : "";
    say("away", `Disconnected: ${away.problem}.${since} Reconnecting.`);
  } else if (state === "live" && last.state === "away") {
    say("live", `Reconnected at ${time(now())}.`);
  } else if (state === "live" && last.state !== "live") {
    say("live", "Live: changes appear as they happen.");
  } else if (state === "connecting" && last.state !== "live") {
    say("connecting", "Connecting…");
  }
  last = { state: state === "connecting" && last.state === "away" ? "away" : state, at: state === "live" ? now() : last.at };
  forget.hidden = !token();
}

function say(state, text) {
  connection.dataset.state = state;
  show(connection, text);
}

function ask_for_token(problem) {
  const first = ask.hidden;
  close_all();
  const had = token();
  sessionStorage.removeItem(TOKEN);
  content.replaceChildren();
  [content.hidden, ask.hidden, forget.hidden] = [true, false, true];
  say("asked", "");
  show(why, had ? `The token was refused: ${problem}.` : "");
  if (first || had) input.focus();
}

function close_all() {
  for (const old of lives.values()) old.close();
  lives = new Map();
}

function begin() {
  [content.hidden, ask.hidden] = [false, true];
  last = { state: "connecting" };
  return open();
}

ask.addEventListener("submit", (event) => {
  event.preventDefault();
  sessionStorage.setItem(TOKEN, input.value.trim());
  input.value = "";
  begin().focus();
});

forget.addEventListener("click", () => {
  sessionStorage.removeItem(TOKEN);
  close_all();
  begin().focus();
});

// It has no name of a view, and must not be taken for one.
document.getElementById("skip").addEventListener("click", (event) => {
  event.preventDefault();
  (ask.hidden ? content : ask).querySelector("h1")?.focus();
});

window.addEventListener("hashchange", () => {
  if (!ask.hidden) return;
  open().focus();
  window.scrollTo(0, 0);
});

// A browser has few connections to one server, for all of its tabs: one that nobody sees holds none.
document.addEventListener("visibilitychange", () => {
  if (!ask.hidden) return;
  for (const one of lives.values()) {
    if (document.hidden) one.close();
    else one.begin();
  }
});

setInterval(() => {
  if (ask.hidden && !document.hidden) changed();
}, TICK);

begin();
