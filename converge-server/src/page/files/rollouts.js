// Rollouts: all of them, and one with how far each node is.

import { ago, assigned, standing } from "./assignments.js";
import { badge, Facts, link, make, show } from "./elements.js";
import { List } from "./list.js";
import { byName, condition, count, key, plain, same, short, shown, span, upToDate } from "./text.js";

const KINDS = { running: "busy", complete: "good", failed: "bad" };

function phase({ data }) {
  const word = plain(data?.phase, "PHASE_");
  return badge(KINDS[word] ?? "unknown", word);
}

/** Why it ended, or how far it has come. */
function why(rollout) {
  return rollout.data?.reason || condition(rollout, "scheduler", "complete")?.message;
}

function took({ data }, now) {
  const [began, ended] = [data?.began, data?.ended].map((at) => at && Date.parse(at));
  return began && span(((ended ?? now) - began) / 1000);
}

/** A table of rollouts, the newest first. */
export function rolled({ caption, head, changed, words }) {
  let at;
  const list = new List({
    what: "rollout",
    caption,
    changed,
    words,
    key: ({ id }) => id.uid,
    columns: [
      head,
      { title: "Phase", cell: phase },
      { title: "Why", cell: why },
      { title: "Version", cell: ({ data }) => data?.to && { code: short(data.to.name) } },
      { title: "Began", cell: ({ data }) => ago(data?.began, at) },
      { title: "Took", cell: (rollout) => took(rollout, at) },
    ],
  });
  return {
    element: list.element,
    show(all, { now, ...more }) {
      at = now;
      list.show(all.sort((one, other) => Date.parse(other.data?.began ?? 0) - Date.parse(one.data?.began ?? 0)), more);
    },
  };
}

const title = ({ owner, id, data }) => (owner ? `${shown(owner)} ${data?.number ?? ""}` : shown(id));

export function rollouts({ live, changed }) {
  const rollouts = live("rollout?watch=true&partition=*&namespace=*");
  const list = rolled({
    caption: "Rollouts",
    changed,
    words: (rollout) => [title(rollout), phase(rollout).text, why(rollout) ?? ""],
    head: { title: "Rollout", cell: (rollout) => link(`#/rollouts/${key(rollout.id)}`, title(rollout)) },
  });
  const draw = (now) => {
    const all = rollouts.all();
    const running = all.filter((rollout) => phase(rollout).text === "running").length;
    list.show(all, { whole: rollouts.whole, now, tally: `${running} running` });
  };
  return { title: "Rollouts", elements: [list.element], draw };
}

export function rollout({ live, changed }, [partition, namespace, plainName]) {
  const id = { tenancy: { partition, namespace }, name: plainName };
  const of = (kind, prefix) => live(`${kind}?watch=true&${new URLSearchParams({ partition, namespace, name_prefix: prefix })}`);
  const [rollouts, assignments] = [of("rollout", plainName), of("assignment", "")];
  const state = make("p", { role: "status" });
  const facts = new Facts();
  const progress = make("p", { role: "status" });
  const node = ({ data }) => data?.node;
  let current;
  const has = (assignment) => same(assignment.data?.revision, current?.data?.to);
  const list = assigned({
    caption: "Its nodes",
    changed,
    words: (assignment) => [shown(node(assignment) ?? assignment.id), standing(assignment).text, has(assignment) ? "this" : "another"],
    head: { title: "Node", cell: (assignment) => node(assignment) && [link(`#/nodes/${key(node(assignment))}`, shown(node(assignment))), { note: has(assignment) ? "has this version" : "has another version" }] },
  });
  const draw = (now) => {
    current = rollouts.all().find((found) => same(found.id, id));
    show(state, current ? [phase(current), { note: why(current) ?? "" }] : rollouts.whole ? badge("bad", "there is no such rollout") : "Not known yet.");
    const { owner, data } = current ?? {};
    facts.show([
      ["Module", owner && link(`#/modules/${key(owner)}`, shown(owner))],
      ["Number", data?.number],
      ["To", data?.to && { code: short(data.to.name) }],
      ["From", data?.from && { code: short(data.from.name) }],
      ["Began", ago(data?.began, now)],
      ["Took", current && took(current, now)],
    ]);
    const all = owner ? assignments.all().filter((assignment) => same(assignment.owner, owner)) : [];
    const mine = all.filter(has);
    const well = mine.filter((assignment) => upToDate(assignment, "agent") && standing(assignment).kind === "good");
    show(progress, current && `${count(all.length, "node")} in all: ${mine.length} with this version, of which ${well.length} applied it.`);
    // Those that have it first: they are what is waited for.
    list.show(all.sort((one, other) => has(other) - has(one) || byName({ id: node(one) ?? one.id }, { id: node(other) ?? other.id })), { whole: assignments.whole && rollouts.whole, now });
  };
  return { title: `Rollout ${shown(id)}`, elements: [state, facts.element, make("h2", {}, "Nodes"), progress, list.element], draw };
}
