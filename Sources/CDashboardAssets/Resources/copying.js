// Puts texts on the clipboard.

import { element } from "./elements.js";
import { button } from "./controls.js";

/** How long a button says what it has done, in milliseconds. */
const SAYING_TIME = 2000;

/**
 * Puts a text on the clipboard, also where the page is not trusted with it.
 * @param {string} text
 */
async function copy(text) {
  if (navigator.clipboard) return navigator.clipboard.writeText(text);
  const area = element("textarea", { "aria-hidden": "true", class: "unseen" }, text);
  document.body.append(area);
  area.select();
  document.execCommand("copy");
  area.remove();
}

/**
 * A button "Copy".
 * @param {() => string} text What it copies.
 */
export function copyButton(text) {
  const made = button("Copy", async () => {
    await copy(text());
    made.dataset.done = "copied";
    setTimeout(() => delete made.dataset.done, SAYING_TIME);
  }, { icon: "copy" });
  return made;
}
