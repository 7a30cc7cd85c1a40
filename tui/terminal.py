"""Is the terminal still there? A window that is closed, or a lost connection, must end the app.

Without its terminal the app would read nothing for ever, and keep a processor busy with it.
"""

from __future__ import annotations

import select

LOOK_EVERY = 1.0
"""Seconds between two looks."""


def gone(descriptor: int) -> bool:
    """True when the terminal behind *descriptor* has been closed at its other end."""
    poll = select.poll()
    poll.register(descriptor, 0)  # a hang-up is told without asking for it
    return any(event & (select.POLLHUP | select.POLLERR | select.POLLNVAL) for _, event in poll.poll(0))
