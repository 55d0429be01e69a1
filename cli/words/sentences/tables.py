"""Why a table is not opened, joined or taken up again, by code."""

from __future__ import annotations

from typing import Final

from ..translation import N_

TABLES: Final = {
    "bad-listen": N_("--listen is HOST:PORT, as in 0.0.0.0:4646, not {text}."),
    "cannot-listen-there": N_(
        "cannot listen on {address}: {why}; name another with --listen, or port 0 for a free one"
    ),
    "relay-unreached": N_(
        "{why}; --relay none goes on without a relay, and --relay HOST:PORT with another; the"
        " others at the table may have to do the same"
    ),
    "own-ticket": N_("this is your own ticket: give it to the others"),
    "ticket-of-another-table": N_("this ticket is of another table than this game"),
    "ticket-of-no-seat": N_(
        "this ticket is of nobody who sits at this table: do not use it; ask the one who gave it to"
        " you"
    ),
    "ticket-with-another-secret": N_(
        "this ticket is not of your table: its secret is another one; do not use it, and ask the"
        " one who has moved for the ticket that is shown there when the seat is taken again"
    ),
    "seat-kept": N_("your seat at this table is kept: take it again with hoity resume"),
    "host-unreached": N_(
        "the host cannot be reached ({why});"
        " ask the host whether the table is still open, and try again"
    ),
    "host-unreached-six": N_(
        "the host cannot be reached ({why}); from elsewhere its ticket works over IPv6 only, and"
        " only if the host's router lets calls in: else the host needs a relay (--relay)"
    ),
    "host-unreached-lan": N_(
        "the host cannot be reached ({why}); its ticket works only on the host's own network: if"
        " you are elsewhere, the host needs a relay (--relay) or a forwarded port (--advertise);"
        " if not, ask whether the table is still open"
    ),
    "host-unreached-by-proxy": N_("{why}; start it, or name another with --proxy"),
    "host-unreached-machine": N_(
        "the host cannot be reached ({why}); its ticket works only on the host's own machine: for"
        " others the host needs to listen elsewhere (--listen) or a relay (--relay)"
    ),
    "host-gone": N_(
        "the host is gone ({reason}); ask the host whether the table is still open, and try again"
    ),
    "host-cuts-links": N_(
        "the host cuts every link; ask the host whether the table is still open, and try again"
    ),
    "host-without-terms": N_(
        "the host did not say its terms;"
        " ask the host whether the table is still open, and try again"
    ),
    "links-closed": N_("the links are closed"),
    "sits-elsewhere": N_(
        "another process with your key sits at this table already, perhaps from a copy of your"
        " files: play there"
    ),
    "host-impostor": N_("who answers cannot show that it gave this ticket: do not play there"),
    "other-host": N_("someone else hosts this table than the ticket says: do not play there"),
    "other-table": N_("the host's roster is of another table"),
    "host-of-other-version": N_(
        "the host plays by another version of the protocol, {theirs}, and this is {ours}: both"
        " need the same one"
    ),
    "host-speaks-otherwise": N_("the host speaks otherwise: {why}"),
    "bad-roster": N_("the host's roster is not valid: {why}"),
    "unplayable-terms": N_("these terms cannot be played: {why}"),
    "old-consent": N_("the host's roster holds an old consent of yours: do not play there"),
    "left-before-the-beginning": N_(
        "you sat down at this table before, and left before it began: it cannot begin with you"
        " any more; ask the host to open a new one"
    ),
    "ticket-unknown": N_(
        "the host does not know this ticket: it is of an earlier table, or it lacks what gives"
        " a seat; ask the host for its ticket"
    ),
    "ticket-without-relay": N_(
        "the host waits at no relay, and with --relay-only nothing else is dialled: ask for a table"
        " that is opened with --relay"
    ),
    "ticket-of-other-relays": N_(
        "the host waits at {relays}, which you have not named as a relay of yours: if you trust it"
        " with your address, name it with --relay, and try again"
    ),
    "table-full": N_("the table is full"),
    "host-refused": N_("the host does not want you at this table"),
    "host-did-not-answer": N_(
        "the host did not say in time whether you may sit down; try again, or speak to the host"
    ),
    "name-taken": N_(
        "the host takes no guest of your name: someone at this table has it or one like it, or it"
        " cannot be shown; take another with --name"
    ),
    "game-begun": N_("the table is full: its game has begun"),
    "game-begun-without-you": N_("the table is full: its game has begun without you"),
    "names-alike": N_(
        "two names at this table are too alike ({one} and {other}): you did not sit down there"
    ),
    "name-stacked": N_(
        "{name} has so many marks on its letters that it covers other lines: you did not sit down"
        " at this table. Ask the host for a table without that name"
    ),
    "seat-not-taken": N_("you did not take the seat"),
    "table-unwatched": N_("the host lets nobody watch this table"),
    "host-changed-its-mind": N_(
        "the host now says otherwise whether this table may be watched: you did not sit down there"
    ),
    "played-elsewhere": N_(
        "this seat is played already by another process with your key, perhaps from a copy of your"
        " files: {names} linked with it. Play there, or end it there and resume here"
    ),
    "several-games": N_("several games can be resumed: {names}; name one"),
    "only-claimed-games": N_("no game waits for you; claimed ones must be named: {names}"),
    "no-game": N_(
        "no game waits for you on this machine: sit down at one with hoity join, or open one"
        " with hoity host"
    ),
    "no-such-game": N_("there is no such game to resume on this machine"),
    "file-of-game-unreadable": N_("{path} cannot be read: {why}"),
    "file-of-another-game": N_(
        "{path} is the file of another table, not of game {game}: ask one of the others for theirs"
    ),
    "file-of-game-not-finished": N_(
        "{path} shows a game that is not over: ask for the file of a seat that stayed to the end"
    ),
    "file-of-game-not-ok": N_(
        "{path} does not hold ({problem}), so your game stays as it is: see hoity verify, and ask"
        " another seat for its file"
    ),
    "game-running": N_(
        "game {game} is being played just now, in another terminal: leave it there first"
    ),
    "game-not-begun": N_("that game had not begun: there is nothing to save"),
    "game-by-proxy": N_(
        "this game is played through a proxy, and none is named: give --proxy, or your address"
        " would be shown"
    ),
    "game-by-relays-without-one": N_(
        "this game is played through a relay alone (--relay-only), and none is known: name one with"
        " --relay HOST:PORT"
    ),
    "game-by-relays-alone": N_(
        "this game is played through a relay alone (--relay-only): --listen and --advertise would"
        " show an address of yours; leave them out"
    ),
    "journal-of-other-key": N_("the journal is of another key than yours"),
}
