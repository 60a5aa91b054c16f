// Asks the server, and says what became of it in one way: a value, a `Problem`, or `NoAnswer`.

import { apiURL } from "./paths.js";

/** What the server says is wrong (RFC 9457). */
export class Problem extends Error {
  /**
   * @param {{ type?: string, title?: string, status?: number, detail?: string, cause?: string }} said
   * @param {number} status
   * @param {number | null} retryAfter Seconds.
   */
  constructor(said, status, retryAfter) {
    super(said.detail ?? said.title ?? `The server answered ${status}`);
    this.kind = (said.type ?? "").replace("urn:sonde:", "");
    this.title = said.title ?? "Error";
    this.status = status;
    this.networkCause = said.cause ?? null;
    this.retryAfter = retryAfter;
  }
}

/** There was no answer of Sonde's: it is gone, or what stands before it says so. */
export class NoAnswer extends Error {}

/** Says when Sonde stops to answer (`silent`), answers (`answered`), and knows no session any more (`unauthorized`). */
export const server = new EventTarget();

/**
 * @param {Response} answer
 * @param {AbortSignal | null} [signal]
 */
async function problemOf(answer, signal) {
  const isProblem = answer.headers.get("content-type")?.startsWith("application/problem+json");
  // A proxy whose Sonde is gone says so in words of its own.
  if (!isProblem && answer.status >= 502 && answer.status <= 504) return null;
  const wait = answer.headers.get("retry-after");
  const unread = (/** @type {unknown} */ error) => {
    if (signal?.aborted) throw error;
    return {};
  };
  const said = isProblem ? await answer.json().catch(unread) : {};
  return new Problem(said, answer.status, wait && /^\d+$/.test(wait) ? Number(wait) : null);
}

function noAnswer() {
  server.dispatchEvent(new Event("silent"));
  return new NoAnswer("Sonde does not answer");
}

/**
 * Sends a request and waits for its answer's head.
 * @param {string} url
 * @param {RequestInit} options
 */
async function send(url, options) {
  const answer = await fetch(url, { credentials: "same-origin", ...options }).catch((error) => {
    if (options.signal?.aborted) throw error;
    throw noAnswer();
  });
  const problem = answer.ok ? null : await problemOf(answer, options.signal);
  if (!answer.ok && !problem) throw noAnswer();
  server.dispatchEvent(new Event("answered"));
  if (!problem) return answer;
  if (problem.kind === "unauthorized") server.dispatchEvent(new Event("unauthorized"));
  throw problem;
}

/**
 * Asks the API.
 * @param {"GET" | "POST" | "PUT" | "DELETE"} method
 * @param {string} path Under `/api/v1`.
 * @param {{ query?: Record<string, string | number | boolean | null | undefined>, body?: object, signal?: AbortSignal }} [options]
 * @returns {Promise<any>} The answer's JSON; `null` where it has none.
 */
export async function ask(method, path, { query, body, signal } = {}) {
  const answer = await send(apiURL(path, query), {
    method,
    signal,
    headers: { accept: "application/json", ...(body && { "content-type": "application/json" }) },
    body: body && JSON.stringify(body),
  });
  const text = await answer.text().catch((error) => {
    if (signal?.aborted) throw error;
    throw noAnswer();
  });
  return text ? JSON.parse(text) : null;
}
