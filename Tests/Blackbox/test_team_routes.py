"""`sonde serve --team`: who may ask for what, route by route of its description."""

import itertools

import pytest
from serving import Dashboard, token

pytestmark = pytest.mark.slow

BOB = "bob@example.org"
NOBODY = 32 * "0"
WATCH = {"name": "resolver", "address": "10.0.0.1", "note": None}

# What is open to everybody, and what a token of somebody who is no admin does.
OPEN = {"GET /healthz", "GET openapi.json", "POST session", "POST users", "POST reset"}
SCRIPTS = ("lookups", "scans", "logs", "network", "watchlist", "fields", "providers")
ADMINS = ("cache", "invitations", "/metrics")


def is_admins(method, path):
    """Whether a route is the admin's alone."""
    return first(path) in ADMINS or (method, path) == ("GET", "users")


def routes(server):
    """The methods and paths of the description; those of the API below its own path."""
    for path, methods in server.get("openapi.json")["paths"].items():
        for method in {"get", "post", "put", "delete"} & methods.keys():
            yield method.upper(), path.removeprefix("/api/v1/")


def filled(path, ident=NOBODY):
    """A path with something in its places."""
    return path.replace("{id}", ident).replace("{ip}", "10.9.8.7")


def name(method, path):
    """A route in a word."""
    return f"{method} {path}"


def first(path):
    """What a path is about."""
    return path if path.startswith("/") else path.split("/")[0]


def asked(server, method, path, **how):
    """The answer to a route, asked for with nothing in it; a stream is closed at once."""
    if path == "events":
        stream = server.events(how.get("cookie", server.cookie), **how.get("headers", {}))
        stream.close()
        return stream
    return server.ask(method, filled(path), **how)


def script(server, cookie):
    """What a program with a new token sends."""
    answer = server.ask("POST", "tokens", json={"name": "a script"}, cookie=cookie)
    assert answer.status == 201
    return {"Authorization": "Bearer " + answer.json["token"]}


@pytest.mark.parametrize("path", ["/watchlist", "/account"])
def test_the_views_of_a_team_are_there(team, path):
    answer = team.ask("GET", path, cookie=None)
    assert answer.status == 200 and answer.body == team.ask("GET", "/").body


def test_without_a_session_all_but_what_is_open_is_401(team):
    for method, path in routes(team):
        answer = asked(team, method, path, cookie=None)
        assert (answer.status == 401) == (name(method, path) not in OPEN), (method, path, answer)


def test_with_a_wrong_token_too_whatever_cookie_there_is(team):
    headers = {"Authorization": "Bearer sonde_" + 64 * "0"}
    for method, path in routes(team):
        if path == "events":
            continue
        answer = asked(team, method, path, headers=headers)
        assert (answer.status == 401) == (name(method, path) not in OPEN), (method, path, answer)


def test_what_is_the_admins_is_403_to_others(team):
    bob = team.person(BOB)
    for method, path in routes(team):
        if name(method, path) == "DELETE session":
            continue
        answer = asked(team, method, path, cookie=bob)
        assert (answer.status == 403) == is_admins(method, path), (method, path, answer)


@pytest.mark.parametrize("is_admin", [True, False])
def test_what_a_token_does(team, is_admin):
    headers = script(team, team.cookie if is_admin else team.person(BOB))
    for method, path in routes(team):
        if path == "events":
            continue
        answer = asked(team, method, path, cookie=None, headers=headers)
        may = first(path) in SCRIPTS or (path == "/metrics" and is_admin) or name(method, path) in OPEN
        assert (answer.status == 403) != may, (method, path, answer)
        assert answer.status != 401, (method, path)


def test_alone_a_token_does_the_same_and_metrics(dashboard):
    headers = script(dashboard, dashboard.cookie)
    for method, path in routes(dashboard):
        if path == "events":
            continue
        answer = asked(dashboard, method, path, cookie=None, headers=headers)
        may = first(path) in (*SCRIPTS, "/metrics") or name(method, path) in OPEN
        assert (answer.status == 403) != may, (method, path, answer)


def test_another_users_things_are_404(team):
    bob = team.person(BOB)
    scan = team.scan("10.0.0.1\n10.0.0.2\nx\n", cookie=bob, **{"as": "list"}).json["id"]
    ids = {
        "scans": scan,
        "tokens": team.ask("POST", "tokens", json={"name": "x"}, cookie=bob).json["id"],
        "sessions": team.get("sessions", cookie=bob)["items"][0]["id"],
        "watchlist": team.ask("POST", "watchlist", json=WATCH, cookie=bob).json["id"],
    }
    team.ask("POST", "lookups", json={"ip": "10.9.8.7"}, cookie=bob)
    walked = 0
    for method, path in routes(team):
        # The logs that the server follows are everybody's.
        if "{id}" in path and first(path) != "logs":
            body = {"json": WATCH} if method == "PUT" else {}
            answer = team.ask(method, path.replace("{id}", ids[first(path)]), **body)
            assert (answer.status, answer.problem) == (404, "not-found"), (method, path, answer)
            walked += 1
    assert walked >= 15
    assert team.ask("DELETE", "lookups/10.9.8.7").status == 404
    assert team.get(f"scans/{scan}", cookie=bob)["state"] in ("done", "running")
    assert team.get("session", cookie=bob)["user"]["email"] == BOB
    assert len(team.get("tokens", cookie=bob)["items"]) == 1


@pytest.mark.parametrize("wrong", [{"body": b"x"}, {"json": {"x": 1}}, {"nothing": "1"}])
def test_they_are_404_whatever_else_is_wrong(team, wrong):
    bob = team.person(BOB)
    ids = {
        "scans": team.scan("10.0.0.1\n", cookie=bob).json["id"],
        "watchlist": team.ask("POST", "watchlist", json=WATCH, cookie=bob).json["id"],
    }
    for method, path in routes(team):
        if "{id}" in path and first(path) in ids:
            answer = team.ask(method, path.replace("{id}", ids[first(path)]), **wrong)
            assert (answer.status, answer.problem) == (404, "not-found"), (method, path, answer)


def test_lists_and_events_have_ones_own_alone(team):
    bob = team.person(BOB)
    people = {"ada": team.cookie, "bob": bob}
    streams = {who: team.events(cookie=cookie) for who, cookie in people.items()}
    for stream in streams.values():
        assert stream.next("network")
    own = {}
    for who, (cookie, address) in zip(people, [(team.cookie, "10.0.0.1"), (bob, "10.0.0.2")], strict=True):
        scan = team.scan(f"{address}\n", cookie=cookie).json["id"]
        assert team.ask("POST", "lookups", json={"ip": address}, cookie=cookie).status == 200
        team.ask("POST", "tokens", json={"name": who}, cookie=cookie)
        own[who] = (scan, address)
    for who, cookie in people.items():
        scan, address = own[who]
        assert [each["id"] for each in team.get("scans", cookie=cookie)["items"]] == [scan]
        assert [each["ip"] for each in team.get("lookups", cookie=cookie)["items"]] == [address]
        assert [each["name"] for each in team.get("tokens", cookie=cookie)["items"]] == [who]
        assert [each["current"] for each in team.get("sessions", cookie=cookie)["items"]] == [True]
        kinds = {"scan": ("id", scan), "lookup": ("ip", address)}
        while kinds:
            kind, data, _ = streams[who].next("scan", "lookup")
            member, value = kinds.pop(kind, (None, None))
            assert member is None or data[member] == value
    # What another does is not told to those who resume, either.
    resumed = team.events(cookie=bob, Last_Event_ID="1")
    told = itertools.takewhile(lambda event: event[0] != "reset", iter(lambda: resumed.next(), None))
    assert all(event[1].get("id", own["bob"][0]) == own["bob"][0] for event in told if event[0] == "scan")


def test_an_admin_sees_nothing_of_others(team):
    bob = team.person(BOB)
    scan = team.scan("10.0.0.1\n", cookie=bob).json["id"]
    assert team.ask("GET", f"scans/{scan}").status == 404
    assert team.get("scans")["items"] == []


def test_find_me_is_the_clients_address_or_this_servers(sonde, simulator):
    from serving import Team

    team = Team(sonde, simulator, "--behind-proxy", "127.0.0.0/8")
    answer = team.ask("POST", "lookups", json={"me": True}, headers={"X-Forwarded-For": "8.8.4.4"})
    assert answer.json["ip"] == "8.8.4.4" and "message" not in answer.json
    answer = team.ask("POST", "lookups", json={"me": True})
    assert answer.json["message"] == "This server's address"


# Account


def test_changing_the_password_ends_the_other_sessions(team):
    other, stream = team.log_in(team.ADMIN), team.events()
    answer = team.ask("POST", "password", json={"current": "wrong password", "new": "another password"})
    assert (answer.status, answer.problem, answer.json["title"]) == (401, "credentials", "Invalid credentials")
    assert team.get("session", cookie=other)
    answer = team.ask("POST", "password", json={"current": team.PASSWORD, "new": "short"})
    assert (answer.status, answer.json["detail"]) == (422, "Password needs 10 to 1024 bytes")
    answer = team.ask("POST", "password", json={"current": team.PASSWORD, "new": "another password"})
    assert (answer.status, answer.body) == (204, b"")
    assert team.ask("GET", "session", cookie=other).status == 401
    assert team.get("session")
    assert stream.next("network")
    assert team.try_to_log_in(team.ADMIN).status == 401
    assert team.log_in(team.ADMIN, "another password")


def test_sessions_are_listed_and_ended(team):
    other = team.log_in(team.ADMIN)
    items = team.get("sessions")["items"]
    assert [each["current"] for each in items] == [False, True]
    assert set(items[0]) == {"id", "created_at", "expires_at", "current"}
    stream = team.events(cookie=other)
    assert stream.next("network")
    assert team.ask("DELETE", f"sessions/{items[0]['id']}").status == 204
    assert stream.next("end", timeout=2) is None
    assert team.ask("GET", "session", cookie=other).status == 401
    assert team.ask("DELETE", f"sessions/{items[0]['id']}").status == 404
    page = team.get("sessions", limit=1)
    assert len(page["items"]) == 1 and page["next"] is None


def test_a_token_is_shown_once_and_revoked(team):
    answer = team.ask("POST", "tokens", json={"name": "nightly"})
    assert set(answer.json) == {"id", "name", "token", "created_at"} and answer.json["token"].startswith("sonde_")
    [item] = team.get("tokens")["items"]
    assert item == {name: value for name, value in answer.json.items() if name != "token"}
    headers = {"Authorization": f"bearer {answer.json['token']}"}
    made = team.scan("10.0.0.1\n", headers=headers, cookie=None)
    assert made.status == 201 and team.get("scans")["items"][0]["id"] == made.json["id"]
    assert team.ask("GET", "scans", cookie=None, access_token=answer.json["token"]).status == 401
    assert team.ask("DELETE", f"tokens/{item['id']}").status == 204
    assert team.ask("GET", "scans", cookie=None, headers=headers).status == 401


@pytest.mark.parametrize("name", ["", 201 * "x", "a\nb", 7, None])
def test_names_of_tokens(team, name):
    assert team.ask("POST", "tokens", json={"name": name}).status == 422


def test_a_copy_of_the_database_opens_nothing(team):
    bob = team.person(BOB)
    headers = script(team, bob)
    secrets = [bob.partition("=")[2], headers["Authorization"].split()[1], team.invitation(), team.PASSWORD]
    secrets.append(token(team.user("reset", "bob@example.org").stdout.decode()))
    team.stop()
    stored = b"".join(path.read_bytes() for path in team.state.rglob("*") if path.is_file())
    for secret in secrets:
        for text in (secret, secret.removeprefix("sonde_")):
            assert text.encode() not in stored
            assert len(text) != 64 or bytes.fromhex(text) not in stored
        assert secret not in team.running.stderr


def test_alone_there_is_no_account(dashboard: Dashboard):
    assert dashboard.ask("POST", "password", json={"current": "x" * 10, "new": "y" * 10}).status == 404
    assert dashboard.ask("POST", "invitations").status == 403
    assert dashboard.get("tokens") == {"items": [], "next": None}
    assert len(dashboard.get("sessions")["items"]) == 1


def test_metrics(team):
    scan = team.scan("8.8.8.8\n10.0.0.1\nx\n", **{"as": "list"}).json["id"]
    team.until(scan, "done")
    stream = team.events()
    assert stream.next("network")
    team.ask("POST", "lookups", json={"ip": "8.8.4.4"})
    answer = team.ask("GET", "/metrics", cookie=None, headers=script(team, team.cookie))
    assert answer.status == 200 and answer.headers["Content-Type"] == "text/plain; version=0.0.4; charset=utf-8"
    lines = answer.body.decode().splitlines()
    for line in (
        'sonde_scans{state="done"} 1',
        'sonde_scans{state="running"} 0',
        *(f'sonde_scan_records{{status="{status}"}} 1' for status in ("ok", "reserved", "invalid")),
        "sonde_scan_requests 1",
        "sonde_lookups_total 1",
        "sonde_event_streams 1",
        "# TYPE sonde_lookups_total counter",
    ):
        assert line in lines, answer.body.decode()
    (network,) = (line for line in lines if line.startswith("sonde_network_online{"))
    assert network.replace("network_online", "endpoint_up") in lines
    (took,) = (line for line in lines if line.startswith("sonde_endpoint_connect_seconds{"))
    assert took.split("{")[1].split(" ")[0] == network.split("{")[1].split(" ")[0] and 0 < float(took.split()[-1]) < 30
    assert any(line.startswith("sonde_quota_remaining ") for line in lines)
