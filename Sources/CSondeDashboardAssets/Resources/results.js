// The list of results: one item an address, the newest first.

import { element } from "./elements.js";
import { button, copyButton, newID, setText } from "./controls.js";
import { badges, fieldList, networkText, placeText, statusElement } from "./record.js";

/** @import { SondeRecord } from "./record.js" */

/**
 * What can be done with a result.
 * @typedef {object} Actions
 * @property {(ip: string) => void} show
 * @property {(ip: string, control: HTMLElement) => void} refresh
 * @property {(ip: string) => void} remove
 */

/** The list "Results". */
export class Results {
  /** @param {Actions} actions */
  constructor(actions) {
    this.actions = actions;
    /** @type {Map<string, { item: HTMLLIElement, record: SondeRecord }>} */
    this.items = new Map();
    this.list = element("ul", { "aria-label": "Results", role: "list", class: "results" });
    this.count = element("span", { class: "count" });
    this.empty = element("p", { class: "soft nothing" }, "What you look up stands here, the newest first, and stays until you remove it.");
    const heading = element("h2", {}, "Results ", this.count);
    this.element = element("section", { class: "result-part" }, heading, this.empty, this.list);
    this.update();
  }

  get size() {
    return this.items.size;
  }

  /** All records, the newest first. @returns {SondeRecord[]} */
  records() {
    return [...this.list.children].map((item) => this.items.get(/** @type {HTMLElement} */ (item).dataset.ip ?? "")?.record ?? {});
  }

  /**
   * Puts a record into the list: at its top, or where it is if it was there and is only newer.
   * @param {SondeRecord} record
   * @param {{ isOlder?: boolean, staysInPlace?: boolean }} [how] An older one goes to the end.
   */
  add(record, { isOlder = false, staysInPlace = false } = {}) {
    const old = this.items.get(record.ip);
    if (old && (isOlder || this.isThere(old, record))) return;
    const item = this.itemOf(record);
    this.items.set(record.ip, { item, record });
    const hadFocus = old?.item.contains(document.activeElement) ? document.activeElement?.textContent : null;
    if (old && staysInPlace) old.item.replaceWith(item);
    else {
      old?.item.remove();
      if (isOlder) this.list.append(item);
      else this.list.prepend(item);
    }
    if (hadFocus) [...item.querySelectorAll("button")].find((each) => each.textContent === hadFocus)?.focus();
    this.update();
  }

  /** Whether the list shows a record already, where it would be put. @param {{ item: HTMLElement, record: SondeRecord }} old @param {SondeRecord} record */
  isThere(old, record) {
    return old.item === this.list.firstElementChild && JSON.stringify(old.record) === JSON.stringify(record);
  }

  /** @param {string} ip */
  remove(ip) {
    const found = this.items.get(ip);
    if (!found) return;
    const next = found.item.nextElementSibling ?? found.item.previousElementSibling;
    const hadFocus = found.item.contains(document.activeElement);
    found.item.remove();
    this.items.delete(ip);
    if (hadFocus) next?.querySelector("button")?.focus();
    this.update();
  }

  clear() {
    this.list.replaceChildren();
    this.items.clear();
    this.update();
  }

  /** Marks the item that the map shows. @param {string | null} ip */
  mark(ip) {
    this.list.querySelector("[aria-current]")?.removeAttribute("aria-current");
    if (ip) this.items.get(ip)?.item.setAttribute("aria-current", "true");
  }

  update() {
    setText(this.count, this.size ? `${this.size}` : "");
    this.empty.hidden = this.size > 0;
  }

  /** @param {SondeRecord} record */
  itemOf(record) {
    const name = element("h3", { id: newID() }, record.ip);
    const summary = [placeText(record), networkText(record)].filter(Boolean).join(" · ");
    const head = element("div", { class: "head" }, name, ...(record.status === "ok" ? [] : [statusElement(record.status)]), ...badges(record));
    const { show, refresh, remove } = this.actions;
    const refresher = button("Refresh", () => refresh(record.ip, refresher), { icon: "refresh" });
    const buttons = element("div", { class: "buttons small" },
      button("Show on map", () => show(record.ip), { icon: "map" }), refresher,
      copyButton(() => JSON.stringify(record)), button("Remove", () => remove(record.ip), { icon: "remove" }));
    const item = element("li", { "aria-labelledby": name.id, "data-ip": record.ip, class: "result" });
    item.append(head, element("p", { class: "summary" }, summary), fieldList(record), buttons);
    item.addEventListener("click", ({ target }) => {
      const isElsewhere = target instanceof Element && target.closest("button");
      if (!isElsewhere && getSelection()?.isCollapsed !== false) show(record.ip);
    });
    return item;
  }
}
