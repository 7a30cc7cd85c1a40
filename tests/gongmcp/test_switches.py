"""Policy switches cover every tool, every flag, and every argument that could tell whether a hidden value is there."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any, get_type_hints

import msgspec
import pytest

from gongctl.cache.upsert import import_records
from gongctl.cache.warm import warm
from gongctl.ingest.normalise import records_of
from gongctl.ingest.records import Place
from gongmcp.catalog.active import Active, describe_tools
from gongmcp.catalog.arguments import Text
from gongmcp.catalog.crm_classes import classes_of
from gongmcp.catalog.declaration import Arguments, CallScope, Rows, Tool
from gongmcp.catalog.filters import filters_of
from gongmcp.catalog.registry import catalog
from gongmcp.errors import UnknownPrompt, UnknownResource
from gongmcp.exposure.fields import SWITCHES, Field, Filters, opt_in
from gongmcp.exposure.policy import Policy
from gongmcp.exposure.rows import Row
from gongmcp.handler import ToolHandler, build_handler
from gongmcp.render.wire import result_bytes
from gongmcp.settings import ServerSettings
from gongmcp.store.crm_names import CrmNames
from tests.gongctl.profile_cache import CLOCK, Made, import_yaml, opened
from tests.gongmcp.examples import EXAMPLES

PROFILE = """\
version: 1
name: Reasons
objects:
  deal: {object_types: [Opportunity]}
fields:
  why_lost: {object: deal, names: [Loss_Reason__c], groupable: true}
  deal_stage: {object: deal, names: [StageName], groupable: true}
lifecycle:
  closed_won: {label: Won, order: 10, rules: [{field: deal_stage, op: equals, value: Closed Won}]}
  closed_lost: {label: Lost, order: 20, rules: [{field: deal_stage, op: equals, value: Closed Lost}]}
  post_sales: {label: After, order: 30, rules: [{field: deal_stage, op: equals, value: Renewal}]}
  open: {label: Open, order: 40, rules: [{field: deal_stage, op: is_set}]}
  unknown: {label: Unknown, order: 999}
"""

HIDDEN: dict[str, tuple[str, ...]] = {
    "hide_call_titles": ("PLANTEDTITLE",),
    "hide_raw_call_ids": ("900000000000000",),
    "hide_account_names": ("PLANTEDACCOUNT", "plantedsite"),
    "hide_opportunity_names": ("PLANTEDDEAL", "PLANTEDCLOSE"),
    "hide_speaker_ids": ("910000000000000",),
    "hide_contact_names": ("PLANTEDPERSON", "PLANTEDJOB"),
    "hide_contact_emails": ("PLANTEDMAIL",),
    "hide_loss_reasons": ("PLANTEDREASON",),
    "hide_crm_value_snippets": ("PLANTEDVALUE",),
}
"""What each switch hides, as it was planted."""


def value_search(object_type: str, field_name: str, value: str) -> tuple[str, dict[str, Any]]:
    asked = {"object_type": object_type, "field_name": field_name, "value_query": value}
    return "search_crm_field_values", asked


ORACLES: dict[str, list[tuple[str, dict[str, Any]]]] = {
    "hide_call_titles": [],  # nothing looks for titles
    "hide_raw_call_ids": [("get_call", {"call_id": "9000000000000001"})],
    "hide_account_names": [
        (
            "search_transcript_quotes_with_attribution",
            {"query": "pricing", "account_query": "planted", "include_account_names": True},
        ),
        value_search("Account", "Name", "planted"),
        value_search("Account", "Website", "planted"),
        value_search("Opportunity", "Account_Name__c", "planted"),
    ],
    "hide_opportunity_names": [
        value_search("Opportunity", "Name", "planted"),
        value_search("Opportunity", "CloseDate", "planted"),
    ],
    "hide_speaker_ids": [],  # nothing looks for speakers
    "hide_contact_names": [value_search("Contact", "Name", "planted"), value_search("Contact", "Title", "planted")],
    "hide_contact_emails": [value_search("Contact", "Email", "planted"), value_search("Lead", "work_mail", "planted")],
    "hide_loss_reasons": [
        value_search("Opportunity", "Loss_Reason__c", "planted"),
        value_search("Account", "Why_we_lost_reason__c", "planted"),
        ("crm_field_population_matrix", {"object_type": "Opportunity", "group_by_field": "Loss_Reason__c"}),
        ("analyze_late_stage_crm_signals", {"object_type": "Opportunity", "stage_field": "Loss_Reason__c"}),
        ("summarize_call_facts", {"group_by": "profile_concept", "concept": "why_lost"}),
    ],
    "hide_crm_value_snippets": [
        value_search("Account", "Secret__c", "planted"),
        ("summarize_call_facts", {"group_by": "profile_concept", "concept": "deal_stage"}),
    ],
}
"""Questions by which a value of the switch's classes is looked for, found and counted."""

MORE: dict[str, list[dict[str, Any]]] = {
    "search_transcript_segments": [{"query": "pricing"}],
    "search_transcripts_by_call_facts": [{"query": "pricing"}],
    "search_transcripts_by_crm_context": [{"query": "pricing", "object_type": "Account"}],
    "search_transcript_quotes_with_attribution": [{"query": "pricing"}],
    "get_call": [{"call_ref": "9000000000000001"}],
    "crm_field_population_matrix": [{"object_type": "Opportunity"}],
    "search_crm_field_values": [dict(value_search("Account", "Industry", "planted")[1])],
}
"""Questions to the planted calls that look for nothing hidden."""


def planted_calls() -> list[Made]:
    deal = {
        "Name": "PLANTEDDEAL",
        "StageName": "Closed Lost",
        "CloseDate": "PLANTEDCLOSE",
        "Loss_Reason__c": "PLANTEDREASON",
        "Account_Name__c": "PLANTEDACCOUNT",
    }
    account = {
        "Name": "PLANTEDACCOUNT",
        "Website": "https://plantedsite.example",
        "Industry": "planted industry",
        "Secret__c": "PLANTEDVALUE",
        "Why_we_lost_reason__c": "PLANTEDREASON",
    }
    contact = {"Name": "PLANTEDPERSON", "Title": "PLANTEDJOB", "Email": "PLANTEDMAIL at work"}
    objects = (
        ("Account", "a1", account),
        ("Opportunity", "o1", deal),
        ("Contact", "c1", contact),
        ("Lead", "l1", {"work_mail": "PLANTEDMAIL at work"}),
    )
    return [
        Made(str(9000000000000001 + n), objects, "Conference", "External", ("about pricing", "more")) for n in range(3)
    ]


@pytest.fixture(scope="module", autouse=True)
def fixed_clock() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patched:
        patched.setenv("SOURCE_DATE_EPOCH", CLOCK)
        yield


NAMES = {"matrix_group_fields": ["StageName", "Loss_Reason__c"]}
"""An operator lets the reason of a loss group."""


@pytest.fixture(scope="module")
def settings_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("settings") / "gongmcp.toml"
    path.write_text(f"[crm]\nmatrix_group_fields = {json.dumps(NAMES['matrix_group_fields'])}\n")
    return path


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory, fixed_clock: None) -> Path:
    from gongmcp.store.model import ModelRules

    path = tmp_path_factory.mktemp("switches") / "cache.db"
    with opened(path) as writer:
        for call in planted_calls():
            for kind, value in call.records():
                if kind == "call":
                    value["metaData"]["title"] = "PLANTEDTITLE"
                    value["parties"] = [{"speakerId": "9100000000000001", "name": "PLANTEDPERSON Example"}]
                else:
                    value["transcript"][0]["speakerId"] = "9100000000000001"
                import_records(writer, list(records_of(kind, value, Place("test"))))
        rules = ModelRules(CrmNames.load(NAMES))
        warm(writer, rules=rules)
        import_yaml(writer, PROFILE)
        warm(writer, rules=rules)
    return path


@pytest.fixture(scope="module")
def make(cache: Path, settings_file: Path) -> Any:
    from gongmcp.settings_file import read_settings_file

    def make(*switches: str, provenance: str = "raw") -> ToolHandler:
        flags = {"provenance": provenance, "policy_switches": ",".join(switches), "evidence_segments": "1000"}
        return build_handler(ServerSettings.resolve(flags, {}, read_settings_file(settings_file)), cache)

    return make


def flags_of(tool: Tool) -> dict[str, bool]:
    return {name: True for name in tool.arguments.__struct_fields__ if name.startswith("include_")}


def everything(handler: ToolHandler) -> str:
    """Every answer to every example and question, with every flag set."""
    out = []
    for name, tool in catalog().items():
        oracles = [arguments for asked in ORACLES.values() for of, arguments in asked if of == name]
        for arguments in [*EXAMPLES[name], *MORE.get(name, []), *oracles, {}]:
            for extra in ({}, {"field_profile": "full"} if "field_profile" in tool.arguments.__struct_fields__ else {}):
                answer = handler.call(name, {**arguments, **flags_of(tool), **extra}).answer
                out.append(result_bytes(answer).decode() + json.dumps(answer.error))
    return "\n".join(out)


# --- declarations -----------------------------------------------------------------------------------


def test_every_argument_that_takes_free_text_says_what_it_looks_for() -> None:
    told = 0
    for tool in catalog().values():
        hints = get_type_hints(tool.arguments, include_extras=True)
        properties = ToolHandler(Policy(), None).tool(tool.name).input_schema["properties"]
        for name, schema in properties.items():
            text = schema["type"] == "string" or schema.get("items", {}).get("type") == "string"
            if text and "enum" not in schema and name != "cursor":
                assert filters_of(tool.arguments).get(name), (tool.name, name, hints[name])
                told += 1
    assert told > 60


def test_every_switch_is_told_of() -> None:
    assert SWITCHES.keys() == HIDDEN.keys() == ORACLES.keys()


# --- values -----------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def shown_without(make: Any) -> str:
    return everything(make())


@pytest.mark.parametrize("switch", SWITCHES)
def test_under_a_switch_no_tool_and_no_flag_shows_what_it_hides(switch: str, make: Any, shown_without: str) -> None:
    shown = everything(make(switch))
    for value in HIDDEN[switch]:
        assert value in shown_without, "control: without the switch it is shown"
        assert value not in shown
    others = [value for other, values in HIDDEN.items() if other != switch for value in values]
    if switch != "hide_crm_value_snippets":  # with it nothing can be asked of CRM values, names in them included
        assert [value for value in others if value not in shown] == [], "the other kinds keep their flags"


@pytest.mark.parametrize(("switch", "asked"), [(switch, asked) for switch, all_ in ORACLES.items() for asked in all_])
def test_under_a_switch_nothing_can_be_looked_for(switch: str, asked: tuple[str, dict[str, Any]], make: Any) -> None:
    name, arguments = asked
    control = make().call(name, dict(arguments)).answer
    assert control.structured is not None, control.text
    assert control.structured.get("results", control.structured), "control: it finds something"
    answer = make(switch).call(name, dict(arguments)).answer
    assert answer.error is not None, answer.text
    assert answer.error["code"] in ("refused_by_policy", "invalid_argument"), answer.error
    if arguments.get("group_by") != "profile_concept":  # that one is not in the enumeration any more
        assert answer.error["code"] == "refused_by_policy"
    unknown = {
        key: "qqq" if key in ("account_query", "value_query", "call_id") else value for key, value in arguments.items()
    }
    same = make(switch).call(name, unknown).answer
    assert same == answer, "the refusal tells nothing of the value"


@pytest.mark.parametrize(
    ("switch", "tool", "argument"),
    [
        ("hide_raw_call_ids", "get_call", "call_id"),
        ("hide_account_names", "search_transcript_quotes_with_attribution", "account_query"),
        ("hide_crm_value_snippets", "search_crm_field_values", "value_query"),
    ],
)
def test_a_refused_argument_is_not_published(switch: str, tool: str, argument: str, make: Any) -> None:
    without, under = make(), make(switch)
    assert argument in without.tool(tool).input_schema["properties"]
    schema = under.tool(tool).input_schema
    assert argument not in schema["properties"]
    assert argument not in schema.get("required", ())
    assert argument not in under.tool(tool).output_schema["properties"].get("searched", {}).get("properties", {})
    described = describe_tools(Active(under.policy, {tool: catalog()[tool]}, 1.0))["tools"]
    assert argument not in described[0]["arguments"]
    assert under.complete(tool, argument) == []
    if argument == "call_id":
        assert without.complete(tool, argument), "control: aliases are offered"
    refused = under.call(tool, {argument: "x"}).answer.error
    assert refused["code"] == "refused_by_policy"
    left_out = under.call(tool, {argument: None}).answer.error
    assert (left_out == refused) == (argument == "value_query"), "without a required one the tool cannot be asked"


def test_no_reference_argument_takes_a_hidden_id(make: Any) -> None:
    found = {"call_ref": "9000000000000001"}
    assert make().call("get_call", found).answer.structured["status"] == "ok"
    assert make("hide_raw_call_ids").call("get_call", found).answer.structured["status"] == "not_found"
    ref = make().call("search_calls", {}).answer.structured["results"][0]["call_ref"]
    assert make("hide_raw_call_ids").call("get_call", {"call_ref": ref}).answer.structured["status"] == "ok"


def test_resources_follow(make: Any) -> None:
    assert make().read_resource("gong://calls/9000000000000001")
    with pytest.raises(UnknownResource):
        make("hide_raw_call_ids").read_resource("gong://calls/9000000000000001")


def test_completions_follow(make: Any) -> None:
    def offered(handler: ToolHandler) -> tuple[list[str], list[str]]:
        return (
            handler.complete("crm_field_population_matrix", "group_by_field"),
            handler.complete("summarize_call_facts", "concept"),
        )

    assert offered(make()) == (["StageName", "Loss_Reason__c"], ["why_lost", "deal_stage"])
    assert offered(make("hide_loss_reasons")) == (["StageName"], ["deal_stage"])


def test_the_matrix_groups_by_nothing_hidden_by_itself(make: Any) -> None:
    asked = {"object_type": "Opportunity"}
    assert make("hide_loss_reasons").call("crm_field_population_matrix", asked).answer.structured["results"]
    wrong = make("hide_loss_reasons").call("crm_field_population_matrix", {**asked, "group_by_field": "Amount"}).answer
    assert wrong.error["hint"] == "One of: StageName."


# --- field_profile ----------------------------------------------------------------------------------


def test_limited_hides_and_nothing_else_stands_in_for_a_flag(make: Any) -> None:
    quotes = "search_transcript_quotes_with_attribution"
    handler = make()
    asked = {"query": "pricing", "account_query": "planted", "include_account_names": True}
    limited = handler.call(quotes, {**asked, "field_profile": "limited"}).answer
    assert limited.error["code"] == "refused_by_policy"
    flags = flags_of(catalog()[quotes])
    names = ("PLANTEDTITLE", "PLANTEDACCOUNT", "PLANTEDDEAL", "900000000000000")
    text = result_bytes(handler.call(quotes, {"query": "pricing", **flags, "field_profile": "limited"}).answer).decode()
    assert [name for name in names if name in text] == []
    for profile in ("attribution", "full"):
        plain = result_bytes(handler.call(quotes, {"query": "pricing", "field_profile": profile}).answer).decode()
        assert [name for name in names if name in plain] == []
        full = result_bytes(
            handler.call(quotes, {"query": "pricing", **flags, "field_profile": profile}).answer
        ).decode()
        assert [name for name in names if name in full] == list(names)
        assert handler.call(quotes, {"query": "pricing", "account_query": "x", "field_profile": profile}).answer.error


# --- a tool of tomorrow -----------------------------------------------------------------------------


class Probe(Arguments):
    """Looks for people."""

    participant_email: Annotated[Text, Filters(Field.EMAIL)] | None = None
    names: Annotated[list[Annotated[str, Filters(Field.PERSON_NAME, needs="include_names")]], msgspec.Meta()] | None = (
        None
    )
    include_names: bool = False


class ProbeRow(Row):
    """A person."""

    name: Annotated[str, opt_in(Field.PERSON_NAME, "include_names")]
    email: Annotated[str, opt_in(Field.EMAIL, "include_names")]


def probe(args: Probe, scope: CallScope) -> Rows[ProbeRow]:
    return Rows([ProbeRow(name="PROBENAME", email="PROBEMAIL")])


@pytest.fixture
def with_probe(make: Any, monkeypatch: pytest.MonkeyPatch) -> Any:
    tool = replace(
        catalog()["list_crm_object_types"], name="probe", arguments=Probe, row=ProbeRow, function=probe, cursor=False
    )
    monkeypatch.setattr("gongmcp.catalog.presets.catalog", lambda: {"probe": tool})
    return make


def test_the_gate_holds_for_a_tool_that_is_not_yet_there(with_probe: Any) -> None:
    flagged = {"include_names": True}
    control = with_probe().call("probe", {"participant_email": "a", "names": ["b"], **flagged}).answer
    assert control.structured["results"] == [{"name": "PROBENAME", "email": "PROBEMAIL"}]
    for switch, argument, hidden in (
        ("hide_contact_emails", {"participant_email": "a"}, "PROBEMAIL"),
        ("hide_contact_names", {"names": ["b"]}, "PROBENAME"),
    ):
        handler = with_probe(switch)
        assert argument.keys().isdisjoint(handler.tool("probe").input_schema["properties"])
        assert handler.call("probe", {**argument, **flagged}).answer.error["code"] == "refused_by_policy"
        assert hidden not in result_bytes(handler.call("probe", dict(flagged)).answer).decode()


def test_a_filter_that_needs_a_flag_is_refused_without_it(with_probe: Any) -> None:
    answer = with_probe().call("probe", {"names": ["b"]}).answer
    assert answer.error["code"] == "refused_by_policy"
    assert "include_names" in answer.error["hint"]


def test_a_prompt_is_gone_with_the_argument_it_needs(make: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    from gongmcp.catalog import prompts

    parameter = prompts.Parameter("call", "Id of a call.", "get_call", "call_id", required=True)
    own = prompts.Prompt("by_id", "By id", "One call.", (parameter,), (prompts.Step("get_call", "Look."),), "Done.")
    optional = replace(own, name="maybe", parameters=(replace(parameter, required=False),))
    monkeypatch.setattr("gongmcp.handler.PROMPTS", (own, optional))
    monkeypatch.setattr(prompts, "PROMPTS", (own, optional))
    listed = {prompt.name: [a.name for a in prompt.arguments] for prompt in make().prompts()}
    assert listed == {"by_id": ["call"], "maybe": ["call"]}
    under = make("hide_raw_call_ids")
    assert {prompt.name: list(prompt.arguments) for prompt in under.prompts()} == {"maybe": []}
    with pytest.raises(UnknownPrompt):
        under.get_prompt("by_id", {"call": "1"})


# --- classes of CRM fields --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("object_type", "field_name", "field"),
    [
        ("Opportunity", "Loss_Reason__c", Field.LOSS_REASON),
        ("Deal", "closed_lost_reason", Field.LOSS_REASON),
        ("Custom__c", "Primary Reason for Loss", Field.LOSS_REASON),
        ("Company", "domain", Field.ACCOUNT_NAME),
        ("Opportunity", "AccountName", Field.ACCOUNT_NAME),
        ("Opportunity", "probability", Field.OPPORTUNITY_NAME),
        ("Lead", "FirstName", Field.PERSON_NAME),
        ("Contacts", "Title", Field.PERSON_TITLE),
        ("Account", "Billing_Email__c", Field.EMAIL),
    ],
)
def test_a_field_belongs_to_a_class_by_its_name(object_type: str, field_name: str, field: Field) -> None:
    assert field in classes_of(object_type, field_name, CrmNames.default())


@pytest.mark.parametrize("field_name", ["StageName", "Industry", "Amount", "Reason_for_call__c", "NextStep"])
def test_an_ordinary_field_is_a_value_and_nothing_more(field_name: str) -> None:
    assert classes_of("Opportunity", field_name, CrmNames.default()) == {Field.CRM_VALUE}
