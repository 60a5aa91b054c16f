// The session: opened by the link's token, which leaves the address at once, or by a password, and ended by "Log out" in all tabs.

import { element } from "./elements.js";
import { ask, Problem, server } from "./api.js";
import { BASE } from "./paths.js";
import { stopLive } from "./live.js";
import { isTeam } from "./settings.js";
import { showInstead } from "./views.js";

/** Who is logged in. @typedef {{ id: string, email: string, admin: boolean }} User */

const channel = "BroadcastChannel" in self ? new BroadcastChannel(`sonde-session:${BASE}`) : null;

/** What is remembered so that the page of one who has a session need not wait to be told so. */
const MEMORY = `sonde.session:${BASE}`;

/** A link's purpose and token, as they stand in the address. */
const LINK = /^#(open|invitation|reset)=(.+)$/;

/** Whether there was a session when the page was used last. */
export const hadSession = () => localStorage.getItem(MEMORY) === "yes";

/** Whether the address is that of a link to be opened. */
export const isLink = () => LINK.test(location.hash);

/** Begins anew. */
let reopen = () => {};

/** Tells all tabs that one is logged in, and begins. */
function entered() {
  channel?.postMessage("opened");
  reopen();
}

/** Takes the purpose and the token out of the address; `null` where there are none. */
function takeLink() {
  const [, purpose, token] = location.hash.match(LINK) ?? [];
  if (!purpose) return null;
  history.replaceState(null, "", location.pathname + location.search);
  return { purpose, token: decodeURIComponent(token) };
}

function close() {
  localStorage.removeItem(MEMORY);
  stopLive();
  document.body.classList.add("closed");
}

/** Says that there is no session, and how to get one. */
export function showNotLoggedIn() {
  close();
  if (isTeam()) {
    import("./log-in.js").then(({ showLogIn }) => showLogIn(entered));
    return;
  }
  showInstead(
    "Not logged in",
    element("p", {}, "This page opens with a one-time link. To get one, run on the machine that serves it:"),
    element("p", {}, element("code", { class: "command" }, "sonde serve link")),
    element("p", { class: "soft" }, "Then open the link that it prints. It works once, within 10 minutes."),
  );
}

/** Opens a session with the token of a link. @param {string} link @returns {Promise<string | null>} What went wrong, in words. */
async function openByLink(link) {
  try {
    await ask("POST", "session", { body: { link } });
    channel?.postMessage("opened");
    return null;
  } catch (error) {
    if (error instanceof Problem) return error.status === 410 ? "This link was used or has expired. Run: sonde serve link" : error.message;
    return "";
  }
}

/** Shows what is the user's alone to see. @param {User | null} user */
function showUser(user) {
  const cache = /** @type {HTMLElement | null} */ (document.querySelector('nav a[href="cache"]'));
  if (cache) cache.hidden = user?.admin === false;
}

/**
 * Finds out whether there is a session; the link in the address opens one, or a form.
 * @returns {Promise<{ isOpen: boolean, isShown?: boolean, fault: string | null }>} Whether there is one, and whether a form is shown instead.
 */
export async function enter() {
  const link = takeLink();
  if (link && isTeam()) {
    close();
    const { showRegister, showReset } = await import("./log-in.js");
    if (link.purpose === "reset") showReset(entered, link.token);
    else showRegister(entered, link.token);
    return { isOpen: false, isShown: true, fault: null };
  }
  const fault = link ? await openByLink(link.token) : null;
  try {
    const { user } = await ask("GET", "session");
    showUser(user);
  } catch (error) {
    // While Sonde does not answer nobody knows.
    return { isOpen: !(error instanceof Problem), fault };
  }
  localStorage.setItem(MEMORY, "yes");
  return { isOpen: true, fault };
}

/** Ends the session, here and in the other tabs. */
export async function logOut() {
  await ask("DELETE", "session").catch(() => {});
  channel?.postMessage("ended");
  // What stands in the address is for nobody who logs in next.
  history.replaceState(null, "", BASE);
  showNotLoggedIn();
}

/** Hears of what other tabs do, and of a session's end. @param {() => void} open Begins anew. */
export function startSession(open) {
  reopen = open;
  // A form that is shown already stays as it is.
  server.addEventListener("unauthorized", () => document.body.classList.contains("closed") || showNotLoggedIn());
  channel?.addEventListener("message", ({ data }) => {
    if (data === "ended") showNotLoggedIn();
    else if (document.body.classList.contains("closed")) open();
  });
  addEventListener("hashchange", () => isLink() && open());
}
