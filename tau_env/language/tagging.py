"""Plain words with the lexicon laid over them: nouns, actions and values become tags.

``cancel order #W12 ?`` becomes ``ACT RECORD VAL ?``, so one pattern serves every domain. Tags:
``IDENT RECID DET`` (nouns of slots by role), ``WORD`` (a closed word), ``RECORD`` and ``HUMAN``
(nouns of the lexicon), ``ACT ACTED ACTING`` (actions), ``XFER XFERED XFERING`` (handing over),
``VAL`` (an id, amount, address or long number), ``NUM`` (a short number).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from tau_env.language.cache import per_lexicon
from tau_env.language.inflection import plural, verb_forms
from tau_env.language.words import plain_words, word_set
from tau_env.schema.domain import YES_OR_NO, Lexicon, Slot

TRANSFER = "transfer"
"""The action, in every lexicon, of handing the customer over to a human."""

_PARTICLES = word_set("off back up out over through away down along in on to")
_ALSO_VERBS = word_set("name state address")
_OBJECTS = word_set("your the a it which what this me us any why how one")
_DETERMINERS = word_set(
    "the your this that which what whichever my each both first second other another"
)
_MONEY = word_set("dollar dollars buck bucks usd euro euros pounds")
_SUMS = word_set("money amount refund balance sum difference funds")
_BEFORE_NOUN = word_set("you them back the a your this that full whole entire all")
_COMPOUND = word_set("amount refund balance sum difference")
_GOALS = word_set("to onto into on at back in immediately instantly straight")
_AUXILIARIES = word_set("would will shall should can could may be is are was then also get gets")
_ROLE_TAGS = {"identity": "IDENT", "record": "RECID", "detail": "DET"}
_KNOWN_LINK = word_set("is are : of number id no code ending ends in on with # the ,")


@dataclass(frozen=True, slots=True)
class Tagged:
    """A sentence after tagging; the three tuples run in parallel.

    Attributes:
        words: plain words and tags.
        slots: for nouns and closed words: the slots that they speak of.
        actions: for actions: the lexicon's verbs.
        values: canonical closed word for ``WORD``, else the token as written.
        vague: places of actions whose verb has other ones too and that no noun settles: "change
            it", "the change".
    """

    words: tuple[str, ...]
    slots: tuple[tuple[str, ...], ...]
    actions: tuple[tuple[str, ...], ...]
    values: tuple[str, ...]
    vague: tuple[int, ...] = ()

    def has(self, *tags: str) -> bool:
        """Whether one of these tags or words stands in it."""
        return any(tag in self.words for tag in tags)

    def all_actions(self, start: int = 0, end: int | None = None) -> tuple[str, ...]:
        """Actions between two words, each once, in order."""
        found = (action for actions in self.actions[start:end] for action in actions)
        return tuple(dict.fromkeys(found))

    def clear_actions(self) -> tuple[str, ...]:
        """The actions that are not vague, each once, in order."""
        places = (place for place in range(len(self.actions)) if place not in self.vague)
        return tuple(dict.fromkeys(one for place in places for one in self.actions[place]))


@dataclass(frozen=True, slots=True)
class _Phrase:
    words: tuple[str, ...]
    tag: str
    slots: tuple[str, ...]
    value: str = ""


@dataclass(frozen=True, slots=True)
class _Verb:
    action: str
    rest: tuple[str, ...]
    suffix: str


@dataclass(slots=True)
class Tagger:
    """What is compiled from a lexicon; use `tagger` to get it."""

    phrases: dict[str, list[_Phrase]] = field(default_factory=dict)
    verbs: dict[str, list[_Verb]] = field(default_factory=dict)
    ids: list[tuple[re.Pattern[str], str]] = field(default_factory=list)
    starts: frozenset[str] = frozenset()
    shared: frozenset[str] = frozenset()
    alike: tuple[str, ...] = ()

    def tag(self, sentence: str) -> Tagged:
        """Tag a sentence."""
        found = plain_words(sentence)
        plain, raw = found.plain, found.raw
        words: list[str] = []
        slots: list[tuple[str, ...]] = []
        actions: list[tuple[str, ...]] = []
        values: list[str] = []
        vague: list[int] = []
        index = 0
        while index < len(plain):
            word = plain[index]
            if word not in self.starts and word.isalpha() and not raw[index].isupper():
                words.append(word)
                slots.append(())
                actions.append(())
                values.append(raw[index])
                index += 1
                continue
            length, tag, its_slots, its_actions, value = self._at(plain, raw, index)
            if its_actions and _moves_money(plain, index):
                tag, its_actions = word, ()
            elif its_actions and word in self.shared and not self._is_settled(plain, index):
                vague.append(len(words))
            words.append(tag)
            slots.append(its_slots)
            actions.append(its_actions)
            values.append(value)
            index += length
        _close_known(words, slots)
        return Tagged(tuple(words), tuple(slots), tuple(actions), tuple(values), tuple(vague))

    def _at(
        self, plain: Sequence[str], raw: Sequence[str], index: int
    ) -> tuple[int, str, tuple[str, ...], tuple[str, ...], str]:
        word = plain[index]
        phrase = self._phrase(plain, index)
        if word in _ALSO_VERBS and not _OBJECTS.isdisjoint(plain[index + 1 : index + 2]):
            phrase = None
        if phrase and (len(phrase.words) > 1 or _is_noun(phrase, plain, index)):
            return len(phrase.words), phrase.tag, phrase.slots, (), phrase.value or raw[index]
        actions, suffix = self._actions(plain, index)
        if actions:
            stem = "XFER" if TRANSFER in actions else "ACT"
            return 1, stem + suffix, (), actions, raw[index]
        if phrase:
            return 1, phrase.tag, phrase.slots, (), phrase.value or raw[index]
        if word[0].isdigit() and plain[index + 1 : index + 2] and plain[index + 1] in _MONEY:
            return 2, "VAL", (), (), "$" + word
        if any(char.isdigit() for char in word) or "@" in word or raw[index].isupper():
            return 1, *self._value(raw[index], word), (), raw[index]
        return 1, word, (), (), raw[index]

    def _phrase(self, plain: Sequence[str], index: int) -> _Phrase | None:
        for phrase in self.phrases.get(plain[index], ()):
            if tuple(plain[index : index + len(phrase.words)]) == phrase.words:
                return phrase
        return None

    def _actions(self, plain: Sequence[str], index: int) -> tuple[tuple[str, ...], str]:
        """Actions of a verb form: those of the most specific phrases that fit."""
        best: list[_Verb] = []
        for verb in self.verbs.get(plain[index], ()):
            if best and len(verb.rest) < len(best[0].rest):
                break
            if all(_near(word, plain, index) for word in verb.rest):
                best.append(verb)
        if not best:
            return (), ""
        return tuple(dict.fromkeys(verb.action for verb in best)), best[0].suffix

    def _is_settled(self, plain: Sequence[str], index: int) -> bool:
        """Whether a noun beside a verb form says which of its actions is meant."""
        return any(
            verb.rest and all(_near(word, plain, index) for word in verb.rest)
            for verb in self.verbs[plain[index]]
        )

    def _value(self, raw: str, word: str) -> tuple[str, tuple[str, ...]]:
        """The tag of a value; a record's id carries the mark ``record`` in place of slots."""
        for pattern, role in self.ids:
            if pattern.fullmatch(raw):
                return "VAL", (role,) if role == "record" else ()
        if "@" in word or word[0] in "$€£#" or sum(char.isdigit() for char in word) >= 4:
            return "VAL", ()
        return "NUM" if word[0].isdigit() else word, ()


@per_lexicon
def tagger(lexicon: Lexicon) -> Tagger:
    """The tagger of a lexicon, compiled once."""
    made = Tagger()
    for slot in lexicon.slots.values():
        if slot.pattern:
            made.ids.append((re.compile(slot.pattern), slot.role))
    _add_phrases(made, lexicon)
    for action, phrases in lexicon.verbs.items():
        for phrase in phrases:
            _add_verb(made, action, phrase)
    for verbs in made.verbs.values():
        verbs.sort(key=lambda verb: -len(verb.rest))
    made.starts = frozenset(made.phrases) | frozenset(made.verbs)
    several = {form: {verb.action for verb in verbs} for form, verbs in made.verbs.items()}
    made.shared = frozenset(form for form, actions in several.items() if len(actions) > 1)
    alike = {action for form in made.shared for action in several[form]}
    made.alike = tuple(action for action in lexicon.verbs if action in alike)
    return made


def _add_phrases(made: Tagger, lexicon: Lexicon) -> None:
    nouns: dict[tuple[str, ...], list[str]] = {}
    closed: dict[tuple[str, ...], list[tuple[str, str]]] = {}
    for name, slot in lexicon.slots.items():
        for noun in _with_plurals(slot.nouns):
            nouns.setdefault(noun, []).append(name)
        for value in (one for one in slot.words if one not in YES_OR_NO):
            for words in _with_plurals(slot.ways(value)):
                closed.setdefault(words, []).append((name, value))
    table: dict[tuple[str, ...], _Phrase] = {}
    for concept, tag in (("record", "RECORD"), ("human", "HUMAN")):
        for noun in _with_plurals(lexicon.nouns.get(concept, ())):
            table.setdefault(noun, _Phrase(noun, tag, ()))
    for noun, names in nouns.items():
        table.setdefault(noun, _Phrase(noun, _role_tag(lexicon.slots, names), tuple(names)))
    for words, meant in closed.items():
        # A word of several vocabularies, such as a place, is no choice within one.
        if len({name for name, _ in meant}) == 1:
            name, value = meant[0]
            table.setdefault(words, _Phrase(words, "WORD", (name,), value))
    for phrase in sorted(table.values(), key=lambda one: -len(one.words)):
        made.phrases.setdefault(phrase.words[0], []).append(phrase)


def _role_tag(slots: Mapping[str, Slot], names: Iterable[str]) -> str:
    roles = Counter(slots[name].role for name in names)
    return _ROLE_TAGS[max(roles, key=lambda role: roles[role])]


def _with_plurals(nouns: Iterable[str]) -> list[tuple[str, ...]]:
    both = [form for noun in nouns for form in (noun, plural(noun))]
    return list(dict.fromkeys(plain_words(form).plain for form in both))


def _add_verb(made: Tagger, action: str, phrase: str) -> None:
    head, *rest = plain_words(phrase).plain
    for form, suffix in _forms(head):
        made.verbs.setdefault(form, []).append(_Verb(action, tuple(rest), suffix))


def _forms(verb: str) -> list[tuple[str, str]]:
    forms = verb_forms(verb)
    return [
        *((form, "") for form in forms.base),
        *((form, "ED") for form in forms.past if form not in forms.base),
        *((form, "ING") for form in forms.gerund),
    ]


def _near(word: str, plain: Sequence[str], index: int) -> bool:
    """Whether a verb phrase's other word stands near its head."""
    if word in _PARTICLES:
        return word in plain[index + 1 : index + 6]
    window = plain[max(0, index - 8) : index + 10]
    return word in window or plural(word) in window


def _moves_money(plain: Sequence[str], index: int) -> bool:
    """Whether what is sent or given back is money: "give $5 back", "$5 would return to you"."""
    after = plain[index + 1 : index + 4]
    if any(_is_sum(word) for word in _up_to_noun(after)):
        return True
    if plain[index + 1 : index + 2] and plain[index + 1] not in _GOALS:
        return False
    before = index - 1
    while before >= 0 and index - before < 5 and plain[before] in _AUXILIARIES:
        before -= 1
    return before >= 0 and plain[index + 1 :] != () and _is_sum(plain[before])


def _up_to_noun(words: Sequence[str]) -> Iterable[str]:
    """The words up to the first that is no article or pronoun, it included."""
    for place, word in enumerate(words):
        if word in _BEFORE_NOUN or place or word not in _COMPOUND:
            yield word
        if word not in _BEFORE_NOUN:
            return


def _is_sum(word: str) -> bool:
    return word in _SUMS or (word[0] in "$€£" and len(word) > 1)


def _is_noun(phrase: _Phrase, plain: Sequence[str], index: int) -> bool:
    """Whether a record's word that is also a verb form is the noun here: "your booking"."""
    return phrase.tag == "RECORD" and index > 0 and plain[index - 1] in _DETERMINERS


def _close_known(words: list[str], slots: list[tuple[str, ...]]) -> None:
    """Nouns whose value follows at once are no gaps: ``order number #W12`` asks nothing."""
    for index, word in enumerate(words):
        if word not in ("IDENT", "RECID", "DET", "WORD", "RECORD"):
            continue
        for after in words[index + 1 : index + 5]:
            if after == "VAL":
                words[index] = "KNOWN" if word != "WORD" else word
                slots[index] = ()
            if after not in _KNOWN_LINK:
                break
