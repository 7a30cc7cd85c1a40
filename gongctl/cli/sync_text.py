"""What ``gongctl sync`` prints as text: runs, plans, and the state of sync."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gongctl.cli.output import counted, emit_text, heading, note, table

if TYPE_CHECKING:
    from gongctl.gong.pace import Quota
    from gongctl.sync.plan import Plan
    from gongctl.sync.report import StepReport
    from gongctl.sync.run import Ran
    from gongctl.sync.status import SyncStatus

_LISTED = 20


def print_ran(ran: Ran, quota: Quota) -> None:
    """Print what a run did, a line for each step."""
    rows = []
    for step in ran.steps:
        counts = list(step.stored.kinds.values())
        rows.append(
            (
                step.step,
                step.outcome,
                f"{sum(count.new for count in counts):,}",
                f"{sum(count.changed for count in counts):,}",
                f"{sum(count.unchanged for count in counts):,}",
                f"{step.stored.rejected_count:,}",
                f"{step.finished:,}/{step.planned:,} {step.unit}",
                f"{step.requests:,}",
                f"{step.seconds:,.1f} s",
            )
        )
    table(("step", "outcome", "new", "changed", "unchanged", "rejected", "read", "requests", "time"), rows)
    for step in ran.steps:
        for line in _details(step):
            emit_text(line)
    if ran.swept:
        emit_text(f"Taken out because the list names their customer: {counted(ran.swept, 'call')}.")
    if ran.warm is not None:
        emit_text(f"Warmed: {counted(ran.warm.redone, 'call')} redone, {ran.warm.removed:,} removed.")
    if ran.used is not None:
        emit_text(f"Requests of today (UTC): {ran.used.requests:,} of {quota.daily:,}.")


def _details(step: StepReport) -> list[str]:
    lines = []
    if step.transcripts:
        figures = ", ".join(f"{name.replace('_', ' ')} {count:,}" for name, count in step.transcripts.items() if count)
        lines.append(f"{step.step}: {figures or 'nothing is due'}.")
    if step.restricted or step.withheld:
        lines.append(
            f"{step.step}: not stored because they name a restricted customer: {counted(step.restricted, 'call')}, "
            f"{counted(step.withheld, 'other record')}."
        )
    if step.stored.kept_out:
        lines.append(
            f"{step.step}: {counted(step.stored.kept_out, 'record was', 'records were')} kept out by tombstones."
        )
    if step.gone:
        gone = counted(step.gone, "call is gone from Gong and was", "calls are gone from Gong and were")
        lines.append(f"{step.step}: {gone} taken out.")
    return lines


def tell(ran: Ran) -> None:
    """Print on stderr why a step is not done, what was rejected, and what an operator should know."""
    for step in ran.steps:
        for text in step.notes:
            note(f"{step.step}: {text}")
        for item in step.stored.rejected[:_LISTED]:
            note(f"Rejected {item.place}: {item.reason}.")
        if step.stored.rejected_count > _LISTED:
            note(f"... and {step.stored.rejected_count - _LISTED:,} more.")
        if step.outcome in ("partial", "failed"):
            note(f"gongctl: {step.step} is {step.outcome}: {step.reason}")
            if step.hint:
                note(f"Hint: {step.hint}")
    if ran.warm_refused:
        note(f"gongctl: not warmed: {ran.warm_refused}")


def print_plan(plan: Plan) -> None:
    """Print what a run would ask for."""
    table(
        ("step", "what", "requests"),
        [(step.step, step.what, f"{'at least ' if step.at_least else ''}{step.requests:,}") for step in plan.steps],
    )
    least, seconds = "at least " if plan.at_least else "", counted(round(plan.seconds), "second")
    emit_text(f"\nRequests: {least}{plan.requests:,}, about {seconds} at the allowed rate.")
    used = "" if plan.used_today is None else f", of which {plan.used_today:,} are used"
    emit_text(f"The day's quota is {plan.requests_per_day:,} requests{used}. Nothing was asked.")


def print_status(status: SyncStatus) -> None:
    """Print the state of sync."""
    emit_text(f"Cache {status.db}: {'a writer is at work' if status.running else 'no writer is at work'}.")
    if status.listed:
        emit_text("")
        table(
            ("listed", "settled from", "to", "windows begun"),
            [(row.question, row.settled_from, row.settled_to, f"{row.begun_windows:,}") for row in status.listed],
        )
        emit_text("What is younger is listed again by each run.")
    if status.transcripts:
        emit_text("")
        table(
            ("transcripts", "calls"),
            [(name.replace("_", " "), f"{count:,}") for name, count in status.transcripts.items()],
        )
    if status.waiting:
        emit_text("")
        table(
            ("call", "outcome", "attempts", "days", "again from"),
            [
                (
                    row.call_id,
                    row.outcome.replace("_", " "),
                    f"{row.attempts:,}",
                    f"{row.days:,}",
                    row.next_ask_at,
                )
                for row in status.waiting
            ],
        )
    if status.tombstones:
        emit_text("")
        table(("kept out or gone", "calls"), [(name, f"{count:,}") for name, count in status.tombstones.items()])
    if status.runs:
        emit_text("")
        heading("Last runs")
        table(
            ("step", "began", "outcome", "requests", "records", "changed", "why"),
            [
                (
                    *(run.step, run.started_at, run.outcome),
                    *(f"{run.requests:,}", f"{run.records:,}", f"{run.changed:,}", run.reason),
                )
                for run in status.runs
            ],
        )
    else:
        emit_text("Nothing was synced into it yet.")
