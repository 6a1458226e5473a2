"""What verbs return where it is more than one array: named tuples.

A field is an array for one state; of many states it has N in front. Where the C++ library says `lambda`
(a word of Python), the field is called `multipliers`.
"""
from __future__ import annotations

from typing import TYPE_CHECKING, Any, Dict, List, NamedTuple, Optional

import numpy as np

from .experiment_results import (BaseParameters, CalibratedParameter, Calibration, Condition,
                                 ControlInput, FigureStatistics, Gain, IdentifiedParameter, LawEntry,
                                 OutcomeRow, PoseMotion, PoseResiduals, Prediction, Repair, Residual,
                                 ScenarioKey, TorqueSeries, WriteBack)

__all__ = ["Array", "BaseParameters", "CalibratedParameter", "Calibration", "Condition", "ControlInput",
           "FigureStatistics", "Gain", "IdentifiedParameter", "LawEntry", "OutcomeRow", "PoseMotion",
           "PoseResiduals", "Prediction", "Repair", "Residual", "ScenarioKey", "TorqueSeries",
           "WriteBack"]

if TYPE_CHECKING:
    Array = np.ndarray[Any, np.dtype[Any]]
else:
    Array = np.ndarray


class Effects(NamedTuple):
    """What of the model counts in a call: everything, unless it is left out.

    >>> torsor.Effects(friction=False).rotors
    True
    """

    rotors: bool = True
    friction: bool = True
    springs: bool = True
    disturbance: bool = True
    loops: bool = True


class Limits(NamedTuple):
    """Of the coordinates (lower, upper) and of the velocities; infinite where there is none."""

    lower: Array
    upper: Array
    velocity: Array
    acceleration: Array
    jerk: Array
    effort: Array


class Finding(NamedTuple):
    """Something to say about a robot file. severity: note, warning or error."""

    severity: str
    file: str
    line: int
    element: str
    message: str
    why: str
    fix: str

    def __str__(self) -> str:
        place = f"{self.file}:{self.line}: " if self.file and self.line else ""
        return f"{self.severity}: {place}{self.element + ': ' if self.element else ''}{self.message}"


class Conversion(NamedTuple):
    """A robot file in another format, and what that says differently or not at all."""

    text: str
    notes: List[str]


class Accelerations(NamedTuple):
    """Of forward_dynamics(..., details=True)."""

    qdd: Array
    multipliers: Array
    regular: Any
    pivot_ratio: Any


class Hybrid(NamedTuple):
    """Of hybrid_dynamics."""

    qdd: Array
    tau: Array
    multipliers: Array
    regular: Any
    pivot_ratio: Any


class CentroidalMomentum(NamedTuple):
    """(angular about the centre of mass, linear), its rate, and the centre's motion."""

    momentum: Array
    rate: Array
    com: Array
    com_velocity: Array
    com_acceleration: Array


class AnalyticJacobian(NamedTuple):
    """Rates of Euler angles, then velocity of the origin."""

    J: Array
    angles: Array
    singular: Any


class Rates(NamedTuple):
    """Joint rates for a twist; smallest and largest singular value of the weighted Jacobian."""

    rates: Array
    rank: Any
    residual: Any
    damping: Any
    smallest: Any
    largest: Any


class Manipulability(NamedTuple):
    """Singular values of J, their product, and the half axes of the velocity ellipsoids."""

    measure: Any
    sigma: Array
    inverse_condition: Any
    rank: Any
    determinant: Any
    angular_axes: Array
    angular_radii: Array
    linear_axes: Array
    linear_radii: Array


class Singularities(NamedTuple):
    """Where and how a configuration is singular; arm and wrist are None where they do not part."""

    singular: bool
    rank: int
    generic_rank: int
    smallest: float
    largest: float
    determinant: Optional[float]
    arm_singular: Optional[bool]
    wrist_singular: Optional[bool]
    arm_where: Dict[str, Any]
    wrist_where: Dict[str, Any]
    blocked: Array
    self_motion: Array
    text: str


class NearestSingularity(NamedTuple):
    """A singular configuration near another one."""

    q: Array
    converged: bool
    distance: float
    sigma: float
    iterations: int


class StaticWrench(NamedTuple):
    """The wrench that torques hold at a frame; rank below 6: others need the same torques."""

    F: Array
    rank: Any
    residual: Any


class IkResidual(NamedTuple):
    """Distance of a frame from its target, m and rad."""

    position: float
    orientation: float
    reached: bool


class ActiveLimit(NamedTuple):
    """A coordinate that stands at a bound."""

    coordinate: str
    upper: bool
    value: float


class InverseKinematics(NamedTuple):
    """Of inverse_kinematics. status: reached, unreachable or out_of_budget; true where reached."""

    q: Array
    converged: bool
    status: str
    iterations: int
    restarts: int
    position_residual: float
    orientation_residual: float
    levels: int
    levels_reached: int
    objective: float
    targets: List[IkResidual]
    active_limits: List[ActiveLimit]
    message: str

    def __bool__(self) -> bool:
        return self.converged


class IkSolution(NamedTuple):
    """One branch: "left shoulder, elbow up, wrist flip"."""

    q: Array
    branch: str
    inside_limits: bool
    position_error: float
    rotation_error: float


class AnalyticIk(NamedTuple):
    """Of analytic_ik. status: solved, continuum, reduced or unreachable (then: the distance, m)."""

    status: str
    solutions: List[IkSolution]
    distance: float

    def __bool__(self) -> bool:
        return bool(self.solutions)


class ConstraintRows(NamedTuple):
    """phi(q) = 0, A qd = 0, A qdd + bias = 0."""

    phi: Array
    A: Array
    bias: Array


class ConstraintErrors(NamedTuple):
    """Largest entries of the rows."""

    position: float
    velocity: float
    acceleration: float


class Assembled(NamedTuple):
    """Of assemble; true where the loops are closed: of many guesses, all of them."""

    q: Array
    closed: bool
    residual: float
    iterations: int
    rank: int
    message: str

    def __bool__(self) -> bool:
        return bool(np.all(self.closed))


class Projected(NamedTuple):
    """The nearest rates that the loops allow."""

    rates: Array
    residual: Any


class Mobility(NamedTuple):
    """Degrees of freedom of a closed robot, and what its actuators control."""

    degrees_of_freedom: int
    rows: int
    rank: int
    actuators: int
    controlled: int
    actuation: float
    underactuated: bool
    type_i: bool
    type_ii: bool
    preloads: int


class StateSpace(NamedTuple):
    """tau = M qdd + V + G."""

    M: Array
    V: Array
    G: Array


class ConfigurationSpace(NamedTuple):
    """tau = M qdd + B [qd qd] + C [qd^2] + G."""

    M: Array
    coriolis_B: Array
    centrifugal_C: Array
    G: Array


class Operational(NamedTuple):
    """inertia x'' + mu + p = F of a task; consistent_inverse: M^-1 J^T inertia."""

    inertia: Array
    mu: Array
    p: Array
    jacobian: Array
    consistent_inverse: Array
    rank: Any
    regular: Any
    exact: Any


class CartesianForm(NamedTuple):
    """tau = J^T (M_x x'' + G_x) + B_x [qd qd] + C_x [qd^2]."""

    M_x: Array
    coriolis_B: Array
    centrifugal_C: Array
    G_x: Array
    rank: Any
    regular: Any


class Constrained(NamedTuple):
    """Of constrained forward and hybrid dynamics."""

    qdd: Array
    tau: Array
    multipliers: Array
    rows: Any
    rank: Any
    consistent: Any
    inconsistency: Any
    mass_regular: Any


class ConstrainedTorques(NamedTuple):
    """Of constrained_inverse_dynamics."""

    tau: Array
    multipliers: Array
    solvable: Any
    residual: Any
    preloads: Any
    unique_force: Any
    rank: Any


class VelocityDerivatives(NamedTuple):
    """Of frame_velocity."""

    dV_dq: Array
    dV_dqd: Array


class AccelerationDerivatives(NamedTuple):
    """Of frame_acceleration."""

    dVdot_dq: Array
    dVdot_dqd: Array
    dVdot_dqdd: Array


class InverseDerivatives(NamedTuple):
    """Of inverse_dynamics."""

    tau: Array
    dtau_dq: Array
    dtau_dqd: Array
    dtau_dqdd: Array
    multipliers: Array
    dmultipliers_dq: Array
    dmultipliers_dqd: Array
    dmultipliers_dqdd: Array


class ForwardDerivatives(NamedTuple):
    """Of forward_dynamics."""

    qdd: Array
    dqdd_dq: Array
    dqdd_dqd: Array
    dqdd_dtau: Array
    multipliers: Array
    dmultipliers_dq: Array
    dmultipliers_dqd: Array
    dmultipliers_dtau: Array


class HybridDerivatives(NamedTuple):
    """Of hybrid_dynamics; what is given changes with itself alone."""

    qdd: Array
    tau: Array
    multipliers: Array
    dqdd_dq: Array
    dqdd_dqd: Array
    dqdd_dqdd: Array
    dqdd_dtau: Array
    dtau_dq: Array
    dtau_dqd: Array
    dtau_dqdd: Array
    dtau_dtau: Array
    dmultipliers_dq: Array
    dmultipliers_dqd: Array
    dmultipliers_dqdd: Array
    dmultipliers_dtau: Array
    regular: Any


class ParameterDerivatives(NamedTuple):
    """By named parameters: column k is with respect to names[k]."""

    names: List[str]
    tau: Array
    qdd: Array
    multipliers: Array
    dtau: Array
    dqdd: Array
    dmultipliers: Array
    defined: Array
    regular: Any


class BiasDerivatives(NamedTuple):
    """Of bias_torque."""

    dbias_dq: Array
    dbias_dqd: Array


class EnergyDerivatives(NamedTuple):
    """Of energies, momentum (about the world's origin) and centre of mass."""

    dkinetic_dq: Array
    dkinetic_dqd: Array
    dpotential_dq: Array
    dmomentum_dq: Array
    dmomentum_dqd: Array
    dcom_dq: Array


class EnergyRows(NamedTuple):
    """Energies are these rows times the parameters."""

    kinetic: Array
    potential: Array


class Sample(NamedTuple):
    """A trajectory at one time or many."""

    q: Array
    qd: Array
    qdd: Array


class JointPath(NamedTuple):
    """A frame's motion in the joints; true where every pose was reached."""

    trajectory: Any
    complete: bool
    solved_until: float
    largest_step: float

    def __bool__(self) -> bool:
        return self.complete


__all__ += [name for name, value in list(globals().items())
            if isinstance(value, type) and value.__module__ == __name__]
