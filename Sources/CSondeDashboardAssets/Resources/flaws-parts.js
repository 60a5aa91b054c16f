// Flaws between the parts of an item: ranges, white space, zones, ports and prefix lengths.

import { isLinkLocal, parseAddress, parseItem, prefixLength, textOf, trimmed } from "./addresses.js";
import { flawWithin, isNumber, resemblesAddress } from "./flaws.js";

/**
 * @import { Flaw } from "./flaws.js"
 * @import { Address } from "./addresses.js"
 */

/** A piece of an item and where it begins there, without the white space around it. @typedef {{ text: string, start: number }} Piece */

/**
 * @param {string} item
 * @param {number} start
 * @param {number} [end]
 * @returns {Piece}
 */
function pieceOf(item, start, end) {
  const piece = item.slice(start, end);
  const text = trimmed(piece);
  return { text, start: start + (text ? piece.indexOf(text) : piece.length) };
}

/**
 * The addresses of a piece that is an address or a block.
 * @param {string} piece
 */
function boundsOf(piece) {
  const item = piece.includes("-") ? null : parseItem(piece);
  if (!item) return null;
  if (item.sort !== "address") return item;
  return item.zone ? null : { first: item.address, last: item.address };
}

/**
 * `1.1.1.9-1.1.1.1`, `1.1.1.1-9`, `1.1.1.1-::1`.
 * @param {string} item
 * @returns {Flaw | null}
 */
function range(item) {
  const dash = item.indexOf("-");
  if (dash < 0) return null;
  const [head, tail] = [pieceOf(item, 0, dash), pieceOf(item, dash + 1)];
  if (!head.text) {
    return /^-*$/.test(tail.text) || resemblesAddress(tail.text) ? { offset: dash, reason: "has no first address before '-'" } : null;
  }
  // `8.8.8.8/-24` is no range.
  if (head.text.endsWith("/") || !resemblesAddress(head.text.split(/[%/]/, 1)[0])) return null;
  if (!tail.text) return { offset: dash, reason: "has no last address after '-'" };
  return zoneInRange(item, head, tail) ?? rangeOf(item, head, tail);
}

/**
 * @param {string} item
 * @param {Piece} head
 * @param {Piece} tail
 * @returns {Flaw | null}
 */
function zoneInRange(item, head, tail) {
  const percent = item.indexOf("%");
  const pieces = [head, tail].map(({ text }) => text.split("%", 1)[0]);
  if (percent < 0 || !pieces.every(parseAddress)) return null;
  return { offset: percent, reason: "has a zone, which a range cannot have", mended: pieces.join("-") };
}

/**
 * @param {string} item
 * @param {Piece} head
 * @param {Piece} tail
 */
function rangeOf(item, head, tail) {
  const [first, last] = [boundsOf(head.text), boundsOf(tail.text)];
  return first && last ? rangeOfValid(item, [first.first, last.last], head, tail) : rangeOfFlawed(item, head, tail);
}

/**
 * @param {string} item
 * @param {[Address, Address]} bounds
 * @param {Piece} head
 * @param {Piece} tail
 * @returns {Flaw | null}
 */
function rangeOfValid(item, [first, last], head, tail) {
  if (first.isIPv4 !== last.isIPv4) return { offset: tail.start, reason: "is a range from one address family to the other" };
  if (first.number > last.number) {
    return { offset: tail.start, reason: "is a range that ends before it begins", mended: `${tail.text}-${head.text}` };
  }
  const mark = item.indexOf("/");
  if (mark < 0) return null;
  return { offset: mark, reason: "is a range of blocks", mended: `${textOf(first)}-${textOf(last)}` };
}

/**
 * @param {string} item
 * @param {Piece} head
 * @param {Piece} tail
 * @returns {Flaw | null}
 */
function rangeOfFlawed(item, head, tail) {
  const second = tail.text.indexOf("-");
  if (second >= 0) {
    const areAddresses = tail.text.split("-").every((piece) => !piece || resemblesAddress(piece));
    return areAddresses ? { offset: tail.start + second, reason: "has a second '-'" } : null;
  }
  if (!boundsOf(head.text)) {
    return resemblesAddress(tail.text) || isNumber(tail.text) ? flawWithin(item, head.text, head.start) : null;
  }
  const last = completed(tail.text, head.text);
  if (last) return { offset: tail.start, reason: "has a shortened last address", mended: `${head.text}-${last}` };
  return resemblesAddress(tail.text) ? flawWithin(item, tail.text, tail.start) : null;
}

/**
 * `1.1.1.9` for the `9` of `1.1.1.1-9`.
 * @param {string} tail
 * @param {string} head
 */
function completed(tail, head) {
  const [octets, ends] = [head, tail].map((text) => text.split(".").filter(Boolean));
  if (octets.length !== 4 || ends.length < 1 || ends.length > 3) return null;
  const text = [...octets.slice(0, -ends.length), ...ends].join(".");
  return parseAddress(text) ? text : null;
}

/**
 * White space inside: several items, or one that was spread out.
 * @param {string} item
 * @returns {Flaw | null}
 */
function whiteSpace(item) {
  const gap = item.search(/[\t-\r ]/);
  if (gap < 0) return null;
  const words = item.split(/[\t-\r ]+/).filter(Boolean);
  // What was inside of quotes or brackets.
  if (!words.length) return { offset: 0, reason: "is no address" };
  const second = gap + item.slice(gap).search(/[^\t-\r ]/);
  const mask = words.length === 2 && parseAddress(words[0]) ? maskOf(words[1]) : null;
  if (mask?.length && mask.length >= 8) return { offset: second, reason: mask.reason, mended: words.join("/") };
  const isOneItem = words.slice(1).every((word, index) => /[/%:.]$/.test(words[index]) || /^[/%:.]/.test(word));
  const tight = words.join("");
  if (isOneItem && (parseAddress(words[0]) || parseItem(tight))) return { offset: gap, reason: "has white space inside", mended: tight };
  return { offset: second, reason: "holds several items or words: write one item a line" };
}

/**
 * `2001:db8::1%eth0`, `fe80::1%`, `fe80::1%eth0/64`.
 * @param {string} item
 * @returns {Flaw | null}
 */
function zone(item) {
  const percent = item.indexOf("%");
  if (percent < 0) return null;
  const [head, after] = [item.slice(0, percent), item.slice(percent + 1)];
  const address = parseAddress(head);
  if (!address) return resemblesAddress(head) ? flawWithin(item, head, 0) : null;
  const block = after.includes("/") ? after.slice(after.indexOf("/")) : "";
  if (address.isIPv4 || !isLinkLocal(address)) {
    return { offset: percent, reason: "has a zone, which only link-local IPv6 addresses have", mended: head + block };
  }
  if (!after) return { offset: percent, reason: "has an empty zone", mended: head };
  const second = after.indexOf("%");
  if (second >= 0) return { offset: percent + 1 + second, reason: "has a second '%'" };
  return block ? { offset: percent, reason: "has a zone, which a block cannot have", mended: head + block } : null;
}

/**
 * `8.8.8.8:53`, `8.8.8.8:https`, `example.com:443`.
 * @param {string} item
 * @returns {Flaw | null}
 */
function port(item) {
  const colon = item.indexOf(":");
  if (colon < 1) return null;
  const [head, tail] = [item.slice(0, colon), item.slice(colon + 1)];
  if (tail.includes(":")) return null;
  if (!head.includes(".") && !(isNumber(tail) && /[a-z]/i.test(head))) return null;
  return { offset: colon, reason: tail ? "has a port" : "ends with ':'", mended: head };
}

/**
 * `8.8.8.0/255.255.255.0`, `8.8.8.8/33`, `8.8.8.8/`, `/24`.
 * @param {string} item
 * @returns {Flaw | null}
 */
function slash(item) {
  const at = item.indexOf("/");
  if (at < 0) return null;
  const [head, tail] = [item.slice(0, at), item.slice(at + 1)];
  if (!head) return { offset: 0, reason: "has no address before '/'" };
  if (!tail) return { offset: at, reason: "has no prefix length after '/'", mended: head };
  if (isNumber(tail)) return lengthFlaw(head, tail) ?? flawWithin(item, head, 0);
  if (/^[+-]\d+$/.test(tail)) {
    const reason = "has a sign before the prefix length";
    return tail[0] === "+" ? { offset: at + 1, reason, mended: `${head}/${tail.slice(1)}` } : { offset: at + 1, reason };
  }
  const mask = maskOf(tail);
  if (mask) return { offset: at + 1, reason: mask.reason, mended: mask.length === null ? undefined : `${head}/${mask.length}` };
  const second = tail.indexOf("/");
  if (second >= 0 && isNumber(tail.slice(0, second))) return { offset: at + 1 + second, reason: "has a second '/'" };
  return { offset: at, reason: "goes on after '/' with no prefix length", mended: head };
}

/**
 * @param {string} head
 * @param {string} tail
 * @returns {Flaw | null}
 */
function lengthFlaw(head, tail) {
  const offset = head.length + 1;
  if (tail.length > 1 && tail[0] === "0") {
    return { offset, reason: "has a leading zero in the prefix length", mended: `${head}/${tail.replace(/^0+(?=\d)/, "")}` };
  }
  const most = head.includes(":") ? 128 : 32;
  const length = prefixLength(tail);
  return length !== null && length <= most ? null : { offset, reason: `has a prefix length over ${most}` };
}

/**
 * A mask written as an address, as in `/255.255.255.0` or `/0.0.0.255`: the prefix length that it stands for, if it does, and
 * what is wrong with writing it.
 * @param {string} text
 */
function maskOf(text) {
  const mask = parseAddress(text);
  if (!mask) return null;
  const bits = mask.isIPv4 ? 32 : 128;
  const digits = (mask.number & ((1n << BigInt(bits)) - 1n)).toString(2).padStart(bits, "0");
  if (/^1*0*$/.test(digits)) return { length: digits.replace(/0/g, "").length, reason: "has a netmask" };
  if (/^0*1+$/.test(digits)) return { length: digits.replace(/1/g, "").length, reason: "has a wildcard mask" };
  return { length: null, reason: "has a mask that is no prefix length" };
}

export const partFlaws = { range, whiteSpace, zone, port, slash };
