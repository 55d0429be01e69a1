"""Tests of vouches: each holds for one player, table and seat, and for nothing else ([H-16])."""

from dataclasses import replace

import pytest
from support.cases import fails
from support.machine_table import identity

from protocol import Identity, Invalid, Vouch, vouches
from protocol.wire import table_header
from protocol.wire.table_header import Terms

KEYS = [identity(seat) for seat in range(2)]
PLAYERS = [Identity(bytes([n]) * 32) for n in (1, 2)]
TERMS = Terms(KEYS[0].public, b"n" * 32, (("toy", 1),), 2, 2)
OTHER = replace(TERMS, nonce=b"o" * 32)
MADE = [
    vouches.vouched_entry(TERMS, key, player, name, name.encode() * 8)
    for key, player, name in zip(KEYS, PLAYERS, ("adas", "bobs"), strict=True)
]
ROSTER, SHOWN = tuple(entry for entry, _ in MADE), tuple(vouch for _, vouch in MADE)


def test_a_vouch_opens_the_nonce_of_its_entry_and_is_signed_by_its_player() -> None:
    for entry, vouch, player in zip(ROSTER, SHOWN, PLAYERS, strict=True):
        assert vouch.id == player.public
        assert entry.nonce == vouches.commitment(vouch.id, vouch.salt)
        assert table_header.parse_entry(TERMS, entry.value()) == entry
        vouches.check_vouch(vouch, TERMS, entry)
    vouches.check_vouches(SHOWN, TERMS, ROSTER)
    vouches.check_vouches((None, SHOWN[1]), TERMS, ROSTER)
    vouches.check_vouches((None, None), TERMS, ROSTER)


@pytest.mark.parametrize(
    "vouch",
    [
        SHOWN[1],
        replace(SHOWN[0], id=PLAYERS[1].public),
        replace(SHOWN[0], id=bytes(32)),
        replace(SHOWN[0], id=b"\x01" + bytes(31)),
        replace(SHOWN[0], id=KEYS[0].public),
        replace(SHOWN[0], salt=bytes(32)),
        replace(SHOWN[0], signature=SHOWN[1].signature),
        replace(SHOWN[0], signature=bytes(64)),
        replace(SHOWN[0], signature=ROSTER[0].signature),
    ],
    ids=["seat", "player", "no point", "identity", "seat key", "salt", "signature", "0", "entry"],
)
def test_no_other_vouch_holds_for_an_entry(vouch: Vouch) -> None:
    fails(Invalid, "bad-vouch", vouches.check_vouch, vouch, TERMS, ROSTER[0])


def test_a_vouch_holds_at_no_other_table_and_for_no_other_key() -> None:
    fails(Invalid, "bad-vouch", vouches.check_vouch, SHOWN[0], OTHER, ROSTER[0])
    moved = replace(ROSTER[0], id=KEYS[1].public)
    fails(Invalid, "bad-vouch", vouches.check_vouch, SHOWN[0], TERMS, moved)
    vouches.check_signature(SHOWN[0], TERMS, KEYS[0].public)
    fails(Invalid, "bad-vouch", vouches.check_signature, SHOWN[0], OTHER, KEYS[0].public)
    fails(Invalid, "bad-vouch", vouches.check_signature, SHOWN[0], TERMS, KEYS[1].public)


def test_who_copies_a_commitment_lays_nothing_at_the_players_door() -> None:
    copied = table_header.sit(TERMS, KEYS[1], "bobs", ROSTER[0].nonce)
    fails(Invalid, "bad-vouch", vouches.check_vouch, SHOWN[0], TERMS, copied)


def test_who_vouches_after_the_fact_claims_no_seat_that_it_never_had() -> None:
    """The player signs for the key, but the entry commits to somebody else."""
    late = vouches.vouched_entry(TERMS, KEYS[0], PLAYERS[1], "adas", b"adas" * 8)[1]
    vouches.check_signature(late, TERMS, KEYS[0].public)
    fails(Invalid, "bad-vouch", vouches.check_vouch, late, TERMS, ROSTER[0])


def test_a_roster_has_one_vouch_or_none_for_each_seat_and_no_player_twice() -> None:
    twice = vouches.vouched_entry(TERMS, KEYS[1], PLAYERS[0], "bobs", b"bobs" * 8)
    for shown, roster in (
        (SHOWN[:1], ROSTER),
        ((*SHOWN, None), ROSTER),
        (SHOWN[::-1], ROSTER),
        ((SHOWN[0], twice[1]), (ROSTER[0], twice[0])),
    ):
        fails(Invalid, "bad-vouch", vouches.check_vouches, shown, TERMS, roster)
