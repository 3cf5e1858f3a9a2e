"""How well the messages of real agents are understood: ``python scripts/measure_text.py``.

Two measures, both against hand labels that are no part of the project:

- dialogue acts: precision, recall and F1 of each act, on messages of one agent (``--acts``,
  the text in ``--trials``) and on messages in many manners of speaking (``--messages``). A label
  that only one of the two readers gave is left out.
- confirmation: of the write calls labelled ``yes``, ``partial`` and ``no``, how many the grader
  finds confirmed (``--confirmations``, the trials in ``--trials``).

With ``--outcomes`` it prints instead what an outcome does not tell: of the recorded trials with
and without a reward, how many wrote, and how many of these without the customer's yes.

Without options the files are taken from the shared test data, where there are any.
"""

from __future__ import annotations

import argparse
import itertools
import json
import os
import sys
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, get_args

ROOT = Path(__file__).resolve().parents[1]
if str(ROOT) not in sys.path:
    sys.path.insert(0, str(ROOT))

from tau_env.domains.airline import DOMAIN  # noqa: E402
from tau_env.graders.confirmation import confirmed_writes  # noqa: E402
from tau_env.language.acts import read_agent  # noqa: E402
from tau_env.language.reading import ActKind  # noqa: E402
from tau_env.registry import find_domain  # noqa: E402
from tau_env.schema import Call, DomainSpec, Lexicon, Transcript, Turn  # noqa: E402

SHARED = Path(os.environ.get("TAU_SHARED", ROOT.parent / "shared"))
WELL_KNOWN = frozenset(
    ("asks_identity", "asks_record", "asks_confirmation", "reports_done", "offers_transfer")
)
RECORDED_IDS = {
    "reservation_id": r"(?!HAT\d{3})(?=[A-Z0-9]*[A-Z])[A-Z0-9]{6}",
    "flight_number": r"HAT\d{3}",
}
STATED = ("send_certificate",)
"""Tools whose amounts have to be stated in recorded trials, too."""
AIMS = {"one_agent": (0.90, 0.80), "manners": (0.80, 0.70)}
FATAL = frozenset(("asks_confirmation", "refuses", "reports_done"))
UNSCORED = frozenset(("informs", "holding"))
MEASURED: tuple[ActKind, ...] = tuple(kind for kind in get_args(ActKind) if kind not in UNSCORED)


@dataclass(frozen=True, slots=True)
class Labelled:
    """A message with the acts that both readers saw and those that only one saw."""

    text: str
    lexicon: Lexicon
    acts: frozenset[str]
    disputed: frozenset[str]


@dataclass(frozen=True, slots=True)
class ActRow:
    """Understanding of one act on one set of messages; ``n`` is the number of labels."""

    set: str
    act: str
    precision: float
    recall: float
    f1: float
    n: int
    aim: float


@dataclass(frozen=True, slots=True)
class HearingRow:
    """Conversations of which no labelled message would be misread fatally.

    Fatal is what makes a customer agree, take a refusal or leave: a question for a yes, a refusal
    or a report that neither reader saw.
    """

    set: str
    conversations: int
    without_fatal: int
    share: float


@dataclass(frozen=True, slots=True)
class ConfirmationRow:
    """Writes of one label: how many there are, and how many the grader finds confirmed.

    ``trials`` counts the trials that they come from.
    """

    set: str
    label: str
    n: int
    found_confirmed: int
    share: float
    trials: int


@dataclass(frozen=True, slots=True)
class OutcomeRow:
    """Trials of one reward: how many there are, how many wrote, and how many without a yes.

    ``writes`` counts calls that changed something, ``unconfirmed`` those without a yes.
    """

    set: str
    reward: int
    trials: int
    wrote: int
    without_yes: int
    writes: int
    unconfirmed: int


Row = ActRow | HearingRow | ConfirmationRow | OutcomeRow


def recorded_spec() -> DomainSpec:
    """The airline's spec as far as it holds for recorded trials of a like company.

    Its ids have another form, and its policy asks for less: that neither the amounts of a booking
    or a change nor the number of bags has to be stated before the yes.
    """
    spec = DOMAIN.spec
    slots = dict(spec.lexicon.slots)
    for name, pattern in RECORDED_IDS.items():
        slots[name] = slots[name].model_copy(update={"pattern": pattern})
    slots["total_baggages"] = slots["total_baggages"].model_copy(update={"kind": "text"})
    tools = {
        name: tool.model_copy(update={"amounts": tool.amounts if name in STATED else ()})
        for name, tool in spec.tools.items()
    }
    lexicon = spec.lexicon.model_copy(update={"slots": slots})
    return spec.model_copy(update={"lexicon": lexicon, "tools": tools})


def to_transcript(messages: Sequence[dict[str, Any]]) -> tuple[Transcript, dict[int, int]]:
    """Chat-completions messages as a transcript.

    Args:
        messages: in order; system messages are left out.

    Returns:
        The transcript, and for each message that makes a call the turn of its first call.
    """
    turns: list[Turn] = []
    calls: dict[int, int] = {}
    for place, message in enumerate(messages):
        text = message.get("content") or ""
        if message["role"] == "user":
            turns.append(Turn(who="customer", text=text))
        elif message["role"] == "assistant" and message.get("tool_calls"):
            calls[place] = len(turns) + 1
            results = _results_after(place, messages)
            for asked in message["tool_calls"]:
                call = _call(asked["function"], results.get(asked["id"], ""), aside=text)
                turns.append(Turn(who="call", call=call))
        elif message["role"] == "assistant":
            turns.append(Turn(who="agent", text=text))
    return tuple(turns), calls


def _results_after(place: int, messages: Sequence[dict[str, Any]]) -> dict[str, str]:
    """Results of a message's calls by call id; ids are reused later in recorded trials."""
    following = itertools.takewhile(lambda one: one["role"] == "tool", messages[place + 1 :])
    return {one["tool_call_id"]: one["content"] or "" for one in following}


def _call(function: dict[str, str], result: str, *, aside: str) -> Call:
    return Call(
        name=function["name"],
        arguments=json.loads(function["arguments"] or "{}"),
        raw=function["arguments"],
        result=result,
        error="refused" if result.startswith("Error") else None,
        aside=aside,
    )


def act_rows(name: str, messages: Iterable[Labelled]) -> list[ActRow]:
    """Precision, recall and F1 of every act on a set of messages."""
    counts: Counter[tuple[str, bool, bool]] = Counter()
    for message in messages:
        found = {act.kind for act in read_agent(message.text, message.lexicon).acts}
        for kind in MEASURED:
            if kind not in message.disputed:
                counts[kind, kind in found, kind in message.acts] += 1
    return [_act_row(name, kind, counts) for kind in MEASURED]


def hearing_row(name: str, trials: Sequence[int], messages: Sequence[Labelled]) -> HearingRow:
    """How many conversations would be heard without a fatal misreading.

    Args:
        name: the set.
        trials: the trial of each message.
        messages: what is said in them.
    """
    clean: dict[int, bool] = {}
    for trial, message in zip(trials, messages, strict=True):
        found = read_agent(message.text, message.lexicon).kinds & FATAL
        wrong = found - message.acts - message.disputed
        clean[trial] = clean.get(trial, True) and not wrong
    good = sum(clean.values())
    return HearingRow(name, len(clean), good, _share(good, len(clean)))


def _act_row(name: str, kind: str, counts: Counter[tuple[str, bool, bool]]) -> ActRow:
    right, extra, missed = (
        counts[kind, True, True],
        counts[kind, True, False],
        counts[kind, False, True],
    )
    return ActRow(
        set=name,
        act=kind,
        precision=_share(right, right + extra),
        recall=_share(right, right + missed),
        f1=_share(2 * right, 2 * right + extra + missed),
        n=right + missed,
        aim=AIMS[name][kind not in WELL_KNOWN],
    )


def _share(part: int, whole: int) -> float:
    return round(part / whole, 4) if whole else float("nan")


def confirmation_rows(
    labels: Sequence[dict[str, Any]], trials: Sequence[dict[str, Any]], spec: DomainSpec
) -> list[ConfirmationRow]:
    """For every label, how many of its writes the grader finds confirmed."""
    found: dict[str, list[bool]] = {}
    sources: dict[str, set[int]] = {}
    verdicts: dict[int, tuple[dict[int, int], dict[int, bool]]] = {}
    for label in labels:
        trial = label["trial"]
        if trial not in verdicts:
            transcript, calls = to_transcript(trials[trial]["traj"])
            judged = {one.turn: one.confirmed for one in confirmed_writes(transcript, spec)}
            verdicts[trial] = (calls, judged)
        calls, judged = verdicts[trial]
        kind = label["confirmed"]
        found.setdefault(kind, []).append(judged[calls[label["message"]]])
        sources.setdefault(kind, set()).add(trial)
    return [
        ConfirmationRow(
            set="one_agent",
            label=kind,
            n=len(found[kind]),
            found_confirmed=sum(found[kind]),
            share=_share(sum(found[kind]), len(found[kind])),
            trials=len(sources[kind]),
        )
        for kind in ("yes", "partial", "no", "disputed")
        if kind in found
    ]


def outcome_rows(trials: Sequence[dict[str, Any]], spec: DomainSpec) -> list[OutcomeRow]:
    """What the confirmation grader says of trials, by the reward that they were given."""
    found: dict[int, list[list[bool]]] = {1: [], 0: []}
    for trial in trials:
        transcript, _ = to_transcript(trial["traj"])
        writes = [one.confirmed for one in confirmed_writes(transcript, spec) if one.needed]
        found[round(trial["reward"])].append(writes)
    return [
        OutcomeRow(
            set="one_agent",
            reward=reward,
            trials=len(verdicts),
            wrote=sum(bool(writes) for writes in verdicts),
            without_yes=sum(not all(writes) for writes in verdicts),
            writes=sum(len(writes) for writes in verdicts),
            unconfirmed=sum(writes.count(False) for writes in verdicts),
        )
        for reward, verdicts in found.items()
        if verdicts
    ]


def _lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line]


def _labelled(label: dict[str, Any], text: str, lexicon: Lexicon) -> Labelled:
    return Labelled(text, lexicon, frozenset(label["acts"]), frozenset(label["disputed"]))


def measure(options: argparse.Namespace) -> list[Row]:
    """All rows that the given files allow."""
    spec = recorded_spec()
    rows: list[Row] = []
    trials = json.loads(options.trials.read_text(encoding="utf-8")) if options.trials else []
    if options.outcomes:
        return [*outcome_rows(trials, spec)]
    if trials and options.acts:
        labels = _lines(options.acts)
        texts = [trials[one["trial"]]["traj"][one["message"]]["content"] for one in labels]
        pairs = zip(labels, texts, strict=True)
        messages = [_labelled(one, text, spec.lexicon) for one, text in pairs]
        rows += act_rows("one_agent", messages)
        rows.append(hearing_row("one_agent", [one["trial"] for one in labels], messages))
    if options.messages:
        lexicons = {"airline": spec.lexicon, "retail": find_domain("retail").lexicon}
        rows += act_rows(
            "manners",
            [
                _labelled(one, one["message"], lexicons[one["domain"]])
                for one in _lines(options.messages)
            ],
        )
    if trials and options.confirmations:
        rows += confirmation_rows(_lines(options.confirmations), trials, spec)
    return rows


def _options(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    files = {
        "trials": ("tau_bench/gpt-4o-airline.json", "recorded trials, chat-completions messages"),
        "acts": ("tau_bench/agent_acts.jsonl", "acts of messages of those trials"),
        "confirmations": ("tau_bench/confirmation_labels.jsonl", "labelled writes of those trials"),
        "messages": ("text/agent_styles.jsonl", "labelled messages in many manners"),
    }
    for name, (place, text) in files.items():
        default = SHARED / place
        parser.add_argument(
            f"--{name}",
            type=Path,
            default=default if default.is_file() else None,
            help=f"{text} (default: {default})",
        )
    parser.add_argument(
        "--outcomes", action="store_true", help="only: writes without a yes, by reward"
    )
    parser.add_argument("--json", action="store_true", help='print one object with a list "rows"')
    options = parser.parse_args(arguments)
    for name in files:
        path = getattr(options, name)
        if path is not None and not path.is_file():
            parser.error(f"--{name}: there is no file {path}; give the path of a labelled file")
    return options


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure and print; 2 if there is nothing to measure."""
    options = _options(arguments)
    rows = [asdict(row) for row in measure(options)]
    if not rows:
        print("nothing to measure: give --messages, or --trials with labels", file=sys.stderr)
        return 2
    if options.json:
        print(json.dumps({"rows": rows}))
        return 0
    for row in rows:
        print("  ".join(f"{name} {value}" for name, value in row.items()))
    return 0


if __name__ == "__main__":
    sys.exit(main())
