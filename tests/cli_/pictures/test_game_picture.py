"""The picture of a game: all that it has to say, in every language, with nothing from elsewhere."""

import re

import pytest
from support.cases import each
from support.cli_stage import tool
from support.pictured import before, drawn, facts_of, played, texts

from cli.pictures.game_picture import game_picture
from cli.pictures.svg_drawing import SVG
from cli.words import translation
from protocol.game_interface import Stopped


@pytest.fixture
def spoken() -> None:
    """English is spoken again afterwards."""
    yield
    translation.speak("en")


@each([2, 3, 4, 5, 6])
def test_a_picture_names_its_game_and_that_it_was_verified(seats: int) -> None:
    facts = facts_of(played(seats))
    found = texts(drawn(facts))
    told = " ".join(found)
    for words in (
        facts.headline,
        "Edition: uberplay-2004",
        f"{seats} seats",
        "2026-03-01",
        "game 0123456789abcdef",
        "✓ All is verified.",
    ):
        assert words in told, words
    assert "What decided it" in told
    assert ("variant: surprise" in told) == (seats == 2)
    heads = [one for one in found if one == "The last exhibits" or one.startswith("Round ")]
    assert len(heads) == len(facts.moments)


@pytest.mark.parametrize("language", translation.LANGUAGES)
def test_it_speaks_the_chosen_language_and_is_the_same_each_time(
    language: str, spoken: None
) -> None:
    translation.speak(language)
    facts = facts_of(played(3))
    picture = game_picture(facts)
    assert picture == game_picture(facts_of(played(3)))
    assert f'lang="{language}"' in picture


def test_nothing_in_it_is_fetched_or_run() -> None:
    names = ('<script href="http://x">', "javascript:a", "&lt;")
    picture = game_picture(facts_of(played(3), names))
    assert re.findall(r"https?://[^\"&<]*", picture.replace(SVG, "")) == [
        "http://x"
    ] * picture.count("http://x")
    kinds = {one.tag.removeprefix(f"{{{SVG}}}") for one in drawn(facts_of(played(3), names)).iter()}
    wanted = {"svg", "title", "desc", "rect", "circle", "path", "polygon", "text"}
    assert kinds == wanted
    for one in drawn(facts_of(played(3), names)).iter():
        assert not {name for name in one.attrib if "href" in name or name.startswith("on")}


def test_everything_lies_inside_it() -> None:
    for seats in (2, 6):
        picture = drawn(facts_of(played(seats)))
        width, height = (float(picture.get(name, 0)) for name in ("width", "height"))
        for one in picture.iter(f"{{{SVG}}}text"):
            assert 0 < float(one.get("x", 0)) < width
            assert 0 < float(one.get("y", 0)) < height


def test_a_stopped_game_says_so() -> None:
    driver = before(3, 8)
    driver.apply(Stopped())
    driver.play()
    told = " ".join(texts(drawn(facts_of(driver))))
    assert "The game is stopped in round 8" in told
    assert "wins with field" in told


def test_an_unfinished_game_is_drawn_as_far_as_it_came() -> None:
    facts = facts_of(before(3, 8))
    picture = drawn(facts)
    told = " ".join(texts(picture))
    assert "The game is not over. It came to round 8." in told
    assert "So far" in told
    for words in ("Standings", "What decided it", "last exhibits"):
        assert words not in told
    assert not list(picture.iter(f"{{{SVG}}}polygon"))
    assert "✓" not in " ".join(texts(drawn(facts_of(before(3, 8), is_valid=False))))


def test_who_only_hears_the_picture_is_told_the_result() -> None:
    facts = facts_of(played(3))
    heard = drawn(facts).findtext(f"{{{SVG}}}desc")
    assert heard is not None
    assert heard.startswith(facts.headline)
    assert all(f"{facts.nicknames[seat]} {facts.paths[seat].end}" in heard for seat in range(3))


def test_the_kept_picture_is_what_is_drawn_now() -> None:
    pictures = tool("pictures")
    kept = (pictures.FOLDER / f"{pictures.GAME}.svg").read_text(encoding="utf-8")
    assert kept == pictures.drawn_game()
