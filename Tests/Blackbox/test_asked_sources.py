"""`--with internetdb`, `greynoise`, `abuseipdb` and `NAME=ask:FILE`: services that count, ban and lie."""

import contextlib
import ipaddress
import json
import time
from concurrent.futures import ThreadPoolExecutor

import pytest
from asked import ABUSEIPDB, GREYNOISE, INTERNETDB, OWN
from name_server import NameServer
from namespaces import PROVIDER

pytestmark = pytest.mark.slow

KEYS = {"SONDE_GREYNOISE_KEY": "test-key", "SONDE_ABUSEIPDB_KEY": "test-key"}
SECRET = "s3cret-of-mine"
ROW = {
    "url": "{base}/own.example/v1/{ip}",
    "headers": {"X-Token": "$TOKEN_OF_MINE", "X-Plain": "yes"},
    "quota": "1000/day",
    "unknown": [404, 410],
    "keep": "2h",
    "families": [4],
    "columns": {
        "name": "/name", "rank": {"at": "/rank", "type": "integer"}, "weight": {"at": "/weight", "type": "number"},
        "active": {"at": "/active", "type": "boolean"}, "owners": {"at": "/owners", "type": "list"},
        "escaped": "/a~1b/c~0d", "second": "/owners/1", "wrong": {"at": "/name", "type": "integer"},
        "list": {"at": "/list", "type": "list"}, "none": "/none",
    },
    "ip": "/about/ip",
}


@pytest.fixture
def ask(sonde, simulator, loc_database):
    """Asks a source about addresses; gives what a run left."""

    def run(source, *addresses, options=(), env=None, command="scan", form="ndjson"):
        names = source if isinstance(source, (list, tuple)) else [source]
        return sonde(
            *(command, "--provider", "local", "--database", loc_database, "--cache", "cache.db"),
            *(word for name in names for word in ("--with", name)),
            *(("--format", form) if command != "plan" else ()), *options,
            input="\n".join(addresses),
            env={**simulator.env, **KEYS, **(env or {})},
        )

    return run


@pytest.fixture
def service(sonde, simulator):
    """Writes the file of a service."""

    def write(name="own.json", **changes):
        row = {**ROW, **changes}
        row["url"] = row["url"] and row["url"].replace("{base}", simulator.urls["services"])
        row = {key: value for key, value in row.items() if value is not None}
        (sonde.work / name).write_text(json.dumps(row))
        return f"own=ask:{name}"

    return write


def fields(name, *columns):
    return ("--fields", ",".join(["ip", *(f"{name}_{column}" for column in columns), f"{name}_status"]))


def asked(simulator, host):
    return simulator.counts()["requests"].get(f"service {host}", 0)


def without_ip(result):
    return [{key: value for key, value in record.items() if key != "ip"} for record in result.records]


def test_records_byte_for_byte(ask, simulator):
    simulator.control(services={host: {"limit": None} for host in (INTERNETDB, GREYNOISE, ABUSEIPDB)})
    wanted = fields("internetdb", "ports", "cves", "tags", "hostnames")
    result = ask("internetdb", "8.8.8.8", "10.0.0.1", "bogus", "2a00::1", options=wanted)
    assert result.stdout.decode().splitlines() == [
        '{"ip":"8.8.8.8","internetdb_ports":[53,443],"internetdb_cves":["CVE-2021-44228","CVE-2022-0001"],'
        '"internetdb_tags":["cloud"],"internetdb_hostnames":["host-8.8.8.8.example","one.example"],'
        '"internetdb_status":"ok"}',
        '{"ip":"10.0.0.1"}', '{"ip":"bogus"}', '{"ip":"2a00::1"}',
    ]
    assert result.stderr.count("internetdb.shodan.io learns the addresses") == 1 and result.status == 0
    result = ask("internetdb", "8.8.8.8", options=wanted, form="csv")
    assert result.stdout.decode().splitlines()[1] == (
        "8.8.8.8,53 443,CVE-2021-44228 CVE-2022-0001,cloud,host-8.8.8.8.example one.example,ok"
    )
    wanted = fields("greynoise", "noise", "riot", "classification", "name")
    assert ask("greynoise", "8.8.8.8", options=wanted).stdout.decode() == (
        '{"ip":"8.8.8.8","greynoise_noise":true,"greynoise_riot":false,"greynoise_classification":"malicious",'
        '"greynoise_name":"unknown","greynoise_status":"ok"}\n'
    )
    wanted = fields("abuseipdb", "score", "reports", "last_reported")
    assert ask("abuseipdb", "2a00::1", "8.8.8.8", options=wanted).stdout.decode().splitlines() == [
        f'{{"ip":"{ip}","abuseipdb_score":100,"abuseipdb_reports":37,'
        '"abuseipdb_last_reported":"2026-11-20T20:55:14+00:00","abuseipdb_status":"ok"}'
        for ip in ("2a00::1", "8.8.8.8")
    ]


def test_a_file_makes_a_service(ask, service, simulator):
    options = fields("own", *ROW["columns"])
    env = {"TOKEN_OF_MINE": SECRET}
    simulator.control(services={OWN: {"keys": [SECRET], "answers": {"9.9.9.9": {"status": 410}}}})
    result = ask(service(), "8.8.8.8", "9.9.9.9", "2a00::1", options=options, env=env)
    assert result.records == [
        {
            "ip": "8.8.8.8", "own_name": "asset", "own_rank": 7, "own_weight": 0.5, "own_active": True,
            "own_owners": ["a", "b"], "own_escaped": "escaped", "own_second": "b", "own_list": ["1", "two"],
            "own_status": "ok",
        },
        {"ip": "9.9.9.9", "own_status": "unknown"},
        {"ip": "2a00::1"},
    ]
    assert result.status == 0 and SECRET not in result.stderr + result.stdout.decode()
    # Kept, the unknown too; another row is another question.
    ask(service(), "8.8.8.8", "9.9.9.9", options=options, env=env)
    assert asked(simulator, OWN) == 2
    ask(service(columns={"name": "/name"}), "8.8.8.8", env=env)
    ask(service(keep="0"), "8.8.8.8", options=("--no-cache",), env=env)
    assert asked(simulator, OWN) == 4


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"url": None}, "url is missing"),
        ({"url": "{base}/own.example/v1/"}, "{ip} is missing"),
        ({"url": "http://example.com/{ip}"}, "not asked without TLS"),
        ({"url": "https://{ip}.example/"}, "neither {ip} nor a user"),
        ({"url": "https://me:hidden@example.com/{ip}"}, "neither {ip} nor a user"),
        ({"url": "http://10.0.0.9/{ip}"}, "would go to 10.0.0.9 without TLS"),
        ({"columns": None}, "columns is missing"),
        ({"columns": {}}, "columns: there is none"),
        ({"columns": {"a b": "/a"}}, "'a b' cannot be a name"),
        ({"columns": {"status": "/a"}}, "cannot be a name"),
        ({"columns": {"a": "a"}}, "JSON Pointer"),
        ({"columns": {"a": {"at": "/a", "type": "float"}}}, "expected one of text, integer, number, boolean, list"),
        ({"columns": {"a": {"type": "text"}}}, "'at' is missing"),
        ({"columns": {"a": {"at": "/a", "as": "b"}}}, "unknown member 'as'"),
        ({"quota": "5/h"}, "quota: expected"),
        ({"quota": 5}, "quota: expected"),
        ({"unknown": 404}, "unknown: expected numbers"),
        ({"unknown": [99]}, "unknown: expected numbers"),
        ({"keep": "soon"}, "keep: expected a time"),
        ({"families": [5]}, "families: expected"),
        ({"families": []}, "families: expected"),
        ({"ip": 4}, "JSON Pointer"),
        ({"headers": {"X": "$SONDE_GREYNOISE_KEY"}}, "$SONDE_GREYNOISE_KEY is Sonde's own"),
        ({"headers": {"X": "$NOT_THERE"}}, "the variable NOT_THERE is not set"),
        ({"headers": {"X Y": "z"}}, "the name of a header field is malformed"),
        ({"headers": []}, "headers: expected an object"),
        ({"colour": "red"}, "unknown member 'colour'"),
    ],
)
def test_a_bad_file_is_misuse(ask, service, simulator, changes, words):
    result = ask(service(**changes), "8.8.8.8", env={"TOKEN_OF_MINE": SECRET})
    assert result.status == 2 and words in result.stderr and result.stdout == b""
    assert not {SECRET, "hidden", "test-key"} & set(result.stderr.split()) and "hidden" not in result.stderr
    assert asked(simulator, OWN) == 0


def test_names_that_cannot_be_services(ask, sonde, service):
    service()
    for source, words in (
        ("own=ask:", "bad value"), ("internetdb=ask:own.json", "a source of its own"),
        ("azure=ask:own.json", "a source of its own"), ("city=ask:own.json", "a field"),
        ("ask=ask:own.json", "a name of Sonde's"), ("own=ask:missing.json", "missing.json"),
    ):
        result = ask(source, "8.8.8.8", env={"TOKEN_OF_MINE": "t"})
        assert result.status == 2 and words in result.stderr, source
    (sonde.work / "odd.json").write_text('{"url": "https://a.example/{ip}",')
    assert "is not JSON" in ask("own=ask:odd.json", "8.8.8.8").stderr
    (sonde.work / "odd.json").write_text('{"quota": "1/s", "quota": "2/s"}')
    assert "stands there twice" in ask("own=ask:odd.json", "8.8.8.8").stderr
    # Only `ask:` makes a file a service.
    assert "own.json" in ask("own=own.json", "8.8.8.8").stderr
    result = sonde("tables", "add", "own", "ask:own.json")
    assert result.status == 2 and "a web service is no table" in result.stderr


@pytest.mark.parametrize(
    "lie",
    [
        {"address": "9.9.9.9"}, {"body": "no json"}, {"body": "{}"}, {"body": ""}, {"size": 2 << 20},
        {"body": "<html>", "type": "text/html"}, {"location": "/own.example/v1/9.9.9.9"}, {"status": 500},
    ],
)
def test_a_fault_is_retried_and_never_kept(ask, simulator, lie):
    simulator.control(services={INTERNETDB: {"limit": None, "answers": {"8.8.8.8": lie}}})
    result = ask("internetdb", "8.8.8.8", "1.1.1.1", options=("--retries", 1))
    assert [record["internetdb_status"] for record in result.records] == ["failed", "ok"]
    assert result.status == 1 and asked(simulator, INTERNETDB) == 3
    simulator.control(services={INTERNETDB: {"limit": None}})
    result = ask("internetdb", "8.8.8.8", "1.1.1.1")
    assert result.records[0]["internetdb_ports"] == [53, 443] and asked(simulator, INTERNETDB) == 1


def test_keys_are_required_refused_and_told_nobody(ask, sonde, simulator):
    result = ask("abuseipdb", "8.8.8.8", env={"SONDE_ABUSEIPDB_KEY": ""})
    assert result.status == 2 and "SONDE_ABUSEIPDB_KEY or abuseipdb-key" in result.stderr
    assert ask("abuseipdb", "8.8.8.8", command="plan", env={"SONDE_ABUSEIPDB_KEY": ""}).status == 2
    away = {"SONDE_SERVICES_URL": f"http://{PROVIDER}:9"}
    result = ask(("abuseipdb", "greynoise"), "8.8.8.8", env=away)
    assert result.status == 2 and "without TLS" in result.stderr and asked(simulator, ABUSEIPDB) == 0
    env = {"SONDE_ABUSEIPDB_KEY": SECRET, "SONDE_GREYNOISE_KEY": SECRET}
    result = ask(("abuseipdb", "greynoise"), "8.8.8.8", "8.8.4.4", options=("--events", "events"), env=env)
    assert [r["abuseipdb_status"] for r in result.records] == ["failed", "failed"] and result.status == 4
    assert "abuseipdb refuses to answer: HTTP 401" in result.stderr
    quota = sonde("quota", "list", env=env)
    texts = [path.read_bytes() for path in sonde.work.rglob("*") if path.is_file()]
    assert len(texts) > 1 and not any(SECRET.encode() in text for text in texts)
    assert SECRET not in result.stderr + result.stdout.decode() + quota.stdout.decode() + quota.stderr
    # From the configuration file, too.
    sonde.config_file.write_text("abuseipdb-key = test-key\n")
    sonde.config_file.chmod(0o600)
    result = ask("abuseipdb", "8.8.8.8", env={"SONDE_ABUSEIPDB_KEY": None})
    assert result.records[0]["abuseipdb_score"] == 100


def test_a_day_that_is_spent(ask, sonde, simulator):
    simulator.control(services={GREYNOISE: {"limit": [60, 86400], "answers": {"1.0.0.9": {"unknown": True}}}})
    addresses = [f"1.0.{index // 200}.{index % 200 + 1}" for index in range(60)]
    result = ask("greynoise", *addresses, env={"SONDE_GREYNOISE_KEY": ""})
    statuses = [record["greynoise_status"] for record in result.records]
    assert (statuses.count("ok"), statuses.count("unknown"), statuses.count("failed")) == (49, 1, 10)
    assert result.status == 4 and "greynoise refuses to answer: the quota is spent until 20" in result.stderr
    # The ledger knows it, for the next run, and what is kept is asked no more.
    again = ask("greynoise", *addresses, env={"SONDE_GREYNOISE_KEY": ""})
    assert [record["greynoise_status"] for record in again.records] == statuses and again.status == 4
    assert asked(simulator, GREYNOISE) == 50
    assert any(w["provider"] == "greynoise" and w["left"] == 0 for w in sonde("quota", "list").records)
    # A key has a quota of its own, of which the answers tell.
    simulator.control(services={GREYNOISE: {"limit": [3, 86400], "counts": True}})
    result = ask("greynoise", *(f"2.2.2.{index}" for index in range(6)))
    assert [r["greynoise_status"] for r in result.records].count("ok") == 3 and result.status == 4
    assert asked(simulator, GREYNOISE) == 3


def test_a_second_is_kept_by_all_processes(ask, simulator):
    with ThreadPoolExecutor() as pool:
        results = list(pool.map(lambda octet: ask("internetdb", f"8.8.{octet}.1", f"8.8.{octet}.2"), range(2)))
    assert [r["internetdb_status"] for result in results for r in result.records] == ["ok"] * 4
    assert asked(simulator, INTERNETDB) == 4 and simulator.counts()["statuses"].get("429", 0) == 0


def test_the_largest_number_of_requests_counts_them(ask, simulator):
    simulator.control(services={INTERNETDB: {"limit": [1, 1.0]}})
    start = time.monotonic()
    result = ask("internetdb", *(f"8.8.8.{index}" for index in range(3)), options=("--max-requests", 2))
    assert sorted(r["internetdb_status"] for r in result.records) == ["failed", "ok", "ok"]
    assert time.monotonic() - start >= 1 and "stopped after 2 requests (--max-requests)" in result.stderr
    assert result.status == 1 and asked(simulator, INTERNETDB) == 2


def test_a_plan_counts_what_is_not_kept(ask, service, simulator):
    simulator.control(services={INTERNETDB: {"limit": None}, OWN: {"keys": ["t"]}})
    ask("internetdb", "8.8.8.8")
    env = {"TOKEN_OF_MINE": "t"}
    plan = ask(
        ("internetdb", "greynoise", service()), "8.8.8.8", "8.8.4.4", "1.1.1.1", "2a00::1", "10.0.0.1",
        command="plan", env=env,
    )
    lines = [line.split() for line in plan.stdout.decode().splitlines()]
    assert ["internetdb", "2", "at", "least", "1", "s"] in lines
    assert ["greynoise", "3", "at", "least", "2", "s"] in lines
    assert ["own", "3", "at", "once"] in lines
    assert asked(simulator, GREYNOISE) + asked(simulator, OWN) == 0


TXT = 16
ROUTES = {
    "8.8.8.8": ["15169 | 8.8.8.0/24 | US | arin | 2023-12-28", "3356 | 8.0.0.0/9 | US | arin | 1992-12-01"],
    "9.9.9.9": ["23028 13030 | 9.9.9.0/24 | US | arin | 1998-09-25", "19281 | 9.9.9.0/24 | US | arin | 1998-09-25"],
    "5.5.5.5": ["1 | 6.6.6.0/24 | US | arin | ", "x", "2 | 5.5.5.1/24 | DE | ripe | ", "| 5.0.0.0/33"],
    "2a00::1": ["15169 | 2a00::/16 | IE | ripencc | 2009-10-05"],
}


def origin(address):
    """The name of an address's route."""
    name = ipaddress.ip_address(address).reverse_pointer
    return name.replace("in-addr.arpa", "origin.asn.cymru.com").replace("ip6.arpa", "origin6.asn.cymru.com")


def strings(text):
    """A text as the strings of a record, of which each has at most 255 bytes."""
    parts = [text[start : start + 9].encode() for start in range(0, len(text), 9)] or [b""]
    return b"".join(bytes([len(part)]) + part for part in parts)


def test_routes(ask, sonde):
    with contextlib.closing(NameServer()) as server:
        for address, texts in ROUTES.items():
            server.records[origin(address), TXT] = [(None, TXT, 3600, strings(text)) for text in texts]
        wanted = (*fields("route", "network", "asn", "registry", "allocated"), "--resolver", server.place)
        result = ask("route", *ROUTES, "4.4.4.4", "10.0.0.1", options=wanted)
        assert result.stdout.decode().splitlines() == [
            '{"ip":"8.8.8.8","route_network":"8.8.8.0/24","route_asn":[15169],"route_registry":"arin",'
            '"route_allocated":"2023-12-28","route_status":"ok"}',
            '{"ip":"9.9.9.9","route_network":"9.9.9.0/24","route_asn":[23028,13030,19281],"route_registry":"arin",'
            '"route_allocated":"1998-09-25","route_status":"ok"}',
            '{"ip":"5.5.5.5","route_status":"failed"}',
            '{"ip":"2a00::1","route_network":"2a00::/16","route_asn":[15169],"route_registry":"ripencc",'
            '"route_allocated":"2009-10-05","route_status":"ok"}',
            '{"ip":"4.4.4.4","route_status":"unknown"}',
            '{"ip":"10.0.0.1"}',
        ]
        assert result.stderr.count("asn.cymru.com learns the addresses") == 1 and result.status == 1
        count = len(server.asked(TXT))
        assert ask("route", "8.8.8.8", options=wanted).records[0]["route_asn"] == [15169]
        assert len(server.asked(TXT)) == count == 5
        # Beside names, from the same resolver.
        server.add("8.8.8.8", "dns.example")
        both = ask(("names", "route"), "8.8.8.8", options=("--resolver", server.place, "--no-cache"))
        assert both.records[0]["ptr"] == ["dns.example"] and both.records[0]["route_asn"] == [15169]
        plan = ask("route", "8.8.8.8", "1.2.3.4", command="plan", options=("--resolver", server.place))
        assert ["route", "1"] == plan.stdout.decode().splitlines()[-1].split()[:2]


def test_an_upgrade_asks_for_what_failed(ask, sonde, simulator):
    simulator.control(services={INTERNETDB: {"limit": None, "answers": {"8.8.8.8": {"status": 500}}}})
    ask("internetdb", "8.8.8.8", "1.1.1.1", options=("--retries", 0, "-o", "out.csv"), form="csv")
    simulator.control(services={INTERNETDB: {"limit": None}})
    result = sonde(
        "upgrade", "--provider", "local", "--with", "internetdb", "--cache", "cache.db", "out.csv", "-o", "new.csv",
        env=simulator.env,
    )
    assert result.status == 0, result.stderr
    assert (sonde.work / "new.csv").read_text().count(",ok") >= 2 and asked(simulator, INTERNETDB) == 1
