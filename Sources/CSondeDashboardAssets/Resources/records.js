// The records of a scan: pages from the server, which also sorts, filters and counts them there. What is shown is in the page's address.

import { element, grouped } from "./elements.js";
import { ask } from "./api.js";
import { button, labelled, newID, setText } from "./controls.js";
import { ConditionBar } from "./condition-bar.js";
import { joined, parted } from "./conditions.js";
import { fieldOf, loadFields } from "./fields.js";
import { Panel } from "./panels.js";
import { BASE, viewURL } from "./paths.js";
import { badges, valueElement, valueText } from "./record.js";
import { openColumns, openRecord } from "./record-dialog.js";
import { setAddress } from "./views.js";

/** @import { SondeRecord } from "./record.js" */

const PAGE_SIZE = 50;

/** The columns of which a table without records has the headers. */
const FIRST_COLUMNS = ["ip", "status"];

/** A longer text gets a wider column, in characters. */
const LONG_TEXT = 20;

/** How long after the last key the filter is applied, in milliseconds. */
const TYPING_PAUSE = 250;

/** Where the browser keeps which columns are not to be seen. */
const HIDDEN_COLUMNS = `sonde.hidden-columns:${BASE}`;

/** The columns that nobody wants to see. */
const hiddenColumns = () => new Set((localStorage.getItem(HIDDEN_COLUMNS) ?? "").split(" ").filter(Boolean));

/** @param {SondeRecord} record @param {string} name */
function cellOf(record, name) {
  const value = record[name];
  if (value === undefined || value === null) return [];
  if (name === "ip") return [addressOf(record), ...badges(record).flatMap((badge) => [" ", badge])];
  const field = fieldOf(name);
  const made = valueElement(field, value);
  if (field.type !== "time" && name !== "status" && valueText(value).length > LONG_TEXT) return [element("span", { class: "long" }, made)];
  return [made];
}

/** The address of a row, which opens its card; what is no address is a text. @param {SondeRecord} record */
const addressOf = (record) => (record.status === "invalid" ? element("span", {}, valueText(record.ip)) : button(valueText(record.ip), () => openRecord(record), { class: "link" }));

/** The table "Records", with what turns its pages. */
export class RecordTable {
  /** @param {string} path @param {AbortSignal} signal */
  constructor(path, signal) {
    this.path = path;
    this.page = 1;
    this.pages = 1;
    this.sort = "";
    this.isSortable = false;
    /** @type {string[]} */
    this.conditions = [];
    /** The columns that have a value in this scan. @type {string[]} */
    this.columns = FIRST_COLUMNS;
    /** @type {SondeRecord[]} */
    this.items = [];
    this.filter = element("input", { type: "text", autocomplete: "off", spellcheck: "false", class: "filter" });
    this.filter.addEventListener("input", () => this.typed());
    this.chooser = button("Columns", () => this.chooseColumns(), { icon: "columns" });
    this.matches = element("p", { role: "status" });
    this.status = element("p", { role: "status" });
    this.previous = button("Previous page", () => this.turn(-1), { icon: "back", isBare: true });
    this.following = button("Next page", () => this.turn(1), { icon: "next", isBare: true });
    this.note = element("p", { class: "soft" });
    this.removers = new ConditionBar((condition) => this.removeCondition(condition));
    /** Told when other records are chosen. @type {(query: { filter: string, where: string }) => void} */
    this.onChoice = () => {};
    this.head = element("tr", { role: "row" });
    this.body = element("tbody", { role: "rowgroup" });
    const heading = element("h2", { id: newID() }, "Records");
    const table = element("table", { role: "table", class: "records", "aria-labelledby": heading.id }, element("thead", { role: "rowgroup" }, this.head), this.body);
    const box = element("div", { class: "table-box", role: "group", tabindex: 0, "aria-labelledby": heading.id }, table);
    this.panel = new Panel(this.body, "", signal, box);
    const pager = element("div", { class: "pager" }, this.status, this.previous, this.following);
    const tools = element("div", { class: "table-tools" }, heading, labelled("Filter", this.filter), this.matches, this.chooser, pager);
    this.element = element("div", { class: "table" }, tools, this.removers.element, this.panel.element, this.note);
    this.drawHead(FIRST_COLUMNS);
  }

  /** What the address says. */
  get choice() {
    return { filter: this.filter.value.trim(), where: joined(this.conditions) };
  }

  /** Takes what stands in the page's address. @param {URLSearchParams} query */
  take(query) {
    if (this.filter.value.trim() !== (query.get("filter") ?? "")) this.filter.value = query.get("filter") ?? "";
    this.conditions = parted(query.get("where") ?? "");
    this.sort = query.get("sort") ?? "";
    this.page = Math.max(1, Math.floor(Number(query.get("page") ?? 1)) || 1);
    this.chosen();
  }

  /** Puts into the page's address what is shown. @param {boolean} isStep */
  putIntoAddress(isStep) {
    const url = new URL(viewURL(this.path));
    const { filter, where } = this.choice;
    for (const [name, value] of Object.entries({ filter, where, sort: this.sort, page: this.page > 1 ? `${this.page}` : "" })) {
      if (value) url.searchParams.set(name, value);
    }
    setAddress(url.href, isStep);
  }

  /** Shows which records are chosen. */
  chosen() {
    this.removers.show(this.conditions);
    this.onChoice(this.choice);
  }

  /** Reads other records than those that are shown. @param {boolean} [isStep] */
  change(isStep = true) {
    this.putIntoAddress(isStep);
    this.chosen();
    this.load();
  }

  /** @param {string} condition */
  addCondition(condition) {
    if (this.conditions.includes(condition)) return;
    this.conditions.push(condition);
    this.page = 1;
    this.change();
  }

  /** @param {string} condition */
  removeCondition(condition) {
    this.conditions = this.conditions.filter((each) => each !== condition);
    this.page = 1;
    this.change();
    this.filter.focus();
  }

  typed() {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => {
      this.page = 1;
      this.change(false);
    }, TYPING_PAUSE);
  }

  /** @param {number} by */
  turn(by) {
    this.page += by;
    this.change();
  }

  /** Orders by a column; the second time the other way round. @param {string} field */
  sortBy(field) {
    this.sort = this.sort === field ? `-${field}` : field;
    this.page = 1;
    this.change();
  }

  /** While a scan runs its records stand in the order of the input alone. @param {boolean} isSortable */
  setSortable(isSortable) {
    this.isSortable = isSortable;
    for (const sorter of this.head.querySelectorAll("button")) sorter.disabled = !isSortable;
    setText(this.note, isSortable ? "" : "In the order of the input; sorting comes when the scan has ended.");
  }

  chooseColumns() {
    const hidden = hiddenColumns();
    const columns = this.columns.map((name) => ({ name, label: fieldOf(name).label, isShown: !hidden.has(name) }));
    openColumns(columns, (name, isShown) => {
      const names = hiddenColumns();
      if (isShown) names.delete(name);
      else names.add(name);
      localStorage.setItem(HIDDEN_COLUMNS, [...names].join(" "));
      this.draw();
    });
  }

  /** Reads a page; again only once the last one has come. @param {{ isAgain?: boolean }} [how] */
  load({ isAgain = false } = {}) {
    if (isAgain && this.panel.isReading) return undefined;
    const query = { page: this.page, size: PAGE_SIZE, sort: this.isSortable ? this.sort : "", ...this.choice };
    this.panel.nothing = query.filter || query.where ? "Nothing matches." : "No records yet.";
    return this.panel.read(
      async (signal) => {
        await loadFields();
        return ask("GET", `${this.path}/records`, { query, signal });
      },
      (answer) => this.show(answer),
    );
  }

  /** @param {{ items: SondeRecord[], page: number, pages: number, total: number, more: boolean, columns: string[] }} answer */
  show({ items, page, pages, total, more, columns }) {
    [this.items, this.columns, this.page, this.pages] = [items, columns.length ? columns : FIRST_COLUMNS, Math.min(page, Math.max(1, pages)), Math.max(1, pages)];
    const { filter, where } = this.choice;
    setText(this.matches, filter || where ? `${grouped(total)}${more ? "+" : ""} ${total === 1 ? "match" : "matches"}` : "");
    setText(this.status, `Page ${grouped(this.page)} of ${grouped(this.pages)}`);
    const focused = document.activeElement;
    this.previous.disabled = this.page <= 1;
    this.following.disabled = this.page >= this.pages;
    if (focused === this.previous && this.previous.disabled) this.following.focus();
    if (focused === this.following && this.following.disabled) this.previous.focus();
    this.draw();
    return items.length > 0;
  }

  /** Draws the columns that are to be seen. */
  draw() {
    const hidden = hiddenColumns();
    const names = this.columns.filter((name) => !hidden.has(name));
    this.drawHead(names);
    const focused = document.activeElement instanceof HTMLElement && this.body.contains(document.activeElement) ? document.activeElement.textContent : null;
    this.body.replaceChildren(...this.items.map((record) => element("tr", { role: "row" }, ...names.map((name) => {
      const { label, type } = fieldOf(name);
      return element("td", { role: "cell", class: `${type} ${name === "ip" ? "address" : ""}`, "data-label": label }, ...cellOf(record, name));
    }))));
    if (focused) [...this.body.querySelectorAll("button")].find((each) => each.textContent === focused)?.focus();
  }

  /** @param {string[]} names */
  drawHead(names) {
    const key = names.map((name) => fieldOf(name).label).join();
    if (this.head.dataset.key !== key) this.head.replaceChildren(...names.map((name) => this.headerOf(name)));
    this.head.dataset.key = key;
    for (const [index, header] of [...this.head.children].entries()) {
      if (this.sort.replace(/^-/, "") === names[index]) header.setAttribute("aria-sort", this.sort.startsWith("-") ? "descending" : "ascending");
      else header.removeAttribute("aria-sort");
    }
  }

  /** @param {string} name */
  headerOf(name) {
    const { label, type } = fieldOf(name);
    const sorter = element("button", { type: "button" }, label);
    sorter.disabled = !this.isSortable;
    sorter.addEventListener("click", () => this.sortBy(name));
    return element("th", { scope: "col", role: "columnheader", class: type }, sorter);
  }
}
