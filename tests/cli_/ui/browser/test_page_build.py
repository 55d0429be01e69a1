"""What the build of a page leaves to no system: how files are compressed, and their licences."""

import gzip
import hashlib
import json
import random
from pathlib import Path

from support.site_pages import needs_node

from tools.browser_build import BUILD, LICENCES, compress, licences

ONLY_BUILDS = {"brotli-wasm", "esbuild", "pako"}
"""The packages that build a page, and of which nothing is in it."""
PACKED = {
    "words": "2528036224f14ee2",
    "words.br": "7d9f8867c46038aa",
    "words.gz": "7cc2eb8190ae71ef",
}
"""The beginning of the SHA-256 of a file, and of what it is compressed to on every system."""


def words() -> bytes:
    """A text that is compressed well, but not easily."""
    draw = random.Random(7)
    return " ".join(str(draw.randrange(draw.randrange(1, 9000))) for _ in range(40_000)).encode()


@needs_node
def test_files_are_compressed_to_the_same_bytes_everywhere(tmp_path: Path) -> None:
    whole = words()
    (tmp_path / "words").write_bytes(whole)
    compress(tmp_path, "br", "gz")
    assert gzip.decompress((tmp_path / "words.gz").read_bytes()) == whole
    found = {
        path.name: hashlib.sha256(path.read_bytes()).hexdigest()[:16] for path in tmp_path.iterdir()
    }
    assert found == PACKED


def test_every_package_of_a_page_is_named_with_its_licence() -> None:
    table = (BUILD / LICENCES).read_text("utf-8").split("\n\n")[1]
    named = {line.split()[0].lower() for line in table.splitlines()}
    lines = (BUILD / "requirements.txt").read_text("utf-8").splitlines()
    of_python = {line.partition("==")[0] for line in lines if not line.startswith("#")}
    npm = json.loads((BUILD / "package.json").read_text("utf-8"))["dependencies"]
    of_npm = {name.removesuffix("-sumo") for name in npm.keys() - ONLY_BUILDS}
    assert named == of_python | of_npm | {"p2p-hoity", "cpython", "lit-html"}


@needs_node
def test_a_page_holds_the_texts_of_the_licences() -> None:
    texts = licences()
    for part in (
        "MIT License",
        "Apache License",
        "PYTHON SOFTWARE FOUNDATION",
        "Google LLC",
        "Heuer",
    ):
        assert part in texts, part
    # They stand inside a comment of HTML, too.
    assert "-->" not in texts
    assert "--!>" not in texts
