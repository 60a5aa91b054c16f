"""`--with owner`: whose network it is, asked of registries that count, ban, send elsewhere and lie."""

import csv
import io
import json
import signal
import time
from concurrent.futures import ThreadPoolExecutor

import pytest
from command import wait_for
from namespaces import PROVIDER, Network, Scan, skip_unless_allowed
from rdap import APNIC, ARIN, LACNIC, RIPE, directory

pytestmark = pytest.mark.slow

FIELDS = "ip,owner_network,owner_name,registry,abuse_email,owner_inferred,owner_status"
GOOGLE = {"name": "GOGL", "abuse": ["network-abuse@google.com"]}
LEVEL3 = {"name": "LVLT-ORG-8-8", "abuse": ["abuse@level3.com"]}
QUICK = ("--retries", 0, "--timeout", 3)


@pytest.fixture
def ask(sonde, simulator, loc_database):
    """Asks for the owners of addresses; gives what a run left."""

    def run(*addresses, options=(), env=None, command="scan"):
        return sonde(
            *(command, "--provider", "local", "--database", loc_database, "--with", "owner"),
            *("--cache", "cache.db", "--format", "ndjson", "--fields", FIELDS, *options),
            input="\n".join(addresses),
            env={**simulator.env, **(env or {})},
        )

    return run


def owners(result):
    """The values of the columns, row by row."""
    return [tuple(record.get(name) for name in FIELDS.split(",")[1:]) for record in result.records]


def asked(simulator):
    """How often each registry was asked."""
    counts = simulator.counts()["requests"]
    return {call.removeprefix("rdap "): count for call, count in counts.items() if call.startswith("rdap ")}


def test_records_byte_for_byte(ask, simulator):
    simulator.control(rdap={"networks": {"8.8.8.0/24": GOOGLE}})
    result = ask("8.8.8.8", "8.8.8.9", "10.0.0.1", "bogus", "77.7.7.7", "2a00::1")
    assert result.stdout.decode().splitlines() == [
        '{"ip":"8.8.8.8","owner_network":"8.8.8.0/24","owner_name":"GOGL","registry":"arin",'
        '"abuse_email":"network-abuse@google.com","owner_inferred":false,"owner_status":"ok"}',
        '{"ip":"8.8.8.9","owner_network":"8.8.8.0/24","owner_name":"GOGL","registry":"arin",'
        '"abuse_email":"network-abuse@google.com","owner_inferred":true,"owner_status":"ok"}',
        '{"ip":"10.0.0.1"}',
        '{"ip":"bogus"}',
        '{"ip":"77.7.7.7","owner_inferred":false,"owner_status":"unknown"}',
        '{"ip":"2a00::1","owner_network":"2a00::/48","owner_name":"NET-2a00--","registry":"ripe",'
        '"abuse_email":"abuse@net-2a00--.example","owner_inferred":false,"owner_status":"ok"}',
    ]
    assert result.status == 0 and asked(simulator) == {ARIN: 1, RIPE: 1}
    assert simulator.addresses() == {"8.8.8.8": 1, "2a00::1": 1}


def test_the_columns_stand_after_all_others(sonde, simulator, loc_database):
    result = sonde(
        "scan", "--provider", "local", "--database", loc_database, "--with", "owner", "--format", "csv", "8.8.8.8",
        env=simulator.env,
    )
    header, row = result.stdout.decode().splitlines()
    assert header.endswith(",message,line,owner_network,owner_name,registry,abuse_email,owner_inferred,owner_status")
    assert row.endswith("8.8.8.0/24,NET-8-8-8-0,arin,abuse@net-8-8-8-0.example,false,ok")


def test_an_answer_holds_for_the_same_24_or_48(ask, simulator):
    simulator.control(rdap={"networks": {"177.0.0.0/9": LEVEL3, "177.8.8.0/28": GOOGLE, "2800::/20": LEVEL3}})
    ours = ["177.1.1.1", "177.1.1.2", "177.1.2.1", "177.8.8.8", "177.8.8.9", "177.8.8.200", "2800::1", "2800::ffff:1", "2800:0:1::1"]
    result = ask(*ours)
    names = [(row[1], row[4]) for row in owners(result)]
    level3, google = "LVLT-ORG-8-8", "GOGL"
    assert names == [
        (level3, False), (level3, True), (level3, False), (google, False), (google, True), (level3, False),
        (level3, False), (level3, True), (level3, False),
    ]
    assert simulator.addresses() == dict.fromkeys([ours[n] for n in (0, 2, 3, 5, 6, 8)], 1)
    for line in simulator.log():
        assert line["status"] == 200


def test_an_answer_may_hold_for_its_network_or_for_none(ask, simulator):
    simulator.control(rdap={"networks": {"177.0.0.0/9": LEVEL3, "177.200.0.0-177.202.0.255": GOOGLE}})
    addresses = ["177.1.1.1", "177.1.2.1", "177.90.0.1", "177.200.0.1", "177.202.0.7"]
    ranged = ask(*addresses, options=("--owner-reuse", "range"))
    assert [row[4] for row in owners(ranged)] == [False, True, True, False, True]
    assert simulator.addresses() == {"177.1.1.1": 1, "177.200.0.1": 1}
    assert [row[0] for row in owners(ranged)] == ["177.0.0.0/9"] * 3 + ["177.200.0.0/15", "177.202.0.0/24"]
    simulator.control(rdap={})
    alone = ask("179.1.1.1", "179.1.1.2", "179.1.1.1", options=("--owner-reuse", "none", "--duplicates", "keep"))
    assert [row[4] for row in owners(alone)] == [False, False, False]
    assert simulator.addresses() == {"179.1.1.1": 1, "179.1.1.2": 1}


def test_all_registries_are_asked_at_once_within_their_windows(ask, simulator):
    # What is read first must not hold up what is asked elsewhere.
    addresses = [f"{octet}.1.{n}.1" for octet in (177, 4, 5, 14, 41) for n in range(3)]
    begin = time.monotonic()
    result = ask(*addresses)
    assert {row[5] for row in owners(result)} == {"ok"} and result.status == 0
    assert set(asked(simulator).values()) == {3} and simulator.counts()["throttled"] == 0
    assert time.monotonic() - begin >= 2
    times = {call: [line["at"] for line in simulator.log() if line["call"] == f"rdap {call}"] for call in asked(simulator)}
    assert max(times.pop(LACNIC)) < min(max(each) for each in times.values())


def places(simulator, host):
    """Which of all requests to registries were those to one of them, as places in the order of their arrival."""
    log = [line["call"] for line in simulator.log() if line["call"].startswith("rdap ")]
    return [place for place, call in enumerate(log) if host in call]


def test_who_comes_late_in_sorted_input_is_asked_at_once(ask, simulator):
    # More than wait for any other source, so that one that is asked has to be seen far ahead.
    arin = [f"4.1.{n // 256 % 3}.{n % 256}" for n in range(20_000)]
    result = ask(*arin, "5.1.1.1", "14.1.1.1", options=("--duplicates", "keep"))
    assert {row[5] for row in owners(result)} == {"ok"} and len(result.records) == 20_002
    assert asked(simulator) == {ARIN: 3, RIPE: 1, APNIC: 1} and simulator.counts()["throttled"] == 0
    assert max(places(simulator, RIPE) + places(simulator, APNIC)) < places(simulator, ARIN)[2]


def test_a_provider_is_not_held_up_by_a_registry(sonde, simulator):
    # Twenty of the batches wait a minute for LACNIC, and no more than sixteen wait for a provider.
    sonde.file("list.txt", "\n".join([f"177.1.{n // 100}.{n % 100}" for n in range(3000)] + ["5.1.1.1"]))
    env = {**simulator.env, "SONDE_IP_API_KEY": "pro-key"}
    running = sonde.start("scan", "--provider", "ip-api", "--with", "owner", "list.txt", "-o", "out.csv", env=env)
    wait_for(lambda: asked(simulator) == {LACNIC: 10, RIPE: 1} and simulator.requests("ip-api batch") == 31)
    running.signal(signal.SIGINT)
    assert running.finish().status == 130


def test_a_full_window_is_waited_for_and_told(ask, sonde, simulator, loc_database):
    running = sonde.start(
        "scan", "--provider", "local", "--database", loc_database, "--with", "owner", "--events", "events",
        *[f"177.1.{n}.1" for n in range(11)], env=simulator.env,
    )
    deadline = time.monotonic() + 20
    while "lacnic: the quota is spent; waiting" not in running.stderr:
        assert time.monotonic() < deadline, running.stderr
        time.sleep(0.05)
    assert asked(simulator) == {LACNIC: 10} and simulator.counts()["throttled"] == 0
    running.signal(signal.SIGINT)
    assert running.finish().status == 130
    waits = [event for event in map(json.loads, sonde.read("events").splitlines()) if event["event"] == "quota"]
    assert waits[0]["provider"] == "lacnic" and 50_000 < waits[0]["wait_ms"] <= 60_000


def test_processes_share_a_window(ask, simulator):
    with ThreadPoolExecutor(3) as pool:
        results = list(pool.map(lambda n: ask(f"4.1.{n}.1", options=("--no-cache",)), range(4)))
    assert all(owners(result)[0][5] == "ok" for result in results)
    assert asked(simulator) == {ARIN: 4} and simulator.counts()["throttled"] == 0


def test_machines_share_a_window_and_wait_for_what_keeps_it(sonde, simulator, loc_database, redis, tmp_path):
    runs = []
    for machine in range(2):
        home = tmp_path / f"machine-{machine}"
        env = {**simulator.env, "HOME": str(home), "XDG_STATE_HOME": str(home / "s")}
        runs.append(
            sonde.start(
                "scan", "--provider", "local", "--database", loc_database, "--with", "owner", "--shared", redis.url,
                "--format", "ndjson", "--fields", FIELDS, *[f"4.{machine}.{n}.1" for n in range(2)], env=env,
            )
        )
    wait_for(lambda: asked(simulator).get(ARIN, 0) >= 2)
    redis.kill()
    time.sleep(0.3)
    before = asked(simulator)[ARIN]
    time.sleep(1.5)
    assert asked(simulator)[ARIN] <= before
    redis.start()
    results = [run.finish() for run in runs]
    assert [row[5] for result in results for row in owners(result)] == ["ok"] * 4, results[0].stderr
    assert "shared_unreachable" in results[0].stderr + results[1].stderr
    assert simulator.counts()["throttled"] == 0 and len(simulator.addresses()) == 4


# MARK: Redirects


def test_a_redirect_to_another_registry_counts_there(ask, simulator):
    simulator.control(rdap={"networks": {"8.8.0.0/16": {"host": APNIC, **GOOGLE}, "2.2.2.0/24": {"host": APNIC}}})
    result = ask("8.8.1.1", "14.1.1.1", "2.2.2.2")
    assert [row[2] for row in owners(result)] == ["apnic"] * 3
    assert asked(simulator) == {ARIN: 1, APNIC: 3, RIPE: 1} and simulator.counts()["throttled"] == 0


@pytest.mark.parametrize(
    "location, status",
    [
        ("http://rdap.apnic.net/ip/8.8.8.8", "failed"),
        ("https://rdap.arin.net/registry/ip/8.8.8.8", "failed"),
        ("ftp://rdap.apnic.net/", "failed"),
        ("", "failed"),
        ("{rdap}/rdap.apnic.net/ip/14.1.1.1", "failed"),  # which is about other addresses
        ("{rdap}/rdap.arin.net/registry/ip/8.8.8.9", "ok"),
        ("/rdap.arin.net/registry/ip/8.8.8.9", "ok"),
        ("../ip/8.8.8.9", "ok"),
    ],
)
def test_where_a_redirect_may_lead(ask, simulator, location, status):
    location = location.format(rdap=simulator.urls["rdap"])
    simulator.control(rdap={"networks": {"8.8.8.8/32": {"location": location}}})
    result = ask("8.8.8.8")
    assert owners(result)[0][5] == status and result.status == (status == "failed")
    assert simulator.addresses()["8.8.8.8"] == 1, "it was tried again"


def test_a_question_is_sent_on_three_times(ask, simulator):
    hops = {f"177.8.8.{n}/32": {"location": f"https://rdap.lacnic.net/rdap/ip/177.8.8.{n + 1}"} for n in range(4)}
    hops |= {f"179.1.1.{n}/32": {"location": f"https://rdap.lacnic.net/rdap/ip/179.1.1.{n + 1}"} for n in range(3)}
    simulator.control(rdap={"networks": hops})
    result = ask("177.8.8.0", "179.1.1.0")
    assert [row[5] for row in owners(result)] == ["failed", "ok"]
    assert "lacnic is failing: is redirected too often" in result.stderr
    assert asked(simulator) == {LACNIC: 8}


# MARK: Answers


NETWORKS = {
    "177.1.0.0-177.1.2.255": {"name": "ODD", "cidr0": False},
    "177.2.0.0/16": {"registrant": "Example\tLtd\u0000", "abuse": [["a@b.example", {"pref": "2"}], ["c@d.example", {"pref": "1"}]]},
    "177.3.0.0/16": {"name": "TWO", "nested": False, "abuse": ["one@x.example", "two@x.example", "no mail", "one@x.example"]},
    "177.6.0.0/16": {"ends": False, "name": "BLOCKS"},
    "177.7.0.0/16": {"status": 404},
    "177.8.0.0/16": {"says": "9.0.0.0/8"},
    "177.9.0.0/16": {"says": "0.0.0.0/0"},
    "177.10.0.0/16": {"body": "<html>please log in</html>", "type": "text/html"},
    "177.11.0.0/16": {"body": "{"},
    "5.1.0.0/16": {"status": 500},
    "14.1.0.0/16": {"body": "[" * 5000},
    "41.1.0.0/16": {"body": "x" * (2 << 20)},
    "8.1.0.0/16": {"status": 400},
}


def test_answers_as_they_come(ask, simulator):
    simulator.control(rdap={"networks": NETWORKS})
    result = ask("177.1.2.7", "177.2.0.1", "177.3.0.1", "177.6.0.1", "177.7.0.1", "177.7.0.2")
    assert owners(result) == [
        ("177.1.2.0/24", "ODD", "lacnic", None, False, "ok"),
        ("177.2.0.0/16", "Example Ltd", "lacnic", "c@d.example", False, "ok"),
        ("177.3.0.0/16", "TWO", "lacnic", "one@x.example two@x.example", False, "ok"),
        ("177.6.0.0/16", "BLOCKS", "lacnic", None, False, "ok"),
        (None, None, "lacnic", None, False, "unknown"),
        (None, None, "lacnic", None, True, "unknown"),
    ]
    assert result.status == 0
    lies = ["177.8.0.1", "177.9.0.1", "177.10.0.1", "177.11.0.1", "5.1.0.1", "14.1.0.1", "41.1.0.1", "8.1.0.1"]
    failed = ask(*lies, options=QUICK)
    assert owners(failed) == [(None, None, None, None, None, "failed")] * len(lies)
    assert failed.status == 1
    assert set(simulator.addresses().values()) == {1}


def test_what_fails_is_tried_again_and_never_kept(ask, simulator):
    simulator.control(rdap={"networks": {"177.8.8.0/24": {"status": 503}}})
    assert owners(ask("177.8.8.8", "177.8.8.9", options=("--retries", 2)))[1][5] == "failed"
    assert simulator.addresses() == {"177.8.8.8": 3}
    simulator.control(rdap={})
    assert owners(ask("177.8.8.8"))[0][5] == "ok"


def test_429_is_obeyed(ask, simulator):
    simulator.control(rdap={"limits": {LACNIC: [1, 1.0]}})
    result = ask("177.8.8.8", "179.4.4.4", options=("--retries", 0))
    assert [row[5] for row in owners(result)] == ["ok", "ok"]
    counts = simulator.counts()
    assert counts["throttled"] == 1 and asked(simulator) == {LACNIC: 3}


def test_who_answers_429_and_does_not_say_until_when_is_left_alone(ask, simulator):
    simulator.control(rdap={"networks": {"8.0.0.0/8": {"status": 429}}})
    result = ask("8.1.1.1", "8.2.1.1", "8.3.1.1", "4.4.4.4", "1.1.1.1", options=("--retries", 1))
    assert [row[5] for row in owners(result)] == ["failed"] * 4 + ["ok"]
    assert "arin refuses to answer" in result.stderr
    assert asked(simulator)[ARIN] <= 4


def test_who_refuses_is_not_asked_again(ask, simulator):
    simulator.control(rdap={"networks": {"8.0.0.0/8": {"status": 403}}})
    result = ask("8.1.1.1", "8.2.1.1", "8.3.1.1", "1.1.1.1")
    assert [row[5] for row in owners(result)] == ["failed"] * 3 + ["ok"]
    assert asked(simulator) == {ARIN: 1, APNIC: 1}
    assert "arin refuses to answer: HTTP 403" in result.stderr


def test_a_slow_registry_times_out(ask, simulator):
    simulator.control(faults=[{"fault": "hang", "call": f"rdap {ARIN}"}])
    result = ask("8.8.8.8", "1.1.1.1", options=("--retries", 0, "--timeout", 1))
    assert [row[5] for row in owners(result)] == ["failed", "ok"]


# MARK: What is kept


def test_nothing_is_asked_again_for_a_day(ask, simulator):
    first = ask("8.8.8.8", "8.8.8.9", "77.7.7.7", "2a00::1")
    before = asked(simulator)
    again = ask("8.8.8.8", "8.8.8.9", "77.7.7.7", "2a00::1")
    assert again.stdout == first.stdout and asked(simulator) == before
    other = ask("8.8.8.77")
    assert owners(other)[0][:2] == ("8.8.8.0/24", "NET-8-8-8-0") and owners(other)[0][4] is True
    assert asked(simulator) == before
    assert simulator.requests("bootstrap ipv4.json") == 1
    ask("8.8.8.8", options=("--no-cache",))
    assert asked(simulator)[ARIN] == before[ARIN] + 1
    assert simulator.requests("bootstrap ipv4.json") == 1


def test_a_plan_counts_requests_of_each_registry(ask, sonde, simulator):
    def planned(*addresses, options=()):
        text = sonde(
            "plan", "--provider", "local", "--with", "owner", "--cache", "cache.db", *options,
            input="\n".join(addresses), env=simulator.env,
        ).stdout.decode()  # fmt: skip
        lines = text[text.index("source"):].splitlines()[1:]
        return [tuple(line.split(maxsplit=2)) for line in lines]

    unknown = planned("8.8.8.8", "8.8.8.9", "31.7.7.7", "10.0.0.1")
    assert [row[:2] for row in unknown] == [("owner", "2")] and "not known" in unknown[0][2]
    assert simulator.requests("bootstrap ipv4.json") == 0
    ask("8.8.8.8", "2a00::1")
    before = asked(simulator)
    southern = [f"200.{n}.0.1" for n in range(25)]
    plan = planned("8.8.8.8", "8.8.8.9", "8.8.9.1", "31.7.7.7", "31.7.7.8", "2a00::2", *southern)
    assert plan == [
        ("owner", "27", "at least 2 min"), ("lacnic", "25", "at least 2 min"),
        ("arin", "1", "at once"), ("ripe", "1", "at once"),
    ]  # fmt: skip
    each = planned("31.7.7.7", "31.7.7.8", "31.7.7.9", options=("--owner-reuse", "none"))
    assert each == [("owner", "3", "at least 2 s"), ("ripe", "3", "at least 2 s")]
    assert planned("8.8.8.8", "10.0.0.1") == [("owner", "0", "none")]
    assert asked(simulator) == before


def test_a_cache_that_forgets_an_address_forgets_its_owner(ask, sonde, simulator):
    ask("8.8.8.8", "4.4.4.4")
    assert sonde("cache", "delete", "--cache", "cache.db", "8.8.8.8").status in (0, 1)
    ask("8.8.8.8", "4.4.4.4")
    assert simulator.addresses() == {"8.8.8.8": 2, "4.4.4.4": 1}


def test_a_scan_that_is_killed_asks_for_nothing_twice(sonde, simulator, loc_database):
    simulator.control(rdap={"limits": {ARIN: [1, 0.9]}})
    sonde.file("list.txt", "\n".join(f"{octet}.1.{n // 2}.{n}" for n in range(8) for octet in (4, 5, 14)))
    command = [
        "scan", "--provider", "local", "--database", loc_database, "--with", "owner", "--cache", "cache.db",
        "list.txt", "-o", "out.csv", "--resume", "--events", "events",
    ]
    for wait in (0.9, 1.3, 0.6):
        running = sonde.start(*command, env=simulator.env)
        time.sleep(wait)
        running.signal(signal.SIGKILL)
        running.finish()
    result = sonde(*command, env=simulator.env)
    assert result.status == 0, result.stderr
    rows = list(csv.DictReader(io.StringIO(sonde.read("out.csv").decode())))
    assert len(rows) == 24 and {row["owner_status"] for row in rows} == {"ok"}
    # What was under way when the process was killed is asked again.
    assert 12 <= sum(simulator.addresses().values()) <= 12 + 3 * 3
    assert simulator.counts()["throttled"] == 0
    summary = json.loads(sonde.read("events").splitlines()[-1])
    assert summary["entries"] == 24 == summary["ok"] + summary["unknown"]


# MARK: IANA's files


def test_iana_s_files_go_bad(ask, simulator):
    simulator.control(rdap={"files": {"ipv4.json": {"status": 500}}})
    result = ask("8.8.8.8", "8.8.4.4", "2a00::1", options=("--retries", 1))
    assert [row[5] for row in owners(result)] == ["failed", "failed", "ok"] and result.status == 1
    assert "data.iana.org is failing: rdap-ipv4 answered HTTP 500" in result.stderr
    assert simulator.requests("bootstrap ipv4.json") == 2
    for day in ({"body": "<html>"}, {"body": ""}, {"body": "{}"}, {"location": "https://data.iana.org/rdap/ipv4.json"}):
        simulator.control(rdap={"files": {"ipv4.json": day}})
        assert owners(ask("8.8.8.8", options=QUICK))[0][5] == "failed", day


def test_an_old_file_is_fetched_again_and_better_than_none(ask, sonde, simulator):
    ask("8.8.8.8")
    kept = sonde.home / "state/sonde/tables/rdap-ipv4"
    words = kept.read_bytes().split(b" ", 2)
    kept.write_bytes(b" ".join([words[0], str(int(time.time()) - 86_401).encode(), words[2]]))
    simulator.control(rdap={"files": {"ipv4.json": {"status": 500}}})
    assert owners(ask("9.9.9.9", options=QUICK))[0][5] == "ok"
    assert simulator.requests("bootstrap ipv4.json") == 1
    simulator.control(rdap={})
    assert owners(ask("9.9.8.9"))[0][5] == "ok"
    assert simulator.requests("bootstrap ipv4.json") == 1
    assert int(kept.read_bytes().split(b" ")[1]) > time.time() - 60


def test_the_longest_network_of_iana_s_file_decides(ask, simulator):
    document = json.loads(directory("ipv4.json"))
    document["services"].append([["8.8.0.0/16"], ["https://rdap.apnic.net/"]])
    simulator.control(rdap={"files": {"ipv4.json": {"body": json.dumps(document)}}, "networks": {"8.8.8.0/24": GOOGLE}})
    assert [row[2] for row in owners(ask("8.8.8.8", "8.9.9.9"))] == ["apnic", "arin"]


UNKEPT = "IANA's lists of registries are fetched in each run: cannot keep them"


def test_without_a_home_iana_s_files_are_had_all_the_same(ask, simulator):
    for _ in range(2):
        result = ask("8.8.8.8", "2a00::1", options=("--no-cache",), env={"XDG_STATE_HOME": None, "HOME": None})
        assert [row[5] for row in owners(result)] == ["ok", "ok"] and result.status == 0
        assert result.stderr.count(UNKEPT) == 1 and "neither XDG_STATE_HOME nor HOME is set" in result.stderr
    assert simulator.requests("bootstrap ipv4.json") == 2


@pytest.mark.parametrize("obstacle", ["none", "a file in its place", "a folder in the file's place", "a folder that cannot be"])
def test_where_iana_s_files_are_kept(ask, sonde, simulator, tmp_path, obstacle):
    state = tmp_path / "state"
    if obstacle == "a file in its place":
        state.write_text("")
    if obstacle == "a folder in the file's place":
        for name in ("rdap-ipv4", "rdap-ipv6"):
            (state / "sonde/tables" / name).mkdir(parents=True)
    env = {"XDG_STATE_HOME": "/proc/none" if obstacle == "a folder that cannot be" else str(state)}
    result = ask("8.8.8.8", "2a00::1", env=env)
    assert [row[5] for row in owners(result)] == ["ok", "ok"] and result.status == 0, result.stderr
    assert result.stderr.count(UNKEPT) == (obstacle != "none")
    ask("1.1.1.1", env=env)
    assert simulator.requests("bootstrap ipv4.json") == 1 + (obstacle != "none")


@skip_unless_allowed()
@pytest.mark.parametrize("options", ["ro", "size=8k,nr_inodes=3"])
def test_where_nothing_can_be_written_iana_s_files_are_had_all_the_same(sonde, simulator, loc_database, tmp_path, options):
    (tmp_path / "state").mkdir()
    script = f'mount -t tmpfs -o {options} none {tmp_path}/state && exec "$@"'
    result = sonde(
        *("scan", "--provider", "local", "--database", loc_database, "--with", "owner", "--format", "ndjson"),
        *("--fields", FIELDS, "8.8.8.8", "8.8.8.9", "2a00::1"),
        env={**simulator.env, "XDG_STATE_HOME": str(tmp_path / "state")},
        prefix=("unshare", "-m", "sh", "-c", script, "sh"),
    )
    assert [row[5] for row in owners(result)] == ["ok"] * 3 and result.status == 0, result.stderr
    assert result.stderr.count(UNKEPT) == 1


@pytest.mark.parametrize("damage", [lambda kept: b"", lambda kept: kept[:-9], lambda kept: b"\0" * 99, lambda kept: kept[:80]])
def test_a_damaged_file_is_fetched_anew(ask, sonde, simulator, damage):
    ask("8.8.8.8")
    kept = sonde.home / "state/sonde/tables/rdap-ipv4"
    whole = kept.read_bytes()
    kept.write_bytes(damage(whole))
    assert owners(ask("1.1.1.1"))[0][5] == "ok"
    assert simulator.requests("bootstrap ipv4.json") == 2
    assert kept.read_bytes().split(b"\n", 1)[1] == whole.split(b"\n", 1)[1]


# MARK: Settings


@pytest.mark.parametrize(
    "env, words",
    [
        ({"SONDE_RDAP_URL": "nonsense"}, "for SONDE_RDAP_URL: expected a URL"),
        ({"SONDE_RDAP_BOOTSTRAP_URL": "ftp://192.0.2.1"}, "for SONDE_RDAP_BOOTSTRAP_URL: expected a URL"),
    ],
)
def test_settings_that_cannot_be_used(ask, env, words):
    result = ask("8.8.8.8", env=env)
    assert result.status == 2 and words in result.stderr


def test_options_that_cannot_be(ask, sonde):
    assert ask("8.8.8.8", options=("--owner-reuse", "25")).status == 2
    assert sonde("check", "--with", "owner", "8.8.8.8").status == 2
    assert sonde("scan", "--with", "owner=x", "8.8.8.8").status == 2


def test_owners_can_be_chosen_by(ask):
    result = ask("8.8.8.8", "1.1.1.1", "8.8.8.9", options=("--where", "registry = arin and not owner_inferred"))
    assert [record["ip"] for record in result.records] == ["8.8.8.8"]


def test_whom_a_provider_s_answer_excludes_is_asked_about_nowhere(sonde, simulator):
    options = ("--provider", "ip-api", "--with", "owner", "--format", "ndjson", "--fields", "ip,country_code,owner_status")
    here = sonde("scan", *options, "8.8.8.8", "1.1.1.1", "5.6.7.8", env=simulator.env).records
    country = here[0]["country_code"]
    before = asked(simulator)
    result = sonde("scan", *options, "--no-cache", "--where", f"country_code != {country}", "8.8.8.8", env=simulator.env)
    assert result.records == [] and asked(simulator) == before


def test_look_ups_and_logs(sonde, simulator, loc_database):
    options = ("--provider", "local", "--database", loc_database, "--with", "owner")
    card = sonde("lookup", *options, "8.8.8.8", "--format", "ndjson", env=simulator.env)
    assert card.records[0]["owner_name"] == "NET-8-8-8-0"
    log = sonde("annotate", *options, input="from 8.8.8.8 to 1.1.1.1\n", env=simulator.env)
    assert b"abuse@net-8-8-8-0.example" in log.stdout and b"apnic" in log.stdout


def test_upgrade_asks_for_owners_again(sonde, simulator):
    simulator.control(rdap={"networks": {"8.0.0.0/8": {"status": 400}}})
    options = ("--provider", "ip-api", "--with", "owner")
    scan = sonde("scan", *options, "8.8.8.8", "1.1.1.1", "10.0.0.1", "-o", "out.csv", env=simulator.env)
    assert scan.status == 1
    simulator.control(rdap={})
    upgrade = sonde("upgrade", *options, "out.csv", "-o", "out.csv", env=simulator.env)
    assert upgrade.status == 0, upgrade.stderr
    rows = list(csv.DictReader(io.StringIO(sonde.read("out.csv").decode())))
    assert [row["owner_status"] for row in rows] == ["ok", "ok", ""]
    assert simulator.addresses() == {"8.8.8.8": 1}


# MARK: Losses


@pytest.fixture(scope="module")
def shared():
    """A network with the registries at its far end."""
    network = Network()
    yield network
    network.close()


@pytest.fixture
def far(shared, loc_database):
    """Starts a scan whose registries are at the far end."""

    def start(sonde, *options, provider="local"):
        ports = {name: shared.simulator.urls[name].rsplit(":", 1)[1] for name in ("rdap", "rdap_bootstrap")}
        env = {
            "SONDE_RDAP_URL": f"http://{PROVIDER}:{ports['rdap']}",
            "SONDE_RDAP_BOOTSTRAP_URL": f"http://{PROVIDER}:{ports['rdap_bootstrap']}",
        }
        usual = ("--provider", provider, "--database", loc_database, "--format", "ndjson")
        return Scan(sonde, shared, *usual, "--with", "owner", "--fields", FIELDS, *options, env=env)

    shared.simulator.control(rdap={}, faults=[])
    start.network = shared
    return start


@skip_unless_allowed()
def test_losses_are_waited_for(sonde, far):
    addresses = [f"{octet}.1.{n}.1" for n in range(4) for octet in (4, 5, 14)]
    scan = far(sonde).feed(addresses)
    for count in (3, 8):
        wait_for(lambda: sum(asked(far.network.simulator).values()) >= count)
        far.network.lose()
        assert scan.wait_for("offline", 1 if count == 3 else 2)["cause"]
        time.sleep(0.4)
        far.network.restore()
    result = scan.finish()
    assert result.status == 0 and [row[5] for row in owners(result)] == ["ok"] * 12, result.stderr
    simulator = far.network.simulator
    assert simulator.counts()["throttled"] == 0 and len(simulator.addresses()) == 12
    # What was under way at a loss is asked again.
    assert sum(simulator.addresses().values()) <= 12 + 2 * 3


@skip_unless_allowed()
def test_paths_that_are_lost_together_are_one_loss(sonde, far):
    addresses = [f"{octet}.1.{n}.1" for n in range(3) for octet in (4, 5, 14)]
    scan = far(sonde, provider="ip-api").feed(addresses)
    wait_for(lambda: sum(asked(far.network.simulator).values()) >= 3)
    far.network.lose()
    scan.wait_for("offline")
    time.sleep(0.6)
    far.network.restore()
    result = scan.finish()
    assert result.status == 0 and [row[5] for row in owners(result)] == ["ok"] * 9, result.stderr
    assert [change["state"] for change in scan.changes] == ["offline", "online"]
    assert len(scan.said("network lost")) == 1 and len(scan.said("network is back")) == 1
    links = [(event["name"], event["up"], event["running"]) for event in scan.events if event["event"] == "interface"]
    assert all(first != second for first, second in zip(links, links[1:])), links
    asked_by_us = sum(asked(far.network.simulator).values())
    assert scan.summary["owner_requests"] == asked_by_us and scan.summary["owner_throttled"] == 0
    assert scan.summary["requests"] == far.network.simulator.requests("ip-api batch")
    assert f"1 request, {asked_by_us} owner requests" in result.stderr


@skip_unless_allowed()
def test_a_loss_past_the_patience_is_the_network_s(sonde, far):
    far.network.lose()
    try:
        result = far(sonde, "--offline-timeout", 0.5).feed(["8.8.8.8", "1.1.1.1", "10.0.0.1"]).finish()
    finally:
        far.network.restore()
    assert [row[5] for row in owners(result)] == ["network_lost", "network_lost", None]
    assert result.status == 3 and "network lost" in result.stderr
