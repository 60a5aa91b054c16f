"""The view "Watchlist" in a real browser: its sheet, its items, and what changes of them."""

import json
import sqlite3

import pytest
from browser import skip_without_browser
from serving import Team
from test_team_page import BOB, fill, people, views  # noqa: F401

pytestmark = [skip_without_browser(), pytest.mark.xdist_group("browser")]

ESCAPE = "\ue00c"


@pytest.fixture
def watchlist(people):  # noqa: F811
    """The view of the admin."""
    fill(people, Team.ADMIN, Team.PASSWORD, "Log in")
    people.view("Watchlist")
    return people


def write(page, **fields):
    """Fills the sheet, and saves it."""
    for name, text in fields.items():
        field = page.find("input, textarea", name)
        field.clear()
        field.send_keys(text)
    page.press_button("Save", page.find("dialog"))


def add(page, **fields):
    """Adds something by the sheet, and gives its item."""
    page.press_button("Add")
    page.find("dialog", "Add to watchlist")
    write(page, **fields)
    page.until(lambda: not page.all("dialog"))
    return page.find("[aria-label=Watchlist] > li", fields["Name"])


def test_an_address_is_added_edited_and_removed(watchlist):
    assert watchlist.violations() == []
    watchlist.press_button("Add")
    watchlist.find("dialog", "Add to watchlist")
    watchlist.press_button("Cancel")
    watchlist.until(lambda: not watchlist.all("dialog"))
    assert watchlist.focused().text == "Add"
    add(watchlist, Name="Resolver", Address=" 8.8.8.8 ", Note="ours <b>")
    # Another element when its record is there.
    watchlist.until(lambda: "Google" in watchlist.find("[aria-label=Watchlist] > li", "Resolver").text)
    item = watchlist.find("[aria-label=Watchlist] > li", "Resolver")
    assert "8.8.8.8" in item.text and "ours <b>" in item.text
    assert watchlist.violations() == []
    watchlist.press_button("Edit", watchlist.find("[aria-label=Watchlist] > li", "Resolver"))
    watchlist.find("dialog", "Edit")
    write(watchlist, Name="Theirs", Note="")
    watchlist.find("[aria-label=Watchlist] > li", "Theirs")
    watchlist.driver.refresh()
    item = watchlist.find("[aria-label=Watchlist] > li", "Theirs")
    watchlist.press_button("Remove", item)
    watchlist.until(lambda: watchlist.server.get("watchlist")["items"] == [])
    watchlist.until(lambda: "Nothing is watched yet." in watchlist.find("main").text)


def test_what_is_watched_while_the_list_is_read_stays(watchlist):
    watchlist.view("Network")
    with watchlist.overtaken("watchlist", "watch", '"Late"') as read:
        watchlist.view("Watchlist")
        read()
        watchlist.server.ask("POST", "watchlist", json={"name": "Late", "address": "8.8.8.8", "note": None})
    watchlist.until(lambda: "Google" in watchlist.find("[aria-label=Watchlist] > li", "Late").text)


def test_what_is_no_address_is_said_in_the_sheet(watchlist):
    watchlist.press_button("Add")
    write(watchlist, Name="Wrong", Address="8.8.8.999")
    assert watchlist.said("alert", "Invalid address:").accessible_name == "Error"
    assert watchlist.violations() == []
    watchlist.press_key(ESCAPE)
    watchlist.until(lambda: not watchlist.all("dialog"))
    assert watchlist.server.get("watchlist")["items"] == []


def test_a_change_is_shown(watchlist):
    add(watchlist, Name="Moved", Address="8.8.8.8")
    watchlist.until(lambda: watchlist.server.get("watchlist")["items"][0]["record"])
    with sqlite3.connect(watchlist.server.state / "serve.db", timeout=10) as database:
        [record] = database.execute("SELECT record FROM watched").fetchone()
        record = json.dumps({**json.loads(record), "city": "Elsewhere"}).encode()
        database.execute("UPDATE watched SET record = ?, checked = checked - 172800000", [record])
    watchlist.until(lambda: "Elsewhere" in watchlist.find("[aria-label=Watchlist] > li", "Moved").text, within=40)
    changes = watchlist.find("ul", "Changes")
    assert "City: Elsewhere → " in changes.text
    watchlist.screen(390, 844, is_phone=True)
    seen, room = watchlist.width()
    assert seen <= room and watchlist.violations() == []
    watchlist.press_button("Remove", watchlist.find("[aria-label=Watchlist] > li", "Moved"))
    watchlist.press_button("Yes, remove")
    watchlist.until(lambda: watchlist.server.get("watchlist")["items"] == [])


def test_two_people_do_not_see_each_others(watchlist):
    add(watchlist, Name="Hers", Address="1.1.1.1")
    watchlist.server.person(BOB)
    watchlist.press_button("Log out")
    fill(watchlist, BOB, Team.PASSWORD, "Log in")
    # The address of the view that was open says nothing to the next person.
    watchlist.find("h1", "Look up")
    watchlist.view("Watchlist")
    assert "Hers" not in watchlist.find("main").text
    assert views(watchlist) == ["Look up", "Scans", "Network", "Watchlist", "Account"]
