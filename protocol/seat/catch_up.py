"""The exchange of missing messages between peers, and the passing on of new ones.

If each seat passed on every message to all others, then at a table of six everybody would receive
each message five times. So a program names in every `sync` frame the seats that it hears directly,
and peers do not pass on the inputs and epoch promises of these seats to it. A lost message is asked
for within a second ([L-6]). So nothing depends on passing on ([L-66]). The peer None stands for all
peers, or for an unknown sender.

SPEC: [M-7], [L-6], [L-66].
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Set
from typing import Final

from ..chain.chain_state import SETUP, Kind, Node
from ..consensus import fault_evidence
from ..consensus.followed_chain import confirms_deck, first_on
from ..consensus.message_store import MessageStore
from ..units import PeerId, Quota
from ..wire import peer_frames
from ..wire.signed_messages import EpochPromise, Message, NewEpoch, StepInput
from .peers import MAX_FETCH, MAX_NEW_EPOCHS
from .resume_inquiry import FIRST
from .seat_state import SeatState
from .stay_after_end import awaited_ends

MAX_HAVE: Final[Quota] = 4000
"""The most message hashes that one `sync` frame names."""
MAX_ANSWER: Final[Quota] = 1 << 20
"""The most bytes of one answer. The send queue of a link always has room for them.

The rest is asked for again ([L-30]).
"""
OVERHEAD = 128
"""The bytes that the signature and the frame of a message add to its payload, at most."""

# Requests


def sync(state: SeatState, peer: PeerId | None) -> None:
    """Ask for missing messages by telling the own epoch, the step, and what is stored ([L-6])."""
    # A change of epoch may still replace every step after the final one.
    epoch, first = state.log.followed.epoch, min(state.final_step(), state.tip.step)
    have = [m.hash[: peer_frames.SHORT] for m in state.log.store.since(epoch, first)]
    direct = tuple(sorted(state.peers.direct))
    # What is cut off is only sent again. Peers would drop a frame with more hashes than allowed.
    state.outbox.send(peer_frames.Sync(epoch, first, tuple(have[:MAX_HAVE]), direct), peer)


def ask_again(state: SeatState) -> None:
    """Ask all peers again for missing messages, about once a second."""
    fetch = state.peers.next_fetch()
    if fetch is not None:
        state.outbox.send(fetch)
    ask_own(state, state.peers.links)
    # Told after the end, too: the peers would go on leaving out what came over the lost link.
    has_lost = state.peers.tell_direct()
    if has_lost or not state.finished or awaited_ends(state):
        sync(state, None)
        # Here, once a second, and not for each message: it reads all inputs of the epoch.
        store, followed = state.log.store, state.log.followed
        if state.has_begun:
            for proof in fault_evidence.find_two_chains(store, followed):
                state.judge.convict(proof)


def ask_own(state: SeatState, seats: Set[int]) -> None:
    """Ask linked seats for the messages that this seat has signed, after a resume ([L-6]).

    A seat that has answered completely is not asked again. One that has answered in part goes on
    after the last hash that it sent.
    """
    inquiry = state.signer.inquiry
    if inquiry is not None:
        for seat in sorted(seats - inquiry.told):
            frame = peer_frames.Own(inquiry.cursors.get(seat, FIRST))
            state.outbox.send(frame, state.table.ids[seat])


# Answers


def answer(state: SeatState, frame: peer_frames.FrameBody, peer: PeerId | None) -> None:
    """Answer a request of a peer with messages and notices that this seat stores ([L-6])."""
    match frame:
        case peer_frames.Fetch(hashes, new_epochs):
            _carry_part(state, _fetched(state.log.store, hashes, new_epochs), peer, MAX_ANSWER)
        case peer_frames.Sync(epoch, step, have, direct):
            lacking = _lacking(state, epoch, step, set(have), set(direct))
            _carry_part(state, lacking, peer, MAX_ANSWER)
            _tell_notices(state, peer)
        case peer_frames.Own(after):
            _answer_own(state, after, peer)


def _tell_notices(state: SeatState, peer: PeerId | None) -> None:
    """Send the notices of seats that are away, back or at their end to a peer ([L-23], [E-29])."""
    departures = state.peers.departures
    # `away` never has the own seat, but a peer may not have received its departure yet.
    own = departures.last(state.seat) if state.signer.has_left and state.seat is not None else None
    # To a game that has begun, the words by which seats leave its setup mean nothing.
    waits = state.tip.want.kind in SETUP or state.deck_wait.gave_up
    given_up = departures.given_up.values() if waits else ()
    words = (*state.peers.away(), *departures.returns(), *([own] if own else []), *given_up)
    # A departure at `deck.ok` may be both in `away` and in `given_up`. It is sent once.
    for word in dict.fromkeys(words):
        state.outbox.send(word, peer)
    ends = [state.judge.ends[seat] for seat in sorted(state.judge.ends)]
    for notice in state.judge.all_setup_ends() if waits else ends:
        state.outbox.send(notice, peer)


def _carry_part(
    state: SeatState, messages: Iterable[Message], peer: PeerId | None, room: int
) -> list[Message]:
    """Send the first messages that fit into `room` bytes, and return them ([L-30])."""
    sent = []
    for message in messages:
        room -= _size(message)
        # No shorter one is sent instead: the next request goes on after the last hash sent, and
        # would pass over this one.
        if room < 0:
            break
        state.outbox.send(message, peer)
        sent.append(message)
    return sent


def _size(message: Message) -> int:
    """Return how many bytes a message counts in an answer."""
    return len(message.payload) + OVERHEAD


def _fetched(
    store: MessageStore, hashes: tuple[bytes, ...], new_epochs: tuple[int, ...]
) -> Iterator[Message]:
    """Yield the stored messages that a `fetch` request names.

    Each new-epoch message comes after its epoch promises.
    """
    # A faulty peer could else order thousands of look-ups and messages by one frame.
    wanted = list(hashes[:MAX_FETCH])
    for epoch in new_epochs[:MAX_NEW_EPOCHS]:
        for message in store.of_epoch(NewEpoch, epoch):
            promises = message.statement.promises if isinstance(message.statement, NewEpoch) else ()
            # Without its promises the peer could not compute the base, and would have to ask again.
            wanted += [*promises, message.hash]
    for digest in wanted:
        found = store.find(digest)
        if found is not None:
            yield found


def _lacking(
    state: SeatState, epoch: int, step: int, have: set[bytes], direct: set[int]
) -> list[Message]:
    """Return the stored messages that a peer may lack, in the order in which they are sent.

    Other seats' inputs off the followed chain are left out, because most of them are never needed.
    So are the epoch promises of the seats in `direct`, which are on their way to the peer. A peer
    that needs such a message asks for it by its hash.

    Args:
        have: The first 16 bytes of the hash of each message that the peer stores.
    """
    # The far messages count as epoch requests, and are not passed on when they come ([M-14]).
    stored = (*state.log.store.since(epoch, step), *state.log.votes.far.values())
    found = [m for m in stored if m.hash[: peer_frames.SHORT] not in have]
    on_chain = fault_evidence.ancestry(state.tip)
    return sorted((m for m in found if _is_offered(state, m, on_chain, direct)), key=_rank)


def _is_offered(
    state: SeatState, message: Message, on_chain: Mapping[bytes, Node], direct: set[int]
) -> bool:
    """Return whether to send a stored message to a peer that asks by `sync`."""
    step_input = message.statement
    # Others may be waiting for it, and this seat alone surely stores it.
    if message.seat == state.seat:
        return True
    if isinstance(step_input, EpochPromise):
        return message.seat not in direct and is_called_for(state, step_input)
    if not isinstance(step_input, StepInput):
        return True
    return step_input.on in on_chain and is_of_use(state, message, on_chain[step_input.on])


def _rank(message: Message) -> tuple[bool, int, int]:
    """Return the sort key: messages of epoch changes first, then the inputs by epoch and step."""
    step_input = message.statement
    step = step_input.step if isinstance(step_input, StepInput) else 0
    # A peer does not store inputs that are too far ahead of its epoch and step ([M-11]). So what
    # takes it there goes first.
    return isinstance(step_input, StepInput), MessageStore.epoch_of(message), step


def _answer_own(state: SeatState, after: bytes, peer: PeerId | None) -> None:
    """Answer an `own` frame: send a peer the messages that the peer itself has signed ([L-6]).

    Messages with a hash above `after` are sent by rising hash. Then `Told` names the last hash, and
    says whether more remain. The first answer begins with each seat's epoch request, promise or
    vote for the highest epoch. A peer without a seat gets only `Told`.
    """
    seat, store = state.peers.seat_of(peer), state.log.store
    if seat is None:
        state.outbox.send(peer_frames.Told(after), peer)
        return
    room = MAX_ANSWER
    # From the requested epochs that it knows, the peer computes its floor ([E-22]).
    if after == FIRST:
        requests = (*store.highest_requests(), *state.log.votes.far.values())
        # Half at most: an answer without an own message would not move the peer's cursor, and the
        # next one would be the same.
        sent = _carry_part(state, sorted(requests, key=_size), peer, room // 2)
        room -= sum(map(_size, sent))
    # Above, not from `after` on: the peer has that one, and its cursor would never rise.
    own = sorted((m for m in store.by_seat(seat) if m.hash > after), key=lambda m: m.hash)
    told = _carry_part(state, own, peer, room)
    has_more = len(told) < len(own)
    state.outbox.send(peer_frames.Told(told[-1].hash if told else after, has_more), peer)


# Passing on


def is_of_use(state: SeatState, message: Message, node: Node) -> bool:
    """Return whether other seats may need an input on a node, so that it is passed on ([M-9]).

    The first input of a seat that owes one is always needed, as is its legal input to `deck.ok`,
    and its first one to the first `deal`. Any other is not needed if its signer is banned, or if a
    stored proof against its signer does not contain it.
    """
    seat, step_input = message.seat, message.statement
    if confirms_deck(node, message) or first_on(state.log.store, node, message):
        return True
    if (
        isinstance(step_input, StepInput)
        and step_input.step == node.step
        and seat in node.want.speakers
    ):
        versions = state.log.store.versions(message.identity)
        # The first one only: a faulty seat could else have two inputs to every step passed on.
        if versions and versions[0].hash == message.hash:
            return True
    # Of a faulty seat only the proof goes round: it could else fill slow links with its inputs.
    proof = state.judge.proofs.get(seat)
    return seat not in state.tip.banned and (proof is None or message.hash in proof.hashes)


def is_called_for(state: SeatState, promise: EpochPromise) -> bool:
    """Return whether an epoch promise may be passed on ([M-10]).

    A quorum of seats must request its epoch, and it must not be longer than an honest promise.
    """
    votes = state.log.votes
    return promise.epoch <= votes.quorum_request() and not votes.is_too_long(promise)


def pass_on(state: SeatState, message: Message, peer: PeerId | None) -> None:
    """Pass on a message that was just stored, or defer an input that comes too early.

    An input is passed on once the followed chain has reached its step. Before that nobody can judge
    it, and a faulty seat could fill the links of other seats with such inputs.

    Args:
        peer: The sender, which does not get the message back. None if no peer sent it.

    SPEC: [M-7], [M-9], [M-10].
    """
    statement, followed, at = message.statement, state.log.followed, None
    goes_round = not isinstance(statement, EpochPromise) or is_called_for(state, statement)
    if isinstance(statement, StepInput):
        at = followed.path.get(statement.on) if statement.epoch == followed.epoch else None
        # An input that names a node of another step builds on nothing, so no chain needs it.
        goes_round = at is not None and at.step == statement.step and is_of_use(state, message, at)
    if goes_round:
        # The sender has the message. Inputs and promises, which may be long, are not sent to peers
        # that hear their author directly. A promise that a faulty author keeps from them is asked
        # for by its hash, once a new-epoch message names it. Votes are sent to all: they are short.
        known = set() if peer is None else {peer}
        if isinstance(statement, StepInput | EpochPromise) and not _is_urgent(state, at):
            known |= {p for p, seats in state.peers.hears.items() if message.seat in seats}
        state.outbox.send(message, but=known)
    elif isinstance(statement, StepInput):
        state.peers.defer(message)


def _is_urgent(state: SeatState, node: Node | None) -> bool:
    """Return whether inputs to the step after `node` go to all, also to those who hear the signer.

    A faulty seat may show its input to `deck.ok` or `deal` to one seat alone. While seats leave,
    the others have to receive it at once, and not only a second later by `sync` ([D-12]).
    """
    kind = None if node is None else node.want.kind
    is_left = bool(state.peers.departures.given_up or state.judge.setup_ends)
    return kind is Kind.DECK_OK or (kind is Kind.DEAL and is_left)


def pass_deferred(state: SeatState) -> None:
    """Pass on the deferred inputs to the current step."""
    for message in state.peers.take_deferred():
        pass_on(state, message, None)
