"""The parts of messages: which update is told by which event, and what its fields are."""

from typing import get_args

from support.line_screen import bound
from support.machine_table import identity

from cli.table_view.message_parts import EVENTS, table_of
from p2p_hoity.presentation import screen_updates as updates
from protocol import fingerprint

BY_THEIR_OWN = {
    *(updates.Joined, updates.Started, updates.ChainGrew, updates.Happened, updates.Choosing),
    *(updates.ChoiceTaken, updates.ChoiceRefused, updates.Clock, updates.Attendance, updates.Said),
    *(updates.Accused, updates.GameOver, updates.Ended, updates.Unconfirmed),
}
"""The updates that have messages of their own, or are told by the last one."""


def test_every_update_is_told_by_an_event_or_a_message_of_its_own() -> None:
    every = {*updates.ScreenUpdate.__subclasses__(), *get_args(updates.Update)}
    every -= {updates.ScreenUpdate}
    assert set(EVENTS) | BY_THEIR_OWN == every
    assert not set(EVENTS) & BY_THEIR_OWN
    assert len(set(EVENTS.values())) == len(EVENTS)


def test_a_table_has_a_mark_and_the_keys_of_each_seat() -> None:
    table = bound()
    players = (identity(9).public, None, None)
    told = table_of(table, 1, players)
    assert told.seat == 1
    assert len({seat.mark for seat in told.seats}) == table.seats
    assert [seat.fingerprint for seat in told.seats] == [fingerprint(players[0]), None, None]
    roster = table.header.roster
    assert [seat.table_key for seat in told.seats] == [fingerprint(one.id) for one in roster]
    assert all(seat.fingerprint is None for seat in table_of(table, None, ()).seats)
    assert [card.id for card in told.cards] == list(range(len(told.cards)))
