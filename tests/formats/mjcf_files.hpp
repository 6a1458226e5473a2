#pragma once
/// Small MJCF files, one for every construct that the reader knows, in the words that MuJoCo 2.2 has, too.
#include <string>
#include <vector>

namespace torsor::testing {

struct MjcfFile {
  std::string name, text;
  friend void PrintTo(const MjcfFile& file, std::ostream* out) { *out << file.name; }
};

inline std::vector<MjcfFile> mjcf_files() {
  return {
      {"pendulum_off_its_frame", R"(<mujoco model="pendulum">
  <option gravity="0.5 -1 -9"/>
  <worldbody>
    <body name="rod" pos="0.1 0.2 0.3" euler="10 20 30">
      <inertial pos="0.1 0 -0.4" mass="1.5" diaginertia="0.02 0.03 0.04" euler="40 -20 10"/>
      <joint name="hinge" pos="0.05 -0.1 0.2" axis="1 2 -1" ref="25" armature="0.3" damping="0.7"
             stiffness="3" springref="-40" limited="true" range="-100 170"/>
      <site name="tip" pos="0 0.1 -0.8" axisangle="1 1 0 50"/>
    </body>
  </worldbody>
</mujoco>)"},
      {"classes", R"(<mujoco model="classes">
  <compiler angle="radian"/>
  <default>
    <joint damping="0.5" axis="0 1 0"/>
    <geom density="700" type="capsule" size="0.05"/>
    <default class="heavy">
      <geom density="3000"/>
      <joint armature="0.2"/>
      <default class="slider"><joint type="slide" axis="1 0 1" damping="2"/></default>
    </default>
    <default class="ball"><geom type="sphere" size="0.1" mass="0.8"/></default>
  </default>
  <worldbody>
    <body name="a" childclass="heavy">
      <joint name="j1"/>
      <geom fromto="0 0 0 0.4 0.1 0.2"/>
      <body name="b" pos="0.4 0.1 0.2">
        <joint name="j2" class="slider"/>
        <geom size="0.03 0.2"/>
        <geom class="ball" pos="0.1 0 0"/>
        <body name="c" pos="0 0.3 0" childclass="ball" quat="0.8 0.1 -0.3 0.4">
          <joint name="j3" axis="0 0 3"/>
          <geom pos="0.05 0.02 0.4"/>
          <site name="end" pos="0 0 0.5"/>
        </body>
      </body>
    </body>
  </worldbody>
</mujoco>)"},
      {"several_joints", R"(<mujoco model="several">
  <worldbody>
    <body name="cart" pos="0 0 1">
      <inertial pos="0.1 0.2 0" mass="3" diaginertia="0.1 0.2 0.25"/>
      <joint name="x" type="slide" axis="1 0 0" ref="0.2"/>
      <joint name="y" type="slide" axis="0 1 0.5"/>
      <joint name="turn" type="hinge" axis="0 0 1" pos="0.3 0 0"/>
      <body name="shoulder" pos="0.2 0.1 0" euler="0 30 0">
        <joint name="s1" axis="1 0 0" pos="0 0.1 0.2"/>
        <joint name="s2" axis="0 1 0" pos="0.1 0 0"/>
        <joint name="s3" axis="0.3 0 1" ref="15"/>
        <geom type="box" size="0.1 0.2 0.3" mass="2" pos="0 0 -0.3"/>
        <site name="hand" pos="0.1 0.2 -0.6"/>
      </body>
    </body>
  </worldbody>
</mujoco>)"},
      {"balls", R"(<mujoco model="balls">
  <compiler angle="radian"/>
  <worldbody>
    <body name="upper" pos="0 0 2">
      <joint name="hip" type="ball" pos="0.1 0 0.2" damping="0.4"/>
      <geom type="capsule" fromto="0 0 0 0.1 0.1 -0.6" size="0.05"/>
      <body name="lower" pos="0.1 0.1 -0.6" quat="0.7 0.1 0.2 0.3">
        <joint name="knee" type="ball" armature="0.05"/>
        <geom type="cylinder" size="0.04 0.3" pos="0 0.02 -0.3"/>
        <site name="foot" pos="0 0 -0.6" xyaxes="1 1 0 0 1 1"/>
      </body>
    </body>
  </worldbody>
</mujoco>)"},
      {"floating", R"(<mujoco model="floating">
  <option gravity="1 2 -9.5"/>
  <worldbody>
    <body name="base" pos="0.3 -0.2 1.1" euler="20 40 -70">
      <freejoint name="root"/>
      <inertial pos="0.02 -0.01 0.03" mass="4" fullinertia="0.3 0.35 0.28 0.02 -0.03 0.01"/>
      <site name="camera" pos="0.1 0 0.2" zaxis="1 0.5 0.2"/>
      <body name="leg" pos="0.2 0 -0.1">
        <joint name="hip" axis="0 1 0"/>
        <geom type="capsule" fromto="0 0 0 0 0 -0.4" size="0.04"/>
        <body name="shin" pos="0 0 -0.4">
          <joint name="knee" axis="0 1 0.1"/>
          <geom type="ellipsoid" size="0.05 0.04 0.2" pos="0 0 -0.2"/>
          <site name="toe" pos="0 0 -0.4"/>
        </body>
      </body>
    </body>
  </worldbody>
</mujoco>)"},
      {"every_solid", R"(<mujoco model="solids">
  <compiler inertiagrouprange="0 3"/>
  <worldbody>
    <geom type="plane" size="1 1 0.1"/>
    <body name="lump" pos="0 0 1">
      <joint name="j1" axis="1 1 1"/>
      <geom type="sphere" size="0.1" pos="0.1 0 0"/>
      <geom type="capsule" size="0.05 0.2" pos="0 0.2 0" euler="30 0 0" density="500"/>
      <geom type="cylinder" size="0.06 0.1" pos="0 0 0.3" axisangle="0 1 0 35" mass="1.2"/>
      <geom type="ellipsoid" size="0.1 0.2 0.05" pos="-0.2 0 0.1" zaxis="1 1 0"/>
      <geom type="box" size="0.1 0.03 0.07" pos="0.2 -0.2 0" quat="0.5 0.1 0.8 -0.2"/>
      <geom type="box" fromto="0 0 0 0.3 0.2 0.1" size="0.04"/>
      <geom type="cylinder" fromto="0 0.3 0 0.3 0.2 0.5" size="0.04" mass="0.4"/>
      <geom type="sphere" size="0.3" group="5"/>
      <geom type="sphere" size="0.3" mass="0"/>
      <body name="next" pos="0 0 0.6">
        <joint name="j2" axis="0 1 0"/>
        <geom type="box" size="0.1 0.1 0.1"/>
        <site name="end" pos="0.2 0.2 0.2"/>
      </body>
    </body>
  </worldbody>
</mujoco>)"},
      {"orientations", R"(<mujoco model="orientations">
  <compiler eulerseq="ZYx" angle="radian"/>
  <worldbody>
    <body name="a" euler="0.3 -0.4 0.5">
      <joint name="j1" axis="0 0 1"/>
      <inertial pos="0.1 0.2 0.3" mass="1" fullinertia="0.2 0.25 0.3 0.01 0.02 -0.03"/>
      <body name="b" pos="0.2 0 0" axisangle="1 2 3 0.7">
        <joint name="j2" axis="0 1 0"/>
        <inertial pos="0 0.1 0" mass="2" diaginertia="0.1 0.12 0.15" xyaxes="1 0.2 0 -0.1 1 0.3"/>
        <body name="c" pos="0 0 0.4" zaxis="0.1 -0.5 -1">
          <joint name="j3" axis="1 0 0"/>
          <inertial pos="0 0 0" mass="0.5" diaginertia="0.01 0.012 0.015" quat="1 2 3 4"/>
          <body name="d" pos="0.1 0 0" xyaxes="0 1 0 0 0 1">
            <joint name="j4" axis="1 1 0"/>
            <inertial pos="0.05 0 0" mass="0.3" diaginertia="0.01 0.012 0.015" zaxis="0 1 0"/>
            <site name="end" pos="0 0 0.1" euler="0.1 0.2 0.3"/>
          </body>
        </body>
      </body>
    </body>
  </worldbody>
</mujoco>)"},
      {"bounds", R"(<mujoco model="bounds">
  <compiler boundmass="0.5" boundinertia="0.01" balanceinertia="true" settotalmass="12"
            inertiafromgeom="auto"/>
  <worldbody>
    <body name="a">
      <joint name="j1" axis="0 1 0"/>
      <inertial pos="0.1 0 0.2" mass="0.1" diaginertia="0.001 0.2 0.002" euler="10 20 30"/>
      <body name="b" pos="0.4 0 0">
        <joint name="j2" axis="1 0 0"/>
        <inertial pos="0 0.2 0" mass="2" diaginertia="0.05 0.06 0.4"/>
        <body name="fixed" pos="0 0.3 0">
          <inertial pos="0 0.1 0" mass="1" diaginertia="0.05 0.06 0.07"/>
          <site name="end" pos="0.1 0.2 0.3"/>
        </body>
      </body>
    </body>
  </worldbody>
</mujoco>)"},
      {"inertia_from_shapes", R"(<mujoco model="shapes">
  <compiler inertiafromgeom="true"/>
  <worldbody>
    <body name="a">
      <joint name="j1" axis="0 1 0"/>
      <inertial pos="0 0 0" mass="100" diaginertia="1 1 1"/>
      <geom type="box" size="0.1 0.2 0.3" pos="0.1 0 0"/>
      <body name="b" pos="0 0 0.5">
        <joint name="j2" axis="0 1 1"/>
        <geom type="capsule" size="0.05 0.3"/>
        <site name="end" pos="0 0 0.3"/>
      </body>
    </body>
  </worldbody>
</mujoco>)"},
  };
}

/// MuJoCo 2.2 computes with meshes in single precision, and takes their mass from the box with the same
/// inertia; MuJoCo 3 takes the volume. So they have a mass here.
inline MjcfFile mjcf_meshes() {
  return {"meshes", R"(<mujoco model="meshes">
  <asset>
    <mesh name="wedge" vertex="0 0 0  0.25 0 0  0 0.125 0  0 0 0.5"
          face="0 2 1  0 1 3  0 3 2  1 2 3"/>
    <mesh name="brick" scale="2 1 0.5" vertex="0 0 0  0.125 0 0  0 0.125 0  0.125 0.125 0
          0 0 0.125  0.125 0 0.125  0 0.125 0.125  0.125 0.125 0.125" refpos="0.25 0.5 0.125"/>
    <mesh name="channel" vertex="0 0 0  1 0 0  1 0.75 0  0.75 0.75 0  0.75 0.25 0  0.25 0.25 0
          0.25 0.75 0  0 0.75 0  0 0 0.5  1 0 0.5  1 0.75 0.5  0.75 0.75 0.5  0.75 0.25 0.5
          0.25 0.25 0.5  0.25 0.75 0.5  0 0.75 0.5"
          face="0 7 5  5 7 6  0 5 1  1 5 4  1 4 2  2 4 3  8 13 15  13 14 15  8 9 13  9 12 13
          9 10 12  10 11 12  0 1 9  0 9 8  1 2 10  1 10 9  2 3 11  2 11 10  3 4 12  3 12 11
          4 5 13  4 13 12  5 6 14  5 14 13  6 7 15  6 15 14  7 0 8  7 8 15"/>
  </asset>
  <worldbody>
    <body name="a" pos="0 0 1">
      <joint name="j1" axis="1 0 0"/>
      <geom type="mesh" mesh="wedge" pos="0.1 0.2 0.3" euler="20 30 40" mass="4"/>
      <body name="b" pos="0.3 0 0">
        <joint name="j2" axis="0 1 0"/>
        <geom type="mesh" mesh="brick" mass="0.7"/>
        <site name="end" pos="0.1 0.1 0.1"/>
        <body name="c" pos="0 0.4 0">
          <joint name="j3" axis="0.6 0 0.8"/>
          <geom type="mesh" mesh="channel" mass="1.5" pos="0.1 0 0" euler="30 0 10"/>
        </body>
      </body>
    </body>
  </worldbody>
</mujoco>)"};
}

/// Files whose loops and couplings close at the pose in which they are drawn.
inline std::vector<MjcfFile> mjcf_loops() {
  return {
      {"four_bar", R"(<mujoco model="four_bar">
  <compiler angle="radian"/>
  <worldbody>
    <body name="crank">
      <joint name="j1" axis="0 1 0"/>
      <geom type="capsule" fromto="0 0 0 0 0 0.3" size="0.02"/>
      <body name="rod" pos="0 0 0.3">
        <joint name="j2" axis="0 1 0"/>
        <geom type="capsule" fromto="0 0 0 0.6 0 0.1" size="0.02"/>
        <site name="pin" pos="0.6 0 0.1"/>
      </body>
    </body>
    <body name="rocker" pos="0.6 0 0">
      <joint name="j3" axis="0 1 0"/>
      <geom type="capsule" fromto="0 0 0 0 0 0.4" size="0.02"/>
      <site name="top" pos="0 0 0.4"/>
    </body>
  </worldbody>
  <equality><connect name="pin" body1="rod" body2="rocker" anchor="0.6 0 0.1"/></equality>
</mujoco>)"},
      {"held_by_the_world", R"(<mujoco model="held">
  <worldbody>
    <body name="a" pos="0 0 1" euler="10 20 30">
      <freejoint name="root"/>
      <geom type="box" size="0.1 0.2 0.3"/>
      <body name="b" pos="0.3 0.1 0">
        <joint name="j" axis="1 0 0" pos="0 0.1 0.1"/>
        <geom type="box" size="0.1 0.1 0.1"/>
        <site name="end" pos="0.2 0 0"/>
      </body>
    </body>
  </worldbody>
  <equality><connect body1="b" anchor="0.1 0.2 0.3"/></equality>
</mujoco>)"},
      {"geared", R"(<mujoco model="geared">
  <worldbody>
    <body name="a">
      <joint name="j1" axis="0 1 0" ref="30"/>
      <geom type="box" size="0.1 0.1 0.3"/>
      <body name="b" pos="0 0 0.3">
        <joint name="j2" axis="0 1 0" ref="-10"/>
        <geom type="box" size="0.1 0.1 0.3" pos="0 0 0.3"/>
        <body name="c" pos="0 0 0.6">
          <joint name="j3" type="slide" axis="0 0 1" ref="0.1"/>
          <geom type="sphere" size="0.1"/>
          <site name="end"/>
        </body>
      </body>
    </body>
  </worldbody>
  <tendon><fixed name="sum"><joint joint="j1" coef="2"/><joint joint="j3" coef="-3"/></fixed></tendon>
  <equality>
    <joint joint1="j1" joint2="j2" polycoef="0 -1.5 0 0 0"/>
    <tendon tendon1="sum"/>
  </equality>
</mujoco>)"},
      {"welded", R"(<mujoco model="welded">
  <worldbody>
    <body name="a" euler="0 10 0">
      <joint name="j1" axis="0 1 0"/>
      <geom type="box" size="0.1 0.1 0.3"/>
      <body name="b" pos="0 0 0.3" euler="20 0 30">
        <joint name="j2" axis="1 0 0"/>
        <geom type="box" size="0.1 0.1 0.3" pos="0 0 0.3"/>
      </body>
    </body>
    <body name="c" pos="0.1 0.2 1" euler="20 30 40">
      <freejoint name="root"/>
      <geom type="ellipsoid" size="0.1 0.2 0.3"/>
      <site name="end" pos="0 0.1 0"/>
    </body>
  </worldbody>
  <equality><weld body1="b" body2="c"/></equality>
</mujoco>)"},
  };
}

}  // namespace torsor::testing
