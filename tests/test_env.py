"""The environment's contract: seeds, ends, malformed actions, evidence that stays as it is."""

import copy
import itertools
import json
import os
import pickle
import random
import subprocess
import sys
import time
import warnings

import gymnasium
import numpy as np
import pytest
from chat_shapes import Tool, ToolCall
from gymnasium.utils.env_checker import check_env
from hypothesis import given, settings
from hypothesis import strategies as st

import tau_env
from tau_env import content
from tau_env.agents.script import Reference
from tau_env.env import TauEnv
from tau_env.errors import (
    BadArgument,
    BadDomain,
    EpisodeNotStarted,
    EpisodeOver,
    UnknownName,
)
from tau_env.registry import domain_names, find_domain
from tau_env.schema import RowChange, Trial, digest
from tau_env.trial import run_trial

TASKS = content.tasks("retail")
TASK = next(task for task in TASKS.values() if any(task.goals))


@pytest.fixture
def env():
    made = TauEnv("retail")
    yield made
    made.close()


def play(env, task=TASK, *, seed=3):
    """The reference's episode: everything that came back, and the grade."""
    observation, info = env.reset(seed=seed, options={"task": task})
    agent = Reference(task)
    agent.reset(env.briefing, seed)
    told = [(observation, info["seed"], info["task"])]
    over = False
    while not over:
        observation, reward, terminated, truncated, info = env.step(agent.act(observation))
        told.append((observation, reward, terminated, truncated))
        over = terminated or truncated
    return told, info["grade"]


# The contract of Gymnasium.


@pytest.mark.parametrize("domain", domain_names())
def test_gymnasium_checker_is_silent(domain):
    """F89: for every domain."""
    made = find_domain(domain)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        env = gymnasium.make(f"tau_env/{domain}-v{made.version}")
        check_env(env.unwrapped, skip_render_check=True)
        env.close()


def test_made_by_id_it_plays_through_all_wrappers():
    env = gymnasium.make("tau_env/retail-v1", tasks=[TASK.id], max_steps=4, render_mode="ansi")
    observation, info = env.reset(seed=1)
    assert observation["source"] == "customer"
    assert info["task"] == TASK.id
    observation, reward, terminated, truncated, info = env.step(tau_env.end())
    assert (reward, terminated, truncated) == (0.0, True, False)
    assert info["grade"].grader == "full"
    assert observation["text"] in env.render()
    env.close()


def test_info_at_reset_is_what_the_contract_names(env):
    _, info = env.reset(seed=2, options={"task": TASK})
    assert set(info) == {"policy", "tools", "seed", "digests", "task"}
    assert info["policy"] == content.policy("retail")
    assert info["seed"] == 2
    assert {"world", "policy", "tools", "spec", "task", "version"} == set(info["digests"])
    json.dumps(info)


def test_briefing_tells_domain_policy_tools_and_budget_only(env):
    env.reset(seed=2, options={"task": TASK})
    assert set(env.briefing.model_dump()) == {"domain", "policy", "tools", "max_steps"}
    assert TASK.id not in env.briefing.model_dump_json()


# Seeds.


def test_seed_decides_task_and_every_line():
    one, two = TauEnv("retail"), TauEnv("retail")
    for seed in (0, 7, 2**63 - 1):
        assert one.reset(seed=seed) == two.reset(seed=seed)
    assert len({one.reset(seed=seed)[1]["task"] for seed in range(30)}) > 5


def stream(env, disturb=lambda: None):
    found = [env.reset(seed=7)]
    for _ in range(3):
        disturb()
        found.append(env.reset())
    return [(observation, info["seed"], info["task"]) for observation, info in found]


def test_reset_without_a_seed_goes_on_in_the_own_stream(env):
    """F88, F89: an unseeded reset continues the stream and asks nobody else for randomness."""

    def disturb():
        random.seed(1)
        np.random.seed(1)
        random.random()

    first = stream(env)
    assert stream(TauEnv("retail"), disturb) == first
    assert len({seed for _, seed, _ in first}) == 4
    state = random.getstate()
    stream(env)
    assert random.getstate() == state


@pytest.mark.parametrize("seed", [-1, 2**63, 1.5, "7", True, float("nan")])
def test_seed_out_of_range_is_refused_and_the_episode_stays(env, seed):
    env.reset(seed=1)
    before = env.transcript
    with pytest.raises(BadArgument, match="seed"):
        env.reset(seed=seed)
    assert env.transcript == before
    env.step(tau_env.say("Hello."))


def test_numpy_seed_is_an_integer_as_any_other(env):
    assert env.reset(seed=np.int64(5)) == env.reset(seed=5)


SCRIPT = """
import sys, random
import numpy
sys.path.insert(0, {tests!r})
random.seed({number}); numpy.random.seed({number})
from test_env import play, stream, TauEnv, digest, Reference, run_trial, TASKS
env = TauEnv("retail")
some = list(TASKS.values())[::16]
trials = [run_trial(env, Reference(task), task, seed=11) for task in some]
print(digest([stream(env), [trial.model_dump(mode="json") for trial in trials]]))
"""


def test_another_process_with_another_hash_seed_gives_the_same_bytes(request):
    """F78, F88: what random.seed, numpy.random.seed and PYTHONHASHSEED are at changes nothing."""
    tests = str(request.path.parent)
    found = set()
    for number in (0, 1):
        run = subprocess.run(
            [sys.executable, "-c", SCRIPT.format(tests=tests, number=number)],
            env=os.environ
            | {"PYTHONHASHSEED": str(number), "PYTHONPATH": str(request.config.rootpath)},
            capture_output=True,
            text=True,
            check=True,
        )
        found.add(run.stdout)
    assert len(found) == 1


# The ends.


def test_reward_is_a_float_and_the_grade_comes_at_the_end_only(env):
    told, grade = play(env)
    rewards = [one[1] for one in told[1:]]
    assert all(type(reward) is float for reward in rewards)
    assert rewards == [0.0] * (len(rewards) - 1) + [1.0]
    assert grade.passed
    env.reset(seed=1)
    *_, info = env.step(tau_env.say("Hello."))
    assert info == {}


def test_step_budget_truncates_and_grades_every_part():
    """F106, F120: a truncated episode has a float, a reason and all parts of the grade."""
    env = TauEnv("retail", tasks=[TASK], max_steps=2)
    env.reset(seed=0)
    assert env.step(tau_env.say("Hello."))[2:4] == (False, False)
    _, reward, terminated, truncated, info = env.step(tau_env.say("Hello."))
    assert (type(reward), reward, terminated, truncated) == (float, 0.0, False, True)
    assert info["end_reason"] == "max_steps"
    assert set(info["grade"].parts) == {"state", "outputs", "path", "conduct", "confirmation"}


def test_an_end_in_the_last_step_is_no_truncation():
    env = TauEnv("retail", tasks=[TASK], max_steps=1)
    env.reset(seed=0)
    _, _, terminated, truncated, info = env.step(tau_env.end())
    assert (terminated, truncated, info["end_reason"]) == (True, False, "agent_ended")


def test_transfer_ends_the_episode_and_a_failed_one_does_not(env):
    env.reset(seed=0, options={"task": TASK})
    assert env.step(tau_env.call("transfer_to_human_agents"))[2:4] == (False, False)
    _, _, terminated, _, info = env.step(tau_env.call("transfer_to_human_agents", summary="x"))
    assert (terminated, info["end_reason"]) == (True, "transferred")


def test_customer_who_leaves_ends_the_episode(env):
    env.reset(seed=0, options={"task": TASK})
    for _ in range(20):
        _, _, terminated, truncated, info = env.step(tau_env.say(""))
        if terminated or truncated:
            break
    assert (terminated, info["end_reason"]) == (True, "customer_ended")


MARKERS = ["###STOP###", "```\n###STOP###\n```", "<think>STOP</think>", "###TRANSFER###", "/leave"]


@pytest.mark.parametrize("marker", [*MARKERS, "end", '{"type": "end"}', "[DONE]", "goodbye"])
def test_no_word_of_the_agent_ends_the_conversation(env, marker):
    """F36: only the customer, the end action, a transfer and a budget end it."""
    env.reset(seed=0, options={"task": TASK})
    _, reward, terminated, truncated, info = env.step(tau_env.say(marker))
    assert (reward, terminated, truncated, info) == (0.0, False, False, {})


@pytest.mark.parametrize("reason", ["max_tokens", "max_seconds", "context_overflow", "agent_error"])
def test_stop_truncates_and_grades_like_any_end(env, reason):
    """F71, F72: one reason, the one that was first, with a reward."""
    env.reset(seed=0, options={"task": TASK})
    reward, info = env.stop(reason)
    assert (type(reward), reward, info["end_reason"]) == (float, 0.0, reason)
    assert info["grade"] == env.grade()
    assert env.stop("max_tokens") == (reward, info)
    with pytest.raises(EpisodeOver, match=reason):
        env.step(tau_env.end())


def test_stop_with_an_unknown_reason_is_refused_and_the_episode_goes_on(env):
    env.reset(seed=0)
    with pytest.raises(BadArgument, match="'tired': choose one of customer_ended"):
        env.stop("tired")
    env.step(tau_env.say("Hello."))


def test_stepping_after_the_end_is_a_clear_error(env):
    env.reset(seed=0)
    env.step(tau_env.end())
    for _ in range(2):
        with pytest.raises(EpisodeOver, match=r"over \(agent_ended\): call reset"):
            env.step(tau_env.say("x"))
    env.reset()
    env.step(tau_env.say("x"))


def test_everything_before_reset_is_a_clear_error_or_empty(env):
    for act in (lambda: env.step(tau_env.end()), lambda: env.stop("max_tokens"), env.grade):
        with pytest.raises(EpisodeNotStarted, match="reset"):
            act()
    assert (env.transcript, env.steps, env.outcome.patch) == ((), 0, ())
    assert env.render() is None
    assert env.briefing.domain == "retail"


def test_closed_environment_grades_and_takes_no_step(env):
    """F70: what happened can be graded after `close`; acting is a clear error."""
    _, grade = play(env)
    outcome = env.outcome
    env.close()
    env.close()
    assert (env.grade(), env.outcome) == (grade, outcome)
    assert env.stop("max_tokens")[1]["grade"] == grade
    for act in (lambda: env.step(tau_env.end()), lambda: env.reset(seed=1)):
        with pytest.raises(EpisodeOver, match="closed: make a new one"):
            act()


def test_environment_closed_in_mid_episode_can_be_graded_and_not_stopped(env):
    env.reset(seed=0, options={"task": TASK})
    env.step(tau_env.say("Hello."))
    grade = env.grade()
    env.close()
    assert env.grade() == grade
    with pytest.raises(EpisodeOver, match="closed"):
        env.stop("max_tokens")


# Grading.


def test_grade_asked_at_every_step_changes_nothing(env):
    """F113: the evidence stays as it is, twice the same, and the agent can go on."""
    plain, grade = play(env)
    observation, info = env.reset(seed=3, options={"task": TASK})
    agent = Reference(TASK)
    agent.reset(env.briefing, 3)
    told = [(observation, info["seed"], info["task"])]
    over = False
    while not over:
        before = digest(env.transcript), env.outcome, env._world.digest()
        assert env.grade() == env.grade()
        assert (digest(env.transcript), env.outcome, env._world.digest()) == before
        observation, reward, terminated, truncated, _ = env.step(agent.act(observation))
        told.append((observation, reward, terminated, truncated))
        over = terminated or truncated
    assert (told, env.grade()) == (plain, grade)


def test_kept_objects_do_not_change(env):
    """F85: observations, infos and records of an episode stay what they were."""
    kept = []
    for seed, task in enumerate(list(TASKS.values())[:4]):
        observation, info = env.reset(seed=seed, options={"task": task})
        kept += [observation, info]
        for action in (tau_env.say("Your e-mail?"), tau_env.call("think", thought="x"), None):
            observation, _, _, _, info = env.step(action)
            kept += [observation, info, env.transcript, env.outcome]
        kept.append(env.stop("max_tokens"))
        if seed == 0:
            copied = copy.deepcopy(kept)
            first = len(kept)
    assert kept[:first] == copied


def test_schemas_spoilt_by_an_agent_are_whole_in_the_next_episode(env):
    other = TauEnv("retail")
    _, whole = env.reset(seed=1)
    whole = copy.deepcopy(whole)
    for handed in (env.reset(seed=1)[1]["tools"], env.briefing.tools):
        handed[0]["function"]["parameters"]["properties"].clear()
        handed[1]["function"]["name"] = "spoilt"
    assert env.reset(seed=1)[1] == whole
    assert list(env.briefing.tools) == whole["tools"]
    assert other.reset(seed=1)[1]["tools"] == whole["tools"]


# Malformed actions.


class Strange:
    def __repr__(self):
        return "strange"


ODD = [
    None,
    3,
    "say hello",
    b"say",
    [],
    (),
    {},
    np.zeros(3),
    Strange(),
    {"type": None},
    {"type": []},
    {"type": Strange()},
    {"type": "SAY", "text": "x"},
    {"type": "say"},
    {"type": "say", "text": None},
    {"type": "say", "text": ["x"]},
    {"type": "say", "text": "\ud83d"},
    {"type": "say", "text": "x" * 64_001},
    {"type": "call"},
    {"type": "call", "name": None},
    {"type": "call", "name": "\udc00"},
    {"type": "call", "name": ""},
    {"type": "call", "name": "no such tool", "arguments": {}},
    {"type": "call", "name": "x" * 64_000, "arguments": {}},
    {"type": "call", "name": "__init__"},
    {"type": "call", "name": "think", "arguments": None},
    {"type": "call", "name": "think", "arguments": 3},
    {"type": "call", "name": "think", "arguments": []},
    {"type": "call", "name": "think", "arguments": ""},
    {"type": "call", "name": "think", "arguments": "{"},
    {"type": "call", "name": "think", "arguments": "[]"},
    {"type": "call", "name": "think", "arguments": "null"},
    {"type": "call", "name": "think", "arguments": '{"thought": "a", "thought": "b"}'},
    {"type": "call", "name": "think", "arguments": '{"thought": NaN}'},
    {"type": "call", "name": "think", "arguments": '{"thought": 1e999}'},
    {"type": "call", "name": "think", "arguments": '{"thought": ' + "9" * 400 + "}"},
    {"type": "call", "name": "think", "arguments": '{"thought": "\\ud800"}'},
    {"type": "call", "name": "think", "arguments": '{"\\ud800": 1}'},
    {"type": "call", "name": "no", "arguments": '{"\\ud800": 1}'},
    {"type": "call", "name": "no", "arguments": {"x": "\ud800"}},
    {"type": "call", "name": "think", "arguments": "\ud800"},
    {"type": "call", "name": "think", "arguments": "[" * 200_000},
    {"type": "call", "name": "think", "arguments": {"thought": Strange()}},
    {"type": "call", "name": "think", "arguments": {"thought": float("inf")}},
    {"type": "call", "name": "think", "arguments": {"thought": "x", "more": 1}},
    {"type": "call", "name": "think", "arguments": {Strange(): 1}},
    {"type": "call", "name": "think", "arguments": {"thought": "x"}, "aside": 3},
]


@pytest.fixture(scope="module")
def odd_env():
    made = TauEnv("retail", tasks=[TASK], max_steps=10**6)
    yield made
    made.close()


@pytest.fixture(scope="module")
def untouched():
    """The world's digest at the start of the task."""
    made = TauEnv("retail", tasks=[TASK])
    made.reset(seed=0)
    return made._world.digest()


@pytest.mark.parametrize("action", ODD, ids=range(len(ODD)))
def test_malformed_action_is_answered_costs_a_step_and_changes_nothing(odd_env, untouched, action):
    odd_env.reset(seed=0)
    observation, reward, terminated, truncated, info = odd_env.step(action)
    assert observation["text"].startswith("Error")
    assert odd_env.observation_space.contains(observation)
    assert len(observation["text"]) < 1_000
    assert (reward, terminated, truncated, info) == (0.0, False, False, {})
    assert odd_env.steps == 1
    assert (odd_env.outcome.patch, odd_env._world.digest()) == ((), untouched)
    digest(odd_env.transcript)
    assert json.loads(json.dumps(observation)) == observation


def test_trial_of_malformed_actions_goes_to_disk_and_back():
    class Odd:
        def reset(self, briefing, seed):
            self.actions = iter(ODD)

        def act(self, observation):
            return next(self.actions, tau_env.end())

    env = TauEnv("retail", tasks=[TASK], max_steps=len(ODD) + 1)
    trial = run_trial(env, Odd(), TASK, seed=1)
    assert (trial.status, trial.passed) == ("graded", False)
    text = trial.model_dump_json()
    text.encode("utf-8")
    assert Trial.model_validate_json(text) == trial


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=6,
)
actions = st.one_of(
    json_values,
    st.fixed_dictionaries({"type": st.just("say"), "text": st.text() | json_values}),
    st.fixed_dictionaries(
        {
            "type": st.just("call"),
            "name": st.sampled_from(sorted(find_domain("retail").spec.tools)) | st.text(),
            "arguments": st.dictionaries(st.text(), json_values, max_size=3) | st.text(),
        }
    ),
)


@settings(max_examples=60, deadline=None)
@given(st.lists(actions, max_size=8))
def test_whatever_is_sent_the_episode_goes_on_and_the_record_is_json(odd_env, script):
    odd_env.reset(seed=0)
    for action in script:
        observation, _, terminated, truncated, _ = odd_env.step(action)
        assert odd_env.observation_space.contains(observation)
        if terminated or truncated:
            break
    reward, _ = odd_env.stop("max_tokens")
    assert type(reward) is float
    json.loads(json.dumps([turn.model_dump(mode="json") for turn in odd_env.transcript]))
    digest(odd_env.transcript)


# Options, arguments, pickling, rendering.


@pytest.mark.parametrize(
    ("options", "error", "reason"),
    [
        ({"tsk": "x"}, BadArgument, "unknown reset option 'tsk'"),
        ({"task": 42}, BadArgument, "an id or a Task, not a int"),
        ({"task": ["x"]}, BadArgument, "not a list"),
        ({"task": TASK.id[:-1] + "x"}, UnknownName, "Did you mean"),
    ],
)
def test_mistaken_reset_option_is_named_and_the_episode_stays(env, options, error, reason):
    env.reset(seed=1)
    before = env.transcript
    with pytest.raises(error, match=reason):
        env.reset(options=options)
    assert env.transcript == before
    env.step(tau_env.say("Hello."))


def test_task_whose_setup_does_not_fit_leaves_no_half_started_episode(env):
    wrong = RowChange(op="delete", table="customers", key={"user_id": "nobody"})
    env.reset(seed=1)
    with pytest.raises(BadDomain, match="setup change finds no row"):
        env.reset(options={"task": TASK.model_copy(update={"setup": (wrong,)})})
    with pytest.raises(EpisodeNotStarted):
        env.step(tau_env.end())
    play(env)


def test_options_take_an_id_or_a_task(env):
    one = env.reset(seed=4, options={"task": TASK.id})
    assert env.reset(seed=4, options={"task": TASK}) == one
    assert env.reset(seed=4, options={}) == env.reset(seed=4)


@pytest.mark.parametrize(
    ("arguments", "error", "reason"),
    [
        ({"max_steps": 0}, BadArgument, "max_steps 0"),
        ({"max_steps": 2.5}, BadArgument, "max_steps 2.5"),
        ({"render_mode": "human"}, BadArgument, "None or 'ansi'"),
        ({"split": "dev"}, BadArgument, "split 'dev'"),
        ({"tasks": []}, BadArgument, "no tasks left"),
        ({"tasks": TASK.id}, BadArgument, "so write tasks=\\["),
        ({"tasks": TASK}, BadArgument, "is a list"),
        ({"tasks": [3]}, BadArgument, "an id or a Task"),
        ({"tasks": ["retail-nothing-001"]}, UnknownName, "no task"),
        ({"user": "nobody"}, UnknownName, "no user 'nobody'"),
        ({"scale": 0}, BadArgument, "scale 0"),
    ],
)
def test_mistaken_argument_is_named(arguments, error, reason):
    with pytest.raises(error, match=reason):
        TauEnv("retail", **arguments)


def test_unknown_domain_offers_the_nearest():
    with pytest.raises(UnknownName, match="Did you mean 'retail'"):
        TauEnv("retial")


@pytest.mark.parametrize("split", ["train", "test"])
def test_split_draws_from_its_tasks_only(split):
    env = TauEnv("retail", split=split)
    drawn = {env.reset(seed=seed)[1]["task"] for seed in range(40)}
    assert {TASKS[name].split for name in drawn} == {split}


def test_splits_share_no_task_and_no_customer():
    """F140: what a training run has seen is not what is tested."""
    sides = {"train": set(), "test": set()}
    for task in TASKS.values():
        sides[task.split].add(task.scenario.customer)
    assert sides["train"]
    assert sides["test"]
    assert not sides["train"] & sides["test"]


def test_environment_pickles_by_its_settings():
    env = TauEnv("retail", tasks=[TASK], max_steps=17, render_mode="ansi")
    for other in (pickle.loads(pickle.dumps(env)), copy.deepcopy(env)):
        assert (other.max_steps, other.render_mode) == (17, "ansi")
        assert play(other) == play(env)


def test_render_shows_lines_calls_and_results():
    env = TauEnv("retail", tasks=[TASK], render_mode="ansi")
    observation, _ = env.reset(seed=1)
    env.step(tau_env.call("think", thought="a thought"))
    lines = env.render().splitlines()
    assert lines[0] == f"customer: {observation['text']}"
    assert lines[1].startswith("call: think")
    assert "a thought" in lines[1]


def test_what_is_written_beside_a_call_is_kept_and_not_delivered(env):
    """F117: text beside a call, such as reasoning, reaches nobody and is not matched."""
    env.reset(seed=1)
    action = tau_env.call("think", thought="x") | {"aside": "psst, customer"}
    env.step(action)
    env.step(tau_env.say("Hello."))
    calls = [turn.call for turn in env.transcript if turn.call]
    assert calls[0].aside == "psst, customer"
    assert "psst" not in "".join(turn.text for turn in env.transcript)


# The chat interface.


@pytest.mark.parametrize("domain", domain_names())
def test_schemas_hold_the_strict_chat_shape(domain):
    """F115: no key that a strict reader of the chat interface refuses."""
    _, info = TauEnv(domain).reset(seed=0)
    assert info["tools"]
    for schema in info["tools"]:
        Tool.model_validate(schema)


def test_exported_calls_hold_the_strict_chat_shape(env):
    """F115: recorded calls can be given back to a chat interface."""
    numbers = itertools.count()
    some = list(TASKS.values())[::8]
    for task in some:
        play(env, task)
        for call in (turn.call for turn in env.transcript if turn.call):
            function = {"name": call.name, "arguments": call.raw}
            ident = f"call_{next(numbers)}"
            ToolCall.model_validate({"id": ident, "type": "function", "function": function})
    assert next(numbers) > len(some)


@pytest.mark.parametrize(
    "piece", ["a", "?", " ", "1,", "é🙂", "please? ", "a@", "$1 ", "(", "\n- "]
)
def test_the_longest_line_is_answered_within_a_moment(env, piece):
    env.reset(seed=0, options={"task": TASK})
    start = time.perf_counter()
    observation, *_ = env.step(tau_env.say((piece * 64_000)[:64_000]))
    assert observation["source"] == "customer"
    assert time.perf_counter() - start < 5


def test_mistake_at_the_first_reset_can_be_mended():
    """A wrong name costs an error, not the environment that `gymnasium.make` gave."""
    env = gymnasium.make("tau_env/retail-v1")
    with pytest.raises(UnknownName, match="no task 'nope'"):
        env.reset(options={"task": "nope"})
    env.reset(seed=7)
    observation, reward, *_ = env.step(tau_env.say("Hello"))
    assert (observation["source"], reward) == ("customer", 0.0)
    env.close()
