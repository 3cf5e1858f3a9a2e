"""Blind conversations: the full grader's verdict is the label, or the difference is settled."""

import importlib.util
import sys
from collections import Counter
from pathlib import Path
from types import ModuleType

import pytest

from tau_env import content
from tau_env.registry import domain_names, find_domain

SCRIPT = Path(__file__).parents[1] / "scripts" / "dialogues.py"


def _script() -> ModuleType:
    spec = importlib.util.spec_from_file_location("dialogues", SCRIPT)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["dialogues"] = module
    spec.loader.exec_module(module)
    return module


DIALOGUES = _script()
ALL = [(name, one) for name in domain_names() for one in DIALOGUES.read_dialogues(name)]


@pytest.mark.parametrize(("domain", "dialogue"), ALL, ids=[f"{n}-{one.id}" for n, one in ALL])
def test_a_conversation_is_graded_as_labelled_or_settled(domain: str, dialogue: object) -> None:
    verdict = DIALOGUES.judge(dialogue, find_domain(domain))
    assert verdict.agrees or verdict.resolved, verdict.evidence


@pytest.mark.parametrize("domain", domain_names())
def test_a_domain_has_conversations_of_both_labels_and_no_id_twice(domain: str) -> None:
    found = DIALOGUES.read_dialogues(domain)
    labels = Counter(one.label for one in found)
    assert set(labels) <= {"good", "bad"}
    assert min(labels["good"], labels["bad"]) >= 50
    assert len({one.id for one in found}) == len(found)
    assert {one.task for one in found} <= set(content.tasks(domain))


def test_a_changed_task_asks_for_a_second_reading() -> None:
    domain, dialogue = ALL[0]
    stale = DIALOGUES.Dialogue(
        **{name: getattr(dialogue, name) for name in dialogue.__dataclass_fields__}
        | {"task_digest": "another"}
    )
    with pytest.raises(ValueError, match="read the conversation again"):
        DIALOGUES.judge(stale, find_domain(domain))
