"""Rules 1 and 2 of a seat: enter the highest open epoch, follow its chain, speak when asked.

Before epoch 0 begins, any absence or fault ends the table instead.
"""

from __future__ import annotations

from ..chain import openings, own_bodies, transition
from ..chain.state import SETUP, Kind, Node
from ..consensus import evidence, view, view_change
from ..consensus.view import Proof
from ..wire.messages import Halt, Message, Say
from . import accusations
from .core import Desk, Given
from .effects import (
    DEAD_KEYS,
    SILENT_SEAT,
    VOID_TABLE,
    Asked,
    Broken,
    Entered,
    Finished,
    Stepped,
    Waiting,
)
from .timeouts import HUMAN


def begin_epochs(desk: Desk) -> bool:
    """With deck.ok complete epoch 0 begins."""
    if desk.has_begun or desk.tip.want.kind in SETUP | {Kind.ENDED}:
        return False
    node = desk.tip
    while node.parent is not None and node.parent.want.kind not in SETUP:
        node = node.parent
    desk.ballot.start = node
    desk.view.base = node
    desk.view.entered = desk.clocks.now
    return True


def check_forms(desk: Desk) -> bool:
    """Convict who signed a halt or close of a bad form."""
    desk.ballot.read_closes()
    desk.ballot.judge_halts()
    for digest, reason in desk.ballot.bad.items():
        message = desk.store.find(digest)
        if message is None or message.seat in desk.proofs:
            continue
        if view_change.is_bad_form(desk.table, message, desk.ballot):
            code = "bad-halt" if isinstance(message.statement, Halt) else "bad-close"
            desk.convict(Proof(message.seat, code, reason, (message,)))
    if desk.ballot.void:
        desk.end(Broken(VOID_TABLE))
    return False


def enter(desk: Desk) -> bool:
    """Rule 1: stand in the highest open epoch that the promise allows."""
    found = desk.ballot.highest_open(max(1, desk.promise))
    if found is None or found[0] <= desk.view.epoch:
        return False
    epoch, base = found
    desk.raise_promise(epoch)
    if base.node.want.kind in HUMAN and base.node.step < desk.tip.step:
        desk.clocks.begin_anew(base.node)
    desk.view = view.new_view(epoch, base.node, desk.clocks.now)
    desk.asked = None
    _forget_says(desk)
    accusations.tell_base_faults(desk, base)
    desk.proofs = {s: p for s, p in desk.proofs.items() if s not in base.node.banned}
    desk.emit(Entered(epoch, base.node))
    desk.note_growth()
    for message in desk.store.epoch_says(epoch, base.node.step):
        desk.judge(message)
    return True


def _forget_says(desk: Desk) -> None:
    """Of earlier epochs keep what lies on the chain, what halts or proofs name, and one's own."""
    halts = (m.statement for m in desk.store if isinstance(m.statement, Halt))
    named = {h for halt in halts for h in (*halt.says, *(h for pair in halt.proofs for h in pair))}
    named |= {h for proof in desk.proofs.values() for h in proof.hashes}
    on_chain = evidence.ancestry(desk.view.base)

    def keep(message: Message, say: Say) -> bool:
        return message.seat == desk.seat or say.on in on_chain or message.hash in named

    desk.store.forget_says(desk.view.epoch, keep)


def advance(desk: Desk) -> bool:
    """Append the first incomplete step if all expected have spoken."""
    desk.clocks.mark(desk.view)
    grown = view.grow(desk.store, desk.view, desk.seat)
    if grown is None:
        return False
    before, after = grown
    desk.emit(Stepped(before, after))
    desk.clocks.mark(desk.view)
    desk.note_growth()
    for message in desk.store.says(desk.view.epoch, after.step):
        desk.judge(message)
    return True


# Before epoch 0.


def end_setup(desk: Desk) -> bool:
    """Before epoch 0 any fault or absence ends the table, the seat named."""
    node = desk.tip
    if node.want.kind is Kind.ENDED:
        desk.end(_ended_by(node))
    elif node.want.kind in SETUP:
        _wait_in_setup(desk, node)
    return False


def _ended_by(node: Node) -> Broken:
    if not node.convictions:
        return Broken(DEAD_KEYS)
    guilty = node.convictions[-1]
    return Broken(guilty.code, guilty.seat)


def _wait_in_setup(desk: Desk, node: Node) -> None:
    """Who has said deck.ok can still be called to the table by the others', so it stays.

    So does who may have said it, by an old journal, as long as the others have not told.
    """
    said = desk.has_said(node.step) or desk.inquiry is not None
    committed = node.want.kind is Kind.DECK_OK and said
    if accusations.proofs_of(desk) and not committed:
        proof = accusations.settled_proof(desk)
        if proof is not None:
            desk.end(accusations.broken_by(proof))
    elif desk.clocks.is_out(node) and desk.awaited():
        if committed:
            tell_waiting(desk)
        else:
            desk.end(Broken(SILENT_SEAT, min(desk.awaited() - {desk.seat} or desk.awaited())))


def tell_waiting(desk: Desk) -> None:
    """Tell the driver once per step whom the table waits for."""
    place = (desk.tip.step, desk.tip.digest)
    if place not in desk.told_waiting:
        desk.told_waiting.add(place)
        desk.emit(Waiting(desk.awaited(), desk.tip.step))


# Rule 2.


def may_speak(desk: Desk) -> bool:
    """Whether this seat is expected in the step, stands in its epoch and has not spoken."""
    node = desk.tip
    if desk.seat not in node.want.speakers or desk.replaying or desk.inquiry is not None:
        return False
    if not desk.is_standing or desk.broken is not None or desk.has_said(node.step):
        return False
    if desk.view.epoch < desk.floor:
        return False
    if not transition.may_go_on(node) and node.want.kind is not Kind.RESULT:
        return False
    return view.keeps_own_says(desk.store, desk.view, desk.seat)


def speak(desk: Desk) -> bool:
    """Rule 2: say what is asked, as soon as it is asked and can be said."""
    node, seat = desk.tip, desk.seat
    if seat is None or not may_speak(desk):
        return False
    if own_bodies.needs_choice(node, seat):
        return _speak_choice(desk, node, seat)
    if not openings.has_opening(node, seat, desk.secrets):
        return False
    body = own_bodies.body_of(node, seat, desk.secrets, desk.rng)
    return desk.sign(Say(desk.view.epoch, node.step, node.digest, body))


def _speak_choice(desk: Desk, node: Node, seat: int) -> bool:
    given = desk.given.get((node.step, node.want.name))
    if given is None or not _still_stands(given, node):
        _ask_player(desk, node, given)
        return False
    body = own_bodies.body_of_choice(node, seat, given.choice, desk.secrets, desk.rng)
    note = (given.digest, node.want.name, given.choice)
    return desk.sign(Say(desk.view.epoch, node.step, node.digest, body), note)


def _ask_player(desk: Desk, node: Node, given: Given | None) -> None:
    place = (desk.view.epoch, node.step, node.digest)
    if desk.asked != place:
        desk.asked = place
        desk.emit(Asked(node, node.want.name, given is not None and given.burnt))


def _still_stands(given: Given, node: Node) -> bool:
    """A choice is committed again by itself only if it was not shown and nothing else changed."""
    if given.burnt:
        return False
    parent = node.parent
    linked = node.slots is None and parent is not None and parent.digest == given.digest
    return node.digest == given.digest or linked


# The end.


def finish(desk: Desk) -> bool:
    """The end is final by the says of the result step, or by a sealed base that holds it."""
    if desk.finished:
        return False
    if not _ended_in_base(desk) and not _ended_by_says(desk):
        return False
    desk.finished, desk.clocks.over = True, desk.clocks.now
    desk.emit(Finished(desk.tip))
    return True


def _ended_by_says(desk: Desk) -> bool:
    ended = desk.tip.want.kind is Kind.RESULT
    if not ended or not desk.is_standing or desk.awaited():
        return False
    if desk.table.strict or not accusations.is_unsettled(desk):
        return True
    return desk.clocks.is_out(desk.tip)  # others may have ended without the proof, and left


def _ended_in_base(desk: Desk) -> bool:
    """A sealed base is final even for a seat whose promise does not let it stand there."""
    found = desk.ballot.highest_open(1)
    if found is None or found[1].node.want.kind is not Kind.RESULT:
        return False
    epoch, base = found
    if epoch > desk.view.epoch:
        desk.view = view.new_view(epoch, base.node, desk.clocks.now)
        desk.emit(Entered(epoch, base.node))
    return True
