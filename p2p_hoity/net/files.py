"""The limit of open files, which is that of connections."""

from __future__ import annotations


def open_files(wanted: int) -> int | None:
    """Ask the system for room for so many; None when there is, else how many there are."""
    try:
        import resource
    except ImportError:  # a system without such a limit
        return None
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if resource.RLIM_INFINITY in (soft, hard) or soft >= wanted:
        return None
    best = min(wanted, hard)
    try:
        resource.setrlimit(resource.RLIMIT_NOFILE, (best, hard))
    except (ValueError, OSError):
        return soft
    return None if best == wanted else best
