"""Start of the commands: the first line comes before anything heavy is imported, and warm-up compiles every kernel."""

import os
import re
import sys
from configparser import ConfigParser
from pkgutil import resolve_name

import pytest
from support import ROOT
from support.processes import run_python

from baselines.__main__ import COMMANDS
from baselines.process import typed_command

HEAVY = ("numba", "torch", "gymnasium", "scipy", "stable_baselines3", "pgmpy", "matplotlib", "rich", "tqdm", "textual")

STOP = f"""
import sys

class Stop:
    lines = 0

    def write(self, text):
        self.lines += bool(text.strip())
        if self.lines < LAST:
            return
        print("said", text.strip())
        print("loaded", *sorted({{name.split(".")[0] for name in sys.modules}} & {set(HEAVY)!r}))
        sys.stdout.flush()
        import os
        os._exit(0)

    def flush(self):
        pass

    def isatty(self):
        return False

sys.stderr = Stop()
"""


def line_of(number, module, *arguments):
    """Returns the line of this number that a command writes on stderr, and the heavy modules that are loaded then."""
    code = f"LAST = {number}\n{STOP}\nfrom {module} import main\nmain({list(arguments)!r})"
    done = run_python("-c", code, check=True)
    said, loaded = (line.partition(" ")[2] for line in done.stdout.splitlines())
    return said, loaded


def out(tmp_path):
    return ["--out", str(tmp_path / "out")]


@pytest.mark.parametrize(
    ("module", "arguments", "words"),
    [
        (
            "baselines.cli.evaluate",
            ["--policy", "bayes"],
            "Play 1000 games of 8x8 with 14 mines, first click opening: bayes",
        ),
        ("baselines.cli.evaluate", ["--policy", "dqn:precision=bfloat16", "exact"], "dqn:precision=bfloat16, exact"),
        ("baselines.cli.evaluate", ["--policy", "best"], "unknown policy 'best'"),
        ("baselines.__main__", ["suite", "sources", "--groups", "bayes", out], "12 boards, 1000 games each"),
        ("baselines.cli.train", ["--config", "quick", out], "Train dqn on 8x8/14"),
        ("baselines.cli.train", ["--algo", "sarsa"], "invalid choice"),
        ("baselines.cli.train", ["--resume", out], "--resume finds no training"),
        ("baselines.cli.train", ["--set", "lr=1", out], "unknown hyperparameter lr"),
        ("baselines.cli.train", ["--start", "nowhere", out], "cannot start from nowhere"),
        ("baselines.cli.seeds", ["--config", "dqn-8x8", "ppo-8x8", out], "Train dqn-8x8, ppo-8x8 with 10 seeds each"),
        ("baselines.cli.sweep", ["--config", "quick", "--search", "gamma=0,1", out], "Train quick with 10 draws, into"),
        ("baselines.cli.dataset", [out], "Record 1000 games of exact, lookahead on 8x8/14"),
        ("baselines.__main__", ["suites"], "unknown command"),
    ],
)
def test_the_first_line_comes_before_anything_heavy(module, arguments, words, tmp_path):
    given = [each for argument in arguments for each in (out(tmp_path) if argument is out else [argument])]
    said, loaded = line_of(1, module, *given)
    assert words in said
    assert loaded == ""


HELP = f"""
import sys
from baselines.__main__ import COMMANDS, main

for arguments in ([], ["--help"], ["suite"], *([name, "--help"] for name in COMMANDS)):
    status = 0
    try:
        status = main(arguments)
    except SystemExit as leaving:
        status = leaving.code
    print("end:", arguments, status or 0, {{name.split(".")[0] for name in sys.modules}} & {set(HEAVY)!r})
"""


def test_help_loads_nothing_heavy():
    done = run_python("-c", HELP)
    assert (done.returncode, done.stderr) == (0, "")
    helps = done.stdout.split("end: ")[:-1]
    assert len(helps) == len(COMMANDS) + 3
    assert all("usage: " in each for each in helps)
    assert all(line.endswith("] 0 set()") for line in re.findall("end: (.*)", done.stdout))


@pytest.mark.parametrize("name", ["evaluate", "train", "play", "suite"])
def test_the_installed_program_runs_each_command_under_its_own_name(name, monkeypatch, capsys):
    setup = ConfigParser()
    setup.read(ROOT / "setup.cfg")
    program, entry = setup["options.entry_points"]["console_scripts"].strip().split(" = ")
    monkeypatch.setattr(sys, "argv", [f"/somewhere/{program}", name, "--help"])
    with pytest.raises(SystemExit) as stopped:
        resolve_name(entry)()
    assert stopped.value.code == 0
    assert capsys.readouterr().out.startswith(f"usage: minesweeper {name} ")


def test_the_command_is_recorded_as_typed():
    assert typed_command("evaluate.py", ["--policy", "a b"]) == "python evaluate.py --policy 'a b'"
    assert typed_command("minesweeper evaluate", ["--seed", "3"]) == "minesweeper evaluate --seed 3"
    assert typed_command("python -m baselines evaluate", []) == "python -m baselines evaluate"


WARM_UP = """
import gc
import pkgutil
from importlib import import_module

from numba.core.dispatcher import Dispatcher

import azulejos_env, baselines.scripted, baselines.learned.afterstate, minesweeper_env
from baselines.cli.warm_up import main

status = main([])
for package in (azulejos_env, baselines.scripted, baselines.learned.afterstate, minesweeper_env):
    for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
        if "__main__" not in module.name and "window" not in module.name:
            import_module(module.name)
kernels = [each for each in gc.get_objects() if isinstance(each, Dispatcher) and each._cache.cache_path]
print(status, len(kernels) > 20, [kernel.__qualname__ for kernel in kernels if not kernel.signatures])
"""


@pytest.mark.slow
@pytest.mark.skipif(os.environ.get("NUMBA_DISABLE_JIT") == "1", reason="nothing is compiled")
def test_the_command_warm_up_compiles_every_kernel():
    done = run_python("-c", WARM_UP)
    assert done.stdout.splitlines()[-1:] == ["0 True []"], done.stderr
