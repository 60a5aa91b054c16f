// What is loaded only when it is needed, which may be while Sonde does not answer.

import { server } from "./api.js";
import { connection } from "./connection.js";

/** The first pause after a failure and the longest one, in milliseconds. */
const PAUSES = { first: 1000, longest: 30_000 };

/**
 * Loads something, again after a failure: after a pause, or as soon as Sonde is back.
 * @template Value
 * @param {() => Promise<Value>} load
 * @returns {Promise<Value>}
 */
export async function loaded(load) {
  for (let pause = PAUSES.first; ; pause = Math.min(2 * pause, PAUSES.longest)) {
    try {
      return await load();
    } catch {
      server.dispatchEvent(new Event("doubtful"));
      await new Promise((/** @type {(value?: unknown) => void} */ resolve) => {
        setTimeout(resolve, pause);
        connection.addEventListener("back", resolve, { once: true });
      });
    }
  }
}
