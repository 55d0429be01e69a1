"""In the first second of a step the screen says who is awaited, and no time of zero beside it."""

import pytest
from support.moments import begun

from cli.words import translation
from p2p_hoity.presentation.screen_updates import Attending

WORDS = {
    "en": ("thinking…", "link lost", "waiting for Ada, Bruno"),
    "de": ("überlegt…", "keine Verbindung", "gewartet wird auf Ada, Bruno"),
    "es": ("pensando…", "sin conexión", "esperando a Ada, Bruno"),
}
SIZES = [(80, 24), (120, 30), (160, 45)]


@pytest.mark.parametrize("language", translation.LANGUAGES)
@pytest.mark.parametrize(
    ("waited", "time"),
    [(-0.5, ""), (0.0, ""), (0.4, ""), (0.999, ""), (1.0, "0:01"), (1.9, "0:01"), (61.0, "1:01")],
)
def test_a_time_stands_beside_who_is_awaited_once_a_second_is_over(
    language: str, waited: float, time: str
) -> None:
    translation.speak(language)
    shown = begun(4).step(4).there(Attending.LINKED, Attending.LINKED, Attending.UNLINKED)
    shown.wait({1, 2}, waited, 300.0 - waited)
    thinking, lost, waiting = WORDS[language]
    for width, height in SIZES:
        words = shown.text(width, height)
        assert "0:00" not in words
        for said in (thinking, lost, waiting):
            (line,) = [line for line in shown.lines(width, height) if said in line]
            after = line.partition(said)[2]
            assert after.lstrip(" ·").startswith(time) if time else not after.strip(" ·│"), line
    shown.there(Attending.LINKED, Attending.LEFT, Attending.LEFT)
    assert "0:00" not in shown.text()


@pytest.mark.parametrize("language", translation.LANGUAGES)
@pytest.mark.parametrize("eyes", [0, None])
def test_no_step_of_a_game_shows_a_zero_in_its_first_second(
    language: str, eyes: int | None
) -> None:
    """Also before the deal, after a choice was sealed, and while others are asked."""
    translation.speak(language)
    shown = begun(3, mine=eyes)
    for _step in range(40):
        shown.wait({0, 1, 2}, 0.3, 299.7)
        assert "0:00" not in shown.text()
        assert "0:00" not in shown.text(120, 40)
        shown.step()
