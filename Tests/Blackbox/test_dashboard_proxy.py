"""The dashboard's page behind nginx, which ends TLS and serves it below a path of its own."""

import pytest
from browser import skip_without_browser
from nginx import Nginx
from serving import Dashboard

pytestmark = [skip_without_browser(), pytest.mark.xdist_group("browser-results")]


@pytest.fixture
def page(dashboard_browser, sonde, simulator, tmp_path):
    """The page as it is found behind nginx."""
    folder = tmp_path / "nginx"
    folder.mkdir()
    nginx = Nginx(folder)
    url = f"{nginx.origin}/sub/"
    options = ("--public-url", url, "--behind-proxy", "127.0.0.0/8")
    server = Dashboard(sonde, simulator, *options, path="sub/")
    server.base = url
    nginx.start(server.address)
    dashboard_browser.command("Security.setIgnoreCertificateErrors", ignore=True)
    with dashboard_browser.visiting(server) as page:
        yield page
    nginx.stop()


def test_everything_works_below_a_path(page, simulator):
    url = page.server.base
    page.requests()
    assert page.driver.current_url == url
    assert page.driver.get_cookies()[0]["name"] == "__Secure-sonde"
    page.look_up("8.8.8.8")
    page.driver.refresh()
    page.until(lambda: page.items() == ["8.8.8.8"])
    for view in ("Network", "Cache", "Look up", "Scans"):
        page.view(view)
        assert page.driver.current_url.startswith(url)
    simulator.control(faults=[{"fault": "hold", "call": "ip-api batch"}])
    scan = page.scan("proxied.txt", "".join(f"5.6.7.{number}\n" for number in range(250)))
    # What is told by the stream alone, while a scan is at work.
    page.state("running")
    simulator.control(faults=[])
    page.state("done")
    assert page.find("a", "CSV").get_attribute("href").startswith(f"{url}api/v1/scans/{scan}/")
    page.driver.refresh()
    page.said("status", "Page 1 of 5")
    assert all(each.startswith((url, "about:")) for each in page.requests())


def test_the_stream_comes_through_at_once(page):
    page.view("Look up")
    assert page.server.ask("POST", "lookups", json={"ip": "1.1.1.1"}).status == 200
    page.until(lambda: page.items() == ["1.1.1.1"], within=1)
