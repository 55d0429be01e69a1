"""The versions and features that the two ends of a handshake name.

The dialler takes the highest version that both sides support. Its signature covers the offered
range of versions, so a man in the middle cannot force a lower version. On a link each side then
names its features in a frame `hello`.

SPEC: sections 13.1 and 15.
"""

from __future__ import annotations

import re
import secrets
from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, Final

from protocol import Invalid, codec

from .handshake_codes import HandshakeCode
from .network_errors import MisfitError, NetError, NobodyError

NONCE = 32
"""Bytes of a nonce."""
INSTANCE = 16
"""Bytes of an instance, the random number of a process."""
MAX_HANDSHAKE_FRAME = 256
"""The most bytes of a frame of a handshake that is no `hello`."""
MAX_HELLO: Final = 512
"""The most bytes of a frame `hello`."""
MOST_VERSION: Final = 31
"""The highest possible version number.

A space (32) has no meaning as a version, because the greeting of version 2 of the protocol has a
space in this place.
"""
GREETING_2: Final = b"hoity link "
"""The beginning of a challenge in version 2 of the protocol. A digit follows."""


@dataclass(frozen=True)
class Versions:
    """A range of protocol versions that a program supports, on links or with relays.

    Attributes:
        greeting: The bytes with which a challenge of this protocol begins.
    """

    greeting: bytes
    lowest: int
    highest: int

    def __contains__(self, version: int) -> bool:
        return self.lowest <= version <= self.highest

    def __str__(self) -> str:
        return str(self.lowest) if self.lowest == self.highest else f"{self.lowest}-{self.highest}"

    def challenge(self, instance: bytes) -> bytes:
        """Make a fresh challenge, which a listener sends first.

        Args:
            instance: The random number of this process.

        Returns:
            The challenge: greeting, lowest and highest version (1 byte each), nonce and instance.
        """
        spoken = bytes([self.lowest, self.highest])
        return self.greeting + spoken + secrets.token_bytes(NONCE) + instance

    def take(self, challenge: bytes) -> int:
        """Return the highest version that both this program and the sender of a challenge support.

        Raises:
            NobodyError: If there is no such version, or the bytes are not a challenge of this
                protocol.

        SPEC: [L-71].
        """
        if challenge.startswith(GREETING_2):
            raise NobodyError(HandshakeCode.OF_VERSION_2)
        size = len(self.greeting) + 2
        spoken = challenge[len(self.greeting) : size]
        is_ours = challenge.startswith(self.greeting)
        if not is_ours or len(challenge) != size + NONCE + INSTANCE:
            raise NobodyError(HandshakeCode.OTHER_LANGUAGE)
        theirs = Versions(self.greeting, *spoken)
        if not 1 <= theirs.lowest <= theirs.highest <= MOST_VERSION:
            raise NobodyError(HandshakeCode.OTHER_LANGUAGE)
        taken = min(self.highest, theirs.highest)
        if taken not in self or taken not in theirs:
            told = {"theirs": str(theirs), "ours": str(self)}
            raise NobodyError(HandshakeCode.NO_COMMON_VERSION, **told)
        return taken


LINK_VERSIONS: Final = Versions(b"hoity link", 7, 7)
"""The versions of the link protocol that this program supports.

Version 6 belongs to version 2 of the protocol.

A program must support the versions of all tables that its player may still have to finish ([X-3]).
"""
RELAY_VERSIONS: Final = Versions(b"hoity relay", 1, 1)
"""The versions that this program supports of the protocol between a relay and its users.

They do not concern what two peers send to each other through a relay.
"""
FEATURES: Final[frozenset[int]] = frozenset()
"""The numbers of the protocol features that this program has on links. There are none yet."""
MOST_FEATURES: Final = 64
"""The most features that one side of a link may name."""
HIGHEST_FEATURE: Final = 65_535
"""The highest number of a feature."""
_SERVER: Final = re.compile(r"([a-z0-9_.-]{1,253}|\[[0-9a-f:.]{2,45}])(:[1-9][0-9]{0,4})?")


def is_server(text: str) -> bool:
    """Return whether a text names the server of a page, as a browser shows it ([L-72])."""
    return _SERVER.fullmatch(text) is not None


@dataclass(frozen=True)
class Speech:
    """The protocol versions and features that one program supports on its links.

    Attributes:
        features: The numbers of the program's features. If a number is even, the other side must
            have the feature, too.
        feature_of: Takes the first bytes of a frame, and returns the feature that a peer must have
            to be sent this frame. None if every peer is sent it.
        page: The server of the page in which this program runs, such as 'relay.example'. None if it
            runs in none.
    """

    versions: Versions = LINK_VERSIONS
    features: frozenset[int] = FEATURES
    feature_of: Callable[[bytes], int | None] = lambda head: None
    page: str | None = None

    def hello(self) -> bytes:
        """Return the frame `hello`, which names the features and the page of this program."""
        return codec.encode(HELLO.write(Hello(tuple(sorted(self.features)), self.page)))

    def check(self, theirs: frozenset[int]) -> None:
        """Check that a link is possible with a peer that has the given features.

        Args:
            theirs: The numbers of the other peer's features.

        Raises:
            MisfitError: If one side has a feature with an even number, and the other side lacks it.

        SPEC: [L-73].
        """
        ours = self.features
        for code, missing in (
            (HandshakeCode.FEATURE_UNKNOWN, theirs - ours),
            (HandshakeCode.FEATURE_LACKED, ours - theirs),
        ):
            needed = [feature for feature in missing if feature % 2 == 0]
            if needed:
                raise MisfitError(code, number=min(needed))


@dataclass(frozen=True)
class Hello:
    """The first frame of each side of a link.

    Attributes:
        features: The numbers of the features, in rising order.
        page: The server of the page in which the sender says that it runs. None if it names none.
    """

    features: Annotated[
        tuple[int, ...],
        codec.Rows(codec.Int(HIGHEST_FEATURE), MOST_FEATURES, key=lambda feature: feature),
    ]
    page: Annotated[str, codec.Text(is_server)] | None = None


HELLO: Final[codec.Kinds[Hello]] = codec.Kinds({"hello": (Hello, MAX_HELLO)})


def read_hello(data: bytes) -> Hello:
    """Read a frame `hello`.

    Raises:
        NetError: If the frame is not a valid hello.

    SPEC: [L-72].
    """
    try:
        return HELLO.parse(data, "a hello")
    except Invalid:
        raise NetError(HandshakeCode.NO_HELLO) from None
