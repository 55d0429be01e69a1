"""Rules 3 to 7 of a seat: wish, halt, propose, accept and seal a new epoch; and coming back."""

from __future__ import annotations

from ..chain import transition
from ..chain.state import Kind, Node
from ..consensus import view_change
from ..consensus.view import View
from ..consensus.votes import held_says
from ..wire.messages import Accept, Back, Close, Halt, Late, Message, Say, SealVote
from .accusations import broken_by, end_by_faults, has_proof, is_effective, is_unsettled
from .core import Desk
from .effects import TOO_MANY_FAULTS, Broken
from .progress import tell_waiting

LONG_EPOCH = 2000
"""Says after which an epoch is closed although nothing is wrong. A halt lists at most 4096, all
liars may have signed two of each of theirs, and steps go on until the halts are signed."""


def late(desk: Desk) -> bool:
    """Rule 3: wish the next epoch when patience ran out, a fault is proven or a seat asks back."""
    if not desk.has_begun:
        return False
    if desk.table.strict:
        return _pause(desk)
    if _end_without_quorum(desk):
        return False
    if _has_reason(desk):
        return desk.sign(Late(desk.promise + 1))
    return False


def _pause(desk: Desk) -> bool:
    """On a strict table an absence only pauses, and a fault ends the game."""
    if desk.finished:
        return False
    if desk.clocks.is_out(desk.tip):
        tell_waiting(desk)
    if desk.proofs:
        end_by_faults(desk, broken_by(next(iter(desk.proofs.values()))))
    return False


def _end_without_quorum(desk: Desk) -> bool:
    """Whether so many seats are at fault that no chain can grow again, whoever comes back."""
    spare = desk.table.seats - desk.table.quorum
    if desk.finished or desk.tip.want.kind is Kind.RESULT:
        return False
    if len(desk.tip.banned | set(desk.proofs)) <= spare:
        return False
    proofs = [p for p in desk.proofs.values() if is_effective(desk, p)]
    if len(desk.tip.banned | {p.seat for p in proofs}) <= spare:
        return False
    seat, code = (proofs[-1].seat, proofs[-1].code) if proofs else _last_banned(desk)
    end_by_faults(desk, Broken(code, seat))
    return True


def _last_banned(desk: Desk) -> tuple[int, str]:
    """Seat and code of a fault that the last base found, or the chain itself; TOO_MANY_FAULTS
    if an earlier base found it."""
    found = desk.ballot.highest_open(1)
    if found is not None and found[1].faults:
        return found[1].faults[-1]
    if desk.tip.convictions:
        return desk.tip.convictions[-1].seat, desk.tip.convictions[-1].code
    return min(desk.tip.banned), TOO_MANY_FAULTS


def _has_reason(desk: Desk) -> bool:
    grace = desk.clocks.grace(desk.fruitless)
    if not desk.is_standing:
        return desk.clocks.now - desk.clocks.halted >= grace
    if desk.finished:
        return is_unsettled(desk)
    if _ran_out(desk) and desk.clocks.stood(desk.view) >= grace:
        tell_waiting(desk)
        return True
    return has_proof(desk) or has_back(desk) or is_long(desk.view, desk.table.seats)


def is_long(view: View, seats: int) -> bool:
    """Whether the epoch holds so many says that its halts would soon have no room for them."""
    return (view.tip.step - view.base.step) * seats >= LONG_EPOCH and transition.may_go_on(view.tip)


def _ran_out(desk: Desk) -> bool:
    can_close = transition.may_go_on(desk.tip) or desk.tip.want.kind is Kind.RESULT
    return can_close and desk.clocks.has_expired(desk.view)


def has_back(desk: Desk) -> bool:
    """Whether an absent seat asks back in with a valid `back`."""
    return bool(view_change.returning(desk.view.base, desk.store.backs()))


# Rule 4.


def halt(desk: Desk) -> bool:
    """Rule 4: when t seats wish a higher epoch, sign nothing of a lower one any more."""
    wish = desk.ballot.common_wish()
    if wish <= desk.promise or not desk.has_begun or desk.seat is None:
        return False
    if desk.replaying or desk.inquiry is not None or not reports_all(desk, wish):
        return False
    desk.raise_promise(wish)
    return desk.sign(own_halt(desk, wish))


def reports_all(desk: Desk, epoch: int) -> bool:
    """Whether a halt of `epoch` would hold every own say and seal it must; else ask first."""
    lock = desk.ballot.highest_lock(epoch)
    under = lock.epoch if lock else 0
    base = desk.ballot.base(under, lock.base if lock else None)
    told = {m.hash for m in held_says(base, desk.store, under)}
    own = (m for m in desk.store.by_seat(desk.seat) if m.hash not in told)
    return not any(_must_report(desk, m, under, base.step) for m in own)


def _must_report(desk: Desk, message: Message, under: int, first: int) -> bool:
    statement = message.statement
    if not isinstance(statement, Say | SealVote):
        return False
    if statement.epoch > under:
        desk.store.wanted_closes.add(statement.epoch)
        return True
    return isinstance(statement, Say) and statement.epoch == under and statement.step >= first


def own_halt(desk: Desk, epoch: int) -> Halt:
    """The lock, the says held on its base, whether patience ran out there, backs and proofs."""
    lock = desk.ballot.highest_lock(epoch)
    under = lock.epoch if lock else 0
    base = desk.ballot.base(under, lock.base if lock else None)
    says = {m.hash for m in held_says(base, desk.store, under)}
    proofs = {p.hashes for p in desk.proofs.values() if p.seat not in base.banned}
    backs = (m.hash for m in desk.store.backs() if not _back_done(m, base))
    return Halt(
        epoch,
        lock,
        tuple(sorted(says)),
        desk.expired.get(under),
        tuple(sorted(backs)),
        tuple(sorted(proofs)),
    )


def _back_done(message: Message, base: Node) -> bool:
    back = message.statement
    if not isinstance(back, Back):
        return True
    return message.seat in base.present or back.count < base.absences[message.seat]


# Rules 5 to 7.


def propose(desk: Desk) -> bool:
    """Rule 5: the seat whose turn it is proposes a base out of t halts."""
    epoch = desk.promise
    if desk.seat is None or epoch == 0 or epoch == desk.view.epoch:
        return False
    if epoch % desk.table.seats != desk.seat or desk.has_signed(Close, epoch):
        return False
    halts = desk.ballot.halts(epoch)
    if len(halts) < desk.table.quorum or not _waited_for_halts(desk, epoch, len(halts)):
        return False
    best = desk.ballot.best_halts(halts)
    return best is not None and desk.sign(Close(epoch, tuple(m.hash for m in best)))


def _waited_for_halts(desk: Desk, epoch: int, held: int) -> bool:
    clocks = desk.clocks
    if clocks.proposing is None:
        clocks.proposing = clocks.now
    wishes = desk.ballot.wishes().values()
    willing = sum(1 for wish in wishes if epoch <= wish <= epoch + 1)  # further on no halt comes
    return held >= willing or clocks.now - clocks.proposing >= clocks.grace(desk.fruitless) / 2


def accept(desk: Desk) -> bool:
    """Rule 6: the first vote, for the base of a valid close."""
    for epoch in sorted(desk.ballot.closes, reverse=True):
        if not _may_vote(desk, epoch) or desk.has_signed(Accept, epoch):
            continue
        digest = next(iter(desk.ballot.closes[epoch]))
        desk.raise_promise(epoch)
        return desk.sign(Accept(epoch, digest))
    return False


def seal(desk: Desk) -> bool:
    """Rule 7: the second vote, for a base with t accepts."""
    for epoch in sorted(desk.ballot.closes, reverse=True):
        if not _may_vote(desk, epoch) or desk.has_signed(SealVote, epoch):
            continue
        digest = desk.ballot.carried(Accept, epoch)
        if digest is not None:
            desk.raise_promise(epoch)
            return desk.sign(SealVote(epoch, digest))
    return False


def _may_vote(desk: Desk, epoch: int) -> bool:
    if desk.seat is None or desk.replaying or desk.inquiry is not None:
        return False
    return epoch >= max(1, desk.promise)


# Coming back.


def sign_back(desk: Desk) -> None:
    """Ask to be let in again, if this seat is absent and its player wants it."""
    seat, node = desk.seat, desk.tip
    if seat is None or seat in node.present | node.banned or not desk.wants_back:
        return
    if node.absences[seat] <= desk.table.header.terms.returns:
        desk.sign(Back(node.absences[seat]))
