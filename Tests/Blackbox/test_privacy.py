"""`--anonymize`: no address of the inputs goes out, in any way; pseudonyms lead back."""

import ipaddress
import json
import re

import pytest
from command import wait_for
from marked import KEY, MARKED, content, revealed, spellings, truncated, write_key

LOG = "".join(f'{text} - - "GET /?next={text} HTTP/1.1" [{text}]\n' for a in MARKED for text in spellings(a))
LIST = "".join(f"{text}\n" for address in MARKED for text in spellings(address))
INVALID = "".join(f"{a}:99999\n{a}/300\n{a},\n'{a}'\n[{a}\nx{a}\n" for a in MARKED)
FORMATS = ["csv", "tsv", "json", "ndjson", "geojson", "table"]


@pytest.fixture(params=["truncate", "pseudonym"])
def anonymize(request, sonde):
    """The options of one way to anonymize."""
    return ["--anonymize", "truncate"] if request.param == "truncate" else write_key(sonde)


def assert_private(result):
    assert revealed(result.stdout) == []
    assert revealed(result.stderr.encode()) == []


def test_a_log_without_anonymizing_shows_what_is_looked_for(sonde):
    found = {address for address, _ in revealed(sonde("extract", sonde.file("log", LOG)).stdout)}
    assert found == set(MARKED)


def test_extract_truncates_each_occurrence(sonde):
    sonde.file("log", "from 23.45.67.89:53 to fe80::1:2%eth0 and [2001:db8:1:2::3]:443, x8.8.8.8\n23.45.67.90\n")
    lines = ["23.45.67.0", "fe80::", "2001:db8:1::", "23.45.67.0"]
    assert sonde("extract", "log", "--anonymize", "truncate").lines == lines
    assert sonde("extract", "log", "--anonymize", "truncate", "--unique").lines == lines[:3]
    assert sonde("extract", "log", "--anonymize", "truncate", "--unique", "--count").lines == ["3"]
    assert sonde("extract", "log", "--anonymize", "truncate=0,128").lines[:3] == ["0.0.0.0", "fe80::1:2", "2001:db8:1:2::3"]


def test_extract_chooses_by_the_true_addresses(sonde):
    options = write_key(sonde)
    sonde.file("log", "10.0.0.47 8.8.8.8 2001:db8::1\n")
    plain = sonde("extract", "log", "--no-reserved").lines
    assert plain == ["8.8.8.8"]
    assert len(sonde("extract", "log", "--no-reserved", *options).lines) == 1
    assert sonde("extract", "log", "-6", *options).lines == ["c180:5dd4:2587:3524:30ab:fa65:6ab6:f88"]


def test_pseudonyms_are_those_of_the_draft_and_lead_back(sonde):
    options = write_key(sonde)
    sonde.file("list", "0.0.0.0\n192.0.2.1\n2001:db8::1\n255.255.255.255\n")
    pseudonyms = ["151.82.155.134", "100.115.72.131", "c180:5dd4:2587:3524:30ab:fa65:6ab6:f88", "94.185.169.89"]
    assert [each["ip"] for each in sonde("check", "list", *options).records] == pseudonyms
    reveal = ["--anonymize", "reveal", "--anonymize-key", "key"]
    back = sonde("check", *reveal, input="\n".join(pseudonyms) + "\n")
    true = sonde("check", "list").records
    assert back.records == true


def test_pseudonyms_keep_each_prefix(sonde):
    options = write_key(sonde)
    for base in [ipaddress.ip_address("23.45.67.89"), ipaddress.ip_address("2606:4700:4700::1111")]:
        bits = base.max_prefixlen
        others = [type(base)(int(base) ^ 1 << (bits - 1 - length)) for length in range(bits)]
        listing = "".join(f"{each}\n" for each in [base, *others])
        result = sonde("check", *options, "--duplicates", "keep", input=listing)
        first, *rest = [int(ipaddress.ip_address(each["ip"])) for each in result.records]
        assert [bits - (first ^ each).bit_length() for each in rest] == list(range(bits))


@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize("arguments", [["check"], ["check", "--log"], ["scan", "--log", "--provider", "local"]], ids=" ".join)
def test_no_record_holds_an_address(sonde, loc_database, anonymize, arguments, form):
    sonde.file("in", LOG if "--log" in arguments else LIST + INVALID)
    if "scan" in arguments:
        arguments = [*arguments, "--database", loc_database, "--fields", "+network,+input,+offset", "--no-cache"]
    result = sonde(*arguments, "in", *anonymize, "--format", form, "--rejects", "rejected", "--events", "events")
    assert result.stdout
    assert_private(result)
    for name in ["rejected", "events"]:
        assert revealed(content(sonde.work / name)) == []


@pytest.mark.parametrize("name", ["out.csv.gz", "out.sqlite"])
def test_no_output_file_holds_an_address(sonde, loc_database, anonymize, name):
    sonde.file("in", LIST + INVALID)
    local = ["--provider", "local", "--database", loc_database, "--no-cache"]
    assert_private(sonde("scan", "in", *local, *anonymize, "-o", name))
    assert revealed(content(sonde.work / name)) == []


def test_an_invalid_entry_is_removed_and_its_message_has_no_correction(sonde):
    sonde.file("list", "23.45.67.89:53\nexample.com\n")
    first, second = sonde("check", "list", "--anonymize", "truncate").records
    assert first == {"ip": "(removed)", "status": "invalid", "message": "column 12: has a port", "line": 1}
    assert second["ip"] == "(removed)"
    assert second["message"] == "column 1: is a host name: resolve it first"


def test_a_network_is_that_of_the_pseudonym_and_no_longer_than_what_stays(sonde):
    sonde.file("own.csv", "network,team\n10.0.0.0/8,office\n10.0.0.32/28,lab\n")
    arguments = ["check", "10.0.0.47", "--with", "own=own.csv"]
    assert sonde(*arguments).records[0]["own_network"] == "10.0.0.32/28"
    assert sonde(*arguments, "--anonymize", "truncate").records[0]["own_network"] == "10.0.0.0/24"
    assert sonde(*arguments, "--anonymize", "truncate=4,4").records[0]["own_network"] == "0.0.0.0/4"
    key = "2b7e151628aed2a6abf7158809cf4f3ca9f5ba40db214c3798f2e1c23456789a"
    record = sonde(*arguments, *write_key(sonde, text=key)).records[0]
    assert (record["ip"], record["own_network"]) == ("19.214.210.244", "19.214.210.240/28")
    assert record["own_team"] == "lab"


def test_joining_and_conditions_use_the_true_addresses(sonde):
    sonde.file("own.csv", "network,team\n23.45.67.89,office\n")
    options = ["--with", "own=own.csv", "--where", "ip in (23.45.67.88/31) and own_team = office"]
    result = sonde("check", "23.45.67.89", "23.45.67.90", *options, "--anonymize", "truncate")
    assert [(each["ip"], each["own_team"]) for each in result.records] == [("23.45.67.0", "office")]


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["pseudonym"], "--anonymize pseudonym needs --anonymize-key FILE"),
        (["truncate=33,1"], "bad value 'truncate=33,1'"),
        (["truncate=24"], "bad value 'truncate=24'"),
        (["truncate", "--missing", "left"], "--missing lists true addresses"),
        (["truncate", "--with", "names"], "--with names is not for --anonymize"),
        (["truncate", "--fields", "+hostname"], "--fields hostname has no value"),
        (["reveal"], "only check takes it"),
    ],
)
def test_what_would_give_addresses_away_is_refused(sonde, options, said):
    result = sonde("scan", "23.45.67.89", "--anonymize", *options)
    assert (result.status, result.stdout) == (2, b"")
    assert said in result.stderr
    assert_private(result)


@pytest.mark.parametrize(
    ("text", "mode", "said"),
    [
        (KEY[:32] * 2, 0o600, "has two equal halves"),
        (KEY[:-1], 0o600, "does not hold 64 hexadecimal digits"),
        (KEY + "00", 0o600, "does not hold 64 hexadecimal digits"),
        (KEY[:-1] + "g", 0o600, "does not hold 64 hexadecimal digits"),
        (KEY, 0o640, "can be read by others; run: chmod 600 key"),
        (KEY, 0o604, "can be read by others; run: chmod 600 key"),
    ],
)
def test_an_unusable_key_is_refused(sonde, text, mode, said):
    options = write_key(sonde, text=text)
    (sonde.work / "key").chmod(mode)
    result = sonde("check", "23.45.67.89", *options)
    assert (result.status, result.stdout) == (2, b"")
    assert said in result.stderr
    assert text[:16] not in result.stderr


def test_a_key_without_a_kind_is_refused(sonde):
    write_key(sonde)
    result = sonde("check", "23.45.67.89", "--anonymize-key", "key")
    assert (result.status, result.stdout) == (2, b"")


FAULTS = [
    {"fault": "status", "status": 500},
    {"fault": "status", "status": 404},
    {"fault": "reset"},
    {"fault": "garbage"},
    {"fault": "foreign"},
    {"fault": "entry_error", "message": "no answer about 23.45.67.89", "status": "error"},
    {"fault": "login_200"},
]


@pytest.mark.parametrize("fault", [None, *FAULTS], ids=lambda fault: fault and "-".join(map(str, fault.values())))
def test_no_answer_and_no_fault_of_a_provider_reveals_an_address(sonde, simulator, anonymize, fault):
    simulator.control(batch_limit=100_000, single_limit=100_000, faults=[fault] if fault else [])
    options = ["--provider", "ip-api", "--no-cache", "--retries", "0", "--offline-timeout", "0", "--events", "events"]
    result = sonde("scan", *MARKED, *options, *anonymize, env=simulator.env)
    assert len(result.records) == len(MARKED)
    assert_private(result)
    assert revealed(sonde.read("events")) == []


def test_neither_progress_nor_file_names_reveal_an_address(sonde, anonymize):
    sonde.file("log 23.45.67.89", LOG)
    arguments = ["check", "--log", "log 23.45.67.89", "no 23.45.67.89 log", "--fields", "ip,input", "--progress", "always"]
    result = sonde(*arguments, *anonymize)
    assert result.status == 5
    assert_private(result)
    lines = sonde("extract", "--with-filename", "log 23.45.67.89", "--anonymize", "truncate").lines
    assert lines[0] == "log 23.45.67.0:23.45.67.0"


def test_no_journal_holds_an_address_and_a_scan_resumes_with_the_same_options_only(sonde, simulator, anonymize):
    simulator.control(latency=0.3, batch_limit=100_000)
    numbers = [f"5.{n // 250}.{n % 250}.3" for n in range(900)]
    sonde.file("list", "".join(f"{each}\n" for each in numbers))
    wanted = ["--where", f"not ip in ({MARKED[0]}, {MARKED[3]})", "--provider", "ip-api", "--cache", "cache"]
    arguments = ["scan", *MARKED, "list", *wanted, "-o", "out.csv", "--fields", "ip,status,input", "--concurrency", "1"]
    running = sonde.start(*arguments, *anonymize, env=simulator.env)
    wait_for(lambda: b"\n5" in b"\n" + sonde.read("out.csv") or sonde.read("out.csv").count(b"\n") > 50)
    running.process.kill()
    running.finish()
    journal = sonde.read("out.csv.journal")
    assert revealed(journal) == [] and revealed(sonde.read("out.csv")) == []
    simulator.control(latency=0)
    for other in [[], ["--anonymize", "truncate=8,8"], write_key(sonde, "other", "0" * 63 + "1")]:
        result = sonde(*arguments, *other, "--resume", env=simulator.env)
        assert result.status == 2
        assert "another --anonymize" in result.stderr
        assert_private(result)
    result = sonde(*arguments, *anonymize, "--resume", env=simulator.env)
    assert result.status == 0, result.stderr
    undisturbed = sonde(*[each if each != "out.csv" else "again.csv" for each in arguments], *anonymize, env=simulator.env)
    assert undisturbed.status == 0
    assert sonde.read("out.csv") == sonde.read("again.csv")
    assert revealed(sonde.read("out.csv")) == []


def test_truncated_records_repeat_for_each_true_address(sonde):
    sonde.file("list", "23.45.67.1\n23.45.67.2\n23.45.67.1\n")
    result = sonde("check", "list", "--anonymize", "truncate")
    assert [each["ip"] for each in result.records] == ["23.45.67.0"] * 2
    assert truncated("23.45.67.1") == "23.45.67.0"


def test_events_are_json_as_before(sonde, simulator):
    sonde("scan", *MARKED, "--provider", "ip-api", "--no-cache", "--events", "events", "--anonymize", "truncate", env=simulator.env)
    events = [json.loads(line) for line in sonde.read("events").splitlines()]
    assert events[-1]["event"] == "summary"
    assert events[-1]["entries"] == len(MARKED)
    assert not re.search(rb"23\.45\.67\.89", sonde.read("events"))
