"""English word forms by rule: plurals of nouns, forms of verbs, with the common irregular ones.

Over-generation is harmless here (a form that nobody says is never met), so the rules stay few.
"""

from __future__ import annotations

from dataclasses import dataclass

_IRREGULAR = {
    "be": ("was", "been"),
    "become": ("became", "become"),
    "begin": ("began", "begun"),
    "break": ("broke", "broken"),
    "bring": ("brought",),
    "build": ("built",),
    "buy": ("bought",),
    "choose": ("chose", "chosen"),
    "cut": ("cut",),
    "do": ("did", "done"),
    "draw": ("drew", "drawn"),
    "drive": ("drove", "driven"),
    "find": ("found",),
    "fly": ("flew", "flown"),
    "get": ("got", "gotten"),
    "give": ("gave", "given"),
    "go": ("went", "gone"),
    "hold": ("held",),
    "keep": ("kept",),
    "leave": ("left",),
    "lock": ("locked",),
    "make": ("made",),
    "pay": ("paid",),
    "put": ("put",),
    "rebook": ("rebooked",),
    "reset": ("reset",),
    "run": ("ran", "run"),
    "send": ("sent",),
    "set": ("set",),
    "shift": ("shifted",),
    "strike": ("struck", "stricken"),
    "sort": ("sorted",),
    "take": ("took", "taken"),
    "throw": ("threw", "thrown"),
    "undo": ("undid", "undone"),
    "withdraw": ("withdrew", "withdrawn"),
    "write": ("wrote", "written"),
}
_VOWELS = "aeiou"


@dataclass(frozen=True, slots=True)
class VerbForms:
    """The forms of a verb, lower case; ``past`` holds past tense and participle together."""

    base: tuple[str, ...]
    past: tuple[str, ...]
    gerund: tuple[str, ...]


def plural(noun: str) -> str:
    """The plural of a noun or noun phrase (its last word): ``"zip code"`` -> ``"zip codes"``."""
    if noun.endswith(("s", "x", "z", "ch", "sh")):
        return noun + "es"
    if noun.endswith("y") and len(noun) > 1 and noun[-2] not in _VOWELS:
        return noun[:-1] + "ies"
    return noun + "s"


def verb_forms(verb: str) -> VerbForms:
    """All forms of a one-word infinitive, both spellings where English has two.

    ``"cancel"`` has the pasts ``canceled`` and ``cancelled``.
    """
    stems = _stems(verb)
    past = _IRREGULAR.get(verb) or tuple(stem + "ed" for stem in stems)
    gerund = tuple(stem + "ing" for stem in stems)
    if verb.endswith("y") and len(verb) > 1 and verb[-2] not in _VOWELS:
        past = _IRREGULAR.get(verb) or (verb[:-1] + "ied",)
        gerund = (verb + "ing",)
    return VerbForms(base=(verb, plural(verb)), past=past, gerund=gerund)


def _stems(verb: str) -> tuple[str, ...]:
    """What ``-ed`` and ``-ing`` are added to."""
    if verb.endswith("e") and not verb.endswith(("ee", "oe", "ye")):
        return (verb[:-1],)
    short = len(verb) > 2 and verb[-1] not in _VOWELS + "wxy" and verb[-2] in _VOWELS
    if not short or verb[-3] in _VOWELS:
        return (verb,)
    return (verb, verb + verb[-1])
