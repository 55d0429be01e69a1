"""The phrase book: sentences that come up from below in English, marked for the catalogues."""

from __future__ import annotations

import re
from functools import cache
from typing import Final

from .lingo import N_, _, language

SEAT_FAULTS: Final = frozenset(
    {
        N_("signed two different statements of one identity"),
        N_("spoke on two chains in one epoch"),
        N_("sealed or spoke in an epoch that a later halt of its own leaves out"),
        N_("left a say of its own out of a halt"),
        N_("signed a halt that is not well formed"),
        N_("proposed a base that does not follow from its halts"),
        N_("spoke in a step in which nothing was asked of it"),
        N_("said a body that is not of the form of the step"),
        N_("sent a value that is no canonical element of the group"),
        N_("sent a value that is no canonical scalar"),
        N_("sent a transport key of low order"),
        N_("showed another key than it had committed to"),
        N_("did not prove that it knows its key"),
        N_("dealt a backup piece that is zero, or does not fit its own key"),
        N_("complained of a backup piece that is sound"),
        N_("did not prove its shuffle"),
        N_("did not prove its share of a card"),
        N_("sealed an escrow that does not hold its choice"),
        N_("did not prove its share of an escrow"),
        N_("opened another choice than it had committed to"),
        N_("made a choice the rules forbid"),
    }
)
"""What a seat can be proven guilty of; see protocol.wire.faults."""

FILE_FAULTS: Final = frozenset(
    {
        N_("there is nothing in the file"),
        N_("the file is larger than any game"),
        N_("the file ends in the middle"),
        N_("the file is no transcript"),
        N_("the file is of another version"),
        N_("the bytes are not the one encoding of their value"),
        N_("a part of the file is not of its form"),
        N_("the header does not hold"),
        N_("the terms name no game that is known here"),
        N_("a body has no signature"),
        N_("a signature does not hold for what the file says"),
        N_("something is signed in an epoch that the file does not reach"),
        N_("a message is not of its form"),
        N_("the evidence is not in its order"),
        N_("a seat that was asked has said nothing, and its absence is not shown"),
        N_("no base makes the seat absent here"),
        N_("no base finds the seat at fault here"),
        N_("no base changes who is present here"),
        N_("something that a change of epoch rests on is not in the file"),
        N_("a base does not follow from its halts, or is not that of the chain"),
        N_("two bases of one epoch are sealed: the table is void"),
        N_("the last epoch has not the seals of a quorum"),
        N_("the file holds what nothing needs"),
        N_("the game is not over, or its end is not final"),
    }
)
"""What a file can be refused for; see protocol.transcript.problem."""

PEER_WORDS: Final = frozenset(
    {
        N_("this is your own ticket: give it to the others"),
        N_(
            "the host did not say its terms;"
            " ask the host whether the table is still open, and try again"
        ),
        N_("the host cuts every link; ask the host whether the table is still open, and try again"),
        N_(
            "the host does not know this ticket: it is of an earlier table, or it lacks what gives"
            " a seat; ask the host for its ticket"
        ),
        N_("your seat at this table is kept: take it again with hoity resume"),
        N_("someone else hosts this table than the ticket says: do not play there"),
        N_("the host's roster holds an old consent of yours: do not play there"),
        N_(
            "you sat down at this table before, and left before it began: it cannot begin with you"
            " any more; ask the host to open a new one"
        ),
        N_("who answers cannot show that it gave this ticket: do not play there"),
        N_("someone at this table has your name already: take another with --name"),
        N_("the host has given two rosters"),
        N_(
            "another process with your key sits at this table already, perhaps from a copy of your"
            " files: play there"
        ),
        N_("the table is full: its game has begun"),
        N_("you did not take the seat"),
        N_("the table is full"),
        N_("the host's roster is not valid"),
        N_("the host's roster is of another table"),
        N_("the table is full: its game has begun without you"),
        N_("the host speaks otherwise"),
        N_("the links are closed"),
        N_("these terms cannot be played"),
        N_("there is no such game to resume on this machine"),
        N_(
            "no game waits for you on this machine: sit down at one with hoity join, or open one"
            " with hoity host"
        ),
        N_("no game waits for you; claimed ones must be named"),
        N_("the journal is of another key than yours"),
        N_("there is no key yet: make one with `hoity id new`"),
        N_("the passphrase is wrong, or the file is damaged"),
        N_("the file is sealed: give its passphrase (HOITY_PASSPHRASE)"),
        N_(
            "the file is not sealed, though a passphrase is given: whoever made it may not have"
            " been you. To use it all the same, take HOITY_PASSPHRASE away"
        ),
        N_("the passphrase is not text in UTF-8: set HOITY_PASSPHRASE in this terminal's encoding"),
        N_("nobody listens there"),
        N_("the connection was cut"),
        N_("no answer"),
        N_("no answer in time"),
        N_("there is no way to that machine"),
        N_("that name is not known here"),
        N_("the port is already in use"),
        N_("stopped"),
        N_("a seat fell silent before the game began"),
        N_("too many seats are at fault"),
        N_("an onlooker"),
        N_("a nickname has 1 to 24 characters"),
        N_("a nickname has characters that may not stand in a name"),
        N_("a nickname has a comma or semicolon: it would read as two"),
        N_("it closed the link"),
        N_("two bases of one epoch are sealed: the table is void, with proof"),
    }
)
"""What peers and the network say most often; anything else stays English."""


FRAMED: Final = (
    # The command-line library's complaints; it has no catalogue of its own.
    N_("No such option: {option} (Possible options: {options})"),
    N_("No such option: {option}"),
    N_("{complaint} Did you mean {name}?"),
    N_("Missing argument {name}."),
    N_("Missing option {name}."),
    N_("Invalid value for {name}: {why}"),
    N_("Invalid value: {why}"),
    N_("{value} is not a valid {kind}."),
    N_("{value} is not in the range {range}."),
    N_("{value} is not one of {choices}."),
    N_("Option {option} requires an argument."),
    N_("Option {option} does not take a value."),
    N_("Got unexpected extra argument(s) ({words})"),
    N_("Got unexpected extra argument ({words})"),
    N_("Got unexpected extra arguments ({words})"),
    # Addresses, tickets and games.
    N_("{text} has no port: write it as host:port"),
    N_("{text} has no port from {least} to {most} after the colon"),
    N_("{text} has no IPv6 address between the brackets"),
    N_("{text}: write an IPv6 address in brackets, as [::1]:4711"),
    N_("{text} names no machine: write it as host:port"),
    N_(
        "the host cannot be reached ({why});"
        " ask the host whether the table is still open, and try again"
    ),
    N_("{address} cannot be reached: {why}"),
    N_("this is not a ticket: a ticket starts with {prefix}"),
    N_("this ticket is cut short; ask the host for it again and copy the whole word"),
    N_(
        "this ticket is cut short (letters missing: {number});"
        " ask the host for it again and copy the whole word"
    ),
    N_(
        "this ticket is too long (letters too many: {number});"
        " ask the host for it again and copy the whole word"
    ),
    N_(
        "this ticket is mistyped: {letter} is in no ticket;"
        " ask the host for it again and copy the whole word"
    ),
    N_("this ticket is mistyped; ask the host for it again and copy the whole word"),
    N_("the host is gone ({reason}); ask the host whether the table is still open, and try again"),
    N_("two names at this table are too alike ({one} and {other}): you did not sit down there"),
    N_(
        "this seat is played already by another process with your key, perhaps from a copy of your"
        " files: {names} linked with it. Play there, or end it there and resume here"
    ),
    N_("seat {number}'s signature does not hold: this, or what comes before, is changed"),
    N_("several games can be resumed: {names}; name one"),
    N_("{path}: cannot be read ({why}); name a file, or {known}"),
    N_("{path} is open to other users of this machine: close it with: {command}"),
    N_(
        "{path} belongs to another user of this machine: take it over, if it is yours,"
        " with: {command}"
    ),
    N_(
        "the marks of journals ({path}) would lie in {home} itself, and come back with an old copy"
        " of it: name a folder elsewhere with HOITY_MARKS"
    ),
    N_("what came over it cannot be read at this table ({why})"),
    N_("cannot write {path}; the game is over and kept. Save it with: {command}"),
    N_("cannot listen on {address}: {why}; name another with --listen, or port 0 for a free one"),
    N_("cannot listen on {address}: {why}"),
    N_("cannot write {path}: {why}"),
    N_("cannot open {path}: {why}"),
    N_("cannot use {path}: {why}"),
    N_("{journal} is in use: this seat is played already, in another terminal"),
)
"""Sentences with something put in, tried in this order; what is put in is looked up too."""

KINDS_OF_VALUE: Final = frozenset({N_("int range"), N_("float range"), N_("integer range")})


@cache
def _frame(template: str) -> re.Pattern[str]:
    """What a sentence made from this template looks like."""
    parts = re.split(r"\{(\w+)\}", template)
    made = [
        f"(?P<{part}>.+?)" if index % 2 else re.escape(part) for index, part in enumerate(parts)
    ]
    return re.compile("".join(made), re.DOTALL)


def _hole(text: str) -> str:
    """What is put in, as a whole or, like the troubles of several addresses, part by part."""
    known = _(text)
    return known if known != text else "; ".join(said(part) for part in text.split("; "))


def said(text: str) -> str:
    """A sentence from below in the language spoken, as far as the phrase book has it.

    It is looked up whole, then as one of `FRAMED`, then "This: because of that" part by part.
    """
    known = _(text)
    if known != text or language() == "en":
        return known
    for template in FRAMED:
        found = _frame(template).fullmatch(text)
        if found:
            holes = {name: _hole(hole) for name, hole in found.groupdict().items()}
            return _(template).format(**holes)
    if ": " not in text:
        return text
    head, tail = text.split(": ", 1)
    return f"{_(head)}: {said(tail)}"
