"""`sonde serve --team`: who registers, who gets in, and what whoever runs the server does with accounts."""

import signal
import sqlite3

import pytest
from command import wait_for
from ports import free_port
from serving import HOST, Team, token

pytestmark = pytest.mark.slow

BOB = "bob@example.org"


def test_the_first_link_registers_the_admin(sonde, simulator):
    team = Team(sonde, simulator)
    assert team.link.startswith(f"{team.base}#open=")
    session = team.get("session")
    assert session["user"]["email"] == team.ADMIN and session["user"]["admin"] is True
    assert set(session) == {"user", "expires_at"} and set(session["user"]) == {"id", "email", "admin"}


def test_with_an_admin_no_link_is_printed(sonde, simulator):
    team = Team(sonde, simulator)
    result = team.stop()[0]
    assert result.status == 0 and "Open it with: sonde serve link" in result.stderr
    team.start()
    assert team.get("session")["user"]["admin"] is True
    result = team.sonde("serve", "link", env=team.env)
    assert (result.status, result.stdout) == (2, b"") and "invite" in result.stderr
    result = team.stop()[0]
    assert result.stdout == b"" and "Open it with" not in result.stderr


def test_a_link_opens_no_session_in_a_team(sonde, simulator):
    team = Team(sonde, simulator)
    assert team.open(team.link).problem == "link-used"


@pytest.mark.parametrize(
    "email, password, detail",
    [
        ("bob", Team.PASSWORD, "No valid email"),
        ("", Team.PASSWORD, "No valid email"),
        (BOB, "123456789", "Password needs 10 to 1024 bytes"),
        (BOB, "é" * 513, "Password needs 10 to 1024 bytes"),
        (BOB, "Password123", "Password is too common"),
    ],
)
def test_what_cannot_be_registered_is_422_and_leaves_the_invitation(team, email, password, detail):
    invitation = team.invitation()
    answer = team.register(email, password, invitation=invitation)
    assert (answer.status, answer.problem, answer.json["detail"]) == (422, "invalid", detail)
    assert team.register(BOB, invitation=invitation).status == 201


def test_an_invitation_registers_one(team):
    answer = team.ask("POST", "invitations")
    assert answer.json["link"].startswith(f"{team.base}#invitation=") and answer.json["expires_at"]
    invitation = token(answer.json["link"])
    answer = team.register(f"  {BOB.upper()} ", invitation=invitation)
    assert answer.status == 201 and answer.json["email"] == BOB and set(answer.json) == {"id", "email"}
    assert "Set-Cookie" not in answer.headers
    answer = team.register("eve@example.org", invitation=invitation)
    assert (answer.status, answer.problem) == (410, "link-used")
    assert team.register("eve@example.org", invitation=64 * "0").status == 410
    answer = team.register("eve@example.org")
    assert (answer.status, answer.problem) == (403, "forbidden")


def test_an_email_has_one_account(team):
    team.person(BOB)
    answer = team.register(" Bob@Example.org", invitation=team.invitation())
    assert (answer.status, answer.problem, answer.json["title"]) == (409, "user-exists", "User Already Exists")


def test_an_invitation_lasts_7_days(team):
    invitation = team.invitation()
    with sqlite3.connect(team.state / "accounts.db") as database:
        database.execute("UPDATE links SET expires = expires - 604800001")
    assert team.register(BOB, invitation=invitation).status == 410


def test_open_registration_lets_everybody_in_but_five_an_hour(sonde, simulator):
    team = Team(sonde, simulator, "--open-registration")
    answers = [team.register(f"user{number}@example.org") for number in range(6)]
    # The admin has come from here, too.
    assert [answer.status for answer in answers] == [201] * 4 + [429] * 2
    assert answers[-1].problem == "rate" and int(answers[-1].headers["Retry-After"]) > 3000
    assert team.get("session", cookie=team.log_in("user0@example.org"))["user"]["admin"] is False


def test_the_first_account_is_the_links_with_open_registration_too(sonde, simulator):
    team = Team(sonde, simulator, "--open-registration")
    assert [line.split("\t")[:2] for line in team.user("list").lines] == [[team.ADMIN, "admin"]]


# Logging in


def test_a_wrong_email_and_a_wrong_password_say_the_same(team):
    answers = [team.try_to_log_in(*pair) for pair in [(team.ADMIN, "wrong password"), (BOB,), ("",)]]
    for answer in answers:
        assert (answer.status, answer.problem, answer.json["title"]) == (401, "credentials", "Invalid credentials")
        assert "Set-Cookie" not in answer.headers and answer.body == answers[0].body


def test_ten_failures_are_slowed_for_unknown_accounts_alike(team):
    for email in (team.ADMIN, BOB):
        answers = [team.try_to_log_in(email, "wrong password") for _ in range(11)]
        assert [answer.status for answer in answers] == [401] * 10 + [429]
        assert answers[-1].problem == "rate" and answers[-1].headers["Retry-After"] == "1"


@pytest.mark.parametrize("team", [["--behind-proxy", "127.0.0.0/8"]], indirect=True)
def test_the_right_user_elsewhere_is_not_slowed(team):
    for _ in range(12):
        team.try_to_log_in(team.ADMIN, "wrong password", headers={"X-Forwarded-For": "192.0.2.1"})
    assert team.try_to_log_in(team.ADMIN, headers={"X-Forwarded-For": "192.0.2.1"}).status == 429
    assert team.try_to_log_in(team.ADMIN, headers={"X-Forwarded-For": "198.51.100.7"}).status == 201


def test_each_log_in_makes_a_new_id_and_ends_the_one_that_its_cookie_had(team):
    answer = team.try_to_log_in(team.ADMIN, cookie=team.cookie)
    assert answer.headers["Set-Cookie"].partition(";")[0] != team.cookie
    assert team.ask("GET", "session").status == 401


@pytest.mark.parametrize("body", [{}, {"email": "a@b"}, {"link": "x", "email": "a@b"}, {"email": 1, "password": "x"}])
def test_half_a_log_in_is_422(team, body):
    assert team.ask("POST", "session", json=body, cookie=None).status == 422


def test_sessions_and_accounts_outlast_a_killed_server(team):
    bob = team.person(BOB)
    scan = team.scan("10.0.0.1\n", cookie=bob).json["id"]
    team.stop(signal.SIGKILL)
    team.start()
    assert team.get("session", cookie=bob)["user"]["email"] == BOB
    assert [each["id"] for each in team.get("scans", cookie=bob)["items"]] == [scan]
    assert team.log_in(BOB)


# What whoever runs the server does


def test_user_list(team):
    team.person(BOB)
    result = team.user("list")
    assert result.status == 0
    rows = [line.split("\t") for line in result.lines]
    assert [row[:2] for row in rows] == [[team.ADMIN, "admin"], [BOB, "user"]]


def test_user_invite(team):
    result = team.user("invite")
    assert result.status == 0 and result.stdout.decode().startswith(f"{team.base}#invitation=")
    assert team.register(BOB, invitation=token(result.stdout.decode())).status == 201


# What is tried without an account, and how each fails.
TRIES = {
    "users": [
        ({"email": Team.ADMIN, "password": Team.PASSWORD}, 409),
        ({"email": BOB, "password": Team.PASSWORD, "invitation": 64 * "0"}, 410),
    ],
    "session": [({"link": 64 * "0"}, 410)],
    "reset": [({"reset": 64 * "0", "password": Team.PASSWORD}, 410)],
}


@pytest.mark.parametrize("path", TRIES)
def test_who_tries_too_often_waits(sonde, simulator, path):
    team = Team(sonde, simulator, "--open-registration", "--behind-proxy", "127.0.0.0/8")

    def ask(path, body, client="192.0.2.7"):
        return team.ask("POST", path, json=body, headers={"X-Forwarded-For": client}, cookie=None)

    tries = [TRIES[path][number % len(TRIES[path])] for number in range(30)]
    assert [ask(path, body).status for body, _ in tries] == [status for _, status in tries]
    late = ask(path, tries[0][0])
    assert (late.status, late.problem) == (429, "rate") and int(late.headers["Retry-After"]) == 1
    # Who waits for one waits for all; it is the right ones, too, who do.
    for other in TRIES:
        assert ask(other, TRIES[other][0][0]).status == 429
    assert ask("session", {"email": team.ADMIN, "password": Team.PASSWORD}).status == 429
    # Elsewhere nobody waits.
    assert ask(path, tries[0][0], "192.0.2.8").status == tries[0][1]
    assert ask("users", {"email": BOB, "password": Team.PASSWORD}, "192.0.2.9").status == 201


def test_what_is_no_try_makes_nobody_wait(sonde, simulator):
    team = Team(sonde, simulator, "--open-registration")
    for number in range(40):
        answer = team.register("bob" if number % 2 else BOB, "short" if number % 3 else Team.PASSWORD)
        assert answer.status in (201, 422, 409)
    assert team.try_to_log_in(team.ADMIN).status == 201


@pytest.mark.parametrize("revokes", [True, False, None])
def test_a_new_password_may_end_the_tokens(team, revokes):
    token = team.ask("POST", "tokens", json={"name": "script"}).json["token"]
    more = {} if revokes is None else {"revoke_tokens": revokes}
    stream = team.events()
    assert stream.next("network")
    wrong = team.ask("POST", "password", json={"current": "wrong password", "new": "another password", **more})
    assert wrong.problem == "credentials" and len(team.get("tokens")["items"]) == 1
    answer = team.ask("POST", "password", json={"current": Team.PASSWORD, "new": "another password", **more})
    assert answer.status == 204
    bearer = {"Authorization": f"Bearer {token}"}
    assert team.ask("GET", "lookups", headers=bearer, cookie=None).status == (401 if revokes else 200)
    assert len(team.get("tokens")["items"]) == (0 if revokes else 1)
    if revokes:
        assert stream.next("deleted")[1] == {"kind": "token", "id": None}
    for value in ("yes", 1):
        body = {"current": "another password", "new": Team.PASSWORD, "revoke_tokens": value}
        assert team.ask("POST", "password", json=body).status == 422


def test_a_disabled_user_is_thrown_out(team):
    bob = team.person(BOB)
    script = {"Authorization": "Bearer " + team.ask("POST", "tokens", json={"name": "x"}, cookie=bob).json["token"]}
    stream = team.events(cookie=bob)
    assert stream.next("network")
    assert team.ask("GET", "scans", cookie=None, headers=script).status == 200
    result = team.user("disable", BOB)
    assert (result.status, result.stdout, result.stderr) == (0, b"", "")
    assert stream.next("end", timeout=2) is None
    assert team.ask("GET", "session", cookie=bob).status == 401
    assert team.ask("GET", "scans", cookie=None, headers=script).status == 401
    assert team.try_to_log_in(BOB).json["title"] == "Invalid credentials"
    assert team.user("list").lines[1].split("\t")[1] == "disabled"
    assert team.user("enable", BOB).status == 0
    assert team.ask("GET", "session", cookie=bob).status == 401
    assert team.log_in(BOB)


def test_a_reset_link_sets_a_password_once(team):
    bob = team.person(BOB)
    link = team.user("reset", BOB).stdout.decode()
    assert link.startswith(f"{team.base}#reset=")
    assert team.ask("GET", "session", cookie=bob).status == 401
    new = {"reset": token(link), "password": "another password"}
    assert team.ask("POST", "reset", json={**new, "password": "short"}, cookie=None).status == 422
    assert team.ask("POST", "reset", json=new, cookie=None).status == 204
    assert team.ask("POST", "reset", json=new, cookie=None).problem == "link-used"
    assert team.try_to_log_in(BOB).status == 401
    assert team.log_in(BOB, "another password")


def test_a_removed_user_leaves_nothing(team):
    bob = team.person(BOB)
    scan = team.scan("10.0.0.1\n", cookie=bob).json["id"]
    team.ask("POST", "lookups", json={"ip": "10.0.0.1"}, cookie=bob)
    assert (team.state / "scans" / scan).exists()
    assert team.user("remove", BOB).status == 0
    assert not (team.state / "scans" / scan).exists()
    assert team.ask("GET", "session", cookie=bob).status == 401
    with sqlite3.connect(team.state / "serve.db") as database:
        for table in ("scans", "lookups"):
            assert database.execute(f"SELECT count(*) FROM {table}").fetchone() == (0,)
    again = team.person(BOB)
    assert team.get("lookups", cookie=again)["items"] == []


@pytest.mark.parametrize("action", ["reset", "disable", "enable", "remove"])
def test_nobody_of_this_email(team, action):
    result = team.user(action, "nobody@example.org")
    assert (result.status, result.stdout) == (1, b"") and "no account has this email" in result.stderr


@pytest.mark.parametrize(
    "words", [["user"], ["user", "list", "x"], ["user", "remove"], ["user", "become"], ["user", "invite", BOB], ["link", "x"]]
)
def test_wrong_words_are_wrong_usage(sonde, words):
    result = sonde("serve", *words)
    assert (result.status, result.stdout) == (2, b"")


def test_without_accounts_there_are_no_users(dashboard):
    result = dashboard.sonde("serve", "user", "list", env=dashboard.env)
    assert result.status == 2 and "--team" in result.stderr
    answer = dashboard.ask("POST", "users", json={"email": BOB, "password": Team.PASSWORD})
    assert (answer.status, answer.problem) == (403, "forbidden")


def test_user_without_a_server(sonde):
    result = sonde("serve", "user", "list")
    assert result.status == 1 and "no sonde serve is at work" in result.stderr


# Where it listens


@pytest.mark.parametrize("options", [["--team"], ["--behind-proxy", "127.0.0.1"], []])
def test_listening_where_others_reach_it_needs_accounts_and_a_proxy(sonde, options):
    result = sonde("serve", "--listen", "0.0.0.0:0", *options)
    assert (result.status, result.stdout) == (2, b"")
    assert "--team" in result.stderr and "--behind-proxy" in result.stderr and "--public-url" in result.stderr


@pytest.mark.parametrize("place", ["0.0.0.0:0", "[::]:0"])
@pytest.mark.parametrize("proxies", ["192.0.2.1", "10.0.0.0/8,2001:db8::1"])
def test_a_proxy_elsewhere_needs_a_name_to_pass_on(sonde, place, proxies):
    result = sonde("serve", "--team", "--listen", place, env={"SONDE_BEHIND_PROXY": proxies})
    assert (result.status, result.stdout) == (2, b"")
    assert "--public-url" in result.stderr and "SONDE_PUBLIC_URL" in result.stderr


def test_with_both_it_listens(sonde, simulator):
    options = ["--behind-proxy", "127.0.0.1"]
    server = sonde.start("serve", "--team", "--listen", f"0.0.0.0:{free_port(HOST)}", *options, env=simulator.env)
    wait_for(lambda: "Open it with" in server.stderr)
    assert sonde("serve", "link").stdout.startswith(b"http://0.0.0.0:")


def test_open_registration_needs_a_team(sonde):
    assert sonde("serve", "--open-registration").status == 2
