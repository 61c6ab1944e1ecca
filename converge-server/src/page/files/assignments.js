// What modules have come to on nodes, as agents report it.

import { badge, make, time } from "./elements.js";
import { List } from "./list.js";
import { condition, plain, short, span, upToDate, updated } from "./text.js";

const of = (assignment, type) => condition(assignment, "agent", type);
const holds = (assignment, type) => of(assignment, type)?.state === "true";

/** What came of an assignment, in one word. */
export function standing(assignment) {
  if (assignment.data?.suspended || holds(assignment, "suspended")) return badge("unknown", "suspended");
  if (!assignment.status?.agent) return badge("unknown", "not reported yet");
  if (!upToDate(assignment, "agent")) return badge("busy", "waiting for its agent");
  if (holds(assignment, "failed")) return badge("bad", "failed");
  if (holds(assignment, "applied")) return badge("good", "applied");
  return of(assignment, "applied")?.state === "false" ? badge("bad", "not applied") : badge("unknown", "may differ");
}

/** A table of assignments; its first column says what tells them apart. */
export function assigned({ caption, head, changed, words }) {
  let at;
  const list = new List({
    what: "assignment",
    caption,
    changed,
    words,
    key: ({ id }) => id.uid,
    columns: [
      head,
      { title: "State", cell: standing },
      { title: "Mode", cell: ({ data }) => plain(data?.mode, "MODE_") },
      { title: "Plan", cell: (assignment) => of(assignment, "planned")?.message },
      { title: "Result", cell: (assignment) => of(assignment, "applied")?.message },
      { title: "Drift", cell: drift },
      { title: "Version", cell: ({ data }) => data?.revision && { code: short(data.revision.name) } },
      { title: "Since", cell: (assignment) => ago(updated(assignment, "agent"), at) },
    ],
  });
  return {
    element: list.element,
    show(all, { now, ...more }) {
      at = now;
      list.show(all, more);
    },
  };
}

function drift(assignment) {
  const found = of(assignment, "drifted");
  if (!found) return undefined;
  return found.state === "true" ? [badge("bad", "drifted"), { note: found.message }] : "none";
}

/** How long ago something was. */
export function ago(at, now) {
  return at && time(at, `${span((now - Date.parse(at)) / 1000)} ago`);
}

/** The first errors of assignments, as their agents told them. */
export function errors(element, all, name) {
  const failed = all.filter((assignment) => holds(assignment, "failed")).slice(0, 20);
  const said = failed.map((assignment) => [name(assignment), of(assignment, "failed").message ?? ""]);
  const mark = JSON.stringify(said);
  if (element.dataset.mark === mark) return;
  element.dataset.mark = mark;
  const texts = said.flatMap(([name, text]) => [make("h3", {}, name), make("pre", {}, text)]);
  element.replaceChildren(...(texts.length > 0 ? [make("h2", {}, "Errors"), ...texts] : []));
}
