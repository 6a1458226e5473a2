"""Base parameters, excitation, identification and calibration from arrays and tables."""
import json

import numpy as np
import pytest

import torsor


def test_base_parameters_give_the_same_torques():
    robot = torsor.Robot("puma560")
    base = torsor.base_parameters(robot)
    random = np.random.default_rng(1)
    q, qd, qdd = random.normal(size=(3, 50, 6))
    Y = robot.torque_regressor(q, qd, qdd).reshape(-1, len(robot.parameters))
    assert np.linalg.matrix_rank(Y) == len(base.kept)
    terms = np.abs(base.regrouping) @ np.abs(robot.parameters)  # their sum may cancel, rounding does not
    assert (np.abs(base.regrouping @ robot.parameters - base.values) <= 1e-15 * terms).all()
    columns = [base.names.index(name) for name in base.kept]
    np.testing.assert_allclose(Y[:, columns] @ base.values, Y @ robot.parameters, atol=1e-8)


def test_base_parameters_are_those_of_the_command(command):
    import os
    import subprocess

    answer = json.loads(subprocess.run([os.environ["TORSOR_COMMAND"], "base", "panda", "--json"],
                                       capture_output=True, text=True, check=True).stdout)
    base = torsor.base_parameters(torsor.Robot("panda"))
    assert base.kept == [p["name"] for p in answer["parameters"]]
    np.testing.assert_allclose(base.values, [p["value"] for p in answer["parameters"]], rtol=1e-12)


def measured(robot, seconds=10.0, rate=200.0, noise=0.0, seed=1):
    """A motion of a robot, with the torques that it needs."""
    t = np.arange(int(seconds * rate)) / rate
    random = np.random.default_rng(seed)
    q, qd, qdd = np.zeros((3, len(t), robot.n_v))
    for k in range(1, 6):
        w = 2 * np.pi * 0.1 * k
        a, b = random.normal(size=(2, robot.n_v)) * 0.25
        q += a * np.sin(w * t)[:, None] + b * np.cos(w * t)[:, None]
        qd += w * (a * np.cos(w * t)[:, None] - b * np.sin(w * t)[:, None])
        qdd -= w * w * (a * np.sin(w * t)[:, None] + b * np.cos(w * t)[:, None])
    tau = robot.inverse_dynamics(q, qd, qdd)
    tau = tau + noise * np.abs(tau).max(axis=0) * random.normal(size=tau.shape)
    return {"t": t, "q": q, "qd": qd, "tau": tau}


@pytest.fixture(scope="module")
def arm():
    return torsor.Robot("planar2r")


def check(found, robot, tolerance):
    p = dict(zip(robot.parameter_names, robot.parameters))
    values = {x.name: x.value for x in found.parameters}
    assert values["link_2.zz"] == pytest.approx(p["link_2.zz"], rel=tolerance)
    assert values["link_2.mx"] == pytest.approx(p["link_2.mx"], rel=tolerance)


def test_identify_from_arrays_dicts_frames_and_recordings(arm):
    pandas = pytest.importorskip("pandas")
    log = measured(arm)
    options = dict(estimator="weighted", bootstrap=0, choice={"rotors": False, "viscous": False,
                                                              "coulomb": False, "offset": False})
    columns = {"t": log["t"]}
    for k, joint in enumerate(arm.dof_names):
        for name in ("q", "qd", "tau"):
            columns[f"{name}.{joint}"] = log[name][:, k]
    frame = pandas.DataFrame(columns)
    by_time = frame.set_index("t")
    results = [torsor.identify(arm, log, **options),
               torsor.identify(arm, **log, **options),
               torsor.identify(arm, frame, **options),
               torsor.identify(arm, [by_time], **options)]
    for found in results:
        check(found, arm, 1e-3)
        assert found.train.all < 0.1
        np.testing.assert_allclose(found.x, results[0].x, rtol=1e-6, atol=1e-9)


def test_a_damaged_log_is_repaired_and_told(arm):
    log = measured(arm, noise=0.002)
    log["q"][300:303, 0] = np.nan
    log["tau"][500, 1] = 1e6
    found = torsor.identify(arm, log, bootstrap=20, validation=measured(arm, seed=5),
                            choice={"rotors": False})
    told = [r.what for r in found.repairs]
    assert len(told) >= 2
    check(found, arm, 0.05)
    assert found.validation.all < 5
    for p in found.parameters:
        if p.determined and p.name in ("link_2.zz", "link_2.mx"):
            assert p.low < p.value < p.high
    robot = found.write_back().robot
    again = measured(arm, seed=9)
    predicted = robot.inverse_dynamics(again["q"], again["qd"], np.gradient(again["qd"], 0.005, axis=0))
    assert np.linalg.norm(predicted - again["tau"]) < 0.03 * np.linalg.norm(again["tau"])
    table = found.to_pandas()
    assert table.loc["link_2.zz", "value"] == pytest.approx(1 / 3, rel=0.05)
    assert "link_2.zz" in found._repr_html_() and found.page().startswith("<!")
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    assert len(found.plot().axes) == 2
    matplotlib.pyplot.close("all")


@pytest.mark.parametrize("change, message", [
    (dict(q=np.zeros((10, 3))), "q has the shape"),
    (dict(tau=np.zeros((10, 2))), "10 rows"),
    (dict(tau=None), "tau"),
    (dict(t=None), "t is missing"),
])
def test_logs_that_do_not_fit_are_refused(arm, change, message):
    log = dict(measured(arm), **change)
    with pytest.raises(torsor.Error, match=message):
        torsor.log(arm, **log)


MOTOR_SIDE = {"t": "t", "q": ["q.joint_1", "q.joint_2"], "tau": ["tau.joint_1", "tau.joint_2"],
              "motor": {"N": [[1, 0], [1, 2]]}}


@pytest.mark.parametrize("words, options", [
    ("--filter savitzky_golay --cutoff 6 --decimate 3", dict(filter="savitzky_golay", cutoff=6,
                                                            decimate=3)),
    ("--filter none --no-velocities --least-speed 0.2",
     dict(filter="none", use_velocities=False, least_speed=0.2)),
    ("--filter fourier --period 5", dict(filter="fourier", motion_period=5)),
    ("--estimator consistent --mass 2+-0.1 --gamma 0.01 --link-mass link_2=0.5:2 "
     "--link-ellipsoid link_2=0.5,0,0:1,1,1",
     dict(estimator="consistent", mass=(2, 0.1), gamma=0.01, link_masses={"link_2": (0.5, 2)},
          link_ellipsoids={"link_2": ([0.5, 0, 0], [1, 1, 1])})),
    ("--payload link_2=1.5 --payload-only", dict(payloads={"link_2": 1.5}, payload_only=True)),
    ("--width 0.05 --block 0.5 --keep-delay --asymmetry",
     dict(sign_width=0.05, block=0.5, find_delay=False, choice={"asymmetry": True})),
    ("--columns MAP", dict(columns=MOTOR_SIDE)),
])
def test_options_are_those_of_the_command(command, arm, tmp_path, words, options):
    import os
    import subprocess

    log, map_file = tmp_path / "log.csv", tmp_path / "map.yaml"
    data = measured(arm, noise=0.01)
    names = ["t"] + [f"{x}.joint_{k}" for x in ("q", "qd", "tau") for k in (1, 2)]
    np.savetxt(log, np.column_stack([data[x] for x in ("t", "q", "qd", "tau")]), delimiter=",",
               header=",".join(names), comments="", fmt="%.17g")
    map_file.write_text(json.dumps(MOTOR_SIDE))
    run = subprocess.run([os.environ["TORSOR_COMMAND"], "identify", "planar2r", str(log), "--json",
                          "--bootstrap", "20", *words.replace("MAP", str(map_file)).split()],
                         capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    expected = json.loads(run.stdout)
    plain = torsor.identify(arm, log, bootstrap=20)
    found = torsor.identify(arm, log, bootstrap=20, **options)
    assert [p.name for p in found.parameters] == [p["name"] for p in expected["parameters"]]
    for key in ("value", "sigma"):
        np.testing.assert_allclose([getattr(p, key) for p in found.parameters],
                                   [p[key] for p in expected["parameters"]], rtol=1e-9, atol=1e-12)
    assert [(p.name, p.value) for p in found.parameters] != [(p.name, p.value)
                                                             for p in plain.parameters]


@pytest.mark.parametrize("options, message", [
    (dict(filter="buterworth"), "butterworth"),
    (dict(decimate=0), "decimate"),
    (dict(gamma=-1), "gamma"),
    (dict(mass=(2, 0.1, 3)), "mass"),
    (dict(payloads={"link_2": (1.0, [4])}), "log 4"),
    (dict(payloads=["link_2"]), "dict"),
    (dict(link_masses={"link_2": (3, 1)}), "link_2"),
    (dict(link_ellipsoids={"link_2": [1, 2, 3]}), "link_ellipsoids"),
])
def test_options_that_make_no_sense_are_refused(arm, options, message):
    with pytest.raises(torsor.Error, match=message) as refused:
        torsor.identify(arm, measured(arm, 2.0), **options)
    assert "\n" not in str(refused.value)


def test_control_c_in_the_bootstrap_keeps_the_estimate(arm):
    log = measured(arm, noise=0.01)
    whole = torsor.identify(arm, log, bootstrap=0)

    def stop(share):
        if share > 0.66:
            raise KeyboardInterrupt

    with pytest.raises(torsor.Interrupted) as stopped:
        torsor.identify(arm, log, bootstrap=3_000_000, progress=stop)
    found = stopped.value.result
    np.testing.assert_array_equal(found.x, whole.x)
    (note,) = [note for note in found.notes if "stopped after" in note]
    assert "of 3000000 draws" in note
    mx = next(p for p in found.parameters if p.name == "link_2.mx")
    assert mx.low < mx.value < mx.high and mx.sigma < 0.1


def test_control_c_before_the_fit_keeps_nothing(arm):
    """Work tells at once how far it is: before there is anything to keep."""
    told = []

    def at_once(share):
        told.append(share)
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt) as stopped:
        torsor.identify(arm, measured(arm), bootstrap=0, progress=at_once)
    assert len(told) == 1 and told[0] < 0.65
    assert not isinstance(stopped.value, torsor.Interrupted) and not hasattr(stopped.value, "result")


def test_numbers_in_what_is_printed_are_for_people(arm):
    log = measured(arm, noise=0.01)
    for thing in (torsor.identify(arm, log, bootstrap=0),
                  torsor.design_excitation("pointmass2r", period=4, starts=1, iterations=2, position_limit=1,
                                           velocity_limit=2)):
        assert not any(len(word) > 12 for word in repr(thing).split() if word[0].isdigit()), repr(thing)


def test_unknown_words_are_refused(arm):
    log = measured(arm, 2.0)
    with pytest.raises(torsor.Error, match="weighted"):
        torsor.identify(arm, log, estimator="wheighted")
    with pytest.raises(torsor.Error, match="inertial"):
        torsor.identify(arm, log, choice={"inertia": True})
    with pytest.raises(torsor.Error, match="link_2"):
        torsor.identify(arm, log, unknowns=["link_2.mxx"])


def test_excitation_is_better_than_its_start():
    found = torsor.design_excitation("planar2r", period=5, starts=2, iterations=20,
                                     position_limit=2, velocity_limit=3)
    assert found.condition < found.start_condition and found.keeps_limits
    motion = found.sample(np.linspace(0, found.duration, 500))
    assert np.abs(motion.q).max() <= 2 + 1e-9 and np.abs(motion.qd).max() <= 3 + 1e-9
    np.testing.assert_allclose(motion.q[0], motion.q[-1], atol=1e-9)


def test_calibration_finds_the_offsets():
    nominal = torsor.Robot("puma560")
    offsets = np.array([0, 0.01, -0.02, 0.005, 0.003, 0])
    q = nominal.random_configuration(1, count=60)
    poses = nominal.frame_pose("tool", q + offsets)
    found = torsor.calibrate(nominal, q, poses, parameters=["offsets"])
    change = {p.name: p.change for p in found.parameters if not p.held}
    for joint, offset in zip(nominal.joint_names, offsets):
        assert change[f"offset.{joint}"] == pytest.approx(offset, abs=1e-7)
    assert found.after.position_rms < 1e-8 < found.before.position_rms
    np.testing.assert_allclose(found.robot.frame_pose("tool", q), poses, atol=1e-7)
    with pytest.raises(torsor.Error, match="shape"):
        torsor.calibrate(nominal, q, poses[:5])

