// A file dropped anywhere begins a new scan.

import { element } from "./elements.js";

/** @param {DragEvent} event */
const holdsFile = (event) => event.dataTransfer?.types.includes("Files") ?? false;

/** Takes files that are dropped on the page, whatever is shown. */
export function startDrop() {
  const sign = element("div", { class: "drop-sign", hidden: "", "aria-hidden": "true" }, element("p", {}, "Drop the list, log or capture here"));
  document.body.append(sign);
  let depth = 0;
  const hide = () => {
    depth = 0;
    sign.hidden = true;
  };
  addEventListener("dragenter", (event) => {
    if (!holdsFile(event) || document.body.classList.contains("closed")) return;
    depth += 1;
    sign.hidden = false;
  });
  addEventListener("dragleave", (event) => {
    if (holdsFile(event) && (depth -= 1) <= 0) hide();
  });
  addEventListener("dragover", (event) => {
    if (holdsFile(event)) event.preventDefault();
  });
  addEventListener("drop", async (event) => {
    if (!holdsFile(event)) return;
    event.preventDefault();
    hide();
    const file = event.dataTransfer?.files[0];
    if (!file || document.body.classList.contains("closed")) return;
    const { openNewScan } = await import("./new-scan.js");
    openNewScan(file);
  });
}
