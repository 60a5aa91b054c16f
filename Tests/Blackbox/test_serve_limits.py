"""What a user of a team may use, and what the admin sees of that."""

import contextlib
import http.client
import time

import pytest
from command import wait_for
from serving import Team
from test_budgets import NEEDS, xz_with_dictionary, zstd_with_window

pytestmark = pytest.mark.slow

LIMITED = pytest.mark.parametrize("team", [("--limit-lookups", "2/min")], indirect=True, ids=["two a minute"])


@LIMITED
def test_look_ups_that_ask_a_provider_are_limited(team):
    def ask(address, path="lookups"):
        return team.ask("POST", path, json={"ip": address}) if path == "lookups" else team.ask("POST", path)

    assert [ask(address).status for address in ("8.8.8.8", "1.1.1.1")] == [200, 200]
    refused = ask("9.9.9.9")
    assert (refused.status, refused.problem) == (429, "rate") and 1 <= int(refused.headers["Retry-After"]) <= 60
    # What is kept, and what nobody is asked about, is free; asking anew is not.
    assert [ask(address).status for address in ("8.8.8.8", "10.0.0.1")] == [200, 200]
    assert ask("", "lookups/8.8.8.8/refresh").status == 429


def test_the_admin_sees_what_users_use(team):
    team.ask("POST", "lookups", json={"ip": "8.8.8.8"})
    team.scan("1.1.1.1\n")
    # Each counts, also one of the same address, that is kept, or that has been deleted.
    for address in ("8.8.8.8", "10.0.0.1"):
        team.ask("POST", "lookups", json={"ip": address})
    team.ask("POST", "lookups", json={"ip": "nothing"})
    team.ask("DELETE", "lookups")
    [user] = team.get("users")["items"]
    assert (user["admin"], user["disabled"], user["lookups"], user["scans"]) == (True, False, 3, 1)
    assert user["bytes"] >= 8 and user["connections"] >= 1 and user["streams"] == 0


def test_uploads_and_results_take_only_so_much_of_the_disk(sonde, simulator):
    team = Team(sonde, simulator, "--limit-disk", "100KiB")
    bob = team.person("bob@example.org")
    scan = team.scan("8.8.8.8\n" * 1000).json["id"]
    team.until(scan, "done")
    refused = team.scan("8.8.8.8\n" * 13_000)
    assert (refused.status, refused.problem) == (413, "too-large") and "--limit-disk" in refused.json["detail"]
    # Of unknown length it is refused once it is too long.
    chunks = (b"8.8.8.8\n" * 1000 for _ in range(13))
    answer = team.ask("POST", "scans", body=chunks, headers={"Content-Type": "application/octet-stream"})
    assert (answer.status, answer.problem) == (413, "too-large")
    assert team.scan("8.8.8.8\n" * 9000, cookie=bob).status == 201
    assert team.ask("DELETE", f"scans/{scan}").status == 204
    assert team.scan("8.8.8.8\n" * 9000).status == 201


# Connections


def kept_connection(team, cookie):
    """A connection that has had an answer, and waits."""
    connection = team.connect()
    connection.request("GET", "/api/v1/session", headers={"Cookie": cookie})
    response = connection.getresponse()
    response.read()
    assert response.status == 200
    return connection


def is_open(connection, cookie):
    """Whether a connection takes another request."""
    try:
        connection.request("GET", "/api/v1/session", headers={"Cookie": cookie})
        return connection.getresponse().read() is not None
    except (OSError, http.client.HTTPException):
        return False


def test_a_user_has_only_so_many_connections(team):
    bob = team.person("bob@example.org")
    used = lambda: {each["email"]: each["connections"] for each in team.get("users")["items"]}  # noqa: E731
    with contextlib.ExitStack() as stack:
        own = stack.enter_context(contextlib.closing(kept_connection(team, team.cookie)))
        many = [stack.enter_context(contextlib.closing(kept_connection(team, bob))) for _ in range(300)]
        wait_for(lambda: used()["bob@example.org"] == 256)
        for connection in many:
            connection.auto_open = 0
        own.auto_open = 0
        # The oldest have gone, and nobody else's.
        alive = [is_open(connection, bob) for connection in many]
        assert alive == [False] * 44 + [True] * 256
        assert is_open(own, team.cookie)


# Turns


def test_scans_that_wait_for_quota_hold_up_no_other_user(sonde, simulator):
    simulator.control(window=30, batch_limit=2)
    team = Team(sonde, simulator)
    bob = team.person("bob@example.org")
    lists = ["".join(f"9.{n}.{i // 250}.{i % 250}\n" for i in range(1000)) for n in range(3)]
    waiting = [team.scan(text).json["id"] for text in lists]
    wait_for(lambda: [team.get(f"scans/{scan}")["waiting"] for scan in waiting] == ["quota", "quota", "queue"])
    # Two of the admin wait for quota and one for them; Bob's asks local databases, and his other one has its turn.
    local = team.scan("8.8.8.8\n", cookie=bob, provider="local").json["id"]
    wait_for(lambda: team.ask("GET", f"scans/{local}", cookie=bob).json["state"] == "done")
    other = team.scan("8.8.4.4\n", cookie=bob).json["id"]
    wait_for(lambda: team.ask("GET", f"scans/{other}", cookie=bob).json["waiting"] == "quota")
    # A third of one user runs if it asks local databases alone.
    third = team.scan("8.8.8.8\n", provider="local").json["id"]
    team.until(third, "done")


def test_each_request_of_a_window_goes_to_who_was_served_longest_ago(sonde, simulator):
    simulator.control(window=2, batch_limit=4)
    team = Team(sonde, simulator)
    bob = team.person("bob@example.org")
    greedy = [team.scan("".join(f"9.{n}.{i // 250}.{i % 250}\n" for i in range(3000))).json["id"] for n in range(2)]
    wait_for(lambda: [team.get(f"scans/{scan}")["waiting"] for scan in greedy] == ["quota", "quota"])
    start = time.monotonic()
    modest = team.scan("".join(f"8.8.{i // 250}.{i % 250}\n" for i in range(400)), cookie=bob).json["id"]
    wait_for(lambda: team.ask("GET", f"scans/{modest}", cookie=bob).json["state"] == "done", timeout=30)
    # Of its four requests two go out in each window; first come, first served, it would wait for 56 others.
    assert time.monotonic() - start < 9



# Bombs


@pytest.mark.parametrize("form", ["zstd", "xz"])
def test_what_needs_a_large_window_fails_and_says_so(dashboard, form):
    bomb = zstd_with_window(31, 4 << 20) if form == "zstd" else xz_with_dictionary(192 << 20, b"8.8.8.8\n")
    scan = dashboard.scan(bomb).json["id"]
    assert NEEDS[form] in dashboard.until(scan, "failed")["detail"]
    # It does not count on what a header says of it, either.
    answer = dashboard.scan(bomb, headers={"Content-Encoding": "identity"})
    assert NEEDS[form] in dashboard.until(answer.json["id"], "failed")["detail"]
