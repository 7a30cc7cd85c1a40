"""Why a column of a tool leaves or does not: every rule in the order in which it is asked."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from gongmcp.catalog.registry import catalog
from gongmcp.exposure.decisions import Decision, field_of, why
from gongmcp.exposure.engine import columns
from gongmcp.exposure.fields import Expose
from gongmcp.exposure.ledger import Entry
from gongmcp.exposure.policy import Policy
from gongmcp.exposure.rows import Row, hints, strip
from gongmcp.preview.layers import Layers
from gongmcp.settings import ServerSettings


@dataclass(frozen=True, slots=True)
class Step:
    """What one rule says: *says* is ``withholds`` (it decides), ``would withhold`` (a rule before it decided) or
    ``nothing against it``; *rule*, *reason* and *layer* are empty for the last."""

    asked: str
    says: str
    rule: str = ""
    reason: str = ""
    layer: str = ""


@dataclass(frozen=True, slots=True)
class ColumnReasons:
    """A column by its *path*, the *title* of its class, whether it leaves, and the steps to that."""

    path: str
    title: str
    shown: bool
    steps: tuple[Step, ...]

    @property
    def decided(self) -> Step | None:
        """The step that withholds it; None when it leaves."""
        return next((step for step in self.steps if step.says == "withholds"), None)


def column_reasons(
    tool: str, policy: Policy, arguments: Mapping[str, Any], settings: ServerSettings | None = None
) -> list[ColumnReasons]:
    """Return the columns of *tool*'s answers under *policy* and *arguments*, in their order, nested ones as paths.

    *settings* tell which layer set what; None = the defaults.
    """
    declared = catalog()[tool]
    layers = Layers(settings or ServerSettings.resolve({}, {}), policy, declared, arguments)
    head = "results[]." if declared.many else ""
    found = [_reasons(head + path, expose, policy, arguments, layers) for path, expose in walk_columns(declared.row)]
    if declared.notes is not None:
        found += [_reasons(path, expose, policy, arguments, layers) for path, expose in walk_columns(declared.notes)]
    return found


def walk_columns(model: type[Row], prefix: str = "") -> Iterator[tuple[str, Expose | None]]:
    """Yield the columns of *model* by path, nested ones too, each with its declaration."""
    for name, expose, nested in columns(model):
        if nested:
            inner, _ = strip(hints(model)[name])
            many = hasattr(inner, "__args__")
            item = strip(inner.__args__[0])[0] if many else inner
            yield from walk_columns(item, f"{prefix}{name}{'[]' if many else ''}.")
        else:
            yield prefix + name, expose


def _reasons(
    path: str, expose: Expose | None, policy: Policy, arguments: Mapping[str, Any], layers: Layers
) -> ColumnReasons:
    if expose is None:
        step = Step("declaration", "withholds", "undeclared", "The column has no declared exposure.", "declaration")
        return ColumnReasons(path, "undeclared", False, (step,))
    steps: list[Step] = []
    decided = False
    for asked, decision in why(expose, policy, arguments):
        if decision is None:
            steps.append(Step(asked, "nothing against it"))
        else:
            steps.append(_against(asked, decision, "would withhold" if decided else "withholds", layers))
            decided = True
    return ColumnReasons(path, field_of(expose, arguments).title, not decided, tuple(steps))


def _against(asked: str, decision: Decision, says: str, layers: Layers) -> Step:
    layer = layers.of(Entry("omitted", decision.field.name.lower(), decision.rule, ()))
    return Step(asked, says, decision.rule, decision.reason, layer)
