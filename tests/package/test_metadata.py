"""Metadata of the package: version, licence and citation agree, and the bounds of its libraries are tested."""

from __future__ import annotations

import re
from configparser import ConfigParser

from packaging.version import Version
from support import ROOT

import minesweeper_env


def settings() -> ConfigParser:
    parser = ConfigParser(interpolation=None)
    parser.read(ROOT / "setup.cfg", encoding="utf-8")
    return parser


def test_the_citation_names_this_version_and_licence():
    citation = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    fields = dict(re.findall(r"^([\w-]+): (\S+)$", citation, re.MULTILINE))
    assert fields["version"] == minesweeper_env.__version__
    assert fields["license"] == settings()["metadata"]["license_expression"]
    page = (ROOT / "docs" / "about" / "references.md").read_text(encoding="utf-8")
    assert f"version = {{{minesweeper_env.__version__}}}" in page


def test_everything_includes_every_extra_but_what_conflicts_trackers_and_the_tools_of_developers():
    extras = settings()["options.extras_require"]
    assert set(re.findall(r"%\((\w+)\)s", extras["all"])) == set(extras) - {"all", "dev", "docs", "llm", "wandb"}


def lower_bounds() -> dict[str, Version]:
    """The lower bound of each library of the extra `all`."""
    extras = settings()["options.extras_require"]
    lines = "".join(extras[name] for name in re.findall(r"%\((\w+)\)s", extras["all"]))
    return {name: Version(bound) for name, bound in re.findall(r"^([\w-]+)(?:\[\w+\])?>=([\d.]+)", lines, re.MULTILINE)}


def test_the_oldest_versions_that_are_tested_are_the_declared_lower_bounds():
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8").replace("\\\n", " ")
    pins = re.search(r"^OLDEST_EXTRAS = (.+)$", makefile, re.MULTILINE)
    assert pins is not None
    tested = dict(pin.split("==") for pin in pins[1].split())
    assert {name: Version(pin) for name, pin in tested.items()} == lower_bounds()
