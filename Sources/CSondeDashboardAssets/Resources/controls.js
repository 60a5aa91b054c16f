// Buttons and what they have in common, also of one that copies a text.

import { element } from "./elements.js";
import { icon } from "./icons.js";

/** @import { IconName } from "./icons.js" */

/**
 * A button with a word and, before it, perhaps a drawing.
 * @param {string} name
 * @param {(event: MouseEvent) => void} action
 * @param {{ icon?: IconName, class?: string, isBare?: boolean }} [look] A bare one shows its drawing alone.
 */
export function button(name, action, look = {}) {
  const made = element("button", { type: "button", class: look.class ?? "" });
  if (look.icon) made.append(icon(look.icon));
  if (look.isBare) {
    made.setAttribute("aria-label", name);
    made.title = name;
    made.classList.add("bare");
  } else {
    made.append(element("span", {}, name));
  }
  made.addEventListener("click", action);
  return made;
}

/**
 * Shows on a button that it works, until the work is done; meanwhile it does not begin again.
 * @template Value
 * @param {HTMLElement} control
 * @param {() => Promise<Value>} work
 * @returns {Promise<Value | undefined>}
 */
export async function whileBusy(control, work) {
  if (control.getAttribute("aria-busy") === "true") return undefined;
  control.setAttribute("aria-busy", "true");
  try {
    return await work();
  } finally {
    control.removeAttribute("aria-busy");
  }
}

/**
 * Sets a text where it is another one, so that nothing is said twice.
 * @param {Node} node
 * @param {string} text
 */
export function setText(node, text) {
  if (node.textContent !== text) node.textContent = text;
}

let lastID = 0;

/** An id that nothing else in the page has. */
export const newID = () => `id-${(lastID += 1)}`;

/**
 * A label and its control.
 * @template {HTMLElement} Control
 * @param {string} name
 * @param {Control} control
 * @param {...(Node | string)} others What else belongs to it.
 */
export function labelled(name, control, ...others) {
  control.id ||= newID();
  return element("div", { class: "labelled" }, element("label", { for: control.id }, name), control, ...others);
}

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
 * A button that copies.
 * @param {string} name
 * @param {() => string} text What it copies.
 */
export function copyButton(name, text) {
  const made = button(name, async () => {
    await copy(text());
    made.dataset.done = "copied";
    setTimeout(() => delete made.dataset.done, SAYING_TIME);
  }, { icon: "copy" });
  return made;
}
