"""Files that end with a body that no seat may send, signed by the seat that sent it."""

from dataclasses import dataclass, replace

from support.forgeries.catalogue import FORGERIES, Forgery
from support.forgeries.cheater import on_input
from support.forgeries.statements import signed
from support.inspection import store_of
from vectors.making.tables import Plan, VectorTable

from protocol.chain import transition
from protocol.chain.chain_state import Node
from protocol.seat.seat_machine import SeatMachine
from protocol.transcript import transcript_format, transcript_writer
from protocol.transcript.transcript_format import Content, Evidence, Signed, StepEntry, Transcript
from protocol.wire import step_bodies
from protocol.wire.signed_messages import Message, StepInput


def row(machine: SeatMachine, node: Node, step: StepEntry) -> tuple[Signed, ...]:
    """Return the signatures of a step's bodies, all of epoch 0."""
    inputs = {
        (m.seat, _step_input(m).on, _step_input(m).body): m
        for m in store_of(machine).inputs(0, node.step)
    }
    said = [(seat, slot) for seat, slot in enumerate(step.slots) if isinstance(slot, bytes)]
    return tuple((0, inputs[seat, node.digest, body].signature) for seat, body in said)


def _step_input(message: Message) -> StepInput:
    assert isinstance(message.statement, StepInput)
    return message.statement


def undisturbed(machine: SeatMachine, last: int | None = None) -> Transcript:
    """Return the chain that a machine follows in epoch 0, up to a step, with its signatures."""
    nodes = [n for n in transcript_writer.to_the_end(machine.tip) if last is None or n.step <= last]
    steps = [StepEntry(node.slots or ()) for node in nodes[1:]]
    rows = [row(machine, a, step) for a, step in zip(nodes[:-1], steps, strict=True)]
    content = Content(machine.table.header.encode(), tuple(steps))
    return Transcript(content, Evidence(tuple(rows)))


def and_then(whole: Transcript, machine: SeatMachine) -> Transcript:
    """Return the same file with all inputs to the next step."""
    node, step = machine.tip, machine.tip.step
    said = {m.seat: _step_input(m).body for m in store_of(machine).inputs(0, step)}
    entry = StepEntry(transition.slots_of(node, said))
    rows = (*whole.evidence.signatures, row(machine, node, entry))
    content = replace(whole.content, entries=(*whole.content.entries, entry))
    return Transcript(content, replace(whole.evidence, signatures=rows))


@dataclass(frozen=True)
class Refused:
    """A table at which the last seat sends one forged body of the catalogue."""

    forgery: Forgery
    convicts: bool = False
    """Whether the step is complete and convicts the seat, so that the file ends behind it."""

    @property
    def seat(self) -> int:
        """The faulty seat."""
        return self.forgery.seats - 1

    @property
    def what(self) -> str:
        """What is done, in a sentence."""
        return f"Seat {self.seat} {self.forgery.what}."

    @property
    def code(self) -> str:
        """The fault that the file must give."""
        return self.forgery.code

    @property
    def plan(self) -> Plan:
        """What the table is made from."""
        seats = self.forgery.seats
        return Plan(
            f"refused {self.code}", "small-4", seats, "confrontation" if seats == 2 else None
        )

    def file(self) -> bytes:
        """Return the bytes of the file."""
        lie = on_input(self.forgery.due(self.seat), self.forgery.forge)
        machine = VectorTable(self.plan, {self.seat: lie}).play(until=1).places[0].machine
        whole = undisturbed(machine)
        return (whole if self.convicts else and_then(whole, machine)).encode()

    def sound(self) -> bytes:
        """Return the file in which the seat sends its own body, up to the same step."""
        spoilt = transcript_format.read(transcript_format.open_file(self.file()))
        machine = VectorTable(self.plan).play(until=1).places[0].machine
        return undisturbed(machine, len(spoilt.content.entries) + 1).encode()


def not_asked(is_spoilt: bool = True) -> bytes:
    """Seat 1 gives a body in seat 0's shuffle."""
    plan = Plan("refused not-expected", "small-4", 2, "confrontation")
    played = VectorTable(plan).play(until=1)
    machine, liar = played.places[0].machine, played.places[1].machine
    node = machine.tip.before(4)
    assert node is not None
    whole = undisturbed(machine, 5)
    if not is_spoilt:
        return whole.encode()
    step_input = signed(liar, StepInput(0, 4, node.digest, step_bodies.EMPTY))
    first = whole.content.entries[3]
    assert isinstance(first, StepEntry)
    entries = (*whole.content.entries[:3], StepEntry((first.slots[0], step_bodies.EMPTY)))
    rows = whole.evidence.signatures
    last = (*rows[3], (0, step_input.signature))
    evidence = Evidence((*rows[:3], last))
    return Transcript(Content(whole.content.header, entries), evidence).encode()


CONVICTS = "key-share-that-does-not-open"
REFUSED: dict[str, Refused] = {
    name: Refused(FORGERIES[name], name == CONVICTS) for name in list(FORGERIES)[:26]
}
"""Name to file; each ends in the step in which the forged body is sent."""
