"""Makes the tables of the specification that follow from the code.

`python tools/spec_tables.py` rewrites them.

Each table stands between `<!-- made: name -->` and `<!-- end: name -->`. With `--tiny` the example
transcript is played again first, which changes its bytes.
"""

from __future__ import annotations

import hashlib
import json
import re
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any, Final

from p2p_hoity import game_adapter
from p2p_hoity.net.handshake_codes import BY_VERDICT, Verdict
from p2p_hoity.table.beside_game import chat, rematch_frames
from p2p_hoity.table.gathering import lobby
from protocol import fault_codes
from protocol.chain import transition
from protocol.chain.chain_state import NEXT, Kind, Missing, Node
from protocol.crypto import commitments, hashing, key_sharing
from protocol.crypto.group import (
    card_points,
    chain_generator,
    mul_base,
    second_generator,
    shuffle_generators,
)
from protocol.crypto.hashing import Context, Label
from protocol.seat.signer import SIGNS
from protocol.transcript import verifier
from protocol.transcript.verification_report import FILE_FAULTS
from protocol.wire import codec, peer_frames, signed_messages, step_bodies, table_header

ROOT: Final = Path(__file__).resolve().parent.parent
BOOKS: Final = tuple(
    ROOT / name for name in ("SPEC.md", "spec/seat.md", "spec/links.md", "spec/policy.md")
)
"""The specification: for verifiers, seats and links, and an appendix."""
VECTORS: Final = ROOT / "tests" / "vectors"
PAGES: Final = (*BOOKS, VECTORS / "README.md")
"""The pages with made tables."""
TINY: Final = VECTORS / "example.hoity"
BLOCK: Final = re.compile(r"(<!-- made: (\w+) -->\n)(.*?)(<!-- end: \2 -->)", re.DOTALL)

Rows = Iterable[Sequence[object]]


def markdown(head: Sequence[str], rows: Rows) -> str:
    """A table."""
    lines = [head, ["---"] * len(head), *rows]
    return "".join("| " + " | ".join(map(str, line)) + " |\n" for line in lines)


def code(text: object) -> str:
    """In code type."""
    return f"`{text}`"


# The data that is not in one place in the code; tests/project/test_spec.py probes it.


def fields_of(kind: type[Any]) -> dict[str, codec.FieldForm[Any]]:
    """The fields of a dataclass on the wire, with their forms."""
    return codec.Struct(kind).forms


def form_cells(form: codec.FieldForm[Any]) -> tuple[object, object, object]:
    """The type of a field of a message, and its least and most; `below` for one with fields."""
    match form:
        case codec.Int(high, low):
            return "int", low, high
        case codec.Octets(None):
            return "bytes", 0, "any"
        case codec.Octets(size):
            return "bytes", size, size
        case codec.Digests(rising=True):
            return "hashes", 0, form.most
        case codec.Digests():
            return f"array of bytes({form.size})", 0, form.most
        case codec.Rows():
            return "below", 0, form.most
        case _:
            return "below", "", ""


def message_fields() -> str:
    """The fields of the signed messages."""
    rows = (
        (name_of(cls), name, *form_cells(form))
        for cls, _ in signed_messages.KINDS.values()
        for name, form in fields_of(cls).items()
    )
    return markdown(("message", "field", "type", "least", "most"), rows)


def timeout_bounds() -> str:
    """The timeouts of the terms with their bounds."""
    forms = fields_of(table_header.Timeouts).items()
    bounds = (
        f"{name} {low} to {high}" for name, form in forms for _, low, high in [form_cells(form)]
    )
    return "in ms: " + ", ".join(bounds)


HEADER: Final = (
    ("terms", "version", "string", "`p2p-table/3`"),
    ("terms", "host", "bytes(32)", "the id of the host's seat"),
    ("terms", "nonce", "bytes(32)", "any; how it is drawn: [A-1]"),
    ("terms", "game", "array", "begins with [name, version]; the rest is the game's own"),
    ("terms", "seats", "int", "2 to 8"),
    ("terms", "quorum", "int", "seats div 2 + 1 to seats"),
    ("terms", "timeouts", "array of 4 ints", timeout_bounds()),
    ("terms", "rejoins", "int", "0 to 255: the highest count of a rejoin"),
    ("terms", "options", "array", "at most 16, rising by number: [int 0 to 65535, any value]"),
    ("entry", "id", "bytes(32)", "an identity key"),
    ("entry", "nickname", "string", "1 to 24 code points, [H-6], [H-10]"),
    ("entry", "nonce", "bytes(32)", "any; how it is drawn: [H-8]"),
    ("entry", "signature", "bytes(64)", "consent to the terms"),
)

FRAMES: Final = {
    "carry": "message: the bytes of section 5",
    "fetch": "send me these messages, and the new-epoch messages of these epochs",
    "sync": "I stand there. have: the first 16 bytes of the hash of each message that I store;"
    " direct: the seats that I hear over direct links",
    "own": "send me those of my messages that you store, whose hash is above this",
    "told": "those were all of yours, or all up to this hash",
    "departure": "this seat leaves for now, or is back: [E-24]",
    "end-notice": "this seat has a final end, or has ended the table in setup: [L-27]",
}

LOBBY: Final = {
    "ask": "a guest's first frame: it proves that it has the ticket",
    "offer": "the terms, who has sat down, and the host's vouch",
    "sit": "consent; at most 12 addresses of 300 characters; the guest's vouch",
    "names": "who has sat down; at most 16 nicknames",
    "refuse": "`unproven`, `full`, the `name` is taken, `denied`, `unheard` ([L-61]),"
    " `replaced` ([L-79]), `unwatched` ([L-64])",
    "asked": "the host is asked whether the guest may sit down",
    "roster": "the table is complete; signed; with the vouch of each seat",
    "table": "the table that this seat plays at",
}

TALK: Final = {
    "talk": "what its author says through the seat via; a seat through itself",
    "passed": "an onlooker's words, passed on by its forwarding seat",
}

AGAIN: Final = {
    "again": "this seat sits down at the next table",
    "no-more": "this seat does not",
}

MEANING: Final = {
    signed_messages.StepInput: "the body of a seat in a step, in this epoch and on this digest",
    signed_messages.EpochRequest: "a request to change to this epoch",
    signed_messages.EpochPromise: (
        "a promise to sign nothing of a lower epoch, and what its seat stores"
    ),
    signed_messages.NewEpoch: "the promises from which the base of an epoch follows",
    signed_messages.PrepareVote: "the first vote for a base",
    signed_messages.CommitVote: "the second vote for a base, after prepare votes of t seats",
    signed_messages.Rejoin: "its seat was made absent so often, and asks to be present again",
}

WHO: Final = {
    Kind.KEY_COMMIT: ("all n", "hash of the key vector, transport key"),
    Kind.KEY_REVEAL: ("all n", "key vector, proof, encrypted key shares"),
    Kind.KEY_OK: ("all n", "sealed coin, or a complaint"),
    Kind.SHUFFLE: ("the next seat", "deck and proof"),
    Kind.DECK_OK: ("all n", "empty"),
    Kind.DEAL: ("all present", "coin and shares"),
    Kind.SEAL: ("all present", "commitment and escrow, or empty"),
    Kind.BARRIER: ("all present", "empty"),
    Kind.REVEAL: ("all present", "opening and shares, or empty"),
    Kind.SHOW: ("all present", "choice and shares, or empty"),
    Kind.CHOOSE: ("one seat", "choice"),
    Kind.OPEN: ("all present", "shares"),
    Kind.OVER: ("all present", "empty"),
    Kind.FINAL: ("all present", "shares"),
    Kind.RESULT: ("all present", "standings, present seats; no step of the chain"),
    Kind.ENDED: ("nobody", ""),
}

CHOICES: Final = {
    "place": ("0 or 1", "0 the Castle, 1 the Auction Hall"),
    "action": ("0 to 47", "an Action card"),
    "turn": ("[place, action]", "Surprise: both at once"),
    "window": ("0 or 1", "a window"),
    "exhibit": ("3 or more rising slots", "the exhibit shown"),
    "theft": ("1 to 5 distinct slots", "one per exhibit, by rising seat of the exhibitor"),
}


# The tables.


def kinds() -> str:
    """The signed messages."""
    rows = (
        (number, name_of(cls), code(label.value), MEANING[cls])
        for number, (cls, label) in signed_messages.KINDS.items()
    )
    return markdown(("number", "kind", "label", "meaning"), rows)


def name_of(statement: type[Any]) -> str:
    """The word for a kind of statement."""
    return re.sub(r"(?<!^)(?=[A-Z])", "-", statement.__name__).lower().removesuffix("-vote")


def steps() -> str:
    """The step table."""
    rows = (
        (kind.value, *WHO[kind], ", ".join(sorted(k.value for k in NEXT[kind])) or "none")
        for kind in Kind
    )
    return markdown(("step", "speakers", "body", "next"), rows)


def signs() -> str:
    """Which statements a seat may sign in which state."""
    rows = ((state.value, _kinds(found)) for state, found in SIGNS.items())
    return markdown(("state", "may sign"), rows)


def _kinds(found: frozenset[type[Any]]) -> str:
    return ", ".join(sorted(map(name_of, found))) or "nothing"


def sizes() -> str:
    """Kinds of choices, their form and size."""
    rows = ((kind, *CHOICES[kind], size) for kind, size in game_adapter.SIZES.items())
    return markdown(("kind", "value", "meaning", "size(kind)"), rows)


def golden() -> str:
    """Small hashes and points."""
    rows = ((code(what), code(value.hex())) for what, value in goldens().items())
    return markdown(("what", "hex"), rows)


def goldens() -> dict[str, bytes]:
    """Small inputs and what they give."""
    zero, ctx = bytes(32), Context(bytes(32), 1, 0, "key")
    value = (0, 127, 128, 256, 65536, 2**32, None, True, "A", b"\x00", ())
    first = transition.digest_after_step(zero, (b"\xc0", Missing.ABSENT, Missing.NONE))
    reconfiguration = frozenset({0, 2}), frozenset({1}), (0, 1, 0)
    second = transition.digest_after_reconfiguration(first, *reconfiguration)
    label = Label.MESSAGE
    return {
        'encode([0, 127, 128, 256, 65536, 2^32, nil, true, "A", 00, []])': codec.encode(value),
        "framed(00, empty)": hashing.framed(b"\x00", b""),
        'H("p2p-table/3/message")': hashing.digest(label),
        'H("p2p-table/3/message", 00)': hashing.digest(label, b"\x00"),
        'scalar("p2p-table/3/message", 00), 32 bytes': hashing.hash_to_scalar(
            label, b"\x00"
        ).to_bytes(32, "little"),
        'expand("p2p-table/3/message", 5, 00)': hashing.expand(label, 5, b"\x00"),
        "M_0": card_points(2)[0],
        "M_1": card_points(2)[1],
        "h_0": shuffle_generators(1)[0],
        "h": chain_generator(),
        "G2": second_generator(),
        'ctx(32 zero bytes, 1, 0, "key")': ctx.encode(),
        "after step [c0, ABSENT, none] on 32 zero bytes": first,
        "after reconfiguration [[0, 2], [1], [0, 1, 0]] on that": second,
        "base digest of that, with next step 2 and 32 zero bytes as table id": hashing.digest(
            Label.BASE, zero, codec.encode((second, 2, (0, 2), (1,), (0, 1, 0), None))
        ),
        "opening of the choice 05 with 32 zero bytes as nonce, size(kind) = 1": commitments.opening(
            b"\x05", zero, 35
        ),
        "commitment to that choice with that nonce in that ctx": commitments.commit(
            ctx, b"\x05", zero
        ),
        "combine D_0 = 12·B and D_2 = 26·B, with f(x) = 5 + 7x: 5·B": key_sharing.combine(
            {1: mul_base(12), 3: mul_base(26)}, 2
        ),
    }


def fault_table() -> str:
    """What a seat can be proven guilty of."""
    return markdown(
        ("code", "the seat"), ((code(c), words) for c, words in fault_codes.FAULTS.items())
    )


def filefaults() -> str:
    """What a file can be refused for."""
    rows = ((code(one), words) for one, words in FILE_FAULTS.items())
    return markdown(("code", "meaning"), rows)


def verdicts() -> str:
    """The listener's last word."""
    words = {verdict: code.template for verdict, code in BY_VERDICT.items()}
    rows = ((one.value, words.get(one, "welcome: frames follow")) for one in Verdict)
    return markdown(("byte", "meaning, of the listener"), rows)


def frame_table(frames: codec.Kinds[Any], meaning: Mapping[str, str]) -> str:
    """The frames of one section, each with the most bytes that one of its kind may have."""
    rows = []
    for (kind, row), (name, words) in zip(frames.rows.items(), meaning.items(), strict=True):
        value = ", ".join((f'"{kind}"' if isinstance(kind, str) else str(kind), *row.forms))
        rows.append((name, code(f"[{value}]"), frames.sizes[kind], words))
    return markdown(("frame", "value", "most bytes", "meaning"), rows)


# The examples.


def walk() -> str:
    """The turns of step 3 of 10.5 in the two changes of epoch of `worked.json`."""
    worked = json.loads((VECTORS / "worked.json").read_text(encoding="utf-8"))
    rows: list[Sequence[object]] = []
    for epoch in worked["new_epochs"]["epochs"]:
        tree = {node["digest"]: node for node in epoch["tree"]}
        for turn in epoch["walk"]:
            bodies = [len(given) for _, given in tree[turn["digest"]]["bodies"]]
            found = (turn[name] or "none" for name in ("several", "missing", "claims"))
            rows.append((epoch["epoch"], turn["step"], bodies, *found, turn["then"]))
        base = epoch["base"]
        ends = [f"{name} {base[name]}" for name in ("present", "banned", "absences")]
        rows.append(
            (epoch["epoch"], epoch["v"]["step"], "", "", "", "", f"base: {', '.join(ends)}")
        )
    head = (
        "epoch",
        "next step of v",
        "bodies of each speaker",
        "several",
        "missing",
        "claims",
        "then",
    )
    return markdown(head, rows)


def nodes_of(data: bytes) -> list[Node]:
    """The chain of a transcript, from its start."""
    node = verifier.verify(data, game_adapter.read_game).node
    nodes = []
    while node is not None:
        nodes.append(node)
        node = node.parent
    return nodes[::-1]


def example() -> str:
    """The head of the example transcript, and its chain."""
    data = TINY.read_bytes()
    report = verifier.verify(data, game_adapter.read_game)
    nodes = nodes_of(data)
    rows = [
        (n.step, _what(n), _bodies(after), _shown(after), code(after.digest.hex()[:24]))
        for n, after in pairwise(nodes)
    ]
    standings = ", ".join(f"rank {rank} seat {seat}" for rank, seat in report.standings)
    return (
        "A whole game of one round on a track of three fields,"
        f" `tests/vectors/example.hoity`, {len(data):,} bytes. It begins\n\n"
        + "".join(f"    {line}\n" for line in _head(data))
        + "\nwhich reads, decoded by section 2.1,\n\n"
        + "".join(f"    {line}\n" for line in _decoded(data))
        + f"\nTable id `{nodes[0].digest.hex()}`. Its chain:\n\n"
        + markdown(
            ("step", "kind", "bodies, bytes", "choices opened", "digest after it begins"), rows
        )
        + "\nThe step input of seat 0 in step 6 (`deck.ok`), payload and signature:\n\n"
        + "".join(f"    {line}\n" for line in _an_input(data, nodes))
        + f"\nVerdict `ok`: {standings}; digest `{report.digest}`.\n"
    )


def _what(node: Node) -> str:
    return f"{node.want.kind.value} {node.want.name}".strip()


def _bodies(node: Node) -> str:
    return ", ".join(str(len(s)) if isinstance(s, bytes) else "none" for s in node.slots or ())


def _shown(node: Node) -> str:
    """The choices that the openings of a reveal step hold."""
    if node.parent is None or node.parent.want.kind is not Kind.REVEAL:
        return ""
    gathers = [codec.decode(s, len(s)) for s in node.slots or () if isinstance(s, bytes)]
    choices = [codec.decode(g[0][0], 256) for g in gathers if g is not None and g[0]]
    return ", ".join(str(list(c) if isinstance(c, tuple) else c) for c in choices)


def _wrap(data: bytes) -> list[str]:
    text = data.hex()
    return [text[at : at + 92] for at in range(0, len(text), 92)]


def _head(data: bytes) -> list[str]:
    return [*_wrap(data[:184]), "…"]


def _decoded(data: bytes) -> list[str]:
    value = codec.decode(data, len(data), 16384)
    (version, host, nonce, game, *rest), roster = codec.decode(value[2][0], 1 << 16)
    return [
        f'["{value[0]}", {value[1]},',
        f"  [  (header, {len(value[2][0])} bytes:)",
        f'    [["{version}", {host.hex()},',
        f"      {nonce.hex()},",
        f'      [["{game[0][0]}", {game[0][1]}], (edition, {len(game[1])} bytes), "{game[2]}"],',
        f"      {', '.join(str(list(r) if isinstance(r, tuple) else r) for r in rest)}],",
        *[f'     [[{i.hex()}, "{name}", …], …' for i, name, _, _ in roster[:1]],
        f"    (chain of {len(value[2][1])} entries) …], [(signatures) …, [], [], [], (final) …]]",
    ]


def _an_input(data: bytes, nodes: list[Node]) -> list[str]:
    value = codec.decode(data, len(data), 16384)
    epoch, signature = value[3][0][5][0]
    step_input = signed_messages.StepInput(epoch, 6, nodes[5].digest, step_bodies.EMPTY)
    return [*_wrap(signed_messages.payload(nodes[0].table.id, 0, step_input)), *_wrap(signature)]


TABLES: Final[dict[str, Callable[[], str]]] = {
    "example": example,
    "walk": walk,
    "golden": golden,
    "header": lambda: markdown(
        ("record", "field", "type", "bounds"), ((r, f, t, b) for r, f, t, b in HEADER)
    ),
    "kinds": kinds,
    "fields": message_fields,
    "steps": steps,
    "faults": fault_table,
    "sizes": sizes,
    "signs": signs,
    "filefaults": filefaults,
    "verdicts": verdicts,
    "frames": lambda: frame_table(peer_frames.FRAMES, FRAMES),
    "lobby": lambda: frame_table(lobby.FRAMES, LOBBY),
    "talk": lambda: frame_table(chat.FRAMES, TALK),
    "again": lambda: frame_table(rematch_frames.FRAMES, AGAIN),
}


def specification() -> str:
    """The text of all books."""
    return "\n".join(book.read_text(encoding="utf-8") for book in BOOKS)


def remade(text: str) -> str:
    """A page with every table made again."""
    return BLOCK.sub(lambda m: m[1] + TABLES[m[2]]() + m[4], text)


# The example game.


def play_tiny() -> bytes:
    """Two seats, Surprise, the first 24 Collectibles by fours, one Castle of one field."""
    import random

    from support.machine_table import MachineTable, identity

    from p2p_hoity import rules
    from p2p_hoity.editions.load_edition import load
    from p2p_hoity.rules.edition import Castle
    from protocol.wire import table_header

    full = load()
    few = [
        c for letter in "ABCDEF" for c in [x for x in full.collectibles if x.letter == letter][:4]
    ]
    edition = replace(
        full, name="tiny", collectibles=tuple(few), castles=(Castle(2, 1, 1),), banquet_fields=1
    )
    draw = random.Random("tiny")

    def choose(machine: Any, asked: Any) -> Any:
        view = rules.view(asked.node.state.state, machine.seat, machine.hand())
        options: tuple[Any, ...] = view.legal(asked.kind)
        exhibits = [o for o in options if asked.kind == "turn" and o[1] % 8 == 7]
        return exhibits[0] if exhibits else draw.choice(options[:5])

    who = [identity(seat) for seat in range(2)]
    nonce = hashlib.sha256(b"terms").digest()
    terms = table_header.Terms(
        who[0].public, nonce, game_adapter.game_value(edition, "surprise"), 2, 2
    )
    roster = tuple(
        table_header.sit(terms, one, name, hashlib.sha256(name.encode()).digest())
        for one, name in zip(who, ("Ada", "Bob"), strict=True)
    )
    room = MachineTable(game_adapter.bind(table_header.Header(terms, roster)), who, choose, "tiny")
    room.start()
    room.run(until=2)
    return room.places[0].machine.transcript()


def main(arguments: Sequence[str]) -> None:
    """Make the example if asked, then all tables."""
    if "--tiny" in arguments:
        TINY.parent.mkdir(parents=True, exist_ok=True)
        TINY.write_bytes(play_tiny())
    for page in PAGES:
        page.write_text(remade(page.read_text(encoding="utf-8")), encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
