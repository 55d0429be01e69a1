"""The committed vectors: each gives what its label says, and nothing has drifted."""

import itertools
import json
from collections.abc import Iterable
from functools import cache
from hashlib import shake_256
from pathlib import Path
from typing import Any

import pytest
from support.cases import each
from support.forgeries.bodies import plus_one
from support.paths import VECTORS
from support.sampling import sample
from support.sim.cheap import shared_nodes
from support.stream import stream
from vectors.making import side
from vectors.making.breakages import BROKEN
from vectors.making.expelled import EXPELLED
from vectors.making.files import FILES, JUDGED
from vectors.making.message_failures import MESSAGE_FAILURES, read
from vectors.making.playing import TRANSCRIPTS
from vectors.making.refused import REFUSED

from p2p_hoity import game_adapter
from protocol.chain import transition
from protocol.chain.chain_state import Conviction, Kind, Node, RefusedBody
from protocol.chain.openings import helped
from protocol.consensus.fault_evidence import against_promise
from protocol.consensus.new_epoch import Base, ReadPromise
from protocol.errors import FieldPlace
from protocol.fault_codes import FAULTS
from protocol.transcript.transcript_format import MAX_FILE, opened
from protocol.transcript.verification_report import FILE_FAULTS, Report
from protocol.transcript.verifier import reached, steps_to, verify
from protocol.wire import codec, step_bodies
from protocol.wire.signed_messages import Message

FOLDER = VECTORS
BOOKS = {f"{name}.json" for name in ("bounds", "crypto", "links", "messages", "worked")}
FILED = {**BROKEN, **REFUSED, **EXPELLED}
POSTS = list(MESSAGE_FAILURES)
CHEAP = (
    "crypto",
    "messages",
    "worked",
    "judged/verdicts",
    "failures/too-large-file",
    *(f"failures/{name}" for name in POSTS),
)
COSTLY = [name for name in FILES if name not in CHEAP]


@cache
def label_of(name: str) -> dict[str, Any]:
    """The label beside a file."""
    found: dict[str, Any] = json.loads((FOLDER / f"{name}.json").read_text(encoding="utf-8"))
    return found


def plain(value: Any) -> Any:
    """A value as JSON gives it back."""
    return json.loads(json.dumps(value))


def file_of(name: str) -> bytes:
    return (FOLDER / f"{name}.hoity").read_bytes()


# What the labels say.


@pytest.mark.parametrize("name", sample(TRANSCRIPTS, 2, "transcripts"))
def test_a_transcript_holds_what_its_label_says(name: str) -> None:
    label = label_of(f"transcripts/{name}")
    found = plain(side.described(file_of(f"transcripts/{name}")))
    assert {**label, **found} == label
    unfinished = "unfinished" in name
    assert label["verdict"] == ("fault" if unfinished else "ok")
    assert (label["standings"] == []) == unfinished


@pytest.mark.sampled(40)
@pytest.mark.parametrize("name", list(FILED))
def test_a_failure_is_refused_or_named_as_its_label_says(name: str) -> None:
    label = label_of(f"failures/{name}")
    found = plain(side.expected(file_of(f"failures/{name}")))
    assert {**label, **found} == label
    named = [one for one in (label["problem"], *label["faults"]) if one is not None]
    places = [{key: one[key] for key in ("code", "step", "seat")} for one in named]
    assert {key: label[key] for key in ("code", "step", "seat")} in places
    assert (label["verdict"] == "ok") == (name in EXPELLED)


@each(POSTS)
def test_bad_post_is_refused_with_its_code(name: str) -> None:
    label = label_of(f"failures/{name}")
    data = label["text"].encode() if label["kind"] == "ticket" else bytes.fromhex(label["bytes"])
    assert read(label["kind"], data) == label["code"]


def test_a_file_that_is_too_large_is_not_read() -> None:
    label = label_of("failures/too-large-file")
    assert label["times"] == MAX_FILE + 1
    report = verify(bytes.fromhex(label["repeat"]) * label["times"], game_adapter.read_game)
    assert report.problem is not None
    assert (report.verdict, report.problem.code) == (label["verdict"], label["code"])


# Where a fault is.

PLACES = {
    "transport-key-of-low-order": "box",
    "key-outside-the-group": "vector[0]",
    "key-vector-too-long": "vector",
    "key-other-than-committed": "vector",
    "key-not-proven": "proof",
    "key-share-that-is-zero": "vector",
    "key-share-of-another-size": "key_shares[0]",
    "coin-escrow-not-proven": "escrow",
    "complaint-with-another-secret": "secret",
    "complaint-of-a-sound-key-share": "blamed",
    "card-outside-the-group": "deck[0]",
    "cards-exchanged-after-the-proof": "proof",
    "dealt-share-outside-the-group": "shares[0]",
    "dealt-share-not-proven": "shares",
    "dealt-share-with-a-large-scalar": "shares",
    "share-left-out": "shares",
    "coin-opened-with-another-nonce": "opening",
    "action-card-not-in-hand": "opening[0]",
    "escrow-of-a-card": "escrow",
    "escrow-of-another-opening": "escrow",
    "escrow-share-not-proven": "escrows[0]",
    "share-outside-the-group": "shares[0]",
    "opening-with-another-nonce": "opening",
    "body-not-shortest": None,
    "body-of-three-fields": None,
    "deck-ok-with-a-body": None,
    "pass-where-a-choice-is-due": None,
    "choice-against-the-rules-in-escrow": None,
    "key-share-that-does-not-open": None,
    "body-where-none-is-due": None,
    "body-of-a-seat-not-asked": None,
    "inputs-on-two-chains": None,
    "new-epoch-without-promises": None,
    "body-changed": None,
    "quorum-of-one": None,
}


@pytest.mark.sampled(12)
@pytest.mark.parametrize(("name", "place"), PLACES.items())
def test_a_fault_names_the_field_of_its_body_and_one_in_no_field_names_none(
    name: str, place: str | None
) -> None:
    report = verify(file_of(f"failures/{name}"), game_adapter.read_game)
    code = label_of(f"failures/{name}")["code"]
    (found,) = [one for one in (report.problem, *report.faults) if one and one.code == code]
    assert place == (found.place and str(found.place))


def test_a_share_for_an_absent_seat_and_a_choice_that_is_shown_name_their_fields() -> None:
    report = verify(file_of("transcripts/small-four-absent"), game_adapter.read_game)
    assert report.node is not None
    passages = list(steps_to(report.node))
    node, body = next((n, slots[0]) for n, slots, _ in passages if slots and helped(n))
    opening, shares, helps, escrows = codec.decode(body, step_bodies.MAX_BODY)
    spoilt = (opening, shares, (plus_one(helps[0]), *helps[1:]), escrows)
    assert place_of(node, 0, codec.encode(spoilt)) == "helps[0]"
    shown = codec.encode((codec.encode((0, 0)), b""))
    report = verify(file_of("failures/escrows-of-two-opened-at-once"), game_adapter.read_game)
    assert report.node is not None
    node = next(n for n, _, _ in steps_to(report.node) if n.want.kind is Kind.SHOW)
    (seat,) = node.want.owes
    assert place_of(node, seat, shown) == "choice"
    assert place_of(node, seat, codec.encode(7)) is None


def place_of(node: Node, seat: int, body: bytes) -> str | None:
    """Where a body is refused."""
    found = transition.judge(node, seat, body)
    assert isinstance(found, RefusedBody)
    return found.place and str(found.place)


def test_nothing_that_is_compared_or_on_a_label_holds_a_place() -> None:
    assert Conviction(1, 2, "bad-escrow", FieldPlace("escrow")) == Conviction(1, 2, "bad-escrow")
    report = verify(file_of("failures/escrow-of-a-card"), game_adapter.read_game)
    assert report.node is not None
    assert Base(report.node, (), {0: FieldPlace("proof")}) == Base(report.node, ())
    assert Base(report.node, (), {}) != Base(report.node, ((0, "bad-share"),))
    for name in PLACES:
        assert '"place"' not in json.dumps(label_of(f"failures/{name}"))


# Files that one reading of a rule decides: another reading gives another verdict.


def by_hash(messages: Iterable[Message]) -> list[Message]:
    """Order the contents by their hashes, not by the promises and lists that name them."""
    return sorted({m.hash: m for m in messages}.values(), key=lambda m: m.hash)


def proofs_first(read: ReadPromise) -> tuple[Message, ...]:
    """Order the contents of a promise with its proofs before its inputs."""
    return (read.message, *read.proofs, *read.inputs, *read.rejoins, *read.votes)


def setup_by_epoch(promise: Message, message: Message, first: int) -> str | None:
    """Return the fault of a promise if no input is left out for its step."""
    return against_promise(promise, message, 0)


@pytest.mark.parametrize(
    ("name", "place", "reading", "code"),
    [
        ("contents-promise-by-promise", "new_epoch._once", by_hash, "bad-body"),
        ("contents-inputs-before-proofs", "new_epoch._once", by_hash, "not-expected"),
        (
            "contents-inputs-before-proofs",
            "new_epoch.ReadPromise.contents",
            property(proofs_first),
            "not-expected",
        ),
        (
            "input-of-setup-by-step",
            "fault_evidence.against_promise",
            setup_by_epoch,
            "promise-below-certificate",
        ),
    ],
)
def test_another_reading_of_10_4_names_another_fault(
    monkeypatch: pytest.MonkeyPatch, name: str, place: str, reading: Any, code: str
) -> None:
    label, data = label_of(f"failures/{name}"), file_of(f"failures/{name}")
    monkeypatch.setattr(f"protocol.consensus.{place}", reading)
    (fault,) = plain(side.expected(data))["faults"]
    assert fault["code"] == code
    assert [one["code"] for one in label["faults"]] in ([], [label["code"]])
    assert fault not in label["faults"]


# What there is.


def test_every_code_has_its_failure() -> None:
    codes = {label_of(f"failures/{name}")["code"] for name in (*FILED, "too-large-file")}
    assert codes >= set(FAULTS)
    assert codes >= set(FILE_FAULTS)


def test_transcripts_of_all_sizes_and_editions_hold_every_kind_of_change() -> None:
    labels = [label_of(f"transcripts/{name}") for name in TRANSCRIPTS]
    made = {(one["made_from"]["seats"], one["made_from"]["edition"]) for one in labels}
    assert made >= {(n, e) for n in (2, 3, 4, 6) for e in ("uberplay-2004", "reference-manual")}
    links = [[e["link"] for e in one["chain"] if "link" in e] for one in labels]
    everyone = [[len(x["present"]) for x in row] for row in links]
    assert any(any(a < b for a, b in itertools.pairwise(row)) for row in everyone)
    assert any(one["counts"]["escrow_shares"] for one in labels)
    assert any(one["faults"] for one in labels)


def test_there_is_no_file_that_nothing_makes() -> None:
    judged = {f"judged/{name}" for name in JUDGED}
    listed = {f"{name}.json" for name in FILES if name not in judged}
    with_file = {*FILED, *TRANSCRIPTS, *JUDGED}
    listed |= {f"{n}.hoity" for n in FILES if n.split("/")[-1] in with_file}
    folders = ("transcripts", "failures", "judged")
    found = [path for folder in folders for path in (FOLDER / folder).iterdir()]
    kept = {path.relative_to(FOLDER).as_posix() for path in found}
    assert kept == listed - BOOKS


# Drift. `python3 tasks.py vectors --check` makes everything anew, too.


@pytest.mark.sampled(15)
@pytest.mark.parametrize("name", [*CHEAP, *sample(COSTLY, 2, "drift")])
def test_a_file_has_not_drifted(name: str) -> None:
    """The seats that make a file check each proof once for all of them."""
    with shared_nodes():
        for path, data in FILES[name]():
            assert (FOLDER / path).read_bytes() == data, path


def test_the_stream_is_as_its_page_says() -> None:
    """Written out once more with nothing but the standard library."""

    def part(data: bytes) -> bytes:
        return len(data).to_bytes(8, "big") + data

    draw = stream("four returned", "seat 3 secret")
    for index, size in enumerate((32, 5, 64)):
        whole = part(b"four returned") + part(b"seat 3 secret") + part(index.to_bytes(8, "big"))
        assert draw(size) == shake_256(whole).digest(size)
    assert draw(8) != stream("four returned", "seat 2 secret")(8)


def reached_in(path: Path) -> tuple[Report, Node | None]:
    """The report on a file, and the last node of its valid part."""
    whole = opened(path.read_bytes())
    report = verify(whole, game_adapter.read_game)
    return report, reached(whole, game_adapter.read_game, report)


@pytest.mark.sampled(12)
@pytest.mark.parametrize("path", sorted(VECTORS.rglob("*.hoity")), ids=lambda path: path.stem)
def test_whatever_a_file_is_its_valid_part_can_be_reached(path: Path) -> None:
    report, node = reached_in(path)
    assert node is not None or report.node is None


def test_a_file_with_an_entry_of_another_size_is_valid_up_to_there() -> None:
    report, node = reached_in(VECTORS / "failures" / "step-of-three-slots.hoity")
    assert report.problem is not None
    assert (report.problem.code, report.problem.step) == ("bad-form", None)
    assert node is not None
