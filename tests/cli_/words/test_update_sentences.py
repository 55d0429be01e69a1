"""Every update of a table has its sentences for people, and its object for programs."""

import json
from dataclasses import replace
from pathlib import Path

import pytest
from support.at_prompt import written_of
from support.cli_stage import UPDATES
from support.line_screen import MUSTER, bound, said_of, told, view
from support.machine_table import identity
from support.rules_driver import Referee

from cli.ui.lines.line_screen import LineScreen
from cli.words.card_names import run_letters
from cli.words.end_sentences import won
from cli.words.moment_sentences import moments
from cli.words.update_sentences import GAME, TABLE
from p2p_hoity import rules
from p2p_hoity.coded_errors import because
from p2p_hoity.editions.load_edition import load
from p2p_hoity.net.network_errors import LinkCode, NetCode
from p2p_hoity.net.ticket import Ticket, encode_ticket
from p2p_hoity.presentation import screen_updates as updates
from p2p_hoity.presentation.scene import Beat
from p2p_hoity.reachability.advertised_addresses import SCOPES, ReachCode, Scope
from p2p_hoity.rules import happenings
from p2p_hoity.table.beside_game.chat import TalkCode
from p2p_hoity.table.gathering.invite_by_code import CodesCode
from protocol import effects, game_interface
from protocol.chain import transition
from protocol.chain.chain_state import Kind, Want
from protocol.crypto.identities import fingerprint

TICKET = encode_ticket(Ticket(b"h" * 32, ("10.0.0.1:9999",), b"t" * 32, (), b"s" * 16))
MOVED = updates.Moved(Scope.LAN, (because(SCOPES[Scope.LAN]), because(ReachCode.OTHERWISE)), TICKET)


def test_the_ticket_of_one_who_moved_is_shown() -> None:
    lines: list[str] = []
    LineScreen(lines.append)(MOVED)
    assert lines.count(TICKET) == 1
    assert any("not everybody can reach you" in line for line in lines)
    assert "hoity resume --relay" in lines[-1]
    moved, taken = written_of(MOVED, updates.TicketTaken("Bob"))
    assert (moved["event"], moved["fields"]["scope"]) == ("moved", "lan")
    assert moved["fields"]["ticket"] == TICKET
    assert (taken["event"], taken["fields"]) == ("ticket-taken", {"name": "Bob"})


def test_a_relay_that_is_lost_or_found_again_is_told() -> None:
    lines: list[str] = []
    lost = updates.RelayState("r.example:1", because(NetCode.CUT))
    found = updates.RelayState("r.example:1", None)
    for update in (lost, found):
        LineScreen(lines.append)(update)
    assert "r.example:1 does not work at the moment (the connection was cut)" in lines[0]
    assert "r.example:1 works again" in lines[1]
    first, second = written_of(lost, found)
    assert first["event"] == second["event"] == "relay-state"
    assert first["fields"]["why"]["code"] == NetCode.CUT
    assert second["fields"] == {"relay": "r.example:1", "why": None}


def each() -> list[updates.Update]:
    """One of every kind."""
    at, seen = bound(), view()
    node = transition.begin(at)
    standing = rules.Standing(1, 0, 47, (1, 2, 3))
    return [
        updates.Joined(("Ana",), 3),
        updates.HostAsked(),
        updates.Crowded(),
        updates.Admitted("Bob", True),
        updates.OfferedCode("7-lantern-walrus", "relay.example:4646", 600.0, None),
        updates.NoCode(because(CodesCode.GUESSED_AT, relay="r:1", words=3)),
        updates.Reached(Scope.LAN, (because(ReachCode.LAN),)),
        updates.Moved(Scope.LAN, (because(ReachCode.LAN),), "hoity3fresh"),
        updates.TicketTaken("Bob"),
        updates.RelayState("relay.example:4646", because(NetCode.CUT)),
        updates.Started(at, 0),
        updates.Linked("Bob"),
        updates.Unlinked("Bob", because(LinkCode.CLOSED)),
        updates.InPages({"Bob": "relay.example"}, 3, 2, "Ana"),
        updates.ChainGrew(node, node, 0.055),
        updates.Happened((happenings.RoundBegan(1, (0, 1, 2), (), None),), seen),
        updates.Rewound(2, 5, seen),
        updates.Choosing(seen, "place", False),
        updates.ChoiceTaken("place", 1),
        updates.ChoiceRefused("window", "window-empty", {"window": 1}),
        updates.Awaited(frozenset({1}), 5.4),
        updates.Halfway(frozenset({1}), 150.0, 150.0, MUSTER),
        updates.SeatsTimedOut(frozenset({1}), 300.0, MUSTER),
        updates.Paused(frozenset({1}), 300.0, replace(MUSTER, there=1)),
        updates.Extended(frozenset({1}), 300.0),
        updates.Attendance((updates.Attending.LINKED, updates.Attending.LEFT)),
        updates.Clock(frozenset({1}), 1.0, 299.0, 300.0, MUSTER),
        effects.SeatLeft(1),
        effects.EndAnnounced(1, "silent-seat", 2),
        effects.JournalDoubted(),
        effects.SigningEnded(),
        updates.Resumed(seen),
        updates.Away(),
        updates.Rejoined(),
        updates.Accused(1, "bad-share"),
        updates.Said(1, "Bob", "nice pipes"),
        updates.Said(None, "ABCD-EFGH", 2),
        updates.Unsaid(because(TalkCode.FAST)),
        updates.Again(frozenset({1}), frozenset()),
        updates.GameOver(at, node, (standing,), Path("game.hoity")),
        updates.Unconfirmed(frozenset({1}), 299.0),
        updates.Ended("two-chains", 1),
        updates.ProofSaved(Path("proof.hoity")),
    ]


def test_every_seats_key_is_shown_when_the_table_begins() -> None:
    table = bound()
    roster = table.header.roster
    players = (*(identity(9 + seat).public for seat in range(1, table.seats)), None)
    begun = updates.Started(table, 0, players)
    said, (written,) = said_of(begun), written_of(begun)
    for entry, key, one in zip(roster, players, written["seats"], strict=True):
        told = "shows no key" if key is None else fingerprint(key)
        assert any(told in line and entry.nickname in line for line in said)
        assert one["fingerprint"] == (key and fingerprint(key))
        assert one["table_key"] == fingerprint(entry.id)


def test_every_update_has_a_teller_and_may_come_before_the_table() -> None:
    assert set(UPDATES) == {type(one) for one in each()} >= set(TABLE) | set(GAME) - {Beat}
    said: list[str] = []
    screen = LineScreen(said.append)
    for update in each():
        if not isinstance(update, updates.Started):
            screen(update)
    assert any("Seated 1 of 3: Ana" in line for line in said)


SILENT = (updates.Attendance, updates.Clock)
"""Kept for whoever asks, or until it matters."""


@pytest.mark.parametrize("update", each(), ids=lambda one: type(one).__name__)
def test_every_update_is_told_and_is_an_object(update: updates.Update) -> None:
    screen, said = told()
    screen(update)
    if isinstance(update, updates.Choosing | updates.Resumed):
        assert screen.view is update.view
    elif isinstance(update, SILENT):
        assert said == []
    else:
        assert said
        assert "{" not in "".join(said)
    written = written_of(update)
    # The last message tells some. A clock and who is there are told of a table only.
    left_out = updates.Unconfirmed | updates.Ended | updates.Attendance | updates.Clock
    assert bool(written) is not isinstance(update, left_out)
    for line in written:
        assert json.loads(json.dumps(line, allow_nan=False))["type"]


def test_what_a_shuffle_proved_is_kept_with_its_time_and_not_said() -> None:
    screen, said = told()
    node = replace(transition.begin(bound()), want=Want(Kind.SHUFFLE, frozenset({1})))
    screen(updates.ChainGrew(node, node, 0.055))
    assert said == []
    (proof,) = screen.proofs
    assert proof.startswith("deck shuffled by seat 1")
    assert proof.endswith("proof checked, 55 ms")


def test_the_end_names_the_winner_and_every_last_exhibit() -> None:
    screen, said = told()
    referee = Referee.seat(load(), 3, 1)
    while not isinstance(rules.expected(referee.state), game_interface.Over):
        referee.step()
    standings = referee.state.standings
    at = bound()
    screen(updates.Happened(tuple(referee.record), rules.view(referee.state, 0, {})))
    screen(updates.GameOver(at, transition.begin(at), standings, None))
    assert screen.names is not None
    end = said.index(f"The game is over. {won(standings, screen.names)}")
    assert said[end + 1 :] == moments(screen.scene, screen.names) != []
    for one in standings:
        letters = run_letters(referee.state.piece(slot).letter for slot in one.exhibit)
        assert any(f"final exhibit {letters or '–'}." in line for line in said)


def test_what_came_of_the_wish_to_wait_is_said_and_a_replaced_link_is_no_news() -> None:
    one, nobody = frozenset({1}), frozenset[int]()
    said = said_of(*(updates.Extended(*what) for what in ((one, 300.0), (one, 0.0), (nobody, 0.0))))
    assert "up to 300 s more for seat 1" in said[0]
    assert "has to wait" in said[1]
    assert "Nobody else" in said[2]
    assert said_of(updates.Unlinked("Bob", because(LinkCode.REPLACED))) == []


def test_what_is_said_stands_behind_the_name_that_was_proven() -> None:
    said: list[str] = []
    screen = LineScreen(said.append)
    screen(updates.Said(1, "Bob", "nice: Ada: pipes"))
    screen(updates.Said(None, "ABCD-EFGH", 2))
    assert said == ["» Bob: nice: Ada: pipes", "» onlooker ABCD-EFGH: What a thief!"]
