/// What is drawn around the robot: arrows, paths, surfaces, loops and springs.
import * as three from "three";
import { Line2 } from "three/examples/jsm/lines/Line2.js";
import { LineGeometry } from "three/examples/jsm/lines/LineGeometry.js";
import { LineMaterial } from "three/examples/jsm/lines/LineMaterial.js";
import type { SurfaceOfWorld, Tie } from "./robot";

/// A line through points of the world; the first `shown` of them are drawn in full, the rest faint:
/// in a colour near that of what is behind, as pieces that are seen through would overlap in dots.
export class Path {
  readonly root = new three.Group();
  private readonly bright: Line2;
  private readonly faint: Line2;
  private readonly thin: three.Line<three.BufferGeometry, three.LineDashedMaterial>[];
  private readonly segments: number;

  constructor(
    points: ArrayLike<number>, colour: string, backdrop: string, dashed: boolean, dash: number,
    width = 3,
  ) {
    const line = (color: three.Color) => {
      const geometry = new LineGeometry();
      geometry.setPositions(Array.from(points));
      const material = new LineMaterial({
        color, linewidth: width, depthWrite: false, dashed, dashSize: dash, gapSize: 0.75 * dash,
      });
      const made = new Line2(geometry, material);
      made.computeLineDistances();
      made.renderOrder = 3;
      this.root.add(made);
      return made;
    };
    const full = new three.Color(colour);
    const pale = dashed ? full : full.clone().lerp(new three.Color(backdrop), 0.5);
    this.segments = Math.max(0, Math.floor(points.length / 3) - 1);
    this.faint = line(pale);
    this.bright = line(full);
    this.bright.visible = !dashed;
    this.bright.renderOrder = 4;
    const position = new three.BufferAttribute(Float32Array.from(points), 3);
    const thin = (color: three.Color, order: number) => {
      const material = new three.LineDashedMaterial({
        color, depthWrite: false, dashSize: dash, gapSize: dashed ? 0.75 * dash : 0,
      });
      const made = new three.Line(new three.BufferGeometry().setAttribute("position", position), material);
      made.computeLineDistances();
      made.renderOrder = order;
      made.visible = false;
      this.root.add(made);
      return made;
    };
    this.thin = [thin(pale, 3), ...(dashed ? [] : [thin(full, 4)])];
    this.show(this.segments + 1);
  }
  /// Lines of one pixel, which a processor draws in no time; the others are ribbons of triangles.
  draw_thin(on: boolean): void {
    this.faint.visible = !on;
    this.bright.visible = !on && this.thin.length > 1;
    for (const line of this.thin) line.visible = on;
  }
  show(points: number): void {
    this.thin[1]?.geometry.setDrawRange(0, Math.max(0, Math.floor(points)));
    this.bright.geometry.instanceCount = Math.max(0, Math.min(this.segments, Math.floor(points) - 1));
  }
  resize(width: number, height: number): void {
    this.bright.material.resolution.set(width, height);
    this.faint.material.resolution.set(width, height);
  }
  dispose(): void {
    for (const line of [this.bright, this.faint, ...this.thin]) {
      line.geometry.dispose();
      line.material.dispose();
    }
    this.root.removeFromParent();
  }
}

/// Arrows that are moved, not made anew: `set` as often as one likes.
export class Arrows {
  readonly root = new three.Group();
  private readonly shaft = new three.CylinderGeometry(1, 1, 1, 16).translate(0, 0.5, 0);
  private readonly head = new three.ConeGeometry(1, 1, 20).translate(0, 0.5, 0);
  private readonly material: three.MeshStandardMaterial;
  private readonly arrows: { group: three.Group; shaft: three.Mesh; head: three.Mesh }[] = [];
  private static readonly y = new three.Vector3(0, 1, 0);

  constructor(
    colour: string,
    private readonly thickness: number,
  ) {
    this.material = new three.MeshStandardMaterial({
      color: colour,
      emissive: new three.Color(colour).multiplyScalar(0.35),
      roughness: 0.6,
    });
  }
  /// `at` and `along`: three numbers of each arrow, in the world; shorter ones than a tenth of the
  /// thickness are left out.
  set(at: ArrayLike<number>, along: ArrayLike<number>): void {
    const count = Math.floor(Math.min(at.length, along.length) / 3);
    while (this.arrows.length < count) {
      const group = new three.Group();
      const shaft = new three.Mesh(this.shaft, this.material);
      const head = new three.Mesh(this.head, this.material);
      group.add(shaft, head);
      this.root.add(group);
      this.arrows.push({ group, shaft, head });
    }
    const direction = new three.Vector3();
    this.arrows.forEach(({ group, shaft, head }, k) => {
      const length =
        k < count
          ? direction.set(along[3 * k], along[3 * k + 1], along[3 * k + 2]).length()
          : 0;
      group.visible = Number.isFinite(length) && length > 0.1 * this.thickness;
      if (!group.visible) return;
      group.position.set(at[3 * k], at[3 * k + 1], at[3 * k + 2]);
      group.quaternion.setFromUnitVectors(Arrows.y, direction.divideScalar(length));
      const tip = Math.min(4 * this.thickness, 0.6 * length);
      shaft.scale.set(this.thickness, length - tip, this.thickness);
      head.scale.set(2.4 * this.thickness, tip, 2.4 * this.thickness);
      head.position.y = length - tip;
    });
  }
  dispose(): void {
    this.shaft.dispose();
    this.head.dispose();
    this.material.dispose();
    this.root.removeFromParent();
  }
}

/// Of a plane the patch that is drawn: where, and the length of its sides.
export interface Patch {
  centre: number[];
  edge: number;
}

export function surface_object(
  surface: SurfaceOfWorld, size: number, patch?: Patch,
): three.Object3D {
  const group = new three.Group();
  const material = new three.MeshStandardMaterial({
    color: "#2a9d8f",
    transparent: true,
    opacity: 0.24,
    side: three.DoubleSide,
    depthWrite: false,
    roughness: 0.9,
  });
  if (surface.radius > 0) {
    group.add(new three.Mesh(new three.SphereGeometry(surface.radius, 48, 32), material));
  } else {
    const edge = patch?.edge ?? 0.8 * size;
    group.add(new three.Mesh(new three.PlaneGeometry(edge, edge), material));
    const rim = new three.LineSegments(
      new three.EdgesGeometry(new three.PlaneGeometry(edge, edge)),
      new three.LineBasicMaterial({ color: "#2a9d8f" }),
    );
    group.add(rim);
    const [x, y, z] = surface.normal;
    const normal = new three.Vector3(x, y, z).normalize();
    group.quaternion.setFromUnitVectors(new three.Vector3(0, 0, 1), normal);
  }
  const [x, y, z] = (surface.radius > 0 ? undefined : patch?.centre) ?? surface.origin;
  group.position.set(x, y, z);
  return group;
}

/// Rings where a loop is closed; a line between the ends of a spring or a distance.
export class Ties {
  readonly root = new three.Group();
  private readonly lines: { tie: Tie; line: three.Line; ends: three.Mesh[] }[] = [];

  constructor(ties: Tie[], size: number) {
    for (const tie of ties) {
      const colour = tie.kind === "spring" ? "#2f855a" : "#b45309";
      const geometry = new three.BufferGeometry();
      geometry.setAttribute("position", new three.BufferAttribute(new Float32Array(6), 3));
      const line = new three.Line(geometry, new three.LineBasicMaterial({ color: colour }));
      line.frustumCulled = false;
      const ends = [0, 1].map(
        () =>
          new three.Mesh(
            new three.TorusGeometry(0.028 * size, 0.007 * size, 10, 28),
            new three.MeshStandardMaterial({ color: colour, roughness: 0.5 }),
          ),
      );
      this.root.add(line, ...ends);
      this.lines.push({ tie, line, ends });
    }
  }
  /// After the bodies were posed.
  update(bodies: three.Object3D[]): void {
    const at = new three.Vector3();
    for (const { tie, line, ends } of this.lines) {
      const position = line.geometry.getAttribute("position") as three.BufferAttribute;
      [
        { body: bodies[tie.a], pose: tie.place_a },
        { body: bodies[tie.b], pose: tie.place_b },
      ].forEach(({ body, pose }, k) => {
        at.set(pose[0], pose[1], pose[2]).applyQuaternion(body.quaternion).add(body.position);
        position.setXYZ(k, at.x, at.y, at.z);
        ends[k].position.copy(at);
        ends[k].quaternion
          .set(pose[3], pose[4], pose[5], pose[6])
          .premultiply(body.quaternion);
      });
      position.needsUpdate = true;
    }
  }
}
