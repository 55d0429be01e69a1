"""Editions of other boxes: any number of colours and Collectibles that the rules allow."""

import json
import random
from dataclasses import replace

from hypothesis import strategies as st

from p2p_hoity.rules import LETTERS
from p2p_hoity.rules.edition import COLOURS, Castle, Collectible, Colour, Edition, Switches

NAMES = (*COLOURS, "white", "Türkis", "vert pâle", "Black & Tan", "黄色", "жёлтый", "x" * 24)
"""Names of colours that nobody can mistake for one another."""


def cards_of(rng: random.Random, names: list[str]) -> tuple[Colour, ...]:
    """Cash and Thieves for colours of these names, drawn so that all numbers differ.

    Six colours have each Cash from 1 to 24, since no other 24 numbers are 300 in all.
    """
    cash = [[k, 13 - k, 19 - k, 18 + k] for k in rng.sample(range(1, 7), len(names))]
    for _ in range(60):
        four = rng.choice(cash)
        down, up = rng.sample(range(4), 2)
        less, more = four[down] - 1, four[up] + 1
        taken = {value for each in cash for value in each}
        if less and less != more and not taken & {less, more}:
            four[down], four[up] = less, more
    thieves = rng.sample(range(1, 100), 2 * len(names))
    return tuple(
        Colour(name, (a, b, c, d), (thieves[2 * i], thieves[2 * i + 1]))
        for i, (name, (a, b, c, d)) in enumerate(zip(names, cash, strict=True))
    )


def box(seed: int, colours: int, pieces: int) -> Edition:
    """A box with so many colours and Collectibles, and all else drawn from a seed."""
    rng = random.Random(seed)
    most = rng.choice((999, 9999))
    ages = {(letter, rng.randint(1, most)) for letter in LETTERS}
    while len(ages) < pieces:
        ages.add((rng.choice(LETTERS), rng.randint(1, most)))
    items = tuple(Collectible(letter, year) for letter, year in sorted(ages))
    castles = []
    for _ in range(rng.choice((1, 2, 17))):
        smaller, larger = sorted(rng.sample(range(1, 21), 2))
        castles.append(Castle(larger, smaller, rng.randint(1, 3)))
    return Edition(
        name=f"box {seed}",
        collectibles=items,
        colours=cards_of(rng, rng.sample(NAMES, colours)),
        club_room=(2, 1),
        castles=tuple(castles),
        banquet_fields=rng.randint(1, 13),
        switches=Switches(
            rng.choice(("staged", "together")),
            rng.random() < 0.5,
            rng.choice(("after", "before")),
        ),
        age_word="year" if max(one.year for one in items) >= 1000 else "number",
    )


SIZES = st.one_of(st.sampled_from((24, 25, 45, 48, 51, 60, 128)), st.integers(24, 128))
BOXES = st.builds(box, st.integers(0, 10**6), st.integers(2, 6), SIZES)


def file_of(edition: Edition, rng: random.Random) -> str:
    """The text of a file of an edition, with colours and Collectibles in any order."""
    colours, items = list(edition.colours), list(edition.collectibles)
    rng.shuffle(colours)
    rng.shuffle(items)
    lines = [f"name = {json.dumps(edition.name)}", f'age = "{edition.age_word}"', "colours = ["]
    for colour in colours:
        named = json.dumps(colour.name, ensure_ascii=rng.random() < 0.5)
        cash, thieves = list(colour.cash), list(colour.thieves)
        lines.append(f"  {{ name = {named}, cash = {cash}, thieves = {thieves} }},")
    lines += ["]", "collectibles = ["]
    for one in items:
        age = f"{edition.age_word} = {one.year}"
        lines.append(f'  {{ letter = "{one.letter}", {age}, name = {{ en = "a thing" }} }},')
    lines += ["]", "[switches]"]
    lines.append(f'action_choice = "{edition.switches.action_choice}"')
    lines.append(f"detective_in_hall = {str(edition.switches.detective_in_hall).lower()}")
    lines.append(f'detective_rank = "{edition.switches.detective_rank}"')
    castles = [[one.larger, one.smaller, one.fields] for one in edition.castles]
    lines += ["[track]", f"club_room = {list(edition.club_room)}", f"castles = {castles}"]
    lines.append(f"banquet_fields = {edition.banquet_fields}")
    return "\n".join(lines) + "\n"


def with_colours(edition: Edition, *names: str) -> Edition:
    """An edition with its first colours alone, under these names."""
    pairs = zip(edition.colours, names, strict=False)
    colours = tuple(replace(one, name=name) for one, name in pairs)
    return replace(edition, name=f"{len(names)} colours", colours=colours)
