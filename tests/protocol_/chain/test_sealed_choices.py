"""Tests of what a sealed choice is bound to."""

from dataclasses import replace

import pytest
from support.cases import fails
from support.driven_chain import DrivenChain
from support.forgeries.bodies import flip
from support.machine_table import toy_table

from protocol.chain import sealed_choices
from protocol.chain.chain_state import Kind, SealedChoice
from protocol.crypto import commitments
from protocol.crypto.hashing import Context
from protocol.errors import Invalid
from protocol.wire import step_bodies
from protocol.wire.step_bodies import COIN, SealBody

KIND = "shares"
"""What a game may call a choice, and what the shares of a seat are called."""
OPENING = (b"\x01", bytes(32))


def test_a_games_kind_of_choice_is_bound_as_such_and_the_coin_by_its_own_name() -> None:
    """What is sealed for the name alone could be a statement of the protocol ([C-12])."""
    node = toy_table(3, 1, 3).machine().tip
    of_game, of_protocol = (node.table.context(7, 1, name) for name in (f"game {KIND}", KIND))
    assert sealed_choices.context_of(node, 7, 1, KIND) == of_game
    sealed_choices.check_opening(node, 1, KIND, sealed_in(of_game), OPENING)
    others = (
        of_protocol,
        node.table.context(7, 1, f"game game {KIND}"),
        node.table.context(7, 1, ""),
    )
    for context in others:
        sealed = sealed_in(context)
        fails(Invalid, "bad-opening", sealed_choices.check_opening, node, 1, KIND, sealed, OPENING)
    coin = node.table.context(7, 1, "coin")
    assert sealed_choices.context_of(node, 7, 1, COIN) == coin
    sealed_choices.check_opening(node, 1, COIN, sealed_in(coin), OPENING)
    sealed = sealed_in(node.table.context(7, 1, "game coin"))
    fails(Invalid, "bad-opening", sealed_choices.check_opening, node, 1, COIN, sealed, OPENING)


def sealed_in(context: Context) -> SealedChoice:
    """Return a choice sealed in step 7, without an escrow, as at a strict table."""
    return SealedChoice(7, commitments.commit(context, *OPENING), b"")


@pytest.mark.usefixtures("cheap")
def test_a_choice_is_sealed_for_its_seat_and_step_and_its_opening_is_stored() -> None:
    drive = DrivenChain(4)
    node = drive.stand_before(Kind.SEAL, "bid")
    choice = step_bodies.encode_choice(2)
    body = sealed_choices.seal_choice(node, 1, "bid", choice, drive.secrets[1], drive.rng)
    read = step_bodies.parse(SealBody, body)
    sealed = sealed_choices.check_sealed(node, 1, "bid", read)
    opening = drive.secrets[1].openings[sealed.commitment]
    assert opening[0] == choice
    sealed_choices.check_opening(node, 1, "bid", sealed, opening)
    fails(Invalid, "bad-escrow", sealed_choices.check_sealed, node, 2, "bid", read)
    wrong = replace(read, commitment=flip(read.commitment))
    fails(Invalid, "bad-escrow", sealed_choices.check_sealed, node, 1, "bid", wrong)
    check, spoilt = sealed_choices.check_opening, replace(sealed, escrow=flip(sealed.escrow))
    fails(Invalid, "bad-escrow", check, node, 1, "bid", spoilt, opening)
    fails(Invalid, "bad-body", check, node, 1, "bid", sealed, (choice * 9, opening[1]))
    fails(Invalid, "bad-opening", check, node, 1, "bid", sealed, (choice, bytes(32)))


@pytest.mark.usefixtures("cheap")
def test_every_escrow_of_a_kind_has_one_size_and_a_strict_table_has_none() -> None:
    drive, sizes = DrivenChain(4), set[int]()
    node = drive.stand_before(Kind.SEAL, "bid")
    for choice in (b"", b"\1", bytes(8)):
        body = sealed_choices.seal_choice(node, 1, "bid", choice, drive.secrets[1], drive.rng)
        sizes.add(len(step_bodies.parse(SealBody, body).escrow))
    assert len(sizes) == 1
    strict = DrivenChain(2)
    node = strict.stand_before(Kind.SEAL, "bid")
    body = sealed_choices.seal_choice(node, 1, "bid", b"\1", strict.secrets[1], strict.rng)
    read = step_bodies.parse(SealBody, body)
    assert read.escrow == b""
    assert sealed_choices.check_sealed(node, 1, "bid", read).step == node.step
    fails(
        Invalid,
        "bad-escrow",
        sealed_choices.check_sealed,
        node,
        1,
        "bid",
        replace(read, escrow=b"x"),
    )


def test_a_coin_is_read_as_it_is_and_a_choice_of_the_game_by_its_size() -> None:
    node = toy_table(3, 1, 3).machine().tip
    assert sealed_choices.read_choice(node, COIN, bytes(32)) == bytes(32)
    fails(Invalid, "bad-body", sealed_choices.read_choice, node, COIN, bytes(31))
    assert sealed_choices.read_choice(node, "bid", b"\2") == 2
    long = step_bodies.encode_choice((1,) * 8)
    fails(Invalid, "bad-body", sealed_choices.read_choice, node, "bid", long)
    assert sealed_choices.choice_size(node, COIN) == 32
    assert sealed_choices.choice_size(node, "bid") == 8 < len(long)
