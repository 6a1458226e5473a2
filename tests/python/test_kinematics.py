"""Inverse kinematics, singularities, trajectories."""
import numpy as np
import pytest

import torsor


def test_every_branch_reaches_the_pose():
    robot = torsor.Robot("puma560")
    q = robot.random_configuration(3)
    T = robot.frame_pose("tool", q)
    found = robot.analytic_ik("tool", T)
    assert found and found.status == "solved"
    names = [s.branch for s in found.solutions]
    assert len(set(names)) == len(names) == 8
    for solution in found.solutions:
        np.testing.assert_allclose(robot.frame_pose("tool", solution.q), T, atol=1e-9)
    turn = [np.abs(np.angle(np.exp(1j * (s.q - q)))).max() for s in found.solutions]
    assert min(turn) < 1e-8


def test_numeric_ik_keeps_limits_and_says_why_not():
    robot = torsor.Robot("panda")
    q = robot.random_configuration(11)
    T = robot.frame_pose("tool", q)
    found = robot.inverse_kinematics("tool", T, objective="away_from_limits")
    assert found and found.status == "reached"
    assert np.all(found.q >= robot.limits.lower) and np.all(found.q <= robot.limits.upper)
    np.testing.assert_allclose(robot.frame_pose("tool", found.q), T, atol=1e-7)
    far = T.copy()
    far[:3, 3] += 10
    lost = robot.inverse_kinematics("tool", far, max_restarts=3)
    assert not lost and lost.status != "reached" and "m" in lost.message


def test_priorities():
    robot = torsor.Robot("panda")
    q = robot.random_configuration(4)
    T = robot.frame_pose("tool", q)
    low = T.copy()
    low[2, 3] -= 5
    targets = [{"frame": "tool", "pose": T, "orientation_weight": [0, 0, 0]},
               {"frame": "link_4", "pose": low, "priority": 1}]
    found = robot.inverse_kinematics(targets, q_start=q, max_restarts=2)
    assert found.levels == 2 and found.levels_reached == 1
    assert found.targets[0].reached and not found.targets[1].reached


def test_trajectories_sample_many_times():
    robot = torsor.Robot("panda")
    a, b = robot.random_configuration(1), robot.random_configuration(2)
    motion = robot.configuration_trajectory(a, b)
    t = np.linspace(0, motion.duration, 200)
    sample = motion.sample(t)
    assert sample.q.shape == (200, 7)
    np.testing.assert_allclose(sample.q[[0, -1]], [a, b], atol=1e-9)
    assert np.all(np.abs(sample.qd) <= robot.limits.velocity * (1 + 1e-9))
    one = motion.sample(t[50])
    assert np.array_equal(one.q, sample.q[50])


def test_a_path_may_use_the_robot_itself():
    robot = torsor.Robot("panda")
    q = np.array([0, 0.2, 0, -1.5, 0, 1.7, 0])
    T = robot.frame_pose("tool", q)

    def pose(t):
        robot.frame_pose("tool", q)  # this thread's workspaces are in use and must not be disturbed
        moved = T.copy()
        moved[2, 3] += 0.05 * t
        return moved

    path = robot.joint_path("tool", pose, 1.0, q, 10)
    assert path
    end = path.trajectory.sample(1.0).q
    np.testing.assert_allclose(robot.frame_pose("tool", end)[2, 3], T[2, 3] + 0.05, atol=1e-6)

    def broken(t):
        raise RuntimeError("no pose")

    with pytest.raises(RuntimeError, match="no pose"):
        robot.joint_path("tool", broken, 1.0, q)


def test_singular_configurations():
    robot = torsor.Robot("puma560")
    report = robot.singularities("tool", [0, 0.3, 0.2, 0.4, 0, 0])
    assert report.singular and report.wrist_singular and not report.arm_singular
    assert np.linalg.norm(robot.jacobian("tool", [0, 0.3, 0.2, 0.4, 0, 0]) @ report.self_motion) < 1e-9
    assert "wrist" in report.text


def test_loops_are_closed_from_many_guesses():
    robot = torsor.Robot("four_bar")
    guesses = robot.random_configuration(1, count=30)
    many = robot.assemble(guesses)
    ones = [robot.assemble(q) for q in guesses]
    np.testing.assert_array_equal(many.q, [one.q for one in ones])
    assert list(many.closed) == [one.closed for one in ones]
    assert list(many.iterations) == [one.iterations for one in ones]
    assert many.iterations.dtype == np.int64 and isinstance(ones[0].iterations, int)
    closed = many.q[many.closed]
    assert robot.constraint_errors(closed).position.max() < 1e-10
    qd = robot.project_velocity(closed, np.ones((len(closed), robot.n_v))).rates
    errors = robot.constraint_errors(closed, qd)
    assert errors.velocity.max() < 1e-9 and errors.acceleration.max() == 0
    assert robot.constraint_errors(closed[0], np.ones(robot.n_v)).velocity > 1e-3
    assert bool(many) == all(many.closed)
    lost = robot.assemble(guesses, tolerance=1e-30, max_iterations=1)
    assert not lost and lost.message
