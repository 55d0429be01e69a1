"""The state at one point of the chain (`Node`), and the secrets of one seat (`Secrets`).

A node holds everything that follows from the steps before. In this package a *body* is the content
of a seat's input to a step. A *slot* of the deck is a position in it. A seat's *key vector* holds
the commitments to the coefficients of its polynomial (Feldman's VSS), and its first point is the
public key. An *escrow* is the encrypted opening of a sealed choice, which a quorum of seats can
decrypt together. It is empty on a strict table, where the quorum is all seats. A seat's *coin* is
its random contribution to the deal.
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
    """The kind of a step of the chain, by the name that SPEC gives it."""

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
"""The kinds of steps that may follow each kind ([N-2]), whatever seats owe an input in the epoch.
"""

SETUP: Final = frozenset(
    {Kind.KEY_COMMIT, Kind.KEY_REVEAL, Kind.KEY_OK, Kind.SHUFFLE, Kind.DECK_OK}
)
"""The kinds of steps before epoch 0. Any absence or fault in them ends the table ([N-6])."""


class Missing(IntEnum):
    """The reason why a step records no body of a seat."""

    NONE = 0
    """No body was due."""
    ABSENT = 1
    """The seat gave no body, and is made absent."""
    FAULT = 2
    """The seat gave several bodies, and none of them counts."""


Slot = bytes | Missing
"""What a step records of a seat."""


@dataclass(frozen=True)
class Table:
    """The constants of a table.

    Attributes:
        header: The terms of the table, and the list of its seats.
        game: The game, bound to the terms.
        check_proof: Checks a cryptographic proof, at once or later together with others.
    """

    header: Header
    game: Game[Any]
    check_proof: Checker = field(default=at_once, compare=False, repr=False)

    @cached_property
    def id(self) -> bytes:
        """The table id, 32 bytes."""
        return self.header.table_id

    @cached_property
    def ids(self) -> tuple[bytes, ...]:
        """The identity keys of the seats in their order, 32 bytes each."""
        return tuple(entry.id for entry in self.header.roster)

    @property
    def seats(self) -> int:
        """The number of seats, n."""
        return self.header.terms.seats

    @property
    def quorum(self) -> int:
        """The quorum, t: how many seats can decide, and can replace an absent seat's key."""
        return self.header.terms.quorum

    @property
    def strict(self) -> bool:
        """True if the quorum is all seats.

        Others can then not replace a seat's key or open its sealed choices.
        """
        return self.header.terms.strict

    @cached_property
    def layout(self) -> Layout:
        """The layout of the deck."""
        return self.game.layout

    @property
    def max_body(self) -> int:
        """The most bytes of a body. An input with a longer one is not stored ([M-8])."""
        # The longest legal bodies contain a shuffle, or the decryption shares of all cards.
        return 192 * self.layout.cards + 8192

    @property
    def first_step(self) -> int:
        """The number of the deal, the first step of epoch 0 ([N-6]). All steps before are setup."""
        return self.seats + 5

    @cached_property
    def everyone(self) -> frozenset[int]:
        """The set of all seats."""
        return frozenset(range(self.seats))

    def check_choice(self, state: Any, kind: str, seat: int, choice: Choice, cards: Cards) -> None:
        """Check that a choice has the form that the game declares for its kind, and is allowed.

        Args:
            state: The state of the game.
            kind: The kind of choice.
            seat: The seat that chooses.
            choice: The choice.
            cards: The numbers of the cards that are shown with the choice, by slot of the deck.

        Raises:
            IllegalMove: If the choice has another form, or if the game forbids it.
        """
        # A game may rely on the form in its own check, so the form is checked first.
        if not self.game.form(kind).admits(choice):
            raise IllegalMove(NOT_OF_FORM, kind=kind)
        self.game.check(state, kind, seat, choice, cards)

    def context(self, step: int, seat: int, kind: str) -> Context:
        """Return the context that is hashed into a commitment, an escrow or a proof.

        Args:
            step: The number of the step.
            seat: The seat that makes the commitment, escrow or proof.
            kind: Separates the things that one seat makes in one step.

        Returns:
            The context. It keeps them from being used at another table, step or seat.
        """
        return Context(self.id, step, seat, kind)


@dataclass(frozen=True)
class Keys:
    """The public keys and the deck, as far as setup has come.

    Attributes:
        hashes: The hash of each seat's key vector, from the step `key.commit`.
        boxes: The X25519 transport key of each seat, 32 bytes each.
        vectors: The key vector of each seat, from `key.reveal`.
        key_shares: The encrypted key shares, by the seat that dealt one and the seat that gets it.
        joint: The joint key, the sum of all public keys. Empty before `key.reveal`.
        deck: The ciphertext in each slot. Empty before `key.ok`.
        shuffles: How many seats have shuffled the deck.
    """

    hashes: tuple[bytes, ...] = ()
    boxes: tuple[bytes, ...] = ()
    vectors: tuple[tuple[bytes, ...], ...] = ()
    key_shares: tuple[tuple[bytes, ...], ...] = ()
    joint: bytes = b""
    deck: tuple[Ciphertext, ...] = ()
    shuffles: int = 0

    def share_key(self, seat: int) -> bytes:
        """Return the public key under which the decryption shares of a seat are proven."""
        return self.vectors[seat][0]

    def public_key_share(self, dealer: int, holder: int) -> bytes:
        """Return the key share that `dealer` dealt to `holder`, times the base point."""
        return public_key_share_of(self.vectors[dealer], holder + 1)

    def total_key(self, holder: int) -> bytes:
        """Return the sum of all key shares that a seat got, times the base point."""
        return total_key_share(self.vectors, holder + 1)


@group.cache_per_backend(4096)
def public_key_share_of(vector: tuple[bytes, ...], index: int) -> bytes:
    """Return the public key share for an index, which is the seat of its receiver plus 1."""
    return key_sharing.public_key_share_at(vector, index)


@group.cache_per_backend(512)
def total_key_share(vectors: tuple[tuple[bytes, ...], ...], index: int) -> bytes:
    """Return the sum of one public key share from each vector, for the index of a seat plus 1."""
    return group.total(public_key_share_of(vector, index) for vector in vectors)


@dataclass(frozen=True)
class SealedChoice:
    """A choice that is committed to.

    Attributes:
        step: The number of the step in which it was.
        commitment: 32 bytes.
    """

    step: int
    commitment: bytes
    escrow: bytes


@dataclass(frozen=True)
class Want:
    """The next step at a node, and what each seat owes in the step ([N-3]).

    Attributes:
        speakers: The seats that owe an input.
        name: The kind of choice that is made or opened in the step, "" if none is.
        owes: The seats that owe a choice, or that owe the opening of their own sealed choice.
        dues: The seats whose sealed choices are opened in the step, in rising order. The choice of
            an absent seat is opened by the other seats.
        lacks: The missing decryption shares, in rising order.
        shows: Whether the choice names slots of the deck, which are opened together with it.
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
    """A fault of a seat that the steps of the chain themselves prove.

    Attributes:
        step: The number of the step in which the seat counts as having committed the fault.
        place: The faulty field of the seat's body, None if the fault is not in one field.
    """

    step: int
    seat: int
    code: str
    place: FieldPlace | None = field(default=None, compare=False)


ChoiceKey = tuple[str, int]
"""The key by which a sealed choice is stored: the kind of choice, and the seat that made it."""
ShareKey = tuple[int, int]
"""The key of a decryption share: the slot of the deck, and the seat whose key makes the share."""
Opening = bytes | Choice | None
"""An opened choice: a coin, a choice of the game, or None if it is void by a fault of its seat."""


@dataclass(frozen=True, eq=False)
class Node:
    """The state of the chain before a step, with all that follows from the steps so far.

    Attributes:
        table: The table.
        digest: The hash of the chain so far, 32 bytes.
        step: The number of the next step.
        present: The seats that are present.
        want: The kind of the next step, and which seat owes what in it.
        banned: The seats that are out for good.
        absences: For each seat, how often it was made absent so far.
        game_present: The seats that the game was last told to be present. None stands for all.
        keys: The public keys and the deck.
        state: The state of the game, None in setup.
        shares: The proven decryption shares.
        cards: The numbers of the cards that are open to all, by slot of the deck.
        sealed: The sealed choices.
        lost: The sealed choices that others may open, because their owner was absent since.
        opened: The opened choices.
        is_over_given: Whether the step `over` is done.
        has_dead_keys: Whether the keys of all seats add up to an unusable key, which is nobody's
            provable fault ([D-8]).
        last_barrier: The number of the last step `barrier`. Choices sealed before it may be opened.
        convictions: The faults that the steps of the chain themselves prove.
        parent: The node before this one, None at the beginning.
        slots: What the step from the parent to this node records of each seat. None if this node
            came from a change of who is present or banned.
        derived: The cache of results that were computed from this node.
    """

    table: Table
    digest: bytes
    step: int
    present: frozenset[int]
    want: Want
    banned: frozenset[int] = frozenset()
    absences: tuple[int, ...] = ()
    game_present: frozenset[int] | None = None
    keys: Keys = Keys()
    state: Any = None
    shares: Mapping[ShareKey, bytes] = field(default_factory=dict)
    cards: Mapping[int, int] = field(default_factory=dict)
    sealed: Mapping[ChoiceKey, SealedChoice] = field(default_factory=dict)
    lost: frozenset[ChoiceKey] = frozenset()
    opened: Mapping[ChoiceKey, Opening] = field(default_factory=dict)
    is_over_given: bool = False
    has_dead_keys: bool = False
    last_barrier: int = 0
    convictions: tuple[Conviction, ...] = ()
    parent: Node | None = field(default=None, repr=False)
    slots: tuple[Slot, ...] | None = None
    derived: Derived = field(init=False, default_factory=lambda: Derived(), repr=False)

    def __repr__(self) -> str:
        who = sorted(self.present)
        return f"Node(step={self.step}, {self.want.kind}, present={who}, {self.digest.hex()[:8]})"

    def base_digest(self) -> bytes:
        """Return the digest by which votes identify this node as the start of an epoch ([N-1]).

        Returns:
            The hash of `base_value` ([N-13]), 32 bytes.
        """
        return digest(Label.BASE, self.table.id, codec.encode(self.base_value()))

    def base_value(self) -> tuple[Any, ...]:
        """Return the values that `base_digest` hashes ([N-13]).

        Returns:
            The digest of the chain, the number of the next step, the present seats, the banned
            seats, the number of absences of each seat, and the standings.
        """
        # Sets have no order, and all seats must hash the same bytes.
        sets = tuple(sorted(self.present)), tuple(sorted(self.banned))
        return (self.digest, self.step, *sets, self.absences, self.standings())

    def standings(self) -> tuple[tuple[int, int], ...] | None:
        """Return the standings if the game is over.

        Returns:
            The rank and the seat of everyone, by rank and then by seat. None if the game goes on.
        """
        if self.want.kind is not Kind.RESULT:
            return None
        return tuple(sorted(self.table.game.standings(self.state)))

    def result_body(self) -> bytes:
        """Return the body that every present seat signs in the last step, `result` ([N-13]).

        Returns:
            The encoded standings and present seats.
        """
        return codec.encode((self.standings(), sorted(self.present)))

    def history(self) -> list[Node]:
        """Return the chain from its beginning to this node.

        Returns:
            All nodes, this one last.
        """
        nodes = [self]
        while nodes[-1].parent is not None:
            nodes.append(nodes[-1].parent)
        nodes.reverse()
        return nodes

    def before(self, step: int) -> Node | None:
        """Return the last node of this chain whose next step has a given number.

        Args:
            step: The number of the step.

        Returns:
            The node, after all changes of who is present or banned right before the step. None if
            the chain has no such node.
        """
        node: Node | None = self
        while node is not None and node.step > step:
            node = node.parent
        return node if node is not None and node.step == step else None


@dataclass(frozen=True)
class AcceptedBody:
    """A legal body.

    Attributes:
        given: The content that was read from it, of a type that depends on the kind of step.
    """

    given: Any


@dataclass(frozen=True)
class RefusedBody:
    """An illegal body.

    Attributes:
        code: The code of the fault.
        note: For developers.
        place: The faulty field, None if the fault is in no single field.
    """

    code: str
    note: str
    place: FieldPlace | None = None

    def fault(self, seat: int, step: int) -> Fault:
        """Return the fault of the seat that gave the body."""
        return Fault(self.code, seat, step, self.note, self.place)


@dataclass
class Derived:
    """The cache of results that were computed from one node.

    Attributes:
        verdicts: By seat and body.
        steps: The node after the next step, by what the step records.
        reconfigurations: The node after a change of the present seats, the banned seats, and each
            seat's number of absences.
    """

    verdicts: dict[tuple[int, bytes], AcceptedBody | RefusedBody] = field(default_factory=dict)
    steps: dict[tuple[Slot, ...], Node] = field(default_factory=dict)
    reconfigurations: dict[tuple[frozenset[int], frozenset[int], tuple[int, ...]], Node] = field(
        default_factory=dict
    )

    def clear(self) -> None:
        """Drop all cached results. They are computed again when they are needed."""
        self.verdicts, self.steps, self.reconfigurations = {}, {}, {}


KEY_SHARE_STEP = 2
"""The number of the step `key.reveal`, in which key shares are dealt."""

OwnOpening = tuple[bytes, bytes]
"""The opening of an own sealed choice: the encoded choice, and the nonce of 32 bytes."""


def stream(seed: bytes, purpose: str) -> Random:
    """Return a source of pseudorandom bytes from a secret seed of 32 bytes and a purpose.

    The same seed and purpose give the same bytes. Different purposes give independent ones.
    """
    count = 0

    def draw(size: int) -> bytes:
        nonlocal count
        count += 1
        return expand(Label.JOURNAL, size, seed, purpose.encode(), u64(count))

    return draw


@dataclass
class Secrets:
    """The secrets of one seat at one table ([D-6]).

    Attributes:
        seed: The seed from which the keys are derived, 32 bytes.
        polynomial: The coefficients, scalars. The first is the secret key. The key shares for other
            seats are values of the polynomial.
        box: The secret X25519 transport key, 32 bytes.
        openings: The openings of own sealed choices, by commitment.
    """

    seed: bytes = field(repr=False)
    polynomial: tuple[int, ...] = field(repr=False)
    box: bytes = field(repr=False)
    openings: dict[bytes, OwnOpening] = field(default_factory=dict, repr=False)
    _key_shares: dict[int, int] = field(default_factory=dict, repr=False)
    _recorded: set[bytes] = field(default_factory=set, repr=False)
    _shuffle: shuffle_proof.Prepared | None = field(default=None, repr=False)

    def keep_opening(self, commitment: bytes, choice: bytes, nonce: bytes) -> None:
        """Store the encoded choice and the nonce, 32 bytes, of an own commitment."""
        self.openings[commitment] = (choice, nonce)

    def restore_opening(self, commitment: bytes, choice: bytes, nonce: bytes) -> None:
        """Store an opening that the journal has, so that `unrecorded` does not return it."""
        self.keep_opening(commitment, choice, nonce)
        self._recorded.add(commitment)

    def unrecorded(self) -> list[tuple[bytes, OwnOpening]]:
        """Return the openings by commitment that the journal lacks, each in one call alone."""
        # A copy, because a worker thread may add an opening meanwhile.
        fresh = [(c, o) for c, o in list(self.openings.items()) if c not in self._recorded]
        self._recorded |= {c for c, _ in fresh}
        return fresh

    @property
    def key(self) -> int:
        """The secret key of this seat, a scalar."""
        return self.polynomial[0]

    def key_share_of(self, node: Node, dealer: int, seat: int) -> int:
        """Return the key share, a scalar, that another seat dealt to this one.

        It is decrypted once.

        Raises:
            Invalid: With code `bad-key-sharing` if the key share cannot be decrypted.
        """
        # A seat's key share for itself is in no body, so there is nothing to decrypt.
        if dealer == seat:
            return key_sharing.key_share_at(self.polynomial, seat + 1)
        if dealer not in self._key_shares:
            context = node.table.context(KEY_SHARE_STEP, dealer, f"key-share-{seat}")
            sealed = node.keys.key_shares[dealer][seat]
            self._key_shares[dealer] = key_sharing.decrypt_key_share(context, self.box, sealed)
        return self._key_shares[dealer]

    @property
    def is_prepared(self) -> bool:
        """True if a shuffle is prepared and not used yet."""
        return self._shuffle is not None

    def prepare_shuffle(self, node: Node, rng: Random) -> bool:
        """Compute the parts of the own shuffle that need only the deck's size.

        Return False if done.
        """
        if self._shuffle is not None:
            return False
        self._shuffle = shuffle_proof.prepare(node.keys.joint, len(node.keys.deck), rng)
        return True

    def take_shuffle(self) -> shuffle_proof.Prepared | None:
        """Remove and return the prepared part of a shuffle, None if there is none."""
        # It is for one deck only: two decks with the same blinds would show the permutation.
        ready, self._shuffle = self._shuffle, None
        return ready


def new_secrets(seed: bytes, size: int) -> Secrets:
    """Derive the secrets of a seat from a seed of 32 bytes.

    The size is the number of coefficients of the polynomial: the quorum, or 1 on a strict table,
    where no key is shared.
    """
    rng = stream(seed, "key")
    polynomial = tuple(nonzero_scalar(rng) for _ in range(size))
    # Others refuse a key vector with a zero share. For all seats there can be, as n is not known.
    while size > 1 and any(
        key_sharing.key_share_at(polynomial, i + 1) == 0 for i in range(MAX_SEATS)
    ):
        polynomial = tuple(nonzero_scalar(rng) for _ in range(size))  # No share may be zero.
    # From a stream of its own, because the number of draws for the polynomial varies.
    box, _ = key_sharing.x25519_keypair(stream(seed, "box"))
    return Secrets(seed, polynomial, box)


def nonzero_scalar(rng: Random) -> int:
    """Draw a random number from 1 to ORDER - 1."""
    return int.from_bytes(rng(64), "little") % (ORDER - 1) + 1
