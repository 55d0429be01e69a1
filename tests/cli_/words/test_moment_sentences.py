"""The words for what decided a game."""

from cli.words.card_names import Names
from cli.words.moment_sentences import STEPS, moment_words
from p2p_hoity.editions.load_edition import load
from p2p_hoity.presentation.deciding_moments import OF_EXHIBITS, DecidingMoment
from p2p_hoity.rules import Piece, Why
from p2p_hoity.rules.happenings import FigureMoved, Sale, Stolen

CARD = None  # Which Action card it was is not told.
NAMES = Names(load(), ("Ana", "Bob", "Cleo"), 0)
B = Piece(7, 7, "B", 1926)
SHOWN = (Piece(8, 8, "C", 1657), B, Piece(9, 9, "A", 1623))


def told(why: Why, fields: int = 5, cause: Sale | Stolen | None = None, last: bool = False) -> str:
    step = FigureMoved(0, 3, 3 + fields, fields, why)
    exhibit = SHOWN if why in OF_EXHIBITS else ()
    moment = DecidingMoment(12, last, step, exhibit, -2, 3, cause, 9 if cause else 0)
    words = moment_words(NAMES, moment)
    assert words.title == ("The last exhibits" if last else "Round 12")
    assert words.lead == "Lead: −2 → +3"
    return words.told


def test_every_step_that_may_decide_a_game_has_a_sentence() -> None:
    assert set(STEPS) == {*OF_EXHIBITS, Why.DETECTIVE}
    assert told(Why.BEST) == "Ana shows the best exhibit, ABC: 5 fields."
    assert told(Why.SECOND_BEST, 1) == "Ana shows the second-best exhibit, ABC: 1 field."
    assert told(Why.DETECTIVE, 3) == "The Detective of Ana catches a Thief: 3 fields."
    assert told(Why.BEST_FINAL, 8, last=True) == "Ana has the best exhibit of all, ABC: 8 fields."
    assert "second-best exhibit of all" in told(Why.SECOND_BEST_FINAL, 4, last=True)


def test_the_cause_is_a_purchase_or_a_theft_by_whom_it_was() -> None:
    sale = told(Why.BEST, cause=Sale(0, CARD, 0, B))
    assert sale.endswith("5 fields. B1926, bought in round 9, made the difference.")
    own = told(Why.BEST, cause=Stolen(0, CARD, 1, B))
    assert own.endswith(" B1926, stolen from Bob in round 9, made the difference.")
    other = told(Why.BEST, cause=Stolen(2, CARD, 1, B))
    assert other.endswith(" Cleo had stolen B1926 from Bob in round 9.")
