"""The option `--stats` of `games`: statistics about the player's own finished games."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, closing
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Any

from p2p_hoity.storage.file_store import NotPrivateError
from p2p_hoity.storage.home import Home
from p2p_hoity.storage.home import home as own_home
from p2p_hoity.storage.player_key import KeyFileError, load_identity, passphrase_from_environment
from p2p_hoity.table.beside_game import saved_games
from p2p_hoity.table.beside_game.known_progress import Progress
from p2p_hoity.table.beside_game.own_results import Figures, Statistics, statistics
from protocol import fingerprint

from ..exit_codes import OK, ctrl_c_means
from ..printing import is_watched, say, standing, write_line
from ..words.statistics_text import statistics_lines
from ..words.translation import _


def own_key(home: Home, passphrase: str | None) -> str:
    """Return the player's long-lived key in hexadecimal digits, "" if it cannot be read."""
    try:
        return load_identity(home, passphrase).identity.public.hex()
    except (KeyFileError, NotPrivateError):
        return ""


def tell_statistics(as_json: bool) -> int:
    """Read all games that were not read before, and print the statistics."""
    home, passphrase = own_home(), passphrase_from_environment()
    own = own_key(home, passphrase)
    with ctrl_c_means(lambda: _("Interrupted. What was read is remembered.")):
        saved_games.keep_read(home, _read(saved_games.unread_transcripts(home)))
    found = statistics(saved_games.kept_games(home, passphrase, time.monotonic, math.inf, own))
    if as_json:
        write_line(statistics_json(found))
    else:
        say(*statistics_lines(found))
    return OK


def _read(paths: Sequence[Path]) -> Iterator[tuple[Path, Progress]]:
    """Read transcripts in several processes, and show a person how many are read."""
    if not paths:
        return
    from p2p_hoity.storage.private_files import NAMED
    from p2p_hoity.table.beside_game.read_progress import of_transcript
    from p2p_hoity.worker_processes import ProcessEnded, core_count, work_in_processes

    work = partial(of_transcript, NAMED)
    with ExitStack() as stack:
        found = stack.enter_context(closing(work_in_processes(work, paths, core_count())))
        if is_watched():
            stack.callback(standing, "")  # Also before the message of a run that is interrupted.
        for done, (path, progress) in enumerate(found, 1):
            if is_watched():
                words = _("{done} of {total} games read")
                standing(words.format(done=done, total=len(paths)))
            if not isinstance(progress, ProcessEnded):
                yield path, progress


def statistics_json(found: Statistics) -> dict[str, Any]:
    """Return the statistics as the JSON object that `hoity games --stats --json` prints."""
    return {
        "type": "statistics",
        "all": _figures(found.all),
        "by_seats": [{"seats": seats, **_figures(one)} for seats, one in found.by_seats.items()],
        "by_company": [
            {"company": list(company), **_figures(one)}
            for company, one in sorted(found.by_company.items())
        ],
        "people": [
            {**asdict(one), "key": fingerprint(bytes.fromhex(one.key))} for one in found.people
        ],
        "left_out": dict(found.left_out),
    }


def _figures(one: Figures) -> dict[str, Any]:
    """Return the figures of several games, with the means that people are told."""
    counts = one.counts
    return {
        "played": one.played,
        "won": one.won,
        "shared": one.shared,
        "mean_rank": _mean(one.ranks, one.played),
        "mean_exhibit": _mean(counts.exhibited, counts.exhibits),
        "counts": asdict(counts),
    }


def _mean(total: int, number: int) -> float | None:
    return round(total / number, 3) if number else None
