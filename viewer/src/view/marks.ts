/// What is drawn beside the robot: the tool's handle, the centre of mass, ellipsoids.
import * as three from "three";
import type { Scene } from "../scene";
import type { EllipsoidAnswer, RobotAnswer, StateAnswer } from "./api";

export type Mark = "velocity" | "force" | "angular" | "whole com" | "inertia ellipsoids";

const tool_colours: Record<string, string> = {
  velocity: "#0b7bd1",
  force: "#d1495b",
  angular: "#7a52b3",
};
const inertia_colour = "#1f8a70", com_colour = "#eab308";
export const colours: Partial<Record<Mark, string>> = {
  ...tool_colours, "inertia ellipsoids": inertia_colour, "whole com": com_colour,
};

function seen_through(colour: string, opacity: number): three.MeshStandardMaterial {
  return new three.MeshStandardMaterial({
    color: colour, transparent: true, opacity, depthWrite: false, roughness: 0.6,
  });
}

export class Marks {
  private readonly ball = new three.SphereGeometry(1, 40, 24);
  private readonly handle: three.Mesh;
  private readonly com: three.Mesh;
  private readonly ellipsoids = new Map<string, three.Mesh>();
  private readonly inertias: { body: number; mesh: three.Mesh; at: three.Matrix4 }[] = [];
  private readonly shown = new Set<Mark>();

  constructor(private readonly scene: Scene, robot: RobotAnswer) {
    const size = scene.robot.size;
    const grip = new three.MeshBasicMaterial({ color: "#f59f00", transparent: true, opacity: 0.85, depthTest: false });
    this.handle = new three.Mesh(this.ball, grip);
    this.handle.scale.setScalar(0.018 * size);
    this.handle.renderOrder = 9;
    this.com = new three.Mesh(this.ball, new three.MeshBasicMaterial({ color: com_colour, depthTest: false }));
    this.com.scale.setScalar(0.022 * size);
    this.com.renderOrder = 8;
    scene.world.add(this.handle, this.com);
    for (const name of Object.keys(tool_colours)) {
      const mesh = new three.Mesh(this.ball, seen_through(tool_colours[name], 0.28));
      mesh.matrixAutoUpdate = false;
      mesh.renderOrder = 3;
      this.ellipsoids.set(name, mesh);
      scene.world.add(mesh);
    }
    robot.bodies.forEach((body, k) => {
      if (!body.inertia || body.inertia.radii.some((r) => !(r > 0))) return;
      const [x, y, z, qx, qy, qz, qw] = body.inertia.place;
      const [a, b, c] = body.inertia.radii;
      const at = new three.Matrix4().compose(
        new three.Vector3(x, y, z), new three.Quaternion(qx, qy, qz, qw), new three.Vector3(a, b, c));
      const mesh = new three.Mesh(this.ball, seen_through(inertia_colour, 0.35));
      mesh.matrixAutoUpdate = false;
      this.inertias.push({ body: k, mesh, at });
      scene.world.add(mesh);
    });
    this.apply();
  }

  show(mark: Mark, on: boolean): void {
    if (on) this.shown.add(mark);
    else this.shown.delete(mark);
    this.apply();
  }

  update(state: StateAnswer): void {
    const { T, velocity_ellipsoid, force_ellipsoid, angular_ellipsoid } = state.tool;
    const at = new three.Vector3(T[3], T[7], T[11]);
    this.handle.position.copy(at);
    this.com.position.set(state.com[0], state.com[1], state.com[2]);
    const size = this.scene.robot.size;
    this.fit("velocity", velocity_ellipsoid, at, 0.2 * size);
    this.fit("force", force_ellipsoid, at, 0.2 * size);
    this.fit("angular", angular_ellipsoid, at, 0.2 * size);
    const body = new three.Matrix4();
    for (const { body: k, mesh, at: inside } of this.inertias) {
      const p = state.poses.slice(7 * k, 7 * k + 7);
      body.compose(new three.Vector3(p[0], p[1], p[2]),
        new three.Quaternion(p[3], p[4], p[5], p[6]), new three.Vector3(1, 1, 1));
      mesh.matrix.copy(body).multiply(inside);
    }
    this.scene.requestRender();
  }

  /// As large as `length` along its longest axis; its shape and axes are what counts.
  private fit(name: string, e: EllipsoidAnswer, at: three.Vector3, length: number): void {
    const finite = e.radii.map((r) => r ?? Number.POSITIVE_INFINITY);
    const most = Math.max(...finite.filter((r) => Number.isFinite(r)), 0);
    const scale = (r: number): number => {
      if (finite.includes(Number.POSITIVE_INFINITY)) return Number.isFinite(r) ? 0.02 * length : length;
      return most > 0 ? Math.max((r / most) * length, 1e-3 * length) : 1e-3 * length;
    };
    const axes = e.axes.map((a, k) => new three.Vector3(...(a as [number, number, number]))
      .multiplyScalar(scale(finite[k])));
    this.ellipsoids.get(name)!.matrix.makeBasis(axes[0], axes[1], axes[2]).setPosition(at);
  }
  private apply(): void {
    for (const [name, mesh] of this.ellipsoids) mesh.visible = this.shown.has(name as Mark);
    this.com.visible = this.shown.has("whole com");
    for (const { mesh } of this.inertias) mesh.visible = this.shown.has("inertia ellipsoids");
    this.scene.requestRender();
  }
}
