"""Tables of suites on the terminal, from the published results: every figure whole, at every width."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from baselines.evaluation.columns import COLUMNS, board_title
from baselines.suites.definitions import SUITES
from baselines.suites.tables import fill
from baselines.terminal.tables import Page

RESULTS = Path(__file__).parents[3] / "docs/results"
PUBLISHED = [name for name in SUITES if name != "benchmark"]
"""The suites with a file of results; the leaderboard has those of the benchmark."""

WIDTHS = (80, 100, 160)

BOARD_AT_80 = """\
16x16/40, first click any
                          win
  policy                 rate   95 % interval          p  against
────────────────────────────────────────────────────────────────────────────────
  subset:               46.2%  45.2% to 47.1%  * 1.6e-06  expected_value_source
  deduction=source
  expected_value_       45.6%  44.6% to 46.5%       0.31  subset:
  source:                                                 deduction=source
  deduction=source
  subset                50.5%  49.5% to 51.5%  * 5.3e-11  expected_value
  expected_value_       48.9%  47.9% to 49.9%   * 0.0047  subset
  source
> expected_value        53.8%  52.8% to 54.7%
> highest win rate. * significant at 5%, after Holm's correction for 4 tests.
"""

RATES_AT_80 = """\
Win rates in %, with 95 % intervals
The tables of the boards below have the intervals.
policy              9x9/1  9x9/2  9x9/3  9x9/4  9x9/5  9x9/6  9x9/7  9x9/8
──────────────────────────────────────────────────────────────────────────
random               78.1   48.9   26.2   12.0    4.6    1.6    0.4    0.1
marginal             78.6   48.3   24.6   11.6    4.9    1.5    0.6    0.1
graphical_source     98.7   84.9   70.0   43.0   23.9   12.8    3.2    1.2
conditional          98.8   89.0   69.7   47.8   28.3   14.5    6.1    2.5
graphical            98.8   94.1   86.2   76.3   64.8   54.0   40.6   30.8
semi_deterministic  >98.8  >97.3  >95.3  >92.6  >89.9  >85.8  >81.2  >75.4
policy              9x9/9  9x9/10
─────────────────────────────────
random                0.0     0.0
marginal              0.1     0.0
graphical_source      0.4     0.1
conditional           0.7     0.3
graphical            21.9    14.9
semi_deterministic  >68.1   >59.4
> highest win rate on the board.
"""


def shown(name: str, width: int | None, wide: bool = False) -> str:
    page = Page(width, wide=wide)
    fill(page, SUITES[name], json.loads((RESULTS / f"{name}.json").read_text()))
    return page.text()


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("name", PUBLISHED)
def test_published_results_fit_and_keep_every_win_rate(name, width):
    text = shown(name, width)
    assert max(map(len, text.splitlines())) <= width
    for board in json.loads((RESULTS / f"{name}.json").read_text())["boards"]:
        title = f"{board_title(board['config'])}, first click {board['config']['first_click']}\n"
        table = " ".join(text.partition(title)[2].partition("\n\n")[0].split())
        for row in board["results"]:
            assert f"{row['win_rate']:.1%} {COLUMNS['interval'].text(row)}" in table


def test_long_names_fold_and_marks_do_not_move_digits():
    assert BOARD_AT_80 in shown("expected-value", 80)


def test_win_rates_on_many_boards_continue_in_a_second_table():
    assert RATES_AT_80 in shown("agents", 80)


@pytest.mark.parametrize(("width", "wide"), [(None, False), (80, True)])
def test_wide_tables_and_pipes_have_every_column_of_the_suite(width, wide):
    text = shown("expected-value", width, wide)
    for name in SUITES["expected-value"].columns:
        assert COLUMNS[name].heading in text
    assert "Left out" not in text
    assert "expected_value_source:deduction=source" in text


def test_a_capped_policy_is_not_the_best_of_a_board():
    lines = [line for line in shown("bayes", 80).splitlines() if line.startswith("> bayes:inference")]
    assert lines == []


def test_equal_win_rates_are_both_marked():
    table = shown("ladder", 80).partition("5x5/5, first click opening\n")[2].partition("\n\n")[0]
    best = [line.split()[1] for line in table.splitlines() if line.startswith("> ") and "highest" not in line]
    assert sorted(best) == ["lookahead", "optimal"]
