"""Streams: each batch onto a path of its own, again where it is repeated."""

from conftest import multiset
from expected import record


def test_each_batch_is_kept_once(spark, module, simulator, tmp_path):
    source, target, state = (str(tmp_path / name) for name in ("in", "out", "state"))
    (tmp_path / "in").mkdir()

    def feed(name, *addresses):
        (tmp_path / name).write_text("".join(f"GET {each} done\n" for each in addresses))
        (tmp_path / name).rename(tmp_path / "in" / name)

    def run(checkpoint):
        lines = spark.readStream.format("text").option("maxFilesPerTrigger", 1).load(source)
        write = module.write_batches(target, log=True, provider="ip-api")
        query = lines.writeStream.foreachBatch(write).option("checkpointLocation", checkpoint)
        query.trigger(availableNow=True).start().awaitTermination()

    feed("1", "5.1.1.1", "5.2.2.2", "5.1.1.1")
    run(state)
    feed("2", "5.2.2.2", "5.3.3.3")
    run(state)
    rows = spark.read.parquet(target).collect()
    assert sorted((row.batch, row.ip) for row in rows) == [
        (0, "5.1.1.1"),
        (0, "5.2.2.2"),
        (1, "5.2.2.2"),
        (1, "5.3.3.3"),
    ]
    wanted = [record(each) for each in ("5.1.1.1", "5.2.2.2", "5.2.2.2", "5.3.3.3")]
    assert multiset({**row.asDict(), "batch": None} for row in rows) == multiset(wanted)
    # A stop before Spark has noted a batch has it come again.
    run(str(tmp_path / "another"))
    assert sorted((row.batch, row.ip) for row in spark.read.parquet(target).collect()) == sorted(
        (row.batch, row.ip) for row in rows
    )
    assert set(simulator.addresses().values()) == {1}
