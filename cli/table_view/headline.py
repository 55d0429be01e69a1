"""The headline of a table: the round, and what happens in it now, in few words."""

from __future__ import annotations

from typing import Final

from p2p_hoity.rules import Phase, Place, View, happenings
from p2p_hoity.rules.banquet import FINAL_HONOURS

from ..words.end_sentences import victory
from ..words.translation import N_, _
from .stage import Stage


def headline(stage: Stage, by_bot: bool = False) -> str:
    """Return the round and what happens in it now, in few words."""
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
        now = asked(view, stage.scene.question.kind)
    return f"{_round(view.state.round)} · {now}"


def _round(number: int) -> str:
    return _("ROUND {round}").format(round=number)


def _revealed(stage: Stage) -> str:
    """Return the words for what is being revealed, by the kind of the last event shown."""
    item = stage.scene.record[-1]
    if isinstance(item, happenings.FigureMoved) and item.why in FINAL_HONOURS:
        return _(LAST)
    words = (words for kinds, words in REVEALED if isinstance(item, kinds))
    return _(next(words, GOES_ON))


HALL: Final = happenings.Sale | happenings.CashStolen | happenings.CashPaid | happenings.TurnedUp
FINAL: Final = happenings.HandOpened | happenings.FinalExhibit | happenings.StandingMade
GOES_ON: Final = N_("the round goes on")
LAST: Final = N_("the last exhibits")
REVEALED: Final = (
    (happenings.PlaceShown, N_("the Places are shown")),
    (happenings.ActionShown, N_("the Actions are shown")),
    (HALL, N_("the sale")),
    (happenings.ExhibitShown | happenings.NothingShown, N_("the exhibits are shown")),
    (happenings.FigureMoved, N_("the figures move")),
    (happenings.Stolen, N_("the Thieves take their loot")),
    (happenings.DetectiveRanked | happenings.Imprisoned, N_("Thieves go to prison")),
    (happenings.BanquetReached | FINAL, LAST),
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
    ((Phase.FINAL, Phase.OVER), LAST),
)
"""The words for each phase while this person is asked nothing."""


ASKED: Final = {
    "place": N_("choose your Place"),
    "turn": N_("choose your Place and Action"),
    "exhibit": N_("choose your exhibit"),
    "window": N_("choose a window"),
    "theft": N_("choose your Thief's loot"),
}
"""The words for each kind of choice that this person is asked for, except an Action."""


def asked(view: View, kind: str) -> str:
    """Return the words for the kind of choice that this person is asked for."""
    if kind != "action":
        return _(ASKED[kind])
    is_in_hall = view.seat is not None and view.state.places[view.seat] == Place.AUCTION_HALL
    return _("Auction Hall: choose your Action") if is_in_hall else _("Castle: choose your Action")
