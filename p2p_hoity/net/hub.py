"""All links of one peer: opaque frames in and out, and events for links that come and go.

A failure of one link does not affect the others.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace

import trio

from protocol import Identity

from ..coded_errors import Reason, because
from .addresses import Address, Named, Scheme, parse_address, source_of
from .connection_slots import (
    Admission,
    AdmittedLink,
    HandshakeStage,
    UnprovenConnections,
    UnprovenStream,
)
from .dialler import PeerDialler, Secured, race
from .hole_punching import Puncher, Stay
from .link_limits import Buckets, Limits
from .network_errors import MisfitError, NetCode, NetError, NobodyError, RefusedError
from .peer_link import Link, LinkCode
from .relay_client import Tell, WaitingAtRelay, reach
from .secure_channel import (
    Listener,
    Purpose,
    Speech,
    Verdict,
    agreed,
    ask,
    credentials,
    fresh_instance,
    prove,
    secure_from,
    send,
)
from .transport import HEAD, Network, TcpNetwork, attend_all, cut, encode_frame


@dataclass(frozen=True)
class LinkUp:
    """A peer proved its 32-byte Ed25519 id on a new link; address is where it is reached.

    `binding` is the same at both ends of this link and at no other. `again`: it took the place of
    one with the same process of the peer.
    """

    peer: bytes
    address: str
    via_relay: bool
    binding: bytes = field(default=b"", compare=False, repr=False)
    again: bool = field(default=False, compare=False)


@dataclass(frozen=True)
class LinkDown:
    """The peer's only link is gone; frames posted on it may be lost."""

    peer: bytes
    reason: Reason


@dataclass(frozen=True)
class Frame:
    """One whole, non-empty frame from an authenticated peer."""

    peer: bytes
    data: bytes


@dataclass(frozen=True)
class LinkedElsewhere:
    """The peer lets us not in: it has a live link with another process of this very identity."""

    peer: bytes


Event = LinkUp | LinkDown | Frame | LinkedElsewhere


class Hub:
    """Links of one identity to its peers: at most one live link a peer, authenticated both ways.

    Everything but run, listen, listen_via, connect and flush returns at once and may be called
    before run has started. Times and sizes: see Limits.
    """

    events: trio.MemoryReceiveChannel[Event]
    """LinkUp, then Frames, then LinkDown, for each peer in turn. While nobody reads it, no link
    is read either; it ends when run ends."""

    def __init__(
        self,
        identity: Identity,
        *,
        limits: Limits | None = None,
        network: Network | None = None,
        speech: Speech | None = None,
    ) -> None:
        self._identity = identity
        self._limits = limits or Limits()
        self._speech = speech or Speech()
        self._network = network or TcpNetwork()
        self._credentials = credentials(identity.seed)
        self._listeners = [
            Listener(purpose, identity.public, self._credentials.digest, self._speech.versions)
            for purpose in (Purpose.LINK, Purpose.PUNCH)
        ]
        self._instance = fresh_instance()
        self._puncher = Puncher(
            identity,
            self._network,
            self._instance,
            self._limits,
            self._speech.versions,
            self.attend,
            self.link_over,
        )
        self._admission = Admission(identity.public, self._limits)
        self._unproven = UnprovenConnections(
            self._limits.unauthenticated, self._limits.unauthenticated_per_source
        )
        self._diallers: dict[bytes, PeerDialler] = {}
        self._dialling: dict[bytes, trio.Lock] = {}
        self._nursery: trio.Nursery | None = None
        self._waiting: dict[Address, WaitingAtRelay] = {}
        self._rests: dict[bytes, float] = {}
        self._bytes_read = Buckets(self._limits.bytes_read)
        self._link_ups = Buckets(self._limits.link_ups)
        self._report, self.events = trio.open_memory_channel[Event](self._limits.events)

    async def run(self, task_status: trio.TaskStatus[None] = trio.TASK_STATUS_IGNORED) -> None:
        """Carry all links until cancelled from outside; then all are closed. Run it once."""
        async with self._report, trio.open_nursery() as nursery:
            self._nursery = nursery
            for dialler in self._diallers.values():
                nursery.start_soon(dialler.run)
            nursery.start_soon(trio.sleep_forever)
            task_status.started()

    def _running(self) -> trio.Nursery:
        if self._nursery is None:
            raise RuntimeError("the hub must be running first")
        return self._nursery

    # Listening

    async def listen(self, host: str, port: int) -> list[str]:
        """Take links on host ('' for every address of this machine) and port (0 for a free one).

        Returns the 'host:port' it really listens on. NetError when it cannot.
        """
        nursery = self._running()
        listeners = await self._network.listen(host, port)
        for listener in listeners:
            nursery.start_soon(attend_all, listener, nursery, self.attend)
        return [str(listener.address) for listener in listeners]

    async def listen_via(
        self, relay: str, tell: Tell = lambda relay, why: None, waits: bool = True
    ) -> str:
        """Wait for calls at a relay ('host:port' or 'relay+host:port'), again whenever it is lost.

        Returns the address for others to dial, 'relay+host:port': at once, or, if this `waits`,
        when the relay lets us wait there; NetError if it does not for `Limits.waiting` seconds.
        `tell` hears of a relay that is lost, and found again.
        """
        nursery, parsed = self._running(), parse_address(relay)
        address = Address(parsed.host, parsed.port, Scheme.RELAY)
        if address not in self._waiting:
            self._waiting[address] = WaitingAtRelay(
                self._network, address, self._identity, self._instance, self._limits, tell
            )
            nursery.start_soon(self._waiting[address].run, nursery, self.attend)
        if waits:
            await self._waiting[address].registered()
        return str(address)

    def relays(self) -> frozenset[str]:
        """The relays at which calls can reach us just now."""
        return frozenset(str(a) for a, waiting in self._waiting.items() if waiting.is_registered)

    async def attend(self, raw: trio.abc.Stream, address: Address) -> None:
        """Bring one incoming connection from a newcomer to a link, or cut it."""
        source = source_of(address.host)
        if address.via_relay:
            source = str(address)
        stay, newcomer = None, UnprovenStream(raw, source)
        try:
            with self._unproven.counted(newcomer, self._limits.handshake):
                stay = await self._let_in(newcomer, address)
        except NetError:
            return  # a newcomer who proved nothing is not worth a word
        finally:
            if stay is None:
                await cut(raw)
        if stay is not None:
            await stay()

    async def _let_in(self, newcomer: UnprovenStream, address: Address) -> Stay | None:
        """What a newcomer stays for, if it may."""
        stream = await secure_from(newcomer, self._credentials)
        newcomer.reach(HandshakeStage.SECURED)
        proven, purpose = await ask(stream, self._listeners, self._instance)
        if purpose is Purpose.PUNCH:
            known = self._admission.get(proven.peer)
            return await self._puncher.let_in(stream, proven, address, known)
        try:
            proven = await agreed(stream, proven, self._speech)
        except MisfitError:
            await send(stream, Verdict.MISFIT.encode(), self._speech.hello())
            return None
        welcome = encode_frame(Verdict.WELCOME.encode()) + encode_frame(self._speech.hello())
        link = Link(stream, self._limits, welcome, True, self._is_caught_up)
        new = AdmittedLink(proven, link, address, proven.peer, newcomer.source)
        verdict = self._admission.judge(new)
        now = trio.current_time()
        if verdict is Verdict.WELCOME and not self._link_ups.take_if_any(proven.peer, now):
            verdict = Verdict.FULL
        if verdict is not Verdict.WELCOME:
            await send(stream, verdict.encode())
            return None
        old = self._admission.enter(new)
        return lambda: self._keep(new, old)

    # Dialling

    def dial(self, address: str, peer: bytes, named: Named = Named.BY_US) -> None:
        """Keep a link to a peer. This address is tried too, again and again until `forget`.

        Args:
            address: 'host:port' or 'relay+host:port'.
            peer: The id of the peer.
            named: By whom the address was named.

        Raises:
            AddressError: If the address cannot be read.
        """
        parsed = replace(parse_address(address), named=named)
        if peer not in self._diallers:
            dialler = self._diallers[peer] = PeerDialler(peer, self, self._limits)
            if self._nursery is not None:
                self._nursery.start_soon(dialler.run)
        self._diallers[peer].add(parsed)

    def forget(self, peer: bytes) -> None:
        """Dial a peer no more. A live link stays."""
        if peer in self._diallers:
            self._diallers.pop(peer).stop()

    def leave_alone(self, peer: bytes) -> None:
        """Do not dial a peer that is full for a while, as its verdict would ask ([L-65])."""
        if peer in self._diallers:
            self._diallers[peer].leave_alone()

    def trouble(self, peer: bytes) -> Reason | None:
        """Return why dialling a peer failed last. None after a success, or before any attempt."""
        return self._diallers[peer].trouble if peer in self._diallers else None

    async def connect(self, addresses: Sequence[str], peer: bytes, timeout: float) -> None:
        """Link to peer once, within timeout seconds; NetError names what failed on each way."""
        parsed = [parse_address(address) for address in addresses]
        with trio.move_on_after(timeout):
            await self.link(parsed, peer)
            return
        raise NetError(NetCode.NO_LINK, seconds=timeout, addresses=tuple(addresses))

    async def link(self, addresses: Sequence[Address], peer: bytes) -> None:
        """Link to peer once, or NetError; one attempt at a time for each peer."""
        async with self._dialling.setdefault(peer, trio.Lock()):
            if self.linked(peer):
                return
            await self.link_over(
                await race(lambda way: reach(self._network, way, peer), addresses, self._limits)
            )

    async def link_over(self, secured: Secured) -> None:
        """Make a link to a pinned listener over a fresh stream.

        The stream is cut if the listener has linked to us meanwhile.

        Raises:
            RefusedError: If the listener lets us not in.
            NetError: If there is no link for another reason.
        """
        is_kept, where = False, str(secured.address)
        try:
            with trio.fail_after(self._limits.handshake):
                me, speech = self._identity, self._speech
                shown = secured.listener, secured.certificate
                listener = Listener(Purpose.LINK, *shown, speech.versions)
                proven = await prove(secured.stream, listener, me, self._instance, speech)
            link = Link(secured.stream, self._limits, b"", True, self._is_caught_up)
            new = AdmittedLink(proven, link, secured.address, self.me)
            verdict = self._admission.judge(new)
            is_kept = verdict is Verdict.WELCOME
            if is_kept:
                self._running().start_soon(self._keep, new, self._admission.enter(new))
            elif verdict not in (Verdict.DUPLICATE, Verdict.ELSEWHERE):
                raise NetError(NetCode.NO_ROOM_HERE)
        except RefusedError as error:
            if not self.linked(secured.listener):
                told = error.elsewhere, error.full
                raise RefusedError(NetCode.AT, *told, address=where, why=error.reason) from error
        except NetError as error:
            if not self.linked(secured.listener):
                kind = NobodyError if error.is_final else NetError
                raise kind(NetCode.AT, address=where, why=error.reason) from error
        except trio.TooSlowError:
            late = because(NetCode.NOT_LET_IN)
            raise NetError(NetCode.AT, address=where, why=late) from None
        finally:
            if not is_kept:
                await cut(secured.stream)

    async def elsewhere(self, peer: bytes) -> None:
        """A peer that is dialled says that another process of ours is linked with it."""
        with suppress(trio.BrokenResourceError):  # the owner stopped reading events
            await self._report.send(LinkedElsewhere(peer))

    # Links

    def _is_caught_up(self) -> bool:
        """Whether our owner has taken all that was reported."""
        return not self.events.statistics().current_buffer_used

    async def _keep(self, new: AdmittedLink, replaced: AdmittedLink | None) -> None:
        """Carry one link from its LinkUp to its LinkDown, after those of the link it replaces."""

        async def opened() -> None:
            if replaced is not None:
                await replaced.finished.wait()
            again, via_relay = new.goes_on(replaced), new.address.via_relay
            up = LinkUp(new.peer, str(new.address), via_relay, new.proven.binding, again)
            await self._report.send(up)
            new.is_up.set()

        async def deliver(data: bytes) -> None:
            await self._rest(new.peer)
            await self._report.send(Frame(new.peer, data))

        def charge(amount: float) -> float:
            return self._bytes_read.take(self._sender(new), trio.current_time(), amount)

        if new.address.via_relay and new.dialled_by == self.me:
            self._running().start_soon(self._puncher.lead, new)
        reason = await new.link.run(opened, deliver, charge)
        await self._puncher.settled(new)
        if not self._admission.is_last(new):
            reason = because(LinkCode.REPLACED)
        if new.is_up.is_set():
            with suppress(trio.BrokenResourceError):  # the owner stopped reading events
                await self._report.send(LinkDown(new.peer, reason))
        elif replaced is not None:
            await replaced.finished.wait()
        self._rests.pop(new.peer, None)
        self._admission.leave(new)
        new.finished.set()

    def post(self, peer: bytes, data: bytes, once: bool = False) -> bool:
        """Queue one frame of 1 byte to Limits.frame for peer, to be sent in order.

        `once`: not if the same one, posted so, is under way on this link ([L-24]). False when
        there is no link, when the peer is so slow that its link is now closed, or when it has not
        named the feature that this kind of frame needs ([L-74]).
        """
        standing = self._admission.get(peer)
        if standing is None:
            return False
        feature = self._speech.feature_of(data[:HEAD])
        if feature is not None and feature not in standing.proven.features:
            return False
        return standing.link.post(data, once)

    async def flush(self, timeout: float) -> bool:
        """Wait until all that was posted is with the system; False after timeout seconds."""
        with trio.move_on_after(timeout):
            for peer in self.links():
                standing = self._admission.get(peer)
                if standing is not None:
                    await standing.link.drained()
            return True
        return False

    def drop(self, peer: bytes, reason: Reason) -> None:
        """Close the link to peer; LinkDown carries the reason. Who is dialled is dialled again."""
        standing = self._admission.get(peer)
        if standing is not None:
            standing.link.close(reason)

    def block(self, peer: bytes, reason: Reason) -> None:
        """Close the link to peer, dial it no more, and take none from it."""
        self.forget(peer)
        self._admission.block(peer)
        self.drop(peer, reason)

    def rest(self, peer: bytes, seconds: float) -> None:
        """Read nothing more from peer for so long; its link stays, and what it sends waits there.

        Frames of it that came in already are delivered.
        """
        self._rests[peer] = trio.current_time() + seconds

    async def _rest(self, peer: bytes) -> None:
        while trio.current_time() < self._rests.get(peer, 0.0):
            await trio.sleep_until(self._rests[peer])
        self._rests.pop(peer, None)

    def _sender(self, link: AdmittedLink) -> bytes | str:
        """Whose frames these are: a peer's of this table, or any stranger's of one machine."""
        own = self._admission.prefers(link.peer) or not link.source
        return link.peer if own else link.source

    def prefer(self, peers: Iterable[bytes]) -> None:
        """Keep room for these peers: when the hub is full, they take the place of others."""
        self._admission.prefer(peers)

    def keep(self, peers: Iterable[bytes]) -> None:
        """These make room for preferred peers only, and what is sent to them is in no hurry."""
        self._admission.keep(peers)

    def links(self) -> frozenset[bytes]:
        """The peers with a live link."""
        return self._admission.peers()

    def linked(self, peer: bytes) -> bool:
        """True while peer has a live link."""
        return self._admission.get(peer) is not None

    def source(self, peer: bytes) -> str:
        """Return the machine from which the live link to peer came; empty if it was dialled."""
        standing = self._admission.get(peer)
        return standing.source if standing else ""

    @property
    def me(self) -> bytes:
        """Our own id."""
        return self._identity.public

    def binding(self, peer: bytes) -> bytes | None:
        """What only the two ends of the live link to peer know of it; None without one."""
        standing = self._admission.get(peer)
        return standing.proven.binding if standing else None

    async def unlinked(self, peer: bytes) -> None:
        """Wait until peer has no link."""
        await self._admission.unlinked(peer)
