"""Every code with which the rules forbid a choice has a sentence, in every language."""

import pytest

from cli.words import translation
from cli.words.refusals import (
    ILL_FORMED,
    NO_PLACE,
    NO_SUCH_QUESTION,
    NOT_MARKED,
    NOTHING_OPEN,
    OLD_QUESTION,
    choose_again,
    refusal,
)
from p2p_hoity.rules import Rule
from protocol.game_interface import NOT_OF_FORM, NOTHING_ASKED, Field

TABLES_OWN = {
    NOT_OF_FORM: ("kind",),
    NOTHING_ASKED: (),
    OLD_QUESTION: ("id",),
    NO_SUCH_QUESTION: (),
    NO_PLACE: (),
    NOTHING_OPEN: (),
    NOT_MARKED: (),
    "no-type": (),
    "no-json": (),
    "unknown-type": ("type",),
    "bad-field": ("field",),
}
CODES = {**{rule.value: rule.fields for rule in Rule}, **TABLES_OWN}
LIKELY: dict[str, Field] = {
    "kind": "place",
    "id": 3,
    "type": "answers",
    "field": "choice",
    "slot": 3,
    "slots": (3, 4, 5),
    "card": 7,
    "window": 1,
    "action": "Thief",
    "place": 1,
}


def test_each_code_has_a_sentence_and_each_sentence_a_code_and_no_more_than_its_fields() -> None:
    templates = [*ILL_FORMED.values(), *(rule.template for rule in Rule)]
    assert set(ILL_FORMED) == set(TABLES_OWN)
    assert all(templates)
    assert len(set(templates)) == len(templates)
    with pytest.raises(ValueError, match="no-such-rule"):
        refusal("no-such-rule", {})


@pytest.mark.parametrize("language", translation.LANGUAGES)
@pytest.mark.parametrize("code", CODES)
def test_a_refusal_is_said_in_every_language(code: str, language: str) -> None:
    fields = {name: LIKELY[name] for name in CODES[code]}
    english = refusal(code, fields)
    translation.speak(language)
    told = refusal(code, fields)
    assert told
    assert "{" not in told
    assert (told == english) is (language == "en")


def test_what_is_put_in_is_said_by_name() -> None:
    told = "The rules forbid that: that window is empty. Choose again."
    assert choose_again("window-empty", {"window": 0}) == told
    fields: dict[str, Field] = {"action": "Thief", "place": 1}
    assert refusal("not-played-there", fields) == "Thief may not be played in the Auction Hall"
    translation.speak("de")
    told = "Dieb ist an diesem Ort nicht erlaubt (Auktionshaus)"
    assert refusal("not-played-there", fields) == told
