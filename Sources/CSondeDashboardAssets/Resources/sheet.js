// A dialog with a few fields, "Save" and "Cancel".

import { element } from "./elements.js";
import { Problem } from "./api.js";
import { button, labelled, newID, whileBusy } from "./controls.js";
import { ErrorPlace } from "./errors.js";
import { showDialog } from "./layers.js";

/** A field: its name, and its control. @typedef {[string, HTMLInputElement | HTMLTextAreaElement]} Field */

/** Problems whose kind the form tells already. */
const PLAIN = new Set(["credentials", "invalid"]);

/**
 * What went wrong, where the form says what it is about.
 * @param {ErrorPlace} errors
 * @param {unknown} error
 */
export function showPlainly(errors, error) {
  if (error instanceof Problem && PLAIN.has(error.kind)) errors.say(error.message);
  else errors.show(error);
}

/**
 * Opens a sheet, which closes once it is saved.
 * @param {string} title
 * @param {Field[]} fields
 * @param {() => Promise<void>} save
 */
export function openSheet(title, fields, save) {
  const errors = new ErrorPlace();
  const heading = element("h2", { id: newID() }, title);
  const close = () => dialog.close();
  const saver = button("Save", () => {}, { class: "primary" });
  saver.type = "submit";
  const form = element("form", { class: "form", novalidate: "" }, ...fields.map(([name, control]) => labelled(name, control)),
    errors.element, element("div", { class: "buttons" }, button("Cancel", close), saver));
  const dialog = element("dialog", { class: "sheet", "aria-labelledby": heading.id }, heading, form);
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    whileBusy(saver, () => save().then(close, (error) => showPlainly(errors, error)));
  });
  showDialog(dialog, fields[0][1]);
}
