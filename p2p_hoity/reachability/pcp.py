"""The Port Control Protocol (RFC 6887) as bytes: the MAP request for TCP, and its answers."""

from __future__ import annotations

import ipaddress
from dataclasses import dataclass, field
from typing import Final

VERSION: Final = 2
MAP: Final = 1
ANSWER: Final = 0x80
TCP: Final = 6
NONCE: Final = 12
HEADER: Final = 24
MAPPING: Final = 36
LONGEST: Final = 1100
"""Bytes of the longest message (section 7)."""
UNSUPPORTED_VERSION: Final = 1
ANY: Final = ipaddress.IPv6Address("::ffff:0.0.0.0")
"""The external address that an IPv4 client suggests when it has no wish (section 11.1)."""

IP = ipaddress.IPv4Address | ipaddress.IPv6Address


@dataclass(frozen=True)
class Wish:
    """A mapping as asked for: `client` is our own address on the way to the router, `lifetime` in
    seconds (0: take the mapping away), `suggested` the port outside (0: none)."""

    nonce: bytes = field(repr=False)
    client: IP
    port: int
    lifetime: int
    suggested: int = 0
    outside: IP = ANY


@dataclass(frozen=True)
class Granted:
    """A mapping as given: the address and port outside, for how many seconds; `epoch` is the
    router's clock in seconds."""

    external: IP
    port: int
    lifetime: int
    epoch: int


@dataclass(frozen=True)
class Denied:
    """No mapping: the result code, and for how many seconds that stays so."""

    code: int
    lifetime: int


@dataclass(frozen=True)
class NatPmpOnly:
    """The router knows the older protocol only (RFC 6887, appendix A)."""


Answer = Granted | Denied | NatPmpOnly


def _packed(ip: IP) -> bytes:
    return ip.packed if ip.version == 6 else bytes(10) + b"\xff\xff" + ip.packed


def _unpacked(data: bytes) -> IP:
    ip = ipaddress.IPv6Address(data)
    return ip.ipv4_mapped or ip


def encode_map(wish: Wish) -> bytes:
    """The request, 60 bytes."""
    header = bytes([VERSION, MAP, 0, 0]) + wish.lifetime.to_bytes(4, "big") + _packed(wish.client)
    outside = wish.suggested.to_bytes(2, "big") + _packed(wish.outside)
    inside = wish.nonce + bytes([TCP, 0, 0, 0]) + wish.port.to_bytes(2, "big")
    return header + inside + outside


def read_answer(data: bytes, wish: Wish) -> Answer | None:
    """What a router answers to this wish; None for anything else, which is dropped ([L-52])."""
    if len(data) == 8 and data[0] == 0:
        is_denied = data[1] == ANSWER and int.from_bytes(data[2:4], "big") == UNSUPPORTED_VERSION
        return NatPmpOnly() if is_denied else None
    if not HEADER <= len(data) <= LONGEST or len(data) % 4 or not data[1] & ANSWER:
        return None
    code, lifetime = data[3], int.from_bytes(data[4:8], "big")
    if code == UNSUPPORTED_VERSION and data[1] == ANSWER | MAP:
        return Denied(code, lifetime)
    if data[0] != VERSION or data[1] != ANSWER | MAP or len(data) < HEADER + MAPPING:
        return None
    epoch = int.from_bytes(data[8:12], "big")
    return _read_map(data[HEADER : HEADER + MAPPING], code, lifetime, epoch, wish)


def _read_map(data: bytes, code: int, lifetime: int, epoch: int, wish: Wish) -> Answer | None:
    nonce, rest = data[:NONCE], data[NONCE:]
    inside, outside = (int.from_bytes(rest[at : at + 2], "big") for at in (4, 6))
    if nonce != wish.nonce or rest[0] != TCP or inside != wish.port:
        return None
    if code:
        return Denied(code, lifetime)
    external = _unpacked(rest[8:24])
    if wish.lifetime and (not lifetime or not outside or external.is_unspecified):
        return None  # a mapping to nowhere is none
    return Granted(external, outside, lifetime, epoch)
