"""What a picture is about: its headline and the order of its seats, over or not."""

from dataclasses import replace

from support.pictured import before, facts_of, played

from p2p_hoity.rules import Standing


def test_a_finished_game_is_told_by_its_winner() -> None:
    facts = facts_of(played(3))
    winner = facts.standings[0].seat
    assert facts.headline.startswith(f"{facts.nicknames[winner]} wins with field ")
    assert facts.order == [line.seat for line in facts.standings]
    assert facts.moments
    assert {one.step.seat for one in facts.moments} == {winner}


def test_a_shared_first_rank_names_all_who_share_it() -> None:
    facts = facts_of(played(3))
    lines = tuple(Standing(1 if seat < 2 else 3, seat, 40, ()) for seat in range(3))
    assert "Ana, Bob" in replace(facts, standings=lines).headline


def test_an_unfinished_game_has_no_winner_and_no_moments() -> None:
    facts = facts_of(before(3, 9))
    assert facts.headline == "The game is not over. It came to round 9."
    assert facts.moments == ()
    fields = [facts.paths[seat].end for seat in facts.order]
    assert fields == sorted(fields, reverse=True)
    broken = facts_of(before(3, 9), is_valid=False)
    assert broken.headline == "The file of this game is valid as far as round 9."
