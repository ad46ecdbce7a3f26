"""Start of the commands: the first line comes before anything heavy is imported, and warm-up compiles every kernel."""

import json
import os
import re

import pytest
from support.processes import run_python

from baselines.__main__ import COMMANDS
from baselines.process import typed_command

HEAVY = ("numba", "torch", "gymnasium", "scipy", "stable_baselines3", "pgmpy", "matplotlib", "rich", "tqdm", "textual")

FIRST_LINES = f"""
import io, json, sys
from baselines.__main__ import main

class Said(BaseException):
    pass

class Stop(io.StringIO):
    def write(self, text):
        if text.strip():
            raise Said(text.strip())

sys.stderr = Stop()
for words in sys.stdin:
    try:
        main(words.split())
    except Said as said:
        loaded = {{name.split(".")[0] for name in sys.modules}} & {set(HEAVY)!r}
        print(json.dumps([str(said), sorted(loaded)]))
"""
"""Prints the first line that each command line on stdin has on stderr, and the heavy modules that are loaded then."""


def test_the_first_line_of_every_command_comes_before_anything_heavy(tmp_path):
    lines = {
        "evaluate --policy bayes": "Play 1000 games of 8x8 with 14 mines, first click opening: bayes",
        "evaluate --policy dqn:precision=bfloat16 exact": "dqn:precision=bfloat16, exact",
        "evaluate --policy best": "unknown policy 'best'",
        "suite sources --groups bayes --out out": "12 boards, 1000 games each",
        "train --config quick --out out": "Train dqn on 8x8/14",
        "train --algo sarsa": "invalid choice",
        "train --resume --out out": "--resume finds no training",
        "train --set lr=1 --out out": "unknown hyperparameter lr",
        "train --start nowhere --out out": "cannot start from nowhere",
        "seeds --config dqn-8x8 ppo-8x8 --out out": "Train dqn-8x8, ppo-8x8 with 10 seeds each",
        "sweep --config quick --search gamma=0,1 --out out": "Train quick with 10 draws, into",
        "dataset --out out": "Record 1000 games of exact, lookahead on 8x8/14",
        "suites": "unknown command",
    }
    done = run_python("-c", FIRST_LINES, input="\n".join(lines), cwd=tmp_path, check=True)
    for (words, expected), line in zip(lines.items(), done.stdout.splitlines(), strict=True):
        said, loaded = json.loads(line)
        assert expected in said
        assert loaded == [], words


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


def test_the_command_is_recorded_as_typed():
    assert typed_command("evaluate.py", ["--policy", "a b"]) == "python evaluate.py --policy 'a b'"


WARM_UP = """
import gc, pkgutil
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
