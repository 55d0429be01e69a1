"""A table, and the types of what a node has and wants (6.2, 6.3)."""

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from .header import Header

if TYPE_CHECKING:
    from .chain import Node

VOID = "void"

Slots = tuple[bytes | int, ...]


@dataclass
class Table:
    """The state that all nodes of one table share, and the results computed for them already.

    Attributes:
        header: the table's header.
        nodes: every node that was made, by its digest.
        faults: the code of each body that was judged, None for a legal one.
    """

    header: Header
    nodes: dict[bytes, "Node"] = field(default_factory=dict)
    faults: dict[tuple[bytes, int, bytes], str | None] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Compute the values that are asked for often."""
        self.id = self.header.table
        self.seats = len(self.header.ids)
        self.all_seats = tuple(range(self.seats))
        self.quorum = self.header.quorum
        self.strict = self.quorum == self.seats
        self.vector_size = 1 if self.strict else self.quorum
        self.cards = len(self.header.edition.collectibles)
        self.setup_steps = self.seats + 4


@dataclass(frozen=True)
class Sealed:
    """A choice under commitment and escrow."""

    step: int
    commitment: bytes
    escrow: bytes


@dataclass(frozen=True)
class Keys:
    """The keys that follow from the key vectors (7.1)."""

    vectors: tuple[tuple[bytes, ...], ...]
    joint: bytes
    totals: tuple[bytes, ...]
    card_points: dict[bytes, int]


@dataclass(frozen=True)
class Wants:
    """The step that a node wants next (6.2).

    Attributes:
        step: the kind of the step.
        kind: the kind of the choice, or nothing.
        owing: who owes a body by itself; in gather steps whose own opening is due.
        dues: whose choices are to be opened (7.6).
        lacks: (slot, giver) of the shares that are missing, rising (7.6).
        shows: whether the choice shows cards.
    """

    step: str
    kind: str = ""
    owing: tuple[int, ...] = ()
    dues: tuple[int, ...] = ()
    lacks: tuple[tuple[int, int], ...] = ()
    shows: bool = False
