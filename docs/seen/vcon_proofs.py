"""Proofs of ``docs/seen/8.sh``: round trips of exported calls, and processes that edit the same store.

    python docs/seen/vcon_proofs.py trip DATA        calls out as vCons and in again, by the IETF's own schemas
    python docs/seen/vcon_proofs.py edits COUNT      COUNT random edits by four processes: nothing lost, indexes right

Exit 1 when a point does not hold.
"""

from __future__ import annotations

import json
import random
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import Any

from jsonschema import Draft7Validator

from gongctl.vcon.project import project
from gongctl.vcon.service import VconService
from gongctl.vcon.store import VconStore
from gongctl.vcon.tags import tags_of
from gongctl.vcon.validate import schema_of, validate

ROOT = Path(__file__).resolve().parents[2]
PROCESSES = 4
VCONS = 100


def gongctl(*arguments: str) -> str:
    """Run a command and return what it printed; it must succeed."""
    done = subprocess.run([sys.executable, "-m", "gongctl", *arguments], capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"gongctl {' '.join(arguments[:3])}: {done.stderr.strip()[-500:]}")
    return done.stdout


def lines(path: Path) -> dict[str, Any]:
    """Return the vCons of a file by uuid."""
    return {vcon["uuid"]: vcon for vcon in map(json.loads, path.read_text().splitlines())}


def trip(data: str) -> bool:
    """Export all calls of *data* both ways, check them, and bring them back through a store and a cache."""
    good = True
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        cache, store, back = (str(folder / file) for file in ("gong.db", "store.db", "back.db"))
        full, redacted, again, third = (folder / f"{file}.ndjson" for file in ("full", "redacted", "again", "third"))
        gongctl("import", "gong", data, "--db", cache)
        gongctl("cache", "warm", "--db", cache)
        gongctl("vcon", "export", "--all", "--unredacted", "--db", cache, "--out", str(full))
        gongctl("vcon", "export", "--all", "--db", cache, "--out", str(redacted))
        private = sqlite3.connect(cache).execute("SELECT count(*) FROM verdicts WHERE suppressed = 1").fetchone()[0]
        whole, part = lines(full), lines(redacted)
        print(f"   {len(whole)} calls as vCons with --unredacted, {len(part)} without ({private} are private)")
        good &= len(whole) == len(part) + private
        for level in ("core-02", "core-03"):
            schema = Draft7Validator(schema_of(level))
            bad = [uuid for found in (whole, part) for uuid, vcon in found.items() if not schema.is_valid(vcon)]
            print(f"   not valid by the IETF's schema {level}: {len(bad)}")
            good &= not bad
        gongctl("vcon", "import", str(full), "--db", store)
        gongctl("vcon", "export", "--all", "--unredacted", "--db", store, "--out", str(again))
        gongctl("vcon", "import", str(full), "--db", back, "--cache")
        gongctl("vcon", "export", "--all", "--unredacted", "--db", back, "--out", str(third))
        same = whole == lines(again) == lines(third)
        rows = [
            sorted(sqlite3.connect(db).execute("SELECT call_id, digest FROM raw_calls UNION ALL"
                                               " SELECT call_id, digest FROM raw_transcripts"))
            for db in (cache, back)
        ]  # fmt: skip
        print(f"   back through a store and through a cache: vCons equal {same}, payloads equal {rows[0] == rows[1]}")
        good &= same and rows[0] == rows[1]
    return good


def edit(path: Path, who: str, count: int, uuids: list[str]) -> None:
    """Make *count* random edits; what was added is named after *who*, so that its loss would show."""
    rng = random.Random(who)
    done: Counter[str] = Counter()
    with VconStore.open(path) as store:
        service = VconService(store, who)
        for number in range(count):
            uuid, name = rng.choice(uuids), f"{who}-{number}"
            kind = rng.choice(("party", "dialog", "analysis", "tag", "attachment"))
            if kind == "party":
                index = service.add(uuid, "party", {"name": name}).index or 0
                if rng.random() < 0.3:
                    service.remove(uuid, "party", index)
                    done["removed parties"] += 1
                    continue
            elif kind == "dialog":
                service.add(uuid, "dialog", {"type": "text", "parties": [0], "body": name})
            elif kind == "analysis":
                service.add(uuid, "analysis", {"type": "report", "vendor": who, "dialog": 0, "body": name})
            elif kind == "attachment":
                service.add(uuid, "attachment", {"purpose": "note", "body": name})
            else:
                service.set_tag(uuid, name, number)
            done[kind] += 1
    print(json.dumps(done))


def edits(count: int) -> bool:
    """Let four processes edit a hundred vCons and look at what is there."""
    with tempfile.TemporaryDirectory() as name:
        path = Path(name) / "store.db"
        with VconStore.open(path, create=True) as store:
            dialog = {"type": "text", "start": "2026-01-01T00:00:00Z", "parties": [0]}
            service = VconService(store)
            made = [service.create({"parties": [{"name": "first"}], "dialog": [dialog]}) for _ in range(VCONS)]
        uuids = [change.uuid for change in made]
        started = time.perf_counter()
        writers = [
            subprocess.Popen(
                [sys.executable, __file__, "edit", str(path), f"w{number}", str(count // PROCESSES), *uuids],
                stdout=subprocess.PIPE,
                text=True,
            )
            for number in range(PROCESSES)
        ]
        told: Counter[str] = Counter()
        for writer in writers:
            out, _ = writer.communicate()
            if writer.returncode:
                print("   a writer failed")
                return False
            told.update(json.loads(out))
        seconds = time.perf_counter() - started
        good = True
        found: Counter[str] = Counter()
        with VconStore.open(path) as store:
            for uuid in uuids:
                vcon = store.get(uuid) or {}
                found["party"] += sum(bool(party) for party in vcon["parties"]) - 1
                found["removed parties"] += sum(not party for party in vcon["parties"])
                found["dialog"] += len(vcon["dialog"]) - 1
                found["analysis"] += len(vcon.get("analysis", ()))
                found["attachment"] += sum(item["purpose"] == "note" for item in vcon.get("attachments", ()))
                found["tag"] += len(tags_of(vcon))
                good &= validate(vcon, "core-02").valid
                rows = store.connection.execute(
                    """SELECT t.unit, t.idx, t.text FROM vcon_texts AS t JOIN vcons AS v ON v.vcon_no = t.vcon_no
                       WHERE v.uuid = ? ORDER BY t.text_no""",
                    (uuid,),
                ).fetchall()
                good &= rows == [(text.unit, text.idx, text.text) for text in project(vcon).texts]
            for index in ("vcons_fts", "vcon_parties_fts", "vcon_texts_fts"):
                store.connection.execute(f"INSERT INTO {index} ({index}, rank) VALUES ('integrity-check', 1)")
        print(f"   {count} edits by {PROCESSES} processes in {seconds:.1f} s; told and found:")
        for key in sorted(told):
            print(f"   {key}: {told[key]} and {found[key]}")
        return good and told == found


def main(arguments: list[str]) -> int:
    """Run what the command line names."""
    what, *rest = arguments
    if what == "edit":
        edit(Path(rest[0]), rest[1], int(rest[2]), rest[3:])
        return 0
    return 0 if (trip(rest[0]) if what == "trip" else edits(int(rest[0]))) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
