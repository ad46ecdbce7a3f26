"""Minesweeper as text, for language models: the board in words, the moves of replies, and the exact risk of clicks.

`TextGame` plays a game of `MinesweeperEnv`; no rule is added. docs/how-to/language-models.md shows its use.
"""

from minesweeper_env.text.boards import STYLES, board_rules, board_text, rules_text
from minesweeper_env.text.game import SPLITS, Judgement, TextGame, judge_clicks, shortened, split_of
from minesweeper_env.text.replies import Reply, parse_reply, tool_call
from minesweeper_env.text.rewards import REWARDS

__all__ = [
    "REWARDS",
    "SPLITS",
    "STYLES",
    "Judgement",
    "Reply",
    "TextGame",
    "board_rules",
    "board_text",
    "judge_clicks",
    "parse_reply",
    "rules_text",
    "shortened",
    "split_of",
    "tool_call",
]
