#!/usr/bin/env bash
# Seen working, part 9: business questions. Runs each point, prints what it said, shortened, and PASS or FAIL.
#
#   DATA=/path/to/data docs/seen/9.sh            all points
#   DATA=/path/to/data docs/seen/9.sh 1 2        these points
#
# DATA holds the folder earnings21 (calls in the shape of Gong's public API answers); without it the bundled sample is
# used. Exit 1 when a point fails.
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
fi

exit $failed
