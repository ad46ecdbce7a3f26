"""Texts of the watching screen: titles, figures and the score, in the language of the player."""

from __future__ import annotations

from collections.abc import Sequence

from minesweeper_play.language.catalogue import Catalogue
from minesweeper_play.terminal.playing.figures import Figure
from minesweeper_play.terminal.watching.player import Choice, Player
from minesweeper_play.terminal.watching.ratings import Ratings


def title_of(player: Player, choice: Choice | None, rated: bool, catalogue: Catalogue) -> str:
    """Returns the line above a board: the policy, how its game stands, and what the ratings are."""
    parts = [player.name, catalogue.text(f"watching_{player.status}", count=player.moves)]
    if rated and choice is not None and choice.ratings is not None:
        parts.append(_ratings_of(choice, choice.ratings, catalogue))
    return "   ".join(parts)


def _ratings_of(choice: Choice, ratings: Ratings, catalogue: Catalogue) -> str:
    """Returns what the numbers on the cells are; with the policy's own number of its click and the oracle's beside."""
    text = catalogue.text(f"ratings_{ratings.source}")
    if ratings.oracle is None or ratings.oracle.source == "none":
        return text
    own, oracle = (catalogue.per_cent(float(each.risks[choice.cell])) for each in (ratings, ratings.oracle))
    key = "ratings_beside_preference" if ratings.source == "preference" else "ratings_beside"
    kind = catalogue.text(f"risk_{ratings.oracle.source}")
    return f"{catalogue.text(key, own=own, oracle=oracle, kind=kind)}   {text}"


def figures_of(players: Sequence[Player], seed: int, speed: float, paused: bool, catalogue: Catalogue) -> list[Figure]:
    """Returns the figures above the boards, the most important first."""
    text, config = catalogue.text, players[0].config
    shown = catalogue.number(speed, 0 if speed >= 1 else 2)
    return [
        (text("figure_speed"), text("watching_paused") if paused else text("watching_speed", speed=shown)),
        (text("figure_board"), f"{config.rows}\u00d7{config.cols}, {config.mines}"),
        (text("figure_seed"), str(seed)),
    ]


def score_of(players: Sequence[Player], catalogue: Catalogue) -> str:
    """Returns the score over all finished games."""
    scores = [player.score for player in players]
    if not all(score.games for score in scores):
        return catalogue.text("score_none")
    return "   ".join(
        catalogue.text(
            "score",
            name=player.name,
            wins=score.wins,
            games=score.games,
            rate=catalogue.per_cent(score.wins / score.games),
        )
        for player, score in zip(players, scores, strict=True)
    )
