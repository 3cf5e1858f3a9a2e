"""What an agent's message does: it asks, proposes, reports, refuses, hands over, takes leave.

A message is read sentence by sentence (`lines`); the rules here say which acts a sentence's hits
make and what only the whole message tells. Which slots a question wants is in `asking`; values are
read by `literals`, the customer's answers by `replies`.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from itertools import pairwise

from tau_env.language.asking import asks_record_choice, holds_value, mentioned_slots, wanted_slots
from tau_env.language.cache import per_text
from tau_env.language.lines import Line, read_lines
from tau_env.language.literals import find_literals
from tau_env.language.patterns import Hit
from tau_env.language.reading import Act, ActKind, Reading
from tau_env.language.sentences import split_sentences
from tau_env.language.tagging import tagger
from tau_env.language.words import word_set
from tau_env.schema.domain import Lexicon

_ROLE_ACTS: tuple[tuple[ActKind, str], ...] = (
    ("asks_identity", "identity"),
    ("asks_record", "record"),
    ("asks_detail", "detail"),
)
_NOUN_ACTS: dict[str, ActKind] = {"IDENT": "asks_identity", "RECID": "asks_record"}
_WANTS_ANSWER = frozenset(
    ("asks_identity", "asks_record", "asks_detail", "asks_confirmation", "proposes")
)
_REACH = 40
"""How many sentences back a pronoun may point: a bound on the work for very long messages."""
_ANSWERED = word_set("yes no nope yeah yep ok right it because well")


@per_text
def read_agent(text: str, lexicon: Lexicon) -> Reading:
    """Read what an agent's message does.

    Args:
        text: the message.
        lexicon: the domain's words.

    Returns:
        Sentences, acts in order of the sentences, and literals. A message that does nothing else
        has one act: ``holding`` or ``informs``.
    """
    sentences = split_sentences(text)
    acts = _message_acts(read_lines(sentences, lexicon), lexicon)
    return Reading(
        text=text,
        sentences=tuple(sentence.text for sentence in sentences),
        acts=tuple(sorted(acts, key=lambda act: act.sentence)),
        literals=find_literals(text, lexicon),
    )


def _message_acts(lines: list[Line], lexicon: Lexicon) -> list[Act]:
    acts = [act for line in lines for act in _line_acts(line, lines, lexicon)]
    acts = _form_fields(_without_plans(acts, lines), lines)
    acts = _open_questions(acts, lines)
    acts = acts or _plain_mentions(lines, lexicon)
    acts = _without_echoes(acts, lines)
    acts = _with_proposal(_without_courtesies(acts), lines, tagger(lexicon).alike)
    if not any(act.kind in _WANTS_ANSWER for act in acts):
        acts += [Act("asks_more", line.index) for line in lines if line.has("closing")][-1:]
    if not acts:
        held = [line.index for line in lines if line.has("hold")]
        acts.append(Act("holding", held[0]) if held else Act("informs", 0))
    elif len({act.kind for act in acts} - {"asks_more"}) == 0 and _says_facts(lines):
        acts.append(Act("informs", 0))
    return acts


def _line_acts(line: Line, lines: list[Line], lexicon: Lexicon) -> list[Act]:
    """The acts that a sentence shows by itself."""
    index, actions = line.index, line.tagged.all_actions()
    acts: list[Act] = []
    if line.has("transfer", without="refuse"):
        acts.append(Act("offers_transfer", index))
    refusing, reporting = line.spans("refuse", without="unrefuse"), _reporting(line)
    if refusing:
        acts.append(Act("refuses", index, actions=line.actions_of(refusing)))
    if reporting:
        acts.append(Act("reports_done", index, actions=line.actions_of(reporting)))
    if line.has("more", without="unmore") and not line.tagged.has("HUMAN"):
        acts.append(Act("asks_more", index))
    if line.confirms:
        acts.append(Act("asks_confirmation", index, actions=actions))
    slots = wanted_slots(line, lexicon)
    for kind, role in _ROLE_ACTS:
        if role in slots:
            acts.append(Act(kind, index, slots=slots[role]))
    if "record" not in slots and asks_record_choice(line, lines):
        names = tuple(name for name, slot in lexicon.slots.items() if slot.role == "record")
        acts.append(Act("asks_record", index, slots=names))
    return acts


def _reporting(line: Line) -> tuple[Hit, ...]:
    """Where it reports a finished action; a question reports only before its last comma.

    What follows an offer is not yet done: "I would change the payment: $5 is charged to PayPal".
    """
    offer = _offered_at(line)
    hits = tuple(hit for hit in line.spans("done", without="undone") if hit.start < offer)
    if not line.sentence.question:
        return hits
    words = line.tagged.words
    return tuple(
        hit for hit in hits if "," in words[hit.end :] and not line.starts_question(hit.start)
    )


def _without_plans(acts: list[Act], lines: list[Line]) -> list[Act]:
    """Drop what is no report but to be agreed to: "1. W1: cancelled ... Yes to both?".

    That is a whole list, and money that "is refunded", before the question for a yes.
    """
    asked = max((act.sentence for act in acts if act.kind == "asks_confirmation"), default=-1)
    reports = [lines[act.sentence] for act in acts if act.kind == "reports_done"]
    planned = {
        line.index
        for line in reports
        if line.index < asked and (line.sentence.item or line.moves_money)
    }
    if len(planned) < len({line.index for line in reports}):
        return acts
    return [act for act in acts if act.kind != "reports_done"]


def _offered_at(line: Line) -> int:
    """Where "I would" comes before an action of the domain; the sentence's end if it does not."""
    words = line.tagged.words
    for place, (one, two) in enumerate(pairwise(words)):
        if one in ("i", "we") and two in ("would", "'d") and "ACT" in words[place + 2 : place + 4]:
            return place
    return len(words)


def _form_fields(acts: list[Act], lines: list[Line]) -> list[Act]:
    """In a list of questions "would you like to add it?" is one more detail, not a proposal."""
    asking = {act.sentence for act in acts if act.kind.startswith("asks_")}
    items = [line.index for line in lines if line.sentence.item and line.index in asking]
    if len(items) < 2:
        return acts
    return [
        replace(act, kind="asks_detail", actions=())
        if act.kind == "asks_confirmation" and act.sentence in items
        else act
        for act in acts
    ]


def _open_questions(acts: list[Act], lines: list[Line]) -> list[Act]:
    """Add what is asked without a noun of the lexicon.

    After a report such a question asks for more, after a proposal for agreement; a question that
    the agent goes on to answer itself asks nothing.
    """
    asking = {act.sentence for act in acts if act.kind.startswith("asks_")}
    asking |= {act.sentence for act in acts if act.kind == "offers_transfer"}
    reported = {act.sentence for act in acts if act.kind == "reports_done"}
    proposed = [line.index for line in lines if line.proposes or line.prices_record]
    settled = bool(reported) and max(proposed, default=-1) <= min(reported)
    found: list[Act] = []
    for line in lines:
        if line.index in asking or not _is_open(line, lines):
            continue
        plain = line.sentence.question and not line.has("choice")
        if plain and settled:
            found.append(Act("asks_more", line.index))
        elif plain and proposed and not line.opens_with_wh:
            found.append(Act("asks_confirmation", line.index))
        elif not (line.points_back and asking):
            found += _about_noun_before(line, lines)
    return acts + found


def _is_open(line: Line, lines: list[Line]) -> bool:
    """Whether it wants an answer of its own: a real question, or a request for a choice."""
    if not line.asks or line.lead or line.has("hold") or holds_value(line):
        return False
    if not line.sentence.question:
        return line.asked_by_lead or (
            line.has("request")
            and (line.has("choice") or line.has("wh") or line.points or line.tagged.has("or"))
        )
    following = lines[line.index + 1 : line.index + 2]
    if any(other.tagged.words[0] in _ANSWERED for other in following):
        return False
    to_customer = not {"you", "your"}.isdisjoint(line.tagged.words)
    return to_customer or line.index >= len(lines) - 2 or line.sentence.item


def _about_noun_before(line: Line, lines: list[Line]) -> list[Act]:
    """An open question, about the nouns named before it where it only points: "give me both"."""
    if line.points:
        for other in reversed(lines[max(0, line.index - _REACH) : line.index + 1]):
            tags = zip(other.tagged.words, other.tagged.slots, strict=True)
            named = [(tag, slots) for tag, slots in tags if tag in _NOUN_ACTS]
            if named:
                return [Act(_NOUN_ACTS[tag], line.index, slots=slots) for tag, slots in named]
    return [Act("asks_detail", line.index)]


def _plain_mentions(lines: list[Line], lexicon: Lexicon) -> list[Act]:
    """Of a message that does nothing else: what it mentions of identity and record is wanted."""
    found: list[Act] = []
    for line in lines:
        slots = mentioned_slots(line, lexicon)
        found += [
            Act(kind, line.index, slots=slots[role]) for kind, role in _ROLE_ACTS if role in slots
        ]
    return found


def _without_echoes(acts: list[Act], lines: list[Line]) -> list[Act]:
    """Drop a bare "would you like that?" that only repeats the offer of a transfer."""
    offers = [act.sentence for act in acts if act.kind == "offers_transfer"]
    if not offers or any(line.proposes and line.tagged.has("VAL") for line in lines):
        return acts
    first = min(offers)
    return [
        act
        for act in acts
        if act.kind != "asks_confirmation" or act.actions or act.sentence < first
    ]


def _without_courtesies(acts: list[Act]) -> list[Act]:
    """Drop an "if that's okay?" that goes with a question for identity."""
    if not any(act.kind == "asks_identity" for act in acts):
        return acts
    return [act for act in acts if act.kind != "asks_confirmation" or act.actions]


def _with_proposal(acts: list[Act], lines: list[Line], alike: tuple[str, ...]) -> list[Act]:
    """Add the proposal that a question for agreement rests on, or one that stands alone.

    Where its verb leaves open which action it means, it may be each of those that are ``alike``.
    """
    confirms = [act for act in acts if act.kind == "asks_confirmation"]
    reported = {act.sentence for act in acts if act.kind in ("reports_done", "refuses")}
    offered = [line for line in lines if line.proposes and line.index not in reported]
    asked = any(act.kind == "asks_detail" for act in acts)
    open_ends = asked or any(act.kind == "asks_more" for act in acts)
    strong = [
        line for line in offered if line.tagged.has("VAL") and not (open_ends and line.is_possible)
    ] or _priced(acts, lines)
    early = any(act.kind == "asks_identity" for act in acts)
    settled = reported and not asked and not _goes_on(acts, strong)
    if not confirms and (early or not strong or settled):
        return acts
    concrete = [line for line in lines if line.index not in reported and line.is_concrete]
    concrete = concrete or [line for line in lines if line.has("will") or line.sentence.label]
    if not concrete:
        return [act for act in acts if act not in confirms] if reported else acts
    basis = strong or offered or concrete
    actions = _unique(action for line in basis for action in line.tagged.all_actions())
    actions = actions or _unique(action for act in confirms for action in act.actions)
    clear = any(line.tagged.clear_actions() for line in (*basis, *_lines_of(confirms, lines)))
    maybe = () if clear or not actions else alike
    proposal = Act("proposes", basis[0].index, actions=actions, maybe=maybe)
    told = [
        replace(act, actions=act.actions or actions, maybe=maybe)
        if act.kind == "asks_confirmation"
        else act
        for act in acts
    ]
    return [proposal, *told]


def _lines_of(acts: list[Act], lines: list[Line]) -> list[Line]:
    return [lines[act.sentence] for act in acts]


def _goes_on(acts: list[Act], offered: list[Line]) -> bool:
    """Whether what is offered comes after a report and is something else: "it is late; I'd ..."."""
    reports = [act for act in acts if act.kind in ("reports_done", "refuses")]
    done = {action for act in reports for action in act.actions}
    last = max((act.sentence for act in reports), default=-1)
    actions = {action for line in offered for action in line.tagged.all_actions()}
    later = all(line.index > last for line in offered)
    return bool(done and actions) and later and actions.isdisjoint(done)


def _priced(acts: list[Act], lines: list[Line]) -> list[Line]:
    """Lines that put a price on a record while a detail is asked: "1 bag on R4TY9P, $50."."""
    if not any(act.kind == "asks_detail" for act in acts):
        return []
    return [line for line in lines if line.prices_record]


def _unique(actions: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(actions))


def _says_facts(lines: list[Line]) -> bool:
    return any(
        line.tagged.has("VAL", "NUM") and not line.asks and not line.has("more") for line in lines
    )
