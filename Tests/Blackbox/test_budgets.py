"""What an input costs in memory and time is bounded, whatever it claims."""

import contextlib
import lzma
import sqlite3
import struct
import subprocess
import sys
import time
import zlib

import pytest
from serving import Dashboard

pytestmark = pytest.mark.slow

MIB = 1 << 20


# A process counts the memory of the one that it came from, too: a small one in between has little.
MEASURING = """
import resource, subprocess, sys
status = subprocess.call(sys.argv[1:], stdout=subprocess.DEVNULL)
open("peak", "w").write(str(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss // 1024))
sys.exit(status)
"""


def peak(sonde, *arguments, env=None):
    """Runs a command, and gives its status, what it said, and the most memory that it had, in MiB."""
    result = sonde(*arguments, env=env, prefix=[sys.executable, "-ISc", MEASURING])
    return result.status, result.stderr, int(sonde.read("peak"))


def zstd_with_window(log, size):
    """A frame (RFC 8878) of zeros whose header names a window of 2 to the power of `log` bytes."""
    blocks = []
    while size > 0:
        run = min(size, 128 << 10)
        size -= run
        # A block of one byte that is repeated.
        blocks.append(struct.pack("<I", run << 3 | 1 << 1 | (size == 0))[:3] + b"\0")
    return struct.pack("<I", 0xFD2FB528) + bytes([0, (log - 10) << 3]) + b"".join(blocks)


def xz_with_dictionary(size, text):
    filters = [{"id": lzma.FILTER_LZMA2, "preset": 0, "dict_size": size}]
    return lzma.compress(text, filters=filters)


def header_with_dictionary(header, size):
    """A header of an xz block (xz-file-format.txt 3.1) with another size of dictionary (5.3.1)."""
    content = bytearray(header[:-4])
    place = content.index(b"\x21\x01") + 2
    content[place] = size
    return bytes(content) + zlib.crc32(bytes(content)).to_bytes(4, "little")


NEEDS = {
    "zstd": "needs a window of more than 128 MiB, which is not read: unpack it with zstd -dc --long=31 first",
    "xz": "needs a dictionary of more than 128 MiB, which is not read: unpack it with xz -dc first",
}


@pytest.mark.parametrize("command", ["check", "check --log", "extract", "summary", "annotate", "scan", "plan", "upgrade"])
def test_a_window_over_the_limit_is_refused_with_advice(sonde, command):
    skipped = b"\x50\x2a\x4d\x18\x04\0\0\0abcd"
    for window in (28, 31, 41):
        for begin in (b"", skipped, zstd_with_window(20, 100)):
            name = sonde.file("list.zst", begin + zstd_with_window(window, 4 * MIB))
            status, words, memory = peak(sonde, *command.split(), "-q", name)
            assert status == 5 and f"sonde: list.zst: {NEEDS['zstd']}\n" in words
            assert memory < 60


def test_a_dictionary_over_the_limit_is_refused_with_advice(sonde):
    packed = lzma.compress(b"8.8.8.8\n", preset=0)
    small = packed[12:24]
    # 192 MiB, 1.5 GiB and the most that there can be (xz-file-format.txt 5.3.1).
    for size in (33, 39, 40):
        name = sonde.file("list.xz", packed + packed.replace(small, header_with_dictionary(small, size)))
        status, words, memory = peak(sonde, "check", "-q", name)
        assert status == 5 and f"sonde: list.xz: {NEEDS['xz']}\n" in words and memory < 60


def test_windows_and_dictionaries_up_to_the_limit_are_read(sonde):
    many = b"".join(zstd_with_window(27, 200 * MIB) for _ in range(5))
    line = subprocess.run(["zstd", "-qc"], input=b"\n8.8.8.8\n", capture_output=True, check=True).stdout
    for packed in (many + line, xz_with_dictionary(128 * MIB, bytes(200 * MIB) + b"\n8.8.8.8\n")):
        status, words, memory = peak(sonde, "check", "-q", sonde.file("list", packed))
        # The line of zeros is no address.
        assert (status, words) == (1, "") and memory < 128 + 60


def database(sonde, *statements, columns="ip TEXT, status TEXT, source TEXT, city TEXT, own BLOB"):
    path = sonde.work / "r.db"
    path.unlink(missing_ok=True)
    with contextlib.closing(sqlite3.connect(path)) as database:
        if columns:
            database.execute(f"CREATE TABLE records ({columns})")
        for statement in statements:
            database.executescript(statement)
        database.commit()
    return "r.db"


FAILED = "INSERT INTO records (ip, status) VALUES ('9.9.9.9', 'failed');"
GOOD = "INSERT INTO records (ip, status, source) VALUES ('8.8.8.8', 'ok', 'ip-api');"


def both(sonde, simulator, name):
    """What summary and upgrade come to, both quick and small."""
    found = []
    for command in (["summary"], ["upgrade", "-o", "out.db"]):
        for end in ("", "-journal"):
            (sonde.work / f"out.db{end}").unlink(missing_ok=True)
        start = time.monotonic()
        status, words, memory = peak(sonde, *command, "-q", name, env=simulator.env)
        assert memory < 80, command
        assert time.monotonic() - start < 20, command
        found.append((status, words))
    return found


@pytest.mark.parametrize("column", ["ip", "status", "source", "city"])
@pytest.mark.parametrize("kind", ["text", "blob"])
def test_a_value_over_the_limit_is_no_record_and_what_follows_is_read(sonde, simulator, column, kind):
    value = f"CAST(zeroblob({60 * MIB}) AS {kind})"
    name = database(
        sonde, GOOD, f"INSERT INTO records (ip, status, source) VALUES ('1.1.1.1', 'ok', 'ip-api'); "
        f"UPDATE records SET {column} = {value} WHERE ip = '1.1.1.1';", FAILED)
    (status, words), upgraded = both(sonde, simulator, name)
    assert status == 5 and words == "sonde: r.db: row 2 is left out: a value in it is longer than 1 MiB\n"
    if column == "city":
        assert upgraded == (0, "")
    else:
        assert upgraded == (5, "sonde: r.db: row 2 stays as it is: a value in it is longer than 1 MiB\n")
    with contextlib.closing(sqlite3.connect(sonde.work / "out.db")) as out:
        assert out.execute("SELECT status FROM records WHERE rowid = 3").fetchone() == ("ok",)
        assert out.execute(f"SELECT length({column}) FROM records WHERE rowid = 2").fetchone()[0] in (0, 60 * MIB)


def test_what_is_not_read_costs_nothing(sonde, simulator):
    name = database(sonde, f"INSERT INTO records VALUES ('8.8.8.8', 'ok', 'ip-api', 'x', zeroblob({200 * MIB}));", FAILED)
    assert both(sonde, simulator, name) == [(0, ""), (0, "")]


def test_generated_columns_are_not_computed(sonde, simulator):
    columns = "ip TEXT, status TEXT, source TEXT, city TEXT, own AS (hex(zeroblob(length(ip) * 30000000)))"
    name = database(sonde, GOOD, FAILED, columns=columns)
    advice = "copy its table records into a database of its own"
    words = f"sonde: out.db: a row, with what is computed in it, is longer than 16 MiB, which is not written: {advice}\n"
    assert both(sonde, simulator, name) == [(0, ""), (5, words)]


def test_triggers_and_views_do_not_run(sonde, simulator):
    endless = "WITH RECURSIVE n(x) AS (VALUES (1) UNION ALL SELECT x + 1 FROM n)"
    name = database(sonde, GOOD, FAILED, "CREATE TABLE t (x);",
                    f"CREATE TRIGGER g AFTER UPDATE ON records BEGIN INSERT INTO t {endless} SELECT x FROM n; END;")
    assert both(sonde, simulator, name) == [(0, ""), (0, "")]
    name = database(sonde, f"CREATE VIEW records AS {endless} SELECT x AS rowid, '8.8.8.8' AS ip, 'ok' AS status, NULL AS source FROM n;", columns="")
    words = "sonde: r.db: has no table of records as scan writes it\n"
    assert both(sonde, simulator, name) == [(5, words), (5, words)]


def test_a_large_schema_is_refused(sonde, simulator):
    advice = "copy its table records into a database of its own\n"
    many = "INSERT INTO sqlite_schema SELECT 'view', 'v' || x, 'v' || x, 0, 'CREATE VIEW v' || x || ' AS SELECT 1' FROM n"
    name = database(sonde, GOOD, f"""PRAGMA writable_schema = 1;
        WITH RECURSIVE n(x) AS (VALUES (1) UNION ALL SELECT x + 1 FROM n WHERE x < 100000) {many};""")
    words = f"sonde: r.db: defines too many tables, views and indexes to be read: {advice}"
    assert both(sonde, simulator, name) == [(5, words), (5, words)]
    name = database(sonde, GOOD, f"""PRAGMA writable_schema = 1;
        INSERT INTO sqlite_schema VALUES ('view', 'v', 'v', 0, 'CREATE VIEW v AS SELECT ''' || hex(zeroblob({20 * MIB})) || '''');""")
    words = f"sonde: r.db: has a definition of more than 1 MiB, which is not read: {advice}"
    assert both(sonde, simulator, name) == [(5, words), (5, words)]


def test_rows_without_numbers_of_their_own_end(sonde, simulator):
    name = database(sonde, "INSERT INTO records VALUES ('b', '8.8.8.8', 'ok', 'ip-api'), ('a', '9.9.9.9', 'failed', NULL);",
                    columns="rowid TEXT, ip TEXT, status TEXT, source TEXT")
    words = "sonde: r.db: is damaged: the numbers of its rows do not rise\n"
    assert both(sonde, simulator, name) == [(5, words), (5, words)]


def test_pages_that_hold_each_other_without_an_end(sonde, simulator):
    name = database(sonde, FAILED)
    with contextlib.closing(sqlite3.connect(sonde.work / name)) as opened:
        root, size = opened.execute("SELECT rootpage, page_size FROM sqlite_schema, pragma_page_size").fetchone()
    data = bytearray(sonde.read(name))
    leaf = bytes(data[(root - 1) * size : root * size])

    def interior(child):
        """A page of 300 pointers to the same one (https://www.sqlite.org/fileformat.html, 1.6)."""
        page = bytearray(size)
        for index in range(300):
            place = size - 5 * (index + 1)
            page[place : place + 5] = struct.pack(">IB", child, 1)
            struct.pack_into(">H", page, 12 + 2 * index, place)
        struct.pack_into(">BHHHBI", page, 0, 5, 0, 300, place, 0, child)
        return page

    first = len(data) // size + 1
    data[(root - 1) * size : root * size] = interior(first)
    for level in range(15):
        data += interior(first + level + 1)
    data += leaf
    struct.pack_into(">I", data, 28, len(data) // size)
    sonde.file(name, bytes(data))
    (status, words), upgraded = both(sonde, simulator, name)
    assert status == 5 and words == "sonde: r.db: is damaged: the numbers of its rows do not rise\n"
    assert upgraded == (5, "sonde: r.db: is damaged: it has more rows than have room in it\n")


def test_uploads_have_the_same_budget(sonde, simulator):
    dashboard = Dashboard(sonde, simulator)
    try:
        bombs = [dashboard.scan(zstd_with_window(31, 64 * MIB)).json["id"] for _ in range(10)]
        for bomb in bombs:
            scan = dashboard.until(bomb, "failed")
            assert NEEDS["zstd"] in scan["detail"]
        large = [dashboard.scan(zstd_with_window(27, 150 * MIB), **{"as": "list"}).json["id"] for _ in range(10)]
        for scan in large:
            # A line that is too long is one entry.
            assert dashboard.until(scan, "done")["counts"]["invalid"] == 1
        peak = next(line for line in open(f"/proc/{dashboard.running.process.pid}/status") if line.startswith("VmHWM"))
        # Two scans at work and a look into another.
        assert int(peak.split()[1]) // 1024 < 3 * 128 + 100
    finally:
        dashboard.stop()
