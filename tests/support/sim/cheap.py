"""The simulator's building blocks: a cheap group, hashes for signatures, work done once for all.

The same machine runs on them. Nothing is secret here; the simulator counts who could have opened
what instead. A hash in the place of a signature can be computed by anybody.
"""

import hashlib
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from functools import lru_cache
from types import SimpleNamespace
from unittest import mock

from nacl import bindings
from nacl.exceptions import BadSignatureError

from protocol.chain import transition
from protocol.chain.chain_state import Node, Table
from protocol.crypto import group, identities
from protocol.crypto.group import BASE
from protocol.wire import peer_frames, signed_messages
from support.cheap_group import cheap_cards


def _signature(public: bytes, message: bytes) -> bytes:
    return BASE + hashlib.sha256(public + message).digest()


def _open_signed(signed: bytes, public: bytes) -> None:
    if signed[:64] != _signature(public, signed[64:]):
        raise BadSignatureError("not a signature of this key on these bytes")


HASHES = SimpleNamespace(
    crypto_sign_seed_keypair=bindings.crypto_sign_seed_keypair,
    crypto_sign=lambda message, key: _signature(key[32:], message),
    crypto_sign_open=_open_signed,
)
"""What `protocol.crypto.identities` uses of libsodium, with a hash as the signature."""
POINTS = SimpleNamespace(
    is_valid_point=lambda point: point == BASE or group.LIBSODIUM.is_valid_point(point)
)
"""The check of keys and of the first half of signatures, which costs nothing for BASE."""


def cryptography() -> tuple[int, int]:
    """Return what tells one kind of cards and signatures from another in this process."""
    return id(vars(group)["_backend"]), id(vars(identities)["bindings"])


_begun: dict[bytes, Node] = {}
_real_begin = transition.begin


def shared_begin(table: Table) -> Node:
    """Return one first node per table: all machines share the verdicts and nodes kept below it."""
    if table.id not in _begun:
        _begun.clear()
        _begun[table.id] = _real_begin(table)
    return _begun[table.id]


def forget() -> None:
    """Let whoever begins a table from now on check everything anew."""
    _begun.clear()


@contextmanager
def shared_nodes() -> Iterator[None]:
    """Let all machines of one table share their nodes."""
    forget()
    try:
        with mock.patch.object(transition, "begin", shared_begin):
            yield
    finally:
        forget()


@contextmanager
def parsed_once() -> Iterator[None]:
    """Parse each message and each frame once for all who read the same bytes: both are frozen."""
    with (
        mock.patch.object(signed_messages, "parse", lru_cache(8192)(signed_messages.parse)),
        mock.patch.object(signed_messages, "read", lru_cache(8192)(signed_messages.read)),
        mock.patch.object(peer_frames, "parse_frame", lru_cache(8192)(peer_frames.parse_frame)),
    ):
        yield


@contextmanager
def cheap_blocks(shared: bool = True) -> Iterator[None]:
    """Let every machine compute with the cheap group and hashes, and parse each message once.

    Args:
        shared: Whether all machines of one table share their nodes too.
    """
    with (
        cheap_cards(),
        mock.patch.object(identities, "bindings", HASHES),
        mock.patch.object(identities, "LIBSODIUM", POINTS),
        parsed_once(),
        shared_nodes() if shared else nullcontext(),
    ):
        yield
