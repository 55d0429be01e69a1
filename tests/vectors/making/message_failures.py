"""Single messages, frames and tickets that must be refused, one file each."""

import base64
import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

from support.forged_points import order_eight
from vectors.making.differences import changed
from vectors.making.tables import Plan

from p2p_hoity.net import ticket
from p2p_hoity.net.network_errors import TicketError
from p2p_hoity.table.gathering import lobby
from protocol.chain.chain_state import Table
from protocol.crypto.hashing import ORDER, Label
from protocol.crypto.identities import Identity
from protocol.errors import Invalid
from protocol.wire import codec, peer_frames, signed_messages
from protocol.wire.signed_messages import StepInput

PLAN = Plan("messages", "small-4", 3)
HASHES = tuple(bytes([i]) * 32 for i in range(1, 5))

RISING = (bytes(31) + b"\xff", b"\x01" + bytes(31), b"\x7f" * 32, b"\x80" + bytes(31))
"""Hashes that rise as numbers of the same size, most significant byte first."""


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
        "message": lambda raw: signed_messages.parse(raw, table().id, table().ids),
        "frame": peer_frames.parse_frame,
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
    """In a sentence what is wrong, the bytes, the code, what is read, and what is sound."""

    what: str
    data: Callable[[], bytes]
    code: str = "bad-message"
    kind: str = "message"
    sound: Callable[[], bytes] = lambda: honest()

    def __call__(self) -> dict[str, Any]:
        """The label, which is the whole file."""
        data, sound = self.data(), self.sound()
        if read(self.kind, data) != self.code or read(self.kind, sound):
            raise ValueError(f"{self.what}: {read(self.kind, data)!r}, {read(self.kind, sound)!r}")
        label: dict[str, Any] = {"what": self.what, "code": self.code, "kind": self.kind}
        label["changed"] = changed(sound, data)
        if self.kind == "message":
            label |= {"table": table().id.hex(), "ids": [one.hex() for one in table().ids]}
        shown = data.decode() if self.kind == "ticket" else data.hex()
        return {**label, ("text" if self.kind == "ticket" else "bytes"): shown}


def payload(*fields: Any, seat: int = 0, kind: int = 1, at: bytes | None = None) -> bytes:
    """A payload of any fields."""
    return codec.encode((kind, table().id if at is None else at, seat, *fields))


def posted(data: bytes, label: Label = Label.STEP_INPUT, signer: int = 0) -> bytes:
    """Any payload, well signed."""
    return codec.encode((data, who()[signer].sign(label, data)))


def any_statement(
    *fields: Any, label: Label = Label.STEP_INPUT, kind: int = 1
) -> Callable[[], bytes]:
    """Return a statement of any fields of a kind, with a valid signature."""
    return lambda: posted(payload(*fields, kind=kind), label)


def honest() -> bytes:
    """An input that is well formed, though nothing rests on it."""
    return signed_messages.sign(
        who()[0], table().id, 0, StepInput(0, 9, HASHES[0], b"\xc0")
    ).encode()


def respelled(change: Callable[[bytes], bytes]) -> Callable[[], bytes]:
    """An input whose payload is changed and signed as it then is."""
    return lambda: posted(change(payload(0, 9, HASHES[0], b"\xc0")))


def with_signature(change: Callable[[bytes], bytes]) -> Callable[[], bytes]:
    """An input with another signature."""

    def make() -> bytes:
        data, signature = codec.decode(honest(), signed_messages.MAX_MESSAGE)
        return codec.encode((data, change(signature)))

    return make


def high(signature: bytes) -> bytes:
    """S with the group order added."""
    value = int.from_bytes(signature[32:], "little") + ORDER
    return signature[:32] + value.to_bytes(32, "little")


def any_promise(*fields: Any) -> Callable[[], bytes]:
    """Return an epoch promise of any fields, with a valid signature."""
    return any_statement(*fields, label=Label.EPOCH_PROMISE, kind=3)


def bad_frame(what: str, value: Any, sound: Any, kind: str = "frame") -> BadPost:
    """A frame, of the game or of the lobby, that holds this value, and one that is read."""
    spoilt, whole = (lambda: codec.encode(value)), (lambda: codec.encode(sound))
    return BadPost(what, spoilt, "bad-frame", kind, whole)


def bad_promise(what: str, fields: tuple[Any, ...], sound: tuple[Any, ...]) -> BadPost:
    """Return an epoch promise of these fields with a valid signature, and one that is read."""
    return BadPost(what, any_promise(*fields), sound=any_promise(*sound))


OWN = (3, bytes(32))
DEPARTURE = (5, 1, 1, 0, 14, bytes(32), bytes(64))
VOTES = tuple((seat, bytes(64)) for seat in (1, 0))


def good_ticket() -> str:
    """Return a ticket that is read."""
    terms = table().header.terms
    return ticket.encode_ticket(ticket.Ticket(terms.host, ("203.0.113.7:4433",), terms.digest()))


def ticket_of(
    addresses: Sequence[tuple[int, bytes]],
    relays: Sequence[tuple[int, bytes]] = (),
    entries: Sequence[tuple[int, bytes]] = (),
) -> str:
    """Return the word of a ticket of the same table that holds these, whatever they are."""
    host, terms = table().header.terms.host, table().header.terms.digest()
    return ticket_word(host + terms + b"\0", addresses, relays, entries)


def ticket_word(
    beginning: bytes,
    addresses: Sequence[tuple[int, bytes]],
    relays: Sequence[tuple[int, bytes]] = (),
    entries: Sequence[tuple[int, bytes]] = (),
) -> str:
    """Return the word of a ticket whose payload begins so and holds these, whatever they are."""
    payload = beginning
    for those in (addresses, relays):
        payload += bytes([len(those)]) + _all_of(those)
    payload += _all_of(entries)
    check = hashlib.sha256(b"hoity ticket 3" + payload).digest()[:4]
    whole = len(payload).to_bytes(2, "big") + payload + check
    return "hoity3" + base64.b32encode(whole).decode().rstrip("=").lower()


def _all_of(those: Sequence[tuple[int, bytes]]) -> bytes:
    return b"".join(bytes([kind, len(value)]) + value for kind, value in those)


PLACE = (4, bytes([203, 0, 113, 7]) + (4433).to_bytes(2, "big"))
"""The address of the ticket that is read."""
URL = (2, b"wss://table.example/hoity")
"""An address of a kind that is reserved."""


def bad_ticket(what: str, change: Callable[[str], str]) -> BadPost:
    """That ticket, changed."""
    spoilt, whole = (lambda: change(good_ticket()).encode()), (lambda: good_ticket().encode())
    return BadPost(what, spoilt, "bad-ticket", "ticket", whole)


MESSAGE_FAILURES: dict[str, BadPost] = {
    "message-with-a-byte-more": BadPost(
        "One byte follows the envelope.", lambda: honest() + b"\xc0", "bad-encoding"
    ),
    "message-with-a-byte-less": BadPost(
        "The last byte is missing.", lambda: honest()[:-1], "bad-encoding"
    ),
    "message-with-a-long-number": BadPost(
        "The payload writes the kind 1 with two bytes; it is signed as it is.",
        respelled(lambda data: data[:1] + b"\xcc\x01" + data[2:]),
        "bad-encoding",
    ),
    "message-with-a-float": BadPost(
        "The payload writes its step as a float.",
        respelled(
            lambda data: data.replace(b"\x00\x09\xc4\x20", b"\x00\xca\x41\x10\x00\x00\xc4\x20")
        ),
        "bad-encoding",
    ),
    "message-with-a-negative-number": BadPost(
        "The payload's epoch is -1.",
        respelled(lambda data: data.replace(b"\x00\x09\xc4\x20", b"\xff\x09\xc4\x20")),
        "bad-encoding",
    ),
    "message-of-three-fields": BadPost(
        "The envelope has three fields.",
        lambda: codec.encode((*codec.decode(honest(), 10_000), 0)),
    ),
    "message-of-no-kind": BadPost(
        "Kind 8 is none.", any_statement(0, 9, HASHES[0], b"\xc0", kind=8)
    ),
    "message-of-a-seat-too-many": BadPost(
        "Seat 3 at a table of three.", lambda: posted(payload(0, 9, HASHES[0], b"\xc0", seat=3))
    ),
    "message-from-elsewhere": BadPost(
        "The payload names another table.",
        lambda: posted(payload(0, 9, HASHES[0], b"\xc0", at=bytes(32))),
    ),
    "input-of-three-fields": BadPost(
        "A step input lacks its body.", any_statement(0, 9, HASHES[0])
    ),
    "input-of-step-0": BadPost("Steps begin with 1.", any_statement(0, 0, HASHES[0], b"\xc0")),
    "input-on-a-short-digest": BadPost(
        "The digest has 31 bytes.", any_statement(0, 9, HASHES[0][1:], b"\xc0")
    ),
    "input-with-text-for-a-body": BadPost(
        "The body is text, not bytes.", any_statement(0, 9, HASHES[0], "x")
    ),
    "input-of-a-true-epoch": BadPost(
        "The epoch is `true`.", any_statement(True, 9, HASHES[0], b"\xc0")
    ),
    "input-of-an-epoch-too-high": BadPost(
        "The epoch is 2^32.", any_statement(2**32, 9, HASHES[0], b"\xc0")
    ),
    "epoch-request-for-epoch-0": BadPost(
        "Nobody can wish epoch 0.",
        any_statement(0, label=Label.EPOCH_REQUEST, kind=2),
        sound=any_statement(1, label=Label.EPOCH_REQUEST, kind=2),
    ),
    "promise-with-inputs-backwards": bad_promise(
        "The hashes of inputs are by falling value.",
        (1, None, HASHES[1::-1], None, (), ()),
        (1, None, HASHES[:2], None, (), ()),
    ),
    "promise-with-inputs-rising-by-signed-bytes": bad_promise(
        "The hashes of inputs rise only if bytes from 80 on are taken for negative numbers.",
        (1, None, RISING[:1:-1], None, (), ()),
        (1, None, RISING[2:], None, (), ()),
    ),
    "promise-with-inputs-rising-from-the-last-byte": bad_promise(
        "The hashes of inputs rise only if they are compared from their last bytes.",
        (1, None, RISING[1::-1], None, (), ()),
        (1, None, RISING[:2], None, (), ()),
    ),
    "promise-with-a-input-twice": bad_promise(
        "One hash of an input is named twice.",
        (1, None, (HASHES[0], HASHES[0]), None, (), ()),
        (1, None, HASHES[:2], None, (), ()),
    ),
    "promise-with-votes-backwards": bad_promise(
        "The votes of the quorum certificate are by falling seat.",
        (2, (1, HASHES[0], True, VOTES), (), None, (), ()),
        (2, (1, HASHES[0], True, VOTES[::-1]), (), None, (), ()),
    ),
    "promise-with-a-proof-of-three": bad_promise(
        "A proof names three messages.",
        (1, None, (), None, (), (HASHES[:3],)),
        (1, None, (), None, (), (HASHES[:2],)),
    ),
    "rejoin-of-256": BadPost(
        "A count of absences above 255.",
        any_statement(256, label=Label.REJOIN, kind=7),
        sound=any_statement(255, label=Label.REJOIN, kind=7),
    ),
    "signature-of-63-bytes-in-a-message": BadPost(
        "The signature is one byte short.", with_signature(lambda s: s[:63])
    ),
    "signature-with-another-label": BadPost(
        "A step input is signed with the label of an epoch request.",
        lambda: posted(payload(0, 9, HASHES[0], b"\xc0"), Label.EPOCH_REQUEST),
        "bad-signature",
    ),
    "signature-of-another-seat": BadPost(
        "Seat 0's step input is signed by seat 1.",
        lambda: posted(payload(0, 9, HASHES[0], b"\xc0"), signer=1),
        "bad-signature",
    ),
    "signature-with-a-high-s": BadPost(
        "S of the signature has the group order added.", with_signature(high), "bad-signature"
    ),
    "signature-with-r-outside-the-group": BadPost(
        "R of the signature is a point of order eight.",
        with_signature(lambda s: order_eight() + s[32:]),
        "bad-signature",
    ),
    "signature-changed": BadPost(
        "One bit of S is changed.",
        with_signature(lambda s: s[:40] + bytes([s[40] ^ 1]) + s[41:]),
        "bad-signature",
    ),
    "frame-of-no-kind": bad_frame("Frame kind 7 is none.", (7, bytes(32)), OWN),
    "departure-of-number-0": bad_frame(
        "Leaves are counted from 1.", (5, 1, 0, 0, 14, bytes(32), bytes(64)), DEPARTURE
    ),
    "departure-without-a-signature": bad_frame(
        "A leave is signed.", (5, 1, 1, 0, 14, bytes(32), b""), DEPARTURE
    ),
    "end-notice-of-another-reason": bad_frame(
        "An end notice gives one of the reasons of [L-27].",
        (6, 1, "tired", None, bytes(64)),
        (6, 1, "over", None, bytes(64)),
    ),
    "end-notice-about-no-seat": bad_frame(
        "An end notice is about a seat from 0 to 15, or about none.",
        (6, 1, "silent-seat", 16, bytes(64)),
        (6, 1, "silent-seat", 15, bytes(64)),
    ),
    "frame-with-a-short-hash": bad_frame(
        "A request names a hash of 31 bytes.", (1, (HASHES[0][1:],), ()), (1, (HASHES[0],), ())
    ),
    "frame-with-a-field-more": bad_frame("`own` has one field.", (*OWN, 0), OWN),
    "frame-that-is-no-array": bad_frame("A frame is an array.", b"", OWN),
    "frame-with-a-long-head": BadPost(
        "The array's head takes three bytes where one does.",
        lambda: b"\xdc\x00\x02" + codec.encode(OWN)[1:],
        "bad-encoding",
        "frame",
        lambda: codec.encode(OWN),
    ),
    "lobby-word-unknown": bad_frame(
        "There is no lobby frame `hello`.", ("hello", ()), ("names", ()), "lobby"
    ),
    "lobby-offer-of-one-seat": BadPost(
        "The terms offer one seat.",
        lambda: codec.encode(("offer", bytes(32), _one_seat(), (), None)),
        "bad-header",
        "lobby",
        lambda: codec.encode(("offer", bytes(32), table().header.terms.value(), (), None)),
    ),
    "lobby-offer-with-a-vouch-without-salt": bad_frame(
        "A vouch has a key, a salt and a signature.",
        ("offer", bytes(32), table().header.terms.value(), (), (bytes(32), bytes(64))),
        ("offer", bytes(32), table().header.terms.value(), (), None),
        "lobby",
    ),
    "lobby-offer-with-an-even-option": BadPost(
        "The terms have an even option.",
        lambda: codec.encode(("offer", bytes(32), _with_option(4), (), None)),
        "bad-header",
        "lobby",
        lambda: codec.encode(("offer", bytes(32), _with_option(5), (), None)),
    ),
    "lobby-ask-of-31-bytes": bad_frame(
        "A proof has 32 bytes or none.", ("ask", bytes(31)), ("ask", bytes(32)), "lobby"
    ),
    "lobby-refuse-for-another-reason": bad_frame(
        "The reason is no word of the table.",
        ("refuse", "I do not like you"),
        ("refuse", lobby.Refusal.FULL.value),
        "lobby",
    ),
    "ticket-mistyped": bad_ticket(
        "One letter is another.",
        lambda text: text[:20] + ("a" if text[20] != "a" else "b") + text[21:],
    ),
    "ticket-cut-short": bad_ticket("The last letter is missing.", lambda text: text[:-1]),
    "ticket-of-another-version": bad_ticket(
        "The version is 4.", lambda text: text.replace("hoity3", "hoity4")
    ),
    "ticket-of-version-2": bad_ticket(
        "The version is 2, which hoity 0.1 reads.", lambda text: text.replace("hoity3", "hoity2")
    ),
    "ticket-with-unknown-addresses-only": bad_ticket(
        "Its only address is a URL, and its only relay is of kind 9: none is left.",
        lambda text: ticket_of([URL], [(9, b"")]),
    ),
    "ticket-with-an-address-twice": bad_ticket(
        "It names one address twice.", lambda text: ticket_of([PLACE, PLACE])
    ),
    "ticket-with-an-ip-as-a-name": bad_ticket(
        "An IPv4 address stands in it as a name.",
        lambda text: ticket_of([(1, b"203.0.113.7" + PLACE[1][4:])]),
    ),
    "ticket-with-an-unknown-even-entry": bad_ticket(
        "Entry 2 follows the relays.", lambda text: ticket_of([PLACE], entries=[(2, b"")])
    ),
    "ticket-with-an-entry-twice": bad_ticket(
        "Entry 1 stands in it twice.",
        lambda text: ticket_of([PLACE], entries=[(1, b""), (1, b"")]),
    ),
}
"""Name to file."""


def _with_option(number: int) -> Any:
    return replace(table().header.terms, options=((number, None),)).value()


def _one_seat() -> Any:
    value = table().header.terms.value()
    return (*value[:4], 1, 1, *value[6:])
