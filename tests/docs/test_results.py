"""Results on the pages of policies."""

from __future__ import annotations

import json

import pytest
from support import ROOT
from support.docs_scripts import load_script

import baselines.registry

RESULTS = load_script("results")
CONFIG = {"size": [16, 30], "mines": 99, "first_click": "any"}
PAGE = "# {0}\n\n<!-- results: {0} -->\nold\n<!-- end of results -->\nbelow\n"


def row(policy, wins):
    return {"policy": policy, "games": 1000, "wins": wins, "win_rate": wins / 1000, "ci95": [0.1, 0.2]}


def source(name, *rows, **others):
    content = {"config": CONFIG, "seed": 5, "games": 1000, "command": f"python {name}", "results": list(rows)}
    return RESULTS.Source(f"docs/results/{name}.json", content | others)


def test_results_fill_the_page_of_their_policy_alone():
    single = source("single", row("subset", 123), row("subset:deduction=source", 45), row("exact", 300))
    suite = source("suite", row("exact", 310))
    filled = RESULTS.fill_results(PAGE.format("subset"), [single, suite])
    assert "old" not in filled
    assert filled.endswith("<!-- end of results -->\nbelow\n")
    assert "`python single`, the first n games of seeds 5 to 1004." in filled
    assert "| 16x30/99 | any | 1000 | 12.3 % | 10.0 to 20.0 % |" in filled
    assert not any(other in filled for other in ("4.5 %", "30.0 %", "suite.json"))
    assert RESULTS.fill_results(filled, [single, suite]) == filled
    both = RESULTS.fill_results(PAGE.format("exact"), [single, suite])
    assert "30.0 %" in both
    assert "31.0 %" not in both
    assert "[suite.json](../../docs/results/suite.json)" in both


def test_a_page_without_games_says_so():
    assert "No result file" in RESULTS.fill_results(PAGE.format("subset"), [source("single", row("exact", 300))])


@pytest.mark.parametrize("policy", baselines.registry.policy_names())
def test_tables_have_at_most_twelve_rows_and_name_their_command_and_seeds(policy):
    text = (ROOT / "docs" / RESULTS.policy_page(policy)).read_text(encoding="utf-8")
    filled = text[text.index("<!-- results:") : text.index("<!-- end of results -->")]
    assert filled.count("\n|") <= 14
    assert ("`python " in filled and "of seeds" in filled.replace("\n", " ")) == ("\n| --- |" in filled)


@pytest.mark.parametrize("tested", ["exact", "subset"])
def test_a_wide_table_has_differences_to_exact_in_either_direction(tmp_path, monkeypatch, tested):
    rows = {"exact": row("exact", 300), "subset": row("subset", 200)}
    alone, lost = (40, 140) if tested == "subset" else (140, 40)
    other = "exact" if tested == "subset" else "subset"
    rows[tested]["mcnemar"] = {"against": other, "games": 1000, "won_alone": alone, "lost_alone": lost, "p_value": 0}
    content = {
        "seed": 0,
        "games": 20_000,
        "command": "python x",
        "boards": [{"config": CONFIG, "results": [*rows.values()]}],
    }
    (tmp_path / "results").mkdir()
    (tmp_path / "results" / "x.json").write_text(json.dumps(content))
    monkeypatch.setattr(RESULTS, "DOCS", tmp_path)
    table = RESULTS.wide_table("x.json")
    assert "| 30.0 (10.0 to 20.0), n = 1000 | 20.0 (10.0 to 20.0), n = 1000<br>-10.0 (" in table
    assert "n = 20 000 unless stated" in table
    points = "-10.0 (" if tested == "subset" else "+10.0 ("
    assert f"minus `{other}`, points |" in RESULTS.file_table(["x.json"])
    assert points in RESULTS.file_table(["x.json"])
    # A difference on fewer games than the win rate beside it would be another one.
    rows[tested]["mcnemar"]["games"] = 500
    (tmp_path / "results" / "x.json").write_text(json.dumps(content))
    assert "-10.0 (" not in RESULTS.wide_table("x.json")


def test_a_file_with_several_references_has_no_table(tmp_path, monkeypatch):
    rows = [row(name, 300) | {"mcnemar": {"against": name}} for name in ("exact", "subset")]
    (tmp_path / "results").mkdir()
    (tmp_path / "results" / "x.json").write_text(json.dumps(source("x", *rows).content))
    monkeypatch.setattr(RESULTS, "DOCS", tmp_path)
    with pytest.raises(ValueError, match=r"x\.json compares with exact, subset; choose one"):
        RESULTS.file_table(["x.json"])
