"""Tests of consents to another game: whose they are, for which terms, and the roster they make."""

from dataclasses import replace
from typing import Any

import pytest
from support.cases import each
from support.machine_table import identity
from support.toy_game import ToyGame
from support.toy_rematch import CONSENTS, ENTRIES, NEXT, TABLE, TERMS, WHO

from p2p_hoity.table.beside_game import rematch_frames
from p2p_hoity.table.beside_game.rematch import Rematch
from p2p_hoity.table.gathering.lobby import Roster, encode_lobby
from p2p_hoity.table.gathering.table_keys import TableKeys
from p2p_hoity.table.playing.frame_kinds import kind_of
from p2p_hoity.table.playing.rate_limit import REMATCH, RateLimit
from protocol import Identity, Vouch, vouches
from protocol.chain.chain_state import Table
from protocol.wire import table_header
from protocol.wire.table_header import Header, Terms

PEER = WHO[2].public


PLAYERS = [Identity(bytes([n + 1]) * 32) for n in range(3)]
KNOWN = [
    vouches.vouched_entry(NEXT, key, player, f"P{n}", bytes([n]) * 32)
    for n, (key, player) in enumerate(zip(WHO, PLAYERS, strict=True))
]
"""Entries for the next table, and the vouches for them."""


OLD = table_header.sit(TERMS, WHO[1], "P1", bytes(32))
THIRD = Table(Header(NEXT, CONSENTS), ToyGame(3, 1))


STRANGER = table_header.sit(NEXT, identity(9), "P2", bytes(32))
HARDER = replace(NEXT, quorum=3)


class Node:
    """One seat's, or an onlooker's, view of the next table, and what it floods."""

    def __init__(self, seat: int | None) -> None:
        self.sent: list[bytes] = []
        self.limit = RateLimit(TABLE.ids)
        keys = None if seat is None else TableKeys(WHO[seat])
        none = (None,) * len(WHO)
        self.it = Rematch(TABLE, seat, keys, lambda frame, _: self.sent.append(frame), none)

    def hear(self, frame: Any, peer: bytes = PEER) -> bool:
        if isinstance(frame, Roster):
            frame = encode_lobby(frame)
        data = frame if isinstance(frame, bytes) else frame.encode()
        due = self.limit.may_read(peer, kind_of(data), 0.0)
        return due and self.it.receive(peer, data)


def consent(seat: int) -> rematch_frames.Consent:
    return rematch_frames.Consent(TABLE.id, CONSENTS[seat].value())


def known_at(seat: int) -> Node:
    """Return a seat of a table at which all have shown who they are."""
    node = Node(seat)
    shown = tuple(Vouch(one.public, bytes(32), bytes(64)) for one in PLAYERS)
    flood = node.sent.append
    keys = TableKeys(WHO[seat], PLAYERS[seat])
    node.it = Rematch(TABLE, seat, keys, lambda frame, _: flood(frame), shown)
    return node


def vouched(seat: int, by: int | None) -> rematch_frames.Consent:
    """Return a seat's consent with the vouch of a player, or with none."""
    vouch = None if by is None else KNOWN[by][1]
    return rematch_frames.Consent(TABLE.id, KNOWN[seat][0].value(), vouch)


def test_a_vouch_that_was_left_out_on_the_way_is_taken_later_and_once() -> None:
    """[A-2]"""
    node = known_at(0)
    assert node.hear(vouched(1, None))
    assert not node.hear(vouched(1, None))
    assert not node.hear(vouched(1, 2))
    assert node.hear(vouched(1, 1))
    assert not node.hear(vouched(1, 1))
    assert not node.hear(vouched(1, None))
    assert len(node.sent) == 2
    assert not node.hear(vouched(2, 0))  # the player of another seat
    assert node.hear(vouched(2, 2))


def test_a_roster_without_vouches_loses_none_that_is_known() -> None:
    """[A-5]"""
    node = known_at(1)
    node.it.consent()
    (said,) = node.sent
    own = rematch_frames.parse_again(said)
    assert isinstance(own, rematch_frames.Consent)
    assert own.vouch is not None
    assert node.hear(vouched(2, 2))
    mine = table_header.parse_entry(NEXT, own.entry)
    complete = Header(NEXT, (KNOWN[0][0], mine, KNOWN[2][0]))
    signature = table_header.sign_roster(complete, WHO[0])
    stripped = Roster(complete.encode(), ((), (), ()), signature, (None,) * 3)
    forged = replace(stripped, vouches=(KNOWN[1][1], None, None))
    assert not node.hear(forged)
    assert node.hear(stripped)
    assert node.it.roster is not None
    assert node.it.roster.vouches == (None, own.vouch, KNOWN[2][1])


def own_entry(node: Node, seat: int) -> Any:
    return table_header.parse_entry(NEXT, rematch_frames.parse_again(node.sent[0]).entry)  # type: ignore[union-attr]


def roster(entries: Any, terms: Terms = NEXT, host: Any = WHO[0]) -> Roster:
    complete = Header(terms, tuple(entries))
    signature = table_header.sign_roster(complete, host)
    return Roster(complete.encode(), ((), (), ()), signature, (None,) * len(complete.roster))


def test_all_consent_and_the_host_signs_one_roster_that_all_take() -> None:
    nodes = [Node(seat) for seat in range(3)]
    for node in nodes:
        node.it.consent()
    for at, node in enumerate(nodes):
        for other in nodes:
            if other is not node:
                assert node.hear(other.sent[0])
        assert node.it.standing.willing == {0, 1, 2}
        assert (at == 0) or node.it.is_waiting
    for node in nodes:
        node.it.sign()
    signed = nodes[0].it.roster
    assert signed is not None
    nodes[0].it.sign()
    assert nodes[0].it.roster is signed
    assert [node.it.roster for node in nodes[1:]] == [None, None]
    for node in nodes[1:]:
        assert node.hear(signed)
        assert node.it.roster == signed
        assert node.sent[-1] == encode_lobby(signed)  # it goes on before anything of the new table
        assert not node.hear(signed)


def test_each_word_is_passed_on_once_and_the_host_signs_when_all_have_consented() -> None:
    node = Node(0)
    for _ in range(3):
        node.hear(consent(1))
        node.hear(rematch_frames.refuse(TABLE.id, WHO[2]))
    assert node.sent == [consent(1).encode(), rematch_frames.refuse(TABLE.id, WHO[2]).encode()]
    assert list(node.it.accepted_frames()) == node.sent
    assert node.it.standing.willing == {1}
    assert node.it.standing.unwilling == {2}
    node = Node(0)
    bad = rematch_frames.Decline(TABLE.id, WHO[1].public, bytes(64))
    assert not any(node.hear(bad, WHO[2].public) for _ in range(int(REMATCH[0]) * TABLE.seats + 20))
    assert not node.hear(consent(1), WHO[2].public)
    assert node.hear(consent(1), WHO[1].public)
    node = Node(0)
    node.hear(rematch_frames.refuse(TABLE.id, WHO[1]))
    assert not node.hear(consent(1))
    assert node.it.standing.willing == frozenset()
    node.hear(consent(2))
    node.hear(rematch_frames.refuse(TABLE.id, WHO[2]))
    assert node.it.standing.willing == frozenset()
    node.it.consent()
    node.it.sign()
    assert node.it.roster is None
    node = Node(0)
    node.it.consent()
    node.hear(consent(1))
    node.it.sign()
    assert node.it.roster is None


def consented(terms: Terms, who: Any = WHO[1], name: str = "P1") -> rematch_frames.Consent:
    return rematch_frames.Consent(TABLE.id, table_header.sit(terms, who, name, bytes(32)).value())


NO_WORDS: dict[str, Any] = {
    "an old entry": rematch_frames.Consent(TABLE.id, OLD.value()),
    "the entry of this very table": rematch_frames.Consent(TABLE.id, ENTRIES[1].value()),
    "named for another table": rematch_frames.Consent(bytes(32), CONSENTS[1].value()),
    "of a later table": consented(rematch_frames.next_terms(THIRD)),
    "of other terms": consented(replace(NEXT, quorum=3)),
    "under another name": consented(NEXT, name="P2"),
    "of a stranger": consented(NEXT, identity(9)),
    "of another key": rematch_frames.Consent(TABLE.id, (WHO[1].public, *CONSENTS[2].value()[1:])),
    "unsigned": rematch_frames.Consent(TABLE.id, (*CONSENTS[1].value()[:3], bytes(64))),
    "a refusal of another table": rematch_frames.refuse(bytes(32), WHO[1]),
    "a stranger's refusal": rematch_frames.refuse(TABLE.id, identity(9)),
    "a refusal in another's name": replace(
        rematch_frames.refuse(TABLE.id, WHO[2]), id=WHO[1].public
    ),
    "an unsigned refusal": rematch_frames.Decline(TABLE.id, WHO[1].public, bytes(64)),
    "nothing": b"",
    "cut": b"\x93\xa5again",
}


@each(NO_WORDS.values())
def test_what_is_no_word_of_a_seat_on_the_next_table_counts_for_nothing(frame: Any) -> None:
    node = Node(0)
    assert not node.hear(frame)
    assert node.sent == []
    assert node.it.standing == type(node.it.standing)(frozenset(), frozenset())


def rosters(mine: Any) -> dict[str, Roster]:
    """What a lying host may send to seat 1, whose own consent is `mine`."""
    ada, _, clea = CONSENTS
    harder = [table_header.sit(HARDER, one, f"P{i}", bytes(32)) for i, one in enumerate(WHO)]
    old = table_header.sit(NEXT, WHO[1], "P1", bytes(32))
    renamed = table_header.sit(NEXT, WHO[2], "Px", bytes(32))
    fresh = replace(TERMS, nonce=b"f" * 32)
    others = [table_header.sit(fresh, one, f"P{i}", bytes(32)) for i, one in enumerate(WHO)]
    good = roster((ada, mine, clea))
    return {
        "other terms": roster(harder, HARDER),
        "another nonce": roster(others, fresh),
        "this very table": roster(ENTRIES, TERMS),
        "another order": roster((ada, clea, mine)),
        "a stranger": roster((ada, mine, STRANGER)),
        "another name": roster((ada, mine, renamed)),
        "another consent of mine": roster((ada, old, clea)),
        "signed by another": roster((ada, mine, clea), host=WHO[2]),
        "unsigned": replace(good, signature=bytes(64)),
        "no header": replace(good, header=b"\x90"),
    }


@pytest.mark.parametrize("lie", sorted(rosters(CONSENTS[1])))
def test_a_roster_that_is_not_what_this_seat_agreed_to_is_not_taken(lie: str) -> None:
    node = Node(1)
    node.it.consent()
    mine = own_entry(node, 1)
    assert not node.hear(rosters(mine)[lie])
    assert node.it.roster is None
    assert node.hear(roster((CONSENTS[0], mine, CONSENTS[2])))


def test_no_roster_is_taken_by_who_has_not_consented_or_knows_a_refusal() -> None:
    node = Node(1)
    good = roster(CONSENTS)
    assert not node.hear(good)
    node.it.consent()
    mine = own_entry(node, 1)
    node.hear(rematch_frames.refuse(TABLE.id, WHO[2]))
    assert not node.hear(roster((CONSENTS[0], mine, CONSENTS[2])))
    assert not node.it.is_waiting
    watching = Node(None)
    assert watching.hear(good)  # an onlooker follows whoever plays on
