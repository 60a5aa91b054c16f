"""`read_log`: what one undisturbed `sonde scan --log` says, and where each address stands."""

import gzip
import os
import random
from pathlib import Path

import pytest
from conftest import multiset
from py4j.protocol import Py4JError
from pyspark.errors import AnalysisException, PySparkException

SEEDS = range(int(os.environ.get("SONDE_TEST_SPLITS", "3")))


def log(chooser, lines):
    """A log as nobody would write it."""
    rows = []
    for n in range(lines):
        address = f"5.{chooser.randrange(40)}.{chooser.randrange(9)}.7"
        rows.append(
            chooser.choice(
                [
                    address.encode(),
                    b'"%s" and [2a00::%d]:443' % (address.encode(), n % 30),
                    b"",
                    b"\r",
                    b"no address, \xff\xfe",
                    b'quote " , ' + address.encode(),
                    "naïve 北京 ".encode() + address.encode() + b"\r",
                    b"z" * chooser.randrange(2000),
                    address.encode() + b" " + address.encode(),
                    b"10.0.0.%d" % (n % 200),
                ]  # fmt: skip
            )
        )
    return b"\n".join(rows) + chooser.choice([b"", b"\n"])


def placed(rows):
    """Makes sure that each record's line is the first one with its address, and begins where it says."""
    for row in rows:
        text = Path(row.input).read_bytes()
        assert row.offset == 0 or text[row.offset - 1 : row.offset] == b"\n"
        line = text[row.offset :].split(b"\n", 1)[0]
        assert row.ip.encode() in line and row.line is None, row
        assert row.ip.encode() + b"\n" not in text[: row.offset].replace(b" ", b"\n").replace(b"]", b"\n")


@pytest.mark.parametrize("seed", SEEDS)
def test_splits_anywhere_give_the_records_of_one_scan(spark, module, scan, local, tmp_path, seed):
    chooser = random.Random(seed)
    text = log(chooser, 400)
    (tmp_path / "log").write_bytes(text)
    split = len(text) // chooser.randrange(5, 15) + chooser.randrange(5)
    rows = module.read_log(spark, str(tmp_path / "log"), split, **local).collect()
    wanted = scan("", "--log", f"--database={local['database']}", "--provider=local", str(tmp_path / "log"))
    assert multiset(rows) == multiset(wanted)
    placed(rows)


def test_a_border_anywhere_in_a_line_loses_and_doubles_nothing(spark, module, local, tmp_path):
    (tmp_path / "log").write_bytes(b"5.1.1.1\n5.2.2.2\n\n5.3.3.3 5.4.4.4")
    for split in (1, 8, 9):
        rows = module.read_log(spark, f"file://{tmp_path}/log", split, **local).collect()
        assert sorted((row.ip, row.offset) for row in rows) == [
            ("5.1.1.1", 0), ("5.2.2.2", 8), ("5.3.3.3", 17), ("5.4.4.4", 17),
        ]  # fmt: skip


def test_each_address_of_all_files_is_asked_once(spark, module, simulator, redis, tmp_path):
    simulator.control(window=1, batch_limit=1000)
    folder = tmp_path / "logs"
    folder.mkdir()
    for name in range(3):
        lines = [f"5.{n % 97}.{n % 5}.{name // 2}" for n in range(500)]
        (folder / f"{name}.log").write_text("\n".join(lines) + "\n")
    (folder / "_hidden").write_text("9.9.9.9\n")
    options = {"provider": "ip-api", "shared": redis.url}
    for path in (str(folder), f"{folder}/*.log", [f"{folder}/{n}.log" for n in range(3)]):
        rows = module.read_log(spark, path, "2k", **options).collect()
        assert len(rows) == len({row.ip for row in rows}) == 970 and {row.status for row in rows} <= {
            "ok",
            "unknown",
        }
        assert {row.input for row in rows if row.ip.endswith(".0")} == {f"{folder}/0.log"}
        placed(rows)
    assert set(simulator.addresses().values()) == {1} and simulator.counts()["items"] == 970


def test_a_compressed_log_is_one_split_and_has_lines(spark, module, scan, local, tmp_path):
    text = log(random.Random(7), 300)
    (tmp_path / "log.gz").write_bytes(gzip.compress(text))
    (tmp_path / "log").write_bytes(b"9.9.9.9\n")
    rows = module.read_log(spark, [str(tmp_path / "log.gz"), str(tmp_path / "log")], "1k", **local).collect()
    wanted = scan("", "--log", f"--database={local['database']}", "--provider=local", str(tmp_path / "log.gz"))
    packed = [row for row in rows if row.input.endswith(".gz")]
    assert multiset(packed) == multiset(wanted)
    assert {row.ip: row.line for row in packed} == {each["ip"]: each["line"] for each in wanted}
    assert {(row.offset, row.line) for row in rows if row not in packed} == {(0, None)}


@pytest.mark.parametrize("text", [b"", b"\n", b"nothing here", b"z" * 3_000_000])
def test_a_log_without_addresses_has_no_records(spark, module, local, tmp_path, text):
    (tmp_path / "log").write_bytes(text)
    df = module.read_log(spark, str(tmp_path / "log"), "1m", **local)
    assert df.collect() == [] and df.columns[-3:] == ["input", "offset", "line"]


def test_a_line_that_fills_splits_is_read_by_the_first(spark, module, local, tmp_path):
    (tmp_path / "log").write_bytes(b"5.1.1.1 " + b"y" * (3 << 20) + b" 5.2.2.2\n5.3.3.3\n")
    rows = module.read_log(spark, str(tmp_path / "log"), "1m", **local).collect()
    end = (3 << 20) + 17
    assert sorted((row.ip, row.offset) for row in rows) == [("5.1.1.1", 0), ("5.2.2.2", 0), ("5.3.3.3", end)]


def test_what_is_known_is_not_asked(spark, module, simulator, local, tmp_path):
    (tmp_path / "log").write_text("8.8.8.8\n9.9.9.9\n")
    remote = {"provider": "ip-api", "no_cache": True}
    known = module.enrich(spark.createDataFrame([("8.8.8.8",)], "value string"), **remote)
    known.write.parquet(str(tmp_path / "known"))
    simulator.control()
    before = spark.read.parquet(str(tmp_path / "known"))
    rows = module.read_log(spark, str(tmp_path / "log"), known=before, **remote).collect()
    assert sorted((row.ip, row.offset) for row in rows) == [("8.8.8.8", 0), ("9.9.9.9", 8)]
    assert simulator.addresses() == {"9.9.9.9": 1}


def test_what_cannot_be_read_is_told_before_a_task_is_started(spark, module, local, tmp_path):
    (tmp_path / "archive.zip").write_bytes(b"PK\x03\x04" + bytes(100))
    with pytest.raises(module.SondeError, match="no such file"):
        module.read_log(spark, str(tmp_path / "absent"), **local)
    with pytest.raises(module.SondeError, match="status 5.*zip"):
        module.read_log(spark, str(tmp_path / "archive.zip"), **local)
    with pytest.raises(ValueError, match="a file has no host"):
        module.read_log(spark, "file://name/log", **local)
    with pytest.raises(ValueError, match="split='0'"):
        module.read_log(spark, str(tmp_path), "0", **local)


def test_a_log_that_is_cut_short_before_it_is_read_is_an_error(spark, module, local, tmp_path):
    path = tmp_path / "log"
    path.write_text("8.8.8.8\n" * 1000)
    df = module.read_log(spark, str(path), "2k", **local)
    path.write_text("8.8.8.8\n")
    with pytest.raises((PySparkException, Py4JError), match="has 8 bytes, and had at least"):
        df.collect()


def test_on_one_machine_files_are_read_by_one_run(module, spark, scan, local, tmp_path):
    text = log(random.Random(4), 400)
    (tmp_path / "one").write_bytes(text)
    rows = module.read_log(spark, str(tmp_path / "one"), **local)
    assert rows.rdd.getNumPartitions() == 1
    wanted = scan("", "--log", f"--database={local['database']}", "--provider=local", str(tmp_path / "one"))
    assert multiset(rows.collect()) == multiset(wanted)
    placed(rows.collect())
    (tmp_path / "two").write_bytes(b"\n5.255.1.1\n" + text)
    both = module.read_log(spark, str(tmp_path), **local)
    assert both.rdd.getNumPartitions() == 1
    later = [row for row in both.collect() if row.input != str(tmp_path / "one")]
    assert [(row.ip, row.input, row.offset, row.line) for row in later] == [
        ("5.255.1.1", str(tmp_path / "two"), 1, None)
    ]
    assert both.count() == len(wanted) + 1
    (tmp_path / "two").write_bytes(gzip.compress(b"\n5.255.1.1\n" + text))
    packed = module.read_log(spark, str(tmp_path), **local).where("ip = '5.255.1.1'").collect()
    assert [(row.input, row.offset, row.line) for row in packed] == [(str(tmp_path / "two"), None, 2)]


def test_one_pass_takes_the_fields_that_are_wanted(module, spark, local, tmp_path):
    (tmp_path / "log").write_text("none\n5.1.1.1 10.0.0.1\n")
    rows = module.read_log(spark, str(tmp_path / "log"), fields="status,ip", **local).collect()
    place = {"input": str(tmp_path / "log"), "offset": 5, "line": None}
    found = sorted((row.asDict() for row in rows), key=lambda row: row["ip"])
    assert [row["ip"] for row in found] == ["10.0.0.1", "5.1.1.1"]
    assert {tuple(row) for row in found} == {("status", "ip", "input", "offset", "line")}
    assert all(row.items() >= place.items() for row in found)
    with pytest.raises(ValueError, match="offset is a column of read_log"):
        module.read_log(spark, str(tmp_path / "log"), fields="ip,offset", **local)


def test_there_are_no_more_tasks_than_the_cores_can_use(module, monkeypatch, tmp_path):
    from sonde.spark import splits

    (tmp_path / "one").write_text("8.8.8.8\n" * 1000)
    (tmp_path / "two").write_text("9.9.9.9\n" * 250)
    assert len(splits.plan(str(tmp_path), None, 4)) == 2
    # A split that is given holds.
    assert len(splits.plan(str(tmp_path), "1k", 4)) == 8 + 2
    monkeypatch.setattr(splits, "USUAL", 1 << 10)
    planned = splits.plan(str(tmp_path), None, 4)
    assert [(each.offset, each.length) for each in planned] == [
        (0, 2500),
        (2500, 2500),
        (5000, 2500),
        (7500, 500),
        (0, 2000),
    ]


def test_a_split_that_is_given_holds_on_one_machine(spark, module, scan, local, tmp_path):
    (tmp_path / "log").write_bytes(log(random.Random(8), 400))
    rows = module.read_log(spark, str(tmp_path / "log"), "4k", **local)
    assert {field.name for field in rows.schema if not field.nullable} >= {"ip", "status"}
    wanted = scan("", "--log", f"--database={local['database']}", "--provider=local", str(tmp_path / "log"))
    assert multiset(rows.collect()) == multiset(wanted)
    placed(rows.collect())


# What belongs to a line and not to an address.


OF_LINES = [
    ({"fields": "ip,hits"}, "hits"), ({"fields": "+text"}, "text"), ({"where": 'text ~ "*x*"'}, "text"),
    ({"where": "not line = 2 and asn"}, "line"), ({"where": "status = ok or first_seen"}, "first_seen"),
    ({"where": "input = a"}, "input"), ({"where": "'offset' > 1"}, "offset"), ({"as_of": "line"}, "line"),
    ({"with_": "crawler"}, "crawler"),
]  # fmt: skip


@pytest.mark.parametrize(("options", "what"), OF_LINES)
def test_what_needs_lines_is_refused_where_addresses_are_without_them(spark, module, local, tmp_path, options, what):
    for name in ("a.gz", "b.gz"):
        (tmp_path / name).write_bytes(gzip.compress(b"x 5.1.1.1\n5.2.2.2 5.1.1.1\n"))
    (tmp_path / "log").write_text("x 5.1.1.1\n5.2.2.2 5.1.1.1\n")
    both = {**local, **options}
    texts = spark.createDataFrame([("x 5.1.1.1",)], "value string")
    module.register(spark, **local)
    source = spark.read.format("sonde").options(**{name.rstrip("_"): value for name, value in options.items()})
    calls = [
        lambda: module.read_log(spark, str(tmp_path / "*.gz"), **both),
        lambda: module.read_log(spark, str(tmp_path / "log"), 4, **both),
        lambda: module.read_log(spark, str(tmp_path / "log"), askers=1, **both),
        lambda: module.enrich(texts, log=True, **both),
        lambda: module.annotate(texts, log=True, **both),
        lambda: source.load(f"local://{tmp_path}/log").collect(),
    ]
    if "as_of" not in options:
        calls.append(lambda: module.read_log(spark, str(tmp_path / "log"), **{**both, "provider": "ip-api,local"}))
    words = f"{next(iter(options))}: {what} depends on the lines"
    for call in calls:
        with pytest.raises((ValueError, AnalysisException), match=words):
            call()


def test_one_run_has_what_belongs_to_lines(spark, module, scan, local, tmp_path):
    (tmp_path / "log").write_text("x 5.1.1.1\n5.2.2.2 5.1.1.1\n5.3.3.3\n")
    path = str(tmp_path / "log")
    module.register(spark, **local)
    plain = ("--log", f"--database={local['database']}", "--provider=local")
    for options in ({"fields": "ip,status,hits,text"}, {"where": "line >= 2", "fields": "ip,status"}):
        words = [f"--{name}={value}" for name, value in options.items()]
        wanted = multiset(scan("", *plain, *words, path))
        assert multiset(module.read_log(spark, path, **local, **options).collect()) == wanted
        assert multiset(module.read_log(spark, path, "1m", **local, **options).collect()) == wanted
        assert multiset(spark.read.format("sonde").options(**options).load(path).collect()) == wanted


def test_entries_are_the_same_however_a_log_is_read(spark, module, scan, simulator, local, tmp_path):
    (tmp_path / "log").write_text("src=5.1.1.1 dst=5[.]2[.]2[.]2\nsrc=5[.]3.3.3 dst=5.4.4.4\n" * 9)
    path = str(tmp_path / "log")
    lines = spark.read.text(path)
    for options, wanted in (
        ({"refang": True}, {"5.1.1.1", "5.2.2.2", "5.3.3.3", "5.4.4.4"}),
        ({"pick": "last"}, {"5.1.1.1", "5.4.4.4"}),
        ({"pick": "name:dst", "refang": True}, {"5.2.2.2", "5.4.4.4"}),
    ):
        module.register(spark, **local)
        frames = [
            *(module.read_log(spark, path, split, **local, **options) for split in (None, 40)),
            module.read_log(spark, path, provider="ip-api", no_cache=True, **options),
            module.read_log(spark, f"local://{path}", **local, **options),
            spark.read.format("sonde").options(**options).load(path),
            module.enrich(lines, log=True, **local, **options),
        ]
        for frame in frames:
            rows = frame.collect()
            assert len(rows) == len(wanted) and {row.ip for row in rows} == wanted
        annotated = module.annotate(lines, log=True, **local, **options).collect()
        assert {each.ip for row in annotated for each in row.sonde} == wanted
    with pytest.raises(module.SondeError, match="--pick applies to logs"):
        module.enrich(lines, pick="last", **local)


def test_anonymized_records_are_those_of_the_program(spark, module, scan, local, tmp_path):
    (tmp_path / "log").write_text("x 5.1.1.1\n5.2.2.2 5.1.1.1\n")
    path = str(tmp_path / "log")
    plain = ("--log", f"--database={local['database']}", "--provider=local", "--anonymize=truncate")
    wanted = multiset(scan("", *plain, path))
    for split in (None, "1m", 4):
        rows = module.read_log(spark, path, split, anonymize="truncate", **local).collect()
        assert multiset(rows) == wanted
    (tmp_path / "nets.csv").write_text("network,team\n5.1.1.0/24,x\n")
    options = {**local, "with_": f"own={tmp_path}/nets.csv"}
    for fields in ({}, {"fields": "own_team,ip,status"}):
        frames = [module.read_log(spark, path, split, **options, **fields) for split in (None, 4)]
        found = [{row.ip: row.own_team for row in frame.collect()} for frame in frames]
        assert found == [{"5.1.1.1": "x", "5.2.2.2": None}] * 2 and frames[0].schema == frames[1].schema
