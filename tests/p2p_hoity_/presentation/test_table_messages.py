"""The messages of a table as JSON."""

from enum import Enum
from pathlib import Path
from typing import Any

import pytest

from p2p_hoity.presentation.message_records import HeldPiece, WindowState
from p2p_hoity.presentation.table_messages import (
    MESSAGES,
    Ask,
    AskForm,
    Lobby,
    Message,
    plain,
    type_of,
)
from p2p_hoity.presentation.window_messages import WINDOW_MESSAGES, Entered, Sheet
from p2p_hoity.rules import Place, happenings


class Colour(Enum):
    RED = "red"


@pytest.mark.parametrize(
    ("value", "told"),
    [
        (Place.AUCTION_HALL, "Auction Hall"),
        (Colour.RED, "red"),
        (1.23456, 1.235),
        (Path("a/b"), "a/b"),
        ({3: (1, 2)}, {"3": [1, 2]}),
        (frozenset({3, 1}), [1, 3]),
        (HeldPiece(4, "A", 1502, True), [4, "A", 1502, True]),
        (WindowState(None, 0), {"top": None, "size": 0}),
        (happenings.NoSale(3), {"type": "no-sale", "round": 3}),
        (True, True),
        (None, None),
        ("x", "x"),
    ],
    ids=str,
)
def test_values_are_plain(value: Any, told: Any) -> None:
    assert plain(value) == told


def test_a_message_has_its_type_and_its_fields() -> None:
    ask = Ask(2, AskForm.AGAIN, "Again?", {}, None)
    assert ask.as_json() == {
        "type": "ask",
        "id": 2,
        "form": "again",
        "words": "Again?",
        "fields": {},
        "seconds": None,
    }
    kinds = (*MESSAGES, *WINDOW_MESSAGES)
    assert set(kinds) == set(Message.__subclasses__())
    assert len({type_of(kind) for kind in kinds}) == len(kinds)


def test_a_ticket_and_a_code_are_in_no_log() -> None:
    lobby = Lobby((), 3, "hoity3secret", "7-lantern-walrus")
    assert "secret" not in repr(lobby)
    assert "lantern" not in repr(lobby)
    assert lobby.as_json()["ticket"] == "hoity3secret"
    assert "secret" not in repr(Entered("secret"))
    assert "secret" not in repr(Sheet("ticket", "", (), "hoity3secret", "secret"))
