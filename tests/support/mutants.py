"""Deliberate errors in the rules of a seat: what a good check must catch.

A mutant is data: for each function that it spoils the text to be replaced and its replacement.
`support.mutant_run` runs them; what kills each stands in `protocol_/seat/killed_mutants.txt`.
"""

import inspect
import textwrap
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from protocol.chain import setup_steps, transition
from protocol.chain.chain_state import Node
from protocol.consensus import absence, fault_evidence, finality, followed_chain, new_epoch
from protocol.consensus.epoch_votes import Votes
from protocol.seat import (
    catch_up,
    departure_notices,
    end_notices,
    epoch_change,
    leaving_setup,
    resumed_seat,
    setup_end,
    stay_after_end,
    step_progress,
)
from protocol.seat.deck_wait import DeckWait
from protocol.seat.epoch_change import own_promise, propose
from protocol.seat.fault_judge import FaultJudge
from protocol.seat.message_log import MessageLog
from protocol.seat.peers import Peers
from protocol.seat.resume_inquiry import Inquiry
from protocol.seat.signer import Signer
from protocol.seat.timeouts import Timers

Spoil = tuple[Callable[..., Any], str, str]


@dataclass(frozen=True)
class Mutant:
    """A named error."""

    name: str
    spoils: tuple[Spoil, ...]


def mutant(name: str, *spoils: Spoil) -> Mutant:
    """Return a mutant that is killed."""
    return Mutant(name, spoils)


def _source(function: Callable[..., Any]) -> str:
    lines = textwrap.dedent(inspect.getsource(function)).splitlines(keepends=True)
    while lines[0].startswith("@"):
        lines.pop(0)
    return "".join(lines)


def _spoiled(function: Callable[..., Any], old: str, new: str) -> Any:
    source = _source(function)
    if old not in source:
        raise LookupError(f"{function.__qualname__} no longer contains {old!r}")
    space: dict[str, Any] = {}
    exec(
        compile(
            "from __future__ import annotations\n" + source.replace(old, new), "mutant", "exec"
        ),
        function.__globals__,
        space,
    )
    return space[function.__name__].__code__


@contextmanager
def planted(mutant: Mutant) -> Iterator[None]:
    """Plant the errors of a mutant in the rules within this block."""
    kept = [(function, function.__code__) for function, _, _ in mutant.spoils]
    try:
        for function, old, new in mutant.spoils:
            function.__code__ = _spoiled(function, old, new)  # type: ignore[attr-defined]
        yield
    finally:
        for function, code in kept:
            function.__code__ = code  # type: ignore[attr-defined]


LISTED = "inputs = {m.hash for m in stored_inputs(base, state.log.store, under)}"
MUTANTS = (
    mutant(
        "t-1 promises",
        (new_epoch.base_of_new_epoch, "!= table.quorum", "!= table.quorum - 1"),
        (Votes.best_promises, "self.table.quorum)", "self.table.quorum - 1)"),
        (propose, "< state.table.quorum or", "< state.table.quorum - 1 or"),
    ),
    mutant(
        "no certificate reported",
        (epoch_change._stands_on, "state.log.votes.highest_certificate(epoch)", "None"),
        (epoch_change.reports_all, "_, under, base = _stands_on(state, epoch)", "return True"),
    ),
    mutant(
        "certificate reports commit votes only",
        (Votes.highest_certificate, "(CommitVote, PrepareVote)", "(CommitVote,)"),
    ),
    mutant(
        "promise omits its own last input",
        (own_promise, LISTED, LISTED.replace("under)}", "under) if m.seat != state.seat}")),
        (epoch_change.promise, "not reports_all(state, request)", "False"),
    ),
    mutant(
        "promise omits what its own input builds on",
        (own_promise, LISTED, LISTED.replace("under)}", "under) if m.seat == state.seat}")),
    ),
    mutant(
        "promises not binding",
        (step_progress.may_speak, "not signer.is_standing or ", ""),
        (
            Signer._may_sign,
            "type(statement) not in SIGNS[self.state]",
            "self.inquiry is not None",
        ),
    ),
    mutant("one vote instead of two", (Votes.highest_committed, "CommitVote", "PrepareVote")),
    mutant(
        "an equivocator's version always void",
        (new_epoch.walk, "_kept_version(node, tree, bodies, culprits, promises)", "None"),
    ),
    mutant(
        "a completed step final by itself",
        (
            finality.final_step,
            "base, silent = followed.base.step, set(followed.tip.present)",
            "base, silent = followed.base.step, set()",
        ),
    ),
    mutant(
        "final by t inputs",
        (
            finality.final_step,
            "if not silent:",
            "if len(followed.tip.present) - len(silent) >= followed.tip.table.quorum:",
        ),
    ),
    mutant(
        "final by what comes after the promise",
        (MessageLog.final_step, "if is_standing:", "if True:"),
        (step_progress._ended_by_inputs, "not state.signer.is_standing or ", ""),
    ),
    mutant(
        "one promise with a timeout enough",
        (absence.is_timed_out, ">= table.seats - table.quorum + 1", ">= 1"),
    ),
    mutant(
        "step timeout running on between epochs",
        (
            own_promise,
            "state.signer.timeout_claims.get(under)",
            '__import__("protocol").wire.signed_messages.StepTimeout('
            "under, state.tip.step, state.tip.digest) "
            "if state.log.followed.epoch == under and state.timers.is_out(state.tip) else None",
        ),
    ),
    mutant(
        "promise forgotten on resume",
        (
            Signer._bind,
            "self.raise_promise(statement.epoch)",
            "self.outbox.is_replaying or self.raise_promise(statement.epoch)",
        ),
    ),
    mutant(
        "received bodies forgotten on resume",
        (
            Signer.store,
            "if not self.outbox.is_replaying:",
            "if not self.outbox.is_replaying and message.seat == self.seat:",
        ),
    ),
    mutant(
        "own statements forgotten on resume",
        (
            Signer.store,
            "if not self.outbox.is_replaying:",
            "if not self.outbox.is_replaying and message.seat != self.seat:",
        ),
    ),
    mutant("no doubling of g", (Timers.back_off, "2**doublings", "1")),
    mutant(
        "the proposer's wait not doubled",
        (
            Timers.waits_as_proposer,
            "self.back_off(self.failed_epochs(promise)) / 2",
            "self.back_off() / 2",
        ),
    ),
    mutant(
        "votes name the new-epoch message",
        (Votes.read_new_epochs, "base.node.base_digest()", "message.hash"),
    ),
    mutant("a base leaves the standings out", (Node.base_value, "self.standings()", "None")),
    mutant(
        "proofs that prove nothing turn epochs",
        (fault_evidence.is_effective, "epochs == {followed.epoch}", "True"),
    ),
    mutant(
        "a proof of two waits for what they name",
        (new_epoch._bad_forms, "if len(proof) == 1:", "if True:"),
    ),
    mutant(
        "a second version makes a seat leave its own",
        (
            followed_chain.chosen_inputs,
            "in store.inputs(followed.epoch, node.step)",
            "in reversed(store.inputs(followed.epoch, node.step))",
        ),
    ),
    mutant(
        "illegal inputs are followed",
        (
            followed_chain.chosen_inputs,
            "isinstance(transition.verdict(node, message.seat, step_input.body), AcceptedBody)",
            "True",
        ),
    ),
    mutant(
        "fewer than t present going on",
        (transition.may_go_on, "len(node.present) >= node.table.quorum", "True"),
    ),
    mutant("reveal without a barrier", (transition._want_unseal, "not node.table.strict", "False")),
    mutant("a thinking seat's promise claims a timeout", (absence.claim_of, "owes or ", "")),
    mutant(
        "promises of the missing count",
        (absence.is_timed_out, "seat not in missing", "True"),
    ),
    mutant(
        "a zero key share accepted",
        (setup_steps.KeyRevealStep.check, "== group.IDENTITY", "is None"),
    ),
    mutant(
        "a resumed seat signs at once",
        (Signer.begin_inquiry, "self.inquiry = Inquiry(self.timers.now)", "pass"),
    ),
    mutant(
        "what was forgotten makes nobody cautious",
        (Signer.is_forgotten, "message.hash in self.log.store", "True"),
    ),
    mutant(
        "the floor counts every request",
        (
            resumed_seat.floor,
            "log.votes.quorum_request()",
            "max([0, *log.votes.requests().values()])",
        ),
    ),
    mutant(
        "rejoins that are used up keep out whom the chain needs",
        (absence.may_rejoin, "MAX_REJOINS if transition.stands_still(base) else ", ""),
    ),
    mutant(
        "a promise whose inputs do not resolve is read",
        (
            new_epoch._check_form,
            "not all(tree.resolves(step_input) for _, step_input in tree.inputs)",
            "False",
        ),
    ),
    mutant("answers without bound", (catch_up._carry_part, "if room < 0:", "if False:")),
    mutant(
        "an end with a fault that no base holds",
        (step_progress._ended_by_inputs, "not state.judge.is_unsettled()", "True"),
    ),
    mutant(
        "rubbish of passed epochs kept for ever",
        (MessageLog.forget_inputs, "message.seat == seat", "True"),
    ),
    mutant(
        "a seat leaves as soon as its own end is final",
        (stay_after_end.last_wait, "if seats or needs_base", "if False"),
    ),
    mutant(
        "an absent seat that is linked is left behind at the end",
        (stay_after_end.awaited_ends, " | (state.peers.links - state.tip.banned)", ""),
    ),
    mutant(
        "an absent seat without a link is waited for at the end",
        (stay_after_end.awaited_ends, "state.peers.links -", "set(range(state.table.seats)) -"),
    ),
    mutant(
        "a banned seat is waited for at the end",
        (stay_after_end.awaited_ends, " - state.tip.banned", ""),
    ),
    mutant(
        "a seat no longer asks once its end is final, whatever it waits for",
        (catch_up.ask_again, " or awaited_ends(state)", ""),
    ),
    mutant(
        "a seat leaves one step timeout after its end, whatever is promised",
        (stay_after_end.served_in, "turns > state.table.seats", "True"),
    ),
    mutant(
        "a seat stays while a faulty one makes it request epoch after epoch",
        (stay_after_end.served_in, "turns > state.table.seats", "False"),
    ),
    mutant(
        "a seat between epochs whose end is final stays while nobody else requests an epoch",
        (stay_after_end.served_in, "(timers.times.cap + timers.times.step) / 1000", "1e9"),
    ),
    mutant(
        "whoever is awaited counts as silent",
        (setup_end._sees_itself, "state.timers.is_out(state.tip)", "True"),
    ),
    mutant(
        "an end notice outlives the link it came by",
        (FaultJudge.forget_end, "self.ends.pop(seat, None)", "None"),
    ),
    mutant(
        "a linked seat's end is believed to others",
        (end_notices.take, "seat in state.peers.links and peer != state.table.ids[seat]", "False"),
    ),
    mutant(
        "an end notice of anyone counts",
        (end_notices.take, "check_notice(", "("),
    ),
    mutant(
        "an input off the chain is passed on",
        (catch_up.pass_on, "at is not None and at.step == statement.step", "True"),
    ),
    mutant(
        "every input of a seat at fault is passed on",
        (catch_up.is_of_use, "proof is None or message.hash in proof.hashes", "True"),
    ),
    mutant(
        "a promise of any length is passed on",
        (catch_up.is_called_for, "not votes.is_too_long(promise)", "True"),
    ),
    mutant(
        "a seat signs again once t - 1 others have told",
        (Inquiry.is_over, "now - self.began >= seconds", "True"),
    ),
    mutant(
        "a departure hurries a seat that still thinks",
        (Peers.all_left, "self.log.awaited() <= away", "bool(self.log.awaited() & away)"),
    ),
    mutant(
        "a departure holds behind an input",
        (departure_notices._is_away, "_has_said_since(departure, store)", "False"),
    ),
    mutant(
        "a departure holds in the step before",
        (Peers.all_left, "(word.epoch < epoch or word.step <= step) and ", ""),
    ),
    mutant(
        "a departure outlives an absence",
        (departure_notices._is_away, "_absences(node, departure.seat) == _absences", "_absences"),
    ),
    mutant("a return ends nothing", (departure_notices._is_away, "or departure.is_return", "")),
    mutant("a departure of anyone counts", (Peers.keep_departure, "check_notice", "")),
    mutant(
        "a departure saves the back-off",
        (Signer.ran_out, "is_out and", "self.peers.all_left() or is_out and"),
    ),
    mutant(
        "a confirmed seat ends setup",
        (setup_end.end_setup, " and not is_confirmed(state)", ""),
    ),
    mutant(
        "one word makes a confirmed seat leave",
        (
            leaving_setup.wait_for_deck,
            "len(_words(state)) >= state.table.quorum",
            "bool(_words(state))",
        ),
    ),
    mutant(
        "no deals are needed to return",
        (DeckWait.deals_needed, "return int(waited / ROUND) + 1 if", "return 0 if"),
    ),
    mutant(
        "a seat gives up by its own clock only",
        (leaving_setup._give_up, " or len(_words(state)) >= state.table.quorum", ""),
    ),
    mutant(
        "a return takes a word back",
        (
            leaving_setup._words,
            "state.peers.departures.given_up.keys()",
            "{word.seat for word in state.peers.away()}",
        ),
    ),
    mutant(
        "a word that came before deck.ok is lost",
        (leaving_setup._give_up, "state.peers.note_given_up()", "pass"),
    ),
    mutant(
        "a lonely seat leaves at once",
        (DeckWait.is_over, "now - self._alone_since >= ALONE", "True"),
    ),
    mutant(
        "a legal confirmation is not stored after two illegal ones",
        (followed_chain.confirms_deck, "isinstance(verdict, AcceptedBody)", "False"),
    ),
    mutant(
        "the last confirmation reaches the others by sync only",
        (catch_up._is_urgent, "return kind is Kind.DECK_OK or", "return False and"),
    ),
    mutant(
        "a departure from deck.ok ends the wait for its seat in the deal",
        (Peers.all_left, " and not self._may_return(word)", ""),
        (Signer.ran_out, " and not self._awaits_return()", ""),
    ),
    mutant(
        "who was only told repeats it",
        (setup_end.end_setup, "if broken.by is None and", "if"),
    ),
    mutant(
        "who was only told goes without a word",
        (setup_end.end_setup, "state.signer.depart()", "pass"),
    ),
    mutant(
        "of two notices the first counts",
        (setup_end._announced_end, "len(found) > 1", "False"),
    ),
    mutant(
        "an own end notice is forgotten by a crash",
        (Signer.announce_end, "if not notice.is_over:", "if False:"),
    ),
    mutant(
        "a word counts on the own chain only",
        (
            Peers._gives_up,
            "word.epoch == 0 and",
            "word.on in self.log.followed.path and",
        ),
    ),
    mutant(
        "a seat waits for one that has confirmed another deck",
        (leaving_setup._knows_of_end, "| proven | elsewhere |", "| proven |"),
    ),
    mutant(
        "two inputs to the deal hide a third",
        (MessageLog.keep, "or followed_chain.first_on(self.store, self.tip, message)", ""),
    ),
    mutant(
        "a kept proof holds up an input to the deal",
        (catch_up.is_of_use, " or first_on(state.log.store, node, message)", ""),
    ),
    mutant(
        "who has announced an end is named as silent",
        (setup_end._silent, " - state.judge.setup_ends.keys()", ""),
    ),
    mutant(
        "a notice ends setup for a seat that may have forgotten its confirmation",
        (setup_end._why_setup_ends, "state.signer.inquiry is not None", "False"),
    ),
    mutant(
        "a seat that may have forgotten its confirmation announces an end",
        (setup_end.end_setup, " and state.signer.inquiry is None", ""),
    ),
)
