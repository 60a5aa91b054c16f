"""The command `sonde-spark-submit`, and what the manual shows of the module."""

import ast
import inspect
import json
import os
import re
import subprocess
import sys

import pytest
import world


def submit(machine, *arguments):
    """Runs the command in a session of its own."""
    settings = ["--conf=spark.ui.enabled=false", "--conf=spark.ui.showConsoleProgress=false"]
    command = [
        sys.executable,
        "-m",
        "sonde.spark.job",
        "--master=local[2]",
        *settings,
        *arguments,
    ]
    return subprocess.run(command, capture_output=True, text=True, timeout=600, check=False, env=dict(os.environ))


@pytest.mark.slow
def test_a_log_becomes_parquet(machine, spark, simulator, tmp_path):
    (tmp_path / "log").write_text("a 8.8.8.8\nb 10.0.0.1\nc 8.8.8.8\n")
    done = submit(machine, "--provider=ip-api", "--split=5", f"{tmp_path}/log", f"{tmp_path}/out")
    assert (done.returncode, done.stdout) == (0, ""), done.stderr
    assert "sonde-spark-submit: 2 records: 1 ok, 1 reserved" in done.stderr
    rows = spark.read.parquet(f"{tmp_path}/out").collect()
    assert {(row.ip, row.status, row.offset) for row in rows} == {
        ("8.8.8.8", "ok", 0),
        ("10.0.0.1", "reserved", 10),
    }


@pytest.mark.slow
def test_what_is_wrong_is_said_in_a_line_and_a_status(machine, tmp_path):
    done = submit(machine, "--provider=local", f"{tmp_path}/absent", f"{tmp_path}/out")
    assert done.returncode == 5 and "sonde-spark-submit: " in done.stderr and "no such file" in done.stderr
    (tmp_path / "list").write_text("nothing\n")
    done = submit(machine, "--list", "--provider=local", "--timeout=soon", f"{tmp_path}/list", f"{tmp_path}/out")
    assert done.returncode == 2 and "bad value 'soon' for --timeout" in done.stderr
    done = submit(machine, "--list", "--provider=local", "--master=nowhere", f"{tmp_path}/list", f"{tmp_path}/out")
    assert done.returncode == 5 and "\nsonde-spark-submit: [" in done.stderr and "Traceback" not in done.stderr
    done = submit(machine, "--list", "--provider=local", f"{tmp_path}/list", f"{tmp_path}/out")
    assert done.returncode == 1 and "1 records: 1 invalid" in done.stderr


@pytest.mark.parametrize("words", [[], ["in"], ["in", "out", "-q"], ["in", "out", "--mode=x"]])
def test_wrong_usage_starts_nothing(machine, words):
    done = submit(machine, *words)
    assert done.returncode == 2 and "usage: sonde-spark-submit" in done.stderr


@pytest.mark.slow
def test_spark_connect_gives_what_a_classic_session_gives(machine, local, tmp_path):
    (tmp_path / "log").write_text("x 5.1.1.1\n5.2.2.2\n")
    command = [sys.executable, world.ROOT / "Tests/Spark/connected.py", tmp_path / "log", json.dumps(local)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=600, check=False)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    one, two = ({"ip": ip, "status": status} for ip, status in (("5.1.1.1", "ok"), ("5.2.2.2", "ok")))
    assert sorted(row["ip"] for row in found["enrich"]) == ["5.1.1.1", "foo", "x 5.2.2.2"]
    assert found["annotate"] == [
        {"a": "5.1.1.1", "b.c": "x 5.2.2.2", "sonde": one},
        {"a": None, "b.c": "foo", "sonde": None},
    ]
    assert sorted((row["b.c"], row["sonde"]) for row in found["texts"]) == [("foo", []), ("x 5.2.2.2", [two])]
    places = [{**one, "offset": 0, "line": None}, {**two, "offset": 10, "line": None}]
    for name in ("log", "splits", "objects", "known", "source"):
        start = "local://" if name == "objects" else ""
        wanted = [{**place, "input": f"{start}{tmp_path}/log"} for place in places]
        assert sorted(found[name], key=lambda row: row["ip"]) == wanted, name
    assert found["function"] == [{"status": "ok"}, {"status": None}] and found["upgrade"] == []
    assert found["metrics"]["records"] == 3 and found["metrics"]["invalid"] == 2
    assert "classic session" in found["batches"]


def test_the_examples_of_the_manual_are_calls_that_there_are(module):
    page = (world.ROOT / "Sources/sonde/sonde.docc/Spark.md").read_text()
    blocks = re.findall(r"^```python\n(.*?)^```$", page, re.M | re.S)
    calls = [node for block in blocks for node in ast.walk(ast.parse(block)) if isinstance(node, ast.Call)]
    ours = [call for call in calls if isinstance(call.func, ast.Name) and hasattr(module, call.func.id)]
    functions = {name for name in module.__all__ if not name.endswith("Error")}
    assert {call.func.id for call in ours} == functions
    for call in ours:
        words = {word.arg: None for word in call.keywords}
        inspect.signature(getattr(module, call.func.id)).bind(*call.args, **words)
