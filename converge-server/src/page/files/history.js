// What was done on a node: a drawing of when it was as its modules say and when not, and a table of the runs.

import { ago } from "./assignments.js";
import { badge, draw, link, make } from "./elements.js";
import { List } from "./list.js";
import { count, key, plain, same, shown } from "./text.js";

/** Kinds of outcomes, and how high their bars are, in percent: what went wrong is seen without its colour. */
const OUTCOMES = {
  unchanged: ["good", 25],
  changed: ["changed", 60],
  differs: ["changed", 60],
  failed: ["bad", 100],
  lost: ["bad", 100],
  cancelled: ["unknown", 40],
};
/** What says something that is newer than the page. */
const OTHER = ["unknown", 40];
/** How wide a drawing is, in its own units, and a run at least. */
const [WIDTH, LEAST] = [1000, 4];

const outcome = (run) => plain(run.outcome, "RUN_OUTCOME_");
const kind = (run) => (OUTCOMES[outcome(run)] ?? OTHER)[0];
const name = ({ module, id }) => (module ? shown(module) : id);

/** The history of one node. */
export function history({ live, changed }, partition, node) {
  const histories = live(`nodehistory?watch=true&${new URLSearchParams({ partition, name_prefix: node })}`);
  const id = { tenancy: { partition }, name: node };
  let at;
  const list = new List({
    what: "run",
    caption: "Runs, the newest first",
    changed,
    key: (run) => run.id,
    words: (run) => [name(run), outcome(run), run.summary ?? "", ...(run.changes ?? []), ...(run.errors ?? [])],
    columns: [
      { title: "Module", cell: (run) => (run.module ? link(`#/modules/${key(run.module)}`, shown(run.module)) : run.id) },
      { title: "When", cell: (run) => ago(run.last ?? run.began, at) },
      { title: "Outcome", cell: (run) => badge(kind(run), outcome(run)) },
      { title: "Times", cell: ({ times }) => (Number(times) > 1 ? times : undefined) },
      { title: "Took", cell: took },
      { title: "Resources", cell: (run) => [run.summary, run.changes?.length && { note: run.changes.join(", ") }].filter(Boolean) },
      { title: "Errors", cell: ({ errors = [] }) => errors.map((lines) => ({ lines })) },
    ],
  });
  const drawing = make("div");
  return {
    elements: [make("h2", {}, "History"), drawing, list.element],
    draw(now) {
      at = now;
      const runs = histories.all().find((found) => same(found.id, id))?.data?.runs ?? [];
      const newest = [...runs].reverse();
      list.show(newest, { whole: histories.whole });
      const mark = JSON.stringify(runs);
      if (drawing.dataset.mark === mark) return;
      drawing.dataset.mark = mark;
      drawing.replaceChildren(...(runs.length > 0 ? [timeline(runs)] : []));
    },
  };
}

function took({ took }) {
  const seconds = Number.parseFloat(took);
  if (Number.isNaN(seconds)) return undefined;
  return seconds < 1 ? `${Math.round(seconds * 1000)} ms` : `${seconds.toFixed(1)} s`;
}

/** A lane for each module, in which each run is a bar from when it came to this first to when it did so last. */
function timeline(runs) {
  const [from, to] = [Math.min(...runs.map(began)), Math.max(...runs.map(ended))];
  const x = (time) => (to > from ? ((time - from) / (to - from)) * (WIDTH - LEAST) : 0);
  const lanes = new Map();
  for (const run of runs) lanes.set(name(run), [...(lanes.get(name(run)) ?? []), run]);
  const drawn = [...lanes].sort().map(([module, its]) => {
    const bars = its.map((run) => {
      const [kind, height] = OUTCOMES[outcome(run)] ?? OTHER;
      const width = Math.max(LEAST, x(ended(run)) - x(began(run)));
      return draw("rect", { class: `bar ${kind}`, x: x(began(run)), y: 100 - height, width, height }, draw("title", {}, said(run)));
    });
    const bad = its.filter((run) => kind(run) === "bad").length;
    const label = `${module}: ${count(its.length, "run")}, of which ${bad} failed or were lost`;
    const shape = { class: "lane", viewBox: `0 0 ${WIDTH} 100`, preserveAspectRatio: "none", role: "img", "aria-label": label };
    return [make("p", { class: "of" }, module), draw("svg", shape, bars)];
  });
  const ends = [from, to].map((time) => make("time", { datetime: new Date(time).toISOString() }, new Date(time).toLocaleString()));
  const legend = "Low bar: nothing differed. Middle bar: something differed or was changed. High bar: the run failed.";
  return make("figure", {}, drawn.flat(), make("p", { class: "ends" }, ends), make("figcaption", { class: "note" }, legend));
}

function said(run) {
  const times = Number(run.times) > 1 ? `, ${run.times} times` : "";
  return `${outcome(run)}, ${new Date(began(run)).toLocaleString()}${times}`;
}

const began = (run) => Date.parse(run.began ?? run.last ?? 0);
const ended = (run) => Date.parse(run.last ?? run.began ?? 0);
