// What was found in a scan, counted: countries, networks, cities and addresses, and a log's hits over time.

import { counted, element, grouped, shape, shareText } from "./elements.js";
import { ask } from "./api.js";
import { addressCondition, cityCondition, countryCondition, networkCondition } from "./conditions.js";
import { button } from "./controls.js";
import { Panel } from "./panels.js";
import { readable } from "./record.js";
import { Table } from "./tables.js";
import { momentText } from "./times.js";

/** As many rows of each table are shown. */
const MOST_ROWS = 100;

/** A row of a table, as `sonde summary` has it. @typedef {{ key: string, name: string, addresses?: number, hits: number, share: number, part?: number }} SummaryRow */

/** @param {number} share @param {number} part How long its bar is. */
function shareCell(share, part) {
  const cell = element("span", { class: "share-bar" }, shareText(share, 1));
  cell.style.setProperty("--part", `${Math.min(1, part)}`);
  return cell;
}

/** The rows, whose bars are as long as their share is beside the largest. @param {SummaryRow[]} rows */
function withParts(rows) {
  const most = rows.reduce((largest, { share }) => Math.max(largest, share), 0);
  return rows.map((row) => ({ ...row, part: most ? row.share / most : 0 }));
}

/** The units of the image across and down. */
const [WIDTH, HEIGHT] = [1000, 100];

/** An hour and a day in milliseconds. */
const STEPS = { hours: 3_600_000, days: 86_400_000 };

/** The hits of a log in each hour or day, as a picture. */
class Hits {
  /** @param {AbortSignal} signal */
  constructor(signal) {
    this.content = element("figure", { class: "hits" });
    this.panel = new Panel(this.content, "No line has a time.", signal);
    this.element = element("section", { class: "card area-hits" }, element("h2", {}, "Hits over time"), this.panel.element);
  }

  /** @param {SummaryRow[] | null} hours @param {SummaryRow[] | null} days */
  show(hours, days) {
    const rows = hours ?? days ?? [];
    if (rows.length) this.draw(rows, hours ? STEPS.hours : STEPS.days);
    this.panel.fill(rows.length > 0);
  }

  /** @param {SummaryRow[]} rows @param {number} step */
  draw(rows, step) {
    const most = rows.reduce((largest, { hits }) => Math.max(largest, hits), 1);
    const words = `At most ${counted(most, "hit")} in ${step === STEPS.hours ? "an hour" : "a day"}.`;
    const bars = rows.map(({ key, name, hits }) => ({ at: Date.parse(key), hits, text: `${name}: ${counted(hits, "hit")}` }));
    this.content.replaceChildren(...barPicture("Hits over time", bars, step, words));
  }
}

/**
 * A picture of hits over time, and the words below it.
 * @param {string} name
 * @param {{ at: number, hits: number, text: string }[]} rows At least one, in order; when each begins in milliseconds since 1970.
 * @param {number} step How long each is, in milliseconds.
 * @param {string} words
 * @param {"clock" | "second"} [form] How the ends are written.
 */
export function barPicture(name, rows, step, words, form = "second") {
  const most = rows.reduce((largest, { hits }) => Math.max(largest, hits), 0) || 1;
  const [start, last] = [rows[0].at, rows[rows.length - 1].at];
  const whole = Math.max(1, (last - start) / step + 1);
  const bars = rows.filter(({ hits }) => hits).map(({ at, hits, text }) => {
    const height = (hits / most) * HEIGHT;
    const x = ((at - start) / step / whole) * WIDTH;
    return shape("rect", { class: "hit-bar", x, y: HEIGHT - height, width: Math.max(0.5, (WIDTH / whole) * 0.9), height }, shape("title", {}, text));
  });
  const caption = element("figcaption", { class: "soft", id: "about-hits" },
    element("span", { class: "ends" }, element("span", {}, momentText(start, form)), element("span", {}, momentText(last + step, form))), words);
  return [shape("svg", { role: "img", "aria-label": name, "aria-describedby": caption.id, viewBox: `0 0 ${WIDTH} ${HEIGHT}`, preserveAspectRatio: "none", class: "strip" }, ...bars), caption];
}

/** The tables of what was counted, whose rows are conditions. */
export class SummaryTables {
  /**
   * @param {AbortSignal} signal
   * @param {(condition: string) => void} choose
   * @param {{ nothing: string, tip: string, choosesAddresses?: boolean }} words
   */
  constructor(signal, choose, words) {
    this.tip = words.tip;
    const look = { nothing: words.nothing, signal, tip: words.tip };
    const key = { class: "code", cell: (/** @type {SummaryRow} */ row) => readable(row.key) };
    /** @param {string} header @param {string} caption @param {(row: SummaryRow) => string} condition @param {import("./tables.js").Column<SummaryRow>[]} others */
    const table = (header, caption, condition, ...others) => new Table(caption, [
      { header, cell: (row) => this.chooser(row.name || row.key, () => choose(condition(row))) }, ...others,
      { header: "Addresses", class: "number", cell: ({ addresses, hits }) => grouped(addresses ?? hits) },
      ...this.counts(),
    ], { ...look, choice: (row) => () => choose(condition(row)) });
    this.countries = table("Country", "Countries", countryCondition, { header: "Code", ...key });
    this.networks = table("Network", "Networks", networkCondition, { header: "Number", ...key });
    this.cities = table("City", "Cities", cityCondition);
    const choice = (/** @type {SummaryRow} */ row) => (words.choosesAddresses && row.key ? () => choose(addressCondition(row)) : null);
    const addressOf = (/** @type {SummaryRow} */ row) => {
      const chosen = choice(row);
      return chosen ? this.chooser(row.key, chosen) : readable(row.key) || "no address";
    };
    this.addresses = new Table("Addresses", [{ header: "Address", class: "address", cell: addressOf }, { header: "Place and network", cell: ({ name }) => readable(name) }, ...this.counts()], { ...look, choice });
  }

  /** The panel that reads for all of them. */
  get panel() {
    return this.countries.panel;
  }

  /** @returns {import("./tables.js").Column<SummaryRow>[]} */
  counts() {
    return [
      { header: "Hits", class: "number", cell: ({ hits }) => grouped(hits) },
      { header: "Share", class: "number share", cell: ({ share, part }) => shareCell(share, part ?? share) },
    ];
  }

  /** A row's name, which chooses its records. @param {string} name @param {() => void} choose */
  chooser(name, choose) {
    const words = readable(name) || "not known";
    const made = button(words, choose, { class: "link" });
    // Of a long one two lines are seen.
    made.querySelector("span")?.setAttribute("title", words);
    made.setAttribute("aria-description", this.tip);
    return made;
  }

  /** What is asked for once for all tables, and taken by each of them. */
  get parts() {
    /** @type {[Table<SummaryRow>, string][]} */
    const parts = [[this.countries, "countries"], [this.networks, "networks"], [this.cities, "cities"], [this.addresses, "addresses"]];
    return parts;
  }

  /** @param {any} summary */
  set(summary) {
    for (const [table, name] of this.parts) table.set(withParts(summary[name] ?? []));
  }

  /** Has all tables say what is wrong. @param {Panel} panel The one that knows. @param {() => void} again */
  failAs(panel, again) {
    const words = panel.note.firstChild?.textContent ?? "";
    for (const [table] of this.parts) if (table.panel !== panel) table.panel.fail(new Error(words), again);
  }

  /**
   * Reads all tables, by one request.
   * @param {(signal: AbortSignal) => Promise<any>} request
   * @param {(summary: any) => void} taken
   */
  async load(request, taken) {
    await this.panel.read(request, (summary) => {
      this.set(summary);
      taken(summary);
      return Boolean(summary.countries?.length);
    });
    if (this.panel.state === "failed") this.failAs(this.panel, () => this.load(request, taken));
  }
}

/** The tables of a scan, and of a log its hits over time. */
export class ScanSummary extends SummaryTables {
  /** @param {string} path @param {AbortSignal} signal @param {(condition: string) => void} choose */
  constructor(path, signal, choose) {
    super(signal, choose, { nothing: "No answers yet.", tip: "Show only its records" });
    this.path = path;
    this.hits = new Hits(signal);
    this.hits.element.hidden = true;
  }

  /** Reads all, by one request. @param {boolean} isLog */
  loadAll(isLog) {
    this.hits.element.hidden = !isLog;
    return this.hits.panel.read((signal) => ask("GET", `${this.path}/summary`, { query: { top: MOST_ROWS }, signal }), (summary) => {
      this.set(summary);
      this.hits.show(summary.hours, summary.days);
      return Boolean((summary.hours ?? summary.days)?.length);
    });
  }

  /** Has the tables say what was wrong, as the picture does. */
  async refresh(/** @type {boolean} */ isLog) {
    if (this.hits.panel.isReading) return;
    await this.loadAll(isLog);
    if (this.hits.panel.state === "failed") this.failAs(this.hits.panel, () => this.refresh(isLog));
  }
}
