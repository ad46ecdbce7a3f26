"""Drawing of boards as text and as pictures. The modules of the package are internal."""

from minesweeper_env.rendering.board import METADATA, check_render_mode, render_board

__all__ = ["METADATA", "check_render_mode", "render_board"]
