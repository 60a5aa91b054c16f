"""A stream in a process of its own, to be killed: files of a folder in, a batch for each; Parquet out."""

import sys

import world


def main(source, target, state):
    """Works off what is in the folder; the batches behind one that failed are left to the next start."""
    spark = world.session("local[2]")
    import sonde.spark

    lines = spark.readStream.format("text").option("maxFilesPerTrigger", 1).load(source)
    write = sonde.spark.write_batches(target, log=True, provider="ip-api")
    query = lines.writeStream.foreachBatch(write).option("checkpointLocation", state)
    query.trigger(availableNow=True).start().awaitTermination()


if __name__ == "__main__":
    main(*sys.argv[1:])
