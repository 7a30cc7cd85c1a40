"""What withheld something, in the operator's terms: the kinds of rules that a ledger names."""

from __future__ import annotations

CAUSES: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("Governance", ("governance.",)),
    ("Switches", ("switch.",)),
    ("Provenance", ("provenance.",)),
    ("Masking", ("mask.",)),
    ("Caps", ("limit", "bytes.", "evidence.", "min_cell")),
    ("Not asked for", ("opt_in.", "field_profile.")),
    ("Text cut or cleaned", ("text.",)),
    ("Never shown", ("never.", "undeclared")),
)
"""Names of the causes, in the order in which they are listed, and how the ids of their rules begin."""

OTHER = "Other rules"


def cause_of(rule: str) -> str:
    """Return the cause that *rule* belongs to."""
    return next((name for name, beginnings in CAUSES if rule.startswith(beginnings)), OTHER)


def rank(cause: str) -> int:
    """Return the place of *cause* in the list."""
    names = [name for name, _ in CAUSES]
    return names.index(cause) if cause in names else len(names)
