"""The dashboard's page over the real server: look-ups, scans, and what is said on every view."""

import time

import pytest
from browser import skip_without_browser

# One browser for all of them.
pytestmark = [skip_without_browser(), pytest.mark.xdist_group("browser")]

TAB, ENTER, ESCAPE = "\ue004", "\ue007", "\ue00c"


def test_a_link_opens_once_and_leaves_the_address(page, dashboard):
    link = dashboard.new_link()
    for is_first in (True, False):
        page.driver.get("about:blank")
        page.driver.get(link)
        page.find("h1", "Look up")
        page.until(lambda: "#" not in page.driver.current_url)
        if is_first:
            page.until(lambda: not page.role("alert"))
    page.said("alert", "This link was used or has expired. Run: sonde serve link")
    page.press_button("Log out")
    page.find("h1", "Not logged in")


def test_the_field_tells_what_a_text_is(page):
    assert page.field.get_attribute("data-state") == "empty"
    page.write("8.8.8.8:53")
    assert page.field.get_attribute("data-state") == "invalid" and page.field.get_attribute("aria-invalid") == "true"
    page.said("status", "has a port; write 8.8.8.8")
    page.press_button("Write 8.8.8.8")
    assert page.field.get_attribute("data-state") == "valid" and page.field.get_attribute("aria-invalid") is None


def test_an_address_is_looked_up_shown_kept_and_removed(page):
    item = page.look_up("8.8.8.8")
    values = page.values(item)
    assert values["Status"] == "ok" and values["Source"] == "ip-api" and "Age" in values
    name = ", ".join(["8.8.8.8", values["City"], values["Country"]])
    page.button(name).click()
    dialog = page.find("[role=dialog]", "8.8.8.8")
    assert values["Country"] in dialog.text
    assert page.item("8.8.8.8").get_attribute("aria-current") == "true"
    page.press_key(ESCAPE)
    page.until(lambda: page.focused().accessible_name == name)
    page.driver.refresh()
    page.until(lambda: page.items() == ["8.8.8.8"])
    page.press_button("Remove", page.item("8.8.8.8"))
    page.until(lambda: page.items() == [])


def test_find_me_fills_the_field(page):
    page.press_button("Find me")
    page.until(lambda: page.field.get_attribute("data-state") == "valid")
    page.until(lambda: page.items() == [page.field.get_attribute("value")])


def test_a_scan_by_keyboard_from_a_paste_to_its_records(page):
    tab_to(page, "Scans")
    page.press_key(ENTER)
    page.until(lambda: page.focused().text == "Scans" and page.focused().tag_name == "h1")
    tab_to(page, "New scan")
    page.press_key(ENTER)
    page.find("dialog", "New scan")
    page.press_key("".join(f"5.6.7.{number}\n" for number in range(60)) + "10.0.0.1\nfoo\n")
    plan = page.until(lambda: [each for each in page.all("[role=status]", "Plan") if "Entries" in each.text])[0]
    assert "62" in plan.text and "ip-api: 1 request" in plan.text
    tab_to(page, "Start")
    page.press_key(ENTER)
    page.until(lambda: page.role("status", "done"), within=20)
    page.said("status", "Page 1 of 2")
    assert page.find("[role=progressbar]", "Progress").get_attribute("aria-valuenow") == "100"
    for name in ("Counts", "Losses", "Countries", "Networks", "Cities", "Addresses", "Records"):
        page.find("table", name)
    for name in ("Throughput", "Scan map"):
        page.find("[role=img]", name)
    page.find("input", "Filter").send_keys("10.0.0.1")
    page.said("status", "Page 1 of 1")
    page.until(lambda: "Private-Use" in page.find("table", "Records").text)
    tab_to(page, "Delete")
    page.press_key(ENTER)
    page.until(lambda: page.focused().text == "Cancel")
    page.press_button("Yes, delete")
    page.find("h1", "Scans")


def tab_to(page, name, most=80):
    """Presses the tab key until something has the focus."""
    for _ in range(most):
        page.press_key(TAB)
        if page.focused().accessible_name == name:
            return
    raise AssertionError(f"{name} is not reached by the tab key")


@pytest.mark.parametrize("name, canvas", [("dygraphs.js", "Throughput"), ("world-map.js", "Scan map")])
def test_a_picture_that_could_not_be_loaded_comes_later(page, name, canvas):
    page.command("Network.enable")
    page.command("Network.setBlockedURLs", urls=[f"*/{name}"])
    page.scan("list.txt", "8.8.8.8\n1.1.1.1\n")
    page.until(lambda: any(each.endswith(name) for each in page.requests()), what=f"{name} is not asked for")
    page.command("Network.setBlockedURLs", urls=[])
    page.until(lambda: page.script(f"return document.querySelector('[aria-label=\"{canvas}\"] canvas, [aria-label=\"{canvas}\"] svg')"))


def test_sonde_does_not_answer_until_it_is_back(page, dashboard):
    dashboard.stop()
    page.said("alert", "Sonde does not answer")
    dashboard.start()
    page.until(lambda: not page.role("alert"), within=10)
    page.look_up("1.1.1.1")


@pytest.mark.measures_time
def test_the_field_is_there_soon(page):
    seen = """
      new MutationObserver((_, observer) => {
        if (!document.getElementById("ip")) return;
        window.fieldAt = performance.now();
        observer.disconnect();
      }).observe(document, { childList: true, subtree: true });
    """
    page.command("Page.addScriptToEvaluateOnNewDocument", source=seen)
    times = []
    for _ in range(10):
        page.go()
        page.find("input", "IP address")
        times.append(page.script("return window.fieldAt"))
    assert sorted(times)[5] < 300


def test_the_first_view_is_small(page):
    page.command("Network.setCacheDisabled", cacheDisabled=True)
    page.go()
    page.field
    page.until(lambda: page.script("return document.readyState") == "complete")
    entries = 'return ["navigation", "resource"].flatMap((type) => performance.getEntriesByType(type)).map((each) => each.encodedBodySize)'
    sizes = page.script(entries)
    page.command("Network.setCacheDisabled", cacheDisabled=False)
    assert len(sizes) > 20 and sum(sizes) < 60_000


def test_a_path_that_is_no_view_is_not_found(page, dashboard):
    page.go("nowhere")
    page.find("h1", "Page not found")
    assert page.driver.title == "Page not found · Sonde" and page.violations() == []
    assert [each.text for each in page.all("nav a")][:2] == ["Look up", "Scans"]
    for accept, kind in (("text/html,*/*;q=0.8", "text/html; charset=utf-8"), ("application/json", "application/problem+json"), ("*/*", "application/problem+json")):
        answer = dashboard.ask("GET", "/nowhere", headers={"Accept": accept})
        assert (answer.status, answer.headers["Content-Type"]) == (404, kind), accept
    page.click("nav a", "Scans")
    page.find("h1", "Scans")


def hold(page):
    """Holds the page as it is now to what everybody can use, and to the width of the screen."""
    assert page.violations() == []
    seen, room = page.width()
    assert seen <= room


@pytest.mark.parametrize("width, height, scheme", [(320, 640, "dark"), (1280, 900, "light"), (3840, 2160, "dark")])
def test_everybody_can_use_every_view(page, width, height, scheme):
    page.screen(width, height, is_phone=width < 500)
    page.scheme(scheme)
    page.write("8.8.8.8:53")
    hold(page)
    for address in ("10.1.2.3", "1.1.1.1", "8.8.8.8"):
        page.look_up(address)
    hold(page)
    page.press_button("Show on map", page.item("8.8.8.8"))
    page.find("[role=dialog]", "8.8.8.8")
    hold(page)
    for back in page.all("button", "Back"):
        back.click()
    page.view("Scans")
    page.press_button("New scan")
    dialog = page.find("dialog", "New scan")
    page.find("textarea").send_keys("8.8.8.8\n1.1.1.1\nexample.com\n")
    page.until(lambda: [plan for plan in page.all("[role=status]", "Plan") if "Entries" in plan.text])
    hold(page)
    page.press_button("Start", dialog)
    page.until(lambda: page.role("status", "done"), within=20)
    page.find("[role=img]", "Scan map")
    time.sleep(0.5)
    hold(page)
    page.press_button("Delete")
    page.find("[role=alertdialog]")
    hold(page)
    page.press_button("Cancel")
    for view, table in (("Network", "Interfaces"), ("Cache", "Answers")):
        page.view(view)
        page.until(lambda: page.find("table", table).find_elements("css selector", "tbody tr"))
        hold(page)
