"""Tests of the result: shown and saved once it is final, whoever keeps its end notice to itself."""

from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
import trio
from support.player_table import CALM, Guest, PlayerTable, Thinker

from p2p_hoity import game_adapter
from p2p_hoity.presentation import screen_updates as updates
from p2p_hoity.storage import transcript_archive
from p2p_hoity.storage.journal import JournalError
from p2p_hoity.table.beside_game.saved_games import kept_games
from p2p_hoity.table.beside_game.unfinished_games import open_games
from p2p_hoity.table.playing.effects_out import EffectsOut
from protocol import effects
from protocol.transcript import verifier
from protocol.wire import peer_frames
from protocol.wire.signed_notices import EndNotice

pytestmark = pytest.mark.sampled(2)

STEP = CALM.step / 1000
FAULTY = 2


@dataclass
class Ending:
    """A table at whose end one seat may keep its end notice to itself, and what was seen when.

    Attributes:
        results: By guest the second at which the result was shown, and whether its file was there.
        ends: By guest the second at which its program had left.
    """

    table: PlayerTable
    results: dict[str, tuple[float, bool]]
    ends: dict[str, float]

    @property
    def honest(self) -> list[Guest]:
        """The players whose seats tell all they have to."""
        return [guest for guest in self.table.guests if guest.place != FAULTY]

    def hear(self, guest: Guest, update: updates.Update) -> None:
        """Note the moment of a result."""
        if isinstance(update, updates.GameOver):
            is_there = update.transcript is not None and update.transcript.is_file()
            self.results[guest.name] = trio.current_time(), is_there

    def sit(self, number: int) -> Callable[[], Any]:
        """Return what lets a player play, and notes when its program ends."""

        async def play() -> None:
            await self.table.sit(number)
            self.ends[self.table.guests[number].name] = trio.current_time()

        return play

    async def play(self) -> None:
        """Let all play to the end."""
        await self.table.play({number: self.sit(number) for number in range(3)})


def verdict(path: Path) -> str:
    """Return what a verifier says of a file."""
    return verifier.verify(path.read_bytes(), game_adapter.read_game).verdict


def withhold(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the faulty seat keep its end notice to itself. It leaves with those of the others."""
    send = EffectsOut.send

    def keep_back(self: EffectsOut, effect: effects.Send) -> None:
        frame = peer_frames.parse_frame(effect.frame)
        if self._machine.seat != FAULTY or not isinstance(frame, EndNotice):
            send(self, effect)

    monkeypatch.setattr(EffectsOut, "send", keep_back)


@pytest.fixture
def ending(tmp_path: Path) -> Ending:
    """Return a table of three who play a short game."""
    made = Ending(PlayerTable(tmp_path, 3, CALM), {}, {})
    for guest in made.table.guests:
        guest.player = Thinker(0.0)
        guest.listener = lambda update, one=guest: made.hear(one, update)
    return made


async def test_where_all_confirm_the_result_nobody_is_told_of_a_wait(ending: Ending) -> None:
    await ending.play()
    assert len(ending.results) == 3
    for guest in ending.table.guests:
        assert ending.ends[guest.name] - ending.results[guest.name][0] < STEP / 2
    assert not ending.table.heard(updates.Unconfirmed)
    ending.table.judge()


async def test_a_seat_that_withholds_its_end_notice_withholds_nobodys_result(
    ending: Ending, monkeypatch: pytest.MonkeyPatch
) -> None:
    withhold(monkeypatch)
    await ending.play()
    for guest in ending.honest:
        shown, is_saved = ending.results[guest.name]
        assert is_saved
        assert ending.ends[guest.name] - shown >= STEP
        (over,) = guest.heard(updates.GameOver)
        first, *later = guest.heard(updates.Unconfirmed)
        assert first.seats == {FAULTY}
        assert STEP - 5 < first.left <= STEP
        assert {one.seats for one in later} == {first.seats}
        lefts = [first.left, *(one.left for one in later)]
        assert all(b <= a / 2 for a, b in pairwise(lefts))
        assert guest.told.index(over) < guest.told.index(first)
        assert guest.end.transcript == over.transcript
        assert FAULTY in over.awaited
    ending.table.judge()


async def test_who_leaves_meanwhile_keeps_result_and_file(
    ending: Ending, monkeypatch: pytest.MonkeyPatch
) -> None:
    withhold(monkeypatch)
    for guest in ending.table.guests:
        guest.leave_when(lambda update: isinstance(update, updates.Unconfirmed))
        leave = guest.listener
        guest.listener = lambda update, one=guest, leave=leave: (
            ending.hear(one, update),
            leave(update),
        )
    await ending.play()
    for guest in ending.honest:
        shown, _ = ending.results[guest.name]
        assert ending.ends[guest.name] - shown < STEP / 2
        assert guest.end.code is None
        assert guest.end.standings
        assert guest.end.transcript is not None
        assert verdict(guest.end.transcript) == "ok"
        assert not guest.heard(updates.Ended)
        assert not open_games(guest.home)


async def test_who_is_killed_meanwhile_has_the_file_and_sees_the_result_at_once_again(
    ending: Ending, monkeypatch: pytest.MonkeyPatch
) -> None:
    withhold(monkeypatch)
    host = ending.table.guests[0]

    async def die() -> None:
        assert await ending.table.sit_until(0, lambda one: isinstance(one, updates.Unconfirmed))
        (over,) = host.heard(updates.GameOver)
        assert verdict(over.transcript) == "ok"
        assert len(open_games(host.home)) == 1
        (listed,) = kept_games(host.home, None, lambda: 0.0, 1.0)
        assert listed.is_over
        over.transcript.unlink()
        (listed,) = kept_games(host.home, None, lambda: 0.0, 1.0)
        assert not listed.is_over
        host.told.clear()
        await trio.sleep(2 * STEP)
        began = trio.current_time()
        host.listener = lambda update: ending.hear(host, update)
        await ending.table.resume(0)
        shown, is_saved = ending.results[host.name]
        assert is_saved
        assert shown - began < STEP / 2

    await ending.table.play({0: die})
    (again,) = host.heard(updates.GameOver)
    assert again.awaited == {1, 2}
    assert host.end.transcript == again.transcript
    assert verdict(again.transcript) == "ok"
    assert not open_games(host.home)


async def test_a_result_that_cannot_be_saved_is_shown_and_tried_again_at_the_end(
    ending: Ending, monkeypatch: pytest.MonkeyPatch
) -> None:
    withhold(monkeypatch)
    keep, tried = transcript_archive.keep, set[Path]()

    def is_full_at_first(data: bytes, wished: Path, *more: Any) -> Path:
        if wished not in tried:
            tried.add(wished)
            raise JournalError(transcript_archive.ArchiveCode.TOO_LARGE)
        return keep(data, wished, *more)

    monkeypatch.setattr(transcript_archive, "keep", is_full_at_first)
    await ending.play()
    for guest in ending.honest:
        first, second = guest.heard(updates.GameOver)
        assert first.transcript is None
        assert first.standings == second.standings
        assert guest.end.transcript == second.transcript
        assert verdict(second.transcript) == "ok"


async def test_what_is_found_after_the_result_is_in_the_file_in_the_end(
    ending: Ending, monkeypatch: pytest.MonkeyPatch
) -> None:
    made, seen = transcript_archive.transcript_of, set[int | None]()

    def of(machine: Any) -> bytes:
        is_later = machine.seat in seen
        seen.add(machine.seat)
        return made(machine) if is_later else b"as it was"

    monkeypatch.setattr(transcript_archive, "transcript_of", of)
    withhold(monkeypatch)
    files = list[bytes]()
    for guest in ending.table.guests:
        guest.listener = lambda update: (
            files.append(update.transcript.read_bytes())
            if isinstance(update, updates.GameOver)
            else None
        )
    await ending.play()
    assert files == [b"as it was"] * 3
    assert {verdict(guest.end.transcript) for guest in ending.honest if guest.end.transcript} == {
        "ok"
    }
