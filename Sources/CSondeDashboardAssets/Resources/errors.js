// What a form says when something went wrong: an alert in the words of the contract.

import { element, lengthText } from "./elements.js";
import { NoAnswer, Problem } from "./api.js";
import { causeText } from "./banner.js";

/** @param {Problem} problem */
function networkText(problem) {
  const cause = problem.networkCause ? causeText(problem.networkCause) : "";
  return [cause, problem.message].filter(Boolean).join(": ");
}

/** Why a text is no address, without where in it: in one short line that is seen. @param {string} message */
export const withoutColumn = (message) => message.replace(/^column \d+: /, "");

/**
 * An error as a person is told.
 * @param {unknown} error
 */
export function errorText(error) {
  if (!(error instanceof Problem)) return error instanceof Error ? error.message : `${error}`;
  switch (error.kind) {
    case "invalid-address":
      return `Invalid address: ${withoutColumn(error.message)}`;
    case "network-lost":
      return `Network lost: ${networkText(error)}`;
    case "provider":
      return `Provider error: ${error.message}`;
    case "quota":
      return `Quota used up: ${error.retryAfter === null ? error.message : `try again in ${lengthText(error.retryAfter)}`}`;
    case "rate":
      return `${error.title}: ${error.retryAfter === null ? error.message : `try again in ${lengthText(error.retryAfter)}`}`;
    default:
      return error.title === error.message ? error.message : `${error.title}: ${error.message}`;
  }
}

/** The place of a form's error. */
export class ErrorPlace {
  constructor() {
    this.element = element("div", { class: "error-place" });
  }

  clear() {
    this.element.replaceChildren();
  }

  /** @param {string} text */
  say(text) {
    this.element.replaceChildren(element("p", { role: "alert", "aria-label": "Error", class: "error" }, text));
  }

  /**
   * Says what went wrong; that Sonde does not answer is said elsewhere, and an end of the session too.
   * @param {unknown} error
   */
  show(error) {
    if (error instanceof NoAnswer || (error instanceof Problem && error.kind === "unauthorized")) return;
    if (error instanceof DOMException && error.name === "AbortError") return;
    this.say(errorText(error));
  }

  /**
   * Does something, and shows what goes wrong.
   * @template Value
   * @param {() => Promise<Value>} work
   * @returns {Promise<Value | undefined>}
   */
  async around(work) {
    this.clear();
    try {
      return await work();
    } catch (error) {
      this.show(error);
      return undefined;
    }
  }
}
