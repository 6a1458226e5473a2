"""The verbs: numbers beside the command's, laws, one state beside many."""
import inspect

import numpy as np
import pytest

import torsor
from conftest import Motion

STATE_VERBS = ["mass_matrix", "gravity_torque", "forward_kinematics", "potential_energy",
               "centre_of_mass", "com_jacobian", "christoffel", "gravity_torque_derivatives"]
MOTION_VERBS = ["bias_torque", "coriolis_matrix", "kinetic_energy", "momentum", "friction_torque",
                "com_jacobian_dot", "bias_torque_derivatives", "energy_derivatives",
                "energy_regressor", "state_space_form", "centroidal_map_dot"]


def same(a, b, tolerance=1e-9):
    if isinstance(a, tuple):
        assert type(a) is type(b)
        for x, y in zip(a, b):
            same(x, y, tolerance)
    else:
        np.testing.assert_allclose(a, b, rtol=tolerance, atol=tolerance * (1 + np.abs(b).max(initial=0)))


def stacked(rows):
    if isinstance(rows[0], tuple):
        return type(rows[0])(*[np.stack([np.asarray(row[k]) for row in rows])
                               for k in range(len(rows[0]))])
    return np.stack([np.asarray(row) for row in rows])


def calls_of(motion):
    """Verb, and its state arguments."""
    m, r = motion, motion.robot
    calls = [(getattr(r, name), (m.q,)) for name in STATE_VERBS
             if not (r.n_constraints and name == "christoffel") and not (
                 name == "christoffel" and r.n_v > 20)]
    calls += [(getattr(r, name), (m.q, m.qd)) for name in MOTION_VERBS]
    calls += [(r.inverse_dynamics, (m.q, m.qd, m.qdd)), (r.forward_dynamics, (m.q, m.qd, m.tau)),
              (r.inverse_dynamics_derivatives, (m.q, m.qd, m.qdd)),
              (r.forward_dynamics_derivatives, (m.q, m.qd, m.tau)),
              (r.torque_regressor, (m.q, m.qd, m.qdd)),
              (r.joint_wrenches, (m.q, m.qd, m.qdd)),
              (r.centroidal_momentum, (m.q, m.qd, m.qdd)),
              (lambda q: r.frame_pose(m.frame, q), (m.q,)),
              (lambda q: r.jacobian(m.frame, q, "world"), (m.q,)),
              (lambda q, qd: r.jacobian_dot(m.frame, q, qd), (m.q, m.qd)),
              (lambda q, qd: r.frame_velocity(m.frame, q, qd, "world_aligned"), (m.q, m.qd)),
              (lambda q, qd, qdd: r.frame_acceleration(m.frame, q, qd, qdd), (m.q, m.qd, m.qdd)),
              (lambda q: r.manipulability(m.frame, q), (m.q,)),
              (r.integrate, (m.q, m.qd)), (r.difference, (m.q, m.q[::-1].copy()))]
    return calls


def test_many_states_are_the_single_ones(motion):
    for verb, arguments in calls_of(motion):
        many = verb(*arguments)
        same(many, stacked([verb(*row) for row in zip(*arguments)]))


def test_many_states_in_threads_are_the_single_ones(arm):
    n = 1000
    q = arm.robot.random_configuration(1, count=n)
    qd = np.random.default_rng(1).normal(size=(n, 7))
    one = np.array([arm.robot.bias_torque(x, v) for x, v in zip(q, qd)])
    for threads in (1, 2, 0):
        torsor.set_threads(threads)
        same(arm.robot.bias_torque(q, qd), one, 1e-12)
    torsor.set_threads(0)


def test_numbers_are_those_of_the_command(command):
    for name, frame in (("panda", "tool"), ("puma560", "tool"), ("humanoid38", None)):
        robot = torsor.Robot(name)
        frame = frame or robot.body_names[-1]
        random = np.random.default_rng(2)
        q = robot.random_configuration(6)
        qd, qdd, tau = random.normal(size=(3, robot.n_v))
        answer = command(name, [{"q": q.tolist(), "qd": qd.tolist(), "qdd": qdd.tolist(),
                                 "tau": tau.tolist()}], frame)["results"][0]
        same(robot.inverse_dynamics(q, qd, qdd), np.array(answer["tau"]))
        same(robot.gravity_torque(q), np.array(answer["gravity"]))
        same(robot.bias_torque(q, qd), np.array(answer["bias"]))
        same(robot.mass_matrix(q), np.array(answer["M"]))
        same(robot.coriolis_matrix(q, qd), np.array(answer["C"]))
        same(robot.forward_dynamics(q, qd, tau), np.array(answer["qdd_fd"]))
        same(robot.frame_pose(frame, q), np.array(answer["T_frame"]))
        same(robot.jacobian(frame, q), np.array(answer["J_body"]))
        same(robot.jacobian(frame, q, "world_aligned"), np.array(answer["J_world_aligned"]))
        same(robot.kinetic_energy(q, qd), answer["kinetic"])
        same(robot.potential_energy(q), answer["potential"])
        same(robot.centre_of_mass(q), np.array(answer["com"]))
        same(robot.mass, answer["mass"])
        same(robot.inverse_dynamics_derivatives(q, qd, qdd).dtau_dq, np.array(answer["dtau_dq"]))
        same(robot.forward_dynamics_derivatives(q, qd, tau).dqdd_dtau, np.array(answer["dqdd_dtau"]))
        same(robot.torque_regressor(q, qd, qdd), np.array(answer["regressor"]))


def test_forward_dynamics_undoes_inverse_dynamics(motion):
    m = motion
    tau = m.robot.inverse_dynamics(m.q, m.qd, m.qdd)
    same(m.robot.forward_dynamics(m.q, m.qd, tau), m.qdd, 1e-7)


def test_derivatives_are_those_of_differences(arm):
    r, q, qd, qdd = arm.robot, arm.q[0], arm.qd[0], arm.qdd[0]
    d = r.inverse_dynamics_derivatives(q, qd, qdd)
    h = 1e-6
    steps = h * np.eye(7)
    rise = (r.inverse_dynamics(q + steps, qd, qdd) - r.inverse_dynamics(q - steps, qd, qdd)) / (2 * h)
    same(d.dtau_dq, rise.T, 1e-6)
    rise = (r.inverse_dynamics(q, qd + steps, qdd) - r.inverse_dynamics(q, qd - steps, qdd)) / (2 * h)
    same(d.dtau_dqd, rise.T, 1e-6)
    same(d.dtau_dqdd, r.mass_matrix(q), 1e-10)
    p = r.inverse_dynamics_derivatives(q, qd, qdd, parameters=r.parameter_names)
    same(p.dtau, r.torque_regressor(q, qd, qdd), 1e-9)
    assert p.names == r.parameter_names


@pytest.mark.parametrize("name", ["panda", "four_bar", "humanoid38"])
@pytest.mark.parametrize("verb", ["inverse", "forward", "hybrid"])
def test_derivatives_by_named_parameters_take_many_states(verb, name):
    m = Motion(name, count=3)
    about = {"hybrid": ([m.robot.joint_names[-1]],)}.get(verb, ())
    last = {"inverse": (m.qdd,), "forward": (m.tau,), "hybrid": (m.qdd, m.tau)}[verb]
    call = getattr(m.robot, verb + "_dynamics_derivatives")
    parameters = ["gravity.z", m.robot.body_names[-1] + ".mass", "q"]
    many = call(*about, m.q, m.qd, *last, parameters=parameters)
    for k in range(3):
        one = call(*about, m.q[k], m.qd[k], *(x[k] for x in last), parameters=parameters)
        assert one.names == many.names and len(one.names) == 2 + m.robot.n_v
        same(one[1:], type(one)(*many)._replace(**{
            f: getattr(many, f)[k] for f in many._fields[1:]})[1:])
        assert one.regular is True and one.defined.dtype == bool
    assert many.dtau.shape == (3, m.robot.n_v, len(many.names))
    single = [x.astype(np.float32) for x in (m.q, m.qd, *last)]
    if name != "four_bar":  # whose loops float32 does not close
        assert call(*about, *single, parameters=parameters).dtau.dtype == np.float32


def test_whole_numbers_are_whole(arm):
    r, q, V = arm.robot, arm.q, np.ones(6)
    for many, answer in ((False, r.inverse_velocity("tool", q[0], V)), (True, r.inverse_velocity("tool", q, V)),
                         (False, r.manipulability("tool", q[0])), (True, r.manipulability("tool", q)),
                         (False, r.wrench_from_torques("tool", q[0], arm.tau[0])),
                         (True, r.operational_dynamics("tool", q, arm.qd))):
        assert answer.rank.dtype == np.int64 if many else type(answer.rank) is int
        assert np.all(np.asarray(answer.rank) == 6)


def test_out_is_written_in_place(arm):
    out = np.full((5, 7), np.nan)
    answer = arm.robot.inverse_dynamics(arm.q, arm.qd, arm.qdd, out=out)
    assert answer is out
    same(out, arm.robot.inverse_dynamics(arm.q, arm.qd, arm.qdd))
    M = np.empty((7, 7))
    assert arm.robot.mass_matrix(arm.q[0], out=M) is M


@pytest.mark.parametrize("robot", ["panda", "four_bar"])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_out_may_share_memory_with_what_is_read(robot, dtype):
    r = torsor.Robot(robot)
    q = r.random_configuration(1) if not r.n_constraints else r.assemble(r.neutral()).q
    zero = np.zeros(r.n_v)
    buffer = np.zeros((1001, r.n_v), dtype)
    if not r.n_constraints:
        buffer[:] = np.random.default_rng(1).normal(size=buffer.shape)
    q, zero = q.astype(dtype), zero.astype(dtype)
    expected = r.inverse_dynamics(q, zero, buffer[:-1].copy())
    shifted = buffer.copy()
    assert np.array_equal(r.inverse_dynamics(q, zero, shifted[:-1], out=shifted[1:]), expected)
    assert np.array_equal(shifted[1:], expected)
    same_place = buffer[:-1].copy()
    r.inverse_dynamics(q, zero, same_place, out=same_place)
    assert np.array_equal(same_place, expected)
    backwards = buffer[:-1].copy()
    r.inverse_dynamics(q, zero, backwards[::-1], out=backwards)
    assert np.array_equal(backwards, expected[::-1])
    one = buffer[0].copy()
    r.inverse_dynamics(q, zero, one, out=one)
    np.testing.assert_allclose(one, expected[0], rtol=1e-5, atol=1e-4)


def test_any_layout_and_type_is_read(arm):
    r = arm.robot
    expected = r.gravity_torque(arm.q)
    same(r.gravity_torque(np.asfortranarray(arm.q)), expected)
    wide = np.zeros((10, 14))
    wide[::2, ::2] = arm.q
    same(r.gravity_torque(wide[::2, ::2]), expected)
    same(r.gravity_torque(arm.q.tolist()), expected)
    same(r.gravity_torque(arm.q[0].astype(">f8")), expected[0])
    same(r.gravity_torque(np.zeros(7, int)), r.gravity_torque(np.zeros(7)))
    assert r.gravity_torque(np.zeros((0, 7))).shape == (0, 7)


def test_a_mask_that_hides_nothing_is_no_hindrance(arm):
    same(arm.robot.gravity_torque(np.ma.masked_array(arm.q)), arm.robot.gravity_torque(arm.q))


def test_one_vector_counts_for_all_states(arm):
    r = arm.robot
    same(r.bias_torque(arm.q[0], arm.qd), np.array([r.bias_torque(arm.q[0], v) for v in arm.qd]))


def test_float32_stays_float32(arm):
    q = arm.q.astype(np.float32)
    for given in (q, q[0]):
        answer = arm.robot.gravity_torque(given)
        assert answer.dtype == np.float32
        np.testing.assert_allclose(answer, arm.robot.gravity_torque(given.astype(float)), rtol=2e-5,
                                   atol=2e-5)
    out = np.empty((5, 7), np.float32)
    assert arm.robot.gravity_torque(q, out=out) is out
    assert arm.robot.bias_torque(q, arm.qd).dtype == np.float64


def test_float32_of_any_layout_is_read(arm):
    r = arm.robot
    q = arm.q.astype(np.float32)
    expected = r.gravity_torque(q)
    wide = np.zeros((10, 14), np.float32)
    wide[::2, ::2] = q
    for given in (np.asfortranarray(q), wide[::2, ::2], q.astype(">f4")):
        answer = r.gravity_torque(given)
        assert answer.dtype == np.float32 and np.array_equal(answer, expected)
    assert np.array_equal(r.gravity_torque(q[::-1]), expected[::-1])
    assert np.array_equal(r.momentum(q[::-1], q), r.momentum(q[::-1].copy(), q))  # state by state
    odd = np.frombuffer(b"x" + q[0].tobytes(), np.float32, offset=1)
    assert not odd.flags.aligned and np.array_equal(r.gravity_torque(odd), r.gravity_torque(q[0]))
    assert r.gravity_torque(np.zeros((0, 7), np.float32)).shape == (0, 7)
    # One float32 beside float64 counts as float64, of one state and of many.
    same(r.bias_torque(q, arm.qd), r.bias_torque(q.astype(float), arm.qd))
    same(r.bias_torque(q[0], arm.qd), r.bias_torque(q[0].astype(float), arm.qd))


@pytest.mark.parametrize("verb", ["gravity_torque", "mass_matrix", "momentum"])
def test_no_angle_is_silently_no_number_in_float32(arm, verb):
    q = np.zeros((40, 7), np.float32)
    q[17, 2] = 3e6  # neighbouring numbers are a quarter of a radian apart
    given = (q, q) if verb == "momentum" else (q,)
    try:
        assert np.isfinite(getattr(arm.robot, verb)(*given)).all()
    except torsor.Error as refused:
        assert str(refused).startswith("q[17]: ") and "joint_3" in str(refused)


def test_external_wrenches_and_effects(arm):
    r, q, zero = arm.robot, arm.q[0], np.zeros(7)
    F = np.array([1.0, 2, 3, 4, 5, 6])
    with_force = r.inverse_dynamics(q, zero, zero, external={"tool": F})
    same(r.inverse_dynamics(q, zero, zero) - with_force, r.statics("tool", q, F))
    p = torsor.Robot("puma560")
    q, qd = p.random_configuration(1), np.ones(6)
    rigid = p.inverse_dynamics(q, qd, np.zeros(6), effects=torsor.Effects(friction=False))
    same(p.inverse_dynamics(q, qd, np.zeros(6)) - rigid, p.friction_torque(q, qd))


def test_loops_have_multipliers():
    robot = torsor.Robot("four_bar")
    q = robot.assemble(robot.neutral()).q
    zero = np.zeros(robot.n_v)
    details = robot.forward_dynamics(q, zero, zero, details=True)
    assert details.multipliers.shape == (robot.n_constraints,) and details.regular is True
    rows = robot.constraint_rows(q, zero)
    np.testing.assert_allclose(rows.A @ details.qdd, -rows.bias, atol=1e-9)
    with pytest.raises(torsor.Error):
        robot.forward_dynamics(q + 0.1, zero, zero)


def test_a_singular_mass_matrix_is_told():
    robot = torsor.Robot("pointmass2r").with_parameters(np.zeros(20))
    with pytest.raises(torsor.Error, match="inverted"):
        robot.forward_dynamics([0, 0], [0, 0], [0, 0])
    with pytest.raises(torsor.Error, match="state 0: .*inverted"):
        robot.forward_dynamics(*[np.zeros((2, 2))] * 3)
    assert not robot.forward_dynamics([0, 0], [0, 0], [0, 0], details=True).regular


# What a verb is asked about, beside states. These give answers of no fixed size, of one state.
ONE_STATE = {"assembly_modes", "mobility", "nearest_singularity", "singularities", "lock_joints"}
ABOUT = {"frame": "tool", "A": np.eye(6, dtype=np.float32), "point_in_frame": [0, 0, 0.1],
         "prescribed": ["waist"], "loads": [{"frame": "tool", "force": [0, 0, 1]}],
         "parameter": "viscous", "from_link": "", "actuated": None}


def state_verbs():
    """Verbs with a state among their arguments, by their signatures."""
    for name, verb in sorted(vars(torsor.Robot).items()):
        if name.startswith("_") or not getattr(verb, "__text_signature__", None):
            continue
        arguments = inspect.signature(verb).parameters
        if {"q", "qd", "q0"} & set(arguments) and not name.endswith("_trajectory") \
                and name not in ONE_STATE:
            yield pytest.param(name, arguments, id=name)


@pytest.mark.parametrize("name, arguments", state_verbs())
def test_every_verb_takes_one_state_or_many_and_keeps_float32(name, arguments):
    robot = torsor.Robot("puma560")
    random = np.random.default_rng(3)
    vectors = {word: 0.3 * random.normal(size=(4, 6)) for word in
               ("q", "qd", "qdd", "tau", "v", "a", "q0", "q1", "V", "Vdot", "F")}

    def answer(dtype, row):
        given = {"parameters": robot.parameters.astype(dtype)} if name == "torque_of_parameters" else {}
        for word, parameter in arguments.items():
            if word in vectors:
                given[word] = vectors[word][row].astype(dtype)
            elif parameter.default is inspect.Parameter.empty and word not in ("self", *given):
                given[word] = ABOUT[word]
        return getattr(robot, name)(**given)

    def numbers(value):
        fields = value if isinstance(value, tuple) else (value,)
        return [np.asarray(x) for x in fields if not isinstance(x, (str, list))]

    everything = slice(None)
    one, many = numbers(answer(float, 2)), numbers(answer(float, everything))
    assert len(one) == len(many) > 0
    for a, b in zip(one, many):
        assert b.shape == (4,) + a.shape
        same(b[2].astype(float), a.astype(float), 1e-9)
    for a, b in zip(numbers(answer(np.float32, 2)), numbers(answer(np.float32, everything))):
        assert b.dtype.kind in "ib" or b.dtype == np.float32
        assert a.ndim == 0 or a.dtype.kind in "ib" or a.dtype == np.float32
