"""`read_log` of objects in a store: which are read, by which settings, and what happens when they change."""

import gzip
import random

import pytest
from bucket import BUCKET, Bucket
from conftest import multiset
from py4j.protocol import Py4JError
from pyspark.errors import PySparkException
from test_logs import SEEDS, log


@pytest.fixture(scope="module")
def server():
    bucket = Bucket()
    yield bucket
    bucket.close()


@pytest.fixture
def bucket(server):
    server.empty()
    return server


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
    for path in ("a/none", "a/*.none", "none/*"):
        with pytest.raises(module.SondeError, match="no such object"):
            found(f"s3://{BUCKET}/{path}")


def test_settings_of_spark_and_the_environment_lead_to_a_store(spark, module, local, bucket, monkeypatch):
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
    finally:
        for name in (*settings, "connection.ssl.enabled"):
            spark.conf.unset(f"spark.hadoop.fs.s3a.{name}")
    for name, value in {
        "ENDPOINT_URL": f"http://{bucket.endpoint}",
        "ACCESS_KEY_ID": "a",
        "SECRET_ACCESS_KEY": "b",
    }.items():
        monkeypatch.setenv(f"AWS_{name}", value)
    from sonde.spark import splits

    assert [each.path for each in splits.plan(path, None, 1, spark)] == [path]


@pytest.mark.parametrize("changed", [b"5.1.1.2\n" * 1000, b"5.1.1.1\n" * 900])
def test_an_object_that_changes_under_the_job_fails_its_task(spark, module, local, bucket, changed):
    bucket.put("log", b"5.1.1.1\n" * 1000)
    df = module.read_log(spark, f"s3://{BUCKET}/log", "2k", storage_options=bucket.options, **local)
    bucket.put("log", changed)
    with pytest.raises((PySparkException, Py4JError), match="it has changed under the job"):
        df.collect()


def test_what_is_known_and_a_provider_are_as_of_files(spark, module, simulator, bucket):
    bucket.put("log", b"8.8.8.8\n9.9.9.9\n")
    remote = {"provider": "ip-api", "no_cache": True, "storage_options": bucket.options}
    rows = module.read_log(spark, f"s3://{BUCKET}/log", 8, **remote).collect()
    assert sorted((row.ip, row.offset) for row in rows) == [("8.8.8.8", 0), ("9.9.9.9", 8)]
    assert simulator.addresses() == {"8.8.8.8": 1, "9.9.9.9": 1}
