// What the server tells the page of its settings, in the page's own head.

import { element } from "./elements.js";

/** @param {string} name */
function setting(name) {
  return document.querySelector(`meta[name="sonde-${name}"]`)?.getAttribute("content") ?? "";
}

/** The providers that are asked, in their order. */
export const providers = () => setting("providers").split(",").filter(Boolean);

/** Whether people log in; else a link opens the page. */
export const isTeam = () => setting("team") === "yes";

/** Whether logs are followed. */
export const isLive = () => setting("live") === "yes";

/** The notice where look-ups and scans start, where there is one. */
export function noticeElement() {
  const notice = setting("notice");
  return notice ? [element("p", { class: "notice" }, notice)] : [];
}
