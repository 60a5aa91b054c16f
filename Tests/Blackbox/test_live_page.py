"""The view "Live" in a real browser: rows that are conditions, and lines as they are shown."""

import pytest
from browser import skip_without_browser
from command import wait_for
from dashboard_page import DashboardPage
from test_live import append, following, the_log

# One browser for all of them.
pytestmark = [skip_without_browser(), pytest.mark.xdist_group("browser-results")]

LINES = "return [...document.querySelectorAll('[role=log] > *')].filter((each) => !each.hidden).map((each) => each.textContent)"


@pytest.fixture
def live(dashboard_browser: DashboardPage, sonde, simulator, tmp_path):
    """The view of a log that is followed, and the log."""
    log = tmp_path / "access.log"
    append(log, "before")
    with following(sonde, simulator, log) as server:
        wait_for(lambda: the_log(server)["state"] == "following")
        with dashboard_browser.visiting(server) as page:
            page.view("Live")
            page.said("status", "following")
            yield page, log


def shown(page):
    """The lines that are seen, as soon as there are any."""
    return page.until(lambda: page.script(LINES))


def test_a_click_anywhere_in_a_row_is_a_condition(live):
    page, log = live
    append(log, *["8.8.8.8 one"] * 3, "1.1.1.1 two")
    conditions = lambda: [each.text for each in page.all("button.condition")]  # noqa: E731
    for caption, condition in (("Countries", "country_code = US"), ("Addresses", "ip = 8.8.8.8")):
        # Its rows are drawn anew each second.
        page.click("tbody tr:first-child td:last-child", within=page.find("table", caption))
        page.until(lambda condition=condition: condition in conditions(), what=conditions)
    page.until(lambda: all("8.8.8.8" in line for line in shown(page)))
    assert page.driver.current_url.endswith("where=country_code+%3D+US+and+ip+%3D+8.8.8.8")


def test_a_row_keeps_the_focus_while_it_is_drawn_anew(live):
    page, log = live
    append(log, "8.8.8.8 one", "1.1.1.1 two")
    page.until(lambda: len(page.rows("Countries") or []) == 2)
    page.script("document.querySelector('.choosable button').focus(); window.before = document.activeElement")
    # What has the focus may be drawn anew before a second question.
    focused = "return document.activeElement.textContent"
    name = page.script(focused)
    page.until(lambda: page.script("return !window.before.isConnected"))
    assert page.script(focused) == name != ""
    page.press_key("\ue007")
    page.until(lambda: page.all("button.condition"))


def test_control_characters_of_lines_are_escaped(live):
    page, log = live
    append(log, "8.8.8.8\t\x1b[31mred \x85 \u2028 \u202ereversed \x7f <b>")
    page.until(lambda: page.rows("Addresses"))
    [line] = shown(page)
    assert line.startswith("8.8.8.8 [") and line.endswith("]\\t\\x1b[31mred \\u{85} \\u{2028} \\u{202e}reversed \\x7f <b>"), line
    # What is filtered are the addresses of the line as it came.
    page.click("tbody tr:first-child td:last-child", within=page.find("table", "Addresses"))
    page.find("button", "Remove filter ip = 8.8.8.8")
    page.until(lambda: page.rows("Addresses"))
    assert shown(page) == [line]
