#!/usr/bin/env bash
# Prints the names of the libraries that the program loads at their first use, a line each.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

grep -rh --include='*.swift' '^ *let library = DynamicLibrary(' Sources | cut -d '"' -f 2 | sort -u
