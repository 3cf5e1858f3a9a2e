"""What an agent's message does: it asks, proposes, reports, refuses, hands over, takes leave.

A message is read sentence by sentence (`lines`); the rules here say which acts a sentence's hits
make and what only the whole message tells. Which slots a question wants is in `asking`; values are
read by `literals`, the customer's answers by `replies`.
"""

from __future__ import annotations

from dataclasses import replace

from tau_env.language.asking import asks_record_choice, wanted_slots
from tau_env.language.cache import per_text
from tau_env.language.lines import Line, read_lines
from tau_env.language.literals import find_literals
from tau_env.language.reading import Act, ActKind, Reading
from tau_env.language.sentences import split_sentences
from tau_env.schema.domain import Lexicon

_ROLE_ACTS: tuple[tuple[ActKind, str], ...] = (
    ("asks_identity", "identity"),
    ("asks_record", "record"),
    ("asks_detail", "detail"),
)
_WANTS_ANSWER = frozenset(
    ("asks_identity", "asks_record", "asks_detail", "asks_confirmation", "proposes")
)
_POINTING = frozenset("it that this those these them one following below".split())


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
    acts = _open_questions(acts, lines)
    acts = _without_echoes(acts, lines)
    acts = _with_proposal(acts, lines)
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
    if line.has("transfer"):
        acts.append(Act("offers_transfer", index))
    if line.has("refuse", without="unrefuse"):
        acts.append(Act("refuses", index, actions=actions))
    if _reports(line):
        acts.append(Act("reports_done", index, actions=actions))
    if line.has("more") and not line.tagged.has("HUMAN"):
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


def _reports(line: Line) -> bool:
    """Whether it reports a finished action; a question reports only before its last comma."""
    hits = line.spans("done", without="undone")
    if not line.sentence.question:
        return bool(hits)
    words = line.tagged.words
    return any("," in words[hit.end :] and not line.starts_question(hit.start) for hit in hits)


def _open_questions(acts: list[Act], lines: list[Line]) -> list[Act]:
    """Add what is asked without a noun of the lexicon, unless it only points at what was named."""
    done = {act.sentence for act in acts}
    asking = {act.sentence for act in acts if act.kind.startswith("asks_")}
    for line in lines:
        if line.index in done & asking or not line.asks or line.lead:
            continue
        if any(act.sentence == line.index and act.kind == "offers_transfer" for act in acts):
            continue
        points = not _POINTING.isdisjoint(line.tagged.words)
        if points and any(act.kind in _WANTS_ANSWER for act in acts):
            continue
        if line.sentence.question or line.has("choice") or line.has("request"):
            acts.append(Act("asks_detail", line.index, slots=_named_before(line, lines)))
    return acts


def _named_before(line: Line, lines: list[Line]) -> tuple[str, ...]:
    return ()


def _without_echoes(acts: list[Act], lines: list[Line]) -> list[Act]:
    """Drop a bare "would you like that?" that only repeats the offer of a transfer."""
    offers = [act.sentence for act in acts if act.kind == "offers_transfer"]
    if not offers:
        return acts
    return [
        act
        for act in acts
        if not (
            act.kind == "asks_confirmation"
            and not act.actions
            and act.sentence >= min(offers)
            and not any(line.proposes for line in lines)
        )
    ]


def _with_proposal(acts: list[Act], lines: list[Line]) -> list[Act]:
    """Add the proposal that a question for agreement rests on, or one that stands alone."""
    confirms = [act for act in acts if act.kind == "asks_confirmation"]
    reported = {act.sentence for act in acts if act.kind in ("reports_done", "refuses")}
    offered = [line for line in lines if line.proposes and line.index not in reported]
    strong = [line for line in offered if line.tagged.has("VAL")] or _priced(acts, lines)
    if not confirms and not strong:
        return acts
    concrete = [line for line in lines if line.index not in reported and line.is_concrete]
    if not concrete:
        return acts
    basis = strong or offered or concrete
    actions = _unique(action for line in basis for action in line.tagged.all_actions())
    actions = actions or _unique(action for act in confirms for action in act.actions)
    proposal = Act("proposes", basis[0].index, actions=actions)
    told = [
        replace(act, actions=actions)
        if act.kind == "asks_confirmation" and not act.actions
        else act
        for act in acts
    ]
    return [proposal, *told]


def _priced(acts: list[Act], lines: list[Line]) -> list[Line]:
    """Lines that put a price on a record while a detail is asked: "1 bag on R4TY9P, $50."."""
    if not any(act.kind == "asks_detail" for act in acts):
        return []
    return [line for line in lines if line.prices_record]


def _unique(actions: object) -> tuple[str, ...]:
    return tuple(dict.fromkeys(actions))  # type: ignore[call-overload]


def _says_facts(lines: list[Line]) -> bool:
    return any(
        line.tagged.has("VAL", "NUM") and not line.asks and not line.has("more") for line in lines
    )
