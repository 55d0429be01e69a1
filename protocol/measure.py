"""Times of the building blocks against the raw cost of the group operations they do.

The clock (seconds, as `time.process_time` gives) and the randomness are passed in.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from statistics import median
from typing import Any

import nacl.bindings
from nacl.signing import SigningKey

from .crypto import elgamal, escrow, group, shuffle_proof, sigma_proofs
from .crypto.commitments import commit, opening
from .crypto.hashing import Context, Label, Random, scalar

Clock = Callable[[], float]

RAW: dict[str, tuple[Any, str]] = {
    "multiply": (group.LIBSODIUM, "multiply"),
    "base_multiply": (group.LIBSODIUM, "multiply_base"),
    "add": (group.LIBSODIUM, "add"),
    "subtract": (group.LIBSODIUM, "subtract"),
    "check": (group.LIBSODIUM, "is_valid_point"),
    "signature": (nacl.bindings, "crypto_sign_open"),
}
"""The calls of libsodium that cost time, and where they are made."""


@dataclass(frozen=True)
class Stopwatch:
    """A clock, randomness, and how often each call is timed."""

    clock: Clock
    rng: Random
    rounds: int

    def milliseconds(self, call: Callable[[], Any], times: int = 1) -> float:
        """The median time of a call, over `times` as many rounds."""
        taken = []
        for _ in range(self.rounds * times):
            start = self.clock()
            call()
            taken.append(self.clock() - start)
        return median(taken) * 1000


@contextmanager
def counted() -> Iterator[Counter[str]]:
    """Counts the calls of libsodium while it is open."""
    counts: Counter[str] = Counter()
    originals = {name: getattr(*where) for name, where in RAW.items()}

    def counting(name: str, original: Callable[..., Any]) -> Callable[..., Any]:
        def call(*arguments: Any) -> Any:
            counts[name] += 1
            return original(*arguments)

        return call

    for name, where in RAW.items():
        setattr(*where, counting(name, originals[name]))
    try:
        yield counts
    finally:
        for name, where in RAW.items():
            setattr(*where, originals[name])


def raw_costs(watch: Stopwatch) -> dict[str, float]:
    """Microseconds of each operation of libsodium, by itself."""
    one, two = (group.mul_base(scalar(watch.rng)) for _ in range(2))
    number, key = group.encode_scalar(scalar(watch.rng)), SigningKey.generate()
    arguments = {
        "multiply": (number, one),
        "base_multiply": (number,),
        "add": (one, two),
        "subtract": (one, two),
        "check": (one,),
        "signature": (bytes(key.sign(bytes(200))), bytes(key.verify_key)),
    }
    costs = {}
    for name, where in RAW.items():
        call = partial(getattr(*where), *arguments[name])
        costs[name] = round(watch.milliseconds(call, 50) * 1000, 2)
    return costs


def measure(call: Callable[[], Any], watch: Stopwatch) -> dict[str, Any]:
    """Time, operations and ratio of a call; the raw costs are taken right before and after."""
    with counted() as counts:
        call()
    before = raw_costs(watch)
    taken = watch.milliseconds(call)
    after = raw_costs(watch)
    raw = sum((before[name] + after[name]) / 2 * number for name, number in counts.items()) / 1000
    return {
        "ms": round(taken, 2),
        "operations": dict(counts),
        "raw_ms": round(raw, 2),
        "ratio": round(taken / raw, 3),
    }


def deck_work(cards: int, rng: Random) -> dict[str, Callable[[], Any]]:
    """The calls that a deal is made of, on the starting deck and on one shuffled before."""
    context = Context(bytes(32), 5, 0, "shuffle")
    secret = scalar(rng)
    joint = group.mul_base(secret)
    first = elgamal.starting_deck(joint, cards)
    before, first_witness = shuffle_proof.shuffle(joint, first, rng)
    first_proof = shuffle_proof.prove(context, joint, first, before, first_witness, rng)
    after, witness = shuffle_proof.shuffle(joint, before, rng)
    proof = shuffle_proof.prove(context, joint, before, after, witness, rng)
    about = sigma_proofs.ShareStatement(context, joint, joint, [card.a for card in after])
    shares, together = sigma_proofs.prove_shares(about, secret, rng)
    return {
        "shuffle": partial(shuffle_proof.shuffle, joint, before, rng),
        "prove": partial(shuffle_proof.prove, context, joint, before, after, witness, rng),
        "verify": partial(shuffle_proof.verify, context, joint, before, after, proof),
        "verify_first": partial(shuffle_proof.verify, context, joint, first, before, first_proof),
        "prove_shares": partial(sigma_proofs.prove_shares, about, secret, rng),
        "verify_shares": partial(sigma_proofs.verify_shares, about, shares, together),
    }


def choice_work(rng: Random) -> dict[str, Callable[[], Any]]:
    """The calls that a sealed choice is made of."""
    context = Context(bytes(32), 30, 0, "game choice")
    joint = group.mul_base(scalar(rng))
    data = opening(b"choice", rng(32), 64)
    commitment = commit(context, b"choice", data[:32])
    box = escrow.encrypt(context, joint, commitment, data)
    return {
        "seal_escrow": partial(escrow.encrypt, context, joint, commitment, data),
        "verify_escrow": partial(escrow.verify, context, joint, commitment, box),
    }


def blocks(cards: int, watch: Stopwatch) -> dict[str, Any]:
    """The figures of the building blocks, with the size of a proof and of a deck in bytes."""
    work = {**deck_work(cards, watch.rng), **choice_work(watch.rng)}

    hashing = partial(group.hash_to_group, Label.CARD, watch.rng(8))
    return {
        "cards": cards,
        "rounds": watch.rounds,
        "proof_bytes": shuffle_proof.proof_size(cards),
        "deck_bytes": 64 * cards,
        "operation_us": raw_costs(watch),
        "hash_to_group_us": round(watch.milliseconds(hashing, 50) * 1000, 2),
        **{name: measure(call, watch) for name, call in work.items()},
    }
