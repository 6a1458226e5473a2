/// Geometry of shapes, as three.js draws it.
import * as three from "three";
import { toCreasedNormals } from "three/examples/jsm/utils/BufferGeometryUtils.js";
import { bytes, floats, type Mesh, type Pose, type Robot, type Shape } from "./robot";

export function place(object: three.Object3D, pose: ArrayLike<number>, first = 0): void {
  object.position.set(pose[first], pose[first + 1], pose[first + 2]);
  object.quaternion.set(pose[first + 3], pose[first + 4], pose[first + 5], pose[first + 6]);
}

export function matrix_of(pose: Pose): three.Matrix4 {
  return new three.Matrix4().compose(
    new three.Vector3(pose[0], pose[1], pose[2]),
    new three.Quaternion(pose[3], pose[4], pose[5], pose[6]),
    new three.Vector3(1, 1, 1),
  );
}

/// Solids of revolution of three.js stand along y; ours along z.
function along_z(geometry: three.BufferGeometry): three.BufferGeometry {
  return geometry.rotateX(Math.PI / 2);
}

/// A cylinder with bevelled rims, which catch the light.
function bevelled(low: number, high: number, length: number): three.BufferGeometry {
  const bevel = Math.min(low, high, length / 2) * 0.14;
  const half = length / 2;
  const profile = [
    [0, -half],
    [low - bevel, -half],
    [low - bevel * 0.3, -half + bevel * 0.3],
    [low, -half + bevel],
    [high, half - bevel],
    [high - bevel * 0.3, half - bevel * 0.3],
    [high - bevel, half],
    [0, half],
  ];
  const points = profile.map(([x, y]) => new three.Vector2(Math.max(x, 0), y));
  const lathe = new three.LatheGeometry(points, 40);
  const flat = lathe.toNonIndexed();
  lathe.dispose();
  // Smooth around, sharp along: normals from the profile, not from neighbours across the rim.
  flat.computeVertexNormals();
  const position = flat.getAttribute("position");
  const normal = flat.getAttribute("normal");
  for (let k = 0; k < position.count; ++k) {
    const radius = Math.hypot(position.getX(k), position.getZ(k));
    const across = Math.hypot(normal.getX(k), normal.getZ(k));
    if (radius < 1e-9 || across < 1e-3) continue;
    normal.setX(k, (position.getX(k) / radius) * across);
    normal.setZ(k, (position.getZ(k) / radius) * across);
  }
  return along_z(flat);
}

/// Triangles that meet at less than this angle are one smooth surface.
const crease = (35 * Math.PI) / 180;

function mesh_geometry(mesh: Mesh): three.BufferGeometry {
  const geometry = new three.BufferGeometry();
  geometry.setAttribute("position", new three.BufferAttribute(floats(mesh.vertices), 3));
  if (mesh.triangles !== "")
    geometry.setIndex(new three.BufferAttribute(new Uint32Array(bytes(mesh.triangles).buffer), 1));
  return toCreasedNormals(geometry, crease);
}

export function geometry_of(shape: Shape, robot: Robot): three.BufferGeometry {
  const [a, b, c] = shape.size;
  switch (shape.kind) {
    case "box":
      return new three.BoxGeometry(a, b, c);
    case "sphere":
      return new three.SphereGeometry(a, 32, 20);
    case "cylinder":
      return bevelled(a, a, b);
    case "cone":
      return along_z(new three.CylinderGeometry(b, a, c, 36, 1));
    case "capsule":
      return along_z(new three.CapsuleGeometry(a, b, 10, 32));
    case "mesh": {
      const geometry = mesh_geometry(robot.meshes[shape.mesh ?? 0]);
      return geometry.scale(a, b, c);
    }
  }
}

/// Of a shape of the file its own, else by role.
export function colour_of(shape: Shape): three.Color {
  if (shape.colour) {
    const [r, g, b] = shape.colour;
    return new three.Color().setRGB(r, g, b, three.SRGBColorSpace);
  }
  const by_role: Record<Shape["role"], string> = {
    visual: "#d9dde2",
    collision: "#d98f2b",
    link: "#e8eaed",
    joint: "#4e5a69",
    tool: "#e0763a",
    base: "#6b7686",
  };
  return new three.Color(by_role[shape.role]);
}
