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
function spellCities(city, countryName) {
  city.key = city.name.map((name, row) => name + city.regions[city.region[row]][0]);
  city.country = city.region.map((region) => city.regions[region][1]);
  city.countryName = city.country.map(countryName);
}

/** Spells out the addresses: their rows in other tables, and their times. */
function spellAddresses({ tables, choices, timeZone }, counter) {
  const { address, country, network, city } = tables;
  const clock = clockOf(timeZone);
  const rowOf = (kind, index) => counter?.rows[kind]?.[choices.home[index]] ?? -1;
  const texts = (kind, text) => address.key.map((_, index) => (rowOf(kind, index) < 0 ? "" : text(rowOf(kind, index))));
  const note = address.note ?? address.name;
  address.country = texts("country", (row) => country.key[row]);
  address.countryName = texts("country", (row) => country.name[row] || country.key[row]);
  address.networkName = texts("network", (row) => `${network.key[row]} ${network.name[row]}`.trim()).map((name, index) => name || note[index]);
  address.cityName = texts("city", (row) => city.name[row]);
  address.first ??= address.key.map(() => null);
  address.last = address.last?.map((length, index) => (length === null ? null : address.first[index] + length)) ?? address.first;
  address.firstText = address.first.map((moment) => (moment === null ? "" : clock.second(moment)));
  address.lastText = address.last.map((moment) => (moment === null ? "" : clock.second(moment)));
}

/** Names countries by their codes. */
function namerOf(country) {
  const names = new Map(country?.key.map((code, row) => [code, country.name[row]]));
  return (code) => names.get(code) || code;
}

/** Brings what a link of the page leads to into sight, and leaves the page's address to what is chosen. */
function followLinks() {
  document.addEventListener("click", (event) => {
    const link = event.target.closest?.('a[href^="#"]');
    const place = link && document.querySelector(link.getAttribute("href"));
    if (!place) return;
    event.preventDefault();
    place.scrollIntoView();
    place.setAttribute("tabindex", -1);
    place.focus({ preventScroll: true });
  });
}

/** The moment or moments that the report is of, below its title. */
function drawPeriod(line, { period, madeAt, timeZone }) {
  const clock = clockOf(timeZone);
  const made = `Made ${clock.minute(madeAt)} (${clock.zone})`;
  line.textContent = period ? `${clock.minute(period[0])} – ${clock.minute(period[1])} (${clock.zone}). ${made}` : made;
}

Object.values(report.tables).forEach(spellCounts);
const { country, network, city, address } = report.tables;
if (network) spellNetworks(network);
if (city) spellCities(city, namerOf(country));
const chosen = report.choices ? new Chosen(report) : undefined;
if (address) spellAddresses(report, chosen?.counter);
drawPeriod(document.getElementById("period"), report);
if (chosen) {
  drawChosen(document.getElementById("chosen"), chosen);
  drawFigures(document.querySelector(".figures"), chosen);
}
drawMap(document.getElementById("map"), report, world, chosen);
drawTime(document.getElementById("time"), report, chosen);
drawTables(document.getElementById("tables"), report, chosen);
followLinks();
if (chosen?.rows.size) chosen.tell();
document.documentElement.dataset.ready = "";
