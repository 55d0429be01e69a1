"""What a result certificate proves, as a JSON object and in words for a person."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from protocol import Header, fingerprint, transcript

from .error_sentences import meaning
from .key_names import table_key
from .translation import _, command_line


def as_object(found: transcript.Certificate, header: Header) -> dict[str, Any]:
    """Return the contents of a valid certificate as a JSON object."""
    return {
        "digest": found.result.digest.hex(),
        "table": header.table_id.hex(),
        "epoch": found.epoch,
        "standings": [
            {
                "rank": rank,
                "seat": seat,
                "nickname": header.roster[seat].nickname,
                "table_key": fingerprint(header.roster[seat].id),
            }
            for rank, seat in found.result.standings
        ],
        "signers": [seat for seat, _ in found.signatures],
    }


def in_words(path: Path, found: transcript.Certificate, header: Header) -> list[str]:
    """Return the lines that tell a person the signed result in a valid certificate."""
    text = _("{file}: ok. {number} seats have signed this result:")
    lines = [text.format(file=path, number=len(found.signatures))]
    for rank, seat in found.result.standings:
        entry = header.roster[seat]
        text = _("  rank {rank}: {nickname}, {key}")
        lines.append(text.format(rank=rank, nickname=entry.nickname, key=table_key(entry.id)))
    text = _("  game {game}, digest {digest}")
    table, digest = header.table_id.hex(), found.result.digest.hex()
    lines.append(text.format(game=table[:16], digest=digest))
    text = _(
        "  This proves that the seats with these keys have signed this result. It does not prove "
        "that the rules were followed: that is checked with the file of the game alone, by "
        "{command}"
    )
    lines.append(text.format(command=command_line("verify", "GAME")))
    return lines


def refused(path: Path, code: str, is_one: bool) -> str:
    """Return the verdict on a certificate that proves nothing.

    Args:
        code: The code of the problem that was found in it.
        is_one: Whether it may be a certificate, by its beginning.
    """
    text = _("{file}: not ok. This certificate proves nothing: {words} ({code}).")
    if not is_one:
        text = _("{file}: not ok. This is no certificate ({code}).")
    return text.format(file=path, words=meaning(code), code=code)
