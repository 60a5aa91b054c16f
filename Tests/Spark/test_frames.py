"""`enrich` and `annotate`: what one undisturbed scan says, for the rows of a DataFrame."""

import random

import pytest
from conftest import multiset, right
from pyspark.errors import AnalysisException

pa = pytest.importorskip("pyarrow")

REMOTE = {"provider": "ip-api", "no_cache": True}
ODD = [
    "8.8.8.8", "::ffff:8.8.8.8", "  1.1.1.1  ", "2606:4700:4700::1111", "2606:4700:4700:0::1111", "10.0.0.1",
    "5.0.0.0/29", "5.0.0.6-5.0.0.9", "foo", "foo", 'say "what", then', "# nothing", "", "   ", "1[.]2[.]3[.]4",
    "10.0.0.0/8", "8.8.8.8 # again", "PK\x03\x04", "BZh91AY&SY", "nul\0nul", "\ufeff9.9.9.9", "日本", "fe80::1%eth0",
    "tab\there", "5.1.1.1\r", "\r", "=1+1", "x" * 100_000,
]  # fmt: skip


def values(spark, items, partitions=3):
    """A DataFrame of texts, shuffled over partitions."""
    items = list(items)
    random.Random(1).shuffle(items)
    return spark.createDataFrame([(each,) for each in items], "value string").repartition(partitions)


@pytest.mark.parametrize("provider", ["ip-api", "local"])
def test_the_records_are_those_of_one_scan(spark, module, simulator, scan, loc_database, provider):
    options = {"provider": provider, "no_cache": True, "database": str(loc_database)}
    df = values(spark, [*ODD, None, None])
    found = module.enrich(df, **options).collect()
    arguments = [f"--provider={provider}", f"--database={loc_database}"]
    assert multiset(found) == multiset(scan("\n".join(ODD) + "\n", *arguments))
    assert found[0].__fields__[:3] == ["ip", "status", "source"] and "line" not in found[0].__fields__


def test_each_address_is_asked_once(spark, module, simulator, loc_database):
    simulator.control(window=1, batch_limit=1000)
    addresses = [f"5.{n // 250}.{n % 250}.1" for n in range(1500)]
    df = values(spark, [*addresses, *(f"::ffff:{each}" for each in addresses), *addresses], 5)
    found = module.enrich(df, **REMOTE).collect()
    right(found, addresses)
    assert set(simulator.addresses().values()) == {1} and simulator.counts()["items"] == 1500


def test_text_has_addresses_anywhere(spark, module, simulator, scan):
    lines = [
        "from 8.8.8.8:53 to [2001:4860::1]",
        "1.2.3.4.5 v1.2.3.4-rc",
        "a 9.9.9.9\nb 5.5.5.5",
        "",
        "999.1.1.1",
        "10.0.0.1",
    ]
    found = module.enrich(values(spark, lines), log=True, **REMOTE).collect()
    assert multiset(found) == multiset(scan("\n".join(lines), "--log", "--provider=ip-api"))
    assert {each.ip for each in found} == {"8.8.8.8", "2001:4860::1", "9.9.9.9", "5.5.5.5", "10.0.0.1"}


@pytest.mark.parametrize("provider", ["ip-api", "local"])
def test_a_text_has_a_list_of_its_addresses(spark, module, simulator, loc_database, provider):
    texts = [
        "8.8.8.8 and 9.9.9.9, 8.8.8.8",
        "a 10.0.0.1\nb ::ffff:8.8.8.8",
        "none",
        "",
        None,
        "8.8.8.8 and 9.9.9.9, 8.8.8.8",
    ]
    df = spark.createDataFrame(list(enumerate(texts)), "id int, value string").repartition(3)
    options = {"provider": provider, "no_cache": True, "database": str(loc_database)}
    rows = module.annotate(df, log=True, fields="ip,status", **options).collect()
    assert rows[0].__fields__ == ["id", "value", "sonde"]
    found = {row.id: [each.ip for each in row.sonde] for row in rows}
    both = ["8.8.8.8", "9.9.9.9", "8.8.8.8"]
    assert found == {0: both, 1: ["10.0.0.1", "8.8.8.8"], 2: [], 3: [], 4: [], 5: both}
    assert {each.status for row in rows for each in row.sonde} == {"ok", "reserved"}
    two = module.annotate(df.withColumn("other", df.value), ["value", "other"], prefix="x_", log=True, **options)
    assert two.columns == ["id", "value", "other", "x_value", "x_other"]
    assert all(row.x_value == row.x_other for row in two.collect())
    with pytest.raises(ValueError, match="a column sonde already"):
        module.annotate(df.withColumn("Sonde", df.value), log=True, **options)


def test_what_is_known_is_not_asked(spark, module, simulator, tmp_path):
    first = module.enrich(values(spark, ["8.8.8.8", "9.9.9.9", "10.0.0.1", "foo"]), **REMOTE)
    first.write.parquet(str(tmp_path / "known"))
    known = spark.read.parquet(str(tmp_path / "known"))
    simulator.control()
    df = values(spark, ["8.8.8.8", "::ffff:9.9.9.9", "5.5.5.5", "10.0.0.1", "foo", "foo"])
    found = module.enrich(df, known=known, **REMOTE).collect()
    assert sorted(each.ip for each in found) == ["10.0.0.1", "5.5.5.5", "8.8.8.8", "9.9.9.9", "foo", "foo"]
    assert simulator.addresses() == {"5.5.5.5": 1}
    rows = module.annotate(df, known=known, **REMOTE).collect()
    assert {row.value: row.sonde_status for row in rows} == {
        "8.8.8.8": "ok", "::ffff:9.9.9.9": "ok", "5.5.5.5": "ok", "10.0.0.1": "reserved", "foo": "invalid",
    }  # fmt: skip
    assert len(rows) == 6 and simulator.addresses() == {"5.5.5.5": 2}


@pytest.mark.parametrize("provider", ["ip-api", "local"])
def test_annotate_keeps_every_row_and_adds_its_record(spark, module, simulator, scan, loc_database, provider):
    cells = [
        "8.8.8.8",
        "::ffff:8.8.8.8",
        " 9.9.9.9",
        "foo",
        "a\nb",
        "5.0.0.0/30",
        "10.0.0.1",
        None,
        "",
        "# x",
        "8.8.8.8",
        None,
    ]
    rows = [(number, cell, [number]) for number, cell in enumerate(cells * 50)]
    df = spark.createDataFrame(rows, "number int, cell string, others array<int>").repartition(4)
    options = {"provider": provider, "no_cache": True, "database": str(loc_database)}
    found = {row.number: row for row in module.annotate(df, "cell", **options).collect()}
    assert [(n, found[n].cell, found[n].others) for n in sorted(found)] == rows
    lines = [(each or "").replace("\n", " ") for each in cells]
    arguments = [
        "--max-expand=1",
        "--duplicates=keep",
        f"--provider={provider}",
        f"--database={loc_database}",
    ]
    wanted = {each["line"] - 1: each for each in scan("\n".join(lines) + "\n", *arguments)}
    for number, row in found.items():
        values = {name[6:]: value for name, value in row.asDict().items() if name.startswith("sonde_")}
        assert multiset([values]) == multiset([wanted.get(number % len(cells), {})]), row


def test_many_rows_are_annotated_in_one_pass(spark, module, loc_database):
    """More of them than Arrow's batches hold, and records in several chunks."""
    df = spark.range(0, 60_000, 1, 2).selectExpr("id", "concat('5.6.', id % 256, '.', id % 7) AS cell")
    rows = module.annotate(df, "cell", provider="local", database=str(loc_database)).select(
        "cell", "sonde_ip", "sonde_asn"
    )
    assert rows.where("cell != sonde_ip OR sonde_ip IS NULL").count() == 0 and rows.count() == 60_000


@pytest.mark.parametrize("options", [{"provider": "ip-api"}, {"provider": "local"}])
def test_a_column_may_have_any_name(spark, module, simulator, options):
    """Also one that Spark takes apart or quotes, beside two of one name."""
    df = spark.createDataFrame([("8.8.8.8", 1, 2, 3)], "a string, b int, c int, d int")
    for name in ("a.b", "a`b", "a b", "select"):
        named = df.toDF(name, "x", "x", "y.z")
        found = module.annotate(named, name, fields="ip", **options)
        assert found.columns == [name, "x", "x", "y.z", "sonde_ip"]
        assert [tuple(row) for row in found.collect()] == [("8.8.8.8", 1, 2, 3, "8.8.8.8")]
        assert [row.ip for row in module.enrich(named, name, **options).collect()] == ["8.8.8.8"]
    nested = df.selectExpr("named_struct('ip', a) AS client")
    assert [row.sonde_ip for row in module.annotate(nested, "client.ip", **options).collect()] == ["8.8.8.8"]
    inner = module.annotate(df.toDF("value", "x", "_sonde_item", "_sonde_cell"), fields="ip", **options)
    assert [tuple(row) for row in inner.collect()] == [("8.8.8.8", 1, 2, 3, "8.8.8.8")]


@pytest.mark.parametrize("empty", ["none", "nulls", "blank"])
def test_where_there_is_nothing_nothing_is_asked(spark, module, simulator, empty):
    items = {"none": [], "nulls": [None] * 9, "blank": ["", " ", "# x"]}[empty]
    df = values(spark, items, 4)
    assert module.enrich(df, **REMOTE).collect() == []
    assert module.annotate(df, **REMOTE).count() == len(items)
    assert module.annotate(df, provider="local").where("sonde_status IS NOT NULL").count() == 0
    assert simulator.counts()["total"] == 0


def test_a_value_of_many_megabytes_is_one_entry(spark, module, simulator):
    df = values(spark, ["8.8.8.8", "9.9.9.9"]).unionByName(spark.range(1).selectExpr("repeat('y', 20000000) AS value"))
    found = {each.status: each for each in module.enrich(df, **REMOTE).collect()}
    assert sorted(found) == ["invalid", "ok"] and len(found["invalid"].ip) <= 256
    text = spark.range(1).selectExpr("concat(repeat('y ', 10000000), '5.5.5.5') AS value")
    assert [each.ip for each in module.enrich(text, log=True, **REMOTE).collect()] == ["5.5.5.5"]


def test_fields_are_columns_with_their_types(spark, module, simulator, tmp_path):
    (tmp_path / "own.csv").write_text('network,owner\n8.8.8.0/24,"a ""b""\n, c"\n')
    df = values(spark, ["8.8.8.8", "foo"])
    with_own = module.enrich(
        df, fields="ip,asn,latitude,cached,own_owner", **{"with": f"own={tmp_path}/own.csv"}, **REMOTE
    )
    assert with_own.dtypes == [
        ("ip", "string"), ("asn", "bigint"), ("latitude", "double"), ("cached", "boolean"), ("own_owner", "string"),
    ]  # fmt: skip
    rows = {row.ip: row for row in with_own.collect()}
    assert rows["8.8.8.8"].own_owner == 'a "b"\n, c' and rows["8.8.8.8"].cached is False and rows["foo"].asn is None
    listed = module.enrich(df, fields=["ip", "own_owner"], with_=[f"own={tmp_path}/own.csv"], **REMOTE)
    assert listed.columns == ["ip", "own_owner"]
    more = module.enrich(df, fields="+proxy", **REMOTE)
    assert more.columns[-1] == "proxy" and "line" not in more.columns


def test_answers_are_json_as_scan_writes_them(spark, module, simulator, scan):
    """Numbers too: what is written in the shortest form is read back the same."""
    addresses = [f"5.{n}.7.7" for n in range(100)]
    rows = module.enrich(values(spark, addresses), **REMOTE).collect()
    told = {each["ip"]: each for each in scan("\n".join(addresses), "--provider=ip-api")}
    for row in rows:
        assert all(row[name] == told[row.ip].get(name) for name in ("latitude", "longitude", "asn"))


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"output": "x"}, "Spark writes"),
        ({"range": "0:1"}, "read_log"),
        ({"duplicates": "keep"}, "once"),
        ({"strict": True}, "no meaning"),
        ({"help": True}, "no meaning"),
        ({"fields": "ip,input"}, "read_log"),
        ({"askers": 0}, "at least one"),
    ],
)
def test_options_that_are_not_for_here_are_refused_at_once(spark, module, options, words):
    with pytest.raises(ValueError, match=words):
        module.enrich(values(spark, ["8.8.8.8"]), **options)


def test_what_sonde_refuses_is_told_before_a_task_is_started(spark, module):
    df = values(spark, ["8.8.8.8"])
    with pytest.raises(module.SondeError, match="status 2.*--no-such"):
        module.enrich(df, no_such="x")
    with pytest.raises(module.SondeError, match="status 2.*--timeout"):
        module.enrich(df, timeout="soon")
    with pytest.raises(AnalysisException):
        module.enrich(df, "absent", provider="local")
    with pytest.raises(ValueError, match="sonde_ip"):
        module.annotate(df.selectExpr("value", "1 AS sonde_ip"), provider="local")


def test_rows_without_a_status_are_no_records_to_upgrade(spark, module, simulator, local):
    values = [None, "5.1.1.1", None, None, "bad", "5.2.2.2", ""] * 700
    df = spark.createDataFrame([(n, value) for n, value in enumerate(values)], "n int, value string").repartition(3)
    rows = module.annotate(df, prefix="", fields="ip,status,source,country_code", **local)
    rows = rows.selectExpr("*", "array(n) AS ns", "named_struct('n', n) AS s").cache()
    before = {row.n: row for row in rows.collect()}
    better = module.upgrade(rows, provider="ip-api", no_cache=True)
    assert better.schema == rows.schema
    found = {row.n: row for row in better.collect()}
    assert found.keys() == before.keys()
    for n, row in found.items():
        if values[n] in ("5.1.1.1", "5.2.2.2"):
            assert row.source == "ip-api" and row.ip == values[n] and (row.ns, row.s.n) == ([n], n)
        else:
            assert row == before[n]
    nothing = rows.where("value IS NULL")
    assert module.upgrade(nothing, provider="ip-api", no_cache=True).count() == nothing.count()


def test_a_task_upgrades_rows_in_their_order(spark, module, simulator):
    from sonde.spark import options, upgrading

    records = [("5.1.1.1", "failed", None), (None, None, "x"), ("5.2.2.2", "ok", "libloc"), (None, None, None)] * 9
    names = ["ip", "status", "source"]
    table = pa.Table.from_pylist(
        [{"n": n, **dict(zip(names, record, strict=True))} for n, record in enumerate(records)],
        pa.schema([("n", pa.int64()), *((name, pa.string()) for name in names)]),
    )
    parsed = options.parse_upgrade(spark, {"provider": "ip-api", "no_cache": True}, "record")
    for size in (1, 2, 7, 100):
        step = upgrading._upgrading(parsed, names, [1, 2, 3])
        found = pa.Table.from_batches(step(iter(table.to_batches(size))))
        assert found["n"].to_pylist() == list(range(len(records)))
        assert found["source"].to_pylist() == ["ip-api", "x", "ip-api", None] * 9
        assert found["status"].to_pylist() == ["ok", None, "ok", None] * 9
