"""The browser's history and its tabs: "Back", leaving the page, what is done in another tab, a tab that is hidden."""

import time

import pytest
from browser import skip_without_browser

pytestmark = [skip_without_browser(), pytest.mark.xdist_group("browser-history")]

ESCAPE = "\ue00c"


def path(page):
    """Where the page is, below the server's base."""
    return page.driver.current_url.removeprefix(page.server.base)


def test_back_closes_a_dialog_before_it_leaves_the_view(page):
    page.view("Network")
    page.view("Scans")
    page.press_button("New scan")
    page.find("dialog", "New scan")
    page.driver.back()
    page.until(lambda: not page.all("dialog"))
    assert path(page) == "scans"
    # Neither Escape nor a second dialog leaves an entry behind.
    for _ in range(2):
        page.press_button("New scan")
        page.find("dialog", "New scan")
        page.press_key(ESCAPE)
        page.until(lambda: not page.all("dialog"))
    page.driver.back()
    page.find("h1", "Network")


def test_back_after_a_start_leads_to_the_list(page):
    page.view("Network")
    page.scan("back.txt", "8.8.8.8\n")
    page.driver.back()
    page.find("h1", "Scans")
    page.driver.back()
    page.find("h1", "Network")


def test_back_closes_the_map_of_a_phone(page):
    page.screen(390, 844, is_phone=True)
    page.view("Cache")
    page.view("Look up")
    item = page.look_up("8.8.8.8")
    region = page.find("[role=region]", "Map")
    page.press_button("Show on map", item)
    page.until(lambda: region.rect["height"] == 844)
    page.driver.back()
    page.until(lambda: region.rect["height"] < 844)
    assert path(page) == "lookup/8.8.8.8" and page.focused().text == "Show on map"
    page.press_button("Show on map", item)
    page.press_button("Back")
    page.until(lambda: region.rect["height"] < 844)
    page.driver.back()
    page.find("h1", "Cache")


@pytest.mark.parametrize("leave", [lambda page: page.driver.refresh(), lambda page: page.driver.get("about:blank")], ids=["reload", "another page"])
def test_leaving_the_page_drops_a_scan_that_was_not_started(page, dashboard, leave):
    page.new_scan("left.txt", "8.8.8.8\n")
    assert len(dashboard.get("scans")["items"]) == 1
    leave(page)
    page.until(lambda: dashboard.get("scans")["items"] == [])


def test_a_scan_deleted_in_another_tab_is_gone_in_this_one(page):
    scan = page.scan("twice.txt", "8.8.8.8\n")
    page.state("done")
    first = page.driver.current_window_handle
    page.driver.switch_to.new_window("tab")
    page.go(f"scans/{scan}")
    page.press_button("Delete")
    page.press_button("Yes, delete")
    page.find("h1", "Scans")
    page.driver.close()
    page.driver.switch_to.window(first)
    page.find("h1", "No such scan")
    assert not page.all("button", "Delete")


# Counts the event streams that a page has open.
STREAMS = """
  window.streams = new Set();
  window.EventSource = class extends EventSource {
    constructor(url) {
      super(url);
      streams.add(this);
    }
  };
"""


def show(page, state):
    """Shows or hides the window, as a person does."""
    window = page.command("Browser.getWindowForTarget")["windowId"]
    page.command("Browser.setWindowBounds", windowId=window, bounds={"windowState": state})
    page.until(lambda: page.script("return document.hidden") == (state == "minimized"))


def test_a_hidden_tab_closes_its_stream_and_opens_it_when_seen(page, dashboard):
    script = page.command("Page.addScriptToEvaluateOnNewDocument", source=STREAMS)["identifier"]
    page.go()
    is_open = lambda: page.script("return [...streams].some(({ readyState }) => readyState !== EventSource.CLOSED)")  # noqa: E731
    page.until(is_open)
    show(page, "minimized")
    page.until(lambda: not is_open())
    assert dashboard.ask("POST", "lookups", json={"ip": "9.9.9.9"}).status == 200
    time.sleep(1)
    assert page.items() == [] and not is_open()
    show(page, "normal")
    page.until(is_open)
    # What happened meanwhile is there.
    page.item("9.9.9.9")
    page.command("Page.removeScriptToEvaluateOnNewDocument", identifier=script)


# Holds the stream back, as a slow machine does, until it is let go.
LATE = """
  const asking = navigator.locks.request.bind(navigator.locks);
  navigator.locks.request = async (...how) => {
    await new Promise((resolve) => (window.letGo = resolve));
    return asking(...how);
  };
"""


def test_what_happens_before_the_stream_is_open_is_shown(page, dashboard):
    script = page.command("Page.addScriptToEvaluateOnNewDocument", source=LATE)["identifier"]
    page.go()
    page.until(lambda: page.script("return window.letGo !== undefined"))
    page.until(lambda: page.script("return performance.getEntriesByType('resource').some(({ name }) => name.includes('/lookups'))"))
    assert dashboard.ask("POST", "lookups", json={"ip": "9.9.9.9"}).status == 200
    assert page.items() == []
    page.script("letGo()")
    page.item("9.9.9.9")
    page.command("Page.removeScriptToEvaluateOnNewDocument", identifier=script)
