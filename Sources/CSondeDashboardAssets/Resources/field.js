// The field for one address: grey, red or green as one types, with the reason and the correction under it.

import { element } from "./elements.js";
import { ask } from "./api.js";
import { check, LONGEST_ADDRESS, trimmed } from "./check.js";
import { button, newID, setText } from "./controls.js";
import { withoutColumn } from "./errors.js";
import { icon } from "./icons.js";

/** What the server says of a text. @typedef {{ state: string, kind: string | null, ip: string | null, message: string | null }} Answer */

/** How long after the last key the server is asked, in milliseconds. */
const TYPING_PAUSE = 80;

/**
 * What is said of a text under the field.
 * @param {Answer} answer
 * @param {string} text
 */
function sayingOf({ state, kind, ip, message }, text) {
  if (state === "empty") return "";
  if (state === "invalid") return withoutColumn(message ?? "");
  const name = kind === "ipv4" ? "IPv4 address" : "IPv6 address";
  const spelling = ip === trimmed(text) ? name : `${name}, ${ip}`;
  return message ? `${spelling}: ${message}` : spelling;
}

/** The field, with what stands in it and under it. */
export class AddressField {
  /** @param {() => void} onChange Told when there is another text in the field. */
  constructor(onChange) {
    this.onChange = onChange;
    const status = newID();
    this.input = element("input", {
      id: "ip", type: "text", name: "ip", inputmode: "decimal", enterkeyhint: "search", "aria-describedby": status,
      autocomplete: "off", autocapitalize: "off", autocorrect: "off", spellcheck: "false", "data-state": "empty",
    });
    this.status = element("p", { role: "status", id: status, class: "saying" });
    this.mark = element("span", { class: "mark", "aria-hidden": "true" });
    this.clearer = button("Clear", () => this.clear(), { icon: "clear", isBare: true });
    this.letters = button("Letters", () => this.toggleLetters(), { icon: "letters", isBare: true });
    this.letters.setAttribute("aria-pressed", "false");
    this.mender = element("button", { type: "button", class: "mender", hidden: "" });
    this.mender.addEventListener("click", () => this.mend());
    this.box = element("div", { class: "address-field" }, this.mark, this.input, this.clearer, this.letters);
    const label = element("label", { for: "ip" }, "IP address");
    /** @type {Promise<Answer> | null} */
    this.asked = null;
    this.element = element("div", { class: "address-entry" }, label, this.box, element("div", { class: "under" }, this.status, this.mender));
    this.input.addEventListener("beforeinput", (event) => this.refuse(event));
    this.input.addEventListener("input", () => this.update());
    this.update();
  }

  get value() {
    return this.input.value;
  }

  /** @param {string} text */
  set value(text) {
    this.input.value = text;
    this.update();
  }

  /** Takes no more than an address can have, and a `,` of the keyboard for numbers as a `.`. @param {InputEvent} event */
  refuse(event) {
    const data = event.data ?? event.dataTransfer?.getData("text") ?? "";
    if (!data) return;
    const { value, selectionStart, selectionEnd } = this.input;
    const isComma = data === "," && event.inputType === "insertText";
    const text = isComma ? "." : trimmed(data);
    const after = value.slice(0, selectionStart ?? 0) + text + value.slice(selectionEnd ?? 0);
    if (trimmed(after).length > LONGEST_ADDRESS) {
      event.preventDefault();
      this.forget();
      setText(this.status, `Not taken: an address has at most ${LONGEST_ADDRESS} characters. Use Scans for lists and logs`);
    } else if (isComma || (text !== data && data.length > 1)) {
      event.preventDefault();
      this.input.setRangeText(text, selectionStart ?? 0, selectionEnd ?? 0, "end");
      this.update();
    }
  }

  /** Shows what the text is now, and asks the server for the reason and the correction. */
  update() {
    this.checked = check(this.value);
    this.onChange();
    const { state, kind } = this.checked;
    this.input.dataset.state = this.box.dataset.state = state;
    if (state === "invalid") this.input.setAttribute("aria-invalid", "true");
    else this.input.removeAttribute("aria-invalid");
    this.mark.replaceChildren(icon(state === "valid" ? "good" : state === "invalid" ? "bad" : "empty"));
    this.clearer.hidden = this.value === "";
    this.say({ state, kind, ip: trimmed(this.value), message: null });
    this.forget();
    if (state !== "empty") this.timer = setTimeout(() => this.explainHere(), TYPING_PAUSE);
  }

  /** Does not say any more what was asked of the server. */
  forget() {
    clearTimeout(this.timer);
    this.asked = null;
  }

  /** Says under the field what the text is. @param {Answer} answer */
  say(answer) {
    setText(this.status, sayingOf(answer, this.value));
    this.correction = answer.message?.match(/; write (\S+)$/)?.[1] ?? "";
    this.mender.hidden = answer.state !== "invalid" || check(this.correction).state !== "valid";
    setText(this.mender, `Write ${this.correction}`);
  }

  /** Says what the server says of the text. */
  async explainHere() {
    const asked = this.explain();
    await asked.then((answer) => asked === this.asked && this.say(answer), () => {});
  }

  /** Asks the server what the text is, once. @returns {Promise<Answer>} */
  explain() {
    this.asked ??= ask("POST", "check", { body: { text: this.value } });
    return this.asked;
  }

  /** Why the text is no address. */
  async fault() {
    if (this.checked?.state === "empty") return "there is none in the field";
    const { message } = await this.explain();
    return withoutColumn(message ?? "this is none");
  }

  mend() {
    this.value = this.correction ?? "";
    this.input.focus();
  }

  clear() {
    this.value = "";
    this.input.focus();
  }

  /** Changes between the keyboard for numbers and the one for text, on a phone. */
  toggleLetters() {
    const isText = this.input.inputMode === "decimal";
    this.input.inputMode = isText ? "text" : "decimal";
    this.letters.setAttribute("aria-pressed", `${isText}`);
    this.input.focus();
  }
}
