"""Laws of a domain: its company is sound, its policy, tools and words fit together."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import datetime

from tau_env import content
from tau_env.checks.law import Verdict, first_line, judge
from tau_env.language.literals import find_literals
from tau_env.users.wording import COMMON, fields_of
from tau_env.world.company import Company, Domain
from tau_env.world.database import World

_TOOL_TOKEN = re.compile(r"\b[a-z]+(?:_[a-z]+)+\b")


def company_is_sound(domain: Domain) -> Iterator[str]:
    """Every invariant of the company holds in every row, for two seeds (F15)."""
    for seed in (1, 2):
        company = Company(domain, seed=seed)
        for law in domain.laws:
            broken = company.rows(law.sql)
            if broken:
                yield f"seed {seed}: {law.name}: {len(broken)} rows, such as {broken[0]}"


def company_is_reproducible(domain: Domain) -> Iterator[str]:
    """The same seed gives the same company."""
    one = domain.snapshot(seed=3).digest
    two = type(domain)(**{name: getattr(domain, name) for name in _fields(domain)})
    other = two.snapshot(seed=3).digest
    if one != other:
        yield f"seed 3 gave {one}, then {other}"


def _fields(domain: Domain) -> list[str]:
    return list(domain.__dataclass_fields__)


def columns_hold_cells(domain: Domain) -> Iterator[str]:
    """Every column holds integers or texts."""
    world = domain.open()
    for name, rows in world.scan().items():
        for row in rows.values():
            for column, value in row.items():
                if not (value is None or type(value) is int or type(value) is str):
                    yield f"{name}.{column} holds {value!r}"
    world.close()


def rules_are_held(domain: Domain) -> Iterator[str]:
    """Every rule has a tool that enforces it or a grader that checks it (F127)."""
    graders = {"state", "outputs", "path", "conduct", "confirmation"}
    for rule in domain.spec.rules:
        for holder in rule.by:
            kind, _, name = holder.partition(":")
            known = domain.spec.tools if kind == "tool" else graders
            if kind not in ("tool", "grader") or name not in known:
                yield f"{rule.id} names {holder!r}, which does not exist"


def tools_name_rules(domain: Domain) -> Iterator[str]:
    """Every rule that a tool names stands in the policy and names the tool."""
    rules = {rule.id: rule for rule in domain.spec.rules}
    for tool in domain.spec.tools.values():
        for name in tool.rules:
            if name not in rules:
                yield f"{tool.name} names {name}, which is not in the policy"
            elif f"tool:{tool.name}" not in rules[name].by:
                yield f"{tool.name} enforces {name}, but policy.py does not say so"
    for rule in rules.values():
        for holder in rule.by:
            kind, _, name = holder.partition(":")
            if kind == "tool" and rule.id not in domain.spec.tools[name].rules:
                yield f"{rule.id} says that {name} enforces it; the tool does not"


def policy_names_tools(domain: Domain) -> Iterator[str]:
    """Every word of the policy that looks like a tool is one, or a word of its arguments (F19)."""
    known = set(domain.spec.tools) | set(domain.lexicon.slots)
    for tool in domain.spec.tools.values():
        known |= _arguments(tool.parameters) | _choices(tool.parameters)
    for token in sorted(set(_TOOL_TOKEN.findall(domain.policy)) - known):
        yield f"the policy speaks of {token!r}, which is no tool and no argument"


def _choices(schema: object) -> set[str]:
    """The values of closed arguments in a JSON schema."""
    if isinstance(schema, list):
        return set[str]().union(*map(_choices, schema))
    if not isinstance(schema, dict):
        return set()
    own = {one for one in schema.get("enum", ()) if isinstance(one, str)}
    return own.union(*map(_choices, schema.values()))


def policy_tells_the_time(domain: Domain) -> Iterator[str]:
    """The policy states the domain's clock: date, day of the week and time (F12)."""
    now = datetime.fromisoformat(domain.now)
    dates = [one for one in find_literals(domain.policy, domain.lexicon) if one.kind == "date"]
    if now.date().isoformat() not in [one.value for one in dates]:
        yield f"it does not say that it is {now.date()}"
    for words in (f"{now:%A}", f"{now:%H:%M}"):
        if words not in domain.policy:
            yield f"it is {domain.now}, and the policy does not say {words!r}"


def _arguments(parameters: dict[str, object]) -> set[str]:
    properties = parameters.get("properties")
    return set(properties) if isinstance(properties, dict) else set()


def spec_names_columns(domain: Domain) -> Iterator[str]:
    """Generated keys, references, free columns and customers name what the schema has."""
    tables = domain.snapshot().tables
    places = [f"{table}.{column}" for table, column in domain.generated.items()]
    for place in [*places, *domain.references, *domain.free, domain.customers]:
        table, _, column = place.partition(".")
        if table not in tables or column not in tables[table].columns:
            yield f"{place} is not in the schema"
    for place, table in domain.references.items():
        if table not in tables:
            yield f"{place} refers to {table}, which is not in the schema"


def lexicon_covers_actions(domain: Domain) -> Iterator[str]:
    """Every verb of a tool is in the lexicon, every template's field is a slot or a fact."""
    for tool in domain.spec.tools.values():
        for verb in tool.verbs:
            if verb not in domain.lexicon.verbs:
                yield f"{tool.name} has the verb {verb!r}, which the lexicon lacks"
    for name, templates in domain.lexicon.phrases.items():
        if not templates:
            yield f"phrase {name!r} has no wording"
        if len({fields_of(template) for template in templates}) > 1:
            yield f"the wordings of phrase {name!r} carry different facts"
        for template in templates:
            for field in fields_of(template) - set(domain.lexicon.slots):
                yield f"phrase {name!r} has the field {field!r}, which is no slot"
    for name in set(domain.lexicon.phrases) & set(COMMON):
        yield f"phrase {name!r} hides the customer's common wording of that name"


def reads_change_nothing(domain: Domain) -> Iterator[str]:
    """A tool that is not a writing one changes nothing, whatever it is called with."""
    world: World = domain.open()
    for name, tool in domain.spec.tools.items():
        if tool.kind == "write":
            continue
        arguments = dict.fromkeys(tool.parameters["required"], "x")
        call = domain.toolbox.call(world, name, arguments)
        if call.changes or world.outcome():
            yield f"{name} changed {world.outcome()[0].table}"
    world.close()


def one_policy(domain: Domain) -> Iterator[str]:
    """The policy that agents read is the one file of that name (F128)."""
    if content.policy(domain.name) != domain.policy:
        yield f"policies/{domain.name}.md is not what the domain hands out"


LAWS = (
    company_is_sound,
    company_is_reproducible,
    columns_hold_cells,
    rules_are_held,
    tools_name_rules,
    policy_names_tools,
    policy_tells_the_time,
    spec_names_columns,
    lexicon_covers_actions,
    reads_change_nothing,
    one_policy,
)


def check_domain(domain: Domain) -> Iterator[Verdict]:
    """Every law of a domain."""
    for law in LAWS:
        yield judge(domain.name, first_line(law), law(domain))
