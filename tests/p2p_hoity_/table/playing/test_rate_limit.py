"""Tests of rate limits: questions have a pace, and useless work costs the link that causes it."""

from p2p_hoity.table.playing import rate_limit
from p2p_hoity.table.playing.frame_kinds import KINDS, Budget, Sender, kind_of
from p2p_hoity.table.playing.rate_limit import RateLimit
from protocol.wire import codec, peer_frames
from protocol.wire.signed_notices import Departure

A, B = b"a" * 32, b"b" * 32
SAID = peer_frames.encode_frame(peer_frames.Carry(b"a message"))
ASKED = peer_frames.encode_frame(peer_frames.Sync(0, 1, ()))


def test_each_link_has_its_own_questions_and_no_message_is_a_question() -> None:
    limit = RateLimit((A, B))
    asked = [limit.may_read(A, kind_of(ASKED), 0.0) for _ in range(100)]
    assert sum(asked) == rate_limit.QUESTIONS[0]
    assert limit.may_read(B, kind_of(ASKED), 0.0)
    assert not limit.may_read(A, kind_of(ASKED), 0.01)
    assert limit.may_read(A, kind_of(ASKED), 1.0)
    left = peer_frames.encode_frame(Departure(1, 1, 0, 9, A, bytes(64)))
    for frame in (SAID, left):
        assert all(limit.may_read(A, kind_of(frame), 0.0) for _ in range(1000))


def test_a_link_takes_its_wage_in_the_long_run_and_rests_when_it_takes_too_much() -> None:
    limit = RateLimit((A, B))
    rests = [limit.spend(A, 0.5, 0.0) for _ in range(10)]
    assert rests[:6] == [0.0] * 6
    assert rests[6:] == [rate_limit.LONGEST_REST] * 4
    assert limit.spend(B, 0.5, 0.0) == 0.0
    limit = RateLimit((A, B))
    limit.spend(A, rate_limit.PROCESSOR[0] + 0.01, 0.0)
    limit.forget(A)
    assert limit.spend(A, 0.01, 0.0) > 0
    assert limit.spend(A, 0.01, 60.0) == 0.0
    limit, now, taken = RateLimit((A, B)), 0.0, 0.0
    while now < 1000.0:
        taken += 0.003
        now += 0.003 + limit.spend(A, 0.003, now)
    assert taken < rate_limit.PROCESSOR[0] + 1000.0 * rate_limit.PROCESSOR[1] * 1.05


def test_frames_of_unknown_kinds_are_never_due_and_too_many_have_their_link_read_slowly() -> None:
    """[L-77]"""
    limit, later = RateLimit((A, B)), kind_of(codec.encode(("later", 1)))
    assert later.sender is Sender.ANYONE
    assert not any(limit.may_read(A, later, 0.0) for _ in range(10))
    rests = [limit.rest(A, 0.0) for _ in range(int(rate_limit.EXCESS[0]) + 1)]
    assert rests[:-1] == [0.0] * (len(rests) - 1)
    assert 0.0 < rests[-1] <= rate_limit.LONGEST_REST
    assert limit.rest(B, 0.0) == 0.0
    assert limit.may_read(A, kind_of(ASKED), 0.0)


def test_frames_about_another_game_and_talk_have_a_pace_and_a_forgotten_link_asks_anew() -> None:
    kinds = {budget: kind for kind in KINDS.values() for budget in (kind.budget,)}
    limit = RateLimit((A, B))
    rematch = [limit.may_read(A, kinds[Budget.REMATCH], 0.0) for _ in range(100)]
    assert 0 < rematch.count(True) == 2 * rate_limit.REMATCH[0] < 100
    assert limit.may_read(B, kinds[Budget.REMATCH], 0.0)
    talk = [limit.may_read(A, kinds[Budget.TALK], 0.0) for _ in range(1000)]
    assert 0 < talk.count(True) < 1000
    onlooker = [limit.may_read(b"o" * 32, kinds[Budget.TALK], 0.0) for _ in range(1000)]
    assert 0 < onlooker.count(True) < talk.count(True)
    assert not all(limit.may_read(A, kind_of(ASKED), 0.0) for _ in range(100))
    limit.forget(A)
    assert limit.may_read(A, kind_of(ASKED), 0.0)
