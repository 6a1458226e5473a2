"""Simulations, scenarios, comparisons and sweeps."""
from __future__ import annotations

import inspect
import json
import os
import tempfile
import webbrowser
from typing import Any, Dict, Iterator, List, Mapping, Optional, Sequence, Tuple, Union

import numpy as np

from . import _torsor, facts
from ._torsor import Recording, Robot
from .progress import ProgressOption, Shown
from .results import Array, FigureStatistics

ScenarioLike = Union[str, "os.PathLike[str]", Mapping[str, Any]]


def _robot(robot: Any) -> Robot:
    return robot if isinstance(robot, Robot) else Robot(robot)


def simulate(robot: Any, law: Any, reference: Any = None, *, duration: float = 1.0,
             q0: Any = None, qd0: Any = None, start: float = 0.0, period: float = 0.0,
             delay: float = 0.0, integrator: Optional[str] = None, step: float = 1e-3,
             record_every: float = 0.01, plant: Any = None, friction: bool = True,
             stops: Any = None, surfaces: Any = None, disturbance: Any = None,
             torque_limit: Any = None, model_limits: bool = False, rate_limit: Any = None,
             encoder_step: Any = None, velocity_by_difference: bool = False,
             position_noise: float = 0.0, velocity_noise: float = 0.0, seed: int = 1,
             measure_acceleration: bool = False, certificate: bool = True, breaks: Any = None,
             tolerance: Optional[float] = None, progress: ProgressOption = None) -> Recording:
    """Runs a law on a robot and returns the Recording.

    law         of torsor.control, or an object with torque(input) (torsor.ControlLaw)
    q0, qd0     where the run starts; neutral and at rest where they are not given, wherever the reference begins
    reference   a configuration to hold, a Trajectory, or a function of time that returns q, (q, qd, qdd)
                or a dict of q, qd, qdd, pose, x, xd, xdd, f_on_environment
    plant       the true robot, where it is another one than the law believes in
    period      s, of sampled control; 0: continuous. delay: s, from measuring to acting
    integrator  taylor, semi_implicit_euler, rk4, dormand_prince5 or dormand_prince8; step: s, of those with a
                fixed one; tolerance: of the others
    record_every  s, between rows of the recording; breaks: times that a step ends at
    friction    whether the plant has its own; stops: (stiffness, damping) at the joints' limits
    surfaces    dicts of what a point of the robot may touch: docs/simulation.md
    disturbance function (t, q, qd) -> torques that the law does not know of
    torque_limit, rate_limit  of the motors: one number or one for each; model_limits: the robot's own efforts
    encoder_step, position_noise, velocity_noise, seed, velocity_by_difference, measure_acceleration  of sensors
    certificate whether conditions of the law's proof are looked at before the run
    progress    True, False, a function of the share that is done, or None: where somebody looks

    Ctrl-C raises torsor.Interrupted with the recording so far in `result`.

    >>> robot = torsor.Robot("pointmass2r")
    >>> law = torsor.control.ComputedTorque(robot, Kp=100, Kd=20)
    >>> run = torsor.simulate(robot, law, [0.5, -0.5], duration=2, qd0=[0, 0])
    >>> bool(abs(run["e"][-1]).max() < 1e-6)
    True
    """
    given = dict(locals())
    robot = _robot(robot)
    what = facts.of_simulation(robot, law, reference, _worth_telling(given))
    with Shown(progress, "simulate") as told:
        return _torsor._simulate(
            robot, law, reference, duration, q0, qd0, start, period, delay, integrator, step,
            record_every, None if plant is None else _robot(plant), friction, stops, surfaces,
            disturbance, torque_limit, model_limits, rate_limit, encoder_step,
            velocity_by_difference, position_noise, velocity_noise, seed, measure_acceleration,
            certificate, breaks, tolerance, told, what)


def _worth_telling(given: Dict[str, Any]) -> Dict[str, Any]:
    """Of the arguments of simulate: duration and period, and what is not as it is without being said."""
    told = {}
    for name, parameter in inspect.signature(simulate).parameters.items():
        value, default = given[name], parameter.default
        usual = value is default or (np.isscalar(value) and value == default)
        noisy = name == "seed" and (given["position_noise"] or given["velocity_noise"])
        if name in ("duration", "period") or noisy or (
                not usual and name not in ("robot", "law", "reference", "progress")):
            told[name] = value
    return told


def _plain(value: Any) -> Any:
    """Arrays and scalars of NumPy as JSON can say them."""
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, np.ndarray):
        return value.tolist()
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    if isinstance(value, Robot):
        if value.source:
            return value.source
        raise _torsor.Error(f"scenario: {value!r} was made in Python; a scenario names a robot or a file "
                            "(robot.save)")
    if value is None or isinstance(value, (str, bool, int, float)):
        return value
    raise _torsor.Error(f"scenario: {value!r} is of the type {type(value).__name__}, expected text, "
                        "numbers, lists or dicts")


def _text_of(scenario: ScenarioLike) -> Tuple[str, str, str]:
    """(name, text, file): JSON is YAML, so that a dict is a scenario file."""
    if isinstance(scenario, Mapping):
        law = scenario.get("controller")
        name = scenario.get("scenario") or (law.get("law") if isinstance(law, Mapping) else None)
        return (str(name or "scenario"), json.dumps(_plain(scenario), indent=1),
                os.path.join(os.getcwd(), "<dict>"))
    if not isinstance(scenario, (str, os.PathLike)):
        raise _torsor.Error(f"a scenario is {scenario!r}, expected a file, its text or a dict")
    text = os.fspath(scenario)
    if "\n" in text:
        return "scenario", text, os.path.join(os.getcwd(), "<text>")
    try:
        with open(text, encoding="utf-8") as file:
            return os.path.splitext(os.path.basename(text))[0], file.read(), text
    except OSError as error:
        raise _torsor.Error(f"{text or 'the scenario'}: {error.strerror}") from None
    except ValueError:  # no UTF-8, or a name that no file has
        raise _torsor.Error(f"{text!r}: the file is no text in UTF-8") from None


def _file_of(scenario: ScenarioLike) -> Optional[str]:
    """Its path; None of a dict and of a text."""
    if not isinstance(scenario, (str, os.PathLike)):
        return None
    text = os.fspath(scenario)
    return None if "\n" in text else text


def run_scenario(scenario: ScenarioLike, *, progress: ProgressOption = None) -> Recording:
    """Runs a scenario: a file, its text, or the same as a dict. docs/scenarios.md has every key.

    >>> run = torsor.run_scenario({
    ...     "robot": "pointmass2r",
    ...     "controller": {"law": "computed_torque", "gains": {"Kp": 100, "Kd": 20}},
    ...     "reference": {"hold": [0.3, 0.2]}, "run": {"duration": 0.5}})
    >>> run.controller
    'computed_torque'
    """
    _, text, file = _text_of(scenario)
    what = facts.of_scenario(text, file, "simulate", [_file_of(scenario)])
    with Shown(progress, "scenario") as told:
        return _torsor._run_scenario(text, file, what, told)


def new_scenario(law: str, robot: Any) -> str:
    """A scenario to begin with, for any law and robot: commented YAML that runs.

    >>> torsor.run_scenario(torsor.new_scenario("pd_gravity", "pointmass2r")).stop
    'finished'
    """
    made = _robot(robot)
    return _torsor._new_scenario(law, made, made.source or made.name)


class Comparison(Mapping[str, Recording]):
    """Recordings of several laws in one experiment, by name.

    Recordings of one's own are compared by torsor.Comparison([("mine", run), ("other", other)]).

    >>> run = torsor.run_scenario(torsor.new_scenario("pd_gravity", "pointmass2r"))
    >>> torsor.Comparison([("mine", run), ("again", run)])["mine"].stop
    'finished'
    """

    def __init__(self, runs: List[Tuple[str, Recording]], notes: Optional[List[str]] = None) -> None:
        self._runs: Dict[str, Recording] = {}
        for name, recording in runs:
            unique, k = name, 2
            while unique in self._runs:
                unique, k = f"{name} ({k})", k + 1
            self._runs[unique] = recording
        self.notes = list(notes or [])

    def __getitem__(self, name: str) -> Recording:
        return self._runs[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._runs)

    def __len__(self) -> int:
        return len(self._runs)

    def __repr__(self) -> str:
        return f"<torsor.Comparison of {', '.join(self._runs)}>"

    def summary(self) -> Dict[str, Dict[str, float]]:
        """{name: {figure: value}}.

        >>> hold = {"robot": "pointmass2r", "reference": {"hold": [0.3, 0.2]}, "run": {"duration": 0.2}}
        >>> laws = [{"law": law, "gains": {"Kp": 100, "Kd": 20}} for law in ("pd_gravity", "computed_torque")]
        >>> runs = torsor.compare([dict(hold, controller=law) for law in laws])
        >>> runs.summary()["computed_torque"]["diverged"]
        0.0
        """
        return {name: run.summary() for name, run in self._runs.items()}

    def to_pandas(self) -> Any:
        """The figures as a DataFrame, a row for each run.

        >>> hold = {"robot": "pointmass2r", "reference": {"hold": [0.3, 0.2]}, "run": {"duration": 0.2}}
        >>> laws = [{"law": law, "gains": {"Kp": 100, "Kd": 20}} for law in ("pd_gravity", "computed_torque")]
        >>> runs = torsor.compare([dict(hold, controller=law) for law in laws])
        >>> list(runs.to_pandas().index)
        ['pd_gravity', 'computed_torque']
        """
        import pandas

        return pandas.DataFrame.from_dict(self.summary(), orient="index")

    def page(self) -> str:
        """One HTML page about all runs: the robots move on it.

        >>> hold = {"robot": "pointmass2r", "reference": {"hold": [0.3, 0.2]}, "run": {"duration": 0.2}}
        >>> laws = [{"law": law, "gains": {"Kp": 100, "Kd": 20}} for law in ("pd_gravity", "computed_torque")]
        >>> runs = torsor.compare([dict(hold, controller=law) for law in laws])
        >>> runs.page().startswith("<!")
        True
        """
        runs = list(self._runs.items())
        robot = runs[0][1].robot if runs else ""
        text = "".join(f"{note}. " for note in self.notes)
        return _torsor._page(runs, f"Laws compared on {robot}", text,
                             facts.of_several([(name, run.facts) for name, run in runs]))

    def show(self) -> str:
        """Opens the page in a browser; returns the path of the file.

        >>> run = torsor.run_scenario(torsor.new_scenario("pd_gravity", "pointmass2r"))
        >>> torsor.Comparison([("mine", run)]).show().endswith(".html")
        True
        """
        return show_page(self.page())

    def plot(self, joints: Optional[Sequence[str]] = None) -> Any:
        """The panels of the page with all runs over each other (matplotlib).

        >>> hold = {"robot": "pointmass2r", "reference": {"hold": [0.3, 0.2]}, "run": {"duration": 0.2}}
        >>> laws = [{"law": law, "gains": {"Kp": 100, "Kd": 20}} for law in ("pd_gravity", "computed_torque")]
        >>> runs = torsor.compare([dict(hold, controller=law) for law in laws])
        >>> runs.plot().axes[0].get_title()
        'Errors'
        """
        from .plots import plot_runs

        return plot_runs(list(self._runs.items()), joints)

    def _repr_html_(self) -> str:
        from .html import comparison_table

        return comparison_table(self)


def compare(scenarios: Sequence[ScenarioLike], *, progress: ProgressOption = None) -> Comparison:
    """The laws of several scenarios in the experiment of the first one.

    >>> hold = {"robot": "pointmass2r", "reference": {"hold": [0.3, 0.2]}, "run": {"duration": 0.2}}
    >>> laws = [{"law": law, "gains": {"Kp": 100, "Kd": 20}} for law in ("pd_gravity", "computed_torque")]
    >>> runs = torsor.compare([dict(hold, controller=law) for law in laws])
    >>> list(runs)
    ['pd_gravity', 'computed_torque']
    """
    if isinstance(scenarios, (str, os.PathLike, Mapping)):
        raise _torsor.Error("compare takes a list of scenarios, this is one")
    files = [_file_of(scenario) for scenario in scenarios]
    texts = [(name, text, file, facts.of_scenario(text, file, "compare", files))
             for name, text, file in map(_text_of, scenarios)]
    with Shown(progress, "compare") as told:
        try:
            return Comparison(*_torsor._compare(texts, told))
        except KeyboardInterrupt as stopped:
            if getattr(stopped, "result", None) is not None:
                stopped.result = Comparison(*stopped.result)  # type: ignore[attr-defined]
            raise


class Sweep:
    """Many draws of one scenario: values drawn and figures of the runs, a row for each.

    stops: why each run ended, or why its draw is impossible.

    >>> plan = {"robot": "pointmass2r", "reference": {"hold": [0.3, 0.2]}, "run": {"duration": 0.1},
    ...         "controller": {"law": "pd_gravity", "gains": {"Kp": 100, "Kd": 20}},
    ...         "sweep": {"uncertainties": {"parameter_factor": [0.9, 1.1]}}}
    >>> s = torsor.sweep(plan, samples=4)
    >>> s.stops, bool(np.all((s["parameter_factor"] > 0.9) & (s["parameter_factor"] < 1.1)))
    (['finished', 'finished', 'finished', 'finished'], True)
    """

    def __init__(self, scenario: Tuple[str, str], what: facts.Facts, samples: List[int],
                 value_names: List[str], values: Array, figure_names: List[str], figures: Array,
                 stops: List[str], statistics: List[FigureStatistics], planned: int,
                 seed: int) -> None:
        self.samples, self.stops, self.statistics = samples, stops, statistics
        self.value_names, self.values = value_names, values
        self.figure_names, self.figures = figure_names, figures
        self.planned, self.seed, self.facts = planned, seed, what
        self._scenario = scenario

    def __len__(self) -> int:
        return len(self.samples)

    def __repr__(self) -> str:
        return f"<torsor.Sweep of {len(self)} runs>"

    def __getitem__(self, name: str) -> Array:
        """A column: a value that was drawn, or a figure."""
        if name in self.value_names:
            return self.values[:, self.value_names.index(name)]
        if name in self.figure_names:
            return self.figures[:, self.figure_names.index(name)]
        raise KeyError(f"the sweep has no {name!r}; it has "
                       + ", ".join(self.value_names + self.figure_names))

    def to_pandas(self) -> Any:
        """A DataFrame, a row for each run.

        >>> plan = {"robot": "pointmass2r", "reference": {"hold": [0.3, 0.2]}, "run": {"duration": 0.1},
        ...         "controller": {"law": "pd_gravity", "gains": {"Kp": 100, "Kd": 20}},
        ...         "sweep": {"uncertainties": {"parameter_factor": [0.9, 1.1]}}}
        >>> list(torsor.sweep(plan, samples=2).to_pandas()["stop"])
        ['finished', 'finished']
        """
        import pandas

        table = pandas.DataFrame(np.hstack([self.values, self.figures]),
                                 columns=self.value_names + self.figure_names,
                                 index=pandas.Index(self.samples, name="sample"))
        table["stop"] = self.stops
        return table

    def page(self, *, progress: ProgressOption = None) -> str:
        """One HTML page: distributions, bands over time, what drives which figure, the worst cases.

        Worst cases and some samples are run again for it.

        >>> plan = {"robot": "pointmass2r", "reference": {"hold": [0.3, 0.2]}, "run": {"duration": 0.1},
        ...         "controller": {"law": "pd_gravity", "gains": {"Kp": 100, "Kd": 20}},
        ...         "sweep": {"uncertainties": {"parameter_factor": [0.9, 1.1]}}}
        >>> torsor.sweep(plan, samples=2).page().startswith("<!")
        True
        """
        told = [("samples", str(self.planned)), ("seed of all draws", str(self.seed))]
        with Shown(progress, "page") as shown:
            return _torsor._sweep_page(*self._scenario, self.planned, self.seed, self.samples,
                                       self.figures, self.stops,
                                       self.facts[:-3] + told + self.facts[-3:], shown)

    def show(self, *, progress: ProgressOption = None) -> str:
        """Opens the page in a browser; returns the path of the file.

        >>> plan = {"robot": "pointmass2r", "reference": {"hold": [0.3, 0.2]}, "run": {"duration": 0.1},
        ...         "controller": {"law": "pd_gravity", "gains": {"Kp": 100, "Kd": 20}},
        ...         "sweep": {"uncertainties": {"parameter_factor": [0.9, 1.1]}}}
        >>> torsor.sweep(plan, samples=2).show().endswith(".html")
        True
        """
        return show_page(self.page(progress=progress))

    def _repr_html_(self) -> str:
        from .html import sweep_table

        return sweep_table(self)


def sweep(scenario: ScenarioLike, *, samples: Optional[int] = None, seed: Optional[int] = None,
          threads: int = 0, progress: ProgressOption = None) -> Sweep:
    """A scenario with a sweep block under many draws of what is not known of it.

    >>> s = torsor.sweep({
    ...     "robot": "pointmass2r",
    ...     "controller": {"law": "pd_gravity", "gains": {"Kp": 100, "Kd": 20}},
    ...     "reference": {"hold": [0.3, 0.2]}, "run": {"duration": 0.1},
    ...     "sweep": {"uncertainties": {"parameter_factor": [0.9, 1.1]}}}, samples=3)
    >>> len(s), s["parameter_factor"].shape
    (3, (3,))
    """
    _, text, file = _text_of(scenario)
    what = facts.of_scenario(text, file, "sweep", [_file_of(scenario)])
    with Shown(progress, "sweep") as told:
        try:
            return Sweep((text, file), what,
                         *_torsor._sweep(text, file, samples, seed, threads, told))
        except KeyboardInterrupt as stopped:
            done = getattr(stopped, "result", None)
            if done is not None:
                setattr(stopped, "result", Sweep((text, file), what, *done))
            raise


def show_page(page: str) -> str:
    """Writes a page to a temporary file and opens it in a browser; returns the path."""
    handle, path = tempfile.mkstemp(prefix="torsor-", suffix=".html")
    with os.fdopen(handle, "w", encoding="utf-8") as file:
        file.write(page)
    webbrowser.open("file://" + path)
    return path
