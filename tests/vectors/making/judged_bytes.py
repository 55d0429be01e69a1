"""Files whose bytes or header are not as they must be ([V-1] to [V-3], section 4)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

from vectors.making import broken
from vectors.making.broken import ABSENT, MAGIC, Change, table_of, whole_of
from vectors.making.judged import Judged, Make, fails, unread

from protocol.transcript import transcript_format
from protocol.transcript.transcript_format import Content, Evidence, Transcript
from protocol.wire import codec, table_header
from protocol.wire.table_header import MAX_HEADER, Header

STRICT = "small-three-strict"


def changed(change: Change, name: str = ABSENT) -> Make:
    """Return what makes a file of a played table after a change."""
    return lambda: change(whole_of(name)).encode()


def plain(change: Callable[[Any], Any], name: str = ABSENT) -> Make:
    """Return what makes such a file after a change of its plain value."""

    def file() -> bytes:
        return codec.encode(change(transcript_format.open_file(whole_of(name).encode())))

    return file


# Bytes ([V-1]).


def _head() -> bytes:
    """Return the beginning of every file up to its version."""
    return broken.header_alone()[: MAGIC + 1]


def begun_with(rest: bytes) -> Make:
    """Return what makes the beginning of every file with these bytes behind it."""
    return lambda: _head() + rest


def _later_version() -> bytes:
    head = _head()
    return head[:-1] + bytes([head[-1] + 1])


def _version_in_two_bytes() -> bytes:
    whole = broken.header_alone()
    return whole[:MAGIC] + b"\xcc" + whole[MAGIC:]


RAW: dict[str, Judged] = {
    "raw-array-16385-torn": fails(
        begun_with(b"\xdc\x40\x01"),
        "bad-encoding",
        what="The file ends after the head of an array of 16,385 items, one more than a "
        "file may have ([C-4]).",
    ),
    "raw-bad-utf8-torn": unread(
        begun_with(b"\xa3\xff\xff"),
        "torn",
        "The file ends within a string whose bytes so far are no UTF-8: a string is judged once "
        "all its bytes are there.",
    ),
    "raw-depth-17-int": fails(
        begun_with(b"\x91" * 16 + b"\x05"),
        "bad-encoding",
        what="Arrays nest 17 deep and hold a number ([C-4]).",
    ),
    "raw-depth-18": fails(
        begun_with(b"\x91" * 16 + b"\x90\x95" + b"\x90" * 4),
        "bad-encoding",
        what="Arrays nest 18 deep, the innermost one empty ([C-4]).",
    ),
    "raw-first-letters-other": unread(
        lambda: _head()[:6] + b"x",
        "wrong-magic",
        "The file ends within its magic, and its last byte is another letter.",
    ),
    "raw-outer-array-of-3": unread(
        lambda: b"\x93" + broken.header_alone()[1:],
        "wrong-magic",
        "The outermost array has three items.",
    ),
    "raw-outer-array16": unread(
        lambda: b"\xdc\x00\x04" + broken.header_alone()[1:],
        "wrong-magic",
        "The outermost array has a head of three bytes.",
    ),
    "raw-later-version-torn": unread(
        _later_version, "other-version", "The file ends after the number of a later version."
    ),
    "raw-version-in-two-bytes": unread(
        _version_in_two_bytes,
        "other-version",
        "The version is written with two bytes where one does: its first byte is not the version.",
    ),
}

# Headers ([V-3], section 4).


def with_roster(change: Callable[[tuple[Any, ...]], tuple[Any, ...]]) -> Make:
    """Return what makes a header alone, the entries of its roster changed as plain values."""

    def file() -> bytes:
        terms, roster = codec.decode(whole_of(ABSENT).content.header, MAX_HEADER)
        header = codec.encode((terms, change(roster)))
        return Transcript(Content(header, ()), Evidence()).encode()

    return file


def consented(
    change: Callable[[Any], Any] = lambda game: game,
    nickname: str = "Bob",
    options: tuple[tuple[int, Any], ...] = (),
) -> Make:
    """Return what makes a header alone of another game, nickname or options, signed by all."""

    def file() -> bytes:
        played = table_of(ABSENT)
        old = played.table.header
        terms = replace(old.terms, game=change(old.terms.game), options=options)
        entries = zip(played.who, old.roster, strict=True)
        names = [entry.nickname if entry.nickname != "Bob" else nickname for entry in old.roster]
        roster = tuple(
            table_header.sit(terms, who, names[i], entry.nonce)
            for i, (who, entry) in enumerate(entries)
        )
        return Transcript(Content(Header(terms, roster).encode(), ()), Evidence()).encode()

    return file


def _set(value: Any, path: tuple[int, ...], change: Callable[[Any], Any]) -> Any:
    """Return a plain value with what lies at a path changed."""
    if not path:
        return change(value)
    at, *rest = path
    return (*value[:at], _set(value[at], tuple(rest), change), *value[at + 1 :])


def with_edition(path: tuple[int, ...], change: Callable[[Any], Any]) -> Make:
    """Return what makes a header alone whose edition is changed at a path."""

    def game(old: Any) -> Any:
        head, canonical, *rest = old
        edition = codec.decode(canonical, MAX_HEADER)
        return (head, codec.encode(_set(edition, path, change)), *rest)

    return consented(game)


def _named(names: tuple[str, ...], colours: tuple[Any, ...]) -> tuple[Any, ...]:
    """Return the colours of an edition, the last ones under these names."""
    first = colours[: -len(names)]
    pairs = zip(names, colours[len(first) :], strict=True)
    return (*first, *((name, *rest) for name, (_, *rest) in pairs))


def _two_fields(entry: Any) -> Any:
    return entry[:3]


def _signed_with(size: int, roster: tuple[Any, ...]) -> tuple[Any, ...]:
    first, second, *rest = roster
    return ((*first[:3], bytes(size)), _two_fields(second), *rest)


def _long_header(whole: Transcript) -> Transcript:
    return replace(whole, content=replace(whole.content, header=bytes(MAX_HEADER + 1)))


HEADERS: dict[str, Judged] = {
    "head-bad-later-size-first": fails(
        with_roster(partial(_signed_with, 63)),
        "bad-header",
        what="The first entry's signature has 63 bytes, and the second entry three fields.",
    ),
    "head-bad-signature-and-bad-later": fails(
        with_roster(partial(_signed_with, 64)),
        "bad-signature",
        what="The first entry's signature does not hold, and the second entry has three fields: "
        "entries are checked in turn ([H-4]).",
    ),
    "head-ed-cash-sum": fails(
        with_edition((2, 0, 1, 3), lambda cash: cash + 1),
        "bad-game",
        what="The Cash of the first colour is 51 in all ([G-1]).",
    ),
    "head-ed-colour": fails(
        with_edition((2,), lambda colours: colours[::-1]),
        "bad-game",
        what="The colours stand in the reverse order ([G-1]).",
    ),
    "head-ed-colour-alone": fails(
        with_edition((2,), lambda colours: colours[:1]),
        "bad-game",
        what="The edition has a single colour ([G-1], 3).",
    ),
    "head-ed-colour-empty": fails(
        with_edition((2, 5, 0), lambda _: ""),
        "bad-game",
        what="The last colour has an empty name ([G-1], 3).",
    ),
    "head-ed-colour-long": fails(
        with_edition((2, 5, 0), lambda _: "x" * 25),
        "bad-game",
        what="The name of the last colour has 25 code points ([G-1], 3).",
    ),
    "head-ed-colour-other-first": fails(
        with_edition((2, 0, 0), lambda _: "Black"),
        "bad-game",
        what="The first colour has a name of its own, and the others follow it ([G-1], 3).",
    ),
    "head-ed-colour-separator": fails(
        with_edition((2, 5, 0), lambda _: "sky, or so"),
        "bad-game",
        what="The name of the last colour contains a comma ([G-1], 3, [H-10]).",
    ),
    "head-ed-colour-seventh": fails(
        with_edition((2,), lambda colours: (*colours, ("white", (30, 7, 6, 7), (20, 21)))),
        "bad-game",
        what="The edition has seven colours ([G-1], 3).",
    ),
    "head-ed-colour-twice": fails(
        with_edition((2, 5, 0), lambda _: "purple"),
        "bad-game",
        what="The last two colours have one name ([G-1], 3).",
    ),
    "head-ed-colours-not-rising": fails(
        with_edition((2,), partial(_named, ("white", "Türkis"))),
        "bad-game",
        what="The last two colours have names of their own, which do not rise ([G-1], 3).",
    ),
    "head-ed-colours-of-their-own": fails(
        with_edition((2,), partial(_named, ("Black", "Türkis", "white", "黄色"))),
        "not-final",
        1,
        what="Four colours have names of their own, which rise by their bytes ([G-1], 3).",
    ),
    "head-ed-colours-as-many-as-seats": fails(
        with_edition((2,), lambda colours: colours[:3]),
        "not-final",
        1,
        what="The edition has three colours for three seats ([H-7], 6).",
    ),
    "head-ed-colours-fewer-than-seats": fails(
        with_edition((2,), lambda colours: colours[:2]),
        "bad-game",
        what="The edition has two colours for three seats ([H-7], 6).",
    ),
    "head-ed-letter-g": fails(
        with_edition((1,), lambda pieces: (*pieces[:-1], ("G", pieces[-1][1]))),
        "bad-game",
        what="The last Collectible has the letter G ([G-1]).",
    ),
    "head-ed-thief-twice": fails(
        with_edition((2,), lambda c: (c[0], (*c[1][:2], c[0][2]), *c[2:])),
        "bad-game",
        what="Two colours have the same Thieves ([G-1]).",
    ),
    "head-game-version-2": fails(
        consented(lambda game: ((game[0][0], 2), *game[1:])),
        "bad-game",
        what="The terms name another version of the rules ([H-7]).",
    ),
    "head-game-a-name-alone": fails(
        consented(lambda game: (game[0][0], *game[1:])),
        "bad-header",
        what="The game begins with its name, and not with name and version ([H-2], 3).",
    ),
    "head-game-no-name": fails(
        consented(lambda game: (("", 1), *game[1:])),
        "bad-header",
        what="The name of the game is empty ([H-2], 3).",
    ),
    "head-game-with-more": fails(
        consented(lambda game: (*game, 0)),
        "bad-game",
        what="The game has an item more than Hoity Toity has ([H-7]).",
    ),
    "head-option-even": fails(
        consented(options=((2, False),)),
        "bad-header",
        what="The terms have an even option ([H-2], 4).",
    ),
    "head-option-odd": fails(
        consented(options=((3, ("whatever", 1)), (65_535, None))),
        "not-final",
        1,
        what="The terms have odd options that no seat knows. A verifier does not look at "
        "them ([H-14]).",
    ),
    "head-option-not-rising": fails(
        consented(options=((3, None), (1, False))),
        "bad-header",
        what="The options are not in rising order ([H-2], 2).",
    ),
    "head-option-twice": fails(
        consented(options=((1, False), (1, False))),
        "bad-header",
        what="One option stands twice ([H-2], 2).",
    ),
    "head-option-too-high": fails(
        consented(options=((65_537, None),)),
        "bad-header",
        what="An option has a number above 65,535 ([H-2], 2).",
    ),
    "head-options-too-many": fails(
        consented(options=tuple((2 * n + 1, None) for n in range(17))),
        "bad-header",
        what="There are 17 options ([H-2], 2).",
    ),
    "head-nick-private-e000": fails(
        consented(nickname="a\ue000"),
        "bad-header",
        what="A nickname holds U+E000, for private use ([H-6]).",
    ),
    "head-nick-tab": fails(
        consented(nickname="B\tb"), "bad-header", what="A nickname holds a tab ([H-6])."
    ),
    "header-not-bytes": fails(
        plain(lambda v: (*v[:2], ("x", v[2][1]), v[3]), STRICT),
        "bad-form",
        what="The header is a string ([V-2]).",
    ),
    "header-too-long": fails(
        changed(_long_header),
        "bad-header",
        what="The header has 16,385 bytes ([H-1]).",
    ),
}
BYTES: dict[str, Judged] = {**RAW, **HEADERS}
"""Name to file."""
