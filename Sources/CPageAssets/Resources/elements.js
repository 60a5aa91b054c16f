// Elements, texts and numbers. Texts of the report come into the page as text alone: nothing here reads markup.

const SVG = "http://www.w3.org/2000/svg";

function put(made, attributes, children) {
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
}

/** An element of HTML. */
function element(name, attributes = {}, ...children) {
  return put(document.createElement(name), attributes, children);
}

/** An element of SVG. */
function shape(name, attributes = {}, ...children) {
  return put(document.createElementNS(SVG, name), attributes, children);
}

/** A number as a person reads it: 1,234. */
const grouped = new Intl.NumberFormat("en").format;

/** A number and its noun: 1 hit, 2 hits, 2 addresses. */
function counted(number, noun) {
  const ending = number === 1 ? "" : noun.endsWith("ss") ? "es" : "s";
  return `${grouped(number)} ${noun}${ending}`;
}

const percent = new Intl.NumberFormat("en", { style: "percent", minimumFractionDigits: 1, maximumFractionDigits: 1 });

/** A part of a whole: 12.3 %, and never 0.0 % of something. */
function shareText(part, whole) {
  const share = whole ? part / whole : 0;
  if (share > 0 && share < 0.0005) return "< 0.1 %";
  return percent.format(share).replace("%", " %");
}

/** Texts as the filter and the order of rows see them: without capitals and accents. */
function folded(text) {
  const lower = text.toLowerCase();
  return /^[\0-\x7f]*$/.test(lower) ? lower : lower.normalize("NFD").replace(/\p{M}/gu, "");
}

/** A length of time: 41 s, 12 min 5 s, 3 h 20 min. */
function lengthText(seconds) {
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60];
  if (hours) return minutes ? `${grouped(hours)} h ${minutes} min` : `${grouped(hours)} h`;
  if (!minutes) return `${seconds} s`;
  return seconds % 60 ? `${minutes} min ${seconds % 60} s` : `${minutes} min`;
}

/** Writes moments in a time zone, in UTC where the browser does not know it: to the minute and to the second. */
function clockOf(timeZone) {
  const minute = { day: "numeric", month: "short", year: "numeric", hour: "2-digit", minute: "2-digit", hourCycle: "h23" };
  const format = (zone, options) => {
    const { format } = new Intl.DateTimeFormat("en-GB", { ...options, timeZone: zone });
    return (seconds) => format(seconds * 1000);
  };
  const clock = (zone) => ({ zone, minute: format(zone, minute), second: format(zone, { ...minute, second: "2-digit" }) });
  try {
    return clock(timeZone);
  } catch {
    return clock("UTC");
  }
}

/** Does something as soon as there is nothing to show first. */
function whenIdle(work) {
  if (window.requestIdleCallback) requestIdleCallback(work, { timeout: 500 });
  else setTimeout(work, 50);
}

/** A box that follows the pointer or the focus and says what is there. */
function tipIn(figure) {
  const box = element("div", { class: "tip", hidden: "", "aria-hidden": "true" });
  figure.append(box);
  return {
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
