"""A toy table of three whose seats agree on another game: its terms, entries and consents."""

from p2p_hoity.table.beside_game import rematch_frames
from protocol.chain.chain_state import Table
from protocol.wire import table_header
from protocol.wire.table_header import Header, Terms
from support.machine_table import identity
from support.toy_game import ToyGame

WHO = [identity(seat) for seat in range(3)]
TERMS = Terms(WHO[0].public, b"n" * 32, (("toy", 1),), 3, 2)
ENTRIES = tuple(table_header.sit(TERMS, one, f"P{i}", bytes([i]) * 32) for i, one in enumerate(WHO))
TABLE = Table(Header(TERMS, ENTRIES), ToyGame(3, 1))
NEXT = rematch_frames.next_terms(TABLE)
"""The terms of the next table."""
CONSENTS = tuple(
    table_header.sit(NEXT, one, f"P{i}", bytes([9 + i]) * 32) for i, one in enumerate(WHO)
)
"""The entry of each seat at the next table."""
