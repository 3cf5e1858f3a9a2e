"""Parts of the check: all laws once, and the same verdicts from any number of processes."""

from __future__ import annotations

from collections import Counter

from tau_env import content
from tau_env.checks import domain_laws, env_laws, set_laws, task_laws
from tau_env.checks.parts import Part, check_part, check_parts, parts_of
from tau_env.registry import domain_names

SOME = [Part("retail", "family", "exception"), Part("retail", "tasks"), Part("retail", "domain")]


def test_parts_cover_every_domain_environment_and_family_once() -> None:
    parts = parts_of(domain_names())
    assert set(Counter(parts).values()) == {1}
    for name in domain_names():
        families = {part.name for part in parts if (part.domain, part.what) == (name, "family")}
        assert families == {one.family for one in content.task_files(name)}
        assert {part.what for part in parts if part.domain == name} == {
            "domain",
            "environment",
            "family",
            "tasks",
        }


def test_every_law_is_asked_of_its_subject() -> None:
    tasks = [one for one in content.tasks("retail").values() if one.family == "exception"]
    assert len(check_part(SOME[0])) == len(tasks) * len(task_laws.LAWS)
    assert len(check_part(SOME[1])) == len(set_laws.LAWS)
    assert len(check_part(SOME[2])) == len(domain_laws.LAWS)
    assert len(check_part(Part("retail", "environment"))) == len(env_laws.LAWS)


def test_workers_change_nothing() -> None:
    heard: list[str] = []
    alone = list(check_parts(SOME))
    assert list(check_parts(SOME, workers=2, heard=heard.append)) == alone
    assert heard == ["exception", "tasks retail", "domain retail"]
