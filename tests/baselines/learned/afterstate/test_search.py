"""Search one click ahead: which clicks are weighed, and by what; the worth of afterstates; the policy around it."""

from itertools import product

import numpy as np
import pytest
import torch
from support.policies import boards_met
from support.tiny_training import one_thread  # noqa: F401 - one_thread is a fixture

from baselines.learned.afterstate import policy as policy_module
from baselines.learned.afterstate import search
from baselines.learned.afterstate.clues import fitted_safety
from baselines.learned.afterstate.network import COUNTS, AfterstateNetwork
from baselines.learned.afterstate.policy import AfterstatePolicy
from baselines.learned.afterstate.search import Limits, Outcomes, Ratings, Search, best_clicks, rate, worths
from baselines.learned.networks import BoardNetwork
from baselines.learned.settings import NetworkSize
from minesweeper_env.config import BoardConfig
from minesweeper_env.inference import mine_probabilities


def network(seed=0, channels=4, depth=2):
    torch.manual_seed(seed)
    made = AfterstateNetwork(NetworkSize(channels, depth))
    with torch.no_grad():
        # New hazards hardly differ; larger weights tell the boards apart.
        made.worth.layer.weight.mul_(50)
    return made.eval()


def config(rows=4, cols=5, mines=4, first_click="opening"):
    return BoardConfig(rows, cols, mines, first_click=first_click, moves=("click",))


def boards(count=6, rows=4, cols=5, seed=1):
    codes = np.random.default_rng(seed).choice([0, 1, 2, 3, 11], (count, rows, cols), p=[0.1, 0.2, 0.1, 0.1, 0.5])
    codes[:, 0, 0] = 11
    return codes.astype(np.int8)


def masks(codes):
    return (codes == 11).reshape(len(codes), -1)


def hazards(made, codes, mines=4):
    with torch.no_grad():
        return made.hazards(torch.as_tensor(codes), mines).numpy().astype(np.float64)


def alone(made, codes):
    """The worth of each board by itself; on four rows and columns every cell is near every other."""
    return np.exp(-hazards(made, codes).sum(axis=(1, 2)))


def test_clicks_within_the_slack_are_weighed_up_to_the_breadth_likely_zeros_first():
    safety = np.array([[0.9, 0.87, 0.2, 0.88, 0.0, 0.9]], np.float32)
    for slack, breadth, cells in ((0.05, 8, [0, 1, 3, 5]), (0.025, 8, [0, 3, 5]), (0.05, 3, [0, 3, 5]), (0.05, 1, [0])):
        assert np.flatnonzero(search.candidates(safety, Limits(slack, breadth))[0]).tolist() == cells
    assert search.candidates(np.zeros((1, 6), np.float32), Limits(1.0, 8)).sum() == 0
    safety, counts = np.array([[0.9, 0.9, 0.89, 0.8, 0.9]], np.float32), np.zeros((1, COUNTS, 5), np.float32)
    counts[0, 0, 2:4] = 1.0
    ratings = Ratings(safety, counts)
    found = [search.clicks_to_weigh(ratings, Limits(0.05, breadth))[0].tolist() for breadth in (1, 2, 8)]
    assert found == [[0, 0, 1, 0, 0], [1, 0, 1, 0, 0], [1, 1, 1, 0, 1]]
    assert search.clicks_to_weigh(Ratings(safety, 0 * counts), Limits(0.05, 2))[0].tolist() == [1, 1, 0, 0, 0]


def test_the_slack_falls_with_the_cells_of_boards_larger_than_64_cells():
    assert Limits.on(BoardConfig(8, 8, 14), 0.12, 5, power=1.5) == Limits(0.12, 5)
    assert Limits.on(BoardConfig(16, 16, 40), 0.12, 5, power=1.0) == Limits(pytest.approx(0.03), 5)
    assert Limits.on(BoardConfig(16, 16, 40), 0.12, 5, power=1.5) == Limits(pytest.approx(0.015), 5)


@pytest.mark.parametrize("onward", [False, True])
def test_a_click_is_worth_its_safety_times_the_mean_worth_of_its_outcomes_and_the_best_is_chosen(onward):
    made, codes = network(), boards(15, cols=4)
    assert alone(made, np.zeros((1, 4, 4), np.int8)).tolist() == [1]
    legal = masks(codes)
    ratings = rate(made, 4, codes, legal, counts=True)
    assert ratings.counts.sum(axis=1) == pytest.approx(1, abs=1e-5)
    outcomes = Outcomes.of(codes, ratings.counts, legal)
    plain = outcomes.click_values(ratings.safety, worths(made, 4, outcomes))
    assert (plain[~legal] == -1).all()
    chosen = best_clicks(made, 4, codes, ratings, Search(Limits(1.0, 16), symmetries=False, onward=onward, clicks=1))
    for board, click in enumerate(chosen):
        values = {}
        for cell in np.flatnonzero(legal[board]):
            shown = np.where(ratings.counts[board, :, cell] > 0.05, ratings.counts[board, :, cell], 0)
            after = search.afterstates(codes[[board] * COUNTS], np.full(COUNTS, cell), np.arange(COUNTS))
            worth, safety = alone(made, after), ratings.safety[board, cell] / shown.sum()
            assert plain[board, cell] == pytest.approx(safety * (shown * worth).sum(), rel=1e-4)
            worth *= search.next_safety(made, 4, after) if onward else 1
            values[cell] = safety * (shown * worth).sum()
        assert values[click] == pytest.approx(max(values.values()), rel=1e-5)


def test_two_clicks_ahead_guesses_with_up_to_36_covered_cells_are_late(monkeypatch):
    made, seen = network(), []
    codes = np.ones((2, 8, 8), np.int8)
    codes[0].flat[:36] = codes[1].flat[:37] = 11
    ratings = rate(made, 4, codes, masks(codes), counts=True)
    monkeypatch.setattr(search, "_late_values", lambda *given: seen.append(len(given[3])) or np.zeros_like(given[3]))
    for clicks in (1, 2):
        best_clicks(made, 4, codes, ratings, Search(Limits(1.0, 3), symmetries=False, onward=False, clicks=clicks))
    assert seen == [1]


def test_the_plain_worth_is_the_product_over_the_cells_of_the_board_and_1_once_won():
    made, codes = network(), boards(30, 8, 8)
    assert search.plain_worths(made, 4, codes, averaged=False) == pytest.approx(alone(made, codes), rel=1e-5)
    codes[0].flat = [1] * 60 + [11] * 4
    won, unfinished = (search.plain_worths(made, mines, codes, averaged=True)[0] for mines in (4, 3))
    assert won == 1 > unfinished


def test_the_next_value_is_that_of_the_best_second_click():
    """Of a sure cell, or else of the three safest, likely zeros first; 1 on a won board."""
    made, codes = network(), boards(20, 4, 4)
    codes[0] = [[1, 1, 1, 0]] * 3 + [[11] * 4]  # is won
    codes[1] = [[11, 1, 0, 0], [1, 1, 0, 0], [0, 1, 1, 1], [0, 1, 11, 11]]  # has a certain mine
    covered = masks(codes)
    ratings = rate(made, 4, codes, covered, counts=True, averaged=True)
    ratings = ratings._replace(safety=covered * fitted_safety(ratings.safety, codes, 4))
    found = search.next_values(made, 4, codes, averaged=True)
    for board, (safety, counts) in enumerate(zip(*ratings, strict=True)):
        order = sorted(np.flatnonzero(safety > 0), key=lambda cell: -safety[cell] * (1 + 0.1 * counts[0, cell]))
        near = [cell for cell in order if safety[cell] >= safety.max() - 0.2][:3]
        near = [cell for cell in order if safety[cell] == safety.max()][:1] if safety.max() >= 0.99 else near
        clicks = np.zeros((1, 16), np.bool_)
        clicks[0, near] = True
        outcomes = Outcomes.of(codes[[board]], counts[None], clicks)
        sure = np.where(safety >= 0.99, np.float32(1), safety)[None]
        best = outcomes.click_values(sure, search.plain_worths(made, 4, outcomes.after, averaged=True)).max()
        assert found[board] == pytest.approx(1 if covered[board].sum() <= 4 else best, rel=1e-4), board


def test_two_clicks_ahead_near_ties_are_weighed_again_by_the_mean_of_both_values():
    made, codes = network(), boards(8, 4, 4)
    legal = masks(codes)
    ratings = rate(made, 4, codes, legal, counts=True)
    outcomes = Outcomes.of(codes, ratings.counts, legal)
    worth = search.plain_worths(made, 4, outcomes.after, averaged=True)
    one = outcomes.click_values(ratings.safety, worth)
    later = search.next_values(made, 4, outcomes.after, averaged=True)
    both = outcomes.click_values(ratings.safety, (worth + later) / 2)
    best = np.where(search.candidates(one, Limits(0.03, 4)), both, -1).argmax(axis=1)
    clicks = best_clicks(made, 4, codes, ratings, Search(Limits(1.0, 16), symmetries=True, onward=False, clicks=2))
    assert (clicks == best).all()
    assert (clicks != one.argmax(axis=1)).any()
    with pytest.raises(ValueError, match="at most 64 cells"):
        AfterstatePolicy(made, config(5, 13), clicks=2)


def test_close_values_are_weighed_again_with_all_views():
    """The three best clicks of the plain values are compared by the averaged ones, unless one stands alone."""
    made, codes = network(), boards(40, 4, 4)
    legal = masks(codes)
    ratings, limits = rate(made, 4, codes, legal, counts=True), Limits(1.0, 16)
    # The safety of a new network hardly differs from cell to cell, so all values would be close.
    ratings = ratings._replace(safety=legal * np.random.default_rng(2).uniform(0.6, 1, legal.shape).round(1))
    outcomes = Outcomes.of(codes, ratings.counts, legal)
    plain = outcomes.click_values(ratings.safety, worths(made, 4, outcomes))
    close = search.candidates(plain, Limits(0.015, 3))
    outcomes = Outcomes.of(codes, ratings.counts, close)
    finer = outcomes.click_values(ratings.safety, worths(made, 4, outcomes, averaged=True))
    clicks = best_clicks(made, 4, codes, ratings, Search(limits, symmetries=True, onward=False, clicks=1))
    single = close.sum(axis=1) == 1
    assert 0 < single.sum() < len(codes)
    assert (clicks == np.where(single, plain.argmax(axis=1), finer.argmax(axis=1))).all()
    assert (clicks != plain.argmax(axis=1)).any()


def test_the_chances_of_the_outcomes_of_a_click_sum_to_1_without_the_rare_counts():
    counts = np.zeros((1, COUNTS, 4), np.float32)
    counts[0, :3, 1] = 0.6, 0.36, 0.04
    counts[0, 2, 3] = 1.0
    codes, clicks = np.full((1, 2, 2), 11, np.int8), np.array([[False, True, False, True]])
    outcomes = Outcomes.of(codes, counts, clicks)
    assert outcomes.cells.tolist() == [1, 1, 3]
    assert outcomes.chances == pytest.approx([0.6 / 0.96, 0.36 / 0.96, 1])
    assert outcomes.after.reshape(3, 4).tolist() == [[11, 0, 11, 11], [11, 1, 11, 11], [11, 11, 11, 2]]
    assert (codes == 11).all()
    values = outcomes.click_values(np.full((1, 4), 0.5, np.float32), np.array([0.2, 0.4, 0.8]))
    assert values[0] == pytest.approx([-1, 0.5 * (0.6 * 0.2 + 0.36 * 0.4) / 0.96, -1, 0.4])


def test_the_next_safety_is_that_of_the_safest_cell_and_1_on_a_won_board():
    made = network()
    codes = np.array([[[1, 1, 11], [11, 1, 11], [11, 11, 11]], [[1, 1, 1], [11, 2, 11], [1, 2, 1]]], np.int8)
    fitted = fitted_safety(rate(made, 2, codes, masks(codes), counts=False).safety, codes, 2)
    assert search.next_safety(made, 2, codes).tolist() == [fitted[0].max(), 1.0]
    assert fitted[1].max() < 0.1


def random_outcomes(rows, cols, count=30, guesses=4):
    rng = np.random.default_rng(5)
    codes = rng.choice([0, 1, 2, 11], (count, rows, cols), p=[0.1, 0.2, 0.1, 0.6]).astype(np.int8)
    cells = rng.integers(rows * cols, size=count)
    chances = rng.integers(guesses, size=count), cells, rng.uniform(0.1, 1, count).astype(np.float32)
    return Outcomes(codes, *chances)


def mean_distant_worths(hazards, outcomes):
    """Distant hazards are the mean over the afterstates of the same guess that are distant from the cell, too."""
    rows, cols = np.indices(hazards.shape[1:])
    width = hazards.shape[2]
    distance = [np.maximum(abs(rows - cell // width), abs(cols - cell % width)) for cell in outcomes.cells]
    distant = np.array(distance) > search.REACH
    found = []
    for guess, own, far in zip(outcomes.guesses, hazards, distant, strict=True):
        shares = (outcomes.chances * (outcomes.guesses == guess))[:, None, None] * distant
        means = (shares * hazards).sum(axis=0) / np.maximum(shares.sum(axis=0), 1e-12)
        found.append(np.exp(-np.where(far, means, own).sum()))
    return np.array(found)


@pytest.mark.parametrize("shape", [(9, 12), (1, 20), (4, 4)])
def test_distant_hazards_are_means_over_the_afterstates_of_the_guess_in_any_number_of_passes(shape, monkeypatch):
    made, outcomes = network(), random_outcomes(*shape)
    expected = mean_distant_worths(hazards(made, outcomes.after, 6), outcomes)
    assert worths(made, 6, outcomes) == pytest.approx(expected, rel=1e-5)
    monkeypatch.setattr(search, "AT_ONCE", 7)
    assert worths(made, 6, outcomes) == pytest.approx(expected, rel=1e-5)
    assert worths(made, 6, Outcomes(*(column[:0] for column in outcomes))).shape == (0,)


def turned(codes, row_step=-1, col_step=-1):
    """Returns boards that are mirrored along the axes of step -1."""
    return np.ascontiguousarray(codes[:, ::row_step, ::col_step])


def test_with_symmetries_hazards_are_means_over_the_four_views():
    made, outcomes = network(), random_outcomes(9, 9)
    steps = product((1, -1), repeat=2)
    views = [hazards(made, turned(outcomes.after, *step), 6)[:, :: step[0], :: step[1]] for step in steps]
    expected = mean_distant_worths(np.mean(views, axis=0), outcomes)
    assert worths(made, 6, outcomes, averaged=True) == pytest.approx(expected, rel=1e-5)
    assert worths(made, 6, outcomes) != pytest.approx(expected, rel=1e-6)


def test_averages_are_the_same_however_the_board_is_turned():
    made, codes = network(), boards(60, 4, 4)
    there = rate(made, 4, turned(codes), masks(turned(codes)), True, True)
    here = rate(made, 4, codes, masks(codes), True, True)
    assert there.safety == pytest.approx(here.safety[:, ::-1], rel=1e-5)
    assert there.counts == pytest.approx(here.counts[:, :, ::-1], rel=1e-5)

    def alike(**options):
        # Most of these boards are impossible: no safety fits their clues, and the order of the clues would matter.
        policy = AfterstatePolicy(made, config(4, 4), slack=1.0, breadth=3, clues=False, onward=False, **options)
        one, other = (policy.act(each, masks(each).astype(np.int8)) for each in (codes, turned(codes)))
        return (15 - one == other).mean()

    # The safest cells of one view alone may differ.
    assert alike() > 0.9 > alike(symmetries=False)


@pytest.mark.parametrize("first_click", ["opening", "safe", "any", "corners"])
def test_symmetric_first_clicks_are_worth_the_same(first_click):
    square = search.first_click_values(network(), config(5, 5, 5, first_click)).reshape(5, 5)
    assert (square == [square[::-1], square[:, ::-1], square.T]).all()
    oblong = search.first_click_values(network(), config(4, 6, 5, first_click)).reshape(4, 6)
    assert (oblong == [oblong[::-1], oblong[:, ::-1]]).all()


def test_the_first_click_is_the_best_one_or_the_one_asked_for():
    game, covered, legal = config(5, 7, 6), np.full((2, 5, 7), 11, np.int8), np.ones((2, 35), np.int8)
    best = search.first_click_values(network(), game).argmax()
    for first, cell in (("learned", best), ("middle", 17), ("exact", 16), (3, 3)):
        assert AfterstatePolicy(network(), game, first=first).act(covered, legal).tolist() == [cell, cell]


def test_without_breadth_the_safest_cell_is_clicked():
    made, codes = network(), boards(40)
    legal = masks(codes)
    safety = rate(made, 4, codes, legal, counts=False).safety
    safest, fitted = safety.argmax(axis=1), fitted_safety(safety, codes, 4).argmax(axis=1)

    def clicks(**options):
        return AfterstatePolicy(made, config(), **options).act(codes, legal.astype(np.int8))

    assert (clicks(breadth=1) == fitted).all()
    assert (clicks(breadth=1, clues=False) == safest).all()
    assert (fitted != safest).any()
    searched = clicks(slack=1.0)
    assert (searched != safest).any()
    assert legal[np.arange(len(codes)), searched].all()


WRONG = {"slack": -0.1, "breadth": 0, "sure": "yes", "clues": "small", "onward": 2, "clicks": 3}


@pytest.mark.parametrize(("option", "value"), [*WRONG.items(), ("first", "corner"), ("safety", "oracle")])
def test_wrong_options_and_boards_are_refused(option, value):
    with pytest.raises(ValueError, match=option):
        AfterstatePolicy(network(), config(), **{option: value})
    with pytest.raises(ValueError, match="radius 1, not 2"):
        AfterstatePolicy(network(), BoardConfig(6, 6, 4, radius=2, moves=("click",)))


def test_it_begins_with_the_safety_of_a_network_of_safety():
    torch.manual_seed(3)
    given = BoardNetwork.of_size(NetworkSize(4, 2))
    made, codes = network(), torch.as_tensor(boards())
    made.begin_with(given)
    with torch.no_grad():
        torch.testing.assert_close(made.safety_logits(made.tower(codes, 4)), given(codes, 4))
    with pytest.raises(ValueError, match="the weights do not fit the network"):
        made.begin_with(BoardNetwork.of_size(NetworkSize(8, 2)))


def test_the_planes_are_fed_in_at_every_application():
    """Without recall a zero block would forget the planes; here the features still depend on them after many steps."""
    made, codes = network(depth=12), torch.as_tensor(boards(2))
    with torch.no_grad():
        made.tower.stem.weight.zero_()
        made.tower.stem.bias.zero_()
        assert not torch.allclose(*made.tower(codes, 4))
        made.tower.recall.weight.zero_()
        assert torch.allclose(*made.tower(codes, 4))


def recorded_boards(game, policy):
    """Returns the different boards, the first one apart, that a policy meets in twenty games."""
    found = [board for board in boards_met(policy, game, 20) if (board <= 8).any()]
    assert len(found) > 20
    return found


def test_with_exact_safety_it_takes_no_needless_risk_and_weighs_clicks_by_it(monkeypatch):
    game = config(5, 5, 5)
    policy = AfterstatePolicy(network(), game, breadth=1, safety="exact", first="exact")
    for board in recorded_boards(game, policy):
        click = policy.act(board[None], (board > 8).reshape(1, -1).astype(np.int8))[0]
        risks = mine_probabilities(board, 5).ravel()
        assert risks[click] == pytest.approx(risks[(board > 8).ravel()].min(), abs=1e-6)
    policy = AfterstatePolicy(network(), game, slack=1.0, breadth=25, sure=1.0, safety="exact", symmetries=False)
    guesses = [each for each in recorded_boards(game, policy) if mine_probabilities(each, 5)[each > 8].min() > 0]
    seen = []
    monkeypatch.setattr(policy_module, "best_clicks", lambda *given: seen.append(given[3]) or best_clicks(*given))
    for board in guesses[:5]:
        policy.act(board[None], (board > 8).reshape(1, -1).astype(np.int8))
        safety = np.where(board > 8, 1 - mine_probabilities(board, 5), 0)
        assert np.abs(seen.pop().safety.reshape(5, 5) - safety).max() < 1e-6
        assert np.abs(policy.ratings(board[None])[0] - (1 - safety)).max() < 1e-6


def test_the_safety_of_the_clues_alone_asks_no_network(monkeypatch):
    monkeypatch.setattr(policy_module, "rate", lambda *_: pytest.fail("the network was asked"))
    codes = np.array([[[1, 1, 1, 1], [11, 11, 11, 11]]], np.int8)
    policy = AfterstatePolicy(network(), config(2, 4, 2), breadth=1, safety="clues", first=0)
    # The 1 in each corner puts a mine among two cells; the 1 beside it sees these two, so its third cell is safe.
    assert policy.act(codes, masks(codes).astype(np.int8))[0] in (5, 6)
