/// The robot in three dimensions, for the page of a run and for `torsor view`.
///
///   const scene = createScene(canvas, robot, { theme: "dark" });
///   scene.setConfiguration(poses);           // 7 numbers for each body but the world (robot.ts)
///   const ghost = scene.addGhost("#d1495b"); // another robot, seen through
///   scene.setConfiguration(poses, ghost);
///
/// The scene draws when something changed, never by itself; nothing here computes kinematics. All
/// points and vectors given to it are in the world of the robot, in metres.
import * as three from "three";
import { corners, framed, is_seen } from "./framing";
import { draws_in_software, make_renderer } from "./renderer";
import { OrbitControls } from "three/examples/jsm/controls/OrbitControls.js";
import { Figure, type Geometries, type Part } from "./figure";
import { Arrows, type Patch, Path, surface_object, Ties } from "./marks";
import type { Robot, SurfaceOfWorld } from "./robot";

export type Theme = "light" | "dark";
export type { Part } from "./figure";

export interface SceneOptions {
  theme?: Theme;
  surfaces?: SurfaceOfWorld[];
  /// Which part of each surface is drawn; null: none of it, as another one is where it is.
  patches?: (Patch | null)[];
  /// Shadows cost a second pass: unless told, off where a processor has to draw them.
  shadows?: boolean;
  /// Pixels above the picture that are covered, by buttons.
  inset?: number;
}

export interface PathGiven {
  points: ArrayLike<number>; /// x y z of each, in the world
  colour: string;
  dashed?: boolean;
}

/// What the pointer is over.
export interface Picked {
  body: number; /// of the robot
  figure: number; /// 0: the robot, else the number of a ghost
  point: [number, number, number]; /// in the world of the robot
}

export interface Scene {
  readonly robot: Robot;
  /// False where the browser has no WebGL: the page says so and goes on without.
  readonly drawn: boolean;
  /// Poses of all bodies but the world, from `first` on; `figure`: 0 or what addGhost returned.
  setConfiguration(poses: ArrayLike<number>, figure?: number, first?: number): void;
  /// Poses as they are drawn now.
  configuration(figure?: number): number[];
  addGhost(colour: string, opacity?: number): number;
  removeGhost(figure: number): void;
  showFigure(figure: number, on: boolean): void;
  /// Parts of the robot (not of ghosts): visual, collision, inertia, axes, frames, com.
  show(part: Part | "surfaces" | "ties" | "grid" | "paths" | "forces", on: boolean): void;
  setPaths(paths: PathGiven[]): void;
  /// How many points of each path lie behind the present time; they are drawn in full.
  setProgress(points: number[]): void;
  /// Arrows of a kind (a name of the caller's): `at` and `along` have three numbers for each.
  setArrows(kind: string, colour: string, at: ArrayLike<number>, along: ArrayLike<number>): void;
  /// The floor, as a height along robot.up; the pedestal reaches down to it.
  setGround(height: number): void;
  setTheme(theme: Theme): void;
  /// The camera goes with the body; null: it stays.
  follow(body: number | null): void;
  /// Looks at the robot as in the beginning, from where all points given are seen.
  resetView(points?: ArrayLike<number>): void;
  orbit(azimuth: number, elevation: number): void;
  zoom(factor: number): void;
  /// What is at a place of the canvas, in pixels of the page from its upper left corner.
  pick(x: number, y: number): Picked | null;
  /// Where a point of the world is on the canvas, in pixels.
  project(point: ArrayLike<number>): [number, number];
  /// The point of the plane through `through`, parallel to the screen, under a pixel: for dragging.
  onScreenPlane(x: number, y: number, through: ArrayLike<number>): [number, number, number];
  /// While false the pointer does not orbit.
  setOrbiting(on: boolean): void;
  setShadows(on: boolean): void;
  /// For what else a page draws: in the world of the robot.
  readonly world: three.Group;
  requestRender(): void;
  /// Draws at once; returns milliseconds of script.
  render(): number;
  picture(): string; /// PNG as a data URL
  resize(): void;
  dispose(): void;
}

const Y = new three.Vector3(0, 1, 0);
/// Pixels of the picture for one of the page, while a processor draws what moves.
const coarse = 0.5;

class RobotScene implements Scene {
  readonly world = new three.Group();
  readonly drawn: boolean;
  private readonly renderer: three.WebGLRenderer | null;
  private readonly software: boolean;
  private rest = 0;
  private readonly scene = new three.Scene();
  private readonly camera = new three.PerspectiveCamera(32, 1, 0.01, 1000);
  private readonly controls: OrbitControls;
  private readonly geometries: Geometries = new Map();
  private readonly figures = new Map<number, Figure>();
  private readonly ties: Ties;
  private readonly surfaces = new three.Group();
  private readonly sun = new three.DirectionalLight("#ffffff", 2.1);
  private readonly floor: three.Mesh;
  private readonly pedestal: three.Group;
  private grid: three.GridHelper;
  private paths: Path[] = [];
  private backdrop = "#eef1f5"; /// about the colour behind the robot
  private readonly path_group = new three.Group();
  private readonly arrows = new Map<string, Arrows>();
  private readonly force_group = new three.Group();
  private next_figure = 1;
  private pending = 0;
  private followed: number | null = null;
  private readonly followed_at = new three.Vector3();
  private readonly up: three.Vector3;
  private ground: number;
  private readonly observer: ResizeObserver;

  constructor(
    private readonly canvas: HTMLCanvasElement,
    readonly robot: Robot,
    private readonly options: SceneOptions,
  ) {
    this.up = new three.Vector3(robot.up[0], robot.up[1], robot.up[2]).normalize();
    this.world.quaternion.setFromUnitVectors(this.up, Y);
    this.ground = robot.ground;
    this.software = draws_in_software();
    this.renderer = make_renderer(canvas, !this.software);
    this.drawn = this.renderer !== null;
    this.add_figure(new Figure(robot, this.geometries), 0);
    this.ties = new Ties(robot.ties, robot.size);
    (options.surfaces ?? []).forEach((s, k) => {
      const patch = options.patches?.[k];
      if (patch !== null) this.surfaces.add(surface_object(s, robot.size, patch));
    });
    this.path_group.name = "paths";
    this.world.add(this.ties.root, this.surfaces, this.path_group, this.force_group);
    this.scene.add(this.world);
    this.ties.update(this.figures.get(0)!.bodies);

    this.floor = new three.Mesh(
      new three.CircleGeometry(8 * robot.size, 64).rotateX(-Math.PI / 2),
      new three.ShadowMaterial({ opacity: 0.22 }),
    );
    this.floor.receiveShadow = true;
    this.grid = this.make_grid("light");
    this.pedestal = this.make_pedestal();
    this.scene.add(this.floor, this.grid);
    this.add_lights();
    this.setGround(robot.ground);

    this.controls = new OrbitControls(this.camera, canvas);
    this.controls.enableDamping = false;
    this.controls.maxDistance = 30 * robot.size;
    this.controls.minDistance = 0.1 * robot.size;
    this.controls.addEventListener("change", () => this.requestRender());
    this.resetView();
    this.setTheme(options.theme ?? "light");
    this.observer = new ResizeObserver(() => this.resize());
    this.observer.observe(canvas);
    this.resize();
  }

  setConfiguration(poses: ArrayLike<number>, figure = 0, first = 0): void {
    this.figures.get(figure)?.pose(poses, first);
    if (figure === 0) {
      this.ties.update(this.figures.get(0)!.bodies);
      this.go_along();
    }
    this.requestRender();
  }
  configuration(figure = 0): number[] {
    const out: number[] = [];
    for (const body of this.figures.get(figure)?.bodies.slice(1) ?? [])
      out.push(...body.position.toArray(), ...body.quaternion.toArray());
    return out;
  }
  addGhost(colour: string, opacity = 0.3): number {
    const figure = this.next_figure++;
    this.add_figure(new Figure(this.robot, this.geometries, { tint: colour, opacity }), figure);
    this.requestRender();
    return figure;
  }
  removeGhost(figure: number): void {
    if (figure === 0) return;
    this.figures.get(figure)?.dispose();
    this.figures.delete(figure);
    this.requestRender();
  }
  showFigure(figure: number, on: boolean): void {
    const found = this.figures.get(figure);
    if (found) found.root.visible = on;
    this.requestRender();
  }
  show(part: Part | "surfaces" | "ties" | "grid" | "paths" | "forces", on: boolean): void {
    if (part === "surfaces") this.surfaces.visible = on;
    else if (part === "ties") this.ties.root.visible = on;
    else if (part === "grid") this.grid.visible = on;
    else if (part === "paths") this.path_group.visible = on;
    else if (part === "forces") this.force_group.visible = on;
    else this.figures.get(0)!.show(part, on);
    this.requestRender();
  }
  setPaths(paths: PathGiven[]): void {
    for (const path of this.paths) path.dispose();
    this.paths = paths.map((p) =>
      new Path(p.points, p.colour, this.backdrop, p.dashed ?? false, 0.02 * this.robot.size));
    for (const path of this.paths) this.path_group.add(path.root);
    this.resize();
  }
  setProgress(points: number[]): void {
    points.forEach((n, k) => this.paths[k]?.show(n));
    this.requestRender();
  }
  setArrows(kind: string, colour: string, at: ArrayLike<number>, along: ArrayLike<number>): void {
    let arrows = this.arrows.get(kind);
    if (!arrows) {
      arrows = new Arrows(colour, 0.008 * this.robot.size);
      this.arrows.set(kind, arrows);
      this.force_group.add(arrows.root);
    }
    arrows.set(at, along);
    this.requestRender();
  }
  setGround(height: number): void {
    this.ground = height;
    this.floor.position.y = height - 1e-3 * this.robot.size;
    this.grid.position.y = height;
    this.stretch_pedestal();
    this.requestRender();
  }
  setTheme(theme: Theme): void {
    const dark = theme === "dark";
    this.backdrop = dark ? "#1a1f26" : "#eef1f5";
    this.scene.remove(this.grid);
    this.grid.dispose();
    this.grid = this.make_grid(theme);
    this.grid.position.y = this.ground;
    this.scene.add(this.grid);
    const far = 7 * this.robot.size;
    this.scene.fog = new three.Fog(dark ? "#171b21" : "#f4f6f8", 0.55 * far, 1.5 * far);
    (this.floor.material as three.ShadowMaterial).opacity = dark ? 0.45 : 0.2;
    this.requestRender();
  }
  follow(body: number | null): void {
    this.followed = body;
    if (body !== null) this.world_point(body, this.followed_at);
  }
  resetView(points?: ArrayLike<number>): void {
    this.world.updateMatrixWorld(true);
    const seen: three.Vector3[] = [];
    for (let k = 0; points && k + 2 < points.length; k += 3)
      seen.push(this.world.localToWorld(new three.Vector3(points[k], points[k + 1], points[k + 2])));
    const origins_alone = seen.length > 0;
    if (!origins_alone) seen.push(...corners([...this.figures.get(0)!.bodies, this.pedestal]));
    if (seen.length === 0) seen.push(new three.Vector3());
    this.fit(seen, (origins_alone ? 0.13 : 0.12) * this.robot.size);
  }
  orbit(azimuth: number, elevation: number): void {
    const arm = this.camera.position.clone().sub(this.controls.target);
    const s = new three.Spherical().setFromVector3(arm);
    s.theta += azimuth;
    s.phi = Math.min(Math.PI - 0.05, Math.max(0.05, s.phi - elevation));
    this.camera.position.setFromSpherical(s).add(this.controls.target);
    this.controls.update();
    this.requestRender();
  }
  zoom(factor: number): void {
    const arm = this.camera.position.clone().sub(this.controls.target);
    this.camera.position.copy(this.controls.target).addScaledVector(arm, 1 / factor);
    this.controls.update();
    this.requestRender();
  }
  pick(x: number, y: number): Picked | null {
    const ray = this.ray_at(x, y);
    for (const hit of ray.intersectObjects([...this.figures.values()].map((f) => f.root), true)) {
      let object: three.Object3D | null = hit.object;
      if (!is_seen(object)) continue;
      while (object && object.userData.body === undefined) object = object.parent;
      const figure = object?.parent?.userData.figure as number | undefined;
      if (!object || figure === undefined) continue;
      const at = this.world.worldToLocal(hit.point.clone());
      return { body: object.userData.body as number, figure, point: [at.x, at.y, at.z] };
    }
    return null;
  }
  project(point: ArrayLike<number>): [number, number] {
    const at = new three.Vector3(point[0], point[1], point[2]);
    this.camera.updateMatrixWorld(); // it may have moved since the last picture
    this.world.localToWorld(at).project(this.camera);
    const { clientWidth: w, clientHeight: h } = this.canvas;
    return [((at.x + 1) / 2) * w, ((1 - at.y) / 2) * h];
  }
  onScreenPlane(x: number, y: number, through: ArrayLike<number>): [number, number, number] {
    const at = new three.Vector3(through[0], through[1], through[2]);
    this.world.localToWorld(at);
    const normal = this.camera.getWorldDirection(new three.Vector3());
    const plane = new three.Plane().setFromNormalAndCoplanarPoint(normal, at);
    const hit = this.ray_at(x, y).ray.intersectPlane(plane, new three.Vector3()) ?? at;
    this.world.worldToLocal(hit);
    return [hit.x, hit.y, hit.z];
  }
  setOrbiting(on: boolean): void {
    this.controls.enabled = on;
  }
  setShadows(on: boolean): void {
    this.sun.castShadow = on;
    this.requestRender();
  }
  requestRender(): void {
    if (this.pending !== 0) return;
    this.pending = requestAnimationFrame(() => {
      this.pending = 0;
      if (!this.software) {
        this.render();
        return;
      }
      // A processor draws: coarse while something changes, sharp once it rests.
      this.draw(coarse);
      clearTimeout(this.rest);
      this.rest = window.setTimeout(() => this.render(), 250);
    });
  }
  render(): number {
    return this.draw(Math.min(window.devicePixelRatio * (this.software ? 2 : 1), 2));
  }
  private draw(pixel_ratio: number): number {
    const begin = performance.now();
    if (this.renderer && this.renderer.getPixelRatio() !== pixel_ratio)
      this.renderer.setPixelRatio(pixel_ratio);
    for (const path of this.paths) path.draw_thin(pixel_ratio === coarse);
    this.renderer?.render(this.scene, this.camera);
    return performance.now() - begin;
  }
  picture(): string {
    this.render();
    return this.canvas.toDataURL("image/png");
  }
  resize(): void {
    const { clientWidth: w, clientHeight: h } = this.canvas;
    if (w === 0 || h === 0) return;
    this.camera.aspect = w / h;
    this.camera.setViewOffset(w, h, 0, -0.5 * this.inset(), w, h);
    this.renderer?.setSize(w, h, false);
    for (const path of this.paths) path.resize(w, h);
    this.requestRender();
  }
  dispose(): void {
    cancelAnimationFrame(this.pending);
    clearTimeout(this.rest);
    this.observer.disconnect();
    this.controls.dispose();
    for (const figure of this.figures.values()) figure.dispose();
    for (const geometry of this.geometries.values()) geometry.dispose();
    for (const path of this.paths) path.dispose();
    for (const arrows of this.arrows.values()) arrows.dispose();
    this.renderer?.dispose();
  }

  private fit(points: three.Vector3[], margin: number): void {
    const slope = Math.tan((this.camera.fov * Math.PI) / 360);
    const across = slope * this.camera.aspect;
    const along = slope * (1 - this.inset() / Math.max(this.canvas.clientHeight, 1));
    const { target, position } = framed(points, margin, across, along, this.robot.size);
    this.controls.target.copy(target);
    this.camera.position.copy(position);
    this.controls.update();
    this.requestRender();
  }
  /// Pixels that buttons cover above the picture: its middle is so much lower.
  private inset(): number {
    return Math.min(this.options.inset ?? 0, 0.25 * this.canvas.clientHeight);
  }
  private add_figure(figure: Figure, number: number): void {
    figure.root.userData.figure = number;
    this.figures.set(number, figure);
    this.world.add(figure.root);
  }
  private ray_at(x: number, y: number): three.Raycaster {
    const { clientWidth: w, clientHeight: h } = this.canvas;
    const ray = new three.Raycaster();
    this.scene.updateMatrixWorld();
    this.camera.updateMatrixWorld();
    ray.setFromCamera(new three.Vector2((2 * x) / w - 1, 1 - (2 * y) / h), this.camera);
    return ray;
  }
  private world_point(body: number, out: three.Vector3): three.Vector3 {
    const group = this.figures.get(0)!.bodies[body];
    return out.copy(group.position).applyQuaternion(this.world.quaternion);
  }
  private go_along(): void {
    if (this.followed === null) return;
    const now = this.world_point(this.followed, new three.Vector3());
    const step = now.clone().sub(this.followed_at);
    this.followed_at.copy(now);
    this.camera.position.add(step);
    this.controls.target.add(step);
    this.controls.update();
  }
  private add_lights(): void {
    const size = this.robot.size;
    this.scene.add(new three.HemisphereLight("#ffffff", "#8b93a1", 1.55));
    const fill = new three.DirectionalLight("#cfe0ff", 0.7);
    fill.position.set(-3, 1.5, -2);
    this.scene.add(fill);
    this.sun.position.set(1.6 * size, 3.2 * size, 1.9 * size);
    this.sun.castShadow = true;
    this.sun.shadow.mapSize.set(1024, 1024);
    this.sun.shadow.bias = -2e-4;
    this.sun.shadow.normalBias = 0.004 * size;
    this.sun.shadow.radius = 5;
    const camera = this.sun.shadow.camera;
    camera.left = camera.bottom = -1.7 * size;
    camera.right = camera.top = 1.7 * size;
    camera.near = 0.1 * size;
    camera.far = 9 * size;
    this.scene.add(this.sun, this.sun.target);
    if (this.renderer) {
      this.renderer.shadowMap.enabled = true;
      this.sun.castShadow = this.options.shadows ?? !this.software;
      this.renderer.shadowMap.type = three.PCFShadowMap;
    }
  }
  private make_grid(theme: Theme): three.GridHelper {
    const cell = 10 ** Math.floor(Math.log10(this.robot.size / 2));
    const step = this.robot.size / cell > 6 ? 2.5 * cell : cell;
    const count = 2 * Math.ceil((8 * this.robot.size) / step / 2);
    const [axis, line] = theme === "dark" ? ["#4a5563", "#2a313b"] : ["#aab3be", "#d8dde3"];
    return new three.GridHelper(count * step, count, axis, line);
  }
  /// Between the floor and a robot whose base is above it; of shapes that the page made up only.
  private make_pedestal(): three.Group {
    const group = new three.Group();
    const made_up = this.robot.bodies[0].shapes.find((s) => s.role === "base");
    if (made_up && !this.robot.moving_base) {
      const radius = made_up.size[0];
      const column = new three.Mesh(
        new three.CylinderGeometry(0.82 * radius, 0.95 * radius, 1, 40),
        new three.MeshStandardMaterial({ color: "#6b7686", roughness: 0.5 }),
      );
      column.name = "column";
      const foot = new three.Mesh(
        new three.CylinderGeometry(1.75 * radius, 1.85 * radius, 0.3 * radius, 48),
        new three.MeshStandardMaterial({ color: "#566172", roughness: 0.5 }),
      );
      foot.name = "foot";
      group.add(column, foot);
      group.traverse((o) => (o.castShadow = o.receiveShadow = true));
      const at = new three.Vector3(made_up.place[0], made_up.place[1], made_up.place[2]);
      group.position.copy(at.applyQuaternion(this.world.quaternion));
      group.userData.radius = radius;
    }
    this.scene.add(group);
    return group;
  }
  private stretch_pedestal(): void {
    const column = this.pedestal.getObjectByName("column");
    const foot = this.pedestal.getObjectByName("foot");
    if (!column || !foot) return;
    const height = this.pedestal.position.y - this.ground;
    this.pedestal.visible = height > 1e-3 * this.robot.size;
    column.scale.y = Math.max(height, 1e-6);
    column.position.y = -height / 2;
    foot.position.y = -height + 0.15 * (this.pedestal.userData.radius as number);
  }
}

export function createScene(
  canvas: HTMLCanvasElement,
  robot: Robot,
  options: SceneOptions = {},
): Scene {
  return new RobotScene(canvas, robot, options);
}
