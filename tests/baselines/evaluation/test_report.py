"""Report of an evaluation as text, at the widths of terminals and piped."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from baselines.evaluation.columns import table_of
from baselines.evaluation.games import GameRecord
from baselines.evaluation.judge import GameDiagnosis, Loss
from baselines.evaluation.report import Results
from baselines.evaluation.results import PolicyResult
from minesweeper_env import BoardConfig


def played(policy: str, wins: int, games: int = 200, diagnosed: bool = False) -> PolicyResult:
    diagnosis = GameDiagnosis(20, 0, 0, 1, 2, 0.125, Loss.FORCED) if diagnosed else None
    records = tuple(GameRecord(seed, seed < wins, 17, False, diagnosis=diagnosis) for seed in range(games))
    return PolicyResult(policy, records, 2.0, 2.4)


def report(*results: PolicyResult) -> Results:
    return Results(BoardConfig(8, 8, 14, moves=("click",)), 0, 200, list(results), command="python evaluate.py")


RESULTS = (
    played("random", 1),
    played("runs/dqn-8x8-14-seed-3:temperature=0.25", 118, 150),
    played("exact", 130),
    played("lookahead", 131),
)

AT_80 = """\
8x8, 14 mines, first click opening, seeds 0 to 199
                                           win                    ms/
  policy                    games  wins   rate   95 % interval   game          p
────────────────────────────────────────────────────────────────────────────────
  random                      200     1   0.5%    0.1% to 2.8%  12.00  * 2.9e-39
  runs/dqn-8x8-14-seed-3:     150   118  78.7%  71.4% to 84.5%  16.00  * 0.00049
  temperature=0.25
  exact                       200   130  65.0%  58.2% to 71.3%  12.00
> lookahead                   200   131  65.5%  58.7% to 71.7%  12.00          1
> highest win rate. * significant at 5%, after Holm's correction for 3 tests.
runs/dqn-8x8-14-seed-3:temperature=0.25 played only the first 150 of 200 games.
p: exact McNemar test against exact, on the games that both played.
Left out at 80 columns: clicks/game; --wide shows them."""


def test_policies_at_80_columns(monkeypatch, capsys):
    assert str(report(*RESULTS)) == AT_80
    monkeypatch.setenv("COLUMNS", "80")
    report(*RESULTS).print()
    assert capsys.readouterr().out == f"{AT_80}\n"
    report(*RESULTS).print(wide=True)
    assert "clicks/game" in capsys.readouterr().out


def test_a_single_policy_has_no_marks_and_no_empty_column():
    lines = str(report(played("exact", 150))).splitlines()
    assert lines[1] == "policy  games  wins  win rate   95 % interval  clicks/game  ms/game"
    assert len(lines) == 4


@pytest.mark.parametrize(
    ("p_values", "cells"),
    [
        ([], []),
        ([None], [""]),
        ([0.04], ["* 0.04"]),
        ([0.04, 0.04], ["0.04", "0.04"]),
        ([0.04, None, 0.02], ["* 0.04", "", "* 0.02"]),
        ([0.001, 0.2, 0.02], ["* 0.001", "0.2", "* 0.02"]),
    ],
)
def test_a_test_is_significant_after_holms_correction(p_values, cells):
    rows = [{"policy": "a", "mcnemar": value and {"p_value": value}} for value in p_values]
    table = table_of("", ("policy", "p"), rows)
    assert [row[1] for row in table.rows] == cells
    assert ("significant" in table.legend) == ("*" in "".join(cells))


def test_the_json_names_the_precision_of_networks_alone(tmp_path):
    report(replace(played("ppo", 3), precision="bfloat16"), played("exact", 5)).to_json(tmp_path / "a.json")
    rows = json.loads((tmp_path / "a.json").read_text())["results"]
    assert [row.get("precision") for row in rows] == ["bfloat16", None]
