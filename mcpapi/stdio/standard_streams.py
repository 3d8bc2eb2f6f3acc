"""Standard input and output, reserved for the protocol."""

from __future__ import annotations

import os
from io import BufferedReader, FileIO
from typing import BinaryIO

STDIN, STDOUT, STDERR = 0, 1, 2


def take_standard_streams() -> tuple[BinaryIO, FileIO]:
    """Return this process's input and, unbuffered, its output. Call it once.

    Afterwards all other code (Python, C or a child process) reads the end of input and prints to standard error, since
    a client takes every byte of the output for a message.
    """
    stdin = BufferedReader(FileIO(os.dup(STDIN)))
    stdout = FileIO(os.dup(STDOUT), "wb")
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, STDIN)
    os.close(nothing)
    os.dup2(STDERR, STDOUT)
    return stdin, stdout
