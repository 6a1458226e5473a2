"""Every control law of the library, made from its registry: torsor.control.SlotineLi(robot, ...).

A law is made from the robot that it believes in and its gains, by keyword: one number for all joints, one
for each, or a matrix. torsor.control.laws() lists them.

>>> robot = torsor.Robot("pointmass2r")
>>> torsor.control.ComputedTorque(robot, Kp=100, Kd=20)
<torsor law computed_torque of "pointmass2r">
"""
from __future__ import annotations

import copy
import inspect
import re
import textwrap
from typing import Any, Callable, Dict, List

from . import _torsor
from .results import Gain, LawEntry

__all__ = ["laws", "make"]

_entries: Dict[str, LawEntry] = {entry.name: entry for entry in _torsor._laws()}


def laws() -> List[LawEntry]:
    """All laws, in alphabetical order: (name, chapter, claim, gains, reference, source, example).

    >>> "slotine_li" in [law.name for law in torsor.control.laws()]
    True
    """
    return list(_entries.values())


def make(name: str, robot: Any, **gains: Any) -> Any:
    """A law by its name in scenarios.

    >>> torsor.control.make("pd_gravity", torsor.Robot("pointmass2r"), Kp=100, Kd=20).name
    'pd_gravity'
    """
    given = {k: copy.copy(v) for k, v in gains.items() if v is not None}  # a law keeps them, to pickle
    return _torsor._make_law(name, robot, given)


def _class_name(name: str) -> str:
    return "".join(word.capitalize() for word in name.split("_"))


def _doc(entry: LawEntry) -> str:
    claim = entry.claim[0].upper() + entry.claim[1:]
    lines = textwrap.wrap(claim.rstrip(".") + ".", 90)
    lines += ["", f"Chapter    {entry.chapter}", f"Reference  {entry.reference}",
              f"Source     {entry.source}"]
    if entry.gains:
        lines += ["", "Gains"]
    for gain in entry.gains:
        unit = f" [{gain.unit}]" if gain.unit else ""
        value = (f"; e.g. {gain.value}" if gain.required else
                 f"; default {gain.value}" if gain.value else "; may be left out")
        lines += textwrap.wrap(f"{gain.name}{unit}: {gain.meaning} ({gain.kind}{value})", 90,
                               initial_indent="  ", subsequent_indent="      ")
    return "\n".join(lines)


def _always(gain: Gain) -> bool:
    """Whether the law cannot do without it, whatever else is given."""
    return gain.required and not re.search(r"(not|may be missing) with \w+", gain.meaning)


def _maker(entry: LawEntry) -> Callable[..., Any]:
    def law(robot: Any, **gains: Any) -> Any:
        return make(entry.name, robot, **gains)

    gains = {gain.name: gain for gain in entry.gains}  # a law within a law may say the same twice
    keyword = inspect.Parameter.KEYWORD_ONLY
    parameters = [inspect.Parameter("robot", inspect.Parameter.POSITIONAL_OR_KEYWORD)]
    parameters += [inspect.Parameter(name, keyword,
                                     default=inspect.Parameter.empty if _always(gain) else None)
                   for name, gain in gains.items() if name.isidentifier()]
    if any(gain.kind == "word" for gain in entry.gains):  # its own gains go to the law inside
        parameters.append(inspect.Parameter("gains", inspect.Parameter.VAR_KEYWORD))
    law.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    law.__name__ = law.__qualname__ = _class_name(entry.name)
    law.__module__ = __name__
    law.__doc__ = _doc(entry)
    return law


for _entry in _entries.values():
    globals()[_class_name(_entry.name)] = _maker(_entry)
    __all__.append(_class_name(_entry.name))


def __dir__() -> List[str]:
    return sorted(__all__)


class ControlLaw:
    """A law of one's own: a subclass with torque(input) runs in torsor.simulate.

    torque(input) returns n_v numbers; input has t, q, qd, q_d, qd_d, qdd_d, x_c and, where there are
    some, qdd, x, xd, xdd, f_on_environment and pose. It depends on input alone: an integrator evaluates
    trial states in any order. What a law remembers are its states x_c: n_states of them, with
    state_derivative(input) and, unless zero, initial_state(). Optional for the report: state_names,
    filtered_error(input), lyapunov(input) -> (V, rate), conditions() -> [(name, value, ">", bound)].

    >>> class Damping(torsor.ControlLaw):
    ...     def torque(self, input):
    ...         return -5.0 * input.qd
    >>> run = torsor.simulate("pendulum", Damping(), duration=0.1)
    >>> run.stop
    'finished'
    """

    n_states: int = 0
    state_names: List[str] = []

    @property
    def name(self) -> str:
        """In recordings and reports."""
        return type(self).__name__

    def torque(self, input: Any) -> Any:
        """The torque of one instant: n_v numbers."""
        raise NotImplementedError(f"{type(self).__name__} has no torque(input)")

    def state_derivative(self, input: Any) -> Any:
        """Rates of x_c."""
        raise NotImplementedError(f"{type(self).__name__} has states and no state_derivative(input)")

    def initial_state(self) -> Any:
        """x_c as a run starts; None: zeros."""
        return None
