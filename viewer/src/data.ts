/// The data of a page, as C++ writes it (src/experiments/page/run_data.cpp, live.cpp).
import { floats, type Robot, type SurfaceOfWorld } from "./robot";

export interface RunName {
  name: string;
  colour: number; /// of the eight of the page
  dashed: boolean;
}

export interface CurveData {
  label: string;
  colour: number;
  dashed: boolean;
  run: number; /// index in PageData.runs; -1: of no single run
  t: number; /// index in SectionData.times
  y: string | Float32Array; /// a page that is written has float32 in base64
}

export interface PanelData {
  title: string;
  unit: string;
  log: boolean;
  limit: number; /// > 0: lines at both signs
  least: number; /// the axis reaches so far at least
  bands: [number, number][]; /// curves with the space between them filled
  curves: CurveData[];
}

export interface GroupData {
  title: string;
  remark: string;
  folded: boolean;
  panels: PanelData[];
}

export interface MotionData {
  run: number;
  t: number; /// index in SectionData.times
  poses: string; /// 7 (bodies - 1) numbers at each instant
  desired?: string; /// x y z of the tool at each instant
  forces?: string; /// x y z of each moving body at each instant
  largest_force?: number;
  contact?: string; /// x y z of each surface at each instant
  largest_contact?: number;
}

export interface SectionData {
  title: string;
  robot: number | null; /// index in PageData.robots
  surfaces?: SurfaceOfWorld[];
  motions?: MotionData[];
  groups: GroupData[];
  times: string[];
}

export interface PageData {
  kind: "runs";
  title: string;
  solid?: number; /// the run that is drawn solid at first; none: the last one
  runs: RunName[];
  robots: Robot[];
  sections: SectionData[];
}

/// Times of a section, decoded once.
export class Times {
  private readonly decoded: (Float32Array | undefined)[] = [];
  constructor(private readonly texts: string[]) {}
  at(index: number): Float32Array {
    return (this.decoded[index] ??= floats(this.texts[index]));
  }
}

/// The last index whose time is at or before t; 0 before all of them.
export function index_at(times: ArrayLike<number>, t: number): number {
  let low = 0;
  let high = times.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (times[middle] <= t) low = middle;
    else high = middle - 1;
  }
  return low;
}

/// Between the points of a curve along straight lines; NaN outside of it.
export function value_at(times: ArrayLike<number>, y: ArrayLike<number>, t: number): number {
  const n = times.length;
  if (n === 0 || t < times[0] - 1e-6 || t > times[n - 1] + 1e-6) return NaN;
  const k = index_at(times, t);
  if (k + 1 >= n || times[k + 1] <= times[k]) return y[k];
  const x = Math.min(1, Math.max(0, (t - times[k]) / (times[k + 1] - times[k])));
  return x === 0 ? y[k] : y[k] + x * (y[k + 1] - y[k]);
}

/// Four digits, as the tables of the page have them.
export function figure(x: number): string {
  if (Number.isNaN(x)) return "–";
  if (!Number.isFinite(x)) return x > 0 ? "∞" : "−∞";
  const size = Math.abs(x);
  if (size !== 0 && (size < 1e-3 || size >= 1e5)) {
    const [mantissa, power] = x.toExponential(2).split("e");
    return `${mantissa.replace("-", "−")}e${power.replace("+", "").replace("-", "−")}`;
  }
  return x.toPrecision(4).replace("-", "−");
}
/// "kg m^2", "|s|^2 <= 1" as people write them.
export function typeset(text: string): string {
  return text.replaceAll("^-1", "⁻¹").replaceAll("^2", "²").replaceAll("<=", "≤").replaceAll(">=", "≥");
}
