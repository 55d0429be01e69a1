"""Proofs that both ends of a link know a ticket's secret. The secret itself is never sent.

A proof is a hash of the secret, of the binding, of the ids of host and guest, and of the digest of
the terms. Only the two ends of one link know the bytes of its binding. So a proof is worthless on
another link, at another table, and for another pair of peers. Here the host is the peer that the
guest asks. A proof has 32 bytes, or none if there is no secret.
"""

from __future__ import annotations

import hmac
from dataclasses import dataclass, field

from protocol import Label, digest


@dataclass(frozen=True)
class Capability:
    """The secret of one table's tickets. It makes and checks proofs that a peer knows it ([L-15]).

    Attributes:
        terms: The digest of the terms.
        secret: 16 bytes. Empty if the tickets have none.
        is_open: Whether everyone is let in without a proof. If false and there is no secret, nobody
            is let in.
    """

    terms: bytes
    secret: bytes = field(default=b"", repr=False)
    is_open: bool = False

    def next(self, terms: bytes) -> Capability:
        """Return the capability for the next table, by the digest of its terms ([A-7]).

        Whoever has this secret and knows the next terms can compute the next secret. Nobody can
        compute an earlier secret from a later one.
        """
        # As long as before, so that a table without a secret has none afterwards either ([A-7]).
        secret = digest(Label.NEXT_TICKET, self.secret, terms)[: len(self.secret)]
        return Capability(terms, secret, self.is_open)

    def guest_proof(self, binding: bytes, host: bytes, guest: bytes) -> bytes:
        """Return the proof in a guest's first frame."""
        return self._proof(Label.TICKET_GUEST, binding, host, guest)

    def host_proof(self, binding: bytes, host: bytes, guest: bytes) -> bytes:
        """Return the proof with which a peer answers a guest."""
        return self._proof(Label.TICKET_HOST, binding, host, guest)

    def _proof(self, label: Label, binding: bytes, host: bytes, guest: bytes) -> bytes:
        """Return the proof that a label names, empty if there is no secret."""
        if not self.secret:
            return b""
        # The label keeps the guest's proof from being sent back to it as the host's.
        return digest(label, self.secret, binding, host, guest, self.terms)

    def admits(self, proof: bytes, binding: bytes, host: bytes, guest: bytes) -> bool:
        """Return whether to let in a guest that has sent a proof ([L-16])."""
        return self.is_open or self._is(proof, self.guest_proof(binding, host, guest))

    def trusts(self, proof: bytes, binding: bytes, host: bytes, guest: bytes) -> bool:
        """Return whether a guest believes a peer's proof, as it does without a secret ([L-17])."""
        return not self.secret or self._is(proof, self.host_proof(binding, host, guest))

    def _is(self, proof: bytes, expected: bytes) -> bool:
        """Compare a proof with the expected one. An empty one is never accepted."""
        # In constant time, so that a guest cannot find the proof byte by byte.
        # Without a secret the expected proof is empty, and an empty one would let everybody in.
        return bool(expected) and hmac.compare_digest(proof, expected)
