// Losses of the network, as rows of a table.

import { lengthText } from "./elements.js";
import { causeText } from "./banner.js";
import { momentElement } from "./times.js";

/** A loss, as the API has it. @typedef {{ start: string, end: string | null, seconds: number | null, cause: string, interface?: string | null }} Loss */

/** @type {import("./tables.js").Column<Loss>[]} */
export const lossColumns = [
  { header: "Start", cell: ({ start }) => momentElement(start) },
  { header: "End", cell: ({ end }) => (end ? momentElement(end) : "not yet") },
  { header: "Length", class: "number", cell: ({ seconds }) => (seconds === null || seconds === undefined ? "" : lengthText(Math.round(seconds))) },
  { header: "Cause", cell: ({ cause }) => causeText(cause) },
  { header: "Interface", cell: (loss) => loss.interface ?? "" },
];
