"""Imports of the core: few dependencies, loaded lazily. `.importlinter` has the layers."""

import pytest
from support.processes import run_python

HEAVY = ("torch", "scipy", "pandas", "matplotlib", "pygame", "pgmpy", "stable_baselines3", "sb3_contrib", "networkx")


def loaded_by(code):
    """Returns the top-level names of the modules that a fresh process has loaded after some code."""
    printing = f"import sys\n{code}\nprint(*{{name.split('.')[0] for name in sys.modules}})"
    return set(run_python("-c", printing, check=True).stdout.split())


def test_importing_the_package_loads_nothing_heavy_and_no_compiler():
    assert not loaded_by("import minesweeper_env") & {*HEAVY, "gymnasium", "numba", "llvmlite", "baselines"}


@pytest.mark.parametrize("order", ["minesweeper_env, gymnasium", "gymnasium, minesweeper_env"])
def test_the_ids_are_registered_once_both_packages_are_imported(order):
    assert "numpy" in loaded_by(f"import {order}\ngymnasium.spec('Minesweeper-v0')")


def test_the_module_and_id_work_in_a_fresh_process_and_playing_loads_nothing_heavy():
    code = (
        "import gymnasium\n"
        "gymnasium.make('minesweeper_env:Minesweeper-v0')\n"
        "env = gymnasium.make_vec('Minesweeper-v0', 2, render_mode='rgb_array')\n"
        "env.reset(seed=0), env.step(env.unwrapped.sample_actions()), env.render()"
    )
    loaded = loaded_by(code)
    assert "numba" in loaded
    # numba itself tries to import scipy.
    assert not loaded & {*HEAVY, "baselines"} - {"scipy"}


def test_an_unknown_name_of_the_package_is_an_attribute_error():
    import minesweeper_env

    with pytest.raises(AttributeError, match="Minesweepr"):
        minesweeper_env.Minesweepr  # noqa: B018
