"""The recap of the last round, of what was missed, and of the octagons ahead."""

from dataclasses import replace

from support.moments import Shown, begun, over

from cli.ui.full_screen.info_pages import page
from cli.words.happening_sentences import rounds_of
from cli.words.recap_sentences import recap
from p2p_hoity.presentation import screen_updates as updates
from p2p_hoity.presentation.figure_paths import figure_paths


def _told(shown: Shown) -> list[str]:
    assert shown.stage.names is not None
    return recap(shown.stage.scene, shown.stage.names)


def _in_round(number: int) -> Shown:
    shown = begun()
    while shown.driver.state.round < number:
        shown.step()
    return shown


def test_there_is_none_before_the_first_round() -> None:
    shown = begun()
    shown.stage.scene = replace(shown.stage.scene, record=())
    assert _told(shown) == []


def test_the_last_round_that_is_over_is_told_in_at_most_five_lines() -> None:
    for number in (3, 9, 20):
        told = _told(_in_round(number))
        assert told[0] == f"Round {number - 1}"
        assert 1 <= len(told[1:-1]) <= 5
        assert all(line.startswith("  ") for line in told[1:-1])
        assert told[-1].startswith("Octagons ahead of the leader: ")


def test_in_full_it_is_told_in_sentences_by_the_octagon_of_that_round() -> None:
    for number in range(3, 24):
        shown = _in_round(number)
        assert shown.stage.names is not None
        names, scene = shown.stage.names, shown.stage.scene
        before = names.before
        told = recap(scene, names, in_full=True)
        assert names.before == before
        live = [line for one in rounds_of(names, scene.record)[:-1] for line in one]
        for line in told[1:-1]:
            assert line.strip() in live


def test_in_brief_it_names_the_octagon_that_paid() -> None:
    for number in range(3, 24):
        shown = _in_round(number)
        log = list(shown.stage.log)
        paid = [part for line in _told(shown) for part in line.strip().split(" · ")]
        for part in paid:
            if part.startswith("At octagon"):
                assert any(part in line for line in log)


def test_the_octagons_ahead_are_those_of_the_edition() -> None:
    shown = _in_round(3)
    assert shown.stage.names is not None
    octagons = shown.stage.names.edition.octagons
    leader = max(shown.view.state.figures)
    ahead = next(at for at in range(leader + 1, len(octagons)) if octagons[at] != octagons[leader])
    best, second = octagons[ahead]
    assert f"from field {ahead} {best}/{second} · " in _told(shown)[-1]
    assert _told(shown)[-1].endswith(f"Banquet from field {len(octagons)}")


def test_who_was_away_reads_each_round_that_was_missed() -> None:
    shown = _in_round(4)
    shown.hear(updates.Away())
    while shown.driver.state.round < 8:
        shown.step()
    told = _told(shown)
    assert told[0] == "While you were away:"
    missed = [line for line in told if line.startswith("  Round ")]
    assert [line.split(":")[0].strip() for line in missed] == [f"Round {n}" for n in range(4, 9)]
    shown.hear(updates.Rejoined(), updates.ChoiceTaken("place", 0))
    assert "While you were away:" not in _told(shown)


def test_what_was_taken_back_meanwhile_was_not_missed() -> None:
    shown = _in_round(4)
    shown.hear(updates.Away())
    shown.step()
    shown.stage.hear(updates.Rewound(1, 5, shown.view))
    assert "While you were away:" not in _told(shown)


def test_after_the_game_the_path_of_each_figure_stands_there() -> None:
    shown = over()
    told = _told(shown)
    for path, line in zip(figure_paths(shown.stage.scene.record), told[-4:], strict=True):
        assert line.endswith(" ".join(map(str, (*path.fields[1:], path.last))))
    assert not any("Octagons" in line for line in told)


def test_it_is_a_page_of_the_full_screen() -> None:
    shown = _in_round(5)
    title, lines = page("recap", shown.stage, shown.desk, 70)
    assert title == "What has happened"
    assert lines[0].plain == "Round 4"
