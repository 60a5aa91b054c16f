// The records of a scan: pages from the server, sorted and filtered there.

import { counted, element } from "./elements.js";
import { ask } from "./api.js";
import { button, labelled, newID, setText } from "./controls.js";
import { addedFields, addedName, badges, statusElement, valueText } from "./record.js";
import { momentElement } from "./times.js";

/** @import { SondeRecord } from "./record.js" */

const PAGE_SIZE = 50;

/** A longer text gets a wider column, in characters. */
const LONG_TEXT = 20;

/** How long after the last key the filter is applied, in milliseconds. */
const TYPING_PAUSE = 250;

/** The columns: the field that they show and sort by, and their header. @type {[string, string, string?][]} */
const COLUMNS = [
  ["ip", "Address", "address"], ["status", "Status"], ["country", "Country"], ["region", "Region"], ["city", "City"],
  ["asn", "AS number", "number"], ["as_name", "AS name"], ["isp", "ISP"], ["hostname", "Host name"], ["source", "Source"],
  ["fetched_at", "Fetched"], ["message", "Message"], ["line", "Line", "number"],
];

/** @param {SondeRecord} record @param {string} field */
function cellOf(record, field) {
  const value = record[field];
  if (value === undefined || value === null) return "";
  if (field === "status") return statusElement(value);
  if (field === "fetched_at") return momentElement(value);
  if (field === "ip") return element("span", {}, value, ...badges(record).flatMap((badge) => [" ", badge]));
  const text = valueText(value);
  return text.length > LONG_TEXT ? element("span", { class: "long" }, text) : text;
}

/** The table "Records", with what turns its pages. */
export class RecordTable {
  /** @param {string} path @param {AbortSignal} signal */
  constructor(path, signal) {
    this.path = path;
    this.signal = signal;
    this.page = 1;
    this.pages = 1;
    /** The fields that sources have added, as far as records have shown them. @type {string[]} */
    this.added = [];
    /** The header of each column. @type {Map<string, HTMLElement>} */
    this.headers = new Map();
    this.sort = "";
    this.isSortable = false;
    this.filter = element("input", { type: "text", autocomplete: "off", spellcheck: "false", class: "filter" });
    this.filter.addEventListener("input", () => this.typed());
    this.status = element("p", { role: "status" });
    this.previous = button("Previous page", () => this.turn(-1), { icon: "back", isBare: true });
    this.following = button("Next page", () => this.turn(1), { icon: "next", isBare: true });
    this.note = element("p", { class: "soft" });
    this.element = this.build();
  }

  build() {
    const heading = element("h2", { id: newID() }, "Records");
    this.body = element("tbody");
    this.head = element("tr");
    for (const [field, name, kind] of COLUMNS) this.addHeader(field, name, kind);
    const table = element("table", { class: "records", "aria-labelledby": heading.id }, element("thead", {}, this.head), this.body);
    const box = element("div", { class: "table-box", role: "group", tabindex: 0, "aria-labelledby": heading.id }, table);
    const tools = element("div", { class: "table-tools" }, heading, labelled("Filter", this.filter), element("div", { class: "pager" }, this.status, this.previous, this.following));
    return element("div", { class: "table" }, tools, box, this.note);
  }

  /** @param {string} field @param {string} name @param {string} [kind] */
  addHeader(field, name, kind = "text") {
    const sorter = element("button", { type: "button" }, name);
    sorter.disabled = !this.isSortable;
    sorter.addEventListener("click", () => this.sortBy(field));
    const header = element("th", { scope: "col", class: kind }, sorter);
    this.headers.set(field, header);
    this.head?.append(header);
  }

  typed() {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => {
      this.page = 1;
      this.load();
    }, TYPING_PAUSE);
  }

  /** @param {number} by */
  turn(by) {
    this.page += by;
    this.load();
  }

  /** Orders by a column; the second time the other way round. @param {string} field */
  sortBy(field) {
    this.sort = this.sort === field ? `-${field}` : field;
    this.page = 1;
    this.markSorted();
    this.load();
  }

  markSorted() {
    this.headers.forEach((header, field) => {
      if (this.sort.replace(/^-/, "") === field) header.setAttribute("aria-sort", this.sort.startsWith("-") ? "descending" : "ascending");
      else header.removeAttribute("aria-sort");
    });
  }

  /** While a scan runs its records stand in the order of the input alone. @param {boolean} isSortable */
  setSortable(isSortable) {
    if (isSortable === this.isSortable && this.hasSaid) return;
    this.hasSaid = true;
    this.isSortable = isSortable;
    for (const header of this.headers.values()) /** @type {HTMLButtonElement} */ (header.firstChild).disabled = !isSortable;
    if (!isSortable) this.sort = "";
    this.markSorted();
    setText(this.note, isSortable ? "" : "In the order of the input; sorting comes when the scan has ended.");
  }

  /** Reads a page. @param {{ isQuiet?: boolean }} [how] */
  async load({ isQuiet = false } = {}) {
    const query = { page: this.page, size: PAGE_SIZE, sort: this.sort, filter: this.filter.value.trim() };
    const asked = (this.asked = JSON.stringify(query));
    if (!isQuiet) this.element.setAttribute("aria-busy", "true");
    try {
      const { items, page, pages, total } = await ask("GET", `${this.path}/records`, { query, signal: this.signal });
      // A later question has another answer.
      if (asked !== this.asked) return;
      this.show(items, page, Math.max(1, pages), total);
    } finally {
      this.element.removeAttribute("aria-busy");
    }
  }

  /** @param {SondeRecord[]} items @param {number} page @param {number} pages @param {number} total */
  show(items, page, pages, total) {
    [this.page, this.pages] = [Math.min(page, pages), pages];
    setText(this.status, `Page ${this.page} of ${pages}`);
    this.status.title = counted(total, "record");
    const focused = document.activeElement;
    this.previous.disabled = this.page <= 1;
    this.following.disabled = this.page >= pages;
    if (focused === this.previous && this.previous.disabled) this.following.focus();
    if (focused === this.following && this.following.disabled) this.previous.focus();
    for (const field of items.flatMap(addedFields)) {
      if (this.added.includes(field)) continue;
      this.added.push(field);
      this.addHeader(field, addedName(field));
    }
    const columns = [...COLUMNS, ...this.added.map((field) => /** @type {[string, string, string?]} */ ([field, field]))];
    const rows = items.map((record) => element("tr", {}, ...columns.map(([field, , kind]) => element("td", { class: kind ?? "text" }, cellOf(record, field)))));
    if (!rows.length) rows.push(element("tr", {}, element("td", { colspan: columns.length, class: "nothing soft" }, this.filter.value ? "Nothing matches." : "No records yet.")));
    this.body?.replaceChildren(...rows);
  }
}
