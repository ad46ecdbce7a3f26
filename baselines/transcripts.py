"""Transcripts of chats: a file per game with a line per answer, which a resumed evaluation reads again."""

import json
import re
from collections.abc import Sequence
from contextlib import ExitStack
from datetime import UTC, datetime
from pathlib import Path
from secrets import token_hex
from typing import Annotated, Any

import msgspec

from baselines.files import hold_folder, replace_file
from baselines.policy import PolicyError
from baselines.schemas import Seconds
from minesweeper_env.console import say

MARKER = ".unfinished"
"""The ending of a marker file, which holds the name of the folder of an unfinished evaluation."""

Tokens = Annotated[int, msgspec.Meta(ge=0, le=1 << 53)]

_LOCKS: dict[Path, ExitStack] = {}
"""The locks of this process's evaluations, by folder; the end of the process releases them."""


class Answer(msgspec.Struct, omit_defaults=True):
    """One line of a transcript: what the model was shown, and its answer.

    `reasoning` is the thinking that the server sent apart from the reply. The numbers of tokens are 0 if the server did
    not count them; `tokens` includes the thinking. `seconds` includes all retries. `cut`: a limit of tokens cut it.
    """

    observation: str
    reply: str
    reasoning: str = ""
    prompt_tokens: Tokens = 0
    tokens: Tokens = 0
    seconds: Seconds = 0.0
    cut: bool = False


class Transcripts:
    """The transcripts of a model on a board, in `folder`. Each evaluation has a folder of its own within.

    Until an evaluation ends, a marker file holds the name of its folder. If the evaluation is interrupted and started
    again, it reads the answers there. Its end removes the marker; afterwards only `replay` reads these answers, because
    another model may answer at the same address. Worker processes receive the folder's name by pickling.
    """

    def __init__(self, folder: Path, settings: dict[str, Any], replay: bool) -> None:
        """Writes nothing. With `replay`, answers of the newest earlier evaluation are read, too."""
        self.folder, self._settings, self._replay = folder, settings, replay
        self._run, self._earlier_folder = "", folder  # `_run` is the name of the current evaluation's folder

    def begin(self, evaluation: str) -> None:
        """Resumes the evaluation of this name if it did not end; otherwise creates a folder for it.

        Raises BlockingIOError if another process plays this evaluation, and PolicyError if the marker is damaged.
        """
        self.folder.mkdir(parents=True, exist_ok=True)
        self._marker = self.folder / f"{evaluation}{MARKER}"
        self._run = self._marker.read_text(encoding="utf-8", errors="replace") if self._marker.is_file() else ""
        if self._run:
            if not re.fullmatch(re.escape(evaluation) + r"-\d{8}-\d{6}-[0-9a-f]{4}", self._run):
                raise PolicyError(f"{self._marker} is damaged: delete it, and all answers are asked for anew")
            say(f"resuming the answers in {self.folder / self._run}; delete {self._marker} to ask for all of them anew")
        else:
            self._run = f"{evaluation}-{datetime.now(UTC):%Y%m%d-%H%M%S}-{token_hex(2)}"
            replace_file(self._marker, self._run.encode())
        self._release()
        folder = self.folder / self._run
        folder.mkdir(exist_ok=True)
        _LOCKS[folder] = lock = ExitStack()
        lock.enter_context(hold_folder(folder))
        if self._replay:
            earlier = [path for path in self.folder.iterdir() if path.is_dir() and path.name != self._run]
            # Games that were played outside of evaluations lie in `self.folder` itself.
            self._earlier_folder = max(earlier, key=lambda path: path.stat().st_mtime, default=self.folder)
            say(f"reading the answers in {self._earlier_folder}")

    def end(self) -> None:
        """Ends the evaluation, which cannot be resumed afterwards."""
        if self._run:
            self._marker.unlink(missing_ok=True)
        self._release()
        self._run = ""

    def _release(self) -> None:
        """Releases the lock of the current evaluation, if this process holds it."""
        if lock := _LOCKS.pop(self.folder / self._run, None):
            lock.close()

    def read(self, seed: int) -> list[Answer]:
        """Returns the answers of a game in this evaluation, or with `replay` in the earlier one; [] if neither has it.

        Raises PolicyError if a file is no transcript, or has other settings.
        """
        folders = [self.folder / self._run] if self._run else []
        folders += [self._earlier_folder] if self._replay else []
        paths = (folder / f"{seed}.jsonl" for folder in folders)
        for path in filter(Path.exists, paths):
            try:
                settings, *lines = path.read_bytes().splitlines()
                if json.loads(settings) != self._settings:
                    raise ValueError("its first line has other settings")
                return [msgspec.json.decode(line, type=Answer) for line in lines]
            except (ValueError, RecursionError) as error:
                raise PolicyError(f"{path} is no transcript of this model ({error}): delete or move it") from None
        return []

    def write(self, seed: int, answers: Sequence[Answer]) -> None:
        """Writes a line with the settings, and below it the answers of a game so far."""
        path = self.folder / self._run / f"{seed}.jsonl"
        path.parent.mkdir(parents=True, exist_ok=True)
        lines = [json.dumps(self._settings).encode(), *map(msgspec.json.encode, answers)]
        replace_file(path, b"\n".join(lines) + b"\n")
