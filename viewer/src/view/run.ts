/// A reference recorded by dragging, run under a law: gains as sliders, errors, V and conditions.
import { index_at, typeset } from "../data";
import { button, css_colour, element } from "../dom";
import { type Desk, Panel } from "../panel";
import type { Scene } from "../scene";
import { ask, type Columns, type GainAnswer, Latest, type RobotAnswer, type RunAnswer, type StateAnswer } from "./api";

interface Point {
  t: number;
  q: number[];
}

/// The gain as the slider has it: one number, or from the least to the largest; where the law finds it
/// by itself the factor on that.
function gain_text(gain: GainAnswer, factor: number): string {
  const text = (x: number): string => String(+(factor * x).toPrecision(3)).replace("-", "−");
  if (!gain.values || gain.values.length === 0) return `× ${+factor.toPrecision(3)}`;
  const [low, high] = [Math.min(...gain.values), Math.max(...gain.values)];
  return low === high ? text(low) : `${text(low)} to ${text(high)}`;
}

const none: Columns = { names: [], values: [] };

function some({ names, values }: Columns, dofs: number[]): Columns {
  return names.length === 0 ? none : { names: dofs.map((k) => names[k]), values: dofs.map((k) => values[k]) };
}

export class RunPanel implements Desk {
  span: [number, number] = [0, 1];
  view: [number, number] = [0, 1];
  time = 0;
  readonly root = element("div", { class: "run" });
  private readonly record: HTMLButtonElement;
  private readonly law = element("select", { "aria-label": "Control law" });
  private readonly claim = element("p", { class: "claim" });
  private readonly gains = element("div", { class: "sliders" });
  private readonly note = element("p", { class: "note", role: "status" });
  private readonly result = element("div", { class: "result" });
  private readonly latest = new Latest();
  /// Degrees of freedom that are angles, and that are lengths; what errors and torques are in.
  private readonly kinds: { dofs: number[]; e: string; tau: string }[];
  private points: Point[] = [];
  private recording = false;
  private begin = 0;
  private factors: Record<string, number> = {};
  private last: RunAnswer | null = null;
  private panels: Panel[] = [];
  private ghost: number | null = null;
  private frame = 0; // of the ghost that moves

  constructor(robot: RobotAnswer, private readonly scene: Scene,
    private readonly fail: (error: unknown) => void) {
    const of = (length: boolean): number[] =>
      robot.dofs.flatMap((d, k) => ((d.measure === "length") === length ? [k] : []));
    this.kinds = [
      { dofs: of(false), e: "rad", tau: "N m" },
      { dofs: of(true), e: "m", tau: "N" },
    ].filter((kind) => kind.dofs.length > 0);
    this.record = button("● Record", "Record a motion: drag the tool or move sliders", () => this.toggle());
    for (const law of robot.laws) this.law.append(element("option", { value: law.name }, law.name));
    const first = robot.laws.find((l) => l.name === "computed_torque") ?? robot.laws[0];
    if (first) this.law.value = first.name;
    this.law.addEventListener("change", () => void this.choose().then(() => this.run()));
    this.root.append(
      element("div", { class: "bar" }, this.record, this.law,
        button("▶ Run", "Run the recorded motion under the law", () => this.run())),
      this.claim, this.gains, this.note, this.result);
    this.note.textContent = "Record a motion by dragging the tool, then run it.";
    new ResizeObserver(() => this.panels.forEach((panel) => panel.resize())).observe(this.result);
    window.matchMedia("(prefers-color-scheme: dark)")
      .addEventListener("change", () => this.panels.forEach((panel) => panel.rebuild()));
    this.result.addEventListener("mouseleave", () => {
      if (!this.playing()) this.remove_ghost();
    });
    void this.choose();
  }

  playing(): boolean {
    return this.frame !== 0;
  }
  is_shown(): boolean {
    return true;
  }
  run_name(): string {
    return this.last?.law ?? "";
  }
  /// The ghost where the run was at that time.
  seek(t: number): void {
    this.stop();
    this.show_time(t);
  }
  set_view(from: number, to: number): void {
    const [low, high] = this.span;
    const width = Math.min(Math.max(to - from, 1e-5 * (high - low)), high - low);
    from = Math.min(Math.max(from, low), high - width);
    this.view = [from, from + width];
    this.panels.forEach((panel) => panel.show_view());
  }
  /// The configuration as it changes.
  take(state: StateAnswer): void {
    if (!this.recording) return;
    this.points.push({ t: (performance.now() - this.begin) / 1000, q: state.q });
    this.note.textContent = `recording, ${this.points[this.points.length - 1].t.toFixed(1)} s`;
  }
  private toggle(): void {
    this.recording = !this.recording;
    this.record.textContent = this.recording ? "■ Stop" : "● Record";
    this.record.setAttribute("aria-pressed", String(this.recording));
    if (this.recording) {
      this.points = [];
      this.begin = performance.now();
      this.note.textContent = "recording";
    } else {
      this.note.textContent = `${this.points.length} points`;
      this.run();
    }
  }
  private async choose(): Promise<void> {
    this.factors = {};
    try {
      const answer = await ask<{ claim: string; gains: GainAnswer[] }>("law", { name: this.law.value });
      this.claim.textContent = answer.claim;
      this.gains.replaceChildren(...answer.gains.map((gain) => this.gain_slider(gain)));
    } catch (error) {
      this.gains.replaceChildren();
      this.fail(error);
    }
  }
  private gain_slider(gain: GainAnswer): HTMLElement {
    const slider = element("input", {
      type: "range", min: "-1", max: "1", step: "0.02", value: "0",
      "aria-label": `Factor on ${gain.name}`, "data-gain": gain.name,
    });
    const value = element("output", {}, gain_text(gain, 1));
    slider.addEventListener("input", () => {
      this.factors[gain.name] = 10 ** slider.valueAsNumber;
      value.textContent = gain_text(gain, this.factors[gain.name]);
      if (this.points.length > 1) this.run();
    });
    const title = `${gain.meaning} ${gain.values ? gain.values.map((x) => x.toPrecision(3)).join(", ") : ""} ${gain.unit}`;
    return element("label", { class: "slider gain", title }, element("span", {}, gain.name,
      element("small", { class: "limits" }, typeset(gain.unit))), slider, value);
  }
  private run(): void {
    if (this.points.length < 2) {
      this.note.textContent = "Record a motion first: ● Record, then drag the tool.";
      return;
    }
    const request = { law: this.law.value, points: this.points, factors: { ...this.factors } };
    this.latest.run(async () => {
      this.note.textContent = "running …";
      try {
        this.show(await ask<RunAnswer>("run", request));
      } catch (error) {
        this.note.textContent = error instanceof Error ? error.message : String(error);
      }
    });
  }
  private show(run: RunAnswer): void {
    const missed = run.conditions.filter((c) => !c.satisfied).length;
    const verdict = missed === 0 ? "all conditions hold"
      : missed === 1 ? "1 condition does not hold" : `${missed} conditions do not hold`;
    this.note.textContent =
      `${run.law}: ${run.stop}${run.message ? `, ${run.message}` : ""}; ${verdict}`;
    const list = element("ul", { class: "conditions" });
    for (const c of run.conditions)
      list.append(element("li", { class: c.satisfied ? "yes" : "no" },
        element("b", {}, c.verdict), ` ${c.name}: ${typeset(c.text)}`));
    this.last = run;
    this.span = this.view = [run.t[0] ?? 0, run.t[run.t.length - 1] ?? 1];
    const V = { names: ["V"], values: [run.lyapunov.values[0]] };
    this.panels = [
      ...this.kinds.map(({ dofs, e }) => this.panel("Errors", e, some(run.e, dofs), 1e-9)),
      this.panel("Lyapunov function", "", run.lyapunov.names.length > 0 ? V : none, 1e-12),
      ...this.kinds.map(({ dofs, tau }) => this.panel("Torques", tau, some(run.tau, dofs), 1e-9)),
    ].filter((panel) => panel.data.curves.length > 0);
    this.result.replaceChildren(
      element("div", { class: "panels" }, ...this.panels.map((panel) => panel.root)), list);
    this.panels.forEach((panel) => panel.appear());
    this.play(run);
  }
  /// `least`: what is smaller is rounding, and drawn as a line.
  private panel(title: string, unit: string, columns: Columns, least: number): Panel {
    const times = Float32Array.from(this.last!.t);
    const curves = columns.names.map((label, k) => ({
      label, colour: k % 8, dashed: k >= 8, run: -1, t: 0,
      y: Float32Array.from(columns.values[k], (y) => y ?? NaN),
    }));
    const data = { title, unit, log: false, limit: 0, least, bands: [], curves };
    return new Panel(data, this.last!.law, { at: () => times }, this);
  }
  /// The run as a ghost, in its own time.
  private play(run: RunAnswer): void {
    this.stop();
    if (run.t.length < 2) return;
    const begin = performance.now();
    const step = (): void => {
      const t = run.t[0] + (performance.now() - begin) / 1000;
      this.show_time(Math.min(t, this.span[1]));
      if (t < this.span[1]) this.frame = requestAnimationFrame(step);
      else this.stop();
    };
    step();
  }
  private show_time(t: number): void {
    const { t: times, poses } = this.last!;
    if (poses.length === 0) return; // it stopped before its first row
    this.time = Math.min(Math.max(t, this.span[0]), this.span[1]);
    if (this.ghost === null) this.ghost = this.scene.addGhost(css_colour("--k1"), 0.45);
    this.scene.setConfiguration(poses[index_at(times, this.time)], this.ghost);
    this.panels.forEach((panel) => panel.show_time());
  }
  private stop(): void {
    cancelAnimationFrame(this.frame);
    this.frame = 0;
    this.remove_ghost();
  }
  private remove_ghost(): void {
    if (this.ghost !== null) this.scene.removeGhost(this.ghost);
    this.ghost = null;
  }
}
