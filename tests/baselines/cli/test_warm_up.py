"""The command warm-up: no kernel is left to a later command."""

import os

import pytest
from support.processes import run_python

CODE = """
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
def test_it_compiles_every_kernel():
    done = run_python("-c", CODE)
    assert done.stdout.splitlines()[-1:] == ["0 True []"], done.stderr
