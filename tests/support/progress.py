"""Progress while the tests run, and a short summary at their end.

It replaces pytest's dots: a line tells every few seconds what is done and what remains. The
summary names what failed, which package or tool each skipped test lacks, and the slowest tests.
"""

import sys
import time
from collections import defaultdict
from collections.abc import Generator
from dataclasses import dataclass, field

import pytest
from _pytest.terminal import TerminalReporter

from support import sampling

INTERVAL = 10.0
"""Seconds between two lines of progress where the output is no terminal."""
SLOWEST = 10
Status = tuple[str, str, object]


def register(config: pytest.Config) -> None:
    """Report progress in this process, unless it is a worker of another one."""
    if not hasattr(config, "workerinput") and config.getoption("verbose") <= 0:
        config.pluginmanager.register(Progress(config), "progress")


@dataclass(eq=False)
class Progress:
    """Counts of one run."""

    config: pytest.Config
    total: int = 0
    done: int = 0
    seconds: dict[str, float] = field(default_factory=lambda: defaultdict(float))
    failed: int = 0
    began: float = field(default_factory=time.monotonic)
    told: float = field(default_factory=time.monotonic)

    def pytest_report_header(self) -> str:
        """Name the seed with which the same samples are drawn again."""
        kind = "all cases" if sampling.is_nightly() else "samples"
        return f"{kind}; seed {sampling.seed()} (repeat with {sampling.SEED}={sampling.seed()})"

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        """Learn how many tests there are, where one process runs them all."""
        self.total = max(self.total, len(session.items))

    @pytest.hookimpl(optionalhook=True)
    def pytest_xdist_node_collection_finished(self, node: object, ids: list[str]) -> None:
        """Learn how many tests there are, where workers run them."""
        self.total = max(self.total, len(ids))

    @pytest.hookimpl(wrapper=True)
    def pytest_report_teststatus(self) -> Generator[None, Status, Status]:
        """Print no letter for a test, whatever became of it."""
        category, _, _ = yield
        return category, "", ""

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Count one phase of a test."""
        self.seconds[report.nodeid] += report.duration
        if report.failed:
            self.failed += 1
            self._print(f"FAILED {report.nodeid}")
        if report.when == "teardown":
            self.done += 1
            self._tell()

    def _tell(self) -> None:
        now = time.monotonic()
        live = sys.stdout.isatty()
        if now - self.told < (1.0 if live else INTERVAL):
            return
        self.told = now
        remaining = self.total - self.done
        failed = f", {self.failed} failed" if self.failed else ""
        line = f"{now - self.began:4.0f} s: {self.done} of {self.total} tests, {remaining} remain"
        self._print(line + failed, live)

    def _print(self, line: str, live: bool = False) -> None:
        reporter = self.config.pluginmanager.get_plugin("terminalreporter")
        assert isinstance(reporter, TerminalReporter)
        if live:
            reporter.rewrite(line, erase=True)
        else:
            reporter.ensure_newline()
            reporter.write_line(line)
        reporter.flush()

    def pytest_terminal_summary(self, terminalreporter: TerminalReporter) -> None:
        """Print the tests that took longest, and why tests were skipped."""
        slowest = sorted(self.seconds.items(), key=lambda pair: -pair[1])[:SLOWEST]
        terminalreporter.section(f"{SLOWEST} slowest tests")
        for name, seconds in slowest:
            terminalreporter.write_line(f"{seconds:6.2f} s  {name}")
        why: dict[str, int] = defaultdict(int)
        for report in terminalreporter.stats.get("skipped", ()):
            reason = report.longrepr[2] if isinstance(report.longrepr, tuple) else ""
            why[reason.removeprefix("Skipped: ")] += 1
        if why:
            terminalreporter.section("skipped")
        for reason, number in sorted(why.items()):
            terminalreporter.write_line(f"{number:4}  {reason}")
