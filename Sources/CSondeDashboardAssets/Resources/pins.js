// The pins of the results on the map: one each, spread where they would overlap, and grouped where they are too many for that.

import { element } from "./elements.js";
import { button, newID } from "./controls.js";
import { closeLayer, openLayer } from "./layers.js";
import { hasPlace, networkText, pinName, placeText } from "./record.js";
import { endMap, Leaflet, makeMap, movesCalmly, zoomButtons } from "./world-map.js";
import { middleOf } from "./world.js";

/** @import { SondeRecord } from "./record.js" */

/** A record, where it stands, and by how many pixels its pin is moved from there. @typedef {{ record: SondeRecord, at: [number, number], shift: [number, number] }} Pin */

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
   * @param {(ip: string | null) => void} onShown Told which address's dialog is open.
   */
  constructor(region, onShown) {
    this.region = region;
    this.onShown = onShown;
    /** @type {import("./world.js").Outlines} */
    this.world = { points: {}, outlines: {}, scale: 1 };
    /** @type {Map<string, Pin>} */
    this.pins = new Map();
    /** @type {Map<string, HTMLElement>} */
    this.buttons = new Map();
    /** @type {string | null} */
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

  /** Puts the records on the map, whose view stays. @param {SondeRecord[]} records */
  set(records) {
    this.pins.clear();
    for (const record of records) {
      const at = hasPlace(record) ? /** @type {[number, number]} */ ([record.latitude, record.longitude]) : middleOf(this.world, record.country_code);
      if (at) this.pins.set(record.ip, { record, at, shift: [0, 0] });
    }
    if (this.shown && !this.pins.has(this.shown)) this.map.closePopup();
    this.draw();
  }

  /** Shows all pins. */
  fit() {
    const places = [...this.pins.values()].map(({ at }) => at);
    if (places.length) this.map.fitBounds(places, { maxZoom: NEAR_ZOOM, paddingTopLeft: [60, 60], paddingBottomRight: [80, 60], animate: !movesCalmly() });
    else this.map.setView([25, 10], this.map.getMinZoom(), { animate: false });
  }

  /** The pins that overlap at this zoom, together. */
  groups() {
    /** @type {{ x: number, y: number, pins: Pin[] }[]} */
    const groups = [];
    for (const pin of this.pins.values()) {
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
    const focused = [...this.buttons].find(([, made]) => made === document.activeElement)?.[0];
    this.layer.clearLayers();
    this.buttons.clear();
    for (const { pins } of this.groups()) {
      if (pins.length > MOST_SPREAD) this.drawGroup(pins);
      else pins.forEach((pin, index) => this.drawPin(pin, pins[0].at, pins.length > 1 ? spreadBy(index) : [0, 0]));
    }
    if (focused) this.buttons.get(focused)?.focus({ preventScroll: true });
    if (this.shown) this.buttons.get(this.shown)?.setAttribute("aria-expanded", "true");
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
    const { record } = pin;
    pin.shift = shift;
    const made = element("button", { type: "button", class: hasPlace(record) ? "pin" : "pin country", "aria-label": pinName(record), "aria-expanded": "false" });
    made.addEventListener("click", () => this.open(record.ip));
    this.buttons.set(record.ip, made);
    this.place(made, at, shift);
  }

  /** @param {Pin[]} pins */
  drawGroup(pins) {
    const name = `${pins.length} addresses near ${placeText(pins[0].record) || pins[0].record.ip}`;
    const made = element("button", { type: "button", class: "pin group", "aria-label": name }, `${pins.length}`);
    made.addEventListener("click", () => this.openGroup(pins));
    this.place(made, pins[0].at, [0, 0]);
  }

  /** Shows nearer what a group holds, or, where that parts nothing, its addresses. @param {Pin[]} pins */
  openGroup(pins) {
    const isOnePlace = pins.every(({ at }) => Math.abs(at[0] - pins[0].at[0]) + Math.abs(at[1] - pins[0].at[1]) < 0.02);
    if (!isOnePlace && this.map.getZoom() < this.map.getMaxZoom()) {
      this.map.fitBounds(pins.map(({ at }) => at), { padding: [40, 40], animate: !movesCalmly() });
      return;
    }
    const list = element("ul", { role: "list" });
    for (const { record } of pins) list.append(element("li", {}, button(record.ip, () => this.open(record.ip), { class: "link" })));
    this.openDialog(`${pins.length} addresses`, pins[0].at, [0, 0], list);
  }

  /**
   * Opens the dialog of an address, and moves the map there where it is far.
   * @param {string} ip
   * @param {{ isNear?: boolean }} [how]
   */
  open(ip, { isNear = false } = {}) {
    const pin = this.pins.get(ip);
    if (!pin) return;
    const { record, at } = pin;
    if (isNear) this.map.setView(at, Math.max(this.map.getZoom(), NEAR_ZOOM), { animate: false });
    const lines = [hasPlace(record) ? placeText(record) : `${placeText(record)} (country only)`, networkText(record), record.hostname ?? ""];
    this.openDialog(ip, at, pin.shift, ...lines.filter(Boolean).map((line) => element("p", {}, line)));
    this.shown = ip;
    this.onShown(ip);
    this.buttons.get(ip)?.setAttribute("aria-expanded", "true");
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
    this.buttons.get(this.shown)?.setAttribute("aria-expanded", "false");
    this.shown = null;
    this.onShown(null);
  }

  /** Closes the dialog, then the full screen; the focus goes to the pin, then to where it was. */
  escape() {
    const ip = this.shown;
    const isOpen = this.region.querySelector("[role=dialog]");
    this.map.closePopup();
    if (ip) this.buttons.get(ip)?.focus({ preventScroll: true });
    else if (!isOpen) this.leaveFullScreen();
  }

  /** Shows an address, on a phone on the whole screen. @param {string} ip */
  show(ip) {
    if (!this.pins.has(ip)) return false;
    this.before = document.activeElement;
    if (matchMedia("(max-width: 60rem)").matches && !this.isFull()) {
      this.fillScreen(true);
      openLayer(this.leave);
    }
    // Told of the size at once, the map would begin to move to where it belongs as it is, and not stop for what comes.
    this.map.invalidateSize({ animate: false, debounceMoveend: true });
    this.open(ip, { isNear: true });
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
