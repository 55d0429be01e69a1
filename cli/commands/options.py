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
from dataclasses import Field, dataclass, field, fields, is_dataclass
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
        offered = [one for one in fields(kind) if one.name not in left_out]
        of_fields = get_type_hints(kind, include_extras=True)
        shown += [_parameter(kind, one, of_fields[one.name]) for one in offered]
        built[parameter.name] = kind, [one.name for one in offered]

    @functools.wraps(command)
    def run(**given: Any) -> None:
        for name, (kind, names) in built.items():
            given[name] = kind(**{one: given.pop(one) for one in names})
        command(**given)

    run.__signature__ = Signature(shown)  # type: ignore[attr-defined]
    run.__annotations__ = {}
    return run


def _parameter(kind: type[Any], of: Field[Any], hint: Any) -> Parameter:
    """Return a field as a parameter, under the heading of its class unless it has one itself."""
    told = of.metadata.get("option")
    if told is None:
        hint, told = hint.__origin__, hint.__metadata__[0]
    shown = copy(told)
    shown.rich_help_panel = told.rich_help_panel or kind.HEADING
    shown_as = Annotated[hint, shown]
    return Parameter(of.name, Parameter.KEYWORD_ONLY, default=of.default, annotation=shown_as)


def offered(default: Any, shown: Any) -> Any:
    """Return a field of a dataclass of options.

    Args:
        default: Its value where the option is not typed.
        shown: The option as Typer knows it.
    """
    return field(default=default, metadata={"option": shown})


def option(default: Any, name: str, words: str, heading: str | None = None, **more: Any) -> Any:
    """Return a field of a dataclass of options.

    Args:
        default: Its value where the option is not typed.
        name: How the option is typed.
        words: Its help.
        heading: Where the help stands, if not under the heading of the class.
        more: Whatever else Typer takes.
    """
    return offered(default, Option(name, help=words, rich_help_panel=heading, **more))


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
    transcript: Path | None = option(
        None, "--transcript", N_("Where the finished transcript goes."), metavar="FILE"
    )

    @property
    def typed(self) -> str:
        """The option by which another command is shown on the same kind of screen."""
        return "--json" if self.as_json else "--plain" if self.plain else ""


# The seat.


@dataclass(frozen=True)
class SeatOptions:
    """Who plays a seat, how it is called, and what it hears and says."""

    HEADING: ClassVar = SEAT
    auto: bool | None = option(False, "--auto", N_("A bot plays your seat."), BOTS)
    name: NameOption = None
    no_talk: bool = option(False, "--no-talk", N_("Neither show nor send what people say."))
    again: bool | None = option(
        None,
        "--again/--no-again",
        N_("Whether to ask for another game with the same people; a terminal is asked."),
        show_default=False,
    )
    no_bell: bool = option(False, "--no-bell", N_("Do not ring when it is your turn."), OUTPUT)
    until_eof: bool = offered(False, Option("--until-eof", hidden=True))


@dataclass(frozen=True)
class PlayOptions(SeatOptions):
    """The same for a game against bots, in which a bot may stand in for an input that ends."""

    auto: bool | None = option(
        None,
        "--auto/--no-auto",
        N_("A bot plays your seat; it also does if the input ends without an answer."),
        BOTS,
        show_default=False,
    )


@dataclass(frozen=True)
class OpponentOptions:
    """Which bots a player plays against."""

    HEADING: ClassVar = BOTS
    bots: str | None = option(
        None,
        "--bots",
        N_("How many bots play against you (by default 3), or a level for each."),
        metavar="N|LEVELS",
    )


@dataclass(frozen=True)
class HiredOptions:
    """Which bots sit at a table for people."""

    HEADING: ClassVar = BOTS
    bots: str = option(
        "0",
        "--bots",
        N_("How many of them bots take, or a level for each: easy,normal,hard."),
        metavar="N|LEVELS",
    )


@dataclass(frozen=True)
class ResumeOptions:
    """How a game whose others are gone is ended, instead of sitting down again."""

    HEADING: ClassVar = SEAT
    claim: bool = option(
        False, "--claim", N_("Do not sit down: save the game as far as it was played.")
    )
    file: Path | None = option(
        None,
        "--from",
        N_("Do not sit down: the game is over, and this is the file of another seat."),
        metavar="FILE",
    )


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
    seats: int = offered(4, count("--seats", 2, 6, N_("Seats at the table, yours too.")))
    edition: EditionOption = USUAL_EDITION
    variant: Variant | None = option(
        None, "--variant", N_("For two seats only; surprise unless you say otherwise.")
    )
    action_choice: ActionChoice | None = option(
        None,
        "--action-choice",
        N_("staged: Castle seats choose after the sale; together: all at once."),
    )
    detective_in_hall: bool | None = option(
        None,
        "--detective-in-hall/--no-detective-in-hall",
        N_("Whether a Detective may be played in the Auction Hall."),
        show_default=False,
    )
    detective_rank: DetectiveRank | None = option(
        None,
        "--detective-rank",
        N_("A Detective's rank is taken after or before the Exhibits move."),
    )
    quorum: int | None = option(
        None,
        "--quorum",
        N_("How many seats can go on without the others; by default 2, 2, 3, 4, 4."),
        metavar="T",
    )
    patience: float | None = offered(300.0, PATIENCE)
    step_patience: float = offered(
        30.0,
        seconds(
            "--step-patience",
            1,
            86_400,
            N_("How long every other step is awaited; slow links need more."),
        ),
    )


@dataclass(frozen=True)
class BotTableOptions(TableOptions):
    """The same for a game against bots. `patience` is longer where a person plays."""

    patience: float | None = offered(None, PATIENCE)


NO_SEATS: Final = Without(("seats", "step_patience"))


@dataclass(frozen=True)
class GuestOptions:
    """Who may come to a table, and how they hear of it."""

    HEADING: ClassVar = GUESTS
    lan: LanChoice = option(
        LanChoice.CLOSED,
        "--lan",
        N_(
            "open: the LAN is told, and whoever comes may sit down; closed: it is told, and a"
            " seat takes the ticket; off: it is not told."
        ),
    )
    qr: bool = option(False, "--qr", N_("Show the ticket as a QR code too."))
    asks: bool = option(False, "--ask", N_("Let in each guest yourself, with its key shown."))
    no_watch: bool = option(False, "--no-watch", N_("Let nobody look on; the guests are told."))


# The network.

USUAL: Final = ":4647"
"""Where `host` and `join` listen unless they are told otherwise, so that a firewall can let the
port in. If it is taken, another one does."""


@dataclass(frozen=True)
class NetworkOptions:
    """How a seat is reached, and by what it dials."""

    HEADING: ClassVar = NETWORK
    listen: ListenOption = USUAL
    relay: list[str] | None = offered(
        None,
        place("--relay", N_("A relay to be reached through; none: not even the one you keep.")),
    )
    relay_only: bool = option(
        False,
        "--relay-only",
        N_(
            "Dial your relays alone, and be reached through them alone: the other seats learn"
            " no address of yours."
        ),
    )
    advertise: list[str] | None = offered(
        None,
        place(
            "--advertise", N_("Where others reach you, if you forward a port: first in the ticket.")
        ),
    )
    proxy: ProxyOption = None
    no_map: bool = option(
        False,
        "--no-map",
        N_("Do not ask the router to let guests in from the internet."),
        envvar="HOITY_NO_MAP",
        show_envvar=False,
    )


@dataclass(frozen=True)
class NetworkAnew(NetworkOptions):
    """How a seat that is taken again is reached: as before, where nothing is typed."""

    listen: str = option(
        "",
        "--listen",
        N_("Where to listen, if this machine has another address now; you dial the others."),
        metavar="HOST:PORT",
        show_default=False,
    )
    relay: list[str] | None = offered(
        None, place("--relay", N_("A relay to be reached through from now on; none: without any."))
    )


class Since(StrEnum):
    """From when on an onlooker sees the game."""

    START = "start"
    NOW = "now"


@dataclass(frozen=True)
class WatchOptions:
    """How an onlooker comes to a table, and from when on it sees the game."""

    HEADING: ClassVar = NETWORK
    relay: list[str] | None = offered(None, place("--relay", N_("The relay that a code is of.")))
    proxy: ProxyOption = None
    since: Since = option(
        Since.START, "--from", N_("start: the game from its beginning; now: from here on."), OUTPUT
    )


@dataclass(frozen=True)
class RelayOptions:
    """Whom a relay takes in, how it ends, and what it tells of itself."""

    HEADING: ClassVar = NETWORK
    listen: ListenOption = ":4646"
    seats: int = offered(6_000, count("--seats", 1, 10**6, N_("How many seats may wait.")))
    calls: int = offered(15_000, count("--calls", 1, 10**6, N_("How many pairs may talk at once.")))
    same_address: int = offered(
        256, count("--same-address", 1, 10**6, N_("How many of each from one address."))
    )
    drain: float = offered(
        30.0,
        seconds("--drain", 0, 86_400, N_("How long pairs may still talk once it is told to end.")),
    )
    log: bool = option(
        False, "--log", N_("Write a line for each event to standard error; no addresses.")
    )
    log_addresses: bool = option(False, "--log-addresses", N_("The same, with addresses."))
    metrics: str | None = offered(
        None,
        place(
            "--metrics",
            N_("Serve numbers for Prometheus there; without HOST to this machine alone."),
        ),
    )
    as_json: JsonOption = False
    use: str | None = offered(
        None,
        place("--use", N_("Run none: keep this one for your tables and codes; none forgets it.")),
    )


@dataclass(frozen=True)
class VerifyOptions:
    """How transcripts are judged, and where the verdicts are kept."""

    HEADING: ClassVar = OUTPUT
    as_json: JsonOption = False
    jobs: int | None = offered(
        None,
        count(
            "--jobs",
            1,
            1024,
            N_("How many processes judge; one for each core unless you say otherwise."),
        ),
    )
    verdicts: Path | None = option(
        None,
        "--verdicts",
        N_(
            "Keep the verdicts in this file, a JSON object a line, and pass over files that it"
            " has one of: a run that was broken off goes on."
        ),
        metavar="FILE",
    )
    dask: str | None = option(
        None,
        "--dask",
        N_("The workers of this Dask cluster judge, as of tcp://HOST:8786; extra: cluster."),
        metavar="SCHEDULER",
    )
    send: bool = option(
        False, "--send", N_("With --dask: send the files to workers that lack them.")
    )
