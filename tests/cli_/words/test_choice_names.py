"""Choices in words: every option is typed by its words and nothing else is; hints."""

import re
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.cli_stage import NICKNAMES, referee, until
from support.moments import begun
from support.sampling import times

from cli.table_view.question_menu import menu
from cli.words import choice_names, translation
from cli.words.board_text import own_slots
from cli.words.card_names import Names, code
from cli.words.choice_names import (
    HINTS_WITHOUT_NUMBERS,
    MOST,
    MOST_HINTS,
    NAMED,
    NoAnswer,
    Query,
    advice,
    forced,
    from_whom,
    in_words,
    ordered,
    questions,
    read,
    sealing,
)
from cli.words.choice_notes import placing
from p2p_hoity import rules
from p2p_hoity.bots.hard_bot import mixtures_of
from p2p_hoity.bots.learned import shipped
from p2p_hoity.rules import ActionKind, View

KINDS = ["place", "action", "window", "exhibit"]


def asked(kind: Any, seats: int = 4, seed: int = 1) -> tuple[View, Names, Query]:
    view = until(referee(seats, seed), kind, 0)
    names = Names(view.state.edition, NICKNAMES[:seats], 0)
    return view, names, questions(view, kind, names)[0]


@settings(max_examples=times(8, 20))
@given(st.sampled_from(KINDS), st.integers(0, 9), st.sampled_from(translation.LANGUAGES))
def test_an_options_own_words_choose_it(kind: str, seed: int, language: str) -> None:
    translation.speak(language)
    view, _names, question = asked(kind, seed=seed)
    for number, option in enumerate(question.options, 1):
        typed = str(number)
        wide = typed.translate({ord(digit): chr(ord(digit) + 0xFEE0) for digit in typed})
        for line in (typed, wide, f"{typed}.", f"({typed})", f"\ufeff{typed}\u200b", f"`{typed}`"):
            assert read(line, question, view, kind) == option.value
        for line in (f"-{typed}", f"{typed}?"):
            with pytest.raises(NoAnswer):
                read(line, question, view, kind)
        for key in option.keys:
            same = [one for one in (*question.options, *question.more) if key in one.keys]
            if len(same) == 1:
                assert read(key.upper(), question, view, kind) == option.value


@pytest.mark.parametrize("language", translation.LANGUAGES)
@pytest.mark.parametrize("kind", [*KINDS, "turn"])
def test_an_answer_is_typed_as_it_is_shown(kind: str, language: str) -> None:
    translation.speak(language)
    is_turn = kind == "turn"
    view = until(referee(2 if is_turn else 4, variant="surprise" if is_turn else None), kind, 0)  # type: ignore[arg-type]
    names = Names(view.state.edition, NICKNAMES[: view.state.seats], 0)
    (question,) = questions(view, kind, names)
    for option in question.options:
        for typed in (option.words, f"  {option.words.upper()} "):
            assert read(typed, question, view, kind) == option.value


def test_of_a_turn_the_card_is_enough_where_it_fits_one_place_only() -> None:
    view = until(referee(2, variant="surprise"), "turn", 0)
    (question,) = questions(view, "turn", Names(view.state.edition, NICKNAMES[:2], 0))
    for option in question.options:
        card = option.words.partition(", ")[2]
        if card.startswith("Thief"):
            with pytest.raises(NoAnswer, match=f"Castle, {card}; Auction Hall, {card}"):
                read(card, question, view, "turn")
        else:
            assert read(card.lower(), question, view, "turn") == option.value


@pytest.mark.parametrize("kind", KINDS)
def test_nonsense_is_no_answer_and_why_is_said(kind: str) -> None:
    view, _names, question = asked(kind)
    picks = ["p", "p A", "p AAAAAAAAAA", "p 1 99", "p 1 2", "p x y z", "p 0"]
    nonsense = ["", "0", "99", "zzz", "-1", "٣", "1 2", "9" * 5000, "\0"]
    for line in nonsense + (picks if kind == "exhibit" else []):
        with pytest.raises(NoAnswer) as caught:
            read(line, question, view, kind)
        assert str(caught.value)


def test_cards_are_typed_by_kind_and_number_in_three_languages() -> None:
    view, _names, question = asked("action", seats=3)
    state = view.state
    for option in question.options:
        card = state.action_card(option.value)  # type: ignore[arg-type]
        kinds = {
            ActionKind.CASH: ("cash", "efectivo", "dinero", "scheck"),
            ActionKind.THIEF: ("thief", "ladrón", "ladron", "dieb"),
            ActionKind.DETECTIVE: ("detective", "detektiv", "det"),
            ActionKind.EXHIBIT: ("exhibit", "exposición", "ausstellung", "exh"),
        }[card.kind]
        for kind in kinds:
            typed = kind if card.number is None else f" {kind}  {card.number} "
            assert read(typed, question, view, "action") == option.value


def test_cash_stands_together_by_size_and_a_word_for_several_cards_asks_which() -> None:
    found, order = 0, list(ActionKind)
    for seed in range(9):
        view, _names, question = asked("action", seats=3, seed=seed)
        cards = [view.state.action_card(o.value) for o in question.options]  # type: ignore[arg-type]
        places = [(order.index(card.kind), card.number or 0) for card in cards]
        assert places == sorted(places)
        cash = [o for o in question.options if o.words.startswith("Cash")]
        if len(cash) > 1:
            found += 1
            with pytest.raises(NoAnswer, match="Which of these: Cash") as caught:
                read("cash", question, view, "action")
            assert all(option.words in str(caught.value) for option in cash)
    assert found


def test_a_turn_is_typed_as_place_and_card_and_a_theft_by_letter_and_year() -> None:
    view = until(referee(2, variant="surprise"), "turn", 0)
    names = Names(view.state.edition, NICKNAMES[:2], 0)
    (question,) = questions(view, "turn", names)
    for option in question.options:
        where, card = option.words.split(", ")
        assert read(f"{where} {card}", question, view, "turn") == option.value
    with pytest.raises(NoAnswer, match="Which of these"):
        read("castle", question, view, "turn")
    view = until(referee(5, seed=3), "theft", 1)
    names = Names(view.state.edition, NICKNAMES[:5], 1)
    for question in questions(view, "theft", names):
        for option in question.options:
            piece = view.piece(option.value)  # type: ignore[arg-type]
            for typed in (f"{piece.letter}{piece.year}", f"{piece.letter} {piece.year}"):
                assert read(typed, question, view, "theft") == option.value
            owner = next(
                s for s, held in enumerate(view.state.collectibles) if option.value in held
            )
            told = f"{code(piece)} of {names.short(owner)}"
            assert from_whom(view, [option.value], names) == told  # type: ignore[list-item]


# Exhibits.


def test_an_exhibit_is_one_line_and_before_it_is_sealed_has_its_rank_and_pieces_too() -> None:
    view, names, question = asked("exhibit")
    assert len(question.options) <= MOST
    for option in question.options:
        pieces = [view.piece(slot) for slot in option.value]  # type: ignore[union-attr]
        letters = "".join(sorted(piece.letter or "" for piece in pieces))
        oldest = min(piece.year or 0 for piece in pieces)
        assert option.words == f"{letters}  {len(pieces)} pieces, oldest {oldest}"
        many = " ".join(map(code, pieces))
        told = names.pieces(pieces) if len(pieces) <= NAMED else many
        rank = placing(view, option.value, names)  # type: ignore[arg-type]
        whole = sealing(view, "exhibit", option.value, names)
        assert whole == f"{option.words} · {rank} · {told}"
    assert set(choice_names.QUESTIONS) == set(rules.FORMS)


@settings(max_examples=times(12, 30))
@given(st.integers(0, 9), st.integers(3, 5))
def test_letters_pick_the_oldest_of_each(seed: int, seats: int) -> None:
    view, _names, question = asked("exhibit", seats, seed)
    for choice in view.legal("exhibit"):
        pieces = [view.piece(slot) for slot in choice]  # type: ignore[union-attr]
        letters = "".join(piece.letter or "" for piece in pieces)
        assert read(f"p {letters.lower()}", question, view, "exhibit") == choice
        assert read(letters, question, view, "exhibit") == choice


@settings(max_examples=times(12, 30))
@given(st.integers(0, 9), st.integers(3, 5), st.data())
def test_any_legal_exhibit_can_be_picked_in_three_ways(seed: int, seats: int, data: Any) -> None:
    view, _names, question = asked("exhibit", seats, seed)
    slots = own_slots(view)
    chosen = data.draw(st.lists(st.sampled_from(slots), min_size=3, unique=True))
    choice = tuple(sorted(chosen))
    pieces = [view.piece(slot) for slot in choice]
    years = " ".join(f"{piece.letter}{piece.year}" for piece in pieces)
    numbers = ",".join(str(slots.index(slot) + 1) for slot in choice)
    try:
        view.check("exhibit", choice)
    except rules.IllegalMove:
        for typed in (f"p {years}", f"p{numbers}", f"P {numbers}"):
            with pytest.raises(NoAnswer, match="The rules forbid that"):
                read(typed, question, view, "exhibit")
        return
    for typed in (f"p {years}", f"p{numbers}", f"P {numbers}"):
        assert read(typed, question, view, "exhibit") == choice


LINE = re.compile(r"  +(\d+)  (?:\[(\d+)\] )?(\S.*)")
LISTED = 2


@pytest.mark.parametrize("kind", ["place", "action", "window", "exhibit"])
@pytest.mark.parametrize("language", translation.LANGUAGES)
def test_it_is_what_the_bot_would_draw_from_likeliest_first(kind: Any, language: str) -> None:
    view = until(referee(4, 3), kind, 0)
    names = Names(view.state.edition, NICKNAMES[:4], 0)
    translation.speak(language)
    heading, *lines = advice(view, kind, names, LISTED)
    if not LINE.fullmatch(lines[-1]):
        lines.pop()  # The reason.
    words = {in_words(view, kind, one): one for one in ordered(view, kind)}
    read = [found for line in lines if (found := LINE.fullmatch(line))]
    shares = [int(found[1]) for found in read]
    numbers = [ordered(view, kind).index(words[found[3]]) + 1 for found in read]
    most = LISTED if kind == "exhibit" else len(words)
    assert [int(found[2] or 0) for found in read] == [n if n <= most else 0 for n in numbers]
    assert heading
    assert 1 <= len(lines) == len(shares) <= MOST_HINTS
    assert shares == sorted(shares, reverse=True)
    (mixture,) = mixtures_of(shipped(), view, rules.expected(view.state))
    assert shares[0] == round(100 * max(mixture.chances))


def test_of_a_theft_each_exhibit_has_its_own() -> None:
    for seed in range(40):
        driver = referee(5, seed)
        try:
            view = until(driver, "theft", 0)
        except AssertionError:
            continue
        names = Names(view.state.edition, NICKNAMES[:5], 0)
        heading, *lines = advice(view, "theft", names, LISTED)
        mixtures = mixtures_of(shipped(), view, rules.expected(view.state))
        assert heading == HINTS_WITHOUT_NUMBERS
        assert len(lines) >= len(mixtures) >= 1
        assert all(re.fullmatch(r" +\d+  [A-F] ?\d+|       One reason: .*", x) for x in lines)
        return
    raise AssertionError("nobody stole")


def test_an_only_choice_needs_no_question() -> None:
    shown = begun(3)
    assert shown.stage.names is not None
    while rules.Seal("place", frozenset(range(3))) != rules.expected(shown.driver.state):
        shown.step()
    assert forced(shown.view, "place") is None
    empty = shown.driver.state.but(windows=((), ()))
    alone = rules.view(empty, 0, shown.driver.private(0))
    assert forced(alone, "place") == 0
    assert [entry.value for entry in menu(alone, "place", shown.stage.names).entries] == [0]
