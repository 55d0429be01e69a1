"""Each provable fault is named by every honest seat, with its code; nobody honest ever is."""

from dataclasses import replace

import pytest
from support.inspection import inspect
from support.liars.room import LIAR, PROVOKE, LiarRoom
from support.machine_table import toy_choice

from protocol.chain.state import Kind
from protocol.consensus import evidence
from protocol.consensus.tree import Tree
from protocol.wire import frames
from protocol.wire.faults import FAULTS
from protocol.wire.messages import Close, Halt, Late, Message, Say, SealVote

pytestmark = pytest.mark.usefixtures("cheap")

SETUP_CODES = {"bad-body", "bad-key", "bad-key-hash", "bad-key-proof", "bad-point"}
SETUP_CODES |= {"bad-backup", "false-complaint", "bad-shuffle"}
BY_STATEMENT = {"two-statements", "two-chains", "halt-below-lock", "halt-omits-say", "bad-halt"}
BY_STATEMENT |= {"bad-close", "not-expected"}


def test_every_code_of_the_table_of_faults_is_provoked() -> None:
    assert set(PROVOKE) | BY_STATEMENT == set(FAULTS)


def _named(room: LiarRoom, code: str) -> None:
    verdicts = room.verdicts()
    for seat, found in verdicts.items():
        assert {who for who, _ in found} <= {LIAR}, f"seat {seat} blames an honest seat"
        assert (LIAR, code) in found, f"seat {seat} found {found}"


@pytest.mark.parametrize("code", sorted(set(PROVOKE) & SETUP_CODES))
def test_a_fault_in_the_setup_ends_the_table_with_the_seat_named(code: str) -> None:
    room = LiarRoom(3)
    with room.forge_own_say(*PROVOKE[code]):
        room.play(until=15)
    assert room.lied == 1
    for seat, place in enumerate(room.places):
        broken = place.machine.broken
        if seat != LIAR and code != "bad-body":
            assert broken is not None
            assert (broken.seat, broken.code) == (LIAR, code)
    if code not in ("bad-backup",):
        _named(room, code)


def test_who_is_accused_before_the_game_names_nobody_else_for_its_end() -> None:
    room = LiarRoom(3)
    room.lie = lambda machine, message: (
        [room.sign(replace(message.statement, body=body)) for body in (b"one", b"two")]
        if isinstance(message.statement, Say) and message.statement.step == 3
        else [message]
    )
    room.play(until=60)
    for place in room.places:
        broken = place.machine.broken
        assert broken is not None
        assert (broken.seat, broken.code) == (LIAR, "two-statements")


@pytest.mark.parametrize(
    "code", ["bad-scalar", "bad-share", "bad-escrow", "bad-opening", "illegal-choice"]
)
def test_a_fault_in_play_bans_the_seat_and_the_game_goes_on(code: str) -> None:
    room = LiarRoom()
    room.choose = lambda m, asked: (
        (3 if m.seat == LIAR else 0) if asked.kind == "bid" else (toy_choice(m, asked))
    )
    room.forge(*PROVOKE[code])
    room.play(until=200)
    assert room.lied == 1
    _named(room, code)
    for seat, place in enumerate(room.places):
        if seat != LIAR:
            assert place.machine.finished
            assert place.machine.tip.banned == {LIAR}


def test_a_wrong_escrow_share_is_a_fault_and_the_choice_is_opened_without_it() -> None:
    room = LiarRoom(6)
    room.forge(*PROVOKE["bad-escrow-share"])
    collect = room.collect

    def vanish_after_sealing(seat: int) -> None:
        collect(seat)
        node = room.machine().tip
        if node.want.kind is Kind.REVEAL and room.places[5].alive:
            room.places[5].alive = False

    room.collect = vanish_after_sealing  # type: ignore[method-assign]
    forge = room.lie

    def only_with_escrows(machine, message):  # type: ignore[no-untyped-def]
        say = message.statement
        node = inspect(machine).path.get(say.on) if isinstance(say, Say) else None
        lost = node is not None and node.want.kind is Kind.REVEAL and node.lost
        return forge(machine, message) if lost else [message]

    room.lie = only_with_escrows
    room.play(until=300)
    assert room.lied == 1
    _named(room, "bad-escrow-share")
    for seat in (0, 2, 3, 4):
        assert room.machine(seat).tip.banned == {LIAR}
        assert room.machine(seat).finished


def _statements(room: LiarRoom, kind: type, change) -> None:  # type: ignore[no-untyped-def,type-arg]
    def lie(machine, message: Message) -> list[Message]:  # type: ignore[no-untyped-def]
        if isinstance(message.statement, kind) and not room.lied:
            more = change(machine, message.statement)
            if more is not None:
                room.lied += 1
                return [message, *map(room.sign, more)]
        return [message]

    room.lie = lie


def _vanish_late(room: LiarRoom, seat: int, step: int) -> None:
    collect = room.collect

    def stop(at: int) -> None:
        collect(at)
        if room.machine().tip.step >= step:
            room.places[seat].alive = False

    room.collect = stop  # type: ignore[method-assign]


def test_two_statements_of_one_identity_are_a_fault() -> None:
    room = LiarRoom()
    _statements(
        room,
        Say,
        lambda m, say: (
            [Say(say.epoch, say.step, say.on, b"\xc0\xc0")]
            if m.tip.want.kind is Kind.OPEN
            else None
        ),
    )
    room.play(until=100)
    _named(room, "two-statements")
    assert room.machine().finished


def test_speaking_where_nothing_is_asked_is_a_fault() -> None:
    room = LiarRoom()
    room.choose = lambda m, asked: (
        3 if m.seat == 0 and asked.kind == "bid" else toy_choice(m, asked)
    )
    room.play(until=5)
    node = room.machine().tip
    while node.parent is not None and node.want.kind is not Kind.CHOOSE:
        node = node.parent
    assert node.want.speakers == {0}
    for seat in (0, 2, 3):
        carried = frames.Carry(room.sign(Say(0, node.step, node.digest, b"\x01")).encode())
        room.machine(seat).receive(frames.encode_frame(carried), room.now, None)
        room.collect(seat)
    room.now += 2
    for seat in (0, 2, 3):
        room.machine(seat).tick(room.now)
        room.collect(seat)
    _named(room, "not-expected")


def _after_halt(room: LiarRoom) -> None:
    _vanish_late(room, room.table.seats - 1, room.table.first_step + 3)
    room.play(until=300)


def test_a_halt_that_leaves_out_an_own_say_is_a_fault() -> None:
    room = LiarRoom()
    room.lie = lambda machine, m: (
        [room.sign(Halt(m.statement.epoch, m.statement.lock, (), None, (), ()))]
        if isinstance(m.statement, Halt)
        else [m]
    )
    _after_halt(room)
    assert any((LIAR, "halt-omits-say") in found for found in room.verdicts().values())


def test_sealing_below_a_halt_whose_lock_is_lower_is_a_fault() -> None:
    room = LiarRoom(6)

    def deny_the_lock(machine, vote):  # type: ignore[no-untyped-def]
        told = inspect(machine).store.of_epoch(Halt, vote.epoch)
        says = next(m.statement.says for m in told if m.seat == LIAR)
        return [Late(vote.epoch + 1), Halt(vote.epoch + 1, None, says, None, (), ())]

    _statements(room, SealVote, deny_the_lock)
    _after_halt(room)
    assert any((LIAR, "halt-below-lock") in found for found in room.verdicts().values())
    assert room.machine().finished


def test_a_halt_of_a_bad_form_is_a_fault() -> None:
    room = LiarRoom(6)

    def builds_on_nothing(machine, message):  # type: ignore[no-untyped-def]
        halt = message.statement
        if not isinstance(halt, Halt) or not halt.says:
            return [message]
        own = sorted(h for h in halt.says if inspect(machine).store.message(h).seat == LIAR)
        return [room.sign(Halt(halt.epoch, halt.lock, tuple(own), None, (), ()))]

    room.lie = builds_on_nothing
    _after_halt(room)
    assert any((LIAR, "bad-halt") in found for found in room.verdicts().values())
    assert room.machine().finished


def test_a_close_with_too_few_halts_is_a_fault() -> None:
    room = LiarRoom(6)
    room.lie = lambda machine, m: (
        [room.sign(Close(m.statement.epoch, m.statement.halts[:-1]))]
        if isinstance(m.statement, Close)
        else [m]
    )
    _after_halt(room)
    _named(room, "bad-close")
    assert room.machine().finished


def test_two_says_that_lie_on_two_chains_are_a_fault() -> None:
    """The liar speaks after its own first version, having said a second to the others."""
    room = LiarRoom(4)
    room.play(until=5)
    machine = room.machine()
    nodes = sorted(inspect(machine).path.values(), key=lambda n: n.step)
    deal = nodes[0]
    says = inspect(machine).store.epoch_says(0, deal.step)
    other = room.sign(Say(0, deal.step, deal.digest, b"\xc0"))
    swapped = [m if (m.seat, m.statement.step) != (LIAR, deal.step) else other for m in says]
    real = [m for m in says if (m.seat, m.statement.step) == (LIAR, deal.step)]
    honest = [m for m in swapped if m is not other]
    tree = Tree(deal, [*honest, *real], 0)
    assert list(evidence.off_chain(tree)) == []
    apart = Tree(deal, [*honest, *real], 0)
    apart.says = [(m, m.statement) for m in swapped if isinstance(m.statement, Say)]
    assert {seat for seat, _, _ in evidence.off_chain(apart)} == {LIAR}
