"""The dashboard's page with accounts, in a real browser: how people get in and out."""

import pytest
from browser import skip_without_browser
from dashboard_page import DashboardPage
from serving import Team

# One browser for all of them.
pytestmark = [skip_without_browser(), pytest.mark.xdist_group("browser")]

BOB = "bob@example.org"


@pytest.fixture
def people(dashboard_browser: DashboardPage, team):
    """The page of a server with accounts, where nobody is logged in."""
    page = dashboard_browser
    page.server = team
    page.screen(1280, 900)
    page.scheme("light")
    page.driver.get("about:blank")
    page.driver.delete_all_cookies()
    page.go()
    page.find("h1", "Log in")
    yield page
    complaints = [each for each in page.complaints() if "Failed to load resource" not in each]
    assert complaints == [], complaints
    page.driver.get("about:blank")


def fill(page, email, password, name):
    """Fills the form and presses its button."""
    for label, text in (("Email", email), ("Password", password)):
        field = page.find("input", label)
        field.clear()
        field.send_keys(text)
    page.press_button(name)


def open_link(page, link):
    """Follows a link from elsewhere."""
    page.driver.get("about:blank")
    page.driver.get(link)


def rule(page, name):
    """What stands under a field for a new password, and belongs to it."""
    [text] = page.script("return arguments[0].getAttribute('aria-describedby').split(' ').map((id) => document.getElementById(id).innerText)", page.find("input", name))
    return text


def views(page):
    """The links of the views that are seen."""
    return [each.accessible_name for each in page.all("nav a")]


def test_one_logs_in_and_out(people):
    fill(people, Team.ADMIN, "wrong password", "Log in")
    people.said("alert", "Invalid credentials")
    fill(people, f" {Team.ADMIN.upper()}", Team.PASSWORD, "Log in")
    people.find("h1", "Look up")
    assert {"Look up", "Scans", "Network", "Cache"} <= set(views(people))
    people.driver.refresh()
    people.find("h1", "Look up")
    people.press_button("Log out")
    people.find("h1", "Log in")
    assert views(people) == []
    assert people.violations() == []


def test_one_registers_by_an_invitation_once(people):
    invitation = people.server.ask("POST", "invitations").json["link"]
    open_link(people, invitation)
    people.find("h1", "Register")
    assert "#" not in people.driver.current_url and people.violations() == []
    assert rule(people, "Password").startswith("10 to 1024 bytes. ")
    for email, password, words in (
        ("bob", Team.PASSWORD, "No valid email"),
        (BOB, "short", "Password needs 10 to 1024 bytes"),
        (Team.ADMIN, Team.PASSWORD, "User Already Exists"),
    ):
        fill(people, email, password, "Register")
        people.said("alert", words)
    fill(people, f" {BOB.title()} ", Team.PASSWORD, "Register")
    people.find("h1", "Log in")
    people.said("status", "Registered. Please log in.")
    # Only the password is still to be typed.
    assert people.find("input", "Email").get_attribute("value") == BOB
    assert people.focused() == people.find("input", "Password")
    assert people.focused().get_attribute("value") == "" and not people.focused().get_attribute("aria-describedby")
    people.focused().send_keys(Team.PASSWORD)
    people.press_button("Log in")
    people.find("h1", "Look up")
    # What is the admin's is not shown.
    people.until(lambda: "Cache" not in views(people))
    people.press_button("Log out")
    open_link(people, invitation)
    fill(people, "eve@example.org", Team.PASSWORD, "Register")
    people.said("alert", "This link was used or has expired")
    people.find("a", "Back to log in").click()
    people.find("h1", "Log in")
    people.find("a", "Register").click()
    people.find("h1", "Register")
    fill(people, "eve@example.org", Team.PASSWORD, "Register")
    people.said("alert", "An invitation is needed")


def test_the_first_link_registers_the_admin(dashboard_browser, sonde, simulator):
    class Unopened(Team):
        def session(self):
            return None

    page = dashboard_browser
    page.server = Unopened(sonde, simulator)
    open_link(page, page.server.link)
    page.find("h1", "Register")
    fill(page, Team.ADMIN, Team.PASSWORD, "Register")
    page.said("status", "Registered. Please log in.")
    fill(page, Team.ADMIN, Team.PASSWORD, "Log in")
    page.find("h1", "Look up")
    assert "Cache" in views(page)
    page.press_button("Log out")
    page.find("h1", "Log in")


def test_two_people_do_not_see_each_others_things(people):
    people.server.person(BOB)
    fill(people, Team.ADMIN, Team.PASSWORD, "Log in")
    people.find("h1", "Look up")
    people.look_up("8.8.8.8")
    people.press_button("Log out")
    fill(people, BOB, Team.PASSWORD, "Log in")
    people.find("h1", "Look up")
    people.look_up("9.9.9.9")
    assert people.items() == ["9.9.9.9"]
    # A disabled user is thrown out.
    assert people.server.user("disable", BOB).status == 0
    people.find("h1", "Log in")
    fill(people, BOB, Team.PASSWORD, "Log in")
    people.said("alert", "Invalid credentials")
    people.server.stop()
    people.server.start()
    people.go()
    people.find("h1", "Log in")
    fill(people, Team.ADMIN, Team.PASSWORD, "Log in")
    people.until(lambda: people.items() == ["8.8.8.8"])


@pytest.mark.parametrize("action", ["disable", "remove", "reset"])
def test_a_page_that_is_only_looked_at_shows_when_its_account_is_gone(people, action):
    people.server.person(BOB)
    fill(people, BOB, Team.PASSWORD, "Log in")
    people.find("h1", "Look up")
    people.view("Network")
    people.find("h1", "Network")
    assert people.server.user(action, BOB).status == 0
    people.find("h1", "Log in")
    people.find("button", "Log in")
    assert not people.role("alert")


def test_a_reset_link_sets_a_password(people):
    people.server.person(BOB)
    open_link(people, people.server.user("reset", BOB).stdout.decode().strip())
    people.find("h1", "Set a new password")
    assert rule(people, "New password").startswith("10 to 1024 bytes. ")
    assert people.violations() == []
    people.find("input", "New password").send_keys("another password")
    people.press_button("Set password")
    people.said("status", "The password is set. Please log in.")
    fill(people, BOB, "another password", "Log in")
    people.find("h1", "Look up")
