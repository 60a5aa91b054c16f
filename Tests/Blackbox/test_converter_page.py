"""The sample `converter`'s page in a real browser, against the exchange's stand-in."""

import json
import re
import signal

import pytest
from browser import skip_without_browser
from converting import Converter, ConverterPage
from namespaces import PORT, PROVIDER
from namespaces import skip_unless_allowed as skip_without_namespaces
from samples import asks_nobody_else, in_a_network

pytestmark = [skip_without_browser(), pytest.mark.xdist_group("browser-samples")]

USED = "This link was used or has expired. Run: Samples/try.sh converter"


@pytest.fixture(scope="module")
def browser():
    """One browser for the tests without a loss of the network."""
    page = ConverterPage()
    yield page
    page.close()


@pytest.fixture
def converter(tmp_path):
    """The command."""
    converter = Converter(tmp_path)
    yield converter
    converter.close()


@pytest.fixture
def page(browser, converter, simulator):
    """A browser in which the page is open, with rates."""
    running = converter.serve(simulator.env)
    browser.running = running
    browser.visit(running.address)
    browser.status("Data is loaded")
    browser.shows("below", "8890.21")
    return browser


def test_typing_in_either_recalculates_the_other(page):
    assert page.amount("above").get_property("value") == "100"
    page.type_into("above", "2,5")
    page.shows("below", "222,26")
    page.type_into("below", "1000")
    page.shows("above", "11,25")
    page.type_into("below", "1'000.5")
    page.shows("above", "11.25")
    page.type_into("above", "")
    page.shows("below", "")
    assert page.alert("Error") is None


def test_what_is_no_amount_is_told(page):
    for text in ("-1", "1e5", "1,2.3,4", ".", "9" * 31, "x" * 70_000):
        page.type_into("above", "1")
        page.shows("below", "88.90")
        page.script("arguments[0].value = arguments[1]; arguments[0].dispatchEvent(new Event('input'))", page.amount("above"), text)
        page.shows("below", "")
        assert page.alert("Error") == "Not an amount"
        assert page.amount("above").get_attribute("aria-invalid") == "true"
    page.type_into("above", "3")
    page.shows("below", "266.71")
    assert page.alert("Error") is None


def test_currencies_are_chosen(page):
    page.press_button("Currency above: USD")
    dialog = page.find("dialog", "Choose currencies")
    page.choose("Above", "EUR")
    page.choose("Below", "CNY")
    page.press_button("Done")
    page.until(lambda: not dialog.is_displayed())
    assert page.button("Currency above: EUR").is_displayed()
    assert page.button("Currency below: CNY").is_displayed()
    page.shows("below", "801.32")
    assert page.amount("above").get_property("value") == "100"


def test_currencies_are_chosen_by_keyboard(page):
    button = page.button("Currency below: RUB")
    page.press(button, "\ue007")
    page.press_key("\ue015")
    page.button("Currency below: CNY")
    page.press_key("u")
    page.button("Currency below: USD")
    page.shows("below", "100.00")
    page.press_key("\ue00c")
    page.until(lambda: page.focused().accessible_name == "Currency below: USD", what="the focus")


def test_currencies_are_swapped_and_one_is_shown_in_the_other(page):
    unit = lambda: page.script("return document.getElementById('unit').textContent")  # noqa: E731
    page.until(lambda: unit() == "1 USD = 88.90 RUB")
    page.press_button("Swap")
    assert page.button("Currency above: RUB").is_displayed() and page.button("Currency below: USD").is_displayed()
    page.shows("below", "1.12")
    assert page.amount("above").get_property("value") == "100"
    # One of the dearer: of the other, two decimals would say nothing.
    assert unit() == "1 USD = 88.90 RUB"
    page.press_button("Currency below: USD")
    page.choose("Below", "CNY")
    page.press_button("Done")
    page.until(lambda: unit() == "1 CNY = 11.95 RUB")


def test_the_sheet_covers_the_rates_alone_where_there_is_room(page):
    page.screen(1280, 900)
    try:
        page.press_button("Currency above: USD")
        top, bottom = page.script("""
          const place = (selector) => document.querySelector(selector).getBoundingClientRect();
          return [place("#choosing").top - place("form").bottom, place("#choosing").top - place(".lower").top];
        """)
        assert top >= 0 and abs(bottom) < 1
        page.press_button("Done")
    finally:
        page.command("Emulation.clearDeviceMetricsOverride")


def test_a_currency_without_a_rate_cannot_be_chosen(browser, converter, simulator):
    simulator.control(exchange={"official": {"EUR": None}})
    browser.visit(converter.serve(simulator.env).address)
    browser.status("Data is loaded")
    browser.press_button("Currency below: RUB")
    option = browser.find("[role=option]", "EUR", browser.find("[role=listbox]", "Below"))
    assert option.get_attribute("aria-disabled") == "true"
    option.click()
    assert option.get_attribute("aria-selected") == "false"
    browser.press_button("Done")
    assert browser.button("Currency below: RUB")
    assert browser.rates()["EUR"].endswith("No rate")


def test_rates_are_listed_with_source_and_date(page):
    rates = page.rates()
    assert list(rates) == ["RUB", "CNY", "EUR", "USD"]
    assert "11.9485 RUB" in rates["CNY"] and "Moscow Exchange, 2024-06-14 19:00:00" in rates["CNY"]
    assert "88.9021 RUB" in rates["USD"] and "Bank of Russia, 2024-06-15" in rates["USD"]
    assert not any("min old" in text for text in rates.values())


def test_loading_and_its_failure_are_told_and_tried_again(browser, converter, simulator):
    simulator.control(faults=[{"fault": "hold"}])
    running = converter.serve(simulator.env)
    browser.visit(running.address)
    browser.status("Data is being loaded")
    assert browser.find("progress")
    simulator.control(reset=False, faults=[])
    browser.status("Data is loaded")
    content = json.loads(converter.kept.read_text())
    content["fetched_at"] -= 86_400_000
    converter.kept.write_text(json.dumps(content))
    running.signal(signal.SIGTERM)
    assert running.finish(5).status == 0
    simulator.control(reset=False, faults=[{"fault": "status", "status": 500, "next": 1}])
    browser.visit(converter.serve(simulator.env).address)
    assert "status 500" in browser.status("Error loading data")
    browser.shows("below", "8890.21")
    assert "88.9021" in browser.rates()["USD"]
    browser.press_button("Try again")
    browser.status("Data is loaded")
    assert not browser.all("button", "Try again")


def test_a_link_opens_once_and_a_start_asks_anew(page, converter, simulator):
    link = page.running.address
    assert re.fullmatch(r"http://127\.[\d.]+:\d+/#open=[0-9a-f]{64}", link)
    assert "open=" not in page.driver.current_url
    page.driver.refresh()
    page.status("Data is loaded")
    page.visit(link)
    page.tells(USED)
    # The session that there is stays.
    page.status("Data is loaded")
    page.driver.delete_all_cookies()
    page.visit(link)
    page.tells(USED)
    page.find("h2", "Not logged in")
    page.visit(converter.serve(simulator.env).address)
    page.status("Data is loaded")
    page.press_button("Log out")
    page.find("h2", "Not logged in")
    page.driver.refresh()
    page.find("h2", "Not logged in")


def test_a_server_that_is_gone_is_told(page):
    page.running.signal(signal.SIGTERM)
    page.tells("Converter does not answer")
    assert page.running.finish(5).status == 0


def test_the_page_asks_nobody_else(page):
    asks_nobody_else(page, lambda: page.status("Data is loaded"))


@pytest.mark.parametrize("size", [(320, 640), (1280, 900)])
def test_the_page_is_accessible(page, size):
    page.screen(*size)
    try:
        assert page.violations_in_light_and_dark() == []
        page.press_button("Currency above: USD")
        assert page.violations_in_light_and_dark() == []
        page.press_button("Done")
        page.type_into("above", "x")
        page.until(lambda: page.alert("Error"))
        assert page.violations_in_light_and_dark() == []
        width, screen = page.width()
        assert width <= screen
    finally:
        page.command("Emulation.clearDeviceMetricsOverride")


@skip_without_namespaces()
def test_a_loss_of_the_network_is_told_and_waited_for(converter):
    in_a_network(converter, lose_and_restore)


def lose_and_restore(converter, network):
    """With a browser in the namespace: no network at the start, back, and lost while the page is open."""
    env = {"CONVERTER_URL": f"http://{PROVIDER}:{PORT + 3}"}
    page = ConverterPage(is_own=True)
    try:
        network.lose()
        page.visit(converter.serve(env, network.near.prefix).address)
        page.tells_loss(5)
        assert "Network lost" in page.status("Error loading data")
        network.restore()
        page.status("Data is loaded")
        page.shows("below", "8890.21")
        assert page.alert("Network") is None
        page.loses(network)
        page.until(lambda: all(text.endswith("0 min old") for text in page.rates().values()))
        page.type_into("above", "10")
        page.shows("below", "889.02")
        asked = network.simulator.requests("moex rates")
        network.restore()
        page.until(lambda: page.alert("Network") is None, 10)
        page.until(lambda: network.simulator.requests("moex rates") == asked + 1)
        page.status("Data is loaded")
    finally:
        page.close()
