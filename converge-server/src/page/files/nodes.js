// Machines: all of them, and one with what is assigned to it.

import { assigned, errors } from "./assignments.js";
import { badge, Facts, link, make, show, time } from "./elements.js";
import { history } from "./history.js";
import { List } from "./list.js";
import { plans } from "./plans.js";
import { beginning, byName, condition, key, same, shown, span, updated } from "./text.js";

/** Whether a node is there, as the server says. */
function ready(node) {
  if (node.data?.suspended) return badge("unknown", "suspended");
  const found = condition(node, "nodes", "ready");
  if (found?.state === "true") return badge("good", "ready");
  return badge(found?.state === "false" ? "bad" : "unknown", found?.reason === "Silent" ? "silent" : "never reported");
}

function labels(node) {
  const written = Object.entries(node.metadata ?? {}).filter(([name]) => name !== "finalizers");
  return written.map(([name, value]) => ({ label: value === "" ? name : `${name}=${value}` }));
}

function heard(report, now) {
  const at = updated(report, "agent");
  return at ? time(at, `${span((now - Date.parse(at)) / 1000)} ago`) : { note: "never" };
}

export function nodes({ live, changed }) {
  const [nodes, reports] = [live(`node?watch=true&partition=*`), live(`nodereport?watch=true&partition=*`)];
  let of = new Map();
  let at;
  const list = new List({
    what: "node",
    caption: "Nodes",
    changed,
    key: (node) => node.id.uid,
    words: (node) => [shown(node.id), ready(node).text, of.get(key(node.id))?.data?.version ?? "", ...labels(node).map(({ label }) => label)],
    columns: [
      { title: "Node", cell: (node) => link(`#/nodes/${key(node.id)}`, shown(node.id)) },
      { title: "State", cell: ready },
      { title: "Heard", cell: (node) => heard(of.get(key(node.id)), at) },
      { title: "Agent", cell: (node) => of.get(key(node.id))?.data?.version },
      { title: "Labels", cell: labels },
    ],
  });
  const draw = (now) => {
    at = now;
    of = new Map(reports.all().map((report) => [key(report.id), report]));
    const all = nodes.all().sort(byName);
    const states = new Map();
    for (const { text } of all.map(ready)) states.set(text, (states.get(text) ?? 0) + 1);
    const tally = [...states].sort().map(([text, number]) => `${number} ${text}`).join(", ");
    list.show(all, { whole: nodes.whole, tally });
  };
  return { title: "Nodes", elements: [list.element], draw };
}

export function node({ live, changed }, [partition, plain]) {
  const id = { tenancy: { partition }, name: plain };
  const of = (kind, more) => live(`${kind}?watch=true&${new URLSearchParams({ partition, ...more })}`);
  const [nodes, reports] = ["node", "nodereport"].map((kind) => of(kind, { name_prefix: plain }));
  const assignments = of("assignment", { namespace: "*", name_prefix: beginning(plain) });
  const state = make("p", { role: "status" });
  const facts = new Facts();
  const list = assigned({
    caption: "Assigned modules",
    changed,
    head: { title: "Module", cell: ({ owner }) => owner && link(`#/modules/${key(owner)}`, shown(owner)) },
  });
  const failures = make("div");
  const last = plans({ live }, partition, plain);
  const done = history({ live, changed }, partition, plain);
  const draw = (now) => {
    const node = nodes.all().find((found) => same(found.id, id));
    const report = reports.all().find((found) => same(found.id, id));
    const why = condition(node, "nodes", "ready")?.message;
    show(state, node ? [ready(node), why && { note: why }].filter(Boolean) : nodes.whole ? badge("bad", "there is no such node") : "Not known yet.");
    facts.show([
      ["Description", node?.data?.description],
      ["Heard", report && heard(report, now)],
      ["Agent", report?.data?.version],
      ["Labels", node ? labels(node) : []],
      ...Object.entries(report?.data?.facts ?? {}).sort().map(([name, value]) => [`Fact: ${name}`, value]),
    ]);
    const own = assignments.all().filter(({ data }) => same(data?.node, id)).sort((one, other) => byName({ id: one.owner ?? one.id }, { id: other.owner ?? other.id }));
    list.show(own, { whole: assignments.whole, now, tally: "" });
    errors(failures, own, ({ owner, id }) => shown(owner ?? id));
    last.draw();
    done.draw(now);
  };
  const elements = [state, facts.element, make("h2", {}, "Modules"), list.element, failures, ...last.elements, ...done.elements];
  return { title: `Node ${shown(id)}`, elements, draw };
}
