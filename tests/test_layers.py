"""A module imports lower layers only; third parties stand where they belong; no cycles."""

import ast
import graphlib
import subprocess
import sys
from collections import defaultdict
from pathlib import Path

import pytest

from tau_env.domains import VERSIONS

ROOT = Path(__file__).resolve().parent.parent
LAYERS = [
    {"errors"},
    {"schema", "stats", "actions", "concessions"},
    {"content", "language", "world", "prices", "limiter", "faults"},
    {"family", "endpoint", "completion"},
    {"families"},
    {"domains", "graders", "spaces", "chat", "registry"},
    {"users", "agents", "judge"},
    {"env"},
    {"trial"},
    {"harness", "checks"},
    {"report", "adapters"},
    {"cli"},
]
HEIGHT = {part: height for height, layer in enumerate(LAYERS) for part in layer}
# registry is a table of import strings: what agents, users and domains are comes from it.
THIRD = {
    "sqlite_utils": {"world", "harness", "domains"},
    "gymnasium": {"spaces", "env", "checks"},
    "openai": {"chat"},
    "click": {"cli"},
    "rich": {"cli", "report"},
    "scipy": {"stats"},
}


def modules():
    for folder in ("tau_env", "domains", "graders", "policies", "tasks"):
        for path in sorted((ROOT / folder).rglob("*.py")):
            inside = path.relative_to(ROOT)
            if folder == "tau_env" and inside.parts[1] in (
                "domains",
                "graders",
                "policies",
                "tasks",
            ):
                continue
            parts = inside.with_suffix("").parts
            name = ".".join(parts if folder == "tau_env" else ("tau_env", *parts))
            yield name.removesuffix(".__init__"), path


MODULES = dict(modules())


def part_of(name):
    return name.split(".")[1] if "." in name else ""


def imports(path):
    """Imported names with whether they are imported when the module is."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (one.name for one in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative import"
            for one in node.names:
                full = f"{node.module}.{one.name}"
                yield full if full in MODULES else node.module


@pytest.mark.parametrize("name", MODULES)
def test_module_imports_lower_layers_only(name):
    part = part_of(name)
    if part in ("", "__main__", "policies", "tasks"):
        return
    assert part in HEIGHT, f"{name} is in no layer of the house"
    for target in imports(MODULES[name]):
        if target.split(".")[0] == "tau_env" and part_of(target) not in ("", part):
            other = part_of(target)
            assert other in HEIGHT, f"{name} imports {target}, which is in no layer"
            assert HEIGHT[other] < HEIGHT[part] or _same_floor(part, other), (
                f"{name} (layer {HEIGHT[part]}) imports {target} (layer {HEIGHT[other]})"
            )


def _same_floor(part, other):
    # registry reads the table of domains; graders stand beside one another in one folder.
    return (part, other) == ("registry", "domains")


@pytest.mark.parametrize("name", MODULES)
def test_third_parties_stand_where_they_belong(name):
    for target in imports(MODULES[name]):
        allowed = THIRD.get(target.split(".")[0])
        if allowed is not None and name != "tau_env":
            assert part_of(name) in allowed, f"{name} imports {target}: only {sorted(allowed)} may"


@pytest.mark.parametrize("name", MODULES)
def test_content_folders_are_never_imported_bare(name):
    bare = {"domains", "graders", "policies", "tasks"}
    for target in imports(MODULES[name]):
        assert target.split(".")[0] not in bare, f"{name}: import tau_env.{target}"


@pytest.mark.parametrize("name", ["domains", "graders", "policies", "tasks"])
def test_bare_import_says_the_right_name(name):
    done = subprocess.run(
        [sys.executable, "-c", f"import {name}"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode
    assert f"tau_env.{name}" in done.stderr


def test_packages_have_no_cycles():
    graph = defaultdict(set)
    for name, path in MODULES.items():
        for target in imports(path):
            if target in MODULES and target not in (name, "tau_env"):
                graph[name].add(target)
    graphlib.TopologicalSorter(graph).prepare()


@pytest.mark.parametrize("name", MODULES)
def test_no_domain_is_named_in_the_machine(name):
    if part_of(name) in ("domains", "policies", "tasks"):
        return
    tree = ast.parse(MODULES[name].read_text(encoding="utf-8"))
    docs = {
        id(node.body[0].value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef)
        and node.body
        and isinstance(node.body[0], ast.Expr)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in docs:
            words = node.value.lower()
            patterns = part_of(name) == "language" and "\n" in words  # ordinary English
            if "such as" not in words and not patterns:  # help texts give an example
                named = [domain for domain in VERSIONS if domain in words]
                assert not named, f"{name}, line {node.lineno}: {node.value!r}"


@pytest.mark.parametrize("name", MODULES)
def test_module_is_small(name):
    lines = MODULES[name].read_text(encoding="utf-8").count("\n")
    assert lines <= 400, f"{name} has {lines} lines: split it"


def test_import_is_quiet_and_needs_no_optional_part():
    code = (
        "import sys, tau_env\n"
        "late = {'openai', 'click', 'rich', 'scipy', 'sqlite_utils'} & set(sys.modules)\n"
        "assert not late, late\n"
        "import tau_env.stats\n"
        "assert 'tau_env.world' not in sys.modules and 'pydantic' not in sys.modules\n"
    )
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", code], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_nothing_evaluates_text_as_code():
    """F139: no eval, exec, shell or unpickling of what an agent or a file says."""
    for name, path in MODULES.items():
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call):
                called = ast.unparse(node.func)
                assert called not in ("eval", "exec", "compile", "os.system"), f"{name}: {called}"
                assert not any(word.arg == "shell" for word in node.keywords), (
                    f"{name}, line {node.lineno}: shell"
                )
                if called == "pickle.loads":
                    assert name == "tau_env.checks.env_laws", name
