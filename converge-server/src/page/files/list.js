// A table that a filter makes shorter, and that never shows more rows than people read.

import { make, show } from "./elements.js";
import { count } from "./text.js";

/** How many rows there are at most: the others are found by the filter. */
export const MOST = 200;

export class List {
  /**
   * `what` one row is, what the table is called, and its columns: a title and what a cell says. The first one is the head of the row. `words`
   * is what the filter looks at; without it there is no filter.
   */
  constructor({ what, caption, columns, key, words, changed }) {
    Object.assign(this, { what, columns, key, words, rows: new Map() });
    this.summary = make("p", { role: "status" });
    // A table whose parts are blocks is none for those who listen to it, unless it says so.
    this.body = make("tbody", { role: "rowgroup" });
    const heads = columns.map(({ title }) => make("th", { scope: "col", role: "columnheader" }, title));
    const head = make("thead", { role: "rowgroup" }, make("tr", { role: "row" }, heads));
    this.table = make("table", { role: "table", "aria-label": caption }, head, this.body);
    this.input = words && make("input", { type: "search", autocomplete: "off", spellcheck: "false" });
    this.input?.addEventListener("input", changed);
    const filter = this.input && make("p", { class: "filter" }, make("label", {}, "Filter by words", this.input));
    this.element = make("div", {}, filter, this.summary, this.table);
  }

  /** Shows the first of these, and how many there are; `tally` says more of all of them. `whole` is whether all are known yet. */
  show(items, { whole, tally = "" }) {
    const wanted = (this.input?.value ?? "").toLowerCase().split(/\s+/).filter(Boolean);
    const fits = (item) => {
      const text = this.words(item).join("\n").toLowerCase();
      return wanted.every((word) => text.includes(word));
    };
    const found = wanted.length > 0 ? items.filter(fits) : items;
    const visible = found.slice(0, MOST);
    this.reconcile(visible);
    this.table.hidden = visible.length === 0;
    show(this.summary, this.said(items, found, visible, { whole, tally }));
  }

  said(items, found, visible, { whole, tally }) {
    if (!whole) return "Not known yet.";
    if (items.length === 0) return `There is no ${this.what}.`;
    const parts = [`${count(items.length, this.what)}${tally && `: ${tally}`}.`];
    if (found.length < items.length) parts.push(`${found.length.toLocaleString("en")} of them match the filter.`);
    if (visible.length < found.length) parts.push(`Only the first ${visible.length} are shown; filter to see others.`);
    return parts.join(" ");
  }

  /** Makes the rows those of these items, in their order, and changes as little as possible, so that who reads or has the focus keeps it. */
  reconcile(items) {
    const keep = new Set(items.map((item) => this.key(item)));
    for (const [key, row] of this.rows) {
      if (!keep.has(key)) {
        row.element.remove();
        this.rows.delete(key);
      }
    }
    let next = this.body.firstElementChild;
    for (const item of items) {
      const key = this.key(item);
      let row = this.rows.get(key);
      if (!row) this.rows.set(key, (row = this.row()));
      if (row.element === next) next = next.nextElementSibling;
      else this.body.insertBefore(row.element, next);
      this.columns.forEach(({ cell }, index) => show(row.cells[index], cell(item)));
    }
  }

  row() {
    const cells = this.columns.map(({ title }, index) =>
      index === 0
        ? make("th", { scope: "row", role: "rowheader" })
        : make("td", { role: "cell", "data-title": title }),
    );
    return { cells, element: make("tr", { role: "row" }, cells) };
  }
}
