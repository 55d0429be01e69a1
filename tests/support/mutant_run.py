"""Run of the mutants: each must be killed by a simulated game or by one test of the suite.

`python -m support.mutant_run` (in `tests`, with the checkout on the path) prints a line for each
mutant that is killed, in the form of `tests/protocol_/seat/killed_mutants.txt`; `--write` writes
that file. Names of mutants narrow the run.
"""

from __future__ import annotations

import argparse
import io
import os
from collections.abc import Callable, Mapping
from contextlib import redirect_stdout
from typing import Final

import pytest

from support.mutants import MUTANTS, Mutant, planted
from support.paths import ROOT, TESTS
from support.sampling import NIGHTLY
from support.sim.cheap import cheap_blocks
from support.sim.invariants import Violation
from support.sim.tables import play

LIST: Final = TESTS / "protocol_" / "seat" / "killed_mutants.txt"

KILLERS: Final[Mapping[str, str]] = {
    "t-1 halts": "consensus/test_view_change.py::"
    "test_a_close_needs_t_halts_of_its_epoch_by_rising_seat_from_its_proposer",
    "no lock reported": "game mutant-3",
    "lock reports seals only": "game mutant-59",
    "halt omits its own last say": "game mutant-0",
    "halt omits what its own say builds on": "game mutant-0",
    "halts not binding": "game mutant-3",
    "one vote instead of two": "seat/test_rules_of_a_seat.py::"
    "test_without_seals_accepts_or_a_close_no_epoch_opens[SealVote]",
    "an equivocator's version always void": "consensus/test_epoch_model.py::"
    "test_no_close_loses_a_final_step[4-3-liars5-A-34-926]",
    "a completed step final by itself": "game mutant-54",
    "final by t says": "seat/test_rules_of_a_seat.py::"
    "test_a_step_is_final_when_every_present_seat_has_spoken_beyond_it",
    "final by what comes after the halt": "seat/test_rules_of_a_seat.py::"
    "test_what_comes_after_the_halt_makes_nothing_final",
    "one expired halt enough": "consensus/test_view_change.py::"
    "test_absence_needs_one_more_than_n_minus_t_expired_halts[1-False]",
    "patience running on while halted": "seat/test_rules_of_a_seat.py::"
    "test_patience_does_not_run_while_halted",
    "promise forgotten on resume": "seat/test_rules_of_a_seat.py::"
    "test_a_halted_seat_does_not_go_on_after_a_crash",
    "received bodies forgotten on resume": "seat/test_rules_of_a_seat.py::"
    "test_a_crash_forgets_neither_own_nor_received_says",
    "own statements forgotten on resume": "game mutant-26",
    "no doubling of g": "seat/test_rules_of_a_seat.py::"
    "test_grace_doubles_per_fruitless_epoch_up_to_its_cap",
    "the proposer's wait not doubled": "seat/test_rules_of_a_seat.py::"
    "test_the_proposers_wait_doubles_too_and_is_for_the_willing_only",
    "votes name the close": "seat/test_rules_of_a_seat.py::"
    "test_votes_name_the_base_so_two_closes_with_one_base_are_one",
    "proofs that prove nothing turn epochs": "seat/test_rules_of_a_seat.py::"
    "test_a_proof_that_the_next_base_will_not_find_turns_no_epoch",
    "a proof of two waits for what they name": "consensus/test_view_change.py::"
    "test_a_proof_of_two_needs_nothing_of_what_the_two_name",
    "a second version makes a seat leave its own": "seat/test_rules_of_a_seat.py::"
    "test_the_version_seen_first_is_followed",
    "illegal says are followed": "seat/test_rules_of_a_seat.py::"
    "test_an_illegal_body_is_not_followed",
    "reveal without hold": "game mutant-0 cut",
    "a thinking seat's halt says expired": "game mutant-0 thinkers",
    "halts of the missing count": "consensus/test_hold_model.py::"
    "test_where_a_seat_that_thinks_may_say_expired_it_votes_itself_away"
    "[four seats, a liar, all speak]",
    "a zero backup piece accepted": "game mutant-0 roots",
    "a resumed seat signs at once": "game mutant-0 restored",
    "what was forgotten makes nobody cautious": "seat/test_recovery.py::"
    "test_a_statement_of_its_own_that_it_does_not_know_makes_a_seat_cautious",
    "the floor counts every wish": "seat/test_recovery.py::"
    "test_fewer_than_t_liars_do_not_lift_the_floor[wishes0-2]",
    "a halt whose says do not resolve is read": "consensus/test_view_change.py::"
    "test_a_halt_that_leaves_out_what_its_own_say_builds_on_is_malformed",
    "answers without bound": "seat/test_sync.py::"
    "test_an_answer_is_no_longer_than_a_link_can_hold_and_the_next_goes_on",
    "rubbish of passed epochs kept for ever": "seat/test_sync.py::"
    "test_says_of_passed_epochs_that_lead_nowhere_are_dropped",
    "an end with a fault that no base holds": "chain/test_last_step.py::"
    "test_who_holds_the_proof_before_the_last_say_does_not_end_without_a_base",
    "who has the end goes at once": "game x-96",
    "a leave hurries who still thinks": "game mutant-29 leavers",
    "a leave holds behind a say": "seat/test_leaving.py::test_a_say_of_the_seat_ends_it",
    "a leave holds in the step before": "game mutant-691 leaves",
    "a leave of anyone counts": "game mutant-95 leaves",
    "a leave outlives an absence": "seat/test_leaving.py::test_an_absence_since_then_ends_it",
    "a return ends nothing": "seat/test_leaving.py::"
    "test_a_return_ends_it_for_seats_that_are_linked_through_others",
    "a leave saves the grace": "seat/test_leaving.py::test_who_has_spoken_leaves_for_the_next_step",
    "fewer than t present going on": "chain/test_transition.py::"
    "test_below_the_quorum_the_chain_stands_still",
}
"""By name of the mutant, a test in `tests/protocol_`, or the seed of a game and its one lie."""


def main() -> int:
    """Run the mutants and print, or write, which are killed by what."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("name", nargs="*")
    parser.add_argument("--write", action="store_true")
    arguments = parser.parse_args()
    os.environ[NIGHTLY] = "1"  # tests that the quick suite samples must all be there
    chosen = [one for one in MUTANTS if not arguments.name or one.name in arguments.name]
    lines = [line_of(one.name) for one in chosen if is_killed(one)]
    if arguments.write:
        LIST.write_text("".join(f"{line}\n" for line in lines))
    print("\n".join(lines))
    return 0


def line_of(name: str) -> str:
    """Return the line of a killed mutant."""
    return f"{name}: {KILLERS[name]}"


def is_killed(mutant: Mutant) -> bool:
    """Return whether its killer passes under the rules as they are, and fails with the mutant."""
    fails = _fails_in_game if KILLERS[mutant.name].startswith("game ") else _fails_in_test
    return not fails(KILLERS[mutant.name]) and _with(mutant, fails)


def _with(mutant: Mutant, fails: Callable[[str], bool]) -> bool:
    with planted(mutant):
        return fails(KILLERS[mutant.name])


def _fails_in_game(killer: str) -> bool:
    _, seed, *only = killer.split()
    with cheap_blocks():
        try:
            play(seed, only=only[0] if only else None)
        except Violation:
            return True
    return False


def _fails_in_test(killer: str) -> bool:
    """Run one test in this process. Raises RuntimeError unless it ran."""
    arguments = ["-q", "-p", "no:cacheprovider", "--rootdir", str(ROOT)]
    with redirect_stdout(io.StringIO()) as printed:
        code = pytest.main([*arguments, str(TESTS / "protocol_" / killer)])
    if code not in (pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED):
        raise RuntimeError(f"{killer} did not run:\n{printed.getvalue()}")
    return code is pytest.ExitCode.TESTS_FAILED


if __name__ == "__main__":
    raise SystemExit(main())
