"""What the module gives in a session of Spark Connect, which is another process than that of a classic one, as JSON."""

import json
import sys

import world


def main(log, options):
    """Calls every function once."""
    spark = world.session(None, remote="local[2]")
    import sonde.spark as module
    from pyspark.sql import Observation
    from pyspark.sql import functions as F

    local = {"fields": "ip,status", **json.loads(options)}
    df = spark.createDataFrame([("5.1.1.1", "x 5.2.2.2"), (None, "foo")], "a string, `b.c` string")
    records = module.enrich(df, ["a", F.col("`b.c`")], **local)
    counts = Observation("sonde")
    records.observe(counts, *module.metrics()).collect()
    module.register(spark, **local)
    df.createOrReplaceTempView("hits")
    frames = {
        "enrich": records,
        "annotate": module.annotate(df, "a", struct=True, **local),
        "texts": module.annotate(df, "b.c", log=True, **local),
        "log": module.read_log(spark, log, **local),
        "splits": module.read_log(spark, log, 4, **local),
        "objects": module.read_log(spark, f"local://{log}", 4, **local),
        "known": module.read_log(spark, log, known=records, **local),
        "source": spark.read.format("sonde").load(log),
        "function": spark.sql("SELECT sonde(a).status AS status FROM hits"),
        "upgrade": module.upgrade(spark.createDataFrame([], records.schema.add("source", "string")), provider="ip-api"),
    }
    found = {name: [row.asDict(recursive=True) for row in frame.collect()] for name, frame in frames.items()}
    found["metrics"] = counts.get
    try:
        module.write_batches(f"{log}.out", **local)(df, 0)
    except module.SondeError as error:
        found["batches"] = str(error)
    print(json.dumps(found))


if __name__ == "__main__":
    main(*sys.argv[1:])
