// Elements, texts and numbers. Texts of the report come into the page as text alone: nothing here reads markup.

const SVG = "http://www.w3.org/2000/svg";

/**
 * @template {Element} Made
 * @param {Made} made
 * @param {Record<string, string | number>} attributes
 * @param {(Node | string)[]} children
 */
function put(made, attributes, children) {
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, `${value}`);
  made.append(...children);
  return made;
}

/**
 * An element of HTML.
 * @template {keyof HTMLElementTagNameMap} Name
 * @param {Name} name
 * @param {Record<string, string | number>} attributes
 * @param {(Node | string)[]} children
 * @returns {HTMLElementTagNameMap[Name]}
 */
export function element(name, attributes = {}, ...children) {
  return put(document.createElement(name), attributes, children);
}

/**
 * An element of SVG.
 * @template {keyof SVGElementTagNameMap} Name
 * @param {Name} name
 * @param {Record<string, string | number>} attributes
 * @param {(Node | string)[]} children
 * @returns {SVGElementTagNameMap[Name]}
 */
export function shape(name, attributes = {}, ...children) {
  return put(document.createElementNS(SVG, name), attributes, children);
}

/** A number as a person reads it: 1,234. */
export const grouped = new Intl.NumberFormat("en").format;

/**
 * A number and its noun: 1 hit, 2 hits, 2 addresses.
 * @param {number} number
 * @param {string} noun
 */
export function counted(number, noun) {
  const ending = number === 1 ? "" : noun.endsWith("ss") ? "es" : "s";
  return `${grouped(number)} ${noun}${ending}`;
}

const percent = new Intl.NumberFormat("en", { style: "percent", minimumFractionDigits: 1, maximumFractionDigits: 1 });

/**
 * A part of a whole: 12.3 %, and never 0.0 % of something.
 * @param {number} part
 * @param {number} whole
 */
export function shareText(part, whole) {
  const share = whole ? part / whole : 0;
  if (share > 0 && share < 0.0005) return "< 0.1 %";
  return percent.format(share).replace("%", " %");
}

/**
 * Texts as the filter and the order of rows see them: without capitals and accents.
 * @param {string} text
 */
export function folded(text) {
  const lower = text.toLowerCase();
  return /^[\0-\x7f]*$/.test(lower) ? lower : lower.normalize("NFD").replace(/\p{M}/gu, "");
}

/**
 * A length of time: 41 s, 12 min 5 s, 3 h 20 min.
 * @param {number} seconds
 */
export function lengthText(seconds) {
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60];
  if (hours) return minutes ? `${grouped(hours)} h ${minutes} min` : `${grouped(hours)} h`;
  if (!minutes) return `${seconds} s`;
  return seconds % 60 ? `${minutes} min ${seconds % 60} s` : `${minutes} min`;
}

/**
 * Writes moments, in seconds since 1970, in a form.
 * @param {string} timeZone
 * @param {Intl.DateTimeFormatOptions} form
 */
function writer(timeZone, form) {
  const { format } = new Intl.DateTimeFormat("en-GB", { ...form, timeZone });
  return (/** @type {number} */ seconds) => format(seconds * 1000);
}

/**
 * Writes moments in a time zone, in UTC where the browser does not know it: to the minute and to the second.
 * @param {string} timeZone
 */
export function clockOf(timeZone) {
  /** @type {Intl.DateTimeFormatOptions} */
  const minute = { day: "numeric", month: "short", year: "numeric", hour: "2-digit", minute: "2-digit", hourCycle: "h23" };
  const clock = (/** @type {string} */ zone) => ({ zone, minute: writer(zone, minute), second: writer(zone, { ...minute, second: "2-digit" }) });
  try {
    return clock(timeZone);
  } catch {
    return clock("UTC");
  }
}

/**
 * Does something as soon as there is nothing to show first.
 * @param {() => void} work
 */
export function whenIdle(work) {
  if ("requestIdleCallback" in window) requestIdleCallback(work, { timeout: 500 });
  else setTimeout(work, 50);
}

/**
 * A box that follows the pointer or the focus and says what is there.
 * @param {HTMLElement} figure
 */
export function tipIn(figure) {
  const box = element("div", { class: "tip", hidden: "", "aria-hidden": "true" });
  figure.append(box);
  return {
    /**
     * @param {string} title
     * @param {string} text
     * @param {number} x
     * @param {number} y
     */
    show(title, text, x, y) {
      box.replaceChildren(element("strong", {}, title), text);
      box.hidden = false;
      const room = figure.clientWidth - box.offsetWidth;
      const above = y - box.offsetHeight - 12;
      const left = Math.max(0, Math.min(room, x - box.offsetWidth / 2));
      box.style.transform = `translate(${left}px, ${above < 0 ? y + 16 : above}px)`;
    },
    hide() {
      box.hidden = true;
    },
  };
}
