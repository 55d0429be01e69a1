"""Proofs that are checked by others, in whatever order: no verdict is another for it."""

from collections.abc import Iterator
from concurrent.futures import Future
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.cases import fails
from support.files import read, refusal
from support.forgeries.transcripts import with_evidence
from support.played import TABLES, files_of, game_of
from support.proof_pile import Pile, bare, judged
from support.sampling import times
from support.sim.cheap import cheap_blocks

from protocol.crypto import proof_batches
from protocol.crypto.proof_batches import HandedOut, all_valid
from protocol.errors import Invalid
from protocol.transcript.verifier import verify


@pytest.fixture(autouse=True, scope="module")
def _small_parts() -> Iterator[None]:
    """The files of tests are small, and shall fall into several parts too."""
    with cheap_blocks(shared=False), pytest.MonkeyPatch.context() as patch:
        patch.setattr(proof_batches, "PART", 2048)
        yield


@pytest.mark.sampled(5)
@pytest.mark.parametrize("name", TABLES)
def test_a_game_is_judged_alike(name: str) -> None:
    assert judged(files_of(name)[0], game_of).ok


@given(st.data())
@settings(max_examples=times(20, 300))
def test_a_changed_file_is_judged_alike(data: st.DataObject) -> None:
    whole = bytearray(files_of(data.draw(st.sampled_from(["two", "returned", "wrong share"])))[0])
    for _ in range(data.draw(st.integers(1, 3))):
        whole[data.draw(st.integers(0, len(whole) - 1))] ^= data.draw(st.integers(1, 255))
    size = data.draw(st.one_of(st.just(len(whole)), st.integers(0, len(whole))))
    judged(bytes(whole[:size]), game_of, data.draw(st.integers(0, 99)))


def test_each_kind_of_proof_is_handed_out() -> None:
    pile = Pile(1)
    verify(files_of("four")[0], game_of, None, pile.submit)
    kinds = {check.__name__ for one in pile.parts for check, _ in one.part}
    expected = {"verify_signature", "verify_key", "verify_shares", "verify_opening", "verify"}
    assert kinds == expected
    assert sum(len(one.part) for one in pile.parts) > len(pile.parts) > 3


def credulous(function: Any, part: Any) -> Future[bool]:
    found: Future[bool] = Future()
    found.set_result(True)
    return found


def test_what_is_handed_out_is_not_checked_otherwise() -> None:
    """Who believes all parts takes a signature that does not hold: the parts are what decides."""
    whole = read("two")
    (epoch, signature), *others = whole.evidence.signatures[0]
    spoilt = signature[:-1] + bytes([signature[-1] ^ 1])
    rows = (((epoch, spoilt), *others), *whole.evidence.signatures[1:])
    data = with_evidence(whole, signatures=rows).encode()
    assert refusal(data).code == "bad-signature"
    assert verify(data, game_of, None, credulous).ok


def test_one_part_that_does_not_hold_is_enough() -> None:
    data = files_of("two")[0]
    pile = Pile(1)
    assert verify(data, game_of, None, pile.submit).ok
    in_turn = bare(verify(data, game_of))
    for bad in range(len(pile.parts)):
        again = Pile(1)
        kept = again.submit

        def submit(function: Any, part: Any, bad: int = bad, kept: Any = kept) -> Any:
            one = kept(function, part)
            one.found = False if len(one.pile.parts) == bad + 1 else None
            return one

        seen = verify(data, game_of, lambda: 0.0, submit)
        assert "proofs" not in seen.timings
        assert bare(seen) == in_turn


def test_no_more_is_handed_out_than_there_is_room_for(monkeypatch: pytest.MonkeyPatch) -> None:
    """What came first is waited for, or done here; where it fails the file is judged in turn."""
    monkeypatch.setattr(proof_batches, "MOST_OUT", 5 * proof_batches.PART)
    pile, handed = Pile(3), list[Any]()

    def submit(function: Any, part: Any) -> Any:
        handed.append(pile.submit(function, part))
        left = [one for one in handed if one.found is None and not one.taken_back]
        assert len(left) <= 6
        return handed[-1]

    for name in ("four", "two"):
        data = files_of(name)[0]
        assert bare(verify(data, game_of, None, submit)) == bare(verify(data, game_of))
    assert len(handed) > 12
    whole = read("four")
    (epoch, signature), *others = whole.evidence.signatures[0]
    rows = (((epoch, bytes(len(signature))), *others), *whole.evidence.signatures[1:])
    spoilt = with_evidence(whole, signatures=rows).encode()
    assert verify(spoilt, game_of, None, submit).problem == verify(spoilt, game_of).problem
    full = HandedOut(Pile(1).submit)
    for _ in range(5):
        full(refuse, bytes(proof_batches.PART))
    fails(proof_batches.InvalidProof, "", full, refuse, bytes(proof_batches.PART))


def refuse(*_: object) -> None:
    raise Invalid("bad-share", "no")


def test_parts_hold_what_belongs_together_and_the_last_is_never_lost() -> None:
    full = proof_batches.PART
    for sizes, rest in (([], 0), ([10], 1), ([full], 0), ([10, full, 10], 1), ([full] * 3, 0)):
        pile = Pile(2)
        handed = HandedOut(pile.submit)
        for size in sizes:
            handed(lambda _: None, (bytes(size),))
        assert handed.are_valid()
        assert sum(len(one.part) for one in pile.parts) + rest == len(sizes)
        fails(Invalid, "", handed, refuse, b"")
        handed = HandedOut(Pile(2).submit)
        handed(refuse, b"")
        assert not handed.are_valid()
    assert all_valid([])
    assert not all_valid([(refuse, ()), (refuse, ())])
