// The few drawings of the page, each beside a word or with a name.

import { shape } from "./elements.js";

/** Paths in a square of 16, drawn as lines. */
const PATHS = {
  clear: "M4 4l8 8M12 4l-8 8",
  letters: "M1.5 12l3.2-8.5h.6L8.5 12M2.6 9h4.8M14 6.5V12M14 9.2a2.3 2.6 0 1 1-4.6 0 2.3 2.6 0 1 1 4.6 0",
  find: "M8 1v3M8 12v3M1 8h3M12 8h3M8 4.5a3.5 3.5 0 1 1 0 7 3.5 3.5 0 1 1 0-7",
  refresh: "M13.5 8a5.5 5.5 0 1 1-1.6-3.9M13.5 1.5v3h-3",
  remove: "M3 4.5h10M6.5 4V2.5h3V4M4.5 4.5l.6 9h5.8l.6-9M6.8 7v4M9.2 7v4",
  copy: "M5.5 5.5v-3h8v8h-3M2.5 5.5h8v8h-8z",
  map: "M8 14.5S3 9.6 3 6.3a5 5 0 0 1 10 0C13 9.6 8 14.5 8 14.5M8 4.6a1.7 1.7 0 1 1 0 3.4 1.7 1.7 0 1 1 0-3.4",
  back: "M10 3L5 8l5 5",
  next: "M6 3l5 5-5 5",
  file: "M4 1.5h5l3.5 3.5v9.5H4zM9 1.5V5h3.5",
  plus: "M8 3v10M3 8h10",
  minus: "M3 8h10",
  pause: "M5.5 3v10M10.5 3v10",
  play: "M4.5 2.5v11l8.5-5.5z",
  stop: "M3.5 3.5h9v9h-9z",
  again: "M2.5 8a5.5 5.5 0 1 0 1.6-3.9M2.5 1.5v3h3",
  edit: "M3 13l.6-2.8L11 2.8l2.2 2.2-7.4 7.4zM9.5 4.3l2.2 2.2",
  download: "M8 2v8M4.5 7L8 10.5 11.5 7M3 13.5h10",
  world: "M8 1.5a6.5 6.5 0 1 1 0 13 6.5 6.5 0 1 1 0-13M1.5 8h13M8 1.5c-4.4 4-4.4 9 0 13c4.4-4 4.4-9 0-13",
  good: "M3.5 8.5l3 3 6-7",
  bad: "M4.5 4.5l7 7M11.5 4.5l-7 7",
  empty: "M5 8h6",
  columns: "M2 3h12v10H2zM6 3v10M10 3v10",
};

/** @typedef {keyof typeof PATHS} IconName */

/**
 * A drawing, which says nothing to a screen reader.
 * @param {IconName} name
 */
export function icon(name) {
  return shape("svg", { class: "icon", viewBox: "0 0 16 16", "aria-hidden": "true" }, shape("path", { d: PATHS[name] }));
}
