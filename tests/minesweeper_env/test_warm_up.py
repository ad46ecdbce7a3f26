"""Compilation ahead: the choice of the parts, their order, and the place of the compiled code."""

from __future__ import annotations

import os
import subprocess
import sys
from importlib import import_module

import pytest
from support import ROOT

from minesweeper_env.compilation.cold_start import COLD_START
from minesweeper_env.compilation.times import PARTS, Part
from minesweeper_env.warm_up import cache, command, runner
from minesweeper_env.warm_up.command import CORE, main


def refused(capsys, *arguments):
    with pytest.raises(SystemExit) as stopped:
        main(arguments)
    assert stopped.value.code == 2
    (line,) = capsys.readouterr().err.splitlines()
    return line


def test_the_core_needs_nothing_of_the_baselines():
    assert [part.name for part in CORE] == [
        "engine", "oracle", "search", "layouts", "sampler", "counts", "small-boards", "generation",
    ]  # fmt: skip
    for part in CORE:
        module, _, name = part.work.partition(":")
        assert module.startswith("minesweeper_env.")
        assert callable(getattr(import_module(module), name))


def test_parts_bring_along_what_they_need():
    chosen = [part.name for part in command._with_needed(["lookahead"], PARTS)]
    assert chosen == ["engine", "oracle", "search", "layouts", "exact", "lookahead"]
    names = [part.name for part in PARTS]
    assert all(names.index(needed) < names.index(part.name) for part in PARTS for needed in part.after)


@pytest.mark.parametrize(
    ("workers", "seconds"), [(1, 2 + 3 + 4 + 12), (2, 2 + 3 + 4 + 12 + 9), (4, 2 + 3 + 4 + 12 + 9)]
)
def test_each_process_compiles_the_functions_of_counting_once(workers, seconds):
    parts = [Part("a", "a", {"m:a": 2.0}, counting=9.0), Part("b", "b", {"m:b": 3.0}, counting=12.0)]
    assert command._processor_seconds([*parts, Part("c", "c", {"m:c": 4.0})], workers) == seconds


def test_bad_arguments_are_one_line(capsys):
    assert "there is no part 'wheel'; there are engine, oracle" in refused(capsys, "wheel")
    assert "must be a whole number of at least 1, not '0'" in refused(capsys, "--workers", "0")


def test_without_a_compiler_there_is_nothing_to_do(capsys, monkeypatch):
    monkeypatch.setenv("NUMBA_DISABLE_JIT", "1")
    assert main([]) == 0
    assert "NUMBA_DISABLE_JIT is set" in capsys.readouterr().err


def part(name, folder, *after, work="note"):
    return Part(name, name, {f"{__name__}:{name}": 1.0}, f"support.compilations:{work}", f"{folder}/{name}", after)


def test_a_part_waits_for_those_that_it_needs(tmp_path):
    parts = [part("last", tmp_path, "first", "second"), part("second", tmp_path, "first"), part("first", tmp_path)]
    done = [compiled.part.name for compiled in runner.compile_parts(parts, 2)]
    assert done == (tmp_path / "log").read_text().split() == ["first", "second", "last"]


def test_without_shared_memory_this_process_compiles_in_the_same_order(tmp_path, monkeypatch):
    def no_shared_memory(*_):
        raise FileNotFoundError(2, "No such file or directory")

    monkeypatch.setattr(runner, "ProcessPoolExecutor", no_shared_memory)
    parts = [part("last", tmp_path, "first"), part("first", tmp_path)]
    caller = COLD_START.caller
    done = [compiled.part.name for compiled in runner.compile_parts(parts, 2)]
    assert done == (tmp_path / "log").read_text().split() == ["first", "last"]
    assert COLD_START.caller == caller


def test_a_failure_is_one_line_and_exit_1(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(cache, "cached_kernels", lambda _: set())
    assert main(["--workers", "1"], parts=[part("broken", tmp_path, work="fail")]) == 1
    assert capsys.readouterr().err.splitlines()[-1] == f"{command.PROGRAM}: no compiler at all"


@pytest.mark.skipif(os.environ.get("NUMBA_DISABLE_JIT") == "1", reason="nothing is compiled")
def test_an_unwritable_cache_says_what_to_do(capsys, monkeypatch):
    from minesweeper_env.engine import kernels

    monkeypatch.setattr(kernels.step_batch, "_cache", None)
    monkeypatch.setenv("NUMBA_CACHE_DIR", "/read/only")
    assert main(["engine"]) == 1
    last = capsys.readouterr().err.splitlines()[-1]
    assert "cannot be stored in /read/only, the folder of the package or the cache folder" in last
    assert "set the environment variable NUMBA_CACHE_DIR" in last


@pytest.mark.slow
def test_the_second_call_has_nothing_to_do(tmp_path):
    def call():
        command = [sys.executable, "-m", "minesweeper_env.warm_up", "engine"]
        environment = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path)}
        return subprocess.run(command, capture_output=True, text=True, cwd=ROOT, check=True, env=environment)

    first, second = call(), call()
    assert "Compile 1 of 1 parts in 1 process" in first.stderr
    assert "the game engine: " in first.stderr
    assert f"the compiled code lies in {tmp_path}" in first.stdout
    assert second.stdout.startswith("Nothing to do: everything is compiled")
    assert "MB)" in second.stdout
