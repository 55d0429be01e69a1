"""The verifier on honest files: they hold, and the report says what is in them."""

from typing import Any

import pytest
from support.files import read
from support.inspection import view_of
from support.played import TABLES, files_of, game_of, room_of

from protocol.chain import chain_state
from protocol.crypto import sigma_proofs
from protocol.fault_codes import FAULTS
from protocol.transcript.transcript_writer import to_the_end
from protocol.transcript.verifier import header_of, reached, steps_to, verify
from protocol.wire.table_header import Terms


@pytest.mark.sampled(5)
@pytest.mark.parametrize("name", list(TABLES))
def test_every_honest_file_verifies_and_leads_to_the_seats_own_end(name: str) -> None:
    machine = room_of(name).places[0].machine
    tip = to_the_end(machine.tip)[-1]
    for data in set(files_of(name)):
        report = verify(data, game_of)
        assert (report.verdict, report.problem) == ("ok", None)
        assert report.digest == tip.digest.hex()
        assert report.table == room_of(name).table.id.hex()
    report = verify(files_of(name)[0], game_of)
    assert report.node is not None
    assert report.node.state == tip.state
    assert report.standings == tip.table.game.standings(tip.state)
    assert (report.steps, report.epochs) == (tip.step - 1, view_of(machine).epoch)


def test_the_report_names_the_seats() -> None:
    entries = verify(files_of("three")[0], game_of).seats
    seats = [(f"seat {seat}", one) for seat, one in enumerate(room_of("three").table.ids)]
    assert [(entry.nickname, entry.id) for entry in entries] == seats


FAULTY = {
    "equivocator": "equivocation",
    "wrong share": "bad-share",
    "empty escrow": "bad-escrow",
    "spoilt result": "bad-body",
}


@pytest.mark.parametrize("name", ["four", "escrow opened", "returned", *FAULTY])
def test_the_faults_of_seats_are_listed(name: str) -> None:
    found = verify(files_of(name)[0], game_of).faults
    assert [(fault.seat, fault.code) for fault in found] == (
        [(3, FAULTY[name])] if name in FAULTY else []
    )
    assert all(fault.code in FAULTS for fault in found)


def test_everything_checked_is_counted() -> None:
    """Four seats, two rounds: 4 header signatures, 73 bodies, 4 last inputs."""
    counts = verify(files_of("four")[0], game_of).counts
    said = sum(len(row) for row in read("four").evidence.signatures)
    assert counts.signatures == 4 + said + 4
    assert (counts.keys, counts.shuffles) == (4, 4)
    assert counts.commitments == counts.openings == counts.escrows == 4 * 4
    hands, tops, draws, shown = 4 * 2 * 3, 4, 2 * 4, 4 + 1
    assert counts.shares == hands + tops + draws + shown + (8 - shown)
    assert (counts.escrow_shares, counts.bases) == (0, 0)
    counts = verify(files_of("escrow opened")[0], game_of).counts
    assert (counts.escrow_shares, counts.bases) == (3, 1)
    assert verify(files_of("returned")[0], game_of).counts.bases == 2


def test_the_callers_clock_times_the_parts() -> None:
    ticks = iter(range(10_000))
    report = verify(files_of("vanished")[0], game_of, lambda: float(next(ticks)))
    parts = {"reading", "signatures", "keys", "shuffles", "choices", "openings", "bases"}
    assert set(report.timings) == parts
    between = 1  # the file is read; the checks begin
    assert sum(report.timings.values()) == next(ticks) - 1 - between
    assert verify(files_of("vanished")[0], game_of).timings == {}


def test_every_proof_is_verified_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Also where a base is computed again: the chain and the bases share their verdicts."""
    files = [files_of(name)[0] for name in ("four", "returned")]  # played before the count
    seen: list[tuple[Any, ...]] = []
    original = sigma_proofs.verify_shares

    def noted(about: Any, *rest: Any) -> None:
        seen.append((about.context.step, about.context.seat, about.context.kind, rest[-1]))
        original(about, *rest)

    monkeypatch.setattr(sigma_proofs, "verify_shares", noted)
    for data in files:
        seen.clear()
        assert verify(data, game_of).ok
        assert seen
        assert len(seen) == len(set(seen))


def test_a_report_leads_to_every_step_and_reconfiguration() -> None:
    report = verify(files_of("returned")[0], game_of)
    assert report.node is not None
    passages = list(steps_to(report.node))
    tip = room_of("returned").places[0].machine.tip
    assert passages[-1][2].digest == tip.digest
    assert [before.digest for before, _, _ in passages[1:]] == [
        after.digest for _, _, after in passages[:-1]
    ]
    links = [(b.present, a.present) for b, slots, a in passages if slots is None]
    without, everyone = frozenset({0, 1, 2}), frozenset(range(4))
    assert links == [(everyone, without), (without, everyone)]


def test_a_header_is_read_without_a_judgement_and_rubbish_has_none() -> None:
    data = files_of(next(iter(TABLES)))[0]
    header = header_of(data)
    assert header is not None
    assert tuple(e.nickname for e in header.roster) == tuple(
        line.nickname for line in verify(data, game_of).seats
    )
    damaged = data[:-9] + bytes(9)
    assert header_of(damaged) in (None, header)
    for rubbish in (b"", b"nonsense", data[: len(data) // 2], data[1:]):
        assert header_of(rubbish) is None
    assert reached(b"rubbish", game_of, verify(b"rubbish", game_of)) is None


def test_a_game_nobody_knows_is_a_fault() -> None:
    def unknown(terms: Terms) -> Any:
        raise ValueError("no such edition")

    report = verify(files_of("two")[0], unknown)
    assert report.problem is not None
    assert (report.problem.code, report.problem.part) == ("bad-game", "header")
    assert report.problem.words == "no such edition"


def test_kept_verdicts_do_not_leak_between_tables() -> None:
    """The same bytes verify again after all kept sums are forgotten."""
    chain_state.public_key_share_of.cache_clear()
    chain_state.total_key_share.cache_clear()
    assert verify(files_of("escrow opened")[0], game_of).ok
