// The rows that the reader chose, in the page's address and in the group "Chosen".

/** The text of a row's first cell. */
const rowText = ({ kind, key, name }, row) => (["country", "hour", "day"].includes(kind) ? name[row] || key[row] : key[row]) || "not known";

/** A part of the page's address: what browsers leave as it is stays readable. */
const addressPart = (text) => encodeURIComponent(text).replaceAll("%3A", ":").replaceAll("%2C", ",");

/** The chosen rows, by table; listeners hear of each change. */
class Chosen {
  constructor(report) {
    [this.tables, this.listeners] = [report.tables, []];
    this.counter = new Counter(report);
    this.kinds = ["country", "network", "city", "address", "hour", "day"].filter((kind) => this.counter.counts(kind));
    this.rows = this.read();
    addEventListener("popstate", () => this.set(this.read()));
  }

  /** Whether a table's rows can be chosen. */
  canChoose(kind) {
    return this.kinds.includes(kind);
  }

  /** The rows in the page's address; what it does not know is left out. */
  read() {
    const rows = new Map();
    for (const part of location.hash.slice(1).split("&").filter((part) => part.includes("="))) {
      const [kind, text] = [part.slice(0, part.indexOf("=")), part.slice(part.indexOf("=") + 1)];
      let key;
      try {
        key = decodeURIComponent(text);
      } catch {
        continue;
      }
      const row = this.kinds.includes(kind) ? this.tables[kind].key.indexOf(key) : -1;
      if (row >= 0) rows.set(kind, row);
    }
    return rows;
  }

  /** Chooses a row in place of another one of its table; the same again undoes it. */
  toggle(kind, row) {
    const rows = new Map(this.rows);
    if (rows.get(kind) === row) rows.delete(kind);
    else rows.set(kind, row);
    this.change(rows);
  }

  remove(kind) {
    this.change(without(this.rows, kind));
  }

  clear() {
    if (this.rows.size) this.change(new Map());
  }

  /** Puts a choice into the page's address, so that the way back leads to the one before. */
  change(rows) {
    const ordered = new Map(this.kinds.filter((kind) => rows.has(kind)).map((kind) => [kind, rows.get(kind)]));
    const parts = [...ordered].map(([kind, row]) => `${kind}=${addressPart(this.tables[kind].key[row])}`);
    history.pushState(null, "", parts.length ? `#${parts.join("&")}` : location.href.split("#")[0]);
    this.set(ordered);
  }

  set(rows) {
    this.rows = rows;
    this.tell();
  }

  tell() {
    for (const listener of this.listeners) listener(this);
  }
}

/** Draws the group: each chosen row with a button that removes it, and one that clears all. */
function drawChosen(group, chosen) {
  const [list, clear] = [group.querySelector("ul"), group.querySelector("button")];
  const announced = document.getElementById("announced");
  clear.addEventListener("click", () => chosen.clear());
  addEventListener("keydown", (event) => {
    if (event.key === "Escape" && !(event.target instanceof HTMLInputElement)) chosen.clear();
  });
  let isFirst = true;
  chosen.listeners.push(({ rows, tables, counter }) => {
    const hadFocus = group.contains(document.activeElement);
    list.replaceChildren(...[...rows].map(([kind, row]) => {
      const text = rowText(tables[kind], row);
      const remove = element("button", { type: "button", "aria-label": `Remove ${text}` }, "Remove");
      remove.addEventListener("click", () => chosen.remove(kind));
      return element("li", {}, element("span", { class: "kind" }, `${NOUNS[kind]} `), element("bdi", {}, text), " ", remove);
    }));
    group.hidden = !rows.size;
    document.body.classList.toggle("has-choice", rows.size > 0);
    if (hadFocus) (group.querySelector("li button") ?? document.querySelector("h1")).focus();
    const { hits, addresses, areHitsExact, areExact } = counter.total(rows);
    const counts = rows.size ? `: ${atLeast(counted(hits, "hit"), areHitsExact)}, ${atLeast(counted(addresses, "address"), areExact)}` : "";
    const texts = [...rows].map(([kind, row]) => rowText(tables[kind], row));
    if (!isFirst || rows.size) announced.textContent = rows.size ? `Chosen: ${texts.join(", ")}${counts}` : "Nothing chosen";
    isFirst = false;
  });
}

const NOUNS = { country: "Country", network: "Network", city: "City", address: "Address", hour: "Hour", day: "Day" };

/** Keeps the figures on top of what is chosen. */
function drawFigures(list, chosen) {
  const kinds = { Countries: "country", Networks: "network", Cities: "city" };
  const figures = Array.from(list.querySelectorAll("div"), (box) => {
    const cell = box.querySelector("dd");
    return { kind: kinds[box.querySelector("dt").textContent] ?? box.querySelector("dt").textContent, cell, text: cell.textContent };
  });
  chosen.listeners.push(({ rows, tables, counter }) => {
    const total = counter.total(rows);
    for (const { kind, cell, text } of figures) {
      if (!rows.size) cell.textContent = text;
      else if (kind === "Hits") cell.textContent = atLeast(grouped(total.hits), total.areHitsExact);
      else if (kind === "Addresses") cell.textContent = atLeast(grouped(total.addresses), total.areExact);
      else if (tables[kind]) {
        const view = counter.under(kind, rows);
        const { key } = tables[kind];
        const count = view.hits.reduce((sum, number, row) => sum + (number > 0 && key[row] !== "" ? 1 : 0), 0);
        const isOne = rows.has(kind) && total.hits > 0;
        cell.textContent = atLeast(grouped(isOne ? Number(key[rows.get(kind)] !== "") : count), isOne || view.isWhole);
      }
    }
  });
}
