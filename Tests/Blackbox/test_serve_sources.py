"""`serve --with`: what tables know of an address, in look-ups, scans and on the page."""

import csv
import io
import json

import pytest
from browser import skip_without_browser
from name_server import NameServer
from serving import Dashboard

pytestmark = pytest.mark.slow

NETS = "network,team\n8.8.8.0/24,dns\n10.0.0.0/8,\"head, office\"\n"
TAGS = {
    "values": [
        {
            "name": "AzureCloud.westeurope",
            "properties": {"region": "westeurope", "systemService": "", "addressPrefixes": ["1.1.1.0/24"]},
        }
    ]
}
LIST = "8.8.8.8\n10.1.2.3\n1.1.1.1\nnonsense\n"


@pytest.fixture
def dashboard(sonde, simulator):
    nets = sonde.file("nets.csv", NETS)
    tags = sonde.file("tags.json", json.dumps(TAGS))
    return Dashboard(sonde, simulator, "--with", f"own={nets}", "--with", f"azure={tags}", "--provider", "ip-api")


def done(dashboard, content=LIST):
    """A scan that has ended."""
    scan = dashboard.scan(content, name="list", **{"as": "list"}).json["id"]
    dashboard.until(scan, "done")
    return scan


def test_a_look_up_has_the_columns(dashboard):
    record = dashboard.ask("POST", "lookups", json={"ip": "8.8.8.8"}).json
    assert (record["own_network"], record["own_team"]) == ("8.8.8.0/24", "dns")
    assert "azure_network" not in record
    record = dashboard.ask("POST", "lookups", json={"ip": "10.1.2.3"}).json
    assert (record["status"], record["own_team"]) == ("reserved", "head, office")


def test_the_records_of_a_scan_have_them_in_every_form(sonde, simulator, dashboard):
    scan = done(dashboard)
    items = dashboard.get(f"scans/{scan}/records")["items"]
    assert [item.get("own_team") for item in items] == ["dns", "head, office", None, None]
    assert items[2]["azure_network"] == "1.1.1.0/24"
    options = ["--with", "own=nets.csv", "--with", "azure=tags.json", "--provider", "ip-api", "--spreadsheet"]
    for form in ("csv", "json", "ndjson"):
        answer = dashboard.ask("GET", f"scans/{scan}/records", format=form, spreadsheet="true")
        whole = sonde("scan", *options, "--format", form, "-", input=LIST, env=simulator.env).stdout
        if form == "csv":
            answered, expected = (
                [{k: v for k, v in row.items() if k not in ("cached", "fetched_at")} for row in rows]
                for rows in (csv.DictReader(io.StringIO(data.decode())) for data in (answer.body, whole))
            )
            assert answered == expected
        else:
            assert answer.body.count(b"own_network") == whole.count(b"own_network") == 2
    assert len(dashboard.get(f"scans/{scan}/records", filter="WESTEUR")["items"]) == 1


def order(dashboard, scan, sort, **query):
    """The addresses of a scan's records in an order."""
    return [item["ip"] for item in dashboard.get(f"scans/{scan}/records", sort=sort, **query)["items"]]


def test_records_are_sorted_by_the_columns(dashboard):
    scan = done(dashboard)
    assert order(dashboard, scan, "own_team") == ["8.8.8.8", "10.1.2.3", "1.1.1.1", "nonsense"]
    assert order(dashboard, scan, "-own_team") == ["10.1.2.3", "8.8.8.8", "1.1.1.1", "nonsense"]
    assert order(dashboard, scan, "azure_network", size=1) == ["1.1.1.1"]
    assert order(dashboard, scan, "-own_network", filter="8.8.8.0/24") == ["8.8.8.8"]
    for unknown in ("own_tea", "-", "", "own_team\"; DROP TABLE records; --", "rowid"):
        answer = dashboard.ask("GET", f"scans/{scan}/records", sort=unknown)
        assert (answer.status, answer.json["type"]) == (422, "urn:sonde:invalid"), unknown
    assert len(dashboard.get(f"scans/{scan}/records")["items"]) == 4


def test_a_scan_keeps_its_columns_when_the_server_has_others(dashboard):
    scan = done(dashboard)
    dashboard.stop()
    dashboard.options = ("--provider", "ip-api")
    dashboard.start()
    assert dashboard.get(f"scans/{scan}/records")["items"][0]["own_team"] == "dns"


@skip_without_browser()
@pytest.mark.xdist_group("browser-sources")
def test_the_page_shows_them_with_a_badge(page, dashboard):
    values = page.values(page.look_up("8.8.8.8"))
    assert (values["Own network"], values["Own team"]) == ("8.8.8.0/24", "dns")
    item = page.look_up("1.1.1.1")
    assert [badge.text for badge in item.find_elements("css selector", ".badge")] == ["Azure"]
    scan = done(dashboard)
    page.driver.get(f"{dashboard.base}scans/{scan}")
    table = page.find("table", "Records")
    page.until(lambda: "head, office" in table.text)
    assert "Own team" in table.text and "Azure" in table.text
    header = table.find_element("xpath", ".//th[.='Own team']")
    first = lambda: table.find_elements("css selector", "tbody tr")[0].text
    for direction, address in [("ascending", "8.8.8.8"), ("descending", "10.1.2.3"), ("ascending", "8.8.8.8")]:
        header.find_element("tag name", "button").click()
        page.until(lambda: header.get_attribute("aria-sort") == direction and address in first())
    assert "aria-sort" not in (table.find_element("xpath", ".//th[.='Address']").get_attribute("outerHTML"))
    page.find("input", "Filter").send_keys("west")
    page.until(lambda: len(table.find_elements("css selector", "tbody tr")) == 1 and "1.1.1.1" in first())
    assert not page.violations()


def test_names_are_sorted_and_asked_for_anew(sonde, simulator):
    names = NameServer()
    try:
        for number, address in enumerate(["8.8.8.8", "1.1.1.1", "9.9.9.9"]):
            names.add(address, f"{'cab'[number]}.example.", ttl=86_400)
        served = Dashboard(sonde, simulator, "--with", "names", "--resolver", names.place, "--provider", "ip-api")
        scan = done(served, "8.8.8.8\n1.1.1.1\n9.9.9.9\n4.4.4.4\n")
        assert order(served, scan, "ptr") == ["1.1.1.1", "9.9.9.9", "8.8.8.8", "4.4.4.4"]
        assert order(served, scan, "-ptr", filter=".EXAMPLE") == ["8.8.8.8", "9.9.9.9", "1.1.1.1"]
        rows = list(csv.DictReader(io.StringIO(served.ask("GET", f"scans/{scan}/records", format="csv").body.decode())))
        assert [row["ptr"] for row in rows] == ["c.example", "a.example", "b.example", ""]
        asked = len(names.asked())
        assert served.ask("POST", "lookups", json={"ip": "8.8.8.8"}).json["ptr"] == ["c.example"]
        assert len(names.asked()) == asked, "it holds for a day"
        names.add("8.8.8.8", "new.example.")
        record = served.ask("POST", "lookups/8.8.8.8/refresh").json
        assert record["ptr"] == ["c.example", "new.example"] and len(names.asked()) > asked
        assert served.ask("POST", "lookups", json={"ip": "8.8.8.8"}).json["ptr"][1:] == ["new.example"], "it is kept"
    finally:
        names.close()


def test_owners_are_asked_for_anew(sonde, simulator):
    def control(name):
        simulator.control(rdap={"networks": {"8.8.8.0/24": {"name": name, "abuse": ["abuse@example.net"]}}})

    control("OLD")
    served = Dashboard(sonde, simulator, "--with", "owner", "--provider", "ip-api")

    def owner(path, **rest):
        record = served.ask("POST", path, **rest).json
        return record["owner_name"], record["owner_inferred"]

    assert owner("lookups", json={"ip": "8.8.8.8"}) == ("OLD", False)
    control("NEW")
    assert owner("lookups", json={"ip": "8.8.8.8"}) == ("OLD", False), "it holds for a day"
    assert owner("lookups/8.8.8.8/refresh") == ("NEW", False)
    assert owner("lookups", json={"ip": "8.8.8.9"}) == ("NEW", True)
    assert owner("lookups/8.8.8.9/refresh") == ("NEW", False)
    served.stop()
    served.start()
    assert owner("lookups", json={"ip": "8.8.8.8"}) == ("NEW", False), "it is kept"


def test_names_are_asked_for_beside_the_provider(sonde, simulator):
    names = NameServer()
    try:
        names.add("8.8.8.8", "dns.example.")
        served = Dashboard(sonde, simulator, "--with", "names", "--resolver", names.place, "--provider", "ip-api")
        record = served.ask("POST", "lookups", json={"ip": "8.8.8.8"}).json
        assert (record["source"], record["ptr"], record["ptr_status"]) == ("ip-api", ["dns.example"], "confirmed")
        scan = done(served)
        items = served.get(f"scans/{scan}/records")["items"]
        assert [item.get("ptr_status") for item in items] == ["confirmed", None, "none", None]
        assert items[0]["ptr"] == ["dns.example"] and items[0]["cached"]
        assert len(names.asked()) == 2, "one that is known is not asked for again"
    finally:
        names.close()
