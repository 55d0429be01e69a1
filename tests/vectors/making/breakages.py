"""The list of broken files: each made of a sound one by a single change."""

from dataclasses import replace
from typing import Any

from support.forgeries.transcripts import with_entry, with_evidence, with_message
from vectors.making import broken
from vectors.making.broken import (
    ABSENT,
    MAGIC,
    RETURNED,
    Broken,
    changed,
    edited,
    on_bytes,
    other_game,
    outer,
    reversed_part,
    shortened,
    table_of,
    told,
    with_new_epoch,
    with_nickname,
    with_promises,
    with_roster,
    with_terms,
    without_last_body,
)
from vectors.making.crafted import CRAFTED
from vectors.making.decided import DECIDED
from vectors.making.refused import not_asked
from vectors.making.tables import edition_of

from protocol.chain.chain_state import Missing
from protocol.transcript import transcript_format
from protocol.transcript.transcript_format import StepEntry
from protocol.wire.signed_messages import EpochRequest


def _longer(step: object) -> StepEntry:
    assert isinstance(step, StepEntry)
    return StepEntry((*step.slots, Missing.NONE))


def _cut_signature(row: Any) -> Any:
    return ((row[0][0], row[0][1][:63]), *row[1:])


def _evidence_as_a_map(data: bytes) -> bytes:
    return data[: transcript_format.offset_of(transcript_format.open_file(data), (3,))] + b"\x80"


BROKEN: dict[str, Broken] = {
    # What cannot be read.
    "empty-file": Broken("There is not one byte.", "empty", lambda: b"", broken.header_alone),
    "torn-file": on_bytes("The last byte is missing.", "torn", lambda data: data[:-1]),
    "torn-in-the-magic": on_bytes("The file ends within its magic.", "torn", lambda data: data[:9]),
    "other-magic": on_bytes(
        "One letter of the magic is changed.",
        "wrong-magic",
        lambda data: data[:2] + b"H" + data[3:],
    ),
    "other-version": on_bytes(
        "The version is 1, that of an earlier form.",
        "other-version",
        lambda data: data[:MAGIC] + b"\x01" + data[MAGIC + 1 :],
    ),
    # The form.
    "longer-array-head": on_bytes(
        "The head of the content's array takes three bytes where one does.",
        "bad-encoding",
        lambda data: data[: MAGIC + 1] + b"\xdc\x00\x02" + data[MAGIC + 2 :],
    ),
    "byte-after-the-end": on_bytes(
        "One byte follows the end.", "bad-encoding", lambda data: data + b"\xc0"
    ),
    "map-in-the-file": on_bytes(
        "The evidence is a map.",
        "bad-encoding",
        _evidence_as_a_map,
    ),
    "evidence-of-four-lists": outer(
        "The list of inputs to `result` is missing.",
        "bad-form",
        lambda value: (*value[:3], value[3][:4]),
    ),
    "slot-that-is-no-body": outer(
        "A slot holds the number 3.",
        "bad-form",
        lambda v: (*v[:2], (v[2][0], ((0, (3, v[2][1][0][1][1])), *v[2][1][1:])), v[3]),
    ),
    "signature-of-63-bytes": outer(
        "A signature is one byte short.",
        "bad-form",
        lambda v: (*v[:3], ((_cut_signature(v[3][0][0]), *v[3][0][1:]), *v[3][1:])),
    ),
    "step-of-three-slots": edited(
        "A step at a table of two has three slots.",
        "bad-form",
        lambda whole: with_entry(whole, 0, _longer(whole.content.entries[0])),
    ),
    # The header.
    "quorum-of-one": with_terms(
        "The quorum is not more than half of the seats.", "bad-header", 5, 1
    ),
    "other-protocol-version": with_terms(
        "The terms are of another version of the protocol.", "bad-header", 0, "p2p-table/1"
    ),
    "one-player-in-two-seats": told(broken.one_player_twice, "bad-header", broken.header_alone),
    "roster-not-led-by-its-host": with_roster(
        "The first entry of the roster is a guest's.", "bad-header", lambda roster: roster[::-1]
    ),
    "step-timeout-of-less-than-a-second": with_terms(
        "The terms give a choice 999 ms.", "bad-header", 6, (999, 10_000, 3_000, 60_000)
    ),
    "nickname-with-a-comma": with_nickname(
        "A nickname holds a comma, and would read as two.", "Ada,Bob"
    ),
    "nickname-that-shows-nothing": with_nickname(
        "A nickname is one Hangul filler, U+3164, which renders as nothing.", "\u3164"
    ),
    "nickname-with-a-blank-end": with_nickname("A nickname ends in a blank.", "Ada "),
    "roster-exchanged-signatures": with_roster(
        "The two seats' signatures in the roster are exchanged.",
        "bad-signature",
        lambda r: ((*r[0][:3], r[1][3]), (*r[1][:3], r[0][3])),
    ),
    "terms-changed-after-signing": with_terms(
        "A timeout was raised after the seats had signed.",
        "bad-signature",
        6,
        (20_001, 10_000, 3_000, 60_000),
    ),
    "identity-outside-the-group": told(
        broken.key_outside_the_group, "bad-header", lambda: broken.key_outside_the_group(False)
    ),
    "identity-plus-order-two": told(
        broken.key_plus_order_two, "bad-header", lambda: broken.key_plus_order_two(False)
    ),
    "another-game": other_game(
        "The terms name another game.",
        (("chess", 1), edition_of("small-4").canonical(), "confrontation"),
    ),
    "no-edition": other_game(
        "The edition is no edition.", (("hoity-toity", 1), b"\x90", "confrontation")
    ),
    "two-seats-without-a-variant": other_game(
        "Two seats play no variant.", (("hoity-toity", 1), edition_of("small-4").canonical(), "")
    ),
    # Signatures.
    "body-without-a-signature": edited(
        "The last step's signatures are missing.",
        "missing-signature",
        lambda whole: with_evidence(whole, signatures=whole.evidence.signatures[:-1]),
    ),
    "signatures-exchanged": changed(broken.signatures_exchanged, "bad-signature"),
    "signature-that-holds-with-the-cofactor": changed(
        broken.signed_with_the_cofactor, "bad-signature"
    ),
    "signature-with-r-plus-order-two": changed(broken.signed_with_order_two, "bad-signature"),
    "signature-with-r-the-identity": changed(broken.signed_with_the_identity, "bad-signature"),
    "body-changed": changed(broken.other_body, "bad-signature"),
    "body-of-an-epoch-never-reached": changed(broken.later_epoch, "bad-epoch"),
    "prepare-votes-for-commit-votes": changed(
        broken.committed_by_prepares, "bad-signature", ABSENT
    ),
    "epoch-request-for-a-new-epoch": with_new_epoch(
        "An epoch request stands where a new-epoch message belongs.",
        "bad-message",
        1,
        lambda proposal: EpochRequest(proposal.epoch),
    ),
    "message-of-another-table": changed(broken.of_another_table, "bad-message", ABSENT),
    "messages-backwards": edited(
        "The messages are by falling hash.", "bad-order", reversed_part("messages"), ABSENT
    ),
    "commit-votes-backwards": edited(
        "The seals are by falling seat.", "bad-order", reversed_part("commits"), ABSENT
    ),
    "last-inputs-backwards": edited(
        "The inputs to `result` are by falling seat.", "bad-order", reversed_part("final")
    ),
    # The chain.
    "body-left-out": without_last_body(
        "The last body is left out.", "incomplete-step", Missing.NONE
    ),
    "absence-made-up": without_last_body(
        "The last body is replaced by ABSENT.", "unjustified-absence", Missing.ABSENT
    ),
    "fault-made-up": without_last_body(
        "The last body is replaced by FAULT.", "unjustified-fault", Missing.FAULT
    ),
    "absence-made-up-after-a-true-one": changed(
        broken.later_absence, "unjustified-absence", ABSENT, broken.unfinished
    ),
    "absence-called-a-fault": changed(
        broken.other_slot, "unjustified-fault", ABSENT, broken.up_to_the_reconfiguration
    ),
    "reconfiguration-made-up": changed(
        broken.forged_reconfiguration, "unjustified-reconfiguration", sound=broken.unfinished
    ),
    "absent-seat-called-banned": changed(
        broken.other_reconfiguration,
        "unjustified-reconfiguration",
        ABSENT,
        broken.up_to_the_reconfiguration,
    ),
    "body-of-a-seat-not-asked": told(not_asked, "not-expected", lambda: not_asked(False)),
    # Bases.
    "new-epochs-without-promises": edited(
        "The messages that the new-epoch message needs are missing.",
        "missing-evidence",
        shortened("messages", 0),
        ABSENT,
    ),
    "first-new-epoch-missing": edited(
        "The new-epoch message of epoch 1, on which the quorum certificate of epoch 2 "
        "rests, is missing.",
        "missing-evidence",
        lambda whole: with_evidence(whole, new_epochs=whole.evidence.new_epochs[1:]),
        RETURNED,
    ),
    "new-epoch-by-another-seat": with_new_epoch(
        "Seat 0 signs the new-epoch message of epoch 1.", "bad-base", 0, lambda proposal: proposal
    ),
    "new-epoch-of-one-promise": with_new_epoch(
        "The new-epoch message names one epoch promise where the quorum is two.",
        "bad-base",
        1,
        lambda proposal: replace(proposal, promises=proposal.promises[:1]),
    ),
    "new-epoch-of-promises-by-falling-seat": with_new_epoch(
        "The new-epoch message names its epoch promises by falling seat.",
        "bad-base",
        1,
        lambda proposal: replace(proposal, promises=proposal.promises[::-1]),
    ),
    "promise-without-its-own-inputs-in-a-new-epoch": Broken(
        "Seat 0's epoch promise lists no inputs, and seat 1's lists inputs of seat 0.",
        "bad-base",
        with_promises(ABSENT, 1, lambda s, h: h if s else replace(h, inputs=())),
        with_promises(ABSENT, 1),
    ),
    "step-timeout-that-nobody-lost": Broken(
        "No epoch promise claims the step timeout, so nobody is absent.",
        "unjustified-absence",
        with_promises(ABSENT, 1, lambda _, promise: replace(promise, timeout=None)),
        with_promises(ABSENT, 1),
    ),
    "chain-short-of-its-base": changed(
        broken.before_reconfiguration, "bad-base", ABSENT, broken.up_to_the_reconfiguration
    ),
    "commit-votes-of-fewer-than-a-quorum": edited(
        "One seal of the last base is missing.", "missing-votes", shortened("commits", 1), ABSENT
    ),
    **CRAFTED,
    **DECIDED,
    # What is too much, or lacks.
    "message-that-nothing-needs": edited(
        "An epoch request is among the messages.",
        "left-over",
        lambda whole: with_message(
            table_of(ABSENT), whole, table_of(ABSENT).sign(0, EpochRequest(1))
        ),
        ABSENT,
    ),
    "signature-of-no-body": changed(broken.twice_signed, "left-over"),
    "last-input-of-an-absent-seat": changed(broken.absent_end, "left-over", ABSENT),
    "last-input-missing": edited(
        "One present seat's input to `result` is missing.", "not-final", shortened("final", 1)
    ),
    "no-last-inputs": edited("Nothing makes the end final.", "not-final", shortened("final", 0)),
    "chain-without-its-end": changed(broken.without_last_steps, "not-final"),
}
"""Name to file."""
