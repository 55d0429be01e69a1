"""The verifier on bases: what does not follow from its halts carries nothing."""

import hashlib

import pytest
from support.files import code_of, parsed, read, refusal, signed, with_close
from support.forgeries.transcripts import with_entries, with_evidence
from support.played import DISTURBED, game_of, room_of
from support.room import seeded

from protocol.chain import own_bodies, transition
from protocol.chain.secrets import new_secrets
from protocol.chain.state import Missing
from protocol.consensus import view_change
from protocol.consensus.source import Unknown, Void
from protocol.transcript import check_bases
from protocol.transcript.format import Content, Evidence, Link, Step, Transcript
from protocol.transcript.verifier import verify
from protocol.wire.messages import Close, Expired, Halt, Late, Say, SealVote


def test_fewer_than_a_quorum_of_halts_make_no_base() -> None:
    halts = [
        m
        for m in parsed("vanished", read("vanished").evidence.messages)
        if isinstance(m.statement, Halt)
    ]
    for some in (halts[:1], [*halts[:1], *halts[:1]], [*halts, *halts[:1]]):
        problem = refusal(with_close("vanished", 1, Close(1, tuple(m.hash for m in some))).encode())
        assert (problem.code, problem.part, problem.seat) == ("bad-base", "closes", 1)


def test_a_close_by_a_seat_whose_turn_it_is_not() -> None:
    (close,) = parsed("vanished", read("vanished").evidence.closes)
    assert close.seat == 1
    problem = refusal(with_close("vanished", 0, close.statement).encode())
    assert (problem.code, problem.part, problem.seat) == ("bad-base", "closes", 0)


def test_what_is_no_close_makes_no_base() -> None:
    assert code_of(with_close("vanished", 1, Late(1))) == "bad-message"


def test_a_close_that_rests_on_too_much_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(check_bases, "MAX_LOOKUPS", 2)
    assert code_of(read("vanished")) == "bad-base"


def test_too_much_to_look_up_is_no_fault_of_form(monkeypatch: pytest.MonkeyPatch) -> None:
    """A judgement that was broken off must convict nobody."""
    monkeypatch.setattr(check_bases, "MAX_LOOKUPS", 1)
    table = room_of("vanished").table
    (close,) = parsed("vanished", read("vanished").evidence.closes)
    held = {m.hash: m for m in parsed("vanished", read("vanished").evidence.messages)}
    source = check_bases.FileSource(transition.begin(table), held)
    with pytest.raises(check_bases.TooMuch):
        view_change.bad_form(table, close, source)


def test_a_halt_is_read_once_and_its_messages_count_each_time() -> None:
    room = room_of("vanished")
    every = parsed("vanished", read("vanished").evidence.messages)
    machine = room.places[0].machine
    held = {m.hash: m for m in (*every, *machine.core.store)}
    start = machine.tip.before(room.table.first_step)
    assert start is not None
    source = check_bases.FileSource(start, held)
    halt = next(m for m in every if isinstance(m.statement, Halt))
    first = view_change.read_halt(room.table, halt, source)
    counted = source.lookups
    assert counted == len(first.says) > 0
    assert view_change.read_halt(room.table, halt, source) is first
    assert source.lookups == 2 * counted


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (RecursionError(), "bad-base"),
        (Void("two bases"), "void"),
        (Unknown("a say"), "missing-evidence"),
    ],
)
def test_a_base_that_cannot_be_recounted_is_refused(
    monkeypatch: pytest.MonkeyPatch, error: Exception, code: str
) -> None:
    def fail(*rest: object) -> None:
        raise error

    monkeypatch.setattr(view_change, "base_of_close", fail)
    assert code_of(read("vanished")) == code


def test_the_chain_stands_still_with_fewer_than_a_quorum() -> None:
    """All seats lie: two of five are made absent at the deal, the others play on."""
    room, whole, name = room_of("five"), read("five"), "five"
    machine = room.places[0].machine
    start = machine.tip.before(room.table.first_step)
    assert start is not None
    said = [m for m in machine.core.store.says(0, start.step) if m.seat < 3]
    said.sort(key=lambda m: m.seat)
    bodies = {m.seat: m.statement.body for m in said if isinstance(m.statement, Say)}
    expired = Expired(0, start.step, start.digest)
    says = tuple(sorted(m.hash for m in said))
    halts = [signed(name, seat, Halt(1, None, says, expired, (), ())) for seat in range(4)]
    close = signed(name, 1, Close(1, tuple(m.hash for m in halts)))
    slots = transition.slots_of(start, bodies, Missing.ABSENT)
    counts = (0, 0, 0, 1, 1)
    base = transition.link(
        transition.append(start, slots), frozenset({0, 1, 2}), frozenset(), counts
    )
    seals = [signed(name, seat, SealVote(1, base.base_digest())) for seat in range(4)]
    more = {}
    for seat in range(3):
        secrets = new_secrets(hashlib.sha256(b"secret%d" % seat).digest(), 4)
        more[seat] = own_bodies.body_of(base, seat, secrets, seeded(f"three {seat}"))
    alone = [signed(name, s, Say(1, base.step, base.digest, body)) for s, body in more.items()]
    setup = whole.content.entries[: start.step - 1]
    entries = (*setup, Step(slots), Link((0, 1, 2), (), counts))
    evidence = Evidence(
        (*whole.evidence.signatures[: start.step - 1], tuple((0, m.signature) for m in said)),
        tuple((m.payload, m.signature) for m in sorted(halts, key=lambda m: m.hash)),
        ((close.payload, close.signature),),
        tuple((m.seat, m.signature) for m in seals),
    )
    short = Transcript(Content(whole.content.header, entries), evidence)
    assert verify(short.encode(), game_of).unfinished
    entries = (*entries, Step(transition.slots_of(base, more)))
    rows = (*evidence.signatures, tuple((1, m.signature) for m in alone))
    problem = refusal(with_evidence(with_entries(short, entries), signatures=rows).encode())
    assert (problem.code, problem.part, problem.step) == ("left-over", "chain", base.step)


@pytest.mark.parametrize("name", DISTURBED)
def test_without_its_closes_no_change_stands(name: str) -> None:
    whole = with_evidence(read(name), closes=(), messages=(), seals=())
    changes = ("unjustified-absence", "unjustified-link", "unjustified-fault")
    codes = (*changes, "bad-epoch", "not-final")
    assert code_of(whole) in codes
