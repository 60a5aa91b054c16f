"""Requests to `sonde serve` that were changed at random: none is a fault of the server, none gets in.

`SONDE_FUZZ_REQUESTS` says how many; a failure names the seed of its request.
"""

import os
import random
import socket

import pytest

pytestmark = pytest.mark.slow

REQUESTS = int(os.environ.get("SONDE_FUZZ_REQUESTS", "600"))
# What a request is about: without a session all of these are 401 or 403, but for the page's own files.
SEEDS = [
    ("GET", "/api/v1/lookups?limit=10&search=a", b""),
    ("POST", "/api/v1/lookups", b'{"ip":"8.8.8.8"}'),
    ("POST", "/api/v1/check", b'{"text":"2001:db8::1","note":"\\u00e9"}'),
    ("GET", "/api/v1/lookups/8.8.8.8?refresh=true", b""),
    ("POST", "/api/v1/scans?name=list.txt&as=list", b"8.8.8.8\n10.0.0.0/30\nx\n"),
    ("GET", "/api/v1/scans/{scan}/records?sort=-ip&filter=us&page=1&per_page=10", b""),
    ("GET", "/api/v1/scans/{scan}/places?bounds=-90,-180,90,180&zoom=3", b""),
    ("GET", "/api/v1/network?limit=3", b""),
    ("GET", "/api/v1/cache?prefix=8.0.0.0/8", b""),
    ("PUT", "/api/v1/session", b'{"link":"' + b"0" * 64 + b'"}'),
]
PARTS = [
    *(b"\r\n", b"\n", b"\0", b"\xff", b" ", b"%00", b"%2e%2e/", b"..", b"//", b"?", b"&", b"#", b"=", b":", b","),
    *(b"{", b"}", b"[", b'"', b"\\u0000", b"\\ud800", b"1e999", b"-1", b"99999999999999999999", b"null", b"\xc3\xa9"),
    *(b"Content-Length: 3\r\n", b"Transfer-Encoding: chunked\r\n", b"Host: evil.example\r\n", b"Expect: 100-continue\r\n"),
    *(b"Range: bytes=0-1\r\n", b"Content-Type: text/plain\r\n", b"Accept-Encoding: gzip\r\n", b"A" * 5000),
]


def changed(request, chance):
    """A request with one to six changes."""
    data = bytearray(request)
    for _ in range(chance.randint(1, 6)):
        at = chance.randrange(len(data) + 1)
        end = min(len(data), at + chance.choice([1, 1, 2, 8, 40]))
        match chance.randrange(5):
            case 0 if at < len(data):
                data[at] = chance.randrange(256)
            case 1:
                del data[at:end]
            case 2:
                data[at:at] = data[at:end]
            case 3:
                data[at:at] = chance.choice(PARTS)
            case _:
                data[at:end] = chance.choice(PARTS)
    return bytes(data)


def answer(dashboard, data):
    """The bytes of the answers to what is sent; what never ends is waited for in part only."""
    host, _, port = dashboard.address.rpartition(":")
    with socket.create_connection((host, int(port)), timeout=0.3) as connection:
        got = b""
        try:
            connection.sendall(data)
            connection.shutdown(socket.SHUT_WR)
            while more := connection.recv(65536):
                got += more
        except (BrokenPipeError, ConnectionResetError, TimeoutError):
            pass
        return got


@pytest.mark.parametrize("is_let_in", [False, True], ids=["stranger", "session"])
def test_no_request_is_a_fault_or_gets_in(dashboard, simulator, is_let_in):
    scan = dashboard.scan("8.8.8.8\n1.1.1.1\n").json["id"]
    dashboard.until(scan, "done")
    kept = len(dashboard.get("scans")["items"])
    base = random.Random().randrange(1 << 32)
    for number in range(REQUESTS // 2):
        chance = random.Random(base + number)
        method, path, body = chance.choice(SEEDS)
        lines = [f"{method} {path.replace('{scan}', scan)} HTTP/1.1", f"Host: {dashboard.address}"]
        lines += [f"Cookie: {dashboard.cookie}"] if is_let_in else []
        lines += [f"Origin: http://{dashboard.address}", "Content-Type: application/json"]
        lines += [f"Content-Length: {len(body)}", "Connection: close", "", ""]
        got = answer(dashboard, changed("\r\n".join(lines).encode() + body, chance))
        # What a client is told that asks whether to go on is no answer yet.
        got = got.removeprefix(b"HTTP/1.1 100 Continue\r\n\r\n")
        status = int(got.split(b" ", 2)[1]) if got.startswith(b"HTTP/1.") else None
        # 429, 502 and 503 are a provider's; what is not HTTP/1.1 enough is 501 or 505.
        assert got == b"" or status not in (None, 500), (base + number, got[:500])
        if not is_let_in:
            is_of_page = b"Content-Type: text/html" in got or b"text/javascript" in got or b"text/css" in got
            assert got == b"" or status >= 300 or is_of_page, (base + number, got[:500])
    assert dashboard.running.process.poll() is None
    assert is_let_in or len(dashboard.get("scans")["items"]) == kept
    result, _ = dashboard.stop()
    assert result.status == 0
