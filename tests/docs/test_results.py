"""Tables of result files on pages."""

from __future__ import annotations

import json

from support.docs_scripts import load_script

PAGES = load_script("pages")
CONFIG = {"size": [16, 30], "mines": 99, "first_click": "any"}


def test_a_file_fills_a_block_again_and_again(tmp_path, monkeypatch):
    row = {"policy": "subset", "games": 1000, "win_rate": 0.123, "ci95": [0.1, 0.2]}
    board = {"config": CONFIG, "results": [row, row | {"policy": "exact", "games": 20_000}]}
    content = {"seed": 5, "games": 20_000, "command": "python a", "boards": [board]}
    (tmp_path / "results").mkdir()
    (tmp_path / "results" / "a.json").write_text(json.dumps(content))
    monkeypatch.setattr(PAGES, "DOCS", tmp_path)
    filled = PAGES.fill("# Page\n\n<!-- benchmark: file | a.json -->\nold\n<!-- end of benchmark -->\nbelow\n")
    assert filled.endswith("<!-- end of benchmark -->\nbelow\n")
    assert "`python a`,\n20 000 games of seeds 5 to 20 004." in filled
    assert "| policy | 16x30/99 any, % |" in filled
    assert "| `subset` | 12.3 (10.0 to 20.0), n = 1000 |" in filled
    assert "| `exact` | 12.3 (10.0 to 20.0) |" in filled
    assert "old" not in filled
    assert PAGES.fill(filled) == filled
