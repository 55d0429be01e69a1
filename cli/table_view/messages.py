"""The messages of a table, made from the updates of its peer, for a window or a program."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from p2p_hoity import rules
from p2p_hoity.presentation import message_records as records
from p2p_hoity.presentation import screen_updates as updates
from p2p_hoity.presentation import table_messages as messages
from p2p_hoity.presentation.figure_paths import figure_paths
from p2p_hoity.presentation.message_records import Board
from p2p_hoity.presentation.scene import Beat, Scene
from p2p_hoity.presentation.staging import pause
from p2p_hoity.presentation.table_messages import Message, plain

from ..words import chat_phrases, end_sentences
from ..words.choice_names import ordered, sealing
from ..words.choice_notes import note
from ..words.moment_sentences import moments
from ..words.refusals import refusal
from ..words.seats_in_pages import page_lines
from ..words.table_terms import TableOffer, describe, page_link
from ..words.translation import _, language
from ..words.update_sentences import Telling, sentences
from . import headline
from .board import board_of
from .choice_json import choice_json
from .message_parts import EVENTS, log_fields, table_of, terms_of, told
from .question_menu import menu
from .result import result_rows
from .stage import Stage
from .waiting import at_timeout


class TableMessages:
    """The messages about one table and those that follow it.

    Attributes:
        stage: The state of the table. No reveal waits in it.
        questions: The number of questions so far, which is the id of the last one.
        is_open: Whether the last question is open.
        retells_clocks: Whether the clock is told again whenever its words change, which tell how
            much time is left.
        address: The URL of the own page, as `page_link` takes it.
    """

    def __init__(self, stage: Stage | None = None) -> None:
        self.stage = stage or Stage()
        self.address = ""
        self.questions = 0
        self.is_open = False
        self.retells_clocks = False
        self._asked: updates.Choosing | None = None
        self._offer: TableOffer | None = None
        self._ticket: str | None = None
        self._lobby: messages.Lobby | None = None
        self._happenings = 0
        self._told: Board | None = None
        self._clock: tuple[object, ...] = ()

    @property
    def round(self) -> int:
        """The number of the round, 0 before the first one."""
        view = self.stage.scene.view
        return 0 if view is None else view.state.round

    # Before the game

    def offered(self, offer: TableOffer, ticket: str | None = None) -> Iterator[Message]:
        """Yield the lobby of a table whose terms, and for a host its ticket, are known now."""
        self._offer, self._ticket = offer, ticket or self._ticket
        yield from self._lobby_now()

    def _lobby_now(self) -> Iterator[Message]:
        """Yield the lobby, if it has changed."""
        found = self.lobby()
        if found != self._lobby:
            self._lobby = found
            yield found

    def lobby(self) -> messages.Lobby:
        """Return the table while it fills."""
        scene, offer = self.stage.scene, self._offer
        reach, code = scene.reach, scene.code
        ticket = (reach.ticket if reach is not None else "") or self._ticket
        return messages.Lobby(
            names=scene.lobby or (() if offer is None else offer.names),
            seats=scene.of_seats or (0 if offer is None else offer.terms.seats),
            ticket=ticket,
            link=page_link(ticket or "", self.address),
            code=code.code if isinstance(code, updates.OfferedCode) else None,
            reach=None if reach is None else str(reach.scope),
            reasons=() if reach is None else tuple(map(told, reach.reasons)),
            terms=None if offer is None else terms_of(offer),
            lines=() if offer is None else _terms_lines(offer),
            pages=() if scene.in_pages is None else tuple(page_lines(scene.in_pages)),
        )

    # Updates

    def hear(self, update: updates.Update, by_bot: bool = False) -> Iterator[Message]:
        """Yield the messages that an update causes, of a reveal one for each of its parts."""
        if isinstance(update, updates.Happened):
            yield from self._reveal(update, by_bot)
            return
        before_scene = self.stage.scene
        self.stage.hear(update)
        match update:
            case updates.Joined() | updates.Reached() | updates.OfferedCode():
                yield from self._lobby_now()
            case updates.InPages() if self.stage.scene.table is None:
                yield from self._lobby_now()
            case updates.Started(table, seat, players):
                self._happenings, self._told = 0, None
                yield table_of(table, seat, players)
            case updates.Resumed(items=items):
                self._happenings = len(items)
            case updates.ChainGrew(node, _, seconds, final):
                yield messages.Step(node.step, str(node.want.kind), seconds, final)
            case updates.Rewound(kept=kept):
                self._happenings = kept
                yield from self.close()
            case updates.Away():
                yield from self.close()
            case updates.Choosing():
                yield from self.close()
                self.questions, self.is_open, self._asked = self.questions + 1, True, update
                yield from self.question()
            case updates.ChoiceTaken(kind, choice):
                self.is_open = False
                yield messages.Taken(self.round, self.questions, kind, choice_json(kind, choice))
            case updates.ChoiceRefused(kind, code, told_fields):
                yield self.refused(code, told_fields)
            case updates.Clock():
                yield from self._clock_now(update)
            case updates.Said(seat, who, words, is_own):
                phrase = words if isinstance(words, int) else None
                yield messages.Said(seat, who, chat_phrases.spoken(words), phrase, is_own)
            case updates.Accused(seat, code):
                yield messages.Alarm(self.round, seat, code, self._words(update, before_scene)[-1])
        if (event := EVENTS.get(type(update))) is not None:
            lines = tuple(self._words(update, before_scene))
            yield messages.Log(self.round, event, log_fields(update), lines)
        yield from self._state(by_bot)

    def _words(self, update: updates.Update, before: Scene) -> Sequence[str]:
        return [line for line in sentences(update, Telling(self.stage.names, before)) if line]

    def _reveal(self, update: updates.Happened, by_bot: bool) -> Iterator[Message]:
        """Yield the parts of a reveal, all of them now. A part of one is a reveal of its own."""
        before = self.stage.told
        self.stage.hear(update)
        if isinstance(update, Beat):
            yield from self._beat(update, before, by_bot)
        elif not self.stage.is_revealing:  # A player who is away sees everything at once.
            yield from self._beat(Beat(update.items, update.view), before, by_bot)
        while (part := self.stage.show_next()) is not None:
            if isinstance(part, Beat):
                yield from self._beat(part, before, by_bot)
            before = self.stage.told

    def _beat(self, part: Beat, before: int, by_bot: bool) -> Iterator[Message]:
        """Yield a part of a reveal, with the sentences that were added to the log since `before`.

        Yield nothing before the cards are dealt.
        """
        board = board_of(self.stage, by_bot)
        index = self._happenings
        self._happenings += len(part.items)
        if board is None:
            return
        new = self.stage.told - before
        words = tuple(self.stage.log)[len(self.stage.log) - new :] if new else ()
        self._told = board
        yield messages.Beat(self.round, index, part.items, words, pause(part), part.left, board)

    def _state(self, by_bot: bool) -> Iterator[Message]:
        """Yield the board, if it has changed since it was told."""
        board, before = board_of(self.stage, by_bot), self._told
        if board is None:
            return
        if before is not None:
            before = replace(before, headline=board.headline, awaited=board.awaited)
        if board != before:
            yield messages.State(self.round, self._happenings, board)
        self._told = board

    def state(self, by_bot: bool) -> Iterator[Message]:
        """Yield the board, nothing before the cards are dealt."""
        self._told = None
        yield from self._state(by_bot)

    def _clock_now(self, now: updates.Clock) -> Iterator[Message]:
        """Yield the clock, if others are awaited than it has told, or for another step."""
        words = at_timeout(self.stage) if self.retells_clocks else ""
        place = now.awaited, now.kind, self.stage.scene.steps, words
        if place != self._clock and self.stage.scene.table is not None:
            self._clock = place
            yield from self.clock()

    def clock(self) -> Iterator[Message]:
        """Yield who is awaited, nothing if no clock runs."""
        now = self.stage.scene.clock
        if now is None:
            return
        is_endless = now.muster.strict and now.muster.begun
        left = None if is_endless else now.left
        awaited = tuple(sorted(now.awaited))
        yield messages.Clock(self.round, awaited, now.waited, left, at_timeout(self.stage))

    # Questions

    def question(self) -> Iterator[Message]:
        """Yield the question for the choice that is asked for, nothing if none is."""
        if self._asked is None or not self.is_open:
            return
        view, kind, again = self._asked.view, self._asked.kind, self._asked.again
        names = self.stage.names
        entries = []
        for choice in ordered(view, kind):
            words = "" if names is None else sealing(view, kind, choice, names)
            brings = "" if names is None else note(view, kind, choice, names)
            entries.append(records.Entry(choice_json(kind, choice), words, brings))
        groups = rules.theft_options(view.state) if kind == "theft" else ()
        slots = tuple(sorted(view.mine())) if kind == "exhibit" else sum(groups, ())
        yield messages.Question(
            round=view.state.round,
            id=self.questions,
            kind=kind,
            title=headline.asked(view, kind),
            again=again,
            entries=tuple(entries),
            slots=slots,
            groups=tuple(groups),
        )

    def close(self) -> Iterator[Message]:
        """Yield that the open question is closed, nothing if there is none."""
        if self.is_open:
            self.is_open = False
            yield messages.Closed(self.questions)

    def checked(self, view: rules.View, kind: rules.Kind, picked: Sequence[int]) -> Message:
        """Return what marked pieces would be, as the answer to the open question."""
        found = menu(view, kind, self.stage.names) if self.stage.names is not None else None
        if found is None:
            return messages.Checked(self.questions, False, "")
        found.picked = frozenset(picked)
        return messages.Checked(self.questions, not found.why_not(), found.verdict)

    def refused(self, code: str, told: Mapping[str, Any]) -> Message:
        """Return that an answer is refused, by the rule with this code."""
        question = self.questions if self.is_open else None
        words = refusal(code, told)
        if "place" in told:
            told = {**told, "place": rules.Place(told["place"])}
        return messages.Refused(question, code, plain(told), words)

    # The end

    def over(self, over: updates.GameOver) -> Message:
        """Hear that a game is over, and return its end. The board is at its last beat by now."""
        self.stage.hear(over)
        return self.ending(over)

    def ending(self, over: updates.GameOver) -> Message:
        """Return the end of the last game, which has a result."""
        names, rows = self.stage.names, result_rows(self.stage)
        return messages.Ending(
            round=self.round,
            code=None,
            words=end_sentences.won(over.standings, names) if names and over.standings else "",
            standings=tuple(
                records.StandingInfo(
                    row.standing.rank,
                    row.standing.seat,
                    "" if names is None else names.nicknames[row.standing.seat],
                    row.standing.field,
                    tuple(
                        records.HeldPiece(one.slot, one.letter, one.year, False)
                        for one in row.pieces
                        if one.letter is not None and one.year is not None
                    ),
                    row.gained,
                )
                for row in rows
            ),
            paths=self._paths(),
            moments=() if names is None else tuple(moments(self.stage.scene, names)),
            transcript=over.transcript,
            awaited=tuple(sorted(over.awaited)),
            left=over.left,
        )

    def _paths(self) -> tuple[tuple[int, ...], ...]:
        """Return for each seat the field of its figure before and after each round."""
        found = figure_paths(self.stage.scene.record)
        return tuple((*path.fields, *(() if path.last is None else (path.last,))) for path in found)

    def broken_off(
        self,
        end: updates.Ended | None,
        transcript: Path | None,
        evidence: Mapping[str, Any] | None = None,
    ) -> Message:
        """Return the end of a table about which no update has told the result.

        Args:
            end: Why there is no result. None if there is one.
            evidence: The proof that the host has signed two rosters, if this is why.
        """
        words = "" if end is None else end_sentences.ended(end, self.stage.names, self._game)
        return messages.Ending(
            round=self.round,
            code=None if end is None else end.code,
            words=words,
            standings=(),
            paths=self._paths(),
            moments=(),
            transcript=transcript,
            seat=None if end is None else end.seat,
            by=None if end is None else end.by,
            evidence=evidence,
        )

    @property
    def _game(self) -> str:
        return self.stage.scene.game


def _terms_lines(offer: TableOffer) -> tuple[str, ...]:
    """Return the terms of a table in sentences, without who has sat down, which `names` tells."""
    host, _seated, *lines = describe(offer)
    return (*offer.notes, host, *lines)


def hello(version: str) -> Message:
    """Return the first message, with the version of the program."""
    phrases = tuple(map(_, chat_phrases.PHRASES))
    return messages.Hello(messages.NAME, version, language(), phrases)
