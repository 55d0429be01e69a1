"""The transitions of the chain: pure functions that compute the state after a step.

The rules of the game say what is expected next, and the next step follows from that. For each kind
of step, `STEPS` has the object that checks, applies and writes the bodies of the step.
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
    """Return which decryption shares of given slots (positions of the deck) are not known yet.

    Args:
        givers: The seats whose shares are needed.

    Returns:
        The slot and the seat of each missing share, rising.
    """
    return tuple((s, g) for s in sorted(slots) for g in sorted(givers) if (s, g) not in node.shares)


def _shown_slots(node: Node, name: str, seats: frozenset[int]) -> tuple[int, ...]:
    """Return the deck slots in some seats' opened choices of the kind `name`, in rising order."""
    choices = (node.opened.get((name, seat)) for seat in seats)
    slots = {slot for choice in choices if isinstance(choice, tuple) for slot in choice}
    return tuple(sorted(slots))


def _gather(node: Node, want: Want) -> Want | None:
    """Return the step `want` if it asks for an opening or a decryption share, otherwise None."""
    return want if want.dues or want.lacks else None


def _want_unseal(node: Node, goal: game.Unseal) -> Want | None:
    """Return the step that comes next in order to open sealed choices, None if all are open.

    If a choice was sealed after the last step `barrier`, a barrier comes first: all present seats
    confirm in it that they store the sealed choices.
    """
    dues = tuple(sorted(s for s in goal.seats if (goal.kind, s) not in node.opened))
    is_new = any(node.sealed[goal.kind, s].step > node.last_barrier for s in dues)
    if is_new and not node.table.strict:
        return Want(Kind.BARRIER, node.present, goal.kind)
    lacks: tuple[tuple[int, int], ...] = ()
    if goal.shows and not dues:
        lacks = lacking(node, _shown_slots(node, goal.kind, goal.seats), node.table.everyone)
    owes = frozenset(s for s in dues if (goal.kind, s) not in node.lost)
    return _gather(node, Want(Kind.REVEAL, node.present, goal.kind, owes, dues, lacks, goal.shows))


def _want_deal(node: Node) -> Want | None:
    """Return what the step `deal` asks for, or None if nothing is missing for the deal.

    The step asks for the openings of all seats' coins (random contributions). It also asks for the
    decryption shares of the cards in hands, and of the cards that are opened to all.
    """
    everyone, layout = node.table.everyone, node.table.layout
    pairs = [*lacking(node, layout.tops, everyone)]
    for seat, hand in enumerate(layout.hands):
        pairs += lacking(node, hand, everyone - {seat})
    dues = tuple(s for s in range(node.table.seats) if (COIN, s) not in node.opened)
    return _gather(node, Want(Kind.DEAL, node.present, COIN, dues=dues, lacks=tuple(sorted(pairs))))


def want_of(node: Node, goal: game.Expected) -> Want | None:
    """Return the next step towards what the game expects ([N-3], [E-16]).

    Args:
        goal: What the game expects, for example that choices are opened.

    Returns:
        The kind of step and what is asked for in it. None if no further step is needed for what
        the game expects.
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
    """Open the cards in given slots (positions of the deck) to all.

    Return the changed node and the number of each opened card, by slot.
    """
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
    """Void the opened choices that are illegal because of the cards that they show ([P-1]).

    `goal` names the kind and the seats of the choices. `cards` has the number of each shown card,
    by slot (its position in the deck). Return the node with these choices void.
    """
    for seat in sorted(goal.seats):
        choice = node.opened[goal.kind, seat]
        if choice is None or isinstance(choice, bytes):
            continue
        try:
            node.table.check_choice(node.state, goal.kind, seat, choice, cards)
        except IllegalMove:
            guilty = chain_state.Conviction(node.step - 1, seat, "illegal-choice")
            node = void(node, goal.kind, seat, guilty)
    return node


def _conclude_unseal(node: Node, goal: game.Unseal) -> tuple[Node, game.Event]:
    """End the opening of some seats' sealed choices, as the game asked for in `goal` ([P-2]).

    Return two things: the chain node, from which these sealed choices are removed, and an event for
    the game. The event tells the opened choices and the cards that the choices show.
    """
    cards: dict[int, int] = {}
    if goal.shows:
        node, cards = _keep(node, _shown_slots(node, goal.kind, goal.seats))
        node = _judge_shown(node, goal, cards)
    choices = {seat: _choice(node.opened[goal.kind, seat]) for seat in sorted(goal.seats)}
    shown = {slot for c in choices.values() if isinstance(c, tuple) for slot in c}
    stand = {slot: card for slot, card in cards.items() if slot in shown}
    return _clear(node, goal.kind, goal.seats), game.Unsealed(goal.kind, choices, stand)


def _choice(opened: chain_state.Opening) -> Choice | None:
    """Return what the game is told of an opened choice: None if the choice is void ([P-3])."""
    return None if isinstance(opened, bytes) else opened


def conclude(node: Node, goal: game.Expected) -> Node:
    """Pass the event that the game expected to the game, and return the new chain node ([P-3]).

    Args:
        node: A chain node at which everything that the event contains is known.
        goal: What the game expected.

    Returns:
        The node with the new state of the game.

    Raises:
        RuntimeError: If `goal` is a `Seal`, `Choose` or `Over`, for which this function has no
            event.
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
    playing = node.present - node.banned
    if isinstance(goal, game.Deal) and playing != node.table.everyone:
        state = node.table.game.apply(state, game.Presence(playing, node.banned))
        node = replace(node, game_present=playing)
    return replace(node, state=state)


LAST_STEP: Final[Quota] = 12_000
"""The number of the step before which a game is stopped, so that it fits into a file ([P-4])."""


def settle(node: Node) -> Node:
    """Tell the game each expected event that needs no further step, and find the next step ([P-4]).

    Args:
        node: The chain node after a step or a reconfiguration.

    Returns:
        The node with the new state of the game, and with the next step in `want`.
    """
    while True:
        goal = node.table.game.expected(node.state)
        if node.step >= LAST_STEP and not isinstance(goal, (game.Deal, game.OpenAll, game.Over)):
            node = replace(node, state=node.table.game.apply(node.state, game.Stopped()))
            goal = node.table.game.expected(node.state)
        want = want_of(node, goal)
        if want is not None:
            return replace(node, want=want)
        node = conclude(node, goal)


def joint_coin(node: Node) -> bytes:
    """Return the joint coin: random bytes from all seats, which no seat alone could choose.

    Args:
        node: A chain node at which the coins (random contributions) of all seats are opened. A coin
            that is void by a fault of its seat counts as empty.

    Returns:
        The joint coin, 32 bytes.
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
    """Return the first node of the chain, whose digest is the table id.

    Returns:
        The node before step 1.
    """
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
    """Judge a seat's input to the next step of the chain. The verdict is cached.

    Args:
        seat: The seat that gives the input.
        body: The bytes of the input's content.

    Returns:
        The decoded content of a legal input, or the fault code of an illegal input.

    SPEC: [N-7], [N-9], [N-12].
    """
    if seat not in node.want.speakers:
        return RefusedBody("not-expected", "")
    found = node.derived.verdicts.get((seat, body))
    if found is None:
        found = node.derived.verdicts[seat, body] = judge(node, seat, body)
    return found


def check(node: Node, seat: int, body: bytes) -> Any:
    """Return the content of a body that must be legal in the next step of a node.

    Args:
        seat: The seat that gives the body.

    Returns:
        The content, of a type that depends on the kind of step.

    Raises:
        Fault: If the body is illegal.
    """
    found = verdict(node, seat, body)
    if isinstance(found, RefusedBody):
        raise found.fault(seat, node.step)
    return found.given


def known(node: Node, seat: int, body: bytes) -> AcceptedBody | RefusedBody | None:
    """Return the stored verdict on a body of a seat that owes an input to the step.

    Args:
        seat: The seat that gives the body.

    Returns:
        The verdict, None if the body was not judged yet.
    """
    return node.derived.verdicts.get((seat, body))


def keep(node: Node, seat: int, body: bytes, found: AcceptedBody | RefusedBody) -> None:
    """Store the verdict on a body, so that `verdict` need not compute it again.

    A body is the content that a seat gives to a step.
    """
    node.derived.verdicts[seat, body] = found


def judge(node: Node, seat: int, body: bytes) -> AcceptedBody | RefusedBody:
    """Judge a body without storing the verdict. Another thread may run this pure function.

    Args:
        seat: The seat that gives the body. It must owe an input to the step.

    Returns:
        The content of a legal body, or the fault code of an illegal body.
    """
    step = STEPS[node.want.kind]
    try:
        return AcceptedBody(step.check(node, seat, body))
    except Invalid as error:
        code = error.code if error.code in FAULTS else "bad-body"
        return RefusedBody(code, error.reason, error.place)


def digest_after_step(before: bytes, slots: Sequence[Slot]) -> bytes:
    """Return the digest of the chain after a step.

    A body is the content of a seat's input to the step. Each body is hashed first, so that a
    certificate can show the step without the bodies.

    SPEC: 6.1.

    Args:
        before: The digest before the step, 32 bytes.
        slots: For each seat its body in the step, or the reason why there is none.

    Returns:
        The digest, 32 bytes.
    """
    plain = tuple(
        digest(Label.BODY, slot) if isinstance(slot, bytes) else int(slot) for slot in slots
    )
    return digest(Label.STEP, before, codec.encode(plain))


def digest_after_reconfiguration(
    before: bytes, present: frozenset[int], banned: frozenset[int], absences: tuple[int, ...]
) -> bytes:
    """Return the digest of the chain after a change of who is present or banned ([N-1]).

    Args:
        before: The digest before the change, 32 bytes.
        present: The seats present from then on.
        banned: The seats banned from then on.
        absences: For each seat, how often it was made absent so far.

    Returns:
        The digest, 32 bytes.
    """
    value = (sorted(present), sorted(banned), absences)
    return digest(Label.RECONFIGURATION, before, codec.encode(value))


def append(node: Node, slots: Sequence[Slot]) -> Node:
    """Return the node after a step ([N-2]). Equal slots give the same node object.

    Args:
        slots: For each seat the bytes of its legal body, or the reason why there is none. A body is
            the content of a seat's input to the step.

    Returns:
        The node after the step. Its `want` describes the next step.

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
    node.derived.steps[key] = after
    return after


def slots_of(
    node: Node, inputs: dict[int, bytes], missing: Missing = Missing.NONE
) -> tuple[Slot, ...]:
    """Return what a step records for each seat: the body of the seat's input, or why there is none.

    Args:
        missing: The reason for each seat that owes an input to the step but is not in `inputs`.
            For a seat that owes no input, the reason is `Missing.NONE`.

    Returns:
        One item for each seat, in the order of the seats, as `append` takes them.
    """
    return tuple(
        inputs.get(seat, missing if seat in node.want.speakers else Missing.NONE)
        for seat in range(node.table.seats)
    )


def reconfigure(
    node: Node, present: frozenset[int], banned: frozenset[int], absences: tuple[int, ...]
) -> Node:
    """Return the node after a change of the present and banned seats. This change is no step.

    The same arguments give the same object.

    Args:
        node: The state of the chain before the change.
        absences: For each seat, how often it was made absent so far.

    Returns:
        The node after the change, with the same step number.
    """
    key = (present, banned, absences)
    if key in node.derived.reconfigurations:
        return node.derived.reconfigurations[key]
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
    if node.want.kind not in SETUP | {Kind.DEAL}:
        state = node.table.game.apply(node.state, game.Presence(present, banned))
        after = replace(after, state=state, game_present=present)
    node.derived.reconfigurations[key] = after if node.want.kind in SETUP else settle(after)
    return node.derived.reconfigurations[key]


def may_go_on(node: Node) -> bool:
    """Return whether the chain may grow by a further step at a node.

    Returns:
        False if fewer seats than a quorum are present, if the game has been told that no seat is
        present, or if the next step would be `result` or `ended`.

    SPEC: [N-5].
    """
    if node.want.kind in (Kind.RESULT, Kind.ENDED) or node.game_present == frozenset():
        return False
    return len(node.present) >= node.table.quorum


def stands_still(node: Node) -> bool:
    """Return whether the chain cannot grow at a node although the game is not over there.

    Returns:
        Whether the chain stands still.

    SPEC: [N-5].
    """
    return node.want.kind is not Kind.RESULT and not may_go_on(node)


# Own inputs

LONG: Final = frozenset({Kind.KEY_OK, Kind.SHUFFLE, Kind.DEAL, Kind.FINAL})
"""The kinds of steps whose bodies take five to a hundred milliseconds to write at a full table."""


def needs_choice(node: Node, seat: int) -> bool:
    """Return whether the player of a seat must choose before the seat can give its input.

    Returns:
        Whether a choice is asked of the player.
    """
    return seat in node.want.owes and node.want.kind in (Kind.SEAL, Kind.SHOW, Kind.CHOOSE)


def body_of(node: Node, seat: int, secrets: chain_state.Secrets, rng: Random) -> bytes:
    """Return the body that a seat gives in a step for which its player need not choose."""
    return STEPS[node.want.kind].write(node, seat, secrets, rng)


def body_of_choice(
    node: Node, seat: int, choice: Choice, secrets: chain_state.Secrets, rng: Random
) -> bytes:
    """Return the body (content) of a seat's input to a step, with a choice of the player."""
    return STEPS[node.want.kind].write_choice(node, seat, choice, secrets, rng)
