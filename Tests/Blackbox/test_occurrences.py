"""Fields of an occurrence (`time`, `hour`, `text`, …) and totals (`hits`, `first_seen`, …), and conditions on them,
against a slow reading of the same lines."""

import json
import random
import re
import signal
from datetime import datetime, timedelta, timezone
from zoneinfo import ZoneInfo

import pytest
from command import wait_for

ADDRESSES = [f"5.0.{n // 200}.{n % 200}" for n in range(40)]
START = datetime(2015, 5, 17, 10, tzinfo=timezone.utc)
LINE = re.compile(r"^(\S+) - - \[([^]]+)\] (.*)$")


def log(count, seed, addresses=ADDRESSES):
    chooser = random.Random(seed)
    lines, now = [], START
    for _ in range(count):
        now += timedelta(seconds=chooser.randrange(2000))
        path = chooser.choice(["/", "/admin", "/wp-login.php", "/Straße"])
        lines.append(f'{chooser.choice(addresses)} - - [{now:%d/%b/%Y:%H:%M:%S +0000}] "GET {path} HTTP/1.1" 200 1')
    return lines


def slowly(lines, keep=lambda at, line, number: True, zone="UTC"):
    """For each address in order the first occurrence that stays, and its totals."""
    found = {}
    for number, line in enumerate(lines, 1):
        ip, stamp, _ = LINE.match(line).groups()
        at = datetime.strptime(stamp, "%d/%b/%Y:%H:%M:%S %z")
        if not keep(at.astimezone(ZoneInfo(zone)), line, number):
            continue
        time = f"{at:%Y-%m-%dT%H:%M:%SZ}"
        each = found.setdefault(ip, {"ip": ip, "line": number, "time": time, "text": line, "hits": 0})
        each["hits"] += 1
        times = [time, each.get("first_seen", time)], [time, each.get("last_seen", time)]
        each["first_seen"], each["last_seen"] = min(times[0]), max(times[1])
    return list(found.values())


def check(sonde, *arguments, **options):
    result = sonde("check", *arguments, **options)
    assert result.status in (0, 1), result.stderr
    return [json.loads(line) for line in result.stdout.splitlines()]


@pytest.mark.parametrize("piped", [False, True])
def test_the_fields_of_an_occurrence(sonde, piped):
    lines = log(300, 1)
    text = "\n".join(lines) + "\n"
    name = "-" if piped else sonde.file("a.log", text)
    options = {"input": text} if piped else {}
    found = check(sonde, "--log", "--fields", "ip,line,time,text", name, **options)
    assert found == [{key: each[key] for key in ("ip", "line", "time", "text")} for each in slowly(lines)]
    zone = ZoneInfo("Asia/Kolkata")
    clocks = check(sonde, "--log", "--time-zone", "Asia/Kolkata", "--fields", "hour,day,hour_of_day,weekday", name, **options)
    for each, clock in zip(found, clocks, strict=True):
        at = datetime.fromisoformat(each["time"].replace("Z", "+00:00")).astimezone(zone)
        assert clock == {
            "hour": f"{at:%Y-%m-%dT%H:00+05:30}", "day": f"{at:%Y-%m-%d}", "hour_of_day": at.hour,
            "weekday": f"{at:%a}",
        }


def test_totals_are_of_all_inputs(sonde):
    lines = log(400, 2)
    sonde.file("a.log", "\n".join(lines[:150]) + "\n")
    sonde.file("b.log", "\n".join(lines[150:]))
    fields = ("ip", "hits", "first_seen", "last_seen")
    expected = [{key: each[key] for key in fields} for each in slowly(lines)]
    assert check(sonde, "--log", "--fields", ",".join(fields), "a.log", "b.log") == expected
    result = sonde("check", "--log", "--fields", "ip,hits", "--duplicates", "keep", "a.log")
    assert result.status == 2 and "--fields hits" in result.stderr and "time" in result.stderr
    few = check(sonde, "--log", "--fields", "ip,hits", "--where", "hits > 12", "a.log", "b.log")
    assert few == [{"ip": each["ip"], "hits": each["hits"]} for each in expected if each["hits"] > 12]


CONDITIONS = {
    "text ~ *ADMIN*": lambda at, line, number: "/admin" in line,
    "text ~ *straße*": lambda at, line, number: "/Straße" in line,
    "time >= 2015-05-18T03:00+02:00": lambda at, line, number: at >= datetime(2015, 5, 18, 1, tzinfo=timezone.utc),
    "weekday in (Sat, Sun) and hour_of_day < 6": lambda at, line, number: at.weekday() > 4 and at.hour < 6,
    "day = 2015-05-19 or line < 20": lambda at, line, number: f"{at:%d}" == "19" or number < 20,
    "not (text ~ *admin* or hour_of_day = 3)": lambda at, line, number: "/admin" not in line and at.hour != 3,
}


@pytest.mark.parametrize("condition", CONDITIONS)
def test_each_occurrence_is_judged(sonde, condition):
    lines = log(500, 3)
    sonde.file("a.log", "\n".join(lines) + "\n")
    kept = slowly(lines, CONDITIONS[condition])
    run = ("--log", "--where", condition)
    assert check(sonde, *run, "--fields", "ip,line,time", "a.log") == [
        {key: each[key] for key in ("ip", "line", "time")} for each in kept
    ]
    fields = ("ip", "line", "hits", "first_seen", "last_seen")
    assert check(sonde, *run, "--fields", ",".join(fields), "a.log") == [
        {key: each[key] for key in fields} for each in kept
    ]
    assert check(sonde, "--log", "--where", f"hits > 2 and ({condition})", "--fields", "ip,hits", "a.log") == [
        {"ip": each["ip"], "hits": each["hits"]} for each in kept if each["hits"] > 2
    ]
    every = check(sonde, *run, "--duplicates", "keep", "--fields", "line", "a.log")
    assert len(every) == sum(each["hits"] for each in kept)
    # The same condition chooses the same lines in annotate, and the same hits in summary.
    arguments = ("--provider", "local", "--where", condition)
    result = sonde("annotate", *arguments, "--fields", "none", "a.log")
    assert result.stdout.decode().splitlines() == [lines[each["line"] - 1] for each in every], result.stderr
    result = sonde("summary", *arguments, "--by", "ip", "--top", "0", "--format", "csv", "a.log")
    rows = {row.split(",")[0]: int(row.split(",")[1]) for row in result.stdout.decode().splitlines()[1:]}
    assert rows == {each["ip"]: each["hits"] for each in kept}, result.stderr


def test_answers_decide_which_occurrences_stay(sonde, simulator):
    lines = log(200, 4)
    sonde.file("a.log", "\n".join(lines) + "\n")
    plain = sonde("scan", "--provider", "ip-api", "--log", "--fields", "ip,country_code", "a.log", env=simulator.env)
    countries = {each["ip"]: each.get("country_code") for each in plain.records}
    chosen = sorted({each for each in countries.values() if each})[0]
    condition = f"(country_code = {chosen} and text ~ *admin*) or (not country_code = {chosen} and hour_of_day < 8)"

    def keep(at, line, number):
        is_chosen = countries[line.split()[0]] == chosen
        return "/admin" in line if is_chosen else at.hour < 8

    result = sonde("scan", "--provider", "ip-api", "--log", "--where", condition, "--fields", "ip,line,hits",
                   "--events", "e.jsonl", "-o", "o.ndjson", "a.log", env=simulator.env)
    assert result.status == 0, result.stderr
    found = [json.loads(line) for line in sonde.read("o.ndjson").splitlines()]
    assert found == [{key: each[key] for key in ("ip", "line", "hits")} for each in slowly(lines, keep)]
    summary = json.loads(sonde.read("e.jsonl").splitlines()[-1])
    parts = ("duplicates", "ok", "unknown", "reserved", "invalid", "failed", "network_lost", "excluded")
    assert summary["entries"] == sum(summary.get(part, 0) for part in parts) == len(lines)


def test_a_list_has_the_texts_and_times_of_its_lines(sonde):
    text = "8.8.8.8 # 2015-05-17T10:00:00Z\n 1.1.1.0/31 \r\n8.8.8.8\nbad\n"
    found = check(sonde, "--fields", "ip,time,text,hits", "-", input=text)
    assert found == [
        {"ip": "8.8.8.8", "time": "2015-05-17T10:00:00Z", "text": "8.8.8.8 # 2015-05-17T10:00:00Z", "hits": 2},
        {"ip": "1.1.1.0", "text": " 1.1.1.0/31 ", "hits": 1}, {"ip": "1.1.1.1", "text": " 1.1.1.0/31 ", "hits": 1},
        {"ip": "bad", "text": "bad"},
    ]


def test_a_text_is_cut_at_a_character_and_anonymized_before(sonde):
    head = "8.8.8.8 " + "x" * 4080 + " "
    lines = [head + "9.9.9.9 é", "1.1.1.1 " + "é" * 3000, "2.2.2.2 \udcff"]
    data = "\n".join(lines).encode("utf-8", "surrogateescape")
    found = check(sonde, "--log", "--fields", "ip,text", "-", input=data)
    texts = {each["ip"]: each["text"] for each in found}
    assert texts["8.8.8.8"] == lines[0].encode()[:4096].decode() and len(texts["1.1.1.1"].encode()) == 4096
    assert texts["2.2.2.2"] == "2.2.2.2 \ufffd"
    result = sonde("check", "--log", "--anonymize", "truncate", "--fields", "ip,text", "-", input=data)
    assert b"9.9.9.9" not in result.stdout and b"9.9.9.0" in result.stdout


def test_mixed_conditions_that_mean_nothing_are_refused(sonde):
    sonde.file("a.log", "8.8.8.8\n")
    for condition, words in {
        "text ~ *a* or hits > 1": "outside all brackets", "not (hits > 1 and hour_of_day = 1)": "hits counts",
        "line ~ 1": "text is the line", "hour_of_day ~ 1": "is a number",
    }.items():
        result = sonde("check", "--log", "--where", condition, "a.log")
        assert result.status == 2 and words in result.stderr, condition
    result = sonde("annotate", "--where", "hits > 1", "a.log")
    assert result.status == 2 and "hits" in result.stderr


def test_a_scan_with_totals_is_resumed(sonde, simulator):
    simulator.control(batch_limit=100_000, latency=0.05)
    lines = log(4000, 5, [f"5.{n // 250}.{n % 250}.3" for n in range(1200)])
    sonde.file("a.log", "\n".join(lines) + "\n")
    command = ("scan", "--log", "--provider", "ip-api", "--concurrency", "1", "--fields", "ip,hits,first_seen,text",
               "--where", "hits > 1 and hour_of_day > 2", "a.log")
    assert sonde(*command, "--no-cache", "-o", "whole.csv", env=simulator.env).status == 0
    running = sonde.start(*command, "--no-cache", "-o", "o.csv", env=simulator.env)
    output = sonde.work / "o.csv"
    wait_for(lambda: output.exists() and output.stat().st_size > 100)
    running.signal(signal.SIGKILL)
    assert running.finish().status == 137
    assert sonde.read("o.csv") != sonde.read("whole.csv")
    resumed = sonde(*command, "--no-cache", "-o", "o.csv", "--resume", env=simulator.env)
    assert resumed.status == 0, resumed.stderr
    assert sonde.read("o.csv") == sonde.read("whole.csv")
