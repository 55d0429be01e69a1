"""NAT-PMP (RFC 6886) as bytes: the router's address outside, a TCP port, and the answers."""

from __future__ import annotations

import ipaddress
from dataclasses import dataclass
from typing import Final

VERSION: Final = 0
ANSWER: Final = 128
ADDRESS: Final = 0
TCP: Final = 2
ADDRESS_ANSWER, MAP_ANSWER, DENIAL = 12, 16, 8
"""Sizes in bytes; a router of an older kind answers an unknown request in eight."""


@dataclass(frozen=True)
class Outside:
    """The router's address outside; `epoch` is its clock in seconds."""

    external: ipaddress.IPv4Address
    epoch: int


@dataclass(frozen=True)
class Mapped:
    """The port outside that leads to the port inside, for so many seconds."""

    port: int
    lifetime: int
    epoch: int


@dataclass(frozen=True)
class Denied:
    """The result code of a router that does not."""

    code: int


ADDRESS_REQUEST: Final = bytes([VERSION, ADDRESS])


def encode_map(port: int, lifetime: int, suggested: int) -> bytes:
    """The request for a TCP port, 12 bytes; lifetime 0 with suggested 0 takes it away."""
    ports = port.to_bytes(2, "big") + suggested.to_bytes(2, "big")
    return bytes([VERSION, TCP, 0, 0]) + ports + lifetime.to_bytes(4, "big")


def _result(data: bytes, opcode: int, size: int) -> int | None:
    """The result code of an answer to this request; None if it is none of one."""
    if len(data) not in (size, DENIAL) or data[0] != VERSION or data[1] != ANSWER | opcode:
        return None
    code = int.from_bytes(data[2:4], "big")
    return None if len(data) != size and not code else code


def read_address(data: bytes) -> Outside | Denied | None:
    """The answer to ADDRESS_REQUEST; None for anything else, which is dropped ([L-52])."""
    code = _result(data, ADDRESS, ADDRESS_ANSWER)
    if code is None:
        return None
    if code:
        return Denied(code)
    external = ipaddress.IPv4Address(data[8:12])
    return None if external.is_unspecified else Outside(external, int.from_bytes(data[4:8], "big"))


def read_map(data: bytes, port: int, lifetime: int) -> Mapped | Denied | None:
    """The answer to encode_map for this port and lifetime; None for anything else ([L-52])."""
    code = _result(data, TCP, MAP_ANSWER)
    if code is None:
        return None
    if code:
        return Denied(code)
    epoch, given = int.from_bytes(data[4:8], "big"), int.from_bytes(data[12:16], "big")
    inside, outside = (int.from_bytes(data[at : at + 2], "big") for at in (8, 10))
    if inside != port or (lifetime and not (outside and given)):
        return None
    return Mapped(outside, given, epoch)
