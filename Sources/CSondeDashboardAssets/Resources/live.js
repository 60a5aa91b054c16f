// One stream of events for all tabs: a tab that is seen and holds the lock reads it for the others; one that is hidden gives it up.

import { apiURL, BASE } from "./paths.js";
import { server } from "./api.js";
import { connection, isSilent } from "./connection.js";

/** An event of the stream. @typedef {{ name: string, data: any }} Message */

const NAMES = ["network", "scan", "lookup", "watch", "log", "deleted", "reset"];
/** How long after a refusal the stream is asked for again, in milliseconds. */
const REOPEN_INTERVAL = 5000;
const NAME = `sonde-events:${BASE}`;

/** Events with the stored object as `detail`; `scan-removed` and the like with what is gone, `null` for all; `reset` after a gap. */
export const live = new EventTarget();

/** Tells the tabs; where there is no such channel, each reads for itself. */
const channel = "BroadcastChannel" in self ? new BroadcastChannel(NAME) : null;

/** The last event of each kind and id. @type {Map<string, Message>} */
const current = new Map();

/** @type {EventSource | null} */
let source = null;
/** @type {(() => void) | null} */
let giveUp = null;
let isStarted = false;
/** Whether nothing was heard for a while. */
let hasMissed = false;

/** Has what is shown read anew where something may have been missed; a stream that is opened again tells only what is so now. */
function catchUp() {
  if (hasMissed) live.dispatchEvent(new CustomEvent("reset"));
  hasMissed = false;
}

/** The logs that this tab wants to hear of, and those that any tab has asked for. */
const [ownLogs, allLogs] = [new Set(), new Set()];

/** Has the stream tell of logs, too. @param {string[]} ids */
function addLogs(ids) {
  const isNew = ids.some((id) => !allLogs.has(id));
  for (const id of ids) allLogs.add(id);
  if (isNew && source) open();
}

/** Hears of a log until a signal ends: the events `log`. @param {string} id @param {AbortSignal} signal */
export function hearLog(id, signal) {
  ownLogs.add(id);
  signal.addEventListener("abort", () => ownLogs.delete(id));
  allLogs.delete(id);
  addLogs([id]);
  channel?.postMessage({ logs: [id] });
}

/** @param {Message} message */
function take(message) {
  if (message.name === "deleted") return tellRemoved(message.data.kind, message.data.id ?? message.data.ip);
  if (message.name === "reset") current.clear();
  else if (message.name !== "lookup" && message.name !== "log") current.set(`${message.name} ${message.data?.id ?? ""}`, message);
  live.dispatchEvent(new CustomEvent(message.name, { detail: message.data }));
}

/** @param {Message} message */
function share(message) {
  take(message);
  channel?.postMessage({ message });
}

/**
 * Tells this tab that something was removed, here or, as the stream says, elsewhere.
 * @param {"scan" | "lookup" | "watch" | "token"} kind
 * @param {string | null} id Of what; `null` for all.
 */
export function tellRemoved(kind, id) {
  current.delete(`${kind} ${id}`);
  live.dispatchEvent(new CustomEvent(`${kind}-removed`, { detail: id }));
}

/** Shows what is told after an answer was asked for over that, however late it comes. */
export class Reading {
  constructor() {
    /** What was told since each was asked for that has not come. @type {Set<(() => void)[]>} */
    this.awaited = new Set();
  }

  /** Shows what is told, now and over each of those. @param {() => void} change */
  told(change) {
    for (const changes of this.awaited) changes.push(change);
    change();
  }

  /** @template Value @param {() => Promise<Value>} ask @param {(value: Value) => void} show */
  async read(ask, show) {
    /** @type {(() => void)[]} */
    const changes = [];
    this.awaited.add(changes);
    try {
      show(await ask());
    } finally {
      this.awaited.delete(changes);
    }
    for (const change of changes) change();
  }
}

/** @param {{ data: { message?: Message, hello?: boolean, logs?: string[], asksForLogs?: boolean } }} event */
function hear({ data }) {
  if (data.message && !source && !document.hidden) {
    catchUp();
    take(data.message);
  }
  if (data.logs && source) addLogs(data.logs);
  if (data.asksForLogs && ownLogs.size) channel?.postMessage({ logs: [...ownLogs] });
  if (data.hello && source) for (const message of current.values()) channel?.postMessage({ message });
}

function open() {
  source?.close();
  // It tells nothing of what was before.
  hasMissed = true;
  const url = new URL(apiURL("events"));
  for (const id of allLogs) url.searchParams.append("log", id);
  source = new EventSource(url);
  for (const name of NAMES) {
    source.addEventListener(name, (event) => share({ name, data: event.data ? JSON.parse(event.data) : null }));
  }
  source.addEventListener("open", () => {
    server.dispatchEvent(new Event("answered"));
    catchUp();
  });
  source.addEventListener("error", () => server.dispatchEvent(new Event("doubtful")));
}

function close() {
  hasMissed = true;
  source?.close();
  source = null;
  giveUp?.();
  giveUp = null;
}

/** Reads the stream as soon as no other tab does. */
async function read() {
  if (giveUp || document.hidden || !isStarted) return;
  allLogs.clear();
  for (const id of ownLogs) allLogs.add(id);
  const released = new Promise((/** @type {(value?: void) => void} */ resolve) => (giveUp = resolve));
  if (!navigator.locks) return open();
  const waiting = new AbortController();
  released.then(() => waiting.abort());
  channel?.postMessage({ hello: true });
  await navigator.locks
    .request(NAME, { signal: waiting.signal }, () => {
      open();
      channel?.postMessage({ asksForLogs: true });
      return released;
    })
    .catch(() => {});
}

/** Begins to listen, and goes on whenever the page is seen. */
export function startLive() {
  if (isStarted) return;
  isStarted = true;
  hasMissed = document.hidden;
  read();
}

/** Stops listening: the session has ended. */
export function stopLive() {
  isStarted = false;
  current.clear();
  close();
  live.dispatchEvent(new Event("ended"));
}

channel?.addEventListener("message", hear);
document.addEventListener("visibilitychange", () => (document.hidden ? close() : read()));
addEventListener("pagehide", close);
addEventListener("pageshow", () => read());
// The browser gives up a stream that was refused, as by a proxy whose Sonde was gone.
connection.addEventListener("back", () => {
  if (source && source.readyState !== EventSource.OPEN) open();
});
setInterval(() => {
  if (source?.readyState === EventSource.CLOSED && !isSilent()) open();
}, REOPEN_INTERVAL);
