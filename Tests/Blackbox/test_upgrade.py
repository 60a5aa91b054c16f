"""`upgrade`: only what wants an answer is asked for, and everything else is left byte for byte."""

import csv
import gzip
import io
import json
import os
import re
import signal
import stat
import subprocess
import time

import pytest
from answers import answer
from command import NOWHERE
from namespaces import Namespace, skip_unless_allowed

LIST = "8.8.8.8\n10.0.0.1\nbad item,x\n1.1.1.1 # again below\n2606:4700:4700::1111\n9.9.9.9\n"
PUBLIC = ["8.8.8.8", "1.1.1.1", "2606:4700:4700::1111", "9.9.9.9"]
FORMS = ["csv", "tsv", "ndjson", "json"]


def scan_without_provider(sonde, name, *options, listing=LIST):
    """Records that a fallback, or nobody, answered, for the provider is down."""
    sonde.file("list.txt", listing)
    sonde("scan", "--retries", "0", "-o", name, *options, "list.txt", env={"SONDE_IP_API_URL": NOWHERE})
    return sonde.read(name)


@pytest.fixture
def fallback(loc_database):
    """The options of a scan whose fallback knows some of the addresses."""
    return ["--database", loc_database]


def parsed(data, form):
    """The records of any form, with texts for values."""
    if form == "csv":
        return [{k: v for k, v in row.items() if v} for row in csv.DictReader(io.StringIO(data.decode()))]
    if form == "tsv":
        reader = csv.DictReader(io.StringIO(data.decode()), delimiter="\t", quoting=csv.QUOTE_NONE)
        return [{k: v for k, v in row.items() if v} for row in reader]
    items = json.loads(data) if form == "json" else map(json.loads, data.splitlines())
    return [
        {k: str(v).lower() if isinstance(v, bool) else str(v) for k, v in item.items()} for item in items
    ]


def without_times(items):
    return [{k: v for k, v in item.items() if k != "fetched_at"} for item in items]


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("providers", ["ip-api,local", "ip-api"])
def test_it_ends_as_a_scan_by_the_provider_would_have(sonde, simulator, fallback, form, providers):
    name = f"out.{form}"
    before = scan_without_provider(sonde, name, "--provider", providers, *fallback)
    result = sonde("upgrade", name, "-o", name, env=simulator.env)
    assert (result.status, result.stdout) == (0, b"")
    undisturbed = sonde("scan", "list.txt", "--format", form, env=simulator.env)
    after = sonde.read(name)
    assert without_times(parsed(after, form)) == without_times(parsed(undisturbed.stdout, form))
    for old, new, item in zip(before.splitlines(), after.splitlines(), [None, *parsed(after, form)]):
        if form in ("csv", "tsv") and (item is None or item["status"] != "ok"):
            assert old == new
    assert simulator.counts()["most_asked"] == 2, "each address was asked once, and once by the scan"
    assert "4 of 4 rows upgraded" in result.stderr and "6 entries: 4 ok (4 ip-api)" in result.stderr


@pytest.mark.parametrize("form", FORMS)
def test_what_has_its_answer_is_neither_asked_for_nor_changed(sonde, simulator, form):
    scan = sonde("scan", "--format", form, "-", input=LIST, env=simulator.env)
    asked = simulator.counts()["total"]
    result = sonde("upgrade", "-", input=scan.stdout, env=simulator.env)
    assert (result.stdout, result.status) == (scan.stdout, 0)
    assert simulator.counts()["total"] == asked


def test_what_the_cache_knows_goes_to_the_row_that_asked(sonde, simulator):
    fields = ["--format", "csv", "--fields", "ip,status,source,country_code,city,asn"]
    asked = ("--provider", "ip-api", "--cache", "answers.db")
    full = sonde("scan", *PUBLIC, *asked, *fields, env=simulator.env).lines
    kept = "4.4.4.4,ok,ip-api,US,Kept,1"
    open_rows = [f"{address},failed,,,," for address in PUBLIC]
    rows = [kept, open_rows[0], kept, kept, *open_rows[1:], kept]
    sonde.file("out.csv", "\n".join([full[0], *rows]) + "\n")
    result = sonde("upgrade", "out.csv", *asked, env=simulator.env)
    assert "4 cached; 0 requests" in result.stderr
    assert result.lines == [full[0], kept, full[1], kept, kept, *full[2:], kept]


@pytest.mark.parametrize("form", FORMS)
def test_without_an_answer_nothing_changes(sonde, fallback, form):
    before = scan_without_provider(sonde, f"out.{form}", *fallback)
    inode = os.stat(sonde.work / f"out.{form}").st_ino
    result = sonde("upgrade", "--retries", "0", f"out.{form}", "-o", f"out.{form}")
    assert result.status == 1 and "0 of 4 rows upgraded" in result.stderr
    assert sonde.read(f"out.{form}") == before
    assert os.stat(sonde.work / f"out.{form}").st_ino == inode
    assert sorted(os.listdir(sonde.work)) == ["list.txt", f"out.{form}"]


def test_columns_unknown_columns_quotes_and_line_ends_are_kept(sonde, simulator):
    old = (
        b'\xef\xbb\xbf"note",status,source,ip,"x,y",city,line\r\n\r\n'
        b'"a ""b""\nc",ok,libloc,8.8.8.8,"1,2",,07\r\n'
        b",ok,ip-api, 9.9.9.9 ,\xff\x00,Old,\r\n"
        b'z,network_lost,,"1.1.1.1",,,'
    )
    result = sonde("upgrade", "-", input=old, env=simulator.env)
    assert result.stdout == (
        b'\xef\xbb\xbf"note",status,source,ip,"x,y",city,line\r\n\r\n'
        b'"a ""b""\nc",ok,ip-api,8.8.8.8,"1,2",Ashburn,07\r\n'
        b",ok,ip-api, 9.9.9.9 ,\xff\x00,Old,\r\n"
        b'z,ok,ip-api,"1.1.1.1",,South Brisbane,'
    )
    assert result.status == 0


def test_json_keeps_what_it_does_not_know_and_gets_the_fields_asked_for(sonde, simulator):
    old = (
        '{"mine": {"a": [1, "}"]}, "ip" : "8.8.8.8","status":"failed","message":"m","line": 7}\r\n\n'
        '{"ip":"1.1.1.1","status":"unknown","message":"x"}\n'
        ' {"ip":"9.9.9.9","status":"ok","source":"mmdb","network":"9.0.0.0/8"}'
    )
    result = sonde("upgrade", "-", "--fields", "ip,line,status,source,city", input=old, env=simulator.env)
    assert result.stdout.decode() == (
        '{"ip" : "8.8.8.8","line": 7,"status":"ok","source":"ip-api","city":"Ashburn","mine": {"a": [1, "}"]}}\r\n\n'
        '{"ip":"1.1.1.1","status":"unknown","message":"x"}\n'
        ' {"ip":"9.9.9.9","status":"ok","source":"ip-api","city":"South Brisbane"}'
    )


def test_a_host_name_is_asked_for_where_it_has_a_column(sonde, simulator):
    result = sonde("upgrade", "-", input="ip,status,source,hostname\n8.8.8.8,failed,,\n", env=simulator.env)
    assert result.lines[1] == "8.8.8.8,ok,ip-api,dns.google"
    usual = scan_without_provider(sonde, "out.csv", "--provider", "ip-api")
    assert b"dns.google" not in sonde("upgrade", "out.csv", env=simulator.env).stdout, usual
    assert b"dns.google" in sonde("upgrade", "out.csv", "--fields", "+hostname", env=simulator.env).stdout


def test_special_purpose_addresses_are_never_sent_whatever_a_row_says(sonde, simulator):
    old = b"ip,status,source\n10.0.0.1,failed,\n::1,network_lost,\n127.0.0.1,ok,libloc\n"
    result = sonde("upgrade", "-", input=old, env=simulator.env)
    assert result.stdout == old and simulator.counts()["total"] == 0


def test_a_later_provider_is_not_asked(sonde, fallback):
    before = scan_without_provider(sonde, "out.csv", "--provider", "ip-api", *fallback)
    result = sonde("upgrade", "--retries", "0", "--provider", "ip-api,local", "out.csv")
    assert (result.stdout, result.status) == (before, 1)


def test_the_first_provider_is_asked(sonde, simulator):
    old = "ip,status,source\n8.8.8.8,ok,libloc\n"
    result = sonde("upgrade", "--provider", "ipinfo,ip-api", "-", input=old, env=simulator.env)
    assert result.lines[1] == "8.8.8.8,ok,ipinfo"
    result = sonde("upgrade", "--provider", "local,ip-api", "-", input=old, env=simulator.env)
    assert result.status == 2 and "local" in result.stderr


@pytest.mark.parametrize(
    "providers, asked",
    [
        ("ip-api,ipinfo", ["ipinfo"]),
        ("ip-api,local,ipinfo", ["ipinfo"]),
        ("ipinfo,ip-api", ["ip-api"]),
        ("ipinfo-lite,ip-api,ipinfo", ["ip-api", "ipinfo"]),
        ("ip-api,local", []),
        ("ip-api", []),
    ],
)
@pytest.mark.parametrize("form", ["csv", "ndjson"])
def test_rows_of_the_further_providers_are_a_fallbacks_too(sonde, simulator, form, providers, asked):
    rows = [("8.8.8.8", "ip-api"), ("1.1.1.1", "ipinfo"), ("9.9.9.9", "ipinfo-lite"), ("4.4.4.4", "libloc")]
    if form == "csv":
        old = "ip,status,source\n" + "".join(f"{ip},ok,{source}\n" for ip, source in rows)
    else:
        old = "".join(f'{{"ip":"{ip}","status":"ok","source":"{source}"}}\n' for ip, source in rows)
    env = {**simulator.env, "SONDE_IPINFO_TOKEN": "test-token"}
    options = ["--provider", providers, "--fields", "ip,status,source"]
    result = sonde("upgrade", "-", *options, input=old, env=env)
    first = providers.split(",")[0]
    wanted = [first if source in [*asked, "libloc"] else source for _, source in rows]
    assert [item["source"] for item in parsed(result.stdout, form)] == wanted
    assert result.status == 0
    assert f"{len(asked) + 1} of {len(asked) + 1} row" in result.stderr


def test_what_the_provider_knows_nothing_about_is_told(sonde, simulator):
    addresses = (f"5.0.{n // 250}.{n % 250}" for n in range(10_000))
    unknown = next(address for address in addresses if answer(address)["status"] != "success")
    old = f"ip,status,source,message\n{unknown},failed,,old\n{unknown},ok,libloc,\n"
    result = sonde("upgrade", "-", input=old, env=simulator.env)
    assert result.lines[1].startswith(f"{unknown},unknown,,") and "old" not in result.lines[1]
    assert result.lines[2] == f"{unknown},ok,libloc,"


def test_the_order_is_kept_when_answers_come_in_another(sonde, simulator):
    simulator.control(batch_limit=None, faults=[{"fault": "delay", "seconds": 0.3, "probability": 0.3}])
    addresses = [f"5.{n // 250}.{n % 250}.9" for n in range(3000)]
    rows = [f"{a},{'failed,' if n % 3 else 'ok,ip-api'},{n}" for n, a in enumerate(addresses)]
    old = "ip,status,source,n\n" + "\n".join(rows) + "\n"
    result = sonde("upgrade", "-", input=old, env=simulator.env)
    new = list(csv.reader(io.StringIO(result.stdout.decode())))[1:]
    assert [(row[0], row[3]) for row in new] == [(a, str(n)) for n, a in enumerate(addresses)]
    assert {row[1] for row in new} <= {"ok", "unknown"}
    assert simulator.counts()["most_asked"] == 1


def test_the_books_balance_in_the_summary_of_the_events(sonde, simulator):
    rows = "8.8.8.8,ok,libloc\n1.1.1.1,ok,ip-api\nx,invalid,\n10.0.0.1,reserved,\n9.9.9.9,failed,\n9.9.9.9,failed,\n"
    sonde("upgrade", "-", "--events", "events", input="ip,status,source\n" + rows, env=simulator.env)
    summary = json.loads(sonde.read("events").splitlines()[-1])
    ends = ["duplicates", "ok", "unknown", "reserved", "invalid", "failed", "network_lost"]
    assert summary["entries"] == 6 == sum(summary[name] for name in ends)
    assert (summary["ok"], summary["upgradable"], summary["upgraded"]) == (4, 3, 3)
    assert summary["sources"] == {"ip-api": 4}
    assert simulator.counts()["most_asked"] == 1, "the same address was asked for twice in a request"


@pytest.mark.parametrize(
    "old, words",
    [
        (b"8.8.8.8\n1.1.1.1\n", "neither CSV nor TSV with a header"),
        (b"ip          status    source\n8.8.8.8     ok        libloc\n", "neither CSV nor TSV with a header"),
        (b"ip,status\n8.8.8.8,ok\n", "no column source"),
        (b"ip,status,source,ip\n8.8.8.8,ok,libloc,8.8.8.8\n", "ip stands there twice"),
        (b'{\n  "ip": "8.8.8.8"\n}\n', "jq -c"),
        (os.urandom(64).replace(b",", b"") + b"\n", "neither CSV nor TSV with a header"),
        (b"\xff\xfei\0p\0,\0", "has no column status and source"),
    ],
    ids=["list", "table", "columns", "twice", "pretty", "random", "utf-16"],
)
def test_what_is_no_file_of_records_is_said_and_no_output_is_touched(sonde, old, words):
    sonde.file("in", old)
    sonde.file("out", "precious")
    result = sonde("upgrade", "in", "-o", "out")
    assert result.status == 5 and words in result.stderr and "Traceback" not in result.stderr
    assert sonde.read("out") == b"precious"


@pytest.mark.parametrize("old", [b"", b"\n", b"ip,status,source", b"ip,status,source\r\n", b"[]", b"[\n]\n"])
def test_nothing_is_nothing(sonde, old):
    result = sonde("upgrade", "-", input=old)
    assert (result.stdout, result.status) == (old, 0)


def damaged(good, form):
    """Rows that are no records, among good ones."""
    lines = good.splitlines(keepends=True)
    long = b"x" * 10_000_000
    if form == "csv":
        bad = [b"8.8.8.8,failed\n", b"\0\xff,what,,\n", b'"' + long + b'\n",,\n']
    else:
        bad = [b'{"ip":"8.8.8.8","status":\n', b"\0\xff\n", b'{"ip":"' + long + b'"}\n', b"[1]\n"]
    return b"".join([lines[0], bad[0], *lines[1:3], *bad[1:], *lines[3:]])


@pytest.mark.parametrize("form", ["csv", "ndjson"])
def test_rows_that_are_no_records_are_copied_and_told(sonde, simulator, fallback, form):
    good = scan_without_provider(sonde, f"out.{form}", *fallback)
    bad = damaged(good, form)
    sonde.file(f"bad.{form}", bad)
    result = sonde("upgrade", f"bad.{form}", env=simulator.env)
    assert result.status == 5 and "line 2 is copied as it is" in result.stderr
    assert "4 of 4 rows upgraded" in result.stderr
    alone = sonde("upgrade", f"out.{form}", env=simulator.env)
    times = rb"\d{4}-\d\d-\d\dT[\d:]{8}Z"
    assert re.sub(times, b"", result.stdout) == re.sub(times, b"", damaged(alone.stdout, form))


@pytest.mark.parametrize("form", FORMS)
def test_cut_anywhere_it_is_upgraded_as_far_as_it_goes(sonde, simulator, fallback, form):
    simulator.control(batch_limit=None)
    whole = scan_without_provider(sonde, f"out.{form}", *fallback)
    for cut in range(200, len(whole) - 1, 61):
        result = sonde("upgrade", "-", input=whole[:cut], env=simulator.env)
        assert result.status in (0, 5)
        end = whole[:cut].splitlines(keepends=True)[-1]
        assert result.stdout.endswith(end) or result.status == 0


def test_an_array_that_breaks_is_copied_from_there_on(sonde, simulator):
    old = b'[{"ip":"8.8.8.8","status":"failed"},\n{"ip":"1.1.1.1","status":"failed"}\n{"ip":"9.9.9.9"}'
    result = sonde("upgrade", "-", "--fields", "ip,status,source", input=old, env=simulator.env)
    assert result.stdout == (
        b'[{"ip":"8.8.8.8","status":"ok","source":"ip-api"},\n'
        b'{"ip":"1.1.1.1","status":"ok","source":"ip-api"}\n{"ip":"9.9.9.9"}'
    )
    assert result.status == 5 and "line 3: a comma is missing" in result.stderr


def test_compressed_records_are_read(sonde, simulator, fallback):
    old = scan_without_provider(sonde, "out.csv", *fallback)
    sonde.file("out.csv.gz", gzip.compress(old))
    plain = sonde("upgrade", "out.csv", env=simulator.env)
    result = sonde("upgrade", "out.csv.gz", env=simulator.env)
    assert result.status == 0 and len(result.lines) == len(plain.lines)
    result = sonde("upgrade", "out.csv.gz", "-o", "out.csv.gz", env=simulator.env)
    assert result.status == 2 and "compressed" in result.stderr
    sonde.file("cut.csv.gz", gzip.compress(old)[:-9])
    result = sonde("upgrade", "cut.csv.gz", env=simulator.env)
    assert result.status == 5 and "cut short" in result.stderr


def test_the_form_is_kept(sonde, simulator, fallback):
    scan_without_provider(sonde, "out.csv", *fallback)
    assert sonde("upgrade", "out.csv", "-o", "out.json", env=simulator.env).status == 2
    assert not (sonde.work / "out.json").exists()
    assert sonde("upgrade", "out.csv", "--format", "json").status == 2
    assert sonde("upgrade", "out.csv", "-o", "new.csv", env=simulator.env).status == 0
    assert sonde("upgrade", "out.csv", "-o", "new.txt", env=simulator.env).status == 2
    assert not (sonde.work / "new.txt").exists()
    assert [len(sonde.read(name).splitlines()) for name in ("out.csv", "new.csv")] == [7, 7]


def test_a_spreadsheet_stays_safe(sonde, simulator):
    simulator.control(hostile=True)
    rows = "".join(f"5.0.0.{n},failed,,,,\n" for n in range(60))
    old = "ip,status,source,as_name,city,org\n" + rows
    result = sonde("upgrade", "-", "--spreadsheet", input=old, env=simulator.env)
    csv.field_size_limit(1 << 24)
    for row in csv.reader(io.StringIO(result.stdout.decode(), newline="")):
        assert not any(cell[:1] in "=+-@\t\r" for cell in row if cell)


def test_permissions_and_owner_stay_and_a_link_is_followed(sonde, simulator, fallback):
    scan_without_provider(sonde, "out.csv", *fallback)
    path = sonde.work / "out.csv"
    path.chmod(0o640)
    if os.geteuid() == 0:
        os.chown(path, 1234, 2345)
    before = path.stat()
    (sonde.work / "link.csv").symlink_to("out.csv")
    assert sonde("upgrade", "link.csv", "-o", "link.csv", env=simulator.env).status == 0
    after = path.stat()
    assert (sonde.work / "link.csv").is_symlink() and after.st_ino != before.st_ino
    assert stat.S_IMODE(after.st_mode) == 0o640
    assert (after.st_uid, after.st_gid) == (before.st_uid, before.st_gid)
    assert b"ip-api" in path.read_bytes()


def test_other_outputs_that_are_the_input_are_refused(sonde, simulator, fallback):
    old = scan_without_provider(sonde, "out.csv", *fallback)
    for options in (["--events", "out.csv"], ["-o", "out.csv", "--events", "out.csv"]):
        assert sonde("upgrade", "out.csv", *options, env=simulator.env).status == 2
    with open(sonde.work / "out.csv", "ab") as out:
        assert sonde("upgrade", "out.csv", stdout=out, env=simulator.env).status == 2
    assert sonde.read("out.csv") == old and simulator.counts()["total"] == 0


def test_what_a_scan_has_not_finished_is_not_replaced(sonde, simulator, fallback):
    old = scan_without_provider(sonde, "out.csv", *fallback)
    sonde.file("out.csv.journal", "")
    result = sonde("upgrade", "out.csv", "-o", "out.csv", env=simulator.env)
    assert result.status == 2 and "--resume" in result.stderr
    assert sonde.read("out.csv") == old
    assert sonde("upgrade", "out.csv", "-o", "new.csv", env=simulator.env).status == 0


@pytest.fixture
def slow_upgrade(sonde, simulator):
    """Starts an upgrade of 1,000 failed rows, and goes on when 200 of them are answered."""
    addresses = [f"5.{n // 250}.{n % 250}.9" for n in range(1000)]
    old = "ip,status,source,x\n" + "".join(f"{a},failed,,{n}\n" for n, a in enumerate(addresses))
    sonde.file("out.csv", old)

    def start(*options, name="out.csv"):
        simulator.control(window=600, batch_limit=2)
        running = sonde.start("upgrade", name, *options, env=simulator.env)
        deadline = time.monotonic() + 15
        while simulator.counts()["statuses"].get("200", 0) < 2 and time.monotonic() < deadline:
            time.sleep(0.02)
        time.sleep(0.3)
        return running

    start.old = old.encode()
    return start


@pytest.mark.parametrize("number, status", [(signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGHUP, 129)])
@pytest.mark.parametrize("output", ["out.csv", "new.csv"])
def test_interrupted_the_answers_are_kept_and_the_rest_stays(sonde, simulator, slow_upgrade, number, status, output):
    running = slow_upgrade("-o", output)
    running.signal(number)
    began = time.monotonic()
    assert running.finish(timeout=10).status == status
    assert time.monotonic() - began < 5
    new = sonde.read(output).splitlines()
    old = slow_upgrade.old.splitlines()
    changed = [n for n, (a, b) in enumerate(zip(old, new)) if a != b]
    assert len(new) == len(old) and changed == list(range(1, 201))
    assert not (sonde.work / "out.csv.upgrade").exists()
    simulator.control(window=60, batch_limit=None)
    # The windows are new ones, and so is the ledger.
    env = {**simulator.env, "XDG_STATE_HOME": str(sonde.work / "state")}
    assert sonde("upgrade", output, "-o", output, env=env).status == 0
    assert b"failed" not in sonde.read(output)
    assert simulator.counts()["most_asked"] == 1


def test_interrupted_on_standard_output_it_stops(sonde, slow_upgrade):
    running = slow_upgrade()
    running.signal(signal.SIGINT)
    result = running.finish(timeout=10)
    assert result.status == 130
    assert slow_upgrade.old.count(b"\n") == 1001 and 201 <= result.stdout.count(b"\n") <= 1001
    assert result.stdout.endswith(b"\n")


def test_killed_the_original_stays_and_the_next_run_goes_on(sonde, simulator, slow_upgrade):
    running = slow_upgrade("-o", "out.csv")
    running.signal(signal.SIGKILL)
    running.finish()
    assert sonde.read("out.csv") == slow_upgrade.old
    assert (sonde.work / "out.csv.upgrade").exists()
    simulator.control(window=60, batch_limit=None)
    # The window in which the killed one asked is not waited for.
    env = {**simulator.env, "XDG_STATE_HOME": str(sonde.home / "another")}
    assert sonde("upgrade", "out.csv", "-o", "out.csv", env=env).status == 0
    assert sorted(os.listdir(sonde.work)) == ["out.csv"] and b"failed" not in sonde.read("out.csv")


def test_two_at_once_on_one_file_are_refused(sonde, simulator, slow_upgrade):
    running = slow_upgrade("-o", "out.csv")
    result = sonde("upgrade", "out.csv", "-o", "out.csv", env=simulator.env)
    assert result.status == 5 and "another" in result.stderr
    running.signal(signal.SIGINT)
    assert running.finish().status == 130
    assert sonde.read("out.csv").count(b"\n") == 1001


def test_a_file_that_changes_meanwhile_is_not_overwritten(sonde, slow_upgrade):
    running = slow_upgrade("-o", "out.csv")
    sonde.file("out.csv", "mine\n")
    running.signal(signal.SIGINT)
    result = running.finish()
    assert sonde.read("out.csv") == b"mine\n" and "changed meanwhile" in result.stderr


def test_no_room_on_the_disk_leaves_the_file_alone(sonde, simulator, fallback):
    old = scan_without_provider(sonde, "out.csv", *fallback)
    limited = ["sh", "-c", 'ulimit -f 0; trap "" XFSZ; exec "$@"', "-"]
    result = sonde("upgrade", "out.csv", "-o", "out.csv", env=simulator.env, prefix=limited)
    assert result.status == 5 and sonde.read("out.csv") == old
    assert not (sonde.work / "out.csv.upgrade").exists()


def test_a_provider_that_refuses_ends_with_4(sonde, simulator, fallback):
    simulator.control(faults=[{"fault": "forbidden_json"}])
    old = scan_without_provider(sonde, "out.csv", *fallback)
    result = sonde("upgrade", "out.csv", env=simulator.env)
    assert (result.stdout, result.status) == (old, 4)


def test_requests_are_limited_and_the_rest_is_left_for_another_day(sonde, simulator):
    known = [a for a in (f"5.0.{n // 250}.{n % 250}" for n in range(400)) if answer(a).get("country")]
    old = "ip,status,source\n" + "".join(f"{address},ok,libloc\n" for address in known[:250])
    sonde.file("out.csv", old)
    statuses = []
    for _ in range(3):
        options = ["--provider", "ip-api", "--max-requests", "1", "-o", "out.csv"]
        statuses.append(sonde("upgrade", "out.csv", *options, env=simulator.env).status)
    assert statuses == [1, 1, 0]
    assert simulator.counts()["most_asked"] == 1


def test_a_closed_standard_output_is_the_reader_being_satisfied(sonde):
    rows = "".join(f"8.{n >> 16}.{n >> 8 & 255}.{n & 255},ok,ip-api\n" for n in range(400_000))
    name = sonde.file("in.csv", "ip,status,source\n" + rows)
    process = subprocess.Popen(
        sonde.command(["upgrade", name]), stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        env=sonde.environment(), cwd=sonde.work,
    )
    assert process.stdout.readline() == b"ip,status,source\n"
    process.stdout.close()
    assert process.stderr.read() == b"" and process.wait(20) == 0


@skip_unless_allowed()
def test_without_a_network_it_ends_with_3_and_every_row_stays(sonde, fallback):
    old = scan_without_provider(sonde, "out.csv", *fallback)
    namespace = Namespace("alone")
    try:
        options = ["--offline-timeout", "300ms", "-o", "out.csv"]
        env = {"SONDE_IP_API_URL": "http://203.0.113.5:8080"}
        result = sonde("upgrade", "out.csv", *options, env=env, prefix=namespace.prefix)
    finally:
        namespace.close()
    assert result.status == 3 and "network lost" in result.stderr
    assert sonde.read("out.csv") == old
