"""Tests of the frames about another game: consents, refusals, and the next terms."""

from dataclasses import replace
from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from support.cases import each, fails
from support.machine_table import identity
from support.toy_game import ToyGame
from support.toy_rematch import CONSENTS, ENTRIES, NEXT, TABLE, TERMS, WHO

from p2p_hoity.table.beside_game import rematch_frames
from p2p_hoity.table.gathering.lobby import Roster, encode_lobby, parse_lobby
from p2p_hoity.table.gathering.ticket_proof import Capability
from p2p_hoity.table.playing.frame_kinds import Handler, is_of_game, kind_of
from protocol.chain.chain_state import Table
from protocol.errors import Invalid
from protocol.wire import codec, table_header
from protocol.wire.table_header import Header, Terms


def consent(seat: int) -> rematch_frames.Consent:
    return rematch_frames.Consent(TABLE.id, CONSENTS[seat].value())


def roster(entries: Any, terms: Terms = NEXT, host: Any = WHO[0]) -> Roster:
    complete = Header(terms, tuple(entries))
    signature = table_header.sign_roster(complete, host)
    return Roster(complete.encode(), ((), (), ()), signature, (None,) * len(complete.roster))


def test_all_can_compute_the_next_terms_and_its_secret_leads_forward_only() -> None:
    assert replace(NEXT, nonce=TERMS.nonce) == TERMS
    assert NEXT.nonce != TERMS.nonce
    assert rematch_frames.is_next(NEXT, TABLE.id)
    assert not rematch_frames.is_next(NEXT, bytes(32))
    assert not rematch_frames.is_next(TERMS, TABLE.id)
    other = Table(Header(TERMS, (ENTRIES[0], ENTRIES[2], ENTRIES[1])), ToyGame(3, 1))
    assert rematch_frames.next_terms(other).nonce != NEXT.nonce
    held = Capability(TERMS.digest(), b"s" * 16)
    following = held.next(NEXT.digest())
    assert len(following.secret) == 16
    assert following.secret != held.secret
    assert following.terms == NEXT.digest()
    assert held.next(TERMS.digest()).secret != following.secret
    link, door, guest = b"l" * 32, WHO[0].public, b"g" * 32
    proof = following.guest_proof(link, door, guest)
    assert following.admits(proof, link, door, guest)
    assert not following.admits(held.guest_proof(link, door, guest), link, door, guest)
    assert not Capability(NEXT.digest()).next(NEXT.digest()).secret
    assert Capability(TERMS.digest(), is_open=True).next(NEXT.digest()).is_open


def test_the_frames_are_told_apart_and_passed_over_by_older_peers() -> None:
    for frame in (consent(0), rematch_frames.refuse(TABLE.id, WHO[0])):
        data = frame.encode()
        assert kind_of(data).handler is Handler.REMATCH
        assert not is_of_game(data)
        assert len(data) > 128
        assert rematch_frames.parse_again(data) == frame
        for place in range(len(data)):
            fails(Invalid, "", rematch_frames.parse_again, data[:place])
        fails(Invalid, "", rematch_frames.parse_again, data + b"\0")
    fails(Invalid, "", rematch_frames.parse_again, encode_lobby(roster(CONSENTS)))
    assert isinstance(parse_lobby(encode_lobby(roster(CONSENTS))), Roster)


@each(
    [
        ("again", bytes(31), CONSENTS[0].value()),
        ("again", TABLE.id, ()),
        ("again", TABLE.id, (1, 2, 3, 4)),
        ("again", TABLE.id, None),
        ("again", TABLE.id, CONSENTS[0].value(), 0),
        ("no-more", TABLE.id, bytes(31), bytes(64)),
        ("no-more", TABLE.id, bytes(32), bytes(63)),
        ("no-more", TABLE.id, bytes(32)),
        ("never", TABLE.id, bytes(32), bytes(64)),
        (),
    ]
)
def test_another_form_is_no_word(fields: Any) -> None:
    fails(Invalid, "", rematch_frames.parse_again, codec.encode(fields))


@given(st.binary(max_size=300))
def test_any_bytes_give_a_word_or_invalid(data: bytes) -> None:
    for start in (b"", b"\x93\xa5again", b"\x94\xa7no-more"):
        try:
            assert rematch_frames.parse_again(start + data).encode() == start + data
        except Invalid:
            continue


def test_a_refusal_names_its_seat_only_if_it_is_signed_and_of_the_table_before() -> None:
    following = Table(Header(NEXT, CONSENTS), ToyGame(3, 1))
    sound = rematch_frames.refuse(TABLE.id, WHO[1])
    assert rematch_frames.refuser_of(following, sound.encode()) == 1
    for wrong in (
        replace(sound, signature=bytes(64)),
        rematch_frames.refuse(TABLE.id, identity(9)),
        rematch_frames.refuse(following.id, WHO[1]),
        consent(1),
    ):
        assert rematch_frames.refuser_of(following, wrong.encode()) is None
    assert rematch_frames.refuser_of(following, b"nonsense") is None
    fails(Invalid, "", replace(sound, id=WHO[2].public).check)
