// Dialogs over a scan: the card of a record with its place on a map, and the choice of columns.

import { element } from "./elements.js";
import { button, newID } from "./controls.js";
import { showDialog } from "./layers.js";
import { loaded } from "./loading.js";
import { card, exactPlaceText, hasPlace } from "./record.js";
import { middleOf } from "./world.js";

/** @import { SondeRecord } from "./record.js" */

/**
 * Opens a dialog with a button "Close".
 * @param {string} title
 * @param {string} kind
 * @param {...Node} content
 */
function openDialog(title, kind, ...content) {
  const heading = element("h2", { id: newID(), tabindex: -1 }, title);
  const dialog = element("dialog", { class: kind, "aria-labelledby": heading.id }, heading, ...content, element("div", { class: "buttons" }, button("Close", () => dialog.close())));
  showDialog(dialog, heading);
  return dialog;
}

/** Draws where a record's address is; nothing where that is not known. @param {HTMLElement} place @param {SondeRecord} record @param {AbortSignal} signal */
async function drawPlace(place, record, signal) {
  const { endMap, Leaflet, makeMap } = await loaded(() => import("./world-map.js"));
  if (signal.aborted) return;
  const { map, world } = await makeMap(place, { isPicture: true });
  signal.addEventListener("abort", () => endMap(map));
  const at = hasPlace(record) ? [record.latitude, record.longitude] : middleOf(world, record.country_code);
  if (!at) return void place.remove();
  map.setView(at, 3, { animate: false });
  Leaflet.circleMarker(at, { radius: 9, className: "circle", interactive: false }).addTo(map);
}

/** Opens the card of a record. @param {SondeRecord} record */
export function openRecord(record) {
  const content = [card(record)];
  const ended = new AbortController();
  if (hasPlace(record) || record.country_code) {
    const place = element("div", { role: "img", "aria-label": exactPlaceText(record), class: "record-map" });
    content.push(place);
    drawPlace(place, record, ended.signal);
  }
  openDialog(record.ip, "record-dialog", ...content).addEventListener("close", () => ended.abort());
}

/**
 * Opens the choice of columns.
 * @param {{ name: string, label: string, isShown: boolean }[]} columns
 * @param {(name: string, isShown: boolean) => void} change
 */
export function openColumns(columns, change) {
  const boxes = columns.map(({ name, label, isShown }) => {
    const box = element("input", { type: "checkbox" });
    box.checked = isShown;
    box.addEventListener("change", () => change(name, box.checked));
    return element("label", { class: "choice" }, box, label);
  });
  openDialog("Columns", "columns-dialog", element("div", { class: "choices" }, ...boxes));
}
