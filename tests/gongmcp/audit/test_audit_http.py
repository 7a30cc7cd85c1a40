"""The audit of the real server over HTTP, two workers writing one log."""

from __future__ import annotations

import http.client
import json
import secrets
import signal
import subprocess
import sys
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from tests.gongmcp.audit.asking import lines
from tests.gongmcp.stdio_process import PATIENCE, environment

TOKEN, WRONG = (secrets.token_urlsafe(36) for _ in range(2))


def post(port: int, token: str, number: int, tool: str, **arguments: Any) -> tuple[int, str]:
    """Call a tool; returns the HTTP status and the body."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE)
    body = {"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": {"name": tool, "arguments": arguments}}
    headers = {
        "Content-Type": "application/json",
        "Accept": "application/json, text/event-stream",
        "Authorization": f"Bearer {token}",
        "MCP-Protocol-Version": "2025-11-25",
    }
    connection.request("POST", "/mcp", json.dumps(body), headers)
    response = connection.getresponse()
    text = response.read().decode()
    connection.close()
    return response.status, text


def test_every_request_is_in_the_log_of_two_workers(sample_cache: Path, tmp_path: Path) -> None:
    token, log = tmp_path / "token", tmp_path / "audit.jsonl"
    token.touch(0o600)
    token.write_text(TOKEN)
    command = [sys.executable, "-m", "gongmcp", "--db", str(sample_cache), "--http", "127.0.0.1:0", "--workers", "2"]
    command += [
        "--tool-preset",
        "operator-smoke",
        "--bearer-token-file",
        str(token),
        "--state",
        str(tmp_path / "state"),
    ]
    process = subprocess.Popen(
        [*command, "--audit", str(log)], env=environment(), stderr=subprocess.PIPE, stdin=subprocess.DEVNULL, text=True
    )
    try:
        assert process.stderr is not None
        said = next(line for line in process.stderr if "serving http://" in line)
        port = int(said.partition("127.0.0.1:")[2].partition("/")[0])

        def ask(number: int) -> int:
            return post(port, TOKEN, number, "search_transcript_segments", query="revenue", limit=2)[0]

        with ThreadPoolExecutor(4) as pool:
            statuses = Counter(pool.map(ask, range(24)))
        statuses.update(post(port, WRONG, number, "get_sync_status")[0] for number in range(6))
        assert post(port, TOKEN, 99, "get_call", nonsense=1)[1].count("invalid_argument") > 0
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(PATIENCE)
    records = lines(log)
    counted = Counter[str]()
    for record in records:
        counted[record["outcome"]] += record.get("count", 1)
    refused = sum(count for outcome, count in counted.items() if outcome in ("rate_limited", "too_many_at_once"))
    assert counted["ok"] == statuses[200] > 0
    assert {record["client"] for record in records if "rows" in record} == {"unknown"}
    assert refused == statuses[429]
    assert counted["bad_token"] == statuses[401] == 6
    assert counted["invalid_argument"] == 1
    assert {record["token"] for record in records if record["outcome"] == "ok"} == {"current"}
    assert len({record["session"] for record in records if "session" in record}) == 1
    assert all(record["arguments"] for record in records if "method" in record)
    assert not any(secret in log.read_text() for secret in (TOKEN, WRONG, "revenue"))
