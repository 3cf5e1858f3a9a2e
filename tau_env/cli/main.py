"""The `tau-env` command: finds its verbs by name and imports only the one that is asked for."""

from __future__ import annotations

import importlib
import sys
from typing import Any

import click

from tau_env.cli.visible import visible
from tau_env.errors import TauEnvError, nearest

VERBS = {
    "audit": "tau_env.cli.audit:audit_command",
    "check": "tau_env.cli.check:check",
    "compare": "tau_env.cli.compare:compare",
    "doctor": "tau_env.cli.doctor:doctor",
    "domain": "tau_env.cli.domain:domain",
    "export": "tau_env.cli.export:export",
    "floors": "tau_env.cli.floors:floors",
    "gate": "tau_env.cli.gate:gate",
    "judge": "tau_env.cli.judge:judge",
    "known-truth": "tau_env.cli.known_truth:known_truth",
    "passk": "tau_env.cli.passk:passk",
    "plan": "tau_env.cli.plan:plan",
    "play": "tau_env.cli.play:play",
    "regrade": "tau_env.cli.regrade:regrade",
    "replay": "tau_env.cli.replay:replay",
    "report": "tau_env.cli.report:report",
    "run": "tau_env.cli.run:run",
    "show": "tau_env.cli.show:show",
    "tasks": "tau_env.cli.tasks:tasks",
}


STOPPED = 130
"""Exit code after Ctrl-C."""


class LazyGroup(click.Group):
    """A group whose commands are import strings, so `tau-env --help` stays quick."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """All verbs, in alphabetical order."""
        return sorted(VERBS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import the verb's module and return its command; None for an unknown verb."""
        if cmd_name not in VERBS:
            return None
        module, _, name = VERBS[cmd_name].partition(":")
        command: click.Command = getattr(importlib.import_module(module), name)
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Resolve a verb, offering the nearest one for a misspelt name."""
        if args and args[0] not in VERBS and not args[0].startswith("-"):
            hint = nearest(args[0], VERBS)
            raise click.UsageError(
                f"No verb '{args[0]}'.{hint} `tau-env --help` lists all verbs.", ctx
            )
        return super().resolve_command(ctx, args)


@click.group(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="tau-env", prog_name="tau-env")
def cli() -> None:
    """tau_env: a customer-service benchmark with a real database and exact graders.

    \b
    Start here:
      tau-env floors            what agents score that do not try, and the ceiling
      tau-env tasks list        every task
      tau-env play --domain retail --task retail-cancel-pending-001
                                serve a customer yourself
      tau-env run --domain retail --agent my_module:MyAgent
                                plug in your own agent
    """


def main(argv: list[str] | None = None) -> Any:
    """Run the command line.

    Args:
        argv: words after ``tau-env``; the process's own when None.

    Returns:
        Never: exits 0, 1 (something that was checked failed) or 2 (a mistake of the caller,
        told in one line).
    """
    try:
        code = cli.main(args=argv, prog_name="tau-env", standalone_mode=False)
        sys.exit(code if isinstance(code, int) else 0)
    except click.exceptions.NoArgsIsHelpError as bare:
        bare.show()
        sys.exit(bare.exit_code)
    except click.ClickException as error:
        _tell(_one_line(error, sys.argv[1:] if argv is None else argv))
        sys.exit(error.exit_code)
    except click.Abort:
        _tell("stopped")
        sys.exit(STOPPED)
    except TauEnvError as error:
        _tell(str(error))
        sys.exit(error.exit_code)
    # A module that the caller named is theirs to mend; every other error keeps its traceback.
    except (Exception, SystemExit) as error:
        from tau_env.registry import import_fault

        fault = import_fault(error)
        if fault is None:
            raise
        _tell(f"{fault}; mend it and run again")
        sys.exit(2)


def _tell(text: str) -> None:
    print(f"tau-env: {visible(text)}", file=sys.stderr)


def _one_line(error: click.ClickException, words: list[str]) -> str:
    """Click's own message with the command that helps, as one line."""
    text = " ".join(error.format_message().split())
    if "`tau-env" in text:
        return text
    context = error.ctx if isinstance(error, click.UsageError) else None
    verb = next((word for word in words if word in VERBS), "")
    path = f"tau-env {verb}".strip() if context is None else context.command_path
    return f"{text}{'' if text.endswith(('.', '?')) else '.'} `{path} --help` shows how"
