#!/usr/bin/env bash
# Seen working, part 8: vCons in and out, edited by several processes at once, read by others, served to clients.
#
#   docs/seen/8.sh /path/to/data          all points, with the folder earnings21 of data (about ten minutes)
#   docs/seen/8.sh /path/to/data 1 3      these points
#   EDITS=400 VCONS=2000 docs/seen/8.sh DATA      fewer edits, a smaller corpus
#
# 1 out and in again, 2 four writers, 3 another implementation, 4 the SDK's client, 5 the Inspector, 6 a large store.
# 3 needs an interpreter with the package vcon (0.10 or newer, Python 3.12): VCON_PYTHON names it. 5 needs Node 22 and
# @modelcontextprotocol/inspector: NODE_BIN is the folder of its command. Where they are not there, the point is left out.
# Without a path, or without the folder, the bundled sample is used. Exit 1 when a point fails.
[ $# -gt 0 ] && DATA=$1 && shift
source "$(dirname "${BASH_SOURCE[0]}")/points.sh"
[ -n "${NODE_BIN:-}" ] && PATH=$NODE_BIN:$PATH
export HOME=$work
server=
trap '[ -n "$server" ] && kill "$server" 2>/dev/null; rm -rf "$work"' EXIT

exports() { # made once: full.ndjson, redacted.ndjson, store.db, and vcons.db, a cache
  [ -f "$work/vcons.db" ] && return
  cache
  "$bin/gongctl" vcon export --all --unredacted --db "$db" --out "$work/full.ndjson" 2>/dev/null
  "$bin/gongctl" vcon export --all --db "$db" --out "$work/redacted.ndjson" 2>/dev/null
  "$bin/gongctl" vcon import "$work/full.ndjson" --db "$work/store.db" >/dev/null 2>&1
  "$bin/gongctl" vcon import "$work/full.ndjson" --db "$work/vcons.db" --cache >/dev/null 2>&1
  "$bin/gongctl" cache warm --db "$work/vcons.db" >/dev/null 2>&1
}

if wanted 1; then
  title "1 Calls leave as vCons that the IETF's schemas accept, and come back as they were"
  "$bin/python" docs/seen/vcon_proofs.py trip "$data"
  verdict $?
fi

if wanted 2; then
  title "2 ${EDITS:-10000} random edits by four processes: nothing is lost, and what is read is what is there"
  "$bin/python" docs/seen/vcon_proofs.py edits "${EDITS:-10000}"
  verdict $?
fi

if wanted 3; then
  title "3 Another implementation of the format opens the exports, and its validator finds nothing in the full ones"
  if [ -n "${VCON_PYTHON:-}" ] && "$VCON_PYTHON" -c 'import vcon' 2>/dev/null; then
    exports
    PYTHONPATH= "$VCON_PYTHON" docs/seen/vcon_independent.py "$work/full.ndjson" "$work/redacted.ndjson"
    verdict $?
  else echo "left out: VCON_PYTHON names no interpreter with the package vcon"; fi
fi

if wanted 4; then
  title "4 The SDK's client at both servers, over a pipe and over HTTP: answers are as their schemas say"
  exports
  "$bin/python" docs/seen/vcon_clients.py "$work/vcons.db" "$work/store.db" 2>/dev/null
  verdict $?
fi

inspected() { # FIELD ...: asks with the Inspector; prints FIELD of the structured answer
  local field=$1
  shift
  mcp-inspector --cli "$@" >"$work/out" 2>"$work/said" || return 1
  "$bin/python" -c 'import json,sys; from functools import reduce
found = json.load(sys.stdin)["structuredContent"]
print("  ", sys.argv[1], reduce(lambda part, key: part[key], sys.argv[1].split("."), found))' "$field" <"$work/out"
}
all_asked() { # TARGET...: lists, searches, fetches, counts
  local uuid
  mcp-inspector --cli "$@" --method tools/list --strict >"$work/out" 2>"$work/said" || return 1
  "$bin/python" -c 'import json,sys; print("   tools", len(json.load(sys.stdin)["tools"]))' <"$work/out" || return 1
  inspected page.total "$@" --method tools/call --tool-name vcon_search --tool-arg mode=keyword query=revenue limit=2 || return 1
  uuid=$("$bin/python" -c 'import json,sys; print(json.load(sys.stdin)["structuredContent"]["items"][0]["id"])' <"$work/out")
  inspected item.id "$@" --method tools/call --tool-name vcon_fetch --tool-arg "id=$uuid" || return 1
  inspected content_analytics.summary.total_vcons "$@" --method tools/call --tool-name get_content_analytics || return 1
}

if wanted 5; then
  title "5 The Inspector's command line at both servers, over a pipe and over HTTP"
  if command -v mcp-inspector >/dev/null; then
    exports
    bad=0
    all_asked "$bin/gongmcp" --db "$work/vcons.db" --tool-preset vcon-admin || { bad=1; tail -2 "$work/said"; }
    all_asked "$bin/gongctl" vcon serve --db "$work/store.db" || { bad=1; tail -2 "$work/said"; }
    head -c 32 /dev/urandom | base64 >"$work/token"
    chmod 600 "$work/token"
    for command in "gongmcp --db $work/vcons.db --tool-preset vcon-admin" "gongctl vcon serve --db $work/store.db"; do
      : >"$work/log"
      # shellcheck disable=SC2086 # words of a command
      "$bin"/$command --http 127.0.0.1:0 --bearer-token-file "$work/token" 2>"$work/log" &
      server=$!
      for _ in $(seq 200); do
        url=$(sed -n 's/.*serving \(http:[^ ]*\).*/\1/p' "$work/log")
        [ -n "$url" ] && break
        sleep 0.1
      done
      all_asked "$url" --header "Authorization: Bearer $(cat "$work/token")" || { bad=1; tail -2 "$work/said"; }
      mcp-inspector --cli "$url" --header "Authorization: Bearer wrong" --method tools/list >/dev/null 2>&1 && bad=1
      kill "$server"
      wait "$server" 2>/dev/null
      server=
    done
    verdict $bad
  else echo "left out: no mcp-inspector on the path"; fi
fi

if wanted 6; then
  title "6 A store of ${VCONS:-20000} vCons beside one of a tenth: steps and times (docs/benchmarks.md has 100,000)"
  "$bin/python" -m benchmarks.vcons --vcons "${VCONS:-20000}"
  verdict $?
fi

exit $failed
