"""Talk in the line prompt: `t words` says them, `t 3` a phrase, `m NAME` mutes one voice."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Final

import trio

from p2p_hoity.presentation.screen_updates import Said
from p2p_hoity.table.player_interface import Talk, Wish
from protocol.bounds import Quota

from ..words import chat_phrases
from ..words.translation import N_, _

TALK, MUTE = "t", "m"
HELP: Final = (
    N_("t WORDS says them to the table, t NUMBER a phrase; t lists the phrases"),
    N_("m NAME mutes a voice for you alone, and lets it be heard again"),
)
MOST_WISHES: Final[Quota] = 16


class Wishes:
    """What a player has wished, in order, until somebody asks for it."""

    def __init__(self) -> None:
        self._send, self._wishes = trio.open_memory_channel[Wish](MOST_WISHES)

    def put(self, wish: Wish) -> bool:
        """One more; false if there are too many that nobody has heard yet."""
        try:
            self._send.send_nowait(wish)
        except trio.WouldBlock:
            return False
        return True

    async def next(self) -> Wish:
        """The next one, whenever it comes."""
        return await self._wishes.receive()


class LineTalk:
    """The commands of talk, and whom this player does not want to hear."""

    def __init__(self, say: Callable[[str], None], wishes: Wishes) -> None:
        self._say, self._wishes = say, wishes
        self._muted: set[str] = set()

    def mute(self, names: Iterable[str]) -> None:
        """From now on these are not heard."""
        self._muted.update(names)

    def takes(self, line: str) -> bool:
        """Whether a line is one of these commands; then it is done."""
        command, _space, rest = line.partition(" ")
        if command.lower() == TALK:
            self._talk(rest.strip())
        elif command.lower() == MUTE:
            self._mute(rest.strip())
        else:
            return False
        return True

    def _talk(self, words: str) -> None:
        if not words:
            for line in chat_phrases.listed():
                self._say(line)
        elif (
            words.isdecimal()
            and words.isascii()
            and 1 <= int(words[:4]) <= len(chat_phrases.PHRASES)
        ):
            self._wishes.put(Talk(int(words) - 1))
        else:
            self._wishes.put(Talk(words))

    def _mute(self, name: str) -> None:
        if not name:
            muted = ", ".join(sorted(self._muted)) or "–"
            self._say(_("Muted: {who}").format(who=muted))
        elif name in self._muted:
            self._muted.remove(name)
            self._say(_("{who} is heard again.").format(who=name))
        else:
            self._muted.add(name)
            self._say(_("{who} is muted for you.").format(who=name))

    def hears(self, said: Said) -> bool:
        """Whether this is shown."""
        return said.who not in self._muted
