"""Input that makes no sense, laws that misbehave, objects that were not made: one line each, no crash."""
import copy
import os
import pickle
import subprocess
import sys
import textwrap
from collections.abc import Mapping

import numpy as np
import pytest

import torsor


@pytest.fixture
def robot():
    return torsor.Robot("planar2r")


def law(**members):
    """A law in Python with these members."""
    members.setdefault("torque", lambda self, i: np.zeros(2))
    return type("Own", (torsor.ControlLaw,), members)()


def hold(robot, own, **options):
    return torsor.simulate(robot, own, [0, 0], **{"duration": 0.02, **options})


SCENARIO = {"robot": "planar2r", "reference": {"hold": [0, 0]}, "run": {"duration": 0.05},
            "controller": {"law": "pd_gravity", "gains": {"Kp": 100, "Kd": 20}}}
SWEEP = dict(SCENARIO, sweep={"uncertainties": {"parameter_factor": [0.9, 1.1]}})
T = np.arange(200) * 0.01
LOG = {"t": T, "q": np.column_stack([np.sin(T), np.cos(T)]), "tau": np.ones((200, 2))}

REFUSED = {
    "a width beyond int": (lambda r: r.gravity_torque(np.lib.stride_tricks.as_strided(
        np.zeros(8), (2**32 + 2,), (8,))), "q has 4294967298 numbers"),
    "a seed below 0": (lambda r: r.random_configuration(-1), "seed is -1, expected 0 to"),
    "a seed beyond 32 bits": (lambda r: r.random_configuration(2**32), "seed is 4294967296"),
    "a seed beyond 64 bits": (lambda r: r.random_configuration(2**70), "expected 0 to 4294967295"),
    "iterations beyond int": (lambda r: r.inverse_kinematics("tip", np.eye(4), max_iterations=2**32),
                              "max_iterations is 4294967296"),
    "threads beyond int": (lambda r: torsor.set_threads(2**40), "threads is"),
    "a flag of text": (lambda r: hold(r, law(), friction="no"), "friction is 'no', expected True or"),
    "a surrogate": (lambda r: torsor.Robot("\ud800"), "UTF-8"),
    "a base of no numbers": (lambda r: r.inverse_dynamics(*[[0, 0]] * 3, base=3), "base is 3"),
    "a base that is not finite": (lambda r: r.inverse_dynamics(
        *[[0, 0]] * 3, base=(np.eye(4), [np.nan] * 6, [0] * 6)), "base is not finite"),
    "joints that are a number": (lambda r: r.lock_joints(3, [0, 0]), "joints is 3"),
    "loads that are a number": (lambda r: r.generalised_force([0, 0], 3), "loads is 3"),
    "no targets": (lambda r: r.inverse_kinematics(None), "frame is None"),
    "parameters that are a number": (lambda r: r.inverse_dynamics_derivatives(
        *[[0, 0]] * 3, parameters=3), "parameters is 3"),
    "an inertia of no body": (lambda r: r.attach_payload("link_2", 1, inertia=-np.eye(3)), "principal"),
    "a path without duration": (lambda r: r.joint_path("tip", lambda t: np.eye(4), np.nan, [0, 0]),
                                "duration"),
    "a law that is a class": (lambda r: hold(r, type(law())), "class Own, expected an object"),
    "a torque with two axes": (lambda r: hold(r, law(torque=lambda s, i: [[0, 0]])),
                               "torque gave an array with two axes, expected 2 numbers"),
    "a torque that is one number": (lambda r: hold(r, law(torque=lambda s, i: 0.0)),
                                    r"torque has the shape \(\), expected 2 numbers"),
    "states beyond int": (lambda r: hold(r, law(n_states=2**40)), "n_states is 1099511627776"),
    "names that are a number": (lambda r: hold(r, law(
        n_states=1, state_names=3, state_derivative=lambda s, i: [0])), "state_names is 3"),
    "names that are there twice": (lambda r: hold(r, law(
        n_states=2, state_names=["a", "a"], state_derivative=lambda s, i: [0, 0])), '"a" twice'),
    "a Lyapunov function of one number": (lambda r: hold(r, law(lyapunov=lambda s, i: 3)),
                                          r"lyapunov is 3, expected \(V, rate\)"),
    "conditions that are a number": (lambda r: hold(r, law(conditions=lambda s: 3)), "conditions is 3"),
    "a disturbance that is a number": (lambda r: hold(r, law(), disturbance=3), "disturbance is 3"),
    "surfaces that are a number": (lambda r: hold(r, law(), surfaces=3), "surfaces is 3"),
    "a seed of noise below 0": (lambda r: hold(r, law(), seed=-1), "seed is -1"),
    "a start at infinity": (lambda r: hold(r, law(), start=np.inf), "start is not finite"),
    "breaks that are no times": (lambda r: hold(r, law(), breaks=[np.nan]), "breaks"),
    "a scenario that is a number": (lambda r: torsor.run_scenario(3), "a scenario is 3"),
    "a scenario of bytes": (lambda r: torsor.run_scenario(b"a"), "a scenario is b'a'"),
    "a program as a scenario": (lambda r: torsor.run_scenario(sys.executable), "UTF-8"),
    "a controller of text": (lambda r: torsor.run_scenario(dict(SCENARIO, controller="pd")), "controller"),
    "a set in a scenario": (lambda r: torsor.run_scenario(dict(SCENARIO, reference={"hold": {0, 1}})),
                            "type set"),
    "a robot of Python's in a scenario": (lambda r: torsor.run_scenario(
        dict(SCENARIO, robot=r.attach_payload("link_2", 1))), "was made in Python"),
    "one scenario to compare": (lambda r: torsor.compare(SCENARIO), "list of scenarios"),
    "no samples": (lambda r: torsor.sweep(SWEEP, samples=-1), "samples is -1"),
    "threads below 0": (lambda r: torsor.sweep(SWEEP, samples=2, threads=-1), "threads is -1"),
    "a torque at no configuration": (lambda r: torsor.control.PdGravity(r, Kp=1, Kd=1).torque(
        0, [np.nan, 0], [0, 0], [0, 0]), "q has a number that is not finite"),
    "a torque at no time": (lambda r: torsor.control.PdGravity(r, Kp=1, Kd=1).torque(
        np.nan, [0, 0], [0, 0], [0, 0]), "t is not finite"),
    "unknowns that are a list": (lambda r: torsor.identify(r, LOG, choice=["inertial"]), "choice is"),
    "a bootstrap below 0": (lambda r: torsor.identify(r, LOG, bootstrap=-1), "bootstrap is -1"),
    "a split beyond 1": (lambda r: torsor.identify(r, LOG, split=2), "split is 2"),
    "a log that is a number": (lambda r: torsor.identify(r, [3]), "a log is of the type int"),
    "a log without q": (lambda r: torsor.identify(r, {"t": T}), "a log is of the type dict"),
}


@pytest.mark.parametrize("what", REFUSED)
def test_what_makes_no_sense_is_refused_with_one_line(what, robot):
    call, words = REFUSED[what]
    with pytest.raises(torsor.Error, match=words) as refused:
        call(robot)
    assert "\n" not in str(refused.value)


def test_numbers_at_odd_places_are_read(robot):
    q = robot.random_configuration(1)
    odd = np.frombuffer(b"x" + q.tobytes(), dtype=float, offset=1)
    assert not odd.flags.aligned
    for given in (odd, odd.astype(np.float64), np.frombuffer(b"x" + q.tobytes(), float, offset=1)[None]):
        np.testing.assert_array_equal(robot.gravity_torque(given).ravel(), robot.gravity_torque(q))


@pytest.mark.parametrize("arguments", [((), {}), (("panda", 3), {}), ((), {"name": "panda"})])
def test_other_arguments_of_robot_are_one_line(arguments):
    with pytest.raises(TypeError, match=r"Robot\(robot\)") as refused:
        torsor.Robot(*arguments[0], **arguments[1])
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize("kind", ["Robot", "Frame", "Joint", "Trajectory", "Recording", "Law", "Log",
                                  "Excitation", "Identification"])
def test_objects_that_were_not_made_are_refused(kind, robot):
    kind = getattr(torsor, kind)
    ghost = kind.__new__(kind)
    for use in (lambda: str(ghost.name) + str(ghost.t) + str(ghost.duration) + str(ghost.condition),
                lambda: robot.frame_pose(ghost, [0, 0]), lambda: robot.lock_joints([ghost], [0, 0]),
                lambda: robot.append(ghost, "link_2"), lambda: torsor.simulate(robot, ghost, [0, 0]),
                lambda: torsor.control.make("pd_gravity", ghost, Kp=1, Kd=1),
                lambda: torsor.identify(ghost, LOG), lambda: torsor.simulate(robot, law(), ghost)):
        with pytest.raises((TypeError, AttributeError, torsor.Error)):
            use()


class Named(torsor.Robot):
    """A subclass with something of its own."""

    def __init__(self, name, tag):
        super().__init__(name)
        self.tag = tag


def test_copies_and_pickles_of_a_subclass_keep_what_it_has():
    mine = Named("planar2r", ["one"])
    shallow, deep, again = copy.copy(mine), copy.deepcopy(mine), pickle.loads(pickle.dumps(mine))
    for other in (shallow, deep, again):
        assert type(other) is Named and other.tag == ["one"] and other.n_v == 2
        assert np.array_equal(other.gravity_torque([1, 2]), mine.gravity_torque([1, 2]))
    assert shallow.tag is mine.tag and deep.tag is not mine.tag


def test_what_never_changes_is_its_own_copy(robot):
    motion = robot.configuration_trajectory([0, 0], [1, 1], 1.0)
    run = hold(robot, law())
    for thing in (robot.frame("tip"), robot.joint("joint_1"), motion, run):
        assert copy.copy(thing) is thing and copy.deepcopy(thing) is thing
    held = {"robot": robot, "frame": robot.frame("tip")}
    again = copy.deepcopy(held)
    assert np.array_equal(again["robot"].frame_pose(again["frame"], [0, 0]),
                          robot.frame_pose("tip", [0, 0]))


def test_recordings_are_mappings(robot):
    run = hold(robot, law())
    assert isinstance(run, Mapping)
    assert [name for name, _ in run.items()] == list(run.keys()) == list(run)
    assert len(run.values()) == len(run) and run.get("none") is None and 3 not in run
    assert np.array_equal(run.get("q"), run["q"])
    with pytest.raises(KeyError, match="expected its name"):
        run[3]
    assert "Own" in repr(run) and "finished" in repr(run)


def test_gains_of_a_law_are_its_own(robot):
    Kp = np.array([100.0, 100.0])
    made = torsor.control.PdGravity(robot, Kp=Kp, Kd=20)
    Kp[:] = 1
    made.gains["Kd"] = 3
    again = pickle.loads(pickle.dumps(made))
    state = (0, [0.1, 0.2], [0.3, 0.4], [0, 0])
    assert np.array_equal(made.torque(*state), again.torque(*state))


def test_scenarios_may_name_robots_by_objects(robot):
    assert torsor.run_scenario(dict(SCENARIO, robot=robot)).robot == "planar2r"


def test_what_an_attribute_of_a_law_raises_comes_out(robot):
    for name in ("n_states", "state_names", "initial_state"):
        with pytest.raises(ZeroDivisionError):
            hold(robot, law(**{name: property(lambda self: 1 / 0)}))


@pytest.mark.parametrize("error", [SystemExit, StopIteration, GeneratorExit, RecursionError, MemoryError])
@pytest.mark.parametrize("where", ["torque", "state_derivative", "initial_state", "lyapunov",
                                   "filtered_error", "conditions"])
@pytest.mark.parametrize("period", [0, 0.001])
def test_whatever_a_law_raises_comes_out(error, where, period, robot):
    def broken(*arguments):
        raise error

    own = law(**{"n_states": 1, "state_derivative": lambda s, i: [0.0], where: broken})
    for _ in range(3):
        with pytest.raises(error):
            hold(robot, own, period=period)
    assert hold(robot, law()).stop == "finished"


@pytest.mark.parametrize("where", ["torque", "lyapunov", "reference", "disturbance"])
def test_control_c_in_any_function_of_a_run_keeps_the_run(where, robot):
    """Signals mostly arrive while code in Python runs: there they must not lose what was done."""
    def raising(answer, time):
        def function(*arguments):
            if time(*arguments) > 0.5:
                raise KeyboardInterrupt
            return answer

        return function

    own, reference, options = law(), [0, 0], {}
    if where == "torque":
        own = law(torque=raising([0.0, 0.0], lambda s, i: i.t))
    elif where == "lyapunov":
        own = law(lyapunov=raising((0.0, 0.0), lambda s, i: i.t))
    elif where == "reference":
        reference = raising([0.0, 0.0], lambda t: t)
    else:
        options["disturbance"] = raising([0.0, 0.0], lambda t, q, qd: t)
    with pytest.raises(torsor.Interrupted) as stopped:
        torsor.simulate(robot, own, reference, duration=2, **options)
    run = stopped.value.result
    assert run.stop == "interrupted" and run.t[-1] < 1.9  # the reference is looked at before the run


def test_a_law_may_run_simulations(robot):
    def torque(self, i):
        inner = torsor.simulate(self.robot, law(), [0, 0], duration=0.01)
        return 0.0 * inner["q"][-1]

    assert hold(robot, law(torque=torque, robot=robot), duration=0.01, period=0.005).stop == "finished"


def test_the_handler_of_a_signal_may_use_the_robot_that_is_busy():
    """It runs within the call: with other threads, which make another batch."""
    program = textwrap.dedent("""
        import signal, numpy as np, torsor
        robot = torsor.Robot("panda")
        q = np.tile(robot.random_configuration(1, count=1000), (1000, 1))
        expected, seen, k = robot.mass_matrix(q[:1000]), [], 0
        def handler(*arguments):
            torsor.set_threads(1 + len(seen) % 2)
            seen.append(np.array_equal(robot.mass_matrix(q[:1000]), expected))
        signal.signal(signal.SIGALRM, handler)
        signal.setitimer(signal.ITIMER_REAL, 0.005, 0.005)
        while len(seen) < 20 and k < 100:
            many, k = robot.mass_matrix(q), k + 1
            assert np.array_equal(many[-1000:], expected)
        signal.setitimer(signal.ITIMER_REAL, 0)
        assert all(seen) and len(seen) > 3
        """)
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=100)
    assert run.returncode == 0, run.stderr


def test_errors_come_out_of_other_processes(robot):
    error = pickle.loads(pickle.dumps(torsor.Error("q has 1 numbers")))
    assert type(error) is torsor.Error and str(error) == "q has 1 numbers"
    stopped = pickle.loads(pickle.dumps(torsor.Interrupted([1, 2])))
    assert stopped.result == [1, 2] and "result" in str(stopped)


def test_another_numpy_than_it_was_built_for_is_one_line():
    program = textwrap.dedent("""
        import numpy
        numpy.__version__ = "2.0.1"
        try:
            import torsor
            print("this pybind11 knows it")
        except ImportError as refused:
            print(refused)
        """)
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert run.returncode == 0 and ("NumPy 2.0.1" in run.stdout or "knows it" in run.stdout)


def test_a_process_that_forks_goes_on():
    """As multiprocessing does on Linux: no thread of the parent's is needed in the child."""
    program = textwrap.dedent("""
        import multiprocessing, numpy as np, torsor
        robot = torsor.Robot("panda")
        q = robot.random_configuration(1, count=2000)
        expected = robot.mass_matrix(q).sum(), robot.momentum(q, np.ones(7)).sum()
        def work(k):
            return robot.mass_matrix(q).sum(), robot.momentum(q, np.ones(7)).sum()
        with multiprocessing.get_context("fork").Pool(3) as pool:
            assert pool.map(work, range(6)) == [expected] * 6
        with multiprocessing.get_context("spawn").Pool(2) as pool:
            print(pool.map(robot.mass_matrix, [q[0]] * 4)[0].shape)
        """)
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=100,
                         env=dict(os.environ))
    assert run.returncode == 0 and run.stdout == "(7, 7)\n", run.stderr
