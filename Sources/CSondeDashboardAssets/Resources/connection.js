// The alert `Sonde does not answer`, which goes as soon as it does.

import { element } from "./elements.js";
import { ask, server } from "./api.js";

const PROBE_INTERVAL = 1000;

/** Says `back` when Sonde answers after it did not. */
export const connection = new EventTarget();

/** @type {number | undefined} */
let timer;
let silentSince = 0;
let isLeaving = false;

/** Whether Sonde does not answer. */
export const isSilent = () => timer !== undefined;

/** @param {HTMLElement} place */
function tell(place) {
  if (timer !== undefined || isLeaving) return;
  silentSince = performance.now();
  timer = setInterval(() => probe(place), PROBE_INTERVAL);
  place.replaceChildren(element("p", { role: "alert", class: "gone" }, "Sonde does not answer"));
}

/** @param {HTMLElement} place */
async function probe(place) {
  const answer = await fetch(new URL("healthz", document.baseURI), { cache: "no-store" }).catch(() => null);
  if (answer?.ok) recover(place);
}

/** @param {HTMLElement} place */
function recover(place) {
  if (timer === undefined) return;
  clearInterval(timer);
  timer = undefined;
  place.replaceChildren();
  connection.dispatchEvent(new Event("back"));
}

/**
 * Watches whether Sonde answers, and says in a place when it does not.
 * @param {HTMLElement} place
 */
export function startConnection(place) {
  server.addEventListener("silent", () => tell(place));
  // What has ended may have been refused, and the session be over: to ask is to know.
  server.addEventListener("doubtful", () => ask("GET", "session").catch(() => {}));
  // While some requests fail and others are answered, views and the stream are not begun anew each time.
  server.addEventListener("answered", () => {
    if (performance.now() - silentSince >= PROBE_INTERVAL) recover(place);
  });
}

// Requests that end because the page goes tell nothing of Sonde.
addEventListener("pagehide", () => (isLeaving = true));
addEventListener("pageshow", () => (isLeaving = false));
