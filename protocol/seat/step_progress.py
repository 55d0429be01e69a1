"""A seat's progress: enter the highest open epoch, follow its chain, speak when asked.

Before epoch 0 begins, any absence or fault ends the table instead.
"""

from __future__ import annotations

from functools import partial

from ..chain import openings, own_inputs, transition
from ..chain.chain_state import SETUP, Kind, Node
from ..consensus import fault_evidence, followed_chain, new_epoch
from ..consensus.followed_chain import Proof
from ..fault_codes import FAULTS
from ..wire.signed_messages import Halt, Message, Say
from ..wire.signed_notices import EndNotice
from . import catch_up, end_notices, fault_judge
from .effects import (
    DEAD_KEYS,
    SEAT_LEFT,
    SILENT_SEAT,
    VOID_TABLE,
    Asked,
    Broken,
    Entered,
    Finished,
    Job,
    Stepped,
    Waiting,
)
from .seat_state import Core, PlayerChoice
from .signer import sign
from .timeouts import HUMAN


def begin_epochs(core: Core) -> bool:
    """With deck.ok complete epoch 0 begins."""
    if core.has_begun or core.tip.want.kind in SETUP | {Kind.ENDED}:
        return False
    node = core.tip
    while node.parent is not None and node.parent.want.kind not in SETUP:
        node = node.parent
    core.votes.start = node
    core.view.base = node
    core.view.entered = core.clocks.now
    return True


def check_forms(core: Core) -> bool:
    """Convict who signed a halt or close of a bad form."""
    core.votes.read_closes()
    core.votes.judge_halts()
    for digest in core.votes.bad:
        message = core.store.find(digest)
        if message is None or message.seat in core.proofs:
            continue
        if new_epoch.is_bad_form(core.table, message, core.votes):
            code = "bad-halt" if isinstance(message.statement, Halt) else "bad-close"
            fault_judge.convict(core, Proof(message.seat, code, (message,)))
    if core.votes.void:
        core.end(Broken(VOID_TABLE))
    return False


def enter(core: Core) -> bool:
    """Stand in the highest open epoch that the promise allows ([E-1])."""
    found = core.votes.highest_open(max(1, core.promise))
    if found is None or found[0] <= core.view.epoch:
        return False
    epoch, base = found
    core.raise_promise(epoch)
    if base.node.want.kind in HUMAN and base.node.step < core.tip.step:
        core.clocks.begin_anew(base.node)
    if core.seat in base.node.present - core.tip.present:
        core.wants_back = False  # the next absence is another matter
    core.view = followed_chain.new_view(epoch, base.node, core.clocks.now)
    core.asked = None
    _forget_says(core)
    fault_judge.tell_base_faults(core, base)
    core.proofs = {s: p for s, p in core.proofs.items() if s not in base.node.banned}
    core.emit(Entered(epoch, base.node, base.faults))
    catch_up.pass_deferred(core)
    core.note_growth()
    fault_judge.judge_again(core, core.store.epoch_says(epoch, base.node.step))
    return True


def _forget_says(core: Core) -> None:
    """Of earlier epochs keep what lies on the chain, what halts or proofs name, and one's own."""
    halts = (m.statement for m in core.store if isinstance(m.statement, Halt))
    named = {h for halt in halts for h in (*halt.says, *(h for pair in halt.proofs for h in pair))}
    named |= {h for proof in core.proofs.values() for h in proof.hashes}
    on_chain = fault_evidence.ancestry(core.view.base)

    def keep(message: Message, say: Say) -> bool:
        return message.seat == core.seat or say.on in on_chain or message.hash in named

    core.store.forget_says(core.view.epoch, keep)
    core.deferred = {digest for digest in core.deferred if digest in core.store}


def advance(core: Core) -> bool:
    """Append the first incomplete step if all expected have spoken."""
    core.clocks.mark(core.view)
    grown = followed_chain.grow(core.store, core.view, core.seat)
    if grown is None:
        return False
    before, after = grown
    core.emit(Stepped(before, after))
    core.clocks.mark(core.view)
    catch_up.pass_deferred(core)
    core.note_growth()
    fault_judge.judge_again(core, core.store.says(core.view.epoch, after.step))
    return True


def is_undisturbed(core: Core) -> bool:
    """Whether this node waits for nothing but says: it stands in its epoch, nothing is proven,
    forgotten or lacked, and nobody has left."""
    if core.broken is not None or core.inquiry is not None or not core.is_standing:
        return False
    return not (core.proofs or core.accusation or core.lacks_messages or core.away())


# Before epoch 0.


def end_setup(core: Core) -> bool:
    """Before epoch 0 any fault or absence ends the table, the seat named ([N-6])."""
    node = core.tip
    if node.want.kind is Kind.ENDED:
        _end_and_announce(core, _ended_by(node))
    elif node.want.kind in SETUP:
        _wait_in_setup(core, node)
    return False


def _ended_by(node: Node) -> Broken:
    if not node.convictions:
        return Broken(DEAD_KEYS)
    guilty = node.convictions[-1]
    return Broken(guilty.code, guilty.seat)


def _wait_in_setup(core: Core, node: Node) -> None:
    """End the table in setup if it cannot go on, or tell the driver whom a committed seat awaits.

    A seat is committed once it has sent deck.ok: the inputs of the others can still make the game
    begin ([D-3]). So is a seat that may have sent it, by an old journal, until the others have
    told.
    """
    said = core.has_said(node.step) or core.inquiry is not None
    committed = node.want.kind is Kind.DECK_OK and said
    broken = _why_setup_ends(core, node, committed)
    if broken is None:
        return
    if committed:
        tell_waiting(core)
    else:
        _end_and_announce(core, broken)


def _why_setup_ends(core: Core, node: Node, committed: bool) -> Broken | None:
    """Return why the table ends in setup: a proven fault, an end notice, a leave or a timeout."""
    if fault_judge.proofs_of(core) and not committed:
        proof = fault_judge.settled_proof(core)
        return None if proof is None else fault_judge.broken_by(proof)
    if (known := _known_end(core)) is not None:
        return known
    if core.clocks.is_out(node) and core.awaited():
        return Broken(SILENT_SEAT, min(core.awaited() - {core.seat} or core.awaited()))
    return None


def _known_end(core: Core) -> Broken | None:
    """Return the end of the table in setup that a seat's signed word brings, if one does."""
    if core.ends.refuser is not None:
        return Broken(SEAT_LEFT, core.ends.refuser)
    if (announced := _announced_end(core)) is not None:
        return announced
    gone = gone_before_the_game(core)
    return Broken(SEAT_LEFT, min(gone)) if gone else None


def _announced_end(core: Core) -> Broken | None:
    """Return the end of the table in setup that another seat was the first to announce ([E-30]).

    A code of a fault counts a little later, so that the proof that goes round can arrive first.
    What this node sees as well is its own finding.
    """
    settled = core.clocks.now - fault_judge.SETTLES
    for seat, notice in core.ends.setup.items():
        is_due = notice.reason not in FAULTS or core.ends.received[seat] <= settled
        if seat != core.seat and is_due:
            by = None if _sees_itself(core, notice) else seat
            return Broken(notice.reason, notice.about, by)
    return None


def _sees_itself(core: Core, notice: EndNotice) -> bool:
    """Return whether this node waited for the seat of a notice in vain too, or has its leave."""
    if notice.reason == SILENT_SEAT:
        return notice.about in core.awaited() and core.clocks.is_out(core.tip)
    return notice.reason == SEAT_LEFT and notice.about in {word.seat for word in core.away()}


def _end_and_announce(core: Core, broken: Broken) -> None:
    """End the table in setup, and tell the others why, signed ([E-30])."""
    end_notices.announce(core, broken.code, broken.seat)
    core.end(broken)


def gone_before_the_game(core: Core) -> list[int]:
    """Who has left for now, a moment ago, with a say of setup still to be said ([E-27]).

    Who ends a table goes: in that moment the others, some linked just now, hear of it too.
    """
    first, before = core.table.first_step, core.clocks.now - fault_judge.SETTLES
    away = (word for word in core.away() if word.step < first and not core.has_begun)
    return [word.seat for word in away if core.leaves.since(word.seat) <= before]


def is_unsure_of_deck(core: Core) -> bool:
    """Return whether this seat has confirmed the deck and need not wait for the others here.

    It need not after twice the step timeout, nor if the table has ended for one of them, nor if
    one of them has left or is proven at fault. The game may begin all the same ([D-3]).
    """
    clocks = core.clocks
    if core.seat is None or core.broken is not None or core.tip.want.kind is not Kind.DECK_OK:
        return False
    awaited = core.awaited()
    waited = clocks.left(core.tip) <= -clocks.patience(core.tip)
    is_over = waited or _known_end(core) is not None
    is_over = is_over or fault_judge.settled_proof(core) is not None
    return is_over and bool(awaited) and core.seat not in awaited


def give_up(core: Core) -> None:
    """Tell the driver why a committed seat waits no longer."""
    proof = next(iter(fault_judge.proofs_of(core)), None)
    if proof is not None:
        core.emit(fault_judge.broken_by(proof))
        return
    silent = Broken(SILENT_SEAT, min(core.awaited(), default=None))
    core.emit(_why_setup_ends(core, core.tip, committed=True) or silent)


def tell_waiting(core: Core) -> None:
    """Tell the driver once per step whom the table waits for."""
    place = (core.tip.step, core.tip.digest)
    if place not in core.told_waiting:
        core.told_waiting.add(place)
        core.emit(Waiting(core.awaited(), core.tip.step))


# Speaking.


def may_speak(core: Core) -> bool:
    """Whether this seat is expected in the step, stands in its epoch and has not spoken ([N-7])."""
    node = core.tip
    if core.seat not in node.want.speakers or core.replaying or core.inquiry is not None:
        return False
    if core.has_left:
        return False
    if not core.is_standing or core.broken is not None or core.has_said(node.step):
        return False
    if core.view.epoch < core.floor:
        return False
    if transition.stands_still(node):
        return False
    return followed_chain.keeps_own_says(core.store, core.view, core.seat)


def speak(core: Core) -> bool:
    """Say what is asked, as soon as it is asked and can be said ([E-2], [N-4])."""
    node, seat = core.tip, core.seat
    if seat is None or not may_speak(core):
        return False
    if own_inputs.needs_choice(node, seat):
        return _speak_choice(core, node, seat)
    if not openings.has_opening(node, seat, core.secrets):
        return False
    write = partial(own_inputs.body_of, node, seat, core.secrets, core.rng)
    if core.hands_out and own_inputs.takes_long(node):
        core.job = Job(write, lambda body: _say_if_due(core, node, body))
        return False
    return sign(core, Say(core.view.epoch, node.step, node.digest, write()))


def _say_if_due(core: Core, node: Node, body: bytes) -> None:
    """Say what was written meanwhile, if it still can be said."""
    if core.tip is node and may_speak(core):
        sign(core, Say(core.view.epoch, node.step, node.digest, body))


def prepare(core: Core) -> bool:
    """While other seats shuffle, do what the own shuffle needs no deck for."""
    node, seat = core.tip, core.seat
    waits = node.want.kind is Kind.SHUFFLE and seat is not None and seat > node.keys.shuffles
    if not waits or core.replaying or core.inquiry is not None or core.secrets.is_prepared:
        return False
    do = partial(core.secrets.prepare_shuffle, node, core.rng)
    if core.hands_out:
        core.job = Job(do, lambda given: None)
    else:
        do()
    return False


def _speak_choice(core: Core, node: Node, seat: int) -> bool:
    chosen = core.player_choices.get((node.step, node.want.name))
    if chosen is None or not _still_stands(chosen, node):
        _ask_player(core, node, chosen)
        return False
    body = own_inputs.body_of_choice(node, seat, chosen.choice, core.secrets, core.rng)
    note = (chosen.digest, node.want.name, chosen.choice)
    return sign(core, Say(core.view.epoch, node.step, node.digest, body), note)


def _ask_player(core: Core, node: Node, chosen: PlayerChoice | None) -> None:
    position = (core.view.epoch, node.step, node.digest)
    if core.asked != position:
        core.asked = position
        core.emit(Asked(node, node.want.name, chosen is not None and chosen.burnt))


def _still_stands(chosen: PlayerChoice, node: Node) -> bool:
    """A choice is committed again by itself only if it was not shown and nothing else changed.

    SPEC: [D-5].
    """
    if chosen.burnt:
        return False
    parent = node.parent
    linked = node.slots is None and parent is not None and parent.digest == chosen.digest
    return node.digest == chosen.digest or linked


# The end.


def finish(core: Core) -> bool:
    """The end is final by the says of the result step, or by a sealed base that holds it.

    SPEC: [E-15].
    """
    if core.finished:
        return False
    if not _ended_in_base(core) and not _ended_by_says(core):
        return False
    core.finished, core.clocks.over = True, core.clocks.now
    core.emit(Finished(core.tip))
    return True


def _ended_by_says(core: Core) -> bool:
    """A proof of a fault is waited on, so that a base may find it first ([E-23])."""
    ended = core.tip.want.kind is Kind.RESULT
    if not ended or not core.is_standing or core.awaited():
        return False
    if core.table.strict or not fault_judge.is_unsettled(core):
        return True
    return core.clocks.is_out(core.tip)  # others may have ended without the proof, and left


def _ended_in_base(core: Core) -> bool:
    """A sealed base is final even for a seat whose promise does not let it stand there."""
    found = core.votes.highest_open(1)
    if found is None or found[1].node.want.kind is not Kind.RESULT:
        return False
    epoch, base = found
    if epoch > core.view.epoch:
        core.view = followed_chain.new_view(epoch, base.node, core.clocks.now)
        core.emit(Entered(epoch, base.node, base.faults))
    return True
