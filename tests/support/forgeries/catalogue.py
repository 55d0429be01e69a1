"""The catalogue of forged bodies: one row for each way to break a step, with its fault.

Cheaters at simulated tables, in real processes and in the transcripts of `tests/vectors` are made
from these rows. Each row names the section of SPEC.md whose check must find it.
"""

from collections.abc import Callable
from dataclasses import dataclass

from protocol.chain.chain_state import Kind, Node
from protocol.wire import step_bodies
from support.forgeries import bodies as make
from support.forgeries.bodies import Forge, fixed, patched


@dataclass(frozen=True)
class Forgery:
    """One forged body.

    Attributes:
        what: What the seat does, as the predicate of a sentence.
        code: The fault that every honest seat must report.
        section: The section of SPEC.md that forbids it.
        kind: The kind of step in which it is sent.
        forge: Makes the body.
        name: The name of the choice, if the forgery is for steps of one choice only.
        seats: The fewest seats of a table at which it can be done.
        later: The fault is not in this body; a later step shows it.
        lost: It needs a step in which the sealed choice of an absent seat is opened.
    """

    what: str
    code: str
    section: str
    kind: Kind
    forge: Forge
    name: str = ""
    seats: int = 2
    later: bool = False
    lost: bool = False

    def due(self, seat: int, least: int = 0) -> Callable[[Node], bool]:
        """Return whether a node is one at which this seat can send the forgery.

        Args:
            seat: The faulty seat.
            least: The lowest step number in which it is sent.
        """

        def is_due(node: Node) -> bool:
            want = node.want
            asked = seat in want.owes if want.owes else seat in want.speakers
            named = not self.name or want.name == self.name
            fits = named and node.step >= least and (not self.lost or bool(node.lost))
            return want.kind is self.kind and asked and fits

        return is_due


KEY, REVEAL, KEY_OK = Kind.KEY_COMMIT, Kind.KEY_REVEAL, Kind.KEY_OK

FORGERIES: dict[str, Forgery] = {
    "transport-key-of-low-order": Forgery(
        "commits to the transport key 0", "bad-key", "7.1", KEY, patched(1, lambda _: bytes(32))
    ),
    "key-other-than-committed": Forgery(
        "commits to the hash of another key vector than it shows",
        "bad-key-hash",
        "7.1",
        KEY,
        patched(0, make.flip),
        later=True,
    ),
    "key-not-proven": Forgery(
        "changes the response in the proof of its key",
        "bad-key-proof",
        "7.1",
        REVEAL,
        patched(1, make.plus_one),
    ),
    "key-outside-the-group": Forgery(
        "adds a point of order eight to its key",
        "bad-point",
        "2.3",
        REVEAL,
        patched(0, make.off_group),
    ),
    "key-is-the-identity": Forgery(
        "shows the identity for its key",
        "bad-point",
        "2.3",
        REVEAL,
        patched(0, make.identity_first),
    ),
    "key-vector-too-long": Forgery(
        "shows a vector of two points at a strict table",
        "bad-body",
        "7.1",
        REVEAL,
        patched(0, lambda vector: vector + vector),
    ),
    "key-share-that-does-not-open": Forgery(
        "spoils the key shares that it encrypts for the others, who complain",
        "bad-key-sharing",
        "7.1",
        REVEAL,
        patched(2, lambda pieces: tuple(make.flip(p) if p else p for p in pieces)),
        seats=3,
        later=True,
    ),
    "key-share-of-another-size": Forgery(
        "seals a piece that is one byte longer",
        "bad-body",
        "7.1",
        REVEAL,
        patched(2, lambda pieces: (pieces[0] + b"\0", *pieces[1:])),
        seats=3,
    ),
    "key-share-that-is-zero": Forgery(
        "deals a polynomial with a root at seat 0, which could give no share for it",
        "bad-key-sharing",
        "7.1",
        KEY,
        make.zero_key_share,
        seats=3,
        later=True,
    ),
    "complaint-of-a-sound-key-share": Forgery(
        "complains of seat 0's piece, which is sound",
        "false-complaint",
        "7.1",
        KEY_OK,
        make.false_complaint,
        seats=3,
    ),
    "complaint-with-another-secret": Forgery(
        "complains with a secret that is not that of its transport key",
        "false-complaint",
        "7.1",
        KEY_OK,
        fixed(step_bodies.encode_body(step_bodies.Complaint(0, b"\x01" * 32))),
        seats=3,
    ),
    "coin-escrow-not-proven": Forgery(
        "puts another seat's escrow beside the commitment to its coin",
        "bad-escrow",
        "7.5",
        KEY_OK,
        patched(0, make.flip),
        seats=3,
    ),
    "escrow-at-a-strict-table": Forgery(
        "adds an escrow where there is none",
        "bad-escrow",
        "7.5",
        KEY_OK,
        patched(1, lambda _: bytes(194)),
    ),
    "cards-exchanged-after-the-proof": Forgery(
        "exchanges the first two cards after its shuffle was proven",
        "bad-shuffle",
        "7.2",
        Kind.SHUFFLE,
        patched(0, make.exchanged),
    ),
    "card-outside-the-group": Forgery(
        "adds a point of order eight to a card it shuffled",
        "bad-shuffle",
        "7.2",
        Kind.SHUFFLE,
        patched(0, make.off_group),
    ),
    "deck-ok-with-a-body": Forgery(
        "gives another body than the empty one in `deck.ok`",
        "bad-body",
        "7.7",
        Kind.DECK_OK,
        fixed(b"\x01"),
    ),
    "dealt-share-not-proven": Forgery(
        "changes the response in the proof of the shares it deals",
        "bad-share",
        "7.4",
        Kind.DEAL,
        patched(1, make.plus_one),
    ),
    "dealt-share-outside-the-group": Forgery(
        "adds a point of order eight to a share it deals",
        "bad-point",
        "7.6",
        Kind.DEAL,
        patched(1, make.off_group),
    ),
    "dealt-share-with-a-large-scalar": Forgery(
        "writes the response in the proof of its shares with the order added",
        "bad-scalar",
        "7.6",
        Kind.DEAL,
        patched(1, make.plus_order),
    ),
    "share-left-out": Forgery(
        "leaves out its shares", "bad-body", "7.6", Kind.DEAL, patched(1, lambda _: b"")
    ),
    "coin-opened-with-another-nonce": Forgery(
        "opens its coin with another nonce", "bad-opening", "7.6", Kind.DEAL, make.other_nonce
    ),
    "body-of-three-fields": Forgery(
        "gives a body of three fields where four are due",
        "bad-body",
        "7.6",
        Kind.DEAL,
        fixed(b"\x93\xc0\xc4\x00\x90"),
    ),
    "body-not-shortest": Forgery(
        "writes an array of four with three bytes where one does",
        "bad-body",
        "7.6",
        Kind.DEAL,
        lambda machine, node, step_input: b"\xdc\x00\x04" + step_input.body[1:],
    ),
    "pass-where-a-choice-is-due": Forgery(
        "gives the empty body where it owes a sealed choice",
        "bad-body",
        "7.7",
        Kind.SEAL,
        fixed(step_bodies.EMPTY),
        name="action",
    ),
    "action-card-not-in-hand": Forgery(
        "seals an Action card that does not exist, and opens it",
        "illegal-choice",
        "7.6",
        Kind.SEAL,
        make.sealed(99),
        name="action",
        later=True,
    ),
    "choice-opened-with-another-nonce": Forgery(
        "opens its choice with another nonce",
        "bad-opening",
        "7.6",
        Kind.REVEAL,
        make.other_nonce,
        name="action",
    ),
    "share-outside-the-group": Forgery(
        "adds a point of order eight to a share of a card",
        "bad-point",
        "7.6",
        Kind.OPEN,
        patched(1, make.off_group),
    ),
    "share-not-proven": Forgery(
        "changes the response in the proof of its shares",
        "bad-share",
        "7.4",
        Kind.OPEN,
        patched(1, make.plus_one),
    ),
    "share-with-a-large-scalar": Forgery(
        "writes the response in the proof of its shares of a card with the order added",
        "bad-scalar",
        "7.6",
        Kind.OPEN,
        patched(1, make.plus_order),
    ),
    "barrier-with-a-body": Forgery(
        "gives another body than the empty one in a `barrier`",
        "bad-body",
        "7.7",
        Kind.BARRIER,
        fixed(b"\x01"),
        seats=3,
    ),
    "body-where-none-is-due": Forgery(
        "gives another body than the empty one in `over`",
        "bad-body",
        "7.7",
        Kind.OVER,
        fixed(b"\x01"),
    ),
    "escrow-of-a-card": Forgery(
        "puts the first point of a card into the escrow of its choice, to have it opened",
        "bad-escrow",
        "7.5",
        Kind.SEAL,
        make.card_escrow,
        name="action",
        seats=3,
    ),
    "escrow-of-another-size": Forgery(
        "adds a byte to the escrow of its choice",
        "bad-escrow",
        "7.5",
        Kind.SEAL,
        patched(1, lambda escrow: escrow + b"\0"),
        name="action",
        seats=3,
    ),
    "escrow-of-another-opening": Forgery(
        "seals an opening into its escrow that does not fit its commitment",
        "bad-escrow",
        "7.6",
        Kind.SEAL,
        make.empty_escrow,
        name="action",
        seats=3,
        later=True,
    ),
    "escrow-share-not-proven": Forgery(
        "changes the response in the proof of its share of an absent seat's escrow",
        "bad-escrow-share",
        "7.5",
        Kind.REVEAL,
        make.escrow_share,
        seats=5,
        lost=True,
    ),
    "choice-against-the-rules": Forgery(
        "seals an Action card that it does not hold, and opens it",
        "illegal-choice",
        "7.6",
        Kind.SEAL,
        make.sealed(47),
        name="action",
        later=True,
    ),
}
"""Name to forgery."""
