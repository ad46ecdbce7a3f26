"""Per cents in the documents: each comes from a result file, or stands beside the command that measured it."""

from __future__ import annotations

import re

import pytest
from support import ROOT

PAGES = [ROOT / "README.md", *sorted(path for path in (ROOT / "docs").rglob("*.md") if "studies" not in path.parts)]
"""All pages but the studies, each of which states its commands in a text of its own."""

GENERATED = re.compile(r"<!-- (benchmark|coach)\b[^>]*-->.*?<!-- end of \1 -->", re.DOTALL)
MEASURED = re.compile(r"<!-- measured -->(.*?)<!-- end of measured -->", re.DOTALL)
CODE = re.compile(r"^ *```.*?^ *```", re.DOTALL | re.MULTILINE)
"""A block of code: a command, or what it printed."""

ADDRESS = re.compile(r"\]\(https?:\S*\)")

COMMAND = re.compile(r"`(?:taskset -c \d )?python (?:-m )?\w[^`]*`|```sh\n.*?python .*?```", re.DOTALL)
SEEDS = re.compile(r"\bseeds?\b", re.IGNORECASE)

LEVELS = ("0", "1", "5", "95", "100")
"""Numbers that define something: levels of tests and intervals, certainty, the share of games that a check plays."""

PER_CENT = re.compile(r"(?<![\d.,])(\d+(?:[.,]\d+)?) ?%")


def unbacked(text: str) -> list[str]:
    """Returns the lines with a per cent that is neither generated nor measured nor a level."""
    for pattern in (GENERATED, MEASURED, CODE, ADDRESS):
        text = pattern.sub("", text)
    return [line for line in text.splitlines() if any(number not in LEVELS for number in PER_CENT.findall(line))]


def unnamed(text: str) -> list[str]:
    """Returns the measured blocks that show no command or no seeds."""
    return [block for block in MEASURED.findall(text) if not (COMMAND.search(block) and SEEDS.search(block))]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_every_per_cent_is_generated_or_stands_beside_its_command(page):
    text = page.read_text(encoding="utf-8")
    assert not unbacked(text), (
        "generate these figures, or put them between <!-- measured --> and <!-- end of measured --> with their command"
    )
    assert not unnamed(text), "a measured block shows its command, `python ...`, and names its seeds"
    assert text.count("<!-- measured -->") == text.count("<!-- end of measured -->") == len(MEASURED.findall(text))


def test_a_figure_without_its_command_is_found_and_one_with_it_passes():
    for bare in ("It wins 68.1 % of the games.", "| `exact` | 7% |", "seeds 0 to 99, `python evaluate.py`: 68 %"):
        assert unbacked(bare)
    for block in ("68 %, seeds 0 to 99", "`python evaluate.py --games 100`: 68 %", "`exact`, seed 5"):
        assert unnamed(f"<!-- measured -->\n{block}\n<!-- end of measured -->")
    backed = "a 95 % interval\n<!-- measured -->\n`python evaluate.py --seed 5`: 68 %\n<!-- end of measured -->"
    assert not unbacked(backed)
    assert not unnamed(backed)
