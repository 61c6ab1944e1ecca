// Modules: all of them, and one with its nodes.

import { assigned, errors, standing } from "./assignments.js";
import { badge, Facts, link, make, show } from "./elements.js";
import { parts } from "./graph.js";
import { List } from "./list.js";
import { rolled } from "./rollouts.js";
import { beginning, byName, condition, key, plain, same, shown, upToDate } from "./text.js";

/** What the scheduler says of a module. */
function said(module, type) {
  const found = condition(module, "scheduler", type);
  if (!found) return undefined;
  const kind = { true: "good", false: "bad" }[found.state] ?? "busy";
  const word = { true: "yes", false: "no" }[found.state] ?? "not known";
  return [badge(kind, word), found.message && { note: found.message }].filter(Boolean);
}

function mode(module) {
  const word = plain(module.data?.mode, "MODE_");
  return module.data?.suspended ? [word, badge("unknown", "suspended")] : word;
}

export function modules({ live, changed }) {
  const modules = live("module?watch=true&partition=*&namespace=*");
  const list = new List({
    what: "module",
    caption: "Modules",
    changed,
    key: ({ id }) => id.uid,
    words: (module) => [shown(module.id), plain(module.data?.mode, "MODE_"), module.data?.nodes ?? "", condition(module, "scheduler", "applied")?.message ?? ""],
    columns: [
      { title: "Module", cell: ({ id }) => link(`#/modules/${key(id)}`, shown(id)) },
      { title: "Mode", cell: mode },
      { title: "Nodes", cell: ({ data }) => data?.nodes && { code: data.nodes } },
      { title: "Scheduled", cell: (module) => said(module, "scheduled") },
      { title: "Applied", cell: (module) => said(module, "applied") },
      { title: "Rolled out", cell: (module) => said(module, "rolled_out") },
    ],
  });
  const draw = () => {
    const all = modules.all().sort(byName);
    const applied = all.filter((module) => condition(module, "scheduler", "applied")?.state === "true");
    list.show(all, { whole: modules.whole, tally: `${applied.length} applied` });
  };
  return { title: "Modules", elements: [list.element], draw };
}

export function module({ live, once, changed }, [partition, namespace, plainName]) {
  const id = { tenancy: { partition, namespace }, name: plainName };
  const of = (kind, prefix) => live(`${kind}?watch=true&${new URLSearchParams({ partition, namespace, name_prefix: prefix })}`);
  // The names of assignments begin with those of their nodes.
  const [modules, assignments, rollouts] = [of("module", plainName), of("assignment", ""), of("rollout", beginning(plainName))];
  const state = make("p", { role: "status" });
  const facts = new Facts();
  const node = ({ data }) => data?.node;
  const list = assigned({
    caption: "Its nodes",
    changed,
    words: (assignment) => [shown(node(assignment) ?? assignment.id), standing(assignment).text],
    head: { title: "Node", cell: (assignment) => node(assignment) && link(`#/nodes/${key(node(assignment))}`, shown(node(assignment))) },
  });
  const failures = make("div");
  const history = rolled({ caption: "Its rollouts", changed, head: { title: "Number", cell: ({ id, data }) => link(`#/rollouts/${key(id)}`, data?.number) } });
  const text = make("div");
  const graph = parts({ once, changed }, `v1/modules/${encodeURIComponent(plainName)}/graph?${new URLSearchParams({ partition, namespace })}`);
  const draw = (now) => {
    const module = modules.all().find((found) => same(found.id, id));
    const stale = module?.status?.scheduler && !upToDate(module, "scheduler");
    show(state, module ? (stale ? badge("busy", "changed: nodes are being notified") : "") : modules.whole ? badge("bad", "there is no such module") : "Not known yet.");
    const { content = {}, nodes, interval, windows = [] } = module?.data ?? {};
    facts.show([
      ["Mode", module && mode(module)],
      ["Nodes", nodes && { code: nodes }],
      ["Checked every", interval],
      ["Changed", windows.map(({ days, from, to, zone }) => ({ note: `${days || "every day"} from ${from} to ${to} ${zone}` }))],
      ["Scheduled", said(module, "scheduled")],
      ["Applied", said(module, "applied")],
      ["Rolled out", said(module, "rolled_out")],
      ["Source", content.source && [content.source.url, { note: `SHA-256 ${content.source.sha256}` }]],
      ["Parameters", Object.keys(content.params ?? {}).sort().map((name) => ({ code: name }))],
    ]);
    const own = ({ owner }) => same(owner, id);
    const its = assignments.all().filter(own).sort((one, other) => byName({ id: node(one) ?? one.id }, { id: node(other) ?? other.id }));
    list.show(its, { whole: assignments.whole, now });
    errors(failures, its, (assignment) => shown(node(assignment) ?? assignment.id));
    history.show(rollouts.all().filter(own), { whole: rollouts.whole, now });
    show(text, content.text && { lines: content.text });
    graph.draw(content.text && module.generation);
  };
  const head = (title) => make("h2", {}, title);
  const elements = [state, facts.element, head("Nodes"), list.element, failures, head("Rollouts"), history.element, graph.element, head("Text"), text];
  return { title: `Module ${shown(id)}`, elements, draw };
}
