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
const timeline = (header) => [text(header, "name", { kind: "order" }), HITS, SHARE];

/** Each table's caption, its noun, and its columns. */
const TABLES = {
  country: { caption: "Countries", noun: "country", columns: [text("Country", "name"), text("Code", "key", { class: "code" }), ...COUNTS] },
  network: { caption: "Networks", columns: [text("Network", "key", { kind: "system", class: "network" }), text("Name", "name"), ...COUNTS] },
  city: { caption: "Cities", columns: [text("City", "key"), ...COUNTS] },
  address: { caption: "Addresses", columns: [text("Address", "key", { kind: "address", class: "address" }), text("Place and network", "name"), HITS, SHARE] },
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
};

/** One table of the page. */
class Table {
  constructor(data, total) {
    Object.assign(this, { data, total, ...TABLES[data.kind] });
    this.count = data[this.columns[0].of].length;
    this.sorted = Uint32Array.from({ length: this.count }, (_, row) => row);
    // Only what has no value stands last whatever the order.
    this.hasUnknown = data.key?.[this.count - 1] === "";
    this.all = data.count - (this.hasUnknown ? 1 : 0);
    this.most = data.hits?.reduce((most, number) => Math.max(most, number), 0);
    this.keys = new Map();
    this.needle = "";
    this.limit = ROWS_AT_ONCE;
    this.build();
    this.mark(this.columns.find((column) => column.kind === "order") ?? HITS, this.columns.some((column) => column.kind === "order") ? 1 : -1);
    this.render();
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
  }

  /** What a column is ordered by, made once. */
  keysOf(column) {
    if (!this.keys.has(column)) this.keys.set(column, ORDERS[column.kind](this.data[column.of]));
    return this.keys.get(column);
  }

  /** Orders by a column: numbers from the most, texts from A; the second time the other way round. */
  sort(column) {
    const isFirst = this.sortedBy !== column;
    const way = isFirst ? (column.kind === "number" ? -1 : 1) : -this.way;
    const keys = this.keysOf(column);
    const last = this.hasUnknown ? this.count - 1 : -1;
    const compare = (one, other) => {
      if (one === last || other === last) return one === last ? 1 : -1;
      if (keys[one] === keys[other]) return one - other;
      return keys[one] < keys[other] ? -way : way;
    };
    this.sorted.sort(compare);
    this.mark(column, way);
    this.limit = ROWS_AT_ONCE;
    this.render();
    this.section.firstChild.scrollTop = 0;
  }

  mark(column, way) {
    [this.sortedBy, this.way] = [column, way];
    this.columns.forEach((each, index) => {
      if (each === column) this.headers[index].setAttribute("aria-sort", way > 0 ? "ascending" : "descending");
      else this.headers[index].removeAttribute("aria-sort");
    });
  }

  /** Keeps the rows that have a text in them. */
  filter(needle) {
    if (needle === this.needle) return;
    this.needle = needle;
    this.limit = ROWS_AT_ONCE;
    this.render();
  }

  /** What the filter looks into, made once. */
  prepare() {
    const texts = this.columns.filter((column) => column.kind !== "number").map((column) => this.data[column.of]);
    this.texts ??= Array.from({ length: this.count }, (_, row) => folded(texts.map((values) => values[row]).join(" ")));
    return this.texts;
  }

  render() {
    const texts = this.needle && this.prepare();
    const shown = this.needle ? this.sorted.filter((row) => texts[row].includes(this.needle)) : this.sorted;
    this.matches = shown.length;
    const rows = Array.from(shown.subarray(0, this.limit), (row) => this.row(row));
    const [inSight, others] = this.bodies;
    inSight.replaceChildren(...rows.slice(0, ROWS_IN_SIGHT));
    others.hidden = true;
    others.replaceChildren(...rows.slice(ROWS_IN_SIGHT));
    whenIdle(() => (others.hidden = false));
    // Of what the table has in the page, with its header.
    this.table.setAttribute("aria-rowcount", shown.length + 1);
    this.explain(shown.length);
  }

  row(row) {
    const made = this.pattern.cloneNode(true);
    this.columns.forEach((column, index) => {
      const cell = made.children[index];
      const value = this.data[column.of][row];
      if (column === SHARE) {
        cell.textContent = shareText(value, this.total);
        cell.style.setProperty("--part", this.most ? (value / this.most).toFixed(3) : 0);
      } else if (column.kind === "number") {
        cell.textContent = grouped(value);
      } else if (value) {
        cell.textContent = value;
      } else if (!index || !this.data.key?.[row]) {
        [cell.textContent, cell.className] = [index ? "" : "not known", `${column.class} unknown`];
      }
    });
    return made;
  }

  /** Says below the table what is not in it. */
  explain(matches) {
    const notes = [];
    const absent = this.data.count - this.count;
    if (this.needle) notes.push(`${grouped(matches)} of ${grouped(this.count)} match.`);
    if (absent > 0) notes.push(`The first ${grouped(this.count)} of ${grouped(this.data.count)}: ${grouped(absent)} more are not in this page.`);
    this.note.replaceChildren(notes.join(" "));
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
function drawTables(section, report) {
  const losses = report.losses.length ? { loss: lossTable(report) } : {};
  const data = { ...report.tables, ...losses };
  const tables = Object.keys(TABLES).flatMap((kind) => (data[kind] ? new Table(data[kind], report.hits) : []));
  section.querySelector(".tables").append(...tables.map((table) => table.section));
  const counts = tables.map((table) => element("span"));
  const links = tables.map((table, index) => {
    return element("li", {}, element("a", { href: `#${table.data.kind}` }, table.caption), " ", counts[index]);
  });
  section.querySelector(".tools ul").append(...links);
  const found = section.querySelector("[role=status]");
  const filter = section.querySelector("input");
  const apply = () => {
    const needle = folded(filter.value.trim());
    for (const table of tables) table.filter(needle);
    tables.forEach((table, index) => (counts[index].textContent = grouped(needle ? table.matches : table.all)));
    found.textContent = needle ? tables.map((table) => `${table.caption}: ${grouped(table.matches)}`).join(", ") : "";
  };
  filter.addEventListener("input", apply);
  apply();
  // What the first letter and the first sorting would wait for, a little at a time.
  for (const table of tables) {
    whenIdle(() => table.prepare());
    for (const column of table.columns) whenIdle(() => table.keysOf(column));
  }
}
