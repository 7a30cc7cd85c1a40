#!/usr/bin/env bash
# Seen working, part 1: the first light. Runs each point and prints the commands and what they said, shortened.
#
#   DATA=/path/to/data docs/seen/1.sh            all eight points
#   DATA=/path/to/data docs/seen/1.sh 2 3 4      these points (3 needs nothing, 4 to 6 build what they need)
#
# DATA holds the folders earnings21 and earnings21-late (calls in the shape of Gong's public API answers). It may also be
# the first argument. Everything is written to a temporary folder. Exit 1 when a point did not show what it should.
set -uo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
if [ $# -gt 0 ] && [ -d "$1" ]; then DATA=$1; shift; fi
points=("$@")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
bin=${BIN:-$root/.venv/bin}
db=$work/e21.db
failed=0
unset GONGCTL_DB
for name in ${!GONGMCP_*}; do unset "$name"; done

wanted() { # NUMBER
  [ ${#points[@]} -eq 0 ] && return 0
  local point
  for point in "${points[@]}"; do [ "$point" = "$1" ] && return 0; done
  return 1
}
title() { printf '\n== %s\n' "$*"; }
say() { printf '%s\n' "$*"; }
plain() { sed "s#$work/##g; s#$root/##g; s#$root#.#g; s#${DATA:-/no/data}#data#g"; } # without the paths of this machine
short() { # LINES: the first ones, and how many were left out
  awk -v n="$1" 'NR <= n { print substr($0, 1, 200) } END { if (NR > n) printf "[%d more lines]\n", NR - n }'
}
show() { # LINES COMMAND...: prints the command as typed and the beginning of its output
  local lines=$1 out status
  shift
  printf '$ %s\n' "$*" | plain
  out=$(eval "$*" 2>&1)
  status=$?
  printf '%s\n' "$out" | plain | short "$lines"
  [ $status -eq 0 ] || say "exit $status"
  return $status
}
expect() { # WHAT COMMAND...: says whether the command holds
  local what=$1
  shift
  if eval "$*" >/dev/null 2>&1; then say "ok: $what"; else say "NOT: $what"; failed=1; fi
}
skip() { say "not run here: $*"; }
json() { # FILE EXPRESSION: true when the Python expression over the file's JSON, `o`, is
  "$bin/python" - "$1" "$2" <<'PY'
import json, sys
o = json.load(open(sys.argv[1], encoding="utf-8"))
sys.exit(not eval(sys.argv[2]))
PY
}
need_data() {
  if [ -n "${DATA:-}" ] && [ -d "$DATA/earnings21" ]; then return 0; fi
  skip "it needs the recorded calls; give DATA=FOLDER"
  return 1
}
need_cache() { # imports and warms once
  need_data || return 1
  [ -e "$db" ] && return 0
  "$bin/gongctl" import gong "$DATA/earnings21" --db "$db" >/dev/null 2>&1
  "$bin/gongctl" cache warm --db "$db" >/dev/null 2>&1
}
if [ ! -x "$bin/gongctl" ]; then
  say "set-up: make demo in this clone" >&2
  make -C "$root" demo ARGS=--text </dev/null >/dev/null || exit 1
fi
PATH=$bin:$PATH

if wanted 1; then
  title "1. A fresh clone: make demo, make test"
  git clone --quiet "$root" "$work/clone"
  show 60 "make --no-print-directory -C $work/clone demo </dev/null | cat" || failed=1
  out=$work/test.txt
  say '$ make test'
  if make --no-print-directory -C "$work/clone" test >"$out" 2>&1; then say "ok: make test"; else say "NOT: make test"; failed=1; fi
  tail -n 3 "$out"
fi

if wanted 2; then
  title "2. Import, again, and what came late"
  if need_data; then
    rm -f "$db"
    show 30 "gongctl import gong $DATA/earnings21 --db $db"
    gongctl cache status --db "$db" --json >"$work/status.json"
    expect "44 calls, 38 transcripts, 17,428 segments, 14 users" "json $work/status.json \
      '[o[\"raw\"][k] for k in (\"calls\", \"transcripts\", \"segments\", \"users\")] == [44, 38, 17428, 14]'"
    show 30 "gongctl cache warm --db $db"
    say "again:"
    show 30 "gongctl import gong $DATA/earnings21 --db $db"
    gongctl import gong "$DATA/earnings21" --db "$db" --json >"$work/again.json" 2>/dev/null
    expect "all unchanged" "json $work/again.json \
      'all(k[\"new\"] == k[\"changed\"] == k[\"rejected\"] == 0 for k in o[\"kinds\"].values()) and o[\"kinds\"][\"call\"][\"unchanged\"] == 44'"
    show 30 "gongctl import gong $DATA/earnings21-late --db $db"
    show 30 "gongctl cache status --db $db"
    gongctl cache status --db "$db" --json >"$work/late.json"
    expect "six transcripts and 2,036 segments more; the state is stale" "json $work/late.json \
      '(o[\"raw\"][\"transcripts\"], o[\"raw\"][\"segments\"], o[\"freshness\"]) == (44, 17428 + 2036, \"stale\")'"
    say '$ gongctl cache warm --db e21.db --json'
    gongctl cache warm --db "$db" --json 2>/dev/null | tee "$work/warm.json" | plain
    expect "six calls were redone, and the state is fresh" \
      "json $work/warm.json '(o[\"redone\"], o[\"freshness\"]) == (6, \"fresh\")'"
    rm -f "$db" # the points below speak of the first delivery
  fi
fi

if wanted 3; then
  title "3. The ceiling of rows is the schema's maximum"
  ceiling() { gongctl mcp tool-info search_transcript_segments | "$bin/python" -c \
    'import json, sys; o = json.load(sys.stdin); print("maximum", o["inputSchema"]["properties"]["limit"]["maximum"], o["limits"])'; }
  for value in 250 5000 ''; do
    say "\$ GONGMCP_MAX_SEARCH_RESULTS=$value gongctl mcp tool-info search_transcript_segments"
    if [ -n "$value" ]; then GONGMCP_MAX_SEARCH_RESULTS=$value ceiling; else ceiling; fi
  done | tee "$work/ceilings.txt"
  expect "250, then the hard cap 1000, then 100" "[ \"\$(awk '/^maximum/ {print \$2}' $work/ceilings.txt | xargs)\" = '250 1000 100' ]"
  if need_cache; then
    gongctl mcp call search_transcript_segments --db "$db" --set query=the >"$work/default.json"
    expect "a limit that is left out gives 20 rows" "json $work/default.json 'o[\"returned\"] == 20'"
  fi
fi

if wanted 4; then
  title "4. A dry run, with what was withheld"
  if need_cache; then
    show 60 "gongctl mcp call search_transcript_segments --db $db --args '{\"query\":\"\\\"free cash flow\\\"\",\"limit\":3}' --explain --text"
    gongctl mcp call search_transcript_segments --db "$db" --args '{"query":"\"free cash flow\"","limit":3}' --explain >"$work/explain.json"
    expect "3 rows" "json $work/explain.json 'len(o[\"result\"][\"results\"]) == 3'"
    expect "no call or speaker id, nor an alias" \
      "json $work/explain.json 'not any(k.startswith((\"call_id\", \"call_ref\", \"speaker\")) for r in o[\"result\"][\"results\"] for k in r)'"
    expect "capped, with suggestions" "json $work/explain.json 'o[\"result\"][\"capped\"] and o[\"result\"][\"suggested_refinements\"]'"
    expect "the ledger names the withheld ids" \
      "json $work/explain.json '{\"call_id\", \"speaker_id\"} <= {w[\"kind\"] for w in o[\"disclosure\"][\"withheld\"]}'"
  fi
fi

if wanted 5; then
  title "5. The same call over MCP, in both protocol eras"
  if need_cache; then
    show 20 "python $root/docs/seen/same_answer.py $db" || failed=1
  fi
fi

if wanted 6; then
  title "6. The MCP Inspector's command line"
  if ! command -v npx >/dev/null; then
    skip "npx is not installed"
  elif need_cache; then
    inspector="npx --yes @modelcontextprotocol/inspector@${INSPECTOR:-latest} --cli gongmcp --db $db"
    if ! timeout 300 npx --yes "@modelcontextprotocol/inspector@${INSPECTOR:-latest}" --help >"$work/npx.txt" 2>&1; then
      skip "npx could not get the Inspector: $(tail -n 1 "$work/npx.txt")"
    else
      show 12 "$inspector --method tools/list 2>/dev/null | tee $work/list.json"
      expect "the Inspector lists the tools" "json $work/list.json 'len(o[\"tools\"]) >= 9'"
      show 12 "$inspector --method tools/call --tool-name search_transcript_segments" \
        "--tool-arg 'query=free cash flow' --tool-arg limit=1 2>/dev/null | tee $work/call.json"
      expect "the Inspector calls one" "json $work/call.json 'o[\"structuredContent\"][\"returned\"] == 1'"
    fi
  fi
fi

if wanted 7; then
  title "7. Canaries, with their control"
  show 12 "cd $root && python -m pytest -q -n 2 tests/gongmcp/test_leaks.py" || failed=1
fi

if wanted 8; then
  title "8. Benchmarks at 1 million segments"
  show 60 "cd $root && python -m benchmarks" || failed=1
fi

say ""
if [ $failed -eq 0 ]; then say "All points that were run showed what they should."; else say "A point did not show what it should."; fi
exit $failed
