// The view "Watchlist": addresses that are asked for again and again, and what has changed of them.

import { element } from "./elements.js";
import { ask } from "./api.js";
import { confirmed } from "./confirming.js";
import { connection } from "./connection.js";
import { button, newID, whileBusy } from "./controls.js";
import { ErrorPlace } from "./errors.js";
import { live, Reading, tellRemoved } from "./live.js";
import { fieldOf, loadFields } from "./fields.js";
import { Panel } from "./panels.js";
import { networkText, placeText, readable, statusElement, valueText } from "./record.js";
import { noticeElement } from "./settings.js";
import { openSheet } from "./sheet.js";
import { loadStyle } from "./styles.js";
import { ageElement, momentElement } from "./times.js";

await loadStyle("views.css");

/**
 * @import { SondeRecord } from "./record.js"
 * @import { View } from "./views.js"
 */

/** @typedef {{ at: string, field: string, from: unknown, to: unknown }} Change */

/** @typedef {{ id: string, name: string, address: string, note: string | null, record: SondeRecord | null, checked_at: string | null, changes: Change[] }} Watched */

const ITEMS_AT_ONCE = 100;

/** How often an address without an answer is looked after, in milliseconds. */
const REFRESH_INTERVAL = 3000;

/** As many changes are shown of an address. */
const MOST_CHANGES = 10;

/** @param {unknown} value */
const changedText = (value) => valueText(value) || "nothing known";

/** @param {Change} change */
function changeElement({ at, field, from, to }) {
  const values = [element("del", {}, changedText(from)), " → ", element("ins", {}, changedText(to))];
  return element("li", {}, momentElement(at), ` ${fieldOf(field).label}: `, ...values);
}

/** @param {AbortSignal} signal */
async function firstItems(signal) {
  await loadFields();
  return ask("GET", "watchlist", { query: { limit: ITEMS_AT_ONCE }, signal });
}

class WatchlistView {
  /** @param {AbortSignal} signal */
  constructor(signal) {
    this.signal = signal;
    this.errors = new ErrorPlace();
    this.reading = new Reading();
    /** @type {Map<string, { item: HTMLElement, watched: Watched }>} */
    this.items = new Map();
    this.list = element("ul", { "aria-label": "Watchlist", role: "list", class: "watchlist" });
    this.panel = new Panel(this.list, "Nothing is watched yet. An address on this list is asked for again from time to time, and a change of its country, network or city is told here.", signal);
    this.more = button("Show more", () => this.loadMore(), { class: "more" });
    this.more.hidden = true;
    /** @type {string | null} */
    this.next = null;
  }

  /** @param {HTMLElement} main */
  build(main) {
    main.className = "watchlist-view";
    const adder = button("Add", () => this.edit("Add to watchlist"), { class: "primary", icon: "plus" });
    main.replaceChildren(element("div", { class: "heading" }, element("h1", { tabindex: -1 }, "Watchlist"), adder), ...noticeElement(), this.errors.element, this.panel.element, this.more);
  }

  /** Opens the sheet, of what is watched already or of something new. @param {string} title @param {Watched} [watched] */
  edit(title, watched) {
    const text = { type: "text", autocomplete: "off", spellcheck: "false" };
    const [name, address, note] = [element("input", text), element("input", { ...text, autocapitalize: "off" }), element("textarea", { rows: 3 })];
    if (watched) [name.value, address.value, note.value] = [watched.name, watched.address, watched.note ?? ""];
    openSheet(title, [["Name", name], ["Address", address], ["Note", note]], async () => {
      const body = { name: name.value.trim(), address: address.value.trim(), note: note.value.trim() || null };
      const saved = watched ? await ask("PUT", `watchlist/${watched.id}`, { body }) : await ask("POST", "watchlist", { body });
      this.reading.told(() => this.show(saved, { isNew: !watched }));
    });
  }

  /** @param {Watched} watched @param {HTMLElement} control */
  async remove(watched, control) {
    const isWork = watched.note || watched.changes.length;
    if (isWork && !(await confirmed("Remove", `Remove “${readable(watched.name)}”?`, "Its note and its changes are lost."))) return;
    await whileBusy(control, () => this.errors.around(async () => {
      await ask("DELETE", `watchlist/${watched.id}`);
      tellRemoved("watch", watched.id);
    }));
  }

  /** Takes away what was removed, here or elsewhere. @param {string} id */
  removed(id) {
    this.items.get(id)?.item.remove();
    this.items.delete(id);
    this.update();
  }

  /** @param {Watched} watched */
  itemOf(watched) {
    const { record, checked_at, changes, note, address } = watched;
    const name = element("h2", { id: newID() }, readable(watched.name));
    const summary = record ? [placeText(record), networkText(record)].filter(Boolean).join(" · ") : "";
    const state = record && record.status !== "ok" ? [statusElement(record.status)] : [];
    const checked = checked_at ? element("span", {}, "Asked ", ageElement(checked_at), " ago") : "Not asked yet";
    const remover = button("Remove", () => this.remove(watched, remover), { icon: "remove" });
    const item = element("li", { class: "card watched", "aria-labelledby": name.id },
      element("div", { class: "head" }, name, ...state),
      element("p", { class: "watched-address" }, address),
      element("p", { class: "summary" }, summary || "…"),
      ...(note ? [element("p", { class: "note" }, note)] : []),
      ...(changes.length ? [element("ul", { class: "changes", "aria-label": "Changes" }, ...changes.slice(0, MOST_CHANGES).map(changeElement))] : []),
      element("div", { class: "heading" }, element("p", { class: "soft" }, checked),
        element("div", { class: "buttons small" }, button("Edit", () => this.edit("Edit", watched), { icon: "edit" }), remover)));
    return item;
  }

  /** Puts something into the list, where it stands already or at an end. @param {Watched} watched @param {{ isNew?: boolean }} [how] */
  show(watched, { isNew = false } = {}) {
    const known = this.items.get(watched.id);
    if (known && JSON.stringify(known.watched) === JSON.stringify(watched)) return;
    const item = this.itemOf(watched);
    const focused = known?.item.contains(document.activeElement) ? document.activeElement?.textContent : null;
    this.items.set(watched.id, { item, watched });
    if (known) known.item.replaceWith(item);
    else if (isNew) this.list.prepend(item);
    else this.list.append(item);
    if (focused) [...item.querySelectorAll("button")].find((each) => each.textContent === focused)?.focus();
    this.update();
  }

  update() {
    if (this.items.size || this.panel.state !== "loading") this.panel.fill(this.items.size > 0);
    this.more.hidden = !this.next;
  }

  /** Whether an address waits for its first answer. */
  isWaiting() {
    return [...this.items.values()].some(({ watched }) => !watched.checked_at);
  }

  load() {
    return this.panel.read((signal) => this.reading.read(() => firstItems(signal), ({ items, next }) => this.take(items, next)), () => this.items.size > 0);
  }

  /** @param {Watched[]} items @param {string | null} next */
  take(items, next) {
    const there = new Set(items.map(({ id }) => id));
    for (const id of this.items.keys()) if (!there.has(id)) this.removed(id);
    for (const watched of items) this.show(watched);
    this.next = next;
    this.update();
  }

  loadMore() {
    whileBusy(this.more, () => this.errors.around(async () => {
      const { items, next } = await ask("GET", "watchlist", { query: { limit: ITEMS_AT_ONCE, before: this.next } });
      this.next = next;
      for (const watched of items) this.show(watched);
      this.update();
    }));
  }
}

/** @type {View} */
export const watchlistView = {
  title: "Watchlist",
  show(main, _, signal) {
    const view = new WatchlistView(signal);
    view.build(main);
    live.addEventListener("watch", (event) => view.reading.told(() => view.show(/** @type {CustomEvent} */ (event).detail)), { signal });
    live.addEventListener("watch-removed", (event) => view.reading.told(() => view.removed(/** @type {CustomEvent} */ (event).detail)), { signal });
    for (const [target, name] of /** @type {[EventTarget, string][]} */ ([[live, "reset"], [connection, "back"]])) target.addEventListener(name, () => view.load(), { signal });
    const timer = setInterval(() => !document.hidden && view.isWaiting() && view.load(), REFRESH_INTERVAL);
    signal.addEventListener("abort", () => clearInterval(timer));
    view.load();
  },
};
