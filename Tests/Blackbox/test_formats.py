"""CSV, TSV, NDJSON, JSON, GeoJSON and table: the same records, each by its own rules."""

import contextlib
import csv
import io
import json
import re
import signal
import sqlite3
import subprocess

import pytest
from expected import FIELDS, MORE_FIELDS, record

ITEMS = "5.6.7.8\n8.8.8.8\n10.0.0.1\nnot, \"an\" address\n5.1.2.3\n"


def scan(sonde, simulator, *options, input=ITEMS):
    return sonde("scan", "--provider", "ip-api", *options, input=input, env=simulator.env)


def columns(names):
    return ("--format", "csv", "--fields", ",".join(names))


def cell(value):
    """A value as CSV shows it."""
    return "" if value is None else str(value)


def test_csv_byte_for_byte(sonde, simulator):
    fields = "ip,status,source,country_code,city,latitude,longitude,asn,as_name,line"
    result = scan(sonde, simulator, "--format", "csv", "--fields", fields, input='8.8.8.8\n1.1.1.1\n"x", y\n24.48.0.1\n')
    assert result.stdout.decode() == (
        "ip,status,source,country_code,city,latitude,longitude,asn,as_name,line\n"
        "8.8.8.8,ok,ip-api,US,Ashburn,39.03,-77.5,15169,Google LLC,1\n"
        '1.1.1.1,ok,ip-api,AU,South Brisbane,-27.4766,153.0166,13335,"Cloudflare, Inc.",2\n'
        '"""x"", y",invalid,,,,,,,,3\n'
        "24.48.0.1,ok,ip-api,CA,Montreal,45.6085,-73.5493,5769,Videotron Telecom Ltee,4\n"
    )
    assert result.status == 0


def test_csv_has_every_column_in_its_order_and_empty_cells_for_missing_values(sonde, simulator):
    simulator.control(batch_limit=None)
    addresses = [f"5.{n // 250}.{n % 250}.1" for n in range(1000)]
    result = scan(sonde, simulator, "--format", "csv", input="\n".join(addresses))
    assert b"\r" not in result.stdout and result.stdout.endswith(b"\n")
    rows = list(csv.reader(io.StringIO(result.stdout.decode(), newline="")))
    assert rows[0] == FIELDS
    wrong = []
    for number, (address, row) in enumerate(zip(addresses, rows[1:]), 1):
        wanted = record(address, line=number)
        compared = [name for name in FIELDS if name not in ("cached", "fetched_at", "message")]
        if [row[FIELDS.index(name)] for name in compared] != [cell(wanted.get(n)) for n in compared]:
            wrong.append((row, wanted))
    assert wrong[:3] == [] and len(rows) == 1001


def test_the_header_stands_there_without_records(sonde, simulator):
    assert scan(sonde, simulator, "--format", "csv", input="").stdout.decode() == ",".join(FIELDS) + "\n"


def test_ndjson_and_json_are_the_same_records(sonde, simulator):
    lines = scan(sonde, simulator)
    array = scan(sonde, simulator, "--format", "json")
    given, whole = lines.records, json.loads(array.stdout)
    for each in [*given, *whole]:
        each.pop("fetched_at", None)
    assert given == whole and len(given) == 5
    assert all(list(r) == [name for name in FIELDS if name in r] for r in given)
    assert all(value not in (None, "") for each in given for value in each.values())
    assert json.loads(scan(sonde, simulator, "--format", "json", input="").stdout) == []


def test_tsv_byte_for_byte(sonde, simulator):
    fields = "ip,status,city,longitude,cached,message,line"
    result = scan(sonde, simulator, "--format", "tsv", "--fields", fields, input="8.8.8.8\nx\ty\\z\r\n10.0.0.1\n")
    lines = result.stdout.decode().split("\n")
    assert lines[0] == fields.replace(",", "\t") and lines[-1] == ""
    assert lines[1] == "8.8.8.8\tok\tAshburn\t-77.5\tfalse\t\t1"
    assert lines[2].startswith("x\\ty\\\\z\tinvalid\t\t\t\tcolumn 3: ") and lines[2].endswith("\t2")
    assert lines[3].startswith("10.0.0.1\treserved\t\t\t\t10.0.0.0/8 ")
    assert len(lines) == 5 and result.status == 0


def untabbed(text):
    """The rows of TSV, by the four escapes of its own."""
    escapes = {"\\\\": "\\", "\\t": "\t", "\\n": "\n", "\\r": "\r"}
    return [
        [re.sub(r"\\.", lambda found: escapes[found[0]], cell) for cell in line.split("\t")]
        for line in text.removesuffix("\n").split("\n")
    ]


def test_tsv_and_csv_are_the_same_cells(sonde, simulator):
    simulator.control(batch_limit=None)
    text = "\n".join(f"5.{n // 250}.{n % 250}.7" for n in range(1000)) + "\na\\b\n\x00\tz\n"
    rows, cells = (scan(sonde, simulator, "--format", form, input=text) for form in ("csv", "tsv"))
    parsed = list(csv.reader(io.StringIO(rows.stdout.decode(), newline="")))
    times = [parsed[0].index(name) for name in ("fetched_at",)]
    for each in (parsed, tabbed := untabbed(cells.stdout.decode())):
        for row in each[1:]:
            for index in times:
                row[index] = ""
    assert parsed == tabbed and len(parsed) == 1003


def features(stdout):
    """The features of GeoJSON, held to RFC 7946."""
    whole = json.loads(stdout)
    assert set(whole) == {"type", "features"} and whole["type"] == "FeatureCollection"
    for feature in whole["features"]:
        assert set(feature) == {"type", "geometry", "properties"} and feature["type"] == "Feature"
        assert isinstance(feature["properties"], dict)
        if feature["geometry"] is not None:
            assert set(feature["geometry"]) == {"type", "coordinates"}
            assert feature["geometry"]["type"] == "Point"
            longitude, latitude = feature["geometry"]["coordinates"]
            assert -180 <= longitude <= 180 and -90 <= latitude <= 90
    return whole["features"]


def test_geojson_has_the_members_of_ndjson_and_the_place(sonde, simulator):
    simulator.control(batch_limit=None)
    text = ITEMS + "\n".join(f"5.{n // 250}.{n % 250}.7" for n in range(500))
    lines = scan(sonde, simulator, "--no-cache", input=text).records
    found = features(scan(sonde, simulator, "--no-cache", "--format", "geojson", input=text).stdout)
    places = 0
    for record, feature in zip(lines, found, strict=True):
        record.pop("fetched_at", None), feature["properties"].pop("fetched_at", None)
        assert feature["properties"] == record and list(feature["properties"]) == list(record)
        place = [record.get("longitude"), record.get("latitude")]
        assert feature["geometry"] == (
            None if None in place else {"type": "Point", "coordinates": place}
        )
        places += feature["geometry"] is not None
    assert 300 < places < len(lines)


def test_geojson_has_the_place_whatever_the_columns(sonde, simulator):
    result = scan(sonde, simulator, "--format", "geojson", "--fields", "ip", input="8.8.8.8\n")
    (feature,) = features(result.stdout)
    assert feature["properties"] == {"ip": "8.8.8.8"}
    assert feature["geometry"] == {"type": "Point", "coordinates": [-77.5, 39.03]}
    assert features(scan(sonde, simulator, "--format", "geojson", input="").stdout) == []


def test_geojson_is_whole_when_interrupted(sonde, simulator):
    simulator.control(window=600, batch_limit=1)
    running = sonde.start("scan", "--provider", "ip-api", "--format", "geojson", "8.8.0.0/23", env=simulator.env)
    running.line(), running.line()
    running.signal(signal.SIGINT)
    result = running.finish()
    assert result.status == 130 and 0 < len(features(result.stdout)) < 512


@pytest.mark.parametrize("ending, unpack", [("gz", ["gzip", "-dc"]), ("ZST", ["zstd", "-dc"])])
@pytest.mark.parametrize("form", ["tsv", "geojson"])
def test_the_new_forms_are_compressed_by_their_ending(sonde, simulator, form, ending, unpack):
    name = f"out.{form}.{ending}"
    assert scan(sonde, simulator, "-o", name).status == 0
    plain = scan(sonde, simulator, "--format", form).stdout
    packed = subprocess.run(unpack, input=sonde.read(name), capture_output=True)
    assert packed.returncode == 0
    times = rb"\d{4}-\d\d-\d\dT[\d:]{8}Z|(true|false)"
    assert re.sub(times, b"", packed.stdout) == re.sub(times, b"", plain)


@pytest.mark.parametrize("command", [["lookup", "8.8.8.8"], ["me"], ["check", "8.8.8.8"]])
@pytest.mark.parametrize("form", ["tsv", "geojson", "sqlite"])
def test_other_commands_write_them_too(sonde, simulator, command, form):
    name = f"out.{form}"
    assert sonde(*command, "-o", name, env=simulator.env).status == 0
    data = sonde.read(name)
    if form == "geojson":
        assert len(features(data)) == 1
    elif form == "tsv":
        assert len(untabbed(data.decode())) == 2
    else:
        with contextlib.closing(sqlite3.connect(sonde.work / name)) as database:
            assert database.execute("SELECT count(*) FROM records").fetchone() == (1,)


def test_numbers_have_their_shortest_form(sonde, simulator):
    simulator.control(batch_limit=None)
    addresses = [f"5.{n // 250}.{n % 250}.1" for n in range(500)]
    text = scan(sonde, simulator, input="\n".join(addresses)).stdout.decode()
    shown = [record(address) for address in addresses]
    longitudes = {each["longitude"] for each in shown if "longitude" in each}
    assert {0, 14} <= longitudes, "the sample is too small"
    for each, line in zip(shown, text.splitlines()):
        for name in ("latitude", "longitude"):
            if name in each:
                plain = repr(each[name]).removesuffix(".0")  # a whole number has no point
                assert f'"{name}":{plain},' in line.replace(": ", ":")


def test_texts_of_all_kinds_survive(sonde, simulator):
    simulator.control(batch_limit=None)
    addresses = [f"5.{n // 250}.{n % 250}.7" for n in range(1000)]
    text = "\n".join(addresses)
    cities = [each.get("city") for each in scan(sonde, simulator, input=text).records]
    assert cities == [record(address).get("city") for address in addresses]
    assert {"千代田区", 'Ciudad de México, "CDMX"', "Łódź"} <= set(cities)


def test_fields_pick_and_order(sonde, simulator):
    result = scan(sonde, simulator, "--fields", "city,ip", input="8.8.8.8\n")
    assert list(result.records[0].items()) == [("city", "Ashburn"), ("ip", "8.8.8.8")]
    result = scan(sonde, simulator, *columns(["line", "ip"]), input="8.8.8.8\n")
    assert result.stdout == b"line,ip\n1,8.8.8.8\n"


def test_fields_add(sonde, simulator):
    result = scan(sonde, simulator, "--format", "csv", "--fields", "+proxy,+hosting,+mobile,+region_code,+continent_code", input="8.8.8.8\n")
    header, row = result.lines
    assert header == ",".join(FIELDS) + ",proxy,hosting,mobile,region_code,continent_code"
    assert row.endswith(",false,true,false,VA,NA")


def test_the_host_name_is_asked_for_only_on_request(sonde, simulator):
    assert "hostname" not in scan(sonde, simulator, input="8.8.8.8\n").records[0]
    result = scan(sonde, simulator, "--fields", "ip,hostname", input="8.8.8.8\n")
    assert result.records == [{"ip": "8.8.8.8", "hostname": "dns.google"}]


def test_fields_help_prints_them_all(sonde):
    result = sonde("scan", "--fields", "help")
    assert result.status == 0
    assert all(name in result.stdout.decode() for name in FIELDS + MORE_FIELDS)


def test_the_description_of_the_fields_is_that_of_the_help(sonde):
    sonde.file("nets.csv", "network,team \"a\"\n8.8.8.0/24,dns\n")
    result = sonde("scan", "--fields", "help", "--format", "json", "--with", "own=nets.csv", "--with", "names")
    assert (result.status, result.stderr) == (0, "")
    columns = json.loads(result.stdout)
    assert all(list(each) == ["name", "type", "nullable", "default", "about"] for each in columns)
    added = ["own_network", 'own_team "a"', "ptr", "ptr_status"]
    assert [each["name"] for each in columns][-4:] == added
    listed = [line.split(None, 2) for line in sonde("scan", "--fields=help").stdout.decode().splitlines() if line.startswith("  ")]
    assert [[each["name"], each["type"], each["about"]] for each in columns[:-4]] == listed[: len(columns) - 4]
    assert {each["name"] for each in columns if not each["nullable"]} == {"ip", "status"}
    assert [each["name"] for each in columns if each["default"]] == [*FIELDS, *added]
    types = {each["name"]: each["type"] for each in columns}
    assert {name for name, type_ in types.items() if type_ == "time"} == {"fetched_at", "time", "first_seen", "last_seen"}
    assert types["ptr"] == "list" and types["asn"] == "integer" and types["own_network"] == "text"


def test_the_description_of_the_fields_needs_valid_options(sonde):
    absent = sonde("lookup", "--fields", "help", "--format", "json", "--with", "own=absent.csv")
    assert (absent.status, absent.stdout) == (2, b"") and "absent.csv" in absent.stderr


@pytest.mark.parametrize("fields", ["ip,nonsense", "", "+nonsense", "ip,,city", "IP"])
def test_unknown_fields_are_wrong_usage(sonde, fields):
    result = sonde("scan", "--fields", fields, "8.8.8.8")
    assert (result.status, result.stdout) == (2, b"") and result.stderr


@pytest.mark.parametrize(
    "name, start",
    [("out.csv", b"ip,status,"), ("out.tsv", b"ip\tstatus\t"), ("out.geojson", b'{"type":'), ("out.json", b"["), ("out.ndjson", b"{"), ("out.jsonl", b"{"), ("out", b"{")],
)
def test_the_ending_of_the_output_chooses_the_format(sonde, simulator, name, start):
    result = scan(sonde, simulator, "-o", name)
    assert (result.stdout, result.status) == (b"", 0)
    assert sonde.read(name).startswith(start)
    if name.endswith(".json"):
        assert len(json.loads(sonde.read(name))) == 5


def test_the_format_option_wins_over_the_ending(sonde, simulator):
    scan(sonde, simulator, "--format", "csv", "--output=out.json")
    assert sonde.read("out.json").startswith(b"ip,status,")


def test_spreadsheet_defuses_formulas(sonde, simulator):
    simulator.control(batch_limit=None)
    addresses = [f"5.{n // 250}.{n % 250}.1" for n in range(1000)]
    text = "\n".join(addresses) + "\n=1+1\n+1\n-1\n@x\n"
    options = columns(["ip", "as_name", "isp", "org", "longitude"])
    plain, safe = (
        list(csv.reader(io.StringIO(scan(sonde, simulator, *options, *more, input=text).stdout.decode())))
        for more in ((), ("--spreadsheet",))
    )
    dangerous = set("=+-@\t\r")
    # Numbers are no text: a negative longitude stays a number.
    expected = [["'" + c if c[:1] in dangerous and i < 4 else c for i, c in enumerate(row)] for row in plain]
    assert safe == expected != plain
    assert [row[0] for row in safe[-4:]] == ["'=1+1", "'+1", "'-1", "'@x"]


def test_the_table_is_for_a_person(sonde, simulator):
    result = scan(sonde, simulator, "--format", "table", "--color", "never")
    lines = result.stdout.decode().splitlines()
    heads = "ip status country_code city as_name source".split()
    assert len(lines) >= 6 and b"\x1b" not in result.stdout
    places = [lines[0].lower().find(head) for head in heads]
    assert -1 not in places[:2] and places[0] < places[1]
    assert any("8.8.8.8" in line and "Ashburn" in line and "Google LLC" in line for line in lines)
    assert any("10.0.0.1" in line and "reserved" in line for line in lines)


def test_an_unknown_format_is_wrong_usage(sonde):
    result = sonde("scan", "--format", "xml", "8.8.8.8")
    assert (result.status, result.stdout) == (2, b"") and "xml" in result.stderr
