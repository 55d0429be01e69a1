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
from inspect import Parameter, Signature, signature
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Final, Literal, get_type_hints

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
    if shown.default is ...:  # no name was given, which the library takes for a default at first
        shown.default = "--" + of.name.replace("_", "-")
    shown.rich_help_panel = told.rich_help_panel or kind.HEADING
    shown_as = Annotated[hint, shown]
    return Parameter(of.name, Parameter.KEYWORD_ONLY, default=of.default, annotation=shown_as)


def option(
    default: Any, words: str | None, *names: str, heading: str | None = None, **more: Any
) -> Any:
    """Return a field of a dataclass of options.

    Args:
        default: Its value where the option is not typed.
        words: Its help; none if it is not shown.
        names: How the option is typed, if not by the name of the field.
        heading: Where the help stands, if not under the heading of the class.
        more: Whatever else Typer takes.
    """
    shown = Option(*names, help=words, hidden=words is None, rich_help_panel=heading, **more)
    return field(default=default, metadata={"option": shown})


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


def seconds(least: float, most: int) -> dict[str, Any]:
    """Return what makes an option take seconds within bounds."""
    return {"metavar": "SECONDS", "min": least, "max": most, "callback": _number}


def count(least: int, most: int) -> dict[str, Any]:
    """Return what makes an option take a whole number within bounds."""
    return {"metavar": "N", "min": least, "max": most}


PLACE: Final = "HOST:PORT"
"""What an option takes that is an address with its port."""


JsonOption = Annotated[
    bool, Option("--json", help=N_("Print one JSON object on each line, for programs."))
]
PlainOption = Annotated[
    bool,
    Option(
        "--plain",
        envvar="HOITY_PLAIN",
        show_envvar=False,
        help=N_(
            "Use the line prompt instead of the full screen, for screen readers and pipes. "
            "HOITY_PLAIN=1 in the environment does this for every command."
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
            "Connect through a SOCKS5 proxy, such as socks5://127.0.0.1:9050 for Tor, and tell "
            "nobody an address of this machine. Put a proxy with a password into HOITY_PROXY."
        ),
    ),
]
ListenOption = Annotated[
    str,
    Option(
        "--listen",
        metavar=PLACE,
        help=N_(
            "The address to listen on. Port 0 is any free port, which is also used if the "
            "default port is in use."
        ),
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
    list[str], _ticket("TICKET|CODE", N_("The ticket or code that the host gave you."))
]
WhereArgument = Annotated[
    list[str] | None,
    _ticket(
        "[TICKET|CODE|NICK]",
        N_(
            "The ticket or code that the host gave you, or the nickname of a host on this LAN. "
            "Without it you choose from the tables of the LAN."
        ),
    ),
]
"""A list, because a ticket copied over a line's end comes in several words."""

GAME_HELP: Final = N_("The id of the game, or its beginning. last is the newest game.")
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
        None, N_("The file for the transcript of the finished game."), metavar="FILE"
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
    auto: bool | None = option(False, N_("A bot plays your seat."), heading=BOTS)
    name: NameOption = None
    no_talk: bool = option(False, N_("Neither show nor send what people say."))
    unknown: bool = option(
        False, N_("Show nobody your long-lived key. The others see only your nickname.")
    )
    again: bool | None = option(
        None,
        N_(
            "Ask for another game with the same people, or not. The default is to ask on a "
            "terminal."
        ),
        "--again/--no-again",
        show_default=False,
    )
    no_bell: bool = option(False, N_("Do not ring when it is your turn."), heading=OUTPUT)
    until_eof: bool = option(False, None)


@dataclass(frozen=True)
class PlayOptions(SeatOptions):
    """The same for a game against bots, in which a bot may stand in for an input that ends."""

    auto: bool | None = option(
        None,
        N_("A bot plays your seat. It also takes over if the input ends before your first answer."),
        "--auto/--no-auto",
        heading=BOTS,
        show_default=False,
    )


@dataclass(frozen=True)
class ResumeOptions:
    """How a game whose others are gone is ended, instead of sitting down again."""

    HEADING: ClassVar = SEAT
    claim: bool = option(
        False, N_("Do not sit down. Save the game as far as it was played, as a claim.")
    )
    file: Path | None = option(
        None,
        N_("Do not sit down. The game is over, and this is the file of another seat."),
        "--from",
        metavar="FILE",
    )


NO_NAME: Final = Without(("name",))
ONLOOKER: Final = Without(("auto", "name", "unknown", "no_bell", "until_eof"))
"""An onlooker has no seat, but hears what is said, and may follow to the next table."""

# The table.


MAX_TIMEOUT: Final = 2_592_000
"""Seconds that a choice, or any other step, may be awaited at most."""
CHOICE_TIMEOUT_HELP: Final = N_(
    "Seconds to wait for a choice before the game may go on without the seat."
)


@dataclass(frozen=True)
class TableOptions:
    """What a host asks of its table."""

    HEADING: ClassVar = TABLE
    seats: int = option(4, N_("The number of seats at the table, including yours."), **count(2, 6))
    edition: EditionOption = USUAL_EDITION
    variant: Literal["surprise", "confrontation"] | None = option(
        None, N_("For two seats only. The default is surprise.")
    )
    action_choice: Literal["staged", "together"] | None = option(
        None,
        N_(
            "staged: seats in the Castle choose their Action after the sale; together: all "
            "seats choose at once."
        ),
    )
    detective_in_hall: bool | None = option(
        None,
        N_("Allow a Detective in the Auction Hall, or not."),
        "--detective-in-hall/--no-detective-in-hall",
        show_default=False,
    )
    detective_rank: Literal["after", "before"] | None = option(
        None, N_("A Detective's rank is taken after or before the Exhibits move.")
    )
    quorum: int | None = option(
        None,
        N_(
            "How many seats can go on without the others. The default is 2, 2, 3, 4, 4 for two "
            "to six seats."
        ),
        metavar="T",
    )
    patience: float | None = option(300.0, CHOICE_TIMEOUT_HELP, **seconds(1, MAX_TIMEOUT))
    step_patience: float = option(
        30.0,
        N_("Seconds to wait for every other step. Slow links need more."),
        **seconds(1, MAX_TIMEOUT),
    )


@dataclass(frozen=True)
class BotTableOptions(TableOptions):
    """The same for a game against bots. `patience` is longer where a person plays."""

    patience: float | None = option(None, CHOICE_TIMEOUT_HELP, **seconds(1, MAX_TIMEOUT))


NO_SEATS: Final = Without(("seats", "step_patience"))


@dataclass(frozen=True)
class GuestOptions:
    """Who may come to a table, and how they hear of it."""

    HEADING: ClassVar = GUESTS
    lan: Literal["open", "closed", "off"] = option(
        "closed",
        N_(
            "open: the table is announced on the LAN, and everybody there may sit down; closed: "
            "it is announced, and a seat needs the ticket; off: it is not announced."
        ),
    )
    qr: bool = option(False, N_("Show the ticket as a QR code too."))
    asks: bool = option(
        False, N_("Decide about each guest yourself. You see its nickname and key."), "--ask"
    )
    no_watch: bool = option(False, N_("Allow no onlookers. The guests are told."))


# The network.

USUAL: Final = ":4647"
"""Where `host` and `join` listen unless they are told otherwise, so that a firewall can let the
port in. If it is taken, another one does."""


@dataclass(frozen=True)
class NetworkOptions:
    """How a seat is reached, and by what it dials."""

    HEADING: ClassVar = NETWORK
    listen: ListenOption = USUAL
    relay: list[str] | None = option(
        None,
        N_("A relay through which you can be reached; none: not even the remembered one."),
        metavar=PLACE,
    )
    relay_only: bool = option(
        False,
        N_(
            "Connect only to your relays, and be reached only through them: the other seats "
            "learn no address of yours."
        ),
    )
    advertise: list[str] | None = option(
        None,
        N_(
            "The address at which others reach you through a port that you forward. It is first "
            "in the ticket."
        ),
        metavar=PLACE,
    )
    proxy: ProxyOption = None
    no_map: bool = option(
        False,
        N_("Do not ask the router to let guests in from the internet."),
        envvar="HOITY_NO_MAP",
        show_envvar=False,
    )


@dataclass(frozen=True)
class NetworkAnew(NetworkOptions):
    """How a seat that is taken again is reached: as before, where nothing is typed."""

    listen: str = option(
        "",
        N_(
            "The address to listen on, if this machine has another address now. Your program "
            "connects to the others."
        ),
        metavar="HOST:PORT",
        show_default=False,
    )
    relay: list[str] | None = option(
        None,
        N_("A relay through which you can be reached from now on; none: no relay."),
        metavar=PLACE,
    )


@dataclass(frozen=True)
class WatchOptions:
    """How an onlooker comes to a table, and from when on it sees the game."""

    HEADING: ClassVar = NETWORK
    relay: list[str] | None = option(None, N_("The relay at which a code is valid."), metavar=PLACE)
    proxy: ProxyOption = None
    since: Literal["start", "now"] = option(
        "start",
        N_("start: the game from its beginning; now: from here on."),
        "--from",
        heading=OUTPUT,
    )


@dataclass(frozen=True)
class RelayOptions:
    """Whom a relay takes in, how it ends, and what it tells of itself."""

    HEADING: ClassVar = NETWORK
    listen: ListenOption = ":4646"
    seats: int = option(6_000, N_("How many seats may wait at the relay."), **count(1, 10**6))
    calls: int = option(15_000, N_("How many pairs may be connected at once."), **count(1, 10**6))
    same_address: int = option(
        256, N_("How many of each may come from one address."), **count(1, 10**6)
    )
    drain: float = option(
        30.0,
        N_("Seconds for which connected pairs may go on once the relay is told to end."),
        **seconds(0, 86_400),
    )
    log: bool = option(
        False, N_("Write a line for each event to standard error, without addresses.")
    )
    log_addresses: bool = option(False, N_("As --log, with addresses."))
    metrics: str | None = option(
        None,
        N_("Serve metrics for Prometheus at this address; without HOST to this machine alone."),
        metavar=PLACE,
    )
    as_json: JsonOption = False
    use: str | None = option(
        None,
        N_("Do not run a relay. Remember this one for your tables and codes; none forgets it."),
        metavar=PLACE,
    )


@dataclass(frozen=True)
class VerifyOptions:
    """How transcripts are judged, and where the verdicts are kept."""

    HEADING: ClassVar = OUTPUT
    as_json: JsonOption = False
    jobs: int | None = option(
        None,
        N_("How many processes check files. The default is one for each core."),
        **count(1, 1024),
    )
    verdicts: Path | None = option(
        None,
        N_(
            "Write the verdicts into this file, one JSON object on each line, and skip files "
            "that have one. So an interrupted run can be continued."
        ),
        metavar="FILE",
    )
    dask: str | None = option(
        None,
        N_(
            "Let the workers of this Dask cluster check the files, for example tcp://HOST:8786. "
            "Needs the extra: cluster."
        ),
        metavar="SCHEDULER",
    )
    send: bool = option(False, N_("With --dask: send the bytes of the files to the workers."))
    certificate: bool = option(
        False, N_("The files are result certificates: check who won, without the games.")
    )
    vouches: Path | None = option(
        None,
        N_(
            "The file of vouches of this one game, which shows who sat there. Without this "
            "option the file on this machine is used, if there is one."
        ),
        metavar="FILE",
    )
    save_certificate: Path | None = option(
        None,
        N_("Save the result certificate of this one finished game in this file."),
        metavar="FILE",
    )
