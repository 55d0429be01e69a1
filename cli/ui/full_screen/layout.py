"""The layout of the full screen: its parts, and which of them shrink first in a small window."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

from p2p_hoity.presentation.screen_updates import Attending, Said
from p2p_hoity.rules import Phase, Place, View, happenings

from ...printing import COLUMNS, ROWS, is_small
from ...words.chat_phrases import MARK, spoken
from ...words.presence_sentences import victory
from ...words.translation import N_, _
from . import turning_points
from .colours import Line, between, broken, cells, joined, paragraphs, text
from .menu import Menu
from .question_panel import question, waiting
from .score_track import track
from .seats_and_pieces import name_of, pieces, seat_style, seats
from .stage import Stage


def header(stage: Stage, width: int, by_bot: bool = False, is_unseen: bool = False) -> Line:
    """Return the screen's first line: game, round and phase, and the state of links and proofs.

    The state of links and proofs is at the right end of the line.

    Args:
        stage: What is shown.
        width: The width of the screen, in cells.
        by_bot: Whether a bot plays this person's seat, so that the person is asked nothing.
        is_unseen: Whether there are chat messages that the rest of the screen has no room for.

    Returns:
        The line.
    """
    wide = width >= 100
    left = text(" Hoity Toity", "title").add(" · ", "dim") if wide else text(" ")
    if wide and stage.scene.game:
        left.add(stage.scene.game[:4], "dim").add(" · ", "dim")
    left.join(text(headline(stage, by_bot), "bright"))
    right = health(stage, wide)
    if is_unseen:
        words = MARK + _("talk: l") + "  "
        short = cells(words) + left.width + right.width > width
        right = text(MARK if short else words, "title", "page('log')").join(right)
    return between(left, right, width)


def headline(stage: Stage, by_bot: bool = False) -> str:
    """Return the round and what happens in it now, in few words.

    Args:
        stage: What is shown.
        by_bot: Whether a bot plays this person's seat.

    Returns:
        The words.
    """
    view = stage.scene.view
    if view is None or not stage.scene.is_dealt:
        fills = _("The table fills") if stage.scene.of_seats else ""
        return _("The deal") if stage.scene.table else fills
    if stage.is_revealing and stage.scene.record:
        return f"{_round(view.state.round)} · {_revealed(stage)}"
    if stage.scene.standings is not None:
        if stage.scene.standings and stage.names:
            return victory(stage.scene.standings, stage.names)
        return _("The game is over")
    if stage.scene.ended is not None:
        return _("The table has ended")
    now = _(next((words for phases, words in DOING if view.state.phase in phases), GOES_ON))
    if stage.scene.question is not None and not by_bot:
        now = _asked(view, stage.scene.question.kind)
    return f"{_round(view.state.round)} · {now}"


def _round(number: int) -> str:
    return _("ROUND {round}").format(round=number)


def _revealed(stage: Stage) -> str:
    """Return the words for what is being revealed, by the kind of the last event shown."""
    item = stage.scene.record[-1]
    words = (words for kinds, words in REVEALED if isinstance(item, kinds))
    return _(next(words, GOES_ON))


FINAL: Final = (
    happenings.BanquetReached,
    happenings.HandOpened,
    happenings.FinalExhibit,
    happenings.StandingMade,
)
GOES_ON: Final = N_("the round goes on")
REVEALED: Final = (
    (happenings.PlaceShown, N_("the Places are shown")),
    (happenings.ActionShown, N_("the Actions are shown")),
    (
        (happenings.Sale, happenings.CashStolen, happenings.CashPaid, happenings.TurnedUp),
        N_("the sale"),
    ),
    ((happenings.ExhibitShown, happenings.NothingShown), N_("the exhibits are shown")),
    (happenings.FigureMoved, N_("the figures move")),
    (happenings.Stolen, N_("the Thieves take their loot")),
    ((happenings.DetectiveRanked, happenings.Imprisoned), N_("Thieves go to prison")),
    (FINAL, N_("the last exhibits")),
)
"""The words for what is being revealed, by the class of the last event that was shown."""


DOING: Final = (
    ((Phase.PLACE_SEAL, Phase.PLACE_OPEN), N_("everyone picks a Place")),
    ((Phase.TURN_SEAL, Phase.TURN_OPEN), N_("everyone picks a Place and an Action")),
    ((Phase.ALL_SEAL,), N_("everyone picks an Action")),
    ((Phase.HALL_SEAL, Phase.HALL_OPEN), N_("Actions in the Auction Hall")),
    ((Phase.CASTLE_SEAL, Phase.CASTLE_OPEN), N_("Actions in the Castle")),
    ((Phase.WINDOW, Phase.DRAW), N_("the buyer picks a window")),
    ((Phase.LONE_SHOW, Phase.EXHIBIT_SEAL, Phase.EXHIBIT_OPEN), N_("exhibits are chosen")),
    ((Phase.THEFT,), N_("a Thief picks his loot")),
    ((Phase.FINAL, Phase.OVER), N_("the last exhibits")),
)
"""The words for each phase while this person is asked nothing."""


def _asked(view: View, kind: str) -> str:
    """Return the words for the kind of choice that this person is asked for."""
    where = view.state.places[view.seat] if view.seat is not None else None
    words = {
        "place": _("choose your Place"),
        "turn": _("choose your Place and Action"),
        "exhibit": _("choose your exhibit"),
        "window": _("choose a window"),
        "theft": _("choose your Thief's loot"),
    }
    if kind == "action":
        if where == Place.AUCTION_HALL:
            return _("Auction Hall: choose your Action")
        return _("Castle: choose your Action")
    return words.get(kind, "")


def health(stage: Stage, wide: bool) -> Line:
    """Return the state of links and proofs, for the right end of the header.

    Args:
        stage: What is shown.
        wide: Whether the screen is wide.

    Returns:
        The line. It is empty before anybody's link is known.
    """
    seats = len(stage.scene.attendance)
    if not seats:
        return Line()
    fine = {Attending.LINKED}
    if stage.scene.seat is None:
        fine.add(
            Attending.UNLINKED
        )  # An onlooker has few links, and hears of seats through others.
    linked = sum(one in fine for one in stage.scene.attendance)
    good = linked == seats
    words = _("{linked}/{seats} linked").format(linked=linked, seats=seats)
    line = text(words, "dim" if good else "warn", "page('links')").add(" · ", "dim")
    if stage.scene.faults:
        return line.add(_("a proof failed ✗"), "bad", "page('proofs')").add(" ")
    return line.add(_("proofs ✓"), "good", "page('proofs')").add(" ")


QUESTION = 4
"""The least number of lines of a question."""
TALK = 3
"""The least number of lines for chat when the game is over."""
ONLOOKERS = -1
FRESH = 12
"""The number of log lines after which a chat message is shown on the log's page only."""


@dataclass
class Desk:
    """The state that only this person's screen has.

    Attributes:
        menu: The menu of the choice that the player has to make. None if there is none.
        papers: The lines that are shown while the table fills.
        muted: The seats that are muted, and `ONLOOKERS` for all onlookers, whose names are
            unproven.
        hint: The words that replace the list of keys in the last line. "" to show the keys.
        autopilot: Whether a bot plays the seat.
        has_hints: Whether the player may ask for a hint.
        answers: The words of the open yes-or-no question. "" if there is none.
        has_replied: Whether a yes-or-no question was answered since the game began.
        told: The lines of a replay that replace the question. None at a table.
        lesson: The explanation that is shown. "" if there is none just now, None outside a lesson.
    """

    menu: Menu | None = None
    papers: tuple[str, ...] = ()
    muted: set[int] = field(default_factory=set)
    hint: str = ""
    autopilot: bool = False
    has_hints: bool = False
    answers: str = ""
    has_replied: bool = False
    told: tuple[str, ...] | None = None
    lesson: str | None = None


def frame(stage: Stage, desk: Desk, width: int, height: int) -> list[Line]:
    """Return all lines of the screen.

    A window that is too small shows only a message, so that nobody answers an unseen question.

    Args:
        stage: What is shown.
        desk: The state of this person's screen.
        width: The width of the screen, in cells.
        height: The height of the screen, in lines.

    Returns:
        Exactly `height` lines of `width` cells.
    """
    if is_small(width, height):
        return _too_small(width, height)
    head = header(stage, width, desk.autopilot)
    foot = [keys(stage, desk, width)]
    if desk.answers and not desk.hint and not stage.is_revealing:
        foot = broken(" " + desk.answers, width - 1, "title", " ")
    room = height - 1 - len(foot)
    if stage.scene.is_over and not (stage.scene.is_dealt and stage.is_revealing):
        body = _ending(stage, desk, width, room)
    elif stage.scene.is_dealt:
        body = _board(stage, desk, width, room)
        head = header(stage, width, desk.autopilot, _is_unseen(stage, desk, body))
    elif stage.scene.table is not None:
        body = [Line(), *turning_points.deal(stage, width)]
    else:
        body = _cut([Line(), *turning_points.lobby(stage, width, desk.papers)], room)
    body = body[:room]
    body += [Line()] * (room - len(body))
    return [line.within(width) for line in (head, *body, *foot)]


def _too_small(width: int, height: int) -> list[Line]:
    """Return the lines that say that the terminal's window is too small for the game."""
    words = _(
        "This window has {width} × {height} cells, and the table needs {columns} × {rows}. Make "
        "it larger: until then you cannot answer. The game goes on."
    )
    told = words.format(width=width, height=height, columns=COLUMNS, rows=ROWS)
    lines = broken(told, max(1, width), "warn")[:height]
    lines += [Line()] * (height - len(lines))
    return [line.within(width) for line in lines]


def _cut(lines: list[Line], rows: int) -> list[Line]:
    """Return at most `rows` lines. If some were left out, the last line returned says so."""
    if len(lines) <= rows:
        return lines
    return [*lines[: rows - 1], text(" … " + _("# shows the rest"), "title", "page('numbers')")]


def _ending(stage: Stage, desk: Desk, width: int, rows: int) -> list[Line]:
    """Return the screen after the end: the result, the pieces, who plays again, and the last chat.

    Blank lines are left out if there is no room for them.
    """
    lines = [Line(), *turning_points.over(stage, width)]
    if stage.scene.is_dealt:
        lines += [Line(), *pieces(stage, None, width)]
    below = turning_points.again(stage, width, desk.autopilot and not desk.has_replied)
    if not desk.hint:  # With the hint the program stays no more.
        below += turning_points.stays(stage, width)
    if len(lines) + len(below) > rows:
        lines = [line for line in lines if line.plain]
    most = max(TALK, rows - len(lines) - len(below))
    below += _talk(stage, _heard(stage, desk)[-most:], width)
    lines = lines[: rows - len(below)]
    return [*lines, *[Line()] * (rows - len(below) - len(lines)), *below]


def _board(stage: Stage, desk: Desk, width: int, height: int) -> list[Line]:
    """Return the lines of a game under way: the track, the seats, the pieces and the question.

    If there is room, horizontal rules separate these parts, and the log and the chat follow.
    """
    asked = None if stage.is_revealing else desk.menu
    seat_lines, piece_lines = seats(stage, width), pieces(stage, asked, width)
    fixed = len(seat_lines) + len(piece_lines) + 2
    now = _now(stage, desk, width, max(QUESTION, height - fixed - 1))
    remaining = height - fixed - max(QUESTION, len(now)) - 1
    track_lines = track(stage, width, 2 if remaining < 4 else 4 if remaining < 12 else 7)
    rules = max(0, min(3, remaining - len(track_lines) + 2))
    ruled = [text("─" * width, "rule")]
    body = track_lines + ruled * (rules > 0) + seat_lines + ruled * (rules > 1)
    body += piece_lines + ruled * (rules > 2) + now
    if height - len(body) > 3:
        title = " " + _("Log") + " "
        body.append(text(title.center(width, "─"), "rule"))
    left = max(0, height - len(body))
    happenings = _news(stage, desk, width, left)
    return body + [Line()] * (left - len(happenings)) + happenings


def _now(stage: Stage, desk: Desk, width: int, rows: int) -> list[Line]:
    """Return the lines, at most `rows`, of the open question or of what stands in its place.

    This may be a replay's text, what is being revealed, a lesson, or who is awaited.
    """
    if desk.told is not None:
        return paragraphs(desk.told, width - 1, "bright")[:rows]
    if stage.is_revealing:
        return turning_points.reveal(stage, width)[:rows]
    if desk.lesson:
        return broken(" » " + desk.lesson, width - 1, "title", "   ")[:rows]
    if desk.menu is not None:
        return question(stage, desk.menu, width, rows)
    lines = waiting(stage, width)
    if desk.autopilot:
        words = _("A bot plays your seat. a takes it back.")
        lines.insert(0, text(" " + words, "warn", "bot()"))
    return lines[:rows]


def _news(stage: Stage, desk: Desk, width: int, rows: int) -> list[Line]:
    """Return at most `rows` lines: the end of the log, and below it the recent chat messages.

    Messages of seats that are muted in `desk` are left out.
    """
    if rows <= 0:
        return []
    heard = _heard(stage, desk)
    if rows == 1 and not (heard and stage.talk[-1] == (heard[-1], stage.told)):
        heard = []
    talk = _talk(stage, heard[-max(1, rows // 3) :], width)
    room = rows - len(talk)
    told: list[Line] = []
    log = list(stage.log)[: len(stage.log) - len(stage.beat)]
    for words in reversed(log):
        lines = broken(" " + words, width - 1, "dim", "   ")
        if len(told) + len(lines) > room:
            break
        told = lines + told
    if not told and log and room:
        told = [text(" " + log[-1], "dim").within(width)]
    return told + talk


def _talk(stage: Stage, heard: Sequence[Said], width: int) -> list[Line]:
    """Return a line for each chat message."""
    lines = []
    for one in heard:
        style = "dim" if one.seat is None else seat_style(stage, one.seat)
        who = one.who if one.seat is None else name_of(stage, one.seat)
        line = text(f" {MARK}{who}: ", style).add(spoken(one.words), "plain")
        lines.append(line.within(width))
    return lines


def _heard(stage: Stage, desk: Desk) -> list[Said]:
    """Return the recent chat messages of those whom this person has not muted."""
    fresh = [one for one, told in stage.talk if stage.told - told <= FRESH]
    return [one for one in fresh if not is_muted(desk, one)]


def _is_unseen(stage: Stage, desk: Desk, body: Sequence[Line]) -> bool:
    """Return whether other players have written in the chat and no line shows their messages."""
    happenings = [one for one in _heard(stage, desk) if not one.is_own]
    return bool(happenings) and not any(line.plain.startswith(f" {MARK}") for line in body)


def is_muted(desk: Desk, one: Said) -> bool:
    """Return whether this person has muted the author of a chat message.

    Args:
        desk: The state of this person's screen.
        one: The message.

    Returns:
        Whether the author is muted.
    """
    return (ONLOOKERS if one.seat is None else one.seat) in desk.muted


def keys(stage: Stage, desk: Desk, width: int) -> Line:
    """Return the screen's last line, which lists what the keys do now, the most needed key first.

    Args:
        stage: What is shown.
        desk: The state of this person's screen.
        width: The width of the screen, in cells.

    Returns:
        The line.
    """
    if desk.hint:
        return text(" " + desk.hint, "title")
    found: Sequence[tuple[str, str, str]] = ()
    if stage.is_revealing:
        found = [(_("any key"), _("hurries"), "hurry()")]
    elif desk.lesson:
        found = [("Enter", _("goes on"), "seal()")]
    elif desk.menu is not None and desk.menu.is_builder:
        best = [("1–9", _("best"), "choose('pick', 1)")] if desk.menu.kind == "exhibit" else []
        found = [
            ("← →", _("walk"), "choose('walk', 1)"),
            (_("Space"), _("mark"), "choose('toggle')"),
            *best,
            (_("Enter"), _("seal (no undo)"), "seal()"),
        ]
    elif desk.menu is not None:
        found = [
            ("1–9 ↑↓", _("choose"), "choose('move', 1)"),
            (_("Enter"), _("seal (no undo)"), "seal()"),
        ]
    parts = [_key(*one) for one in found]
    common = [(key, _(word) if word else "", action) for key, word, action in COMMON_KEYS]
    if desk.has_hints and desk.menu is not None:
        common.insert(0, ("h", _("hint"), "page('advice')"))
    gap = " · " if width >= 110 else " "
    last = len(common) - 1
    # Words are dropped until the line fits, except that of the last key.
    for known in range(last, -1, -1):
        shown = [
            _key(key, word if number < known or number == last else "", action)
            for number, (key, word, action) in enumerate(common)
        ]
        line = Line().add(" ").join(joined([*parts, joined(shown, gap)], " · "))
        if line.width <= width:
            break
    return line.within(width)


def _key(key: str, word: str, action: str) -> Line:
    """Return a line with a key's name and the word for its effect. A click on it runs `action`."""
    return text(key, "title", action).add(f" {word}" if word else "", "dim", action)


COMMON_KEYS: Final = (
    ("i", N_("pieces"), "page('pieces')"),
    ("l", N_("log"), "page('log')"),
    ("r", N_("rules"), "page('rules')"),
    ("t", N_("talk"), "talk()"),
    ("?", "", "page('help')"),
    ("Esc", N_("menu"), "menu()"),
)
"""The keys that always work: key, word and action of each."""
