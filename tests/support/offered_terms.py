"""Terms of a table for four with an edition, and what a guest is told of them."""

from cli.words import table_terms
from cli.words.table_terms import TableOffer
from p2p_hoity.editions.load_edition import load
from p2p_hoity.game_adapter import game_value, read_game
from p2p_hoity.rules.edition import Edition
from protocol.wire.table_header import Terms
from support.machine_table import identity

UBER = load()


def terms(edition: Edition = UBER, **given: object) -> Terms:
    """Return terms for four seats, three of which can go on, with other fields as given."""
    game = game_value(edition, None)
    return Terms(identity(0).public, b"n" * 32, game, 4, 3, **given)  # type: ignore[arg-type]


def described(offered: Terms) -> str:
    """Return the terms in words, as a guest reads them."""
    return "\n".join(table_terms.describe(TableOffer(offered, read_game(offered), ("Ana",))))
