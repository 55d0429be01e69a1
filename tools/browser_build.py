"""What the pages in a browser are built of: Python and its modules, scripts, styles, one HTML file.

What is not in this checkout is downloaded from the indexes of npm and of Python's packages, pinned
by hash, once for each checkout. Node.js and its npm are needed here, and nowhere else.
"""

from __future__ import annotations

import base64
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from .environments import ROOT, pip
from .page_modules import DATA, Modules, Program

BUILD = ROOT / "tools" / "page_build"
BROWSER = ROOT / "cli" / "ui" / "browser"
TABLE = ROOT / "cli" / "ui" / "web" / "page"
STYLES = (*(TABLE / f"{name}.css" for name in ("colours", "page", "sizes")), BROWSER / "parts.css")
FROM_NPM = (
    "pyodide/pyodide.asm.mjs",
    "pyodide/pyodide.asm.wasm",
    "pyodide/pyodide.mjs",
    "libsodium-sumo/dist/modules-sumo-esm/libsodium-sumo.mjs",
)
LOCK = "pyodide-lock.json"
PLATFORM = ("manylinux2014_x86_64", "3.12", "cp")
"""The wheels that are taken for their modules in Python, whatever the system is."""
ALWAYS = (
    "default-src 'none'; worker-src blob:; img-src data:; base-uri 'none'; form-action 'none'; "
)
LICENCES = "licences.txt"
IS_LICENCE = re.compile("LICENSE|COPYING")


# What it is built from


def version() -> str:
    """Return the version of this checkout, whichever is installed."""
    with (ROOT / "pyproject.toml").open("rb") as file:
        return str(tomllib.load(file)["project"]["version"])


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


def _installed(name: str, lock: bytes, install: Callable[[Path], None]) -> Path:
    """Return a folder of the test environment that is whole, and was made from a lock."""
    place = Path(sys.prefix) / "page" / f"{name}-{hashlib.sha256(lock).hexdigest()[:16]}"
    if not place.exists():
        place.parent.mkdir(exist_ok=True)
        made = Path(tempfile.mkdtemp(dir=place.parent))
        install(made)
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


def worker_files(program: Program, work: Path) -> dict[str, bytes]:
    """Return all that a worker needs, by name, except its own script."""
    source, packed = work / "source", work / "packed"
    packed.mkdir()
    modules = Modules([ROOT, packages()], program.roots)
    if sorted(modules.found) != program.listed():
        sys.exit(
            f"A page would import other modules than those of {program.names}. See whether it\n"
            f"needs them, then make the list again: python3 tasks.py {program.name} --list"
        )
    for name, file in modules.found.items():
        _copied(file, source / "program" / _place(name, file))
    for file in (path for pattern in DATA for path in sorted(ROOT.glob(pattern))):
        _copied(file, source / "program" / file.relative_to(ROOT))
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


def bundled(
    work: Path, scripts: Mapping[Path, str], modules: Mapping[str, Mapping[str, object]]
) -> dict[str, bytes]:
    """Bundle scripts.

    Args:
        scripts: The kind of each script: `esm` for a module, else `iife`.
        modules: The values of modules that are written here, by their names.

    Returns:
        The bundles by the name of the script.
    """
    aliases = []
    for name, values in modules.items():
        lines = [f"export const {key} = {json.dumps(value)};" for key, value in values.items()]
        (work / f"{name}.js").write_text("\n".join(lines), encoding="utf-8")
        aliases.append(f"--alias:{name}={work / name}.js")
    esbuild = [tool("node"), str(node_modules() / "esbuild" / "bin" / "esbuild"), *aliases]
    esbuild += ["--bundle", "--minify", "--charset=utf8", "--log-level=warning", "--target=es2022"]
    found = {}
    for script, kind in scripts.items():
        target = work / f"{script.parent.name}-{script.name}"
        run([*esbuild, f"--format={kind}", f"--outfile={target}", str(script)])
        found[script.name] = target.read_bytes()
    return found


# What is written


def write_folder(target: Path, files: Mapping[str, bytes], template: Path, relay: str = "") -> Path:
    """Write the folder for a server, and return the folder inside it that has all but the page.

    Args:
        files: The page's script is `start.js`, its style `style.css`.
        template: The page without its parts.
        relay: The URL of a relay on another server, to which the page connects, too.
    """
    parts = {**files, LICENCES: licences().encode()}
    digest = hashlib.sha256()
    for name, content in sorted(parts.items()):
        digest.update(hashlib.sha256(name.encode() + b"\0" + content).digest())
    # A browser that has cached some of an older page takes none of it into this one.
    inner = target / digest.hexdigest()[:16]
    shutil.rmtree(target, ignore_errors=True)
    inner.mkdir(parents=True)
    for name, content in parts.items():
        (inner / name).write_bytes(content)
    policy = "script-src 'self' blob: 'wasm-unsafe-eval'; style-src 'self'; connect-src 'self'"
    policy += f" {relay}" if relay else ""
    of = {
        name: f'"{inner.name}/{name}" integrity="{integrity(one)}"' for name, one in parts.items()
    }
    head = f'<link rel="stylesheet" href={of["style.css"]}>'
    if relay:
        head += f'\n<meta name="relay" content="{relay}">'
    body = f'<script type="module" src={of["start.js"]}></script>'
    (target / "index.html").write_bytes(html(template, policy, head, body).encode())
    return inner


def integrity(content: bytes) -> str:
    """Return the digest of a file as browsers check it (W3C, Subresource Integrity)."""
    return f"sha256-{base64.b64encode(hashlib.sha256(content).digest()).decode()}"


def digests(files: Mapping[str, bytes]) -> dict[str, Mapping[str, object]]:
    """Return the module by which the start of a page knows the files of its worker."""
    found = {name: integrity(content) for name, content in sorted(files.items())}
    return {"site-files": {"digests": found}}


def licences() -> str:
    """Return what pages contain, and the texts of the licences that come with it."""
    found = {
        "p2p-hoity": ROOT / "LICENSE",
        "lit-html": TABLE / "vendor" / "LICENSE",
        "libsodium.js": node_modules() / "libsodium-sumo" / "LICENSE",
        **{
            path.relative_to(packages()).as_posix(): path
            for path in packages().glob("*.dist-info/**/*")
            if IS_LICENCE.match(path.name) and path.is_file()
        },
    }
    texts = [f"{name}\n\n{path.read_text('utf-8')}" for name, path in sorted(found.items())]
    return f"\n{'-' * 80}\n".join(((BUILD / LICENCES).read_text("utf-8"), *texts))


def compress(target: Path, *codings: str) -> None:
    """Write each file of a folder compressed beside it, as servers look for it.

    Args:
        codings: The ways, by the ends of the names: `br`, `gz`.
    """
    whole = [
        path for path in target.rglob("*") if path.is_file() and path.suffix not in {".br", ".gz"}
    ]
    words = [tool("node"), str(BUILD / "compress.mjs"), str(node_modules()), ",".join(codings)]
    # The largest one takes half of the time.
    whole.sort(key=lambda path: path.stat().st_size, reverse=True)
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        list(pool.map(lambda path: run([*words, str(path)]), whole))


def sizes(target: Path) -> list[tuple[str, int, int]]:
    """Return the name of each file of a built folder, its size, and its size by brotli."""
    return [
        (
            path.relative_to(target).as_posix(),
            path.stat().st_size,
            Path(f"{path}.br").stat().st_size,
        )
        for path in sorted(target.rglob("*"))
        if Path(f"{path}.br").exists()
    ]


def style_of(*more: Path) -> str:
    """Return the styles that all pages have, and more of them."""
    return "\n".join(path.read_text("utf-8") for path in (*STYLES, *more))


def html(template: Path, policy: str, head: str, body: str) -> str:
    """Return a page, with the icon and the pictures of the table's page."""
    of_table = (TABLE / "index.html").read_text("utf-8")
    parts = {
        "policy": ALWAYS + policy,
        "icon": _found(r'<link rel="icon".*?>', of_table),
        "sprites": _found(r'<svg class="sprites".*?</svg>\n', of_table),
        "head": head,
        "body": body,
    }
    # In one pass, since a part may have the sign of another one in it.
    return re.sub(r"\{(\w+)\}", lambda gap: parts[gap[1]], template.read_text("utf-8"))


def _found(pattern: str, text: str) -> str:
    """Return what a pattern finds. It is a mistake in this checkout if it finds nothing."""
    found = re.search(pattern, text, re.DOTALL)
    if found is None:
        sys.exit(f"{TABLE / 'index.html'} has nothing like {pattern}")
    return found[0]


def run_target(program: Program, build: Callable[[Path], list[Path]], args: list[str]) -> None:
    """Build a page and print its sizes and digests, or make the list of its modules again.

    Args:
        build: Builds it into a folder, and returns what it has built.
        args: The folder, `dist/NAME` if none is named, or `--list`.
    """
    if args == ["--list"]:
        found = sorted(Modules([ROOT, packages()], program.roots).found)
        program.names.write_text("\n".join((*found, "")), encoding="utf-8")
        return
    target = Path(args[0]).absolute() if args else ROOT / "dist" / program.name
    built = build(target)
    for name, size, packed in sizes(target):
        print(f"{name:38} {size:12,} bytes, {packed:11,} by brotli")
    for path in built:
        print(path)
        if path.is_file():
            print(f"SHA-256 {hashlib.sha256(path.read_bytes()).hexdigest()}")
