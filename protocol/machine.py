"""One seat's machine: bytes in, effects out; it follows the chain, speaks and votes.

A node without a seat (a watcher) runs the same machine and never signs. Time is passed in,
in seconds of any monotonic clock; randomness is passed in; nothing here reads either.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from . import author, chain, encoding, follow, frames, messages
from .effects import (
    Asked,
    Broken,
    Effect,
    Entered,
    Finished,
    Guilty,
    Record,
    Send,
    Stepped,
    Waiting,
)
from .follow import Proof, View
from .identity import Identity
from .messages import (
    Accept,
    Back,
    Close,
    Expired,
    Halt,
    Late,
    Message,
    Say,
    SealVote,
    Statement,
    identity_of,
)
from .node import SETUP, Kind, Node, Table
from .port import Choice, IllegalMove
from .randomness import Random
from .store import Store
from .voting import Ballot, held_says

AHEAD = 4096
"""How many steps ahead of the followed chain a say may be to be kept."""
RETRY = 1.0
"""Seconds between two requests for what is lacking."""
HUMAN = frozenset({Kind.SEAL, Kind.SHOW, Kind.CHOOSE})


@dataclass
class Given:
    """A player's choice, the node it was made on, and whether it has been shown since."""

    digest: bytes
    choice: Choice
    burnt: bool = False


@dataclass
class Clocks:
    """When things began, in the caller's seconds."""

    now: float = 0.0
    began: dict[tuple[int, bytes], float] = field(default_factory=dict)
    halted: float = 0.0
    proposing: float | None = None
    asked: float = -RETRY
    over: float | None = None


class Machine:
    """The lockstep machine of one node at one table."""

    def __init__(
        self,
        table: Table,
        rng: Random,
        seat: int | None = None,
        who: Identity | None = None,
        seed: bytes | None = None,
    ) -> None:
        """`seed` (32 bytes) gives the seat's secrets; it must be on disk before `start`."""
        self.table, self.rng, self.seat = table, rng, seat
        self._who = who
        size = 1 if table.strict else table.quorum
        self._secrets = author.new_secrets(seed, size) if seed is not None else None
        self.store = Store()
        self.ballot = Ballot(table, self.store)
        self.view: View = follow.new_view(0, chain.begin(table), 0.0)
        self.promise = 0
        self.clocks = Clocks()
        self.proofs: dict[int, Proof] = {}
        self.broken: Broken | None = None
        self.finished = False
        self.wants_back = False
        self.narrow = False
        self.silent_until: set[bytes] | None = None
        self.cautious = False
        self._replaying = False
        self._effects: list[Effect] = []
        self._given: dict[tuple[int, str], Given] = {}
        self._asked: tuple[int, int, bytes] | None = None
        self._expired: dict[int, Expired] = {}
        self._waited: set[tuple[int, bytes]] = set()
        self._grown_step = 0
        self._grown_promise = 0

    # What a driver calls.

    @property
    def tip(self) -> Node:
        """The node the followed chain stands at."""
        return self.view.tip

    def start(self, now: float) -> None:
        """Begin, or go on after `restore`."""
        self.clocks.now = self.clocks.asked = self.view.entered = now
        self._pump()
        self.sync(None)

    def take(self) -> list[Effect]:
        """The effects since the last call, in order."""
        effects, self._effects = self._effects, []
        return effects

    def receive(self, data: bytes, now: float, peer: bytes | None = None) -> None:
        """One frame of a linked node; Invalid if it is garbage (blame the link, no seat)."""
        self.clocks.now = now
        frame = frames.parse_frame(data)
        match frame:
            case frames.Carry(raw):
                self._receive_message(raw, peer)
            case frames.Fetch(hashes, closes):
                self._answer_fetch(hashes, closes, peer)
            case frames.Sync(epoch, step, have):
                self._answer_sync(epoch, step, set(have), peer)
            case frames.Own():
                self._answer_own(peer)
            case frames.Told():
                self._told(peer)

    def tick(self, now: float) -> None:
        """Time has passed."""
        self.clocks.now = now
        if now - self.clocks.asked >= RETRY and not self._replaying:
            self.clocks.asked = now
            self._ask_again()
        self._pump()

    def choose(self, choice: Choice, now: float) -> None:
        """The player's choice for what was asked last; IllegalMove if the rules forbid it."""
        self.clocks.now = now
        node = self.tip
        if self.seat is None or not self.must_choose:
            raise IllegalMove("nothing is asked of this seat now")
        cards = author.hand(node, self.seat, self._own_secrets)
        self.table.game.check(node.state, node.want.name, self.seat, choice, cards)
        self._given[node.step, node.want.name] = Given(node.digest, choice)
        self._pump()

    @property
    def must_choose(self) -> bool:
        """Whether the player is asked for a choice now."""
        node, seat = self.tip, self.seat
        if seat is None or not self._may_speak() or not author.needs_choice(node, seat):
            return False
        return not self._said(node.step)

    def hand(self) -> dict[int, int]:
        """Slot to card for the cards this seat alone may see."""
        if self.seat is None or self._secrets is None:
            return {}
        return author.hand(self.tip, self.seat, self._secrets)

    def awaited(self) -> frozenset[int]:
        """The seats that still have to speak in the first incomplete step."""
        return self.tip.want.speakers - set(follow.chosen_says(self.store, self.view))

    def final_step(self) -> int:
        """The last step that nothing can replace any more."""
        return follow.final_step(self.store, self.view)

    def may_leave(self) -> bool:
        """Whether the others need nothing more: the end is final and all have confirmed it."""
        if not self.finished:
            return self.broken is not None
        over = self.clocks.over
        waited = over is not None and self.clocks.now - over >= self._seconds("step")
        return waited or not self.awaited()

    # Journal.

    def restore_seed(self, records: list[bytes]) -> None:
        """Replay a journal's records, in order, before `start`; nothing is signed meanwhile."""
        self._replaying = True
        for record in records:
            self._restore(record)
        self._replaying = False
        self._asked = None
        self._effects.clear()

    def _restore(self, record: bytes) -> None:
        value = encoding.decode(record, frames.MAX_FRAME)
        message = messages.parse(value[0], self.table.id, self.table.ids)
        for commitment, choice, nonce in value[1]:
            self._own_secrets.openings[commitment] = (choice, nonce)
        if value[2] is not None:
            digest, name, choice = value[2]
            self._given[self._say_step(message), name] = Given(digest, choice)
        self._hold(message)
        self._pump()

    @staticmethod
    def _say_step(message: Message) -> int:
        return message.statement.step if isinstance(message.statement, Say) else 0

    def be_cautious(self, others: set[bytes]) -> None:
        """The journal may be old: sign nothing until all `others` told what they hold of us."""
        self.silent_until, self.cautious = set(others), True
        self._send(frames.Own(), None)

    # Receiving.

    def _receive_message(self, raw: bytes, peer: bytes | None) -> None:
        message = messages.parse(raw, self.table.id, self.table.ids)
        if not self._worth_keeping(message):
            return
        if self._hold(message):
            self._record(message)
            self._effects.append(Send(frames.encode_frame(frames.Carry(raw)), but=peer))
            self._pump()

    def _worth_keeping(self, message: Message) -> bool:
        if message.hash in self.store.wants:
            return True
        statement = message.statement
        if isinstance(statement, Say):
            near = statement.step <= self.tip.step + AHEAD
            return near and statement.epoch <= self.promise + 1
        if isinstance(statement, Halt):
            return statement.epoch <= self.ballot.common_wish() + 2
        if isinstance(statement, Back):
            return statement.count <= self.table.header.terms.returns
        return True

    def _hold(self, message: Message) -> bool:
        if not self.store.add(message):
            return False
        if message.seat == self.seat:
            self._promise_at_least(message.statement)
        if isinstance(message.statement, Close):
            self.ballot.read_closes()
        self._judge(message)
        return True

    def _promise_at_least(self, statement: Statement) -> None:
        if isinstance(statement, (Halt, Accept, SealVote, Say)):
            self._raise_promise(statement.epoch)
        if isinstance(statement, Say) and self._given:
            for (step, _), given in self._given.items():
                given.burnt = given.burnt or statement.step > step

    def _judge(self, message: Message) -> None:
        if message.seat in self.proofs or message.seat in self.tip.banned:
            return
        proof = follow.find_fault(message, self.store, self.view)
        if proof is not None:
            self._convict(proof)

    def _convict(self, proof: Proof) -> None:
        if proof.seat in self.proofs or proof.seat == self.seat:
            return
        self.proofs[proof.seat] = proof
        self._effects.append(Guilty(proof.seat, proof.code, proof.reason))

    # The rules of a seat, to a fixpoint.

    def _pump(self) -> None:
        if self.broken is not None:
            return
        while self._turn():
            pass

    def _turn(self) -> bool:
        """One round of the rules; whether anything changed."""
        rules = (
            self._begin_epochs,
            self._check_forms,
            self._enter,
            self._advance,
            self._end_setup,
            self._speak,
            self._finish,
            self._late,
            self._halt,
            self._propose,
            self._accept,
            self._seal,
        )
        return any([rule() for rule in rules])  # noqa: C419 - every rule has its turn

    def _begin_epochs(self) -> bool:
        if self.ballot.start is not None or self.tip.want.kind in SETUP | {Kind.ENDED}:
            return False
        node = self.tip
        while node.parent is not None and node.parent.want.kind not in SETUP:
            node = node.parent
        self.ballot.start = node
        self.view.base = node
        self.view.entered = self.clocks.now
        return True

    def _check_forms(self) -> bool:
        self.ballot.read_closes()
        for digest, reason in self.ballot.bad.items():
            message = self.store.find(digest)
            if message is not None and message.seat not in self.proofs:
                code = "bad-halt" if isinstance(message.statement, Halt) else "bad-close"
                self._convict(Proof(message.seat, code, reason, (message,)))
        if self.ballot.void:
            self._break(Broken("two bases of one epoch are sealed: the table is void, with proof"))
        return False

    def _enter(self) -> bool:
        found = self.ballot.highest_open(max(1, self.promise))
        if found is None or found[0] <= self.view.epoch:
            return False
        epoch, base = found
        self._raise_promise(epoch)
        self.view = follow.new_view(epoch, base.node, self.clocks.now)
        self._asked = None
        self.proofs = {s: p for s, p in self.proofs.items() if s not in base.node.banned}
        self._effects.append(Entered(epoch, base.node))
        self._note_growth()
        for message in self.store.epoch_says(epoch, base.node.step):
            self._judge(message)
        return True

    def _advance(self) -> bool:
        self._mark_clock()
        grown = follow.grow(self.store, self.view)
        if grown is None:
            return False
        before, after = grown
        self._effects.append(Stepped(before, after))
        self._note_growth()
        for message in self.store.says(self.view.epoch, after.step):
            self._judge(message)
        return True

    def _mark_clock(self) -> None:
        self.clocks.began.setdefault((self.tip.step, self.tip.digest), self.clocks.now)

    def _note_growth(self) -> None:
        if self.tip.step > self._grown_step:
            self._grown_step, self._grown_promise = self.tip.step, self.promise

    def _end_setup(self) -> bool:
        """Before epoch 0 any fault or absence ends the table, the seat named."""
        node = self.tip
        if node.want.kind is Kind.ENDED:
            guilty = node.convictions[-1]
            self._break(Broken("the table ended before the game began", guilty.seat, guilty.code))
        elif node.want.kind in SETUP and self.proofs:
            proof = next(iter(self.proofs.values()))
            self._break(Broken(proof.reason, proof.seat, proof.code))
        elif node.want.kind in SETUP and self._patience_out():
            self._wait_in_setup(node)
        return False

    def _wait_in_setup(self, node: Node) -> None:
        missing = self.awaited()
        if node.want.kind is Kind.DECK_OK and self._said(node.step):
            self._tell_waiting(missing)
        elif missing:
            self._break(Broken("a seat fell silent before the game began", min(missing)))

    def _break(self, broken: Broken) -> None:
        if self.broken is None:
            self.broken = broken
            self._effects.append(broken)

    # Rule 2: say.

    def _may_speak(self) -> bool:
        if self.seat is None or self._replaying or self.silent_until is not None:
            return False
        standing = self.view.epoch == self.promise
        return standing and self.broken is None and self.seat in self.tip.want.speakers

    def _said(self, step: int) -> bool:
        identity = (messages.NUMBER[Say], self.seat or 0, self.view.epoch, step)
        return bool(self.store.versions(identity))

    def _speak(self) -> bool:
        node, seat = self.tip, self.seat
        if seat is None or not self._may_speak() or self._said(node.step):
            return False
        if not chain.may_go_on(node) and node.want.kind is not Kind.RESULT:
            return False
        if author.needs_choice(node, seat):
            return self._speak_choice(node, seat)
        if not author.has_opening(node, seat, self._own_secrets) or self._hold_back(node):
            return False
        self._say(node, author.body_of(node, seat, self._own_secrets, self.rng), None)
        return True

    def _speak_choice(self, node: Node, seat: int) -> bool:
        given = self._given.get((node.step, node.want.name))
        if given is None or not self._still_stands(given, node):
            place = (self.view.epoch, node.step, node.digest)
            if self._asked != place:
                self._asked = place
                again = given is not None and given.burnt
                self._effects.append(Asked(node, node.want.name, again))
            return False
        body = author.body_of_choice(node, seat, given.choice, self._own_secrets, self.rng)
        self._say(node, body, given)
        return True

    def _still_stands(self, given: Given, node: Node) -> bool:
        linked = node.slots is None and node.parent is not None
        same = node.digest == given.digest or (linked and node.parent.digest == given.digest)  # type: ignore[union-attr]
        return same and not given.burnt and not (self.cautious and node.digest != given.digest)

    def _hold_back(self, node: Node) -> bool:
        """A seat with one link reveals only after t-1 others spoke, or on a sealed commit."""
        if not self.narrow or node.want.kind is not Kind.REVEAL or self.seat not in node.want.owes:
            return False
        sealed = node.sealed[node.want.name, self.seat or 0]
        if sealed.step < self.view.base.step:
            return False
        return len(follow.chosen_says(self.store, self.view)) < self.table.quorum - 1

    def _say(self, node: Node, body: bytes, given: Given | None) -> None:
        note = (given.digest, node.want.name, given.choice) if given else None
        self._sign(Say(self.view.epoch, node.step, node.digest, body), note)

    @property
    def _own_secrets(self) -> author.Secrets:
        if self._secrets is None:
            raise RuntimeError("a watcher has no secrets")
        return self._secrets

    def _sign(self, statement: Statement, note: tuple[bytes, str, Choice] | None = None) -> bool:
        """Sign, record, send; never a second statement of one identity."""
        if self.seat is None or self._who is None or self._replaying:
            return False
        if self.silent_until is not None or self.store.versions(identity_of(self.seat, statement)):
            return False
        message = messages.sign(self._who, self.table.id, self.seat, statement)
        self._hold(message)
        self._record(message, note)
        self._effects.append(Send(frames.encode_frame(frames.Carry(message.encode()))))
        return True

    def _record(self, message: Message, note: tuple[bytes, str, Choice] | None = None) -> None:
        if self._replaying:
            return
        fresh: tuple[tuple[bytes, bytes, bytes], ...] = ()
        if message.seat == self.seat and self._secrets is not None:
            fresh = tuple((c, *o) for c, o in self._secrets.unrecorded())
        self._effects.append(Record(encoding.encode((message.encode(), fresh, note))))

    # The end.

    def _finish(self) -> bool:
        if self.finished or self.tip.want.kind is not Kind.RESULT:
            return False
        sealed = self.view.base.want.kind is Kind.RESULT and self.view.epoch > 0
        if not sealed and self.awaited():
            return False
        self.finished, self.clocks.over = True, self.clocks.now
        self._effects.append(Finished(self.tip))
        return True

    # Patience and grace.

    def _seconds(self, kind: str) -> float:
        p = self.table.header.terms.patience
        return {"choice": p.choice, "step": p.step, "grace": p.grace, "cap": p.cap}[kind] / 1000

    def _patience(self, node: Node) -> float:
        return self._seconds("choice" if node.want.kind in HUMAN else "step")

    def _patience_out(self) -> bool:
        began = self.clocks.began.get((self.tip.step, self.tip.digest), self.clocks.now)
        return self.clocks.now - began >= self._patience(self.tip)

    def grace(self) -> float:
        """g_j: doubled per fruitless epoch, capped."""
        fruitless = max(0, min(self.promise - self._grown_promise, 40))
        return float(min(self._seconds("grace") * 2**fruitless, self._seconds("cap")))

    def _tell_waiting(self, seats: frozenset[int]) -> None:
        place = (self.tip.step, self.tip.digest)
        if place not in self._waited:
            self._waited.add(place)
            self._effects.append(Waiting(seats, self.tip.step))

    # Rule 3: late.

    def _late(self) -> bool:
        if self.ballot.start is None or self.finished or self.table.strict:
            return self._strict_late()
        standing = self.view.epoch == self.promise
        stood = self.clocks.now - self.view.entered >= self.grace()
        if standing and stood and self._patience_out() and self._can_close():
            self._tell_waiting(self.awaited())
            return self._sign(Late(self.promise + 1))
        if standing and (self._has_proof() or self._has_back()):
            return self._sign(Late(self.promise + 1))
        if not standing and self.clocks.now - self.clocks.halted >= self.grace():
            return self._sign(Late(self.promise + 1))
        return False

    def _strict_late(self) -> bool:
        if self.ballot.start is not None and not self.finished and self._patience_out():
            self._tell_waiting(self.awaited())
        for proof in self.proofs.values():
            if self.table.strict and self.ballot.start is not None:
                self._break(Broken(proof.reason, proof.seat, proof.code))
        return False

    def _can_close(self) -> bool:
        return chain.may_go_on(self.tip) or self.tip.want.kind is Kind.RESULT

    def _has_proof(self) -> bool:
        if self.tip.present & self.tip.banned:
            return True
        return any(
            seat in self.tip.present and follow.is_effective(proof, self.tip)
            for seat, proof in self.proofs.items()
        )

    def _has_back(self) -> bool:
        from .epochs import returning

        return bool(returning(self.view.base, self.store.backs()))

    # Rule 4: halt.

    def _halt(self) -> bool:
        wish = self.ballot.common_wish()
        if wish <= self.promise or self.ballot.start is None or self.seat is None:
            return False
        if self._replaying or self.silent_until is not None:
            return False
        self._raise_promise(wish)
        return self._sign(self._own_halt(wish))

    def _own_halt(self, epoch: int) -> Halt:
        lock = self.ballot.highest_lock(epoch)
        under = lock.epoch if lock else 0
        base = self.ballot.base(under, lock.base if lock else None)
        says = {m.hash for m in held_says(base, self.store, under)}
        proofs = {p.hashes for p in self.proofs.values() if p.seat not in base.banned}
        return Halt(
            epoch,
            lock,
            tuple(sorted(says)),
            self._expired.get(under),
            tuple(sorted(m.hash for m in self.store.backs() if not self._back_done(m, base))),
            tuple(sorted(proofs)),
        )

    @staticmethod
    def _back_done(message: Message, base: Node) -> bool:
        back = message.statement
        if not isinstance(back, Back):
            return True
        return message.seat in base.present or back.count < base.absences[message.seat]

    def _raise_promise(self, epoch: int) -> None:
        if epoch <= self.promise:
            return
        self._fix_expired()
        self.promise = epoch
        self.clocks.halted, self.clocks.proposing = self.clocks.now, None

    def _fix_expired(self) -> None:
        """Said once, as the promise rises above the epoch stood in: did patience run out here?"""
        view = self.view
        if view.epoch != self.promise or self.ballot.start is None or self._replaying:
            return
        stood = self.clocks.now - view.entered >= self.grace()
        if stood and self._patience_out() and chain.may_go_on(view.tip):
            self._expired[view.epoch] = Expired(view.epoch, view.tip.step, view.tip.digest)

    # Rules 5 to 7: propose, accept, seal.

    def _propose(self) -> bool:
        epoch = self.promise
        if self.seat is None or epoch == 0 or epoch == self.view.epoch:
            return False
        if epoch % self.table.seats != self.seat or self._signed(Close, epoch):
            return False
        halts = self.ballot.halts(epoch)
        if len(halts) < self.table.quorum or not self._waited_for_halts(epoch, len(halts)):
            return False
        best = self.ballot.best_halts(halts)
        if best is None:
            return False
        return self._sign(Close(epoch, tuple(m.hash for m in best)))

    def _waited_for_halts(self, epoch: int, held: int) -> bool:
        if self.clocks.proposing is None:
            self.clocks.proposing = self.clocks.now
        willing = sum(1 for wish in self.ballot.wishes().values() if wish >= epoch)
        return held >= willing or self.clocks.now - self.clocks.proposing >= self.grace() / 2

    def _signed(self, kind: type[Close | Accept | SealVote], epoch: int) -> bool:
        return bool(self.store.versions((messages.NUMBER[kind], self.seat or 0, epoch)))

    def _accept(self) -> bool:
        for epoch in sorted(self.ballot.closes, reverse=True):
            if self.seat is None or epoch < max(1, self.promise) or self._signed(Accept, epoch):
                continue
            digest = next(iter(self.ballot.closes[epoch]))
            self._vote_raises(epoch)
            return self._sign(Accept(epoch, digest))
        return False

    def _seal(self) -> bool:
        for epoch in sorted(self.ballot.closes, reverse=True):
            if self.seat is None or epoch < max(1, self.promise) or self._signed(SealVote, epoch):
                continue
            digest = self.ballot.carried(Accept, epoch)
            if digest is not None:
                self._vote_raises(epoch)
                return self._sign(SealVote(epoch, digest))
        return False

    def _vote_raises(self, epoch: int) -> None:
        if not self._replaying and self.silent_until is None:
            self._raise_promise(epoch)

    # Coming back.

    def ask_back(self, now: float) -> None:
        """Ask to be let in again after an absence."""
        self.clocks.now = now
        self.wants_back = True
        self._sign_back()
        self._pump()

    def _sign_back(self) -> None:
        seat, node = self.seat, self.tip
        if seat is None or seat in node.present | node.banned or not self.wants_back:
            return
        if node.absences[seat] <= self.table.header.terms.returns:
            self._sign(Back(node.absences[seat]))

    # Asking and answering.

    def _send(self, frame: frames.FrameBody, peer: bytes | None) -> None:
        self._effects.append(Send(frames.encode_frame(frame), peer))

    def sync(self, peer: bytes | None) -> None:
        """Tell a linked node (None: all) where we stand, so that it sends what we lack."""
        first = min(self.final_step(), self.tip.step)
        have = [m.hash[: frames.SHORT] for m in self._recent(self.view.epoch, first)]
        self._send(frames.Sync(self.view.epoch, first, tuple(have[:2048])), peer)

    def _recent(self, epoch: int, step: int) -> list[Message]:
        """What a node that stands at this step of this epoch may lack."""
        found: list[Message] = []
        for message in self.store:
            statement = message.statement
            if isinstance(statement, Say):
                new = (statement.epoch, statement.step) >= (epoch, step)
                older = statement.epoch > 0 and statement.epoch >= epoch
                if new or older:
                    found.append(message)
            elif isinstance(statement, Back) or statement.epoch >= max(1, epoch):
                found.append(message)
        return found

    def _ask_again(self) -> None:
        self._sign_back()
        if self.store.wants or self.store.wanted_closes:
            wants = tuple(sorted(self.store.wants))[:512]
            self._send(frames.Fetch(wants, tuple(sorted(self.store.wanted_closes))[:64]), None)
        if self.silent_until is not None:
            self._send(frames.Own(), None)
        if not (self.finished and not self.awaited()):
            self.sync(None)
            self._look_for_two_chains()

    def _look_for_two_chains(self) -> None:
        if self.ballot.start is not None and follow.unknown_digests(self.store, self.view):
            for proof in follow.find_two_chains(self.store, self.view):
                self._convict(proof)

    def _carry(self, message: Message, peer: bytes | None) -> None:
        self._send(frames.Carry(message.encode()), peer)

    def _answer_fetch(
        self, hashes: tuple[bytes, ...], closes: tuple[int, ...], peer: bytes | None
    ) -> None:
        for digest in hashes[:512]:
            found = self.store.find(digest)
            if found is not None:
                self._carry(found, peer)
        for epoch in closes[:64]:
            for message in self.store.of_epoch(Close, epoch):
                self._carry_close(message, peer)

    def _carry_close(self, message: Message, peer: bytes | None) -> None:
        close = message.statement
        if isinstance(close, Close):
            for digest in close.halts:
                halt = self.store.find(digest)
                if halt is not None:
                    self._carry(halt, peer)
        self._carry(message, peer)

    def _answer_sync(self, epoch: int, step: int, have: set[bytes], peer: bytes | None) -> None:
        for message in self._recent(epoch, step)[:4096]:
            if message.hash[: frames.SHORT] not in have:
                self._carry(message, peer)

    def _answer_own(self, peer: bytes | None) -> None:
        if peer in self.table.ids:
            for message in self.store.by_seat(self.table.ids.index(peer)):
                self._carry(message, peer)
        self._send(frames.Told(), peer)

    def _told(self, peer: bytes | None) -> None:
        if self.silent_until is None or peer is None:
            return
        self.silent_until.discard(peer)
        if not self.silent_until:
            self.silent_until = None
            self._pump()
