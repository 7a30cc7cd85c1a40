"""A theme as a search: what was typed, with the synonyms of its topic and, if asked for, the forms of its words."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from gongmcp.analysis.stems import LEAST, stem
from gongmcp.store.search_query import SearchQuery, Term, compile_query, of_groups

Topics = Mapping[str, tuple[Term, ...]]


def theme_query(text: str, topics: Topics, *, stemmed: bool = False) -> SearchQuery:
    """Return the search of the theme *text*.

    A word, or the whole text, that is the name of one of *topics* stands for the topic's terms as well. *stemmed*: a
    word stands for every word that begins with its stem. Raises what ``compile_query`` does.
    """
    query = compile_query(text)
    if query.fts is None:
        return query
    words = tuple(word for group in query.groups for term in group for word in term.tokens)
    whole = topics.get("_".join(words)) if len(query.groups) > 1 else None
    if whole is not None and all(len(group) == 1 for group in query.groups):
        groups: list[tuple[Term, ...]] = [tuple(dict.fromkeys((Term(words), *whole)))]
    else:
        groups = [_with_synonyms(group, topics) for group in query.groups]
    if stemmed:
        groups = [tuple(dict.fromkeys(_stemmed(term) for term in group)) for group in groups]
    if groups == list(query.groups):
        return query
    made = of_groups(groups, query.excluded)
    return replace(made, notes=query.notes)


def _with_synonyms(group: tuple[Term, ...], topics: Topics) -> tuple[Term, ...]:
    found = list(group)
    for term in group:
        found += topics.get("_".join(term.tokens), ())
    return tuple(dict.fromkeys(found))


def _stemmed(term: Term) -> Term:
    if term.prefix or len(term.tokens) != 1 or len(term.tokens[0]) < LEAST:
        return term
    return Term((stem(term.tokens[0]),), prefix=True)
