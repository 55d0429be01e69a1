"""Vouches: signatures of a player's long-lived key over the key that its seat has at one table.

The key of a seat is drawn for one table, so that published files do not link the games of one
player. The nonce in the seat's entry is a commitment to the player's long-lived key. A vouch opens
this commitment, and is signed with the long-lived key. It is shown only to those who sit at the
table, and no transcript contains it (SPEC, section 14.2).
"""

from __future__ import annotations

from dataclasses import dataclass

from ..crypto import identities
from ..crypto.hashing import Label, digest
from ..errors import Invalid
from . import codec
from .codec import Octets32, Octets64
from .table_header import SeatEntry, Terms, sit

BAD_VOUCH = "bad-vouch"


@dataclass(frozen=True)
class Vouch:
    """The proof that the owner of a long-lived key has a seat.

    Attributes:
        id: The player's long-lived key.
        salt: 32 random bytes, which open the commitment in the entry of the seat.
        signature: The signature of the terms digest and the key of the seat.
    """

    id: Octets32
    salt: Octets32
    signature: Octets64


def commitment(id: bytes, salt: bytes) -> bytes:
    """Return a commitment to a player's long-lived key, the nonce of the player's signed entry.

    Args:
        id: The player's long-lived key, 32 bytes.
        salt: 32 random bytes.

    Returns:
        The commitment, 32 bytes.
    """
    # Without the salt, anybody who knows the key would recognise the player in a file.
    return digest(Label.PLAYER, id, salt)


def vouch_statement(terms_digest: bytes, key: bytes) -> bytes:
    """Return the bytes that a player signs with its long-lived key to claim a seat.

    Args:
        terms_digest: The digest of the terms, 32 bytes.
        key: The key of the seat, 32 bytes.

    Returns:
        The encoded array of the two arguments.
    """
    # With the terms and the key of the seat, so that a vouch is worthless at any other seat.
    return codec.encode((terms_digest, key))


def vouched_entry(
    terms: Terms, key: identities.Identity, player: identities.Identity, nickname: str, salt: bytes
) -> tuple[SeatEntry, Vouch]:
    """Make the entry of a seat, and the player's vouch that the seat is its own ([H-15], [H-16]).

    Args:
        terms: The terms of the table.
        key: The signing key that was drawn for this table.
        player: The player's long-lived signing key.
        nickname: The nickname of the player.
        salt: 32 fresh random bytes.

    Returns:
        The signed entry, and the vouch.
    """
    entry = sit(terms, key, nickname, commitment(player.public, salt))
    signature = player.sign(Label.VOUCH, vouch_statement(terms.digest(), key.public))
    return entry, Vouch(player.public, salt, signature)


def check_signature(vouch: Vouch, terms: Terms, key: bytes) -> None:
    """Check the signature of a vouch, for the key of a seat and the terms of a table ([H-16]).

    Args:
        vouch: The vouch.
        terms: The terms of the table.
        key: The key of the seat, 32 bytes.

    Raises:
        Invalid: With code `bad-vouch` if the signature is not valid for the key and the terms.
    """
    try:
        statement = vouch_statement(terms.digest(), key)
        identities.verify_signature(vouch.id, Label.VOUCH, statement, vouch.signature)
    except Invalid as error:
        raise Invalid(BAD_VOUCH, "the vouch is not signed for this table and key") from error


def check_vouch(vouch: Vouch, terms: Terms, entry: SeatEntry) -> None:
    """Check a vouch: it must open the commitment in a seat's entry and be signed ([H-16]).

    Args:
        vouch: The vouch.
        terms: The terms of the table.
        entry: The entry of the seat.

    Raises:
        Invalid: With code `bad-vouch` if it does not open the commitment, or is not signed for this
            seat.
    """
    # With the signature alone, a player could vouch later for a seat that it never had.
    if entry.nonce != commitment(vouch.id, vouch.salt):
        raise Invalid(BAD_VOUCH, "the vouch does not open the commitment of the entry")
    check_signature(vouch, terms, entry.id)


def check_vouches(
    vouches: tuple[Vouch | None, ...], terms: Terms, roster: tuple[SeatEntry, ...]
) -> None:
    """Check the vouches of all seats ([H-16]).

    Args:
        vouches: For each seat its vouch, None for a seat that shows none.
        terms: The terms of the table.
        roster: The entries of the seats.

    Raises:
        Invalid: With code `bad-vouch` if `vouches` and `roster` differ in length, if a vouch is
            invalid, or if one player vouches for two seats.
    """
    # A player who owns two seats counts twice in a quorum, so no two may name one key.
    shown = [one for one in vouches if one is not None]
    if len(vouches) != len(roster) or len({one.id for one in shown}) < len(shown):
        raise Invalid(BAD_VOUCH, "the vouches are not one of another player for each seat")
    for one, entry in zip(vouches, roster, strict=True):
        if one is not None:
            check_vouch(one, terms, entry)
