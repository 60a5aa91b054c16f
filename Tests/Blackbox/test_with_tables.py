"""`--with NAME=FILE`: tables of any form under any name, and MMDBs; `ipaddress` says what they hold."""

import csv
import ipaddress
import json
import random
import sqlite3

import mmdb
import pytest

IPV4, MAPPED = 2**32, 0xFFFF << 32


def added(sonde, source, *addresses, name="t"):
    """The added values of each address, without the prefix of their names."""
    result = sonde("check", "--with", f"{name}={source}", "--format", "ndjson", input="\n".join(addresses))
    assert result.status == 0, result.stderr
    return [
        {key.removeprefix(f"{name}_"): value for key, value in record.items() if key.startswith(f"{name}_")}
        for record in result.records
    ]


FORMS = {
    "a header and ranges": ("start_ip;end_ip;who\n8.8.8.0;8.8.8.255;g\n", {"network": "8.8.8.0/24", "who": "g"}),
    "ranges named start and end": ("Start,who,End\n8.8.8.8,g,8.8.8.10\n", {"network": "8.8.8.8/31", "who": "g"}),
    "numbers": ('"ip_from","ip_to","cc"\n"134744064","134744319","-"\n', {"network": "8.8.8.0/24"}),
    "ranges without a header": ("8.8.8.0,8.8.8.255,US\n", {"network": "8.8.8.0/24", "3": "US"}),
    "numbers without a header": ('"134744064","134744319","US","x"\n', {"network": "8.8.8.0/24", "3": "US", "4": "x"}),
    "a block without a header": ("8.8.8.0/24\tUSA\tx\n", {"network": "8.8.8.0/24", "2": "USA", "3": "x"}),
    "a geofeed": ("# by us\n8.8.8.0/24,US,US-CA,Mountain View,\n", {"network": "8.8.8.0/24", "country_code": "US", "region_code": "US-CA", "city": "Mountain View"}),
    "a geofeed of few cells": ("1.0.0.0/24,AU\n8.8.8.0/24,\n", {"network": "8.8.8.0/24"}),
    "a list with comments": ("; by us\n8.8.8.0/24 ; SBL1\n1.1.1.1 # x, y\n", {"network": "8.8.8.0/24"}),
    "a list of ranges": ("8.8.8.0-8.8.8.9\n", {"network": "8.8.8.8/31"}),
    "JSON lines": ('{"cidr":"8.8.8.0/24","sblid":"SBL1","n":1.50,"ok":false}\n\n{"type":"metadata"}\n', {"network": "8.8.8.0/24", "sblid": "SBL1", "n": 1.5, "ok": False}),
    "JSON with ranges": ('[{"start_ip":"8.8.8.0","end_ip":"8.8.8.255","cc":"US"},{"start_ip":null,"end_ip":"8.8.8.8"}]', {"network": "8.8.8.0/24", "cc": "US"}),
    "JSON with numbers": ('{"ip_to":134744319,"ip_from":"134744064","cc":"US"}\n', {"network": "8.8.8.0/24", "cc": "US"}),
    "JSON with other starts": ('{"ip":"8.8.8.8","start":1}\n{"start":134744064,"end":134744319}\n', {"network": "8.8.8.8/32", "start": 1}),
    "lists in JSON": ('{"hooks":["8.8.8.0/24"],"keys":["a"],"web":["8.8.8.0/24","::/0"]}', {"network": "8.8.8.0/24", "list": "hooks|web"}),
    "an array of networks": ('["8.8.8.8", "1.1.1.1/32"]', {"network": "8.8.8.8/32"}),
    "nested JSON": (
        '{"made":"now","groups":[{"name":"a-b","at":{"x":1},"of":[{"ip_prefix":"8.8.8.0/24","tags":["x",2,null,"x"],"name":""}]}]}',
        {"network": "8.8.8.0/24", "tags": "x|2", "name": "a-b"},
    ),
    "names that are no words": ('[{"ip":"8.8.8.8","é t.c/":"v"}]', {"network": "8.8.8.8/32", "é_t_c_": "v"}),
}


@pytest.mark.parametrize("text, values", FORMS.values(), ids=FORMS)
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_the_form_is_told_by_the_content(sonde, text, values, encoding):
    sonde.file("x.png", text.encode(encoding))
    assert added(sonde, "x.png", "8.8.8.8") == [values]


def test_columns_are_chosen_and_named(sonde):
    sonde.file("a.csv", "8.8.8.0,8.8.8.255,US,x,y\n")
    assert added(sonde, "a.csv,columns=cc,-,why", "8.8.8.8") == [{"network": "8.8.8.0/24", "cc": "US", "why": "y"}]
    sonde.file("b.csv", "block;a;b\n8.8.8.0/24;1;2\n")
    assert list(added(sonde, "b.csv,key=block,columns=B,a", "8.8.8.8")[0].items()) == [("network", "8.8.8.0/24"), ("b", "2"), ("a", "1")]
    sonde.file("c.json", '[{"net":"8.8.8.8","a":1,"b":2}]')
    assert added(sonde, "c.json,key=net,columns=b", "8.8.8.8") == [{"network": "8.8.8.8/32", "b": 2}]
    for source, words in [
        ("a.csv,columns=a,b,c,d", "has 3 cells behind its network, and columns= names 4"),
        ("a.csv,columns=a,a,c", "the column 'a' would stand there twice"),
        ("b.csv,key=block,columns=c", "has no column 'c'; its columns are 'a', 'b'"),
        ("c.json,key=net,columns=c", "has no column 'c'; its columns are 'a', 'b'"),
    ]:
        result = sonde("check", "--with", f"t={source}", "8.8.8.8")
        assert result.status == 2 and words in result.stderr, result.stderr


def test_a_table_of_systems_is_joined_with_the_answer(sonde, simulator):
    sonde.file("as.csv", "name,ASN\nours,AS65001\ngoogle,15169\n")
    arguments = ("--with", "t=as.csv", "--format", "csv", "--fields", "ip,asn,t_asn,t_name")
    result = sonde("scan", *arguments, "8.8.8.8", "10.0.0.1", env=simulator.env)
    asn = next(csv.reader([result.stdout.decode().splitlines()[1]]))[1]
    sonde.file("as.csv", f"name,ASN\nours,AS65001\ngoogle,{asn}\n")
    result = sonde("scan", *arguments, "8.8.8.8", "10.0.0.1", env=simulator.env)
    assert result.stdout.decode().splitlines()[1:] == [f"8.8.8.8,{asn},{asn},google", "10.0.0.1,,,"]
    chosen = sonde("scan", *arguments, "--where", "t_name = google", "8.8.8.8", "1.1.1.9", env=simulator.env)
    assert chosen.stdout.decode().splitlines()[1:] == [f"8.8.8.8,{asn},{asn},google"]
    refused = sonde("check", "--where", "ip in @as.csv", "8.8.8.8")
    assert refused.status == 2 and "is a table of AS numbers, not of networks" in refused.stderr


def test_several_tables_stand_side_by_side(sonde):
    sonde.file("a.csv", "network,x\n8.8.8.0/24,1\n")
    sonde.file("b.csv", "network,b_x,city\n8.8.8.0/24,2,3\n")
    result = sonde("check", "--with", "a=a.csv", "--with", "own=b.csv", "--format", "csv", "--fields", "a_x,own_b_x", "8.8.8.8")
    assert result.stdout == b"a_x,own_b_x\n1,2\n"
    for first, second, column in [("a_b", "a", "a_b_x"), ("a", "postal", None)]:
        sonde.file("c.csv", "network,b_x,code\n8.8.8.0/24,2,4\n")
        result = sonde("check", "--with", f"{first}=a.csv", "--with", f"{second}=c.csv", "8.8.8.8")
        column = column or "postal_code"
        assert result.status == 2 and f"there would be two columns '{column}'" in result.stderr
    # Names that only differ in case are one column in SQLite.
    sonde.file("c.csv", "network,b_X,Code\n8.8.8.0/24,2,4\n")
    for first, second in (("a_b", "a"), ("a", "postal")):
        result = sonde("check", "--with", f"{first}=a.csv", "--with", f"{second}=c.csv", "8.8.8.8")
        assert result.status == 2 and "there would be two columns" in result.stderr


def test_records_with_its_columns_are_records(sonde, simulator):
    sonde.file("a.json", '[{"network":"8.8.8.0/24","score":87,"note":"x"}]')
    for form in ("csv", "tsv", "ndjson", "json", "sqlite"):
        made = sonde("scan", "--with", "risk=a.json", "-o", f"out.{form}", "8.8.8.8", "1.1.1.1", env=simulator.env)
        assert made.status == 0, made.stderr
        counted = sonde("summary", f"out.{form}", "--by", "status", "--format", "csv")
        assert counted.stdout.decode().splitlines()[1:] == ["ok,2,2,1,,"], counted.stderr
    row = sqlite3.connect(sonde.work / "out.sqlite").execute("SELECT risk_score, typeof(risk_score) FROM records WHERE ip = '8.8.8.8'").fetchone()
    assert row == (87, "integer")
    high = sonde("check", "--with", "risk=a.json", "--where", "risk_score > 9", "--fields", "ip,risk_score", "--format", "json", "8.8.8.8", "1.1.1.1")
    assert json.loads(high.stdout) == [{"ip": "8.8.8.8", "risk_score": 87}]
    text = sonde("check", "--with", "risk=a.json", "--where", "risk_score ~ 8*", "8.8.8.8")
    assert text.status == 2 and "risk_score is a number" in text.stderr


# Ranges at random, against a slow reading of the same.


def smallest(address, ranges):
    """The smallest range that holds an address, of two equally large the later."""
    holding = [r for r in ranges if r[0].version == address.version and r[0] <= address <= r[1]]
    return min(holding, key=lambda r: (int(r[1]) - int(r[0]), -int(r[0])), default=None)


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("form", ["texts", "numbers"])
def test_ranges_at_random_agree_with_ipaddress(sonde, seed, form):
    chance = random.Random(f"{seed} {form}")
    kind, base = [(ipaddress.IPv4Address, 10 << 24), (ipaddress.IPv6Address, 0x2001_0DB8 << 96)][seed % 2]
    ranges = {}
    for number in range(300):
        first = base + chance.randrange(2000)
        last = first + chance.choice([0, 1, 7, 31, 100, 700])
        ranges[first, last] = f"v{number}"
    rows = [(kind(first), kind(last), value) for (first, last), value in ranges.items()]
    chance.shuffle(rows)
    write = (lambda ip: str(int(ip))) if form == "numbers" else str
    sonde.file("r.csv", "".join(f'"{write(a)}","{write(b)}","{v}"\n' for a, b, v in rows))
    addresses = [kind(base + number) for number in chance.sample(range(2800), 500)]
    expected = []
    for address in addresses:
        found = smallest(address, rows)
        if found is None:
            expected.append({})
            continue
        blocks = ipaddress.summarize_address_range(found[0], found[1])
        block = next(block for block in blocks if address in block)
        expected.append({"network": str(block), "3": found[2]})
    assert added(sonde, "r.csv", *map(str, addresses)) == expected


def test_numbers_hold_both_families(sonde):
    rows = [(0, MAPPED - 1, "low"), (MAPPED + 5, MAPPED + 9, "mapped"), (MAPPED + IPV4, MAPPED + IPV4 + 1, "high"), (2**127, 2**128 - 1, "top")]
    sonde.file("r.csv", "".join(f"{a},{b},{v}\n" for a, b, v in rows))
    assert added(sonde, "r.csv", "::1", "0.0.0.6", "::1:0:0:0", "ff00::1", "0.0.0.4") == [
        {"network": "::/81", "3": "low"}, {"network": "0.0.0.6/31", "3": "mapped"},
        {"network": "::1:0:0:0/127", "3": "high"}, {"network": "8000::/1", "3": "top"}, {},
    ]
    # One range over all of it, cut where IPv4 is.
    sonde.file("r.csv", f"0,{2**128 - 1},all\n")
    assert [row["3"] for row in added(sonde, "r.csv", "::1", "1.2.3.4", "ff00::1")] == ["all"] * 3


# MMDBs.

RECORD = {
    "risk": {"score": 87, "of": {"names": {"de": "hoch", "en": "high"}}},
    "list": ["a", "b", "a"],
    "places": [{"code": "x"}, {"code": "y"}],
    "double": 87.25,
    "float": mmdb.Float(1.1),
    "signed": mmdb.Int32(-5),
    "long": mmdb.UInt64(2**63),
    "wide": mmdb.UInt128(2**100),
    "bytes": b"\x00\xab",
    "yes": True,
    "empty": {},
}
VALUES = {
    "network": "8.8.8.0/24", "bytes": "00ab", "double": 87.25, "float": 1.1, "list": "a|b", "long": 2**63,
    "places_code": "x|y", "risk_of_names_en": "high", "risk_score": 87, "signed": -5, "wide": str(2**100), "yes": True,
}


@pytest.mark.parametrize("version, size", [(6, 24), (6, 28), (6, 32), (4, 24)])
def test_every_leaf_of_an_mmdb_is_a_column(sonde, version, size):
    mmdb.write(sonde.work / "x", "Ours", {"8.8.8.0/24": RECORD, "1.0.0.0/8": {"risk": {"score": 1}}}, version, size)
    found = added(sonde, "x", "8.8.8.8", "1.2.3.4", "9.9.9.9", "2001:db8::1")
    assert found == [VALUES, {"network": "1.0.0.0/8", "risk_score": 1}, {}, {}]
    assert list(found[0]) == list(VALUES)


def test_paths_of_an_mmdb_are_chosen(sonde):
    mmdb.write(sonde.work / "x", "Ours", {"8.8.8.0/24": RECORD})
    found = added(sonde, "x,columns=yes,risk.score,risk_of_names_en", "8.8.8.8")
    assert list(found[0].items()) == [("network", "8.8.8.0/24"), ("yes", True), ("risk_score", 87), ("risk_of_names_en", "high")]
    unknown = sonde("check", "--with", "t=x,columns=nothing", "8.8.8.8")
    assert unknown.status == 2 and "x: has no column 'nothing'; its columns are 'bytes', 'double'" in unknown.stderr
    mmdb.write(sonde.work / "x", "Ours", {"8.8.8.0/24": {f"c{n}": n for n in range(201)}})
    many = sonde("check", "--with", "t=x", "8.8.8.8")
    assert many.status == 2 and "has 201 columns" in many.stderr and "columns=" in many.stderr
    assert added(sonde, "x,columns=c7", "8.8.8.8") == [{"network": "8.8.8.0/24", "c7": 7}]
    mmdb.write(sonde.work / "x", "Ours", {"8.8.8.0/24": {"a": {"b": 1}, "a_b": 2}})
    same = sonde("check", "--with", "t=x", "8.8.8.8")
    assert same.status == 2 and "'a.b' and 'a_b' would be the same column" in same.stderr


def test_a_damaged_mmdb_is_told_before_anything_is_written(sonde):
    mmdb.write(sonde.work / "x", "Ours", {"8.8.8.0/24": RECORD})
    whole = sonde.read("x")
    for damaged in (whole[:-20], whole[100:], whole.replace(b"\x44risk", b"\x38risk", 1)):
        sonde.file("y", damaged)
        sonde.file("out.csv", "kept")
        result = sonde("check", "--with", "t=y", "-o", "out.csv", "8.8.8.8")
        assert result.status == 2 and "sonde: --with: y: " in result.stderr, result.stderr
        assert sonde.read("out.csv") == b"kept"


def test_annotate_and_upgrade_take_them(sonde, loc_database):
    mmdb.write(sonde.work / "x.mmdb", "Ours", {"10.0.0.0/8": {"team": "net"}})
    local = ("--provider", "local", "--database", loc_database)
    options = ("--with", "risk=x.mmdb", *local)
    sonde.file("a.log", "10.1.1.1 - x\n")
    noted = sonde("annotate", *options, "a.log")
    assert noted.stdout == b"10.1.1.1 [Private-Use, net] - x\n"
    sonde("scan", *local, "-o", "new.csv", "10.1.1.1", "9.9.9.9")
    upgraded = sonde("upgrade", *options, "new.csv")
    assert upgraded.status in (0, 1), upgraded.stderr
    rows = csv.DictReader(upgraded.stdout.decode().splitlines())
    assert [row["risk_team"] for row in rows] == ["net", ""]
