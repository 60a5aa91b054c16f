"""`guard --replay`: which hits raise alerts, held against an independent count, and their form."""

import gzip
import json
import math
import random
import time
from datetime import UTC, datetime, timedelta

import pytest

START = datetime(2026, 11, 23, 3, 0, tzinfo=UTC)
FAILED = 'text ~ "*Failed*"'


def stamp(moment):
    return moment.strftime("%Y-%m-%dT%H:%M:%SZ")


def line(seconds, text):
    return f"{stamp(START + timedelta(seconds=seconds))} {text}\n"


@pytest.fixture
def replay(sonde):
    def run(log, *arguments, **options):
        if isinstance(log, str):
            sonde.file("a.log", log)
            log = ("a.log",)
        words = ("guard", "--replay", *log, "--provider", "local", *arguments)
        return sonde(*words, **options)

    return run


def alerts(result):
    return [json.loads(text) for text in result.stdout.splitlines()]


def test_an_alert_says_what_was_hit(replay):
    log = "".join(line(second, f"Failed for root from 8.8.8.8 #{second}") for second in (0, 5, 192))
    result = replay(log, "--when", FAILED, "--count", "3", "--name", "ssh")
    assert (result.status, result.stderr) == (0, "")
    (alert,) = alerts(result)
    assert len(alert.pop("id")) == 32
    for name in ("country", "city", "asn", "as_name", "country_code"):
        alert.pop(name, None)
    assert alert == {
        "event": "alert", "at": "2026-11-23T03:03:12.000Z", "name": "ssh",
        "time": "2026-11-23T03:03:12.000Z", "first": "2026-11-23T03:00:00.000Z", "count": 3,
        "key": {"ip": "8.8.8.8"}, "ip": "8.8.8.8", "input": "a.log",
        "text": "2026-11-23T03:03:12Z Failed for root from 8.8.8.8 #192",
    }


def test_text_names_address_or_key(replay):
    log = line(0, "Failed from 10.0.0.1") + line(192, "Failed from 10.0.0.1")
    common = ("--when", FAILED, "--format", "text", "--host-name", "gate.example")
    result = replay(log, *common, "--count", "2", "--name", "ssh")
    assert result.stdout.decode() == (
        "gate.example: ssh: 2 hits of 10.0.0.1 within 3 min 12 s, last 2026-11-23 03:03:12 UTC\n"
    )
    result = replay(log, *common, "--by", "input,ip")
    assert result.stdout.decode() == (
        "gate.example: 1 hit of input=a.log, ip=10.0.0.1 within 0 s, last 2026-11-23 03:00:00 UTC\n"
    )


def test_named_groups_are_fields(replay):
    log = "".join(
        line(second, f"Failed for {user} from 8.8.8.8 port 1")
        for second, user in enumerate(("root", "eve", "root", "root"))
    ) + line(9, "Failed from 8.8.8.8")
    words = ("--capture", r"for (?<user>\S+) from", "--by", "user", "--every", "0s")
    (alert,) = alerts(replay(log, *words, "--when", "user", "--count", "3"))
    assert (alert["key"], alert["count"]) == ({"user": "root"}, 3)
    (alert,) = alerts(replay(log, *words, "--when", "user = eve"))
    assert alert["key"] == {"user": "eve"}


@pytest.mark.parametrize(
    ("pattern", "words"),
    [
        ("(", "missing closing parenthesis, at byte 1"),
        ("for", "it has no named group"),
        (r"(?<text>\S+)", "text is a field already"),
    ],
)
def test_a_pattern_that_is_none_is_named(replay, pattern, words):
    result = replay(line(0, "from 8.8.8.8"), "--capture", pattern, "--when", "ip")
    assert result.status == 2 and f"--capture: {words}" in result.stderr


# Each takes very long without a limit: within one place where it may begin, or over all of them.
@pytest.mark.parametrize(
    ("pattern", "hostile", "plain"),
    [
        ("(?<x>(a+)+b)", "a" * 60 + "c 8.8.8.8 b", "aab 9.9.9.9"),
        (r"(?<x>\w+)[@#]", "a" * 1_000_000 + " 8.8.8.8 @", "a@ 9.9.9.9"),
        ("(?<x>a.*b.*c.*d)", "ab" * 100_000 + " 8.8.8.8 d", "abcd 9.9.9.9"),
        (r"(?<x>(?:a|b)+)\1c", "ab" * 20_000 + " 8.8.8.8 c", "aac 9.9.9.9"),
    ],
    ids=["nested", "everywhere", "cubic", "reference"],
)
def test_a_line_that_takes_too_long_does_not_match(replay, pattern, hostile, plain):
    started = time.monotonic()
    result = replay(line(0, hostile) + line(1, plain), "--capture", pattern, "--when", "x")
    assert time.monotonic() - started < 5
    assert [alert["ip"] for alert in alerts(result)] == ["9.9.9.9"]
    assert result.stderr == (
        "sonde: --capture: a line takes more than 100,000 steps, and does not match\n"
        "sonde: --capture: 1 line takes too many steps\n"
    )


def test_short_lines_and_long_ones_take_turns(replay):
    long, short = line(0, "for a from 9.9.9.9 " + "x" * 5000), line(0, "for b from 9.9.9.9")
    result = replay((long + short * 2) * 50, "--capture", r"for (?<user>\w+)(?C1) from", "--when", "user", "--every", "0s")
    assert (result.stdout.count(b"\n"), result.stderr) == (150, "")


def test_a_long_line_is_no_hostile_one(replay):
    long = "user=eve from 8.8.8.8 " + "(a b) " * 3_000 + "end"
    result = replay(line(0, long), "--capture", r"user=(?<user>\w+)(?:[^x]| )+end", "--when", "user = eve")
    assert len(alerts(result)) == 1 and result.stderr == ""


def judged(hits, count, within, every):
    """An independent count: (time, address) of each hit that raises an alert."""
    seen, last, raised = {}, {}, []
    for time, address in hits:
        times = seen.setdefault(address, [])
        times.append(time)
        if sum(1 for other in times if time - within < other <= time) < count:
            continue
        if address in last and abs(time - last[address]) < every:
            continue
        last[address] = time
        raised.append((time, address))
    return raised


@pytest.mark.parametrize("seed", range(6))
def test_alerts_are_those_of_an_independent_count(replay, seed):
    chance = random.Random(seed)
    now, hits = 0, []
    for _ in range(1500):
        now += chance.choice([0, 0, 1, 3, 20])
        hits.append((max(0, now - chance.choice([0] * 6 + [40, 300])), f"9.9.9.{chance.randrange(8)}"))
    count, within, every = chance.choice([(1, 60, 30), (3, 60, 0), (5, 100, 500), (20, 600, 3600)])
    log = "".join(line(time, f"Failed from {address}") for time, address in hits)
    result = replay(
        log, "--when", FAILED, "--count", str(count), "--within", f"{within}s",
        "--every", f"{every}s", "--at-most", "0",
    )
    found = [(alert["time"], alert["ip"]) for alert in alerts(result)]
    wanted = [
        ((START + timedelta(seconds=time)).strftime("%Y-%m-%dT%H:%M:%S.000Z"), address)
        for time, address in judged(hits, count, within, every)
    ]
    assert found == wanted
    assert wanted


def test_new_values_are_learnt_in_silence(replay):
    day = 86_400
    log = (
        line(0, "Failed from 9.9.9.9") + line(1, "Failed from 8.8.8.8") + line(2, "Failed from 8.8.8.8")
        + line(3, "from 1.1.1.1") + line(89 * day, "Failed from 9.9.9.9")
        + line(91 * day, "Failed from 8.8.8.8")
    )
    result = replay(log, "--when", FAILED, "--by", "input", "--new", "ip")
    found = [(alert["ip"], alert["before"]) for alert in alerts(result)]
    assert found == [("8.8.8.8", ["9.9.9.9"]), ("8.8.8.8", ["8.8.8.8", "9.9.9.9"])]


def test_travel_counts_what_is_too_fast(sonde, simulator):
    sonde.file("a.log", (
        line(0, "from 1.1.1.1") + line(60, "from 8.8.8.8") + line(61, "from 8.8.8.8")
        + line(20 * 86_400, "from 1.1.1.1")
    ))
    places = {}
    for address in ("1.1.1.1", "8.8.8.8"):
        record = json.loads(sonde("lookup", address, env=simulator.env).stdout)
        places[address] = record["latitude"], record["longitude"]
    result = sonde("guard", "--replay", "a.log", "--by", "input", "--travel", "900", env=simulator.env)
    (alert,) = alerts(result)
    (one, two) = ([math.radians(value) for value in places[ip]] for ip in ("1.1.1.1", "8.8.8.8"))
    cosine = math.sin(one[0]) * math.sin(two[0])
    cosine += math.cos(one[0]) * math.cos(two[0]) * math.cos(one[1] - two[1])
    assert abs(alert["km"] - 6371 * math.acos(cosine)) <= 1
    assert abs(alert["kmh"] - 60 * alert["km"]) <= 60
    assert (alert["ip"], alert["from"]["ip"]) == ("8.8.8.8", "1.1.1.1")


def test_the_hour_has_its_most_alerts(replay):
    log = "".join(line(second, f"Failed from 9.9.9.{second}") for second in range(5))
    log += line(3600, "Failed from 9.9.9.9")
    events = [alert["event"] for alert in alerts(replay(log, "--when", FAILED, "--at-most", "2"))]
    assert events == ["alert", "alert", "flood", "alert", "alert", "alert"]


def test_files_are_merged_by_time_and_unpacked(replay, sonde):
    sonde.file("a.log", line(0, "Failed from 9.9.9.9") + "no time: Failed from 9.9.9.8\n" + line(9, "x"))
    packed = gzip.compress((line(1, "Failed from 9.9.9.1") + line(5, "Failed from 9.9.9.9")).encode())
    sonde.file("b.log.gz", packed)
    result = replay(("a.log", "b.log.gz"), "--when", FAILED, "--every", "0")
    found = [(alert["ip"], alert["time"][17:19], alert["input"]) for alert in alerts(result)]
    assert found == [
        ("9.9.9.9", "00", "a.log"), ("9.9.9.8", "00", "a.log"), ("9.9.9.1", "01", "b.log.gz"),
        ("9.9.9.9", "05", "b.log.gz"),
    ]


def test_only_the_period_counts(replay):
    log = "".join(line(minute * 60, "Failed from 9.9.9.9") for minute in range(5))
    result = replay(
        log, "--when", FAILED, "--every", "0", "--since", stamp(START + timedelta(minutes=1)),
        "--until", stamp(START + timedelta(minutes=3)),
    )
    assert [alert["time"][14:16] for alert in alerts(result)] == ["01", "02"]


def test_a_period_without_hits_is_told(replay):
    log = line(0, "Failed from 9.9.9.9") + line(9, "from 9.9.9.9") + line(60, "Failed from 9.9.9.8")
    result = replay(log, "--when", FAILED, "--since", stamp(START + timedelta(hours=1)))
    assert (result.status, result.stdout) == (0, b"")
    assert result.stderr == (
        "sonde: nothing in that time: 2 hits before --since, the last at 2026-11-23T03:01:00Z\n"
    )
    timeless = replay("Failed from 9.9.9.9\n", "--when", FAILED, "--until", stamp(START))
    assert timeless.stderr == (
        "sonde: 1 hit left out: their lines have no time, for --since and --until\n"
    )


@pytest.mark.parametrize(
    ("rule", "needs"),
    [(("--new", "city"), "ip, city"), (("--travel", "900"), "ip, latitude, longitude")],
)
def test_values_that_no_answer_has_are_told(replay, rule, needs):
    result = replay(line(0, "from 9.9.9.9") + line(1, "from 8.8.8.8"), *rule)
    assert (result.status, result.stdout) == (0, b"")
    assert result.stderr.endswith(
        f"sonde: no hit so far has a value for {needs}: hits without these values do not count, "
        "so check that a database or provider in use has them\n"
    )
    private = replay(line(0, "from 10.0.0.1"), *rule)
    assert (private.status, private.stderr) == (0, "")



@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ((), "which hits count? Give --when EXPR"),
        (("--when", "packets > 1"), "--when: packets is of all hits of an address, not of one"),
        (("--when", "line = 1"), "--when: line is not known of logs that are followed"),
        (("--when", "ip", "--by", "usr"), "--by, column 1: there is no field 'usr'"),
        (("--when", "ip", "--by", "ip,ip"), "ip stands there twice"),
        (("--when", "ip", "--new", "nothing"), "there is no field 'nothing'"),
    ],
)
def test_mistakes_are_named(replay, arguments, words):
    result = replay(line(0, "1.1.1.1"), *arguments)
    assert result.status == 2
    assert words in result.stderr
    assert result.stdout == b""


def test_a_missing_file_leaves_the_others(replay, sonde):
    sonde.file("a.log", line(0, "Failed from 9.9.9.9"))
    result = replay(("a.log", "gone.log"), "--when", FAILED)
    assert result.status == 5
    assert len(alerts(result)) == 1
    assert "gone.log" in result.stderr


def test_times_choose_what_is_replayed_alone(sonde):
    result = sonde("guard", "a.log", "--when", "ip", "--since", "1h")
    assert (result.status, result.stdout) == (2, b"")
    assert "--since chooses what --replay reads" in result.stderr
