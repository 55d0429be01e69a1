"""What differs between a sound file or message and one with a fault, as the paths of its parts.

A path says how a part is reached from the outermost array: numbers are indices, words name what the
evidence of a transcript holds. Byte strings that hold an array are taken apart.
"""

from collections.abc import Iterator
from typing import Any

from protocol.crypto.hashing import Label, digest
from protocol.errors import Invalid
from protocol.transcript import transcript_format
from protocol.wire import codec, signed_messages

Path = tuple[int | str, ...]
SIGNATURE = 64
WHOLE = "the whole"
BYTES = "bytes"
"""The path of what does not decode."""
EVIDENCE = {1: "messages", 2: "new_epochs"}
"""Lists of messages in full: each is named by what it is, as a hash changes with every byte."""


def changed(sound: bytes, spoilt: bytes) -> list[str]:
    """Return the paths that differ; signatures only where nothing else does.

    What is signed changes its signature, and its hash where others name it, which is no change of
    its own.
    """
    names = _names(sound) | _names(spoilt)
    before, after = _opened(sound, names), _opened(spoilt, names)
    if before is None or after is None:
        return [_bytes(sound, spoilt)]
    found = list(_unlike(before, after, ()))
    whole = [path for path, is_signature in found if not is_signature]
    return [".".join(map(str, path)) or WHOLE for path in whole or [path for path, _ in found]]


def _bytes(sound: bytes, spoilt: bytes) -> str:
    """Return where the bytes begin to differ, and how many stand there in each."""
    pairs = zip(sound, spoilt, strict=False)
    begin = next((i for i, (a, b) in enumerate(pairs) if a != b), min(len(sound), len(spoilt)))
    left, right = sound[begin:], spoilt[begin:]
    end = next(
        (i for i, (a, b) in enumerate(zip(left[::-1], right[::-1], strict=False)) if a != b),
        min(len(left), len(right)),
    )
    return f"{BYTES} {begin}: {len(left) - end} become {len(right) - end}"


def _unlike(before: Any, after: Any, path: Path) -> Iterator[tuple[Path, bool]]:
    """Yield each path that differs, and whether two signatures stand there."""
    left, right = _inside(before), _inside(after)
    if left == right:
        return
    if isinstance(left, dict) and isinstance(right, dict):
        for name in sorted({*left, *right}):
            if name in left and name in right:
                yield from _unlike(left[name], right[name], (*path, name))
            else:
                yield (*path, name), False
    elif isinstance(left, tuple) and isinstance(right, tuple):
        yield from _unlike_arrays(left, right, path)
    else:
        yield path, all(isinstance(one, bytes) and len(one) == SIGNATURE for one in (left, right))


def _unlike_arrays(
    left: tuple[Any, ...], right: tuple[Any, ...], path: Path
) -> Iterator[tuple[Path, bool]]:
    """Item by item; where one goes on behind the other, what it has more."""
    short, long = sorted((len(left), len(right)))
    if short < long and left[:short] != right[:short]:
        yield path, False
        return
    for index, pair in enumerate(zip(left, right, strict=False)):
        yield from _unlike(*pair, (*path, index))
    if short < long:
        more = str(short) if long == short + 1 else f"{short}-{long - 1}"
        yield (*path, more), False


def _names(data: bytes) -> dict[bytes, str]:
    """The names of the messages of a transcript by hash; none of what is none."""
    try:
        *_, parts = codec.decode(data, 1 << 26, transcript_format.MAX_ITEMS)
        payloads = [payload for at in EVIDENCE for payload, _ in parts[at]]
        return {digest(Label.MESSAGE, payload): _name(payload) for payload in payloads}
    except (Invalid, TypeError, ValueError, KeyError, IndexError):
        return {}


def _opened(data: bytes, names: dict[bytes, str]) -> Any:
    """The value of a file or message, with names for what stands in evidence; None if it has
    none."""
    try:
        value = codec.decode(data, 1 << 26, transcript_format.MAX_ITEMS)
    except Invalid:
        return None
    try:
        return _named(value, names)
    except (TypeError, ValueError, KeyError):  # it is of another form than a transcript
        return value


def _inside(value: Any) -> Any:
    """The array that a byte string holds, or the value as it is."""
    if not isinstance(value, bytes):
        return value
    try:
        inner = codec.decode(value, len(value))
    except Invalid:
        return value
    return inner if isinstance(inner, tuple) and len(inner) > 1 else value


# Evidence.


def _named(value: Any, names: dict[bytes, str]) -> dict[str, Any]:
    """A transcript whose messages have names instead of hashes and an order."""
    magic, version, content, parts = value
    evidence: dict[str, Any] = {str(at): part for at, part in enumerate(parts)}
    for at, word in EVIDENCE.items():
        listed = evidence.pop(str(at))
        hashes = [digest(Label.MESSAGE, payload) for payload, _ in listed]
        evidence[f"order of {word}"] = word == "new_epochs" or hashes == sorted(hashes)
        evidence[word] = {
            names[digest(Label.MESSAGE, payload)]: (_renamed(_inside(payload), names), signed)
            for payload, signed in listed
        }
    return {"magic": magic, "version": version, "content": content, "evidence": evidence}


def _name(payload: bytes) -> str:
    value = _inside(payload)
    kind = signed_messages.KINDS[value[0]][0].__name__
    more = value[3:5] if kind == "StepInput" else value[3:4]
    return f"{kind} {' '.join(map(str, more))} of seat {value[2]}"


def _renamed(value: Any, names: dict[bytes, str]) -> Any:
    if isinstance(value, tuple):
        inner = tuple(_renamed(item, names) for item in value)
        return tuple(sorted(inner)) if all(item in names for item in value) else inner
    return names.get(value, value) if isinstance(value, bytes) else value
