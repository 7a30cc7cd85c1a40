"""Decisions of a review: approve, exempt, drop, undo, and the lock that they end in."""

from __future__ import annotations

import asyncio

from gongmcp.errors import StartupRefusal
from tui.looks import Look
from tui.reviewing import LockChange, QueueItem, Standing
from tui.screens.choose import Choice, Choose
from tui.screens.export import Export
from tui.screens.lock import WriteLock
from tui.screens.reviewing_screen import ReviewingScreen
from tui.widgets.queue import WAITING


class Deciding(ReviewingScreen):
    """What the home screen does with a tool once it has been looked at. Each step waits for the one before."""

    async def read_queue(self, current: str = "") -> None:
        """Show the queue as it stands now."""
        items = await self.ask(self.bench.reviewing.queue, self.bench.preset)
        if items is not None:
            self.queue.show(items, current)

    def _why_not(self, look: Look | None) -> str:
        """Say what stands against approving what is on show; '' when nothing does."""
        started, now = self.bench.started.policy, self.bench.handler.policy
        if started.provenance is not now.provenance:
            return "Provenance was changed for this preview: what would be approved is not what is on show (v)."
        if self.behind:
            return self.behind
        if look is None or look.samples is None:
            return look.failure if look is not None and look.failure else "The samples are still being run."
        if not look.looked_at:
            return "No sample of this tool could be run: run it with arguments of your own and pin them (x, p)."
        if look.failing is not None:
            number, gate = look.failing
            self.show_sample(number)
            return f"Gate {gate.name} fails: {gate.detail}"
        return ""

    async def action_approve(self) -> None:
        """Approve the tool with the samples that were looked at, unless a gate fails."""
        item, look = self.queue.item, self.look
        if item is None:
            return
        reason = self._why_not(look)
        if reason:
            self.say(reason)
            return
        assert look is not None
        await self._decide(item, Standing.APPROVED, look)

    async def action_decide(self, standing: str) -> None:
        """Exempt or drop the tool."""
        item = self.queue.item
        if item is not None:
            await self._decide(item, Standing[standing], self.look or Look())

    async def _decide(self, item: QueueItem, standing: Standing, look: Look) -> None:
        try:
            await asyncio.to_thread(self.bench.reviewing.decide, item.tool, standing, look.looked_at)
        except StartupRefusal as refusal:
            self.say(f"{refusal.message} {refusal.hint}".strip())
            return
        await self.read_queue(item.tool)
        if not self.queue.go_on():
            await self.action_lock()

    async def action_undo(self) -> None:
        """Take back the last decision and go to its tool."""
        tool = await self.ask(self.bench.reviewing.undo)
        if tool:
            await self.read_queue(tool)
            self.reach(tool)
        elif tool is not None:
            self.say("Nothing has been decided yet.")

    async def action_lock(self) -> None:
        """Show what writing the lock would change."""
        change: LockChange | None = await self.ask(self.bench.reviewing.change)
        if change is not None:
            undecided = sum(item.standing in WAITING for item in self.queue.items)
            self.app.push_screen(WriteLock(change, undecided), self._write)

    async def _write(self, by: str | None) -> None:
        if by is None:
            return
        written = await self.ask(self.bench.reviewing.write, by)
        if written is not None:
            self.say(written)
            item = self.queue.item
            await self.read_queue(item.tool if item is not None else "")

    async def action_export(self) -> None:
        """Choose what to export."""
        targets = await self.ask(self.bench.reviewing.exports)
        if not targets:
            return
        choices = [Choice(target.name, target.name, target.title) for target in targets]
        remark = "The text is shown before anything is written."
        self.app.push_screen(Choose("Export", choices, "", remark), self._export)

    async def _export(self, target: str | None) -> None:
        if target is None:
            return
        made = await self.ask(self.bench.reviewing.export, target)
        if made is not None:
            self.app.push_screen(Export(target, *made))
