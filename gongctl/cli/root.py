"""The root of the ``gongctl`` command: its groups, and how any command ends."""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, ClassVar

import typer

from gongctl.cli.lazy import Deferred, LazyGroup
from gongctl.cli.output import DEBUG_HINT, abandon_stdout, debugging, fail, note, quiet_broken_pipe
from gongctl.cli.restricted import ALLOW_ENV, ALLOW_FLAG, RESTRICTED_ENV, enter_mode
from gongmcp.errors import Exit, StartupRefusal, ToolFault


class RootGroup(LazyGroup):
    """The groups of ``gongctl``; each module is loaded when one of its commands is run."""

    deferred: ClassVar[Mapping[str, Deferred]] = {
        "import": Deferred("gongctl.cli.import_cmd:app", "Read files of calls and transcripts into a cache."),
        "cache": Deferred("gongctl.cli.cache_cmd:app", "Create, warm and inspect a cache."),
        "governance": Deferred("gongctl.cli.governance_cmd:app", "Keep restricted customers' calls from agents."),
        "redteam": Deferred("gongctl.cli.redteam_cmd:app", "Play an adversary against the server."),
        "profile": Deferred("gongctl.cli.profile_cmd:app", "Map the CRM onto lifecycle buckets and concepts."),
        "mcp": Deferred("gongctl.cli.mcp_cmd:app", "List the agents' tools, read their schemas, dry-run their calls."),
        "audit": Deferred("gongctl.cli.audit_cmd:app", "Read a server's audit log: what left, and to whom."),
        "analyze": Deferred("gongctl.cli.analyze_cmd:app", "Figures of calls and themes, as agents are told them."),
        "search": Deferred("gongctl.cli.search_cmd:app", "Search what was said, and calls, as agents are told it."),
        "evidence": Deferred("gongctl.cli.evidence_cmd:app", "Hold what was written against what was said."),
        "review": Deferred("gongctl.cli.review_cmd:app", "Review the tools of a preset and approve them."),
        "policy": Deferred("gongctl.cli.policy_cmd:app", "Hold a policy to committed cases."),
        "token": Deferred("gongctl.cli.token_cmd:app", "Access tokens for agents that come over HTTP."),
        "vcon": Deferred("gongctl.cli.vcon_cmd:app", "vCons, the IETF's open format: in, out, checked, edited."),
        "sync": Deferred("gongctl.cli.sync_cmd:app", "Fill a cache from Gong's API."),
        "auth": Deferred("gongctl.cli.auth_cmd:app", "Keys and credentials of other services."),
        "doctor": Deferred("gongctl.cli.doctor_cmd:app", "Look over this installation and say what to do."),
        "support": Deferred("gongctl.cli.support_cmd:app", "What may be sent to somebody who helps."),
        "config": Deferred("gongctl.cli.config_cmd:app", "Show the settings that apply and where each came from."),
        "keys": Deferred("gongctl.cli.keys_cmd:app", "List the keys of the screens."),
        "tui": Deferred("gongctl.cli.tui_cmd:app", "Preview what an agent receives, and what is withheld."),
        "demo": Deferred("gongctl.cli.demo_cmd:app", "Show the product at work on a bundled sample of real calls."),
    }


app = typer.Typer(
    name="gongctl",
    cls=RootGroup,
    help="Keep a local cache of Gong calls, and see what AI agents may see of it.",
    no_args_is_help=True,
    rich_markup_mode=None,  # plain help: half the time of a Rich page, and nothing is read as markup
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _version(wanted: bool) -> None:
    if wanted:
        from gongmcp import __version__

        sys.stdout.write(f"gongctl {__version__}\n")
        raise typer.Exit


@app.callback()
def root(
    version: Annotated[
        bool, typer.Option("--version", help="Print the version and exit.", callback=_version, is_eager=True)
    ] = False,
    restricted: Annotated[
        bool, typer.Option("--restricted", envvar=RESTRICTED_ENV, help="Block what shows or writes data as it is.")
    ] = False,
    allow_sensitive_export: Annotated[
        bool, typer.Option(ALLOW_FLAG, envvar=ALLOW_ENV, help="Let it run in restricted mode all the same.")
    ] = False,
) -> None:
    """Keep a local cache of Gong calls, and see what AI agents may see of it."""
    enter_mode(restricted=bool(restricted), allowed=bool(allow_sensitive_export))


def _unexpected(error: Exception) -> int:
    """Say in one sentence that *error* happened, without its message, which may hold data."""
    import hashlib
    import traceback

    frames = traceback.extract_tb(error.__traceback__)
    here = [frame for frame in frames if "gongctl" in frame.filename or "gongmcp" in frame.filename] or frames
    place = f"{Path(here[-1].filename).name}:{here[-1].lineno}"
    # The same fault at the same place has the same reference, so that reports of it can be matched.
    trail = "|".join([type(error).__name__, *(f"{Path(f.filename).name}:{f.lineno}" for f in frames)])
    reference = hashlib.sha256(trail.encode("utf-8", "replace")).hexdigest()[:8]
    what = "Something unexpected happened"
    if isinstance(error, OSError) and error.strerror:
        what = f"The operating system refused: {error.strerror}"  # a full disk, say; no name of a file
    note(f"gongctl: {what} ({type(error).__name__} at {place}); reference {reference}.")
    note(f"Hint: {DEBUG_HINT}")
    return int(Exit.FAILED)


def _run(arguments: Sequence[str] | None) -> int:
    try:
        code: Any = app(
            args=list(arguments) if arguments is not None else None, prog_name="gongctl", standalone_mode=False
        )
    except StartupRefusal as refusal:
        fail(refusal)
    except ToolFault as fault:
        fail(fault)
    except typer.Abort:
        note("Aborted.")
        return int(Exit.INTERRUPTED)
    except typer.TyperException as error:  # wrong usage
        page = io.StringIO()
        show = getattr(error, "show", None)
        if show is None:
            page.write(f"Error: {error.format_message()}\n")
        else:
            show(file=page)
        note(page.getvalue().rstrip("\n"))
        return error.exit_code
    return code if isinstance(code, int) else int(Exit.OK)


def run(arguments: Sequence[str] | None = None) -> int:
    """Run one command line (``sys.argv`` when *arguments* is None) and return its exit code.

    Nothing but an answer goes to stdout. An unexpected exception becomes one sentence and exit code
    1; ``GONGCTL_DEBUG=1`` lets its traceback through.
    """
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:  # closed by whoever started this process
            setattr(sys, name, Path(os.devnull).open(mode, encoding="utf-8"))  # noqa: SIM115 - open to the end
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")  # a glyph that the locale lacks is no reason to fail
    stdout = sys.stdout
    try:
        try:
            code = _run(arguments)
        except SystemExit as ended:
            code = ended.code if isinstance(ended.code, int) else int(Exit.FAILED if ended.code else Exit.OK)
        if sys.stdout is not stdout:  # how Typer itself marks a broken pipe, met while it printed help
            sys.stdout = stdout
            quiet_broken_pipe()
        stdout.flush()
    except BrokenPipeError:
        quiet_broken_pipe()
    except Exception as error:
        if debugging():
            raise
        code = _unexpected(error)
        if isinstance(error, OSError) and sys.stdout is sys.__stdout__:
            abandon_stdout()
    return code
