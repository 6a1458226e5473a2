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
import keyword
import re
import textwrap
from typing import Any, Callable, Dict, List, Tuple

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
    made = "".join(word.capitalize() for word in name.split("_"))
    return made + "_" if keyword.iskeyword(made) else made  # None_


# What an example needs beside the gains that the registry asks for.
_examples: Dict[str, Tuple[str, Dict[str, Any]]] = {
    "adaptive_hybrid_position_force": ("planar3r", {}),
    "joint_limit_avoidance": ("puma560", {"Kp": 100, "Kd": 20}),
    "momentum_observer": ("puma560", {"Kp": 100, "Kd": 20}),
    "resolved_acceleration": ("puma560", {"frame": "tool"}),
}


def _example(entry: LawEntry) -> List[str]:
    """The law made with the examples of the registry, on a robot that it fits."""
    gains = {gain.name: gain.value for gain in entry.gains if gain.required}
    if entry.name.startswith("multi_arm"):
        return []  # they need a robot that is nowhere built in: examples/scenarios has some
    robot, more = _examples.get(entry.name, ("puma560", {}))
    gains.update(more)

    def written(value: Any) -> str:
        try:
            float(value)
        except ValueError:
            return repr(value)
        return str(value)

    call = "".join(f", {name}={written(value)}" for name, value in gains.items())
    return ["", f'>>> robot = torsor.Robot("{robot}")',
            f">>> torsor.control.{_class_name(entry.name)}(robot{call})",
            f'<torsor law {entry.name} of "{robot}">']


def _doc(entry: LawEntry) -> str:
    word = entry.claim.split()[0]
    symbol = not word.isalpha() or (len(word) == 1 and word != "a")
    claim = entry.claim if symbol else entry.claim[0].upper() + entry.claim[1:]
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
    return "\n".join(lines + _example(entry))


def _always(gain: Gain) -> bool:
    """Whether the law cannot do without it, whatever else is given."""
    return gain.required and not re.search(r"(not|may be missing) with \w+", gain.meaning)


def _maker(entry: LawEntry) -> Callable[..., Any]:
    def law(robot: Any, **gains: Any) -> Any:
        return make(entry.name, robot, **gains)

    gains = {gain.name: gain for gain in entry.gains}  # a law within a law may say the same twice
    by_name = inspect.Parameter.KEYWORD_ONLY
    parameters = [inspect.Parameter("robot", inspect.Parameter.POSITIONAL_OR_KEYWORD)]
    parameters += [inspect.Parameter(name, by_name,
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
        """In recordings and reports: the name of the class."""
        return type(self).__name__

    def torque(self, input: Any) -> Any:
        """The torque of one instant: n_v numbers.

        >>> class Spring(torsor.ControlLaw):
        ...     def torque(self, input):
        ...         return -10.0 * input.q
        >>> run = torsor.simulate("pendulum", Spring(), q0=[0.5], duration=0.1)
        >>> float(run["tau"][0, 0])
        -5.0
        """
        raise NotImplementedError(f"{type(self).__name__} has no torque(input)")

    def state_derivative(self, input: Any) -> Any:
        """Rates of x_c.

        >>> class Clock(torsor.ControlLaw):
        ...     n_states = 1
        ...     def torque(self, input):
        ...         return [0.0]
        ...     def state_derivative(self, input):
        ...         return [1.0]
        >>> run = torsor.simulate("pendulum", Clock(), duration=0.5)
        >>> float(run["x_c"][-1, 0].round(9))
        0.5
        """
        raise NotImplementedError(f"{type(self).__name__} has states and no state_derivative(input)")

    def initial_state(self) -> Any:
        """x_c as a run starts; None: zeros.

        >>> torsor.ControlLaw().initial_state() is None
        True
        """
        return None
