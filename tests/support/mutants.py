"""Deliberate errors in the rules of a seat: what a good check must catch.

A mutant is data: for each function that it spoils the text to be replaced and its replacement.
`support.mutant_run` runs them.
"""

from __future__ import annotations

import inspect
import textwrap
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from protocol.chain import goals, setup_steps, transition
from protocol.consensus import view, view_change
from protocol.consensus.votes import Votes
from protocol.seat import epoch_change, leaving, progress, recovery, restoring, statements, sync
from protocol.seat import leaves as held_leaves
from protocol.seat.core import Core
from protocol.seat.epoch_change import own_halt, propose
from protocol.seat.machine import Machine
from protocol.seat.timeouts import Clocks

Spoil = tuple[Callable[..., Any], str, str]


@dataclass(frozen=True)
class Mutant:
    """A named error.

    `killer` is what catches it: a test in `tests/protocol_`, or "game", the seed of a simulated
    game, and the one lie of its wide catalogue that it is about.
    """

    name: str
    spoils: tuple[Spoil, ...]
    killer: str = ""


def mutant(name: str, killer: str, *spoils: Spoil) -> Mutant:
    """Return a mutant that is killed."""
    return Mutant(name, spoils, killer)


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


RULES = "seat/test_rules_of_a_seat.py::"
VIEW = "consensus/test_view_change.py::"
SYNC = "seat/test_sync.py::"
HOLD = "consensus/test_hold_model.py::"
END = "chain/test_last_step.py::"
LEAVING = "seat/test_leaving.py::"
RECOVERY = "seat/test_recovery.py::"
HELD = "says = {m.hash for m in held_says(base, core.store, under)}"
MUTANTS = (
    mutant(
        "t-1 halts",
        VIEW + "test_a_close_needs_t_halts_of_its_epoch_by_rising_seat_from_its_proposer",
        (view_change.read_close, "!= table.quorum", "!= table.quorum - 1"),
        (Votes.best_halts, "self.table.quorum)", "self.table.quorum - 1)"),
        (propose, "< core.table.quorum or", "< core.table.quorum - 1 or"),
    ),
    mutant(
        "no lock reported",
        "game mutant-3",
        (own_halt, "core.votes.highest_lock(epoch)", "None"),
        (epoch_change.reports_all, "lock = core.votes.highest_lock(epoch)", "return True"),
    ),
    mutant(
        "lock reports seals only",
        "game mutant-59",
        (Votes.highest_lock, "(SealVote, Accept)", "(SealVote,)"),
    ),
    mutant(
        "halt omits its own last say",
        "game mutant-0",
        (own_halt, HELD, HELD.replace("under)}", "under) if m.seat != core.seat}")),
        (epoch_change.halt, "not reports_all(core, wish)", "False"),
    ),
    mutant(
        "halt omits what its own say builds on",
        "game mutant-0",
        (own_halt, HELD, HELD.replace("under)}", "under) if m.seat == core.seat}")),
    ),
    mutant(
        "halts not binding",
        "game mutant-3",
        (progress.may_speak, "not core.is_standing or ", ""),
        (
            statements.may_sign,
            "type(statement) not in SIGNS[core.state]",
            "core.inquiry is not None",
        ),
    ),
    mutant(
        "one vote instead of two",
        RULES + "test_without_seals_accepts_or_a_close_no_epoch_opens[SealVote]",
        (Votes.highest_open, "SealVote", "Accept"),
    ),
    mutant(
        "an equivocator's version always void",
        "consensus/test_epoch_model.py::test_no_close_loses_a_final_step[4-3-liars5-A-34-926]",
        (view_change.walk, "_kept_version(node, tree, bodies, culprits, halts)", "None"),
    ),
    mutant(
        "a completed step final by itself",
        "game mutant-54",
        (
            view.final_step,
            "base, silent = view.base.step, set(view.tip.present)",
            "base, silent = view.base.step, set()",
        ),
    ),
    mutant(
        "final by t says",
        RULES + "test_a_step_is_final_when_every_present_seat_has_spoken_beyond_it",
        (
            view.final_step,
            "if not silent:",
            "if len(view.tip.present) - len(silent) >= view.tip.table.quorum:",
        ),
    ),
    mutant(
        "final by what comes after the halt",
        RULES + "test_what_comes_after_the_halt_makes_nothing_final",
        (Core.final_step, "if self.is_standing:", "if True:"),
        (progress._ended_by_says, "not core.is_standing or ", ""),
    ),
    mutant(
        "one expired halt enough",
        VIEW + "test_absence_needs_one_more_than_n_minus_t_expired_halts[1-False]",
        (view_change._expire, "< table.seats - table.quorum + 1", "< 1"),
    ),
    mutant(
        "patience running on while halted",
        RULES + "test_patience_does_not_run_while_halted",
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
        RULES + "test_a_halted_seat_does_not_go_on_after_a_crash",
        (
            statements._bind,
            "core.raise_promise(statement.epoch)",
            "core.replaying or core.raise_promise(statement.epoch)",
        ),
    ),
    mutant(
        "received bodies forgotten on resume",
        RULES + "test_a_crash_forgets_neither_own_nor_received_says",
        (Machine._receive_message, "record(core, message)", "pass"),
    ),
    mutant(
        "own statements forgotten on resume",
        "game mutant-26",
        (statements.sign, "record(core, message, note)", "pass"),
    ),
    mutant(
        "no doubling of g",
        RULES + "test_grace_doubles_per_fruitless_epoch_up_to_its_cap",
        (Clocks.grace, "2**doublings", "1"),
    ),
    mutant(
        "the proposer's wait not doubled",
        RULES + "test_the_proposers_wait_doubles_too_and_is_for_the_willing_only",
        (epoch_change._waited_for_halts, "clocks.grace(core.fruitless) / 2", "clocks.grace() / 2"),
    ),
    mutant(
        "votes name the close",
        RULES + "test_votes_name_the_base_so_two_closes_with_one_base_are_one",
        (Votes._read_close, "base.node.base_digest()", "message.hash"),
    ),
    mutant(
        "proofs that prove nothing turn epochs",
        RULES + "test_a_proof_that_the_next_base_will_not_find_turns_no_epoch",
        (view.is_effective, "epochs == {view.epoch}", "True"),
    ),
    mutant(
        "a proof of two waits for what they name",
        VIEW + "test_a_proof_of_two_needs_nothing_of_what_the_two_name",
        (view_change._bad_forms, "if len(proof) == 1:", "if True:"),
    ),
    mutant(
        "a second version makes a seat leave its own",
        RULES + "test_the_version_seen_first_is_followed",
        (
            view.chosen_says,
            "in store.says(view.epoch, node.step)",
            "in reversed(store.says(view.epoch, node.step))",
        ),
    ),
    mutant(
        "illegal says are followed",
        RULES + "test_a_proof_is_told_once_the_same_fault_can_be_seen_whole",
        (
            view.chosen_says,
            "except Fault:\n                continue",
            "except Fault:\n                pass",
        ),
    ),
    mutant(
        "fewer than t present going on",
        "chain/test_transition.py::test_below_the_quorum_the_chain_stands_still",
        (transition.may_go_on, "len(node.present) >= node.table.quorum", "True"),
    ),
    mutant(
        "reveal without hold",
        "game mutant-0 cut",
        (goals._needs_hold, "not node.table.strict", "False"),
    ),
    mutant(
        "a thinking seat's halt says expired",
        "game mutant-0 thinkers",
        (Core._fix_expired, "if thinks:", "if False:"),
    ),
    mutant(
        "halts of the missing count",
        HOLD + "test_where_a_seat_that_thinks_may_say_expired_it_votes_itself_away"
        "[four seats, a liar, all speak]",
        (view_change._expire, "read.message.seat not in missing", "True"),
    ),
    mutant(
        "a zero backup piece accepted",
        "game mutant-0 roots",
        (setup_steps._check_backup, "== group.IDENTITY", "is None"),
    ),
    mutant(
        "a resumed seat signs at once",
        "game mutant-0 restored",
        (restoring.end, "core.inquiry = Inquiry(core.clocks.now)", "pass"),
    ),
    mutant(
        "what was forgotten makes nobody cautious",
        RECOVERY + "test_a_statement_of_its_own_that_it_does_not_know_makes_a_seat_cautious",
        (recovery.is_forgotten, "message.hash in core.store", "True"),
    ),
    mutant(
        "the floor counts every wish",
        RECOVERY + "test_fewer_than_t_liars_do_not_lift_the_floor[wishes0-2]",
        (recovery.floor, "core.votes.common_wish()", "max([0, *core.votes.wishes().values()])"),
    ),
    mutant(
        "a halt whose says do not resolve is read",
        VIEW + "test_a_halt_that_leaves_out_what_its_own_say_builds_on_is_malformed",
        (view_change._check_form, "not all(tree.resolves(say) for _, say in tree.says)", "False"),
    ),
    mutant(
        "answers without bound",
        SYNC + "test_an_answer_is_no_longer_than_a_link_can_hold_and_the_next_goes_on",
        (sync._carry_part, "if room < 0:", "if False:"),
    ),
    mutant(
        "an end with a fault that no base holds",
        END + "test_who_holds_the_proof_before_the_last_say_does_not_end_without_a_base",
        (progress._ended_by_says, "not accusations.is_unsettled(core)", "True"),
    ),
    mutant(
        "rubbish of passed epochs kept for ever",
        SYNC + "test_says_of_passed_epochs_that_lead_nowhere_are_dropped",
        (progress._forget_says, "message.seat == core.seat", "True"),
    ),
    mutant(
        "who has the end goes at once",
        "game x-96",
        (Machine.all_have_end, "core.seat is None or core.clocks.waited_after_end()", "True"),
    ),
    mutant(
        "a leave hurries who still thinks",
        "game mutant-29 leavers",
        (Core.all_left, "self.awaited() <= away", "bool(self.awaited() & away)"),
    ),
    mutant(
        "a leave holds behind a say",
        LEAVING + "test_a_say_of_the_seat_ends_it",
        (held_leaves._holds, "or _has_said_since(leave, store)", ""),
    ),
    mutant(
        "a leave holds in the step before",
        "game mutant-691 leaves",
        (Core.all_left, "if word.epoch < epoch or word.step <= step", ""),
    ),
    mutant(
        "a leave outlives an absence",
        LEAVING + "test_an_absence_since_then_ends_it",
        (held_leaves._holds, "_absences(node, leave.seat) == _absences", "_absences"),
    ),
    mutant(
        "a return ends nothing",
        LEAVING + "test_a_return_ends_it_for_seats_that_are_linked_through_others",
        (held_leaves._holds, "or leave.says_back", ""),
    ),
    mutant(
        "a leave of anyone counts", "game mutant-95 leaves", (leaving.take, "leaves.check(", "(")
    ),
    mutant(
        "a leave saves the grace",
        LEAVING + "test_who_has_spoken_leaves_for_the_next_step",
        (Core.ran_out, "is_out and", "self.all_left() or is_out and"),
    ),
)
