"""Files that decide between two readings of a rule of the game, of the deal or of section 10.

Each is judged otherwise by whoever reads the rule in the other way: `README.md` has the list.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import count
from typing import Any

from vectors.making.judged import Judged, fails
from vectors.making.judged_bases import two_bases
from vectors.making.judged_faulty import (
    ELSEWHERE,
    LIAR,
    gives,
    promises,
    proof_of,
    proves,
)
from vectors.making.judged_forks import Fork
from vectors.making.judged_rules import CASTLE, DETECTIVE, HALL, THIEF, valid, with_exhibits
from vectors.making.judged_setup import last_step, seals, without
from vectors.making.scripted import Preference, Script, before, dealt, two_prepares
from vectors.making.tables import EXHIBIT, Plan

from protocol.chain.chain_state import Kind
from protocol.wire import step_bodies
from protocol.wire.signed_messages import EpochPromise, Message, NewEpoch, PrepareVote, Rejoin
from protocol.wire.signed_messages import StepTimeout as Timeout

ILLEGAL = "illegal-choice"

# Faults (10.4).


def _prepared(script: Script) -> list[list[Message]]:
    return [[promises(script), script.sign(LIAR, PrepareVote(3, ELSEWHERE))]]


def _twice_and_apart(script: Script) -> list[list[Message]]:
    apart = gives(script, 8, before(script, 8).digest, b"\xff")
    return [two_prepares(script, LIAR), [apart]]


def _bad_promise_and_new_epoch(script: Script) -> list[list[Message]]:
    proposal = script.sign(LIAR, NewEpoch(7, (ELSEWHERE,)))
    promise = promises(script, timeout=Timeout(1, script.tip.step, bytes(32)))
    return [[proposal], [promise]]


def proof_in_a_proof() -> bytes:
    """A proof names seat 3's epoch promise alone, which itself names a message alone that the file
    lacks: proofs of one message count for nothing there ([E-12])."""
    script = dealt()
    listed = tuple(sorted(script.heard[0]))
    inner = EpochPromise(5, None, listed, None, (), ((ELSEWHERE,),))
    return script.change(special={0: {"proofs": [[script.sign(LIAR, inner)]]}}).file()


FAULTS: dict[str, Judged] = {
    "faulty-prepare-vote-below-certificate": fails(
        proof_of(_prepared),
        "not-final",
        10,
        what="A proof names seat 3's prepare vote of epoch 3 and its promise of epoch 5 without a "
        "certificate: only commit votes and inputs count in line 3 of 10.4.",
    ),
    "faulty-equivocation-before-two-chains": proves(
        "Seat 3 has signed two prepare votes of an epoch, and a second body in `deck.ok`: line 1 "
        "of 10.4 goes before line 2.",
        "equivocation",
        _twice_and_apart,
    ),
    "faulty-bad-promise-before-bad-new-epoch": proves(
        "Proofs name alone a new-epoch message and an epoch promise of seat 3, both malformed: in "
        "line 5 of 10.4 the promise goes first.",
        "bad-promise",
        _bad_promise_and_new_epoch,
    ),
    "faulty-proof-in-a-proof": fails(proof_in_a_proof, "not-final", 10),
}

# Bases (10.5).


def committed_and_longer() -> bytes:
    """Of two bases of epoch 1 the shorter one has commit votes in seat 0's certificate, the longer
    one prepare votes in seat 2's: the committed one counts."""
    script, short, long = two_bases(3)
    low = script.promise(0, certificate=script.certificate(True, (0, 1), short), inputs=())
    high = script.promise(2, certificate=script.certificate(False, (1, 2), long), inputs=())
    return script.enter(script.propose([low, high])).file()


def honest_on_the_other() -> bytes:
    """All signers give inputs after one version of seat 3's choice, and seat 4, which is no
    culprit, after the other one: none is kept.
    """
    fork = Fork(5, 3)
    fork.second()
    fork.build_on(fork.child(), 0, 1, 2)
    fork.build_on(fork.child(3), 4)
    return fork.ended()


def absent_signer() -> bytes:
    """Seat 4, absent since epoch 1, signs a promise of epoch 2, and has given no input after either
    version of seat 3's choice. It does not count, and the version of the others is kept.
    """
    script = without(dealt(5, 3).branch(rounds({})), 4)
    script.play(lambda node: node.want.name == "action")
    fork = Fork(script=script)
    fork.second()
    fork.build_on(fork.child(), 0, 1, 2)
    return script.change((0, 1, 4)).file()


def rejoin_at_once() -> bytes:
    """The promises that make seat 3 absent hold its rejoin after one absence: at the base on which
    they build it was present, and it does not come back."""
    script = dealt()
    for seat in range(3):
        script.give_input(seat, script.body(seat))
    return script.change(timeout=True, rejoins=[script.sign(3, Rejoin(1))]).file()


FAULT = (3, 11, "equivocation")
NEW_BASES: dict[str, Judged] = {
    "certificates3-committed-and-longer": fails(committed_and_longer, "not-final", 9),
    "fork-honest-on-the-other": fails(
        honest_on_the_other, "not-final", 12, None, (3, 12, "equivocation")
    ),
    "fork-absent-signer": fails(absent_signer, "not-final", 15, None, (3, 15, "equivocation")),
    "more-rejoin-at-once": fails(rejoin_at_once, "not-final", 11),
}

# The deal (6.3, 7.3).


def absent_from_the_deal() -> bytes:
    """Seat 2 is absent in the deal, which the others complete: the game then learns who is present.
    It comes back before the first choice, and rests (9.3): it owes none."""
    plan = Plan("judged deal", "small-4", 3)
    script = Script(plan).play(lambda node: node.want.kind is Kind.DEAL)
    without(script, 2).step()
    return script.change(rejoins=[script.sign(2, Rejoin(1))]).step().file()


def void_coin() -> bytes:
    """Seat 2 seals a coin of 31 bytes and is absent in the deal: its coin is void, and counts as
    the empty string (7.3). The colours follow from it, and the others show what they play."""
    plan = Plan("judged coin", "small-4", 3)
    script = Script(plan, rounds({})).play(lambda node: node.want.kind is Kind.KEY_OK)
    script.step({2: seals(script, 2, bytes(31), "coin")})
    without(script.play(lambda node: node.want.kind is Kind.DEAL), 2)
    return script.play(lambda node: node.state is not None and _round(node) > 1).file()


DEALS: dict[str, Judged] = {
    "deal-without-a-seat-that-returns": fails(absent_from_the_deal, "not-final", 11),
    "deal-void-coin": fails(void_coin, "not-final", 16, None, (2, 3, "bad-escrow")),
}

# The game (9.3, 9.5).


def _round(node: Any) -> int:
    return int(node.state.state.round)


def rounds(*plays: dict[int, int], place: int = CASTLE) -> Preference:
    """Return the wish to play these Action cards round by round; who is not named plays a Thief,
    or its Detective if it has none.

    Exhibits are as large as they may be.
    """

    def preference(script: Script, seat: int, options: list[Any]) -> Any:
        name, at = script.tip.want.name, _round(script.tip) - 1
        if name == "place":
            return place
        if name != "action":
            return max(options, key=lambda o: (len(o), o)) if name == "exhibit" else None
        wanted = plays[at].get(seat, THIEF) if at < len(plays) else THIEF
        kinds = (THIEF, THIEF + 1, DETECTIVE) if wanted == THIEF else (wanted,)
        return next((card for card in options if card % 8 in kinds), None)

    return preference


def table_of(preference: Preference) -> Script:
    """Return a table of three seats of which the last two hold valid exhibits."""
    return with_exhibits(preference)


def in_round(number: int, name: str) -> Callable[[Any], bool]:
    """Return whether a round has come to the step in which this is sealed."""

    def holds(node: Any) -> bool:
        is_there = node.want.kind is Kind.SEAL and node.want.name == name
        return is_there and _round(node) == number

    return holds


def plays_at(script: Script, seat: int, place_of_card: int) -> bytes:
    """Return the file in which a seat seals an Action card that it may not play, and opens it."""
    (card,) = (c for c in script.view(seat).state.hands[seat] if c % 8 == place_of_card)
    script.step({seat: seals(script, seat, step_bodies.encode_choice(card))})
    script.play(lambda node: node.want.kind is Kind.REVEAL)
    return last_step(script, seat, script.body(seat))


def exhibit_of_two() -> bytes:
    """Two Thieves leave seat 2 with two Collectibles, both open. It plays an Exhibit in the next
    round, although all can see that it holds none (9.3)."""
    script = table_of(rounds({2: EXHIBIT})).play(in_round(2, "action"))
    return plays_at(script, 2, EXHIBIT)


def detective_in_the_hall() -> bytes:
    """Seat 2 plays its Detective in the Auction Hall, where it does not belong in this edition."""
    script = table_of(rounds(place=HALL)).play(in_round(1, "action"))
    return plays_at(script, 2, DETECTIVE)


def _second_exhibits(first: dict[int, int]) -> Script:
    """Seat 2 shows an exhibit in round 1, so that its pieces are known. In round 2 seats 1 and 2
    play an Exhibit, and seat 0 a Thief."""
    second = {1: EXHIBIT, 2: EXHIBIT}
    return table_of(rounds(first, second)).play(in_round(2, "exhibit"))


SHOWN_FIRST = {0: DETECTIVE, 1: DETECTIVE, 2: EXHIBIT}


def rank_of_a_void_exhibit() -> bytes:
    """Seat 2's second exhibit is void. It shows nothing then, although it holds one that is known,
    and the Thief takes a piece of seat 1's exhibit alone (9.5, *rank*)."""
    script = _second_exhibits(SHOWN_FIRST)
    choice = step_bodies.encode_choice(valid(2)[:2])
    without(script.step({2: seals(script, 2, choice)}), 2)
    return _behind_theft(script)


def _behind_theft(script: Script) -> bytes:
    return script.play(lambda node: node.want.name == "theft").step().file()


def rank_of_who_has_not_sealed() -> bytes:
    """Seat 2 is absent as its second exhibit is to be sealed. What it holds that is known is shown
    for it, and the Thief takes a piece of both exhibits (9.5, *rank*)."""
    return _behind_theft(without(_second_exhibits(SHOWN_FIRST), 2))


def prison(is_higher: bool) -> bytes:
    """Return the file in which two seats play a Thief in two rounds, beside a Detective.

    `is_higher`: whether the lowest Thief of the first round is of the higher one of the two.
    """
    for number in count():
        script = Script(Plan(f"judged prison {number}", "small-4", 3))
        script.play(lambda node: node.want.name == "place")
        first, other = (min(script.view(seat).state.hands[seat]) for seat in (1, 2))
        lowest = [script.tip.state.state.edition.colours[c // 8].thieves[0] for c in (first, other)]
        if (lowest[1] < lowest[0]) == is_higher:
            break
    jail = {0: DETECTIVE}
    script = script.branch(rounds(jail, jail)).play(lambda node: _is_round(node, 3))
    return script.play(lambda node: _round(node) > 3).file()


def _is_round(node: Any, number: int) -> bool:
    return node.state is not None and _round(node) == number


def detectives_together() -> bytes:
    """Two Detectives on one field move in two rounds. All ranks are taken before one moves, so that
    both are one field short of the Banquet and a third round begins."""
    pair = {0: DETECTIVE, 1: DETECTIVE}
    return table_of(rounds(pair, pair)).play(lambda node: _is_round(node, 3)).step().file()


GAMES: dict[str, Judged] = {
    "play-exhibit-of-two": fails(exhibit_of_two, ILLEGAL, 23, 2),
    "play-detective-in-the-hall": fails(detective_in_the_hall, ILLEGAL, 14, 2),
    "rank-of-a-void-exhibit": fails(
        rank_of_a_void_exhibit, "not-final", 26, None, (2, 24, ILLEGAL)
    ),
    "rank-of-who-has-not-sealed": fails(rank_of_who_has_not_sealed, "not-final", 26),
    "prison-lowest-of-the-higher-seat": fails(
        lambda: prison(True),
        "not-final",
        27,
        what="Four Thieves enter a prison of three cells in two rounds, by rising number. The "
        "lowest of the first round, of the higher one of two seats, leaves it, and is played "
        "again.",
    ),
    "prison-lowest-of-the-lower-seat": fails(
        lambda: prison(False),
        "not-final",
        27,
        what="As `prison-lowest-of-the-higher-seat`, but the lowest is of the lower seat.",
    ),
    "detectives-rank-together": fails(detectives_together, "not-final", 22),
}
READINGS: dict[str, Judged] = {**FAULTS, **NEW_BASES, **DEALS, **GAMES}
"""Name to file."""
