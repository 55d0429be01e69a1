"""A host in a page: the table that it opens, opens again after a reload, or returns to."""

from __future__ import annotations

import json
import os
from dataclasses import asdict, dataclass, field, fields, replace

from p2p_hoity.editions.load_edition import load
from p2p_hoity.game_adapter import game_value, read_game
from p2p_hoity.net.ticket import fresh_secret
from p2p_hoity.rules.choices import MIN_SEATS
from p2p_hoity.storage.file_store import FileStore
from p2p_hoity.storage.player_key import NamedIdentity
from p2p_hoity.table.gathering.host_table import host_table
from p2p_hoity.table.gathering.table_keys import TableKeys
from p2p_hoity.table.playing.session import Outcome
from protocol import Identity, Terms, Timeouts, fingerprint, table_header

from ...exit_codes import Trouble
from ...words.table_terms import TableOffer
from ...words.translation import _
from .page_stay import OPENING, TICKET, PageStay


@dataclass(frozen=True)
class Opening:
    """A table that this page opens, as it is stored, with its secrets in hexadecimal.

    Attributes:
        asks: Whether the host is asked about each guest.
        is_full: Whether its roster was perhaps signed, so that the table is not opened again.
    """

    nickname: str
    seats: int
    asks: bool
    seed: str = field(default_factory=lambda: os.urandom(32).hex(), repr=False)
    nonce: str = field(default_factory=lambda: os.urandom(32).hex())
    secret: str = field(default_factory=lambda: fresh_secret().hex(), repr=False)
    is_full: bool = False

    def store(self, files: FileStore) -> None:
        """Store this."""
        # Over a table that is stored, only that it is full: its secrets would be lost.
        files.put(OPENING, json.dumps(asdict(self)).encode(), once=not self.is_full)

    @classmethod
    def stored(cls, files: FileStore) -> Opening:
        """Return what was stored."""
        found = json.loads(files.get(OPENING))
        # Another build of the page may have stored more.
        return cls(**{one.name: found[one.name] for one in fields(cls) if one.name in found})


class PageOpener(PageStay):
    """The stay of a host at its table."""

    async def _stay(self) -> Outcome:
        """Open the table, open it again, or take the seat again."""
        files = self.home.files
        opening = Opening.stored(files)
        keys = TableKeys(Identity(bytes.fromhex(opening.seed)))
        me = NamedIdentity(keys.seat, opening.nickname)
        if (kept := self.kept()) is not None:
            return await self._resume(me, kept)
        if opening.is_full:
            raise Trouble(
                _(
                    "This page was closed in the moment in which your table began. The table is "
                    "lost: open another one."
                )
            )
        seats, nonce = opening.seats, bytes.fromhex(opening.nonce)
        game = game_value(load(), "surprise" if seats == MIN_SEATS else None)
        quorum = table_header.default_quorum(seats)
        terms = Terms(keys.seat.public, nonce, game, seats, quorum, Timeouts())

        def on_ticket(word: str) -> None:
            # A page that is loaded again opens the same table, so its guests come back.
            files.put(TICKET, word.encode())
            names = (opening.nickname,)
            offer = TableOffer(terms, read_game(terms), names, notes=self._notes())
            self.window.show_ticket(word, offer)

        return await host_table(
            self._seat(me),
            keys,
            terms,
            self._reach(),
            on_ticket,
            self._admit if opening.asks else None,
            bytes.fromhex(opening.secret),
            lambda: replace(opening, is_full=True).store(files),
        )

    async def _admit(self, nickname: str, guest: bytes | None) -> bool:
        """Ask whether a guest, with its long-lived key if it shows one, may sit down."""
        return await self.player.admit(nickname, None if guest is None else fingerprint(guest))
