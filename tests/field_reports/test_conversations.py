"""Conversations of every registered domain that went wrong for users of other environments."""

from __future__ import annotations

import pytest

from tau_env import content
from tau_env.actions import Action, Observation, say
from tau_env.agents.floors import Refuser, Silent, TransferAtOnce
from tau_env.agents.script import Reference
from tau_env.env import TauEnv
from tau_env.harness.driver import run_study
from tau_env.harness.study import Slot, plan_agent, plan_study
from tau_env.registry import domain_names, find_domain
from tau_env.schema import Task, Trial
from tau_env.trial import run_trial
from tau_env.users.scripted import PATIENCE, ScriptedUser

NAMES = domain_names()
every_domain = pytest.mark.parametrize("domain", NAMES)


class Kept:
    """The trials of a study, in memory."""

    def __init__(self) -> None:
        self.trials: list[Trial] = []

    def keep(self, slot: Slot, trial: Trial, *, played: Task | None = None) -> None:
        del slot, played
        self.trials.append(trial)

    def keep_attempt(self, slot: Slot, trial: Trial) -> None:
        raise AssertionError(f"{slot} crashed: {trial.error}")


@every_domain
def test_f18_references_pass_all_trials_of_a_study(domain: str) -> None:
    tasks = list(content.tasks(domain).values())
    kept = Kept()
    run_study(plan_study(domain, [plan_agent("reference")], tasks, trials=3, seed=8), tasks, kept)
    assert len(kept.trials) == 3 * len(tasks)
    assert len({trial.seed for trial in kept.trials}) == len(kept.trials)
    assert [(one.task, one.seed) for one in kept.trials if not one.passed] == []


@every_domain
def test_f22_no_task_is_passed_by_three_agents_that_do_nothing(domain: str) -> None:
    """F34: the silent one answers with an empty text until the customer leaves."""
    env = TauEnv(domain)
    passed = [
        {
            task.id
            for number, task in enumerate(content.tasks(domain).values())
            if run_trial(env, agent(), task, seed=number).passed
        }
        for agent in (Silent, Refuser, TransferAtOnce)
    ]
    assert passed[0] & passed[1] & passed[2] == set()
    assert passed[0] == passed[1] == set(), "not even by one of those that never act"


class Insists(Reference):
    """Plays the reference, and then says its last line again as long as anybody listens."""

    def act(self, observation: Observation) -> Action:
        """The next step, or the last line."""
        action = super().act(observation)
        if action["type"] != "end":
            return action
        return say(next(step.say for step in reversed(self.steps) if step.say))


@every_domain
def test_f50_customer_with_an_impossible_wish_gives_up_and_opens_nothing(domain: str) -> None:
    env = TauEnv(domain)
    refused = [task for task in content.tasks(domain).values() if task.kind == "refuse"]
    assert refused
    for task in refused:
        trial = run_trial(env, Insists(task), task, seed=3)
        after = sum(turn.who == "agent" for turn in trial.transcript) - sum(
            bool(step.say) for step in task.reference
        )
        assert trial.end_reason == "customer_ended", task.id
        assert after <= PATIENCE + 1
        assert trial.outcome.patch == ()
        assert trial.passed, (task.id, trial.grade and trial.grade.evidence)


@every_domain
def test_f16_customer_has_a_line_for_every_refusal(domain: str) -> None:
    """Whatever is refused first, every wish is raised, and nothing is agreed to on the way."""
    lexicon = find_domain(domain).spec.lexicon
    several = [task for task in content.tasks(domain).values() if len(task.scenario.wants) > 1]
    assert several
    for task in several:
        for seed in range(3):
            user = ScriptedUser()
            user.reset(task.scenario, lexicon, seed)
            lines = (user.reply("I'm sorry, but I cannot do that for you.") for _ in range(20))
            last = next((line for line in lines if line.ends), None)
            assert last is not None, f"{task.id}: it never leaves"
            states = {item.state for item in user.agenda.items}
            assert "refused" in states, task.id
            assert states <= {"refused", "dropped"}, task.id  # some change their mind
            assert all(item.raised for item in user.agenda.items), task.id


@every_domain
def test_agent_may_leave_after_a_right_refusal(domain: str) -> None:
    """As docs/what-counts.md says: who leaves when the customer insists has not given way."""
    env = TauEnv(domain)
    tried = 0
    for task in content.tasks(domain).values():
        last = task.reference[-1]
        before = task.reference[-2]
        insists = task.kind == "refuse" and task.scenario.if_refused == "insist"
        if not (insists and last.say and before.say):
            continue
        less = task.model_copy(update={"reference": task.reference[:-1]})
        trial = run_trial(env, Reference(less), less, seed=4)
        assert trial.end_reason == "agent_ended", task.id
        assert trial.passed, (task.id, trial.grade and trial.grade.evidence)
        assert trial.grade is not None
        assert not trial.grade.scores.get("lures_taken"), task.id
        tried += 1
    assert tried
