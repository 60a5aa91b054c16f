// Where everything is: the page may stand under any path, which the server puts into its `<base>`.

import { isLive, isTeam } from "./settings.js";

/** The path that all of Sonde's pages are under; it ends in `/`. */
export const BASE = new URL(document.baseURI).pathname;

/**
 * The URL of something of the API.
 * @param {string} path Under `/api/v1`, its variable parts encoded.
 * @param {Record<string, string | number | boolean | null | undefined>} [query] What has no value is left out.
 */
export function apiURL(path, query = {}) {
  const url = new URL(`api/v1/${path}`, document.baseURI);
  for (const [name, value] of Object.entries(query)) {
    if (value !== null && value !== undefined && value !== "") url.searchParams.set(name, `${value}`);
  }
  return url.href;
}

/**
 * The address of a view.
 * @param {string} path Without the base, such as `scans/ID`.
 */
export const viewURL = (path) => new URL(path, new URL(BASE, location.origin)).href;

/** The address of what is known of an IP address. @param {string} ip */
export const lookupURL = (ip) => viewURL(`lookup/${encodeURIComponent(ip).replaceAll("%3A", ":")}`);

/** The views that only a team has: their paths and their names. @type {[string, string][]} */
export const TEAM_VIEWS = isTeam() ? [["watchlist", "Watchlist"], ["account", "Account"]] : [];

const VIEW_PATHS = new Set(["", "lookup", "scans", ...(isLive() ? ["live"] : []), "network", "cache", ...TEAM_VIEWS.map(([path]) => path)]);

/** What a view is asked for: its name, and the id and the text that stand in its address. @typedef {{ name: string, id: string, query: URLSearchParams }} Place */

/**
 * The view that an address stands for; `null` where it is none of ours.
 * @param {URL} url
 * @returns {Place | null}
 */
export function placeOf(url) {
  if (url.origin !== location.origin || !`${url.pathname}/`.startsWith(BASE)) return null;
  const [name = "", id = "", ...rest] = url.pathname.slice(BASE.length).split("/");
  const hasID = ["scans", "lookup", "live"].includes(name);
  if (rest.length || !VIEW_PATHS.has(name) || (id && !hasID) || (name === "lookup" && !id)) return null;
  return { name: name || "lookup", id: decoded(id), query: url.searchParams };
}

/** @param {string} text */
function decoded(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
