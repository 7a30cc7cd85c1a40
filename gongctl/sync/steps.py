"""From the steps of a file to what each of them wants, and to running it."""

from __future__ import annotations

from gongctl.sync.calls import PrivateCalls, WantedCalls, sync_calls
from gongctl.sync.config import (
    AnyStep,
    CallsStep,
    CrmStep,
    ScorecardsStep,
    SettingsStep,
    TranscriptsStep,
    UsersStep,
    WorkspacesStep,
)
from gongctl.sync.listings import sync_crm, sync_settings, sync_users, sync_workspaces
from gongctl.sync.report import StepReport
from gongctl.sync.scorecards import WantedScorecards, sync_scorecards
from gongctl.sync.session import Progress, Session
from gongctl.sync.times import moment_of, present, seconds_of
from gongctl.sync.transcripts import WantedTranscripts, sync_transcripts


def wanted_calls(step: CallsStep, private: PrivateCalls, *, again: bool = False) -> WantedCalls:
    """Return what a step of calls is to list, with times counted from the present."""
    now = present()
    return WantedCalls(
        to_at=moment_of(step.to, "to", now),
        from_at=None if step.from_ is None else moment_of(step.from_, "from", now),
        selection=step.selection(),
        workspace=step.workspace,
        private=private,
        look_back=seconds_of(step.look_back, "look_back"),
        window=seconds_of(step.window, "window"),
        max_pages=step.max_pages,
        again=again,
        reconcile=step.reconcile,
        max_gone=step.max_gone,
    )


def wanted_transcripts(step: TranscriptsStep, private: PrivateCalls, *, again: bool = False) -> WantedTranscripts:
    """Return which transcripts a step asks for."""
    return WantedTranscripts(step.limit, private, step.max_pages, again)


def wanted_scorecards(step: ScorecardsStep, *, again: bool = False) -> WantedScorecards:
    """Return which reviews a step lists, with times counted from the present."""
    now = present()
    return WantedScorecards(
        to_at=moment_of(step.to, "to", now),
        from_at=None if step.from_ is None else moment_of(step.from_, "from", now),
        method=step.review_method,
        look_back=seconds_of(step.look_back, "look_back"),
        max_pages=step.max_pages,
        again=again,
    )


async def run_step(
    session: Session, step: AnyStep, private: PrivateCalls, progress: Progress | None = None, *, again: bool = False
) -> StepReport:
    """Run one step; *again* takes up what is settled or given up, too."""
    if isinstance(step, CallsStep):
        return await sync_calls(session, wanted_calls(step, private, again=again), progress)
    if isinstance(step, TranscriptsStep):
        return await sync_transcripts(session, wanted_transcripts(step, private, again=again), progress)
    if isinstance(step, ScorecardsStep):
        return await sync_scorecards(session, wanted_scorecards(step, again=again), progress)
    if isinstance(step, UsersStep):
        return await sync_users(session, step.max_pages)
    if isinstance(step, SettingsStep):
        return await sync_settings(session, step.kinds, step.workspace)
    if isinstance(step, CrmStep):
        return await sync_crm(session, step.object_types, progress)
    assert isinstance(step, WorkspacesStep)
    return await sync_workspaces(session)
