// The view "Live": who is in a log at this moment.

import { element, counted, lengthText } from "./elements.js";
import { ask } from "./api.js";
import { ConditionBar } from "./condition-bar.js";
import { joined, parted } from "./conditions.js";
import { button, labelled, newID, setText } from "./controls.js";
import { connection } from "./connection.js";
import { hearLog, live } from "./live.js";
import { Panel } from "./panels.js";
import { viewURL } from "./paths.js";
import { readable } from "./record.js";
import { ScanMap } from "./scan-map.js";
import { barPicture, SummaryTables } from "./scan-summary.js";
import { setAddress } from "./views.js";
import { loadStyle } from "./styles.js";

/** @import { View } from "./views.js" */

await loadStyle("views.css");

/** How often what is counted is read again, in milliseconds. */
const REFRESH_INTERVAL = 1000;

/** As many lines are shown. */
const MOST_LINES = 100;

/** As many rows of each table are read. */
const MOST_ROWS = 100;

/** The times to choose from: as the API has them, and their names. */
const TIMES = [["5m", "5 minutes"], ["1h", "1 hour"], ["24h", "24 hours"]];

/** A log, as the API has it. @typedef {{ id: string, name: string, file: string | null, state: string, detail: string | null, behind_seconds: number, lines: number, hits: number }} Log */

/** What an event tells of a log. @typedef {{ id: string, hits: number, places: { latitude: number, longitude: number, hits: number, name: string }[], lines: string[] }} LogNews */

/** @param {Log} log */
function stateOf({ state, file, name, behind_seconds: behind }) {
  if (state === "waiting") return ["waiting", `waiting for ${readable(file ?? name)}`];
  return behind ? ["waiting", `${lengthText(behind)} behind`] : ["running", "following"];
}

/** Whether a line has one of some addresses. @param {string} line @param {Set<string>} addresses */
const hasOne = (line, addresses) => line.split(/[^0-9A-Za-z.:%]+/).some((word) => addresses.has(word) || addresses.has(word.replace(/:\d+$/, "")));

class LiveView {
  /** @param {AbortSignal} signal */
  constructor(signal) {
    this.signal = signal;
    this.id = "";
    this.last = TIMES[0][0];
    /** @type {string[]} */
    this.conditions = [];
    this.isPaused = false;
    this.isStale = true;
    /** The addresses that meet the conditions; `null` where there are none. @type {Set<string> | null} */
    this.wanted = null;
    this.logs = element("select");
    this.logs.addEventListener("change", () => this.choose({ id: this.logs.value }));
    this.times = element("select", {}, ...TIMES.map(([value, name]) => element("option", { value }, name)));
    this.times.addEventListener("change", () => this.choose({ last: this.times.value }));
    this.pause = button("Pause", () => this.setPaused(!this.isPaused), { icon: "pause" });
    this.pause.setAttribute("aria-pressed", "false");
    this.status = element("p", { role: "status", class: "log-state" });
    this.detail = element("p", { class: "soft" });
    this.total = element("p", { class: "soft" });
    this.bar = new ConditionBar((condition) => this.choose({ conditions: this.conditions.filter((each) => each !== condition) }));
    this.tables = new SummaryTables(signal, (condition) => this.add(condition), { nothing: "No hits in this time.", tip: "Show only its hits", choosesAddresses: true });
    this.chart = element("figure", { class: "hits" });
    this.rate = new Panel(this.chart, "No hits in this time.", signal);
    this.map = this.newMap();
    this.lines = element("div", { role: "log", "aria-live": "off", "aria-label": "Latest lines", tabindex: 0, class: "lines" });
    /** Each line as it came. @type {WeakMap<Element, string>} */
    this.texts = new WeakMap();
    this.linePanel = new Panel(this.lines, "No line has come yet.", signal);
  }

  newMap() {
    return new ScanMap(`logs/${this.id}`, this.signal, { name: "Live map", query: () => this.query, noun: "hit" });
  }

  get query() {
    return { last: this.last, where: joined(this.conditions) };
  }

  /** @param {HTMLElement} main @param {Log[]} logs */
  build(main, logs) {
    main.className = "live-view";
    this.logs.replaceChildren(...logs.map(({ id, name }) => element("option", { value: id }, readable(name))));
    const choosers = [...(logs.length > 1 ? [labelled("Log", this.logs)] : []), labelled("Last", this.times), this.pause];
    const heading = element("h2", { id: newID() }, "Latest lines");
    main.replaceChildren(
      element("div", { class: "heading" }, element("h1", { tabindex: -1 }, "Live"), element("div", { class: "live-tools" }, ...choosers)),
      element("div", { class: "live-state" }, this.status, this.total, this.detail), this.bar.element,
      element("div", { class: "scan-grid live-grid" },
        element("section", { class: "card area-hits" }, element("h2", {}, "Hits per second"), this.rate.element),
        element("section", { class: "card area-map" }, this.map.element),
        element("section", { class: "card area-countries" }, this.tables.countries.element),
        element("section", { class: "card area-networks" }, this.tables.networks.element),
        element("section", { class: "card area-cities" }, this.tables.cities.element),
        element("section", { class: "card area-addresses" }, this.tables.addresses.element),
        element("section", { class: "card area-lines" }, heading, this.linePanel.element)));
  }

  /** Takes what stands in the page's address. @param {string} id @param {URLSearchParams} query */
  take(id, query) {
    const last = query.get("last") ?? "";
    this.last = TIMES.some(([value]) => value === last) ? last : TIMES[0][0];
    this.conditions = parted(query.get("where") ?? "");
    if (id !== this.id) this.setLog(id);
    this.show();
  }

  /** Shows another log. @param {string} id */
  setLog(id) {
    this.id = id;
    this.lines.replaceChildren();
    this.linePanel.restart();
    this.map.path = `logs/${id}`;
    this.map.isMoved = false;
    this.hearing?.abort();
    this.hearing = new AbortController();
    hearLog(id, AbortSignal.any([this.signal, this.hearing.signal]));
  }

  /** Shows what is chosen, and reads it. */
  show() {
    [this.logs.value, this.times.value] = [this.id, this.last];
    this.bar.show(this.conditions);
    this.wanted = this.conditions.length ? new Set() : null;
    this.filterLines();
    this.refresh(true);
  }

  /** @param {{ id?: string, last?: string, conditions?: string[] }} choice */
  choose({ id = this.id, last = this.last, conditions = this.conditions }) {
    const url = new URL(viewURL(`live/${id}`));
    url.searchParams.set("last", last);
    if (conditions.length) url.searchParams.set("where", joined(conditions));
    setAddress(url.href, true);
    this.take(id, url.searchParams);
  }

  /** @param {string} condition */
  add(condition) {
    if (!this.conditions.includes(condition)) this.choose({ conditions: [...this.conditions, condition] });
  }

  /** @param {boolean} isPaused */
  setPaused(isPaused) {
    this.isPaused = isPaused;
    this.pause.setAttribute("aria-pressed", `${isPaused}`);
    if (!isPaused) this.refresh(true);
  }

  /** Reads all that is counted; unless it must be, only once the last answer has come. @param {boolean} [isNeeded] */
  async refresh(isNeeded = false) {
    if (this.isPaused && !isNeeded) return;
    const path = `logs/${this.id}`;
    if (!isNeeded && (this.rate.isReading || this.tables.panel.isReading)) return;
    const rate = this.rate.read((signal) => ask("GET", `${path}/rate`, { query: this.query, signal }), (answer) => this.draw(answer));
    const tables = this.tables.load((signal) => ask("GET", `${path}/summary`, { query: { ...this.query, top: this.conditions.length ? 1000 : MOST_ROWS }, signal }), (answer) => this.count(answer));
    await Promise.all([rate, tables, this.map.load(), this.readLog()]);
  }

  async readLog() {
    try {
      const log = await ask("GET", `logs/${this.id}`, { signal: this.signal });
      const [state, text] = stateOf(log);
      if (this.status.textContent !== text) this.status.replaceChildren(element("span", { class: "state", "data-state": state }, text));
      setText(this.detail, log.detail ?? "");
    } catch {
      // The panels say what is wrong.
    }
  }

  /** @param {{ step: number, items: { at: string, hits: number }[] }} answer */
  draw({ step, items }) {
    const rows = items.map(({ at, hits }) => ({ at: Date.parse(at), hits: hits / step, text: counted(hits, "hit") }));
    const most = Math.round(rows.reduce((largest, { hits }) => Math.max(largest, hits), 0) * 10) / 10;
    if (most) this.chart.replaceChildren(...barPicture("Hits per second", rows, step * 1000, `At most ${counted(most, "hit")} a second.`, "clock"));
    return most > 0;
  }

  /** @param {{ total: { hits: number, addresses: number, pending: number }, addresses: { key: string }[] }} answer */
  count({ total, addresses }) {
    const waiting = total.pending ? `, ${counted(total.pending, "address")} not known yet` : "";
    setText(this.total, `${counted(total.hits, "hit")} of ${counted(total.addresses, "address")}${waiting}`);
    if (!this.wanted) return;
    this.wanted = new Set(addresses.map(({ key }) => key));
    this.filterLines();
  }

  filterLines() {
    for (const line of this.lines.children) this.filterLine(/** @type {HTMLElement} */ (line));
  }

  /** @param {HTMLElement} line */
  filterLine(line) {
    line.hidden = this.wanted !== null && !hasOne(this.texts.get(line) ?? "", this.wanted);
  }

  /** Shows what has just come. @param {LogNews} news */
  hear({ lines, places }) {
    if (this.isPaused) return;
    const isAtEnd = this.lines.scrollTop + this.lines.clientHeight >= this.lines.scrollHeight - 8;
    const made = lines.map((text) => {
      const line = element("div", { class: "log-line" }, readable(text));
      this.texts.set(line, text);
      return line;
    });
    for (const line of made) this.filterLine(line);
    this.lines.append(...made);
    while (this.lines.childElementCount > MOST_LINES) this.lines.firstElementChild?.remove();
    this.linePanel.fill(this.lines.childElementCount > 0);
    if (isAtEnd) this.lines.scrollTop = this.lines.scrollHeight;
    this.map.light(places);
  }
}

/** @param {HTMLElement} main */
function showAbsent(main) {
  main.className = "plain-view";
  main.replaceChildren(element("h1", { tabindex: -1 }, "No such log"), element("p", {}, "It is not followed. ", element("a", { href: viewURL("live") }, "The logs that are")));
}

/** @type {View} */
export const liveView = {
  title: "Live",
  show(main, place, signal) {
    const view = new LiveView(signal);
    main.className = "live-view";
    const panel = new Panel(element("div"), "No log is followed.", signal);
    main.replaceChildren(element("h1", { tabindex: -1 }, "Live"), panel.element);
    /** @type {Log[]} */
    let logs = [];
    const go = (/** @type {import("./paths.js").Place} */ { id, query }) => {
      const known = logs.find((log) => log.id === (id || logs[0]?.id));
      if (known) view.take(known.id, query);
      else showAbsent(main);
    };
    const begin = () => panel.read((own) => ask("GET", "logs", { query: { limit: 500 }, signal: own }), ({ items }) => {
      logs = items;
      const isKnown = logs.some(({ id }) => id === (place.id || logs[0]?.id));
      if (isKnown) view.build(main, logs);
      go(place);
      return logs.length > 0;
    });
    live.addEventListener("log", (event) => {
      const { detail } = /** @type {CustomEvent} */ (event);
      if (detail.id === view.id) view.hear(detail);
    }, { signal });
    for (const [target, name] of /** @type {[EventTarget, string][]} */ ([[live, "reset"], [connection, "back"]])) {
      target.addEventListener(name, () => (view.id ? view.refresh(true) : begin()), { signal });
    }
    const timer = setInterval(() => document.hidden || !view.id || view.refresh(), REFRESH_INTERVAL);
    signal.addEventListener("abort", () => clearInterval(timer));
    begin();
    return go;
  },
};
