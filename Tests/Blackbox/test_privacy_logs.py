"""`--anonymize` of `annotate` and `summary`: lines, tables and pages hold no address of the inputs."""

import csv
import io
import ipaddress
import json
import re

import pytest
from marked import MARKED, content, revealed, spellings, write_key

LOG = "".join(f'[{text}]:80 - - "GET /?next={text} HTTP/1.1" [{text}]\n' for a in MARKED for text in spellings(a))
LINES = "".join(
    json.dumps({"ip": text, "list": f"{text}, unknown", text: 1, "text": f"from {text} on"}) + "\n"
    + json.dumps({"ip": text}).replace("2", "\\u0032") + "\n"
    + f'{{"broken": "{text}"\n'
    for a in MARKED
    for text in spellings(a)
)
TABLE = "ip,note\n" + "".join(
    f'{text},seen {text}\n"[{text}]:80",x\nbad {text},y\n{text},more,cells\n' for a in MARKED for text in spellings(a)
)
STYLES = {"brackets": LOG, "json": LINES, "columns": TABLE}


@pytest.fixture(params=["truncate", "pseudonym"])
def anonymize(request, sonde):
    return ["--anonymize", "truncate"] if request.param == "truncate" else write_key(sonde)


@pytest.fixture
def local(loc_database):
    return ["--provider", "local", "--database", loc_database, "--no-cache"]


def assert_private(result):
    assert revealed(result.stdout) == []
    assert revealed(result.stderr.encode()) == []


@pytest.mark.parametrize("fields", [[], ["--fields", "+network,+ip"], ["--only-matching"]], ids=str)
@pytest.mark.parametrize("style", STYLES)
def test_no_line_holds_an_address(sonde, local, anonymize, style, fields):
    if style == "columns" and "--fields" in fields:
        fields = ["--fields", "+network"]
    sonde.file("in", STYLES[style])
    result = sonde("annotate", "in", "--style", style, *local, *anonymize, *fields, "--events", "events")
    assert result.status == 0, result.stderr
    assert result.stdout
    assert_private(result)
    assert revealed(sonde.read("events")) == []
    if "--only-matching" not in fields:
        assert result.stdout.count(b"\n") == STYLES[style].count("\n")


@pytest.mark.parametrize("style", STYLES)
def test_lines_of_a_provider_over_the_network_hold_no_address(sonde, simulator, anonymize, style):
    simulator.control(batch_limit=100_000)
    sonde.file("in", STYLES[style])
    result = sonde("annotate", "in", "--style", style, "--provider", "ip-api", *anonymize, env=simulator.env)
    assert result.status == 0, result.stderr
    assert_private(result)
    assert "--no-cache keeps none there" in result.stderr


@pytest.mark.parametrize("style", STYLES)
def test_late_lines_hold_no_address(sonde, simulator, anonymize, style):
    simulator.control(faults=[{"fault": "hang"}])
    sonde.file("in", STYLES[style])
    options = ["--provider", "ip-api", "--no-cache", "--wait", "0.1", "--timeout", "1", "--retries", "0"]
    result = sonde("annotate", "in", "--style", style, *options, *anonymize, env=simulator.env)
    assert result.stdout.count(b"\n") == STYLES[style].count("\n")
    assert_private(result)


@pytest.mark.parametrize(
    "more",
    [
        ["--style", "end"],
        ["--fields", "none"],
        ["--where", "ip in (0.0.0.0/0, ::/0) and not country_code = XX"],
        ["--style", "json", "--inside"],
    ],
    ids=" ".join,
)
def test_no_line_holds_an_address_whatever_is_inserted(sonde, local, anonymize, more):
    hidden = [json.dumps({"text": f"from {text} on"}).replace("2", "\\u0032") for a in MARKED for text in spellings(a)]
    sonde.file("in", LINES + "\n".join(hidden) + "\n" if "json" in more else LOG)
    result = sonde("annotate", "in", *more, *local, *anonymize)
    assert result.status == 0, result.stderr
    assert result.stdout
    decoded = result.stdout.replace(b"\\u0032", b"2")
    assert revealed(decoded) == []
    assert_private(result)


def test_only_addresses_change_in_a_line(sonde, local):
    line = b"a\xff 23.45.67.89:53, [2001:db8:1:2::3]:443\t\x00 fe80::1%eth0| x8.8.8.8 \r\nno\nlast 23.45.67.90"
    sonde.file("in", line)
    result = sonde("annotate", "in", "--anonymize", "truncate", *local)
    shown = re.sub(rb" \[[^\[\]]*\](?=[:, |\]]|$)", b"", result.stdout)
    assert shown == b"a\xff 23.45.67.0:53, [2001:db8:1::]:443\t\x00 fe80::| x8.8.8.8 \r\nno\nlast 23.45.67.0"


def test_json_keeps_ports_lists_and_other_strings(sonde, local):
    lines = r'{"a":"\u0032\u0033.45.67.89:80, unknown","b":"4000::1","c":"[4000::1]:443","23.45.67.1":"say \"4000::1\""}'
    sonde.file("in", lines + "\n")
    result = sonde("annotate", "in", "--style", "json", "--fields", "ip", "--anonymize", "truncate", *local)
    assert result.stdout.decode() == (
        r'{"a":"23.45.67.0:80, unknown","b":"4000::","c":"[4000::]:443","23.45.67.0":"say \"4000::1\""'
        ',"sonde":{"/a":[{"ip":"23.45.67.0"},null],"/b":{"ip":"4000::"},"/c":{"ip":"4000::"}}}\n'
    )


def test_a_line_that_is_too_long_is_left_out(sonde, local):
    long = b"23.45.67.89 " * ((16 << 20) // 12 + 10)
    sonde.file("in", b"first 23.45.67.1\n" + long + b"\nlast 23.45.67.2\n")
    result = sonde("annotate", "in", "--anonymize", "truncate", *local)
    assert result.status == 1
    assert [line.split(b" [")[0] for line in result.stdout.splitlines()] == [b"first 23.45.67.0", b"last 23.45.67.0"]
    assert "1 line left out: it is longer than 16 MiB" in result.stderr


def test_an_output_file_and_its_draft_hold_no_address(sonde, local, anonymize):
    sonde.file("in", LOG)
    result = sonde("annotate", "in", "-o", "out.log.gz", *local, *anonymize)
    assert result.status == 0, result.stderr
    assert revealed(content(sonde.work / "out.log.gz")) == []


@pytest.mark.parametrize("form", ["table", "csv", "tsv", "ndjson", "json"])
@pytest.mark.parametrize("more", [[], ["--by", "ip,network"]], ids=str)
def test_no_table_holds_an_address(sonde, local, anonymize, form, more):
    sonde.file("in 23.45.67.89", LOG)
    arguments = ["summary", "in 23.45.67.89", "--format", form, "--top", "0", *more, "--html", "page.html"]
    result = sonde(*arguments, *local, *anonymize, "--events", "events")
    assert result.status == 0, result.stderr
    assert_private(result)
    for name in ["page.html", "events"]:
        assert revealed(sonde.read(name)) == []


def test_rows_that_become_the_same_are_one_with_the_true_number(sonde, local):
    lines = ["23.45.67.1"] * 3 + ["23.45.67.2"] * 2 + ["23.45.68.1"] * 4
    sonde.file("in", "".join(f"{each}\n" for each in lines))
    arguments = ["summary", "in", "--log", "--format", "csv", "--top", "1", "--anonymize", "truncate", *local]
    rows = list(csv.DictReader(io.StringIO(sonde(*arguments, "--tables", "address").stdout.decode())))
    assert [(row["key"], row["addresses"], row["hits"]) for row in rows] == [("23.45.67.0", "2", "5")]
    rows = list(csv.DictReader(io.StringIO(sonde(*arguments, "--by", "ip").stdout.decode())))
    assert [(row["ip"], row["addresses"], row["hits"]) for row in rows] == [("23.45.67.0", "2", "5")]


def test_records_are_counted_under_their_pseudonyms(sonde, local):
    sonde.file("in", "".join(f"{each}\n" for each in MARKED))
    plain = sonde("summary", "in", "--log", "--format", "ndjson", "--top", "0", *local).records
    hidden = sonde("summary", "in", "--log", "--format", "ndjson", "--top", "0", *local, *write_key(sonde)).records
    assert [row for row in plain if row["table"] != "address"] == [row for row in hidden if row["table"] != "address"]
    addresses = [row["key"] for row in hidden if row["table"] == "address"]
    back = sonde("check", "--anonymize", "reveal", "--anonymize-key", "key", input="\n".join(addresses) + "\n")
    assert sorted(each["ip"] for each in back.records) == sorted(str(ipaddress.ip_address(a)) for a in MARKED)
