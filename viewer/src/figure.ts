/// One robot in the scene: a group for each body, posed by what C++ computed.
import * as three from "three";
import type { Body, Robot } from "./robot";
import { colour_of, geometry_of, matrix_of, place } from "./shapes";

/// Geometry is made once and shared by the robot and its ghosts.
export type Geometries = Map<object, three.BufferGeometry>;

export interface FigureLook {
  /// Of a ghost: everything in one colour, seen through.
  tint?: string;
  opacity?: number;
}

export type Part = "visual" | "collision" | "inertia" | "axes" | "frames" | "com";

/// Shapes are drawn as the file's visual ones, or as made up; collision shapes on request.
function part_of(role: string): Part {
  return role === "collision" ? "collision" : "visual";
}

export class Figure {
  readonly root = new three.Group();
  readonly bodies: three.Group[] = [];
  private readonly parts = new Map<Part, three.Object3D[]>();
  private readonly materials = new Map<string, three.MeshStandardMaterial>();
  private readonly own: { dispose(): void }[] = [];

  constructor(
    readonly robot: Robot,
    geometries: Geometries,
    readonly look: FigureLook = {},
  ) {
    robot.bodies.forEach((body, index) => {
      const group = new three.Group();
      group.name = body.name;
      group.userData.body = index;
      place(group, body.place);
      this.bodies.push(group);
      this.root.add(group);
      this.add_shapes(body, group, geometries);
      if (!look.tint) this.add_marks(body, index, group);
    });
    for (const part of ["collision", "inertia", "axes", "frames", "com"] as Part[])
      this.show(part, false);
  }

  /// 7 numbers for each body but the world, from `first` on.
  pose(poses: ArrayLike<number>, first = 0): void {
    for (let i = 1; i < this.bodies.length; ++i) place(this.bodies[i], poses, first + 7 * (i - 1));
  }

  show(part: Part, on: boolean): void {
    for (const object of this.parts.get(part) ?? []) object.visible = on;
  }

  /// Materials and what is this figure's own; shared geometry stays.
  dispose(): void {
    for (const thing of this.own) thing.dispose();
    for (const material of this.materials.values()) material.dispose();
    this.root.removeFromParent();
  }

  set_tint(colour: string): void {
    for (const material of this.materials.values()) material.color.set(colour);
  }

  private add(part: Part, object: three.Object3D, to: three.Object3D): void {
    const list = this.parts.get(part) ?? [];
    list.push(object);
    this.parts.set(part, list);
    to.add(object);
  }

  private material(colour: three.Color, role: string, alpha: number): three.MeshStandardMaterial {
    const tint = this.look.tint;
    const opacity = (this.look.opacity ?? 1) * alpha;
    const key = `${tint ?? colour.getHexString()} ${opacity} ${role === "joint"}`;
    let material = this.materials.get(key);
    if (!material) {
      material = new three.MeshStandardMaterial({
        color: tint ? new three.Color(tint) : colour,
        metalness: 0.05,
        roughness: role === "joint" || role === "base" ? 0.38 : 0.5,
        transparent: opacity < 1,
        opacity,
        depthWrite: opacity >= 1,
        polygonOffset: tint !== undefined, // what coincides with the robot does not tint it
        polygonOffsetFactor: 4,
        polygonOffsetUnits: 16,
      });
      this.materials.set(key, material);
    }
    return material;
  }

  private add_shapes(body: Body, group: three.Group, geometries: Geometries): void {
    for (const shape of body.shapes) {
      let geometry = geometries.get(shape);
      if (!geometry) {
        geometry = geometry_of(shape, this.robot);
        geometries.set(shape, geometry);
      }
      const alpha = shape.role === "collision" ? 0.35 : (shape.colour?.[3] ?? 1);
      const mesh = new three.Mesh(geometry, this.material(colour_of(shape), shape.role, alpha));
      place(mesh, shape.place);
      mesh.castShadow = mesh.receiveShadow = !this.look.tint && shape.role !== "collision";
      mesh.renderOrder = this.look.tint ? 2 : 0;
      this.add(part_of(shape.role), mesh, group);
    }
  }

  /// Axes of joints, link frames, centres of mass and inertia boxes.
  private add_marks(body: Body, index: number, group: three.Group): void {
    const unit = this.robot.size;
    if (body.joint && index > 0) {
      const [x, y, z] = body.joint.axis;
      const reach = new three.Vector3(x, y, z).multiplyScalar(0.16 * unit);
      const geometry = new three.BufferGeometry().setFromPoints([reach.clone().negate(), reach]);
      const material = new three.LineDashedMaterial({
        color: "#c2410c",
        dashSize: 0.018 * unit,
        gapSize: 0.01 * unit,
        depthTest: false,
      });
      const line = new three.Line(geometry, material);
      line.computeLineDistances();
      line.renderOrder = 5;
      this.own.push(geometry, material);
      this.add("axes", line, group);
    }
    const triad = new three.AxesHelper(0.09 * unit);
    (triad.material as three.Material).depthTest = false;
    triad.renderOrder = 5;
    this.own.push(triad);
    this.add("frames", triad, group);
    if (!body.inertia || body.inertia.mass <= 0) return;
    const { com, edges, place: at } = body.inertia;
    const ball = new three.SphereGeometry(0.012 * unit, 16, 10);
    const yellow = new three.MeshBasicMaterial({ color: "#eab308", depthTest: false });
    const centre = new three.Mesh(ball, yellow);
    centre.position.set(com[0], com[1], com[2]);
    centre.renderOrder = 6;
    this.own.push(ball, yellow);
    this.add("com", centre, group);
    if (edges.length !== 3) return;
    const cube = new three.BoxGeometry(edges[0], edges[1], edges[2]);
    const material = new three.MeshStandardMaterial({
      color: "#7c5cc4",
      transparent: true,
      opacity: 0.4,
      depthWrite: false,
    });
    const box = new three.Mesh(cube, material);
    box.applyMatrix4(matrix_of(at));
    const outline = new three.LineSegments(
      new three.EdgesGeometry(cube),
      new three.LineBasicMaterial({ color: "#7c5cc4" }),
    );
    box.add(outline);
    this.own.push(cube, material, outline.geometry, outline.material);
    this.add("inertia", box, group);
  }
}
