"""The view "Account" in a real browser: password, sessions, tokens, invitations."""

import pytest
from browser import skip_without_browser
from serving import Team
from test_team_page import BOB, fill, people, rule, views  # noqa: F401

pytestmark = [skip_without_browser(), pytest.mark.xdist_group("browser")]

ESCAPE = "\ue00c"


@pytest.fixture
def account(people):  # noqa: F811
    """The view of the admin."""
    fill(people, Team.ADMIN, Team.PASSWORD, "Log in")
    people.view("Account")
    people.until(lambda: sessions(people))
    return people


def sessions(page):
    """The buttons and words of the rows of sessions."""
    return [cells[2] for cells in page.rows("Sessions") or []]


def change(page, current, new):
    """Fills the form, and presses its button."""
    for name, text in (("Current password", current), ("New password", new)):
        field = page.find("input", name)
        field.clear()
        field.send_keys(text)
    page.press_button("Change password")


def test_a_password_is_changed_and_ends_the_other_sessions(account):
    # The session that this test asks with, and the browser's own.
    assert sorted(sessions(account)) == ["End", "this one"]
    assert rule(account, "New password").startswith("10 to 1024 bytes. ")
    change(account, "wrong password", "another password")
    account.said("alert", "Invalid credentials")
    change(account, Team.PASSWORD, "short")
    account.said("alert", "Password needs 10 to 1024 bytes")
    assert account.server.ask("GET", "session").status == 200
    assert account.violations() == []
    change(account, Team.PASSWORD, "another password")
    account.said("status", "The password is changed")
    account.until(lambda: sessions(account) == ["this one"])
    assert account.server.ask("GET", "session").status == 401
    assert not account.role("alert")


def test_a_changed_password_may_end_the_tokens_too(account):
    token = account.server.ask("POST", "tokens", json={"name": "script"}).json["token"]
    ask = lambda: account.server.ask("GET", "lookups", cookie=None, headers={"Authorization": f"Bearer {token}"}).status  # noqa: E731
    account.driver.refresh()
    account.until(lambda: account.rows("Tokens"))
    change(account, Team.PASSWORD, "another password")
    account.said("status", "The password is changed, and your other sessions have ended.")
    assert ask() == 200 and len(account.rows("Tokens")) == 1
    account.find("input", "Revoke tokens too").click()
    assert account.violations() == []
    change(account, "another password", Team.PASSWORD)
    account.said("status", "The password is changed, and your other sessions and your tokens have ended.")
    account.until(lambda: account.rows("Tokens") == [])
    assert ask() == 401 and not account.find("input", "Revoke tokens too").is_selected()


def test_a_session_is_ended(account):
    account.press_button("End", account.find("table", "Sessions"))
    account.until(lambda: sessions(account) == ["this one"])
    assert account.server.ask("GET", "session").status == 401


def test_a_token_is_made_shown_once_and_revoked(account):
    account.press_button("New token")
    account.find("dialog", "New token")
    account.press_key(ESCAPE)
    account.until(lambda: not account.all("dialog"))
    assert account.focused().text == "New token"
    account.press_button("New token")
    dialog = account.find("dialog", "New token")
    assert account.violations() == []
    account.find("input", "Name").send_keys("backup script")
    account.press_button("Save", dialog)
    account.until(lambda: [cells[0] for cells in account.rows("Tokens")] == ["backup script"])
    token = account.find("code").text
    assert token.startswith("sonde_") and account.violations() == []
    ask = lambda: account.server.ask("GET", "lookups", cookie=None, headers={"Authorization": f"Bearer {token}"}).status  # noqa: E731
    assert ask() == 200
    account.driver.refresh()
    account.until(lambda: account.rows("Tokens"))
    assert token not in account.find("main").text
    account.press_button("Revoke")
    account.until(lambda: account.rows("Tokens") == [])
    assert ask() == 401


def test_the_admin_invites(account):
    account.press_button("Invite")
    account.until(lambda: "#invitation=" in account.find("code").text)
    account.screen(390, 844, is_phone=True)
    seen, room = account.width()
    assert seen <= room and account.violations() == []


def test_others_have_an_account_but_no_invitations(people):  # noqa: F811
    people.server.person(BOB)
    fill(people, BOB, Team.PASSWORD, "Log in")
    people.find("h1", "Look up")
    people.until(lambda: views(people) == ["Look up", "Scans", "Network", "Watchlist", "Account"])
    people.view("Account")
    people.until(lambda: BOB in people.find("main").text)
    assert not people.all("button", "Invite")
