"""Deliberate errors in the rules of a seat: what a good check must catch.

A mutant is data: for each function that it spoils the text to be replaced and its replacement.
`support.mutant_run` runs them; what kills each stands in `protocol_/seat/killed_mutants.txt`.
"""

import inspect
import textwrap
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from protocol.chain import setup_steps, transition
from protocol.consensus import followed_chain, new_epoch
from protocol.consensus.epoch_votes import Votes
from protocol.seat import (
    catch_up,
    crash_recovery,
    departure_notices,
    end_notices,
    epoch_change,
    restored_backup,
    signer,
    step_progress,
)
from protocol.seat import seat_state as held_leaves
from protocol.seat.epoch_change import own_halt, propose
from protocol.seat.seat_machine import Machine
from protocol.seat.seat_state import Core, Inquiry
from protocol.seat.timeouts import Clocks

Spoil = tuple[Callable[..., Any], str, str]


@dataclass(frozen=True)
class Mutant:
    """A named error."""

    name: str
    spoils: tuple[Spoil, ...]


def mutant(name: str, *spoils: Spoil) -> Mutant:
    """Return a mutant that is killed."""
    return Mutant(name, spoils)


def _source(function: Callable[..., Any]) -> str:
    lines = textwrap.dedent(inspect.getsource(function)).splitlines(keepends=True)
    while lines[0].startswith("@"):
        lines.pop(0)
    return "".join(lines)


def _spoiled(function: Callable[..., Any], old: str, new: str) -> Any:
    source = _source(function)
    if old not in source:
        raise LookupError(f"{function.__qualname__} no longer holds {old!r}")
    space: dict[str, Any] = {}
    exec(
        compile(
            "from __future__ import annotations\n" + source.replace(old, new), "mutant", "exec"
        ),
        function.__globals__,
        space,
    )
    return space[function.__name__].__code__


@contextmanager
def planted(mutant: Mutant) -> Iterator[None]:
    """Within this block the mutant's errors are in the rules."""
    kept = [(function, function.__code__) for function, _, _ in mutant.spoils]
    try:
        for function, old, new in mutant.spoils:
            function.__code__ = _spoiled(function, old, new)  # type: ignore[attr-defined]
        yield
    finally:
        for function, code in kept:
            function.__code__ = code  # type: ignore[attr-defined]


HELD = "says = {m.hash for m in held_says(base, core.store, under)}"
MUTANTS = (
    mutant(
        "t-1 halts",
        (new_epoch.read_close, "!= table.quorum", "!= table.quorum - 1"),
        (Votes.best_halts, "self.table.quorum)", "self.table.quorum - 1)"),
        (propose, "< core.table.quorum or", "< core.table.quorum - 1 or"),
    ),
    mutant(
        "no lock reported",
        (own_halt, "core.votes.highest_lock(epoch)", "None"),
        (epoch_change.reports_all, "lock = core.votes.highest_lock(epoch)", "return True"),
    ),
    mutant("lock reports seals only", (Votes.highest_lock, "(SealVote, Accept)", "(SealVote,)")),
    mutant(
        "halt omits its own last say",
        (own_halt, HELD, HELD.replace("under)}", "under) if m.seat != core.seat}")),
        (epoch_change.halt, "not reports_all(core, wish)", "False"),
    ),
    mutant(
        "halt omits what its own say builds on",
        (own_halt, HELD, HELD.replace("under)}", "under) if m.seat == core.seat}")),
    ),
    mutant(
        "halts not binding",
        (step_progress.may_speak, "not core.is_standing or ", ""),
        (
            signer.may_sign,
            "type(statement) not in SIGNS[core.state]",
            "core.inquiry is not None",
        ),
    ),
    mutant("one vote instead of two", (Votes.highest_open, "SealVote", "Accept")),
    mutant(
        "an equivocator's version always void",
        (new_epoch.walk, "_kept_version(node, tree, bodies, culprits, halts)", "None"),
    ),
    mutant(
        "a completed step final by itself",
        (
            followed_chain.final_step,
            "base, silent = view.base.step, set(view.tip.present)",
            "base, silent = view.base.step, set()",
        ),
    ),
    mutant(
        "final by t says",
        (
            followed_chain.final_step,
            "if not silent:",
            "if len(view.tip.present) - len(silent) >= view.tip.table.quorum:",
        ),
    ),
    mutant(
        "final by what comes after the halt",
        (Core.final_step, "if self.is_standing:", "if True:"),
        (step_progress._ended_by_says, "not core.is_standing or ", ""),
    ),
    mutant(
        "one expired halt enough", (new_epoch._expire, "< table.seats - table.quorum + 1", "< 1")
    ),
    mutant(
        "patience running on while halted",
        (
            own_halt,
            "core.expired.get(under)",
            '__import__("protocol").wire.messages.Expired('
            "under, core.tip.step, core.tip.digest) "
            "if core.view.epoch == under and core.clocks.is_out(core.tip) else None",
        ),
    ),
    mutant(
        "promise forgotten on resume",
        (
            signer._bind,
            "core.raise_promise(statement.epoch)",
            "core.replaying or core.raise_promise(statement.epoch)",
        ),
    ),
    mutant(
        "received bodies forgotten on resume",
        (Machine._receive_message, "record(core, message)", "pass"),
    ),
    mutant(
        "own statements forgotten on resume",
        (signer.sign, "record(core, message, note)", "pass"),
    ),
    mutant("no doubling of g", (Clocks.grace, "2**doublings", "1")),
    mutant(
        "the proposer's wait not doubled",
        (epoch_change._waited_for_halts, "clocks.grace(core.fruitless) / 2", "clocks.grace() / 2"),
    ),
    mutant("votes name the close", (Votes._read_close, "base.node.base_digest()", "message.hash")),
    mutant(
        "proofs that prove nothing turn epochs",
        (followed_chain.is_effective, "epochs == {view.epoch}", "True"),
    ),
    mutant(
        "a proof of two waits for what they name",
        (new_epoch._bad_forms, "if len(proof) == 1:", "if True:"),
    ),
    mutant(
        "a second version makes a seat leave its own",
        (
            followed_chain.chosen_says,
            "in store.says(view.epoch, node.step)",
            "in reversed(store.says(view.epoch, node.step))",
        ),
    ),
    mutant(
        "illegal says are followed",
        (
            followed_chain.chosen_says,
            "except Fault:\n                continue",
            "except Fault:\n                pass",
        ),
    ),
    mutant(
        "fewer than t present going on",
        (transition.may_go_on, "len(node.present) >= node.table.quorum", "True"),
    ),
    mutant("reveal without hold", (transition._needs_hold, "not node.table.strict", "False")),
    mutant("a thinking seat's halt says expired", (Core._fix_expired, "if thinks:", "if False:")),
    mutant(
        "halts of the missing count",
        (new_epoch._expire, "read.message.seat not in missing", "True"),
    ),
    mutant(
        "a zero backup piece accepted", (setup_steps._check_backup, "== group.IDENTITY", "is None")
    ),
    mutant(
        "a resumed seat signs at once",
        (crash_recovery.end, "core.inquiry = Inquiry(core.clocks.now)", "pass"),
    ),
    mutant(
        "what was forgotten makes nobody cautious",
        (restored_backup.is_forgotten, "message.hash in core.store", "True"),
    ),
    mutant(
        "the floor counts every wish",
        (
            restored_backup.floor,
            "core.votes.common_wish()",
            "max([0, *core.votes.wishes().values()])",
        ),
    ),
    mutant(
        "returns that are used up keep out whom the chain needs",
        (new_epoch.may_return, "MAX_BACK if transition.stands_still(base) else ", ""),
    ),
    mutant(
        "a halt whose says do not resolve is read",
        (new_epoch._check_form, "not all(tree.resolves(say) for _, say in tree.says)", "False"),
    ),
    mutant("answers without bound", (catch_up._carry_part, "if room < 0:", "if False:")),
    mutant(
        "an end with a fault that no base holds",
        (step_progress._ended_by_says, "not fault_judge.is_unsettled(core)", "True"),
    ),
    mutant(
        "rubbish of passed epochs kept for ever",
        (step_progress._forget_says, "message.seat == core.seat", "True"),
    ),
    mutant(
        "a seat leaves as soon as its own end is final",
        (end_notices.may_leave, "all_have_ended(core) and not _needs_base(core)", "True"),
    ),
    mutant(
        "a seat leaves one step timeout after its end, whatever is promised",
        (end_notices.has_served, "turns > core.table.seats", "True"),
    ),
    mutant(
        "a seat stays while a faulty one makes it request epoch after epoch",
        (end_notices.has_served, "turns > core.table.seats", "False"),
    ),
    mutant(
        "a halted seat whose end is final stays while nobody else requests an epoch",
        (end_notices._has_stopped_changing, "(times.cap + times.step) / 1000", "1e9"),
    ),
    mutant(
        "whoever is awaited counts as silent",
        (step_progress._sees_itself, "core.clocks.is_out(core.tip)", "True"),
    ),
    mutant(
        "an end notice outlives the link it came by",
        (end_notices.note_link, "core.ends.over.pop(seat, None)", "None"),
    ),
    mutant(
        "a linked seat's end is believed to others",
        (end_notices.take, "seat in core.links and peer != core.table.ids[seat]", "False"),
    ),
    mutant(
        "an end notice of anyone counts",
        (end_notices.take, "signed_notices.check_end_notice(", "("),
    ),
    mutant(
        "an input off the chain is passed on",
        (catch_up.goes_round, "node is not None and node.step == statement.step", "True"),
    ),
    mutant(
        "every input of a seat at fault is passed on",
        (catch_up.is_of_use, "proof is None or message.hash in proof.hashes", "True"),
    ),
    mutant(
        "a promise of any length is passed on",
        (catch_up.is_called_for, "not core.votes.is_too_long(halt)", "True"),
    ),
    mutant(
        "a seat signs again once t - 1 others have told",
        (Inquiry.is_over, "now - self.began >= seconds", "True"),
    ),
    mutant(
        "a leave hurries who still thinks",
        (Core.all_left, "self.awaited() <= away", "bool(self.awaited() & away)"),
    ),
    mutant(
        "a leave holds behind a say", (held_leaves._holds, "_has_said_since(leave, store)", "False")
    ),
    mutant(
        "a leave holds in the step before",
        (Core.all_left, "if word.epoch < epoch or word.step <= step", ""),
    ),
    mutant(
        "a leave outlives an absence",
        (held_leaves._holds, "_absences(node, leave.seat) == _absences", "_absences"),
    ),
    mutant("a return ends nothing", (held_leaves._holds, "or leave.says_back", "")),
    mutant("a leave of anyone counts", (departure_notices.take, "signed_notices.check_leave", "")),
    mutant(
        "a leave saves the grace", (Core.ran_out, "is_out and", "self.all_left() or is_out and")
    ),
)
