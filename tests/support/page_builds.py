"""Other builds of the page that plays, made of one that is there."""

import hashlib
import io
import shutil
import zipfile
from pathlib import Path

from support.paths import ROOT
from tools.browser_build import integrity

CALLS = "cli/ui/browser/play_calls.py"
"""The first module of the program that is imported."""
CHEAT = """
from dataclasses import replace

from p2p_hoity.table.playing import play_table
from protocol.seat.seat_machine import SeatMachine
from protocol.wire import codec, step_bodies
from protocol.wire.signed_messages import StepInput


def flip(data):
    return data[:-32] + bytes([data[-32] ^ 1]) + data[-31:]


class Cheat(SeatMachine):
    def __init__(self, *given):
        super().__init__(*given)
        honest, lied = self.signer.sign, []

        def sign(statement, note=None):
            kind = self.tip.want.kind
            if not lied and isinstance(statement, StepInput) and kind == "KIND":
                if statement.body != step_bodies.EMPTY:
                    fields = list(codec.decode(statement.body, step_bodies.MAX_BODY))
                    fields[INDEX] = CHANGED
                    statement = replace(statement, body=codec.encode(tuple(fields)))
                    lied.append(statement)
            return honest(statement, note)

        self.signer.sign = sign


play_table.SeatMachine = Cheat
"""
CHEATS = {
    "bad-opening": ("reveal", 0, "(fields[0][0], flip(fields[0][1]))"),
    "bad-share": ("open", 1, "flip(fields[1])"),
}
"""What a page can be made to send, by the code of the fault: kind of step, field, its value."""


def folder_of(page: Path) -> Path:
    """Return the folder of a build in which everything but its HTML file is."""
    (found,) = (one for one in page.iterdir() if one.is_dir())
    return found


def with_code(page: Path, target: Path, code: str) -> Path:
    """Write a build whose program runs more code, and return its folder."""
    old = folder_of(page)
    program, start = (old / "program.zip").read_bytes(), (old / "start.js").read_bytes()
    packed = io.BytesIO(program)
    with zipfile.ZipFile(packed, "a") as archive:
        # Python prefers it to the bytecode that lies beside it.
        archive.writestr(CALLS, (ROOT / CALLS).read_text("utf-8") + code)
    changed = packed.getvalue()
    new = target / hashlib.sha256(changed).hexdigest()[:16]
    shutil.copytree(old, new)
    begun = start.replace(integrity(program).encode(), integrity(changed).encode())
    (new / "program.zip").write_bytes(changed)
    (new / "start.js").write_bytes(begun)
    index = (page / "index.html").read_text("utf-8")
    index = index.replace(old.name, new.name).replace(integrity(start), integrity(begun))
    (target / "index.html").write_text(index, encoding="utf-8")
    return target


def cheating(page: Path, target: Path, code: str) -> Path:
    """Write a build whose player commits this fault once, and return its folder."""
    kind, index, changed = CHEATS[code]
    lines = CHEAT.replace("KIND", kind).replace("INDEX", str(index)).replace("CHANGED", changed)
    return with_code(page, target, lines)
