"""Tests of who is heard: what is new, signed and not too fast, over any graph of nodes."""

from collections import deque
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.machine_table import identity, make_table
from support.sampling import times
from support.toy_game import ToyGame

from p2p_hoity.coded_errors import Reason
from p2p_hoity.presentation import screen_updates as updates
from p2p_hoity.table.beside_game import chat
from p2p_hoity.table.beside_game.chat import (
    DEBT,
    FORWARDED,
    MAX_WORDS,
    MOST_ONLOOKERS,
    ONLOOKER,
    PHRASES,
    SEAT,
    ChatHistory,
    parse_talk,
    pass_on,
    speak,
)
from p2p_hoity.table.playing.frame_kinds import KINDS
from p2p_hoity.table.playing.rate_limit import LONGEST_REST, RateLimit
from protocol.crypto.identities import fingerprint

TABLE, WHO = make_table(ToyGame(4, 1), 4, 3)
GUESTS = [identity(seat) for seat in range(20, 24)]
START = 1_700_000_000_000


EDGES = [(a, b) for a in range(4) for b in range(a)]


def node(seat: int | None, me: Any = None, at: int = START) -> ChatHistory:
    """The conversation of a seat, or of an onlooker."""
    who = me or (None if seat is None else WHO[seat])
    return ChatHistory(TABLE, seat, who, lambda: at)


def said(talker: ChatHistory, words: str | int, now: float = 0.0, via: int = 0) -> bytes:
    heard = talker.say(words, {via}, now)
    assert isinstance(heard, chat.Heard), heard
    assert heard.said.is_own
    return heard.frame


def told(found: chat.Heard | None) -> updates.Said | None:
    return None if found is None else found.said


def test_words_of_a_seat_are_composed_and_heard_once_from_whoever_brings_them() -> None:
    ada, bob = node(0), node(1)
    frame = said(ada, "  nice pipes ")
    assert told(bob.receive(WHO[0].public, frame, 0.0)) == updates.Said(0, "seat 0", "nice pipes")
    assert bob.receive(WHO[0].public, frame, 0.0) is None
    assert bob.receive(WHO[2].public, frame, 100.0) is None
    assert told(node(2).receive(WHO[3].public, frame, 0.0)) is not None
    assert ada.receive(WHO[1].public, frame, 0.0) is None  # its own words come back
    frame = said(node(0), "cafe\u0301")
    assert told(node(1).receive(WHO[0].public, frame, 0.0)) == updates.Said(0, "seat 0", "café")


def test_a_tower_of_marks_is_neither_sent_nor_shown_but_passed_on_as_it_is_signed() -> None:
    tower, short = "x" + "\u0489" * 99, "x\u0489\u0489"
    frame = said(node(0), tower)
    assert parse_talk(frame).words == short  # type: ignore[union-attr]
    for author, via, peer in ((WHO[0], 0, WHO[2].public), (GUESTS[0], 1, GUESTS[0].public)):
        frame = speak(TABLE.id, author, via, START, tower).encode()
        heard = node(1).receive(peer, frame, 0.0)
        assert heard is not None
        assert heard.said.words == short
        assert tower.encode() in heard.frame


@pytest.mark.parametrize(
    ("words", "code"),
    [
        ("", "talk-empty"),
        ("   ", "talk-empty"),
        ("a" * (MAX_WORDS + 1), "talk-too-long"),
        ("a\x1b[2Jb", "talk-not-plain"),
        ("a\u202eb", "talk-not-plain"),
        ("\ud800", "talk-not-plain"),
        (PHRASES, "talk-no-phrase"),
        (-1, "talk-no-phrase"),
    ],
)
def test_ones_own_words_are_refused_with_a_reason(words: str | int, code: str) -> None:
    found = node(0).say(words, {1}, 0.0)
    assert isinstance(found, Reason)
    assert found.code == code


def test_who_has_no_key_or_link_says_nothing_and_who_resumes_goes_on_above() -> None:
    for talker, linked, code in (
        (ChatHistory(TABLE, 0, None, lambda: 0), {1}, "talk-off"),
        (node(None, GUESTS[0]), set[int](), "talk-heard-by-nobody"),
    ):
        found = talker.say("hello", linked, 0.0)
        assert isinstance(found, Reason)
        assert found.code == code
    bob = node(1)
    assert bob.receive(WHO[0].public, said(node(0), "before"), 0.0)
    assert bob.receive(WHO[0].public, said(node(0, at=START + 1), "after"), 1.0)
    many = node(0, at=START + 5)  # a clock that stands still gives rising counts all the same
    counts = [parse_talk(said(many, "again", 100.0 * n)).count for n in range(3)]
    assert counts == [START + 5, START + 6, START + 7]


def test_forged_words_are_not_heard_and_cost_their_alleged_author_nothing() -> None:
    bob = node(1)
    word = speak(TABLE.id, WHO[0], 0, 5, "hello")
    forged = [
        replace(word, words="bad words"),
        replace(word, count=6),
        replace(word, author=WHO[2].public),
        replace(word, author=WHO[2].public, via=2),
        replace(word, signature=bytes(64)),
        speak(bytes(32), WHO[0], 0, 5, "of another table"),
        speak(TABLE.id, WHO[0], 1, 5, "through another seat"),
        replace(speak(TABLE.id, WHO[3], 0, 5, "in another's name"), author=WHO[0].public),
    ]
    for one in forged:
        assert bob.receive(WHO[3].public, one.encode(), 0.0) is None
    assert told(bob.receive(WHO[3].public, word.encode(), 0.0)) is not None


def test_a_seat_that_floods_loses_its_voice_no_other_does_and_ones_own_rests() -> None:
    bob = node(1)
    words = [speak(TABLE.id, WHO[0], 0, count, "spam").encode() for count in range(100)]
    heard = [bob.receive(WHO[0].public, word, 0.0) for word in words]
    assert sum(one is not None for one in heard) == SEAT[0]
    assert told(bob.receive(WHO[0].public, said(node(2), "hello"), 0.0))
    later = speak(TABLE.id, WHO[0], 0, 1000, "again").encode()
    assert bob.receive(WHO[0].public, later, 1 / SEAT[1]) is None  # it owes for what it said
    enough = speak(TABLE.id, WHO[0], 0, 1001, "again").encode()
    assert bob.receive(WHO[0].public, enough, (DEBT + 2) / SEAT[1] + 1) is not None
    ada = node(0)
    for _ in range(int(SEAT[0])):
        said(ada, "hello")
    for _ in range(50):
        found = ada.say("hello", {1}, 0.0)
        assert isinstance(found, Reason)
        assert found.code == "talk-too-fast"
    said(ada, "hello", 1 / SEAT[1] + 0.1)


def admits(limit: RateLimit, peer: bytes) -> bool:
    return limit.may_read(peer, KINDS["talk"], 0.0)


def test_a_link_carries_what_all_may_say_replays_take_no_voice_and_memory_is_bounded() -> None:
    limit, neighbour = RateLimit(TABLE.ids), WHO[2].public
    admitted = sum(admits(limit, neighbour) for _ in range(10_000))
    assert admitted == TABLE.seats * (SEAT[0] + FORWARDED[0])
    assert admits(limit, WHO[3].public)
    rests = [limit.rest(neighbour, 0.0) for _ in range(1300)]
    assert rests[0] == 0
    assert rests[-1] == LONGEST_REST
    bob, liar = node(1), WHO[3].public
    old = said(node(0), "hello")
    assert bob.receive(liar, old, 0.0)
    for _ in range(1000):
        assert bob.receive(liar, old, 0.0) is None
    assert bob.receive(liar, said(node(0, at=START + 1), "hello again"), 0.0)
    forwarder = node(1)
    for number in range(200):
        guest = identity(1000 + number)
        word = speak(TABLE.id, guest, 1, 1, "hello").encode()
        forwarder.receive(guest.public, word, float(number * 100))
        admits(limit, guest.public)
        limit.rest(guest.public, 0.0)
    assert all(len(guests) <= MOST_ONLOOKERS for guests in forwarder._guests)
    assert len(forwarder._last) <= 2 * TABLE.seats
    assert len(forwarder._onlookers._of) <= MOST_ONLOOKERS
    assert len(limit._excess._of) <= 2 * MOST_ONLOOKERS


def test_an_onlookers_words_go_through_the_seat_it_speaks_to_from_its_own_link() -> None:
    guest, forwarder, far = node(None, GUESTS[0]), node(1), node(3)
    frame = said(guest, "bravo", via=1)
    passed = forwarder.receive(GUESTS[0].public, frame, 0.0)
    assert passed is not None
    assert passed.said == updates.Said(None, fingerprint(GUESTS[0].public)[:9], "bravo")
    assert told(far.receive(WHO[2].public, passed.frame, 0.0)) == passed.said
    assert far.receive(WHO[0].public, passed.frame, 0.0) is None
    assert guest.receive(WHO[1].public, passed.frame, 0.0) is None  # its own
    assert forwarder.receive(WHO[2].public, passed.frame, 0.0) is None
    frame = said(node(None, GUESTS[0]), "bravo", via=1)
    for seat, peer in ((1, GUESTS[1].public), (1, WHO[2].public), (2, GUESTS[0].public)):
        assert node(seat).receive(peer, frame, 0.0) is None
    assert node(None, GUESTS[1]).receive(GUESTS[0].public, frame, 0.0) is None
    assert node(1).receive(GUESTS[0].public, frame, 0.0) is not None


def test_nobody_passes_on_in_the_name_of_another_seat_or_old_words_anew() -> None:
    word = speak(TABLE.id, GUESTS[0], 1, 5, "bravo")
    at_two = speak(TABLE.id, GUESTS[0], 2, 5, "bravo")
    seat = speak(TABLE.id, WHO[0], 1, 5, "words of a seat, passed on as an onlooker's")
    for bad in (
        pass_on(word, WHO[2], 1),
        pass_on(replace(word, signature=bytes(64)), WHO[1], 1),
        pass_on(replace(word, words="worse"), WHO[1], 1),
        pass_on(speak(bytes(32), GUESTS[0], 1, 5, "of another table"), WHO[1], 1),
        pass_on(speak(TABLE.id, GUESTS[0], 9, 5, "through no seat"), WHO[1], 1),
        pass_on(at_two, WHO[1], 1),
        pass_on(seat, WHO[1], 1),
        replace(pass_on(word, WHO[1], 1), count=2),
    ):
        assert node(3).receive(WHO[1].public, bad.encode(), 0.0) is None
    assert node(3).receive(WHO[1].public, pass_on(word, WHO[1], 1).encode(), 0.0) is not None
    far = node(3)
    word = speak(TABLE.id, GUESTS[0], 1, 5, "bravo")
    assert far.receive(WHO[1].public, pass_on(word, WHO[1], 1).encode(), 0.0)
    for count in range(2, 50):
        assert far.receive(WHO[1].public, pass_on(word, WHO[1], count).encode(), 100.0) is None


def test_an_onlooker_that_floods_or_a_crowd_leaves_the_others_their_voice() -> None:
    forwarder = node(1)
    spam = [speak(TABLE.id, GUESTS[0], 1, count, "spam").encode() for count in range(100)]
    heard = [forwarder.receive(GUESTS[0].public, one, 0.0) for one in spam]
    assert sum(one is not None for one in heard) == ONLOOKER[0]
    polite = said(node(None, GUESTS[1]), "hello", via=1)
    assert forwarder.receive(GUESTS[1].public, polite, 0.0)
    limit = RateLimit(TABLE.ids)
    assert sum(admits(limit, GUESTS[0].public) for _ in range(100)) == ONLOOKER[0]
    assert admits(limit, GUESTS[1].public)
    far, crowd = node(3), [identity(100 + n) for n in range(40)]
    passed = [
        pass_on(speak(TABLE.id, one, 1, 1, "hello"), WHO[1], count).encode()
        for count, one in enumerate(crowd)
    ]
    heard = [far.receive(WHO[1].public, one, 0.0) for one in passed]
    assert sum(one is not None for one in heard) == FORWARDED[0]
    assert far.receive(WHO[1].public, said(node(1), "sorry for that"), 0.0)
    other = pass_on(speak(TABLE.id, GUESTS[0], 2, 1, "hello"), WHO[2], 1).encode()
    assert far.receive(WHO[1].public, other, 0.0)


@given(
    parents=st.tuples(st.just(0), st.integers(0, 1), st.integers(0, 2)),
    more=st.sets(st.sampled_from(EDGES)),
    talkers=st.lists(st.integers(0, 3), min_size=1, max_size=4),
)
@settings(max_examples=times(12, 30))
def test_over_any_connected_graph_everybody_hears_each_word_once_and_in_order(
    parents: tuple[int, ...], more: set[tuple[int, int]], talkers: list[int]
) -> None:
    edges = more | {(child, parent) for child, parent in enumerate(parents, 1)}
    near = {n: [b if a == n else a for a, b in edges if n in (a, b)] for n in range(4)}
    nodes = [node(seat) for seat in range(4)]
    limits = [RateLimit(TABLE.ids) for _ in nodes]
    heard: list[list[updates.Said]] = [[] for _ in nodes]
    queue: deque[tuple[int, int, bytes]] = deque()
    sent = 0
    for number, seat in enumerate(talkers):
        frame = said(nodes[seat], f"word {number}")
        queue.extend((seat, other, frame) for other in near[seat])
        while queue:
            source, here, data = queue.popleft()
            sent += 1
            assert admits(limits[here], WHO[source].public)
            found = nodes[here].receive(WHO[source].public, data, 0.0)
            if found is not None:
                heard[here].append(found.said)
                queue.extend((here, there, data) for there in near[here] if there != source)
    for seat in range(4):
        wanted = [f"word {n}" for n, talker in enumerate(talkers) if talker != seat]
        assert [one.words for one in heard[seat]] == wanted
    assert sent <= 2 * len(edges) * len(talkers)
