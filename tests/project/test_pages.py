"""The pages for readers against the checkout: paths and targets they name exist; one version."""

import importlib
import os
import re
import tomllib
from functools import cache
from pathlib import Path

from support.cases import each
from support.paths import ROOT

PAGES = [
    *sorted(ROOT.glob("*.md")),
    *(page for name in ("docs", "spec") for page in sorted((ROOT / name).rglob("*.md"))),
    ROOT / "tests" / "vectors" / "README.md",
    ROOT / "training" / "README.md",
]
GUIDE = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
QUOTED = re.compile(r"`([^`\s]+)`")
REGISTRY = re.compile(
    r"registry\.(?:npmjs|yarnpkg)\.|npmjs\.(?:com|org)|pypi\.(?:org|python)|pythonhosted\.|crates\.io"
    r"|proxy\.golang\.|jsdelivr\.|unpkg\.|ghcr\.io|docker\.io"
)
"""The hosts of indexes of packages."""
TOPS = {path.name for path in ROOT.iterdir() if not path.name.startswith(".")}


def paths_of(text: str) -> list[str]:
    """What a page quotes that is a path of this checkout."""
    words = dict.fromkeys(QUOTED.findall(text))
    return [word for word in words if word.split("/")[0] in TOPS and re.search(r"/|\.\w+$", word)]


def exists(path: str) -> bool:
    """Whether there is such a file or folder; `<word>` stands for any name."""
    return any(ROOT.glob(re.sub(r"<\w+>", "*", path.rstrip("/"))))


def name(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


@each(paths_of(GUIDE))
def test_every_path_of_the_guide_exists(path: str) -> None:
    assert exists(path)


def test_the_guide_says_where_changes_go_and_a_path_that_is_not_there_is_noticed() -> None:
    assert paths_of("see `cli/nowhere.py`, `mypy`, `cli/words/locale/<code>/x.po`") == [
        "cli/nowhere.py",
        "cli/words/locale/<code>/x.po",
    ]
    assert not exists("cli/nowhere.py")
    assert not exists("cli/words/locale/<code>/x.po")
    rows = [line for line in GUIDE.splitlines() if line.startswith("| a")]
    assert len(rows) >= 10
    assert all(paths_of(row.split("|")[2]) for row in rows)


MADE_ELSEWHERE = {
    "game.hoity": "a file of the reader's own",
    "dist/hoity-files.html": "what `tasks.py site` builds",
}
"""Names of files that no checkout has, and why pages name them."""
FILE = re.compile(r"`((?:[\w.-]+/)*[\w-]+\.(?:py|md|json|js|html|toml|hoity))`")
HEADING = re.compile(r"^#+ (.+)$", re.MULTILINE)


@cache
def names_of_files() -> frozenset[str]:
    """The names of all files of the checkout, without their folders."""
    tops = [path for path in ROOT.iterdir() if not path.name.startswith(".")]
    inside = (path for top in tops if top.is_dir() for path in top.rglob("*"))
    return frozenset(path.name for path in (*tops, *inside))


def missing_files(page: Path, text: str) -> list[str]:
    """The files that a text of a page names, and that are not there."""
    found = []
    for word in dict.fromkeys(FILE.findall(text)):
        is_here = any((base / word).exists() for base in (ROOT, page.parent))
        is_name = "/" not in word and word in names_of_files()
        if not (is_here or is_name or word in MADE_ELSEWHERE):
            found.append(word)
    return found


def anchors_of(text: str) -> set[str]:
    """The anchors of the headings of a page, as GitHub makes them."""
    words = (re.sub(r"[^\w\s-]", "", heading.lower()) for heading in HEADING.findall(text))
    return {word.strip().replace(" ", "-") for word in words}


def missing_anchors(page: Path, text: str) -> list[str]:
    """The links of a text of a page that lead to no heading."""
    found = []
    for target, anchor in re.findall(r"\]\((?!https?:)([^)#]*)#([^)]+)\)", text):
        other = page.parent / target if target else page
        if other.suffix == ".md" and anchor not in anchors_of(other.read_text(encoding="utf-8")):
            found.append(f"{target}#{anchor}")
    return found


@each(PAGES, name)
def test_every_file_and_every_heading_that_a_page_names_is_there(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    assert missing_files(page, text) == []
    assert missing_anchors(page, text) == []


def test_a_file_and_a_heading_that_are_not_there_are_noticed() -> None:
    told = "`protocol/nowhere.py`, `nowhere.json`, `docs/README.md`, `game_state.py`, `game.hoity`"
    page = ROOT / "docs" / "README.md"
    assert missing_files(page, told) == ["protocol/nowhere.py", "nowhere.json"]
    links = "[a](#for-players) [b](#for-nobody) [c](../SPEC.md#31-nothing) [d](table.md#nothing)"
    assert missing_anchors(page, links) == [
        "#for-nobody",
        "../SPEC.md#31-nothing",
        "table.md#nothing",
    ]


@each(PAGES, name)
def test_every_link_of_a_page_leads_somewhere(page: Path) -> None:
    links = re.findall(r"\]\((?!https?:|#)([^)#]+)", page.read_text(encoding="utf-8"))
    assert [link for link in links if not (page.parent / link).exists()] == []


def test_every_target_that_a_page_names_is_one() -> None:
    targets = set(importlib.import_module("tools.targets").TARGETS)
    told = "\n".join(page.read_text(encoding="utf-8") for page in PAGES)
    named = set(re.findall(r"tasks\.py (\w+)", told))
    assert {"play", "check", "test"} <= named <= targets


def test_no_file_names_the_host_of_an_index_of_packages() -> None:
    """Whoever has a mirror builds the same, by the settings of pip and npm."""
    left_out = importlib.import_module("tools.targets").LEFT_OUT
    read, found = 0, []
    for folder, folders, names in os.walk(ROOT):
        ignored = left_out(folder, [*folders, *names])
        folders[:] = [one for one in folders if one not in ignored]
        for file in (Path(folder) / one for one in names if one not in ignored):
            read += 1
            if REGISTRY.search(file.read_bytes().decode(errors="replace")):
                found.append(name(file))
    assert read > 1000
    assert found == []
    assert REGISTRY.search(f"https://registry.{'npm'}js.org/esbuild")


def test_the_version_stands_once() -> None:
    """In pyproject.toml; the change log's newest heading is of it, or of what comes next."""
    with (ROOT / "pyproject.toml").open("rb") as file:
        version = tomllib.load(file)["project"]["version"]
    heading = re.search(r"^## (.+)$", (ROOT / "CHANGELOG.md").read_text("utf-8"), re.MULTILINE)
    assert heading is not None
    assert heading[1] in (version, "Unreleased")
    folders = [ROOT / name for name in ("protocol", "p2p_hoity", "cli", "tools")]
    files = [ROOT / "tasks.py", *(path for folder in folders for path in folder.rglob("*.py"))]
    again = re.compile(rf"""["']{re.escape(version)}["']|__version__""")
    assert [name(path) for path in files if again.search(path.read_text("utf-8"))] == []
