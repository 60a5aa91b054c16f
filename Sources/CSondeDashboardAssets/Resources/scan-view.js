// The page of one scan: what it is, how far, what was found, and what can be done with it.

import { element, grouped, lengthText } from "./elements.js";
import { ask, Problem } from "./api.js";
import { button, newID, setText, whileBusy } from "./controls.js";
import { confirmed } from "./confirming.js";
import { connection } from "./connection.js";
import { ErrorPlace } from "./errors.js";
import { icon } from "./icons.js";
import { live, Reading, tellRemoved } from "./live.js";
import { lossTable } from "./losses.js";
import { apiURL, viewURL } from "./paths.js";
import { planElements } from "./plan.js";
import { RecordTable } from "./records.js";
import { readable, statusElement } from "./record.js";
import { ScanMap } from "./scan-map.js";
import { ScanSummary } from "./scan-summary.js";
import { canTryAgain, hasEnded, isActive, legendOf, progressBar, progressText, quotaText, reasonText, sizeText, STATUSES, updateBar } from "./scan-states.js";
import { Table } from "./tables.js";
import { ThroughputChart } from "./throughput.js";
import { momentElement } from "./times.js";
import { goTo, leaveView } from "./views.js";
import { loadStyle } from "./styles.js";

/**
 * @import { Scan } from "./scan-states.js"
 * @import { View } from "./views.js"
 */

await loadStyle("views.css");

/** How often what a running scan has found is read again, in milliseconds. */
const REFRESH_INTERVAL = 3000;

/** @type {[string, string, Record<string, string | boolean>][]} */
const DOWNLOADS = [
  ["CSV", "records", { format: "csv", spreadsheet: true }], ["NDJSON", "records", { format: "ndjson" }], ["JSON", "records", { format: "json" }],
  ["GeoJSON", "records", { format: "geojson" }], ["Missing", "missing", {}], ["Rejects", "rejects", {}], ["Report", "report", {}],
];

/** The row of a count, and how it is written. @typedef {{ name: string, value: string }} Count */

/** @param {Scan} scan @returns {Count[]} */
function countsOf(scan) {
  const counts = scan.counts ?? {};
  const number = (/** @type {string} */ key) => grouped(counts[key] ?? 0);
  const { rate, quota, seconds_left: left } = scan;
  const now = [
    { name: "rate", value: isNumber(rate) ? `${grouped(Math.round(rate * 10) / 10)} /s` : "" },
    { name: "quota", value: quotaText(quota) },
    { name: "time left", value: isNumber(left) ? lengthText(Math.ceil(left)) : "" },
  ];
  return [...["entries", ...STATUSES, "duplicates", "cached", "requests"].map((name) => ({ name, value: number(name) })), ...now.filter(({ value }) => value)];
}

/** @param {number | null | undefined} value @returns {value is number} */
const isNumber = (value) => typeof value === "number";

class ScanView {
  /** @param {string} id @param {AbortSignal} signal */
  constructor(id, signal) {
    this.id = id;
    this.signal = signal;
    this.path = `scans/${encodeURIComponent(id)}`;
    this.errors = new ErrorPlace();
    this.reading = new Reading();
    /** @type {Scan | null} */
    this.scan = null;
    this.state = element("p", { role: "status", class: "scan-state" });
    this.reason = element("span", { class: "soft" });
    this.counts = new Table("Counts", /** @type {import("./tables.js").Column<Count>[]} */ ([
      { header: "What", cell: ({ name }) => (STATUSES.includes(name) ? statusElement(name) : name) },
      { header: "Number", class: "number", cell: ({ value }) => element("span", { class: value === "0" ? "zero" : "" }, value) },
    ]), { class: "counts" });
    this.losses = lossTable("The network was not lost.", signal);
    this.chart = new ThroughputChart(signal);
    this.map = new ScanMap(this.path, signal);
    this.records = new RecordTable(this.path, signal);
    this.records.onChoice = (choice) => this.aimLinks(choice);
    this.summary = new ScanSummary(this.path, signal, (condition) => this.choose(condition));
    this.plan = element("section", { class: "card plan" });
    this.buttons = this.makeButtons();
    this.hint = element("p", { id: newID(), class: "soft" });
    this.buttons["Ask again"].setAttribute("aria-describedby", this.hint.id);
  }

  makeButtons() {
    /** @type {Record<string, HTMLButtonElement>} */
    const buttons = {
      Start: button("Start", () => this.change("start", buttons.Start), { icon: "play", class: "primary" }),
      Pause: button("Pause", () => this.change("pause", buttons.Pause), { icon: "pause" }),
      Resume: button("Resume", () => this.change("resume", buttons.Resume), { icon: "play", class: "primary" }),
      Stop: button("Stop", () => this.stop(), { icon: "stop" }),
      "Ask again": button("Ask again", () => this.change("retry", buttons["Ask again"]), { icon: "again" }),
      Delete: button("Delete", () => this.remove(), { icon: "remove" }),
    };
    return buttons;
  }

  /** @param {HTMLElement} main @param {Scan} scan */
  build(main, scan) {
    main.className = "scan-view";
    this.bar = progressBar(scan, "Progress");
    this.progress = element("p", { class: "progress-text" });
    this.legend = element("ul", { class: "legend", "aria-label": "By status" });
    this.links = DOWNLOADS.map(([name]) => element("a", { download: "" }, name));
    this.aimLinks(this.records.choice);
    const downloads = element("p", { class: "downloads" }, icon("download"), ...this.links);
    const meta = [momentElement(scan.created_at), ...(scan.bytes ? [sizeText(scan.bytes)] : []), ...(scan.as && scan.as !== "guess" ? [`read as a ${scan.as}`] : [])];
    const metaLine = element("p", { class: "soft meta" }, ...meta.flatMap((part, index) => (index ? [" · ", part] : [part])));
    const head = element("div", { class: "scan-head" },
      element("p", { class: "crumb" }, element("a", { href: viewURL("scans") }, icon("back"), "Scans")),
      element("div", { class: "heading" }, element("h1", { tabindex: -1 }, readable(scan.name) || "Without a name"), element("div", { class: "state-line" }, this.state, this.reason)),
      metaLine, this.bar, element("div", { class: "bar-line" }, this.progress, this.legend),
      element("div", { class: "actions" }, element("div", { class: "buttons" }, ...Object.values(this.buttons)), downloads), this.hint);
    main.replaceChildren(head, this.errors.element, this.plan,
      element("div", { class: "scan-grid" },
        element("section", { class: "card area-counts" }, this.counts.element),
        element("section", { class: "card area-time" }, element("h2", {}, "Throughput"), this.chart.element),
        element("section", { class: "card area-losses" }, this.losses.element),
        element("section", { class: "card area-map" }, this.map.element),
        this.summary.hits.element,
        element("section", { class: "card area-countries" }, this.summary.countries.element),
        element("section", { class: "card area-networks" }, this.summary.networks.element),
        element("section", { class: "card area-cities" }, this.summary.cities.element),
        element("section", { class: "card area-addresses" }, this.summary.addresses.element),
        element("section", { class: "card area-records" }, this.records.element)));
  }

  /** Lets the links lead to the records that are chosen. @param {{ filter: string, where: string }} choice */
  aimLinks(choice) {
    DOWNLOADS.forEach(([, path, query], index) => {
      const link = this.links?.[index];
      if (link) link.href = apiURL(`${this.path}/${path}`, path === "records" ? { ...query, ...choice } : query);
    });
  }

  /** Shows the records that a row of a table stands for. @param {string} condition */
  choose(condition) {
    this.records.addCondition(condition);
    this.records.element.scrollIntoView({ block: "nearest" });
  }

  /** Takes what is new of the scan. @param {Partial<Scan>} news */
  update(news) {
    if (!this.scan) return;
    const before = this.scan.state;
    const scan = Object.assign(this.scan, news);
    if (before !== scan.state || !this.state.textContent) this.state.replaceChildren(statusElement(scan.state));
    setText(this.reason, reasonText(scan));
    if (this.bar) updateBar(this.bar, scan);
    if (this.progress) setText(this.progress, progressText(scan));
    this.legend?.replaceChildren(...legendOf(scan));
    this.counts.set(countsOf(scan));
    this.plan.hidden = scan.state !== "ready";
    if (scan.state === "ready") this.plan.replaceChildren(element("h2", {}, "Plan"), ...(scan.plan ? planElements(scan.plan) : [element("p", {}, "Reading…")]));
    this.showButtons(scan);
    this.records.setSortable(hasEnded(scan));
    if (before !== scan.state) this.refreshAll();
  }

  /** Shows what can be done with the scan as it is now. @param {Scan} scan */
  showButtons(scan) {
    const { state } = scan;
    const counts = scan.counts ?? {};
    /** @type {Record<string, boolean>} */
    const possible = {
      Start: state === "ready", Pause: isActive(scan), Resume: state === "paused" || canTryAgain(scan), Stop: isActive(scan) || state === "paused",
      "Ask again": hasEnded(scan) && counts.entries !== 0, Delete: true,
    };
    const unasked = state === "stopped" ? " What was not asked before the stop stays unasked: for that, begin a new scan." : "";
    setText(this.hint, possible["Ask again"] ? `“Ask again” asks anew for what failed, was lost or only a fallback knew.${unasked}` : "");
    const focused = document.activeElement;
    for (const [name, made] of Object.entries(this.buttons)) made.hidden = !possible[name];
    if (focused instanceof HTMLElement && focused.hidden) Object.values(this.buttons).find((made) => !made.hidden)?.focus();
  }

  /** @param {string} transition @param {HTMLElement} control */
  change(transition, control) {
    const asking = () => ask("POST", `${this.path}/${transition}`);
    return whileBusy(control, () => this.errors.around(() => this.reading.read(asking, (scan) => this.update(scan ?? {}))));
  }

  async stop() {
    const isSure = await confirmed("Stop", "Stop this scan for good?", "What is known stays. What was not asked yet stays unasked: a stopped scan does not go on.");
    if (isSure) await this.change("stop", this.buttons.Stop);
  }

  async remove() {
    const isSure = await confirmed("Delete", "Delete this scan?", "Its input, its records and its files are deleted. The answers stay in the cache.");
    if (!isSure) return;
    await this.errors.around(async () => {
      await ask("DELETE", this.path);
      this.isRemoving = true;
      tellRemoved("scan", this.id);
      await goTo(viewURL("scans"));
    });
  }

  /** Reads what the events do not tell: how much there is, and how long it takes. */
  async readScan() {
    const { total, quota, seconds_left, plan, detail } = await ask("GET", this.path, { signal: this.signal });
    this.update({ total, quota, seconds_left, plan, detail });
  }

  /** Reads what was found so far. */
  async refresh() {
    const throughput = this.losses.load(async (own) => {
      const { items, losses } = await ask("GET", `${this.path}/throughput`, { signal: own });
      this.chart.set(items, losses);
      return losses;
    }).then(() => this.losses.panel.state === "failed" && this.chart.panel.fail(new Error("The throughput is not known"), () => this.refresh()));
    await Promise.all([throughput, this.summary.refresh(this.scan?.as === "log"), this.records.load({ isAgain: true }), this.map.load()]);
  }

  refreshAll() {
    this.errors.around(() => this.readScan());
    this.refresh();
    // The last second's measurements and the end of a loss come after the last event of a scan.
    if (["done", "stopped", "failed"].includes(this.scan?.state ?? "")) {
      clearTimeout(this.lastLook);
      this.lastLook = setTimeout(() => !this.signal.aborted && this.refresh(), 3000);
    }
  }

  /** @param {HTMLElement} main @param {Scan} scan */
  show(main, scan) {
    if (!this.scan) {
      this.scan = scan;
      this.build(main, scan);
      document.title = `${readable(scan.name)} · Sonde`;
    }
    this.update(scan);
  }

  /** Reads the scan anew. @param {HTMLElement} main */
  async load(main) {
    try {
      await this.reading.read(() => ask("GET", this.path, { signal: this.signal }), (scan) => this.signal.aborted || this.show(main, scan));
      await this.refresh();
    } catch (error) {
      if (error instanceof Problem && error.status === 404) showAbsent(main);
      else this.errors.show(error);
    }
  }
}

/** @param {HTMLElement} main */
function showAbsent(main) {
  const heading = element("h1", { tabindex: -1 }, "No such scan");
  main.replaceChildren(heading, element("p", {}, "It was deleted, or never was. ", element("a", { href: viewURL("scans") }, "All scans")));
}

/** @type {View} */
export const scanView = {
  title: "Scan",
  show(main, { id, query }, signal) {
    const view = new ScanView(id, signal);
    view.records.take(query);
    main.className = "scan-view";
    main.replaceChildren(element("h1", { tabindex: -1 }, "Scan"), view.errors.element);
    live.addEventListener("scan", (event) => {
      const { detail } = /** @type {CustomEvent} */ (event);
      if (detail.id === id) view.reading.told(() => view.update(detail));
    }, { signal });
    live.addEventListener("scan-removed", (event) => {
      if (/** @type {CustomEvent} */ (event).detail !== id || view.isRemoving) return;
      leaveView();
      showAbsent(main);
    }, { signal });
    live.addEventListener("reset", () => view.load(main), { signal });
    connection.addEventListener("back", () => view.load(main), { signal });
    const timer = setInterval(() => {
      if (!document.hidden && view.scan && (isActive(view.scan) || (view.scan.state === "ready" && !view.scan.plan))) view.refreshAll();
    }, REFRESH_INTERVAL);
    signal.addEventListener("abort", () => clearInterval(timer));
    view.load(main);
    return (place) => {
      view.records.take(place.query);
      view.records.load();
    };
  },
};
