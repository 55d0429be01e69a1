"""Sound files of played tables with one thing in them made wrong."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache, partial
from itertools import count
from typing import Any

from support.forged_points import (
    of_a_key_outside_the_group,
    small_order,
    with_the_cofactor_only,
    with_the_identity,
)
from support.forgeries.transcripts import (
    cut,
    envelopes,
    first_reconfiguration,
    parsed,
    with_entries,
    with_entry,
    with_evidence,
    with_message,
)
from support.inspection import view_of
from vectors.making.playing import TRANSCRIPTS, sentence
from vectors.making.tables import Plan, VectorTable

from protocol.chain.chain_state import Missing, Node
from protocol.crypto.group import add
from protocol.crypto.hashing import Label
from protocol.crypto.identities import signed_bytes
from protocol.transcript import transcript_format
from protocol.transcript.transcript_format import (
    Content,
    Evidence,
    ReconfigurationEntry,
    StepEntry,
    Transcript,
)
from protocol.wire import codec, signed_messages, table_header
from protocol.wire.signed_messages import (
    EpochPromise,
    EpochRequest,
    Message,
    NewEpoch,
    PrepareVote,
    Statement,
    StepInput,
)
from protocol.wire.table_header import Header

MAGIC = 18
"""The length of the outer array's head and the magic."""


@dataclass(frozen=True)
class Broken:
    """In a sentence what is wrong, its code, the file, and the sound file that it differs from."""

    what: str
    code: str
    file: Callable[[], bytes]
    sound: Callable[[], bytes]


def told(file: Callable[[], bytes], code: str, sound: Callable[[], bytes]) -> Broken:
    """A file described by its maker's docstring."""
    return Broken(sentence(file), code, file, sound)


@cache
def table_of(name: str) -> VectorTable:
    """The table of a base file: two undisturbed seats, or a transcript by its name."""
    if name == "two":
        return VectorTable(Plan("broken two", "small-4", 2, "confrontation")).play()
    recipe = TRANSCRIPTS[name]
    return recipe.play(recipe.plan)


@cache
def whole_of(name: str) -> Transcript:
    """The sound file."""
    return transcript_format.read(
        transcript_format.open_file(table_of(name).first.machine.transcript())
    )


TWO, ABSENT, RETURNED = "two", "small-three-absent", "small-four-returned"
Change = Callable[[Transcript], Transcript]


def as_it_is(whole: Transcript) -> Transcript:
    """No change."""
    return whole


def edited(
    what: str, code: str, change: Change, name: str = TWO, sound: Change = as_it_is
) -> Broken:
    """A file after a change; `sound` is what goes before it and is no fault."""
    before = lambda: sound(whole_of(name))  # noqa: E731
    return Broken(what, code, lambda: change(before()).encode(), lambda: before().encode())


def changed(change: Change, code: str, name: str = TWO, sound: Change = as_it_is) -> Broken:
    """A file after a change that is described by its docstring."""
    return edited(sentence(change), code, change, name, sound)


def unfinished(whole: Transcript) -> Transcript:
    """The file without its inputs to `result`."""
    return with_evidence(whole, final=())


def on_bytes(what: str, code: str, change: Callable[[bytes], bytes]) -> Broken:
    """The two seats' file after a change of its bytes."""
    sound = lambda: whole_of(TWO).encode()  # noqa: E731
    return Broken(what, code, lambda: change(sound()), sound)


def outer(what: str, code: str, change: Callable[[Any], Any]) -> Broken:
    """The plain value of the two seats' file changed."""
    return on_bytes(
        what, code, lambda data: codec.encode(change(transcript_format.open_file(data)))
    )


# Headers.


def of_header(what: str, code: str, change: Callable[[Any, Any], Any]) -> Broken:
    """A file of the two seats' header alone, its terms and roster changed as plain values."""

    def make() -> bytes:
        value = codec.decode(whole_of(TWO).content.header, table_header.MAX_HEADER)
        return Transcript(Content(codec.encode(change(*value)), ()), Evidence()).encode()

    return Broken(what, code, make, header_alone)


def header_alone() -> bytes:
    """The file of two seats who have signed, and said nothing."""
    return Transcript(Content(whole_of(TWO).content.header, ()), Evidence()).encode()


def with_terms(what: str, code: str, index: int, value: Any) -> Broken:
    """One field of the terms changed; the signatures stay."""
    return of_header(what, code, lambda t, roster: ((*t[:index], value, *t[index + 1 :]), roster))


def with_roster(what: str, code: str, change: Callable[[Any], Any]) -> Broken:
    """The roster changed."""
    return of_header(what, code, lambda terms, roster: (terms, change(roster)))


def with_nickname(what: str, name: str) -> Broken:
    """The host's nickname changed."""
    return with_roster(what, "bad-header", lambda r: ((r[0][0], name, *r[0][2:]), r[1]))


def key_outside_the_group(is_spoilt: bool = True) -> bytes:
    """The key of seat 1 has a part of order eight, and its signature is valid by every equation."""
    return _key_outside_the_group(is_spoilt, 8)


def key_plus_order_two(is_spoilt: bool = True) -> bytes:
    """The key of seat 1 is a sound one plus (0, -1), and its signature is valid by every equation.
    A libsodium before 1.0.21 takes it for a point of the group.
    """
    return _key_outside_the_group(is_spoilt, 2)


def _key_outside_the_group(is_spoilt: bool, order: int) -> bytes:
    played = table_of(TWO)
    terms, (host, entry) = played.table.header.terms, played.table.header.roster
    public = add(entry.id, small_order()[8 // order])
    for n in count():
        nonce = n.to_bytes(32, "big")
        said = table_header.seat_statement(terms.digest(), public, entry.nickname, nonce)
        whole = signed_bytes(Label.SEAT, said)
        signature = of_a_key_outside_the_group(played.who[1].seed, public, whole, order)
        if signature is not None:
            break
    guest = table_header.SeatEntry(public, entry.nickname, nonce, signature)
    guest = guest if is_spoilt else table_header.sit(terms, played.who[1], entry.nickname, nonce)
    return Transcript(Content(Header(terms, (host, guest)).encode(), ()), Evidence()).encode()


def one_player_twice() -> bytes:
    """The roster names one identity twice; each entry is well signed."""
    played = table_of(TWO)
    terms, (host, guest) = played.table.header.terms, played.table.header.roster
    twice = table_header.sit(terms, played.who[0], guest.nickname, guest.nonce)
    return Transcript(Content(Header(terms, (host, twice)).encode(), ()), Evidence()).encode()


def other_game(what: str, game: Any) -> Broken:
    """A header whose terms name this game, every seat's consent included."""

    def make() -> bytes:
        played = table_of(TWO)
        terms = replace(played.table.header.terms, game=game)
        old = zip(played.who, played.table.header.roster, strict=True)
        roster = tuple(
            table_header.sit(terms, who, entry.nickname, entry.nonce) for who, entry in old
        )
        return Transcript(Content(Header(terms, roster).encode(), ()), Evidence()).encode()

    return Broken(what, "bad-game", make, header_alone)


# The chain.


def without_last_body(what: str, code: str, missing: Missing) -> Broken:
    """The last seat's body of the last step taken away, with its signature."""

    def change(whole: Transcript) -> Transcript:
        last, rows = whole.content.entries[-1], whole.evidence.signatures
        assert isinstance(last, StepEntry)
        spoilt = with_entry(whole, -1, StepEntry((*last.slots[:-1], missing)))
        return with_evidence(spoilt, signatures=(*rows[:-1], rows[-1][:-1]), final=())

    return edited(what, code, change, sound=unfinished)


def forged_reconfiguration(whole: Transcript) -> Transcript:
    """A reconfiguration makes seat 1 absent, and no new-epoch message does."""
    more = with_entries(whole, (*whole.content.entries, ReconfigurationEntry((0,), (1,), (0, 0))))
    return with_evidence(more, final=())


def up_to_the_reconfiguration(whole: Transcript) -> Transcript:
    """The chain ends with its link."""
    at = first_reconfiguration(whole)
    return cut(whole, at + 1, at)


def other_reconfiguration(whole: Transcript) -> Transcript:
    """The reconfiguration bans a seat that is only absent."""
    at = first_reconfiguration(whole)
    entry = whole.content.entries[at]
    assert isinstance(entry, ReconfigurationEntry)
    return with_entry(cut(whole, at + 1, at), at, replace(entry, banned=(2,)))


def other_slot(whole: Transcript) -> Transcript:
    """A true ABSENT is called FAULT."""
    at = first_reconfiguration(whole) - 1
    step = whole.content.entries[at]
    assert isinstance(step, StepEntry)
    slots = tuple(Missing.FAULT if s is Missing.ABSENT else s for s in step.slots)
    return with_entry(whole, at, StepEntry(slots))


def other_body(whole: Transcript) -> Transcript:
    """One bit of a body of the deal is changed."""
    step = whole.content.entries[6]
    assert isinstance(step, StepEntry)
    body = step.slots[0]
    assert isinstance(body, bytes)
    spoilt = body[:-1] + bytes([body[-1] ^ 1])
    return with_entry(whole, 6, StepEntry((spoilt, *step.slots[1:])))


def signatures_exchanged(whole: Transcript) -> Transcript:
    """The two signatures of step 1 are exchanged."""
    first, *rest = whole.evidence.signatures
    return with_evidence(whole, signatures=(first[::-1], *rest))


def signed_with_the_cofactor(whole: Transcript) -> Transcript:
    """R of a signature of step 1 has a part of order eight; times the cofactor its equation is
    true.
    """
    return _signed_anew(whole, with_the_cofactor_only)


def signed_with_order_two(whole: Transcript) -> Transcript:
    """R of a signature of step 1 is a point plus (0, -1); times the cofactor its equation is true.
    A libsodium before 1.0.21 takes it for a point of the group.
    """
    return _signed_anew(whole, partial(with_the_cofactor_only, order=2))


def signed_with_the_identity(whole: Transcript) -> Transcript:
    """R of a signature of step 1 is the identity; its equation is true."""
    return _signed_anew(whole, with_the_identity)


def _signed_anew(whole: Transcript, sign: Callable[[bytes, bytes, bytes], bytes]) -> Transcript:
    """Replace the signature of seat 0 in step 1."""
    played, step = table_of(TWO), whole.content.entries[0]
    assert isinstance(step, StepEntry)
    body = step.slots[0]
    assert isinstance(body, bytes)
    data = signed_messages.payload(played.table.id, 0, StepInput(0, 1, played.table.id, body))
    who, said = played.who[0], signed_bytes(Label.STEP_INPUT, data)
    first, *rest = whole.evidence.signatures
    spoilt = sign(who.seed, who.public, said)
    return with_evidence(whole, signatures=(((0, spoilt), *first[1:]), *rest))


def later_epoch(whole: Transcript) -> Transcript:
    """A body of step 1 is signed in epoch 1, and there is no new-epoch message."""
    step = whole.content.entries[0]
    assert isinstance(step, StepEntry)
    body = step.slots[0]
    assert isinstance(body, bytes)
    step_input = table_of(TWO).sign(0, StepInput(1, 1, table_of(TWO).table.id, body))
    first, *rest = whole.evidence.signatures
    return with_evidence(whole, signatures=(((1, step_input.signature), *first[1:]), *rest))


def later_absence(whole: Transcript) -> Transcript:
    """In a file with a change of epoch the last body is replaced by ABSENT."""
    last, rows = whole.content.entries[-1], whole.evidence.signatures
    assert isinstance(last, StepEntry)
    spoilt = with_entry(whole, -1, StepEntry((last.slots[0], Missing.ABSENT, last.slots[2])))
    return with_evidence(spoilt, signatures=(*rows[:-1], rows[-1][:1]), final=())


def without_last_steps(whole: Transcript) -> Transcript:
    """The last three steps are missing."""
    left = len(whole.content.entries) - 3
    return cut(whole, left, left)


def twice_signed(whole: Transcript) -> Transcript:
    """A step has one signature more than bodies."""
    first, *rest = whole.evidence.signatures
    return with_evidence(whole, signatures=((*first, first[0]), *rest))


def before_reconfiguration(whole: Transcript) -> Transcript:
    """The chain ends before the last base."""
    at = first_reconfiguration(whole)
    return cut(whole, at, at)


# Messages, new epochs and votes.


def with_new_epoch(
    what: str, code: str, seat: int, make: Callable[[NewEpoch], Statement]
) -> Broken:
    """Put another statement in the place of the new-epoch message."""

    def change(whole: Transcript) -> Transcript:
        played = table_of(ABSENT)
        (proposal,) = parsed(played, whole.evidence.new_epochs)
        assert isinstance(proposal.statement, NewEpoch)
        return with_evidence(
            whole, new_epochs=envelopes(played.sign(seat, make(proposal.statement)))
        )

    return edited(what, code, change, ABSENT)


def of_another_table(whole: Transcript) -> Transcript:
    """A message is signed for another table."""
    other = signed_messages.sign(table_of(ABSENT).who[0], bytes(32), 0, EpochRequest(1))
    return with_message(table_of(ABSENT), whole, other)


def with_promises(
    name: str,
    epoch: int,
    make: Callable[[int, EpochPromise], EpochPromise] = lambda _, promise: promise,
    *more: Message,
    instead: dict[int, int] | None = None,
) -> Callable[[], bytes]:
    """Change every promise of an epoch, rest its new-epoch message on them, and add messages.

    `instead` has another seat sign the promise of a seat.
    """

    def file() -> bytes:
        whole, seats = whole_of(name), instead or {}
        every = parsed(table_of(name), whole.evidence.messages)
        new_epochs = parsed(table_of(name), whole.evidence.new_epochs)
        old = {
            m: h for m in every if isinstance(h := m.statement, EpochPromise) and h.epoch == epoch
        }
        new = [
            table_of(name).sign(seats.get(m.seat, m.seat), make(m.seat, h)) for m, h in old.items()
        ]
        (proposal,) = [m for m in new_epochs if getattr(m.statement, "epoch", None) == epoch]
        hashes = tuple(m.hash for m in sorted(new, key=lambda m: m.seat))
        rest = [m for m in new_epochs if m is not proposal]
        rest.append(table_of(name).sign(proposal.seat, NewEpoch(epoch, hashes)))
        kept = [m for m in every if m not in old]
        listed = tuple((m.payload, m.signature) for m in rest)
        return with_evidence(
            whole, messages=envelopes(*kept, *new, *more), new_epochs=listed
        ).encode()

    return file


# The end.


def committed_by_prepares(whole: Transcript) -> Transcript:
    """The votes for the last base are prepare votes."""
    base = view_of(table_of(ABSENT).first.machine).base.base_digest()
    votes = (
        (s, table_of(ABSENT).sign(s, PrepareVote(1, base)).signature)
        for s, _ in whole.evidence.commits
    )
    return with_evidence(whole, commits=tuple(votes))


def absent_end(whole: Transcript) -> Transcript:
    """The absent seat's input to `result` is there too."""
    tip: Node = table_of(ABSENT).first.machine.tip
    step_input = table_of(ABSENT).sign(2, StepInput(1, tip.step, tip.digest, tip.result_body()))
    return with_evidence(whole, final=(*whole.evidence.final, (2, step_input.signature)))


def reversed_part(part: str) -> Change:
    """A list of the evidence backwards."""
    return lambda whole: with_evidence(whole, **{part: getattr(whole.evidence, part)[::-1]})


def shortened(part: str, size: int) -> Change:
    """Only the first items of a list of the evidence."""
    return lambda whole: with_evidence(whole, **{part: getattr(whole.evidence, part)[:size]})
