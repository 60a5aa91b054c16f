// The world: its outlines, and the middle of each country.

import { loaded } from "./loading.js";

/** @typedef {{ points: Record<string, [number, number]>, outlines: Record<string, number[][]>, scale: number }} Outlines */

/** @type {Promise<Outlines> | undefined} */
let loading;

/** The outlines, read once. */
export function outlines() {
  loading ??= loaded(async () => {
    const answer = await fetch(new URL("./outlines.json", import.meta.url));
    // A problem is JSON, too.
    if (!answer.ok) throw new Error(`The outlines are missing: ${answer.status}`);
    return answer.json();
  });
  return loading;
}

/**
 * The rings of all countries as pairs of latitude and longitude.
 * @param {Outlines} world
 */
export function rings({ outlines: countries, scale }) {
  return Object.values(countries).map((country) =>
    country.map((ring) => {
      /** @type {[number, number][]} */
      const points = [];
      let [longitude, latitude] = [0, 0];
      for (let index = 0; index < ring.length; index += 2) {
        longitude += ring[index];
        latitude += ring[index + 1];
        points.push([latitude / scale, longitude / scale]);
      }
      return points;
    }),
  );
}

/**
 * The middle of a country as latitude and longitude; `null` where it is not known.
 * @param {Outlines} world
 * @param {string | undefined} code
 * @returns {[number, number] | null}
 */
export function middleOf({ points, scale }, code) {
  if (!code || !Object.hasOwn(points, code)) return null;
  const [longitude, latitude] = points[code];
  return [latitude / scale, longitude / scale];
}
