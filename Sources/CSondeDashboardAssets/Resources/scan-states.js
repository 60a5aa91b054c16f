// What a scan is in words and numbers: its state, how far it is, and what can be done with it.

import { counted, element, grouped } from "./elements.js";
import { statusElement } from "./record.js";

/**
 * A scan as the API has it.
 * @typedef {object} Scan
 * @property {string} id
 * @property {string} name
 * @property {string} as
 * @property {"ready" | "running" | "waiting" | "paused" | "done" | "stopped" | "failed"} state
 * @property {string | null} [waiting]
 * @property {string | null} [detail]
 * @property {string} created_at
 * @property {number} [bytes]
 * @property {number | null} [total]
 * @property {Record<string, number> | null} [counts]
 * @property {number | null} [rate]
 * @property {number | null} [quota]
 * @property {number | null} [seconds_left]
 * @property {any} [plan]
 */

/** The statuses in the order of the summary. */
export const STATUSES = ["ok", "unknown", "reserved", "invalid", "failed", "network_lost"];

/** @type {Record<string, string>} */
const WAITING = { network: "for the network", quota: "for quota", queue: "for its turn", disk: "for room on the disk" };

/** @param {Scan} scan */
export const isActive = ({ state }) => state === "running" || state === "waiting";

/** @param {Scan} scan */
export const hasEnded = ({ state }) => state === "done" || state === "stopped" || state === "failed";

/** Whether a scan failed for a reason that says that it can be resumed. @param {Scan} scan */
export const canTryAgain = ({ state, detail }) => state === "failed" && !!detail?.includes("; resume it ");

/** Whether a scan has ended without an entry. @param {Scan} scan */
const isEmpty = ({ state, total, counts }) => state === "done" && !total && !counts?.entries;

/**
 * What a scan waits for, why it failed, or that there was nothing in it.
 * @param {Scan} scan
 */
export function reasonText(scan) {
  const { state, waiting, detail } = scan;
  if (state === "waiting") return WAITING[waiting ?? ""] ?? waiting ?? "";
  return detail ?? (isEmpty(scan) ? "no address found in the input" : "");
}

/**
 * How many entries are settled, and of how many; the latter is not known before the input is read.
 * @param {Scan} scan
 */
export function progressOf({ counts, total, state }) {
  const sum = STATUSES.reduce((all, status) => all + (counts?.[status] ?? 0), counts?.duplicates ?? 0);
  const done = Math.max(sum, counts?.entries ?? 0);
  const whole = total ?? (state === "done" ? done : null);
  const share = whole === null ? null : whole === 0 ? 1 : Math.min(1, done / whole);
  return { done, whole, share };
}

/**
 * Progress in words.
 * @param {Scan} scan
 */
export function progressText(scan) {
  const { done, whole, share } = progressOf(scan);
  if (isEmpty(scan)) return "0 entries";
  if (whole === null) return `${grouped(done)} ${done === 1 ? "entry" : "entries"}`;
  const percent = Math.floor((share ?? 0) * 1000) / 10;
  return `${grouped(done)} of ${grouped(whole)} · ${percent} %`;
}

/**
 * The bar of a scan: a segment a status.
 * @param {Scan} scan
 * @param {string} name
 */
export function progressBar(scan, name) {
  const bar = element("div", { role: "progressbar", "aria-label": name, class: "progress", "aria-valuemin": 0, "aria-valuemax": 100 });
  updateBar(bar, scan);
  return bar;
}

/**
 * @param {HTMLElement} bar
 * @param {Scan} scan
 */
export function updateBar(bar, scan) {
  const { whole, share } = progressOf(scan);
  const isUnknown = share === null;
  bar.classList.toggle("unsure", isUnknown && isActive(scan));
  if (isUnknown) bar.removeAttribute("aria-valuenow");
  else bar.setAttribute("aria-valuenow", `${Math.floor(share * 100)}`);
  bar.setAttribute("aria-valuetext", progressText(scan));
  const statuses = [...STATUSES, "duplicates"];
  while (bar.children.length < statuses.length) bar.append(element("span", { "data-state": statuses[bar.children.length] }));
  statuses.forEach((status, index) => {
    const part = whole ? (scan.counts?.[status] ?? 0) / whole : 0;
    const segment = /** @type {HTMLElement} */ (bar.children[index]);
    segment.style.flexBasis = `${Math.min(1, part) * 100}%`;
  });
}

/** The statuses that there are, each with its number: what the colours of the bar are. @param {Scan} scan */
export function legendOf({ counts }) {
  const there = STATUSES.filter((status) => counts?.[status]);
  return there.map((status) => element("li", {}, statusElement(status), ` ${grouped(counts?.[status] ?? 0)}`));
}

/** @param {number} bytes */
export function sizeText(bytes) {
  const units = ["B", "KiB", "MiB", "GiB"];
  const power = Math.min(units.length - 1, Math.max(0, Math.floor(Math.log2(Math.max(1, bytes)) / 10)));
  const value = bytes / 1024 ** power;
  return `${power && value < 100 ? value.toFixed(1) : Math.round(value)} ${units[power]}`;
}

/**
 * How many requests the quota allows now, in words.
 * @param {number | null | undefined} quota
 */
export function quotaText(quota) {
  return quota === null || quota === undefined ? "" : `${counted(quota, "request")} left`;
}
