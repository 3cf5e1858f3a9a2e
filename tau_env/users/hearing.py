"""What a message means for the agenda: reports, answers, refusals, proposals. It says nothing."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import lru_cache

from tau_env.language.acts import read_agent
from tau_env.language.cache import TEXTS, per_lexicon, per_text
from tau_env.language.reading import Act, ActKind, Reading
from tau_env.schema import Lexicon
from tau_env.schema.domain import YES_OR_NO
from tau_env.users.agenda import Agenda, Item, State, values_of

ASKING: tuple[ActKind, ...] = ("asks_identity", "asks_record", "asks_detail")
PROPOSING: tuple[ActKind, ...] = ("proposes", "asks_confirmation")
_CHOICE = re.compile(r"\b(?:or|which|what|who|where|how|why|when|whether)\b", re.IGNORECASE)
_FURTHER = re.compile(r"\b(?:any|other|else|another|further|additional|more)\b", re.IGNORECASE)
_OPENS = re.compile(
    r"\W*(?:(?:and|so|but|then|okay|ok|now|also|first|next)\W+)*"
    r"(?:why|which|what|who|where|when|how)\b"
    r"(?!\s+(?:about|if|not|don['’]t|do(?:es)? (?:not|that|this)|do you (?:think|say)))",
    re.IGNORECASE,
)
_OFFER = re.compile(
    r"\b(?:i|we)(?:['’](?:d|ll)| would| will| can| could| shall| am going| are going)\b"
    r"|\b(?:shall|should|may|can) (?:i|we)\b|\bgo ahead\b|\bproceed\b",
    re.IGNORECASE,
)
_BUSY = re.compile(
    r"\b(?:one|a|just a|another) (?:moment|minute|second|sec)\b"
    r"|\b(?:hold|hang) on\b|\bbear with me\b"
    r"|\b(?:let me|i'll|i will|i am going to|i'm going to) (?:now |just |quickly )*"
    r"(?:check|look|see|verify|process|calculate|find)\b",
    re.IGNORECASE,
)


@per_text
def hear(text: str, lexicon: Lexicon) -> Reading:
    """The reading of a message as a careful customer takes it.

    A question for a yes is none where its sentence asks for more requests, leaves a choice open or
    begins with a question word; "any other item to change?" asks for more requests, not for the
    item.

    Args:
        text: the agent's message.
        lexicon: the domain's words.

    Returns:
        The reading, without such acts.
    """
    reading = read_agent(text, lexicon)
    further = {act.sentence for act in reading.acts if _asks_further(act, reading, lexicon)}
    kinds: dict[int, set[ActKind]] = {}
    for act in reading.acts:
        kinds.setdefault(act.sentence, set()).add(act.kind)
    acts = []
    for act in reading.acts:
        wished = _asks_yes_or_no(act, reading, lexicon)
        if wished:
            acts.append(Act("asks_detail", act.sentence, slots=wished))
            continue
        if act.sentence in further and act.kind in ("asks_detail", *PROPOSING):
            continue
        if act.kind not in PROPOSING or _stands(act, reading, kinds[act.sentence]):
            acts.append(act)
        elif act.kind == "asks_confirmation" and kinds[act.sentence] <= set(PROPOSING):
            acts.append(Act("asks_detail", act.sentence))
    acts += [Act("asks_more", sentence) for sentence in sorted(further)]
    return replace(reading, acts=tuple(acts))


def _asks_yes_or_no(act: Act, reading: Reading, lexicon: Lexicon) -> tuple[str, ...]:
    """The slots, true or not, that a question for no action asks for: "want insurance?"."""
    if act.kind not in PROPOSING or act.actions:
        return ()
    sentence = reading.sentences[act.sentence]
    if "?" not in sentence:
        return ()
    return tuple(slot for slot, nouns in _yes_or_no(lexicon).items() if nouns.search(sentence))


@per_lexicon
def _yes_or_no(lexicon: Lexicon) -> dict[str, re.Pattern[str]]:
    """The slots that are true or not, and what finds their nouns."""
    return {
        name: re.compile(rf"(?i)\b(?:{'|'.join(map(re.escape, slot.nouns))})\b")
        for name, slot in lexicon.slots.items()
        if slot.nouns and not YES_OR_NO.isdisjoint(slot.words)
    }


def _stands(act: Act, reading: Reading, beside: set[ActKind]) -> bool:
    """Whether a question for a yes is one, beside the other acts of its sentence."""
    if not act.actions and "asks_more" in beside:
        return False
    if _OPENS.match(reading.sentences[act.sentence].rpartition(": ")[2]):
        return False
    if act.kind == "proposes" or beside.isdisjoint(ASKING):
        return True
    return _CHOICE.search(reading.sentences[act.sentence]) is None


def _asks_further(act: Act, reading: Reading, lexicon: Lexicon) -> bool:
    """Whether it asks for another part of a record: "is there any other item to change?"."""
    if act.kind != "asks_detail" or not act.slots:
        return False
    parts = set(lexicon.nouns.get("part", ()))
    if not all(parts.intersection(lexicon.slots[slot].nouns) for slot in act.slots):
        return False
    return _FURTHER.search(reading.sentences[act.sentence]) is not None


@per_text
def news_in(text: str, lexicon: Lexicon) -> frozenset[object]:
    """What a message says and asks, as marks to be compared with those of earlier messages."""
    reading = hear(text, lexicon)
    values: set[object] = {one.value for one in reading.literals}
    return frozenset(values | {(act.kind, act.slots, act.actions) for act in reading.acts})


def is_busy(reading: Reading) -> bool:
    """Whether the agent says that it is still at it."""
    return reading.has("holding") or _says_busy(reading.text)


@lru_cache(maxsize=TEXTS)
def _says_busy(text: str) -> bool:
    return _BUSY.search(text) is not None


def raises_nothing(reading: Reading) -> bool:
    """Whether a message neither asks, proposes nor refuses anything, and is no request to wait."""
    if not reading.text.strip() or is_busy(reading):
        return False
    return not reading.has("refuses", *ASKING, *PROPOSING)


def hear_report(agenda: Agenda, reading: Reading) -> bool:
    """Settle what the agent says is done.

    What the customer agreed to comes first. Something that it never agreed to counts as done only
    if the report names the action and asks for no yes.

    Returns:
        Whether the report named what is done, and the customer had agreed to it.
    """
    if not reading.has("reports_done"):
        return False
    actions = reading.actions("reports_done")
    waiting = agenda.in_state("agreed")
    done = agenda.matching(reading, actions, waiting)
    clear = bool(done and actions)
    if not done and not actions and not agenda.records(reading):
        done = waiting
    if not done and _reports_only(reading) and not reading.has("asks_confirmation"):
        raised = [item for item in agenda.in_state("open") if item.raised and item.is_write]
        done = agenda.matching(reading, actions, raised)
    for item in done:
        item.state = "done"
    return clear


def _reports_only(reading: Reading) -> bool:
    """Whether a report names its action and refuses nothing: "I can't, it is cancelled already"."""
    refused = {act.sentence for act in reading.acts if act.kind == "refuses"}
    return any(
        act.kind == "reports_done" and act.actions and act.sentence not in refused
        for act in reading.acts
    )


def hear_information(agenda: Agenda, reading: Reading) -> None:
    """Settle the questions that a message answers; not while the agent still looks."""
    if is_busy(reading):
        return
    for item in agenda.in_state("open"):
        if not item.is_write and item.raised and agenda.answered(reading, item):
            item.state = "done"


def refused_items(agenda: Agenda, reading: Reading, agreed: list[Item]) -> list[Item]:
    """The items that a message refuses.

    A refusal beside a question for identity, record or a detail of the want is a condition, not a
    refusal: "only to a card or to PayPal; which one?".
    """
    if not reading.has("refuses") or reading.has("asks_identity", "asks_record"):
        return []
    raised = [item for item in agenda.in_state("open", "agreed") if item.raised]
    raised = [item for item in raised if not _asks_detail_of(agenda, item, reading)]
    items = agenda.matching(reading, reading.actions("refuses"), raised)
    if (
        not items
        and len(raised) == 1
        and not agenda.records(reading) - agenda.records_of(raised[0])
    ):
        items = raised
    return [item for item in items if item not in agreed]


def _asks_detail_of(agenda: Agenda, item: Item, reading: Reading) -> bool:
    for act in reading.acts:
        if act.kind == "asks_detail":
            asked = act.slots or agenda.details_open(item, reading)
            if any(slot in item.want.slots for slot in asked):
                return True
    return False


def checks_identity(agenda: Agenda, reading: Reading) -> bool:
    """Whether a message only asks if it has the customer's identity right, and proposes nothing."""
    if reading.actions(*PROPOSING) or not (
        reading.has(*PROPOSING) or any(_asks_if_so(act, reading) for act in reading.acts)
    ):
        return False
    if reading.values("email") or reading.values("name"):
        return True
    if agenda.records(reading):
        return False
    facts = agenda.scenario.facts
    if "zip" in facts and reading.values("zip"):
        return True
    slots = agenda.lexicon.slots
    return any(
        name in slots and slots[name].role == "identity" and _stands_in(fact.value, reading.text)
        for name, fact in facts.items()
    )


def _asks_if_so(act: Act, reading: Reading) -> bool:
    """Whether a question is open, and none for something: "and where would you like it?"."""
    if act.kind != "asks_detail" or act.slots:
        return False
    return _OPENS.match(reading.sentences[act.sentence]) is None


def _stands_in(value: str, text: str) -> bool:
    """Whether a text holds a value as words of its own."""
    return re.search(rf"(?<!\w){re.escape(value)}(?!\w)", text, re.IGNORECASE) is not None


def proposal_in(agenda: Agenda, reading: Reading, pending: Reading | None) -> Reading | None:
    """What is proposed: this message, or the last proposal where it only asks for a yes.

    Returns:
        None where the question for a yes is about nothing that was proposed, be it values alone.
    """
    if reading.actions(*PROPOSING) or agenda.records(reading):
        return reading
    if pending is None:
        return reading if _offers_known(agenda, reading) else None
    return Reading(
        text=f"{pending.text}\n{reading.text}",
        sentences=pending.sentences + reading.sentences,
        acts=pending.acts + reading.acts,
        literals=pending.literals + reading.literals,
    )


def _offers_known(agenda: Agenda, reading: Reading) -> bool:
    """Whether it offers to do something, in other words, about what the customer asked for."""
    live = agenda.in_state("open", "agreed")
    return _OFFER.search(reading.text) is not None and any(
        agenda.details_named(item, reading) for item in live
    )


def proposed_items(agenda: Agenda, content: Reading, pending: Reading | None) -> list[Item]:
    """The items that a proposal speaks of; none if that is unclear.

    A refused want may be proposed after all, and so may one that was reported without having been
    agreed to.
    """
    groups: tuple[tuple[State, ...], ...] = (("open", "agreed"), ("refused",), ("done",))
    for states in groups:
        writes = [item for item in agenda.in_state(*states) if item.is_write]
        if states == ("done",):
            writes = [item for item in writes if not item.consented]
        named = False
        for actions in _readings_of(content):
            items = agenda.matching(content, actions, writes)
            if len(items) > 1 and not agenda.records(content):
                items = _unambiguous(agenda, items, actions)
            if not actions or actions == content.possible_actions(*PROPOSING):
                # Where it is open what is to be done, it is what was asked for.
                asked = {item.want.do for item in items if item.raised}
                items = [item for item in items if item.want.do in asked] or items
            told = [item for item in items if _is_told(agenda, item, content, pending)]
            if told:
                return told
            named = named or bool(items)
        if named:
            return []
    return []


def _readings_of(content: Reading) -> list[tuple[str, ...]]:
    """The actions of a proposal, and where its verb leaves open which one, all that may be."""
    actions, maybe = content.actions(*PROPOSING), content.possible_actions(*PROPOSING)
    return [actions, maybe] if maybe else [actions]


def _is_told(agenda: Agenda, item: Item, content: Reading, pending: Reading | None) -> bool:
    """Whether a proposal says enough to be agreed to: an action or a detail; of many, two."""
    if item.consented:
        return True
    details = len(agenda.details_of(item))
    needed = min(2, details - 1) if content.actions(*PROPOSING) else min(1, details)
    if needed <= 0:
        return True
    named = set(agenda.details_named(item, content))
    if pending is not None:
        named |= set(agenda.details_named(item, pending))
    return len(named) >= needed


def _unambiguous(agenda: Agenda, items: list[Item], actions: tuple[str, ...]) -> list[Item]:
    """Several items without a named record: those raised, if they are about one record."""
    raised = [item for item in items if item.raised]
    if not actions and len(raised) != 1:
        return []
    return raised if len({agenda.records_of(item) for item in raised}) <= 1 else []


def asks_before_yes(agenda: Agenda, reading: Reading, items: list[Item]) -> bool:
    """Whether a proposal first wants something that the customer can tell.

    Who the customer is comes before any yes, and so does the record unless it is named.
    """
    if reading.has("asks_identity"):
        return True
    if reading.has("asks_record") and not agenda.records(reading):
        return True
    if reading.has("asks_confirmation") or not reading.has("asks_detail", "asks_record"):
        return False
    asked = {slot for act in reading.acts if act.kind in ASKING for slot in act.slots}
    known = {slot for item in items for slot in item.want.slots} | set(agenda.scenario.facts)
    return bool(asked & known) or not asked


def already_done(agenda: Agenda, content: Reading) -> list[Item]:
    """The items that a proposal speaks of and that were agreed to and reported before."""
    done = [item for item in agenda.in_state("done") if item.is_write and item.consented]
    return agenda.matching(content, content.actions(*PROPOSING), done)


def unwanted(agenda: Agenda, content: Reading) -> bool:
    """Whether a proposal that no want matches is clearly about something else."""
    actions = set(content.actions(*PROPOSING))
    if not actions:
        return False
    actions |= set(content.possible_actions(*PROPOSING))
    alive = [item for item in agenda.items if item.state != "dropped"]
    if not actions & {item.want.do for item in alive} or agenda.foreign_records(content):
        return True
    return bool(agenda.records(content)) and not agenda.matching(content, actions, alive)


def values_wanted(items: list[Item], slot: str) -> str:
    """The values of items for a slot, joined as the customer would; empty if there are none."""
    values = [value for item in items for value in values_of(item.want, slot)]
    return " and ".join(dict.fromkeys(values))
