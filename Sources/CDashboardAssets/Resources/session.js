// The session: opened by the link's token, which leaves the address at once, and ended by "Log out" in all tabs.

import { element } from "./elements.js";
import { ask, Problem, server } from "./api.js";
import { BASE } from "./paths.js";
import { stopLive } from "./live.js";
import { showInstead } from "./views.js";

const channel = "BroadcastChannel" in self ? new BroadcastChannel(`sonde-session:${BASE}`) : null;

/** What is remembered so that the page of one who has a session need not wait to be told so. */
const MEMORY = `sonde.session:${BASE}`;

/** Whether there was a session when the page was used last. */
export const hadSession = () => localStorage.getItem(MEMORY) === "yes";

/** Takes the token out of the address; `null` where there is none. */
function takeToken() {
  const token = location.hash.match(/^#open=(.+)$/)?.[1] ?? null;
  if (token) history.replaceState(null, "", location.pathname + location.search);
  return token;
}

/** Says that there is no session, and how to get one. */
export function showNotLoggedIn() {
  localStorage.removeItem(MEMORY);
  stopLive();
  document.body.classList.add("closed");
  showInstead(
    "Not logged in",
    element("p", {}, "This page opens with a one-time link. To get one, run on the machine that serves it:"),
    element("p", {}, element("code", { class: "command" }, "sonde serve link")),
    element("p", { class: "soft" }, "Then open the link that it prints. It works once, within 10 minutes."),
  );
}

/** Opens a session with the token of the address, if there is one. @returns {Promise<string | null>} What went wrong, in words. */
async function openByLink() {
  const token = takeToken();
  if (!token) return null;
  try {
    await ask("POST", "session", { body: { link: decodeURIComponent(token) } });
    channel?.postMessage("opened");
    return null;
  } catch (error) {
    if (error instanceof Problem) return error.status === 410 ? "This link was used or has expired. Run: sonde serve link" : error.message;
    return "";
  }
}

/**
 * Finds out whether there is a session; the link in the address opens one.
 * @returns {Promise<{ isOpen: boolean, fault: string | null }>}
 */
export async function enter() {
  const fault = await openByLink();
  try {
    await ask("GET", "session");
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
  showNotLoggedIn();
}

/** Hears of what other tabs do, and of a session's end. @param {() => void} reopen Begins anew. */
export function startSession(reopen) {
  server.addEventListener("unauthorized", showNotLoggedIn);
  channel?.addEventListener("message", ({ data }) => {
    if (data === "ended") showNotLoggedIn();
    else if (document.body.classList.contains("closed")) reopen();
  });
  addEventListener("hashchange", () => location.hash.startsWith("#open=") && reopen());
}
