"""Streams: each batch of each query onto a path of its own, again where it is repeated; nothing is lost."""

import contextlib
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from conftest import multiset, wait_for
from expected import record
from pyspark.errors import StreamingQueryException


# A start takes seconds, on a machine that has other work many of them.
class Stream:
    """Files of a folder as a stream, a batch for each."""

    def __init__(self, spark, module, folder):
        self.spark, self.module, self.folder = spark, module, folder
        self.source, self.target = folder / "in", str(folder / "out")
        self.source.mkdir()

    def feed(self, name, *addresses):
        """Adds a file of lines, later than those before it."""
        path = self.folder / name
        path.write_text("".join(f"GET {each} done\n" for each in addresses))
        os.utime(path, (1_000_000 + int(name), 1_000_000 + int(name)))
        path.rename(self.source / name)

    def run(self, checkpoint=None, **options):
        """Works off what there is, and gives the query's ID."""
        lines = self.spark.readStream.format("text").option("maxFilesPerTrigger", 1).load(str(self.source))
        write = self.module.write_batches(self.target, log=True, provider="ip-api", **options)
        writing = lines.writeStream.foreachBatch(write)
        if checkpoint is not None:
            writing = writing.option("checkpointLocation", str(self.folder / checkpoint))
        query = writing.trigger(availableNow=True).start()
        query.awaitTermination()
        return query.id

    def rows(self):
        """The records that are there."""
        return self.spark.read.parquet(self.target).collect()

    def places(self):
        """Where each address has a record."""
        return sorted((row.query, row.batch, row.ip) for row in self.rows())


@pytest.fixture
def stream(spark, module, simulator, tmp_path):
    """A stream of the test's own."""
    return Stream(spark, module, tmp_path)


def test_each_batch_is_kept_once(stream, simulator):
    stream.feed("1", "6.101.1.1", "6.102.2.2", "6.101.1.1")
    query = stream.run("state")
    stream.feed("2", "6.102.2.2", "6.103.3.3")
    assert stream.run("state") == query
    assert stream.places() == [
        (query, 0, "6.101.1.1"),
        (query, 0, "6.102.2.2"),
        (query, 1, "6.102.2.2"),
        (query, 1, "6.103.3.3"),
    ]
    wanted = [record(each) for each in ("6.101.1.1", "6.102.2.2", "6.102.2.2", "6.103.3.3")]
    assert multiset(stream.rows(), ["message", "query", "batch"]) == multiset(wanted)
    # A stop before Spark has noted a batch has it come again.
    before = stream.places()
    for name in ("1", ".1.crc"):
        (stream.folder / "state/commits" / name).unlink()
    assert stream.run("state") == query
    assert stream.places() == before
    assert set(simulator.addresses().values()) == {1}


def test_a_second_start_without_a_checkpoint_loses_no_record(stream):
    stream.feed("1", "6.101.1.1", "6.102.2.2")
    first = stream.run()
    stream.feed("0", "6.103.3.3")
    stream.run()
    assert len(stream.rows()) == 5
    assert [place[1:] for place in stream.places() if place[0] == first] == [(0, "6.101.1.1"), (0, "6.102.2.2")]


@pytest.mark.parametrize("name", ["out", "odd[1]{a}*?", "a b"])
def test_batches_of_before_are_left_alone(stream, name):
    stream.target = str(stream.folder / name)
    earlier = Path(stream.target, "batch=0/part-0.parquet")
    earlier.parent.mkdir(parents=True)
    earlier.write_bytes(b"earlier")
    stream.feed("1", "6.101.1.1")
    with pytest.raises(StreamingQueryException, match=r"holds batches of no query.*query=before"):
        stream.run("state")
    assert [each.name for each in Path(stream.target).iterdir()] == ["batch=0"] and earlier.read_bytes() == b"earlier"
    earlier.parent.parent.rename(stream.folder / "elsewhere")
    stream.run("state")
    assert [each.name[:6] for each in Path(stream.target).iterdir()] == ["query="]


def test_only_a_query_writes_batches(spark, module, tmp_path):
    write = module.write_batches(str(tmp_path / "out"), provider="ip-api")
    with pytest.raises(ValueError, match="only a streaming query"):
        write(spark.createDataFrame([("6.101.1.1",)], "value string"), 0)
    with pytest.raises(ValueError, match="on_unanswered='no'"):
        module.write_batches("/x", on_unanswered="no")
    assert not (tmp_path / "out").exists()


AWAY = {"offline_timeout": "1s", "timeout": "1s", "retries": 0}
# On a worker, the provider is one that nobody reaches.
UNREACHABLE = '[[ $1 == scan && $* == *" -" && $* != *--quiet* ]] && export SONDE_IP_API_URL=http://127.0.0.1:9'


def test_a_batch_without_answers_fails_and_is_repeated(stream, simulator, instead):
    stream.feed("1", "6.1.1.1", "6.2.2.2")
    stream.run("state")
    stream.feed("2", "6.2.2.2", "6.3.3.3")
    script = f'{UNREACHABLE}; exec "$SONDE" "$@"'
    with instead(script), pytest.raises(StreamingQueryException, match="1 addresses got no answer"):
        stream.run("state", **AWAY)
    assert [place[1:] for place in stream.places()] == [(0, "6.1.1.1"), (0, "6.2.2.2")]
    query = stream.run("state")
    assert [place[1:] for place in stream.places()] == [
        (0, "6.1.1.1"), (0, "6.2.2.2"), (1, "6.2.2.2"), (1, "6.3.3.3"),
    ]  # fmt: skip
    assert {place[0] for place in stream.places()} == {query} and {row.status for row in stream.rows()} <= {
        "ok",
        "unknown",
    }
    assert set(simulator.addresses().values()) == {1}


def test_a_batch_may_record_what_got_no_answer(stream, spark, module, simulator, instead):
    stream.feed("1", "6.4.4.4", "10.0.0.1")
    with instead(f'{UNREACHABLE}; exec "$SONDE" "$@"'):
        stream.run("state", on_unanswered="record", **AWAY)
    rows = {row.ip: row for row in stream.rows()}
    assert rows["6.4.4.4"].status in ("failed", "network_lost") and rows["10.0.0.1"].status == "reserved"
    mixed = spark.read.parquet(stream.target).withColumnRenamed("query", "x.y").selectExpr("*", "array(1, 2) AS more")
    better = module.upgrade(mixed, provider="ip-api")
    assert better.schema == mixed.schema
    upgraded = {row.ip: row.asDict() for row in better.collect()}
    unchanged = {row.ip: row.asDict() for row in mixed.collect()}
    assert upgraded["10.0.0.1"] == unchanged["10.0.0.1"]
    changed = {name for name, value in upgraded["6.4.4.4"].items() if value != unchanged["6.4.4.4"][name]}
    assert {"status", "source", "country_code"} <= changed and not changed & {"ip", "batch", "x.y", "more"}
    wanted = multiset([record("6.4.4.4")], ["message"])
    assert multiset([upgraded["6.4.4.4"]], ["message", "batch", "x.y", "more"]) == wanted


@pytest.mark.slow
def test_one_of_each_way_of_being_killed_loses_and_doubles_nothing(stream, simulator):
    """The driver, its JVM (which is the executor, too) and the command, each at any time."""
    chooser = random.Random(os.environ.get("TEST_KILLS", "1"))
    simulator.control(latency=0.3)
    batches, victims = [], ["driver", "java", "sonde"]
    chooser.shuffle(victims)
    for victim in victims:
        for _ in range(3):
            batches.append([f"7.{len(batches)}.{n}.1" for n in range(40)] + ["7.99.99.9"])
            stream.feed(str(len(batches)), *batches[-1])
        killed(stream, victim, chooser.uniform(0, 1.5))
    assert started(stream).wait(timeout=300) == 0, (stream.folder / "said").read_text()[-4000:]
    rows = stream.rows()
    assert len({row.query for row in rows}) == 1
    found = sorted((row.batch, row.ip) for row in rows)
    assert found == sorted((number, each) for number, addresses in enumerate(batches) for each in addresses)
    wanted = [record(each) for addresses in batches for each in addresses]
    assert multiset(rows, ["message", "query", "batch"]) == multiset(wanted)
    assert max(simulator.addresses().values()) <= 1 + len(victims)


def started(stream):
    """The stream in a process of its own."""
    script = Path(__file__).parent / "stream.py"
    command = [sys.executable, script, stream.source, stream.target, stream.folder / "state"]
    with open(stream.folder / "said", "ab") as said:
        return subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=said, stderr=said, start_new_session=True)


def killed(stream, victim, delay):
    """Starts the stream, and kills a part of it a while after it has begun to ask."""
    driver = started(stream)
    parts = {
        "driver": lambda: [driver.pid],
        "java": lambda: of_session(driver.pid, "java"),
        "sonde": lambda: of_session(driver.pid, "sonde"),
    }
    wait_for(lambda: parts["sonde"]() or driver.poll() is not None, timeout=120)
    time.sleep(delay)
    wait_for(lambda: killed_one(parts[victim]()) or driver.poll() is not None, timeout=120)
    # What is left ends by itself: Spark without its driver, the command without its reader.
    driver.wait(timeout=120)
    wait_for(lambda: not of_session(driver.pid), timeout=60)


def killed_one(processes):
    """Kills the first of some processes, if there is one."""
    with contextlib.suppress(IndexError, ProcessLookupError):
        os.kill(processes[0], signal.SIGKILL)
        return True
    return False


def of_session(leader, name=None):
    """The processes of a session, all or those of a name."""
    found = []
    for path in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            is_named = name is None or (path / "comm").read_text().strip() == name
            is_alive = (path / "stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
            if is_named and is_alive and os.getsid(int(path.name)) == leader:
                found.append(int(path.name))
    return found
