"""More lies: what a liar does to its own keys, to requests, to the links, to others' memory.

`TRICKS` are lies about one message, as in `support.sim.lies`; `WAYS` are what a liar does all the
time, and the simulator itself carries them out: roots (backup pieces that are zero for chosen
seats, and then silence), mute (it answers no question), cut (it cuts its links, one by one).
"""

import random
from dataclasses import replace
from itertools import islice

from protocol.chain.chain_state import nonzero_scalar
from protocol.consensus.fork_tree import Tree
from protocol.crypto.hashing import ORDER
from protocol.wire.signed_messages import (
    CommitVote,
    EpochPromise,
    EpochRequest,
    Message,
    NewEpoch,
    PrepareVote,
    StepInput,
)
from support.inspection import promise_of, store_of, view_of
from support.sim.lies import Liar, Lie, Sent, about

RUBBISH = 250_000
"""Bytes of says on digests that are none, in each epoch."""
FAR = (2**32 - 1, 2**32 - 2, 2**31, 70_000, 1000)
CUT = 6.0
"""Seconds for which one link is cut."""
WAYS = ("roots", "mute", "cut")


def rubbish(liar: Liar, message: Message) -> Sent:
    """Once in every epoch: as much as it may say, on digests that nobody has.

    In steps before the epoch's base it has said nothing else there, so none of it is provable.
    """
    view = view_of(liar.machine)
    steps = range(1, view.base.step)
    if view.epoch == 0 or view.epoch in liar.wasted:
        return [(message, liar.others)]
    liar.wasted.add(view.epoch)
    count = liar.die.choice([2, 10, len(steps)])
    inputs = (
        StepInput(view.epoch, step, liar.die.randbytes(32), liar.die.randbytes(RUBBISH // count))
        for step in islice(steps, count)
    )
    return [
        (message, liar.others),
        *((liar.sign(step_input), liar.others) for step_input in inputs),
    ]


def huge_wishes(liar: Liar, message: Message) -> Sent:
    """Wishes and votes for epochs that nobody will live to see; to all or to some."""
    die = liar.die
    epoch = die.choice([*FAR, promise_of(liar.machine) + 3])
    far = die.choice(
        [
            EpochRequest(epoch),
            EpochPromise(epoch, None, (), None, (), ()),
            PrepareVote(epoch, die.randbytes(32)),
            CommitVote(epoch, die.randbytes(32)),
            NewEpoch(_turn_of(liar, epoch), (b"x" * 32,)),
        ]
    )
    return [(message, liar.others), (liar.sign(far), die.choice([liar.others, liar.some()]))]


def _turn_of(liar: Liar, epoch: int) -> int:
    """An epoch at or below this one that the liar proposes, or its first."""
    seats = liar.machine.table.seats
    return max(epoch - (epoch - liar.seat) % seats, liar.seat or seats)


def unresolved_promise(liar: Liar, message: Message, promise: EpochPromise) -> Sent:
    """A halt that lists others' says which resolve on nothing it lists."""
    epoch = 0 if promise.certificate is None else promise.certificate.epoch
    held = {m.hash for m in _loose(liar, epoch)} - set(promise.inputs)
    find = store_of(liar.machine).find
    own = {h for h in promise.inputs if (found := find(h)) is not None and found.seat == liar.seat}
    kept = [h for h in promise.inputs if h in own or liar.die.random() < 0.8]
    # In two versions at most, or the halt breaks its form at once.
    more = liar.die.sample(sorted(held), min(len(held), 3))
    other = replace(promise, inputs=tuple(sorted({*kept, *more})))
    return [(liar.sign(other), liar.die.choice([liar.others, liar.some()]))]


def _loose(liar: Liar, epoch: int) -> list[Message]:
    """Others' says of an epoch that resolve on nothing this seat holds."""
    machine = liar.machine
    inputs = [m for m in store_of(machine).epoch_inputs(epoch) if m.seat != liar.seat]
    if not machine.has_begun or view_of(machine).epoch != epoch:
        return inputs
    tree = Tree(view_of(machine).base, inputs, epoch)
    return [m for m in inputs if not tree.holds(m)]


TRICKS: dict[str, Lie] = {
    "rubbish": rubbish,
    "huge-requests": huge_wishes,
    "unresolved-promise": about(EpochPromise, unresolved_promise),
}


# What the simulator does for a liar.


def rooted(die: random.Random, seat: int, seats: int, quorum: int) -> tuple[int, ...]:
    """A polynomial of the right degree that is zero at the indices of as many others as can be."""
    others = [other for other in range(seats) if other != seat]
    poly = [nonzero_scalar(die.randbytes)]
    for victim in die.sample(others, min(quorum - 1, len(others))):
        root = victim + 1
        shifted, scaled = [0, *poly], [*(-root * c for c in poly), 0]
        poly = [(a + b) % ORDER for a, b in zip(shifted, scaled, strict=True)]
    return tuple(poly)


def victim(seed: str, liar: int, now: float, seats: int) -> int | None:
    """Whose link a cutting liar has cut at this time."""
    die = random.Random(f"cut {seed} {liar} {int(now // CUT)}")
    return die.choice([None, *(seat for seat in range(seats) if seat != liar)])
