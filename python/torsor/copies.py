"""Copies of robots and of what never changes."""
from __future__ import annotations

import copy
import inspect
from typing import Any, Dict, Optional, Tuple

from ._torsor import Robot, Trajectory

robot_signature = inspect.Signature(
    [inspect.Parameter("robot", inspect.Parameter.POSITIONAL_OR_KEYWORD),
     *(inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=None)
       for name in ("arguments", "package_folders"))])


def itself(value: Any, memo: Optional[Dict[int, Any]] = None) -> Any:
    """What never changes is its own copy."""
    return value


def copy_robot(robot: Robot) -> Robot:
    """A Robot of the same class that shares the model."""
    made = type(robot).__new__(type(robot))
    Robot.__init__(made, robot)
    if hasattr(robot, "__dict__"):  # of a subclass
        made.__dict__.update(robot.__dict__)
    return made


def deepcopy_robot(robot: Robot, memo: Dict[int, Any]) -> Robot:
    """The same; what a subclass has beside the model is copied deeply."""
    made = copy_robot(robot)
    memo[id(robot)] = made
    if hasattr(made, "__dict__"):
        made.__dict__.update(copy.deepcopy(robot.__dict__, memo))
    return made


def trajectory_again(robot: Robot, verb: str, arguments: Tuple[Any, ...]) -> Trajectory:
    """The motion that a method of Robot made of these arguments, for pickle."""
    if verb == "joint_path":  # its function may be anything: poses are kept by time
        frame, poses, *others = arguments
        made: Trajectory = robot.joint_path(frame, poses.__getitem__, *others, progress=False).trajectory
        return made
    if verb in ("line_path", "screw_path"):
        made = getattr(robot, verb)(*arguments[:-1], **arguments[-1], progress=False).trajectory
        return made
    made = getattr(robot, verb)(*arguments)
    return made
