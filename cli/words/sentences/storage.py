"""What can be wrong with the player's own files, by code."""

from __future__ import annotations

from typing import Final

from ..translation import N_

STORAGE: Final = {
    "passphrase-wrong": N_("the passphrase is wrong, or the file is damaged"),
    "passphrase-no-text": N_(
        "the passphrase is not text in UTF-8: set HOITY_PASSPHRASE in this terminal's encoding"
    ),
    "file-damaged": N_("the file is damaged"),
    "file-sealed": N_("the file is sealed: give its passphrase (HOITY_PASSPHRASE)"),
    "file-not-sealed": N_(
        "the file is not sealed, though a passphrase is given: whoever made it may not have"
        " been you. To use it all the same, take HOITY_PASSPHRASE away"
    ),
    "key-exists": N_("there is a key already: {path}; move it away first"),
    "no-key": N_("there is no key yet: make one with `hoity id new`"),
    "no-key-file": N_("{path} is no key file of this version"),
    "key-unwritten": N_("cannot write {path}: {why}"),
    "key-unread": N_("cannot read {path}: {why}"),
    "key-unusable": N_("cannot use {path}: {why}"),
    "nickname-size": N_("a nickname has 1 to {most} characters"),
    "nickname-letters": N_("a nickname has characters that may not stand in a name"),
    "nickname-as-two": N_("a nickname has a comma or semicolon: it would read as two"),
    "nickname-stacked": N_(
        "a nickname has at most {most} marks on one letter, and none before its first: others would"
        " see them over the lines around it"
    ),
    "journal-in-use": N_("{journal} is in use: this seat is played already, in another terminal"),
    "journal-exists": N_("there is a journal of this seat already: {path}"),
    "journal-unwritten": N_("cannot write {path}: {why}"),
    "journal-stopped": N_(
        "cannot write {path}: {why}; nothing was sent that is not on disk. Make room and resume"
    ),
    "journal-unopened": N_("cannot open {path}: {why}"),
    "journal-unusable": N_("cannot use {path}: {why}"),
    "no-journal": N_("it is no journal of this version"),
    "journal-of-other-version": N_(
        "another version of this program wrote it: play on, or save what was played, with that one"
    ),
    "journal-empty": N_("it has no record that is whole"),
    "marks-inside": N_(
        "the marks of journals ({path}) would lie in {home} itself, and come back with an old copy"
        " of it: name a folder elsewhere with HOITY_MARKS"
    ),
    "owned-by-another": N_(
        "{path} belongs to another user of this machine: take it over, if it is yours,"
        " with: {command}"
    ),
    "open-to-others": N_("{path} is open to other users of this machine: close it with: {command}"),
    "shared-folder": N_(
        "other users of this machine share or own the folder {path}: name a folder of your own"
        " with HOITY_HOME (for the marks of journals: HOITY_MARKS)"
    ),
    "game-too-large": N_("the game does not fit into a file; it is over, and its journal is kept"),
    "transcript-unwritten": N_("cannot write {path}: {why}"),
    "transcript-unwritten-but-kept": N_(
        "cannot write {path}: {why}; the game is over and kept. Save it with:"
        " hoity resume {game} --claim --transcript FILE"
    ),
}
