"""Worker processes in a script without a guard."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest
from support import ROOT

CALL = "from baselines.workers import worker_pool\n"
PRINTED = "print(dict(pool.run(abs, iter([(-7,), None, None]).__next__))[-7,])\n"
POOL = f"with worker_pool(2) as pool:\n    {PRINTED}"
IN_A_FUNCTION = f"def play():\n    with worker_pool(2) as pool:\n        {PRINTED}"


def run(tmp_path, script):
    (tmp_path / "mine.py").write_text(CALL + script)
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    return subprocess.run(
        [sys.executable, "mine.py"], capture_output=True, text=True, cwd=tmp_path, env=environment, timeout=120
    )


@pytest.mark.parametrize(("script", "line"), [(POOL, 2), (f"{IN_A_FUNCTION}play()\n", 5)], ids=["at top", "called"])
def test_a_script_that_would_run_again_is_refused_with_its_line(tmp_path, script, line):
    done = run(tmp_path, script)
    assert done.returncode == 1
    last = done.stderr.splitlines()[-1]
    assert f"mine.py, whose line {line} would start workers again" in last
    assert last.endswith('put that line below `if __name__ == "__main__":`, or use 1 worker')
    assert "7" not in done.stdout


@pytest.mark.slow
def test_a_guarded_script_plays(tmp_path):
    done = run(tmp_path, f'{IN_A_FUNCTION}if __name__ == "__main__":\n    play()\n')
    assert (done.returncode, done.stdout) == (0, "7\n"), done.stderr
