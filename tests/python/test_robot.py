"""torsor.Robot: what it is made from, names, files, copies, refusals."""
import copy
import pickle

import numpy as np
import pytest

import torsor


def test_text_of_a_file_makes_the_same_robot():
    first = torsor.Robot("panda")
    texts = [torsor.convert("panda", to).text for to in torsor.formats()]
    assert torsor.convert("panda", "yaml").text == texts[list(torsor.formats()).index("robot")]
    for text in (first.to_urdf(), *texts):
        q = first.random_configuration(7)
        np.testing.assert_allclose(torsor.Robot(text).mass_matrix(q), first.mass_matrix(q),
                                   atol=1e-12)


def test_files_are_written_and_read_again(tmp_path):
    robot = torsor.Robot("ur5")
    q = robot.random_configuration(4)
    for name in ("arm.urdf", "arm.yaml"):
        path = tmp_path / name
        robot.save(path)
        np.testing.assert_allclose(torsor.Robot(path).gravity_torque(q), robot.gravity_torque(q),
                                   atol=1e-11)
    robot.to_urdf(tmp_path / "other.urdf")
    assert torsor.Robot(str(tmp_path / "other.urdf")).n_v == 6
    assert not list(tmp_path.glob("*.tmp*"))


@pytest.mark.parametrize("name", sorted(set(torsor.robots()) - {"chain:N"}))
def test_every_robot_pickles_to_the_last_bit(name):
    robot = torsor.Robot(name)
    again = pickle.loads(pickle.dumps(robot))
    assert again.dof_names == robot.dof_names and again.source == robot.source
    assert np.array_equal(again.parameters, robot.parameters)
    if robot.n_constraints:
        assert again.constraint_names == robot.constraint_names
        again, robot = (r.with_effects(torsor.Effects(loops=False)) for r in (again, robot))
    q = robot.random_configuration(2)
    np.testing.assert_allclose(again.mass_matrix(q), robot.mass_matrix(q), rtol=1e-13, atol=1e-13)


def test_parameters_of_no_possible_body_pickle():
    robot = torsor.Robot("pointmass2r")
    p = robot.parameters
    p[:10] = 0
    p[1] = 3.0  # a first moment without mass
    odd = robot.with_parameters(p)
    assert np.array_equal(pickle.loads(pickle.dumps(odd)).parameters, p)


def test_copies_share_the_model_and_answer_alike():
    robot = torsor.Robot("panda")
    q = robot.random_configuration(5)
    for other in (copy.copy(robot), copy.deepcopy(robot), torsor.Robot(robot)):
        assert other is not robot
        assert np.array_equal(other.mass_matrix(q), robot.mass_matrix(q))
        frame = robot.frame("tool")
        assert np.array_equal(other.frame_pose(frame, q), robot.frame_pose("tool", q))


def test_joints_frames_and_limits():
    robot = torsor.Robot("panda").with_base("free")
    assert [j.kind for j in robot.joints[:2]] == ["free", "revolute"]
    assert robot.joints[0].q == slice(0, 7, 1) and robot.joints[0].v == slice(0, 6, 1)
    assert robot.joint("joint_3").name == "joint_3"
    assert len(robot.coordinate_names) == robot.n_q == 14
    assert len(robot.dof_names) == robot.n_v == 13
    assert {f.name for f in robot.frames} == set(robot.frame_names)
    limits = robot.limits
    assert limits.lower.shape == (14,) and limits.effort.shape == (13,)
    assert np.all(limits.lower[7:] < limits.upper[7:])


def test_a_frame_fixed_in_another():
    robot = torsor.Robot("panda")
    shift = np.eye(4)
    shift[:3, 3] = [0.1, 0.2, 0.3]
    q = robot.random_configuration(1)
    place = robot.frame("tool", shift, "sensor")
    assert place.name == "sensor"
    np.testing.assert_allclose(robot.frame_pose(place, q), robot.frame_pose("tool", q) @ shift,
                               atol=1e-14)
    with pytest.raises(torsor.Error, match="another robot"):
        torsor.Robot("panda").frame_pose(place, q)


def test_surgery_is_a_new_robot():
    robot = torsor.Robot("panda")
    q = robot.random_configuration(9)
    heavy = robot.attach_payload("link_7", 2.0, com=[0, 0, 0.1], name="load")
    assert heavy.mass == pytest.approx(robot.mass + 2)
    J = robot.point_jacobian("link_7", q, [0, 0, 0.1])
    np.testing.assert_allclose(heavy.gravity_torque(q) - robot.gravity_torque(q),
                               J.T @ [0, 0, 2 * 9.81], atol=1e-10)
    locked = robot.lock_joints(["joint_1", "joint_4"], q)
    assert locked.n_v == 5
    keep = [1, 2, 4, 5, 6]
    np.testing.assert_allclose(locked.mass_matrix(q[keep]),
                               robot.mass_matrix(q)[np.ix_(keep, keep)], atol=1e-12)
    moved = np.eye(4)
    moved[2, 3] = 1
    assert robot.with_base(moved).frame_pose("tool", q)[2, 3] == pytest.approx(
        robot.frame_pose("tool", q)[2, 3] + 1)
    assert robot.extract("link_0", "link_3").n_v == 3
    assert robot.append(robot, "link_7").n_v == 14
    assert robot.with_gravity([0, 0, 0]).gravity_torque(q) == pytest.approx(np.zeros(7))
    assert "probe" in robot.add_frame("probe", "link_7", moved).frame_names


def test_findings_of_a_file_with_faults(tmp_path):
    bad = torsor.Robot("panda").to_urdf().replace("<mass value=", "<mass value=\"-1\" old=", 1)
    path = tmp_path / "bad.urdf"
    path.write_text(bad)
    findings = torsor.check(path)
    assert any(f.severity == "error" for f in findings)
    assert any("bad.urdf" in str(f) for f in findings)
    assert torsor.Robot("panda").check() == [] or torsor.Robot("panda").check()[0].severity


REFUSED = [
    (lambda r: torsor.Robot("pandaa"), "panda"),
    (lambda r: torsor.Robot("missing.urdf"), "missing.urdf"),
    (lambda r: torsor.Robot(3), "expected text"),
    (lambda r: r.gravity_torque([1, 2]), "q has 2 numbers, expected 7"),
    (lambda r: r.gravity_torque(np.zeros((3, 5))), "q has 5 numbers, expected 7"),
    (lambda r: r.gravity_torque(np.full((3, 7), np.nan)), r"q\[0\]: .*finite"),
    (lambda r: r.momentum(np.zeros((3, 7)), np.zeros((3, 5))), "state 0: .*qd has 5 numbers"),
    (lambda r: r.gravity_torque(np.zeros((2, 3, 7))), "shape"),
    (lambda r: r.gravity_torque(["a"] * 7), "expected real numbers"),
    (lambda r: r.gravity_torque(np.zeros(7, complex)), "complex128"),
    (lambda r: r.gravity_torque([np.nan] * 7), "finite"),
    (lambda r: r.gravity_torque(None), "q is missing"),
    (lambda r: r.bias_torque(np.zeros(7), [0] * 6 + [np.nan]), "qd.*finite"),
    (lambda r: r.bias_torque(np.zeros((2, 7)), [[0] * 7, [0] * 6 + [np.inf]]), r"qd\[1\]: .*finite"),
    (lambda r: r.gravity_torque(np.ma.masked_less(np.arange(7.0), 2)), "q is a masked array"),
    (lambda r: r.gravity_torque([np.ma.masked_less(np.arange(7.0), 2)] * 2), "q is a masked array"),
    (lambda r: r.gravity_torque(np.ma.masked_less(np.zeros((3, 7), int), 2)), "q is a masked array"),
    (lambda r: r.gravity_torque(0.1 * k for k in range(7)), r"type generator, .* list\(\)"),
    (lambda r: r.gravity_torque({1, 2}), "type set, expected an array or a list"),
    (lambda r: r.mass_matrix(np.zeros(7), out=np.ma.masked_array(np.zeros((7, 7)))), "without a mask"),
    (lambda r: r.mass_matrix(np.zeros(7), out=np.broadcast_to(np.zeros(7), (7, 7))), "writeable"),
    (lambda r: r.mass_matrix(np.zeros((2, 7)), out=np.frombuffer(bytes(784)).reshape(2, 7, 7)),
     "writeable"),
    (lambda r: r.gravity_torque([[0] * 7, [0] * 6]), "differ in length"),
    (lambda r: r.bias_torque(np.zeros((4, 7)), np.zeros((5, 7))), "qd has 5 states, but q has 4"),
    (lambda r: r.frame_pose("toool", np.zeros(7)), "tool"),
    (lambda r: r.frame_pose(3, np.zeros(7)), "expected the name of a frame"),
    (lambda r: r.jacobian("tool", np.zeros(7), "bodyy"), "expected body, world or world_aligned"),
    (lambda r: r.mass_matrix(np.zeros(7), out=np.zeros((7, 6))), r"out has the shape \(7, 6\)"),
    (lambda r: r.mass_matrix(np.zeros(7), out=np.zeros((7, 7), int)), "out has the type int64"),
    (lambda r: r.mass_matrix(np.zeros(7), out=np.zeros((7, 7)).T[::-1]), "C order"),
    (lambda r: r.mass_matrix(np.zeros(7), out=3), "no array"),
    (lambda r: r.inverse_dynamics(*[np.zeros(7)] * 3, external={"tool": [1, 2]}),
     "external has 2 numbers, expected 6"),
    (lambda r: r.inverse_dynamics(*[np.zeros(7)] * 3, external=[1]), "external is"),
    (lambda r: r.inverse_dynamics(*[np.zeros(7)] * 3, effects=3), "Effects"),
    (lambda r: r.analytic_ik("tool", np.zeros((3, 3))), "expected a pose as 4 x 4"),
    (lambda r: r.inverse_kinematics("tool", np.ones((4, 4))), "last row"),
    (lambda r: r.with_parameters({"link_9.m": 1}), "link_9.m"),
    (lambda r: r.with_base("fre"), "free"),
    (lambda r: r.inverse_dynamics_derivatives(*[np.zeros(7)] * 3, parameters="link_2.mas"), "mas"),
    (lambda r: torsor.convert("panda", "urd"), "urdf"),
]


@pytest.mark.parametrize("k", range(len(REFUSED)))
def test_what_is_wrong_is_one_line(k):
    call, words = REFUSED[k]
    with pytest.raises(torsor.Error, match=words) as refused:
        call(torsor.Robot("panda"))
    assert "\n" not in str(refused.value)
    assert isinstance(refused.value, ValueError)


def test_arguments_by_place_and_keyword():
    robot = torsor.Robot("panda")
    q = robot.random_configuration(1)
    assert np.array_equal(robot.jacobian(q=q, frame="tool", reference="world"),
                          robot.jacobian("tool", q, "world"))
    with pytest.raises(TypeError, match="no argument \"qq\""):
        robot.mass_matrix(qq=q)
    with pytest.raises(TypeError, match="needs \"q\""):
        robot.mass_matrix()
    with pytest.raises(TypeError, match="at most 1"):
        robot.mass_matrix(q, q)
    with pytest.raises(TypeError, match="twice"):
        robot.mass_matrix(q, q=q)


def test_a_subclass_that_forgets_its_base():
    class Forgetful(torsor.Robot):
        def __init__(self):
            pass

    with pytest.raises(TypeError):
        Forgetful().mass_matrix([0])


def test_html_names_every_joint():
    robot = torsor.Robot("panda")
    text = robot._repr_html_()
    assert all(name in text for name in robot.joint_names)


def xacro_in_a_package(folder):
    """An arm whose file asks another package for a length, and takes a mass."""
    (folder / "parts" / "urdf").mkdir(parents=True)
    (folder / "parts" / "package.xml").write_text("<package><name>parts</name></package>")
    (folder / "parts" / "urdf" / "sizes.xacro").write_text(
        '<robot xmlns:xacro="http://www.ros.org/wiki/xacro"><xacro:property name="length" value="0.5"/></robot>')
    path = folder / "elsewhere" / "arm.urdf.xacro"
    path.parent.mkdir()
    path.write_text(
        '<robot name="arm" xmlns:xacro="http://www.ros.org/wiki/xacro">'
        '<xacro:include filename="$(find parts)/urdf/sizes.xacro"/>'
        '<xacro:arg name="mass" default="1"/><xacro:arg name="turned" default="false"/>'
        '<link name="base"/><link name="a"><inertial><origin xyz="${length} 0 0"/>'
        '<mass value="$(arg mass)"/><inertia ixx="0.1" iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"/>'
        '</inertial></link><joint name="j" type="continuous"><parent link="base"/><child link="a"/>'
        '<xacro:if value="$(arg turned)"><axis xyz="0 1 0"/></xacro:if>'
        '<xacro:unless value="$(arg turned)"><axis xyz="0 0 1"/></xacro:unless></joint></robot>')
    return path, folder


def test_arguments_and_packages_of_a_xacro_file(tmp_path, monkeypatch):
    for variable in ("TORSOR_PACKAGE_PATH", "ROS_PACKAGE_PATH", "AMENT_PREFIX_PATH"):
        monkeypatch.delenv(variable, raising=False)
    (tmp_path / "there").mkdir()
    path, folder = xacro_in_a_package(tmp_path / "there")
    (tmp_path / "packages").mkdir()
    (folder / "parts").rename(tmp_path / "packages" / "parts")
    (tmp_path / "packages").rename(tmp_path.parent / (tmp_path.name + "_packages"))
    packages = tmp_path.parent / (tmp_path.name + "_packages")
    with pytest.raises(torsor.Error, match="parts"):
        torsor.Robot(path)
    plain = torsor.Robot(path, package_folders=[packages])
    assert plain.mass == 1 and plain.gravity_torque([0])[0] == pytest.approx(0)
    words = {"mass": 2, "turned": True}
    for arguments in (words, ["mass:=2", "turned:=true"]):
        robot = torsor.Robot(path, arguments=arguments, package_folders=packages)
        assert robot.mass == 2 and abs(robot.gravity_torque([0])[0]) == pytest.approx(2 * 9.81 * 0.5)
        assert robot.source.endswith("arm.urdf.xacro mass:=2 turned:=true")
        assert pickle.loads(pickle.dumps(robot)).mass == 2
    with pytest.raises(torsor.Error, match="no arguments|takes no"):
        torsor.Robot(torsor.Robot("panda").to_urdf(), arguments=words)
    with pytest.raises(torsor.Error, match="arguments is 3"):
        torsor.Robot(path, arguments=3)
    with pytest.raises(TypeError, match=r"Robot\(robot\)"):
        torsor.Robot(path, argument=words)


def test_configurations_of_the_file(tmp_path):
    path = tmp_path / "arm.yaml"
    path.write_text(
        "robot: arm\nbodies: [{name: base}, {name: a, mass: 1}]\n"
        "joints: [{name: j, type: revolute, parent: base, child: a}]\n"
        "configurations: [{name: home, q: {j: 0.25}}]\n"
    )
    assert torsor.Robot(str(path)).configurations["home"].tolist() == [0.25]
    assert torsor.Robot("panda").configurations == {}


def test_what_is_said_of_a_text_is_what_is_said_of_its_file(tmp_path):
    text = torsor.Robot("panda").to_urdf().replace('<mass value="', '<mass value="-', 1)
    path = tmp_path / "arm.urdf"
    path.write_text(text)
    for make in (lambda: torsor.Robot(path), lambda: torsor.Robot(text)):
        with pytest.raises(torsor.Error, match="mass"):
            make()
    text = torsor.Robot("puma560").to_urdf()
    path.write_text(text)
    of_file, of_text = torsor.Robot(path).findings, torsor.Robot(text).findings
    assert of_file and [f[3:] for f in of_text] == [f[3:] for f in of_file]
    assert [f.severity for f in of_text] == [f.severity for f in of_file]
