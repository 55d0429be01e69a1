"""The rules by which a seat enters committed epochs, follows their chain and gives inputs.

Before epoch 0, in setup, any absence or fault ends the table by the rules of `setup_end`. A rule
returns whether all rules of the seat have to run again (`seat_machine.Rule`).
"""

from __future__ import annotations

from functools import partial

from ..chain import openings, transition
from ..chain.chain_state import SETUP, Kind
from ..consensus import followed_chain, new_epoch
from ..consensus.fault_evidence import Proof
from ..wire.signed_messages import EpochPromise, StepInput
from . import catch_up, effects
from .effects import Broken
from .seat_state import SeatState
from .timeouts import HUMAN

# Faults


def judge_fresh(state: SeatState) -> bool:
    """Look for faults in the messages that were stored since the last call."""
    state.judge.judge_fresh()
    return False


def check_forms(state: SeatState) -> bool:
    """Store a proof for each malformed new-epoch message or epoch promise.

    Also end the table if two different proposals for one epoch each have a quorum of commit votes.
    """
    votes = state.log.votes
    votes.read_new_epochs()
    votes.judge_promises()
    for digest in votes.bad:
        message = state.log.store.find(digest)
        # One proof is enough for a seat, and each check reads all that the message names.
        if message is None or message.seat in state.judge.proofs:
            continue
        if new_epoch.is_bad_form(state.table, message, votes):
            code = "bad-promise" if isinstance(message.statement, EpochPromise) else "bad-new-epoch"
            state.judge.convict(Proof(message.seat, code, (message,)))
    if votes.void:
        state.judge.end(Broken(effects.VOID_TABLE))
    return False


def tell_guilty(state: SeatState) -> bool:
    """Tell the driver which seats are proven at fault, a second after the first proof."""
    state.judge.tell_settled()
    return False


# The chain


def begin_epochs(state: SeatState) -> bool:
    """Begin epoch 0 once setup is complete."""
    if state.has_begun or state.tip.want.kind in SETUP | {Kind.ENDED}:
        return False
    state.log.begin_epochs(state.timers.now)
    return True


def enter(state: SeatState) -> bool:
    """Enter the highest committed epoch that is not below the promised epoch ([E-1])."""
    log, signer, judge = state.log, state.signer, state.judge
    found = log.votes.highest_committed(max(1, signer.promise))
    if found is None or found[0] <= log.followed.epoch:
        return False
    epoch, base = found
    # Before the chain changes: the promise notes the final steps and the claim of the epoch left.
    signer.raise_promise(epoch)
    # A player gets the whole time for a step that was complete and is open again.
    if base.node.want.kind in HUMAN and base.node.step < state.tip.step:
        state.timers.begin_anew(base.node)
    if state.seat in base.node.present - state.tip.present:
        signer.ask_rejoin(False)  # The player is asked again after the next absence.
    log.enter(epoch, base.node, state.timers.now)
    signer.forget_asked()
    # After the chain has changed, since the new base decides what is kept.
    log.forget_inputs(state.seat, {h for proof in judge.proofs.values() for h in proof.hashes})
    # After the inputs, because it drops what is not stored any more.
    state.peers.forget_deferred()
    judge.enter(base)
    state.outbox.emit(effects.Entered(epoch, base.node, base.faults))
    _look_at_tip(state, base.node.step)
    return True


def advance(state: SeatState) -> bool:
    """Append the next step to the followed chain, if all seats that owe an input gave one."""
    # Before the chain grows, too: after the start or a new epoch this step has no time yet.
    state.timers.mark(state.log.followed)
    grown = state.log.grow(state.seat)
    if grown is None:
        return False
    state.outbox.emit(effects.StepAppended(*grown))
    state.timers.mark(state.log.followed)
    _look_at_tip(state)
    return True


def _look_at_tip(state: SeatState, first: int | None = None) -> None:
    """Pass on and judge the stored inputs to the current step, or to all from `first` on."""
    store, epoch, tip = state.log.store, state.log.followed.epoch, state.tip
    catch_up.pass_deferred(state)
    state.timers.note_growth(tip.step, state.signer.promise)
    inputs = store.inputs(epoch, tip.step) if first is None else store.epoch_inputs(epoch, first)
    state.judge.judge_again(inputs)


def is_undisturbed(state: SeatState) -> bool:
    """Return whether this seat waits for nothing but inputs to the current step.

    Then it stands in its promised epoch and does not wait after a resume, no fault is proven, no
    message is missing, and no seat has left or given up.
    """
    if state.broken is not None or state.signer.inquiry is not None:
        return False
    is_accused = state.judge.proofs or state.judge.accusation or state.log.lacks_messages
    is_left = state.peers.away() or state.deck_wait.gave_up
    return state.signer.is_standing and not (is_accused or is_left)


# Reports to the driver


def tell_waiting(state: SeatState) -> None:
    """Tell the driver, once for each step, that it has timed out, and whose input is missing."""
    if state.timers.tell_timeout(state.tip):
        state.outbox.emit(effects.StepTimedOut(state.awaited(), state.tip.step))


def tell_left(state: SeatState) -> bool:
    """Tell the driver, once for each notice, that a seat leaves for now."""
    if not state.outbox.is_replaying:
        for word in state.peers.departures.news(state.peers.away()):
            gave_up = state.tip.want.kind is Kind.DECK_OK and word.step > state.tip.step
            state.outbox.emit(effects.SeatLeft(word.seat, gave_up))
    return False


# Own inputs


def may_speak(state: SeatState) -> bool:
    """Return whether this seat owes an input to the current step and may sign it ([N-7])."""
    node, signer, log = state.tip, state.signer, state.log
    if state.seat not in node.want.speakers or signer.is_quiet or signer.has_left:
        return False
    if state.deck_wait.gave_up:
        return False
    if not signer.is_standing or state.broken is not None or log.has_input(state.seat, node.step):
        return False
    if log.followed.epoch < signer.floor or transition.stands_still(node):
        return False
    return followed_chain.keeps_own_inputs(log.store, log.followed, state.seat)


def speak(state: SeatState) -> bool:
    """Sign the input that this seat owes to the current step, if it can be made now ([E-2], [N-4]).

    If the step needs a choice that the player has not made, the player is asked instead. A long
    body may be computed in a job, and signed later.
    """
    node, seat, signer = state.tip, state.seat, state.signer
    if seat is None or not may_speak(state):
        return False
    if transition.needs_choice(node, seat):
        name = node.want.name
        chosen = signer.player_choices.get((node.step, name))
        # A choice is sealed again without asking the player only if it was not shown, and if
        # nothing has changed since but who is present ([D-5]).
        same = [node.digest]
        if node.slots is None and node.parent is not None:
            same.append(node.parent.digest)
        if chosen is None or chosen.exposed or chosen.digest not in same:
            signer.ask_player(chosen)
            return False
        body = transition.body_of_choice(node, seat, chosen.choice, signer.secrets, signer.rng)
        note = (chosen.digest, name, chosen.choice)
        return signer.sign(StepInput(state.log.followed.epoch, node.step, node.digest, body), note)
    if not openings.has_opening(node, seat, signer.secrets):
        return False
    write = partial(transition.body_of, node, seat, signer.secrets, signer.rng)

    def step_input(body: bytes) -> bool:
        is_due = state.tip is node and may_speak(state)  # A job may have taken long.
        return is_due and signer.sign(
            StepInput(state.log.followed.epoch, node.step, node.digest, body)
        )

    if state.outbox.hands_out and node.want.kind in transition.LONG:
        state.outbox.put(effects.Job(write, step_input))
        return False
    return step_input(write())


def prepare(state: SeatState) -> bool:
    """Precompute the parts of this seat's shuffle that do not depend on the deck.

    It does so while seats before it shuffle, so that its turn is short.
    """
    node, seat, signer = state.tip, state.seat, state.signer
    waits = node.want.kind is Kind.SHUFFLE and seat is not None and seat > node.keys.shuffles
    if not waits or signer.is_quiet or signer.secrets.is_prepared:
        return False
    do = partial(signer.secrets.prepare_shuffle, node, signer.rng)
    if state.outbox.hands_out:
        state.outbox.put(effects.Job(do, lambda given: None))
    else:
        do()
    return False


# The end


def finish(state: SeatState) -> bool:
    """Tell the driver once the end of the game is final ([E-15]).

    It is final once all present seats have signed inputs to `result`, the last step, or once an
    epoch that begins at this step is committed.
    """
    if state.finished or not (_ended_in_base(state) or _ended_by_inputs(state)):
        return False
    state.judge.finish()
    state.outbox.emit(effects.ResultFinal(state.tip))
    return True


def _ended_by_inputs(state: SeatState) -> bool:
    """Return whether the inputs to `result`, the last step, make the end of the game final.

    If a seat is proven at fault, this seat first waits for one step timeout, so that a change of
    epoch can ban the faulty seat ([E-23]).
    """
    ended = state.tip.want.kind is Kind.RESULT
    if not ended or not state.signer.is_standing or state.awaited():
        return False
    # A strict table has no change of epoch that could ban the faulty seat.
    if state.table.strict or not state.judge.is_unsettled():
        return True
    # Others may have ended without the proof and disconnected, so the wait has a bound.
    return state.timers.is_out(state.tip)


def _ended_in_base(state: SeatState) -> bool:
    """Return whether the highest committed epoch begins at `result`, and enter it if so.

    The seat enters it even if it has promised a higher epoch.
    """
    found = state.log.votes.highest_committed(1)
    if found is None or found[1].node.want.kind is not Kind.RESULT:
        return False
    epoch, base = found
    if epoch > state.log.followed.epoch:
        # Below the promise, too: at `result` nothing more is signed, so it is not broken.
        state.log.enter(epoch, base.node, state.timers.now)
        state.outbox.emit(effects.Entered(epoch, base.node, base.faults))
    return True
