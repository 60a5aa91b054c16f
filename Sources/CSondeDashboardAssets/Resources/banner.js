// The banner: in the page while the network is lost, and only then.

import { element } from "./elements.js";
import { momentElement } from "./times.js";
import { live } from "./live.js";

/**
 * A cause's word as a person reads it.
 * @param {string | undefined} cause
 */
export const causeText = (cause) => (cause ?? "unknown").replaceAll("_", " ");

/**
 * @param {{ cause?: string, interface?: string, at?: string }} loss
 */
function bannerOf(loss) {
  const where = loss.interface ? ` (${loss.interface})` : "";
  const banner = element("p", { role: "alert", "aria-label": "Network", class: "banner" }, `Network lost: ${causeText(loss.cause)}${where}`);
  if (loss.at) banner.append(" since ", momentElement(loss.at, "clock"));
  return banner;
}

/**
 * Keeps the banner in its place up to date.
 * @param {HTMLElement} place
 */
export function startBanner(place) {
  let shown = "";
  const show = (/** @type {any} */ network) => {
    const isLost = network?.state === "offline";
    const text = isLost ? `${network.cause} ${network.interface} ${network.at}` : "";
    if (text === shown) return;
    shown = text;
    place.replaceChildren(...(isLost ? [bannerOf(network)] : []));
  };
  live.addEventListener("network", (event) => show(/** @type {CustomEvent} */ (event).detail));
  live.addEventListener("ended", () => show(null));
}
