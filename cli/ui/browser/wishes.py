"""What a person wants at the start of the page that plays, and how it is stored."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from p2p_hoity.net.addresses import relay_address
from p2p_hoity.net.ticket import Ticket, encode_ticket
from p2p_hoity.net.typed_tickets import read_ticket
from p2p_hoity.storage.file_store import FileStore
from p2p_hoity.storage.player_key import check_name
from p2p_hoity.table.gathering.drawn_nicknames import draw_nickname
from p2p_hoity.table.gathering.invite_by_code import ticket_by_code
from p2p_hoity.table.gathering.spoken_codes import is_code, parse_code, parse_relay

from ...exit_codes import Trouble
from ...words.translation import _
from .page_opener import Opening
from .page_stay import TICKET, WATCHES, PageWays


async def resolved(wish: Mapping[str, Any], ways: PageWays) -> str:
    """Return the ticket to which a wish leads, "" for a table that is to be opened.

    Args:
        wish: The `act` is `sit`, `watch` or `host`. The first two have as `word` a link, a ticket
            or a code. A `nickname` that was typed is checked.

    Raises:
        CodedError: If the nickname or the word is not valid, or the code leads to no ticket.
        Trouble: If the code is one of another relay.
    """
    if nickname := wish.get("nickname"):
        check_name(nickname)
    if wish["act"] == "host":
        return ""
    # A link has the ticket behind this sign.
    word = str(wish["word"]).rpartition("#")[2].strip()
    return encode_ticket(await _by_code(word, ways) if is_code(word) else read_ticket(word))


def store_wish(wish: Mapping[str, Any], files: FileStore) -> None:
    """Store what a person wants among the files of the table, which may know the table already.

    Args:
        wish: As `resolved` takes it, with the `ticket` that it has returned. To open a table it has
            `seats` and `asks`.
    """
    if wish["act"] == "host":
        nickname = wish.get("nickname") or draw_nickname()
        Opening(nickname, int(wish["seats"]), bool(wish["asks"])).store(files)
        return
    # Nothing needs to be written by whoever comes back, even to a full disk.
    if not files.has(TICKET):
        files.put(TICKET, wish["ticket"].encode())
    if wish["act"] == "watch":
        if not files.has(WATCHES):
            files.put(WATCHES, b"")
    elif files.has(WATCHES):
        files.remove(WATCHES)


async def _by_code(word: str, ways: PageWays) -> Ticket:
    """Return the ticket that a spoken code gives, which is tried once."""
    code, own = parse_code(word), relay_address(ways.relays[0]).place
    if code.relay and parse_relay(code.relay) != own:
        words = _(
            "This code is one of the relay {relay}, and this page reaches only its own. Ask the "
            "host for a link, or open the page of that relay."
        )
        raise Trouble(words.format(relay=code.relay))
    return await ticket_by_code(replace(code, relay=own), ways.network)
