"""The proof of an id: worth something once, to one listener, for one purpose."""

import secrets
from functools import partial

import pytest
import trio
import trio.testing
from hypothesis import given
from hypothesis import strategies as st
from support.cases import ends_in, fails

from p2p_hoity.net.network_errors import NetError
from p2p_hoity.net.secure_channel import (
    ANSWER,
    MAGIC,
    Listener,
    Purpose,
    Verdict,
    ask,
    expect_welcome,
    fresh_challenge,
    prove,
    receive,
    send,
)
from p2p_hoity.net.transport import encode_frame
from protocol.crypto.identities import Identity

DIALLER = Identity(bytes([1]) * 32)
LISTENER = Identity(bytes([2]) * 32)
OTHER = Identity(bytes([3]) * 32)
CERTIFICATE = bytes([7]) * 32
HERE, THERE = bytes([8]) * 16, bytes([9]) * 16
CHALLENGE = MAGIC + bytes(32) + HERE
SERVED = [Listener(p, LISTENER.public, CERTIFICATE) for p in (Purpose.LINK, Purpose.PUNCH)]


def answer_to(challenge, *, by=DIALLER, listener=LISTENER, certificate=CERTIFICATE):
    return Listener(Purpose.LINK, listener.public, certificate).answer(by, THERE, challenge)


def check(data, challenge=CHALLENGE, *, purpose=Purpose.LINK, certificate=CERTIFICATE):
    return Listener(purpose, LISTENER.public, certificate).check(data, challenge).peer


def test_an_honest_answer_proves_the_diallers_id_once_and_makes_one_binding():
    listener = Listener(Purpose.LINK, LISTENER.public, CERTIFICATE)
    data = answer_to(CHALLENGE)
    at_listener, at_dialler = listener.check(data, CHALLENGE), listener.answered(data, CHALLENGE)
    assert (at_listener.instance, at_dialler.instance) == (THERE, HERE)
    assert at_listener.binding == at_dialler.binding
    assert at_listener.binding.hex() not in repr(at_listener)
    assert check(answer_to(CHALLENGE)) == DIALLER.public
    fails(NetError, "answer-without-proof", check, answer_to(CHALLENGE), fresh_challenge(HERE))
    assert len({fresh_challenge(HERE) for _ in range(100)}) == 100


@pytest.mark.parametrize(
    "other",
    [
        (Purpose.RELAY, LISTENER.public, CERTIFICATE, CHALLENGE),
        (Purpose.LINK, OTHER.public, CERTIFICATE, CHALLENGE),
        (Purpose.LINK, LISTENER.public, bytes(32), CHALLENGE),
        (Purpose.LINK, LISTENER.public, CERTIFICATE, MAGIC + bytes([1]) * 32 + HERE),
        (Purpose.LINK, LISTENER.public, CERTIFICATE, MAGIC + bytes(32) + THERE),
    ],
    ids=["purpose", "listener", "certificate", "nonce", "instance"],
)
def test_no_other_link_has_the_same_binding(other):
    data = answer_to(CHALLENGE)
    one = Listener(Purpose.LINK, LISTENER.public, CERTIFICATE).answered(data, CHALLENGE)
    assert Listener(*other[:3]).answered(data, other[3]).binding != one.binding
    again = Listener(Purpose.LINK, LISTENER.public, CERTIFICATE)
    assert again.answered(answer_to(CHALLENGE), CHALLENGE).binding != one.binding


def test_an_answer_is_for_one_listener_certificate_and_purpose_and_of_its_signer():
    fails(NetError, "answer-without-proof", check, answer_to(CHALLENGE, listener=OTHER))
    data = answer_to(CHALLENGE)
    fails(NetError, "answer-without-proof", check, data, certificate=bytes(32))
    fails(NetError, "answer-without-proof", check, data, purpose=Purpose.RELAY)
    data = DIALLER.public + answer_to(CHALLENGE, by=OTHER)[32:]
    fails(NetError, "answer-without-proof", check, data)
    fails(NetError, "answer-by-ourselves", check, answer_to(CHALLENGE, by=LISTENER))


@given(
    st.binary(max_size=200) | st.binary(min_size=ANSWER, max_size=ANSWER),
    st.integers(0, ANSWER * 8 - 1),
)
def test_no_other_bytes_prove_anything_and_every_bit_counts(data, bit):
    fails(NetError, "", check, data)
    number = int.from_bytes(answer_to(CHALLENGE), "big") ^ 1 << bit
    fails(NetError, "", check, number.to_bytes(ANSWER, "big"))


def test_only_our_own_challenges_are_signed():
    for challenge in (b"", MAGIC, b"hoity link 3" + bytes(48), CHALLENGE[:-1], CHALLENGE + b"x"):
        fails(NetError, "handshake-of-other-version", answer_to, challenge)


async def introduce(listening, dialling):
    """Run both sides over memory; returns what each ended with, a value or a NetError."""
    near, far = trio.testing.memory_stream_pair()
    ends = {}

    async def run(name, side, stream):
        try:
            ends[name] = await side(stream)
        except NetError as error:
            ends[name] = error

    async with trio.open_nursery() as nursery:
        nursery.start_soon(run, "listener", listening, far)
        nursery.start_soon(run, "dialler", dialling, near)
    return ends


async def listening(stream):
    proven, _ = await ask(stream, SERVED, HERE)
    await stream.send_all(encode_frame(Verdict.WELCOME.encode()))
    return proven


async def dialling(stream, listener=LISTENER):
    known = Listener(Purpose.LINK, listener.public, CERTIFICATE)
    return await prove(stream, known, DIALLER, THERE)


async def test_both_sides_end_well_or_are_told_and_no_long_frame_is_taken():
    ends = await introduce(listening, dialling)
    assert ends["listener"].peer == DIALLER.public
    assert ends["listener"].binding == ends["dialler"].binding
    assert (ends["listener"].instance, ends["dialler"].instance) == (THERE, HERE)
    ends = await introduce(listening, partial(dialling, listener=OTHER))
    assert str(ends["listener"]) == "answer-without-proof"
    assert str(ends["dialler"]) == "verdict-not-proven"
    near, far = trio.testing.memory_stream_pair()
    await far.send_all(encode_frame(secrets.token_bytes(257)))
    await ends_in(NetError, "frame-too-large length=257", expect_welcome(near))


@pytest.mark.parametrize("said", [b"\x63", b"", b"\0\0", *(v.encode() for v in Verdict if v)])
async def test_only_a_welcome_is_one(said):
    near, far = trio.testing.memory_stream_pair()
    await far.send_all(encode_frame(said))
    await ends_in(NetError, r"^(no-)?verdict", expect_welcome(near))


@pytest.mark.parametrize("purpose", list(Purpose))
async def test_what_a_dialler_came_for_is_what_it_signed(purpose):
    near, far = trio.testing.memory_stream_pair()
    listener = Listener(purpose, LISTENER.public, CERTIFICATE)

    async def dial():
        challenge = await receive(near)
        await send(near, listener.answer(DIALLER, THERE, challenge))

    async with trio.open_nursery() as nursery:
        nursery.start_soon(dial)
        if purpose is Purpose.RELAY:
            await ends_in(NetError, "answer-without-proof", ask(far, SERVED, HERE))
        else:
            assert (await ask(far, SERVED, HERE))[1] is purpose
