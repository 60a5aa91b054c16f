"""The page of a summary by choosing: each choice counts what `sonde summary --where` counts."""

import json
import random
from urllib.parse import unquote

import pytest
from browser import skip_without_browser
from dashboard_page import DashboardPage
from selenium.webdriver.common.action_chains import ActionChains
from test_page import CITIES, COUNTRIES, NETWORKS, ndjson, number, write_page

# One browser for all of them.
pytestmark = [skip_without_browser(), pytest.mark.xdist_group("browser")]

CAPTIONS = {"country": "Countries", "network": "Networks", "city": "Cities", "address": "Addresses", "hour": "Hours"}
# Sources are counted, but not chosen.
COUNTED = CAPTIONS | {"source": "Sources"}


@pytest.fixture(scope="module")
def browser():
    """A browser for the tests of this module, whose pages neither complain nor ask anybody."""
    browser = DashboardPage()
    yield browser
    assert browser.complaints() == []
    assert browser.requests() == []
    browser.close()


def hits_of(chance, count, hours=5):
    """Records of hits with times; some addresses have several answers, some hits no time."""
    records = []
    for _ in range(count):
        name = chance.randrange(count // 4)
        known = {"ip": f"5.0.{name // 256}.{name % 256}" if name % 5 else f"2001:db8::{name:x}"}
        # Of every tenth address the answers differ.
        own = random.Random(name if name % 10 else chance.random())
        if own.random() < 0.1:
            known |= {"status": "reserved", "source": "local"}
        else:
            country, network = own.choice(list(COUNTRIES)), own.choice(list(NETWORKS))
            known |= {"status": "ok", "source": "ip-api", "country_code": country, "country": COUNTRIES[country]}
            if country in CITIES and own.random() < 0.8:
                city, region, latitude, longitude = own.choice(CITIES[country])
                known |= {"region": region, "city": city, "latitude": latitude, "longitude": longitude}
            known |= {"asn": network, "as_name": NETWORKS[network]}
        if chance.random() < 0.9:
            known["time"] = f"2015-05-17T{chance.randrange(hours):02}:{chance.randrange(60):02}:00Z"
        records.append(known)
    return records


def condition(kind, key):
    """The options that choose the row with a key."""
    if kind == "country":
        return [f"country_code = {key}"], []
    if kind == "network":
        return [f"asn = {key[2:]}"], []
    if kind == "city":
        city, region, country = key.split(", ")
        return [f'city = "{city}"', f'region = "{region}"', f"country_code = {country}"], []
    if kind == "address":
        return [f"ip = {key}"], []
    hour = key[:13]
    return [], ["--since", f"{hour}:00:00Z", "--until", f"{hour[:11]}{int(hour[11:]) + 1:02}:00:00Z"]


def wanted(sonde, name, chosen):
    """The tables of a summary with the conditions of chosen rows; a table keeps those of the others alone."""
    tables, known = {}, {}
    for kind in [*COUNTED, "total"]:
        conditions, options = [], []
        for each, key in chosen.items():
            if each != kind:
                more = condition(each, key)
                conditions += more[0]
                options += more[1]
        if conditions:
            options += ["--where", " and ".join(conditions)]
        shown = "hour,country,network,city,source,address"
        # For all of which nothing is chosen it is the same.
        if tuple(options) not in known:
            result = sonde("summary", "--format", "json", "--top", 0, "--tables", shown, *options, name)
            known[tuple(options)] = json.loads(result.stdout)
        tables[kind] = known[tuple(options)]
    return tables


def figures(browser):
    """The figures on top."""
    boxes = "return [...document.querySelectorAll('.figures div')].map((box) => [...box.children].map((each) => each.textContent))"
    return {name: number(text) for name, text in browser.driver.execute_script(boxes)}


def check(browser, sonde, name, chosen):
    """Compares what the page shows with what the command counts."""
    tables = wanted(sonde, name, chosen)
    for kind, caption in COUNTED.items():
        rows = [row for row in tables[kind].get(kind, []) if row["hits"] or not set(chosen) - {kind}]
        shown = browser.rows(caption)
        total = sum(row["hits"] for row in tables[kind]["address"])
        if kind == "address":
            assert [(row[0].replace("not known", ""), number(row[4])) for row in shown] == [(row["key"], row["hits"]) for row in rows]
        elif kind == "hour":
            assert [(row[0], number(row[1])) for row in shown] == [(row["name"], row["hits"]) for row in rows]
        else:
            column = 1 if kind == "country" else 0
            found = [(row[column].replace("not known", ""), number(row[-3]), number(row[-2])) for row in shown]
            # The command writes no table of which no row has a value.
            found = found if rows else [row for row in found if row[0]]
            assert found == [(row["key"], row["addresses"], row["hits"]) for row in rows], (kind, chosen)
        shares = [float(row[-1 if kind != "address" else 5].strip("< %")) for row in shown]
        assert not rows or shares == pytest.approx([100 * row["hits"] / total for row in rows], abs=0.06)
    total = tables["total"]
    top = figures(browser)
    assert top["Hits"] == sum(row["hits"] for row in total["address"])
    assert top["Addresses"] == sum(row["key"] != "" for row in total["address"])
    for label, kind in (("Countries", "country"), ("Networks", "network"), ("Cities", "city")):
        assert top[label] == sum(row["key"] != "" for row in total.get(kind, [])), label


def button(browser, caption, text):
    """The button of a row, by the text of its first cell."""
    path = f'//table[caption="{caption}"]//td[1]/button[.="{text}"]'
    found = browser.driver.find_element("xpath", path)
    browser.driver.execute_script("arguments[0].scrollIntoView({ block: 'center' })", found)
    return found


def address(browser):
    """The choice in the page's address."""
    return browser.driver.execute_script("return location.hash")


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_each_choice_counts_what_the_command_counts(sonde, browser, seed):
    chance = random.Random(seed)
    page, _ = write_page(sonde, ndjson(hits_of(chance, 300)))
    browser.open(page)
    check(browser, sonde, "input", {})
    chosen = {}
    for kind in chance.sample(list(CAPTIONS), 4):
        rows = [row for row in browser.rows(CAPTIONS[kind]) if row[0] != "not known"]
        if not rows:
            continue
        row = chance.choice(rows[:10])
        found = button(browser, CAPTIONS[kind], row[0])
        if chance.random() < 0.5:
            found.click()
        else:
            browser.press(found, chance.choice(["\ue007", " "]))
        browser.settle()
        assert button(browser, CAPTIONS[kind], row[0]).get_attribute("aria-pressed") == "true"
        [(_, key)] = [part for part in parts(address(browser)) if part[0] == kind]
        chosen[kind] = key
        check(browser, sonde, "input", chosen)
    # The way back, one choice after the other.
    while chosen:
        chosen.popitem()
        browser.driver.back()
        browser.settle()
        check(browser, sonde, "input", chosen)
    assert address(browser) == ""


def parts(text):
    """The tables and keys in the page's address."""
    return [tuple(unquote(half) for half in part.split("=", 1)) for part in text[1:].split("&") if part]


def chosen_group(browser):
    """What the group "Chosen" says: the texts of its items, or nothing while it is hidden."""
    group = browser.driver.find_element("css selector", "[role=group][aria-label=Chosen]")
    if not group.is_displayed():
        return None
    return [item.text for item in group.find_elements("css selector", "li bdi")]


def test_the_group_removes_and_clears(sonde, browser):
    browser.open(write_page(sonde, ndjson(hits_of(random.Random(5), 800)))[0])
    assert chosen_group(browser) is None
    with_buttons = "return [...document.querySelectorAll('.table')].filter((each) => each.querySelector('td button')).map((each) => each.id)"
    assert set(browser.driver.execute_script(with_buttons)) == set(CAPTIONS)
    button(browser, "Countries", "Germany").click()
    button(browser, "Networks", "AS3320").click()
    browser.settle()
    assert chosen_group(browser) == ["Germany", "AS3320"]
    assert address(browser) == "#country=DE&network=AS3320"
    assert {"Remove Germany", "Remove AS3320", "Clear"} <= set(browser.named("button"))
    # Another row of the same table takes its place, and the same again undoes it.
    button(browser, "Countries", "Japan").click()
    assert chosen_group(browser) == ["Japan", "AS3320"]
    button(browser, "Countries", "Japan").click()
    assert chosen_group(browser) == ["AS3320"]
    remove = browser.driver.find_element("css selector", "#chosen li button")
    browser.press(remove, " ")
    assert chosen_group(browser) is None and address(browser) == ""
    focused = "return document.activeElement.tagName"
    assert browser.driver.execute_script(focused) == "H1", "the focus is not lost with the button"
    # Escape clears, except in the textbox.
    button(browser, "Countries", "Germany").click()
    browser.driver.find_element("id", "filter").send_keys("\ue00c")
    assert chosen_group(browser) == ["Germany"]
    browser.press(button(browser, "Countries", "Germany"), "\ue00c")
    assert chosen_group(browser) is None
    button(browser, "Countries", "Germany").click()
    browser.driver.find_element("xpath", '//div[@id="chosen"]/button').click()
    assert chosen_group(browser) is None and address(browser) == ""


def test_marks_and_hours_choose(sonde, browser):
    browser.open(write_page(sonde, ndjson(hits_of(random.Random(6), 200)))[0])
    mark = browser.driver.find_element("css selector", ".mark[tabindex='0']")
    browser.driver.execute_script("arguments[0].focus()", mark)
    focused = "return document.activeElement.getAttribute('aria-label')"
    while not (label := browser.driver.execute_script(focused)).startswith("Tokyo"):
        browser.type("\ue014")
    browser.type("\ue007")
    browser.settle()
    assert address(browser) == "#city=Tokyo,%20Tokyo,%20JP"
    pressed = browser.driver.find_element("css selector", ".mark[aria-pressed=true]")
    assert pressed.get_attribute("aria-label") == label
    assert figures(browser)["Hits"] == number(label.split(": ")[1].split()[0])
    assert [row[1] for row in browser.rows("Countries")] == ["JP"]
    browser.type(" ")
    browser.settle()
    assert address(browser) == ""
    browser.driver.find_element("css selector", '.mark[aria-label^="New York"]').click()
    assert address(browser) == "#city=New%20York,%20New%20York,%20US"
    browser.driver.back()
    browser.settle()
    assert address(browser) == ""
    chart = browser.driver.find_element("css selector", "svg.chart")
    browser.driver.execute_script("arguments[0].scrollIntoView({ block: 'center' })", chart)
    ActionChains(browser.driver).move_to_element(chart).click().perform()
    browser.settle()
    # The middle of five hours.
    assert address(browser) == "#hour=2015-05-17T02:00Z"
    assert figures(browser)["Hits"] == number(browser.rows("Hours")[2][1])
    assert browser.driver.find_elements("css selector", ".chart .picked")
    # The marks count the hits of the hour.
    summed = sum(number(label.rsplit(": ", 1)[1].split()[0]) for label in browser.marks())
    assert summed == sum(number(row[-2]) for row in browser.rows("Countries") if row[1])


def test_a_link_opens_with_its_choice(sonde, browser):
    page, _ = write_page(sonde, ndjson(hits_of(random.Random(7), 200)))
    for link, wanted in {
        "#country=DE&hour=2015-05-17T03:00Z": ["Germany", "17 May 2015, 03:00"],
        "#city=Berlin%2C%20Berlin%2C%20DE&nonsense=1&network=AS1&country=%": ["Berlin, Berlin, DE"],
        "#address=2001:db8::5": ["2001:db8::5"],
        "#country=": ["not known"],
        "#tables": None,
    }.items():
        browser.driver.get("about:blank")
        browser.driver.get(page.as_uri() + link)
        browser.settle()
        assert chosen_group(browser) == wanted, link
    # The links within the page leave the choice as it is.
    button(browser, "Countries", "Germany").click()
    browser.driver.find_element("css selector", ".tools nav a").click()
    assert chosen_group(browser) == ["Germany"]
    assert address(browser) == "#country=DE"


def test_the_filter_wants_each_word_in_a_cell(sonde, browser):
    browser.open(write_page(sonde, ndjson(hits_of(random.Random(8), 200)))[0])
    before = browser.rows("Addresses")
    top = figures(browser)
    field = browser.driver.find_element("id", "filter")
    for text, is_kept in {
        "german hetzner": lambda row: "Germany" in row[1] and "Hetzner" in row[2],
        "de": lambda row: any("de" in cell.lower() for cell in row) or row[1] == "Germany",
        "03:1": lambda row: "03:1" in row[6] + " " + row[7],
        "jp tokyo": lambda row: row[1] == "Japan" and row[3] == "Tokyo",
    }.items():
        field.clear()
        field.send_keys(text)
        browser.settle()
        assert browser.rows("Addresses") == [row for row in before if is_kept(row)], text
    assert figures(browser) == top


@pytest.mark.parametrize("width", [320, 1280])
def test_a_choice_is_for_everybody(sonde, browser, width):
    page, _ = write_page(sonde, ndjson(hits_of(random.Random(9), 200)))
    size = {"width": width, "height": 800, "deviceScaleFactor": 1, "mobile": width < 500}
    browser.command("Emulation.setDeviceMetricsOverride", **size)
    browser.driver.get("about:blank")
    browser.driver.get(page.as_uri() + "#country=DE&network=AS3320")
    browser.settle()
    assert browser.driver.execute_script("return document.documentElement.scrollWidth") <= width
    over = "return [...document.querySelectorAll('.rows')].filter((each) => each.scrollWidth > each.clientWidth).length"
    assert browser.driver.execute_script(over) == 0
    assert browser.violations_in_light_and_dark() == []
    browser.command("Emulation.clearDeviceMetricsOverride")
    browser.command("Emulation.setEmulatedMedia", media="", features=[])


def test_several_addresses_that_became_one_are_counted_as_many(sonde, browser):
    page, _ = write_page(sonde, LOG, "--log", "--provider", "local", "--no-cache", "--anonymize", "truncate")
    browser.open(page)
    assert [row[0] for row in browser.rows("Addresses")] == ["9.9.9.0", "9.9.8.0"]
    button(browser, "Addresses", "9.9.9.0").click()
    browser.settle()
    assert (figures(browser)["Hits"], figures(browser)["Addresses"]) == (20, 2)
    button(browser, "Hours", "17 May 2015, 10:00").click()
    browser.settle()
    # Which of the two was there then, the page does not hold.
    shown = browser.driver.find_elements("css selector", ".figures dd")
    assert [each.text for each in shown[:2]] == ["10", "≥ 1"]


LOG = "".join(
    f'9.9.{9 if hour < 12 else 8}.{second % 2 + 1} - - [17/May/2015:{hour:02}:15:{second:02} +0000] "GET / HTTP/1.1" 200 12\n'
    for hour in (10, 11, 13)
    for second in range(10)
)


def test_addresses_have_their_first_and_last_time(sonde, browser):
    page, _ = write_page(sonde, ndjson(hits_of(random.Random(10), 100)))
    browser.open(page)
    result = sonde("summary", "--by", "ip", "--format", "json", "--top", 0, "input")
    rows = {row["ip"]: row for row in json.loads(result.stdout)["ip"]}

    def spelled(moment):
        return f"17 May 2015, {moment[11:19]}" if moment else ""

    shown = browser.rows("Addresses")
    assert len(shown) == len(rows)
    for row in shown:
        known = rows[row[0]]
        assert row[6:] == [spelled(known.get("first_seen")), spelled(known.get("last_seen"))], row[0]
    header = browser.header("Addresses", "First seen")
    header.click()
    browser.settle()
    times = [row[6] for row in browser.rows("Addresses") if row[6]]
    assert times == sorted(times) and len(times) > 10


def test_the_first_addresses_of_each_hour_are_in_the_page(sonde, browser):
    lines = []
    for n in range(1100):
        lines += [f"2015-05-17T01:00:00Z {10 + (n >> 8)}.0.0.{n & 255}\n"] * 3
    for n in range(30):
        lines += [f"2015-05-17T02:00:00Z 9.0.0.{n}\n"] * (2 if n < 25 else 1)
    browser.open(write_page(sonde, "".join(lines), "--log", "--provider", "local", "--no-cache")[0])
    assert len(browser.rows("Addresses")) == 1000
    button(browser, "Hours", "17 May 2015, 02:00").click()
    browser.settle()
    assert [row[0] for row in browser.rows("Addresses")] == sorted(f"9.0.0.{n}" for n in range(25))[:20]
    note = browser.driver.find_element("css selector", "#address > p").text
    assert note == "20 of 30: 10 more are not in this page."
    assert figures(browser)["Addresses"] == 30
    browser.driver.back()
    browser.settle()
    assert len(browser.rows("Addresses")) == 1000
