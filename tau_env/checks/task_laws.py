"""Laws of a task: it can be solved, it cannot be had for nothing, and its facts are true."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property, lru_cache

from tau_env.agents.floors import Silent
from tau_env.agents.script import Reference
from tau_env.checks.fact_laws import FACT_LAWS, UNKNOWN
from tau_env.checks.law import Verdict, first_line, judge
from tau_env.env import TauEnv
from tau_env.family import LONGEST_REFERENCE, split_of
from tau_env.graders.conduct import identified_at
from tau_env.graders.confirmation import confirmed_writes
from tau_env.schema import Grade, RowChange, Scenario, Task, Trial, Want
from tau_env.trial import run_trial
from tau_env.users.wording import STYLES, fields_of
from tau_env.world.company import Domain
from tau_env.world.database import World
from tau_env.world.rules import Deed

SEEDS = (0, 1)


@dataclass
class Subject:
    """A task under check, with what several laws need of it.

    Attributes:
        task: the task.
        domain: its domain.
        env: an environment of the domain.
        others: tasks of the domain by id, for twins.
    """

    task: Task
    domain: Domain
    env: TauEnv
    others: Mapping[str, Task] = field(default_factory=dict)

    def play(self, task: Task, *, seed: int) -> Trial:
        """The reference's trial."""
        return run_trial(self.env, Reference(task), task, seed=seed, name="reference")

    @cached_property
    def trial(self) -> Trial:
        """The reference's trial with the first seed."""
        return self.play(self.task, seed=SEEDS[0])


def reference_passes(subject: Subject) -> Iterator[str]:
    """The reference passes every grader, for several seeds and every style."""
    for style in STYLES:
        scenario = subject.task.scenario.model_copy(update={"style": style})
        styled = subject.task.model_copy(update={"scenario": scenario})
        for seed in SEEDS:
            trial = subject.play(styled, seed=seed)
            if trial.grade is None or not trial.grade.passed:
                yield f"style {style}, seed {seed}: {_why(trial.grade)}"


def _why(grade: Grade | None) -> str:
    return "not graded" if grade is None else "; ".join(one.text for one in grade.evidence[:3])


def reference_is_short(subject: Subject) -> Iterator[str]:
    """The reference takes at most 15 steps, and none is refused but a search for the customer."""
    steps = len(subject.task.reference)
    if not 0 < steps <= LONGEST_REFERENCE:
        yield f"it has {steps} steps"
    for turn in subject.trial.transcript:
        call = turn.call
        if call is not None and call.error and call.name not in subject.domain.identity:
            yield f"{call.name}: {call.result}"


def silence_fails(subject: Subject) -> Iterator[str]:
    """An agent that says nothing fails."""
    trial = run_trial(subject.env, Silent(), subject.task, seed=SEEDS[0], name="silent")
    if trial.passed:
        yield "the silent agent passes"


def reference_obeys(subject: Subject) -> Iterator[str]:
    """The reference breaks no rule of the policy (F01)."""
    task, domain = subject.task, subject.domain
    world = domain.open()
    world.begin(task.setup)
    transcript = subject.trial.transcript
    agreed = {one.turn for one in confirmed_writes(transcript, domain.spec) if one.confirmed}
    identified = identified_at(transcript, domain.spec, task.scenario.customer)
    wants = _wants_of(task.scenario)
    looked: list[str] = []
    earlier: list[tuple[str, Mapping[str, object]]] = []
    for number, turn in enumerate(transcript, 1):
        if turn.call is None:
            continue
        deed = Deed(
            world=world,
            customer=task.scenario.customer,
            tool=turn.call.name,
            arguments=turn.call.arguments,
            identified=identified is not None and identified <= number,
            agreed=number in agreed,
            looked_up=tuple(looked),
            earlier=tuple(earlier),
            wants=wants,
        )
        for rule in domain.rulebook.broken(deed):
            yield f"turn {number}, {turn.call.name}, breaks {rule}"
        domain.toolbox.call(world, turn.call.name, turn.call.arguments)
        looked.append(turn.call.name)
        if domain.spec.tools[turn.call.name].kind == "write":
            earlier.append((turn.call.name, turn.call.arguments))
    world.close()


def _wants_of(scenario: Scenario) -> tuple[Want, ...]:
    """All that the customer wishes in the course of the conversation."""
    wants = list(scenario.wants)
    for twist in scenario.twists:
        if twist.added is not None:
            wants.append(twist.added)
        if twist.slots:
            corrected = wants[twist.want]
            slots = {**corrected.slots, **twist.slots}
            wants.append(corrected.model_copy(update={"slots": slots}))
    return tuple(wants)


def goal_fits_the_world(subject: Subject) -> Iterator[str]:
    """Every row of a goal exists where it must, and every field changes it (F05, F08)."""
    world = subject.domain.open()
    world.begin(subject.task.setup)
    for goal in subject.task.goals:
        for change in goal:
            yield from _change_fits(world, change, subject.domain)
    world.close()


def _change_fits(world: World, change: RowChange, domain: Domain) -> Iterator[str]:
    table = domain.snapshot().tables.get(change.table)
    if table is None or set(change.key) != set(table.key):
        yield f"{change.table} {change.key} does not fit the schema"
        return
    if set(change.fields) - set(table.others):
        yield f"{change.table} has no column {min(set(change.fields) - set(table.others))}"
        return
    if any(str(value).startswith("$") for value in change.key.values()):
        return
    where = " AND ".join(f'"{column}" = ?' for column in change.key)
    sql = f'SELECT * FROM "{change.table}" WHERE {where}'
    row = world.row(sql, *change.key.values())
    if (row is None) != (change.op == "insert"):
        there = "is not there" if row is None else "is there"
        yield f"{change.op} of {change.table} {change.key}: the row {there}"
    elif row is not None and change.op == "update":
        for column, value in change.fields.items():
            if row[column] == value:
                yield f"{change.table}.{column} of {change.key} is {value!r} already"


def literals_exist(subject: Subject) -> Iterator[str]:
    """Every id in scenario, goal and reference exists in the company (F05, F07).

    What a customer of unknown identity says of themselves exists in none.
    """
    setup = subject.task.setup
    known = _values_in(subject.domain)
    known |= {str(value) for row in setup for value in (*row.key.values(), *row.fields.values())}
    if UNKNOWN in subject.task.tags:
        known |= {fact.value for fact in subject.task.scenario.facts.values()}
    text = subject.task.model_dump_json(exclude={"id", "twin"})
    for name, slot in subject.domain.lexicon.slots.items():
        if slot.kind == "id" and slot.pattern:
            for match in re.finditer(rf"(?<![\w#]){slot.pattern}(?!\w)", text):
                if match.group() not in known:
                    yield f"{name} {match.group()} does not exist"


@lru_cache(maxsize=8)
def _values_in(domain: Domain) -> frozenset[str]:
    """Every value of the seeded company; scanned once, for it is the same for all tasks."""
    world = domain.open()
    world.begin()
    found = frozenset(
        str(value)
        for rows in world.scan().values()
        for row in rows.values()
        for value in row.values()
    )
    world.close()
    return found


def customer_exists(subject: Subject) -> Iterator[str]:
    """The scenario's customer exists, and the task is in the split of its number."""
    table, _, column = subject.domain.customers.partition(".")
    world = subject.domain.open()
    world.begin(subject.task.setup)
    row = world.row(f'SELECT * FROM "{table}" WHERE "{column}" = ?', subject.task.scenario.customer)
    world.close()
    if row is None:
        yield f"there is no customer {subject.task.scenario.customer}"
    elif subject.task.split != split_of(subject.task.scenario.customer):
        yield f"split {subject.task.split} is not that of {subject.task.scenario.customer}"


def phrases_exist(subject: Subject) -> Iterator[str]:
    """Every phrase that the customer needs is in the lexicon, with its fields."""
    scenario, lexicon = subject.task.scenario, subject.domain.lexicon
    open_facts = {name for name, fact in scenario.facts.items() if fact.tell == "open"}
    added = [twist.added for twist in scenario.twists if twist.added is not None]
    needed = [(scenario.opening, scenario.wants[0])]
    needed += [(want.say or want.do, want) for want in (*scenario.wants, *added)]
    for name, want in needed:
        if name not in lexicon.phrases:
            yield f"the lexicon has no phrase {name!r}"
            continue
        for template in lexicon.phrases[name]:
            for one in fields_of(template) - set(want.slots) - open_facts:
                yield f"phrase {name!r} needs {one!r}"
    for want in (*scenario.wants, *added):
        if want.do != "ask" and want.do not in lexicon.verbs:
            yield f"the want {want.do!r} is no action of the lexicon"
        if want.do == "ask" and not want.expects:
            yield "an 'ask' want says what it expects"


def opening_keeps_secrets(subject: Subject) -> Iterator[str]:
    """The first line tells no fact that is told only when asked (F59)."""
    first = subject.trial.transcript[0].text
    slots = subject.task.scenario.wants[0].slots
    spoken = {
        value for one in slots.values() for value in ((one,) if isinstance(one, str) else one)
    }
    for name, fact in subject.task.scenario.facts.items():
        secret = fact.tell == "asked" and fact.value not in spoken and len(fact.value) > 3
        if secret and re.search(rf"(?<!\w){re.escape(fact.value)}(?!\w)", first):
            yield f"the opening tells {name}"


def twin_is_a_twin(subject: Subject) -> Iterator[str]:
    """A twin names this task back and opens the conversation alike."""
    if subject.task.twin is None:
        return
    other = subject.others.get(subject.task.twin)
    if other is None or other.twin != subject.task.id:
        yield f"{subject.task.twin} does not name it back"
    elif other.scenario.opening != subject.task.scenario.opening:
        yield f"it does not open as its twin: {other.scenario.opening}"
    elif other.kind == subject.task.kind:
        yield f"both are of kind {other.kind}"


def refusal_has_a_twin(subject: Subject) -> Iterator[str]:
    """What is refused, handed over or impossible has a twin in which it is allowed."""
    task = subject.task
    impossible = any(lure.kind == "impossible" for lure in task.lures)
    if task.kind in ("refuse", "transfer") or impossible:
        other = subject.others.get(task.twin or "")
        if other is None or other.kind not in ("fulfil", "inform"):
            yield "there is none"


def refusal_tells_why(subject: Subject) -> Iterator[str]:
    """A task that ends in a refusal has the deciding fact among its outputs."""
    if subject.task.kind == "refuse" and not subject.task.outputs:
        yield "nothing has to be told"


def has_a_card(subject: Subject) -> Iterator[str]:
    """It names its rules, and its scenario in plain words (F17)."""
    known = {rule.id for rule in subject.domain.spec.rules}
    if not subject.task.rules or not set(subject.task.rules) <= known:
        yield f"rules {list(subject.task.rules)} are not in the policy"
    if not subject.task.scenario.instruction.strip():
        yield "it has no instruction"


LAWS = (
    reference_passes,
    reference_is_short,
    reference_obeys,
    silence_fails,
    goal_fits_the_world,
    literals_exist,
    customer_exists,
    phrases_exist,
    opening_keeps_secrets,
    twin_is_a_twin,
    refusal_has_a_twin,
    refusal_tells_why,
    has_a_card,
    *FACT_LAWS,
)


def check_task(
    task: Task, domain: Domain, env: TauEnv, others: Mapping[str, Task]
) -> Iterator[Verdict]:
    """Every law of a task."""
    subject = Subject(task=task, domain=domain, env=env, others=others)
    for law in LAWS:
        yield judge(task.id, first_line(law), law(subject))


def check_tasks(tasks: Iterable[Task], domain: Domain) -> Iterator[Verdict]:
    """Every law of every task."""
    found = {task.id: task for task in tasks}
    env = TauEnv(domain.name, tasks=list(found.values()))
    try:
        for task in found.values():
            yield from check_task(task, domain, env, found)
    finally:
        env.close()
