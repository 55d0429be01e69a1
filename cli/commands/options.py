"""The options of the commands, a dataclass for each concern, with their help.

A command has these dataclasses as parameters, and hands them on as they are: `takes_options` makes
Typer build them. Nothing heavy is imported here.
"""

from __future__ import annotations

import functools
import math
import sys
from collections.abc import Callable, Iterable
from contextlib import suppress
from copy import copy
from dataclasses import Field, dataclass, fields, is_dataclass
from enum import StrEnum
from inspect import Parameter, Signature, signature
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Final, get_type_hints

from typer import Argument, BadParameter, Option

from ..words.translation import N_

if TYPE_CHECKING:
    from p2p_hoity.storage.home import Home

TABLE: Final = N_("Table")
BOTS: Final = N_("Bots")
GUESTS: Final = N_("Who may come")
NETWORK: Final = N_("Network")
SEAT: Final = N_("Your seat")
OUTPUT: Final = N_("Output")
"""The headings of a long help. Each stands where the first of its options does."""

# From dataclasses to the options of a command.


@dataclass(frozen=True)
class Without:
    """Beside a dataclass of options in an annotation: the fields that a command does not offer."""

    names: tuple[str, ...]


def takes_options(command: Callable[..., None]) -> Callable[..., None]:
    """Let a command have dataclasses of options as parameters.

    Args:
        command: A function whose parameters Typer knows, or whose types are such dataclasses.

    Returns:
        The command as Typer reads it: with the fields of each dataclass as options of its own.
    """
    shown: list[Parameter] = []
    built: dict[str, tuple[type[Any], list[str]]] = {}
    hints = get_type_hints(command, include_extras=True)
    for parameter in signature(command).parameters.values():
        hint = hints[parameter.name]
        kind: Any = getattr(hint, "__origin__", hint)
        is_options = is_dataclass(kind)
        if not is_options:
            shown.append(parameter.replace(annotation=hint, kind=Parameter.KEYWORD_ONLY))
            continue
        left_out = {name for one in getattr(hint, "__metadata__", ()) for name in one.names}
        offered = [field for field in fields(kind) if field.name not in left_out]
        of_fields = get_type_hints(kind, include_extras=True)
        shown += [_option(kind, field, of_fields[field.name]) for field in offered]
        built[parameter.name] = kind, [field.name for field in offered]

    @functools.wraps(command)
    def run(**given: Any) -> None:
        for name, (kind, names) in built.items():
            given[name] = kind(**{one: given.pop(one) for one in names})
        command(**given)

    run.__signature__ = Signature(shown)  # type: ignore[attr-defined]
    run.__annotations__ = {}
    return run


def _option(kind: type[Any], field: Field[Any], hint: Any) -> Parameter:
    """Return a field as a parameter, under the heading of its class unless it has one itself."""
    option = copy(hint.__metadata__[0])
    option.rich_help_panel = option.rich_help_panel or kind.HEADING
    hint = Annotated[hint.__origin__, option]
    return Parameter(field.name, Parameter.KEYWORD_ONLY, default=field.default, annotation=hint)


# Words that a shell completes, by the names of files alone: nothing is opened.

LAST: Final = "last"
"""Stands for the newest game."""


def open_games(incomplete: str) -> list[str]:
    """Return the games that can be taken up again and whose names begin in this way."""
    return _games(incomplete, lambda home: home.journals.glob("*.journal"))


def transcripts(incomplete: str) -> list[str]:
    """Return the games with a transcript; files are completed by the shell itself."""
    return _games(incomplete, lambda home: home.transcripts.glob("*.hoity"))


def codes(incomplete: str) -> list[str]:
    """Return how a code may go on, word by word, each by its first letters."""
    from p2p_hoity.table.spoken_codes import MOST_WORDS, WORDS, beginning_with

    number, *words = incomplete.split("-")
    if not number.isdecimal() or not 0 < len(words) <= MOST_WORDS:
        return []
    before = "-".join((number, *words[:-1]))
    behind = "-" if len(words) < WORDS else ""
    return [f"{before}-{word}{behind}" for word in beginning_with(words[-1].lower())]


def _games(incomplete: str, files: Callable[[Home], Iterable[Path]]) -> list[str]:
    from p2p_hoity.storage.home import home

    names: set[str] = set()
    with suppress(OSError):
        names = {path.name.partition(".")[0] for path in files(home())}
    return sorted(name for name in (*names, LAST) if names and name.startswith(incomplete))


# What several commands take.


class NoSeconds(BadParameter):
    """A number that is none of seconds."""


def missing(ctx: Any, name: str) -> Any:
    """Return the library's complaint that the argument of this name is missing."""
    (param,) = [one for one in ctx.command.params if one.name == name]
    library = sys.modules[BadParameter.__module__]
    return library.MissingParameter(ctx=ctx, param=param, param_hint="'TICKET'")


def _number(number: float | None) -> float | None:
    """Refuse what is no number, which no range refuses."""
    if number is not None and math.isnan(number):
        raise NoSeconds("no number")
    return number


def seconds(name: str, least: float, most: int, words: str) -> Any:
    """Return an option of this name that takes seconds within bounds."""
    return Option(name, metavar="SECONDS", min=least, max=most, callback=_number, help=words)


def count(name: str, least: int, most: int, words: str, metavar: str = "N") -> Any:
    """Return an option of this name that takes a whole number within bounds."""
    return Option(name, metavar=metavar, min=least, max=most, help=words)


def place(name: str, words: str) -> Any:
    """Return an option of this name that takes an address with its port."""
    return Option(name, metavar="HOST:PORT", help=words)


JsonOption = Annotated[bool, Option("--json", help=N_("One JSON object a line, for programs."))]
PlainOption = Annotated[
    bool,
    Option(
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
    str | None, Option("--name", metavar="NAME", help=N_("Your nickname at this table."))
]
EditionOption = Annotated[
    str,
    Option(
        "--edition",
        metavar="NAME|FILE",
        help=N_("uberplay-2004, reference-manual, or your own edition file."),
    ),
]
USUAL_EDITION: Final = "uberplay-2004"
ProxyOption = Annotated[
    str | None,
    Option(
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
ListenOption = Annotated[
    str,
    place(
        "--listen", N_("Where to listen; port 0 is any free port, as is a default that is in use.")
    ),
]


def _ticket(metavar: str, words: str) -> Any:
    return Argument(
        metavar=metavar,
        envvar="HOITY_TICKET",
        show_envvar=False,
        show_default=False,
        help=words,
        autocompletion=codes,
    )


TicketArgument = Annotated[
    list[str], _ticket("TICKET|CODE", N_("The ticket, or the code, that the host gave you."))
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
GameArgument = Annotated[str, Argument(metavar="GAME", help=GAME_HELP, autocompletion=open_games)]
OptionalGameArgument = Annotated[
    str | None,
    Argument(metavar="[GAME]", help=GAME_HELP, show_default=False, autocompletion=open_games),
]

# What is printed, and how.


@dataclass(frozen=True)
class OutputOptions:
    """On what kind of screen a game is shown, and where its transcript goes."""

    HEADING: ClassVar = OUTPUT
    as_json: JsonOption = False
    plain: PlainOption = False
    transcript: Annotated[
        Path | None,
        Option("--transcript", metavar="FILE", help=N_("Where the finished transcript goes.")),
    ] = None

    @property
    def typed(self) -> str:
        """The option by which another command is shown on the same kind of screen."""
        return "--json" if self.as_json else "--plain" if self.plain else ""


# The seat.


@dataclass(frozen=True)
class SeatOptions:
    """Who plays a seat, how it is called, and what it hears and says."""

    HEADING: ClassVar = SEAT
    auto: Annotated[
        bool | None, Option("--auto", help=N_("A bot plays your seat."), rich_help_panel=BOTS)
    ] = False
    name: NameOption = None
    no_talk: Annotated[
        bool, Option("--no-talk", help=N_("Neither show nor send what people say."))
    ] = False
    again: Annotated[
        bool | None,
        Option(
            "--again/--no-again",
            help=N_("Whether to ask for another game with the same people; a terminal is asked."),
            show_default=False,
        ),
    ] = None
    no_bell: Annotated[
        bool,
        Option("--no-bell", help=N_("Do not ring when it is your turn."), rich_help_panel=OUTPUT),
    ] = False
    until_eof: Annotated[bool, Option("--until-eof", hidden=True)] = False


@dataclass(frozen=True)
class PlayOptions(SeatOptions):
    """The same for a game against bots, in which a bot may stand in for an input that ends."""

    auto: Annotated[
        bool | None,
        Option(
            "--auto/--no-auto",
            help=N_("A bot plays your seat; it also does if the input ends without an answer."),
            show_default=False,
            rich_help_panel=BOTS,
        ),
    ] = None


NO_NAME: Final = Without(("name",))
ONLOOKER: Final = Without(("auto", "name", "no_bell", "until_eof"))
"""An onlooker has no seat, but hears what is said, and may follow to the next table."""

# The table.


class Variant(StrEnum):
    """The variants for two seats."""

    SURPRISE = "surprise"
    CONFRONTATION = "confrontation"


class ActionChoice(StrEnum):
    """When the Castle's Actions are chosen."""

    STAGED = "staged"
    TOGETHER = "together"


class DetectiveRank(StrEnum):
    """When a Detective's rank is taken."""

    AFTER = "after"
    BEFORE = "before"


class LanChoice(StrEnum):
    """What the LAN is told of a table."""

    OPEN = "open"
    CLOSED = "closed"
    OFF = "off"


PATIENCE: Final = seconds("--patience", 1, 2_592_000, N_("How long a choice is awaited."))


@dataclass(frozen=True)
class TableOptions:
    """What a host asks of its table."""

    HEADING: ClassVar = TABLE
    seats: Annotated[int, count("--seats", 2, 6, N_("Seats at the table, yours too."))] = 4
    edition: EditionOption = USUAL_EDITION
    variant: Annotated[
        Variant | None,
        Option("--variant", help=N_("For two seats only; surprise unless you say otherwise.")),
    ] = None
    action_choice: Annotated[
        ActionChoice | None,
        Option(
            "--action-choice",
            help=N_("staged: Castle seats choose after the sale; together: all at once."),
        ),
    ] = None
    detective_in_hall: Annotated[
        bool | None,
        Option(
            "--detective-in-hall/--no-detective-in-hall",
            help=N_("Whether a Detective may be played in the Auction Hall."),
            show_default=False,
        ),
    ] = None
    detective_rank: Annotated[
        DetectiveRank | None,
        Option(
            "--detective-rank",
            help=N_("A Detective's rank is taken after or before the Exhibits move."),
        ),
    ] = None
    quorum: Annotated[
        int | None,
        Option(
            "--quorum",
            metavar="T",
            help=N_("How many seats can go on without the others; by default 2, 2, 3, 4, 4."),
        ),
    ] = None
    patience: Annotated[float | None, PATIENCE] = 300.0
    step_patience: Annotated[
        float,
        seconds(
            "--step-patience",
            1,
            86_400,
            N_("How long every other step is awaited; slow links need more."),
        ),
    ] = 30.0


@dataclass(frozen=True)
class BotTableOptions(TableOptions):
    """The same for a game against bots. `patience` is longer where a person plays."""

    patience: Annotated[float | None, PATIENCE] = None


NO_SEATS: Final = Without(("seats", "step_patience"))


@dataclass(frozen=True)
class GuestOptions:
    """Who may come to a table, and how they hear of it."""

    HEADING: ClassVar = GUESTS
    lan: Annotated[
        LanChoice,
        Option(
            "--lan",
            help=N_(
                "open: the LAN is told, and whoever comes may sit down; closed: it is told, and a"
                " seat takes the ticket; off: it is not told."
            ),
        ),
    ] = LanChoice.CLOSED
    qr: Annotated[bool, Option("--qr", help=N_("Show the ticket as a QR code too."))] = False
    asks: Annotated[
        bool, Option("--ask", help=N_("Let in each guest yourself, with its key shown."))
    ] = False
    no_watch: Annotated[
        bool, Option("--no-watch", help=N_("Let nobody look on; the guests are told."))
    ] = False


# The network.

USUAL: Final = ":4647"
"""Where `host` and `join` listen unless they are told otherwise, so that a firewall can let the
port in. If it is taken, another one does."""


@dataclass(frozen=True)
class NetworkOptions:
    """How a seat is reached, and by what it dials."""

    HEADING: ClassVar = NETWORK
    listen: ListenOption = USUAL
    relay: Annotated[
        list[str] | None,
        place("--relay", N_("A relay to be reached through; none: not even the one you keep.")),
    ] = None
    relay_only: Annotated[
        bool,
        Option(
            "--relay-only",
            help=N_(
                "Dial your relays alone, and be reached through them alone: the other seats learn"
                " no address of yours."
            ),
        ),
    ] = False
    advertise: Annotated[
        list[str] | None,
        place(
            "--advertise", N_("Where others reach you, if you forward a port: first in the ticket.")
        ),
    ] = None
    proxy: ProxyOption = None
    no_map: Annotated[
        bool,
        Option(
            "--no-map",
            envvar="HOITY_NO_MAP",
            show_envvar=False,
            help=N_("Do not ask the router to let guests in from the internet."),
        ),
    ] = False


@dataclass(frozen=True)
class NetworkAnew(NetworkOptions):
    """How a seat that is taken again is reached: as before, where nothing is typed."""

    listen: Annotated[
        str,
        Option(
            "--listen",
            metavar="HOST:PORT",
            show_default=False,
            help=N_(
                "Where to listen, if this machine has another address now; you dial the others."
            ),
        ),
    ] = ""
    relay: Annotated[
        list[str] | None,
        place("--relay", N_("A relay to be reached through from now on; none: without any.")),
    ] = None


class Since(StrEnum):
    """From when on an onlooker sees the game."""

    START = "start"
    NOW = "now"


@dataclass(frozen=True)
class WatchOptions:
    """How an onlooker comes to a table, and from when on it sees the game."""

    HEADING: ClassVar = NETWORK
    relay: Annotated[list[str] | None, place("--relay", N_("The relay that a code is of."))] = None
    proxy: ProxyOption = None
    since: Annotated[
        Since,
        Option(
            "--from",
            help=N_("start: the game from its beginning; now: from here on."),
            rich_help_panel=OUTPUT,
        ),
    ] = Since.START


@dataclass(frozen=True)
class RelayOptions:
    """Whom a relay takes in, how it ends, and what it tells of itself."""

    HEADING: ClassVar = NETWORK
    listen: ListenOption = ":4646"
    seats: Annotated[int, count("--seats", 1, 10**6, N_("How many seats may wait."))] = 6_000
    calls: Annotated[int, count("--calls", 1, 10**6, N_("How many pairs may talk at once."))] = (
        15_000
    )
    same_address: Annotated[
        int, count("--same-address", 1, 10**6, N_("How many of each from one address."))
    ] = 256
    drain: Annotated[
        float,
        seconds("--drain", 0, 86_400, N_("How long pairs may still talk once it is told to end.")),
    ] = 30.0
    log: Annotated[
        bool,
        Option("--log", help=N_("Write a line for each event to standard error; no addresses.")),
    ] = False
    log_addresses: Annotated[
        bool, Option("--log-addresses", help=N_("The same, with addresses."))
    ] = False
    metrics: Annotated[
        str | None,
        place(
            "--metrics",
            N_("Serve numbers for Prometheus there; without HOST to this machine alone."),
        ),
    ] = None
    as_json: JsonOption = False
    use: Annotated[
        str | None,
        place("--use", N_("Run none: keep this one for your tables and codes; none forgets it.")),
    ] = None


@dataclass(frozen=True)
class VerifyOptions:
    """How transcripts are judged, and where the verdicts are kept."""

    HEADING: ClassVar = OUTPUT
    as_json: JsonOption = False
    jobs: Annotated[
        int | None,
        count(
            "--jobs",
            1,
            1024,
            N_("How many processes judge; one for each core unless you say otherwise."),
        ),
    ] = None
    verdicts: Annotated[
        Path | None,
        Option(
            "--verdicts",
            metavar="FILE",
            help=N_(
                "Keep the verdicts in this file, a JSON object a line, and pass over files that it"
                " has one of: a run that was broken off goes on."
            ),
        ),
    ] = None
    dask: Annotated[
        str | None,
        Option(
            "--dask",
            metavar="SCHEDULER",
            help=N_(
                "The workers of this Dask cluster judge, as of tcp://HOST:8786; extra: cluster."
            ),
        ),
    ] = None
    send: Annotated[
        bool, Option("--send", help=N_("With --dask: send the files to workers that lack them."))
    ] = False
