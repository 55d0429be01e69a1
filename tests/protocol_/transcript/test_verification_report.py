"""The report on a file: verdict, problem and the part in which it is, counts and times."""

from support.played import files_of, game_of

from protocol.transcript.verifier import verify


def test_the_callers_clock_times_the_parts() -> None:
    ticks = iter(range(10_000))
    report = verify(files_of("vanished")[0], game_of, lambda: float(next(ticks)))
    parts = {"reading", "signatures", "keys", "shuffles", "choices", "openings", "bases"}
    assert set(report.timings) == parts
    between = 1  # the file is read; the checks begin
    assert sum(report.timings.values()) == next(ticks) - 1 - between
    assert verify(files_of("vanished")[0], game_of).timings == {}
