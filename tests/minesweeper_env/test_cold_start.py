"""Notices while kernels are compiled."""

from __future__ import annotations

import io
import subprocess
import sys
import time
from types import SimpleNamespace

import pytest
from support.sources import ROOT, modules_of, tree_of

from minesweeper_env.compilation import cold_start, live_line, times
from minesweeper_env.compilation.cold_start import COMMAND, LIBRARY, QUIET, VARIABLE, ColdStart
from minesweeper_env.compilation.times import PARTS, Part, part_of

ORACLE = Part("oracle", "the oracle", {"a:slow": 2.0}, counting=12.0)
CLICKS = Part("exact", "the policy exact", {"d:clicks": 3.0}, counting=12.0)
ENGINE = Part("engine", "the engine", {"b:first": 2.0, "b:second": 2.0})


class Screen(io.StringIO):
    def isatty(self):
        return True


@pytest.fixture
def parts(monkeypatch):
    monkeypatch.setattr(times, "PARTS", (ORACLE, ENGINE, Part("trifle", "a trifle", {"c:quick": 0.2})))
    monkeypatch.delenv(VARIABLE, raising=False)


def set_clocks(monkeypatch, perf_counter, process_time=time.process_time):
    """Replaces the clocks of the notices alone: other threads and pytest read those of the module `time`."""
    clocks = SimpleNamespace(perf_counter=perf_counter, process_time=process_time)
    monkeypatch.setattr(cold_start, "time", clocks)


def compile_all(caller, *kernels):
    state = ColdStart()
    state.caller = caller
    for kernel in kernels:
        state.begin(kernel)
        state.begin("d:subroutine")
        state.end("d:subroutine")
        state.end(kernel)


def test_a_command_announces_each_part_once(parts, capsys):
    compile_all(COMMAND, "b:first", "b:second", "c:quick", "a:slow")
    first, second = capsys.readouterr().err.splitlines()
    assert first == "Compiling the engine, once per installation, about 4 s"
    assert second.startswith("Compiling the oracle, once per installation, about ")


@pytest.mark.parametrize(("caller", "line"), [(COMMAND, "Load it\n"), (LIBRARY, ""), (QUIET, "")])
def test_a_slow_step_is_told_by_commands_alone(caller, line, capsys):
    state = ColdStart()
    state.caller = caller
    state.tell("Load it")
    assert capsys.readouterr().err == line


def test_a_worker_tells_no_slow_step():
    told = []
    state = ColdStart()
    state.report_to(told.append)
    state.tell("Load it")
    assert told == []


def test_the_estimate_follows_the_speed_of_the_first_kernels(parts, capsys, monkeypatch):
    clock = iter((0.0, 6.0, 10.0, 16.0, 20.0, 21.0))
    set_clocks(monkeypatch, lambda: next(clock))
    compile_all(COMMAND, "b:first", "b:second", "a:slow")
    assert capsys.readouterr().err.splitlines()[-1] == "Compiling the oracle, once per installation, about 42 s"


def test_the_estimate_of_a_command_follows_the_load_of_the_machine(parts, capsys, monkeypatch):
    """Before its first kernel, the command waited 3 s of the clock for each second on the processor."""
    state = ColdStart()
    clock, processor = iter((10.0, 13.0, 13.0, 20.0)), iter((1.0, 2.0))
    set_clocks(monkeypatch, lambda: next(clock), lambda: next(processor))
    state.begin_command()
    state.begin("a:slow")
    state.end("a:slow")
    assert capsys.readouterr().err == "Compiling the oracle, once per installation, about 42 s\n"


@pytest.mark.parametrize(
    ("order", "seconds"), [((CLICKS, ORACLE), (15, 2)), ((ORACLE, CLICKS), (14, 3)), ((ENGINE, CLICKS), (4, 15))]
)
def test_the_functions_that_parts_have_in_common_are_expected_once(capsys, monkeypatch, order, seconds):
    monkeypatch.setattr(times, "PARTS", (ORACLE, ENGINE, CLICKS))
    monkeypatch.delenv(VARIABLE, raising=False)
    state = ColdStart()
    state.caller = COMMAND
    now = 0.0
    set_clocks(monkeypatch, lambda: now)
    for part, expected in zip(order, seconds, strict=True):
        for kernel in part.seconds:
            state.begin(kernel)
            now += expected / len(part.seconds)
            state.end(kernel)
    said = [line.rpartition("about ")[2] for line in capsys.readouterr().err.splitlines()]
    assert said == [f"{each} s" for each in seconds]


def test_a_cache_that_cannot_be_written_is_named(parts, capsys, monkeypatch):
    monkeypatch.setitem(sys.modules, "a", SimpleNamespace(slow=SimpleNamespace(_cache=None)))
    compile_all(COMMAND, "a:slow")
    assert capsys.readouterr().err == (
        "Compiling the oracle, in every process, about 14 s: the compiled code cannot be stored; "
        "set NUMBA_CACHE_DIR to a folder that can be written\n"
    )


def test_a_kernel_that_is_not_listed_has_no_estimate(parts, capsys):
    compile_all(COMMAND, "mine:own")
    assert capsys.readouterr().err == "Compiling own, once per installation\n"


@pytest.mark.parametrize(("caller", "value"), [(LIBRARY, ""), (QUIET, ""), (COMMAND, "0")])
def test_silence_where_stderr_is_piped_in_workers_and_on_demand(parts, capsys, monkeypatch, caller, value):
    monkeypatch.setenv(VARIABLE, value)
    compile_all(caller, "a:slow")
    assert capsys.readouterr().err == ""


def test_a_library_call_speaks_on_a_terminal_and_in_a_notebook(parts, monkeypatch, capsys):
    monkeypatch.setattr(sys, "stderr", screen := Screen())
    compile_all(LIBRARY, "a:slow")
    assert screen.getvalue() == "Compiling the oracle, once per installation, about 14 s\n"
    monkeypatch.setattr(sys, "stderr", notebook := io.StringIO())
    monkeypatch.setitem(sys.modules, "ipykernel", sys)
    compile_all(LIBRARY, "a:slow")
    assert notebook.getvalue() == screen.getvalue()


def test_the_live_line_shows_seconds_below_what_is_said_and_vanishes(monkeypatch):
    monkeypatch.setattr(sys, "stderr", screen := Screen())
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr(live_line, "DELAY", 0.0)
    monkeypatch.setattr(live_line, "INTERVAL", 0.01)
    with live_line.live_line():
        while screen.getvalue().count("0 s") < 2:
            pass
        live_line.say("hello")
    text = screen.getvalue()
    assert "\x1b[Khello\n" in text
    assert text.endswith("\r\x1b[K")


@pytest.mark.parametrize(("screen", "term"), [(Screen(), "dumb"), (io.StringIO(), "xterm")])
def test_there_is_no_live_line_where_it_cannot_be_drawn(monkeypatch, screen, term):
    monkeypatch.setattr(sys, "stderr", screen)
    monkeypatch.setenv("TERM", term)
    monkeypatch.setattr(live_line, "DELAY", 0.0)
    with live_line.live_line():
        live_line.say("hello")
    assert screen.getvalue() == "hello\n"


def test_a_closed_stderr_stops_nothing(parts, monkeypatch):
    monkeypatch.setattr(sys, "stderr", closed := io.StringIO())
    closed.close()
    monkeypatch.setattr(closed, "isatty", lambda: False, raising=False)
    compile_all(COMMAND, "a:slow")


def kernels():
    """Returns all kernels of all packages, as "module:function"."""
    found = set()
    for package in ("azulejos_env", "minesweeper_env", "baselines"):
        for path in modules_of(package):
            for node in tree_of(path).body:
                names = [getattr(each, "id", "") for each in getattr(node, "decorator_list", [])]
                if "kernel" in names:
                    found.add(f"{'.'.join(path.with_suffix('').parts)}:{node.name}")
    return found


def test_every_kernel_has_its_time():
    listed = [name for part in PARTS for name in part.seconds]
    assert sorted(listed) == sorted(kernels())
    assert part_of("minesweeper_env.inference.counting.posterior:posteriors").total() > 5


def test_notices_and_times_are_no_part_of_the_stamp_of_a_kernel():
    """Otherwise a change of a word would compile all kernels again."""
    from minesweeper_env import compiled

    source = (ROOT / "minesweeper_env" / "compiled.py").read_bytes()
    followed = {path.name for path in compiled._imports(source, {"minesweeper_env": ROOT / "minesweeper_env"})}
    assert followed == {"linking.py"}


@pytest.mark.slow
def test_compilation_is_announced_and_a_warm_cache_is_silent(tmp_path):
    code = (
        "from minesweeper_env.compilation.cold_start import COLD_START, COMMAND\n"
        "COLD_START.caller = COMMAND\n"
        "from minesweeper_env.engine.games import compile_kernels\ncompile_kernels()"
    )
    said = [
        subprocess.run(
            [sys.executable, "-c", code],
            capture_output=True,
            text=True,
            cwd=ROOT,
            check=True,
            env={"NUMBA_CACHE_DIR": str(tmp_path), "PATH": ""},
        ).stderr
        for _ in range(2)
    ]
    assert said[0].startswith("Compiling the game engine, once per installation, about ")
    assert said[0].count("\n") == 1
    assert said[1] == ""
