"""What PyNaCl finds in a page in the place of its compiled module `nacl._sodium`.

PyNaCl's own Python runs above it, with all its checks and errors. Below is libsodium compiled for
pages, whose memory is another one: `sodium.js` copies the arguments of a call there and back.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import _page_sodium

FUNCTIONS: Final = {
    "crypto_aead_chacha20poly1305_ietf_decrypt": "bbbbnbnbb",
    "crypto_aead_chacha20poly1305_ietf_encrypt": "bbbnbnbbb",
    "crypto_core_ed25519_add": "bbb",
    "crypto_core_ed25519_is_valid_point": "b",
    "crypto_core_ed25519_sub": "bbb",
    "crypto_scalarmult": "bbb",
    "crypto_scalarmult_base": "bb",
    "crypto_scalarmult_ed25519_base_noclamp": "bb",
    "crypto_scalarmult_ed25519_noclamp": "bbb",
    "crypto_secretbox_easy": "bbnbb",
    "crypto_secretbox_open_easy": "bbnbb",
    "crypto_sign": "bbbnb",
    "crypto_sign_ed25519_pk_to_curve25519": "bb",
    "crypto_sign_ed25519_sk_to_curve25519": "bb",
    "crypto_sign_open": "bbbnb",
    "crypto_sign_seed_keypair": "bbb",
}
"""The functions that a page uses. An argument is bytes or NULL (b), or a length of 64 bits (n)."""


class Number(bytearray):
    """The memory of one number, which a function writes."""

    def __getitem__(self, at: Any) -> Any:
        """Return the number for 0."""
        return int.from_bytes(self, "little") if at == 0 else super().__getitem__(at)


class _Ffi:
    """What PyNaCl uses of cffi. Memory is a bytearray."""

    NULL = None

    @staticmethod
    def new(kind: str, size: int = 0) -> bytearray:
        """Return zeroed memory: an array of so many bytes, or one number."""
        return bytearray(size) if kind.endswith("[]") else Number(8)

    @staticmethod
    def buffer(memory: bytearray, size: int | None = None) -> bytes:
        """Return a copy of the first bytes, None for all of them."""
        return bytes(memory if size is None else memory[:size])

    @staticmethod
    def cast(kind: str, value: object) -> object:
        """Return a pointer unchanged."""
        return value

    @staticmethod
    def string(pointer: object) -> bytes:
        """Return b"": the only texts are prefixes of stored passwords, which a page has not."""
        return b""

    @staticmethod
    def init_once(act: Callable[[], object], tag: str) -> None:
        """Act. Modules are loaded once, and by one thread."""
        act()


class _Shared:
    """The memory through which the bytes of a call pass."""

    def __init__(self) -> None:
        self.view = memoryview(bytearray())
        self.grow(1 << 16)

    def grow(self, size: int) -> None:
        """Make room for so many bytes."""
        memory = bytearray(size)
        _page_sodium.attach(memory)
        self.view = memoryview(memory)


_shared: Final = _Shared()


def _function(name: str) -> Callable[..., int]:
    """Return a function of libsodium."""
    call = _page_sodium.function(name, FUNCTIONS[name])

    def run(*arguments: bytes | bytearray | int | None) -> int:
        parts = [one for one in arguments if isinstance(one, bytes | bytearray)]
        size = sum(map(len, parts))
        if size > len(_shared.view):
            _shared.grow(2 * size)
        view, at = _shared.view, 0
        for part in parts:
            view[at : at + len(part)] = part
            at += len(part)
        result: int = call(size, *map(_told, arguments))
        at = 0
        for part in parts:
            if isinstance(part, bytearray):
                part[:] = view[at : at + len(part)]
            at += len(part)
        return result

    return run


def _told(argument: bytes | bytearray | int | None) -> int:
    """Return a length, the length of bytes, or -1 for NULL."""
    if argument is None:
        return -1
    return argument if isinstance(argument, int) else len(argument)


class _Lib:
    """The functions and constants of libsodium. Each is looked up once."""

    def __getattr__(self, name: str) -> Any:
        """Return a function, or a constant that tells whether there is one."""
        if name.startswith("__"):
            raise AttributeError(name)
        if name.startswith("PYNACL_HAS"):
            return 1
        found = _function(name) if name in FUNCTIONS else _constant(name)
        setattr(self, name, found)
        return found


def _constant(name: str) -> Callable[..., int]:
    """Return a function that takes no argument. Sizes that only other systems have are 0."""

    def read(*arguments: object) -> int:
        if arguments:
            # Whoever checks a proof takes a RuntimeError, TypeError or ValueError for a refusal.
            raise LookupError(f"{name} is not among the functions of a page")
        found: int = _page_sodium.number(name)
        return found

    return read


ffi: Final = _Ffi()
lib: Final = _Lib()
