"""Single messages, frames and tickets that must be refused, one file each."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

from support.forged_points import order_eight
from vectors.making.tables import Plan

from p2p_hoity.net import ticket
from p2p_hoity.net.errors import TicketError
from p2p_hoity.session import lobby
from protocol.chain.state import Table
from protocol.crypto.group import ORDER
from protocol.crypto.labels import Label
from protocol.crypto.signing import Identity
from protocol.errors import Invalid
from protocol.wire import encoding, frames, messages
from protocol.wire.messages import Say

PLAN = Plan("messages", "small-4", 3)
HASHES = tuple(bytes([i]) * 32 for i in range(1, 5))


@cache
def table() -> Table:
    """The table all messages are of."""
    return PLAN.sit_down()


@cache
def who() -> list[Identity]:
    """Its identities."""
    return PLAN.who


def read(kind: str, data: bytes) -> str:
    """The code with which bytes of this kind are refused; '' if they are not."""
    readers: dict[str, Callable[[bytes], object]] = {
        "message": lambda raw: messages.parse(raw, table().id, table().ids),
        "frame": frames.parse_frame,
        "lobby": lobby.parse_lobby,
        "ticket": lambda raw: ticket.decode_ticket(raw.decode()),
    }
    try:
        readers[kind](data)
    except Invalid as error:
        return error.code
    except TicketError:
        return "bad-ticket"
    return ""


@dataclass(frozen=True)
class BadPost:
    """In a sentence what is wrong, the code, what is read, and its bytes."""

    what: str
    code: str
    kind: str
    data: Callable[[], bytes]

    def __call__(self) -> dict[str, Any]:
        """The label, which is the whole file."""
        data = self.data()
        if read(self.kind, data) != self.code:
            raise ValueError(f"{self.what} gives {read(self.kind, data)!r}")
        label: dict[str, Any] = {"what": self.what, "code": self.code, "kind": self.kind}
        if self.kind == "message":
            label |= {"table": table().id.hex(), "ids": [one.hex() for one in table().ids]}
        shown = data.decode() if self.kind == "ticket" else data.hex()
        return {**label, ("text" if self.kind == "ticket" else "bytes"): shown}


def payload(*fields: Any, seat: int = 0, kind: int = 1, at: bytes | None = None) -> bytes:
    """A payload of any fields."""
    return encoding.encode((kind, table().id if at is None else at, seat, *fields))


def posted(data: bytes, label: Label = Label.SAY, signer: int = 0) -> bytes:
    """Any payload, well signed."""
    return encoding.encode((data, who()[signer].sign(label, data)))


def said(*fields: Any, label: Label = Label.SAY, kind: int = 1) -> Callable[[], bytes]:
    """Any fields of a kind, well signed."""
    return lambda: posted(payload(*fields, kind=kind), label)


def honest() -> bytes:
    """A say that is well formed, though nothing rests on it."""
    return messages.sign(who()[0], table().id, 0, Say(0, 9, HASHES[0], b"\xc0")).encode()


def respelled(change: Callable[[bytes], bytes]) -> Callable[[], bytes]:
    """A say whose payload is changed and signed as it then is."""
    return lambda: posted(change(payload(0, 9, HASHES[0], b"\xc0")))


def with_signature(change: Callable[[bytes], bytes]) -> Callable[[], bytes]:
    """A say with another signature."""

    def make() -> bytes:
        data, signature = encoding.decode(honest(), messages.MAX_MESSAGE)
        return encoding.encode((data, change(signature)))

    return make


def high(signature: bytes) -> bytes:
    """S with the group order added."""
    value = int.from_bytes(signature[32:], "little") + ORDER
    return signature[:32] + value.to_bytes(32, "little")


VOTES = tuple((seat, bytes(64)) for seat in (1, 0))
HALT = {"label": Label.HALT, "kind": 3}


def good_ticket() -> str:
    """A ticket that is read."""
    terms = table().header.terms
    return ticket.encode_ticket(ticket.Ticket(terms.host, ("203.0.113.7:4433",), terms.digest()))


def mistyped() -> bytes:
    """One letter of it changed for its neighbour."""
    text = good_ticket()
    return (text[:20] + ("a" if text[20] != "a" else "b") + text[21:]).encode()


BAD = "bad-message"

MESSAGE_FAILURES: dict[str, BadPost] = {
    "message-with-a-byte-more": BadPost(
        "One byte follows the envelope.", "bad-encoding", "message", lambda: honest() + b"\xc0"
    ),
    "message-with-a-byte-less": BadPost(
        "The last byte is missing.", "bad-encoding", "message", lambda: honest()[:-1]
    ),
    "message-with-a-long-number": BadPost(
        "The payload writes the kind 1 with two bytes; it is signed as it is.",
        "bad-encoding",
        "message",
        respelled(lambda data: data[:1] + b"\xcc\x01" + data[2:]),
    ),
    "message-with-a-float": BadPost(
        "The payload writes its step as a float.",
        "bad-encoding",
        "message",
        respelled(
            lambda data: data.replace(b"\x00\x09\xc4\x20", b"\x00\xca\x41\x10\x00\x00\xc4\x20")
        ),
    ),
    "message-with-a-negative-number": BadPost(
        "The payload's epoch is -1.",
        "bad-encoding",
        "message",
        respelled(lambda data: data.replace(b"\x00\x09\xc4\x20", b"\xff\x09\xc4\x20")),
    ),
    "message-of-three-fields": BadPost(
        "The envelope has three fields.",
        BAD,
        "message",
        lambda: encoding.encode((*encoding.decode(honest(), 10_000), 0)),
    ),
    "message-of-no-kind": BadPost("Kind 8 is none.", BAD, "message", said(0, kind=8)),
    "message-of-a-seat-too-many": BadPost(
        "Seat 3 at a table of three.",
        BAD,
        "message",
        lambda: posted(payload(0, 9, HASHES[0], b"\xc0", seat=3)),
    ),
    "message-from-elsewhere": BadPost(
        "The payload names another table.",
        BAD,
        "message",
        lambda: posted(payload(0, 9, HASHES[0], b"\xc0", at=bytes(32))),
    ),
    "say-of-three-fields": BadPost("A say lacks its body.", BAD, "message", said(0, 9, HASHES[0])),
    "say-of-step-0": BadPost("Steps begin with 1.", BAD, "message", said(0, 0, HASHES[0], b"\xc0")),
    "say-on-a-short-digest": BadPost(
        "The digest has 31 bytes.", BAD, "message", said(0, 9, HASHES[0][1:], b"\xc0")
    ),
    "say-with-text-for-a-body": BadPost(
        "The body is text, not bytes.", BAD, "message", said(0, 9, HASHES[0], "x")
    ),
    "say-of-a-true-epoch": BadPost(
        "The epoch is `true`.", BAD, "message", said(True, 9, HASHES[0], b"\xc0")
    ),
    "say-of-an-epoch-too-high": BadPost(
        "The epoch is 2^32.", BAD, "message", said(2**32, 9, HASHES[0], b"\xc0")
    ),
    "late-for-epoch-0": BadPost(
        "Nobody can wish epoch 0.", BAD, "message", said(0, label=Label.LATE, kind=2)
    ),
    "halt-with-says-backwards": BadPost(
        "The hashes of says are by falling value.",
        BAD,
        "message",
        said(1, None, HASHES[1::-1], None, (), (), **HALT),  # type: ignore[arg-type]
    ),
    "halt-with-a-say-twice": BadPost(
        "One hash of a say is named twice.",
        BAD,
        "message",
        said(1, None, (HASHES[0], HASHES[0]), None, (), (), **HALT),  # type: ignore[arg-type]
    ),
    "halt-with-votes-backwards": BadPost(
        "The votes of the lock are by falling seat.",
        BAD,
        "message",
        said(2, (1, HASHES[0], True, VOTES), (), None, (), (), **HALT),  # type: ignore[arg-type]
    ),
    "halt-with-a-proof-of-three": BadPost(
        "A proof names three messages.",
        BAD,
        "message",
        said(1, None, (), None, (), (HASHES[:3],), **HALT),  # type: ignore[arg-type]
    ),
    "back-of-256": BadPost(
        "A count of absences above 255.", BAD, "message", said(256, label=Label.BACK, kind=7)
    ),
    "signature-of-63-bytes-in-a-message": BadPost(
        "The signature is one byte short.", BAD, "message", with_signature(lambda s: s[:63])
    ),
    "signature-with-another-label": BadPost(
        "A say signed with the label of a late.",
        "bad-signature",
        "message",
        lambda: posted(payload(0, 9, HASHES[0], b"\xc0"), Label.LATE),
    ),
    "signature-of-another-seat": BadPost(
        "Seat 0's say signed by seat 1.",
        "bad-signature",
        "message",
        lambda: posted(payload(0, 9, HASHES[0], b"\xc0"), signer=1),
    ),
    "signature-with-a-high-s": BadPost(
        "S of the signature has the group order added.",
        "bad-signature",
        "message",
        with_signature(high),
    ),
    "signature-with-r-outside-the-group": BadPost(
        "R of the signature is a point of order eight.",
        "bad-signature",
        "message",
        with_signature(lambda s: order_eight() + s[32:]),
    ),
    "signature-changed": BadPost(
        "One bit of S is changed.",
        "bad-signature",
        "message",
        with_signature(lambda s: s[:40] + bytes([s[40] ^ 1]) + s[41:]),
    ),
    "frame-of-no-kind": BadPost(
        "Frame kind 6 is none.", "bad-frame", "frame", lambda: encoding.encode((6,))
    ),
    "leave-of-number-0": BadPost(
        "Leaves are counted from 1.",
        "bad-frame",
        "frame",
        lambda: encoding.encode((5, 1, 0, 0, 14, bytes(32), bytes(64))),
    ),
    "leave-without-a-signature": BadPost(
        "A leave is signed.",
        "bad-frame",
        "frame",
        lambda: encoding.encode((5, 1, 1, 0, 14, bytes(32), b"")),
    ),
    "frame-with-a-short-hash": BadPost(
        "A request names a hash of 31 bytes.",
        "bad-frame",
        "frame",
        lambda: encoding.encode((1, (HASHES[0][1:],), ())),
    ),
    "frame-with-a-field-more": BadPost(
        "`own` has no field.", "bad-frame", "frame", lambda: encoding.encode((3, 0))
    ),
    "frame-that-is-no-array": BadPost(
        "A frame is an array.", "bad-frame", "frame", lambda: encoding.encode(b"")
    ),
    "frame-with-a-long-head": BadPost(
        "The array's head takes three bytes where one does.",
        "bad-encoding",
        "frame",
        lambda: b"\xdc\x00\x01\x03",
    ),
    "lobby-word-unknown": BadPost(
        "There is no lobby frame `hello`.",
        "bad-frame",
        "lobby",
        lambda: encoding.encode(("hello", ())),
    ),
    "lobby-offer-of-one-seat": BadPost(
        "The terms offer one seat.",
        "bad-header",
        "lobby",
        lambda: encoding.encode(("offer", bytes(32), _one_seat(), (), True)),
    ),
    "lobby-ask-of-31-bytes": BadPost(
        "A proof has 32 bytes or none.",
        "bad-frame",
        "lobby",
        lambda: encoding.encode(("ask", bytes(31))),
    ),
    "lobby-refuse-for-another-reason": BadPost(
        "The reason is no word of the table.",
        "bad-frame",
        "lobby",
        lambda: encoding.encode(("refuse", "I do not like you")),
    ),
    "ticket-mistyped": BadPost("One letter is another.", "bad-ticket", "ticket", mistyped),
    "ticket-cut-short": BadPost(
        "The last letter is missing.", "bad-ticket", "ticket", lambda: good_ticket()[:-1].encode()
    ),
    "ticket-of-another-version": BadPost(
        "The version is 1.",
        "bad-ticket",
        "ticket",
        lambda: good_ticket().replace("hoity2", "hoity1").encode(),
    ),
}
"""Name to file."""


def _one_seat() -> Any:
    value = table().header.terms.value()
    return (*value[:4], 1, 1, *value[6:])
