// The view "Scans": all scans, the newest first, each with its state and progress.

import { element } from "./elements.js";
import { ask } from "./api.js";
import { button, newID, setText, whileBusy } from "./controls.js";
import { connection } from "./connection.js";
import { ErrorPlace } from "./errors.js";
import { live, Reading } from "./live.js";
import { openNewScan } from "./new-scan.js";
import { Panel } from "./panels.js";
import { viewURL } from "./paths.js";
import { progressBar, progressText, reasonText, sizeText, updateBar } from "./scan-states.js";
import { readable, statusElement } from "./record.js";
import { momentElement } from "./times.js";
import { noticeElement } from "./settings.js";
import { loadStyle } from "./styles.js";

/**
 * @import { Scan } from "./scan-states.js"
 * @import { View } from "./views.js"
 */

await loadStyle("views.css");

const SCANS_AT_ONCE = 50;

/** One row of the list. */
class Row {
  /** @param {Scan} scan */
  constructor(scan) {
    this.scan = scan;
    this.isReading = false;
    const name = readable(scan.name);
    this.name = element("a", { id: newID(), href: viewURL(`scans/${scan.id}`) }, name || "Without a name");
    this.state = element("span", { class: "state-place" });
    this.bar = progressBar(scan, `Progress of ${name}`);
    this.text = element("span", { class: "progress-text" });
    const size = scan.bytes ? ` · ${sizeText(scan.bytes)}` : "";
    const meta = element("span", { class: "soft" }, momentElement(scan.created_at), size);
    this.element = element("li", { class: "scan-row", "aria-labelledby": this.name.id }, element("div", { class: "scan-name" }, this.name, meta), this.state, element("div", { class: "scan-progress" }, this.bar, this.text));
    this.update({});
  }

  /** @param {Partial<Scan>} news */
  update(news) {
    Object.assign(this.scan, news);
    const reason = reasonText(this.scan);
    const text = `${this.scan.state}${reason}`;
    if (this.state.dataset.text !== text) {
      this.state.dataset.text = text;
      this.state.replaceChildren(statusElement(this.scan.state), ...(reason ? [element("span", { class: "soft" }, reason)] : []));
    }
    updateBar(this.bar, this.scan);
    setText(this.text, progressText(this.scan));
  }
}

class ScansView {
  /** @param {AbortSignal} signal */
  constructor(signal) {
    /** @type {Map<string, Row>} */
    this.rows = new Map();
    /** The scans that the list was read for, which may be older than those in it. @type {Set<string>} */
    this.beyond = new Set();
    this.errors = new ErrorPlace();
    this.reading = new Reading();
    this.list = element("ul", { "aria-label": "Scans", role: "list", class: "scans" });
    this.panel = new Panel(this.list, "No scans yet. Drop a list, a log or a capture anywhere on this page, or press “New scan”. Before anything is asked you see how many requests it takes, and how long.", signal);
    this.more = button("Show more", () => this.loadMore(), { class: "more" });
    this.more.hidden = true;
    /** @type {string | null} */
    this.next = null;
  }

  /** @param {HTMLElement} main */
  build(main) {
    main.className = "scans-view";
    const begin = button("New scan", () => openNewScan(), { class: "primary", icon: "plus" });
    main.replaceChildren(element("div", { class: "heading" }, element("h1", { tabindex: -1 }, "Scans"), begin), ...noticeElement(), this.errors.element, this.panel.element, this.more);
  }

  /**
   * Puts scans in their order before a row, or at the end; rows that are there stay, so that no press on them is lost.
   * @param {Scan[]} scans
   * @param {Element | null} place
   * @returns {Element | null} The row behind them.
   */
  put(scans, place) {
    for (const scan of scans) {
      const row = this.rows.get(scan.id) ?? new Row(scan);
      this.rows.set(scan.id, row);
      row.update(scan);
      if (place && row.element === place) place = place.nextElementSibling;
      else this.list.insertBefore(row.element, place);
    }
    return place;
  }

  /** Has the list begin with the newest scans. @param {Scan[]} scans @param {string | null} next */
  begin(scans, next) {
    const isContinued = scans.some(({ id }) => this.rows.has(id));
    this.put(scans, this.list.firstElementChild);
    const shown = new Set(scans.map(({ id }) => id));
    const last = scans.at(-1)?.created_at ?? "";
    // What was asked for beyond them stays where it follows them; the rest was deleted.
    const others = [...this.rows.values()].filter(({ scan }) => !shown.has(scan.id));
    const older = next && isContinued ? others.filter(({ scan }) => scan.created_at <= last) : [];
    for (const row of others) if (!older.includes(row)) this.remove(row.scan.id);
    if (!older.length) this.setNext(next);
    this.panel.fill(this.rows.size > 0);
  }

  /** @param {string | null} next */
  setNext(next) {
    this.next = next;
    this.more.hidden = !next;
  }

  /** Reads how much there is of a scan, which no event tells. @param {Row} row */
  async readTotal(row) {
    if (row.isReading) return;
    row.isReading = true;
    await ask("GET", `scans/${row.scan.id}`).then(({ total, detail }) => row.update({ total, detail }), () => {});
    row.isReading = false;
  }

  /** @param {string} id */
  remove(id) {
    this.rows.get(id)?.element.remove();
    this.rows.delete(id);
    this.panel.fill(this.rows.size > 0);
  }

  load() {
    const read = (/** @type {AbortSignal} */ signal) => this.reading.read(() => ask("GET", "scans", { query: { limit: SCANS_AT_ONCE }, signal }), ({ items, next }) => this.begin(items, next));
    return this.panel.read(read, () => this.rows.size > 0);
  }

  /** Takes news of a scan; of one that is not shown, the list is read once. @param {Scan} news */
  take(news) {
    const row = this.rows.get(news.id);
    if (!row && !this.beyond.has(news.id)) {
      this.beyond.add(news.id);
      this.load();
    }
    this.reading.told(() => this.rows.get(news.id)?.update(news));
    if (row && row.scan.total === null) this.readTotal(row);
  }

  loadMore() {
    whileBusy(this.more, () =>
      this.errors.around(async () => {
        const { items, next } = await ask("GET", "scans", { query: { limit: SCANS_AT_ONCE, before: this.next } });
        this.put(items, null);
        this.setNext(next);
      }),
    );
  }
}

/** @type {View} */
export const scansView = {
  title: "Scans",
  show(main, _, signal) {
    const view = new ScansView(signal);
    view.build(main);
    live.addEventListener("scan", (event) => view.take(/** @type {CustomEvent} */ (event).detail), { signal });
    live.addEventListener("scan-removed", (event) => view.reading.told(() => view.remove(/** @type {CustomEvent} */ (event).detail)), { signal });
    live.addEventListener("reset", () => view.load(), { signal });
    connection.addEventListener("back", () => view.load(), { signal });
    view.load();
  },
};
