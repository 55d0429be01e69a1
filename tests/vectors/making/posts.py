"""One of each kind of message, body and frame, taken apart."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any, Final

from vectors.making import connections
from vectors.making.message_failures import (
    HASHES,
    PLACE,
    PLAN,
    RISING,
    URL,
    good_ticket,
    table,
    ticket_of,
    who,
)
from vectors.making.playing import TRANSCRIPTS
from vectors.making.side import game_of
from vectors.making.tables import VectorTable

from p2p_hoity.net import ticket
from p2p_hoity.net.transport import encode_frame
from p2p_hoity.table.beside_game import chat, rematch_frames
from p2p_hoity.table.gathering import lobby
from p2p_hoity.table.gathering.ticket_proof import Capability
from protocol.chain import transition
from protocol.chain.chain_state import Missing, Node
from protocol.crypto import identities
from protocol.crypto.hashing import Label, digest
from protocol.crypto.identities import Identity
from protocol.transcript import transcript_writer
from protocol.wire import codec, peer_frames, signed_messages, signed_notices, step_bodies
from protocol.wire.signed_messages import (
    CommitVote,
    EpochPromise,
    EpochRequest,
    NewEpoch,
    PrepareVote,
    QuorumCertificate,
    Rejoin,
    Statement,
    StepInput,
    StepTimeout,
)
from protocol.wire.table_header import Header, seat_statement, sign_roster, sit
from protocol.wire.vouches import vouched_entry

Entry = dict[str, Any]
SECRET = bytes(range(16))
"""Of the ticket, and of the proofs in the lobby."""
EXAMPLE = "small-four-returned"


def shown(value: Any) -> Any:
    """A decoded value as JSON: bytes as hex behind `0x`."""
    if isinstance(value, bytes):
        return "0x" + value.hex()
    if isinstance(value, (tuple, list)):
        return [shown(item) for item in value]
    return value


def decoded(data: bytes) -> Any:
    """What bytes hold, shown."""
    return shown(codec.decode(data, peer_frames.MAX_FRAME))


# The table.


def header() -> Entry:
    """Terms, roster and table id."""
    found, terms = table().header, table().header.terms
    return {
        "made_from": game_of(PLAN),
        "terms": {
            "encoded": codec.encode(terms.value()).hex(),
            "decoded": shown(terms.value()),
            "digest": terms.digest().hex(),
        },
        "roster": [_entry(found, seat) for seat in range(terms.seats)],
        "encoded": found.encode().hex(),
        "table": found.table_id.hex(),
    }


def _entry(found: Header, seat: int) -> Entry:
    entry = found.roster[seat]
    statement = seat_statement(found.terms.digest(), entry.id, entry.nickname, entry.nonce)
    return {
        "identity_seed": who()[seat].seed.hex(),
        "id": entry.id.hex(),
        "fingerprint": identities.fingerprint(entry.id),
        "nickname": entry.nickname,
        "nonce": entry.nonce.hex(),
        "statement": statement.hex(),
        "signed": identities.signed_bytes(Label.SEAT, statement).hex(),
        "signature": entry.signature.hex(),
    }


# Statements.


def statements() -> Iterator[tuple[int, Statement]]:
    """Return statements of each kind with their seats, and the optional parts of a promise."""
    votes = tuple((seat, bytes([seat + 1]) * 64) for seat in (0, 2))
    yield 0, StepInput(0, 9, HASHES[0], step_bodies.EMPTY)
    yield 1, StepInput(2**32 - 1, 300, HASHES[1], b"\x93\x01\x02\x03")
    yield 2, EpochRequest(1)
    yield 0, EpochPromise(1, None, (), None, (), ())
    yield (
        1,
        EpochPromise(
            1, None, HASHES[:2], StepTimeout(0, 9, HASHES[2]), (HASHES[3],), (HASHES[:2],)
        ),
    )
    yield (
        2,
        EpochPromise(
            3, QuorumCertificate(2, HASHES[0], True, votes), (), None, (), (HASHES[:1], HASHES[1:3])
        ),
    )
    yield 0, EpochPromise(1, None, RISING, None, (), ())
    yield 1, NewEpoch(1, (HASHES[2], HASHES[0]))
    yield 0, PrepareVote(1, HASHES[3])
    yield 2, CommitVote(1, HASHES[3])
    yield 2, Rejoin(1)


def statement(seat: int, one: Statement) -> Entry:
    """Everything between a statement and the bytes on the wire."""
    made = signed_messages.sign(who()[seat], table().id, seat, one)
    number = signed_messages.NUMBER[type(one)]
    label = signed_messages.KINDS[number][1]
    return {
        "statement": type(one).__name__,
        "kind": number,
        "label": label.value,
        "seat": seat,
        "fields": decoded(made.payload)[3:],
        "payload": made.payload.hex(),
        "signed": identities.signed_bytes(label, made.payload).hex(),
        "signature": made.signature.hex(),
        "envelope": made.encode().hex(),
        "hash": made.hash.hex(),
        "identity": list(made.identity),
    }


# Frames.


def all_frames() -> list[Entry]:
    """Each kind of frame, alone and behind its length."""
    carried = signed_messages.sign(who()[2], table().id, 2, EpochRequest(1)).encode()
    every: list[peer_frames.FrameBody] = [
        peer_frames.Carry(carried),
        peer_frames.Fetch(HASHES[:2], (1, 2)),
        peer_frames.Sync(1, 14, tuple(h[: peer_frames.SHORT] for h in HASHES[:2])),
        peer_frames.Own(),
        peer_frames.Told(b"\x01" * 32, True),
        signed_notices.sign_notice(
            who()[2], table().id, signed_notices.Departure(2, 1, 0, 14, b"\x02" * 32)
        ),
        signed_notices.sign_notice(
            who()[2], table().id, signed_notices.EndNotice(2, signed_notices.OVER)
        ),
        signed_notices.sign_notice(
            who()[2], table().id, signed_notices.EndNotice(2, signed_notices.SILENT_SEAT, 1)
        ),
    ]
    return [_frame(type(one).__name__, peer_frames.encode_frame(one)) for one in every]


def lobby_frames() -> list[Entry]:
    """Each kind of frame between host and guest before there is a table."""
    found = table().header
    addresses = ("203.0.113.7:4433", "[2001:db8::7]:4433")
    capability = Capability(found.terms.digest(), SECRET)
    link = connections.proven().binding, who()[0].public, who()[1].public
    signature = sign_roster(found, who()[0])
    vouched = [
        vouched_entry(found.terms, key, Identity(bytes([n]) * 32), one.nickname, bytes([n]) * 32)
        for n, (key, one) in enumerate(zip(who(), found.roster, strict=True), 1)
    ]
    (_, host), (entry, guest), _ = vouched
    shown = Header(found.terms, (vouched[0][0], entry, found.roster[2]))
    vouches = (host, guest, None)
    every: list[lobby.LobbyFrame] = [
        lobby.Ask(capability.guest_proof(*link)),
        lobby.Offer(capability.host_proof(*link), found.terms, ("Ada",)),
        lobby.Offer(capability.host_proof(*link), found.terms, ("Ada",), host),
        lobby.Sit(found.roster[1].value(), addresses),
        lobby.Sit(entry.value(), addresses, guest),
        lobby.SeatedNames(("Ada", "Bob")),
        lobby.Refuse(lobby.Refusal.FULL),
        lobby.Pending(),
        lobby.Roster(found.encode(), (addresses, (), ()), signature, (None, None, None)),
        lobby.Roster(shown.encode(), (addresses, (), ()), sign_roster(shown, who()[0]), vouches),
        lobby.SignedTable(found.table_id, signature),
    ]
    return [_frame(type(one).__name__, lobby.encode_lobby(one)) for one in every]


def side_frames() -> list[Entry]:
    """Each kind of frame beside the game: talk, and words on the next table of the same people."""
    here, seats = table(), who()
    word = chat.speak(here.id, seats[1], 1, 1_700_000_000_000, "nice pipes")
    guest = chat.speak(here.id, Identity(b"o" * 32), 1, 1_700_000_000_001, 2)
    nickname = here.header.roster[1].nickname
    terms = rematch_frames.next_terms(here)
    entry = sit(terms, seats[1], nickname, b"n" * 32)
    player = Identity(b"p" * 32)
    vouched, vouch = vouched_entry(terms, seats[1], player, nickname, b"s" * 32)
    every: list[Any] = [
        word,
        chat.pass_on(guest, seats[1], 1_700_000_000_002),
        rematch_frames.Consent(here.id, entry.value()),
        rematch_frames.Consent(here.id, vouched.value(), vouch),
        rematch_frames.refuse(here.id, seats[1]),
    ]
    return [_frame(type(one).__name__, one.encode()) for one in every]


NAMED: Final = {
    "Pending": "Asked",
    "SeatedNames": "Names",
    "SignedTable": "Shown",
    "PassedWords": "Passed",
    "Decline": "Refusal",
}
"""Frames whose vectors have another name than their class."""


def _frame(kind: str, data: bytes) -> Entry:
    name = NAMED.get(kind, kind)
    return {
        "frame": name,
        "decoded": decoded(data),
        "encoded": data.hex(),
        "on_a_link": encode_frame(data).hex(),
    }


def tickets() -> list[Entry]:
    """Return a ticket with one address, one with all kinds, and one of a later version, of which a
    part is skipped."""
    terms = table().header.terms
    addresses = ("203.0.113.7:4433", "[2001:db8::7]:4433", "table.example:4433")
    relay = ("relay.example:4434",)
    full = ticket.Ticket(terms.host, addresses, terms.digest(), relay, SECRET)
    later = ticket_of([URL, PLACE], [(9, b""), PLACE], [(1, b""), (255, b"later")])
    return [_ticket(good_ticket()), _ticket(ticket.encode_ticket(full)), _ticket(later)]


def _ticket(word: str) -> Entry:
    one = ticket.decode_ticket(word)
    return {
        "host": one.host_id.hex(),
        "terms": one.terms.hex(),
        "secret": one.secret.hex(),
        "addresses": list(one.addresses),
        "relays": list(one.relay),
        "skips": ticket.encode_ticket(one) != word,
        "ticket": word,
    }


# The chain.


def example() -> list[Node]:
    """The nodes of the transcript that the chain is shown by."""
    recipe = TRANSCRIPTS[EXAMPLE]
    played: VectorTable = recipe.play(recipe.plan)
    return transcript_writer.to_the_end(played.first.machine.tip)


def digests(nodes: list[Node]) -> list[Entry]:
    """Return the digest of each step and reconfiguration, with what is hashed for it."""
    return [_digest(before, after) for before, after in itertools.pairwise(nodes)]


def _digest(before: Node, after: Node) -> Entry:
    if after.slots is None:
        value = (sorted(after.present), sorted(after.banned), after.absences)
        return {
            "reconfiguration": shown(value),
            "encoded": codec.encode(value).hex(),
            "before": before.digest.hex(),
            "digest": after.digest.hex(),
            "base_encoded": codec.encode(after.base_value()).hex(),
            "base_digest": after.base_digest().hex(),
        }
    plain = tuple(digest(Label.BODY, s) if isinstance(s, bytes) else int(s) for s in after.slots)
    assert transition.digest_after_step(before.digest, after.slots) == after.digest
    return {
        "step": before.step,
        "kind": before.want.kind.value,
        "entries_encoded": codec.encode(plain).hex(),
        "before": before.digest.hex(),
        "digest": after.digest.hex(),
        "base_encoded": codec.encode(after.base_value()).hex(),
        "base_digest": after.base_digest().hex(),
    }


def all_bodies(nodes: list[Node]) -> list[Entry]:
    """The first body of each form in the same game, taken apart."""
    found: dict[tuple[str, Any], Entry] = {}
    for before, after in itertools.pairwise(nodes):
        for seat, slot in enumerate(after.slots or ()):
            if not isinstance(slot, Missing):
                key = (before.want.kind.value, _form(slot))
                found.setdefault(key, _body(before, seat, slot))
    return list(found.values())


def _form(body: bytes) -> Any:
    """Which parts of a body hold something."""
    value = codec.decode(body, step_bodies.MAX_BODY)
    return tuple(bool(part) for part in value) if isinstance(value, tuple) else value is None


def _body(node: Node, seat: int, body: bytes) -> Entry:
    return {
        "kind": node.want.kind.value,
        "choice": node.want.name,
        "step": node.step,
        "seat": seat,
        "body": body.hex(),
        "decoded": decoded(body),
    }


def book() -> Entry:
    """All of it, as it is written to the file."""
    nodes = example()
    return {
        "about": "Fields as the protocol writes them; 0x before hex where a value is bytes.",
        "header": header(),
        "statements": [statement(seat, one) for seat, one in statements()],
        "frames": all_frames(),
        "lobby": lobby_frames(),
        "side": side_frames(),
        "tickets": tickets(),
        "binding": connections.proven().binding.hex(),
        "example": f"transcripts/{EXAMPLE}.hoity",
        "bodies": all_bodies(nodes),
        "chain": digests(nodes),
    }
