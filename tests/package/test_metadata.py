"""setup.cfg: the wheel has every file that the code reads, and the bounds of the libraries are tested."""

from __future__ import annotations

import re
from configparser import ConfigParser

import pytest
from packaging.version import Version
from support import ROOT

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


def lower_bounds() -> dict[str, Version]:
    """The lower bound of each library of the extra `all`."""
    extras = SETTINGS["options.extras_require"]
    lines = "".join(extras[name] for name in re.findall(r"%\((\w+)\)s", extras["all"]))
    return {name: Version(bound) for name, bound in re.findall(r"^([\w-]+)(?:\[\w+\])?>=([\d.]+)", lines, re.MULTILINE)}


def test_the_oldest_versions_that_are_tested_are_the_declared_lower_bounds():
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8").replace("\\\n", " ")
    pins = re.search(r"^OLDEST_EXTRAS = (.+)$", makefile, re.MULTILINE)
    assert pins is not None
    tested = dict(pin.split("==") for pin in pins[1].split())
    assert {name: Version(pin) for name, pin in tested.items()} == lower_bounds()
