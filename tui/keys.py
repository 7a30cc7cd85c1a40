"""Every key of the TUI, once: id, keys, action, words. Screens and widgets take their bindings from here.

No binding needs ctrl and a letter (terminals and multiplexers take those), single letters are inert
while a text field has the focus, and each id can be given other keys (``App.set_keymap``).
"""

from __future__ import annotations

from textual.binding import Binding


def _key(id: str, keys: str, action: str, short: str, words: str, *, show: bool = False) -> Binding:  # noqa: A002
    return Binding(keys, action, short, show=show, id=id, tooltip=words)


APP = [
    _key("theme", "T", "toggle_theme", "Theme", "Dark, light or high contrast"),
]

# The numbered screens (``tui.screens.numbered``): live where a review is possible, on every screen but dialogs.
SCREENS = [
    _key("screen_review", "1", "app.show_screen('1')", "Review", "Review: the queue, what the agent sees, approval"),
    _key("screen_compare", "2", "app.show_screen('2')", "Compare", "Compare: the call in hand under several policies"),
    _key("screen_policy", "3", "app.show_screen('3')", "Policy", "Policy: tools, their columns, and why each leaves"),
    _key("screen_cache", "4", "app.show_screen('4')", "Cache", "Cache: coverage by day, records, freshness, warm"),
    _key("screen_history", "5", "app.show_screen('5')", "History", "History: runs and decisions; run again, pin"),
    _key("screen_cohort", "6", "app.show_screen('6')", "Cohort", "Cohort: a filter with live counts, for Review"),
    _key("screen_vcons", "7", "app.show_screen('7')", "vCons", "vCons: what is served of those of this cache"),
]

# On more than one screen: one id each, so that another key for it holds everywhere.
HELP = _key("help", "question_mark,f1", "app.help", "Help", "The keys that are live here", show=True)
WARM = _key("warm", "w", "warm", "Warm", "Warm the cache")
BACK = _key("back", "escape", "back", "Back", "Cancel what runs, or go one step back")
QUIT = _key("quit", "q", "quit", "Quit", "Quit", show=True)

RUN = _key("run", "r,f5", "run", "Run", "Run the tool (enter does it from a field)", show=True)
VIEW = _key("view", "t", "view", "View", "Next view: text, JSON, wire bytes, definition", show=True)
NEXT_WITHHELD = _key("next_withheld", "n", "withheld(1)", "Withheld", "Go to the next thing withheld", show=True)
PREVIOUS_WITHHELD = _key("previous_withheld", "p,N", "withheld(-1)", "Previous", "Go to the previous thing withheld")
SWAP = _key("swap", "s", "swap", "Swap", "Go to the other pane of the result")
ZOOM = _key("zoom", "z", "zoom", "Zoom", "Give one pane the whole window, or take it back")
COPY = _key("copy", "y", "copy", "Copy", "Copy what this view of the answer holds")
PRESET = _key("preset", "P", "preset", "Preset", "Choose the preset of this preview", show=True)
PROVENANCE = _key("provenance", "v", "provenance", "Provenance", "Choose the provenance of this preview", show=True)
TO_PROFILE = _key("profile", "b", "profile", "Profile", "The business profile: buckets, concepts, findings, compare")
TO_GOVERNANCE = _key(
    "governance", "o", "governance", "Governance", "Governance: scope, restricted list, why a call is out"
)
ARGUMENTS = _key("arguments", "a", "arguments", "Arguments", "Go to the arguments")
JSON = _key("json", "e", "json", "JSON", "Arguments as a form or as JSON")
RESET = _key("reset", "u", "reset", "Clear", "Clear the arguments")
EDITOR = _key("editor", "E", "editor", "Editor", "Edit the arguments as JSON in $EDITOR (in a terminal alone)")

PREFLIGHT = [
    RUN,
    HELP,
    _key("search", "slash", "search", "Search", "Search the tools", show=True),
    ARGUMENTS,
    JSON,
    RESET,
    EDITOR,
    VIEW,
    NEXT_WITHHELD,
    PREVIOUS_WITHHELD,
    SWAP,
    ZOOM,
    COPY,
    PRESET,
    PROVENANCE,
    TO_PROFILE,
    TO_GOVERNANCE,
    WARM,
    BACK,
    QUIT,
]

WIDER = _key("wider", "right_square_bracket", "resize(1)", "Wider", "Make the pane with the cursor wider, or higher")
NARROWER = _key(
    "narrower", "left_square_bracket", "resize(-1)", "Narrower", "Make the pane with the cursor narrower, or lower"
)

REVIEW_OWN = [
    _key("approve", "A", "approve", "Approve", "Approve this tool and its samples, and go on to the next", show=True),
    _key("exempt", "E", "decide('EXEMPT')", "Exempt", "Exempt this tool from approval, and go on to the next"),
    _key("drop", "D", "decide('DROPPED')", "Drop", "Drop this tool from what is served, and go on to the next"),
    _key("undo", "u", "undo", "Undo", "Take back the last decision"),
    _key("lock", "L", "lock", "Lock", "Show what writing the lock changes, and write it", show=True),
    _key("export", "O", "export", "Export", "Export settings, client snippets or the review record"),
    _key("samples", "x", "samples", "Samples", "Choose among the samples of this tool", show=True),
    _key("lens", "l", "lens", "Lens", "Next lens: wire, content, structured, both", show=True),
    _key("detail", "d", "detail", "Detail", "All that is known of the withheld thing that is pointed at"),
    _key("exempt_draft", "X", "exempt_draft", "Draft", "Draft the settings that would let what is pointed at through"),
    _key("reveal", "R", "reveal", "Reveal", "Reveal the one withheld value that is pointed at"),
    _key("cost", "k", "cost", "Cost", "Tokens and bytes: of the definitions, of this answer"),
    _key("find", "slash", "find", "Find", "Find words, a /pattern/ or a $.path in what the agent sees"),
    _key("find_next", "f", "find_next(1)", "Next found", "Go to the next place of what was sought"),
    _key("find_previous", "F", "find_next(-1)", "Previous found", "Go to the previous place of what was sought"),
    _key("command", "Y", "command", "Command", "Copy the command that prints the same"),
]
REVIEW = [
    REVIEW_OWN[0],
    HELP,
    RUN,
    ARGUMENTS,
    VIEW,
    NEXT_WITHHELD,
    PREVIOUS_WITHHELD,
    SWAP,
    ZOOM,
    COPY,
    PRESET,
    PROVENANCE,
    *REVIEW_OWN[1:],
    WIDER,
    NARROWER,
    TO_PROFILE,
    TO_GOVERNANCE,
    WARM,
    BACK,
    QUIT,
]
"""The keys of the home screen; the registry lists those that are not the pre-flight's too."""

SAMPLE_DIALOG = [_key("pin", "p", "pin", "Pin", "Keep these arguments as a sample of this tool for good", show=True)]

CONFIRM = [_key("confirm", "enter", "confirm", "Do it", "Do what the dialog asks about", show=True)]

TEXT_DIALOG = [
    _key("copy_text", "y", "copy", "Copy", "Copy the text", show=True),
    _key("write_file", "w", "write", "Write", "Write it to a new file in the working folder", show=True),
]

PROFILE = [
    _key("compare", "c", "compare", "Compare", "Compare with a candidate file", show=True),
    _key("reload", "r,f5", "reload", "Reload", "Read the profile again"),
]

GOVERNANCE = [
    _key("ask_call", "c,slash", "call", "One call", "Ask why a call is served or not", show=True),
    _key("governance_reload", "r,f5", "reload", "Reload", "Read the verdicts again"),
]

COMPARE = [
    _key("compare_run", "r,f5", "run", "Compare", "Compare with the file (enter does it from the path)", show=True),
    _key("path", "slash,c", "path", "Path", "Go to the path of the candidate file", show=True),
]

CONTRAST = [
    _key("contrast_run", "r,f5", "reload", "Run again", "Run the call again under each policy", show=True),
    _key("contrast_add", "a", "add", "Add", "Add a preset or a provenance to compare with", show=True),
    _key("contrast_remove", "d", "remove", "Remove", "Take the last policy away", show=True),
]

MATRIX = [_key("matrix_reload", "r,f5", "reload", "Reload", "Read tools and decisions again")]

STORE = [_key("cache_reload", "r,f5", "reload", "Reload", "Look at the cache again")]

PAST = [
    _key("past_again", "enter", "again", "Run again", "Run this call again, on the review screen", show=True),
    _key("past_pin", "p", "pin", "Pin", "Keep these arguments as a sample of their tool", show=True),
    _key("past_reload", "r,f5", "reload", "Reload", "Read the history again"),
]

COHORT = [
    _key("cohort_give", "g", "give", "Give", "Give the filter to a tool under review, and run it there", show=True),
    _key("cohort_dimension", "d", "dimension", "Dimension", "Choose what the calls are counted by", show=True),
    _key("cohort_value", "enter,space", "value", "Value", "Put the value pointed at into the filter, or take it out"),
    _key("cohort_pin", "p", "pin", "Pin", "Keep the filter as a sample of the tool under review"),
    _key("cohort_count", "r,f5", "count", "Count", "Count again"),
]

VCON_CHANGE = _key(
    "vcon_change", "c", "change", "Change", "Choose a tool that writes, and see what it changes", show=True
)
VCON_RELOAD = _key("vcon_reload", "r,f5", "reload", "Reload", "Read the vCons again")
VCONS = [
    _key("vcon_open", "enter", "open", "Open", "Open the vCon under the cursor", show=True),
    _key("vcon_find", "slash", "find", "Find", "Find by a part of the subject, an address or a uuid", show=True),
    _key("vcon_next", "n", "page(1)", "Next page", "Go to the next page of vCons", show=True),
    _key("vcon_previous", "p,N", "page(-1)", "Previous page", "Go to the page before"),
    VCON_CHANGE,
    VCON_RELOAD,
]
VCON = [_key("vcon_read", "enter", "read", "Read", "Read all of the element under the cursor", show=True)]

TO_TOKENS = [_key("tokens", "K", "app.tokens", "Tokens", "Access tokens of agents over HTTP: list, mint, take back")]
TOKENS = [
    _key("token_mint", "m", "mint", "Mint", "Mint an access token; it is shown once", show=True),
    _key("token_revoke", "d", "revoke", "Take back", "Take back the token under the cursor", show=True),
    _key("token_reload", "r,f5", "reload", "Reload", "Read the file again"),
]

MINTED = [_key("token_copy", "y", "copy", "Copy", "Copy the new token", show=True)]

PATH = [_key("to_files", "down", "to_files", "Files", "Go on to the list of files")]

PANES = [
    _key("next_pane", "t,right", "turn(1)", "Next pane", "Go to the next pane", show=True),
    _key("previous_pane", "left", "turn(-1)", "Previous pane", "Go to the pane before"),
    WIDER,
    NARROWER,
]

ROWS = [_key("copy_row", "y", "copy_row", "Copy", "Copy the row under the cursor")]

DIALOG = [_key("close", "escape", "close", "Close", "Close this dialog", show=True)]

TRI_STATE = [
    _key("next_value", "right,space", "turn(1)", "Next value", "Next of unset, true, false"),
    _key("previous_value", "left", "turn(-1)", "Previous value", "Previous of unset, true, false"),
]

TEXT_FIELD = [_key("leave", "escape", "screen.back", "Leave", "Leave the field", show=True)]

SEARCH = [_key("to_list", "down,enter", "to_list", "List", "Go on to the list")]

LINES = [
    _key("lines.up", "up,k", "scroll_up", "Up", "Up one line"),
    _key("lines.down", "down,j", "scroll_down", "Down", "Down one line"),
    _key("lines.page_up", "pageup", "page_up", "Page up", "Up one page"),
    _key("lines.page_down", "pagedown,space", "page_down", "Page down", "Down one page"),
    _key("lines.home", "home,g", "scroll_home", "Top", "To the top"),
    _key("lines.end", "end,G", "scroll_end", "End", "To the end"),
]

REGISTRY: dict[str, list[Binding]] = {
    "Everywhere": APP,
    "Numbered screens": SCREENS,
    "Pre-flight": PREFLIGHT,
    "Review": REVIEW_OWN,
    "Samples": SAMPLE_DIALOG,
    "Confirmation": CONFIRM,
    "Text to take away": TEXT_DIALOG,
    "Business profile": PROFILE,
    "Governance": GOVERNANCE,
    "Comparison": COMPARE,
    "Policies side by side": CONTRAST,
    "Policy": MATRIX,
    "Cache": STORE,
    "History": PAST,
    "Cohort": COHORT,
    "vCons": VCONS,
    "One vCon": VCON,
    "Every screen but dialogs": TO_TOKENS,
    "Access tokens": TOKENS,
    "A new token": MINTED,
    "Path of a file": PATH,
    "Panes": PANES,
    "Rows": ROWS,
    "Dialogs": DIALOG,
    "Yes or no": TRI_STATE,
    "Text fields": TEXT_FIELD,
    "Search field": SEARCH,
    "Long text": LINES,
}
"""All bindings by where they live, for help, documentation and tests."""
