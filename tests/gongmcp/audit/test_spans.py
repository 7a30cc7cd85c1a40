"""Spans: how a request went and nothing of what was said, to a file and nowhere else."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from gongmcp.audit.opening import open_observer
from gongmcp.errors import UnknownTool
from gongmcp.handler import ToolHandler
from gongmcp.settings import AuditSettings
from tests.gongmcp.audit.asking import ask, lines, observed
from tests.gongmcp.stdio_process import environment

WAYS_OUT = ("opentelemetry.exporter", "opentelemetry.sdk._configuration", "requests", "urllib3", "grpc", "httpx")


def test_a_span_says_how_it_went_and_no_value(handler: ToolHandler, tmp_path: Path) -> None:
    path = tmp_path / "spans.jsonl"
    observer = open_observer(AuditSettings(otel_file=path))
    assert observer is not None
    with observed(handler, observer) as door:
        answer = ask(door, "search_transcript_segments", query="revenue", limit=2)
        ask(door, "search_calls", revenue=1)
        with pytest.raises(UnknownTool):
            ask(door, "revenue_tool")
    first, second, third = lines(path)
    outcome = handler.call("search_transcript_segments", {"query": "revenue", "limit": 2})
    assert first["name"] == "tools/call search_transcript_segments"
    assert first["attributes"] == {
        "mcp.method.name": "tools/call",
        "gongmcp.tool": "search_transcript_segments",
        "gongmcp.outcome": "ok",
        "gongmcp.rows": 2,
        "gongmcp.bytes": outcome.bytes,
        "gongmcp.policy": handler.policy.digest(),
        "gongmcp.cancelled": False,
        "mcp.protocol.version": "2025-11-25",
        "network.transport": "tcp",
    }
    assert first["start_time"] < first["end_time"]
    assert [span["status"]["status_code"] for span in (first, second, third)] == ["UNSET", "ERROR", "ERROR"]
    assert third["name"] == "tools/call"
    assert "revenue" in answer.text
    assert "revenue" not in path.read_text()
    assert path.stat().st_mode & 0o777 == 0o600


def test_no_exporter_is_loaded_whatever_the_environment_asks_for(sample_cache: Path, tmp_path: Path) -> None:
    """The variables that make instrumented programs send spans; a server that obeyed them would try to connect."""
    asked = {
        "OTEL_TRACES_EXPORTER": "otlp",
        "OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1:9",
        "OTEL_PYTHON_TRACER_PROVIDER": "sdk_tracer_provider",
        "OTEL_PYTHON_METER_PROVIDER": "sdk_meter_provider",
        "OTEL_TRACES_SAMPLER": "always_off",
        "OTEL_EXPERIMENTAL_RESOURCE_DETECTORS": "process,host,os",
        "OTEL_RESOURCE_ATTRIBUTES": "secret=CANARY",
        "OTEL_SPAN_ATTRIBUTE_COUNT_LIMIT": "1",
    }
    script = f"""
import sys
connected = []
sys.addaudithook(lambda event, args: connected.append(args[1:]) if event == "socket.connect" else None)
from pathlib import Path
from gongmcp.audit.opening import open_observer
from gongmcp.handler import build_handler
from gongmcp.settings import AuditSettings, ServerSettings
from tests.gongmcp.audit.asking import ask, observed
observer = open_observer(AuditSettings(otel_file=Path("spans.jsonl")))
with observed(build_handler(ServerSettings.resolve({{}}, {{}}), Path({str(sample_cache)!r})), observer) as door:
    ask(door, "get_sync_status")
print([name for name in sys.modules if name.startswith({WAYS_OUT!r})], connected)
"""
    done = subprocess.run(
        [sys.executable, "-c", script],
        env=environment(asked),
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout.strip()) == (0, "[] []"), done.stderr
    (span,) = lines(tmp_path / "spans.jsonl")
    assert span["attributes"]["gongmcp.tool"] == "get_sync_status"
    assert "CANARY" not in json.dumps(span)


def test_a_server_without_spans_does_not_load_the_sdk(sample_cache: Path) -> None:
    script = """
import sys
from pathlib import Path
from gongmcp.settings import AuditSettings
from gongmcp.audit.opening import open_observer
import gongmcp.protocol.server
open_observer(AuditSettings(file=Path("a.jsonl")))
print([name for name in sys.modules if name.startswith(("opentelemetry.sdk", "gongmcp.audit.s"))])
"""
    done = subprocess.run(
        [sys.executable, "-c", script],
        env=environment(),
        cwd=sample_cache.parent,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout.strip()) == (0, "[]"), done.stderr
