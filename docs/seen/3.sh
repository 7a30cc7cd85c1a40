#!/usr/bin/env bash
# Seen working, part 3: business profiles. Runs each point and prints the commands and what they said, shortened.
#
#   DATA=/path/to/data docs/seen/3.sh [CALLS...]
#
# DATA holds the folders earnings21 (calls in the shape of Gong's public API answers) and earnings21-late (six
# transcripts that came later). CALLS are the sizes of the speed table (default 10000 100000, some twenty minutes).
# Exit 1 when a point fails.
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
  printf '%s\n' "$out" | sed "s#$work/##g; s#$root#.#g; s#${DATA:-/no/data}#data#g" |
    awk -v n="$lines" 'NR <= n { print substr($0, 1, 180) } END { if (NR > n) printf "[%d more lines]\n", NR - n }'
  [ $status -eq 0 ] || { printf 'exit %s\n' "$status"; [ "$status" = "${allow:-0}" ] || failed=1; }
}
ends() { # LINES COMMAND...: the last lines of what it says
  local lines=$1
  shift
  "$@" 2>&1 | tail -n "$lines"
}
expect() { # WHAT COMMAND...: fails the script when the command does
  local what=$1
  shift
  if "$@"; then echo "$what: yes"; else echo "$what: NO"; failed=1; fi
}
ask_over_stdio() { # TOOL ARGUMENTS
  local hello='{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"seen","version":"0"}}'
  printf '%s\n' "{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"initialize\",\"params\":$hello}" \
    '{"jsonrpc":"2.0","method":"notifications/initialized"}' \
    "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"$1\",\"arguments\":$2}}" |
    "$bin/gongmcp" --db "$db" 2>/dev/null | tail -1 | "$bin/python" -c '
import json, sys
said = json.load(sys.stdin)["result"]["structuredContent"]
print({key: said[key] for key in ("freshness", "as_of", "freshness_reason", "repair", "profile_readiness") if key in said})
for row in said.get("results", ()):
    print("  ", row["bucket"], row["call_count"], "transcripts", row["transcript_count"])'
}

if [ -n "${DATA:-}" ] && [ -d "$DATA/earnings21" ]; then
  "$bin/gongctl" import gong "$DATA/earnings21" --db "$db" >/dev/null 2>&1
  "$bin/gongctl" cache warm --db "$db" 2>/dev/null
  title "discover, validate, import, warm"
  run 3 "$bin/gongctl" profile discover --db "$db" --out "$work/company.yaml" --name "Company"
  run 45 sed -n '/^fields:/,/^  deal_type:/p; /^lifecycle:/,$p' "$work/company.yaml"
  run 4 "$bin/gongctl" profile validate "$work/company.yaml" --db "$db" --strict
  sed 's/op: iprefix/op: begins/; s/field: deal_stage/field: deal_stag/' "$work/company.yaml" >"$work/wrong.yaml"
  allow=1 run 9 "$bin/gongctl" profile validate "$work/wrong.yaml" --db "$db"
  run 4 "$bin/gongctl" profile import "$work/company.yaml" --db "$db"
  allow=4 run 3 "$bin/gongctl" mcp call summarize_calls_by_lifecycle --db "$db" --text
  run 3 "$bin/gongctl" cache warm --db "$db"
  title "calls by lifecycle, under the profile and builtin"
  for source in profile builtin; do
    run 12 "$bin/gongctl" mcp call summarize_calls_by_lifecycle --set lifecycle_source=$source --db "$db" --text
  done
  title "each explained: who moves where; one call rule by rule under either"
  run 30 "$bin/gongctl" profile explain --profile builtin --against active --db "$db"
  run 6 "$bin/gongctl" profile explain --sample 4 --db "$db"
  call=$("$bin/gongctl" profile explain --sample 40 --db "$db" --json | "$bin/python" -c '
import json, sys
print(next(c["call_id"] for c in json.load(sys.stdin)["calls"] if c["bucket"] == "post_sales"))')
  run 14 "$bin/gongctl" profile explain --call "$call" --db "$db"
  run 4 "$bin/gongctl" profile explain --profile builtin --call "$call" --db "$db"
  title "a candidate: compared, staged, warmed, activated, and back"
  sed 's/^name: .*/name: Post-sales first/; s/order: 30/order: 5/' "$work/company.yaml" >"$work/candidate.yaml"
  run 9 "$bin/gongctl" profile diff "$work/candidate.yaml" --db "$db"
  run 20 "$bin/gongctl" profile explain --against "$work/candidate.yaml" --db "$db"
  run 4 "$bin/gongctl" profile import "$work/candidate.yaml" --no-activate --db "$db"
  run 2 "$bin/gongctl" cache warm --profile profile_2 --db "$db"
  run 2 "$bin/gongctl" profile activate profile_2 --db "$db"
  run 2 "$bin/gongctl" profile activate profile_1 --db "$db"
  run 4 "$bin/gongctl" profile history --db "$db"
  cp "$db" "$work/before-late.db"
  if [ -d "$DATA/earnings21-late" ]; then
    title "six late transcripts: the server says stale and changes no byte"
    run 12 "$bin/gongctl" import gong "$DATA/earnings21-late" --db "$db"
    run 8 "$bin/gongctl" cache status --db "$db"
    before=$(sha256sum <"$db")
    run 9 ask_over_stdio get_sync_status '{}'
    run 9 ask_over_stdio summarize_calls_by_lifecycle '{"lifecycle_source":"profile"}'
    expect "the file is the same to the byte" [ "$before" = "$(sha256sum <"$db")" ]
    expect "nothing lies beside it" [ ! -e "$db-wal" -a ! -e "$db-shm" ]
    title "warm redoes what changed, and nothing else"
    run 3 "$bin/gongctl" cache warm --db "$db"
    run 9 ask_over_stdio summarize_calls_by_lifecycle '{"lifecycle_source":"profile"}'
    title "kill -9 at 50 random moments during a warm of late transcripts and a new profile"
    sed 's/^name: .*/name: Another/; s/order: 40/order: 1/' "$work/company.yaml" >"$work/another.yaml"
    run 14 "$bin/python" docs/seen/killed_warm.py "$work/before-late.db" "$DATA/earnings21-late" "$work/another.yaml" 50
  fi
else
  echo "not run here: the calls need DATA=FOLDER"
fi

title "tests: tools under profiles, warm, commands, rules, discovery on Salesforce and HubSpot, cost"
run 12 ends 12 "$bin/python" -m pytest -q -n 2 tests/gongmcp/test_profile_tools.py tests/gongctl/test_profile_warm.py \
  tests/gongctl/test_profile_cmd.py tests/gongctl/test_profile_steps.py tests/gongctl/profile
title "facts of profiles: calls a second, memory, one changed call, switching"
[ $# -gt 0 ] || set -- 10000 100000
run 30 "$bin/python" -m benchmarks.profiles --calls "$@"
exit $failed
