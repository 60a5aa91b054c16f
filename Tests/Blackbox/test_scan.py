"""`sonde scan` with ip-api: order, batches, duplicates, streaming, requests at once."""

import json
import shutil
import time

from expected import differences, record
from hostile import cleaned, hostile_text

ADDRESSES = [f"5.{n // 250}.{n % 250}.3" for n in range(2000)]


def scan(sonde, simulator, *options, input="", **more):
    return sonde("scan", "--provider", "ip-api", *options, input=input, env=simulator.env, **more)


def test_every_address_is_one_record_right_and_in_order(sonde, simulator):
    simulator.control(batch_limit=None)
    v6 = [f"2001:4860:{n:x}::1" for n in range(1, 200)]
    items = [x for pair in zip(ADDRESSES, v6) for x in pair] + ADDRESSES[len(v6):]
    result = scan(sonde, simulator, input="\n".join(items))
    expected = [record(item, line=n) for n, item in enumerate(items, 1)]
    assert differences(result.records, expected) == []
    assert result.status == 0
    counts = simulator.counts()
    assert counts["most_asked"] == 1 and counts["distinct"] == len(items)
    assert counts["requests"] == {"ip-api batch": -(-len(items) // 100)}


def test_batches_are_full(sonde, simulator):
    simulator.control(batch_limit=None)
    scan(sonde, simulator, input="\n".join(ADDRESSES[:950]))
    assert sorted(line["items"] for line in simulator.log()) == [50] + [100] * 9


def test_duplicates_are_asked_once_and_answered_once(sonde, simulator):
    items = [*ADDRESSES[:50], *ADDRESSES[:50], "::ffff:5.0.0.3", "5.0.0.3/32"]
    result = scan(sonde, simulator, input="\n".join(items))
    assert [r["ip"] for r in result.records] == ADDRESSES[:50]
    assert simulator.counts()["most_asked"] == 1


def test_duplicates_kept_give_a_record_for_every_occurrence(sonde, simulator):
    items = [*ADDRESSES[:50], *ADDRESSES[:50]]
    result = scan(sonde, simulator, "--duplicates", "keep", input="\n".join(items))
    assert differences(result.records, [record(item, line=n) for n, item in enumerate(items, 1)]) == []


def test_an_answer_that_says_nothing_is_unknown_and_no_error(sonde, simulator):
    unknown = [address for address in ADDRESSES if record(address)["status"] == "unknown"][:5]
    assert len(unknown) == 5
    result = scan(sonde, simulator, input="\n".join(unknown))
    assert [r["status"] for r in result.records] == ["unknown"] * 5
    assert all(r["message"] and "source" not in r for r in result.records)
    assert result.status == 0


def test_a_batch_that_is_not_full_leaves_after_200_ms_of_silence(sonde, simulator):
    running = sonde.start("scan", "--provider", "ip-api", env=simulator.env)
    running.write("8.8.8.8\n1.1.1.1\n24.48.0.1\n")
    cities = [json.loads(running.line(timeout=5))["city"] for _ in range(3)]
    assert cities == ["Ashburn", "South Brisbane", "Montreal"]
    running.write("5.6.7.8\n")
    assert json.loads(running.line(timeout=5))["ip"] == "5.6.7.8"
    assert running.finish().status == 0
    assert [line["items"] for line in simulator.log()] == [3, 1]


def test_a_trickle_leaves_at_the_latest_after_a_second(sonde, simulator):
    running = sonde.start("scan", "--provider", "ip-api", env=simulator.env)
    for address in ADDRESSES[:24]:
        running.write(address + "\n")
        time.sleep(0.1)
    assert running.finish().status == 0
    log = simulator.log()
    assert log[0]["items"] < 24 and sum(line["items"] for line in log) == 24


def test_output_starts_before_the_input_ends(sonde, simulator):
    running = sonde.start("scan", "--provider", "ip-api", env=simulator.env)
    running.write("\n".join(ADDRESSES[:250]) + "\n")
    assert json.loads(running.line(timeout=5))["ip"] == ADDRESSES[0]
    assert running.finish().status == 0


def test_concurrency_bounds_the_requests_under_way(sonde, simulator):
    simulator.control(batch_limit=None, latency=0.15)
    scan(sonde, simulator, "--concurrency", "3", input="\n".join(ADDRESSES))
    assert simulator.counts()["max_concurrency"] <= 3
    simulator.control(batch_limit=15, latency=0.15)
    # That there was no limit is not known any more.
    shutil.rmtree(sonde.home / "state")
    scan(sonde, simulator, input="\n".join(ADDRESSES[:1000]))
    counts = simulator.counts()
    assert 2 <= counts["max_concurrency"] <= 8
    first, second = simulator.log()[:2]
    assert second["at"] >= first["done"], "until the window is known one request is under way"


def test_connections_are_used_again(sonde, simulator):
    simulator.control(batch_limit=None)
    scan(sonde, simulator, input="\n".join(ADDRESSES))
    assert simulator.counts()["connections"] <= 8


SLOW = {"fault": "delay", "seconds": 1.5, "address": ADDRESSES[150]}


def test_order_is_kept_past_a_slow_batch(sonde, simulator):
    simulator.control(faults=[SLOW])
    result = scan(sonde, simulator, input="\n".join(ADDRESSES[:600]))
    assert [r["ip"] for r in result.records] == ADDRESSES[:600]


def test_unordered_emits_each_as_soon_as_it_is_known(sonde, simulator):
    simulator.control(faults=[SLOW])
    result = scan(sonde, simulator, "--unordered", input="\n".join(ADDRESSES[:600]))
    given = [r["ip"] for r in result.records]
    assert sorted(given) == sorted(ADDRESSES[:600])
    assert given.index(ADDRESSES[150]) > given.index(ADDRESSES[450])


def test_the_log_mode_enriches_a_log(sonde, simulator):
    log = "".join(
        f'{address} - - [01/Jan/2025:00:00:0{n}] "GET /{n}.2.3.4.x HTTP/1.1" 200 5 "-" "Mozilla/5.0 Chrome/30.0.0.{n}"\n'
        for n, address in enumerate(ADDRESSES[:9])
    )
    result = scan(sonde, simulator, "--log", sonde.file("access.log", log))
    expected = [record(address, line=n) for n, address in enumerate(ADDRESSES[:9], 1)]
    assert differences(result.records, expected) == []


def test_max_requests_stops_asking(sonde, simulator):
    simulator.control(batch_limit=None)
    result = scan(sonde, simulator, "--max-requests", "3", input="\n".join(ADDRESSES[:500]))
    assert simulator.counts()["total"] == 3
    statuses = [r["status"] for r in result.records]
    # Which of those that have their permits at once goes first is open.
    assert statuses.count("failed") == 200
    assert all(r["message"] for r in result.records if r["status"] == "failed") and result.status == 1


def test_max_requests_hands_the_rest_over(sonde, simulator, loc_database):
    simulator.control(batch_limit=None)
    options = ("--provider", "ip-api,local", "--database", loc_database, "--max-requests", "1")
    result = sonde("scan", *options, input="\n".join(ADDRESSES[:300]), env=simulator.env)
    sources = [r.get("source") for r in result.records]
    assert simulator.counts()["total"] == 1
    assert sources[100:] == ["libloc"] * 200 and result.status == 0


def test_rate_replaces_the_published_start(sonde, simulator):
    simulator.control(batch_limit=None)
    began = time.monotonic()
    scan(sonde, simulator, "--rate", "5/s", input="\n".join(ADDRESSES[:1100]))
    assert 1.5 <= time.monotonic() - began <= 5
    assert simulator.counts()["total"] == 11


def test_hostile_texts_stay_inside_their_records(sonde, simulator):
    simulator.control(batch_limit=None, hostile=True)
    addresses = [address for address in ADDRESSES[:300] if len(hostile_text(address)) < 1000]
    result = scan(sonde, simulator, input="\n".join(addresses))
    assert [r["ip"] for r in result.records] == addresses and result.status == 0
    carried = [r for r in result.records if cleaned(hostile_text(r["ip"])) in r.values()]
    assert len(carried) > len(addresses) / 2
    assert not any(byte in result.stdout for byte in b"\x00\x1b\x07\r")


def test_a_very_long_text_takes_no_other_record_with_it(sonde, simulator):
    simulator.control(batch_limit=None, hostile=True)
    long = [address for address in ADDRESSES if len(hostile_text(address)) > 1000][:3]
    result = scan(sonde, simulator, input="\n".join([*long, "8.8.8.8"]))
    assert [r["ip"] for r in result.records] == [*long, "8.8.8.8"]
    assert result.records[-1]["status"] == "ok"
