// Flaws of IPv6 addresses, and names.

import { parseAddress } from "./addresses.js";
import { flawWithin } from "./flaws.js";

/** @import { Flaw } from "./flaws.js" */

/**
 * `2001:db8:::1`, `1::2::3`, `2001:db8::12345`, `10:05:03`.
 * @param {string} item
 * @returns {Flaw | null}
 */
function groups(item) {
  if (item.split(":").length < 3) return null;
  const odd = item.search(/[^0-9a-f:.]/i);
  if (odd >= 0) return { offset: odd, reason: `'${item[odd]}' is no hexadecimal digit` };
  return colonFlaw(item) ?? groupFlaw(item) ?? countFlaw(item);
}

/**
 * @param {string} item
 * @returns {Flaw | null}
 */
function colonFlaw(item) {
  const doubles = [...item.matchAll(/:(?=:)/g)].map(({ index }) => index);
  if (doubles.length > 1) {
    const [first, second] = doubles;
    if (second !== first + 1) return { offset: second, reason: "has '::' twice" };
    const mended = `${item.slice(0, second)}:${item.slice(second).replace(/^:+/, "")}`;
    return { offset: second + 1, reason: "has more than two colons in a row", mended };
  }
  if (/^:(?!:)/.test(item)) return { offset: 0, reason: "begins with a single ':'" };
  if (!/(?<!:):$/.test(item)) return null;
  return { offset: item.length - 1, reason: "ends with a single ':'", mended: item.slice(0, -1) };
}

/**
 * @param {string} item
 * @returns {Flaw | null}
 */
function groupFlaw(item) {
  for (const { 0: group, index } of item.matchAll(/[^:]+/g)) {
    if (group.includes(".")) {
      if (index + group.length < item.length) return { offset: index, reason: "has a dotted part before its end" };
      if (!parseAddress(group)) return flawWithin(item, group, index);
    } else if (group.length > 4) {
      return { offset: index, reason: `group '${group}' has more than 4 digits` };
    }
  }
  return null;
}

/**
 * @param {string} item
 * @returns {Flaw}
 */
function countFlaw(item) {
  const count = item.split(":").filter(Boolean).length + (item.includes(".") ? 1 : 0);
  return { offset: 0, reason: `has ${count} groups, ${item.includes("::") ? "too many beside '::'" : "not 8"}` };
}

/**
 * `example.com`, `AS15169`, `root@example.com`.
 * @param {string} item
 * @returns {Flaw | null}
 */
function name(item) {
  if (/^as\d+$/i.test(item)) return { offset: 0, reason: "is an AS number, not an address" };
  const sign = item.indexOf("@");
  if (sign > 0 && sign < item.length - 1) return { offset: sign, reason: "has a user name before '@'", mended: item.slice(sign + 1) };
  const labels = item.replace(/\.$/, "").split(".");
  const top = labels.at(-1) ?? "";
  if (!/^[a-z]/i.test(top) || !labels.every((label) => /^[\w-]{1,63}$/.test(label))) return null;
  if (labels.length > 1 || top === "localhost") return { offset: 0, reason: "is a host name: resolve it first" };
  return { offset: 0, reason: "is a word, not an address (a host name must be resolved first)" };
}

export const groupFlaws = { groups, name };
