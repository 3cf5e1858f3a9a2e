"""The values that stand in a text: ids, e-mails, money, numbers, dates, zips, names, closed words.

One pass of one pattern a lexicon for everything written with digits, one walk over the words for
closed vocabularies. What a text does with its values is read in `acts` and `replies`; the accept
table of spellings is docs/what-counts.md.
"""

from __future__ import annotations

import datetime
import itertools
import re
from dataclasses import dataclass
from decimal import Decimal
from typing import NamedTuple

from tau_env.errors import BadDomain
from tau_env.language.cache import per_lexicon, per_text
from tau_env.language.reading import Literal, LiteralKind
from tau_env.schema.domain import Lexicon

NUMBER_WORDS = {
    word: value
    for value, word in enumerate(
        re.findall(
            r"\w+",
            "one two three four five six seven eight nine ten eleven twelve thirteen fourteen "
            "fifteen sixteen seventeen eighteen nineteen twenty",
        ),
        start=1,
    )
}
"""Number words that are read: one to twenty."""

_MONTHS = {
    name: number
    for number, names in enumerate(
        (
            "january jan",
            "february feb",
            "march mar",
            "april apr",
            "may",
            "june jun",
            "july jul",
            "august aug",
            "september sept sep",
            "october oct",
            "november nov",
            "december dec",
        ),
        start=1,
    )
    for name in names.split()
}

_EMAIL = r"(?<![\w.+-])[\w.+-]+@[\w-]+(?:\.[\w-]+)+"
_MONTH = "(?i:" + "|".join(sorted(_MONTHS, key=len, reverse=True)) + r")\b\.?"
_YEAR = r"(?:19|20)[0-9]{2}(?![0-9])"
_DAY = r"[0-9]{1,2}(?:st|nd|rd|th)?(?!\w|[.,:][0-9])"
_DATES = {
    "iso": rf"(?<![\w/-]){_YEAR}(?P<dash>[-/])[0-9]{{2}}(?P=dash)[0-9]{{2}}(?=T[0-9]|(?![\w/-]))",
    "us": r"(?<![\w/.-])[0-9]{1,2}(?P<sep>[/-])[0-9]{1,2}(?P=sep)(?:[0-9]{4}|[0-9]{2})(?![\w/-])",
    "month": rf"(?<!\w){_MONTH}\s+(?:the\s+)?{_DAY}(?:,?\s+{_YEAR})?",
    "day": rf"(?<![\w.,#$/-]){_DAY}\s+(?:of\s+)?{_MONTH}(?!\w)(?:,?\s+{_YEAR})?",
    "short": r"(?<![\w/.$#-])[0-9]{1,2}/[0-9]{1,2}(?![\w/])",
}
_AMOUNT = r"(?:[0-9]{1,3}(?:,[0-9]{3})+|[0-9]+)"
_END = r"(?!\w|[.,:/][0-9]|-[0-9])"
_WORD = r"(?i:" + "|".join(sorted(NUMBER_WORDS, key=len, reverse=True)) + ")"
_CURRENCY = r"(?i:dollars?|bucks|usd)\b"
_SKIPPED = (
    r"(?<!\w)(?:\+?1[-. ]?)?\(?[0-9]{3}\)?[-. ][0-9]{3}[-. ][0-9]{4}(?!\w)"
    r"|(?<![\w:])[0-9]{1,2}:[0-9]{2}(?::[0-9]{2})?(?:\s?(?i:[ap]\.?m\b\.?))?"
    r"|(?<!\w)[0-9]{1,2}\s?(?i:[ap]\.?m\b\.?)"
    r"|(?m:^)[ \t>*]*[0-9]{1,3}[.)](?=[ \t]+\S)"
)
_MONEY = (
    rf"(?<![\w$])-?(?:(?:US)?\$|(?i:USD)\s?\$?)\s?{_AMOUNT}(?:\.[0-9]{{1,2}})?{_END}"
    rf"|(?<![\w#$.,/:-])-?{_AMOUNT}(?:\.[0-9]{{1,2}})?\s?{_CURRENCY}"
    r"(?:\s(?:and\s)?[0-9]{1,2}\scents?\b)?"
    rf"|\b{_WORD}\s{_CURRENCY}"
    rf"|(?<![\w#$.,/:-])[0-9]{{1,2}}\s?cents\b"
)
_ZIP_CUED = (
    r"(?<=\b[A-Z]{2}\s)[0-9]{5}(?:-[0-9]{4})?(?![\w-])"
    r"|(?<![\w#$.,/-])[0-9]{5}-[0-9]{4}(?![\w-])"
)
_ZIP_BARE = r"|(?<![\w#$.,/:-])[0-9]{5}(?!\w|[.,:/-][0-9])"
_RANGE = r"(?<![\w#$.,/:-])[0-9]{1,3}-[0-9]{1,3}(?!\w|[.,:/-][0-9])"
_NUMBER = rf"(?<![\w#$.,/:-])-?{_AMOUNT}(?:\.[0-9]+)?{_END}"
_NUMBER_WORD = (
    rf"\b(?<!ty-){_WORD}\b(?!['\u2019]|[\s-]+(?i:hundred|thousand|million|dozen)\b)"
    r"(?!-(?i:one|two|three|four|five|six|seven|eight|nine)\b)"
)
_NAME = (
    r"(?:(?i:\bname\s(?:is|was|on\sfile\sis)|\bname:|\bname['\u2019]s|\bi['\u2019]m|\bi\sam|"
    r"\bthis\sis)\s+)(?P<who>[A-Z][\w'\u2019-]+(?:\s[A-Z][\w'\u2019-]+){1,2})"
)
# "one" is a pronoun more often than a number: it counts after these words and before a thing.
_ONE_AFTER = re.compile(
    r"(?:^|[.!?:;,(\n]|\b(?:have|has|had|is|are|was|only|just|exactly|about|for|by|with|plus|and|"
    r"least|most|in|there's|add|includes?|contains?|of|or|to))\s*$",
    re.IGNORECASE,
)
_ONE_BEFORE = re.compile(
    r"\s+(?:moment|second|sec|minute|of|more|another|last|other|thing|that|which|you|is|by|at)\b",
    re.IGNORECASE,
)
_TOKEN = re.compile(r"[^\W_]+(?:['\u2019][^\W_]+)*")
_STEMS = {"can't": "can", "cannot": "can", "won't": "will", "shan't": "shall"}
_LOOSE_GAP = re.compile(r"[\s_\-\u2010-\u2015]*")


class _Token(NamedTuple):
    """A word with its place in the text."""

    text: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class _Phrase:
    """One way to say a closed word: tokens, the gaps between them, and what it stands for."""

    tokens: tuple[str, ...]
    gaps: tuple[str, ...]
    slot: str
    value: str
    capitals: bool


@dataclass(frozen=True, slots=True)
class _Compiled:
    """What is compiled from a lexicon: the scanner, the id slots, phrases by first token."""

    scanner: re.Pattern[str]
    ids: tuple[tuple[str, re.Pattern[str]], ...]
    phrases: dict[str, tuple[_Phrase, ...]]


@per_text
def find_literals(text: str, lexicon: Lexicon) -> tuple[Literal, ...]:
    """Find the values in a text.

    Args:
        text: a message, a tool's result or any other text.
        lexicon: the domain's words: id patterns, closed vocabularies.

    Returns:
        Literals by position. An id that fits several slots, or a word that stands in several
        vocabularies, is given once for each; nothing else overlaps, except a closed word with a
        number in it. Values are described at `Literal`.

    Raises:
        BadDomain: an id pattern of the lexicon is no regular expression.
    """
    compiled = _compile(lexicon)
    found: list[Literal] = []
    for match in compiled.scanner.finditer(text):
        found += _literals(match, compiled)
    _add_words(text, compiled.phrases, found)
    found.sort(key=lambda one: (one.start, one.end))
    return tuple(found)


@per_lexicon
def _compile(lexicon: Lexicon) -> _Compiled:
    ids = []
    for name, slot in lexicon.slots.items():
        if slot.kind == "id" and slot.pattern:
            try:
                ids.append((name, re.compile(rf"(?a:{slot.pattern})")))
            except re.error as error:
                raise BadDomain(
                    f"slot {name!r}: pattern {slot.pattern!r} is no regular expression ({error}); "
                    "write it without flags, as for Python's re"
                ) from error
    kinds = {slot.kind for slot in lexicon.slots.values()}
    parts = [("email", _EMAIL)]
    parts += [
        (f"id{number}", rf"(?<!\w){one.pattern}(?!\w)") for number, (_, one) in enumerate(ids)
    ]
    parts += [(f"date_{name}", pattern) for name, pattern in _DATES.items()]
    parts += [("skipped", _SKIPPED), ("money", _MONEY)]
    parts += [("zip", _ZIP_CUED + (_ZIP_BARE if "zip" in kinds else ""))]
    parts += [("range", _RANGE), ("number", _NUMBER), ("numberword", _NUMBER_WORD)]
    if "name" in kinds:
        parts.append(("name", _NAME))
    # Nothing starts inside a word: one look-behind before all alternatives saves most of the time.
    scanner = re.compile(
        r"(?<!\w)(?:" + "|".join(f"(?P<{name}>{pattern})" for name, pattern in parts) + ")"
    )
    return _Compiled(scanner, tuple(ids), _phrases(lexicon))


def _literals(match: re.Match[str], compiled: _Compiled) -> list[Literal]:
    kind, text = match.lastgroup or "", match.group()
    start, end = match.span()

    def one(what: LiteralKind, value: int | str, slot: str = "") -> list[Literal]:
        return [Literal(what, value, text, start, end, slot)]

    if kind.startswith("id"):
        return [
            Literal("id", text, text, start, end, slot)
            for slot, pattern in compiled.ids
            if pattern.fullmatch(text)
        ]
    if kind.startswith("date_"):
        date = _date(text, kind[5:])
        return one("date", date) if date else []
    if kind == "money":
        return one("money", _cents(text))
    if kind == "number":
        return one("number", _plain_number(text))
    if kind == "numberword":
        if text.lower() == "one" and not _one_is_a_number(match):
            return []
        return one("number", str(NUMBER_WORDS[text.lower()]))
    if kind == "range":
        low, high = text.split("-")
        middle = start + len(low)
        return [
            Literal("number", _plain_number(low), low, start, middle),
            Literal("number", _plain_number(high), high, middle + 1, end),
        ]
    if kind == "email":
        return [Literal("email", text.rstrip("."), text.rstrip("."), start, start + len(text))]
    if kind == "zip":
        return one("zip", text)
    if kind == "name":
        who = match.group("who")
        return [Literal("name", who.lower().replace("\u2019", "'"), who, match.start("who"), end)]
    return []


def _one_is_a_number(match: re.Match[str]) -> bool:
    before = match.string[max(0, match.start() - 16) : match.start()]
    return bool(_ONE_AFTER.search(before)) and not _ONE_BEFORE.match(match.string, match.end())


def _plain_number(text: str) -> str:
    plain = format(Decimal(text.replace(",", "")), "f")
    return plain.rstrip("0").rstrip(".") if "." in plain else plain


def _cents(text: str) -> int:
    """Cents of an amount as matched: ``$1,234.5``, ``12 dollars and 50 cents``."""
    lower = text.lower()
    amounts = re.findall(r"[0-9][0-9,]*(?:\.[0-9]+)?", lower)
    if not amounts:
        return NUMBER_WORDS[lower.split()[0]] * 100
    first = Decimal(amounts[0].replace(",", ""))
    if "cent" in lower:
        cents = int(first) * 100 + int(amounts[1]) if len(amounts) == 2 else int(first)
    else:
        cents = int(first * 100)
    return -cents if lower.startswith("-") else cents


def _date(text: str, form: str) -> str:
    """ISO text of a date as matched, ``--MM-DD`` without a year, empty if there is no such day."""
    numbers = [int(number) for number in re.findall(r"[0-9]+", text)]
    year = 0
    if form == "iso":
        year, month, day = numbers
    elif form == "us":
        month, day, year = numbers
        year += 2000 if year < 100 else 0
    elif form == "short":
        month, day = numbers
        if day <= 12 and "0" not in (text[0], text.split("/")[1][0]):
            return ""
    else:
        month = next(
            _MONTHS[word] for word in re.findall(r"[a-z]+", text.lower()) if word in _MONTHS
        )
        day = numbers[0]
        year = numbers[1] if len(numbers) == 2 else 0
    try:
        date = datetime.date(year or 2000, month, day)
    except ValueError:
        return ""
    return date.isoformat() if year else f"--{date:%m-%d}"


def is_same_day(one: str, other: str) -> bool:
    """Whether two dates as read are one day; a date without a year is of any year."""
    return one == other or (one[-6:] == other[-6:] and "--" in (one[:2], other[:2]))


def _phrases(lexicon: Lexicon) -> dict[str, tuple[_Phrase, ...]]:
    """Ways to say closed words, by first token, longest first."""
    phrases: dict[str, list[_Phrase]] = {}
    for name, slot in lexicon.slots.items():
        for value in slot.words:
            ways: dict[tuple[tuple[str, ...], tuple[str, ...], bool], None] = {}
            for way in slot.ways(value):
                tokens = _tokens(way)
                gaps = tuple(
                    _gap(way[one.end : two.start]) for one, two in itertools.pairwise(tokens)
                )
                ways[tuple(one.text for one in tokens), gaps, way.isupper()] = None
            for words, gaps, capitals in ways:
                if words:
                    phrase = _Phrase(words, gaps, name, value, capitals)
                    phrases.setdefault(words[0], []).append(phrase)
    return {
        first: tuple(sorted(some, key=lambda one: -len(one.tokens)))
        for first, some in phrases.items()
    }


def _tokens(text: str) -> list[_Token]:
    """Words in lower case with plain apostrophes; "don't" is two words, as "do not" is."""
    tokens = []
    for match in _TOKEN.finditer(text):
        word = match.group().lower()
        start, end = match.span()
        if "\u2019" in word:
            word = word.replace("\u2019", "'")
        if word.endswith("n't") or word == "cannot":
            stem = _STEMS.get(word, word[:-3])
            tokens += [_Token(stem, start, end), _Token("not", end, end)]
        else:
            tokens.append(_Token(word, start, end))
    return tokens


def _gap(text: str) -> str:
    return " " if _LOOSE_GAP.fullmatch(text) else text


def _add_words(text: str, phrases: dict[str, tuple[_Phrase, ...]], found: list[Literal]) -> None:
    """Add closed words: longest match of each slot, never inside an id or e-mail."""
    if not phrases:
        return
    closed = [(one.start, one.end) for one in found if one.kind in ("id", "email")]
    tokens = _tokens(text)
    until: dict[str, int] = {}
    added: list[Literal] = []
    for place, token in enumerate(tokens):
        some = phrases.get(token.text)
        if some is None and token.text[-1:] == "s":
            some = phrases.get(_singular(token.text))
        for phrase in some or ():
            last = place + len(phrase.tokens) - 1
            if place < until.get(phrase.slot, 0) or not _says(phrase, text, tokens, place):
                continue
            start, end = token.start, tokens[last].end
            if phrase.capitals and not text[start:end].isupper():
                continue
            if any(start < high and low < end for low, high in closed):
                continue
            until[phrase.slot] = last + 1
            added.append(Literal("word", phrase.value, text[start:end], start, end, phrase.slot))
    found[:] = [one for one in found if not _swallowed(one, added)] + added


def _says(phrase: _Phrase, text: str, tokens: list[_Token], place: int) -> bool:
    size = len(phrase.tokens)
    if place + size > len(tokens):
        return False
    if any(tokens[place + step].text != phrase.tokens[step] for step in range(size - 1)):
        return False
    last = tokens[place + size - 1].text
    if last != phrase.tokens[-1] and _singular(last) != phrase.tokens[-1]:
        return False
    return all(
        _gap(text[tokens[place + step].end : tokens[place + step + 1].start]) == gap
        for step, gap in enumerate(phrase.gaps)
    )


def _singular(token: str) -> str:
    return token[:-1] if len(token) > 3 and token.endswith("s") else token


def _swallowed(one: Literal, words: list[Literal]) -> bool:
    """A number word inside a longer closed word ("one way") is part of that word."""
    return (
        one.kind == "number"
        and one.text.isalpha()
        and any(word.start <= one.start and one.end <= word.end for word in words)
    )
