"""Each provable fault is named by every honest seat, with its code; nobody honest ever is."""

import re
from dataclasses import replace

import pytest
from support.forgeries.bodies import fixed
from support.forgeries.catalogue import FORGERIES
from support.forgeries.cheater import Lie, changing, forging, sign_too, twice
from support.inspection import inspect
from support.machine_table import MachineTable, toy_choice, toy_table
from support.named_faults import LIAR, check_named, eager, gone_before, reported

from protocol.chain.chain_state import Kind
from protocol.errors import FieldPlace
from protocol.fault_codes import FAULTS, Fault
from protocol.seat.effects import ChoiceAsked
from protocol.seat.seat_machine import SeatMachine
from protocol.wire.signed_messages import (
    CommitVote,
    EpochPromise,
    EpochRequest,
    NewEpoch,
    Statement,
    StepInput,
)
from tools.spec_tables import specification

pytestmark = pytest.mark.usefixtures("cheap")

BY_STATEMENT = {
    "equivocation",
    "two-chains",
    "promise-below-certificate",
    "promise-omits-input",
    "bad-promise",
    "bad-new-epoch",
    "not-expected",
}
"""The faults that no body shows."""


def test_every_fault_is_in_the_catalogue_or_shown_by_a_statement() -> None:
    """And every forgery names the section of SPEC that has its code."""
    assert {one.code for one in FORGERIES.values()} | BY_STATEMENT == set(FAULTS)
    parts = re.split(r"^##+ (\d+(?:\.\d+)?) .*$", specification(), flags=re.MULTILINE)
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
        for machine in table.machines(reported(table)):
            assert machine.finished
            assert machine.tip.banned == {LIAR}
    elif forgery.kind is not Kind.DECK_OK:
        assert all(table.machine(seat).broken for seat in reported(table))


def play(table: MachineTable, code: str) -> MachineTable:
    """Play to the end, and check that somebody reports this fault of the liar."""
    table.play(until=300)
    assert any((LIAR, code) in faults for faults in reported(table).values())
    return table


def test_two_inputs_in_one_step_are_a_fault() -> None:
    lie = twice(lambda node: node.want.kind is Kind.OPEN, fixed(b"\xc0\xc0"))
    table = play(toy_table(cheaters={LIAR: lie}), "equivocation")
    check_named(table, "equivocation")
    assert table.machine().finished


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


def test_a_fault_says_its_seat_from_one_its_step_and_the_meaning_of_its_code() -> None:
    fault = Fault("bad-share", 2, 17, place=FieldPlace("shares", 1))
    assert str(fault) == f"seat 3, step 17: bad-share: {FAULTS['bad-share']}"
    assert (fault.code, fault.seat, fault.step) == ("bad-share", 2, 17)
    assert (fault.reason, str(fault.place)) == (FAULTS["bad-share"], "shares[1]")
    assert Fault("bad-share", 2, 17, "wrong proof").reason == "wrong proof"
    with pytest.raises(KeyError):
        Fault("no-such-code", 0, 1)
