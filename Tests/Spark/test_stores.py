"""`read_log` of objects in a store: which are read, by which settings, and what happens when they change."""

import gzip
import random

import pytest
from bucket import BUCKET, Bucket, GoogleBucket
from conftest import leftovers, multiset, wait_for
from py4j.protocol import Py4JError
from pyspark.errors import PySparkException
from test_logs import SEEDS, log

FAILED = (PySparkException, Py4JError)


@pytest.fixture(scope="module")
def server():
    bucket = Bucket()
    yield bucket
    bucket.close()


@pytest.fixture
def bucket(server):
    server.empty()
    return server


@pytest.fixture
def google():
    bucket = GoogleBucket()
    yield bucket
    bucket.close()


@pytest.mark.parametrize("seed", SEEDS[:1])
def test_objects_in_splits_give_the_records_of_one_scan(spark, module, scan, local, bucket, tmp_path, seed):
    text = log(random.Random(seed), 300)
    (tmp_path / "log").write_bytes(text)
    bucket.put("a/log", text)
    options = {"storage_options": bucket.options, **local}
    wanted = scan(
        "", "--log", "--fields=+offset", f"--database={local['database']}", "--provider=local", str(tmp_path / "log")
    )
    places = {each["ip"]: each["offset"] for each in wanted}
    for split in ("7k", 30_001, None):
        rows = module.read_log(spark, f"s3://{BUCKET}/a/log", split, **options).collect()
        assert multiset(rows) == multiset(wanted)
        assert {row.ip: row.offset for row in rows} == places
        assert {(row.input, row.line) for row in rows} == {(f"s3://{BUCKET}/a/log", None)}


def test_folders_and_patterns_name_objects(spark, module, local, bucket):
    texts = {
        "a/1.log": "5.1.1.1\n",
        "a/2.log": "x\n5.1.1.2\n",
        "a/_hidden": "5.9.9.9\n",
        "a/b/3.log": "5.1.1.3\n",
        "c/4.txt": "5.1.1.4",
    }
    for key, text in texts.items():
        bucket.put(key, text.encode())
    # Packed, it is one split, and has lines.
    bucket.put("a/5.gz", gzip.compress(b"\n5.1.1.5\n" * 50))
    options = {"storage_options": bucket.options, **local}

    def found(path):
        rows = module.read_log(spark, path, 5, **options).collect()
        return sorted((row.ip[-1], row.input, row.offset, row.line) for row in rows)

    one, two = ("1", f"s3a://{BUCKET}/a/1.log", 0, None), ("2", f"s3a://{BUCKET}/a/2.log", 2, None)
    three, five = ("3", f"s3a://{BUCKET}/a/b/3.log", 0, None), ("5", f"s3a://{BUCKET}/a/5.gz", None, 2)
    assert found(f"s3a://{BUCKET}/a") == found(f"s3a://{BUCKET}/a/") == [one, two, five]
    assert found(f"s3a://{BUCKET}/a/*.log") == [one, two]
    assert found(f"s3a://{BUCKET}/*/*/[0-9].log") == [three]
    assert found([f"s3a://{BUCKET}/a/?.log", f"s3a://{BUCKET}/a/b"]) == [one, two, three]
    for path in ("a/none", "a/*.none", "none/*", "{a,c}/none", "a/1.log/*", "a/1.log/*/1.log"):
        with pytest.raises(module.SondeError, match="no such object"):
            found(f"s3://{BUCKET}/{path}")


def test_a_pattern_may_be_anywhere_in_a_path(spark, module, local, bucket, tmp_path):
    """As of files: what it matches may be folders, whose files are read, and names may look like patterns."""
    from sonde.spark import splits

    names = [
        "1.log", "a/1.log", "a/2.log", "a/.hid", "b/1.log", "b/_hid/1.log", ".c/1.log", "[d]/1.log", "d/1.log",
        "e{f}/1.log", "2026-01/x/1.log", "2026-02/x/1.log", "2026-02/y",
    ]  # fmt: skip
    for n, name in enumerate(names):
        bucket.put(name, b"5.3.1.%d\n" % n)
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_bytes(b"5.3.1.%d\n" % n)
    bucket.put("empty/")
    (tmp_path / "empty").mkdir()
    wanted = {
        "*/1.log": ["a", "b", "[d]", "d", "e{f}"],
        "[ab]/?.log": ["a", "a/2.log", "b"],
        "*/x/1.log": ["2026-01/x", "2026-02/x"],
        "2026-*/*": ["2026-01/x", "2026-02/x", "2026-02/y"],
        "2026-*": ["2026-02/y"],
        "*": ["1.log", "a", "a/2.log", "b", "[d]", "d", "e{f}", "2026-02/y"],
        "{a,2026-0{1,2}/x,a}/1.log": ["a", "2026-01/x", "2026-02/x"],
        "{a/2,nothing}.log": ["a/2.log"],
        "[d]/1.log": ["[d]"],
        "e{f}": ["e{f}"],
        ".c/*": [".c"],
        ".*/*.log": [".c"],
        "empty": [],
        "": ["1.log"],
    }
    for pattern, places in wanted.items():
        keys = [place if place in names else f"{place}/1.log" for place in places]
        for root, storage in ((f"s3://{BUCKET}", bucket.options), (f"local://{tmp_path}", None), (str(tmp_path), None)):
            found = sorted(each.path for each in splits.plan(f"{root}/{pattern}", None, 1, {}, storage))
            assert found == sorted(f"{root}/{key}" for key in keys), f"{root}/{pattern}"
    df = module.read_log(spark, f"s3://{BUCKET}/2026-*/*", storage_options=bucket.options, **local)
    assert sorted(row.ip for row in df.collect()) == ["5.3.1.10", "5.3.1.11", "5.3.1.12"]
    empty = module.read_log(spark, f"s3://{BUCKET}/empty", storage_options=bucket.options, **local)
    assert empty.collect() == [] and empty.schema == df.schema


def test_google_s_store_is_read_as_others_are(spark, module, local, google):
    """Its lists have no folders, as pyarrow gives them, where nothing made them objects."""
    names = ["1.log", "a/1.log", "a/2.log", "a/_hid", "b/1.log", "2026-01/x/1.log", "2026-02/x/1.log", "2026-02/y"]
    for n, name in enumerate(names):
        google.put(name, b"\r\n5.4.1.%d\r\n5.4.4.4" % n)
    patterns = {
        "*/1.log": ["a/1.log", "b/1.log"],
        "*/x/*": ["2026-01/x/1.log", "2026-02/x/1.log"],
        "2026-*": ["2026-02/y"],
        "{a,b}/?.log": ["a/1.log", "a/2.log", "b/1.log"],
        "a": ["a/1.log", "a/2.log"],
        "2026-01/x/1.log": ["2026-01/x/1.log"],
    }
    for pattern, keys in patterns.items():
        df = module.read_log(spark, f"gs://logs/{pattern}", 7, storage_options=google.options, **local)
        found = {row.ip: (row.input, row.offset) for row in df.collect()}
        assert found.pop("5.4.4.4") == (f"gs://logs/{keys[0]}", 11)
        assert found == {f"5.4.1.{names.index(key)}": (f"gs://logs/{key}", 2) for key in keys}
    google.put("a/1.log", b"\r\n5.4.1.9\r\n5.4.4.4")
    df = module.read_log(spark, "gs://logs/a", 7, storage_options=google.options, **local)
    google.put("a/1.log", b"\r\n5.4.1.8\r\n5.4.4.4")
    with pytest.raises(FAILED, match="gs://logs/a/1.log.*it has changed under the job"):
        df.collect()
    for path in ("none", "*/none", "none/*"):
        with pytest.raises(module.SondeError, match="no such object"):
            module.read_log(spark, f"gs://logs/{path}", storage_options=google.options, **local)


def test_a_store_of_fsspec_is_read_as_others_are(spark, module, scan, local, tmp_path):
    text = log(random.Random(3), 300)
    (tmp_path / "log").write_bytes(text)
    (tmp_path / "log.gz").write_bytes(gzip.compress(b"\n5.255.1.1\n"))
    url = f"moody://{tmp_path}"
    wanted = scan("", "--log", "--fields=+offset", *scanning(local), str(tmp_path / "log"))
    for split in ("7k", None):
        rows = module.read_log(spark, [f"{url}/log", f"{url}/*.gz"], split, **local).collect()
        (packed,) = [row for row in rows if row.input == f"{url}/log.gz"]
        assert (packed.ip, packed.offset, packed.line) == ("5.255.1.1", None, 2)
        rows.remove(packed)
        assert multiset(rows) == multiset(wanted)
        assert {row.ip: row.offset for row in rows} == {each["ip"]: each["offset"] for each in wanted}
    # What is new in a folder is seen by the process that has listed it.
    (tmp_path / "new").write_text("5.255.1.2\n")
    assert module.read_log(spark, url, **local).count() == len(wanted) + 2


def scanning(local):
    """The options as the command has them."""
    return [f"--database={local['database']}", f"--provider={local['provider']}"]


@pytest.mark.parametrize("together", [True, False])
@pytest.mark.parametrize(("mood", "words"), [("refuse", "the store is in no mood"), ("cut", "instead of")])
def test_a_store_of_fsspec_that_fails_fails_the_job(spark, module, local, tmp_path, mood, words, together):
    for name in ("log", "other")[: 1 + together]:
        (tmp_path / name).write_text("5.1.1.1\n" * 1000)
    first, second, df = (
        module.read_log(spark, f"moody://{tmp_path}", None if together else "2k", **local) for _ in range(3)
    )
    (tmp_path / "_mood").write_text(mood)
    with pytest.raises(FAILED, match=f"moody://{tmp_path}/(log|other).*{words}"):
        first.collect()
    wait_for(lambda: leftovers() == [])
    (tmp_path / "_mood").write_text("0.2")
    assert [row.ip for row in second.collect()] == ["5.1.1.1"]
    (tmp_path / "log").write_text("5.1.1.2\n" * 1001)
    with pytest.raises(FAILED, match=f"moody://{tmp_path}/log.*it has changed under the job"):
        df.collect()


@pytest.mark.parametrize(
    ("url", "words"),
    [
        ("nothing://a/log", "nothing://a.*nothing"),
        ("abfs://a@b/log", "abfs://a@b.*adlfs"),
        ("moody:///absent/log", "no such object"),
    ],
)
def test_a_store_that_nobody_knows_is_told(spark, module, local, url, words):
    with pytest.raises(module.SondeError, match=words):
        module.read_log(spark, url, **local)


def test_settings_of_spark_and_the_environment_lead_to_a_store(spark, module, local, bucket, tmp_path, monkeypatch):
    bucket.put("log", b"5.1.1.1\n")
    path = f"s3a://{BUCKET}/log"
    settings = {
        "endpoint": f"http://{bucket.endpoint}",
        "access.key": "a",
        "secret.key": "b",
        "path.style.access": "true",
    }
    for name, value in settings.items():
        spark.conf.set(f"spark.hadoop.fs.s3a.{name}", value)
    try:
        assert [row.ip for row in module.read_log(spark, path, **local).collect()] == ["5.1.1.1"]
        spark.conf.set("spark.hadoop.fs.s3a.endpoint", bucket.endpoint)
        spark.conf.set("spark.hadoop.fs.s3a.connection.ssl.enabled", "false")
        assert [row.ip for row in module.read_log(spark, path, **local).collect()] == ["5.1.1.1"]
        # The source has them from when it was registered, and for S3 alone.
        module.register(spark, **local)
        (tmp_path / "log").write_text("5.1.1.2\n")
        rows = spark.read.format("sonde").load([path, f"moody://{tmp_path}/log"]).collect()
        assert sorted(row.ip for row in rows) == ["5.1.1.1", "5.1.1.2"]
    finally:
        for name in (*settings, "connection.ssl.enabled"):
            spark.conf.unset(f"spark.hadoop.fs.s3a.{name}")
    for name, value in {
        "ENDPOINT_URL": f"http://{bucket.endpoint}",
        "ACCESS_KEY_ID": "a",
        "SECRET_ACCESS_KEY": "b",
    }.items():
        monkeypatch.setenv(f"AWS_{name}", value)
    from sonde.spark import splits, stores

    assert [each.path for each in splits.plan(path, None, 1, stores.settings(spark))] == [path]


def test_a_bucket_of_amazon_s_is_asked_where_it_is(machine, bucket, monkeypatch):
    from pyarrow import fs
    from sonde.spark import stores

    for name in ("AWS_REGION", "AWS_DEFAULT_REGION", "AWS_ENDPOINT_URL", "AWS_ENDPOINT_URL_S3"):
        monkeypatch.delenv(name, raising=False)
    asked = []
    monkeypatch.setattr(fs, "resolve_s3_region", lambda name: asked.append(name) or "eu-north-1")
    for options in (None, {}, {"access_key": "a", "secret_key": "b"}):
        assert dict(stores.of("s3a://logs/x", {}, options).options) == {"region": "eu-north-1", **(options or {})}
    assert asked == ["logs"] * 3
    for options in ({"region": "us-east-1"}, bucket.options):
        assert dict(stores.of("s3://logs/x", {}, options).options) == options
    monkeypatch.setenv("AWS_REGION", "us-west-1")
    assert stores.of("s3://logs/x", {}, None).options == () and asked == ["logs"] * 3


@pytest.mark.parametrize("changed", [b"5.1.1.2\n" * 1000, b"5.1.1.1\n" * 900])
def test_an_object_that_changes_under_the_job_fails_its_task(spark, module, local, bucket, changed):
    bucket.put("log", b"5.1.1.1\n" * 1000)
    df = module.read_log(spark, f"s3://{BUCKET}/log", "2k", storage_options=bucket.options, **local)
    bucket.put("log", changed)
    with pytest.raises(FAILED, match="it has changed under the job"):
        df.collect()


def test_what_is_known_and_a_provider_are_as_of_files(spark, module, simulator, bucket):
    bucket.put("log", b"8.8.8.8\n9.9.9.9\n")
    remote = {"provider": "ip-api", "no_cache": True, "storage_options": bucket.options}
    rows = module.read_log(spark, f"s3://{BUCKET}/log", 8, **remote).collect()
    assert sorted((row.ip, row.offset) for row in rows) == [("8.8.8.8", 0), ("9.9.9.9", 8)]
    assert simulator.addresses() == {"8.8.8.8": 1, "9.9.9.9": 1}
