// Asks before more than one thing or any work is lost.

import { element } from "./elements.js";
import { button, newID } from "./controls.js";
import { showDialog } from "./layers.js";

/**
 * Asks, and waits for the answer.
 * @param {string} verb As on the button that was pressed, such as `Delete`.
 * @param {string} question
 * @param {string} loss What is lost.
 * @returns {Promise<boolean>}
 */
export function confirmed(verb, question, loss) {
  const [heading, text] = [newID(), newID()];
  const dialog = element("dialog", { role: "alertdialog", class: "asking", "aria-labelledby": heading, "aria-describedby": text });
  const cancel = button("Cancel", () => dialog.close());
  const yes = button(`Yes, ${verb.toLowerCase()}`, () => dialog.close("yes"), { class: "danger" });
  dialog.append(element("h2", { id: heading }, question), element("p", { id: text }, loss), element("div", { class: "buttons" }, cancel, yes));
  showDialog(dialog, cancel);
  return new Promise((resolve) => {
    dialog.addEventListener("close", () => resolve(dialog.returnValue === "yes"));
  });
}
