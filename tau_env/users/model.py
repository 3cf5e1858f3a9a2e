"""A customer who is played by a model, from the scenario's instruction in plain words.

Every line passes the guards of :mod:`tau_env.users.guards` or is asked for again; after a bounded
number of tries the trial is a fault of the user (`UserFault`: ungraded), never of the agent. A
failure of the endpoint is a crash of the trial.
"""

from __future__ import annotations

import random
from collections.abc import Mapping
from typing import Any

from tau_env.chat import Chat, find_endpoint
from tau_env.errors import BadArgument, ContextOverflow, EpisodeNotStarted, UserFault, nearest
from tau_env.schema import Lexicon, Scenario, Usage
from tau_env.users import casting
from tau_env.users.base import Reply
from tau_env.users.casting import Played, from_agent, from_director
from tau_env.users.guards import Guards
from tau_env.users.hearing import hear, is_busy, news_in
from tau_env.users.scripted import PATIENCE
from tau_env.users.wording import STYLES

TRIES = 4
"""Replies that are asked for until one may be sent."""
READS = 8_000
"""Characters of a message of the agent that the customer reads."""


class ModelUser:
    """Plays a scenario through a chat-completions endpoint."""

    name = "model"
    waits = True

    def __init__(
        self,
        *,
        style: str = "",
        tries: int = TRIES,
        prompt: str = casting.PROMPT,
        chat: Chat | None = None,
        **endpoint: Any,
    ) -> None:
        """Choose the model and how it is asked.

        Args:
            style: manner of speaking in all trials; else the scenario's, else drawn by the seed.
            tries: replies asked for until one may be sent.
            prompt: name of the prompt, as a record has it; only the present one can be played.
            chat: whom to ask, in place of an endpoint by settings.
            endpoint: ``model``, ``base_url`` and parameters, see `endpoint.find_endpoint`.

        Raises:
            BadArgument: a value that is none of these, or no model.
        """
        for name, value, known in (
            ("style", style, ("", *STYLES)),
            ("prompt", prompt, (casting.PROMPT,)),
        ):
            if value not in known:
                hint = nearest(str(value), known)
                raise BadArgument(
                    f"user setting {name} {value!r}: one of {', '.join(filter(None, known))}.{hint}"
                )
        if isinstance(tries, bool) or not isinstance(tries, int) or tries < 1:
            raise BadArgument(f"user setting tries {tries!r}: a whole number, at least 1")
        self._style = style
        self._tries = tries
        self._chat = Chat(find_endpoint("user", endpoint)) if chat is None else chat
        self._guards: Guards | None = None
        self.style = style

    @classmethod
    def settled(cls, settings: Mapping[str, Any]) -> dict[str, Any]:
        """Settings with all that decides a trial: the endpoint's, and the name of the prompt.

        Args:
            settings: as given; what they leave out is from the environment.
        """
        made = cls(**settings)
        own = {name: settings[name] for name in ("style", "tries") if settings.get(name)}
        return {**made._chat.endpoint.settings(), **own, "prompt": casting.PROMPT}

    @property
    def usage(self) -> Usage:
        """What the running trial has cost, lines that were not sent among it."""
        return self._chat.usage

    @property
    def served(self) -> tuple[str, ...]:
        """The models that answered."""
        return self._chat.served

    @property
    def warnings(self) -> tuple[str, ...]:
        """What was odd: lines that were not sent, wishes to leave that were not granted."""
        return self._chat.warnings

    def reset(self, scenario: Scenario, lexicon: Lexicon, seed: int) -> Reply:
        """Start a trial; see `User`.

        Raises:
            Crash: the endpoint is out of reach.
            UserFault: no line that may be sent.
        """
        draw = random.Random(f"{seed}/user/style/0")  # the scripted customer's
        self.style = self._style or scenario.style or draw.choice(STYLES)
        self._chat.start()
        self._lexicon = lexicon
        self._seed = seed
        self._guards = Guards(scenario, lexicon)
        prompt = casting.system_prompt(scenario, style=self.style)
        self._messages = [{"role": "system", "content": prompt}]
        self._turn = 0
        self._seen: set[object] = set()
        self._fruitless = 0
        self._note = ""
        self._insisted = False
        return self._say(self._guards, from_director(casting.FIRST), tired=False)

    def reply(self, text: str) -> Reply:
        """Answer a message; see `User`.

        Raises:
            EpisodeNotStarted: before `reset`.
            Crash: the endpoint is out of reach.
            UserFault: no line that may be sent.
        """
        guards = self._guards
        if guards is None:
            raise EpisodeNotStarted("the customer was not reset: call reset(scenario, ...) first")
        guards.hear(text)
        tired = self._is_tired(text)
        if tired:
            unsaid = guards.unsaid()
            self._note = casting.SAY_FIRST + "; ".join(unsaid) if unsaid else casting.LEAVE
            self._fruitless = 0
            tired = not unsaid
        note, self._note = self._note, ""
        return self._say(guards, from_agent(text[:READS], note=note), tired=tired)

    def _is_tired(self, text: str) -> bool:
        """Count messages in a row that bring nothing new, as the scripted customer does."""
        news = news_in(text, self._lexicon)
        idle = news <= self._seen and not is_busy(hear(text, self._lexicon))
        self._seen |= news
        self._fruitless = self._fruitless + 1 if idle else 0
        return self._fruitless >= PATIENCE

    def _say(self, guards: Guards, message: str, *, tired: bool) -> Reply:
        """The first line that may be sent, and whether the customer leaves with it."""
        self._turn += 1
        self._messages.append({"role": "user", "content": message})
        asked = list(self._messages)
        complaint, text = "", ""
        for attempt in range(self._tries):
            text = self._ask(asked, attempt)
            played = casting.read_reply(text)
            # What cannot be read for certain is held against a reply once, and not if it insists.
            firm = attempt > 0 or tired or self._insisted
            complaint = played if isinstance(played, str) else _complaint(guards, played, firm=firm)
            if not complaint and isinstance(played, Played):
                return self._send(guards, played, tired=tired)
            self._chat.discard()
            self._chat.warn(f"a line was not sent: {complaint:.200}")
            guards.direct(complaint)
            note = from_director(casting.AGAIN.format(complaint=complaint))
            asked += [{"role": "assistant", "content": text}, {"role": "user", "content": note}]
        raise UserFault(
            f"the customer's model gave no line that may be sent in {self._tries} tries (turn "
            f"{self._turn} of the customer); the last one, {text[:200]!r}: {complaint}"
        )

    def _ask(self, messages: list[dict[str, str]], attempt: int) -> str:
        draw = random.Random(f"{self._seed}/user/model/{self._turn}/{attempt}")
        try:
            found = self._chat.complete(
                messages, response_format=casting.FORM, seed=draw.getrandbits(31)
            )
        except ContextOverflow as overflow:
            raise UserFault(
                f"the conversation does not fit the customer's model any more: {overflow}"
            ) from overflow
        return found.text or ""

    def _send(self, guards: Guards, played: Played, *, tired: bool) -> Reply:
        wishes = played.ends or tired
        kept = guards.keeps(played.line, played.acts) if wishes else ""
        open_yet = "" if kept or tired or self._insisted else "; ".join(guards.unsettled())
        self._insisted = bool(wishes and open_yet)
        if self._insisted:
            kept = f"nothing tells yet that this is settled: {open_yet}"
        guards.tell(played.line)
        ends = wishes and not kept
        if played.ends and not ends:
            self._chat.warn(f"the customer wished to leave and stays: {kept}")
            self._note = casting.STILL_HERE
        sent = played.model_copy(update={"ends": ends})
        self._messages.append({"role": "assistant", "content": casting.as_text(sent)})
        return Reply(played.line, ends=ends)


def _complaint(guards: Guards, played: Played, *, firm: bool) -> str:
    """What keeps a reply from being sent; empty if nothing does."""
    found = list(guards.complaints(played.line))
    if played.ends:
        found += guards.unsaid(played.line)
    if played.ends and not firm and not guards.keeps(played.line, played.acts):
        found += [f"wait until the agent has settled this: {want}" for want in guards.unsettled()]
    return "; ".join(found)
