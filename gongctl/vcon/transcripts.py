"""Transcripts inside of analyses: the schemas that are known here, as segments with times where they have them.

Known are our own (``segments`` with milliseconds), WTF and Whisper (``segments`` with seconds), Deepgram
(``utterances``, or words of channels) and Gong's (``sentences``). Any other body is one text without times.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from gongctl.vcon.bodies import NoBody, encoding_of, json_of, plain_text

TRANSCRIPT: Final = "transcript"
OWN_SCHEMA: Final = "urn:gongctl:transcript:1"
"""``schema`` of a transcript that this program wrote."""

_TEXT_KEYS: Final = ("text", "transcript", "punctuated_transcript")


@dataclass(frozen=True, slots=True)
class Segment:
    """A piece of what was said: who (index of a party, None = not known) and when, in milliseconds (None likewise)."""

    text: str
    party: int | None = None
    start_ms: int | None = None
    end_ms: int | None = None
    speaker: str = ""
    topic: str = ""


def segments_of(analysis: Mapping[str, Any]) -> list[Segment]:
    """Return the segments of a transcript *analysis*, in order; a body that is only text has one for each line."""
    if encoding_of(analysis) == "json":
        try:
            value = json_of(analysis)
        except NoBody:
            value = str(analysis["body"])
        found = list(_of_json(value))
        if found:
            return found
    return [Segment(line.strip()) for line in plain_text(analysis).splitlines() if line.strip()]


def _of_json(value: Any) -> Iterator[Segment]:
    if isinstance(value, list):
        if any(isinstance(item, Mapping) and "sentences" in item for item in value):
            yield from _of_gong(value)
        elif any(isinstance(item, Mapping) and "alternatives" in item for item in value):
            yield from _of_channels(value)
        else:
            yield from _of_list(value)
        return
    if not isinstance(value, Mapping):
        return
    for key in ("segments", "utterances", "transcript", "results"):
        inner = value.get(key)
        if isinstance(inner, list) and (found := list(_of_json(inner))):
            yield from found
            return
        if isinstance(inner, Mapping) and (found := list(_of_json(inner))):
            yield from found
            return
    if isinstance(value.get("channels"), list):
        yield from _of_channels(value["channels"])


def _of_list(items: list[Any]) -> Iterator[Segment]:
    for item in items:
        if not isinstance(item, Mapping):
            continue
        text = next((item[key] for key in _TEXT_KEYS if isinstance(item.get(key), str)), "")
        if text.strip():
            party = item.get("party", item.get("speaker"))
            speaker = item.get("speaker_id", item.get("speaker"))
            yield Segment(
                text.strip(),
                party if isinstance(party, int) and not isinstance(party, bool) else None,
                _time(item, "start"),
                _time(item, "end"),
                speaker if isinstance(speaker, str) else "",
                item["topic"] if isinstance(item.get("topic"), str) else "",
            )


def _time(item: Mapping[str, Any], key: str) -> int | None:
    """Return a time in milliseconds: ``start_ms`` is in them, ``start`` in seconds."""
    exact, seconds = item.get(f"{key}_ms"), item.get(key)
    if isinstance(exact, int | float) and not isinstance(exact, bool):
        return max(0, round(exact))
    if isinstance(seconds, int | float) and not isinstance(seconds, bool):
        return max(0, round(seconds * 1000))
    return None


def _of_gong(monologues: list[Any]) -> Iterator[Segment]:
    for monologue in monologues:
        sentences = monologue.get("sentences") if isinstance(monologue, Mapping) else None
        for item in sentences if isinstance(sentences, list) else ():
            if isinstance(item, Mapping) and isinstance(item.get("text"), str):
                start, end = item.get("start"), item.get("end")
                yield Segment(
                    item["text"],
                    None,
                    start if isinstance(start, int) else None,
                    end if isinstance(end, int) else None,
                    str(monologue.get("speakerId") or ""),
                    str(monologue.get("topic") or ""),
                )


def _of_channels(channels: list[Any]) -> Iterator[Segment]:
    for channel in channels:
        alternatives = channel.get("alternatives") if isinstance(channel, Mapping) else None
        best = alternatives[0] if isinstance(alternatives, list) and alternatives else None
        if isinstance(best, Mapping) and isinstance(best.get("transcript"), str) and best["transcript"].strip():
            words = best.get("words")
            timed = [word for word in words if isinstance(word, Mapping)] if isinstance(words, list) else []
            yield Segment(
                best["transcript"].strip(),
                None,
                _time(timed[0], "start") if timed else None,
                _time(timed[-1], "end") if timed else None,
            )
