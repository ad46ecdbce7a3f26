"""Report of an evaluation: marks of significant tests, the reference, and what the JSON names."""

import json
from dataclasses import replace

import pytest

from baselines.evaluation.columns import table_of
from baselines.evaluation.games import GameRecord
from baselines.evaluation.results import PolicyResult, Results
from minesweeper_env import BoardConfig


def played(policy: str, wins: int) -> PolicyResult:
    records = tuple(GameRecord(seed, seed < wins, 17, False) for seed in range(200))
    return PolicyResult(policy, records, 2.0, 2.4)


def report(*results: PolicyResult) -> Results:
    return Results(BoardConfig(8, 8, 14, moves=("click",)), 0, 200, list(results), command="python evaluate.py")


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


def test_without_exact_the_others_meet_the_policy_with_the_most_wins():
    cut = replace(played("cut", 3), records=played("cut", 3).records[:3])
    assert [row["against"] for row in report(played("whole", 120), cut).rows()] == [None, "whole"]


def test_the_json_names_the_precision_of_networks_alone(tmp_path):
    report(replace(played("ppo", 3), precision="bfloat16"), played("exact", 5)).to_json(tmp_path / "a.json")
    rows = json.loads((tmp_path / "a.json").read_text())["results"]
    assert [row.get("precision") for row in rows] == ["bfloat16", None]
