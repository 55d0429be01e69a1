"""The verifier: honest files hold; nothing else does, and a place is named."""

import random
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cache
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from played import DISTURBED, TABLES, files_of, game_of, room_of

from protocol import encoding, gather, messages, node, transcript_form
from protocol.faults import FAULTS
from protocol.header import Terms
from protocol.messages import Close, Halt, SealVote
from protocol.node import Kind, Missing
from protocol.transcript import to_the_end
from protocol.transcript_form import Content, Evidence, Link, Step, Transcript
from protocol.unsound import FILE_FAULTS, PARTS, UNREADABLE
from protocol.verifier import replay, steps_to, verify
from protocol.verifier_report import Report


def read(name: str) -> Transcript:
    return transcript_form.read(transcript_form.open_file(files_of(name)[0]))


def judge(whole: Transcript) -> Report:
    return verify(whole.encode(), game_of)


def refused(data: bytes) -> Report:
    """The report on bytes that must not pass: it names what and where."""
    report = verify(data, game_of)
    problem = report.problem
    assert problem is not None
    assert not report.ok
    assert report.verdict == ("unreadable" if problem.code in UNREADABLE else "fault")
    assert problem.code in FILE_FAULTS or problem.code in FAULTS
    assert problem.words
    assert problem.part in {*PARTS.values(), "file"}
    assert 0 <= problem.offset <= len(data)
    return report


def code_of(whole: Transcript) -> str:
    problem = refused(whole.encode()).problem
    assert problem is not None
    return problem.code


def with_evidence(whole: Transcript, **changes: Any) -> Transcript:
    return replace(whole, evidence=replace(whole.evidence, **changes))


def with_entry(whole: Transcript, index: int, entry: Any) -> Transcript:
    entries = list(whole.content.entries)
    entries[index] = entry
    return replace(whole, content=replace(whole.content, entries=tuple(entries)))


# What holds.


@pytest.mark.parametrize("name", list(TABLES))
def test_every_honest_file_verifies(name: str) -> None:
    for data in files_of(name):
        report = verify(data, game_of)
        assert (report.verdict, report.problem) == ("ok", None)
        assert report.content == read(name).content.digest().hex()
        assert report.table == room_of(name).table.id.hex()


@pytest.mark.parametrize("name", list(TABLES))
def test_the_verifier_comes_to_the_seats_own_end(name: str) -> None:
    tip = to_the_end(room_of(name).places[0].machine.tip)[-1]
    report = verify(files_of(name)[0], game_of)
    assert report.node is not None
    assert report.node.state == tip.state
    assert report.standings == tip.table.game.standings(tip.state)
    assert report.steps == tip.step - 1
    assert report.epochs == room_of(name).places[0].machine.view.epoch


def test_the_report_names_the_seats() -> None:
    lines = verify(files_of("three")[0], game_of).seats
    ids = room_of("three").table.ids
    assert [(line.seat, line.nickname) for line in lines] == [
        (0, "seat 0"),
        (1, "seat 1"),
        (2, "seat 2"),
    ]
    assert tuple(line.id for line in lines) == ids


@pytest.mark.parametrize(
    ("name", "faults"),
    [
        ("four", []),
        ("escrow opened", []),
        ("returned", []),
        ("equivocator", [(3, "two-statements")]),
        ("wrong share", [(3, "bad-share")]),
        ("empty escrow", [(3, "bad-escrow")]),
        ("spoilt result", [(3, "bad-body")]),
    ],
)
def test_the_faults_of_seats_are_listed(name: str, faults: list[tuple[int, str]]) -> None:
    found = verify(files_of(name)[0], game_of).faults
    assert [(fault.seat, fault.code) for fault in found] == faults
    assert all(fault.words == FAULTS[fault.code] for fault in found)


def test_everything_checked_is_counted() -> None:
    """Four seats, two rounds: 4 header signatures, 73 bodies, 4 last says."""
    counts = verify(files_of("four")[0], game_of).counts
    said = sum(len(row) for row in read("four").evidence.signatures)
    assert counts.signatures == 4 + said + 4
    assert (counts.keys, counts.shuffles) == (4, 4)
    assert counts.commitments == counts.openings == counts.escrows == 4 * 4
    hands, tops, draws, shown = 4 * 2 * 3, 4, 2 * 4, 4 + 1
    assert counts.shares == hands + tops + draws + shown + (8 - shown)
    assert (counts.escrow_shares, counts.bases) == (0, 0)


def test_bases_and_escrow_shares_are_counted() -> None:
    counts = verify(files_of("escrow opened")[0], game_of).counts
    assert (counts.escrow_shares, counts.bases) == (3, 1)
    assert verify(files_of("returned")[0], game_of).counts.bases == 2


def test_the_callers_clock_times_the_parts() -> None:
    ticks = iter(range(10_000))
    report = verify(files_of("vanished")[0], game_of, lambda: float(next(ticks)))
    parts = {"reading", "signatures", "keys", "shuffles", "choices", "openings", "bases"}
    assert set(report.timings) == parts
    assert sum(report.timings.values()) == next(ticks) - 1
    assert verify(files_of("vanished")[0], game_of).timings == {}


def test_every_proof_is_verified_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Also where a base is computed again: the chain and the bases share their verdicts."""
    seen: list[tuple[Any, ...]] = []
    original = gather.dleq.verify_shares

    def noted(context: Any, *rest: Any) -> None:
        seen.append((context.step, context.seat, context.kind, rest[-1]))
        original(context, *rest)

    monkeypatch.setattr(gather.dleq, "verify_shares", noted)
    for name in ("four", "returned"):
        seen.clear()
        assert verify(files_of(name)[0], game_of).ok
        assert seen
        assert len(seen) == len(set(seen))


def test_replay_gives_every_step_and_link() -> None:
    passages = list(replay(files_of("returned")[0], game_of))
    tip = room_of("returned").places[0].machine.tip
    assert passages[-1][2].digest == tip.digest
    assert [before.digest for before, _, _ in passages[1:]] == [
        after.digest for _, _, after in passages[:-1]
    ]
    links = [(b.present, a.present) for b, slots, a in passages if slots is None]
    without, everyone = frozenset({0, 1, 2}), frozenset(range(4))
    assert links == [(everyone, without), (without, everyone)]
    report = verify(files_of("returned")[0], game_of)
    assert report.node is not None
    assert len(list(steps_to(report.node))) == len(passages)


def test_replay_of_rubbish_is_nothing() -> None:
    assert list(replay(b"rubbish", game_of)) == []


# What does not hold: bytes.


@pytest.mark.parametrize("name", ["two", "returned", "equivocator"])
def test_no_flipped_byte_passes(name: str) -> None:
    data, draw = files_of(name)[0], random.Random(name)
    places = [*range(40), *(draw.randrange(len(data)) for _ in range(110))]
    for place in places:
        spoilt = bytearray(data)
        spoilt[place] ^= 1 << draw.randrange(8)
        refused(bytes(spoilt))


def test_a_torn_file_is_unreadable() -> None:
    data, draw = files_of("vanished")[0], random.Random(1)
    for size in [*range(60), *(draw.randrange(len(data)) for _ in range(60)), len(data) - 1]:
        report = refused(data[:size])
        assert report.verdict == "unreadable"
        assert report.problem is not None
        assert report.problem.code == ("torn" if size else "empty")
        assert report.problem.offset == size


@pytest.mark.parametrize("tail", [b"\x00", b"\xc0", b"\x90", bytes(100)])
def test_nothing_may_follow(tail: bytes) -> None:
    data = files_of("two")[0]
    problem = refused(data + tail).problem
    assert problem is not None
    assert (problem.code, problem.offset) == ("bad-encoding", len(data))


def test_another_encoding_of_the_same_value_is_refused() -> None:
    data = files_of("two")[0]
    assert data[18] == 1
    longer = data[:19] + b"\xdc\x00\x02" + data[20:]
    problem = refused(longer).problem
    assert problem is not None
    assert (problem.code, problem.offset) == ("bad-encoding", 19)


def test_another_version_is_unreadable() -> None:
    data = bytearray(files_of("two")[0])
    data[18] = 2
    report = refused(bytes(data))
    assert report.verdict == "unreadable"
    assert report.problem is not None
    assert (report.problem.code, report.problem.offset) == ("other-version", 18)


def test_a_game_nobody_knows_is_a_fault() -> None:
    def unknown(terms: Terms) -> Any:
        raise ValueError("no such edition")

    report = verify(files_of("two")[0], unknown)
    assert report.problem is not None
    assert (report.problem.code, report.problem.part) == ("bad-game", "header")
    assert report.problem.words == "no such edition"


def test_a_file_larger_than_any_game_is_not_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(transcript_form, "MAX_FILE", 1000)
    problem = refused(files_of("two")[0]).problem
    assert problem is not None
    assert problem.code == "too-large"


@settings(max_examples=150, deadline=None)
@given(st.binary(max_size=300), st.booleans())
def test_any_bytes_give_a_report(data: bytes, framed: bool) -> None:
    refused(b"\x94\xb0hoity-transcript\x01" + data if framed else data)


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(0, 3) | st.binary(max_size=70) | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=5).map(tuple),
    max_leaves=25,
)


@settings(max_examples=100, deadline=None)
@given(VALUES, VALUES)
def test_any_values_give_a_report(content: Any, evidence: Any) -> None:
    refused(encoding.encode(("hoity-transcript", 1, content, evidence)))


@cache
def value_of(name: str) -> Any:
    return transcript_form.open_file(files_of(name)[0])


def paths(value: Any, path: tuple[int, ...] = ()) -> Iterator[tuple[int, ...]]:
    yield path
    if isinstance(value, tuple):
        for index, item in enumerate(value):
            yield from paths(item, (*path, index))


def changed(value: Any, path: tuple[int, ...], change: Callable[[Any], Any]) -> Any:
    if not path:
        return change(value)
    items = list(value)
    items[path[0]] = changed(items[path[0]], path[1:], change)
    return tuple(items)


@settings(max_examples=80, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.data())
def test_no_item_may_be_another(data: st.DataObject) -> None:
    """Any item of a sound file replaced by any other value."""
    value = value_of(data.draw(st.sampled_from(["two", "returned"])))
    path = data.draw(st.sampled_from([p for p in paths(value) if len(p) > 1]))
    other = data.draw(VALUES)
    spoilt = changed(value, path, lambda _: other)
    if spoilt != value:
        refused(encoding.encode(spoilt))


# What does not hold: evidence.


LISTS = ["signatures", "messages", "closes", "seals", "final"]


@pytest.mark.parametrize("name", ["four", "returned", "equivocator", "wrong share"])
@pytest.mark.parametrize("part", LISTS)
def test_every_piece_of_evidence_is_needed_once_and_in_its_place(name: str, part: str) -> None:
    whole = read(name)
    items = getattr(whole.evidence, part)
    for index in range(len(items)):
        without = (*items[:index], *items[index + 1 :])
        refused(with_evidence(whole, **{part: without}).encode())
        twice = (*items[:index], items[index], *items[index:])
        refused(with_evidence(whole, **{part: twice}).encode())
    if len(items) > 1:
        refused(with_evidence(whole, **{part: items[::-1]}).encode())


def test_evidence_of_another_game_does_not_fit() -> None:
    three, gone = read("three"), read("vanished")
    assert code_of(replace(three, evidence=gone.evidence)) != "ok"
    assert code_of(replace(gone, evidence=three.evidence)) == "unjustified-absence"
    other = replace(three, content=replace(gone.content, entries=three.content.entries[:3]))
    refused(other.encode())


@pytest.mark.parametrize("part", LISTS[1:4])
def test_evidence_that_nothing_needs_is_refused(part: str) -> None:
    extra = getattr(read("returned").evidence, part)
    assert extra
    alien = read("four")
    code = code_of(with_evidence(alien, **{part: extra[:1]}))
    assert code == ("missing-evidence" if part == "closes" else "left-over")


def test_a_say_that_is_in_the_content_is_not_listed_again() -> None:
    room, whole = room_of("vanished"), read("vanished")
    known = {payload for payload, _ in whole.evidence.messages}
    named = [
        m
        for m in room.places[0].machine.store
        if isinstance(m.statement, messages.Say) and m.statement.step == 9
    ]
    extra = [(m.payload, m.signature, m.hash) for m in named if m.payload not in known]
    both = {(p, s): room.places[0].machine.store for p, s, _ in extra}
    held = [messages.parse(encoding.encode(e), room.table.id, room.table.ids) for e in both]
    listed = [
        messages.parse(encoding.encode(e), room.table.id, room.table.ids)
        for e in whole.evidence.messages
    ]
    ordered = sorted([*held[:1], *listed], key=lambda m: m.hash)
    doubled = tuple((m.payload, m.signature) for m in ordered)
    assert code_of(with_evidence(whole, messages=doubled)) == "left-over"


# What does not hold: the chain.


def test_a_forged_absence_is_found() -> None:
    """The last body of the final opening, taken away with its signature."""
    whole = read("three")
    index = len(whole.content.entries) - 1
    step = whole.content.entries[index]
    assert isinstance(step, Step)
    for missing, code in (
        (Missing.ABSENT, "unjustified-absence"),
        (Missing.FAULT, "unjustified-fault"),
        (Missing.NONE, "incomplete-step"),
    ):
        forged = with_entry(whole, index, Step((*step.slots[:2], missing)))
        rows = whole.evidence.signatures
        forged = with_evidence(forged, signatures=(*rows[:index], rows[index][:2]))
        problem = refused(forged.encode()).problem
        assert problem is not None
        assert (problem.code, problem.seat, problem.step) == (code, 2, index + 1)
        assert problem.part == "chain"


def test_a_forged_link_is_found() -> None:
    whole = read("three")
    entries = (*whole.content.entries, Link((0, 1), (2,), (0, 0, 0)))
    forged = replace(whole, content=replace(whole.content, entries=entries))
    assert code_of(forged) == "unjustified-link"
    later = read("returned")
    entries = (*later.content.entries, Link((0, 1, 2), (3,), (0, 0, 0, 1)))
    assert code_of(replace(later, content=replace(later.content, entries=entries))) == "left-over"


def test_a_changed_link_is_found() -> None:
    whole = read("vanished")
    at = next(i for i, e in enumerate(whole.content.entries) if isinstance(e, Link))
    cut = replace(whole.content, entries=whole.content.entries[: at + 1])
    rows = whole.evidence.signatures[:at]
    short = with_evidence(replace(whole, content=cut), signatures=rows, final=())
    assert verify(short.encode(), game_of).unfinished
    for link in (Link((0, 1), (2,), (0, 0, 1)), Link((0, 1, 2), (), (0, 0, 1))):
        assert code_of(with_entry(short, at, link)) == "unjustified-link"


def test_a_file_without_its_end_is_unfinished() -> None:
    whole = read("three")
    content = replace(whole.content, entries=whole.content.entries[:-3])
    rows = whole.evidence.signatures[:-3]
    report = judge(with_evidence(replace(whole, content=content), signatures=rows, final=()))
    assert report.unfinished
    assert report.verdict == "fault"
    assert report.standings == ()


def test_the_chain_must_reach_the_last_base() -> None:
    whole = read("returned")
    content = replace(whole.content, entries=whole.content.entries[:14])
    rows = whole.evidence.signatures[:13]
    short = with_evidence(replace(whole, content=content), signatures=rows, final=())
    assert code_of(short) in ("missing-evidence", "bad-base")


def test_a_forged_result_is_found() -> None:
    """A last say missing, of another seat, of another game."""
    whole = read("four")
    final = whole.evidence.final
    assert code_of(with_evidence(whole, final=final[:3])) == "not-final"
    assert code_of(with_evidence(whole, final=())) == "not-final"
    swapped = (*final[:3], (3, final[0][1]))
    assert code_of(with_evidence(whole, final=swapped)) == "bad-signature"
    alien = with_evidence(whole, final=(*final[:3], read("equivocator").evidence.final[2]))
    assert code_of(alien) in ("bad-signature", "bad-order")


def test_the_end_is_not_final_without_the_seals_of_a_quorum() -> None:
    whole = read("spoilt result")
    seals = whole.evidence.seals
    assert code_of(with_evidence(whole, seals=seals[:2])) == "missing-votes"
    room = room_of("spoilt result")
    base = room.places[0].machine.view.base.base_digest()
    more = messages.sign(room.who[3], room.table.id, 3, SealVote(1, base))
    assert code_of(with_evidence(whole, seals=(*seals, (3, more.signature)))) == "left-over"


def test_fewer_than_a_quorum_of_halts_make_no_base() -> None:
    room, whole = room_of("vanished"), read("vanished")
    parsed = [
        messages.parse(encoding.encode(e), room.table.id, room.table.ids)
        for e in whole.evidence.messages
    ]
    halts = [m for m in parsed if isinstance(m.statement, Halt)]
    for some in (halts[:1], [*halts[:1], *halts[:1]]):
        close = messages.sign(room.who[1], room.table.id, 1, Close(1, tuple(m.hash for m in some)))
        forged = with_evidence(whole, closes=((close.payload, close.signature),))
        assert code_of(forged) == "bad-base"


def test_a_close_by_a_seat_whose_turn_it_is_not() -> None:
    room, whole = room_of("vanished"), read("vanished")
    close = messages.parse(encoding.encode(whole.evidence.closes[0]), room.table.id, room.table.ids)
    other = messages.sign(room.who[0], room.table.id, 0, close.statement)
    forged = with_evidence(whole, closes=((other.payload, other.signature),))
    problem = refused(forged.encode()).problem
    assert problem is not None
    assert (problem.code, problem.part, problem.seat) == ("bad-base", "closes", 0)


def test_a_body_that_breaks_the_rules_is_named_by_its_fault() -> None:
    """Signed as it should be: what is wrong is what the seat said."""
    room, whole = room_of("two"), read("two")
    start = room.places[0].machine.tip.before(1)
    assert start is not None
    step = whole.content.entries[0]
    assert isinstance(step, Step)
    body = encoding.encode((b"h" * 32, bytes(31)))
    say = messages.sign(room.who[1], room.table.id, 1, messages.Say(0, 1, start.digest, body))
    forged = Transcript(
        Content(whole.content.header, (Step((step.slots[0], body)),)),
        Evidence((((0, whole.evidence.signatures[0][0][1]), (0, say.signature)),)),
    )
    problem = refused(forged.encode()).problem
    assert problem is not None
    assert (problem.code, problem.seat, problem.step) == ("bad-body", 1, 1)


def test_a_body_of_a_later_epoch_than_the_last_is_refused() -> None:
    room, whole = room_of("two"), read("two")
    start = room.places[0].machine.tip.before(1)
    step = whole.content.entries[0]
    assert start is not None
    assert isinstance(step, Step)
    assert isinstance(step.slots[0], bytes)
    say = messages.Say(1, 1, start.digest, step.slots[0])
    signed = messages.sign(room.who[0], room.table.id, 0, say)
    first = ((1, signed.signature), *whole.evidence.signatures[0][1:])
    rows = (first, *whole.evidence.signatures[1:])
    assert code_of(with_evidence(whole, signatures=rows)) == "bad-epoch"


def test_what_a_seat_was_not_asked_is_refused() -> None:
    """A second body in a step of one speaker, well signed."""
    room, whole = room_of("two"), read("two")
    at = 3
    step = whole.content.entries[at]
    before = room.places[0].machine.tip.before(at + 1)
    assert isinstance(step, Step)
    assert before is not None
    assert before.want.kind is Kind.SHUFFLE
    say = messages.Say(0, at + 1, before.digest, b"\xc0")
    signed = messages.sign(room.who[1], room.table.id, 1, say)
    entries = (*whole.content.entries[:at], Step((step.slots[0], b"\xc0")))
    rows = (
        *whole.evidence.signatures[:at],
        (*whole.evidence.signatures[at], (0, signed.signature)),
    )
    forged = Transcript(Content(whole.content.header, entries), Evidence(rows))
    assert code_of(forged) == "not-expected"


@pytest.mark.parametrize("name", DISTURBED)
def test_without_the_closes_no_absence_or_link_stands(name: str) -> None:
    whole = with_evidence(read(name), closes=(), messages=(), seals=())
    expected = ("unjustified-absence", "unjustified-link", "unjustified-fault", "not-final")
    assert code_of(whole) in (*expected, "bad-epoch")


def test_a_close_before_the_game_began_is_left_over() -> None:
    whole = read("vanished")
    content = replace(whole.content, entries=whole.content.entries[:2])
    rows = whole.evidence.signatures[:2]
    short = with_evidence(replace(whole, content=content), signatures=rows, final=())
    assert code_of(short) == "left-over"


def test_kept_verdicts_do_not_leak_between_tables() -> None:
    """The same bytes verify again after all kept sums are forgotten."""
    node.public_piece.cache_clear()
    node.total_piece.cache_clear()
    assert verify(files_of("escrow opened")[0], game_of).ok
