"""Path: what must and must not happen on the way, and in what order."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Sequence
from typing import Any

from tau_env.graders.compare import same
from tau_env.schema import Call, CallPattern, DomainSpec, Evidence, Grade, Outcome, Task, Transcript


def grade_trajectory(
    actions: Sequence[Hashable],
    required: Sequence[Hashable],
    order: Iterable[tuple[Hashable, Hashable]] = (),
    forbidden: Iterable[Hashable] = (),
) -> tuple[bool, float]:
    """Judge a list of actions: the seed's plain function.

    Args:
        actions: in the order in which they happened.
        required: all must happen, in any order.
        order: pairs (a, b): where b happens, the first a comes before the first b.
        forbidden: none may happen, even if undone later.

    Returns:
        Whether it passed, and the progress rate: the share of required actions that happened,
        1.0 when none is required; order and forbidden do not lower it.
    """
    first: dict[Hashable, int] = {}
    for position, action in enumerate(actions):
        first.setdefault(action, position)
    wanted = list(dict.fromkeys(required))
    progress = sum(one in first for one in wanted) / len(wanted) if wanted else 1.0
    ordered = all(b not in first or (a in first and first[a] < first[b]) for a, b in order)
    return progress == 1.0 and ordered and not any(one in first for one in forbidden), progress


def matches(pattern: CallPattern, call: Call) -> bool:
    """Whether a call has the pattern's tool and all of its arguments, and no error.

    A pattern for a refused call wants that error, and no other.
    """
    return (
        call.error == ("refused" if pattern.refused else None)
        and call.name == pattern.tool
        and all(
            name in call.arguments and same(call.arguments[name], value)
            for name, value in pattern.arguments.items()
        )
    )


def first_match(patterns: Iterable[CallPattern], transcript: Transcript) -> int | None:
    """The number of the first turn that matches any of the patterns."""
    wanted = tuple(patterns)
    for number, turn in enumerate(transcript, 1):
        if turn.call is not None and any(matches(one, turn.call) for one in wanted):
            return number
    return None


def grade_path(task: Task, transcript: Transcript, outcome: Outcome, spec: DomainSpec) -> Grade:
    """The path grader; its score ``progress`` is the share of required steps that happened.

    A hand-over that no required step names is forbidden: policies allow it only where it is needed.
    """
    del outcome  # calls alone decide
    path = task.path
    when = {one.name: first_match(one.any, transcript) for one in path.required}
    evidence = [
        Evidence(text=f"required step '{name}' never happened")
        for name, number in when.items()
        if number is None
    ]
    for before, after in path.order:
        one, two = when.get(before), when.get(after)
        if two is not None and (one is None or one > two):
            turns = (two,) if one is None else (two, one)
            evidence.append(Evidence(text=f"'{after}' came before '{before}'", turns=turns))
    for pattern in path.forbidden:
        number = first_match((pattern,), transcript)
        if number is not None:
            text = f"forbidden call {_shown(pattern)}"
            evidence.append(Evidence(text=text, turns=(number,)))
    evidence += _needless_transfers(task, transcript, spec)
    done = sum(number is not None for number in when.values())
    return Grade(
        grader="path",
        passed=not evidence,
        checked=bool(path.required or path.forbidden or evidence),
        evidence=tuple(evidence),
        scores={"progress": done / len(when) if when else 1.0},
    )


def _needless_transfers(task: Task, transcript: Transcript, spec: DomainSpec) -> Iterator[Evidence]:
    named = {
        one.tool
        for patterns in (*(step.any for step in task.path.required), task.path.forbidden)
        for one in patterns
    }
    for number, turn in enumerate(transcript, 1):
        call = turn.call
        if call is None or call.error is not None or call.name in named:
            continue
        tool = spec.tools.get(call.name)
        if tool is not None and "transfer" in tool.verbs:
            yield Evidence(text=f"{call.name}, which nothing here calls for", turns=(number,))


def _shown(pattern: CallPattern) -> str:
    arguments: dict[str, Any] = pattern.arguments
    return f"{pattern.tool}({', '.join(f'{name}={value!r}' for name, value in arguments.items())})"
