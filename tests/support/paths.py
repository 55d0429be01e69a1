"""Where things are in this checkout, wherever a test stands."""

from pathlib import Path
from typing import Final

TESTS: Final = Path(__file__).resolve().parent.parent
ROOT: Final = TESTS.parent
VECTORS: Final = TESTS / "vectors"
