# What the scripts of this folder share; to be sourced, with the points that were asked for as arguments.
#
# Sets root, bin, work (a folder that goes with the script), data (earnings21 of DATA, else the bundled sample) and db (a
# cache, made by `cache`); failed becomes 1 when a point fails.
set -uo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
bin=${BIN:-$root/.venv/bin}
points=("$@")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0
unset GONGCTL_DB
for name in ${!GONGMCP_*}; do unset "$name"; done
export PYTHONPATH=$root
data=$root/gongctl/sample
[ -n "${DATA:-}" ] && [ -d "$DATA/earnings21" ] && data=$DATA/earnings21
db=$work/calls.db
cd "$root" || exit 1

wanted() { # NUMBER: whether this point was asked for; without any all are
  [ ${#points[@]} -eq 0 ] && return 0
  local point
  for point in "${points[@]}"; do [ "$point" = "$1" ] && return 0; done
  return 1
}
title() { printf '\n== %s\n' "$*"; }
plain() { sed "s#$work/##g; s#$bin/##g; s#$root/##g; s#$root#.#g; s#${DATA:-/no/data}#data#g"; }
verdict() { if [ "$1" -eq 0 ]; then echo "PASS"; else echo "FAIL (exit $1)"; failed=1; fi; }
point() { # LINES STATUS COMMAND...: runs it, shows its beginning, and says whether it ended with STATUS
  local lines=$1 expected=$2 status
  shift 2
  printf '$ %s\n' "$*" | plain
  "$@" >"$work/out" 2>&1 </dev/null
  status=$?
  plain <"$work/out" | awk -v n="$lines" 'NR <= n { print substr($0, 1, 200) } END { if (NR > n) printf "[%d more lines]\n", NR - n }'
  if [ $status -eq "$expected" ]; then echo "PASS (exit $status)"; else echo "FAIL: exit $status, not $expected"; failed=1; fi
}
cache() { # made once
  [ -f "$db" ] && return
  "$bin/gongctl" import gong "$data" --db "$db" >/dev/null 2>&1
  "$bin/gongctl" cache warm --db "$db" >/dev/null 2>&1
}
