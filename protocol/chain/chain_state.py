"""One point of the chain: everything that follows from the steps so far, frozen.

Beside it stands what one seat keeps to itself: its keys, and the openings of what it sealed.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import IntEnum, StrEnum
from functools import cached_property
from typing import Any, Final

from ..crypto import group, key_sharing, shuffle_proof
from ..crypto.elgamal import Ciphertext
from ..crypto.hashing import ORDER, Context, Label, Random, digest, expand, u64
from ..crypto.proof_batches import Checker, at_once
from ..errors import FieldPlace
from ..fault_codes import Fault
from ..game_interface import NOT_OF_FORM, Cards, Choice, Game, IllegalMove, Layout
from ..wire import codec
from ..wire.table_header import MAX_SEATS, Header


class Kind(StrEnum):
    """What kind of step the chain stands before."""

    KEY_COMMIT = "key.commit"
    KEY_REVEAL = "key.reveal"
    KEY_OK = "key.ok"
    SHUFFLE = "shuffle"
    DECK_OK = "deck.ok"
    DEAL = "deal"
    SEAL = "seal"
    BARRIER = "barrier"
    REVEAL = "reveal"
    SHOW = "show"
    CHOOSE = "choose"
    OPEN = "open"
    OVER = "over"
    FINAL = "final"
    RESULT = "result"
    ENDED = "ended"


_PLAY: Final = frozenset(
    {Kind.SEAL, Kind.BARRIER, Kind.REVEAL, Kind.SHOW, Kind.CHOOSE, Kind.OPEN, Kind.OVER}
)

NEXT: Final[Mapping[Kind, frozenset[Kind]]] = {
    Kind.KEY_COMMIT: frozenset({Kind.KEY_REVEAL}),
    Kind.KEY_REVEAL: frozenset({Kind.KEY_OK, Kind.ENDED}),
    Kind.KEY_OK: frozenset({Kind.SHUFFLE, Kind.ENDED}),
    Kind.SHUFFLE: frozenset({Kind.SHUFFLE, Kind.DECK_OK}),
    Kind.DECK_OK: frozenset({Kind.DEAL}),
    Kind.DEAL: _PLAY | {Kind.DEAL},
    Kind.SEAL: _PLAY,
    Kind.BARRIER: frozenset({Kind.REVEAL, Kind.OVER}),
    Kind.REVEAL: _PLAY,
    Kind.SHOW: _PLAY,
    Kind.CHOOSE: _PLAY,
    Kind.OPEN: _PLAY,
    Kind.OVER: frozenset({Kind.FINAL, Kind.RESULT}),
    Kind.FINAL: frozenset({Kind.FINAL, Kind.RESULT}),
    Kind.RESULT: frozenset(),
    Kind.ENDED: frozenset(),
}
"""The step table: which kind of step may follow which ([N-2]); a change of epoch may not leave it
either (it only changes who speaks, or lets defaults complete what nobody owes any more)."""

SETUP: Final = frozenset(
    {Kind.KEY_COMMIT, Kind.KEY_REVEAL, Kind.KEY_OK, Kind.SHUFFLE, Kind.DECK_OK}
)
"""Steps before epoch 0 begins: any absence or fault here ends the table ([N-6])."""


class Missing(IntEnum):
    """What stands in a slot that holds no body."""

    NONE = 0
    ABSENT = 1
    FAULT = 2


Slot = bytes | Missing


@dataclass(frozen=True)
class Table:
    """What never changes: the header, the game bound to it, and when proofs are checked."""

    header: Header
    game: Game[Any]
    check_proof: Checker = field(default=at_once, compare=False, repr=False)

    @cached_property
    def id(self) -> bytes:
        """The table id."""
        return self.header.table_id

    @cached_property
    def ids(self) -> tuple[bytes, ...]:
        """The identity keys in seat order."""
        return tuple(entry.id for entry in self.header.roster)

    @property
    def seats(self) -> int:
        """n."""
        return self.header.terms.seats

    @property
    def quorum(self) -> int:
        """t."""
        return self.header.terms.quorum

    @property
    def strict(self) -> bool:
        """t = n: no key sharing, no escrow."""
        return self.header.terms.strict

    @cached_property
    def layout(self) -> Layout:
        """The deck's layout."""
        return self.game.layout

    @property
    def max_body(self) -> int:
        """Bytes of the longest body that is kept: a shuffle, or the shares of all cards ([M-8])."""
        return 192 * self.layout.cards + 8192

    @property
    def first_step(self) -> int:
        """The step with which epoch 0 begins: the deal, after keys, shuffles and deck.ok.

        SPEC: [N-6].
        """
        return self.seats + 5

    @cached_property
    def everyone(self) -> frozenset[int]:
        """All seats."""
        return frozenset(range(self.seats))

    def check_choice(self, state: Any, kind: str, seat: int, choice: Choice, cards: Cards) -> None:
        """Raise IllegalMove unless the choice is of its form and the game allows it; `cards` are
        those shown with it."""
        if not self.game.form(kind).admits(choice):
            raise IllegalMove(NOT_OF_FORM, kind=kind)
        self.game.check(state, kind, seat, choice, cards)

    def context(self, step: int, seat: int, kind: str) -> Context:
        """Return what a statement in a proof or commitment is bound to."""
        return Context(self.id, step, seat, kind)


@dataclass(frozen=True)
class Keys:
    """The public side of the deck's keys; grows through the setup steps."""

    hashes: tuple[bytes, ...] = ()
    boxes: tuple[bytes, ...] = ()
    vectors: tuple[tuple[bytes, ...], ...] = ()
    key_shares: tuple[tuple[bytes, ...], ...] = ()
    joint: bytes = b""
    deck: tuple[Ciphertext, ...] = ()
    shuffles: int = 0

    def share_key(self, seat: int) -> bytes:
        """Return the public key share of a seat."""
        return self.vectors[seat][0]

    def public_key_share(self, dealer: int, holder: int) -> bytes:
        """Return the public form of the key share that `holder` has of `dealer`'s share."""
        return public_key_share_of(self.vectors[dealer], holder + 1)

    def total_key(self, holder: int) -> bytes:
        """Return the public form of the sum of all key shares that `holder` has."""
        return total_key_share(self.vectors, holder + 1)


@group.cache_per_backend(4096)
def public_key_share_of(vector: tuple[bytes, ...], index: int) -> bytes:
    """Return Feldman's public piece, kept since it is asked for again and again."""
    return key_sharing.public_key_share_at(vector, index)


@group.cache_per_backend(512)
def total_key_share(vectors: tuple[tuple[bytes, ...], ...], index: int) -> bytes:
    """Return the sum of the public pieces of all dealers for one holder."""
    return group.total(public_key_share_of(vector, index) for vector in vectors)


@dataclass(frozen=True)
class SealedChoice:
    """A commitment and its escrow, and the step in which they were said."""

    step: int
    commitment: bytes
    escrow: bytes


@dataclass(frozen=True)
class Want:
    """What the next step asks: its kind, its speakers, and of whom which choice or share ([N-3]).

    `name` is the kind of choice; `owes` who owes one; `dues` whose sealed choice is to be
    opened; `lacks` the (slot, seat) pairs whose share is still missing, in rising order.
    """

    kind: Kind
    speakers: frozenset[int]
    name: str = ""
    owes: frozenset[int] = frozenset()
    dues: tuple[int, ...] = ()
    lacks: tuple[tuple[int, int], ...] = ()
    shows: bool = False


@dataclass(frozen=True)
class Conviction:
    """A fault that the chain itself proves; `place` is in the seat's body of that step."""

    step: int
    seat: int
    code: str
    place: FieldPlace | None = field(default=None, compare=False)


ChoiceKey = tuple[str, int]
ShareKey = tuple[int, int]
Opening = bytes | Choice | None


@dataclass(frozen=True, eq=False)
class Node:
    """The state before `step`; `digest` is that of all steps before it.

    `playing` are the seats the game was told last to be present (None: all). `useless`: the
    keys of all seats together carry no table, by nobody's provable fault. `held`: what was sealed
    before this step has been confirmed by all, and may be opened.
    `shares` maps (slot, seat) to a proven share; `cards` what is open to all; `sealed`,
    `lost` and `opened` are keyed by (kind of choice, seat). A sealed choice is lost when its
    owner was absent or banned at any time since: others may open it. `parent` and `slots` say
    by which step (None: by which link) the chain came here; `derived` is what follows from it.
    """

    table: Table
    digest: bytes
    step: int
    present: frozenset[int]
    want: Want
    banned: frozenset[int] = frozenset()
    absences: tuple[int, ...] = ()
    playing: frozenset[int] | None = None
    keys: Keys = Keys()
    state: Any = None
    shares: Mapping[ShareKey, bytes] = field(default_factory=dict)
    cards: Mapping[int, int] = field(default_factory=dict)
    sealed: Mapping[ChoiceKey, SealedChoice] = field(default_factory=dict)
    lost: frozenset[ChoiceKey] = frozenset()
    opened: Mapping[ChoiceKey, Opening] = field(default_factory=dict)
    is_over_given: bool = False
    useless: bool = False
    held: int = 0
    convictions: tuple[Conviction, ...] = ()
    parent: Node | None = field(default=None, repr=False)
    slots: tuple[Slot, ...] | None = None
    derived: Derived = field(init=False, default_factory=lambda: Derived(), repr=False)

    def __repr__(self) -> str:
        who = sorted(self.present)
        return f"Node(step={self.step}, {self.want.kind}, present={who}, {self.digest.hex()[:8]})"

    def base_digest(self) -> bytes:
        """Return the digest that votes name.

        It covers the chain, the step, who is present and banned, the absences and, at the end of
        the game, the standings.

        SPEC: [N-1], [N-13].
        """
        return digest(Label.BASE, self.table.id, codec.encode(self.base_value()))

    def base_value(self) -> tuple[Any, ...]:
        """Return what the digest of a base covers, as a plain value ([N-13])."""
        sets = tuple(sorted(self.present)), tuple(sorted(self.banned))
        return (self.digest, self.step, *sets, self.absences, self.standings())

    def standings(self) -> tuple[tuple[int, int], ...] | None:
        """Return (rank, seat) by rank and seat where the game is over, None before."""
        if self.want.kind is not Kind.RESULT:
            return None
        return tuple(sorted(self.table.game.standings(self.state)))

    def result_body(self) -> bytes:
        """Return the body that every present seat owes in `result` ([N-13])."""
        return codec.encode((self.standings(), sorted(self.present)))

    def history(self) -> list[Node]:
        """Return the nodes of the chain from its beginning to this one."""
        nodes = [self]
        while nodes[-1].parent is not None:
            nodes.append(nodes[-1].parent)
        nodes.reverse()
        return nodes

    def before(self, step: int) -> Node | None:
        """Return the node of this chain that stands before `step`, after any link."""
        node: Node | None = self
        while node is not None and node.step > step:
            node = node.parent
        return node if node is not None and node.step == step else None


@dataclass(frozen=True)
class AcceptedBody:
    """A body that was read and checked; `given` is what it gives to its step."""

    given: Any


@dataclass(frozen=True)
class RefusedBody:
    """A body that is illegal here: the code of the fault, a note for developers, and the place."""

    code: str
    note: str
    place: FieldPlace | None = None

    def fault(self, seat: int, step: int) -> Fault:
        """Return the fault of the seat that has said it in this step."""
        return Fault(self.code, seat, step, self.note, self.place)


@dataclass
class Derived:
    """What was computed from one node, kept so that the same question has the same answer."""

    verdicts: dict[tuple[int, bytes], AcceptedBody | RefusedBody] = field(default_factory=dict)
    steps: dict[tuple[Slot, ...], Node] = field(default_factory=dict)
    links: dict[tuple[frozenset[int], frozenset[int], tuple[int, ...]], Node] = field(
        default_factory=dict
    )

    def clear(self) -> None:
        """Forget it all: it is computed again if it is asked for."""
        self.verdicts, self.steps, self.links = {}, {}, {}


KEY_SHARE_STEP = 2
"""The step in which key shares are said, `key.reveal`; each is sealed in its context."""

OwnOpening = tuple[bytes, bytes]
"""(choice, nonce)."""


def stream(seed: bytes, purpose: str) -> Random:
    """Return randomness that the seed gives again after a crash."""
    count = 0

    def draw(size: int) -> bytes:
        nonlocal count
        count += 1
        return expand(Label.JOURNAL, size, seed, purpose.encode(), u64(count))

    return draw


@dataclass
class Secrets:
    """What one seat must keep to itself at one table; `openings` is keyed by commitment ([D-6])."""

    seed: bytes = field(repr=False)
    polynomial: tuple[int, ...] = field(repr=False)
    box: bytes = field(repr=False)
    openings: dict[bytes, OwnOpening] = field(default_factory=dict, repr=False)
    _pieces: dict[int, int] = field(default_factory=dict, repr=False)
    _recorded: set[bytes] = field(default_factory=set, repr=False)
    _shuffle: shuffle_proof.Prepared | None = field(default=None, repr=False)

    def keep_opening(self, commitment: bytes, choice: bytes, nonce: bytes) -> None:
        """Keep the opening of a commitment."""
        self.openings[commitment] = (choice, nonce)

    def unrecorded(self) -> list[tuple[bytes, OwnOpening]]:
        """Return the openings made since the last call."""
        fresh = [(c, o) for c, o in list(self.openings.items()) if c not in self._recorded]
        self._recorded |= {c for c, _ in fresh}
        return fresh

    @property
    def key(self) -> int:
        """The share of the deck's key."""
        return self.polynomial[0]

    def key_share_of(self, node: Node, dealer: int, seat: int) -> int:
        """Return the key share that `dealer` gave this seat."""
        if dealer == seat:
            return key_sharing.key_share_at(self.polynomial, seat + 1)
        if dealer not in self._pieces:
            context = node.table.context(KEY_SHARE_STEP, dealer, f"key-share-{seat}")
            sealed = node.keys.key_shares[dealer][seat]
            self._pieces[dealer] = key_sharing.decrypt_key_share(context, self.box, sealed)
        return self._pieces[dealer]

    @property
    def is_prepared(self) -> bool:
        """Whether a shuffle is prepared."""
        return self._shuffle is not None

    def prepare_shuffle(self, node: Node, rng: Random) -> bool:
        """Do ahead of time what a shuffle needs no deck for; False if it is done already."""
        if self._shuffle is not None:
            return False
        self._shuffle = shuffle_proof.prepare(node.keys.joint, len(node.keys.deck), rng)
        return True

    def take_shuffle(self) -> shuffle_proof.Prepared | None:
        """Return what was prepared, for the one deck that it may be used for."""
        ready, self._shuffle = self._shuffle, None
        return ready


def new_secrets(seed: bytes, size: int) -> Secrets:
    """Return the secrets that a 32-byte seed gives, with a polynomial of `size` coefficients."""
    rng = stream(seed, "key")
    polynomial = tuple(nonzero_scalar(rng) for _ in range(size))
    while size > 1 and any(
        key_sharing.key_share_at(polynomial, i + 1) == 0 for i in range(MAX_SEATS)
    ):
        polynomial = tuple(nonzero_scalar(rng) for _ in range(size))  # no seat's piece may be zero
    box, _ = key_sharing.x25519_keypair(stream(seed, "box"))
    return Secrets(seed, polynomial, box)


def nonzero_scalar(rng: Random) -> int:
    """Return a scalar from 1 on."""
    return int.from_bytes(rng(64), "little") % (ORDER - 1) + 1
