"""What the dashboard's page takes: keys, pastes and files, in one tab or several."""

import json
from pathlib import Path

import pytest
from browser import skip_without_browser

# One browser for all of them.
pytestmark = [skip_without_browser(), pytest.mark.xdist_group("browser")]

CASES = json.loads((Path(__file__).parent / "check_cases.json").read_text())

ESCAPE = "\ue00c"


def planned(page):
    """Waits for the plan of a new scan."""
    return page.until(lambda: [each for each in page.all("[role=status]", "Plan") if "Entries" in each.text])[0]


def test_a_comma_is_a_point_and_what_is_too_long_is_refused(page):
    page.field.send_keys("8,8,8,8")
    assert page.field.get_attribute("value") == "8.8.8.8"
    page.script("arguments[0].select()", page.field)
    page.command("Input.insertText", text="2001:db8::" + "1" * 50)
    assert page.field.get_attribute("value") == "8.8.8.8"
    page.said("status", "Not taken")
    page.command("Input.insertText", text="  9.9.9.9\n")
    assert page.field.get_attribute("value") == "9.9.9.9"


def test_letters_gives_the_other_keyboard(page):
    letters = page.button("Letters")
    for mode, pressed in (("decimal", "false"), ("text", "true"), ("decimal", "false")):
        assert page.field.get_attribute("inputmode") == mode and letters.get_attribute("aria-pressed") == pressed
        letters.click()


@pytest.mark.measures_time
def test_from_key_to_colour(page):
    slowest = page.script(
        """
          const [input, texts] = arguments;
          const took = (text) => {
            const start = performance.now();
            input.value = text;
            input.dispatchEvent(new Event("input"));
            getComputedStyle(input).color;
            return performance.now() - start;
          };
          // The shorter of two, for what is collected as garbage meanwhile belongs to no key.
          return Math.max(...texts.map((text) => Math.min(took(text), took(text))));
        """,
        page.field,
        [case["text"][:45] for case in CASES],
    )
    assert slowest < 50


def test_a_block_is_not_asked(page):
    page.write("8.8.8.0/24")
    page.press_button("Get Info")
    assert page.said("alert", "Invalid address: this is a block or a range: use Scans").accessible_name == "Error"


def test_an_error_goes_when_something_else_is_typed(page):
    page.write("8.8.8.999")
    page.press_button("Get Info")
    page.said("alert", "Invalid address: octet 999 is over 255")
    page.write("8.8.8.8")
    assert page.field.get_attribute("data-state") == "valid" and page.role("alert") == []


def test_an_address_in_the_url_is_looked_up(page):
    page.go("?ip=8.8.8.8")
    page.item("8.8.8.8")


def test_a_file_is_dropped_anywhere(page):
    page.script("""
      const data = new DataTransfer();
      data.items.add(new File(["8.8.8.8\\n1.1.1.1\\n"], "dropped.log"));
      for (const name of ["dragenter", "dragover", "drop"]) {
        document.body.dispatchEvent(new DragEvent(name, { dataTransfer: data, bubbles: true, cancelable: true }));
      }
    """)
    page.find("dialog", "New scan")
    assert page.script("return arguments[0].files[0].name", page.find("input", "File")) == "dropped.log"
    planned(page)
    page.press_key(ESCAPE)
    page.until(lambda: not page.all("dialog"))
    page.view("Scans")
    page.until(lambda: "No scans yet." in page.find("main").text)


def test_a_large_paste_becomes_a_file(page):
    page.view("Scans")
    page.press_button("New scan")
    page.script(
        """
          const data = new DataTransfer();
          data.setData("text/plain", "8.8.8.8\\n".repeat(200000));
          arguments[0].dispatchEvent(new ClipboardEvent("paste", { clipboardData: data, bubbles: true, cancelable: true }));
        """,
        page.find("textarea", "Paste a list or log"),
    )
    assert page.find("textarea").get_attribute("value") == ""
    assert page.script("return arguments[0].files[0].size", page.find("input", "File")) == 1_600_000


def test_results_come_from_other_tabs(page):
    first = page.driver.current_window_handle
    page.driver.switch_to.new_window("tab")
    page.go()
    page.look_up("8.8.4.4")
    page.driver.close()
    page.driver.switch_to.window(first)
    page.item("8.8.4.4")


def test_the_theme_stays_as_chosen(page):
    paper = "return getComputedStyle(document.documentElement).backgroundColor"
    light = page.script(paper)
    page.click("[role=switch]", "Theme")
    assert page.script(paper) != light
    page.driver.refresh()
    switch = page.find("[role=switch]", "Theme")
    assert switch.get_attribute("aria-checked") == "true"
    switch.click()
    assert page.script(paper) == light


def test_views_are_links_and_can_be_gone_back_to(page, dashboard):
    assert [each.text for each in page.all("nav a")] == ["Look up", "Scans", "Network", "Cache"]
    page.view("Network")
    assert page.driver.current_url == dashboard.base + "network" and page.driver.title == "Network · Sonde"
    assert page.focused().text == "Network"
    page.view("Cache")
    page.driver.back()
    page.find("h1", "Network")
    page.driver.refresh()
    page.find("h1", "Network")


def test_a_scan_is_paused_and_stopped(page, simulator):
    simulator.control(faults=[{"fault": "hold", "from": 4}])
    page.scan("long.txt", "".join(f"5.6.{number >> 8}.{number & 255}\n" for number in range(3000)))
    page.press_button("Pause")
    page.said("status", "paused")
    page.press_button("Resume")
    page.until(lambda: page.role("status", "running") or page.role("status", "waiting"))
    page.press_button("Stop")
    page.press_button("Yes, stop")
    page.said("status", "stopped")
    for name in ("CSV", "NDJSON", "JSON", "Missing", "Rejects"):
        page.find("a", name)
