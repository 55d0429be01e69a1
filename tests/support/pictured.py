"""Games by the rules alone as the facts of a picture, and what a picture says."""

from functools import cache
from xml.etree import ElementTree

from cli.pictures.game_picture import game_picture
from cli.pictures.picture_facts import PictureFacts
from cli.pictures.svg_drawing import SVG
from p2p_hoity import bots
from p2p_hoity.editions.load_edition import load
from support.cli_stage import NICKNAMES
from support.rules_driver import Referee


@cache
def played(seats: int, seed: int = 1) -> Referee:
    """A whole game of easy bots, not to be changed."""
    driver = before(seats, 10_000, seed)
    driver.play()
    return driver


def before(seats: int, number: int, seed: int = 1) -> Referee:
    """A game of easy bots up to the beginning of a round, or to its end."""
    driver = Referee.seat(load(), seats, seed, "surprise" if seats == 2 else None)
    driver.choosers = [bots.BOTS["easy"]] * seats
    while driver.state.round < number and not driver.state.standings:
        driver.step()
    return driver


def facts_of(
    driver: Referee, nicknames: tuple[str, ...] = NICKNAMES, is_valid: bool = True
) -> PictureFacts:
    """What a picture of a game is about."""
    state = driver.state
    names, record = nicknames[: state.seats], tuple(driver.record)
    whole = (state.edition, names, record, state.standings)
    return PictureFacts(*whole, "0123456789abcdef", "2026-03-01", is_valid, "All is verified.")


def drawn(facts: PictureFacts) -> ElementTree.Element:
    """The picture, read by a parser of XML."""
    return ElementTree.fromstring(game_picture(facts).encode())


def texts(picture: ElementTree.Element) -> list[str]:
    """The lines of text of a picture, in their order."""
    return [one.text or "" for one in picture.iter(f"{{{SVG}}}text")]


def ways(picture: ElementTree.Element) -> list[ElementTree.Element]:
    """The lines of a picture that are as thick as the path of a figure."""
    found = picture.iter(f"{{{SVG}}}path")
    return [one for one in found if one.get("stroke-width") in ("2.8", "1.6")]
