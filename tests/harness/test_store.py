"""The store survives what happens to files: kill, full disk, read-only folders, torn bytes."""

import os
import shutil
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from tau_env.errors import BadContent, Locked, UserMistake
from tau_env.harness import database
from tau_env.harness.driver import run_study
from tau_env.harness.records import read_trials
from tau_env.harness.store import Store
from tau_env.registry import find_domain
from tau_env.schema import lasting

ROOT = Path(__file__).resolve().parents[2]
RUN = """
import sys
from pathlib import Path
from tau_env.harness import store as module
from tau_env.harness.driver import run_study
from tau_env.harness.grid import choose_tasks
from tau_env.harness.study import plan_agent, plan_study
from tau_env.registry import find_domain
"""


def rows(path):
    return sorted(map(lasting, read_trials(path).trials))


def test_store_holds_one_row_a_slot_and_all_that_is_asked_of_it(make, play, tmp_path):
    study = make("reference", "Spends")
    path = tmp_path / "s.db"
    play(study, path)
    db = sqlite3.connect(path)
    count = "SELECT count(*), count(DISTINCT agent || task || trial) FROM trials"
    assert db.execute(count).fetchone() == (study.size, study.size)
    found = db.execute(
        "SELECT passed, agent_tokens, cost, user_tokens FROM trials WHERE agent = 'reference'"
    ).fetchall()
    assert set(found) == {(1, None, None, None)}, "unknown is null, never 0"
    spent = db.execute("SELECT agent_tokens, cost FROM trials WHERE agent = 'Spends'").fetchall()
    assert all(tokens > 0 and cost > 0 for tokens, cost in spent)
    db.close()
    for trial in read_trials(path).trials:
        assert trial.transcript
        assert trial.grade.parts
        assert trial.seed
        assert trial.digests["graders"]
    assert os.listdir(tmp_path) == ["s.db"], "one plain file is left"


def test_store_cannot_hold_a_slot_twice(make, play, tmp_path):
    path = tmp_path / "s.db"
    play(make("Asks"), path)
    db = sqlite3.connect(path)
    with pytest.raises(sqlite3.IntegrityError):
        db.execute("INSERT INTO trials SELECT * FROM trials LIMIT 1")
    db.close()


def test_resume_runs_only_what_is_missing(make, play, tmp_path, tasks):
    """F110, F111: killed after 3 of 6, the rest is 3, and the end is that of a quiet run."""
    study = make("Draws")
    whole, part = tmp_path / "whole.db", tmp_path / "part.db"
    play(study, whole)
    play(study, part, slots=list(study.slots())[:3])
    assert len(read_trials(part).trials) == 3
    heard = []
    done = play(study, part, told=heard.append)
    assert (done.ran, done.done, heard[0].done) == (3, 6, 3)
    assert rows(part) == rows(whole)
    assert play(study, part).ran == 0
    assert rows(part) == rows(whole)


def test_crashed_attempts_are_kept_whole_and_count_after_a_resume(make, play, tmp_path, tasks):
    path = tmp_path / "s.db"
    study = make("Crashes", retries=2, trials=1)
    slots = list(study.slots())[:1]
    play(study, path, slots=slots)
    db = sqlite3.connect(path)
    found = db.execute("SELECT attempt, error FROM attempts ORDER BY attempt").fetchall()
    assert found == [(n, "ConnectionError: connection refused: 401 wrong key") for n in (1, 2, 3)]
    assert db.execute("SELECT status, attempts, passed FROM trials").fetchall() == [
        ("crashed", 3, None)
    ]
    db.close()
    assert play(study, path, slots=slots).ran == 0, "an exhausted crash is not run again unasked"
    done = play(study, path, slots=slots, rerun_crashed=True)
    assert (done.ran, done.crashed) == (1, 1)
    (trial,) = read_trials(path).trials
    assert len(trial.attempts) == 5


def test_changed_setting_is_refused_with_the_difference(make, play, tmp_path):
    path = tmp_path / "s.db"
    play(make("Asks"), path)
    before = rows(path)
    with pytest.raises(UserMistake, match="seed: 0 in the study, 7 asked for"):
        play(make("Asks", seed=7), path)
    with pytest.raises(UserMistake, match="agent Raises: None in the study"):
        play(make("Asks", "Raises"), path)
    assert rows(path) == before


def test_second_writer_is_refused_and_told_who_writes(make, tasks, tmp_path):
    path = tmp_path / "s.db"
    with Store(path) as store:
        store.begin(make("Asks"), tasks, find_domain("retail").spec)
        with pytest.raises(Locked, match=f"process {os.getpid()} on "):
            Store(path)
        code = (
            "import sys\nfrom tau_env.harness.store import Store\n"
            "from tau_env.errors import Locked\n"
            "try:\n    Store(sys.argv[1])\nexcept Locked as error:\n    print(error)"
        )
        words = [sys.executable, "-c", code, str(path)]
        done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=True)
        assert f"process {os.getpid()} on " in done.stdout
    Store(path).close()


def test_lock_of_a_dead_process_is_no_lock(tmp_path):
    path = tmp_path / "s.db"
    code = (
        "import os, sys\nfrom tau_env.harness.store import Store\n"
        "store = Store(sys.argv[1])\nos.kill(os.getpid(), 9)"
    )
    words = [sys.executable, "-c", code, str(path)]
    done = subprocess.run(words, cwd=ROOT, check=False)
    assert done.returncode == -9
    assert Path(f"{path}.lock").exists()
    Store(path).close()


STAGES = ["_put_attempt", "_put", "_put_task", "begin", "keep", "__init__"]


@pytest.mark.parametrize("stage", STAGES)
@pytest.mark.parametrize("when", ["before", "after"])
def test_kill_at_any_stage_loses_nothing(make, play, tmp_path, stage, when, tasks):
    """The driver is killed around every step of writing; the study is gone on with."""
    path = tmp_path / "s.db"
    code = RUN + (
        "import os\n"
        f"real = module.Store.{stage}\n"
        "calls = []\n"
        "def deadly(self, *words, **more):\n"
        "    calls.append(1)\n"
        f"    last = len(calls) >= {1 if stage in ('begin', '__init__') else 3}\n"
        f"    if last and {when == 'before'}: os.kill(os.getpid(), 9)\n"
        "    real(self, *words, **more)\n"
        "    if last: os.kill(os.getpid(), 9)\n"
        f"module.Store.{stage} = deadly\n"
        "sys.path.append(sys.argv[2])\n"
        "tasks = [t for t in choose_tasks('retail') if t.id in sys.argv[4:]]\n"
        "tasks.sort(key=lambda t: sys.argv.index(t.id))\n"
        "plan = plan_agent('harness_agents:CrashesAtFirst', name='CrashesAtFirst',\n"
        "                  settings={'folder': sys.argv[3]})\n"
        "study = plan_study('retail', [plan], tasks, trials=2)\n"
        "with module.Store(sys.argv[1]) as store:\n"
        "    store.begin(study, tasks, find_domain('retail').spec)\n"
        "    run_study(study, tasks, store, kept=store.kept())\n"
    )
    marks = tmp_path / "marks"
    marks.mkdir()
    ids = [task.id for task in tasks]
    words = [sys.executable, "-c", code, str(path), str(ROOT / "tests"), str(marks), *ids]
    done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == -9, done.stderr
    before = 0
    if path.exists():
        with sqlite3.connect(path) as db:
            if db.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]:
                before = db.execute("SELECT count(*) FROM trials").fetchone()[0]
        db.close()
    study = make("CrashesAtFirst", settings={"folder": str(marks)})
    finished = play(study, path)
    assert finished.ran == study.size - before
    shutil.rmtree(marks)
    marks.mkdir()
    play(study, tmp_path / "quiet.db")
    alike = [
        sorted(t.model_copy(update={"attempts": ()}).model_dump_json(exclude={"seconds"})
               for t in read_trials(name).trials)
        for name in (path, tmp_path / "quiet.db")
    ]  # fmt: skip
    assert alike[0] == alike[1]


def test_full_disk_keeps_what_was_finished(make, play, tmp_path, tasks):
    """SQLite's own page limit fails exactly as a full disk does."""
    path = tmp_path / "s.db"
    study = make("reference", trials=8)
    with Store(path) as store:
        store.begin(study, tasks, find_domain("retail").spec)
        pages = store._db.execute("PRAGMA page_count").fetchone()[0]
        store._db.execute(f"PRAGMA max_page_count = {pages + 20}")
        with pytest.raises(UserMistake, match=r"full.*tau-env run --study"):
            run_study(study, tasks, store, kept=store.kept())
    kept = read_trials(path)
    assert 0 < len(kept.trials) < study.size
    assert not kept.problems
    done = play(study, path)
    assert done.ran == study.size - len(kept.trials)
    play(study, tmp_path / "quiet.db")
    assert rows(path) == rows(tmp_path / "quiet.db")


def test_failed_replacement_keeps_the_old_row(make, play, tmp_path, tasks):
    """F109: the previous record is intact when its replacement cannot be written."""
    path = tmp_path / "s.db"
    study = make("Crashes", retries=0, trials=1)
    play(study, path)
    before = rows(path)
    with Store(path) as store:
        store._db.execute(
            "CREATE TEMP TRIGGER full BEFORE INSERT ON trials "
            "BEGIN SELECT RAISE(FAIL, 'database or disk is full'); END"
        )
        with pytest.raises((UserMistake, BadContent)):
            run_study(study, tasks, store, kept=store.kept(), rerun_crashed=True)
    assert rows(path) == before


@pytest.mark.skipif(os.geteuid() == 0, reason="root writes anywhere")
def test_read_only_folder_is_told_before_the_first_trial(make, play, tmp_path):
    tmp_path.chmod(0o500)
    with pytest.raises(UserMistake, match="cannot write"):
        play(make("Asks"), tmp_path / "s.db")
    tmp_path.chmod(0o700)


def test_folder_that_cannot_be_written_is_told_before_the_first_trial(tmp_path, monkeypatch):
    def refused(*_):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(os, "open", refused)
    with pytest.raises(UserMistake, match=r"cannot write beside .*s\.db: Permission denied"):
        Store(tmp_path / "s.db")


def test_file_without_its_folder_is_told(tmp_path):
    with pytest.raises(UserMistake, match="no folder"):
        Store(tmp_path / "no" / "s.db")


def test_finished_study_is_read_in_a_folder_that_cannot_be_written(make, play, tmp_path):
    path = tmp_path / "s.db"
    play(make("Asks"), path)
    address = database.open_to_read(path)
    with address as connection:
        connection.execute("SELECT count(*) FROM trials")
        assert os.listdir(tmp_path) == ["s.db"], "reading makes no file"
        with pytest.raises(sqlite3.OperationalError, match="readonly"):
            connection.execute("DELETE FROM trials")


def test_study_is_read_while_it_is_written(make, tasks, tmp_path):
    path = tmp_path / "s.db"
    study = make("Asks")
    with Store(path) as store:
        store.begin(study, tasks, find_domain("retail").spec)
        run_study(study, tasks, store, slots=list(study.slots())[:2])
        assert len(read_trials(path).trials) == 2


@pytest.mark.parametrize("cut", [100, 5_000, 0.5, 0.9])
def test_damaged_file_is_named_with_the_way_out(make, play, tmp_path, cut):
    path = tmp_path / "s.db"
    play(make("reference", trials=8), path)
    whole = path.read_bytes()
    at = cut if isinstance(cut, int) else int(len(whole) * cut)
    path.write_bytes(whole[:at] + b"\xde\xad" * 4_000 + whole[at + 8_000 :])
    with pytest.raises(BadContent, match=r"s\.db is damaged .*tau-env export") as error:
        Store(path)
    assert error.value.exit_code == 2
    damaged = path.read_bytes()
    if cut == 100:
        with pytest.raises(BadContent, match="damaged"):
            read_trials(path)
    else:
        kept = read_trials(path)
        assert kept.problems
        assert 0 < len(kept.trials) <= 24
    assert path.read_bytes() == damaged


def test_truncated_file_still_gives_what_it_holds(make, play, tmp_path):
    path = tmp_path / "s.db"
    play(make("reference", trials=8), path)
    whole = path.read_bytes()
    path.write_bytes(whole[: len(whole) * 3 // 4])
    kept = read_trials(path)
    assert kept.problems
    assert 0 < len(kept.trials) < 24


@pytest.mark.parametrize("text", ["UPDATE trials SET json = substr(json, 1, 200)",
                                  "UPDATE trials SET json = ''",
                                  "UPDATE trials SET json = CAST(x'fffe7b' AS TEXT)"])  # fmt: skip
def test_torn_row_is_named_and_run_again(make, play, tmp_path, text, tasks):
    """F114: one torn record blocks nothing, and only its trial is run again."""
    path = tmp_path / "s.db"
    study = make("Draws")
    play(study, path)
    before = rows(path)
    db = sqlite3.connect(path)
    with db:
        db.execute(f"{text} WHERE rowid = 2")
    db.close()
    records = read_trials(path)
    assert len(records.trials) == 5
    assert "row 2" in records.problems[0]
    with Store(path) as store:
        assert "is torn and is run again" in store.kept().problems[0]
    assert play(study, path).ran == 1
    assert rows(path) == before


def test_other_sqlite_file_is_left_alone(tmp_path):
    path = tmp_path / "mine.db"
    db = sqlite3.connect(path)
    db.execute("CREATE TABLE precious (x)")
    db.commit()
    db.close()
    with pytest.raises(BadContent, match="something else"):
        Store(path)
    with pytest.raises(BadContent, match="something else"):
        read_trials(path)


def test_text_file_is_no_store(tmp_path):
    path = tmp_path / "notes.db"
    path.write_text("precious notes, not a database, and longer than a header of SQLite " * 20)
    before = path.read_bytes()
    with pytest.raises(BadContent, match="not a database"):
        Store(path)
    assert path.read_bytes() == before


def test_newer_schema_is_refused(make, play, tmp_path):
    path = tmp_path / "s.db"
    play(make("Asks"), path)
    db = sqlite3.connect(path)
    db.execute("PRAGMA user_version = 99")
    db.close()
    for opened in (Store, read_trials):
        with pytest.raises(UserMistake, match=r"schema 99.*newer version"):
            opened(path)


def add_note(db):
    db.execute("ALTER TABLE trials ADD COLUMN note TEXT")


def fails(db):
    db.execute("DELETE FROM trials")
    raise sqlite3.OperationalError("no such thing")


def test_older_schema_is_migrated_with_its_trials(make, play, tmp_path, monkeypatch):
    path = tmp_path / "s.db"
    study = make("Draws")
    play(study, path)
    before = rows(path)
    monkeypatch.setattr(database, "MIGRATIONS", (*database.MIGRATIONS, add_note))
    assert rows(path) == before, "an older file can still be read as it is"
    assert play(study, path).ran == 0
    assert rows(path) == before
    db = sqlite3.connect(path)
    assert db.execute("PRAGMA user_version").fetchone() == (2,)
    assert "note" in [row[1] for row in db.execute("PRAGMA table_info(trials)")]
    db.close()


def test_failed_migration_changes_nothing(make, play, tmp_path, monkeypatch):
    path = tmp_path / "s.db"
    play(make("Draws"), path)
    before = rows(path)
    monkeypatch.setattr(database, "MIGRATIONS", (*database.MIGRATIONS, fails))
    with pytest.raises(UserMistake, match="no such thing"):
        Store(path)
    monkeypatch.undo()
    assert rows(path) == before
    Store(path).close()


def test_store_judges_from_itself_alone(make, play, tmp_path, tasks):
    """Task and spec stand in the file, equal to what was planned."""
    from tau_env.harness.material import read_material
    from tau_env.schema import digest

    path = tmp_path / "s.db"
    study = make("no-listener", "reference")
    play(study, path)
    material = read_material(path)
    for task in tasks:
        assert material.tasks[digest(task)] == task
    assert material.specs[study.digests["spec"]] == find_domain("retail").spec
    for trial in read_trials(path).trials:
        assert trial.digests["task"] in material.tasks, "also as the insider changed it"


def test_a_trial_is_safe_before_the_next_begins(make, tasks, tmp_path):
    path = tmp_path / "s.db"
    study = make("Asks")
    seen = []
    with Store(path) as store:
        store.begin(study, tasks, find_domain("retail").spec)

        def look(progress):
            with database.open_to_read(path) as other:
                seen.append(other.execute("SELECT count(*) FROM trials").fetchone()[0])

        run_study(study, tasks, store, told=look)
    assert seen == list(range(study.size + 1))


def test_wall_clock_is_no_part_of_a_lasting_record(make, play, tmp_path):
    path = tmp_path / "s.db"
    play(make("Asks"), path)
    trial = read_trials(path).trials[0]
    later = trial.model_copy(update={"seconds": 12345.0, "worker": "elsewhere"})
    assert lasting(later) == lasting(trial)
    assert trial.seconds is not None
