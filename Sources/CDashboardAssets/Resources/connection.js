// The alert `Sonde does not answer`, which goes as soon as it does.

import { element } from "./elements.js";
import { server } from "./api.js";

const PROBE_INTERVAL = 1000;

/** Says `back` when Sonde answers after it did not. */
export const connection = new EventTarget();

/** @type {number | undefined} */
let timer;
let isLeaving = false;

/** Whether Sonde does not answer. */
export const isSilent = () => timer !== undefined;

/** @param {HTMLElement} place */
function tell(place) {
  if (timer !== undefined || isLeaving) return;
  timer = setInterval(() => probe(place), PROBE_INTERVAL);
  place.replaceChildren(element("p", { role: "alert", class: "gone" }, "Sonde does not answer"));
}

async function answers() {
  const answer = await fetch(new URL("healthz", document.baseURI), { cache: "no-store" }).catch(() => null);
  return answer?.ok ?? false;
}

/** @param {HTMLElement} place */
async function probe(place) {
  if (await answers()) recover(place);
}

/**
 * A stream that ends may have been refused by a Sonde that is there.
 * @param {HTMLElement} place
 */
async function doubt(place) {
  if (!isLeaving && !(await answers())) tell(place);
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
  server.addEventListener("doubtful", () => doubt(place));
  server.addEventListener("answered", () => recover(place));
}

// Requests that end because the page goes tell nothing of Sonde.
addEventListener("pagehide", () => (isLeaving = true));
addEventListener("pageshow", () => (isLeaving = false));
