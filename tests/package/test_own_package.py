"""The installed programs beside a package `baselines` that is not ours, and without the extras."""

from __future__ import annotations

import pytest
from support import ROOT
from support.processes import run_python


def run(program, folder, *arguments, missing=()):
    """Runs a program where a folder comes first on the path of modules, and some modules are missing."""
    code = (
        f"import sys\nsys.path[:0] = [{str(folder)!r}, {str(ROOT)!r}]\nsys.modules.update(dict.fromkeys({missing}))\n"
    )
    code += "from minesweeper_env.programs import main\nsys.exit(main())"
    return run_python("-c", code, program, *(arguments or ["--help"]), cwd=folder)


TRAIN = ("rich", "msgspec", "torch", "scipy", "textual", "platformdirs")


@pytest.mark.parametrize("module", ["baselines.py", "baselines/__init__.py"])
def test_a_foreign_package_is_named_in_one_line_and_a_folder_that_is_no_package_hides_nothing(tmp_path, module):
    (tmp_path / "baselines").mkdir()
    assert run("evaluate", tmp_path).returncode == 0
    (tmp_path / module).touch()
    done = run("evaluate", tmp_path)
    (line,) = done.stderr.splitlines()
    assert (done.returncode, done.stdout) == (1, "")
    assert str(tmp_path / "baselines") in line


@pytest.mark.parametrize(
    ("program", "arguments", "extra", "missing"),
    [
        ("evaluate", ["--policy", "bayes:inference=pgmpy"], "pgmpy", ("pgmpy",)),
        ("evaluate", ["--policy", "subset"], "train", TRAIN),
        ("evaluate", ["--policy", "subset", "--record", "a.gif"], "video", ("PIL",)),
        ("evaluate", ["--policy", "subset", "--record", "a.mp4"], "video", ("imageio_ffmpeg",)),
        ("train", ["--config", "quick"], "train", TRAIN),
        ("train", ["--config", "quick", "--track"], "wandb", ("wandb",)),
        ("dataset", ["--games", "5"], "minari", ("minari",)),
        ("seeds", ["--help"], "train", TRAIN),
        ("play", ["--classic"], "play", TRAIN),
        ("play", ["--stats"], "play", TRAIN),
        ("play", ["--analyse", "board.txt", "--mines", "2"], "play", TRAIN),
    ],
)
def test_without_the_extras_a_program_names_the_one_to_install(tmp_path, program, arguments, extra, missing):
    (tmp_path / "board.txt").write_text("##1\n##1\n110\n")
    done = run(program, tmp_path, *arguments, missing=missing)
    assert done.returncode in (1, 2)
    assert "Traceback" not in done.stderr
    *_, line = done.stderr.splitlines()
    assert line.endswith(f"pip install '.[{extra}]'")


def test_without_the_extras_python_gets_the_error_that_names_the_one_to_install():
    code = f"import sys\nsys.modules.update(dict.fromkeys({TRAIN}))\nimport baselines\nbaselines.evaluate('exact')"
    assert run_python("-c", code).stderr.rstrip().endswith("pip install '.[train]'")
