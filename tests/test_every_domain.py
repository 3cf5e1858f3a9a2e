"""The laws that ship, on every domain and environment of the registry."""

import pytest

from tau_env import content
from tau_env.checks import domain_laws, env_laws, set_laws
from tau_env.family import canary
from tau_env.registry import domain_names, find_domain


def broken(law, domain):
    """All reasons, not only the first."""
    return list(law(find_domain(domain)))


@pytest.mark.parametrize("law", domain_laws.LAWS, ids=lambda law: law.__name__)
@pytest.mark.parametrize("domain", domain_names())
def test_law_of_domains_holds(domain, law):
    """F12, F15, F19, F127, F128 among them."""
    assert broken(law, domain) == []


@pytest.mark.parametrize("law", env_laws.LAWS, ids=lambda law: law.__name__)
@pytest.mark.parametrize("domain", domain_names())
def test_law_of_environments_holds(domain, law):
    """F79, F88, F89, F113, F137 among them."""
    assert broken(law, domain) == []


@pytest.mark.parametrize("law", set_laws.LAWS, ids=lambda law: law.__name__)
@pytest.mark.parametrize("domain", domain_names())
def test_law_of_task_sets_holds(domain, law):
    """F04, and the variety and the splits of the released tasks."""
    tasks = list(content.tasks(domain).values())
    assert list(law(set_laws.TaskSet(find_domain(domain), tasks))) == []


@pytest.mark.parametrize("name", domain_names())
def test_policy_carries_its_canary(name):
    policy = find_domain(name).policy
    assert canary(name, "policy") in policy
    assert not any("canary" in rule.text for rule in find_domain(name).spec.rules)
