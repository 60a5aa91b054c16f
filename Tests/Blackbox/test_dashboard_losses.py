"""The dashboard while the network comes and goes, in a namespace whose link is cut: banner, chart and scans."""

import json
import re
import signal
import subprocess
import time

import pytest
from browser import skip_without_browser
from command import wait_for
from dashboard_page import DashboardPage
from namespaces import Network, skip_unless_allowed
from selenium.webdriver.support.ui import Select
from serving import Dashboard

pytestmark = [skip_without_browser(), skip_unless_allowed(), pytest.mark.xdist_group("browser-losses")]

LOST = r"Network lost: link down \(near0\) since \d\d?:\d\d:\d\d.*"

# Whether a band is drawn: its edge has the colour of losses, opaque.
BANNERS = "return document.querySelectorAll('[aria-label=Network][role=alert]').length"

HAS_BAND = """
  const probe = document.createElement("span");
  probe.style.color = "var(--loss)";
  document.body.append(probe);
  const wanted = getComputedStyle(probe).color.match(/\\d+/g).map(Number);
  probe.remove();
  return [...document.querySelectorAll('[aria-label="Throughput"] canvas')].some((canvas) => {
    const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
    for (let at = 0; at < data.length; at += 4) {
      if (wanted.every((value, part) => Math.abs(value - data[at + part]) < 3) && data[at + 3] === 255) return true;
    }
    return false;
  });
"""


@pytest.fixture(scope="module")
def network():
    """The near and the far side; this process, and all that it starts, is on the near one."""
    network = Network(batch_limit="null", single_limit="null")
    with network.near.entered():
        settle()
        yield network
    network.close()


@pytest.fixture(scope="module")
def inner_browser(network):
    """A browser on the near side."""
    browser = DashboardPage(is_own=True)
    yield browser
    browser.close()


@pytest.fixture
def inner(sonde, network):
    """A server on the near side, which asks the far one."""
    network.simulator.control(batch_limit=None, single_limit=None, latency=0.2)
    return Dashboard(sonde, network, "--provider", "ip-api", "--rate", "4/s", namespace=network.near)


@pytest.fixture
def page(inner_browser, inner, network):
    """The page of that server; the network is there again afterwards."""
    with inner_browser.visiting(inner) as page:
        yield page
    network.restore()
    settle()


def settle():
    """Waits until the link and its addresses can be used: Chrome gives up what it loads whenever one comes."""

    def shown(*arguments):
        return subprocess.run(("ip", *arguments), capture_output=True, check=True).stdout

    wait_for(lambda: b"state UP" in shown("link", "show", "near0"))
    # The check of an address (RFC 4862) begins right behind that.
    time.sleep(0.1)
    wait_for(lambda: not shown("-6", "addr", "show", "tentative"))


def addresses(count):
    """A list of addresses, each once."""
    return "".join(f"5.6.{number >> 8}.{number & 255}\n" for number in range(count))


def begun(network, page, name):
    """Starts a scan, which gets three answers and then none until the simulator has other rules; gives its id."""
    network.simulator.control(reset=False, faults=[{"fault": "hold", "from": 4}])
    scan = page.scan(name, addresses(2000))
    page.state("running")
    network.simulator.wait_for(3)
    return scan


STREAM = """
  const done = arguments[0];
  const streams = performance.getEntriesByType("resource").filter(({ name }) => name.endsWith("/events"))
    .map(({ startTime, responseEnd, responseStatus }) => [startTime, responseEnd, responseStatus]);
  navigator.locks.query().then(({ held, pending }) =>
    done({ hidden: document.hidden, online: navigator.onLine, now: performance.now(), streams, held: held.length, pending: pending.length }));
"""


def lose(network, page):
    """Cuts the link, and gives the banner that says so."""
    network.lose()
    state = lambda: f"no banner, while the server says {page.server.get('network')['state']}, and the page {page.driver.execute_async_script(STREAM)} {page.find('body').text[:200]}"  # noqa: E731
    return page.until(lambda: page.role("alert", "Network lost"), what=state)[0]


def restored(network, page):
    """Mends it, and waits until no banner is left."""
    network.restore()
    page.until(lambda: page.script(BANNERS) == 0, within=5)


@pytest.mark.parametrize("view", ["Look up", "Scans", "Network", "Cache"])
def test_the_banner_comes_and_goes_on_every_view(page, network, view):
    page.view(view)
    banner = lose(network, page)
    assert banner.accessible_name == "Network" and re.fullmatch(LOST, banner.text)
    assert page.violations() == []
    restored(network, page)


def test_a_look_up_does_not_wait(page, network):
    lose(network, page)
    page.write("9.9.9.9")
    page.press_button("Get Info")
    page.until(lambda: [each for each in page.role("alert", "Network lost: link down") if each.accessible_name == "Error"])
    restored(network, page)
    page.press_button("Get Info")
    page.item("9.9.9.9")


def test_network_shows_the_loss_and_keeps_it(page, network, inner):
    page.view("Network")
    page.said("status", "online")
    lose(network, page)
    page.said("status", "offline: link down (near0)")
    page.until(lambda: "link down" in page.find("table", "Losses").text)
    restored(network, page)
    page.said("status", "online")
    losses = inner.ask("GET", "network/losses", format="csv").body.decode().splitlines()
    assert losses[0] == "start,end,seconds,cause,interface" and "link_down,near0" in losses[1]


def test_network_shows_its_history_by_periods(page, network):
    page.view("Network")
    lose(network, page)
    restored(network, page)
    for period in ("7 days", "30 days", "24 hours"):
        Select(page.find("select", "Period")).select_by_visible_text(period)
        page.until(lambda: page.find("svg", "Timeline").find_elements("css selector", ".local"))
        titles = page.script("return [...arguments[0].querySelectorAll('title')].map((title) => title.textContent)", page.find("svg", "Timeline"))
        assert any(title.startswith("offline, link down, ") for title in titles), titles
        assert any(title.startswith("not watched, ") for title in titles) and any(title.startswith("online, ") for title in titles)
    page.until(lambda: " to connect in the median" in page.find(".history").text, what=lambda: page.find(".history").text)
    assert page.find("svg", "Latency").get_attribute("role") == "img"
    terms = dict(zip(*([each.text for each in page.all(f".history {name}")] for name in ("dt", "dd")), strict=True))
    assert list(terms) == ["Availability", "Losses", "Longest"]
    assert terms["Losses"] == "1" and terms["Longest"].endswith(" s") and terms["Availability"] < "99.999 %"
    assert page.violations() == []


def test_a_scan_waits_out_a_loss_which_is_a_band_on_its_chart(page, network, inner):
    scan = begun(network, page, "waits.txt")
    lose(network, page)
    page.state("waiting")
    page.until(lambda: "network" in page.find(".state-line").text)
    time.sleep(2)
    # In a second tab, and after a reload, it is the same.
    first = page.driver.current_window_handle
    page.driver.switch_to.new_window("tab")
    page.go(f"scans/{scan}")
    page.said("alert", "Network lost")
    page.state("waiting")
    page.driver.close()
    page.driver.switch_to.window(first)
    page.driver.refresh()
    page.said("alert", "Network lost")
    page.state("waiting")
    restored(network, page)
    network.simulator.control(reset=False, faults=[])
    page.state("done")
    page.until(lambda: "1 loss of the network, drawn as bands" in page.find("figure").text, what=lambda: page.find("figure").text)
    page.until(lambda: page.script(HAS_BAND))
    page.until(lambda: "link down" in page.find("table", "Losses").text)
    assert page.violations() == []
    whole(inner, scan, 2000)


def test_a_server_killed_while_the_network_is_lost_loses_nothing(page, network, inner):
    page.look_up("8.8.8.8")
    scan = begun(network, page, "killed.txt")
    lose(network, page)
    inner.stop(signal.SIGKILL)
    page.said("alert", "Sonde does not answer")
    inner.start()
    page.until(lambda: not page.role("alert", "Sonde does not answer"), within=10)
    page.said("alert", "Network lost")
    page.state("waiting")
    restored(network, page)
    network.simulator.control(reset=False, faults=[])
    page.state("done")
    whole(inner, scan, 2000)
    page.view("Look up")
    page.until(lambda: page.items() == ["8.8.8.8"])


def whole(server, scan, count):
    """Each address has its record, once, in the order of the input."""
    got = server.ask("GET", f"scans/{scan}/records", format="ndjson").body.splitlines()
    records = [json.loads(line) for line in got]
    assert [record["ip"] for record in records] == addresses(count).split()
    assert {record["status"] for record in records} <= {"ok", "unknown"}


def test_losses_are_cards_on_a_phone(page, network):
    page.view("Network")
    lose(network, page)
    restored(network, page)
    page.screen(390, 844, is_phone=True)
    table = page.find("table", "Losses")
    page.until(lambda: "link down" in table.text and " s" in table.text, within=15)
    box = table.find_element("xpath", "..")
    assert page.script("return arguments[0].scrollWidth <= arguments[0].clientWidth", box)
    assert page.violations() == []
