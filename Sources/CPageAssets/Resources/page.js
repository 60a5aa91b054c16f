// Draws the page from the report in it.

const [report, world] = ["report", "outlines"].map((id) => JSON.parse(document.getElementById(id).textContent));

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

if (report.tables.city) spellCities(report.tables.city);
drawPeriod(document.getElementById("period"), report);
drawMap(document.getElementById("map"), report, world);
drawTime(document.getElementById("time"), report);
drawTables(document.getElementById("tables"), report);
document.documentElement.dataset.ready = "";
