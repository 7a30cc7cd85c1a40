#!/usr/bin/env bash
# Seen working, part 6: HTTP and identity. Runs each point, prints what it said, shortened, and PASS or FAIL.
#
#   docs/seen/6.sh                 all points (about half an hour on two cores; 4 builds a million segments)
#   docs/seen/6.sh 1 3             these points
#   TOKENS=500 MESSAGES=2000 docs/seen/6.sh 3      fewer of them
#   SEGMENTS=100000 SECONDS_OF_LOAD=20 docs/seen/6.sh 4
#
# 1 the official conformance suite, 2 the Inspector with an access token, 3 hostile clients, 4 load, 5 a ping beside
# running searches, 6 tokens of some calls beside servers of that scope (SETS of questions), 7 streams of news that end
# with their token, 8 what the logs say of faults and clients, and the screen of tokens. 1 and 2 need Node 22 and the packages @modelcontextprotocol/conformance and .../inspector: NODE_BIN is
# the folder of their commands (node_modules/.bin); where they are not there, the points are left out. Exit 1 when a point
# fails.
source "$(dirname "${BASH_SOURCE[0]}")/points.sh"
server=
trap '[ -n "$server" ] && kill "$server" 2>/dev/null; rm -rf "$work"' EXIT
[ -n "${NODE_BIN:-}" ] && PATH=$NODE_BIN:$PATH
export HOME=$work

serve() { # starts a server with the given flags; sets url and server
  cache
  : >"$work/log"
  "$bin/gongmcp" --db "$db" --http 127.0.0.1:0 --tool-preset all --http-rate 1000000 "$@" 2>"$work/log" &
  server=$!
  url=
  for _ in $(seq 200); do
    url=$(sed -n 's/.*serving \(http:[^ ]*\).*/\1/p' "$work/log")
    [ -n "$url" ] && return
    sleep 0.1
  done
  cat "$work/log"
}
stop() { kill "$server" 2>/dev/null; wait "$server"; echo "the server ended with $?"; server=; }

if wanted 1; then
  title "1 The conformance suite: every scenario that applies passes"
  if command -v conformance >/dev/null; then
    "$bin/pytest" -q -n 0 tests/conformance 2>&1 | tail -3
    verdict "${PIPESTATUS[0]}"
  else echo "left out: no conformance on the path"; fi
fi

if wanted 2; then
  title "2 The Inspector's command line over HTTP with an access token"
  if command -v mcp-inspector >/dev/null; then
    token=$("$bin/gongctl" token mint --file "$work/pats" --label inspector --tool-preset operator-smoke 2>/dev/null)
    serve --access-tokens "$work/pats"
    inspect() { mcp-inspector --cli "$url" --header "Authorization: Bearer $1" "${@:2}"; }
    bad=0
    inspect "$token" --method tools/list >"$work/out" || bad=1
    "$bin/python" -c 'import json,sys; print("tools:", ", ".join(t["name"] for t in json.load(sys.stdin)["tools"]))' <"$work/out" || bad=1
    inspect "$token" --method tools/call --tool-name search_transcript_segments --tool-arg query=revenue limit=2 >"$work/out" || bad=1
    "$bin/python" -c 'import json,sys; print("rows:", json.load(sys.stdin)["structuredContent"]["returned"])' <"$work/out" || bad=1
    inspect "$token" --protocol-era modern --method tools/call --tool-name get_sync_status >/dev/null || bad=1
    inspect "${token%?}x" --method tools/list >/dev/null 2>&1
    echo "a wrong token: exit $?"
    "$bin/gongctl" token revoke inspector --file "$work/pats"
    inspect "$token" --method tools/list >/dev/null 2>&1 && bad=1
    echo "a revoked token: refused"
    stop
    verdict $bad
  else echo "left out: no mcp-inspector on the path"; fi
fi

if wanted 3; then
  title "3 Hostile clients: slow heads, 100 MB, deep JSON, ${TOKENS:-10000} wrong tokens, ${MESSAGES:-50000} random messages"
  head -c 32 /dev/urandom | base64 >"$work/token"
  chmod 600 "$work/token"
  serve --bearer-token-file "$work/token"
  "$bin/python" docs/seen/hostile.py "$url" "$server" "$work/token" "${TOKENS:-10000}" "${MESSAGES:-50000}"
  status=$?
  stop
  if grep -qF "$(cat "$work/token")" "$work/log"; then echo "the token is in the log"; status=1; fi
  if grep -q Traceback "$work/log"; then grep -c Traceback "$work/log"; fi
  verdict $status
fi

if wanted 4; then
  title "4 Load: 200 clients, a call every 2 s each, tokens of two presets, 1 and 2 workers"
  "$bin/python" -m benchmarks.http_load --segments "${SEGMENTS:-1000000}" --seconds "${SECONDS_OF_LOAD:-60}" 2>&1
  verdict $?
fi

if wanted 5; then
  title "5 A ping beside running searches, on both transports"
  cache
  "$bin/python" docs/seen/ping.py "$db"
  verdict $?
fi

if wanted 6; then
  title "6 A token of some calls: its answers are those of a server whose settings have that scope"
  "$bin/python" docs/seen/token_scope.py "$data" "${SETS:-20}" 2>&1
  verdict $?
fi

if wanted 7; then
  title "7 A stream of news ends when its token is taken back or expires, and no other does"
  "$bin/gongctl" token mint --file "$work/news" --label first >/dev/null 2>&1
  serve --access-tokens "$work/news"
  "$bin/python" docs/seen/streams_end.py "$url" "$work/news"
  status=$?
  stop
  verdict $status
fi

if wanted 8; then
  title "8 No value of an exception in the log, no guessed client in the audit log, a token on screen shown once"
  "$bin/pytest" -q -n 0 tests/gongmcp/test_faults.py tests/gongmcp/audit/test_audit_http.py tests/tui/test_tokens.py 2>&1 | tail -2
  verdict "${PIPESTATUS[0]}"
fi

exit $failed
