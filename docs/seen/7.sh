#!/usr/bin/env bash
# Seen working, part 7: sync with Gong's API, against the fake API of the tests over real HTTP.
#
#   docs/seen/7.sh /path/to/data             all points, with the folder earnings21 of data (about 20 minutes)
#   KILLS=20 CALLS=2000 docs/seen/7.sh DATA  fewer killed runs, fewer calls at Gong's rate
#
# Without a path, or without the folder, the bundled sample is used. Exit 1 when a point fails.
set -uo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
bin=${BIN:-$root/.venv/bin}
data=$root/gongctl/sample
[ -d "${1:-}/earnings21" ] && data=$1/earnings21
failed=0
cd "$root" || exit 1
export PYTHONPATH=$root

point() { # TITLE ARGUMENTS...: runs one proof and says whether it held
  printf '\n== %s\n' "$1"
  shift
  if "$bin/python" docs/seen/sync_proofs.py "$@"; then echo PASS; else echo FAIL; failed=1; fi
}

point "Sync makes the cache that an import makes, row by row, with one secret" same "$data"
point "10 % 429, 5 % 500, 2 % dropped connections: the same cache" chaos "$data"
point "${KILLS:-200} runs killed at random moments and resumed: always the same cache" kill "$data" "${KILLS:-200}"
point "${CALLS:-20000} calls at 3 requests a second" rate "${CALLS:-20000}"
point "Calls that surface 36 hours late are caught by the look-back, and without it they are not" late
printf '\n== Purges killed at random moments and run again: the same end, and nothing of the calls left in the file\n'
if "$bin/python" docs/seen/killed_purge.py "${PURGES:-50}"; then echo PASS; else echo FAIL; failed=1; fi
exit $failed
