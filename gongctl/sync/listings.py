"""The small listings: users, workspaces, settings, CRM integrations and their schema. Each is read whole."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from gongctl.gong.client import Answer
from gongctl.gong.endpoints import CRM_SCHEMA, INTEGRATIONS, SCORECARDS, TRACKERS, USERS, WORKSPACES, Endpoint
from gongctl.gong.faults import BadRequest
from gongctl.ingest.records import Record
from gongctl.sync.report import StepReport
from gongctl.sync.session import RESTARTS, Cursors, Pages, Progress, Session, Step

KINDS: Final = {"trackers": TRACKERS, "scorecards": SCORECARDS}
"""What ``sync settings`` reads."""
OBJECT_TYPES: Final = ("ACCOUNT", "CONTACT", "DEAL", "LEAD")
"""Types of CRM objects whose schema can be asked for."""


async def sync_users(session: Session, max_pages: int | None = None) -> StepReport:
    """Read every user."""
    async with session.step("users", pages=Pages(max_pages)) as step:
        await _read(step, USERS)
    return step.report


async def sync_workspaces(session: Session) -> StepReport:
    """Read every workspace."""
    async with session.step("workspaces") as step:
        await _read(step, WORKSPACES)
    return step.report


async def sync_settings(session: Session, kinds: Iterable[str] = tuple(KINDS), workspace: str = "") -> StepReport:
    """Read the definitions of trackers and scorecards; of trackers those of *workspace* alone when it is given."""
    async with session.step("settings") as step:
        for kind in kinds:
            query = {"workspaceId": workspace} if workspace and kind == "trackers" else {}
            await _read(step, KINDS[kind], query)
    return step.report


async def sync_crm(
    session: Session, object_types: Iterable[str] = OBJECT_TYPES, progress: Progress | None = None
) -> StepReport:
    """Read the CRM integrations, and the fields of each type of object of each."""
    async with session.step("crm") as step:
        found = await _read(step, INTEGRATIONS)
        integrations = [record.record_id for record in found if record.kind == "crm_integration"]
        if not integrations:
            step.report.notes.append(
                "Gong lists no CRM integration. That is usual: a native link to Salesforce or HubSpot is not listed."
            )
        asked = [(integration, kind) for integration in integrations for kind in object_types]
        for number, (integration, kind) in enumerate(asked, 1):
            await _read(step, CRM_SCHEMA, {"integrationId": integration, "objectType": kind})
            if progress is not None:
                progress(number, len(asked))
    return step.report


async def _read(step: Step, endpoint: Endpoint, query: dict[str, str] | None = None) -> list[Record]:
    """Read every page of *endpoint* and store it; return the records. A refused cursor starts it over."""
    report = step.report
    report.planned += 1
    cursors = Cursors(endpoint)
    asked = dict(query or {})
    read: list[Record] = []
    page = 0
    restarts = 0
    while step.pages.take():
        try:
            answer: Answer = await step.ask(endpoint, query=asked)
        except BadRequest:
            if "cursor" not in asked or restarts == RESTARTS:
                raise
            restarts, cursors, page = restarts + 1, Cursors(endpoint), 0
            asked.pop("cursor")
            continue
        page += 1
        records = step.records(endpoint, answer, page)
        step.store(records)
        report.pages += 1
        read += records
        cursor = cursors.after(answer)
        if not cursor:
            report.finished += 1
            break
        asked["cursor"] = cursor
    return read
