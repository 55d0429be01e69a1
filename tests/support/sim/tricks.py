"""More lies: about a liar's own keys, epoch requests, links and the memory of others.

`TRICKS` are lies about one message, as in `support.sim.lies`. `WAYS` are what a liar does all the
time; the simulator itself carries them out. With `roots` it deals key shares that are zero for
chosen seats and then falls silent, with `mute` it answers no question, and with `cut` it cuts its
links one by one.
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
"""Bytes of inputs on digests of no chain, in each epoch."""
FAR = (2**32 - 1, 2**32 - 2, 2**31, 70_000, 1000)
CUT = 6.0
"""Seconds for which one link is cut."""
WAYS = ("roots", "mute", "cut")


def rubbish(liar: Liar, message: Message) -> Sent:
    """Sign, once in every epoch, as many inputs as are stored, on digests that nobody knows.

    They are for steps before the epoch's base. The liar has given no other input there in this
    epoch, so none of it proves a fault.
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


def huge_requests(liar: Liar, message: Message) -> Sent:
    """Sign requests and votes for epochs so far ahead that no game reaches them."""
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
    """Return the highest epoch up to this one whose proposer is the liar, or its first."""
    seats = liar.machine.table.seats
    return max(epoch - (epoch - liar.seat) % seats, liar.seat or seats)


def unresolved_promise(liar: Liar, message: Message, promise: EpochPromise) -> Sent:
    """Sign an epoch promise with inputs of others that do not resolve on what it lists."""
    epoch = 0 if promise.certificate is None else promise.certificate.epoch
    loose = {m.hash for m in _loose(liar, epoch)} - set(promise.inputs)
    find = store_of(liar.machine).find
    own = {h for h in promise.inputs if (found := find(h)) is not None and found.seat == liar.seat}
    kept = [h for h in promise.inputs if h in own or liar.die.random() < 0.8]
    # Two versions at most: with more the promise has no valid form.
    more = liar.die.sample(sorted(loose), min(len(loose), 3))
    other = replace(promise, inputs=tuple(sorted({*kept, *more})))
    return [(liar.sign(other), liar.die.choice([liar.others, liar.some()]))]


def _loose(liar: Liar, epoch: int) -> list[Message]:
    """Return the inputs of others to an epoch that resolve on nothing that this seat stores."""
    machine = liar.machine
    inputs = [m for m in store_of(machine).epoch_inputs(epoch) if m.seat != liar.seat]
    if not machine.has_begun or view_of(machine).epoch != epoch:
        return inputs
    tree = Tree(view_of(machine).base, inputs, epoch)
    return [m for m in inputs if not tree.has_legal(m)]


TRICKS: dict[str, Lie] = {
    "rubbish": rubbish,
    "huge-requests": huge_requests,
    "unresolved-promise": about(EpochPromise, unresolved_promise),
}


# What the simulator does for a liar.


def rooted(die: random.Random, seat: int, seats: int, quorum: int) -> tuple[int, ...]:
    """Return a polynomial of the right degree, zero at the indices of as many others as can be."""
    others = [other for other in range(seats) if other != seat]
    poly = [nonzero_scalar(die.randbytes)]
    for victim in die.sample(others, min(quorum - 1, len(others))):
        root = victim + 1
        shifted, scaled = [0, *poly], [*(-root * c for c in poly), 0]
        poly = [(a + b) % ORDER for a, b in zip(shifted, scaled, strict=True)]
    return tuple(poly)


def victim(seed: str, liar: int, now: float, seats: int) -> int | None:
    """Return the seat whose link a liar has cut at this time, if there is one."""
    die = random.Random(f"cut {seed} {liar} {int(now // CUT)}")
    return die.choice([None, *(seat for seat in range(seats) if seat != liar)])
