"""Pictures with matplotlib: the same panels as the page."""
from __future__ import annotations

from typing import Any, Dict, List, Optional, Sequence, Tuple

from ._torsor import Error, Recording

# The groups of the page, in its order; what else was recorded comes last under its own name.
_groups = {"e": "Errors", "task_e": "Errors of the task", "s": "Filtered errors", "tau": "Torques",
           "lyapunov": "Lyapunov function", "contact": "Contact forces", "q": "Motion", "qd": "Velocities",
           "energy": "Energy", "x_c": "States of the laws", "estimate": "Estimates", "loop": "Forces of loops"}
_within_others = ("t", "q_d", "qd_d", "edot", "qdd")


def _columns(recording: Recording, name: str, joints: Optional[Sequence[str]]) -> List[int]:
    names = recording.columns(name)
    if joints is None or name not in ("e", "s", "tau", "q", "qd"):
        return list(range(len(names)))
    chosen = [k for k, column in enumerate(names) if column.split(".", 1)[-1] in joints]
    if not chosen and name == "e":
        raise Error(f"none of {list(joints)} is a joint of the recording: {names}")
    return chosen


def _titles(runs: Sequence[Tuple[str, Recording]]) -> Dict[str, str]:
    there = {name for _, recording in runs for name in recording.keys()}
    others = [name for _, recording in runs for name in recording.keys()
              if name not in _groups and name not in _within_others]
    return {**{name: title for name, title in _groups.items() if name in there},
            **{name: f"Recorded as {name}" for name in others}}


def _unit(runs: Sequence[Tuple[str, Recording]], name: str) -> str:
    """All units of a series, each once."""
    return ", ".join(dict.fromkeys(unit for _, recording in runs if name in recording
                                   for unit in recording.units(name) if unit))


def _draw(place: Any, recording: Recording, name: str, columns: List[int], colour: Optional[str],
          run: Optional[str]) -> None:
    """One series; `colour` and the name of the run where there are several runs."""
    data, names = recording[name], recording.columns(name)
    if name == "x_c":
        data = data - data[0]  # the change since the start, as on the page
    for k, column in enumerate(columns):
        label = names[column].split(".", 1)[-1] if run is None else run if k == 0 else None
        line, = place.plot(recording.t, data[:, column], linewidth=1, label=label,
                           **({} if colour is None else {"color": colour}))
        if name == "q" and "q_d" in recording and recording["q_d"].shape == data.shape:
            place.plot(recording.t, recording["q_d"][:, column], "--", linewidth=0.7, color=line.get_color())
        if name == "tau" and len(recording.torque_limit) > column:
            for limit in (-recording.torque_limit[column], recording.torque_limit[column]):
                place.axhline(limit, linestyle="--", linewidth=0.7, color=line.get_color())


def plot_runs(runs: Sequence[Tuple[str, Recording]], joints: Optional[Sequence[str]] = None) -> Any:
    """A figure with one panel for each group of the page; dashed: what is desired, and limits."""
    import matplotlib.pyplot as pyplot

    titles = _titles(runs)
    if not titles:
        raise Error("the recording has nothing to plot")
    rows = (len(titles) + 1) // 2
    figure, axes = pyplot.subplots(rows, 2 if len(titles) > 1 else 1, sharex=True, squeeze=False,
                                   figsize=(11, 2.6 * rows + 0.6))
    places = list(axes.flat)
    for place in places[len(titles):]:
        place.set_visible(False)
    for place, (name, title) in zip(places, titles.items()):
        for k, (run, recording) in enumerate(runs):
            if name in recording:
                _draw(place, recording, name, _columns(recording, name, joints),
                      f"C{k}" if len(runs) > 1 else None, run if len(runs) > 1 else None)
        place.set_title(title, fontsize=9)
        place.set_ylabel(_unit(runs, name), fontsize=8)
        place.grid(True, alpha=0.3)
        handles, labels = place.get_legend_handles_labels()
        if 0 < len(labels) <= 12:
            place.legend(fontsize=7)
    for place in axes[-1]:
        place.set_xlabel("t / s")
    figure.tight_layout()
    return figure


def plot_identification(found: Any, log: int = 0) -> Any:
    """Torques measured and of the model with their predicted interval, joint by joint.

    >>> robot = torsor.Robot("pointmass2r")
    >>> t, w = np.arange(2000) * 0.005, np.array([2.0, 3.0])
    >>> q, qd = np.sin(np.outer(t, w)), w * np.cos(np.outer(t, w))
    >>> tau = robot.inverse_dynamics(q, qd, -w * w * q)
    >>> found = torsor.identify(robot, t=t, q=q, tau=tau, bootstrap=0)
    >>> len(found.plot().axes)
    2
    """
    import matplotlib.pyplot as pyplot

    series = found.series[log]
    n = series.measured.shape[1]
    figure, axes = pyplot.subplots(n, 1, sharex=True, squeeze=False, figsize=(10, 1.8 * n + 0.8))
    for k in range(n):
        place = axes[k, 0]
        place.plot(series.t, series.measured[:, k], "k", linewidth=0.7, label="measured")
        place.plot(series.t, series.predicted[:, k], "C0", linewidth=1, label="model")
        if series.half_width.size:
            low = series.predicted[:, k] - series.half_width[:, k]
            high = series.predicted[:, k] + series.half_width[:, k]
            place.fill_between(series.t, low, high, color="C0", alpha=0.2)
        place.grid(True, alpha=0.3)
    axes[0, 0].legend(fontsize=7)
    axes[0, 0].set_title(f"{series.log}: torque, N m", fontsize=9)
    axes[-1, 0].set_xlabel("t / s")
    figure.tight_layout()
    return figure

