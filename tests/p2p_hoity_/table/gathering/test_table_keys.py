"""Tests of the keys of a table: what links two games of one player, and what does not ([H-15])."""

import json
import os
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import trio
from support.cases import ends_in, fails
from support.memory_network import MemoryNetwork
from support.player_table import Caller, PlayerTable, hosted, past_round, willing, willing_table
from support.relays import serve_relay
from support.sim.cheap import forget
from vectors.making.tables import edition_of

from cli.commands.options import VerifyOptions
from cli.commands.verify import verify_file
from p2p_hoity.net.hub import Hub, LinkDown, LinkUp
from p2p_hoity.net.network_errors import RefusedError
from p2p_hoity.presentation import screen_updates as updates
from p2p_hoity.storage.kept_vouches import place_of, read_vouches
from p2p_hoity.table.gathering import lobby
from p2p_hoity.table.gathering.table_keys import TableKeys, draw_keys
from p2p_hoity.table.peer_error import PeerError
from p2p_hoity.table.playing.frame_kinds import is_of_game
from protocol import Header, Identity, Invalid, Vouch, codec, fingerprint, transcript, vouches
from protocol.wire import signed_messages
from protocol.wire.signed_messages import StepInput

SOME = pytest.mark.sampled(1)

RELAY = "relay:1"


def header_of(table: PlayerTable) -> Header:
    """Return the header of the first table that the host has played at."""
    header: Header = table.guests[0].heard(updates.Started)[0].table.header
    return header


def long_lived(table: PlayerTable) -> tuple[bytes, ...]:
    """Return the long-lived key of each seat, in the order of the seats."""
    players = {guest.key.public: guest.me.identity.public for guest in table.guests}
    return tuple(players[entry.id] for entry in header_of(table).roster)


async def test_all_seats_are_shown_who_sits_there_and_files_name_nobody(tmp_path: Path) -> None:
    table = PlayerTable(tmp_path, 3)
    await table.play()
    players = long_lived(table)
    for guest in table.guests:
        assert guest.heard(updates.Started)[0].players == players
        file = guest.end.transcript
        assert file is not None
        assert not any(key in file.read_bytes() for key in players)
        kept = place_of(file.parent, header_of(table).table_id)
        assert read_vouches(kept.read_bytes(), header_of(table)) == players


async def test_verify_shows_who_sat_there_and_no_file_of_vouches_spoils_a_verdict(
    pair: PlayerTable, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    await pair.play()
    forget()
    host, guest = pair.guests
    file, folder = host.end.transcript, host.home.transcripts
    assert file is not None
    kept, junk = place_of(folder, header_of(pair).table_id), pair.guests[0].path / "junk"
    junk.write_bytes(b"\x90" * 5_000)
    keys = [fingerprint(key) for key in long_lived(pair)]

    def verified(home: Path, **how: Any) -> tuple[int, list[Any], str]:
        monkeypatch.setenv("HOITY_HOME", str(home))
        code = verify_file(file, VerifyOptions(as_json=True, jobs=1, **how))
        shown = capsys.readouterr()
        found = json.loads(shown.out)
        assert found["verdict"] == "ok"
        assert all(one["table_key"] not in keys for one in found["seats"])
        return code, [one["fingerprint"] for one in found["seats"]], shown.err

    stranger = host.path / "stranger"
    assert verified(host.home.path) == (0, keys, "")
    assert verified(guest.home.path) == (0, keys, "")
    assert verified(stranger) == (0, [None, None], "")
    assert verified(stranger, vouches=kept) == (0, keys, "")
    for bad, words in ((junk, "contains no valid vouches"), (stranger, "cannot be read")):
        code, found, complaint = verified(host.home.path, vouches=bad)
        assert (code, found) == (1, [None, None])
        assert words in complaint
    kept.write_bytes(junk.read_bytes())
    code, found, complaint = verified(host.home.path)
    assert (code, found) == (0, [None, None])
    assert "contains no valid vouches" in complaint


async def test_a_player_may_stay_unknown(tmp_path: Path) -> None:
    table = PlayerTable(tmp_path, 3)
    table.guests[1].options["unknown"] = True
    table.guests[1].keys = draw_keys(None)
    await table.play()
    place = table.guests[1].place
    known = [key for seat, key in enumerate(long_lived(table)) if seat != place]
    for guest in table.guests:
        players = guest.heard(updates.Started)[0].players
        assert players[place] is None
        assert [key for key in players if key is not None] == known


def values(data: bytes) -> set[Any]:
    """Return all strings of a file of eight bytes or more, those inside strings included."""
    found: set[Any] = set()

    def look(value: Any) -> None:
        if isinstance(value, tuple):
            for one in value:
                look(one)
        elif isinstance(value, bytes | str) and len(value) >= 8:
            found.add(value)
            if isinstance(value, bytes):
                try:
                    inner = codec.decode(value, len(value), 16_384)
                except Invalid:
                    return
                look(inner)

    look(codec.decode(data, len(data), 16_384))
    return found


@SOME
async def test_files_of_the_same_people_have_nothing_in_common_but_the_game(tmp_path: Path) -> None:
    files, constants = [], set[Any]()
    for evening in ("one", "two"):
        table = PlayerTable(tmp_path / evening, 3)
        for number, guest in enumerate(table.guests):
            guest.name = f"{evening}{number}"
            seed = bytes([number + 1]) * 32
            guest.me = replace(guest.me, identity=Identity(seed), nickname=guest.name)
            guest.keys = draw_keys(guest.me.identity)
        host = table.guests[0].key.public
        table.terms = replace(table.terms, host=host, nonce=os.urandom(32))
        await table.play()
        files.append(table.transcripts()[0])
        constants |= values(codec.encode(table.terms.game)) | {"p2p-table/3", "hoity-transcript"}
    one, two = map(values, files)
    assert (one & two) - constants == set()
    assert len(one & two & constants) >= 4
    headers = [found for file in files if (found := transcript.header_of(file)) is not None]
    assert len(headers) == 2
    assert not {e.id for e in headers[0].roster} & {e.id for e in headers[1].roster}


@SOME
async def test_another_game_of_the_same_people_keeps_their_keys_and_is_vouched_for_anew(
    tmp_path: Path,
) -> None:
    table = willing_table(tmp_path, 3, lambda number: willing(1))
    await table.play()
    for guest in table.guests:
        first, second = guest.heard(updates.Started)
        assert first.table.ids == second.table.ids
        assert first.players == second.players == long_lived(table)
        folder = guest.home.transcripts
        kept = [place_of(folder, one.table.id).read_bytes() for one in (first, second)]
        assert kept[0] != kept[1]
        assert read_vouches(kept[1], second.table.header) == first.players
        fails(Invalid, "bad-vouch", read_vouches, kept[0], second.table.header)


# Stolen keys and copied homes


@SOME
async def test_the_secret_of_a_table_is_in_its_journal_and_gone_with_it(tmp_path: Path) -> None:
    """A home that is copied after the game can sign nothing for its table."""
    table, during = PlayerTable(tmp_path, 3, thinking=0.5), list[int]()

    def holders(secret: bytes) -> list[Path]:
        files = (path for path in tmp_path.rglob("*") if path.is_file())
        return [path for path in files if secret in path.read_bytes()]

    async def look() -> None:
        await table.wait_for(1, past_round(2))
        for guest in table.guests:
            (holder,) = holders(guest.key.seed)
            assert holder.suffix == ".journal"
            during.append(len(holders(guest.key.seed)))

    await table.play({}, look)
    assert during == [1, 1, 1]
    for guest in table.guests:
        assert guest.end.transcript is not None
        assert holders(guest.key.seed) == []


async def test_a_stolen_long_lived_key_convicts_nobody_at_an_old_table(pair: PlayerTable) -> None:
    await pair.play()
    header, guest = header_of(pair), pair.guests[1]
    seat = guest.place
    said = StepInput(0, 9, bytes(32), b"\xc0")
    ids, read = tuple(entry.id for entry in header.roster), signed_messages.parse
    for thief in (guest.me.identity, pair.guests[0].key):
        forged = signed_messages.sign(thief, header.table_id, seat, said)
        fails(Invalid, "bad-signature", read, forged.encode(), header.table_id, ids)
    true = signed_messages.sign(guest.key, header.table_id, seat, said)
    assert read(true.encode(), header.table_id, ids).seat == seat


@SOME
async def test_one_person_plays_at_two_tables_through_one_relay(tmp_path: Path) -> None:
    """Both seats wait at the relay at once, with one long-lived key."""
    network = MemoryNetwork()
    short = edition_of("small-4")
    tables = [PlayerTable(tmp_path / one, 3, thinking=0.5, edition=short) for one in ("one", "two")]
    person = tables[0].guests[1].me
    async with trio.open_nursery() as nursery:
        await nursery.start(lambda task_status: serve_relay("relay", 1, network=network,
                                                            task_status=task_status))  # fmt: skip
        async with trio.open_nursery() as games:
            for name, table in zip("ab", tables, strict=True):
                table.network, table.relays = network, (RELAY,)
                table.node = lambda number: network
                table.how = lambda number, name=name: {"listen": f"{name}{number}:0"}  # type: ignore[misc]
                table.guests[1].me = replace(person, nickname=table.guests[1].name)
                table.guests[1].keys = draw_keys(person.identity)
                games.start_soon(table.play)
        nursery.cancel_scope.cancel()
    for table in tables:
        assert table.ended_alike()
        assert person.identity.public in table.guests[0].heard(updates.Started)[0].players


async def test_with_one_key_for_both_the_relay_would_have_refused_the_second() -> None:
    network, who = MemoryNetwork(), Identity(b"w" * 32)
    async with trio.open_nursery() as nursery:
        await nursery.start(lambda task_status: serve_relay("relay", 1, network=network,
                                                            task_status=task_status))  # fmt: skip
        hubs = [Hub(who, network=network) for _ in range(2)]
        for hub in hubs:
            await nursery.start(hub.run)
        await hubs[0].listen_via(RELAY)
        with pytest.raises(RefusedError) as caught:
            await hubs[1].listen_via(RELAY)
        assert caught.value.elsewhere
        nursery.cancel_scope.cancel()


# In the lobby


def sits(caller: Caller, table: PlayerTable, keys: TableKeys, name: str) -> tuple[Any, Any]:
    """Let a caller sit down, and return its entry and vouch."""
    entry, vouch = keys.consent(table.terms, name)
    caller.say(lobby.Sit(entry.value(), (), vouch))
    return entry, vouch


async def asked(table: PlayerTable, call: Any, keys: TableKeys) -> Caller:
    """Return a caller that has read the offer."""
    caller: Caller = await call(keys.seat)
    await caller.next(LinkUp)
    caller.say(lobby.Ask(caller.proof(table.ticket)))
    offer = await caller.next(lobby.Offer)
    assert offer.vouch is not None
    assert offer.vouch.id == table.guests[0].me.identity.public
    return caller


async def until_named(caller: Caller, *names: str) -> None:
    """Wait until the host names these nicknames."""
    while (await caller.next(lobby.SeatedNames)).names != names:
        pass


async def test_a_player_that_lost_its_first_link_takes_its_seat_with_a_new_key(
    three: PlayerTable,
) -> None:
    player = Identity(b"p" * 32)
    async with hosted(three) as call:
        first, second = draw_keys(player), draw_keys(player)
        one = await asked(three, call, first)
        sits(one, three, first, "Bob")
        await until_named(one, "P0", "Bob")
        other = await asked(three, call, second)
        sits(other, three, second, "Rob")
        await until_named(other, "P0", "Rob")
        assert (await one.next(lobby.Refuse)).reason is lobby.Refusal.REPLACED


async def test_nobody_takes_a_seat_by_the_vouch_of_another(three: PlayerTable) -> None:
    async with hosted(three) as call:
        keys = draw_keys(Identity(b"p" * 32))
        one = await asked(three, call, keys)
        _, vouch = sits(one, three, keys, "Bob")
        await until_named(one, "P0", "Bob")
        thief = draw_keys(Identity(b"t" * 32))
        for replayed in (vouch, None):
            other = await asked(three, call, thief)
            entry, own = thief.consent(three.terms, "Bob")
            if replayed is None:
                other.say(lobby.Sit(entry.value(), (), own))
                assert (await other.next(lobby.Refuse)).reason is lobby.Refusal.NAME
            else:
                other.say(lobby.Sit(entry.value(), (), replayed))
                await other.next(LinkDown)


async def test_the_hosts_own_ticket_is_told(pair: PlayerTable) -> None:
    host, guest = pair.guests
    guest.me = replace(host.me, nickname="Other")
    guest.keys = draw_keys(guest.me.identity)
    async with hosted(pair):
        await ends_in(PeerError, "own-ticket", pair.join(1))


def changed(frame: Any, how: str, player: Identity) -> Any:
    """Return a roster or an offer of a host that lies about vouches or addresses."""
    if how == "another in the roster" and isinstance(frame, lobby.Roster):
        return replace(frame, vouches=(None, *frame.vouches[1:]))
    if how == "the guest's left out" and isinstance(frame, lobby.Roster):
        return replace(frame, vouches=(frame.vouches[0], None))
    if how == "too few addresses" and isinstance(frame, lobby.Roster):
        return replace(frame, addresses=frame.addresses[:1])
    if how == "too few" and isinstance(frame, lobby.Roster):
        return replace(frame, vouches=frame.vouches[:1])
    if how == "forged in the roster" and isinstance(frame, lobby.Roster):
        forged = Vouch(player.public, bytes(32), bytes(64))
        return replace(frame, vouches=(forged, frame.vouches[1]))
    if how == "forged in the offer" and isinstance(frame, lobby.Offer):
        return replace(frame, vouch=Vouch(player.public, bytes(32), bytes(64)))
    if how == "replayed in the offer" and isinstance(frame, lobby.Offer):
        other = replace(frame.terms, nonce=bytes(32))
        made = vouches.vouched_entry(other, player, player, "x", bytes(32))[1]
        return replace(frame, vouch=made)
    return frame


@pytest.mark.parametrize(
    ("how", "code"),
    [
        ("another in the roster", "host-shows-another-key"),
        ("the guest's left out", "own-vouch-missing"),
        ("too few", "bad-roster"),
        ("too few addresses", "bad-roster"),
        ("forged in the roster", "bad-roster"),
        ("forged in the offer", "host-vouch-invalid"),
        ("replayed in the offer", "host-vouch-invalid"),
    ],
)
async def test_a_guest_leaves_a_host_that_lies_about_vouches(
    pair: PlayerTable, monkeypatch: pytest.MonkeyPatch, how: str, code: str
) -> None:
    post, host = Hub.post, pair.guests[0].key.public

    def lying(hub: Hub, peer: bytes, data: bytes, once: bool = False) -> bool:
        if hub.me == host and not is_of_game(data):
            frame = changed(lobby.parse_lobby(data), how, Identity(b"f" * 32))
            data = lobby.encode_lobby(frame)
        return post(hub, peer, data, once)

    monkeypatch.setattr(Hub, "post", lying)
    async with hosted(pair):
        await ends_in(PeerError, code, pair.join(1))
    assert not pair.guests[1].heard(updates.Started)


async def test_terms_with_an_option_that_is_not_known_are_not_signed(pair: PlayerTable) -> None:
    for number, option in enumerate(((3, None), (1, True))):
        table = pair if number == 0 else PlayerTable(pair.guests[0].path / "other", 2)
        table.terms = replace(table.terms, options=(option,))
        async with hosted(table):
            await ends_in(PeerError, "unplayable-terms", table.join(1))
