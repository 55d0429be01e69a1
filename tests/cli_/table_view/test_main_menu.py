"""The entries of the menu: leaving, the bot, the look of the screen, and whom to mute."""

import pytest
from support.moments import MOMENTS

from cli.table_view.desk import ONLOOKERS
from cli.table_view.main_menu import options
from cli.ui.full_screen.info_pages import page
from p2p_hoity.presentation import screen_updates as updates


def test_onlookers_are_muted_together_and_heard_again() -> None:
    shown = MOMENTS["place"]()

    def offers() -> dict[str, str]:
        return dict(options(shown.stage, shown.desk, True))

    assert f"mute {ONLOOKERS}" not in offers()
    shown.hear(updates.Said(None, "Oskar", "take A"))
    shown.hear(updates.Said(1, "Ada", "do not"))
    assert offers()[f"mute {ONLOOKERS}"] == "mute onlookers"
    assert "take A" in shown.text(100, 30)
    shown.desk.muted.add(ONLOOKERS)
    assert "take A" not in shown.text(100, 30)
    assert "do not" in shown.text(100, 30)
    log = "".join(line.plain for line in page("log", shown.stage, shown.desk, 70)[1])
    assert "take A" not in log
    assert "do not" in log
    assert offers()[f"mute {ONLOOKERS}"] == "hear onlookers again"


LEAVING = {
    "place": ["leave", "bot"],
    "over": ["leave"],
    "ended": ["leave"],
    "terms": ["leave"],
    "watched": ["leave"],
    "lesson": ["leave"],
}


@pytest.mark.parametrize("moment", LEAVING)
def test_a_bot_is_offered_in_a_game_that_one_plays_only(moment: str) -> None:
    shown = MOMENTS[moment]()
    names = [name for name, _words in options(shown.stage, shown.desk, True)]
    assert names[0] == "stay"
    assert [name for name in names if name in ("leave", "bot")] == LEAVING[moment]
    assert ("bell" in names) is (moment != "lesson")
    assert {"pace", "theme"} <= set(names)


@pytest.mark.parametrize(
    ("moment", "words"),
    [
        ("place", "leave for now: the others are told, and you can come back. "),
        ("over", "leave the table"),
        ("terms", "leave; no game has begun"),
        ("watched", "stop watching"),
        ("lesson", "leave the lesson"),
    ],
)
def test_what_leaving_means_is_said(moment: str, words: str) -> None:
    shown = MOMENTS[moment]()
    told = dict(options(shown.stage, shown.desk, True))["leave"]
    assert told.startswith(words)
    assert ("back in the next round" in told) is (moment == "place")


def test_each_switch_offers_what_is_not_so_now() -> None:
    shown = MOMENTS["place"]()

    def words(name: str, rings: bool = True) -> str:
        return dict(options(shown.stage, shown.desk, rings))[name]

    assert (words("bell"), words("bell", False)) == ("turn the bell off", "turn the bell on")
    for staged, told in ((True, "all at once"), (False, "step by step")):
        shown.stage.staged = staged
        assert words("pace") == f"show reveals {told}"
    for by_bot, told in ((False, "let a bot play on"), (True, "take your seat back from the bot")):
        shown.desk.autopilot = by_bot
        assert words("bot") == told
    assert (words("mute 1"), words("mute 2")) == ("mute Ada", "mute Bruno")
    shown.desk.muted.add(1)
    assert (words("mute 1"), words("mute 2")) == ("hear Ada again", "mute Bruno")
    assert "mute 0" not in dict(options(shown.stage, shown.desk, True))
