"""Tests of the binding between rules and table, and whole games over the real deal."""

import random
from contextlib import nullcontext, suppress
from dataclasses import replace
from functools import lru_cache
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.any_values import TABLE, VALUES, shaped
from support.cases import each, fails
from support.cheap_group import cheap_cards
from support.machine_table import Chooser, MachineTable, identity, seat_at
from support.sampling import is_nightly, times
from support.sim.cheap import shared_nodes

from p2p_hoity import bots, game_adapter, rules
from p2p_hoity.editions.load_edition import load
from protocol import game_interface as port
from protocol.errors import Invalid
from protocol.seat import effects
from protocol.seat.seat_machine import SeatMachine
from protocol.wire import codec, table_header
from protocol.wire.table_header import Header, Terms

EDITIONS = ("uberplay-2004", "reference-manual")


def terms(seats: int, edition: str = "uberplay-2004", variant: Any = None) -> Terms:
    game = game_adapter.game_value(load(edition), variant)
    return Terms(
        bytes(identity(0).public),
        b"n" * 32,
        game,
        seats,
        table_header.default_quorum(seats),
    )


def chooser(seed: int) -> Chooser:
    rng = random.Random(seed)

    def choose(machine: SeatMachine, asked: effects.ChoiceAsked) -> Any:
        view = rules.view(asked.node.state.state, machine.seat, machine.hand())
        return bots.BOTS["normal"](view, rules.expected(view.state), rng)

    return choose


@lru_cache(maxsize=4)
def play(seats: int, edition: str = EDITIONS[0], variant: Any = None) -> MachineTable:
    """Play a whole game with the whole deck; more than two seats play with cheap cards.

    The track is a third as long, but for the nightly run.
    """
    full = load(edition)
    castles = tuple(replace(castle, fields=1) for castle in full.castles)
    short = replace(full, name="short", castles=castles, banquet_fields=1)
    value = game_adapter.game_value(full if is_nightly() else short, variant)
    offered = replace(terms(seats, edition, variant), game=value)
    bound, who = seat_at(offered, game_adapter.read_game)
    with cheap_cards() if seats > 2 else nullcontext(), shared_nodes():
        here = MachineTable(bound, who, chooser(seats))
        here.start()
        here.run(until=5)
    return here


@pytest.mark.sampled(1)
@pytest.mark.parametrize(
    ("seats", "edition", "variant"),
    [
        (2, EDITIONS[0], "surprise"),
        (2, EDITIONS[1], "confrontation"),
        (3, EDITIONS[1], None),
        (4, EDITIONS[0], None),
    ],
)
def test_a_whole_game_ends_the_same_for_everyone(seats: int, edition: str, variant: Any) -> None:
    here = play(seats, edition, variant)
    tips = [place.machine.tip for place in here.places]
    assert all(place.machine.finished for place in here.places)
    assert len({tip.digest for tip in tips}) == 1
    standings = [tip.state.state.standings for tip in tips]
    assert standings.count(standings[0]) == seats
    assert {line.seat for line in standings[0]} == set(range(seats))
    held = [slot for slots in tips[0].state.state.collectibles for slot in slots]
    assert all(tips[0].state.state.known[slot] is not None for slot in held)


def test_nobody_sees_a_hidden_hand_before_the_end() -> None:
    bound, who = seat_at(terms(3), game_adapter.read_game)
    here = MachineTable(bound, who, lambda machine, asked: None)
    here.start()
    here.run(until=2)
    hands = bound.layout.hands
    for place in here.places:
        machine = place.machine
        assert set(machine.hand()) == set(hands[machine.seat or 0])
        assert not set(machine.tip.cards) & {slot for hand in hands for slot in hand}
    dealt = [card for place in here.places for card in place.machine.hand().values()]
    assert len(set(dealt)) == 12


def test_what_happened_is_in_the_log_once_and_shared_until_two_plays_part() -> None:
    here = play(3, EDITIONS[1])
    tip = here.places[0].machine.tip
    everything = game_adapter.happenings_since(tip.state)
    assert len(everything) == tip.state.length
    for since in range(0, len(everything), 7):
        assert game_adapter.happenings_since(tip.state, since) == everything[since:]
    node: Any = play(3, EDITIONS[1]).places[0].machine.tip
    nodes = []
    while node is not None and isinstance(node.state, game_adapter.Play):
        nodes.append(node.state)
        node = node.parent
    last = nodes[0]
    assert all(game_adapter.shared_length(last, one) == one.length for one in nodes)
    assert all(game_adapter.shared_length(one, last) == one.length for one in nodes)
    assert last.past is not None
    other = last.past.then(last.state)
    assert game_adapter.shared_length(last, other) == last.past.length


@each(
    [
        ((("chess", 1), b"", ""), "another game"),
        ((("hoity-toity", 2), b"", ""), "another version"),
        ((("hoity-toity", True), b"", ""), "another version"),
        ((("hoity-toity", 1), b"", ""), "edition"),
        ((("hoity-toity", 1), "", ""), "known form"),
        ((("hoity-toity", 1), b"", "poker"), "known form"),
        ((("hoity-toity", 1), b"", ()), "known form"),
        ((("hoity-toity", 1),), "known form"),
        ((("hoity-toity",), b"", ""), "known form"),
        (("hoity-toity", b"", ""), "known form"),
        (7, "known form"),
    ]
)
def test_a_header_of_another_game_is_refused(case: tuple[Any, str]) -> None:
    change, words = case
    fails(Invalid, words, game_adapter.read_game, replace(terms(3), game=change))


def test_the_variant_fits_the_seats() -> None:
    fails(Invalid, "variant", game_adapter.read_game, terms(3, variant="surprise"))
    fails(Invalid, "variant", game_adapter.read_game, terms(2))
    fails(Invalid, "2 to 6", game_adapter.read_game, replace(terms(6), seats=7, quorum=5))


@pytest.mark.parametrize("colours", [2, 3, 4, 5])
def test_an_edition_seats_as_many_as_it_has_colours(colours: int) -> None:
    edition = load()
    few = replace(edition, colours=edition.colours[:colours])
    for seats in range(2, 7):
        variant = "surprise" if seats == 2 else None
        told = replace(terms(seats, variant=variant), game=game_adapter.game_value(few, variant))
        if seats <= colours:
            assert len(game_adapter.read_game(told).edition.colours) == colours
        else:
            fails(Invalid, "fewer colours", game_adapter.read_game, told)
            fails(ValueError, "colours", rules.start, few, seats, None)


@pytest.mark.parametrize("edition", EDITIONS)
def test_an_edition_travels_in_the_header(edition: str) -> None:
    sent = load(edition).with_switches(detective_in_hall=True)
    game = game_adapter.read_game(replace(terms(3), game=game_adapter.game_value(sent, None)))
    assert game.edition == sent
    assert game.edition.collectibles[0].name("de") == sent.collectibles[0].name("de")


@each(range(0, 700, 13))
def test_a_changed_edition_is_refused_or_another_one(position: int) -> None:
    data = bytearray(load().canonical())
    data[position % len(data)] ^= 1
    game = (("hoity-toity", 1), bytes(data), "")
    read = None
    with suppress(Invalid):
        read = game_adapter.read_game(replace(terms(3), game=game))
    assert read is None or read.edition != load()


def test_the_sizes_hold_every_choice_and_one_the_rules_do_not_know_is_illegal() -> None:
    slots = tuple(range(128))
    largest: dict[str, Any] = {
        "place": 1,
        "action": 47,
        "turn": (1, 47),
        "window": 1,
        "exhibit": slots,
        "theft": tuple(range(123, 128)),
    }
    assert set(largest) == set(game_adapter.SIZES)
    for kind, choice in largest.items():
        assert len(codec.encode(choice)) <= game_adapter.SIZES[kind]
        assert game_adapter.read_game(terms(3)).form(kind).admits(choice)
    game = game_adapter.read_game(terms(3))
    fails(port.IllegalMove, "", game.check, game.start(), "bluff", 0, 1, {})


def test_the_header_is_read_back_and_any_change_of_the_edition_is_another_table() -> None:
    bound, _ = seat_at(terms(4), game_adapter.read_game)
    read = table_header.parse_header(bound.header.encode())
    assert read == bound.header
    assert isinstance(read, Header)
    assert game_adapter.bind(read).id == bound.id
    one = terms(3)
    other = load().with_switches(detective_in_hall=True)
    two = replace(one, game=game_adapter.game_value(other, None))
    assert one.digest() != two.digest()


@settings(max_examples=times(15, 1000), deadline=None)
@given(VALUES | shaped(st.just("hoity-toity"), st.just(1), st.binary(), st.just("")))
def test_any_value_is_a_game_or_invalid(value: Any) -> None:
    fails(Invalid, "bad-game", game_adapter.read_game, replace(TABLE.header.terms, game=value))
