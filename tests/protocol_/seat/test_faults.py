"""Each provable fault is named by every honest seat, with its code; nobody honest ever is."""

import re
from collections.abc import Callable
from dataclasses import replace

import pytest
from support.forgeries.bodies import fixed, patched, plus_one
from support.forgeries.catalogue import FORGERIES
from support.forgeries.cheater import Lie, changing, forging, on_input, sign_too, twice
from support.inspection import inspect
from support.machine_table import MachineTable, toy_choice, toy_table
from support.paths import ROOT

from protocol.chain.chain_state import Kind, Node
from protocol.chain.openings import helped
from protocol.chain.transition import STEPS
from protocol.consensus import fault_evidence
from protocol.consensus.fork_tree import Tree
from protocol.fault_codes import FAULTS
from protocol.seat.effects import Broken, ChoiceAsked, Guilty
from protocol.seat.seat_machine import SeatMachine
from protocol.wire.signed_messages import (
    CommitVote,
    EpochPromise,
    EpochRequest,
    Message,
    NewEpoch,
    Statement,
    StepInput,
)

LIAR = 1
BY_STATEMENT = {
    "equivocation",
    "two-chains",
    "promise-below-certificate",
    "promise-omits-input",
    "bad-promise",
}
BY_STATEMENT |= {"bad-new-epoch", "not-expected"}
"""The faults that no body shows."""


def eager(machine: SeatMachine, asked: ChoiceAsked) -> object:
    """Let the liar bid highest, so that it is asked for all there is."""
    if asked.kind == "bid":
        return 3 if machine.seat == LIAR else 0
    return toy_choice(machine, asked)


def found(table: MachineTable) -> dict[int, set[tuple[int, str]]]:
    """Return, by honest seat that is there, the faults that it reports."""
    return {
        seat: {(one.seat, one.code) for one in place.of_kind(Guilty)}
        for seat, place in enumerate(table.places)
        if seat != LIAR and place.alive
    }


def check_named(table: MachineTable, code: str) -> None:
    """Check that every honest seat reports this fault, and no fault of an honest seat."""
    for seat, faults in found(table).items():
        broken = table.machine(seat).broken
        told = faults if broken is None else {*faults, (broken.seat, broken.code)}
        assert {who for who, _ in told} == {LIAR}, f"seat {seat} blames an honest seat"
        assert (LIAR, code) in told, f"seat {seat} found {told}"


def gone_before(table: MachineTable, seat: int, due: Callable[[Node], bool]) -> None:
    """Let a seat be gone as soon as seat 0 stands where it is due."""
    collect = table.collect

    def stop(at: int) -> None:
        collect(at)
        if due(table.machine().tip):
            table.places[seat].alive = False

    table.collect = stop  # type: ignore[method-assign]


# Bodies


def test_every_fault_is_in_the_catalogue_or_shown_by_a_statement() -> None:
    """And every forgery names the section of SPEC that has its code."""
    assert {one.code for one in FORGERIES.values()} | BY_STATEMENT == set(FAULTS)
    text = (ROOT / "SPEC.md").read_text(encoding="utf-8")
    parts = re.split(r"^##+ (\d+(?:\.\d+)?) .*$", text, flags=re.MULTILINE)
    sections = dict(zip(parts[1::2], parts[2::2], strict=True))
    for name, one in FORGERIES.items():
        assert f"`{one.code}`" in sections[one.section], name


@pytest.mark.sampled(12)
@pytest.mark.parametrize("name", FORGERIES)
def test_a_forged_body_is_named_by_every_honest_seat(name: str) -> None:
    """Before the game begins the table ends; later the liar is banned and the others play on.

    Who has sent `deck.ok` waits for the others' ([D-3]), so that such a table does neither.
    """
    forgery = FORGERIES[name]
    seats = 6 if forgery.lost else 3
    table = toy_table(seats, choose=eager, cheaters={LIAR: forging(forgery, LIAR)})
    if forgery.lost:
        gone_before(table, 5, lambda node: node.want.kind is Kind.REVEAL)
    table.play(until=400)
    check_named(table, forgery.code)
    if table.machine().has_begun:
        for machine in table.machines(found(table)):
            assert machine.finished
            assert machine.tip.banned == {LIAR}
    elif forgery.kind is not Kind.DECK_OK:
        assert all(table.machine(seat).broken for seat in found(table))


def test_a_forged_share_given_for_an_absent_seat_is_named_and_t_others_suffice() -> None:
    spoil = patched(2, lambda batches: tuple(plus_one(batch) for batch in batches))
    lie = on_input(lambda node: LIAR in node.present and bool(helped(node)), spoil, passes=False)
    table = toy_table(6, choose=eager, cheaters={LIAR: lie})
    gone_before(table, 5, lambda node: node.want.kind is Kind.OPEN)
    table.play(until=400)
    check_named(table, "bad-share")
    assert all(machine.finished for machine in table.machines(found(table)))
    after = table.machine().tip
    assert after.banned == {LIAR}
    while after.parent is None or after.slots is None or not helped(after.parent):
        assert after.parent is not None
        after = after.parent
    node, bodies = after.parent, after.slots
    step = STEPS[node.want.kind]
    given = {
        seat: step.check(node, seat, body)
        for seat, body in enumerate(bodies)
        if isinstance(body, bytes)
    }
    lacking = {lack for lack in node.want.lacks if lack[1] == 5}
    assert lacking
    few = dict(list(given.items())[: table.table.quorum - 1])
    assert lacking <= set(step.apply(node, given).shares)
    assert not lacking & set(step.apply(node, few).shares)


# Statements


def play(table: MachineTable, code: str) -> MachineTable:
    """Play to the end, and check that somebody reports this fault of the liar."""
    table.play(until=300)
    assert any((LIAR, code) in faults for faults in found(table).values())
    return table


def test_two_inputs_in_one_step_are_a_fault() -> None:
    lie = twice(lambda node: node.want.kind is Kind.OPEN, fixed(b"\xc0\xc0"))
    table = play(toy_table(cheaters={LIAR: lie}), "equivocation")
    check_named(table, "equivocation")
    assert table.machine().finished


def test_who_is_accused_before_the_game_names_nobody_else_for_its_end() -> None:
    first, second = (on_input(lambda node: node.step == 3, fixed(body)) for body in (b"1", b"2"))

    def lie(machine: SeatMachine, statement: Statement) -> Statement:
        made = first(machine, statement)
        if made != statement:
            sign_too(machine, second(machine, statement))
        return made

    table = toy_table(3, cheaters={LIAR: lie})
    table.play(until=60)
    for seat in (0, 2):
        assert table.machine(seat).broken == Broken("equivocation", LIAR)


def test_speaking_where_nothing_is_asked_is_a_fault() -> None:
    def first_wins(machine: SeatMachine, asked: ChoiceAsked) -> object:
        return 3 if machine.seat == 0 and asked.kind == "bid" else toy_choice(machine, asked)

    table = toy_table(choose=first_wins)
    table.play(until=5)
    node = table.machine().tip
    while node.parent is not None and node.want.kind is not Kind.CHOOSE:
        node = node.parent
    assert node.want.speakers == {0}
    for seat in (0, 2, 3):
        table.tell(seat, table.sign(LIAR, StepInput(0, node.step, node.digest, b"\x01")))
    table.now += 2
    for seat in (0, 2, 3):
        table.machine(seat).tick(table.now)
        table.collect(seat)
    check_named(table, "not-expected")


def omit_own_inputs(machine: SeatMachine, promise: EpochPromise) -> Statement:
    """Leave the liar's own inputs out of a promise."""
    return EpochPromise(promise.epoch, promise.certificate, (), None, (), ())


def deny_the_certificate(machine: SeatMachine, vote: CommitVote) -> Statement:
    """Promise the next epoch without the certificate, and then vote for this one."""
    told = inspect(machine).store.of_epoch(EpochPromise, vote.epoch)
    inputs = next(m.statement.inputs for m in told if m.seat == LIAR)
    for more in (
        EpochRequest(vote.epoch + 1),
        EpochPromise(vote.epoch + 1, None, inputs, None, (), ()),
    ):
        sign_too(machine, more)
    return vote


def build_on_nothing(machine: SeatMachine, promise: EpochPromise) -> Statement:
    """Leave out of a promise what its own inputs build on."""
    store = inspect(machine).store
    own = sorted(h for h in promise.inputs if store.find(h).seat == LIAR)
    return EpochPromise(promise.epoch, promise.certificate, tuple(own), None, (), ())


def new_epoch_with_too_few(machine: SeatMachine, proposal: NewEpoch) -> Statement:
    """Leave out a promise."""
    return replace(proposal, promises=proposal.promises[:-1])


@pytest.mark.sampled(2)
@pytest.mark.parametrize(
    ("lie", "code", "seats"),
    [
        (changing(EpochPromise, omit_own_inputs), "promise-omits-input", 4),
        (changing(CommitVote, deny_the_certificate), "promise-below-certificate", 6),
        (changing(EpochPromise, build_on_nothing), "bad-promise", 6),
        (changing(NewEpoch, new_epoch_with_too_few), "bad-new-epoch", 6),
    ],
    ids=["promise-omits-input", "promise-below-certificate", "bad-promise", "bad-new-epoch"],
)
def test_a_lie_about_epochs_is_a_fault(lie: Lie, code: str, seats: int) -> None:
    """The last seat is gone after three steps, so that epochs change."""
    table = toy_table(seats, cheaters={LIAR: lie})
    gone_before(table, seats - 1, lambda node: node.step >= table.table.first_step + 3)
    play(table, code)
    if code == "bad-new-epoch":
        check_named(table, code)
    assert table.machine().finished or seats == 4


def test_two_inputs_on_two_chains_are_a_fault() -> None:
    """The liar gives an input behind its first version, after it gave the others a second one."""
    table = toy_table()
    table.play(until=5)
    inside = inspect(table.machine())
    deal = min(inside.path.values(), key=lambda node: node.step)
    other = table.sign(LIAR, StepInput(0, deal.step, deal.digest, b"\xc0"))

    def is_first(message: Message) -> bool:
        return (message.seat, message.statement.step) == (LIAR, deal.step)  # type: ignore[union-attr]

    inputs = inside.store.epoch_inputs(0, deal.step)
    assert list(fault_evidence.off_chain(Tree(deal, inputs, 0))) == []
    apart = Tree(deal, inputs, 0)
    swapped = [other if is_first(m) else m for m in inputs]
    apart.inputs = [(m, m.statement) for m in swapped if isinstance(m.statement, StepInput)]
    assert {seat for seat, _, _ in fault_evidence.off_chain(apart)} == {LIAR}


@pytest.mark.parametrize(
    ("seats", "quorum", "liars", "ends"),
    [(5, 4, 2, True), (4, 3, 2, True), (3, 3, 1, True), (5, 4, 1, False), (6, 4, 2, False)],
)
def test_a_table_ends_once_more_seats_are_at_fault_than_it_can_spare(
    seats: int, quorum: int, liars: int, ends: bool
) -> None:
    table = toy_table(seats, quorum=quorum)
    table.begin(*range(seats))
    honest, faulty = range(seats - liars), range(seats - liars, seats)
    step = table.machine().tip.step + 1
    for liar in faulty:
        for body in (b"one", b"two"):
            said = table.sign(liar, StepInput(0, step, bytes([7]) * 32, body))
            for seat in honest:
                table.tell(seat, said)
    for seat in honest:
        broken = Broken("equivocation", faulty[-1]) if ends else None
        assert table.machine(seat).broken == broken
        told = {one.seat for one in table.places[seat].of_kind(Guilty)}
        assert told == set(faulty) or not ends
