"""The transcript: its file format, its writer, and the offline verifier."""

from .transcript_format import MAX_FILE, File, OpenedFile, opened
from .transcript_writer import TooLarge
from .verification_report import FILE_FAULTS, Problem, Report
from .verifier import header_of, reached, steps_to, verify

__all__ = [
    "FILE_FAULTS",
    "MAX_FILE",
    "File",
    "OpenedFile",
    "Problem",
    "Report",
    "TooLarge",
    "header_of",
    "opened",
    "reached",
    "steps_to",
    "verify",
]
