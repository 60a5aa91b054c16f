// What the field shows as one types, without asking the server: whether a text is one address, nothing, or anything else.

/** The longest text of an IPv6 address, with a dotted tail. */
export const LONGEST_ADDRESS = 45;

/**
 * A text without the white space of ASCII around it.
 * @param {string} text
 */
export const trimmed = (text) => text.replace(/^[\t-\r ]+|[\t-\r ]+$/g, "");

/**
 * What a text is; the server adds the reason and the correction.
 * @typedef {{ state: "empty" | "invalid" | "valid", kind: "ipv4" | "ipv6" | null }} Check
 */

/**
 * The two groups that four decimal octets without leading zeros stand for; `null` where a text is anything else.
 * @param {string} text
 */
function dottedQuad(text) {
  if (!/^(?:(?:0|[1-9]\d{0,2})(?:\.(?!$)|$)){4}$/.test(text)) return null;
  const octets = text.split(".").map(Number);
  if (octets.length !== 4 || octets.some((octet) => octet > 255)) return null;
  return [octets[0] * 256 + octets[1], octets[2] * 256 + octets[3]];
}

/**
 * The groups of one side of `::`, or of an address without it; `null` where one of them is none.
 * @param {string} text
 * @param {boolean} mayEndDotted
 */
function groupsOf(text, mayEndDotted) {
  if (text === "") return [];
  const pieces = text.split(":");
  const groups = [];
  for (const [index, piece] of pieces.entries()) {
    const isGroup = /^[0-9a-f]{1,4}$/i.test(piece);
    const quad = !isGroup && mayEndDotted && index === pieces.length - 1 ? dottedQuad(piece) : null;
    if (!isGroup && !quad) return null;
    groups.push(...(quad ?? [parseInt(piece, 16)]));
  }
  return groups;
}

/**
 * The eight groups of an IPv6 address (RFC 4291 §2.2); `null` where a text is none.
 * @param {string} text
 */
function parseGroups(text) {
  const sides = text.split("::");
  if (!text.includes(":") || text.length > LONGEST_ADDRESS || sides.length > 2) return null;
  const head = groupsOf(sides[0], sides.length === 1);
  const tail = sides.length === 2 ? groupsOf(sides[1], true) : [];
  if (!head || !tail) return null;
  const missing = 8 - head.length - tail.length;
  // `::` stands for at least one group.
  if (sides.length === 2 ? missing < 1 : missing !== 0) return null;
  return [...head, ...Array(missing).fill(0), ...tail];
}

/** Whether groups are an IPv4-mapped address (RFC 4291 §2.5.5.2), which is its IPv4 address. @param {number[]} groups */
const isMapped = (groups) => groups.slice(0, 5).every((group) => group === 0) && groups[5] === 0xffff;

/**
 * The kind of an address; `null` where a text is none.
 * @param {string} text
 */
function kindOf(text) {
  if (dottedQuad(text)) return "ipv4";
  const groups = parseGroups(text);
  return groups && (isMapped(groups) ? "ipv4" : "ipv6");
}

/**
 * Whether a text is a link-local IPv6 address with a zone: `fe80::1%eth0` (RFC 4007 §11).
 * @param {string} text
 */
function isZoned(text) {
  const percent = text.search(/[/%-]/);
  if (text[percent] !== "%") return false;
  const [groups, zone] = [parseGroups(text.slice(0, percent)), text.slice(percent + 1)];
  if (!groups || (groups[0] & 0xffc0) !== 0xfe80) return false;
  // oxlint-disable-next-line no-control-regex -- no zone has control characters
  if (!/^[^\0- \x7f%/,]+$/.test(zone)) return false;
  // What ends in an address is a range.
  return ![...zone.matchAll(/-/g)].some(({ index }) => kindOf(zone.slice(index + 1)));
}

/**
 * What a text is.
 * @param {string} text
 * @returns {Check}
 */
export function check(text) {
  // oxlint-disable-next-line no-control-regex -- as the server sees what is empty and what is too long
  const length = new TextEncoder().encode(text.replace(/^[\0- ]+|[\0- ]+$/g, "")).length;
  const item = trimmed(text).replace(/^\p{White_Space}+|\p{White_Space}+$/gu, "");
  if (length === 0 || (length <= LONGEST_ADDRESS && item === "")) return { state: "empty", kind: null };
  const kind = length > LONGEST_ADDRESS ? null : (kindOf(item) ?? (isZoned(item) ? "ipv6" : null));
  return { state: kind ? "valid" : "invalid", kind };
}
