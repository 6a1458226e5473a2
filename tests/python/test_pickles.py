"""Every value pickles and copies to an equal one; what cannot says so in one line."""
import copy
import inspect
import pickle

import numpy as np
import pytest

import torsor


class Spring(torsor.ControlLaw):
    def __init__(self, stiffness):
        self.stiffness = stiffness

    def torque(self, input):
        return -self.stiffness * input.q


SCENARIO = {"robot": "planar2r", "controller": {"law": "pd_gravity", "gains": {"Kp": 100, "Kd": 20}},
            "reference": {"hold": [0.3, 0.2]}, "run": {"duration": 0.2}}


HOME = np.array([0, 0.2, 0, -1.5, 0, 1.7, 0])


def log(robot):
    t, w = np.arange(2000) * 0.005, np.array([2.0, 3.0])
    q, qd = np.sin(np.outer(t, w)), w * np.cos(np.outer(t, w))
    tau = robot.inverse_dynamics(q, qd, -w * w * q)
    tau[700, 0] = 1e6  # repaired
    return torsor.log(robot, t=t, q=q, tau=tau, q_ref=q)


def identified(**options):
    robot = torsor.Robot("pointmass2r")
    return torsor.identify(robot, log(robot), bootstrap=20, validation=[log(robot)], **options)


def excitation(motion):
    return torsor.design_excitation("pointmass2r", period=4, starts=1, iterations=2, position_limit=1,
                                    velocity_limit=2, motion=motion)


def path(verb, *arguments, **options):
    robot = torsor.Robot("panda")
    q = HOME
    T = robot.frame_pose("tool", q)
    up = T.copy()
    up[2, 3] += 0.1
    if verb == "joint_path":
        return robot.joint_path("tool", lambda t: T + t * (up - T), 1.0, q, 7)
    return getattr(robot, verb)("tool", T, up, q, velocity=0.1, segments=9)


MADE = {
    "Robot": [lambda: torsor.Robot("puma560"), lambda: torsor.Robot("four_bar")],
    "Law": [lambda: torsor.control.ComputedTorque(torsor.Robot("planar2r"), Kp=[100, 80], Kd=20)],
    "ControlLaw": [lambda: Spring(3.0)],
    "Effects": [lambda: torsor.Effects(friction=False)],
    "Error": [lambda: torsor.Error("q has 1 numbers")],
    "Interrupted": [lambda: torsor.Interrupted([1, 2])],
    "Log": [lambda: log(torsor.Robot("pointmass2r"))],
    "Identification": [identified, lambda: identified(estimator="consistent", mass=(2.0, 0.1)),
                       lambda: identified(payloads={"link_2": (1.5, [0])}, choice={"asymmetry": True})],
    "Excitation": [lambda: excitation("fourier"), lambda: excitation("spline")],
    "Trajectory": [lambda: torsor.Robot("panda").configuration_trajectory(HOME, HOME + 0.1, 2.0, "septic"),
                   lambda: torsor.Robot("panda").configuration_trajectory(HOME, HOME + 0.1),
                   lambda: torsor.Robot("panda").spline(HOME + 0.1 * np.eye(7)),
                   lambda: torsor.Robot("panda").spline(np.eye(7), np.arange(7.0) ** 1.5, "clamped"),
                   lambda: path("joint_path").trajectory, lambda: path("line_path").trajectory,
                   lambda: path("screw_path").trajectory],
    "Recording": [lambda: torsor.run_scenario(SCENARIO)],
    "Comparison": [lambda: torsor.compare([SCENARIO])],
    "Sweep": [lambda: torsor.sweep(dict(SCENARIO, sweep={"uncertainties": {"parameter_factor": [0.9, 1.1]}}),
                                   samples=3)],
}
REFUSED = {
    "Frame": lambda: torsor.Robot("panda").frame("tool"),
    "Joint": lambda: torsor.Robot("panda").joint("joint_1"),
    "View": lambda: torsor.Robot("panda").show(browser=False),
}


def test_every_class_is_here():
    classes = {name for name in torsor.__all__ if inspect.isclass(getattr(torsor, name))}
    assert classes == set(MADE) | set(REFUSED)


def look(value, depth=0):
    """What a value shows: numbers and words all the way down."""
    if isinstance(value, np.ndarray):
        return ("array", str(value.dtype), value.shape, value.tobytes())
    if isinstance(value, (str, bool, int, float, type(None), slice)):
        return repr(value)
    if isinstance(value, dict):
        return [(k, look(v, depth)) for k, v in value.items()]
    if isinstance(value, (list, tuple)):
        return [look(v, depth) for v in value]
    if isinstance(value, torsor.Trajectory):
        return [value.duration, look(value.sample(np.linspace(0, value.duration, 50)))]
    if isinstance(value, torsor.Excitation):
        motion = value.sample(np.linspace(0, value.duration, 50))
        return [look(motion), value.condition, value.start_condition, value.unknowns, value.keeps_limits,
                len(value), repr(value)]
    if isinstance(value, torsor.Recording):
        return [look(value[k]) for k in value.keys()]
    if isinstance(value, BaseException):
        return [type(value), value.args]
    shown = [type(value)]
    for name in sorted(n for n in dir(value) if not n.startswith("_")):
        thing = getattr(value, name)
        if not callable(thing) and name not in ("frames", "joints") and depth < 3:
            shown.append((name, look(thing, depth + 1)))
    return shown


@pytest.mark.parametrize("kind, number", [(kind, k) for kind in MADE for k in range(len(MADE[kind]))])
def test_pickles_and_copies_are_equal(kind, number):
    value = MADE[kind][number]()
    assert isinstance(value, getattr(torsor, kind))
    seen = look(value)
    for again in (pickle.loads(pickle.dumps(value)), copy.copy(value), copy.deepcopy(value)):
        assert type(again) is type(value)
        assert look(again) == seen


def test_what_is_unpickled_works():
    found = pickle.loads(pickle.dumps(identified()))
    assert found.write_back().robot.gravity_torque([0, 0])[1] == pytest.approx(9.81 * 0.8, abs=0.05)
    assert found.page() == identified().page()
    robot = torsor.Robot("pointmass2r")
    again = torsor.identify(robot, pickle.loads(pickle.dumps(log(robot))), bootstrap=0)
    np.testing.assert_array_equal(again.x, torsor.identify(robot, log(robot), bootstrap=0).x)
    motion = pickle.loads(pickle.dumps(MADE["Trajectory"][0]()))
    law = torsor.control.PdGravity(torsor.Robot("panda"), Kp=100, Kd=20)
    assert torsor.simulate("panda", law, motion, duration=0.1).stop == "finished"


def test_named_tuples_pickle():
    robot = torsor.Robot("panda")
    q, qd = robot.random_configuration(1), np.ones(7)
    poses = robot.frame_pose("tool", robot.random_configuration(1, count=40))
    for value in (robot.inverse_dynamics_derivatives(q, qd, qd), robot.manipulability("tool", q),
                  robot.limits, torsor.base_parameters(robot), path("line_path"),
                  torsor.calibrate(robot, robot.random_configuration(1, count=40), poses,
                                   parameters=["offsets"])):
        again = pickle.loads(pickle.dumps(value))
        assert type(again) is type(value) and look(again) == look(value)
        assert look(copy.deepcopy(value)) == look(value)


@pytest.mark.parametrize("kind", sorted(REFUSED))
def test_what_cannot_says_so(kind):
    if kind == "View" and not torsor._torsor._view_page()[1]:
        pytest.skip("built without its pages")
    value = REFUSED[kind]()
    with pytest.raises(TypeError, match=f"torsor.{kind}.* pickle") as refused:
        pickle.dumps(value)
    assert "\n" not in str(refused.value)
    if kind == "View":
        with pytest.raises(TypeError, match="copied"):
            copy.copy(value)
        value.close()
    else:
        assert copy.copy(value).name == copy.deepcopy(value).name == value.name


@pytest.mark.parametrize("kind", ["Log", "Identification", "Excitation"])
def test_bytes_that_are_none_are_refused(kind):
    value = MADE[kind][0]()
    cls, again = type(value), type(value).__new__(type(value))
    state = value.__getstate__()
    bytes_of = (lambda b: b) if isinstance(state, bytes) else (lambda b: (state[0], b))
    good = state if isinstance(state, bytes) else state[1]
    for bad in (b"", good[:-1], good + b"x", b"\xff" + good[1:], good[:len(good) // 2]):
        with pytest.raises(torsor.Error, match=f"no pickled torsor.{kind}"):
            again.__setstate__(bytes_of(bad))
    assert isinstance(again, cls)
