"""Games of policies that are replayed for pictures."""

from functools import cache, partial

import numpy as np

from baselines.evaluation.evaluate import evaluate_policy
from baselines.recording import replay
from baselines.registry import find_policy
from support.policies import click_config

CONFIG = click_config(5, 6, 6)


@cache
def recorded(policy="exact", config=CONFIG, games=12):
    """Returns games of a policy with the records that they are replayed from."""
    config = find_policy(policy)(config).config
    played = evaluate_policy(partial(find_policy(policy), config), config, range(games), record=True)
    actions = [np.frombuffer(record.actions, "<u2").tolist() for record in played.records]
    return [
        (each, replay(policy, config, each.seed, taken)) for each, taken in zip(played.records, actions, strict=True)
    ]


def game_that(result, policy="exact"):
    """Returns the first game of a policy with a result, "won" or "lost"."""
    return next(game for _, game in recorded(policy) if game.result == result)
