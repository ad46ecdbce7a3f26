"""`baselines.evaluate`: score policies in one call from Python, compared with a reference on the same games."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from contextlib import nullcontext
from typing import Any, Literal

from baselines.evaluation.evaluate import evaluate_policy
from baselines.evaluation.judge import check_judgeable
from baselines.evaluation.results import PolicyResult
from baselines.evaluation.scoring.entrants import Entrant, check_sendable, named, prepare
from baselines.evaluation.scoring.table import Results
from baselines.evaluation.seeds import check_seeds
from baselines.support.extras import import_extra
from baselines.terminal.progress import game_bar
from minesweeper_env.config import BoardConfig, whole_number
from minesweeper_env.notices import is_live


def evaluate(
    policy: Any,
    size: int | Sequence[int] = 8,
    mines: int | None = None,
    games: int = 1000,
    *,
    first_click: str = "opening",
    no_guess: Literal[False, "subset", "exact"] = False,
    seed: int = 0,
    workers: int = 1,
    diagnose: bool = False,
    against: Any = ("exact",),
    progress: bool | None = None,
) -> Results:
    """Plays policies on the same seeded games, and compares each with a reference.

    Args:
        policy: one policy, a list of policies, or a dict from names to policies. A policy is a specification as
            `evaluate.py --policy` takes it ("bayes:prior=count", a run folder, "path/file.py:NAME"); an object with
            the method `act` (see `baselines.policy.Policy`), such as an adapter of `baselines.adapters`; or a class or
            function that is called with size=(rows, cols), mines= and first_click= and returns such an object.
        size: side of a square board, or (rows, cols).
        mines: number of mines; None follows the size (8: 14, 9: 10, 16: 40, 16x30: 99).
        games: number of games per policy.
        first_click: "opening", "safe", "any" or "corners".
        no_guess: "subset" or "exact" for boards that logic of this level wins; False for boards as they come.
        seed: seed of game 0; game i uses seed + i. Test seeds are 0 to 2**30 - 1, development seeds 1.5e9 to 2**31 - 1.
        workers: number of processes; above 1, a policy must pickle, and a script calls this below
            `if __name__ == "__main__":`, because each process imports the script.
        diagnose: True judges every click by the exact mine probabilities.
        against: policies, in any form of `policy`, that play too; the first is the reference. With (), the first of
            `policy` is the reference.
        progress: True shows a progress bar on stderr, False shows none, None shows one on a terminal.

    Returns:
        The results. They print as a table; `rows()` gives a flat dict per policy.

    Raises:
        ValueError: an argument is not allowed, or a policy does not play these games; raised before any game.
        PolicyError: a policy broke the protocol.
        WorkerError: worker processes cannot be started, as in a script that calls this outside
            `if __name__ == "__main__":`.
        MissingExtraError: a package is not installed.
        KeyboardInterrupt: Ctrl-C ended the evaluation.
    """
    config = BoardConfig.of_size(size, mines, first_click=first_click, moves=("click",), no_guess=no_guess)
    seeds = check_seeds(whole_number("seed", seed, 0), whole_number("games", games, 1))
    workers = whole_number("workers", workers, 1)
    import_extra("scipy")
    chosen, references = named(policy), named(against)
    if not chosen:
        raise ValueError("at least one policy is needed")
    entrants = [prepare(name, each, config) for name, each in (chosen | references).items()]
    for entrant in entrants:
        if diagnose:
            check_judgeable(entrant.config)
        if workers > 1:
            check_sendable(entrant)
    results = [_play(entrant, seeds, workers, diagnose, progress) for entrant in entrants]
    return Results(config, seeds.start, len(seeds), tuple(results), next(iter(references or chosen)))


def _play(entrant: Entrant, seeds: range, workers: int, diagnose: bool, progress: bool | None) -> PolicyResult:
    shown = is_live(sys.stderr) if progress is None else progress
    with game_bar("playing", entrant.name, len(seeds)) if shown else nullcontext() as on_finished:
        evaluation = evaluate_policy(
            entrant.build,
            entrant.config,
            seeds,
            policy_seed=seeds.start,
            workers=workers,
            on_finished=on_finished,
            diagnose=diagnose,
            batch_size=entrant.batch_size,
        )
    if evaluation.interrupted:
        raise KeyboardInterrupt
    return PolicyResult.of(entrant.name, evaluation)
