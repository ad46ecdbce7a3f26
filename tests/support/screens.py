"""A small terminal in memory, to see what a live display leaves on the screen, and a stream that is a terminal."""

import io
import re

_TOKEN = re.compile(r"\x1b\[([?;\d]*)([A-Za-z])|\r|\n|[^\x1b\r\n]+")


class Stream(io.StringIO):
    """A stream that is a terminal."""

    def isatty(self) -> bool:
        return True


class Screen(Stream):
    """A stream that interprets line feeds, carriage returns, and the sequences that move up, clear and colour."""

    def __init__(self, columns: int = 80) -> None:
        super().__init__()
        self.columns = columns
        self.lines = [""]
        self._row = self._column = 0

    def write(self, text: str) -> int:
        for token in _TOKEN.finditer(text):
            self._take(token)
        return super().write(text)

    def _take(self, token: re.Match[str]) -> None:
        number, command = token.groups()
        if command == "A":
            self._row -= int(number or 1)
        elif command == "J":
            self.lines[self._row] = self.lines[self._row][: self._column]
            del self.lines[self._row + 1 :]
        elif command == "K":
            self.lines[self._row] = "" if number == "2" else self.lines[self._row][: self._column]
        elif command == "m" or number == "?25":
            pass
        elif token.group() == "\r":
            self._column = 0
        elif token.group() == "\n":
            self._row, self._column = self._row + 1, 0
            self.lines += [""] * (self._row + 1 - len(self.lines))
        else:
            assert command is None, f"unknown sequence {token.group()!r}"
            line = self.lines[self._row].ljust(self._column)
            self.lines[self._row] = line[: self._column] + token.group() + line[self._column + len(token.group()) :]
            self._column += len(token.group())
            assert len(self.lines[self._row]) <= self.columns, "a line is too long for the screen"

    @property
    def text(self) -> str:
        return "\n".join(self.lines).rstrip("\n")
