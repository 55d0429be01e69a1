"""The inside of a seat's machine, for tests: what it holds, copied, and a few ways to change it.

A test compares `inspect(machine)` before and after, or reads one field of it. Only this file knows
how the product arranges what a seat holds.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any

from protocol.chain.chain_state import Node, Secrets
from protocol.consensus import followed_chain as following
from protocol.consensus.epoch_votes import Votes
from protocol.consensus.followed_chain import Proof, View
from protocol.consensus.message_store import MessageStore
from protocol.consensus.new_epoch import Base
from protocol.crypto.identities import Identity
from protocol.seat import epoch_change, restored_backup, signer, step_progress
from protocol.seat.seat_machine import Machine
from protocol.seat.seat_state import Inquiry, PlayerChoice, State
from protocol.seat.timeouts import Clocks
from protocol.wire import peer_frames
from protocol.wire.signed_messages import Expired, Halt, Message, Statement
from protocol.wire.signed_notices import Leave


@dataclass(frozen=True)
class Inside:
    """What a machine held at the moment of the call; nothing here changes with it.

    `proofs` are the faults found, by seat; `wishes` the highest epoch that each seat requests;
    `departures` the number of each seat's last departure; `near` the seats that are heard over a
    link; `fresh` the messages that the rules have not looked at yet.
    """

    state: State
    epoch: int
    base: Node
    path: Mapping[bytes, Node]
    promise: int
    floor: int
    fruitless: int
    store: MessageStore
    wishes: Mapping[int, int]
    proofs: Mapping[int, Proof]
    links: frozenset[int]
    near: frozenset[int]
    departures: Mapping[int, int]
    inquiry: Inquiry | None
    fresh: tuple[Message, ...]
    clocks: Clocks
    have_all_left: bool
    has_run_out: bool
    has_start: bool
    bad_halts: tuple[bytes, ...]

    def hashes(self) -> set[bytes]:
        """Return the hashes of all messages held."""
        return {message.hash for message in self.store}

    def statements(self, seat: int) -> list[Statement]:
        """Return what one seat signed, in the order it came."""
        return [message.statement for message in self.store.by_seat(seat)]


def inspect(machine: Machine) -> Inside:
    """Return a copy of what a machine holds."""
    core, view = machine.core, machine.core.view
    held = core.leaves._held
    return Inside(
        state=core.state,
        epoch=view.epoch,
        base=view.base,
        path=MappingProxyType(dict(view.path)),
        promise=core.promise,
        floor=core.floor,
        fruitless=core.fruitless,
        store=_copied(core.store),
        wishes=MappingProxyType(core.votes.wishes()),
        proofs=dict(core.proofs),
        links=frozenset(core.links),
        near=frozenset(core.near),
        departures=MappingProxyType({seat: core.leaves.number(seat) for seat in held}),
        inquiry=None if core.inquiry is None else replace(core.inquiry),
        fresh=tuple(core.fresh),
        clocks=replace(core.clocks, granted=dict(core.clocks.granted)),
        have_all_left=core.all_left(),
        has_run_out=core.ran_out(),
        has_start=core.votes.start is not None,
        bad_halts=tuple(core.votes.bad),
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


def has_said(machine: Machine, step: int) -> bool:
    """Return whether the machine has spoken in a step of its epoch."""
    return machine.core.has_said(step)


def has_signed(machine: Machine, kind: type[Any], epoch: int) -> bool:
    """Return whether the machine has signed a statement of this kind for an epoch."""
    return machine.core.has_signed(kind, epoch)


# Live parts, for what looks at every event of a simulated game


def view_of(machine: Machine) -> View:
    """Return the chain that the machine follows, as it is."""
    return machine.core.view


def store_of(machine: Machine) -> MessageStore:
    """Return the messages that the machine holds, as they are."""
    return machine.core.store


def promise_of(machine: Machine) -> int:
    """Return the highest epoch that the machine has promised."""
    return machine.core.promise


def floor_of(machine: Machine) -> int:
    """Return the epoch from which on the machine signs again."""
    return machine.core.floor


def is_asking(machine: Machine) -> bool:
    """Return whether the machine asks others for its own statements."""
    return machine.core.inquiry is not None


def is_hurried(machine: Machine, place: Expired) -> bool:
    """Return whether the machine reports this place as timed out before its clock says so.

    What it signed before a crash, and sends again, is no report of its own.
    """
    core = machine.core
    here = (core.view.epoch, core.tip.step, core.tip.digest)
    is_here = (place.epoch, place.step, place.on) == here
    is_own = core.expired.get(place.epoch) == place
    return is_here and is_own and not core.clocks.is_out(core.tip)


def secrets_of(machine: Machine) -> Secrets:
    """Return the secrets of the machine's seat."""
    return machine.core.secrets


def votes_of(machine: Machine) -> Votes:
    """Return the machine's own record of requests, promises and votes."""
    return machine.core.votes


# Rules of the machine, called by themselves.


def chosen_says(machine: Machine) -> dict[int, Message]:
    """Return the inputs that the machine follows in its first incomplete step, by seat."""
    return following.chosen_says(machine.core.store, machine.core.view)


def is_effective(machine: Machine, proof: Proof) -> bool:
    """Return whether a proof turns the machine's epoch."""
    return following.is_effective(proof, machine.core.view)


def has_proof(machine: Machine) -> bool:
    """Return whether the machine holds a proof that turns its epoch."""
    return epoch_change.has_proof(machine.core)


def own_halt(machine: Machine, epoch: int) -> Halt:
    """Return the promise that the machine would sign for an epoch."""
    return epoch_change.own_halt(machine.core, epoch)


def has_waited_for_halts(machine: Machine, epoch: int, count: int) -> bool:
    """Return whether the machine, as proposer, waits no longer when it has so many promises."""
    return epoch_change._waited_for_halts(machine.core, epoch, count)


def next_floor(machine: Machine) -> int:
    """Return the epoch below which the machine would sign nothing if it went on now."""
    return restored_backup.floor(machine.core)


def sign(machine: Machine, statement: Statement) -> bool:
    """Let the machine sign a statement; return whether it did."""
    return signer.sign(machine.core, statement)


def hold(machine: Machine, message: Message) -> None:
    """Let the machine take a message in as one that was checked."""
    signer.hold(machine.core, message)


def bind(machine: Machine, statement: Statement) -> None:
    """Let the machine note what it has signed."""
    signer._bind(machine.core, statement)


def enter(machine: Machine, epoch: int, base: Node) -> bool:
    """Let the machine enter an epoch as if its votes had opened it; return whether it did."""
    machine.core.votes.highest_open = lambda least: (epoch, Base(base, ()))  # type: ignore[method-assign]
    entered = step_progress.enter(machine.core)
    machine.core.clocks.mark(machine.core.view)
    return entered


# Changes of what a machine holds.


def alter(machine: Machine, **values: Any) -> None:
    """Set fields of a machine: `promise`, `floor`, `inquiry`, `spared`, `epoch`, `base`, `tip`,
    `now`, `proposing`, `wants`, `wanted_closes`, `polynomial`.
    """
    core = machine.core
    places = {
        **dict.fromkeys(("promise", "floor", "inquiry", "spared"), core),
        **dict.fromkeys(("epoch", "base", "tip"), core.view),
        **dict.fromkeys(("now", "proposing"), core.clocks),
        **dict.fromkeys(("wants", "wanted_closes"), core.store),
        "polynomial": core.own_secrets,
    }
    for name, value in values.items():
        setattr(places[name], name, value)


def keep(machine: Machine, *messages: Message) -> None:
    """Put messages into the machine's store, as if it had checked them."""
    for message in messages:
        machine.core.store.add(message)


def want(machine: Machine, hashes: Iterable[bytes]) -> None:
    """Let the machine lack messages of these hashes."""
    machine.core.store.wants |= set(hashes)


def wish(machine: Machine, epochs: Mapping[int, int]) -> None:
    """Let the machine know that seats request these epochs."""
    machine.core.store.wishes.update(epochs)


def keep_departure(machine: Machine, word: Leave, now: float) -> None:
    """Let the machine hold a departure."""
    machine.core.leaves.keep(word, now)


def raise_promise(machine: Machine, epoch: int) -> None:
    """Let the machine promise an epoch without signing so."""
    machine.core.raise_promise(epoch)


def forget_end(machine: Machine, seat: int) -> None:
    """Let the machine not know that a seat's end is final."""
    machine.core.ends.over.pop(seat)


def identity_of(machine: Machine) -> Identity:
    """Return the key of the machine's seat."""
    assert machine.core.who is not None
    return machine.core.who


def send_to_all(machine: Machine, message: Message) -> None:
    """Let the machine send a message that it does not hold itself."""
    machine.core.send(peer_frames.Carry(message.encode()), None)


def player_choices(machine: Machine) -> dict[tuple[int, str], PlayerChoice]:
    """Return the machine's own record of what its player chose."""
    return machine.core.player_choices
