// The dialog "New scan": a list or log is sent as soon as it is chosen, and its plan is shown before anything is asked.

import { counted, element, grouped } from "./elements.js";
import { ask } from "./api.js";
import { button, labelled, newID, setText, whileBusy } from "./controls.js";
import { ErrorPlace } from "./errors.js";
import { showDialog } from "./layers.js";
import { live, tellRemoved } from "./live.js";
import { apiURL, viewURL } from "./paths.js";
import { planElements } from "./plan.js";
import { readable } from "./record.js";
import { sizeText } from "./scan-states.js";
import { noticeElement, providers } from "./settings.js";
import { upload } from "./upload.js";
import { goTo } from "./views.js";

/** @import { Scan } from "./scan-states.js" */

/** A longer paste becomes a file and is never in the page, in characters. */
const LONGEST_PASTE = 100_000;

/** How long after the last key a text is sent, in milliseconds. */
const TYPING_PAUSE = 700;

/** How often a plan is asked for that no event has told, in milliseconds. */
const PLAN_INTERVAL = 1000;

/** @param {[string, string][]} options */
const choices = (options) => element("select", {}, ...options.map(([value, name]) => element("option", { value }, name)));

/** Deletes a scan that never began. @param {string} id */
function throwAway(id) {
  ask("DELETE", `scans/${id}`).then(() => tellRemoved("scan", id), () => {});
}

/** A provider that may be chosen, or why not. @typedef {{ name: string, label: string, available: boolean, detail: string | null }} Choice */

/** Adds the providers to what can be chosen: all as configured stands there, or one alone. @param {HTMLSelectElement} select */
async function addProviders(select) {
  const { items } = await ask("GET", "providers", { query: { limit: 500 } });
  for (const { name, label, available, detail } of /** @type {Choice[]} */ (items)) {
    const option = element("option", { value: name, title: detail ?? "" }, available ? label : `${label} (${detail})`);
    option.disabled = !available;
    select.append(option);
  }
}

/** A larger input is not read for its lines, in bytes. */
const LONGEST_COUNTED = 16_000_000;

/** The lines of an input; `null` of one that is large, or no text. @param {File} input */
async function linesOf(input) {
  if (input.size > LONGEST_COUNTED) return null;
  const text = await input.text();
  if (text.includes("\0") || text.includes("\ufffd")) return null;
  return text.split("\n").length - (text.endsWith("\n") ? 1 : 0);
}

/** The dialog, while it is open. */
class NewScan {
  constructor() {
    this.errors = new ErrorPlace();
    this.text = element("textarea", { rows: 6, spellcheck: "false", autocapitalize: "off", autocomplete: "off", placeholder: "One address, block or range a line; or any log" });
    this.file = element("input", { type: "file" });
    this.as = choices([["guess", "Guess"], ["list", "List"], ["log", "Log"]]);
    this.provider = choices([["", `As configured (${providers().join(", ")})`]]);
    this.plan = element("div", { role: "status", "aria-label": "Plan", class: "plan" });
    this.starter = button("Start", () => this.start(), { class: "primary", icon: "play" });
    this.starter.disabled = true;
    /** @type {Scan | null} */
    this.draft = null;
    /** @type {Promise<void> | null} */
    this.sending = null;
    this.attempt = new AbortController();
    this.ended = new AbortController();
    this.dialog = this.build();
    this.listen();
    this.errors.around(() => addProviders(this.provider));
  }

  build() {
    const heading = element("h2", { id: newID() }, "New scan");
    const dialog = element("dialog", { class: "new-scan", "aria-labelledby": heading.id });
    const form = element("div", { class: "form" },
      labelled("Paste a list or log", this.text),
      labelled("File", this.file, element("p", { class: "soft" }, "A list, a log or a capture, also compressed. Or drop one anywhere on the page.")),
      element("div", { class: "pair" }, labelled("Treat as", this.as), labelled("Provider", this.provider)),
      this.plan, this.errors.element, ...noticeElement());
    const cancel = button("Cancel", () => dialog.close());
    dialog.append(heading, form, element("div", { class: "buttons" }, cancel, this.starter));
    return dialog;
  }

  listen() {
    this.text.addEventListener("paste", (event) => this.paste(event));
    this.text.addEventListener("input", () => this.typed());
    this.file.addEventListener("change", () => this.chosen());
    for (const choice of [this.as, this.provider]) choice.addEventListener("change", () => this.send());
    this.dialog.addEventListener("close", () => this.close());
    live.addEventListener("scan", (event) => this.told(/** @type {CustomEvent} */ (event).detail), { signal: this.ended.signal });
    addEventListener("pagehide", () => this.leavePage(), { signal: this.ended.signal });
    addEventListener("pageshow", ({ persisted }) => persisted && this.send(), { signal: this.ended.signal });
  }

  /** @param {ClipboardEvent} event */
  paste(event) {
    const text = event.clipboardData?.getData("text/plain") ?? "";
    if (text.length <= LONGEST_PASTE) return;
    event.preventDefault();
    this.take(new File([text], "pasted.txt", { type: "text/plain" }));
  }

  /** Puts a file into the control for files, as if it had been chosen there. @param {File} file */
  take(file) {
    const transfer = new DataTransfer();
    transfer.items.add(file);
    this.file.files = transfer.files;
    this.chosen();
  }

  chosen() {
    if (this.file.files?.length) this.text.value = "";
    this.send();
  }

  typed() {
    if (this.text.value) this.file.value = "";
    this.attempt.abort();
    this.starter.disabled = !this.input();
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.send(), TYPING_PAUSE);
  }

  /** What is to be scanned. @returns {File | null} */
  input() {
    const file = this.file.files?.[0];
    if (file) return file;
    return this.text.value.trim() ? new File([this.text.value], "Pasted text", { type: "text/plain" }) : null;
  }

  /** Sends the input anew; what was sent before is thrown away. */
  send() {
    clearTimeout(this.timer);
    this.timer = undefined;
    this.attempt.abort();
    this.attempt = new AbortController();
    this.discard();
    this.errors.clear();
    this.plan.replaceChildren();
    const input = this.input();
    this.starter.disabled = !input;
    this.sending = input ? this.sendInput(input, this.attempt.signal) : null;
  }

  /**
   * @param {File} input
   * @param {AbortSignal} signal
   */
  async sendInput(input, signal) {
    const name = readable(input.name);
    const line = element("p", {}, `Sending ${name}, ${sizeText(input.size)}…`);
    this.plan.replaceChildren(line);
    try {
      const how = { name: input.name.slice(0, 200), as: this.as.value, provider: this.provider.value };
      const draft = await upload(input, how, (share) => setText(line, share < 1 ? `Sending ${name}: ${Math.floor(share * 100)} %` : `Reading ${name}…`), signal);
      if (signal.aborted) return void throwAway(draft.id);
      this.draft = draft;
      this.told(draft);
      this.awaitPlan(signal);
    } catch (error) {
      if (signal.aborted) return;
      this.plan.replaceChildren();
      this.starter.disabled = true;
      this.errors.show(error);
    }
  }

  /** @param {AbortSignal} signal */
  async awaitPlan(signal) {
    while (this.draft && !this.draft.plan && this.draft.state === "ready" && !signal.aborted) {
      await new Promise((resolve) => setTimeout(resolve, PLAN_INTERVAL));
      if (!this.draft || signal.aborted) return;
      this.told(await ask("GET", `scans/${this.draft.id}`).catch(() => ({})));
    }
  }

  /** Takes what the server says of the draft. @param {Partial<Scan>} scan */
  told(scan) {
    if (!this.draft || scan.id !== this.draft.id) return;
    Object.assign(this.draft, scan);
    if (this.draft.state === "failed") {
      this.plan.replaceChildren();
      this.errors.say(this.draft.detail ?? "The input could not be read");
      this.starter.disabled = true;
    } else if (scan.plan) {
      this.showPlan(this.draft);
    }
  }

  /** Shows the plan, and what is wrong with an input of few addresses. @param {Scan} draft */
  async showPlan({ id, as, plan }) {
    const input = this.input();
    const lines = plan.distinct || !input ? null : await linesOf(input);
    if (id !== this.draft?.id) return;
    const isDoubtful = as === "list" && plan.distinct && 2 * plan.invalid > plan.entries;
    const doubt = isDoubtful ? [element("p", { class: "doubt" }, `${grouped(plan.invalid)} of ${grouped(plan.entries)} lines are no addresses`)] : [];
    this.plan.replaceChildren(...planElements(plan), ...doubt);
    if (plan.distinct) return;
    this.errors.say(lines === null ? "No address in the input" : `No address in ${counted(lines, "line")}`);
    this.starter.disabled = true;
  }

  start() {
    whileBusy(this.starter, () =>
      this.errors.around(async () => {
        if (this.timer !== undefined) this.send();
        await this.sending;
        const draft = this.draft;
        if (!draft) return;
        await ask("POST", `scans/${draft.id}/start`);
        this.draft = null;
        await goTo(viewURL(`scans/${draft.id}`));
      }),
    );
  }

  discard() {
    if (this.draft) throwAway(this.draft.id);
    this.draft = null;
  }

  /** Throws away what was sent, by a request that outlives the page. */
  leavePage() {
    if (this.draft) fetch(apiURL(`scans/${this.draft.id}`), { method: "DELETE", keepalive: true });
    this.draft = null;
  }

  close() {
    clearTimeout(this.timer);
    this.attempt.abort();
    this.ended.abort();
    this.discard();
    if (open === this) open = null;
  }
}

/** @type {NewScan | null} */
let open = null;

/** Opens the dialog; a file that was dropped is its input. @param {File} [file] */
export function openNewScan(file) {
  if (!open) {
    open = new NewScan();
    showDialog(open.dialog, open.text);
  }
  if (file) open.take(file);
}
