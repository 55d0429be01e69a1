"""From the game's goals to steps: what the state asks next, and what the game is told when."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from ..bounds import Quota
from ..crypto.hashing import Label, digest
from ..game import (
    Choice,
    Choose,
    Deal,
    Dealt,
    Draw,
    Drawn,
    Event,
    Expected,
    IllegalMove,
    OpenAll,
    Opened,
    Over,
    Presence,
    Seal,
    Show,
    Shown,
    Stopped,
    Unseal,
    Unsealed,
)
from ..wire.bodies import COIN
from .cards import opened_cards
from .openings import void
from .state import Conviction, Kind, Node, Opening, Want


def lacking(
    node: Node, slots: tuple[int, ...], givers: frozenset[int]
) -> tuple[tuple[int, int], ...]:
    """The (slot, giver) pairs whose share is not known yet."""
    return tuple((s, g) for s in sorted(slots) for g in sorted(givers) if (s, g) not in node.shares)


def _deal_lacks(node: Node) -> tuple[tuple[int, int], ...]:
    everyone, layout = node.table.everyone, node.table.layout
    pairs = [
        p for seat, hand in enumerate(layout.hands) for p in lacking(node, hand, everyone - {seat})
    ]
    return tuple(sorted([*pairs, *lacking(node, layout.tops, everyone)]))


def _shown_slots(node: Node, name: str, seats: frozenset[int]) -> tuple[int, ...]:
    choices = (node.opened.get((name, seat)) for seat in seats)
    slots = {slot for choice in choices if isinstance(choice, tuple) for slot in choice}
    return tuple(sorted(slots))


def _gather(node: Node, want: Want) -> Want | None:
    return want if want.dues or want.lacks else None


def _want_unseal(node: Node, goal: Unseal) -> Want | None:
    dues = tuple(sorted(s for s in goal.seats if (goal.kind, s) not in node.opened))
    if _needs_hold(node, goal.kind, dues):
        return Want(Kind.HOLD, node.present, goal.kind)
    lacks: tuple[tuple[int, int], ...] = ()
    if goal.shows and not dues:
        lacks = lacking(node, _shown_slots(node, goal.kind, goal.seats), node.table.everyone)
    owes = frozenset(s for s in dues if (goal.kind, s) not in node.lost)
    return _gather(node, Want(Kind.REVEAL, node.present, goal.kind, owes, dues, lacks, goal.shows))


def _needs_hold(node: Node, kind: str, dues: tuple[int, ...]) -> bool:
    """Whether what is to be opened was sealed after the last `hold`; strict tables need none.

    SPEC: [N-10].
    """
    return not node.table.strict and any(node.sealed[kind, s].step > node.held for s in dues)


def _want_show(node: Node, goal: Show) -> Want | None:
    if (goal.kind, goal.seat) in node.opened:
        return None
    return Want(Kind.SHOW, node.present, goal.kind, frozenset({goal.seat}), shows=True)


def _want_deal(node: Node) -> Want | None:
    dues = tuple(s for s in range(node.table.seats) if (COIN, s) not in node.opened)
    return _gather(node, Want(Kind.DEAL, node.present, COIN, dues=dues, lacks=_deal_lacks(node)))


def _want_final(node: Node, goal: OpenAll) -> Want | None:
    """`over` by all present, and only behind it the last shares ([E-16])."""
    if not node.over_said:
        return Want(Kind.OVER, node.present)
    lacks = lacking(node, goal.slots, node.table.everyone)
    return _gather(node, Want(Kind.FINAL, node.present, lacks=lacks))


def want_of(node: Node, goal: Expected) -> Want | None:
    """What the next step asks to reach the goal; None if it is reached ([N-3])."""
    match goal:
        case Deal():
            return _want_deal(node)
        case Seal(kind, seats):
            return Want(Kind.SEAL, node.present, kind, seats)
        case Unseal():
            return _want_unseal(node, goal)
        case Show():
            return _want_show(node, goal)
        case Choose(kind, seat):
            return Want(Kind.CHOOSE, frozenset({seat}), kind, frozenset({seat}))
        case Draw(slots):
            lacks = lacking(node, slots, node.table.everyone)
            return _gather(node, Want(Kind.OPEN, node.present, lacks=lacks))
        case OpenAll():
            return _want_final(node, goal)
        case Over():
            return Want(Kind.RESULT, node.present)


# What follows when a goal is reached.


def _keep(node: Node, slots: tuple[int, ...]) -> tuple[Node, dict[int, int]]:
    found = opened_cards(node, slots, {})
    return replace(node, cards={**node.cards, **found}), found


def _clear(node: Node, kind: str, seats: frozenset[int]) -> Node:
    """What was sealed of this kind is done with ([P-3])."""
    keys = {(kind, seat) for seat in seats}
    return replace(
        node,
        sealed={k: v for k, v in node.sealed.items() if k not in keys},
        opened={k: v for k, v in node.opened.items() if k not in keys},
        lost=node.lost - keys,
    )


def _judge_shown(node: Node, goal: Unseal, cards: dict[int, int]) -> Node:
    """Exhibits opened from escrow are judged now that their cards are open ([P-1])."""
    for seat in sorted(goal.seats):
        choice = node.opened[goal.kind, seat]
        if choice is None or isinstance(choice, bytes):
            continue
        try:
            node.table.check_choice(node.state, goal.kind, seat, choice, cards)
        except IllegalMove:
            guilty = Conviction(node.step - 1, seat, "illegal-choice")
            node = void(node, goal.kind, seat, guilty)
    return node


def _conclude_unseal(node: Node, goal: Unseal) -> tuple[Node, Event]:
    """The choices that stand, and the cards of these alone ([P-2])."""
    cards: dict[int, int] = {}
    if goal.shows:
        node, cards = _keep(node, _shown_slots(node, goal.kind, goal.seats))
        node = _judge_shown(node, goal, cards)
    choices = {seat: _choice(node.opened[goal.kind, seat]) for seat in sorted(goal.seats)}
    shown = {slot for c in choices.values() if isinstance(c, tuple) for slot in c}
    stand = {slot: card for slot, card in cards.items() if slot in shown}
    return _clear(node, goal.kind, goal.seats), Unsealed(goal.kind, choices, stand)


def _choice(opened: Opening) -> Choice | None:
    """What the game is told: None for a void choice ([P-3])."""
    return None if isinstance(opened, bytes) else opened


def _conclude_show(node: Node, goal: Show) -> tuple[Node, Event]:
    seats = frozenset({goal.seat})
    choice = _choice(node.opened[goal.kind, goal.seat])
    node, cards = _keep(node, _shown_slots(node, goal.kind, seats))
    return _clear(node, goal.kind, seats), Shown(goal.kind, goal.seat, choice, cards)


def conclude(node: Node, goal: Expected) -> Node:
    """Tell the game that the goal is reached ([P-3])."""
    event: Event
    match goal:
        case Deal():
            coin = joint_coin(node)
            node, cards = _keep(node, node.table.layout.tops)
            node, event = _clear(node, COIN, node.table.everyone), Dealt(coin, cards)
        case Unseal():
            node, event = _conclude_unseal(node, goal)
        case Show():
            node, event = _conclude_show(node, goal)
        case Draw(slots):
            node, cards = _keep(node, slots)
            event = Drawn(cards)
        case OpenAll(slots):
            node, cards = _keep(node, slots)
            event = Opened(cards)
        case Seal() | Choose() | Over():
            raise RuntimeError("this goal is reached by its own step")
    state = node.table.game.apply(node.state, event)
    playing = node.present - node.banned
    if isinstance(goal, Deal) and playing != node.table.everyone:
        state = node.table.game.apply(state, Presence(playing, node.banned))
        node = replace(node, playing=playing)
    return replace(node, state=state)


LAST_STEP: Final[Quota] = 12_000
"""Before this step at the latest a game is stopped: a file must hold every game whole."""


def settle(node: Node) -> Node:
    """Follow every goal already reached, and say what the next step asks ([P-4])."""
    while True:
        goal = node.table.game.expected(node.state)
        if node.step >= LAST_STEP and not isinstance(goal, (Deal, OpenAll, Over)):
            node = replace(node, state=node.table.game.apply(node.state, Stopped()))
            goal = node.table.game.expected(node.state)
        want = want_of(node, goal)
        if want is not None:
            return replace(node, want=want)
        node = conclude(node, goal)


def joint_coin(node: Node) -> bytes:
    """32 bytes no seat could choose; a void coin counts as empty."""
    coins = [node.opened[COIN, seat] for seat in range(node.table.seats)]
    parts = [coin if isinstance(coin, bytes) else b"" for coin in coins]
    return digest(Label.COIN, node.table.id, *parts)
