"""Files with exhibits and windows that honest machines do not bring about (7.7, 9.5).

A file with a problem ends with the step in which it is.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cache
from itertools import combinations, count
from typing import Any

from support.stream import stream
from vectors.making.judged import Judged, fails, sound
from vectors.making.judged_setup import ended, last_step, seals, with_field, without
from vectors.making.scripted import Preference, Script, two_prepares
from vectors.making.tables import EXHIBIT, Plan

from protocol.chain.cards import hidden_of, own_shares
from protocol.chain.chain_state import Kind
from protocol.wire import codec, step_bodies
from protocol.wire.signed_messages import Rejoin

Choice = Callable[[], Any]
THIEF, DETECTIVE = 4, 6
"""Places of Action cards in their colour; the first four are Cash."""
CASTLE, HALL = 0, 1


# Exhibits (9.5).


def goes(place: int, cards: dict[int, int]) -> Preference:
    """Return the wish to go to a Place and play these Action cards there, in the first round."""

    def preference(script: Script, seat: int, options: list[Any]) -> Any:
        name = script.tip.want.name
        if script.tip.state.state.round > 1 or name not in ("place", "action"):
            return None
        if name == "place":
            return place
        wanted = cards.get(seat, THIEF)
        return next((card for card in options if card % 8 == wanted), None)

    return preference


@cache
def _exhibits() -> Script:
    """Return a table at the step in which seats 1 and 2 seal an exhibit each."""
    exhibits = {1: EXHIBIT, 2: EXHIBIT}
    script = with_exhibits(goes(CASTLE, exhibits))
    return script.play(lambda node: node.want.name == "exhibit")


@cache
def _hands() -> tuple[Script, tuple[int, ...], tuple[int, ...]]:
    """Return a dealt table, an exhibit of three that seat 1 holds, and one of seat 2; seat 2's four
    Collectibles are one too."""
    for number in count():
        script = Script(Plan(f"judged exhibits {number}", "small-4", 3))
        script.play(lambda node: node.want.name == "place")
        first, second = (_exhibits_of(script, seat) for seat in (1, 2))
        if first and second and len(second[-1]) == 4:
            return script, first[0], second[0]
    raise RuntimeError


def _exhibits_of(script: Script, seat: int) -> list[tuple[int, ...]]:
    """Return the valid exhibits among the hidden Collectibles of a seat; none if none has three
    pieces."""
    held = script.view(seat).mine()
    edition = script.tip.state.state.edition
    letters = {slot: edition.collectibles[card].letter for slot, card in held.items()}
    found = []
    for size in (3, 4):
        for slots in combinations(sorted(letters), size):
            run = sorted({ord(letters[slot]) for slot in slots})
            if run[-1] - run[0] < len(run):
                found.append(slots)
    return found if found and len(found[0]) == 3 else []


def with_exhibits(preference: Preference) -> Script:
    """Return a dealt table of three seats, of which seats 1 and 2 hold valid exhibits."""
    return _hands()[0].branch(preference)


def valid(seat: int) -> tuple[int, ...]:
    """Return an exhibit of three pieces that seat 1 or 2 holds there."""
    return _hands()[seat]


def _sealed(choice: Choice) -> Script:
    """Seat 2 seals an exhibit and is gone before it opens it."""
    script = _exhibits().branch()
    return without(script.step({2: seals(script, 2, step_bodies.encode_choice(choice()))}), 2)


def shown(choice: Choice) -> Callable[[], bytes]:
    """Return what makes the whole game after such an exhibit."""
    return lambda: _sealed(choice).play(ended).file()


def _returned() -> Script:
    """Seat 2 seals an exhibit of two pieces, is absent and back before the others open it; it is
    void, and the seat plays on to the next round."""
    script = _sealed(lambda: valid(2)[:2])
    return script.change(rejoins=[script.sign(2, Rejoin(1))]).step().step()


def shown_again() -> bytes:
    """A void exhibit of two pieces was opened. In the next round the seat shows both with a third:
    what only a void choice has shown is not known to the game, and does not count (9.5)."""
    script = _returned()

    def preference(here: Script, seat: int, options: list[Any]) -> Any:
        if here.tip.want.name != "action":
            return CASTLE if here.tip.want.name == "place" else None
        wanted = EXHIBIT if seat == 2 else THIEF
        return next((card for card in options if card % 8 == wanted), None)

    script.preference = preference
    script.play(lambda node: node.want.kind is Kind.SHOW)
    return last_step(script, 2, _show(script, 2, valid(2)))


def _show(script: Script, seat: int, choice: tuple[int, ...], kind: str = "shares") -> bytes:
    """Return the body that shows slots, with shares of those of its hand that are hidden; in
    another context if `kind` says so."""
    node, secrets = script.tip, script.secrets[seat]
    slots = hidden_of(node, seat, choice)
    batch = replace(own_shares(node, seat, slots), kind=kind)
    shares = batch.write(secrets.key, stream("judged", f"show {seat} {choice} {kind}"))
    return step_bodies.encode_body(step_bodies.ShowBody(step_bodies.encode_choice(choice), shares))


def _void_then_banned() -> Script:
    return _returned().step().step().step()


def convicted_and_proven() -> bytes:
    """A void exhibit has convicted seat 2, a change of epoch banned it, and the next one finds two
    prepare votes of it: its first fault is the conviction."""
    script = _void_then_banned().change()
    proof = two_prepares(script, 2)
    return script.change(special={0: {"proofs": [proof]}}).file()


ILLEGAL = "illegal-choice"


def _exhibit(what: str, choice: Choice, step: int) -> Judged:
    return sound(shown(choice), (2, step, ILLEGAL), what=f"Seat 2, gone since, has sealed {what}.")


EXHIBITS: dict[str, Judged] = {
    "ex-good": sound(
        shown(lambda: valid(2)),
        what="Seat 2 seals an exhibit and is gone; the others open it and give its shares.",
    ),
    "ex-falling": _exhibit(
        "a valid exhibit with its slots falling, void once its cards are open",
        lambda: valid(2)[::-1],
        18,
    ),
    "ex-two-slots": _exhibit(
        "an exhibit of two pieces, void once its cards are open", lambda: valid(2)[:2], 18
    ),
    "ex-int": _exhibit("a number as its exhibit, void when it is opened", lambda: 3, 17),
    "ex-other-hand": _exhibit(
        "an exhibit of another seat's slots, which is not showable: void when it is opened",
        lambda: (0, 1, 2),
        17,
    ),
    "ex-slot-255": _exhibit("an exhibit with slot 255", lambda: (*valid(2)[:2], 255), 17),
    "ex-twice": _exhibit("an exhibit that names a slot twice", lambda: (8, 8, 9), 17),
    "ex-void-shown-again": fails(shown_again, ILLEGAL, 26, 2, (2, 18, ILLEGAL)),
    "more-void-then-banned": fails(
        lambda: _void_then_banned().change().file(),
        "not-final",
        22,
        None,
        (2, 18, ILLEGAL),
        what="Seat 2's exhibit is void and the seat plays on; the next change of epoch bans it "
        "(6.3).",
    ),
    "more-void-then-banned-end": sound(
        lambda: _void_then_banned().change().play(ended).file(),
        (2, 18, ILLEGAL),
        what="As `more-void-then-banned`, and the two others play on to the end.",
    ),
    "more-convicted-and-proven": fails(
        convicted_and_proven, "not-final", 22, None, (2, 18, ILLEGAL)
    ),
}

# A lone exhibit, in the open (7.7).


@cache
def _lone_show() -> Script:
    """Return a table at the step in which seat 1 alone shows an exhibit."""
    script = with_exhibits(goes(CASTLE, {1: EXHIBIT}))
    return script.play(lambda node: node.want.kind is Kind.SHOW)


def shows(seat: int, body: Callable[[Script], bytes]) -> Callable[[], bytes]:
    """Return what makes the file that ends with this step, in which a seat gives this body."""

    def file() -> bytes:
        script = _lone_show().branch()
        return last_step(script, seat, body(script))

    return file


SHOWS: dict[str, Judged] = {
    "show-empty-array": fails(
        shows(1, lambda script: codec.encode((b"\x90", b""))),
        ILLEGAL,
        15,
        1,
        what="Seat 1 shows an exhibit of no piece.",
    ),
    "show-kind-help": fails(
        shows(1, lambda script: _show(script, 1, valid(1), "help-1")),
        "bad-share",
        15,
        1,
        what="Seat 1 proves the shares of its exhibit in the context of shares for an absent seat.",
    ),
    "show-other-slot": fails(
        shows(
            1,
            lambda script: with_field(_show(script, 1, valid(1)), 0, lambda _: b"\x93\x00\x05\x07"),
        ),
        ILLEGAL,
        15,
        1,
        what="Seat 1's exhibit names a slot of seat 0's hand: it is not showable, which is judged "
        "before its shares.",
    ),
    "show-others-say-more": fails(
        shows(2, lambda script: codec.encode((b"\x93\x08\x09\x0a", b""))),
        "bad-body",
        15,
        2,
        what="Seat 2, which has nothing to show, gives another body than the empty one.",
    ),
}

# Windows (9.5).


@cache
def _window() -> Script:
    """Return a table at the step in which seat 0, which alone plays Cash, chooses a window."""

    def preference(script: Script, seat: int, options: list[Any]) -> Any:
        if script.tip.state.state.round > 1:
            return None
        if script.tip.want.name != "action":
            return HALL if script.tip.want.name == "place" else None
        thieves = [card for card in options if card % 8 >= THIEF]
        return min(options) if seat == BUYER else min(thieves)

    script = Script(Plan("judged windows", "small-4", 3), preference)
    return script.play(lambda node: node.want.kind is Kind.CHOOSE)


def chooses(body: bytes) -> Callable[[], bytes]:
    """Return what makes the file that ends with this step, in which the buyer gives this body."""

    def file() -> bytes:
        script = _window().branch()
        (buyer,) = script.tip.want.speakers
        return last_step(script, buyer, body)

    return file


BUYER, OTHER = 0, 1


def another_input_too() -> bytes:
    """Seat 1 chooses a window too where seat 0 is asked alone."""
    return last_step(_window().branch(), OTHER, b"\x00")


def buyer_vanishes() -> bytes:
    """The buyer is made absent before it chooses: the lowest window that is not empty counts."""
    return without(_window().branch(), BUYER).play(ended).file()


def both_empty(variant: str) -> bytes:
    """Return the file of two seats who buy until both windows are empty, and two rounds on."""
    empty_since: list[int] = []

    def preference(script: Script, seat: int, options: list[Any]) -> Any:
        """Buy with the least Cash when it is one's turn, else play a Thief."""
        name, state = script.tip.want.name, script.tip.state.state
        if name not in ("turn", "action"):
            return None
        count = state.round // 2 if variant == "confrontation" else state.round
        there = [o for o in options if not isinstance(o, tuple) or o[0] == HALL]
        cards = {o[1] if isinstance(o, tuple) else o: o for o in there}
        cash = [o for card, o in cards.items() if card % 8 < THIEF]
        thieves = [o for card, o in cards.items() if THIEF <= card % 8 < DETECTIVE]
        return min(cash if cash and count % 2 == seat else thieves)

    def until(node: Any) -> bool:
        state = node.state.state if node.state is not None else None
        if state is not None and state.round and not any(state.windows):
            empty_since.append(state.round)
        return bool(empty_since) and state.round > empty_since[0] + 2

    plan = Plan(f"judged empty {variant}", "small-4", 2, variant)
    return Script(plan, preference).play(until).file()


WINDOWS: dict[str, Judged] = {
    "window-another-says-too": fails(another_input_too, "not-expected", 15, OTHER),
    "window-array": fails(
        chooses(b"\x90"),
        ILLEGAL,
        15,
        BUYER,
        what="The buyer chooses an empty array where a number is due: it is an array of ints, and "
        "the game forbids it.",
    ),
    "window-long": fails(
        chooses(b"\x91\x00"),
        "bad-body",
        15,
        BUYER,
        what="The buyer gives two bytes where a choice has one at most.",
    ),
    "window-buyer-vanishes": sound(buyer_vanishes),
    "windows-empty-confrontation": fails(
        lambda: both_empty("confrontation"),
        "not-final",
        106,
        None,
        what="Two seats have bought all there is: from then on all are in the Castle in every "
        "round, also in odd ones.",
    ),
    "windows-empty-surprise": fails(
        lambda: both_empty("surprise"),
        "not-final",
        76,
        None,
        what="As `windows-empty-confrontation`, in Surprise, where a turn is no longer sealed: "
        "Action cards are, in the Castle.",
    ),
}
RULES: dict[str, Judged] = {**EXHIBITS, **SHOWS, **WINDOWS}
"""Name to file."""
