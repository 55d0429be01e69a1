"""The numbers from 1 to 99 in words, in the languages of the program, for codes that are spoken."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Final

ENGLISH: Final = (
    "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen "
    "sixteen seventeen eighteen nineteen"
)
ENGLISH_TENS: Final = "twenty thirty forty fifty sixty seventy eighty ninety"
GERMAN: Final = (
    "ein zwei drei vier fünf sechs sieben acht neun zehn elf zwölf dreizehn vierzehn fünfzehn "
    "sechzehn siebzehn achtzehn neunzehn"
)
GERMAN_TENS: Final = "zwanzig dreißig vierzig fünfzig sechzig siebzig achtzig neunzig"
SPANISH: Final = (
    "uno dos tres cuatro cinco seis siete ocho nueve diez once doce trece catorce quince dieciséis "
    "diecisiete dieciocho diecinueve veinte veintiuno veintidós veintitrés veinticuatro "
    "veinticinco veintiséis veintisiete veintiocho veintinueve"
)
SPANISH_TENS: Final = "treinta cuarenta cincuenta sesenta setenta ochenta noventa"


def plain(word: str) -> str:
    """Return a word in small letters without accents."""
    letters = unicodedata.normalize("NFKD", word.casefold())
    return "".join(letter for letter in letters if not unicodedata.combining(letter))


@cache
def number_words() -> Mapping[str, int]:
    """Return the numbers by their words: small letters, no accents, parts joined by hyphens."""
    return dict(_english()) | dict(_german()) | dict(_spanish())


def _english() -> Iterator[tuple[str, int]]:
    """Yield the English words: `twenty`, `twenty-one`."""
    small = ENGLISH.split()
    yield from ((word, number) for number, word in enumerate(small, 1))
    for tens, word in enumerate(ENGLISH_TENS.split(), 2):
        yield word, 10 * tens
        yield from ((f"{word}-{unit}", 10 * tens + n) for n, unit in enumerate(small[:9], 1))


def _german() -> Iterator[tuple[str, int]]:
    """Yield the German words: `eins`, `einundzwanzig`, with the two ways to write an umlaut."""
    small = GERMAN.split()
    words = [("eins", 1), *((word, number) for number, word in enumerate(small, 1))]
    for tens, word in enumerate(GERMAN_TENS.split(), 2):
        words.append((word, 10 * tens))
        words += [(f"{unit}und{word}", 10 * tens + n) for n, unit in enumerate(small[:9], 1)]
    for word, number in words:
        yield plain(word), number
        yield plain(word.replace("ü", "ue").replace("ö", "oe")), number


def _spanish() -> Iterator[tuple[str, int]]:
    """Yield the Spanish words: `veintiuno`, `treinta-y-uno`."""
    small = SPANISH.split()
    yield from ((plain(word), number) for number, word in enumerate(small, 1))
    for tens, word in enumerate(SPANISH_TENS.split(), 3):
        yield word, 10 * tens
        yield from (
            (f"{word}-y-{plain(unit)}", 10 * tens + n) for n, unit in enumerate(small[:9], 1)
        )
