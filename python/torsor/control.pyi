"""Types of torsor.control. tests/python/test_names.py holds it to the registry of laws."""
from typing import Any, List, Optional, Sequence, Union

from numpy.typing import ArrayLike

from ._torsor import Law, Robot
from .results import LawEntry

Gain = Union[float, ArrayLike]


def laws() -> List[LawEntry]: ...
def make(name: str, robot: Robot, **gains: Any) -> Law: ...

def AdaptiveComputedTorque(robot: Robot, *, Kp: Gain, Kd: Gain, Q: Optional[Gain] = None,
                           inertia_floor: Optional[float] = None,
                           floor_rate: Optional[float] = None, adaptation: Optional[Gain] = None,
                           parameters: Optional[Union[str, Sequence[str]]] = None,
                           p0: Optional[ArrayLike] = None,
                           natural_adaptation: Optional[float] = None,
                           lower: Optional[ArrayLike] = None, upper: Optional[ArrayLike] = None,
                           margin: Optional[ArrayLike] = None) -> Law: ...
def AdaptiveHybridPositionForce(robot: Robot, *, frame: str, point: Optional[ArrayLike] = None,
                                axes: Optional[str] = None, angles: Optional[str] = None,
                                sequence: Optional[str] = None,
                                origin_rpy: Optional[ArrayLike] = None,
                                constraint: Optional[str] = None,
                                origin: Optional[ArrayLike] = None,
                                normal: Optional[ArrayLike] = None,
                                tangent: Optional[ArrayLike] = None,
                                radius: Optional[float] = None, inward: Optional[str] = None,
                                angle_length: Optional[float] = None,
                                natural: Optional[Union[str, Sequence[str]]] = None,
                                artificial: Optional[Union[str, Sequence[str]]] = None,
                                axes_rpy: Optional[ArrayLike] = None,
                                position_error: Optional[str] = None,
                                start: Optional[ArrayLike] = None, Lambda: Gain, Ks: Gain,
                                KF: Optional[Gain] = None, adaptation: Optional[Gain] = None,
                                parameters: Optional[Union[str, Sequence[str]]] = None,
                                p0: Optional[ArrayLike] = None,
                                natural_adaptation: Optional[float] = None,
                                lower: Optional[ArrayLike] = None,
                                upper: Optional[ArrayLike] = None,
                                margin: Optional[ArrayLike] = None, **gains: Any) -> Law: ...
def Admittance(robot: Robot, *, frame: str, point: Optional[ArrayLike] = None,
               axes: Optional[str] = None, angles: Optional[str] = None,
               sequence: Optional[str] = None, origin_rpy: Optional[ArrayLike] = None, Md: Gain,
               Bd: Gain, Kd: Gain, Kp: Gain, Kv: Gain, **gains: Any) -> Law: ...
def ComputedTorque(robot: Robot, *, Kp: Gain, Kd: Gain, Ki: Optional[Gain] = None) -> Law: ...
def Feedforward(robot: Robot, *, Kp: Gain, Kd: Gain, Ki: Optional[Gain] = None) -> Law: ...
def GravityFloat(robot: Robot, *, Kd: Gain, friction: Optional[float] = None,
                 width: Optional[float] = None) -> Law: ...
def HybridPositionForce(robot: Robot, *, frame: str, point: Optional[ArrayLike] = None,
                        axes: Optional[str] = None, angles: Optional[str] = None,
                        sequence: Optional[str] = None, origin_rpy: Optional[ArrayLike] = None,
                        constraint: Optional[str] = None, origin: Optional[ArrayLike] = None,
                        normal: Optional[ArrayLike] = None, tangent: Optional[ArrayLike] = None,
                        radius: Optional[float] = None, inward: Optional[str] = None,
                        angle_length: Optional[float] = None,
                        natural: Optional[Union[str, Sequence[str]]] = None,
                        artificial: Optional[Union[str, Sequence[str]]] = None,
                        axes_rpy: Optional[ArrayLike] = None, position_error: Optional[str] = None,
                        start: Optional[ArrayLike] = None, Kp: Gain, Kd: Gain,
                        KF: Optional[Gain] = None, **gains: Any) -> Law: ...
def Impedance(robot: Robot, *, frame: str, point: Optional[ArrayLike] = None,
              axes: Optional[str] = None, angles: Optional[str] = None,
              sequence: Optional[str] = None, origin_rpy: Optional[ArrayLike] = None, Md: Gain,
              Bd: Gain, Kd: Gain, mode: Optional[str] = None, **gains: Any) -> Law: ...
def IndependentPd(robot: Robot, *, Kp: Gain, Kd: Gain) -> Law: ...
def IndependentPid(robot: Robot, *, Kp: Gain, Ki: Gain, Kd: Gain) -> Law: ...
def JointLimitAvoidance(robot: Robot, *, inside: Optional[str] = None, limit_stiffness: ArrayLike,
                        limit_margin: ArrayLike, limit_nearest: Optional[float] = None, **gains: Any) -> Law: ...
def MomentumObserver(robot: Robot, *, watched: Optional[str] = None, observer: ArrayLike,
                     threshold: Optional[ArrayLike] = None, **gains: Any) -> Law: ...
def MultiArmAdaptive(robot: Robot, *, object: str, fractions: Optional[ArrayLike] = None,
                     null_damping: Optional[float] = None, W: Optional[ArrayLike] = None,
                     internal: Optional[ArrayLike] = None, contact: Optional[ArrayLike] = None,
                     position_error: Optional[str] = None, start: Optional[ArrayLike] = None,
                     point: Optional[ArrayLike] = None, axes: Optional[str] = None,
                     angles: Optional[str] = None, sequence: Optional[str] = None,
                     origin_rpy: Optional[ArrayLike] = None, constraint: Optional[str] = None,
                     origin: Optional[ArrayLike] = None, normal: Optional[ArrayLike] = None,
                     tangent: Optional[ArrayLike] = None, radius: Optional[float] = None,
                     inward: Optional[str] = None, angle_length: Optional[float] = None,
                     Lambda: Gain, Ks: Gain, KF: Optional[Gain] = None,
                     adaptation: Optional[Gain] = None,
                     parameters: Optional[Union[str, Sequence[str]]] = None,
                     p0: Optional[ArrayLike] = None, natural_adaptation: Optional[float] = None,
                     lower: Optional[ArrayLike] = None, upper: Optional[ArrayLike] = None,
                     margin: Optional[ArrayLike] = None, **gains: Any) -> Law: ...
def MultiArmHybrid(robot: Robot, *, object: str, fractions: Optional[ArrayLike] = None,
                   null_damping: Optional[float] = None, W: Optional[ArrayLike] = None,
                   internal: Optional[ArrayLike] = None, contact: Optional[ArrayLike] = None,
                   position_error: Optional[str] = None, start: Optional[ArrayLike] = None,
                   point: Optional[ArrayLike] = None, axes: Optional[str] = None,
                   angles: Optional[str] = None, sequence: Optional[str] = None,
                   origin_rpy: Optional[ArrayLike] = None, constraint: Optional[str] = None,
                   origin: Optional[ArrayLike] = None, normal: Optional[ArrayLike] = None,
                   tangent: Optional[ArrayLike] = None, radius: Optional[float] = None,
                   inward: Optional[str] = None, angle_length: Optional[float] = None, Kp: Gain,
                   Kd: Gain, KF: Optional[Gain] = None, **gains: Any) -> Law: ...
def MultiArmImpedance(robot: Robot, *, object: str, fractions: Optional[ArrayLike] = None,
                      null_damping: Optional[float] = None, W: Optional[ArrayLike] = None,
                      internal: Optional[ArrayLike] = None, contact: Optional[ArrayLike] = None,
                      position_error: Optional[str] = None, start: Optional[ArrayLike] = None,
                      point: Optional[ArrayLike] = None, axes: Optional[str] = None,
                      angles: Optional[str] = None, sequence: Optional[str] = None,
                      origin_rpy: Optional[ArrayLike] = None, Md: Gain, Bd: Gain, Kd: Gain,
                      mode: Optional[str] = None, **gains: Any) -> Law: ...
def None_(robot: Robot) -> Law: ...
def NonlinearDecoupling(robot: Robot, *, Lambda0: Optional[ArrayLike] = None,
                        Lambda1: Optional[ArrayLike] = None, poles: Optional[ArrayLike] = None,
                        imaginary: Optional[ArrayLike] = None) -> Law: ...
def OperationalSpace(robot: Robot, *, frame: str, point: Optional[ArrayLike] = None,
                     axes: Optional[str] = None, angles: Optional[str] = None,
                     sequence: Optional[str] = None, origin_rpy: Optional[ArrayLike] = None,
                     Kp: Gain, Kd: Gain, posture: Optional[ArrayLike] = None,
                     kp_null: Optional[float] = None, kd_null: Optional[float] = None,
                     damping: Optional[float] = None, **gains: Any) -> Law: ...
def OptimalComputedTorque(robot: Robot, *, Q: Gain, R0: Gain, horizon: Optional[float] = None,
                          P: Optional[Gain] = None) -> Law: ...
def PassivityTracking(robot: Robot, *, Lambda: Gain, Kd: Gain) -> Law: ...
def PdFixedGravity(robot: Robot, *, Kp: Gain, Kd: Gain, Ki: Optional[Gain] = None) -> Law: ...
def PdGravity(robot: Robot, *, Kp: Gain, Kd: Gain, Ki: Optional[Gain] = None) -> Law: ...
def PointLqr(robot: Robot, *, point: ArrayLike, Q: Gain, R: Gain) -> Law: ...
def ResolvedAcceleration(robot: Robot, *, frame: Optional[str] = None, kp: float, kd: float,
                         axes: Optional[str] = None, orientation: Optional[str] = None, **gains: Any) -> Law: ...
def RobustComputedTorque(robot: Robot, *, Kp: Gain, Kd: Gain, Q: Gain, epsilon: float,
                         alpha: Optional[float] = None, alpha_2: Optional[float] = None,
                         K_norm: Optional[float] = None, qdd_max: Optional[float] = None,
                         qd_max: Optional[float] = None, start: Optional[float] = None,
                         constant_inertia: Optional[float] = None,
                         parameters: Optional[Union[str, Sequence[str]]] = None,
                         half_width: ArrayLike, half_width_share: Optional[ArrayLike] = None) -> Law: ...
def SlidingComputedTorque(robot: Robot, *, Lambda: Gain, reaching: Optional[str] = None,
                          eta: ArrayLike, k: Optional[ArrayLike] = None,
                          exponent: Optional[ArrayLike] = None, d_bar: Optional[ArrayLike] = None,
                          parameters: Optional[Union[str, Sequence[str]]] = None,
                          half_width: ArrayLike, half_width_share: Optional[ArrayLike] = None,
                          layer: Optional[ArrayLike] = None, **gains: Any) -> Law: ...
def SlidingPassivity(robot: Robot, *, Lambda: Gain, Kd: Optional[Gain] = None,
                     eta: Optional[ArrayLike] = None, layer: Optional[ArrayLike] = None,
                     parameters: Optional[Union[str, Sequence[str]]] = None, half_width: ArrayLike,
                     half_width_share: Optional[ArrayLike] = None) -> Law: ...
def SlidingRegressorBound(robot: Robot, *, Lambda: Gain, Kd: Optional[Gain] = None,
                          eta: Optional[ArrayLike] = None, layer: Optional[ArrayLike] = None,
                          parameters: Optional[Union[str, Sequence[str]]] = None, p_bar: ArrayLike,
                          p_bar_share: Optional[ArrayLike] = None) -> Law: ...
def SlotineLi(robot: Robot, *, Lambda: Gain, Kd: Gain, variant: Optional[str] = None,
              speed: Optional[ArrayLike] = None, adaptation: Optional[Gain] = None,
              parameters: Optional[Union[str, Sequence[str]]] = None,
              p0: Optional[ArrayLike] = None, natural_adaptation: Optional[float] = None,
              lower: Optional[ArrayLike] = None, upper: Optional[ArrayLike] = None,
              margin: Optional[ArrayLike] = None, **gains: Any) -> Law: ...


class ControlLaw:
    n_states: int
    state_names: List[str]
    @property
    def name(self) -> str: ...
    def torque(self, input: Any) -> Any: ...
    def state_derivative(self, input: Any) -> Any: ...
    def initial_state(self) -> Any: ...
