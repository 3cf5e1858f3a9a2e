"""Whatever the order of finishing, crashing, killing and resuming: one row a slot, nothing lost."""

import random
import sqlite3

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tau_env.harness.driver import run_study
from tau_env.harness.player import Player
from tau_env.harness.records import read_trials
from tau_env.harness.store import Store
from tau_env.registry import find_domain
from tau_env.schema import lasting

FOR_EVER = 99
RETRIES = 2


class Killed(BaseException):
    """Stands for kill -9: nothing after it runs in the driver."""


@pytest.fixture(scope="module")
def calm(tasks):
    """What each slot gives when nothing crashes: computed once."""
    from tau_env.harness.study import plan_agent, plan_study

    plans = [plan_agent("harness_agents:Draws", name="Draws")]
    study = plan_study("retail", plans, tasks, trials=2, retries=RETRIES)
    player = Player(study, tasks)
    found = {slot: player.play(slot) for slot in study.slots()}
    player.close()
    return study, found


class Fated:
    """Plays slots by heart; each crashes as often as it is fated to, then gives its trial."""

    def __init__(self, calm, fate, order):
        self.capacity = 3
        self.calm, self.fate, self.order = calm, fate, order
        self.slots = []

    def submit(self, slot):
        self.slots.append(slot)

    def wait(self):
        from tau_env.harness.backends import Answer

        slot = self.slots.pop(self.order.randrange(len(self.slots)))
        if self.fate[slot] > 0:
            self.fate[slot] -= 1
            return Answer(slot, lost="worker died (signal 9)")
        return Answer(slot, self.calm[slot])

    def stop(self):
        self.slots.clear()


def killed_at(store, event, side):
    """The store's `keep` and `keep_attempt` with a kill at their event-th call together."""
    left = [event]
    for name in ("keep", "keep_attempt"):
        real = getattr(store, name)

        def deadly(*words, real=real, **more):
            left[0] -= 1
            if left[0] == 0 and side == "before":
                raise Killed
            real(*words, **more)
            if left[0] == 0:
                raise Killed

        setattr(store, name, deadly)


fates = st.lists(st.sampled_from([0, 0, 0, 1, 2, FOR_EVER]), min_size=6, max_size=6)
kills = st.lists(st.tuples(st.integers(1, 14), st.sampled_from(["before", "after"])), max_size=5)


@settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(fate=fates, kills=kills, seed=st.integers(0, 10**6))
def test_any_interleaving_gives_the_records_of_an_undisturbed_run(
    calm, tasks, tmp_path_factory, fate, kills, seed
):
    study, found = calm
    path = tmp_path_factory.mktemp("mixed") / "s.db"
    order = random.Random(seed)
    fated = dict(zip(study.slots(), fate, strict=True))
    hopeless = {slot for slot, times in fated.items() if times > RETRIES}
    progress = None
    for event, side in [*kills, (None, "")]:
        with Store(path) as store:
            store.begin(study, tasks, find_domain("retail").spec)
            kept = store.kept()
            if event is not None:
                killed_at(store, event, side)
            with pytest.MonkeyPatch.context() as patch:
                patch.setattr(
                    "tau_env.harness.driver.choose_backend",
                    lambda *_: Fated(found, fated, order),
                )
                try:
                    progress = run_study(study, tasks, store, kept=kept, abort_after=10**6)
                except Killed:
                    assert event is not None
        db = sqlite3.connect(path)
        rows, slots = db.execute(
            "SELECT count(*), count(DISTINCT agent || task || trial) FROM trials"
        ).fetchone()
        db.close()
        assert rows == slots <= study.size
    trials = {(one.agent, one.task, one.trial): one for one in read_trials(path).trials}
    assert set(trials) == {tuple(slot) for slot in study.slots()}
    for slot, trial in trials.items():
        assert (trial.status == "crashed") == (slot in hopeless)
        assert len(trial.attempts) <= max(RETRIES, len(kills) + RETRIES)
        if slot not in hopeless:
            quiet = found[slot].trial
            assert lasting(trial.model_copy(update={"attempts": ()})) == lasting(quiet)
    assert (progress.done, progress.crashed) == (study.size, len(hopeless))
    passed = sum(found[slot].trial.passed for slot in trials if slot not in hopeless)
    assert progress.passed == passed
