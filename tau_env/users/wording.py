"""How the scripted customer says things: seeded wording in several manners.

Manners change words only: a value from the scenario (id, e-mail, name, zip, amount, date) is never
altered. Draws are keyed by (act, occurrence), so two agents get the same draws for the same event.
"""

from __future__ import annotations

import random
import re
import string
from collections.abc import Mapping, Sequence

from tau_env.errors import BadTask
from tau_env.language.literals import NUMBER_WORDS
from tau_env.schema import Lexicon

STYLES = ("plain", "terse", "chatty", "typos", "impatient", "pushy")

COMMON: dict[str, tuple[str, ...]] = {
    # Answers to a proposal, read by `language.replies` as yes, yes-but and no.
    "yes": (
        "Yes, please go ahead.",
        "Yes, that's right, please do it.",
        "Yes, please.",
        "Yes, go ahead.",
    ),
    "part": ("Yes to the rest, but not {excluded}.", "Yes, but leave out {excluded}, please."),
    "no": ("No, please don't do that.", "No, I don't want that.", "No, that's not what I want."),
    "decline": ("No, hold on, please don't do that yet.", "No, not now, please."),
    "drop": (
        "No, I've changed my mind about that. Please leave it as it is.",
        "No, on second thoughts please don't do it.",
    ),
    "correct": ("No, that's not right. I mean {right}.", "No, that's wrong, it should be {right}."),
    "amend": (
        "No, sorry, I got that wrong: it should be {right}.",
        "No, my mistake, it should be {right}.",
    ),
    # Twists whose moment never came.
    "late_decline": (
        "Wait, I hadn't agreed to that yet.",
        "Hold on, I hadn't agreed to any of that.",
    ),
    "late_drop": (
        "Actually, I've changed my mind about that. Please leave it as it is.",
        "On second thoughts, please leave it as it was.",
    ),
    "late_amend": ("Wait, I got something wrong: it should be {right}.",),
    # Answers to a check of values; they agree to nothing that is to be done.
    "right": ("Yes, that's right.", "Yes, that's correct."),
    "already": ("But you said that was done already.", "I thought that was done already."),
    "unsure": (
        "Sorry, I'm not sure what exactly you would do. Could you spell it out?",
        "Could you tell me exactly what you would do, please?",
    ),
    "unclear": ("Sorry, I don't quite follow.", "Sorry, I don't follow."),
    "unknown": ("I'm afraid I don't know that.", "I don't have that, sorry."),
    "unknown_fact": ("I don't have the {noun} to hand, sorry.", "I don't know the {noun}, sorry."),
    # Lines that must not be taken for a yes, nor take one back.
    "wait": ("Sure, take your time.", "Sure."),
    "no_hurry": ("Take your time.", "No hurry."),
    "noted": ("I see.", "Got it.", "I understand."),
    "only": ("Nothing else, thanks.", "That's all I need."),
    "check": (
        "Nothing else. Please tell me when it's done.",
        "Only what I asked for. Please tell me when that is done.",
    ),
    "insist": (
        "Are you sure there is no way? It really matters to me.",
        "Can't you make an exception for me?",
    ),
    "stay": ("I'd rather sort this out with you, if I can.", "Can't you do it yourself?"),
    "hello": ("Hello? Are you still there?", "Hello?"),
    "bye": ("Thank you, that's all I needed. Goodbye.", "Thanks, that was everything. Bye."),
    "bye_refused": ("I understand. That's all then. Goodbye.", "I see. Then that's it. Bye."),
    "give_up": (
        "I don't think we're getting anywhere. I'll try again another time. Goodbye.",
        "This isn't working for me. I'll leave it for now. Goodbye.",
    ),
    "name": ("My name is {name}.", "It's {name}."),
    "fact": ("My {noun} is {value}.", "{value} is my {noun}."),
    "detail": ("{value}, please.", "{value}."),
    "choose": ("Option {option}, please.", "I'll take option {option}."),
}
OWN: dict[str, dict[str, tuple[str, ...]]] = {
    "terse": {
        "yes": ("Yes.", "Yes, do it.", "Yes, go ahead."),
        "part": ("Yes, but not {excluded}.",),
        "no": ("No.", "No, not that."),
        "decline": ("No, not now.",),
        "drop": ("No, leave it.",),
        "correct": ("No, {right}.",),
        "amend": ("No, my mistake: {right}.",),
        "right": ("Yes.", "Correct."),
        "unsure": ("What exactly would you do?",),
        "unclear": ("I don't follow.",),
        "unknown": ("Don't know.",),
        "unknown_fact": ("Don't know the {noun}.",),
        "wait": ("Sure.",),
        "noted": ("I see.", "Got it."),
        "only": ("Nothing else.",),
        "check": ("Just that. Tell me when it's done.",),
        "bye": ("Thanks, bye.", "That's all, bye."),
        "bye_refused": ("I see. Bye.",),
        "give_up": ("Not working. Bye.",),
        "name": ("{name}.",),
        "fact": ("{value}",),
        "detail": ("{value}.",),
        "choose": ("Option {option}.",),
    },
    "chatty": {
        "bye": (
            "Wonderful, thank you so much, that was everything. Have a lovely day!",
            "Thanks a lot for all your help, that's all I needed. Take care, bye!",
        ),
        "bye_refused": (
            "Oh well, I understand. Thanks anyway, and have a nice day. Goodbye!",
            "I see, what a pity. Thank you for looking into it. Bye!",
        ),
    },
    "impatient": {
        "hello": ("Hello? Is anybody there?", "Hello? I'm waiting."),
        "bye": ("Finally, thanks. Bye.", "That's everything. Finally. Bye."),
    },
    "pushy": {
        "bye_refused": ("I'm not happy about this, but I understand. Goodbye.",),
        "insist": (
            "I've been a customer for years. Surely you can make an exception?",
            "I don't accept that. Isn't there anything you can do?",
        ),
    },
}
BEFORE: dict[str, tuple[str, ...]] = {
    "chatty": ("Oh, I have it right here. ", "Oh, gladly! "),
}
AFTER: dict[str, tuple[str, ...]] = {
    "chatty": (
        " Thank you so much for helping me out.",
        " I hope your day is going well!",
        " It's so nice to talk to somebody.",
    ),
    "impatient": (" I'm in a hurry.", " Please be quick about it.", " I don't have all day."),
    "pushy": (
        " I expect this to be sorted out today.",
        " I've been a customer for years, you know.",
    ),
}
# What surrounds an answer, or a farewell, would blur it.
BARE = frozenset({*COMMON} - {"name", "fact", "detail", "unknown", "unknown_fact"})
_TOLD = ("name", "fact", "fact.email", "fact.first_name")
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
        self._turn: list[str] = []
        self._dressed = 0
        self._random = random.Random(f"{seed}/user/style/0")
        self.style = style or self._random.choice(STYLES)
        if self.style not in STYLES:
            raise BadTask(f"no style {style!r}: one of {', '.join(STYLES)}")

    def _rng(self, act: str) -> random.Random:
        """The draws of the next occurrence of an act; one generator, seeded anew each time."""
        occurrence = self._said.get(act, 0)
        self._said[act] = occurrence + 1
        self._random.seed(f"{self._seed}/user/{act}/{occurrence}")
        return self._random

    def say(self, act: str, values: Mapping[str, str] | None = None) -> str:
        """One sentence for an act.

        Args:
            act: a name in the lexicon's phrases or in `COMMON`.
            values: for the ``{fields}`` of the phrase, put in unaltered.

        Raises:
            BadTask: no phrase of that name, or a field without a value.
        """
        templates = self._templates(act)
        template = templates[0]
        mistyped = self.style == "typos" and act not in BARE
        if len(templates) > 1 or mistyped:
            rng = self._rng(act)
            template = rng.choice(templates)
            if mistyped:
                template = _mistype(template, rng)
        self._turn.append(act)
        try:
            return template.format_map(values or {})
        except KeyError as missing:
            raise BadTask(f"phrase {act!r} needs a value for {missing.args[0]!r}") from None

    def _templates(self, act: str) -> tuple[str, ...]:
        """The ways to say an act; somebody terse takes the shortest of the domain's phrases."""
        templates = self._lexicon.phrases.get(act)
        if templates is not None:
            return (min(templates, key=len),) if self.style == "terse" else templates
        own = OWN.get(self.style, {}).get(act) or COMMON.get(act)
        if own is None:
            raise BadTask(f"the lexicon has no phrase {act!r}; add it to the domain's phrases")
        return own

    def line(self, sentences: Sequence[str]) -> str:
        """The sentences of a turn as one line, with what the manner adds around them."""
        acts, self._turn = self._turn, []
        text = " ".join(sentences)
        if not acts or not BARE.isdisjoint(acts):
            return text
        before, after = BEFORE.get(self.style, ()), AFTER.get(self.style, ())
        if not before and not after:
            return text
        rng = self._rng(f"line/{acts[0]}")
        if before and acts[0] in _TOLD and rng.random() < 0.3:
            text = rng.choice(before) + text
        if after and rng.random() < 0.5:
            # In turn, so that nothing is heard twice in a short conversation.
            text += after[(self._seed + self._dressed) % len(after)]
            self._dressed += 1
        return text


def _mistype(template: str, rng: random.Random) -> str:
    """Swap two inner letters of one long word outside the fields."""
    spans = [field.span() for field in _FIELD.finditer(template)]
    words = [
        word
        for word in _WORD.finditer(template)
        if not any(start <= word.start() < end for start, end in spans)
    ]
    if not words or rng.random() < 0.4:
        return template
    word = rng.choice(words)
    at = word.start() + rng.randrange(1, len(word.group()) - 2)
    swapped = template[:at] + template[at + 1] + template[at] + template[at + 2 :]
    # "three" for "there" would be a number that nobody meant.
    return template if swapped[word.start() : word.end()] in NUMBER_WORDS else swapped


def fields_of(template: str) -> frozenset[str]:
    """Names of the fields of a template."""
    return frozenset(name for _, name, _, _ in string.Formatter().parse(template) if name)
