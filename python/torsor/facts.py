"""What was run, as pages tell it: rows of (name, value)."""
from __future__ import annotations

import platform
import shlex
import time
from typing import Any, Dict, List, Optional, Sequence, Tuple

import numpy as np

from . import _torsor
from ._torsor import Law, Robot, Trajectory

Facts = List[Tuple[str, str]]


def of_call(command: str) -> Facts:
    """Version, date and the command line that does the same, or what stood for it in Python."""
    from . import __version__

    return [("version", f"torsor {__version__}, Python {platform.python_version()}"),
            ("date", time.strftime("%Y-%m-%d %H:%M UTC", time.gmtime())), ("command", command)]


def _value(value: Any) -> str:
    if isinstance(value, Robot):
        return value.source or value.name
    if callable(value):
        return f"function {getattr(value, '__name__', type(value).__name__)}"
    if isinstance(value, (list, tuple, np.ndarray)):
        return np.array2string(np.asarray(value), separator=", ", threshold=60, max_line_width=10**6)
    return f"{value:.12g}" if isinstance(value, float) else str(value)


def _law(law: Any) -> str:
    if not isinstance(law, Law):
        return f"{getattr(law, 'name', type(law).__name__)}, a law in Python"
    gains = ", ".join(f"{name}: {_value(value)}" for name, value in law.gains.items())
    return f"{law.name}, {gains}" if gains else law.name


def _reference(reference: Any) -> str:
    if reference is None:
        return "none"
    if isinstance(reference, Trajectory):
        return f"Trajectory of {reference.duration:.6g} s"
    return _value(reference) if callable(reference) else f"hold {_value(reference)}"


def of_simulation(robot: Robot, law: Any, reference: Any, options: Dict[str, Any]) -> Facts:
    """Of torsor.simulate; `options`: those that are worth telling."""
    told = ", ".join(f"{name}: {_value(value)}" for name, value in options.items())
    return [*_torsor._robot_facts(robot), ("controller", _law(law)),
            ("reference", _reference(reference)), ("run", told),
            *of_call("none: torsor.simulate in Python")]


def of_scenario(text: str, file: str, verb: str, files: Sequence[Optional[str]]) -> Facts:
    """Of a scenario; `files`: all that the verb was given, None where one came from Python."""
    facts = []
    for name, value in _torsor._scenario_facts(text, file):
        if name == "sweep" and verb != "sweep":
            continue
        if name == "scenario file" and file.endswith(">"):  # <dict>, <text>
            name, value = "scenario", value.replace(file, file[file.rindex("<") + 1:-1] + " in Python")
        facts.append((name, value))
    named = [name for name in files if name is not None]
    if len(named) < len(files):
        return facts + of_call(f"none: torsor.{verb.replace('simulate', 'run_scenario')} in Python")
    words = " ".join(shlex.quote(name) for name in named)
    return facts + of_call(f"torsor {verb} {words} --report page.html")


def of_several(runs: Sequence[Tuple[str, Facts]]) -> Facts:
    """Of runs in one experiment: that of the first, and what differs in the others."""
    first = list(runs[0][1]) if runs else []
    place = next((k for k, (name, _) in enumerate(first) if name == "version"), len(first))
    others = [(f"{name} of {run}", value) for run, facts in runs[1:] for name, value in facts
              if name in ("controller", "scenario", "scenario file", "recording")]
    return first[:place] + others + first[place:]
