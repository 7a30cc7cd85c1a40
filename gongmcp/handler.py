"""``ToolHandler``: the only way to run a tool, for agents, scripts and the operator's preview alike.

``arguments -> validate -> gate -> query -> disclose -> bound -> render -> Outcome``. What goes on the
wire is an ``Answer``; the ledger and the sizes stay in the ``Outcome``, which only the operator's
doors receive.
"""

from __future__ import annotations

import logging
import secrets
import time
import traceback
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gongmcp.cancel import Cancel
from gongmcp.catalog.active import Active
from gongmcp.catalog.arguments import ValidArguments, unknown_argument, validate
from gongmcp.catalog.cohort_token import opened
from gongmcp.catalog.completions import Asked, completion
from gongmcp.catalog.declaration import NO_SUCH_CALL, CallScope, NotFound, Rows, Tool
from gongmcp.catalog.listing import ANNOTATIONS, ToolInfo
from gongmcp.catalog.presets import PRESETS, allowed_tools, find_preset, listed_tools, under_preset
from gongmcp.catalog.prompts import PROMPTS, Prompt, find_prompt, write_prompt
from gongmcp.catalog.registry import canonical
from gongmcp.catalog.resources import RESOURCES, Resource, find_resource
from gongmcp.catalog.schema import input_schema, output_schema
from gongmcp.errors import ERRORS, ToolFault, Unavailable, UnknownPrompt, UnknownResource, UnknownTool
from gongmcp.exposure.cursor import CursorSealer, Key
from gongmcp.exposure.engine import Disclosure, echoes
from gongmcp.exposure.evidence import AnswerBudget, Evidence, EvidenceSession, Session
from gongmcp.exposure.fields import Provenance
from gongmcp.exposure.ledger import Ledger
from gongmcp.exposure.policy import Policy
from gongmcp.exposure.rows import Row
from gongmcp.exposure.small_cells import SmallCells
from gongmcp.gather import gather
from gongmcp.outcome import Outcome
from gongmcp.render.answer import Answer, error_answer
from gongmcp.render.bound import bound_object, bound_rows
from gongmcp.render.instructions import instructions
from gongmcp.render.offers import PromptInfo, PromptText, ResourceBody, ResourceInfo
from gongmcp.render.size import estimate_tokens
from gongmcp.render.text import render_answer
from gongmcp.render.wire import json_bytes, result_bytes
from gongmcp.settings import ServerSettings
from gongmcp.store.calls import CallFilter, calls_in_range
from gongmcp.store.connection import ReadStore, StorePool
from gongmcp.store.freshness import ModelState, is_governed, load_state
from gongmcp.store.model import ModelRules

if TYPE_CHECKING:
    from gongmcp.analysis.topic_packs import TopicPacks
    from gongmcp.approval.enforce import UnderLock
    from gongmcp.approval.gate import Look
    from gongmcp.governance.guard import Guard

__all__ = ["Answer", "Outcome", "ToolHandler", "ToolInfo", "build_handler"]

log = logging.getLogger("gongmcp")


@dataclass(slots=True)
class _Seen:
    """What a call learned on its way, for the outcome."""

    shown: dict[str, frozenset[int]] = field(default_factory=dict)
    model: ModelState | None = None


class _Overtaken(Exception):
    """Another call of the session was shown more of the same transcripts while this one was put together."""


_SPENDING_TRIES = 5


class ToolHandler:
    """Runs tools over one cache under one policy. Thread-safe."""

    def __init__(
        self,
        policy: Policy,
        pool: StorePool | None,
        *,
        tool_timeout: float = 30.0,
        rules: ModelRules | None = None,
        guard: Guard | None = None,
        session: Session | None = None,
        lock: UnderLock | None = None,
        topics: TopicPacks | None = None,
    ) -> None:
        """Serve the read model of *rules* under *policy*.

        *guard* looks at what leaves once more; *session* keeps what one client has seen, None = every call is the
        first of its session (a preview). *lock* leaves out what was not approved. *topics* are the topic packs, None =
        ours.
        """
        self.policy = policy
        self.tool_timeout = tool_timeout
        self._rules = rules or ModelRules()
        self._pool = None if pool is None else pool.narrowed_to(policy.scope, self._rules.names)
        self._digest = self._rules.digest
        self._guard = guard
        self._session = session
        self._lock = lock
        self._topics = topics
        self._gate = lock.gate if lock is not None else None
        self._allowed = allowed_tools(policy)
        self._infos: dict[str, ToolInfo] = {}
        self._behind: dict[int, ToolHandler] = {}

    def tools(self) -> list[ToolInfo]:
        """Return the allowed tools in their fixed order."""
        return [self.tool(name) for name in self._allowed]

    def listed(self) -> list[ToolInfo]:
        """Return the tools that a client is offered: those allowed, without the ones that a facade stands for."""
        shown = set(listed_tools(self.policy, self._allowed))
        return [info for info in self.tools() if info.name in shown]

    def served(self) -> Mapping[str, Tool]:
        """Return the declarations of the allowed tools, by name."""
        return self._allowed

    def behind(self, reserved: int) -> ToolHandler:
        """Return this handler with *reserved* bytes fewer for an answer: what a facade hands its calls on to."""
        if reserved not in self._behind:
            narrowed = replace(self.policy, max_response_bytes=self.policy.max_response_bytes - reserved)
            self._behind[reserved] = self.under(narrowed)
        return self._behind[reserved]

    def tool(self, name: str) -> ToolInfo:
        """Return one allowed tool by its name or an alias; raises ``UnknownTool`` for any other name."""
        tool = self._tool(name)
        if tool.name not in self._infos:
            self._infos[tool.name] = ToolInfo(
                name=tool.name,
                title=tool.title,
                description=tool.description,
                input_schema=input_schema(tool, self.policy),
                output_schema=output_schema(tool, self.policy),
                annotations=ANNOTATIONS,
                level=tool.level.value,
                limits=tool.limits(self.policy),
                presets=tuple(preset.name for preset in PRESETS if preset.name in tool.presets),
                aliases=tool.aliases,
            )
        return self._infos[tool.name]

    def presets(self) -> list[str]:
        """Return the names of the presets that can be served."""
        return [preset.name for preset in PRESETS]

    def with_policy(self, *, preset: str | None = None, provenance: str | None = None) -> ToolHandler:
        """Return a handler over the same cache under another preset or provenance (a preview)."""
        policy = self.policy
        if preset is not None:
            policy = under_preset(policy, find_preset(preset))
        if provenance is not None:
            policy = replace(policy, provenance=Provenance(provenance))
        return ToolHandler(
            policy,
            self._pool,
            tool_timeout=self.tool_timeout,
            rules=self._rules,
            guard=self._guard,
            lock=self._lock,
            topics=self._topics,
        )

    def under(self, policy: Policy) -> ToolHandler:
        """Return a handler over the same cache, for the same sessions, under *policy*: narrowed for a token, or
        tightened."""
        made = ToolHandler(
            policy,
            self._pool,
            tool_timeout=self.tool_timeout,
            rules=self._rules,
            guard=self._guard,
            session=self._session,
            lock=self._lock,
            topics=self._topics,
        )
        made._digest = self._digest
        return made

    def with_lock(self, lock: UnderLock) -> ToolHandler:
        """Return a handler over the same cache that serves what *lock* leaves (a preview)."""
        return ToolHandler(
            lock.policy,
            self._pool,
            tool_timeout=self.tool_timeout,
            rules=self._rules,
            guard=self._guard,
            lock=lock,
            topics=self._topics,
        )

    def close(self) -> None:
        """Close the connections that are kept open between calls."""
        if self._pool is not None:
            self._pool.close()

    def drift(self) -> list[str]:
        """What differs from the lock, in words, new CRM names in the data included; empty without one."""
        if self._lock is None:
            return []
        found = list(self._lock.drift)
        if self._gate is not None and self._pool is not None:
            # A cache that is being written is no reason not to start: what is new is withheld in any case.
            with suppress(ToolFault, Unavailable), self._pool.store_scope() as store:
                found += self._gate.drift(store)
        return [difference.sentence() for difference in found]

    def _load_state(self, store: ReadStore) -> ModelState:
        """Return the state of the model, and keep to it: after a stricter list a looser one is not followed."""
        state = load_state(store, self._digest)
        self._digest = state.digest
        return state

    def _said(self, fault: ToolFault) -> ToolFault:
        """Return *fault* without words that name a restricted customer: a hint lists names that data holds."""
        guard = self._guard
        if guard is None or not (guard.names(fault.hint) or guard.names(fault.message)):
            return fault
        return ToolFault(fault.code, ERRORS[fault.code].meaning)

    def _follow_list(self) -> None:
        if self._guard is not None:
            self._guard.follow()

    def has_model(self) -> bool:
        """Return whether the cache holds a read model that may be served; True also while it cannot be asked."""
        try:
            with self._require_store().store_scope() as store:
                self._load_state(store)
        except ToolFault:
            return False
        except Unavailable:
            return True
        return True

    def model(self) -> ModelState | None:
        """Return the read model that would answer now, None when none would."""
        try:
            with self._require_store().store_scope() as store:
                return self._load_state(store)
        except (ToolFault, Unavailable):
            return None

    def is_governed(self) -> bool:
        """Return whether the cache's read model was made with a restricted list; False when it cannot be asked."""
        try:
            with self._require_store().store_scope() as store:
                return is_governed(store)
        except (ToolFault, Unavailable):
            return False

    def freshness(self) -> dict[str, Any]:
        """Return ``{freshness, as_of, calls, transcripts, segments}`` of what agents see; freshness is
        ``missing`` when there is no read model."""
        try:
            with self._require_store().store_scope() as store:
                state = self._load_state(store)
                totals = {name: store.total(name) for name in ("calls", "transcripts", "segments")}
                return {"freshness": state.freshness, "as_of": state.as_of, **totals}
        except (ToolFault, Unavailable):
            return {"freshness": "missing", "as_of": "", "calls": 0, "transcripts": 0, "segments": 0}

    def instructions(self) -> str:
        """Return the server's instructions for a client: corpus, as-of, coverage, first tool, what is withheld."""
        if self._lock is not None and not self._lock.says_instructions:
            return ""
        cells = SmallCells(self.policy.min_cell)
        state = {
            name: cells.count(value) if isinstance(value, int) else value for name, value in self.freshness().items()
        }
        return instructions(self.policy, listed_tools(self.policy, self._allowed), state)

    def answer(self, name: str, arguments: dict[str, Any] | None, cancel: Cancel | None = None) -> Answer:
        """Run a tool and return what goes on the wire; raises ``UnknownTool`` only."""
        return self.call(name, arguments, cancel).answer

    def call(self, name: str, arguments: Mapping[str, Any] | None, cancel: Cancel | None = None) -> Outcome:
        """Run tool *name* (or the tool of that alias) and return its outcome; raises ``UnknownTool`` only.

        *cancel* interrupts the running query, which is then answered ``unavailable``.
        """
        tool = self._tool(name)
        started = time.monotonic()
        ledger = Ledger()
        rows = 0
        seen = _Seen()
        try:
            if tool.facade:
                from gongmcp.facade.route import run_facade

                return run_facade(self, tool, arguments, cancel)
            structured, rows = self._run(tool, arguments, ledger, seen, cancel)
            answer = Answer(render_answer(tool, structured), structured)
            payload = result_bytes(answer)
        except ToolFault as fault:
            answer = error_answer(self._said(fault))
            payload = result_bytes(answer)
        except Exception as error:
            reference = secrets.token_hex(4)
            # Type and places in the code, not the exception's text: that may quote the cache or the caller.
            trail = "".join(traceback.format_tb(error.__traceback__)).rstrip()
            log.error("internal error %s in %s: %s\n%s", reference, tool.name, type(error).__qualname__, trail)
            log.debug("internal error %s: its text", reference, exc_info=error)
            ledger, rows, seen = Ledger(), 0, _Seen()
            answer = error_answer(
                ToolFault("internal_error", f"Something unexpected happened (reference {reference}).")
            )
            payload = result_bytes(answer)
        return Outcome(
            answer=answer,
            ledger=ledger,
            rows=rows,
            bytes=len(payload),
            tokens=estimate_tokens(payload.decode()),
            milliseconds=(time.monotonic() - started) * 1000,
            shown=seen.shown,
            model=seen.model,
        )

    def resources(self) -> list[ResourceInfo]:
        """Return the resources whose tool is allowed, templates left out."""
        return [item.info() for item in RESOURCES if item.variable is None and self._has_resource(item)]

    def resource_templates(self) -> list[ResourceInfo]:
        """Return the templates of resources whose tool is allowed."""
        return [item.info() for item in RESOURCES if item.variable is not None and self._has_resource(item)]

    def read_resource(self, uri: str, cancel: Cancel | None = None) -> ResourceBody:
        """Return the JSON of the resource at *uri*: the structured answer of its tool, or of the policy.

        Raises ``UnknownResource`` where nothing is, nothing is allowed or nothing was found, and ``ToolFault`` as
        the tool would answer. A snag is a body with ``status: unavailable``.
        """
        return self.resource(uri, cancel)[0]

    def resource(self, uri: str, cancel: Cancel | None = None) -> tuple[ResourceBody, Outcome | None]:
        """Return what ``read_resource`` does, with the outcome of the tool that was run for it; raises the same."""
        found = find_resource(uri)
        if found is None or not self._has_resource(found[0]):
            raise UnknownResource(uri)
        resource, arguments = found
        if resource.tool is not None:
            outcome = self.call(resource.tool, arguments, cancel)
            return ResourceBody(uri, json_bytes(self._structured(outcome.answer, arguments, uri)).decode()), outcome
        assert resource.describe is not None
        body = resource.describe(Active(self.policy, self._allowed, self.tool_timeout))
        return ResourceBody(uri, json_bytes(body).decode()), None

    def _structured(self, answer: Answer, arguments: dict[str, str], uri: str) -> dict[str, Any]:
        if answer.structured is None:
            error = answer.error or {}
            if arguments and error.get("code") == "invalid_argument":  # no such id can be
                raise UnknownResource(uri)
            raise ToolFault(error["code"], error["message"], error["hint"])
        if answer.structured["status"] == "not_found":
            raise UnknownResource(uri)
        return answer.structured

    def prompts(self) -> list[PromptInfo]:
        """Return the prompts of which every tool is allowed, with the arguments that the policy accepts."""
        return [prompt.info(self._accepts) for prompt in PROMPTS if self._has_prompt(prompt)]

    def get_prompt(self, name: str, arguments: Mapping[str, Any] | None = None) -> PromptText:
        """Return the prompt *name* made ready; raises ``UnknownPrompt``, and ``ToolFault`` for bad arguments."""

        def checked(tool: str, given: Mapping[str, Any]) -> dict[str, Any]:
            return validate(self._tool(tool), self.policy, self.tool(tool).input_schema, given).plain

        return write_prompt(self._prompt(name), arguments, self.policy, checked)

    def complete(
        self,
        tool: str,
        argument: str,
        prefix: str = "",
        *,
        given: Mapping[str, str] | None = None,
        cancel: Cancel | None = None,
    ) -> list[str]:
        """Return at most 100 values that *argument* of *tool* may take and that begin with *prefix*.

        *given* holds other arguments of the same call, which may narrow the values (fields of an object type).
        Withheld kinds of values, free text and a snag give none. Raises ``UnknownTool``, and ``ToolFault`` for an
        unknown argument or, where values are read from it, a cache that is not ready.
        """
        self._follow_list()
        declared = self._tool(tool)
        how = completion(declared, argument, self.tool(declared.name).input_schema, self.policy, self._allowed)
        if how.kind is None:
            return how.matching(prefix)
        try:
            deadline = time.monotonic() + self.tool_timeout
            with self._require_store().store_scope(deadline=deadline, cancel=cancel) as store:
                self._load_state(store)
                found = how.ask(Asked(store, self._rules.names, prefix, given or {}, self.policy))
                if self._gate is not None:
                    found = self._gate.values(store, how.kind.field, found, (given or {}).get("object_type"))
            guard = self._guard
            return [value for value in found if guard is None or not guard.names(value)]
        except Unavailable:
            return []

    def complete_prompt(
        self,
        name: str,
        argument: str,
        prefix: str = "",
        *,
        given: Mapping[str, str] | None = None,
        cancel: Cancel | None = None,
    ) -> list[str]:
        """Return values of a prompt's argument, as ``complete`` gives them; raises ``UnknownPrompt`` as well."""
        parameter = self._prompt(name).parameter(argument)
        return self.complete(parameter.tool, parameter.argument, prefix, given=given, cancel=cancel)

    def complete_template(
        self, uri: str, variable: str, prefix: str = "", *, cancel: Cancel | None = None
    ) -> list[str]:
        """Return values of the *variable* of the template *uri*, as ``complete`` gives them.

        Raises ``UnknownResource`` as well.
        """
        for item in RESOURCES:
            if item.uri == uri and item.tool and item.argument and self._has_resource(item):
                if variable != item.variable:
                    raise unknown_argument(variable, [item.variable or ""])
                return self.complete(item.tool, item.argument, prefix, cancel=cancel)
        raise UnknownResource(uri)

    def _prompt(self, name: str) -> Prompt:
        prompt = find_prompt(name)
        if prompt is None or not self._has_prompt(prompt):
            raise UnknownPrompt(name)
        return prompt

    def _accepts(self, tool: str, argument: str) -> bool:
        return argument in self.tool(tool).input_schema["properties"]

    def _has_prompt(self, prompt: Prompt) -> bool:
        if self._lock is not None and prompt.name not in self._lock.prompts:
            return False
        # A client can call what it is shown, and a prompt must not speak of anything else.
        shown = listed_tools(self.policy, self._allowed)
        return prompt.exists(shown) and all(self._accepts(*needed) for needed in prompt.needs())

    def _has_resource(self, item: Resource) -> bool:
        if not item.exists(self._allowed) or (self._lock is not None and item.uri not in self._lock.resources):
            return False
        return item.tool is None or item.argument is None or self._accepts(item.tool, item.argument)

    def _tool(self, name: str) -> Tool:
        try:
            return self._allowed[canonical(name)]
        except (KeyError, TypeError):
            raise UnknownTool(name) from None

    def _scope(self, store: ReadStore, state: ModelState, limit: int, after: tuple[Any, ...] | None) -> CallScope:
        cells = SmallCells(self.policy.min_cell)
        languages = self._gate.languages if self._gate is not None else None
        return CallScope(store, self.policy, state, self._rules.names, limit, after, cells, self._topics, languages)

    def _require_store(self) -> StorePool:
        if self._pool is None:
            raise ToolFault("cache_not_ready", "No cache is open.")
        return self._pool

    def _run(
        self,
        tool: Tool,
        arguments: Mapping[str, Any] | None,
        ledger: Ledger,
        seen: _Seen,
        cancel: Cancel | None,
    ) -> tuple[dict[str, Any], int]:
        valid = validate(tool, self.policy, self.tool(tool.name).input_schema, arguments)
        if self._gate is not None:
            self._gate.refuse_arguments(tool, valid.plain)
        self._follow_list()
        deadline = time.monotonic() + self.tool_timeout
        state: ModelState | None = None
        try:
            with self._require_store().store_scope(deadline=deadline, cancel=cancel) as store:
                state = seen.model = self._load_state(store)
                for _ in range(_SPENDING_TRIES):
                    with suppress(_Overtaken):
                        return self._query(tool, valid, store, state, ledger, seen)
                    ledger.entries.clear()
                raise Unavailable("Several calls at once ask for the same transcripts.", "Call again, one at a time.")
        except Unavailable as snag:
            return _unavailable(snag, state), 0

    def _query(
        self,
        tool: Tool,
        valid: ValidArguments,
        store: ReadStore,
        state: ModelState,
        ledger: Ledger,
        seen: _Seen,
    ) -> tuple[dict[str, Any], int]:
        expanded = opened(tool, self.policy, valid, state.secret)
        if expanded is not valid and self._gate is not None:
            self._gate.refuse_arguments(tool, expanded.plain)
        valid = expanded
        binding = {
            "tool": tool.name,
            "arguments": valid.plain,
            "policy": self.policy.digest(),
            "generation": state.generation,
        }
        sealer = CursorSealer(state.secret)
        start = sealer.open(valid.cursor, binding) if valid.cursor else None
        disclosure = Disclosure(self.policy, valid.plain, ledger)
        look = self._gate.look(store, disclosure) if self._gate is not None else None
        head: dict[str, Any] = {"status": "ok", "as_of": state.as_of, "freshness": state.freshness}
        if not tool.many:
            scope = self._scope(store, state, valid.limit, start.after if start is not None else None)
            found_one = tool.function(valid.model, scope)
            answered = self._one(tool, found_one, head, disclosure, look)
            scope.cells.tell(ledger)
            if answered[1] and (call_ref := getattr(found_one, "call_ref", "")):
                seen.shown[call_ref] = frozenset()
            return answered
        envelope = head | ({"limit": valid.limit} if tool.cap is not None else {})
        if valid.requested is not None:
            envelope["limit_clamped"] = {"requested": valid.requested, "effective": valid.limit}

        first: CallScope | None = None

        def ask(key: Key | None, rows: int) -> Rows[Any]:
            nonlocal first
            scope = self._scope(store, state, rows, key)
            first = first or scope
            found: Rows[Any] = tool.function(valid.model, scope)
            return found

        session = self._session or EvidenceSession()
        budget = AnswerBudget(self.policy.evidence, session)
        review = look.listed if look is not None else None
        gathered = gather(tool, ask, start, valid.limit, disclosure, self._guard, budget, review)
        assert first is not None
        first.cells.tell(ledger)  # a later page of the same list coarsens it anew
        notes: dict[str, Any] = {}
        if tool.notes is not None and gathered.notes is not None:
            reviewed = gathered.notes if look is None else look.single(gathered.notes)
            told = {} if reviewed is None else disclosure.row(tool.notes, reviewed, ())
            repeated = {name for name, value in told.items() if value == valid.plain.get(name)}
            notes = self._guarded(told, echo=echoes(tool.notes) | repeated)
        if not gathered.rows and valid.cursor is None:
            understood = disclosure.echo({**valid.plain, **gathered.searched}, ("searched",))
            # Sliding the dates by a day would tell the calls of a day by the differences.
            told = {} if self.policy.min_cell > 1 else {"calls_in_range": _calls_in_range(store, valid)}
            envelope["searched"] = {**understood, **told}
        given = {name for name, value in valid.plain.items() if value is not None}
        structured = bound_rows(
            tool, self.policy, envelope, gathered, notes, disclosure, given, lambda there: sealer.seal(there, binding)
        )
        sent = structured["returned"]
        evidence = [item for item in gathered.evidence[:sent] if item is not None]
        if not session.spend(evidence, budget.basis()):
            raise _Overtaken
        seen.shown.update(_segments_shown(gathered.calls[:sent], evidence))
        return structured, sent

    def _one(
        self,
        tool: Tool,
        result: Row | NotFound,
        head: dict[str, Any],
        disclosure: Disclosure,
        look: Look | None,
    ) -> tuple[dict[str, Any], int]:
        if look is not None and not isinstance(result, NotFound):
            result = look.single(result) or NotFound(NO_SUCH_CALL)
        if not isinstance(result, NotFound):
            body = disclosure.one(tool.row, result)
            if self._guard is None or not self._guard.names(body):
                return bound_object(tool, self.policy, head, body, disclosure), 1
            if "call_ref" not in tool.row.__struct_fields__:
                return bound_object(tool, self.policy, head, self._guard.without(body), disclosure), 1
            # A call that names a restricted customer does not exist for agents.
            disclosure.ledger.entries.clear()
            result = NotFound(NO_SUCH_CALL)
        return head | {"status": "not_found", "message": result.message}, 0

    def _guarded(self, body: dict[str, Any], echo: frozenset[str] = frozenset()) -> dict[str, Any]:
        """Return *body* without what names a restricted customer; the caller's own words, in *echo*, stay."""
        if self._guard is None:
            return body
        looked_at = self._guard.without({name: value for name, value in body.items() if name not in echo})
        return {
            name: value if name in echo else looked_at[name]
            for name, value in body.items()
            if name in echo or name in looked_at
        }


def _segments_shown(calls: Sequence[str], evidence: Sequence[Evidence]) -> dict[str, frozenset[int]]:
    """Return for each call of which a row leaves which segments of its transcript leave."""
    indices: dict[str, set[int]] = {call_ref: set() for call_ref in calls if call_ref}
    for item in evidence:
        indices.setdefault(item.call_ref, set()).update(item.segments)
    return {call: frozenset(found) for call, found in indices.items()}


def _calls_in_range(store: ReadStore, valid: ValidArguments) -> int:
    plain = valid.plain
    return calls_in_range(store, CallFilter(from_date=plain.get("from_date"), to_date=plain.get("to_date")))


def _unavailable(snag: Unavailable, state: ModelState | None) -> dict[str, Any]:
    return {
        "status": "unavailable",
        "as_of": state.as_of if state else "",
        "message": snag.reason,
        "hint": snag.hint,
    }


def build_handler(settings: ServerSettings, db: Path | None = None, *, session: Session | None = None) -> ToolHandler:
    """Return a handler under *settings* over the cache *db*; without one it can list tools only.

    *session* keeps what one client has seen of transcripts; without one every call stands for itself.

    Raises ``StartupRefusal`` when the file is not a usable cache, or not what the lock of *settings* approves.
    """
    lock = None
    if settings.lock is not None:
        from gongmcp.approval.enforce import under_lock

        lock = under_lock(settings, settings.lock)
    pool = StorePool(db) if db is not None else None
    guard = None
    if settings.restricted is not None:
        from gongmcp.governance.guard import Guard

        guard = Guard(settings.restricted, settings.restricted_path)
    if settings.toolset != "gong":
        from gongmcp.vcon.served import ServedHandler  # a server without vCons does not load their tools

        return ServedHandler(
            settings.policy,
            pool,
            tool_timeout=settings.tool_timeout,
            rules=settings.model_rules(),
            guard=guard,
            session=session,
        )
    return ToolHandler(
        settings.policy if lock is None else lock.policy,
        pool,
        tool_timeout=settings.tool_timeout,
        rules=settings.model_rules(),
        guard=guard,
        session=session,
        lock=lock,
        topics=settings.topic_packs,
    )
