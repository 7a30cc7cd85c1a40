#!/usr/bin/env bash
# Seen working, part 8: vCons in and out, and edited by several processes at once.
#
#   docs/seen/8.sh /path/to/data          all points, with the folder earnings21 of data (some minutes)
#   EDITS=400 docs/seen/8.sh DATA         fewer edits
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
  if "$bin/python" docs/seen/vcon_proofs.py "$@"; then echo PASS; else echo FAIL; failed=1; fi
}

point "Calls leave as vCons that the IETF's schemas accept, and come back as they were" trip "$data"
point "${EDITS:-10000} random edits by four processes: nothing is lost, and what is read is what is there" edits "${EDITS:-10000}"
exit $failed
