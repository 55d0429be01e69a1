"""The label beside each file: what a verifier must find in it, as JSON."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import Any

from vectors.making.tables import Plan

from p2p_hoity import game_adapter
from protocol.chain.chain_state import Node
from protocol.transcript.result_certificate import certify
from protocol.transcript.verification_report import Report
from protocol.transcript.verifier import steps_to, verify

Entry = dict[str, Any]


def text(value: Any) -> bytes:
    """JSON as it is kept: short lists on one line."""
    return (_dump(value, 0) + "\n").encode()


def _dump(value: Any, depth: int) -> str:
    plain = json.dumps(value, ensure_ascii=False)
    flat = not isinstance(value, (dict, list)) or not value
    if flat or len(plain) <= 96 - depth:
        return plain
    inner = " " * (depth + 1)
    if isinstance(value, dict):
        rows = [f"{json.dumps(k)}: {_dump(v, depth + 1)}" for k, v in value.items()]
        return "{\n" + ",\n".join(inner + row for row in rows) + "\n" + " " * depth + "}"
    rows = [_dump(v, depth + 1) for v in value]
    return "[\n" + ",\n".join(inner + row for row in rows) + "\n" + " " * depth + "]"


def expected(data: bytes) -> Entry:
    """What the verifier reports of a file; how far it came in one that is refused is its own."""
    report = verify(data, game_adapter.read_game)
    far = ("steps", "last_epoch", "standings", "counts") if report.problem else ()
    return {key: value for key, value in outcome(report).items() if key not in far}


def described(data: bytes) -> Entry:
    """The same, and every step and link."""
    report = verify(data, game_adapter.read_game)
    signed = certify(data, report).encode().hex() if report.ok else None
    return {**outcome(report), "certificate": signed, "chain": chain_of(report)}


def outcome(report: Report) -> Entry:
    """A report as plain values; `problem` without words and offset, which are nobody's rule."""
    problem, names = report.problem, ("code", "step", "seat", "part", "offset")
    found = None if problem is None else {name: getattr(problem, name) for name in names}
    return {
        "verdict": report.verdict,
        "problem": found,
        "faults": [{"seat": f.seat, "step": f.step, "code": f.code} for f in report.faults],
        "table": report.table,
        "digest": report.digest,
        "steps": report.steps,
        "last_epoch": report.epochs,
        "standings": [list(pair) for pair in report.standings],
        "counts": asdict(report.counts),
    }


def game_of(plan: Plan) -> Entry:
    """What the game was made from."""
    return {
        "seed": plan.seed,
        "edition": plan.edition,
        "seats": plan.seats,
        "variant": plan.variant or "",
        "quorum": plan.terms.quorum,
    }


def chain_of(report: Report) -> list[Entry]:
    """Every step and link: what was asked, what came, and the digest after it."""
    if report.node is None:
        return []
    return [_entry(before, slots, after) for before, slots, after in steps_to(report.node)]


def _entry(before: Node, slots: Any, after: Node) -> Entry:
    if slots is None:
        return {
            "link": {
                "present": sorted(after.present),
                "banned": sorted(after.banned),
                "absences": list(after.absences),
            },
            "digest": after.digest.hex(),
        }
    want = before.want
    entry: Entry = {
        "step": before.step,
        "kind": want.kind.value,
        "choice": want.name,
        "speakers": sorted(want.speakers),
        "owes": sorted(want.owes),
        "opens": [list(pair) for pair in want.lacks],
        "slots": [len(s) if isinstance(s, bytes) else s.name for s in slots],
        "digest": after.digest.hex(),
    }
    if not want.lacks:
        del entry["opens"]
    happened = _happened(before, after)
    return {**entry, "happened": happened} if happened else entry


def _happened(before: Node, after: Node) -> list[Entry]:
    if after.state is None:
        return []
    since = before.state.length if before.state is not None else 0
    return [item.as_json() for item in game_adapter.happenings_since(after.state, since)]
