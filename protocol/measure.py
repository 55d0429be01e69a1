"""Measure the time of cryptographic operations, and the part of it that libsodium takes.

The caller passes in the clock and the source of randomness. `RAW` names the functions of libsodium
that are counted and timed. Dicts by function have its keys.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
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
"""A function that returns seconds, such as `time.process_time`."""

RAW: dict[str, tuple[Any, str]] = {
    "multiply": (group.LIBSODIUM, "multiply"),
    "base_multiply": (group.LIBSODIUM, "multiply_base"),
    "add": (group.LIBSODIUM, "add"),
    "subtract": (group.LIBSODIUM, "subtract"),
    "check": (group.LIBSODIUM, "is_valid_point"),
    "signature": (nacl.bindings, "crypto_sign_open"),
}
"""The object that has each function of libsodium, and the name of the function there."""


@dataclass(frozen=True)
class Spread:
    """What several rounds of one measurement have found, in seconds.

    Attributes:
        median: The median.
        low: The lowest.
        high: The highest.
    """

    median: float
    low: float
    high: float

    @classmethod
    def of(cls, taken: Sequence[float]) -> Spread:
        """Return the spread of what was measured.

        Args:
            taken: The time of each round, in seconds. At least one.

        Returns:
            The spread.
        """
        return cls(median(taken), min(taken), max(taken))

    def milliseconds(self) -> dict[str, float]:
        """Return the three in milliseconds.

        Returns:
            A dict of `ms`, which is the median, `low_ms` and `high_ms`.
        """
        three = {"ms": self.median, "low_ms": self.low, "high_ms": self.high}
        return {name: round(seconds * 1000, 2) for name, seconds in three.items()}


@dataclass(frozen=True)
class Stopwatch:
    """A clock with which calls are timed several times.

    Attributes:
        clock: A function that returns seconds.
        rng: The source of randomness.
        rounds: How often each call is timed.
    """

    clock: Clock
    rng: Random
    rounds: int

    def spread(self, call: Callable[[], Any], times: int = 1) -> Spread:
        """Return how long a call takes, over all rounds.

        Args:
            call: The function to call.
            times: How many calls to make in each of the `rounds`. A round counts as their mean, so
                that a call may be shorter than a tick of the clock.

        Returns:
            The median, lowest and highest of the rounds.
        """
        taken = []
        for _ in range(self.rounds):
            start = self.clock()
            for _ in range(times):
                call()
            taken.append((self.clock() - start) / times)
        return Spread.of(taken)


@contextmanager
def counted() -> Iterator[Counter[str]]:
    """Count the calls of libsodium in a `with` block.

    Yields:
        The number of calls by function, which is updated during the block.
    """
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


def raw_spreads(watch: Stopwatch) -> dict[str, Spread]:
    """Return the time that one call of each function takes.

    Args:
        watch: The stopwatch.

    Returns:
        The spread of each.
    """
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
    calls = {name: partial(getattr(*where), *arguments[name]) for name, where in RAW.items()}
    return {name: watch.spread(call, 50) for name, call in calls.items()}


def raw_costs(watch: Stopwatch) -> dict[str, float]:
    """Return the median time that one call of each function takes.

    Args:
        watch: The stopwatch.

    Returns:
        The time of each in seconds.
    """
    return {name: found.median for name, found in raw_spreads(watch).items()}


def compared(
    taken: Spread, counts: Mapping[str, int], costs: Mapping[str, float]
) -> dict[str, Any]:
    """Compare the time of a call with that of the libsodium calls that it makes.

    Args:
        taken: The time of the call.
        counts: The number of calls of each function.
        costs: The time of one call of each in seconds.

    Returns:
        A dict of the time of `Spread.milliseconds`, `operations` (the counts), `raw_ms` (the time
        of these calls alone), and `ratio` (`ms` divided by `raw_ms`, None if the clock is too
        coarse to see them).
    """
    raw = sum(costs[name] * number for name, number in counts.items())
    return {
        **taken.milliseconds(),
        "operations": dict(counts),
        "raw_ms": round(raw * 1000, 2),
        "ratio": round(taken.median / raw, 3) if raw else None,
    }


def measure(call: Callable[[], Any], watch: Stopwatch) -> dict[str, Any]:
    """Time a call, and compare its time with that of the libsodium calls that it makes.

    Args:
        call: The function to call.
        watch: The stopwatch.

    Returns:
        What `compared` returns.
    """
    with counted() as counts:
        call()
    # Right before and after the call, since the machine's speed changes with its load.
    before = raw_costs(watch)
    taken = watch.spread(call)
    after = raw_costs(watch)
    return compared(taken, counts, {name: (before[name] + after[name]) / 2 for name in RAW})


def deck_work(cards: int, rng: Random) -> dict[str, Callable[[], Any]]:
    """Return the computations of shuffling and decrypting a deck, ready to be timed.

    Args:
        cards: The number of cards.
        rng: The source of randomness.

    Returns:
        A function without arguments for each computation, by its name.
    """
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
    """Return the computations for the escrow of a sealed choice, ready to be timed.

    Args:
        rng: The source of randomness.

    Returns:
        A function without arguments for each computation, by its name.
    """
    context = Context(bytes(32), 30, 0, "game choice")
    joint = group.mul_base(scalar(rng))
    data = opening(b"choice", rng(32), 64)
    commitment = commit(context, b"choice", data[:32])
    box = escrow.encrypt(context, joint, commitment, data)
    return {
        "seal_escrow": partial(escrow.encrypt, context, joint, commitment, data),
        "verify_escrow": partial(escrow.verify, context, joint, commitment, box),
    }


def _microseconds(seconds: float) -> float:
    return round(seconds * 1e6, 2)


def blocks(cards: int, watch: Stopwatch) -> dict[str, Any]:
    """Measure all computations of `deck_work` and `choice_work`, and libsodium's functions.

    Args:
        cards: The number of cards.
        watch: The stopwatch.

    Returns:
        A dict of the measurement of each computation by its name. It also has the sizes of a
        shuffle proof and of a deck in bytes, and times of single operations in microseconds: the
        median, and in `operation_range_us` the lowest and highest of the rounds.
    """
    single = raw_spreads(watch)
    work = {**deck_work(cards, watch.rng), **choice_work(watch.rng)}

    hashing = partial(group.hash_to_group, Label.CARD, watch.rng(8))
    return {
        "cards": cards,
        "rounds": watch.rounds,
        "proof_bytes": shuffle_proof.proof_size(cards),
        "deck_bytes": 64 * cards,
        "operation_us": {name: _microseconds(found.median) for name, found in single.items()},
        "operation_range_us": {
            name: [_microseconds(found.low), _microseconds(found.high)]
            for name, found in single.items()
        },
        "hash_to_group_us": _microseconds(watch.spread(hashing, 50).median),
        **{name: measure(call, watch) for name, call in work.items()},
    }
