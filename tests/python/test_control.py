"""Laws of the registry, laws in Python, simulations, scenarios, comparisons, sweeps."""
import inspect
import json
import pickle
import re

import numpy as np
import pytest

import torsor
from conftest import ROOT


@pytest.fixture
def robot():
    return torsor.Robot("planar2r")


def words(name):
    made = "".join(w.capitalize() for w in name.split("_"))
    return "None_" if made == "None" else made  # a word of Python


@pytest.mark.parametrize("entry", torsor.control.laws(), ids=lambda e: e.name)
def test_every_law_is_there_with_its_gains(entry):
    maker = getattr(torsor.control, words(entry.name))
    parameters = inspect.signature(maker).parameters
    for gain in entry.gains:
        if gain.name.isidentifier():
            assert gain.name in parameters
            always = gain.required and "with natural" not in gain.meaning and "not with" not in gain.meaning
            assert (parameters[gain.name].default is inspect.Parameter.empty) == always
        assert gain.name in maker.__doc__
    assert entry.source in maker.__doc__


def test_symbols_of_a_claim_stay_as_they_are():
    assert torsor.control.ComputedTorque.__doc__.startswith("e'' + Kd e' + Kp e = 0.")
    assert torsor.control.SlidingPassivity.__doc__.startswith("s -> 0")
    assert torsor.control.JointLimitAvoidance.__doc__.startswith("A barrier")
    assert torsor.control.None_(torsor.Robot("pendulum")).name == "none"


def test_gains_that_another_stands_for_may_be_left_out(robot):
    """By the signature, and so by the stub, which has it from there."""
    laws = torsor.control
    for make, left_out in ((laws.SlotineLi(robot, Lambda=5, Kd=20, natural_adaptation=1), "adaptation"),
                           (laws.NonlinearDecoupling(robot, poles=[-1, -2, -1, -2]), "Lambda0"),
                           (laws.NonlinearDecoupling(robot, poles=[-1, -2, -1, -2]), "Lambda1")):
        assert left_out not in make.gains
        assert inspect.signature(getattr(laws, words(make.name))).parameters[left_out].default is None
    with pytest.raises(torsor.Error, match="adaptation"):
        laws.SlotineLi(robot, Lambda=5, Kd=20)


def test_gains_may_be_numbers_lists_and_matrices(robot):
    forms = [20, [20, 20], np.array([20.0, 20]), 20 * np.eye(2)]
    state = (0, [0.1, 0.2], [0.3, 0.4], [0, 0], [0, 0], [0, 0])
    torques = [torsor.control.ComputedTorque(robot, Kp=k, Kd=k).torque(*state) for k in forms]
    for tau in torques:
        np.testing.assert_allclose(tau, torques[0], rtol=1e-14)


@pytest.mark.parametrize("make, message", [
    (lambda r: torsor.control.ComputedTorque(r, Kp=1), "Kd"),
    (lambda r: torsor.control.ComputedTorque(r, Kp=[1, 2, 3], Kd=1), "Kp"),
    (lambda r: torsor.control.ComputedTorque(r, Kp=1, Kd=1, Kx=2), "Kx"),
    (lambda r: torsor.control.make("computed_torqe", r, Kp=1), "computed_torque"),
    (lambda r: torsor.control.ComputedTorque("planar2r", Kp=1, Kd=1), "Robot"),
    (lambda r: torsor.simulate(r, 3, [0, 0]), "torque"),
    (lambda r: torsor.simulate(r, torsor.control.make("none", r), duration=-1), "duration"),
    (lambda r: torsor.simulate(r, torsor.control.PdGravity(r, Kp=1, Kd=1), [0, 0, 0]), "q has 3"),
    (lambda r: torsor.simulate(r, torsor.control.PdGravity(r, Kp=1, Kd=1), [0, 0],
                               integrator="rk5"), "rk4"),
    (lambda r: torsor.run_scenario({"robot": "planar2r", "controler": {}}), "controller"),
    (lambda r: torsor.run_scenario("missing.yaml"), "missing.yaml"),
])
def test_refusals(robot, make, message):
    with pytest.raises(torsor.Error, match=message) as refused:
        make(robot)
    assert "\n" not in str(refused.value)


class OwnComputedTorque(torsor.ControlLaw):
    def __init__(self, robot, Kp, Kd):
        self.robot, self.Kp, self.Kd = robot, Kp, Kd

    def torque(self, i):
        a = i.qdd_d + self.Kd * (i.qd_d - i.qd) + self.Kp * (i.q_d - i.q)
        return self.robot.inverse_dynamics(i.q, i.qd, a)


@pytest.mark.parametrize("period", [0, 0.002])
def test_a_law_in_python_does_what_the_library_s_does(robot, period):
    motion = robot.configuration_trajectory([0, 0], [1, -0.5], 0.5)
    options = dict(duration=0.6, q0=[0.1, 0], period=period)
    own = torsor.simulate(robot, OwnComputedTorque(robot, 100, 20), motion, **options)
    library = torsor.simulate(robot, torsor.control.ComputedTorque(robot, Kp=100, Kd=20), motion,
                              **options)
    np.testing.assert_allclose(own["q"], library["q"], atol=1e-9)
    np.testing.assert_allclose(own["tau"], library["tau"], atol=1e-6)
    assert own.controller == "OwnComputedTorque"


class Integral(torsor.ControlLaw):
    """PID: its own states are the integrals of the errors."""

    n_states = 2
    state_names = ["one", "two"]

    def __init__(self, robot):
        self.robot = robot

    def initial_state(self):
        return [0.5, 0]

    def state_derivative(self, i):
        return i.q_d - i.q

    def torque(self, i):
        return 200 * (i.q_d - i.q) - 40 * i.qd + 100 * i.x_c

    def lyapunov(self, i):
        return float(i.q @ i.q), 0.0, True

    def conditions(self):
        return [("gain", 200.0, ">", 0.0)]


@pytest.mark.parametrize("period", [0, 0.001])
def test_states_of_a_law_in_python(robot, period):
    run = torsor.simulate(robot, Integral(robot), [0.4, 0.2], duration=0.5, period=period)
    assert run.columns("x_c") == ["x_c.one", "x_c.two"]
    # A sampled law makes its first step at the start.
    np.testing.assert_allclose(run["x_c"][0], np.array([0.5, 0]) + period * run["e"][0], atol=1e-12)
    e = run["e"]
    t = run.t
    integral = 0.5 + np.sum(0.5 * (e[1:, 0] + e[:-1, 0]) * np.diff(t))
    assert run["x_c"][-1, 0] == pytest.approx(integral, abs=2e-3)
    assert run.conditions[0].verdict == "holds"
    assert "lyapunov" in run


def test_an_exception_in_a_law_comes_out(robot):
    class Broken(torsor.ControlLaw):
        def torque(self, i):
            if i.t > 0.05:
                raise RuntimeError("the gain is lost")
            return np.zeros(2)

    class Short(torsor.ControlLaw):
        def torque(self, i):
            return [0]

    with pytest.raises(RuntimeError, match="the gain is lost"):
        torsor.simulate(robot, Broken(), [0, 0])
    with pytest.raises(torsor.Error, match="torque gave 1 numbers, expected 2"):
        torsor.simulate(robot, Short(), [0, 0])


def test_references_of_every_kind(robot):
    law = torsor.control.ComputedTorque(robot, Kp=100, Kd=20)
    motion = robot.configuration_trajectory([0, 0], [1, -0.5], 0.5)

    def function(t):
        s = motion.sample(t)
        return s.q, s.qd, s.qdd

    def words_of(t):
        s = motion.sample(t)
        return {"q": s.q, "qd": s.qd, "qdd": s.qdd}

    runs = [torsor.simulate(robot, law, r, duration=0.5) for r in (motion, function, words_of)]
    for run in runs:
        np.testing.assert_allclose(run["q"], runs[0]["q"], atol=1e-9)
        np.testing.assert_allclose(run["q"][-1], [1, -0.5], atol=1e-6)


def test_plant_disturbance_and_limits(robot):
    law = torsor.control.PdGravity(robot, Kp=100, Kd=20)
    true = robot.attach_payload("link_2", 1.0, [1, 0, 0])
    run = torsor.simulate(robot, law, [0, 0], plant=true, duration=6)
    # At rest Kp e is the weight that the law does not know of.
    e = run["e"][-1]
    missing = (true.gravity_torque(run["q"][-1]) - robot.gravity_torque(run["q"][-1])) / 100
    np.testing.assert_allclose(e, missing, atol=1e-4)
    pushed = torsor.simulate(robot, law, [0, 0], duration=6, disturbance=lambda t, q, qd: [5, 0])
    np.testing.assert_allclose(pushed["e"][-1], [-0.05, 0], atol=1e-4)
    weak = torsor.simulate(robot, law, [1, 0], duration=1, torque_limit=[30, 10])
    most = np.abs(weak["tau"]).max(axis=0)
    assert most[0] == pytest.approx(30) and most[1] < 10


def test_recordings_are_mappings_of_arrays(robot, tmp_path):
    law = torsor.control.SlotineLi(robot, Lambda=5, Kd=10, **required(robot, "slotine_li"))
    run = torsor.simulate(robot, law, [0.3, 0.2], duration=0.3)
    data = run.to_dict()
    assert set(data) == set(run.keys()) == set(run) and len(run) == len(data)
    assert data["q"].shape == (len(run.t), 2)
    frame = run.to_pandas()
    np.testing.assert_array_equal(frame["q.joint_1"].to_numpy(), data["q"][:, 0])
    assert frame.index.name == "t"
    for name in ("run.csv", "run.trec"):
        run.save(tmp_path / name)
        np.testing.assert_allclose(torsor.load_recording(tmp_path / name)["q"], data["q"],
                                   rtol=1e-15)
    again = pickle.loads(pickle.dumps(run))
    assert np.array_equal(again["tau"], data["tau"])
    np.testing.assert_equal(again.summary(), run.summary())
    with pytest.raises(KeyError, match="it has t, q"):
        run["torque"]
    page = run.page()
    assert page.startswith("<!") and "slotine_li" in page
    assert "joint_1" in run._repr_html_()
    figures = run.joint_figures()["joint_1"]
    assert figures["max_error"] == pytest.approx(np.abs(data["e"][:, 0]).max(), rel=1e-3)


def facts_on(page):
    """What was run, by the page itself."""
    table = page[page.index("What was run"):]
    return dict(re.findall(r"<th[^>]*>([^<]*)</th><td>([^<]*)</td>", table))


def moving(page):
    """The names of the bodies that move on a page, where pages have a script."""
    found = re.search(r'"bodies":(.*)', page)
    return [b["name"] for b in json.JSONDecoder().raw_decode(found.group(1))[0][1:]] if found else []


def test_the_page_has_the_moving_robot_and_what_was_run(robot, tmp_path):
    law = torsor.control.ComputedTorque(robot, Kp=100, Kd=[20, 10])
    loaded = robot.attach_payload("link_2", 0.5)
    run = torsor.simulate(robot, law, [0.3, 0.2], plant=loaded, duration=0.3, period=0.002,
                          position_noise=1e-5, record_every=0.1)
    page = run.page()
    told = facts_on(page)
    assert told["robot"] == "planar2r" and re.match("built in, hash [0-9a-f]{16}$", told["robot file"])
    assert told["controller"] == "computed_torque, Kp: 100, Kd: [20, 10]"
    assert told["reference"] == "hold [0.3, 0.2]"
    for word in ("duration: 0.3", "period: 0.002", "position_noise: 1e-05", "seed: 1", "plant: "):
        assert word in told["run"]
    assert told["integrator"] == run.integrator and told["version"].startswith("torsor " + torsor.__version__)
    assert run.plant is loaded and dict(run.facts)["robot"] == "planar2r"
    has_script = "<script" in page
    assert moving(page) == ([name for name in ("link_1", "link_2")] if has_script else [])
    # Four rows were recorded; the curves of the page are smooth all the same.
    assert len(run.t) == 4 and len(page) > 30000

    again = pickle.loads(pickle.dumps(run))
    assert facts_on(again.page()) == told and moving(again.page()) == moving(page)
    run.save(tmp_path / "run.trec")
    loaded_run = torsor.load_recording(tmp_path / "run.trec")
    assert moving(loaded_run.page()) == [] and loaded_run.plant is None
    assert moving(loaded_run.page(robot="planar2r")) == moving(page)
    assert re.search("hash [0-9a-f]{16}$", facts_on(loaded_run.page("planar2r"))["recording"])
    with pytest.raises(torsor.Error, match="has 2 coordinates"):
        loaded_run.page("panda")


def test_pages_of_scenarios_say_what_was_run(tmp_path):
    plan = scenario("computed_torque", Kp=100, Kd=20)
    told = facts_on(torsor.run_scenario(plan).page())
    assert told["scenario"].startswith("dict in Python, hash ") and "gains" in told["controller"]
    path = tmp_path / "my run.yaml"
    path.write_text(json.dumps(plan, default=float))
    told = facts_on(torsor.run_scenario(path).page())
    assert told["command"].startswith("torsor simulate ") and "my run.yaml" in told["command"]
    runs = torsor.compare([plan, scenario("pd_gravity", Kp=100, Kd=20)])
    told = facts_on(runs.page())
    assert "pd_gravity" in told["controller of pd_gravity"]
    if "<script" in runs.page():
        assert moving(runs.page()) == ["link_1", "link_2"]


def test_surfaces_stand_on_pages_and_pickle(robot):
    wall = {"name": "wall", "frame": "tip", "origin": [1.2, 0, 0], "normal": [-1, 0, 0],
            "stiffness": 2000.0, "damping": 20.0}
    law = torsor.control.ComputedTorque(robot, Kp=50, Kd=15)
    run = torsor.simulate(robot, law, [0.5, -0.5], q0=[1.2, -1.8], duration=0.4, surfaces=[wall])
    assert ("wall" in run.page()) == ("wall" in pickle.loads(pickle.dumps(run)).page()) is True
    with pytest.raises(torsor.Error, match="stifness.*stiffness"):
        torsor.simulate(robot, law, [0, 0], surfaces=[{"stifness": 1}])


def required(robot, name):
    """Other gains that the law must have, by the examples of its entry."""
    entry = next(law for law in torsor.control.laws() if law.name == name)
    return {g.name: [float(x) for x in re.findall(r"[-\d.e]+", g.value)][0] if g.kind != "word"
            else g.value for g in entry.gains if g.required and g.name not in ("Lambda", "Kd")}


def test_plots_have_the_panels_of_the_page(robot):
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    wall = {"name": "wall", "frame": "tip", "origin": [1.2, 0, 0], "normal": [-1, 0, 0],
            "stiffness": 2000.0, "damping": 20.0}
    slotine = torsor.control.SlotineLi(robot, Lambda=5, Kd=20, adaptation=2)
    plain = torsor.control.ComputedTorque(robot, Kp=100, Kd=20)
    for law, options in ((plain, {}), (slotine, {"surfaces": [wall]}),
                         (torsor.control.make("momentum_observer", robot, watched="pd_gravity", Kp=100, Kd=20,
                                              observer=20), {"torque_limit": [30, 10]})):
        run = torsor.simulate(robot, law, [0.3, 0], duration=0.2, **options)
        titles = [a.get_title() for a in run.plot().axes if a.get_visible()]
        page, tables = run.page(), ("Conditions of the proof", "Predictions")
        on_page = [title for pattern in (r"<h3>([^<]+?) <small>", r'"plots"><summary>([^<]+)<')
                   for title in re.findall(pattern, page) if title not in tables]
        assert [title for title in titles if title != "Velocities"] == on_page  # in its order
    torques = next(a for a in run.plot().axes if a.get_title() == "Torques")
    assert torques.get_ylabel() == "N m" and run.units("tau") == ["N m", "N m"] and run.units("t") == ["s"]
    assert set(run.units("lyapunov")) == {""}  # V has the unit of its law
    assert {line.get_ydata()[0] for line in torques.get_lines() if line.get_linestyle() == "--"} == {
        30, -30, 10, -10} and list(run.torque_limit) == [30, 10]
    assert len(run.plot(joints=["joint_1"]).axes[0].get_lines()) == 1
    comparison = torsor.compare([scenario("pd_gravity", Kp=100, Kd=20), scenario("computed_torque", Kp=1, Kd=1)])
    legend = comparison.plot().axes[0].get_legend()
    assert [text.get_text() for text in legend.get_texts()] == list(comparison)
    with pytest.raises(torsor.Error, match="joint"):
        run.plot(joints=["elbow"])
    matplotlib.pyplot.close("all")


def test_show_opens_the_page(robot, monkeypatch):
    opened = []
    monkeypatch.setattr("webbrowser.open", opened.append)
    run = torsor.simulate(robot, torsor.control.PdGravity(robot, Kp=10, Kd=10), [0, 0],
                          duration=0.05)
    path = run.show()
    assert opened == ["file://" + path]
    with open(path) as file:
        assert "pd_gravity" in file.read()


def scenario(law, **gains):
    return {"robot": "planar2r", "controller": {"law": law, "gains": gains},
            "reference": {"quintic": {"from": [0, 0], "to": [1, np.float64(-0.5)], "duration": 0.5}},
            "run": {"duration": 0.6}}


def test_scenarios_as_dicts_and_files(tmp_path):
    as_dict = torsor.run_scenario(scenario("computed_torque", Kp=100, Kd=np.array([20, 20])))
    assert as_dict.stop == "finished" and not as_dict.diverged
    path = ROOT / "examples" / "scenarios" / "planar_arm_computed_torque.yaml"
    run = torsor.run_scenario(path)
    assert run.controller == "computed_torque"
    assert all(p.kept for p in run.predictions)


def test_compare_puts_laws_into_one_experiment():
    runs = torsor.compare([scenario("computed_torque", Kp=100, Kd=20),
                           scenario("pd_gravity", Kp=100, Kd=20)])
    assert list(runs) == ["computed_torque", "pd_gravity"]
    assert runs["computed_torque"].summary()["rms_error"] < runs["pd_gravity"].summary()["rms_error"]
    table = runs.to_pandas()
    assert table.loc["pd_gravity", "max_torque"] > 0
    assert "pd_gravity" in runs._repr_html_() and "pd_gravity" in runs.page()
    again = pickle.loads(pickle.dumps(runs))
    assert list(again) == list(runs) and np.array_equal(again["pd_gravity"]["q"], runs["pd_gravity"]["q"])
    own = torsor.Comparison([("mine", runs["pd_gravity"]), ("mine", runs["computed_torque"])])
    assert list(own) == ["mine", "mine (2)"] and "mine (2)" in own.page()
    assert np.array_equal(runs["computed_torque"]["q"],
                          torsor.run_scenario(scenario("computed_torque", Kp=100, Kd=20))["q"])


def test_a_sweep_does_not_depend_on_threads():
    plan = dict(scenario("pd_gravity", Kp=100, Kd=20),
                sweep={"samples": 6, "seed": 3, "uncertainties": {"parameter_factor": [0.8, 1.2]}})
    one, two = torsor.sweep(plan, threads=1), torsor.sweep(plan, threads=2)
    assert len(one) == 6 and np.array_equal(one.figures, two.figures, equal_nan=True)
    assert np.all((one["parameter_factor"] > 0.8) & (one["parameter_factor"] < 1.2))
    frame = one.to_pandas()
    assert list(frame["stop"]) == ["finished"] * 6
    assert {s.name for s in one.statistics} >= {"rms_error", "energy"}
    assert "rms_error" in one._repr_html_()


def test_the_page_of_a_sweep(monkeypatch):
    plan = dict(scenario("pd_gravity", Kp=100, Kd=20),
                sweep={"samples": 8, "seed": 3, "uncertainties": {"parameter_factor": [0.8, 1.2]}})
    sweep = torsor.sweep(plan)
    page = sweep.page()
    told = facts_on(page)
    assert told["samples"] == "8" and told["seed of all draws"] == "3" and "parameter_factor" in told["sweep"]
    assert told["command"].startswith("none: torsor.sweep") and told["version"].startswith("torsor ")
    assert "Worst cases" in page and "as in the file" in page
    worst = next(s for s in sweep.statistics if s.name == "rms_error")
    assert f"sample {worst.worst_sample}" in page
    again = pickle.loads(pickle.dumps(sweep))
    assert facts_on(again.page())["sweep"] == told["sweep"]
    opened = []
    monkeypatch.setattr("webbrowser.open", opened.append)
    path = sweep.show()
    assert opened == ["file://" + path]
