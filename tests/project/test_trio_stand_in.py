"""What a page has in the place of trio: all that is used, nothing else, and of the same effect."""

import ast
import asyncio
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from support import stand_in, trio_contracts
from support.paths import ROOT
from support.source import files_under, nodes_of
from trio.testing import MockClock

from tools.page_build.stand_ins import trio as page_trio

OF_A_PAGE = (
    "p2p_hoity/net",
    "p2p_hoity/presentation",
    "p2p_hoity/reachability",
    "p2p_hoity/table",
    "p2p_hoity/web",
    "cli/ui",
)
"""The folders with the modules of a page. It does not call all that is in them."""
NEVER_IN_A_PAGE = {
    # A page listens nowhere, and its browser opens its only connections.
    "trio.SocketListener": {"cli.ui.web.page_server", "p2p_hoity.net.transport"},
    "trio.open_tcp_listeners": {"p2p_hoity.net.transport"},
    "trio.open_tcp_stream": {"p2p_hoity.net.transport", "p2p_hoity.reachability.upnp"},
    "trio.serve_listeners": {"cli.ui.web.page_server"},
    "trio.socket": {
        "cli.ui.web.page_server",
        "p2p_hoity.net.transport",
        "p2p_hoity.reachability.pcp_and_nat_pmp",
        "p2p_hoity.reachability.upnp",
    },
    # Its loop runs already.
    "trio.run": {
        "cli.ui.person_seat",
        "cli.ui.web.page_replay",
        "cli.ui.web.page_setup",
        "cli.ui.web.page_window",
    },
    # It has no terminal.
    "trio.RunFinishedError": {"cli.ui.full_screen.full_window"},
    "trio.lowlevel.TrioToken": {"cli.ui.full_screen.full_window"},
    "trio.lowlevel.current_trio_token": {"cli.ui.full_screen.full_window"},
    "trio.lowlevel.start_guest_run": {"cli.ui.full_screen.full_window"},
    "trio.open_signal_receiver": {"cli.ui.lines.line_window"},
}
"""What the stand-in lacks, with the modules that use it where there is no page."""
NATIVE = ("cli.ui.full_screen", "cli.ui.lines")
"""Where an object of trio may have methods that the stand-in lacks."""


def module_of(path: Path) -> str:
    """Return the name of a module by its file."""
    return ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")


def dotted(node: ast.AST) -> str | None:
    """Return a name of trio such as `trio.abc.Stream`, None for everything else."""
    match node:
        case ast.Name("trio"):
            return "trio"
        case ast.Attribute(value, name) if (origin := dotted(value)) is not None:
            return f"{origin}.{name}"
    return None


def names_in(nodes: Iterable[ast.AST]) -> set[str]:
    """Return the names of trio that a module uses, each as long as it is written."""
    names = [node for node in nodes if isinstance(node, ast.Attribute)]
    inner = {id(node.value) for node in names}
    return {name for node in names if id(node) not in inner and (name := dotted(node))}


@cache
def used() -> dict[str, set[str]]:
    """Return the names of trio that are used, each with the modules that use it."""
    found: dict[str, set[str]] = {}
    for path in files_under(*OF_A_PAGE):
        for name in names_in(nodes_of(path)):
            found.setdefault(name, set()).add(module_of(path))
    return found


def value_of(name: str) -> Any:
    """Return what the stand-in has by a name. Raises AttributeError."""
    found: Any = page_trio
    for part in name.split(".")[1:]:
        found = getattr(found, part)
    return found


def missing_in(name: str) -> str | None:
    """Return the part of a name that the stand-in lacks, None if it has it."""
    parts = name.split(".")
    for end in range(2, len(parts) + 1):
        try:
            value_of(".".join(parts[:end]))
        except AttributeError:
            return ".".join(parts[:end])
    return None


def test_the_stand_in_has_all_that_is_used_except_what_is_never_in_a_page() -> None:
    assert {"trio.open_nursery", "trio.lowlevel.ParkingLot", "trio.abc.Stream"} <= set(used())
    found: dict[str, set[str]] = {}
    for name, modules in used().items():
        if (missing := missing_in(name)) is not None:
            found.setdefault(missing, set()).update(modules)
    assert found == NEVER_IN_A_PAGE


def test_the_check_finds_names_wherever_they_are() -> None:
    code = """
import trio
async def act(given: trio.abc.Stream, field: list[trio.Event] = trio.one()) -> trio.Two.three:
    with suppress(trio.Four), trio.five(trio.six) as other.trio.seven:
        match error:
            case trio.Eight(): pass
"""
    names = "abc.Stream Event one Two.three Four five six Eight"
    assert names_in(ast.walk(ast.parse(code))) == {f"trio.{name}" for name in names.split()}
    assert missing_in("trio.lowlevel.no_such.name") == "trio.lowlevel.no_such"
    assert missing_in("trio.abc.Stream") is None


def public(module: ModuleType) -> Iterator[str]:
    """Yield the names that the stand-in offers, with those of the modules in it."""
    own = [name for name, one in vars(module).items() if is_class_of(one, module)]
    for name in getattr(module, "__all__", own):
        found = getattr(module, name)
        if isinstance(found, ModuleType):
            yield from public(found)
        else:
            yield f"{module.__name__.partition('stand_ins.')[2]}.{name}"


def is_class_of(found: object, module: ModuleType) -> bool:
    return isinstance(found, type) and found.__module__ == module.__name__


@cache
def attributes() -> set[str]:
    """Return the names of all attributes that modules of a page use."""
    return {
        node.attr
        for path in files_under(*OF_A_PAGE)
        if not module_of(path).startswith(NATIVE)
        for node in nodes_of(path)
        if isinstance(node, ast.Attribute)
    }


def test_the_stand_in_has_nothing_that_nobody_uses() -> None:
    offered = set(public(page_trio))
    assert {"trio.Lock", "trio.abc.SendStream", "trio.to_thread.run_sync"} <= offered
    assert offered - set(used()) == set()
    kinds = [one for one in map(value_of, offered) if isinstance(one, type)]
    methods = {name for one in kinds for name in vars(one) if not name.startswith("_")}
    assert {"unpark_all", "send_nowait", "deadline", "receive_some"} <= methods
    assert methods - attributes() == set()


def test_what_a_page_does_not_have_fails_at_once() -> None:
    makers: list[Callable[[], Any]] = [page_trio.SSLStream, page_trio.SocketStream]
    for make in makers:
        with pytest.raises(NotImplementedError):
            make()


@cache
def above_the_stand_in() -> dict[str, Any]:
    """Return what the contracts give there."""
    found: dict[str, Any] = stand_in.result_above("support.trio_contracts")
    return found


@pytest.mark.parametrize("name", trio_contracts.CONTRACTS)
async def test_a_contract_holds_above_trio_and_above_the_stand_in(
    name: str, autojump_clock: MockClock
) -> None:
    contract, expected = trio_contracts.CONTRACTS[name]
    assert await trio_contracts.result_of(contract) == expected
    assert above_the_stand_in()[name] == expected


class LoopOfAPage(stand_in.JumpingLoop):
    """A loop whose timers come too early, and which refuses those for the past."""

    _called = 0

    def time(self) -> float:
        """Return the time, which goes on while a program computes."""
        self.clock.now += 1e-5
        return self.clock.now

    def call_later(self, delay: float, *args: Any, **options: Any) -> Any:
        """Call a function after some seconds, or a little earlier."""
        self._called += 1
        if delay < 0:
            raise ValueError("Can't schedule in the past")
        early = self._called * 7 % 97 * 1.3e-6
        return super().call_at(self.clock.now + max(0.0, delay - early), *args, **options)

    def call_at(self, when: float, *args: Any, **options: Any) -> Any:
        """Call a function at a time, or a little earlier."""
        return self.call_later(when - self.time(), *args, **options)


def test_no_deadline_is_lost_or_comes_early_in_the_loop_of_a_page() -> None:
    async def wait() -> list[bool]:
        with page_trio.CancelScope() as past:
            past.deadline = page_trio.current_time() - 1
            await page_trio.sleep_forever()
        found = [past.cancelled_caught]
        for number in range(200):
            due = page_trio.current_time() + 1 + number * 7e-6
            with page_trio.move_on_at(due) as scope:
                await page_trio.sleep(2)
            found.append(scope.cancelled_caught and page_trio.current_time() >= due)
        return found

    with asyncio.Runner(loop_factory=LoopOfAPage) as runner:
        assert all(runner.run(wait()))


@pytest.mark.parametrize("seats", [2, 3])
def test_a_game_is_played_above_the_stand_in(seats: int) -> None:
    others = seats - 1
    assert stand_in.result_above("support.page_game", str(seats)) == {
        "transcripts": 1,
        "is valid": True,
        "codes": [None] * seats,
        "standings": 1,
        "Started": [1] * others + [2],
        "Resumed": [0] * others + [1],
        "GameOver": [1] * seats,
    }
