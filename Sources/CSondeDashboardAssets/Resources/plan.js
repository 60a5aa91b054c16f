// What a scan would take, before it starts.

import { counted, element, grouped, lengthText } from "./elements.js";

/** @type {[string, string][]} */
const COUNTS = [
  ["entries", "Entries"], ["distinct", "Distinct"], ["duplicates", "Duplicates"], ["cached", "Known already"],
  ["reserved", "Reserved"], ["invalid", "Invalid"], ["to_ask", "To ask"],
];

/** @param {{ name: string, requests: number, seconds?: number | null }} estimate */
function estimateText({ name, requests, seconds }) {
  const time = seconds === null || seconds === undefined ? "" : `, about ${lengthText(Math.ceil(seconds))}`;
  return `${name}: ${counted(requests, "request")}${time}`;
}

/**
 * A plan as a list of counts and, for each provider, what it would need.
 * @param {any} plan
 * @returns {Node[]}
 */
export function planElements(plan) {
  const counts = element("dl", { class: "figures" });
  for (const [key, name] of COUNTS) {
    if (plan[key] !== undefined) counts.append(element("div", {}, element("dt", {}, name), element("dd", {}, grouped(plan[key]))));
  }
  const estimates = (plan.providers ?? []).map((/** @type {any} */ each) => element("li", {}, estimateText(each)));
  return [counts, ...(estimates.length ? [element("ul", { class: "estimates" }, ...estimates)] : [])];
}
