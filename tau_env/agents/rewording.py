"""Edits of wording only: the reference's own sentences in other forms and spellings.

Nothing is invented: messages are split, listed, shortened, wrapped, and the values in them are
spelt in other usual ways.
"""

from __future__ import annotations

import datetime
import re
from collections.abc import Callable, Iterator, Sequence

from tau_env.agents.site import Edit, Edited, Site
from tau_env.language.acts import read_agent
from tau_env.language.literals import find_literals
from tau_env.language.reading import Literal
from tau_env.schema import Step

_BETWEEN = re.compile(r"(?<=[.!?])\s+(?=[A-Z])")

Spelling = Callable[[Literal], str]


def sentences_of(text: str) -> list[str]:
    """A message's sentences as written."""
    return _BETWEEN.split(text)


def with_sentences(step: Step, sentences: Sequence[str], *, between: str = " ") -> Step:
    """A message with other sentences."""
    return step.model_copy(update={"say": between.join(sentences)})


def _reworded(site: Site, note: str, change: Callable[[str], str]) -> Iterator[Edited]:
    steps = tuple(
        step.model_copy(update={"say": change(step.say)}) if step.say else step
        for step in site.steps
    )
    if steps != site.steps:
        yield Edited(site.task, steps, note=note)


def _with_spelling(site: Site, note: str, spell: Spelling) -> Iterator[Edited]:
    yield from _reworded(site, note, lambda text: respelt(site, text, spell))


def _bullets(text: str) -> str:
    sentences = sentences_of(text)
    if len(sentences) < 3:
        return text
    *details, question = sentences
    listed = "\n".join(f"- {one}" for one in details)
    return f"{listed}\n\n{question}"


def _numbers(text: str) -> str:
    sentences = sentences_of(text)
    if len(sentences) < 3:
        return text
    *details, question = sentences
    listed = "\n".join(f"{at}. {one}" for at, one in enumerate(details, 1))
    return f"{listed}\n\n{question}"


def _table(text: str) -> str:
    sentences = sentences_of(text)
    if len(sentences) < 2:
        return text
    *details, question = sentences
    rows = "\n".join(f"| {at} | {one} |" for at, one in enumerate(details, 1))
    return f"| # | details |\n|---|---|\n{rows}\n\n{question}"


def as_list(site: Site) -> Iterator[Edited]:
    """What a message says as a list or a table, its last sentence below."""
    yield from _reworded(site, "bullets", _bullets)
    yield from _reworded(site, "numbers", _numbers)
    yield from _reworded(site, "table", _table)


def with_layout(site: Site) -> Iterator[Edited]:
    """Values in bold type, and every sentence a paragraph."""
    yield from _with_spelling(site, "bold", _bold)
    yield from _reworded(site, "paragraphs", lambda text: "\n\n".join(sentences_of(text)))


def _bold(one: Literal) -> str:
    return f"**{one.text}**"


def respelt(site: Site, text: str, spell: Spelling) -> str:
    """A text with its values spelt anew.

    Args:
        site: for the lexicon.
        text: the message.
        spell: the new spelling of a value, or the old one.
    """
    for one in reversed(_values(site, text)):
        text = text[: one.start] + spell(one) + text[one.end :]
    return text


def _values(site: Site, text: str) -> list[Literal]:
    """The values in a text, of overlapping ones the longest ("250-piece", not its 250)."""
    found: list[Literal] = []
    for one in sorted(
        find_literals(text, site.spec.lexicon), key=lambda one: (one.start - one.end, one.start)
    ):
        if all(one.end <= other.start or other.end <= one.start for other in found):
            found.append(one)
    return sorted(found, key=lambda one: one.start)


def _money(form: str) -> Spelling:
    def spell(one: Literal) -> str:
        if one.kind != "money" or not one.text.startswith("$"):
            return one.text
        return form.format(f"{abs(int(one.value)) / 100:.2f}")

    return spell


def spells_amounts(site: Site) -> Iterator[Edited]:
    """Amounts in other usual spellings."""
    for form in ("{} dollars", "USD {}", "{} USD", "US${}", "$ {}"):
        yield from _with_spelling(site, form, _money(form))


def _date(form: str) -> Spelling:
    def spell(one: Literal) -> str:
        if one.kind != "date" or str(one.value).startswith("--"):
            return one.text
        day = datetime.date.fromisoformat(str(one.value))
        return day.strftime(form).replace(" 0", " ")

    return spell


def spells_dates(site: Site) -> Iterator[Edited]:
    """Dates in other usual spellings."""
    for form in ("%B %d, %Y", "%m/%d/%Y", "%d %B %Y", "%b %d, %Y", "%Y-%m-%d"):
        yield from _with_spelling(site, form, _date(form))


def spells_ids(site: Site) -> Iterator[Edited]:
    """Numbers of records without their sign, behind a word, in quotes."""

    def bare(one: Literal) -> str:
        return one.text.lstrip("#") if one.kind == "id" else one.text

    yield from _with_spelling(site, "without sign", bare)

    def quoted(one: Literal) -> str:
        return f"`{one.text}`" if one.kind == "id" else one.text

    yield from _with_spelling(site, "as code", quoted)


def spells_words(site: Site) -> Iterator[Edited]:
    """Closed words with capitals, quotes around words left out."""

    def capital(one: Literal) -> str:
        return one.text.title() if one.kind == "word" else one.text

    yield from _with_spelling(site, "capitals", capital)
    yield from _reworded(site, "no quotes", lambda text: re.sub(r"'([^']+)'(?!\w)", r"\1", text))


def longer(site: Site) -> Iterator[Edited]:
    """Polite words around every message."""
    before = ("Thank you for your patience.", "Thank you very much for getting in touch today.")
    after = ("Please take your time.", "I appreciate your understanding.")
    for first in before:
        yield from _reworded(site, first, f"{first} {{}}".format)
    for last in after:
        yield from _reworded(site, last, f"{{}} {last}".format)


def terser(site: Site) -> Iterator[Edited]:
    """Only sentences that ask, propose, report, refuse, or hold a value; no courtesies."""
    lexicon = site.spec.lexicon

    def short(text: str) -> str:
        kept = []
        for one in sentences_of(text):
            reading = read_agent(one, lexicon)
            if reading.literals or any(
                act.kind not in ("informs", "holding") for act in reading.acts
            ):
                kept.append(one)
        return " ".join(kept) or text

    yield from _reworded(site, "short", short)
    yield from _reworded(site, "lower case", lambda text: _lowered(site, text))


def _lowered(site: Site, text: str) -> str:
    """The text in lower case, values as they were."""
    parts = []
    start = 0
    for one in _values(site, text):
        parts += [text[start : one.start].lower(), one.text]
        start = one.end
    return "".join([*parts, text[start:].lower()])


REWORDING: dict[str, Edit] = {
    "list or table": as_list,
    "layout": with_layout,
    "amounts respelt": spells_amounts,
    "dates respelt": spells_dates,
    "ids respelt": spells_ids,
    "words respelt": spells_words,
    "longer": longer,
    "terser": terser,
}
"""The kinds that change wording only."""
