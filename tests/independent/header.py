"""The header of a table, its roster and the edition of its game (4, 9.1)."""

from dataclasses import dataclass
from typing import Any

from . import constants as c
from .encoding import EncodingError, decode, digest, encode, is_array, is_bytes, is_int, is_rising
from .group import is_point, signature_is_valid

# Code points that plain text must not hold ([H-6]), as ranges with both ends included.
HIDDEN = """0–1F, 7F–A0, AD, 34F, 600–605, 61C, 6DD, 70F, 890–891, 8E2,
115F–1160, 1680, 17B4–17B5, 180B–180F, 2000–200F, 2028–202F, 205F–206F, 2800, 3000, 3164, D800–F8FF,
FDD0–FDEF, FE00–FE0F, FEFF, FFA0, FFF0–FFFF, 110BD, 110CD, 13430–1345F, 16FE4, 1BCA0–1BCA3, 1D159,
1D173–1D17A, 1FFFE–1FFFF, 2FFFE–2FFFF, 3FFFE–10FFFF"""

# Separators that a nickname must not hold ([H-10]).
SEPARATORS = """2C, 3B, 37E,
55D, 60C, 61B, 7F8, 1363, 1364, 1802, 1808, 201A, 204F, 2E32, 2E34, 2E35, 2E41, 2E49, 2E4C, 3001,
A4FE, A60D, A6F5, FE10, FE11, FE14, FE45, FE50, FE51, FE54, FF0C, FF1B, FF64"""

# Least and most of each time in milliseconds (4): choice, step, back-off, its cap.
TIMEOUTS = [*[(1000, 2_592_000_000)] * 2, (100, 86_400_000), (100, 2_592_000_000)]

# The colours that come before all others in an edition ([G-1], 3).
COLOURS = ["black", "red", "blue", "green", "purple", "beige"]
VARIANTS = ["", "surprise", "confrontation"]


def read_ranges(text: str) -> list[tuple[int, int]]:
    """Return the ranges of code points that a list of the specification names."""
    ends = [part.split("–") for part in text.replace("\n", " ").split(", ")]
    return [(int(pair[0], 16), int(pair[-1], 16)) for pair in ends]


HIDDEN_RANGES = read_ranges(HIDDEN)
SEPARATOR_POINTS = {chr(first) for first, _ in read_ranges(SEPARATORS)}


class HeaderError(Exception):
    """What a header is rejected with: `bad-header`, `bad-signature` or `bad-game`."""


def require(condition: bool, code: str) -> None:
    """Reject with a code unless a condition holds."""
    if not condition:
        raise HeaderError(code)


@dataclass(frozen=True)
class Edition:
    """The edition of Hoity Toity that a table plays (9.1).

    Attributes:
        collectibles: letter and year of each card.
        cash: the four numbers of each colour.
        thieves: the two numbers of each colour.
        octagons: larger and smaller number of each field, without those of the Banquet.
        last_field: the number of the last field.
        together: whether the Actions of both Places are chosen at once.
        detective_in_hall: whether a Detective belongs in the Auction Hall too.
        rank_after: whether Detectives move by the rank after the exhibits.
    """

    collectibles: list[tuple[str, int]]
    cash: list[list[int]]
    thieves: list[list[int]]
    octagons: list[tuple[int, int]]
    last_field: int
    together: bool
    detective_in_hall: bool
    rank_after: bool


@dataclass(frozen=True)
class Header:
    """A valid header (4).

    Attributes:
        table: the table id.
        ids: the identity key of each seat.
        quorum: t.
        rejoins: the highest count of a rejoin.
        edition: of the game.
        variant: of the game.
    """

    table: bytes
    ids: list[bytes]
    quorum: int
    rejoins: int
    edition: Edition
    variant: str


def is_plain(text: Any, most: int) -> bool:
    """Return whether a value is plain text of 1 to `most` code points ([H-6])."""
    if not isinstance(text, str) or not 1 <= len(text) <= most:
        return False
    if text[0] == " " or text[-1] == " ":
        return False
    return not any(first <= ord(ch) <= last for ch in text for first, last in HIDDEN_RANGES)


def check_terms(terms: Any) -> None:
    """Check the terms ([H-2])."""
    require(is_array(terms, 9) and terms[0] == c.PROTOCOL, "bad-header")
    _, host, nonce, game, seats, quorum, timeouts, rejoins, options = terms
    require(is_array(game) and len(game) > 0 and is_array(game[0], 2), "bad-header")
    require(is_plain(game[0][0], 32) and is_int(game[0][1], 0, 2**32 - 1), "bad-header")
    require(is_array(options) and len(options) <= 16, "bad-header")
    require(all(is_array(one, 2) and is_int(one[0], 0, 65535) for one in options), "bad-header")
    numbers = [one[0] for one in options]
    require(is_rising(numbers) and all(number % 2 for number in numbers), "bad-header")
    require(is_bytes(host) and is_point(host) and is_bytes(nonce, 32), "bad-header")
    require(is_int(seats, 2, c.MAX_TABLE_SEATS), "bad-header")
    require(is_int(quorum, seats // 2 + 1, seats), "bad-header")
    require(is_array(timeouts, 4), "bad-header")
    for time, (least, most) in zip(timeouts, TIMEOUTS, strict=True):
        require(is_int(time, least, most), "bad-header")
    require(timeouts[2] <= timeouts[3] and is_int(rejoins, 0, 255), "bad-header")


def check_entry(entry: Any, terms_digest: bytes) -> None:
    """Check one entry of the roster ([H-4])."""
    require(is_array(entry, 4), "bad-header")
    identity, nickname, nonce, signature = entry
    require(is_plain(nickname, 24) and not SEPARATOR_POINTS & set(nickname), "bad-header")
    require(is_bytes(identity) and is_point(identity), "bad-header")
    require(is_bytes(nonce, 32) and is_bytes(signature, 64), "bad-header")
    statement = encode([terms_digest, identity, nickname, nonce])
    valid = signature_is_valid("sign seat", identity, statement, signature)
    require(valid, "bad-signature")


def read_roster(data: bytes) -> tuple[list[Any], list[bytes]]:
    """Return the terms of a header and the identity key of each seat, without [H-7].

    Raises:
        HeaderError: with the code of the first check of [H-13] that fails.
    """
    require(len(data) <= c.MAX_HEADER, "bad-header")
    try:
        header = decode(data)
    except EncodingError as error:
        raise HeaderError("bad-header") from error
    require(is_array(header, 2), "bad-header")
    terms, roster = header
    check_terms(terms)
    require(is_array(roster, terms[4]), "bad-header")
    terms_digest = digest("terms", encode(terms))
    for entry in roster:
        check_entry(entry, terms_digest)
    ids = [entry[0] for entry in roster]
    require(len(set(ids)) == len(ids) and ids[0] == terms[1], "bad-header")
    return terms, ids


def read_header(data: bytes) -> Header:
    """Return the header that bytes hold, checked in the order of section 4.

    Raises:
        HeaderError: with the code of the first thing that is wrong.
    """
    terms, ids = read_roster(data)
    edition, variant = read_game(terms[3], len(ids))
    return Header(digest("table id", data), ids, terms[5], terms[7], edition, variant)


def read_game(game: Any, seats: int) -> tuple[Edition, str]:
    """Return edition and variant of the terms' game ([H-7])."""
    require(is_array(game, 3) and game[0] == ["hoity-toity", 1], "bad-game")
    _, canonical, variant = game
    require(is_bytes(canonical) and len(canonical) <= c.MAX_EDITION, "bad-game")
    require(variant in VARIANTS and 2 <= seats <= 6, "bad-game")
    require((variant != "") == (seats == 2), "bad-game")
    try:
        edition = read_edition(decode(canonical))
    except EncodingError as error:
        raise HeaderError("bad-game") from error
    require(4 * seats <= len(edition.collectibles) <= c.MAX_CARDS, "bad-game")
    require(seats <= len(edition.cash), "bad-game")
    return edition, variant


def read_edition(value: Any) -> Edition:
    """Return the edition that a value describes ([G-1])."""
    require(is_array(value, 6), "bad-game")
    name, collectibles, colours, track, banquet, switches = value
    require(is_plain(name, 64) and is_int(banquet, 1, 100), "bad-game")
    require(is_array(collectibles) and 24 <= len(collectibles) <= 256, "bad-game")
    for piece in collectibles:
        require(is_array(piece, 2) and isinstance(piece[0], str), "bad-game")
        require(len(piece[0]) == 1 and piece[0] in "ABCDEF", "bad-game")
        require(is_int(piece[1], 1, 9999), "bad-game")
    require(is_rising(collectibles) and len({piece[0] for piece in collectibles}) == 6, "bad-game")
    require(is_array(colours) and 2 <= len(colours) <= 6, "bad-game")
    for colour in colours:
        require(is_array(colour, 3) and is_plain(colour[0], 24), "bad-game")
        require(not SEPARATOR_POINTS & set(colour[0]), "bad-game")
        require(is_array(colour[1], 4) and all(is_int(x, 1, 999) for x in colour[1]), "bad-game")
        require(is_array(colour[2], 2) and all(is_int(x, 1, 99) for x in colour[2]), "bad-game")
        require(sum(colour[1]) == 50, "bad-game")
    first = [COLOURS.index(colour[0]) for colour in colours if colour[0] in COLOURS]
    others = [colour[0].encode() for colour in colours[len(first) :]]
    require(is_rising(first) and is_rising(others), "bad-game")
    require(not any(colour[0] in COLOURS for colour in colours[len(first) :]), "bad-game")
    require(len({x for colour in colours for x in colour[1]}) == 4 * len(colours), "bad-game")
    require(len({x for colour in colours for x in colour[2]}) == 2 * len(colours), "bad-game")
    require(is_array(track, 2) and is_array(track[0], 2) and is_array(track[1]), "bad-game")
    require(1 <= len(track[1]) <= 100, "bad-game")
    octagons = []
    for place in [[*track[0], 1], *track[1]]:
        require(is_array(place, 3) and is_int(place[0], 1, 20), "bad-game")
        require(is_int(place[1], 1, 20) and place[0] > place[1], "bad-game")
        require(is_int(place[2], 1, 20), "bad-game")
        octagons += [(place[0], place[1])] * place[2]
    require(is_array(switches, 3) and switches[0] in ("staged", "together"), "bad-game")
    require(isinstance(switches[1], bool) and switches[2] in ("after", "before"), "bad-game")
    return Edition(
        collectibles=[(letter, year) for letter, year in collectibles],
        cash=[colour[1] for colour in colours],
        thieves=[colour[2] for colour in colours],
        octagons=octagons,
        last_field=len(octagons) - 1 + banquet,
        together=switches[0] == "together",
        detective_in_hall=switches[1],
        rank_after=switches[2] == "after",
    )
