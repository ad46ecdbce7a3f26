"""Report of an evaluation: marks of significant tests, and what the JSON names."""

import json

import pytest

from baselines.evaluation.columns import table_of
from baselines.evaluation.games import GameRecord
from baselines.evaluation.results import PolicyResult, Results
from minesweeper_env import BoardConfig


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
    records = [GameRecord(0, True, 17, False)]
    results = [PolicyResult("ppo", records, precision="bfloat16"), PolicyResult("exact", records)]
    Results(BoardConfig(8, 8, 14), 0, 1, results).to_json(tmp_path / "a.json")
    rows = json.loads((tmp_path / "a.json").read_text())["results"]
    assert [row.get("precision") for row in rows] == ["bfloat16", None]
