"""Tests of the terms in words: durations, returns, and editions that are not what they say."""

import io
import json
from email.message import Message
from importlib import metadata
from itertools import product
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.at_prompt import written_of
from support.machine_table import identity
from support.offered_terms import UBER, described, terms
from support.paths import ROOT

from cli.commands.options import TableOptions
from cli.commands.play import checked_terms
from cli.table_view.message_parts import terms_of
from cli.words import edition_text, rules_text, table_terms, translation
from cli.words.card_names import Names
from cli.words.presence_sentences import late
from cli.words.table_terms import TableOffer, invitation, reach_lines
from p2p_hoity.coded_errors import because
from p2p_hoity.editions.load_edition import load
from p2p_hoity.game_adapter import game_value, read_game
from p2p_hoity.net.ticket import Ticket, encode_ticket
from p2p_hoity.presentation import screen_updates as updates
from p2p_hoity.presentation.screen_updates import CodeEnd
from p2p_hoity.reachability.advertised_addresses import SCOPES, Found, Scope, Wanted, judge
from p2p_hoity.reachability.pcp_and_nat_pmp import RouterCode
from protocol.crypto.identities import Identity
from protocol.wire.table_header import Terms, Timeouts, default_quorum

# Durations.


def test_a_duration_in_words() -> None:
    for milliseconds, words in (
        (1_000, "1 second"),
        (1_999, "1 second"),
        (30_000, "30 seconds"),
        (60_000, "1 minute"),
        (90_000, "1 minute 30 seconds"),
        (3_600_000, "1 hour"),
        (3_661_000, "1 hour 1 minute"),
        (7_199_000, "1 hour 59 minutes"),
        (86_400_000, "1 day"),
        (2_592_000_000, "30 days"),
        (0, "0 seconds"),
    ):
        assert translation.span(milliseconds) == words
    timeouts = Timeouts(choice=172_800_000, step=90_000)
    text = described(terms(timeouts=timeouts))
    assert "after 2 days without a choice (1 minute 30 seconds for other steps)" in text
    for language, words in (("de", "1 Tag 2 Stunden"), ("es", "1 día 2 horas")):
        translation.speak(language)
        assert translation.span(93_600_000) == words


@given(st.integers(1000, 2_592_000_000))
def test_a_duration_has_at_most_two_units_and_is_never_told_too_long(milliseconds: int) -> None:
    words = translation.span(milliseconds).split()
    assert len(words) in (2, 4)
    size = {"day": 86400, "hour": 3600, "minute": 60, "second": 1}
    told = sum(int(n) * size[unit.rstrip("s")] for n, unit in zip(*[iter(words)] * 2, strict=True))
    assert milliseconds * 0.95 - 1000 <= told * 1000 <= milliseconds


# Returns.


def test_the_terms_say_how_often_a_seat_may_come_back() -> None:
    for returns, words in (
        (0, "It cannot come back, unless the game cannot go on without it"),
        (1, "It may come back 1 time."),
        (8, "It may come back up to 8 times."),
    ):
        offered = terms(rejoins=returns)
        text = described(offered)
        assert words in text
        assert ("cannot come back" in text) == (returns == 0)
        assert terms_of(TableOffer(offered, read_game(offered), ())).rejoins == returns


def test_who_may_not_come_back_is_not_told_that_he_may() -> None:
    names = Names(UBER, ("Ana", "Bob", "Cleo"), 0)
    for may, seat in product((True, False), range(2)):
        count = updates.Muster(3, 2, 2, may_rejoin=may)
        told = "\n".join(late(updates.SeatsTimedOut(frozenset({seat}), 30.0, count), names, "1a2b"))
        assert ("may come back later" in told) == may
        assert ("do not allow a seat to come back" in told) != may


# Bounds.


def test_the_page_has_the_bounds_that_the_terms_have() -> None:
    page = (ROOT / "docs" / "how-it-works.md").read_text(encoding="utf-8")
    table = [line.strip("| ").split(" | ") for line in page.splitlines() if line.startswith("| **")]
    rows = {name.partition("**,")[0].strip("*"): list(map(int, cells)) for name, *cells in table}
    assert list(rows) == ["secrecy", "progress", "no fork"]
    for seats in range(2, 7):
        variant = "surprise" if seats == 2 else None
        game = game_value(UBER, variant)
        offered = Terms(identity(0).public, b"n" * 32, game, seats, default_quorum(seats))
        told = terms_of(TableOffer(offered, read_game(offered), ()))
        wanted = [getattr(told, name) for name in ("secrecy", "progress", "no_fork")]
        assert [rows[name][seats - 2] for name in rows] == wanted
        text = "\n".join(table_terms.bounds(offered))
        assert ("a single liar can split" in text) == (told.no_fork == 0)
        assert (table_terms.EXCEPTIONS in text) == (seats > 2)


@pytest.mark.parametrize("urls", [[], ["Home, https://a.example"], None])
def test_who_has_no_program_is_told_where_it_is_and_what_to_type(
    urls: list[str] | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The place is a setting of the build. A program that is not installed has none."""

    def missing(name: str) -> None:
        raise metadata.PackageNotFoundError(name)

    place = "Download, https://hoity.example/get"
    described = Message()
    for line in urls or ():
        described["Project-URL"] = line
    monkeypatch.setattr(metadata, "metadata", missing if urls is None else lambda name: described)
    told = "\n".join(table_terms.for_newcomers())
    assert "folder of the program" in told
    assert told.endswith("python3 tasks.py hoity join TICKET")
    described["Project-URL"] = place
    monkeypatch.setattr(metadata, "metadata", lambda name: described)
    told = "\n".join(table_terms.for_newcomers())
    assert "from https://hoity.example/get" in told
    assert told.endswith("type: hoity join TICKET")


@pytest.mark.parametrize(
    ("relays", "begins"),
    [
        (("relay.example:4646", "wss://relay.example:443"), "https://relay.example/#hoity"),
        (("wss://relay.example:8443",), "https://relay.example:8443/#hoity"),
        (("ws://127.0.0.1:4680",), "http://127.0.0.1:4680/#hoity"),
        (("relay.example:4646",), None),
        ((), None),
    ],
)
def test_a_table_at_a_relay_of_the_web_has_a_link(
    relays: tuple[str, ...], begins: str | None
) -> None:
    ticket = encode_ticket(Ticket(bytes(range(32)), ("10.0.0.1:9",), bytes(32), relays, bytes(16)))
    link, told = table_terms.page_link(ticket), table_terms.for_newcomers(ticket)
    if begins is None:
        assert link is None
        assert "relay serves a page" not in told[0]
    else:
        assert link is not None
        assert link.startswith(begins)
        assert link.endswith(ticket)
        assert told[1].strip() == link


# Codes and reach.

CODE = "7-lantern-walrus"


@pytest.mark.parametrize("after", [None, *CodeEnd])
def test_an_invitation_says_the_code_where_it_is_typed_and_until_when(
    after: CodeEnd | None,
) -> None:
    told = invitation(updates.OfferedCode(CODE, "relay.example:4646", 600.0, after))
    assert len(told) == (2 if after is None else 3)
    assert f"hoity join {CODE}@relay.example:4646" in told[-2]
    assert "10 minutes" in told[-1]


TICKET = encode_ticket(Ticket(b"h" * 32, ("10.0.0.1:9999",), b"t" * 32, (), b"s" * 16))


def reached(found: Found, ticket: str = "") -> updates.Reached:
    judged = judge(found, Wanted(lan=True))
    return updates.Reached(judged.scope, judged.reasons, ticket)


HOME = Found(("192.168.1.5:4646",), trouble=(because(RouterCode.SILENT),))


def test_a_program_gets_codes_and_each_reach_has_words() -> None:
    out = written_of(reached(HOME), reached(Found(("93.184.216.34:1",)), TICKET))
    lobbies = [one for one in out if one["type"] == "lobby"]
    assert [(one["reach"], one["ticket"]) for one in lobbies] == [
        ("lan", None),
        ("anywhere", TICKET),
    ]
    codes = [reason["code"] for reason in lobbies[0]["reasons"]]
    assert codes == ["reach-lan", "router-silent", "reach-take-relay", "reach-forward"]
    assert json.load(io.StringIO(json.dumps(out)))
    for scope in Scope:
        (line,) = reach_lines(updates.Reached(scope, (because(SCOPES[scope]),)))
        assert "ticket" in line
    first, router, *rest = reach_lines(reached(HOME))
    assert "only on your own network" in first
    assert "does not answer" in router
    assert any("--relay" in line for line in rest)
    assert any("--listen :4646 --advertise HOST:4646" in line for line in rest)


# Terms as they are typed.

HOST = Identity(bytes(32)).public


def typed_terms(seats: int, **given: Any) -> Terms:
    return checked_terms(TableOptions(seats, **given), HOST)


def told_of(offered: Terms, *names: str) -> str:
    """Return the terms in words."""
    return "\n".join(table_terms.describe(TableOffer(offered, read_game(offered), names)))


@pytest.mark.parametrize(
    ("seats", "secrecy", "progress", "fork"),
    [(3, 1, 1, 0), (4, 2, 1, 1), (5, 3, 1, 2), (6, 3, 2, 1)],
)
def test_the_three_bounds_in_words(seats: int, secrecy: int, progress: int, fork: int) -> None:
    offered = typed_terms(seats)
    text = told_of(offered, "Ana")
    found = dict(line.split(": ", 1) for line in text.splitlines() if ": " in line)
    assert f" {secrecy} seat" in found["Secrecy"]
    assert f" {progress} seat" in found["Progress"]
    assert f"{fork} lying seat" in found["One history"] or not fork
    assert ("a single liar can split" in text) is (fork == 0)
    assert ("If you are linked with one seat only" in text) is (fork == 0)
    assert "Ana" in text
    told = terms_of(TableOffer(offered, read_game(offered), ("Ana",)))
    assert (told.secrecy, told.progress, told.no_fork) == (secrecy, progress, fork)


def test_what_the_terms_say_of_absences_and_of_when_actions_are_chosen() -> None:
    for needs_all in (typed_terms(2), typed_terms(4, quorum=4)):
        assert "an absence pauses the game" in told_of(needs_all)
    patient = typed_terms(3, patience=7.5)
    assert patient.timeouts.choice == 7500
    assert "after 7 seconds" in "\n".join(table_terms.absence(patient))
    text = told_of(typed_terms(3))
    assert "The Castle's Actions are chosen after the sale." in text
    assert "Surprise" not in text


@pytest.mark.parametrize("variant", ["surprise", "confrontation"])
def test_a_variant_says_in_the_terms_what_it_says_in_the_rules(variant: str) -> None:
    text, sentence = told_of(typed_terms(2, variant=variant)), edition_text.VARIANTS[variant]
    assert sentence in text
    assert sentence in " ".join(" ".join(rules_text.lines(load(), None)).split())
    assert "after the sale" not in text
    assert "before the sale" not in text


@pytest.mark.parametrize(
    ("by_proxy", "was_shown", "relay", "others"),
    [
        (False, False, "learns your address,", "no address of yours"),
        (True, False, "learns your proxy's address,", "no address of yours"),
        (False, True, "learns your address,", "the address that you had then"),
        (True, True, "learns your proxy's address,", "the address that you had then"),
    ],
)
def test_what_others_learn_behind_relays_alone(
    by_proxy: bool, was_shown: bool, relay: str, others: str
) -> None:
    first, second = table_terms.alone_lines(("r:1", "s:2"), by_proxy, was_shown)
    assert "(r:1, s:2)" in first
    assert relay in first
    assert others in second
