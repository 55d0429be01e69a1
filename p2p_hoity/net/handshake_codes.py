"""The verdicts of a listener on a handshake, and the reasons why a handshake fails."""

from __future__ import annotations

from enum import IntEnum
from typing import Final

from ..coded_errors import NetworkCode


class Verdict(IntEnum):
    """The listener's answer at the end of a handshake: that the dialler is welcome, or why not."""

    WELCOME = 0
    NOT_PROVEN = 1
    FULL = 2
    DUPLICATE = 3
    REFUSED = 4
    UNKNOWN = 5
    NO_ANSWER = 6
    ELSEWHERE = 7
    MISFIT = 8

    def encode(self) -> bytes:
        """Return the verdict as it is sent."""
        return bytes([self])


class HandshakeCode(NetworkCode):
    """The reasons why a handshake fails, such as a refusal by the other side or a wrong frame."""

    NOT_PROVEN = "verdict-not-proven", "the other program did not accept our signature"
    FULL = "verdict-full", "the other program has no room for more links"
    DUPLICATE = "verdict-duplicate", "the other program already has a link with this one"
    REFUSED = "verdict-refused", "the other program refuses a link with this one"
    UNKNOWN = "verdict-unknown", "nobody with that id or number waits at this relay"
    NO_ANSWER = "verdict-no-answer", "the peer that waits at this relay did not answer"
    ELSEWHERE = "verdict-elsewhere", "another process with our key is linked with it"
    MISFIT = (
        "verdict-features",
        "the other program and this one need features of each other that they do not have; "
        "update the older one",
    )
    NO_VERDICT = (
        "no-verdict",
        ("the other program did not answer the handshake as the protocol requires"),
    )
    OTHER_VERDICT = (
        "verdict-unknown-to-us",
        (
            "the other program refuses the link for a reason that this one does not know "
            "(verdict {number})"
        ),
    )
    OTHER_LANGUAGE = "handshake-of-other-kind", "the other program uses another protocol"
    OF_VERSION_2 = (
        "handshake-of-version-two",
        (
            "the other program uses version 2 of the protocol: both ends need hoity 0.1, or "
            "both a later version"
        ),
    )
    NO_COMMON_VERSION = (
        "handshake-without-common-version",
        "the other program uses version {theirs} of the connection, and this one version "
        "{ours}; update the older one",
    )
    NO_HELLO = (
        "hello-of-other-form",
        ("the other program did not name its features as the protocol requires"),
    )
    FEATURE_UNKNOWN = (
        "feature-unknown",
        "the other program needs feature {number}, which this one lacks; update this program",
    )
    FEATURE_LACKED = (
        "feature-lacked",
        "the other program lacks feature {number}, which this one needs; it has to be updated",
    )
    ANSWER_VERSION = (
        "answer-of-other-version",
        ("the other program chose a version that was not offered"),
    )
    ANSWER_SIZE = (
        "answer-of-other-size",
        ("the answer of the other program to the challenge has the wrong length"),
    )
    IS_OURSELVES = "answer-by-ourselves", "the other program claims to be this one"
    NO_PROOF = "answer-without-proof", "the signature of the other program does not prove its id"
    NO_ADDRESS = "answer-without-address", "its answer is not a single address"


BY_VERDICT: Final[dict[Verdict, HandshakeCode]] = {
    verdict: HandshakeCode[verdict.name] for verdict in Verdict if verdict is not Verdict.WELCOME
}
"""The reason for each verdict except WELCOME."""
