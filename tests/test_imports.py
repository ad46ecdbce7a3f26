"""Imports across the repository: layers of `baselines` and `minesweeper_play`, circles, sizes of folders, tests."""

from __future__ import annotations

from importlib import import_module

import pytest
from support.sources import check_layers, check_lazy_exports, import_circles, imported, modules_of

MODULES = [*modules_of("minesweeper_env"), *modules_of("baselines"), *modules_of("minesweeper_play")]
PACKAGES_WITH_LAZY_NAMES = ("baselines", "baselines.adapters", "baselines.learned")

# A part, which is a module or a folder, imports only parts of its own line and of the lines above it.
LAYERS = (
    {"hub", "policy", "support", "terminal"},
    {"executors"},
    {"cluster", "entries"},
    {"evaluation", "registry"},
    {"adapters", "scripted"},
    {"learned"},
    {"recording", "sharing", "suites", "sweeps"},
    {"benchmark"},
    {"cli"},
    {"__init__", "__main__"},
)
PLAY_LAYERS = (
    {"options"},
    {"playouts"},
    {"winning"},
    {"game"},
    {"language"},
    {"coach"},
    {"line_console", "terminal", "window"},
    {"line_mode", "web"},
    {"command"},
    {"__init__"},
)
SCRIPTED_LAYERS = (
    {"base"},
    {"expected_value", "oracle_play", "subset"},
    {"bayes", "fitted"},
    {"semi_deterministic"},
    {"__init__"},
)
LEARNED_LAYERS = (
    {"networks"},
    {"common", "settings"},
    {"dqn", "ppo", "value", "afterstate"},
    {"agents"},
    {"training"},
    {"__init__"},
)


def test_each_part_imports_only_what_lies_below_it():
    check_layers("baselines", LAYERS)
    check_layers("baselines.scripted", SCRIPTED_LAYERS)
    check_layers("baselines.learned", LEARNED_LAYERS)
    check_layers("minesweeper_play", PLAY_LAYERS)


def test_no_policy_needs_the_packages_for_people():
    for path in modules_of("baselines"):
        assert not [name for name in imported(path) if name.startswith("minesweeper_play")], path


@pytest.mark.parametrize("package", ["baselines", "minesweeper_play"])
def test_other_packages_take_only_public_names_of_inference(package):
    """Kernels of `baselines` import from `inference.kernels`, which stays stable when other modules change."""
    allowed = {
        f"{module}.{name}"
        for module in ("minesweeper_env.inference", "minesweeper_env.inference.kernels")
        for name in import_module(module).__all__
    } | {"minesweeper_env.inference", "minesweeper_env.inference.kernels"}
    for path in modules_of(package):
        taken = {name for name in imported(path) if name.startswith("minesweeper_env.inference")}
        assert taken <= allowed, f"{path} imports {sorted(taken - allowed)}"


def test_no_two_modules_import_each_other():
    assert import_circles(MODULES) == []


def test_a_circle_is_found(tmp_path, monkeypatch):
    monkeypatch.setattr("support.sources.ROOT", tmp_path)
    sources = {
        "a": "import b, e",
        "b": "from c import d",
        "c": "import a",
        "d": "import a",
        "e": "def f():\n    import a",
    }
    for name, source in sources.items():
        (tmp_path / f"{name}.py").write_text(source)
    assert import_circles(modules_of("")) == [{"a", "b", "c"}]


def test_no_test_module_imports_from_another():
    names = {path.stem for path in modules_of("tests") if path.stem.startswith("test_")}
    for path in modules_of("tests"):
        borrowed = [name for name in imported(path) if name.split(".")[-1] in names or name.startswith("tests")]
        assert not borrowed, f"{path} imports {borrowed}; what tests share belongs in tests/support"


@pytest.mark.parametrize("package", PACKAGES_WITH_LAZY_NAMES)
def test_dir_lists_the_public_names_and_type_checkers_see_the_same(package):
    check_lazy_exports(package)


@pytest.mark.parametrize("package", PACKAGES_WITH_LAZY_NAMES)
def test_every_public_name_can_be_imported(package):
    module = import_module(package)
    for name in module.__all__:
        assert getattr(module, name) is not None
