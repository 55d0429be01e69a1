"""A seat's part in a change of epoch: wish, halt, propose, accept, seal; and coming back."""

from __future__ import annotations

from typing import Final

from ..bounds import Quota
from ..chain import transition
from ..chain.chain_state import Kind, Node
from ..consensus import new_epoch
from ..consensus.epoch_votes import held_says
from ..consensus.followed_chain import View
from ..wire.signed_messages import Accept, Back, Close, Halt, Late, Message, Say, SealVote
from .effects import TOO_MANY_FAULTS, Broken
from .fault_judge import broken_by, end_by_faults, has_proof, is_effective, is_unsettled
from .seat_state import Core
from .signer import sign
from .step_progress import tell_waiting

LONG_EPOCH: Final[Quota] = 2000
"""Says after which an epoch is closed although nothing is wrong. A halt lists at most 4096, all
liars may have signed two of each of theirs, and steps go on until the halts are signed."""


def late(core: Core) -> bool:
    """Wish the next epoch when patience ran out, a fault is proven or a seat asks back.

    SPEC: [E-3].
    """
    if not core.has_begun:
        return False
    if core.table.strict:
        return _pause(core)
    if _end_without_quorum(core):
        return False
    if _has_reason(core):
        return sign(core, Late(core.promise + 1))
    return False


def _pause(core: Core) -> bool:
    """On a strict table an absence only pauses, and a fault ends the game ([E-9])."""
    if core.finished:
        return False
    if core.clocks.is_out(core.tip) or core.all_left():
        tell_waiting(core)
    if core.proofs:
        end_by_faults(core, broken_by(next(iter(core.proofs.values()))))
    return False


def _end_without_quorum(core: Core) -> bool:
    """Whether so many seats are at fault that no chain can grow again, whoever comes back.

    SPEC: [E-9].
    """
    spare = core.table.seats - core.table.quorum
    if core.finished or core.tip.want.kind is Kind.RESULT:
        return False
    if len(core.tip.banned | set(core.proofs)) <= spare:
        return False
    proofs = [p for p in core.proofs.values() if is_effective(core, p)]
    if len(core.tip.banned | {p.seat for p in proofs}) <= spare:
        return False
    seat, code = (proofs[-1].seat, proofs[-1].code) if proofs else _last_banned(core)
    end_by_faults(core, Broken(code, seat))
    return True


def _last_banned(core: Core) -> tuple[int, str]:
    """Seat and code of a fault that the last base found, or the chain itself; TOO_MANY_FAULTS
    if an earlier base found it."""
    found = core.votes.highest_open(1)
    if found is not None and found[1].faults:
        return found[1].faults[-1]
    if core.tip.convictions:
        return core.tip.convictions[-1].seat, core.tip.convictions[-1].code
    return min(core.tip.banned), TOO_MANY_FAULTS


def _has_reason(core: Core) -> bool:
    grace = core.clocks.grace(core.fruitless)
    if not core.is_standing:
        return core.clocks.now - core.clocks.halted >= grace
    if core.finished:
        return is_unsettled(core)
    if _ran_out(core) and core.clocks.stood(core.view) >= grace:
        tell_waiting(core)
        return True
    return has_proof(core) or has_back(core) or is_long(core.view, core.table.seats)


def is_long(view: View, seats: int) -> bool:
    """Whether the epoch holds so many says that its halts would soon have no room for them.

    SPEC: [E-17].
    """
    return (view.tip.step - view.base.step) * seats >= LONG_EPOCH and transition.may_go_on(view.tip)


def _ran_out(core: Core) -> bool:
    return not transition.stands_still(core.tip) and core.ran_out()


def has_back(core: Core) -> bool:
    """Whether an absent seat asks back in with a valid `back` ([E-3])."""
    return bool(new_epoch.returning(core.view.base, core.store.backs()))


# Halting.


def halt(core: Core) -> bool:
    """When t seats wish a higher epoch, sign nothing of a lower one any more ([E-4])."""
    wish = core.votes.common_wish()
    if wish <= core.promise or not core.has_begun or core.seat is None:
        return False
    if core.replaying or core.inquiry is not None or not reports_all(core, wish):
        return False
    core.raise_promise(wish)
    return sign(core, own_halt(core, wish))


def reports_all(core: Core, epoch: int) -> bool:
    """Whether a halt of `epoch` would hold every own say and seal it must; else ask first."""
    lock = core.votes.highest_lock(epoch)
    under = lock.epoch if lock else 0
    base = core.votes.base(under, lock.base if lock else None)
    told = {m.hash for m in held_says(base, core.store, under)}
    own = (m for m in core.store.by_seat(core.seat) if m.hash not in told)
    return not any(_must_report(core, m, under, base.step) for m in own)


def _must_report(core: Core, message: Message, under: int, first: int) -> bool:
    statement = message.statement
    if not isinstance(statement, Say | SealVote):
        return False
    if statement.epoch > under:
        core.store.wanted_closes.add(statement.epoch)
        return True
    return isinstance(statement, Say) and statement.epoch == under and statement.step >= first


def own_halt(core: Core, epoch: int) -> Halt:
    """The lock, the says held on its base, whether patience ran out there, backs and proofs.

    SPEC: [E-4].
    """
    lock = core.votes.highest_lock(epoch)
    under = lock.epoch if lock else 0
    base = core.votes.base(under, lock.base if lock else None)
    says = {m.hash for m in held_says(base, core.store, under)}
    proofs = {p.hashes for p in core.proofs.values() if p.seat not in base.banned}
    backs = (m.hash for m in core.store.backs() if not _back_done(m, base))
    return Halt(
        epoch,
        lock,
        tuple(sorted(says)),
        core.expired.get(under),
        tuple(sorted(backs)),
        tuple(sorted(proofs)),
    )


def _back_done(message: Message, base: Node) -> bool:
    back = message.statement
    if not isinstance(back, Back):
        return True
    return message.seat in base.present or back.count < base.absences[message.seat]


# Proposing and voting.


def propose(core: Core) -> bool:
    """The seat whose turn it is proposes a base out of t halts ([E-5])."""
    epoch = core.promise
    if core.seat is None or epoch == 0 or epoch == core.view.epoch:
        return False
    if epoch % core.table.seats != core.seat or core.has_signed(Close, epoch):
        return False
    halts = core.votes.halts(epoch)
    if len(halts) < core.table.quorum or not _waited_for_halts(core, epoch, len(halts)):
        return False
    best = core.votes.best_halts(halts)
    return best is not None and sign(core, Close(epoch, tuple(m.hash for m in best)))


def _waited_for_halts(core: Core, epoch: int, held: int) -> bool:
    clocks = core.clocks
    if clocks.proposing is None:
        clocks.proposing = clocks.now
    wishes = core.votes.wishes().values()
    willing = sum(1 for wish in wishes if epoch <= wish <= epoch + 1)  # further on no halt comes
    return held >= willing or clocks.now - clocks.proposing >= clocks.grace(core.fruitless) / 2


def accept(core: Core) -> bool:
    """The first vote, for the base of a valid close ([E-6])."""
    for epoch in sorted(core.votes.closes, reverse=True):
        if not _may_vote(core, epoch) or core.has_signed(Accept, epoch):
            continue
        digest = next(iter(core.votes.closes[epoch]))
        core.raise_promise(epoch)
        return sign(core, Accept(epoch, digest))
    return False


def seal(core: Core) -> bool:
    """The second vote, for a base with t accepts ([E-7])."""
    for epoch in sorted(core.votes.closes, reverse=True):
        if not _may_vote(core, epoch) or core.has_signed(SealVote, epoch):
            continue
        digest = core.votes.carried(Accept, epoch)
        if digest is not None:
            core.raise_promise(epoch)
            return sign(core, SealVote(epoch, digest))
    return False


def _may_vote(core: Core, epoch: int) -> bool:
    if core.seat is None or core.replaying or core.inquiry is not None:
        return False
    return epoch >= max(1, core.promise)


# Coming back.


def sign_back(core: Core) -> None:
    """Ask to be let in again, if this seat is absent and its player wants it ([E-8])."""
    seat, node = core.seat, core.tip
    if seat is not None and core.wants_back and new_epoch.may_return(node, seat):
        sign(core, Back(node.absences[seat]))
