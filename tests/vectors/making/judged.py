"""A judged file: what is wrong in it, how it is made, and what every verifier must find in it.

The maker states the verdict. Making fails if the verifier of this repository finds another one.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from vectors.making import side
from vectors.making.playing import sentence

Step = int | Callable[[], int]
"""A step, or what gives it from the game that was written."""
Fault = tuple[int, Step, str]
"""(seat, step, code)."""
Make = Callable[[], bytes]


@dataclass(frozen=True)
class Judged:
    """A file and its verdict.

    Attributes:
        what: In a sentence what happens, and which rule decides.
        file: Makes the bytes.
        verdict: `ok`, `fault` or `unreadable`.
        problem: (code, step, seat), None if there is none.
        faults: The seats that are proven at fault.
    """

    what: str
    file: Make
    verdict: str
    problem: tuple[str, Step | None, int | None] | None = None
    faults: tuple[Fault, ...] = ()

    def label(self) -> dict[str, Any]:
        """Return what `verdicts.json` says of the file."""
        return {
            "what": self.what,
            "verdict": self.verdict,
            "problem": None if self.problem is None else _plain(self.problem),
            "faults": [_plain(fault) for fault in self.faults],
        }

    def check(self, data: bytes) -> None:
        """Raise ValueError unless the verifier finds what the maker states."""
        found = side.expected(data)
        problem = found["problem"]
        due = {
            **self.label(),
            "verdict": found["verdict"],
            "problem": problem and [problem["code"], problem["step"], problem["seat"]],
            "faults": [[f["seat"], f["step"], f["code"]] for f in found["faults"]],
        }
        if due != self.label():
            raise ValueError(f"{self.what} gives {due}")


def _plain(found: tuple[Any, ...]) -> list[Any]:
    return [item() if callable(item) else item for item in found]


def sound(file: Make, *faults: Fault, what: str = "") -> Judged:
    """Return a file that is `ok`, described by its maker's docstring if `what` does not do so."""
    return Judged(what or sentence(file), file, "ok", None, faults)


def fails(
    file: Make,
    code: str,
    step: Step | None = None,
    seat: int | None = None,
    *faults: Fault,
    what: str = "",
) -> Judged:
    """Return a file with a problem, described in the same way."""
    return Judged(what or sentence(file), file, "fault", (code, step, seat), faults)


def unread(file: Make, code: str, what: str) -> Judged:
    """Return a file that is no transcript."""
    return Judged(what, file, "unreadable", (code, None, None))
