"""Tests of coming back: where a seat listens then, what it claims, and that no copy signs."""

import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import trio
from support.cases import fails
from support.machine_table import make_table
from support.player_table import CALM, LONGER, PlayerTable, Thinker, past_round
from support.sampling import BAD_MOMENTS
from support.toy_game import ToyGame

from p2p_hoity import game_adapter
from p2p_hoity.coded_errors import Reason
from p2p_hoity.net.hub import LinkDown, LinkedElsewhere, LinkUp
from p2p_hoity.net.link_limits import Limits
from p2p_hoity.net.network_errors import NetCode, NetError
from p2p_hoity.presentation import screen_updates as updates
from p2p_hoity.storage.home import Home
from p2p_hoity.table.beside_game import unfinished_games
from p2p_hoity.table.open_links import Reach
from p2p_hoity.table.peer_error import PeerError
from p2p_hoity.table.playing import resume_table as resuming
from p2p_hoity.table.playing.play_table import Seat
from p2p_hoity.table.playing.resume_table import (
    ALONE,
    ARRIVAL_TIMEOUT,
    SETTLE,
    Answers,
    claim_game,
    resume_table,
)
from protocol.transcript import verifier

SOME = pytest.mark.sampled(1)

TABLE, WHO = make_table(ToyGame(4, 1), 4, 3)


def told(*linked: int, elsewhere: tuple[int, ...] = ()) -> Answers:
    """What seat 3 has heard."""
    answers = Answers(TABLE, WHO[3].public)
    for seat in linked:
        answers.hear(LinkUp(WHO[seat].public, "", False))
    for seat in elsewhere:
        answers.hear(LinkedElsewhere(WHO[seat].public))
    return answers


def test_whoever_is_let_in_goes_on_unless_so_many_object_that_one_is_honest() -> None:
    assert not told(0).may_play(SETTLE / 2)
    assert told(0).may_play(SETTLE)
    assert not told().may_play(SETTLE)
    assert told().may_play(ALONE)
    assert not told(0, 1, elsewhere=(2,)).may_play(ARRIVAL_TIMEOUT)
    assert Limits().silence * 2 < ARRIVAL_TIMEOUT  # it is asked for longer than a dead link lives
    for linked, elsewhere, stops in (
        ((), (0,), True),
        ((), (), False),
        ((0,), (1, 2), False),  # two of four may be liars who would keep an honest seat out
        ((0,), (), False),
        ((), (0, 1, 2), True),
    ):
        assert told(*linked, elsewhere=elsewhere).is_played_elsewhere() == stops
    answers = told(elsewhere=(0, 2))
    answers.hear(LinkedElsewhere(b"x" * 32))
    assert answers.names() == ("seat 0", "seat 2")
    answers.hear(LinkUp(WHO[0].public, "", False))
    assert answers.names() == ("seat 2",)
    answers.hear(LinkDown(WHO[0].public, Reason("gone")))
    assert answers.linked == set()
    answers = told()
    answers.hear(LinkedElsewhere(b"x" * 32))
    assert not answers.elsewhere


@SOME
async def test_a_copy_of_a_home_that_plays_already_stops_before_it_signs(tmp_path: Path) -> None:
    table = PlayerTable(tmp_path, 3, CALM, LONGER)
    copy, stopped = tmp_path / "copy", list[PeerError]()

    async def clone() -> None:
        await table.until(lambda: table.guests[2].round >= 2)
        shutil.copytree(table.guests[2].home.path, copy)
        (journal,) = (copy / "journals").iterdir()
        before, told = journal.read_bytes(), list[updates.Update]()
        me, player = table.guests[2].me, table.guests[2].player
        seat = Seat(told.append, player=player, home=Home(copy), me=me)
        with pytest.raises(PeerError, match="played-elsewhere") as caught:
            await resume_table(seat, None, Reach(network=table.network))
        stopped.append(caught.value)
        assert journal.read_bytes() == before
        assert not any(isinstance(update, updates.Started) for update in told)

    slow = table.guests[1].player = Thinker()
    async with trio.open_nursery() as nursery:
        nursery.start_soon(table.play)
        await clone()
        slow.seconds = 0.0
    (error,) = stopped
    assert error.code.exit_code == 1
    assert sorted(error.fields["names"]) == ["P0", "P1"]
    assert table.ended_alike()
    assert not table.heard(updates.SeatsTimedOut)


@SOME
async def test_a_power_cut_costs_no_seat(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The others go on hearing nothing, as no packet tells them that the machine is off."""
    table = PlayerTable(tmp_path, 3, CALM, LONGER)
    began, back = list[float](), list[float]()

    async def off_and_on() -> None:
        await table.sit_until(2, past_round(2))
        began.append(trio.current_time())
        await table.resume(2)

    cut = resuming.wait_for_answers

    async def watched(*given: Any) -> Any:
        found = await cut(*given)
        back.append(trio.current_time())
        return found

    monkeypatch.setattr("p2p_hoity.table.playing.resume_table.wait_for_answers", watched)
    monkeypatch.setattr("p2p_hoity.net.peer_link.cut", _leave_open)
    await table.play({2: off_and_on})
    assert back[0] - began[0] <= ARRIVAL_TIMEOUT
    assert table.ended_alike()


async def _leave_open(stream: Any) -> None:
    """A machine without power closes nothing."""
    await trio.lowlevel.checkpoint()


@BAD_MOMENTS
async def test_who_stays_at_a_table_for_two_can_claim_the_game(tmp_path: Path) -> None:
    table = PlayerTable(tmp_path, 2, edition=LONGER)
    fails(PeerError, "no-game", claim_game, table.guests[0].seat, None)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(table.sit_until, 1, past_round(2))
        assert await table.sit_until(0, lambda update: isinstance(update, updates.Paused))
    path = claim_game(table.guests[0].seat, None)
    report = verifier.verify(path.read_bytes(), game_adapter.read_game)
    assert not report.ok
    assert report.unfinished
    assert report.faults == ()
    home = table.guests[0].home
    (game,) = unfinished_games.open_games(home)
    fails(PeerError, f"only-claimed-games .*{game.name}", unfinished_games.find_game, home, None)
    assert unfinished_games.find_game(home, game.name[:4]) == game


@SOME
async def test_a_game_begun_behind_a_proxy_is_not_resumed_without_one(three: PlayerTable) -> None:
    """All sit behind proxies, each reached where it says."""
    places = [f"node{number}:7" for number in range(3)]
    three.how = lambda n: {"listen": places[n], "advertised": (places[n],), "hidden": True}
    assert await three.play_until_the_last_goes(past_round(1))
    with pytest.raises(PeerError, match="game-by-proxy"):
        await resume_table(three.guests[2].seat, None, Reach(network=three.network))
    with trio.move_on_after(5) as waiting:
        how = replace(three.reach(2), network=three.network)
        await resume_table(three.guests[2].seat, None, how=how)
    assert waiting.cancelled_caught  # it waits for the others, who are gone


@SOME
@pytest.mark.parametrize("listen", ["node2:9", "127.0.0.1:9", ":9"])
async def test_a_seat_resumed_behind_a_proxy_listens_on_loopback_alone(
    tmp_path: Path, listen: str
) -> None:
    """[L-55], wherever the game began."""
    table, places = PlayerTable(tmp_path, 3), []
    table.how = lambda n: {"listen": listen} if n == 2 else {}
    assert await table.play_until_the_last_goes(past_round(1))

    async def spy(host: str, port: int) -> Any:
        places.append((host, port))
        raise NetError(NetCode.NOT_LISTENING)

    setattr(table.network, "listen", spy)  # noqa: B010 - a method of one network
    how = Reach(network=table.network, hidden=True)
    with pytest.raises(PeerError, match="cannot-listen-there"):
        await resume_table(table.guests[2].seat, None, how=how)
    assert {host for host, _ in places} == {"127.0.0.1"}


@SOME
async def test_a_seat_is_resumed_where_it_is_told_to_listen(tmp_path: Path) -> None:
    table, places = PlayerTable(tmp_path, 3), []
    assert await table.play_until_the_last_goes(past_round(1))
    listen = table.network.listen

    async def spy(host: str, port: int) -> Any:
        places.append((host, port))
        return await listen(host, port)

    for how in (Reach("node9:9", anew=True), Reach("node9:9")):
        setattr(table.network, "listen", spy)  # noqa: B010 - a method of one network
        with trio.move_on_after(5):
            away = replace(how, network=table.network)
            await resume_table(table.guests[2].seat, None, how=away)
    assert places[0] == ("node9", 9)
    assert places[1][0] == "node2"
