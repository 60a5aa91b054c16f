// The gallery's page: asks the server that it came from, and is told of the list and of the network by one stream.

import { startThemeSwitch } from "./theme-switch.js";

/** @param {string} id */
const byID = (id) => /** @type {any} */ (document.getElementById(id));

/** @param {string} name @param {Record<string, string>} attributes @param {(string | Node)[]} children */
function element(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
}

/** Shows an alert, or none; the same one is not said again. @param {Element} place @param {string} name @param {string | null} text */
function showAlert(place, name, text) {
  if (place.textContent === (text ?? "")) return;
  place.replaceChildren(...(text ? [element("p", { role: "alert", "aria-label": name, class: name === "Network" ? "banner" : "error" }, text)] : []));
}

// Asking

/** Asks the server. @param {string} method @param {string} path @param {object} [body] */
async function ask(method, path, body) {
  const answer = await fetch(`api/v1/${path}`, {
    method,
    ...(body && { body: JSON.stringify(body), headers: { "Content-Type": "application/json" } }),
  });
  const said = answer.status === 204 ? null : await answer.json().catch(() => null);
  if (answer.status === 401 && said?.type !== "urn:sonde:credentials") leave();
  return { status: answer.status, said };
}

/** Says whether the server is there. @param {boolean} isThere */
const showConnection = (isThere) => showAlert(byID("connection"), "Error", isThere ? null : "Gallery does not answer");

/** Sends a form once at a time, and tells what is wrong with it. @param {HTMLFormElement} form @param {string} path @param {object} body */
async function send(form, path, body) {
  const button = /** @type {HTMLElement} */ (form.querySelector("[type=submit]"));
  if (button.getAttribute("aria-busy")) return null;
  const fault = /** @type {Element} */ (form.querySelector(".fault"));
  showAlert(fault, "Error", null);
  button.setAttribute("aria-busy", "true");
  try {
    const answer = await ask("POST", path, body);
    if (answer.status < 300) return answer;
    showAlert(fault, "Error", answer.said?.detail ?? answer.said?.title ?? `Error ${answer.status}`);
  } catch {
    showConnection(false);
  } finally {
    button.removeAttribute("aria-busy");
  }
  return null;
}

// Views

let isOpen = false;

function show() {
  const view = isOpen ? "pictures" : location.hash === "#register" ? "register" : "log-in";
  for (const each of ["pictures", "register", "log-in"]) byID(each).hidden = each !== view;
  byID("log-out").hidden = !isOpen;
  for (const place of document.querySelectorAll(".fault")) showAlert(place, "Error", null);
  document.title = view === "pictures" ? "Gallery" : byID(view).querySelector("h1").textContent + " – Gallery";
  listen();
}

/** What the log-in says when it is next shown. */
let note = "";

/** Says something above the form of the log-in. @param {string} text */
const showNote = (text) => byID("log-in").querySelector("[role=status]").replaceChildren(text);

/** There is no session. */
function leave() {
  isOpen = false;
  version = null;
  byID("adding").close();
  byID("viewing").close();
  byID("list").replaceChildren();
  showConnection(true);
  showAlert(byID("network"), "Network", null);
  show();
}

/** @param {string} id @param {(form: any) => Promise<void>} work */
function onSubmit(id, work) {
  const form = byID(id).querySelector("form");
  form.addEventListener("submit", (/** @type {Event} */ event) => {
    event.preventDefault();
    work(form);
  });
}

onSubmit("log-in", async (form) => {
  const [email, password] = [form.email.value, form.password.value];
  if (!(await send(form, "session", { email, password }))) return;
  form.reset();
  showNote("");
  isOpen = true;
  show();
});

onSubmit("register", async (form) => {
  const [email, password] = [form.email.value, form.password.value];
  if (!(await send(form, "users", { email, password }))) return;
  form.reset();
  byID("log-in").querySelector("form").email.value = email;
  note = "Registered. Please log in.";
  location.hash = "#log-in";
});

byID("log-out").addEventListener("click", () => ask("DELETE", "session").then(leave, () => showConnection(false)));
addEventListener("hashchange", () => {
  showNote(note);
  note = "";
  show();
  [...document.querySelectorAll("input")].find((each) => each.checkVisibility() && !each.value)?.focus();
});

// The pictures

/** What of the list is shown. @type {number | null} */
let version = null;

/** A picture with its author. @param {string} path @param {any} picture @param {Node[]} controls */
function item(path, picture, ...controls) {
  const image = element("img", { src: path, alt: picture.author, decoding: "async" });
  if (picture.width) {
    image.setAttribute("width", picture.width);
    image.setAttribute("height", picture.height);
  }
  const author = element("p", {}, element("span", {}, picture.author), ...controls);
  const button = element("button", { type: "button", class: "picture" }, image);
  button.addEventListener("click", () => enlarge(path, picture.author));
  return element("li", { "data-path": path, "aria-label": picture.author }, button, author);
}

/** Opens a picture large. @param {string} path @param {string} author */
function enlarge(path, author) {
  const dialog = byID("viewing");
  dialog.setAttribute("aria-label", author);
  dialog.querySelector("span").textContent = author;
  byID("large").alt = author;
  byID("large").src = path;
  dialog.showModal();
}

byID("close").addEventListener("click", () => byID("viewing").close());
// Beside the picture, too.
byID("viewing").addEventListener("click", (/** @type {Event} */ event) => event.target === byID("viewing") && byID("viewing").close());
byID("viewing").addEventListener("close", () => byID("large").removeAttribute("src"));

/** Asks for pictures that did not come. */
function loadImages() {
  for (const image of byID("list").querySelectorAll("img")) {
    if (image.complete && !image.naturalWidth) image.setAttribute("src", image.getAttribute("src") ?? "");
  }
}

/** Shows items in this order; those that are there already stay as they are. @param {Element[]} items */
function showItems(items) {
  const list = byID("list");
  const shown = new Map([...list.children].map((each) => [each.dataset.path, each]));
  list.replaceChildren(...items.map((/** @type {any} */ each) => shown.get(each.dataset.path) ?? each));
}

/** @param {any} picture */
function savedItem(picture) {
  const button = element("button", { type: "button", class: "small" }, "Remove");
  button.addEventListener("click", () => {
    byID("add").focus();
    ask("DELETE", `saved/${picture.id}`).then(showPictures, () => showConnection(false));
  });
  return item(`picture/saved/${picture.id}`, picture, button);
}

let turn = 0;

async function showPictures() {
  const own = (turn += 1);
  try {
    const [saved, listed] = await Promise.all([ask("GET", "saved"), ask("GET", "pictures")]);
    if (own !== turn || !isOpen || saved.status !== 200 || listed.status !== 200) return;
    const first = saved.said.items.map(savedItem);
    showItems([...first, ...listed.said.items.map((/** @type {any} */ each) => item(`picture/${each.id}`, each))]);
    byID("more").hidden = !listed.said.more;
  } catch {
    showConnection(false);
  }
}

/** @param {any} list */
function showState(list) {
  /** @type {Record<string, string>} */
  const words = { loading: "Data is being loaded", loaded: "Data is loaded", failed: "Error loading data" };
  const text = words[list.phase] + (list.reason ? `: ${list.reason}` : "");
  const status = byID("status");
  if (status.textContent !== text) {
    status.replaceChildren(text);
    status.className = `soft ${list.phase}`;
    if (list.phase === "loading") status.append(element("progress", { "aria-label": "Loading" }));
  }
  byID("try-again").hidden = list.phase !== "failed";
  byID("more").toggleAttribute("aria-busy", false);
  if (list.phase === "loading") byID("more").setAttribute("aria-busy", "true");
  if (list.version !== version) showPictures();
  version = list.version;
}

/** @param {any} network */
function showNetwork(network) {
  const isLost = network.state === "offline";
  const where = network.interface ? ` (${network.interface})` : "";
  const since = new Date(network.since).toLocaleTimeString("en-GB");
  const cause = (network.cause ?? "unknown").replaceAll("_", " ");
  showAlert(byID("network"), "Network", isLost ? `Network lost: ${cause}${where} since ${since}` : null);
  if (!isLost) loadImages();
}

byID("more").addEventListener("click", () => ask("POST", "pictures/more").catch(() => showConnection(false)));
byID("try-again").addEventListener("click", () => {
  loadImages();
  ask("POST", "pictures/retry").catch(() => showConnection(false));
});

// Adding

const adding = byID("adding");
byID("add").addEventListener("click", () => {
  showAlert(adding.querySelector(".fault"), "Error", null);
  adding.querySelector("form").reset();
  adding.showModal();
});
byID("cancel").addEventListener("click", () => adding.close());
onSubmit("adding", async (form) => {
  const [author, url] = [form.author.value, form.url.value];
  if (!(await send(form, "saved", { author, url }))) return;
  adding.close();
  showPictures();
});

// The stream

/** @type {EventSource | null} */
let stream = null;

function listen() {
  if (stream && isOpen && !document.hidden) return;
  stream?.close();
  stream = null;
  if (!isOpen || document.hidden) return;
  stream = new EventSource("api/v1/events");
  stream.addEventListener("open", () => {
    showConnection(true);
    showPictures();
  });
  stream.addEventListener("error", () => {
    showConnection(false);
    // The browser gives up one that was refused: perhaps the session is over.
    if (stream?.readyState === EventSource.CLOSED) {
      stream = null;
      ask("GET", "session").catch(() => {});
      setTimeout(listen, 1000);
    }
  });
  stream.addEventListener("network", (event) => showNetwork(JSON.parse(event.data)));
  stream.addEventListener("list", (event) => showState(JSON.parse(event.data)));
  stream.addEventListener("saved", showPictures);
}

document.addEventListener("visibilitychange", listen);
addEventListener("pagehide", () => {
  stream?.close();
  stream = null;
});
addEventListener("pageshow", (event) => event.persisted && listen());

/** Looks whether there is a session. */
async function enter() {
  try {
    isOpen = (await ask("GET", "session")).status === 200;
    showConnection(true);
    show();
  } catch {
    showConnection(false);
    setTimeout(enter, 1000);
  }
}

startThemeSwitch(byID("theme"));
enter();
