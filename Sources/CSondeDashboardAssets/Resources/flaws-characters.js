// Characters that only look like those of an address.

import { groupFlaws } from "./flaws-groups.js";

/** @import { Flaw } from "./flaws.js" */

/** What a character stands for in an address, and what is said of it. @typedef {{ ascii: string | null, reason: string }} Likeness */

/** @type {[RegExp, string, string][]} */
const CATEGORIES = [
  [/[\p{Pd}\u2212]/u, "-", "has a dash that is not '-'"],
  [/[\p{Pi}\p{Pf}]/u, '"', "is in quotes"],
  [/[\p{Zs}\p{Zl}\p{Zp}]/u, " ", "has a space that is not ASCII"],
  [/\p{Cf}/u, "", "holds an invisible character"],
];

/**
 * `U+00A0` and the like.
 * @param {string} character
 */
export function codeOf(character) {
  return `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}`;
}

/**
 * The value of a decimal digit of any script: they stand in runs of ten, each from its zero on.
 * @param {number} code
 */
function digitValue(code) {
  let start = code;
  while (/\p{Nd}/u.test(String.fromCodePoint(start - 1))) start -= 1;
  return (code - start) % 10;
}

/**
 * @param {string} character
 * @returns {Likeness}
 */
function likenessOf(character) {
  const code = character.codePointAt(0) ?? 0;
  if (code < 0x80) return { ascii: character, reason: "" };
  if (/\p{Nd}/u.test(character)) return { ascii: `${digitValue(code)}`, reason: "has a digit that is not ASCII" };
  const other = "holds a character that no address has";
  // The full-width forms stand in ASCII's order.
  if (code >= 0xff01 && code <= 0xff5e) return { ascii: String.fromCodePoint(code - 0xfee0), reason: other };
  if (code === 0x3002 || code === 0x2024) return { ascii: ".", reason: other };
  const category = CATEGORIES.find(([pattern]) => pattern.test(character));
  return category ? { ascii: category[1], reason: category[2] } : { ascii: null, reason: other };
}

/**
 * `８.８.８.８`, `1.1.1.1–1.1.1.9`, a zero-width space: named by the first such character.
 * @param {string} item
 * @returns {Flaw | null}
 */
export function characterFlaw(item) {
  const characters = [...item];
  const offset = characters.findIndex((character) => character > "\x7f");
  if (offset < 0) return null;
  const likenesses = characters.map(likenessOf);
  const reason = `${likenesses[offset].reason} (${codeOf(characters[offset])})`;
  if (likenesses.every(({ ascii }) => ascii !== null)) return { offset, reason, mended: likenesses.map(({ ascii }) => ascii).join("") };
  const name = groupFlaws.name(likenesses.map(({ ascii }) => ascii ?? "x").join(""));
  return name ? { offset: 0, reason: name.reason } : { offset, reason };
}
