// Sends a list or log to the server, and tells how far it is.

import { apiURL } from "./paths.js";
import { NoAnswer, Problem, server } from "./api.js";

/** A key that no other request has. */
function newKey() {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/**
 * Uploads an input as a new scan that is not started yet.
 * @param {Blob} input
 * @param {{ name: string, as: string, provider: string }} how
 * @param {(share: number) => void} onProgress
 * @param {AbortSignal} signal
 * @returns {Promise<import("./scan-states.js").Scan>}
 */
export function upload(input, how, onProgress, signal) {
  const request = new XMLHttpRequest();
  return new Promise((resolve, reject) => {
    request.open("POST", apiURL("scans", { ...how, start: false }));
    request.setRequestHeader("content-type", "application/octet-stream");
    request.setRequestHeader("idempotency-key", newKey());
    request.upload.addEventListener("progress", ({ loaded, total }) => onProgress(total ? loaded / total : 1));
    request.addEventListener("load", () => {
      const said = JSON.parse(request.responseText || "{}");
      if (request.status < 300) resolve(said);
      else reject(new Problem(said, request.status, null));
    });
    request.addEventListener("error", () => {
      server.dispatchEvent(new Event("doubtful"));
      reject(new NoAnswer("Sonde does not answer"));
    });
    request.addEventListener("abort", () => reject(new DOMException("", "AbortError")));
    signal.addEventListener("abort", () => request.abort());
    request.send(input);
  });
}
