"""What is deleted is told to whoever looks at it, in whatever browser."""

import pytest
from browser import skip_without_browser

BOB = "bob@example.org"
WATCH = {"name": "resolver", "address": "10.0.0.1", "note": None}


def things(server):
    """What may be deleted: the kind, the path, and what is told of it."""
    scan = server.scan("10.0.0.1\n").json["id"]
    watched = server.ask("POST", "watchlist", json=WATCH).json["id"]
    script = server.ask("POST", "tokens", json={"name": "a script"}).json["id"]
    for address in ("10.0.0.1", "2001:db8::1"):
        assert server.ask("POST", "lookups", json={"ip": address}).status == 200
    return [
        (f"scans/{scan}", {"kind": "scan", "id": scan}),
        (f"watchlist/{watched}", {"kind": "watch", "id": watched}),
        (f"tokens/{script}", {"kind": "token", "id": script}),
        ("lookups/2001%3Adb8%3A0%3A0::1", {"kind": "lookup", "ip": "2001:db8::1"}),
        ("lookups", {"kind": "lookup", "ip": None}),
    ]


def test_it_is_told_once_to_its_owner_alone(team):
    bob = team.person(BOB)
    all_things = things(team)
    own, others = team.events(), team.events(cookie=bob)
    for path, told in all_things:
        assert team.ask("DELETE", path).status == 204
        assert own.next("deleted")[1] == told
        if path != "lookups":
            assert team.ask("DELETE", path).status == 404
    team.ask("POST", "lookups", json={"ip": "10.0.0.9"}, cookie=bob)
    assert others.next("deleted", "lookup")[0] == "lookup"
    team.ask("POST", "lookups", json={"ip": "10.0.0.8"})
    assert own.next("deleted", "lookup")[1]["ip"] == "10.0.0.8"


def test_one_who_resumes_is_told_it_too(dashboard):
    [(path, told), *_] = things(dashboard)
    stream = dashboard.events()
    assert stream.next("network")
    dashboard.ask("POST", "lookups", json={"ip": "10.0.0.7"})
    _, _, last = stream.next("lookup")
    stream.close()
    assert dashboard.ask("DELETE", path).status == 204
    assert dashboard.events(Last_Event_ID=last).next("deleted")[1] == told


@skip_without_browser()
@pytest.mark.xdist_group("browser-history")
def test_a_page_elsewhere_agrees(page):
    server = page.server
    all_things = {told["kind"]: path for path, told in reversed(things(server))}
    page.go()
    page.item("2001:db8::1")
    assert server.ask("DELETE", all_things["lookup"]).status == 204
    page.until(lambda: page.items() == ["10.0.0.1"], within=5)
    assert server.ask("DELETE", "lookups").status == 204
    page.until(lambda: page.items() == [], within=5)
    page.view("Scans")
    page.find(".scan-row")
    assert server.ask("DELETE", all_things["scan"]).status == 204
    page.until(lambda: not page.all(".scan-row"), within=5)
    assert page.all("p", None) and "No scans yet." in page.find("main").text


@skip_without_browser()
@pytest.mark.xdist_group("browser-history")
def test_so_does_one_of_a_team(dashboard_browser, team):
    page = dashboard_browser
    all_things = {told["kind"]: path for path, told in things(team)}
    page.server = team
    page.driver.get("about:blank")
    page.driver.delete_all_cookies()
    page.go()
    page.find("input", "Email").send_keys(team.ADMIN)
    page.find("input", "Password").send_keys(team.PASSWORD)
    page.press_button("Log in")
    page.find("h1", "Look up")
    page.view("Watchlist")
    page.find(".watched")
    assert team.ask("DELETE", all_things["watch"]).status == 204
    page.until(lambda: not page.all(".watched"), within=5)
    page.view("Account")
    page.until(lambda: "a script" in page.find("table", "Tokens").text)
    assert team.ask("DELETE", all_things["token"]).status == 204
    page.until(lambda: "a script" not in page.find("table", "Tokens").text, within=5)
    page.driver.get("about:blank")
