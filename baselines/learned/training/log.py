"""Log of a training: progress.csv and TensorBoard files in the run folder, and trackers that the user names."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from stable_baselines3.common.logger import KVWriter, Logger, make_output_format

from baselines.learned.training.evaluation import References, Score
from baselines.support.board_names import file_name


class Log:
    """The logger of one session; use it as a context manager.

    Args:
        folder: the run folder; each session that resumes a training writes a CSV file of its own.
        trackers: further writers of the rows, which the log closes.

    Attributes:
        logger: what learners record to.
    """

    def __init__(self, folder: Path, trackers: Sequence[KVWriter] = ()) -> None:
        """Opens the files."""
        earlier = len(list(folder.glob("progress*.csv")))
        suffix = f"-{earlier + 1}" if earlier else ""
        formats = [
            make_output_format("csv", str(folder), suffix),
            make_output_format("tensorboard", f"{folder}/tensorboard"),
            *trackers,
        ]
        self.logger = Logger(str(folder), formats)

    def record(self, score: Score, references: References, minutes: float, seconds: float, prefix: str = "") -> None:
        """Records an evaluation; the learner then writes the row.

        Args:
            score: of the agent.
            references: win rates of the scripted policies on each board.
            minutes: time of training so far, over all sessions.
            seconds: time that the evaluation took.
            prefix: what comes before the names of the boards or opponents.
        """
        record = self.logger.record
        record("time/minutes", minutes)
        record("eval/win_rate", score.win_rate)
        record("eval/seconds", seconds)
        for board, rate in score.win_rates.items():
            name = prefix + file_name(board)
            record(f"eval/{name}", rate)
            for policy, reference in references.get(board, {}).items():
                record(f"eval/{name}/{policy}", reference)

    def __enter__(self) -> Log:
        """Returns the log."""
        return self

    def __exit__(self, *_: object) -> None:
        """Closes the files."""
        self.logger.close()
