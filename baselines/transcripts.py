"""Transcripts of chats: a file per game, a line per answer, and which of them an evaluation may read again."""

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
"""The ending of the file that names the folder of an evaluation which has not ended."""

Tokens = Annotated[int, msgspec.Meta(ge=0, le=1 << 53)]

_HELD: dict[Path, ExitStack] = {}
"""The locks of the evaluations of this process, by their folders; its end releases them."""


class Answer(msgspec.Struct, omit_defaults=True):
    """One line of a transcript: what the model was shown, and its answer.

    The thinking is what the server sent apart. The numbers of tokens are 0 if the server did not count them; those of
    the answer include its thinking. The seconds include all retries. A cut answer met a limit of tokens.
    """

    observation: str
    reply: str
    reasoning: str = ""
    prompt_tokens: Tokens = 0
    tokens: Tokens = 0
    seconds: Seconds = 0.0
    cut: bool = False


class Transcripts:
    """The transcripts of a model on a board. Each evaluation has a folder of its own in their folder.

    While an evaluation runs, a marker names its folder, and the same evaluation reads the answers there: so it goes on
    where it was interrupted. Its end removes the marker. Then only `replay` reads these answers, because another model
    may answer at the same address. Worker processes get the name of the folder from the process that began it.
    """

    def __init__(self, folder: Path, settings: dict[str, Any], replay: bool) -> None:
        """Prepares; writes nothing. `replay` reads the answers of the newest evaluation before this one, too."""
        self.folder, self._settings, self._replay = folder, settings, replay
        self._run, self._earlier = "", folder

    def begin(self, evaluation: str) -> None:
        """Resumes the evaluation of this name if it did not end; otherwise begins it with a folder of its own.

        Raises a BlockingIOError if another process plays this evaluation, because both would write the same files, and
        a PolicyError if the marker is damaged.
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
        own = self.folder / self._run
        own.mkdir(exist_ok=True)
        _HELD[own] = lock = ExitStack()
        lock.enter_context(hold_folder(own))
        if self._replay:
            others = [path for path in self.folder.iterdir() if path.is_dir() and path.name != self._run]
            # Games that were played outside of evaluations lie in the folder itself.
            self._earlier = max(others, key=lambda path: path.stat().st_mtime, default=self.folder)
            say(f"reading the answers in {self._earlier}")

    def end(self) -> None:
        """Ends an evaluation: it is not resumed again."""
        if self._run:
            self._marker.unlink(missing_ok=True)
        self._release()
        self._run = ""

    def _release(self) -> None:
        """Releases the lock of an evaluation that this process began, also of one that an exception ended."""
        if lock := _HELD.pop(self.folder / self._run, None):
            lock.close()

    def read(self, seed: int) -> list[Answer]:
        """Returns the answers of a game in this evaluation, or for `replay` in an earlier one; [] if neither has it.

        A PolicyError names a file that is no transcript, or whose settings differ.
        """
        folders = [self.folder / self._run] if self._run else []
        folders += [self._earlier] if self._replay else []
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
        """Writes the answers of a game so far, below a line with the settings."""
        path = self.folder / self._run / f"{seed}.jsonl"
        path.parent.mkdir(parents=True, exist_ok=True)
        lines = [json.dumps(self._settings).encode(), *map(msgspec.json.encode, answers)]
        replace_file(path, b"\n".join(lines) + b"\n")
