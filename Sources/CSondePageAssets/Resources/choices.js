// What the reader chose: rows of tables, one at most of each, and how many hits these have in common.

/** A number that is larger where the page does not hold all that it counts. */
const atLeast = (text, isExact) => (isExact ? text : `≥ ${text}`);

/** The chosen rows of all tables but one. */
const without = (chosen, kind) => new Map([...chosen].filter(([each]) => each !== kind));

/** The running sums of differences. */
function summed(differences) {
  let sum = 0;
  return Int32Array.from(differences, (more) => (sum += more));
}

/** Numbers whose least is that of others, which are as many fewer. */
const lessThan = (numbers, fewer) => Float64Array.from(numbers, (number, index) => number - fewer[index]);

/** The combinations of rows with their hits and addresses, as typed arrays. */
class Counter {
  constructor({ tables, choices, hits }) {
    [this.tables, this.hits, this.timeAddresses] = [tables, hits, choices.timeAddresses ?? []];
    const { panels, timeline, rows, shared } = choices;
    this.rows = Object.fromEntries(panels.map((kind, index) => [kind, summed(rows[index])]));
    this.timeline = timeline;
    this.shared = shared.map(([time, addresses, ...combinations]) => ({ time, addresses, combinations }));
    this.combinations = { combination: Uint32Array.from(choices.hits.keys()), hits: Float64Array.from(choices.hits) };
    this.combinations.addresses = lessThan(choices.hits, choices.fewer);
    this.cells = this.cellsOf(choices);
    this.parts = this.partsOf(choices);
    // For each table the rows of which all hits are held here.
    this.whole = {};
    for (const kind of [...panels, ...this.times(), "address"].filter((kind) => tables[kind])) {
      const { hits } = this.sums(kind, new Map(), kind === "address" ? this.parts : this.rows[kind] ? this.combinations : this.cells);
      this.whole[kind] = Uint8Array.from(tables[kind].hits, (number, row) => Number(number === hits[row]));
    }
  }

  /** Whether the hits of a table's rows are known under a choice. */
  counts(kind) {
    return Boolean(this.whole[kind]);
  }

  /** The timelines in the page. */
  times() {
    return this.timeline ? ["hour", "day"].filter((kind) => this.tables[kind]) : [];
  }

  cellsOf({ times = [], time = [], timeHits = [], timeFewer = [] }) {
    const combination = new Uint32Array(time.length);
    let next = 0;
    times.forEach((count, index) => combination.fill(index, next, (next += count)));
    return { combination, time: this.timed(time), hits: Float64Array.from(timeHits), addresses: lessThan(timeHits, timeFewer) };
  }

  partsOf({ parts }) {
    const count = parts.reduce((sum, part) => sum + part.length / 3, 0);
    const made = { combination: new Uint32Array(count), hits: new Float64Array(count), address: new Uint32Array(count) };
    const time = new Int32Array(count);
    let next = 0;
    parts.forEach((part, address) => {
      for (let index = 0; index < part.length; index += 3) {
        [made.combination[next], time[next], made.hits[next]] = part.slice(index, index + 3);
        made.address[next++] = address;
      }
    });
    return { ...made, time: this.timed(time) };
  }

  /** For each timeline the rows at times, which are the rows of one of them. */
  timed(times) {
    const found = {};
    for (const kind of this.times()) {
      const rowOf = new Map(this.tables[kind].key.map((key, row) => [key, row]));
      const isSame = kind === this.timeline;
      const rows = isSame ? null : this.tables[this.timeline].key.map((key) => rowOf.get(key.slice(0, 10)) ?? -1);
      found[kind] = Int32Array.from(times, (time) => (isSame || time < 0 ? time : rows[time]));
    }
    return found;
  }

  /** Which combinations the chosen rows have in common; `null` for all. */
  common(chosen) {
    const kinds = [...chosen.keys()].filter((kind) => this.rows[kind]);
    if (!kinds.length) return null;
    const common = new Uint8Array(this.combinations.hits.length).fill(1);
    for (const kind of kinds) {
      const [rows, wanted] = [this.rows[kind], chosen.get(kind)];
      for (let index = 0; index < common.length; index++) if (rows[index] !== wanted) common[index] = 0;
    }
    return common;
  }

  /** The hits and addresses of a table's rows, of those of `source` that the chosen rows have in common. */
  sums(kind, chosen, source) {
    const common = this.common(chosen);
    const { combination, hits, addresses, address } = source;
    const count = kind ? this.tables[kind].hits.length : 0;
    const made = { hits: new Float64Array(count), addresses: new Float64Array(count), total: 0, distinct: 0 };
    const ownRows = this.rows[kind];
    const rows = kind === "address" ? address : source.time?.[kind];
    const times = this.times().filter((each) => chosen.has(each)).map((each) => [source.time[each], chosen.get(each)]);
    // Of several hours of a day an address may be in each: its combination has at least the most of one.
    let [last, most] = [-1, 0];
    for (let index = 0; index < hits.length; index++) {
      const number = combination[index];
      if (common && !common[number]) continue;
      if (times.some(([rows, wanted]) => rows[index] !== wanted)) continue;
      if (address && chosen.has("address") && address[index] !== chosen.get("address")) continue;
      let more = addresses?.[index] ?? 0;
      if (times.length) {
        const before = number === last ? most : 0;
        [last, most] = [number, Math.max(before, more)];
        more = most - before;
      }
      made.total += hits[index];
      made.distinct += more;
      const row = ownRows ? ownRows[number] : rows ? rows[index] : -1;
      if (row < 0) continue;
      made.hits[row] += hits[index];
      made.addresses[row] += more;
    }
    if (addresses) this.removeShared(made, ownRows, common, chosen);
    return made;
  }

  /** Counts an address once that several combinations have. */
  removeShared(made, rows, common, chosen) {
    const times = this.times().filter((kind) => chosen.has(kind));
    const time = times.length ? chosen.get(this.timeline) : -1;
    for (const { time: sharedAt, addresses, combinations } of this.shared) {
      if (sharedAt !== time) continue;
      const counted = common ? combinations.filter((number) => common[number]) : combinations;
      made.distinct -= Math.max(0, counted.length - 1) * addresses;
      if (!rows) continue;
      const seen = new Set();
      for (const number of counted) {
        if (seen.has(rows[number])) made.addresses[rows[number]] -= addresses;
        seen.add(rows[number]);
      }
    }
  }

  /** Whether the addresses of several times are counted, which may be the same. */
  isLong(chosen) {
    return this.timeline === "hour" && chosen.has("day") && !chosen.has("hour");
  }

  /**
   * What a table shows under a choice: for each row its hits and addresses, and of all rows. The table's own choice
   * leaves its other rows as they are.
   */
  view(kind, chosen) {
    return this.under(kind, without(chosen, kind));
  }

  /** What a table shows of the hits that all chosen rows have in common. */
  under(kind, others) {
    const table = this.tables[kind];
    if (!others.size) {
      return { id: "", isAll: true, isWhole: true, hits: table.hits, addresses: table.addresses, total: this.hits, isExact: () => true, areExact: () => true, hasTotal: true };
    }
    const id = [...others].map((pair) => pair.join()).sort().join(";");
    const made = this.counted(kind, others);
    const isWhole = [...others].some(([each, row]) => this.whole[each]?.[row]);
    const own = this.whole[kind];
    const isExact = (row) => isWhole || Boolean(own?.[row]);
    const sum = this.total(others);
    [made.distinct, made.isDistinctExact] = [sum.addresses, sum.areExact];
    const isLong = this.isLong(others) && !others.has("address");
    const areExact = (row) => isExact(row) && !isLong && !made.isLeast?.(row);
    return { id, isAll: false, isWhole, ...made, total: sum.hits, hasTotal: sum.areHitsExact, isExact, areExact };
  }

  counted(kind, chosen) {
    if (kind === "address") return this.sums(kind, chosen, this.parts);
    if (chosen.has("address")) return this.ofAddress(kind, chosen);
    const isTimed = this.times().some((each) => each === kind || chosen.has(each));
    return this.sums(kind, chosen, isTimed ? this.cells : this.combinations);
  }

  /** The rows of the chosen address, which may stand for several that have become one. */
  ofAddress(kind, chosen) {
    const made = this.sums(kind, chosen, this.parts);
    const address = chosen.get("address");
    const { hits, several, key } = this.tables.address;
    const all = key[address] ? several[address] + 1 : 0;
    const isAll = (row) => made.hits[row] === hits[address];
    made.addresses = made.hits.map((number, row) => (number ? (isAll(row) ? all : Math.min(1, all)) : 0));
    made.isLeast = (row) => all > 1 && !isAll(row);
    return made;
  }

  /** The hits and addresses that all chosen rows have in common. */
  total(chosen) {
    const [first] = chosen;
    if (!first) return { hits: this.hits, addresses: undefined, areHitsExact: true, areExact: true };
    const [kind, row] = first;
    const table = this.tables[kind];
    const isWhole = [...chosen].some(([each, row]) => this.whole[each]?.[row]);
    if (chosen.has("address")) {
      const made = this.sums("", chosen, this.parts);
      const own = this.tables.address;
      const address = chosen.get("address");
      const all = own.key[address] ? own.several[address] + 1 : 0;
      const hits = chosen.size === 1 ? own.hits[address] : made.total;
      const isAll = hits === own.hits[address];
      const isExact = chosen.size === 1 || isWhole;
      return { hits, addresses: hits ? (isAll ? all : Math.min(1, all)) : 0, areHitsExact: isExact, areExact: isExact && (isAll || all < 2) };
    }
    if (chosen.size === 1 && table.addresses) {
      return { hits: table.hits[row], addresses: table.addresses[row], areHitsExact: true, areExact: true };
    }
    const isTimed = this.times().some((each) => chosen.has(each));
    const made = this.sums("", chosen, isTimed ? this.cells : this.combinations);
    const isOne = chosen.size === 1;
    const isTime = isOne && kind === this.timeline;
    return {
      hits: isOne ? table.hits[row] : made.total,
      addresses: isTime ? this.timeAddresses[row] : made.distinct,
      areHitsExact: isOne || isWhole,
      areExact: isTime || (isWhole && !this.isLong(chosen)),
    };
  }
}
