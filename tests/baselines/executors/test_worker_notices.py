"""Worker processes: what they compile is announced once, by the main process."""

from __future__ import annotations

import pytest
from support.compilations import compile_in_worker

from baselines.executors.processes import worker_pool
from minesweeper_env.compilation.cold_start import COLD_START, COMMAND, LIBRARY


@pytest.mark.parametrize(("caller", "said"), [(COMMAND, "Compiling own, once per installation\n"), (LIBRARY, "")])
def test_compilations_of_workers_are_announced_once(caller, said, monkeypatch, capsys):
    monkeypatch.setattr(COLD_START, "caller", caller)
    with worker_pool(2) as pool:
        list(pool.map(compile_in_worker, range(8)))
    assert capsys.readouterr().err == said
