"""`tau-env play`: a person plays the agent."""

from __future__ import annotations

import click

from tau_env.agents.human import HumanAgent
from tau_env.cli.show import print_trial
from tau_env.cli.visible import visible
from tau_env.content import find_task
from tau_env.env import MAX_STEPS, TauEnv
from tau_env.registry import find_domain
from tau_env.trial import run_trial


def _ask(prompt: str) -> str:
    return input(prompt)


def _show(text: str) -> None:
    click.echo(visible(text))


@click.command()
@click.option("--domain", required=True, help="The company to serve, such as retail.")
@click.option("--task", required=True, help="A task's id; `tau-env tasks list` shows all.")
@click.option("--seed", default=0, show_default=True, help="Of the customer's manner and wording.")
@click.option("--max-steps", default=MAX_STEPS, show_default=True, help="Steps you may take.")
def play(domain: str, task: str, seed: int, max_steps: int) -> None:
    """Serve a customer yourself and see how you are graded.

    You read what the agent reads: the policy, the tools, what the customer says. At the end the
    whole trial is shown with its verdicts.

    \b
    Example:
      tau-env play --domain retail --task retail-cancel-pending-003
    """
    find_domain(domain)
    found = find_task(domain, task)
    env = TauEnv(domain, tasks=[found], max_steps=max_steps)
    try:
        agent = HumanAgent(ask=_ask, show=_show)
        print_trial(run_trial(env, agent, found, seed=seed, name="human"))
    finally:
        env.close()
