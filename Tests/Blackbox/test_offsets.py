"""`--fields +offset`: the byte of a plain log at which the line of an address begins."""

import gzip
import random

import captures
import pytest

FIELDS = ["--duplicates", "keep", "--fields", "ip,line,offset"]


@pytest.fixture
def places(sonde):
    """Reads logs; gives the address, the line and the offset of each record."""

    def places(*arguments, **more):
        result = sonde("check", "--log", *FIELDS, *arguments, **more)
        assert result.status in (0, 1), result.stderr
        return [(record["ip"], record["line"], record.get("offset")) for record in result.records]

    return places


def log(chooser, lines):
    """Lines of all lengths, some of them over many slices of a reader."""
    rows = []
    for n in range(lines):
        filler = b"z" * chooser.choice([0, 1, 7, 100, 9000, *[chooser.randrange(3 << 20)] * (n % 40 == 0)])
        rows.append(chooser.choice([b"", filler, b"5.1.%d.%d %s 2a00::%d\r" % (n // 250, n % 250, filler, n)]))
    return b"\n".join(rows) + chooser.choice([b"", b"\n"])


def wanted(text):
    """Where each line with an address begins, in both of its addresses."""
    offset, found = 0, []
    for number, line in enumerate(text.split(b"\n"), 1):
        if line.startswith(b"5."):
            words = line.split()
            found += [(words[0].decode(), number, offset), (words[-1].decode(), number, offset)]
        offset += len(line) + 1
    return found


@pytest.mark.parametrize("seed", range(3))
def test_each_line_begins_where_its_offset_says(sonde, places, seed):
    text = log(random.Random(seed), 200)
    sonde.file("log", text)
    assert places("log") == wanted(text)
    # A pipe's are its own, and so are those of each of several files.
    assert places("-", input=text) == wanted(text)
    assert places("log", "log") == wanted(text) * 2


def test_offsets_of_a_range_are_those_of_the_file(sonde, places):
    text = log(random.Random(9), 200)
    sonde.file("log", text)
    middle = text.index(b"\n", len(text) // 2) - 3
    parts = places("log", "--range", f"0:{middle}") + places("log", "--range", f"{middle}:")
    assert [(ip, offset) for ip, _, offset in parts] == [(ip, offset) for ip, _, offset in wanted(text)]


def test_there_are_none_where_the_text_is_not_what_lies_in_the_file(sonde, places):
    sonde.file("log.gz", gzip.compress(b"\n8.8.8.8\n"))
    sonde.file("wide", "\ufeff\n8.8.8.8\n".encode("utf-16-le"))
    for name in ("log.gz", "wide"):
        assert places(name) == [("8.8.8.8", 2, None)]
    assert sonde("check", *FIELDS, input=b"\n8.8.8.8\n").records == [{"ip": "8.8.8.8", "line": 2}]
    sonde.file("packets", captures.pcap([captures.framed(captures.ip("5.1.1.1", "5.2.2.2"))]))
    captured = sonde("scan", "--provider", "local", "--fields", "ip,offset", "packets").records
    assert captured == [{"ip": "5.1.1.1"}, {"ip": "5.2.2.2"}]


def test_a_record_from_a_provider_has_its_offset_in_every_format(sonde, simulator):
    sonde.file("log", "nothing\nfrom 5.1.1.1\n5.2.2.2 to 10.0.0.1\n")
    scan = ["scan", "--log", "--provider", "ip-api", "log", "--fields", "ip,offset"]
    told = {form: sonde(*scan, "--format", form, env=simulator.env).stdout for form in ("csv", "tsv", "ndjson")}
    assert told["csv"] == b"ip,offset\n5.1.1.1,8\n5.2.2.2,21\n10.0.0.1,21\n"
    assert told["tsv"] == told["csv"].replace(b",", b"\t")
    assert told["ndjson"].splitlines()[0] == b'{"ip":"5.1.1.1","offset":8}'
    kept = sonde(*scan, "--where", "offset > 8", "--format", "csv", env=simulator.env).stdout
    assert kept == b"ip,offset\n5.2.2.2,21\n10.0.0.1,21\n"


def test_upgrade_keeps_it_and_others_have_no_use_for_it(sonde, simulator):
    sonde.file("log", "\n5.1.1.1\n")
    scan = ["scan", "--log", "--provider", "ip-api", "--fields", "ip,status,source,country_code,offset"]
    simulator.control(faults=[{"fault": "status", "status": 500}])
    first = sonde(*scan, "--retries", "0", "log", "-o", "out.ndjson", env=simulator.env)
    assert first.status == 1, first.stderr
    simulator.control(faults=[])
    assert sonde("upgrade", "out.ndjson", "-o", "new.ndjson", "--provider", "ip-api", env=simulator.env).status == 0
    assert b'"status":"ok"' in sonde.read("new.ndjson") and b'"offset":1}' in sonde.read("new.ndjson")
    result = sonde("summary", "--provider", "local", "--where", "offset > 5", "log")
    assert result.status == 2 and "offset" in result.stderr and "scan takes it" in result.stderr
    result = sonde("annotate", "--style", "json", "--fields", "offset", input=b"{}\n", env=simulator.env)
    assert result.status == 2 and "offset" in result.stderr
