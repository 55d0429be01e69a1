"""The entries of the menu: leaving, the bot, the look of the screen, and whom to mute."""

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
    log = "".join(line.plain for line in page("log", shown.stage, shown.desk, (), 70)[1])
    assert "take A" not in log
    assert "do not" in log
    assert offers()[f"mute {ONLOOKERS}"] == "hear onlookers again"
