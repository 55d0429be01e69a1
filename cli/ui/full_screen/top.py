"""The head of the screen: what is asked of whom, the score track, the octagon that counts."""

from __future__ import annotations

from typing import Final

from p2p_hoity.rules import Edition, Phase, Place, View, news
from p2p_hoity.session.updates import Presence

from ...words.lingo import N_, _
from ...words.notes import leading, octagon_at
from ...words.quoting import MARK
from ...words.updates import victory
from .ink import Line, between, cells, text
from .marks import letters, seat_style
from .scene import Scene

STEP = 5
SEVERAL = "&"
"""On a field where several figures stand, if there is no room for all of them."""


def header(scene: Scene, width: int, by_bot: bool = False, is_unseen: bool = False) -> Line:
    """The game, the round, what it waits for; links and proofs at the right. `by_bot`: a bot plays
    this person's seat, so nothing is asked of the person. `is_unseen`: there is talk that nothing
    below has room for."""
    wide = width >= 100
    left = Line()
    if wide:
        left.add(" Hoity Toity", "title").add(" · ", "dim")
    left.add(" " if not wide else "")
    if wide and scene.table_name:
        left.add(scene.table_name[:4], "dim").add(" · ", "dim")
    left.join(text(headline(scene, by_bot), "bright"))
    right = health(scene, wide)
    if is_unseen:
        words = MARK + _("talk: l") + "  "
        short = cells(words) + left.width + right.width > width
        right = text(MARK if short else words, "title", "page('log')").join(right)
    return between(left, right, width)


def headline(scene: Scene, by_bot: bool = False) -> str:
    """The round and what is going on, in few words."""
    view = scene.view
    if view is None or not scene.is_dealt:
        fills = _("The table fills") if scene.of_seats else ""
        return _("The deal") if scene.table else fills
    if scene.is_revealing and scene.record:
        return f"{_round(view.state.round)} · {_revealed(scene)}"
    if scene.standings is not None:
        won = victory(scene.standings, scene.names) if scene.standings and scene.names else ""
        return won or _("The game is over")
    if scene.ended is not None:
        return _("The table has ended")
    return f"{_round(view.state.round)} · {_doing(scene, view, by_bot)}"


def _round(number: int) -> str:
    return _("ROUND {round}").format(round=number)


def _revealed(scene: Scene) -> str:
    """What is revealed now: the last of what has been shown."""
    item = scene.record[-1]
    words = (words for kinds, words in REVEALED if isinstance(item, kinds))
    return _(next(words, GOES_ON))


FINAL: Final = (news.BanquetReached, news.HandOpened, news.FinalExhibit, news.StandingMade)
GOES_ON: Final = N_("the round goes on")
REVEALED: Final = (
    (news.PlaceShown, N_("the Places are shown")),
    (news.ActionShown, N_("the Actions are shown")),
    ((news.Sale, news.CashStolen, news.CashPaid, news.TurnedUp), N_("the sale")),
    ((news.ExhibitShown, news.NothingShown), N_("the exhibits are shown")),
    (news.FigureMoved, N_("the figures move")),
    (news.Stolen, N_("the Thieves take their loot")),
    ((news.DetectiveRanked, news.Imprisoned), N_("Thieves go to prison")),
    (FINAL, N_("the last exhibits")),
)
"""What is said of a reveal, by what happened."""


PHASES = {
    Phase.PLACE_SEAL: "place",
    Phase.PLACE_OPEN: "place",
    Phase.TURN_SEAL: "turn",
    Phase.TURN_OPEN: "turn",
    Phase.ALL_SEAL: "action",
    Phase.HALL_SEAL: "hall",
    Phase.HALL_OPEN: "hall",
    Phase.CASTLE_SEAL: "castle",
    Phase.CASTLE_OPEN: "castle",
    Phase.WINDOW: "window",
    Phase.DRAW: "window",
    Phase.LONE_SHOW: "exhibit",
    Phase.EXHIBIT_SEAL: "exhibit",
    Phase.EXHIBIT_OPEN: "exhibit",
    Phase.THEFT: "theft",
    Phase.FINAL: "final",
    Phase.OVER: "final",
}


def _doing(scene: Scene, view: View, by_bot: bool) -> str:
    words = {
        "place": _("everyone picks a Place"),
        "turn": _("everyone picks a Place and an Action"),
        "action": _("everyone picks an Action"),
        "hall": _("Actions in the Auction Hall"),
        "castle": _("Actions in the Castle"),
        "window": _("the buyer picks a window"),
        "exhibit": _("exhibits are chosen"),
        "theft": _("a Thief picks his loot"),
        "final": _("the last exhibits"),
    }
    if scene.question is not None and not by_bot:
        return _asked(view, scene.question.kind)
    return words.get(PHASES.get(view.state.phase, ""), _(GOES_ON))


def _asked(view: View, kind: str) -> str:
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


def health(scene: Scene, wide: bool) -> Line:
    """Links and proofs in a corner; `o` opens the list."""
    seats = len(scene.attendance)
    if not seats:
        return Line()
    fine = {Presence.LINKED}
    if scene.seat is None:
        fine.add(Presence.UNLINKED)  # an onlooker has few links, and hears of seats through others
    linked = sum(one in fine for one in scene.attendance)
    good = linked == seats
    words = _("{linked}/{seats} linked").format(linked=linked, seats=seats)
    line = text(words, "dim" if good else "warn", "page('links')").add(" · ", "dim")
    if scene.faults:
        return line.add(_("a proof failed ✗"), "bad", "page('proofs')").add(" ")
    return line.add(_("proofs ✓"), "good", "page('proofs')").add(" ")


def track(scene: Scene, width: int, rows: int) -> list[Line]:
    """Return the score track: a scale above, the figures below, several on one field stacked.

    A free field shows what its octagon brings the best exhibit, and in a second row, if there is
    room, what it brings the second-best.
    """
    view = scene.view
    if view is None:
        return []
    edition = view.state.edition
    first = len(edition.octagons)
    scale = "".join(
        str(field).ljust(STEP) for field in range(0, first, STEP) if field + STEP <= first
    )
    scale = scale.ljust(first)[:first] + "|" + _("{field} Banquet").format(field=first)
    leader = leading(view)
    best, second = octagon_at(edition, leader)
    said = _("octagon at {field}: +{best} / +{second}")
    if width >= 100:
        said = _("octagon at {field}: best +{best}, second-best +{second}")
    if leader >= first:
        octagon_words = _("the Banquet is reached")
    else:
        octagon_words = said.format(field=leader, best=best, second=second)
    lines = [between(text(" " + scale, "dim"), text(octagon_words + " ", "title"), width)]
    return lines + _figures(scene, view, rows - 1)


def _figures(scene: Scene, view: View, rows: int) -> list[Line]:
    edition = view.state.edition
    marks = letters(scene.names.nicknames) if scene.names else ()
    stacks: dict[int, list[int]] = {}
    for seat, place in enumerate(view.state.figures):
        stacks.setdefault(place, []).append(seat)
    tallest = max(len(stack) for stack in stacks.values())
    height = max(tallest, min(2, rows)) if tallest <= rows else 1  # else `SEVERAL` stands there
    lines = [Line().add(" ") for _row in range(height)]
    for place in range(edition.last_field + 1):
        if place == len(edition.octagons):
            for line in lines:
                line.add("|", "dim")
        stack = stacks.get(place, [])
        crowded = len(stack) > height
        for row, line in enumerate(lines):
            ground = _ground(edition, place, row)
            _put(scene, line, stack, row, crowded, marks, ground)
    return lines


def _put(
    scene: Scene,
    line: Line,
    stack: list[int],
    row: int,
    crowded: bool,
    marks: tuple[str, ...],
    ground: str,
) -> None:
    if crowded and row == 0:
        line.add(SEVERAL, "bright")
    elif not crowded and row < len(stack):
        seat = stack[row]
        line.add(marks[seat], seat_style(scene, seat))
    else:
        line.add(ground, "rule")


def _ground(edition: Edition, field: int, row: int) -> str:
    """Return what stands on a field without a figure, in the first or the second row."""
    if edition.in_banquet(field):
        return "=" if row == 0 else " "
    if row > 1:
        return " "
    brings = edition.octagons[field][row]
    return str(brings) if brings < 10 else "+"
