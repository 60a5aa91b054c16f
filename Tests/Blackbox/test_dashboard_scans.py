"""Scans in the dashboard's page: one that is watched live, and inputs that are too much."""

import csv
import signal

import pytest
from browser import skip_without_browser
from command import PATIENCE

pytestmark = [skip_without_browser(), pytest.mark.xdist_group("browser-scans")]


def addresses(count):
    """A list of addresses, each once."""
    return "".join(f"5.{number >> 8}.{number & 255}.9\n" for number in range(count))


def entries(page):
    """How many entries the table "Counts" tells of."""
    rows = dict(page.rows("Counts") or [])
    return int("".join(filter(str.isdigit, rows.get("entries", "0"))))


def answer_first(simulator, content, count):
    """Answers the first batches of a list, and holds later ones until there are other rules.

    By what they ask, since two requests at once may arrive in either order.
    """
    held = [{"fault": "hold", "address": address} for address in content.split()[100 * count :: 100]]
    simulator.control(reset=False, batch_limit=None, faults=held)


def rows(text):
    """The rows of CSV, without what differs from run to run."""
    return [{k: v for k, v in row.items() if k not in ("cached", "fetched_at")} for row in csv.DictReader(text.splitlines())]


# A request that is held is given up after its time, and its batch taken apart: no machine is that slow.
HELD = ("--concurrency", "2", "--timeout", "10m")


@pytest.mark.parametrize("dashboard", [HELD], indirect=True, ids=["two at once"])
def test_a_scan_is_watched_paused_resumed_and_downloaded(page, sonde, simulator, tmp_path):
    listed = addresses(6000)
    answer_first(simulator, listed, 2)
    content = listed + "10.0.0.1\nnonsense\n=cmd\n5.0.0.9\n"
    scan = page.scan("watched.txt", content)
    page.state("running")
    # It fills without being asked.
    page.until(lambda: entries(page) == 200)
    answer_first(simulator, listed, 6)
    page.until(lambda: entries(page) == 600)
    page.until(lambda: simulator.requests("ip-api batch") == 8)
    page.press_button("Pause")
    page.state("paused")
    assert simulator.counts()["distinct"] == 800
    # The answers to requests that were under way are kept.
    answer_first(simulator, listed, 8)
    assert 600 <= entries(page) <= 800
    # The same in a second tab, which can resume it for both, and after a reload.
    first_tab = page.driver.current_window_handle
    page.driver.switch_to.new_window("tab")
    page.go(f"scans/{scan}")
    page.state("paused")
    page.until(lambda: 600 <= entries(page) <= 800)
    simulator.control(reset=False, faults=[])
    page.press_button("Resume")
    page.driver.close()
    page.driver.switch_to.window(first_tab)
    page.state("running", "done")
    page.driver.refresh()
    page.state("done", within=30)
    page.until(lambda: entries(page) == 6004)
    page.said("status", "Page 1 of 121")
    downloads = tmp_path / "downloads"
    page.command("Browser.setDownloadBehavior", behavior="allow", downloadPath=str(downloads))
    page.click("a", "CSV")
    whole = downloads / f"sonde-{scan}.csv"
    page.until(whole.exists)
    sonde.file("watched.txt", content)
    own = sonde("scan", "watched.txt", "--format", "csv", "--spreadsheet", env=simulator.env).stdout
    assert rows(whole.read_text()) == rows(own.decode())


def test_a_scan_outlasts_a_killed_server_before_ones_eyes(page, dashboard, simulator):
    answer_first(simulator, content := addresses(2000), 3)
    page.scan("killed.txt", content)
    page.until(lambda: entries(page) > 0)
    dashboard.stop(signal.SIGKILL)
    page.said("alert", "Sonde does not answer")
    assert page.violations() == []
    simulator.control(reset=False, faults=[])
    dashboard.start()
    page.state("done")
    page.until(lambda: entries(page) == 2000)
    page.until(lambda: not page.role("alert"))


@pytest.mark.parametrize("is_list", [False, True], ids=["page", "list"])
def test_a_scan_that_ends_while_it_is_read_is_done(page, dashboard, is_list):
    scan = dashboard.scan("8.8.8.8\n1.1.1.1\n", name="overtaken.txt", start="false").json["id"]
    page.view("Scans")
    page.find("a", "overtaken.txt")
    page.view("Network")
    with page.overtaken("scans" if is_list else f"scans/{scan}", "scan", '"done"') as read:
        page.view("Scans")
        if not is_list:
            page.click("a", "overtaken.txt")
        read()
        dashboard.ask("POST", f"scans/{scan}/start")
    if is_list:
        page.until(lambda: "\ndone\n" in page.find("li", "overtaken.txt").text)
    else:
        page.state("done")


def test_records_are_sorted_filtered_and_turned_over(page):
    page.scan("sorted.txt", addresses(120))
    page.state("done")
    page.said("status", "Page 1 of 3")
    page.press_button("Next page")
    page.said("status", "Page 2 of 3")
    page.press_button("Previous page")
    page.said("status", "Page 1 of 3")
    table = page.find("table", "Records")
    for order in ("ascending", "descending"):
        page.press_button("City", table)
        page.until(lambda: page.button("City", table).find_element("xpath", "..").get_attribute("aria-sort") == order)
    page.find("input", "Filter").send_keys("5.0.77.9")
    page.said("status", "1 match")
    page.until(lambda: len(page.all("tbody tr", within=page.find("table", "Records"))) == 1)
    assert page.driver.current_url.endswith("?filter=5.0.77.9&sort=-city")
    page.press_button("5.0.77.9", page.find("table", "Records"))
    dialog = page.find("dialog", "5.0.77.9")
    page.find("[role=group]", "Network", dialog)
    page.press_button("Close", dialog)
    page.until(lambda: not page.all("dialog"))


def test_a_row_is_a_condition_and_columns_are_chosen(page, dashboard):
    page.scan("chosen.txt", addresses(60))
    page.state("done")
    countries = page.find("table", "Countries")
    page.until(lambda: page.all("tbody tr", within=countries))
    # At once, for a late answer fills the table anew.
    cells = "return [...arguments[0].querySelectorAll('tbody tr:first-child td')].map((cell) => cell.innerText)"
    name, code, count = page.script(cells, countries)[:3]
    page.press_button(name, countries)
    page.said("status", f"{count} match")
    remover = page.button(f"Remove filter country_code = {code}")
    assert "where=country_code" in page.driver.current_url
    assert "where=country_code" in page.find("a", "GeoJSON").get_attribute("href")
    page.driver.refresh()
    page.said("status", f"{count} match")
    page.driver.back()
    page.until(lambda: not page.all("button", f"Remove filter country_code = {code}"))
    page.driver.forward()
    remover = page.button(f"Remove filter country_code = {code}")
    remover.click()
    page.said("status", "Page 1 of 2")
    page.press_button("Columns")
    dialog = page.find("dialog", "Columns")
    page.find("input", "City", dialog).click()
    page.press_button("Close", dialog)
    page.until(lambda: not page.all("button", "City", page.find("table", "Records")))
    page.driver.refresh()
    page.until(lambda: page.all("button", "Region", page.find("table", "Records")))
    assert not page.all("button", "City", page.find("table", "Records"))
    page.script("localStorage.clear()")


def last_cell(page, caption):
    """The last cell of a table's first row, away from the page's header, under which it would take no click."""
    cell = page.find("tbody tr:first-child td:last-child", within=page.find("table", caption))
    page.script("arguments[0].scrollIntoView({ block: 'center' })", cell)
    return cell


def test_a_click_anywhere_in_a_row_is_a_condition(page, dashboard):
    page.scan("clicked.txt", addresses(60))
    page.state("done")
    clicked = []
    for caption in ("Countries", "Networks", "Cities"):
        cell = last_cell(page, caption)
        assert page.script("return getComputedStyle(arguments[0]).cursor", cell) == "pointer"
        cell.click()
        clicked.append(page.until(lambda: page.all("button.condition")[len(clicked) :])[0].text)
    assert [text.split()[0] for text in clicked] == ["country_code", "asn", "(city"]
    # By its button a row is chosen once, and one that is chosen already not again.
    page.find("button", within=last_cell(page, "Countries").find_element("xpath", "..")).click()
    assert [each.text for each in page.all("button.condition")] == clicked
    # Who selects a text does not choose.
    page.press_button(f"Remove filter {clicked[0]}")
    page.until(lambda: len(page.all("button.condition")) == 2)
    page.script("getSelection().selectAllChildren(arguments[0]); arguments[0].click()", last_cell(page, "Countries"))
    assert len(page.all("button.condition")) == 2
    page.script("getSelection().removeAllRanges()")
    # The rows of "Addresses" are no conditions.
    last_cell(page, "Addresses").click()
    assert len(page.all("button.condition")) == 2 and page.violations() == []


def test_names_of_rows_are_two_lines_at_most(page, dashboard, simulator):
    simulator.control(hostile=True)
    page.scan("narrow.txt", addresses(200))
    page.state("done")
    page.until(lambda: page.all("tbody tr", within=page.find("table", "Cities")))
    page.screen(320, 640, is_phone=True)
    heights = "return [...document.querySelectorAll('main button')].map((each) => [each.getBoundingClientRect().height, each.textContent])"
    assert [(height, text) for height, text in page.script(heights) if height > 64] == []
    # What is cut is still the name. To ask for many names takes long.
    names = "return [...document.querySelectorAll('.choosable button')].slice(0, 20).filter((each) => each.computedName !== each.textContent.trim().replace(/\\s+/g, ' ')).length"
    assert page.script(names) == 0
    seen, room = page.width()
    assert seen <= room


def test_a_scan_without_an_address_says_so(page, dashboard):
    dialog = page.new_scan("empty.txt", "nothing here\nat all\n")
    page.said("alert", "No address in 2 lines")
    assert not page.button("Start", dialog).is_enabled()
    page.script("arguments[0].value = ''", page.find("input", "File"))
    page.find("textarea").send_keys("8.8.8.8\na\nb\nc\n")
    page.find("select", "Treat as").send_keys("List")
    page.until(lambda: "3 of 4 lines are no addresses" in page.find("[role=status]", "Plan").text)
    page.press_button("Cancel")
    page.until(lambda: page.focused().text == "New scan")
    dashboard.scan("nothing here\nat all\n", name="empty.txt")
    page.click("a", "empty.txt")
    page.state("done")
    assert "no address " in page.find("main").text
    assert "network lost" in dict(page.rows("Counts")) and page.find("[role=img]", "Throughput").rect["height"] < 40
    page.view("Scans")
    page.until(lambda: "no address " in page.find("main").text)


def test_ask_again_with_nothing_to_ask_says_so(page):
    page.scan("again.txt", "8.8.8.8\n")
    page.state("done")
    page.press_button("Ask again")
    page.until(lambda: page.role("alert"))


def test_what_is_cancelled_leaves_nothing(page, dashboard):
    page.new_scan("cancelled.txt", addresses(50))
    page.press_button("Cancel")
    page.until(lambda: dashboard.get("scans")["items"] == [])
    assert page.focused().text == "New scan"
    page.go("scans/" + 32 * "0")
    page.find("h1", "No such scan")
    assert page.violations() == []


def test_a_paste_of_fifty_megabytes_becomes_a_file_and_a_plan(page):
    page.view("Scans")
    page.press_button("New scan")
    page.script(
        """
          const data = new DataTransfer();
          data.setData("text/plain", "8.8.8.8\\n1.1.1.1 \\n".repeat(2_800_000));
          arguments[0].dispatchEvent(new ClipboardEvent("paste", { clipboardData: data, bubbles: true, cancelable: true }));
        """,
        page.find("textarea", "Paste a list or log"),
    )
    assert page.find("textarea").get_attribute("value") == ""
    planned = lambda: [each for each in page.all("[role=status]", "Plan") if "5,600,000" in each.text]  # noqa: E731
    page.until(planned, within=3 * PATIENCE)
    page.press_button("Cancel")
