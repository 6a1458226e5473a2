/// A reference recorded by dragging, run under a law: gains as sliders, errors, V and conditions.
import uPlot from "uplot";
import { button, css_colour, element } from "../dom";
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

function plot(holder: HTMLElement, title: string, t: number[], columns: Columns): uPlot {
  const width = Math.max(holder.clientWidth, 240);
  const ink = css_colour("--faint");
  const values = (_: uPlot, ticks: number[]): string[] =>
    ticks.map((x) => String(Number(x.toPrecision(6))).replace("-", "−"));
  const axis = { values, stroke: ink, grid: { stroke: css_colour("--grid") }, ticks: { show: false }, size: 52 };
  return new uPlot(
    {
      title, width, height: 150, legend: { show: columns.names.length > 1 },
      cursor: { drag: { x: true, y: false } }, scales: { x: { time: false } },
      axes: [{ ...axis, size: 26, values: (u: uPlot, ticks: number[]) =>
        values(u, ticks).map((text, k) => (k === ticks.length - 1 ? `${text} s` : text)) }, axis],
      padding: [8, 14, 0, 0],
      series: [{ label: "t" }, ...columns.names.map((label, k) => ({
        label, stroke: css_colour(`--k${k % 8}`), width: 1.5, pxAlign: 0, points: { show: false },
      }))],
    },
    [t, ...columns.values] as uPlot.AlignedData,
    holder,
  );
}

export class RunPanel {
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
  private ghost: number | null = null;
  private playing = 0;

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
    void this.choose();
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
      element("small", { class: "limits" }, gain.unit)), slider, value);
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
        element("b", {}, c.verdict), ` ${c.name}: ${c.text}`));
    const errors = element("div"), V = element("div"), torques = element("div");
    this.result.replaceChildren(errors, V, torques, list);
    const some = ({ names, values }: Columns, dofs: number[]): Columns =>
      ({ names: dofs.map((k) => names[k]), values: dofs.map((k) => values[k]) });
    for (const { dofs, e } of this.kinds)
      if (run.e.names.length > 0) plot(errors, `Errors, ${e}`, run.t, some(run.e, dofs));
    if (run.lyapunov.names.length > 0)
      plot(V, "Lyapunov function V", run.t, { names: ["V"], values: [run.lyapunov.values[0]] });
    for (const { dofs, tau } of this.kinds) plot(torques, `Torques, ${tau}`, run.t, some(run.tau, dofs));
    this.play(run);
  }
  /// The run as a ghost, in its own time.
  private play(run: RunAnswer): void {
    cancelAnimationFrame(this.playing);
    if (run.t.length < 2) return;
    if (this.ghost === null) this.ghost = this.scene.addGhost(css_colour("--k1"), 0.45);
    const begin = performance.now();
    const step = (): void => {
      const t = run.t[0] + (performance.now() - begin) / 1000;
      let k = run.t.findIndex((x) => x >= t);
      if (k < 0) k = run.t.length - 1;
      this.scene.setConfiguration(run.poses[k], this.ghost!);
      if (k < run.t.length - 1) this.playing = requestAnimationFrame(step);
      else this.remove_ghost();
    };
    step();
  }
  private remove_ghost(): void {
    if (this.ghost !== null) this.scene.removeGhost(this.ghost);
    this.ghost = null;
  }
}
