"""One connection from its first byte to its hello, records of all sizes, and what is refused."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Final, NamedTuple

from nacl import bindings
from support.stream import stream
from vectors.making.message_failures import who

from p2p_hoity.net import channel, noise
from p2p_hoity.net.handshake import Listener, Proven, Purpose
from p2p_hoity.net.handshake_codes import Verdict
from p2p_hoity.net.noise import CipherState, DiallerHandshake, ListenerHandshake
from p2p_hoity.net.protocol_versions import LINK_VERSIONS, Speech
from p2p_hoity.net.transport import encode_frame
from protocol import codec
from protocol.crypto.hashing import framed

Entry = dict[str, Any]
KEY: Final = bytes(range(32))
"""The key of the single records."""
CONTENTS: Final = (1, 62, 63, 126, 127, 331, 638, 639, 1022, 1023, 2046)
"""Bytes of content: the first and the last that each size of a record holds."""
LOW_ORDER: Final = {
    "0": bytes(32),
    "1": b"\1" + bytes(31),
    "order 8": bytes.fromhex("e0eb7a7c3b41b8ae1656e3faf19fc46ada098deb9c32b1fd866205165f49b800"),
    "0, not canonical": b"\xed" + b"\xff" * 30 + b"\x7f",
    "1, not canonical": b"\xee" + b"\xff" * 31,
}


class Made(NamedTuple):
    """The connection of the vectors, with what both ends know of it."""

    first: bytes
    second: bytes
    listener: noise.Ciphers
    dialler: noise.Ciphers
    secrets: tuple[bytes, bytes]


def once(data: bytes) -> Callable[[int], bytes]:
    """A source of randomness for one draw."""
    return lambda size: data


def made() -> Made:
    """Make the connection."""
    draw, listener = stream("links", "ephemerals"), who()[0]
    secrets = draw(32), draw(32)
    prologue, key = channel.prologue(listener.public), channel.exchange_key(listener.public)
    dialling = DiallerHandshake(prologue, key, once(secrets[0]))
    listening = ListenerHandshake(prologue, channel.exchange_secret(listener), once(secrets[1]))
    first = dialling.first()
    listening.read(first)
    second, at_listener = listening.answer()
    _, at_dialler = dialling.finish(second)
    return Made(first, second, at_listener, at_dialler, secrets)


def proof(session: bytes) -> tuple[bytes, bytes, bytes, Proven]:
    """The challenge, the answer, its statement, and what it proves."""
    draw, listener, dialler = stream("links", "proof"), who()[0], who()[1]
    there, here = draw(16), draw(16)
    offered = bytes([LINK_VERSIONS.lowest, LINK_VERSIONS.highest])
    challenge = LINK_VERSIONS.greeting + offered + draw(32) + there
    numbers = bytes([LINK_VERSIONS.highest]) + draw(32) + here
    purpose = Purpose.LINK
    statement = framed(purpose.value, listener.public, dialler.public, session, challenge, numbers)
    signature = dialler.sign(purpose.label, statement)
    answer = numbers[:1] + dialler.public + numbers[1:] + signature
    found = Listener(purpose, listener.public, session).check(answer, challenge)
    return challenge, answer, statement, found


def proven() -> Proven:
    """What the listener of the connection knows of its dialler."""
    return proof(made().listener.handshake_hash)[3]


def connection() -> Entry:
    """Return all bytes of a connection until both ends have a link."""
    one, listener, dialler = made(), who()[0], who()[1]
    h = one.listener.handshake_hash
    challenge, answer, statement, found = proof(h)
    hello = encode_frame(Speech().hello())
    welcome = encode_frame(Verdict.WELCOME.encode()) + hello
    by_listener = channel.RecordWriter(one.listener.sending)
    by_dialler = channel.RecordWriter(one.dialler.sending)
    says = [
        ("dialler", channel.KIND + one.first, b""),
        ("listener", channel.KIND + one.second, encode_frame(challenge)),
        ("dialler", b"", encode_frame(answer) + hello),
        ("listener", b"", welcome),
    ]
    keys = bindings.crypto_scalarmult_base
    return {
        "listener": {
            "seed": listener.seed.hex(),
            "id": listener.public.hex(),
            "exchange_secret": channel.exchange_secret(listener).hex(),
            "exchange_key": channel.exchange_key(listener.public).hex(),
        },
        "dialler": {"seed": dialler.seed.hex(), "id": dialler.public.hex()},
        "prologue": channel.prologue(listener.public).hex(),
        "ephemeral": {
            name: {"secret": secret.hex(), "public": keys(secret).hex()}
            for name, secret in zip(("dialler", "listener"), one.secrets, strict=True)
        },
        "m1": (channel.KIND + one.first).hex(),
        "m2": (channel.KIND + one.second).hex(),
        "handshake_hash": h.hex(),
        "purpose": Purpose.LINK.value.decode(),
        "versions": [LINK_VERSIONS.lowest, LINK_VERSIONS.highest],
        "version": found.version,
        "challenge": challenge.hex(),
        "statement": statement.hex(),
        "answer": answer.hex(),
        "binding": found.binding.hex(),
        "sent": [
            {"by": by, "content": content.hex(), "bytes": (head + records).hex()}
            for by, head, content in says
            for records in [(by_listener if by == "listener" else by_dialler).records(content)]
        ],
    }


def cipher_at(number: int) -> CipherState:
    """The cipher of the single records for the record of a number, before it."""
    cipher = CipherState(KEY)
    for due in range(channel.REKEY, number + 1, channel.REKEY):
        cipher.n = due
        cipher.rekey()
    cipher.n = number
    return cipher


def record(number: int, content: bytes) -> Entry:
    """Return one record."""
    sealed = channel.RecordWriter(cipher_at(number)).records(content)
    return {"number": number, "content": content.hex(), "record": sealed.hex()}


def records() -> list[Entry]:
    """Return a record of each size, and those around a change of the key."""
    draw = stream("links", "contents")
    found = [record(number, draw(size)) for number, size in enumerate(CONTENTS)]
    rekeyed = (channel.REKEY - 1, channel.REKEY, 2 * channel.REKEY)
    return [*found, *(record(number, b"after so many records") for number in rekeyed)]


def refused_first() -> Iterator[tuple[str, bytes]]:
    """What the listener of the connection closes on."""
    right = channel.KIND + made().first
    yield "other kind", b"\2" + right[1:]
    yield "other kind, also in the prologue", b"\2" + _first(b"\2", who()[0].public)
    yield "for another listener", channel.KIND + _first(channel.KIND, who()[1].public)
    yield "another tag", right[:-1] + bytes([right[-1] ^ 1])
    yield "the highest bit of e", right[:32] + bytes([right[32] ^ 0x80]) + right[33:]
    for name, point in LOW_ORDER.items():
        yield f"e of low order: {name}", channel.KIND + _careless(point)


def _first(kind: bytes, listener: bytes) -> bytes:
    prologue = channel.prologue(b"")[: -len(kind)] + kind + listener
    secret = once(made().secrets[0])
    return DiallerHandshake(prologue, channel.exchange_key(listener), secret).first()


def _careless(ephemeral: bytes) -> bytes:
    """The first message whose tag is right for whoever takes a shared secret of zeros."""
    listener = who()[0].public
    state = noise._SymmetricState(channel.prologue(listener), channel.exchange_key(listener))
    state.mix_hash(ephemeral)
    state.mix_key(bytes(32))
    return ephemeral + state.encrypt_and_hash(b"")


def refused_second() -> Iterator[tuple[str, bytes]]:
    """What the dialler of the connection closes on."""
    right = channel.KIND + made().second
    yield "other kind", b"\2" + right[1:]
    yield "an alert of TLS", bytes.fromhex("15030100020228")
    yield "an answer of a web server", b"HTTP/1.1 400 Bad Request\r\n\r\n"
    yield "another tag", right[:-1] + bytes([right[-1] ^ 1])
    yield "the first message sent back", channel.KIND + made().first
    for name, point in LOW_ORDER.items():
        dialling = _dialling()
        dialling.first()
        state = dialling._state
        state.mix_hash(point)
        state.mix_key(bytes(32))
        yield f"e of low order: {name}", channel.KIND + point + state.encrypt_and_hash(b"")


def _dialling() -> DiallerHandshake:
    listener = who()[0].public
    prologue, key = channel.prologue(listener), channel.exchange_key(listener)
    return DiallerHandshake(prologue, key, once(made().secrets[0]))


def sealed(plain: bytes, number: int = 0) -> bytes:
    """A record of these bytes, whatever they are."""
    data = cipher_at(number).encrypt(plain)
    return len(data).to_bytes(2, "big") + data


def refused_records() -> Iterator[tuple[str, int, bytes]]:
    """What closes a channel in the place of the record of a number."""
    good = bytes.fromhex(record(0, b"content")["record"])
    yield "the number before", 1, good
    yield "the number after", 0, bytes.fromhex(record(1, b"content")["record"])
    yield "another tag", 0, good[:-1] + bytes([good[-1] ^ 1])
    yield "no content", 0, sealed(bytes(64))
    yield "content beyond the end", 0, sealed(b"\x00\x3f" + b"x" * 62)
    yield "not zero behind the content", 0, sealed(b"\x00\x01x" + bytes(60) + b"\x01")
    yield "a size that is none", 0, sealed(b"\x00\x01x" + bytes(62))
    yield "too large", 0, sealed(b"\x08\x00" + b"x" * 2048)
    yield "the old key", channel.REKEY, _with_old_key()
    yield "another length", 0, b"\x00\x51" + good[2:] + b"\x00"


def _with_old_key() -> bytes:
    cipher = CipherState(KEY)
    cipher.n = channel.REKEY
    data = cipher.encrypt(b"\x00\x01x".ljust(64, b"\0"))
    return len(data).to_bytes(2, "big") + data


def refused_pages() -> Iterator[tuple[str, object]]:
    """What names no server of a page."""
    yield "empty", ""
    yield "a capital", "Relay.example"
    yield "a port with a zero before it", "relay.example:080"
    yield "no port", "relay.example:"
    yield "a port too long", "relay.example:123456"
    yield "a host too long", "x" * 254
    yield "a scheme", "https://relay.example"
    yield "not ASCII", "rélay.example"
    yield "an end of line", "relay.example\n"
    yield "no brackets", "2001:db8::1"
    yield "bytes", b"relay.example"


def book() -> Entry:
    """Return what `links.json` holds."""
    return {
        "connection": connection(),
        "hello": [
            {
                "features": sorted(features),
                "page": page,
                "encoded": Speech(features=features, page=page).hello().hex(),
            }
            for features, page in (
                (frozenset[int](), None),
                (frozenset({1, 2, 300}), None),
                (frozenset[int](), "relay.example"),
                (frozenset({1}), "[2001:db8::1]:4680"),
            )
        ],
        "records": {"key": KEY.hex(), "accept": records()},
        "reject": {
            "hello": [
                {"name": name, "bytes": codec.encode(("hello", (), page)).hex()}
                for name, page in refused_pages()
            ],
            "m1": [{"name": name, "bytes": data.hex()} for name, data in refused_first()],
            "m2": [{"name": name, "bytes": data.hex()} for name, data in refused_second()],
            "id": [
                {"name": "the identity", "bytes": (b"\1" + bytes(31)).hex()},
                {"name": "order 2", "bytes": (b"\xec" + b"\xff" * 30 + b"\x7f").hex()},
                {"name": "y not canonical", "bytes": (b"\xee" + b"\xff" * 30 + b"\x7f").hex()},
                {"name": "off the curve", "bytes": (b"\2" + bytes(31)).hex()},
            ],
            "records": [
                {"name": name, "number": number, "record": data.hex()}
                for name, number, data in refused_records()
            ],
        },
    }
