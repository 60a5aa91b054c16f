"""Measures the page of a summary of half a million addresses in a browser; prints rows of Markdown.

    /usr/bin/python3 Tests/Benchmarks/page.py SONDE [ADDRESSES]

Needs chromium-headless-shell, chromium-driver and python3-selenium. The records are as many networks, cities and countries
as half a million addresses of all the world have.
"""

import json
import random
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

TESTS = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(TESTS / "Blackbox"))

from browser import Browser  # noqa: E402

RUNS = 5
OUTLINES = TESTS.parent / "Sources/CSondePageAssets/Resources/outlines.json"

# Presses each header of each table, and times each until what is to be seen has been laid out.
SORT = """
  const times = [];
  for (const button of document.querySelectorAll("th button")) {
    const start = performance.now();
    button.click();
    button.closest("table").getBoundingClientRect();
    times.push(performance.now() - start);
  }
  return times;
"""

FILTER = """
  const filter = document.getElementById("filter");
  const times = [];
  for (const text of ["b", "be", "ber", ""]) {
    filter.value = text;
    const start = performance.now();
    filter.dispatchEvent(new Event("input"));
    document.body.getBoundingClientRect();
    times.push(performance.now() - start);
  }
  return times;
"""

# Chooses a row of each table and undoes it, and times each until what is to be seen has been laid out.
CHOOSE = """
  const times = [];
  for (const kind of ["country", "network", "city", "address", "hour"]) {
    for (let press = 0; press < 2; press++) {
      const button = document.querySelector(`#${kind} td button`);
      if (!button) continue;
      const start = performance.now();
      button.click();
      document.body.getBoundingClientRect();
      times.push(performance.now() - start);
    }
  }
  return times;
"""

LOADED = "return performance.getEntriesByType('navigation')[0].loadEventEnd"


def cities(chance, count):
    """Cities in countries, a few regions in each."""
    points = json.loads(OUTLINES.read_text())["points"]
    syllables = "ba ber do fen gra hil ko lan mar nor os pol ras stad ton ville".split()
    for _ in range(count):
        code, (longitude, latitude) = chance.choice(list(points.items()))
        yield {
            "country_code": code,
            "country": f"Country {code}",
            "region": f"Region {chance.randrange(16)}",
            "city": "".join(chance.choices(syllables, k=chance.randint(2, 4))).capitalize(),
            "latitude": round(max(-89, min(89, latitude / 10 + chance.gauss(0, 3))), 4),
            "longitude": round(max(-179, min(179, longitude / 10 + chance.gauss(0, 3))), 4),
        }


def write_records(path, count):
    """Writes a record for each of so many distinct addresses."""
    chance = random.Random(11)
    places = list(cities(chance, count // 12))
    networks = [{"asn": 1000 + n, "as_name": f"Network {n} Internet Services"} for n in range(count // 16)]
    with open(path, "w") as file:
        for n in range(count):
            address = {"ip": f"{1 + (n >> 16)}.{n >> 8 & 255}.{n & 255}.7", "status": "ok", "source": "ip-api"}
            known = address | chance.choice(places) | chance.choice(networks)
            known["time"] = f"2015-05-17T{chance.randrange(24):02}:{n % 60:02}:00Z"
            file.write(json.dumps(known) + "\n")


def measure(page):
    """Opens the page several times; gives milliseconds until it has loaded, to sort, filter and choose."""
    browser = Browser()
    try:
        loads, sorts, filters, choices = [], [], [], []
        for _ in range(RUNS):
            browser.open(page)
            loads.append(browser.driver.execute_script(LOADED))
            sorts += browser.driver.execute_script(SORT)
            filters += browser.driver.execute_script(FILTER)
            choices += browser.driver.execute_script(CHOOSE)
        assert browser.complaints() == [] and browser.requests() == []
    finally:
        browser.close()
    return {"open it": loads, "sort a table": sorts, "filter all tables": filters, "choose a row": choices}


def main():
    """Prints the size, and what is measured."""
    sonde = Path(sys.argv[1]).resolve()
    count = int(sys.argv[2]) if len(sys.argv) > 2 else 500_000
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_records(folder / "records.ndjson", count)
        page = folder / "page.html"
        options = ["--tables", "none", "--html", page]
        subprocess.run([sonde, "summary", *options, folder / "records.ndjson"], check=True)
        print("| the page of a summary | runs | median | most |\n| --- | --: | --: | --: |")
        print(f"| size, {count} addresses | 1 | {page.stat().st_size / 1e6:.2f} MB | |")
        for what, times in measure(page).items():
            print(f"| {what} | {len(times)} | {statistics.median(times):.0f} ms | {max(times):.0f} ms |")


if __name__ == "__main__":
    main()
