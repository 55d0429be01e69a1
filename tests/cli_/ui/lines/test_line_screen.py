"""The screen of lines says each thing once, and what to do about a loss."""

from dataclasses import replace

import pytest
from support.cli_stage import referee
from support.kept_home import table_of
from support.line_screen import MUSTER, said_of, told, view

from cli.ui.lines.line_screen import LineScreen
from p2p_hoity.coded_errors import because
from p2p_hoity.net.ticket import Ticket, encode_ticket
from p2p_hoity.presentation import screen_updates as updates
from p2p_hoity.reachability.advertised_addresses import Found, Wanted, judge
from p2p_hoity.reachability.pcp_and_nat_pmp import RouterCode
from p2p_hoity.rules import happenings
from protocol.chain.chain_state import Kind

LINKED, UNLINKED = updates.Attending.LINKED, updates.Attending.UNLINKED
TICKET = encode_ticket(Ticket(b"h" * 32, ("10.0.0.1:9999",), b"t" * 32, (), b"s" * 16))


def test_the_line_prompt_says_once_for_each_loss_what_to_do() -> None:
    lines: list[str] = []
    screen = LineScreen(lines.append)
    table = table_of(3, 1).table
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
    table = table_of(3, 1).table
    resumed = updates.Resumed(referee(3).view(1), ())
    linked, alone = (updates.Attendance((one,) * 3) for one in (LINKED, UNLINKED))
    started, awaited = (
        updates.Started(table, 1),
        updates.Awaited(frozenset({0, 2}), 10.0),
    )
    command = f"hoity resume {table.id.hex()[:16]} --claim"
    for heard, is_said in (
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
        for update in heard:
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


def test_after_a_choice_it_is_said_once_who_is_awaited() -> None:
    screen, said = told()
    seats = (
        updates.Attending.LINKED,
        updates.Attending.LINKED,
        updates.Attending.UNLINKED,
    )
    waiting = updates.Clock(frozenset({1, 2}), 1.0, 299.0, 300.0, MUSTER)
    screen(updates.Attendance(seats))
    screen(waiting)
    assert said == []
    screen.is_confirmed = True
    screen(updates.ChoiceTaken("place", 1))
    screen(replace(waiting, awaited=frozenset({0, 1})))
    assert said == []
    screen(waiting)
    screen(waiting)
    assert said == ["  [sealed; awaited: seat 1 (thinking), seat 2 (no link)]"]
    screen, said = told()
    screen.is_confirmed = True
    screen(updates.ChoiceTaken("place", 1))
    assert said == []
    screen(updates.Happened((happenings.RoundBegan(1, (0, 1, 2), (), None),), view()))
    said.clear()
    screen(updates.Clock(frozenset({1}), 1.0, 299.0, 300.0, MUSTER))
    assert said == []
    assert said_of(updates.ChoiceTaken("place", 1)) == ["  [chosen: Auction Hall]"]


@pytest.mark.parametrize("by_bot", [False, True])
def test_why_there_is_no_other_game_is_true_of_oneself(by_bot: bool) -> None:
    screen, said = told()
    screen.by_bot = by_bot
    screen(updates.Again(frozenset({0}), frozenset()))  # one's own wish is no news
    screen(updates.Again(frozenset({1}), frozenset({0, 2})))
    why = "a bot was playing your seat, so you did not agree" if by_bot else "you did not agree"
    assert said[0].endswith(f"people: not agreed: seat 2 (green); {why}.]")


def test_whose_choice_is_sealed_is_not_called_thinking_while_it_is_confirmed() -> None:
    screen, said = told()
    screen.is_confirmed = True
    screen(updates.ChoiceTaken("place", 1))
    screen(updates.Attendance((updates.Attending.LINKED,) * 2 + (updates.Attending.UNLINKED,)))
    others = frozenset({1, 2})
    screen(updates.Clock(others, 1.0, 29.0, 30.0, MUSTER, Kind.BARRIER))
    assert said == []
    screen(updates.Awaited(others, 10.0))
    assert said[0] == "  [waiting for 10 s: seat 1 (sealed), seat 2 (no link)]"


STRICT = updates.Muster(3, 3, 2, strict=True)


def test_who_reads_lines_by_choice_is_shown_commands_that_keep_them() -> None:
    screen, said = told("--plain ")
    screen(updates.Halfway(frozenset({1}), 150.0, 150.0, STRICT))
    assert f"hoity resume --plain {screen.scene.game}" in " ".join(said)


def test_names_and_the_game_are_there_once_it_has_begun() -> None:
    screen = LineScreen([].append, "--plain ")
    assert screen.typed_game == ""
    with pytest.raises(RuntimeError, match="before a game has begun"):
        screen.names_in_game()
    table = table_of(3, 1).table
    screen(updates.Started(table, 1))
    assert screen.names_in_game().nicknames == ("seat 0", "seat 1", "seat 2")
    assert screen.typed_game == f"--plain {table.id.hex()[:16]}"
