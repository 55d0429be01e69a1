"""The transcript: its file format, its writer, and the offline verifier."""

from .format import MAX_FILE, File, Opened, opened
from .problem import FILE_FAULTS, Problem
from .report import Report
from .verifier import header_of, reached, steps_to, verify
from .writer import TooLarge

__all__ = [
    "FILE_FAULTS",
    "MAX_FILE",
    "File",
    "Opened",
    "Problem",
    "Report",
    "TooLarge",
    "header_of",
    "opened",
    "reached",
    "steps_to",
    "verify",
]
