// Starts the page: its header, what it says on every view, and the view that its address stands for.

import { element } from "./elements.js";
import { startBanner } from "./banner.js";
import { connection, startConnection } from "./connection.js";
import { startDrop } from "./drop.js";
import { startLive } from "./live.js";
import { enter, hadSession, isLink, logOut, showNotLoggedIn, startSession } from "./session.js";
import { startThemeSwitch } from "./theme-switch.js";
import { placeOf } from "./paths.js";
import { addLinks, showView, startViews } from "./views.js";

/** @param {string} id */
const byID = (id) => /** @type {HTMLElement} */ (document.getElementById(id));

/** Says what is wrong with the link that was opened. @param {string | null} fault */
function tellFault(fault) {
  byID("faults").replaceChildren(...(fault ? [element("p", { role: "alert", "aria-label": "Error", class: "error" }, fault)] : []));
}

/** How often the page was opened: only the last time counts. */
let opening = 0;

/** Enters, and shows the view; to one who had a session, at once. */
async function open() {
  const turn = (opening += 1);
  const isSure = hadSession() && !isLink();
  if (isSure) show();
  const { isOpen, isShown, fault } = await enter();
  if (turn !== opening) return;
  tellFault(fault);
  if (isShown) return;
  if (!isOpen) return showNotLoggedIn();
  if (!isSure) show();
  startLive();
}

function show() {
  document.body.classList.remove("closed");
  showView();
}

startThemeSwitch(byID("theme"));
addLinks();
startConnection(byID("connection"));
byID("log-out").addEventListener("click", logOut);
if (placeOf(new URL(location.href))) {
  startBanner(byID("network"));
  startViews();
  startDrop();
  startSession(open);
  connection.addEventListener("back", startLive);
  open();
}
byID("skip").addEventListener("click", (event) => {
  event.preventDefault();
  byID("main").querySelector("h1")?.focus();
});
