"""Who waits for whom at the end of a table, by the links there are ([E-19])."""

from support.inspection import forget_announcement
from support.machine_table import MachineTable, toy_table

from protocol.wire.header import Patience

HUB = 0


def played() -> MachineTable:
    """Return a star of four, whose leaves have a link to the hub only, at the end of the game.

    All have told each other what they hold.
    """
    made = toy_table(patience=Patience())
    made.cut = lambda seat, other: HUB not in (seat, other)
    made.play(until=60)
    for seat, machine in enumerate(made.machines()):
        machine.sync(None)
        made.collect(seat)
    made.settle()
    return made


def has_end(room: MachineTable) -> list[bool]:
    """Of each seat whether it needs to stay for nobody."""
    return [place.machine.all_have_end() for place in room.places]


def linger(room: MachineTable) -> None:
    """A grace passes."""
    room.now += room.table.header.terms.patience.grace / 1000
    for machine in room.machines():
        machine.tick(room.now)


def test_leaves_of_a_star_wait_for_each_other_for_a_grace_and_no_longer() -> None:
    room = played()
    assert room.done()
    assert has_end(room) == [True, False, False, False]
    linger(room)
    assert has_end(room) == [True] * 4
    room.machine(1).link_up(room.table.ids[2], room.now)
    assert has_end(room)[1] is False, "a link came up since"


def test_who_waits_for_a_leaf_that_is_gone_and_for_all() -> None:
    room = played()
    hub = room.machine(HUB)
    room.places[2].alive = False
    hub.link_down(room.table.ids[2], room.now)
    forget_announcement(hub, 2)
    linger(room)
    assert has_end(room) == [False, True, True, True]
    room = played()
    room.crash_and_resume(1)
    room.settle()
    linger(room)
    assert not room.machine(1).all_have_end()
