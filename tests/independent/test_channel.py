"""The outsider's channel against `links.json`."""

import json
from pathlib import Path
from typing import Any

import pytest

from independent import channel
from independent.channel import Refused

VECTORS = Path(__file__).parent.parent / "vectors"
LINKS: dict[str, Any] = json.loads((VECTORS / "links.json").read_text("utf-8"))
CONNECTION = LINKS["connection"]
LISTENER = bytes.fromhex(CONNECTION["listener"]["id"])
SEED = bytes.fromhex(CONNECTION["listener"]["seed"])
KEY = bytes.fromhex(LINKS["records"]["key"])


def raw(entry: dict[str, Any], *names: str) -> bytes:
    """A value of the vectors."""
    for name in names[:-1]:
        entry = entry[name]
    return bytes.fromhex(entry[names[-1]])


def both_messages() -> tuple[channel.Progress, channel.Progress]:
    """What both sides have after each message, which come out as they were sent."""
    dialler, listener = (
        raw(CONNECTION, "ephemeral", side, "secret") for side in ("dialler", "listener")
    )
    e, other = (raw(CONNECTION, "ephemeral", side, "public") for side in ("dialler", "listener"))
    key = channel.exchange_key(LISTENER)
    m1, first = channel.begin(LISTENER).made(e, channel.exchange(dialler, key))
    assert m1 == raw(CONNECTION, "m1")
    m2, second = first.made(other, channel.exchange(listener, e))
    assert m2 == raw(CONNECTION, "m2")
    secret = channel.exchange_secret(SEED)
    assert channel.begin(LISTENER).read(m1, channel.exchange(secret, channel.key_in(m1))) == first
    assert first.read(m2, channel.exchange(dialler, channel.key_in(m2))) == second
    return first, second


def test_all_bytes_of_a_connection() -> None:
    """The keys, the two messages, the records and the proof come out the same."""
    assert channel.exchange_secret(SEED) == raw(CONNECTION, "listener", "exchange_secret")
    assert channel.exchange_key(LISTENER) == raw(CONNECTION, "listener", "exchange_key")
    assert channel.prologue(LISTENER) == raw(CONNECTION, "prologue")
    _, progress = both_messages()
    assert progress.h == raw(CONNECTION, "handshake_hash")
    keys = dict(zip(("dialler", "listener"), progress.keys(), strict=True))
    numbers, heads = (
        dict.fromkeys(keys, 0),
        [raw(CONNECTION, "m1"), raw(CONNECTION, "m2"), b"", b""],
    )
    for head, one in zip(heads, CONNECTION["sent"], strict=True):
        content, number = raw(one, "content"), numbers[one["by"]]
        assert head + channel.records(keys[one["by"]], number, content) == raw(one, "bytes")
        numbers[one["by"]] += bool(content)
    challenge, answer = raw(CONNECTION, "challenge"), raw(CONNECTION, "answer")
    signed = channel.statement(b"link", LISTENER, progress.h, challenge, answer)
    assert signed == raw(CONNECTION, "statement")
    assert channel.proves(LISTENER, challenge, answer, signed)
    assert not channel.proves(LISTENER, challenge, answer, signed + b"\0")
    assert channel.binding(signed) == raw(CONNECTION, "binding")


def test_records() -> None:
    """Records of all sizes, also after changes of the key."""
    for one in LINKS["records"]["accept"]:
        record, content = raw(one, "record"), raw(one, "content")
        assert channel.records(KEY, one["number"], content) == record
        assert channel.content_of(KEY, one["number"], record) == content


@pytest.mark.parametrize("one", LINKS["reject"]["m1"], ids=lambda one: one["name"])
def test_first_messages_that_are_none(one: dict[str, Any]) -> None:
    """Each is refused by the listener."""
    secret = channel.exchange_secret(SEED)
    with pytest.raises(Refused):
        read_by(channel.begin(LISTENER), raw(one, "bytes"), secret)


@pytest.mark.parametrize("one", LINKS["reject"]["m2"], ids=lambda one: one["name"])
def test_answers_that_are_none(one: dict[str, Any]) -> None:
    """Each is refused by the dialler."""
    first, _ = both_messages()
    with pytest.raises(Refused):
        read_by(first, raw(one, "bytes"), raw(CONNECTION, "ephemeral", "dialler", "secret"))


def read_by(progress: channel.Progress, message: bytes, secret: bytes) -> None:
    """Read a message with a secret key."""
    progress.read(message, channel.exchange(secret, channel.key_in(message)))


def test_ids_that_are_none() -> None:
    """None has an X25519 key."""
    for one in LINKS["reject"]["id"]:
        with pytest.raises(Refused):
            channel.exchange_key(raw(one, "bytes"))


@pytest.mark.parametrize("one", LINKS["reject"]["records"], ids=lambda one: one["name"])
def test_records_that_are_none(one: dict[str, Any]) -> None:
    """Each is refused in its place."""
    with pytest.raises(Refused):
        channel.content_of(KEY, one["number"], raw(one, "record"))


def test_hellos() -> None:
    """What both sides name comes out as it was put in, and everything else is refused."""
    for one in LINKS["hello"]:
        assert channel.hello(raw(one, "encoded")) == (one["features"], one["page"])
    for one in LINKS["reject"]["hello"]:
        with pytest.raises(Refused):
            channel.hello(raw(one, "bytes"))
