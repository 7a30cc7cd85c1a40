"""Several processes edit the same vCons: nothing is lost, and what is read of a vCon is what is in it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from gongctl.vcon.project import project
from gongctl.vcon.service import VconService
from gongctl.vcon.store import VconStore
from gongctl.vcon.tags import tags_of
from tests.gongctl.vcon.conversations import OTHER, UUID, plain

PROCESSES = 4
EDITS = 25

WRITER = """
import sys
from pathlib import Path
from gongctl.vcon.service import VconService
from gongctl.vcon.store import VconStore
path, name, count = Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])
with VconStore.open(path) as store:
    service = VconService(store)
    for number in range(count):
        uuid = sys.argv[4 + number % 2]
        if number % 3 == 0:
            service.add(uuid, "party", {"name": f"{name}-{number}"})
        elif number % 3 == 1:
            service.set_tag(uuid, f"{name}-{number}", number)
        else:
            service.add(uuid, "analysis", {"type": "report", "vendor": name, "body": f"{name}-{number}"})
"""


def test_four_processes_lose_nothing(tmp_path: Path) -> None:
    path = tmp_path / "store.db"
    with VconStore.open(path, create=True) as store:
        for uuid in (UUID, OTHER):
            VconService(store).create(plain(uuid=uuid))
    writers = [
        subprocess.Popen([sys.executable, "-c", WRITER, str(path), f"w{number}", str(EDITS), UUID, OTHER])
        for number in range(PROCESSES)
    ]
    assert [writer.wait(timeout=120) for writer in writers] == [0] * PROCESSES
    with VconStore.open(path) as store:
        vcons = [store.get(uuid) or {} for uuid in (UUID, OTHER)]
        parties = {party["name"] for vcon in vcons for party in vcon["parties"][2:]}
        tags = {key for vcon in vcons for key in tags_of(vcon)} - {"department", "link"}
        reports = {item["body"] for vcon in vcons for item in vcon["analysis"][2:]}
        for kind, found in enumerate((parties, tags, reports)):
            expected = {f"w{w}-{n}" for w in range(PROCESSES) for n in range(EDITS) if n % 3 == kind}
            assert found == expected
        for vcon in vcons:
            rows = store.connection.execute(
                """SELECT unit, idx, position, text FROM vcon_texts AS t JOIN vcons AS v ON v.vcon_no = t.vcon_no
                   WHERE v.uuid = ? ORDER BY text_no""",
                (vcon["uuid"],),
            ).fetchall()
            assert rows == [(t.unit, t.idx, t.position, t.text) for t in project(vcon).texts]
        for index in ("vcons_fts", "vcon_parties_fts", "vcon_texts_fts"):
            store.connection.execute(f"INSERT INTO {index} ({index}, rank) VALUES ('integrity-check', 1)")
