"""setup.cfg has every file that the code reads and bounds that are tested; programs run beside foreign packages."""

import re
from configparser import ConfigParser

import pytest
from packaging.version import Version
from support import ROOT
from support.processes import run_python

SETTINGS = ConfigParser(interpolation=None)
SETTINGS.read(ROOT / "setup.cfg", encoding="utf-8")
NOT_READ = {"curves.png", "results.json", "README.md"}


@pytest.mark.parametrize("package", SETTINGS["options.package_data"])
def test_package_data_are_all_files_that_the_code_reads_and_no_others(package):
    patterns = SETTINGS["options.package_data"][package].split()
    matched = {pattern: set((ROOT / package).glob(pattern)) for pattern in patterns}
    assert all(matched.values()), "a pattern matches nothing"
    files = {path for path in (ROOT / package).rglob("*") if path.is_file() and "__pycache__" not in path.parts}
    read = {path for path in files if path.suffix != ".py" and path.name not in NOT_READ}
    assert set().union(*matched.values()) == read


def test_the_oldest_versions_that_are_tested_are_the_declared_lower_bounds():
    extras = SETTINGS["options.extras_require"]
    lines = "".join(extras[name] for name in re.findall(r"%\((\w+)\)s", extras["all"]))
    lines += SETTINGS["options"]["install_requires"]
    bounds = dict(re.findall(r"^([\w-]+)(?:\[\w+\])?>=([\d.]+)", lines, re.MULTILINE))
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8").replace("\\\n", " ")
    pins = re.findall(r"^OLDEST(?:_EXTRAS)? = (.+)$", makefile, re.MULTILINE)
    tested = dict(pin.split("==") for line in pins for pin in line.split())
    assert {name: Version(pin) for name, pin in tested.items()} == {name: Version(bounds[name]) for name in bounds}


def run_program(program, folder, *arguments, missing=()):
    """Runs a program where a folder comes first on the path of modules, and some modules are missing."""
    code = f"import sys; sys.path[:0] = [{str(folder)!r}, {str(ROOT)!r}]; sys.modules.update(dict.fromkeys({missing}));"
    code += "from minesweeper_env.programs import main; sys.exit(main())"
    return run_python("-c", code, program, *(arguments or ["--help"]), cwd=folder)


TRAIN = ("rich", "msgspec", "torch", "scipy", "textual", "platformdirs")


def test_a_foreign_package_is_named_in_one_line_and_a_folder_that_is_no_package_hides_nothing(tmp_path):
    (tmp_path / "baselines").mkdir()
    assert run_program("evaluate", tmp_path).returncode == 0
    for module in ("baselines.py", "baselines/__init__.py"):
        (tmp_path / module).touch()
        done = run_program("evaluate", tmp_path)
        (tmp_path / module).unlink()
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
    done = run_program(program, tmp_path, *arguments, missing=missing)
    assert done.returncode in (1, 2)
    assert "Traceback" not in done.stderr
    *_, line = done.stderr.splitlines()
    assert line.endswith(f"pip install '.[{extra}]'")


def test_without_the_extras_python_gets_the_error_that_names_the_one_to_install():
    code = f"import sys\nsys.modules.update(dict.fromkeys({TRAIN}))\nimport baselines\nbaselines.evaluate('exact')"
    assert run_python("-c", code).stderr.rstrip().endswith("pip install '.[train]'")
