"""The screen of lines says each thing once, and what to do about a loss."""

from support.cli_stage import referee
from support.kept_home import room_of

from cli.ui.lines.line_screen import LineScreen
from p2p_hoity.coded_errors import because
from p2p_hoity.net.ticket import Ticket, encode_ticket
from p2p_hoity.presentation import screen_updates as updates
from p2p_hoity.reachability.advertised_addresses import (
    Found,
    Wanted,
    judge,
)
from p2p_hoity.reachability.pcp_and_nat_pmp import RouterCode

LINKED, UNLINKED = updates.Attending.LINKED, updates.Attending.UNLINKED


TICKET = encode_ticket(Ticket(b"h" * 32, ("10.0.0.1:9999",), b"t" * 32, (), b"s" * 16))


def test_the_line_prompt_says_once_for_each_loss_what_to_do() -> None:
    lines: list[str] = []
    screen = LineScreen(lines.append)
    table = room_of(3, 1).table
    screen(updates.Started(table, 1))
    awaited = updates.Awaited(frozenset({0}), 30.0)
    lost = updates.Attendance((UNLINKED, LINKED, LINKED))
    there = updates.Attendance((LINKED,) * 3)
    for seats, times in ((there, 0), (lost, 1), (lost, 1), (there, 1), (lost, 2)):
        screen(seats)
        screen(awaited)
        assert sum("hoity join TICKET" in line for line in lines) == times


def test_who_resumed_and_finds_nobody_is_told_once_that_they_may_have_finished() -> None:
    lines: list[str] = []
    screen = LineScreen(lines.append)
    table = room_of(3, 1).table
    resumed = updates.Resumed(referee(3).view(1), ())
    linked, alone = (updates.Attendance((one,) * 3) for one in (LINKED, UNLINKED))
    started, awaited = (
        updates.Started(table, 1),
        updates.Awaited(frozenset({0, 2}), 10.0),
    )
    command = f"hoity resume {table.id.hex()[:16]} --claim"
    for told, is_said in (
        ((started, alone, awaited), False),  # not resumed
        ((started, resumed, linked, awaited), False),
        ((started, resumed, updates.Linked("Bob"), alone, awaited), False),
        (
            (started, resumed, updates.Linked(None), alone, awaited),
            True,
        ),  # an onlooker is nobody
        ((awaited, alone, awaited), False),  # once
    ):
        lines.clear()
        for update in told:
            screen(update)
        assert ("finished without you" in "".join(lines)) == is_said
        assert (command in "".join(lines)) == is_said


def reached(found: Found, ticket: str = "") -> updates.Reached:
    judged = judge(found, Wanted(lan=True))
    return updates.Reached(judged.scope, judged.reasons, ticket)


HOME = Found(("192.168.1.5:4646",), trouble=(because(RouterCode.SILENT),))


def test_the_line_prompt_says_each_thing_once_and_a_better_ticket_apart() -> None:
    lines: list[str] = []
    screen = LineScreen(lines.append)
    screen(reached(Found(("192.168.1.5:4646",), asking=True)))
    before = len(lines)
    screen(reached(HOME))
    assert lines[before:] == [line for line in lines if "not answer" in line]
    screen(reached(Found(("192.168.1.5:4646",), mapped="81.2.69.142:4646"), TICKET))
    assert lines.count(TICKET) == 1
    assert "81.2.69.142:4646" in lines[-1]
