"""The scripted customer over the tasks of every registered domain, in all its manners."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest

from tau_env import content
from tau_env.language.replies import read_customer
from tau_env.registry import domain_names, find_domain
from tau_env.schema import Lexicon, Task
from tau_env.users.scripted import ScriptedUser
from tau_env.users.wording import STYLES

NAMES = domain_names()
every_domain = pytest.mark.parametrize("domain", NAMES)
ASKS_NOTHING = (
    "One moment, please.",
    "",
    "I can help you with that.",
    "Thank you for your patience.",
    "I'm sorry, but that is not possible.",
)


def cases(domain: str) -> Iterator[tuple[Task, Lexicon]]:
    """Every task, each in another manner."""
    lexicon = find_domain(domain).spec.lexicon
    for number, task in enumerate(content.tasks(domain).values()):
        style = STYLES[number % len(STYLES)]
        scenario = task.scenario.model_copy(update={"style": style})
        yield task.model_copy(update={"scenario": scenario}), lexicon


def says(task: Task) -> list[str]:
    """What the reference says."""
    return [step.say for step in task.reference if step.say]


@every_domain
def test_f46_f55_customer_invents_nothing_and_opens_once(domain: str) -> None:
    for task, lexicon in cases(domain):
        user = ScriptedUser()
        first = user.reset(task.scenario, lexicon, 2).text
        heard = task.scenario.model_dump_json()
        for text in [*says(task), *ASKS_NOTHING]:
            heard += text
            line = user.reply(text)
            assert line.text != first, task.id
            for value in re.findall(r"\S+@\S+\w|#?\w*\d[\w-]*", line.text):
                assert value in heard, (task.id, value, line.text)
            if line.ends:
                break


@every_domain
def test_f59_customer_tells_nothing_that_was_not_asked_for(domain: str) -> None:
    for task, lexicon in cases(domain):
        wanted = str([want.slots for want in task.scenario.wants])
        secret = [
            fact.value
            for fact in task.scenario.facts.values()
            if fact.tell == "asked" and fact.value not in wanted
        ]
        user = ScriptedUser()
        lines = [user.reset(task.scenario, lexicon, 3)]
        for text in ASKS_NOTHING:
            if not lines[-1].ends:
                lines.append(user.reply(text))
        for value in secret:
            pattern = rf"(?<!\w){re.escape(value)}(?!\w)"
            told = [line.text for line in lines if re.search(pattern, line.text)]
            assert told == [], (task.id, value)


@every_domain
def test_f47_f48_customer_stays_in_the_turn_in_which_it_agrees(domain: str) -> None:
    agreed = 0
    for task, lexicon in cases(domain):
        user = ScriptedUser()
        user.reset(task.scenario, lexicon, 4)
        for text in says(task):
            before = [item.state for item in user.agenda.items].count("agreed")
            line = user.reply(text)
            if [item.state for item in user.agenda.items].count("agreed") > before:
                agreed += 1
                assert not line.ends, task.id
                assert read_customer(line.text, lexicon).kind in ("yes", "yes_but"), task.id
            if line.ends:
                break
    assert agreed > 50


def proposals(task: Task) -> Iterator[tuple[int, str]]:
    """The places of the reference's messages that are answered with yes, and the messages."""
    steps = task.reference
    said = 0
    for at, step in enumerate(steps):
        if step.say:
            after = next((one.after for one in steps[at + 1 :]), "")
            if after == "yes":
                yield said, step.say
            said += 1


@every_domain
def test_f52_wrong_record_read_back_is_never_agreed_to(domain: str) -> None:
    """In place of its record the customer hears one of another customer."""
    tried = 0
    tasks = list(content.tasks(domain).values())
    for number, (task, lexicon) in enumerate(cases(domain)):
        records = {name for name, slot in lexicon.slots.items() if slot.role == "record"}
        other = tasks[(number + len(tasks) // 2) % len(tasks)].scenario.wants[0].slots
        for place, text in proposals(task):
            own = {
                value
                for want in task.scenario.wants
                for name, value in want.slots.items()
                if name in records and isinstance(value, str) and value in text
            }
            foreign = next((other[name] for name in records if name in other), None)
            if not own or not isinstance(foreign, str) or foreign in own:
                continue
            wrong = text
            for value in own:
                wrong = wrong.replace(value, foreign)
            user = ScriptedUser()
            user.reset(task.scenario, lexicon, 5)
            for line in says(task)[:place]:
                user.reply(line)
            before = [item.state for item in user.agenda.items]
            reply = user.reply(wrong)
            assert read_customer(reply.text, lexicon).kind != "yes", (task.id, wrong, reply.text)
            assert [item.state for item in user.agenda.items].count("agreed") <= before.count(
                "agreed"
            ), task.id
            tried += 1
    assert tried > 50
