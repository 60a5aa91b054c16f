// The pins of the results on the map: one a place, spread where they would overlap, and grouped where they are too many for that.

import { counted, element } from "./elements.js";
import { button, newID } from "./controls.js";
import { closeLayer, openLayer } from "./layers.js";
import { exactPlaceText, hasPlace, networkText } from "./record.js";
import { endMap, Leaflet, makeMap, movesCalmly, zoomButtons } from "./world-map.js";
import { middleOf } from "./world.js";

/** @import { SondeRecord } from "./record.js" */

/** The records of a place, where it is, and by how many pixels its pin is moved from there. @typedef {{ records: SondeRecord[], at: [number, number], shift: [number, number] }} Pin */

/**
 * What is done when something on the map is chosen.
 * @typedef {object} PinActions
 * @property {(ip: string) => void} open Opens an address's item.
 * @property {(ip: string | null) => void} mark Marks the item whose dialog is open.
 */

/** The name of a pin. @param {SondeRecord[]} records */
const pinName = (records) => [records.length > 1 ? counted(records.length, "address") : records[0].ip, exactPlaceText(records[0])].filter(Boolean).join(", ");

/** How far apart pins stand at least, in pixels: their own size and a little. */
const APART = 28;

/** As many pins are spread around their place; more are one button. */
const MOST_SPREAD = 19;

/** How near one sees a place that is shown. */
const NEAR_ZOOM = 4;

/**
 * Where pins stand around their middle: one in it, six around, twelve around these.
 * @param {number} index
 * @returns {[number, number]}
 */
function spreadBy(index) {
  if (index === 0) return [0, 0];
  const ring = index < 7 ? 1 : 2;
  const step = ((index - (ring === 1 ? 1 : 7)) / (6 * ring)) * 2 * Math.PI;
  return [APART * ring * 1.05 * Math.sin(step), -APART * ring * 1.05 * Math.cos(step)];
}

/** A button that stands on the map. */
const ButtonIcon = Leaflet.Icon.extend({
  /** @this {{ options: { made: HTMLElement, shift: [number, number] } }} */
  createIcon() {
    const { made, shift } = this.options;
    made.classList.add("leaflet-marker-icon");
    made.style.marginLeft = `${shift[0] - 12}px`;
    made.style.marginTop = `${shift[1] - 12}px`;
    Leaflet.DomEvent.disableClickPropagation(made);
    return made;
  },
  createShadow: () => null,
});

/** The region "Map". */
export class ResultMap {
  /**
   * @param {HTMLElement} region
   * @param {PinActions} actions
   */
  constructor(region, actions) {
    this.region = region;
    this.actions = actions;
    /** @type {import("./world.js").Outlines} */
    this.world = { points: {}, outlines: {}, scale: 1 };
    /** The pin of each address. @type {Map<string, Pin>} */
    this.pins = new Map();
    /** What stands for each pin. @type {Map<Pin, HTMLElement>} */
    this.buttons = new Map();
    /** The pins of each button that stands for several places. @type {Map<HTMLElement, Pin[]>} */
    this.groupButtons = new Map();
    /** The address whose item is open. @type {string | null} */
    this.opened = null;
    /** The pin whose dialog is open. @type {Pin | null} */
    this.shown = null;
    /** @type {any} */
    this.popup = null;
    this.leave = () => this.leaveFullScreen();
  }

  async start() {
    const { map, world } = await makeMap(this.region);
    this.map = map;
    this.world = world;
    this.layer = Leaflet.layerGroup().addTo(map);
    this.region.append(zoomButtons(map, () => this.fit()), button("Back", () => this.leaveFullScreen(), { icon: "back", class: "map-back" }));
    map.on("zoomend", () => this.draw());
    map.on("popupclose", () => this.closed());
    this.region.addEventListener("keydown", (event) => {
      if (event.key === "Escape") this.escape();
    });
    return this;
  }

  /** Puts the records on the map, whose view stays. @param {SondeRecord[]} records @param {string | null} opened */
  set(records, opened) {
    const shownIP = this.shown?.records[0].ip ?? "";
    /** @type {Map<string, Pin>} */
    const places = new Map();
    this.pins.clear();
    this.opened = opened;
    for (const record of records) {
      const at = hasPlace(record) ? /** @type {[number, number]} */ ([record.latitude, record.longitude]) : middleOf(this.world, record.country_code);
      if (!at) continue;
      const pin = places.get(`${at} ${hasPlace(record)}`) ?? { records: [], at, shift: [0, 0] };
      places.set(`${at} ${hasPlace(record)}`, pin);
      pin.records.push(record);
      this.pins.set(record.ip, pin);
    }
    if (this.shown && !this.pins.has(shownIP)) this.map.closePopup();
    if (this.shown) this.shown = this.pins.get(shownIP) ?? null;
    this.draw();
  }

  /** Marks the pin of the item that is open. @param {string | null} ip */
  setOpen(ip) {
    this.opened = ip;
    for (const [pin, made] of this.buttons) this.markOpen(made, [pin]);
    for (const [made, pins] of this.groupButtons) this.markOpen(made, pins);
    const pin = this.pins.get(ip ?? "");
    if (pin && !this.map.getBounds().contains(pin.at)) this.map.panTo(pin.at, { animate: !movesCalmly() });
  }

  /** @param {HTMLElement} made @param {Pin[]} pins */
  markOpen(made, pins) {
    const isOpen = pins.some(({ records }) => records.some(({ ip }) => ip === this.opened));
    made.querySelector(".pin-label")?.remove();
    if (isOpen) made.setAttribute("aria-current", "true");
    else made.removeAttribute("aria-current");
    if (isOpen) made.append(element("span", { class: "pin-label", "aria-hidden": "true" }, this.opened ?? ""));
  }

  /** Shows all pins. */
  fit() {
    const places = this.distinct().map(({ at }) => at);
    if (places.length) this.map.fitBounds(places, { maxZoom: NEAR_ZOOM, paddingTopLeft: [60, 60], paddingBottomRight: [80, 60], animate: !movesCalmly() });
    else this.map.setView([25, 10], this.map.getMinZoom(), { animate: false });
  }

  /** All pins, each once. */
  distinct() {
    return [...new Set(this.pins.values())];
  }

  /** The pins that overlap at this zoom, together. */
  groups() {
    /** @type {{ x: number, y: number, pins: Pin[] }[]} */
    const groups = [];
    for (const pin of this.distinct()) {
      const { x, y } = this.map.latLngToLayerPoint(pin.at);
      const near = groups.find((group) => Math.hypot(group.x - x, group.y - y) < APART * 1.4);
      if (near) near.pins.push(pin);
      else groups.push({ x, y, pins: [pin] });
    }
    return groups;
  }

  /** Moves the map so that a pin is in its middle. @param {string} ip */
  reveal(ip) {
    const pin = this.pins.get(ip);
    if (pin) this.map.setView(pin.at, Math.max(this.map.getZoom(), NEAR_ZOOM - 1), { animate: !movesCalmly() });
  }

  draw() {
    const focused = [...this.buttons].find(([, made]) => made === document.activeElement)?.[0].records[0].ip;
    this.layer.clearLayers();
    this.buttons.clear();
    this.groupButtons.clear();
    for (const { pins } of this.groups()) {
      if (pins.length > MOST_SPREAD) this.drawGroup(pins);
      else pins.forEach((pin, index) => this.drawPin(pin, pins[0].at, pins.length > 1 ? spreadBy(index) : [0, 0]));
    }
    if (focused) this.buttonOf(this.pins.get(focused))?.focus({ preventScroll: true });
    this.buttonOf(this.shown)?.setAttribute("aria-expanded", "true");
  }

  /** @param {Pin | null | undefined} pin */
  buttonOf(pin) {
    return pin ? this.buttons.get(pin) : undefined;
  }

  /**
   * @param {HTMLElement} made
   * @param {[number, number]} at
   * @param {[number, number]} shift
   */
  place(made, at, shift) {
    const markerIcon = new ButtonIcon({ made, shift });
    Leaflet.marker(at, { icon: markerIcon, interactive: false, keyboard: false }).addTo(this.layer);
  }

  /**
   * @param {Pin} pin
   * @param {[number, number]} at
   * @param {[number, number]} shift
   */
  drawPin(pin, at, shift) {
    const { records } = pin;
    pin.shift = shift;
    const made = element("button", { type: "button", class: hasPlace(records[0]) ? "pin" : "pin country", "aria-label": pinName(records), "aria-expanded": "false" });
    if (records.length > 1) made.append(`${records.length}`);
    made.addEventListener("click", () => this.open(pin));
    this.buttons.set(pin, made);
    this.markOpen(made, [pin]);
    this.place(made, at, shift);
  }

  /** @param {Pin[]} pins */
  drawGroup(pins) {
    const records = pins.flatMap((pin) => pin.records);
    const name = `${counted(records.length, "address")} near ${exactPlaceText(records[0])}`;
    const made = element("button", { type: "button", class: "pin group", "aria-label": name }, `${records.length}`);
    made.addEventListener("click", () => this.openGroup(pins));
    this.groupButtons.set(made, pins);
    this.markOpen(made, pins);
    this.place(made, pins[0].at, [0, 0]);
  }

  /** Shows nearer what a group holds, or, where that parts nothing, its addresses. @param {Pin[]} pins */
  openGroup(pins) {
    const isOnePlace = pins.every(({ at }) => Math.abs(at[0] - pins[0].at[0]) + Math.abs(at[1] - pins[0].at[1]) < 0.02);
    if (!isOnePlace && this.map.getZoom() < this.map.getMaxZoom()) {
      this.map.fitBounds(pins.map(({ at }) => at), { padding: [40, 40], animate: !movesCalmly() });
      return;
    }
    const records = pins.flatMap((pin) => pin.records);
    this.openDialog(counted(records.length, "address"), pins[0].at, [0, 0], this.listOf(records));
  }

  /** The addresses of a place, a button each. @param {SondeRecord[]} records */
  listOf(records) {
    const rows = records.map((record) => element("li", {}, button(record.ip, () => this.openAddress(record), { class: "link" })));
    return element("ul", { role: "list" }, ...rows);
  }

  /** Opens the item and the dialog of a pin; of several, the dialog in which one chooses. @param {Pin} pin */
  open(pin) {
    const { records, at, shift } = pin;
    if (records.length === 1) return this.openAddress(records[0]);
    this.openDialog(counted(records.length, "address"), at, shift, this.listOf(records));
    this.show(pin, null);
  }

  /**
   * Opens the item and the dialog of an address, and moves the map there where it is far.
   * @param {SondeRecord} record
   * @param {{ isNear?: boolean }} [how]
   */
  openAddress(record, { isNear = false } = {}) {
    const pin = this.pins.get(record.ip);
    if (!pin) return;
    if (isNear) this.map.setView(pin.at, Math.max(this.map.getZoom(), NEAR_ZOOM), { animate: false });
    const lines = [exactPlaceText(record), networkText(record), record.hostname ?? ""];
    this.openDialog(record.ip, pin.at, pin.shift, ...lines.filter(Boolean).map((line) => element("p", {}, line)));
    this.actions.open(record.ip);
    this.show(pin, record.ip);
  }

  /** Notes whose dialog is open. @param {Pin} pin @param {string | null} ip */
  show(pin, ip) {
    this.shown = pin;
    this.actions.mark(ip);
    this.buttonOf(pin)?.setAttribute("aria-expanded", "true");
  }

  /**
   * @param {string} title
   * @param {[number, number]} at
   * @param {[number, number]} shift
   * @param {...Node} content
   */
  openDialog(title, at, shift, ...content) {
    this.map.closePopup();
    const heading = element("h3", { id: newID() }, title);
    const closer = button("Close", () => this.escape(), { icon: "clear", isBare: true });
    const dialog = element("div", { role: "dialog", "aria-labelledby": heading.id, tabindex: -1, class: "pin-dialog" }, heading, ...content, closer);
    this.popup = Leaflet.popup({ closeButton: false, autoClose: true, maxWidth: 280, minWidth: 160, offset: [shift[0], shift[1] - 6], autoPanPadding: [24, 24] });
    this.popup.setLatLng(at).setContent(dialog).openOn(this.map);
    dialog.focus({ preventScroll: true });
  }

  /** What is to be done when the dialog has gone, however it went. */
  closed() {
    if (!this.shown) return;
    this.buttonOf(this.shown)?.setAttribute("aria-expanded", "false");
    this.shown = null;
    this.actions.mark(null);
  }

  /** Closes the dialog, then the full screen; the focus goes to the pin, then to where it was. */
  escape() {
    const pin = this.shown;
    const isOpen = this.region.querySelector("[role=dialog]");
    this.map.closePopup();
    if (pin) this.buttonOf(pin)?.focus({ preventScroll: true });
    else if (!isOpen) this.leaveFullScreen();
  }

  /** Shows an address, on a phone on the whole screen. @param {string} ip */
  reach(ip) {
    const record = this.pins.get(ip)?.records.find((each) => each.ip === ip);
    if (!record) return false;
    this.before = document.activeElement;
    if (matchMedia("(max-width: 60rem)").matches && !this.isFull()) {
      this.fillScreen(true);
      openLayer(this.leave);
    }
    // Told of the size at once, the map would begin to move to where it belongs as it is, and not stop for what comes.
    this.map.invalidateSize({ animate: false, debounceMoveend: true });
    this.openAddress(record, { isNear: true });
    return true;
  }

  /** Puts the map over everything else, which is then out of reach, or back. @param {boolean} isFull */
  fillScreen(isFull) {
    this.region.classList.toggle("full", isFull);
    for (const other of document.querySelectorAll(".top, .tellings, .side")) other.toggleAttribute("inert", isFull);
  }

  isFull() {
    return this.region.classList.contains("full");
  }

  leaveFullScreen() {
    if (!this.isFull()) return;
    this.fillScreen(false);
    closeLayer(this.leave);
    this.map.invalidateSize({ animate: false });
    if (this.before instanceof HTMLElement && this.before.isConnected) this.before.focus();
  }

  end() {
    this.fillScreen(false);
    endMap(this.map);
  }
}
