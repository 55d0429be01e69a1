"""Tests of the proof of an id: worth something once, to one listener, for one purpose."""

import secrets
from functools import partial

import pytest
import trio
import trio.testing
from hypothesis import given
from hypothesis import strategies as st
from support.cases import each, ends_in, fails

from p2p_hoity.net.handshake import (
    ANSWER,
    Listener,
    Purpose,
    agreed,
    ask,
    expect_welcome,
    prove,
    receive,
    send,
)
from p2p_hoity.net.handshake_codes import Verdict
from p2p_hoity.net.network_errors import MisfitError, NetError, NobodyError
from p2p_hoity.net.protocol_versions import (
    GREETING_2,
    LINK_VERSIONS,
    MAX_HELLO,
    MOST_FEATURES,
    RELAY_VERSIONS,
    Hello,
    Speech,
    Versions,
    read_hello,
)
from p2p_hoity.net.transport import encode_frame
from protocol.crypto.identities import Identity
from protocol.wire import codec

DIALLER = Identity(bytes([1]) * 32)
LISTENER = Identity(bytes([2]) * 32)
OTHER = Identity(bytes([3]) * 32)
SESSION = bytes([7]) * 64
HERE, THERE = bytes([8]) * 16, bytes([9]) * 16
RANGE = LINK_VERSIONS.challenge(HERE)[:12]
CHALLENGE = RANGE + bytes(32) + HERE
SERVED = [Listener(p, LISTENER.public, SESSION) for p in (Purpose.LINK, Purpose.PUNCH)]


def answer_to(challenge, *, by=DIALLER, listener=LISTENER, session=SESSION):
    return Listener(Purpose.LINK, listener.public, session).answer(by, THERE, challenge)


def check(data, challenge=CHALLENGE, *, purpose=Purpose.LINK, session=SESSION):
    return Listener(purpose, LISTENER.public, session).check(data, challenge).peer


def test_an_honest_answer_proves_the_diallers_id_once_and_makes_one_binding():
    listener = Listener(Purpose.LINK, LISTENER.public, SESSION)
    data = answer_to(CHALLENGE)
    at_listener, at_dialler = listener.check(data, CHALLENGE), listener.answered(data, CHALLENGE)
    assert (at_listener.instance, at_dialler.instance) == (THERE, HERE)
    assert at_listener.binding == at_dialler.binding
    assert len(at_listener.binding) == 32
    assert at_listener.binding.hex() not in repr(at_listener)
    assert check(answer_to(CHALLENGE)) == DIALLER.public
    fails(
        NetError, "answer-without-proof", check, answer_to(CHALLENGE), LINK_VERSIONS.challenge(HERE)
    )
    assert len({LINK_VERSIONS.challenge(HERE) for _ in range(100)}) == 100


@pytest.mark.parametrize(
    "other",
    [
        (Purpose.RELAY, LISTENER.public, SESSION, CHALLENGE),
        (Purpose.LINK, OTHER.public, SESSION, CHALLENGE),
        (Purpose.LINK, LISTENER.public, bytes(32), CHALLENGE),
        (Purpose.LINK, LISTENER.public, SESSION, RANGE + bytes([1]) * 32 + HERE),
        (Purpose.LINK, LISTENER.public, SESSION, RANGE + bytes(32) + THERE),
        (Purpose.LINK, LISTENER.public, SESSION, RANGE[:-1] + b"\x09" + CHALLENGE[12:]),
    ],
    ids=["purpose", "listener", "session", "nonce", "instance", "versions"],
)
def test_no_other_link_has_the_same_binding(other):
    data = answer_to(CHALLENGE)
    one = Listener(Purpose.LINK, LISTENER.public, SESSION).answered(data, CHALLENGE)
    assert Listener(*other[:3]).answered(data, other[3]).binding != one.binding
    again = Listener(Purpose.LINK, LISTENER.public, SESSION)
    assert again.answered(answer_to(CHALLENGE), CHALLENGE).binding != one.binding


def test_an_answer_is_for_one_listener_session_and_purpose_and_of_its_signer():
    fails(NetError, "answer-without-proof", check, answer_to(CHALLENGE, listener=OTHER))
    data = answer_to(CHALLENGE)
    fails(NetError, "answer-without-proof", check, data, session=bytes(32))
    fails(NetError, "answer-without-proof", check, data, purpose=Purpose.RELAY)
    data = RANGE[-1:] + DIALLER.public + answer_to(CHALLENGE, by=OTHER)[33:]
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
    relay = RELAY_VERSIONS.challenge(HERE)
    for challenge in (b"", RANGE, relay, CHALLENGE[:-1], CHALLENGE + b"x", b"H" + CHALLENGE[1:]):
        fails(NobodyError, "handshake-of-other-kind", answer_to, challenge)
    for lowest, highest in ((0, 7), (8, 7), (7, 32), (0, 0), (7, 255)):
        challenge = RANGE[:-2] + bytes([lowest, highest]) + CHALLENGE[12:]
        fails(NobodyError, "handshake-of-other-kind", answer_to, challenge)
    for digit in b"36":
        old = GREETING_2 + bytes([digit]) + CHALLENGE[12:]
        assert len(old) == len(CHALLENGE)
        fails(NobodyError, "handshake-of-version-two", answer_to, old)


def spoken(lowest, highest):
    return Versions(LINK_VERSIONS.greeting, lowest, highest)


@pytest.mark.parametrize(
    ("ours", "theirs", "taken"),
    [
        ((7, 7), (7, 7), 7),
        ((7, 9), (7, 7), 7),
        ((7, 7), (7, 9), 7),
        ((7, 9), (8, 12), 9),
        ((9, 12), (7, 10), 10),
        ((7, 12), (9, 10), 10),
        ((1, 31), (1, 31), 31),
    ],
)
def test_the_highest_version_that_both_speak_is_taken(ours, theirs, taken):
    """[L-71]"""
    challenge = spoken(*theirs).challenge(HERE)
    dialler, listener = (
        Listener(Purpose.LINK, LISTENER.public, SESSION, spoken(*one)) for one in (ours, theirs)
    )
    data = dialler.answer(DIALLER, THERE, challenge)
    ends = listener.check(data, challenge), dialler.answered(data, challenge)
    assert [one.version for one in ends] == [taken, taken]
    assert ends[0].binding == ends[1].binding


@pytest.mark.parametrize(("ours", "theirs"), [((7, 7), (8, 8)), ((8, 9), (6, 7)), ((1, 6), (7, 9))])
def test_without_a_common_version_there_is_no_answer_and_both_ranges_are_told(ours, theirs):
    """[L-71]"""
    dialler = Listener(Purpose.LINK, LISTENER.public, SESSION, spoken(*ours))
    challenge = spoken(*theirs).challenge(HERE)
    caught = fails(
        NobodyError, "handshake-without-common-version", dialler.answer, DIALLER, THERE, challenge
    )
    assert caught.fields == {"theirs": str(spoken(*theirs)), "ours": str(spoken(*ours))}


def test_nobody_between_the_two_can_have_them_take_a_lower_version():
    """[L-71]: the signature covers the range that was offered, and the version that was taken."""
    both = Listener(Purpose.LINK, LISTENER.public, SESSION, spoken(7, 9))
    challenge = spoken(7, 9).challenge(HERE)
    lowered = challenge[:11] + b"\x07" + challenge[12:]
    data = both.answer(DIALLER, THERE, lowered)
    assert data[0] == 7
    fails(NetError, "answer-without-proof", both.check, data, challenge)
    data = both.answer(DIALLER, THERE, challenge)
    assert data[0] == 9
    for version in (7, 8, 10, 0):
        fails(NetError, "answer-without-proof", both.check, bytes([version]) + data[1:], challenge)


@pytest.mark.parametrize("version", [0, 6, 8, 255])
def test_a_version_that_was_not_offered_is_not_taken_though_it_is_signed(version):
    """[L-71]"""

    class Bold(Versions):
        def take(self, challenge):
            return version

    bold = Bold(LINK_VERSIONS.greeting, 7, 7)
    dialler = Listener(Purpose.LINK, LISTENER.public, SESSION, bold)
    data = dialler.answer(DIALLER, THERE, CHALLENGE)
    fails(NetError, "answer-of-other-version", check, data)


SERVERS = st.none() | st.from_regex(
    r"([a-z0-9_.-]{1,253}|\[[0-9a-f:.]{2,45}\])(:[1-9][0-9]{0,4})?", fullmatch=True
)


@given(
    st.frozensets(st.integers(0, 65_535), max_size=MOST_FEATURES),
    SERVERS,
    st.binary(max_size=520),
)
def test_a_hello_is_read_back_and_any_other_bytes_are_none(features, page, data):
    """[L-72]"""
    hello = Speech(features=features, page=page).hello()
    assert read_hello(hello) == Hello(tuple(sorted(features)), page)
    assert len(hello) <= MAX_HELLO
    try:
        found = read_hello(data)
    except NetError:
        return
    assert Speech(features=frozenset(found.features), page=found.page).hello() == data


@each(
    [
        ("hello",),
        ("hello", ()),
        ("hello", (), ()),
        ("hello", (), None, None),
        ("hello", (2, 1), None),
        ("hello", (1, 1), None),
        ("hello", (65_536,), None),
        ("hello", (True,), None),
        ("hello", ("1",), None),
        ("hello", tuple(range(65)), None),
        ("hello", (), ""),
        ("hello", (), "Relay.example"),
        ("hallo", (), None),
        (0, (), None),
        (),
    ]
)
def test_what_is_no_hello_is_refused(value):
    """[L-72]"""
    fails(NetError, "hello-of-other-form", read_hello, codec.encode(value))


@pytest.mark.parametrize(
    ("ours", "theirs", "code"),
    [
        ({}, {}, None),
        ({}, {1, 3, 65_535}, None),
        ({1}, {}, None),
        ({1, 2}, {2, 3}, None),
        ({}, {2}, "feature-unknown number=2"),
        ({1}, {1, 3, 6, 8}, "feature-unknown number=6"),
        ({2}, {}, "feature-lacked number=2"),
        ({2, 4}, {0, 2}, "feature-unknown number=0"),
        ({0, 2}, {2}, "feature-lacked number=0"),
    ],
)
async def test_an_even_feature_is_needed_on_both_sides_and_an_odd_one_on_none(ours, theirs, code):
    """[L-73]"""
    near, far = trio.testing.memory_stream_pair()
    await send(far, Speech(features=frozenset(theirs)).hello())
    proven = check_proven()
    speech = Speech(features=frozenset(ours))
    if code is not None:
        await ends_in(MisfitError, code, agreed(near, proven, speech))
    else:
        assert (await agreed(near, proven, speech)).features == set(theirs)


def check_proven():
    listener = Listener(Purpose.LINK, LISTENER.public, SESSION)
    return listener.check(answer_to(CHALLENGE), CHALLENGE)


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
    known = Listener(Purpose.LINK, listener.public, SESSION)
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
async def test_only_a_welcome_is_one_and_an_unknown_verdict_is_told_by_its_number(said):
    near, far = trio.testing.memory_stream_pair()
    await far.send_all(encode_frame(said))
    code = "verdict-unknown-to-us number=99" if said == b"\x63" else r"^(no-)?verdict"
    await ends_in(NetError, code, expect_welcome(near))


@pytest.mark.parametrize("purpose", list(Purpose))
async def test_what_a_dialler_came_for_is_what_it_signed(purpose):
    near, far = trio.testing.memory_stream_pair()
    listener = Listener(purpose, LISTENER.public, SESSION)

    async def dial():
        challenge = await receive(near)
        await send(near, listener.answer(DIALLER, THERE, challenge))

    async with trio.open_nursery() as nursery:
        nursery.start_soon(dial)
        if purpose in (Purpose.RELAY, Purpose.RELAY_WEB):
            await ends_in(NetError, "answer-without-proof", ask(far, SERVED, HERE))
        else:
            assert (await ask(far, SERVED, HERE))[1] is purpose
