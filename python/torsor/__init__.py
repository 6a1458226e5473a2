"""Robot kinematics, dynamics, identification and control on Lie groups.

>>> robot = torsor.Robot("panda")
>>> robot.inverse_dynamics(robot.neutral(), np.zeros(7), np.zeros(7)).shape
(7,)

Vectors are (n,) for one state or (N, n) for many. Twists and wrenches have six numbers, angular first;
poses are 4 x 4. docs/python.md is the guide.
"""
from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Dict

from . import (copies, control, html, identification, plots, progress, recordings, results, simulation,
               view)
from ._torsor import (Error, Excitation, Frame, Identification, Joint, Law, Log, Recording, Robot,
                      Trajectory, base_parameters, calibrate, check, convert, formats, get_threads,
                      instruction_set, load_recording, robots, scenario_keys, set_threads)
from .control import ControlLaw
from .identification import design_excitation, identify, log
from .progress import Interrupted
from .results import Effects
from .simulation import Comparison, Sweep, compare, new_scenario, run_scenario, simulate, sweep
from .view import View

__version__ = "0.2.0"

__all__ = [
    "Comparison", "ControlLaw", "Effects", "Error", "Excitation", "Frame", "Identification",
    "Interrupted", "Joint", "Law", "Log", "Recording", "Robot", "Sweep", "Trajectory", "View",
    "base_parameters", "calibrate", "check", "compare", "control", "convert", "design_excitation",
    "formats", "get_threads", "identify", "instruction_set", "load_recording", "log", "new_scenario",
    "results", "robots", "run_scenario", "scenario_keys", "set_threads", "simulate", "sweep",
]

# What is written in Python of the compiled classes.
_added: Dict[type, Dict[str, Any]] = {
    Robot: {"_repr_html_": html.robot_table, "show": view.show, "__copy__": copies.copy_robot,
            "__deepcopy__": copies.deepcopy_robot, "__signature__": copies.robot_signature},
    Recording: {"_repr_html_": html.recording_table, "to_dict": recordings.to_dict,
                "to_pandas": recordings.to_pandas, "page": recordings.recording_page,
                "items": recordings.recording_items, "values": recordings.recording_values,
                "get": recordings.recording_get, "__copy__": copies.itself,
                "__deepcopy__": copies.itself,
                "show": recordings.recording_show, "plot": recordings.recording_plot},
    Identification: {"_repr_html_": html.identification_table,
                     "to_pandas": identification.identification_to_pandas,
                     "show": identification.identification_show,
                     "plot": plots.plot_identification},
}
for _class, _methods in _added.items():
    for _name, _function in _methods.items():
        setattr(_class, _name, _function)
Mapping.register(Recording)
