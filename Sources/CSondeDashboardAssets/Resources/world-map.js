// A map of the world that needs no other host: Leaflet over the outlines.

import { loadStyle } from "./styles.js";
import * as Leaflet from "./leaflet.js";
import { element } from "./elements.js";
import { button } from "./controls.js";
import { outlines, rings } from "./world.js";

// Leaflet would take a picture of another kind than the page may show.
Leaflet.Util.emptyImageUrl = "data:,";

const MOST_ZOOM = 10;

/** What may be seen, and moved to, and no more. */
const BOUNDS = [[-62, -190], [84, 190]];

export const movesCalmly = () => matchMedia("(prefers-reduced-motion: reduce)").matches;

/**
 * @param {any} map
 * @param {HTMLElement} place
 */
function fitWorld(map, place) {
  // The world is 256 pixels wide at the zoom 0, and what is seen of it six tenths of that high.
  const size = Math.min(place.clientWidth, place.clientHeight / 0.6);
  const least = Math.max(0, Math.floor(Math.log2(Math.max(size, 256) / 256) * 4) / 4);
  map.setMinZoom(least);
  if (map.getZoom() < least) map.setZoom(least, { animate: false });
}

/**
 * Makes a map in a place.
 * @param {HTMLElement} place
 * @param {{ isPicture?: boolean }} [how] A picture has nothing in it that takes the focus.
 */
export async function makeMap(place, { isPicture = false } = {}) {
  const [world] = await Promise.all([outlines(), loadStyle("leaflet.css")]);
  const canvas = element("div", { class: "map-canvas" });
  place.append(canvas);
  const map = Leaflet.map(canvas, {
    zoomControl: false, attributionControl: false, keyboard: !isPicture, maxZoom: MOST_ZOOM, zoomSnap: 0.25, zoomDelta: 1,
    maxBounds: BOUNDS, maxBoundsViscosity: 1, wheelPxPerZoomLevel: 90,
    ...(movesCalmly() && { zoomAnimation: false, fadeAnimation: false, markerZoomAnimation: false, inertia: false }),
  });
  map.setView([25, 10], 1, { animate: false });
  const renderer = Leaflet.svg({ padding: 1 });
  Leaflet.polygon(rings(world), { className: "land", interactive: false, renderer, smoothFactor: 0.6 }).addTo(map);
  fitWorld(map, canvas);
  new ResizeObserver(() => {
    if (!canvas.isConnected || !canvas.clientWidth) return;
    map.invalidateSize({ animate: false });
    fitWorld(map, canvas);
  }).observe(canvas);
  return { map, canvas, world };
}

/**
 * The buttons that show more or less of a map.
 * @param {any} map
 * @param {() => void} fit Shows all that is on it.
 */
export function zoomButtons(map, fit) {
  return element("div", { class: "zoom", role: "group", "aria-label": "Zoom" },
    button("Zoom in", () => map.zoomIn(1, { animate: !movesCalmly() }), { icon: "plus", isBare: true }),
    button("Zoom out", () => map.zoomOut(1, { animate: !movesCalmly() }), { icon: "minus", isBare: true }),
    button("Show all", fit, { icon: "world", isBare: true }));
}

/** How long a map may still move after it was told to stop, in milliseconds. */
const MOVING_TIME = 500;

/** Takes a map away, once it moves no more. @param {any} map */
export function endMap(map) {
  if (!map) return;
  map.stop();
  setTimeout(() => map.remove(), MOVING_TIME);
}

export { Leaflet };
