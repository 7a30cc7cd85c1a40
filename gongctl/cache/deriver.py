"""Decoding and deriving batches of calls: here, or in a second process while this one writes rows.

Masking and writing cost about the same, so a large build on two cores is nearly twice as fast. The
second process is given compressed payloads and the aliases' secret through a pipe, and gives back rows;
it opens no file. When the pipe closes, also because we were killed, it ends.
"""

from __future__ import annotations

import json
import subprocess
import sys
import time
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from multiprocessing.connection import Connection, Pipe
from typing import TYPE_CHECKING, Any, Final, Protocol

import msgspec

from gongctl.cache.derive import ServingCall, derive
from gongctl.cache.profile_facts import KeptProfile
from gongctl.governance.judge import Judge
from gongctl.governance.verdicts import Verdict, content_digest, entry_rule, words_of
from gongmcp.governance.scope import Scope
from gongmcp.store.crm_names import CrmNames

if TYPE_CHECKING:
    from gongctl.vcon.project import Projection

_END_SECONDS: Final = 5.0
# Not ``multiprocessing.Process``: that would run the caller's main script once more.
_CHILD: Final = """
import json, sys
sys.path[:] = json.loads(sys.argv[1])
from gongctl.cache.deriver import serve
serve(int(sys.argv[2]))
"""
_DECODER: Final = msgspec.json.Decoder()


@dataclass(frozen=True, slots=True)
class RawCall:
    """The stored payloads of one call; *call* is None when only its transcript, or nothing, is there."""

    call_id: str
    call: bytes | None
    imported_at: str
    transcript: bytes | None
    answered: tuple[bytes, ...] = ()
    vcons: tuple[bytes, ...] = ()


@dataclass(frozen=True, slots=True)
class Derived:
    """What a batch gave: the *calls* that are served, a verdict on every call, and the seconds that decoding and
    deriving took wherever it was done."""

    calls: tuple[ServingCall, ...]
    verdicts: tuple[Verdict, ...]
    decode_seconds: float
    derive_seconds: float


@dataclass(frozen=True, slots=True)
class Rules:
    """What facts are derived by, and which calls are served.

    *secret* keys aliases, *names* are what CRM systems give to things, *profiles* those of which facts are kept;
    *scope* and *judge* (of the restricted list, None without one) decide which calls are served. *only_judge*:
    nothing is derived, the list's verdicts are all that is wanted. *mask_participants*: the names of each call's own
    parties are masked.
    """

    secret: bytes
    names: CrmNames
    profiles: tuple[KeptProfile, ...] = ()
    scope: Scope = field(default_factory=Scope)
    judge: Judge | None = None
    only_judge: bool = False
    mask_participants: bool = False


class Deriver(Protocol):
    """One batch at a time: ``submit`` it, then ask for its ``result``."""

    def submit(self, batch: Sequence[RawCall]) -> None: ...
    def result(self) -> Derived: ...


def derive_batch(batch: Sequence[RawCall], rules: Rules) -> Derived:
    """Decode, judge and derive the calls of *batch* that are there."""
    calls: list[ServingCall] = []
    verdicts: list[Verdict] = []
    decoding = 0.0
    started = time.perf_counter()
    for raw in batch:
        if raw.call is None:
            continue
        since = time.perf_counter()
        payloads = _Payloads.of(raw)
        decoding += time.perf_counter() - since
        verdict = judged(raw, payloads, rules)
        if not verdict.suppressed and not rules.only_judge:
            served = derive(
                payloads.call,
                payloads.transcript,
                rules.secret,
                raw.imported_at,
                payloads.answered,
                rules.names,
                rules.profiles,
                mask_participants=rules.mask_participants,
            )
            outside = rules.scope.excludes(served.facts)
            if outside is None:
                calls.append(replace(served, vcons=_vcon_rows(raw, payloads, served, rules)) if raw.vcons else served)
            else:
                verdict = replace(verdict, rule=outside)
        verdicts.append(verdict)
    return Derived(tuple(calls), tuple(verdicts), decoding, time.perf_counter() - started - decoding)


def judged(raw: RawCall, payloads: _Payloads, rules: Rules) -> Verdict:
    """Return the verdict of the restricted list on one call, with the words by which a changed list finds it."""
    content = content_digest((raw.call, raw.transcript, *raw.answered, *raw.vcons))
    if rules.judge is None:
        return Verdict(raw.call_id, "", "", content)
    said = [*payloads.answered, *payloads.vcon_texts]
    found = rules.judge.find(payloads.call, payloads.transcript, said)
    words = words_of(rules.judge.words(payloads.call, payloads.transcript, said))
    if found is None:
        return Verdict(raw.call_id, "", "", content, words)
    return Verdict(raw.call_id, entry_rule(rules.secret, found.entry), found.source, content, words)


@dataclass(frozen=True, slots=True)
class _Payloads:
    """A call's payloads, decoded."""

    call: dict[str, Any]
    transcript: dict[str, Any] | None
    answered: list[dict[str, Any]]
    vcon_texts: list[dict[str, Any]]

    @classmethod
    def of(cls, raw: RawCall) -> _Payloads:
        assert raw.call is not None
        return cls(
            decode_payload(raw.call),
            None if raw.transcript is None else decode_payload(raw.transcript),
            [decode_payload(item) for item in raw.answered],
            [texts_of_vcon(item) for item in raw.vcons],
        )


def texts_of_vcon(payload: bytes) -> dict[str, Any]:
    """Return every text of a stored vCon, what its bodies hold decoded, as a judge looks at payloads."""
    from gongctl.vcon.served import texts_of  # most caches hold no vCon

    return {"vcon": texts_of(decode_payload(payload))}


def _vcon_rows(raw: RawCall, payloads: _Payloads, served: ServingCall, rules: Rules) -> tuple[Projection, ...]:
    """Return what is served of the vCons that a call stands for."""
    from gongctl.vcon.served import served_rows

    people = payloads.call.get("parties") if rules.mask_participants else None
    accounts = [item.name for item in served.objects if item.kind == "account"]
    return tuple(
        served_rows(decode_payload(item), raw.call_id, raw.imported_at, people, accounts) for item in raw.vcons
    )


def decode_payload(payload: bytes) -> dict[str, Any]:
    """Return the JSON object of a stored payload."""
    value: dict[str, Any] = _DECODER.decode(zlib.decompress(payload))
    return value


class HereDeriver:
    """Derives in this process, when the result is asked for."""

    def __init__(self, rules: Rules) -> None:
        self._rules = rules
        self._batch: Sequence[RawCall] = ()

    def submit(self, batch: Sequence[RawCall]) -> None:
        """Take the next *batch*."""
        self._batch = batch

    def result(self) -> Derived:
        """Return what the submitted batch gives."""
        return derive_batch(self._batch, self._rules)


class ProcessDeriver:
    """Derives in a second process; should that die, in this one."""

    def __init__(self, rules: Rules) -> None:
        self._here = HereDeriver(rules)
        self._pipe, other = Pipe()
        command = [sys.executable, "-c", _CHILD, json.dumps(sys.path), str(other.fileno())]
        quiet = subprocess.DEVNULL
        # In a session of its own Ctrl-C does not reach it: the batch under way is finished first.
        self.process = subprocess.Popen(
            command,
            pass_fds=(other.fileno(),),
            stdin=quiet,
            stdout=quiet,
            stderr=quiet,
            start_new_session=True,
        )
        other.close()
        self._send(rules)

    def _send(self, message: object) -> None:
        with suppress(OSError):  # result() notices
            self._pipe.send(message)

    def submit(self, batch: Sequence[RawCall]) -> None:
        """Start the work on *batch*."""
        self._here.submit(batch)
        self._send(list(batch))

    def result(self) -> Derived:
        """Wait for the submitted batch and return what it gives.

        Raises:
            ValueError: a payload cannot be served (see ``derive``).
        """
        try:
            answer = self._pipe.recv()
        except (EOFError, OSError):
            return self._here.result()
        if isinstance(answer, Exception):
            raise answer
        derived: Derived = answer
        return derived

    def close(self) -> None:
        """End the second process, whatever it is doing."""
        self._pipe.close()
        try:
            self.process.wait(_END_SECONDS)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()


@contextmanager
def open_deriver(rules: Rules, *, second_process: bool) -> Iterator[Deriver]:
    """Give a deriver, and end its process afterwards if it has one."""
    with open_derivers(rules, int(second_process)) as derivers:
        yield derivers[0]


@contextmanager
def open_derivers(rules: Rules, processes: int) -> Iterator[list[Deriver]]:
    """Give a deriver for each of *processes*, or one that works here when that is 0; end them afterwards."""
    if not processes:
        yield [HereDeriver(rules)]
        return
    started: list[ProcessDeriver] = []
    try:
        started.extend(ProcessDeriver(rules) for _ in range(processes))
        yield list(started)
    finally:
        for deriver in started:
            deriver.close()


def serve(descriptor: int) -> None:
    """Be the second process: answer the batches that come through the pipe until it closes."""
    pipe = Connection(descriptor)
    with suppress(EOFError, OSError):
        rules = pipe.recv()
        while True:
            pipe.send(_answer(pipe.recv(), rules))


def _answer(batch: Sequence[RawCall], rules: Rules) -> Derived | Exception:
    try:
        return derive_batch(batch, rules)
    except (ValueError, zlib.error) as error:
        return error
