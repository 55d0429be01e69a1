"""The verifier of transcripts (11.2): from the bytes of a file to its verdict."""

from dataclasses import dataclass, field
from typing import Any

from . import constants as c
from .chain import Node, begin, digest_after_step
from .encoding import digest, encode, is_rising
from .epochs import Evidence, Invalid, MissingEvidence, Needs, VoidTable
from .file_form import Problem, has_form, read_file
from .header import Header, HeaderError, read_header
from .messages import Message, MessageError, is_signed, payload_of, read_message
from .table import Table

UNREADABLE = ("empty", "too-large", "torn", "wrong-magic", "other-version")


@dataclass
class Verdict:
    """The verdict on a file (11.2).

    Attributes:
        verdict: `ok`, `fault` or `unreadable`.
        problem: code, step and seat of the first problem, None if the file is sound.
        faults: seat, step and code of each seat proven at fault.
        table: the table id in hexadecimal.
        digest: the digest behind the last entry in hexadecimal (6.1).
        steps: the steps that the walk took.
        last_epoch: the epoch of the last new-epoch message.
        standings: rank and seat of each seat, once the game is over.
        end: the node to which the walk came; its parents are the chain.
    """

    verdict: str = "ok"
    problem: tuple[str, int | None, int | None] | None = None
    faults: list[tuple[int, int, str]] = field(default_factory=list)
    table: str = ""
    digest: str = ""
    steps: int = 0
    last_epoch: int = 0
    standings: list[tuple[int, int]] = field(default_factory=list)
    end: Node | None = None


def verify(data: bytes) -> Verdict:
    """Return the verdict on the bytes of a file ([V-12]: on any bytes)."""
    verdict = Verdict()
    verification = Verification(verdict)
    try:
        verification.run(data)
    except Problem as problem:
        verdict.verdict = "unreadable" if problem.code in UNREADABLE else "fault"
        verdict.problem = (problem.code, problem.step, problem.seat)
    verification.conclude()
    return verdict


class Verification:
    """One run over one file, in the order of 11.2."""

    def __init__(self, verdict: Verdict) -> None:
        """Begin with an empty verdict, which the run fills."""
        self.verdict = verdict
        self.header: Header
        self.node: Node | None = None
        self.inputs: dict[bytes, Message] = {}
        self.messages: list[Message] = []
        self.new_epochs: list[Message] = []
        self.base_faults: list[tuple[int, int, str]] = []
        self.base: Node | None = None

    def run(self, data: bytes) -> None:
        """Check a file, up to its first problem."""
        value = read_file(data)
        if not has_form(value):
            raise Problem("bad-form")
        (header, entries), (signatures, messages, new_epochs, commits, final) = value[2:]
        try:
            self.header = read_header(header)
        except HeaderError as error:
            raise Problem(str(error)) from error
        self.verdict.table = self.header.table.hex()
        self.verdict.digest = digest_after(self.header.table, entries).hex()
        self.table = Table(self.header)
        self.check_signatures(entries, signatures, bool(new_epochs))
        self.read_evidence(messages, new_epochs, entries, signatures)
        self.walk(entries)
        self.check_commits(commits)
        self.check_final(final)

    def conclude(self) -> None:
        """Note in the verdict how far the walk came and which seats it found at fault."""
        if self.node is None:
            return
        found: dict[int, tuple[int, int, str]] = {}
        convictions = [(seat, step, code) for step, seat, code in self.node.convictions]
        for fault in convictions + self.base_faults:
            found.setdefault(fault[0], fault)
        self.verdict.faults = list(found.values())
        self.verdict.end, self.verdict.steps = self.node, self.node.step - 1
        if self.node.wants.step == "result":
            self.verdict.standings = self.node.game.standings

    # Signatures of the chain ([V-4]).

    def check_signatures(self, entries: list[Any], rows: list[Any], has_new_epochs: bool) -> None:
        """Check number and signatures of all entries, and keep their step inputs."""
        step, on = 1, self.header.table
        for entry in entries:
            if len(entry[-1]) != self.table.seats:
                raise Problem("bad-form")
            fixed = step <= self.table.setup_steps or not has_new_epochs
            if entry[0] == 1:
                if fixed:
                    raise Problem("unjustified-reconfiguration", step)
                on = digest("reconfiguration", on, encode(entry[1:]))
                continue
            slots = entry[1]
            if fixed:
                for seat, slot in enumerate(slots):
                    if slot in (c.ABSENT, c.FAULT):
                        code = "unjustified-absence" if slot == c.ABSENT else "unjustified-fault"
                        raise Problem(code, step, seat)
            if step > len(rows):
                raise Problem("missing-signature", step)
            self.check_row(step, on, slots, rows[step - 1])
            on = digest_after_step(on, slots)
            step += 1
        if len(rows) > step - 1:
            raise Problem("left-over")

    def check_row(self, step: int, on: bytes, slots: list[Any], row: list[Any]) -> None:
        """Check the signatures of one step."""
        bodies = [(seat, slot) for seat, slot in enumerate(slots) if isinstance(slot, bytes)]
        if len(row) < len(bodies):
            raise Problem("missing-signature", step, bodies[len(row)][0])
        if len(row) > len(bodies):
            raise Problem("left-over", step)
        for (seat, body), (epoch, signature) in zip(bodies, row, strict=True):
            payload = payload_of(self.header, c.STEP_INPUT, seat, epoch, step, on, body)
            if not is_signed(self.header, seat, payload, signature):
                raise Problem("bad-signature", step, seat)
            name = digest("message", payload)
            fields = {"epoch": epoch, "step": step, "on": on, "body": body}
            self.inputs[name] = Message(c.STEP_INPUT, seat, name, **fields)

    # Messages ([V-5]).

    def read_evidence(
        self, messages: list[Any], new_epochs: list[Any], entries: list[Any], rows: list[Any]
    ) -> None:
        """Read all messages, and check that no body is of an epoch that was never reached."""
        self.messages = [self.read_signed(pair) for pair in messages]
        self.new_epochs = [self.read_signed(pair) for pair in new_epochs]
        if not is_rising([message.hash for message in self.messages]):
            raise Problem("bad-order")
        if any(new_epoch.kind != c.NEW_EPOCH for new_epoch in self.new_epochs):
            raise Problem("bad-message")
        for step_input in self.inputs.values():
            reached = self.new_epochs[-1].epoch if self.new_epochs else 0
            if step_input.epoch > (reached if step_input.step > self.table.setup_steps else 0):
                raise Problem("bad-epoch", step_input.step, step_input.seat)

    def read_signed(self, pair: list[Any]) -> Message:
        """Return the message of a pair of payload and signature."""
        try:
            return read_message(encode(pair), self.header.table, self.header.ids)
        except MessageError as error:
            code = "bad-signature" if str(error) == "bad-signature" else "bad-message"
            raise Problem(code) from error

    # The chain ([V-6] to [V-8]).

    def walk(self, entries: list[Any]) -> None:
        """Walk the chain, and find its bases once setup is over."""
        self.node = begin(self.table)
        way: list[Node] = []
        bases_found = False
        for number, entry in enumerate(entries):
            if number == self.table.setup_steps:
                way, bases_found = self.find_bases(), True
            after_setup = number - self.table.setup_steps
            on_way = way[after_setup] if 0 <= after_setup < len(way) else None
            self.node = self.follow(entry, on_way)
        if not bases_found:
            way = self.find_bases()
        if way and len(entries) < self.table.setup_steps + len(way):
            raise Problem("bad-base")

    def follow(self, entry: list[Any], on_way: Node | None) -> Node:
        """Return the node behind an entry, which must be that of the way if there is one."""
        node = self.node
        here = node.step
        slots = tuple(entry[1]) if entry[0] == 0 else None
        if node.wants.step in ("result", "ended"):
            raise Problem("left-over", here)
        if on_way is not None:
            self.compare(entry, slots, on_way, here)
        elif slots is None:
            raise Problem("unjustified-reconfiguration", here)
        elif not node.may_grow:
            raise Problem("left-over", here)
        if slots is None:
            return on_way
        for seat, slot in enumerate(slots):
            if isinstance(slot, bytes):
                code = node.fault_of(seat, slot)
                if code is not None:
                    raise Problem(code, here, seat)
        if on_way is None:
            for seat, slot in enumerate(slots):
                if slot in (c.ABSENT, c.FAULT) or (slot == c.NONE and seat in node.speakers):
                    raise Problem(unjustified(slot), here, seat)
        return node.after_step(slots)

    def compare(self, entry: list[Any], slots: Any, on_way: Node, here: int) -> None:
        """Check that an entry is that by which the way goes on."""
        if slots is None:
            lists = on_way.present, on_way.banned, on_way.absences
            if on_way.made_by is not None or tuple(map(tuple, entry[1:])) != lists:
                raise Problem("unjustified-reconfiguration", here)
            return
        if on_way.made_by != slots:
            theirs = on_way.made_by
            seat = (
                0
                if theirs is None
                else [a == b for a, b in zip(slots, theirs, strict=True)].index(False)
            )
            raise Problem(unjustified(slots[seat]), here, seat)

    def find_bases(self) -> list[Node]:
        """Compute the base of each new-epoch message, and return the way to the last ([V-7])."""
        if not self.new_epochs:
            if self.messages:
                raise Problem("left-over")
            return []
        start = self.node
        if start.step <= self.table.setup_steps or start.wants.step == "ended":
            raise Problem("left-over")
        known = {**self.inputs, **{m.hash: m for m in [*self.messages, *self.new_epochs]}}
        evidence = Evidence(self.table, start, known)
        faults, all_needs = [], []
        names: list[tuple[int, bytes]] = []
        looked_up = 0
        for new_epoch in self.new_epochs:
            needs = Needs()
            all_needs.append(needs)
            try:
                reading = evidence.judge_new_epoch(new_epoch, needs)
            except Invalid as error:
                raise Problem("bad-base", seat=new_epoch.seat) from error
            except MissingEvidence as error:
                raise Problem("missing-evidence") from error
            except VoidTable as error:
                raise Problem("void") from error
            looked_up += len(needs.messages)
            if looked_up > c.MAX_LOOKUPS:
                raise Problem("bad-base", seat=new_epoch.seat)
            self.base = reading.base
            name = (new_epoch.epoch, self.base.base_digest())
            if names and name <= names[-1]:
                raise Problem("bad-order")
            names.append(name)
            evidence.bases[name] = self.base
            faults += [(s, self.base.step, code) for s, code in sorted(reading.faults.items())]
        self.check_needed(names, all_needs)
        self.base_faults = faults
        self.verdict.last_epoch = self.new_epochs[-1].epoch
        self.base_name = names[-1][1]
        way = [self.base]
        while way[-1] is not start:
            way.append(way[-1].parent)
        return way[-2::-1]

    def check_needed(self, names: list[tuple[int, bytes]], all_needs: list[Needs]) -> None:
        """Check that the last new-epoch message rests on all others and on every message."""
        needed, looked_up = {names[-1]}, set()
        for name, needs in zip(reversed(names), reversed(all_needs), strict=True):
            if name in needed:
                needed |= needs.bases
                looked_up |= needs.messages
        if len(needed) < len(names):
            raise Problem("left-over")
        others = {*self.inputs, *(new_epoch.hash for new_epoch in self.new_epochs)}
        if any(m.hash in others or m.hash not in looked_up for m in self.messages):
            raise Problem("left-over")

    # Votes and the end ([V-9] to [V-11]).

    def check_order(self, pairs: list[Any]) -> None:
        """Check that seats are rising and seats of the table."""
        seats = [seat for seat, _ in pairs]
        if not is_rising(seats) or any(seat >= self.table.seats for seat in seats):
            raise Problem("bad-order")

    def check_commits(self, commits: list[Any]) -> None:
        """Check the commit votes for the last base ([V-9])."""
        if not self.new_epochs:
            if commits:
                raise Problem("left-over")
            return
        self.check_order(commits)
        for seat, signature in commits:
            epoch = self.verdict.last_epoch
            payload = payload_of(self.header, c.COMMIT, seat, epoch, self.base_name)
            if not is_signed(self.header, seat, payload, signature):
                raise Problem("bad-signature", seat=seat)
        if len(commits) < self.table.quorum:
            raise Problem("missing-votes")
        if len(commits) > self.table.quorum:
            raise Problem("left-over")

    def check_final(self, final: list[Any]) -> None:
        """Check the inputs to `result`, and that the end is final ([V-10], [V-11])."""
        node = self.node
        is_over = node.wants.step == "result"
        base_is_over = self.base is not None and self.base.wants.step == "result"
        if final and (base_is_over or not is_over):
            raise Problem("left-over")
        self.check_order(final)
        for seat, signature in final:
            fields = self.verdict.last_epoch, node.step, node.digest, node.result_body()
            payload = payload_of(self.header, c.STEP_INPUT, seat, *fields)
            if not is_signed(self.header, seat, payload, signature):
                raise Problem("bad-signature", node.step, seat)
        signers = tuple(seat for seat, _ in final)
        if not set(signers) <= set(node.present):
            raise Problem("left-over")
        if not is_over or not (base_is_over or signers == node.present):
            raise Problem("not-final", node.step)


def digest_after(table: bytes, entries: list[Any]) -> bytes:
    """Return the digest behind the last entry, of a finished game that of the game (6.1)."""
    on = table
    for entry in entries:
        if entry[0] == 0:
            on = digest_after_step(on, entry[1])
        else:
            on = digest("reconfiguration", on, encode(entry[1:]))
    return on


def unjustified(slot: bytes | int) -> str:
    """Return the code for a slot that stands where another, or a body, is due ([V-6])."""
    if isinstance(slot, bytes):
        return "bad-base"
    return {
        c.NONE: "incomplete-step",
        c.ABSENT: "unjustified-absence",
        c.FAULT: "unjustified-fault",
    }[slot]
