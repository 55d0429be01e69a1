"""Cheap building blocks for the simulator: integers instead of the curve, hashes for signatures.

The very same machine runs on them. A point is its own logarithm, so nothing is secret here; who
could have opened what is counted by `sim_secrecy` instead.
"""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, nullcontext
from functools import lru_cache
from typing import Any

from protocol.chain import transition
from protocol.chain.state import Node, Table
from protocol.crypto import group, signing
from protocol.crypto.group import BASE, IDENTITY, ORDER
from protocol.errors import Invalid
from protocol.wire import frames, messages


def _enc(value: int) -> bytes:
    value %= ORDER
    if value < 2:
        return BASE if value else IDENTITY
    return value.to_bytes(32, "little")


def _dec(point: bytes) -> int:
    if not isinstance(point, bytes) or len(point) != 32:
        raise Invalid("bad-point", "not a point of the group")
    if point in (IDENTITY, BASE):
        return int(point == BASE)
    value = int.from_bytes(point, "little")
    if not 1 < value < ORDER:
        raise Invalid("bad-point", "not a point of the group")
    return value


def _decode_point(data: bytes) -> bytes:
    if _dec(data) == 0:
        raise Invalid("bad-point", "not a point of the group")
    return data


def _sign(who: signing.Identity, message: bytes) -> bytes:
    return hashlib.sha512(who.public + message).digest()


def _verify(public: bytes, message: bytes, signature: bytes) -> None:
    if signature != hashlib.sha512(public + message).digest():
        raise Invalid("bad-signature", "not a signature of this key on these bytes")


def _weighted(scalars: Iterable[int], points: Iterable[bytes]) -> bytes:
    return _enc(sum(k * _dec(p) for k, p in zip(scalars, points, strict=True)))


def _hash_to_group(label: Any, *parts: bytes) -> bytes:
    return _enc(int.from_bytes(hashlib.sha512(b"|".join((str(label).encode(), *parts))).digest()))


CHEAP: dict[str, Callable[..., Any]] = {
    "mul": lambda k, point: _enc(k * _dec(point)) if k % ORDER else IDENTITY,
    "mul_base": _enc,
    "add": lambda a, b: _enc(_dec(a) + _dec(b)),
    "sub": lambda a, b: _enc(_dec(a) - _dec(b)),
    "neg": lambda a: _enc(-_dec(a)),
    "total": lambda points: _enc(sum(map(_dec, points))),
    "weighted": _weighted,
    "decode_point": _decode_point,
    "hash_to_group": _hash_to_group,
}

_begun: dict[bytes, Node] = {}
_real_begin = transition.begin


def shared_begin(table: Table) -> Node:
    """One first node per table: all machines share the verdicts and nodes kept below it."""
    if table.id not in _begun:
        _begun.clear()
        _begun[table.id] = _real_begin(table)
    return _begun[table.id]


def forget() -> None:
    """Whoever begins a table from now on checks everything anew."""
    _begun.clear()


def _modules() -> list[Any]:
    return [m for name, m in sys.modules.items() if name.split(".")[0] == "protocol"]


def _clear_caches() -> None:
    _begun.clear()
    for module in _modules():
        for value in list(vars(module).values()):
            if callable(getattr(value, "cache_clear", None)):
                value.cache_clear()


def _swap(old: Any, new: Any) -> None:
    for module in _modules():
        for name, value in list(vars(module).items()):
            if value is old:
                setattr(module, name, new)


@contextmanager
def shared_nodes() -> Iterator[None]:
    """All machines of one table share their nodes."""
    transition.begin = shared_begin
    try:
        yield
    finally:
        transition.begin = _real_begin
        _begun.clear()


@contextmanager
def cheap_blocks(shared: bool = True) -> Iterator[None]:
    """Within this block every machine computes with integers and hashes; `shared`: each thing only
    once for all machines."""
    pairs = [(getattr(group, name), new) for name, new in CHEAP.items() if hasattr(group, name)]
    # Messages and frames are frozen: who reads the same bytes may share what they say.
    pairs += [(messages.parse, lru_cache(maxsize=8192)(messages.parse))]
    pairs += [(frames.parse_frame, lru_cache(maxsize=8192)(frames.parse_frame))]
    pairs += [(signing.sign_bytes, _sign), (signing.verify_bytes, _verify)]
    _clear_caches()
    for old, new in pairs:
        _swap(old, new)
    try:
        with shared_nodes() if shared else nullcontext():
            yield
    finally:
        for old, new in pairs:
            _swap(new, old)
        _clear_caches()
