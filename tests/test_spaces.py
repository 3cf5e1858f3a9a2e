"""The spaces sample, contain, compare, pickle and go through JSON."""

import copy
import json
import pickle

import pytest
from gymnasium.spaces import Space
from hypothesis import given
from hypothesis import strategies as st

import tau_env
from tau_env.actions import LONGEST_LINE
from tau_env.spaces import SOURCES, ActionSpace, ObservationSpace

SPACES = [ActionSpace(["look", "write"], seed=1), ObservationSpace(seed=1)]
IDS = ["actions", "observations"]


@pytest.mark.parametrize("space", SPACES, ids=IDS)
def test_samples_are_contained_and_reproducible(space):
    space.seed(5)
    samples = [space.sample() for _ in range(200)]
    assert all(map(space.contains, samples))
    assert all(one in space for one in samples)
    space.seed(5)
    assert [space.sample() for _ in range(200)] == samples
    space.seed(6)
    assert [space.sample() for _ in range(200)] != samples


def test_action_samples_are_of_every_kind_and_name_tools():
    space = ActionSpace(["look", "write"], seed=0)
    samples = [space.sample() for _ in range(300)]
    assert {one["type"] for one in samples} == {"say", "call", "end"}
    assert {one["name"] for one in samples if one["type"] == "call"} == {"look", "write"}


@pytest.mark.parametrize("space", SPACES, ids=IDS)
def test_spaces_survive_pickle_copy_and_json(space):
    for other in (pickle.loads(pickle.dumps(space)), copy.deepcopy(space)):
        assert other == space
        assert hash(other) == hash(space)
        assert space.contains(other.sample())
    samples = [space.sample() for _ in range(20)]
    assert space.from_jsonable(json.loads(json.dumps(space.to_jsonable(samples)))) == samples
    assert isinstance(space, Space)
    assert not space.is_np_flattenable
    assert type(space).__name__ in repr(space)
    assert space != SPACES[1 - SPACES.index(space)]


characters = st.text(st.characters(exclude_categories=("Cs",)), min_size=1, max_size=40)


@given(characters)
def test_any_64000_characters_are_contained(some):
    text = (some * LONGEST_LINE)[:64_000]
    assert ActionSpace().contains(tau_env.say(text))
    assert ActionSpace().contains({"type": "call", "name": text, "arguments": {text: text}})
    assert ObservationSpace().contains({"source": "customer", "text": text})


@pytest.mark.parametrize("odd", [None, 3, "x", [], {}, {"type": "fly"}, {"type": "say", "text": 1}])
def test_action_space_contains_no_malformed_action(odd):
    assert not ActionSpace().contains(odd)


@pytest.mark.parametrize(
    "odd",
    [
        None,
        {"source": "customer"},
        {"source": "god", "text": "x"},
        {"source": "tool", "text": None},
        {"source": "tool", "text": "x", "more": 1},
        {"source": ["tool"], "text": "x"},
    ],
)
def test_observation_space_contains_source_and_text_only(odd):
    assert not ObservationSpace().contains(odd)
    assert all(ObservationSpace().contains({"source": one, "text": ""}) for one in SOURCES)
