"""The list of broken files: each made of a sound one by a single change."""

from dataclasses import replace

from support.forgeries.transcripts import with_entry, with_evidence
from vectors.making import broken
from vectors.making.broken import (
    ABSENT,
    MAGIC,
    RETURNED,
    TWO,
    Broken,
    edited,
    on_bytes,
    other_game,
    outer,
    reversed_part,
    shortened,
    signed,
    with_close,
    with_halts,
    with_message,
    with_roster,
    with_terms,
)
from vectors.making.crafted import CRAFTED
from vectors.making.refused import not_asked
from vectors.making.tables import edition_of

from protocol.chain.state import Missing
from protocol.transcript.format import Step
from protocol.wire.messages import Late

UNREADABLE = {
    "empty-file": Broken("There is not one byte.", "empty", lambda: b""),
    "torn-file": Broken("The last byte is missing.", "torn", on_bytes(lambda data: data[:-1])),
    "torn-in-the-magic": Broken(
        "The file ends within its magic.", "torn", on_bytes(lambda data: data[:9])
    ),
    "other-magic": Broken(
        "One letter of the magic is changed.",
        "wrong-magic",
        on_bytes(lambda data: data[:2] + b"H" + data[3:]),
    ),
    "other-version": Broken(
        "The version is 1, that of an earlier form.",
        "other-version",
        on_bytes(lambda data: data[:MAGIC] + b"\x01" + data[MAGIC + 1 :]),
    ),
}

FORM = {
    "longer-array-head": Broken(
        "The head of the content's array takes three bytes where one does.",
        "bad-encoding",
        on_bytes(lambda data: data[: MAGIC + 1] + b"\xdc\x00\x02" + data[MAGIC + 2 :]),
    ),
    "byte-after-the-end": Broken(
        "One byte follows the end.", "bad-encoding", on_bytes(lambda data: data + b"\xc0")
    ),
    "map-in-the-file": Broken(
        "The evidence is a map.",
        "bad-encoding",
        on_bytes(lambda data: b"\x94" + data[1:MAGIC] + b"\x02\x92\xc4\x00\x90\x80"),
    ),
    "evidence-of-four-lists": Broken(
        "The list of last says is missing.",
        "bad-form",
        outer(lambda value: (*value[:3], value[3][:4])),
    ),
    "slot-that-is-no-body": Broken(
        "A slot holds the number 3.",
        "bad-form",
        outer(lambda v: (*v[:2], (v[2][0], ((0, (3, 3)), *v[2][1][1:])), v[3])),
    ),
    "signature-of-63-bytes": Broken(
        "A signature is one byte short.",
        "bad-form",
        outer(lambda v: (*v[:3], ((((0, v[3][0][0][0][1][:63]),), *v[3][0][1:]), *v[3][1:]))),
    ),
    "step-of-three-slots": Broken(
        "A step at a table of two has three slots.",
        "bad-form",
        edited(TWO, lambda whole: with_entry(whole, 0, _longer(whole.content.entries[0]))),
    ),
}


def _longer(step: object) -> Step:
    assert isinstance(step, Step)
    return Step((*step.slots, Missing.NONE))


HEADER = {
    "quorum-of-one": Broken(
        "The quorum is not more than half of the seats.",
        "bad-header",
        edited(TWO, with_terms(5, 1)),
    ),
    "other-protocol-version": Broken(
        "The terms speak another version of the protocol.",
        "bad-header",
        edited(TWO, with_terms(0, "p2p-table/1")),
    ),
    "one-player-in-two-seats": Broken(
        "The roster names one identity twice.",
        "bad-header",
        edited(TWO, with_roster(lambda roster: (roster[0], roster[0]))),
    ),
    "roster-not-led-by-its-host": Broken(
        "The first entry of the roster is a guest's.",
        "bad-header",
        edited(TWO, with_roster(lambda roster: roster[::-1])),
    ),
    "patience-of-less-than-a-second": Broken(
        "The terms give a choice 999 ms.",
        "bad-header",
        edited(TWO, with_terms(6, (999, 5000, 1000, 60000))),
    ),
    "nickname-with-a-comma": Broken(
        "A nickname holds a comma, and would read as two.",
        "bad-header",
        edited(TWO, with_roster(lambda r: ((r[0][0], "Ada,Bob", *r[0][2:]), r[1]))),
    ),
    "nickname-that-shows-nothing": Broken(
        "A nickname is one Hangul filler, U+3164, which renders as nothing.",
        "bad-header",
        edited(TWO, with_roster(lambda r: ((r[0][0], "\u3164", *r[0][2:]), r[1]))),
    ),
    "nickname-with-a-blank-end": Broken(
        "A nickname ends in a blank.",
        "bad-header",
        edited(TWO, with_roster(lambda r: ((r[0][0], "Ada ", *r[0][2:]), r[1]))),
    ),
    "roster-exchanged-signatures": Broken(
        "The two seats' signatures in the roster are exchanged.",
        "bad-signature",
        edited(TWO, with_roster(lambda r: ((*r[0][:3], r[1][3]), (*r[1][:3], r[0][3])))),
    ),
    "terms-changed-after-signing": Broken(
        "The patience was raised after the seats had signed.",
        "bad-signature",
        edited(TWO, with_terms(6, (20_001, 10_000, 3_000, 60_000))),
    ),
    "another-game": Broken(
        "The terms name another game.",
        "bad-game",
        other_game(("chess", 1, b"", "")),
    ),
    "no-edition": Broken(
        "The edition is no edition.",
        "bad-game",
        other_game(("hoity-toity", 1, b"\x90", "confrontation")),
    ),
    "two-seats-without-a-variant": Broken(
        "Two seats play no variant.",
        "bad-game",
        other_game(("hoity-toity", 1, edition_of("small-4").canonical(), "")),
    ),
}

SIGNATURES = {
    "body-without-a-signature": Broken(
        "The last step's signatures are missing.",
        "missing-signature",
        edited(TWO, lambda whole: with_evidence(whole, signatures=whole.evidence.signatures[:-1])),
    ),
    "signatures-exchanged": Broken(
        "The two signatures of step 1 are exchanged.",
        "bad-signature",
        edited(TWO, broken.signatures_exchanged),
    ),
    "body-changed": Broken(
        "One bit of a body of the deal is changed.",
        "bad-signature",
        edited(TWO, broken.other_body),
    ),
    "body-of-an-epoch-never-reached": Broken(
        "A body of step 1 is signed in epoch 1, and there is no close.",
        "bad-epoch",
        edited(TWO, broken.later_epoch),
    ),
    "accepts-for-seals": Broken(
        "The votes for the last base are accepts.",
        "bad-signature",
        edited(ABSENT, broken.sealed_by_accepts),
    ),
    "late-for-a-close": Broken(
        "A late stands where a close belongs.",
        "bad-message",
        edited(ABSENT, with_close(1, lambda close: Late(close.epoch))),
    ),
    "message-of-another-table": Broken(
        "A message is signed for another table.",
        "bad-message",
        edited(ABSENT, broken.of_another_table),
    ),
    "messages-backwards": Broken(
        "The messages are by falling hash.",
        "bad-order",
        edited(ABSENT, reversed_part("messages")),
    ),
    "seals-backwards": Broken(
        "The seals are by falling seat.", "bad-order", edited(ABSENT, reversed_part("seals"))
    ),
    "last-says-backwards": Broken(
        "The last says are by falling seat.", "bad-order", edited(TWO, reversed_part("final"))
    ),
}

CHAIN = {
    "body-left-out": Broken(
        "The last body is left out.",
        "incomplete-step",
        edited(TWO, broken.without_last_body(Missing.NONE)),
    ),
    "absence-made-up": Broken(
        "The last body is replaced by ABSENT.",
        "unjustified-absence",
        edited(TWO, broken.without_last_body(Missing.ABSENT)),
    ),
    "fault-made-up": Broken(
        "The last body is replaced by FAULT.",
        "unjustified-fault",
        edited(TWO, broken.without_last_body(Missing.FAULT)),
    ),
    "absence-made-up-after-a-true-one": Broken(
        "In a file with a change of epoch the last body is replaced by ABSENT.",
        "unjustified-absence",
        edited(ABSENT, broken.later_absence),
    ),
    "absence-called-a-fault": Broken(
        "A true ABSENT is called FAULT.", "unjustified-fault", edited(ABSENT, broken.other_slot)
    ),
    "link-made-up": Broken(
        "A link puts seat 1 out, and no close does.",
        "unjustified-link",
        edited(TWO, broken.forged_link),
    ),
    "absent-seat-called-banned": Broken(
        "The link bans who is only absent.",
        "unjustified-link",
        edited(ABSENT, broken.other_link),
    ),
    "body-of-a-seat-not-asked": Broken(
        "Seat 1 speaks in seat 0's shuffle.", "not-expected", not_asked
    ),
}


BASES = {
    "closes-without-halts": Broken(
        "The messages that the close rests on are missing.",
        "missing-evidence",
        edited(ABSENT, shortened("messages", 0)),
    ),
    "first-close-missing": Broken(
        "The close of epoch 1, which epoch 2 is locked on, is missing.",
        "missing-evidence",
        edited(RETURNED, lambda whole: with_evidence(whole, closes=whole.evidence.closes[1:])),
    ),
    "close-by-another-seat": Broken(
        "Seat 0 signs the close of epoch 1.",
        "bad-base",
        edited(ABSENT, with_close(0, lambda close: close)),
    ),
    "close-of-one-halt": Broken(
        "The close names one halt where the quorum is two.",
        "bad-base",
        edited(ABSENT, with_close(1, lambda close: replace(close, halts=close.halts[:1]))),
    ),
    "close-of-halts-by-falling-seat": Broken(
        "The close names its halts by falling seat.",
        "bad-base",
        edited(ABSENT, with_close(1, lambda close: replace(close, halts=close.halts[::-1]))),
    ),
    "halt-without-its-own-says-in-a-close": Broken(
        "Seat 0's halt names no says, and seat 1's halt holds says of seat 0.",
        "bad-base",
        with_halts(ABSENT, 1, broken.omit_own),
    ),
    "patience-that-nobody-lost": Broken(
        "No halt says that patience ran out, so nobody is absent.",
        "unjustified-absence",
        with_halts(ABSENT, 1, lambda _, halt: replace(halt, expired=None)),
    ),
    "chain-short-of-its-base": Broken(
        "The chain ends before the last base.", "bad-base", edited(ABSENT, broken.before_link)
    ),
    "two-sealed-bases": Broken(
        "Seats seal two bases of epoch 1, and halts of epoch 2 are locked on both.",
        "void",
        broken.two_sealed_bases,
    ),
    "seals-of-fewer-than-a-quorum": Broken(
        "One seal of the last base is missing.",
        "missing-votes",
        edited(ABSENT, shortened("seals", 1)),
    ),
}

REST = {
    "message-that-nothing-needs": Broken(
        "A late is among the messages.",
        "left-over",
        edited(ABSENT, lambda whole: with_message(signed(ABSENT, 0, Late(1)), whole)),
    ),
    "signature-of-no-body": Broken(
        "A step has one signature more than bodies.",
        "left-over",
        edited(TWO, broken.twice_signed),
    ),
    "last-say-of-an-absent-seat": Broken(
        "The absent seat's last say is there too.",
        "left-over",
        edited(ABSENT, broken.absent_end),
    ),
    "last-say-missing": Broken(
        "One present seat's last say is missing.",
        "not-final",
        edited(TWO, shortened("final", 1)),
    ),
    "no-last-says": Broken(
        "Nothing makes the end final.", "not-final", edited(TWO, shortened("final", 0))
    ),
    "chain-without-its-end": Broken(
        "The last three steps are missing.",
        "not-final",
        edited(TWO, broken.without_last_steps),
    ),
}


BROKEN: dict[str, Broken] = {
    **UNREADABLE,
    **FORM,
    **HEADER,
    **SIGNATURES,
    **CHAIN,
    **BASES,
    **CRAFTED,
    **REST,
}
"""Name to file."""
