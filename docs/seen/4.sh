#!/usr/bin/env bash
# Seen working, part 4: governance. Runs each point, prints what it said, shortened, and PASS or FAIL.
#
#   DATA=/path/to/data docs/seen/4.sh            all points (about half an hour on two cores)
#   DATA=/path/to/data docs/seen/4.sh 1 4 7      these points
#   COMPANIES=2 SETS=20 docs/seen/4.sh 2         fewer companies and sets of arguments
#
# DATA holds the folder earnings21 (calls in the shape of Gong's public API answers); without it the bundled sample is
# used. Exit 1 when a point fails.
source "$(dirname "${BASH_SOURCE[0]}")/points.sh"
listed=$work/list.yaml

cache() { # a governed cache, made once
  [ -f "$db" ] && return
  cat >"$listed" <<'YAML'
version: 1
lists:
  no_ai:
    customers:
      - name: Culp Inc
        domains: [culp-inc.example]
      - name: Spire Inc
  notification_required:
    customers:
      - name: Cumulus Media Inc
YAML
  "$bin/gongctl" import gong "$data" --db "$db" >/dev/null 2>&1
  "$bin/gongctl" cache warm --db "$db" --ai-governance-config "$listed" >/dev/null 2>&1
}

if wanted 1; then
  title "1. scope: private calls are out for agents, the operator counts everything"
  "$bin/gongctl" import gong "$data" --db "$work/scope.db" >/dev/null 2>&1
  "$bin/gongctl" cache warm --db "$work/scope.db" >/dev/null 2>&1
  point 30 0 "$bin/gongctl" cache status --db "$work/scope.db"
  point 3 0 "$bin/gongctl" mcp call get_sync_status --db "$work/scope.db" --text
  point 30 0 "$bin/gongctl" governance scope --explain --db "$work/scope.db"
fi
if wanted 2; then
  title "2. each of ${COMPANIES:-20} companies restricted in turn, ${SETS:-200} sets of arguments for every tool"
  point 40 0 "$bin/python" docs/seen/restrict_twenty.py "$data" "${COMPANIES:-20}" "${SETS:-200}"
fi
if wanted 3; then
  title "3. a governed cache answers like one without the calls"
  point 12 0 "$bin/python" docs/seen/differential.py "$data" 8
fi
if wanted 4; then
  title "4. restricted and unknown names cannot be told apart"
  cache
  point 4 0 "$bin/python" docs/seen/distinguish.py "$db" "$listed" 4000
fi
if wanted 5; then
  title "5. what the list takes, and why"
  cache
  point 30 0 "$bin/gongctl" governance audit --db "$db" --ai-governance-config "$listed" --allow-unmatched
fi
if wanted 6; then
  title "6. every tool of a preset, probed"
  cache
  for preset in governance-search analyst all-readonly; do
    point 45 0 "$bin/gongctl" governance verify --preset "$preset" --db "$db" --ai-governance-config "$listed" --text
  done
fi
if wanted 7; then
  title "7. an adversary against the server, over stdio"
  cache
  for preset in governance-search all-readonly; do
    point 20 0 "$bin/gongctl" redteam --preset "$preset" --db "$db" --ai-governance-config "$listed" --budget 2000 --text
  done
fi
if wanted 8; then
  title "8. what 1,000 of the best queries give back of a call"
  point 14 0 "$bin/python" -m benchmarks.reconstruct --calls "${CALLS:-3}"
fi
if wanted 9; then
  title "9. masking, by lines of somebody who had not seen the detectors"
  point 40 0 "$bin/python" -m pytest -q -n 0 tests/gongmcp/masking
fi
if wanted 10; then
  title "10. evidence budget, guards and their controls"
  point 6 0 "$bin/python" -m pytest -q -n 0 tests/gongmcp/test_evidence.py tests/gongmcp/test_leaks.py \
    tests/gongctl/governance tests/gongmcp/governance
fi
if wanted 11; then
  title "11. a copy without the restricted calls: their names are nowhere in the file"
  cache
  point 6 0 "$bin/gongctl" governance export-filtered-db --db "$db" --ai-governance-config "$listed" --out "$work/rest.db"
  point 3 1 grep -aiqE 'culp|cumulus media' "$work/rest.db"
fi
if wanted 12; then
  title "12. restricted mode of the command line"
  cache
  point 3 3 env GONGCTL_RESTRICTED=1 "$bin/gongctl" governance explain --db "$db" --ai-governance-config "$listed" 1
fi
if wanted 13; then
  title "13. census"
  cache
  point 20 0 "$bin/gongctl" governance census --db "$db"
fi
if wanted 14; then
  title "14. a customer is blocked while a server runs"
  cache
  cp "$db" "$work/live.db"
  cp "$listed" "$work/live.yaml"
  point 8 0 "$bin/python" docs/seen/block_live.py "$work/live.db" "$work/live.yaml" "AcelRX Pharmaceuticals Inc"
fi
if wanted 15; then
  title "15. what governance took from one answer, by a model that only gongctl opens"
  cache
  cp "$db" "$work/two.db"
  point 2 0 "$bin/gongctl" cache warm --db "$work/two.db" --ai-governance-config "$listed" --operator-model
  point 3 4 "$bin/gongmcp" --db "$work/two.db.operator" --tool-preset analyst
  for tool in search_calls summarize_calls_by_lifecycle; do
    "$bin/gongctl" mcp call "$tool" --db "$work/two.db" --ai-governance-config "$listed" --tool-preset all-readonly --explain \
      >"$work/explained.json" 2>/dev/null
    point 6 0 "$bin/python" -c 'import json, sys
for row in json.load(open(sys.argv[1]))["disclosure"]["withheld"]:
    if row["rule"].startswith("governance."): print(row["count"], row["rule"], "-", row["reason"])' "$work/explained.json"
  done
fi
exit $failed
