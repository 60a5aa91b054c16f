#!/usr/bin/env bash
# Checks the Python package and its tests without Spark: the form, the faults that a linter sees, the types.
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.." || exit
tools=$PWD/.build/spark-tools/bin

status=0
check() { "$@" || status=1; }

settings=Sources/PythonPackage/pyproject.toml
check "$tools/ruff" format --quiet --no-cache --config "$settings" --check Sources/PythonPackage Tests/Spark
check "$tools/ruff" check --quiet --no-cache --config "$settings" Sources/PythonPackage Tests/Spark
# In all tests, what nobody uses.
check "$tools/ruff" check --quiet --no-cache --isolated --select F401,F841 Tests
check "$tools/mypy" --config-file "$settings" --cache-dir .build/mypy Sources/PythonPackage/sonde
exit $status
