"""Proofs that both ends of a link know a ticket's secret. The secret itself is never sent."""

from __future__ import annotations

import hmac
from dataclasses import dataclass, field

from protocol import Label, digest


@dataclass(frozen=True)
class Capability:
    """The secret of one table's tickets. It makes and checks proofs that a node knows it ([L-15]).

    A proof is a hash of the secret, of bytes that name one link, of the ids of both nodes, and of
    the digest of the terms. So a proof is worthless on another link, at another table, and for
    another pair of nodes.

    Attributes:
        terms: The digest of the terms, 32 bytes.
        secret: The secret, 16 bytes. Empty if the tickets have none.
        is_open: Whether everyone is let in without a proof. If false and there is no secret, nobody
            is let in.
    """

    terms: bytes
    secret: bytes = field(default=b"", repr=False)
    is_open: bool = False

    def next(self, terms: bytes) -> Capability:
        """Return the capability (the secret of the tickets) for the next table of the same people.

        The next secret is a hash of this secret and the next terms ([A-7]). So whoever has this
        secret and knows the terms can compute the next one. Nobody can compute an earlier secret
        from a later one.

        Args:
            terms: The digest of the terms of the next table, 32 bytes.
        """
        secret = digest(Label.NEXT_TICKET, self.secret, terms)[: len(self.secret)]
        return Capability(terms, secret, self.is_open)

    def guest_proof(self, binding: bytes, host: bytes, guest: bytes) -> bytes:
        """Return the proof that a guest knows the ticket's secret, for the guest's first frame.

        Args:
            binding: The bytes that only the two ends of the link know.
            host: The id of the node to which the guest sends the proof, 32 bytes.
            guest: The id of the guest, 32 bytes.

        Returns:
            The proof, 32 bytes. Empty if the ticket has no secret.
        """
        return self._proof(Label.TICKET_GUEST, binding, host, guest)

    def host_proof(self, binding: bytes, host: bytes, guest: bytes) -> bytes:
        """Return the proof with which a node shows a guest that it knows the ticket's secret.

        The node's answer to the guest begins with this proof.

        Args:
            binding: The bytes that only the two ends of the link know.
            host: The id of the node that the guest asks, 32 bytes.
            guest: The id of the guest, 32 bytes.

        Returns:
            32 bytes. Empty if there is no secret.
        """
        return self._proof(Label.TICKET_HOST, binding, host, guest)

    def _proof(self, label: Label, binding: bytes, host: bytes, guest: bytes) -> bytes:
        """Return the proof that the guest or the host of a link knows the tickets' secret.

        `label` decides whose proof it is, and `binding` names the link. `host` and `guest` are the
        ids of the two nodes. The proof is empty if there is no secret.
        """
        if not self.secret:
            return b""
        return digest(label, self.secret, binding, host, guest, self.terms)

    def admits(self, proof: bytes, binding: bytes, host: bytes, guest: bytes) -> bool:
        """Return whether to let in a guest that has sent a proof ([L-16]).

        Args:
            binding: The bytes that only the two ends of the link know.
            host: The id of this node.
            guest: The id of the guest.

        Returns:
            True if the proof is right, or everyone is let in.
        """
        return self.is_open or self._is(proof, self.guest_proof(binding, host, guest))

    def trusts(self, proof: bytes, binding: bytes, host: bytes, guest: bytes) -> bool:
        """Check, as a guest, another node's proof that it knows the secret of the ticket.

        Args:
            proof: The proof that the other node has sent.
            binding: The bytes that only the two ends of the link know.
            host: The id of the other node, 32 bytes.
            guest: The id of the guest, 32 bytes.

        Returns:
            True if the proof is right, or if the guest's ticket has no secret.

        SPEC: [L-17].
        """
        return not self.secret or self._is(proof, self.host_proof(binding, host, guest))

    def _is(self, proof: bytes, expected: bytes) -> bool:
        """Compare a proof with the expected one, in constant time.

        An empty proof is never accepted.
        """
        return bool(expected) and hmac.compare_digest(proof, expected)
