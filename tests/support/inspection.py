"""The state of a seat's machine, for tests: copies of it, and a few ways to change it.

A test compares `inspect(machine)` before and after, or reads one field of it. Only this file knows
how the product arranges the state of a seat.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any

from protocol.chain.chain_state import Node, Secrets
from protocol.consensus import fault_evidence
from protocol.consensus import followed_chain as following
from protocol.consensus.epoch_votes import Votes
from protocol.consensus.fault_evidence import Proof
from protocol.consensus.followed_chain import FollowedChain
from protocol.consensus.message_store import MessageStore
from protocol.consensus.new_epoch import Base
from protocol.crypto.identities import Identity
from protocol.seat import epoch_change, resumed_seat, step_progress
from protocol.seat.effects import VOID_TABLE, Broken
from protocol.seat.fault_judge import FaultJudge
from protocol.seat.message_log import MessageLog
from protocol.seat.peers import Peers
from protocol.seat.resume_inquiry import Inquiry
from protocol.seat.seat_machine import SeatMachine
from protocol.seat.signer import PlayerChoice, Signer, SigningState
from protocol.seat.timeouts import Timers
from protocol.wire.signed_messages import EpochPromise, Message, Statement, StepTimeout
from protocol.wire.signed_notices import Departure


@dataclass(frozen=True)
class Inside:
    """A copy of the state of a machine at the moment of the call.

    Some of its attributes are:

    Attributes:
        requests: The highest epoch that each seat requests.
        proofs: The faults that were found, by seat.
        direct: The seats with a direct link that has carried a frame.
        departures: The number of each seat's last departure.
        fresh: The messages that the rules have not looked at yet.
    """

    state: SigningState
    epoch: int
    base: Node
    path: Mapping[bytes, Node]
    promise: int
    floor: int
    failed_epochs: int
    store: MessageStore
    requests: Mapping[int, int]
    proofs: Mapping[int, Proof]
    links: frozenset[int]
    direct: frozenset[int]
    departures: Mapping[int, int]
    inquiry: Inquiry | None
    fresh: tuple[Message, ...]
    clocks: Timers
    have_all_left: bool
    has_run_out: bool
    has_start: bool
    bad_promises: tuple[bytes, ...]

    def hashes(self) -> set[bytes]:
        """Return the hashes of all stored messages."""
        return {message.hash for message in self.store}

    def statements(self, seat: int) -> list[Statement]:
        """Return what one seat signed, in the order it came."""
        return [message.statement for message in self.store.by_seat(seat)]


def inspect(machine: SeatMachine) -> Inside:
    """Return a copy of the state of a machine."""
    signer, peers, timers, view = (
        machine.signer,
        machine.peers,
        machine.timers,
        machine.log.followed,
    )
    return Inside(
        state=signer.state,
        epoch=view.epoch,
        base=view.base,
        path=MappingProxyType(dict(view.path)),
        promise=signer.promise,
        floor=signer.floor,
        failed_epochs=timers.failed_epochs(signer.promise),
        store=_copied(machine.log.store),
        requests=MappingProxyType(machine.log.votes.requests()),
        proofs=dict(machine.judge.proofs),
        links=frozenset(peers.links),
        direct=frozenset(peers.direct),
        departures=MappingProxyType(peers.departures.numbers()),
        inquiry=None if signer.inquiry is None else replace(signer.inquiry),
        fresh=tuple(machine.log.fresh),
        clocks=replace(timers, granted=dict(timers.granted)),
        have_all_left=peers.all_left(),
        has_run_out=signer.ran_out(),
        has_start=machine.has_begun,
        bad_promises=tuple(machine.log.votes.bad),
    )


def _copied(store: MessageStore) -> MessageStore:
    """Return a store with the same messages, whose shelves are its own."""
    copy = MessageStore()
    for name, value in vars(store).items():
        if isinstance(value, dict):
            value = {k: list(v) if isinstance(v, list) else v for k, v in value.items()}
        elif isinstance(value, (list, set)):
            value = type(value)(value)
        setattr(copy, name, value)
    return copy


def has_left(machine: SeatMachine) -> bool:
    """Return whether the machine has signed a departure and signs nothing more."""
    return machine.signer.has_left


def seats_given_up(machine: SeatMachine) -> frozenset[int]:
    """Return the seats that have left setup or given up by a departure that the machine stores."""
    return frozenset(machine.peers.departures.given_up)


def leaving_since(machine: SeatMachine) -> float | None:
    """Return when the machine began to leave setup, by its own clock."""
    return machine.deck_wait.leaving_since


def has_input(machine: SeatMachine, step: int) -> bool:
    """Return whether the machine has spoken in a step of its epoch."""
    return machine.log.has_input(machine.seat, step)


def has_signed(machine: SeatMachine, kind: type[Any], epoch: int) -> bool:
    """Return whether the machine has signed a statement of this kind for an epoch."""
    return machine.log.has_signed(machine.seat, kind, epoch)


# Live parts, for checks at every event of a simulated game


def view_of(machine: SeatMachine) -> FollowedChain:
    """Return the chain that the machine follows, as it is."""
    return machine.log.followed


def store_of(machine: SeatMachine) -> MessageStore:
    """Return the message store of the machine itself."""
    return machine.log.store


def promise_of(machine: SeatMachine) -> int:
    """Return the highest epoch that the machine has promised."""
    return machine.signer.promise


def floor_of(machine: SeatMachine) -> int:
    """Return the epoch from which on the machine signs again."""
    return machine.signer.floor


def is_asking(machine: SeatMachine) -> bool:
    """Return whether the machine asks others for its own statements."""
    return machine.signer.inquiry is not None


def is_hurried(machine: SeatMachine, place: StepTimeout) -> bool:
    """Return whether the machine reports this place as timed out before its clock says so.

    A promise that it signed before a crash and sends again does not count.
    """
    tip = machine.tip
    is_here = (place.epoch, place.step, place.on) == (
        machine.log.followed.epoch,
        tip.step,
        tip.digest,
    )
    is_own = machine.signer.timeout_claims.get(place.epoch) == place
    return is_here and is_own and not machine.timers.is_out(tip)


def secrets_of(machine: SeatMachine) -> Secrets:
    """Return the secrets of the machine's seat."""
    return machine.signer.secrets


def log_of(machine: SeatMachine) -> MessageLog:
    """Return the message log of the machine itself, for tests of that part."""
    return machine.log


def peers_of(machine: SeatMachine) -> Peers:
    """Return the peers as the machine itself knows them, for tests of that part."""
    return machine.peers


def judge_of(machine: SeatMachine) -> FaultJudge:
    """Return the fault judge of the machine itself, for tests of that part."""
    return machine.judge


def votes_of(machine: SeatMachine) -> Votes:
    """Return the machine's own record of requests, promises and votes."""
    return machine.log.votes


# Rules of the machine, called by themselves.


def chosen_inputs(machine: SeatMachine) -> dict[int, Message]:
    """Return the inputs that the machine follows in its first incomplete step, by seat."""
    return following.chosen_inputs(machine.log.store, machine.log.followed)


def is_effective(machine: SeatMachine, proof: Proof) -> bool:
    """Return whether a proof makes the machine change its epoch."""
    return fault_evidence.is_effective(proof, machine.log.followed)


def has_proof(machine: SeatMachine) -> bool:
    """Return whether the machine stores a proof that makes it change its epoch."""
    return machine.judge.has_proof()


def own_promise(machine: SeatMachine, epoch: int) -> EpochPromise:
    """Return the promise that the machine would sign for an epoch."""
    return epoch_change.own_promise(machine, epoch)


def has_waited_for_promises(machine: SeatMachine, epoch: int, count: int) -> bool:
    """Return whether the machine, as proposer, waits no longer when it has so many promises."""
    return not epoch_change.waits_for_promises(machine, epoch, count)


def next_floor(machine: SeatMachine) -> int:
    """Return the epoch below which the machine would sign nothing if it went on now."""
    return resumed_seat.floor(machine)


def sign(machine: SeatMachine, statement: Statement) -> bool:
    """Let the machine sign a statement; return whether it did."""
    return machine.signer.sign(statement)


def replace_signing(machine: SeatMachine, sign: Callable[[Statement, Any], bool]) -> None:
    """Let the rules of the machine sign by this function. It gets what the signer's own gets."""
    machine.signer.sign = sign  # type: ignore[method-assign, assignment]


def sign_as_ever(machine: SeatMachine, statement: Statement, note: Any) -> bool:
    """Let the machine sign as it does unless its signing was replaced."""
    return Signer.sign(machine.signer, statement, note)


def store(machine: SeatMachine, message: Message) -> None:
    """Let the machine store a message as one that was checked."""
    machine.signer.store(message)


def bind(machine: SeatMachine, statement: Statement) -> None:
    """Let the machine note what it has signed."""
    machine.signer._bind(statement)


def enter(machine: SeatMachine, epoch: int, base: Node) -> bool:
    """Let the machine enter an epoch as if its votes had opened it; return whether it did."""
    machine.log.votes.highest_committed = lambda least: (epoch, Base(base, ()))  # type: ignore[method-assign]
    entered = step_progress.enter(machine)
    machine.timers.mark(machine.log.followed)
    return entered


# Changes of the state of a machine.


def alter(machine: SeatMachine, **values: Any) -> None:
    """Set fields of a machine: `seat`, `promise`, `floor`, `inquiry`, `hears`, `epoch`, `base`,
    `tip`, `now`, `proposing`, `wants`, `wanted_new_epochs`, `polynomial`, `has_left`, `gave_up`,
    `job`, `void`.
    """
    places = {
        "seat": machine,
        **dict.fromkeys(("promise", "floor", "inquiry", "has_left"), machine.signer),
        "gave_up": machine.deck_wait,
        "job": machine.outbox,
        "void": machine.log.votes,
        "hears": machine.peers,
        **dict.fromkeys(("epoch", "base", "tip"), machine.log.followed),
        **dict.fromkeys(("now", "proposing"), machine.timers),
        **dict.fromkeys(("wants", "wanted_new_epochs"), machine.log.store),
        "polynomial": machine.signer.own_secrets,
    }
    for name, value in values.items():
        setattr(places[name], name, value)


def keep(machine: SeatMachine, *messages: Message) -> None:
    """Put messages into the machine's store, as if it had checked them."""
    for message in messages:
        machine.log.store.add(message)


def want(machine: SeatMachine, hashes: Iterable[bytes]) -> None:
    """Let the machine lack messages of these hashes."""
    machine.log.store.wants |= set(hashes)


def request(machine: SeatMachine, epochs: Mapping[int, int]) -> None:
    """Let the machine know that seats request these epochs."""
    machine.log.store.requests.update(epochs)


def keep_departure(machine: SeatMachine, word: Departure, now: float) -> None:
    """Let the machine store a departure."""
    machine.peers.departures.keep(word, now)


def raise_promise(machine: SeatMachine, epoch: int) -> None:
    """Let the machine promise an epoch without signing so."""
    machine.signer.raise_promise(epoch)


def find_void(machine: SeatMachine) -> None:
    """Let the machine find that the table is void."""
    machine.judge.end(Broken(VOID_TABLE))


def forget_end(machine: SeatMachine, seat: int) -> None:
    """Let the machine not know that a seat's end is final."""
    machine.judge.ends.pop(seat)


def identity_of(machine: SeatMachine) -> Identity:
    """Return the key of the machine's seat."""
    assert machine.signer.who is not None
    return machine.signer.who


def send_to_all(machine: SeatMachine, message: Message) -> None:
    """Let the machine send a message that it does not store itself."""
    machine.outbox.send(message)


def player_choices(machine: SeatMachine) -> dict[tuple[int, str], PlayerChoice]:
    """Return the machine's own record of what its player chose."""
    return machine.signer.player_choices
