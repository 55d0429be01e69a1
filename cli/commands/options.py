"""The options that several commands share, with their help; nothing heavy is imported here."""

from __future__ import annotations

import math
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any, Final

import typer

from ..words.translation import N_
from ..words.usage import NoSeconds
from . import complete


class Variant(StrEnum):
    """The variants for two seats."""

    SURPRISE = "surprise"
    CONFRONTATION = "confrontation"


class LanChoice(StrEnum):
    """What the LAN is told of a table."""

    OPEN = "open"
    CLOSED = "closed"
    OFF = "off"


class ActionChoice(StrEnum):
    """When the Castle's Actions are chosen."""

    STAGED = "staged"
    TOGETHER = "together"


class DetectiveRank(StrEnum):
    """When a Detective's rank is taken."""

    AFTER = "after"
    BEFORE = "before"


USUAL: Final = ":4647"
"""Where `host` and `join` listen unless they are told otherwise, so that a firewall can let the
port in. If it is taken, another one does."""


def _seconds(number: float | None) -> float | None:
    """No option of its own: refuses what is no number, which no range refuses."""
    if number is not None and math.isnan(number):
        raise NoSeconds("no number")
    return number


AutoOption = Annotated[bool, typer.Option("--auto", help=N_("A bot plays your seat."))]
AutoOrNotOption = Annotated[
    bool | None,
    typer.Option(
        "--auto/--no-auto",
        help=N_("A bot plays your seat; it also does if the input ends without an answer."),
        show_default=False,
    ),
]
YesOption = Annotated[bool, typer.Option("--yes", "-y", help=N_("Accept the terms unasked."))]
JsonOption = Annotated[
    bool, typer.Option("--json", help=N_("One JSON object a line, for programs."))
]
PlainOption = Annotated[
    bool,
    typer.Option(
        "--plain",
        envvar="HOITY_PLAIN",
        show_envvar=False,
        help=N_(
            "The line prompt instead of the full screen, for screen readers and pipes;"
            " HOITY_PLAIN=1 in the environment means it for every command."
        ),
    ),
]
NameOption = Annotated[
    str | None, typer.Option("--name", metavar="NAME", help=N_("Your nickname at this table."))
]
TranscriptOption = Annotated[
    Path | None,
    typer.Option("--transcript", metavar="FILE", help=N_("Where the finished transcript goes.")),
]
EditionOption = Annotated[
    str,
    typer.Option(
        "--edition",
        metavar="NAME|FILE",
        help=N_("uberplay-2004, reference-manual, or your own edition file."),
    ),
]
VariantOption = Annotated[
    Variant | None,
    typer.Option("--variant", help=N_("For two seats only; surprise unless you say otherwise.")),
]
ActionChoiceOption = Annotated[
    ActionChoice | None,
    typer.Option(
        "--action-choice",
        help=N_("staged: Castle seats choose after the sale; together: all at once."),
    ),
]
DetectiveInHallOption = Annotated[
    bool | None,
    typer.Option(
        "--detective-in-hall/--no-detective-in-hall",
        help=N_("Whether a Detective may be played in the Auction Hall."),
        show_default=False,
    ),
]
DetectiveRankOption = Annotated[
    DetectiveRank | None,
    typer.Option(
        "--detective-rank",
        help=N_("A Detective's rank is taken after or before the Exhibits move."),
    ),
]
QuorumOption = Annotated[
    int | None,
    typer.Option(
        "--quorum",
        metavar="T",
        help=N_("How many seats can go on without the others; by default 2, 2, 3, 4, 4."),
    ),
]


def _patience(name: str, most: int, words: str) -> Any:
    """How many seconds something is awaited."""
    return typer.Option(name, metavar="SECONDS", min=1, max=most, callback=_seconds, help=words)


PatienceOption = Annotated[
    float | None, _patience("--patience", 2_592_000, N_("How long a choice is awaited."))
]
StepPatienceOption = Annotated[
    float,
    _patience(
        "--step-patience",
        86_400,
        N_("How long every other step is awaited; slow links need more."),
    ),
]
WaitingOption = Annotated[
    int,
    typer.Option("--seats", metavar="N", min=1, max=10**6, help=N_("How many seats may wait.")),
]
CallsOption = Annotated[
    int,
    typer.Option(
        "--calls", metavar="N", min=1, max=10**6, help=N_("How many pairs may talk at once.")
    ),
]
SameAddressOption = Annotated[
    int,
    typer.Option(
        "--same-address",
        metavar="N",
        min=1,
        max=10**6,
        help=N_("How many of each from one address."),
    ),
]
DrainOption = Annotated[
    float,
    typer.Option(
        "--drain",
        metavar="SECONDS",
        min=0,
        max=86_400,
        callback=_seconds,
        help=N_("How long pairs may still talk once it is told to end."),
    ),
]
LogOption = Annotated[
    bool,
    typer.Option("--log", help=N_("Write a line for each event to standard error; no addresses.")),
]
LogAddressesOption = Annotated[
    bool, typer.Option("--log-addresses", help=N_("The same, with addresses."))
]
MetricsOption = Annotated[
    str | None,
    typer.Option(
        "--metrics",
        metavar="HOST:PORT",
        help=N_("Serve numbers for Prometheus there; without HOST to this machine alone."),
    ),
]
LookOption = Annotated[
    float,
    typer.Option(
        "--wait",
        metavar="SECONDS",
        min=0.1,
        max=60,
        callback=_seconds,
        help=N_("How long to look."),
    ),
]
ListenOption = Annotated[
    str,
    typer.Option(
        "--listen",
        metavar="HOST:PORT",
        help=N_("Where to listen; port 0 is any free port, as is a default that is in use."),
    ),
]
ListenAnewOption = Annotated[
    str | None,
    typer.Option(
        "--listen",
        metavar="HOST:PORT",
        help=N_("Where to listen, if this machine has another address now; you dial the others."),
    ),
]
RelayOption = Annotated[
    list[str] | None,
    typer.Option(
        "--relay",
        metavar="HOST:PORT",
        help=N_("A relay to be reached through; none: not even the one you keep."),
    ),
]
RelayAnewOption = Annotated[
    list[str] | None,
    typer.Option(
        "--relay",
        metavar="HOST:PORT",
        help=N_("A relay to be reached through from now on; none: without any."),
    ),
]
SeatsOption = Annotated[
    int,
    typer.Option("--seats", metavar="N", min=2, max=6, help=N_("Seats at the table, yours too.")),
]
BotsOption = Annotated[
    str,
    typer.Option(
        "--bots",
        metavar="N|LEVELS",
        help=N_("How many of them bots take, or a level for each: easy,normal,hard."),
    ),
]
OpponentsOption = Annotated[
    str | None,
    typer.Option(
        "--bots",
        metavar="N|LEVELS",
        help=N_("How many bots play against you (by default 3), or a level for each."),
    ),
]
QrOption = Annotated[bool, typer.Option("--qr", help=N_("Show the ticket as a QR code too."))]
AskOption = Annotated[
    bool, typer.Option("--ask", help=N_("Let in each guest yourself, with its key shown."))
]
NoWatchOption = Annotated[
    bool, typer.Option("--no-watch", help=N_("Let nobody look on; the guests are told."))
]


class Since(StrEnum):
    """From when on an onlooker sees the game."""

    START = "start"
    NOW = "now"


FromOption = Annotated[
    Since,
    typer.Option("--from", help=N_("start: the game from its beginning; now: from here on.")),
]
CodeRelayOption = Annotated[
    list[str] | None,
    typer.Option("--relay", metavar="HOST:PORT", help=N_("The relay that a code is of.")),
]
UseOption = Annotated[
    str | None,
    typer.Option(
        "--use",
        metavar="HOST:PORT",
        help=N_("Run none: keep this one for your tables and codes; none forgets it."),
    ),
]
AdvertiseOption = Annotated[
    list[str] | None,
    typer.Option(
        "--advertise",
        metavar="HOST:PORT",
        help=N_("Where others reach you, if you forward a port: first in the ticket."),
    ),
]
ProxyOption = Annotated[
    str | None,
    typer.Option(
        "--proxy",
        metavar="URL",
        envvar="HOITY_PROXY",
        show_envvar=False,
        help=N_(
            "Dial by a SOCKS5 proxy, as socks5://127.0.0.1:9050 for Tor, and name no address of"
            " this machine; one with a password goes into HOITY_PROXY."
        ),
    ),
]
RelayOnlyOption = Annotated[
    bool,
    typer.Option(
        "--relay-only",
        help=N_(
            "Dial your relays alone, and be reached through them alone: the other seats learn no"
            " address of yours."
        ),
    ),
]
NoMapOption = Annotated[
    bool,
    typer.Option(
        "--no-map",
        envvar="HOITY_NO_MAP",
        show_envvar=False,
        help=N_("Do not ask the router to let guests in from the internet."),
    ),
]
LanOption = Annotated[
    LanChoice,
    typer.Option(
        "--lan",
        help=N_(
            "open: the LAN is told, and whoever comes may sit down; closed: it is told, and a"
            " seat takes the ticket; off: it is not told."
        ),
    ),
]
NoBellOption = Annotated[
    bool, typer.Option("--no-bell", help=N_("Do not ring when it is your turn."))
]
NoTalkOption = Annotated[
    bool, typer.Option("--no-talk", help=N_("Neither show nor send what people say."))
]
AgainOption = Annotated[
    bool | None,
    typer.Option(
        "--again/--no-again",
        help=N_("Whether to ask for another game with the same people; a terminal is asked."),
        show_default=False,
    ),
]
UntilEofOption = Annotated[bool, typer.Option("--until-eof", hidden=True)]


def _ticket(metavar: str, words: str) -> Any:
    return typer.Argument(
        metavar=metavar,
        envvar="HOITY_TICKET",
        show_envvar=False,
        show_default=False,
        help=words,
        autocompletion=complete.codes,
    )


TicketArgument = Annotated[
    list[str],
    _ticket("TICKET|CODE", N_("The ticket, or the code, that the host gave you.")),
]
WhereArgument = Annotated[
    list[str] | None,
    _ticket(
        "[TICKET|CODE|NICK]",
        N_(
            "The ticket, or the code, that the host gave you, or the nickname of a host on this"
            " LAN; without it you pick from the LAN's tables."
        ),
    ),
]
"""A list, because a ticket copied over a line's end comes in several words."""

GAME_HELP: Final = N_("The game's id or how it begins; last is the newest.")
GameArgument = Annotated[
    str, typer.Argument(metavar="GAME", help=GAME_HELP, autocompletion=complete.open_games)
]
OptionalGameArgument = Annotated[
    str | None,
    typer.Argument(
        metavar="[GAME]", help=GAME_HELP, show_default=False, autocompletion=complete.open_games
    ),
]
