"""The specification against the code: tables, limits, examples, identifiers; drift fails here."""

import re
from collections.abc import Iterator, Sequence
from typing import Any

import pytest
from support.cases import each
from support.machine_table import identity

from p2p_hoity import game_adapter
from p2p_hoity.net.link_limits import Limits
from p2p_hoity.net.transport import OVERHEAD
from p2p_hoity.relay.relay_limits import RelayLimits
from p2p_hoity.rules import Phase
from p2p_hoity.table.beside_game import chat, rematch, rematch_frames
from p2p_hoity.table.gathering import lobby
from p2p_hoity.table.playing.frame_kinds import is_of_game, longest
from protocol.chain.chain_state import NEXT, Kind
from protocol.crypto.hashing import VERSION, Label
from protocol.errors import Invalid
from protocol.fault_codes import FAULTS
from protocol.transcript import verifier
from protocol.transcript.verification_report import FILE_FAULTS
from protocol.wire import codec, peer_frames, signed_messages, signed_notices, table_header
from tools import spec_tables as made

TEXT = made.specification()
PAGES = "\n".join(page.read_text(encoding="utf-8") for page in made.PAGES)
BLOCKS = {found[2]: found[3] for found in made.BLOCK.finditer(PAGES)}
TABLE_ID, HASH = bytes(32), b"\x01" * 32


def rows_of(name: str) -> list[list[str]]:
    """The cells of a table of the page, head and rule left out."""
    lines = [line for line in BLOCKS[name].splitlines() if line.startswith("| ")]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines[2:]]


def plain(cell: str) -> str:
    return cell.strip("`")


# Tables.


@pytest.mark.parametrize("name", sorted(made.TABLES))
def test_every_table_is_on_the_page_and_as_the_code_has_it(name: str) -> None:
    assert BLOCKS[name] == made.TABLES[name]()


def test_every_table_that_is_marked_is_made_and_remaking_notices_a_changed_cell() -> None:
    assert set(BLOCKS) == set(made.TABLES)
    assert PAGES.count("<!-- made:") == PAGES.count("<!-- end:") == len(BLOCKS)
    spoilt = TEXT.replace("p2p-table/3/sign-epoch-promise", "p2p-table/3/sign-epoch-promises")
    assert spoilt != TEXT
    assert made.remade(spoilt) == TEXT


def test_what_is_read_off_the_page_is_what_the_code_has() -> None:
    assert [plain(row[0]) for row in rows_of("faults")] == list(FAULTS)
    assert [plain(row[0]) for row in rows_of("filefaults")] == list(FILE_FAULTS)
    read = {row[0]: set(row[3].split(", ")) - {"none"} for row in rows_of("steps")}
    assert read == {kind.value: {k.value for k in NEXT[kind]} for kind in Kind}
    phases = TEXT.split("| phase | goal | rule |")[1].split("\n\n")[0]
    between = set(re.findall(r"^\| ([a-z-]+) \|", phases, re.MULTILINE))
    assert between == {phase.value for phase in Phase} - {"deal", "final", "over"}
    golden = {plain(what): bytes.fromhex(plain(value)) for what, value in rows_of("golden")}
    assert golden == made.goldens()
    (bounds,) = (row[3] for row in rows_of("header") if row[1] == "timeouts")
    times = re.findall(r"\w+ (\d+) to (\d+)", bounds)
    assert [(int(low), int(high)) for low, high in times] == BOUNDS


# Examples.


def test_the_example_is_what_the_page_shows_and_with_one_byte_changed_refused() -> None:
    data = made.TINY.read_bytes()
    report = verifier.verify(data, game_adapter.read_game)
    assert report.ok
    assert f"digest `{report.digest}`" in BLOCKS["example"]
    shown = "".join(re.findall(r"^    ([0-9a-f]+)$", BLOCKS["example"], re.MULTILINE))
    assert shown.startswith(data[:184].hex())
    digests = [node.digest.hex() for node in made.nodes_of(data)[1:]]
    read = [plain(row[4]) for row in rows_of("example")]
    assert [d.startswith(r) for d, r in zip(digests, read, strict=True)] == [True] * len(read)
    spoilt = bytearray(data)
    spoilt[len(data) // 2] ^= 1
    assert not verifier.verify(bytes(spoilt), game_adapter.read_game).ok


SECRET = {
    Label.KEY_PROOF_NONCE,
    Label.SHARES_NONCE,
    Label.SHUFFLE_COMMITMENT_RANDOMNESS,
    Label.SHUFFLE_NONCE,
    Label.ESCROW_SHARE_NONCE,
}
"""Labels of a seat's own secret values ([C-10]), which no formula contains."""


def test_every_label_is_in_a_formula_and_every_formula_has_a_label_of_the_code() -> None:
    written = set(re.findall(rf"[\"`]({VERSION}/[a-z-]+)[\"`]", TEXT))
    assert written == {one.value for one in set(Label) - SECRET}


# Messages: every bound of the table is the reader's bound.

SAMPLES: dict[str, list[Any]] = {
    "step-input": [0, 1, HASH, b""],
    "epoch-request": [1],
    "epoch-promise": [1, None, (), None, (), ()],
    "new-epoch": [1, ()],
    "prepare": [1, HASH],
    "commit": [1, HASH],
    "rejoin": [1],
}
NUMBERS = {made.name_of(cls): number for number, (cls, _) in signed_messages.KINDS.items()}


def read_back(kind: str, fields: Sequence[Any]) -> None:
    value = (NUMBERS[kind], TABLE_ID, 0, *fields)
    signed_messages.read_payload(codec.encode(value), TABLE_ID, 2)


def field_rows() -> Iterator[tuple[str, int, list[str]]]:
    """(kind, place, row) of each field."""
    places: dict[str, int] = {}
    for row in rows_of("fields"):
        places[row[0]] = places.get(row[0], -1) + 1
        yield row[0], places[row[0]], row


def values(row: Sequence[str]) -> tuple[list[Any], list[Any]]:
    """(accepted, rejected) values just inside and outside a field's bounds."""
    _, _, kind, least, most = row
    if kind == "int":
        low, high = int(least), int(most)
        return [low, high], [high + 1, "1", True, None, *([low - 1] if low else [])]
    if kind == "bytes" and most == "any":
        return [b"", bytes(1000)], [1, None, "a"]
    if kind == "bytes":
        size = int(least)
        return [bytes(size)], [bytes(size - 1), bytes(size + 1), "a" * size, None]
    if kind == "hashes":
        rising = tuple(n.to_bytes(32, "big") for n in range(3))
        return [(), rising], [rising[::-1], (rising[0],) * 2, (b"",), None]
    if kind.startswith("array"):
        most_items = (HASH,) * int(most)
        return [(), most_items], [(*most_items, HASH), (b"",), None]
    return [], [1, "a", b"a"]


def test_messages_and_terms_have_the_fields_of_the_page() -> None:
    found: dict[str, list[str]] = {}
    for kind, _, row in field_rows():
        found.setdefault(kind, []).append(row[1])
    assert found == {
        made.name_of(cls): list(cls.__dataclass_fields__)
        for cls, _ in signed_messages.KINDS.values()
    }
    terms = table_header.Terms(identity(0).public, HASH, (("any", 1),), 3, 2)
    names = [row[1] for row in rows_of("header") if row[0] == "terms"]
    assert len(terms.value()) == len(names)
    assert [name for name in names if name != "version"] == list(terms.__dataclass_fields__)
    assert terms.value()[0] == VERSION
    names = [row[1] for row in rows_of("header") if row[0] == "entry"]
    assert names == list(table_header.SeatEntry.__dataclass_fields__)


@each(list(field_rows()))
def test_the_bounds_of_a_field_are_the_readers(case: tuple[str, int, list[str]]) -> None:
    kind, place, row = case
    good, bad = values(row)
    for value in good:
        read_back(kind, [*SAMPLES[kind][:place], value, *SAMPLES[kind][place + 1 :]])
    for value in bad:
        with pytest.raises(Invalid):
            read_back(kind, [*SAMPLES[kind][:place], value, *SAMPLES[kind][place + 1 :]])


@pytest.mark.parametrize("kind", sorted(SAMPLES))
def test_a_field_more_or_less_is_no_message(kind: str) -> None:
    read_back(kind, SAMPLES[kind])
    for fields in ([*SAMPLES[kind], 0], SAMPLES[kind][:-1]):
        with pytest.raises(Invalid):
            read_back(kind, fields)


# Header, frames, lobby.


BOUNDS = [(form.low, form.high) for form in made.fields_of(table_header.Timeouts).values()]  # type: ignore[attr-defined]


def _one(place: int, time: int) -> tuple[int, ...]:
    """Return timeouts that are usual but for one."""
    times = [300_000, 30_000, 5_000, 120_000]
    times[place] = time
    return tuple(times)


@each(
    [
        *(((4, 2), True), ((4, 9), False), ((4, 1), False)),
        *(((5, 1), False), ((5, 3), True), ((5, 4), False)),
        *(((7, 255), True), ((7, 256), False)),
        *(((8, ((1, False), (65_535, None))), True), ((8, ((2, None),)), False)),
        *(((8, ((1, 0), (1, 0))), False), ((8, ((65_537, 0),)), False), ((8, 0), False)),
        *(((3, (("x" * 32, 2**32 - 1), 0)), True), ((3, (("x" * 33, 1),)), False)),
        *(((3, (("x", 2**32),)), False), ((3, ()), False), ((3, ("x", 1)), False)),
        ((3, (("x\n", 1),)), False),
        *(((6, tuple(low for low, _ in BOUNDS)), True), ((1, bytes(32)), False)),
        *(((6, tuple(high for _, high in BOUNDS)), True), ((6, (1000, 1000, 200, 100)), False)),
        *(((6, _one(i, low - 1)), False) for i, (low, _) in enumerate(BOUNDS)),
        *(((6, _one(i, high + 1)), False) for i, (_, high) in enumerate(BOUNDS)),
        *(((6, (2**40, 30_000, 5_000, 120_000)), False), ((6, (0, 1, 1, 1)), False)),
    ]
)
def test_the_bounds_of_the_terms(case: tuple[tuple[int, Any], bool]) -> None:
    change, good = case
    value = list(table_header.Terms(identity(0).public, HASH, (("any", 1),), 3, 2).value())
    value[change[0]] = change[1]
    if good:
        table_header.parse_terms(tuple(value))
    else:
        with pytest.raises(Invalid):
            table_header.parse_terms(tuple(value))


def test_frames_have_the_forms_of_the_page() -> None:
    fetch, sync = peer_frames.Fetch((HASH,), (1,)), peer_frames.Sync(0, 1, ())
    sent: list[peer_frames.FrameBody] = [
        peer_frames.Carry(b"m"),
        fetch,
        sync,
        peer_frames.Own(),
        peer_frames.Told(),
    ]
    leave = signed_notices.Departure(0, 1, 0, 1, HASH, bytes(64))
    end = signed_notices.EndNotice(0, signed_notices.OVER, None, bytes(64))
    for row, frame in zip(rows_of("frames"), [*sent, leave, end], strict=True):
        assert row[0].replace("-", "") == type(frame).__name__.lower()
        data = peer_frames.encode_frame(frame)
        value = codec.decode(data, longest(data[:16]))
        assert len(value) == plain(row[1]).count(",") + 1
        assert value[0] == int(plain(row[1])[1])
        assert peer_frames.parse_frame(data) == frame


def test_frames_beside_the_game_have_the_forms_of_the_page() -> None:
    terms = table_header.Terms(identity(0).public, HASH, (("any", 1),), 3, 2)
    refuse, shown = lobby.Refuse(lobby.Refusal.FULL), lobby.SignedTable(HASH, bytes(64))
    sent: list[lobby.LobbyFrame] = [lobby.Ask(b""), lobby.Offer(b"", terms, ()), lobby.Sit((), ())]
    sent += [
        lobby.SeatedNames(()),
        refuse,
        lobby.Pending(),
        lobby.Roster(b"", (), bytes(64), ()),
        shown,
    ]
    who, entry = identity(1), table_header.SeatEntry(HASH, "Ada", HASH, bytes(64))
    word = chat.speak(HASH, who, 1, 2, "words")
    passed = chat.pass_on(word, who, 3)
    words = [rematch_frames.Consent(HASH, entry.value()), rematch_frames.refuse(HASH, who)]
    assert all(not is_of_game(lobby.encode_lobby(frame)) for frame in sent)
    kinds: list[tuple[str, Any, list[Any], list[bytes]]] = [
        ("lobby", lobby.parse_lobby, sent, [*map(lobby.encode_lobby, sent)]),
        ("talk", chat.parse_talk, [word, passed], []),
        ("again", rematch_frames.parse_again, words, []),
    ]
    for name, parse, said, encoded in kinds:
        every = encoded or [one.encode() for one in said]
        for row, frame, data in zip(rows_of(name), said, every, strict=True):
            value = codec.decode(data, longest(data[:16]))
            assert value[0] == row[0]
            assert len(value) == plain(row[1]).count(",") + 1
            assert parse(data) == frame


def test_limits_of_talk_read_off_the_page_are_those_of_the_code() -> None:
    rules = re.findall(r"(\d+)(?: at once)? and one in (\d+) s", TEXT.split("- [W-4] ")[1])[:3]
    coded = (chat.SEAT, chat.ONLOOKER, chat.FORWARDED)
    assert [(float(most), 1 / int(gap)) for most, gap in rules] == list(coded)
    assert f"at least {chat.MOST_ONLOOKERS} authors" in TEXT
    assert f"up to {chat.DEBT:.0f}." in TEXT
    link = (
        chat.SEAT[0] + chat.FORWARDED[0],
        chat.SEAT[1] + chat.FORWARDED[1],
    )
    assert f"n·{link[0]:.0f} at once and n·2/3 a second" in TEXT
    assert link[1] == pytest.approx(2 / 3)
    for seconds in (rematch.ANSWER, rematch.GATHER, rematch.MAX_GATHER):
        assert f"{seconds:.0f} s" in TEXT.split("### 13.7")[1].split("## 14")[0]


def test_what_is_read_of_one_sender_is_bounded_as_the_page_says() -> None:
    hub, relay = Limits().bytes_read, RelayLimits().link.bytes_read
    rule = TEXT.split("- [L-25]")[1].split("\n- [")[0].replace(",", "")
    assert f"{hub[0] / 2**20:.0f} MiB at once and {hub[1] / 2**20:.0f} MiB" in rule
    assert f"{OVERHEAD} bytes beside" in rule
    assert f"{relay[0] / 1024:.0f} KiB at once and {relay[1] / 1024:.0f} KiB" in rule


# Identifiers.


def test_every_must_has_an_identifier_that_is_defined_once_and_none_is_missing() -> None:
    """Paragraphs and list items of the page are looked at, not its notes, tables and code."""
    kept = [line for line in TEXT.splitlines() if not line.startswith(("    ", ">", "|", "<!--"))]
    items = re.split(r"\n\s*\n|\n(?=- |\d+\. )", "\n".join(kept))
    bare = [item for item in items if "MUST" in item and not re.search(r"\[[A-Z]-\d+\]", item)]
    assert bare == []
    starts = [re.match(r"(?:- |\d+\. )?\[([A-Z]-\d+)\] ", item) for item in items]
    defined = [found[1] for found in starts if found]
    assert len(defined) == len(set(defined))
    assert set(re.findall(r"\[([A-Z]-\d+)\]", TEXT)) == set(defined)
