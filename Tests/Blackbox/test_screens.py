"""The views on a phone, a tablet and a desktop, light and dark, look as in Tests/Screens: a broken one cannot come back."""

import time
from contextlib import closing

import pytest
import screens
from browser import skip_without_browser
from converting import Converter, ConverterPage
from gallery_page import Gallery, GalleryPage
from serving import Team
from test_team_page import fill, people  # noqa: F401
from test_team_watchlist_page import add

# One browser for all of them.
pytestmark = [skip_without_browser(), pytest.mark.xdist_group("browser")]

LOG = "".join(
    f'{address} - - [10/Oct/2025:{13 + n // 60}:{n % 60:02}:36 +0000] "GET /{n} HTTP/1.1" 200 {n}\n'
    for n in range(300)
    for address in (f"9.9.{n % 7}.{n % 250}", f"8.8.{n % 3}.{n % 11}")
)

# What the page is told of the network, whatever that of this machine is.
NETWORK = """
  const at = (minutes) => new Date(Date.now() - minutes * 60_000).toISOString();
  const layer = (name, message) => ({ name, state: "ok", message });
  const card = (name, kind, counts, addresses) => ({ name, up: true, running: true, link: counts ? "connected" : "not_applicable", wireless: false, addresses, kind, counts });
  const answers = {
    "network": {
      state: "online", interface: "eth0", endpoint: "ip-api.com:80",
      layers: [layer("interface", "eth0 is up"), layer("link", "eth0 has a carrier"), layer("address", "192.0.2.7"), layer("route", "192.0.2.1 by eth0"), layer("endpoint", "ip-api.com:80 answers")],
      interfaces: [card("eth0", "ethernet", true, ["192.0.2.7"]), card("lo", "loopback", false, ["127.0.0.1"])],
    },
    "network/losses": { items: [{ start: at(130), end: at(100), seconds: 1800, cause: "link_down", interface: "eth0" }], next: null },
    "network/timeline": { items: [
      { start: at(1200), end: at(130), state: "online" }, { start: at(130), end: at(100), state: "offline", cause: "link_down" }, { start: at(100), end: null, state: "online" },
    ] },
    "network/latency": { items: Array.from({ length: 600 }, (_, n) => ({ at: at(700 - n), connect_ms: 20 + (n % 7) * 3, failed: 0 })) },
  };
  const real = window.fetch;
  window.fetch = async (url, options) => {
    const answer = answers[new URL(url, document.baseURI).pathname.replace("/api/v1/", "")];
    return answer ? new Response(JSON.stringify(answer), { headers: { "Content-Type": "application/json" } }) : real(url, options);
  };
"""


# Has the server fail at what the page asks of the cache.
FAILURE = """
  const real = window.fetch;
  const problem = { type: "urn:sonde:disk", title: "No space", status: 507, detail: "The disk is full." };
  const failure = { status: 507, headers: { "Content-Type": "application/problem+json" } };
  window.fetch = async (url, options) =>
    new URL(url, document.baseURI).pathname.startsWith("/api/v1/cache") ? new Response(JSON.stringify(problem), failure) : real(url, options);
"""


# Has the server answer nothing of what the page asks from here on.
SILENCE = "window.fetch = () => new Promise(() => {})"


def test_a_broken_view_is_seen(page, tmp_path):
    sheet, _ = screens.taken(page, "time", lambda: None)
    again, _ = screens.taken(page, "time", lambda: None)
    assert sheet.difference(again) == 0
    assert sheet.difference(screens.Sheet.read(sheet.png)) == 0
    for broken in ("nav { display: none !important }", "main { margin-left: 20px !important }", "button { background: red !important }", "* { font-size: 15px !important }"):
        page.script("const sheet = new CSSStyleSheet(); sheet.replaceSync(arguments[0]); document.adoptedStyleSheets = [sheet];", broken)
        changed, _ = screens.taken(page, "time", lambda: None)
        assert changed.difference(sheet) > screens.TOLERATED, broken


def looked_up(page):
    """Puts three answers into the list."""
    for address in ("10.1.2.3", "1.1.1.1", "8.8.8.8"):
        page.look_up(address)
    page.until(lambda: page.script("return document.querySelector('.result-map.drawn')"))


def test_look_up(page, tmp_path):
    screens.hold(page, "look-up-empty", tmp_path)
    for width, height in screens.SIZES:
        page.screen(width, height)
        assert max(each.size["height"] for each in page.all("button")) <= 64
    looked_up(page)
    page.write("8.8.8.8:53")
    page.until(lambda: page.all("[role=status]"))
    screens.hold(page, "look-up", tmp_path, "time, .age")


def test_scans(page, tmp_path):
    page.view("Scans")
    page.until(lambda: "No scans yet" in page.find("main").text)
    screens.hold(page, "scans-empty", tmp_path)
    page.scan("access.log", LOG)
    page.state("done")
    page.find("[role=img]", "Scan map")
    page.until(lambda: page.all("table", "Records"))
    # What is told last of a scan has the map fitted once more, and so does another size of it.
    screens.hold(page, "scan", tmp_path, "time, canvas, .chart, .rate", lambda: page.until(lambda: is_quiet(page)))


def is_quiet(page):
    """Whether the page asks for nothing for a while."""
    page.requests()
    time.sleep(0.7)
    return not page.requests()


def test_network(page, tmp_path):
    page.script(NETWORK)
    page.view("Network")
    page.until(lambda: "eth0" in page.find("table", "Interfaces").text)
    page.until(lambda: page.all("[role=img]", "Latency"))
    screens.hold(page, "network", tmp_path, "time, .ends")


def test_cache(page, tmp_path):
    looked_up(page)
    page.view("Cache")
    page.until(lambda: page.find("table", "Answers").find_elements("css selector", "tbody tr"))
    screens.hold(page, "cache", tmp_path, "time, .age, .figures")


def test_panels_that_failed(page, tmp_path):
    page.script(FAILURE)
    page.view("Cache")
    page.until(lambda: page.all("button", "Try again"))
    screens.hold(page, "failed", tmp_path)


def test_panels_that_are_loading(page, tmp_path):
    page.script(SILENCE)
    for view in ("Cache", "Network"):
        page.view(view)
        page.until(lambda: "Loading…" in page.find("main").text)
        screens.hold(page, f"{view.lower()}-loading", tmp_path)


def test_a_team(people, tmp_path):  # noqa: F811
    screens.hold(people, "log-in", tmp_path)
    fill(people, Team.ADMIN, Team.PASSWORD, "Log in")
    people.view("Watchlist")
    add(people, Name="Resolver", Address="8.8.8.8", Note="ours")
    people.until(lambda: "Google" in people.find("[aria-label=Watchlist] > li", "Resolver").text)
    screens.hold(people, "watchlist", tmp_path, "time, .age")
    people.view("Account")
    people.until(lambda: people.find("table", "Use").find_elements("css selector", "tbody tr"))
    screens.hold(people, "account", tmp_path, "time, [aria-label=Use] td, table td")


def test_the_converter(tmp_path, simulator):
    with closing(ConverterPage()) as page, closing(Converter(tmp_path)) as converter:
        page.scheme("light")
        page.visit(converter.serve(simulator.env).address)
        page.status("Data is loaded")
        screens.hold(page, "converter", tmp_path, "time, .source")
        page.press_button("Currency above: USD")
        page.find("dialog", "Choose currencies")
        screens.hold(page, "converter-currencies", tmp_path, "time, .source")


def test_the_gallery(tmp_path, simulator):
    with closing(GalleryPage()) as page, closing(Gallery(tmp_path)) as gallery:
        page.scheme("light")
        page.visit(gallery.serve(simulator.env).address)
        screens.hold(page, "gallery-log-in", tmp_path)
