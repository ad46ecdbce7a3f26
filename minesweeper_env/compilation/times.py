"""Parts of the compiled code: their kernels, and the processor seconds that numba takes to compile each."""

from __future__ import annotations

from typing import NamedTuple


class Part(NamedTuple):
    """Kernels that are compiled together.

    Attributes:
        name: its name on the command line.
        label: what the kernels are, as the object of "Compiling".
        seconds: processor seconds of each kernel, given as "module:function", in a process that has compiled the parts
            in `after`; measured on one core of a 2-core virtual machine.
        work: "module:function" of the function that compiles them all, called with `argument` if there is one.
        argument: a text for this function.
        after: the parts that it needs; without them it would compile them too.
        extras: the optional dependencies of the function.
        counting: processor seconds of the functions of exact counting that its kernels call; the first kernel of a
            process that calls them takes these seconds, too.
    """

    name: str
    label: str
    seconds: dict[str, float]
    work: str = ""
    argument: str = ""
    after: tuple[str, ...] = ()
    extras: tuple[str, ...] = ()
    counting: float = 0.0

    def total(self, has_counting: bool = False) -> float:
        """Returns the processor seconds of all kernels.

        Args:
            has_counting: whether the process has compiled the functions of exact counting.
        """
        return sum(self.seconds.values()) + (0.0 if has_counting else self.counting)

    @property
    def package(self) -> str:
        """The package of the kernels."""
        return next(iter(self.seconds)).partition(".")[0]


def _core(name: str, label: str, module: str, work: str, *after: str, counting: float = 0.0, **seconds: float) -> Part:
    """Returns a part of the environment or the inference."""
    kernels = {f"minesweeper_env.{module}:{kernel}": time for kernel, time in seconds.items()}
    return Part(name, label, kernels, f"minesweeper_env.{work}", after=after, counting=counting)


def _played(policy: str, label: str, module: str, *after: str, counting: float = 0.0, **seconds: float) -> Part:
    """Returns the part that a game of a policy compiles."""
    kernels = {f"baselines.scripted.{module}:{kernel}": time for kernel, time in seconds.items()}
    name = policy.replace("_", "-")
    work, after = "baselines.cli.warm_up:play", ("engine", *after)
    return Part(name, label, kernels, work, policy, after, counting=counting)


_SEARCH = ("oracle", "search", "layouts", "exact")

PARTS: tuple[Part, ...] = (
    _core(
        "engine",
        "the game engine",
        "engine.kernels",
        "engine.games:compile_kernels",
        reset_batch=0.6,
        step_batch=1.7,
        lay_out_batch=0.2,
        sample_batch=0.5,
    ),
    _core(
        "oracle",
        "the oracle",
        "inference.counting.posterior",
        "warm_up.works:infer",
        counting=12.0,
        posteriors=2.7,
    ),
    _core(
        "search",
        "the search of endgames",
        "inference.search.endgame",
        "warm_up.works:search_endgame",
        load_layouts=2.8,
        search_loaded=6.5,
    ),
    _core(
        "layouts",
        "the list of layouts",
        "inference.search.layouts",
        "warm_up.works:list_layouts",
        list_layouts_of_board=3.2,
    ),
    _core(
        "sampler",
        "the sampler of layouts",
        "inference.counting.sampler",
        "warm_up.works:sample",
        counting=8.6,
        draw_layouts=3.7,
    ),
    _core(
        "counts",
        "the exact number of layouts",
        "inference.counting.modular",
        "warm_up.works:count",
        counting=9.6,
        component_remainders=2.1,
    ),
    _core(
        "small-boards",
        "the play of small boards",
        "inference.search.small_boards",
        "warm_up.works:play_small_board",
        "search",
        lay_out_everywhere=0.2,
        begin_on_board=0.9,
    ),
    _core(
        "generation",
        "the search for boards without guesses",
        "no_guess.kernels",
        "warm_up.works:generate_board",
        counting=12.0,
        search_layouts=21.0,
    ),
    _played("exact", "the policy exact", "oracle_play.least_risk", "oracle", counting=12.0, choose_clicks=3.4),
    _played("bayes", "the policy bayes", "oracle_play.least_risk", "oracle", choose_least_risks=0.2),
    _played(
        "lookahead",
        "the policy lookahead",
        "oracle_play.two_clicks_ahead",
        *_SEARCH,
        counting=12.0,
        weigh_two_clicks=4.9,
    ),
    Part(
        "one-click",
        "the policy lookahead one click ahead",
        {"baselines.scripted.oracle_play.one_click_ahead:weigh_clicks": 3.4},
        "baselines.cli.warm_up:play",
        "lookahead:clicks=1",
        ("engine", *_SEARCH),
        counting=12.0,
    ),
    _played("graphical", "the policy graphical", "fitted.subgrid_kernels", weigh_states=0.2, expect_rewards=0.3),
    _played("graphical_source", "the policy graphical_source", "fitted.subgrid_kernels", find_longest_paths=0.3),
    _played("bayes_source", "the policy bayes_source", "replicas.bayes_closed_form", local_probabilities=0.8),
    Part(
        "value",
        "the policy value",
        {"baselines.learned.value.outcomes:list_outcomes": 2.7},
        "baselines.cli.warm_up:play",
        "value",
        ("engine", *_SEARCH, "lookahead"),
        ("torch", "safetensors"),
        counting=12.0,
    ),
    Part(
        "afterstate",
        "the policy afterstate",
        {"baselines.learned.afterstate.search.clue_kernel:fit_to_clues": 1.1},
        "baselines.cli.warm_up:play",
        "afterstate",
        ("engine",),
        ("torch", "safetensors"),
    ),
    Part(
        "playouts",
        "the games of playouts",
        {"baselines.rollouts.advance_kernel:click_and_advance": 3.4},
        "baselines.cli.warm_up:begin_training",
        after=("engine", "oracle", "sampler", "exact"),
        counting=12.0,
    ),
    Part(
        "afterstate-training",
        "the games that train afterstate",
        {"baselines.learned.afterstate.open_kernel:open_cells": 0.5},
        "baselines.cli.warm_up:play_itself",
        after=("engine",),
        extras=("torch", "safetensors"),
    ),
    Part(
        "azulejos",
        "the game Azulejos",
        {
            "azulejos_env.engine.batch_kernels:reset_batch": 2.3,
            "azulejos_env.engine.batch_kernels:finish_batch": 0.7,
            "azulejos_env.engine.batch_kernels:sample_batch": 0.2,
            "azulejos_env.engine.batch_kernels:choose_batch": 0.2,
            "azulejos_env.engine.batch_kernels:step_batch": 0.9,
            "azulejos_env.engine.batch_kernels:recount_batch": 0.2,
        },
        "azulejos_env.engine.games:compile_kernels",
    ),
    Part(
        "azulejos-search",
        "the search of Azulejos",
        {
            "azulejos_env.engine.kernels:settle": 0.1,
            "azulejos_env.engine.kernels:find_groups": 0.2,
            "azulejos_env.engine.kernels:remove": 0.2,
            "azulejos_env.searching.alpha_beta:begin": 0.7,
            "azulejos_env.searching.alpha_beta:advance": 2.7,
        },
        "azulejos_env.searching.searcher:compile_kernels",
    ),
    Part(
        "azulejos-agents",
        "the observations of agents of Azulejos",
        {"baselines.azulejos.learning.observation_kernel:describe_boards": 0.9},
        "baselines.cli.warm_up:observe_azulejos",
    ),
)
"""The kernels of all packages. A later part may need earlier ones, never the reverse."""


def part_of(kernel: str) -> Part:
    """Returns the part of a kernel, given as "module:function"; a kernel that is not listed is a part of its own."""
    for part in PARTS:
        if kernel in part.seconds:
            return part
    name = kernel.rpartition(":")[2]
    return Part(name, name, {})
