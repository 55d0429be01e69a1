"""What a page in a browser says in the place of messages that name a command or a path.

Nobody there can type a command, and the paths are those inside the browser's private storage.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from p2p_hoity.net.network_errors import NetCode
from p2p_hoity.storage.journal import JournalCode
from p2p_hoity.storage.transcript_archive import ArchiveCode
from p2p_hoity.table.gathering.join_table import JoinCode
from p2p_hoity.table.open_links import SeatingCode

from ...words.translation import N_

_UNSTORED: Final = N_(
    "the game cannot be stored ({why}). Make room on this device, and load this page again"
)
_STORED_UNREAD: Final = N_("the stored game cannot be used: {why}")
_CLAIM: Final = N_(
    "Whoever plays with a program of their own can also end the game and save what was played."
)
_NOT_THERE: Final = N_(
    "the host cannot be reached at the relay of this page. The table is perhaps closed, or its "
    "game over: ask the host. If it is still open, load this page again"
)
IN_PAGE: Final[Mapping[str, str]] = {
    JournalCode.UNWRITTEN.template: _UNSTORED,
    JournalCode.STOPPED.template: N_(
        "the game cannot be stored any more ({why}). Nothing was sent that is not stored. Make "
        "room on this device, and load this page again to take your seat again"
    ),
    JournalCode.UNOPENED.template: _STORED_UNREAD,
    JournalCode.UNUSABLE.template: _STORED_UNREAD,
    ArchiveCode.UNWRITTEN.template: _UNSTORED,
    ArchiveCode.KEPT.template: N_(
        "the file of the game cannot be stored ({why}). The game is over and not lost. Make room "
        "on this device, and load this page again"
    ),
    JoinCode.UNREACHED.template: _NOT_THERE,
    JoinCode.UNREACHED_IPV6.template: _NOT_THERE,
    JoinCode.UNREACHED_LAN.template: _NOT_THERE,
    JoinCode.UNREACHED_MACHINE.template: _NOT_THERE,
    JoinCode.NO_RELAYS.template: N_(
        "the host waits at no relay, and this page connects to nothing else: ask for a table that "
        "is opened at the relay of this page"
    ),
    JoinCode.OTHER_RELAYS.template: N_(
        "the host waits at {relays}, and this page connects to its own relay alone: ask for a "
        "link to a page of that relay"
    ),
    JoinCode.NAME.template: N_(
        "the host accepts no guest with your nickname: somebody at this table has the same or a "
        "similar one. Load this page again, and choose another"
    ),
    JoinCode.OLD_CONSENT.template: N_(
        "this page was closed in the moment in which the table began, or the host uses an old "
        "consent of yours: ask the others to open another table"
    ),
    NetCode.NOT_BY_RELAY.template: N_(
        "{address} is not the relay of this page, so the page does not connect to it"
    ),
    SeatingCode.NO_RELAY.template: N_("{why}. Load this page again later"),
    "Your seat has stopped waiting for all seats to confirm the deck. The game may begin"
    " without you. To take your seat again: hoity resume {game}": N_(
        "Your seat has stopped waiting for all seats to confirm the deck. The game may begin "
        "without you. To take your seat again, load this page again."
    ),
    "Just wait, or leave with Ctrl-C and take your seat again: hoity resume {game}": N_(
        "Just wait, or leave and take your seat again later, by loading this page again."
    ),
    "Or leave and end it here, saved as far as it came: hoity resume --claim {game}": _CLAIM,
    "Or leave and save what was played, without a result and for yourself alone:"
    " hoity resume --claim {game}": _CLAIM,
    "The game may begin without you if you leave. To take your seat again: hoity resume {game}": N_(
        "The game may begin without you if you leave. To take your seat again, load this page "
        "again."
    ),
    "Has {who} come back at another address? Ask for the ticket that {hoity} resume shows"
    " there, and type hoity join TICKET in a second terminal, or here after leaving.": N_(
        "Has {who} come back? This page reaches nobody but at the relay that has served it."
    ),
    "They may have finished without you. Ask one of them for the file of the game, leave, and"
    " type: hoity resume {game} --from FILE. Or save what you have: hoity resume {game}"
    " --claim": N_("They may have finished without you. Ask one of them for the file of the game."),
    "You have signed more in this game than your journal contains, so it is an old copy. At "
    "a table where all seats are needed, nothing more can be signed safely. Save the game "
    "as far as it came with: hoity resume --claim": N_(
        "You have signed more in this game than this browser has stored. At a table where all "
        "seats are needed, nothing more can be signed safely. Whoever plays with a program of "
        "their own can save the game as far as it came."
    ),
}
"""For each such message that a page can show, what it says instead."""
