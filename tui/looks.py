"""What was looked at of each tool in a review: its samples, and the operator's own run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from gongmcp.preview.model import Gate, Preview
from tui.reviewing import SampleRun
from tui.widgets.argument_form import Drafts

OWN = -1
"""In place of a sample's number: the operator's own run."""


@dataclass(slots=True)
class Look:
    """One tool: *samples* are None until they were run; *chosen* is the number of the one on show, or ``OWN``.

    *failure* says what kept the samples, or the own run, from being made; no content is shown then.
    """

    samples: Sequence[SampleRun] | None = None
    chosen: int = OWN
    own: Preview | None = None
    failure: str = ""
    drafts: Drafts = field(default_factory=Drafts)

    @property
    def sample(self) -> SampleRun | None:
        """The sample on show; None for the own run."""
        return self.samples[self.chosen] if self.samples and 0 <= self.chosen < len(self.samples) else None

    @property
    def preview(self) -> Preview | None:
        """What is on show."""
        return self.own if self.sample is None else self.sample.preview

    @property
    def arguments(self) -> Mapping[str, Any]:
        """The arguments of what is on show."""
        if self.sample is not None:
            return self.sample.arguments
        return self.own.arguments if self.own is not None else {}

    def take_samples(self, samples: Sequence[SampleRun]) -> None:
        """Take over *samples*, worst first, and show the first that has a preview, unless an own run is on show."""
        self.samples = samples
        if self.own is None:
            self.chosen = next((n for n, run in enumerate(samples) if run.preview is not None), OWN)

    @property
    def looked_at(self) -> list[Mapping[str, Any]]:
        """The arguments of the samples that were run."""
        return [run.arguments for run in self.samples or () if run.preview is not None]

    @property
    def failing(self) -> tuple[int, Gate] | None:
        """The first sample of which a gate fails, and that gate."""
        for number, run in enumerate(self.samples or ()):
            for gate in run.preview.gates if run.preview is not None else ():
                if not gate.passed:
                    return number, gate
        return None

    def sample_words(self, *, brief: bool = False) -> str:
        """Say which of how many samples is on show; *brief* leaves out of which set it is."""
        if self.samples is None:
            return "not run" if brief else "samples not run"
        have = sum(run.preview is not None for run in self.samples)
        if self.sample is None:
            return "own run" if brief else f"own run, {have} samples"
        at = f"{self.chosen + 1} of {len(self.samples)}"
        return at if brief else f"{self.sample.set_name.replace('_', ' ')}, {at}"
