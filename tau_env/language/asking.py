"""Which slots a sentence asks for.

A noun of the lexicon is asked for where it follows the word that asks, holds no value yet and is
not merely the place or purpose of another one ("the e-mail on your order").
"""

from __future__ import annotations

from tau_env.language.lines import Line
from tau_env.language.words import word_set
from tau_env.schema.domain import Lexicon

_REACH = 40
"""How many sentences back a list of records may stand: a bound on the work."""
_NOUNS = ("IDENT", "RECID", "DET")
_VERBS = word_set(
    "is are was has found verified updated confirmed received noted : VAL NUM correct ok"
)
_WAYS = word_set("by to via thank thanks for using sent under get receive gets")
_BARE_NOUNS = word_set("IDENT RECID DET")
_BARE = word_set("IDENT RECID DET and or your the please plus with , / first also new ?")
_STOPS = word_set("so because before since therefore while")
_MODIFYING = word_set("for on of in from under about with to at by associated linked")
_JOINING = word_set("together along and or plus well")
_WHICH = word_set("which what whichever")
_BEING = word_set("is are was were be been being would will might may")
_NAMING = word_set(
    "specify identify name indicate select choose pick clarify advise enquire inquire know "
    "designate state"
)


def wanted_slots(line: Line, lexicon: Lexicon) -> dict[str, tuple[str, ...]]:
    """The slots that a sentence wants, by role; empty where it asks nothing or no known noun."""
    if not _bare_nouns(line) and (not line.asks or holds_value(line)):
        return {}
    start = _region(line)
    if start is None:
        return {}
    found: dict[str, list[str]] = {}
    words, slots = line.tagged.words, line.tagged.slots
    which_record = _names_record(line)
    for position in range(start, len(words)):
        word = words[position]
        if word in _STOPS and position > start:
            break
        if word in _NOUNS and not (
            (found or which_record) and _modifies(words, position, start, word)
        ):
            for slot in slots[position]:
                found.setdefault(lexicon.slots[slot].role, []).append(slot)
    for slot in _offered_words(line, start):
        found.setdefault(lexicon.slots[slot].role, []).append(slot)
    return _with_zip_in_address(found, lexicon)


def _with_zip_in_address(
    found: dict[str, list[str]], lexicon: Lexicon
) -> dict[str, tuple[str, ...]]:
    """A zip that is asked for with details and without a name or e-mail belongs to an address."""
    identity = found.get("identity", [])
    if "detail" in found and all(lexicon.slots[slot].kind == "zip" for slot in identity):
        found["detail"] += found.pop("identity", [])
    return {role: tuple(dict.fromkeys(names)) for role, names in found.items()}


def mentioned_slots(line: Line, lexicon: Lexicon) -> dict[str, tuple[str, ...]]:
    """Slots of identity and record that a sentence names without a value, or offers words of.

    Not those that are merely a way or a goal: "sent by e-mail".
    """
    found: dict[str, list[str]] = {}
    words, slots = line.tagged.words, line.tagged.slots
    for place, word in enumerate(words):
        reached = not _WAYS.isdisjoint(words[max(0, place - 3) : place])
        if line.tagged.values[place] == "name":
            continue
        if word in ("IDENT", "RECID") and not reached and not line.sentence.value:
            for slot in slots[place]:
                found.setdefault(lexicon.slots[slot].role, []).append(slot)
    if line.has("choice"):
        for slot in _offered_words(line, 0):
            found.setdefault(lexicon.slots[slot].role, []).append(slot)
    return {role: tuple(dict.fromkeys(names)) for role, names in found.items()}


def holds_value(line: Line) -> bool:
    """Whether it is a ``Label: value`` line that tells, and does not ask."""
    sentence = line.sentence
    if not sentence.label or not sentence.value or sentence.question or line.asked_by_lead:
        return False
    asking = ("request", "question", "needed")
    return not any(hit.family in asking and not line.held(hit) for hit in line.hits)


def _bare_nouns(line: Line) -> bool:
    """Whether it is nothing but nouns that could be asked for: "User ID and booking code."."""
    words = line.tagged.words
    if line.sentence.label:
        value = words[words.index(":") + 1 :] if ":" in words else ()
        return not {"IDENT", "RECID"}.isdisjoint(value) and all(word in _BARE for word in value)
    if _BARE_NOUNS.isdisjoint(words):
        return False
    if all(word in _BARE for word in words):
        return True
    first = words[1:2] if words[0] == "your" else words[:1]
    return first[0] in ("IDENT", "RECID") and len(words) <= 6 and _VERBS.isdisjoint(words)


def asks_record_choice(line: Line, lines: list[Line]) -> bool:
    """Whether it asks which of the customer's records is meant, without naming an id."""
    if not line.asks:
        return False
    words = line.tagged.words
    if _names_record(line) or line.has("identifies"):
        return True
    if not {"which", "whichever"}.isdisjoint(words) and _several_records(line, lines):
        return True
    asked = line.sentence.question or any(hit.family == "question" for hit in line.hits)
    if not asked or line.acts or line.confirms:
        return False
    if "or" in words and _several_records(line, lines):
        return True
    if len(words) <= 4:
        return "RECORD" in words
    return "or" in words and any(
        word == "RECORD"
        and not {"the", "that", "this"}.isdisjoint(words[max(0, place - 3) : place])
        for place, word in enumerate(words)
    )


def _names_record(line: Line) -> bool:
    """Whether it has "which order", "specify the reservation" or the like."""
    words = line.tagged.words
    return any(
        word in _WHICH | _NAMING
        and "RECORD" in words[place + 1 : place + 5]
        and not set(_NOUNS) & set(words[place + 1 : words.index("RECORD", place)])
        for place, word in enumerate(words)
    )


def _several_records(line: Line, lines: list[Line]) -> bool:
    if any(word in ("DET", "IDENT", "WORD") for word in line.tagged.words):
        return False
    named: set[str] = set()
    nouns = 0
    for other in lines[max(0, line.index - _REACH) : line.index + 2]:
        for word, value, slots in zip(
            other.tagged.words, other.tagged.values, other.tagged.slots, strict=True
        ):
            if word == "RECORD" and value.lower().endswith("s"):
                return True
            nouns += word == "RECORD" or (word == "another" and nouns > 0)
            if word == "VAL" and slots == ("record",):
                named.add(value)
    return len(named) > 1 or nouns > 1


def _region(line: Line) -> int | None:
    """Where the asked part begins; None if the sentence only asks for agreement or farewell."""
    if line.asked_by_lead or _is_lacking(line) or _bare_nouns(line):
        return 0
    starts = [
        hit.start
        for family in ("question", "request")
        for hit in line.spans(family)
        if not _swallowed(line, hit.start, hit.end)
    ]
    if starts:
        return min(starts)
    if line.confirms or line.has("more") or line.has("transfer"):
        return None
    return 0 if line.sentence.question else None


def _is_lacking(line: Line) -> bool:
    """Whether something is said to be needed, other than what is named: "$188 would be needed"."""
    words = line.tagged.words
    for hit in line.spans("needed"):
        before = hit.start - 1
        while before >= 0 and words[before] in _BEING:
            before -= 1
        if before < 0 or before == hit.start - 1 or words[before] not in ("VAL", "NUM"):
            return True
    return False


def _swallowed(line: Line, start: int, end: int) -> bool:
    words = line.tagged.words
    if line.confirms and words[end : end + 1] in (("if",), ("whether",)):
        return True
    return any(
        hit.family in ("confirm", "transfer", "more") and hit.start < end and start < hit.end
        for hit in line.hits
    )


def _modifies(words: tuple[str, ...], position: int, start: int, noun: str) -> bool:
    """Whether a noun only says more about one that was asked for before it."""
    before = words[max(start, position - 4) : position]
    if "," in before:
        before = before[len(before) - before[::-1].index(",") :]
    if before and before[-1] in _WHICH:
        return False
    if noun != "DET" and not _JOINING.isdisjoint(before):
        return False
    return not _MODIFYING.isdisjoint(before)


def _offered_words(line: Line, start: int) -> tuple[str, ...]:
    """Slots of closed words of which the sentence offers several to choose from."""
    offered: dict[str, set[str]] = {}
    tagged = line.tagged
    for position in range(start, len(tagged.words)):
        if tagged.words[position] == "WORD":
            for slot in tagged.slots[position]:
                offered.setdefault(slot, set()).add(tagged.values[position])
    return tuple(slot for slot, values in offered.items() if len(values) > 1)
