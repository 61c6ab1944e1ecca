// What happened, as the server keeps it: to what, how often, and whether somebody should look.

import { ago } from "./assignments.js";
import { badge, link } from "./elements.js";
import { List } from "./list.js";
import { key, plain, shown } from "./text.js";

/** Kinds of resources that have a view of their own. */
const VIEWS = { Node: "nodes", Module: "modules", Rollout: "rollouts" };

const kind = ({ data }) => data?.about?.type?.kind ?? "";
const is_warning = ({ data }) => data?.severity === "SEVERITY_WARNING";
const last = ({ data }) => Date.parse(data?.last ?? data?.first ?? 0);

/** What it happened to; that may be gone. */
function about(event) {
  const { about } = event.data ?? {};
  if (!about) return undefined;
  const [view, name] = [VIEWS[kind(event)], shown(about)];
  return [{ note: kind(event).toLowerCase() }, view ? link(`#/${view}/${key(about)}`, name) : name];
}

export function events({ live, changed }) {
  const events = live("event?watch=true&partition=*");
  let at;
  const list = new List({
    what: "event",
    caption: "Events, the latest first",
    changed,
    key: ({ id }) => id.uid,
    words: (event) => [kind(event), shown(event.data?.about ?? {}), event.data?.reason ?? "", event.data?.message ?? "", plain(event.data?.severity, "SEVERITY_")],
    columns: [
      { title: "What", cell: (event) => badge(is_warning(event) ? "bad" : "good", event.data?.reason ?? "") },
      { title: "To what", cell: about },
      { title: "When", cell: (event) => ago(event.data?.last, at) },
      { title: "Times", cell: ({ data }) => (Number(data?.times) > 1 ? data.times : undefined) },
      { title: "Message", cell: ({ data }) => data?.message },
    ],
  });
  const draw = (now) => {
    at = now;
    const all = events.all().sort((one, other) => last(other) - last(one));
    const warnings = all.filter(is_warning).length;
    list.show(all, { whole: events.whole, tally: warnings > 0 ? `${warnings} to look at` : "" });
  };
  return { title: "Events", elements: [list.element], draw };
}
