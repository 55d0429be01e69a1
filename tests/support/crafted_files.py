"""Files made to keep a verifier busy, and the seconds a megabyte of each takes.

`python -m support.crafted_files [NAME …]`: every seat lies, so all says, halts and closes are
signed as the maker likes. The first line is an honest game, for comparison.
"""

import hashlib
import sys
import time
from collections.abc import Callable, Iterable

from protocol.chain import transition
from protocol.chain.sealing import seal_choice
from protocol.chain.secrets import new_secrets
from protocol.chain.state import Node
from protocol.transcript.format import Content, Evidence, Transcript
from protocol.transcript.verifier import verify
from protocol.wire.messages import Close, Halt, Message, Say
from support.files import read, signed
from support.inspection import store_of
from support.machine_table import seeded
from support.played import files_of, game_of, room_of

NAME, SEATS, QUORUM = "six", 6, 4
LONG = 4096
EPOCH = 10


def start() -> Node:
    """The node that epoch 0 begins with."""
    node = room_of(NAME).places[0].machine.tip.before(room_of(NAME).table.first_step)
    assert node is not None
    return node


def file_of(messages: Iterable[Message], closes: Iterable[Message]) -> bytes:
    """Setup, then these messages and closes; the game goes no further."""
    whole = read(NAME)
    steps = room_of(NAME).table.first_step - 1
    held = {m.hash: m for m in messages}
    return Transcript(
        Content(whole.content.header, whole.content.entries[:steps]),
        Evidence(
            whole.evidence.signatures[:steps],
            tuple((held[h].payload, held[h].signature) for h in sorted(held)),
            tuple((m.payload, m.signature) for m in closes),
        ),
    ).encode()


def hashes(messages: Iterable[Message]) -> tuple[bytes, ...]:
    return tuple(sorted({m.hash for m in messages}))


def noise(count: int, seat: int, first: int = 20_000) -> list[Message]:
    """Says of one seat that build on nothing."""
    return [signed(NAME, seat, Say(0, first + i, bytes(32), b"")) for i in range(count)]


def halt(seat: int, says: Iterable[Message], epoch: int = EPOCH, proofs: object = ()) -> Message:
    return signed(NAME, seat, Halt(epoch, None, hashes(says), None, (), tuple(sorted(proofs))))  # type: ignore[call-overload]


def close(halts: Iterable[Message], epoch: int = EPOCH) -> Message:
    return signed(NAME, epoch % SEATS, Close(epoch, tuple(m.hash for m in halts)))


def dealt() -> tuple[Node, list[Message]]:
    """The node after the deal, and the says of the deal."""
    machine, node = room_of(NAME).places[0].machine, start()
    after = machine.tip.before(node.step + 1)
    assert after is not None
    return after, list(store_of(machine).says(0, node.step))


def seals(node: Node, seat: int, count: int, mark: str = "") -> list[Message]:
    """So many versions of a sealed bid."""
    found = []
    for i in range(count):
        secrets = new_secrets(hashlib.sha256(b"secret%d" % seat).digest(), QUORUM)
        draw = seeded(f"seal {mark} {seat} {i}")
        body = seal_choice(node, seat, "bid", b"\x02", secrets, draw)
        found.append(signed(NAME, seat, Say(0, node.step, node.digest, body)))
    return found


# The files.


def shared_halts(count: int, long: int) -> bytes:
    """Many closes of one epoch over the same three long halts; each has a base of its own."""
    node, deal = dealt()
    first = [s for seat in (0, 1, 2, 4, 5) for s in seals(node, seat, 1)]
    said = noise(long - len(deal) - len(first), 4)
    halts = [halt(seat, [*deal, *first, *said]) for seat in (0, 1, 2)]
    third = seals(node, 3, count)
    thirds = [halt(3, [s, *deal]) for s in third]
    pairs = sorted(zip(third, thirds, strict=True), key=lambda p: _base(node, first, p[0]))
    closes = [close([*halts, h]) for _, h in pairs]
    return file_of([*deal, *first, *said, *halts, *third, *thirds], closes)


def _base(node: Node, first: list[Message], third: Message) -> bytes:
    """What the base of this close is sorted by."""
    says = {m.seat: m.statement for m in (*first, third)}
    bodies = {s: say.body for s, say in says.items() if isinstance(say, Say)}
    return transition.append(node, transition.slots_of(node, bodies)).base_digest()


def many_epochs(count: int, long: int) -> bytes:
    """A close in each epoch, all over halts that list the same says."""
    said, halts, closes = noise(long, 4), list[Message](), []
    for epoch in range(1, count + 1):
        some = [halt(seat, said, epoch) for seat in range(4)]
        halts += some
        closes.append(close(some, epoch))
    return file_of([*said, *halts], closes)


def all_versions() -> bytes:
    """Eight versions of every seat in one step, so that as many choices as may be are tried."""
    node, deal = dealt()
    versions = {seat: seals(node, seat, 8) for seat in range(SEATS)}
    halts = []
    for h in range(QUORUM):
        pick = [m for seat in range(SEATS) for m in versions[seat][2 * h : 2 * h + 2]]
        halts.append(halt(h, [*deal, *pick]))
    every = [m for v in versions.values() for m in v]
    return file_of([*deal, *every, *halts], [close(halts)])


def two_doublers(long: int) -> bytes:
    """Two seats with eight versions each; says that name sixteen of their choices; noise."""
    node, deal = dealt()
    single = [s for seat in range(QUORUM) for s in seals(node, seat, 1)]
    double = {seat: seals(node, seat, 8) for seat in (4, 5)}
    base = {m.seat: m.statement.body for m in single}  # type: ignore[union-attr]
    after = []
    for i in range(8):
        for seat in (4, 5):
            two = double[4][i], double[5][(i + seat) % 8]
            said = base | {m.seat: m.statement.body for m in two}  # type: ignore[union-attr]
            on = transition.step_digest(node, transition.slots_of(node, said))
            after.append(signed(NAME, seat, Say(0, node.step + 1, on, bytes([i]))))
    more = [noise(long, 4, 20_000 + h * long) for h in range(QUORUM)]
    halts = []
    for h in range(QUORUM):
        pick = [m for v in double.values() for m in v[2 * h : 2 * h + 2]]
        halts.append(halt(h, [*deal, *single, *pick, *after[4 * h : 4 * h + 4], *more[h]]))
    every = [*deal, *single, *double[4], *double[5], *after, *(m for v in more for m in v)]
    return file_of([*every, *halts], [close(halts)])


def named_closes(count: int, proofs: int) -> bytes:
    """Halts whose proofs name closes, each over three halts that are as long as may be."""
    said = noise(LONG, 4)
    inner = [halt(seat, said) for seat in range(3)]
    last = [halt(3, said[i : i + 1]) for i in range(proofs)]
    named = [close([*inner, h]) for h in last]
    outer, closes = [], []
    for epoch in range(EPOCH + 1, EPOCH + 1 + count):
        some = [halt(s, (), epoch, [(m.hash,) for m in named]) for s in range(4)]
        outer += some
        closes.append(close(some, epoch))
    return file_of([*said, *inner, *last, *named, *outer], closes)


def one_list(long: int) -> bytes:
    """Four halts that list one seat's says, as many as may be; all are that seat's own halts."""
    said = noise(long, 4)
    pairs = [halt(4, said[i:], EPOCH - 1 - i) for i in range(EPOCH - 2)]
    proofs = [tuple(sorted((m.hash, said[0].hash))) for m in pairs]
    halts = [halt(seat, said, EPOCH, proofs) for seat in range(4)]
    return file_of([*said, *pairs, *halts], [close(halts)])


def honest() -> bytes:
    return files_of(NAME)[0]


FILES: dict[str, Callable[[], bytes]] = {
    "honest": honest,
    "one long list": lambda: one_list(LONG),
    "closes over the same halts": lambda: shared_halts(60, LONG),
    "closes in many epochs": lambda: many_epochs(10, LONG),
    "all versions": all_versions,
    "two doublers": lambda: two_doublers(4000),
    "closes named in proofs": lambda: named_closes(20, SEATS),
    "closes named in more proofs": lambda: named_closes(1, 64),
}


def main() -> int:
    for name, make in FILES.items():
        if sys.argv[1:] and name not in sys.argv[1:]:
            continue
        data = make()
        began = time.process_time()
        report = verify(data, game_of)
        took = time.process_time() - began
        said = report.problem.code if report.problem else "ok"
        megabytes = len(data) / 1e6
        print(f"{name}: {megabytes:.2f} MB, {took:.1f} s, {took / megabytes:.0f} s/MB, {said}")
        words = report.problem.words if report.problem else ""
        print(f"    {report.counts.bases} bases; {words}", flush=True)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
