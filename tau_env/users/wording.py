"""How the scripted customer says things: seeded wording in several manners.

Manners change words only: a value from the scenario (id, e-mail, name, zip, amount, date) is never
altered. Draws are keyed by (act, occurrence), so two agents get the same draws for the same event.
"""

from __future__ import annotations

import random
import re
import string
from collections.abc import Mapping

from tau_env.errors import BadTask
from tau_env.schema import Lexicon

STYLES = ("plain", "terse", "chatty", "typos", "impatient", "pushy")

COMMON: dict[str, tuple[str, ...]] = {
    "yes": (
        "Yes, please go ahead.",
        "Yes, that's right, please do it.",
        "Yes, please.",
        "Yes, go ahead.",
    ),
    "part": ("Yes to the rest, but not {excluded}.", "Yes, but leave out {excluded}, please."),
    "no": ("No, please don't do that.", "No, I don't want that.", "No, not like that."),
    "decline": ("No, hold on, please don't do that yet.", "No, not yet, please."),
    "drop": (
        "No, I've changed my mind about that. Please leave it as it is.",
        "No, on second thoughts please don't do it.",
    ),
    "correct": ("No, it should be {right}.", "No, that's not right. I meant {right}."),
    "unsure": (
        "Sorry, I'm not sure what exactly you would do. Could you spell it out?",
        "Could you tell me exactly what you would do, please?",
    ),
    "unclear": ("Sorry, I don't quite follow.", "I'm not sure what you mean."),
    "unknown": ("I'm afraid I don't know that.", "I don't have that, sorry."),
    "wait": ("Sure, take your time.", "Sure.", "Okay, I'll wait."),
    "noted": ("Okay.", "All right.", "I see."),
    "check": (
        "Before I go: is the rest of what I asked for done as well?",
        "And has what I asked for been done?",
    ),
    "insist": (
        "Are you sure there is no way? It really matters to me.",
        "Can't you make an exception for me?",
    ),
    "stay": ("I'd rather sort this out with you, if I can.", "Can't you do it yourself?"),
    "hello": ("Hello? Are you still there?", "Hello?"),
    "bye": ("Thank you, that's all I needed. Goodbye.", "Thanks, that was everything. Bye."),
    "bye_refused": ("All right, I understand. That's all then. Goodbye.", "Okay. Then that's it."),
    "give_up": (
        "I don't think we're getting anywhere. I'll try again another time. Goodbye.",
        "This isn't working for me. I'll leave it for now. Goodbye.",
    ),
    "fact": ("My {noun} is {value}.", "{value} is my {noun}."),
    "detail": ("{value}, please.", "That would be {value}."),
}
TERSE: dict[str, tuple[str, ...]] = {
    "yes": ("Yes.", "Yes, do it.", "Yes, go ahead."),
    "part": ("Yes, but not {excluded}.",),
    "no": ("No.", "No, not that."),
    "decline": ("No, not yet.",),
    "drop": ("No, leave it.",),
    "correct": ("No, {right}.",),
    "unsure": ("What exactly would you do?",),
    "unclear": ("I don't follow.",),
    "unknown": ("Don't know.",),
    "wait": ("Sure.",),
    "noted": ("Okay.",),
    "bye": ("Thanks, bye.", "That's all, bye."),
    "bye_refused": ("Okay, bye.",),
    "give_up": ("Not working. Bye.",),
    "fact": ("{value}",),
    "detail": ("{value}",),
}
BEFORE: dict[str, tuple[str, ...]] = {
    "chatty": ("Oh, lovely, thanks for asking! ", "You're very kind. ", "Well, let me see. "),
}
AFTER: dict[str, tuple[str, ...]] = {
    "chatty": (" I hope your day is going well!", " Thank you so much for helping me out."),
    "impatient": (" I'm in a hurry.", " Please be quick about it.", " I don't have all day."),
    "pushy": (
        " I expect this to be sorted out today.",
        " I've been a customer for years, you know.",
    ),
}
# What surrounds an answer to a proposal would blur it.
BARE = frozenset({"yes", "part", "no", "decline", "drop", "correct", "unsure", "hello"})
_FIELD = re.compile(r"\{(\w+)\}")
_WORD = re.compile(r"[a-z]{5,}")


class Wording:
    """The customer's manner of speaking in one trial."""

    def __init__(self, lexicon: Lexicon, *, seed: int, style: str = "") -> None:
        """Choose the manner.

        Args:
            lexicon: gives the domain's phrases.
            seed: the trial's seed.
            style: one of `STYLES`; drawn from the seed when empty.

        Raises:
            BadTask: no such style.
        """
        self._lexicon = lexicon
        self._seed = seed
        self._said: dict[str, int] = {}
        self.style = style or self._rng("style").choice(STYLES)
        if self.style not in STYLES:
            raise BadTask(f"no style {style!r}: one of {', '.join(STYLES)}")

    def _rng(self, act: str) -> random.Random:
        occurrence = self._said.get(act, 0)
        self._said[act] = occurrence + 1
        return random.Random(f"{self._seed}/user/{act}/{occurrence}")

    def say(self, act: str, values: Mapping[str, str] | None = None) -> str:
        """One sentence for an act.

        Args:
            act: a name in the lexicon's phrases or in `COMMON`.
            values: for the ``{fields}`` of the phrase, put in unaltered.

        Raises:
            BadTask: no phrase of that name, or a field without a value.
        """
        templates = self._lexicon.phrases.get(act)
        if templates is None:
            own = TERSE if self.style == "terse" and act in TERSE else COMMON
            if act not in own:
                raise BadTask(f"the lexicon has no phrase {act!r}; add it to the domain's phrases")
            templates = own[act]
        rng = self._rng(act)
        template = rng.choice(templates)
        missing = [name for name in _FIELD.findall(template) if name not in (values or {})]
        if missing:
            raise BadTask(f"phrase {act!r} needs a value for {missing[0]!r}")
        if self.style == "typos":
            template = _mistype(template, rng)
        line = template.format_map(values or {})
        if act not in BARE:
            line = self._dress(line, rng)
        return line

    def _dress(self, line: str, rng: random.Random) -> str:
        before, after = BEFORE.get(self.style, ()), AFTER.get(self.style, ())
        if before and rng.random() < 0.3:
            line = rng.choice(before) + line
        if after and rng.random() < 0.4:
            line += rng.choice(after)
        return line


def _mistype(template: str, rng: random.Random) -> str:
    """Swap two inner letters of one long word outside the fields."""
    spans = [field.span() for field in _FIELD.finditer(template)]
    words = [
        word
        for word in _WORD.finditer(template)
        if not any(start <= word.start() < end for start, end in spans)
        and word.group() not in ("please", "ahead", "right")  # an answer stays readable
    ]
    if not words or rng.random() < 0.4:
        return template
    word = rng.choice(words)
    at = word.start() + rng.randrange(1, len(word.group()) - 2)
    return template[:at] + template[at + 1] + template[at] + template[at + 2 :]


def fields_of(template: str) -> frozenset[str]:
    """Names of the fields of a template."""
    return frozenset(name for _, name, _, _ in string.Formatter().parse(template) if name)
