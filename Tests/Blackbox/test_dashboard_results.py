"""The view "Look up" over the real server: what answers become, old, wrong and hostile ones included."""

import json
import os
import shutil
import signal
import time
from pathlib import Path

import pytest
from browser import skip_without_browser
from hostile import HOSTILE_TEXTS, hostile_text

pytestmark = [skip_without_browser(), pytest.mark.xdist_group("browser-results")]

ESCAPE = "\ue00c"
IP_API = pytest.mark.parametrize("dashboard", [("--provider", "ip-api")], indirect=True, ids=["ip-api"])
UNREACHABLE = {"fault": "status", "status": 503}

PINS = """
  return [...document.querySelectorAll("button.pin")].map((pin) => {
    const { x, y, width, height } = pin.getBoundingClientRect();
    return [pin.getAttribute("aria-label"), x, y, width, height];
  });
"""


def test_pins_near_one_another_can_each_be_pressed(page):
    addresses = [f"5.0.0.{number}" for number in range(1, 13)]
    records = [page.values(page.look_up(address)) for address in addresses]
    places = [(each.get("Latitude"), each.get("Longitude"), each.get("Country")) for each in records]
    pins = page.until(lambda: len(found := page.script(PINS)) == len(set(places)) and found)
    # Those at the same place are one pin, in whose dialog one chooses.
    shared = [address for address, place in zip(addresses, places, strict=True) if places.count(place) == 1]
    assert sorted(name.split(",")[0] for name, *_ in pins if not name.split(",")[0].endswith("addresses")) == sorted(shared)
    for index, (_, x, y, width, height) in enumerate(pins):
        assert width >= 24 and height >= 24
        for _, other_x, other_y, *_ in pins[:index]:
            assert abs(x - other_x) >= 24 or abs(y - other_y) >= 24


def test_a_country_alone_is_said(page, simulator):
    simulator.control(faults=[UNREACHABLE])
    values = page.values(page.look_up("8.8.8.8"))
    assert values["Source"] != "ip-api" and "City" not in values
    page.button(f"8.8.8.8, {values['Country']} (country only)")


def test_the_map_is_reached_from_the_item(page):
    item = page.look_up("1.1.1.1")
    page.press_button("Show on map", item)
    page.find("[role=dialog]", "1.1.1.1")
    region = page.find("[role=region]", "Map")
    assert page.script("return arguments[0].contains(document.activeElement)", region)
    assert page.item("1.1.1.1").get_attribute("aria-current") == "true"
    page.press_key(ESCAPE)
    page.until(lambda: not page.role("dialog"))
    # A row opens its item and marks its pin, and keeps the focus.
    page.look_up("8.8.8.8")
    page.expand("1.1.1.1")
    marked = "return [...document.querySelectorAll('button.pin[aria-current=true]')].map((pin) => pin.getAttribute('aria-label').split(',')[0])"
    page.until(lambda: page.script(marked) == ["1.1.1.1"])
    assert page.focused().get_attribute("aria-expanded") == "true" and not page.role("dialog")


def test_the_open_address_is_in_the_pages(page, dashboard):
    page.look_up("8.8.8.8")
    page.look_up("2001:4860::8888")
    opened = lambda: [each.find_element("xpath", "../..").accessible_name for each in page.all("[aria-expanded=true]", within=page.find("[aria-label=Results]"))]  # noqa: E731
    assert opened() == ["2001:4860::8888"] and page.driver.current_url == dashboard.base + "lookup/2001:4860::8888"
    page.expand("8.8.8.8")
    assert opened() == ["8.8.8.8"] and page.driver.current_url == dashboard.base + "lookup/8.8.8.8"
    page.driver.back()
    page.until(lambda: opened() == ["2001:4860::8888"])
    page.driver.forward()
    page.until(lambda: opened() == ["8.8.8.8"])
    page.driver.refresh()
    page.until(lambda: opened() == ["8.8.8.8"])
    # One that is not kept is asked for; one that is none stands in the field.
    page.go("lookup/1.1.1.1")
    page.until(lambda: opened() == ["1.1.1.1"])
    assert page.field.get_attribute("value") == "1.1.1.1"
    page.go("lookup/8.8.8.8:53")
    page.said("status", "has a port; write 8.8.8.8")
    assert page.field.get_attribute("value") == "8.8.8.8:53"
    page.press_button("Remove", page.item("1.1.1.1"))
    page.until(lambda: page.items() == ["2001:4860::8888", "8.8.8.8"], what=page.items)


def test_a_card_has_groups(page):
    item = page.look_up("8.8.8.8")
    page.until(lambda: page.all("[role=group]", "Answer", item))
    groups = [each.accessible_name for each in page.all("[role=group]", within=item)]
    assert groups[0] == "Place" and groups[-1] == "Answer" and set(groups) <= {"Place", "Network", "Flags", "Answer"}
    assert page.values(item)["Continent"] in ("Africa", "Asia", "Europe", "North America", "Oceania", "South America", "Antarctica")
    assert [each.text for each in page.all("button", within=item)][-5:] == ["Show on map", "Refresh", "Copy", "Copy link", "Remove"]


# The flags on the card of a record.
FLAGS = """
  const [record, done] = arguments;
  const beside = (name) => import(new URL(name, document.querySelector("script[type=module]").src));
  Promise.all([beside("record.js"), beside("fields.js")]).then(async ([{ card }, { loadFields }]) => {
    const made = card(record);
    await loadFields();
    done([...made.querySelectorAll("[data-field=flags] dd")].map((each) => each.textContent));
  });
"""


def test_flags_are_none_where_all_that_are_known_are_false(page):
    assert page.values(page.look_up("24.48.0.1"))["Flags"] == "none"
    assert page.values(page.look_up("8.8.8.8"))["Flags"] == "hosting"
    # Not every provider has every flag.
    record = {"ip": "9.9.9.9", "status": "success"}
    shown = lambda **flags: page.driver.execute_async_script(FLAGS, {**record, **flags})  # noqa: E731
    assert shown(proxy=False, hosting=False, tor=False, vpn=False, relay=False) == ["none"]
    assert shown(tor=False) == ["none"]
    assert shown(proxy=True, hosting=False, vpn=True) == ["proxy", "vpn"]
    assert shown() == []


def test_on_a_phone_the_map_fills_the_screen(page):
    page.screen(390, 844, is_phone=True)
    page.press_button("Show on map", page.look_up("8.8.8.8"))
    region = page.find("[role=region]", "Map")
    page.until(lambda: (region.rect["width"], region.rect["height"]) == (390, 844))
    page.press_button("Back")
    page.until(lambda: region.rect["height"] < 844)
    assert page.focused().text == "Show on map"


def test_a_phone_shows_the_pin_in_the_middle(page):
    page.screen(390, 844, is_phone=True)
    page.look_up("8.8.8.8")
    item = page.look_up("1.1.1.1")
    page.driver.refresh()
    page.until(lambda: len(page.script(PINS)) == 2)
    # All of them, within the map, as the page opens.
    map_at = page.find("[role=region]", "Map").rect
    page.until(lambda: all(map_at["y"] < y < map_at["y"] + map_at["height"] - 24 and 0 < x < 366 for _, x, y, *_ in page.script(PINS)))
    item = page.item("1.1.1.1")
    page.press_button("Show on map", item)
    shown = lambda: [pin for pin in page.script(PINS) if pin[0].startswith("1.1.1.1")]  # noqa: E731
    page.until(lambda: shown())
    time.sleep(0.6)
    [(_, x, y, *_)] = shown()
    assert abs(x + 12 - 195) < 60 and abs(y + 12 - 422) < 120


def test_no_word_is_broken(page, simulator):
    item = page.look_up("1.1.1.1")
    zone = item.find_element("css selector", "[data-field=timezone] dd")
    assert zone.text.replace("\n", "") == page.values(item)["Time zone"]
    broken = """
      return [...arguments[0].querySelectorAll("dd")].filter((each) => {
        const range = document.createRange();
        return [...each.querySelectorAll("*"), each].flatMap((part) => [...part.childNodes]).some((node) => {
          if (node.nodeType !== 3) return false;
          for (const { index, 0: word } of node.data.matchAll(/\\S+/g)) {
            range.setStart(node, index);
            range.setEnd(node, index + word.length);
            if (range.getClientRects().length > 1) return true;
          }
          return false;
        });
      }).map((each) => each.textContent);
    """
    assert page.script(broken, item) == []


def test_the_answers_of_a_phone_are_cards(page):
    page.screen(390, 844, is_phone=True)
    page.look_up("8.8.8.8")
    page.view("Cache")
    page.until(lambda: page.all("tbody tr"))
    row = page.all("tbody tr")[0]
    for cell in row.find_elements("css selector", "td"):
        assert not cell.is_displayed() or 0 <= cell.rect["x"] and cell.rect["x"] + cell.rect["width"] <= 390
    place = row.find_element("css selector", ".place")
    assert place.rect["height"] < 30 and page.button("Delete", row)


def test_asking_again_moves_an_address_to_the_top(page):
    for address in ("8.8.8.8", "1.1.1.1", "8.8.8.8"):
        page.look_up(address)
        page.until(lambda: page.items()[:1] == [address])
    assert page.items() == ["8.8.8.8", "1.1.1.1"]
    page.driver.refresh()
    page.until(lambda: page.items() == ["8.8.8.8", "1.1.1.1"])


@pytest.mark.skipif(not shutil.which("faketime"), reason="there is no faketime")
def test_a_result_that_is_removed_while_it_is_read_is_gone(page, dashboard):
    for address in ("8.8.8.8", "1.1.1.1"):
        page.look_up(address)
    page.view("Network")
    with page.overtaken("lookups", "lookup-removed", "8.8.8.8") as read:
        page.view("Look up")
        read()
        dashboard.ask("DELETE", "lookups/8.8.8.8")
    page.item("1.1.1.1")
    assert page.items() == ["1.1.1.1"]


def test_an_answer_is_asked_anew_when_it_is_old_or_one_wants_that(page, dashboard, simulator):
    def asked():
        return simulator.addresses().get("8.8.8.8", 0)

    def restart(*prefix):
        process = dashboard.running.process.pid
        # Which faketime(1) has started, and does not pass signals to.
        children = Path(f"/proc/{process}/task/{process}/children").read_text().split()
        os.kill(int(children[0]) if dashboard.prefix else process, signal.SIGTERM)
        assert dashboard.running.finish(10).status == 0
        dashboard.prefix = prefix
        dashboard.start()
        page.until(lambda: not page.role("alert"), within=10)

    restart("faketime", "-f", "-6m")
    first = page.values(page.look_up("8.8.8.8"))["Fetched"]
    assert asked() == 1
    page.press_button("Get Info")
    page.until(lambda: not page.all("[aria-busy=true]"))
    assert asked() == 1
    restart()
    page.press_button("Get Info")
    page.until(lambda: asked() == 2)
    page.until(lambda: page.values(page.item("8.8.8.8"))["Fetched"] != first)
    page.press_button("Refresh", page.item("8.8.8.8"))
    page.until(lambda: asked() == 3)


def test_the_record_is_copied_as_json(page, dashboard):
    item = page.look_up("8.8.8.8")
    origin = dashboard.base.rstrip("/")
    page.command("Browser.grantPermissions", origin=origin, permissions=["clipboardReadWrite", "clipboardSanitizedWrite"])
    page.script("""
      window.copied = null;
      const note = (text) => (window.copied = text);
      if (navigator.clipboard) navigator.clipboard.writeText = async (text) => note(text);
      document.addEventListener("copy", () => note(getSelection().toString() || document.activeElement.value));
    """)
    page.press_button("Copy", item)
    record = json.loads(page.until(lambda: page.script("return window.copied")))
    assert record == dashboard.get("lookups")["items"][0]


def test_reset_of_many_asks_first(page, dashboard):
    for number in range(12):
        assert dashboard.ask("POST", "lookups", json={"ip": f"10.0.0.{number}"}).status == 200
    page.until(lambda: len(page.items()) == 12)
    page.press_button("Reset")
    page.find("[role=alertdialog]")
    assert page.focused().text == "Cancel"
    page.press_key(ESCAPE)
    page.until(lambda: not page.role("alertdialog"))
    assert page.focused().text == "Reset" and len(page.items()) == 12
    page.press_button("Reset")
    page.press_button("Yes, reset")
    page.until(lambda: page.items() == [])
    assert page.field.get_attribute("value") == ""
    page.driver.refresh()
    page.field
    assert page.items() == []


@IP_API
def test_a_provider_that_fails_is_an_error_until_it_answers(page, simulator):
    simulator.control(faults=[UNREACHABLE])
    page.write("9.9.9.9")
    page.press_button("Get Info")
    alert = page.until(lambda: page.role("alert", "Provider error: "), within=15)[0]
    assert alert.accessible_name == "Error"
    assert page.violations() == []
    simulator.control(faults=[])
    page.until(lambda: page.button("Get Info").get_attribute("aria-busy") != "true")
    page.press_button("Get Info")
    page.until(lambda: page.items() == ["9.9.9.9"], within=15)
    assert page.role("alert") == []


@IP_API
def test_a_quota_used_up_says_for_how_long(page, simulator):
    simulator.control(single_limit=1)
    page.look_up("9.9.9.9")
    page.write("1.1.1.1")
    page.press_button("Get Info")
    alert = page.until(lambda: page.role("alert", "Quota used up: try again in "), within=15)[0]
    assert alert.accessible_name == "Error"


def test_texts_of_providers_are_texts(page, simulator):
    simulator.control(hostile=True)
    chosen = {}
    for number in range(1, 200):
        chosen.setdefault(hostile_text(f"5.0.1.{number}"), f"5.0.1.{number}")
    assert len(chosen) == len(HOSTILE_TEXTS)
    for address in chosen.values():
        page.look_up(address)
    assert "\x1b" not in page.find("[aria-label=Results]").text
    item = page.expand(chosen["<script>alert('sonde')</script>&amp;"])
    assert "<script>alert('sonde')</script>&amp;" in page.values(item).values()
    page.press_button("Show on map", item)
    page.find("[role=dialog]")
    hold(page)
    page.view("Cache")
    page.until(lambda: "<script>alert('sonde')</script>&amp;" in page.find("table", "Answers").text)
    hold(page)


def hold(page):
    """The page has no script but its own, and is not pulled wide by any text."""
    assert page.script("return [...document.scripts].filter((each) => !each.src.includes('/assets/')).length") == 0
    assert page.script("return document.querySelectorAll('[onerror], [onload], iframe, main img[src=x]').length") == 0
    seen, room = page.width()
    assert seen <= room


def test_texts_of_inputs_and_file_names_are_texts(page):
    name = "<img src=x onerror=alert(1)>\u202e.txt"
    lines = ["<script>alert(1)</script>", '"><img src=x onerror=alert(1)>', "=cmd|'/c calc'!A0", "\x1b[31mred", "8.8.8.8"]
    lines += ["A" * 5000, "javascript:alert(1)", "\u202ereversed", "{{base}}"]
    text = "\n".join([*lines, *(f"5.0.2.{number}" for number in range(200))])
    page.press_button("Start", page.new_scan(name, text))
    page.state("done")
    page.until(lambda: lines[0] in page.find("table", "Records").text)
    # What could reorder a text is shown, as the command shows it.
    shown = name.replace("\u202e", "\\u{202e}")
    assert page.find("h1").text == shown and page.driver.title == f"{shown} · Sonde"
    records = page.find("table", "Records").text
    assert "\\x1b[31mred" in records and "\\u{202e}reversed" in records
    assert "\u202e" not in page.find("main").text
    hold(page)
    page.view("Scans")
    page.until(lambda: name[:20] in page.find("main").text)
    hold(page)


def test_the_cache_is_searched_and_cleared(page, dashboard):
    for address in ("8.8.8.8", "1.1.1.1"):
        page.look_up(address)
    page.view("Cache")
    cells = "return [...document.querySelectorAll('main tbody tr')].map((row) => row.cells[0]?.textContent)"
    rows = lambda: page.script(cells)  # noqa: E731
    page.until(lambda: sorted(rows()) == ["1.1.1.1", "8.8.8.8"])
    page.find("input", "Search").send_keys("8.8.8")
    page.until(lambda: rows() == ["8.8.8.8"])
    page.press_button("Delete", page.find("table", "Answers"))
    page.until(lambda: "8.8.8.8" not in page.find("main").text)
    page.find("input", "Search").clear()
    page.find("input", "Search").send_keys(" \b")
    page.until(lambda: rows() == ["1.1.1.1"])
    page.press_button("Clear")
    for answer in page.all("[role=alertdialog] button", "Yes, clear"):
        answer.click()
    page.until(lambda: dashboard.get("cache/stats")["count"] == 0)
