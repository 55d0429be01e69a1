"""The print shop of the message catalogues: compiles .po to .mo and says what is missing.

    python tools/catalogues.py            compile every catalogue
    python tools/catalogues.py --check    exit 1 if one is stale, or a message is not translated
    python tools/catalogues.py --missing  print entries to be filled in

Standard library only. The .po files here use msgid, msgid_plural, msgstr and msgstr[n], with
continued lines and comments; that is all of the format this reads.
"""

from __future__ import annotations

import ast
import struct
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).resolve().parent.parent
CLI: Final = ROOT / "cli"
MARKS: Final = {"_": 1, "N_": 1, "count": 2}
"""The functions whose first arguments are messages, and how many."""

Entries = dict[str, tuple[str, ...]]
"""Message (with NUL and its plural behind it, if it has one) to its translations."""

LIBRARY_WORDS: Final = (
    "Arguments",
    "Options",
    "Commands",
    "required",
    "default: {default}",
    "Aborted!",
    "Missing command.",
    "No such command {name!r}.",
)
"""What the command-line library looks up by itself."""


def catalogues() -> list[Path]:
    """Every .po file."""
    return sorted((CLI / "words" / "locale").glob("*/LC_MESSAGES/hoity.po"))


def messages() -> set[str]:
    """Every message in the sources, in the form of `Entries`."""
    found = {key for path in sorted(CLI.rglob("*.py")) for key in _messages_of(path)}
    return found | set(LIBRARY_WORDS) | meanings()


def meanings() -> set[str]:
    """What the codes of the protocol mean, as its own tables have it."""
    from cli.words.reasons import PROTOCOL

    return set(PROTOCOL.values())


def _messages_of(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name):
            continue
        wanted = MARKS.get(node.func.id, 0)
        texts = [ast.literal_eval(a) for a in node.args[:wanted] if isinstance(a, ast.Constant)]
        if wanted and len(texts) == wanted and all(isinstance(text, str) for text in texts):
            yield "\0".join(texts)


def read(path: Path) -> Entries:
    """The entries of a .po file; ValueError names the line that is not understood."""
    entries: Entries = {}
    fields: dict[str, str] = {}
    current = ""
    for number, line in enumerate([*path.read_text(encoding="utf-8").splitlines(), ""], 1):
        text = line.strip()
        if text.startswith("#"):
            continue
        if not text:
            _close(entries, fields)
            fields, current = {}, ""
        elif text.startswith('"') and current:
            fields[current] += ast.literal_eval(text)
        elif text.startswith("msg") and " " in text:
            current, quoted = text.split(" ", 1)
            fields[current] = ast.literal_eval(quoted)
        else:
            raise ValueError(f"{path}, line {number}: not understood")
    return entries


def _close(entries: Entries, fields: dict[str, str]) -> None:
    if not fields:
        return
    key = fields["msgid"]
    if "msgid_plural" in fields:
        key += "\0" + fields["msgid_plural"]
    if key in entries:
        raise ValueError(f"{key!r} stands twice in a catalogue")
    forms = [name for name in fields if name.startswith("msgstr")]
    entries[key] = tuple(fields[name] for name in forms)


def compiled(entries: Entries) -> bytes:
    """The .mo file: the format of GNU gettext, revision 0, little-endian, sorted, no hash table."""
    keys = sorted(entries, key=lambda key: key.encode())
    originals = [key.encode() for key in keys]
    translations = ["\0".join(entries[key]).encode() for key in keys]
    size = len(keys)
    start = 28 + 16 * size
    tables, data = [b"", b""], b""
    for i, texts in enumerate((originals, translations)):
        for text in texts:
            tables[i] += struct.pack("<II", len(text), start + len(data))
            data += text + b"\0"
    head = struct.pack("<7I", 0x950412DE, 0, size, 28, 28 + 8 * size, 0, start)
    return head + tables[0] + tables[1] + data


def untranslated(entries: Entries) -> list[str]:
    """Messages of the sources that this catalogue lacks."""
    return sorted(key for key in messages() if not all(entries.get(key, ("",))))


def unused(entries: Entries) -> list[str]:
    """Messages of this catalogue that no source has."""
    return sorted(set(entries) - messages() - {""})


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{escaped}"'


def blank(key: str) -> str:
    """An entry to be filled in."""
    one, _, many = key.partition("\0")
    if not many:
        return f'msgid {_quoted(one)}\nmsgstr ""\n'
    return f'msgid {_quoted(one)}\nmsgid_plural {_quoted(many)}\nmsgstr[0] ""\nmsgstr[1] ""\n'


def check(path: Path) -> list[str]:
    """What is wrong with one catalogue."""
    entries = read(path)
    wrong = [f"{path.name}: not translated: {key!r}" for key in untranslated(entries)]
    wrong += [f"{path.name}: in no source: {key!r}" for key in unused(entries)]
    target = path.with_suffix(".mo")
    if not target.exists() or target.read_bytes() != compiled(entries):
        wrong.append(f"{target} is stale: run python tools/catalogues.py")
    return wrong


def main(arguments: list[str]) -> int:
    """Compile, check or list; 0 if nothing is wrong."""
    if arguments == ["--check"]:
        wrong = [line for path in catalogues() for line in check(path)]
        print("\n".join(wrong) or "every catalogue is whole and current")
        return 1 if wrong else 0
    for path in catalogues():
        entries = read(path)
        if arguments == ["--missing"]:
            print(f"# {path}\n" + "\n".join(blank(key) for key in untranslated(entries)))
        else:
            path.with_suffix(".mo").write_bytes(compiled(entries))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
