"""The screens that ask nothing: while the table fills, at the deal, in a reveal, at the end."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from p2p_hoity.presentation import screen_updates as updates
from p2p_hoity.rules import Standing, banquet, happenings
from protocol import Kind

from ...words import presence_sentences, rules_text, table_terms
from ...words.card_names import run_letters
from ...words.error_sentences import sentence
from ...words.presence_sentences import announced, ended, kept_as, no_other_game, unconfirmed, won
from ...words.translation import N_, _
from .colours import Line, broken, cells, fit, paragraphs, text
from .seats_and_pieces import letters, name_of, seat_style
from .stage import Stage, keys_of

BAR = 40
STAGES: Final = {
    Kind.KEY_COMMIT: N_("every seat commits to a key of its own"),
    Kind.KEY_REVEAL: N_("keys are opened, and proven to be known"),
    Kind.KEY_OK: N_("the key shares are confirmed"),
    Kind.SHUFFLE: N_("shuffling the deck and proving it: {who}"),
    Kind.DECK_OK: N_("every seat confirms the deck"),
    Kind.DEAL: N_("the cards are dealt: each seat opens its own, nobody another's"),
}


def lobby(stage: Stage, width: int, papers: Sequence[str]) -> list[Line]:
    """Return the lines of the screen while the table fills.

    Args:
        stage: What is shown.
        width: The width of the screen, in cells.
        papers: The lines below the seats, such as the ticket and the terms.

    Returns:
        The lines.
    """
    seated = _("Seated {number} of {seats}").format(
        number=len(stage.scene.lobby), seats=stage.scene.of_seats
    )
    lines = [text(" " + seated, "title")] if stage.scene.of_seats else []
    for number, name in enumerate(stage.scene.lobby, 1):
        lines.append(text(f"   {number}  {name}", "bright"))
    for number in range(len(stage.scene.lobby) + 1, stage.scene.of_seats + 1):
        lines.append(text(f"   {number}  …", "dim"))
    if stage.lobby_note:
        lines += broken(" " + stage.lobby_note, width - 1, "bright", "   ")
    lines += [Line(), *_code(stage.scene.code, width)]
    return [*lines, *paragraphs(papers, width - 1)]


def _code(code: updates.OfferedCode | updates.NoCode | None, width: int) -> list[Line]:
    """Return the lines with the code that the host can speak to a guest, or why there is none."""
    if code is None:
        return []
    if isinstance(code, updates.NoCode):
        return [*paragraphs([sentence(code.reason)], width - 1), Line()]
    *after, invitation, life = table_terms.invitation(code)
    copies = _("{life} d copies it.").format(life=life)
    lines = [*paragraphs(after, width - 1), *paragraphs([invitation], width - 1, "title")]
    return [*lines, *paragraphs([copies], width - 1), Line()]


def deal(stage: Stage, width: int) -> list[Line]:
    """Return the lines of the screen during the deal: its progress, and the key of each seat.

    The deal has a step for each seat's shuffle and five more.

    Args:
        stage: What is shown.
        width: The width of the screen, in cells.

    Returns:
        The lines.
    """
    table = stage.scene.table
    if table is None:
        return []
    total = table.seats + len(STAGES) - 1
    done = min(stage.scene.steps, total)
    filled = round(BAR * done / total)
    bar = text(" " + "█" * filled, "title").add("░" * (BAR - filled), "rule")
    bar.add(f" {done}/{total}", "dim")
    lines = [text(" " + _("The cards are shuffled by every seat in turn."), "title"), bar]
    if stage.scene.stage in STAGES:
        awaited = sorted(stage.scene.clock.awaited) if stage.scene.clock else []
        who = ", ".join(name_of(stage, seat) for seat in awaited)
        lines.append(text("   " + _(STAGES[stage.scene.stage]).format(who=who or "…"), "bright"))
    lines.append(Line())
    keys = keys_of(stage.scene)
    for seat, (nickname, key) in enumerate(keys):
        mark = letters([name for name, _key in keys])[seat]
        line = text(f"   {mark} ", seat_style(stage, seat)).add(fit(nickname, 16), "bright")
        lines.append(line.add(key, "dim").within(width))
    lines.append(Line())
    lines += paragraphs(_warnings(stage), width - 1, "warn", hanging=" ")
    return lines + paragraphs(map(_, PROMISES), min(width - 1, 90), "dim", hanging=" ")


def _warnings(stage: Stage) -> list[str]:
    """Return what a player must know before leaving, once the last confirmation is late."""
    scene, names = stage.scene, stage.names
    if names is None:
        return []
    told, clock = [announced(one, names) for one in scene.announced], scene.clock
    if clock is None or not clock.muster.has_confirmed:
        return told
    is_late = told or clock.left <= clock.timeout / 2
    return [*told, unconfirmed(clock.awaited, names, scene.game)] if is_late else told


PROMISES: Final = (
    N_("No server deals: each seat shuffles under its own key, and every shuffle is proven."),
    N_("Nobody sees your four secret Collectibles, and nobody can choose them."),
)


def reveal(stage: Stage, width: int) -> list[Line]:
    """Return the lines of what is being revealed now, a paragraph for each sentence.

    Args:
        stage: What is shown.
        width: The width of the screen, in cells.

    Returns:
        The lines.
    """
    lines = [text(" " + _("REVEALED") + "  ", "title").add(_("any key hurries"), "dim")]
    return lines + paragraphs(stage.beat, width - 1, "bright")


def over(stage: Stage, width: int) -> list[Line]:
    """Return the lines of the result: standings, last exhibits, and turning points of the game.

    If the table has ended without a result, the lines say why.

    Args:
        stage: What is shown.
        width: The width of the screen, in cells.

    Returns:
        The lines.
    """
    if stage.scene.ended is not None:
        words = ended(stage.scene.ended, stage.names, stage.scene.game)
        file = () if stage.scene.transcript is None else kept_as(stage.scene.transcript)
        return [*broken(" " + words, width - 1, "warn", " "), Line(), *paragraphs(file, width - 1)]
    if stage.scene.standings is None or stage.names is None:
        return []
    told = won(stage.scene.standings, stage.names) if stage.scene.standings else ""
    lines = broken(" " + told, width - 1, "title", "   ") if told else []
    lines += _standings(stage, stage.scene.standings, width)
    papers = kept_as(stage.scene.transcript) if stage.scene.transcript is not None else ()
    return [*lines, Line(), *paragraphs([*papers, *turning_points(stage)], width - 1)]


def _standings(stage: Stage, standings: Sequence[Standing], width: int) -> list[Line]:
    """Return a line for each seat: rank, field, its last exhibit, and the fields gained by it."""
    names = [name_of(stage, one.seat) for one in standings]
    who = min(18, 2 + max(map(cells, (_("SEAT"), *names))))
    head = Line().add(" ").add(fit(_("RANK"), 6) + fit(_("SEAT"), who), "dim")
    lines = [head.add(fit(_("FIELD"), 8) + _("LAST EXHIBIT"), "dim")]
    honours = [it for it in stage.scene.record if isinstance(it, happenings.FigureMoved)]
    gains = {it.seat: it.fields for it in honours if it.why in banquet.FINAL_HONOURS}
    final = {
        it.seat: it.pieces for it in stage.scene.record if isinstance(it, happenings.FinalExhibit)
    }
    longest = min(24, max(14, *map(len, final.values()), 0))
    for standing, name in zip(standings, names, strict=True):
        seat = standing.seat
        line = Line().add(" ").add(fit(f"  {standing.rank}", 6), "title")
        line.add(fit(name, who), seat_style(stage, seat))
        line.add(fit(str(standing.field), 8), "bright")
        pieces = final.get(seat, ())
        line.add(f"+{gains.get(seat, 0)} " if pieces else "", "title")
        words = run_letters(p.letter for p in pieces) or "–"
        ordered = sorted(pieces, key=lambda p: (p.letter or "?", p.year or 0))
        years = " ".join(f"{p.letter}{p.year}" for p in ordered)
        line.add(fit(words, longest) + " ", "bright")
        lines += _spread(line, years, width)
    return lines


def stays(stage: Stage, width: int) -> list[Line]:
    """Return the lines about those for whom this seat stays although the result is final.

    Args:
        stage: What is shown.
        width: The width of the screen, in cells.

    Returns:
        The lines. Empty if it does not stay.
    """
    wait, names = stage.scene.unconfirmed, stage.names
    if wait is None or names is None:
        return []
    told = presence_sentences.stays(wait, names, stage.scene.transcript is not None)
    return paragraphs([told], width - 1)


def again(stage: Stage, width: int, by_bot: bool = False) -> list[Line]:
    """Return the lines about another game: who plays again, who does not, and who is awaited.

    Args:
        stage: What is shown.
        width: The width of the screen, in cells.
        by_bot: Whether a bot plays the seat.

    Returns:
        The lines.
    """
    if stage.scene.again is None or stage.scene.table is None:
        return []

    def named(seats: Iterable[int]) -> str:
        return ", ".join(name_of(stage, seat) for seat in sorted(seats))

    if stage.scene.again.unwilling:
        unwilling, there = stage.scene.again.unwilling, stage.scene.attendance
        told = no_other_game(unwilling, stage.scene.seat, by_bot, there, named)
        return paragraphs([told], width - 1)
    rest = frozenset(range(stage.scene.table.seats)) - stage.scene.again.willing
    words = _("Another game with the same people: {who} ✓ · awaited: {rest}")
    willing = named(stage.scene.again.willing) or "–"
    told = words.format(who=willing, rest=named(rest) or "–")
    return paragraphs([told], width - 1)


def _spread(line: Line, years: str, width: int) -> list[Line]:
    """Add the pieces of an exhibit to a line of the standings, and return the resulting lines.

    `years` names the pieces by letter and year. If this text is too long for `width` columns, it
    goes on in further lines.
    """
    start = line.width
    first, *rest = broken(years, max(10, width - start - 1), "dim")
    return [line.join(first), *(Line().fill(start).join(more) for more in rest)]


def turning_points(stage: Stage) -> list[str]:
    """Return sentences about the turning points of a game.

    They tell which figures moved furthest at once, which seats had the most thefts and arrests, and
    which seats are proven to have cheated.

    Args:
        stage: What is shown.

    Returns:
        The sentences.
    """
    found, number = [], 0
    gains: list[tuple[int, int, int]] = []
    thefts: dict[int, int] = {}
    jailed: dict[int, int] = {}
    for item in stage.scene.record:
        match item:
            case happenings.RoundBegan(round_number):
                number = round_number
            case happenings.FigureMoved(seat, _start, _end, fields, _why):
                gains.append((fields, -number, seat))
            case happenings.Stolen(seat):
                thefts[seat] = thefts.get(seat, 0) + 1
            case happenings.Imprisoned(seat):
                jailed[seat] = jailed.get(seat, 0) + 1
    one = _("{who} {fields} (round {round})")
    steps = [
        one.format(who=name_of(stage, seat), fields=fields, round=-minus)
        for fields, minus, seat in sorted(gains, reverse=True)[:3]
    ]
    if steps:
        found.append(_("Largest steps: {steps}.").format(steps=", ".join(steps)))
    found += _most(stage, thefts, _("Most thefts: {who}, {number}."))
    found += _most(stage, jailed, _("Most often in prison: {who}, {number}."))
    for seat in sorted(stage.scene.faults):
        text_ = _("Proven to have cheated: {who}.")
        found.append(text_.format(who=name_of(stage, seat)))
    return found


def _most(stage: Stage, counts: dict[int, int], words: str) -> list[str]:
    """Return a sentence about the seats with the highest count, or no sentence without counts.

    Args:
        stage: What is shown.
        counts: The count of each seat, for example of its thefts.
        words: The template of the sentence, with gaps for the seats and the count.
    """
    if not counts:
        return []
    most = max(counts.values())
    who = ", ".join(name_of(stage, seat) for seat, n in sorted(counts.items()) if n == most)
    return [words.format(who=who, number=most)]


def ten_lines(stage: Stage, width: int) -> list[Line]:
    """Return the lines of the page with the rules in brief.

    Args:
        stage: What is shown.
        width: The width of the page, in cells.

    Returns:
        The lines.
    """
    if stage.names is None:
        return []
    return [text(words, "plain") for words in rules_text.lines(stage.names.edition, width)]
