"""Deliberate errors in the rules of a seat: what a good check must catch.

A mutant is data: for each function that it spoils the text to be replaced and its replacement.
`python -m support.mutants NAME --games 500` looks for the first seed that catches it.
"""

from __future__ import annotations

import argparse
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
    """A named error; `seats` narrows the games in which it is looked for."""

    name: str
    spoils: tuple[Spoil, ...]
    seats: int | None = None


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
    Mutant(
        "t-1 halts",
        (
            (view_change.read_close, "!= table.quorum", "!= table.quorum - 1"),
            (Votes.best_halts, "self.table.quorum)", "self.table.quorum - 1)"),
            (propose, "< core.table.quorum or", "< core.table.quorum - 1 or"),
        ),
    ),
    Mutant(
        "no lock reported",
        (
            (own_halt, "core.votes.highest_lock(epoch)", "None"),
            (epoch_change.reports_all, "lock = core.votes.highest_lock(epoch)", "return True"),
        ),
    ),
    Mutant("lock reports seals only", ((Votes.highest_lock, "(SealVote, Accept)", "(SealVote,)"),)),
    Mutant(
        "halt omits its own last say",
        (
            (own_halt, HELD, HELD.replace("under)}", "under) if m.seat != core.seat}")),
            (epoch_change.halt, "not reports_all(core, wish)", "False"),
        ),
    ),
    Mutant(
        "halt omits what its own say builds on",
        ((own_halt, HELD, HELD.replace("under)}", "under) if m.seat == core.seat}")),),
    ),
    Mutant(
        "halts not binding",
        (
            (progress.may_speak, "not core.is_standing or ", ""),
            (
                statements.may_sign,
                "type(statement) not in SIGNS[core.state]",
                "core.inquiry is not None",
            ),
        ),
    ),
    Mutant("one vote instead of two", ((Votes.highest_open, "SealVote", "Accept"),)),
    Mutant(
        "an equivocator's version always void",
        ((view_change.walk, "_kept_version(node, tree, bodies, culprits, halts)", "None"),),
    ),
    Mutant(
        "a completed step final by itself",
        (
            (
                view.final_step,
                "base, silent = view.base.step, set(view.tip.present)",
                "base, silent = view.base.step, set()",
            ),
        ),
    ),
    Mutant(
        "final by t says",
        (
            (
                view.final_step,
                "if not silent:",
                "if len(view.tip.present) - len(silent) >= view.tip.table.quorum:",
            ),
        ),
    ),
    Mutant(
        "final by what comes after the halt",
        (
            (Core.final_step, "if self.is_standing:", "if True:"),
            (progress._ended_by_says, "not core.is_standing or ", ""),
        ),
    ),
    Mutant(
        "one expired halt enough",
        ((view_change._expire, "< table.seats - table.quorum + 1", "< 1"),),
    ),
    Mutant(
        "patience running on while halted",
        (
            (
                own_halt,
                "core.expired.get(under)",
                '__import__("protocol").wire.messages.Expired('
                "under, core.tip.step, core.tip.digest) "
                "if core.view.epoch == under and core.clocks.is_out(core.tip) else None",
            ),
        ),
    ),
    Mutant(
        "promise forgotten on resume",
        (
            (
                statements._bind,
                "core.raise_promise(statement.epoch)",
                "core.replaying or core.raise_promise(statement.epoch)",
            ),
        ),
    ),
    Mutant(
        "received bodies forgotten on resume",
        ((Machine._receive_message, "record(core, message)", "pass"),),
    ),
    Mutant(
        "own statements forgotten on resume",
        ((statements.sign, "record(core, message, note)", "pass"),),
    ),
    Mutant("no doubling of g", ((Clocks.grace, "2**doublings", "1"),)),
    Mutant(
        "the proposer's wait not doubled",
        (
            (
                epoch_change._waited_for_halts,
                "clocks.grace(core.fruitless) / 2",
                "clocks.grace() / 2",
            ),
        ),
    ),
    Mutant(
        "votes name the close",
        ((Votes._read_close, "base.node.base_digest()", "message.hash"),),
    ),
    Mutant(
        "proofs that prove nothing turn epochs",
        ((view.is_effective, "epochs == {view.epoch}", "True"),),
    ),
    Mutant(
        "a proof of two waits for what they name",
        ((view_change._bad_forms, "if len(proof) == 1:", "if True:"),),
    ),
    Mutant(
        "a second version makes a seat leave its own",
        (
            (
                view.chosen_says,
                "in store.says(view.epoch, node.step)",
                "in reversed(store.says(view.epoch, node.step))",
            ),
        ),
    ),
    Mutant(
        "illegal says are followed",
        (
            (
                view.chosen_says,
                "except Fault:\n                continue",
                "except Fault:\n                pass",
            ),
        ),
    ),
)


MUTANTS += (
    Mutant(
        "fewer than t present going on",
        ((transition.may_go_on, "len(node.present) >= node.table.quorum", "True"),),
    ),
)

# What the wide catalogue of `support.sim.tricks` and `support.sim.plan` was made for.
WIDE = (
    Mutant("reveal without hold", ((goals._needs_hold, "not node.table.strict", "False"),)),
    Mutant(
        "a thinking seat's halt says expired", ((Core._fix_expired, "if thinks:", "if False:"),)
    ),
    Mutant(
        "halts of the missing count",
        ((view_change._expire, "read.message.seat not in missing", "True"),),
    ),
    Mutant(
        "a zero backup piece accepted",
        ((setup_steps._check_backup, "== group.IDENTITY", "is None"),),
    ),
    Mutant(
        "a resumed seat signs at once",
        ((restoring.end, "core.inquiry = Inquiry(core.clocks.now)", "pass"),),
    ),
    Mutant(
        "what was forgotten makes nobody cautious",
        ((recovery.is_forgotten, "message.hash in core.store", "True"),),
    ),
    Mutant(
        "the floor counts every wish",
        (
            (
                recovery.floor,
                "core.votes.common_wish()",
                "max([0, *core.votes.wishes().values()])",
            ),
        ),
    ),
    Mutant(
        "a halt whose says do not resolve is read",
        (
            (
                view_change._check_form,
                "not all(tree.resolves(say) for _, say in tree.says)",
                "False",
            ),
        ),
    ),
    Mutant("answers without bound", ((sync._carry_part, "if room < 0:", "if False:"),)),
    Mutant(
        "an end with a fault that no base holds",
        ((progress._ended_by_says, "not accusations.is_unsettled(core)", "True"),),
    ),
    Mutant(
        "rubbish of passed epochs kept for ever",
        ((progress._forget_says, "message.seat == core.seat", "True"),),
    ),
)
MUTANTS += WIDE

END = (
    Mutant(
        "who has the end goes at once",
        ((Machine.all_have_end, "core.seat is None or core.clocks.waited_after_end()", "True"),),
    ),
)
MUTANTS += END

LEAVES = (
    Mutant(
        "a leave hurries who still thinks",
        ((Core.all_left, "self.awaited() <= away", "bool(self.awaited() & away)"),),
    ),
    Mutant(
        "a leave holds behind a say",
        ((held_leaves._holds, "or _has_said_since(leave, store)", ""),),
    ),
    Mutant(
        "a leave holds in the step before",
        ((Core.all_left, "if word.epoch < epoch or word.step <= step", ""),),
    ),
    Mutant(
        "a leave outlives an absence",
        ((held_leaves._holds, "_absences(node, leave.seat) == _absences", "_absences"),),
    ),
    Mutant("a return ends nothing", ((held_leaves._holds, "or leave.says_back", ""),)),
    Mutant("a leave of anyone counts", ((leaving.take, "leaves.check(", "("),)),
    Mutant(
        "a leave saves the grace", ((Core.ran_out, "is_out and", "self.all_left() or is_out and"),)
    ),
)
MUTANTS += LEAVES


def main() -> int:
    from support.sim.cheap import cheap_blocks
    from support.sim.invariants import Violation
    from support.sim.tables import play

    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("name", nargs="*")
    parser.add_argument("--games", type=int, default=300)
    parser.add_argument("--seed", default="mutant")
    parser.add_argument("--wide", action="store_true", help="with the wide catalogue")
    parser.add_argument("--only", help="one thing of it, in every game")
    args = parser.parse_args()
    for mutant in MUTANTS:
        if args.name and mutant.name not in args.name:
            continue
        found = None
        with planted(mutant), cheap_blocks():
            for number in range(args.games):
                seed = f"{args.seed}-{number}"
                try:
                    play(seed, mutant.seats, wide=args.wide, only=args.only)
                except Violation as violation:
                    found = f"{seed}: {str(violation)[:160]}"
                    break
        print(f"{mutant.name}: {found or f'not caught in {args.games} games'}", flush=True)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
