"""What verbs return where it is more than one array: named tuples.

A field is an array for one state; of many states it has N in front. Where the C++ library says `lambda`
(a word of Python), the field is called `multipliers`.
"""
from __future__ import annotations

from typing import Any, Dict, List, NamedTuple, Optional

import numpy as np

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
    """Of assemble; true where the loops are closed."""

    q: Array
    closed: bool
    residual: float
    iterations: int
    rank: int
    message: str

    def __bool__(self) -> bool:
        return self.closed


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
    regular: Any
    pivot_ratio: Any


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
    defined: List[bool]
    regular: bool


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


class Condition(NamedTuple):
    """One inequality of a law's proof. verdict: holds, violated or not covered."""

    name: str
    quantity: str
    value: float
    relation: str
    bound: float
    verdict: str
    note: str


class Prediction(NamedTuple):
    """What theory says about a run beside what happened."""

    name: str
    value: float
    observed: float
    kept: bool
    covered: bool


class OutcomeRow(NamedTuple):
    """What a run came to. verdict: good, bad or told."""

    name: str
    verdict: str
    value: float
    bound: float
    text: str


class Gain(NamedTuple):
    """What a law takes. value: an example where it is required, else the default."""

    name: str
    kind: str
    required: bool
    value: str
    unit: str
    meaning: str


class LawEntry(NamedTuple):
    """A law of the registry."""

    name: str
    chapter: str
    claim: str
    gains: List[Gain]
    reference: str
    source: str
    example: str


class PoseMotion(NamedTuple):
    """A pose, its body twist and the rate of that."""

    T: Array
    V: Array
    Vdot: Array


class ControlInput(NamedTuple):
    """One instant as a law sees it. None: not measured, not asked for."""

    t: float
    q: Array
    qd: Array
    q_d: Array
    qd_d: Array
    qdd_d: Array
    x_c: Array
    qdd: Optional[Array]
    x: Optional[Array]
    xd: Optional[Array]
    xdd: Optional[Array]
    f_on_environment: Optional[Array]
    pose: Optional[PoseMotion]


class ScenarioKey(NamedTuple):
    """A key of a scenario."""

    section: str
    key: str
    kind: str
    unit: str
    fallback: str
    meaning: str


class FigureStatistics(NamedTuple):
    """Of one figure over the runs of a sweep."""

    name: str
    unit: str
    count: int
    q05: float
    median: float
    q95: float
    worst: float
    worst_sample: int


class BaseParameters(NamedTuple):
    """values = regrouping @ parameters; kept[k] stands for formulas[k]."""

    kept: List[str]
    formulas: List[str]
    values: Array
    regrouping: Array
    names: List[str]
    roles: List[str]


class Repair(NamedTuple):
    """What was wrong with rows of a log, and what was done about it."""

    log: str
    first_row: int
    last_row: int
    what: str


class IdentifiedParameter(NamedTuple):
    """One number that was estimated, with its 95 % interval."""

    name: str
    formula: str
    unit: str
    value: float
    sigma: float
    low: float
    high: float
    classical_sigma: float
    before: float
    determined: bool


class Residual(NamedTuple):
    """100 |tau - model| / |tau|, of all and joint by joint."""

    all: float
    joints: Array


class WriteBack(NamedTuple):
    """An estimate as a robot."""

    robot: Any
    consistent: bool
    notes: List[str]


class TorqueSeries(NamedTuple):
    """Torques along a log, and the half width of the predicted interval."""

    log: str
    t: Array
    measured: Array
    predicted: Array
    half_width: Array
    validation: bool


class PoseResiduals(NamedTuple):
    """m and rad."""

    poses: int
    position_rms: float
    position_max: float
    rotation_rms: float
    rotation_max: float


class CalibratedParameter(NamedTuple):
    """`change` is to be added to the model's; held: not told apart from others."""

    name: str
    unit: str
    change: float
    sigma: float
    lower: float
    upper: float
    held: bool


class Calibration(NamedTuple):
    """The robot with its new geometry, and how far it can be trusted."""

    robot: Any
    parameters: List[CalibratedParameter]
    T_measuring_world: Array
    before: PoseResiduals
    after: PoseResiduals
    held_out: PoseResiduals
    rejected: List[int]
    sigma_position: float
    sigma_rotation: float
    condition: float
