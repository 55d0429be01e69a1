"""The JSON of a scene: valid for every scene of whole games, with names in place of numbers."""

import json
import math
from dataclasses import replace
from functools import reduce
from pathlib import Path
from random import Random
from typing import Any

import pytest
from support.machine_table import identity
from support.sampling import sample, seed
from support.screened import NAMES, table
from support.unruly_games import TABLES, play_unruly

from p2p_hoity import rules
from p2p_hoity.coded_errors import Reason
from p2p_hoity.editions.load_edition import load
from p2p_hoity.presentation import screen_updates as updates
from p2p_hoity.presentation.scene import Scene, fold
from p2p_hoity.presentation.scene_json import value_json
from p2p_hoity.presentation.staging import beats
from p2p_hoity.reachability.advertised_addresses import Scope
from protocol import Kind, effects, fingerprint
from protocol.game_interface import Seal

GAMES = sample([(*one, game) for game in range(5) for one in TABLES], 3, "scenes as JSON")
HELD = 4


def reason_json(reason: Reason) -> dict[str, Any]:
    return {"code": reason.code}


def told(scene: object) -> Any:
    """What a program reads, by any JSON parser."""
    written = json.dumps(value_json(scene, reason_json), allow_nan=False)

    def no_constant(name: str) -> None:
        raise AssertionError(f"{name} is no JSON")

    read = json.loads(written, parse_constant=no_constant)
    assert json.dumps(read, allow_nan=False) == written
    return read


def players(seats: int) -> tuple[bytes | None, ...]:
    """The long-lived keys of the players. The last one shows none."""
    return (*(identity(20 + seat).public for seat in range(seats - 1)), None)


def begun(name: str, seats: int, variant: rules.Variant, eyes: int | None) -> Scene:
    """A table that has just begun, with everything that a node may have heard by then."""
    muster = updates.Muster(seats, 2, 1, unlinked=frozenset({1}))
    heard: list[updates.Update] = [
        updates.Joined(NAMES[:seats], seats),
        updates.OfferedCode("7-lantern-walrus", "relay.example:4646", 600.0, updates.CodeEnd.OLD),
        updates.Reached(Scope.LAN, (Reason("lan"),), "hoity3ticket"),
        updates.Started(table(seats, variant, NAMES, load(name)), eyes, players(seats)),
        updates.Linked(NAMES[1], "relay+relay.example:4646"),
        updates.Moved(Scope.LAN, (Reason("lan"),), "hoity3fresh"),
        updates.Clock(frozenset({1}), 1.0, math.inf, math.inf, muster, Kind.REVEAL),
        updates.Attendance((updates.Attending.LINKED, updates.Attending.UNLINKED)),
        updates.Said(1, NAMES[1], "nice pipes \ud800"),
        updates.Accused(1, "bad-share"),
        effects.EndAnnounced(1, "silent-seat", 0),
    ]
    return reduce(fold, heard, Scene())


@pytest.mark.parametrize(("name", "seats", "variant", "game"), GAMES)
def test_every_scene_of_a_game_is_valid_json(
    name: str, seats: int, variant: rules.Variant, game: int
) -> None:
    draw = Random(f"{seed()} {name} {seats} {variant} {game}")
    eyes = draw.choice((None, *range(seats)))
    scene, deck = begun(name, seats, variant, eyes), list(range(len(load(name).collectibles)))
    assert told(Scene()).keys() == told(scene).keys()
    states: list[rules.State] = []
    play_unruly(name, seats, variant, draw.randrange(10**6), states.append)
    for state in states:
        own = {slot: deck[slot] for slot in range(HELD * seats)}
        view = rules.view(state, eyes, own)
        heard: list[updates.Update] = list(
            beats(updates.Happened(state.news, view)) if state.news else ()
        )
        due = rules.expected(state)
        if eyes is not None and isinstance(due, Seal) and eyes in due.seats:
            heard.append(updates.Choosing(view, due.kind, False))
        for update in heard:
            scene = fold(scene, update)
            part = replace(scene, record=scene.record[-3:])  # A whole record takes its time.
            if draw.random() < 0.1:
                check(part, told(part))
    check(scene, told(scene))
    standings = states[-1].standings
    at = table(seats, variant, NAMES, load(name))
    scene = fold(scene, updates.GameOver(at, None, standings, Path("game.hoity")))  # type: ignore[arg-type]
    read = told(fold(scene, updates.Ended("two-chains", 1)))
    assert [line["seat"] for line in read["standings"]] == [line.seat for line in standings]
    assert (read["transcript"], read["ended"]["code"]) == ("game.hoity", "two-chains")


def check(scene: Scene, read: Any) -> None:
    """A program can read the board without the rules, and sees what this seat sees."""
    assert scene.view is not None
    assert scene.table is not None
    state, board = scene.view.state, read["view"]["state"]
    keys = [one["fingerprint"] for one in read["table"]["seats"]]
    assert keys == [key and fingerprint(key) for key in players(state.seats)]
    assert read["record"] == [json.loads(json.dumps(item.as_json())) for item in scene.record]
    assert board["phase"] == state.phase.value
    assert board["colours"] == [state.colour_name(seat) for seat in range(len(state.colours))]
    for hand, ids in zip(board["hands"], state.hands, strict=True):
        assert [(card["id"], card["kind"]) for card in hand] == [
            (card, state.kind(card).value) for card in ids
        ]
    assert [card and card["id"] for card in board["actions"]] == list(state.actions)
    for pieces, slots in zip(board["collectibles"], state.collectibles, strict=True):
        assert [piece["slot"] for piece in pieces] == list(slots)
        for piece in pieces:
            is_seen = piece["slot"] in scene.view.cards
            assert (piece["card"] is not None) == (piece["letter"] is not None) == is_seen
    read_slots = [
        None if shown is None else tuple(piece["slot"] for piece in shown)
        for shown in board["exhibits"]
    ]
    assert tuple(read_slots) == state.exhibits


def test_an_onlooker_sees_no_hidden_piece_and_a_seat_only_its_own() -> None:
    states: list[rules.State] = []
    play_unruly("uberplay-2004", 4, None, 3, states.append)
    own = {slot: slot for slot in range(HELD * 4)}
    for eyes in (None, 0, 3):
        view = rules.view(states[0], eyes, own)
        board = told(fold(Scene(), updates.Resumed(view)))["view"]["state"]
        seen = [
            seat
            for seat, pieces in enumerate(board["collectibles"])
            if any(piece["letter"] for piece in pieces)
        ]
        assert seen == ([] if eyes is None else [eyes])
        assert sum(piece["letter"] is not None for row in board["windows"] for piece in row) == 2


@pytest.mark.parametrize("value", [math.inf, -math.inf, math.nan])
def test_a_number_that_json_cannot_hold_is_null(value: float) -> None:
    assert told({"left": (value, 1.25, 0.0)}) == {"left": [None, 1.2, 0.0]}
