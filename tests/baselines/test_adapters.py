"""The adapters of functions, agents with `predict`, models of Stable-Baselines3 and sb3-contrib, and networks."""

from types import SimpleNamespace

import gymnasium
import numpy as np
import pytest
import torch
from gymnasium.wrappers import FlattenObservation, FrameStackObservation
from sb3_contrib import ARS, QRDQN, MaskablePPO, RecurrentPPO
from stable_baselines3 import DQN, PPO
from support.equality import assert_same
from support.policies import boards_in_play, click_config
from support.processes import run_python
from torch import nn

from baselines.adapters import FunctionPolicy, PredictPolicy, SB3Policy, TorchPolicy
from baselines.evaluation.games import play_games
from baselines.policy import PolicyError
from minesweeper_env import HIDDEN, ActionMaskObservation

BOARD = {"size": (4, 5), "mines": 3}
CONFIG = click_config(4, 5, 3)


def boards(count=2):
    return np.full((count, 4, 5), HIDDEN, np.int8), np.ones((count, 20), np.int8)


def positions():
    """Returns boards in play, and masks of their covered cells."""
    found = boards_in_play(CONFIG, 20)
    return found, (found > 8).reshape(len(found), -1).astype(np.int8)


def planes_of(found):
    return (found[:, None] == np.arange(13)[:, None, None]).astype(np.float32)


def drawn(policy, observations, masks):
    """Returns the actions after each of three resets, of which the first two have the same seed."""
    found = []
    for seed in (4, 4, 5):
        policy.reset(seed)
        found.append(policy.act(observations, masks).tolist())
    return found


def last_covered(observation, action_mask):
    assert observation.shape == (4, 5)
    assert action_mask.dtype == np.int8
    return int(np.flatnonzero(action_mask)[-1])


class Agent:
    """Predicts like Stable-Baselines3, with a mask."""

    def predict(self, observation, state=None, action_masks=None):
        return np.asarray(last_covered(observation, action_masks)), state


@pytest.mark.parametrize(
    ("policy", "name"),
    [(FunctionPolicy(last_covered, **BOARD), "last_covered"), (PredictPolicy(Agent(), **BOARD), "Agent")],
)
def test_a_function_and_an_agent_play_the_games_of_the_same_batched_policy(policy, name):
    assert policy.name == name
    batched = SimpleNamespace(act=lambda _, masks: 19 - masks[:, ::-1].argmax(axis=1))
    assert play_games(policy, CONFIG, range(40)) == play_games(batched, CONFIG, range(40))
    # Further moves of the games are left alone.
    assert policy.act(boards()[0], np.ones((2, 40), np.int8)).tolist() == [19, 19]


@pytest.mark.parametrize("answer", [7, np.int64(7), np.array(7), np.array([7])])
def test_every_kind_of_whole_number_is_an_action(answer):
    actions = FunctionPolicy(lambda _, __: answer, **BOARD).act(*boards())
    assert (actions.dtype, actions.tolist()) == (np.int64, [7, 7])


@pytest.mark.parametrize("answer", [None, 1.5, -1, 20, True, (1, 2), "3", np.array([1, 2])])
def test_an_answer_that_is_no_action_is_refused_when_the_policy_is_made(answer):
    with pytest.raises(PolicyError, match=r"must return an action, 0 to 19 on 4x5 with moves click"):
        FunctionPolicy(lambda _, __: answer, **BOARD)


def corner(_observation, _mask):
    return 19


def test_an_illegal_action_ends_the_evaluation_or_becomes_a_random_legal_one():
    observations, masks = boards(200)
    masks[:, 3:] = 0
    with pytest.raises(PolicyError, match=r"corner .* 19, .*: row 3, column 4 "):
        FunctionPolicy(corner, **BOARD).act(observations, masks)
    one, same, _ = drawn(FunctionPolicy(corner, **BOARD, illegal="random"), observations, masks)
    assert one == same
    assert set(one) == {0, 1, 2}
    with pytest.raises(ValueError, match="illegal must be one of error, random, not 'ignore'"):
        FunctionPolicy(corner, **BOARD, illegal="ignore")


def test_a_function_gets_the_encoding_and_the_moves_that_it_asks_for():
    seen = []

    def look(observation, action_mask):
        seen.append((observation.shape, observation.dtype.name, action_mask.shape))
        return 0

    FunctionPolicy(look, **BOARD, observation="planes", moves=("click", "flag"))
    FunctionPolicy(look, **BOARD, observation="flat")
    assert seen == [((13, 4, 5), "float32", (40,)), ((260,), "float32", (20,))]


def test_a_function_with_a_reset_is_seeded_before_each_batch():
    class Drawing:
        def reset(self, seed):
            self.rng = np.random.default_rng(seed)

        def __call__(self, _, action_mask):
            return int(self.rng.choice(np.flatnonzero(action_mask)))

    policy = FunctionPolicy(Drawing(), **BOARD)
    assert policy.name == "Drawing"
    one, same, other = drawn(policy, *boards(9))
    assert one == same != other


def test_an_agent_without_masks_receives_the_observation_alone():
    class Plain:
        def predict(self, observation):
            return observation.argmax() % 20

    # The plane of covered cells, code 11, is the only one with ones.
    assert PredictPolicy(Plain(), **BOARD, observation="flat").act(*boards(1)).tolist() == [11 * 20 % 20]


@pytest.mark.parametrize(
    ("adapter", "given"), [(TorchPolicy, "model.pt"), (TorchPolicy, {}), (FunctionPolicy, 3), (PredictPolicy, object())]
)
def test_what_is_no_agent_is_refused_with_what_an_adapter_takes(adapter, given):
    with pytest.raises(ValueError, match=f"^{adapter.__name__} takes a"):
        adapter(given, size=8, mines=14)


def test_a_function_plays_without_torch():
    code = (
        "import sys; from baselines.adapters import FunctionPolicy, PredictPolicy\n"
        "FunctionPolicy(lambda board, mask: 0, size=8, mines=14)\n"
        "print({'torch', 'stable_baselines3', 'numba'} & set(sys.modules))"
    )
    assert run_python("-c", code).stdout.strip() == "set()"


def make_env(**arguments):
    return gymnasium.make("Minesweeper-v0", **{"moves": ("click",), "observation": "flat"} | BOARD | arguments)


def make_model(algorithm, env=None, policy="MlpPolicy"):
    small = {"net_arch": [16]}
    return algorithm(policy, make_env() if env is None else env, policy_kwargs=small, seed=0, device="cpu")


@pytest.fixture(scope="module", params=[PPO, MaskablePPO, DQN, QRDQN], ids=lambda each: each.__name__)
def model(request):
    return make_model(request.param)


def test_a_model_of_every_kind_plays_what_it_predicts_where_that_is_legal(model):
    policy = SB3Policy(model, **BOARD)
    assert (policy.name, policy.moves) == (type(model).__name__, ("click",))
    assert len(play_games(policy, CONFIG, range(20))) == 20
    found, masks = positions()
    observations = planes_of(found).reshape(len(found), -1)
    predicted, _ = model.predict(observations, deterministic=True)
    legal = masks[np.arange(len(found)), predicted] == 1
    actions = policy.act(found, masks)
    assert legal.sum() > 2
    assert actions[legal].tolist() == predicted[legal].tolist()
    assert masks[np.arange(len(found)), actions].all()
    if isinstance(model, MaskablePPO):
        assert actions.tolist() == model.predict(observations, deterministic=True, action_masks=masks)[0].tolist()


def test_sampled_actions_of_a_model_are_legal_and_follow_the_seed(model):
    found, masks = positions()
    one, same, other = drawn(SB3Policy(model, **BOARD, deterministic=False), found, masks)
    assert one == same != other
    assert masks[np.arange(len(found)), one].all()


@pytest.mark.parametrize(
    ("algorithm", "env", "network"),
    [
        (PPO, make_env(observation="codes"), "MlpPolicy"),
        (PPO, make_env(observation="planes"), "MlpPolicy"),
        (DQN, ActionMaskObservation(make_env(), "pettingzoo"), "MultiInputPolicy"),
        (PPO, ActionMaskObservation(make_env(observation="codes"), "rllib"), "MultiInputPolicy"),
        (PPO, FlattenObservation(make_env(observation="codes")), "MlpPolicy"),
    ],
)
def test_a_model_sees_what_its_environment_showed(algorithm, env, network):
    policy = SB3Policy(make_model(algorithm, env, network), **BOARD)
    codes = make_env(observation="codes")
    observation, info = env.reset(seed=3)
    board, _ = codes.reset(seed=3)
    done = False
    while not done:
        masks = info["action_mask"][None]
        made = policy._make_input(board[None], masks == 1)
        assert_same({key: each[0] for key, each in made.items()} if isinstance(made, dict) else made[0], observation)
        action = int(policy.act(board[None], masks)[0])
        observation, _, done, _, info = env.step(action)
        board = codes.step(action)[0]


@pytest.mark.parametrize(
    ("make", "board", "word"),
    [
        (lambda: make_model(MaskablePPO), {"size": 8}, "the MaskablePPO model has 20 actions, but 8x8 with moves"),
        (lambda: make_model(PPO, FrameStackObservation(make_env(), 2)), {}, "was trained on observations Box.* on 4x5"),
        (lambda: "model.zip", {}, "takes a loaded model"),
        (lambda: make_model(RecurrentPPO, policy="MlpLstmPolicy"), {}, "PredictPolicy"),
        (lambda: make_model(ARS), {}, "PredictPolicy"),
    ],
)
def test_a_model_that_cannot_play_is_refused_with_what_to_do(make, board, word):
    with pytest.raises(ValueError, match=word):
        SB3Policy(make(), **{**BOARD, **board})


def test_not_a_number_ends_the_evaluation():
    model = make_model(PPO)
    policy = SB3Policy(model, **BOARD)
    logits = model.policy.action_net.weight.new_full((1, 20), np.nan)
    model.policy.get_distribution = lambda _: SimpleNamespace(distribution=SimpleNamespace(logits=logits))
    with pytest.raises(PolicyError, match="not a number"):
        policy.act(*boards(1))


def flat_network(actions=20):
    torch.manual_seed(0)
    return nn.Sequential(nn.Flatten(), nn.Linear(13 * 20, actions))


class Convolution(nn.Module):
    """Rates each cell by an embedding of its code; the boards may have any size."""

    def __init__(self, moves=1, shape="planes"):
        super().__init__()
        torch.manual_seed(1)
        self.shape = shape
        self.codes = nn.Embedding(13, 8)
        self.head = nn.Conv2d(8, moves, 3, padding=1)
        self.modes = []

    def forward(self, found):
        self.modes.append(self.training)
        outputs = self.head(self.codes(found.long()).permute(0, 3, 1, 2))
        return {"rows": outputs[:, 0], "flat": outputs.flatten(1)}.get(self.shape, outputs)


@pytest.mark.parametrize("encoding", ["planes", "flat"])
def test_the_best_legal_action_of_a_network(encoding):
    network = flat_network()
    found, masks = positions()
    policy = TorchPolicy(network, **BOARD, observation=encoding)
    with torch.no_grad():
        outputs = network(torch.as_tensor(planes_of(found))).numpy()
    assert policy.act(found, masks).tolist() == np.where(masks == 1, outputs, -np.inf).argmax(axis=1).tolist()
    assert len(play_games(policy, CONFIG, range(20))) == 20


@pytest.mark.parametrize("shape", ["rows", "flat"])
def test_outputs_of_every_shape_give_the_same_actions(shape):
    found, masks = positions()
    expected = TorchPolicy(Convolution(), **BOARD).act(found, masks)
    assert TorchPolicy(Convolution(shape=shape), **BOARD).act(found, masks).tolist() == expected.tolist()


def test_a_model_and_a_network_of_clicks_and_flags_play_both():
    env = gymnasium.make("Minesweeper-v0", **BOARD, observation="flat")
    network = TorchPolicy(Convolution(moves=2), **BOARD, moves=("click", "flag"))
    for policy in (SB3Policy(make_model(MaskablePPO, env), **BOARD), network):
        assert policy.moves == ("click", "flag")
        assert len(play_games(policy, policy.config, range(5))) == 5


@pytest.mark.parametrize(
    ("network", "more", "problem"),
    [
        (flat_network(128), {"observation": "flat"}, r"shape \(2, 20\) or .* for 2 boards .* not Tensor \(2, 128\)"),
        (lambda found: found.numpy(), {}, r"must return one tensor .* not ndarray \(2, 4, 5\)"),
        (lambda found: (found, found), {}, "must return one tensor .* logits or Q-values alone, not tuple"),
        (corner, {"observation": "pixels"}, "observation must be one of codes"),
        (flat_network(20), {}, r"fails on 2 boards of 4x5 .*, int8 \(2, 4, 5\): mat1 .* set size="),
        (flat_network(20), {"observation": "flat", "mines_input": True}, r"float32 \(2, 260\): .* set size="),
    ],
)
def test_a_network_that_does_not_fit_is_refused_in_one_line(network, more, problem):
    with pytest.raises(ValueError, match=problem) as found:
        TorchPolicy(network, **BOARD, **more)
    assert "\n" not in str(found.value)


def test_the_number_of_mines_and_the_number_type_reach_a_function_of_tensors():
    seen = []

    def network(found, mines):
        seen.append((found.dtype, tuple(mines.shape), mines.dtype, float(mines[0])))
        return found.flatten(1).float()

    assert TorchPolicy(network, **BOARD, mines_input=True, dtype=torch.int64).name == "network"
    assert seen == [(torch.int64, (2,), torch.float32, 3.0)]


def test_sampled_actions_have_the_probabilities_of_the_outputs():
    outputs = torch.arange(20.0) / 5
    found, masks = (np.repeat(each[-1:], 20_000, axis=0) for each in positions())
    policy = TorchPolicy(lambda found: outputs.expand(len(found), 20), **BOARD, deterministic=False)
    actions, same, _ = drawn(policy, found, masks)
    assert actions == same
    weights = outputs.exp().numpy() * masks[0]
    assert np.bincount(actions, minlength=20) / 20_000 == pytest.approx(weights / weights.sum(), abs=0.015)


def test_play_leaves_the_mode_of_a_network_as_it_was():
    network = Convolution().train()
    TorchPolicy(network, **BOARD).act(*positions())
    assert network.modes
    assert not any(network.modes)
    assert network.training
    TorchPolicy(network.eval(), **BOARD)
    assert not network.training


def test_a_legal_action_is_chosen_even_when_its_output_is_minus_infinity():
    found, masks = positions()
    outputs = torch.full((20,), -np.inf)
    policy = TorchPolicy(lambda found: outputs.expand(len(found), 20), **BOARD)
    assert masks[np.arange(len(found)), policy.act(found, masks)].all()
