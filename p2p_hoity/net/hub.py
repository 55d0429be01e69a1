"""The hub: all links of a peer, with frames in and out, and events for links that come and go.

The hub does not look into frames. A failure of one link does not affect the other links. An address
is 'host:port' or 'relay+host:port'. A NetError says why an address cannot be listened on or a peer
cannot be linked.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace

import trio

from protocol import Identity
from protocol.units import PeerId

from ..coded_errors import Reason, because
from .addresses import Address, Named, parse_address, relay_address, source_of
from .channel import accept_channel, exchange_secret
from .connection_slots import (
    Admission,
    AdmittedLink,
    HandshakeStage,
    UnprovenConnections,
    UnprovenStream,
)
from .dialler import PeerDialler, Secured, race
from .handshake import Listener, Purpose, agreed, ask, fresh_instance, prove, send
from .handshake_codes import Verdict
from .hole_punching import Puncher, Stay
from .link_limits import Buckets, Limits
from .network_errors import LinkCode, MisfitError, NetCode, NetError
from .peer_link import Link
from .protocol_versions import Speech
from .relay_client import Tell, WaitingAtRelay, cut_on_failure, reach
from .transport import HEAD, Network, TcpNetwork, attend_all, cut, encode_frame


@dataclass(frozen=True)
class LinkUp:
    """The event that a peer has proven its id on a new link.

    Attributes:
        binding: 32 bytes that identify this link, the same at both ends.
        again: Whether the link replaces an earlier link with the same process of the peer.
    """

    peer: PeerId
    address: str
    via_relay: bool
    binding: bytes = field(default=b"", compare=False, repr=False)
    again: bool = field(default=False, compare=False)


@dataclass(frozen=True)
class LinkDown:
    """The event that the only link of a peer has ended. Frames posted on it may be lost."""

    peer: PeerId
    reason: Reason


@dataclass(frozen=True)
class Frame:
    """The event that a whole, non-empty frame came from an authenticated peer."""

    peer: PeerId
    data: bytes


@dataclass(frozen=True)
class LinkedElsewhere:
    """The event that a peer refuses a link, because another process with our key has one."""

    peer: PeerId


Event = LinkUp | LinkDown | Frame | LinkedElsewhere


class Hub:
    """The links of one identity, authenticated in both directions, one live link for each peer.

    All methods that are not async may be called before `run`. Times and sizes are in `Limits`.

    Attributes:
        events: For each link of a peer a LinkUp, the Frames, and a LinkDown. While nobody takes
            events from the channel, nothing is read from the links. It is closed when `run` ends.
    """

    events: trio.MemoryReceiveChannel[Event]

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
        self._exchange_secret = exchange_secret(identity)
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
        """Run all links until cancelled. Then all links are closed. Call this once."""
        # The channel is opened first, so that it closes only after the last task that may report.
        async with self._report, trio.open_nursery() as nursery:
            self._nursery = nursery
            for dialler in self._diallers.values():
                nursery.start_soon(dialler.run)
            # Otherwise the nursery would end while there is no link, and none could start later.
            nursery.start_soon(trio.sleep_forever)
            task_status.started()

    def _running(self) -> trio.Nursery:
        """Return the nursery of the links, or raise RuntimeError before `run`."""
        if self._nursery is None:
            raise RuntimeError("the hub must be running first")
        return self._nursery

    # Listening

    async def listen(self, host: str, port: int) -> list[str]:
        """Accept links on an address and port, and return the addresses on which it really listens.

        Args:
            host: '' for every address of this computer.
            port: 0 for a free one.
        """
        nursery = self._running()
        listeners = await self._network.listen(host, port)
        for listener in listeners:
            nursery.start_soon(attend_all, listener, nursery, self.attend)
        return [str(listener.address) for listener in listeners]

    async def listen_via(
        self, relay: str, tell: Tell = lambda relay, why: None, waits: bool = True
    ) -> str:
        """Register at a relay, and return the address 'relay+host:port' that others dial.

        If the relay is lost, the program registers again in the background.

        Args:
            relay: With or without 'relay+'.
            tell: Is told when the relay is lost, and when it works again.
            waits: Whether to return only once this program is registered. If it is not within
                `Limits.waiting` seconds, a NetError is raised.
        """
        nursery, address = self._running(), relay_address(relay)
        if address not in self._waiting:
            self._waiting[address] = WaitingAtRelay(
                self._network, address, self._identity, self._instance, self._limits, tell
            )
            nursery.start_soon(self._waiting[address].run, nursery, self.attend)
        if waits:
            await self._waiting[address].registered()
        return str(address)

    def relays(self) -> frozenset[str]:
        """Return the relays, 'relay+host:port', at which this program can be called now."""
        return frozenset(str(a) for a, waiting in self._waiting.items() if waiting.is_registered)

    async def attend(self, raw: trio.abc.Stream, address: Address) -> None:
        """Serve an incoming connection until its link ends. One that fails or is refused is cut."""
        source = source_of(address.host)
        if address.via_relay:
            # The relay hides who calls. Its callers share a limit, apart from the relay's computer.
            source = str(address)
        stay, newcomer = None, UnprovenStream(raw, source)
        try:
            with self._unproven.counted(newcomer, self._limits.handshake):
                stay = await self._let_in(newcomer, address)
        except NetError:
            return  # A connection that has proven nothing is not reported.
        finally:
            # A granted stream belongs to `stay`, which also cuts it.
            if stay is None:
                await cut(raw)
        if stay is not None:
            # Outside of the count, or a live link would be timed out or displaced as unproven.
            await stay()

    async def _let_in(self, newcomer: UnprovenStream, address: Address) -> Stay | None:
        """Do the handshake of an incoming connection. Return None if it is refused."""
        stream = await accept_channel(newcomer, self.me, self._exchange_secret)
        listeners = [
            Listener(purpose, self.me, stream.handshake_hash, self._speech.versions)
            for purpose in (Purpose.LINK, Purpose.PUNCH)
        ]
        proven, purpose = await ask(stream, listeners, self._instance)
        # Not before: the first message may be a replayed one, whose sender gets no further.
        newcomer.reach(HandshakeStage.SECURED)
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
        # No await from the verdict to `enter`: two connections of one peer must not both be
        # welcome.
        now = trio.current_time()
        # Only a link that comes up costs the others work, so a refused one takes no token.
        if verdict is Verdict.WELCOME and not self._link_ups.take_if_any(proven.peer, now):
            verdict = Verdict.FULL
        if verdict is not Verdict.WELCOME:
            await send(stream, verdict.encode())
            return None
        old = self._admission.enter(new)
        return lambda: self._keep(new, old)

    # Dialling

    def dial(self, address: str, peer: PeerId, named: Named = Named.BY_US) -> None:
        """Keep a link to a peer, and dial this address for it, again and again until `forget`.

        An AddressError is raised if the address cannot be read.
        """
        parsed = replace(parse_address(address), named=named)
        if peer not in self._diallers:
            dialler = self._diallers[peer] = PeerDialler(peer, self, self._limits)
            if self._nursery is not None:
                self._nursery.start_soon(dialler.run)
        self._diallers[peer].add(parsed)

    def forget(self, peer: PeerId) -> None:
        """Stop dialling a peer. A live link is not closed."""
        if peer in self._diallers:
            self._diallers.pop(peer).stop()

    def leave_alone(self, peer: PeerId) -> None:
        """Do not dial a peer for a while, because a frame of it says that it has no room ([L-65]).

        If the peer says so in a handshake, the pause begins without a call.
        """
        if peer in self._diallers:
            self._diallers[peer].leave_alone()

    def trouble(self, peer: PeerId) -> Reason | None:
        """Return why the last attempt to dial a peer failed, None if it did not."""
        return self._diallers[peer].trouble if peer in self._diallers else None

    async def connect(self, addresses: Sequence[str], peer: PeerId, timeout: float) -> None:
        """Make one attempt to get a link to a peer, within `timeout` seconds.

        Raises:
            NetError: If the attempt fails. The error says what failed for each address.
        """
        parsed = [parse_address(address) for address in addresses]
        with trio.move_on_after(timeout) as attempt:
            await self.link(parsed, peer)
        # The peer may have linked to this program while the attempt ran.
        if attempt.cancelled_caught and not self.linked(peer):
            raise NetError(NetCode.NO_LINK, seconds=timeout, addresses=tuple(addresses))

    async def link(self, addresses: Sequence[Address], peer: PeerId) -> None:
        """Make one attempt to get a link to a peer. Raise NetError if it fails.

        If another attempt for this peer is running, wait for its end first.
        """
        # Two attempts at once would make two links, of which one replaces the other.
        async with self._dialling.setdefault(peer, trio.Lock()):
            # Read with the lock: the attempt that held it before may have made the link.
            if self.linked(peer):
                return
            try:
                await self.link_over(
                    await race(lambda way: reach(self._network, way, peer), addresses, self._limits)
                )
            except NetError:
                # If both have dialled at once, the failure may mean that the other link was kept.
                if not self.linked(peer):
                    raise

    async def link_over(self, secured: Secured) -> None:
        """Make a link over a fresh channel to a listener.

        Raises:
            RefusedError: If the listener refuses.
            NetError: If there is no link for another reason.
        """
        channel = secured.channel
        async with cut_on_failure(channel, secured.address, refusals=True):
            with trio.move_on_after(self._limits.handshake) as handshake:
                me, speech = self._identity, self._speech
                listener = Listener(
                    Purpose.LINK, secured.listener, channel.handshake_hash, speech.versions
                )
                proven = await prove(channel, listener, me, self._instance, speech)
            if handshake.cancelled_caught:
                raise NetError(NetCode.NOT_LET_IN)
            link = Link(channel, self._limits, b"", True, self._is_caught_up)
            new = AdmittedLink(proven, link, secured.address, self.me)
            verdict = self._admission.judge(new)
            # No await from the verdict to `enter`, as in `_let_in`.
            if verdict is Verdict.WELCOME:
                self._running().start_soon(self._keep, new, self._admission.enter(new))
                return
            # By these two a link with this id is there already, so nothing has failed.
            if verdict not in (Verdict.DUPLICATE, Verdict.ELSEWHERE):
                raise NetError(NetCode.NO_ROOM_HERE)
        await cut(channel)

    async def elsewhere(self, peer: PeerId) -> None:
        """Report that a dialled peer is linked with another process that has this program's key."""
        with suppress(trio.BrokenResourceError):  # The owner has stopped reading events.
            await self._report.send(LinkedElsewhere(peer))

    # Links

    def _is_caught_up(self) -> bool:
        # What waits in the channel is not processed, and a report would claim that it is.
        return not self.events.statistics().current_buffer_used

    async def _keep(self, new: AdmittedLink, replaced: AdmittedLink | None) -> None:
        """Run one link, and report its LinkUp, its frames and its LinkDown.

        If the link replaces another link, the LinkDown of that link is reported first.
        """

        async def opened() -> None:
            if replaced is not None:
                await replaced.finished.wait()
            # Only now, since the LinkUp of the replaced link may have been reported while this
            # waited.
            again, via_relay = new.goes_on(replaced), new.address.via_relay
            up = LinkUp(new.peer, str(new.address), via_relay, new.proven.binding, again)
            await self._report.send(up)
            # Only after the sending: no LinkDown may be reported without its LinkUp.
            new.is_up.set()

        async def deliver(data: bytes) -> None:
            # While this waits, the link reads nothing more, so that the peer itself is slowed.
            await self._rest(new.peer)
            await self._report.send(Frame(new.peer, data))

        def charge(amount: float) -> float:
            return self._bytes_read.take(self._sender(new), trio.current_time(), amount)

        # Only the end that has dialled leads, or both would try to replace the same link.
        if new.address.via_relay and new.dialled_by == self.me:
            self._running().start_soon(self._puncher.lead, new)
        reason = await new.link.run(opened, deliver, charge)
        # A direct link may be on its way. Then this link was replaced, and not lost.
        await self._puncher.settled(new)
        if not self._admission.is_last(new):
            # A later link was entered meanwhile, and its peer may have closed this one itself.
            reason = because(LinkCode.REPLACED)
        if new.is_up.is_set():
            with suppress(trio.BrokenResourceError):  # The owner has stopped reading events.
                await self._report.send(LinkDown(new.peer, reason))
        elif replaced is not None:
            # A successor waits for this link only, and must not report before that LinkDown.
            await replaced.finished.wait()
        if self._admission.is_last(new):
            # Otherwise a peer would end its rest by a second link, which replaces this one.
            self._rests.pop(new.peer, None)
        self._admission.leave(new)
        new.finished.set()

    def post(self, peer: PeerId, data: bytes, once: bool = False) -> bool:
        """Queue a frame for a peer. Frames are sent in order.

        Args:
            data: 1 byte to `Limits.frame`.
            once: Whether to skip the frame if an equal frame was posted with `once` on this link,
                and the peer may not have read that frame yet ([L-24]).

        Returns:
            False if there is no link, or if the peer lacks a feature that this kind of frame needs
                ([L-74]). Also False if the link is closed now because the peer reads too slowly.
        """
        standing = self._admission.get(peer)
        if standing is None:
            return False
        feature = self._speech.feature_of(data[:HEAD])
        if feature is not None and feature not in standing.proven.features:
            return False
        return standing.link.post(data, once)

    async def flush(self, timeout: float) -> bool:
        """Return whether all posted frames were given to the system within `timeout` seconds."""
        with trio.move_on_after(timeout):
            for peer in self.links():
                standing = self._admission.get(peer)
                if standing is not None:
                    await standing.link.drained()
            return True
        return False

    def drop(self, peer: PeerId, reason: Reason) -> None:
        """Close the link to a peer. If the hub dials this peer, it dials again."""
        standing = self._admission.get(peer)
        if standing is not None:
            standing.link.close(reason)

    def block(self, peer: PeerId, reason: Reason) -> None:
        """Close the link to a peer, stop dialling it, and refuse all links of it from now on."""
        self.forget(peer)
        self._admission.block(peer)
        self.drop(peer, reason)

    def rest(self, peer: PeerId, seconds: float) -> None:
        """Read nothing more from the link to a peer for some seconds.

        The link stays open, and what the peer sends waits in the buffers. Events that are already
        in the channel are not held back.
        """
        # A shorter rest, for another reason, must not end a longer one.
        self._rests[peer] = max(self._rests.get(peer, 0.0), trio.current_time() + seconds)

    async def _rest(self, peer: PeerId) -> None:
        """Wait until frames of a peer may be delivered again."""
        # The rest may be made longer, or end with the link, while this waits.
        while trio.current_time() < self._rests.get(peer, 0.0):
            await trio.sleep_until(self._rests[peer])
        self._rests.pop(peer, None)

    def _sender(self, link: AdmittedLink) -> bytes | str:
        """Return the name of the sender whose rate limit counts the bytes of a link."""
        # Strangers on one computer share a limit, or each of their many keys would bring a new one.
        own = self._admission.prefers(link.peer) or not link.source
        return link.peer if own else link.source

    def prefer(self, peers: Iterable[bytes]) -> None:
        """Set the peers of the table, see `Admission.prefer`."""
        self._admission.prefer(peers)

    def keep(self, peers: Iterable[bytes]) -> None:
        """Protect the links of some peers, see `Admission.keep`.

        Frames to these peers are collected for some hundredths of a second before they are sent.
        """
        self._admission.keep(peers)

    def links(self) -> frozenset[bytes]:
        """Return the ids of the peers that have a live link."""
        return self._admission.peers()

    def linked(self, peer: PeerId) -> bool:
        """Return whether a peer has a live link."""
        return self._admission.get(peer) is not None

    def source(self, peer: PeerId) -> str:
        """Return from where the live link to a peer comes, as `addresses.source_of` names it.

        It is empty if this program has dialled, or there is no link.
        """
        standing = self._admission.get(peer)
        return standing.source if standing else ""

    @property
    def me(self) -> bytes:
        """The id of this program."""
        return self._identity.public

    def binding(self, peer: PeerId) -> bytes | None:
        """Return the 32 bytes that name the live link at both of its ends, None without a link."""
        standing = self._admission.get(peer)
        return standing.proven.binding if standing else None

    def page(self, peer: PeerId) -> str | None:
        """Return the server of the page in which a peer says that it runs, None for none.

        The peer is this program, or one that is linked.
        """
        if peer == self.me:
            return self._speech.page
        standing = self._admission.get(peer)
        return standing.proven.page if standing else None

    async def unlinked(self, peer: PeerId) -> None:
        """Wait until a peer has no link."""
        await self._admission.unlinked(peer)
