/// One plot: curves over time, the time cursor, values under it.
import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import "./panel.css";
import { figure, index_at, type PanelData, type Times, typeset, value_at } from "./data";
import { floats } from "./robot";
import { button, css_colour, download, element, file_name } from "./dom";
import { panel_csv, panel_png, panel_svg } from "./export";

/// What all plots of a page share.
export interface Desk {
  span: [number, number];
  view: [number, number]; /// of the time axes
  time: number;
  playing(): boolean;
  seek(t: number): void;
  set_view(from: number, to: number): void;
  is_shown(run: number): boolean;
  run_name(run: number): string;
}

export interface DrawnCurve {
  label: string;
  colour: string;
  dashed: boolean;
  run: number;
  times: Float32Array;
  y: Float32Array;
}

const height = 172;
const rounding = 1e-12; // relative, or in the unit of the curve: less is not drawn as motion

export class Panel {
  readonly root: HTMLElement;
  curves: DrawnCurve[] = [];
  private plot: uPlot | null = null;
  private readonly holder: HTMLElement;
  private readonly cursor: HTMLElement;
  private readonly values: { text: HTMLElement; shown: string }[] = [];
  private readonly log_button: HTMLButtonElement;
  private log: boolean;
  private decoded = false;
  seen = false;

  constructor(
    readonly data: PanelData,
    private readonly group: string,
    private readonly times: Pick<Times, "at">,
    private readonly desk: Desk,
  ) {
    this.log = data.log;
    this.holder = element("div", { class: "plot" });
    this.cursor = element("div", { class: "cursor" });
    this.log_button = button("log", "Logarithmic scale of the absolute value", () => {
      this.log = !this.log;
      this.rebuild();
    });
    const name = `${group} ${data.title}`;
    const tools = element(
      "span",
      { class: "tools" },
      this.log_button,
      button("PNG", `Save ${name} as PNG`, () => {
        void panel_png(this).then((blob) => download(file_name(name, "png"), blob));
      }),
      button("SVG", `Save ${name} as SVG`, () =>
        download(file_name(name, "svg"), new Blob([panel_svg(this)], { type: "image/svg+xml" })),
      ),
      button("CSV", `Save ${name} as CSV`, () =>
        download(file_name(name, "csv"), new Blob([panel_csv(this)], { type: "text/csv" })),
      ),
    );
    const unit = data.unit ? element("span", { class: "unit" }, typeset(data.unit)) : null;
    const title = element("figcaption", {}, element("b", {}, data.title), unit, tools);
    this.root = element("figure", { class: "panel" }, title, this.holder);
    this.holder.style.height = `${height}px`;
    this.add_values();
  }

  get title(): string {
    return `${this.group}: ${this.data.title}`;
  }
  get is_log(): boolean {
    return this.log;
  }
  get view(): [number, number] {
    return this.desk.view;
  }
  /// Where limits are drawn.
  limits(): number[] {
    return this.data.limit > 0 ? [this.data.limit, -this.data.limit] : [];
  }
  shown_curves(): DrawnCurve[] {
    this.decode();
    return this.curves.filter((c) => this.desk.is_shown(c.run));
  }

  /// Makes the plot when it first comes into sight.
  appear(): void {
    this.seen = true;
    if (!this.plot) this.rebuild();
    this.show_time();
  }

  rebuild(): void {
    this.plot?.destroy();
    this.plot = null; // of one out of sight: made again when it appears
    if (!this.seen) return;
    this.decode();
    this.log_button.setAttribute("aria-pressed", String(this.log));
    this.plot = new uPlot(this.options(), this.table(), this.holder);
    this.plot.over.append(this.cursor);
    this.listen(this.plot.over);
    this.describe();
    this.show_time();
  }

  resize(): void {
    if (this.plot && this.holder.clientWidth > 0)
      this.plot.setSize({ width: this.holder.clientWidth, height });
    this.show_time();
  }
  show_runs(): void {
    this.values.forEach(({ text }, k) => {
      const run = this.data.curves[k].run;
      (text.parentElement as HTMLElement).hidden = !this.desk.is_shown(run);
    });
    if (!this.plot) return;
    this.plot.batch(() => {
      this.curves.forEach((c, k) => this.plot!.setSeries(k + 1, { show: this.desk.is_shown(c.run) }));
    });
    this.show_time();
  }
  show_view(): void {
    const [min, max] = this.desk.view;
    this.plot?.setScale("x", { min, max });
    this.show_time();
  }
  /// The cursor and the values at the present time.
  show_time(): void {
    if (!this.plot || !this.seen) return;
    const t = this.desk.time;
    const [from, to] = this.desk.view;
    const inside = t >= from - 1e-9 && t <= to + 1e-9;
    this.cursor.style.display = inside ? "" : "none";
    if (inside) this.cursor.style.transform = `translateX(${this.plot.valToPos(t, "x")}px)`;
    this.curves.forEach((c, k) => {
      const value = this.values[k];
      if (!value || !this.desk.is_shown(c.run)) return;
      const text = figure(value_at(c.times, c.y, t));
      if (text !== value.shown) value.text.textContent = value.shown = text;
    });
  }
  /// For readers of tests: the range of the y axis as drawn.
  range(): [number, number] {
    const y = this.plot?.scales.y;
    return [y?.min ?? NaN, y?.max ?? NaN];
  }
  values_text(): string[] {
    return this.values.map((v) => v.shown);
  }

  private decode(): void {
    if (this.decoded) return;
    this.decoded = true;
    this.curves = this.data.curves.map((c) => ({
      label: c.label,
      colour: `--k${c.colour}`,
      dashed: c.dashed,
      run: c.run,
      times: this.times.at(c.t),
      y: typeof c.y === "string" ? floats(c.y) : c.y,
    }));
  }
  private add_values(): void {
    const list = element("div", { class: "values" });
    for (const c of this.data.curves) {
      const text = element("span", { class: "value" }, "–");
      const swatch = element("i", { class: c.dashed ? "d" : "", "aria-hidden": "true" });
      swatch.style.color = `var(--k${c.colour})`;
      // The legend of the page has the names of runs.
      const of_run = c.run >= 0 && c.label === this.desk.run_name(c.run);
      const name = element("span", { class: of_run ? "label of-run" : "label" }, c.label);
      list.append(element("span", { class: "entry", title: c.label }, swatch, name, text));
      this.values.push({ text, shown: "–" });
    }
    this.root.append(list);
  }
  private table(): uPlot.AlignedData {
    const column = (y: Float32Array) =>
      Array.from(y, (v) => {
        const x = this.log ? Math.abs(v) : v;
        return Number.isFinite(x) && (!this.log || x > 0) ? x : null;
      });
    const same = this.curves.every((c) => c.times === this.curves[0].times);
    if (same && this.curves.length > 0)
      return [Array.from(this.curves[0].times), ...this.curves.map((c) => column(c.y))];
    return uPlot.join(this.curves.map((c) => [Array.from(c.times), column(c.y)]));
  }
  private options(): uPlot.Options {
    const ink = css_colour("--faint");
    const grid = { stroke: css_colour("--grid"), width: 1 };
    const font = "11px system-ui, sans-serif";
    return {
      width: Math.max(this.holder.clientWidth, 120),
      height,
      legend: { show: false },
      padding: [8, 16, 0, 0],
      cursor: {
        x: false,
        y: false,
        points: { show: false },
        drag: { x: true, y: false, setScale: false },
      },
      scales: {
        x: { time: false, min: this.desk.view[0], max: this.desk.view[1], auto: false },
        y: { distr: this.log ? 3 : 1, range: (_u, low, high) => this.y_range(low, high) },
      },
      axes: [
        {
          stroke: ink,
          grid,
          ticks: { show: false },
          font,
          size: 24,
          gap: 4,
          space: 60,
          values: (_u, ticks) => ticks.map((v, k) => short(v) + (k === ticks.length - 1 ? " s" : "")),
        },
        {
          stroke: ink,
          grid,
          ticks: { show: false },
          font,
          size: 54,
          gap: 4,
          space: 28,
          ...(this.log ? { splits: (_u, _axis, min, max) => decades(min, max), filter: all } : {}),
          values: (_u, ticks) => ticks.map((v) => (v === null ? "" : short(v))),
        },
      ],
      series: [
        {},
        ...this.curves.map((c) => ({
          label: c.label,
          stroke: css_colour(c.colour),
          width: 1.6,
          pxAlign: 0, // no steps of whole pixels where a curve is nearly level
          dash: c.dashed ? [6, 4] : undefined,
          show: this.desk.is_shown(c.run),
          points: { show: c.y.length === 1 }, // of a run that ended at its first row
        })),
      ],
      bands: this.data.bands.map(([low, high]) => ({
        series: [high + 1, low + 1],
        fill: `color-mix(in srgb, ${css_colour("--k0")} 12%, transparent)`,
      })),
      hooks: {
        draw: [(u) => this.draw_limits(u), () => this.show_time()], // no place is known before
        setSelect: [
          (u) => {
            if (u.select.width < 4) return;
            const from = u.posToVal(u.select.left, "x");
            const to = u.posToVal(u.select.left + u.select.width, "x");
            u.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
            this.desk.set_view(from, to);
          },
        ],
      },
    };
  }
  /// What the axis shows of values between two others.
  y_range(low: number | null, high: number | null): [number, number] {
    if (low === null || high === null) return this.log ? [0.1, 1] : [-1, 1];
    if (this.log) {
      high = Math.max(high, 1e-28);
      const floor = Math.max(low, high * 1e-16, 1e-30);
      return [10 ** Math.floor(Math.log10(floor)), 10 ** Math.ceil(Math.log10(high) + 1e-9)];
    }
    if (Math.max(-low, high) < this.data.least) [low, high] = [-this.data.least, this.data.least];
    if (high - low < rounding * Math.max(1, Math.abs(low), Math.abs(high))) {
      const middle = (low + high) / 2; // a line, not the pattern of its last digits
      const half = Math.abs(middle) > 1e-9 ? 0.05 * Math.abs(middle) : rounding;
      [low, high] = [middle - half, middle + half];
    }
    const margin = 0.06 * (high - low) || 0.1 * Math.abs(high) || 1;
    return [low - margin, high + margin];
  }
  private draw_limits(u: uPlot): void {
    if (this.log) return;
    u.ctx.save();
    u.ctx.strokeStyle = css_colour("--no");
    u.ctx.globalAlpha = 0.7;
    u.ctx.setLineDash([4, 6]);
    for (const level of this.limits()) {
      const y = u.valToPos(level, "y", true);
      if (y < u.bbox.top || y > u.bbox.top + u.bbox.height) continue;
      u.ctx.beginPath();
      u.ctx.moveTo(u.bbox.left, y);
      u.ctx.lineTo(u.bbox.left + u.bbox.width, y);
      u.ctx.stroke();
    }
    u.ctx.restore();
  }
  /// Resting over a paused plot moves the time; a click always does. Shift and drag pans, the wheel
  /// with Ctrl zooms, a double click shows all.
  private listen(over: HTMLElement): void {
    const time_at = (event: MouseEvent) =>
      this.plot!.posToVal(event.clientX - over.getBoundingClientRect().left, "x");
    let panned: { at: number; view: [number, number] } | null = null;
    over.addEventListener(
      "mousedown",
      (event) => {
        if (!event.shiftKey) return;
        event.stopImmediatePropagation();
        panned = { at: event.clientX, view: [...this.desk.view] };
      },
      true,
    );
    over.addEventListener("mousemove", (event) => {
      if (panned) {
        const [from, to] = panned.view;
        const step = ((event.clientX - panned.at) / over.clientWidth) * (to - from);
        this.desk.set_view(from - step, to - step);
      } else if (event.buttons === 0 && !this.desk.playing()) {
        this.desk.seek(time_at(event));
      }
    });
    window.addEventListener("mouseup", () => (panned = null));
    over.addEventListener("click", (event) => this.desk.seek(time_at(event)));
    over.addEventListener("dblclick", () => this.desk.set_view(...this.desk.span));
    over.addEventListener(
      "wheel",
      (event) => {
        if (!event.ctrlKey && !event.metaKey) return;
        event.preventDefault();
        const t = time_at(event);
        const factor = Math.exp(0.0015 * event.deltaY);
        const [from, to] = this.desk.view;
        this.desk.set_view(t - (t - from) * factor, t + (to - t) * factor);
      },
      { passive: false },
    );
  }
  /// For screen readers: what the picture shows.
  private describe(): void {
    const parts = this.shown_curves().map((c) => {
      let low = Infinity;
      let high = -Infinity;
      for (const v of c.y) {
        if (v < low) low = v;
        if (v > high) high = v;
      }
      const last = c.y[index_at(c.times, Infinity)];
      return `${c.label} from ${figure(low)} to ${figure(high)}, at the end ${figure(last)}`;
    });
    const unit = this.data.unit ? ` in ${typeset(this.data.unit)}` : "";
    this.holder.setAttribute("role", "img");
    this.holder.setAttribute("aria-label", `${this.title}${unit}, over time. ${parts.join("; ")}`);
  }
}

/// Powers of ten, six at most.
function decades(min: number, max: number): number[] {
  const low = Math.ceil(Math.log10(min) - 1e-9);
  const high = Math.floor(Math.log10(max) + 1e-9);
  const step = Math.max(1, Math.ceil((high - low) / 5));
  const out: number[] = [];
  for (let power = low; power <= high; power += step) out.push(10 ** power);
  return out;
}
const all = (_u: uPlot, ticks: number[]) => ticks;

/// A tick in few characters.
function short(v: number): string {
  const size = Math.abs(v);
  if (size !== 0 && (size < 1e-3 || size >= 1e5)) {
    return v.toExponential(2).replace(/\.?0+e/, "e").replace("e+", "e").replace(/-/g, "−");
  }
  return String(+v.toPrecision(6)).replace("-", "−");
}
