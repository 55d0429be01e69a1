"""The ticket at the line prompt: its block, its copy and its QR code."""

import base64
import io
import sys

import pytest
import segno
from support.at_prompt import desk
from textual.color import Color

from cli import printing
from cli.ui.full_screen.styled_lines import style_of
from cli.ui.lines import line_ticket
from cli.words.table_terms import block
from p2p_hoity.coded_errors import because
from p2p_hoity.net.ticket import MOST_ADDRESSES, Ticket, encode_ticket
from p2p_hoity.presentation import screen_updates as updates
from p2p_hoity.table.gathering.invite_by_code import CodesCode

TICKET = encode_ticket(Ticket(b"h" * 32, ("10.0.0.1:9999",), b"t" * 32, (), b"s" * 16))
Shown = pytest.CaptureFixture[str]


class Terminal(io.StringIO):
    """Standard output that is a terminal."""

    def isatty(self) -> bool:
        return True


def modules(lines: list[str]) -> list[list[bool]]:
    """The modules that are drawn, without the light edge; True is dark."""
    pairs = {ink: dark for dark, ink in line_ticket.BLOCKS.items()}
    rows = [[pairs[ink][half] for ink in line] for line in lines for half in (0, 1)]
    edge, size = line_ticket.EDGE, len(lines[0]) - 2 * line_ticket.EDGE
    assert not any(any(row) for row in (*rows[:edge], *rows[edge + size :]))
    return [row[edge : edge + size] for row in rows[edge : edge + size]]


@pytest.mark.parametrize("addresses", [1, MOST_ADDRESSES])
def test_the_code_is_that_of_the_ticket(addresses: int) -> None:
    named = tuple(f"[2001:db8::{n:x}]:4646" for n in range(1, addresses + 1))
    word = encode_ticket(Ticket(b"h" * 32, named, b"t" * 32, (), b"s" * 16))
    lines = line_ticket.qr(word)
    assert len({len(line) for line in lines}) == 1
    wanted = segno.make_qr(word.upper(), error="l").matrix
    assert modules(lines) == [[bool(dark) for dark in row] for row in wanted]


def test_it_fits_or_says_that_it_does_not(monkeypatch: pytest.MonkeyPatch, capsys: Shown) -> None:
    """A pipe has room for all."""
    lines = line_ticket.qr(TICKET)
    line_ticket.show_qr(TICKET)
    assert capsys.readouterr().out.splitlines() == lines
    for wide, high, fits in ((80, 50, True), (len(lines[0]) - 1, 50, False), (80, 20, False)):
        monkeypatch.setattr(printing, "room", lambda found=(wide, high): found)
        line_ticket.show_qr(TICKET)
        out = capsys.readouterr().out
        assert ("█" in out) is fits
        assert ("The QR code needs" in out) is not fits
    lines = block(TICKET)  # the ticket stands alone on its line
    assert lines[lines.index(TICKET) - 1] == lines[lines.index(TICKET) + 1] == ""


def test_its_colours_are_those_of_no_theme(monkeypatch: pytest.MonkeyPatch) -> None:
    """Dark squares on a light ground, also where the terminal or the full screen is light."""
    terminal = Terminal()
    monkeypatch.setattr(sys, "stdout", terminal)
    monkeypatch.setattr(printing, "room", lambda: (200, 100))
    line_ticket.show_qr(TICKET)
    lines = terminal.getvalue().splitlines()
    assert lines
    assert all(";5;231;48;5;16m█" in line and line.endswith("\x1b[0m") for line in lines)
    dark, light = style_of("qr on qr", False), style_of("qr on qr", True)
    assert dark == light
    assert (dark.foreground, dark.background) == (Color.parse("#fff"), Color.parse("#000"))


def test_it_is_copied_at_a_terminal_only(monkeypatch: pytest.MonkeyPatch, capsys: Shown) -> None:
    line_ticket.copy(TICKET)
    out = capsys.readouterr().out
    assert "\x1b" not in out
    assert "no terminal" in out
    terminal = Terminal()
    monkeypatch.setattr(sys, "stdout", terminal)
    line_ticket.copy(TICKET)
    coded = base64.b64encode(TICKET.encode()).decode()
    assert terminal.getvalue().startswith(f"\x1b]52;c;{coded}\x07")


async def test_a_hosts_ticket_is_copied_and_shown_and_a_code_while_there_is_one(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked_for: list[str] = []
    for way in ("copy", "show_qr"):
        monkeypatch.setattr(line_ticket, way, lambda text, *_done: asked_for.append(text))
    async with desk(None) as here:
        here.prompt.ticket.word = "hoity3abc"
        await here.types("c", "qr")
        here.prompt.tell(updates.OfferedCode("7-lantern-walrus", "relay.example:4646", 600.0, None))
        await here.types("code")
        here.prompt.tell(updates.NoCode(because(CodesCode.GUESSED_AT, relay="r:1", words=3)))
        await here.types("code")
    assert asked_for == ["hoity3abc", "hoity3abc", "7-lantern-walrus@relay.example:4646"]
