// The view "Account": the password, where one is logged in, the tokens of one's scripts, and, for the admin, invitations.

import { element, grouped } from "./elements.js";
import { ask } from "./api.js";
import { button, copyButton, labelled, setText, whileBusy } from "./controls.js";
import { ErrorPlace } from "./errors.js";
import { live } from "./live.js";
import { newPassword } from "./log-in.js";
import { sizeText } from "./scan-states.js";
import { openSheet, showPlainly } from "./sheet.js";
import { loadStyle } from "./styles.js";
import { Table } from "./tables.js";
import { momentElement } from "./times.js";

/** @import { View } from "./views.js" */

await loadStyle("views.css");

/** @typedef {{ id: string, created_at: string, expires_at: string, current: boolean }} StoredSession */

/** @typedef {{ id: string, name: string, created_at: string }} Token */

/** A user, and what they use. @typedef {{ email: string, admin: boolean, disabled: boolean, lookups: number, scans: number, bytes: number, connections: number, streams: number }} Use */

/** As many sessions and tokens are shown. */
const MOST_ROWS = 500;

/** @param {string} complete */
const passwordInput = (complete) => element("input", { type: "password", autocomplete: complete });

/** A secret that is told this once, or a link that holds one. @param {string} name @param {string} text @param {Node} rest */
function secretElements(name, text, rest) {
  const code = element("code", { class: "command", "aria-label": name }, text);
  return [element("div", { class: "secret" }, code, copyButton("Copy", () => text)), element("p", { class: "soft" }, rest)];
}

/** @param {string} path @param {AbortSignal} signal */
const itemsOf = async (path, signal) => (await ask("GET", path, { query: { limit: MOST_ROWS }, signal })).items;

class AccountView {
  /** @param {AbortSignal} signal */
  constructor(signal) {
    this.signal = signal;
    this.errors = new ErrorPlace();
    this.who = element("p", { class: "soft" });
    this.sessions = new Table("Sessions", /** @type {import("./tables.js").Column<StoredSession>[]} */ ([
      { header: "Begun", cell: ({ created_at }) => momentElement(created_at) },
      { header: "Ends", cell: ({ expires_at }) => momentElement(expires_at) },
      { header: "", class: "row-action", cell: (session) => (session.current ? "this one" : this.ender("End", `sessions/${session.id}`)) },
    ]));
    this.tokens = new Table("Tokens", /** @type {import("./tables.js").Column<Token>[]} */ ([
      { header: "Name", cell: ({ name }) => name },
      { header: "Made", cell: ({ created_at }) => momentElement(created_at) },
      { header: "", class: "row-action", cell: ({ id, name }) => this.ender("Revoke", `tokens/${id}`, name) },
    ]), { nothing: "None. A script sends its token as “Authorization: Bearer …”." });
    for (const { headers } of [this.sessions, this.tokens]) headers[2].append(element("span", { class: "unseen" }, "Action"));
    this.newToken = element("div", { role: "status" });
    this.invitation = element("div", { role: "status" });
    this.inviter = button("Invite", () => this.invite(), { icon: "plus" });
    this.inviting = element("section", { class: "card" }, element("div", { class: "heading" }, element("h2", {}, "Invitations"), this.inviter),
      element("p", { class: "soft" }, "Whoever opens an invitation's link can register, once, within 7 days."), this.invitation);
    this.inviting.hidden = true;
    this.use = new Table("Use", /** @type {import("./tables.js").Column<Use>[]} */ ([
      { header: "Email", cell: ({ email, admin, disabled }) => `${email}${admin ? ", admin" : ""}${disabled ? ", disabled" : ""}` },
      { header: "Look-ups of 24 h", class: "number", cell: ({ lookups }) => grouped(lookups) },
      { header: "Scans", class: "number", cell: ({ scans }) => grouped(scans) },
      { header: "Disk", class: "number", cell: ({ bytes }) => sizeText(bytes) },
      { header: "Connections", class: "number", cell: ({ connections }) => grouped(connections) },
      { header: "Streams", class: "number", cell: ({ streams }) => grouped(streams) },
    ]), { signal });
    this.using = element("section", { class: "card" }, this.use.element);
    this.using.hidden = true;
  }

  /** @param {HTMLElement} main */
  build(main) {
    main.className = "account-view";
    const maker = button("New token", () => this.openNewToken(), { icon: "plus" });
    main.replaceChildren(element("h1", { tabindex: -1 }, "Account"), this.who, this.errors.element,
      element("section", { class: "card" }, element("h2", {}, "Password"), this.passwordForm()),
      element("section", { class: "card" }, this.sessions.element),
      element("section", { class: "card" }, this.tokens.element, this.newToken, element("div", { class: "buttons" }, maker)), this.inviting, this.using);
  }

  passwordForm() {
    const errors = new ErrorPlace();
    const [current, next] = [passwordInput("current-password"), passwordInput("new-password")];
    const revokes = element("input", { type: "checkbox" });
    this.email = element("input", { type: "text", autocomplete: "username", hidden: "" });
    const status = element("p", { role: "status", class: "soft" });
    const changer = button("Change password", () => {}, { class: "primary" });
    changer.type = "submit";
    const form = element("form", { class: "form", novalidate: "" }, this.email, labelled("Current password", current), newPassword("New password", next),
      element("label", { class: "choice" }, revokes, "Revoke tokens too"), errors.element, status, element("div", { class: "buttons" }, changer));
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      whileBusy(changer, () => this.changePassword(current, next, revokes, errors, status));
    });
    return form;
  }

  /** @param {HTMLInputElement} current @param {HTMLInputElement} next @param {HTMLInputElement} revokes @param {ErrorPlace} errors @param {Node} status */
  async changePassword(current, next, revokes, errors, status) {
    errors.clear();
    setText(status, "");
    try {
      await ask("POST", "password", { body: { current: current.value, new: next.value, revoke_tokens: revokes.checked } });
      current.value = next.value = "";
      setText(status, `The password is changed, and your other sessions${revokes.checked ? " and your tokens" : ""} have ended.`);
      revokes.checked = false;
      await this.load();
    } catch (error) {
      showPlainly(errors, error);
    }
  }

  /** A button that ends what stands at a path. @param {string} name @param {string} path @param {string} [of] */
  ender(name, path, of = "") {
    const made = button(name, () => {
      whileBusy(made, () => this.errors.around(async () => {
        await ask("DELETE", path);
        await this.load();
      }));
    }, { class: "small" });
    if (of) made.setAttribute("aria-description", of);
    return made;
  }

  openNewToken() {
    const name = element("input", { type: "text", autocomplete: "off" });
    openSheet("New token", [["Name", name]], async () => {
      const made = await ask("POST", "tokens", { body: { name: name.value.trim() } });
      this.newToken.replaceChildren(...secretElements("Token", made.token, element("span", {}, `The token “${made.name}”: it is shown this once.`)));
      await this.load();
    });
  }

  invite() {
    whileBusy(this.inviter, () => this.errors.around(async () => {
      const { link, expires_at } = await ask("POST", "invitations");
      this.invitation.replaceChildren(...secretElements("Invitation", link, element("span", {}, "It ends ", momentElement(expires_at), ".")));
    }));
  }

  async load() {
    const tables = [this.sessions.load((signal) => itemsOf("sessions", signal)), this.tokens.load((signal) => itemsOf("tokens", signal))];
    await this.errors.around(async () => {
      const { user } = await ask("GET", "session", { signal: this.signal });
      setText(this.who, user ? `${user.email}${user.admin ? ", admin" : ""}` : "");
      if (this.email) this.email.value = user?.email ?? "";
      this.inviting.hidden = this.using.hidden = !user?.admin;
      if (user?.admin) await this.use.load((signal) => itemsOf("users", signal));
    });
    await Promise.all(tables);
  }
}

/** @type {View} */
export const accountView = {
  title: "Account",
  show(main, _, signal) {
    const view = new AccountView(signal);
    view.build(main);
    for (const name of ["token-removed", "reset"]) live.addEventListener(name, () => view.load(), { signal });
    view.load();
  },
};
