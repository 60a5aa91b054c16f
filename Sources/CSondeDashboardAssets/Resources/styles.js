// Style sheets that come with what needs them.

import { element } from "./elements.js";

/** @type {Map<string, Promise<void>>} */
const loaded = new Map();

/**
 * Loads a style sheet once, before those of the page, and waits for it.
 * @param {string} name A file beside this one.
 */
export function loadStyle(name) {
  const load = () => {
    const link = element("link", { rel: "stylesheet", href: new URL(`./${name}`, import.meta.url).href });
    const done = new Promise((/** @type {(value?: void) => void} */ resolve) => {
      for (const event of ["load", "error"]) link.addEventListener(event, () => resolve());
    });
    document.head.prepend(link);
    return done;
  };
  if (!loaded.has(name)) loaded.set(name, load());
  return /** @type {Promise<void>} */ (loaded.get(name));
}
