"""Tables of result files on pages."""

from __future__ import annotations

import json

import pytest
from support.docs_scripts import load_script

PAGES = load_script("pages")
CONFIG = {"size": [16, 30], "mines": 99, "first_click": "any"}


def row(policy, wins):
    return {"policy": policy, "games": 1000, "wins": wins, "win_rate": wins / 1000, "ci95": [0.1, 0.2]}


@pytest.fixture
def write(tmp_path, monkeypatch):
    """Writes a result file with some rows, in a documentation without leaderboard."""

    def write_file(name, *rows, **others):
        content = {"config": CONFIG, "seed": 5, "games": 20_000, "command": f"python {name}", "results": list(rows)}
        (tmp_path / "results" / f"{name}.json").write_text(json.dumps(content | others))

    (tmp_path / "results").mkdir()
    monkeypatch.setattr(PAGES, "DOCS", tmp_path)
    monkeypatch.setattr(PAGES, "entries", list)
    return write_file


def test_a_file_fills_a_block_again_and_again(write):
    write("a", row("subset", 123), row("exact", 300))
    page = "# Page\n\n<!-- benchmark: suite | a.json | subset -->\nold\n<!-- end of benchmark -->\nbelow\n"
    filled = PAGES.fill(page)
    assert filled.endswith("<!-- end of benchmark -->\nbelow\n")
    assert "| 16x30/99 any | 12.3 (10.0 to 20.0), n = 1000 |" in filled
    assert not any(other in filled for other in ("old", "30.0"))
    assert PAGES.fill(filled) == filled


@pytest.mark.parametrize("tested", ["exact", "subset"])
def test_a_table_has_differences_to_exact_in_either_direction(write, tested):
    rows = {"exact": row("exact", 300), "subset": row("subset", 200)}
    alone, lost = (40, 140) if tested == "subset" else (140, 40)
    other = "exact" if tested == "subset" else "subset"
    rows[tested]["mcnemar"] = {"against": other, "games": 1000, "won_alone": alone, "lost_alone": lost, "p_value": 0}
    write("x", *rows.values())
    table = PAGES.suite_table("x.json")
    assert "| 30.0 (10.0 to 20.0), n = 1000 | 20.0 (10.0 to 20.0), n = 1000<br>-10.0 (" in table
    assert "n = 20 000 unless stated" in table
    assert f"minus `{other}`, points |" in PAGES.file_table("x.json")
    assert ("-10.0 (" if tested == "subset" else "+10.0 (") in PAGES.file_table("x.json")
    # A difference on fewer games than the win rate beside it would be another one.
    rows[tested]["mcnemar"]["games"] = 500
    write("x", *rows.values())
    assert "-10.0 (" not in PAGES.suite_table("x.json")


def test_files_of_suites_that_are_groups_today_show_the_command_of_the_group(write):
    boards = [{"config": CONFIG, "results": [row("exact", 300)]}]
    write("x", suite="bayes", command="python -m baselines suite bayes --games 9", boards=boards)
    assert PAGES.read_file("x.json")["command"] == "python -m baselines suite sources --groups bayes --games 9"
