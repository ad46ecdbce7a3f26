"""Positions in each render mode."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from azulejos_env.rendering.picture import render_picture
from azulejos_env.rendering.text import render_text
from azulejos_env.rendering.view import View


def render_view(mode: str | None, view: View) -> str | NDArray[np.uint8] | None:
    """Returns a position as text ("ansi"), as a picture ("rgb_array") or, for any other mode, as None."""
    if mode == "ansi":
        return render_text(view)
    return render_picture(view) if mode == "rgb_array" else None
