"""Suites of the benchmark, declared as data: groups of boards, each with the policies that play on them."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Self

from baselines import checks, registry
from baselines.benchmark.protocol import PROTOCOL, PROTOCOLS, Protocol
from baselines.evaluation.seeds import check_seeds
from minesweeper_env.config import BoardConfig, NoGuess

GAMES = 1000
"""Number of games of each policy on each board, unless the command says another."""

MANIFEST = "suite.json"
"""The file of a suite's folder: its name, seed and games, digests of added policies, and the code that plays."""


@dataclass(frozen=True)
class Entry:
    """A policy of a suite.

    Attributes:
        policy: its specification; see `baselines.registry.find_policy`.
        cap: most games on a board, for a slow policy; None for all games.
        batch_size: number of games played side by side; None for the policy's own choice.
        start: "module:function" that gives each game its layout and first cell, as a `Start`, from a `BoardConfig` and
            a seed; None for the first-click rule. Such games are others than those of the other policies.
    """

    policy: str
    cap: int | None = None
    batch_size: int | None = None
    start: str | None = None


@dataclass(frozen=True)
class Group:
    """Boards, and the policies that play on each of them.

    Attributes:
        entries: policies, weakest first; each brings its own moves.
        paired: "next" compares each policy with the next stronger one on the board, "all" each two policies; the name
            of a policy compares all others with it.
        measures_beliefs: whether rows have the figures of `baselines.evaluation.beliefs`, if the policy has beliefs.
        scored: whether rows have the score of Sun, Chen & Yang; see `baselines.benchmark.report.scores`.
    """

    name: str
    boards: tuple[BoardConfig, ...]
    entries: tuple[Entry, ...]
    paired: str = "next"
    scored: bool = False
    measures_beliefs: bool = False


@dataclass(frozen=True)
class Suite:
    """An experiment that one command repeats.

    Attributes:
        notes: notes below the tables, one line each.
        protocol: fixes the seeds of games that are recorded action by action; None for any test seeds.
    """

    name: str
    title: str
    groups: tuple[Group, ...]
    notes: tuple[str, ...] = ()
    protocol: Protocol | None = None

    def chosen(self, groups: Sequence[str] | None, policies: Iterable[str]) -> Self:
        """Returns the suite with these `groups` (None: all), each with `policies` added; ValueError for bad names."""
        names = [group.name for group in self.groups]
        for unknown in set(groups or ()) - set(names):
            raise ValueError(f"the suite {self.name} has the groups {', '.join(names)}, not {unknown}")
        chosen_groups = [group for group in self.groups if groups is None or group.name in groups]
        for policy in policies:
            for index, group in enumerate(chosen_groups):
                if policy in [entry.policy for entry in group.entries]:
                    raise ValueError(f"{group.name} has the policy {policy} already; name each policy once")
                chosen_groups[index] = replace(group, entries=(*group.entries, Entry(policy)))
        return replace(self, groups=tuple(chosen_groups))

    def seeds_of(self, first: int | None, games: int) -> range:
        """Returns `games` seeds from `first` on, by default the suite's own; raises a ValueError for other seeds."""
        return check_seeds(first or 0, games) if self.protocol is None else self.protocol.seeds_of(first, games)


def find_suite(name: str) -> Suite:
    """Returns the suite of this name; raises ValueError, with the names of all suites, if there is none."""
    if name not in SUITES:
        raise ValueError(f"unknown suite {name!r}; there are {', '.join(SUITES)}{checks.did_you_mean(name, SUITES)}")
    return SUITES[name]


def _boards(names: str, first_click: str = "opening", no_guess: NoGuess = False) -> tuple[BoardConfig, ...]:
    return tuple(BoardConfig.of_name(name, first_click, no_guess) for name in names.split())


def _entries(*policies: str, cap: int | None = None) -> tuple[Entry, ...]:
    return tuple(Entry(policy, cap) for policy in policies)


_CLASSIC = "5x5/5 8x8/14 9x9/10 16x16/40 16x30/99"
_SCRIPTED = tuple(Entry(policy, 100 if policy == "rollout" else None) for policy in registry.SCRIPTED)
_EVERY = (
    *_SCRIPTED,
    *_entries("plain-ppo", "plain-dqn", "clues-any-size", "any-size", "dqn", "ppo"),
    *_entries("afterstate-any-size", "afterstate", "taught"),
)
_ONE_FIT = (
    "marginal: one fit, which is one order of clicks for all games, so that it differs from random by some points on "
    "easy boards; over 60 fits no difference is left (docs/policies/statistics.md)."
)

_LADDER = Suite(
    "ladder", "Every policy on the classic boards", (Group("ladder", _boards(_CLASSIC), _SCRIPTED),), (_ONE_FIT,)
)

_LEARNED = Suite(
    "learned",
    "The trained agents and exact play, on boards that they were trained on and on others",
    (
        Group(
            "opening",
            _boards("5x5/5 8x8/14 9x9/10 10x10/20 12x20/45 16x16/40 16x30/99"),
            (
                *_entries("ppo", "dqn", "afterstate", cap=1000),
                Entry("any-size", cap=2000),
                *_entries("afterstate-any-size", "afterstate-any-size:first=exact", cap=1000),
                *_entries("exact", "lookahead"),
            ),
            "exact",
        ),
        Group(
            "safe",
            _boards("8x8/14 9x9/10 16x16/40 16x30/99", "safe"),
            (
                Entry("afterstate", cap=1000),
                *_entries("any-size", "any-size:first=exact", "afterstate-any-size", cap=2000),
                *_entries("exact", "lookahead"),
            ),
            "exact",
        ),
        Group(
            "parts",
            (*_boards("8x8/14"), *_boards("8x8/14", "safe")),
            _entries(
                "dqn:first=exact",
                "afterstate:first=exact,breadth=1",
                "afterstate:first=exact,symmetries=false",
                "afterstate:first=exact,clues=false",
                "afterstate:first=exact,onward=false",
                "afterstate:first=exact",
                "afterstate",
                "exact",
                "afterstate:first=exact,safety=exact",
            ),
            "afterstate:first=exact",
        ),
    ),
    (
        "ppo, dqn, and afterstate were trained on 8x8/14 alone; afterstate-any-size alone was trained on 10x10/20, and "
        "no agent on 12x20/45.",
        "any-size was trained on games whose first click opens an area, afterstate and afterstate-any-size on both "
        "kinds of games.",
        "first=exact begins with the cell of exact, and so meets the same boards as exact.",
        "parts: breadth=1 clicks the safest cell and ignores counts and worth; symmetries=false averages no views; "
        "clues=false takes the safety as the network gives it; onward=false leaves out the safety of the next click; "
        "safety=exact takes risks from the oracle.",
    ),
)

_LOGIC = Suite(
    "logic",
    "Boards that logic wins without a guess: what each policy overlooks",
    (
        Group(
            "logic",
            (*_boards("8x8/14", no_guess="subset"), *_boards("8x8/14 16x16/40 16x30/99", no_guess="exact")),
            _EVERY,
            "exact",
        ),
    ),
    (
        "Perfect play wins every game; docs/how-to/no-guess.md explains the boards. A loss is a guess where a safe "
        "cell was certain, or a wrong deduction.",
        "No agent was trained on such boards.",
        _ONE_FIT,
    ),
)

_SOURCES = Suite(
    "sources",
    "The programs of the sources and their rivals, on the boards of the sources",
    (
        Group(
            "bayes",
            _boards("5x5/5 5x5/6 5x5/7 8x8/13 8x8/14 8x8/15 8x8/25 10x10/20 10x10/22 10x10/23 10x10/24 10x10/25"),
            (
                Entry("bayes_source", start="baselines.scripted.bayes_source:source_start"),
                *_entries("subset", "bayes", "bayes:prior=count"),
                Entry("bayes:inference=pgmpy", cap=10, batch_size=1),
                Entry("exact"),
            ),
        ),
        Group(
            "agents",
            _boards(" ".join(f"9x9/{mines}" for mines in range(1, 11)), "any"),
            _entries("random", "marginal", "graphical_source", "conditional", "graphical", "semi_deterministic"),
        ),
        Group(
            "expected-value",
            _boards("16x16/40", "any"),
            _entries(
                "subset:deduction=source",
                "expected_value_source:deduction=source",
                "subset",
                "expected_value_source",
                "expected_value",
            ),
            "all",
            scored=True,
        ),
    ),
    (
        "bayes: Antolín & de la Torre (2018); agents: Antimatroid (2012); expected-value: Sun, Chen & Yang.",
        "flags on the mines: games whose flags were at some moment, or with the next flags, exactly the mines, "
        "which Antolín & de la Torre count as won.",
        _ONE_FIT,
        "deduction=source: the deduction of Sun, Chen & Yang's program, which misses some of what follows.",
        "first-click losses: games that the first click lost; survived: win rate of the other games.",
        "score: cells opened, doubled on a win, over all games; score if lost: over the lost games, those that the "
        "first click lost apart.",
    ),
)

_BENCHMARK = Suite(
    "benchmark",
    f"Benchmark {PROTOCOL.version}",
    (Group("benchmark", PROTOCOL.boards, _EVERY, PROTOCOL.reference),),
    ("docs/benchmark.md states the protocol; `python -m baselines benchmark` makes and checks result files.",),
    PROTOCOL,
)

_BELIEVERS = _entries(
    *("marginal", "plain-ppo", "plain-dqn", "expected_value", "bayes", "bayes:prior=count"),
    *("afterstate:safety=clues,breadth=1", "afterstate:clues=false,breadth=1"),
    *("ppo", "dqn", "any-size", "afterstate-any-size", "afterstate", "exact"),
)

_BELIEFS = Suite(
    "beliefs",
    "The policies' own mine probabilities on frozen positions, in bits from the exact ones",
    tuple(
        Group(name, _boards(board), _BELIEVERS, "exact", measures_beliefs=True)
        for name, board in (("small", "8x8/14"), ("expert", "16x30/99"))
    ),
    (
        "docs/how-to/diagnostics.md defines the figures; exact, to which the tests compare, has no beliefs of its own.",
        "afterstate: safety=clues,breadth=1 is the fit to the clues without a network; clues=false,breadth=1 is the "
        "network without the fit.",
        _ONE_FIT,
    ),
)

_WITHOUT_LUCK = PROTOCOLS["2026.3"]

_NO_LUCK = Suite(
    "no-luck",
    "Benchmark 2026.3: games without luck, where every loss misses a safe cell or opens a certain mine",
    (Group("no-luck", _WITHOUT_LUCK.boards, _EVERY, _WITHOUT_LUCK.reference),),
    ("exact wins every game; docs/how-to/no-luck.md explains the games.", _ONE_FIT),
    _WITHOUT_LUCK,
)

SUITES = {suite.name: suite for suite in (_LADDER, _LEARNED, _LOGIC, _SOURCES, _BENCHMARK, _NO_LUCK, _BELIEFS)}
