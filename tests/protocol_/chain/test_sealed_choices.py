"""Tests of what a sealed choice is bound to."""

from support.cases import fails
from support.machine_table import toy_table

from protocol.chain import sealed_choices
from protocol.chain.chain_state import SealedChoice
from protocol.crypto import commitments
from protocol.crypto.hashing import Context
from protocol.errors import Invalid
from protocol.wire.step_bodies import COIN

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
