"""Texts of providers, databases, tables and registries have no control character in any form of output."""

import csv
import io
import json
import re
import sqlite3

import mmdb
import pytest
from hostile import CONTROLS, DIRECTIONS, HOSTILE_TEXTS, cleaned, hostile_text

pytestmark = pytest.mark.slow

FORMATS = ["csv", "tsv", "ndjson", "json", "geojson", "table"]
ADDRESSES = [a for a in (f"5.0.{n}.1" for n in range(250)) if len(hostile_text(a)) < 1000][:60]
TEXTS = [text for text in HOSTILE_TEXTS if len(text) < 1000] + [
    "\u200f\u05d9\u05e9\u05e8\u05d0\u05dc", "S\u00e3o\x7fPaulo", "a\u061cb\u2068c", "\x9b", "\0", "\r\n", "C\u00f4te d\u2019Ivoire",
]
HARMFUL = re.compile(f"{CONTROLS}|{DIRECTIONS}")


def harm(output):
    """The control characters in an output, and escapes of such."""
    text = output.decode()
    escapes = re.findall(r"\\(?:u(?:00[01]|007f|008|009|202|206|200[ef]|061c)|[bf])", text)
    return set(HARMFUL.findall(text)) | set(escapes)


@pytest.mark.parametrize("provider", ["ip-api", "ipinfo"])
@pytest.mark.parametrize("form", FORMATS)
def test_of_providers(sonde, simulator, provider, form):
    simulator.control(batch_limit=None, single_limit=None, hostile=True)
    result = sonde("scan", "--provider", provider, "--format", form, input="\n".join(ADDRESSES), env=simulator.env)
    assert result.status == 0 and harm(result.stdout) == set()
    if form == "ndjson":
        carried = {hostile_text(r["ip"]) for r in result.records if cleaned(hostile_text(r["ip"])) in r.values()}
        # Those of a member that is no column are not shown.
        assert carried == {hostile_text(address) for address in ADDRESSES}
    if form == "csv":
        rows = list(csv.reader(io.StringIO(result.stdout.decode(), newline="")))
        assert len(rows) == len(ADDRESSES) + 1


def test_of_providers_in_a_table_of_a_database(sonde, simulator):
    simulator.control(batch_limit=None, hostile=True)
    sonde("scan", "--provider", "ip-api", "-o", "o.db", input="\n".join(ADDRESSES), env=simulator.env)
    rows = sqlite3.connect(sonde.work / "o.db").execute("SELECT * FROM records").fetchall()
    assert len(rows) == len(ADDRESSES) and not any(isinstance(v, str) and HARMFUL.search(v) for row in rows for v in row)


def test_of_messages(sonde, simulator):
    simulator.control(faults=[{"fault": "status", "status": 403, "body": '{"message": "go\\u001b[31m away\\u0000\\u202e"}'}])
    result = sonde("scan", "--provider", "ip-api", "--retries", "0", input="8.8.8.8\n", env=simulator.env)
    assert harm(result.stdout) == set() and not HARMFUL.search(result.stderr.replace("\n", ""))


@pytest.mark.parametrize("compiled", [False, True])
def test_of_databases(sonde, compiled):
    names = {f"5.0.{n}.0/24": {"country": {"iso_code": "DE", "names": {"en": text}}, "city": {"names": {"en": text}}} for n, text in enumerate(TEXTS)}
    mmdb.write(sonde.work / "x.mmdb", "GeoLite2-City", names)
    # Many addresses have a table compiled of the database.
    addresses = [f"5.0.{n}.{host}" for n in range(len(TEXTS)) for host in range(200 if compiled else 1)]
    for form in ("csv", "ndjson"):
        options = ("--provider", "local", "--database", "x.mmdb", "--fields", "ip,city,country,message", "--format", form)
        result = sonde("scan", *options, input="\n".join(addresses))
        assert result.status == 0 and harm(result.stdout) == set()
    for record in result.records:
        expected = cleaned(TEXTS[int(record["ip"].split(".")[2])])
        assert record.get("city", "") == expected


def test_of_tables(sonde):
    rows = io.StringIO(newline="")
    writer = csv.writer(rows)
    writer.writerow(["network", "note"])
    writer.writerows([f"5.0.{n}.0/24", text] for n, text in enumerate(TEXTS))
    sonde.file("nets.csv", rows.getvalue())
    sonde.file("azure.json", json.dumps({"values": [
        {"name": "x", "properties": {"region": text, "systemService": text, "addressPrefixes": [f"5.0.{n}.0/24"]}}
        for n, text in enumerate(TEXTS)]}))
    addresses = "\n".join(f"5.0.{n}.1" for n in range(len(TEXTS)))
    for form in ("csv", "tsv", "ndjson"):
        result = sonde("check", "--with", "own=nets.csv", "--with", "azure=azure.json", "--format", form, input=addresses)
        assert result.status == 0 and harm(result.stdout) == set()
    for record, text in zip(result.records, TEXTS):
        for column in ("own_note", "azure_service", "azure_region"):
            # What is nothing but a name's first word stands for a missing service.
            expected = cleaned(text) or ("x" if column == "azure_service" and not text else "")
            assert record.get(column, "") == expected, column


def test_a_column_has_no_control_character_in_its_name(sonde):
    for name in ("a\u202eb", "a\u009bb", "a\x00b"):
        sonde.file("nets.csv", f"network,{name}\n8.8.8.0/24,x\n")
        result = sonde("check", "--with", "own=nets.csv", "8.8.8.8")
        assert result.status == 2 and "the name of the column 2 has a control character" in result.stderr


def test_of_registries(sonde, simulator, loc_database):
    networks = {f"8.{n}.0.0/16": {"name": text, "abuse": [f"a{text}@b.example"]} for n, text in enumerate(TEXTS)}
    simulator.control(rdap={"networks": networks})
    addresses = "\n".join(f"8.{n}.0.1" for n in range(len(TEXTS)))
    options = ("--provider", "local", "--database", loc_database, "--with", "owner", "--format", "csv")
    for _ in range(2):
        # From the registry, then as it was kept.
        result = sonde("scan", *options, input=addresses, env=simulator.env)
        assert harm(result.stdout) == set() and result.stdout.count(b"\n") == len(TEXTS) + 1
        # Nothing in the name of a network breaks its line.
        assert not re.search("[\t\r]", result.stdout.decode())
