// What differed on a node: of each module the last run that found something, resource by resource.

import { badge, make, show } from "./elements.js";
import { plain, same, short, shown } from "./text.js";

/** Kinds of outcomes of runs and of resources. */
const KINDS = {
  "will change": "changed",
  "may change": "changed",
  changed: "good",
  differs: "changed",
  failed: "bad",
};
/** What the lines of a diff are, by their first character; all others are about the diff. */
const LINES = { "+": "good", "-": "bad", "@": "busy", " ": "same" };

const kind = (outcome) => KINDS[outcome] ?? "unknown";
const name = ({ module }) => (module ? shown(module) : "");

/** The last plans of one node. */
export function plans({ live }, partition, node) {
  const found = live(`nodeplans?watch=true&${new URLSearchParams({ partition, name_prefix: node })}`);
  const id = { tenancy: { partition }, name: node };
  const element = make("div");
  let mark;
  return {
    elements: [make("h2", {}, "Last plans"), element],
    draw() {
      const all = found.all().find((one) => same(one.id, id))?.data?.plans ?? [];
      const next = JSON.stringify([found.whole, all]);
      if (mark === next) return;
      mark = next;
      // What somebody has opened or closed stays so.
      const known = new Map([...element.querySelectorAll("details")].map(({ dataset, open }) => [dataset.module, open]));
      const newest = [...all].reverse();
      const drawn = newest.map((plan, index) => drawing(plan, known.get(name(plan)) ?? index === 0));
      const nothing = make("p", {}, found.whole ? "No run has found anything to change." : "Not known yet.");
      element.replaceChildren(...(drawn.length > 0 ? drawn : [nothing]));
    },
  };
}

function drawing(plan, open) {
  const { revision, began, outcome, summary, resources = [], left_out } = plan;
  const when = began && make("time", { datetime: began }, new Date(began).toLocaleString());
  const title = make("summary", {}, make("strong", {}, name(plan)), " ", make("code", {}, short(revision?.name)), " ", state(plain(outcome, "RUN_OUTCOME_")), " ", when);
  const more = [summary, left_out].filter(Boolean).map((text) => make("p", { class: "note" }, text));
  return make("details", { open, "data-module": name(plan) }, title, resources.map(resource), more);
}

function state(outcome) {
  const element = make("span");
  show(element, badge(kind(outcome), outcome));
  return element;
}

function resource({ name, outcome, changes = [], messages = [], error }) {
  const said = messages.map((text) => make("p", { class: "said" }, text));
  const failed = error && make("pre", { class: "bad" }, error);
  const title = make("h3", {}, name, " ", state(plain(outcome, "RESOURCE_OUTCOME_")));
  return make("section", {}, title, changes.flatMap(change), said, failed);
}

function change({ name, before, after, diff }) {
  if (diff) return [make("p", {}, `${name}:`), make("pre", { class: "diff" }, diff.split("\n").filter(Boolean).map(line))];
  const [was, is] = [before && make("del", {}, before), after && make("ins", {}, after)];
  return make("p", {}, was || is ? `${name}: ` : name, was, was && is && " → ", is);
}

/** A line has its sign, so that it is known without its colour. */
function line(text) {
  return make("span", { class: LINES[text[0]] ?? "note" }, `${text}\n`);
}
