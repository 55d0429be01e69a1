"""Sound inputs for the fuzzer, by the name of their parser: `python -m soak.fuzz_corpus FOLDER`.

From nothing a fuzzer hardly finds a signed message or a body with its points; from these it
reaches what lies behind their form.
"""

import hashlib
import io
import sys
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

from support.inspection import store_of
from support.machine_table import MachineTable, make_table, toy_choice
from support.paths import ROOT
from support.toy_game import ToyGame

from p2p_hoity import game_adapter
from p2p_hoity.editions.load_edition import parse
from p2p_hoity.editions.received_edition import read_canonical
from p2p_hoity.net.addresses import parse_address
from p2p_hoity.net.channel import LENGTH, SIZES, RecordReader, prologue
from p2p_hoity.net.handshake import Listener, Purpose
from p2p_hoity.net.lan_discovery import read_properties
from p2p_hoity.net.noise import MESSAGE, CipherState, ListenerHandshake, NoiseError
from p2p_hoity.net.protocol_versions import LINK_VERSIONS, read_hello
from p2p_hoity.net.ticket import decode_ticket
from p2p_hoity.storage.journal_format import HEAD, MAGIC, MARK_MAGIC, new_form, read_form
from p2p_hoity.table.beside_game import chat, rematch_frames
from p2p_hoity.table.gathering import lobby
from protocol.chain.chain_state import Kind
from protocol.seat.seat_machine import SeatMachine
from protocol.transcript import verifier
from protocol.transcript.verifier import steps_to
from protocol.wire import codec, peer_frames, signed_messages, step_bodies, table_header
from protocol.wire.signed_messages import Message, StepInput

LONGEST = 1 << 14
"""Bytes of the longest file to begin with: longer ones make every run slow."""
BODIES = {
    Kind.KEY_COMMIT: "key.commit",
    Kind.KEY_REVEAL: "key.reveal",
    Kind.KEY_OK: "key.ok",
    Kind.SHUFFLE: "shuffle",
    Kind.DECK_OK: "seal",
    Kind.DEAL: "gather",
    Kind.SEAL: "seal",
    Kind.REVEAL: "gather",
    Kind.SHOW: "show",
    Kind.CHOOSE: "choice",
    Kind.OPEN: "gather",
    Kind.FINAL: "gather",
}
CHALLENGE = LINK_VERSIONS.challenge(bytes(16))
LISTENER = Listener(Purpose.LINK, bytes(32), bytes(32))
TABLE, _ = make_table(ToyGame(4), 4)


def _text(parser: Callable[[str], object]) -> Callable[[bytes], object]:
    return lambda data: parser(data.decode("utf-8", "replace"))


def _file(data: bytes) -> object:
    report = verifier.verify(data, game_adapter.read_game)
    return verifier.reached(data, game_adapter.read_game, report)


def _records(data: bytes) -> object:
    """As a journal is read, record by record."""
    file = io.BytesIO(data)
    file.read(len(MAGIC))
    form = read_form(file.read(HEAD), None)
    last, number = form.start, 0
    while (found := form.next(file, number + 1, last)) is not None:
        _, last = found
        number += 1
    return number


def _first(data: bytes) -> object:
    """As a listener reads its dialler's first message."""
    try:
        return ListenerHandshake(prologue(bytes(32)), bytes(32)).read(data[:MESSAGE])
    except NoiseError:
        return None


def _channel(data: bytes) -> object:
    """As records are read, of which the other end has sealed what they hold."""
    reader, cipher = RecordReader(CipherState(bytes(32))), CipherState(bytes(32))
    for start in range(0, len(data), SIZES[0]):
        sealed = cipher.encrypt(data[start : start + SIZES[0]].ljust(SIZES[0], b"\0"))
        reader.feed(len(sealed).to_bytes(LENGTH, "big") + sealed)
    reader.feed(data)
    try:
        while (content := reader.next_content()) is not None:
            assert content
    except NoiseError:
        return None
    return reader


JOURNAL = new_form(None)
PARSERS: dict[str, Callable[[bytes], object]] = {
    "value": lambda data: codec.decode(data, 1 << 20),
    "payload": lambda data: signed_messages.read_payload(data, TABLE.id, TABLE.seats),
    "message": lambda data: signed_messages.parse(data, TABLE.id, TABLE.ids),
    "frame": peer_frames.parse_frame,
    "lobby": lobby.parse_lobby,
    "talk": chat.parse_talk,
    "again": rematch_frames.parse_again,
    "header": table_header.parse_header,
    "key.reveal": partial(step_bodies.parse, step_bodies.key_reveal_form(3, 4)),
    "key.commit": partial(step_bodies.parse, step_bodies.KeyCommit),
    "key.ok": step_bodies.parse_key_ok,
    "seal": partial(step_bodies.parse, step_bodies.SealBody),
    "shuffle": partial(step_bodies.parse, step_bodies.shuffle_form(11)),
    "gather": partial(step_bodies.parse, step_bodies.gather_form(1, 1)),
    "show": partial(step_bodies.parse, step_bodies.ShowBody),
    "choice": lambda data: step_bodies.parse_choice(data, 16),
    "file": _file,
    "canonical": read_canonical,
    "journal": lambda data: _records(b"hoity-journal-3\n\0" + data),
    "mark": lambda data: JOURNAL.marked(data),
    "mark behind its magic": lambda data: JOURNAL.marked(MARK_MAGIC + data),
    "edition": _text(lambda text: parse(text, "fuzz")),
    "ticket": _text(decode_ticket),
    "address": _text(parse_address),
    "challenge": lambda data: LISTENER.check(data, CHALLENGE),
    "properties": lambda data: read_properties({b"v": b"3", b"name": data[:9], b"t0": data[9:]}),
    "hello": read_hello,
    "range of versions": LINK_VERSIONS.take,
    "first message": lambda data: _first(data),
    "records": lambda data: _channel(data),
}
"""The parsers in their order: the first byte of an input is the place of its parser here."""
ASKED = (
    peer_frames.Fetch((bytes(32),), (1,)),
    peer_frames.Sync(1, 2, (bytes(16),)),
    peer_frames.Own(),
    peer_frames.Told(bytes(32), True),
)


def sound_inputs() -> Iterator[tuple[str, bytes]]:
    """(parser, input) for every message, body and frame of a game of four, its header and file."""
    table, who = make_table(ToyGame(4), 4)
    played = MachineTable(table, who, toy_choice)
    played.start()
    played.run(until=5)
    machine = played.places[0].machine
    yield "header", table.header.encode()
    yield "file", machine.transcript()
    word = chat.speak(table.id, who[0], 0, 1, "well played")
    yield "talk", word.encode()
    yield "talk", chat.pass_on(word, who[0], 2).encode()
    entry = table_header.sit(rematch_frames.next_terms(table), who[0], "Ada", bytes(32))
    yield "again", rematch_frames.Consent(table.id, entry.value()).encode()
    yield "again", rematch_frames.refuse(table.id, who[0]).encode()
    for frame in ASKED:
        yield "frame", peer_frames.encode_frame(frame)
    for message in store_of(machine):
        yield "payload", message.payload
        yield "message", message.encode()
        yield "frame", peer_frames.encode_frame(peer_frames.Carry(message.encode()))
    yield from _bodies(machine)
    yield from _files()


def _files() -> Iterator[tuple[str, bytes]]:
    """Files that a verifier refuses late, of the real game, and the editions."""
    for path in sorted((ROOT / "tests" / "vectors" / "failures").glob("*.hoity")):
        if 0 < path.stat().st_size <= LONGEST:
            yield "file", path.read_bytes()
    for path in sorted((ROOT / "p2p_hoity" / "editions").glob("*.toml")):
        yield "edition", path.read_bytes()


def _bodies(machine: SeatMachine) -> Iterator[tuple[str, bytes]]:
    kinds = {before.digest: before.want.kind for before, _, _ in steps_to(machine.tip)}
    for body, kind in (
        (say.body, kinds.get(say.on)) for say in map(_say, store_of(machine)) if say
    ):
        yield "value", body
        if kind in BODIES:
            yield BODIES[kind], body


def _say(message: Message) -> StepInput | None:
    return message.statement if isinstance(message.statement, StepInput) else None


def main(folder: str) -> None:
    """Write each input into a file of its own, as libFuzzer reads them."""
    for name, data in sound_inputs():
        held = bytes([list(PARSERS).index(name)]) + data
        (Path(folder) / hashlib.sha256(held).hexdigest()[:32]).write_bytes(held)


if __name__ == "__main__":
    main(sys.argv[1])
