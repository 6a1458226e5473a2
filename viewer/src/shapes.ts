/// Geometry of shapes, as three.js draws it.
import * as three from "three";
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

/// Triangles with a normal for each corner: of a vertex, those of its triangles that are one surface
/// share theirs. In time proportional to the corners, also where thousands of triangles meet.
export function creased(vertices: Float32Array, triangles: Uint32Array): three.BufferGeometry {
  const corners = triangles.length;
  const position = new Float32Array(3 * corners);
  for (let c = 0; c < corners; ++c)
    for (let k = 0; k < 3; ++k) position[3 * c + k] = vertices[3 * triangles[c] + k];
  const faces = new Float32Array(corners); // unit normals
  for (let f = 0; 3 * f < corners; ++f) {
    const side = (of: number, k: number): number => position[9 * f + 3 * of + k] - position[9 * f + k];
    const x = side(1, 1) * side(2, 2) - side(1, 2) * side(2, 1);
    const y = side(1, 2) * side(2, 0) - side(1, 0) * side(2, 2);
    const z = side(1, 0) * side(2, 1) - side(1, 1) * side(2, 0);
    const size = Math.sqrt(x * x + y * y + z * z) || 1;
    faces[3 * f] = x / size;
    faces[3 * f + 1] = y / size;
    faces[3 * f + 2] = z / size;
  }
  // Corners by their vertex.
  const start = new Uint32Array(vertices.length / 3 + 1);
  for (const v of triangles) ++start[v + 1];
  for (let v = 1; v < start.length; ++v) start[v] += start[v - 1];
  const at = new Uint32Array(corners);
  const next = start.slice();
  for (let c = 0; c < corners; ++c) at[next[triangles[c]]++] = c;

  const least = Math.cos(crease);
  const normal = new Float32Array(3 * corners);
  const surface = new Uint32Array(corners);
  for (let v = 0; v + 1 < start.length; ++v) {
    const sums: number[][] = []; // of the surfaces at this vertex; the first triangle of each is its measure
    const first: number[] = [];
    for (let k = start[v]; k < start[v + 1]; ++k) {
      const f = 3 * Math.floor(at[k] / 3);
      let s = 0;
      const flat = faces[f] === 0 && faces[f + 1] === 0 && faces[f + 2] === 0; // of any surface
      while (!flat && s < first.length && faces[f] * faces[first[s]] + faces[f + 1] * faces[first[s] + 1] +
             faces[f + 2] * faces[first[s] + 2] < least) ++s;
      if (s === first.length) {
        first.push(f);
        sums.push([0, 0, 0]);
      }
      for (let c = 0; c < 3; ++c) sums[s][c] += faces[f + c];
      surface[k] = s;
    }
    for (let k = start[v]; k < start[v + 1]; ++k) {
      const sum = sums[surface[k]];
      const size = Math.hypot(sum[0], sum[1], sum[2]) || 1;
      for (let c = 0; c < 3; ++c) normal[3 * at[k] + c] = sum[c] / size;
    }
  }
  const geometry = new three.BufferGeometry();
  geometry.setAttribute("position", new three.BufferAttribute(position, 3));
  geometry.setAttribute("normal", new three.BufferAttribute(normal, 3));
  return geometry;
}

/// Made once for all shapes that have the mesh.
const known = new WeakMap<Mesh, three.BufferGeometry>();

function mesh_geometry(mesh: Mesh): three.BufferGeometry {
  let geometry = known.get(mesh);
  if (!geometry) {
    const vertices = floats(mesh.vertices);
    const triangles = mesh.triangles !== ""
      ? new Uint32Array(bytes(mesh.triangles).buffer)
      : Uint32Array.from({ length: vertices.length / 3 }, (_, k) => k);
    geometry = creased(vertices, triangles);
    known.set(mesh, geometry);
  }
  return geometry;
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
      return a === 1 && b === 1 && c === 1 ? geometry : geometry.clone().scale(a, b, c);
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
