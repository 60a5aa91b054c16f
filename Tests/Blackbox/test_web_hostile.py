"""The library `Web` against clients that mean harm, or know no better."""

import gzip
import json
import os
import random
import subprocess
import time

import pytest
from probe import Answer, Probe


@pytest.fixture(scope="module")
def probe():
    """One server for all tests that it survives."""
    probe = Probe()
    yield probe
    assert probe.stop() < 2


def assert_well(probe):
    answer = probe.ask("GET /small")
    assert (answer.status, answer.body) == (200, b'{"state":"valid","kind":"ipv4","ip":"8.8.8.8"}')


BROKEN = [
    b"\r\n\r\n\r\n",
    b"GET\r\n\r\n",
    b"GET /small\r\n\r\n",
    b"GET /small HTTP/9.9\r\nHost: {host}\r\n\r\n",
    b"GET /small HTTP/1.1\r\n\r\n",
    b"GET /small HTTP/1.1\r\nHost: {host}\r\nHost: {host}\r\n\r\n",
    b"GET /small HTTP/1.1\r\nHost: {host}, evil.example\r\n\r\n",
    b"GET /small HTTP/1.1\r\nHost {host}\r\n\r\n",
    b"GET /small HTTP/1.1\r\n: {host}\r\n\r\n",
    b"GET /small x HTTP/1.1\r\nHost: {host}\r\n\r\n",
    b"G\x00T /small HTTP/1.1\r\nHost: {host}\r\n\r\n",
    b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + bytes(200),
    b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
    b"POST /echo HTTP/1.1\r\nHost: {host}\r\nContent-Length: -1\r\n\r\n",
    b"POST /echo HTTP/1.1\r\nHost: {host}\r\nContent-Length: 99999999999999999999\r\n\r\n",
    b"POST /echo HTTP/1.1\r\nHost: {host}\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nabcdef",
    b"POST /echo HTTP/1.1\r\nHost: {host}\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
    b"POST /echo HTTP/1.1\r\nHost: {host}\r\nTransfer-Encoding: gzip\r\n\r\nabc",
    b"POST /echo HTTP/1.1\r\nHost: {host}\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\nabc\r\n0\r\n\r\n",
    b"POST /echo HTTP/1.1\r\nHost: {host}\r\nTransfer-Encoding: chunked\r\n\r\nfffffffffffffffff\r\nabc",
    b"CONNECT {host} HTTP/1.1\r\nHost: {host}\r\n\r\n",
    b"GET http://{host}/small HTTP/1.1\r\nHost: {host}\r\n\r\n",
    b"TRACE /small HTTP/1.1\r\nHost: {host}\r\n\r\n",
    b"OPTIONS * HTTP/1.1\r\nHost: {host}\r\n\r\n",
]


@pytest.mark.parametrize("data", BROKEN, ids=lambda data: repr(data[:40]))
def test_broken_http_is_refused(probe, data):
    answer = probe.send(data.replace(b"{host}", probe.host.encode()))
    assert not answer or answer.split(b" ")[1][:1] in b"45", answer[:200]
    assert_well(probe)


@pytest.mark.parametrize(
    "head",
    [
        "GET /small HTTP/1.1\r\n",
        "GET /small HTTP/1.1\r\nHost: {host}\r\nHost: {host}\r\n",
        "GET /small x HTTP/1.1\r\nHost: {host}\r\n",
        "POST /echo HTTP/1.1\r\nHost: {host}\r\nContent-Length : 5\r\n",
        "POST /echo HTTP/1.1\r\nHost: {host}\r\nContent-Length: 5\r\nContent-Length: 6\r\n",
        "POST /echo HTTP/1.1\r\nHost: {host}\r\nTransfer-Encoding: gzip\r\n",
    ],
)
def test_what_is_read_in_two_ways_is_a_problem_like_any_other(probe, head):
    answer = Answer(probe.send(f"{head}\r\n".replace("{host}", probe.host).encode()))
    assert answer.status == 400
    assert answer.headers["content-type"] == "application/problem+json"
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert json.loads(answer.body)["detail"]


# Where the body ends that follows these must be certain to everybody who reads them (RFC 9112, 6.3 and 11.2).
NUL = [
    "Transfer-Encoding: chunked\0", "Transfer-Encoding: chunked\0, identity", "Transfer-Encoding: chunked\0\0",
    "Transfer-Encoding: \0chunked", "Transfer-Encoding: chu\0nked", "Transfer-Encoding\0: chunked",
    "Content-Length: 5\0", "Content-Length: 5\0000", "Content-Length: 5\0 ", "Content-Length: \0005", "Content-Length: 0\0005",
    "Content-Length\0: 5", "\0Content-Length: 5", "X: a\0b\r\nContent-Length: 5", "\0\r\nContent-Length: 5",
    "\0X: a\r\nContent-Length: 5", "Content-Length: 5\r\nX: a\0", "Content-Length: 5\r\n\0", "Content-Length: 5\r\n\0X: a",
]
CONTROLS = [
    header.replace("?", control)
    for header in ("Transfer-Encoding: chunked?", "Transfer-Encoding: ?chunked", "Content-Length: 5?", "Content-Length: 5\r\nX: a?b")
    for control in "\x01\x08\x0b\x0c\x0e\x1b\x1f\x7f\r"
]
FOLDS = [
    "Content-Length:\r\n 5", "Content-Length: 5\r\n 0", "Content-Length: 5\r\n\t", "Transfer-Encoding: chunked\r\n , identity",
    "Transfer-Encodin: x\r\n g", "Transfer-Encoding:\r\n chunked", "Content-Length: 5\r\nX: a\r\n b", " X: a\r\nContent-Length: 5",
    "X: a\r\n Content-Length: 5",
]
LISTS = [
    "Content-Length: 5, 5", "Content-Length: 5,", "Content-Length: 5\r\nContent-Length: 5", "Content-Length: 5\r\nContent-Length: 6",
    "Content-Length: 5\r\nTransfer-Encoding: chunked", "Transfer-Encoding: chunked\r\nContent-Length: 5",
    "Transfer-Encoding: chunked, chunked", "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked",
    "Transfer-Encoding: identity, chunked", "Transfer-Encoding: gzip", "Transfer-Encoding: xchunked", "Transfer-Encoding: chunked,",
    "Transfer-Encoding:", "Content-Length:", "Content-Length: +5", "Content-Length: 0x5", "Content-Length: 5 5", "Content-Length: -0",
]
BARE = ["Content-Length: 5\nX: a", "X: a\nContent-Length: 5", "X: a\nTransfer-Encoding: chunked"]


@pytest.mark.parametrize("header", NUL + CONTROLS + FOLDS + LISTS + BARE, ids=repr)
def test_where_a_body_ends_is_certain_or_the_request_is_refused(probe, header):
    smuggled = f"GET /style.css HTTP/1.1\r\nHost: {probe.host}\r\n\r\n"
    for body in ("0\r\n\r\n", "5\r\nabcde\r\n0\r\n\r\n", "abcde"):
        head = f"POST /files HTTP/1.1\r\nHost: {probe.host}\r\n{header}\r\n\r\n"
        answer = probe.send((head + body + smuggled).encode("latin-1"), wait=0.2)
        # What came as a body is not taken for a request.
        assert answer.split(b" ")[1] == b"400" and b" 200 " not in answer, answer[:300]
    assert_well(probe)


def test_a_nul_in_the_request_line_or_any_other_header_is_refused(probe):
    for line in ("GET /small\0x HTTP/1.1", "GET /small?a\0b HTTP/1.1", "GET /small\0 HTTP/1.1", "GET /small HTTP/1.1\0"):
        assert probe.ask(line).status in (0, 400), line
    for header in ("X: a\0b", "User-Agent: a\0", "Cookie: probe=anna-1\0"):
        assert probe.ask("GET /small", header).status == 400, header
    assert_well(probe)


def test_chunks_in_http_1_0_are_refused(probe):
    head = f"POST /files HTTP/1.0\r\nHost: {probe.host}\r\nTransfer-Encoding: chunked\r\n\r\n"
    assert probe.send(head.encode() + b"0\r\n\r\n").split(b" ")[1] == b"400"


def test_a_header_that_fills_several_packets_is_read_as_it_came(probe):
    lines = [f"X-{number}: {'a' * number}" for number in range(60)] + ["Empty:", "Blank:    ", "Tab:\tx\ty"]
    head = f"GET /small HTTP/1.1\r\nHost: {probe.host}\r\n" + "\r\n".join(lines) + "\r\n\r\n"
    with probe.connect() as client:
        for _ in range(3):
            for start in range(0, len(head), 97):
                client.sendall(head[start : start + 97].encode())
                time.sleep(0.001)
            assert b" 200 " in client.recv(1 << 16)
    assert_well(probe)


@pytest.mark.parametrize(
    "header",
    [
        "X: " + "a" * 100_000,
        "X: " + "a" * 10_000_000,
        "\r\n".join(f"X-{number}: a" for number in range(10_000)),
        "Cookie: " + "; ".join(f"probe{number}=a" for number in range(5_000)),
        "a" * 50_000,
    ],
    ids=["long", "endless", "many", "cookies", "no colon"],
)
def test_a_header_that_is_too_long_is_refused(probe, header):
    answer = probe.ask("GET /small", header)
    assert answer.status in (0, 400, 413, 431)
    assert_well(probe)


def test_a_target_that_is_too_long_is_refused(probe):
    assert probe.ask("GET /" + "a" * 100_000).status in (0, 400, 413, 414, 431)
    assert probe.ask("GET /small?" + "&".join(f"a{n}=1" for n in range(20_000))).status in (0, 413, 414, 431)
    assert_well(probe)


TRAVERSALS = [
    "/../style.css", "/..", "/./style.css", "/x/../style.css", "//style.css", "/style.css/..",
    "/%2e%2e/style.css", "/%2E./style.css", "/x/%2e%2e/style.css", "/x%2f..%2fstyle.css",
    "/%2e%2e%2fstyle.css", "/..%2fstyle.css", "/..%5cstyle.css", "/..\\style.css", "/%252e%252e/style.css",
    "/%c0%ae%c0%ae/style.css", "/%e0%80%ae%e0%80%ae/style.css", "/%uff0e%uff0e/style.css",
    "/style.css%00", "/style.css%00.html", "/style.css/", "/style.css;", "/style.css%20", "/STYLE.css",
    "/%2fstyle.css", "/../../../../../../etc/passwd", "/%2e%2e/%2e%2e/%2e%2e/etc/passwd",
    "/....//....//etc/passwd", "/file:///etc/passwd", "/%2e", "/.", "/style.css/.", "/.style.css",
]


@pytest.mark.parametrize("path", TRAVERSALS)
def test_no_spelling_of_a_path_leads_elsewhere(probe, path):
    assert probe.ask(f"GET {path}").status in (400, 404)


def test_what_is_encoded_is_decoded_once(probe):
    assert probe.ask("GET /%73tyle.css").status == 200
    assert probe.ask("GET /texts/a%2F..%2Fb%252e").body == b"a/../b%2e"
    assert probe.ask("GET /texts/%00").status == 400


def test_a_body_that_is_too_long_is_answered(probe):
    headers = ["Content-Type: application/json"]
    for size in (65_537, 5_000_000, 50_000_000):
        assert probe.ask("POST /echo", *headers, body=b"[" * size).status == 413
    answer = probe.ask("POST /files", "Content-Length: 99999999999")
    assert answer.status == 413
    assert_well(probe)


def test_a_body_is_never_decompressed(probe):
    bomb = gzip.compress(bytes(30_000_000))
    answer = probe.ask("POST /files", "Content-Encoding: gzip", body=bomb)
    assert answer.body == b'{"bytes":%d}' % len(bomb)


def test_a_body_in_chunks_is_bounded_too(probe):
    chunk = b"100000\r\n" + bytes(1 << 20) + b"\r\n"
    head = f"POST /files HTTP/1.1\r\nHost: {probe.host}\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n"
    whole = probe.send(head.encode() + 20 * chunk + b"0\r\n\r\n", wait=5)
    assert whole.endswith(b'{"bytes":20971520}')
    assert b" 413 " in probe.send(head.encode() + 40 * chunk + b"0\r\n\r\n", wait=5)[:30]
    assert_well(probe)


@pytest.mark.parametrize("token", ["", "x", "a" * 10_000, "anna", "-", "%61nna-1", '"anna-1"', "\x80-\xff"])
def test_a_forged_cookie_opens_nothing(probe, token):
    answer = probe.ask("GET /me", f"Cookie: probe={token}")
    assert answer.status == 401 or token in ("-", '"anna-1"', "%61nna-1", "\x80-\xff")
    assert_well(probe)


def test_other_hosts_and_origins_are_refused(probe):
    assert probe.ask("GET /small", host="evil.example").status == 403
    assert probe.ask("GET /small", host=f"evil.example:{probe.port}").status == 403
    assert probe.ask("GET /small", "Sec-Fetch-Site: cross-site").status == 403
    assert probe.ask("POST /echo", "Origin: null", body=b"{}").status == 403
    assert probe.ask("POST /echo", "Origin: http://evil.example", body=b"{}").status == 403
    own = f"Origin: http://{probe.host}"
    body = b'{"text":"a"}'
    assert probe.ask("POST /echo", own, "Content-Type: application/json", body=body).status == 200
    page = ["Sec-Fetch-Site: cross-site", "Sec-Fetch-Mode: navigate", "Sec-Fetch-Dest: document"]
    assert probe.ask("GET /", *page).status == 200


def test_random_damage_harms_nobody(probe):
    seed = random.Random(8053)
    body = b'{"text":"\\u00e4","x":[1,2.5e3,{"y":null}]}'
    whole = (
        f"POST /echo?a=b&c=%20 HTTP/1.1\r\nHost: {probe.host}\r\nContent-Type: application/json\r\n"
        f"Cookie: probe=anna-1\r\nX-Forwarded-For: 192.0.2.1, ::1\r\nIf-None-Match: \"a\"\r\n"
        f"Accept-Encoding: gzip;q=0.5\r\nOrigin: http://{probe.host}\r\nContent-Length: {len(body)}\r\n\r\n"
    ).encode() + body
    for _ in range(600):
        data = bytearray(whole)
        for _ in range(seed.randrange(1, 8)):
            place = seed.randrange(len(data))
            match seed.randrange(4):
                case 0:
                    data[place] = seed.randrange(256)
                case 1:
                    del data[place : place + seed.randrange(1, 20)]
                case 2:
                    data[place:place] = data[place : place + seed.randrange(1, 20)]
                case 3:
                    data[place:place] = bytes(seed.choices(b"%/.:;,\r\n\0\"{}[]=& \x80\xff", k=3))
        probe.send(bytes(data[: seed.choice([None, None, None, seed.randrange(len(data))])]), wait=0.02)
    assert_well(probe)


# MARK: slow clients


def closed_after(client):
    """How many seconds until the server closes."""
    start = time.monotonic()
    try:
        while client.recv(1 << 16):
            pass
    except ConnectionResetError:
        pass
    return time.monotonic() - start


@pytest.mark.slow
def test_slow_clients_are_closed_and_stop_nobody():
    probe = Probe(seconds=2)
    try:
        head = f"POST /files HTTP/1.1\r\nHost: {probe.host}\r\nContent-Length: 1000000\r\n\r\n".encode()
        silent = [probe.connect() for _ in range(100)]
        headers = [probe.connect() for _ in range(100)]
        bodies = [probe.connect() for _ in range(100)]
        for client in bodies:
            client.sendall(head)
        kept = probe.connect()
        kept.sendall(f"GET /small HTTP/1.1\r\nHost: {probe.host}\r\n\r\n".encode())
        assert b"8.8.8.8" in kept.recv(1 << 16)
        start = time.monotonic()
        waits = []
        for _ in range(8):
            for client in [*headers, *bodies, kept]:
                try:
                    client.sendall(b"GET"[:1])
                except (ConnectionResetError, BrokenPipeError):
                    pass
            asked = time.monotonic()
            assert_well(probe)
            waits.append(time.monotonic() - asked)
            time.sleep(1)
        assert max(waits) < 0.5
        for client in [*silent, *headers, *bodies, kept]:
            closed_after(client)
        assert time.monotonic() - start < 12
    finally:
        assert probe.stop() < 2


def test_above_the_limit_the_oldest_without_a_session_is_closed():
    probe = Probe(connections=20)
    try:
        kept = probe.connect(source="127.0.0.2")
        kept.sendall(f"GET /me HTTP/1.1\r\nHost: {probe.host}\r\nCookie: probe=anna-1\r\n\r\n".encode())
        assert b"anna" in kept.recv(1 << 16)
        others = [probe.connect(source="127.0.0.2") for _ in range(30)]
        for client in others[:11]:
            assert closed_after(client) < 5
        others[-1].sendall(f"GET /small HTTP/1.1\r\nHost: {probe.host}\r\n\r\n".encode())
        assert b"8.8.8.8" in others[-1].recv(1 << 16)
        kept.sendall(f"GET /me HTTP/1.1\r\nHost: {probe.host}\r\nCookie: probe=anna-1\r\n\r\n".encode())
        assert b"anna" in kept.recv(1 << 16)
    finally:
        assert probe.stop() < 2


def test_a_proxys_connection_is_nobodys():
    probe = Probe(connections=20)
    try:
        client = probe.connect()
        client.sendall(f"GET /me HTTP/1.1\r\nHost: {probe.host}\r\nCookie: probe=anna-1\r\n\r\n".encode())
        assert b"anna" in client.recv(1 << 16)
        _others = [probe.connect(source="127.0.0.2") for _ in range(20)]
        assert closed_after(client) < 5
    finally:
        assert probe.stop() < 2


@pytest.mark.parametrize("after", ["another request", "a refused one", "the session's end"])
def test_a_connection_is_its_last_request_s_user_s(after):
    probe = Probe(connections=20)
    try:
        client = probe.connect(source="127.0.0.2")

        def ask(path, *headers, host=probe.host):
            client.sendall("\r\n".join([f"GET {path} HTTP/1.1", f"Host: {host}", *headers, "", ""]).encode())
            return client.recv(1 << 16)

        assert b"anna" in ask("/me", "Cookie: probe=anna-1")
        if after == "another request":
            assert b"8.8.8.8" in ask("/small")
        elif after == "a refused one":
            assert b" 403 " in ask("/small", host="evil.example")
        else:
            assert probe.ask("DELETE /sessions/anna-1").status == 204
            # It is looked for each second.
            time.sleep(2.5)
        others = [probe.connect(source="127.0.0.2") for _ in range(21)]
        assert closed_after(client) < 5
        others[-1].sendall(f"GET /small HTTP/1.1\r\nHost: {probe.host}\r\n\r\n".encode())
        assert b"8.8.8.8" in others[-1].recv(1 << 16)
    finally:
        assert probe.stop() < 2


def test_two_cookies_of_one_name_are_none(probe):
    for cookies in (["probe=anna-1; probe=bob-1"], ["probe=anna-1", "probe=anna-1"], ["probe=x; probe=anna-1"]):
        assert probe.ask("GET /me", *(f"Cookie: {each}" for each in cookies)).status == 401
    assert probe.ask("GET /me", "Cookie: probes=x; probe=anna-1; xprobe=y").body == b"anna"


def test_a_reader_that_stops_reading_stops_the_writer(probe):
    before = probe.resident
    client = probe.connect()
    client.sendall(f"GET /zeros?count=500000000 HTTP/1.1\r\nHost: {probe.host}\r\n\r\n".encode())
    client.recv(1000)
    time.sleep(1)
    assert probe.resident - before < 20 << 20
    client.close()
    assert_well(probe)


@pytest.mark.skipif(os.geteuid() != 0, reason="mounts a small disk")
def test_a_full_disk_is_an_answer_and_leaves_nothing(tmp_path):
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", tmp_path], check=True)
    try:
        probe = Probe(folder=tmp_path)
        try:
            answer = probe.ask("POST /files", body=bytes(3_000_000))
            assert answer.status == 507 and b"urn:problem:disk" in answer.body
            assert list(tmp_path.iterdir()) == []
            assert probe.ask("POST /files", body=bytes(300_000)).status == 200
        finally:
            probe.stop()
    finally:
        subprocess.run(["umount", tmp_path], check=True)


def test_below_a_base_path_only_what_is_there_is_served():
    probe = Probe(url="https://example.org/sub/")
    try:
        assert probe.ask("GET /sub/small", host="example.org").status == 200
        assert probe.ask("GET /sub/small").status == 200
        moved = probe.ask("GET /sub")
        assert (moved.status, moved.headers["location"]) == (308, "/sub/")
        for path in ("/small", "/subway/small", "/sub/../small", "/sub/sub/small", "/"):
            assert probe.ask(f"GET {path}").status in (400, 404)
        origin = "Origin: https://example.org"
        body = b'{"text":"a"}'
        assert probe.ask("POST /sub/echo", origin, "Content-Type: application/json", body=body).status == 200
        assert probe.ask("GET /sub/client", "X-Forwarded-For: 198.51.100.1, 192.0.2.7").body == b"192.0.2.7"
    finally:
        probe.stop()
