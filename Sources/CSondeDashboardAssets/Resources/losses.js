// Losses of the network, as rows of a table; on a phone each is a card.

import { lengthText } from "./elements.js";
import { Table } from "./tables.js";
import { causeText } from "./banner.js";
import { momentElement } from "./times.js";

/** A loss, as the API has it. @typedef {{ start: string, end: string | null, seconds: number | null, cause: string, interface?: string | null }} Loss */

/** @type {import("./tables.js").Column<Loss>[]} */
const columns = [
  { header: "Start", class: "start", cell: ({ start }) => momentElement(start) },
  { header: "End", class: "end", cell: ({ end }) => (end ? momentElement(end) : "not yet") },
  { header: "Length", class: "number", cell: ({ seconds }) => (seconds === null || seconds === undefined ? "" : lengthText(Math.round(seconds))) },
  { header: "Cause", class: "cause", cell: ({ cause }) => causeText(cause) },
  { header: "Interface", class: "interface", cell: (loss) => loss.interface ?? "" },
];

/** @param {string} nothing What is said where there was none. @param {AbortSignal} [signal] */
export const lossTable = (nothing, signal) => new Table("Losses", columns, { class: "cards losses", nothing, signal });
