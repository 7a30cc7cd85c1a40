"""Serving the fake over real HTTP on loopback, in a thread of this process."""

from __future__ import annotations

import logging
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

import uvicorn

from tests.fake_gong.app import FakeGong


@contextmanager
def served(fake: FakeGong) -> Iterator[str]:
    """Serve *fake* on a free port of loopback while the block runs, and yield its base URL."""
    # The protocol is named because asyncio sends small writes at once on such sockets alone.
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listener.bind(("127.0.0.1", 0))
    logging.getLogger("uvicorn.error").setLevel(logging.CRITICAL)  # dropped connections are meant
    server = uvicorn.Server(uvicorn.Config(fake, log_config=None, access_log=False, lifespan="off"))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]}, daemon=True)
    thread.start()
    try:
        while not server.started:
            if not thread.is_alive():
                raise RuntimeError("the fake did not start")
            time.sleep(0.005)
        yield f"http://127.0.0.1:{listener.getsockname()[1]}"
    finally:
        server.should_exit = True
        server.force_exit = True
        thread.join(10)
        listener.close()
