"""Tests that every code has a sentence in every language, and every sentence a code."""

import ast
import errno
import importlib
import os
import pkgutil
import re
from collections.abc import Iterator

import pytest
from support.paths import ROOT

import p2p_hoity
from cli.words import error_sentences, translation
from cli.words.error_sentences import as_json, meaning, meanings, sentence
from p2p_hoity.coded_errors import Code, NetworkCode, Reason, SystemCode, because
from p2p_hoity.net.network_errors import LinkCode, NetCode, NetError
from p2p_hoity.storage.journal import JournalCode
from p2p_hoity.table.beside_game.unfinished_games import ResumeCode
from p2p_hoity.table.gathering.host_table import LobbyCode
from p2p_hoity.table.gathering.join_table import JoinCode
from p2p_hoity.table.open_links import SeatingCode
from p2p_hoity.table.peer_error import PeerError
from p2p_hoity.table.playing.resume_table import ArrivalCode

for found in pkgutil.walk_packages(p2p_hoity.__path__, "p2p_hoity."):
    importlib.import_module(found.name)
TABLES = {
    table.__name__: table
    for table in (*Code.__subclasses__(), *NetworkCode.__subclasses__())
    if table.__module__.startswith("p2p_hoity.")  # A test may have made tables of its own.
}
CODES = [code for table in TABLES.values() for code in table]


def test_a_code_is_one_word_of_one_table_and_has_a_sentence() -> None:
    words = [str(code) for code in CODES]
    assert len(words) == len(set(words))
    assert not set(words) & set(meanings())
    assert all(re.fullmatch(r"[a-z]+(-[a-z]+)*", word) for word in words)
    assert all(code.template for code in CODES)


def test_every_sentence_with_words_is_in_every_language() -> None:
    for language in ("es", "de"):
        translation.speak(language)
        for code, template in {**{one: one.template for one in CODES}, **meanings()}.items():
            has_words = re.search(r"[a-z]", re.sub(r"\{\w+\}", "", template)) is not None
            assert (translation._(template) != template) == has_words, code


def calls() -> Iterator[tuple[str, Code, set[str]]]:
    """Where a code is raised or given as a reason, and the fields that go with it."""
    for path in sorted((ROOT / "p2p_hoity").rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if not isinstance(node, ast.Call) or not node.args:
                continue
            first = node.args[0]
            if isinstance(first, ast.Attribute) and isinstance(first.value, ast.Name):
                table = TABLES.get(first.value.id)
                if table is not None and all(word.arg for word in node.keywords):
                    given = {str(word.arg) for word in node.keywords} - {"at"}
                    maker = ast.unparse(node.func)
                    yield f"{path.name}: {maker}", table[first.attr], given


def test_every_code_is_given_with_its_fields_and_has_a_meaning() -> None:
    found = list(calls())
    assert len(found) > 100
    for where, code, given in found:
        wanted = set(code.fields) - ({"why"} if where.endswith(": trouble_is") else set())
        assert given in (wanted, set()) if where.endswith(": _told") else given == wanted, where
    raised = set()
    for folder in ("protocol", "p2p_hoity"):
        for path in (ROOT / folder).rglob("*.py"):
            text = path.read_text(encoding="utf-8")
            raised |= set(re.findall(r'\b(?:Invalid|Unsound|Fault)\(\s*"([a-z-]+)"', text))
    assert raised
    assert raised <= set(meanings())


def test_a_table_that_cannot_be_played_at_has_its_exit_code() -> None:
    for number, codes in {
        1: (ResumeCode.NOT_BEGUN, JoinCode.FULL, ArrivalCode.ELSEWHERE),
        2: (JoinCode.OWN_TICKET, SeatingCode.BAD_LISTEN, ResumeCode.NO_GAME),
        3: (JoinCode.GONE, SeatingCode.CANNOT_LISTEN),
    }.items():
        assert {PeerError(code).code.exit_code for code in codes} == {number}
    assert NetError(NetCode.NO_ADDRESS).code.exit_code == 3


# What is said.


def test_a_cause_is_told_inside_its_sentence() -> None:
    translation.speak("de")
    ways = tuple(
        because(NetCode.UNREACHED, address=address, why=because(code))
        for address, code in (
            ("1.2.3.4:5", NetCode.NOBODY_LISTENS),
            ("[fd00::2]:5", NetCode.NO_ANSWER_IN_TIME),
        )
    )
    told = sentence(because(JoinCode.UNREACHED, why=because(NetCode.EACH_WAY, reasons=ways)))
    assert told == (
        "der Gastgeber ist nicht zu erreichen (1.2.3.4:5 ist nicht zu erreichen: dort nimmt"
        " niemand Verbindungen an; [fd00::2]:5 ist nicht zu erreichen: keine rechtzeitige"
        " Antwort); frag ihn, ob der Tisch noch offen ist, und versuch es wieder"
    )
    gone = sentence(because(JoinCode.GONE, reason=because(LinkCode.CLOSED)))
    assert gone.startswith("die Verbindung zum Gastgeber ist verloren (die Gegenseite hat")


def test_what_is_in_use_is_told_in_the_language_spoken_with_what_to_do() -> None:
    translation.speak("de")
    why = because(JournalCode.IN_USE, journal="b.journal")
    assert sentence(because(JournalCode.UNUSABLE, path="/a/b.journal", why=why)) == (
        "/a/b.journal ist nicht zu gebrauchen: b.journal ist in Gebrauch: Dieser Platz wird schon"
        " in einem anderen Terminal gespielt"
    )
    why = because(NetCode.PORT_IN_USE)
    assert sentence(because(SeatingCode.CANNOT_LISTEN, address="a:1", why=why)) == (
        "auf a:1 lassen sich keine Verbindungen annehmen: der Port ist schon belegt. Nimm mit"
        " --listen eine andere Adresse oder einen anderen Port, oder mit --listen :0 alle Adressen"
        " und irgendeinen freien Port"
    )


def test_what_a_peer_sent_stands_in_quotes_and_the_system_says_its_own_words() -> None:
    version = because(JoinCode.OTHER_VERSION, theirs="x\x1b", ours="y")
    assert r"'x\x1b' of the protocol, and this program version 'y'" in sentence(version)
    assert sentence(because(LinkCode.SILENT, seconds=6.0)) == "nothing was received from it for 6 s"
    assert sentence(because(SystemCode.NUMBERED, number=28)) == os.strerror(28)
    reason = because(LobbyCode.NO_CONSENT, why=Reason("bad-signature"))
    assert meaning("bad-signature") in sentence(reason)
    translation.speak("de")
    assert meaning("bad-shuffle") not in sentence(reason)


def test_a_program_gets_code_and_fields_and_the_sentence() -> None:
    reason = because(JoinCode.GONE, reason=because(LinkCode.SILENT, seconds=6.0))
    assert as_json(reason) == {
        "code": "host-gone",
        "fields": {"reason": {"code": "link-silent", "fields": {"seconds": 6.0}}},
        "words": sentence(reason),
    }
    names = because(ResumeCode.SEVERAL, names=("a", "b"))
    assert as_json(names)["fields"] == {"names": ["a", "b"]}


@pytest.mark.parametrize("words", error_sentences.SYSTEM_WORDS)
def test_a_common_error_of_files_is_told_in_the_language_spoken(words: str) -> None:
    (number,) = (number for number in errno.errorcode if os.strerror(number) == words)
    assert error_sentences.of_system(OSError(number, "odd")) == "odd"
    assert sentence(because(SystemCode.NUMBERED, number=number)) == words
    translation.speak("de")
    told = sentence(because(SystemCode.NUMBERED, number=number))
    assert told == error_sentences.of_system(OSError(number, words)) != words


def test_another_error_of_the_system_keeps_its_words() -> None:
    assert error_sentences.of_system(OSError(22, "odd")) == "odd"
    assert error_sentences.of_system(OSError("odd")) == "odd"
    assert error_sentences.of_system(OSError()) == ""
