"""Each fault does what it says, to the requests it is meant for, and the same ones every time."""

import http.client
import json
import time

import pytest
from answers import answer
from test_simulator import PUBLIC, batch, ipinfo, single


def test_rules_choose_by_number_address_and_count(simulator):
    fault = {"fault": "status", "status": 500}
    simulator.control(batch_limit=None, faults=[dict(fault, call="ip-api batch", **{"from": 2, "to": 3})])
    assert [batch(simulator, ["8.8.8.8"])[0] for _ in range(4)] == [200, 500, 500, 200]
    simulator.control(faults=[dict(fault, address="5.6.7.8")])
    assert batch(simulator, ["8.8.8.8", "5.6.7.8"])[0] == 500
    assert single(simulator, "/json/8.8.8.8")[0] == 200
    simulator.control(faults=[dict(fault, next=2, call="ip-api")])
    assert ipinfo(simulator, "/8.8.8.8")[0] == 200
    assert [single(simulator, "/json/8.8.8.8")[0] for _ in range(3)] == [500, 500, 200]
    assert simulator.counts()["faults"] == {"status": 2}


def test_probability_is_decided_by_the_seed(simulator):
    rule = {"fault": "status", "status": 503, "probability": 0.3}

    def outcomes(seed):
        simulator.control(batch_limit=None, faults=[rule], seed=seed)
        return [batch(simulator, [address])[0] for address in PUBLIC[:100]]

    first = outcomes(1)
    assert first == outcomes(1) != outcomes(2)
    assert 15 <= first.count(503) <= 45


def test_a_fault_that_replaces_the_answer_leaves_the_window_alone(simulator):
    simulator.control(batch_limit=2, faults=[{"fault": "status", "status": 502, "next": 3}])
    seen = [batch(simulator, ["8.8.8.8"])[0] for _ in range(6)]
    assert seen == [502, 502, 502, 200, 200, 429]


def test_a_big_header_and_a_tail_behind_the_compression(simulator):
    simulator.control(faults=[{"fault": "big_header", "bytes": 5000, "lines": 5}])
    _, headers, body = batch(simulator, ["8.8.8.8"])
    assert [len(headers[f"X-Filler-{n}"]) for n in range(5)] == [1000] * 5
    assert json.loads(body)[0]["query"] == "8.8.8.8"
    simulator.control(faults=[{"fault": "gzip_tail"}])
    _, headers, body = batch(simulator, ["8.8.8.8"])
    assert headers["Content-Encoding"] == "gzip" and body.endswith(b"tail")


def test_headers_that_lie_beside_a_right_answer(simulator):
    simulator.control(faults=[{"fault": "lying_headers", "headers": {"X-Rl": 0, "x-ttl": 99_999_999}}])
    _, headers, body = batch(simulator, ["8.8.8.8"])
    assert (headers["X-Rl"], headers["X-Ttl"]) == ("0", "99999999")
    assert json.loads(body)[0]["query"] == "8.8.8.8"
    simulator.control(faults=[{"fault": "lying_headers", "headers": {"X-Rl": [3, 4], "X-Ttl": []}}])
    _, headers, _ = batch(simulator, ["8.8.8.8"])
    assert headers.get_all("X-Rl") == ["3", "4"] and headers["X-Ttl"] is None
    simulator.control(faults=[{"fault": "status", "status": 429, "retry_after": 99_999_999}])
    status, headers, body = batch(simulator, ["8.8.8.8"])
    assert (status, headers["Retry-After"], body) == (429, "99999999", b"")


def test_entries_in_error_and_huge_values(simulator):
    simulator.control(faults=[{"fault": "entry_error", "of": "5.6.7.8"}])
    first, second = json.loads(batch(simulator, ["8.8.8.8", "5.6.7.8"])[2])
    assert first["status"] == "success"
    assert second == {"status": "error", "message": "backend timeout", "query": "5.6.7.8"}
    assert json.loads(single(simulator, "/json/5.6.7.8")[2]) == second
    found = json.loads(ipinfo(simulator, "/batch", ["8.8.8.8", "5.6.7.8"], token="test-token")[2])
    assert found["8.8.8.8"]["country"] == "US" and found["5.6.7.8"]["status"] == 503
    simulator.control(faults=[{"fault": "huge_values"}])
    (entry,) = json.loads(batch(simulator, ["8.8.8.8"])[2])
    assert (entry["lat"], entry["lon"], len(entry["city"].encode())) == (1e300, -180.5, 1_000_000)


@pytest.mark.parametrize(
    "rule, status, header, value",
    [
        ({"fault": "status", "status": 429}, 429, "X-Rl", None),
        ({"fault": "status", "status": 429, "headers": {"X-Rl": 0, "X-Ttl": 3}}, 429, "X-Ttl", "3"),
        ({"fault": "status", "retry_after": 2}, 503, "Retry-After", "2"),
        ({"fault": "login_302"}, 302, "Content-Type", "text/html; charset=utf-8"),
        ({"fault": "login_200"}, 200, "Content-Type", "text/html; charset=utf-8"),
        ({"fault": "forbidden_json"}, 403, "Content-Type", "application/json; charset=utf-8"),
        ({"fault": "forbidden_html"}, 403, "Content-Type", "text/html; charset=utf-8"),
        ({"fault": "empty"}, 200, "Content-Length", "0"),
        ({"fault": "huge", "bytes": 100_000}, 200, "Content-Length", "100015"),
    ],
)
def test_answers_that_replace_the_right_one(simulator, rule, status, header, value):
    simulator.control(faults=[rule])
    seen, headers, _ = batch(simulator, ["8.8.8.8"])
    assert (seen, headers[header]) == (status, value)


def test_retry_after_may_be_a_date(simulator):
    simulator.control(faults=[{"fault": "status", "retry_after": "date:5"}])
    assert batch(simulator, ["8.8.8.8"])[1]["Retry-After"].endswith("GMT")


@pytest.mark.parametrize(
    "rule, error",
    [
        ({"fault": "reset"}, ConnectionResetError),
        ({"fault": "close"}, http.client.RemoteDisconnected),
        ({"fault": "cut"}, http.client.IncompleteRead),
        ({"fault": "cut", "how": "reset"}, (ConnectionResetError, http.client.IncompleteRead)),
        ({"fault": "long_length"}, http.client.IncompleteRead),
        ({"fault": "hang"}, TimeoutError),
    ],
)
def test_connections_that_break(simulator, rule, error, monkeypatch):
    simulator.control(faults=[rule])
    if rule["fault"] == "hang":
        made = http.client.HTTPConnection
        monkeypatch.setattr(http.client, "HTTPConnection", lambda host, timeout: made(host, timeout=0.3))
    with pytest.raises(error):
        batch(simulator, ["8.8.8.8", "1.1.1.1"])
    deadline = time.monotonic() + 2
    while simulator.counts()["under_way"] and time.monotonic() < deadline:
        time.sleep(0.02)
    assert simulator.counts()["under_way"] == 0


@pytest.mark.parametrize("rule", [{"fault": "delay", "seconds": 0.3}, {"fault": "drip", "seconds": 0.3}])
def test_slow_answers_are_right(simulator, rule):
    simulator.control(faults=[rule])
    began = time.monotonic()
    assert json.loads(batch(simulator, ["8.8.8.8"])[2])[0]["city"] == "Ashburn"
    assert time.monotonic() - began >= 0.25


@pytest.mark.parametrize("fault", ["truncated", "garbage", "short_length"])
def test_bodies_that_are_no_json(simulator, fault):
    simulator.control(faults=[{"fault": fault}])
    status, _, body = batch(simulator, PUBLIC[:10])
    assert status == 200
    with pytest.raises(ValueError):
        json.loads(body)


def entries(simulator, fault):
    simulator.control(faults=[{"fault": fault}])
    return json.loads(batch(simulator, PUBLIC[:10])[2])


def test_entries_that_are_wrong(simulator):
    asked = PUBLIC[:10]
    assert len(entries(simulator, "missing")) == 9
    doubled = [entry["query"] for entry in entries(simulator, "doubled")]
    assert len(doubled) == 11 and set(doubled) == set(asked)
    reordered = [entry["query"] for entry in entries(simulator, "reordered")]
    assert reordered != asked and sorted(reordered) == sorted(asked)
    foreign = [entry["query"] for entry in entries(simulator, "foreign")]
    assert len(foreign) == 10 and "9.9.9.9" in foreign
    assert all("query" not in entry for entry in entries(simulator, "no_query"))
    assert all(entry["status"] == 1 for entry in entries(simulator, "wrong_types"))
    assert answer(asked[0])["query"] == asked[0]


def test_entries_of_an_object_that_are_wrong(simulator):
    def keys(fault):
        simulator.control(faults=[{"fault": fault}])
        return list(json.loads(ipinfo(simulator, "/batch", PUBLIC[:10], token="test-token")[2]))

    assert len(keys("missing")) == 9
    assert sorted(keys("reordered")) == sorted(PUBLIC[:10]) != keys("reordered")
    assert "9.9.9.9" in keys("foreign")
