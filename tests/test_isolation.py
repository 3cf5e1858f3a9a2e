"""Environments share nothing that can be written: interleaved, in threads, after anything."""

import ast
import asyncio
import itertools
import json
import random
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tau_env
from tau_env import content
from tau_env.agents.script import Reference
from tau_env.env import TauEnv
from tau_env.registry import domain_names, find_domain
from tau_env.schema import canonical_json, digest
from tau_env.trial import run_trial, trial_seed
from tau_env.world import journal

RETAIL = find_domain("retail")
TASKS = content.tasks("retail")
NAMES = domain_names()
every_domain = pytest.mark.parametrize("domain", NAMES)
EVERY = [list(content.tasks(name).values())[:64] for name in NAMES]
MANY = [
    (NAMES[place], task, trial_seed(3, task.id, at))
    for at, some in enumerate(zip(*EVERY, strict=False))
    for place, task in enumerate(some)
][:64]
"""Episodes of all domains in turns."""


class Running:
    """An episode of a reference that is played step by step."""

    def __init__(self, domain, task, seed):
        self.task = task
        self.scanned = seed % 4 == 0
        self.env = TauEnv(domain, tasks=[task])
        self.observation, self.info = self.env.reset(seed=seed, options={"task": task})
        self.agent = Reference(task)
        self.agent.reset(self.env.briefing, seed)
        self.told = [self.observation, self.info["task"], self.info["digests"]]
        self.over = False

    def step(self):
        """One step; False once it is over."""
        if not self.over:
            action = self.agent.act(self.observation)
            self.observation, reward, terminated, truncated, info = self.env.step(action)
            self.told += [self.observation, reward]
            self.over = terminated or truncated
            if self.over:
                self.told.append(info["grade"].model_dump(mode="json"))
        return not self.over

    def finish(self):
        """Everything that was told, the transcript and the outcome, as one name.

        A full scan of the world costs as much as thirty episodes, so a quarter of them get one.
        """
        while self.step():
            pass
        world = self.env._world.digest() if self.scanned else ""
        found = digest([self.told, self.env.transcript, self.env.outcome, world])
        self.env.close()
        return found


@pytest.fixture(scope="module")
def serial():
    return [Running(*one).finish() for one in MANY]


def test_64_episodes_in_turns_are_what_they_are_alone(serial):
    """F80, F83: round robin in one thread."""
    running = [Running(*one) for one in MANY]
    assert len(running) == 64
    while sum(one.step() for one in running):
        pass
    assert [one.finish() for one in running] == serial


def test_64_episodes_in_8_threads_are_what_they_are_alone(serial):
    """F78: the thread and its timing decide nothing."""
    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(lambda one: Running(*one).finish(), MANY)) == serial


def test_environment_made_in_one_thread_steps_in_others(serial):
    """F81: no connection is tied to its thread; a loop may use worker threads."""
    made = [Running(*one) for one in MANY[:8]]
    threads = [threading.Thread(target=one.step) for one in made]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    async def go_on():
        return await asyncio.gather(*(asyncio.to_thread(one.finish) for one in made))

    assert asyncio.run(go_on()) == serial[:8]


@every_domain
def test_one_episode_shows_nothing_of_another(domain):
    """F83: no customer or order of one conversation turns up in the other."""
    tasks = [task for task in content.tasks(domain).values() if any(task.goals) and not task.setup]
    one = tasks[0]
    other = next(task for task in tasks if task.scenario.customer != one.scenario.customer)
    first, second = Running(domain, one, 1), Running(domain, other, 1)
    while first.step() + second.step():
        pass
    for mine, theirs in ((first, second), (second, first)):
        words = json.dumps(mine.told)
        facts = theirs.task.scenario.facts.values()
        assert theirs.task.scenario.customer not in words
        assert not [fact.value for fact in facts if "@" in fact.value and fact.value in words]


@every_domain
def test_what_went_before_leaves_nothing_whatever_the_order(domain):
    """F79, F82: a task after others is what it is in a fresh environment."""
    tasks = list(content.tasks(domain).values())
    some = tasks[:: len(tasks) // 3][:3]
    alone = {task.id: dump(TauEnv(domain), task) for task in some}
    for order in itertools.permutations(some):
        env = TauEnv(domain)
        for task in order:
            assert dump(env, task) == alone[task.id]


def dump(env, task):
    env.reset(seed=5, options={"task": task})
    start = env._world.digest()
    trial = run_trial(env, Reference(task), task, seed=5)
    return start, env._world.digest(), canonical_json(trial)


def test_reset_after_anything_gives_the_same_world():
    env = TauEnv("retail", tasks=list(TASKS.values()))
    fresh = RETAIL.open().digest()
    rng = random.Random(2)
    env.action_space.seed(2)
    for task in rng.sample(list(TASKS.values()), 12):
        run_trial(env, Reference(task), task, seed=1)
        env.reset(seed=1)
        for _ in range(rng.randrange(6)):
            if any(env.step(env.action_space.sample())[2:4]):
                break
        env._world.begin()
        assert env._world.digest() == fresh
        assert env._world.outcome() == ()


# Random sequences of tool calls: the journal, refused calls and the company's laws.


def values_of_the_world():
    """Argument name -> values that stand in the company, some of one customer after another."""
    world = RETAIL.open()
    rng = random.Random(4)
    found: dict[str, list[object]] = {}
    orders = world.rows("SELECT order_id, user_id, status FROM orders")
    by_status: dict[str, list[dict[str, object]]] = {}
    for order in orders:
        by_status.setdefault(str(order["status"]), []).append(order)
    chosen = [order for some in by_status.values() for order in rng.sample(some, min(4, len(some)))]
    found["order_id"] = [order["order_id"] for order in chosen]
    found["user_id"] = [order["user_id"] for order in chosen]
    marks = ", ".join("?" * len(chosen))
    items = world.rows(
        f"SELECT item_id FROM order_items WHERE order_id IN ({marks})", *found["order_id"]
    )
    products = world.rows(
        "SELECT DISTINCT product_id FROM variants JOIN order_items USING (item_id)"
        f" WHERE order_id IN ({marks})",
        *found["order_id"],
    )
    variants = [
        row["item_id"]
        for product in products
        for row in world.rows(
            "SELECT item_id FROM variants WHERE product_id = ?", product["product_id"]
        )
    ]
    methods = world.rows(
        f"SELECT payment_method_id FROM payment_methods WHERE user_id IN ({marks})",
        *found["user_id"],
    )
    found["item_ids"] = [row["item_id"] for row in items]
    found["new_item_ids"] = variants
    found["payment_method_id"] = [row["payment_method_id"] for row in methods]
    found["product_id"] = [row["product_id"] for row in products]
    found["zip"] = ["60614", ""]
    world.close()
    return found


VALUES = values_of_the_world()
ODD = st.sampled_from(["", "#W0", "x", "%", "' OR 1=1 --", "🙂", "NULL", 0, None, [], {}])


def argument(name, schema):
    """Mostly values from the world, now and then nonsense."""
    if "enum" in schema:
        return st.sampled_from(schema["enum"])
    pool = st.sampled_from(VALUES.get(name) or ["12 Elm Street", "Apt 4", "Chicago", "2 + 2"])
    if schema.get("type") == "array":
        pool = st.lists(pool, min_size=1, max_size=3)
    return st.one_of(pool, pool, pool, pool, pool, pool, ODD)


def one_call(spec):
    properties = spec.parameters["properties"]
    return st.fixed_dictionaries(
        {name: argument(name, one) for name, one in properties.items()}
    ).map(lambda arguments: (spec.name, arguments))


def right_call(data):
    """A write whose parts fit together, so that it is often carried out."""
    world, kind, number, pick = data
    orders = world.rows("SELECT * FROM orders WHERE status = ?", kind)
    order = orders[number % len(orders)]
    items = world.rows(
        "SELECT i.item_id, (SELECT n.item_id FROM variants n WHERE n.product_id = v.product_id AND"
        " n.available = 1 AND n.item_id <> v.item_id LIMIT 1) AS other FROM order_items i"
        " JOIN variants v USING (item_id) WHERE order_id = ? ORDER BY 1",
        order["order_id"],
    )
    methods = world.rows(
        "SELECT payment_method_id FROM payment_methods WHERE user_id = ?", order["user_id"]
    )
    item, method = items[number % len(items)], methods[number % len(methods)]["payment_method_id"]
    own = {"order_id": order["order_id"]}
    swap = {"item_ids": [item["item_id"]], "new_item_ids": [item["other"]]}
    address = {"address1": "1 A St", "address2": "", "city": "B", "state": "C", "country": "USA"}
    address["zip"] = "60614"
    reason = {"reason": ("no longer needed", "ordered by mistake")[number % 2]}
    pay = {"payment_method_id": method}
    choices = {
        "pending": [
            ("cancel_pending_order", own | reason),
            ("modify_pending_order_address", own | address),
            ("modify_pending_order_items", own | swap | pay),
            ("modify_pending_order_payment", own | pay),
        ],
        "delivered": [
            ("return_delivered_order_items", own | {"item_ids": swap["item_ids"]} | pay),
            ("exchange_delivered_order_items", own | swap | pay),
        ],
    }[kind]
    choices.append(("modify_user_address", {"user_id": order["user_id"]} | address))
    return choices[pick % len(choices)]


random_calls = st.one_of([one_call(spec) for spec in RETAIL.spec.tools.values()])
right_calls = st.tuples(
    st.sampled_from(["pending", "delivered"]), st.integers(0, 500), st.integers(0, 11)
)


@pytest.fixture(scope="module")
def playground():
    world = RETAIL.open()
    yield world, world.scan()
    world.close()


@settings(max_examples=20, deadline=None)
@given(st.lists(st.one_of(random_calls, right_calls), max_size=8))
def test_random_calls_leave_what_the_journal_says_and_break_no_law(playground, script):
    world, start = playground
    world.begin()
    before = start
    done = []
    for step in script:
        name, arguments = step if len(step) == 2 else right_call((world, *step))
        made = RETAIL.toolbox.call(world, name, arguments)
        after = world.scan()
        assert made.changes == journal.difference(world.tables, before, after)
        if made.error is not None or RETAIL.spec.tools[name].kind != "write":
            assert after == before
        else:
            done.append(name)
            for law in RETAIL.laws:
                assert world.rows(law.sql) == [], f"{name} {arguments} broke: {law.name}"
        before = after
    assert world.outcome() == journal.difference(world.tables, start, before)
    world.begin()
    assert world.scan() == start


@pytest.mark.parametrize("pick", range(4))
def test_right_calls_of_every_kind_are_carried_out_in_the_random_test(playground, pick):
    """Without this the property above could hold of nothing."""
    world, _ = playground
    for kind in ("pending", "delivered"):
        carried = []
        for number in range(12):
            world.begin()
            name, arguments = right_call((world, kind, number, pick))
            carried.append(RETAIL.toolbox.call(world, name, arguments).error is None)
        assert any(carried)
    world.begin()


# What is not there to be found.


PRIVATE = sorted(name for name in TASKS)[:3]
PROBES = [
    *PRIVATE,
    "%",
    "_%",
    "*",
    "",
    "#W%",
    "' OR '1'='1",
    "'; SELECT * FROM tasks; --",
    '" OR ""="',
    "orders",
    "_journal",
    "sqlite_master",
    "../tasks/retail",
    "goal",
    "null",
    "\\u0025",
]


@pytest.mark.parametrize("probe", PROBES)
def test_lookups_by_what_is_no_id_give_nothing(playground, probe):
    """F141: no wildcard, no SQL, no task id opens anything."""
    world, _ = playground
    world.begin()
    for name, spec in RETAIL.spec.tools.items():
        if spec.kind == "read" and spec.parameters["required"]:
            made = RETAIL.toolbox.call(
                world, name, dict.fromkeys(spec.parameters["required"], probe)
            )
            assert made.error == "refused"
            assert made.subjects == ()
            assert len(made.result) < 300
    assert world.outcome() == ()


def test_the_company_holds_no_task(playground):
    """F141: neither a table nor a cell of the world names tasks, goals or canaries."""
    _, start = playground
    text = json.dumps([list(row.values()) for rows in start.values() for row in rows.values()])
    assert not [name for name in TASKS if name in text]
    canaries = [one.canary for one in content.task_files("retail")]
    assert all(canaries)
    assert not [canary for canary in canaries if canary in text]
    assert not [name for name in start if "task" in name or "goal" in name]


RUNS_CODE = {"eval", "exec", "compile", "__import__", "system", "popen", "Popen", "loads"}
MAY = {
    # its own bytes: schemas copied for an episode, environments of a law
    ("env.py", "marshal.loads"),
    ("env_laws.py", "pickle.loads"),
}


def test_no_text_of_agents_or_tasks_is_run_as_code():
    """F139: nothing in what tools, users and graders are made of evaluates, unpickles or shells."""
    root = Path(tau_env.__file__).parent
    found = []
    for part in ("world", "language", "users", "graders", "domains", "agents", "schema", "."):
        pattern = "*.py" if part == "." else "**/*.py"
        for path in (root / part).resolve().glob(pattern):
            for node in ast.walk(ast.parse(path.read_text("utf-8"))):
                if isinstance(node, ast.Call):
                    name = ast.unparse(node.func)
                    last = name.rpartition(".")[2]
                    allowed = (
                        name in ("re.compile", "json.loads", "tomllib.loads")
                        or (path.name, name) in MAY
                    )
                    if last in RUNS_CODE and not allowed:
                        found.append((path.name, name))
    assert found == []


def test_no_agent_hears_a_canary():
    """F140: the marker of the task files turns up in no transcript."""
    marks = [one.canary.split(":")[0] for one in content.task_files("retail")]
    env = TauEnv("retail")
    for task in list(TASKS.values())[::16]:
        trial = run_trial(env, Reference(task), task, seed=1)
        record = trial.model_dump_json() + env.briefing.model_dump_json()
        assert not [mark for mark in marks if mark in record]
