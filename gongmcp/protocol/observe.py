"""What the operator learns of each request: ``Observer``, and the handler that tells it.

This is the operator's side of the door. An ``Observed`` stands between the MCP side, which gets an ``Answer``, and
the handler, whose ``Outcome`` it passes to the observer and not on. One ``Observed`` serves one client's view of the
handler; who asks is in ``gongmcp.identity.client.ASKER``.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from gongmcp.cancel import Cancel
from gongmcp.errors import ToolFault, UnknownPrompt, UnknownResource, UnknownTool
from gongmcp.identity.client import ASKER, Asker
from gongmcp.render.answer import Answer, error_answer
from gongmcp.render.offers import PromptInfo, PromptText, ResourceBody, ResourceInfo

if TYPE_CHECKING:
    from gongmcp.exposure.policy import Policy
    from gongmcp.handler import Outcome, ToolHandler, ToolInfo

UNKNOWN = {UnknownTool: "unknown_tool", UnknownResource: "unknown_resource", UnknownPrompt: "unknown_prompt"}
"""Codes of requests for what is not there or not allowed."""

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class CallRecord:
    """One request that was answered, before its answer is sent.

    Attributes:
        at: when it came, seconds since 1970.
        asker: who asked.
        method: ``tools/call``, ``resources/read``, ``prompts/get`` or ``completion/complete``.
        name: the tool, the address or the prompt as the client wrote it; it may be anything.
        arguments: as the client gave them.
        outcome: what a tool answered, with ledger, rows, calls and read model; None when none ran.
        code: ``ok``, ``not_found``, ``unavailable``, a code of ``gongmcp.errors.ERRORS``, or one of ``UNKNOWN``.
        milliseconds: until the answer was ready.
        policy: the policy that answered, narrowed by the token.
        cancelled: nobody waits for the answer any more.
        values: what a completion gave.
    """

    at: float
    asker: Asker
    method: str
    name: str
    arguments: Mapping[str, Any]
    outcome: Outcome | None
    code: str
    milliseconds: float
    policy: Policy
    cancelled: bool = False
    values: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class RefusedRequest:
    """An HTTP request that reached no handler.

    *status* is the HTTP status, *reason* a word of the closed list ``REASONS``; *token* is the label of the token,
    '' while it is not known. Neither address nor token is kept.
    """

    at: float
    status: int
    reason: str
    token: str = ""


REASONS = (
    "no_token",
    "bad_token",
    "forbidden",
    "token_in_query",
    "bad_origin",
    "bad_host",
    "body_too_large",
    "too_slow",
    "rate_limited",
    "too_many_at_once",
    "leaving",
)
"""Why a request is refused at the HTTP door."""


class Observer(Protocol):
    """Is told of every request, on both transports. Called from several threads at once.

    ``on_call`` runs before the answer leaves: when it raises, the client gets that in its place (a ``ToolFault`` as
    the error that it is, anything else as ``internal_error``), so that nothing leaves unrecorded. ``on_refused``
    runs in the event loop and must be quick.
    """

    def on_call(self, record: CallRecord) -> None:
        """A request was answered."""

    def on_refused(self, refused: RefusedRequest) -> None:
        """A request was refused at the HTTP door."""


class Observed:
    """A handler for the MCP side (``protocol.ports.Handler``) whose calls an observer is told of; None = nobody."""

    def __init__(self, handler: ToolHandler, observer: Observer | None = None) -> None:
        self._handler = handler
        self._observer = observer

    @property
    def handler(self) -> ToolHandler:
        """The handler itself, for what the operator is shown of it."""
        return self._handler

    def tools(self) -> list[ToolInfo]:
        """Return the tools that a client is offered."""
        return self._handler.listed()

    def answer(self, name: str, arguments: dict[str, Any] | None, cancel: Cancel) -> Answer:
        """Run a tool; raises ``UnknownTool`` only."""

        def call() -> tuple[Answer, Outcome | None]:
            outcome = self._handler.call(name, arguments, cancel)
            return outcome.answer, outcome

        try:
            return self._told("tools/call", name, arguments, cancel, call)
        except ToolFault as fault:  # of the observer: those of the tool are answers
            return error_answer(fault)

    def instructions(self) -> str:
        """Return what a client's model should know first."""
        return self._handler.instructions()

    def resources(self) -> list[ResourceInfo]:
        """Return the resources whose tool is allowed."""
        return self._handler.resources()

    def resource_templates(self) -> list[ResourceInfo]:
        """Return the templates whose tool is allowed."""
        return self._handler.resource_templates()

    def read_resource(self, uri: str, cancel: Cancel) -> ResourceBody:
        """Return a resource; raises ``UnknownResource`` and ``ToolFault``."""
        return self._told("resources/read", uri, None, cancel, lambda: self._handler.resource(uri, cancel))

    def prompts(self) -> list[PromptInfo]:
        """Return the prompts of which every tool is allowed."""
        return self._handler.prompts()

    def get_prompt(self, name: str, arguments: Mapping[str, Any] | None) -> PromptText:
        """Return a prompt made ready; raises ``UnknownPrompt`` and ``ToolFault``."""
        return self._told(
            "prompts/get", name, arguments, None, lambda: (self._handler.get_prompt(name, arguments), None)
        )

    def complete_prompt(
        self, name: str, argument: str, prefix: str, *, given: Mapping[str, str] | None, cancel: Cancel
    ) -> Sequence[str]:
        """Return values of a prompt's argument; raises ``UnknownPrompt`` and ``ToolFault``."""

        def complete() -> tuple[Sequence[str], None]:
            return self._handler.complete_prompt(name, argument, prefix, given=given, cancel=cancel), None

        return self._told("completion/complete", name, {argument: prefix, **(given or {})}, cancel, complete)

    def complete_template(self, uri: str, variable: str, prefix: str, *, cancel: Cancel) -> Sequence[str]:
        """Return values of a template's variable; raises ``UnknownResource`` and ``ToolFault``."""

        def complete() -> tuple[Sequence[str], None]:
            return self._handler.complete_template(uri, variable, prefix, cancel=cancel), None

        return self._told("completion/complete", uri, {variable: prefix}, cancel, complete)

    def _told(
        self,
        method: str,
        name: str,
        arguments: Mapping[str, Any] | None,
        cancel: Cancel | None,
        work: Callable[[], tuple[T, Outcome | None]],
    ) -> T:
        if self._observer is None:
            return work()[0]
        at, started = time.time(), time.monotonic()
        outcome: Outcome | None = None
        code = "internal_error"
        values: Sequence[str] = ()
        try:
            result, outcome = work()
            code = "ok" if outcome is None else outcome.code
            values = result if isinstance(result, list) else ()
        except (UnknownTool, UnknownResource, UnknownPrompt) as unknown:
            code = UNKNOWN[type(unknown)]
            raise
        except ToolFault as fault:
            code = fault.code
            raise
        finally:
            record = CallRecord(
                at,
                ASKER.get(),
                method,
                name,
                arguments or {},
                outcome,
                code,
                (time.monotonic() - started) * 1000,
                self._handler.policy,
                cancel is not None and cancel.cancelled,
                values,
            )
            self._observer.on_call(record)
        return result
