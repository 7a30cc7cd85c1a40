#!/usr/bin/env bash
# Seen working, part 2: the whole direct catalogue. Runs each point and prints the commands and what they said, shortened.
#
#   DATA=/path/to/data docs/seen/2.sh [SEGMENTS]
#
# DATA holds the folder earnings21 (calls in the shape of Gong's public API answers). SEGMENTS is the size of the cache
# of the speed table (default 100000; the table in docs/benchmarks.md was made with 1000000). Exit 1 when a point fails.
set -uo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
bin=${BIN:-$root/.venv/bin}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
db=$work/e21.db
failed=0
unset GONGCTL_DB
for name in ${!GONGMCP_*}; do unset "$name"; done
cd "$root" || exit 1

title() { printf '\n== %s\n' "$*"; }
run() { # LINES COMMAND...
  local lines=$1 out status
  shift
  printf '$ %s\n' "$*" | sed "s#$work/##g; s#$bin/##g; s#$root#.#g; s#${DATA:-/no/data}#data#g"
  out=$("$@" 2>&1)
  status=$?
  printf '%s\n' "$out" | sed "s#$work/##g; s#$root#.#g" |
    awk -v n="$lines" 'NR <= n { print substr($0, 1, 180) } END { if (NR > n) printf "[%d more lines]\n", NR - n }'
  [ $status -eq 0 ] || { printf 'exit %s\n' "$status"; [ "$status" = "${allow:-0}" ] || failed=1; }
}

if [ -n "${DATA:-}" ] && [ -d "$DATA/earnings21" ]; then
  title "one call of every tool on the 44 calls (the bundled sample's answers are in docs/mcp-server.md)"
  "$bin/gongctl" import gong "$DATA/earnings21" --db "$db" 2>/dev/null | tail -1
  "$bin/gongctl" cache warm --db "$db" 2>/dev/null
  # The examples of the tests, with what exists in both data sets; one process, the same handler.
  run 400 "$bin/python" - "$db" <<'PY'
import sys
from pathlib import Path

sys.path.insert(0, ".")
from tests.gongmcp.examples import EXAMPLES

from gongmcp.handler import build_handler
from gongmcp.settings import ServerSettings

handler = build_handler(ServerSettings.resolve({}, {}), Path(sys.argv[1]))
for info in handler.tools():
    arguments = EXAMPLES[info.name][0]
    outcome = handler.call(info.name, dict(arguments))
    answer = outcome.answer
    said = answer.error["code"] if answer.error else answer.structured["status"]
    withheld = len((answer.structured or {}).get("withheld_fields", ()))
    print(f"{info.name:42} {str(arguments)[:60]:60} {said:16} rows {outcome.rows:3}  bytes {outcome.bytes:6}  withheld {withheld}")
PY
else
  echo "not run here: the calls need DATA=FOLDER"
fi

title "presets, and what two of them differ in"
run 14 "$bin/gongmcp" --list-tool-presets
run 12 "$bin/gongctl" mcp diff --preset operator-smoke --preset business-pilot --text
title "settings: where each value came from"
GONGMCP_MAX_SEARCH_RESULTS=250 run 12 "$bin/gongctl" config show --effective --transcript-evidence-provenance alias
title "tokens of the full list"
run 40 "$bin/gongctl" mcp tools --stats --text
title "property test, hostile texts, field cases, leaks, doors, offers, adding a tool"
run 8 "$bin/python" -m pytest -q -n 2 tests/gongmcp/test_properties.py tests/gongmcp/test_hostile.py \
  tests/gongmcp/test_cases.py tests/gongmcp/test_leaks.py tests/gongmcp/test_doors.py tests/gongmcp/test_offers.py \
  tests/docs/test_add_a_tool.py
title "cost of every tool"
run 90 "$bin/python" -m benchmarks.tools --segments 10000 "${1:-100000}"
exit $failed
