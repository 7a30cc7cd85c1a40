"""``gongctl`` run in this process, in an empty folder."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from gongctl import sample
from gongctl.cli.root import run
from tests.gongmcp.approval.later import write_later
from tests.gongmcp.conftest import build_cache

SCHEMAS = Path(__file__).parents[3] / "docs" / "schemas"


def validate(value: object, schema: str) -> None:
    """Check *value* against a published schema."""
    rules = json.loads((SCHEMAS / f"{schema}.json").read_text(encoding="utf-8"))
    jsonschema.Draft202012Validator.check_schema(rules)
    jsonschema.Draft202012Validator(rules).validate(value)


@dataclass(frozen=True)
class Done:
    """How a command ended."""

    code: int
    out: str
    err: str

    def json(self, schema: str) -> Any:
        """Return stdout as one JSON value that the published *schema* allows."""
        value = json.loads(self.out)
        validate(value, schema)
        return value


Gongctl = Callable[..., Done]


@pytest.fixture(scope="session")
def sample_cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The bundled sample, imported and warmed."""
    return build_cache(tmp_path_factory.mktemp("cache") / "sample.db", sample.files())


@pytest.fixture(scope="session")
def later_cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The sample and what arrived after an approval."""
    folder = tmp_path_factory.mktemp("later")
    return build_cache(folder / "later.db", [*sample.files(), write_later(folder / "gong")])


@pytest.fixture
def gongctl(
    capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path, sample_cache: Path
) -> Gongctl:
    """Run one command line over the sample, without settings in the environment."""
    for name in [name for name in os.environ if name.startswith(("GONGMCP_", "GONGCTL_"))]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("GONGCTL_DB", str(sample_cache))
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1780000000")
    monkeypatch.chdir(tmp_path)

    def call(*arguments: object) -> Done:
        code = run([str(argument) for argument in arguments])
        captured = capfd.readouterr()
        return Done(code, captured.out, captured.err)

    return call
