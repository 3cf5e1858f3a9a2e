"""Playing a stored trial's actions again, to see whether the same transcript comes out."""

from __future__ import annotations

from dataclasses import dataclass

from tau_env.actions import Action, end, say
from tau_env.env import MAX_STEPS, TauEnv
from tau_env.harness.material import Foreign, Material, foreign_parts
from tau_env.registry import find_user
from tau_env.schema import Outcome, Task, Transcript, Trial, Turn, canonical_json
from tau_env.users.base import User
from tau_env.users.replay import ReplayUser

DECIDING = ("world", "tools", "spec", "user")
"""Digests that must be the record's for a replay to mean anything."""
FROM_OUTSIDE = ("max_tokens", "max_seconds", "context_overflow", "agent_error")
LONGEST_RAW = 2000
"""Length to which unreadable arguments are cut in a record."""


@dataclass(frozen=True)
class Replayed:
    """A trial played again.

    Attributes:
        identical: transcript and outcome are the same, byte by byte.
        turn: the first turn that differs, 0 if none does (then the outcome may).
        was: that turn in the record, as JSON; "" where it has none.
        now: that turn in the replay.
        taken: turns answered to something that no record keeps in full (an action that could not
            be read); they are taken from the record and not compared.
    """

    identical: bool
    turn: int = 0
    was: str = ""
    now: str = ""
    taken: int = 0


def replay_trial(trial: Trial, material: Material, *, foreign: bool = False) -> Replayed:
    """Play a trial's actions against a fresh environment.

    The scripted customer speaks again by itself; one that a model or a person played says its
    recorded lines.

    Args:
        trial: the trial.
        material: tasks of its file.
        foreign: play although world, tools, spec, user or task are not those of the record.

    Raises:
        Foreign: they are not, and nobody said that this is wanted.
    """
    parts = foreign_parts(trial, DECIDING)
    if parts and not foreign:
        raise Foreign(
            f"trial {trial.trial} of {trial.task} was played with other parts ({'; '.join(parts)});"
            " say --foreign to see where it differs"
        )
    task = material.task(trial, foreign=foreign)
    transcript, outcome = _play(trial, task)
    taken = [number for number, turn in enumerate(trial.transcript) if _is_taken(turn)]
    for number in taken:
        if number < len(transcript):
            kept = trial.transcript[number]
            transcript = (*transcript[:number], kept, *transcript[number + 1 :])
    return _compared(trial, transcript, outcome, taken=len(taken))


def _compared(trial: Trial, transcript: Transcript, outcome: Outcome, *, taken: int) -> Replayed:
    was = [canonical_json(turn) for turn in trial.transcript]
    now = [canonical_json(turn) for turn in transcript]
    for number in range(max(len(was), len(now))):
        pair = ["".join(texts[number : number + 1]) for texts in (was, now)]
        if pair[0] != pair[1]:
            return Replayed(False, number + 1, pair[0], pair[1], taken)
    before, after = canonical_json(trial.outcome), canonical_json(outcome)
    if before != after:
        return Replayed(False, 0, before, after, taken)
    return Replayed(True, taken=taken)


def _play(trial: Trial, task: Task) -> tuple[Transcript, Outcome]:
    steps = MAX_STEPS if trial.budgets is None else trial.budgets.max_steps
    env = TauEnv(trial.domain, tasks=[task], max_steps=steps, user=_user(trial))
    try:
        env.reset(seed=trial.seed, options={"task": task})
        over = False
        for turn in trial.transcript:
            action = _action(turn)
            if action is not None and not over:
                _, _, terminated, truncated, _ = env.step(action)
                over = terminated or truncated
        if trial.end_reason in FROM_OUTSIDE and not over:
            env.stop(trial.end_reason)
        return env.transcript, env.outcome
    finally:
        env.close()


def _user(trial: Trial) -> User:
    if trial.user != "scripted":
        return ReplayUser.of(trial.transcript)
    user: User = find_user(trial.user)(**trial.user_settings)
    return user


def _action(turn: Turn) -> Action | None:
    """What the agent did to bring a turn about; None for the customer's lines."""
    if turn.who == "customer":
        return None
    if turn.who == "agent":
        return say(turn.text)
    if turn.call is not None:
        call = turn.call
        return {
            "type": "call",
            "name": call.name,
            "arguments": call.raw,
            **({"aside": call.aside} if call.aside else {}),
        }
    return {} if _is_taken(turn) else end()


def _is_taken(turn: Turn) -> bool:
    if turn.call is None:
        return turn.who == "system" and turn.text.startswith("Error:")
    cut = len(turn.call.raw) in (0, LONGEST_RAW)
    return turn.call.error is not None and cut
