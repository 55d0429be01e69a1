"""The worked examples of `worked.json`, each value computed again from SPEC.md."""

import json
from functools import cache
from math import prod
from pathlib import Path
from typing import Any

from independent import constants as c
from independent import encoding, group, messages, proofs
from independent.epochs import Evidence, Needs
from independent.group import BASE, CHAIN_GENERATOR, SECOND_GENERATOR, multiply, scalar_bytes
from independent.proofs import response_point, xor
from independent.tree import Tree
from independent.verifier import Verdict, Verification

VECTORS = Path(__file__).parent.parent / "vectors"
WORKED = json.loads((VECTORS / "worked.json").read_text("utf-8"))
BLOCKS = json.loads((VECTORS / "crypto.json").read_text("utf-8"))["accept"]


def raw(value: Any) -> Any:
    """Return bytes for hexadecimal, also in lists."""
    return [raw(item) for item in value] if isinstance(value, list) else bytes.fromhex(value)


def number(value: str) -> int:
    """Return a scalar that is given as 32 bytes in hexadecimal."""
    found = group.read_scalar(raw(value))
    assert found is not None
    return found


def numbers(values: list[str]) -> list[int]:
    """Return several scalars."""
    return [number(value) for value in values]


def test_escrow() -> None:
    """A choice is sealed by the steps of 7.5."""
    worked, block = WORKED["escrow"], BLOCKS["sealed_choice"]
    assert worked["of"] == "accept.sealed_choice of crypto.json"
    ctx, joint = raw(block["context"]["encoded"]), raw(block["joint_key"])
    choice, nonce, size = raw(block["choice"]), raw(block["nonce"]), worked["size(kind)"]
    committed = encoding.digest("commitment", ctx, choice, nonce)
    opening = nonce + len(choice).to_bytes(2, "big") + choice + bytes(size - len(choice))
    bound = [ctx, joint, BASE, SECOND_GENERATOR, committed]
    r = encoding.hash_scalar("escrow randomness", *bound, opening)
    u, u_bar, hidden = (multiply(r, point) for point in (BASE, SECOND_GENERATOR, joint))
    stream = encoding.expand("escrow kdf", size + 34, hidden, u)
    m = xor(opening, stream)
    s = encoding.hash_scalar("escrow proof nonce", scalar_bytes(r), *bound, m, u, u_bar)
    announced = [multiply(s, BASE), multiply(s, SECOND_GENERATOR)]
    e = encoding.hash_scalar("escrow challenge", *bound, m, u, u_bar, *announced)
    f = (s + r * e) % c.ORDER
    found = {
        "commitment": committed,
        "opening": opening,
        "r": scalar_bytes(r),
        "u": u,
        "u_bar": u_bar,
        "r·Y": hidden,
        "key_stream": stream,
        "m": m,
        "s": scalar_bytes(s),
        "s·B": announced[0],
        "s·G2": announced[1],
        "challenge_e": scalar_bytes(e),
        "response_f": scalar_bytes(f),
        "escrow": u + u_bar + scalar_bytes(e) + scalar_bytes(f) + m,
    }
    assert raw(worked["bound"]) == bound
    assert {name: raw(worked[name]) for name in found} == found
    assert set(worked) == {*found, "rule", "of", "size(kind)", "bound", "share"}
    assert (worked["escrow"], worked["commitment"]) == (block["escrow"], block["commitment"])


def test_escrow_share() -> None:
    """A share of the escrow is checked, and two shares open it, by the steps of 7.5."""
    worked, block = WORKED["escrow"]["share"], BLOCKS["escrow_share"]
    assert worked["of"] == "accept.escrow_share of crypto.json"
    share, escrow, public = raw(block["share"]), raw(block["escrow"]), raw(block["public"])
    point, e, z = share[:32], number(block["share"][64:128]), number(block["share"][128:])
    given = {int(index) - 1: raw(one) for index, one in block["points"].items()}
    combined = proofs.combine(given, len(given))
    stream = encoding.expand("escrow kdf", len(escrow) - 128, combined, escrow[:32])
    answers = response_point(z, BASE, e, public), response_point(z, escrow[:32], e, point)
    found = {
        "T": public,
        "U": point,
        "challenge_e": scalar_bytes(e),
        "response_z": scalar_bytes(z),
        "z·B−e·T": answers[0],
        "z·u−e·U": answers[1],
        "combined_W": combined,
        "key_stream": stream,
        "opening": xor(escrow[128:], stream),
    }
    assert {name: raw(worked[name]) for name in found} == found
    assert set(worked) == {*found, "of"}
    sealed_in = raw(block["sealed_in"]["encoded"])
    bound = proofs.where_sealed(sealed_in, raw(block["joint_key"]), raw(block["commitment"]))
    ctx = raw(block["context"]["encoded"])
    assert e == encoding.hash_scalar("escrow share", ctx, *bound, escrow, public, point, *answers)
    assert worked["opening"] == WORKED["escrow"]["opening"]


@cache
def deck(name: str) -> tuple[list[bytes], list[bytes]]:
    """Return the points a and the points b of a deck of the shuffle."""
    points = raw(BLOCKS["shuffle"][name])
    return points[0::2], points[1::2]


def weighted(weights: list[int], points: list[bytes]) -> bytes:
    """Return the sum of multiples of points."""
    return group.total([multiply(w, point) for w, point in zip(weights, points, strict=True)])


def relations(s: dict[str, Any], chain: list[bytes], joint: bytes) -> list[bytes]:
    """Return t1 to t̂_i of 7.2 for some responses, without what is subtracted c times."""
    generators = group.shuffle_generators(len(chain))
    after_a, after_b = deck("after")
    links = zip(s["ŝ"], s["s'"], [CHAIN_GENERATOR, *chain[:-1]], strict=True)
    return [
        multiply(s["s1"], BASE),
        multiply(s["s2"], BASE),
        group.total([multiply(s["s3"], BASE), weighted(s["s'"], generators)]),
        group.subtract(weighted(s["s'"], after_a), multiply(s["s4"], BASE)),
        group.subtract(weighted(s["s'"], after_b), multiply(s["s4"], joint)),
        *[group.add(multiply(x, BASE), multiply(y, last)) for x, y, last in links],
    ]


def responses(values: dict[str, Any]) -> dict[str, Any]:
    """Return s1 to s'_i of 7.2 as numbers."""
    found = {name: number(values[name]) for name in ("s1", "s2", "s3", "s4")}
    return {**found, "ŝ": numbers(values["ŝ"]), "s'": numbers(values["s'"])}


def test_check_of_a_shuffle() -> None:
    """A shuffle is checked by the steps of 7.2."""
    worked, block = WORKED["shuffle"], BLOCKS["shuffle"]
    assert worked["of"] == "accept.shuffle of crypto.json"
    proof, check = worked["proof"], worked["check"]
    n, joint = len(block["order"]), raw(block["joint_key"])
    permuted, chain = raw(proof["C"]), raw(proof["Ĉ"])
    scalars = [proof[name] for name in ("c", "s1", "s2", "s3", "s4")]
    words = [*scalars, *proof["ŝ"], *proof["s'"], *proof["C"], *proof["Ĉ"]]
    assert "".join(words) == block["proof"]
    generators = group.shuffle_generators(n)
    head = [raw(block["context"]["encoded"]), joint, BASE, CHAIN_GENERATOR, encoding.u64(n)]
    decks = [*raw(block["before"]), *raw(block["after"])]
    sigma = encoding.digest("shuffle statement", *head, *generators, *decks, *permuted)
    weights = [encoding.hash_scalar("shuffle weight", sigma, encoding.u64(i)) for i in range(n)]
    product = prod(weights) % c.ORDER
    rest = group.subtract(group.total(permuted), group.total(generators))
    e = number(proof["c"])
    owed = [
        rest,
        group.subtract(chain[-1], multiply(product, CHAIN_GENERATOR)),
        weighted(weights, permuted),
        weighted(weights, deck("before")[0]),
        weighted(weights, deck("before")[1]),
        *chain,
    ]
    answered = relations(responses(proof), chain, joint)
    t = [group.subtract(one, multiply(e, own)) for one, own in zip(answered, owed, strict=True)]
    assert raw(check["σ"]) == sigma
    assert (numbers(check["u"]), number(check["Πu"])) == (weights, product)
    assert raw(check["ΣC−Σh"]) == rest
    assert raw([check[name] for name in ("t1", "t2", "t3", "t4a", "t4b")]) == t[:5]
    assert raw(check["t̂"]) == t[5:]
    assert e == encoding.hash_scalar("shuffle challenge", sigma, *chain, *t)
    assert number(check["challenge"]) == e


def test_proof_of_a_shuffle() -> None:
    """What the prover drew gives its commitments, announcement and responses by 7.2."""
    worked, block = WORKED["shuffle"], BLOCKS["shuffle"]
    proof, check, prove = worked["proof"], worked["check"], worked["prove"]
    order, n, joint = prove["π"], len(block["order"]), raw(block["joint_key"])
    r, rho, rho_hat = (numbers(prove[name]) for name in ("r", "ρ", "ρ̂"))
    before, after = deck("before"), deck("after")
    for i, source in enumerate(order):
        assert after[0][i] == group.add(before[0][source], multiply(r[i], BASE))
        assert after[1][i] == group.add(before[1][source], multiply(r[i], joint))
        point = group.add(group.shuffle_generators(n)[i], multiply(rho[source], BASE))
        assert raw(proof["C"][source]) == point
    weights = numbers(check["u"])
    in_order = [weights[source] for source in order]
    assert numbers(prove["u'"]) == in_order
    last, v = CHAIN_GENERATOR, 0
    for i, weight in enumerate(in_order):
        last = group.add(multiply(rho_hat[i], BASE), multiply(weight, last))
        v = (rho_hat[i] + weight * v) % c.ORDER
        assert raw(proof["Ĉ"][i]) == last
    announced = relations(responses(prove["ω"]), raw(proof["Ĉ"]), joint)
    assert announced == raw(
        [*(check[name] for name in ("t1", "t2", "t3", "t4a", "t4b")), *check["t̂"]]
    )
    witness = {
        "s1": sum(rho) % c.ORDER,
        "s2": v,
        "s3": sum(a * b for a, b in zip(weights, rho, strict=True)) % c.ORDER,
        "s4": sum(a * b for a, b in zip(in_order, r, strict=True)) % c.ORDER,
    }
    assert {name: number(one) for name, one in prove["witness"].items()} == witness
    nonces, answers, e = responses(prove["ω"]), responses(proof), number(proof["c"])
    for name, w in witness.items():
        assert answers[name] == (nonces[name] + e * w) % c.ORDER
    for name, secret in (("ŝ", rho_hat), ("s'", in_order)):
        for nonce, answer, w in zip(nonces[name], answers[name], secret, strict=True):
            assert answer == (nonce + e * w) % c.ORDER


# New epochs.


def place(node: Any) -> dict[str, Any]:
    """Return how a node is named."""
    base = node.base_digest().hex()
    return {"step": node.step, "digest": node.digest.hex(), "base_digest": base}


def height(node: Any) -> tuple[int, bytes]:
    """Return that by which the nodes of a tree are ordered."""
    return node.step, node.digest


def test_new_epochs(subtests: Any) -> None:
    """New-epoch messages lead to their bases by 10.2 to 10.5, turn by turn."""
    worked = WORKED["new_epochs"]
    run = Verification(Verdict())
    evidence = kept_evidence(run, (VECTORS / worked["of"]).read_bytes())
    header = run.header
    assert header.table.hex() == worked["table"]
    assert (run.table.seats, run.table.quorum) == (worked["seats"], worked["quorum"])
    assert [one.epoch for one in run.new_epochs] == [one["epoch"] for one in worked["epochs"]]
    turns = []
    for new_epoch, label in zip(run.new_epochs, worked["epochs"], strict=True):
        with subtests.test(str(new_epoch.epoch)):
            reading = evidence.judge_new_epoch(new_epoch, Needs())
            promises = [evidence.messages[name] for name in new_epoch.promises]
            assert [promise(evidence, one) for one in promises] == label["promises"]
            base, tree = evidence.begin_tree(promises)
            assert (tree.epoch, place(base)) == (label["a"], label["b"])
            contents = evidence.contents(promises, inside=False)
            assert [named(one) for one in contents] == label["contents"]
            nodes = sorted(tree.nodes.values(), key=height)
            assert [branch(tree, node) for node in nodes] == label["tree"]
            faults = evidence.proven(contents, tree, promises, inside=False)
            assert [[seat, code] for seat, code in sorted(faults.items())] == label["F"]
            end, culprits, absent = evidence.follow(tree, promises)
            assert (place(end), sorted(culprits), sorted(absent)) == (
                label["v"],
                label["culprits"],
                label["absent"],
            )
            check_walk(tree, end, promises, label["walk"])
            turns += [turn["then"] for turn in label["walk"]]
            new = reading.base
            evidence.bases[new_epoch.epoch, new.base_digest()] = new
            assert {**place(new), **lists(new), "is_reconfigured": new is not end} == label["base"]
            hashes = list(new_epoch.promises)
            named_by = new_epoch.seat, new_epoch.epoch
            payload = messages.payload_of(header, c.NEW_EPOCH, *named_by, hashes)
            assert encoding.digest("message", payload) == new_epoch.hash
            shown = {"seat": new_epoch.seat, "payload": payload.hex(), "hash": new_epoch.hash.hex()}
            assert shown == label["new_epoch"]
            for kind, name in ((c.PREPARE, "prepare"), (c.COMMIT, "commit")):
                vote = messages.payload_of(header, kind, 0, new_epoch.epoch, new.base_digest())
                assert vote.hex() == label[f"{name}_payload_of_seat_0"]
    assert {turn.split(",")[0] for turn in turns} == {
        "the step with these bodies",
        "the step with ABSENT",
        "the first child that passes",
        "go to 4",
    }


def kept_evidence(run: Verification, data: bytes) -> Evidence:
    """Return the evidence of a file, and leave in `run` what was read of it."""
    found: list[Evidence] = []
    judge = Evidence.judge_new_epoch

    class Kept(Exception):
        """A signal that the first new-epoch message is about to be judged."""

    def keep(self: Evidence, *_: Any) -> Any:
        found.append(self)
        raise Kept

    Evidence.judge_new_epoch = keep
    try:
        run.run(data)
    except Kept:
        pass
    finally:
        Evidence.judge_new_epoch = judge
    return found[0]


def lists(node: Any) -> dict[str, Any]:
    """Return who is present, banned and how often absent at a node."""
    return {
        "present": list(node.present),
        "banned": list(node.banned),
        "absences": list(node.absences),
    }


def named(message: messages.Message) -> dict[str, Any]:
    """Return how the contents name a message."""
    found = {"hash": message.hash.hex(), "kind": message.kind, "seat": message.seat}
    return {**found, "step": message.step} if message.kind == c.STEP_INPUT else found


def promise(evidence: Evidence, message: messages.Message) -> dict[str, Any]:
    """Return the parts of an epoch promise."""
    certificate, timeout = message.certificate, message.timeout
    made = [] if certificate is None else evidence.votes(certificate)
    votes = [[vote.seat, vote.hash.hex()] for vote in made]
    return {
        "seat": message.seat,
        "hash": message.hash.hex(),
        "certificate": certificate
        and {
            "epoch": certificate.epoch,
            "base": certificate.base.hex(),
            "is_committed": certificate.is_committed,
            "votes": votes,
        },
        "inputs": [name.hex() for name in message.inputs],
        "timeout": timeout and [timeout[0], timeout[1], timeout[2].hex()],
        "rejoins": [name.hex() for name in message.rejoins],
        "proofs": [[name.hex() for name in proof] for proof in message.proofs],
    }


def branch(tree: Tree, node: Any) -> dict[str, Any]:
    """Return a node of a tree, with the bodies that are given there and its children."""
    bodies = tree.bodies[node.digest]
    return {
        "step": node.step,
        "digest": node.digest.hex(),
        "bodies": [
            [seat, [encoding.digest("body", body).hex() for body in bodies[seat]]]
            for seat in sorted(bodies)
        ],
        "children": sorted(child.digest.hex() for child in tree.children[node.digest]),
    }


def check_walk(
    tree: Tree, end: Any, promises: list[messages.Message], walk: list[dict[str, Any]]
) -> None:
    """Check each turn of step 3 of 10.5 against the tree, and that the last one leads to the end.

    Args:
        tree: The tree.
        end: The node to which the walk leads.
        promises: The epoch promises.
        walk: The turns.
    """
    node = tree.base
    for turn in walk:
        assert (node.step, node.digest.hex(), node.may_grow) == (turn["step"], turn["digest"], True)
        bodies = tree.bodies[node.digest]
        several = [seat for seat in sorted(bodies) if len(bodies[seat]) > 1]
        missing = [seat for seat in sorted(bodies) if not bodies[seat]]
        claim = (tree.epoch, node.step, node.digest)
        claims = [p.seat for p in promises if p.timeout == claim and p.seat not in missing]
        assert (several, missing, claims) == (turn["several"], turn["missing"], turn["claims"])
        if turn["then"] == "the step with ABSENT, go to 4":
            assert missing
            assert len(claims) > node.table.seats - node.table.quorum
            node = end
        elif turn["then"] == "go to 4":
            assert missing
        else:
            assert not missing
            is_fork = turn["then"] == "the first child that passes"
            assert is_fork == bool(several)
            children = [one.digest.hex() for one in tree.children[node.digest]]
            later = walk[walk.index(turn) + 1]["digest"]
            assert later in children
            node = tree.nodes[bytes.fromhex(later)]
    assert node is end
