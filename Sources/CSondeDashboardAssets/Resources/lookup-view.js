// The view "Look up": the field, the list of results, and the map.

import { element } from "./elements.js";
import { ask } from "./api.js";
import { button, setText, whileBusy } from "./controls.js";
import { ErrorPlace } from "./errors.js";
import { AddressField } from "./field.js";
import { Results } from "./results.js";
import { loaded } from "./loading.js";
import { live, Reading, tellRemoved } from "./live.js";
import { connection } from "./connection.js";
import { lookupURL, viewURL } from "./paths.js";
import { noticeElement } from "./settings.js";
import { setAddress } from "./views.js";

/**
 * @import { SondeRecord } from "./record.js"
 * @import { ResultMap } from "./pins.js"
 * @import { Place } from "./paths.js"
 * @import { View } from "./views.js"
 */

/** As many results are shown at once; a button shows more. */
const RESULTS_AT_ONCE = 50;

/** More results than these are not thrown away without asking. */
const MOST_WITHOUT_ASKING = 10;

/** The view, while it is shown. */
class LookupView {
  /** @param {AbortSignal} signal */
  constructor(signal) {
    this.errors = new ErrorPlace();
    this.reading = new Reading();
    this.field = new AddressField(() => this.errors.clear());
    this.work = element("p", { role: "status", class: "working" });
    this.results = new Results({
      open: (ip) => this.open(ip),
      show: (ip) => this.show(ip),
      refresh: (ip, control) => this.refresh(ip, control),
      remove: (ip) => this.remove(ip),
    }, signal);
    this.region = element("section", { role: "region", "aria-label": "Map", class: "result-map" }, emptyMap());
    /** @type {Promise<ResultMap> | null} */
    this.map = null;
    /** @type {string | null} */
    this.next = null;
    this.more = button("Show more", () => this.loadMore(), { class: "more" });
    this.more.hidden = true;
  }

  /** @param {HTMLElement} main */
  build(main) {
    const { field, errors, work, results, region } = this;
    const form = element("form", { class: "lookup-form", novalidate: "" });
    this.getter = button("Get Info", () => {}, { class: "primary" });
    this.getter.type = "submit";
    this.finder = button("Find me", () => this.findMe(), { icon: "find" });
    const reset = button("Reset", () => this.reset());
    form.append(field.element, element("div", { class: "buttons" }, this.getter, this.finder, reset), work, errors.element, ...noticeElement());
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.getInfo();
    });
    const side = element("div", { class: "side" }, element("h1", { tabindex: -1 }, "Look up"), form, results.element, this.more);
    main.className = "lookup-view";
    main.replaceChildren(side, region);
  }

  /** @param {SondeRecord} record */
  add(record) {
    this.results.add(record);
    this.redraw();
  }

  /**
   * Opens an item, and puts it into the page's address.
   * @param {string | null} ip The open one; `null` where there is none.
   * @param {{ isStep?: boolean }} [how] Whether "Back" opens what was open before.
   */
  open(ip, { isStep = true } = {}) {
    const wasOpen = this.results.opened !== null;
    this.results.open(ip);
    setAddress(ip ? lookupURL(ip) : viewURL(""), isStep && wasOpen);
    this.map?.then((map) => map.setOpen(ip));
  }

  /** Draws the pins anew; the map comes with the first result. */
  async redraw() {
    if (!this.results.size && !this.map) return;
    // It has its size before the map is put into it.
    this.region.classList.add("drawn");
    this.map ??= loaded(() => import("./pins.js")).then(({ ResultMap }) => new ResultMap(this.region, { open: (ip) => this.open(ip), mark: (ip) => this.results.mark(ip) }).start());
    const map = await this.map;
    const isFirst = !this.hasFitted && this.results.size > 0;
    map.set(this.results.records(), this.results.opened);
    if (isFirst) {
      this.hasFitted = true;
      map.fit();
    }
    return map;
  }

  /** @param {string} ip */
  async show(ip) {
    const map = await this.redraw();
    if (!map?.reach(ip)) this.errors.say(`${ip} has no place on the map`);
  }

  /** @param {{ isStep?: boolean }} [how] */
  async getInfo(how) {
    if (this.field.checked?.state !== "valid") {
      this.field.input.focus();
      await this.errors.around(async () => this.errors.say(`Invalid address: ${await this.field.fault()}`));
      return;
    }
    const ip = this.field.value.trim();
    await this.lookUp(/** @type {HTMLElement} */ (this.getter), `Looking up ${ip}…`, { ip }, how);
  }

  async findMe() {
    const record = await this.lookUp(/** @type {HTMLElement} */ (this.finder), "Finding this machine's address…", { me: true });
    if (record) this.field.value = record.ip;
  }

  /**
   * @param {HTMLElement} control
   * @param {string} saying
   * @param {{ ip: string } | { me: true }} body
   * @param {{ isStep?: boolean }} [how]
   * @returns {Promise<SondeRecord | undefined>}
   */
  lookUp(control, saying, body, how) {
    return whileBusy(control, () =>
      this.errors.around(async () => {
        setText(this.work, saying);
        try {
          const record = await ask("POST", "lookups", { body });
          this.add(record);
          this.open(record.ip, how);
          (await this.redraw())?.reveal(record.ip);
          return record;
        } finally {
          setText(this.work, "");
        }
      }),
    );
  }

  /** @param {string} ip @param {HTMLElement} control */
  refresh(ip, control) {
    whileBusy(control, () =>
      this.errors.around(async () => {
        setText(this.work, `Looking up ${ip}…`);
        try {
          this.add(await ask("POST", `lookups/${encodeURIComponent(ip)}/refresh`));
        } finally {
          setText(this.work, "");
        }
      }),
    );
  }

  /** @param {string} ip */
  remove(ip) {
    this.errors.around(async () => {
      await ask("DELETE", `lookups/${encodeURIComponent(ip)}`);
      tellRemoved("lookup", ip);
    });
  }

  /** Takes away what was removed, here or in another tab. @param {string | null} ip */
  removed(ip) {
    if (ip === null) {
      this.results.clear();
      this.setNext(null);
      setAddress(viewURL(""), false);
    } else {
      const next = this.results.remove(ip);
      if (ip === this.results.opened) this.open(next, { isStep: false });
    }
    this.redraw();
  }

  async reset() {
    const count = this.results.size + (this.next ? 1 : 0);
    await this.errors.around(async () => {
      if (count > MOST_WITHOUT_ASKING) {
        // The first view needs it not.
        const { confirmed } = await import("./confirming.js");
        const loss = "The field, the list and the map are cleared. The answers stay in the cache.";
        if (!(await confirmed("Reset", "Clear all results?", loss))) return;
      }
      await ask("DELETE", "lookups");
      tellRemoved("lookup", null);
      this.field.clear();
    });
  }

  /** @param {string | null} next */
  setNext(next) {
    this.next = next;
    this.more.hidden = !next;
  }

  /** Reads the results that are kept, the newest of them; those beyond are read when they are wanted. */
  load() {
    return this.results.panel.read(
      (signal) => this.reading.read(() => ask("GET", "lookups", { query: { limit: RESULTS_AT_ONCE }, signal }), ({ items, next }) => this.take(items, next)),
      () => this.results.size > 0,
    );
  }

  /** @param {SondeRecord[]} items @param {string | null} next */
  take(items, next) {
    const known = new Set(items.map(({ ip }) => ip));
    for (const ip of this.results.addresses()) if (!known.has(ip) && this.hasLoaded) this.results.remove(ip);
    this.results.begin(items);
    this.hasLoaded = true;
    this.setNext(next);
    if (items.length) this.redraw();
  }

  /** Opens what an address of the page stands for; what is not kept is asked for at once. @param {Place} place */
  go({ id, query }) {
    const text = id || (query.get("ip") ?? "");
    if (!text) return this.open(this.results.addresses()[0] ?? null, { isStep: false });
    if (this.results.items.has(text)) return this.open(text, { isStep: false });
    this.field.value = text.slice(0, 100);
    if (this.field.checked?.state === "valid") this.getInfo({ isStep: false });
  }

  async loadMore() {
    await whileBusy(this.more, () =>
      this.errors.around(async () => {
        const { items, next } = await ask("GET", "lookups", { query: { limit: RESULTS_AT_ONCE, before: this.next } });
        for (const record of items) this.results.add(record, { isOlder: true });
        this.setNext(next);
        await this.redraw();
      }),
    );
  }
}

/** What stands in the map's place until there is something to show. */
const emptyMap = () => element("p", { class: "map-empty soft" }, "The map comes with the first result.");

/** @type {View} */
export const lookupView = {
  title: "Look up",
  show(main, place, signal) {
    const view = new LookupView(signal);
    view.build(main);
    live.addEventListener("lookup", (event) => view.reading.told(() => view.add(/** @type {CustomEvent} */ (event).detail)), { signal });
    live.addEventListener("lookup-removed", (event) => view.reading.told(() => view.removed(/** @type {CustomEvent} */ (event).detail)), { signal });
    live.addEventListener("reset", () => view.load(), { signal });
    connection.addEventListener("back", () => view.load(), { signal });
    signal.addEventListener("abort", async () => (await view.map)?.end());
    const isPlain = !place.id && !place.query.has("ip");
    if (isPlain && matchMedia("(hover: hover)").matches) view.field.input.focus({ preventScroll: true });
    view.load().then(() => signal.aborted || view.go(place));
    return (next) => view.go(next);
  },
};
