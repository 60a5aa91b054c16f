// A record as a person reads it: every field that has a value, its place, its name on the map.

import { element } from "./elements.js";
import { allFields, fieldOf, loadFields } from "./fields.js";
import { ageElement, clockElement, momentElement } from "./times.js";

/** @import { Field } from "./fields.js" */

/** A record, as `scan` writes it. @typedef {Record<string, any>} SondeRecord */

/** The groups of fields that are no part of a card: the address that names it, and its place in an input. */
const UNSHOWN = new Set(["Address", "Entry"]);

/** The continents by their codes. @type {Record<string, string>} */
const CONTINENTS = { AF: "Africa", AN: "Antarctica", AS: "Asia", EU: "Europe", NA: "North America", OC: "Oceania", SA: "South America" };

/** What a network belongs to where a field says that it holds the address. @type {[string, string][]} */
const OWNERS = [
  ["aws_network", "AWS"], ["gcp_network", "Google Cloud"], ["google_network", "Google"], ["cloudflare_network", "Cloudflare"],
  ["azure_network", "Azure"], ["tor_network", "Tor exit"],
];

/** The marks of the cloud that the address is in, and for Tor. @param {SondeRecord} record */
export const badges = (record) => OWNERS.filter(([field]) => record[field]).map(([field, name]) => element("span", { class: "badge", "data-badge": field.replace("_network", "") }, name));

/** Control characters, line and paragraph separators, and the bidirectional controls of UAX #9. */
const UNSEEN = /[\p{Cc}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/gu;

/** @param {string} sign */
function escapeOf(sign) {
  const named = { "\t": "\\t", "\n": "\\n", "\r": "\\r" }[sign];
  const code = sign.charCodeAt(0).toString(16);
  return named ?? (sign > "\x7f" ? `\\u{${code}}` : `\\x${code.padStart(2, "0")}`);
}

/** A text in which what could reorder it or break its line is an escape, as the program writes it for people: `\x1b`, `\u{202e}`. @param {string} text */
export const readable = (text) => text.replaceAll(UNSEEN, escapeOf);

/** @param {unknown} value */
const isMissing = (value) => value === null || value === undefined || value === "";

/**
 * A value as text.
 * @param {unknown} value
 */
export function valueText(value) {
  if (isMissing(value)) return "";
  if (typeof value === "boolean") return value ? "yes" : "no";
  if (Array.isArray(value)) return value.map((each) => readable(`${each}`)).join(" ");
  return readable(`${value}`);
}

/** A text that may end its line behind the marks of names: `America/New_York`. @param {string} text */
function breakable(text) {
  const parts = text.split(/(?<=[/_.:@])/);
  return element("span", {}, ...parts.flatMap((part, index) => (index ? [element("wbr"), part] : [part])));
}

/**
 * The city and the country of a record, or what is known of them.
 * @param {SondeRecord} record
 */
export const placeText = ({ city, country, country_code }) => readable([city, country ?? country_code].filter(Boolean).join(", "));

/**
 * The network of a record: its AS number and name.
 * @param {SondeRecord} record
 */
export const networkText = ({ asn, as_name, isp, org }) => readable([asn && `AS${asn}`, as_name ?? isp ?? org].filter(Boolean).join(" "));

/**
 * Whether a record says where its address is, and not only in which country.
 * @param {SondeRecord} record
 */
export const hasPlace = ({ latitude, longitude }) => Number.isFinite(latitude) && Number.isFinite(longitude);

/**
 * The place of a record, and whether only its country is known.
 * @param {SondeRecord} record
 */
export const exactPlaceText = (record) => (hasPlace(record) ? placeText(record) : `${placeText(record)} (country only)`);

/**
 * A status as a word with a shape and a colour of its own.
 * @param {string} status
 */
export const statusElement = (status) => element("span", { class: "state", "data-state": status }, status.replaceAll("_", " "));

/**
 * A field's value as a person reads it.
 * @param {Field} field
 * @param {any} value
 * @returns {Node}
 */
export function valueElement({ name, type }, value) {
  if (name === "status") return statusElement(value);
  if (name === "continent_code") return element("span", {}, CONTINENTS[value] ?? value);
  return type === "time" ? momentElement(value) : breakable(valueText(value));
}

/** As many characters stand in one line of a field. */
const FIELD_WIDTH = 14;

/** Whether a value needs the room of two fields: a long word in it, or many. @param {string} text */
function isWide(text) {
  const longest = Math.max(...text.split(/[\s/_.:@]/).map(({ length }) => length));
  return longest > FIELD_WIDTH || text.length > 2.5 * FIELD_WIDTH;
}

/** @param {string} name @param {string} label @param {...Node} values */
function row(name, label, ...values) {
  const made = element("div", { "data-field": name }, element("dt", {}, label), ...values.map((value) => element("dd", {}, value)));
  made.classList.toggle("wide", values.some((value) => isWide(value.textContent ?? "")));
  return made;
}

/** The flags of a group that are true; `none` where all that the record has are false. @param {Field[]} fields @param {SondeRecord} record */
function flagRows(fields, record) {
  const known = fields.filter(({ name }) => !isMissing(record[name]));
  const names = known.filter(({ name }) => record[name] === true).map(({ label }) => label.toLowerCase());
  if (known.length && known.every(({ name }) => record[name] === false)) names.push("none");
  if (!names.length) return [];
  const flags = row("flags", fields[0].group, ...names.map((name) => element("span", {}, name)));
  // What its group is named already.
  flags.firstElementChild?.classList.add("unseen");
  return [flags];
}

/** The rows of a group. @param {Field[]} fields @param {SondeRecord} record */
function rowsOf(fields, record) {
  if (fields[0].group === "Flags") return flagRows(fields, record);
  return fields.filter(({ name }) => !isMissing(record[name])).flatMap((field) => {
    const rows = [row(field.name, field.label, valueElement(field, record[field.name]))];
    if (field.name === "timezone") rows.push(...clockElement(record.timezone).map((clock) => row("local_time", "Local time", clock)));
    if (field.name === "fetched_at") rows.push(row("age", "Age", ageElement(record.fetched_at)));
    return rows;
  });
}

/** The groups of fields that a card shows, in their order, with those of a record that the table has not. @param {SondeRecord} record */
function groupsOf(record) {
  const known = allFields();
  const others = Object.keys(record).map(fieldOf).filter(({ group }) => group === "Others");
  return Map.groupBy([...known, ...others].filter(({ group }) => !UNSHOWN.has(group)), ({ group }) => group);
}

/**
 * The card of a record: all its fields that have a value, in groups.
 * @param {SondeRecord} record
 */
export function card(record) {
  const made = element("div", { class: "card-fields" });
  loadFields().then(() => made.append(...groupElements(record)), () => made.append(element("p", { class: "soft" }, "The fields could not be read.")));
  return made;
}

/** The groups of a record that have anything to show. @param {SondeRecord} record */
function groupElements(record) {
  const groups = [...groupsOf(record)].map(([name, fields]) => ({ name, rows: rowsOf(fields, record) }));
  return groups.filter(({ rows }) => rows.length).map(({ name, rows }) =>
    element("section", { role: "group", "aria-label": name }, element("h3", { "aria-hidden": "true" }, name), element("dl", { class: "fields" }, ...rows)));
}
