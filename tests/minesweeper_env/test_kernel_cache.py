"""Compiled code on the disk: damage, lack of room and another numba cost time, and never an error; its stamp."""

import os
import runpy
from errno import ENOSPC

import pytest
from numba.core import caching, config
from support import ROOT
from support.processes import run_python

from minesweeper_env import compiled, console
from minesweeper_env.warm_up import CORE, warm_up

CODE = """
import numpy as np
from minesweeper_env.compiled import inlined, kernel, subroutine

@inlined
def double(number):
    return 2 * number

@subroutine
def total(numbers):
    result = 0
    for number in numbers:
        result += double(number)
    return result

@kernel
def fill(numbers, results):
    results[:] = total(numbers)

@kernel
def clear(results):
    results[:] = 0
"""

CALL = """
from kernels_for_tests import clear, fill, np

results = np.zeros(1, np.int64)
clear(results)
fill(np.arange(4), results)
print(results[0], fill.stats.cache_hits.total() + clear.stats.cache_hits.total())
"""

pytestmark = pytest.mark.skipif(os.environ.get("NUMBA_DISABLE_JIT") == "1", reason="nothing is compiled")


@pytest.fixture
def source(tmp_path):
    """Returns the file of the kernels."""
    path = tmp_path / "kernels_for_tests.py"
    path.write_text(CODE)
    return path


@pytest.fixture
def call(source):
    """Calls two kernels in a fresh process; returns the result, the number of cache hits, and the lines on stderr."""
    path = os.pathsep.join([str(source.parent), str(ROOT)])

    def call(first="", **environment):
        variables = {"PYTHONPATH": path, "NUMBA_CACHE_DIR": str(source.parent), **environment}
        ran = run_python("-c", first + CALL, env=variables, check=True)
        result, hits = ran.stdout.split()
        return int(result), int(hits), ran.stderr.splitlines()

    return call


# The second is the processor of the Dockerfile, so that an image takes its kernels to every machine.
@pytest.mark.parametrize("processor", [{}, {"NUMBA_CPU_NAME": "generic", "NUMBA_CPU_FEATURES": ""}], ids=["own", "any"])
def test_compilation_is_announced_once_and_a_warm_cache_is_silent(call, processor):
    value, loaded, announcements = call(**processor)
    assert (value, loaded) == (12, 0)
    assert ["kernels_for_tests" in line for line in announcements] == [True]
    assert call(**processor) == (12, 2, [])
    assert call(NUMBA_CPU_NAME="generic", NUMBA_CPU_FEATURES="+sse2")[:2] == (12, 0)


@pytest.fixture
def call_again(source, tmp_path, monkeypatch, capsys):
    """Does the same with a fresh module in this process, as a process that has compiled nothing."""
    monkeypatch.setattr(config, "CACHE_DIR", str(tmp_path))
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    monkeypatch.setenv("MINESWEEPER_COMPILE_NOTICE", "0")

    def call_again():
        monkeypatch.setattr(console, "_said", set())
        compiled._stamp.cache_clear()
        names = runpy.run_path(str(source), run_name=source.stem)
        exec(CALL.partition("\n\n")[2], names)
        out, err = capsys.readouterr()
        return (*map(int, out.split()), err.splitlines())

    return call_again


DAMAGE = {
    "empty": lambda path: path.write_bytes(b""),
    "truncated": lambda path: path.write_bytes(path.read_bytes()[:-40]),
    "random": lambda path: path.write_bytes(bytes(range(0, 250, 7)) * 50),
    "folder": lambda path: (path.unlink(), path.mkdir()),
}


def test_damaged_files_are_a_miss_with_one_warning(call_again, tmp_path):
    call_again()
    # The folder comes last, because it stays.
    for damage, spoil in DAMAGE.items():
        # The index of one kernel, and the machine code of the other.
        for pattern in ("*.fill-*.nbi", "*.clear-*.nbc"):
            (path,) = tmp_path.rglob(pattern)
            spoil(path)
        result, hits, (line,) = call_again()
        assert (damage, result, hits) == (damage, 12, 0)
        assert "NUMBA_CACHE_DIR" in line
        assert str(tmp_path) in line
        if damage != "folder":
            assert call_again() == (12, 2, [])


def no_room(*_):
    raise OSError(ENOSPC, "No space left on device")


@pytest.mark.parametrize(
    ("owner", "method", "reason"),
    [
        (caching.IndexDataCacheFile, "_save_data", "No space left on device"),
        (caching.IndexDataCacheFile, "_save_index", "No space left on device"),
        (caching._CacheLocator, "ensure_cache_path", ""),
    ],
)
def test_a_folder_that_cannot_be_written_costs_a_warning_that_names_it(
    call_again, tmp_path, monkeypatch, owner, method, reason
):
    with monkeypatch.context() as full:
        full.setattr(owner, method, no_room)
        result, hits, (line,) = call_again()
    assert (result, hits) == (12, 0)
    assert reason in line
    assert str(tmp_path) in line
    assert call_again()[:2] == (12, 0)


def test_code_that_cannot_be_stored_leaves_no_index_to_older_code(call_again, source, monkeypatch):
    """Numba's own order of writing would run the code of the older version from then on."""
    call_again()
    source.write_text(CODE.replace("2 * number", "3 * number"))
    with monkeypatch.context() as full:
        full.setattr(caching.IndexDataCacheFile, "_save_data", no_room)
        call_again()
    assert call_again()[:2] == (18, 0)


@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
def test_two_processors_that_store_code_at_once_never_name_that_of_the_other(tmp_path, order):
    """Machines of a cluster share a folder; the code of another processor ends a program."""
    linking = pytest.importorskip("minesweeper_env.linking")
    keys = [("(int64,)", ("x86_64", name, ""), ("code", "")) for name in ("older", "newer")]
    files = [linking._Files(str(tmp_path), "kernel", "stamp") for _ in keys]
    indices = []
    for key, each in zip(keys, files, strict=True):
        # Both have looked at the empty index before either writes.
        each._load_index, each._save_index = dict, lambda index, each=each: indices.append((each, index))
        each.save(key, key[1])
    for i in order:
        type(files[i])._save_index(*indices[i])
    found = linking._Files(str(tmp_path), "kernel", "stamp")
    assert [found.load(key) for key in keys] == [key[1] if i == order[1] else None for i, key in enumerate(keys)]


def test_a_numba_without_the_private_names_compiles_all_the_same(call):
    assert call("import numba, numba.core.codegen as module\ndel module.JITCodeLibrary\n")[0] == 12


def test_warm_up_calls_every_part_and_prints_a_line_for_each(capsys):
    assert warm_up(CORE) == 0
    assert [line.partition(":")[0] for line in capsys.readouterr().out.splitlines()] == list(CORE)


# The stamp of machine code: a change of any source that a kernel uses recompiles it


@pytest.fixture
def package(tmp_path, monkeypatch):
    """Makes a package of three files that import each other in a circle."""
    monkeypatch.setattr(compiled, "_PACKAGE", tmp_path)
    (tmp_path / "sub").mkdir()
    (tmp_path / "kernels.py").write_text("from minesweeper_env.sub.middle import f\n")
    (tmp_path / "sub" / "middle.py").write_text("import numpy\nfrom minesweeper_env.constants import ONE\n")
    (tmp_path / "constants.py").write_text("from minesweeper_env.kernels import g\nONE = 1\n")
    (tmp_path / "linking.py").write_text("PASSES = 1\n")
    return tmp_path


def stamp(package):
    return compiled._stamp.__wrapped__(package / "kernels.py")


@pytest.mark.parametrize("changed", ["kernels.py", "sub/middle.py", "constants.py", "linking.py"])
def test_the_stamp_changes_with_every_file_that_a_kernel_is_made_of(package, changed):
    before = stamp(package)
    (package / changed).write_text((package / changed).read_text() + "# more\n")
    assert stamp(package) != before


def test_imports_within_the_package_of_the_kernel_are_followed_too(package, tmp_path_factory):
    own = tmp_path_factory.mktemp("elsewhere") / "players"
    (own / "deep").mkdir(parents=True)
    for file in ("__init__.py", "deep/__init__.py"):
        (own / file).touch()
    (own / "deep" / "kernels.py").write_text("from players.helpers import f\n")
    (own / "helpers.py").write_text("from minesweeper_env.constants import ONE\n")
    stamps = [stamp(own / "deep")]
    for changed in (own / "helpers.py", package / "constants.py"):
        changed.write_text(changed.read_text() + "# more\n")
        stamps.append(stamp(own / "deep"))
    assert len(set(stamps)) == 3


def test_the_engine_is_kept_under_this_stamp():
    from minesweeper_env.engine import kernels

    path = compiled.Path(kernels.__file__)
    assert kernels.play_batch._cache._cache_file._source_stamp == compiled._stamp(path)
