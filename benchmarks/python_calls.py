"""What a call from Python costs: every verb of one state beside empty functions of pybind11, many states.

    PYTHONPATH=build/release/python python3 benchmarks/python_calls.py [ROBOT [VERB ...]]

Processor time (of all cores wall time), all in one run. Of one state: least of 12 repetitions in turn with an
empty function that takes the same arguments and makes arrays of the same shapes ("same"), and in times of one
that takes three vectors and makes one ("plain"). "own work" is what the verb itself takes: of each of 2,000
states in one call, one by one on one thread. Many states: ns for each of 100,000, into `out=`.
"""
import sys
import time
import timeit

import numpy as np

import torsor


def calls(robot):
    """{verb: (what stands before the arrays or None, arrays)}, every verb of one state of a robot."""
    random = np.random.default_rng(1)
    q, frame, led = robot.random_configuration(1), robot.frame_names[-1], robot.joint_names[::3]
    v, a, tau = random.normal(size=(3, robot.n_v))
    V, A, p = random.normal(size=6), random.normal(size=(robot.n_v, 3)), robot.parameters
    of_state = {
        "forward_kinematics": (q,), "mass_matrix": (q,), "mass_matrix_inverse": (q,),
        "gravity_torque": (q,),
        "christoffel": (q,), "potential_energy": (q,), "spring_energy": (q,), "centre_of_mass": (q,),
        "com_jacobian": (q,), "centroidal_map": (q,), "gravity_torque_derivatives": (q,),
        "configuration_space_form": (q,), "mass_matrix_inverse_times": (q, A),
        "integrate": (q, v), "difference": (q, q), "coriolis_matrix": (q, v), "bias_torque": (q, v),
        "friction_torque": (q, v), "kinetic_energy": (q, v), "momentum": (q, v), "com_jacobian_dot": (q, v),
        "centroidal_map_dot": (q, v), "state_space_form": (q, v), "bias_torque_derivatives": (q, v),
        "energy_derivatives": (q, v), "energy_regressor": (q, v), "constraint_rows": (q, v),
        "project_velocity": (q, v), "constraint_errors": (q, v, a), "project_acceleration": (q, v, a),
        "inverse_dynamics": (q, v, a), "forward_dynamics": (q, v, tau), "joint_wrenches": (q, v, a),
        "centroidal_momentum": (q, v, a), "torque_regressor": (q, v, a),
        "inverse_dynamics_derivatives": (q, v, a), "forward_dynamics_derivatives": (q, v, tau),
        "constrained_forward_dynamics": (q, v, tau),
        "two_velocity_inverse_dynamics": (q, v, v, a), "two_velocity_torque_regressor": (q, v, v, a),
        "torque_of_parameters": (q, v, a, p), "assemble": (q,)}
    of_frame = {
        "frame_pose": (q,), "jacobian": (q,), "analytic_jacobian": (q,), "manipulability": (q,),
        "jacobian_derivatives": (q,), "cartesian_form": (q,), "frame_velocity": (q, v),
        "jacobian_dot": (q, v),
        "point_jacobian": (q, V[:3]), "inverse_velocity": (q, V), "statics": (q, V),
        "wrench_from_torques": (q, tau), "operational_dynamics": (q, v), "frame_velocity_derivatives": (q, v),
        "frame_acceleration": (q, v, a), "inverse_acceleration": (q, v, V),
        "frame_acceleration_derivatives": (q, v, a)}
    of_joints = {"hybrid_dynamics": (q, v, a, tau), "hybrid_dynamics_derivatives": (q, v, a, tau),
                 "constrained_hybrid_dynamics": (q, v, a, tau)}
    return {**{verb: (None, arrays) for verb, arrays in of_state.items()},
            **{verb: (frame, arrays) for verb, arrays in of_frame.items()},
            **{verb: (led, arrays) for verb, arrays in of_joints.items()},
            "constrained_inverse_dynamics": (robot.joint_names, (q, v, a, tau))}


def beside_empty(robot, verb, first, arrays, number=400, repeat=12):
    """ns of a call, and of an empty function with the same arguments and answers, in turn."""
    call = getattr(robot, verb)
    before = () if first is None else (first,)
    word = () if first is None else (first if isinstance(first, str) else "joints",)
    empty = torsor._torsor._empty_like(len(arrays), bool(word), call(*before, *arrays))
    timers = [timeit.Timer(lambda: call(*before, *arrays), timer=time.thread_time),
              timeit.Timer(lambda: empty(*word, *arrays), timer=time.thread_time)]
    runs = [[timer.timeit(number) for timer in timers] for _ in range(repeat)]
    return [min(times) / number * 1e9 for times in zip(*runs)]


def own_work(robot, verb, first, arrays, count=2000):
    """ns of one state in a call for many of them, on one thread: without what a call costs."""
    fixed = {"point_jacobian": 1, "mass_matrix_inverse_times": 1, "torque_of_parameters": 3}.get(verb)
    rows = [x if k == fixed else np.tile(x, (count, 1)) for k, x in enumerate(arrays)]
    before, call = () if first is None else (first,), getattr(robot, verb)
    threads = torsor.get_threads()
    torsor.set_threads(1)
    torsor._torsor._batch_room(False)  # which would take them together
    try:
        return least(lambda: call(*before, *rows), 1) / count
    finally:
        torsor.set_threads(threads)
        torsor._torsor._batch_room(True)


def least(function, number, timer=time.thread_time):
    return min(timeit.repeat(function, number=number, repeat=25, timer=timer)) / number * 1e9


def main():
    robot = torsor.Robot(sys.argv[1] if len(sys.argv) > 1 else "panda")
    table, only = calls(robot), sys.argv[2:]
    three = [np.zeros(robot.n_v)] * 3
    plain = least(lambda: torsor._torsor._empty(*three), 2000)
    print(f"{robot.name}, {torsor.instruction_set()}: a plain empty call {plain:.0f} ns")
    heads = ("empty ns", 8), ("x same", 6), ("x plain", 7), ("own work", 8)
    print(f"  {'':32s} {'ns':>8s}", *(f" {head:>{width}s}" for head, width in heads))
    for verb, (first, arrays) in table.items():
        if not only or verb in only:
            ours, empty = beside_empty(robot, verb, first, arrays)
            work = own_work(robot, verb, first, arrays)
            print(f"  {verb:32s} {ours:8.0f}  {empty:8.0f}  {ours / empty:6.2f}  {ours / plain:7.2f}"
                  f"  {work:8.0f}", flush=True)
    if only:
        return
    count, n = 100_000, robot.n_v
    random = np.random.default_rng(1)
    Q = robot.random_configuration(1, count=count)
    V, A = random.normal(size=(2, count, n))
    out, M = np.empty((count, n)), np.empty((count, n, n))
    for threads in (1, 0):
        torsor.set_threads(threads)
        print("one thread" if threads else "all cores")
        for name, call in {
                "inverse_dynamics": lambda: robot.inverse_dynamics(Q, V, A, out=out),
                "forward_dynamics": lambda: robot.forward_dynamics(Q, V, A, out=out),
                "mass_matrix": lambda: robot.mass_matrix(Q, out=M)}.items():
            timer = time.thread_time if threads else time.perf_counter
            print(f"  {name:30s} {least(call, 1, timer) / count:8.1f} ns a state")


if __name__ == "__main__":
    main()
