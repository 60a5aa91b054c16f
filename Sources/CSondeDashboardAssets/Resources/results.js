// The list of results: one row an address, the newest first, of which one is open and shows its card.

import { element, grouped } from "./elements.js";
import { button, copyButton, newID, setText } from "./controls.js";
import { Panel } from "./panels.js";
import { lookupURL } from "./paths.js";
import { badges, card, hasPlace, networkText, placeText, statusElement } from "./record.js";
import { ageElement } from "./times.js";

/** @import { SondeRecord } from "./record.js" */

/**
 * What can be done with a result.
 * @typedef {object} Actions
 * @property {(ip: string) => void} open
 * @property {(ip: string) => void} show
 * @property {(ip: string, control: HTMLElement) => void} refresh
 * @property {(ip: string) => void} remove
 */

/** Whether a record may have a pin: where its country is known, it stands at least in its middle. @param {SondeRecord} record */
const mayHavePin = (record) => hasPlace(record) || Boolean(record.country_code);

/** Whether an item that stands at a place shows a record. @param {Element | null} place @param {Item} item @param {SondeRecord} record */
const isAt = (place, item, record) => item.element === place && JSON.stringify(item.record) === JSON.stringify(record);

/** An item of the list. */
class Item {
  /** @param {SondeRecord} record @param {Actions} actions */
  constructor(record, actions) {
    this.record = record;
    this.actions = actions;
    const cells = [
      element("span", { class: "flag", "aria-hidden": "true" }, record.country_code ?? ""), element("span", { class: "ip" }, record.ip),
      element("span", { class: "where" }, placeText(record) || statusElement(record.status)), element("span", { class: "network" }, networkText(record)),
      element("span", { class: "when soft" }, record.fetched_at ? ageElement(record.fetched_at) : ""),
    ];
    this.details = element("div", { id: newID(), class: "result-card", hidden: "" });
    this.opener = element("button", { type: "button", class: "opener", "aria-expanded": "false", "aria-controls": this.details.id }, ...cells);
    this.opener.addEventListener("click", () => actions.open(record.ip));
    const remover = button("Remove", () => actions.remove(record.ip), { icon: "remove", isBare: true });
    this.element = element("li", { "aria-label": record.ip, "data-ip": record.ip, class: "result" }, element("div", { class: "result-row" }, this.opener, remover), this.details);
  }

  /** Shows the card, or takes it away. @param {boolean} isOpen */
  setOpen(isOpen) {
    this.opener.setAttribute("aria-expanded", `${isOpen}`);
    this.details.hidden = !isOpen;
    if (isOpen && !this.details.firstChild) this.details.append(...this.content());
  }

  content() {
    const { record, actions } = this;
    const refresher = button("Refresh", () => actions.refresh(record.ip, refresher), { icon: "refresh" });
    const shower = button("Show on map", () => actions.show(record.ip), { icon: "map" });
    shower.hidden = !mayHavePin(record);
    const buttons = element("div", { class: "buttons small" }, shower, refresher,
      copyButton("Copy", () => JSON.stringify(record)), copyButton("Copy link", () => lookupURL(record.ip)),
      button("Remove", () => actions.remove(record.ip), { icon: "remove" }));
    return [element("div", { class: "badges" }, ...badges(record)), card(record), buttons];
  }
}

/** The list "Results". */
export class Results {
  /** @param {Actions} actions @param {AbortSignal} signal */
  constructor(actions, signal) {
    this.actions = actions;
    /** @type {Map<string, Item>} */
    this.items = new Map();
    /** The address that is open. @type {string | null} */
    this.opened = null;
    this.list = element("ul", { "aria-label": "Results", role: "list", class: "results" });
    this.count = element("span", { class: "count" });
    this.panel = new Panel(this.list, "What you look up stands here, the newest first, and stays until you remove it.", signal);
    this.element = element("section", { class: "result-part" }, element("h2", {}, "Results ", this.count), this.panel.element);
  }

  get size() {
    return this.items.size;
  }

  /** The addresses, the newest first. */
  addresses() {
    return [...this.list.children].map((item) => /** @type {HTMLElement} */ (item).dataset.ip ?? "");
  }

  /** All records, the newest first. @returns {SondeRecord[]} */
  records() {
    return this.addresses().map((ip) => this.items.get(ip)?.record ?? {});
  }

  /**
   * Puts a record at the top of the list, or, where it is an older one, at its end.
   * @param {SondeRecord} record
   * @param {{ isOlder?: boolean }} [how]
   */
  add(record, { isOlder = false } = {}) {
    const old = this.items.get(record.ip);
    const first = this.list.firstElementChild;
    if (!(old && (isOlder || isAt(first, old, record)))) this.put(record, isOlder ? null : first);
  }

  /** Has the list begin with records, the newest first; what is there already stays, so that no press is lost. @param {SondeRecord[]} records */
  begin(records) {
    let place = this.list.firstElementChild;
    for (const record of records) {
      const old = this.items.get(record.ip);
      const isThere = old && isAt(place, old, record);
      if (place && old?.element === place) place = place.nextElementSibling;
      if (!isThere) this.put(record, place);
    }
  }

  /** Puts a record before an item, or at the end, in place of the item of its address. @param {SondeRecord} record @param {Element | null} place */
  put(record, place) {
    const old = this.items.get(record.ip);
    const focused = old?.element.contains(document.activeElement) ? document.activeElement : null;
    const item = new Item(record, this.actions);
    this.items.set(record.ip, item);
    this.list.insertBefore(item.element, place);
    old?.element.remove();
    if (this.opened === record.ip) item.setOpen(true);
    if (focused === old?.opener) item.opener.focus();
    else if (focused) [...item.element.querySelectorAll("button")].find((each) => each.textContent === focused.textContent)?.focus();
    this.update();
  }

  /** Opens the item of an address, and closes the one that was open. @param {string | null} ip */
  open(ip) {
    if (this.opened && this.opened !== ip) this.items.get(this.opened)?.setOpen(false);
    this.opened = ip;
    if (ip) this.items.get(ip)?.setOpen(true);
  }

  /** Removes an item; the address of the one beside it, which may be opened in its place. @param {string} ip */
  remove(ip) {
    const found = this.items.get(ip);
    if (!found) return null;
    const next = /** @type {HTMLElement | null} */ (found.element.nextElementSibling ?? found.element.previousElementSibling);
    const hadFocus = found.element.contains(document.activeElement);
    found.element.remove();
    this.items.delete(ip);
    if (hadFocus) /** @type {HTMLElement | null | undefined} */ (next?.querySelector("button"))?.focus();
    this.update();
    return next?.dataset.ip ?? null;
  }

  clear() {
    this.list.replaceChildren();
    this.items.clear();
    this.opened = null;
    this.update();
  }

  /** Marks the item whose dialog the map shows. @param {string | null} ip */
  mark(ip) {
    this.list.querySelector("[aria-current]")?.removeAttribute("aria-current");
    if (ip) this.items.get(ip)?.element.setAttribute("aria-current", "true");
  }

  update() {
    setText(this.count, this.size ? grouped(this.size) : "");
    if (this.size || this.panel.state !== "loading") this.panel.fill(this.size > 0);
  }
}
