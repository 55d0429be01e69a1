"""The picture of a game: who won, the paths of the figures, the standings, what decided it."""

from __future__ import annotations

from typing import Final

from p2p_hoity.rules import happenings

from ..words import edition_text
from ..words.happening_sentences import tell
from ..words.moment_sentences import moment_words
from ..words.translation import _, count, language, listed
from .colours import BAD, DIM, GOLD, GOLD_INK, GOOD, GROUND, INK, PANEL, RULE
from .path_chart import HEIGHT, Chart, draw_chart, numbered
from .picture_facts import PictureFacts
from .standings_table import INNER, MARGIN, draw_standings, heading
from .svg_drawing import SERIF, Drawing, cut, text_width, wrapped

WHOLE: Final = MARGIN + INNER + MARGIN
"""The width of the picture."""


def game_picture(facts: PictureFacts) -> str:
    """Return the picture of a game in the chosen language, as the text of an SVG file."""
    title = _("Hoity Toity, game {game}").format(game=facts.game)
    drawing = Drawing(WHOLE, title, _description(facts), language())
    y = _head(drawing, facts)
    chart = Chart(
        (MARGIN, y), INNER, facts.edition, facts.paths, facts.looks, facts.names.nicknames
    )
    draw_chart(drawing, chart, facts.moments)
    y = _below_chart(drawing, chart, y + HEIGHT + 16)
    y = draw_standings(drawing, facts, y + 34)
    if facts.moments:
        y = _moments(drawing, facts, y + 36)
    return drawing.finish(_foot(drawing, facts, y + 30), GROUND)


def _description(facts: PictureFacts) -> str:
    """Return the result of the game in sentences, for readers with no picture."""
    fields = listed(
        f"{facts.names.nicknames[seat]} {facts.paths[seat].end}" for seat in facts.order
    )
    return f"{facts.headline} {fields}. {facts.verdict}"


# The head


def _head(drawing: Drawing, facts: PictureFacts) -> float:
    """Draw the name of the game, who has won, and which game it was. Return where it ends."""
    drawing.rectangle((0, 0), (WHOLE, 8), GOLD_INK)
    if facts.standings:
        _octagon(drawing, WHOLE - MARGIN - 38, 66, str(facts.standings[0].field))
    drawing.text((MARGIN, 58), "Hoity Toity", 22, GOLD_INK, family=SERIF, bold=True)
    y = 62.0
    for line in wrapped(facts.headline, INNER - 110, 30, bold=True):
        y += 38
        drawing.text((MARGIN, y), line, 30, INK, family=SERIF, bold=True)
    y += 4
    for words in _about(facts):
        for line in wrapped(words, INNER - (110 if y < 110 else 0), 16):
            y += 24
            drawing.text((MARGIN, y), line, 16, DIM)
    return y + 40


def _about(facts: PictureFacts) -> list[str]:
    """Return lines about the game: its edition, its size and its day, and why it was stopped."""
    rounds, variant = max(path.rounds for path in facts.paths), facts.setup.variant
    parts = [
        _("Edition: {edition}").format(edition=edition_text.title(facts.edition)),
        *([_("variant: {name}").format(name=_(variant))] if variant else []),
        _("{number} seats").format(number=len(facts.paths)),
        count("{number} round", "{number} rounds", rounds).format(number=rounds),
        facts.date,
    ]
    stopped = (item for item in facts.record if isinstance(item, happenings.GameStopped))
    return [" · ".join(parts), *(tell(facts.names, item) for item in stopped)]


def _octagon(drawing: Drawing, x: float, y: float, words: str) -> None:
    """Draw an octagon of the score track with the number of the foremost figure's field."""
    short, long = 15.0, 36.0
    corners = [(short, -long), (long, -short), (long, short), (short, long)]
    corners += [(-x, -y) for x, y in corners]
    drawing.shape([(x + dx, y + dy) for dx, dy in corners], GOLD, GOLD_INK)
    drawing.text((x, y + 11), words, 32, GOLD_INK, "middle", bold=True, family=SERIF)


def _below_chart(drawing: Drawing, chart: Chart, y: float) -> float:
    """Write below the chart what its directions mean. Return where that ends."""
    words = _("Fields of the score track over the rounds")
    drawing.text((chart.left, y), words, 14, DIM)
    if chart.has_last:
        drawing.text((chart.right, y), _("last exhibits"), 14, GOLD_INK, "end")
    return y


# The moments, and the foot


def _moments(drawing: Drawing, facts: PictureFacts, y: float) -> float:
    """Draw a panel for each moment that decided the game. Return where they end."""
    heading(drawing, _("What decided it"), y)
    y += 16
    told = [moment_words(facts.names, moment) for moment in facts.moments]
    width = (INNER - 2 * 20) / 3
    texts = [wrapped(one.told, width - 32, 15) for one in told]
    height = 86 + 21 * max(map(len, texts))
    for place, (one, lines) in enumerate(zip(told, texts, strict=True)):
        x = MARGIN + place * (width + 20)
        drawing.rectangle((x, y), (width, height), PANEL, RULE, radius=8)
        numbered(drawing, (x + 27, y + 28), place + 1)
        room = width - 64
        title = cut(one.title, room, 18, bold=True)
        drawing.text((x + 48, y + 34), title, 18, INK, bold=True, family=SERIF)
        for number, line in enumerate(lines):
            drawing.text((x + 16, y + 66 + 21 * number), line, 15, INK)
        drawing.text((x + 16, y + height - 14), one.lead, 14, GOLD_INK, bold=True)
    return y + height


def _foot(drawing: Drawing, facts: PictureFacts, y: float) -> float:
    """Draw whether the game was verified, and its id. Return the height of the whole picture."""
    drawing.line([(MARGIN, y - 8), (MARGIN + INNER, y - 8)], RULE)
    game = _("game {game}").format(game=facts.game)
    drawing.text((MARGIN + INNER, y + 18), game, 14, DIM, "end")
    sign, ink = ("✓ ", GOOD) if facts.is_valid else ("", BAD)
    room = INNER - text_width(game, 14) - 40
    for line in wrapped(sign + facts.verdict, room, 14, bold=True):
        drawing.text((MARGIN, y + 18), line, 14, ink, bold=True)
        y += 20
    return y + 24
