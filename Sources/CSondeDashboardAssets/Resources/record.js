// A record as a person reads it: every field that has a value, its place, its name on the map.

import { element } from "./elements.js";
import { ageElement, momentElement } from "./times.js";

/** A record, as `scan` writes it. @typedef {Record<string, any>} SondeRecord */

/** The fields in the order of the list, and their names. @type {[string, string][]} */
export const FIELDS = [
  ["country", "Country"], ["country_code", "Country code"], ["region", "Region"], ["city", "City"], ["postal_code", "Postal code"],
  ["latitude", "Latitude"], ["longitude", "Longitude"], ["timezone", "Time zone"],
  ["asn", "AS number"], ["as_name", "AS name"], ["isp", "ISP"], ["org", "Organisation"], ["hostname", "Host name"],
  ["network", "Network"], ["continent_code", "Continent"], ["registered_country_code", "Registered in"], ["accuracy_radius", "Accuracy (km)"],
  ["mobile", "Mobile"], ["proxy", "Proxy"], ["hosting", "Hosting"], ["tor", "Tor exit"], ["vpn", "VPN"], ["relay", "Relay"],
  ["database", "Database"], ["database_date", "Built on"], ["as_database", "AS database"], ["as_database_date", "AS built on"],
  ["status", "Status"], ["source", "Source"], ["fetched_at", "Fetched"], ["message", "Message"],
];

/** Fields that every record may have and that the list does not show. */
const UNSHOWN = new Set(["ip", "cached", "line", "input", "offset", "region_code", "packets", "bytes", "first_seen", "last_seen"]);

/** What a network belongs to where a field says that it holds the address. @type {[string, string][]} */
const OWNERS = [
  ["aws_network", "AWS"], ["gcp_network", "Google Cloud"], ["google_network", "Google"], ["cloudflare_network", "Cloudflare"],
  ["azure_network", "Azure"], ["tor_network", "Tor exit"],
];

/** The fields that sources have added to a record, in their order. @param {SondeRecord} record */
export const addedFields = (record) => Object.keys(record).filter((field) => !UNSHOWN.has(field) && !FIELDS.some(([known]) => known === field));

/** The name of an added field, for a person: `Own team`, `AWS region`. @param {string} field */
export function addedName(field) {
  const [first = "", ...others] = readable(field).split("_");
  const begin = ["aws", "gcp", "ptr"].includes(first) ? first.toUpperCase() : first.charAt(0).toUpperCase() + first.slice(1);
  return [begin, ...others].join(" ");
}

/** A badge for each cloud that the address is in, and for Tor. @param {SondeRecord} record */
export const badges = (record) => OWNERS.filter(([field]) => record[field]).map(([field, name]) => element("span", { class: "badge", "data-badge": field.replace("_network", "") }, name));

/** A text with one sign for the control characters that follow one another in it. @param {string} text */
const readable = (text) => text.replaceAll(/\p{Cc}+/gu, "\ufffd");

/**
 * A value as text.
 * @param {unknown} value
 */
export function valueText(value) {
  if (value === null || value === undefined) return "";
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
 * The name of a record's pin.
 * @param {SondeRecord} record
 */
export function pinName(record) {
  const name = [record.ip, placeText(record)].filter(Boolean).join(", ");
  return hasPlace(record) ? name : `${name} (country only)`;
}

/**
 * A status as a word with a shape and a colour of its own.
 * @param {string} status
 */
export const statusElement = (status) => element("span", { class: "state", "data-state": status }, status.replaceAll("_", " "));

/**
 * @param {string} field
 * @param {any} value
 */
function valueElement(field, value) {
  if (field === "fetched_at") return momentElement(value);
  return field === "status" ? statusElement(value) : breakable(valueText(value));
}

/** As many characters stand in one line of a field. */
const FIELD_WIDTH = 14;

/** Whether a value needs the room of two fields: a long word in it, or many. @param {string} text */
function isWide(text) {
  const longest = Math.max(...text.split(/[\s/_.:@]/).map(({ length }) => length));
  return longest > FIELD_WIDTH || text.length > 2.5 * FIELD_WIDTH;
}

/**
 * All fields of a record that have a value, as terms and their descriptions.
 * @param {SondeRecord} record
 */
export function fieldList(record) {
  const list = element("dl", { class: "fields" });
  const add = (/** @type {string} */ name, /** @type {string | Node} */ value, /** @type {string} */ field) => {
    const made = element("div", { "data-field": field }, element("dt", {}, name), element("dd", {}, value));
    made.classList.toggle("wide", isWide(made.lastElementChild?.textContent ?? ""));
    list.append(made);
  };
  for (const [field, name] of FIELDS) {
    const value = record[field];
    if (value !== null && value !== undefined && value !== "") add(name, valueElement(field, value), field);
  }
  for (const field of addedFields(record)) add(addedName(field), breakable(valueText(record[field])), field);
  if (record.fetched_at) add("Age", ageElement(record.fetched_at), "age");
  return list;
}
