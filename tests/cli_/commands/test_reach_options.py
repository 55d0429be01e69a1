"""How a seat is reached by what is typed: addresses, relays, the proxy, the router and the LAN."""

import os
from dataclasses import replace
from typing import Any

import pytest
from support.shell import Shell

from cli.app import run
from cli.commands import reach_options
from cli.commands.join import _ticket
from cli.commands.options import USUAL, NetworkOptions, RelayOptions
from cli.commands.reach_options import for_guests
from cli.commands.relay import relay as run_relay
from cli.exit_codes import Trouble
from p2p_hoity.net.network_errors import AddressError
from p2p_hoity.net.socks_proxy import ProxyTypedError, SocksNetwork
from p2p_hoity.table.open_links import Lan, Reach

TOR = "socks5://127.0.0.1:9050"


def reach_of(
    listen: str = USUAL, relay: list[str] | None = None, lan: Lan = Lan.OFF, **typed: Any
) -> Reach:
    """Return how a table is reached that is told to be reached in this way."""
    return reach_options.reach_of(NetworkOptions(listen, relay, **typed), lan)


@pytest.mark.parametrize("text", ["nowhere", "65536", "-1", "4647x", "host:", ""])
def test_an_error_shows_an_address_that_suits_the_command(text: str) -> None:
    for ask, example in (
        (lambda: reach_of(text), "--listen as HOST:PORT, for example 0.0.0.0:4647, not"),
        (
            lambda: run_relay(RelayOptions(text)),
            "--listen as HOST:PORT, for example 0.0.0.0:4646, not",
        ),
        (
            lambda: run_relay(RelayOptions(metrics=text)),
            "--metrics as HOST:PORT, for example 127.0.0.1:9464",
        ),
    ):
        with pytest.raises(Trouble, match=example):
            ask()


def again_by(listen: str = "", relay: list[str] | None = None, **typed: Any) -> Reach:
    """Return the same of a seat that is taken again."""
    return reach_options.again_by(NetworkOptions(listen, relay, **typed))


@pytest.fixture(autouse=True)
def _own_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(reach_options.PROXY, "")


def test_a_forwarded_port_is_named_and_the_lan_not_asked_behind_a_proxy() -> None:
    reach = reach_of(":0", advertise=["my.example.org:4646", "[2606:4700::1111]:5"])
    assert reach.advertised == ("my.example.org:4646", "[2606:4700::1111]:5")
    assert reach.listen == ":4646"
    assert reach_of("192.168.1.5:9", advertise=["h:4646"]).listen == "192.168.1.5:9"
    assert reach_of(":0").listen == ":0"
    assert reach_of(USUAL, advertise=["h:4646"]).listen == ":4646"
    usual, typed = reach_of(USUAL), reach_of(":4646")
    assert (usual.or_any, typed.or_any) == (True, False)
    assert reach_of(USUAL, proxy=TOR).or_any
    for typed_port in ("4646", " 4646", ":4646", "４６４６"):
        assert reach_of(typed_port) == reach_of(":4646")
        assert again_by(typed_port) == again_by(":4646")
    assert reach_of(USUAL.removeprefix(":"), relay_only=True, relay=["r.example:1"]).relay_only
    assert not again_by(USUAL.removeprefix(":")).anew
    for how, option in ((Reach(hidden=True), "--proxy"), (Reach(relay_only=True), "--relay-only")):
        with pytest.raises(Trouble, match=f"With {option} this network is not searched"):
            _ticket(False, "", how)
        assert _ticket(False, "Ana", how) == "Ana"


@pytest.mark.parametrize(
    ("typed", "error"),
    [
        *(
            ([text], AddressError)
            for text in (
                "h",
                "h:0",
                "h:70000",
                "[::1:5",
                "::1:5",
                "a b:5",
                "http://h",
                "c℀.example:5",
            )
        ),
        (["relay+h:5"], Trouble),
        ([f"h{n}:5" for n in range(9)], Trouble),
    ],
)
def test_what_is_no_address_is_no_forwarded_port(typed: list[str], error: type[Exception]) -> None:
    with pytest.raises(error):
        reach_of(":0", advertise=typed)


def test_behind_a_proxy_nothing_is_listened_to_announced_or_asked() -> None:
    reach = reach_of(":0", ["r.example:1"], Lan.OPEN, advertise=["x.onion:47"], proxy=TOR)
    assert (reach.listen, reach.lan) == ("127.0.0.1:47", Lan.OFF)
    assert (reach.maps, reach.hidden) == (False, True)
    assert isinstance(reach.network, SocksNetwork)
    assert os.environ[reach_options.PROXY] == TOR  # for the bots that this command hires
    assert reach_of("127.0.0.1:9", proxy=TOR).listen == "127.0.0.1:9"
    with pytest.raises(Trouble):
        reach_of("0.0.0.0:9", proxy=TOR)
    with pytest.raises(ProxyTypedError):
        reach_of(":0", proxy="http://127.0.0.1:80")
    with pytest.raises(Trouble):  # a table that nobody could reach
        for_guests(reach_of(":0", proxy=TOR), 0)
    for ways in ({"relay": ["r.example:1"]}, {"advertise": ["x.onion:1"]}):
        assert for_guests(reach_of(":0", proxy=TOR, **ways), 0).outside


def test_a_host_that_hides_announces_nothing_whatever_else_is_set() -> None:
    for lan in Lan:
        assert Reach(lan=lan).announced is lan
        assert Reach(lan=lan, hidden=True).announced is Lan.OFF
        assert Reach(lan=lan, relay_only=True).announced is Lan.OFF


def test_only_a_host_asks_the_router_and_not_if_it_is_forbidden(
    opened: list[Reach], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("HOITY_NO_MAP")
    assert run(["host"]) == run(["host", "--no-map"]) == run(["play"]) == 0
    monkeypatch.setenv("HOITY_NO_MAP", "1")
    assert run(["host", "--bots", "1"]) == 0
    assert [reach.maps for reach in opened] == [True, False, False, False]
    assert [reach.outside for reach in opened] == [True, True, False, True]
    assert [reach.shares_machine for reach in opened] == [False, False, False, True]


def test_the_proxy_may_be_named_by_the_environment_and_is_not_given_to_bots_of_one_machine(
    opened: list[Reach], hoity: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(reach_options.PROXY, "socks5://Ada:s3cret@127.0.0.1:9050")
    done = hoity("host", "--relay", "r.example:1")
    assert (done.code, done.err) == (0, "")
    assert "s3cret" not in repr(opened[0])
    monkeypatch.setenv(reach_options.PROXY, TOR)
    assert hoity("play").code == 0
    assert reach_options.PROXY not in os.environ
    assert [reach.hidden for reach in opened] == [True, False]


def test_a_password_among_the_words_is_not_repeated(opened: list[Reach], hoity: Shell) -> None:
    words = ["host", "--relay", "r.example:1", "--proxy"]
    assert "HOITY_PROXY" in hoity(*words, "socks5://Ada:s3cret@127.0.0.1:9050").err
    for before in ([], ["--debug"]):
        told = hoity.told(2, *before, *words, "socks5://Ada:s3cret@127.0.0.1")
        assert "s3cret" not in told
        assert before or "socks5://HOST:PORT" in told


def test_through_relays_alone_nothing_is_listened_for_announced_or_asked() -> None:
    reach = reach_of(USUAL, ["r.example:1"], Lan.OPEN, relay_only=True)
    assert (reach.relay_only, reach.relays) == (True, ("r.example:1",))
    assert (reach.lan, reach.maps, reach.advertised) == (Lan.OFF, False, ())
    assert for_guests(reach, 2).relay_only
    for shown in ({"listen": ":9"}, {"listen": ":0", "advertise": ["h:1"]}):
        with pytest.raises(Trouble, match="Leave out --listen and --advertise"):
            reach_of(**shown, relay=["r.example:1"], relay_only=True)
    by_proxy = reach_of(":0", ["r.example:1"], proxy=TOR, relay_only=True)
    assert (by_proxy.hidden, by_proxy.relay_only) == (True, True)
    assert isinstance(by_proxy.network, SocksNetwork)


def test_a_seat_is_taken_again_as_before_but_for_what_is_typed() -> None:
    before = again_by()
    assert (before.anew, before.relays_anew, before.advertised) == (False, False, ())
    assert again_by(":0") == replace(before, anew=True)
    assert not again_by(USUAL).anew
    elsewhere = again_by(relay=["relay.example:9"], advertise=["home.example:4646"])
    assert (elsewhere.anew, elsewhere.relays_anew) == (True, True)
    assert elsewhere.listen == ":4646"
    assert elsewhere.relays == ("relay.example:9",)
    assert again_by(":9").anew
    without = again_by(relay=["none"])
    assert (without.relays, without.relays_anew) == ((), True)


# At the table, and how it is left.
