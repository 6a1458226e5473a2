"""What a call from Python costs, beside an empty function of pybind11 with the same arrays.

    PYTHONPATH=build/release/python python3 benchmarks/python_calls.py [ROBOT]

Least of 25 repetitions, all in one run: processor time, and of all cores wall time; many states as ns for each of
100,000, into `out=`.
"""
import sys
import time
import timeit

import numpy as np

import torsor


def least(function, number, timer=time.thread_time):
    return min(timeit.repeat(function, number=number, repeat=25, timer=timer)) / number * 1e9


def main():
    robot = torsor.Robot(sys.argv[1] if len(sys.argv) > 1 else "panda")
    n, frame = robot.n_v, robot.frame_names[-1]
    random = np.random.default_rng(1)
    q, (qd, qdd) = robot.random_configuration(1), random.normal(size=(2, n))
    empty = least(lambda: torsor._torsor._empty(q, qd, qdd), 2000)
    print(f"{robot.name}, {torsor.instruction_set()}: an empty call {empty:.0f} ns")
    verbs = {
        "inverse_dynamics": lambda: robot.inverse_dynamics(q, qd, qdd),
        "forward_dynamics": lambda: robot.forward_dynamics(q, qd, qdd),
        "mass_matrix": lambda: robot.mass_matrix(q),
        "coriolis_matrix": lambda: robot.coriolis_matrix(q, qd),
        "frame_pose": lambda: robot.frame_pose(frame, q),
        "jacobian": lambda: robot.jacobian(frame, q),
        "torque_regressor": lambda: robot.torque_regressor(q, qd, qdd),
        "inverse_dynamics_derivatives": lambda: robot.inverse_dynamics_derivatives(q, qd, qdd),
    }
    for name, call in verbs.items():
        ns = least(call, 500)
        print(f"  {name:30s} {ns:8.0f} ns  {ns / empty:5.2f} x empty")

    count = 100_000
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
