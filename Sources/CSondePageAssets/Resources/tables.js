// The tables: sorted by the buttons in their headers, and filtered while the reader types.

/** As many rows a table has; a button adds as many. */
const ROWS_AT_ONCE = 1000;

/** As many rows are laid out at once, more than are seen, and printed; the others as soon as there is time. */
const ROWS_IN_SIGHT = 100;

const numeric = { kind: "number", class: "number" };
const ADDRESSES = { ...numeric, header: "Addresses", of: "addresses" };
const HITS = { ...numeric, header: "Hits", of: "hits" };
const SHARE = { ...numeric, header: "Share", of: "hits", class: "number share" };
const COUNTS = [ADDRESSES, HITS, SHARE];
const text = (header, of, extra = {}) => ({ kind: "text", header, of, class: "text", ...extra });
const COUNTRY = text("Country", "countryName", { class: "text country" });
const timeline = (header) => [text(header, "name", { kind: "order" }), HITS, SHARE];

/** Each table's caption, its noun, and its columns. */
const TABLES = {
  country: { caption: "Countries", noun: "country", columns: [text("Country", "name"), text("Code", "key", { class: "code" }), ...COUNTS] },
  network: { caption: "Networks", columns: [text("Network", "key", { kind: "system", class: "network" }), text("Name", "name"), ...COUNTS] },
  city: { caption: "Cities", columns: [text("City", "key"), COUNTRY, ...COUNTS] },
  address: {
    caption: "Addresses",
    columns: [
      text("Address", "key", { kind: "address", class: "address" }),
      COUNTRY,
      text("Network", "networkName"),
      text("City", "cityName", { class: "text city" }),
      HITS,
      SHARE,
      text("First seen", "firstText", { kind: "time", by: "first", class: "text moment" }),
      text("Last seen", "lastText", { kind: "time", by: "last", class: "text moment" }),
    ],
  },
  hour: { caption: "Hours", columns: timeline("Hour") },
  day: { caption: "Days", columns: timeline("Day") },
  status: { caption: "Statuses", columns: [text("Status", "key"), ...COUNTS] },
  source: { caption: "Sources", columns: [text("Source", "key"), ...COUNTS] },
  loss: {
    caption: "Network losses",
    columns: [text("From", "from", { kind: "order" }), text("Until", "to", { kind: "order" }), text("Cause", "cause"), { ...numeric, header: "Seconds", of: "seconds" }],
  },
};

/** An address with all its digits, so that texts stand in the order of addresses: IPv4 first. */
function spelledAddress(address) {
  if (!address.includes(":")) return "4" + address.split(".").map((part) => part.padStart(3, "0")).join("");
  const [head, tail] = address.split("::").map((half) => half.split(":").filter(Boolean));
  const zeros = tail ? Array(Math.max(0, 8 - head.length - tail.length)).fill("0") : [];
  return "6" + [...head, ...zeros, ...(tail ?? [])].map((group) => group.padStart(4, "0")).join("");
}

/** What the rows are ordered by, for each kind of column. */
const ORDERS = {
  number: (values) => values,
  text: (values) => values.map(folded),
  system: (values) => values.map((value) => Number(value.replace(/^\D+/, ""))),
  address: (values) => values.map(spelledAddress),
  order: (values) => values.map((_, row) => row),
  time: (values) => values.map((value) => value ?? Infinity),
};

/** What the texts of numbers are made of. */
const NUMBERS = /^[\d.,%<≥]+$/;

/** One table of the page. */
class Table {
  constructor(data, total, chosen) {
    Object.assign(this, { data, ...TABLES[data.kind] });
    this.chosen = chosen?.canChoose(data.kind) ? chosen : undefined;
    this.count = data[this.columns[0].of].length;
    // Addresses behind the first ones are shown of a choice alone.
    this.leading = data.leading ?? this.count;
    // Only what has no value stands last whatever the order.
    this.hasUnknown = data.key?.[this.count - 1] === "";
    this.all = data.count - (this.hasUnknown ? 1 : 0);
    this.view = { id: "", isAll: true, hits: data.hits, addresses: data.addresses, total, hasTotal: true, isExact: () => true, areExact: () => true };
    this.keys = new Map();
    this.words = [];
    this.limit = ROWS_AT_ONCE;
    this.build();
    this.mark(this.columns.find((column) => column.kind === "order") ?? HITS, this.columns.some((column) => column.kind === "order") ? 1 : -1);
  }

  build() {
    const { caption, columns } = this;
    this.headers = columns.map((column) => {
      const button = element("button", { type: "button" }, column.header);
      button.addEventListener("click", () => this.sort(column));
      return element("th", { scope: "col", class: column.class }, button);
    });
    this.bodies = [element("tbody"), element("tbody")];
    this.title = element("caption", { id: `caption-${this.data.kind}` }, caption);
    this.table = element(
      "table",
      {},
      this.title,
      element("colgroup", {}, ...columns.map((column) => element("col", { class: column.class }))),
      element("thead", {}, element("tr", {}, ...this.headers)),
      ...this.bodies,
    );
    this.note = element("p", { class: "soft" });
    const rows = element("div", { class: "rows", role: "region", tabindex: 0, "aria-labelledby": this.title.id }, this.table);
    this.section = element("section", { class: "table", id: this.data.kind }, rows, this.note);
    this.pattern = element("tr", {}, ...columns.map((column) => element("td", { class: column.class })));
    if (!this.chosen) return;
    this.pattern.firstChild.append(element("button", { type: "button", "aria-pressed": "false" }));
    this.table.addEventListener("click", ({ target }) => {
      const button = target.closest("td button");
      if (button) this.chosen.toggle(this.data.kind, Number(button.dataset.row));
    });
  }

  /** Shows what is chosen in the other tables, and which row is chosen in this one. */
  update({ rows, counter }) {
    const view = counter.view(this.data.kind, rows);
    this.picked = rows.get(this.data.kind);
    if (view.id === this.view.id) return this.press();
    this.view = view;
    for (const column of COUNTS) this.keys.delete(column);
    this.limit = ROWS_AT_ONCE;
    this.order();
  }

  /** Marks the button of the chosen row. */
  press() {
    for (const button of this.table.querySelectorAll("td [aria-pressed=true]")) this.setPressed(button, false);
    const button = this.table.querySelector(`td [data-row="${this.picked}"]`);
    if (button) this.setPressed(button, true);
  }

  setPressed(button, isPressed) {
    button.setAttribute("aria-pressed", isPressed);
    button.closest("tr").classList.toggle("chosen", isPressed);
  }

  /** What a column is ordered by, made once for each view. */
  keysOf(column) {
    if (!this.keys.has(column)) this.keys.set(column, ORDERS[column.kind](this.view[column.of] ?? this.data[column.by ?? column.of]));
    return this.keys.get(column);
  }

  /** Orders by a column: numbers from the most, texts from A; the second time the other way round. */
  sort(column) {
    const isFirst = this.sortedBy !== column;
    this.mark(column, isFirst ? (column.kind === "number" ? -1 : 1) : -this.way);
    this.limit = ROWS_AT_ONCE;
    this.order();
    this.section.firstChild.scrollTop = 0;
  }

  /** Brings the rows that have a hit into their order. */
  order() {
    const { isAll, hits } = this.view;
    const keys = this.keysOf(this.sortedBy);
    const rows = Uint32Array.from({ length: isAll ? this.leading : this.count }, (_, row) => row);
    this.sorted = isAll ? rows : rows.filter((row) => hits[row] > 0);
    const last = this.hasUnknown ? this.count - 1 : -1;
    const names = this.data.key;
    this.sorted.sort((one, other) => {
      if (one === last || other === last) return one === last ? 1 : -1;
      if (keys[one] === keys[other]) return isAll ? one - other : names[one] < names[other] ? -1 : 1;
      return keys[one] < keys[other] ? -this.way : this.way;
    });
    this.render();
  }

  mark(column, way) {
    [this.sortedBy, this.way] = [column, way];
    this.columns.forEach((each, index) => {
      if (each === column) this.headers[index].setAttribute("aria-sort", way > 0 ? "ascending" : "descending");
      else this.headers[index].removeAttribute("aria-sort");
    });
  }

  /** Keeps the rows of which each word stands in a cell. */
  filter(words) {
    if (words.join(" ") === this.words.join(" ")) return;
    this.words = words;
    this.limit = ROWS_AT_ONCE;
    this.render();
  }

  /** What the filter looks into besides numbers, made once. */
  prepare() {
    const { country, countryName } = this.data;
    const columns = this.columns.filter((column) => column.kind !== "number").map((column) => this.data[column.of]);
    if (countryName) columns.push(country);
    this.texts ??= Array.from({ length: this.count }, (_, row) => folded(columns.map((values) => values[row] ?? "").join(" ")));
    return this.texts;
  }

  /** Whether each typed word stands in a cell of a row. */
  matches(row, texts) {
    const numbers = () => this.columns.filter((column) => column.kind === "number").map((column) => this.numberText(column, row)).join(" ");
    return this.words.every((word) => texts[row].includes(word) || (NUMBERS.test(word) && numbers().includes(word)));
  }

  /** The text of a number, which may be more where the page does not hold all. */
  numberText(column, row) {
    const { view } = this;
    const isExact = column === ADDRESSES ? view.areExact(row) : view.isExact(row);
    if (column !== SHARE) return atLeast(grouped((view[column.of] ?? this.data[column.of])[row]), isExact);
    // Of a share of something unknown, or less than can be shown, nothing is known.
    const share = shareText(view.hits[row], view.total);
    return view.hasTotal && (isExact || !share.startsWith("<")) ? atLeast(share, isExact) : "";
  }

  render() {
    const texts = this.words.length ? this.prepare() : undefined;
    const shown = texts ? this.sorted.filter((row) => this.matches(row, texts)) : this.sorted;
    this.found = shown.length;
    this.most = this.view.hits?.reduce((most, number) => Math.max(most, number), 0);
    const [inSight, others] = this.bodies;
    const rowsOf = (from, to) => Array.from(shown.subarray(from, Math.min(to, this.limit)), (row) => this.row(row));
    inSight.replaceChildren(...rowsOf(0, ROWS_IN_SIGHT));
    others.replaceChildren();
    const current = (this.rendering = {});
    whenIdle(() => {
      if (this.rendering !== current) return;
      others.replaceChildren(...rowsOf(ROWS_IN_SIGHT, this.limit));
      this.press();
    });
    this.press();
    // Of what the table has in the page, with its header.
    this.table.setAttribute("aria-rowcount", shown.length + 1);
    this.explain(shown.length);
  }

  row(row) {
    const made = this.pattern.cloneNode(true);
    this.columns.forEach((column, index) => {
      const cell = made.children[index];
      const place = cell.firstChild ?? cell;
      if (place !== cell) place.dataset.row = row;
      if (column.kind === "number") {
        place.textContent = this.numberText(column, row);
        if (column === SHARE) cell.style.setProperty("--part", this.most && this.view.hasTotal ? (this.view.hits[row] / this.most).toFixed(3) : 0);
        return;
      }
      const value = this.data[column.of][row];
      if (value) {
        place.textContent = value;
      } else if (!index || !this.data.key?.[row]) {
        [place.textContent, cell.className] = [index ? "" : "not known", `${column.class} unknown`];
      }
      if (column.header === "Network" && this.data.note?.[row] && value === this.data.note[row]) cell.classList.add("unknown");
    });
    return made;
  }

  /** Says below the table what is not in it. */
  explain(matches) {
    const notes = [];
    if (this.words.length) notes.push(`${grouped(matches)} of ${grouped(this.sorted.length)} match.`);
    notes.push(this.absence());
    this.note.replaceChildren(notes.filter(Boolean).join(" "));
    if (matches > ROWS_IN_SIGHT) {
      const printed = element("span", { class: "printed" }, ` Printed: ${ROWS_IN_SIGHT} of ${grouped(matches)}.`);
      this.note.append(printed);
    }
    const left = matches - this.limit;
    if (left <= 0) return;
    const button = element("button", { type: "button" }, left > ROWS_AT_ONCE ? `Show ${grouped(ROWS_AT_ONCE)} more of ${grouped(left)}` : `Show ${grouped(left)} more`);
    button.addEventListener("click", () => {
      this.limit += ROWS_AT_ONCE;
      this.render();
    });
    this.note.append(button);
  }

  /** How many rows with a value there are. */
  known() {
    if (this.view.isAll) return this.all;
    return this.sorted.length - (this.hasUnknown && this.view.hits[this.count - 1] > 0 ? 1 : 0);
  }

  /** How many rows are not in the page. */
  absence() {
    const { isAll, distinct, isDistinctExact } = this.view;
    if (isAll) {
      const shown = Math.min(this.leading, this.count);
      const absent = this.data.count - shown;
      return absent > 0 ? `The first ${grouped(shown)} of ${grouped(this.data.count)}: ${grouped(absent)} more are not in this page.` : "";
    }
    if (this.data.kind !== "address") return "";
    const shown = this.sorted.reduce((sum, row) => sum + (this.data.key[row] ? this.data.several[row] + 1 : 0), 0);
    const absent = distinct - shown;
    return absent > 0 ? `${grouped(shown)} of ${atLeast(grouped(distinct), isDistinctExact)}: ${atLeast(grouped(absent), isDistinctExact)} more are not in this page.` : "";
  }
}

/** The losses as a table like the others. */
function lossTable(report) {
  const clock = clockOf(report.timeZone);
  const { losses } = report;
  return {
    kind: "loss",
    count: losses.length,
    from: losses.map((loss) => clock.second(loss.from)),
    to: losses.map((loss) => (loss.to === null ? "the end" : clock.second(loss.to))),
    cause: losses.map((loss) => loss.cause),
    seconds: losses.map((loss) => (loss.to ?? report.madeAt) - loss.from),
  };
}

/** Draws all tables into their section. */
function drawTables(section, report, chosen) {
  const losses = report.losses.length ? { loss: lossTable(report) } : {};
  const data = { ...report.tables, ...losses };
  const tables = Object.keys(TABLES).flatMap((kind) => (data[kind] ? new Table(data[kind], report.hits, chosen) : []));
  for (const table of tables) table.order();
  section.querySelector(".tables").append(...tables.map((table) => table.section));
  const counts = tables.map((table) => element("span"));
  const links = tables.map((table, index) => {
    return element("li", {}, element("a", { href: `#${table.data.kind}` }, table.caption), " ", counts[index]);
  });
  section.querySelector(".tools ul").append(...links);
  const found = section.querySelector("[role=status]");
  const filter = section.querySelector("input");
  const apply = () => {
    const words = folded(filter.value).split(/\s+/).filter(Boolean);
    for (const table of tables) table.filter(words);
    tables.forEach((table, index) => (counts[index].textContent = grouped(words.length ? table.found : table.known())));
    found.textContent = words.length ? tables.map((table) => `${table.caption}: ${grouped(table.found)}`).join(", ") : "";
  };
  filter.addEventListener("input", apply);
  chosen?.listeners.push(() => {
    for (const table of tables) if (chosen.counter.counts(table.data.kind)) table.update(chosen);
    apply();
  });
  apply();
  // What the first letter and the first sorting would wait for, a little at a time.
  for (const table of tables) {
    whenIdle(() => table.prepare());
    for (const column of table.columns) whenIdle(() => table.keysOf(column));
  }
}
