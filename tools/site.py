"""Build the page that verifies and replays transcripts: a folder for a server, and one HTML file.

    python3 tasks.py site [FOLDER]      usually into dist/site; the one file stands beside it
    python3 tasks.py site --list        make the list of modules again

What it is built from is downloaded from the indexes of npm and of Python's packages, pinned by
hash, once for each checkout. Node.js and its npm are needed here, and nowhere else.
"""

from __future__ import annotations

import base64
import gzip
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path

from cli.words.site_labels import in_all_languages

from .environments import ROOT, pip
from .page_modules import DATA, LIST, Modules, listed

BUILD = ROOT / "tools" / "page_build"
BROWSER = ROOT / "cli" / "ui" / "browser"
SITE, PAGE = BROWSER / "site", ROOT / "cli" / "ui" / "web" / "page"
STYLES = (*(PAGE / f"{name}.css" for name in ("colours", "page", "sizes")), SITE / "site.css")
FROM_NPM = (
    "pyodide/pyodide.asm.mjs",
    "pyodide/pyodide.asm.wasm",
    "pyodide/pyodide.mjs",
    "libsodium-sumo/dist/modules-sumo-esm/libsodium-sumo.mjs",
)
LOCK = "pyodide-lock.json"
ONE_FILE = "hoity-files.html"
PLATFORM = ("manylinux2014_x86_64", "3.12", "cp")
"""The wheels that are taken for their modules in Python, whatever the system is."""
ALWAYS = (
    "default-src 'none'; worker-src blob:; img-src data:; base-uri 'none'; form-action 'none'; "
)


def main(args: list[str]) -> None:
    """Build, or make the list of modules again."""
    if args == ["--list"]:
        found = sorted(Modules([ROOT, packages()]).found)
        LIST.write_text("\n".join((*found, "")), encoding="utf-8")
        return
    target = Path(args[0]).absolute() if args else ROOT / "dist" / "site"
    build(target)
    for name, size, packed in sizes(target):
        print(f"{name:32} {size:12,} bytes, {packed:11,} by brotli")
    print(f"{target}\n{target.parent / ONE_FILE}")


def build(target: Path, compress: bool = True) -> None:
    """Build the folder and the one file, in the place of those that were there.

    Args:
        compress: Whether each file is written compressed, too, which takes a minute.
    """
    shutil.rmtree(target, ignore_errors=True)
    target.mkdir(parents=True)
    with tempfile.TemporaryDirectory() as place:
        work = Path(place)
        files = worker_files(work)
        scripts = bundled(work, files)
        _write_folder(target, files, scripts["folder.js"])
        if compress:
            _compress(target)
        (target.parent / ONE_FILE).write_bytes(_one_file(files, scripts["single.js"]))


def sizes(target: Path) -> list[tuple[str, int, int]]:
    """Return the name of each file of a built folder, its size, and its size by brotli."""
    return [
        (str(path.relative_to(target)), path.stat().st_size, _compressed(path).stat().st_size)
        for path in sorted(target.rglob("*"))
        if _compressed(path).exists()
    ]


# What it is built from


def node_modules() -> Path:
    """Return the folder of npm's packages, installed from the lock file.

    Raises:
        SystemExit: If they cannot be installed.
    """

    def install(folder: Path) -> None:
        for name in ("package.json", "package-lock.json"):
            shutil.copyfile(BUILD / name, folder / name)
        run([tool("npm"), "ci", "--ignore-scripts", "--no-audit", "--no-fund"], folder)

    lock = (BUILD / "package-lock.json").read_bytes()
    return _installed("npm", lock, install) / "node_modules"


def packages() -> Path:
    """Return the folder of the Python packages, installed from the list of their hashes.

    Raises:
        SystemExit: If they cannot be installed.
    """
    wanted = BUILD / "requirements.txt"
    platform, version, implementation = PLATFORM

    def install(folder: Path) -> None:
        words = ["--no-deps", "--no-compile", "--require-hashes", "--only-binary=:all:"]
        words += ["--platform", platform, "--python-version", version]
        words += ["--implementation", implementation, "--target", str(folder)]
        pip(Path(sys.prefix), "install", *words, "--requirement", str(wanted))

    return _installed("packages", wanted.read_bytes(), install)


def _installed(name: str, lock: bytes, install: object) -> Path:
    """Return a folder of the test environment that is whole, and was made from a lock."""
    place = Path(sys.prefix) / "page" / f"{name}-{hashlib.sha256(lock).hexdigest()[:16]}"
    if not place.exists():
        place.parent.mkdir(exist_ok=True)
        made = Path(tempfile.mkdtemp(dir=place.parent))
        install(made)  # type: ignore[operator]
        try:
            made.rename(place)
        except OSError:  # Another process was faster.
            shutil.rmtree(made)
    return place


def tool(name: str) -> str:
    """Return the path of a program.

    Raises:
        SystemExit: If it is not installed.
    """
    if (found := shutil.which(name)) is None:
        sys.exit(f"{name} is needed to build the page. Install Node.js 20 or newer with its npm.")
    return found


def run(command: list[str], folder: Path = ROOT) -> None:
    """Run a program.

    Raises:
        SystemExit: If it fails. It has said why.
    """
    done = subprocess.run(command, cwd=folder, check=False, stdout=sys.stderr)
    if done.returncode:
        sys.exit(f"This has failed: {' '.join(command[:3])} …")


# The worker's files


def worker_files(work: Path) -> dict[str, bytes]:
    """Return all that the worker needs, by name, except its own script."""
    source, packed = work / "source", work / "packed"
    packed.mkdir()
    modules = Modules([ROOT, packages()])
    if sorted(modules.found) != listed():
        sys.exit(
            "A page would import other modules than those of cli/ui/browser/modules.txt. See\n"
            "whether it needs them, then make the list again: python3 tasks.py site --list"
        )
    for name, file in modules.found.items():
        _copied(file, source / "program" / _place(name, file))
    for file in (path for pattern in DATA for path in sorted(ROOT.glob(pattern))):
        _copied(file, source / "program" / file.relative_to(ROOT))
    _copied(BUILD / "stand_ins" / "nacl_sodium.py", source / "program" / "nacl" / "_sodium.py")
    (source / "roots.txt").write_text(" ".join(sorted(modules.outside)))
    npm = node_modules()
    run([tool("node"), str(BUILD / "pack.mjs"), str(npm), str(source), str(packed)])
    return {
        **{path.name: path.read_bytes() for path in map(npm.joinpath, FROM_NPM)},
        **{path.name: path.read_bytes() for path in sorted(packed.iterdir())},
        LOCK: _lock(npm / "pyodide" / LOCK),
    }


def _place(name: str, file: Path) -> Path:
    """Return the path of a module below the folder of its package."""
    path = Path(*name.split("."))
    return path / file.name if file.name == "__init__.py" else path.with_suffix(".py")


def _copied(source: Path, target: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(source, target)


def _lock(file: Path) -> bytes:
    """Return what Pyodide reads of itself, without the packages that could be downloaded."""
    whole = json.loads(file.read_bytes())
    return json.dumps({**whole, "packages": {}}, separators=(",", ":")).encode()


def bundled(work: Path, files: dict[str, bytes]) -> dict[str, bytes]:
    """Bundle the page's scripts. That of the worker is added to its files."""
    written = {
        "site-labels": in_all_languages(),
        "site-files": {"names": sorted([*files, "worker.js"])},
    }
    aliases = []
    for name, values in written.items():
        lines = [f"export const {key} = {json.dumps(value)};" for key, value in values.items()]
        (work / f"{name}.js").write_text("\n".join(lines), encoding="utf-8")
        aliases.append(f"--alias:{name}={work / name}.js")
    esbuild = [tool("node"), str(node_modules() / "esbuild" / "bin" / "esbuild"), *aliases]
    esbuild += ["--bundle", "--minify", "--charset=utf8", "--log-level=warning", "--target=es2022"]
    scripts = {}
    for name, kind in {"worker.js": "iife", "folder.js": "esm", "single.js": "iife"}.items():
        run([*esbuild, f"--format={kind}", f"--outfile={work / name}", str(SITE / name)])
        scripts[name] = (work / name).read_bytes()
    files["worker.js"] = scripts.pop("worker.js")
    return scripts


# What is written


def _write_folder(target: Path, files: Mapping[str, bytes], script: bytes) -> None:
    """Write the folder for a server."""
    style = b"\n".join(path.read_bytes() for path in STYLES)
    parts = {**files, "site.js": script, "site.css": style}
    parts["licences.txt"] = (BUILD / "licences.txt").read_bytes()
    digest = hashlib.sha256()
    for name, content in sorted(parts.items()):
        digest.update(hashlib.sha256(name.encode() + b"\0" + content).digest())
    # A browser that has cached some of an older page takes none of it into this one.
    inner = digest.hexdigest()[:16]
    (target / inner).mkdir()
    for name, content in parts.items():
        (target / inner / name).write_bytes(content)
    policy = "script-src 'self' blob: 'wasm-unsafe-eval'; style-src 'self'; connect-src 'self'"
    head = f'<link rel="stylesheet" href="{inner}/site.css">'
    body = f'<script type="module" src="{inner}/site.js"></script>'
    (target / "index.html").write_text(_html(policy, head, body), encoding="utf-8")


def _compress(target: Path) -> None:
    """Write each file compressed beside it, as servers look for it."""
    whole = [path for path in sorted(target.rglob("*")) if path.is_file()]
    run([tool("node"), str(BUILD / "brotli.mjs"), *map(str, whole)])
    for path in whole:
        Path(f"{path}.gz").write_bytes(gzip.compress(path.read_bytes(), mtime=0))


def _one_file(files: Mapping[str, bytes], script: bytes) -> bytes:
    """Return the page as one file."""
    code = script.decode().replace("</script", "<\\/script")
    style = "".join(path.read_text("utf-8") for path in STYLES)
    policy = (
        f"script-src {_source(code)} blob: 'wasm-unsafe-eval'; style-src {_source(style)}; "
        "connect-src 'none'"
    )
    licences = (BUILD / "licences.txt").read_text("utf-8")
    head = f"<!--\n{licences}-->\n<style>{style}</style>"
    data = (
        f'<script type="text/plain" data-name="{name}">'
        f"{base64.b64encode(gzip.compress(content, mtime=0)).decode()}</script>"
        for name, content in sorted(files.items())
    )
    body = "\n".join((*data, f"<script>{code}</script>"))
    return _html(policy, head, body).encode()


def _source(text: str) -> str:
    """Return the expression of a policy that admits a text inside a page."""
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


def _html(policy: str, head: str, body: str) -> str:
    """Return the page, with the icon and the pictures of the table's page."""
    of_table = (PAGE / "index.html").read_text("utf-8")
    parts = {
        "policy": ALWAYS + policy,
        "icon": _found(r'<link rel="icon".*?>', of_table),
        "sprites": _found(r'<svg class="sprites".*?</svg>\n', of_table),
        "head": head,
        "body": body,
    }
    text = (SITE / "index.html").read_text("utf-8")
    # In one pass, since a part may have the sign of another one in it.
    return re.sub(r"\{(\w+)\}", lambda gap: parts[gap[1]], text)


def _found(pattern: str, text: str) -> str:
    """Return what a pattern finds. It is a mistake in this checkout if it finds nothing."""
    found = re.search(pattern, text, re.DOTALL)
    if found is None:
        sys.exit(f"{PAGE / 'index.html'} has nothing like {pattern}")
    return found[0]


def _compressed(path: Path) -> Path:
    return Path(f"{path}.br")


if __name__ == "__main__":
    os.chdir(ROOT)
    main(sys.argv[1:])
