"""Named tuples of laws, simulations, identification and calibration (torsor.results has them all)."""
from __future__ import annotations

from typing import TYPE_CHECKING, Any, List, NamedTuple, Optional

import numpy as np

if TYPE_CHECKING:
    Array = np.ndarray[Any, np.dtype[Any]]
else:
    Array = np.ndarray


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
    runs: int
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
    """`change` is to be added to the model's; held: not told apart from others.

    bootstrap_sigma: over resamples of the poses, where calibrate drew some; else 0.
    """

    name: str
    unit: str
    change: float
    sigma: float
    lower: float
    upper: float
    held: bool
    bootstrap_sigma: float


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
