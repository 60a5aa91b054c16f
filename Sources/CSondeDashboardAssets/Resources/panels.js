// A place for what the server is asked for, in one of four states: loading, empty, failed, filled.

import { element } from "./elements.js";
import { NoAnswer, Problem } from "./api.js";
import { button } from "./controls.js";
import { errorText } from "./errors.js";

/** @param {unknown} error */
const isSaidElsewhere = (error) => error instanceof Problem && error.kind === "unauthorized";

/** @typedef {"loading" | "empty" | "failed" | "filled"} State */

/** A panel around its content, which is seen once there is something in it. */
export class Panel {
  /**
   * @param {HTMLElement} content
   * @param {string} nothing What is missing where there is none, and how it comes.
   * @param {AbortSignal} [signal] Ends what is asked.
   * @param {HTMLElement} [place] What the content stands in already, such as the box of a table.
   */
  constructor(content, nothing, signal, place) {
    this.content = content;
    this.nothing = nothing;
    this.signal = signal;
    this.note = element("div", { class: "panel-note" });
    this.element = place ?? element("div", { class: "panel" }, content);
    this.element.append(this.note);
    /** Whether an answer is awaited. */
    this.isReading = false;
    /** @type {State} */
    this.state = "loading";
    this.restart();
  }

  /** @param {State} state @param {...Node} words */
  show(state, ...words) {
    this.state = state;
    if (state === "loading") this.element.setAttribute("aria-busy", "true");
    else this.element.removeAttribute("aria-busy");
    this.element.dataset.panel = state;
    this.content.hidden = state !== "filled";
    this.note.replaceChildren(...words);
  }

  /** Says whether there is anything. @param {boolean} isFilled */
  fill(isFilled) {
    if (isFilled) this.show("filled");
    else if (this.state !== "empty") this.show("empty", element("p", { class: "soft nothing" }, this.nothing));
  }

  /** Says why there is nothing. @param {unknown} error @param {() => void} again */
  fail(error, again) {
    const isGone = error instanceof NoAnswer;
    const words = isGone ? element("p", { class: "error" }, "There was no answer.") : element("p", { class: "error", role: "alert", "aria-label": "Error" }, errorText(error));
    this.show("failed", words, button("Try again", again));
  }

  /** Shows nothing until another answer is there. */
  restart() {
    this.show("loading", element("p", { class: "soft" }, "Loading…"));
  }

  /**
   * Asks, and shows the answer; a newer question ends the older. What is there stays until the answer is.
   * @template Value
   * @param {(signal: AbortSignal) => Promise<Value>} ask
   * @param {(value: Value) => boolean} show Puts the answer into the content; whether there is anything.
   */
  async read(ask, show) {
    this.request?.abort();
    const request = (this.request = new AbortController());
    const signal = this.signal ? AbortSignal.any([this.signal, request.signal]) : request.signal;
    if (this.state === "failed") this.restart();
    this.isReading = true;
    try {
      const value = await ask(signal);
      if (!signal.aborted) this.fill(show(value));
    } catch (error) {
      if (signal.aborted || isSaidElsewhere(error)) return;
      // That Sonde does not answer is said on every view; what was there stays.
      if (!(error instanceof NoAnswer) || this.state === "loading") this.fail(error, () => this.read(ask, show));
    } finally {
      if (this.request === request) this.isReading = false;
    }
  }
}
