// Addresses, blocks and ranges, read as Sonde reads them: what Python's `ipaddress` accepts, zones on link-local addresses alone.

/**
 * An address: its 128 bits, and whether they are those of an IPv4-mapped one (RFC 4291 §2.5.5.2), which is its IPv4 address.
 * @typedef {{ number: bigint, isIPv4: boolean }} Address
 */

/**
 * What a text holds where it is as it should be.
 * @typedef {{ sort: "address", address: Address, zone: string } | { sort: "block" | "range", first: Address, last: Address }} Item
 */

/** The longest text of an IPv6 address, with a dotted tail. */
export const LONGEST_ADDRESS = 45;

const MAPPED = 0xffffn << 32n;
const BLANKS = /^[\t-\r ]+|[\t-\r ]+$/g;

/**
 * A text without the white space of ASCII around it.
 * @param {string} text
 */
export const trimmed = (text) => text.replace(BLANKS, "");

/**
 * The number of four decimal octets without leading zeros; `null` where a text is anything else.
 * @param {string} text
 */
export function dottedQuad(text) {
  if (!/^(?:(?:0|[1-9]\d{0,2})(?:\.(?!$)|$)){4}$/.test(text)) return null;
  const octets = text.split(".").map(Number);
  if (octets.length !== 4 || octets.some((octet) => octet > 255)) return null;
  return octets.reduce((number, octet) => number * 256 + octet, 0);
}

/**
 * Makes an address of its 128 bits.
 * @param {bigint} number
 * @returns {Address}
 */
export const addressOf = (number) => ({ number, isIPv4: number >> 32n === 0xffffn });

/**
 * Makes an address of the 32 bits of an IPv4 one.
 * @param {number} number
 */
export const addressOfIPv4 = (number) => addressOf(MAPPED | BigInt(number));

/**
 * The groups of one side of `::`, or of an address without it; `null` where one of them is none.
 * @param {string} text
 * @param {boolean} mayEndDotted
 */
function groupsOf(text, mayEndDotted) {
  if (text === "") return [];
  const groups = [];
  const pieces = text.split(":");
  for (const [index, piece] of pieces.entries()) {
    if (/^[0-9a-f]{1,4}$/i.test(piece)) {
      groups.push(parseInt(piece, 16));
      continue;
    }
    const quad = mayEndDotted && index === pieces.length - 1 ? dottedQuad(piece) : null;
    if (quad === null) return null;
    groups.push(Math.floor(quad / 65536), quad % 65536);
  }
  return groups;
}

/**
 * Reads the groups of an IPv6 address (RFC 4291 §2.2).
 * @param {string} text
 * @returns {Address | null}
 */
function parseGroups(text) {
  if (text.length < 2 || text.length > LONGEST_ADDRESS || !text.includes(":")) return null;
  const sides = text.split("::");
  if (sides.length > 2) return null;
  const head = groupsOf(sides[0], sides.length === 1);
  const tail = sides.length === 2 ? groupsOf(sides[1], true) : [];
  if (!head || !tail) return null;
  const missing = 8 - head.length - tail.length;
  // `::` stands for at least one group.
  if (sides.length === 2 ? missing < 1 : missing !== 0) return null;
  const groups = [...head, ...Array(missing).fill(0), ...tail];
  return addressOf(groups.reduce((number, group) => (number << 16n) | BigInt(group), 0n));
}

/**
 * Reads an address from its whole text; `null` where it is none.
 * @param {string} text
 * @returns {Address | null}
 */
export function parseAddress(text) {
  const quad = dottedQuad(text);
  return quad === null ? parseGroups(text) : addressOfIPv4(quad);
}

/**
 * Whether an address is a link-local IPv6 one.
 * @param {Address} address
 */
export const isLinkLocal = ({ number, isIPv4 }) => (isIPv4 ? ((number >> 16n) & 0xffffn) === 0xa9fen : number >> 118n === 0x3fan);

/**
 * The canonical text of an address (RFC 5952, always hexadecimal).
 * @param {Address} address
 */
export function textOf({ number, isIPv4 }) {
  if (isIPv4) return [24n, 16n, 8n, 0n].map((shift) => (number >> shift) & 255n).join(".");
  const groups = Array.from({ length: 8 }, (_, index) => ((number >> BigInt(112 - 16 * index)) & 0xffffn).toString(16));
  const zeros = groups.map((group) => (group === "0" ? "0" : "x")).join("").match(/00+/g) ?? [];
  const longest = zeros.reduce((most, run) => (run.length > most.length ? run : most), "");
  if (!longest) return groups.join(":");
  const start = groups.map((group) => (group === "0" ? "0" : "x")).join("").indexOf(longest);
  return `${groups.slice(0, start).join(":")}::${groups.slice(start + longest.length).join(":")}`;
}

/**
 * Reads a prefix length of one to three decimal digits without a leading zero.
 * @param {string} text
 */
export const prefixLength = (text) => (/^(?:0|[1-9]\d{0,2})$/.test(text) ? Number(text) : null);

/**
 * Reads `ADDRESS/LENGTH`; the length counts the bits of the form that the address is written in.
 * @param {string} text
 * @param {number} slash
 * @returns {Item | null}
 */
function parseBlock(text, slash) {
  const head = text.slice(0, slash);
  const [address, length] = [parseAddress(head), prefixLength(text.slice(slash + 1))];
  const bits = head.includes(":") ? 128 : 32;
  if (!address || length === null || length > bits) return null;
  const hosts = (1n << BigInt(bits - length)) - 1n;
  return { sort: "block", first: addressOf(address.number & ~hosts), last: addressOf(address.number | hosts) };
}

/**
 * Reads `FIRST-LAST`, with or without white space around the dash.
 * @param {string} text
 * @param {number} dash
 * @returns {Item | null}
 */
function parseRange(text, dash) {
  const [first, last] = [text.slice(0, dash), text.slice(dash + 1)].map((side) => parseAddress(trimmed(side)));
  if (!first || !last || first.isIPv4 !== last.isIPv4 || first.number > last.number) return null;
  return { sort: "range", first, last };
}

/**
 * Reads `ADDRESS%ZONE` of a link-local IPv6 address (RFC 4007 §11).
 * @param {string} text
 * @param {number} percent
 * @returns {Item | null}
 */
function parseZoned(text, percent) {
  const [address, zone] = [parseAddress(text.slice(0, percent)), text.slice(percent + 1)];
  if (!address || address.isIPv4 || !isLinkLocal(address)) return null;
  // oxlint-disable-next-line no-control-regex -- no zone has control characters
  if (!/^[^\0- \x7f%/,]+$/.test(zone)) return null;
  const endsAsRange = [...zone.matchAll(/-/g)].some(({ index }) => parseAddress(zone.slice(index + 1)));
  return endsAsRange ? null : { sort: "address", address, zone };
}

/**
 * Reads an item that is as it should be; `null` for any other.
 * @param {string} text
 * @returns {Item | null}
 */
export function parseItem(text) {
  const address = parseAddress(text);
  if (address) return { sort: "address", address, zone: "" };
  const mark = text.search(/[/%-]/);
  if (mark < 0) return null;
  if (text[mark] === "/") return parseBlock(text, mark);
  return text[mark] === "-" ? parseRange(text, mark) : parseZoned(text, mark);
}
