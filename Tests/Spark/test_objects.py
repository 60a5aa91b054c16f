"""`read_log` of objects: what they may be, how many there may be, and what their store may do meanwhile."""

import bz2
import gzip
import lzma
import time

import pytest
from bucket import BUCKET, Bucket, Moody
from conftest import leftovers, wait_for
from py4j.protocol import Py4JError
from pyspark.errors import PySparkException

FAILED = (PySparkException, Py4JError)


# Seconds where nothing hangs.
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
def places(spark, module, local):
    """Reads objects, and gives where each address stands first."""

    def places(path, options, split=None):
        rows = module.read_log(spark, path, split, storage_options=options, **local).collect()
        assert len(rows) == len({row.ip for row in rows})
        return {row.ip: (row.input.removeprefix(f"s3://{BUCKET}/"), row.offset, row.line) for row in rows}

    return places


def test_objects_of_every_kind_lie_beside_each_other(places, module, bucket):
    """Small ones are read together; what is packed has lines, and what nobody can read is told."""
    text = b"x\r\n5.1.1.%d y\r\n5.1.9.9"
    objects = {
        "a/00": b"",
        "a/01": text % 1,
        "a/02.gz": gzip.compress(text % 2),
        "a/03.gz": gzip.compress(text % 3) + gzip.compress(b"\n5.1.2.3"),
        "a/04.bz2": bz2.compress(text % 4),
        "a/05.xz": lzma.compress(text % 5),
        "a/06": b"\xff\xfe" + (text % 6).decode().encode("utf-16-le"),
        "a/07": b"\xef\xbb\xbf" + text % 7,
        "a/08": b"\n\n\n",
        "a/09": b"nothing\n",
        "a/10": b"\n5.1.1.10",
        "a/11": b"5.1.1.11\n",
        "a/12 + \u00e4&?%41": b"5.1.1.12\n",
        "a/13.gz": gzip.compress(b""),
    }
    bucket.put_all(objects)
    found = places(f"s3://{BUCKET}/a", bucket.options)
    wanted = {
        "5.1.1.1": ("a/01", 3, None),
        "5.1.9.9": ("a/01", 14, None),
        "5.1.1.2": ("a/02.gz", None, 2),
        "5.1.1.3": ("a/03.gz", None, 2),
        "5.1.2.3": ("a/03.gz", None, 4),
        "5.1.1.4": ("a/04.bz2", None, 2),
        "5.1.1.5": ("a/05.xz", None, 2),
        "5.1.1.6": ("a/06", None, 2),
        "5.1.1.7": ("a/07", 6, None),
        "5.1.1.10": ("a/10", 1, None),
        "5.1.1.11": ("a/11", 0, None),
        "5.1.1.12": ("a/12 + \u00e4&?%41", 0, None),
    }
    assert found == wanted
    bucket.put("a/14.zip", b"PK\x03\x04" + bytes(100))
    with pytest.raises(FAILED, match=r"s3://logs/a/14\.zip.*zip"):
        places(f"s3://{BUCKET}/a", bucket.options)
    bucket.put("a/14.zip", gzip.compress(b"5.1.1.14\n" * 1000)[:-9])
    with pytest.raises(FAILED, match=r"s3://logs/a/14\.zip"):
        places(f"s3://{BUCKET}/a", bucket.options)


def test_a_border_within_a_line_end_loses_and_doubles_nothing(places, bucket):
    bucket.put("log", b"\r\n".join(b"5.2.1.%d" % n for n in range(6)))
    for split in (7, 8, 9, 10):
        found = places(f"s3://{BUCKET}/log", bucket.options, split)
        assert found == {f"5.2.1.{n}": ("log", 9 * n, None) for n in range(6)}


@pytest.mark.slow
def test_hundreds_of_objects_are_few_tasks(spark, module, local, places, bucket):
    count = 600
    bucket.put_all({f"many/{n:05}.log": b"5.3.%d.%d\n5.4.4.4\n" % (n // 250, n % 250) for n in range(count)})
    df = module.read_log(spark, f"s3://{BUCKET}/many/*.log", storage_options=bucket.options, **local)
    assert df.rdd.getNumPartitions() < 50
    found = {row.ip: row for row in df.collect()}
    assert len(found) == count + 1
    assert found["5.4.4.4"].input == f"s3://{BUCKET}/many/00000.log" and found["5.4.4.4"].offset == 8
    assert all(found[f"5.3.{n // 250}.{n % 250}"].input.endswith(f"/{n:05}.log") for n in range(count))


@pytest.mark.slow
def test_a_store_that_is_busy_for_a_while_is_asked_again(places, bucket):
    text = b"".join(b"5.5.%d.%d\n" % (n // 250, n % 250) for n in range(5000))
    bucket.put("log", text)

    def mood(method, path, number):
        # All of them at first, then every other one.
        return 503 if number < 4 or number % 2 else None

    with Moody(bucket, mood) as store:
        assert len(places(f"s3://{BUCKET}/log", store.options, "16k")) == 5000


@pytest.mark.slow
@pytest.mark.parametrize(("status", "words"), [(503, "503|SERVICE_UNAVAILABLE|SlowDown"), (403, "403|ACCESS_DENIED")])
@pytest.mark.parametrize("begins", ["at once", "under the job"])
def test_a_store_that_refuses_fails_the_job(spark, module, local, bucket, status, words, begins):
    bucket.put("log", b"5.6.1.1\n" * 1000)
    refuses = begins == "at once"
    with Moody(bucket, lambda *_: status if refuses else None) as store:
        with pytest.raises((*FAILED, module.SondeError), match=words) as caught:
            df = module.read_log(spark, f"s3://{BUCKET}/log", "4k", storage_options=store.options, **local)
            refuses = True
            df.collect()
        assert "s3://logs/log" in str(caught.value) and isinstance(caught.value, module.SondeError) == (
            begins == "at once"
        )
    wait_for(lambda: leftovers() == [])


def test_a_store_that_is_slow_is_waited_for(places, bucket):
    bucket.put("log", b"5.7.1.1\n" * 1000 + b"5.7.1.2\n")
    with Moody(bucket, lambda *_: 1.0) as store:
        began = time.monotonic()
        assert set(places(f"s3://{BUCKET}/log", store.options)) == {"5.7.1.1", "5.7.1.2"}
        assert time.monotonic() - began > 1


@pytest.mark.slow
def test_a_store_that_hangs_ends_by_its_own_limit(spark, module, local, bucket):
    bucket.put("log", b"5.7.1.1\n" * 1000)
    with Moody(bucket, lambda method, *_: 30.0 if method == "GET" else None) as store:
        options = {**store.options, "request_timeout": 1}
        df = module.read_log(spark, f"s3://{BUCKET}/log", "8k", storage_options=options, **local)
        began = time.monotonic()
        with pytest.raises(FAILED, match="s3://logs/log"):
            df.collect()
        # Six attempts of each request, by each of the two tries that Spark gives a task.
        assert time.monotonic() - began < 200
    wait_for(lambda: leftovers() == [])


@pytest.mark.parametrize("together", [True, False])
def test_an_object_that_is_replaced_while_it_is_read_fails_its_task(spark, module, local, bucket, together):
    """Between the look at it and its bytes, by one that is as long or shorter."""
    names = ["log", "other"] if together else ["log"]
    for replacement in (b"5.8.1.2\n" * 2000, b"5.8.1.2\n" * 10):
        for name in names:
            bucket.put(name, b"5.8.1.1\n" * 2000)
        state = {"is_read": False}

        def mood(method, path, number, replacement=replacement, state=state):
            if state["is_read"] and method == "GET" and path.endswith("/log"):
                bucket.put("log", replacement)

        with Moody(bucket, mood) as store:
            paths = [f"s3://{BUCKET}/{name}" for name in names]
            split = None if together else "5k"
            df = module.read_log(spark, paths, split, storage_options=store.options, **local)
            state["is_read"] = True
            with pytest.raises(FAILED, match=r"s3://logs/log.*it has changed|INVALID_RANGE|416"):
                df.collect()
    wait_for(lambda: leftovers() == [])
