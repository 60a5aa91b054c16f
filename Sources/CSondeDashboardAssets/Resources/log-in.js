// The forms by which people of a team get in: "Log in", "Register", and the one that sets a password anew.

import { ask, NoAnswer } from "./api.js";
import { button, labelled, newID, setText, whileBusy } from "./controls.js";
import { element } from "./elements.js";
import { ErrorPlace } from "./errors.js";
import { showInstead } from "./views.js";

/**
 * A field of a form.
 * @typedef {{ name: string, type: "email" | "password", complete: string }} Field
 */

/**
 * What a form asks for, and what then happens.
 * @typedef {object} Plan
 * @property {string} title
 * @property {string} action The name of its button.
 * @property {Field[]} fields
 * @property {(...values: string[]) => Promise<void>} send
 * @property {HTMLElement[]} rest What stands under it.
 * @property {string} [known] What "Email" holds already; the focus is then in the field below it.
 */

/** @type {Field} */
const EMAIL = { name: "Email", type: "email", complete: "username" };
/** @type {Field} */
const PASSWORD = { name: "Password", type: "password", complete: "current-password" };

/** What the server asks of a new password. */
const PASSWORD_RULE = "10 to 1024 bytes. Common passwords, runs such as abcdefghij, one repeated character, and your email or its name are refused.";

/** A new password's label, its field and, under it, the rule. @param {string} name @param {HTMLInputElement} control */
export function newPassword(name, control) {
  const rule = element("p", { id: newID(), class: "soft" }, PASSWORD_RULE);
  control.setAttribute("aria-describedby", rule.id);
  return labelled(name, control, rule);
}

/** @param {Field} field */
const input = ({ type, complete }) => element("input", { type, autocomplete: complete, spellcheck: "false", autocapitalize: "none" });

/** A field with its label, and with the rule where it takes a new password. @param {Field} field @param {HTMLInputElement} control */
const entry = ({ name, complete }, control) => (complete === "new-password" ? newPassword : labelled)(name, control);

/** Shows a form in place of a view. @param {Plan} plan */
function showForm({ title, action, fields, send, rest, known = "" }) {
  const errors = new ErrorPlace();
  const inputs = fields.map(input);
  const submit = button(action, () => {}, { class: "primary" });
  submit.setAttribute("type", "submit");
  // What is wrong is said in one place, in Sonde's words.
  const form = element("form", { class: "log-in", novalidate: "" }, ...inputs.map((each, index) => entry(fields[index], each)));
  // Browsers want to know whose a password is.
  if (!fields.includes(EMAIL)) form.prepend(element("input", { type: "text", autocomplete: "username", hidden: "" }));
  form.append(submit, errors.element, ...rest);
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    whileBusy(submit, async () => {
      errors.clear();
      try {
        await send(...inputs.map((each) => each.value));
      } catch (error) {
        if (!(error instanceof NoAnswer) && error instanceof Error) errors.say(error.message);
      }
    });
  });
  showInstead(title, form);
  if (known) inputs[0].value = known;
  inputs[known ? 1 : 0].focus();
}

/** A link that shows another form. @param {string} name @param {() => void} show */
function link(name, show) {
  const made = element("a", { href: location.pathname + location.search }, name);
  made.addEventListener("click", (event) => {
    event.preventDefault();
    show();
  });
  return element("p", {}, made);
}

/**
 * Shows the form to log in.
 * @param {() => void} entered What follows.
 * @param {string} said What has just been done.
 * @param {string} known The email of an account that was just made.
 */
export function showLogIn(entered, said = "", known = "") {
  const status = element("p", { role: "status", class: "soft" });
  showForm({
    title: "Log in",
    action: "Log in",
    fields: [EMAIL, PASSWORD],
    known,
    send: async (email, password) => {
      await ask("POST", "session", { body: { email, password } });
      entered();
    },
    rest: [status, link("Register", () => showRegister(entered, null))],
  });
  setText(status, said);
}

/**
 * Shows the form to make an account.
 * @param {() => void} entered What follows once one has logged in.
 * @param {string | null} invitation The token of the link that was opened.
 */
export function showRegister(entered, invitation) {
  showForm({
    title: "Register",
    action: "Register",
    fields: [EMAIL, { ...PASSWORD, complete: "new-password" }],
    send: async (email, password) => {
      const user = await ask("POST", "users", { body: { email, password, ...(invitation && { invitation }) } });
      // The server has trimmed and lower-cased it.
      showLogIn(entered, "Registered. Please log in.", user.email);
    },
    rest: [link("Back to log in", () => showLogIn(entered))],
  });
}

/**
 * Shows the form that sets a password anew.
 * @param {() => void} entered What follows once one has logged in.
 * @param {string} reset The token of the link that was opened.
 */
export function showReset(entered, reset) {
  showForm({
    title: "Set a new password",
    action: "Set password",
    fields: [{ name: "New password", type: "password", complete: "new-password" }],
    send: async (password) => {
      await ask("POST", "reset", { body: { reset, password } });
      showLogIn(entered, "The password is set. Please log in.");
    },
    rest: [link("Back to log in", () => showLogIn(entered))],
  });
}
