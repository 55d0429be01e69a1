"""The gate: files that end with a body no seat may say, well signed by the seat that said it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from vectors.making import lying
from vectors.making.lying import opening, owing, patched
from vectors.making.tables import Plan, VectorRoom, before, on_say

from protocol.chain import transition
from protocol.chain.state import Kind, Node
from protocol.seat.machine import Machine
from protocol.transcript import writer
from protocol.transcript.format import Content, Evidence, Signed, Step, Transcript
from protocol.wire import bodies
from protocol.wire.messages import Message, Say

Due = Callable[[Node], bool]


def row(machine: Machine, node: Node, step: Step) -> tuple[Signed, ...]:
    """The signatures of a step's bodies, all said in epoch 0."""
    says = {(m.seat, _say(m).on, _say(m).body): m for m in machine.core.store.says(0, node.step)}
    said = [(seat, slot) for seat, slot in enumerate(step.slots) if isinstance(slot, bytes)]
    return tuple((0, says[seat, node.digest, body].signature) for seat, body in said)


def _say(message: Message) -> Say:
    assert isinstance(message.statement, Say)
    return message.statement


def undisturbed(machine: Machine, last: int | None = None) -> Transcript:
    """The chain that a machine follows in epoch 0, up to a step, with its signatures."""
    nodes = [n for n in writer.to_the_end(machine.tip) if last is None or n.step <= last]
    steps = [Step(node.slots or ()) for node in nodes[1:]]
    rows = [row(machine, a, step) for a, step in zip(nodes[:-1], steps, strict=True)]
    content = Content(machine.table.header.encode(), tuple(steps))
    return Transcript(content, Evidence(tuple(rows)))


def and_then(whole: Transcript, machine: Machine, extra: dict[int, bytes]) -> Transcript:
    """The same with all that was said in the next step, and more that is not said yet."""
    node, step = machine.tip, machine.tip.step
    said = {m.seat: _say(m).body for m in machine.core.store.says(0, step)}
    entry = Step(transition.slots_of(node, said | extra))
    entry = replace(entry, slots=tuple(extra.get(i, s) for i, s in enumerate(entry.slots)))
    rows = (*whole.evidence.signatures, row(machine, node, entry))
    content = replace(whole.content, entries=(*whole.content.entries, entry))
    return Transcript(content, replace(whole.evidence, signatures=rows))


@dataclass(frozen=True)
class Refused:
    """In a sentence what is said, its code, who says it, and how the table is played."""

    what: str
    code: str
    due: Due
    forge: lying.Forge
    seats: int = 2
    variant: str | None = "confrontation"
    convicts: bool = False

    @property
    def seat(self) -> int:
        """The last seat lies."""
        return self.seats - 1

    @property
    def plan(self) -> Plan:
        """What the table is made from."""
        variant = self.variant if self.seats == 2 else None
        return Plan(f"refused {self.code}", "small-4", self.seats, variant)

    def file(self) -> bytes:
        """The bytes of the file."""
        room = VectorRoom(self.plan, {self.seat: on_say(self.due, self.forge)}).play(until=1)
        machine = room.places[0].machine
        whole = undisturbed(machine)
        return (whole if self.convicts else and_then(whole, machine, {})).encode()


def not_asked() -> bytes:
    """A second body in a shuffle, well signed."""
    plan = Plan("refused not-expected", "small-4", 2, "confrontation")
    room = VectorRoom(plan).play(until=1)
    machine, liar = room.places[0].machine, room.places[1].machine
    node = machine.tip.before(4)
    assert node is not None
    whole = undisturbed(machine, 5)
    say = lying.signed(liar, Say(0, 4, node.digest, bodies.EMPTY))
    first = whole.content.entries[3]
    assert isinstance(first, Step)
    entries = (*whole.content.entries[:3], Step((first.slots[0], bodies.EMPTY)))
    rows = whole.evidence.signatures
    last = (*rows[3], (0, say.signature))
    evidence = Evidence((*rows[:3], last))
    return Transcript(Content(whole.content.header, entries), evidence).encode()


KEY, REVEAL, KEY_OK = before(Kind.KEY_COMMIT), before(Kind.KEY_REVEAL), before(Kind.KEY_OK)
SHUFFLE, LAST_OF_TWO = before(Kind.SHUFFLE), 1

REFUSED: dict[str, Refused] = {
    "transport-key-of-low-order": Refused(
        "Seat 1 commits to the transport key 0.", "bad-key", KEY, patched(1, lambda _: bytes(32))
    ),
    "key-other-than-committed": Refused(
        "Seat 1 commits to the hash of another key vector than it shows.",
        "bad-key-hash",
        KEY,
        patched(0, lying.flip),
    ),
    "key-not-proven": Refused(
        "Seat 1 changes the response in the proof of its key.",
        "bad-key-proof",
        REVEAL,
        patched(1, lying.plus_one),
    ),
    "key-outside-the-group": Refused(
        "Seat 1 adds a point of order eight to its key.",
        "bad-point",
        REVEAL,
        patched(0, lying.off_group),
    ),
    "key-is-the-identity": Refused(
        "Seat 1 shows the identity for its key.",
        "bad-point",
        REVEAL,
        patched(0, lying.identity_first),
    ),
    "key-vector-too-long": Refused(
        "Seat 1 shows a vector of two points at a strict table.",
        "bad-body",
        REVEAL,
        patched(0, lambda vector: vector + vector),
    ),
    "backup-piece-that-does-not-open": Refused(
        "Seat 2 spoils the pieces it seals to the others, who complain.",
        "bad-backup",
        REVEAL,
        patched(2, lambda pieces: tuple(lying.flip(p) if p else p for p in pieces)),
        seats=3,
        convicts=True,
    ),
    "backup-piece-of-another-size": Refused(
        "Seat 2 seals a piece that is one byte longer.",
        "bad-body",
        REVEAL,
        patched(2, lambda pieces: tuple(p + b"\0" if p else p for p in pieces)),
        seats=3,
    ),
    "backup-piece-that-is-zero": Refused(
        "Seat 2 deals a polynomial with a root at seat 0, which could give no share for it.",
        "bad-backup",
        KEY,
        lying.zero_piece,
        seats=3,
    ),
    "complaint-of-a-sound-piece": Refused(
        "Seat 2 complains of seat 0's piece, which is sound.",
        "false-complaint",
        KEY_OK,
        lying.false_complaint,
        seats=3,
    ),
    "complaint-with-another-secret": Refused(
        "Seat 2 complains with a secret that is not that of its transport key.",
        "false-complaint",
        KEY_OK,
        lying.fixed(bodies.encode_body(bodies.Complaint(0, b"\x01" * 32))),
        seats=3,
    ),
    "coin-escrow-not-proven": Refused(
        "Seat 2 puts another seat's escrow beside the commitment to its coin.",
        "bad-escrow",
        KEY_OK,
        patched(0, lying.flip),
        seats=3,
    ),
    "escrow-at-a-strict-table": Refused(
        "Seat 1 adds an escrow where there is none.",
        "bad-escrow",
        KEY_OK,
        patched(1, lambda _: bytes(194)),
    ),
    "cards-exchanged-after-the-proof": Refused(
        "Seat 1 exchanges the first two cards after its shuffle was proven.",
        "bad-shuffle",
        lambda node: SHUFFLE(node) and 1 in node.want.speakers,
        patched(0, lying.exchanged),
    ),
    "card-outside-the-group": Refused(
        "Seat 1 adds a point of order eight to a card it shuffled.",
        "bad-shuffle",
        lambda node: SHUFFLE(node) and 1 in node.want.speakers,
        patched(0, lying.off_group),
    ),
    "deck-ok-with-a-body": Refused(
        "Seat 1 says more than the empty pass in `deck.ok`.",
        "bad-body",
        before(Kind.DECK_OK),
        lying.fixed(b"\x01"),
    ),
    "dealt-share-not-proven": Refused(
        "Seat 1 changes the response in the proof of the shares it deals.",
        "bad-share",
        before(Kind.DEAL),
        patched(1, lying.plus_one),
    ),
    "dealt-share-outside-the-group": Refused(
        "Seat 1 adds a point of order eight to a share it deals.",
        "bad-point",
        before(Kind.DEAL),
        patched(1, lying.off_group),
    ),
    "dealt-share-with-a-large-scalar": Refused(
        "Seat 1 writes the response in the proof of its shares with the order added.",
        "bad-scalar",
        before(Kind.DEAL),
        patched(1, lying.plus_order),
    ),
    "share-left-out": Refused(
        "Seat 1 leaves out its shares.", "bad-body", before(Kind.DEAL), patched(1, lambda _: b"")
    ),
    "coin-opened-with-another-nonce": Refused(
        "Seat 1 opens its coin with another nonce.",
        "bad-opening",
        before(Kind.DEAL),
        lying.other_nonce,
    ),
    "pass-where-a-choice-is-due": Refused(
        "Seat 1 passes where it owes a sealed choice.",
        "bad-body",
        owing(Kind.SEAL, "action", LAST_OF_TWO),
        lying.fixed(bodies.EMPTY),
    ),
    "action-card-not-in-hand": Refused(
        "Seat 1 seals an Action card that does not exist, and opens it.",
        "illegal-choice",
        owing(Kind.SEAL, "action", LAST_OF_TWO),
        lying.sealed(99),
    ),
    "choice-opened-with-another-nonce": Refused(
        "Seat 1 opens its choice with another nonce.",
        "bad-opening",
        opening("action", LAST_OF_TWO),
        lying.other_nonce,
    ),
    "body-of-three-fields": Refused(
        "Seat 1 gives a body of three fields where four are due.",
        "bad-body",
        before(Kind.DEAL),
        lying.fixed(b"\x93\xc0\xc4\x00\x90"),
    ),
    "body-not-shortest": Refused(
        "Seat 1 writes an array of four with three bytes where one does.",
        "bad-body",
        before(Kind.DEAL),
        lambda machine, node, say: b"\xdc\x00\x04" + say.body[1:],
    ),
}
"""Name to file; each ends in the step in which the lie is told."""
