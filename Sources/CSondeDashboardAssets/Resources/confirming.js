// Asks before more than one thing or any work is lost.

import { element } from "./elements.js";
import { button, newID } from "./controls.js";
import { closeLayer, openLayer } from "./layers.js";

/**
 * Asks, and waits for the answer. The focus goes back to where it was.
 * @param {string} verb As on the button that was pressed, such as `Delete`.
 * @param {string} question
 * @param {string} loss What is lost.
 * @returns {Promise<boolean>}
 */
export function confirmed(verb, question, loss) {
  const [heading, text] = [newID(), newID()];
  const asked = document.activeElement;
  const dialog = element("dialog", { role: "alertdialog", class: "asking", "aria-labelledby": heading, "aria-describedby": text });
  const cancel = button("Cancel", () => dialog.close());
  const yes = button(`Yes, ${verb.toLowerCase()}`, () => dialog.close("yes"), { class: "danger" });
  dialog.append(element("h2", { id: heading }, question), element("p", { id: text }, loss), element("div", { class: "buttons" }, cancel, yes));
  document.body.append(dialog);
  dialog.showModal();
  cancel.focus();
  const close = () => dialog.close();
  openLayer(close);
  return new Promise((resolve) => {
    dialog.addEventListener("close", () => {
      dialog.remove();
      closeLayer(close);
      if (asked instanceof HTMLElement && asked.isConnected) asked.focus();
      resolve(dialog.returnValue === "yes");
    });
  });
}
