// Conditions on records, as `--where` takes them: made of rows that are clicked, joined by `and`, and taken apart again.

/** A value as a condition has it: in quotes where it is no plain word. @param {string} value */
function written(value) {
  const isWord = /^[\p{L}\p{N}][\p{L}\p{N}_.:-]*$/u.test(value) && !/^(and|or|not|in|true|false)$/i.test(value);
  return isWord ? value : `"${value.replaceAll(/["\\]/g, (sign) => `\\${sign}`)}"`;
}

/** The condition that a field has a value, or none. @param {string} field @param {string} value */
const equals = (field, value) => (value ? `${field} = ${written(value)}` : `not ${field}`);

/** A row of a table of a summary. @typedef {{ key: string, name: string }} Row */

/** @param {Row} row */
export const countryCondition = ({ key }) => equals("country_code", key);

/** @param {Row} row */
export const networkCondition = ({ key }) => equals("asn", key.replace(/^AS/, ""));

/** A city, with the region and the country that its key names. @param {Row} row */
export function cityCondition({ key, name }) {
  const parts = key.startsWith(`${name}, `) ? key.slice(name.length + 2).split(", ") : [];
  const country = /^[A-Z]{2}$/.test(parts.at(-1) ?? "") ? parts.pop() : "";
  const conditions = [equals("city", name), ...(parts.length ? [equals("region", parts.join(", "))] : []), ...(country ? [equals("country_code", country)] : [])];
  return conditions.length > 1 ? `(${conditions.join(" and ")})` : conditions[0];
}

/** @param {Row} row */
export const addressCondition = ({ key }) => equals("ip", key);

/** @param {string[]} conditions */
export const joined = (conditions) => conditions.join(" and ");

/**
 * Takes a text apart at each `and` that stands in neither quotes nor brackets; where it has an `or` there, it is one condition.
 * @param {string} text
 */
export function parted(text) {
  const parts = [""];
  let [depth, quote] = [0, ""];
  for (const [token] of text.matchAll(/\\.|["'()]|\s+and\s+|\s+or\s+|[^\\"'()\s]+|\s+|\\/gis)) {
    const isFree = !quote && depth === 0;
    if (isFree && /^\s+or\s+$/i.test(token)) return [text.trim()];
    if (isFree && /^\s+and\s+$/i.test(token)) {
      parts.push("");
      continue;
    }
    if (quote ? token === quote : /^["']$/.test(token)) quote = quote ? "" : token;
    if (!quote) depth += token === "(" ? 1 : token === ")" ? -1 : 0;
    parts[parts.length - 1] += token;
  }
  return parts.map((part) => part.trim()).filter(Boolean);
}
