"""The page of a summary by choosing: each choice counts what `sonde summary --where` counts."""

import json
import random

import pytest
from browser import Browser, skip_without_browser
from dashboard_page import AXE, axe
from test_page import CITIES, COUNTRIES, NETWORKS, ndjson, number, write_page

# One browser for all of them.
pytestmark = [skip_without_browser(), pytest.mark.xdist_group("browser")]

CAPTIONS = {"country": "Countries", "network": "Networks", "city": "Cities", "address": "Addresses", "hour": "Hours"}


@pytest.fixture(scope="module")
def browser():
    """A browser for the tests of this module, whose pages neither complain nor ask anybody."""
    browser = Browser()
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
    tables = {}
    for kind in [*CAPTIONS, "total"]:
        conditions, options = [], []
        for each, key in chosen.items():
            if each != kind:
                more = condition(each, key)
                conditions += more[0]
                options += more[1]
        if conditions:
            options += ["--where", " and ".join(conditions)]
        shown = "hour,country,network,city,address"
        result = sonde("summary", "--format", "json", "--top", 0, "--tables", shown, *options, name)
        tables[kind] = json.loads(result.stdout)
    return tables


def figures(browser):
    """The figures on top."""
    boxes = "return [...document.querySelectorAll('.figures div')].map((box) => [...box.children].map((each) => each.textContent))"
    return {name: number(text) for name, text in browser.driver.execute_script(boxes)}


def check(browser, sonde, name, chosen):
    """Compares what the page shows with what the command counts."""
    tables = wanted(sonde, name, chosen)
    for kind, caption in CAPTIONS.items():
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
    from urllib.parse import unquote

    return [tuple(unquote(half) for half in part.split("=", 1)) for part in text[1:].split("&") if part]
