"""Vector environments keep the final message and the grade, in every autoreset mode (F119)."""

import functools

import gymnasium
import numpy as np
import pytest
from gymnasium.vector import AsyncVectorEnv, AutoresetMode, SyncVectorEnv

import tau_env
from tau_env import content
from tau_env.agents.script import Reference
from tau_env.env import TauEnv
from tau_env.schema import Grade

NAMES = sorted(content.tasks("retail"))[::20][:3]
MODES = list(AutoresetMode)
HELLO, END = tau_env.say("Hello."), tau_env.end()


def make(name, max_steps=30):
    return TauEnv("retail", tasks=[name], max_steps=max_steps)


def vector(kind, mode, makers):
    if kind == "sync":
        return SyncVectorEnv(makers, autoreset_mode=mode)
    return AsyncVectorEnv(makers, autoreset_mode=mode, shared_memory=False)


@pytest.mark.parametrize("mode", MODES, ids=[mode.value for mode in MODES])
@pytest.mark.parametrize("kind", ["sync", "async"])
def test_final_grade_is_kept_in_every_autoreset_mode(kind, mode):
    """F119: the last message and the grade are where the documentation says."""
    envs = vector(kind, mode, [functools.partial(make, name) for name in NAMES])
    observations, infos = envs.reset(seed=4)
    assert [one["source"] for one in observations] == ["customer"] * 3
    assert list(infos["task"]) == NAMES
    assert "grade" not in infos
    _, rewards, terminated, truncated, infos = envs.step((HELLO, END, HELLO))
    assert rewards.dtype == np.float64
    assert list(terminated) == [False, True, False]
    assert not truncated.any()
    last = infos["final_info"] if mode is AutoresetMode.SAME_STEP else infos
    assert list(last["_grade"]) == [False, True, False]
    grade = last["grade"][1]
    assert isinstance(grade, Grade)
    assert grade == alone(NAMES[1], seed=5)
    assert last["end_reason"][1] == "agent_ended"
    if mode is AutoresetMode.SAME_STEP:
        assert infos["final_obs"][1] == {"source": "system", "text": "The conversation is over."}
        assert infos["task"][1] == NAMES[1]
    if mode is AutoresetMode.NEXT_STEP:
        observations, rewards, terminated, _, infos = envs.step((HELLO, END, HELLO))
        assert observations[1]["source"] == "customer"
        assert (rewards[1], terminated[1]) == (0.0, False)
        assert "grade" not in infos
    if mode is AutoresetMode.DISABLED:
        observations, infos = envs.reset(options={"reset_mask": np.array([False, True, False])})
        assert observations[1]["source"] == "customer"
    envs.step((HELLO, HELLO, HELLO))
    envs.close()


def alone(name, *, seed):
    """The grade of an episode that is ended at once, without any vector."""
    env = make(name)
    env.reset(seed=seed)
    return env.step(END)[-1]["grade"]


@pytest.mark.parametrize("kind", ["sync", "async"])
def test_environments_that_end_together_keep_one_grade_each(kind):
    envs = vector(
        kind,
        AutoresetMode.DISABLED,
        [
            functools.partial(make, name, max_steps)
            for name, max_steps in zip(NAMES, (1, 9, 1), strict=True)
        ],
    )
    envs.reset(seed=1)
    _, _, terminated, truncated, infos = envs.step((HELLO, END, END))
    assert (list(terminated), list(truncated)) == ([False, True, True], [True, False, False])
    assert infos["_grade"].all()
    assert list(infos["end_reason"]) == ["max_steps", "agent_ended", "agent_ended"]
    assert infos["grade"][1] == alone(NAMES[1], seed=2)
    assert infos["grade"][2] == alone(NAMES[2], seed=3)
    envs.close()


@pytest.mark.parametrize("kind", ["sync", "async"])
def test_reward_of_a_passed_episode_comes_through(kind):
    """F118: reward, end and grade of a won and of a lost episode, as the caller reads them."""
    task = content.find_task("retail", NAMES[0])
    envs = vector(kind, AutoresetMode.DISABLED, [functools.partial(make, task.id)] * 2)
    agent = Reference(task)
    agent.reset(make(task.id).briefing, 0)
    observations, _ = envs.reset(seed=1)
    terminated = np.zeros(2, dtype=bool)
    while not terminated.any():
        action = agent.act(observations[0])
        other = tau_env.call("think", thought="x")
        observations, rewards, terminated, _, infos = envs.step((action, other))
    assert list(terminated) == [True, False]
    assert list(rewards) == [1.0, 0.0]
    assert infos["grade"][0].passed
    assert infos["grade"][1] is None
    envs.close()


def test_made_by_id_sync_and_async_say_the_same():
    told = []
    for mode in ("sync", "async"):
        extra = {"shared_memory": False} if mode == "async" else {}
        envs = gymnasium.make_vec(
            "tau_env/retail-v1", num_envs=2, vectorization_mode=mode, vector_kwargs=extra
        )
        script = [envs.reset(seed=9)[0]]
        script += [envs.step((HELLO, tau_env.call("think", thought="x")))[:4] for _ in range(3)]
        told.append(repr(script))
        envs.close()
    assert told[0] == told[1]


def test_sampled_actions_fit_a_vector():
    envs = SyncVectorEnv([functools.partial(make, name) for name in NAMES])
    envs.action_space.seed(1)
    envs.reset(seed=1)
    for _ in range(30):
        actions = envs.action_space.sample()
        assert envs.action_space.contains(actions)
        observations, *_ = envs.step(actions)
        assert envs.observation_space.contains(observations)
    envs.close()


def test_shared_memory_is_refused_with_the_way_out():
    assert "shared_memory=False" in TauEnv.__doc__
    with pytest.raises(ValueError, match="shared_memory=False"):
        AsyncVectorEnv([functools.partial(make, NAMES[0])])
