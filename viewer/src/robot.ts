/// The robot as C++ describes it to the page (src/experiments/page/robot_scene.cpp writes it).
///
/// Everything is in metres and radians, in the frames of the robot's file. A pose is seven numbers,
/// x y z qx qy qz qw. Body 0 is the world; bodies 1 ... n - 1 move, and the poses of a
/// configuration are 7 (n - 1) numbers, body 1 first: C++ computes them, nothing here knows
/// kinematics.

export type Pose = number[];

export interface Shape {
  /// box: edges x y z. cylinder, capsule: radius, length along z, centred. sphere: radius.
  /// cone: radius at -z, radius at +z, length along z, centred. mesh: scale x y z.
  kind: "box" | "cylinder" | "sphere" | "capsule" | "cone" | "mesh";
  size: number[];
  place: Pose; /// in the frame of its body
  /// visual and collision: of the robot's file. link, joint, tool, base: made up from joints where
  /// the file draws nothing.
  role: "visual" | "collision" | "link" | "joint" | "tool" | "base";
  colour?: number[]; /// r g b a, 0 ... 1
  mesh?: number; /// index in Robot.meshes
}

/// Little-endian numbers in base64.
export interface Mesh {
  name: string;
  vertices: string; /// float32, x y z of each
  triangles: string; /// uint32, three of each; empty: the vertices are triangles in a row
}

export interface JointOfBody {
  name: string;
  kind: string; /// revolute, continuous, prismatic, ...
  axis: number[]; /// unit, in the frame of the body; through its origin
}

export interface InertiaBox {
  mass: number; /// kg
  com: number[]; /// in the frame of the body
  edges: number[]; /// of the even box of the same mass and inertia; empty: there is none
  place: Pose; /// of the box, in the frame of the body
}

export interface Body {
  name: string;
  parent: number; /// -1 of the world
  place: Pose; /// in the world, at the neutral configuration
  shapes: Shape[];
  joint?: JointOfBody;
  inertia?: InertiaBox;
}

export interface FrameOfRobot {
  name: string;
  body: number;
  place: Pose; /// in the frame of the body
}

/// Two places of bodies that the loop keeps together, or a spring between two points.
export interface Tie {
  name: string;
  kind: string; /// weld, revolute, ..., distance; spring
  a: number;
  b: number;
  place_a: Pose;
  place_b: Pose;
}

/// What the robot may touch.
export interface SurfaceOfWorld {
  name: string;
  body: number; /// that has the point which touches
  point: number[]; /// in the frame of that body
  origin: number[]; /// of a plane, or the centre of a sphere; in the world
  normal: number[]; /// of a plane
  radius: number; /// 0: a plane
  inside: boolean;
}

export interface Robot {
  name: string;
  up: number[]; /// against gravity
  ground: number; /// height of the floor over the world's origin, along up
  size: number; /// m: about how far it reaches
  moving_base: boolean;
  bodies: Body[];
  frames: FrameOfRobot[];
  ties: Tie[];
  meshes: Mesh[];
  missing: string[]; /// mesh files that could not be read
  /// The point whose path is drawn.
  tool?: { name: string; body: number; point: number[] };
}

/// The numbers of a base64 text.
export function floats(text: string): Float32Array {
  return new Float32Array(bytes(text).buffer);
}

export function bytes(text: string): Uint8Array<ArrayBuffer> {
  const raw = atob(text);
  const out = new Uint8Array(raw.length);
  for (let k = 0; k < raw.length; ++k) out[k] = raw.charCodeAt(k);
  return out;
}
