"""The simulator does what the providers' pages say, and what its own settings say."""

import http.client
import json
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from answers import FIELD_BITS, answer, ipinfo_answer, lite_answer
from hostile import hostile_text


def ask(url, path, body=None, method=None, headers=None):
    """One request on a connection of its own: status, headers, body."""
    connection = http.client.HTTPConnection(urlsplit(url).netloc, timeout=5)
    method = method or ("GET" if body is None else "POST")
    if isinstance(body, (list, dict)):
        body = json.dumps(body)
    connection.request(method, path, body, headers or {})
    response = connection.getresponse()
    content = response.read()
    connection.close()
    return response.status, response.headers, content


def batch(simulator, items, path="/batch", **options):
    return ask(simulator.urls["ip_api"], path, items, **options)


def single(simulator, path, **options):
    return ask(simulator.urls["ip_api"], path, **options)


def ipinfo(simulator, path, body=None, token=None, **options):
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    return ask(simulator.urls["ipinfo"], path, body, headers=headers, **options)


PUBLIC = [f"5.{n // 250}.{n % 250}.9" for n in range(2000)]


# ip-api


def test_documented_answers_come_with_query_last(simulator):
    status, headers, body = single(simulator, "/json/24.48.0.1")
    assert status == 200 and headers["Content-Type"] == "application/json; charset=utf-8"
    assert headers["X-Rl"] == "44" and headers["X-Ttl"] == "60"
    assert body.decode() == (
        '{"status":"success","country":"Canada","countryCode":"CA","region":"QC",'
        '"regionName":"Quebec","city":"Montreal","zip":"H1K","lat":45.6085,"lon":-73.5493,'
        '"timezone":"America/Toronto","isp":"Le Groupe Videotron Ltee","org":"Videotron Ltee",'
        '"as":"AS5769 Videotron Telecom Ltee","query":"24.48.0.1"}'
    )


@pytest.mark.parametrize(
    "fields, names",
    [
        ("8209", ["country", "city", "query"]),
        ("city,query,country,nonsense", ["country", "city", "query"]),
        ("57344", ["status", "query"]),
        ("66846719", [name for name in FIELD_BITS if name != "message"]),
        ("offset,asname,hosting", ["offset", "asname", "hosting"]),
    ],
)
def test_fields_are_names_or_a_number(simulator, fields, names):
    one = json.loads(single(simulator, f"/json/8.8.8.8?fields={fields}")[2])
    of_many = json.loads(batch(simulator, ["8.8.8.8"], f"/batch?fields={fields}")[2])[0]
    assert list(one) == list(of_many) == names


def test_a_batch_answers_in_order_as_the_pure_function_does(simulator):
    items = [*PUBLIC[:60], "10.0.0.1", "127.0.0.1", "2", "::1", "2001:4860:4860::8888", "8.8.8.8"]
    everything = "/batch?fields=66846719"
    for path, names in ((everything, set(FIELD_BITS)), ("/batch", None)):
        status, _, body = batch(simulator, items, path)
        records = json.loads(body)
        assert status == 200 and [record["query"] for record in records] == items
        if names:
            assert records == [answer(item) for item in items]
        else:
            expected = [answer(item) for item in items]
            assert all(r.items() <= e.items() for r, e in zip(records, expected))
    messages = {record["query"]: record.get("message") for record in records}
    assert messages["10.0.0.1"] == "private range"
    assert messages["127.0.0.1"] == messages["::1"] == "reserved range"
    assert messages["2"] == "invalid query"


def test_answers_have_variety():
    records = [answer(address) for address in PUBLIC]
    found = [record for record in records if record["status"] == "success"]
    assert any(record["status"] == "fail" for record in records)
    assert any(record["countryCode"] == "" and "lat" not in record for record in found)
    assert any(not record["city"].isascii() for record in found)
    assert any('"' in record["city"] and "," in record["city"] for record in found)
    assert any(record.get("lat", 0) < 0 for record in found)
    assert any(record["as"] == "" and record["countryCode"] for record in found)
    for flag in ("mobile", "proxy", "hosting"):
        assert {record[flag] for record in found} == {True, False}


def test_items_may_be_objects_with_fields_and_language_of_their_own(simulator):
    items = [{"query": "208.80.152.201", "fields": "city,country,countryCode,query", "lang": "ru"}, "8.8.8.8"]
    records = json.loads(batch(simulator, items)[2])
    assert records[0] == {
        "country": "США",
        "countryCode": "US",
        "city": "Чикаго",
        "query": "208.80.152.201",
    }
    assert records[1]["city"] == "Ashburn"


def test_wrong_batches(simulator):
    status, _, body = batch(simulator, PUBLIC[:101])
    assert (status, body) == (422, b"")
    assert batch(simulator, PUBLIC[:100])[0] == 200
    for wrong in ('{"query":"8.8.8.8"}', "[1]", "[", "", "[]", '[{"q":"8.8.8.8"}]'):
        status, _, body = batch(simulator, wrong, method="POST")
        assert (status, json.loads(body)) == (200, [{"status": "fail", "message": "invalid body"}])
    assert single(simulator, "/batch")[0] == 405
    assert single(simulator, "/elsewhere")[0] == 404


def test_windows_count_batch_and_single_separately(simulator):
    simulator.control(window=30, batch_limit=2, single_limit=3)
    seen = [batch(simulator, ["8.8.8.8"])[:2] for _ in range(3)]
    assert [(status, headers["X-Rl"]) for status, headers in seen] == [(200, "1"), (200, "0"), (429, "0")]
    status, headers, body = batch(simulator, ["8.8.8.8"])
    assert (status, body, headers["Content-Length"]) == (429, b"", "0")
    assert headers["X-Ttl"] == "30" and headers["Retry-After"] is None
    assert [single(simulator, "/json/8.8.8.8")[0] for _ in range(4)] == [200, 200, 200, 429]
    assert simulator.counts()["throttled"] == 3
    batches = [w for w in simulator.windows() if w["kind"] == "batch"]
    assert [(w["requests"], w["refused"]) for w in batches] == [(2, 2)]


def test_a_window_begins_with_its_first_request_and_its_time_is_rounded_up(simulator):
    simulator.control(window=1.3, batch_limit=1)
    _, headers, _ = batch(simulator, ["8.8.8.8"])
    began = time.monotonic()
    assert headers["X-Ttl"] == "2"
    time.sleep(0.5)
    status, headers, _ = batch(simulator, ["8.8.8.8"])
    assert (status, headers["X-Ttl"]) == (429, "1")
    time.sleep(max(0, began + 1.35 - time.monotonic()))
    assert batch(simulator, ["8.8.8.8"])[0] == 200
    assert len(simulator.windows()) == 2


def test_who_keeps_exceeding_is_banned_for_a_time(simulator):
    simulator.control(single_limit=1, ban_after=2, ban_seconds=0.3, window=0.2)
    assert [single(simulator, "/json/8.8.8.8")[0] for _ in range(4)] == [200, 429, 429, 403]
    assert single(simulator, "/json/8.8.8.8", headers={"X": "y"})[2] == b""
    time.sleep(0.35)
    assert single(simulator, "/json/8.8.8.8")[0] == 200


def test_a_key_lifts_the_limits_and_a_bad_one_is_refused(simulator):
    simulator.control(batch_limit=1)
    for _ in range(3):
        status, headers, _ = batch(simulator, ["8.8.8.8"], "/batch?key=pro-key")
        assert status == 200 and headers["X-Rl"] is None and headers["X-Ttl"] is None
    status, _, body = single(simulator, "/json/8.8.8.8?key=old")
    assert status == 403 and json.loads(body)["message"].startswith("invalid/expired key")


def test_null_takes_the_limit_away(simulator):
    simulator.control(batch_limit=None)
    assert {batch(simulator, ["8.8.8.8"])[0] for _ in range(20)} == {200}


# ipinfo


def test_the_legacy_lookup_is_pretty_printed_with_readme_and_anycast(simulator):
    status, _, body = ipinfo(simulator, "/8.8.8.8/json")
    assert status == 200
    assert body.decode().startswith('{\n  "ip": "8.8.8.8",\n  "hostname": "dns.google",\n')
    assert body.decode().endswith(
        '"timezone": "America/Los_Angeles",\n  "readme": "https://ipinfo.io/missingauth",\n'
        '  "anycast": true\n}'
    )
    assert "readme" not in json.loads(ipinfo(simulator, "/8.8.8.8/json", token="test-token")[2])


def test_ipinfo_paths(simulator):
    assert json.loads(ipinfo(simulator, "/json")[2])["ip"] == "24.48.0.1"
    assert ipinfo(simulator, "/8.8.8.8/city")[2] == b"Mountain View\n"
    assert "org" not in json.loads(ipinfo(simulator, "/8.8.8.8/geo")[2])
    assert json.loads(ipinfo(simulator, "/192.168.1.1")[2]) == {"ip": "192.168.1.1", "bogon": True}
    status, _, body = ipinfo(simulator, "/nonsense/json")
    assert (status, json.loads(body)["error"]["title"]) == (404, "Wrong ip")


def test_the_daily_limit_holds_without_a_token_only(simulator):
    simulator.control(daily_limit=2)
    assert [ipinfo(simulator, "/8.8.8.8/json")[0] for _ in range(3)] == [200, 200, 429]
    body = json.loads(ipinfo(simulator, "/8.8.8.8/json")[2])
    assert body["error"]["message"].startswith("You've hit the daily limit for the unauthenticated API.  ")
    assert ipinfo(simulator, "/8.8.8.8/json", token="test-token")[0] == 200


def test_a_token_is_bearer_basic_or_in_the_query(simulator):
    url = simulator.urls["ipinfo"]
    basic = {"Authorization": "Basic dGVzdC10b2tlbjo="}
    assert ask(url, "/lite/8.8.8.8", headers=basic)[0] == 200
    assert ask(url, "/lite/8.8.8.8?token=test-token")[0] == 200
    for options in ({}, {"headers": {"Authorization": "Bearer wrong"}}):
        status, _, body = ask(url, "/lite/8.8.8.8", **options)
        assert (status, json.loads(body)["error"]["title"]) == (403, "Unknown token")
    assert json.loads(ask(url, "/me?token=test-token")[2])["token"] == "test-token"


def test_batches_are_objects_keyed_by_the_input(simulator):
    items = ["8.8.8.8/country", "8.8.8.8/country", "5.6.7.8", "wrong", "lite/8.8.8.8", "10.0.0.1"]
    status, _, body = ipinfo(simulator, "/batch", items, token="test-token")
    values = json.loads(body)
    assert status == 200 and list(values) == list(dict.fromkeys(items))
    assert values["8.8.8.8/country"] == "US"
    assert values["5.6.7.8"] == ipinfo_answer("5.6.7.8")
    assert values["wrong"]["status"] == 404
    assert values["lite/8.8.8.8"] == lite_answer("8.8.8.8")
    assert values["10.0.0.1"] == {"ip": "10.0.0.1", "bogon": True}
    assert ipinfo(simulator, "/batch", items)[0] == 403
    assert ipinfo(simulator, "/batch", PUBLIC[:1001], token="test-token")[0] == 400
    lines = ipinfo(simulator, "/batch", "8.8.8.8\n1.1.1.1\n", token="test-token")[2]
    assert list(json.loads(lines)) == ["8.8.8.8", "1.1.1.1"]


def test_lite_has_names_for_countries_and_a_batch(simulator):
    for path in ("/batch/lite", "/lite/batch/lite"):
        values = json.loads(ipinfo(simulator, path, PUBLIC[:1000], token="test-token")[2])
        assert values == {address: lite_answer(address) for address in PUBLIC[:1000]}
    assert json.loads(ipinfo(simulator, "/lite/8.8.8.8", token="test-token")[2])["country"] == "United States"
    assert json.loads(ipinfo(simulator, "/lite/me", token="test-token")[2])["ip"] == "24.48.0.1"
    assert ipinfo(simulator, "/lite/8.8.8.8/asn", token="test-token")[2] == b"AS15169\n"
    assert simulator.requests("ipinfo lite") == 3


# ipify


def test_ipify_answers_text_json_and_jsonp(simulator):
    url = simulator.urls["ipify"]
    assert ask(url, "/")[2] == b"24.48.0.1"
    assert ask(url, "/?format=json")[2] == b'{"ip":"24.48.0.1"}'
    assert ask(url, "/?format=jsonp&callback=f")[2] == b'f({"ip":"24.48.0.1"});'
    assert ask(url, "/", headers={"X-Forwarded-For": "1.2.3.4, 5.6.7.8"})[2] == b"1.2.3.4"
    assert ask(url, "/", headers={"X-Forwarded-For": "unknown"})[2] == b"<nil>"
    assert ask(url, "/path")[0] == 404 and ask(url, "/", "")[0] == 405


# Counts, connections, processes


def test_everything_is_counted(simulator):
    simulator.control(latency=0.2)
    threads = [threading.Thread(target=batch, args=(simulator, PUBLIC[:10])) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    batch(simulator, ["10.0.0.1", "fe80::1"])
    counts = simulator.counts()
    assert counts["requests"] == {"ip-api batch": 5} and counts["clients"] == {"127.0.0.1": 5}
    assert counts["items"] == 42 and counts["distinct"] == 12 and counts["special_items"] == 2
    assert counts["max_concurrency"] == 4 and counts["connections"] == 5
    assert counts["under_way"] == 0 and counts["statuses"] == {"200": 5}
    assert simulator.addresses()[PUBLIC[0]] == 4
    log = simulator.log()
    assert [line["number"] for line in log] == [1, 2, 3, 4, 5]
    assert all(line["done"] - line["at"] >= 0.19 for line in log)


def test_pipelined_requests_are_answered_in_order(simulator):
    host = urlsplit(simulator.urls["ip_api"])
    with socket.create_connection((host.hostname, host.port), timeout=5) as connection:
        paths = [f"/json/{address}?fields=query" for address in PUBLIC[:20]]
        connection.sendall("".join(f"GET {path} HTTP/1.1\r\nHost: x\r\n\r\n" for path in paths).encode())
        connection.shutdown(socket.SHUT_WR)
        text = b"".join(iter(lambda: connection.recv(65536), b"")).decode()
    places = [text.index(f'{{"query":"{address}"}}') for address in PUBLIC[:20]]
    assert places == sorted(places) and text.count("HTTP/1.1 200 OK") == 20


def test_hostile_texts(simulator):
    simulator.control(hostile=True, batch_limit=None)
    for address in PUBLIC[:100]:
        record = json.loads(batch(simulator, [address])[2])[0]
        if record["status"] == "success" and record["countryCode"]:
            assert hostile_text(address) in record.values()
    values = json.loads(ipinfo(simulator, "/batch", PUBLIC[:200], token="test-token")[2])
    assert max(len(value.get("city", "")) for value in values.values()) == 300_000


def test_wrong_settings_are_refused(simulator):
    for wrong in ({"windw": 1}, {"window": "1"}, {"faults": [{"fault": "nonsense"}]}, {"batch_limit": "x"}):
        status, _, body = ask(simulator.urls["ipify"], "/_control", wrong)
        assert status == 400 and json.loads(body)["error"]


def test_it_ends_when_its_standard_input_closes():
    directory = Path(__file__).resolve().parent
    command = [sys.executable, str(directory), "--batch-limit", "null", "--tokens", '["a"]']
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    urls = json.loads(process.stdout.readline())
    assert urls["port"] == urlsplit(urls["ip_api"]).port
    assert json.loads(ask(urls["ipinfo"], "/_control")[2])["settings"]["batch_limit"] is None
    process.stdin.close()
    assert process.wait(timeout=5) == 0
    process.stdout.close()
