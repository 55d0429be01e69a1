"""The messages that updates cause: each once, in their order, and only what has changed."""

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from support import table_contract
from support.cli_stage import referee, until
from support.line_screen import MUSTER, bound
from support.offered_terms import terms
from support.rules_driver import Referee

from cli.table_view.messages import TableMessages, hello
from cli.words.table_terms import TableOffer
from p2p_hoity import rules
from p2p_hoity.coded_errors import because
from p2p_hoity.editions.load_edition import load
from p2p_hoity.game_adapter import read_game
from p2p_hoity.presentation import screen_updates as updates
from p2p_hoity.presentation.table_messages import Message
from p2p_hoity.reachability.advertised_addresses import ReachCode, Scope


def lines(found: Iterable[Message]) -> list[dict[str, Any]]:
    written = [one.as_json() for one in found]
    for line in written:
        table_contract.check(line)
    return written


def types(found: Iterable[Message]) -> list[str]:
    return [line["type"] for line in lines(found)]


def place_question() -> rules.View:
    return until(referee(3, 1), "place", 0)


def begun() -> TableMessages:
    """A table whose cards are dealt, as seat 0 sees it, with nothing left to tell."""
    told = TableMessages()
    driver = Referee.seat(load(), 3, 1)
    view = until(driver, "place", 0)
    for update in (updates.Started(bound(), 0), updates.Happened(tuple(driver.record), view)):
        lines(told.hear(update))
    return told


def test_the_greeting_names_the_contract_and_the_phrases() -> None:
    (line,) = lines([hello("1.2.3")])
    assert (line["program"], len(line["phrases"])) == ("1.2.3", 12)


def test_a_lobby_is_told_anew_only_when_it_has_changed() -> None:
    told, offered = TableMessages(), terms()
    offer = TableOffer(offered, read_game(offered), ("Ana",))
    (first,) = lines(told.offered(offer, "hoity3one"))
    assert (first["names"], first["ticket"], first["terms"]["seats"]) == (["Ana"], "hoity3one", 4)
    assert lines(told.offered(offer)) == []
    joined = updates.Joined(("Ana", "Bob"), 4)
    (second,) = lines(told.hear(joined))
    assert second == {**first, "names": ["Ana", "Bob"]}
    assert lines(told.hear(joined)) == []
    reached = updates.Reached(Scope.LAN, (because(ReachCode.LAN),), "hoity3two")
    lobby, log = lines(told.hear(reached))
    assert (lobby["ticket"], lobby["reach"]) == ("hoity3two", "lan")
    assert (log["event"], log["fields"]["ticket"]) == ("reached", "hoity3two")
    code = updates.OfferedCode("7-lantern-walrus", "r.example:1", 600.0, None)
    lobby, log = lines(told.hear(code))
    assert (lobby["code"], log["fields"]["relay"]) == ("7-lantern-walrus", "r.example:1")


def test_a_question_is_closed_when_it_is_lost_and_taken_when_it_is_answered() -> None:
    told, view = begun(), place_question()
    asked = updates.Choosing(view, "place", False)
    assert types(told.hear(asked)) == ["question", "state"]
    assert types(told.hear(asked)) == ["closed", "question"]
    assert types(told.hear(updates.ChoiceTaken("place", 1)))[0] == "taken"
    assert not told.is_open
    lines(told.hear(asked))
    assert types(told.hear(updates.Away()))[:2] == ["closed", "log"]
    lines(told.hear(asked))
    rewound = updates.Rewound(2, 1, view)
    first, second, *_ = lines(told.hear(rewound))
    assert (first["type"], second["event"], second["fields"]) == (
        *("closed", "rewound"),
        {"epoch": 2, "kept": 1},
    )


def test_a_refusal_names_the_question_that_is_open() -> None:
    told = begun()
    lines(told.hear(updates.Choosing(place_question(), "place", False)))
    (line,) = lines([told.refused("window-empty", {"window": 1})])
    assert (line["question"], line["words"]) == (1, "that window is empty")
    lines(told.close())
    (line,) = lines([told.refused("window-empty", {"window": 1})])
    assert line["question"] is None


def test_a_board_is_told_when_something_of_it_has_changed() -> None:
    told = begun()
    clock = updates.Clock(frozenset({0, 1, 2}), 1.0, 299.0, 300.0, MUSTER)
    lines(told.hear(clock))
    assert types(told.hear(replace(clock, waited=2.0, left=298.0))) == []
    gone = (updates.Attending.LINKED, updates.Attending.LEFT, updates.Attending.LINKED)
    (state,) = lines(told.hear(updates.Attendance(gone)))
    assert state["board"]["seats"][1]["presence"] == "left"
    assert lines(told.hear(updates.Attendance(gone))) == []


def test_a_strict_table_has_a_clock_without_an_end() -> None:
    told = begun()
    clock = updates.Clock(frozenset({1}), 1.0, 0.0, 300.0, replace(MUSTER, strict=True))
    assert lines(told.hear(clock))[0]["left"] is None
