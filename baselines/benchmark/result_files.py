"""Result files of the benchmark: one policy on the boards of the protocol, in a canonical form, signed by its content.

| field | content |
|---|---|
| format | version of this form |
| protocol, protocol_sha256 | version of the protocol, and the SHA-256 of its definition |
| card | the entry; see `baselines.benchmark.cards` |
| versions | versions of the packages that played |
| boards | a block per board; see `baselines.benchmark.blocks` |
| sha256 | SHA-256 of all fields above |
| times | the time per game by board, measured apart, or null; outside the content that `sha256` covers |

Two runs of a deterministic policy with the same versions give the same bytes, times apart.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from baselines.benchmark.blocks import Games, sha256_of
from baselines.benchmark.cards import Card
from baselines.evaluation.protocol import PROTOCOL
from baselines.support.files import replace_file

FORMAT = 1


@dataclass(frozen=True)
class ResultFile:
    """Content of a result file.

    Attributes:
        card: the entry.
        versions: versions of the packages that played.
        boards: games of each board, in the order of the protocol.
        times: the time per game by board, or None; see `baselines.benchmark.timing`.
    """

    card: Card
    versions: dict[str, str]
    boards: tuple[Games, ...]
    times: dict[str, Any] | None = None

    def board(self, title: str) -> Games | None:
        """Returns the games of a board such as "8x8/14 opening", or None if the policy did not play there."""
        return next((games for games in self.boards if games.name == title), None)

    def content_sha256(self) -> str:
        """Returns the SHA-256 of the content, which identifies the result."""
        return str(self.to_json()["sha256"])

    def to_json(self) -> dict[str, Any]:
        """Returns the whole file as a JSON object."""
        content = {
            "format": FORMAT,
            "protocol": PROTOCOL.version,
            "protocol_sha256": PROTOCOL.digest(),
            "card": self.card.to_json(),
            "versions": self.versions,
            "boards": [games.to_json() for games in self.boards],
        }
        return content | {"sha256": content_sha256(content), "times": self.times}

    def write(self, path: Path) -> None:
        """Writes the file, and replaces an earlier one.

        Raises:
            OSError: it cannot be written.
        """
        replace_file(path, canonical(self.to_json()))


def canonical(content: Any) -> bytes:
    """Returns the one form of a result file: sorted keys, one space per level, ASCII."""
    return (json.dumps(content, indent=1, sort_keys=True, allow_nan=False) + "\n").encode("ascii")


def content_sha256(content: dict[str, Any]) -> str:
    """Returns the SHA-256 of a result file's content, without its times and the SHA-256 itself."""
    return sha256_of({name: value for name, value in content.items() if name not in ("sha256", "times")})
