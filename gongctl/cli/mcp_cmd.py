"""``gongctl mcp``: list the agents' tools, read their schemas, dry-run their calls.

Everything is asked of the handler that the server uses, under the same policy flags; nothing is
decided here, and nothing but the lock of ``approve`` is written.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, NoReturn

import typer

from gongctl.cli.completion import preset_names, tool_names
from gongctl.cli.lazy import Deferred, LazyGroup, LightCommand
from gongctl.cli.output import DEBUG_HINT, emit_json, emit_text, fail, json_text, note, write_bytes
from gongctl.cli.policy_options import EPILOG, asks_for_names, open_handler, resolve, takes_policy
from gongctl.cli.restricted import not_sensitive, sensitive
from gongmcp.errors import ERRORS, Exit, UnknownTool
from gongmcp.refusals import refused

if TYPE_CHECKING:
    from gongctl.cli.call_arguments import BatchLine
    from gongmcp.handler import Outcome, ToolHandler
    from gongmcp.preview.model import Preview


class McpGroup(LazyGroup):
    """The commands of ``gongctl mcp``; those of the approval lock, which write or take long, are loaded when run."""

    deferred: ClassVar[Mapping[str, Deferred]] = {
        "approve": Deferred("gongctl.cli.approve_cmd:app", "Write the lock of what an agent may be offered."),
        "drift": Deferred("gongctl.cli.drift_cmd:app", "List what differs from the lock; 5 when anything does."),
        "replay": Deferred("gongctl.cli.replay_cmd:app", "Run recorded requests again under another policy."),
        "install": Deferred("gongctl.cli.client_cmd:install_app", "Put the server into an MCP client's configuration."),
        "uninstall": Deferred("gongctl.cli.client_cmd:uninstall_app", "Give a client's configuration back as it was."),
    }


app = typer.Typer(
    cls=McpGroup,
    help="List the agents' tools, read their schemas, dry-run their calls.",
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    add_completion=False,
)

Text = Annotated[bool, typer.Option("--text", help="Print for people instead of JSON.")]
Json = Annotated[bool, typer.Option("--json", help="Print JSON (the default).")]


@app.command("tools", cls=LightCommand, epilog=EPILOG)
@not_sensitive
@takes_policy
def tools(
    flags: Mapping[str, Any],
    stats: Annotated[bool, typer.Option("--stats", help="Print what the list costs a model, in tokens.")] = False,
    saved: Annotated[
        str | None,
        typer.Option(
            "--diff", metavar="SAVED.json", help="Compare with a list that this command printed; - for stdin."
        ),
    ] = None,
    text: Text = False,
    as_json: Json = False,
) -> None:
    """List the tools that an agent is offered under this policy. Needs no cache.

    With --diff: what was added, removed, loosened and tightened since; ends with 5 if an agent could
    now ask for or receive more.
    """
    people = _for_people(text, as_json)
    if stats and saved is not None:
        fail("--stats and --diff exclude each other.", "", Exit.USAGE)
    infos = _infos(_open(flags), None)
    if saved is not None:
        _print_diff(infos, saved, people=people)
    if stats:
        figures = _stats(infos)
        if not people:
            emit_json(figures)
            return
        from gongctl.cli.tool_text import stats_list

        stats_list(figures)
    elif people:
        from gongctl.cli.tool_text import tool_list

        tool_list(infos)
    else:
        emit_json(infos)


@app.command("tool-info", cls=LightCommand, epilog=EPILOG)
@not_sensitive
@takes_policy
def tool_info(
    flags: Mapping[str, Any],
    names: Annotated[
        list[str] | None, typer.Argument(metavar="NAME", help="Names of tools.", autocompletion=tool_names)
    ] = None,
    every: Annotated[bool, typer.Option("--all", help="All tools that are offered.")] = False,
    text: Text = False,
    as_json: Json = False,
) -> None:
    """Print the contract of tools: schemas, limits, exposure. One NAME prints an object, more an array."""
    people = _for_people(text, as_json)
    if bool(names) == every:
        fail("Give either names of tools or --all.", "gongctl mcp tools --text lists them.", Exit.USAGE)
    infos = _infos(_open(flags), None if every else names)
    if not people:
        emit_json(infos[0] if len(infos) == 1 and not every else infos)
        return
    from gongctl.cli.tool_text import tool_contract

    for number, info in enumerate(infos):
        if number:
            emit_text("")
        tool_contract(info)


@app.command("presets", cls=LightCommand)
@not_sensitive
def presets(text: Text = False, as_json: Json = False) -> None:
    """List the tool presets and the tools of each. Needs no cache."""
    people = _for_people(text, as_json)
    from gongmcp.catalog.presets import PRESETS

    found = [preset.describe() for preset in PRESETS]
    if not people:
        emit_json(found)
        return
    from gongctl.cli.tool_text import preset_list

    preset_list(found)


@app.command("call", cls=LightCommand, epilog=EPILOG)
@sensitive(
    "ids, titles and names",
    case="under provenance raw, with an include_ argument, or with arguments from elsewhere",
    when=asks_for_names,
)
@takes_policy
def call(
    flags: Mapping[str, Any],
    name: Annotated[
        str | None, typer.Argument(metavar="NAME", help="The tool to call.", autocompletion=tool_names)
    ] = None,
    args: Annotated[str | None, typer.Option("--args", metavar="JSON", help="Arguments: JSON, @file, or -.")] = None,
    settings: Annotated[
        list[str] | None, typer.Option("--set", metavar="KEY=VALUE", help="One argument; may be repeated.")
    ] = None,
    batch: Annotated[
        str | None,
        typer.Option("--batch", metavar="FILE", help="""Calls, one {"name", "arguments"} a line; or - for stdin."""),
    ] = None,
    explain: Annotated[bool, typer.Option("--explain", help="Say what was withheld, why, and the size.")] = False,
    raw: Annotated[bool, typer.Option("--raw", help="Print the bytes of the MCP result and nothing else.")] = False,
    text: Text = False,
    as_json: Json = False,
    db: Annotated[
        str | None, typer.Option("--db", envvar="GONGCTL_DB", metavar="PATH", help="The cache to read.")
    ] = None,
) -> None:
    """Dry-run a call: what an agent would receive, by the same handler. Nothing is written.

    Ends with the exit code of the error, if the tool reports one: 2 invalid arguments, 3 refused by
    policy, 4 cache missing or stale, else 1.
    """
    from gongctl.cli.call_arguments import apply_settings, read_arguments

    people = _for_people(text, as_json)
    if raw and (explain or text or as_json):
        fail("--raw prints bytes; it excludes --explain, --text and --json.", "", Exit.USAGE)
    if batch is not None:
        if name is not None or args is not None or settings or text:
            fail("--batch excludes NAME, --args, --set and --text.", "Each line names its own tool.", Exit.USAGE)
        _run_batch(_open(flags, _need(db)), batch, explain=explain, raw=raw)
    if name is None:
        fail("Name the tool to call.", "gongctl mcp tools --text lists them.", Exit.USAGE)
    arguments = read_arguments(args)
    handler = _open(flags, _need(db))
    try:
        schema = handler.tool(name).wire()["inputSchema"]
    except UnknownTool:
        _refuse_unknown(handler, [name])
    given = apply_settings(arguments, settings or (), schema)
    made = _previewed(handler, name, given, flags) if explain and people else None
    outcome = made.outcome if made is not None else handler.call(name, given)
    outside = ""
    if explain:
        from gongctl.cli.governance_taken import add_governance

        outside = add_governance(_need(db), resolve(flags), name, given, outcome)
    if raw:
        _print_raw(outcome)
    elif made is not None:
        from gongctl.cli.explain import preview_text

        preview_text(made, outside)
    elif people:
        emit_text(outcome.answer.text, allowed="\n\t")
    else:
        emit_json(_plain(outcome, explain=explain))
    _name_error(outcome, shown=people)
    raise SystemExit(_exit_code(outcome))


@app.command("diff", cls=LightCommand, epilog=EPILOG)
@sensitive(
    "ids, titles and names",
    case="under provenance raw, with an include_ argument, or with arguments from elsewhere",
    when=asks_for_names,
)
@takes_policy
def diff(
    flags: Mapping[str, Any],
    presets: Annotated[
        list[str] | None,
        typer.Option("--preset", metavar="NAME", help="Give it twice.", autocompletion=preset_names),
    ] = None,
    name: Annotated[
        str | None,
        typer.Option("--call", metavar="NAME", help="Also compare a call of this tool.", autocompletion=tool_names),
    ] = None,
    args: Annotated[
        str | None, typer.Option("--args", metavar="JSON", help="Its arguments: JSON, @file, or -.")
    ] = None,
    text: Text = False,
    as_json: Json = False,
    db: Annotated[
        str | None, typer.Option("--db", envvar="GONGCTL_DB", metavar="PATH", help="The cache to read.")
    ] = None,
) -> None:
    """Compare two presets: tools, switches and contracts; with --call also what each would see of it."""
    people = _for_people(text, as_json)
    if presets is None or len(presets) != 2:
        fail("Give --preset twice.", "For example: --preset operator-smoke --preset analyst.", Exit.USAGE)
    if {"tool_preset", "tool_allowlist"} & flags.keys():
        fail("--preset chooses the tools here; --tool-preset and --tool-allowlist do not.", "", Exit.USAGE)
    if args is not None and name is None:
        fail("--args needs --call.", "", Exit.USAGE)
    from gongctl.cli.call_arguments import read_arguments
    from gongctl.cli.surface_diff import preset_diff, preset_diff_text

    handler = _open(flags, _need(db) if name is not None else None, chooses=True)
    every = handler.with_policy(preset="all-readonly")
    if name is not None:
        try:
            name = every.tool(name).name
        except UnknownTool:
            _refuse_unknown(every, [name])
    compared = preset_diff(handler, presets[0], presets[1], name, read_arguments(args))
    if people:
        preset_diff_text(compared)
    else:
        emit_json(compared)


def _for_people(text: bool, as_json: bool) -> bool:
    if text and as_json:
        fail("--text and --json exclude each other.", "JSON is the default.", Exit.USAGE)
    return text


def _need(db: str | None) -> Path:
    if not db:
        fail("A dry run needs a cache.", "Give --db PATH or set GONGCTL_DB.", Exit.USAGE)
    return Path(db)


def _open(flags: Mapping[str, Any], db: Path | None = None, *, chooses: bool = False) -> ToolHandler:
    """Return the handler of *flags*, with the server's own refusal where nobody chose the tools.

    *chooses*: the command itself names presets.
    """
    settings = resolve(flags)
    if settings.restricted is not None and settings.policy.tools is None and settings.lock is None and not chooses:
        raise refused("governance_needs_tools")
    return open_handler(settings, db)


def _infos(handler: ToolHandler, names: Sequence[str] | None) -> list[dict[str, Any]]:
    """Return what there is to say of the named tools, of all when *names* is None; all or nothing."""
    if names is None:
        return [tool.info() for tool in handler.listed()]
    found, unknown = [], []
    for name in names:
        try:
            found.append(handler.tool(name).info())  # one schema is made, not those of the whole catalogue
        except UnknownTool:
            unknown.append(name)
    if unknown:
        _refuse_unknown(handler, unknown)
    return found


def _refuse_unknown(handler: ToolHandler, names: Sequence[str]) -> NoReturn:
    """Name each tool that is not offered with the nearest ones; a name that policy hides reads the same."""
    from difflib import get_close_matches

    offered = [tool.name for tool in handler.tools()]
    for name in names:
        near = get_close_matches(name, offered, n=3) or [tool for tool in offered if name and name in tool]
        advice = f" Did you mean {' or '.join(near[:3])}?" if near else ""
        note(f"gongctl: No tool of the name {name!r} is offered under this policy.{advice}")
    note("Hint: gongctl mcp tools --text lists the tools that are.")
    raise SystemExit(int(Exit.USAGE))


def _print_diff(infos: Sequence[Mapping[str, Any]], saved: str, *, people: bool) -> NoReturn:
    """Print what differs from the saved list; ends with 5 when the present one is looser."""
    from gongctl.cli.surface_diff import read_saved, surface_diff_text
    from gongmcp.compare.surface import compare_surfaces

    compared = compare_surfaces(read_saved(saved), infos)
    if people:
        surface_diff_text(compared)
    else:
        emit_json(compared.as_dict())
    raise SystemExit(int(Exit.DRIFT if compared.looser else Exit.OK))


def _stats(infos: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Return the cost of the tool list to a model: what is in its context before the first call."""
    from gongmcp.render.size import ESTIMATOR, estimate_tokens

    counted = ("name", "description", "inputSchema")
    listed = []
    for info in infos:
        form = json_text({key: info[key] for key in counted}, compact=True)
        listed.append(
            {"name": info["name"], "tokens_estimate": estimate_tokens(form), "bytes": len(form.encode("utf-8"))}
        )
    return {
        "estimator": ESTIMATOR,
        "counted_on": " + ".join(counted),
        "tools": listed,
        "total": {
            "tools": len(listed),
            "tokens_estimate": sum(tool["tokens_estimate"] for tool in listed),
            "bytes": sum(tool["bytes"] for tool in listed),
        },
    }


def _plain(outcome: Outcome, *, explain: bool) -> dict[str, Any]:
    if explain:
        from gongctl.cli.explain import explain_object

        return explain_object(outcome)
    answer = outcome.answer
    return answer.structured if answer.structured is not None else {"error": answer.error}


def _previewed(handler: ToolHandler, name: str, given: Mapping[str, Any], flags: Mapping[str, Any]) -> Preview:
    from gongmcp.preview.make import preview

    return preview(handler, name, given, resolve(flags))


def _print_raw(outcome: Outcome) -> None:
    from gongmcp.render.wire import result_bytes

    write_bytes(result_bytes(outcome.answer))


def _name_error(outcome: Outcome, *, shown: bool) -> None:
    """Repeat a tool error on stderr, where the reader of a pipeline sees it, unless it is *shown* as text."""
    error = outcome.answer.error
    if error is not None and not shown:
        note(f"gongctl: {error['code']}: {error['message']}")
    if error is not None and error["code"] == "internal_error":
        note(f"Hint: {DEBUG_HINT}")


def _exit_code(outcome: Outcome) -> int:
    error = outcome.answer.error
    if error is not None:
        return int(ERRORS[error["code"]].exit)
    return int(Exit.FAILED if outcome.answer.is_error else Exit.OK)


def _run_batch(handler: ToolHandler, source: str, *, explain: bool, raw: bool) -> NoReturn:
    """Print for each line what the single call would print, on one line, in order.

    Ends with 0, with the code that all failing lines share, or with 1 when they differ.
    """
    from gongctl.cli.call_arguments import read_batch

    codes = set()
    for line in read_batch(source):
        codes.add(_run_line(handler, line, explain=explain, raw=raw))
    codes.discard(0)
    raise SystemExit(codes.pop() if len(codes) == 1 else int(Exit.FAILED) if codes else int(Exit.OK))


def _run_line(handler: ToolHandler, line: BatchLine, *, explain: bool, raw: bool) -> int:
    fault = line.fault
    if not fault:
        try:
            outcome = handler.call(line.name, line.arguments)
        except UnknownTool:
            fault = "names a tool that is not offered under this policy"
    if fault:
        message = f"Line {line.number} {fault}."
        note(f"gongctl: {message}")
        emit_json({"error": {"code": "invalid_argument", "message": message}}, compact=True)
        return int(Exit.USAGE)
    if raw:
        _print_raw(outcome)
        write_bytes(b"\n")
    else:
        emit_json(_plain(outcome, explain=explain), compact=True)
    return _exit_code(outcome)
