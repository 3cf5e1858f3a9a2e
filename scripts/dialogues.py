"""How far the full grader agrees with people: ``python scripts/dialogues.py [--domain D]``.

``tests/dialogues/<domain>.jsonl`` holds conversations that were written and labelled good or bad
from the policy and the tasks alone, by somebody who had not seen the graders. Each is played on the
company (its calls are made for real), graded, and the verdict compared with the label. A
disagreement is shown with the line that says how it was settled.

The scripted customer then hears the agent's side of every conversation. It must never misread
fatally: agree where the customer of the conversation answered something else or said no, refuse
what that one agreed to (to name the right value is no refusal), or leave while something was still
to be done.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
if str(ROOT) not in sys.path:
    sys.path.insert(0, str(ROOT))

from tau_env import content  # noqa: E402
from tau_env.graders.full import grade_full  # noqa: E402
from tau_env.language.replies import read_customer  # noqa: E402
from tau_env.registry import find_domain  # noqa: E402
from tau_env.schema import Call, Grade, Outcome, Task, Turn, digest  # noqa: E402
from tau_env.users.scripted import ScriptedUser  # noqa: E402
from tau_env.world.company import Domain  # noqa: E402

FOLDER = ROOT / "tests" / "dialogues"
AGREES = ("yes", "yes_but")


@dataclass(frozen=True, slots=True)
class Dialogue:
    """A conversation with its label.

    Attributes:
        id: its name.
        task: id of the task that it is about.
        task_digest: the task as it was when the conversation was written (`task_digest`).
        manner: how its agent speaks.
        label: ``good`` or ``bad``.
        why: the reason for the label.
        turn: for a bad one, the 1-based turn in which it goes wrong; None if in no single turn.
        labelled: the day of labelling.
        turns: ``{"who", "text"}`` or ``{"call", "arguments"}``, in order.
        resolved: where grader and label disagree, or once did: how that was settled.
        heard: where the scripted customer rightly answers otherwise than the one who was written:
            why.
    """

    id: str
    task: str
    task_digest: str
    manner: str
    label: str
    why: str
    turn: int | None
    labelled: str
    turns: tuple[dict[str, Any], ...]
    resolved: str = ""
    heard: str = ""


@dataclass(frozen=True, slots=True)
class Verdict:
    """What the grader and the scripted customer make of a conversation.

    Attributes:
        misread: the fatal misreading of the scripted customer, empty if there is none.
        heard: why it is none after all.
        followed: whether the scripted customer went along to the end.
    """

    domain: str
    id: str
    task: str
    label: str
    passed: bool
    evidence: str
    resolved: str
    misread: str
    followed: bool
    heard: str = ""

    @property
    def agrees(self) -> bool:
        """Whether the grade is what the label says."""
        return self.passed == (self.label == "good")


def task_digest(task: Task) -> str:
    """Names what a conversation depends on: all of a task but its reference and its split."""
    return digest(task.model_dump(mode="json", exclude={"reference", "split", "rules", "tags"}))


def read_dialogues(domain: str) -> tuple[Dialogue, ...]:
    """The conversations of a domain; none if nobody has written any."""
    path = FOLDER / f"{domain}.jsonl"
    if not path.exists():
        return ()
    rows = (json.loads(line) for line in path.read_text("utf-8").splitlines())
    return tuple(Dialogue(**{**row, "turns": tuple(row["turns"])}) for row in rows)


def played(dialogue: Dialogue, domain: Domain) -> tuple[tuple[Turn, ...], Outcome]:
    """The conversation as a finished trial: its calls are made on the company."""
    world = domain.open()
    world.begin(content.find_task(domain.name, dialogue.task).setup)
    turns: list[Turn] = []
    for step in dialogue.turns:
        if "call" in step:
            call: Call = domain.toolbox.call(world, step["call"], step["arguments"])
            turns.append(Turn(who="call", call=call))
        else:
            turns.append(Turn(who=step["who"], text=step["text"]))
    return tuple(turns), Outcome(patch=world.outcome(), end_reason=_end_of(turns))


def _end_of(turns: list[Turn]) -> Any:
    last = turns[-1]
    if last.call is not None and last.call.name == "transfer_to_human_agents":
        return "transferred"
    return "customer_ended" if last.who == "customer" else "agent_ended"


def misreading(dialogue: Dialogue, task: Task, domain: Domain) -> tuple[str, bool]:
    """The scripted customer's fatal misreading, and whether it went along to the end."""
    lexicon = domain.spec.lexicon
    user = ScriptedUser()
    user.reset(task.scenario, lexicon, 0)
    for number, said, written in _exchanges(dialogue):
        reply = user.reply(said)
        heard, meant = read_customer(reply.text, lexicon), read_customer(written, lexicon)
        corrects = {one.value for one in heard.literals} & {one.value for one in meant.literals}
        wrong = ""
        if heard.kind in AGREES and meant.kind in ("none", "no"):
            wrong = "agrees"
        elif heard.kind == "no" and meant.kind in AGREES and not corrects:
            wrong = "refuses"
        elif reply.ends and _writes_after(dialogue, number, domain):
            wrong = "leaves"
        if wrong:
            said = f"{reply.text!r} where the customer says {written!r}"
            return f"turn {number}: {wrong}, {said}", False
        if reply.ends or (heard.kind in AGREES) != (meant.kind in AGREES):
            return "", reply.ends
    return "", True


def _exchanges(dialogue: Dialogue) -> Iterator[tuple[int, str, str]]:
    """Each message of the agent with its turn and the customer's answer to it."""
    said: list[str] = []
    for number, step in enumerate(dialogue.turns, start=1):
        if step.get("who") == "agent":
            said.append(step["text"])
        elif step.get("who") == "customer" and said:
            yield number, "\n".join(said), step["text"]
            said = []


def _writes_after(dialogue: Dialogue, turn: int, domain: Domain) -> bool:
    return any(
        "call" in step and domain.spec.tools[step["call"]].kind == "write"
        for step in dialogue.turns[turn:]
    )


def judge(dialogue: Dialogue, domain: Domain) -> Verdict:
    """Grade one conversation and let the scripted customer hear it.

    Raises:
        ValueError: the task has changed since the conversation was written.
    """
    task = content.find_task(domain.name, dialogue.task)
    if dialogue.task_digest != task_digest(task):
        raise ValueError(
            f"{dialogue.id}: {dialogue.task} has changed since {dialogue.labelled}; read the "
            "conversation again, correct it or its label, and renew its task_digest"
        )
    transcript, outcome = played(dialogue, domain)
    grade = grade_full(task, transcript, outcome, domain.spec)
    misread, followed = misreading(dialogue, task, domain)
    return Verdict(
        domain=domain.name,
        id=dialogue.id,
        task=dialogue.task,
        label=dialogue.label,
        passed=grade.passed,
        evidence=_reasons(grade),
        resolved=dialogue.resolved,
        misread=misread,
        followed=followed,
        heard=dialogue.heard,
    )


def _reasons(grade: Grade) -> str:
    failed = [part for part in grade.parts.values() if not part.passed]
    return "; ".join(
        f"{part.grader}: {part.evidence[0].text if part.evidence else 'failed'}" for part in failed
    )


def summary(verdicts: list[Verdict]) -> str:
    """Agreement, disagreements and misreadings, as a person reads them."""
    lines = []
    for label in ("good", "bad"):
        some = [one for one in verdicts if one.label == label]
        agreed = sum(one.agrees for one in some)
        lines.append(f"{label:5}{agreed:4} of {len(some)} graded as labelled")
    fatal = [one for one in verdicts if one.misread and not one.heard]
    heard = len(verdicts) - len(fatal)
    share = heard / len(verdicts) if verdicts else float("nan")
    lines.append(
        f"heard without a fatal misreading: {heard} of {len(verdicts)} conversations "
        f"({share:.1%}), {sum(one.followed for one in verdicts)} of them to the end"
    )
    for one in verdicts:
        if not one.agrees:
            said = "passes" if one.passed else "fails"
            lines.append(f"{one.id} ({one.task}) is {one.label} and {said}: {one.evidence}")
            lines.append(f"    settled: {one.resolved or 'NOT YET'}")
    for one in verdicts:
        if one.misread:
            lines.append(f"{one.id} ({one.task}) misread: {one.misread}")
            lines.append(f"    settled: {one.heard or 'NOT YET'}")
    return "\n".join(lines)


def main() -> int:
    """Print the agreement; 1 if a disagreement has not been settled."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--domain", action="append", help="only this domain; may be given again")
    parser.add_argument("--json", action="store_true", help="one object with a row a conversation")
    given = parser.parse_args()
    names = given.domain or sorted(path.stem for path in FOLDER.glob("*.jsonl"))
    verdicts = [
        judge(dialogue, find_domain(name)) for name in names for dialogue in read_dialogues(name)
    ]
    if given.json:
        rows = [{**asdict(one), "agrees": one.agrees} for one in verdicts]
        print(json.dumps({"rows": rows}, ensure_ascii=False))
    else:
        for name in names:
            print(f"{name}: {sum(one.domain == name for one in verdicts)} conversations")
            print(summary([one for one in verdicts if one.domain == name]))
    return int(any(not one.agrees and not one.resolved for one in verdicts))


if __name__ == "__main__":
    sys.exit(main())
