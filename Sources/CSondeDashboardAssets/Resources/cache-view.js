// The view "Cache": how much is kept, and each answer.

import { counted, element, grouped } from "./elements.js";
import { ask } from "./api.js";
import { button, labelled, newID, setText, whileBusy } from "./controls.js";
import { confirmed } from "./confirming.js";
import { ErrorPlace } from "./errors.js";
import { networkText, placeText, statusElement } from "./record.js";
import { sizeText } from "./scan-states.js";
import { Table } from "./tables.js";
import { ageElement } from "./times.js";
import { loadStyle } from "./styles.js";

/**
 * @import { SondeRecord } from "./record.js"
 * @import { View } from "./views.js"
 */

await loadStyle("views.css");

const ROWS_AT_ONCE = 100;

/** How long after the last key the search begins, in milliseconds. */
const TYPING_PAUSE = 250;

class CacheView {
  /** @param {AbortSignal} signal */
  constructor(signal) {
    this.signal = signal;
    this.errors = new ErrorPlace();
    this.figures = element("dl", { class: "figures" });
    this.search = element("input", { type: "text", autocomplete: "off", spellcheck: "false" });
    this.found = element("p", { role: "status", class: "soft" });
    this.clearer = button("Clear", () => this.clear(), { icon: "remove" });
    this.more = button("Show more", () => this.load(this.next), { class: "more" });
    this.more.hidden = true;
    /** @type {string | null} */
    this.next = null;
    /** @type {SondeRecord[]} */
    this.records = [];
    this.heading = element("h2", { id: newID() }, "Answers");
    this.table = new Table("Answers", /** @type {import("./tables.js").Column<SondeRecord>[]} */ ([
      { header: "Address", class: "address", cell: ({ ip }) => ip },
      { header: "Status", class: "status", cell: ({ status }) => statusElement(status) },
      { header: "Place", class: "place", cell: placeText },
      { header: "Network", class: "network", cell: networkText },
      { header: "Source", class: "source", cell: ({ source }) => source ?? "" },
      { header: "Age", class: "number age-cell", cell: ({ fetched_at }) => (fetched_at ? ageElement(fetched_at) : "") },
      { header: "", class: "row-action", cell: (record) => this.deleter(record) },
    ]), { class: "cards answers", signal }, this.heading.id);
    this.table.headers[6].append(element("span", { class: "unseen" }, "Action"));
    this.search.addEventListener("input", () => this.typed());
  }

  /** @param {HTMLElement} main */
  build(main) {
    main.className = "cache-view";
    main.replaceChildren(
      element("div", { class: "heading" }, element("h1", { tabindex: -1 }, "Cache"), this.clearer), this.figures, this.errors.element,
      element("section", { class: "card" }, element("div", { class: "table-tools" }, this.heading, this.found, labelled("Search", this.search)), this.table.element, this.more));
  }

  /** @param {SondeRecord} record */
  deleter(record) {
    const made = button("Delete", () => this.remove(record, made), { icon: "remove", class: "small" });
    made.setAttribute("aria-description", record.ip);
    return made;
  }

  typed() {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.load(null), TYPING_PAUSE);
  }

  async loadFigures() {
    const { count, bytes, oldest } = await ask("GET", "cache/stats", { signal: this.signal });
    const rows = [["Answers", grouped(count)], ["Size", sizeText(bytes)], ["Oldest", oldest ? ageElement(oldest) : "–"]];
    this.figures.replaceChildren(...rows.map(([name, value]) => element("div", {}, element("dt", {}, name), element("dd", {}, value))));
    this.count = count;
    this.clearer.disabled = count === 0;
  }

  /** Reads the rows, or the next ones. @param {string | null} before */
  async load(before) {
    const query = { search: this.search.value.trim(), limit: ROWS_AT_ONCE, before };
    this.table.panel.nothing = query.search ? "Nothing is found." : "Nothing is kept: answers come with look-ups and scans.";
    await this.table.load(async (signal) => {
      const [{ items, next }] = await Promise.all([ask("GET", "cache", { query, signal }), before ? null : this.loadFigures()]);
      this.records = before ? [...this.records, ...items] : items;
      this.next = next;
      this.more.hidden = !next;
      setText(this.found, this.foundText(query.search));
      return this.records;
    });
  }

  /** How many answers are shown, and of how many, where that is known. @param {string} search */
  foundText(search) {
    const shown = this.records.length;
    if (!this.next) return counted(shown, "answer");
    return search ? `The first ${counted(shown, "answer")} found` : `${grouped(shown)} of ${counted(Math.max(shown, this.count ?? 0), "answer")}`;
  }

  /** @param {SondeRecord} record @param {HTMLElement} control */
  remove(record, control) {
    whileBusy(control, () =>
      this.errors.around(async () => {
        await ask("DELETE", `cache/${encodeURIComponent(record.ip)}`);
        const row = control.closest("tr");
        const next = row?.nextElementSibling ?? row?.previousElementSibling;
        row?.remove();
        this.records = this.records.filter((each) => each !== record);
        this.table.panel.fill(this.records.length > 0);
        if (next) next.querySelector("button")?.focus();
        else this.search.focus();
        await this.loadFigures();
      }),
    );
  }

  async clear() {
    const isSure = await confirmed("Clear", "Clear the cache?", "All answers are deleted. What is looked up or scanned next is asked anew, and spends quota.");
    if (!isSure) return;
    await this.errors.around(async () => {
      await ask("DELETE", "cache");
      await this.load(null);
    });
  }
}

/** @type {View} */
export const cacheView = {
  title: "Cache",
  show(main, _, signal) {
    const view = new CacheView(signal);
    view.build(main);
    view.load(null);
  },
};
