"""Every specimen of messages.json is read by the parser of its section, and holds what it says."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from support.cases import fails
from support.paths import VECTORS
from vectors.making.posts import NAMED, SECRET, shown

from p2p_hoity import game_adapter
from p2p_hoity.net import ticket
from p2p_hoity.net.transport import FrameBuffer
from p2p_hoity.table.beside_game import chat, rematch_frames
from p2p_hoity.table.gathering import lobby
from p2p_hoity.table.gathering.ticket_proof import Capability
from p2p_hoity.table.playing.frame_kinds import KINDS, longest
from protocol.chain import transition
from protocol.chain.chain_state import AcceptedBody, Kind
from protocol.crypto import identities
from protocol.crypto.hashing import Label, digest
from protocol.crypto.identities import signed_bytes, verify_bytes
from protocol.errors import Invalid
from protocol.transcript.verifier import steps_to, verify
from protocol.wire import codec, peer_frames, signed_messages, signed_notices, table_header, vouches
from protocol.wire.peer_frames import Carry
from protocol.wire.signed_notices import Departure, EndNotice

BOOK: dict[str, Any] = json.loads((VECTORS / "messages.json").read_text("utf-8"))
HEADER = table_header.parse_header(bytes.fromhex(BOOK["header"]["encoded"]))
TABLE, IDS = HEADER.table_id, tuple(entry.id for entry in HEADER.roster)
TERMS = HEADER.terms
READERS = {
    "frames": (peer_frames.parse_frame, peer_frames.encode_frame),
    "lobby": (lobby.parse_lobby, lobby.encode_lobby),
}


def numbered(section: str) -> list[Any]:
    """The specimens of a section, each with its number and name."""
    rows = enumerate(BOOK[section])
    return [pytest.param(one, id=f"{n}-{one.get('frame', one.get('kind'))}") for n, one in rows]


def raw(one: dict[str, Any], name: str) -> bytes:
    """A field that is hex."""
    return bytes.fromhex(one[name])


def decoded(data: bytes) -> Any:
    """What bytes hold, as the file shows it."""
    return shown(codec.decode(data, peer_frames.MAX_FRAME))


def test_every_section_has_a_test_here() -> None:
    assert set(BOOK) == {
        "about", "header", "statements", "frames", "lobby", "side", "tickets", "binding", "example",
        "bodies", "chain",
    }  # fmt: skip


def test_the_header_and_what_each_seat_signs() -> None:
    whole = BOOK["header"]
    assert whole["table"] == TABLE.hex()
    assert shown(TERMS.value()) == whole["terms"]["decoded"]
    assert codec.encode(TERMS.value()) == raw(whole["terms"], "encoded")
    assert TERMS.digest() == raw(whole["terms"], "digest")
    assert [entry["id"] for entry in whole["roster"]] == [one.hex() for one in IDS]
    for entry, seat in zip(whole["roster"], HEADER.roster, strict=True):
        assert identities.Identity(raw(entry, "identity_seed")).public == seat.id
        assert (entry["nickname"], raw(entry, "nonce")) == (seat.nickname, seat.nonce)
        assert identities.fingerprint(seat.id) == entry["fingerprint"]
        assert signed_bytes(Label.SEAT, raw(entry, "statement")) == raw(entry, "signed")
        verify_bytes(seat.id, raw(entry, "signed"), raw(entry, "signature"))


@pytest.mark.parametrize("one", numbered("statements"))
def test_a_message_is_read_and_signed_as_it_says(one: dict[str, Any]) -> None:
    read = signed_messages.parse(raw(one, "envelope"), TABLE, IDS)
    assert (read.seat, type(read.statement).__name__) == (one["seat"], one["statement"])
    assert signed_messages.KINDS[one["kind"]] == (type(read.statement), Label(one["label"]))
    assert (read.payload, read.signature) == (raw(one, "payload"), raw(one, "signature"))
    assert decoded(read.payload) == [one["kind"], "0x" + TABLE.hex(), one["seat"], *one["fields"]]
    assert (read.hash, list(read.identity)) == (raw(one, "hash"), one["identity"])
    assert read.encode() == raw(one, "envelope")
    verify_bytes(IDS[read.seat], raw(one, "signed"), read.signature)


@pytest.mark.parametrize("one", [*numbered("frames"), *numbered("lobby"), *numbered("side")])
def test_a_frame_comes_off_a_link_whole(one: dict[str, Any]) -> None:
    buffer = FrameBuffer(peer_frames.MAX_FRAME, longest=longest)
    assert list(buffer.feed(raw(one, "on_a_link"))) == [raw(one, "encoded")]
    assert decoded(raw(one, "encoded")) == one["decoded"]


@pytest.mark.parametrize("section", READERS)
def test_a_frame_is_read_and_written_again(section: str) -> None:
    parse, encode = READERS[section]
    for one in BOOK[section]:
        read: Any = parse(raw(one, "encoded"))
        assert NAMED.get(type(read).__name__, type(read).__name__) == one["frame"]
        assert encode(read) == raw(one, "encoded")
        match read:
            case Departure() | EndNotice():
                signed_notices.check_notice(read, TABLE, IDS)
            case Carry(message):
                signed_messages.parse(message, TABLE, IDS)


@pytest.mark.parametrize("section", ["frames", "lobby", "side"])
def test_no_specimen_is_read_with_a_field_more_or_a_byte_less(section: str) -> None:
    parsers: dict[str, list[Callable[[bytes], object]]] = {
        "frames": [peer_frames.parse_frame],
        "lobby": [lobby.parse_lobby],
        "side": [chat.parse_talk, rematch_frames.parse_again],
    }
    for one in BOOK[section]:
        data = raw(one, "encoded")
        longer = codec.encode((*codec.decode(data, peer_frames.MAX_FRAME), 0))
        for parse in parsers[section]:
            fails(Invalid, "bad-frame|bad-header", parse, longer)
            fails(Invalid, "bad-encoding", parse, data[:-1])


def test_what_frames_of_the_lobby_hold_is_read_and_signed() -> None:
    ask, offer, shown, sit, vouched, *_, roster, known, told = (
        lobby.parse_lobby(raw(one, "encoded")) for one in BOOK["lobby"]
    )
    link = raw(BOOK, "binding"), IDS[0], IDS[1]
    capability = Capability(TERMS.digest(), SECRET)
    assert isinstance(ask, lobby.Ask)
    assert capability.admits(ask.proof, *link)
    assert isinstance(offer, lobby.Offer)
    assert capability.trusts(offer.proof, *link)
    assert offer.terms == TERMS
    assert isinstance(shown, lobby.Offer)
    assert offer.vouch is None
    assert shown.vouch is not None
    vouches.check_signature(shown.vouch, TERMS, IDS[0])
    assert isinstance(vouched, lobby.Sit)
    assert vouched.vouch is not None
    entry = table_header.parse_entry(TERMS, vouched.entry)
    vouches.check_vouch(vouched.vouch, TERMS, entry)
    assert isinstance(known, lobby.Roster)
    complete = table_header.parse_header(known.header)
    assert known.vouches == (shown.vouch, vouched.vouch, None)
    vouches.check_vouches(known.vouches, TERMS, complete.roster)
    assert isinstance(sit, lobby.Sit)
    assert sit.vouch is None
    assert table_header.parse_entry(TERMS, sit.entry) == HEADER.roster[1]
    assert isinstance(roster, lobby.Roster)
    assert table_header.parse_header(roster.header) == HEADER
    table_header.check_roster(TERMS, TABLE, roster.signature)
    assert isinstance(told, lobby.SignedTable)
    table_header.check_roster(TERMS, told.table, told.signature)


def test_frames_beside_the_game_are_read_and_signed() -> None:
    spoken, passed, consent, vouched, refusal = (raw(one, "encoded") for one in BOOK["side"])
    for data in (spoken, passed):
        word = chat.parse_talk(data)
        assert word.encode() == data
        word.check(IDS[1]) if isinstance(word, chat.PassedWords) else word.check()
    request = rematch_frames.parse_again(consent)
    assert isinstance(request, rematch_frames.Consent)
    assert request.encode() == consent
    after = rematch_frames.next_terms(game_adapter.bind(HEADER))
    assert table_header.parse_entry(after, request.entry).id == IDS[1]
    again = rematch_frames.parse_again(vouched)
    assert isinstance(again, rematch_frames.Consent)
    assert again.vouch is not None
    vouches.check_vouch(again.vouch, after, table_header.parse_entry(after, again.entry))
    word_of_no = rematch_frames.parse_again(refusal)
    assert isinstance(word_of_no, rematch_frames.Decline)
    assert word_of_no.encode() == refusal
    word_of_no.check()


def test_there_is_a_specimen_of_every_kind() -> None:
    kinds = [codec.decode(raw(one, "encoded"), peer_frames.MAX_FRAME)[0]
             for section in ("frames", "lobby", "side") for one in BOOK[section]]  # fmt: skip
    assert set(kinds) == set(KINDS)
    assert {one["kind"] for one in BOOK["statements"]} == set(signed_messages.KINDS)
    bodies = {one["kind"] for one in BOOK["bodies"]}
    assert bodies == {kind.value for kind in Kind} - {Kind.RESULT, Kind.ENDED}


@pytest.mark.parametrize("one", BOOK["tickets"])
def test_a_ticket_is_read_and_written_again(one: dict[str, Any]) -> None:
    read = ticket.decode_ticket(one["ticket"])
    assert ticket.spelled(one["ticket"]) == one["ticket"]
    assert (ticket.encode_ticket(read) != one["ticket"]) == one["skips"]
    assert (read.host_id, read.terms) == (raw(one, "host"), raw(one, "terms"))
    assert read.secret == raw(one, "secret")
    assert (list(read.addresses), list(read.relay)) == (one["addresses"], one["relays"])


def test_bodies_are_legal_at_their_step_and_digests_are_those_of_their_chain() -> None:
    report = verify((VECTORS / BOOK["example"]).read_bytes(), game_adapter.read_game)
    assert report.node is not None
    passages = list(steps_to(report.node))
    at = {node.step: (node, slots) for node, slots, _ in passages if slots is not None}
    for one in BOOK["bodies"]:
        node, slots = at[one["step"]]
        assert (node.want.kind.value, node.want.name) == (one["kind"], one["choice"])
        assert slots[one["seat"]] == raw(one, "body")
        assert decoded(raw(one, "body")) == one["decoded"]
        assert isinstance(transition.judge(node, one["seat"], raw(one, "body")), AcceptedBody)
    for one, (node, slots, after) in zip(BOOK["chain"], passages, strict=True):
        assert (raw(one, "before"), raw(one, "digest")) == (node.digest, after.digest)
        assert after.base_digest() == raw(one, "base_digest")
        encoded = one.get("encoded") or one["entries_encoded"]
        if slots is None:
            label = Label.RECONFIGURATION
            assert decoded(raw(one, "encoded")) == one["reconfiguration"]
        else:
            label = Label.STEP
            assert (one["step"], one["kind"]) == (node.step, node.want.kind.value)
        assert digest(label, node.digest, bytes.fromhex(encoded)) == after.digest
        base = digest(Label.BASE, report.node.table.id, raw(one, "base_encoded"))
        assert base == after.base_digest()
