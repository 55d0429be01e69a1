"""Proofs of a ticket's secret, both ways over one link; the secret is never sent."""

from __future__ import annotations

import hmac
from dataclasses import dataclass, field

from protocol import Label, digest


@dataclass(frozen=True)
class Capability:
    """The secret of one table's tickets, and the digest of its terms ([L-15]).

    A proof is a hash over the secret, the binding of one link, who admits, who comes, and the
    terms: it is worth nothing on another link, at another table or seat, or from another guest.
    Without a secret there is nothing to prove: `is_open` lets everyone in, else nobody gets in.
    """

    terms: bytes
    secret: bytes = field(default=b"", repr=False)
    is_open: bool = False

    def next(self, terms: bytes) -> Capability:
        """The same for the next table of the same people: whoever holds one secret and was at the
        table can make the next one, and no earlier one ([A-7])."""
        secret = digest(Label.NEXT_TICKET, self.secret, terms)[: len(self.secret)]
        return Capability(terms, secret, self.is_open)

    def guest_proof(self, binding: bytes, host: bytes, guest: bytes) -> bytes:
        """What a guest shows first; nothing without a secret."""
        return self._proof(Label.TICKET_GUEST, binding, host, guest)

    def host_proof(self, binding: bytes, host: bytes, guest: bytes) -> bytes:
        """What the guest gets back before anything else."""
        return self._proof(Label.TICKET_HOST, binding, host, guest)

    def _proof(self, label: Label, binding: bytes, host: bytes, guest: bytes) -> bytes:
        if not self.secret:
            return b""
        return digest(label, self.secret, binding, host, guest, self.terms)

    def admits(self, proof: bytes, binding: bytes, host: bytes, guest: bytes) -> bool:
        """Whether a guest may come in on what it shows ([L-16])."""
        return self.is_open or self._is(proof, self.guest_proof(binding, host, guest))

    def trusts(self, proof: bytes, binding: bytes, host: bytes, guest: bytes) -> bool:
        """Whether the one who admits holds our secret too; with none of our own, anyone may.

        SPEC: [L-17].
        """
        return not self.secret or self._is(proof, self.host_proof(binding, host, guest))

    def _is(self, proof: bytes, expected: bytes) -> bool:
        return bool(expected) and hmac.compare_digest(proof, expected)
