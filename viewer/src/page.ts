/// The page of runs: brings the static page to life.
import "./page.css";
import { Charts } from "./charts";
import { choices, help_dialog, PlayBar } from "./controls";
import { type PageData, type SectionData, Times } from "./data";
import { button, download, element, file_name } from "./dom";
import { curves_csv } from "./export";
import { type Desk } from "./panel";
import { Player } from "./player";
import type { Part, Theme } from "./scene";
import { Stage } from "./stage";

const dark = window.matchMedia("(prefers-color-scheme: dark)");
function theme(): Theme {
  const chosen = document.documentElement.dataset.theme;
  return chosen === "dark" || chosen === "light" ? chosen : dark.matches ? "dark" : "light";
}

/// What of the robot's file is not in the picture, folded.
function missing_meshes(missing: string[]): HTMLElement {
  const title = `${missing.length} ${missing.length === 1 ? "mesh is" : "meshes are"} not drawn`;
  return element("details", { class: "missing" }, element("summary", {}, title),
    element("ul", {}, ...missing.map((line) => element("li", {}, line))));
}

class Page implements Desk {
  span: [number, number] = [0, 1];
  view: [number, number] = [0, 1];
  readonly player = new Player(0, 1);
  charts: Charts | null = null;
  stage: Stage | null = null;
  private readonly hidden = new Set<number>();
  private readonly cockpit = element("div", { class: "cockpit" });
  private readonly stage_side = element("div", { class: "stage-side" });
  private readonly chart_side = element("div", { class: "chart-side" });
  private readonly bar = new PlayBar(this.player);
  private readonly help = help_dialog();

  constructor(readonly data: PageData) {
    document.documentElement.classList.add("live");
    this.cockpit.append(this.stage_side, this.chart_side, this.help);
    this.place();
    this.player.on_change(() => {
      this.bar.show();
      this.stage?.show(this.player.time);
      this.charts?.show_time();
    });
    this.open(0);
    dark.addEventListener("change", () => this.change_theme());
    document.addEventListener("keydown", (event) => this.key(event));
    window.addEventListener("beforeprint", () => this.print_picture());
    let unfolded: HTMLDetailsElement[] = []; // paper has nothing to click
    window.addEventListener("beforeprint", () => {
      unfolded = [...document.querySelectorAll<HTMLDetailsElement>("section details:not([open])")];
      for (const details of unfolded) details.open = true;
    });
    window.addEventListener("afterprint", () => {
      for (const details of unfolded) details.open = false;
    });
  }

  get time(): number {
    return this.player.time;
  }
  playing(): boolean {
    return this.player.playing;
  }
  seek(t: number): void {
    this.player.seek(t);
  }
  is_shown(run: number): boolean {
    return !this.hidden.has(run);
  }
  run_name(run: number): string {
    return this.data.runs[run]?.name ?? "";
  }
  set_view(from: number, to: number): void {
    const [low, high] = this.span;
    const width = Math.min(Math.max(to - from, 1e-5 * (high - low)), high - low);
    from = Math.min(Math.max(from, low), high - width);
    this.view = [from, from + width];
    this.charts?.each((panel) => panel.show_view());
  }
  zoom(factor: number): void {
    const [from, to] = this.view;
    const t = Math.min(to, Math.max(from, this.time));
    this.set_view(t - (t - from) / factor, t + (to - t) / factor);
  }
  show_run(run: number, on: boolean): void {
    if (on) this.hidden.delete(run);
    else this.hidden.add(run);
    this.charts?.each((panel) => panel.show_runs());
    this.stage?.update_runs();
  }

  draw_solid(run: number): void {
    const motion = this.stage?.motions.findIndex((m) => m.run === run) ?? -1;
    if (motion < 0) return;
    const box = document.getElementById(`r${run}`) as HTMLInputElement | null;
    if (box && !box.checked) box.click();
    this.stage!.set_main(motion);
    const select = this.stage_side.querySelector<HTMLSelectElement>(".stage-tools > select");
    if (select) select.value = String(motion);
    this.cockpit.scrollIntoView({ behavior: "smooth" });
  }

  /// Links to what stands below the plots, which may be screens away.
  private contents(main: HTMLElement): HTMLElement | null {
    const nav = element("nav", { class: "contents", "aria-label": "Below the plots" });
    main.querySelectorAll<HTMLElement>(":scope > h2, :scope > section > h2").forEach((h, k) => {
      if (h.closest(".still")) return;
      h.id ||= `part-${k}`;
      const name = Array.from(h.childNodes).filter((n) => n.nodeType === Node.TEXT_NODE)
        .map((n) => n.textContent).join("").trim();
      nav.append(element("a", { href: `#${h.id}` }, name));
    });
    return nav.childElementCount > 1 ? nav : null;
  }

  /// Above the tables of the static page; its legend hides and shows runs here, too.
  private place(): void {
    const main = document.querySelector("main")!;
    const legend = main.querySelector(".legend");

    const contents = this.contents(main);
    const lead = main.querySelector(":scope > h2, :scope > .still, :scope > section");
    main.insertBefore(this.cockpit, lead);
    if (contents) main.insertBefore(contents, this.cockpit);
    if (legend) this.chart_side.append(legend);
    // So high that the bar below the robot is in sight, too, as far as titles leave room.
    const top = (): void =>
      this.cockpit.style.setProperty("--top", `${Math.min(this.cockpit.offsetTop, 220)}px`);
    top();
    window.addEventListener("resize", top);
    if (!legend) return;
    this.data.runs.forEach((run, k) => {
      for (const cell of main.querySelectorAll(`tr.r${k} > th`)) {
        const show = button("", `Draw ${run.name} solid`, () => this.draw_solid(k));
        show.className = "choose";
        show.append(...cell.childNodes);
        cell.append(show);
      }
      const box = document.getElementById(`r${k}`) as HTMLInputElement | null;
      if (!box) return;
      if (!box.checked) this.hidden.add(k); // a reloaded page keeps its boxes
      box.addEventListener("change", () => this.show_run(k, box.checked));
    });
  }

  private open(index: number): void {
    const section = this.data.sections[index];
    const times = new Times(section.times);
    this.player.pause();
    this.stage?.dispose();
    this.charts?.dispose();
    this.set_span(section, times);
    this.stage_side.replaceChildren();
    this.chart_side.querySelectorAll(".charts, .tabs, .bar").forEach((old) => old.remove());
    this.stage = this.make_stage(section, times);
    this.stage_side.append(this.bar.root);
    this.cockpit.classList.toggle("no-robot", this.stage === null);
    this.charts = new Charts(section.groups, times, this);
    if (this.data.sections.length > 1) this.chart_side.prepend(this.tabs(index));
    this.chart_side.append(this.chart_bar(section), this.charts.root);
    this.player.seek(this.player.start);
  }
  private set_span(section: SectionData, times: Times): void {
    let [from, to] = [Infinity, -Infinity];
    for (let k = 0; k < section.times.length; ++k) {
      const t = times.at(k);
      from = Math.min(from, t[0]);
      to = Math.max(to, t[t.length - 1]);
    }
    if (!(from < to)) [from, to] = [0, 1];
    this.span = [from, to];
    this.view = [from, to];
    this.player.set_span(from, to);
  }
  private make_stage(section: SectionData, times: Times): Stage | null {
    if (section.robot === null) return null;
    const robot = this.data.robots[section.robot];
    const canvas = element("canvas", {
      tabindex: "0",
      role: "img",
      "aria-label": `The robot ${robot.name} in motion. A, D, W, S orbit; Q, E zoom.`,
    });
    const frame = element("div", { class: "stage" }, canvas);
    this.stage_side.append(frame);
    const stage = new Stage(canvas, this.data, section, times, theme(), (r) => this.is_shown(r));
    if (!stage.scene.drawn)
      frame.append(element("p", { class: "note" }, "This browser has no WebGL: no robot is drawn."));
    frame.append(this.stage_tools(stage));
    if (robot.missing.length > 0) frame.append(missing_meshes(robot.missing));
    return stage;
  }
  private stage_tools(stage: Stage): HTMLElement {
    const { scene } = stage;
    const part = (label: string, name: Part, title: string) => ({
      label,
      title,
      on: false,
      set: (on: boolean) => scene.show(name, on),
    });
    const list = [
      part("axes", "axes", "Axes of the joints"),
      part("frames", "frames", "Frames of the links"),
      part("inertia", "inertia", "Even boxes of the same mass and inertia"),
      part("centres of mass", "com", "Centres of mass"),
      {
        label: "paths",
        title: "Path of the tool; dashed: desired",
        on: true,
        set: (on: boolean) => scene.show("paths", on),
      },
    ];
    if (stage.motions.length > 1)
      list.push({
        label: "ghosts",
        title: "The other runs, seen through",
        on: true,
        set: (on: boolean) => {
          stage.ghosts_shown = on;
          stage.update_runs();
        },
      });
    if (stage.motions.some((m) => m.has_forces))
      list.push({
        label: "joint forces",
        title: "Force of each joint on the link that it carries",
        on: false,
        set: (on: boolean) => {
          stage.forces_shown = on;
          stage.show(this.time);
        },
      });
    if (stage.robot.bodies.some((b) => b.shapes.some((s) => s.role === "collision")))
      list.push(part("collision shapes", "collision", "Shapes for collision"));
    const follow = button("follow", "Follow the tool (F)", () => {
      const on = follow.getAttribute("aria-pressed") !== "true";
      follow.setAttribute("aria-pressed", String(on));
      stage.follow_tool(on);
    });
    follow.setAttribute("aria-pressed", "false");
    follow.classList.add("follow");
    const tools = element("div", { class: "stage-tools" });
    const desk = (tool: HTMLElement): HTMLElement => {
      tool.classList.add("desk"); // not on phones, which have neither room nor keys
      return tool;
    };
    if (stage.motions.length > 1) tools.append(this.main_choice(stage));
    tools.append(
      choices("show", list),
      follow,
      button("reset", "Look as at first (R)", () => stage.reset_view()),
      desk(button("PNG", "Save the picture of the robot as PNG", () =>
        download(file_name(`${stage.robot.name} robot`, "png"), scene.picture()),
      )),
      button("theme", "Light or dark", () => {
        document.documentElement.dataset.theme = theme() === "dark" ? "light" : "dark";
        this.change_theme();
      }),
      desk(button("?", "Keys", () => this.help.showModal())),
    );
    return tools;
  }
  private main_choice(stage: Stage): HTMLElement {
    const select = element("select", { "aria-label": "Run drawn solid", title: "Run drawn solid" });
    stage.motions.forEach((m, k) =>
      select.append(element("option", { value: String(k) }, this.data.runs[m.run].name)),
    );
    select.value = String(stage.main);
    select.addEventListener("change", () => stage.set_main(Number(select.value)));
    return select;
  }
  private tabs(open: number): HTMLElement {
    const list = element("div", { class: "tabs", role: "tablist" });
    this.data.sections.forEach((section, k) => {
      const tab = button(section.title, section.title, () => this.open(k));
      tab.setAttribute("role", "tab");
      tab.setAttribute("aria-selected", String(k === open));
      list.append(tab);
    });
    return list;
  }
  private chart_bar(section: SectionData): HTMLElement {
    return element(
      "div",
      { class: "bar", role: "group", "aria-label": "Plots" },
      button("+", "Zoom in around the time (+)", () => this.zoom(1.6)),
      button("−", "Zoom out (−)", () => this.zoom(1 / 1.6)),
      button("whole time", "Whole time (0)", () => this.set_view(...this.span)),
      button("all as CSV", "Save all curves that are shown as CSV", () => {
        const curves = this.charts!.panels.flatMap((panel) =>
          panel.shown_curves().map((curve) => ({
            name: `${panel.title} ${curve.label}${panel.data.unit ? ` [${panel.data.unit}]` : ""}`,
            curve,
          })),
        );
        const name = file_name(`${this.data.title} ${section.title}`, "csv");
        download(name, new Blob([curves_csv(curves)], { type: "text/csv" }));
      }),
    );
  }
  private change_theme(): void {
    this.stage?.set_theme(theme());
    this.charts?.each((panel) => panel.rebuild());
  }
  /// Paper shows the robot as it stands, and the plots of the static page.
  private print_picture(): void {
    this.stage_side.querySelector(".printed")?.remove();
    if (!this.stage) return;
    const image = element("img", { class: "printed", alt: "The robot", src: this.stage.scene.picture() });
    this.stage_side.prepend(image);
  }
  private key(event: KeyboardEvent): void {
    const target = event.target as HTMLElement;
    if (event.ctrlKey || event.metaKey || event.altKey || this.help.open) return;
    const on_control = target.closest("button, select, summary, input, a") !== null;
    if (on_control && (event.key === " " || event.key === "Enter" || target.closest("select, input")))
      return;
    const action = this.action(event.key, event.shiftKey ? 1 : 0.1);
    if (!action) return;
    event.preventDefault();
    action();
  }
  private action(key: string, step: number): (() => void) | undefined {
    const { player, stage } = this;
    const actions: Record<string, () => void> = {
      " ": () => player.toggle(),
      ArrowLeft: () => player.seek(player.time - step),
      ArrowRight: () => player.seek(player.time + step),
      Home: () => player.seek(player.start),
      End: () => player.seek(player.end),
      "+": () => this.zoom(1.6),
      "=": () => this.zoom(1.6),
      "-": () => this.zoom(1 / 1.6),
      "0": () => this.set_view(...this.span),
      "[": () => this.bar.change_speed(-1),
      "]": () => this.bar.change_speed(1),
      "?": () => this.help.showModal(),
      a: () => stage?.scene.orbit(-0.15, 0),
      d: () => stage?.scene.orbit(0.15, 0),
      w: () => stage?.scene.orbit(0, 0.1),
      s: () => stage?.scene.orbit(0, -0.1),
      q: () => stage?.scene.zoom(1.15),
      e: () => stage?.scene.zoom(1 / 1.15),
      r: () => stage?.reset_view(),
      f: () => this.stage_side.querySelector<HTMLButtonElement>(".follow")?.click(),
    };
    return actions[key];
  }
}

const text = document.getElementById("torsor-data")?.textContent;
if (text) {
  const data = JSON.parse(text) as PageData;
  if (data.kind === "runs" && data.sections.length > 0) {
    // For scripts that look at the page: tests, and readers who want the numbers.
    (window as unknown as { torsor: Page }).torsor = new Page(data);
  }
}
