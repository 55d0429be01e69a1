"""The command `replay`, which shows a transcript to a person or, as JSON lines, to a program."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from p2p_hoity.editions.received_edition import descent
from p2p_hoity.game_adapter import Play, happenings_since, read_game
from p2p_hoity.rules import Edition, Happening, State, happenings
from p2p_hoity.storage.home import home as own_home
from protocol import Kind, Node, fingerprint, transcript

from ..exit_codes import INTERRUPTED, NOT_OK, OK, Trouble, ctrl_c_means
from ..exit_codes import report as tell
from ..local.ending_signals import ending_calls
from ..local.mistaken_files import explanation
from ..local.new_files import check_new, write_new
from ..printing import ask, complain, say, write_line
from ..ui.screen_options import uses_full_screen
from ..words.card_names import Names
from ..words.happening_sentences import rounds_of
from ..words.translation import _
from ..words.verdicts import Mark, in_words, state_of
from .options import WebOptions
from .page_options import closed_after, page_of
from .save_picture import save_picture
from .verify import marked


@dataclass(frozen=True)
class Sealing:
    """A step of the chain (the table's history) in which seats have sealed a choice.

    Attributes:
        at: The number of events of the game before the step.
        seats: The seats that sealed a choice, rising.
    """

    at: int
    step: int
    kind: str
    seats: tuple[int, ...]


def sealings(node: Node | None) -> Iterator[Sealing]:
    """Find every step up to `node` (None for no chain) in which choices were sealed, in order."""
    for before, slots, _root in transcript.steps_to(node) if node is not None else ():
        if slots is not None and before.want.kind is Kind.SEAL:
            at = before.state.length if isinstance(before.state, Play) else 0
            said = {seat for seat, slot in enumerate(slots) if isinstance(slot, bytes)}
            seats = tuple(sorted(said & before.want.owes))  # The other seats have passed.
            yield Sealing(at, before.step, before.want.name, seats)


FORMAT = "hoity-replay-2"
QUIT = frozenset({"q", "quit", "exit"})


def replay_file(
    path: Path,
    step: bool,
    as_json: bool,
    plain: bool = True,
    picture: Path | None = None,
    film: Path | None = None,
) -> int:
    """Show the game of a transcript, up to the first thing in the file that is invalid.

    Args:
        step: Whether to wait for Enter after each round.
        plain: Whether to print lines instead of the full screen.
        picture: The file in which a picture of the game is saved instead. None to show the game.
        film: The file in which a film of the game is saved instead, as messages of a table.

    Raises:
        Trouble: If the file cannot be read, or shows no game at all, or the picture or film cannot
            be saved.
    """
    for target in (picture, film):
        if target is not None:
            check_new(target)
    report, mark = _verified(path)
    state = state_of(report)
    if state is None:
        untold = Trouble([*in_words(path, report), *explanation(path, report)], NOT_OK)
        if not as_json:
            raise untold
        write_line(_verdict(report))  # A program gets nothing after the verdict.
        return tell(untold)
    if picture is not None:
        return save_picture(path, mark, report, picture)
    if film is not None:
        return _save_film(path, report, film)
    if as_json:
        for one in objects(report, state):
            write_line(one)
        return OK if report.ok else NOT_OK
    if step or not uses_full_screen(plain) or not show(path, report):
        names = Names(state.edition, [line.nickname for line in report.seats])
        for number, lines in enumerate(rounds_of(names, told(report))):
            if step and number and not _goes_on():
                return OK if report.ok else NOT_OK
            say(*lines)
    say(*in_words(path, report))
    return OK if report.ok else NOT_OK


def _verified(path: Path) -> tuple[transcript.Report, Mark]:
    """Verify a transcript, and return the report with the last node of its valid part."""
    with marked(path) as (file, mark):
        whole = transcript.opened(file, time.perf_counter)
    report = transcript.verify(whole, read_game, time.perf_counter)
    return replace(report, node=transcript.reached(whole, read_game, report)), mark


def replay_on_page(path: Path, web: WebOptions) -> int:
    """Show the game of a transcript on a page, up to the first thing in the file that is invalid.

    Raises:
        Trouble: If the file cannot be read or shows no game at all.
    """
    from ..table_view.film import film_of
    from ..ui.web.page_replay import PageReplay

    report, _mark = _verified(path)
    film = film_of(path, report)
    if report.node is None or film is None:
        raise Trouble([*in_words(path, report), *explanation(path, report)], NOT_OK)
    page = page_of(own_home(), "replay", web)
    if page is not None:
        with closed_after(page), ctrl_c_means(lambda: _("Interrupted.")):
            PageReplay(page, film, report.node).run()
    say(*in_words(path, report))
    return OK if report.ok else NOT_OK


def _save_film(path: Path, report: transcript.Report, target: Path) -> int:
    """Save the film of a game, as far as its transcript is valid, in a new file."""
    from ..table_view.film import film_messages, film_of

    film = film_of(path, report)
    if report.node is None or film is None:
        raise Trouble([*in_words(path, report), *explanation(path, report)], NOT_OK)
    shown = film_messages(film, report.node)
    lines = [json.dumps(one.as_json(), ensure_ascii=False) + "\n" for one in shown]
    # A device may be the standard output, where only the film belongs.
    if write_new(target, "".join(lines)):
        say(_("The film is in {path}.").format(path=target))
    for line in [] if report.ok else in_words(path, report):
        complain(line)
    return OK if report.ok else NOT_OK


def told(report: transcript.Report) -> list[Happening]:
    """Return all events of a game, in order, as far as its transcript is valid."""
    play = report.node.state if report.node is not None else None
    return happenings_since(play) if isinstance(play, Play) else []


# JSON output, described in docs/replay.md


def objects(report: transcript.Report, state: State) -> Iterator[dict[str, Any]]:
    """Yield the JSON objects for a program, in the order of docs/replay.md."""
    yield {
        "type": "game",
        "format": FORMAT,
        "table": report.table,
        "variant": state.variant,
        "seats": [
            {"seat": seat, "nickname": entry.nickname, "table_key": fingerprint(entry.id)}
            for seat, entry in enumerate(report.seats)
        ],
        "edition": _edition(state.edition),
    }
    yield from _lines(told(report), list(sealings(report.node)))
    yield _verdict(report)


def _lines(items: list[Happening], sealed: list[Sealing]) -> Iterator[dict[str, Any]]:
    """Yield events and sealings as JSON objects, each sealing before the event at its `at`."""
    number = 0
    for index, item in enumerate(items):
        while sealed and sealed[0].at <= index:
            yield _sealed(sealed.pop(0), number)
        if isinstance(item, happenings.RoundBegan):
            number = item.round
        yield {"index": index, "round": number, **item.as_json()}
    for one in sealed:
        yield _sealed(one, number)


def _sealed(one: Sealing, number: int) -> dict[str, Any]:
    told = {"step": one.step, "kind": one.kind, "seats": list(one.seats)}
    return {"type": "sealed", "round": number, **told}


def _verdict(report: transcript.Report) -> dict[str, Any]:
    """Return the verifier's verdict on a transcript as a JSON object."""
    return {
        "type": "verdict",
        "verdict": report.verdict,
        "digest": report.digest,
        "problem": None if report.problem is None else report.problem.code,
        "step": None if report.problem is None else report.problem.step,
    }


def _edition(edition: Edition) -> dict[str, Any]:
    """Return the cards and switches of an edition as a JSON object."""
    found = descent(edition)
    return {
        "name": edition.name,
        "changed": list(found.changes) if found.original else None,
        "colours": [colour.name for colour in edition.colours],
        "age": edition.age_word,
        "collectibles": [
            {"card": index, "letter": c.letter, "year": c.year, "names": dict(c.names)}
            for index, c in enumerate(edition.collectibles)
        ],
        "switches": asdict(edition.switches),
    }


# Output for people


def show(path: Path, report: transcript.Report) -> bool:
    """Show the game on the full screen. Return False if there is nothing to show or it fails.

    Raises:
        Trouble: If a signal asks the program to end.
    """
    import asyncio  # Imported here, because replays as lines need no event loop.

    from ..table_view.film import film_of
    from ..ui.full_screen.replay_screen import ReplayApp

    film = film_of(path, report)
    if film is None:
        return False
    app, signals = ReplayApp(film), list[None]()

    async def until_ended() -> None:
        loop = asyncio.get_running_loop()

        def close() -> None:
            signals.append(None)
            # The handler of a signal does not wake the loop by itself.
            loop.call_soon_threadsafe(app.exit)

        with ending_calls(close):
            await app.run_async()

    asyncio.run(until_ended())
    if signals:
        raise Trouble(_("Interrupted."), INTERRUPTED)
    return app.failure is None


def _goes_on() -> bool:
    """Wait for a line, and return whether to go on: not after `q`, but at the end of the input."""
    ask(_("Enter for the next round, q leaves "))
    line = sys.stdin.readline()
    if not line:
        say("")
    return line.strip().lower() not in QUIT
