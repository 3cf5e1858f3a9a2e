"""Edits of the reference solution, by name: the baselines that know the task and misuse it."""

from __future__ import annotations

from collections.abc import Sequence

from tau_env.agents.script import Script
from tau_env.schema import Step, Task, Twist
from tau_env.schema.patch import Row


def without_questions(steps: Sequence[Step]) -> tuple[Step, ...]:
    """The steps without the messages that ask for a yes, and without guards."""
    kept = [
        step
        for step, after in zip(steps, [*steps[1:], None], strict=True)
        if not (step.say and after is not None and after.after == "yes")
    ]
    return without_guards(kept)


def without_guards(steps: Sequence[Step]) -> tuple[Step, ...]:
    """The steps, played whatever the customer says."""
    return tuple(step.model_copy(update={"after": ""}) for step in steps)


def asks_for_yes(task: Task) -> bool:
    """Whether the reference has a step that waits for a yes, so a write."""
    return any(step.after == "yes" for step in task.reference)


def declining_once(task: Task) -> Task:
    """The task with a customer who says no to the first proposal of each request.

    Of each, because a request that the policy refuses is never proposed.
    """
    twists = tuple(
        Twist(kind="declines", want=number)
        for number, want in enumerate(task.scenario.wants)
        if want.do != "ask"
    )
    scenario = task.scenario.model_copy(update={"twists": (*twists, *task.scenario.twists)})
    return task.model_copy(update={"scenario": scenario})


def extra_write(task: Task, others: Sequence[Task]) -> Step | None:
    """A write that is right in another task and touches no row of this one's goals."""
    own = _rows(task)
    for other in others:
        rows = _rows(other)
        if not rows or rows & own or other.setup:
            continue
        for step in other.reference:
            if step.call and step.after == "yes":
                return step.model_copy(update={"after": ""})
    return None


def _rows(task: Task) -> set[Row]:
    """Rows of the goals, without those whose key is yet to be made."""
    return {
        change.row
        for goal in task.goals
        for change in goal
        if not any(str(value).startswith("$") for value in change.key.values())
    }


def with_extra_write(steps: Sequence[Step], extra: Step) -> tuple[Step, ...]:
    """The steps with one more call before the last message."""
    last = max((at for at, step in enumerate(steps) if step.say), default=len(steps))
    return (*steps[:last], extra, *steps[last:])


class OverEager(Script):
    """Does the right writes and asks nothing."""

    def __init__(self, task: Task, *, others: Sequence[Task] = ()) -> None:
        """Edit the reference."""
        del others
        super().__init__(task, without_questions(task.reference), applies=asks_for_yes(task))


class NoListener(Script):
    """Asks, and writes even after a no; its customer declines once."""

    def __init__(self, task: Task, *, others: Sequence[Task] = ()) -> None:
        """Edit the reference and the scenario."""
        del others
        applies = asks_for_yes(task)
        played = declining_once(task) if applies else task
        super().__init__(played, without_guards(task.reference), applies=applies)


class SideEffect(Script):
    """Does all that is right, and one more write on another record."""

    def __init__(self, task: Task, *, others: Sequence[Task] = ()) -> None:
        """Edit the reference.

        Args:
            task: the task.
            others: tasks of the same domain, from which the extra write is taken.
        """
        extra = extra_write(task, others)
        steps = task.reference if extra is None else with_extra_write(task.reference, extra)
        super().__init__(task, steps, applies=extra is not None)


class Rigid(Script):
    """Plays what is right where nothing unexpected happens, whatever the customer says."""

    def __init__(self, task: Task, plain: Task) -> None:
        """Take the reference of the same situation without twists.

        Args:
            task: the task, with its twists.
            plain: the same situation without.
        """
        super().__init__(task, plain.reference, applies=bool(task.scenario.twists))
