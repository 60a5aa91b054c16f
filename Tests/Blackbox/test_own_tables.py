"""`--with own=FILE`: a table of one's own networks adds columns; `ipaddress` says which network it is."""

import bz2
import csv
import gzip
import io
import ipaddress
import json
import lzma
import random
import signal
import sqlite3

import pytest
from command import wait_for

NETS = '''network,team,site
10.0.0.0/8,,head office
10.1.0.0/16,net,
10.1.2.3,db,"rack 1, left"
192.0.2.77/24,"the ""lab""",x
2001:db8::/32,six,
8.8.8.0/24,dns,away
'''
LIST = "8.8.8.8\n10.1.2.3\n10.1.9.9\n10.9.9.9\n192.0.2.1\n2001:db8::1\n1.1.1.1\nnonsense\n"
FOUND = {
    "8.8.8.8": ("8.8.8.0/24", "dns", "away"),
    "10.1.2.3": ("10.1.2.3/32", "db", "rack 1, left"),
    "10.1.9.9": ("10.1.0.0/16", "net", ""),
    "10.9.9.9": ("10.0.0.0/8", "", "head office"),
    "192.0.2.1": ("192.0.2.0/24", 'the "lab"', "x"),
    "2001:db8::1": ("2001:db8::/32", "six", ""),
    "1.1.1.1": ("", "", ""),
    "nonsense": ("", "", ""),
}
NAMES = ["own_network", "own_team", "own_site"]


@pytest.fixture
def nets(sonde):
    """The path of the table."""
    return sonde.file("nets.csv", NETS)


def added(record):
    return tuple(record.get(name) or "" for name in NAMES)


@pytest.mark.parametrize("form", ["csv", "tsv", "ndjson", "json", "geojson", "sqlite"])
@pytest.mark.parametrize("command", ["check", "scan"])
def test_every_form_has_the_columns_behind_all_others(sonde, simulator, nets, command, form):
    result = sonde(
        command, "--with", "own=nets.csv", "--format", form, "-o", "out", input=LIST, env=simulator.env
    )
    assert result.status == (1 if command == "check" else 0), result.stderr
    if form in ("csv", "tsv"):
        quoting = {"delimiter": "\t", "quoting": csv.QUOTE_NONE} if form == "tsv" else {}
        reader = csv.DictReader(io.StringIO(sonde.read("out").decode()), **quoting)
        rows = list(reader)
        assert reader.fieldnames[-4:] == ["line", *NAMES]
    elif form == "sqlite":
        base = sqlite3.connect(sonde.work / "out")
        base.row_factory = sqlite3.Row
        rows = [dict(row) for row in base.execute("SELECT * FROM records")]
        assert list(rows[0])[-4:] == ["line", *NAMES]
    elif form == "ndjson":
        rows = [json.loads(line) for line in sonde.read("out").splitlines()]
    else:
        document = json.loads(sonde.read("out"))
        rows = [item["properties"] for item in document["features"]] if form == "geojson" else document
    assert {row["ip"]: added(row) for row in rows} == FOUND
    assert rows[1]["status"] == rows[4]["status"] == "reserved"
    if form == "ndjson":
        assert list(rows[1])[-2:] == ["own_team", "own_site"] and "own_site" not in rows[2]


def test_fields_may_name_them(sonde, nets):
    one = sonde("check", "--with", "own=nets.csv", "--format", "csv", "--fields", "own_team,ip", "10.1.2.3")
    assert one.stdout == b"own_team,ip\ndb,10.1.2.3\n"
    more = sonde("check", "--with", "own=nets.csv", "--format", "csv", "--fields", "+input", "10.1.2.3")
    assert more.stdout.splitlines()[0].endswith(b",line,input,own_network,own_team,own_site")
    unknown = sonde("check", "--with", "own=nets.csv", "--fields", "ip,own_tean", "10.1.2.3")
    assert unknown.status == 2
    assert "own_tean" in unknown.stderr and "own_network, own_team, own_site" in unknown.stderr
    without = sonde("check", "--fields", "own_team", "10.1.2.3")
    assert without.status == 2 and "without --with own=FILE" in without.stderr


def test_a_person_sees_them(sonde, simulator, nets):
    lookup = sonde.pty("lookup", "--with", "own=nets.csv", "8.8.8.8", env=simulator.env)
    assert lookup.status == 0
    assert any(line.split() == ["own", "team", "dns"] for line in lookup.lines)
    table = sonde.pty(
        "check", "--with", "own=nets.csv", "8.8.8.8", "10.1.2.3", env=simulator.env, width=160
    )
    assert "own_team" in table.lines[0] and "dns" in table.lines[1] and "rack 1, left" in table.lines[2]


@pytest.mark.parametrize("name", ["network", "CIDR", "prefix", "subnet", "ip"])
def test_the_usual_names_of_the_key(sonde, name):
    sonde.file("nets.tsv", f"team\t{name}\nnet\t10.0.0.0/8\n")
    result = sonde("check", "--with", "own=nets.tsv", "--fields", "own_network,own_team", "10.1.1.1")
    assert result.records == [{"own_network": "10.0.0.0/8", "own_team": "net"}]


def test_another_key(sonde):
    sonde.file("a,key=b.csv", "team;block;network\nnet;10.0.0.5/8;lan\n")
    result = sonde("check", "--with", "own=a,key=b.csv,key=block", "10.1.1.1")
    assert result.status == 2 and "'network' would stand there twice" in result.stderr
    sonde.file("b.csv", "team;block\nnet;10.0.0.5/8\n")
    result = sonde("check", "--with", "own=b.csv,key=BLOCK", "--fields", "own_network,own_team", "10.1.1.1")
    assert result.records == [{"own_network": "10.0.0.0/8", "own_team": "net"}]
    result = sonde("check", "--with", "own=b.csv,key=blok", "10.1.1.1")
    assert result.status == 2 and "'team', 'block'" in result.stderr


@pytest.mark.parametrize("pack", [bytes, gzip.compress, bz2.compress, lzma.compress])
def test_a_bare_list_also_compressed(sonde, pack):
    text = "\ufeff# ours\n\n10.0.0.0/8 # all\r\n192.0.2.1\n2001:db8::-2001:db8::ffff\n"
    sonde.file("ours", pack(text.encode()))
    listing = "10.1.1.1\n192.0.2.1\n192.0.2.2\n2001:db8::ab\n"
    result = sonde("check", "--with", "own=ours", "--fields", "ip,own_network", input=listing)
    assert [record.get("own_network") for record in result.records] == [
        "10.0.0.0/8", "192.0.2.1/32", None, "2001:db8::/112",
    ]


def test_equal_prefixes_are_joined(sonde):
    sonde.file("nets.csv", "prefix,a,b\n9.0.0.0/8,AMAZON,\n9.1.2.3/8,S3,eu\n9.0.0.0/8,AMAZON,us\n9.0.0.0/8,,eu\n")
    result = sonde("check", "--with", "own=nets.csv", "--fields", "own_a,own_b", "9.9.9.9")
    assert result.records == [{"own_a": "AMAZON|S3", "own_b": "eu|us"}]


BAD = {
    "not a network": ("network,team\n10.0.0.0/8,a\n10.0.0.300,b\n", "line 3"),
    "not a network of a list": ("10.0.0.0/8\n\n10.0.0.0/33\n", "line 3: column"),
    "a range backwards": ("start,end\n10.0.0.9,10.0.0.1\n", "line 2: the range 10.0.0.9-10.0.0.1 ends before it begins"),
    "a range of two families": ("start,end\n10.0.0.9,::1\n", "line 2: the range 10.0.0.9-::1 has ends of two families"),
    "a range of blocks": ("start,end\n10.0.0.9,10.0.0.0/8\n", "line 2: the end 10.0.0.0/8 of its range is no address"),
    "no AS number": ("asn,name\nAS1x,y\n", "line 2: 'AS1x' is no AS number"),
    "too few cells": ('network,team\n"10.0.0.0/8","a\nb"\n10.0.0.0/9\n', "line 4: has 1 cell,"),
    "too many cells": ("network,team\n10.0.0.0/8,a,b\n", "line 2: has 3 cells"),
    "no network": ("network,team\n ,a\n", "line 2: has no network"),
    "no header": ("a,10.0.0.0/8\n", "line 1: is neither"),
    "no key": ("team,site\nx,y\n", "line 1"),
    "open quotes": ('network,team\n10.0.0.0/8,"a\n', "line 2: the quotes"),
    "doubled column": ("network,Team,team\n", "line 1: the column 'team' would stand there twice"),
    "column without a name": ("network,,team\n", "line 1: the column 2 has no name"),
    "another JSON": ('{"a": 1}\n', "is JSON without a network"),
    "a range backwards in JSON": ('{"ip":"1.1.1.1"}\n{"start":"10.0.0.9","end":"10.0.0.1"}\n', "line 2: the range 10.0.0.9-10.0.0.1 ends before it begins"),
    "JSON with a doubled column": ('[{"ip":"1.1.1.1","a.b":1,"c":{"ip":"1.1.1.2","a b":2}}]', "'a.b' and 'a b' would be the same column"),
    "JSON with a column of another case": ('{"ip":"1.1.1.1","A":1}\n{"ip":"1.1.1.2","a":2}\n', "'A' and 'a' would be the same column"),
    "JSON with many columns": (json.dumps({"ip": "1.1.1.1", **{f"c{n}": n for n in range(201)}}), "has 201 columns: name at most 200 of them"),
}


@pytest.mark.parametrize("text, words", BAD.values(), ids=BAD)
def test_a_bad_row_is_told_with_its_line(sonde, text, words):
    sonde.file("nets.csv", text)
    sonde.file("old.ndjson", "kept")
    result = sonde("scan", "--with", "own=nets.csv", "-o", "old.ndjson", "10.1.1.1")
    separator = "," if words.startswith("line ") else ":"
    assert result.status == 2 and f"nets.csv{separator} {words}" in result.stderr
    assert sonde.read("old.ndjson") == b"kept"


@pytest.mark.parametrize("value", ["", "own", "own=", "own=x,key=", "Own=x", "aws=x", "city=x", "vpn=x", "9a=x", "a-b=x", f"{'a' * 33}=x"])
def test_a_source_is_named_as_it_should_be(sonde, value):
    result = sonde("check", "--with", value, "10.1.1.1")
    assert result.status == 2 and "expected NAME=FILE, aws" in result.stderr


def test_what_cannot_be_used(sonde, nets):
    missing = sonde("check", "--with", "own=none.csv", "10.1.1.1")
    assert missing.status == 2 and "none.csv: No such file" in missing.stderr
    twice = sonde("check", "--with", "own=nets.csv", "--with", "own=nets.csv", "10.1.1.1")
    assert twice.status == 2 and "own stands there twice: give the second table another name" in twice.stderr
    twice = sonde("scan", "8.8.8.8", "--with", "names", "--with", "names")
    assert twice.status == 2 and "--with names stands there twice\n" in twice.stderr
    output = sonde("check", "--with", "own=nets.csv", "-o", "nets.csv", "--format", "csv", "10.1.1.1")
    assert output.status == 2 and "is also a table" in output.stderr
    assert sonde.read("nets.csv") == NETS.encode()
    elsewhere = sonde("cache", "stats", "--with", "own=nets.csv")
    assert elsewhere.status == 2


def test_brackets_gain_values_but_no_networks(sonde, simulator, nets):
    log = "8.8.8.8 a\n10.1.2.3 b\n10.200.0.1 c\n1.1.1.1 d\n192.168.1.1 e\n"
    result = sonde("annotate", "--with", "own=nets.csv", input=log, env=simulator.env)
    lines = result.stdout.decode().splitlines()
    assert lines[0].endswith(", dns, away] a")
    assert lines[1:3] == [
        "10.1.2.3 [Private-Use, db, rack 1, left] b", "10.200.0.1 [Private-Use, head office] c",
    ]
    assert "dns" not in lines[3] and lines[4] == "192.168.1.1 [Private-Use] e"
    picked = sonde(
        "annotate", "--with", "own=nets.csv", "--fields", "own_network,own_team", input=log, env=simulator.env
    )
    assert picked.stdout.decode().splitlines()[:2] == [
        "8.8.8.8 [8.8.8.0/24, dns] a", "10.1.2.3 [Private-Use, 10.1.2.3/32, db] b",
    ]


def test_json_and_columns_gain_all(sonde, simulator, nets):
    line = sonde(
        "annotate", "--style", "json", "--with", "own=nets.csv", input='{"a":"10.1.2.3"}\n', env=simulator.env
    )
    assert added(json.loads(line.stdout)["sonde"]["/a"]) == FOUND["10.1.2.3"]
    table = sonde(
        "annotate", "--style", "columns", "--with", "own=nets.csv", input="ip,x\n10.1.2.3,1\n1.1.1.1,2\n",
        env=simulator.env,
    )
    rows = list(csv.DictReader(io.StringIO(table.stdout.decode())))
    assert [tuple(row["ip_" + name] for name in NAMES) for row in rows] == [FOUND["10.1.2.3"], FOUND["1.1.1.1"]]


@pytest.mark.parametrize("form", ["csv", "ndjson", "sqlite"])
def test_upgraded_rows_have_the_values_of_now(sonde, simulator, nets, loc_database, form):
    sonde("scan", "--provider", "local", "--database", loc_database, "--with", "own=nets.csv", "-o", f"a.{form}", input=LIST)
    sonde.file("nets.csv", NETS.replace("dns,away", "names,home"))
    result = sonde("upgrade", "--with", "own=nets.csv", f"a.{form}", "-o", f"b.{form}", env=simulator.env)
    assert result.status == 0, result.stderr
    if form == "csv":
        rows = list(csv.DictReader(io.StringIO(sonde.read("b.csv").decode())))
    elif form == "ndjson":
        rows = [json.loads(line) for line in sonde.read("b.ndjson").splitlines()]
    else:
        base = sqlite3.connect(sonde.work / "b.sqlite")
        base.row_factory = sqlite3.Row
        rows = [dict(row) for row in base.execute("SELECT * FROM records")]
    assert rows[0]["source"] == "ip-api" and added(rows[0]) == ("8.8.8.0/24", "names", "home")
    assert added(rows[1]) == FOUND["10.1.2.3"]


@pytest.mark.parametrize("is_same", [False, True])
@pytest.mark.parametrize("form", ["csv", "tsv", "ndjson", "json", "sqlite"])
def test_rows_of_a_scan_without_the_table_gain_its_columns(sonde, simulator, nets, form, is_same):
    sonde("scan", "-o", f"a.{form}", input=LIST, env=simulator.env)
    asked = simulator.counts()["total"]
    target = f"a.{form}" if is_same else f"b.{form}"
    upgrade = ["upgrade", "--with", "own=nets.csv", f"a.{form}", "-o", target]
    result = sonde(*upgrade, env=simulator.env)
    assert result.status == 0, result.stderr
    assert simulator.counts()["total"] == asked, "nobody was asked"
    if form in ("csv", "tsv"):
        quoting = {"delimiter": "\t", "quoting": csv.QUOTE_NONE} if form == "tsv" else {}
        reader = csv.DictReader(io.StringIO(sonde.read(target).decode()), **quoting)
        rows = list(reader)
        assert reader.fieldnames[-4:] == ["line", *NAMES] and None not in {key for row in rows for key in row}
    elif form == "sqlite":
        base = sqlite3.connect(sonde.work / target)
        base.row_factory = sqlite3.Row
        rows = [dict(row) for row in base.execute("SELECT * FROM records")]
    else:
        text = sonde.read(target)
        rows = json.loads(text) if form == "json" else [json.loads(line) for line in text.splitlines()]
    assert {row["ip"]: added(row) for row in rows} == FOUND


def test_rows_gain_columns_without_any_provider(sonde, simulator, nets, loc_database):
    local = ["--provider", "local", "--database", loc_database]
    before = sonde("scan", *local, "--format", "csv", "--fields", "ip,status,source", input=LIST)
    old = before.stdout.decode().replace("1.1.1.1,ok,libloc", "1.1.1.1,network_lost,")
    upgrade = ["upgrade", *local, "--with", "own=nets.csv", "-"]
    result = sonde(*upgrade, input=old, env=simulator.env)
    assert result.status == 0, result.stderr
    rows = list(csv.DictReader(io.StringIO(result.stdout.decode())))
    assert {row["ip"]: added(row) for row in rows} == FOUND
    assert {row["source"] for row in rows} == {"libloc", ""} and simulator.counts()["total"] == 0
    alone = sonde("upgrade", *local, "-", input=old)
    assert alone.status == 2 and "with --with" in alone.stderr


@pytest.mark.parametrize("form", ["csv", "tsv", "sqlite"])
def test_a_column_that_a_table_gained_is_filled(sonde, simulator, nets, form):
    sonde("scan", "--with", "own=nets.csv", "-o", f"a.{form}", input=LIST, env=simulator.env)
    lines = NETS.splitlines()
    sonde.file("nets.csv", "\n".join([lines[0] + ",rank", *(line + ",7" for line in lines[1:])]))
    result = sonde("upgrade", "--with", "own=nets.csv", f"a.{form}", "-o", f"b.{form}", env=simulator.env)
    assert result.status == 0, result.stderr
    if form == "sqlite":
        base = sqlite3.connect(sonde.work / "b.sqlite")
        base.row_factory = sqlite3.Row
        rows = [dict(row) for row in base.execute("SELECT * FROM records")]
    else:
        quoting = {"delimiter": "\t", "quoting": csv.QUOTE_NONE} if form == "tsv" else {}
        rows = list(csv.DictReader(io.StringIO(sonde.read(f"b.{form}").decode()), **quoting))
    assert {row["ip"]: added(row) for row in rows} == FOUND
    assert all((row["own_rank"] or "") == ("7" if FOUND[row["ip"]][0] else "") for row in rows)


@pytest.mark.parametrize("form", ["csv", "tsv", "ndjson", "json"])
@pytest.mark.parametrize("column", ["cost-center", "über (x)", "Ort, Raum", 'the "lab"', "x" * 80])
def test_a_column_may_have_any_name_and_its_records_are_told(sonde, simulator, form, column):
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows([["network", column], ["8.8.8.0/24", "dns"]])
    sonde.file("nets.csv", text.getvalue())
    sonde("scan", "--with", "own=nets.csv", "-o", f"a.{form}", "8.8.8.8", "1.1.1.1", env=simulator.env)
    asked = simulator.counts()["total"]
    result = sonde("summary", f"a.{form}", "--tables", "address", "--format", "ndjson", env=simulator.env)
    assert "2 records counted" in result.stderr and {row["key"] for row in result.records} == {"8.8.8.8", "1.1.1.1"}
    again = sonde("upgrade", "--with", "own=nets.csv", f"a.{form}", env=simulator.env)
    assert again.stdout == sonde.read(f"a.{form}")
    assert simulator.counts()["total"] == asked, "somebody was asked"


def test_what_is_set_for_all_commands_is_for_those_that_ask(sonde, nets):
    sonde.config_file.write_text("with = own=nets.csv\nwith = names\n")
    result = sonde("check", "--fields", "ip,own_team", "8.8.8.8")
    assert (result.status, result.records) == (0, [{"ip": "8.8.8.8", "own_team": "dns"}])
    named = sonde("check", "--with", "names", "8.8.8.8")
    assert named.status == 2 and "check asks nobody else" in named.stderr


def test_the_list_of_fields_has_those_of_sources(sonde, nets):
    text = sonde("scan", "--fields", "help").stdout.decode()
    for line in ["NAME=FILE       NAME_network, NAME_COLUMN", "names           ptr, ptr_status"]:
        assert f"  {line}\n" in text
    for name, option in [("aws_region", "aws"), ("azure_network", "azure=FILE"), ("ptr", "names")]:
        missing = sonde("scan", "--with", "own=nets.csv", "--fields", f"ip,{name}", "8.8.8.8")
        assert missing.status == 2 and f"no column '{name}' without --with {option}\n" in missing.stderr


@pytest.mark.parametrize("name", ["out.csv", "out.sqlite"])
def test_a_killed_scan_is_resumed_with_the_same_table_alone(sonde, simulator, nets, name):
    listing = "".join(f"8.8.{n // 250}.{n % 250}\n10.1.2.{n % 250}\n" for n in range(1500))
    sonde.file("list.txt", listing)
    scan = ["scan", "--provider", "ip-api", "--no-cache", "--concurrency", "1", "list.txt"]
    simulator.control(batch_limit=100_000)
    assert sonde(*scan, "--with", "own=nets.csv", "-o", "whole.csv", env=simulator.env).status == 0
    simulator.control(batch_limit=100_000, latency=0.1)
    running = sonde.start(*scan, "--with", "own=nets.csv", "-o", name, env=simulator.env)
    wait_for(lambda: sum(simulator.counts()["requests"].values()) > 5)
    running.signal(signal.SIGKILL)
    running.finish()
    sonde.file("other.csv", NETS)
    for change in ([], ["--with", "own=other.csv"], ["--with", "own=nets.csv,key=network"]):
        refused = sonde(*scan, "-o", name, "--resume", *change, env=simulator.env)
        assert refused.status == 2 and "another --with: it was 'own=" in refused.stderr
    result = sonde(*scan, "--with", "own=nets.csv", "-o", name, "--resume", env=simulator.env)
    assert result.status == 0
    whole = list(csv.reader(io.StringIO(sonde.read("whole.csv").decode())))
    if name == "out.csv":
        rows = list(csv.reader(io.StringIO(sonde.read(name).decode())))[1:]
    else:
        base = sqlite3.connect(sonde.work / name)
        rows = [["" if cell is None else str(cell) for cell in row] for row in base.execute("SELECT * FROM records")]
    assert [(row[0], row[-3:]) for row in rows] == [(row[0], row[-3:]) for row in whole[1:]]


def networks(chooser, count):
    """Networks of both families that lie in one another, with their host bits left in."""
    for _ in range(count):
        if chooser.random() < 0.6:
            base, bits, kind = 0x0A000000, 32, ipaddress.IPv4Address
            number = base | chooser.getrandbits(12) << chooser.choice([0, 6, 12])
        else:
            base, bits, kind = 0x20010DB8 << 96, 128, ipaddress.IPv6Address
            number = base | chooser.getrandbits(10) << chooser.choice([0, 40, 80])
        length = chooser.choice([bits, chooser.randint(8, bits), chooser.randint(0, bits)])
        yield f"{kind(number)}/{length}" if length < bits or chooser.random() < 0.5 else str(kind(number))


def longest(address, rows):
    """The longest prefix that holds an address, and the values of all rows with it."""
    holding = [network for network in rows if network.version == address.version and address in network]
    if not holding:
        return None
    best = max(holding, key=lambda network: network.prefixlen)
    values = dict.fromkeys(value for value in rows[best] if value)
    return str(best), "|".join(values)


@pytest.mark.parametrize("seed", range(4))
def test_a_table_at_random_agrees_with_ipaddress(sonde, seed):
    chooser = random.Random(seed)
    lines = [(text, chooser.choice(["", "a", "b", "c,d", 'e"f'])) for text in networks(chooser, 400)]
    table = io.StringIO()
    writer = csv.writer(table)
    writer.writerows([("value", "prefix"), *((value, text) for text, value in lines)])
    sonde.file("nets.csv", table.getvalue())
    rows = {}
    for text, value in lines:
        rows.setdefault(ipaddress.ip_network(text, strict=False), []).append(value)
    asked = {}
    for network in rows:
        for number in (int(network[0]) - 1, int(network[0]), int(network[-1]), int(network[-1]) + 1):
            kind = type(network[0])
            if 0 <= number < 1 << network.max_prefixlen:
                asked[str(kind(number))] = kind(number)
    asked = {str(getattr(value, "ipv4_mapped", None) or value): value for value in asked.values()}
    result = sonde("check", "--with", "own=nets.csv", "--fields", "ip,own_network,own_value", input="\n".join(asked))
    wrong = []
    for record in result.records:
        wanted = longest(ipaddress.ip_address(record["ip"]), rows)
        found = (record["own_network"], record.get("own_value", "")) if "own_network" in record else None
        if found != wanted:
            wrong.append((record["ip"], found, wanted))
    assert wrong[:5] == [] and len(result.records) == len(asked) > 500
