// Draws the page from the report in it.

const [report, world] = ["report", "outlines"].map((id) => JSON.parse(document.getElementById(id).textContent));

/** Spells out the counts, which are in the page as what a row has more than the one before, and fewer addresses than hits. */
function spellCounts(table) {
  let sum = 0;
  table.hits = table.hits.map((more) => (sum += more));
  table.addresses = table.addresses?.map((fewer, row) => table.hits[row] - fewer);
}

/** Spells out the networks' keys, which are in the page as numbers. */
function spellNetworks(network) {
  network.key = network.key.map((key) => (typeof key === "number" ? `AS${key}` : key));
}

/** Spells out the cities: what stands behind many names, `, California, US`, is in the page once. */
function spellCities(city) {
  city.key = city.name.map((name, row) => name + city.regions[city.region[row]][0]);
  city.country = city.region.map((region) => city.regions[region][1]);
}

/** The moment or moments that the report is of, below its title. */
function drawPeriod(line, { period, madeAt, timeZone }) {
  const clock = clockOf(timeZone);
  const made = `Made ${clock.minute(madeAt)} (${clock.zone})`;
  line.textContent = period ? `${clock.minute(period[0])} – ${clock.minute(period[1])} (${clock.zone}). ${made}` : made;
}

Object.values(report.tables).forEach(spellCounts);
if (report.tables.network) spellNetworks(report.tables.network);
if (report.tables.city) spellCities(report.tables.city);
drawPeriod(document.getElementById("period"), report);
drawMap(document.getElementById("map"), report, world);
drawTime(document.getElementById("time"), report);
drawTables(document.getElementById("tables"), report);
document.documentElement.dataset.ready = "";
