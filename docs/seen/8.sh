#!/usr/bin/env bash
# Seen working, part 8: vCons in and out, and edited by several processes at once.
#
#   docs/seen/8.sh /path/to/data          all points, with the folder earnings21 of data (some minutes)
#   EDITS=400 docs/seen/8.sh DATA         fewer edits
#
# Without a path, or without the folder, the bundled sample is used. Exit 1 when a point fails.
[ $# -gt 0 ] && DATA=$1
source "$(dirname "${BASH_SOURCE[0]}")/points.sh"

proof() { # TITLE ARGUMENTS...: runs one proof and says whether it held
  title "$1"
  shift
  "$bin/python" docs/seen/vcon_proofs.py "$@"
  verdict $?
}

proof "Calls leave as vCons that the IETF's schemas accept, and come back as they were" trip "$data"
proof "${EDITS:-10000} random edits by four processes: nothing is lost, and what is read is what is there" edits "${EDITS:-10000}"
exit $failed
