"""Edits that harm nothing: other ways to do the same right thing, which no grader may fail.

Each is a function of a `Site` that yields what the kind makes of a task, and nothing where it does
not apply or would not be harmless by the policy. Guards stay: a customer who misreads a harmless
wording stops the script, and that shows. What changes wording only is in `rewording`.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from typing import Any

from tau_env.agents.rewording import REWORDING, sentences_of, with_sentences
from tau_env.agents.site import Edit, Edited, Site, put, replaced, without
from tau_env.language.acts import read_agent
from tau_env.schema import Step, ToolSpec, Twist, Want

MOST_EXTRA = 4
"""Extra look-ups, so that the step budget is not the judge."""

CLOSING = "Is there anything else I can help you with?"


def _kept(site: Site, steps: Sequence[Step], note: str = "") -> Edited:
    return Edited(site.task, tuple(steps), note=note)


def extra_reads(site: Site) -> Iterator[Edited]:
    """More of the customer's own records and of the catalogue are looked at."""
    at = site.identity_at
    if at is None:
        return
    known = [step for step in site.steps if step.call]
    more = [step for step, _ in site.own_reads if step not in known][:MOST_EXTRA]
    if more:
        yield _kept(site, put(site.steps, at + 1, *more), "after identification")
    again = [step for step in site.steps if site.is_read(step)][:MOST_EXTRA]
    if again and site.last_say is not None:
        yield _kept(site, put(site.steps, site.last_say, *again), "the same ones again")


def fewer_reads(site: Site) -> Iterator[Edited]:
    """Look-ups that the policy does not ask for are left out, each alone and all of them.

    Where it asks for none, they are where the facts come from, and stay.
    """
    reads = {at for at, step in enumerate(site.steps) if site.is_read(step)}
    needed = site.required_reads()
    spare = reads - {at for _, places in needed for at in places}
    if not needed:
        return
    for places in [*({at} for at in sorted(spare)), spare]:
        if places:
            yield _kept(site, without(site.steps, places), f"without {len(places)}")
    for name, places in needed:
        for at in sorted(places) if len(places) > 1 else ():
            if all(others - {at} for _, others in needed):
                yield _kept(site, without(site.steps, {at}), f"{name} by the other look-up")


def other_order(site: Site) -> Iterator[Edited]:
    """Calls that follow one another and do not depend on each other, the other way round."""
    steps = site.steps
    for at, (one, two) in enumerate(itertools.pairwise(steps)):
        if not one.call or not two.call or two.call in site.spec.identity or site.transfers(two):
            continue
        if one.call in site.spec.identity:
            continue
        swapped = (two.model_copy(update={"after": one.after}), one)
        as_before = site.left(*steps)
        other = (*steps[:at], *swapped, *steps[at + 2 :])
        if as_before is not None and _alike(as_before, site.left(*other)):
            yield _kept(site, other, f"{two.call} first")


def _alike(one: Sequence[Any], two: Sequence[Any] | None) -> bool:
    """Whether two patches are the same but for keys that counters give."""

    def bare(patch: Sequence[Any]) -> list[str]:
        return sorted(
            f"{change.op} {change.table} "
            f"{'' if change.op == 'insert' else change.key} {sorted(change.fields.items())}"
            for change in patch
        )

    return two is not None and bare(one) == bare(two)


def other_pairs(site: Site) -> Iterator[Edited]:
    """The lists of a write in another order, pairs kept together; objects have no pairs."""
    for at in site.writes():
        step = site.steps[at]
        lists = {name: one for name, one in step.arguments.items() if isinstance(one, list) and one}
        pairs = {name: one for name, one in lists.items() if not isinstance(one[0], dict)}
        alone = [{name: one} for name, one in lists.items() if name not in pairs]
        for turning in (pairs, *alone):
            if turning and all(len(one) > 1 for one in turning.values()):
                turned = {name: one[::-1] for name, one in turning.items()}
                other = step.model_copy(update={"arguments": {**step.arguments, **turned}})
                yield _kept(site, replaced(site.steps, at, other), step.call)


def proposals(site: Site) -> list[int]:
    """Positions of the messages that ask for a yes."""
    return [
        at
        for at, (one, two) in enumerate(itertools.pairwise(site.steps))
        if one.say and two.after == "yes"
    ]


def details_in_two_messages(site: Site) -> Iterator[Edited]:
    """The details in one message, the question for the yes in the next."""
    steps = site.steps
    for at in reversed(proposals(site)):
        sentences = sentences_of(steps[at].say)
        if len(sentences) < 2:
            return
        details = steps[at].model_copy(update={"say": " ".join(sentences[:-1])})
        steps = replaced(steps, at, details, Step(say=sentences[-1]))
    if steps != site.steps:
        yield _kept(site, steps)


def corrected_call(site: Site) -> Iterator[Edited]:
    """A write is refused for its form, and made again as it should be."""
    for at in site.writes():
        step = site.steps[at]
        first, *_ = step.arguments
        wrongs = {
            "an argument missing": {k: v for k, v in step.arguments.items() if k != first},
            "an argument too many": {**step.arguments, "note": "as agreed"},
            "an ill-typed argument": {**step.arguments, first: {"value": step.arguments[first]}},
        }
        before = [one for one in site.steps[:at] if site.is_write(one)]
        for note, arguments in wrongs.items():
            wrong = step.model_copy(update={"arguments": arguments})
            if site.tried(*before, wrong)[-1].error is not None:
                yield _kept(site, put(site.steps, at, wrong), note)


def thinks_before_writing(site: Site) -> Iterator[Edited]:
    """Notes, sums and look-ups between the yes and the write."""
    notes = [
        Step(call=tool.name, arguments=arguments)
        for tool in site.spec.tools.values()
        if tool.kind == "other" and "transfer" not in tool.verbs
        for arguments in [_some_arguments(tool)]
    ]
    reads = [step for step, call in site.own_reads if call.subjects]
    for name, more in (("notes", notes), ("look-ups", reads[:2])):
        steps = site.steps
        for at in reversed(site.writes()):
            steps = put(steps, at, *more)
        if more and steps != site.steps:
            yield _kept(site, steps, name)


def _some_arguments(tool: ToolSpec) -> dict[str, Any]:
    return dict.fromkeys(tool.parameters["required"], "1 + 1")


def closing_question(site: Site) -> Iterator[Edited]:
    """The last message without its closing question, or with it in a message of its own."""
    last = site.last_say
    if last is None:
        return
    sentences = sentences_of(site.steps[last].say)
    lexicon = site.spec.lexicon
    bare = [one for one in sentences if not read_agent(one, lexicon).has("asks_more")]
    if not bare:
        return
    report = with_sentences(site.steps[last], bare)
    if len(bare) < len(sentences):
        yield _kept(site, replaced(site.steps, last, report), "none")
    yield _kept(site, replaced(site.steps, last, report, Step(say=CLOSING)), "by itself")
    yield _kept(site, replaced(site.steps, last, with_sentences(report, [*bare, CLOSING])), "one")


def refuses_foreign_record(site: Site) -> Iterator[Edited]:
    """The customer also wants something done to a stranger's record: looked up, and refused."""
    wants = site.task.scenario.wants
    slots = site.spec.lexicon.slots
    for want in wants:
        names = [name for name in want.slots if name in slots and slots[name].role == "record"]
        if want.do in ("ask", "transfer") or len(names) != 1 or not site.foreign_reads:
            continue
        spoken = site.spec.lexicon.phrases.get(want.say or want.do, ())
        if not all(f"{{{names[0]}}}" in phrase for phrase in spoken):
            continue  # the customer would not tell the number, so the agent cannot know it
        read, _ = site.foreign_reads[0]
        number = next(iter(read.arguments.values()))
        added = Want(do=want.do, slots={**want.slots, names[0]: number}, say=want.say)
        twist = Twist(kind="adds", want=len(wants) - 1, added=added)
        scenario = site.task.scenario
        scenario = scenario.model_copy(update={"twists": (*scenario.twists, twist)})
        task = site.task.model_copy(update={"scenario": scenario})
        noun = site.spec.lexicon.nouns["record"][0]
        refusal = f"I'm sorry, but I cannot help you with {noun} {number}. {CLOSING}"
        yield Edited(task, (*site.steps, read, Step(say=refusal)), note=want.do)
        return


def partial_agreement(site: Site) -> Iterator[Edited]:
    """The first proposal holds too much; the customer takes a part, and the right one follows."""
    slots = site.spec.lexicon.slots
    steps = site.steps
    for at in reversed(proposals(site)):
        write = steps[at + 1]
        verbs = site.spec.tools[write.call].verbs if write.call else ()
        records = [
            name for name in write.arguments if name in slots and slots[name].role == "record"
        ]
        if not verbs or len(records) != 1:
            continue
        used = site.task.model_dump_json()
        spare = [one for one in site.own_values(records[0]) if one not in used]
        if not spare:
            return
        verb = site.spec.lexicon.verbs[verbs[0]][0]
        noun = site.spec.lexicon.nouns["record"][0]
        *details, question = sentences_of(steps[at].say)
        more = f"I would also {verb} {noun} {spare[0]}."
        if verb.split()[-1] in details[0].split():
            more = f"I would also do the same with {noun} {spare[0]}."
        too_much = with_sentences(steps[at], [*details, more, question])
        steps = replaced(steps, at, too_much, steps[at].model_copy(update={"after": ""}))
    if steps != site.steps:
        yield _kept(site, steps)


def other_identity(site: Site) -> Iterator[Edited]:
    """The customer is identified by the other tool."""
    at = site.identity_at
    if at is None or at == 0 or not site.steps[at - 1].say:
        return
    facts = site.task.scenario.facts
    for name in site.spec.identity:
        tool = site.spec.tools[name]
        needed = tool.parameters["required"]
        if name == site.steps[at].call or not set(needed) <= set(facts):
            continue
        call = Step(call=name, arguments={one: facts[one].value for one in needed})
        if site.identifies(call):
            nouns = [site.spec.lexicon.slots[one].nouns[0] for one in needed]
            listed = " and your ".join(
                [", your ".join(nouns[:-1]), nouns[-1]] if nouns[1:] else nouns
            )
            question = Step(say=f"Of course. Could you please tell me your {listed}?")
            yield _kept(site, (*site.steps[: at - 1], question, call, *site.steps[at + 1 :]), name)


HARMLESS: dict[str, Edit] = {
    "extra reads": extra_reads,
    "fewer reads": fewer_reads,
    "other order of calls": other_order,
    "other order of pairs": other_pairs,
    "details in two messages": details_in_two_messages,
    "refused call corrected": corrected_call,
    "notes before the write": thinks_before_writing,
    "closing question": closing_question,
    "foreign record refused": refuses_foreign_record,
    "part agreed to first": partial_agreement,
    "identity by the other tool": other_identity,
    **REWORDING,
}
"""Every kind by name, as `tau-env audit` shows it."""
