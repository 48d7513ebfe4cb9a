"""How the tests talk to a program: one JSON value a line, and one line in answer to each."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable

from contract import Json


def say(value: Json) -> None:
    """Writes one line."""
    sys.stdout.write(json.dumps(value) + "\n")
    sys.stdout.flush()


def answer_lines(answer: Callable[[Json], Json]) -> None:
    """Answers each line of the input. Returns when the other side has closed it, or is gone."""
    for line in sys.stdin:
        say(answer(json.loads(line)))
