"""From measured motions to the numbers of a robot."""
from __future__ import annotations

import json
import os
import tempfile
from typing import Any, Dict, List, Optional, Sequence, Union

from . import _torsor
from ._torsor import Excitation, Identification, Log, Robot
from .progress import ProgressOption, Shown
from .simulation import _robot, show_page


def log(robot: Any, data: Any = None, *, t: Any = None, q: Any = None, tau: Any = None,
        qd: Any = None, q_ref: Any = None, columns: Any = None, name: str = "log",
        reference: bool = False) -> Log:
    """A measured motion from arrays, a dict of them, a pandas DataFrame, a Recording or a file.

    Arrays have a row for each sample; t are stamps, or one number: the period. A DataFrame or a CSV file
    has columns t, q.<joint>, qd.<joint>, tau.<joint>, or others that `columns` explains: a file, or a dict
    of docs/logs.md. What is wrong with rows is repaired, and told in `repairs`. With `reference` columns
    q_ref.<joint>, which the robot was asked to follow, are read where there are some.

    >>> robot = torsor.Robot("pointmass2r")
    >>> times = np.arange(200) * 0.01
    >>> q = np.column_stack([np.sin(times), np.cos(times)])
    >>> len(torsor.log(robot, t=times, q=q, tau=0 * q))
    200
    """
    robot = _robot(robot)
    if isinstance(data, Log):
        return data
    if isinstance(data, (str, os.PathLike)):
        path = os.fspath(data)
        if isinstance(columns, dict):
            return _torsor._log_of_file(robot, path, None, json.dumps(columns), reference)
        return _torsor._log_of_file(robot, path, columns and os.fspath(columns), None, reference)
    if hasattr(data, "to_csv"):  # pandas: stamps may be the index
        frame = data.reset_index() if data.index.name else data
        if columns is not None and not isinstance(columns, dict):
            raise _torsor.Error("columns of a DataFrame are a dict")
        if columns and not {"motor", "controller"}.isdisjoint(columns):  # more than its numbers
            with tempfile.TemporaryDirectory() as folder:
                path = os.path.join(folder, name + ".csv")
                frame.to_csv(path, index=False, float_format="%.17g")
                return _torsor._log_of_file(robot, path, None, json.dumps(columns), reference)
        text = frame.to_csv(index=False, float_format="%.17g")
        return _torsor._log_of_text(robot, text, name, json.dumps(columns) if columns else None,
                                    reference)
    if data is not None:
        try:
            t, q, tau = data["t"], data["q"], data["tau"]
        except (KeyError, IndexError, TypeError):
            raise _torsor.Error(f"a log is of the type {type(data).__name__}, expected arrays t, q and tau "
                                "in a dict, a DataFrame, a Recording or a file") from None
        qd = data["qd"] if "qd" in data else None
        q_ref = data["q_ref"] if "q_ref" in data else None
    if t is None:
        raise _torsor.Error("t is missing: stamps in s, or the period")
    return _torsor._log_of_arrays(robot, t, q, tau, qd, q_ref, name)


def _logs(robot: Robot, logs: Any, columns: Any, reference: bool) -> List[Log]:
    if logs is None:
        return []
    if isinstance(logs, (list, tuple)):
        return [log(robot, item, columns=columns, name=f"log {k + 1}", reference=reference)
                for k, item in enumerate(logs)]
    return [log(robot, logs, columns=columns, reference=reference)]


def identify(robot: Any, logs: Any = None, *, validation: Any = None, t: Any = None, q: Any = None,
             tau: Any = None, qd: Any = None, q_ref: Any = None, columns: Any = None,
             estimator: str = "automatic", unknowns: Union[str, Sequence[str], None] = None,
             cutoff: Optional[float] = None, low_pass: bool = True, split: float = 1.0,
             bootstrap: int = 200, seed: int = 1, threads: int = 0,
             sign_width: Optional[float] = None, find_delay: bool = True, periodic: bool = False,
             choice: Optional[Dict[str, bool]] = None, filter: Optional[str] = None,
             motion_period: Optional[float] = None, decimate: Optional[int] = None,
             least_speed: Optional[float] = None, use_velocities: bool = True,
             block: Optional[float] = None, payloads: Optional[Dict[str, Any]] = None,
             payload_only: bool = False, mass: Any = None,
             link_masses: Optional[Dict[str, Any]] = None,
             link_ellipsoids: Optional[Dict[str, Any]] = None, gamma: Optional[float] = None,
             progress: ProgressOption = None) -> Identification:
    """The numbers of a robot from logs: one or a list of what torsor.log takes, or t, q, tau themselves.

    estimator   automatic, ordinary, weighted, total, robust, consistent, joint_by_joint, power,
                instrumental, didim or output_error (docs/identification.md)
    unknowns    names, instead of `choice`: {"inertial": True, "stiction": True, ...}
    validation  logs that are not fitted; split: the share of each log that is
    cutoff      Hz, of the low-pass; proposed from the data where it is not given
    filter      butterworth, savitzky_golay, fourier (periods of motion_period s are averaged) or none
    decimate, least_speed, use_velocities  which samples and columns make rows; block: s, of the bootstrap
    sign_width  rad/s, of the smooth sign of Coulomb friction, for all joints
    payloads    {frame: kg or None, or (kg or None, [numbers of logs])}; payload_only: the robot is known
    mass        kg of all bodies, or (kg, sigma); link_masses: {link: (least, largest)};
                link_ellipsoids: {link: (centre, half_axes)}; gamma: weight of the robot's own numbers

    Ctrl-C within the bootstrap raises torsor.Interrupted: `result` is the estimate with the intervals of the
    draws by then.

    >>> robot = torsor.Robot("pointmass2r")
    >>> t, w = np.arange(2000) * 0.005, np.array([2.0, 3.0])
    >>> q, qd = np.sin(np.outer(t, w)), w * np.cos(np.outer(t, w))
    >>> tau = robot.inverse_dynamics(q, qd, -w * w * q)
    >>> found = torsor.identify(robot, t=t, q=q, tau=tau, bootstrap=0)
    >>> next(round(p.value, 3) for p in found.parameters if p.name == "link_2.mx")
    0.8
    """
    robot = _robot(robot)
    if logs is None:
        logs = [log(robot, t=t, q=q, tau=tau, qd=qd, q_ref=q_ref)]
    simulated = estimator in ("instrumental", "didim")
    options = dict(filter=filter, motion_period=motion_period, decimate=decimate,
                   least_speed=least_speed, use_velocities=use_velocities, block=block,
                   payloads=payloads, payload_only=payload_only, mass=mass, link_masses=link_masses,
                   link_ellipsoids=link_ellipsoids, gamma=gamma, force_width=sign_width is not None)
    with Shown(progress, "identify") as told:
        return _torsor._identify(
            robot, _logs(robot, logs, columns, simulated),
            _logs(robot, validation, columns, simulated), estimator, unknowns, cutoff, split,
            bootstrap, seed, threads, sign_width, find_delay, periodic, choice, low_pass, options, told)


def design_excitation(robot: Any, *, period: float = 10.0, harmonics: int = 5,
                      trajectories: int = 1, criterion: str = "condition",
                      motion: str = "fourier", points: int = 12, start: Any = None,
                      floor: Optional[float] = None, starts: int = 6, iterations: int = 0,
                      seed: int = 1, threads: int = 0, seconds: Optional[float] = None,
                      position_limit: Optional[float] = None,
                      velocity_limit: Optional[float] = None,
                      progress: ProgressOption = None) -> Excitation:
    """Motions from which the parameters of a robot can be told apart, within its limits.

    position_limit, velocity_limit: for all joints, beside the robot's own. Ctrl-C raises
    torsor.Interrupted with the best motion so far in `result`.

    >>> found = torsor.design_excitation("pointmass2r", period=4, starts=1, iterations=3,
    ...                                  position_limit=1, velocity_limit=2)
    >>> found.keeps_limits
    True
    """
    with Shown(progress, "excitation") as told:
        return _torsor._excite(_robot(robot), period, harmonics, trajectories, criterion, motion,
                               points, start, floor, starts, iterations, seed, threads, seconds,
                               position_limit, velocity_limit, told)


def identification_to_pandas(found: Identification) -> Any:
    """The parameters as a DataFrame, by name.

    >>> robot = torsor.Robot("pointmass2r")
    >>> t, w = np.arange(2000) * 0.005, np.array([2.0, 3.0])
    >>> q, qd = np.sin(np.outer(t, w)), w * np.cos(np.outer(t, w))
    >>> tau = robot.inverse_dynamics(q, qd, -w * w * q)
    >>> found = torsor.identify(robot, t=t, q=q, tau=tau, bootstrap=0)
    >>> float(found.to_pandas().loc["link_2.mx", "value"].round(3))
    0.8
    """
    import pandas

    return pandas.DataFrame([p._asdict() for p in found.parameters]).set_index("name")


def identification_show(found: Identification) -> str:
    """Opens the page in a browser; returns the path of the file.

    >>> robot = torsor.Robot("pointmass2r")
    >>> t, w = np.arange(2000) * 0.005, np.array([2.0, 3.0])
    >>> q, qd = np.sin(np.outer(t, w)), w * np.cos(np.outer(t, w))
    >>> tau = robot.inverse_dynamics(q, qd, -w * w * q)
    >>> found = torsor.identify(robot, t=t, q=q, tau=tau, bootstrap=0)
    >>> found.show().endswith(".html")
    True
    """
    return show_page(found.page())

