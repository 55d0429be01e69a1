"""The verifier: it judges a `.hoity` file from its first byte, and trusts nobody ([V-12]).

The order of the checks is fixed, and the first check that fails is reported:

1. the encoding and the form;
2. the header, with the signatures of the seats for the table's terms;
3. the signatures of bodies, messages and new-epoch messages;
4. the steps of setup, then what each new-epoch message proposes, then the other steps;
5. the commit votes of the last epoch, and the inputs that confirm the result;
6. that the end is final.

A *base* is the chain node with which an epoch begins. An *entry* is the record of one step, or of a
change of who is present or banned.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Any

from ..chain import transition
from ..chain.chain_state import SETUP, Conviction, Kind, Node, Slot, Table
from ..consensus.new_epoch import Base
from ..crypto.proof_batches import Checker, HandedOut, Submit, at_once
from ..errors import Invalid
from ..game_interface import Game
from ..wire.signed_messages import CommitVote, StepInput
from ..wire.table_header import Header, Terms, parse_header
from . import transcript_format, verification_report
from .transcript_format import File, OpenedFile, opened
from .verification_report import Clock, Problem, Report, Statistics, Unsound
from .verifier_checks import FileChecks, Justified, Signed

GameOf = Callable[[Terms], Game[Any]]
"""A function that returns the game that terms name. It raises ValueError for an unknown game."""
Progress = Callable[[int, int], None]
"""A function that is told, after each entry of a file, how many were followed, and of how many."""
Passage = tuple[Node, tuple[Slot, ...] | None, Node]
"""A step of the chain: the node before, what the step records of each seat, the node after.

The middle item is None for a change of who is present or banned, which is no step.
"""


def verify(
    file: File | OpenedFile,
    game_of: GameOf,
    clock: Clock | None = None,
    submit: Submit | None = None,
    progress: Progress | None = None,
) -> Report:
    """Judge a file. Whatever its bytes are, no error is raised.

    The report is the same with `submit` and without, apart from the measured times.

    Args:
        file: The file, or the result of `opened`.
        game_of: A function that returns the game that the terms name.
        clock: A function that returns seconds, used only to measure times ([V-12]).
        submit: A function that starts the check of a batch of proofs elsewhere, for example in
            another process. None to check every proof here, at once.
        progress: A function that is told how far the file was followed. It is not called for what
            `submit` has found valid.

    Returns:
        The report.
    """
    whole = opened(file, clock)
    early = _by_many(whole, game_of, clock, submit) if submit is not None else None
    # After an invalid proof the file is judged again, proof by proof, to find the first problem in
    # order.
    return early or _Run(whole, game_of, _begin(whole, clock), progress=progress).judge()


def _begin(whole: OpenedFile, clock: Clock | None) -> Statistics:
    return Statistics(clock, timings={} if clock is None else {"reading": whole.seconds})


def _by_many(
    whole: OpenedFile, game_of: GameOf, clock: Clock | None, submit: Submit
) -> Report | None:
    """Judge a file, and have its proofs checked in batches. Return None if a proof is invalid."""
    stats, proofs = _begin(whole, clock), HandedOut(submit)
    try:
        report = _Run(whole, game_of, stats, proofs).judge()
    except Exception:  # noqa: BLE001 - after an invalid proof anything may go wrong
        return None
    are_valid = proofs.are_valid()
    stats.lap("proofs")
    return replace(report, timings=dict(stats.timings)) if are_valid else None


def header_of(file: File | OpenedFile) -> Header | None:
    """Return the header of a file, without checking anything else.

    Args:
        file: The file, or the result of `opened`.

    Returns:
        The header, None if the file has no valid one.
    """
    parts = opened(file).transcript
    try:
        return None if parts is None else parse_header(parts.content.header)
    except Invalid:
        return None


def reached(file: File | OpenedFile, game_of: GameOf, report: Report) -> Node | None:
    """Return the last node of the chain up to which a file is valid.

    This is the node of the report, if it has one. After an invalid signature it has none. Then the
    steps up to that signature are checked, but no further than the first change of epoch.

    Args:
        file: The file, or the result of `opened`.
        game_of: A function that returns the game that the terms name.
        report: The report on the file.

    Returns:
        The node, None if there is none.
    """
    if report.node is not None or report.problem is None:
        return report.node
    run = _Run(opened(file), game_of, Statistics())
    try:
        return run.as_far_as(report.problem.step)
    except Unsound:
        return None


def steps_to(node: Node) -> Iterator[Passage]:
    """Yield each step and each change of who is present or banned, from the first node to `node`.

    Args:
        node: The last node of the chain.

    Yields:
        The node before, what the step records of each seat (None for a change, which is no step),
        and the node after.
    """
    for before, after in pairwise(node.history()):
        yield before, after.slots, after


@dataclass
class _Run:
    """One verification of a file: its state, and the order of its checks.

    Attributes:
        checks: The checks of the file, once its header is valid.
        epoch: The last epoch for which the file has a new-epoch message, 0 without one.
        bases: The base that each new-epoch message proposes.
        node: The last node of the chain that was reached.
    """

    file: OpenedFile
    game_of: GameOf
    stats: Statistics
    check_proof: Checker = at_once
    progress: Progress | None = None
    checks: FileChecks | None = None
    epoch: int = 0
    bases: list[Base] = field(default_factory=list)
    node: Node | None = None

    def begin(self) -> FileChecks:
        """Check the header, and find the game that its terms name ([V-3]).

        Raises:
            Unsound: If the file cannot be read, or its header or game is refused.
        """
        if self.file.transcript is None:
            raise self.file.error or Unsound("bad-form")
        try:
            header = parse_header(self.file.transcript.content.header)
        except Invalid as error:
            code = "bad-signature" if error.code == "bad-signature" else "bad-header"
            raise Unsound(code, error.reason, (2, 0)) from error
        self.stats.counts.signatures += len(header.roster)
        try:
            game = self.game_of(header.terms)
        except ValueError as error:
            raise Unsound("bad-game", str(error), (2, 0)) from error
        table = Table(header, game, self.check_proof)
        self.checks = FileChecks(table, self.file.transcript, self.stats)
        self.stats.lap("reading")
        return self.checks

    def judge(self) -> Report:
        """Make all checks in order, up to the first check that fails."""
        try:
            checks = self.begin()
            signed = checks.signatures()
            self.stats.lap("signatures")
            self._end(checks, self._chain(checks, signed))
        except Unsound as error:
            return self.report(error)
        return self.report(None)

    # The chain

    def _chain(self, checks: FileChecks, signed: Signed) -> Node:
        """Follow every step of the file, and return the last node ([V-6], [V-8]).

        Raise Unsound if a step is invalid, or if the steps end before the last base.
        """
        node, begun = transition.begin(checks.table), False
        justified: Justified = {}
        self.node = node
        entries = len(checks.transcript.content.entries)
        for index in range(entries):
            # New epochs begin from this node at the earliest, and are checked before the steps that
            # they may replace.
            if not begun and node.want.kind not in SETUP:
                begun, justified = True, self._check_bases(checks, node, signed)
            node = self.node = checks.follow(node, index, justified)
            if self.progress is not None:
                self.progress(index + 1, entries)
        # A file that ends in setup or right behind it may have messages, too, which need a check.
        if not begun:
            justified = self._check_bases(checks, node, signed)
        if node.digest in justified and node.want.kind is not Kind.RESULT:
            raise Unsound("bad-base", "the last base reaches further than the chain", (3, 2))
        return node

    def as_far_as(self, step: int | None) -> Node:
        """Return the node before a step, or before the first entry that cannot be followed.

        New-epoch messages are not read. So an entry that needs them as a proof counts as invalid
        here.

        Args:
            step: The number of the step. None stands for the end of the file.

        Raises:
            Unsound: If the header is not valid.
        """
        checks = self.begin()
        node = transition.begin(checks.table)
        for index in range(len(checks.transcript.content.entries)):
            if node.step == step:
                break
            try:
                node = checks.follow(node, index, {})
            except Unsound:
                break
        return node

    def _check_bases(self, checks: FileChecks, start: Node, signed: Signed) -> Justified:
        """Check all new-epoch messages, and return the chain from `start` to the last base.

        Each node is given by the digest of the node before it.
        """
        if not signed.new_epochs:
            if signed.messages:
                raise Unsound("left-over", "a message that no new-epoch message needs", (3, 1, 0))
            return {}
        if start.want.kind in SETUP | {Kind.ENDED}:
            raise Unsound(
                "left-over", "there is a new-epoch message before the game began", (3, 2, 0)
            )
        self.bases, self.epoch = checks.bases(start, signed), signed.epochs[-1]
        self.stats.lap("bases")
        return {before.digest: after for before, _, after in steps_to(self.bases[-1].node)}

    # The end

    def _end(self, checks: FileChecks, node: Node) -> None:
        """Check the votes, the confirming inputs and the final end ([V-9], [V-10], [V-11])."""
        evidence, quorum, committed = checks.transcript.evidence, checks.table.quorum, False
        if self.bases:
            base = self.bases[-1].node
            seats = checks.votes(evidence.commits, CommitVote(self.epoch, base.base_digest()), 3)
            if len(seats) < quorum:
                raise Unsound("missing-votes", path=(3, 3))
            # Not more, or one game would have many valid files for no reason ([F-1]).
            if len(seats) > quorum:
                raise Unsound(
                    "left-over", "there are more commit votes than a quorum", (3, 3, quorum)
                )
            committed = base.want.kind is Kind.RESULT
        elif evidence.commits:
            raise Unsound("left-over", "there are commit votes of no new-epoch message", (3, 3))
        over = node.want.kind is Kind.RESULT
        if evidence.final and (committed or not over):
            raise Unsound("left-over", "there are last inputs where none is needed", (3, 4))
        last = StepInput(self.epoch, node.step, node.digest, node.result_body())
        said = set(checks.votes(evidence.final, last, 4))
        if said - node.present:
            raise Unsound("left-over", "a last input of a seat that is not present", (3, 4))
        self.stats.lap("signatures")
        if not over or not (committed or said == node.present):
            raise Unsound("not-final", path=(3, 4), step=node.step)

    # The report

    def report(self, error: Unsound | None) -> Report:
        """Return the report, with everything that is known so far. `error` is what has failed."""
        problem, node = self._problem(error) if error else None, self.node
        over = node is not None and node.want.kind is Kind.RESULT
        unread = problem is not None and problem.code in verification_report.UNREADABLE
        table = self.checks.table if self.checks else None
        return Report(
            verdict="ok" if problem is None else "unreadable" if unread else "fault",
            problem=problem,
            digest=self.checks.digest().hex() if self.checks else "",
            table=table.id.hex() if table else "",
            seats=table.header.roster if table else (),
            steps=node.step - 1 if node else 0,
            epochs=self.epoch,
            standings=node.table.game.standings(node.state) if node and over else (),
            faults=_faults(node, self.bases) if node else (),
            counts=self.stats.counts,
            timings=dict(self.stats.timings),
            node=node,
        )

    def _problem(self, error: Unsound) -> Problem:
        """Return what the report says of a check that failed."""
        offset = error.offset
        if offset is None:
            offset = transcript_format.offset_of(self.file.value, error.path)
        at = (error.step, error.seat, error.part, offset, error.place)
        return Problem(error.code, error.words, *at)


def _faults(node: Node, bases: list[Base]) -> tuple[Conviction, ...]:
    """Return each seat's first fault that a step or a change of epoch proves."""
    first: dict[int, Conviction] = {}
    for found in node.convictions:
        first.setdefault(found.seat, found)
    for base in bases:
        for seat, code in base.faults:
            found = Conviction(base.node.step, seat, code, base.places.get(seat))
            first.setdefault(seat, found)
    return tuple(first.values())
