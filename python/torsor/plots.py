"""Pictures with matplotlib: the same panels as the page."""
from __future__ import annotations

from typing import Any, List, Optional, Sequence, Tuple

from ._torsor import Error, Recording

_panels = [("e", "error"), ("s", "filtered error"), ("tau", "torque"), ("task_e", "task error"),
           ("lyapunov", "Lyapunov function"), ("energy", "energy"), ("contact", "contact force"),
           ("x_c", "states of the law")]


def _columns(recording: Recording, name: str, joints: Optional[Sequence[str]]) -> List[int]:
    names = recording.columns(name)
    if joints is None or name not in ("e", "s", "tau"):
        return list(range(len(names)))
    chosen = [k for k, column in enumerate(names) if column.split(".", 1)[-1] in joints]
    if not chosen:
        raise Error(f"none of {list(joints)} is a joint of the recording: {names}")
    return chosen


def plot_runs(runs: Sequence[Tuple[str, Recording]], joints: Optional[Sequence[str]] = None) -> Any:
    """A figure with one panel for each kind of series that the runs have; runs share colours."""
    import matplotlib.pyplot as pyplot

    there = [(name, title) for name, title in _panels
             if any(name in recording for _, recording in runs)]
    if not there:
        raise Error("the recording has nothing to plot")
    rows = (len(there) + 1) // 2
    figure, axes = pyplot.subplots(rows, 2 if len(there) > 1 else 1, sharex=True, squeeze=False,
                                   figsize=(11, 2.6 * rows + 0.6))
    places = list(axes.flat)
    for place in places[len(there):]:
        place.set_visible(False)
    for place, (name, title) in zip(places, there):
        for k, (run, recording) in enumerate(runs):
            if name not in recording:
                continue
            data, names = recording[name], recording.columns(name)
            for column in _columns(recording, name, joints):
                label = names[column].split(".", 1)[-1]
                if len(runs) > 1:
                    place.plot(recording.t, data[:, column], color=f"C{k}", linewidth=1,
                               label=run if column == 0 else None)
                else:
                    place.plot(recording.t, data[:, column], linewidth=1, label=label)
        place.set_title(title, fontsize=9)
        place.grid(True, alpha=0.3)
        if len(place.get_lines()) <= 12:
            place.legend(fontsize=7)
    for place in axes[-1]:
        place.set_xlabel("t / s")
    figure.tight_layout()
    return figure


def plot_identification(found: Any, log: int = 0) -> Any:
    """Torques measured and of the model with their predicted interval, joint by joint."""
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

