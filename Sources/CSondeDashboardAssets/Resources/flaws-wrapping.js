// What people wrap addresses in.

import { parseItem } from "./addresses.js";

/** @import { Flaw } from "./flaws.js" */

const COMMAS = "has commas: a table belongs to `annotate --style columns`";

/** What keeps anybody from following an address by accident, and what it stands for. */
const DEFANGINGS = [
  ["[.]", "."], ["(.)", "."], ["{.}", "."], ["[dot]", "."], ["(dot)", "."], ["{dot}", "."],
  ["\\.", "."], ["[:]", ":"], ["(:)", ":"], ["{:}", ":"], ["[://]", "://"],
  ["[/]", "/"], ["hxxps://", "https://"], ["hxxp://", "http://"], ["[.", "."], [".]", "."],
];

const DEFANGED_MARKS = /\[(\.|:|dot)\]|\((\.|:|dot)\)|\{(\.|:|dot)\}/gi;

/** What `--refang` reads. @param {string} item */
const refanged = (item) => item.replace(DEFANGED_MARKS, (mark) => (mark[1] === ":" ? ":" : "."));

/** @type {Record<string, string>} */
const PAIRS = { "[": "]", "(": ")", "{": "}", "<": ">" };

/**
 * `8.8.8.8,US`; a list's last comma is mended.
 * @param {string} item
 * @returns {Flaw | null}
 */
function commas(item) {
  const comma = item.indexOf(",");
  if (comma < 0) return null;
  return comma < item.length - 1 ? { offset: comma, reason: COMMAS } : { offset: comma, reason: COMMAS, mended: item.slice(0, -1) };
}

/**
 * `"8.8.8.8"`, `'8.8.8.8'` and the like.
 * @param {string} item
 * @returns {Flaw | null}
 */
function quotes(item) {
  const endsQuoted = /["'`]$/.test(item);
  if (/^["'`]/.test(item)) {
    const end = item.length > 1 && endsQuoted ? item.length - 1 : item.length;
    return { offset: 0, reason: "is in quotes", mended: item.slice(1, end) };
  }
  return endsQuoted ? { offset: item.length - 1, reason: "ends with a quote", mended: item.slice(0, -1) } : null;
}

/**
 * `1[.]2[.]3[.]4`, `hxxp://1.2.3.4`.
 * @param {string} item
 * @returns {Flaw | null}
 */
function defanged(item) {
  const lower = item.toLowerCase();
  let [mended, first, position] = ["", -1, 0];
  while (position < item.length) {
    const match = DEFANGINGS.find(([fanged]) => lower.startsWith(fanged, position));
    if (match && first < 0) first = position;
    mended += match ? match[1] : item[position];
    position += match ? match[0].length : 1;
  }
  if (first < 0) return null;
  const reason = parseItem(refanged(item)) ? "is defanged, which --refang reads" : "is defanged";
  return { offset: first, reason, mended };
}

/**
 * `http://user@8.8.8.8/path`: the host is what was meant.
 * @param {string} item
 * @returns {Flaw | null}
 */
function url(item) {
  const colon = item.indexOf(":");
  if (colon < 1 || !/^[a-z]/i.test(item) || !item.startsWith("://", colon)) return null;
  const authority = item.slice(colon + 3).split(/[/?#]/, 1)[0];
  return { offset: 0, reason: "is a URL", mended: authority.slice(authority.lastIndexOf("@") + 1) };
}

/**
 * `[2001:db8::1]`, `[2001:db8::1]:443`, `(8.8.8.8)`.
 * @param {string} item
 * @returns {Flaw | null}
 */
function brackets(item) {
  const close = PAIRS[item[0]];
  if (!close) return null;
  const end = item.indexOf(close);
  if (end < 0) return { offset: 0, reason: "has a bracket that is not closed", mended: item.slice(1) };
  const [inside, after] = [item.slice(1, end), item.slice(end + 1)];
  if (after === "") return { offset: 0, reason: "is in brackets", mended: inside };
  if (after[0] === ":") return { offset: end + 1, reason: "has a port", mended: inside };
  if (/^[/%-]/.test(after)) return { offset: 0, reason: "is in brackets", mended: inside + after };
  return { offset: end + 1, reason: "goes on after the bracket" };
}

/**
 * `8.8.8.8.`, `8.8.8.8;`: the end of a sentence or of a piece of a program.
 * @param {string} item
 * @returns {Flaw | null}
 */
function endPunctuation(item) {
  const mended = item.slice(0, -1);
  // `1.2.3.` lacks an octet, and a host name may end with its root.
  if (item.length < 2 || !/[.;!?)\]}>]$/.test(item) || !parseItem(mended)) return null;
  return { offset: item.length - 1, reason: `ends with '${item.at(-1)}'`, mended };
}

export const wrappingFlaws = { commas, quotes, defanged, url, brackets, endPunctuation };
