/// The tool under the pointer: dragging asks C++ where the robot goes; branches appear as ghosts.
import { css_colour } from "../dom";
import type { Scene } from "../scene";
import { ask, type Branch, Latest, type ReachAnswer, type StateAnswer } from "./api";

const grip = 26; /// pixels around the tool
const still = 4; /// pixels: less is a click

export class ToolDrag {
  private readonly latest = new Latest();
  private ghosts = new Map<number, Branch>(); /// by figure
  private state: StateAnswer | null = null;
  private start: { x: number; y: number; tool: number[]; T: number[] } | null = null;
  private target: number[] | null = null; /// where the pointer wants the tool
  private pressed: { x: number; y: number } | null = null;

  constructor(
    private readonly canvas: HTMLCanvasElement,
    private readonly scene: Scene,
    private readonly go: (state: StateAnswer, note: string) => void,
    private readonly fail: (error: unknown) => void,
    private readonly list: (branches: Branch[], q: number[]) => void,
  ) {
    // In the capture phase of the parent: before the scene begins to orbit.
    const stage = canvas.parentElement!;
    stage.addEventListener("pointerdown", (e) => this.down(e), { capture: true });
    stage.addEventListener("pointermove", (e) => this.move(e), { capture: true });
    stage.addEventListener("pointerup", (e) => this.up(e), { capture: true });
    stage.addEventListener("pointercancel", () => this.end(), { capture: true });
  }
  show(state: StateAnswer): void {
    this.state = state;
  }
  get dragging(): boolean {
    return this.start !== null;
  }

  /// Every branch that puts the tool at a pose; the robot takes the nearest.
  async reach(target: object): Promise<void> {
    const answer = await ask<ReachAnswer>("reach", target);
    this.go(answer.state, this.note_of(answer));
    this.show_branches(answer.branches, answer.state.q);
  }
  clear(): void {
    this.remove_ghosts();
    this.list([], []);
  }
  private remove_ghosts(): void {
    for (const figure of this.ghosts.keys()) this.scene.removeGhost(figure);
    this.ghosts.clear();
  }

  private note_of(answer: ReachAnswer): string {
    const count = answer.branches.length;
    if (!answer.reached) return answer.message || "the tool cannot get there";
    const which = answer.position_only ? "position" : "pose";
    return count > 1
      ? `${which} reached (${answer.method}): ${count} configurations; click a ghost to take it`
      : `${which} reached (${answer.method})`;
  }
  private show_branches(branches: Branch[], q: number[]): void {
    this.remove_ghosts();
    this.list(branches, q);
    for (const branch of branches) {
      if (branch.q.every((x, k) => Math.abs(x - q[k]) < 1e-9)) continue;
      const figure = this.scene.addGhost(css_colour(branch.inside_limits ? "--k2" : "--k8"), 0.22);
      this.scene.setConfiguration(branch.poses, figure);
      this.ghosts.set(figure, branch);
    }
  }
  private place(event: PointerEvent): [number, number] {
    const box = this.canvas.getBoundingClientRect();
    return [event.clientX - box.left, event.clientY - box.top];
  }
  private down(event: PointerEvent): void {
    if (event.target !== this.canvas || event.button !== 0 || !this.state) return;
    const [x, y] = this.place(event);
    this.pressed = { x, y };
    const T = this.state.tool.T;
    const tool = [T[3], T[7], T[11]];
    const [tx, ty] = this.scene.project(tool);
    if (Math.hypot(x - tx, y - ty) > grip) return;
    this.start = { x, y, tool, T };
    this.target = null;
    this.scene.setOrbiting(false);
    this.canvas.setPointerCapture(event.pointerId);
    this.clear();
    event.stopPropagation();
    event.preventDefault();
  }
  private move(event: PointerEvent): void {
    if (!this.start) return;
    event.stopPropagation();
    const [x, y] = this.place(event);
    const { tool, T } = this.start;
    // What the pointer was beside the tool's middle it stays.
    const grabbed = this.scene.onScreenPlane(this.start.x, this.start.y, tool);
    const now = this.scene.onScreenPlane(x, y, tool);
    const target = [...T];
    for (let k = 0; k < 3; ++k) target[4 * k + 3] = tool[k] + now[k] - grabbed[k];
    this.target = target;
    this.latest.run(() => this.follow());
  }
  private async follow(): Promise<void> {
    try {
      const answer = await ask<ReachAnswer>("reach", { T: this.target, drag: true });
      this.go(answer.state, answer.reached ? "" : "out of reach");
    } catch (error) {
      this.fail(error);
    }
  }
  private up(event: PointerEvent): void {
    const [x, y] = this.place(event);
    const clicked = this.pressed && Math.hypot(x - this.pressed.x, y - this.pressed.y) < still;
    this.pressed = null;
    if (this.start) {
      event.stopPropagation();
      const moved = !clicked;
      this.end();
      if (moved) this.after_drag();
      return;
    }
    if (!clicked) return;
    const picked = this.scene.pick(x, y);
    const branch = picked ? this.ghosts.get(picked.figure) : undefined;
    if (branch) this.take(branch);
  }
  /// Goes to a branch; where the robot was becomes a ghost.
  take(branch: Branch): void {
    this.latest.run(async () => {
      const state = await ask<StateAnswer>("move", { q: branch.q });
      const T = state.tool.T;
      const answer = await ask<ReachAnswer>("reach", { T, stay: true });
      this.go(answer.state, branch.name);
      this.show_branches(answer.branches, answer.state.q);
    });
  }
  branches(): Branch[] {
    return [...this.ghosts.values()];
  }
  private end(): void {
    this.start = null;
    this.scene.setOrbiting(true);
  }
  /// The robot first goes to where the pointer let go: a slower answer may still be on its way there.
  private after_drag(): void {
    this.latest.run(async () => {
      if (this.target) await this.follow();
      if (!this.state) return;
      try {
        await this.reach({ T: this.state.tool.T, stay: true });
      } catch (error) {
        this.fail(error);
      }
    });
  }
}
