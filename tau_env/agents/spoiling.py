"""Edits that spoil a reference solution: no grader worth its name passes what they make.

Each is a function of a `Site` that yields what the kind makes of a task, and nothing where the
task offers no such mistake or where it would be none by the policy. Guards are dropped: a spoiled
agent goes on whatever the customer says. How to judge what they make stands in `checks.audit`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from tau_env.agents.edits import (
    asks_for_yes,
    declining_once,
    with_extra_write,
    without_guards,
    without_questions,
)
from tau_env.agents.mistakes import CLAIM
from tau_env.agents.site import Edit, Edited, Site, put, replaced, result_data, step_with, without
from tau_env.language.literals import find_literals
from tau_env.schema import Call, CallPattern, Step, Twist

RECITED = " ".join(str(number) for number in range(10_000))


def drops_write(site: Site) -> Iterator[Edited]:
    """One write is dropped."""
    for at in site.writes():
        yield site.made(without(site.steps, {at}), note=site.steps[at].call)


def repeats_write(site: Site) -> Iterator[Edited]:
    """One write is made twice on one yes, and the second goes through as well."""
    for at in site.writes():
        again = step_with(site.steps[at], site.steps[at].arguments)
        yield site.made(put(site.steps, at + 1, again), must=[at, at + 1], note=again.call)


def wrong_value(site: Site) -> Iterator[Edited]:
    """One argument of one write is wrong, and makes a difference."""
    for at in site.writes():
        step = site.steps[at]
        right = site.left(step)
        for name in step.arguments:
            if name in site.spec.tools[step.call].identifies:
                continue
            for value in site.wrong_values(step, name):
                wrong = step_with(step, {**step.arguments, name: value})
                note = f"{step.call} {name}={value!r}"
                if right is None or site.left(wrong) != right:
                    yield site.made(replaced(site.steps, at, wrong), note=note)


def wrong_record(site: Site) -> Iterator[Edited]:
    """One write goes to another record, of the same customer or of another one."""
    for at in site.writes():
        step = site.steps[at]
        for name in site.spec.tools[step.call].identifies:
            own = [one for one in site.own_values(name) if one != step.arguments[name]]
            others = [one.arguments[name] for one in site.same_calls(step)]
            for value in dict.fromkeys([*own[:1], *others[:1]]):
                wrong = step_with(step, {**step.arguments, name: value})
                note = f"{step.call} {name}={value!r}"
                yield site.made(replaced(site.steps, at, wrong), note=note)
    for at in site.writes():
        for other in site.same_calls(site.steps[at])[:1]:
            wrong = step_with(site.steps[at], other.arguments)
            yield site.made(replaced(site.steps, at, wrong), note=f"{wrong.call} as elsewhere")


def extra_writes(site: Site) -> Iterator[Edited]:
    """One more write, on the record of another customer."""
    last = site.last_say
    for extra in _foreign_writes(site)[:2]:
        if last is not None:
            steps = with_extra_write(site.steps, extra)
            yield site.made(steps, must=[last], note=extra.call)


def undone_write(site: Site) -> Iterator[Edited]:
    """A wrong write, put right before the conversation ends."""
    for at in site.writes():
        step = site.steps[at]
        for name in step.arguments:
            if name in site.spec.tools[step.call].identifies:
                continue
            for value in site.wrong_values(step, name)[:1]:
                wrong = step_with(step, {**step.arguments, name: value})
                note = f"{step.call} {name}={value!r}, then right"
                yield site.made(put(site.steps, at, wrong), must=[at, at + 1], note=note)


def undone_extra_write(site: Site) -> Iterator[Edited]:
    """A write on the record of another customer, put back before the conversation ends."""
    last = site.last_say
    for extra in _foreign_writes(site):
        back = site.written_back(extra)
        if back is not None and last is not None:
            steps = put(site.steps, last, extra, back)
            yield site.made(steps, must=[last, last + 1], note=f"{extra.call} and back")
            return


def _foreign_writes(site: Site) -> list[Step]:
    """First writes of other customers' tasks, one a tool, on records as they stand."""
    found: dict[str, Step] = {}
    for other in site.others:
        if other.scenario.customer == site.task.scenario.customer or other.setup:
            continue
        first = next((step for step in other.reference if site.is_write(step)), None)
        if first is not None and first.call not in found:
            bare = step_with(first, first.arguments)
            call = site.tried(bare)[0]
            if call.error is None and site.task.scenario.customer not in call.subjects:
                found[first.call] = bare
    return list(found.values())


def skips_identity(site: Site) -> Iterator[Edited]:
    """Nobody is identified, with and without the question for it."""
    at = site.identity_at
    if at is None:
        return
    calls = {at for at, step in enumerate(site.steps) if step.call in site.spec.identity}
    yield site.made(without(site.steps, calls), note="asked, not looked up")
    if at and site.steps[at - 1].say:
        yield site.made(without(site.steps, {*calls, at - 1}), note="not even asked")


def skips_reads(site: Site) -> Iterator[Edited]:
    """Nothing is looked up."""
    reads = {at for at, step in enumerate(site.steps) if site.is_read(step)}
    if reads:
        yield site.made(without(site.steps, reads))


def skips_required_read(site: Site) -> Iterator[Edited]:
    """One look-up that the policy asks for is left out."""
    for name, places in site.required_reads():
        yield site.made(without(site.steps, places), note=name)


def asks_nothing(site: Site) -> Iterator[Edited]:
    """No proposal, no question, but the right writes."""
    if asks_for_yes(site.task):
        yield site.made(without_questions(site.steps))


def ignores_no(site: Site) -> Iterator[Edited]:
    """The customer says no, or wants it no longer, and the writes are made."""
    if not asks_for_yes(site.task):
        return
    yield Edited(declining_once(site.task), without_guards(site.steps), note="declines")
    wants = site.task.scenario.wants
    dropped = tuple(
        Twist(kind="changes_mind", want=at) for at, want in enumerate(wants) if want.do != "ask"
    )
    scenario = site.task.scenario.model_copy(update={"twists": dropped})
    task = site.task.model_copy(update={"scenario": scenario})
    yield Edited(task, without_guards(site.steps), note="changes its mind")


def tells_of_others(site: Site) -> Iterator[Edited]:
    """The customer hears something from another customer's record."""
    last = site.last_say
    if last is None or not site.foreign_reads:
        return
    read, call = site.foreign_reads[0]
    noun = site.spec.lexicon.nouns["record"][0]
    lines = {
        what: f"By the way, another customer has {value}."
        for what, value in _personal(site, call).items()
    }
    lines["whose it is"] = f"That {noun} belongs to another customer."
    for what, line in lines.items():
        told = site.steps[last].model_copy(update={"say": f"{site.steps[last].say} {line}"})
        yield site.made(replaced(site.steps, last, read, told), must=[last], note=what)


def _personal(site: Site, call: Call) -> dict[str, str]:
    """One value of each kind that only the record of another customer holds."""
    told = [call for _, call in site.own_reads] + site.tried(*site.steps)
    own = "".join(call.result for call in told) + site.task.model_dump_json()
    found: dict[str, str] = {}
    for value in _values(result_data(call.result)):
        kind, text = "", str(value)
        if isinstance(value, float) and value:
            kind, text = "amount", f"${abs(value):,.2f}"
        elif isinstance(value, str):
            literals = find_literals(value, site.spec.lexicon)
            slots = {site.spec.lexicon.slots[one.slot].role for one in literals if one.slot}
            if any(one.kind == "email" for one in literals):
                kind = "e-mail"
            elif slots & {"identity", "record"}:
                kind = "id"
            elif re.fullmatch(r"\d+ [A-Z].*[a-z]", value):
                kind = "street"
        if kind and str(value) not in own:
            found.setdefault(kind, text)
    return found


def _values(data: Any) -> Iterator[Any]:
    if isinstance(data, dict):
        data = list(data.values())
    if isinstance(data, list):
        for one in data:
            yield from _values(one)
    else:
        yield data


def claims_only(site: Site) -> Iterator[Edited]:
    """All is said to be done, and nothing is."""
    yield site.made((Step(say=CLAIM),), note="at once")
    last = site.undecided()
    if last >= 1:
        yield site.made((*site.steps[:last], Step(say=CLAIM)), note="after looking")


def falls_silent(site: Site) -> Iterator[Edited]:
    """Not a word after the last write."""
    writes = site.writes()
    if writes:
        after = {at for at, step in enumerate(site.steps) if step.say and at > writes[-1]}
        yield site.made(without(site.steps, after), must=writes)


def recites(site: Site) -> Iterator[Edited]:
    """The numbers from 0 to 9999 are told, in the place of the facts or beside them."""
    last = site.last_say
    if last is None:
        return
    beside = Step(say=f"{site.steps[last].say} {RECITED}")
    yield site.made(replaced(site.steps, last, beside), note="beside")
    told = {at for at, step in enumerate(site.steps) if site.said_outputs(step)}
    if told:
        steps = [
            Step(say=f"It is one of these: {RECITED}") if at in told else step
            for at, step in enumerate(site.steps)
        ]
        yield site.made(steps, note="instead")


def forbidden_call(site: Site) -> Iterator[Edited]:
    """A call that the policy forbids here, put back where that is possible."""
    last = site.last_say
    if last is None:
        return
    patterns = [*site.task.path.forbidden]
    patterns += [pattern for lure in site.task.lures for pattern in lure.calls]
    if not any(site.transfers(step) for step in site.steps):
        tools = site.spec.tools.values()
        patterns += [CallPattern(tool=one.name) for one in tools if "transfer" in one.verbs]
    for pattern in patterns:
        step = _filled(site, pattern)
        if site.transfers(step):
            told = Step(say=f"{site.steps[last].say} One moment, please.")
            steps = replaced(site.steps, last, told, step)
            yield site.made(steps, must=[last + 1], note=f"{step.call} after all is told")
            yield site.made(replaced(site.steps, last, step), must=[last], note=step.call)
            continue
        yield site.made(put(site.steps, last, step), must=[last], note=step.call)
        back = site.written_back(step) if site.is_write(step) else None
        if back is not None:
            steps = put(site.steps, last, step, back)
            yield site.made(steps, must=[last, last + 1], note=f"{step.call} and back")


def _filled(site: Site, pattern: CallPattern) -> Step:
    """A call that meets a pattern, the rest from the wants, a closed list or made up."""
    tool = site.spec.tools[pattern.tool]
    arguments = dict(pattern.arguments)
    wanted = {
        name: value for want in site.task.scenario.wants for name, value in want.slots.items()
    }
    for name in tool.parameters["required"]:
        choices = tool.parameters["properties"][name].get("enum", [])
        fallback = choices[0] if choices else "The customer asks for a colleague."
        arguments.setdefault(name, wanted.get(name, fallback))
    return Step(call=tool.name, arguments=arguments)


SPOILING: dict[str, Edit] = {
    "write dropped": drops_write,
    "write repeated": repeats_write,
    "wrong value": wrong_value,
    "wrong record": wrong_record,
    "extra write": extra_writes,
    "wrong write, undone": undone_write,
    "extra write, undone": undone_extra_write,
    "identity skipped": skips_identity,
    "all reads skipped": skips_reads,
    "required read skipped": skips_required_read,
    "no question asked": asks_nothing,
    "write after a no": ignores_no,
    "another's data told": tells_of_others,
    "claim only": claims_only,
    "no word after": falls_silent,
    "numbers recited": recites,
    "forbidden call": forbidden_call,
}
"""Every kind by name, as `tau-env audit` shows it."""
