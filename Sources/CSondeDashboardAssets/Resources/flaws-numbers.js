// Flaws within an IPv4 address, and numbers that are something else.

import { addressOfIPv4, textOf } from "./addresses.js";
import { isNumber } from "./flaws.js";

/** @import { Flaw } from "./flaws.js" */

/**
 * `00:1a:2b:3c:4d:5e`, `00-1A-2B-3C-4D-5E`, `001a.2b3c.4d5e` (EUI-48 and EUI-64).
 * @param {string} item
 * @returns {Flaw | null}
 */
function hardwareAddress(item) {
  const isOne = /^(?:[0-9a-f]{2}(?::[0-9a-f]{2}){5}|[0-9a-f]{2}(?:-[0-9a-f]{2}){5}(?:(?:-[0-9a-f]{2}){2})?|[0-9a-f]{4}(?:\.[0-9a-f]{4}){2,3})$/i;
  return isOne.test(item) ? { offset: 0, reason: "is a MAC address, not an IP address" } : null;
}

const isStar = (/** @type {string} */ piece) => /^[*x]$/i.test(piece);

/**
 * `1.2.3.*`, `1.2.*.*`, `1.2.3.x`.
 * @param {string} item
 * @returns {Flaw | null}
 */
function wildcard(item) {
  const pieces = item.split(".");
  const fixed = pieces.findIndex((piece) => !isNumber(piece));
  if (pieces.length > 4 || fixed < 0) return null;
  const rest = pieces.slice(fixed);
  if (!rest.every((piece) => isNumber(piece) || isStar(piece))) return null;
  const offset = pieces.slice(0, fixed).join(".").length + (fixed ? 1 : 0);
  if (item.length === 1) return item === "*" ? { offset, reason: "is a wildcard, not an address" } : null;
  if (!rest.every(isStar)) return { offset, reason: "has a wildcard where no block can have one" };
  const block = [...pieces.slice(0, fixed), ...Array(4 - fixed).fill("0")].join(".");
  return { offset, reason: "has a wildcard", mended: `${block}/${fixed * 8}` };
}

/** As large a number as is told apart. */
const LARGEST = (1n << 64n) - 1n;

/** @param {string} piece */
function hexadecimal(piece) {
  if (!/^0x[0-9a-f]+$/i.test(piece)) return null;
  return BigInt(piece) < LARGEST ? BigInt(piece) : LARGEST;
}

/**
 * `0x08080808`, `134744072`, `0x8.0x8.0x8.0x8`.
 * @param {string} item
 * @returns {Flaw | null}
 */
function number(item) {
  if (isNumber(item)) {
    const [reason, value] = ["is a number, not an address", Number(item)];
    if (value > 0xffffffff || value < 1 << 24) return { offset: 0, reason };
    return { offset: 0, reason, mended: textOf(addressOfIPv4(value)) };
  }
  const pieces = item.split(".");
  const first = pieces.findIndex((piece) => hexadecimal(piece) !== null);
  if (first < 0) return null;
  if (pieces.length === 1) {
    const [reason, value] = ["is a hexadecimal number, not an address", Number(hexadecimal(item))];
    return value > 0xffffffff ? { offset: 0, reason } : { offset: 0, reason, mended: textOf(addressOfIPv4(value)) };
  }
  if (!pieces.every((piece) => isNumber(piece) || hexadecimal(piece) !== null)) return null;
  const offset = pieces.slice(0, first).join(".").length + (first ? 1 : 0);
  return { offset, reason: "has a hexadecimal octet", mended: pieces.map((piece) => hexadecimal(piece) ?? piece).join(".") };
}

/**
 * `010.1.1.1`, `8.8.8.256`, `127.1`, `1.2.3.4.5`, `1..2.3`.
 * @param {string} item
 * @returns {Flaw | null}
 */
function octets(item) {
  const pieces = item.split(".");
  if (pieces.length < 2 || item.includes(":") || !/^\.*\d/.test(item)) return null;
  let position = 0;
  const starts = pieces.map((piece) => (position += piece.length + 1) - piece.length - 1);
  const odd = pieces.findIndex((piece) => piece && !isNumber(piece));
  if (odd >= 0) {
    const isName = !pieces.slice(0, -1).every(isNumber) && !/^(?:\d|$)/.test(pieces.at(-1) ?? "");
    return pieces.length === 4 && !isName ? { offset: starts[odd], reason: `octet '${pieces[odd]}' is no number` } : null;
  }
  const empty = pieces.indexOf("");
  if (empty >= 0) return { offset: Math.min(starts[empty], item.length - 1), reason: "has an empty octet" };
  if (pieces.length > 4) return { offset: starts[4], reason: `has ${pieces.length} octets, not 4` };
  return octetValueFlaw(pieces, starts) ?? shorthandFlaw(pieces);
}

/**
 * @param {string[]} pieces
 * @param {number[]} starts
 * @returns {Flaw | null}
 */
function octetValueFlaw(pieces, starts) {
  const zero = pieces.findIndex((piece) => piece.length > 1 && piece[0] === "0");
  if (zero >= 0) {
    const reason = `has a leading zero (some programs read ${pieces[zero]} as octal)`;
    return { offset: starts[zero], reason, mended: pieces.map((piece) => piece.replace(/^0+(?=\d)/, "")).join(".") };
  }
  const over = pieces.length === 4 ? pieces.findIndex((piece) => Number(piece) > 255) : -1;
  return over < 0 ? null : { offset: starts[over], reason: `octet ${pieces[over]} is over 255` };
}

/**
 * Fewer octets: the last number then fills those that are missing, as in inet_aton(3).
 * @param {string[]} pieces
 * @returns {Flaw | null}
 */
function shorthandFlaw(pieces) {
  if (pieces.length === 4) return null;
  const reason = `has ${pieces.length} octets, not 4`;
  const numbers = pieces.map(Number);
  const last = numbers.at(-1) ?? 0;
  if (last >= 256 ** (5 - pieces.length) || numbers.slice(0, -1).some((octet) => octet > 255)) return { offset: 0, reason };
  const value = numbers.slice(0, -1).reduce((sum, octet, index) => sum + octet * 256 ** (3 - index), last);
  return { offset: 0, reason: `${reason} (${textOf(addressOfIPv4(value))} to programs that take such shorthand)` };
}

export const numberFlaws = { hardwareAddress, wildcard, number, octets };
