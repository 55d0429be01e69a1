"""The player's key and nickname, and the questions by which a person chooses them."""

from __future__ import annotations

import getpass
import os
import re
import sys
import warnings
from dataclasses import replace
from typing import Any, Final

from p2p_hoity.confusable_names import is_stacked, thinned
from p2p_hoity.net.typed_tickets import is_like_a_ticket
from p2p_hoity.pasted_text import is_unseen, stripped
from p2p_hoity.storage import player_key
from p2p_hoity.storage.home import Home
from p2p_hoity.storage.player_key import NamedIdentity
from p2p_hoity.table.gathering.drawn_nicknames import draw_nickname
from p2p_hoity.table.gathering.spoken_codes import is_code
from protocol import fingerprint, is_one_name, table_header

from ..exit_codes import INTERRUPTED, USAGE, Trouble
from ..printing import ask, complain, say
from ..words import translation
from ..words.error_sentences import sentence
from ..words.translation import _, yes_or_no
from . import settings

STDIN: Final = 0
MOST: Final = 8192
"""The greatest length of an answer, in bytes. Nobody types more in one line."""


def at_terminal() -> bool:
    """Return whether a person can be asked: both input and output are a terminal."""
    return sys.stdin.isatty() and sys.stdout.isatty()


def typed_line() -> str:
    """Read one line from the standard input, without the white space around it.

    Raises:
        Trouble: If the input has ended.
    """
    line = b""
    # Byte by byte, so that lines after it stay unread for the table's screen.
    while len(line) < MOST and (letter := os.read(STDIN, 1)) != b"\n":
        if not letter:
            raise Trouble(_("The input ended before an answer was given."), INTERRUPTED)
        line += letter
    return line.decode("utf-8-sig", "replace").strip()


def answer(question: str) -> str:
    """Ask a person a question, and return what is typed."""
    ask(question)
    try:
        return typed_line()
    except KeyboardInterrupt:
        say("")  # The terminal has written ^C behind the question.
        raise


def ask_yes(question: str) -> bool:
    """Ask a person a question until it is answered with y or n.

    Raises:
        Trouble: If there is nobody to ask.
    """
    if not at_terminal():
        raise Trouble(_("Confirm this at a terminal, or with --yes."), USAGE)
    while (said := yes_or_no(answer(question), silent=None)) is None:
        say(_("Please answer y or n."))
    return said


def chosen_name(home: Home) -> str | None:
    """Return the nickname that the player once chose in the first run, None without one."""
    chosen = settings.load(home).nickname
    return chosen if chosen is not None and why_no_nickname(chosen) is None else None


def named(home: Home, me: NamedIdentity, name: str | None) -> NamedIdentity:
    """Return a player's key with the given nickname, or else the stored, chosen or a drawn one."""
    known = name or me.nickname or chosen_name(home)
    if known:
        return replace(me, nickname=known)
    return replace(me, nickname=draw_nickname(), is_drawn=True)


def _was_made(nickname: str) -> bool:
    """Return whether version 0.1 made a nickname of the user name and four random letters."""
    try:
        user = getpass.getuser()
    except (KeyError, OSError):
        user = ""
    plain = "".join(letter for letter in user if letter == " " or is_one_name(letter)).strip()
    offered = thinned(plain)[: table_header.MAX_NICKNAME].strip()
    begins = "Player" if not offered or is_stacked(offered) else offered[:16].strip()
    return re.fullmatch(re.escape(begins) + "-[0-9a-f]{4}", nickname) is not None


def load(home: Home) -> tuple[NamedIdentity, str | None]:
    """Load the stored key and its passphrase, which is asked for if the environment lacks it.

    Raises:
        KeyFileError: If the key cannot be read.
    """
    given = player_key.passphrase_from_environment()
    try:
        return _loaded(home, given), given
    except player_key.KeyFileError as error:
        sealed = isinstance(error.__cause__, player_key.VaultError)
        if given or not sealed or not sys.stdin.isatty():
            raise
    asked = typed(_("Passphrase: "))
    return _loaded(home, asked), asked


def _loaded(home: Home, passphrase: str | None) -> NamedIdentity:
    """Load the stored key, without a nickname that the player has not chosen."""
    found = player_key.load_identity(home, passphrase)
    # A nickname that was made and stored with the key would link all games of the key.
    return replace(found, nickname="") if _was_made(found.nickname) else found


def typed(question: str) -> str:
    """Ask for a passphrase, which is not shown while it is typed.

    Raises:
        Trouble: If there is no terminal to type it at.
    """
    try:
        with warnings.catch_warnings():
            # Otherwise getpass only warns that what is typed will be seen.
            warnings.simplefilter("error", getpass.GetPassWarning)
            return getpass.getpass(question)
    except (getpass.GetPassWarning, EOFError) as error:
        words = _("A passphrase is typed at a terminal, and there is none: set HOITY_PASSPHRASE.")
        raise Trouble(words, USAGE) from error


def load_or_make(home: Home, name: str | None) -> tuple[NamedIdentity, str | None]:
    """Load the key and its passphrase. Before the very first game, make it and say so on stderr."""
    if name is not None:
        player_key.check_name(name)
    if home.identity.exists():
        return load(home)
    given = player_key.passphrase_from_environment()
    made = player_key.new_identity(home, name or chosen_name(home), given)
    text = _("A new key was made for you: {nickname}, {fingerprint}. It is kept in {path}.")
    if not made.nickname:
        text = _(
            "A new key was made for you: {fingerprint}. It is kept in {path}. You have a new "
            "nickname at each table, unless you choose one with --name."
        )
    words = text.format(
        nickname=made.nickname, fingerprint=fingerprint(made.identity.public), path=home.identity
    )
    complain(words)
    return made, given


def new(home: Home, name: str | None, ask: bool) -> NamedIdentity:
    """Make and store the player's key.

    Args:
        name: The nickname. None for the one that the player once chose, or else for none.
        ask: Whether to encrypt the key with a passphrase. It is typed twice unless the environment
            has it.

    Raises:
        Trouble: If the two passphrases differ.
    """
    given = player_key.passphrase_from_environment()
    if ask and not given:
        given = typed(_("Passphrase: "))
        if given != typed(_("Once more: ")):
            raise Trouble(_("The two passphrases differ; nothing was made."), USAGE)
    return player_key.new_identity(home, name or chosen_name(home), given)


def as_json(home: Home, player: NamedIdentity) -> dict[str, Any]:
    """Return the public side of a key as a JSON object. Its nickname is null if none was chosen."""
    public = player.identity.public
    return {
        "nickname": player.nickname or None,
        "fingerprint": fingerprint(public),
        "public": public.hex(),
        "path": str(home.identity),
    }


def first_run(home: Home) -> None:
    """Ask a new player at a terminal for a nickname, and store it with a language that was typed.

    Enter chooses no nickname. A player who has a key, as after any game, or settings is not asked.

    Raises:
        OSError: If the folder cannot be written to.
        NotPrivateError: If other users can write to the folder.
    """
    if not (at_terminal() and is_new(home)):
        return
    question = _("Your nickname for the other players? Press Enter for a new one at each table: ")
    while word := stripped(answer(question), is_unseen):
        if (why := refused_nickname(word)) is None:
            break
        say(why)
    language = translation.language() if translation.is_asked_for() else None
    settings.keep(home, replace(settings.load(home), nickname=word or None, language=language))


def is_new(home: Home) -> bool:
    """Return whether the player has neither a key, as after any game, nor chosen settings."""
    return not (home.identity.exists() or settings.is_kept(home))


def refused_nickname(word: str) -> str | None:
    """Return the sentence for a word that a new player cannot have as a nickname, else None."""
    if is_like_a_ticket(word) or is_code(word):
        return _("That is a ticket or a code, and not a nickname. Give it to hoity join.")
    why = why_no_nickname(word)
    return None if why is None else _("That is no nickname: {why}.").format(why=why)


def why_no_nickname(word: str) -> str | None:
    """Return in words why a word cannot be a nickname, None if it can."""
    try:
        player_key.check_name(word)
    except player_key.KeyFileError as error:
        return sentence(error.reason)
    return None
