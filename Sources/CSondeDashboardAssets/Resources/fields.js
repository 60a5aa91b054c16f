// The program's own table of fields: their labels, their groups and their types, read once.

import { ask } from "./api.js";

/** A field. @typedef {{ name: string, label: string, group: string, type: string }} Field */

/** @type {Map<string, Field>} */
const table = new Map();

/** @type {Promise<void> | null} */
let loading = null;

/** Reads the table, unless it is there. */
export function loadFields() {
  loading ??= ask("GET", "fields", { query: { limit: 500 } }).then(
    ({ items }) => items.forEach((/** @type {Field} */ field) => table.set(field.name, field)),
    (error) => {
      loading = null;
      throw error;
    },
  );
  return loading;
}

/** A name for a person where the table has none: `own_team` as `Own team`. @param {string} name */
function worded(name) {
  const words = name.replaceAll(/[_\p{Cc}]+/gu, " ");
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** What is known of a field; one that no source adds any more has a group of its own. @param {string} name @returns {Field} */
export const fieldOf = (name) => table.get(name) ?? { name, label: worded(name), group: "Others", type: "text" };

/** All fields, in the order of a card. */
export const allFields = () => [...table.values()];
