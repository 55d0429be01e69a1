"""The context of every statement: which table, which step, which seat, what kind."""

from dataclasses import dataclass

from .hashing import framed, u64
from .labels import VERSION


@dataclass(frozen=True, slots=True)
class Context:
    """Where a commitment, escrow or proof belongs; it is worthless anywhere else ([C-11]).

    `table` is the 32-byte table id; `step` the number of the chain step in which the statement
    is said; `seat` who says it, from 0; `kind` the kind of statement. It never names an epoch,
    so a body can be said again in another epoch as it is. Raises ValueError on values that
    have no encoding, which is the caller's mistake: a context is never read off the wire.
    """

    table: bytes
    step: int
    seat: int
    kind: str

    def __post_init__(self) -> None:
        if not isinstance(self.table, bytes) or len(self.table) != 32:
            raise ValueError("a context needs a table id of 32 bytes")
        if not (0 <= self.step < 2**64 and 0 <= self.seat < 2**64):
            raise ValueError("a context needs a step and a seat from 0 to 2^64 - 1")

    def encode(self) -> bytes:
        """The framed list: version, table, step (8 bytes), seat (8 bytes), kind (UTF-8)."""
        return framed(
            VERSION.encode(), self.table, u64(self.step), u64(self.seat), self.kind.encode()
        )
