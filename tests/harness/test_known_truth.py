"""Agents of known skill over real episodes: what is estimated beside what was planted."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from tau_env.agents.noisy import Skill
from tau_env.errors import BadArgument, UserMistake
from tau_env.harness.grid import choose_tasks
from tau_env.harness.known_truth import Played, Setting, play, shifted
from tau_env.harness.truth_plan import AGENTS, KnownTruth, Plan, known_truth, write_truth
from tau_env.harness.truth_repeats import FAMILY_CONCENTRATION, _truth, coverage_rows
from tau_env.harness.truth_rows import Rows, TruthRow, draws_rows, pass_rows
from tau_env.stats.intervals import FRESH_TASKS, NEW_FAMILIES
from tau_env.stats.pass_intervals import choose, pass_hat_k_interval, spread_of
from tau_env.users.wording import STYLES

TASKS = choose_tasks("retail")[::12]
SETTING = Setting(Skill(mean=0.5, concentration=2.0, seed=3), seed=3, trials=4)


@pytest.fixture(scope="module")
def small() -> KnownTruth:
    return known_truth(Plan("retail", studies=1, repeats=200, stride=10))


@pytest.fixture(scope="module")
def played() -> Played:
    return play("retail", [SETTING], TASKS)[0]


def rows_of(found: KnownTruth, part: str) -> list[TruthRow]:
    return [row for row in found.rows if row.part == part]


def row(found: KnownTruth, part: str, *words: str) -> TruthRow:
    return next(r for r in rows_of(found, part) if all(word in r.quantity for word in words))


def test_every_grade_is_the_planted_draw(small: KnownTruth) -> None:
    assert row(small, "draws").note.startswith("0 of ")


def test_all_parts_are_there_and_nothing_contradicts_theory(small: KnownTruth) -> None:
    parts = ["draws", "pass^k", "prediction", "Beta fit", "coverage", "crashes", "weak graders"]
    assert list(dict.fromkeys(r.part for r in small.rows)) == [*parts, "customers"]
    assert small.failed == ()


def test_the_estimate_is_the_mean_of_the_real_verdicts(small: KnownTruth) -> None:
    for skill in AGENTS:
        own = small.played[skill.name]
        found = next(r for r in rows_of(small, "pass^k") if r.agent == skill.name)
        assert found.estimate == pytest.approx(np.mean([one.passed for one in own]))
        assert found.truth == pytest.approx(np.mean([one.chances for one in own]))


def test_plug_in_is_expected_above_the_truth(small: KnownTruth) -> None:
    plug = [r for r in rows_of(small, "pass^k") if r.quantity.startswith("plug-in")]
    assert plug
    assert all(r.expected is not None and r.expected > r.truth for r in plug)


def test_the_rerun_trap_is_expected_above_and_crashes_below_the_truth(small: KnownTruth) -> None:
    trap = row(small, "crashes", "failures rerun")
    crash = row(small, "crashes", "no rerun")
    once = row(small, "crashes", "missing = failed")
    assert trap.expected is not None
    assert crash.expected is not None
    assert trap.expected > trap.truth
    assert crash.expected == pytest.approx(0.8 * crash.truth)
    assert once.expected == pytest.approx(0.96 * once.truth)


def test_weak_graders_are_expected_above_the_truth(small: KnownTruth) -> None:
    found = [r for r in rows_of(small, "weak graders") if r.expected is not None]
    assert found
    assert all(r.expected is not None and r.expected > r.truth for r in found)


def test_one_customer_for_all_trials_flatters(small: KnownTruth) -> None:
    same = row(small, "customers", "pass^4", "one customer")
    copies = row(small, "customers", "pass^4", "one seed")
    assert same.expected is not None
    assert copies.expected is not None
    assert copies.expected > same.expected > same.truth


def test_coverage_says_that_its_outcomes_are_drawn_again(small: KnownTruth) -> None:
    assert {r.source for r in rows_of(small, "coverage")} == {"drawn again"}
    assert {r.source for r in rows_of(small, "pass^k")} == {"real episodes"}


def test_coverage_notices_an_interval_about_something_else(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tau_env.harness.truth_repeats._truth", lambda *_: 0.9)
    found = coverage_rows(
        AGENTS[0],
        families=[f"family {number % 8}" for number in range(40)],
        chances=np.full(40, 0.5),
        trials=8,
        ks=(1,),
        repeats=100,
        rng=np.random.default_rng(0),
    )
    assert [r.holds for r in found] == [False, False, False]


def test_truth_of_new_families_is_the_mean_over_families() -> None:
    skill = Skill(mean=0.6, concentration=2.0)
    rng = np.random.default_rng(5)
    family = rng.beta(0.6 * FAMILY_CONCENTRATION, 0.4 * FAMILY_CONCENTRATION, size=400_000)
    p = rng.beta(family * 2.0, (1 - family) * 2.0)
    for k in (1, 4, 8):
        found = _truth(skill, NEW_FAMILIES, p, k)
        assert found == pytest.approx(np.mean(p**k), abs=4 * np.std(p**k) / 400_000**0.5)


def test_intervals_of_repeats_are_those_that_a_reader_gets() -> None:
    rng = np.random.default_rng(1)
    family = np.repeat([0, 1, 2], 10)
    counts = rng.binomial(8, rng.beta(1, 1, size=(5, 30)))
    spread = spread_of(counts, np.full(30, 8), 2, family, FRESH_TASKS)
    estimates = [pass_hat_k_interval(c, 8, 2, families=family) for c in counts]
    low, high, _ = choose(np.array([one.estimate for one in estimates]), spread, 0.95)
    assert low == pytest.approx([one.low for one in estimates])
    assert high == pytest.approx([one.high for one in estimates])


def test_a_grade_that_is_not_the_draw_is_counted(played: Played) -> None:
    wrong = played.passed.copy()
    wrong[0, 0] = not wrong[0, 0]
    found = draws_rows([replace(played, passed=wrong)])[0]
    assert found.holds is False
    assert found.note == f"1 of {wrong.size} differ"


def test_a_flattering_grader_would_be_noticed(played: Played) -> None:
    assert pass_rows([played], (1, 2))[0].holds
    flattered = pass_rows([replace(played, passed=np.ones_like(played.passed))], (1, 2))
    assert [r.holds for r in flattered[:2]] == [False, False]


def test_outcomes_do_not_depend_on_the_workers(played: Played) -> None:
    other = play("retail", [SETTING], TASKS, workers=2)[0]
    assert np.array_equal(other.passed, played.passed)
    assert np.array_equal(other.p, played.p)
    assert other.mistakes == played.mistakes


def test_copies_of_a_seed_agree_and_fresh_seeds_do_not(played: Played) -> None:
    copies = play("retail", [replace(SETTING, users="copies")], TASKS)[0]
    assert np.ptp(copies.passed.astype(int), axis=1).max() == 0
    assert np.ptp(played.passed.astype(int), axis=1).max() == 1


def test_one_customer_keeps_its_manner_and_the_agent_draws_anew() -> None:
    setting = replace(SETTING, manner=1.0, users="same")
    same, fresh = play("retail", [setting, replace(setting, users="fresh")], TASKS)
    assert np.ptp(same.p, axis=1).max() == 0
    assert np.ptp(fresh.p, axis=1).max() > 0
    assert np.ptp(same.passed.astype(int), axis=1).max() == 1


def test_manner_shifts_chances_round_the_middle() -> None:
    found = shifted(0.5, 1.0)
    assert len(found) == len(STYLES)
    assert found == sorted(found)
    assert found[0] == pytest.approx(1 / (1 + math.e))
    assert found[0] + found[-1] == pytest.approx(1.0)


def test_crashes_are_rerun_and_failures_only_in_the_trap() -> None:
    rerun, trap = play(
        "retail",
        [
            replace(SETTING, crash_rate=0.5, reruns=1),
            replace(SETTING, rerun="failures", reruns=1),
        ],
        TASKS,
    )
    crashed_once = rerun.crashes > 0
    assert np.array_equal(rerun.attempts > 1, crashed_once)
    assert np.array_equal(rerun.crashed, rerun.crashes == 2)
    assert np.all(trap.passed | (trap.attempts == 2))
    assert trap.crashes.sum() == 0


def test_progress_ends_with_every_episode() -> None:
    told: list[tuple[int, int]] = []
    found = play(
        "retail", [SETTING], TASKS, told=lambda made, planned: told.append((made, planned))
    )
    assert told[-1] == (found[0].episodes, len(TASKS) * 4)


def test_a_row_is_judged_by_its_standard_errors() -> None:
    rows = Rows("x", "a", 1)
    rows.add("inside", truth=0.5, expected=0.5, estimate=0.53, noise=0.01)
    rows.add("outside", truth=0.5, expected=0.5, estimate=0.55, noise=0.01)
    rows.add("shown", truth=0.5, estimate=0.55, noise=0.01)
    assert [r.holds for r in rows.made] == [True, False, None]


def test_planted_chances_are_written_apart(tmp_path: Path, played: Played) -> None:
    path = tmp_path / "truth.json"
    write_truth(path, {"noisy": [played]})
    planted = json.loads(path.read_text())["noisy"][0]
    assert planted["p"] == dict(zip(played.tasks, played.chances, strict=True))
    with pytest.raises(UserMistake, match="choose another"):
        write_truth(path, {"noisy": [played]})


@pytest.mark.parametrize("wrong", [{"trials": 4}, {"studies": 0}, {"repeats": 0}, {"stride": 0}])
def test_a_plan_outside_its_range_is_refused(wrong: dict[str, int]) -> None:
    with pytest.raises(BadArgument, match="at least"):
        Plan("retail", **wrong)


@pytest.mark.heavy
def test_the_default_run_holds_over_twenty_thousand_episodes() -> None:
    found = known_truth(Plan("retail", workers=2))
    assert found.episodes > 20_000
    assert found.failed == ()
