"""Every failure is one change of a sound file or message: without it nothing is wrong."""

import json
from typing import Any

import pytest
from support.cases import each
from support.paths import VECTORS
from support.sampling import sample
from support.sim.cheap import shared_nodes
from vectors.making import side
from vectors.making.breakages import BROKEN
from vectors.making.broken import Broken
from vectors.making.differences import BYTES, WHOLE, changed
from vectors.making.expelled import EXPELLED
from vectors.making.message_failures import MESSAGE_FAILURES, read
from vectors.making.refused import REFUSED, Refused
from vectors.making.tables import VectorTable

from protocol.wire import codec

FOLDER = VECTORS / "failures"
FILED: dict[str, Broken | Refused] = {**BROKEN, **REFUSED}
MORE = {
    "roster-not-led-by-its-host": "two entries change places",
    "two-sealed-bases": "two closes, and what they rest on, are added to a chain",
    "three-inputs-of-one-step-in-a-promise": "each promise lists the inputs, which are there",
    "input-that-builds-on-nothing-in-a-promise": "each promise lists the input, which is there",
    "absence-voted-by-the-absent": "it names the promise of another seat, which is there",
    "more-proofs-than-seats-in-a-promise": "each promise names the proofs, which are there",
    "as-many-proofs-as-seats-in-a-promise": "each promise names the proofs, which are there",
    "inputs-on-two-chains-by-digest": "each promise names the proof, which is there",
    "input-where-nothing-may-be-said": "a second change of epoch with the proof is added",
    "three-present-of-a-quorum-of-four": "a step, a reconfiguration and an epoch are added",
    "contents-promise-by-promise": "two promises name inputs; their seat is banned",
    "contents-inputs-before-proofs": "a promise names inputs; their seat is banned",
    "input-of-setup-by-step": "a promise names a promise and an input, which are there",
    "input-behind-setup-by-step": "a promise names a promise and an input; their seat is banned",
    "chain-without-its-end": "steps, their signatures and the last inputs",
    "key-share-that-does-not-open": "two key shares, and the complaints of those who got them",
    "key-share-that-is-zero": "the key's hash and the key shares made from another polynomial",
    "action-card-not-in-hand": "the commitment and its opening in the next step",
}
"""Failures that take more than two parts: what their name says, part for part. (Two are a body and
its signature, two that change places, or one of each of two seats.)"""


def label_of(name: str) -> dict[str, Any]:
    """The label of a failure."""
    found: dict[str, Any] = json.loads((FOLDER / f"{name}.json").read_text("utf-8"))
    return found


@pytest.mark.parametrize("name", sample(FILED, 5, "sound files"))
def test_a_file_differs_from_a_sound_one_in_what_its_label_says_alone(name: str) -> None:
    with shared_nodes():
        sound = FILED[name].sound()
    found = side.expected(sound)
    assert found["problem"] is None or found["problem"]["code"] == "not-final"
    assert found["faults"] == []
    assert changed(sound, (FOLDER / f"{name}.hoity").read_bytes()) == label_of(name)["changed"]


@each(MESSAGE_FAILURES)
def test_bad_post_differs_from_a_sound_one_in_what_its_label_says_alone(name: str) -> None:
    label, one = label_of(name), MESSAGE_FAILURES[name]
    data = label["text"].encode() if label["kind"] == "ticket" else bytes.fromhex(label["bytes"])
    assert read(one.kind, one.sound()) == ""
    assert changed(one.sound(), data) == label["changed"]


@pytest.mark.parametrize("name", sample(EXPELLED, 1, "honest games"))
def test_without_the_lie_the_game_has_no_fault(name: str) -> None:
    with shared_nodes():
        game = VectorTable(EXPELLED[name].plan).play().first.machine.transcript()
    found = side.expected(game)
    assert (found["verdict"], found["faults"]) == ("ok", [])


def test_no_failure_changes_more_than_its_name_says() -> None:
    many = {name for name in FILED if len(label_of(name)["changed"]) > 2}
    assert many == set(MORE)
    for name in (*FILED, *MESSAGE_FAILURES):
        parts = label_of(name)["changed"]
        assert parts, name
        assert len(parts) == len(set(parts))
    assert all(len(label_of(name)["changed"]) <= 2 for name in MESSAGE_FAILURES)


def test_what_differs_is_found_and_nothing_else() -> None:
    def between(one: Any, other: Any) -> list[str]:
        return changed(codec.encode(one), codec.encode(other))

    inner = codec.encode((1, (2, b"x")))
    assert between((1, inner), (1, inner)) == []
    assert between((1, inner), (1, codec.encode((1, (2, b"y"))))) == ["1.1.1"]
    assert between((1, 2), (1, 2, 3)) == ["2"]
    assert between((1, 2), (1, 2, 3, 4)) == ["2-3"]
    assert between((1, 2), (0, 2, 3)) == [WHOLE]
    assert between((1, bytes(64)), (2, b"1" * 64)) == ["0"]
    assert between((1, bytes(64)), (1, b"1" * 64)) == ["1"]
    assert changed(b"\xc1abc", b"\xc1abbc") == [f"{BYTES} 3: 0 become 1"]
