"""What is written in Python of torsor.Recording."""
from __future__ import annotations

from typing import Any, Dict, List, Optional, Sequence, Tuple

import numpy as np

from . import _torsor, facts
from ._torsor import Recording
from .results import Array
from .simulation import _robot, show_page


def to_dict(recording: Recording) -> Dict[str, Array]:
    """Every series as an array, rows in time.

    >>> run = torsor.run_scenario(torsor.new_scenario("pd_gravity", "pointmass2r"))
    >>> run.to_dict()["tau"].shape
    (301, 2)
    """
    return {name: recording[name] for name in recording.keys()}


def recording_items(recording: Recording) -> List[Tuple[str, Array]]:
    """(name, array) of every series.

    >>> run = torsor.run_scenario(torsor.new_scenario("pd_gravity", "pointmass2r"))
    >>> [name for name, series in run.items() if series.ndim == 1]
    ['t']
    """
    return list(to_dict(recording).items())


def recording_values(recording: Recording) -> List[Array]:
    """The array of every series.

    >>> run = torsor.run_scenario(torsor.new_scenario("pd_gravity", "pointmass2r"))
    >>> len(run.values()) == len(run.keys())
    True
    """
    return list(to_dict(recording).values())


def recording_get(recording: Recording, name: str, default: Any = None) -> Any:
    """A series, or `default` where the recording has none of that name.

    >>> run = torsor.run_scenario(torsor.new_scenario("pd_gravity", "pointmass2r"))
    >>> run.get("contact", "there was no contact")
    'there was no contact'
    """
    return recording[name] if name in recording else default


def to_pandas(recording: Recording) -> Any:
    """A DataFrame with the time as its index and a column for each number: "q.joint_1", ...

    >>> run = torsor.run_scenario(torsor.new_scenario("pd_gravity", "pointmass2r"))
    >>> float(run.to_pandas()["e.joint_1"].iloc[0].round(9))
    0.3
    """
    import pandas

    columns: List[str] = []
    for name in recording.keys():
        if name != "t":
            columns += recording.columns(name)
    data = np.hstack([recording[name] for name in recording.keys() if name != "t"])
    return pandas.DataFrame(data, columns=columns, index=pandas.Index(recording["t"], name="t"))


def recording_page(recording: Recording, robot: Any = None) -> str:
    """One HTML page about the run: the robot moves on it. robot: of a recording from a file.

    >>> run = torsor.run_scenario(torsor.new_scenario("pd_gravity", "pointmass2r"))
    >>> run.page().startswith("<!")
    True
    """
    name = recording.controller or "run"
    title = f"{name} on {recording.robot}" if recording.robot else name
    what = list(recording.facts)
    if robot is not None:
        robot = _robot(robot)
        what += _torsor._robot_facts(robot)
    if not any(fact == "version" for fact, _ in what):
        what += facts.of_call("none: torsor.load_recording in Python")
    return _torsor._page([(name, recording)], title, "", what, robot)


def recording_show(recording: Recording, robot: Any = None) -> str:
    """Opens the page of the run in a browser; returns the path of the file.

    >>> run = torsor.run_scenario(torsor.new_scenario("pd_gravity", "pointmass2r"))
    >>> run.show().endswith(".html")
    True
    """
    return show_page(recording_page(recording, robot))


def recording_plot(recording: Recording, joints: Optional[Sequence[str]] = None) -> Any:
    """The panels of the page (matplotlib): errors, torques, Lyapunov function, motion, energies, ...

    joints: the names of some; otherwise all.

    >>> run = torsor.run_scenario(torsor.new_scenario("pd_gravity", "pointmass2r"))
    >>> [place.get_title() for place in run.plot(["joint_1"]).axes][:2]
    ['Errors', 'Torques']
    """
    from .plots import plot_runs

    return plot_runs([(recording.controller or "run", recording)], joints)
