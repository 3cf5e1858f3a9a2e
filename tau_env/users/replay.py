"""A user that replays recorded lines, whatever the agent says."""

from __future__ import annotations

from collections.abc import Sequence

from tau_env.errors import BadContent
from tau_env.schema import Lexicon, Scenario, Transcript
from tau_env.users.base import Reply


class ReplayUser:
    """Plays lines in order and leaves with the last one."""

    name = "replay"

    def __init__(self, lines: Sequence[str]) -> None:
        """Take the lines.

        Args:
            lines: what the customer says; at least the opening.

        Raises:
            BadContent: no lines.
        """
        if not lines:
            raise BadContent("nothing to replay: the record has no line of the customer")
        self._lines = tuple(lines)
        self._next = 0

    @classmethod
    def of(cls, transcript: Transcript) -> ReplayUser:
        """The customer of a transcript."""
        return cls([turn.text for turn in transcript if turn.who == "customer"])

    def reset(self, scenario: Scenario, lexicon: Lexicon, seed: int) -> Reply:
        """Start from the first line; scenario and seed change nothing."""
        del scenario, lexicon, seed
        self._next = 0
        return self.reply("")

    def reply(self, text: str) -> Reply:
        """The next line."""
        del text
        line = self._lines[min(self._next, len(self._lines) - 1)]
        self._next += 1
        return Reply(line, ends=self._next >= len(self._lines))
