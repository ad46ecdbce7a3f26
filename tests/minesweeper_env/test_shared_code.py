"""Compiled code that processes share: one of them compiles it, and machines with the same processor receive it."""

from __future__ import annotations

import fcntl
import os
import subprocess
import sys
import time

import pytest
from support import ROOT

from minesweeper_env.compilation import shared_cache
from minesweeper_env.compilation.private_folder import private_folder
from minesweeper_env.compilation.shared_cache import SharedCache
from minesweeper_env.warm_up import packing
from minesweeper_env.warm_up.packing import CompiledCode, pack_compiled, unpack_compiled

PLAY = """
import minesweeper_env.engine.kernels as kernels
from minesweeper_env.engine.games import compile_kernels
compile_kernels()
print(sum(sum(getattr(kernels, name).stats.cache_misses.values()) for name in ("reset_batch", "step_batch")))
"""
UNPACK = "import pickle, sys\nfrom minesweeper_env.warm_up.packing import *\n"
PACK_TO = UNPACK + "open(sys.argv[1], 'wb').write(pickle.dumps(pack_compiled()))"
UNPACK_FROM = UNPACK + "print(unpack_compiled(pickle.loads(open(sys.argv[1], 'rb').read())))"


def python(code, cache, *arguments):
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(cache), "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-c", code, *map(str, arguments)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment)


def printed(process):
    out, _ = process.communicate(timeout=300)
    assert process.returncode == 0
    return int(out or 0)


@pytest.mark.slow
def test_one_process_compiles_and_another_machine_receives_the_code(tmp_path):
    here, there, parcel = tmp_path / "here", tmp_path / "there", tmp_path / "parcel"
    both = [python(PLAY, here), python(PLAY, here)]
    assert sum(printed(each) for each in both) == 2
    printed(python(PACK_TO, here, parcel))
    assert printed(python(UNPACK_FROM, there, parcel)) >= 4
    assert printed(python(PLAY, there)) == 0
    assert printed(python(UNPACK_FROM, there, parcel)) == 0


def test_the_code_for_another_processor_is_left_alone(tmp_path, monkeypatch):
    monkeypatch.setattr(packing, "_folders", lambda: {"minesweeper_env.engine": tmp_path})
    files = {("minesweeper_env.engine", f"kernels.f-1.py311.{end}"): b"code" for end in ("nbi", "1.nbc")}
    assert unpack_compiled(CompiledCode(("x", "another", ""), files)) == 0
    assert not list(tmp_path.iterdir())
    assert unpack_compiled(CompiledCode(packing._processor(), files)) == 1
    assert pack_compiled().files == files


def plain(number):
    return number


def test_a_process_waits_for_the_lock_of_another_but_not_for_ever(monkeypatch):
    monkeypatch.setattr(shared_cache, "MOST_SECONDS", 0.4)
    cache = SharedCache(plain)
    with open(cache._lock_path(), "w") as other:
        fcntl.flock(other, fcntl.LOCK_EX)
        begin = time.monotonic()
        assert not cache._acquire()
        assert time.monotonic() - begin >= 0.4
    assert cache._acquire()
    cache._release()


def test_a_folder_that_others_may_write_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr("tempfile.gettempdir", lambda: str(tmp_path))
    private_folder().chmod(0o777)
    with pytest.raises(PermissionError, match="must be a folder that belongs to this user"):
        private_folder()
