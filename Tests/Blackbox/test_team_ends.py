"""What ends with who asked for it: a download under way, an upload under way."""

import contextlib
import http.client
import socket

import pytest
from command import wait_for

pytestmark = pytest.mark.slow

BOB = "bob@example.org"

# More than the sockets on the way hold.
ADDRESSES = "".join(f"10.{n >> 16}.{n >> 8 & 255}.{n & 255}\n" for n in range(75_000))


@contextlib.contextmanager
def slow(server):
    """A connection whose client takes in little at a time."""
    connection = http.client.HTTPConnection(server.address, timeout=30)
    connection.sock = socket.socket()
    connection.sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    connection.sock.settimeout(30)
    host, port = server.address.split(":")
    connection.sock.connect((host, int(port)))
    with contextlib.closing(connection):
        yield connection


@pytest.fixture
def scan(team):
    """Bob's session, a program of his, and a scan of his with many records."""
    bob = team.person(BOB)
    made = team.scan(ADDRESSES, cookie=bob, **{"as": "list"})
    assert made.status == 201, made
    wait_for(lambda: team.get(f"scans/{made.json['id']}", cookie=bob)["state"] == "done")
    token = team.ask("POST", "tokens", json={"name": "a script"}, cookie=bob).json
    return bob, token, f"/api/v1/scans/{made.json['id']}/records?format=ndjson"


def begun(connection, path, headers):
    """The answer to a request for a file, of which a little is read."""
    connection.request("GET", path, headers=headers)
    response = connection.getresponse()
    assert response.status == 200 and response.read(1000)
    return response


@pytest.mark.parametrize("end", ["disable", "reset", "remove", "log out", "revoke", "delete"])
def test_a_download_is_cut(team, scan, end):
    bob, token, path = scan
    headers = {"Authorization": f"Bearer {token['token']}"} if end == "revoke" else {"Cookie": bob}
    with slow(team) as connection:
        response = begun(connection, path, headers)
        if end == "log out":
            assert team.ask("DELETE", "session", cookie=bob).status == 204
        elif end == "revoke":
            assert team.ask("DELETE", f"tokens/{token['id']}", cookie=bob).status == 204
        elif end == "delete":
            assert team.ask("DELETE", path.removeprefix("/api/v1/").partition("/records")[0], cookie=bob).status == 204
        else:
            assert team.user(end, BOB).status == 0
        with pytest.raises((http.client.IncompleteRead, ConnectionResetError)):
            response.read()


def test_a_download_of_another_session_goes_on(team, scan):
    bob, _, path = scan
    other = team.log_in(BOB)
    with slow(team) as connection:
        response = begun(connection, path, {"Cookie": bob})
        assert team.ask("DELETE", "session", cookie=other).status == 204
        assert response.read().count(b"\n") > 70_000


def test_an_upload_is_refused_and_leaves_nothing(team):
    bob = team.person(BOB)
    half = ADDRESSES.encode()[:200_000]
    with contextlib.closing(team.connect()) as connection:
        connection.putrequest("POST", "/api/v1/scans")
        for name, value in (("Cookie", bob), ("Content-Type", "application/octet-stream"), ("Content-Length", 2 * len(half))):
            connection.putheader(name, value)
        connection.endheaders()
        connection.send(half)
        assert team.user("disable", BOB).status == 0
        with contextlib.suppress(OSError):
            connection.send(half)
        assert connection.getresponse().status == 401
    assert team.user("enable", BOB).status == 0
    assert team.get("scans", cookie=team.log_in(BOB))["items"] == []
    assert list((team.state / "uploads").iterdir()) == []
