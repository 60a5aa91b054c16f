#!/usr/bin/env bash
# Runs the tests of the Python package, those of Spark in two sessions of Spark; arguments go to pytest.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
# A test that hangs is ended, with its session: a busy machine needs minutes for what takes seconds alone.
limit=(--timeout 900 -o timeout_func_only=true)
exec .build/spark-tools/bin/python -m pytest -o cache_dir="$PWD/.build/pytest" -r fEs -n 2 --dist worksteal "${limit[@]}" Tests/Spark "$@"
