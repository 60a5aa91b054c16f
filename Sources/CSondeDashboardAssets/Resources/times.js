// Moments in the browser's time zone, with UTC beside them, and how long ago they were.

import { element, grouped, lengthText } from "./elements.js";

/** @type {Record<string, Intl.DateTimeFormat>} */
const FORMS = {
  clock: new Intl.DateTimeFormat("en-GB", { hour: "2-digit", minute: "2-digit", second: "2-digit", hourCycle: "h23" }),
  second: new Intl.DateTimeFormat("en-GB", {
    day: "numeric", month: "short", year: "numeric",
    hour: "2-digit", minute: "2-digit", second: "2-digit", hourCycle: "h23",
  }),
};

/** @param {Date} moment */
const utcText = (moment) => `${moment.toISOString().slice(0, 19).replace("T", " ")} UTC`;

/**
 * A moment as text.
 * @param {string | number} at RFC 3339, or milliseconds since 1970.
 * @param {"clock" | "second"} [form]
 */
export function momentText(at, form = "second") {
  const moment = new Date(at);
  return Number.isNaN(moment.getTime()) ? `${at}` : FORMS[form].format(moment);
}

/**
 * A moment as an element: in the browser's zone, with UTC in its tooltip.
 * @param {string} at RFC 3339.
 * @param {"clock" | "second"} [form]
 */
export function momentElement(at, form = "second") {
  const moment = new Date(at);
  if (Number.isNaN(moment.getTime())) return element("span", {}, at);
  return element("time", { datetime: at, title: utcText(moment) }, momentText(at, form));
}

/**
 * How long ago a moment was: 41 s, 12 min 5 s, 3 h 20 min, 4 d.
 * @param {number} moment Milliseconds since 1970.
 */
export function ageText(moment) {
  const seconds = Math.max(0, Math.floor((Date.now() - moment) / 1000));
  return seconds < 172_800 ? lengthText(seconds) : `${grouped(Math.floor(seconds / 86_400))} d`;
}

/** The ages and clocks in the page; those that have left it are forgotten. @type {Set<{ node: WeakRef<HTMLElement>, text: () => string }>} */
const growing = new Set();

function tick() {
  if (document.hidden) return;
  for (const each of growing) {
    const node = each.node.deref();
    if (!node) growing.delete(each);
    else if (node.isConnected) setText(node, each.text());
  }
}

/**
 * @param {HTMLElement} node
 * @param {string} text
 */
function setText(node, text) {
  if (node.textContent !== text) node.textContent = text;
}

/**
 * An age that grows as one looks at it.
 * @param {string} at RFC 3339.
 */
export function ageElement(at) {
  const moment = Date.parse(at);
  return growingElement(() => ageText(moment));
}

/** A text that changes as one looks at it. @param {() => string} text */
function growingElement(text) {
  const node = element("span", { class: "age" }, text());
  growing.add({ node: new WeakRef(node), text });
  return node;
}

/** What the clock shows in a time zone; none where the browser does not know the zone. @param {string} timeZone */
export function clockElement(timeZone) {
  try {
    const { format } = new Intl.DateTimeFormat("en-GB", { timeZone, weekday: "short", hour: "2-digit", minute: "2-digit", hourCycle: "h23" });
    return [growingElement(() => format(Date.now()))];
  } catch {
    return [];
  }
}

setInterval(tick, 1000);
document.addEventListener("visibilitychange", tick);
