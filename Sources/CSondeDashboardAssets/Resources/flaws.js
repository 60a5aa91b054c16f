// What keeps a text from being an address, and what was meant: the flaws that Sonde names, in its words and its order.

import { parseItem } from "./addresses.js";
import { wrappingFlaws } from "./flaws-wrapping.js";
import { partFlaws } from "./flaws-parts.js";
import { numberFlaws } from "./flaws-numbers.js";
import { characterFlaw } from "./flaws-characters.js";
import { groupFlaws } from "./flaws-groups.js";

/**
 * One flaw: the offending character, counted from the text's first; what is wrong, as the end of a sentence about the text; and
 * the text without this flaw (others may remain), where the intent is plain.
 * @typedef {{ offset: number, reason: string, mended?: string }} Flaw
 */

/**
 * Looks for one kind of flaw.
 * @typedef {(item: string) => Flaw | null} Detector
 */

/**
 * All kinds, those that wrap an address before those inside one.
 * @type {() => Detector[]}
 */
const detectors = () => {
  const { commas, quotes, defanged, url, brackets, endPunctuation } = wrappingFlaws;
  const { range, whiteSpace, zone, port, slash } = partFlaws;
  const { hardwareAddress, wildcard, number, octets } = numberFlaws;
  const { groups, name } = groupFlaws;
  const around = [characterFlaw, commas, quotes, defanged, url, brackets, range, whiteSpace, endPunctuation];
  return [...around, zone, hardwareAddress, port, slash, wildcard, number, octets, groups, name];
};

/**
 * The first flaw of an item that could not be read.
 * @param {string} item
 * @returns {Flaw}
 */
export function findFlaw(item) {
  for (const detect of detectors()) {
    const flaw = detect(item);
    if (flaw) return flaw;
  }
  const strange = item.search(/[^0-9a-f:.]/i);
  if (strange < 0) return { offset: 0, reason: "is no address" };
  return { offset: strange, reason: `'${item[strange]}' is no part of an address` };
}

/**
 * The flaw of a piece of an item, which begins at an offset, as the flaw of the item.
 * @param {string} item
 * @param {string} piece
 * @param {number} start
 * @returns {Flaw}
 */
export function flawWithin(item, piece, start) {
  const { offset, reason, mended } = findFlaw(piece);
  if (mended === undefined) return { offset: offset + start, reason };
  return { offset: offset + start, reason, mended: item.slice(0, start) + mended + item.slice(start + piece.length) };
}

/**
 * Whether a piece holds nothing but what addresses are made of, a `.` or `:` among it.
 * @param {string} piece
 */
export const resemblesAddress = (piece) => /^[0-9a-f.:x*]*[.:][0-9a-f.:x*]*$/i.test(piece);

/**
 * Whether a piece is a number in decimal digits.
 * @param {string} piece
 */
export const isNumber = (piece) => /^\d+$/.test(piece);

/**
 * Names the first flaw, and mends one after the other until the item can be read; that is then the correction.
 * @param {string} item
 * @returns {{ offset: number, reason: string }}
 */
export function diagnose(item) {
  const first = findFlaw(item);
  let last = first;
  let steps = 1;
  while (last.mended !== undefined) {
    if (parseItem(last.mended)) return { offset: first.offset, reason: `${first.reason}; write ${last.mended}` };
    if (steps >= 8 || last.mended === item) return first;
    last = findFlaw(last.mended);
    steps += 1;
  }
  if (steps === 1 || last.reason === first.reason) return first;
  return { offset: first.offset, reason: `${first.reason}, and ${last.reason}` };
}
