#!/usr/bin/env bash
# Seen working, part 7: sync with Gong's API, against the fake API of the tests over real HTTP.
#
#   docs/seen/7.sh /path/to/data             all points, with the folder earnings21 of data (about 20 minutes)
#   KILLS=20 CALLS=2000 docs/seen/7.sh DATA  fewer killed runs, fewer calls at Gong's rate
#
# Without a path, or without the folder, the bundled sample is used. Exit 1 when a point fails.
[ $# -gt 0 ] && DATA=$1
source "$(dirname "${BASH_SOURCE[0]}")/points.sh"

proof() { # TITLE ARGUMENTS...: runs one proof and says whether it held
  title "$1"
  shift
  "$bin/python" docs/seen/sync_proofs.py "$@"
  verdict $?
}

proof "Sync makes the cache that an import makes, row by row, with one secret" same "$data"
proof "10 % 429, 5 % 500, 2 % dropped connections: the same cache" chaos "$data"
proof "${KILLS:-200} runs killed at random moments and resumed: always the same cache" kill "$data" "${KILLS:-200}"
proof "${CALLS:-20000} calls at 3 requests a second" rate "${CALLS:-20000}"
proof "Calls that surface 36 hours late are caught by the look-back, and without it they are not" late
title "Purges killed at random moments and run again: the same end, and nothing of the calls left in the file"
"$bin/python" docs/seen/killed_purge.py "${PURGES:-50}"
verdict $?
exit $failed
