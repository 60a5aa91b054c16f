"""`diff`: two files of records in any forms, compared as Python's dictionaries are."""

import bz2
import csv
import gzip
import io
import ipaddress
import json
import os
import random
import sqlite3

import pytest
from command import records

SEEDS = range(int(os.environ.get("SONDE_TEST_DIFFS", "8")))
FORMS = ["csv", "tsv", "ndjson", "json", "sqlite"]
TEXTS = ["US", "DE", 'a "quoted", one', "two\nlines\r\nand\ttab", "naïve 北京", "back\\slash", "0123", "x" * 300]
COLUMNS = ["ip", "status", "country_code", "city", "postal_code", "latitude", "asn", "cached", "line", "own_team"]
NUMBERS = {"latitude", "asn", "line"}
PASSING = {"ip", "cached", "fetched_at", "line", "message", "input", "offset"}


def write(sonde, name, form, columns, rows, packed=None):
    """Writes records, whose missing values have no key, in a form."""
    if form == "sqlite":
        with sqlite3.connect(sonde.work / name) as database:
            kinds = {"latitude": "REAL", "asn": "INTEGER", "line": "INTEGER", "cached": "INTEGER"}
            definitions = ", ".join(f"{c} {kinds.get(c, 'TEXT')}" for c in columns)
            database.execute(f"CREATE TABLE records ({definitions})")
            marks = ", ".join("?" for _ in columns)
            database.executemany(f"INSERT INTO records VALUES ({marks})", [[row.get(c) for c in columns] for row in rows])
        database.close()
        return
    text = io.StringIO()
    if form == "csv":
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow(columns)
        writer.writerows([[shown(row.get(c)) for c in columns] for row in rows])
    elif form == "tsv":
        escapes = str.maketrans({"\t": "\\t", "\n": "\\n", "\r": "\\r", "\\": "\\\\"})
        for row in [columns, *([shown(row.get(c)) for c in columns] for row in rows)]:
            text.write("\t".join(cell.translate(escapes) for cell in row) + "\n")
    else:
        objects = [json.dumps({c: row[c] for c in columns if c in row}) for row in rows]
        text.write("[" + ",\n".join(objects) + "]\n" if form == "json" else "".join(o + "\n" for o in objects))
    data = text.getvalue().encode()
    sonde.file(name, packed(data) if packed else data)


def shown(value):
    """A value as text; a missing one is empty."""
    if value is None:
        return ""
    return str(value).lower() if isinstance(value, bool) else str(value)


def order(ip):
    """IPv4 before IPv6 by number, then what is no address by bytes."""
    try:
        address = ipaddress.ip_address(ip)
    except ValueError:
        return (2, 0, ip.encode())
    return (0 if address.version == 4 else 1, int(address), b"")


def expected(old, new, fields):
    """The differences between lists of dictionaries."""
    rows, counts = [], dict.fromkeys(["added", "removed", "changed", "same"], 0)
    groups = {}
    for side, file in enumerate((old, new)):
        for row in file:
            groups.setdefault(row["ip"], ([], []))[side].append(row)
    for ip in sorted(groups, key=order):
        left, right = groups[ip]
        for n in range(max(len(left), len(right))):
            if n >= len(right) or n >= len(left):
                kind = "removed" if n < len(left) else "added"
                rows.append((kind, ip, "", "", ""))
                counts[kind] += 1
                continue
            differing = [f for f in fields if shown(left[n].get(f)) != shown(right[n].get(f))]
            rows += [("changed", ip, f, shown(left[n].get(f)), shown(right[n].get(f))) for f in differing]
            counts["changed" if differing else "same"] += 1
    return rows, counts


def fuzzed(chooser):
    """Some records; many again later, as they are or with another value."""
    ips = ["8.8.8.8", "10.0.0.1", "9.9.9.9", "2001:db8::1", "2001:db8::", "bad item", "a,b", "bad\titem", "255.1.1.1"]
    rows = []
    for _ in range(chooser.randrange(0, 30)):
        row = {"ip": chooser.choice(ips), "status": chooser.choice(["ok", "failed", "invalid"])}
        for column in COLUMNS[2:]:
            if chooser.random() < 0.5:
                continue
            if column == "latitude":
                row[column] = chooser.choice([51.5, 0.1, -33.25])
            elif column in NUMBERS:
                row[column] = chooser.randrange(3)
            elif column == "cached":
                row[column] = chooser.random() < 0.5
            else:
                row[column] = chooser.choice(TEXTS)
        rows.append(row)
    return rows


@pytest.mark.parametrize("seed", SEEDS)
def test_differences_are_those_of_dictionaries(sonde, seed):
    chooser = random.Random(f"diff {seed}")
    old = fuzzed(chooser)
    new = [dict(row) for row in old]
    chooser.shuffle(new)
    del new[: chooser.randrange(4)]
    for row, other in zip(new, fuzzed(chooser), strict=False):
        if chooser.random() < 0.3:
            row.update({**other, "ip": row["ip"]})
    new += fuzzed(chooser)[:3]
    forms = [chooser.choice(FORMS), chooser.choice(FORMS)]
    columns = [COLUMNS, chooser.sample(COLUMNS, len(COLUMNS))]
    names = [f"{side}.records" for side in ("old", "new")]
    for name, form, order_of, rows in zip(names, forms, columns, (old, new), strict=True):
        packed = chooser.choice([None, gzip.compress, bz2.compress])
        write(sonde, name, form, order_of, rows, packed)
    # The fields of JSON are those that any record has.
    sides = [
        [c for c in COLUMNS if form not in ("json", "ndjson") or any(c in row for row in rows)]
        for form, rows in zip(forms, (old, new), strict=True)
    ]
    fields = [c for c in columns[0] if c in sides[0] and c in sides[1] and c not in PASSING]
    rows, counts = expected(old, new, fields)

    run = sonde("diff", "--format", "csv", *names)
    found = list(csv.reader(io.StringIO(run.stdout.decode(), newline="")))
    assert found[0] == ["change", "ip", "field", "old", "new"]
    found = [tuple(row) for row in found[1:]]
    if forms[0] in ("json", "ndjson"):
        # The order of the fields is that of the records, of which none needs to have all.
        assert [row[1] for row in found] == [row[1] for row in rows]
        found, rows = sorted(found), sorted(rows)
    assert found == rows, (forms, fields)
    assert run.status == (1 if rows else 0)
    assert run.stderr == f"sonde: {', '.join(f'{n} {kind}' for kind, n in counts.items())}\n"


OLD = "ip,status,country_code,proxy,latitude,line\n8.8.8.8,ok,US,true,51.50,1\n::1,ok,DE,,,2\n9.9.9.9,ok,DE,,,3\nx,invalid,,,,4\n"
NEW = (
    '{"ip":"x","status":"invalid","line":9}\n{"ip":"::1","status":"ok","country_code":"","proxy":false}\n'
    '{"ip":"8.8.8.8","status":"ok","country_code":"CA","proxy":true,"latitude":51.5}\n{"ip":"=1","status":"invalid"}\n'
)


def test_forms_of_output_and_summary(sonde):
    sonde.file("old.csv", OLD)
    sonde.file("new.ndjson", NEW)
    for form, text in {
        "csv": "change,ip,field,old,new\nchanged,8.8.8.8,country_code,US,CA\nremoved,9.9.9.9,,,\n"
        "changed,::1,country_code,DE,\nchanged,::1,proxy,,false\nadded,=1,,,\n",
        "tsv": "change\tip\tfield\told\tnew\nchanged\t8.8.8.8\tcountry_code\tUS\tCA\nremoved\t9.9.9.9\t\t\t\n"
        "changed\t::1\tcountry_code\tDE\t\nchanged\t::1\tproxy\t\tfalse\nadded\t=1\t\t\t\n",
        "json": '[\n{"change":"changed","ip":"8.8.8.8","field":"country_code","old":"US","new":"CA"},\n'
        '{"change":"removed","ip":"9.9.9.9"},\n{"change":"changed","ip":"::1","field":"country_code","old":"DE"},\n'
        '{"change":"changed","ip":"::1","field":"proxy","new":"false"},\n{"change":"added","ip":"=1"}\n]\n',
        "table": "change   ip               field         old                       new\n"
        "changed  8.8.8.8          country_code  US                        CA\nremoved  9.9.9.9\n"
        "changed  ::1              country_code  DE\n"
        "changed  ::1              proxy                                   false\nadded    =1\n",
    }.items():
        run = sonde("diff", "old.csv", "new.ndjson", "--format", form)
        assert (run.stdout.decode(), run.status) == (text, 1)
    run = sonde("diff", "old.csv", "-", "--format", "csv", "--summary", input=NEW)
    assert run.stdout.decode() == (
        "table,key,addresses\nchange,added,1\nchange,removed,1\nchange,changed,2\nchange,same,1\n"
        "field,country_code,2\nfield,proxy,1\ncountry,DE>,1\ncountry,US>CA,1\n"
    )
    run = sonde("diff", "old.csv", "new.ndjson", "--summary")
    assert records(run.stdout)[0] == {"table": "change", "key": "added", "addresses": 1}
    # In a file, by its ending, compressed; texts that look like formulas are safe if that is asked for.
    run = sonde("diff", "old.csv", "new.ndjson", "--fields", "line", "--spreadsheet", "-q", "-o", "out.csv.gz")
    assert (run.stdout, run.stderr, run.status) == (b"", "", 1)
    assert gzip.decompress(sonde.read("out.csv.gz")).decode() == (
        "change,ip,field,old,new\nchanged,8.8.8.8,line,1,\nremoved,9.9.9.9,,,\nchanged,::1,line,2,\n"
        "added,'=1,,,\nchanged,x,line,4,9\n"
    )


def test_equal_files_and_empty_ones(sonde):
    sonde.file("old.csv", OLD)
    sonde.file("empty", "")
    sonde.file("header.csv", "ip,status\n")
    write(sonde, "empty.db", "sqlite", ["ip", "status"], [])
    for name in ["empty", "header.csv", "empty.db"]:
        run = sonde("diff", name, "empty")
        assert (run.stdout, run.stderr, run.status) == (b"", "sonde: 0 added, 0 removed, 0 changed, 0 same\n", 0)
        assert sonde("diff", name, "old.csv").stderr == "sonde: 4 added, 0 removed, 0 changed, 0 same\n"
    assert sonde("diff", "empty", "empty", "--format", "json").stdout == b"[]\n"
    run = sonde("diff", "old.csv", "old.csv", "--format", "csv")
    assert (run.stdout, run.status) == (b"change,ip,field,old,new\n", 0)


def test_a_table_with_many_columns(sonde):
    columns = ["ip", *(f"own_{n}" for n in range(40))]
    rows = [{"ip": f"192.0.2.{n}", **{c: f"{c} {n}" for c in columns[1:]}} for n in range(3)]
    write(sonde, "old.csv", "csv", columns, rows)
    rows[1]["own_7"] = "other"
    write(sonde, "new.db", "sqlite", columns[::-1], rows)
    run = sonde("diff", "old.csv", "new.db")
    assert records(run.stdout) == [
        {"change": "changed", "ip": "192.0.2.1", "field": "own_7", "old": "own_7 1", "new": "other"}
    ]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("ip,status\n8.8.8.8\n", "line 2: it has not as many fields as the header"),
        ('ip,status\n"8.8.8.8,ok\n', "line 2: its quotes are not closed"),
        ("ip,ip\n", "the column ip stands there twice"),
        ("address,status\n", "neither CSV nor TSV with a column ip, nor JSON or SQLite with records"),
        ('{"ip":"8.8.8.8"}\nno\n', "line 2: it is no JSON object with members"),
        ('{"ip":"8.8.8.8"}\n{"status":"ok"}\n', "line 2 has no ip"),
        ('{"ip":"8.8.8.8","a":1,"a":2}\n', "line 1: the member a is twice"),
        ('[{"ip":"8.8.8.8"}', "line 1: the array is cut short"),
        ('{"type":"FeatureCollection","features":[\n', "is GeoJSON, which is not read"),
    ],
)
def test_what_cannot_be_read(sonde, text, words):
    sonde.file("old.csv", OLD)
    sonde.file("bad", text)
    sonde.file("out.csv", "as it was")
    for files in [("old.csv", "bad"), ("bad", "old.csv")]:
        run = sonde("diff", *files, "-o", "out.csv")
        assert (run.stdout, run.status, run.stderr) == (b"", 5, f"sonde: bad: {words}\n")
        assert sonde.read("out.csv") == b"as it was"
    assert sorted(p.name for p in sonde.work.iterdir() if "partial" in p.name) == []


def test_wrong_usage(sonde):
    sonde.file("old.csv", OLD)
    for arguments, words in {
        ("old.csv",): "diff needs two files of records, OLD and NEW",
        ("old.csv", "old.csv", "old.csv"): "diff does not take 'old.csv'",
        ("-", "-"): "diff reads stdin once: name a file for OLD or NEW",
        ("old.csv", "old.csv", "--fields", "city,nothing"): "--fields: neither file has a field 'nothing'",
        ("old.csv", "old.csv", "-o", "old.csv"): "old.csv is also an input",
        ("old.csv", "old.csv", "--format", "geojson"): "bad value 'geojson' for --format: expected table, csv, tsv, ndjson or json",
    }.items():
        run = sonde("diff", *arguments)
        assert (run.status, run.stderr.split("\n")[0]) == (2, f"sonde: {words}")
    run = sonde("diff", "old.csv", "nowhere.csv")
    assert (run.status, run.stderr) == (5, "sonde: nowhere.csv: No such file or directory\n")
    run = sonde("diff", "old.csv", "old.csv", env={"TMPDIR": "/nowhere"})
    assert run.status == 0
