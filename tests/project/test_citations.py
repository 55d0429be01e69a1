"""Code and specification: who implements a numbered sentence cites it in a docstring."""

import ast
import re
from functools import cache
from pathlib import Path

from support.paths import ROOT
from support.source import files_under, nodes_of, short

from protocol.wire.signed_messages import KINDS
from tools.spec_tables import name_of, specification

ID = re.compile(r"\[([A-Z]-\d+)\]")
RULE = re.compile(r"^(?:- |\d+\. )\[([A-Z]-\d+)\] ", re.MULTILINE)

NOT_IN_CODE = {
    "Y-1": "says how a verifier agrees with the label of each vector: test_vectors.py holds it",
    "Y-2": "says with which library a release is tested: test_crypto_vectors.py uses what is there",
    "X-4": "says which number rises when these pages change",
}
"""Sentences that no code of the product can cite, and why."""


@cache
def numbered() -> frozenset[str]:
    """The identifiers that the three books give to their sentences."""
    return frozenset(RULE.findall(specification()))


@cache
def cited() -> dict[str, frozenset[str]]:
    """Each identifier cited in a docstring, and the files that cite it."""
    found: dict[str, set[str]] = {}
    for path in files_under("protocol", "p2p_hoity"):
        for node in nodes_of(path):
            if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
                for one in ID.findall(str(node.value.value)):
                    found.setdefault(one, set()).add(short(path))
    return {one: frozenset(files) for one, files in found.items()}


def test_citations_are_of_sentences_of_spec_and_every_sentence_is_cited_or_binds_no_code() -> None:
    assert {"C-1", "E-4", "H-12", "V-12"} <= numbered()
    assert len(numbered()) > 100
    unknown = {one: sorted(files) for one, files in cited().items() if one not in numbered()}
    assert unknown == {}
    of_game = {one for one in numbered() if one.startswith("G-")}
    for one in of_game & set(cited()):
        assert not [path for path in cited()[one] if path.startswith("protocol/")], one
    assert sorted(numbered() - set(cited()) - set(NOT_IN_CODE)) == []
    assert set(NOT_IN_CODE) <= numbered()
    assert set(NOT_IN_CODE) & set(cited()) == set()
    assert all(len(reason) > 20 for reason in NOT_IN_CODE.values())


SECTION = re.compile(r"SPEC:?,? (?:sections? )?(\d+\.\d+)(?!\d|\.\d)")


@cache
def sections() -> frozenset[str]:
    """The numbers of the sections of the three books."""
    return frozenset(re.findall(r"^##+ (\d+(?:\.\d+)?) ", specification(), re.MULTILINE))


def lost_in(text: str) -> set[str]:
    """Return the rules and sections that a text cites, and that there are not."""
    return {*ID.findall(text)} - numbered() | {*SECTION.findall(text)} - sections()


def test_every_rule_and_section_that_anything_cites_is_there() -> None:
    """In code, tests, pages and the labels of vectors."""
    folders = ("protocol", "p2p_hoity", "cli", "tools", "bench", "docs", "spec", "tests")
    inside = (path for name in folders for path in (ROOT / name).rglob("*"))
    files = [p for p in (*ROOT.glob("*.md"), *inside) if p.suffix in {".py", ".md", ".js", ".json"}]
    texts = {short(path): path.read_text(encoding="utf-8") for path in files}
    assert len(texts) > 1000
    lost = {name: lost_in(text) for name, text in texts.items() if lost_in(text)}
    assert lost == {short(Path(__file__)): {"Q-1", "99.9"}}
    assert lost_in("[Q-1] as in SPEC, section 99.9, but [E-4] and SPEC 10.4") == {"Q-1", "99.9"}


def test_the_glossary_has_every_kind_of_message() -> None:
    rows = re.findall(r"^\| ([^|]*) \|", specification(), re.MULTILINE)
    words = {word.replace(" ", "-") for row in rows for word in row.split(", ")}
    names = {word.removesuffix("-vote").removesuffix("-message") for word in words}
    assert {name_of(cls) for cls, _ in KINDS.values()} <= names
