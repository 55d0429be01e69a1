"""The transitions of the chain: pure functions that compute the state after a step.

The game says what it expects next, and the next step follows from that. Nodes are not changed, but
each caches the results that were computed from it (`Node.derived`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from .. import game_interface as game
from ..crypto.hashing import Label, Random, digest
from ..errors import Invalid
from ..fault_codes import FAULTS
from ..game_interface import Choice, IllegalMove
from ..units import Quota
from ..wire import codec
from ..wire.step_bodies import COIN
from . import chain_state, setup_steps
from .cards import opened_cards
from .chain_state import SETUP, AcceptedBody, Kind, Missing, Node, RefusedBody, Slot, Table, Want
from .openings import GatherStep, void
from .play_steps import ChooseStep, ResultStep, SealStep, ShowStep
from .setup_steps import KeyCommitStep, KeyOkStep, KeyRevealStep, ShuffleStep
from .step_interface import EmptyStep, StepRules


def lacking(
    node: Node, slots: tuple[int, ...], givers: frozenset[int]
) -> tuple[tuple[int, int], ...]:
    """Return the slot and the seat of each missing decryption share, rising.

    Args:
        givers: The seats whose shares are needed.
    """
    # Sorted, because the shares of a batch stand in this order in the body.
    return tuple((s, g) for s in sorted(slots) for g in sorted(givers) if (s, g) not in node.shares)


def _shown_slots(node: Node, name: str, seats: frozenset[int]) -> tuple[int, ...]:
    """Return the slots in some seats' opened choices of the kind `name`, in rising order."""
    choices = (node.opened.get((name, seat)) for seat in seats)
    slots = {slot for choice in choices if isinstance(choice, tuple) for slot in choice}
    return tuple(sorted(slots))


def _gather(node: Node, want: Want) -> Want | None:
    return want if want.dues or want.lacks else None


def _want_unseal(node: Node, goal: game.Unseal) -> Want | None:
    """Return the next step that opens sealed choices, None if all are open."""
    dues = tuple(sorted(s for s in goal.seats if (goal.kind, s) not in node.opened))
    is_new = any(node.sealed[goal.kind, s].step > node.last_barrier for s in dues)
    # All present seats first confirm that they store the sealed choices ([N-10]). Nothing is ever
    # replaced at a strict table.
    if is_new and not node.table.strict:
        return Want(Kind.BARRIER, node.present, goal.kind)
    lacks: tuple[tuple[int, int], ...] = ()
    # Which cards are shown is known only once all the choices are open.
    if goal.shows and not dues:
        lacks = lacking(node, _shown_slots(node, goal.kind, goal.seats), node.table.everyone)
    owes = frozenset(s for s in dues if (goal.kind, s) not in node.lost)
    return _gather(node, Want(Kind.REVEAL, node.present, goal.kind, owes, dues, lacks, goal.shows))


def _want_deal(node: Node) -> Want | None:
    """Return what the step `deal` asks for, None if nothing is missing for the deal.

    It asks for the coins of all seats, and for the shares of the cards in hands and of the cards
    that are opened to all.
    """
    everyone, layout = node.table.everyone, node.table.layout
    pairs = [*lacking(node, layout.tops, everyone)]
    for seat, hand in enumerate(layout.hands):
        # Without the share of its holder a card stays hidden from all others.
        pairs += lacking(node, hand, everyone - {seat})
    dues = tuple(s for s in range(node.table.seats) if (COIN, s) not in node.opened)
    return _gather(node, Want(Kind.DEAL, node.present, COIN, dues=dues, lacks=tuple(sorted(pairs))))


def want_of(node: Node, goal: game.Expected) -> Want | None:
    """Return the next step towards what the game expects, None if no further one is needed.

    SPEC: [N-3], [E-16].
    """
    match goal:
        case game.Deal():
            return _want_deal(node)
        case game.Seal(kind, seats):
            return Want(Kind.SEAL, node.present, kind, seats)
        case game.Unseal():
            return _want_unseal(node, goal)
        case game.Show(kind, seat) if (kind, seat) in node.opened:
            return None
        case game.Show(kind, seat):
            return Want(Kind.SHOW, node.present, kind, frozenset({seat}), shows=True)
        case game.Choose(kind, seat):
            return Want(Kind.CHOOSE, frozenset({seat}), kind, frozenset({seat}))
        case game.Draw(slots):
            lacks = lacking(node, slots, node.table.everyone)
            return _gather(node, Want(Kind.OPEN, node.present, lacks=lacks))
        case game.OpenAll() if not node.is_over_given:
            return Want(Kind.OVER, node.present)
        case game.OpenAll(slots):
            lacks = lacking(node, slots, node.table.everyone)
            return _gather(node, Want(Kind.FINAL, node.present, lacks=lacks))
        case game.Over():
            return Want(Kind.RESULT, node.present)


# Events


def _keep(node: Node, slots: tuple[int, ...]) -> tuple[Node, dict[int, int]]:
    """Open the cards in given slots to all. Return the node and the cards."""
    found = opened_cards(node, slots, {})
    return replace(node, cards={**node.cards, **found}), found


def _clear(node: Node, kind: str, seats: frozenset[int]) -> Node:
    """Remove the sealed choices of one kind and of these seats from the state ([P-3])."""
    keys = {(kind, seat) for seat in seats}
    return replace(
        node,
        sealed={k: v for k, v in node.sealed.items() if k not in keys},
        opened={k: v for k, v in node.opened.items() if k not in keys},
        lost=node.lost - keys,
    )


def _judge_shown(node: Node, goal: game.Unseal, cards: dict[int, int]) -> Node:
    """Void the opened choices that are illegal because of the cards that they show ([P-1])."""
    # Sorted, because the convictions are recorded in this order, the same for all seats.
    for seat in sorted(goal.seats):
        choice = node.opened[goal.kind, seat]
        if choice is None or isinstance(choice, bytes):
            continue
        try:
            node.table.check_choice(node.state, goal.kind, seat, choice, cards)
        except IllegalMove:
            # The last step, even if a reconfiguration came after it.
            guilty = chain_state.Conviction(node.step - 1, seat, "illegal-choice")
            node = void(node, goal.kind, seat, guilty)
    return node


def _conclude_unseal(node: Node, goal: game.Unseal) -> tuple[Node, game.Event]:
    """Remove the opened choices from the node, and return it with the game's event ([P-2])."""
    cards: dict[int, int] = {}
    if goal.shows:
        node, cards = _keep(node, _shown_slots(node, goal.kind, goal.seats))
        node = _judge_shown(node, goal, cards)
    choices = {seat: _choice(node.opened[goal.kind, seat]) for seat in sorted(goal.seats)}
    shown = {slot for c in choices.values() if isinstance(c, tuple) for slot in c}
    # The cards of void choices are open too, but the game learns them only at the end.
    stand = {slot: card for slot, card in cards.items() if slot in shown}
    return _clear(node, goal.kind, goal.seats), game.Unsealed(goal.kind, choices, stand)


def _choice(opened: chain_state.Opening) -> Choice | None:
    """Return what the game is told of an opened choice: None if the choice is void ([P-3])."""
    return None if isinstance(opened, bytes) else opened


def conclude(node: Node, goal: game.Expected) -> Node:
    """Pass the event that the game expected to the game, and return the new node ([P-3]).

    Everything that the event contains must be known.

    Raises:
        RuntimeError: If `goal` is a `Seal`, `Choose` or `Over`, which its own step reaches.
    """
    event: game.Event
    match goal:
        case game.Deal():
            coin = joint_coin(node)
            node, cards = _keep(node, node.table.layout.tops)
            node, event = _clear(node, COIN, node.table.everyone), game.Dealt(coin, cards)
        case game.Unseal():
            node, event = _conclude_unseal(node, goal)
        case game.Show(kind, seat):
            seats, choice = frozenset({seat}), _choice(node.opened[kind, seat])
            node, cards = _keep(node, _shown_slots(node, kind, seats))
            node, event = _clear(node, kind, seats), game.Shown(kind, seat, choice, cards)
        case game.Draw(slots):
            node, cards = _keep(node, slots)
            event = game.Drawn(cards)
        case game.OpenAll(slots):
            node, cards = _keep(node, slots)
            event = game.Opened(cards)
        case game.Seal() | game.Choose() | game.Over():
            raise RuntimeError("this goal is reached by its own step")
    state = node.table.game.apply(node.state, event)
    # A seat whose coin has just become void is banned, but still among the present.
    playing = node.present - node.banned
    if isinstance(goal, game.Deal) and playing != node.table.everyone:
        state = node.table.game.apply(state, game.Presence(playing, node.banned))
        node = replace(node, game_present=playing)
    return replace(node, state=state)


LAST_STEP: Final[Quota] = 12_000
"""The number of the step before which a game is stopped, so that it fits into a file ([P-4])."""


def settle(node: Node) -> Node:
    """Tell the game the events that need no further step, and find the next step ([P-4])."""
    while True:
        goal = node.table.game.expected(node.state)
        # The deal and the end are never stopped, or the game could not come to its result.
        if node.step >= LAST_STEP and not isinstance(goal, (game.Deal, game.OpenAll, game.Over)):
            node = replace(node, state=node.table.game.apply(node.state, game.Stopped()))
            goal = node.table.game.expected(node.state)
        want = want_of(node, goal)
        if want is not None:
            return replace(node, want=want)
        node = conclude(node, goal)


def joint_coin(node: Node) -> bytes:
    """Return the joint coin, 32 random bytes which no seat alone could choose.

    All coins must be opened. A coin that is void by a fault of its seat counts as empty.
    """
    coins = [node.opened[COIN, seat] for seat in range(node.table.seats)]
    parts = [coin if isinstance(coin, bytes) else b"" for coin in coins]
    return digest(Label.COIN, node.table.id, *parts)


STEPS: Final[Mapping[Kind, StepRules[Any]]] = {
    Kind.KEY_COMMIT: KeyCommitStep(),
    Kind.KEY_REVEAL: KeyRevealStep(),
    Kind.KEY_OK: KeyOkStep(),
    Kind.SHUFFLE: ShuffleStep(),
    Kind.DECK_OK: EmptyStep(lambda node: replace(node, state=node.table.game.start())),
    Kind.DEAL: GatherStep(),
    Kind.SEAL: SealStep(),
    Kind.BARRIER: EmptyStep(lambda node: replace(node, last_barrier=node.step)),
    Kind.REVEAL: GatherStep(),
    Kind.SHOW: ShowStep(),
    Kind.CHOOSE: ChooseStep(),
    Kind.OPEN: GatherStep(),
    Kind.OVER: EmptyStep(lambda node: replace(node, is_over_given=True)),
    Kind.FINAL: GatherStep(),
    Kind.RESULT: ResultStep(),
}
"""The rules of each kind of step, except `ENDED`, which is no step.

By `DECK_OK` all seats confirm that they have checked the deck, and the game begins before the deal
([D-2]). By `BARRIER` all present seats confirm that they store the sealed choices, so that these
are final before any of them is opened ([N-10]). By `OVER` they confirm that only the final opening
of cards is left.
"""


def begin(table: Table) -> Node:
    """Return the node before step 1, whose digest is the table id."""
    everyone = table.everyone
    return Node(
        table=table,
        digest=table.id,
        step=1,
        present=everyone,
        absences=(0,) * table.seats,
        want=Want(Kind.KEY_COMMIT, everyone),
    )


def verdict(node: Node, seat: int, body: bytes) -> AcceptedBody | RefusedBody:
    """Judge a seat's body for the next step, once for each body ([N-7], [N-9], [N-12])."""
    # First, because the rules of a step take it for granted that the seat owes an input.
    if seat not in node.want.speakers:
        return RefusedBody("not-expected", "")
    found = node.derived.verdicts.get((seat, body))
    if found is None:
        found = node.derived.verdicts[seat, body] = judge(node, seat, body)
    return found


def check(node: Node, seat: int, body: bytes) -> Any:
    """Return the content of a body that must be legal, of a type that depends on the kind of step.

    Raises:
        Fault: If the body is illegal.
    """
    found = verdict(node, seat, body)
    if isinstance(found, RefusedBody):
        raise found.fault(seat, node.step)
    return found.given


def known(node: Node, seat: int, body: bytes) -> AcceptedBody | RefusedBody | None:
    """Return the stored verdict on a body, None if it was not judged yet."""
    return node.derived.verdicts.get((seat, body))


def keep(node: Node, seat: int, body: bytes, found: AcceptedBody | RefusedBody) -> None:
    """Store the verdict on a body, so that `verdict` need not compute it again."""
    node.derived.verdicts[seat, body] = found


def judge(node: Node, seat: int, body: bytes) -> AcceptedBody | RefusedBody:
    """Judge a body of a seat that owes one, without storing the verdict.

    Another thread may run this pure function.
    """
    step = STEPS[node.want.kind]
    try:
        return AcceptedBody(step.check(node, seat, body))
    except Invalid as error:
        # Only codes that SPEC lists may be reported of a seat.
        code = error.code if error.code in FAULTS else "bad-body"
        return RefusedBody(code, error.reason, error.place)


def digest_after_step(before: bytes, slots: Sequence[Slot]) -> bytes:
    """Return the digest of the chain after a step, from the digest before it (SPEC 6.1)."""
    # Bodies are hashed first, so that a certificate can show the step without the bodies.
    plain = tuple(
        digest(Label.BODY, slot) if isinstance(slot, bytes) else int(slot) for slot in slots
    )
    return digest(Label.STEP, before, codec.encode(plain))


def digest_after_reconfiguration(
    before: bytes, present: frozenset[int], banned: frozenset[int], absences: tuple[int, ...]
) -> bytes:
    """Return the digest of the chain after a change of who is present or banned ([N-1])."""
    # Sets have no order, and all seats must hash the same bytes.
    value = (sorted(present), sorted(banned), absences)
    return digest(Label.RECONFIGURATION, before, codec.encode(value))


def append(node: Node, slots: Sequence[Slot]) -> Node:
    """Return the node after a step ([N-2]). Equal slots give the same node object.

    Raises:
        Fault: If a body is illegal.
        ValueError: If `slots` has a body of a seat that owes no input to this step, or does not
            have one item for each seat.
        RuntimeError: If the game asks for a kind of step that may not follow this kind.
    """
    key = tuple(slots)
    if key in node.derived.steps:
        return node.derived.steps[key]
    inputs = {seat: slot for seat, slot in enumerate(key) if isinstance(slot, bytes)}
    if set(inputs) - node.want.speakers or len(key) != node.table.seats:
        raise ValueError("slots of seats that were not asked")
    given = {seat: check(node, seat, body) for seat, body in inputs.items()}
    after = STEPS[node.want.kind].apply(node, given)
    here = digest_after_step(node.digest, key)
    after = replace(after, digest=here, step=node.step + 1, parent=node, slots=key)
    if after.state is None:
        after = replace(after, want=setup_steps.setup_want(after))
    else:
        after = settle(after)
    if after.want.kind not in chain_state.NEXT[node.want.kind]:
        raise RuntimeError(f"no transition from {node.want.kind} to {after.want.kind}")
    # Once: equal nodes must be one object, since the followed chain compares by identity.
    node.derived.steps[key] = after
    return after


def slots_of(
    node: Node, inputs: dict[int, bytes], missing: Missing = Missing.NONE
) -> tuple[Slot, ...]:
    """Return what a step records for each seat, in the order of the seats, as `append` takes it.

    Args:
        missing: The reason for each seat that owes an input to the step but is not in `inputs`. For
            a seat that owes none, the reason is `Missing.NONE`.
    """
    return tuple(
        inputs.get(seat, missing if seat in node.want.speakers else Missing.NONE)
        for seat in range(node.table.seats)
    )


def reconfigure(
    node: Node, present: frozenset[int], banned: frozenset[int], absences: tuple[int, ...]
) -> Node:
    """Return the node after a change of the present and banned seats, with the same step number.

    The same arguments give the same object.

    Args:
        absences: For each seat, how often it was made absent so far.
    """
    key = (present, banned, absences)
    if key in node.derived.reconfigurations:
        return node.derived.reconfigurations[key]
    # Once others may open a choice, it stays so, even if its owner returns.
    lost = {key for key in node.sealed if key[1] not in present}
    after = replace(
        node,
        digest=digest_after_reconfiguration(node.digest, present, banned, absences),
        present=present,
        banned=banned,
        absences=absences,
        lost=node.lost | lost,
        parent=node,
        slots=None,
    )
    # Before the deal the game has not begun. It hears who plays right after `Dealt`.
    if node.want.kind not in SETUP | {Kind.DEAL}:
        state = node.table.game.apply(node.state, game.Presence(present, banned))
        after = replace(after, state=state, game_present=present)
    node.derived.reconfigurations[key] = after if node.want.kind in SETUP else settle(after)
    return node.derived.reconfigurations[key]


def may_go_on(node: Node) -> bool:
    """Return whether the chain may grow by a further step at a node ([N-5]).

    It may not if fewer seats than a quorum are present, if the game has been told that no seat is
    present, or if the next step would be `result` or `ended`.
    """
    # Compared with the empty set, because None stands for all seats.
    if node.want.kind in (Kind.RESULT, Kind.ENDED) or node.game_present == frozenset():
        return False
    # With fewer seats, both halves of a table that was cut in two could go on.
    return len(node.present) >= node.table.quorum


def stands_still(node: Node) -> bool:
    """Return whether the chain cannot grow although the game is not over ([N-5])."""
    return node.want.kind is not Kind.RESULT and not may_go_on(node)


# Own inputs

LONG: Final = frozenset({Kind.KEY_OK, Kind.SHUFFLE, Kind.DEAL, Kind.FINAL})
"""The kinds of steps whose bodies take 5 to 100 ms to write at a full table."""


def needs_choice(node: Node, seat: int) -> bool:
    """Return whether the player of a seat must choose before the seat can give its input."""
    return seat in node.want.owes and node.want.kind in (Kind.SEAL, Kind.SHOW, Kind.CHOOSE)


def body_of(node: Node, seat: int, secrets: chain_state.Secrets, rng: Random) -> bytes:
    """Return the body that a seat gives in a step for which its player need not choose."""
    return STEPS[node.want.kind].write(node, seat, secrets, rng)


def body_of_choice(
    node: Node, seat: int, choice: Choice, secrets: chain_state.Secrets, rng: Random
) -> bytes:
    """Return the body that a seat gives in a step, with a choice of the player."""
    return STEPS[node.want.kind].write_choice(node, seat, choice, secrets, rng)
