"""The choices in words: the options of a question, and what a player can type for each."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from p2p_hoity import rules
from p2p_hoity.pasted_text import bare, visible
from p2p_hoity.rules import (
    ActionCard,
    ActionKind,
    Choice,
    IllegalMove,
    Piece,
    Place,
    View,
    theft_options,
)

from .board_text import own_slots, rank
from .card_names import KIND_WORDS, PLACE_WORDS, Names, card, code, place, run_letters
from .choice_notes import note, placing
from .hint_reasons import reason
from .refusals import choose_again
from .translation import N_, _, in_all, listed

MOST: Final = 6
"""The most exhibits that a question lists. They are the best ones, and a digit picks each."""

NAMED: Final = 4
"""The most pieces of an exhibit whose names are shown in full before the exhibit is sealed."""

QUESTIONS: Final = {
    "place": N_("Where do you go?"),
    "action": N_("Which Action card do you play?"),
    "turn": N_("Where do you go, and with which Action card?"),
    "exhibit": N_("Which exhibit do you show? p LETTERS or p NUMBERS picks your own"),
    "window": N_("From which window do you buy?"),
    "theft": N_("Which Collectible does your Thief take?"),
}
OTHER_WORDS: Final = {
    ActionKind.CASH: frozenset({"cash", "efectivo", "dinero", "scheck", "geld"}),
    ActionKind.THIEF: frozenset({"ladron"}),
    ActionKind.DETECTIVE: frozenset[str](),
    ActionKind.EXHIBIT: frozenset({"exposicion"}),
}
"""For each kind of Action card, what people may type besides the words on the cards."""
SEPARATORS: Final = re.compile(r"[,;:·]")
HALL_WORDS: Final = frozenset({"hall", "auction", "sala", "subasta", "saal", "auktion"})


class NoAnswer(ValueError):
    """The error for a line that is no answer to a question. Its text says why."""


@dataclass(frozen=True)
class Option:
    """A possible answer to a question.

    Attributes:
        keys: The words that can be typed for the answer, in small letters.
        note: What the choice would bring, "" for nothing to say.
    """

    words: str
    value: Choice
    keys: frozenset[str] = frozenset()
    note: str = ""


@dataclass(frozen=True)
class Query:
    """A question with its possible answers.

    Attributes:
        options: The answers that are listed.
        more: Further legal answers, which are not listed.
    """

    words: str
    options: tuple[Option, ...]
    more: tuple[Option, ...] = ()


def questions(view: View, kind: str, names: Names) -> tuple[Query, ...]:
    """Return the questions for one choice. A theft has a question for every exhibit."""
    if kind == "theft":
        return _thefts(view, names)
    legal = ordered(view, kind)
    options = [
        Option(in_words(view, kind, c), c, _keys(view, kind, c), note(view, kind, c, names))
        for c in legal
    ]
    listed_ones = MOST if kind == "exhibit" else len(options)
    more = tuple(options[listed_ones:])
    return (Query(_(QUESTIONS[kind]), tuple(options[:listed_ones]), more),)


def ordered(view: View, kind: str) -> list[Choice]:
    """Return all legal choices as a question lists them: Action cards by kind and number."""
    # `kind` is one of `rules.Kind`, which its type does not say.
    legal = view.legal(kind)  # type: ignore[arg-type]
    if kind == "action":
        return sorted(legal, key=lambda choice: rank(_card(view, choice)))
    if kind == "turn":
        return sorted(legal, key=lambda choice: (_pair(choice)[0], rank(_card(view, choice))))
    return list(legal)


def forced(view: View, kind: rules.Kind) -> Choice | None:
    """Return the only legal choice, which needs no question. None if several are legal."""
    if kind == "exhibit" and len(own_slots(view)) > rules.HAND - 1:
        return None
    legal = view.legal(kind)
    return legal[0] if len(legal) == 1 else None


def _pair(choice: Choice) -> tuple[int, int]:
    """Return the number of the Place (0 for none) and the id of the Action card of a choice."""
    where, action = choice if isinstance(choice, tuple) else (0, choice)
    return where, action


def _card(view: View, choice: Choice) -> ActionCard:
    return view.state.action_card(_pair(choice)[1])


def _thefts(view: View, names: Names) -> tuple[Query, ...]:
    """Return the questions of a theft, one for each exhibit."""
    found = []
    for exhibit in theft_options(view.state):
        slots = sorted(exhibit, key=view.cards.__getitem__)  # By letter and year.
        owner = next(s for s, held in enumerate(view.state.collectibles) if slots[0] in held)
        words = _("Which Collectible does your Thief take from the exhibit of {owner}?")
        options = [
            Option(code(view.piece(s)), s, _piece_keys(view, s), note(view, "theft", s, names))
            for s in slots
        ]
        found.append(Query(words.format(owner=names.short(owner)), tuple(options)))
    return tuple(found)


def together(kind: str, answers: Sequence[Choice]) -> Choice:
    """Combine the answers to the questions of one choice. Only a theft has several questions."""
    if kind == "theft":
        return tuple(answer for answer in answers if isinstance(answer, int))
    return answers[0]


# Words


def in_words(view: View, kind: str, choice: Choice) -> str:
    """Return a choice in few words, for the line of an option."""
    if kind == "theft":
        return listed(code(view.piece(slot)) for slot in _slots(choice))
    if kind == "exhibit":
        return _exhibit(view, _slots(choice))
    where, action = _pair(choice)
    if kind == "place":
        return place(Place(action))
    if kind == "window":
        window = view.state.windows[action]
        text = _("window {number}: {piece} of {size}")
        top = code(view.piece(window[0])) if window else "–"
        return text.format(number=action + 1, piece=top, size=len(window))
    told = card(view.state.action_card(action))
    return f"{place(Place(where))}, {told}" if kind == "turn" else told


def _slots(choice: Choice) -> tuple[int, ...]:
    return (choice,) if isinstance(choice, int) else choice


def sealing(view: View, kind: str, choice: Choice, names: Names) -> str:
    """Return a choice in full words, as the player sees it before it is sealed."""
    if kind == "window" and isinstance(choice, int):
        window = view.state.windows[choice]
        text = _("window {number}: {piece}")
        top = names.piece(view.piece(window[0])) if window else "–"
        return text.format(number=choice + 1, piece=top)
    if isinstance(choice, int) or kind not in ("theft", "exhibit"):
        return in_words(view, kind, choice)
    if kind == "exhibit":
        pieces = [view.piece(slot) for slot in choice]
        told = names.pieces(pieces) if len(pieces) <= NAMED else " ".join(map(code, pieces))
        return " · ".join((_exhibit(view, choice), placing(view, choice, names), told))
    return _loot(view, choice, names, names.piece)


def from_whom(view: View, slots: Iterable[int], names: Names) -> str:
    """Return stolen pieces by letter and year, each with its owner."""
    return _loot(view, slots, names, code)


def _loot(view: View, slots: Iterable[int], names: Names, named: Callable[[Piece], str]) -> str:
    """Return pieces as `named` tells them, each with its owner."""
    text, held = _("{piece} of {owner}"), view.state.collectibles
    owners = {slot: seat for seat, slots in enumerate(held) for slot in slots}
    return listed(
        text.format(piece=named(view.piece(slot)), owner=names.short(owners[slot]))
        for slot in slots
    )


def _exhibit(view: View, slots: Iterable[int]) -> str:
    """Return the letters, the size and the oldest year of an exhibit, given by its deck slots."""
    pieces = [view.piece(slot) for slot in slots]
    text = _("{letters}  {number} pieces, oldest {year}")
    oldest = min((piece.year for piece in pieces if piece.year is not None), default="?")
    letters = run_letters(piece.letter for piece in pieces)
    return text.format(letters=letters, number=len(pieces), year=oldest)


# Typed answers


def _keys(view: View, kind: str, choice: Choice) -> frozenset[str]:
    """Return all words that can be typed for a choice, in small letters."""
    if kind == "exhibit" and not isinstance(choice, int):
        return frozenset({run_letters(view.piece(slot).letter for slot in choice).lower()})
    where, action = _pair(choice)
    if kind == "place":
        return _place_keys(Place(action))
    if kind == "window":
        window = view.state.windows[action]
        return _piece_keys(view, window[0]) if window else frozenset()
    cards = _card_keys(view.state.action_card(action))
    if kind != "turn":
        return cards
    # The card alone is enough if it can be played in one Place only.
    return cards | {f"{a} {b}" for a in _place_keys(Place(where)) for b in cards}


def _place_keys(where: Place) -> frozenset[str]:
    more = HALL_WORDS if where is Place.AUCTION_HALL else frozenset[str]()
    return _small(in_all(PLACE_WORDS[where])) | more


def _card_keys(action: ActionCard) -> frozenset[str]:
    """Return all words that can be typed for an Action card, in small letters."""
    kinds = _small(in_all(KIND_WORDS[action.kind])) | OTHER_WORDS[action.kind]
    if action.number is None:
        return kinds
    return kinds | {f"{kind} {action.number}" for kind in kinds}


def _piece_keys(view: View, slot: int) -> frozenset[str]:
    """Return the words to type for the Collectible in a deck slot: `b`, `1926`, `b1926`."""
    piece = view.piece(slot)
    if piece.letter is None:
        return frozenset()
    letter, year = piece.letter.lower(), str(piece.year)
    return frozenset({letter, year, letter + year, f"{letter} {year}"})


def _small(words: Iterable[str]) -> frozenset[str]:
    return frozenset(word.lower() for word in words)


def _as_typed(words: str) -> str:
    """Return words in small letters, without the marks and spaces that need not be typed."""
    return " ".join(SEPARATORS.sub(" ", words.lower()).split())


def read(line: str, question: Query, view: View, kind: str) -> Choice:
    """Return the choice that a typed line stands for: the number of an option, or words for it.

    For an exhibit a line may also name pieces.

    Raises:
        NoAnswer: If the line is no answer, or fits several options.
    """
    words = _as_typed(visible(line))
    every = (*question.options, *question.more)
    keys = {one: one.keys | {_as_typed(one.words)} for one in every}
    # What is in quotation marks or ends with a full stop is meant so. A question mark shows doubt.
    if "?" not in words and not any(words in keys[option] for option in every):
        words = bare(words)
    pick, _space, rest = words.partition(" ")
    if kind == "exhibit" and (pick == "p" or (words[:1] == "p" and words[1:2].isdecimal())):
        return picked(rest if pick == "p" else words[1:], view)
    number = _number(words)
    if 1 <= number <= len(question.options):
        return question.options[number - 1].value
    found = [option for option in every if words in keys[option]]
    if not found and len(words) > 1 and not words.isdecimal():
        found = [o for o in every if any(key.startswith(words) for key in keys[o])]
    if len(found) == 1:
        return found[0].value
    if found:
        several = "; ".join(option.words for option in found[:MOST])
        raise NoAnswer(_("Which of these: {options}?").format(options=several))
    if kind == "exhibit" and words.isalpha() and not set(words) - set("abcdef"):
        return picked(words, view)
    most = len(question.options)
    raise NoAnswer(
        _("Please type a number from 1 to {most}, or the words of an answer. ? helps.").format(
            most=most
        )
    )


def _number(word: str) -> int:
    """Return the number that a word of digits stands for, or 0 if the word is no usable number."""
    return int(word) if word.isascii() and word.isdecimal() and len(word) < 9 else 0


def picked(text: str, view: View) -> Choice:
    """Return the exhibit that a player picks by naming its pieces, as their slots, rising.

    Args:
        text: Letters (the oldest piece of each letter is taken), years, letters with years, or
            numbers in the list of the own pieces.

    Raises:
        NoAnswer: If the words do not name own pieces, or if the exhibit is not legal.
    """
    words = text.replace(",", " ").split()
    letters = "".join(words)
    slots = own_slots(view)
    if letters and letters.isalpha():
        chosen = _by_letters(letters.upper(), slots, view)
    else:
        chosen = [_slot(word, slots, view) for word in words]
    choice = tuple(sorted(set(chosen)))
    try:
        view.check("exhibit", choice)
    except IllegalMove as error:
        raise NoAnswer(choose_again(error.code, error.fields)) from error
    return choice


def _by_letters(letters: str, slots: Sequence[int], view: View) -> list[int]:
    """Return the slots of the oldest own Collectibles of these letters, or raise NoAnswer."""
    found = []
    for letter, number in Counter(letters).items():
        held = [slot for slot in slots if view.piece(slot).letter == letter]
        if len(held) < number:
            words = _("You have {letter} {held} times, not {number}.")
            raise NoAnswer(words.format(letter=letter, held=len(held), number=number))
        found += sorted(held, key=lambda slot: view.piece(slot).year or 0)[:number]
    return found


def _slot(word: str, slots: Sequence[int], view: View) -> int:
    """Return the slot of the own Collectible that a number in `slots`, a year or a code names."""
    if 1 <= _number(word) <= len(slots):
        return slots[_number(word) - 1]
    found = [slot for slot in slots if word in _piece_keys(view, slot) and len(word) > 1]
    if len(found) == 1:
        return found[0]
    words = _("{word} stands for none of your Collectibles, or for several. i lists them.")
    raise NoAnswer(words.format(word=word))


MOST_HINTS: Final = 8
"""The most choices that a hint lists."""
LEAST_HINT: Final = 0.005
"""The least probability of a choice that a hint lists."""
NOT_HERE: Final = N_("Hints are for games against your own bots only.")
NOT_LEARNING: Final = N_("There are no hints in the lesson.")
NOT_NOW: Final = N_("There is no choice to give a hint for now.")
HINTS: Final = N_("What the hard bot would do, of 100 times ([number] picks it):")
HINTS_WITHOUT_NUMBERS: Final = N_("What the hard bot would do here, of 100 times:")


def hint(
    asked: tuple[View, str] | None, names: Names | None, has_hints: bool, exhibits: int
) -> list[str]:
    """Return what the hard bot would do at the open choice, or why there is no hint.

    Args:
        asked: The view and the kind of the open choice. None if there is none.
        names: None before the game has begun.
        exhibits: How many of the best exhibits can be picked by number on the screen.
    """
    if not has_hints:
        return [_(NOT_HERE)]
    if asked is None or names is None:
        return [_(NOT_NOW)]
    return advice(*asked, names, exhibits)


def advice(view: View, kind: str, names: Names, exhibits: int) -> list[str]:
    """Return how often the hard bot would make each choice, likeliest first.

    A theft has a list for each exhibit.
    """
    from p2p_hoity.bots.hard_bot import mixtures_of
    from p2p_hoity.bots.learned import shipped

    lines: list[str] = []
    numbers = {} if kind == "theft" else _numbers(view, kind, exhibits)
    heading = HINTS_WITHOUT_NUMBERS
    for mixture in mixtures_of(shipped(), view, rules.expected(view.state)):
        pairs = zip(mixture.chances, mixture.choices, strict=True)
        ranked = sorted(pairs, key=lambda pair: -pair[0])
        for chance, choice in [one for one in ranked if one[0] >= LEAST_HINT][:MOST_HINTS]:
            number = f"[{numbers[choice]}] " if choice in numbers else ""
            heading = HINTS if number else heading
            lines.append(f"  {100 * chance:3.0f}  {number}{in_words(view, kind, choice)}")
        if why := reason(view, kind, ranked[0][1], names):
            lines.append("       " + _("One reason: {why}.").format(why=why))
    return [_(heading), *lines]


def _numbers(view: View, kind: str, exhibits: int) -> dict[Choice, int]:
    """Return the number, from 1, by which a player can pick each choice."""
    found = ordered(view, kind)
    listed = found[:exhibits] if kind == "exhibit" else found
    return {choice: number for number, choice in enumerate(listed, 1)}
