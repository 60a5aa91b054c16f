// What was seen of the network in a period: in figures, as a timeline, and how fast it connected.

import { ask } from "./api.js";
import { causeText } from "./banner.js";
import { labelled } from "./controls.js";
import { counted, element, lengthText, shape } from "./elements.js";
import { Panel } from "./panels.js";
import { momentText } from "./times.js";

/** A time in one state, as the API has it. @typedef {{ start: string, end: string | null, state: "online" | "degraded" | "offline", cause: string | null }} Band */

/** A minute with probes, as the API has it. @typedef {{ at: string, connect_ms: number | null, failed: number }} Minute */

/** A part of a picture: where it begins and ends in milliseconds since 1970, its look, and what it is. @typedef {{ start: number, end: number, kind: string, text: string }} Part */

/** The periods to choose from: the time in milliseconds, and its name. @type {[number, string][]} */
const PERIODS = [[86_400_000, "24 hours"], [604_800_000, "7 days"], [2_592_000_000, "30 days"]];

/** The causes on this machine; all others are beyond it. */
const LOCAL_CAUSES = new Set(["no_interface", "link_down", "no_address", "no_route"]);

/** The looks of parts, with their words in the legend. @type {[string, string][]} */
const KINDS = [
  ["online", "online"], ["degraded", "degraded"], ["local", "lost here"], ["remote", "lost beyond this machine"], ["unwatched", "not watched"],
];

/** The units of a picture across and down. */
const [WIDTH, HEIGHT] = [1000, 100];

/** How long two minutes with probes may be apart for a line between them, in milliseconds. */
const LONGEST_STEP = 150_000;

/** @param {number} milliseconds */
const timeText = (milliseconds) => lengthText(Math.round(milliseconds / 1000));

/** @param {number} milliseconds */
const fastText = (milliseconds) => `${milliseconds < 10 ? milliseconds.toFixed(1) : Math.round(milliseconds)} ms`;

/**
 * The bands within a period, and between them what nobody watched.
 * @param {Band[]} bands
 * @param {number} since
 * @param {number} until
 */
function partsOf(bands, since, until) {
  /** @type {Part[]} */
  const parts = [];
  let last = since;
  const fill = (/** @type {number} */ start) => {
    if (start > last) parts.push({ start: last, end: start, kind: "unwatched", text: `not watched, ${timeText(start - last)}` });
  };
  for (const { start, end, state, cause } of bands) {
    const [from, to] = [Math.max(since, Date.parse(start)), Math.min(until, end ? Date.parse(end) : until)];
    if (to < from) continue;
    fill(from);
    const kind = state === "offline" ? (LOCAL_CAUSES.has(cause ?? "") ? "local" : "remote") : state;
    parts.push({ start: from, end: to, kind, text: [state, cause ? causeText(cause) : "", timeText(to - from)].filter(Boolean).join(", ") });
    last = Math.max(last, to);
  }
  fill(until);
  return parts;
}

/**
 * A picture with a name, and words below it.
 * @param {string} name
 * @param {SVGElement[]} shapes
 * @param {(Node | string)[]} words
 */
function picture(name, shapes, words) {
  const caption = element("figcaption", { class: "soft", id: `about-${name.toLowerCase()}` }, ...words);
  const image = shape("svg", { role: "img", "aria-label": name, "aria-describedby": caption.id, viewBox: `0 0 ${WIDTH} ${HEIGHT}`, preserveAspectRatio: "none", class: "strip" }, ...shapes);
  return element("figure", {}, image, caption);
}

/**
 * The ends of a period, below a picture.
 * @param {number} since
 */
const ends = (since) => element("span", { class: "ends" }, element("span", {}, momentText(since)), element("span", {}, "now"));

/** @param {Part[]} parts @param {number} since @param {number} until */
function timeline(parts, since, until) {
  const place = (/** @type {number} */ at) => ((at - since) / (until - since)) * WIDTH;
  // What is short is drawn last, so that it is seen.
  const drawn = parts.toSorted((left, right) => right.end - right.start - (left.end - left.start));
  const bands = drawn.map(({ start, end, kind, text }) => {
    const least = kind === "online" || kind === "unwatched" ? 0 : 2;
    const width = Math.max(least, place(end) - place(start));
    return shape("rect", { class: `band ${kind}`, x: Math.min(place(start), WIDTH - width), y: 0, width, height: HEIGHT }, shape("title", {}, text));
  });
  const legend = KINDS.filter(([kind]) => parts.some((part) => part.kind === kind)).map(([kind, words]) =>
    element("span", {}, shape("svg", { class: "swatch", viewBox: "0 0 10 10", "aria-hidden": "true" }, shape("rect", { class: `band ${kind}`, width: 10, height: 10 })), words));
  return picture("Timeline", bands, [ends(since), element("span", { class: "legend" }, ...legend)]);
}

/** @param {Minute[]} minutes @param {number} since @param {number} until */
function latency(minutes, since, until) {
  const known = minutes.flatMap(({ at, connect_ms }) => (connect_ms === null ? [] : [{ at: Date.parse(at), time: connect_ms }]));
  const failed = minutes.reduce((sum, minute) => sum + minute.failed, 0);
  const failures = failed ? `${counted(failed, "probe")} failed.` : "No probe failed.";
  if (!known.length) return picture("Latency", [], [minutes.length ? failures : "No probe has been made in this period."]);
  const times = known.map(({ time }) => time).toSorted((left, right) => left - right);
  const most = times[times.length - 1];
  const [across, up] = [(/** @type {number} */ at) => ((at - since) / (until - since)) * WIDTH, (/** @type {number} */ time) => HEIGHT - (time / most) * HEIGHT * 0.9];
  // At most one point for each unit across: the slowest minute of it.
  /** @type {Map<number, { at: number, time: number }>} */
  const points = new Map();
  for (const minute of known) {
    const unit = Math.floor(across(minute.at));
    if (minute.time > (points.get(unit)?.time ?? -1)) points.set(unit, minute);
  }
  let path = "";
  let last = 0;
  const step = Math.max(LONGEST_STEP, (2 * (until - since)) / WIDTH);
  for (const { at, time } of points.values()) {
    const end = `${Math.max(0, across(at)).toFixed(2)} ${up(time).toFixed(2)}`;
    // A point alone is a line without a length, whose ends are drawn.
    path += at - last > step ? `M${end}h0` : `L${end}`;
    last = at;
  }
  const words = `${fastText(times[Math.floor(times.length / 2)])} to connect in the median, at most ${fastText(most)}. ${failures}`;
  return picture("Latency", [shape("path", { class: "line", d: path, "vector-effect": "non-scaling-stroke" })], [ends(since), words]);
}

/** How long parts are together. @param {Part[]} parts */
const sum = (parts) => parts.reduce((total, { start, end }) => total + end - start, 0);

/** @param {Part[]} parts */
function figures(parts) {
  const lost = parts.filter(({ kind }) => kind === "local" || kind === "remote");
  const watched = sum(parts.filter(({ kind }) => kind !== "unwatched"));
  const rows = [
    ["Availability", watched ? `${(100 * (1 - sum(lost) / watched)).toFixed(3)} %` : "not watched"],
    ["Losses", `${lost.length}`],
    ["Longest", lost.length ? timeText(Math.max(...lost.map(({ start, end }) => end - start))) : "none"],
  ];
  return element("dl", { class: "figures" }, ...rows.map(([name, value]) => element("div", {}, element("dt", {}, name), element("dd", {}, value))));
}

/** The history of a period that one chooses. */
export class NetworkHistory {
  /** @param {AbortSignal} signal Ends with the view. */
  constructor(signal) {
    this.period = element("select", {}, ...PERIODS.map(([time, name]) => element("option", { value: time }, name)));
    this.period.addEventListener("change", () => {
      this.panel.restart();
      this.load();
    });
    this.content = element("div", { class: "history" });
    this.panel = new Panel(this.content, "The network has not been watched.", signal);
    this.element = element("div", {}, labelled("Period", this.period), this.panel.element);
  }

  /** Asks anew; a request under way ends. */
  load() {
    const until = Date.now();
    const since = until - Number(this.period.value);
    const query = { since: new Date(since).toISOString() };
    return this.panel.read(
      (signal) => Promise.all([ask("GET", "network/timeline", { query, signal }), ask("GET", "network/latency", { query, signal })]),
      ([bands, minutes]) => {
        const parts = partsOf(bands.items, since, until);
        this.content.replaceChildren(figures(parts), timeline(parts, since, until), latency(minutes.items, since, until));
        return true;
      },
    );
  }
}
