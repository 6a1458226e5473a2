/// The recorded motion of one run: poses at any time between those that C++ computed.
import { floats, type Robot, type SurfaceOfWorld } from "./robot";
import { index_at, type MotionData, type Times } from "./data";

export class Motion {
  readonly run: number;
  readonly times: Float32Array;
  readonly poses: Float32Array;
  readonly desired: Float32Array | null;
  private readonly forces: Float32Array | null;
  private readonly contact: Float32Array | null;
  private readonly width: number;
  private readonly now: Float32Array;

  constructor(
    private readonly robot: Robot,
    private readonly surfaces: SurfaceOfWorld[],
    private readonly data: MotionData,
    times: Times,
  ) {
    this.run = data.run;
    this.times = times.at(data.t);
    this.poses = floats(data.poses);
    this.desired = data.desired ? floats(data.desired) : null;
    this.forces = data.forces ? floats(data.forces) : null;
    this.contact = data.contact ? floats(data.contact) : null;
    this.width = 7 * (robot.bodies.length - 1);
    this.now = new Float32Array(this.width);
  }
  get end(): number {
    return this.times[this.times.length - 1];
  }

  /// Poses of all bodies; positions along straight lines, turns along the shorter arc.
  at(t: number): Float32Array {
    const k = index_at(this.times, t);
    const next = Math.min(k + 1, this.times.length - 1);
    const gap = this.times[next] - this.times[k];
    const x = gap > 0 ? Math.min(1, Math.max(0, (t - this.times[k]) / gap)) : 0;
    const { poses, now, width } = this;
    const a = k * width;
    const b = next * width;
    if (x === 0) {
      now.set(poses.subarray(a, a + width));
      return now;
    }
    for (let i = 0; i < width; i += 7) {
      for (let c = 0; c < 3; ++c)
        now[i + c] = poses[a + i + c] + x * (poses[b + i + c] - poses[a + i + c]);
      let dot = 0;
      for (let c = 3; c < 7; ++c) dot += poses[a + i + c] * poses[b + i + c];
      const sign = dot < 0 ? -1 : 1;
      let size = 0;
      for (let c = 3; c < 7; ++c) {
        const value = (1 - x) * poses[a + i + c] + x * sign * poses[b + i + c];
        now[i + c] = value;
        size += value * value;
      }
      size = 1 / Math.sqrt(size);
      for (let c = 3; c < 7; ++c) now[i + c] *= size;
    }
    return now;
  }

  /// x y z of a point of a body at every instant.
  path(body: number, point: number[]): Float32Array {
    const out = new Float32Array(3 * this.times.length);
    for (let k = 0; k < this.times.length; ++k) {
      const at = transformed(this.poses, k * this.width + 7 * (body - 1), point);
      out.set(at, 3 * k);
    }
    return out;
  }
  /// Origins of all bodies at some instants: what a camera should see.
  origins(instants = 60): number[] {
    const out: number[] = [];
    const step = Math.max(1, Math.floor(this.times.length / instants));
    for (let k = 0; k < this.times.length; k += step)
      for (let i = 0; i < this.width; i += 7)
        out.push(...this.poses.subarray(k * this.width + i, k * this.width + i + 3));
    return out;
  }
  /// Forces through joints at t: where, and how much, longest `length`.
  joint_forces(t: number, length: number): { at: number[]; along: number[] } {
    const at: number[] = [];
    const along: number[] = [];
    if (!this.forces || !this.data.largest_force) return { at, along };
    const bodies = this.robot.bodies.length - 1;
    const k = index_at(this.times, t);
    const scale = length / this.data.largest_force;
    for (let i = 0; i < bodies; ++i)
      for (let c = 0; c < 3; ++c) {
        at.push(this.now[7 * i + c]);
        along.push(scale * this.forces[3 * (k * bodies + i) + c]);
      }
    return { at, along };
  }
  /// Of surfaces on the robot, at the points that touch.
  contact_forces(t: number, length: number): { at: number[]; along: number[] } {
    const at: number[] = [];
    const along: number[] = [];
    if (!this.contact || !this.data.largest_contact) return { at, along };
    const k = index_at(this.times, t);
    this.surfaces.forEach((surface, s) => {
      const first = 3 * (k * this.surfaces.length + s);
      const force = this.contact!.subarray(first, first + 3);
      if (surface.body === 0 || !(Math.hypot(...force) > 0)) return;
      at.push(...transformed(this.now, 7 * (surface.body - 1), surface.point));
      along.push(...Array.from(force, (f) => (f * length) / this.data.largest_contact!));
    });
    return { at, along };
  }
  get has_forces(): boolean {
    return this.forces !== null;
  }
}

/// R(q) x + p of the pose that begins at `first`.
export function transformed(poses: ArrayLike<number>, first: number, x: number[]): number[] {
  const [px, py, pz, qx, qy, qz, qw] = [0, 1, 2, 3, 4, 5, 6].map((k) => poses[first + k]);
  const tx = 2 * (qy * x[2] - qz * x[1]);
  const ty = 2 * (qz * x[0] - qx * x[2]);
  const tz = 2 * (qx * x[1] - qy * x[0]);
  return [
    px + x[0] + qw * tx + qy * tz - qz * ty,
    py + x[1] + qw * ty + qz * tx - qx * tz,
    pz + x[2] + qw * tz + qx * ty - qy * tx,
  ];
}
