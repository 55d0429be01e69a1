"""What a message names is looked up once, asked for if it is missing, and read again then."""

from collections.abc import Callable

import pytest
from support.cases import fails
from support.models.epochs import Model

from protocol.chain.chain_state import Node
from protocol.consensus.message_lookup import BaseKey, Lack, Malformed, References, Unknown
from protocol.wire.signed_messages import Message

FIRST, SECOND = (b"1" * 32, False), (b"2" * 32, True)
"""The keys of two readings."""


class Stored(References):
    """A look-up of what a test stores. It notes what is asked for and counted."""

    def __init__(self, start: Node | None = None) -> None:
        super().__init__(start)
        self.messages: dict[bytes, Message] = {}
        self.bases: dict[BaseKey, Node] = {}
        self.asked: list[Lack] = []
        self.counted = 0

    def find(self, digest: bytes) -> Message | None:
        return self.messages.get(digest)

    def find_base(self, key: BaseKey) -> Node | None:
        return self.bases.get(key)

    def ask(self, lack: Lack) -> None:
        self.asked.append(lack)

    def count(self, lookups: int) -> None:
        self.counted += lookups


@pytest.fixture
def one(model: Model) -> Message:
    """Return any message."""
    return model.step_input(model.base, 0, b"a")


def test_a_message_that_is_not_stored_is_unknown_and_asked_for_unless_asking_is_suspended(
    one: Message,
) -> None:
    source = Stored()
    error = fails(Unknown, one.hash.hex(), source.message, one.hash)
    assert error.lack == one.hash
    with source.quiet():
        fails(Unknown, "", source.message, one.hash)
        with pytest.raises(ValueError, match="broken off"), source.quiet():
            raise ValueError("broken off")
    assert source.asked == [one.hash]
    source.messages[one.hash] = one
    assert source.message(one.hash) is one
    assert source.asked == [one.hash]


def test_the_base_of_epoch_0_needs_no_digest_and_no_asking(model: Model) -> None:
    assert fails(Unknown, "has not begun", Stored().base, 0, None).lack is None
    source = Stored(model.base)
    assert source.base(0, None) is source.base(0, b"d") is source.base(3, None) is model.base
    assert fails(Unknown, "base of epoch 2", source.base, 2, b"d").lack == (2, b"d")
    assert source.asked == [(2, b"d")]
    source.bases[2, b"d"] = model.end()
    assert source.base(2, b"d") is source.bases[2, b"d"]


def test_a_reading_is_done_once_whatever_came_of_it() -> None:
    source, made = Stored(), list[str]()

    def make() -> str:
        made.append("read")
        return "found"

    def break_form() -> str:
        made.append("broken")
        raise Malformed("of no form")

    assert source.once(FIRST, make) == source.once(FIRST, make) == "found"
    for _ in range(2):
        fails(Malformed, "of no form", source.once, SECOND, break_form)
    assert made == ["read", "broken"]
    assert source.is_read(FIRST)
    assert source.is_read(SECOND)
    assert not source.is_read((FIRST[0], True))


def reader(source: Stored, read: list[bytes], *digests: bytes) -> Callable[[], list[Message]]:
    """Return a reading that looks up these messages, and notes that it was begun."""

    def make() -> list[Message]:
        read.append(digests[0])
        return [source.message(digest) for digest in digests]

    return make


def test_a_reading_is_repeated_only_when_what_it_lacked_is_stored(
    model: Model, one: Message
) -> None:
    source, read = Stored(), list[bytes]()
    two = model.step_input(model.base, 1, b"a")
    make = reader(source, read, one.hash, two.hash)
    for _ in range(3):
        fails(Unknown, "", source.once, FIRST, make)
    assert len(read) == 1
    source.messages[two.hash] = two
    fails(Unknown, "", source.once, FIRST, make)
    assert len(read) == 1, "the first message is still missing"
    source.messages[one.hash] = one
    assert source.once(FIRST, make) == [one, two]
    assert len(read) == 2


def test_a_try_that_asked_nobody_keeps_no_later_one_from_asking(one: Message) -> None:
    source, read = Stored(), list[bytes]()
    make = reader(source, read, one.hash)
    with source.quiet():
        fails(Unknown, "", source.once, FIRST, make)
    assert source.asked == []
    fails(Unknown, "", source.once, FIRST, make)
    assert len(read) == 2
    assert source.asked == [one.hash]


def test_a_reading_that_waits_for_a_base_is_repeated_with_the_base(model: Model) -> None:
    source, read = Stored(), list[str]()

    def make() -> Node:
        read.append("read")
        return source.base(1, b"d")

    for _ in range(2):
        fails(Unknown, "", source.once, FIRST, make)
    source.bases[1, b"d"] = model.base
    assert source.once(FIRST, make) is model.base
    assert len(read) == 2


def test_a_repeated_reading_counts_like_the_first(one: Message) -> None:
    source = Stored()
    source.messages[one.hash] = one
    make = reader(source, [], one.hash)
    for times in (1, 2, 3):
        source.once(FIRST, make)
        assert source.counted == times


def test_what_a_base_was_computed_from_is_found_through_all_readings(
    model: Model, one: Message
) -> None:
    """The new-epoch message of epoch 2 read a promise, and that one a base of epoch 1."""
    source = Stored()
    two, three = (model.step_input(model.base, seat, b"a") for seat in (1, 2))
    source.messages = {message.hash: message for message in (one, two, three)}
    source.bases = {(1, b"d"): model.base, (1, b"unused"): model.base}
    proposals = {(1, b"d"): b"p1", (2, b"e"): b"p2"}

    def promise() -> None:
        source.message(two.hash)
        source.base(1, b"d")

    def proposal() -> None:
        source.message(one.hash)
        source.once((b"promise", False), promise)

    source.once((b"p1", False), lambda: source.message(three.hash))
    source.once((b"p2", False), proposal)
    bases, used = source.needed((2, b"e"), proposals.__getitem__)
    assert bases == {(1, b"d"), (2, b"e")}
    assert used == {one.hash, two.hash, three.hash}
    assert source.needed((1, b"d"), proposals.__getitem__) == ({(1, b"d")}, {three.hash})
