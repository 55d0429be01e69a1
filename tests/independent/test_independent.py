"""Every vector, judged by the verifier in this folder."""

import ast
import base64
import hashlib
import json
import sys
from pathlib import Path
from typing import Any

import nacl.bindings as sodium
import pytest
from support.sampling import sample

from independent import constants as c
from independent import encoding, group, messages, proofs
from independent.bodies import owes_opening
from independent.certificate import CertificateError, make_certificate, read_certificate
from independent.chain import Node
from independent.file_form import read_file
from independent.forged_certificates import all_certificates, replaced
from independent.header import read_header
from independent.verifier import Verdict, verify

HERE = Path(__file__).parent
VECTORS = HERE.parent / "vectors"
SLOT_NAMES = {c.NONE: "NONE", c.ABSENT: "ABSENT", c.FAULT: "FAULT"}


def load(path: str) -> Any:
    """Return the value of a JSON file of the vectors."""
    return json.loads((VECTORS / path).read_text("utf-8"))


def raw(value: Any) -> Any:
    """Return a decoded value of the vectors with bytes where it has hexadecimal behind 0x."""
    if isinstance(value, list):
        return [raw(item) for item in value]
    if isinstance(value, str) and value.startswith("0x"):
        return bytes.fromhex(value[2:])
    return value


def chain_of(verdict: Verdict) -> list[Node]:
    """Return the nodes of the chain that was walked, without the first."""
    nodes = []
    node = verdict.end
    while node.parent is not None:
        nodes.append(node)
        node = node.parent
    return nodes[::-1]


# Whole files.


def judgement(verdict: Verdict, label: dict[str, Any]) -> dict[str, Any]:
    """Return those fields of a verdict that a label has."""
    problem = verdict.problem and dict(zip(("code", "step", "seat"), verdict.problem, strict=True))
    fields = {
        "verdict": verdict.verdict,
        "problem": problem,
        "faults": [dict(zip(("seat", "step", "code"), f, strict=True)) for f in verdict.faults],
        "table": verdict.table,
        "digest": verdict.digest,
        "steps": verdict.steps,
        "last_epoch": verdict.last_epoch,
        "standings": [list(place) for place in verdict.standings],
    }
    return {name: value for name, value in fields.items() if name in label}


def expectation(label: dict[str, Any]) -> dict[str, Any]:
    """Return what a verdict has to be by a label; parts and offsets bind nobody ([Y-1])."""
    names = ("verdict", "problem", "faults", "table", "digest", "steps", "last_epoch", "standings")
    fields = {name: label[name] for name in names if name in label}
    if fields["problem"]:
        fields["problem"] = {name: fields["problem"][name] for name in ("code", "step", "seat")}
    return fields


def owes_by_itself(node: Node, seat: int) -> bool:
    """Return whether a label lists a seat under `owes`: it owes a choice, after the deal."""
    if node.step <= node.table.setup_steps + 1:
        return False
    return seat in node.wants.owing or owes_opening(node, seat)


def traced(node: Node) -> dict[str, Any]:
    """Return how a label describes the step that made a node."""
    before, wants = node.parent, node.parent.wants
    slots = [len(slot) if isinstance(slot, bytes) else SLOT_NAMES[slot] for slot in node.made_by]
    return {
        "step": before.step,
        "kind": wants.step,
        "choice": wants.kind,
        "speakers": list(before.speakers),
        "owes": [s for s in before.speakers if owes_by_itself(before, s)],
        "opens": [list(pair) for pair in wants.lacks],
        "slots": slots,
        "digest": node.digest.hex(),
    }


def certified(data: bytes, verdict: Verdict) -> str | None:
    """Return the certificate of a file in hexadecimal, None if the file is not `ok` (17)."""
    if verdict.verdict != "ok":
        return None
    return make_certificate(read_file(data), verdict.end, verdict.last_epoch).hex()


def judge_folder(folder: str, quick: int, subtests: Any) -> None:
    """Judge labelled files of a folder: so many of them in the quick suite."""
    paths = sorted((VECTORS / folder).glob("*.hoity"))
    assert paths
    for path in sample(paths, quick, f"judged by the independent verifier: {folder}"):
        with subtests.test(path.stem):
            label = load(f"{folder}/{path.stem}.json")
            data = path.read_bytes()
            verdict = verify(data)
            if "certificate" in label:
                assert certified(data, verdict) == label["certificate"]
            assert judgement(verdict, label) == expectation(label)
            if "chain" in label:
                made = [traced(node) for node in chain_of(verdict) if node.made_by]
                steps = [step for step in label["chain"] if "step" in step]
                assert len(made) == len(steps)
                for step, expected in zip(made, steps, strict=True):
                    assert step == {name: expected.get(name, []) for name in step}


def test_transcripts(subtests: Any) -> None:
    """Whole games come out as their labels say, step for step."""
    judge_folder("transcripts", 3, subtests)


def test_failures(subtests: Any) -> None:
    """Each faulty file has its problem or its faults."""
    judge_folder("failures", 12, subtests)


BY_EACH_KIND = ("esc-place-garbage", "more-result-said-badly")
"""A file whose certificate has step inputs, and one whose certificate has commit votes."""


def test_judged(subtests: Any) -> None:
    """Files that only faulty seats could have signed get the verdict of two implementations."""
    verdicts = load("judged/verdicts.json")
    assert set(verdicts) == {path.stem for path in (VECTORS / "judged").glob("*.hoity")}
    kinds = set()
    some = sample(verdicts, 10, "judged by the independent verifier")
    for name in sorted({*BY_EACH_KIND, *some}):
        expected = verdicts[name]
        with subtests.test(name):
            data = (VECTORS / "judged" / f"{name}.hoity").read_bytes()
            verdict = verify(data)
            certificate = certified(data, verdict)
            if certificate is not None:
                made = bytes.fromhex(certificate)
                kinds.add(encoding.decode(made)[5])
                shown = read_certificate(made).standings
                assert list(shown) == sorted(verdict.standings)
            problem = list(verdict.problem) if verdict.problem else None
            faults = [list(fault) for fault in verdict.faults]
            assert verdict.verdict == expected["verdict"]
            assert (problem, faults) == (expected["problem"], expected["faults"])
    assert kinds == {c.STEP_INPUT, c.COMMIT}


def test_example() -> None:
    """The game on the first page of SPEC is sound."""
    verdict = verify((VECTORS / "example.hoity").read_bytes())
    page = (HERE.parents[1] / "SPEC.md").read_text("utf-8")
    assert verdict.verdict == "ok"
    assert verdict.standings == [(1, 0), (2, 1)]
    assert f"Table id `{verdict.table}`" in page
    assert f"digest `{verdict.digest}`" in page


def test_too_large_file() -> None:
    """A file above the limit is refused before it is read."""
    label = load("failures/too-large-file.json")
    verdict = verify(bytes.fromhex(label["repeat"]) * label["times"])
    assert (verdict.verdict, verdict.problem) == (label["verdict"], (label["code"], None, None))


def test_bounds(subtests: Any) -> None:
    """Files on either side of each bound of a file are judged as their labels say."""
    cases = load("bounds.json")
    assert cases
    for name in sample(cases, 12, "bounds judged by the independent verifier"):
        with subtests.test(name):
            case = cases[name]
            data = b"".join(bytes.fromhex(part) * times for part, times in case["parts"])
            verdict = verify(data)
            problem = verdict.problem and list(verdict.problem)
            assert [verdict.verdict, problem] == [case["verdict"], case["problem"]]


def test_any_bytes() -> None:
    """A file cut short or changed anywhere is never sound, and always gets a verdict ([V-12])."""
    data = (VECTORS / "example.hoity").read_bytes()
    for place in range(0, len(data), 151):
        assert verify(data[:place]).problem[0] in ("empty", "torn")
        changed = data[:place] + bytes([data[place] ^ 1]) + data[place + 1 :]
        assert verify(changed).verdict != "ok"


# Result certificates.


def certificate_code(data: bytes) -> str | None:
    """Return the code with which a certificate is rejected, None if it is accepted."""
    try:
        read_certificate(data)
    except CertificateError as error:
        return str(error)
    return None


def test_certificates_of_labels(subtests: Any) -> None:
    """The certificate of each label shows the result of its file, and no other one."""
    paths = sorted((VECTORS / "transcripts").glob("*.json"))
    labels = {path.stem: load(f"transcripts/{path.name}") for path in paths}
    certified = {name: label for name, label in labels.items() if label.get("certificate")}
    assert certified
    for name, label in certified.items():
        with subtests.test(name):
            data = bytes.fromhex(label["certificate"])
            shown = read_certificate(data)
            value = encoding.decode(data)
            assert (shown.table.hex(), shown.digest.hex()) == (label["table"], label["digest"])
            assert [list(place) for place in shown.standings] == sorted(label["standings"])
            assert value[5] in (c.STEP_INPUT, c.COMMIT)
            assert label["last_epoch"] == value[4]
            for place, forged in enumerate([bytes(32), value[3][1] + 1]):
                end = replaced(value[3], place, forged)
                changed = encoding.encode(replaced(value, 3, end))
                assert certificate_code(changed) == "bad-signature"


def test_forged_certificates(subtests: Any) -> None:
    """Each forged certificate is rejected with the code of the first check that it fails."""
    for name, (data, code) in all_certificates().items():
        with subtests.test(name):
            assert certificate_code(data) == code


# Single messages.


def test_message_failures(subtests: Any) -> None:
    """Single messages are refused with their code; other frames concern no verifier."""
    for path in sorted((VECTORS / "failures").glob("*.json")):
        label = load(f"failures/{path.name}")
        if label.get("kind") != "message":
            continue
        with subtests.test(path.stem):
            table, ids = bytes.fromhex(label["table"]), [bytes.fromhex(x) for x in label["ids"]]
            with pytest.raises(messages.MessageError) as error:
                messages.read_message(bytes.fromhex(label["bytes"]), table, ids)
            assert str(error.value) == label["code"]


def test_header() -> None:
    """The header of `messages.json` reads as it says there."""
    label = load("messages.json")["header"]
    encoded = bytes.fromhex(label["encoded"])
    header = read_header(encoded)
    terms, _ = encoding.decode(encoded)
    assert header.table.hex() == label["table"]
    assert [identity.hex() for identity in header.ids] == [seat["id"] for seat in label["roster"]]
    assert encoding.encode(terms).hex() == label["terms"]["encoded"]
    assert encoding.digest("terms", encoding.encode(terms)).hex() == label["terms"]["digest"]
    for seat in label["roster"]:
        signed = encoding.framed(c.label("sign seat")) + bytes.fromhex(seat["statement"])
        assert signed.hex() == seat["signed"]


def test_statements(subtests: Any) -> None:
    """Each kind of message is made and read as `messages.json` says."""
    vectors = load("messages.json")
    header = read_header(bytes.fromhex(vectors["header"]["encoded"]))
    for label in vectors["statements"]:
        with subtests.test(label["hash"]):
            kind, seat = label["kind"], label["seat"]
            payload = messages.payload_of(header, kind, seat, *raw(label["fields"]))
            name = c.MESSAGE_LABELS[kind]
            read = messages.read_message(bytes.fromhex(label["envelope"]), header.table, header.ids)
            assert payload.hex() == label["payload"]
            assert c.label(name).decode() == label["label"]
            assert (encoding.framed(c.label(name)) + payload).hex() == label["signed"]
            assert (read.kind, read.seat, read.hash.hex()) == (kind, seat, label["hash"])
            assert list(read.identity) == label["identity"]


def test_bodies() -> None:
    """Each kind of body has one encoding."""
    for label in load("messages.json")["bodies"]:
        value = encoding.decode(bytes.fromhex(label["body"]))
        assert value == raw(label["decoded"])
        assert encoding.encode(value).hex() == label["body"]


def test_digests_of_a_chain() -> None:
    """Every step, reconfiguration and base of one game has its digest."""
    vectors = load("messages.json")
    nodes = chain_of(verify((VECTORS / vectors["example"]).read_bytes()))
    assert len(nodes) == len(vectors["chain"])
    for node, label in zip(nodes, vectors["chain"], strict=True):
        assert node.parent.digest.hex() == label["before"]
        assert node.digest.hex() == label["digest"]
        assert node.base_digest().hex() == label["base_digest"]


# Building blocks.


CRYPTO = load("crypto.json")


def read_context(label: dict[str, Any]) -> bytes:
    """Return the context that a vector names."""
    table = bytes.fromhex(label["table"])
    ctx = encoding.context(table, label["step"], label["seat"], label["kind"])
    assert ctx.hex() == label["encoded"]
    return ctx


def block_is_valid(block: str, label: dict[str, Any]) -> bool:
    """Return whether a building block verifies."""

    def points(name: str) -> tuple[bytes, ...]:
        return tuple(bytes.fromhex(item) for item in label[name])

    def data(name: str) -> bytes:
        return bytes.fromhex(label[name])

    if block == "signature":
        public, message, signature = data("public"), data("message"), data("signature")
        is_whole = len(signature) == 64 and group.is_point(public)
        return is_whole and group.verifies(public, message, signature)
    ctx = read_context(label["context"])
    if block == "key_proof":
        return proofs.key_proof_is_valid(ctx, data("public"), data("proof"))
    if block == "card_shares":
        if not all(group.is_point(share) for share in points("shares")):
            return False
        joint, public = data("joint_key"), data("public")
        bases, shares = points("bases"), points("shares")
        return proofs.share_proof_is_valid(ctx, joint, public, bases, shares, data("proof"))
    if block == "shuffle":
        before, after = points("before"), points("after")
        return proofs.shuffle_is_valid(ctx, data("joint_key"), before, after, data("proof"))
    if block == "sealed_choice":
        size = len(data("opening")) - 34
        committed = data("commitment")
        return proofs.escrow_is_valid(ctx, data("joint_key"), committed, data("escrow"), size)
    if block == "escrow_share":
        sealed_in = read_context(label["sealed_in"])
        where = proofs.where_sealed(sealed_in, data("joint_key"), data("commitment"))
        public = proofs.evaluate(list(points("vector")), label["index"] - 1)
        assert public == data("public")
        return proofs.escrow_share_is_valid(ctx, where, data("escrow"), public, data("share"))
    key_share = proofs.open_key_share(ctx, data("sealed"), data("public"), data("secret"))
    return key_share == data("piece")


def test_plain_values() -> None:
    """Hashes, points, encodings and signatures come out the same."""
    plain = CRYPTO["plain"]
    assert encoding.digest("message", b"abc", b"").hex() == plain["digest(message, 'abc', '')"]
    number = encoding.hash_scalar("message", b"abc")
    assert group.scalar_bytes(number).hex() == plain["hash_to_scalar(message, 'abc')"]
    expanded = encoding.expand("escrow kdf", 100, b"key")
    assert expanded.hex() == plain["expand(escrow-kdf, 100, 'key')"]
    cards = [group.card_point(i).hex() for i in range(len(plain["card points"]))]
    assert cards == plain["card points"]
    generators = [
        point.hex() for point in group.shuffle_generators(len(plain["shuffle generators"]))
    ]
    assert generators == plain["shuffle generators"]
    assert plain["chain generator"] == group.CHAIN_GENERATOR.hex()
    assert plain["second generator"] == group.SECOND_GENERATOR.hex()
    whole = bytes.fromhex(plain["encoding of all kinds"])
    assert encoding.encode(encoding.decode(whole)) == whole


def test_identity() -> None:
    """A key has its fingerprint, and its signature is valid."""
    label = CRYPTO["plain"]["identity"]
    public, secret = sodium.crypto_sign_seed_keypair(bytes.fromhex(label["seed"]))
    assert public.hex() == label["public"]
    text = base64.b32encode(encoding.digest("fingerprint", public)).decode()[:20]
    assert "-".join(text[i : i + 4] for i in range(0, 20, 4)) == label["fingerprint"]
    assert c.label("sign step input").decode() == label["label"]
    data, signature = bytes.fromhex(label["data"]), bytes.fromhex(label["signature"])
    signed = encoding.framed(c.label("sign step input")) + data
    assert sodium.crypto_sign(signed, secret)[:64] == signature
    assert group.signature_is_valid("sign step input", public, data, signature)


def test_hash_to_group() -> None:
    """Each point is found at its last try."""
    names = {c.label(name).decode(): name for name in c.LABELS}
    for label in CRYPTO["hash_to_group"]:
        parts = [[bytes.fromhex(part) for part in trial["parts"]] for trial in label["tries"]]
        for counter, trial in enumerate(parts):
            assert trial == [*parts[0][:-1], encoding.u64(counter)]
        point = group.hash_to_group(names[label["label"]], *parts[0][:-1])
        assert point.hex() == label["point"]


def test_hashes_behind_the_blocks() -> None:
    """Every hash that went into a block is that of its framed parts."""
    for label in CRYPTO["accept"].values():
        for made in label["made_by"]["hashes"]:
            parts = [made["label"].encode(), *(bytes.fromhex(part) for part in made["parts"])]
            assert hashlib.sha512(encoding.framed(*parts)).hexdigest() == made["sha512"]


@pytest.mark.parametrize("block", CRYPTO["accept"])
def test_accepted_blocks(block: str) -> None:
    """Each building block verifies."""
    assert block_is_valid(block, CRYPTO["accept"][block])


def test_rejected_blocks(subtests: Any) -> None:
    """A building block with something replaced does not verify."""
    for label in CRYPTO["reject"]:
        block = label["block"]
        with subtests.test(f"{block}, {label['name']}"):
            assert not block_is_valid(block, {**CRYPTO["accept"][block], **label["replace"]})


def test_sealed_choice() -> None:
    """A commitment and its escrow follow from choice and nonce."""
    label = CRYPTO["accept"]["sealed_choice"]
    ctx = read_context(label["context"])
    choice, nonce, joint = (bytes.fromhex(label[x]) for x in ("choice", "nonce", "joint_key"))
    committed = proofs.commitment(ctx, choice, nonce)
    size = len(label["opening"]) // 2 - 34
    assert committed.hex() == label["commitment"]
    escrow = proofs.make_escrow(ctx, joint, committed, choice, nonce, size)
    assert escrow.hex() == label["escrow"]


def test_opened_escrow() -> None:
    """The shares of a quorum open an escrow."""
    label = CRYPTO["accept"]["escrow_share"]
    given = {int(index) - 1: bytes.fromhex(point) for index, point in label["points"].items()}
    weights = [group.scalar_bytes(w).hex() for w in proofs.combine_weights(sorted(given))]
    assert weights == list(label["lagrange"].values())
    combined = proofs.combine(given, len(given))
    assert combined.hex() == label["combined"]
    assert proofs.open_escrow(bytes.fromhex(label["escrow"]), combined).hex() == label["opening"]


# This folder.


def test_imports() -> None:
    """Nothing here is of the product: only PyNaCl, msgpack and the standard library.

    The tests also draw samples as other tests do.
    """
    allowed = {"independent", "msgpack", "nacl", "pytest"} | sys.stdlib_module_names
    for path in HERE.glob("*.py"):
        for statement in ast.walk(ast.parse(path.read_text("utf-8"))):
            names = []
            if isinstance(statement, ast.Import):
                names = [alias.name for alias in statement.names]
            elif isinstance(statement, ast.ImportFrom):
                assert statement.level <= 1
                names = [] if statement.level else [statement.module]
            ours = set(names) - {"support.sampling"}
            assert {name.split(".")[0] for name in ours} <= allowed, path.name
