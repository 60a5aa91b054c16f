// The views, each read when it is first shown.

import { element } from "./elements.js";
import { endLayers, hasLayers, stepsOverLayer } from "./layers.js";
import { placeOf, TEAM_VIEWS } from "./paths.js";
import { isLive } from "./settings.js";

/** @import { Place } from "./paths.js" */

/**
 * A view: its title, and how it shows itself until its signal ends.
 * @typedef {object} View
 * @property {string} title
 * @property {(main: HTMLElement, place: Place, signal: AbortSignal) => ((place: Place) => void) | void} show What it gives takes the view, while it is shown, to another place of its own.
 */

/** @type {Record<string, () => Promise<View>>} */
const VIEWS = {
  lookup: async () => (await import("./lookup-view.js")).lookupView,
  scans: async () => (await import("./scans-view.js")).scansView,
  scan: async () => (await import("./scan-view.js")).scanView,
  live: async () => (await import("./live-view.js")).liveView,
  network: async () => (await import("./network-view.js")).networkView,
  cache: async () => (await import("./cache-view.js")).cacheView,
  watchlist: async () => (await import("./watchlist-view.js")).watchlistView,
  account: async () => (await import("./account-view.js")).accountView,
};

/** What ends with the view that is shown. */
let shown = new AbortController();

/** The view that is shown, and what takes it to another place of its own. @type {{ key: string, go: ((place: Place) => void) | void }} */
let current = { key: "", go: undefined };

/** What two places have in common that the same view shows. @param {Place} place */
const keyOf = ({ name, id }) => (name === "scans" ? `scans/${id}` : name);

/** @returns {HTMLElement} */
const mainElement = () => /** @type {HTMLElement} */ (document.querySelector("main"));

/** Marks the link of the view that is shown. @param {string} name */
function markLink(name) {
  for (const link of document.querySelectorAll("nav a")) {
    const isHere = placeOf(new URL(/** @type {HTMLAnchorElement} */ (link).href))?.name === name;
    if (isHere) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
}

/** Ends what is shown, and gives the signal of what comes next. */
export function leaveView() {
  shown.abort();
  shown = new AbortController();
  current = { key: "", go: undefined };
  return shown.signal;
}

/** Puts what is shown into the address, as a step of its own or in place of the last one. @param {string} url @param {boolean} isStep */
export function setAddress(url, isStep) {
  if (url === location.href) return;
  if (isStep && !hasLayers()) history.pushState(null, "", url);
  else history.replaceState(null, "", url);
}

/** Shows the view that the address stands for. @param {{ isMove?: boolean }} [how] After a move the focus goes to its heading. */
export async function showView({ isMove = false } = {}) {
  const place = placeOf(new URL(location.href)) ?? { name: "lookup", id: "", query: new URLSearchParams() };
  if (!isMove && current.go && current.key === keyOf(place)) return current.go(place);
  const signal = leaveView();
  markLink(place.name);
  const view = await VIEWS[place.name === "scans" && place.id ? "scan" : place.name]();
  if (signal.aborted) return;
  const main = mainElement();
  main.replaceChildren();
  document.title = `${view.title} · Sonde`;
  current = { key: keyOf(place), go: view.show(main, place, signal) };
  if (!isMove) return;
  scrollTo(0, 0);
  main.querySelector("h1")?.focus({ preventScroll: true });
}

/** Goes to a view. @param {string} url */
export async function goTo(url) {
  if (await endLayers()) history.replaceState(null, "", url);
  else if (url !== location.href) history.pushState(null, "", url);
  return showView({ isMove: true });
}

/** Shows something in place of a view. @param {string} title @param {...Node} content */
export function showInstead(title, ...content) {
  endLayers();
  leaveView();
  document.title = `${title} · Sonde`;
  const main = mainElement();
  main.className = "plain-view";
  main.replaceChildren(element("h1", { tabindex: -1 }, title), ...content);
}

/** Adds the links of the views that are not always there: of logs that are followed, and those that only a team has. */
export function addLinks() {
  if (isLive()) document.querySelector('nav a[href="scans"]')?.after(element("a", { href: "live" }, "Live"));
  document.querySelector("nav")?.append(...TEAM_VIEWS.map(([path, name]) => element("a", { href: path }, name)));
}

/** Lets links to views be followed without loading the page anew. */
export function startViews() {
  addEventListener("popstate", () => stepsOverLayer() || showView());
  document.addEventListener("click", (event) => {
    const link = event.target instanceof Element ? event.target.closest("a") : null;
    if (!link || event.defaultPrevented || event.button || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    if (link.target || link.hasAttribute("download") || !placeOf(new URL(link.href))) return;
    event.preventDefault();
    goTo(link.href);
  });
}
