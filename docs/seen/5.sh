#!/usr/bin/env bash
# Seen working, part 5: the pre-flight room. Runs each point, prints what it said, shortened, and PASS or FAIL.
#
#   docs/seen/5.sh            all points (about fifteen minutes on two cores)
#   docs/seen/5.sh 1 4 7      these points
#
# DATA, a folder that holds earnings21 (calls in the shape of Gong's public API answers), is used in place of the bundled
# sample. Exit 1 when a point fails.
source "$(dirname "${BASH_SOURCE[0]}")/points.sh"
export GONGCTL_STATE=$work/state
lock=$work/gongmcp.lock.json

holds() { # WORDS...: whether the last command said them
  if grep -qF -- "$*" "$work/out"; then echo "PASS: it says \"$*\""; else echo "FAIL: it does not say \"$*\""; failed=1; fi
}
approved() { # a lock, made once
  cache
  [ -f "$lock" ] && return
  "$bin/gongctl" mcp approve --preset operator-smoke --db "$db" --lock "$lock" --by "Sam Example" >/dev/null 2>&1
}
tests() { nice "$bin/python" -m pytest -q -n 0 "$@"; }

if wanted 1; then
  title "1. a queue, riskiest exposure first, with the samples of one tool"
  cache
  point 12 0 "$bin/gongctl" review --preset operator-smoke --db "$db" --lock "$lock"
  point 20 0 "$bin/gongctl" review search_transcript_segments --preset operator-smoke --db "$db" --lock "$lock"
  holds "worst case first"
fi
if wanted 2; then
  title "2. the preview is the wire: every tool, preset and sample, over standard input and output and as a dry run"
  point 4 0 env EVERY_SAMPLE=1 "$bin/python" -m pytest -q -n 0 tests/gongctl/approval/test_equality.py
fi
if wanted 3; then
  title "3. every range of a span points at what it says; each gate closes on its fault"
  point 4 0 tests tests/gongmcp/preview
fi
if wanted 4; then
  title "4. approve, serve under the lock, change a cap: drift"
  approved
  point 12 0 "$bin/gongctl" mcp approve --preset operator-smoke --db "$db" --lock "$lock" --by "Sam Example" --record "$work/r.md"
  holds "unchanged"
  point 12 0 head -12 "$work/r.md"
  point 3 0 "$bin/gongctl" mcp drift --db "$db" --lock "$lock"
  point 3 0 "$bin/gongctl" mcp call get_sync_status --db "$db" --lock "$lock" --text
  point 6 5 "$bin/gongctl" mcp drift --db "$db" --lock "$lock" --max-search-results 300
  point 3 5 "$bin/gongmcp" --db "$db" --lock "$lock" --max-search-results 300
fi
if wanted 5; then
  title "5. exempt, drop, and what goes on from a lock"
  approved
  point 8 0 "$bin/gongctl" mcp approve --exempt get_call --db "$db" --lock "$lock"
  holds "exempt"
  point 8 0 "$bin/gongctl" mcp approve --drop get_call --db "$db" --lock "$lock"
  holds "dropped"
fi
if wanted 6; then
  title "6. of 8 kinds of mutation none is served, exempt tools and locks that were gone on from included"
  point 4 0 tests tests/gongmcp/approval/test_mutations.py tests/gongmcp/approval/test_renewed_locks.py \
    tests/gongmcp/approval/test_data.py
fi
if wanted 7; then
  title "7. sample sets by indexes at 200,000 calls; reviews, reveal, history, exports"
  point 4 0 tests tests/gongctl/approval/test_sample_sets.py tests/gongctl/approval/test_reviewing.py
fi
if wanted 8; then
  title "8. the panes in reading order, and the keys"
  cache
  point 60 0 "$bin/gongctl" mcp call search_transcript_segments --set query=revenue --set limit=2 --explain --text --db "$db"
  holds "Gates"
  point 8 0 "$bin/gongctl" keys
fi
if wanted 9; then
  title "9. the pilot walks the pre-flight: compare, approve, serve, drift; then all that is known of the screens"
  point 8 0 tests -s tests/gongctl/approval/test_pilot.py
  holds "keys from start to a lock"
  point 6 0 tests tests/tui
fi
if wanted 10; then
  title "10. committed cases"
  cache
  cat >"$work/cases.yaml" <<'YAML'
version: 1
cases:
  - name: a search shows references and no ids
    preset: operator-smoke
    tool: search_calls
    arguments: {limit: 3}
    status: ok
    must_not_hold: ["@example.com"]
    at_most: {rows: 3, bytes: 20000}
YAML
  point 4 0 "$bin/gongctl" policy test "$work/cases.yaml" --db "$db"
fi
exit $failed
