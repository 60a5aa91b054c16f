"""The page of a summary, in a real browser: what it shows, and what it never does."""

import json
import random
import re
import time
from collections import Counter, defaultdict

import pytest
from browser import Browser, skip_without_browser
from namespaces import Network, Scan, skip_unless_allowed

# One browser for all of them.
pytestmark = [skip_without_browser(), pytest.mark.xdist_group("browser")]

COUNTRIES = {"US": "United States", "DE": "Germany", "JP": "Japan", "SG": "Singapore", "XK": "Kosovo"}
NETWORKS = {15169: "Google LLC", 3320: "Deutsche Telekom AG", 24940: "Hetzner Online GmbH", 9: "Ünïcode A/S"}
CITIES = {
    "US": [("Mountain View", "California", 37.38, -122.08), ("New York", "New York", 40.71, -74.0)],
    "DE": [("München", "Bavaria", 48.13, 11.57), ("Berlin", "Berlin", 52.52, 13.4)],
    "JP": [("Tokyo", "Tokyo", 35.68, 139.69)],
}

# What one would put into the answers of a provider to get a script into the page.
HOSTILE = [
    "</script><script>document.title='owned'</script>",
    "<img src=x onerror=\"document.title='owned'\">",
    "\"'><svg onload=document.title='owned'>",
    "<!--<script>",
    "{{script}}${document.title='owned'}`",
    "a\u2028b\u2029c",
    "evil\u202eknil",
    "]]></title></style><style>*{display:none}",
]

HOSTILE_RECORD = {"ip": "5.5.5.5", "status": "ok", "country_code": "US", "asn": 7, "as_name": HOSTILE[0]}


@pytest.fixture(scope="module")
def shared():
    """A browser for the tests of this module."""
    browser = Browser()
    yield browser
    browser.close()


@pytest.fixture
def browser(shared):
    """The browser; whatever a test does with it, the page neither complains nor asks anybody."""
    yield shared
    assert shared.complaints() == []
    assert shared.requests() == []
    assert shared.driver.title != "owned"
    shared.driver.get("about:blank")
    shared.command("Emulation.clearDeviceMetricsOverride")
    shared.command("Emulation.setEmulatedMedia", media="", features=[])


def record(number, chance):
    """A record of the numbered address, as a scan would have written it."""
    if chance.random() < 0.05:
        return {"ip": f"10.0.0.{number % 256}", "status": "reserved", "source": "local"}
    country = chance.choice(list(COUNTRIES))
    network = chance.choice(list(NETWORKS))
    known = {"ip": f"5.0.{number // 256}.{number % 256}", "status": "ok", "source": "ip-api"}
    known |= {"country_code": country, "country": COUNTRIES[country]}
    if country in CITIES and chance.random() < 0.8:
        city, region, latitude, longitude = chance.choice(CITIES[country])
        known |= {"region": region, "city": city, "latitude": latitude, "longitude": longitude}
    return known | {"asn": network, "as_name": NETWORKS[network]}


def records_of(count, seed=1):
    """Records of some addresses, most of them several times."""
    chance = random.Random(seed)
    distinct = [record(number, chance) for number in range(count)]
    return [chance.choice(distinct) for _ in range(5 * count)]


def ndjson(records):
    """Records as a scan writes them."""
    return "".join(json.dumps(each) + "\n" for each in records)


def write_page(sonde, content, *options, name="input", status=0):
    """Runs `sonde summary --html`; gives the page's path and the run's result."""
    name = sonde.file(name, content)
    result = sonde("summary", "--html", "page.html", *options, name)
    assert result.status == status, result.stderr
    return sonde.work / "page.html", result


def place(known):
    """The key of a city."""
    return ", ".join(known[part] for part in ("city", "region", "country_code") if part in known)


def counted(records, key):
    """The addresses and hits of each key; what has none is the last one."""
    hits, addresses = Counter(), defaultdict(set)
    for each in records:
        hits[key(each)] += 1
        addresses[key(each)].add(each["ip"])
    order = sorted(hits, key=lambda name: (not name, -hits[name], name.encode()))
    return [(name, len(addresses[name]), hits[name]) for name in order]


def number(text):
    """The number that a cell shows."""
    return int(text.replace(",", ""))


def counts(hits, addresses):
    """What a mark says."""
    return f"{hits:,} hit{'s' * (hits != 1)}, {addresses:,} address{'es' * (addresses != 1)}"


# Statuses are shown where one of them is a failure, sources where there are several.
TELLING = [{"ip": "5.9.9.9", "status": "failed"}, {"ip": "5.9.9.8", "status": "ok", "source": "libloc"}]


def test_tables_have_what_the_records_have(sonde, browser):
    records = records_of(300) + TELLING
    browser.open(write_page(sonde, ndjson(records))[0])
    keys = {
        "Countries": (1, lambda each: each.get("country_code", "")),
        "Networks": (0, lambda each: f"AS{each['asn']}" if "asn" in each else ""),
        "Cities": (0, lambda each: place(each) if "city" in each else ""),
        "Statuses": (0, lambda each: each["status"]),
        "Sources": (0, lambda each: each.get("source", "")),
    }
    for caption, (column, key) in keys.items():
        wanted = counted(records, key)
        shown = browser.rows(caption)
        assert [(row[column].replace("not known", ""), number(row[-3]), number(row[-2])) for row in shown] == wanted
        shares = [float(row[-1].strip("< %")) for row in shown]
        assert shares == pytest.approx([100 * hits / len(records) for *_, hits in wanted], abs=0.06)
    addresses = [(row[0], number(row[4])) for row in browser.rows("Addresses")]
    assert addresses == [(ip, hits) for ip, _, hits in counted(records, lambda each: each["ip"])]


def test_every_city_and_country_without_one_has_a_mark(sonde, browser):
    records = records_of(300)
    browser.open(write_page(sonde, ndjson(records))[0])

    def name(each):
        if "city" in each:
            return place(each)
        return f"{each['country']} (country only)" if "country" in each else ""

    wanted = [f"{key}: {counts(hits, addresses)}" for key, addresses, hits in counted(records, name) if key]
    assert sorted(browser.marks()) == sorted(wanted)
    assert set(wanted) <= set(browser.named("button"))


def test_the_page_tells_the_same_counts_as_the_text(sonde, browser):
    options = ("--format", "json", "--top", 0)
    page, result = write_page(sonde, ndjson(records_of(200) + TELLING), *options)
    tables = json.loads(result.stdout)
    browser.open(page)
    captions = {"country": "Countries", "network": "Networks", "city": "Cities", "status": "Statuses"}
    for kind, caption in (captions | {"source": "Sources", "address": "Addresses"}).items():
        column = 4 if kind == "address" else -2
        assert [number(row[column]) for row in browser.rows(caption)] == [row["hits"] for row in tables[kind]]


def test_a_larger_mark_has_more_hits(sonde, browser):
    browser.open(write_page(sonde, ndjson(records_of(300)))[0])
    radii = browser.driver.execute_script(
        "return [...document.querySelectorAll('.map .mark')].map((each) => [each.ariaLabel, Number(each.getAttribute('r'))])"
    )
    hits = [(number(name.rsplit(": ", 1)[1].split()[0]), radius) for name, radius in radii]
    assert hits == sorted(hits, reverse=True) and hits[0][1] > 2 * hits[-1][1]


@pytest.mark.parametrize("key", ["\ue007", " "], ids=["Enter", "space"])
def test_tables_are_sorted_by_keyboard(sonde, browser, key):
    browser.open(write_page(sonde, ndjson(records_of(300)))[0])
    assert browser.order("Networks", "Hits") == "descending"
    browser.press(browser.header("Networks", "Network"), key)
    assert browser.order("Networks", "Network") == "ascending"
    assert browser.order("Networks", "Hits") is None
    names = [row[0] for row in browser.rows("Networks")]
    assert names == ["AS9", "AS3320", "AS15169", "AS24940", "not known"]
    browser.press(browser.header("Networks", "Network"), key)
    assert browser.order("Networks", "Network") == "descending"
    # What has no value is last either way.
    assert [row[0] for row in browser.rows("Networks")] == [*names[3::-1], "not known"]


def test_each_column_is_sorted_by_what_it_means(sonde, browser):
    records = [
        {"ip": ip, "status": "ok", "source": "ip-api", "country_code": code, "country": name}
        for ip, code, name in [
            ("10.0.0.9", "AX", "Åland Islands"),
            ("9.0.0.1", "ZA", "South Africa"),
            ("2001:db8::1", "AL", "Albania"),
            ("2001:db8::ff", "AF", "Afghanistan"),
            ("9.0.0.10", "ZA", "South Africa"),
        ]
    ]
    browser.open(write_page(sonde, ndjson(records))[0])
    browser.header("Addresses", "Address").click()
    addresses = [row[0] for row in browser.rows("Addresses")]
    assert addresses == ["9.0.0.1", "9.0.0.10", "10.0.0.9", "2001:db8::1", "2001:db8::ff"]
    browser.header("Countries", "Country").click()
    names = [row[0] for row in browser.rows("Countries")]
    assert names == ["Afghanistan", "Åland Islands", "Albania", "South Africa"]
    browser.header("Countries", "Addresses").click()
    assert browser.rows("Countries")[0][:3] == ["South Africa", "ZA", "2"]


def test_the_filter_keeps_what_has_the_text(sonde, browser):
    browser.open(write_page(sonde, ndjson(records_of(300)))[0])
    before = {caption: browser.rows(caption) for caption in browser.captions()}
    assert "Filter" in browser.named("textbox")
    label = browser.driver.find_element("xpath", '//label[.="Filter"]')
    label.click()
    for letter in "MUNCH":
        browser.type(letter)
        browser.settle()
    for caption in ("Cities", "Addresses"):
        wanted = [row for row in before[caption] if any("München" in cell for cell in row)]
        assert browser.rows(caption) == wanted and wanted
    assert browser.rows("Networks") == []
    assert "Networks: 0" in browser.driver.find_element("css selector", "[role=status]").text
    # Sorting leaves the filter.
    browser.header("Cities", "City").click()
    assert [row[0] for row in browser.rows("Cities")] == ["München, Bavaria, DE"]
    label.click()
    browser.type("\ue003" * 5)
    browser.settle()
    assert browser.rows("Networks") == before["Networks"]


def test_texts_of_providers_are_texts(sonde, browser):
    records = []
    for index, text in enumerate(HOSTILE):
        known = {"ip": f"5.0.0.{index}", "status": "ok", "source": "ip-api", "country_code": "US"}
        known |= {"country": text, "region": text, "city": text, "latitude": 1, "longitude": index}
        records.append(known | {"asn": index + 1, "as_name": text})
    page, _ = write_page(sonde, ndjson(records), "--title", HOSTILE[0])
    browser.open(page)
    browser.settle()
    assert browser.driver.title == HOSTILE[0]
    names = {row[1] for row in browser.rows("Networks")}
    shown = [text.replace("\u2028", "\\u{2028}").replace("\u2029", "\\u{2029}") for text in HOSTILE]
    assert names == {text.replace("\u202e", "\\u{202e}") for text in shown}
    assert len(browser.marks()) == len(HOSTILE)
    found = "return document.querySelectorAll('img, iframe, object, embed, form, [onload], [onerror]').length"
    assert browser.driver.execute_script(found) == 0
    assert browser.driver.execute_script("return document.scripts.length") == 3


def test_the_first_thousand_addresses_are_in_the_page(sonde, browser):
    records = [{"ip": f"5.{n // 256}.{n % 256}.1", "status": "ok", "country_code": "US"} for n in range(2500)]
    browser.open(write_page(sonde, ndjson(records))[0])
    assert len(browser.rows("Addresses")) == 1000
    note = browser.driver.find_element("css selector", "#address > p").text
    assert note == "The first 1,000 of 2,500: 1,500 more are not in this page."


def test_networks_beyond_a_thousand_come_at_a_button(sonde, browser):
    records = [{"ip": f"5.{n // 256}.{n % 256}.1", "status": "ok", "asn": n + 1} for n in range(2500)]
    browser.open(write_page(sonde, ndjson(records))[0])
    for shown in (1000, 2000, 2500):
        assert len(browser.rows("Networks")) == shown
        if shown < 2500:
            browser.driver.find_element("css selector", "#network > p button").click()
            browser.settle()
    # Sorting and filtering look at all of them.
    browser.header("Networks", "Network").click()
    browser.header("Networks", "Network").click()
    browser.settle()
    assert browser.rows("Networks")[0][0] == "AS2500"
    browser.driver.find_element("id", "filter").send_keys("as2499")
    browser.settle()
    assert [row[0] for row in browser.rows("Networks")] == ["AS2499"]


LOG = "".join(
    f'9.9.9.{hour % 3} - - [17/May/2015:{hour:02}:15:{second:02} +0000] "GET / HTTP/1.1" 200 12\n'
    for hour in (10, 11, 13)
    for second in range(hour)
)


def test_hours_are_a_chart_and_a_table(sonde, browser, loc_database):
    page, _ = write_page(sonde, LOG, "--provider", "local", "--database", loc_database, "--no-cache")
    browser.open(page)
    hours = [(row[0], number(row[1])) for row in browser.rows("Hours")]
    days = [f"17 May 2015, {hour}:00" for hour in (10, 11, 12, 13)]
    assert hours == list(zip(days, (10, 11, 0, 13)))
    chart = browser.driver.find_element("css selector", "svg.chart").get_attribute("aria-label")
    assert "4 hours from 17 May 2015, 10:00 to 17 May 2015, 13:00" in chart and "13, 17 May 2015, 13:00" in chart


@skip_unless_allowed()
def test_losses_of_the_network_are_bands(sonde, browser):
    network = Network(latency=0.2)
    try:
        now = time.strftime("[%d/%b/%Y:%H:%M:%S +0000]", time.gmtime())
        lines = [f'5.0.{n // 250}.{n % 250} - - {now} "GET / HTTP/1.1" 200 1' for n in range(1000)]
        options = ("--log", "--html", "page.html", "--provider", "ip-api", "--concurrency", 1)
        summary = Scan(sonde, network, *options, command="summary").feed(lines)
        network.simulator.wait_for(2)
        network.lose()
        summary.wait_for("offline")
        time.sleep(2)
        network.restore()
        assert summary.finish().status == 0
    finally:
        network.close()
    browser.open(sonde.work / "page.html")
    [loss] = browser.rows("Network losses")
    assert loss[2] == "link_down" and 1 <= int(loss[3]) <= 30
    # One in the hour of the log, which is the run's own, and one in the run.
    bands = browser.driver.find_elements("css selector", ".chart .loss")
    names = [band.get_attribute("aria-label") for band in bands]
    assert len(names) == 2 and all(name.startswith("Network lost: link_down, from ") for name in names)
    # The run began before it, or in the same second.
    run, band = (browser.driver.find_element("css selector", part).rect for part in (".run", ".run + .loss"))
    assert run["x"] <= band["x"] and band["width"] <= run["width"]


def test_marks_are_reached_by_keyboard(sonde, browser):
    browser.open(write_page(sonde, ndjson(records_of(100)))[0])
    focused = "return document.activeElement.getAttribute('aria-label')"
    first = browser.driver.find_element("css selector", ".mark[tabindex='0']")
    browser.driver.execute_script("arguments[0].focus()", first)
    names = browser.marks()
    assert browser.driver.execute_script(focused) == names[0]
    browser.type("\ue014")
    assert browser.driver.execute_script(focused) == names[1]
    tip = browser.driver.find_element("css selector", "#map .tip").text
    assert tip.replace("\n", ": ") == names[1]
    browser.type("\ue011")
    assert browser.driver.execute_script(focused) == names[0]


def test_the_map_can_be_seen_larger(sonde, browser):
    browser.open(write_page(sonde, ndjson(records_of(100)))[0])
    svg = browser.driver.find_element("css selector", "svg.map")
    view = "return arguments[0].getAttribute('viewBox')"
    whole = browser.driver.execute_script(view, svg)
    buttons = {name: browser.driver.find_element("xpath", f'//button[.="{name}"]') for name in ("Zoom in", "Whole world")}
    width = "return arguments[0].getBoundingClientRect().width"
    mark = browser.driver.find_element("css selector", ".map .mark")
    before = browser.driver.execute_script(width, mark)
    buttons["Zoom in"].click()
    assert float(browser.driver.execute_script(view, svg).split()[2]) == 500
    # The map becomes larger, not its marks.
    assert browser.driver.execute_script(width, mark) == pytest.approx(before, rel=0.05)
    buttons["Whole world"].click()
    assert browser.driver.execute_script(view, svg) == whole


def test_a_screen_reader_finds_its_way(sonde, browser):
    page, _ = write_page(sonde, ndjson(records_of(100)), "--title", "Who was here")
    browser.open(page)
    assert browser.named("heading")[:2] == ["Who was here", "Map"]
    assert browser.named("main") and browser.named("banner") and browser.named("contentinfo")
    assert {"Countries", "Networks", "Cities", "Addresses"} <= set(browser.named("table"))
    [world] = [name for name in browser.named("group") if name.startswith("World map")]
    assert f"{len(browser.marks())} marks" in world
    assert browser.driver.find_element("tag name", "html").get_attribute("lang") == "en"


@pytest.mark.parametrize("width", [320, 360, 768, 1280, 3840])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_nothing_is_wider_than_the_screen(sonde, browser, width, scheme):
    page, _ = write_page(sonde, ndjson(records_of(100)), "--title", "access.log.with.a.long.name" * 3)
    size = {"width": width, "height": 800, "deviceScaleFactor": 1, "mobile": width < 500}
    browser.command("Emulation.setDeviceMetricsOverride", **size)
    browser.command("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
    browser.open(page)
    assert browser.driver.execute_script("return document.documentElement.scrollWidth") <= width
    over = "return [...document.querySelectorAll('.rows')].filter((each) => each.scrollWidth > each.clientWidth).length"
    assert browser.driver.execute_script(over) == 0
    paper = browser.driver.execute_script("return getComputedStyle(document.documentElement).backgroundColor")
    red = int(paper.removeprefix("rgb(").split(",")[0])
    assert red < 64 if scheme == "dark" else red > 192


def test_it_can_be_printed(sonde, browser):
    browser.open(write_page(sonde, ndjson(records_of(300)))[0])
    browser.command("Emulation.setEmulatedMedia", media="print", features=[{"name": "prefers-color-scheme", "value": "dark"}])
    paper = browser.driver.execute_script("return getComputedStyle(document.documentElement).backgroundColor")
    assert paper == "rgb(255, 255, 255)"
    assert not browser.driver.find_element("id", "filter").is_displayed()
    assert "Printed: 100 of 2" in browser.driver.find_element("css selector", "#address > p").text
    assert len(browser.command("Page.printToPDF")["data"]) > 10_000


def test_of_very_many_cities_the_first_are_in_a_page_of_four_megabytes(sonde, browser):
    text = "".join(
        f"5.{n >> 16}.{n >> 8 & 255}.{n & 255},ok,FR,City number {n} of many,{n % 90},{n % 180}\n" for n in range(140_000)
    )
    header = "ip,status,country_code,city,latitude,longitude\n"
    page, _ = write_page(sonde, header + text + "6.0.0.1,ok,FR,,,\n")
    assert 3_400_000 < page.stat().st_size < 4_000_000
    browser.open(page)
    note = browser.driver.find_element("css selector", "#city > p").text
    left = int(note.split(": ")[1].split()[0].replace(",", ""))
    assert 10_000 < left < 90_000 and note.startswith(f"The first {140_001 - left:,} of 140,001:")
    country = "return document.querySelector('.map .mark.country')?.getAttribute('aria-label')"
    assert browser.driver.execute_script(country) is not None, "those left out count for their country"
    # Thousands of marks are fitted at once, not laid out one after the other.
    assert len(browser.marks()) > 5000
    before = browser.layouts()
    browser.command("Emulation.setDeviceMetricsOverride", width=900, height=800, deviceScaleFactor=1, mobile=False)
    browser.settle()
    browser.driver.find_element("xpath", "//button[.='Zoom in' or @aria-label='Zoom in']").click()
    assert browser.layouts() - before < 100


def test_marks_in_antarctica_are_whole(sonde, browser):
    records = [{"ip": "5.0.0.1", "status": "ok", "country_code": "AQ", "city": "Pole", "latitude": -90, "longitude": 0}]
    records += [{"ip": "5.0.0.2", "status": "ok", "country_code": "DE", "city": "B", "latitude": 52, "longitude": 13}]
    for width in (360, 1280):
        size = {"width": width, "height": 800, "deviceScaleFactor": 1, "mobile": width < 500}
        browser.command("Emulation.setDeviceMetricsOverride", **size)
        browser.open(write_page(sonde, ndjson(records))[0])
        below = """
          const map = document.querySelector(".map").getBoundingClientRect();
          return [...document.querySelectorAll(".map .mark")].map((mark) => map.bottom - mark.getBoundingClientRect().bottom);
        """
        assert min(browser.driver.execute_script(below)) >= 0


def test_a_time_without_hits_is_as_long_as_it_was(sonde, browser):
    text = "1970-01-01T00:00:07Z 10.0.0.1\n2026-11-01T10:00:00Z 10.0.0.1\n2026-11-04T10:00:00Z 10.0.0.1\n"
    browser.open(write_page(sonde, text)[0])
    assert [row[0] for row in browser.rows("Days")] == ["1 Jan 1970", "1 Nov 2026", "4 Nov 2026"]
    path = browser.driver.find_element("css selector", ".chart .edge").get_attribute("d")
    steps = [float(step) for step in re.findall(r"[MH]([0-9.]+)", path)]
    assert steps == sorted(steps) and steps[1] - steps[0] < 1 and steps[-1] - steps[2] < 1 < steps[2] - steps[1]
    caption = browser.driver.find_element("css selector", "#time figcaption").text
    assert caption.startswith("3 days with hits from 1 Jan 1970 to 4 Nov 2026")


def test_without_scripts_it_says_so_and_tells_the_figures(sonde, shared):
    page, _ = write_page(sonde, ndjson(records_of(100)) + ndjson([dict(HOSTILE_RECORD)] * 900))
    shared.command("Emulation.setScriptExecutionDisabled", value=True)
    try:
        shared.driver.get(page.as_uri())
        text = shared.driver.find_element("tag name", "body").text
        shown = {each: shared.driver.find_element("id", each).is_displayed() for each in ("map", "time", "filter")}
    finally:
        shared.command("Emulation.setScriptExecutionDisabled", value=False)
    assert "1,400\nHits" in text.replace("\r", "") or "Hits\n1,400" in text
    assert "switched off" in text
    # The tables are there in short, and whatever is empty without scripts is not.
    assert "Countries" in text and "Networks" in text and re.search(r"\n\d+ more\n", text)
    assert HOSTILE[0] in text and shared.driver.title != "owned"
    assert shown == {"map": False, "time": False, "filter": False}


def test_with_scripts_nothing_is_shown_that_is_for_those_without(sonde, browser):
    browser.open(write_page(sonde, ndjson(records_of(100)))[0])
    for media in ("", "print"):
        browser.command("Emulation.setEmulatedMedia", media=media)
        text = browser.driver.execute_script("return document.body.innerText")
        assert "<t" not in text and "switched off" not in text
        assert text.count("Countries") <= 3


def test_a_page_of_nothing_is_a_page(sonde, browser):
    browser.open(write_page(sonde, "", "--log")[0])
    assert browser.captions() == []
    assert browser.marks() == []


def test_data_and_their_licences_are_named(sonde, browser):
    browser.open(write_page(sonde, ndjson(records_of(100)))[0])
    text = browser.driver.find_element("tag name", "footer").text
    assert "Natural Earth: public domain" in text and "ip-api" in text
