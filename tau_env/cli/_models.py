"""Options of `run` for agents and customers played by models, and what such a run has cost."""

from __future__ import annotations

import itertools
import json
import os
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, TypeVar

import click

from tau_env.errors import UserMistake
from tau_env.registry import find_agent, find_user
from tau_env.report.spending import spending
from tau_env.schema import Trial

Command = TypeVar("Command", bound=Callable[..., Any])

SETTINGS = ("model", "base_url", "temperature", "reasoning_effort", "prices")
USER_SETTINGS = ("model", "base_url", "temperature")
PATIENCE = {"timeout": "TAU_ENV_TIMEOUT", "patience": "TAU_ENV_PATIENCE", "rate": "TAU_ENV_RATE"}
ABOVE_0 = click.FloatRange(min=0, min_open=True)
OPTIONS = (
    click.option("--model", help="Model that plays the agent, by its name at the endpoint."),
    click.option("--base-url", help="The endpoint, such as http://127.0.0.1:8000/v1."),
    click.option("--temperature", type=float, help="Temperature of the agent's model."),
    click.option("--reasoning-effort", help="Reasoning effort of the agent's model."),
    click.option("--user-model", help="Model that plays the customer; with --user model."),
    click.option("--user-base-url", help="Its endpoint, which may be the agent's."),
    click.option("--user-temperature", type=float, help="Temperature of the customer's model."),
    click.option("--sweep", "sweeps", multiple=True, help="NAME=A,B,C: an agent for each value."),
    click.option(
        "--prices",
        type=click.Path(path_type=Path),
        help="JSON table of US dollars per million tokens; costs are unknown without.",
    ),
    click.option("--timeout", type=ABOVE_0, help="Seconds a call may be silent; 300 if not given."),
    click.option("--patience", type=ABOVE_0, help="Seconds a call may wait for a rate limit; 600."),
    click.option("--rate", type=ABOVE_0, help="Calls a second at most, all roles together."),
)


@dataclass(frozen=True, kw_only=True)
class ModelOptions:
    """Options for models; None or empty is one that was not given."""

    model: str | None = None
    base_url: str | None = None
    temperature: float | None = None
    reasoning_effort: str | None = None
    user_model: str | None = None
    user_base_url: str | None = None
    user_temperature: float | None = None
    prices: Path | None = None
    sweeps: tuple[str, ...] = ()
    timeout: float | None = None
    patience: float | None = None
    rate: float | None = None

    @property
    def settings(self) -> dict[str, Any]:
        """The agents' settings among them."""
        found = {name: getattr(self, name) for name in SETTINGS}
        found["prices"] = None if self.prices is None else str(self.prices)
        return {name: value for name, value in found.items() if value is not None}

    @property
    def user_settings(self) -> dict[str, Any]:
        """The customer's settings among them."""
        found = {name: getattr(self, f"user_{name}") for name in USER_SETTINGS}
        return {name: value for name, value in found.items() if value is not None}


def model_options(command: Command) -> Command:
    """Add the options for models to a command."""
    for option in reversed(OPTIONS):
        command = option(command)
    return command


def take_model_options(options: dict[str, Any]) -> ModelOptions:
    """Take the options for models out of a command's options."""
    names = [one.name for one in fields(ModelOptions)]
    return ModelOptions(**{name: options.pop(name) for name in names})


def variants(
    source: str, settings: Mapping[str, Any], asked: ModelOptions
) -> list[tuple[str, dict[str, Any]]]:
    """The agents that one ``--agent`` stands for, by name, with the settings of each.

    An agent that is not played by a model (its class does not say ``waits = True``) stands for
    itself and gets none of the options for models.

    Args:
        source: as given.
        settings: by ``--setting``.
        asked: the options for models; a sweep makes one agent for each value.

    Raises:
        UserMistake: a setting is given twice, or a sweep has no value.
    """
    if not getattr(find_agent(source), "waits", False):
        return [(source, dict(settings))]
    sweeps = [_sweep(text) for text in asked.sweeps]
    base = _joined(settings, asked.settings)
    found = []
    for chosen in itertools.product(*sweeps):
        marks = [f"{name}={text}" for name, text, _ in chosen]
        swept: dict[str, Any] = {}
        for name, _, value in chosen:
            swept = _joined(swept, {name: value})
        found.append(("/".join([source, *marks]), _joined(base, swept)))
    return found


def check_some_model(sources: Sequence[str], asked: ModelOptions) -> None:
    """Refuse options for models that no agent of the run would get.

    Raises:
        UserMistake: no agent's class says ``waits = True``.
    """
    given = [*asked.settings, *(["sweep"] if asked.sweeps else [])]
    # A table of prices is for the customer's model as well.
    given = [name for name in given if name != "prices"]
    if given and not any(getattr(find_agent(one), "waits", False) for one in sources):
        raise UserMistake(
            f"--{given[0].replace('_', '-')} is for agents that are played by a model, and none of "
            f"{', '.join(sources)} is: add --agent openai (tool calling) or --agent openai-json"
        )


def user_settings_of(user: str, settings: Mapping[str, Any], asked: ModelOptions) -> dict[str, Any]:
    """The settings of the customer, those by the options for models among them.

    Args:
        user: name of the user.
        settings: by ``--user-setting``.
        asked: the options for models.

    Raises:
        UserMistake: options for a model that this customer is not played by, or one given twice.
    """
    given = asked.user_settings
    if given and not getattr(find_user(user), "waits", False):
        raise UserMistake(
            f"--user-{next(iter(given)).replace('_', '-')} is for a customer that is played by a "
            f"model, and {user!r} is not: add --user model"
        )
    return _joined(settings, given)


def _joined(one: Mapping[str, Any], other: Mapping[str, Any]) -> dict[str, Any]:
    twice = sorted(set(one) & set(other))
    if twice:
        raise UserMistake(f"setting {twice[0]!r} is given twice: keep one of the options")
    return {**one, **other}


def _sweep(text: str) -> list[tuple[str, str, Any]]:
    """Name, text and value of each setting of a sweep."""
    name, sign, values = text.partition("=")
    texts = [one.strip() for one in values.split(",")]
    if not sign or not name or not all(texts):
        raise UserMistake(f"sweep {text!r} is not NAME=A,B, such as reasoning_effort=low,high")
    return [(name, one, read_value(one)) for one in texts]


def read_value(text: str) -> Any:
    """A setting's value: JSON where it can be read so, else the text."""
    try:
        return json.loads(text)
    except json.JSONDecodeError:
        return text


@contextmanager
def patience(asked: ModelOptions) -> Iterator[None]:
    """Ask endpoints as the options say, for a while.

    By the environment, where endpoints look and which worker processes inherit: how patiently an
    endpoint is asked decides no result and is no part of a study.
    """
    told = {variable: getattr(asked, name) for name, variable in PATIENCE.items()}
    told["TAU_ENV_PRICES"] = asked.prices
    before = {name: os.environ.get(name) for name in told}
    os.environ.update({name: str(value) for name, value in told.items() if value is not None})
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value


def print_spending(trials: Sequence[Trial]) -> None:
    """Tell what models were asked for and what their records warn of, if any was asked."""
    spent = [one for one in spending(trials) if one.role != "all" and one.tokens is not None]
    for one in spent:
        cost = "cost unknown" if one.cost is None else f"${one.cost:.4f}"
        if one.cost is not None and one.known < one.trials:
            cost += f" over the {one.known} of {one.trials} trials that tell it"
        click.echo(f"spent by the {one.role}: {one.tokens:,} tokens, {cost}")
    found = Counter(
        f"{role}: {text}"
        for trial in trials
        for role, texts in trial.warnings.items()
        for text in texts
    )
    for text, times in found.most_common(3):
        click.echo(f"warning of {times} trials, {text}")
