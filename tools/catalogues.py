"""Keep the message catalogues with Babel, and report what is missing in them.

python tools/catalogues.py             compile every catalogue
python tools/catalogues.py --table     print every message in all languages, as a Markdown table
python tools/catalogues.py --check     exit 1 if one is stale, or a message is not translated
python tools/catalogues.py --update    add what is missing to the catalogues, to be filled in
python tools/catalogues.py --new CODE  begin the catalogue of a language
"""

from __future__ import annotations

import importlib
import re
import sys
from collections.abc import Iterator
from functools import cache
from io import BytesIO
from pathlib import Path
from typing import Any, Final

from babel.messages.catalog import Catalog
from babel.messages.extract import extract_from_dir
from babel.messages.mofile import read_mo, write_mo
from babel.messages.pofile import PoFileError, read_po, write_po

ROOT: Final = Path(__file__).resolve().parent.parent
LOCALE: Final = ROOT / "cli" / "words" / "locale"
MARKS: Final[dict[str, Any]] = {"_": None, "N_": None, "count": (1, 2)}
"""The functions whose first arguments are messages, in Babel's form."""

Key = str | tuple[str, str]
"""A message, or its singular and its plural."""

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
    return sorted(LOCALE.glob("*/LC_MESSAGES/hoity.po"))


@cache
def messages() -> frozenset[Key]:
    """Return every message: of the sources, of the help of commands, and of codes."""
    return frozenset(kinds())


def meanings() -> set[str]:
    """What the codes of the protocol, of the rules and of all else below `cli` mean."""
    from cli.words.error_sentences import meanings as of_protocol
    from p2p_hoity.rules import Rule
    from p2p_hoity.rules.choices import Why

    told = [*of_protocol().values(), *(code.template for code in (*codes(), *Rule)), *Why]
    return {template for template in map(str, told) if has_words(template)}


def has_words(template: str) -> bool:
    """Return whether a template is more than its gaps."""
    return re.search(r"[a-z]", re.sub(r"\{\w+\}", "", template)) is not None


def codes() -> list[Any]:
    """Return every code of `p2p_hoity`, which is loaded whole for it."""
    from p2p_hoity.coded_errors import Code

    for path in (ROOT / "p2p_hoity").rglob("*.py"):  # its folders are no packages to `pkgutil`
        importlib.import_module(".".join(path.relative_to(ROOT).with_suffix("").parts))
    tables = [Code]
    for table in tables:
        tables += table.__subclasses__()
    # A test may have made tables of its own.
    return [one for table in tables if table.__module__.startswith("p2p_hoity.") for one in table]


def read(path: Path) -> Catalog:
    """A .po file; ValueError names the line that is not understood."""
    with path.open("rb") as file:
        try:
            return read_po(file, path.parts[-3], abort_invalid=True)
        except PoFileError as error:
            raise ValueError(f"{path}, line {error.lineno + 1}: not understood") from error


def entries(catalogue: Catalog) -> dict[Key, tuple[str, ...]]:
    """Message to its translations; without the header."""
    return {_fixed(one.id): _forms(one.string) for one in catalogue if one.id}


def _fixed(key: Any) -> Key:
    return key if isinstance(key, str) else (key[0], key[1])


def kinds() -> dict[Key, str]:
    """Return the kind of each message: help, the meaning of a code, or the file that shows it."""
    from cli.app import HELP

    found = extract_from_dir(ROOT / "cli", [("**.py", "python")], keywords=MARKS)
    return {
        **dict.fromkeys(LIBRARY_WORDS, "command line"),
        **{_fixed(message): f"cli/{where}" for where, _, message, _, _ in found},
        **dict.fromkeys(HELP.values(), "help"),
        **dict.fromkeys(meanings(), "code"),
    }


def table() -> list[str]:
    """Return the rows of a Markdown table: each message with its kind, in all languages."""
    languages = {path.parts[-3]: entries(read(path)) for path in catalogues()}
    rows = [["kind", "en", *languages], ["---"] * (2 + len(languages))]
    for key, kind in sorted(kinds().items(), key=lambda item: (item[1], str(item[0]))):
        rows.append(
            [kind, _cell(_forms(key)), *(_cell(known.get(key, ())) for known in languages.values())]
        )
    return [f"| {' | '.join(row)} |" for row in rows]


def _cell(forms: tuple[str, ...]) -> str:
    """Return the forms of a message as one cell of the table."""
    return " / ".join(forms).replace("|", "\\|").replace("\n", "<br>")


def _forms(text: Any) -> tuple[str, ...]:
    return (text,) if isinstance(text, str) else tuple(text)


def compiled(catalogue: Catalog) -> bytes:
    """The .mo file."""
    file = BytesIO()
    write_mo(file, catalogue)
    return file.getvalue()


def is_stale(path: Path) -> bool:
    """Whether the compiled file beside a catalogue is missing, or says something else."""
    target = path.with_suffix(".mo")
    if not target.exists():
        return True
    with target.open("rb") as file:
        return entries(read_mo(file)) != entries(read(path))


def twice(path: Path) -> Iterator[str]:
    """The messages that stand more than once; Babel takes the last."""
    seen = set()
    for block in path.read_text(encoding="utf-8").split("\n\n"):
        lines = [line for line in block.splitlines() if not line.startswith("#")]
        message = "\n".join(lines).partition("\nmsgstr")[0]
        if message in seen:
            yield message
        seen.add(message)


def check(path: Path) -> list[str]:
    """What is wrong with one catalogue."""
    catalogue = read(path)
    found, wanted = entries(catalogue), messages()
    wrong = [f"not translated: {key!r}" for key in wanted if not all(found.get(key, ("",)))]
    wrong += [f"in no source: {key!r}" for key in set(found) - wanted]
    wrong += [f"stands twice: {text}" for text in twice(path)]
    wrong += [f"{one.id!r}: {error}" for one, errors in catalogue.check() for error in errors]
    if is_stale(path):
        wrong.append("the compiled file is stale: python3 tasks.py catalogues")
    return [f"{path.parts[-3]}: {text}" for text in sorted(wrong)]


def updated(catalogue: Catalog) -> Catalog:
    """The catalogue with all messages and no others; what is missing is left blank."""
    found, wanted = set(entries(catalogue)), messages()
    for key in sorted(wanted - found, key=str):
        catalogue.add(key)
    for key in found - wanted:
        catalogue.delete(key)
    return catalogue


def write(path: Path, head: str, catalogue: Catalog) -> None:
    """Write a .po file under this head, every text on one line."""
    for one in catalogue:
        one.flags.clear()
    file = BytesIO()
    write_po(file, catalogue, width=0, no_location=True, omit_header=True)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(head.strip().encode() + b"\n\n" + file.getvalue().strip() + b"\n")


HEAD: Final = r"""
# The catalogue for {code}. After a change: python3 tasks.py catalogues
msgid ""
msgstr ""
"Project-Id-Version: hoity\n"
"Language: {code}\n"
"MIME-Version: 1.0\n"
"Content-Type: text/plain; charset=UTF-8\n"
"Content-Transfer-Encoding: 8bit\n"
"Plural-Forms: {plurals}\n"
"""
"""How a .po file begins."""


def begin(path: Path) -> None:
    """A catalogue with every message, to be filled in."""
    catalogue = Catalog(path.parts[-3])
    head = HEAD.format(code=path.parts[-3], plurals=f"{catalogue.plural_forms};")
    write(path, head, updated(catalogue))


def main(arguments: list[str]) -> int:
    """Compile, check, update or begin; 0 if nothing is wrong."""
    if arguments == ["--check"]:
        wrong = [line for path in catalogues() for line in check(path)]
        print("\n".join(wrong) or "every catalogue is whole and current")
        return 1 if wrong else 0
    if arguments == ["--table"]:
        print("\n".join(table()))
        return 0
    if arguments[:1] == ["--new"]:
        begin(LOCALE / arguments[1] / "LC_MESSAGES" / "hoity.po")
        return 0
    for path in catalogues():
        if arguments == ["--update"]:
            head = path.read_text(encoding="utf-8").partition("\n\n")[0]
            write(path, head, updated(read(path)))
        else:
            path.with_suffix(".mo").write_bytes(compiled(read(path)))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
