"""Worked examples: the values between what goes in and what comes out, step by step.

The escrow and the shuffle are those of `crypto.json`. The new epochs are those of a judged file, in
which a seat becomes absent in epoch 1 and another one is proven at fault in epoch 2. Every value is
taken from the code that plays, or follows from its result. Nothing here is drawn.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from math import prod
from operator import mul as times
from typing import Any, Final

from vectors import make_crypto
from vectors.making.judged_readings import READINGS

from p2p_hoity import game_adapter
from protocol.chain import transition
from protocol.chain.chain_state import Missing, Node, Slot, Table
from protocol.consensus import fault_evidence, new_epoch
from protocol.consensus.fork_tree import Bodies, Tree
from protocol.consensus.new_epoch import ReadPromise
from protocol.crypto import escrow, group, key_sharing, shuffle_proof
from protocol.crypto.group import encode_scalar, mul, mul_base, sub
from protocol.crypto.hashing import ORDER, Label, digest, expand, hash_to_scalar
from protocol.transcript.transcript_format import opened
from protocol.transcript.verification_report import Statistics
from protocol.transcript.verifier_checks import FileChecks, FileReferences, Unread
from protocol.wire import signed_messages
from protocol.wire.signed_messages import (
    CommitVote,
    Message,
    NewEpoch,
    PrepareVote,
    QuorumCertificate,
    StepInput,
    StepTimeout,
)
from protocol.wire.table_header import parse_header

Entry = dict[str, Any]
FILE: Final = "fork-absent-signer"
"""The judged file with the new epochs."""


def book() -> Entry:
    """Return all worked examples."""
    return {
        "about": "Bytes are in hexadecimal, scalars 32 bytes little-endian. See README.md.",
        "escrow": sealed(),
        "shuffle": shuffled(),
        "new_epochs": epochs(),
    }


def _hex(data: bytes | int) -> str:
    """Return bytes, or a scalar, in hexadecimal."""
    return (encode_scalar(data % ORDER) if isinstance(data, int) else data).hex()


def _hexes(values: Iterable[bytes | int]) -> list[str]:
    return [_hex(value) for value in values]


# The escrow


def sealed() -> Entry:
    """Return the steps of 7.5 by which a choice is sealed, and by which two seats open it."""
    made, given = make_crypto.sealed_choice(), make_crypto.escrow_share()
    context, joint = bytes.fromhex(made["context"]["encoded"]), bytes.fromhex(made["joint_key"])
    committed, opening = bytes.fromhex(made["commitment"]), bytes.fromhex(made["opening"])
    box = bytes.fromhex(made["escrow"])
    u, u_bar, masked = box[:32], box[32:64], box[escrow.OVERHEAD :]
    bound = (context, joint, group.BASE, group.second_generator(), committed)
    r = hash_to_scalar(Label.ESCROW_RANDOMNESS, *bound, opening)
    s = hash_to_scalar(Label.ESCROW_PROOF_NONCE, encode_scalar(r), *bound, masked, u, u_bar)
    hidden = mul(r, joint)
    return {
        "rule": "7.5, to seal",
        "of": "accept.sealed_choice of crypto.json",
        "size(kind)": len(opening) - 34,
        "commitment": made["commitment"],
        "opening": made["opening"],
        "bound": _hexes(bound),
        "r": _hex(r),
        "u": _hex(u),
        "u_bar": _hex(u_bar),
        "r·Y": _hex(hidden),
        "key_stream": _hex(expand(Label.ESCROW_KDF, len(opening), hidden, u)),
        "m": _hex(masked),
        "s": _hex(s),
        "s·B": _hex(mul_base(s)),
        "s·G2": _hex(mul(s, group.second_generator())),
        "challenge_e": _hex(box[64:96]),
        "response_f": _hex(box[96:128]),
        "escrow": made["escrow"],
        "share": _share(given, u),
    }


def _share(given: Entry, u: bytes) -> Entry:
    """Return the check of an escrow share, and how two shares open the escrow."""
    share, public = bytes.fromhex(given["share"]), bytes.fromhex(given["public"])
    point = share[:32]
    e, z = (group.decode_scalar(part) for part in (share[32:64], share[64:]))
    points = {int(index): bytes.fromhex(one) for index, one in given["points"].items()}
    combined = key_sharing.combine(points, 2)
    masked = bytes.fromhex(given["escrow"])[escrow.OVERHEAD :]
    return {
        "of": "accept.escrow_share of crypto.json",
        "T": given["public"],
        "U": _hex(point),
        "challenge_e": _hex(e),
        "response_z": _hex(z),
        "z·B−e·T": _hex(sub(mul_base(z), mul(e, public))),
        "z·u−e·U": _hex(sub(mul(z, u), mul(e, point))),
        "combined_W": _hex(combined),
        "key_stream": _hex(expand(Label.ESCROW_KDF, len(masked), combined, u)),
        "opening": given["opening"],
    }


# The shuffle


def shuffled() -> Entry:
    """Return the steps of 7.2 by which a shuffle is checked, and by which it was proven."""
    with make_crypto.traced() as hashes:
        made = make_crypto.shuffled()
    n = len(made["order"])
    proof = shuffle_proof.decode_proof(bytes.fromhex(made["proof"]), n)
    (last,) = [one for one in hashes if one["label"] == Label.SHUFFLE_CHALLENGE.value]
    statement, *parts = map(bytes.fromhex, last["parts"])
    t1, t2, t3, t4a, t4b, *chained = parts[n:]
    weights = shuffle_proof.weights(statement, n)
    s1, s2, s3, s4, *rest = proof.responses
    return {
        "rule": "7.2",
        "of": "accept.shuffle of crypto.json",
        "proof": {
            "c": _hex(proof.challenge),
            "s1": _hex(s1),
            "s2": _hex(s2),
            "s3": _hex(s3),
            "s4": _hex(s4),
            "ŝ": _hexes(rest[:n]),
            "s'": _hexes(rest[n:]),
            "C": _hexes(proof.commitments),
            "Ĉ": _hexes(proof.chain),
        },
        "check": {
            "σ": _hex(statement),
            "u": _hexes(weights),
            "Πu": _hex(prod(weights)),
            "ΣC−Σh": _hex(sub(group.total(proof.commitments), group.shuffle_generators_total(n))),
            "t1": _hex(t1),
            "t2": _hex(t2),
            "t3": _hex(t3),
            "t4a": _hex(t4a),
            "t4b": _hex(t4b),
            "t̂": _hexes(chained),
            "challenge": _hex(proof.challenge),
        },
        "prove": _proving(made, hashes, weights),
    }


def _proving(made: Entry, hashes: Sequence[Entry], weights: Sequence[int]) -> Entry:
    """Return what the prover drew, and its witnesses.

    Its nonces are hashed in this order: those of the chain, of ŝ, of s', of s1 to s4.
    """
    order, n = made["order"], len(made["order"])
    secret = [group.decode_scalar(bytes.fromhex(one)) for one in made["randomness"]]
    rho = _hashed(hashes, Label.SHUFFLE_COMMITMENT_RANDOMNESS)
    nonces = _hashed(hashes, Label.SHUFFLE_NONCE)
    rho_hat, of_hats, of_primes = (nonces[at : at + n] for at in (0, n, 2 * n))
    in_order, last = [weights[source] for source in order], 0
    for link, weight in zip(rho_hat, in_order, strict=True):
        last = (link + weight * last) % ORDER
    return {
        "π": order,
        "r": made["randomness"],
        "ρ": _hexes(rho),
        "ρ̂": _hexes(rho_hat),
        "u'": _hexes(in_order),
        "ω": {
            **{f"s{i + 1}": _hex(nonce) for i, nonce in enumerate(nonces[3 * n : 3 * n + 4])},
            "ŝ": _hexes(of_hats),
            "s'": _hexes(of_primes),
        },
        "witness": {
            "s1": _hex(sum(rho)),
            "s2": _hex(last),
            "s3": _hex(sum(map(times, weights, rho))),
            "s4": _hex(sum(map(times, in_order, secret))),
        },
    }


def _hashed(hashes: Sequence[Entry], label: Label) -> list[int]:
    """Return the scalars that were hashed under a label, in order."""
    found = (bytes.fromhex(one["sha512"]) for one in hashes if one["label"] == label.value)
    return [int.from_bytes(data, "little") % ORDER for data in found]


# The new epochs


def epochs() -> Entry:
    """Return how the new-epoch messages of a file lead to their bases (10.2 to 10.5)."""
    transcript = opened(READINGS[FILE].file()).transcript
    assert transcript is not None
    header = parse_header(transcript.content.header)
    table = Table(header, game_adapter.read_game(header.terms))
    checks = FileChecks(table, transcript, Statistics())
    signed = checks.signatures()
    start = transition.begin(table)
    while start.step < table.first_step:
        start = checks.follow(start, start.step - 1, {})
    everything: list[Message | Unread] = [*signed.inputs, *signed.messages, *signed.new_epochs]
    source = FileReferences(start, {m.hash: m for m in everything})
    return {
        "rule": "10.2 to 10.5",
        "of": f"judged/{FILE}.hoity",
        "table": table.id.hex(),
        "seats": table.seats,
        "quorum": table.quorum,
        "epochs": [_epoch(table, source, message) for message in signed.new_epochs],
    }


def _epoch(table: Table, source: FileReferences, message: Message) -> Entry:
    """Return how one new-epoch message leads to its base, which the later ones may look up."""
    said = message.statement
    assert isinstance(said, NewEpoch)
    read = [new_epoch.read_promise(table, source.message(h), source) for h in said.promises]
    base, epoch = new_epoch.highest_certificate(read)
    contents = _once(m for one in read for m in one.contents)
    tree = Tree(base, _once(m for one in read for m in one.inputs), epoch)
    found = new_epoch.base_of_new_epoch(table, message, source)
    end, culprits, missing = new_epoch.walk(base, tree, read, epoch)
    proven, _ = fault_evidence.proven(contents, tree, fault_evidence.ancestry(base))
    assert set(culprits) <= set(proven) == {seat for seat, _ in found.faults}
    name = found.node.base_digest()
    source.bases[said.epoch, name] = found.node
    return {
        "epoch": said.epoch,
        "promises": [_promise(one) for one in read],
        "a": epoch,
        "b": _place(base),
        "contents": [_named(one) for one in contents],
        "tree": [_branch(tree, node) for node in sorted(tree.nodes.values(), key=_height)],
        "F": [[seat, code] for seat, code in sorted(proven.items())],
        "walk": [*_walk(tree, base, end, read)],
        "culprits": sorted(culprits),
        "absent": sorted(missing),
        "v": _place(end),
        "base": {
            **_place(found.node),
            "present": sorted(found.node.present),
            "banned": sorted(found.node.banned),
            "absences": list(found.node.absences),
            "is_reconfigured": found.node is not end,
        },
        "new_epoch": {
            "seat": message.seat,
            "payload": signed_messages.payload(table.id, message.seat, said).hex(),
            "hash": message.hash.hex(),
        },
        "prepare_payload_of_seat_0": _vote(table, PrepareVote(said.epoch, name)),
        "commit_payload_of_seat_0": _vote(table, CommitVote(said.epoch, name)),
    }


def _vote(table: Table, vote: PrepareVote | CommitVote) -> str:
    return signed_messages.payload(table.id, 0, vote).hex()


def _once(messages: Iterable[Message]) -> list[Message]:
    """Return each message at its first place."""
    return list({m.hash: m for m in messages}.values())


def _height(node: Node) -> tuple[int, bytes]:
    return node.step, node.digest


def _place(node: Node) -> Entry:
    return {
        "step": node.step,
        "digest": node.digest.hex(),
        "base_digest": node.base_digest().hex(),
    }


def _named(message: Message) -> Entry:
    """Return a message by its hash, with its kind and its seat."""
    said = message.statement
    kind = signed_messages.NUMBER[type(said)]
    entry = {"hash": message.hash.hex(), "kind": kind, "seat": message.seat}
    return {**entry, "step": said.step} if isinstance(said, StepInput) else entry


def _promise(read: ReadPromise) -> Entry:
    """Return the parts of an epoch promise."""
    said = read.promise
    timeout = said.timeout
    return {
        "seat": read.message.seat,
        "hash": read.message.hash.hex(),
        "certificate": _certificate(said.certificate, read.votes),
        "inputs": _hexes(said.inputs),
        "timeout": timeout and [timeout.epoch, timeout.step, timeout.on.hex()],
        "rejoins": _hexes(said.rejoins),
        "proofs": [_hexes(proof) for proof in said.proofs],
    }


def _certificate(found: QuorumCertificate | None, votes: Sequence[Message]) -> Entry | None:
    """Return a quorum certificate, with the hashes of its votes as messages."""
    if found is None:
        return None
    return {
        "epoch": found.epoch,
        "base": found.base.hex(),
        "is_committed": found.committed,
        "votes": [[one.seat, one.hash.hex()] for one in votes],
    }


def _branch(tree: Tree, node: Node) -> Entry:
    """Return a node of the tree, the bodies given there by seat, and its children."""
    bodies = tree.bodies(node)
    children = [one for one in tree.nodes.values() if one.parent is node]
    return {
        "step": node.step,
        "digest": node.digest.hex(),
        "bodies": [
            [seat, [digest(Label.BODY, body).hex() for body in bodies.get(seat, ())]]
            for seat in sorted(node.want.speakers)
        ],
        "children": sorted(one.digest.hex() for one in children),
    }


def _walk(tree: Tree, base: Node, end: Node, read: Sequence[ReadPromise]) -> Iterator[Entry]:
    """Yield each turn of step 3 of 10.5: what is there at a node, and what follows."""
    nodes = end.history()
    nodes = nodes[[one.digest for one in nodes].index(base.digest) :]
    for node, after in zip(nodes, [*nodes[1:], None], strict=True):
        if not transition.may_go_on(node):
            return
        bodies = tree.bodies(node)
        missing = sorted(node.want.speakers - set(bodies))
        claim = StepTimeout(tree.epoch, node.step, node.digest)
        yield {
            "step": node.step,
            "digest": node.digest.hex(),
            "several": sorted(seat for seat, versions in bodies.items() if len(versions) > 1),
            "missing": missing,
            "claims": [
                one.message.seat
                for one in read
                if one.promise.timeout == claim and one.message.seat not in missing
            ],
            "then": _turn(after, bodies),
        }
        if after is not None and after.slots is not None and not _is_whole(after.slots):
            return


def _is_whole(slots: Iterable[Slot]) -> bool:
    return Missing.ABSENT not in slots and Missing.FAULT not in slots


def _turn(after: Node | None, bodies: Bodies) -> str:
    """Return what step 3 of 10.5 does at a node, by the node that it takes next."""
    if after is None or after.slots is None:
        return "go to 4"
    if Missing.ABSENT in after.slots:
        return "the step with ABSENT, go to 4"
    if Missing.FAULT in after.slots:
        return "the step with FAULT, go to 4"
    is_fork = any(len(versions) > 1 for versions in bodies.values())
    return "the first child that passes" if is_fork else "the step with these bodies"
