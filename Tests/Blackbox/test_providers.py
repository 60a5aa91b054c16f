"""The list of providers: who is asked when, who takes over, and what local databases say."""

import json
import struct
import time

import libloc
import mmdb
import pytest
from databases import EXPECTED
from expected import differences, record

ADDRESSES = [f"5.6.{n // 250}.{n % 250}" for n in range(500)]
DOWN = [{"fault": "status", "status": 500, "call": "ip-api"}]
TOKEN = {"SONDE_IPINFO_TOKEN": "test-token"}


def test_local_answers_without_any_network(sonde, loc_database):
    result = sonde("scan", "--provider", "local", "--database", loc_database, input="8.8.8.8\n5.6.7.8\n5.9.9.9\n9.9.9.9\n2001:4860::8888\n2606:4700::1\n1.2.3.4\n")
    records = result.records
    assert all(r.pop("fetched_at", None) for r in records[:6])
    for each in records:
        each.pop("cached", None)
    message = records[6].pop("message")
    head = {"status": "ok", "source": "libloc"}
    assert records == [
        {"ip": "8.8.8.8", **head, "country_code": "US", "country": "United States", "asn": 15169, "as_name": "GOOGLE", "line": 1},
        {"ip": "5.6.7.8", **head, "country_code": "FR", "country": "France", "asn": 3215, "as_name": "Orange, S.A.", "line": 2},
        {"ip": "5.9.9.9", **head, "country_code": "DE", "country": "Germany", "asn": 3320, "as_name": "Deutsche Telekom AG", "line": 3},
        {"ip": "9.9.9.9", **head, "country_code": "US", "country": "United States", "line": 4},
        {"ip": "2001:4860::8888", **head, "country_code": "US", "country": "United States", "asn": 15169, "as_name": "GOOGLE", "line": 5},
        {"ip": "2606:4700::1", **head, "asn": 13335, "as_name": "CLOUDFLARENET", "line": 6},
        {"ip": "1.2.3.4", "status": "unknown", "line": 7},
    ]
    assert message and result.status == 0


@pytest.mark.parametrize("layout", EXPECTED)
@pytest.mark.parametrize("record_size", [24, 28, 32])
def test_every_mmdb_layout_is_read(sonde, mmdb_database, layout, record_size):
    path = mmdb_database(layout, record_size=record_size, built=1_700_000_000)
    result = sonde("scan", "--provider", "local", "--database", path, input="81.2.69.142\n1.2.3.4\n")
    found, unknown = result.records
    assert found["fetched_at"] == "2023-11-14T22:13:20Z"
    known = {name: found[name] for name in found if name not in ("cached", "fetched_at")}
    assert known == {"ip": "81.2.69.142", "status": "ok", "source": "mmdb", **EXPECTED[layout], "line": 1}
    assert (unknown["status"], result.status) == ("unknown", 0)


def test_several_databases_are_merged(sonde, mmdb_database):
    databases = ("--database", mmdb_database("city"), "--database", mmdb_database("asn"))
    fields = ("--fields", "ip,city,asn,as_name,network")
    result = sonde("scan", "--provider", "local", *databases, *fields, input="81.2.69.142\n5.6.7.8\n5.6.8.8\n")
    first, second, third = result.records
    assert (first["city"], first["asn"], first["as_name"]) == ("London", 20712, "Andrews & Arnold Ltd")
    assert first["network"] == "81.2.69.0/24"
    assert (second["city"], second["asn"]) == ("Köln", 4200000000) and "as_name" not in second
    assert third["city"] == "Köln" and "asn" not in third


def test_a_database_that_is_missing_or_damaged_is_said(sonde):
    for name, content in (("none.mmdb", None), ("bad.mmdb", b"no database"), ("empty.db", b"")):
        if content is not None:
            sonde.file(name, content)
        result = sonde("scan", "--provider", "local", "--database", name, "8.8.8.8")
        assert result.status in (2, 5) and name in result.stderr


def test_addresses_whose_entry_is_damaged_have_failed(sonde, tmp_path, mmdb_database, simulator):
    """Where another database or provider answers, that counts."""
    simulator.control(batch_limit=None)
    networks = {"5.0.0.0/8": {"country": {"iso_code": "DE"}}, "6.0.0.0/8": {"location": {"latitude": 1.5}}}
    path = mmdb.write(tmp_path / "bad.mmdb", "City", networks)
    data = open(path, "rb").read()
    # A number of 8 bytes that says it has 2.
    assert data.count(b"\x68" + struct.pack(">d", 1.5)) == 1
    path.write_bytes(data.replace(b"\x68" + struct.pack(">d", 1.5), b"\x62" + struct.pack(">d", 1.5)))
    options = ("scan", "-q", "--database", path, "5.6.7.8", "6.0.0.7", "7.0.0.7")
    result = sonde(*options, "--provider", "local")
    assert result.status == 1 and [r["status"] for r in result.records] == ["ok", "failed", "unknown"]
    assert f"{path}: the database is damaged: a number has 2 bytes" == result.records[1]["message"]
    assert f"{path}: the database is damaged: 1 look-up met a bad entry, the first for 6.0.0.7" in result.stderr
    result = sonde(*options, "--provider", "local,ip-api", env=simulator.env)
    assert result.status == 0 and [r["source"] for r in result.records] == ["mmdb", "ip-api", "ip-api"]
    other = mmdb.write(tmp_path / "good.mmdb", "City", {"6.0.0.0/8": {"country": {"iso_code": "FR"}}})
    for databases in ([path, other], [other, path]):
        options = [word for database in databases for word in ("--database", database)]
        result = sonde("scan", "-q", "--provider", "local", *options, "6.0.0.7")
        assert result.status == 0 and result.records[0]["country_code"] == "FR"
    result = sonde("annotate", "-q", "--provider", "local", "--database", path, input="6.0.0.7\n")
    assert result.stdout == b"6.0.0.7 [failed]\n" and result.status == 1


def test_a_damaged_network_in_liblocs_format_has_failed(sonde, tmp_path, loc_database):
    """What is in no network is unknown all the same."""
    data = bytearray(loc_database.read_bytes())
    offset, count = struct.unpack(">II", data[36:44])
    for network in range(offset, offset + count, 12):
        data[network : network + 2] = b"\x01\xff"
    path = tmp_path / "bad.db"
    path.write_bytes(data)
    inside, outside = next(iter(libloc.NETWORKS)).split("/")[0], "203.1.2.3"
    for options in ((), ("-q",)):
        result = sonde("scan", *options, "--provider", "local", "--database", path, inside, outside)
        assert result.status == 1 and [r["status"] for r in result.records] == ["failed", "unknown"]
        assert result.records[0]["message"] == f"{path}: the database is damaged: its network cannot be read"
        assert f"{path}: the database is damaged: 1 look-up met a bad entry" in result.stderr


def test_a_provider_that_is_down_is_handed_over_with_one_line(sonde, simulator, loc_database):
    simulator.control(batch_limit=None, single_limit=None, faults=DOWN)
    options = ("--provider", "ip-api,local", "--database", loc_database, "--retries", "0")
    result = sonde("scan", *options, input="\n".join(ADDRESSES), env=simulator.env)
    assert {(r["status"], r["source"]) for r in result.records} == {("ok", "libloc")}
    assert [r["ip"] for r in result.records] == ADDRESSES and result.status == 0
    lines = [line for line in result.stderr.splitlines() if "ip-api" in line and "local" in line and "--provider" not in line]
    assert len(lines) == 1


@pytest.mark.parametrize("requests", [1, 3, 8])
def test_when_the_requests_of_a_run_are_spent_that_is_handed_over_once(sonde, simulator, loc_database, requests):
    simulator.control(batch_limit=None, latency=0.02)
    options = ("--provider", "ip-api,local", "--database", loc_database, "--max-requests", requests, "--events", "events")
    addresses = [f"5.{n // 250}.{n % 250}.7" for n in range(4000)]
    result = sonde("scan", *options, input="\n".join(addresses), env=simulator.env)
    assert simulator.counts()["total"] == requests and result.status in (0, 1)
    assert len([line for line in result.stderr.splitlines() if "in place of" in line]) == 1
    assert "takes over" not in result.stderr and "without an answer" not in result.stderr
    events = [json.loads(line) for line in sonde.read("events").splitlines()]
    (handover,) = [event for event in events if event["event"] == "handover"]
    assert (handover["from"], handover["to"]) == ("ip-api", "local")
    reason = f"stopped after {requests} request" + ("" if requests == 1 else "s")
    assert reason in handover["message"] and f"sonde: {handover['message']}" in result.stderr


def test_to_and_fro_is_one_line_and_one_at_the_end(sonde, simulator, loc_database):
    # Every other question fails.
    faults = [{"fault": "status", "status": 500, "from": n, "to": n} for n in range(1, 60, 2)]
    simulator.control(batch_limit=None, faults=faults)
    options = ("--provider", "ip-api,local", "--database", loc_database, "--retries", "0", "--events", "events")
    running = sonde.start("scan", *options, env=simulator.env)
    for address in [a for a in ADDRESSES if record(a)["status"] == "ok"][:10]:
        running.write(f"{address}\n")
        running.line()
    result = running.finish()
    sources = [r["source"] for r in result.records]
    assert sources == ["libloc", "ip-api"] * 5
    events = [json.loads(line) for line in sonde.read("events").splitlines()]
    handovers = [(event["from"], event["to"]) for event in events if event["event"] == "handover"]
    assert handovers == [("ip-api", "local"), ("local", "ip-api")]
    assert len([line for line in result.stderr.splitlines() if "in place of" in line or "takes over" in line]) == 2


def test_the_first_provider_takes_over_again(sonde, simulator, loc_database):
    fault = dict(DOWN[0], **{"from": 1, "to": 1})
    simulator.control(batch_limit=None, faults=[fault])
    options = ("--provider", "ip-api,local", "--database", loc_database, "--retries", "0")
    running = sonde.start("scan", *options, env=simulator.env)
    running.write("5.6.7.8\n")
    assert b'"libloc"' in running.line()
    deadline = time.monotonic() + 20
    answered = b""
    for n in range(100):
        running.write(f"24.48.0.{n + 1}\n")
        answered = running.line()
        if b'"ip-api"' in answered or time.monotonic() > deadline:
            break
        time.sleep(0.2)
    assert b'"ip-api"' in answered
    running.finish()


def test_an_answer_that_knows_nothing_goes_to_the_next(sonde, simulator, loc_database):
    addresses = [a for a in ADDRESSES if record(a)["status"] == "unknown"][:3]
    assert len(addresses) == 3
    result = sonde("scan", "--provider", "ip-api,local", "--database", loc_database, input="\n".join([*addresses, "8.8.8.8"]), env=simulator.env)
    assert [r.get("source") for r in result.records] == ["libloc"] * 3 + ["ip-api"]
    result = sonde("scan", "--provider", "local,ip-api", "--database", loc_database, input="1.1.1.1\n8.8.8.8\n", env=simulator.env)
    assert [r.get("source") for r in result.records] == ["ip-api", "libloc"]


def test_when_the_fallback_has_nothing_the_failure_stays(sonde, simulator, loc_database):
    simulator.control(batch_limit=None, single_limit=None, faults=DOWN)
    result = sonde("scan", "--provider", "ip-api,local", "--database", loc_database, "--retries", "0", input="1.2.3.4\n8.8.8.8\n", env=simulator.env)
    assert [r["status"] for r in result.records] == ["failed", "ok"]
    assert result.records[0]["message"] and result.status == 1


def test_ipinfo_without_a_token_asks_one_by_one(sonde, simulator):
    addresses = ADDRESSES[:30]
    result = sonde("scan", "--provider", "ipinfo", input="\n".join(addresses), env=simulator.env)
    assert differences(result.records, [record(a, "ipinfo", n) for n, a in enumerate(addresses, 1)]) == []
    assert simulator.counts()["requests"] == {"ipinfo single": 30}
    assert result.status == 0


def test_what_ipinfo_knows_nothing_about_has_the_time_of_its_answer(sonde, simulator):
    result = sonde("scan", "--provider", "ipinfo", "--cache", "c.db", "5.0.0.12", env=simulator.env)
    (found,) = result.records
    assert (found["status"], found["cached"]) == ("unknown", False)
    again = sonde("scan", "--provider", "ipinfo", "--cache", "c.db", "5.0.0.12", env=simulator.env)
    (kept,) = again.records
    assert kept["cached"] is True and kept["fetched_at"] == found["fetched_at"]


def test_ipinfo_lite_needs_a_token(sonde, simulator):
    result = sonde("scan", "--provider", "ipinfo-lite", "8.8.8.8", env=simulator.env)
    assert result.status in (2, 4) and "token" in result.stderr.lower()
    result = sonde("scan", "--provider", "ipinfo-lite", "8.8.8.8", env={**simulator.env, **TOKEN})
    assert differences(result.records, [record("8.8.8.8", "ipinfo-lite")]) == []


@pytest.mark.parametrize("providers", ["", "nobody", "ip-api,nobody", "ip-api,,local", "ip-api,ip-api"])
def test_wrong_lists_of_providers(sonde, providers):
    result = sonde("scan", "--provider", providers, "8.8.8.8")
    assert (result.status, result.stdout) == (2, b"")


def test_the_privacy_notice_is_given_once_and_not_with_quiet(sonde, simulator):
    result = sonde("scan", "--provider", "ip-api", input="\n".join(ADDRESSES), env=simulator.env)
    notice = result.stderr.lower()
    assert notice.count("unencrypted") == 1 and "non-commercial" in notice and "--provider local" in notice
    assert sonde("scan", "--quiet", "--provider", "ip-api", "8.8.8.8", env=simulator.env).stderr == ""
    pro = sonde("scan", "--provider", "ip-api", "8.8.8.8", env={**simulator.env, "SONDE_IP_API_KEY": "pro-key"})
    assert "unencrypted" not in pro.stderr.lower()


def test_an_old_database_says_its_age_and_how_to_renew_it(sonde, mmdb_database):
    old, new = mmdb_database("city", built=1_500_000_000), mmdb_database("asn")
    said = sonde("scan", "--provider", "local", "--database", old, "81.2.69.142").stderr
    assert "days" in said and "location update" in said
    assert "location update" not in sonde("scan", "--provider", "local", "--database", new, "81.2.69.142").stderr


@pytest.mark.parametrize(
    "entry", [{"ip": "9.9.9.9", "country": "DE"}, {"error": "backend timeout"}, {}, {"foo": 1}]
)
@pytest.mark.parametrize("provider", ["ipinfo", "ipinfo-lite"])
def test_an_entry_that_is_no_answer_is_asked_again_and_never_kept(sonde, simulator, provider, entry):
    body = json.dumps({"8.8.8.8": entry})
    fault = {"fault": "status", "status": 200, "body": body, "type": "application/json"}
    simulator.control(faults=[{**fault, "call": "ipinfo"}])
    command = ("scan", "--provider", provider, "8.8.8.8", "1.1.1.1", "--retries", "1")
    env = {**simulator.env, **TOKEN}
    result = sonde(*command, env=env)
    assert [r["status"] for r in result.records] == ["failed", "failed"] and result.status == 1
    simulator.control(faults=[])
    result = sonde(*command, env=env)
    assert differences(result.records, [record(a, provider) for a in ("8.8.8.8", "1.1.1.1")]) == []
