"""Which columns are read and added, the source and the function of SQL, and counts while records pass."""

import datetime

import pytest
from conftest import multiset
from pyspark.errors import AnalysisException
from pyspark.sql import Observation
from pyspark.sql import functions as F

REMOTE = {"provider": "ip-api", "no_cache": True}
ROWS = [("5.1.1.1", "5.2.2.2:53", 1), (None, "[2a00::1]:443", 2), ("5.1.1.1", "foo", 3), ("5.3.3.3:1", None, 4)]


@pytest.fixture
def df(spark):
    """Rows with two columns of addresses."""
    return spark.createDataFrame(ROWS, "a string, `b.c` string, n int")


@pytest.mark.parametrize("remote", [True, False])
def test_several_columns_and_ports(df, module, simulator, local, remote):
    options = {**(REMOTE if remote else local), "ports": True, "fields": "status,ip"}
    found = module.enrich(df, ["a", F.col("`b.c`")], **options).collect()
    assert sorted(row.ip for row in found) == ["2a00::1", "5.1.1.1", "5.2.2.2", "5.3.3.3", "foo"]
    rows = module.annotate(df, ["a", "b.c"], **options)
    assert rows.columns == ["a", "b.c", "n", "sonde_a_status", "sonde_a_ip", "sonde_b.c_status", "sonde_b.c_ip"]
    known = {row[2]: (row[4], row[6]) for row in rows.collect()}
    assert known == {1: ("5.1.1.1", "5.2.2.2"), 2: (None, "2a00::1"), 3: ("5.1.1.1", "foo"), 4: ("5.3.3.3", None)}


@pytest.mark.parametrize("remote", [True, False])
def test_a_record_may_be_a_struct(df, module, simulator, local, remote):
    options = {**(REMOTE if remote else local), "fields": "ip,status,asn"}
    rows = module.annotate(df, "a", prefix="who_", struct=True, **options)
    assert rows.columns == ["a", "b.c", "n", "who"]
    found = {row.n: row.who for row in rows.collect()}
    assert found[2] is None and found[4].status == "invalid" and found[1] == found[3] and found[1].ip == "5.1.1.1"
    assert module.annotate(df, "a", prefix="who_", **options).columns[3:] == ["who_ip", "who_status", "who_asn"]


def test_a_name_that_is_taken_is_refused_in_any_case(df, module, local):
    for name, options in (
        ("Sonde_IP", {}),
        ("who", {"struct": True, "prefix": "who_"}),
        ("WHO_asn", {"prefix": "who_"}),
    ):
        with pytest.raises(ValueError, match="already"):
            module.annotate(df.withColumnRenamed("n", name), "a", **options, **local)


@pytest.mark.parametrize(
    ("expression", "words"),
    [
        ("array(a)", "array<string>.*explode"),
        ("map(a, a)", "map<string,string>"),
        ("struct(a)", "struct<"),
        ("CAST(a AS binary)", "binary"),
        ("1", "int"),
        ("1.5D", "double"),
    ],
)
def test_what_is_no_text_is_refused_with_its_type(df, module, local, expression, words):
    other = df.selectExpr(f"{expression} AS other")
    for call in (module.enrich, module.annotate):
        with pytest.raises(TypeError, match=f"column other is of type .*{words}"):
            call(other, "other", **local)


def test_times_are_timestamps_and_some_columns_are_never_null(df, module, local):
    records = module.enrich(df, "a", **local)
    types = {field.name: (field.dataType.simpleString(), field.nullable) for field in records.schema}
    assert types["fetched_at"] == ("timestamp", True) and types["ip"] == types["status"] == ("string", False)
    assert isinstance(records.where("status = 'ok'").first().fetched_at, datetime.datetime)


def test_the_source_gives_what_read_log_gives(spark, module, local, tmp_path):
    (tmp_path / "one").write_text("x 5.1.1.1\n10.0.0.1\n")
    (tmp_path / "two").write_text("y 5.2.2.2 5.1.1.1\n")
    module.register(spark, **local)
    for place in (str(tmp_path), f"{tmp_path}/*"):
        frame = spark.read.format("sonde").option("max_expand", "9").option("no_cache", "true").load(place)
        wanted = module.read_log(spark, place, **local)
        assert frame.schema == wanted.schema
        assert multiset(frame.collect()) == multiset(wanted.collect()) and frame.count() == 3


def test_logs_have_the_same_columns_however_they_are_read(spark, sonde, module, local, tmp_path):
    for name in ("one", "two"):
        (tmp_path / name).write_text("x 5.1.1.1\n5.2.2.2\n")
    one, both = str(tmp_path / "one"), str(tmp_path)
    module.enrich(spark.createDataFrame([("5.1.1.1",)], "value string"), **local).write.parquet(f"{tmp_path}/_known")
    # Of what is read from a file, Spark believes that anything may be missing.
    known = spark.read.parquet(f"{tmp_path}/_known")
    wanted = module.read_log(spark, one, **local).schema
    assert [field.name for field in wanted if not field.nullable] == ["ip", "status"]
    types = {field.name: field.dataType.simpleString() for field in wanted}
    assert [types[name] for name in ("input", "offset", "line")] == ["string", "bigint", "bigint"]
    assert wanted.names[:-3] == [name for name in sonde.schema().names if name != "line"]
    for frame in (
        module.read_log(spark, one, 4, **local),
        module.read_log(spark, both, 4, **local),
        module.read_log(spark, both, known=known, **local),
        module.read_log(spark, f"local://{one}", **local),
        module.read_log(spark, f"local://{both}", 4, **local),
        module.read_log(spark, one, **REMOTE),
        module.read_log(spark, both, 4, **REMOTE),
    ):
        assert frame.schema == wanted
        assert sorted((row.ip, row.offset) for row in frame.collect()) == [("5.1.1.1", 0), ("5.2.2.2", 10)]


def test_the_source_reads_several_paths_and_files_without_addresses(spark, module, local, tmp_path):
    for name, text in (("one", "x 5.1.1.1\n"), ("two", "5.1.1.1\n5.2.2.2\n"), ("empty", ""), ("none", "nothing\n")):
        (tmp_path / name).write_text(text)
    module.register(spark, fields="ip,status", **local)

    def found(*names):
        paths = [f"{tmp_path}/{name}" for name in names]
        rows = spark.read.format("sonde").load(paths if len(paths) > 1 else paths[0]).collect()
        return sorted((row.ip, row.input.removeprefix(f"{tmp_path}/"), row.offset) for row in rows)

    assert found("one", "two", "empty") == [("5.1.1.1", "one", 0), ("5.2.2.2", "two", 8)]
    assert found("empty") == found("none") == found("none", "empty") == []
    with pytest.raises(AnalysisException, match="path: none is given"):
        spark.read.format("sonde").load().collect()
    with pytest.raises(AnalysisException, match="split: the source is read by one task"):
        spark.read.format("sonde").option("split", "1m").load(f"{tmp_path}/one")


def test_a_function_of_sql_gives_structs(spark, module, df, local):
    module.register(spark, fields="ip,status,asn,cached,fetched_at", **local)
    df.createOrReplaceTempView("hits")
    rows = spark.sql("SELECT n, sonde(a) AS who FROM hits").collect()
    found = {row.n: row.who for row in rows}
    assert found[1].asDict().keys() == {"ip", "status", "asn", "cached", "fetched_at"}
    assert (found[1].ip, found[1].status, found[2].status, found[4].status) == ("5.1.1.1", "ok", None, "invalid")
    many = spark.range(0, 30_000, 1, 2).selectExpr("concat('5.6.', id % 256, '.', id % 7) AS cell")
    assert many.selectExpr("cell", "sonde(cell).ip AS ip").where("cell != ip OR ip IS NULL").count() == 0
    with pytest.raises(ValueError, match="provider must be local"):
        module.register(spark, provider="ip-api")


def test_records_are_counted_while_they_pass(df, module, local):
    counts = Observation("sonde")
    module.enrich(df, "a", **local).observe(counts, *module.metrics()).collect()
    assert counts.get == {
        "records": 2, "ok": 1, "unknown": 0, "reserved": 0, "invalid": 1, "failed": 0, "network_lost": 0,
    }  # fmt: skip
    rows = Observation("rows")
    module.annotate(df, "a", **local).observe(rows, *module.metrics("sonde_")).collect()
    assert (rows.get["sonde_records"], rows.get["sonde_ok"]) == (3, 2)
