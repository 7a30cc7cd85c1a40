"""The writers' clock: what is written into a cache as a time."""

from __future__ import annotations

import os
from datetime import UTC, datetime

from gongmcp.errors import StartupRefusal


def utc_now() -> str:
    """Return the present as ``YYYY-MM-DDTHH:MM:SSZ`` (UTC, whole seconds).

    ``SOURCE_DATE_EPOCH`` (seconds since 1970), when set, is the present instead, so that two caches
    built from the same files are equal.

    Raises:
        StartupRefusal: the variable is set to something that is no such number.
    """
    fixed = os.environ.get("SOURCE_DATE_EPOCH")
    if not fixed:
        moment = datetime.now(UTC)
    else:
        try:
            moment = datetime.fromtimestamp(int(fixed), UTC)
        except (ValueError, OverflowError, OSError) as error:
            raise StartupRefusal(
                "SOURCE_DATE_EPOCH is not a number of seconds since 1970.", "Correct it or unset it."
            ) from error
    return moment.strftime("%Y-%m-%dT%H:%M:%SZ")
