"""The page of outages, in a real browser."""

import pytest
from browser import skip_without_browser
from dashboard_page import DashboardPage
from test_outages import KNOWN, SPAN, write

pytestmark = [skip_without_browser(), pytest.mark.xdist_group("browser")]

HOSTILE = "</title></style><script>document.title='owned'</script>"

# How each kind of band looks, and where the legend names it.
FILLS = """
  const fill = (name) => getComputedStyle(document.querySelector(`figure > .days .${name}`)).fill;
  return Object.fromEntries(["online", "degraded", "offline", "unwatched"].map((name) => [name, fill(name)]));
"""


@pytest.fixture(scope="module")
def browser():
    """A browser for the tests of this module."""
    browser = DashboardPage()
    yield browser
    browser.close()


def shown(sonde, browser, *options, runs=KNOWN, span=SPAN):
    """Opens the page of a history; it neither complains nor asks anybody."""
    write(sonde, *runs)
    result = sonde("outages", *span, "--html", "page.html", "-o", "out.csv", *options)
    assert (result.status, result.stderr) == (0, "")
    browser.open(sonde.work / "page.html")
    assert browser.complaints() == [] and browser.requests() == []


def test_the_tables_and_the_timeline(sonde, browser):
    shown(sonde, browser, "--title", HOSTILE, runs=KNOWN[:5])
    assert browser.driver.title == HOSTILE
    assert browser.captions() == ["Outages", "Summary", "Causes", "Hours"]
    assert browser.rows("Outages")[0] == ["2026-03-01 01:00:00", "01:02:11", "2 min 11 s", "offline", "link_down", "eth0", "a.example:443"]
    assert [row[2] for row in browser.rows("Outages")] == ["2 min 11 s", "1 min", "at least 9 s"]
    assert browser.rows("Summary")[0][:4] == ["a.example:443", "98.105 %", "2 h 3 min", "2"]
    assert browser.rows("Causes") == [["link_down", "1", "2 min 11 s"], ["no_route", "1", "9 s"]]
    assert browser.rows("Hours")[1:3] == [["1:00", "1", "2 min 11 s"], ["2:00", "1", "9 s"]] and len(browser.rows("Hours")) == 24
    assert browser.named("image") == ["Timeline"]
    assert "not watched" in browser.driver.find_element("css selector", "figcaption").text
    fills = browser.driver.execute_script(FILLS)
    assert len(set(fills.values())) == 4 and "url(" in fills["unwatched"]


def test_the_tables_are_sorted_and_filtered(sonde, browser):
    shown(sonde, browser)
    assert browser.order("Outages", "Start") == "ascending"
    for expected in (["2 min 11 s", "1 min", "at least 9 s"], ["at least 9 s", "1 min", "2 min 11 s"]):
        browser.press(browser.header("Outages", "Length"), " ")
        assert [row[2] for row in browser.rows("Outages")] == expected
    assert (browser.order("Outages", "Length"), browser.order("Outages", "Start")) == ("ascending", None)
    browser.press(browser.header("Outages", "Cause"), " ")
    assert [row[4] for row in browser.rows("Outages")] == ["link_down", "lossy", "no_route"]
    browser.press(browser.header("Hours", "Hour"), " ")
    assert [row[1] for row in browser.rows("Hours")][:3] == ["0:00", "0:00", "1:00"]
    browser.press(browser.driver.find_element("id", "filter"), "NO_R")
    seen = [row.text for row in browser.driver.find_elements("css selector", "#outages tbody tr") if row.is_displayed()]
    assert len(seen) == 1 and "no_route" in seen[0]
    assert browser.driver.find_element("css selector", "[role=status]").get_attribute("textContent").startswith("Outages: 1, Summary: 0, Causes: 1")
    assert browser.violations() == [] and browser.complaints() == []


def test_a_row_for_each_day_and_a_timeline_for_each_endpoint(sonde, browser):
    shown(sonde, browser, span=("--since", "2026-02-27", "--until", "2026-03-02T12:00:00Z"))
    assert browser.named("image") == ["Timeline of a.example:443", "Timeline of b.example:80 c.example:80"]
    days = browser.driver.execute_script(
        "return [...document.querySelectorAll('figure > .days')[0].querySelectorAll('text[x=\"0\"]')].map((each) => each.textContent)"
    )
    assert days == ["2026-02-27", "2026-02-28", "2026-03-01", "2026-03-02"]


def test_nothing_kept_is_a_page_too(sonde, browser):
    assert sonde("outages", "--html", "page.html").status == 0
    browser.open(sonde.work / "page.html")
    assert browser.rows("Outages") == [["none"]] and browser.complaints() == []


def test_it_fits_a_phone_in_light_and_dark(sonde, browser):
    browser.command("Emulation.setDeviceMetricsOverride", width=360, height=740, deviceScaleFactor=1, mobile=True)
    shown(sonde, browser)
    width, screen = browser.width()
    assert width <= screen and browser.violations_in_light_and_dark() == []
    for scheme in ("dark", "light"):
        browser.scheme(scheme)
        paper = browser.driver.execute_script("return getComputedStyle(document.documentElement).backgroundColor")
        assert (paper == "rgb(247, 247, 244)") == (scheme == "light")
    browser.command("Emulation.clearDeviceMetricsOverride")
    browser.command("Emulation.setEmulatedMedia", features=[])
