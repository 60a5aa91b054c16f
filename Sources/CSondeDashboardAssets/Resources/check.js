// What the field says about a text as it is typed: the answer that the server's check gives, without asking it.

import { LONGEST_ADDRESS, parseItem, textOf, trimmed } from "./addresses.js";
import { diagnose } from "./flaws.js";
import { codeOf } from "./flaws-characters.js";
import { specialPurpose } from "./special-purpose.js";

/** @import { Address, Item } from "./addresses.js" */

/**
 * What a text is.
 * @typedef {object} Check
 * @property {"empty" | "invalid" | "valid"} state
 * @property {"ipv4" | "ipv6" | null} kind
 * @property {string | null} ip The canonical text of a valid address.
 * @property {"ok" | "reserved" | "invalid" | null} status
 * @property {string | null} message Why it is invalid, or the special-purpose block that holds it.
 */

/**
 * @param {string} message
 * @returns {Check}
 */
const invalid = (message) => ({ state: "invalid", kind: null, ip: null, status: "invalid", message });

/**
 * Bytes that no text holds: of these only the first is named.
 * @param {string} item
 */
function unreadable(item) {
  // oxlint-disable-next-line no-control-regex -- which is what is looked for
  const offset = [...item].findIndex((character) => /[\0-\x08\x0e-\x1f\x7f]/.test(character));
  if (offset < 0) return null;
  const character = [...item][offset];
  return { offset, reason: character === "\0" ? "holds a NUL byte" : `holds a control character (${codeOf(character)})` };
}

/**
 * @param {Address} address
 * @param {string} zone
 * @returns {Check}
 */
function valid(address, zone) {
  const message = specialPurpose(address);
  const ip = textOf(address) + (zone && `%${zone}`);
  return { state: "valid", kind: address.isIPv4 ? "ipv4" : "ipv6", ip, status: message ? "reserved" : "ok", message };
}

/** @type {Check} */
const EMPTY = { state: "empty", kind: null, ip: null, status: null, message: null };

/**
 * @param {Item} item
 * @returns {Check}
 */
const checkOf = (item) => (item.sort === "address" ? valid(item.address, item.zone) : invalid("this is a block or a range: use Scans"));

/**
 * Says what a text is: one address, nothing, or something else and why.
 * @param {string} text
 * @returns {Check}
 */
export function check(text) {
  // oxlint-disable-next-line no-control-regex -- as the server sees what is empty and what is too long
  const length = new TextEncoder().encode(text.replace(/^[\0- ]+|[\0- ]+$/g, "")).length;
  if (length === 0) return EMPTY;
  if (length > LONGEST_ADDRESS) return invalid("longer than an address can be");
  const item = trimmed(text);
  const read = parseItem(item);
  if (read) return checkOf(read);
  const inner = item.replace(/^\p{White_Space}+|\p{White_Space}+$/gu, "");
  if (!inner) return EMPTY;
  const again = inner === item ? null : parseItem(inner);
  if (again) return checkOf(again);
  const { offset, reason } = unreadable(inner) ?? diagnose(inner);
  const before = text.slice(0, text.indexOf(inner));
  return invalid(`column ${[...before].length + offset + 1}: ${reason}`);
}
