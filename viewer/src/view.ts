/// `torsor view`: a robot to play with. The server (viewer/server) computes, this page shows.
import "./view.css";
import { button, element } from "./dom";
import { createScene, type Part, type Scene } from "./scene";
import { ask, ask_scene, type Branch, Latest, type RobotAnswer, type StateAnswer } from "./view/api";
import { ToolDrag } from "./view/drag";
import { colours, type Mark, Marks } from "./view/marks";
import { RunPanel } from "./view/run";
import { Sliders } from "./view/sliders";
import { Tables } from "./view/tables";

const dark = window.matchMedia("(prefers-color-scheme: dark)");
const theme = (): "light" | "dark" => (dark.matches ? "dark" : "light");

class View {
  private readonly note = element("p", { class: "note", role: "status", id: "note" });
  private readonly warnings = element("ul", { class: "warnings", "aria-live": "polite", id: "warnings" });
  private readonly branches = element("ol", { class: "branches", "aria-label": "Branches", id: "branches" });
  private readonly latest = new Latest();
  private readonly marks: Marks;
  private readonly sliders: Sliders;
  private readonly tables: Tables;
  readonly drag: ToolDrag;
  private readonly run: RunPanel | null;
  readonly scene: Scene;
  state: StateAnswer;

  constructor(readonly robot: RobotAnswer, canvas: HTMLCanvasElement, scene: Scene,
    state: StateAnswer) {
    this.scene = scene;
    this.state = state;
    this.marks = new Marks(scene, robot);
    this.tables = new Tables(robot);
    this.sliders = new Sliders(robot, scene.robot.size, {
      slide: (coordinate, value) => this.move("slide", { coordinate, value }),
      nudge: (dof, by) => this.move("nudge", { dof, by }),
    });
    this.drag = new ToolDrag(canvas, scene, (next, note) => this.go(next, note), (e) => this.fail(e),
      (branches, q) => this.list(branches, q));
    this.run = robot.can_run && robot.laws.length > 0
      ? new RunPanel(robot, scene, (e) => this.fail(e)) : null;
    this.lay_out(canvas);
    this.show(state);
    scene.resetView();
    dark.addEventListener("change", () => scene.setTheme(theme()));
    document.addEventListener("keydown", (event) => this.key(event));
    this.listen();
  }

  private lay_out(canvas: HTMLCanvasElement): void {
    const stage = canvas.parentElement!;
    stage.append(element("div", { class: "stage-tools" },
      button("reset", "Look as at first (R); A D W S orbit, Q E zoom", () => this.scene.resetView()),
      this.choices()), this.note);
    const side = document.getElementById("side")!;
    const fold = (title: string, open: boolean, ...content: Node[]): HTMLElement => {
      const made = element("details", { class: "fold" }, element("summary", {}, title), ...content);
      made.open = open;
      return made;
    };
    side.replaceChildren(
      this.warnings,
      fold("Joints", true, this.joint_bar(), this.sliders.root),
      fold("Tool", true, this.tool_bar(), this.tables.pose, this.pose_form(),
        this.branches),
      fold("Matrices", true, this.rates_form(), this.tables.root),
    );
    if (this.run) side.append(fold("Record a motion, run it under a law", false, this.run.root));
    const { missing } = this.scene.robot;
    if (missing.length > 0)
      side.append(fold(`${missing.length} ${missing.length === 1 ? "mesh is" : "meshes are"} not drawn`, false,
        element("ul", { class: "missing" }, ...missing.map((line) => element("li", {}, line)))));
    if (this.robot.findings.length > 0)
      side.append(fold("About the robot's file", false,
        element("ul", {}, ...this.robot.findings.map((line) => element("li", {}, line)))));
  }
  private joint_bar(): HTMLElement {
    const q = element("input", {
      type: "text", id: "q-text", "aria-label": "Configuration, numbers separated by commas",
      placeholder: "q: numbers, separated by commas",
    });
    const form = element("form", { class: "bar" }, q, element("button", { type: "submit" }, "Go"));
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      const numbers = q.value.split(/[\s,;]+/).filter((word) => word !== "").map(Number);
      this.move("move", { q: numbers.map((x) => (Number.isFinite(x) ? x : null)) });
    });
    return form;
  }
  private tool_bar(): HTMLElement {
    const frame = element("select", { "aria-label": "Frame of the tool", id: "frame" });
    for (const name of this.robot.frames.length > 0 ? this.robot.frames : [this.state.tool.frame])
      frame.append(element("option", { value: name }, name));
    frame.value = this.state.tool.frame;
    frame.addEventListener("change", () => this.move("look", { frame: frame.value }));
    const reference = element("select", { "aria-label": "Reference of the Jacobian" });
    for (const name of ["world-aligned", "body", "world"])
      reference.append(element("option", { value: name }, `J: ${name}`));
    reference.value = this.state.reference;
    reference.addEventListener("change", () => this.move("look", { reference: reference.value }));
    return element("div", { class: "bar" }, frame, reference,
      button("Branches", "All configurations that put the tool here", () =>
        this.attempt(() => this.drag.reach({ T: this.state.tool.T, stay: true }))));
  }
  /// Velocities and accelerations that C and τ are of: a number for each joint, or one for all.
  private rates_form(): HTMLElement {
    const field = (name: "qd" | "qdd", sign: string, what: string): HTMLInputElement =>
      element("input", {
        type: "text", id: `${name}-text`, "aria-label": `${what}, numbers separated by commas, or one for all`,
        title: `${what}: numbers separated by commas, or one for all`, placeholder: `${sign}: 0`,
      });
    const qd = field("qd", "q̇", "Velocities"), qdd = field("qdd", "q̈", "Accelerations");
    const numbers = (text: string): (number | null)[] => {
      const x = text.split(/[\s,;]+/).filter((word) => word !== "").map(Number)
        .map((v) => (Number.isFinite(v) ? v : null));
      return x.length > 1 ? x : Array<number | null>(this.robot.n_v).fill(x.length === 0 ? 0 : x[0]);
    };
    const form = element("form", { class: "bar" }, qd, qdd, element("button", { type: "submit" }, "Set"));
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.move("look", { qd: numbers(qd.value), qdd: numbers(qdd.value) });
    });
    return form;
  }
  private list(branches: Branch[], q: number[]): void {
    if (branches.length < 2) {
      this.branches.replaceChildren();
      return;
    }
    this.branches.replaceChildren(...branches.map((branch) => {
      const here = branch.q.every((x, k) => Math.abs(x - q[k]) < 1e-9);
      const choose = button(branch.name, branch.q.map((x) => x.toFixed(4)).join(", "),
        () => this.drag.take(branch));
      choose.setAttribute("aria-label", branch.name);
      choose.setAttribute("aria-pressed", String(here));
      return element("li", branch.inside_limits ? {} : { class: "outside" }, choose,
        branch.inside_limits ? null : element("small", {}, " beyond limits"));
    }));
  }
  private key(event: KeyboardEvent): void {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if ((event.target as HTMLElement).closest("input, select, textarea")) return;
    const { scene } = this;
    const actions: Record<string, () => void> = {
      a: () => scene.orbit(-0.15, 0), d: () => scene.orbit(0.15, 0),
      w: () => scene.orbit(0, 0.1), s: () => scene.orbit(0, -0.1),
      q: () => scene.zoom(1.15), e: () => scene.zoom(1 / 1.15), r: () => scene.resetView(),
    };
    const action = actions[event.key.toLowerCase()];
    if (!action) return;
    event.preventDefault();
    action();
  }
  private pose_form(): HTMLElement {
    const text = element("input", {
      type: "text", id: "pose-text", "aria-label": "Pose: x, y, z in m, then roll, pitch, yaw in rad",
      placeholder: "x, y, z [, roll, pitch, yaw]",
    });
    const form = element("form", { class: "bar" }, text, element("button", { type: "submit" }, "Reach"));
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      const x = text.value.split(/[\s,;]+/).filter((word) => word !== "").map(Number);
      if ((x.length !== 3 && x.length !== 6) || !x.every(Number.isFinite)) {
        this.say("a pose is three numbers, or six: x, y, z, roll, pitch, yaw");
        return;
      }
      const target = x.length === 3 ? { position: x } : { position: x.slice(0, 3), rpy: x.slice(3) };
      this.attempt(() => this.drag.reach(target));
    });
    return form;
  }
  private choices(): HTMLElement {
    const menu = element("div", { class: "menu" });
    const add = (label: string, on: boolean, change: (on: boolean) => void, colour = ""): void => {
      const box = element("input", { type: "checkbox" });
      box.checked = on;
      box.addEventListener("change", () => change(box.checked));
      const swatch = colour ? element("i", { class: "swatch", "aria-hidden": "true" }) : null;
      if (swatch) swatch.style.background = colour;
      menu.append(element("label", {}, box, label, swatch));
      change(on);
    };
    const part = (label: string, name: Part, on = false): void =>
      add(label, on, (shown) => this.scene.show(name, shown));
    const mark = (label: string, name: Mark, on = false): void =>
      add(label, on, (shown) => this.marks.show(name, shown), colours[name]);
    part("robot", "visual", true);
    part("collision shapes", "collision");
    part("frames", "frames");
    part("joint axes", "axes", true);
    part("centres of mass", "com");
    part("inertia boxes", "inertia");
    mark("inertia ellipsoids", "inertia ellipsoids");
    mark("centre of mass of all", "whole com");
    mark("velocity ellipsoid", "velocity", true);
    mark("force ellipsoid", "force");
    mark("angular velocity ellipsoid", "angular");
    return element("details", { class: "choices" }, element("summary", {}, "Show"), menu);
  }

  private attempt(work: () => Promise<void>): void {
    this.latest.run(async () => {
      try {
        await work();
      } catch (error) {
        this.fail(error);
      }
    });
  }
  private move(verb: string, request: object): void {
    this.drag.clear();
    this.attempt(async () => this.go(await ask<StateAnswer>(verb, request), ""));
  }
  private go(state: StateAnswer, note: string): void {
    this.say(note);
    if (state.version > this.state.version) this.run?.take(state);
    this.show(state);
  }
  private show(state: StateAnswer): void {
    this.state = state;
    this.scene.setConfiguration(state.poses);
    this.marks.update(state);
    this.sliders.show(state);
    this.tables.show(state);
    this.drag.show(state);
    this.warnings.replaceChildren(...state.warnings.map((line) => element("li", {}, line)));
    document.documentElement.dataset.version = String(state.version);
  }
  private say(text: string): void {
    this.note.textContent = text;
    this.note.classList.remove("error");
  }
  private fail(error: unknown): void {
    this.say(error instanceof Error ? error.message : String(error));
    this.note.classList.add("error");
  }

  /// Other pages of the same robot move it, too.
  private listen(): void {
    const events = new EventSource("events");
    events.onmessage = (event) => {
      const { version } = JSON.parse(event.data as string) as { version: number };
      if (version <= this.state.version || this.drag.dragging || !this.latest.idle) return;
      this.attempt(async () => {
        if (version > this.state.version) this.show(await ask<StateAnswer>("state"));
      });
    };
    events.onerror = () => {
      if (events.readyState === EventSource.CLOSED) this.fail("torsor view has ended");
    };
    window.addEventListener("pagehide", () => events.close());
  }
}

async function start(): Promise<void> {
  const canvas = document.getElementById("canvas") as HTMLCanvasElement;
  const [robot, shapes, state] = await Promise.all([
    ask<RobotAnswer>("robot"), ask_scene(), ask<StateAnswer>("state"),
  ]);
  document.title = `${robot.name} · torsor view`;
  document.getElementById("name")!.textContent = robot.name;
  canvas.setAttribute("aria-label", `${robot.name} in three dimensions; A, D, W, S orbit, Q, E zoom, R resets`);
  const scene = createScene(canvas, shapes, { theme: theme(), inset: 46 });
  const view = new View(robot, canvas, scene, state);
  if (!scene.drawn)
    canvas.parentElement!.append(element("p", { class: "note" }, "This browser draws no WebGL."));
  (window as unknown as { torsor_view: View }).torsor_view = view;
  document.documentElement.dataset.ready = "true";
}

start().catch((error: unknown) => {
  document.getElementById("side")!.textContent =
    error instanceof Error ? error.message : String(error);
});
