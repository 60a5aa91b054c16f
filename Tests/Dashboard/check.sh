#!/usr/bin/env bash
# Checks the files of the pages without a browser: the scripts linted and type-checked, the style sheets
# linted and formatted, the markup parsed, and the field's own check held against the table of cases.
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.." || exit
export PATH=$PWD/.build/page-tools/bin:$PATH NO_COLOR=1 DENO_NO_UPDATE_CHECK=1
export DENO_DIR=$PWD/.build/page-tools/deno

page=Sources/CSondeDashboardAssets/Resources
parts=Sources/CSondePageAssets/Resources
samples=(Samples/{Converter,Gallery}/Page/Resources)
status=0
check() { "$@" || status=1; }

check oxlint -c Tests/Dashboard/oxlint.json "$page" "${samples[@]}" Tests/Dashboard
check deno check --quiet --config Tests/Dashboard/deno.json "$page"/*.js Samples/*/Page/Resources/*.js Tests/Dashboard/*.js
check deno test --quiet --config Tests/Dashboard/deno.json --allow-read=Tests Tests/Dashboard
check biome check --config-path=Tests/Dashboard "$page" "${samples[@]}" "$parts"
check python3 Tests/Dashboard/html_errors.py "$page/index.html" "${samples[@]/%//index.html}" \
    <(cat "$parts"/{head,page,foot}.html) <(cat "$parts"/{head,outages,foot}.html)
exit $status
