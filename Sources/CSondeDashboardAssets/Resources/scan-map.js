// The map of a scan: circles that the server has grouped, any number of addresses in them.

import { counted, element } from "./elements.js";
import { ask, NoAnswer } from "./api.js";
import { loaded } from "./loading.js";
import { Panel } from "./panels.js";
import { readable } from "./record.js";

/** @typedef {{ latitude: number, longitude: number, addresses: number, hits?: number, name?: string }} Circle */

/** @param {number} degrees @param {number} most */
const within = (degrees, most) => Math.max(-most, Math.min(most, degrees)).toFixed(3);

/** What is seen of the world, and nothing beside it. @param {any} bounds */
function boundsText(bounds) {
  return [within(bounds.getSouth(), 90), within(bounds.getWest(), 180), within(bounds.getNorth(), 90), within(bounds.getEast(), 180)].join(",");
}

const WORLD = { zoom: 1, bounds: "-90,-180,90,180" };

/** The room that the buttons in the map's corner take, in pixels. */
const BESIDE_BUTTONS = [80, 40];

/** After how long a map of another size shows all again, in milliseconds. */
const SIZED_TIME = 200;

/** How long a circle is lit, in milliseconds. */
const LIT_TIME = 700;

/** A map of circles, and the buttons that show more or less of it. */
export class ScanMap {
  /**
   * @param {string} path
   * @param {AbortSignal} signal
   * @param {{ name: string, query: () => Record<string, string>, noun: "address" | "hit" }} [what] Its name, what else is asked, and what the circles are sized by.
   */
  constructor(path, signal, what = { name: "Scan map", query: () => ({}), noun: "address" }) {
    this.path = path;
    this.signal = signal;
    this.what = what;
    /** What is drawn. @type {(Circle & { mark: any })[]} */
    this.drawn = [];
    this.caption = element("figcaption", { id: "scan-map-caption", class: "soft" });
    this.image = element("div", { role: "img", "aria-label": what.name, "aria-describedby": "scan-map-caption", class: "scan-map" });
    this.element = element("figure", {}, element("div", { class: "map-frame" }, this.image), this.caption);
    this.panel = new Panel(this.caption, "No places yet.", signal, this.element);
    this.places = 0;
    /** Those of the whole world that were shown last. @type {Circle[]} */
    this.world = [];
    /** @type {Promise<void> | null} */
    this.starting = null;
    signal.addEventListener("abort", () => this.end?.());
  }

  /** Draws the map when there is a place to show. */
  async start() {
    const { endMap, Leaflet, makeMap, zoomButtons } = await loaded(() => import("./world-map.js"));
    const { map } = await makeMap(this.image, { isPicture: true });
    this.circle = Leaflet.circleMarker;
    this.map = map;
    this.end = () => endMap(map);
    this.layer = Leaflet.layerGroup().addTo(map);
    this.image.after(zoomButtons(map, () => {
      this.isMoved = false;
      this.fit();
    }));
    for (const event of ["pointerdown", "wheel"]) this.element.addEventListener(event, () => (this.isMoved = true), { passive: true });
    map.on("moveend", () => this.read().catch(() => {}));
    map.on("resize", () => {
      clearTimeout(this.sized);
      this.sized = setTimeout(() => this.isMoved || this.signal.aborted || this.show(this.world), SIZED_TIME);
    });
  }

  /** Shows all circles. @param {Circle[]} [items] Those of the whole world, where they are known. */
  async fit(items) {
    this.world = items ?? (await ask("GET", `${this.path}/places`, { query: { ...WORLD, ...this.what.query() }, signal: this.signal })).items;
    this.show(this.world);
  }

  /** @param {Circle[]} all */
  show(all) {
    if (!all.length) return;
    this.map.fitBounds(all.map(({ latitude, longitude }) => [latitude, longitude]), { paddingTopLeft: [40, 40], paddingBottomRight: BESIDE_BUTTONS, maxZoom: 5, animate: false });
  }

  /** Shows what is new: all of it, until somebody has moved the map. */
  async load() {
    try {
      await (this.map && !this.isMoved ? this.fit() : this.read());
      this.panel.fill(this.places > 0 || Boolean(this.map));
    } catch (error) {
      const isKept = error instanceof NoAnswer && this.panel.state !== "loading";
      if (!this.signal.aborted && !isKept) this.panel.fail(error, () => this.load());
    }
  }

  /** Reads the circles of what is seen. */
  async read() {
    const query = this.map ? { zoom: Math.round(this.map.getZoom()), bounds: boundsText(this.map.getBounds()) } : WORLD;
    const { items } = await ask("GET", `${this.path}/places`, { query: { ...query, ...this.what.query() }, signal: this.signal });
    this.places = items.length;
    if (!items.length && !this.map) return;
    const isFirst = !this.starting;
    this.starting ??= this.start();
    await this.starting;
    if (this.signal.aborted) return;
    this.draw(items);
    if (isFirst) await this.fit(items);
  }

  /** @param {Circle[]} items */
  draw(items) {
    const sizeOf = (/** @type {Circle} */ { addresses, hits }) => (this.what.noun === "hit" ? hits ?? 0 : addresses);
    const most = items.reduce((largest, circle) => Math.max(largest, sizeOf(circle)), 1);
    this.layer.clearLayers();
    this.drawn = [];
    for (const one of items.toSorted((left, right) => sizeOf(right) - sizeOf(left))) {
      const { latitude, longitude, name } = one;
      const radius = Math.max(4, 24 * Math.sqrt(sizeOf(one) / most));
      const circle = this.circle([latitude, longitude], { radius, className: "circle" });
      const tip = element("span", {}, element("strong", {}, readable(name ?? "") || "Somewhere here"), element("br"), counted(sizeOf(one), this.what.noun));
      circle.bindTooltip(tip, { direction: "top", className: "map-tip" }).addTo(this.layer);
      this.drawn.push({ ...one, mark: circle });
    }
    const all = items.reduce((sum, circle) => sum + sizeOf(circle), 0);
    this.caption.textContent = `${counted(all, this.what.noun)} at ${counted(items.length, "place")} in sight.`;
  }

  /** Lights the circles up that are nearest to some places. @param {{ latitude: number, longitude: number }[]} places */
  light(places) {
    if (!this.drawn.length) return;
    for (const { latitude, longitude } of places) {
      const far = (/** @type {Circle} */ circle) => (circle.latitude - latitude) ** 2 + (circle.longitude - longitude) ** 2;
      const nearest = this.drawn.reduce((best, circle) => (far(circle) < far(best) ? circle : best));
      const drawing = nearest.mark.getElement();
      drawing?.classList.add("lit");
      setTimeout(() => drawing?.classList.remove("lit"), LIT_TIME);
    }
  }
}
