"""Streams of news at a running server end with the token that opened them: ``streams_end.py URL TOKENS``.

TOKENS is the server's file of access tokens. Three are minted: one is taken back, one expires, one is kept. Prints how
long after that each stream ended; exit 1 when one did not, or when that of the token that was kept did.
"""

from __future__ import annotations

import asyncio
import sys
import time
from pathlib import Path

import httpx2

sys.path.insert(0, str(Path(__file__).parents[2]))
from gongctl.tokens.book import Wanted, mint, revoke
from tests.gongmcp.http.test_streams_end import LISTEN

WITHIN = 8.0
"""Seconds after which a stream counts as one that goes on."""
LIVES = 3


async def ended_at(url: str, token: str, era: str, opened: asyncio.Event) -> float:
    """Open a stream and return when it ended."""
    headers = {"authorization": f"Bearer {token}", "accept": "application/json, text/event-stream"}
    async with httpx2.AsyncClient(timeout=None) as client:
        if era == "GET":
            asked = client.stream("GET", url, headers=headers)
        else:
            modern = {"mcp-protocol-version": "2026-07-28", "mcp-method": "subscriptions/listen"}
            asked = client.stream("POST", url, headers=headers | modern, json=LISTEN)
        async with asked as response:
            assert response.status_code == 200, await response.aread()
            async for _ in response.aiter_bytes():
                opened.set()
    return time.time()


async def main(url: str, tokens: Path) -> int:
    """Play all of it; returns the exit code."""
    failed = 0
    for era in ("GET", "listen"):
        records = {
            label: mint(tokens, Wanted(f"{label}-{era}", seconds))
            for label, seconds in (("revoked", None), ("expired", LIVES), ("kept", None))
        }
        opened = {label: asyncio.Event() for label in records}
        running = {
            label: asyncio.create_task(ended_at(url, token, era, opened[label]))
            for label, (_, token) in records.items()
        }
        for event in opened.values():
            await asyncio.wait_for(event.wait(), WITHIN)
        due = {"revoked": time.time(), "expired": float(records["expired"][0].expires or 0)}
        revoke(tokens, f"revoked-{era}")
        for label, when in due.items():
            try:
                late = await asyncio.wait_for(running[label], WITHIN + LIVES) - when
                print(f"{era}: the stream of the token that was {label} ended {late:.1f} s later")
            except TimeoutError:
                print(f"BAD: {era}: the stream of the token that was {label} goes on")
                failed = 1
        alive = not running["kept"].done()
        print(f"{era}: the stream of the token that was kept {'goes on' if alive else 'ended: BAD'}")
        failed |= not alive
        running["kept"].cancel()
        revoke(tokens, f"kept-{era}")
    return failed


if __name__ == "__main__":
    raise SystemExit(asyncio.run(main(sys.argv[1], Path(sys.argv[2]))))
