"""The channel of a link: what ends it, what it hides, and its vectors."""

import json
import random
from collections.abc import Callable
from typing import Any

import pytest
import trio
import trio.testing
from noise.connection import Keypair, NoiseConnection
from support import paths
from support.cases import each, ends_in, fails
from support.sampling import seed, times

from p2p_hoity.net import channel, relay_tls
from p2p_hoity.net.channel import (
    KIND,
    MOST_CONTENT,
    SIZES,
    Channel,
    RecordReader,
    RecordWriter,
    accept_channel,
    exchange_key,
    exchange_secret,
    open_channel,
    prologue,
)
from p2p_hoity.net.handshake import Listener, Purpose
from p2p_hoity.net.network_errors import NetError, NobodyError
from p2p_hoity.net.noise import MESSAGE, NAME, TAG, CipherState, NoiseError
from p2p_hoity.net.protocol_versions import Hello, read_hello
from p2p_hoity.net.transport import encode_frame
from protocol.crypto.hashing import Label, digest, framed
from protocol.crypto.identities import Identity, verify_signature
from protocol.wire import peer_frames, signed_messages
from protocol.wire.signed_messages import StepInput

VECTORS: dict[str, Any] = json.loads((paths.VECTORS / "links.json").read_text(encoding="utf-8"))
CONNECTION = VECTORS["connection"]
LISTENER = Identity(bytes.fromhex(CONNECTION["listener"]["seed"]))
OTHER = Identity(bytes([3]) * 32)
SECRET = exchange_secret(LISTENER)


def raw(entry: dict[str, Any], name: str) -> bytes:
    """A value of the vectors."""
    return bytes.fromhex(entry[name])


def once(data: bytes) -> Callable[[int], bytes]:
    """Draw this."""
    return lambda size: data


async def channels() -> tuple[Channel, Channel]:
    """A channel in memory: the dialler's end and the listener's."""
    near, far = trio.testing.memory_stream_pair()
    found = {}

    async def listen() -> None:
        found["far"] = await accept_channel(far, LISTENER.public, SECRET)
        await found["far"].send_all(b"?")

    async with trio.open_nursery() as nursery:
        nursery.start_soon(listen)
        dialled = await open_channel(near, LISTENER.public)
        assert await dialled.receive_some() == b"?"
    assert dialled.handshake_hash == found["far"].handshake_hash
    return dialled, found["far"]


# The vectors.


async def answered(said: bytes) -> Channel:
    """The channel of the vectors' dialler after such an answer."""
    near, far = trio.testing.memory_stream_pair()
    await far.send_all(said)
    await far.send_eof()
    ephemeral = raw(CONNECTION["ephemeral"]["dialler"], "secret")
    found = await open_channel(near, LISTENER.public, once(ephemeral))
    assert await far.receive_some() == raw(CONNECTION, "m1")
    return found


async def dialled_by(said: bytes) -> tuple[Channel, trio.abc.ReceiveStream]:
    """The channel of the vectors' listener after this first message, and what its dialler reads."""
    near, far = trio.testing.memory_stream_pair()
    await near.send_all(said)
    await near.send_eof()
    ephemeral = raw(CONNECTION["ephemeral"]["listener"], "secret")
    try:
        return await accept_channel(far, LISTENER.public, SECRET, once(ephemeral)), near
    except NetError:
        await far.aclose()
        assert await near.receive_some() == b"", "a stranger was answered"
        raise


async def test_a_connection_has_the_bytes_of_the_vectors() -> None:
    assert exchange_secret(LISTENER) == raw(CONNECTION["listener"], "exchange_secret")
    assert exchange_key(LISTENER.public) == raw(CONNECTION["listener"], "exchange_key")
    assert prologue(LISTENER.public) == raw(CONNECTION, "prologue")
    by = {"dialler": b"", "listener": b""}
    for one in CONNECTION["sent"]:
        by[one["by"]] += raw(one, "bytes")
    near = await answered(by["listener"])
    far, stream = await dialled_by(by["dialler"])
    assert near.handshake_hash == far.handshake_hash == raw(CONNECTION, "handshake_hash")
    written = {"dialler": raw(CONNECTION, "m1"), "listener": b""}
    ends = {"dialler": (near, far), "listener": (far, near)}
    for one in CONNECTION["sent"]:
        if one["content"]:
            sender, receiver = ends[one["by"]]
            if one["by"] == "listener":
                await sender.send_all(raw(one, "content"))
                written["listener"] += await stream.receive_some()
            else:
                written["dialler"] += sender._writer.records(raw(one, "content"))
            assert await receiver.receive_some() == raw(one, "content")
    assert written == by
    assert await near.receive_some() == await far.receive_some() == b""


def test_the_proof_inside_the_channel() -> None:
    purpose = Purpose(CONNECTION["purpose"].encode())
    listener = Listener(purpose, LISTENER.public, raw(CONNECTION, "handshake_hash"))
    challenge, answer = raw(CONNECTION, "challenge"), raw(CONNECTION, "answer")
    proven = listener.check(answer, challenge)
    assert (proven.peer, proven.binding) == (
        raw(CONNECTION["dialler"], "id"),
        raw(CONNECTION, "binding"),
    )
    assert challenge[:12] == b"hoity link" + bytes(CONNECTION["versions"])
    assert CONNECTION["version"] == proven.version == answer[0]
    parts = (purpose.value, LISTENER.public, proven.peer, listener.session)
    statement = framed(*parts, challenge, answer[:1] + answer[33:-64])
    assert statement == raw(CONNECTION, "statement")
    assert digest(Label.LINK_BINDING, statement) == proven.binding
    verify_signature(proven.peer, Label.LINK_PROOF, statement, answer[-64:])
    for one in VECTORS["hello"]:
        assert read_hello(raw(one, "encoded")) == Hello(tuple(one["features"]), one["page"])


@pytest.mark.parametrize("one", VECTORS["reject"]["hello"], ids=lambda one: one["name"])
def test_a_hello_that_names_no_server_is_refused(one: dict[str, Any]) -> None:
    """[L-72]"""
    fails(NetError, "hello-of-other-form", read_hello, raw(one, "bytes"))


@pytest.mark.parametrize("one", VECTORS["reject"]["m1"], ids=lambda one: one["name"])
async def test_a_first_message_that_is_none_is_not_answered(one: dict[str, Any]) -> None:
    assert len(raw(one, "bytes")) == len(KIND) + MESSAGE
    await ends_in(NetError, "channel-of-other-kind", dialled_by(raw(one, "bytes")))


@pytest.mark.parametrize("one", VECTORS["reject"]["m2"], ids=lambda one: one["name"])
async def test_an_answer_that_is_none_is_told_in_words(one: dict[str, Any]) -> None:
    said = raw(one, "bytes")
    code = {1: "someone-else-answers", 0x15: "channel-answered-by-tls"}.get(
        said[0], "channel-of-other-kind"
    )
    await ends_in(NobodyError, code, answered(said))


@each(VECTORS["reject"]["id"], lambda one: one["name"])
def test_what_is_no_id_has_no_exchange_key(one: dict[str, Any]) -> None:
    fails(NoiseError, "", exchange_key, raw(one, "bytes"))


def reader_at(number: int) -> RecordReader:
    """A reader that awaits the record of a number."""
    cipher = CipherState(raw(VECTORS["records"], "key"))
    for due in range(channel.REKEY, number + 1, channel.REKEY):
        cipher.n = due
        channel._rekey_if_due(cipher)
    cipher.n = number
    return RecordReader(cipher)


@each(VECTORS["records"]["accept"], lambda one: f"{one['number']}: {len(one['record']) // 2}")
def test_a_record_of_the_vectors_is_read_in_whatever_pieces_it_comes(one: dict[str, Any]) -> None:
    data, reader = raw(one, "record"), reader_at(one["number"])
    for place in range(len(data)):
        assert reader.next_content() is None
        reader.feed(data[place : place + 1])
    assert reader.next_content() == raw(one, "content")
    assert not reader.is_within


@each(VECTORS["reject"]["records"], lambda one: one["name"])
def test_a_record_that_is_none_ends_the_channel(one: dict[str, Any]) -> None:
    reader = reader_at(one["number"])
    reader.feed(raw(one, "record"))
    fails(NoiseError, "", reader.next_content)


# Streams.


async def test_what_is_sent_arrives_in_order_and_records_are_as_small_as_they_can_be() -> None:
    near, far = await channels()
    for size in (1, 62, 63, 639, MOST_CONTENT, MOST_CONTENT + 1, 50_000):
        data, got = random.randbytes(size), b""
        for sender, receiver in ((near, far), (far, near)):
            async with trio.open_nursery() as nursery:
                nursery.start_soon(sender.send_all, data)
                got = b""
                while len(got) < size:
                    chunk = await receiver.receive_some(700)
                    assert 0 < len(chunk) <= 700
                    got += chunk
            assert got == data
    writer = RecordWriter(CipherState(bytes(32)))
    assert [len(writer.records(bytes(size - 2))) - TAG - 2 for size in SIZES] == list(SIZES)
    assert [len(writer.records(bytes(n))) for n in (1, 331)] == [64 + TAG + 2, 640 + TAG + 2]
    assert writer.records(b"") == b""


async def test_an_end_within_a_record_is_none_of_the_stream() -> None:
    near, far = await channels()
    record = far._writer.records(b"said")
    await far._raw.send_all(record[:-1])
    await far._raw.aclose()
    await ends_in(NetError, "connection-ended", near.receive_some())


async def test_the_end_of_the_stream_below_is_the_end() -> None:
    near, far = await channels()
    await far.aclose()
    assert await near.receive_some() == b""
    with pytest.raises(trio.BrokenResourceError):
        await near.send_all(b"gone")


async def test_keys_change_after_so_many_records_on_both_ends(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    near, far = await channels()
    monkeypatch.setattr(channel, "REKEY", 8)
    for number in range(40):
        await near.send_all(bytes([number]))
        assert await far.receive_some() == bytes([number])
        await far.send_all(bytes([number]))
        assert await near.receive_some() == bytes([number])


@pytest.mark.parametrize("said", [b"\x16\x03\x01\x02\x00" + bytes(100), bytes(100), b"GET / HT"])
async def test_a_stranger_is_answered_by_silence(said: bytes) -> None:
    await ends_in(NetError, "", dialled_by(said))


async def test_a_listener_that_closes_without_a_word_is_tried_again() -> None:
    error = await ends_in(NetError, "channel-unanswered", answered(b""))
    assert not error.is_final
    error = await ends_in(NetError, "connection-ended", answered(raw(CONNECTION, "m2")[:-1]))
    assert not error.is_final


async def test_a_first_message_of_another_listener_or_kind_is_for_nobody_else() -> None:
    near, far = trio.testing.memory_stream_pair()
    async with trio.open_nursery() as nursery:

        async def listen() -> None:
            await ends_in(NetError, "", accept_channel(far, OTHER.public, exchange_secret(OTHER)))
            await far.aclose()

        nursery.start_soon(listen)
        await ends_in(NetError, "channel-unanswered", open_channel(near, LISTENER.public))


async def test_who_replays_a_first_message_can_neither_read_nor_send() -> None:
    far, _stream = await dialled_by(raw(CONNECTION, "m1") + raw(CONNECTION["sent"][2], "bytes"))
    # The listener of the vectors draws as it did. Another one draws afresh.
    assert await far.receive_some() == raw(CONNECTION["sent"][2], "content")
    near, far_raw = trio.testing.memory_stream_pair()
    await near.send_all(raw(CONNECTION, "m1") + raw(CONNECTION["sent"][2], "bytes"))
    fresh = await accept_channel(far_raw, LISTENER.public, SECRET)
    assert fresh.handshake_hash != raw(CONNECTION, "handshake_hash")
    await ends_in(NetError, "channel-broken", fresh.receive_some())


async def test_no_change_of_what_is_sent_is_answered_or_passes() -> None:
    """Mutations of first messages, of answers, and of records."""
    draw = random.Random(seed())
    first, second = raw(CONNECTION, "m1"), raw(CONNECTION, "m2")
    record = raw(CONNECTION["sent"][2], "bytes")
    for _ in range(times(150, 10_000)):
        await ends_in(NetError, "", dialled_by(mutated(first, draw)))
        await ends_in(NetError, "", answered(mutated(second, draw)))
        far, _stream = await dialled_by(first + mutated(record, draw))
        try:
            assert await far.receive_some() == b""
        except NetError:
            continue


def mutated(data: bytes, draw: random.Random) -> bytes:
    """Other bytes than these, of which these are not the beginning."""
    while True:
        made = bytearray(data)
        for _ in range(draw.randint(1, 3)):
            place = draw.randrange(len(made) or 1)
            match draw.randrange(4):
                case 0 if made:
                    made[place] ^= 1 << draw.randrange(8)
                case 1:
                    del made[place:]
                case 2:
                    made[place:place] = draw.randbytes(draw.randint(1, 40))
                case _:
                    made[place : place + draw.randint(1, 40)] = b""
        if bytes(made[: len(data)]) != data:
            return bytes(made)


async def test_a_program_of_version_two_is_told_in_words() -> None:
    """Its links have TLS, and OpenSSL closes without an alert on what is none."""
    near, far = trio.testing.memory_stream_pair()
    mine = relay_tls.credentials(OTHER.seed)

    async def listen() -> None:
        with pytest.raises(NetError):
            await relay_tls.secure_from(far, mine)
        await far.aclose()

    async with trio.open_nursery() as nursery:
        nursery.start_soon(listen)
        await ends_in(NetError, "channel-unanswered", open_channel(near, LISTENER.public))
    near, far = trio.testing.memory_stream_pair()

    async def dial() -> None:
        with pytest.raises(NetError):
            await relay_tls.secure_to(near)

    async with trio.open_nursery() as nursery:
        nursery.start_soon(dial)
        await ends_in(
            NetError, "channel-of-other-kind", accept_channel(far, LISTENER.public, SECRET)
        )
        await far.aclose()


def test_a_pass_a_choice_and_what_opens_it_have_one_length() -> None:
    """The bodies are those of SPEC 7.5 and 7.7: nothing, a sealed Place, a sealed exhibit."""
    key, writer, found = Identity(bytes([5]) * 32), RecordWriter(CipherState(bytes(32))), set()
    for body in (1, 43, 51, 102, 144, 200, 298, 331):
        for seat, step in ((0, 1), (5, 2**32)):
            said = StepInput(seat, step, bytes(32), bytes(body))
            message = signed_messages.sign(key, bytes(32), seat, said)
            frame = peer_frames.encode_frame(peer_frames.Carry(message.encode()))
            for count in (b"", bytes(4)):
                found.add(len(writer.records(count + encode_frame(frame))))
    assert found == {2 + 640 + TAG}


# Another implementation at the other end.


def other(role: str) -> NoiseConnection:
    """A side of the other implementation."""
    made = NoiseConnection.from_name(NAME)
    made.set_prologue(prologue(LISTENER.public))
    if role == "dialler":
        made.set_as_initiator()
        made.set_keypair_from_public_bytes(Keypair.REMOTE_STATIC, exchange_key(LISTENER.public))
    else:
        made.set_as_responder()
        made.set_keypair_from_private_bytes(Keypair.STATIC, SECRET)
    made.start_handshake()
    return made


def packed(made: NoiseConnection, content: bytes) -> bytes:
    """A record by the other implementation."""
    plain = len(content).to_bytes(2, "big") + content
    sealed = made.encrypt(plain.ljust(64, b"\0"))
    return len(sealed).to_bytes(2, "big") + sealed


async def converse(
    ours: Channel, stream: trio.abc.Stream, made: NoiseConnection, received: int
) -> None:
    """Exchange records both ways, over two changes of the keys.

    Args:
        received: How many records the other implementation has received so far.
    """
    for number in range(1, 21):
        await stream.send_all(packed(made, bytes([number])))
        if number % channel.REKEY == 0:
            made.rekey_outbound_cipher()
        assert await ours.receive_some() == bytes([number])
        await ours.send_all(b"back")
        record = await stream.receive_some()
        assert made.decrypt(bytes(record[2:])) == b"\0\4back".ljust(64, b"\0")
        if (received + number) % channel.REKEY == 0:
            made.rekey_inbound_cipher()


async def test_another_implementation_dials(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(channel, "REKEY", 8)
    near, far = trio.testing.memory_stream_pair()
    made = other("dialler")
    await near.send_all(KIND + bytes(made.write_message()))
    ours = await accept_channel(far, LISTENER.public, SECRET)
    await ours.send_all(b"challenge")
    said = bytes(await near.receive_some())
    assert said[:1] == KIND
    made.read_message(said[1 : 1 + MESSAGE])
    assert made.decrypt(said[3 + MESSAGE :]) == b"\0\x09challenge".ljust(64, b"\0")
    assert made.get_handshake_hash() == ours.handshake_hash
    await converse(ours, near, made, 1)


async def test_another_implementation_listens(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(channel, "REKEY", 8)
    near, far = trio.testing.memory_stream_pair()
    made, found = other("listener"), []

    async def dial() -> None:
        found.append(await open_channel(near, LISTENER.public))

    async with trio.open_nursery() as nursery:
        nursery.start_soon(dial)
        first = bytes(await far.receive_some())
        made.read_message(first[1:])
        await far.send_all(KIND + bytes(made.write_message()))
    assert made.get_handshake_hash() == found[0].handshake_hash
    await converse(found[0], far, made, 0)
