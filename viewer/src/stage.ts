/// The robot of a section, its ghosts, paths and forces, at the time of the player.
import { index_at, type PageData, type SectionData, Times } from "./data";
import { css_colour } from "./dom";
import { Motion } from "./motion";
import type { Patch } from "./marks";
import { createScene, type PathGiven, type Scene, type Theme } from "./scene";
import type { Robot, SurfaceOfWorld } from "./robot";

const inset = 46; /// pixels: the buttons above the robot

export class Stage {
  readonly scene: Scene;
  readonly motions: Motion[];
  readonly robot: Robot;
  main = 0; /// index in motions: drawn solid
  ghosts_shown = true;
  forces_shown = false;
  private readonly ghosts = new Map<number, number>(); /// motion -> figure
  private drawn_paths: Motion[] = [];
  private time = 0;

  constructor(
    canvas: HTMLCanvasElement,
    private readonly page: PageData,
    section: SectionData,
    times: Times,
    theme: Theme,
    private readonly is_shown: (run: number) => boolean,
  ) {
    this.robot = page.robots[section.robot!];
    const surfaces = section.surfaces ?? [];
    this.motions = (section.motions ?? [])
      .map((m) => new Motion(this.robot, surfaces, m, times))
      .filter((m) => m.poses.length > 0);
    const patches = this.patches(surfaces);
    this.scene = createScene(canvas, this.robot, { theme, surfaces, patches, inset });
    this.lower_ground();
    this.main = this.best_run();
    this.update_runs();
    this.reset_view();
  }

  get run(): number {
    return this.motions[this.main]?.run ?? -1;
  }
  set_main(motion: number): void {
    this.main = motion;
    this.update_runs();
    this.show(this.time);
  }
  set_theme(theme: Theme): void {
    this.scene.setTheme(theme);
    for (const figure of this.ghosts.values()) this.scene.removeGhost(figure);
    this.ghosts.clear();
    this.update_runs();
    this.show(this.time);
  }
  reset_view(): void {
    const points: number[] = [];
    for (const m of this.motions) points.push(...m.origins());
    for (const body of this.robot.bodies) points.push(...body.place.slice(0, 3));
    const tool = this.robot.tool;
    if (tool)
      for (const m of this.motions) points.push(...m.path(tool.body, tool.point));
    const { up, size } = this.robot;
    if (!this.robot.moving_base) {
      const side = 0.12 * size; // the foot of its pedestal
      for (const way of [-1, 1])
        points.push(...up.map((u) => u * this.ground + way * side * (1 - Math.abs(u))));
    }
    this.scene.resetView(points.filter(Number.isFinite));
  }
  follow_tool(on: boolean): void {
    this.scene.follow(on ? (this.robot.tool?.body ?? this.robot.bodies.length - 1) : null);
  }
  /// Which runs are ghosts, and the paths, after runs were hidden or shown.
  update_runs(): void {
    const main_hidden = !this.is_shown(this.run);
    this.scene.showFigure(0, !main_hidden || this.motions.length === 0);
    this.motions.forEach((m, k) => {
      const wanted = k !== this.main && this.ghosts_shown && this.is_shown(m.run);
      const figure = this.ghosts.get(k);
      if (wanted && figure === undefined)
        this.ghosts.set(k, this.scene.addGhost(this.colour(m.run)));
      if (!wanted && figure !== undefined) {
        this.scene.removeGhost(figure);
        this.ghosts.delete(k);
      }
    });
    this.update_paths();
    this.show(this.time);
  }
  show(t: number): void {
    this.time = t;
    const main = this.motions[this.main];
    if (!main) return;
    this.scene.setConfiguration(main.at(t), 0);
    for (const [k, figure] of this.ghosts)
      this.scene.setConfiguration(this.motions[k].at(t), figure);
    this.scene.setProgress(this.drawn_paths.map((m) => index_at(m.times, t) + 1));
    const length = 0.3 * this.robot.size;
    const contact = main.contact_forces(t, length);
    this.scene.setArrows("contact", "#0f9d77", contact.at, contact.along);
    const joints = this.forces_shown ? main.joint_forces(t, length) : { at: [], along: [] };
    this.scene.setArrows("joints", "#d9480f", joints.at, joints.along);
  }
  dispose(): void {
    this.scene.dispose();
  }

  /// Of each plane what the robot comes near to: around the point that touches, wherever it is in any
  /// run. Of several points on one plane the first draws it.
  private patches(surfaces: SurfaceOfWorld[]): (Patch | null)[] {
    const { size } = this.robot;
    return surfaces.map((s, k) => {
      const along = (x: ArrayLike<number>, n: number[], at = 0): number =>
        x[at] * n[0] + x[at + 1] * n[1] + x[at + 2] * n[2];
      const length = Math.hypot(...s.normal) || 1;
      const normal = s.normal.map((x) => x / length);
      const same = (other: SurfaceOfWorld): boolean =>
        other.radius === 0 && Math.abs(along(other.normal, normal)) > 0.9999 * Math.hypot(...other.normal) &&
        Math.abs(along(other.origin, normal) - along(s.origin, normal)) < 1e-6 * size;
      if (s.radius > 0) return { centre: s.origin, edge: 0 };
      if (surfaces.slice(0, k).some(same)) return null;
      const low = [Infinity, Infinity, Infinity];
      const high = [-Infinity, -Infinity, -Infinity];
      for (const other of surfaces.filter(same))
        for (const m of this.motions) {
          if (other.body < 1) continue;
          const path = m.path(other.body, other.point);
          for (let i = 0; i < path.length; ++i) {
            const c = i % 3;
            low[c] = Math.min(low[c], path[i]);
            high[c] = Math.max(high[c], path[i]);
          }
        }
      if (!low.every(Number.isFinite) || !high.every(Number.isFinite))
        return { centre: s.origin, edge: 0.5 * size };
      const middle = low.map((x, c) => 0.5 * (x + high[c]));
      const above = along(middle, normal) - along(s.origin, normal);
      const spread = Math.max(...low.map((x, c) => high[c] - x));
      return {
        centre: middle.map((x, c) => x - above * normal[c]),
        edge: Math.min(Math.max(0.4 * size, 1.4 * spread), 2 * size),
      };
    });
  }
  private ground = 0;
  /// Below everything that the robot does.
  private lower_ground(): void {
    const { up, size, moving_base } = this.robot;
    let lowest = this.robot.ground;
    const tool = this.robot.tool;
    for (const m of this.motions) {
      const points = m.origins(200);
      if (tool) points.push(...m.path(tool.body, tool.point));
      for (let k = 0; k + 2 < points.length; k += 3) {
        const height = points[k] * up[0] + points[k + 1] * up[1] + points[k + 2] * up[2];
        if (height - (moving_base ? 0 : 0.06 * size) < lowest && height > -20 * size)
          lowest = height - (moving_base ? 0 : 0.06 * size);
      }
    }
    this.ground = lowest;
    this.scene.setGround(lowest);
  }
  /// The one that the page names, else the last one, which most often the others are compared with.
  private best_run(): number {
    const named = this.motions.findIndex((m) => m.run === this.page.solid);
    return named >= 0 ? named : Math.max(0, this.motions.length - 1);
  }
  private colour(run: number): string {
    return css_colour(`--k${this.page.runs[run]?.colour ?? 0}`);
  }
  private update_paths(): void {
    const tool = this.robot.tool;
    if (!tool || tool.body < 1) return;
    const paths: PathGiven[] = [];
    this.drawn_paths = [];
    this.motions.forEach((m, k) => {
      if (!this.is_shown(m.run) || (k !== this.main && !this.ghosts_shown)) return;
      paths.push({ points: m.path(tool.body, tool.point), colour: this.colour(m.run) });
      this.drawn_paths.push(m);
    });
    for (const m of this.motions)
      if (m.desired) paths.push({ points: m.desired, colour: css_colour("--k8"), dashed: true });
    this.scene.setPaths(paths.filter((p) => p.points.length >= 6));
  }
}
