"""Frozen protocols of the benchmark: their boards, seeds, tracks and rules. docs/benchmark.md explains them.

A published version never changes, because one table compares all its results. A new one gets new seeds and a new table.
"""

import hashlib
import json
from dataclasses import asdict, dataclass

from baselines.evaluation.seeds import TEST_SEEDS
from minesweeper_env.config import BoardConfig, NoGuess


@dataclass(frozen=True)
class Protocol:
    """Games of an entry of the benchmark, and their comparison.

    Attributes:
        version: name of the protocol.
        sizes: (rows, cols, mines) of each board.
        first_clicks: first-click rules; each board is played under each of them.
        seeds: seeds of the games; game i of every board has the i-th seed. An entry plays the first n.
        least_games: minimum n.
        tracks: tracks by name, and what a policy of the track may use.
        forbidden_seeds: seeds whose games must shape no agent and no choice of a checkpoint.
        reference: policy with which every entry is compared on the same games.
        no_guess: levels of logic that win the boards, False for ordinary boards; each board is played with each.
        luck: whether luck decides forced guesses; False for games without luck.
        asks_for_code: whether the card of a learned entry states its training steps, and where its code or weights are.
    """

    version: str
    sizes: tuple[tuple[int, int, int], ...]
    first_clicks: tuple[str, ...]
    seeds: range
    least_games: int
    tracks: dict[str, str]
    forbidden_seeds: range = TEST_SEEDS
    reference: str = "exact"
    no_guess: tuple[NoGuess, ...] = (False,)
    asks_for_code: bool = False
    luck: bool = True

    @property
    def boards(self) -> tuple[BoardConfig, ...]:
        """The configurations of the games, with clicks as the only moves; a policy may bring moves of its own."""
        return tuple(
            BoardConfig(rows, cols, mines, first_click=rule, moves=("click",), no_guess=level, luck=self.luck)
            for rule in self.first_clicks
            for level in self.no_guess
            for rows, cols, mines in self.sizes
        )

    def seeds_of(self, first: int | None, games: int) -> range:
        """Returns the seeds of the first `games` games; raises ValueError if `first` or `games` breaks the protocol."""
        if first not in (None, self.seeds.start):
            raise ValueError(f"benchmark {self.version} begins with seed {self.seeds.start}, not {first}")
        if not 1 <= games <= len(self.seeds):
            raise ValueError(f"benchmark {self.version} has 1 to {len(self.seeds)} games per board, not {games}")
        return self.seeds[:games]

    def digest(self) -> str:
        """Returns the SHA-256, in hexadecimal digits, of all that fixes the games and the comparison."""
        definition = {
            **asdict(self),
            "environment": "Minesweeper-v0",
            "boards": self.sizes,
            "seeds": [self.seeds.start, self.seeds.stop],
            "forbidden_seeds": [self.forbidden_seeds.start, self.forbidden_seeds.stop],
            "tracks": list(self.tracks),
        }
        del definition["sizes"]
        # Fields that were added later are left out at their defaults: the hashes of earlier protocols stay.
        for name, default in (("no_guess", (False,)), ("asks_for_code", False), ("luck", True)):
            if definition[name] == default:
                del definition[name]
        return hashlib.sha256(json.dumps(definition, sort_keys=True).encode()).hexdigest()


TRACKS = {
    "scripted": "rules or inference written by hand choose the clicks, alone or after a learned network; no oracle",
    "board": "learned from play; the policy sees only the board; training saw only what a player sees",
    "reveal": "learned; the policy sees only the board; training also used the mines that the end of a game reveals",
    "oracle": "calls the exact mine probabilities at play",
    "search": "weighs the boards that can follow a click, with or without the oracle",
    "text": "a language model that reads the board as text; it runs no program of its own",
}
"""Tracks by name. A policy belongs to the last of the tracks whose description fits it."""

INFERENCE = {
    "none": "no inference written by hand: a network, a table or chance alone decides",
    "clues": "inference written by hand that reads the clues, such as rules, or a fit of the risks to the clues",
    "oracle": "the exact mine probabilities",
}
"""Inference at play, by name, the weakest first. It can win more than learning does, so entries are grouped by it."""

INFERENCE_OF_TRACK = {
    "scripted": ("clues", "none"),
    "board": ("none",),
    "reveal": ("none",),
    "oracle": ("oracle",),
    "search": ("oracle", "clues", "none"),
    "text": ("none",),
}
"""The inference that policies of a track may use at play; the first is the default of a card without a statement."""

_PLAIN = {name: text for name, text in TRACKS.items() if name != "text"}

PROTOCOLS = {
    protocol.version: protocol
    for protocol in (
        Protocol(
            version="2026.1",
            sizes=((5, 5, 5), (8, 8, 14), (9, 9, 10), (16, 16, 40), (16, 30, 99)),
            first_clicks=("opening", "safe"),
            seeds=range(202_610_000, 202_620_000),
            least_games=1000,
            tracks=_PLAIN,
        ),
        # Learning from few steps, and from small boards for large ones.
        Protocol(
            version="2026.2",
            sizes=((8, 8, 14), (16, 30, 99)),
            first_clicks=("opening",),
            seeds=range(202_630_000, 202_640_000),
            least_games=1000,
            tracks=_PLAIN,
            no_guess=(False, "exact"),
            asks_for_code=True,
        ),
        # Without luck: the share of boards that a policy solves without passing by a safe cell.
        Protocol(
            version="2026.3",
            sizes=((8, 8, 14), (16, 16, 40), (16, 30, 99), (16, 30, 130)),
            first_clicks=("opening",),
            seeds=range(202_640_000, 202_650_000),
            least_games=1000,
            tracks=_PLAIN,
            luck=False,
        ),
        # For language models, which need seconds for a move.
        Protocol(
            version="text-2026.1",
            sizes=((5, 5, 5), (8, 8, 14), (9, 9, 10)),
            first_clicks=("opening",),
            seeds=range(202_620_000, 202_621_000),
            least_games=100,
            tracks=TRACKS,
            no_guess=("subset", "exact", False),
        ),
    )
}

PROTOCOL = PROTOCOLS["2026.1"]
"""The protocol of a command that names none."""
