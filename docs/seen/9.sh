#!/usr/bin/env bash
# Seen working, part 9: business questions. Runs each point, prints what it said, shortened, and PASS or FAIL.
#
#   DATA=/path/to/data docs/seen/9.sh            all points
#   DATA=/path/to/data docs/seen/9.sh 1 2        these points
#
# DATA holds the folders earnings21 (calls in the shape of Gong's public API answers) and earnings21-labels (names in
# them); without it the bundled sample is used, and what needs the labels is passed over. BENCH names a folder in which
# caches for point 8 are kept; without it that point uses 10,000 and 30,000 segments. Exit 1 when a point fails.
source "$(dirname "${BASH_SOURCE[0]}")/points.sh"

tool() { # NAME ARGUMENTS: the text that an agent reads
  "$bin/gongctl" mcp call "$1" --db "$db" --text --args "$2"
}

if wanted 1; then
  title "1. counts of 200 random filters equal a plain recount"
  cache
  point 5 0 "$bin/python" docs/seen/recount_cohorts.py "$db" 200
fi
if wanted 2; then
  title "2. a cohort, an empty one explained, themes that set one apart, a theme by dimension with its interval, quotations"
  cache
  point 12 0 tool build_call_cohort '{"filter": {"industry": "tech"}}'
  point 12 0 tool build_call_cohort '{"filter": {"industry": "tech", "query": "zebrafish"}}'
  point 24 0 tool discover_themes_in_cohort '{"filter": {"industry": "tech"}, "limit": 8}'
  point 16 0 tool summarize_themes_by_dimension \
    '{"filter": {"from_date": "2000-01-01", "to_date": "2099-12-31"}, "theme_query": "supply chain", "dimension": "industry"}'
  point 16 0 tool build_quote_pack \
    '{"filter": {"from_date": "2000-01-01", "to_date": "2099-12-31"}, "theme_query": "supply chain", "limit": 3}'
  point 16 0 tool extract_business_questions \
    '{"filter": {"from_date": "2000-01-01", "to_date": "2099-12-31"}, "kind": "questions", "limit": 3}'
fi
if wanted 3; then
  title "3. 200 true and 200 doctored quotations, told apart"
  cache
  point 4 0 "$bin/python" docs/seen/check_quotations.py "$db" 1 2
fi
if wanted 4; then
  title "4. ten questions in at most four calls of six tools each; every quotation of the page was said"
  point 4 0 "$bin/python" scripts/build_walkthrough.py --check
  if [ "$data" != "$root/gongctl/sample" ]; then
    point 4 0 "$bin/python" scripts/build_walkthrough.py --data "$data" --check --keep "$work/asked.db"
    point 4 0 "$bin/python" docs/seen/quotations_at_their_time.py docs/walkthrough-earnings21.md "$work/asked.db" "$data"
    printf 'sizes in tokens: '; tail -1 docs/walkthrough-earnings21.md
  fi
fi
if wanted 5; then
  title "5. themes of industries beside names and tracker counts that came with the calls, with base rates"
  if [ -f "${DATA:-}/earnings21-labels/entities.jsonl" ]; then
    cache
    point 14 0 "$bin/python" docs/seen/themes_and_labels.py "$db" "$data" "$DATA/earnings21-labels/entities.jsonl"
  else
    echo "passed over: no labels"
  fi
fi
if wanted 6; then
  title "6. counts of words that warm keeps: as a recount, before and after calls are removed; sums over all calls"
  cache
  point 6 0 "$bin/python" docs/seen/kept_words.py "$db"
fi
if wanted 7; then
  title "7. six tools are listed; what they cost; an operation is described; a fault names its repair"
  cache
  listed() {
    "$bin/python" - "$db" <<'PY'
import json, sys
from pathlib import Path
from gongmcp.handler import build_handler
from gongmcp.render.size import estimate_tokens
from gongmcp.settings import ServerSettings
listed = build_handler(ServerSettings.resolve({"tool_preset": "business-workbench"}, {}), Path(sys.argv[1])).listed()
tokens = estimate_tokens(json.dumps([tool.wire() for tool in listed], separators=(",", ":")))
print(f"{len(listed)} tools, about {tokens:,} tokens")
sys.exit(tokens >= 2_500 or len(listed) != 6)
PY
  }
  point 2 0 listed
  facade() { "$bin/gongctl" mcp call "$1" --db "$db" --tool-preset business-workbench --args "$2"; }
  point 12 0 facade gong_discover_capabilities '{"operation": "analyze.themes.compare"}'
  point 12 2 facade gong_query '{"operation": "query.dimension_counts", "arguments": {"filter": {"industry": 5}}}'
fi
if wanted 8; then
  title "8. every tool of business questions on a small and a large cache, in one run"
  sizes=(10000 30000)
  [ -n "${BENCH:-}" ] && sizes=(10000 1000000)
  [ -n "${BENCH:-}" ] || { BENCH=$work/bench; mkdir -p "$BENCH"; }
  "$bin/python" -m benchmarks.analysis --segments "${sizes[@]}" --repeat 1 --dir "$BENCH" >"$work/bench.txt" 2>&1
  verdict $?
  tail -2 "$work/bench.txt"
fi
if wanted 9; then
  title "9. figures on the command line: calls, themes, search; what is wrong is said in options"
  cache
  year=(--from 2000-01-01 --to 2099-12-31 --db "$db")
  point 8 0 "$bin/gongctl" analyze calls --by industry "${year[@]}"
  point 8 0 "$bin/gongctl" analyze themes "supply chain" --by industry "${year[@]}"
  point 6 0 "$bin/gongctl" search calls --industry tech --db "$db"
  point 3 2 "$bin/gongctl" analyze themes "supply chain" --scope External --db "$db"
fi
if wanted 10; then
  title "10. the cohort builder: live counts, an empty cohort explained, the filter given to the review"
  point 3 0 "$bin/python" -m pytest -q -n 0 tests/tui/test_cohort_builder.py
fi

exit $failed
