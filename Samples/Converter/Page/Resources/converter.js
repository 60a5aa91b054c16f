// The converter's page: asks the server that it came from, and is told of rates and of the network by one stream.

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
  if (answer.status === 401) close();
  const said = answer.status === 204 ? null : await answer.json().catch(() => null);
  return { status: answer.status, said };
}

/** Says whether the server is there. @param {boolean} isThere */
const showConnection = (isThere) => showAlert(byID("connection"), "Error", isThere ? null : "Converter does not answer");

// The rates, and how they are

const PLACES = ["above", "below"];
/** @type {Record<string, string>} */
const NAMES = { RUB: "Russian rouble", CNY: "Chinese yuan", EUR: "Euro", USD: "US dollar" };

/** @type {{ phase: string, reason: string | null, fetched_at: number | null, rows: any[] }} */
let rates = { phase: "loading", reason: null, fetched_at: null, rows: [] };
let isLost = false;
/** What is converted into what. @type {Record<string, string>} */
const chosen = { above: "USD", below: "RUB" };

const hasRate = (/** @type {string} */ code) => rates.rows.some((row) => row.code === code && row.roubles !== null);

/** @param {string} code */
function flag(code) {
  const image = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  image.setAttribute("class", "flag");
  image.setAttribute("aria-hidden", "true");
  const use = document.createElementNS("http://www.w3.org/2000/svg", "use");
  use.setAttribute("href", `#flag-${code}`);
  image.append(use);
  return image;
}

/** A decimal with its thousands grouped. @param {string} number */
const grouped = (number) => number.replace(/\B(?<!\..*)(?=(\d{3})+(?!\d))/g, ",");

/** What a row says of a rate. @param {any} row */
function rateWords(row) {
  if (row.roubles === null) return ["No rate"];
  if (!row.source) return ["1 RUB"];
  return [`${grouped(row.roubles)} RUB`, `${row.source}, ${row.date ?? "of an unknown day"}`];
}

function showRates() {
  const age = rates.fetched_at === null ? null : Math.max(0, Math.floor((Date.now() - rates.fetched_at) / 60_000));
  const rows = rates.rows.map((row) => {
    const [rate, source] = rateWords(row);
    const item = element("li", { "aria-label": row.code }, flag(row.code), element("b", {}, row.code), " ");
    item.append(element("span", { class: "name" }, NAMES[row.code] ?? ""), " ", element("span", { class: "rate" }, rate));
    if (source) item.append(" ", element("span", { class: "source" }, source));
    if (isLost && age !== null) item.append(" ", element("span", { class: "age" }, `${age} min old`));
    return item;
  });
  byID("rates").replaceChildren(...rows);
}

function showStatus() {
  /** @type {Record<string, string>} */
  const words = { loading: "Data is being loaded", loaded: "Data is loaded", failed: "Error loading data" };
  const reason = rates.phase === "failed" && rates.reason ? `: ${rates.reason}` : "";
  const text = words[rates.phase] + reason;
  const status = byID("status");
  if (status.textContent !== text) {
    status.replaceChildren(text);
    status.className = `soft ${rates.phase}`;
    if (rates.phase === "loading") status.append(element("progress", { "aria-label": "Loading" }));
  }
  byID("try-again").hidden = rates.phase !== "failed";
}

/** @param {any} network */
function showNetwork(network) {
  isLost = network.state === "offline";
  const where = network.interface ? ` (${network.interface})` : "";
  const since = new Date(network.since).toLocaleTimeString("en-GB");
  const cause = (network.cause ?? "unknown").replaceAll("_", " ");
  showAlert(byID("network"), "Network", isLost ? `Network lost: ${cause}${where} since ${since}` : null);
  showRates();
}

// Converting

/** The amount that was typed last, and so what the other one follows from. */
let source = "above";
/** The decimal sign that was typed last. @type {string | null} */
let sign = null;
let turn = 0;

/** @param {string} place */
const other = (place) => (place === "above" ? "below" : "above");
/** @param {string} place */
const field = (place) => byID(`amount-${place}`);

/** Says what is wrong with an amount. @param {string | null} text @param {boolean} isInvalid */
function showProblem(text, isInvalid = false) {
  showAlert(byID("problem"), "Error", text);
  for (const place of PLACES) field(place).toggleAttribute("aria-invalid", false);
  if (isInvalid) field(source).setAttribute("aria-invalid", "true");
}

/** Recalculates one amount from the other. @param {string} from */
async function convert(from) {
  source = from;
  const own = (turn += 1);
  const amount = field(from).value;
  if (amount.trim() === "") {
    field(other(from)).value = "";
    return showProblem(null);
  }
  let answer;
  try {
    answer = await ask("POST", "conversions", { amount, from: chosen[from], to: chosen[other(from)], sign });
  } catch {
    return showConnection(false);
  }
  if (own !== turn) return;
  const { status, said } = answer;
  if (status === 401) return;
  field(other(from)).value = said?.amount ?? "";
  if (said?.sign) sign = said.sign;
  const isMissing = said?.type === "urn:sonde:no-rate";
  if (status === 200) showProblem(null);
  // Before there are rates the status says so.
  else if (isMissing) showProblem(rates.fetched_at === null ? null : said.title);
  else showProblem("Not an amount", true);
}

/** What one of a currency is in roubles, or NaN. @param {string} code */
const roubles = (code) => (code === "RUB" ? 1 : Number(rates.rows.find((row) => row.code === code)?.roubles ?? NaN));

/** Shows what one of the dearer currency is in the other. */
async function showUnit() {
  const [from, to] = roubles(chosen.above) < roubles(chosen.below) ? ["below", "above"] : ["above", "below"];
  const pair = { from: chosen[from], to: chosen[to] };
  let amount = null;
  if (!Number.isNaN(roubles(pair.from) + roubles(pair.to))) {
    amount = (await ask("POST", "conversions", { amount: "1", ...pair, sign }).catch(() => null))?.said?.amount;
  }
  // Another choice may have been made meanwhile.
  if (chosen[from] === pair.from && chosen[to] === pair.to) byID("unit").textContent = amount ? `1 ${pair.from} = ${amount} ${pair.to}` : "";
}

// Choosing

function showChosen() {
  for (const place of PLACES) {
    const code = chosen[place];
    const button = byID(`currency-${place}`);
    button.replaceChildren(flag(code), code);
    button.setAttribute("aria-label", `Currency ${place}: ${code}`);
    const options = ["RUB", "CNY", "EUR", "USD"].map((each) =>
      element(
        "div",
        {
          role: "option",
          id: `${place}-${each}`,
          "aria-label": each,
          "aria-selected": String(each === code),
          ...(each === "RUB" || hasRate(each) ? {} : { "aria-disabled": "true" }),
        },
        flag(each),
        each,
      ),
    );
    byID(`list-${place}`).replaceChildren(...options);
    byID(`list-${place}`).setAttribute("aria-activedescendant", `${place}-${code}`);
  }
  showUnit();
}

/** @param {string} place @param {Element | null | undefined} option */
function choose(place, option) {
  if (!option || option.getAttribute("aria-disabled")) return;
  chosen[place] = option.getAttribute("aria-label") ?? "";
  showChosen();
  convert("above");
}

/** @param {string} place @param {KeyboardEvent} event */
function chooseByKey(place, event) {
  const options = [...byID(`list-${place}`).children].filter((each) => !each.hasAttribute("aria-disabled"));
  const now = options.findIndex((each) => each.getAttribute("aria-selected") === "true");
  const last = options.length - 1;
  /** @type {Record<string, number>} */
  const moves = { ArrowDown: Math.min(now + 1, last), ArrowUp: Math.max(now - 1, 0), Home: 0, End: last };
  const letter = options.find((each) => each.textContent?.startsWith(event.key.toUpperCase()));
  if (!(event.key in moves) && !letter) return;
  event.preventDefault();
  choose(place, event.key in moves ? options[moves[event.key]] : letter);
}

for (const place of PLACES) {
  const list = byID(`list-${place}`);
  field(place).addEventListener("input", () => convert(place));
  list.addEventListener("click", (/** @type {any} */ event) => choose(place, event.target.closest("[role=option]")));
  list.addEventListener("keydown", (/** @type {KeyboardEvent} */ event) => chooseByKey(place, event));
  byID(`currency-${place}`).addEventListener("click", () => {
    // Not modal: what is chosen shows at once beside it.
    byID("choosing").show();
    list.focus();
  });
}
byID("swap").addEventListener("click", () => {
  [chosen.above, chosen.below] = [chosen.below, chosen.above];
  showChosen();
  convert("above");
});
byID("done").addEventListener("click", () => byID("choosing").close());
byID("choosing").addEventListener("keydown", (/** @type {KeyboardEvent} */ event) => event.key === "Escape" && byID("choosing").close());
byID("form").addEventListener("submit", (/** @type {Event} */ event) => event.preventDefault());
byID("try-again").addEventListener("click", () => ask("POST", "rates").catch(() => showConnection(false)));

// The session, and the stream

/** @type {EventSource | null} */
let stream = null;
/** When the rates were asked for that amounts were last converted by. @type {number | null} */
let converted = null;
let isOpen = false;

function listen() {
  stream?.close();
  stream = null;
  if (!isOpen || document.hidden) return;
  stream = new EventSource("api/v1/events");
  stream.addEventListener("open", () => showConnection(true));
  stream.addEventListener("error", () => {
    showConnection(false);
    // The browser gives up one that was refused: perhaps the session is over.
    if (stream?.readyState === EventSource.CLOSED) {
      ask("GET", "session").catch(() => {});
      setTimeout(listen, 1000);
    }
  });
  stream.addEventListener("network", (event) => showNetwork(JSON.parse(event.data)));
  stream.addEventListener("rates", (event) => {
    rates = JSON.parse(event.data);
    showRates();
    showStatus();
    showChosen();
    if (rates.fetched_at !== converted) convert(source);
    converted = rates.fetched_at;
  });
}

function show() {
  byID("open").hidden = byID("log-out").hidden = !isOpen;
  byID("closed").hidden = isOpen;
  listen();
}

/** There is no session. */
function close() {
  isOpen = false;
  showConnection(true);
  showAlert(byID("network"), "Network", null);
  byID("choosing").close();
  show();
}

/** Opens the session by the link's token, which leaves the address at once; else looks whether there is one. */
async function enter() {
  const token = location.hash.match(/^#open=(.+)$/)?.[1];
  if (token) history.replaceState(null, "", location.pathname + location.search);
  try {
    const opened = token ? await ask("POST", "session", { link: token }) : null;
    const fault = opened?.status === 410 ? "This link was used or has expired. Run: Samples/try.sh converter" : null;
    showAlert(byID("fault"), "Error", fault);
    isOpen = (await ask("GET", "session")).status === 200;
  } catch {
    showConnection(false);
    setTimeout(enter, 1000);
    return;
  }
  show();
}

byID("log-out").addEventListener("click", () => ask("DELETE", "session").then(close, () => showConnection(false)));
startThemeSwitch(byID("theme"));
addEventListener("hashchange", enter);
document.addEventListener("visibilitychange", listen);
addEventListener("pagehide", () => stream?.close());
addEventListener("pageshow", (event) => event.persisted && listen());
setInterval(() => isLost && showRates(), 5000);

showChosen();
showStatus();
enter();
