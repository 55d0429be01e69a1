"""Every deliberate error in the rules is caught, by a game with a known seed or by a scene."""

from collections.abc import Callable

import pytest
from protocol_.chain import test_last_step as last
from protocol_.chain import test_transition as chain_test
from protocol_.consensus import test_hold_model as hold
from protocol_.consensus import test_view_change as base
from protocol_.seat import test_leaving as going
from protocol_.seat import test_recovery as caution
from protocol_.seat import test_rules_of_a_seat as scene
from protocol_.seat import test_sync as answers
from support.models.epochs import Model
from support.models.hold import voted_away as judge_votes
from support.mutants import MUTANTS, Mutant, planted
from support.room import Room
from support.sim.cheap import cheap_blocks
from support.sim.tables import play
from support.tiny_table import tiny_steps

Catch = Callable[[], object]


def game(seed: str, only: str | None = None) -> Catch:
    return lambda: play(seed, only=only)


def in_a_room(test: Callable[[Room], object]) -> Catch:
    return lambda: test(answers.room_with_keys())


def voted_away() -> None:
    """Every seat that thinks says all the same that its patience ran out."""
    model = hold.run((4, 3, {3}), "A", judge_votes, subsets=True, thinkers_vote=True)
    assert model.found == {}


def with_model(test: Callable[[Model], object]) -> Catch:
    def run() -> None:
        with tiny_steps():
            test(Model(4, 3, {3}, "AA"))

    return run


def exhaustive() -> None:
    with tiny_steps():
        model = Model(4, 3, {3}, "A")
        model.run()
    assert model.found == {}


CATCHES: dict[str, Catch] = {
    "t-1 halts": with_model(
        base.test_a_close_needs_t_halts_of_its_epoch_by_rising_seat_from_its_proposer
    ),
    "no lock reported": game("mutant-3"),
    "lock reports seals only": game("mutant-59"),
    "halt omits its own last say": game("mutant-0"),
    "halt omits what its own say builds on": game("mutant-0"),
    "halts not binding": game("mutant-3"),
    "one vote instead of two": lambda: scene.test_without_seals_accepts_or_a_close_no_epoch_opens(
        scene.SealVote
    ),
    "an equivocator's version always void": exhaustive,
    "a completed step final by itself": game("mutant-54"),
    "final by t says": (scene.test_a_step_is_final_when_every_present_seat_has_spoken_beyond_it),
    "final by what comes after the halt": scene.test_what_comes_after_the_halt_makes_nothing_final,
    "one expired halt enough": with_model(
        lambda model: base.test_absence_needs_one_more_than_n_minus_t_expired_halts(model, 1, False)
    ),
    "patience running on while halted": scene.test_patience_does_not_run_while_halted,
    "promise forgotten on resume": scene.test_a_halted_seat_does_not_go_on_after_a_crash,
    "received bodies forgotten on resume": scene.test_a_crash_forgets_neither_own_nor_received_says,
    "own statements forgotten on resume": game("mutant-26"),
    "no doubling of g": scene.test_grace_doubles_per_fruitless_epoch_up_to_its_cap,
    "the proposer's wait not doubled": (
        scene.test_the_proposers_wait_doubles_too_and_is_for_the_willing_only
    ),
    "votes name the close": scene.test_votes_name_the_base_so_two_closes_with_one_base_are_one,
    "proofs that prove nothing turn epochs": (
        scene.test_a_proof_that_the_next_base_will_not_find_turns_no_epoch
    ),
    "a proof of two waits for what they name": with_model(
        base.test_a_proof_of_two_needs_nothing_of_what_the_two_name
    ),
    "a second version makes a seat leave its own": scene.test_the_version_seen_first_is_followed,
    "illegal says are followed": scene.test_an_illegal_body_is_not_followed,
    "reveal without hold": game("mutant-0", "cut"),
    "a thinking seat's halt says expired": game("mutant-0", "thinkers"),
    "halts of the missing count": voted_away,
    "a zero backup piece accepted": game("mutant-0", "roots"),
    "a resumed seat signs at once": game("mutant-0", "restored"),
    "what was forgotten makes nobody cautious": (
        caution.test_a_statement_of_its_own_that_it_does_not_know_makes_a_seat_cautious
    ),
    "the floor counts every wish": (
        lambda: caution.test_fewer_than_t_liars_do_not_lift_the_floor((2**32 - 1,), 2)
    ),
    "a halt whose says do not resolve is read": with_model(
        base.test_a_halt_that_leaves_out_what_its_own_say_builds_on_is_malformed
    ),
    "answers without bound": in_a_room(
        answers.test_an_answer_is_no_longer_than_a_link_can_hold_and_the_next_goes_on
    ),
    "rubbish of passed epochs kept for ever": in_a_room(
        answers.test_says_of_passed_epochs_that_lead_nowhere_are_dropped
    ),
    "an end with a fault that no base holds": (
        last.test_who_holds_the_proof_before_the_last_say_does_not_end_without_a_base
    ),
    "who has the end goes at once": game("x-96"),
    "a leave hurries who still thinks": game("mutant-29", "leavers"),
    "a leave holds behind a say": going.test_a_say_of_the_seat_ends_it,
    "a leave holds in the step before": game("mutant-691", "leaves"),
    "a leave of anyone counts": game("mutant-95", "leaves"),
    "a leave outlives an absence": going.test_an_absence_since_then_ends_it,
    "a return ends nothing": (going.test_a_return_ends_it_for_seats_that_are_linked_through_others),
    "a leave saves the grace": going.test_who_has_spoken_leaves_for_the_next_step,
    "fewer than t present going on": chain_test.test_below_the_quorum_the_chain_stands_still,
}


def test_every_mutant_has_its_catch() -> None:
    assert {mutant.name for mutant in MUTANTS} <= set(CATCHES)


@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda mutant: mutant.name)
def test_the_mutant_is_caught_and_the_rules_as_they_are_pass(mutant: Mutant) -> None:
    catch = CATCHES[mutant.name]
    with cheap_blocks():
        catch()
    failures = (Exception, pytest.fail.Exception)
    with cheap_blocks(), planted(mutant), pytest.raises(failures):
        catch()
