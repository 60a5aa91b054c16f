// The view "Look up": the field, the list of results, and the map.

import { element } from "./elements.js";
import { ask } from "./api.js";
import { button, setText, whileBusy } from "./controls.js";
import { ErrorPlace } from "./errors.js";
import { AddressField } from "./field.js";
import { Results } from "./results.js";
import { live, Reading, tellRemoved } from "./live.js";
import { connection } from "./connection.js";
import { noticeElement } from "./settings.js";

/**
 * @import { SondeRecord } from "./record.js"
 * @import { ResultMap } from "./pins.js"
 * @import { View } from "./views.js"
 */

/** As many results are shown at once; a button shows more. */
const RESULTS_AT_ONCE = 100;

/** More results than these are not thrown away without asking. */
const MOST_WITHOUT_ASKING = 10;

/** The view, while it is shown. */
class LookupView {
  constructor() {
    this.errors = new ErrorPlace();
    this.reading = new Reading();
    this.field = new AddressField(() => this.errors.clear());
    this.work = element("p", { role: "status", class: "working" });
    this.results = new Results({
      show: (ip) => this.show(ip),
      refresh: (ip, control) => this.refresh(ip, control),
      remove: (ip) => this.remove(ip),
    });
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

  /** @param {SondeRecord} record @param {object} [how] */
  add(record, how) {
    this.results.add(record, how);
    this.redraw();
  }

  /** Draws the pins anew; the map comes with the first result. */
  async redraw() {
    if (!this.results.size && !this.map) return;
    // It has its size before the map is put into it.
    this.region.classList.add("drawn");
    this.map ??= import("./pins.js").then(({ ResultMap }) => new ResultMap(this.region, (ip) => this.results.mark(ip)).start());
    const map = await this.map;
    const isFirst = !this.hasFitted && this.results.size > 0;
    map.set(this.results.records());
    if (isFirst) {
      this.hasFitted = true;
      map.fit();
    }
    return map;
  }

  /** @param {string} ip */
  async show(ip) {
    const map = await this.redraw();
    if (!map?.show(ip)) this.errors.say(`${ip} has no place on the map`);
  }

  async getInfo() {
    const { state, ip } = this.field.checked ?? {};
    if (state !== "valid" || !ip) {
      this.errors.say(`Invalid address: ${this.field.fault}`);
      this.field.input.focus();
      return;
    }
    await this.lookUp(/** @type {HTMLElement} */ (this.getter), `Looking up ${ip}…`, { ip });
  }

  async findMe() {
    const record = await this.lookUp(/** @type {HTMLElement} */ (this.finder), "Finding this machine's address…", { me: true });
    if (record) this.field.value = record.ip;
  }

  /**
   * @param {HTMLElement} control
   * @param {string} saying
   * @param {{ ip: string } | { me: true }} body
   * @returns {Promise<SondeRecord | undefined>}
   */
  lookUp(control, saying, body) {
    return whileBusy(control, () =>
      this.errors.around(async () => {
        setText(this.work, saying);
        try {
          const record = await ask("POST", "lookups", { body });
          this.add(record);
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
          this.add(await ask("POST", `lookups/${encodeURIComponent(ip)}/refresh`), { staysInPlace: false });
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
    } else {
      this.results.remove(ip);
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

  /** Reads the results that are kept. @param {AbortSignal} signal */
  async load(signal) {
    const asking = () => ask("GET", "lookups", { query: { limit: RESULTS_AT_ONCE }, signal });
    await this.errors.around(() => this.reading.read(asking, ({ items, next }) => {
      const known = new Set(items.map((/** @type {SondeRecord} */ record) => record.ip));
      for (const record of this.results.records()) if (!known.has(record.ip) && this.hasLoaded) this.results.remove(record.ip);
      for (const record of items.toReversed()) this.results.add(record);
      this.hasLoaded = true;
      this.setNext(next);
      if (items.length) this.redraw();
    }));
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
  show(main, { query }, signal) {
    const view = new LookupView();
    view.build(main);
    live.addEventListener("lookup", (event) => view.reading.told(() => view.add(/** @type {CustomEvent} */ (event).detail)), { signal });
    live.addEventListener("lookup-removed", (event) => view.reading.told(() => view.removed(/** @type {CustomEvent} */ (event).detail)), { signal });
    live.addEventListener("reset", () => view.load(signal), { signal });
    connection.addEventListener("back", () => view.load(signal), { signal });
    signal.addEventListener("abort", async () => (await view.map)?.end());
    const loading = view.load(signal);
    const ip = query.get("ip");
    if (ip !== null) {
      view.field.value = ip.slice(0, 100);
      loading.then(() => view.getInfo());
    } else if (matchMedia("(hover: hover)").matches) {
      view.field.input.focus({ preventScroll: true });
    }
  },
};
