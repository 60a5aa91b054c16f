"""`import sonde`: records as Arrow of all that has addresses, and Parquet files of them."""

import importlib
import io
import ipaddress
import json
import os
import pathlib
import random
import subprocess
import sys

import pytest
from conftest import leftovers, rows
from expected import record

pa = pytest.importorskip("pyarrow")

# Seconds where nothing hangs.
REMOTE = {"provider": "ip-api", "no_cache": True}


# What a source may be.


def test_items_of_every_kind_are_lines(sonde, local):
    items = [
        "5.1.1.1", None, b"5.2.2.2", ipaddress.ip_address("5.3.3.3"), ipaddress.ip_network("5.4.4.0/31"),
        "5.5.5.5:53", "a\nb", "", "a\r\nb", float("nan"), "x" * 10_000_000, "nul\0nul", "\udc80", "5.1.1.1",
    ]  # fmt: skip
    found = rows(sonde.scan(items, **local), "ip", "status", "line")
    assert [each[2] for each in found] == [1, 3, 4, 5, 5, 6, 7, 9, 11, 12, 13]
    assert [each[0] for each in found[:5]] == ["5.1.1.1", "5.2.2.2", "5.3.3.3", "5.4.4.0", "5.4.4.1"]
    assert [each[1] for each in found[5:]] == ["invalid"] * 6
    assert found[6][0] == "a b" and len(found[8][0]) <= 256 and found[9][0] == "nul\0nul"


@pytest.mark.parametrize(
    "first",
    ["PK\x03\x04", "BZh91AY&SY", b"\x1f\x8b\x08", b"\xff\xfe", "ip,status,source", '{"ip":"1.1.1.1"}', "# x", "1"],
)
def test_no_first_item_is_taken_for_a_file_of_another_kind(sonde, local, first):
    found = rows(sonde.scan([first, "5.1.1.1", None, "5.2.2.2"], **local), "ip", "line")
    assert found[-2:] == [("5.1.1.1", 2), ("5.2.2.2", 4)]
    text = rows(sonde.scan([first, "x 5.1.1.1"], log=True, fields="ip,line,offset", **local), "line", "offset")
    assert text[-1] == (2, len(first) + 1)


def test_a_string_is_an_input_and_a_path_is_a_file(sonde, local, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in ("5.9.9.9", "--odd name"):
        pathlib.Path(name).write_text("5.1.1.1\n5.2.2.2\n")
        assert rows(sonde.scan(pathlib.Path(name), **local), "ip") == [("5.1.1.1",), ("5.2.2.2",)]
    assert rows(sonde.scan("./5.9.9.9", **local), "ip") == [("5.1.1.1",), ("5.2.2.2",)]
    assert rows(sonde.scan("--odd name", **local), "ip") == [("5.1.1.1",), ("5.2.2.2",)]
    assert rows(sonde.scan("5.0.0.0/31", **local), "ip") == [("5.0.0.0",), ("5.0.0.1",)]
    with open("5.9.9.9", "rb") as file:
        file.readline()
        assert rows(sonde.scan(file, **local), "ip", "line") == [("5.2.2.2", 1)]
    assert rows(sonde.scan(io.BytesIO(b"5.1.1.1"), **local), "ip") == [("5.1.1.1",)]
    with pytest.raises(TypeError, match="open it as binary"):
        rows(sonde.scan(io.StringIO("5.1.1.1\n"), **local))


def test_standard_input_is_that_of_the_caller(machine, local):
    script = f"import sonde; print(sonde.scan('-', **{local!r}).read_all()['ip'].to_pylist())"
    done = subprocess.run([sys.executable, "-c", script], input=b"5.1.1.1\n", capture_output=True, check=True)
    assert done.stdout == b"['5.1.1.1']\n"


def test_conditions_judge_the_numbers_of_items(sonde, local):
    for first in ("5.1.1.1", "PK\x03\x04", "bad one", None, ""):
        items = [first, "5.2.2.2", None, "5.3.3.3"]
        assert ("5.2.2.2", 2) in rows(sonde.scan(items, where="line in (2, 3)", **local), "ip", "line")
        assert ("5.3.3.3", 4) in rows(sonde.scan(items, where="not line <= 2", **local), "ip", "line")
        lines = [first, "x 5.2.2.2", "5.3.3.3"]
        begin = len(lines[0] or "") + 1
        for where in ("line = 2", "line >= '2' and line < 3", f"offset = {begin}"):
            found = rows(sonde.scan(lines, log=True, fields="ip,line,offset", where=where, **local))
            assert found == [{"ip": "5.2.2.2", "line": 2, "offset": begin}]
        told = sonde.summary(lines, log=True, where="line = 2", by="ip", **local)
        assert [each["ip"] for each in told["ip"]] == ["5.2.2.2"]


def test_rejected_items_are_in_their_file_with_their_numbers(sonde, local, tmp_path):
    items = ["bad one", "5.1.1.1", "#", None, "worse"]
    found = rows(sonde.scan(items, rejects=str(tmp_path / "rejects.csv"), **local), "ip", "line")
    assert found == [("5.1.1.1", 2)]
    rejected = (tmp_path / "rejects.csv").read_text().splitlines()
    assert [(line.split(",")[0], line.split(",")[-1]) for line in rejected[1:]] == [("bad one", "1"), ("worse", "5")]
    (tmp_path / "list").write_text("bad one\n5.1.1.1\n")
    source = sonde.scan(tmp_path / "list", rejects=str(tmp_path / "others.csv"), **local)
    assert rows(source, "ip", "line") == [("5.1.1.1", 2)]


def test_a_byte_order_mark_is_of_its_item(sonde, local):
    items = ["\ufeff5.1.1.1", "5.2.2.2", "\ufeff\ufeff", '\ufeff"x"']
    for fields in ("ip,line", "ip"):
        assert rows(sonde.scan(items, fields=fields, **local), "ip") == [(each,) for each in items]


def test_columns_are_chosen_by_their_names(sonde, local):
    import pandas

    data = {"ip": ["5.1.1.1", None], "status.x": ["5.2.2.2", "5.3.3.3"], "IP": ["5.4.4.4", "x"], "n": [1, 2]}
    table = pa.table(data)
    wanted = [("5.2.2.2", 1), ("5.3.3.3", 2)]
    for source in (table, table.to_reader(), table.to_batches()[0], pandas.DataFrame(data)):
        assert rows(sonde.scan(source, column="status.x", **local), "ip", "line") == wanted
    assert rows(sonde.scan(table.select(["ip"]), **local), "ip", "line") == [("5.1.1.1", 1)]
    assert rows(sonde.scan(table, column="IP", **local), "status") == [("ok",), ("invalid",)]
    for column in (None, "absent", "Ip"):
        with pytest.raises(ValueError, match="ip, status.x, IP, n"):
            sonde.scan(table, column=column, **local)
    with pytest.raises(TypeError, match="int64"):
        sonde.scan(table, column="n", **local)
    with pytest.raises(ValueError, match="has no columns"):
        sonde.scan(["5.1.1.1"], column="ip", **local)
    texts = ["5.1.1.1", None]
    for frame in (pandas.Series(texts).to_frame(), pandas.DataFrame({("a", "b"): texts})):
        assert rows(sonde.scan(frame, **local), "ip", "line") == [("5.1.1.1", 1)]
    frame = pandas.DataFrame({0: ["x", "y"], 1: texts})
    assert rows(sonde.scan(frame, column="1", **local), "ip", "line") == [("5.1.1.1", 1)]


def test_arrays_and_series_are_items(sonde, local):
    import pandas

    texts = ["5.1.1.1", None, "5.2.2.2"]
    plain = pa.array(texts)
    sources = [
        plain, pa.chunked_array([texts, texts[:0]]), plain.dictionary_encode(), plain.cast(pa.large_string()),
        plain.cast(pa.binary()), pandas.Series(texts), pandas.Series(texts, dtype="category"),
        pandas.Series(texts, dtype="string"),
    ]  # fmt: skip
    for source in sources:
        assert rows(sonde.scan(source, **local), "ip", "line") == [("5.1.1.1", 1), ("5.2.2.2", 3)]
    for source, words in ((pa.array([1]), "int64"), (pa.array([[1]]), "list")):
        with pytest.raises(TypeError, match=words):
            sonde.scan(source, **local)


def test_duckdb_and_polars_give_and_take(sonde, local):
    import duckdb
    import polars

    texts = ["5.1.1.1", None, "5.2.2.2"]
    series = polars.Series("ip", texts)
    relation = duckdb.sql("SELECT * FROM (VALUES ('5.1.1.1'), (NULL), ('5.2.2.2')) hits(ip)")
    for source in (series, series.cast(polars.Categorical), series.to_frame(), relation):
        assert rows(sonde.scan(source, **local), "ip", "line") == [("5.1.1.1", 1), ("5.2.2.2", 3)]
    assert rows(sonde.scan(polars.DataFrame({"n": [1, 2, 3], "ip": texts}), column="ip", **local), "line") == [
        (1,),
        (3,),
    ]
    records = sonde.scan(texts, **local)  # noqa: F841, for DuckDB finds it by its name
    assert duckdb.sql("SELECT count(ip) FROM records").fetchall() == [(2,)]
    assert polars.DataFrame(sonde.scan(texts, **local)).schema["fetched_at"] == polars.Datetime("us", "UTC")


@pytest.mark.parametrize("first", ["5.1.1.1", "a name", None])
def test_many_items_are_the_same_lines_however_they_come(sonde, first):
    from sonde import sources

    chooser = random.Random(str(first))
    texts = [first, *(f"5.{n >> 8 & 255}.{n & 255}.1" for n in range(60_000))]
    for text in ("a\nb", "\r", "naïve", "", "x" * 300_000):
        texts.insert(chooser.randrange(1, len(texts)), text)
    items = list(texts)
    for item in (None, b"5.2.2.2\n", ipaddress.ip_address("5.3.3.3"), float("nan"), "\ud800"):
        items.insert(chooser.randrange(1, len(items)), item)
    for values, kinds in ((items, (list, tuple, iter)), (texts, (list, iter, pa.array, pa.chunked_array))):
        lines = [sources.line(each) + b"\n" for each in values]
        wanted = b"".join([*([sources.GUARD] if first != "5.1.1.1" else []), *lines])
        for kind in kinds:
            found = sources.of(kind([values]) if kind is pa.chunked_array else kind(values), None)
            chunks = list(found.chunks)
            assert b"".join(chunks) == wanted and found.guard.is_there == (first != "5.1.1.1")
            # What is not read is not asked.
            assert len(chunks[0]) < 1 << 13


@pytest.mark.parametrize("source", [5, None, 1.5, b"5.1.1.1", bytearray(b"5.1.1.1"), object()])
def test_what_has_no_items_is_named(sonde, local, source):
    for column in (None, "a"):
        with pytest.raises((TypeError, ValueError), match=type(source).__name__) as caught:
            sonde.scan(source, column=column, **local)
        assert caught.type is TypeError


def test_a_frame_without_rows_yet_is_named(sonde, local, recwarn):
    import polars

    for column in (None, "a"):
        with pytest.raises(TypeError, match="LazyFrame"):
            sonde.scan(polars.LazyFrame({"a": ["5.1.1.1"]}), column=column, **local)
    assert not [each for each in recwarn if "Performance" in each.category.__name__]


@pytest.mark.parametrize("item", [5, 1.5, ["5.1.1.1"], {"ip": 1}, object(), True])
def test_an_item_of_another_type_is_named(sonde, local, item):
    with pytest.raises(TypeError, match=type(item).__name__):
        rows(sonde.scan(["5.1.1.1", item], **local))
    assert leftovers() == []


# What comes out.


def test_records_have_their_types_also_where_there_are_none(sonde, local, tmp_path):
    (tmp_path / "nets.csv").write_text('network,"a ""b"", c"\n5.1.1.0/24,x\n')
    options = {**local, "with_": ["names", f"own={tmp_path}/nets.csv"], "fields": "+offset,+proxy,+first_seen"}
    wanted = sonde.schema(**options)
    types = {field.name: field.type for field in wanted}
    assert types["asn"] == types["line"] == types["offset"] == pa.int64() and types["latitude"] == pa.float64()
    assert types["fetched_at"] == types["first_seen"] == pa.timestamp("us", "UTC") and types["proxy"] == pa.bool_()
    assert types["ptr"] == pa.list_(pa.string()) and types['own_a "b", c'] == pa.string()
    assert [field.name for field in wanted if not field.nullable] == ["ip", "status"]
    for items in ([], [None], ["5.1.1.1"]):
        table = sonde.scan(items, **options).read_all()
        table.validate(full=True)
        assert table.schema == wanted and table.num_rows == len([each for each in items if each])
    assert table['own_a "b", c'].to_pylist() == ["x"]


def test_values_are_those_of_the_program(sonde, simulator, scan):
    addresses = [f"5.{n}.7.7" for n in range(300)]
    told = {each["ip"]: each for each in scan("\n".join(addresses), "--provider=ip-api")}
    events = []
    found = rows(sonde.scan(addresses, events=events.append, **REMOTE))
    assert [each["ip"] for each in found] == addresses
    for each in found:
        fetched = each.pop("fetched_at")
        assert (fetched is None) == ("fetched_at" not in told[each["ip"]])
        values = {name: value for name, value in each.items() if value is not None}
        assert values == {name: value for name, value in told[each["ip"]].items() if name != "fetched_at"}
    assert events[-1]["event"] == "summary" and events[-1]["entries"] == 300


def test_lookup_gives_dicts_in_order(sonde, local):
    asked = ["5.1.1.1", "foo", ipaddress.ip_address("::ffff:5.1.1.1"), "10.0.0.0/31", "5.1.1.1"]
    found = sonde.lookup(*asked, fields="ip,status,city", **local)
    assert [(each["ip"], each["status"]) for each in found] == [
        ("5.1.1.1", "ok"), ("foo", "invalid"), ("5.1.1.1", "ok"), ("10.0.0.0", "reserved"), ("10.0.0.1", "reserved"),
        ("5.1.1.1", "ok"),
    ]  # fmt: skip
    assert all(None not in each.values() and "line" not in each for each in found)
    assert sonde.lookup(**local) == []
    many = [f"5.{n // 250}.{n % 250}.1" for n in range(20_000)]
    assert [each["ip"] for each in sonde.lookup(*many, fields="ip", **local)] == many
    assert sonde.lookup("5.1.1.1", **REMOTE)[0]["city"] == record("5.1.1.1")["city"]


def test_lookup_gives_a_dict_for_each_that_no_list_could_hold(sonde, local):
    asked = ["", "5.1.1.1", "#", "5.1.1.1 # c", "x # y", " ", "5.1.1.1", b"\xff#", "fe80::1%a#b", "#"]
    found = sonde.lookup(*asked, fields="ip,status", **local)
    assert [each["status"] for each in found] == [
        "invalid", "ok", "invalid", "invalid", "invalid", "invalid", "ok", "invalid", "reserved", "invalid",
    ]  # fmt: skip
    assert [each.get("ip") for each in found[:5]] == [None, "5.1.1.1", "#", "5.1.1.1 # c", "x # y"]
    hostile = ["#" + "x" * 200_000, "#\0", *(f"#{n}" + "é" * 5000 for n in range(600)), "5.1.1.1"]
    found_too = sonde.lookup(*hostile, fields="status", **local)
    assert [each["status"] for each in found_too] == ["invalid"] * 602 + ["ok"]
    kept = sonde.lookup(*asked, "10.0.0.1", fields="ip,status", where="status = ok", **local)
    assert kept == [each for each in found if each["status"] != "reserved"]


def test_lookup_asks_for_what_it_was_given_whatever_check_would_make_of_it(sonde, local, monkeypatch, tmp_path):
    asked = [" 5.1.1.1", "x", "5.1.1.0/31", "5.1.1.1"]
    found = sonde.lookup(*asked, fields="ip,status", **local)
    assert [each["ip"] for each in found] == ["5.1.1.1", "x", "5.1.1.0", "5.1.1.1", "5.1.1.1"]
    for name, value in (("ANONYMIZE", "truncate"), ("WHERE", "status"), ("REJECTS", str(tmp_path / "rejects"))):
        with monkeypatch.context() as patched:
            patched.setenv(f"SONDE_{name}", value)
            assert sonde.lookup(*asked, fields="ip,status", **local) == found
    assert not (tmp_path / "rejects").exists()
    settings = tmp_path / "sonde" / "config"
    settings.parent.mkdir()
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    for value in ("truncate", "truncate=32,48"):
        settings.write_text(f"anonymize = {value}\n")
        with pytest.raises(sonde.SondeError, match="anonymize"):
            sonde.lookup(*asked, fields="ip,status", **local)
    assert sonde.lookup("5.1.1.1", fields="ip", **local) == [{"ip": "5.1.1.1"}]
    settings.write_text(f"rejects = {tmp_path / 'rejects'}\n")
    assert sonde.lookup(*asked, fields="ip,status", **local) == found


def test_a_column_may_have_its_first_value_late(sonde):
    records = importlib.import_module("sonde.records")
    schema = pa.schema([("ip", pa.string()), ("asn", pa.int64()), ("names", pa.list_(pa.string()))])
    many, late = b"5.1.1.1,,\n" * (records.CHUNK_SIZE // 5), [b"5.1.1.2,7,\n", b"5.1.1.3,,a b\n", b"\xef\xbb\xbf,,\n"]
    pieces = [b"ip,asn,names\n", many[:-3], many[-3:], many]
    for row in late:
        pieces += [row + many, b""]
    table = pa.Table.from_batches(records.batches(pieces, schema), schema)
    count = len(many) // 10
    assert table.num_rows == 5 * count + 3
    places = [2 * count, 3 * count + 1, 4 * count + 2]
    assert table.take(places).to_pylist() == [
        {"ip": "5.1.1.2", "asn": 7, "names": None},
        {"ip": "5.1.1.3", "asn": None, "names": ["a", "b"]},
        {"ip": "\ufeff", "asn": None, "names": None},
    ]
    assert [table[name].null_count for name in table.column_names] == [0, 5 * count + 2, 5 * count + 2]
    with pytest.raises(pa.ArrowInvalid, match="int64"):
        list(records.batches([b"ip,asn,names\n", many, many, b"5.1.1.1,x,\n"], schema))

    def failing():
        yield b"ip,asn,names\n" + many
        raise KeyError("source")

    given = []
    with pytest.raises(KeyError, match="source"):
        for batch in records.batches(failing(), schema):
            given.append(batch.num_rows)
    assert given == [count]


LATE = """
import sys, threading, time, sonde

def work():
    main.join()
    time.sleep(0.2)
    print(sum(batch.num_rows for batch in sonde.scan(sys.argv[1], provider="local", database=sys.argv[2])))

main = threading.main_thread()
threading.Thread(target=work).start()
"""


def test_a_thread_reads_on_when_the_main_thread_has_ended(sonde, local, tmp_path):
    place = tmp_path / "list"
    place.write_text("".join(f"5.{n // 62500}.{n // 250 % 250}.{n % 250}\n" for n in range(150_000)))
    command = [sys.executable, "-c", LATE, place, local["database"]]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert (done.stdout, done.stderr) == ("150000\n", "")


def test_a_summary_is_the_object_of_the_command(sonde, local, tmp_path):
    text = "x 5.1.1.1\ny 5.2.2.2 5.1.1.1\n"
    (tmp_path / "log").write_text(text)
    command = [
        "sonde",
        "summary",
        "--log",
        "--format=json",
        "--quiet",
        "--provider=local",
        f"--database={local['database']}",
    ]
    wanted = json.loads(subprocess.run([*command, tmp_path / "log"], stdout=subprocess.PIPE, check=True).stdout)
    assert sonde.summary(tmp_path / "log", log=True, **local) == wanted
    assert sonde.summary(text.splitlines(), log=True, **local) == wanted


def test_parquet_replaces_no_file_that_is_read_or_written_beside_it(sonde, local, tmp_path):
    place = tmp_path / "list.txt"
    place.write_text("8.8.8.8\nbad one\n")
    others = {"input": {}, "rejects": {"rejects": str(tmp_path / "r")}, "cache": {"cache": str(tmp_path / "c")}}
    for name, more in others.items():
        output = str(place) if name == "input" else more[name]
        with pytest.raises(sonde.UsageError, match="is also"):
            sonde.to_parquet(place, output, **more, **local)
    assert place.read_text() == "8.8.8.8\nbad one\n"
    for call in (sonde.scan, lambda *asked, **more: sonde.to_parquet(*asked, tmp_path / "new", **more)):
        with pytest.raises(TypeError, match="events: a value of type str"):
            call(["8.8.8.8"], events="run.ndjson", **local)


def test_a_parquet_file_is_whole_or_not_there(sonde, local, tmp_path):
    import pyarrow.parquet as pq

    place = tmp_path / "folder" / "out.parquet"
    place.parent.mkdir()
    many = [f"5.{n // 250}.{n % 250}.1" for n in range(30_000)]
    summary = sonde.to_parquet(many, place, shared=None, **local)
    assert summary["event"] == "summary" and summary["entries"] == 30_000
    written = pq.read_table(place)
    assert written.schema.equals(sonde.schema(**local)) and written["ip"].to_pylist() == many
    assert written.schema.metadata[b"sonde.version"].decode() == sonde.__version__
    assert json.loads(written.schema.metadata[b"sonde.options"]) == {**local, "shared": None}
    before = place.read_bytes()

    def broken():
        yield from many
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        sonde.to_parquet(broken(), place, **local)
    with pytest.raises(sonde.UsageError):
        sonde.to_parquet(many, place, timeout="soon", **local)
    assert place.read_bytes() == before and os.listdir(place.parent) == ["out.parquet"]
    with pytest.raises(OSError, match="absent"):
        sonde.to_parquet(many, tmp_path / "absent" / "out.parquet", **local)
    sonde.to_parquet([], place, **local)
    assert pq.read_table(place).num_rows == 0 and pq.read_table(place).schema.equals(sonde.schema(**local))
    assert leftovers() == []
