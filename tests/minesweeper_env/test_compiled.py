"""Cache of machine code: a change of any source that a kernel uses recompiles it."""

import pytest

from minesweeper_env import compiled


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
    stamps = [compiled._stamp.__wrapped__(own / "deep" / "kernels.py")]
    for changed in (own / "helpers.py", package / "constants.py"):
        changed.write_text(changed.read_text() + "# more\n")
        stamps.append(compiled._stamp.__wrapped__(own / "deep" / "kernels.py"))
    assert len(set(stamps)) == 3


@pytest.mark.skipif(bool(compiled.config.DISABLE_JIT), reason="nothing is compiled")
def test_the_engine_is_kept_under_this_stamp():
    from minesweeper_env.engine import kernels

    path = compiled.Path(kernels.__file__)
    assert kernels.play_batch._cache._cache_file._source_stamp == compiled._stamp(path)
