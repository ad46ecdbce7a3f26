"""The tests of placement and of clicks before a mine: calibrated where the claim holds, and strong where it fails."""

from __future__ import annotations

import errno
import json
import re
from fractions import Fraction
from itertools import pairwise, permutations

import numpy as np
import pytest
from scipy.stats import chi2, kstest
from support.commands import complaint

from baselines import __main__ as command
from baselines.cli.uniformity import main
from baselines.uniformity.hypotheses import (
    clicks_law,
    clicks_test,
    correct,
    fewer_clicks_test,
    placement_test,
    raw_statistic,
)
from baselines.uniformity.plot import deviations
from baselines.uniformity.report import Finding
from baselines.uniformity.samples import (
    Sample,
    check_sample,
    clicks_in_random_order,
    draw_layouts,
    draw_sample,
    eligible_cells,
    middle,
)
from minesweeper_env import BoardConfig
from minesweeper_env.config import UNIFORM_FIRST_CLICKS

REPETITIONS = 300
STRICT = 1e-3


def config_of(rule: str, rows: int = 9, cols: int = 9, mines: int = 10) -> BoardConfig:
    return BoardConfig(rows, cols, mines, rule, ("click",))


def random_layouts(rng: np.random.Generator, games: int, weights: np.ndarray, mines: int) -> np.ndarray:
    """Draws mines one after the other; twice the weight makes a cell twice as likely."""
    layouts = np.zeros((games, len(weights)), bool)
    chosen = np.argsort(rng.exponential(size=layouts.shape) / weights, axis=1)[:, :mines]
    np.put_along_axis(layouts, chosen, True, axis=1)
    return layouts


def placements(rng: np.random.Generator, repetitions: int = REPETITIONS) -> list[np.ndarray]:
    return [random_layouts(rng, 300, np.ones(81), 10).sum(axis=0) for _ in range(repetitions)]


def test_placement_p_values_are_uniform_where_placement_is():
    p_values = [placement_test(counts, 300, 10).p_value for counts in placements(np.random.default_rng(0))]
    assert kstest(p_values, "uniform").pvalue > STRICT
    assert 0.02 < np.mean(np.array(p_values) < 0.05) < 0.09


def test_without_the_correction_hardly_anything_is_ever_rejected():
    statistics = [raw_statistic(counts, 300, 10) for counts in placements(np.random.default_rng(0))]
    p_values = chi2.sf(statistics, 80)
    assert kstest(p_values, "uniform").pvalue < 1e-6
    assert np.mean(p_values < 0.05) < 0.015
    # The mean is that of drawing without replacement, n - M, and not the n - 1 degrees of freedom.
    assert np.mean(statistics) == pytest.approx(71, abs=2.5)


def test_the_figures_that_were_published_say_something_else_when_corrected():
    assert chi2.isf(0.05, 80) == pytest.approx(101.88, abs=0.01)
    corrected = correct(71.78, 81, 10)
    assert corrected == pytest.approx(80.88, abs=0.01)
    assert chi2.sf(corrected, 80) == pytest.approx(0.45, abs=0.005)
    assert chi2.sf(47.24, 70) == pytest.approx(0.983, abs=0.0005)


def test_clicks_p_values_are_uniform_where_the_law_holds():
    rng = np.random.default_rng(1)
    law = clicks_law(81, 10)
    p_values = [clicks_test(rng.choice(len(law), 2000, p=law), 81, 10)[0].p_value for _ in range(REPETITIONS)]
    assert kstest(p_values, "uniform").pvalue > STRICT
    assert 0.02 < np.mean(np.array(p_values) < 0.05) < 0.09


def test_p_values_of_the_flood_test_are_uniform_where_there_is_no_difference():
    rng = np.random.default_rng(2)
    law = clicks_law(81, 10)
    samples = [rng.choice(len(law), (2, 500), p=law) for _ in range(REPETITIONS)]
    p_values = [fewer_clicks_test(first, second) for first, second in samples]
    assert kstest(p_values, "uniform").pvalue > STRICT


@pytest.mark.slow
@pytest.mark.parametrize("rule", UNIFORM_FIRST_CLICKS)
def test_p_values_of_the_engine_are_uniform(rule):
    config = config_of(rule)
    found = [Finding.of(draw_sample(config, 500, 5000 * i, lambda _: None)) for i in range(120)]
    assert kstest([each.placement.p_value for each in found], "uniform").pvalue > STRICT
    assert kstest([each.clicks.p_value for each in found], "uniform").pvalue > STRICT
    assert max(each.fewer for each in found) < STRICT


def test_a_biased_placement_is_rejected():
    weights = np.ones(81)
    weights[0] = 1.3
    counts = random_layouts(np.random.default_rng(3), 12_000, weights, 10).sum(axis=0)
    assert placement_test(counts, 12_000, 10).p_value < STRICT


def test_a_mine_too_many_is_rejected():
    rng = np.random.default_rng(4)
    layouts = random_layouts(rng, 10_000, np.ones(81), 11)
    assert clicks_test(clicks_in_random_order(layouts, rng), 81, 10)[0].p_value < STRICT


def test_clicks_with_replacement_are_rejected():
    clicks = np.minimum(np.random.default_rng(5).geometric(10 / 81, 8000) - 1, 71)
    assert clicks_test(clicks, 81, 10)[0].p_value < STRICT


@pytest.mark.parametrize(("taken_for", "rejected"), [("any", True), ("safe", True), ("opening", False)])
def test_layouts_of_another_rule_are_rejected(taken_for, rejected):
    layouts = draw_layouts(config_of("opening"), 4000, 0, middle(config_of("opening")))
    cells = eligible_cells(config_of(taken_for), middle(config_of(taken_for)))
    assert (placement_test(layouts[:, cells].sum(axis=0), 4000, 10).p_value < STRICT) == rejected


@pytest.mark.parametrize(("cells", "mines"), [(5, 2), (4, 3), (6, 1), (5, 5)])
def test_the_law_of_the_clicks_is_that_of_all_orders(cells, mines):
    orders = [order.index(next(cell for cell in order if cell < mines)) for order in permutations(range(cells))]
    law = clicks_law(cells, mines)
    assert len(law) == cells - mines + 1
    for k, probability in enumerate(law):
        assert probability == pytest.approx(float(Fraction(orders.count(k), len(orders))))


def test_the_law_of_a_large_board_has_its_mean():
    law = clicks_law(480, 99)
    assert law.sum() == pytest.approx(1)
    assert law @ np.arange(len(law)) == pytest.approx(381 / 100)


def test_bins_pool_all_numbers_and_expect_enough():
    clicks = np.random.default_rng(6).choice(72, 3000, p=clicks_law(81, 10))
    _, bins = clicks_test(clicks, 81, 10)
    assert sum(each.observed for each in bins) == 3000
    assert sum(each.expected for each in bins) == pytest.approx(3000)
    assert all(each.expected >= 5 for each in bins)
    assert (bins[0].first, bins[-1].last) == (0, 71)
    assert all(after.first == before.last + 1 for before, after in pairwise(bins))
    assert 25 < len(bins) < 40


@pytest.mark.parametrize("rule", UNIFORM_FIRST_CLICKS)
def test_a_sample_is_of_real_games_in_which_flood_fill_leaves_fewer_clicks(rule):
    sample = draw_sample(config_of(rule), 1200, 7, lambda _: None)
    assert len(sample.eligible) == {"any": 81, "safe": 80, "opening": 72}[rule]
    assert (sample.counts.sum(), sample.outside) == (12_000, 0)
    assert len(sample.plain) == len(sample.flooded) == 1200
    assert Finding.of(sample).fewer < STRICT
    assert (draw_sample(config_of(rule), 1200, 7, lambda _: None).flooded == sample.flooded).all()


def test_flood_fill_changes_nothing_where_no_cell_can_show_0():
    sample = draw_sample(config_of("any", 3, 3, 7), 3000, 0, lambda _: None)
    assert Finding.of(sample).fewer > STRICT


def test_command_prints_a_table_and_writes_json_and_plots(tmp_path, capsys):
    out = tmp_path / "new" / "folder"
    arguments = ["uniformity", "--size", "5x6", "--mines", "4", "--games", "800", "--out", str(out)]
    assert command.main(arguments) == 0
    printed = capsys.readouterr()
    assert printed.out.count("clicks before a mine") >= 3
    assert "corners claims no uniformity" in printed.out
    assert [line for line in printed.err.splitlines() if line.startswith("drawing")] == [
        f"drawing {rule}" for rule in UNIFORM_FIRST_CLICKS
    ]
    content = json.loads((out / "statistics.json").read_text())
    assert content["command"] == f"python -m baselines {' '.join(arguments)}"
    for rule, row in zip(UNIFORM_FIRST_CLICKS, content["rules"], strict=True):
        assert row["config"]["first_click"] == rule
        assert 0 < row["placement"]["p_value"] <= 1
        assert sum(row["placement"]["observed"]) == 3200
        assert row["placement"]["mines_elsewhere"] == 0
        assert sum(each["observed"] for each in row["clicks"]["bins"]) == 800
        assert sum(row["flood_fill"]["observed"]) == 800
        assert (out / f"{rule}.png").read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--first-click", "corners"], "'corners' claims no uniformity.*any, safe, opening"),
        (["--first-click", "none"], "invalid choice"),
        (["--games", "20"], "need at least 41 games, not 20"),
        (["--size", "3", "--mines", "9"], "mines must be"),
        (["--size", "4", "--mines", "7", "--first-click", "opening", "--games", "500"], "fill all 7 cells"),
        (["--seed", str(1 << 30)], "seeds of test games"),
        (["--out", "/proc/none"], "cannot be written"),
        (["--out", ""], "a path, not an empty text"),
        (["--games", "0"], "at least 1"),
    ],
)
def test_bad_arguments_are_one_line(arguments, words, capsys):
    with pytest.raises(SystemExit) as stopped:
        main(arguments)
    error = complaint(capsys.readouterr().err)
    assert stopped.value.code == 2
    assert error.startswith("python -m baselines uniformity: ")
    assert re.search(words, error)


def test_the_least_number_of_games_is_enough():
    config = config_of("any", 4, 4, 3)
    with pytest.raises(ValueError, match="at least 27 games, not 26"):
        check_sample(config, 26)
    Finding.of(draw_sample(config, 27, 0, lambda _: None))


def test_a_full_disk_costs_no_results(monkeypatch, capsys, tmp_path):
    def full(_):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("os.fsync", full)
    assert main(["--games", "100", "--out", str(tmp_path)]) == 1
    captured = capsys.readouterr()
    path = tmp_path / "statistics.json"
    assert captured.err.splitlines()[-1] == f"python -m baselines uniformity: {path}: No space left on device"
    assert captured.out.count("clicks before a mine") >= 3
    assert list(tmp_path.iterdir()) == []


def test_an_interruption_is_no_traceback(monkeypatch, capsys, tmp_path):
    def interrupt(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr("baselines.uniformity.samples.draw_sample", interrupt)
    assert main(["--games", "100", "--out", str(tmp_path)]) == 130
    assert "interrupted" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("arguments", [["play"], ["--games"]])
def test_unknown_commands_list_those_there_are(arguments, capsys):
    assert command.main(arguments) == 2
    error = capsys.readouterr().err
    assert error.count("\n") == 1
    assert "evaluate, train, suites, uniformity" in error


def test_the_map_shows_deviations_where_the_rule_allows_mines():
    counts = np.array([60, 40] + [50] * 6)
    eligible, none = np.array([0, 1, 2, 3, 5, 6, 7, 8]), np.zeros(100, np.int64)
    sample = Sample(config_of("safe", 3, 3, 4), 100, 4, eligible, counts, 0, none, none)
    assert deviations(sample).tolist()[0] == [2.0, -2.0, 0.0]
    assert np.isnan(deviations(sample)[1, 1])


def test_the_other_commands_are_reached(capsys):
    for arguments in (["--help"], []):
        assert command.main(arguments) == 0
        assert "uniformity" in capsys.readouterr().out
    with pytest.raises(SystemExit) as stopped:
        command.main(["evaluate", "--policy", "best"])
    assert stopped.value.code == 2


def test_the_former_name_of_the_command_works_and_says_what_replaces_it(capsys):
    assert command.main(["statistics", "--first-click", "any", "--games", "100"]) == 0
    captured = capsys.readouterr()
    assert "placement" in captured.out
    assert captured.err.splitlines()[0] == "python -m baselines: the command statistics is now called uniformity"
