"""Why the server does not start: the closed list of refusals, each one sentence, a hint and an exit code.

A cache file that cannot be served ends with ``Exit.CACHE``, one that would not be served as the lock
approves with ``Exit.DRIFT``, everything else with ``Exit.USAGE``. The texts never hold a folder: a
client may show what the server it started wrote. Where a refusal is decided, the code raises
``refused(name)``; what it says is here alone.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from gongmcp.errors import Exit, StartupRefusal


@dataclass(frozen=True, slots=True)
class Refusal:
    """One row of the closed list; braces in the texts are filled in by ``refused``."""

    message: str
    hint: str = ""
    exit: Exit = Exit.USAGE


_OTHER_FILE: Final = "Give the path of a cache made by gongctl, or make one: gongctl import gong PATH --db DB."
_WRITE_LOCK: Final = "Write one: gongctl mcp approve --preset NAME --db DB."
_REVIEW_DRIFT: Final = "List it with gongctl mcp drift, then restore what was approved, or approve anew."
_RESTORE: Final = "Restore a backup, or import again into a new file."

REFUSALS: Final[dict[str, Refusal]] = {
    # The command line
    "usage": Refusal("{problem}", "See gongmcp --help."),
    "no_cache_given": Refusal("No cache is given.", "Start with: gongmcp --db PATH."),
    # The choice of tools
    "preset_unknown": Refusal("There is no tool preset of that name.", "{nearest}Presets: {names}."),
    "allowlist_empty": Refusal("The tool allowlist names no tool.", "Tools: {names}."),
    "allowlist_unknown": Refusal("The tool allowlist names a tool that does not exist.", "{nearest}Tools: {names}."),
    "two_tool_choices": Refusal(
        "Both a tool preset and a tool allowlist are given.",
        "Give one: --tool-preset NAME or --tool-allowlist NAME,NAME.",
    ),
    # Other settings
    "provenance_unknown": Refusal("{setting} is not a provenance mode.", "Modes: redacted, alias, raw."),
    "switch_unknown": Refusal("A policy switch of that name does not exist.", "{nearest}Switches: {names}."),
    "not_a_count": Refusal("{setting} must be a whole number of at least 1."),
    "not_a_truth": Refusal("{setting} must be yes or no."),
    "evidence_percent": Refusal("{setting} must be from 1 to 100."),
    "restricted_list": Refusal("{place}: {problem}.", "{hint}"),
    "topic_packs": Refusal("{place}: {problem}.", "See docs/analysis.md for the form of a file of topic packs."),
    "governance_needs_tools": Refusal(
        "With a restricted list the tools must be chosen.",
        "Give --tool-preset NAME or --tool-allowlist NAME,NAME: with a list nothing is offered by default.",
    ),
    "response_bytes": Refusal("{setting} must be from {low} to {high} bytes."),
    "tool_timeout": Refusal("{setting} must be a number of seconds above 0, at most {high}."),
    "environment_unknown": Refusal("{variable} is set and is no setting.", "{nearest}gongctl config show lists them."),
    # The approval lock
    "lock_mode": Refusal("{setting} must be {modes}."),
    "lock_mode_alone": Refusal("{setting} is given without a lock.", "Give the lock as well: --lock FILE."),
    "lock_unreadable": Refusal("{file}: the lock cannot be read: {reason}.", _WRITE_LOCK),
    "lock_invalid": Refusal("{file}: this is no lock: {reason}.", _WRITE_LOCK),
    "lock_version": Refusal("{file}: the lock has version {found}; this program knows {known}.", _WRITE_LOCK),
    "lock_policy": Refusal(
        "{file}: what would be served is not what was approved: {changes}.", _REVIEW_DRIFT, Exit.DRIFT
    ),
    "lock_nothing_left": Refusal(
        "{file}: no tool is left that is approved, chosen and unchanged: {changes}.", _REVIEW_DRIFT, Exit.DRIFT
    ),
    # The audit log
    "audit_alone": Refusal("{setting} is given without an audit log.", "Give the log as well: --audit FILE."),
    "audit_bytes": Refusal("{setting} must be at least {low} bytes."),
    "audit_unwritable": Refusal(
        "{file}: the audit log cannot be written: {reason}.",
        "Mend it or name another file: nothing leaves that the log does not tell of.",
    ),
    "audit_key": Refusal(
        "{file}: this is no key for the arguments of the audit log: {reason}.", "Make one: gongctl audit key FILE."
    ),
    "otel_missing": Refusal(
        "--otel-file needs the OpenTelemetry SDK, which is not installed.", "Run: pip install 'gongctl[otel]'."
    ),
    "otel_unwritable": Refusal("{file}: spans cannot be written: {reason}.", "Name another file."),
    # HTTP
    "http_alone": Refusal("{setting} is given without an address to listen on.", "Give one: --http HOST:PORT."),
    "http_address": Refusal("{setting} must be HOST:PORT.", "For this machine alone: --http 127.0.0.1:8080."),
    "http_open_network": Refusal(
        "{address} is reached by other machines.",
        "Listen on 127.0.0.1, or say that it is meant: --allow-open-network with --allowed-origins, behind TLS.",
    ),
    "http_needs_origins": Refusal(
        "{address} is reached by other machines, and no origin is allowed.",
        "Give the origins whose pages may ask, or that of the server itself: --allowed-origins https://HOST.",
    ),
    "http_needs_auth": Refusal(
        "Over HTTP a client needs a token, and none is set up.",
        "Give --bearer-token-file, --access-tokens or --oidc-issuer; for development on this machine alone: "
        "--dev-allow-no-auth-localhost.",
    ),
    "http_no_auth_loopback": Refusal(
        "Without tokens the server listens on this machine alone, and {address} is reached by others.",
        "Listen on 127.0.0.1, or set up tokens.",
    ),
    "http_needs_tools": Refusal(
        "Over HTTP the tools must be chosen.", "Give --tool-preset NAME, --tool-allowlist NAME,NAME or --lock FILE."
    ),
    "http_origin": Refusal("{setting} must name origins: scheme://host or scheme://host:port, no path, no wildcard."),
    "http_host": Refusal("{setting} must name hosts: host or host:port, no wildcard."),
    "http_proxies": Refusal("{setting} must name addresses or networks, such as 10.0.0.0/8."),
    "http_workers": Refusal("{setting} must be at most {high}."),
    "http_no_address": Refusal(
        "{place}: server.transport is http, and no address is given.", "Give one: --http HOST:PORT, or http.listen."
    ),
    "http_cannot_listen": Refusal("The server cannot listen on {address}: {reason}."),
    "workers_need_state": Refusal(
        "{setting} is given without a state file.", "Workers share what clients have seen: give --state FILE."
    ),
    "state_file": Refusal("{file}: the state file cannot be used: {reason}.", "Mend it or name another file."),
    "file_name_blank": Refusal("{setting} names no file."),
    "token_file": Refusal(
        "{file}: no client can be let in by it: {reason}.",
        "A good token: head -c 32 /dev/urandom | base64. Minted ones: gongctl token mint.",
    ),
    "token_env": Refusal("{variable}: no client can be let in by it: {reason}."),
    "two_tokens": Refusal("{setting} and {variable} both give a token.", "Give one."),
    "token_previous_alone": Refusal("{setting} is given without a current token.", "Give --bearer-token-file as well."),
    "oidc_incomplete": Refusal(
        "An OpenID issuer needs three settings.", "Give --oidc-issuer, --oidc-audience and --oidc-jwks."
    ),
    "oidc_algorithms": Refusal("{setting} names a signature that is not accepted.", "Signatures: {names}."),
    # The settings file
    "file_unreadable": Refusal("{file}: the settings file cannot be read: {reason}."),
    "file_not_toml": Refusal("{place}: this is no TOML: {reason}.", "gongctl config schema prints what it may hold."),
    "file_unknown_key": Refusal("{place}: {key} is no setting.", "{nearest}{names}"),
    "scope_of_token": Refusal(
        "What a token says of its scope holds nothing, or what is not known.", "It may say: {keys}."
    ),
    "file_wrong_type": Refusal("{place}: {key} must be {kind}."),
    "file_names_the_cache": Refusal(
        "{place}: {key} would name the cache, and the cache is never named in the settings file.",
        "Give it to the command: --db PATH.",
    ),
    "file_later": Refusal(
        "{place}: {key} is known, but arrives with a later release.", "Remove it: it is never ignored."
    ),
    "file_transport": Refusal("{place}: server.transport is no transport.", "Transports: stdio, http."),
    "file_reveal": Refusal("{place}: review.reveal is not one of its values.", "Give {values}."),
    # The cache file
    "cache_missing": Refusal("The cache file does not exist.", _OTHER_FILE, Exit.CACHE),
    "cache_no_file": Refusal("The cache path is not a file.", _OTHER_FILE, Exit.CACHE),
    "cache_unreadable": Refusal("The cache file cannot be read: {reason}.", "Check its permissions.", Exit.CACHE),
    "cache_empty": Refusal("The cache file is empty.", _OTHER_FILE, Exit.CACHE),
    "cache_no_database": Refusal("The cache file is not an SQLite database.", _OTHER_FILE, Exit.CACHE),
    "cache_foreign": Refusal("The file is an SQLite database of another application.", _OTHER_FILE, Exit.CACHE),
    "cache_is_vcon_store": Refusal(
        "The file is a vCon store, and no cache.",
        "Serve it with: gongctl vcon serve --db FILE. To read its vCons like calls: gongctl import auto FILE --db DB.",
        Exit.CACHE,
    ),
    "cache_log_left": Refusal(
        "The cache cannot be opened: a writer left its log (-wal) beside it and this folder is read-only.",
        "Run gongctl cache status --db DB once where the folder is writable, then copy the file.",
        Exit.CACHE,
    ),
    "cache_damaged": Refusal("The cache file is damaged.", _RESTORE, Exit.CACHE),
    "cache_truncated": Refusal("The cache file is truncated.", _RESTORE, Exit.CACHE),
    "cache_incomplete": Refusal(
        "The cache file is damaged: a table or column is missing.", "Import again into a new file.", Exit.CACHE
    ),
    "cache_newer": Refusal(
        "The cache has schema version {found}; this program knows {known}.", "Upgrade gongctl.", Exit.CACHE
    ),
    "cache_older": Refusal(
        "The cache has schema version {found}; this program needs {known}.",
        "Run: gongctl cache init --db DB.",
        Exit.CACHE,
    ),
    "cache_governed": Refusal(
        "The cache was last warmed with a restricted list, and this server has none.",
        "Give the list: --ai-governance-config FILE. To serve without one, warm the cache with "
        "--no-governance-exclusions.",
        Exit.CACHE,
    ),
    "cache_not_warmed": Refusal(
        "The cache holds no serving read model for the active policy.",
        "Run: gongctl cache warm --db DB (with the same --config and --ai-governance-config, if they are used).",
        Exit.CACHE,
    ),
}
"""Every refusal to start, by name."""


def refused(name: str, /, **details: object) -> StartupRefusal:
    """Return the refusal called *name*, its texts filled in with *details*, to be raised."""
    row = REFUSALS[name]
    return StartupRefusal(row.message.format(**details), row.hint.format(**details), row.exit, name)


def located(refusal: StartupRefusal, place: str) -> StartupRefusal:
    """Return *refusal* with the place in a file (``FILE:LINE``) before its sentence."""
    return StartupRefusal(f"{place}: {refusal.message}", refusal.hint, refusal.exit_code, refusal.name)
