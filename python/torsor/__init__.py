"""Robot kinematics, dynamics, identification and control on Lie groups."""
from __future__ import annotations

from . import results
from ._torsor import Error, Frame, Joint, Robot, Trajectory
from ._torsor import check, convert, formats, get_threads, instruction_set, robots, set_threads
from .results import Effects
